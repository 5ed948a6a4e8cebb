"""Regression programs by an interior-point method, in the form with few rows.

    max  Σ gains x   s.t.  A x + s = most,   E x = shares,   0 <= x <= p,   s >= 0

with one variable x per row and side of the tube, one row of A per hypothesis, one of E per edge of
the tube. Multipliers: coefficients α of A, positions λ of the edges of E, z and ξ of the box. The
condition of optimality besides the products of ``interior_method.py``:

    A^T α + E^T λ + ξ - z = gains.

The one or two unknowns λ are eliminated.
"""

from __future__ import annotations

import numpy as np

from ...types import Array
from .interior_method import (
    NEAREST,
    InteriorMethod,
    Newton,
    Point,
    back_substitute,
    centred,
    first_coefficients,
)
from .packed_pool import PackedPool
from .tube import TubeProblem


class TubeInterior(InteriorMethod):
    """Master problem of a regression to high accuracy."""

    problem: TubeProblem

    def nearest(self) -> float:
        """Share of the cost that is gained on: it may be far above one."""
        return NEAREST * max(1.0, self.problem.empty)

    def newton(self, pool: PackedPool, point: Point) -> Newton:
        """Return the equations at a point."""
        return _Newton(self.problem, pool, point)

    def value(self, pool: PackedPool, coef: Array) -> float:
        """Objective of coefficients."""
        return self.problem.value(pool.combine(coef), float(coef.sum()))

    def weights_of(self, point: Point) -> Array:
        """Weights of the examples at a point."""
        return self.problem.balanced(self.problem.signed(point.x))

    def central_point(self, pool: PackedPool, start: Array, gap: float) -> Point:
        """Return a point on the central path but for the equations of its hypotheses."""
        problem = self.problem
        mu = gap / (2 * problem.signs.size * len(problem.y) + len(start))
        alpha = first_coefficients(start)
        pull = problem.gains() - np.outer(problem.signs, pool.combine(alpha))
        levels = _levels(problem, pull, mu)
        x, room = centred(pull - (levels @ problem.equations)[:, None], problem.caps, mu)
        most = _most(problem, pool)
        s = np.maximum(mu / alpha, most - pool.edges(np.einsum("k,ki->i", problem.signs, x)))
        return Point(x, room, s, alpha, mu / x, mu / room, levels)


class _Newton(Newton):
    """Equations of a regression."""

    def __init__(self, problem: TubeProblem, pool: PackedPool, point: Point) -> None:
        super().__init__(pool, point)
        self._problem, self._e = problem, problem.equations
        scores, dual = pool.combine(point.alpha), problem.balanced(problem.signed(point.x))
        upper = problem.upper(dual, float(pool.edges(dual).max()))
        self.gap = upper - problem.value(scores, float(point.alpha.sum()))
        self.columns = problem.gains() - self._back(scores, point.free) - point.xi + point.z

    def factorise(self) -> None:
        """Prepare for directions: what only they need is summed up here."""
        p = self.point
        self.rows = _most(self._problem, self.pool) - self.edges(p.x) - p.s
        self._sums = self._problem.shares - self._e @ p.x.sum(axis=1)
        super().factorise()

    def edges(self, x: Array) -> Array:
        """``A x``."""
        return self.pool.edges(np.einsum("k,ki->i", self._problem.signs, x))

    def matrix(self) -> Array:
        """``A θ A^T``, λ eliminated."""
        weighted = self._e[:, :, None] * self.theta
        self._cross = np.array([self.edges(part) for part in weighted])
        self._small = weighted.sum(axis=2) @ self._e.T
        matrix = self.pool.gram(self.theta.sum(axis=0))
        matrix -= self._cross.T @ np.linalg.solve(self._small, self._cross)
        return matrix

    def solve(self, right: Array, pull: Array) -> tuple[Array, Array, Array, float]:
        """Changes of x, α and λ."""
        sums = self._e @ (self.theta * pull).sum(axis=1) - self._sums
        right = right - self._cross.T @ np.linalg.solve(self._small, sums)
        alpha = back_substitute(self.factor, right)
        levels = np.linalg.solve(self._small, sums - self._cross @ alpha)
        x = self.theta * (pull - self._back(self.pool.combine(alpha), levels))
        return x, alpha, levels, 0.0

    def _back(self, scores: Array, levels: Array) -> Array:
        """``A^T α + E^T λ``, from the scores of α."""
        return np.outer(self._problem.signs, scores) + (levels @ self._e)[:, None]


def _most(problem: TubeProblem, pool: PackedPool) -> Array:
    """Largest ``A x`` of each hypothesis."""
    return problem.price + problem.shift * pool.edges(problem.caps)


def _levels(problem: TubeProblem, pull: Array, mu: float) -> Array:
    """Find the edges λ at which the centred variables meet their sums."""
    from scipy.optimize import brentq  # here, not above: slow to import, seldom used

    found = np.zeros(len(problem.shares))
    for r, (row, share) in enumerate(zip(problem.equations, problem.shares, strict=True)):
        used = np.flatnonzero(row)

        def excess(at: float, row: Array = row, used: Array = used, share: float = share) -> float:
            sums = [
                row[k] * centred(pull[k] - row[k] * at, problem.caps, mu)[0].sum() for k in used
            ]
            return float(sum(sums)) - share

        sizes = [float(np.abs(pull[k]).max()) for k in used]
        low, high = -max(sizes) - 1.0, max(sizes) + 1.0
        while excess(low) < 0.0:
            low *= 2.0
        while excess(high) > 0.0:
            high *= 2.0
        found[r] = brentq(excess, low, high, xtol=1e-15, disp=False)  # the nearest will do
    return found
