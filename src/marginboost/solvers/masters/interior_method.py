"""Mehrotra's primal-dual interior-point method, for the programs that master problems are.

All of them have variables x in a box, one row per hypothesis, and few equations besides:

    A x + s = bounds,   0 <= x <= caps,   s >= 0,

with multipliers α of the rows, z and ξ of the two sides of the box, and a handful of free unknowns.
Newton's method on the perturbed conditions of optimality, ``x z = ξ (caps - x) = s α = μ`` among
them, needs one dense symmetric system with one row per hypothesis: its cost is linear in the number
of examples. A predictor says how far μ can fall, a corrector goes there. Every iterate is judged by
the same bounds as the whole run, over the hypotheses of the pool.

References: Mehrotra, *On the implementation of a primal-dual interior point method*, 1992;
Gondzio, González-Brevis & Munari, *New developments in the primal-dual column generation
technique*, 2013.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...types import Array
from .base import SHARE, Master, MasterError
from .packed_pool import PackedPool

MOST_STEPS = 60
"""Steps after which the best point seen is taken."""
NEAREST = 1e-11
"""Smallest gap asked for of values of about one."""
INSIDE = 0.995
"""Share of the way to the boundary that a step may go."""
NEW = 0.1
"""Share of the coefficients that columns without weight begin with."""


@dataclass
class Point:
    """Variables inside their bounds, or a direction in which to move them.

    ``free`` are unknowns without bounds, of the dual; ``level`` is the primal one, if there is one.
    """

    x: Array
    room: Array
    s: Array
    alpha: Array
    z: Array
    xi: Array
    free: Array
    level: float = 0.0

    def products(self) -> float:
        """Sum of the complementary products: the duality gap, if the point is feasible."""
        box = np.vdot(self.x, self.z) + np.vdot(self.room, self.xi)
        return float(box + self.s @ self.alpha)

    def pairs(self) -> int:
        """Count the complementary products."""
        return 2 * self.x.size + len(self.s)

    def moved(self, by: Point, primal: float, dual: float) -> Point:
        """Point after a step."""
        return Point(
            self.x + primal * by.x,
            self.room + primal * by.room,
            self.s + primal * by.s,
            self.alpha + dual * by.alpha,
            self.z + dual * by.z,
            self.xi + dual * by.xi,
            self.free + dual * by.free,
            self.level + primal * by.level,
        )

    def reach(self, by: Point) -> tuple[float, float]:
        """Longest steps, primal and dual, that stay inside the bounds."""
        primal = min(_reach(self.x, by.x), _reach(self.room, by.room), _reach(self.s, by.s))
        dual = min(_reach(self.alpha, by.alpha), _reach(self.z, by.z), _reach(self.xi, by.xi))
        return primal, dual


def _reach(values: Array, change: Array) -> float:
    """Longest step at which values stay positive."""
    shrink = float(np.max(-change / values))
    return 1.0 / shrink if shrink > 0.0 else np.inf


class Newton(ABC):
    """Newton's equations at a point, and the gap between the bounds that the point proves.

    Attributes
    ----------
    gap : float
        Distance of the bounds.
    rows, columns : array
        What the point leaves open of ``A x + s = bounds``, and of the equations of its variables.
    theta : array
        Inverse of the diagonal that the box puts on the variables.
    """

    gap: float
    rows: Array
    columns: Array
    tied: bool = False
    """Whether coefficients are in the rows too, so that both sides must take the same step."""

    def __init__(self, pool: PackedPool, point: Point) -> None:
        self.pool, self.point = pool, point

    def factorise(self) -> None:
        """Prepare for directions: once, for predictor and corrector."""
        p = self.point
        self.theta = 1.0 / (p.xi / p.room + p.z / p.x)
        matrix = self.matrix()
        matrix[np.diag_indices_from(matrix)] += p.s / p.alpha
        self.factor = factorise(matrix)

    def direction(self, mu: float, guess: Point | None = None) -> Point:
        """Direction to products of ``mu``, with the second-order term of a first guess."""
        p = self.point
        box, cap, row = mu - p.x * p.z, mu - p.room * p.xi, mu - p.s * p.alpha
        if guess is not None:
            box, cap = box - guess.x * guess.z, cap - guess.room * guess.xi
            row = row - guess.s * guess.alpha
        pull = self.columns - cap / p.room + box / p.x
        right = self.edges(self.theta * pull) + row / p.alpha - self.rows
        x, alpha, free, level = self.solve(right, pull)
        s = (row - p.s * alpha) / p.alpha
        z, xi = (box - p.z * x) / p.x, (cap + p.xi * x) / p.room
        return Point(x, -x, s, alpha, z, xi, free, level)

    @abstractmethod
    def edges(self, x: Array) -> Array:
        """``A x``."""

    @abstractmethod
    def matrix(self) -> Array:
        """``A θ A^T``, free unknowns eliminated."""

    @abstractmethod
    def solve(self, right: Array, pull: Array) -> tuple[Array, Array, Array, float]:
        """Changes of x, α and the free unknowns."""


class InteriorMethod(Master):
    """Master problem to high accuracy, for up to some hundred thousand examples."""

    def solve(self, pool: PackedPool, start: Array, gap: float) -> tuple[Array, Array]:
        """Solve to a share of the gap."""
        self._start_clock()
        # Where sizes are very different a product may overflow: the point is then not the best one.
        with np.errstate(all="ignore"):
            accuracy = max(SHARE * gap, self.nearest())
            point = self._first_point(pool, start, gap)
            best, least = point, np.inf
            for _ in range(MOST_STEPS):
                self._check_clock()
                newton = self.newton(pool, point)
                if newton.gap < least:
                    best, least = point, newton.gap
                if newton.gap <= accuracy:
                    break
                try:
                    point = _step(newton)
                except np.linalg.LinAlgError:  # rounding has the last word
                    break
            coef, weights = self._finish(pool, best, accuracy)
        if not (np.isfinite(coef).all() and np.isfinite(weights).all()):
            raise MasterError("numbers of the master problem are too different in size")
        return coef, weights

    def nearest(self) -> float:
        """Smallest gap asked for: below it rounding decides."""
        return NEAREST

    @abstractmethod
    def newton(self, pool: PackedPool, point: Point) -> Newton:
        """Return the equations at a point."""

    @abstractmethod
    def central_point(self, pool: PackedPool, start: Array, gap: float) -> Point:
        """Return a point on the central path but for the equations of its rows."""

    @abstractmethod
    def value(self, pool: PackedPool, coef: Array) -> float:
        """Objective of coefficients."""

    @abstractmethod
    def weights_of(self, point: Point) -> Array:
        """Weights of the examples at a point."""

    def _first_point(self, pool: PackedPool, start: Array, gap: float) -> Point:
        """Begin on the central path, where the gap is what the coefficients leave open.

        New columns may have opened it again since the last solution: to begin too near to the
        boundary costs more steps than to begin too far from it.
        """
        point = self.central_point(pool, start, gap)
        left = self.newton(pool, point).gap
        return point if left <= gap else self.central_point(pool, start, left)

    def _finish(self, pool: PackedPool, point: Point, accuracy: float) -> tuple[Array, Array]:
        """Coefficients without the traces that the interior leaves, where these do not matter."""
        whole = point.alpha
        traces = whole * point.s.mean() < point.s * whole.mean()
        coef = np.where(traces, 0.0, whole)
        if self.value(pool, coef) < self.value(pool, whole) - SHARE * accuracy:
            coef = whole
        self.weights = self.weights_of(point)
        return coef, self.weights


def _step(newton: Newton) -> Point:
    """Predict how far the products can fall, correct for the error of that, and go."""
    newton.factorise()
    point = newton.point
    guess = newton.direction(0.0)
    primal, dual = (min(1.0, reach) for reach in point.reach(guess))
    before, after = point.products(), point.moved(guess, primal, dual).products()
    mu = before / point.pairs() * (after / before) ** 3
    direction = newton.direction(mu, guess)
    primal, dual = (min(1.0, INSIDE * reach) for reach in point.reach(direction))
    if newton.tied:
        primal = dual = min(primal, dual)
    return point.moved(direction, primal, dual)


def first_coefficients(start: Array) -> Array:
    """Coefficients of the last solution, with a share for columns that have none yet."""
    return np.maximum(start, NEW * (float(start.sum()) or 1.0) / len(start))


def centred(pull: Array, caps: Array, mu: float) -> tuple[Array, Array]:
    """Solve ``μ / (cap - x) - μ / x = pull``; returns x and cap - x, both to full accuracy."""
    q = np.abs(pull) * caps / mu
    root = np.sqrt(q * q + 4.0)
    less, more = 2.0 / (2.0 + q + root), 2.0 / (2.0 + 4.0 / (root + q))
    up = pull > 0.0
    return caps * np.where(up, more, less), caps * np.where(up, less, more)


def factorise(matrix: Array) -> Any:
    """Cholesky factor; equal columns make the matrix singular but for rounding, hence the ridge."""
    from scipy.linalg import cho_factor  # here, as below: slow to import, seldom used

    _check_finite(matrix)
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

    _check_finite(right)
    return np.asarray(cho_solve(factor, right))


def _check_finite(values: Array) -> None:
    """Raise what a singular matrix does where numbers have overflowed."""
    if not np.isfinite(values).all():
        raise np.linalg.LinAlgError("the normal equations are not finite")
