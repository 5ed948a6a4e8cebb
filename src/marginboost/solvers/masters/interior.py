"""The soft-margin program by an interior-point method, in the form with few rows.

    ν-LP:     min γ    s.t.  A d + s = γ 1,   Σ d = 1,   0 <= d <= cap,   s >= 0
    C-form:   max Σd   s.t.  A d + s = price,            0 <= d <= cap,   s >= 0

with ``A[j, i] = y_i h_j(x_i)``. Multipliers: coefficients α of the rows, ρ of the sum, z and ξ of
the two sides of the box. The conditions of optimality besides the products of
``interior_method.py``:

    A^T α + ξ - z = ρ 1  (ρ = 1 in the C-form),   Σα = 1  (ν-LP).
"""

from __future__ import annotations

import numpy as np

from ...types import Array
from .interior_method import (
    InteriorMethod,
    Newton,
    Point,
    back_substitute,
    centred,
    first_coefficients,
)
from .packed_pool import PackedPool
from .problem import MarginProblem

TIGHT = 1e-9
"""Room between all caps together and one, below which there is nothing to choose."""


class InteriorMaster(InteriorMethod):
    """Soft-margin program to high accuracy."""

    def solve(self, pool: PackedPool, start: Array, gap: float) -> tuple[Array, Array]:
        """Solve to a share of the gap."""
        if self.problem.price is None and self.problem.caps.sum() <= 1.0 + TIGHT:
            return self._only_weights(pool)
        coef, weights = super().solve(pool, start, gap)
        return (coef / coef.sum() if self.problem.price is None else coef), weights

    def _only_weights(self, pool: PackedPool) -> tuple[Array, Array]:
        """At ν = 1 all weights are at their caps: there is no interior, and one column is best."""
        self.weights = self.problem.caps / self.problem.caps.sum()
        coef = np.zeros(len(pool))
        coef[int(np.argmax(pool.edges(self.y * self.weights)))] = 1.0
        return coef, self.weights

    def newton(self, pool: PackedPool, point: Point) -> Newton:
        """Return the equations at a point."""
        return _Newton(self.problem, self.y, pool, point)

    def value(self, pool: PackedPool, coef: Array) -> float:
        """Objective of coefficients."""
        return self.problem.value(self.y * pool.combine(coef), float(coef.sum()))

    def weights_of(self, point: Point) -> Array:
        """Weights of the examples at a point."""
        return point.x / point.x.sum()

    def central_point(self, pool: PackedPool, start: Array, gap: float) -> Point:
        """Return a point on the central path but for the equations of its rows."""
        caps, price = self.problem.caps, self.problem.price
        mu = gap / (2 * len(caps) + len(start))
        alpha = first_coefficients(start)
        if price is None:
            alpha = alpha / alpha.sum()
        outcomes = self.y * pool.combine(alpha)
        rho = 1.0 if price is not None else _level(outcomes, caps, mu)
        d, room = centred(rho - outcomes, caps, mu)
        edges, s = pool.edges(self.y * d), mu / alpha
        gamma = float(alpha @ (edges + s)) if price is None else price
        s = np.maximum(s, gamma - edges)
        return Point(d, room, s, alpha, mu / d, mu / room, np.array([rho]), gamma)


class _Newton(Newton):
    """Equations of the soft-margin program."""

    def __init__(self, problem: MarginProblem, y: Array, pool: PackedPool, point: Point) -> None:
        super().__init__(pool, point)
        self._y, self._nu_form = y, problem.price is None
        outcomes, edges = y * pool.combine(point.alpha), self.edges(point.x)
        total, l1_norm = float(point.x.sum()), float(point.alpha.sum())
        upper = problem.upper(point.x / total, float(edges.max()) / total)
        self.gap = upper - problem.value(outcomes, l1_norm)
        self.rows = point.level - point.s - edges
        self.columns = point.free[0] - outcomes - point.xi + point.z
        self._open = 1.0 - total, 1.0 - l1_norm

    def edges(self, x: Array) -> Array:
        """``A x``."""
        return self.pool.edges(self._y * x)

    def matrix(self) -> Array:
        """``A θ A^T``, ρ eliminated."""
        matrix = self.pool.gram(self.theta)
        if self._nu_form:
            self._mean = self.edges(self.theta) / self.theta.sum()
            matrix -= self.theta.sum() * np.outer(self._mean, self._mean)
        return matrix

    def solve(self, right: Array, pull: Array) -> tuple[Array, Array, Array, float]:
        """Changes of d, α, ρ and γ; the last two are there in the ν-LP only."""
        alpha, rho, gamma = self._coefficients(right, self._open[0] - float(self.theta @ pull))
        d = self.theta * (pull - self._y * self.pool.combine(alpha) + rho)
        return d, alpha, np.array([rho]), gamma

    def _coefficients(self, right: Array, total: float) -> tuple[Array, float, float]:
        if not self._nu_form:
            return back_substitute(self.factor, right), 0.0, 0.0
        first = back_substitute(self.factor, right + self._mean * total)
        ones = back_substitute(self.factor, np.ones(len(right)))
        gamma = float((first.sum() - self._open[1]) / ones.sum())
        alpha = first - gamma * ones
        return alpha, total / float(self.theta.sum()) + float(self._mean @ alpha), gamma


def _level(outcomes: Array, caps: Array, mu: float) -> float:
    """Find ρ at which the centred weights sum to one."""
    from scipy.optimize import brentq

    def excess(rho: float) -> float:
        return float(centred(rho - outcomes, caps, mu)[0].sum()) - 1.0

    low, high, width = float(outcomes.min()), float(outcomes.max()), 1.0
    while excess(low) > 0.0:
        low, width = low - width, 2.0 * width
    width = 1.0
    while excess(high) < 0.0:
        high, width = high + width, 2.0 * width
    return float(brentq(excess, low, high, xtol=1e-15))
