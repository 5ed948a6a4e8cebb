"""Barrier optimisation (R1-A16 to R1-A18, R1-Q27; eq. 2.15-2.21, B.1-B.6, Table B.2; R2-C27).

Problem:  min g(θ)  s.t.  c_n(θ) >= 0,   g convex, c_n concave.

Barrier function, minimised for a falling temperature β from where the last minimisation ended:

    F_β(θ) = g(θ) + Σ_n κ_β(c_n(θ))          κ_β(t)        multiplier -κ'
        logarithmic (inside only)            -β log t      β / t
        entropic (inside only)               β t log t     -β (1 + log t)
        exponential (anywhere)               β exp(-t/β)   exp(-t / β)

Table B.2 prints the entropic barrier with a minus sign, which is not convex (R1-X21). Minimising
each F_β until its gradient is below β is enough: every limit point solves the problem (Prop. B.1).

The margin problem (2.15) has its own function: ρ is eliminated, and what remains is smooth in α.
Arc-GV is that method with β = 1 / Σα, one coordinate per step; AdaBoost_ϱ with a fixed ϱ (2.20).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import logsumexp, softmax

from ..types import Array
from ..validation import check_choice, check_number

Barrier = Callable[[Array, float], tuple[Array, Array, Array]]
"""From values of the constraints and β to κ, -κ' and κ''; only called inside its domain."""


def _logarithmic(c: Array, beta: float) -> tuple[Array, Array, Array]:
    return -beta * np.log(c), beta / c, beta / c**2


def _entropic(c: Array, beta: float) -> tuple[Array, Array, Array]:
    return beta * c * np.log(c), -beta * (1.0 + np.log(c)), beta / c


def _exponential(c: Array, beta: float) -> tuple[Array, Array, Array]:
    with np.errstate(over="ignore"):
        force = np.exp(-c / beta)
    return beta * force, force, force / beta


BARRIERS: dict[str, Barrier] = {
    "log": _logarithmic,
    "entropic": _entropic,
    "exponential": _exponential,
}
INTERIOR = ("log", "entropic")
"""Barriers that exist only where all constraints hold."""
BOTTOM = 1e12
"""Depth at which a problem counts as unbounded."""
MOST_STEPS = 1000
"""Most steps of one inner minimisation."""

Valued = Callable[[Array], tuple[float, Array]]
Constrained = Callable[[Array], tuple[Array, Array]]


def projected_gradient(gradient: Array, coef: Array) -> Array:
    """Gradient under ``coef >= 0``: at 0 only its negative part counts.

    See footnote 11, R2-Q11, R1-Q27.

    It vanishes exactly at a minimum; its largest absolute entry is the violation of optimality.

    >>> projected_gradient(np.array([1.0, -1.0, 2.0]), np.array([0.0, 0.0, 0.5]))
    array([ 0., -1.,  2.])
    """
    return np.where(coef > 0.0, gradient, np.minimum(gradient, 0.0))


@dataclass(frozen=True)
class BarrierSolution:
    """Where a barrier method ended.

    Attributes
    ----------
    point : array
        θ.
    value : float
        g(θ), without the barrier.
    constraints : array
        c_n(θ): with the exponential barrier they may be slightly negative.
    multipliers : array
        Estimates -κ'(c_n) of the multipliers; they become exact as β goes to 0.
    temperature : float
        Last β.
    residual : float
        Norm of the gradient of F_β at the end.
    """

    point: Array
    value: float
    constraints: Array
    multipliers: Array
    temperature: float
    residual: float


def barrier_minimize(
    objective: Valued,
    constraints: Constrained,
    start: Array,
    *,
    kind: str = "exponential",
    hessian: Callable[[Array], Array] | None = None,
    beta0: float = 1.0,
    factor: float = 0.5,
    tol: float = 1e-6,
) -> BarrierSolution:
    """Minimise a convex function under constraints by a sequence of barrier functions.

    Parameters
    ----------
    objective : callable
        Value and gradient of g at a point.
    constraints : callable
        Values c_n, all to be nonnegative, and their gradients, one per row.
    start : array
        First point; strictly inside for the logarithmic and entropic barrier.
    kind : {"exponential", "log", "entropic"}
        The barrier.
    hessian : callable, optional
        Second derivatives of g; None where g is linear. Those of the constraints are left out,
        which is exact for affine ones and costs others only steps.
    beta0 : float
        First temperature.
    factor : float
        By which it falls, in (0, 1).
    tol : float
        Temperature at which to stop. The run ends earlier where rounding keeps the gradient from
        falling below β: soon for the entropic barrier, which holds an active constraint with
        multiplier λ at the distance ``exp(-1 - λ / β)``.

    Returns
    -------
    BarrierSolution

    Examples
    --------
    The point of the half-plane ``x + y >= 1`` nearest to the origin, from a start outside it:

    >>> solution = barrier_minimize(
    ...     lambda x: (float(x @ x) / 2, x),
    ...     lambda x: (np.array([x.sum() - 1]), np.ones((1, 2))),
    ...     np.zeros(2),
    ...     hessian=lambda x: np.eye(2),
    ... )
    >>> solution.point.round(4), solution.multipliers.round(4)
    (array([0.5, 0.5]), array([0.5]))
    """
    check_choice("kind", kind, BARRIERS)
    check_number("beta0", beta0, above=0.0)
    check_number("factor", factor, above=0.0, below=1.0)
    check_number("tol", tol, above=0.0)
    point, beta = np.array(start, dtype=np.float64), beta0
    problem = _BarrierProblem(objective, constraints, hessian, kind)
    problem.check_start(point, beta)
    point, residual = problem.minimise(point, beta)
    if not residual <= beta:
        raise RuntimeError(f"the barrier was not minimised at beta0: its gradient is {residual:g}")
    while beta > tol:
        colder = max(factor * beta, tol)
        trial, rest = problem.minimise(point, colder)
        if not rest <= colder:
            break  # colder than double precision can follow
        point, beta, residual = trial, colder, rest
    values, _ = constraints(point)
    multipliers = np.maximum(BARRIERS[kind](values, beta)[1], 0.0)
    return BarrierSolution(point, objective(point)[0], values, multipliers, beta, residual)


@dataclass(frozen=True)
class _BarrierProblem:
    """F_β with its derivatives."""

    objective: Valued
    constraints: Constrained
    curvature: Callable[[Array], Array] | None
    kind: str

    def check_start(self, point: Array, beta: float) -> None:
        values, _ = self.constraints(point)
        worst = int(np.argmin(values))
        if self.kind in INTERIOR and not values[worst] > 0.0:
            raise ValueError(
                f"start: constraint {worst} has the value {values[worst]:g}, expected all above 0 "
                f'(the {self.kind} barrier begins inside; kind="exponential" need not)'
            )
        if not np.isfinite(self.value(point, beta)[0]):
            raise ValueError(
                f"beta0: got {beta!r}, at which the barrier of constraint {worst} (value "
                f"{values[worst]:g}) is infinite, expected a larger one or a start nearer to the "
                "feasible set"
            )

    def minimise(self, point: Array, beta: float) -> tuple[Array, float]:
        """Newton's method with halved steps, until the gradient is below β; its norm there."""
        for _ in range(MOST_STEPS):
            value, gradient = self.value(point, beta)
            residual = float(np.linalg.norm(gradient))
            if residual <= beta:
                break
            if value < -BOTTOM:
                raise RuntimeError(f"the objective has no lower bound: it has fallen to {value:g}")
            hessian = self.hessian(point, beta)
            hessian[np.diag_indices(len(point))] += 1e-12 * (1.0 + np.trace(hessian))
            move = -np.linalg.solve(hessian, gradient)
            slope = float(gradient @ move)
            step = 1.0
            while self.value(point + step * move, beta)[0] > value + 0.1 * step * slope:
                step *= 0.5
            if step < 1e-16:  # rounding: no better point can be told from this one
                break
            point = point + step * move
        return point, residual

    def value(self, point: Array, beta: float) -> tuple[float, Array]:
        """F_β and its gradient; infinite where the barrier is, or does not exist."""
        value, gradient = self.objective(point)
        c, jacobian = self.constraints(point)
        barrier, force, _ = self._barrier(c, beta)
        if not np.isfinite(barrier).all():
            return np.inf, np.zeros(len(point))
        return value + float(barrier.sum()), gradient - force @ jacobian

    def hessian(self, point: Array, beta: float) -> Array:
        c, jacobian = self.constraints(point)
        curvature = self._barrier(c, beta)[2]
        own = 0.0 if self.curvature is None else self.curvature(point)
        return own + (jacobian.T * curvature) @ jacobian

    def _barrier(self, c: Array, beta: float) -> tuple[Array, Array, Array]:
        if self.kind in INTERIOR and not (c > 0.0).all():
            outside = np.full(len(c), np.inf)
            return outside, outside, outside
        return BARRIERS[self.kind](c, beta)


# -- the margin problem --------------------------------------------------------------------------


@dataclass(frozen=True)
class BarrierMargin:
    """Where the barrier method for the margin problem ended.

    Attributes
    ----------
    coef : array
        α, summing to one.
    weights : array
        Multipliers ``exp((ρ_β - ρ_n) / β)`` (2.19): a distribution.
    lower, upper : float
        Smallest margin of ``coef`` and largest edge of ``weights``: ρ* is between them.
    path : array (n_temperatures, 4)
        For every temperature β, ρ_β, smallest margin and largest edge.
    """

    coef: Array
    weights: Array
    lower: float
    upper: float
    path: Array


def smoothed_margin(margins: Array, beta: float) -> float:
    """``ρ_β = -β log Σ_n exp(-ρ_n / β)``, the best ρ of (2.16): at most β log N below the smallest.

    >>> round(smoothed_margin(np.array([0.1, 0.5, 0.6]), 0.05), 4)
    0.1
    """
    return -beta * float(logsumexp(-margins / beta))


def barrier_margin(
    outcomes: Array,
    target: float | None = None,
    *,
    beta0: float = 1.0,
    factor: float = 0.5,
    tol: float = 1e-4,
) -> BarrierMargin:
    """Largest minimum margin over given hypotheses by the exponential barrier (R1-A16, R1-A17).

    Minimises ``-ρ_β(α)`` over α >= 0 for falling β, until the projected gradient is below β.

    Parameters
    ----------
    outcomes : array (n_examples, n_hypotheses)
        ``U[i, j] = y_i h_j(x_i)``.
    target : float, optional
        Ask only whether all margins can exceed it (2.20), and stop when that is answered: yes if
        ``lower > target``, no if ``upper <= target``.
    beta0, factor : float
        First temperature, and by which it falls.
    tol : float
        Gap between the bounds at which to stop.

    Returns
    -------
    BarrierMargin

    Examples
    --------
    Each of four hypotheses errs on one example (R1-V03):

    >>> solution = barrier_margin(np.ones((4, 4)) - 2 * np.eye(4))
    >>> round(solution.lower, 3), round(solution.upper, 3)
    (0.5, 0.5)
    """
    outcomes = np.asarray(outcomes, dtype=np.float64)
    if outcomes.ndim != 2 or 0 in outcomes.shape or not np.isfinite(outcomes).all():
        raise ValueError(
            f"outcomes: got shape {outcomes.shape}, expected a finite matrix with at least one row "
            "(example) and one column (hypothesis)"
        )
    check_number("beta0", beta0, above=0.0)
    check_number("factor", factor, above=0.0, below=1.0)
    check_number("tol", tol, above=0.0)
    coef, beta, path = np.full(outcomes.shape[1], 1.0 / outcomes.shape[1]), beta0, []
    while True:
        coef = _largest_smoothed_margin(outcomes, coef, beta)
        margins = outcomes @ coef
        weights = softmax(-margins / beta)
        lower, upper = float(margins.min()), float((weights @ outcomes).max())
        path.append((beta, smoothed_margin(margins, beta), lower, upper))
        answered = target is not None and (lower > target or upper <= target)
        if answered or upper - lower <= tol or beta < 1e-3 * tol:
            return BarrierMargin(coef, weights, lower, upper, np.array(path))
        beta *= factor


def _largest_smoothed_margin(outcomes: Array, start: Array, beta: float) -> Array:
    """Maximise ρ_β over α >= 0 with sum one, until the projected gradient is below β."""
    from scipy.optimize import minimize  # here, not above: half a second at import

    def negated(raw: Array) -> tuple[float, Array]:
        total = raw.sum()
        margins = outcomes @ raw / total
        edges = softmax(-margins / beta) @ outcomes
        return -smoothed_margin(margins, beta), (edges @ raw / total - edges) / total

    bounds, options = [(0.0, None)] * len(start), {"gtol": beta, "ftol": 0.0, "maxiter": MOST_STEPS}
    found = minimize(negated, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options).x
    return np.asarray(found / found.sum())
