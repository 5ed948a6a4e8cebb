"""Regression programs by a primal-dual interior-point method, in the form with few rows.

    max  Σ gains x   s.t.  A x + s = most,   E x = shares,   0 <= x <= p,   s >= 0

with one variable x per row and side of the tube, one row of A per hypothesis, one of E per edge of
the tube. Multipliers: coefficients α of A, positions λ of the edges of E, z and ξ of the box. The
conditions of optimality, perturbed,

    A^T α + E^T λ + ξ - z = gains,   x z = ξ (p - x) = s α = μ,

are solved by Mehrotra's steps as in ``interior.py``, with a dense symmetric system of one row per
hypothesis; the one or two unknowns λ are eliminated.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...kernels.parallel import one_algebra_thread
from ...types import Array
from .base import SHARE, Master
from .interior import (
    INSIDE,
    MOST_STEPS,
    NEAREST,
    NEW,
    back_substitute,
    centred,
    factorise,
    reach,
)
from .packed_pool import PackedPool
from .tube import TubeProblem


@dataclass
class _Point:
    """Variables inside their bounds, one row per side, or a direction in which to move them."""

    x: Array
    room: Array
    s: Array
    alpha: Array
    z: Array
    xi: Array
    levels: Array

    def products(self) -> float:
        """Sum of the complementary products."""
        box = np.einsum("ki,ki->", self.x, self.z) + np.einsum("ki,ki->", self.room, self.xi)
        return float(box) + float(self.s @ self.alpha)

    def moved(self, by: _Point, primal: float, dual: float) -> _Point:
        """Point after a step."""
        return _Point(
            self.x + primal * by.x,
            self.room + primal * by.room,
            self.s + primal * by.s,
            self.alpha + dual * by.alpha,
            self.z + dual * by.z,
            self.xi + dual * by.xi,
            self.levels + dual * by.levels,
        )

    def reach(self, by: _Point) -> tuple[float, float]:
        """Longest steps, primal and dual, that stay inside the bounds."""
        primal = min(reach(self.x, by.x), reach(self.room, by.room), reach(self.s, by.s))
        dual = min(reach(self.alpha, by.alpha), reach(self.z, by.z), reach(self.xi, by.xi))
        return primal, dual


class TubeInterior(Master):
    """Master problem of a regression to high accuracy, for up to some hundred thousand examples."""

    problem: TubeProblem

    def solve(self, pool: PackedPool, start: Array, gap: float) -> tuple[Array, Array]:
        """Solve to a share of the gap."""
        self._start_clock()
        with one_algebra_thread():
            accuracy = max(SHARE * gap, NEAREST)
            point = self._first_point(pool, start, gap)
            best, least = point, np.inf
            for _ in range(MOST_STEPS):
                self._check_clock()
                left = self._gap(pool, point)
                if left < least:
                    best, least = point, left
                if left <= accuracy:
                    break
                try:
                    point = self._step(pool, point)
                except np.linalg.LinAlgError:  # rounding has the last word
                    break
            return self._finish(pool, best, accuracy)

    def _gap(self, pool: PackedPool, point: _Point) -> float:
        """Distance of the bounds that a point proves for the master problem."""
        dual = self.problem.balanced(self.problem.signed(point.x))
        upper = self.problem.upper(dual, float(pool.edges(dual).max()))
        return upper - self.problem.value(pool.combine(point.alpha), float(point.alpha.sum()))

    def _first_point(self, pool: PackedPool, start: Array, gap: float) -> _Point:
        """Begin on the central path, where the gap is what the coefficients leave open."""
        point = self._central_point(pool, start, gap)
        left = self._gap(pool, point)
        return point if left <= gap else self._central_point(pool, start, left)

    def _central_point(self, pool: PackedPool, start: Array, gap: float) -> _Point:
        """Return a point on the central path but for the equations of its hypotheses."""
        problem = self.problem
        mu = gap / (2 * problem.signs.size * len(problem.y) + len(start))
        alpha = np.maximum(start, NEW * (float(start.sum()) or 1.0) / len(start))
        pull = problem.gains() - np.outer(problem.signs, pool.combine(alpha))
        levels = _levels(problem, pull, mu)
        x, room = centred(pull - (levels @ problem.equations)[:, None], problem.caps, mu)
        most = _most(problem, pool)
        s = np.maximum(mu / alpha, most - pool.edges(np.einsum("k,ki->i", problem.signs, x)))
        return _Point(x, room, s, alpha, mu / x, mu / room, levels)

    def _step(self, pool: PackedPool, point: _Point) -> _Point:
        """Predict how far the products can fall, correct for the error of that, and go."""
        newton = _Newton(self.problem, pool, point)
        pairs = 2 * point.x.size + len(point.s)
        guess = newton.direction(0.0)
        primal, dual = (min(1.0, reach) for reach in point.reach(guess))
        before, after = point.products(), point.moved(guess, primal, dual).products()
        mu = before / pairs * (after / before) ** 3
        direction = newton.direction(mu, guess)
        primal, dual = (min(1.0, INSIDE * reach) for reach in point.reach(direction))
        return point.moved(direction, primal, dual)

    def _finish(self, pool: PackedPool, point: _Point, accuracy: float) -> tuple[Array, Array]:
        """Coefficients without the traces that the interior leaves, where these do not matter."""
        whole = point.alpha
        traces = whole * point.s.mean() < point.s * whole.mean()
        coef = np.where(traces, 0.0, whole)
        values = [self.problem.value(pool.combine(c), float(c.sum())) for c in (coef, whole)]
        if values[0] < values[1] - SHARE * accuracy:
            coef = whole
        self.weights = self.problem.balanced(self.problem.signed(point.x))
        return coef, self.weights


class _Newton:
    """Newton's equations at a point, factorised once for predictor and corrector."""

    def __init__(self, problem: TubeProblem, pool: PackedPool, point: _Point) -> None:
        self._problem, self._pool, self._point = problem, pool, point
        self._e = problem.equations
        scores = pool.combine(point.alpha)
        self._rows = _most(problem, pool) - self._edges(point.x) - point.s
        self._sums = problem.shares - self._e @ point.x.sum(axis=1)
        self._columns = problem.gains() - self._back(scores, point.levels) - point.xi + point.z
        self._theta = 1.0 / (point.xi / point.room + point.z / point.x)
        matrix = pool.gram(self._theta.sum(axis=0))
        weighted = self._e[:, :, None] * self._theta
        self._cross = np.array([self._edges(part) for part in weighted])
        self._small = (weighted.sum(axis=2)) @ self._e.T
        matrix -= self._cross.T @ np.linalg.solve(self._small, self._cross)
        matrix[np.diag_indices_from(matrix)] += point.s / point.alpha
        self._factor = factorise(matrix)

    def _edges(self, x: Array) -> Array:
        """``A x``."""
        return self._pool.edges(np.einsum("k,ki->i", self._problem.signs, x))

    def _back(self, scores: Array, levels: Array) -> Array:
        """``A^T α + E^T λ``, from the scores of α."""
        return np.outer(self._problem.signs, scores) + (levels @ self._e)[:, None]

    def direction(self, mu: float, guess: _Point | None = None) -> _Point:
        """Direction to products of ``mu``, with the second-order term of a first guess."""
        p, theta = self._point, self._theta
        box, cap, row = mu - p.x * p.z, mu - p.room * p.xi, mu - p.s * p.alpha
        if guess is not None:
            box, cap = box - guess.x * guess.z, cap - guess.room * guess.xi
            row = row - guess.s * guess.alpha
        pull = self._columns - cap / p.room + box / p.x
        sums = self._e @ (theta * pull).sum(axis=1) - self._sums
        right = self._edges(theta * pull) + row / p.alpha - self._rows
        right = right - self._cross.T @ np.linalg.solve(self._small, sums)
        alpha = back_substitute(self._factor, right)
        levels = np.linalg.solve(self._small, sums - self._cross @ alpha)
        x = theta * (pull - self._back(self._pool.combine(alpha), levels))
        return _Point(
            x,
            -x,
            (row - p.s * alpha) / p.alpha,
            alpha,
            (box - p.z * x) / p.x,
            (cap + p.xi * x) / p.room,
            levels,
        )


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
        found[r] = brentq(excess, low, high, xtol=1e-15)
    return found
