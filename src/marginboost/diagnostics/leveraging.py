"""Leveraging as optimisation: edges, progress, selection, rates, finiteness (R1-Q31 to R1-Q37).

Chapter 3 of Rätsch 2001. A problem is a :class:`~marginboost.solvers.CoordinateProblem`: a loss of
``f = Σ_j α_j h_j`` plus a linear term <γ, α>; its descents record what is read here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..losses import Loss, as_loss
from ..solvers.coordinate_descent import CoordinateProblem, Descent
from ..types import Array
from ..validation import check_choice, check_number
from .arrays import outcome_matrix, same_length, vector

ROUNDING = 1e-9
"""Value of the linear program of R1-Q37 below which it is 0."""


def descent_edges(problem: CoordinateProblem, coef: Any) -> Array:
    """``Σ_i d_i h_j(x_i) - γ_j = -∂F/∂α_j`` of every hypothesis (R1-Q31, eq. 3.31).

    At the optimum all are 0 (none is above 0, where coefficients must not be negative).

    Examples
    --------
    >>> problem = CoordinateProblem.of("squared", np.eye(2), [3.0, 1.0])
    >>> descent_edges(problem, [1.0, 1.0])
    array([2., 0.])
    """
    alpha = vector("coef", coef)
    if len(alpha) != len(problem.pool):
        raise ValueError(f"coef: got {len(alpha)} numbers, expected {len(problem.pool)}")
    return 0.0 - problem.gradient(problem.scores(alpha))


@dataclass(frozen=True)
class ProgressTerms:
    """Both sides of the progress identity (R1-Q32, eq. 3.19).

    Attributes
    ----------
    loss : float
        ``G(z) - G(z')``, by which the loss fell.
    divergence : float
        ``Δ(0, d) - Δ(0, d')``: the same number.
    moved : float
        ``Δ(d', d)``, how far the weights moved.
    remaining : float
        ``-λ <d', h>``: the same number again less ``moved``; 0 where the projection was exact.
    """

    loss: float
    divergence: float
    moved: float
    remaining: float


def progress_terms(
    d: Any, normal: Any, step: float, loss: Loss | str = "exponential"
) -> ProgressTerms:
    """Measure what moving ``∇𝒢(d)`` by ``step`` times a normal does (R1-Q32, R1-C43).

    Parameters
    ----------
    d : array
        Weights inside the domain of the loss's conjugate.
    normal : array
        h of the hyperplane <h, d> = 0.
    step : float
        λ; that of the exact projection, or any other.
    loss : Loss or str
        Convex and smooth, with a conjugate that is finite at 0.

    Examples
    --------
    >>> terms = progress_terms([1.0, 1.0, 1.0, 1.0], [-1, -1, -1, 1], 0.5 * np.log(3))
    >>> round(terms.loss, 6), round(terms.divergence, 6), round(terms.moved, 6)
    (0.535898, 0.535898, 0.535898)
    """
    loss = as_loss("loss", loss)
    before, h = vector("d", d), vector("normal", normal)
    same_length(d=before, normal=h)
    sign = loss.orientation
    z = sign * loss.inverse(before)
    after = loss.dual(sign * (z + step * h))
    values = [float(loss.value(sign * at).sum()) for at in (z, z + step * h)]
    nothing = np.zeros(len(before))
    far, near = (float(loss.divergence(nothing, at).sum()) for at in (before, after))
    moved = float(loss.divergence(after, before).sum())
    return ProgressTerms(values[0] - values[1], far - near, moved, -step * float(after @ h))


@dataclass(frozen=True)
class AuxiliaryFunctions:
    """How far weights are from the optimum (R1-Q33, eq. 3.20, 3.22); both are 0 exactly there.

    Attributes
    ----------
    improvement : float
        𝒜^Δ, sum of the decreases of all single steps.
    gradient : float
        𝒜^∇, length of the projected gradient.
    """

    improvement: float
    gradient: float


def auxiliary_functions(problem: CoordinateProblem, coef: Any) -> AuxiliaryFunctions:
    """Measure the distance from the optimum by what single steps can do (R1-Q33, R1-D03)."""
    alpha = vector("coef", coef)
    scores = problem.scores(alpha)
    slopes = problem.projected(problem.gradient(scores), alpha)
    decreases = problem.steps(alpha, scores)[1]
    return AuxiliaryFunctions(float(decreases.sum()), float(np.linalg.norm(slopes)))


def progress_bound(slope: float, curvature: float) -> float:
    """``q'(x)² / (4 L)``: least decrease of an exact step, second derivatives at most L.

    See R1-C52, R1-X24.

    True with 2 L in the denominator, too; the lemma as printed gives away a factor.
    """
    check_number("curvature", curvature, above=0.0)
    return slope**2 / (4.0 * curvature)


@dataclass(frozen=True)
class SelectionQuality:
    """The worst step of a descent, by each condition (R1-Q34, R1-D04, R1-D05).

    Attributes
    ----------
    slope : float
        δ of the gradient condition.
    decrease : float
        δ of the improvement condition.
    step : float
        β of (3.28).
    """

    slope: float
    decrease: float
    step: float


def selection_quality(descent: Descent) -> SelectionQuality:
    """Return δ and β that a descent kept, if it was run with ``measure=True`` (R1-Q34)."""
    shares = (descent.slope_share, descent.decrease_share, descent.step_share)
    if any(share is None for share in shares):
        raise ValueError("descent: got one without shares, expected one run with measure=True")
    least = [float(np.min(share, initial=1.0)) for share in shares if share is not None]
    return SelectionQuality(*least)


def implied_step_quality(
    delta: float, low: float, high: float, condition: str = "gradient"
) -> float:
    """β of (3.28) that δ implies, with second derivatives in [low, high] (R1-Q35, Prop. 3.3, 3.4).

    Parameters
    ----------
    delta : float
        δ in (0, 1].
    low, high : float
        η_l and η_u.
    condition : {"gradient", "improvement"}
        Which condition δ is of.

    Examples
    --------
    >>> implied_step_quality(0.5, 1.0, 2.0)
    0.25
    """
    check_number("delta", delta, above=0.0, at_most=1.0)
    check_number("low", low, above=0.0)
    check_number("high", high, at_least=low)
    check_choice("condition", condition, ("gradient", "improvement"))
    if condition == "gradient":
        return delta * low / high
    return math.sqrt(delta * low**3 / (2.0 * high**3))


@dataclass(frozen=True)
class LinearRate:
    """How fast values approach the optimum (R1-Q36, Thm 3.3).

    Attributes
    ----------
    ratios : array
        ``(F_{t+1} - F*) / (F_t - F*)``.
    worst : float
        The largest of them.
    fitted : float
        Factor per step of the line through the logarithms of ``F_t - F*``, over the second half.
    """

    ratios: Array
    worst: float
    fitted: float


def linear_rate(values: Any, optimum: float, *, floor: float = 1e-12) -> LinearRate:
    """Estimate a linear rate from values (R1-Q36).

    Parameters
    ----------
    values : array
        F after each step, such as ``Descent.values``.
    optimum : float
        F*, from elsewhere.
    floor : float
        Distances below this share of the first are rounding, and left out.

    Examples
    --------
    >>> round(linear_rate(0.5 ** np.arange(20.0), 0.0).fitted, 6)
    0.5
    """
    gaps = vector("values", values) - optimum
    rounding = np.flatnonzero(gaps <= floor * gaps[0])
    gaps = gaps[: rounding[0]] if rounding.size else gaps
    if len(gaps) < 4:
        raise ValueError(f"values: got {len(gaps)} above the optimum, expected at least 4")
    ratios = gaps[1:] / gaps[:-1]
    late = np.arange(len(gaps) // 2, len(gaps))
    slope = np.polyfit(late, np.log(gaps[late]), 1)[0]
    return LinearRate(ratios, float(ratios.max()), float(np.exp(slope)))


def has_finite_minimiser(outcomes: Any, *, signed: bool = True) -> bool:
    """Whether the exponential and logistic loss have only finite minimisers (R1-Q37).

    They have, unless a combination is wrong nowhere and right somewhere: ``Uα >= 0``, ``Uα != 0``.
    One linear program: the largest Σ_i (Uα)_i with ``Uα >= 0`` and ``abs(α_j) <= 1`` is 0. Data
    that are not separable need not have finite minimisers (R1-V12).

    Parameters
    ----------
    outcomes : array (n_examples, n_hypotheses)
        ``U[i, j] = y_i h_j(x_i)``.
    signed : bool
        Whether coefficients may be negative, as in a class with the negatives of its hypotheses.

    Examples
    --------
    >>> has_finite_minimiser([[1.0], [1.0], [-1.0]])
    True
    >>> has_finite_minimiser([[1.0, 1.0], [1.0, 0.0], [-1.0, 0.0]])
    False
    """
    from scipy.optimize import linprog  # here, not above: half a second at import

    U = outcome_matrix(outcomes)
    found = linprog(
        -U.sum(axis=0),
        A_ub=-U,
        b_ub=np.zeros(len(U)),
        bounds=(-1.0 if signed else 0.0, 1.0),
        method="highs",
    )
    if not found.success:
        raise RuntimeError(f"the linear program was not solved: {found.message}")
    return bool(-found.fun <= ROUNDING * max(1.0, float(np.abs(U).max())))
