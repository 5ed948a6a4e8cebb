"""Bregman projections and algorithms (R1-A26 to R1-A31, R1-Q30, R1-Q32; eq. 3.10-3.23).

Problem, with 𝒢 the conjugate of a loss, summed over examples, and M a matrix:

    min_d  Δ_𝒢(d, d⁰)   s.t.   Mᵀ d = b,        Δ_𝒢(d, e) = 𝒢(d) - 𝒢(e) - <∇𝒢(e), d - e>.

Dual:  max_λ  <b, λ> - G(∇𝒢(d⁰) + Mλ) + G(∇𝒢(d⁰)),  G the loss: leveraging.

    loss          𝒢(d)                            domain     ∇𝒢(d)             usual d⁰
    squared       ½ d²                            all        d                 y
    exponential   d log d - d                     d > 0      log d             1
    logistic      d log d + (1 - d) log(1 - d)    (0, 1)     log(d / (1 - d))  ½

and the same for every other convex, smooth loss of the package: Bregman functions (R1-D01). With
M = -(y h_j(x_i)) for losses of a margin, M = -(h_j(x_i)) for those of a residual, and b = 0, the d
are the weights of boosting.

The projection onto one hyperplane <h, d> = b moves ∇𝒢(d) along h until the equation holds: an exact
coordinate step of the dual problem, with the multiplier λ as step (R1-C41, R1-C44). So the Bregman
algorithm is coordinate descent (``solvers/coordinate_descent.py``); its selection rules are the
cyclic and non-cyclic orders of hyperplanes (R1-A27, R1-A28), a share of a step is a projection onto
a parallel hyperplane (R1-A29), and AdaBoost is it with the entropy (R1-A31).

Parallel updates (R1-A30) change all multipliers in a pass, along the negative gradient, or along
the minimiser of an auxiliary function that bounds what all changes do together (Collins, Schapire &
Singer): for the exponential and logistic loss, with s the largest Σ_j |M_ij|, and W±_j the weight
that pulls multiplier j up and down,

    G(λ) - G(λ + δ)  >=  (1/s) Σ_j (√W+_j - √W-_j)²   at   δ_j = (1 / 2s) log(W+_j / W-_j).

A search along the direction does at least as well, and works for every loss.

Certificate: Δ(d̄, d) falls at every step for any feasible d̄ (R1-C43). Rate: as coordinate descent.

References: Bregman 1967; Collins, Schapire & Singer 2002; Rätsch 2001, section 3.2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core.state import Columns
from ..kernels.weights import weighted_sum
from ..losses import Exponential, Logistic, Loss, as_loss
from ..types import Array
from ..validation import check_choice, check_number
from .coordinate_descent import Chooser, CoordinateProblem, Descent, coordinate_descent
from .line_search import LONGEST

STEEPEST = 1.0 - 1e-9
"""Edge, as share of the weight, from which a column counts as right on every row."""


@dataclass(frozen=True)
class Projection:
    """A Bregman projection.

    Attributes
    ----------
    point : array
        Nearest point of the hyperplane.
    multiplier : float
        λ: ``∇𝒢(point) = ∇𝒢(d) + λ normal``.
    divergence : float
        ``Δ(point, d)``.
    """

    point: Array
    multiplier: float
    divergence: float


def bregman_project(
    d: Any, normal: Any, level: float = 0.0, loss: Loss | str = "exponential"
) -> Projection:
    """Project d onto the hyperplane <normal, x> = level, in the divergence of a loss (R1-A26).

    Parameters
    ----------
    d : array
        A point inside the domain of the loss's conjugate.
    normal : array
        Normal of the hyperplane, not 0.
    level : float
        The hyperplane's value.
    loss : Loss or str
        Whose conjugate makes the divergence: "squared", "exponential" (relative entropy),
        "logistic" (binary relative entropy), …

    Examples
    --------
    AdaBoost's new weights are the projection of the old ones onto those without edge (R1-A31,
    R1-V09):

    >>> found = bregman_project(np.ones(4), [1, 1, 1, -1])
    >>> found.point.round(4), round(found.multiplier, 6), round(found.divergence, 6)
    (array([0.5774, 0.5774, 0.5774, 1.7321]), -0.549306, 0.535898)
    """
    h = np.asarray(normal, dtype=float)
    if h.ndim != 1 or not np.isfinite(h).all() or not h.any():
        raise ValueError(f"normal: got {normal!r}, expected a finite vector that is not 0")
    problem = bregman_problem(loss, h[:, None], start=d, levels=level)
    step = problem.step(0, np.zeros(1), problem.offset)
    if np.isinf(step):
        raise ValueError(
            f"level: got {level!r}, expected one that the normal takes inside the domain: here the "
            "hyperplane meets at most its border (R1-D02)"
        )
    point = problem.risk.dual(problem.offset + step * problem.pool.columns[0])
    divergence = problem.risk.loss.divergence(point, np.asarray(d, dtype=float))
    return Projection(point, step, float(divergence.sum()))


def bregman_problem(
    loss: Loss | str, matrix: Any, *, start: Any = None, levels: Any = 0.0
) -> CoordinateProblem:
    """Dual of the projection onto ``matrixᵀ d = levels``, as a problem for coordinate descent.

    Scores are ``-∇𝒢(d)``, so that multipliers are coefficients, and weights are d. ``start`` is d⁰,
    None the weights of the scores 0.
    """
    loss = as_loss("loss", loss)
    M = np.asarray(matrix, dtype=float)
    label = 1.0 if loss.orientation < 0 else 0.0
    if start is None:
        offset = np.zeros(len(M))
    else:
        d = np.broadcast_to(np.asarray(start, dtype=float), len(M))
        with np.errstate(divide="ignore", invalid="ignore"):
            offset = -loss.orientation * loss.inverse(d)
        if not np.isfinite(offset).all():
            raise ValueError(f"start: got {start!r}, expected a point inside the loss's domain")
    y = np.full(len(M), label)
    return CoordinateProblem.of(loss, -M, y, linear=-np.asarray(levels, dtype=float), offset=offset)


def bregman_algorithm(
    loss: Loss | str,
    matrix: Any,
    selection: str | Chooser = "cyclic",
    *,
    start: Any = None,
    levels: Any = 0.0,
    **settings: Any,
) -> Descent:
    """Project onto the hyperplanes ``matrixᵀ d = levels`` one after the other (R1-A27 to R1-A29).

    Parameters
    ----------
    loss : Loss or str
        Whose conjugate makes the divergence.
    matrix : array (n, m)
        Normals of the hyperplanes, one per column.
    selection : str or callable
        Which one is next: see :func:`~marginboost.solvers.coordinate_descent.coordinate_descent`.
        "gauss-southwell" is the hyperplane that is violated most.
    start : array, optional
        d⁰.
    levels : float or array
        b.
    **settings
        Of the descent: ``share`` below 1 makes projections approximate.

    Returns
    -------
    Descent
        ``weights`` is d, ``coef`` are the multipliers.
    """
    problem = bregman_problem(loss, matrix, start=start, levels=levels)
    return coordinate_descent(problem, selection, **settings)


@dataclass(frozen=True)
class ParallelDescent:
    """What parallel updates did.

    Attributes
    ----------
    coef, scores, weights : array
        As in :class:`~marginboost.solvers.coordinate_descent.Descent`.
    values : array
        Objective before the first pass and after every pass.
    bounds : array or None
        What the auxiliary function promised for every pass, where there is one.
    """

    coef: Array
    scores: Array
    weights: Array
    values: Array
    bounds: Array | None


def parallel_descent(
    problem: CoordinateProblem,
    direction: str = "auxiliary",
    *,
    search: bool = True,
    start: Array | None = None,
    max_passes: int = 1000,
    tol: float = 1e-10,
) -> ParallelDescent:
    """Change all coefficients at once, pass after pass (R1-A30).

    Parameters
    ----------
    problem : CoordinateProblem
        What to minimise; "auxiliary" needs γ = 0.
    direction : {"auxiliary", "gradient"}
        ``½ log(W+/W-)`` for every column, or the negative gradient.
    search : bool
        Whether to go as far as is best, or, for the exponential and logistic loss and the first
        direction, by the step that the auxiliary function proves.
    start : array, optional
        First coefficients.
    max_passes : int
        Most passes.
    tol : float
        Largest entry of the projected gradient at which to stop.
    """
    check_choice("direction", direction, ("auxiliary", "gradient"))
    check_number("max_passes", max_passes, at_least=0, integer=True)
    check_number("tol", tol, at_least=0.0)
    proven = direction == "auxiliary" and isinstance(problem.risk.loss, Exponential | Logistic)
    if direction == "auxiliary" and problem.linear.any():
        raise ValueError("direction: got 'auxiliary', expected 'gradient' with a linear term")
    if not (search or proven):
        raise ValueError(
            "search: got False, expected True: only the exponential and logistic loss with "
            "direction='auxiliary' have a step that is proven"
        )
    coef = problem.origin if start is None else np.array(start, dtype=float)
    scores = problem.scores(coef)
    values, bounds = [problem.value(coef, scores)], []
    for _ in range(max_passes):
        weights = problem.risk.dual(scores)
        move = -problem.projected(problem.linear - problem.pool.edges(weights), coef)
        if np.abs(move).max() <= tol:
            break
        if direction == "auxiliary":
            move, promised = _auxiliary_move(problem, coef, weights, move)
            bounds.append(values[-1] - promised)
        coef = _slide(problem, coef, scores, move) if search else coef + move
        scores = problem.scores(coef)
        values.append(problem.value(coef, scores))
    found = np.array(bounds) if proven else None
    return ParallelDescent(coef, scores, problem.risk.dual(scores), np.array(values), found)


def _auxiliary_move(
    problem: CoordinateProblem, coef: Array, weights: Array, edges: Array
) -> tuple[Array, float]:
    """Minimiser of the auxiliary function inside the box, and the decrease that it promises.

    With ``reach`` the W+ and W- of a column together, ``½ log(W+ / W-) = artanh(edge / reach)``.
    """
    spread, reach = _spread(problem.pool), _reach(problem.pool, weights)
    share = np.divide(edges, reach, out=np.zeros(len(edges)), where=reach > 0.0)
    move = np.arctanh(np.clip(share, -STEEPEST, STEEPEST)) / spread
    move = np.clip(move, problem.low - coef, problem.high - coef)
    up, down = 0.5 * (reach + edges), 0.5 * (reach - edges)
    gain = -up * np.expm1(-spread * move) - down * np.expm1(spread * move)
    return move, float(gain.sum()) / spread


def _spread(pool: Columns) -> float:
    """``max_i Σ_j |h_j(x_i)|``."""
    if pool.columns.dtype == np.int8:
        return float(len(pool))
    return float(np.abs(pool.columns).sum(axis=0).max())


def _reach(pool: Columns, weights: Array) -> Array:
    """``Σ_i |d_i h_j(x_i)|``, the largest edge that each column could have: W+ and W- together."""
    sizes = np.abs(weights)
    if pool.columns.dtype == np.int8:
        return np.full(len(pool), weighted_sum(sizes, np.ones(len(sizes))))
    return np.array([weighted_sum(sizes, np.abs(column)) for column in pool.columns])


def _slide(problem: CoordinateProblem, coef: Array, scores: Array, move: Array) -> Array:
    """Go the best way along a move; a coefficient that meets the box stays there, the others go on.

    Without that, one coefficient near its limit would hold up all.
    """
    coef, move = coef.copy(), move.copy()
    while move.any():
        room = np.where(move < 0.0, problem.low - coef, problem.high - coef)
        ratios = np.divide(room, move, out=np.full(len(move), np.inf), where=move != 0.0)
        price, along = float(problem.linear @ move), problem.pool.combine(move)
        nearest = float(ratios.min())
        step = problem.risk.best_step(scores, along, price, 0.0, nearest)
        if np.isinf(step):
            step = LONGEST / float(np.abs(move).max())
        coef = np.clip(coef + step * move, problem.low, problem.high)
        if step < nearest:
            break
        scores = scores + step * along
        coef[ratios == nearest] = np.where(move < 0.0, problem.low, problem.high)[ratios == nearest]
        move[ratios == nearest] = 0.0
    return coef
