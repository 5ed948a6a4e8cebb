"""Steps that stay on a p-convex hull (BA-A5, BA-A5-NR, BA-A5-EX, BA-Q15, BA-Q23, BA-Q27).

Votes F = Σ b h with ‖b‖_p = (Σ |b|^p)^(1/p) = 1 are the p-convex hull of the hypotheses: for p = 1
the convex hull, for smaller p a smaller set with fewer hypotheses that count. A new hypothesis
enters by F(α) = (F + α h) / (1 + α^p)^(1/p), and the step is a minimum of the exponential cost

    C(α) = Σ_i w_i exp(-g_i(α)),     g_i = (m_i + α s_i) / (1 + α^p)^(1/p)              (eq. 4.8)

with margins m_i = y_i F(x_i) and outcomes s_i = y_i h(x_i). For p > 1 there always is one; for
p < 1 an example that both F and h have right makes a hill at α = 1, and there may be none.

Reference: Barnes, *Capacity Control in Boosting using a p-Convex Hull*, 1999, section 4.3,
appendix B.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..types import Array

MOST_ITERATIONS = 1000
FLAT = 0.01
"""Curvature that the search assumes where there is none."""
WIDEST = 27.0
"""Steps from exp(-27) to exp(27) are looked at by the search over all of them."""
GRID = 217
LARGEST = 709.0
"""Logarithm of about the largest number."""


def p_norm(coef: Array, p: float) -> float:
    """``(Σ |coef|^p)^(1/p)``; a vote lies on the p-convex hull where this is one.

    >>> p_norm(np.array([0.25, 0.25]), 0.5), round(p_norm(np.array([3.0, 4.0]), 2.0), 12)
    (1.0, 5.0)
    """
    size = np.abs(np.asarray(coef, dtype=float))
    size = size[size > 0.0]
    if not size.size:
        return 0.0
    logs = p * np.log(size)
    log = (float(logs.max()) + math.log(np.exp(logs - logs.max()).sum())) / p
    return math.exp(log) if log < LARGEST else math.inf


def log_norm(step: float, p: float) -> float:
    """``log (1 + step^p)^(1/p)``: what a vote on the hull, and a step from it, are divided by.

    >>> log_norm(1.0, 1.0) == math.log(2.0)
    True
    """
    return float(np.logaddexp(0.0, p * math.log(step))) / p


@dataclass(frozen=True)
class HullCost:
    """Cost along a hypothesis, on the hull.

    Parameters
    ----------
    margins : array
        ``m_i = y_i F(x_i)`` of a vote on the hull.
    outcomes : array
        ``s_i = y_i h(x_i)``.
    weights : array
        Weights of the examples; ones for the plain sum.
    p : float
        Above 0.

    Examples
    --------
    Ten examples, of which the vote has nine right and the hypothesis eight (eq. 4.13):

    >>> toy = toy_cost(0.8)
    >>> round(toy.at_zero, 6), round(toy(0.2956)[0], 5)
    (6.029197, 5.78807)
    """

    margins: Array
    outcomes: Array
    weights: Array
    p: float

    @property
    def at_zero(self) -> float:
        """``C(0)``."""
        return float(self.weights @ np.exp(-self.margins))

    def contributions(self, step: float) -> Array:
        """Cost of each example at a step (eq. 4.10), without its weight."""
        shrink = math.exp(-log_norm(step, self.p)) if step > 0.0 else 1.0
        return np.asarray(np.exp(-(self.margins + step * self.outcomes) * shrink))

    def __call__(self, step: float) -> tuple[float, float, float]:
        """``C``, ``C'`` and ``C''`` at a step above 0."""
        log_step = math.log(step)
        share = 0.5 * (1.0 + math.tanh(0.5 * self.p * log_step))  # α^p / (1 + α^p)
        kappa = share / step
        kappa_slope = kappa * (self.p * (1.0 - share) - 1.0) / step
        shrink = math.exp(-log_norm(step, self.p))
        pull = shrink * self.outcomes
        g = shrink * self.margins + step * pull
        slope = pull - kappa * g
        slope_change = -kappa * pull - kappa * slope - kappa_slope * g
        terms = self.weights * np.exp(-g)
        return (
            float(terms.sum()),
            -float(terms @ slope),
            float(terms @ (slope * slope - slope_change)),
        )

    @property
    def slope_at_zero(self) -> float:
        """Limit of ``C'`` as the step falls to 0 (BA-P13): infinite for p < 1."""
        terms = self.weights * np.exp(-self.margins)
        pull = float(terms @ self.margins)
        if self.p < 1.0:
            return math.copysign(math.inf, pull) if pull else -float(terms @ self.outcomes)
        edge = float(terms @ self.outcomes)
        return pull - edge if self.p == 1.0 else -edge


@dataclass(frozen=True)
class HullStep:
    """What a search found.

    Attributes
    ----------
    step : float
        α; 0 where there is none to take.
    converged : bool
        Whether the search ended by itself.
    iterations : int
        Evaluations of the cost.
    """

    step: float
    converged: bool
    iterations: int


def newton_step(cost: HullCost, held: int, *, tol: float = 1e-9, relative: bool = True) -> HullStep:
    """Search for a minimum as the author's program does (BA-A5-NR).

    Newton's method from α = 0.5 / held, which never goes more than half-way to 0 and takes a
    curvature of 0.01 where there is none. It ends when the slope is small, or when the cost is flat
    and the slope has never changed its sign. The last α looked at is the answer if the cost is
    convex there, and else there is none: at a small step the cost has only been seen to rise.

    Parameters
    ----------
    cost : HullCost
        Along the hypothesis.
    held : int
        Hypotheses that the vote has.
    tol : float
        For slope and change of the cost.
    relative : bool
        Whether cost, slope and curvature are measured in units of ``C(0)``. The original does not,
        and has tol = 1e-3: where the whole cost is below that, it takes the first α as it is.
    """
    unit = cost.at_zero if relative else 1.0
    following, slope, low, high, before = 0.5 / held, 1.0, math.inf, -math.inf, 1e6
    step, iterations = following, 0
    while abs(slope) >= tol and iterations < MOST_ITERATIONS:
        step = following
        value, slope, curvature = (number / unit for number in cost(step))
        low, high = min(low, slope), max(high, slope)
        if curvature < np.finfo(float).eps:
            curvature = FLAT
        following = max(step / 2.0, step - slope / curvature)
        iterations += 1
        if abs(value - before) < tol and low * high > 0.0:
            break
        before = value
        if not (math.isfinite(slope) and following > 0.0):
            return HullStep(0.0, False, iterations)
    if iterations >= MOST_ITERATIONS:
        return HullStep(0.0, False, iterations)
    return HullStep(step if cost(step)[2] > 0.0 else 0.0, True, iterations)


def global_step(cost: HullCost) -> HullStep:
    """Look at all steps, on a scale of logarithms, and take the best; 0 where none is better.

    Not in the source: it tells "there is no minimum" from "the search has not found it".
    """
    grid = np.linspace(-WIDEST, WIDEST, GRID)
    slopes = np.array([cost(math.exp(at))[1] for at in grid])
    rising = np.flatnonzero((slopes[:-1] < 0.0) & (slopes[1:] >= 0.0))
    steps = [_bisect(cost, float(grid[at]), float(grid[at + 1])) for at in rising]
    if slopes[-1] < 0.0:  # the hypothesis alone is better than any vote with it
        steps.append(math.exp(WIDEST))
    values = [cost.at_zero, *(cost(step)[0] for step in steps)]
    return HullStep([0.0, *steps][int(np.argmin(values))], True, GRID)


def _bisect(cost: HullCost, low: float, high: float) -> float:
    """Step where the slope rises through 0, between logarithms of steps."""
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if cost(math.exp(middle))[1] < 0.0 else (low, middle)
    return math.exp(0.5 * (low + high))


def toy_cost(p: float) -> HullCost:
    """Ten examples of eq. 4.13: 7 right by both, 2 lost, 1 won by the second hypothesis."""
    margins = np.array([1.0, 1.0, -1.0])
    return HullCost(margins, np.array([1.0, -1.0, 1.0]), np.array([7.0, 2.0, 1.0]), p)


def has_minimum(cost: HullCost) -> bool:
    """Whether the cost has a local minimum above 0 (BA-P12): its slope rises through 0.

    >>> has_minimum(toy_cost(0.66974)), has_minimum(toy_cost(0.66975))
    (False, True)
    """
    grid = np.linspace(-8.0, 8.0, 321)
    slopes = np.array([cost(math.exp(at))[1] for at in grid])
    if bool(np.any((slopes[:-1] < 0.0) & (slopes[1:] >= 0.0))):
        return True
    lowest = int(np.argmin(np.where(np.abs(grid) < 6.0, slopes, np.inf)))
    low, high = grid[max(lowest - 1, 0)], grid[min(lowest + 1, len(grid) - 1)]
    for _ in range(100):  # the slope may dip below 0 between two points of the grid
        a, b = low + (high - low) / 3.0, high - (high - low) / 3.0
        at_a, at_b = cost(math.exp(a))[1], cost(math.exp(b))[1]
        if min(at_a, at_b) < 0.0:
            return True
        low, high = (low, b) if at_a < at_b else (a, high)
    return False
