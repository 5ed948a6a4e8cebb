"""Planes of largest margin, measured in any p-norm (R1-A08, R1-Q16; eq. 1.20-1.22, Thm 1.6).

Primal:  max ρ   s.t.  y_i (⟨x_i, α⟩ + b) >= ρ for every point,  ‖α‖_p <= 1.
Dual:    min ‖Σ_i d_i y_i x_i‖_q   s.t.  d >= 0, Σd = 1, and with a bias Σ_i d_i y_i = 0.

1/p + 1/q = 1; α may have any sign, unlike in the margin-LP (R1-A09); b, where allowed, is free and
carries no norm (R1-X05). ρ is the ℓ_q distance of the nearest point from the plane: p = 2 is the
hard-margin SVM, p = 1, the norm of boosting, measures distances by the largest coordinate.

Certificate: the margin of any plane is a lower bound on the optimum, the dual norm of any weights
an upper one; both are computed from scratch.

Method: ‖α‖_∞ <= 1 and ‖α‖_1 <= 1 are linear. For other p the ball is Σ t_j <= 1 with
t_j >= |α_j|^p, and each power is replaced by its tangents at the solutions found so far: linear
programs whose error falls like the square of the distance between tangents, until the bounds meet.
Rate: none is claimed; a dozen or two programs reach a gap of 1e-9.

Without a separating plane the optimum is α = 0 with ρ = 0, and the dual weights prove it by
Σ d_i y_i x_i = 0. The problem over ‖α‖_p = 1 (ρ < 0 then) is not convex and is not solved here; the
margin-LP, over nonnegative α with sum one, solves its own problem for any sign of ρ.

References: Mangasarian 1999; Rätsch 2001, section 1.3.3.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..types import Array
from ..validation import check_number

TOL = 1e-9
"""Gap at which the bounds have met, for points scaled to coordinates of at most one."""
PROGRAMS = 100
"""Most linear programs of one call."""


@dataclass(frozen=True)
class NormMarginSolution:
    """Plane of largest ℓ_p-margin, and the weights that prove it.

    Attributes
    ----------
    p : float
        The norm.
    coef : array
        α, with ``‖α‖_p = 1``; zeros where no plane separates the points.
    intercept : float
        b; 0 where no bias was allowed.
    value : float
        ρ, the smallest margin of this plane; 0 where no plane separates the points.
    weights : array
        d, one weight per point, with sum one.
    upper : float
        ``‖Σ d_i y_i x_i‖_q``: no plane has a larger margin.
    """

    p: float
    coef: Array
    intercept: float
    value: float
    weights: Array
    upper: float

    @property
    def separable(self) -> bool:
        """Whether a plane separates the points, by more than 1e-9 of the largest coordinate."""
        return self.value > 0.0

    @property
    def gap(self) -> float:
        """Distance between the bounds."""
        return self.upper - self.value

    @property
    def support(self) -> Array:
        """Support vectors: points with positive weight."""
        return np.flatnonzero(self.weights > 1e-12)


def p_norm(vector: Any, p: float) -> float:
    """``‖vector‖_p`` for p in [1, ∞], without overflow or underflow of the powers."""
    sizes = np.abs(np.asarray(vector, dtype=np.float64))
    largest = float(sizes.max())
    if p == math.inf or largest == 0.0:
        return largest
    return largest * float(((sizes / largest) ** p).sum() ** (1.0 / p))


def dual_exponent(p: float) -> float:
    """Return q with 1/p + 1/q = 1."""
    if p == 1.0:
        return math.inf
    return 1.0 if p == math.inf else p / (p - 1.0)


def norm_margins(
    points: Any, y: Any, coef: Any, intercept: float = 0.0, *, p: float = 1.0
) -> Array:
    """ℓ_p-margins ``y_i (⟨x_i, α⟩ + b) / ‖α‖_p`` of the points (R1-Q16, eq. 1.20).

    They are the signed ℓ_q distances of the points from the plane (Thm 1.6), 1/p + 1/q = 1.

    Parameters
    ----------
    points : array (n_points, n_dimensions)
        The points; in hypothesis space, the outputs of the hypotheses.
    y : array
        Labels, -1 or +1.
    coef : array
        α, not all zero.
    intercept : float
        b.
    p : float
        Norm of α, in [1, ∞].

    Examples
    --------
    >>> norm_margins([[3.0, 1.0]], [1], [1.0, -1.0], p=1).tolist()
    [1.0]
    """
    _check_p(p)
    x, labels = _read(points, y)
    alpha = _direction(coef, x.shape[1])
    return labels * (x @ alpha + intercept) / p_norm(alpha, p)


def nearest_on_plane(points: Any, coef: Any, intercept: float = 0.0, *, p: float = 2.0) -> Array:
    """Points of the plane ``⟨x, α⟩ + b = 0`` nearest to the given ones in the ℓ_q norm (R1-Q16).

    The way there is ``|⟨x, α⟩ + b| / ‖α‖_p`` long (Thm 1.6, R1-C12). For p = 1 and p = ∞ the
    nearest point need not be the only one.

    Parameters
    ----------
    points : array (n_points, n_dimensions)
        The points.
    coef : array
        α, not all zero.
    intercept : float
        b.
    p : float
        Norm of α, in [1, ∞]; distances are measured in its dual.

    Examples
    --------
    >>> nearest_on_plane([[2.0, 0.0]], [1.0, 1.0], p=1).tolist()
    [[1.0, -1.0]]
    """
    _check_p(p)
    x = np.atleast_2d(np.asarray(points, dtype=np.float64))
    alpha = _direction(coef, x.shape[1])
    step = _steepest(alpha, p)
    return x - np.outer((x @ alpha + intercept) / (step @ alpha), step)


def _steepest(vector: Array, p: float) -> Array:
    """Direction v of ℓ_q norm one with ``⟨v, vector⟩ = ‖vector‖_p``, up to a positive factor."""
    sizes = np.abs(vector) / np.abs(vector).max()
    if p == math.inf:
        at = int(np.argmax(sizes))
        return np.sign(vector) * (np.arange(len(vector)) == at)
    return np.sign(vector) * sizes ** (p - 1.0)


def solve_norm_margin(
    points: Any, y: Any, p: float = 2.0, *, bias: bool = False
) -> NormMarginSolution:
    """Find the plane of largest ℓ_p-margin, with a proof.

    Parameters
    ----------
    points : array (n_points, n_dimensions)
        The points; in hypothesis space, the outputs of the hypotheses.
    y : array
        Labels, -1 or +1.
    p : float
        Norm of α, in [1, ∞].
    bias : bool
        Whether the plane may lie off the origin.

    Returns
    -------
    NormMarginSolution

    Examples
    --------
    Each of N hypotheses errs on one example: the optimum is (N - 2) / N^(1/p) (R1-V03).

    >>> flip = np.ones((3, 3)) - 2 * np.eye(3)
    >>> [round(solve_norm_margin(flip, np.ones(3), p).value, 9) for p in (1, 2, np.inf)]
    [0.333333333, 0.577350269, 1.0]
    """
    _check_p(p)
    x, labels = _read(points, y)
    if bias and not (labels != labels[0]).any():
        raise ValueError(f"y: got only the label {labels[0]:g}, expected both, for a bias")
    scale = float(np.abs(x).max()) or 1.0
    search = _Search(x / scale, labels, float(p), bias)
    for _ in range(PROGRAMS):
        search.step()
        if search.upper - search.value <= TOL:
            break
    else:
        raise RuntimeError(
            f"the bounds on the margin did not meet: [{search.value:.6g}, {search.upper:.6g}] for "
            f"points scaled to one, after {PROGRAMS} linear programs"
        )
    if search.value <= TOL:
        search.coef, search.intercept, search.value = np.zeros(x.shape[1]), 0.0, 0.0
    return NormMarginSolution(
        p=float(p),
        coef=search.coef,
        intercept=search.intercept * scale,
        value=search.value * scale,
        weights=search.weights,
        upper=search.upper * scale,
    )


class _Search:
    """Best plane and best weights so far; a step solves one linear program and adds tangents."""

    def __init__(self, points: Array, y: Array, p: float, bias: bool) -> None:
        self.points, self.y, self.p, self.bias = points, y, p, bias
        n, m = points.shape
        self.coef, self.intercept, self.value = np.zeros(m), 0.0, 0.0
        self.weights, self.upper = np.full(n, 1.0 / n), math.inf
        # Variables (α, t, b, ρ). Rows: ρ - y(⟨x, α⟩ + b) <= 0 and Σt <= 1, then the tangents.
        ones = np.ones((n, 1))
        free = y[:, None] if bias else np.zeros((n, 1))
        margins = np.hstack([-y[:, None] * points, np.zeros((n, m)), -free, ones])
        ball = np.concatenate([np.zeros(m), np.ones(m), [0.0, 0.0]])
        self._rows, self._right = [margins, ball[None, :]], [np.zeros(n), np.ones(1)]
        if p < math.inf:
            for size in (1.0, m ** (-1.0 / p)):
                self._touch(np.full(m, size))
                self._touch(np.full(m, -size))

    def _touch(self, at: Array) -> None:
        """Add the tangents ``t_j >= |a_j|^p + p |a_j|^(p-1) sign(a_j) (α_j - a_j)``."""
        m = len(at)
        slope = self.p * np.sign(at) * np.abs(at) ** (self.p - 1.0)
        self._rows.append(np.hstack([np.diag(slope), -np.eye(m), np.zeros((m, 2))]))
        self._right.append((self.p - 1.0) * np.abs(at) ** self.p)

    def step(self) -> None:
        """Solve the program with the tangents so far, keep what is better, add tangents."""
        from scipy.optimize import linprog  # here, not above: a third of a second at import
        from scipy.sparse import csr_array

        n, m = self.points.shape
        result = linprog(
            c=np.concatenate([np.zeros(2 * m + 1), [-1.0]]),
            A_ub=csr_array(np.vstack(self._rows)),
            b_ub=np.concatenate(self._right),
            bounds=[(-1, 1)] * m + [(0, 1)] * m + [(None, None)] * 2,
            method="highs",
            options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
        )
        if result.status != 0:
            raise RuntimeError(f"the program of the ℓ_p-margin was not solved: {result.message}")
        coef = result.x[:m]
        self._weigh(np.maximum(-result.ineqlin.marginals[:n], 0.0))
        self._try(coef)
        if 1.0 < self.p < math.inf and coef.any():
            self._touch(coef / p_norm(coef, self.p))

    def _weigh(self, weights: Array) -> None:
        """Make weights feasible for the dual; keep them if they prove more."""
        if self.bias:  # both classes weigh the same
            for label in (-1.0, 1.0):
                mine = self.y == label
                weights[mine] *= 0.5 / weights[mine].sum()
        else:
            weights /= weights.sum()
        moment = self.points.T @ (self.y * weights)
        upper = p_norm(moment, dual_exponent(self.p))
        if upper < self.upper:
            self.weights, self.upper = weights, upper
        if self.p > 1.0 and moment.any():  # the plane that these weights belong to
            self._try(_steepest(moment, dual_exponent(self.p)))

    def _try(self, coef: Array) -> None:
        """Keep a plane if it is better."""
        size = p_norm(coef, self.p)
        if size == 0.0:
            return
        scores = self.points @ (coef / size)
        shift = 0.0
        if self.bias:  # half-way between the classes
            shift = -0.5 * float(scores[self.y > 0].min() + scores[self.y < 0].max())
        value = float((self.y * (scores + shift)).min())
        if value > self.value:
            self.coef, self.intercept, self.value = coef / size, shift, value


def _check_p(p: Any) -> None:
    if p != math.inf:
        check_number("p", p, at_least=1.0)


def _read(points: Any, y: Any) -> tuple[Array, Array]:
    x, labels = np.asarray(points, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if x.ndim != 2 or 0 in x.shape or not np.isfinite(x).all():
        raise ValueError(
            f"points: got shape {x.shape}, expected a finite matrix with at least one row (point) "
            "and one column (dimension)"
        )
    if labels.shape != (len(x),) or not np.isin(labels, (-1.0, 1.0)).all():
        raise ValueError(f"y: got shape {labels.shape}, expected {len(x)} labels -1 and +1")
    return x, labels


def _direction(coef: Any, n_dimensions: int) -> Array:
    alpha = np.asarray(coef, dtype=np.float64)
    if alpha.shape != (n_dimensions,) or not np.isfinite(alpha).all() or not alpha.any():
        raise ValueError(
            f"coef: got shape {alpha.shape}, expected {n_dimensions} finite numbers, not all zero"
        )
    return alpha
