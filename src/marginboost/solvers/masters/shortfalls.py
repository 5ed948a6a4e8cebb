"""Two programs with shortfalls from a given margin, by the interior-point method.

With ``A[j, i] = y_i h_j(x_i)`` and weights p of the examples, of sum one:

    NMBoost    max over Σα = 1     Σ_i p_i (C m_i - [θ - m_i]₊),            m = A^T α
        dual   min γ - θ Σx        s.t.  A (C p + x) + s = γ 1,             0 <= x <= p,  s >= 0
    CG-Boost   min over α >= 0     Σ_i p_i [1 - m_i]₊ + ½ Σα² / κ
        dual   max Σx - ½ Σα² / κ  s.t.  A x + s = α / κ,                   0 <= x <= p,  s >= 0

The conditions of optimality besides the products of ``interior_method.py``:

    A^T α + ξ - z = θ 1  (1 in CG-Boost),   Σα = 1  (NMBoost).

So NMBoost has the ν-LP of ``interior.py`` with its level given, CG-Boost the C-form with a price of
every coefficient that is proportional to itself. Weights are C p + x, not normalised.
"""

from __future__ import annotations

from abc import abstractmethod

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

LEAST_PRICE = 1e-280
"""Price that is no less, so that it can be divided by; solutions tell no smaller one from it."""


class NegativeMargins(MarginProblem):
    """NMBoost's program.

    Parameters
    ----------
    prior : array
        Weights of the examples, with sum one.
    C : float
        What the mean margin is worth.
    target : float
        θ, the margin below which an example falls short.
    """

    price = None

    def __init__(self, prior: Array, C: float, target: float) -> None:
        self.caps, self.C, self.target = prior, C, target
        self.worst = -C - max(target + 1.0, 0.0)

    def value(self, outcomes: Array, l1_norm: float) -> float:
        """C times the mean margin less the mean shortfall."""
        margins = outcomes / (l1_norm or 1.0)
        return float(self.caps @ (self.C * margins - np.maximum(self.target - margins, 0.0)))

    def level(self, outcomes: Array, l1_norm: float) -> float:
        """The target."""
        return self.target

    def upper(self, weights: Array, edge: float) -> float:
        """Value of the dual for weights and their largest edge, neither normalised."""
        return edge - self.target * (float(weights.sum()) - self.C)


class SquaredNorm(MarginProblem):
    """CG-Boost's program, as what a model gains over saying nothing.

    Parameters
    ----------
    prior : array
        Weights of the examples, with sum one.
    unit : float
        κ, the price of a shortfall times the weight of all examples.
    """

    price: float
    worst = 0.0

    def __init__(self, prior: Array, unit: float) -> None:
        self.caps, self.price = prior, max(1.0 / unit, LEAST_PRICE)
        self.target, self.C = 1.0, 0.0

    def value(self, outcomes: Array, l1_norm: float) -> float:
        """Gain of a combination; here the norm is √Σα²."""
        short = float(self.caps @ np.maximum(1.0 - outcomes, 0.0))
        return 1.0 - short - 0.5 * self.price * l1_norm**2

    def level(self, outcomes: Array, l1_norm: float) -> float:
        """The demand, ``y F >= 1``."""
        return self.target

    def upper(self, weights: Array, edge: float) -> float:
        """Without an edge the dual's value; else no more than that losses are not negative."""
        return 1.0 if edge > 0.0 else 1.0 - float(weights.sum())


class ShortfallMaster(InteriorMethod):
    """What both masters share."""

    problem: NegativeMargins | SquaredNorm

    def norm(self, coef: Array) -> float:
        """Norm of coefficients that the program looks at."""
        return float(coef.sum())

    def value(self, pool: PackedPool, coef: Array) -> float:
        """Objective of coefficients."""
        return self.problem.value(self.y * pool.combine(coef), self.norm(coef))

    def weights_of(self, point: Point) -> Array:
        """Weights of the examples at a point."""
        return self.problem.C * self.problem.caps + point.x

    def central_point(self, pool: PackedPool, start: Array, gap: float) -> Point:
        """Return a point on the central path but for the equations of its rows."""
        problem, alpha = self.problem, first_coefficients(start)
        if problem.price is None:
            alpha = alpha / alpha.sum()
        mu = gap / (2 * len(problem.caps) + len(start))
        x, room = centred(problem.target - self.y * pool.combine(alpha), problem.caps, mu)
        edges, s = pool.edges(self.y * (problem.C * problem.caps + x)), mu / alpha
        level = float(alpha @ (edges + s)) if problem.price is None else 0.0
        s = np.maximum(s, level + (problem.price or 0.0) * alpha - edges)
        return Point(x, room, s, alpha, mu / x, mu / room, np.empty(0), level)


class NegativeMarginMaster(ShortfallMaster):
    """NMBoost's program over a pool."""

    problem: NegativeMargins

    def solve(self, pool: PackedPool, start: Array, gap: float) -> tuple[Array, Array]:
        """Solve to a share of the gap."""
        coef, weights = super().solve(pool, start, gap)
        return coef / coef.sum(), weights

    def newton(self, pool: PackedPool, point: Point) -> Newton:
        """Return the equations at a point."""
        return _NegativeMarginNewton(self.problem, self.y, pool, point)


class SquaredNormMaster(ShortfallMaster):
    """CG-Boost's program over a pool."""

    problem: SquaredNorm

    def norm(self, coef: Array) -> float:
        """√Σα²."""
        return float(np.sqrt(coef @ coef))

    def newton(self, pool: PackedPool, point: Point) -> Newton:
        """Return the equations at a point."""
        return _SquaredNormNewton(self.problem, self.y, pool, point)


class _Newton(Newton):
    """Equations of either program."""

    def __init__(
        self, problem: NegativeMargins | SquaredNorm, y: Array, pool: PackedPool, point: Point
    ) -> None:
        super().__init__(pool, point)
        self._y = y
        outcomes = y * pool.combine(point.alpha)
        edges = self.edges(problem.C * problem.caps + point.x)
        self.columns = problem.target - outcomes - point.xi + point.z
        self._judge(outcomes, edges)

    @abstractmethod
    def _judge(self, outcomes: Array, edges: Array) -> None:
        """Set the gap and what the rows leave open."""

    def edges(self, x: Array) -> Array:
        """``A x``."""
        return self.pool.edges(self._y * x)

    def matrix(self) -> Array:
        """``A θ A^T``."""
        return self.pool.gram(self.theta)

    def solve(self, right: Array, pull: Array) -> tuple[Array, Array, Array, float]:
        """Changes of x, α and γ."""
        alpha, level = self._coefficients(right)
        x = self.theta * (pull - self._y * self.pool.combine(alpha))
        return x, alpha, np.empty(0), level

    @abstractmethod
    def _coefficients(self, right: Array) -> tuple[Array, float]:
        """Changes of α and γ."""


class _NegativeMarginNewton(_Newton):
    def __init__(self, problem: NegativeMargins, y: Array, pool: PackedPool, point: Point) -> None:
        self._problem = problem
        super().__init__(problem, y, pool, point)

    def _judge(self, outcomes: Array, edges: Array) -> None:
        point, problem = self.point, self._problem
        self._sum = float(point.alpha.sum())
        weights = problem.C * problem.caps + point.x
        self.gap = problem.upper(weights, float(edges.max())) - problem.value(outcomes, self._sum)
        self.rows = point.level - point.s - edges

    def _coefficients(self, right: Array) -> tuple[Array, float]:
        first = back_substitute(self.factor, right)
        ones = back_substitute(self.factor, np.ones(len(right)))
        gamma = float((first.sum() - (1.0 - self._sum)) / ones.sum())
        return first - gamma * ones, gamma


class _SquaredNormNewton(_Newton):
    tied = True

    def __init__(self, problem: SquaredNorm, y: Array, pool: PackedPool, point: Point) -> None:
        self._problem = problem
        super().__init__(problem, y, pool, point)

    def _judge(self, outcomes: Array, edges: Array) -> None:
        point, price = self.point, self._problem.price
        value = self._problem.value(outcomes, float(np.sqrt(point.alpha @ point.alpha)))
        best = np.maximum(edges, 0.0)
        self.gap = 1.0 - float(point.x.sum()) + 0.5 * float(best @ best) / price - value
        self.rows = price * point.alpha - point.s - edges

    def matrix(self) -> Array:
        """``A θ A^T`` and the curvature of the norm."""
        matrix = super().matrix()
        matrix[np.diag_indices_from(matrix)] += self._problem.price
        return matrix

    def _coefficients(self, right: Array) -> tuple[Array, float]:
        return back_substitute(self.factor, right), 0.0
