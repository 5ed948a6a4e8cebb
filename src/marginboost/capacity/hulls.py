"""Capacity measured by covers, and the p-convex hulls that make it a dial (Barnes 1999, chapter 2).

A class is small at the scale ε if a few of its members are within ε of all others on the sample.
Votes with ``Σ |α_i|^p ≤ 1`` are the p-convex hull of the base hypotheses; hulls are nested, and
their covering numbers grow with p, so that p controls capacity as a VC dimension does.

See BA-Q11 to BA-Q16, BA-Q22, BA-Q27, BA-P8, BA-P23, BA-P25.
"""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

from ..diagnostics.arrays import outcome_matrix, vector
from ..solvers.p_hull import p_norm
from ..types import Array
from ..validation import check_number
from .bound import FIXED_CLASS, OPEN_CONSTANT, Assumption, Bound, excess_bound

ON_HULL = 1e-9
"""Rounding within which a vote is on the surface of a hull."""


def sup_distance(first: Any, second: Any) -> float:
    """``max_i |u(x_i) - v(x_i)|`` of two functions restricted to a sample (BA-Q11)."""
    u, v = vector("first", first), vector("second", second)
    if len(u) != len(v):
        raise ValueError(f"second: got {len(v)} values, expected {len(u)}")
    return float(np.abs(u - v).max())


def covering_number(outcomes: Any, epsilon: float, *, exact: bool = True) -> int:
    """Least number of hypotheses that are nearer than ε to all others on the sample (BA-Q12).

    The print takes a supremum over covers, which would be the whole class; the least is meant.

    Parameters
    ----------
    outcomes : array of shape (n_examples, n_hypotheses)
        Outputs of the class on a sample.
    epsilon : float
        The scale; distances are the largest over the examples, and must be below it.
    exact : bool
        Whether to solve the covering problem by integer programming; otherwise each member is the
        one that covers most, and the result an upper bound.

    Examples
    --------
    >>> covering_number([[0.0, 0.4, 0.8, 1.2]], 0.5)
    2
    """
    check_number("epsilon", epsilon, above=0.0)
    distinct = np.unique(outcome_matrix(outcomes), axis=1)
    near = np.abs(distinct[:, :, None] - distinct[:, None, :]).max(axis=0) < epsilon
    if not exact:
        return _greedy_cover(near)
    n = len(near)
    solved = milp(
        np.ones(n),
        constraints=LinearConstraint(near.astype(np.float64), lb=1.0),
        integrality=np.ones(n),
        bounds=Bounds(0.0, 1.0),
    )
    if solved.x is None:
        raise RuntimeError(f"outcomes: the covering problem was not solved ({solved.message})")
    return round(float(solved.fun))


def _greedy_cover(near: Array) -> int:
    uncovered, members = np.ones(len(near), dtype=bool), 0
    while uncovered.any():
        uncovered &= ~near[np.argmax(near[:, uncovered].sum(axis=1))]
        members += 1
    return members


def uniform_covering_number(outcomes: Any, epsilon: float, n_points: int) -> int:
    """Largest covering number over samples of m rows of a finite domain (BA-Q13), by enumeration.

    More rows only separate hypotheses further, so repeated rows never help.
    """
    rows = outcome_matrix(outcomes)
    check_number("n_points", n_points, at_least=1, integer=True)
    size = min(n_points, len(rows))
    chosen = combinations(range(len(rows)), size)
    return max(covering_number(rows[list(few)], epsilon) for few in chosen)


def covering_bound(
    n_examples: int,
    covering: float,
    margin_risk: float = 0.0,
    *,
    delta: float = 0.05,
) -> Bound:
    """Bound on the error by the share of margins up to γ and covers at γ/2 (BA-Q14, Thm 3).

    ``R ≤ R^γ + √((8/m) ln(2 N(γ/2, 2m) / δ))``, for γ fixed beforehand below ½.

    Parameters
    ----------
    n_examples : int
        m.
    covering : float
        Uniform covering number at the scale γ/2 of samples of 2m points.
    margin_risk : float
        Share of the sample with margin at most γ.
    delta : float
        Probability δ of failure.

    Examples
    --------
    >>> round(covering_bound(1000, 1e6), 5)
    0.37421
    """
    check_number("covering", covering, at_least=1.0)
    return _covering_bound(n_examples, math.log(covering), margin_risk, delta, "BA-Q14")


def _covering_bound(
    n: int, log_covering: float, margin_risk: float, delta: float, source: str, *needed: Assumption
) -> Bound:
    check_number("n_examples", n, at_least=1)
    check_number("margin_risk", margin_risk, at_least=0.0, at_most=1.0)
    check_number("delta", delta, above=0.0, below=1.0)
    excess = math.sqrt(8.0 / n * (math.log(2.0) + log_covering - math.log(delta)))
    fixed = Assumption("the margin was fixed before the sample was seen")
    return excess_bound(
        "covering number",
        source,
        margin_risk,
        excess,
        delta,
        FIXED_CLASS,
        fixed,
        *needed,
        risk_name="margin risk",
    )


# -- hulls ------------------------------------------------------------------------------------


def hull_norm(coef: Any, p: float) -> float:
    """``(Σ |α_i|^p)^(1/p)`` of a vote, for any p > 0; a norm from 1 on (BA-Q15).

    >>> hull_norm([0.25, 0.25], 0.5)
    1.0
    """
    check_number("p", p, above=0.0)
    return p_norm(vector("coef", coef), p)


def in_hull(coef: Any, p: float) -> bool:
    """Whether a vote is in the p-convex hull of its hypotheses, ``Σ |α_i|^p ≤ 1`` (BA-Q15)."""
    return hull_norm(coef, p) <= 1.0 + ON_HULL


def onto_hull(coef: Any, p: float) -> Array:
    """Scale a vote onto the surface of another hull, ``α / ‖α‖_p`` (BA-Q27, eq. 4.15, 4.16).

    It predicts the same; what differs is which votes were searched (BA-P19).
    """
    alpha, norm = vector("coef", coef), hull_norm(coef, p)
    if norm == 0.0:
        raise ValueError("coef: got only zeros, expected a vote")
    return alpha / norm


def hull_log2_covering(
    p: float, vc_dimension: float, epsilon: float, *, constant: float = 1.0
) -> float:
    """Binary logarithm of the covering number of a p-convex hull, in order (BA-Q16, Thm 4).

    ``c(p) d (1/ε)^(2p/(2-p)) log₂(1/ε)`` for 0 < p < 2, where d is the exponent of the base class.
    The theorem does not give c(p).

    >>> [round(hull_log2_covering(p, 2, 0.25), 4) for p in (0.5, 1, 1.5)]
    [10.0794, 64.0, 16384.0]
    """
    check_number("p", p, above=0.0, below=2.0)
    check_number("vc_dimension", vc_dimension, above=0.0)
    check_number("epsilon", epsilon, above=0.0, below=1.0)
    check_number("constant", constant, above=0.0)
    power = 2.0 * p / (2.0 - p)
    return constant * vc_dimension * epsilon**-power * math.log2(1.0 / epsilon)


def hull_bound(
    n_examples: int,
    p: float,
    vc_dimension: float,
    gamma: float,
    margin_risk: float = 0.0,
    *,
    constant: float = 1.0,
    delta: float = 0.05,
    printed: bool = False,
) -> Bound:
    """Bound for votes in a p-convex hull, by margins up to γ (BA-Q22, Thm 12).

    :func:`covering_bound` with :func:`hull_log2_covering` at γ/2. As printed (eq. 4.2) a factor
    ln 2 and a summand 1 are missing (BA-X15), which makes it larger.

    >>> [round(hull_bound(1000, p, 2, 0.5), 4) for p in (0.5, 1, 1.5)]
    [0.2922, 0.62, 9.5332]
    >>> round(hull_bound(1000, 0.5, 2, 0.5, printed=True), 5)
    0.33943
    """
    check_number("gamma", gamma, above=0.0, at_most=1.0)
    bits = hull_log2_covering(p, vc_dimension, gamma / 2.0, constant=constant)
    if not printed:
        logarithm = bits * math.log(2.0)
        return _covering_bound(n_examples, logarithm, margin_risk, delta, "BA-Q22", OPEN_CONSTANT)
    check_number("n_examples", n_examples, at_least=1)
    check_number("delta", delta, above=0.0, below=1.0)
    excess = math.sqrt(8.0 / n_examples * (bits - math.log2(delta)))
    needed = (FIXED_CLASS, OPEN_CONSTANT)
    return excess_bound("p-convex hull, as printed", "BA-Q22", margin_risk, excess, delta, *needed)
