"""How long a run takes, how far it has come, and what it has proven.

See R1-Q08, R1-Q20, R1-Q25, R1-Q28.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np

from ..types import Array
from ..validation import check_number
from .arrays import same_length, vector
from .sources import certificate_of


def rounds_to_consistency(n_examples: int, edge: float) -> int:
    """Rounds after which AdaBoost makes no training error if every edge is at least γ.

    See R1-Q08, R1-C06.

    ``⌊2 log(N) / γ²⌋ + 1``, the first whole number above ``2 log(N) / γ²``.

    Examples
    --------
    >>> rounds_to_consistency(100, 0.1)
    922
    """
    check_number("n_examples", n_examples, at_least=1, integer=True)
    check_number("edge", edge, above=0.0, at_most=1.0)
    return math.floor(2.0 * math.log(n_examples) / edge**2) + 1


def rounds_to_margin(n_examples: int, epsilon: float) -> int:
    """Rounds after which AdaBoost_ϱ with ϱ = ρ* - ε has all margins at ϱ.

    See R1-Q25, Cor. 2.3, R1-C36.

    ``⌈2 log(N) / ε²⌉ + 1``, for any base learner whose edges are at least ρ*.
    """
    check_number("n_examples", n_examples, at_least=1, integer=True)
    check_number("epsilon", epsilon, above=0.0, at_most=1.0)
    return math.ceil(2.0 * math.log(n_examples) / epsilon**2) + 1


@dataclass(frozen=True)
class MarginalAdaBoostBounds:
    """What Theorem 2.3 promises of Marginal AdaBoost (R1-Q25).

    Attributes
    ----------
    rounds : int
        T, most rounds of one call of AdaBoost_ϱ, and most hypotheses in the result.
    searches : int
        R, steps of the bisection.
    calls : int
        Most calls of the base learner: T times R searches and the last run.
    accuracy : float
        The margin is at least ρ* minus this.
    """

    rounds: int
    searches: int
    calls: int
    accuracy: float


def marginal_adaboost_bounds(
    n_examples: int, epsilon: float, *, as_printed: bool = False
) -> MarginalAdaBoostBounds:
    """Bounds on the work of Marginal AdaBoost and on its margin (R1-Q25, Thm 2.3, R1-C37).

    Parameters
    ----------
    n_examples : int
        N.
    epsilon : float
        Accuracy ε.
    as_printed : bool
        Whether to take the dissertation's number of bisections, ``⌈log2(1/ε)⌉``, with which its
        proof gives only ρ* - 5ε. The default ``⌈log2(2/ε)⌉`` gives the stated ρ* - 4ε (R1-X12).

    Examples
    --------
    >>> marginal_adaboost_bounds(100, 0.1, as_printed=True)
    MarginalAdaBoostBounds(rounds=923, searches=4, calls=4615, accuracy=0.5)
    """
    rounds = rounds_to_margin(n_examples, epsilon)
    width = 1.0 if as_printed else 2.0
    searches = math.ceil(math.log2(width / epsilon))
    factor = 5.0 if as_printed else 4.0
    return MarginalAdaBoostBounds(rounds, searches, rounds * (searches + 1), factor * epsilon)


def linear_l1_norm_bound(n_rounds: int, excess: float) -> Array:
    """``c t`` for t = 1, 2, …: the least ``Σα`` if edges are at least ϱ + c (R1-Q20, Lemma 2.1)."""
    check_number("n_rounds", n_rounds, at_least=1, integer=True)
    check_number("excess", excess, at_least=0.0)
    return excess * np.arange(1.0, n_rounds + 1.0)


def harmonic_l1_norm_bound(n_rounds: int, excess: float, target: float = 0.0) -> Array:
    """``c / (1 - ϱ²) Σ_{r≤t} 1/r`` for t = 1, 2, … (R1-Q20, Lemma 2.2).

    The least ``Σα`` if the edge of round r is at least ϱ + c/r, for ±1 hypotheses and ϱ ≥ 0
    (R1-C22). It grows without limit, so margins still reach ϱ although edges fall to it.
    """
    check_number("n_rounds", n_rounds, at_least=1, integer=True)
    check_number("excess", excess, at_least=0.0)
    check_number("target", target, at_least=0.0, below=1.0)
    return excess / (1.0 - target**2) * np.cumsum(1.0 / np.arange(1.0, n_rounds + 1.0))


class Regime(StrEnum):
    """Where the target margin ϱ lies (R1-Q20)."""

    BELOW = "target below the largest margin"
    """Σα grows without limit; all margins reach ϱ, and pass it as far as m(γ, ϱ)."""
    AT = "target at the largest margin"
    """Whether margins reach ϱ depends on how fast the edges fall to ϱ."""
    ABOVE = "target above the largest margin"
    """The run stops, or scores stay bounded; there is no guarantee for margins (R1-C25)."""
    OPEN = "target inside the bracket"
    """The bounds on the largest margin do not decide it yet."""


@dataclass(frozen=True)
class L1NormReport:
    """Growth of ``Σ|α|`` against its lower bounds (R1-Q20).

    Attributes
    ----------
    l1_norm : array
        ``Σ|α|`` after each round.
    excess : float
        c, the least of γ_t - ϱ_t: Lemma 2.1 holds with it if it is positive.
    linear : array
        c t, or 0 where c is not positive.
    harmonic_excess : float
        The least of t (γ_t - ϱ_t): Lemma 2.2 holds with it.
    harmonic : array or None
        Its bound; None for targets that vary or are negative.
    regime : Regime
        Where the last target lies.
    """

    l1_norm: Array
    excess: float
    linear: Array
    harmonic_excess: float
    harmonic: Array | None
    regime: Regime


def l1_norm_report(
    edges: Any, coef: Any, target: Any = 0.0, *, bracket: tuple[float, float] | None = None
) -> L1NormReport:
    """Compare the growth of ``Σα`` with Lemmas 2.1 and 2.2, and name the regime.

    See R1-Q20, R1-C21, R1-C22.

    The lemmas are about AdaBoost_ϱ's closed-form step; with a learning rate Σ|α| scales.

    Parameters
    ----------
    edges, coef : array
        Edges γ_t and coefficients α_t of the rounds.
    target : float or array
        Target margin ϱ, one for all rounds or one per round.
    bracket : tuple, optional
        Lower and upper bound on the largest margin ρ*, such as a certificate's; without it the
        regime is open.
    """
    gamma, alpha = vector("edges", edges, -1.0, 1.0), vector("coef", coef)
    rho = vector("target", target, -1.0, 1.0)
    rho = np.full(gamma.shape, rho[0]) if rho.size == 1 else rho
    same_length(edges=gamma, coef=alpha, target=rho)
    excess = float((gamma - rho).min())
    harmonic_excess = float((np.arange(1.0, len(gamma) + 1.0) * (gamma - rho)).min())
    constant = bool((rho == rho[0]).all()) and 0.0 <= rho[0] < 1.0
    return L1NormReport(
        l1_norm=np.cumsum(np.abs(alpha)),
        excess=excess,
        linear=linear_l1_norm_bound(len(gamma), max(excess, 0.0)),
        harmonic_excess=harmonic_excess,
        harmonic=harmonic_l1_norm_bound(len(gamma), max(harmonic_excess, 0.0), float(rho[0]))
        if constant
        else None,
        regime=target_regime(float(rho[-1]), bracket),
    )


def target_regime(
    target: float, bracket: tuple[float, float] | None, *, tol: float = 1e-9
) -> Regime:
    """Say where a target margin lies, given bounds on the largest margin (R1-Q20)."""
    if bracket is None:
        return Regime.OPEN
    lower, upper = bracket
    if target < lower - tol:
        return Regime.BELOW
    if target > upper + tol:
        return Regime.ABOVE
    return Regime.AT if upper - lower <= tol else Regime.OPEN


@dataclass(frozen=True)
class GapReport:
    """What a run says about the gap between smallest edge and largest margin (R1-Q28).

    Attributes
    ----------
    lower, upper : float
        Largest margin attained, smallest edge seen.
    proven : bool
        Whether the upper bound is a proof.
    statement : str
        What follows, in words.
    """

    lower: float
    upper: float
    proven: bool
    statement: str

    @property
    def gap(self) -> float:
        """Distance of the bounds; negative only where they are not proven."""
        return self.upper - self.lower


def gap_report(source: Any) -> GapReport:
    """Report the duality gap Γ = γ* - ρ* of a run, and whether it is proven (R1-Q28, R1-C53).

    Γ is never negative, and 0 for a finite set of hypotheses such as stumps on N examples
    (Thm B.1, B.2): then what is left between the bounds is work not done, not a true gap.

    Parameters
    ----------
    source : fitted estimator, Run or Certificate
        Whose bounds to read.
    """
    certificate = certificate_of(source)
    lower, upper = float(certificate.lower), float(certificate.upper)
    gap = f"{upper - lower:.3g}"
    if certificate.certified:
        statement = (
            f"proven: 0 <= Γ <= {gap}, because {certificate.reason}; for a finite set of "
            "hypotheses Γ = 0, and an algorithm that maximises the margin can close the rest"
        )
    else:
        statement = (
            f"not proven: {certificate.reason}, so edges larger than those seen may exist and "
            f"the difference {gap} of the bounds is an estimate"
        )
    return GapReport(lower, upper, bool(certificate.certified), statement)
