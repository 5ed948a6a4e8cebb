"""The master problem by a primal-dual interior-point method, in the form with few rows.

    ν-LP:     min γ    s.t.  A d + s = γ 1,   Σ d = 1,   0 <= d <= cap,   s >= 0
    C-form:   max Σd   s.t.  A d + s = price,            0 <= d <= cap,   s >= 0

with ``A[j, i] = y_i h_j(x_i)``. Multipliers: coefficients α of the rows, ρ of the sum, z and ξ of
the two sides of the box. Newton's method on the perturbed conditions of optimality,

    A^T α + ξ - z = ρ 1  (ρ = 1 in the C-form),   Σα = 1  (ν-LP),   d z = ξ (cap - d) = s α = μ,

needs one dense symmetric system with one row per hypothesis: its cost is linear in the number of
examples. Steps are Mehrotra's: a predictor says how far μ can fall, a corrector goes there. Every
iterate is judged by the same bounds as the whole run, over the hypotheses of the pool.

References: Mehrotra, *On the implementation of a primal-dual interior point method*, 1992;
Gondzio, González-Brevis & Munari, *New developments in the primal-dual column generation
technique*, 2013.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...kernels.parallel import one_algebra_thread
from ...types import Array
from .base import SHARE, Master
from .packed_pool import PackedPool

MOST_STEPS = 60
"""Steps after which the best point seen is taken."""
TIGHT = 1e-9
"""Room between all caps together and one, below which there is nothing to choose."""
NEAREST = 1e-11
"""Smallest gap asked for: below it rounding decides."""
INSIDE = 0.995
"""Share of the way to the boundary that a step may go."""
NEW = 0.1
"""Share of the coefficients that columns without weight begin with."""


@dataclass
class _Point:
    """Primal and dual variables inside their bounds, or a direction in which to move them."""

    d: Array
    room: Array
    s: Array
    alpha: Array
    z: Array
    xi: Array
    gamma: float
    rho: float

    def products(self) -> float:
        """Sum of the complementary products: the duality gap, if the point is feasible."""
        return float(self.d @ self.z + self.room @ self.xi + self.s @ self.alpha)

    def moved(self, by: _Point, primal: float, dual: float) -> _Point:
        """Point after a step."""
        return _Point(
            self.d + primal * by.d,
            self.room + primal * by.room,
            self.s + primal * by.s,
            self.alpha + dual * by.alpha,
            self.z + dual * by.z,
            self.xi + dual * by.xi,
            self.gamma + primal * by.gamma,
            self.rho + dual * by.rho,
        )

    def reach(self, by: _Point) -> tuple[float, float]:
        """Longest steps, primal and dual, that stay inside the bounds."""
        primal = min(reach(self.d, by.d), reach(self.room, by.room), reach(self.s, by.s))
        dual = min(reach(self.alpha, by.alpha), reach(self.z, by.z), reach(self.xi, by.xi))
        return primal, dual


def reach(values: Array, change: Array) -> float:
    """Longest step at which values stay positive."""
    shrink = float(np.max(-change / values))
    return 1.0 / shrink if shrink > 0.0 else np.inf


class InteriorMaster(Master):
    """Master problem to high accuracy, for up to some hundred thousand examples."""

    def solve(self, pool: PackedPool, start: Array, gap: float) -> tuple[Array, Array]:
        """Solve to a share of the gap."""
        if self.problem.price is None and self.problem.caps.sum() <= 1.0 + TIGHT:
            return self._only_weights(pool)
        self._start_clock()
        with one_algebra_thread():
            accuracy = max(SHARE * gap, NEAREST)
            point = self._first_point(pool, start, gap)
            best, least = point, np.inf
            for _ in range(MOST_STEPS):
                self._check_clock()
                outcomes, edges = self.y * pool.combine(point.alpha), pool.edges(self.y * point.d)
                left = self._gap(point, outcomes, edges)
                if left < least:
                    best, least = point, left
                if left <= accuracy:
                    break
                try:
                    point = self._step(pool, point, outcomes, edges)
                except np.linalg.LinAlgError:  # rounding has the last word
                    break
            return self._finish(pool, best, accuracy)

    def _only_weights(self, pool: PackedPool) -> tuple[Array, Array]:
        """At ν = 1 all weights are at their caps: there is no interior, and one column is best."""
        self.weights = self.problem.caps / self.problem.caps.sum()
        coef = np.zeros(len(pool))
        coef[int(np.argmax(pool.edges(self.y * self.weights)))] = 1.0
        return coef, self.weights

    def _gap(self, point: _Point, outcomes: Array, edges: Array) -> float:
        """Distance of the bounds that a point proves for the master problem."""
        total = float(point.d.sum())
        upper = self.problem.upper(point.d / total, float(edges.max()) / total)
        return upper - self.problem.value(outcomes, float(point.alpha.sum()))

    def _first_point(self, pool: PackedPool, start: Array, gap: float) -> _Point:
        """Begin on the central path, where the gap is what the coefficients leave open.

        New columns may have opened it again since the last solution: to begin too near to the
        boundary costs more steps than to begin too far from it.
        """
        point = self._central_point(pool, start, gap)
        outcomes, edges = self.y * pool.combine(point.alpha), pool.edges(self.y * point.d)
        left = self._gap(point, outcomes, edges)
        return point if left <= gap else self._central_point(pool, start, left)

    def _central_point(self, pool: PackedPool, start: Array, gap: float) -> _Point:
        """Return a point on the central path but for the equations of its rows."""
        caps, price = self.problem.caps, self.problem.price
        mu = gap / (2 * len(caps) + len(start))
        alpha = np.maximum(start, NEW * (float(start.sum()) or 1.0) / len(start))
        if price is None:
            alpha = alpha / alpha.sum()
        outcomes = self.y * pool.combine(alpha)
        rho = 1.0 if price is not None else _level(outcomes, caps, mu)
        d, room = centred(rho - outcomes, caps, mu)
        edges, s = pool.edges(self.y * d), mu / alpha
        gamma = float(alpha @ (edges + s)) if price is None else price
        return _Point(d, room, np.maximum(s, gamma - edges), alpha, mu / d, mu / room, gamma, rho)

    def _step(self, pool: PackedPool, point: _Point, outcomes: Array, edges: Array) -> _Point:
        """Predict how far the products can fall, correct for the error of that, and go."""
        newton = _Newton(self, pool, point, outcomes, edges)
        pairs = 2 * len(point.d) + len(point.s)
        guess = newton.direction(0.0)
        primal, dual = (min(1.0, reach) for reach in point.reach(guess))
        before, after = point.products(), point.moved(guess, primal, dual).products()
        mu = before / pairs * (after / before) ** 3
        direction = newton.direction(mu, guess)
        primal, dual = (min(1.0, INSIDE * reach) for reach in point.reach(direction))
        return point.moved(direction, primal, dual)

    def _finish(self, pool: PackedPool, point: _Point, accuracy: float) -> tuple[Array, Array]:
        """Coefficients without the traces that the interior leaves, where these do not matter."""
        problem, whole = self.problem, point.alpha
        traces = whole * point.s.mean() < point.s * whole.mean()
        coef = np.where(traces, 0.0, whole)
        values = [problem.value(self.y * pool.combine(c), float(c.sum())) for c in (coef, whole)]
        if values[0] < values[1] - SHARE * accuracy:
            coef = whole
        if problem.price is None:
            coef = coef / coef.sum()
        self.weights = point.d / point.d.sum()
        return coef, self.weights


class _Newton:
    """Newton's equations at a point, factorised once for predictor and corrector."""

    def __init__(
        self, master: InteriorMaster, pool: PackedPool, point: _Point, outcomes: Array, edges: Array
    ) -> None:
        self._pool, self._y, self._point = pool, master.y, point
        self._free = master.problem.price is None
        self._rows = point.gamma - point.s - edges
        self._columns = point.rho - outcomes - point.xi + point.z
        self._total = 1.0 - float(point.d.sum())
        self._length = 1.0 - float(point.alpha.sum())
        self._theta = 1.0 / (point.xi / point.room + point.z / point.d)
        matrix = pool.gram(self._theta)
        if self._free:
            self._mean = pool.edges(self._y * self._theta) / self._theta.sum()
            matrix -= self._theta.sum() * np.outer(self._mean, self._mean)
        matrix[np.diag_indices_from(matrix)] += point.s / point.alpha
        self._factor = factorise(matrix)

    def direction(self, mu: float, guess: _Point | None = None) -> _Point:
        """Direction to products of ``mu``, with the second-order term of a first guess."""
        p, theta = self._point, self._theta
        box, cap, row = mu - p.d * p.z, mu - p.room * p.xi, mu - p.s * p.alpha
        if guess is not None:
            box, cap = box - guess.d * guess.z, cap - guess.room * guess.xi
            row = row - guess.s * guess.alpha
        pull = self._columns - cap / p.room + box / p.d
        right = self._pool.edges(self._y * (theta * pull)) + row / p.alpha - self._rows
        alpha, rho, gamma = self._solve(right, self._total - float(theta @ pull))
        d = theta * (pull - self._y * self._pool.combine(alpha) + rho)
        return _Point(
            d,
            -d,
            (row - p.s * alpha) / p.alpha,
            alpha,
            (box - p.z * d) / p.d,
            (cap + p.xi * d) / p.room,
            gamma,
            rho,
        )

    def _solve(self, right: Array, total: float) -> tuple[Array, float, float]:
        """Changes of α, ρ and γ; the last two are there in the ν-LP only."""
        if not self._free:
            return back_substitute(self._factor, right), 0.0, 0.0
        first = back_substitute(self._factor, right + self._mean * total)
        ones = back_substitute(self._factor, np.ones(len(right)))
        gamma = float((first.sum() - self._length) / ones.sum())
        alpha = first - gamma * ones
        return alpha, total / float(self._theta.sum()) + float(self._mean @ alpha), gamma


def factorise(matrix: Array) -> Any:
    """Cholesky factor; equal columns make the matrix singular but for rounding, hence the ridge."""
    from scipy.linalg import cho_factor  # here, as below: slow to import, seldom used

    scale = float(matrix.trace()) / len(matrix)
    for ridge in (0.0, 1e-14, 1e-12, 1e-10, 1e-8):
        try:
            return cho_factor(matrix + ridge * scale * np.eye(len(matrix)))
        except np.linalg.LinAlgError:
            continue
    raise np.linalg.LinAlgError("the normal equations are singular")


def back_substitute(factor: Any, right: Array) -> Array:
    """Solve with a factor of :func:`factorise`."""
    from scipy.linalg import cho_solve

    return np.asarray(cho_solve(factor, right))


def centred(pull: Array, caps: Array, mu: float) -> tuple[Array, Array]:
    """Solve ``μ / (cap - d) - μ / d = pull``; returns d and cap - d, both to full accuracy."""
    q = np.abs(pull) * caps / mu
    root = np.sqrt(q * q + 4.0)
    less, more = 2.0 / (2.0 + q + root), 2.0 / (2.0 + 4.0 / (root + q))
    up = pull > 0.0
    return caps * np.where(up, more, less), caps * np.where(up, less, more)


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
