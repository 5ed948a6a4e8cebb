"""Proven bounds on regression programs: what rounding may have cost is counted against them.

A bound must hold for numbers of any size: weights from 1e-290 to 1, targets near 0 beside one of
1e12. Sums are exact; every other rounding is at most 2⁻⁵³ of the numbers that take part in it, and
SLACK of their sizes is more than all of them together:

- a residual y - F - b is off by at most SLACK (|y| + |F| + |edges|), so that a cost is at most that
  of residuals so much larger or smaller (losses are convex);
- weights d whose exact sum S is not 0 are feasible after the heavier side was made lighter, which
  moves at most |S| of them: edges and gain change by no more than that;
- the base learner settles ties of 1e-12, and its sums of weights round: a larger edge may exist;
- θ d stays inside of the box by SLACK, so that prior weights may be off by that much, too.

The cost of the best constant is bounded from below in the same way, by the weights that prove it.
"""

from __future__ import annotations

import math

import numpy as np

from ...kernels.exact import exact_sum, rounded
from ...kernels.ties import TIE
from ...types import Array
from .tube import Tube, TubeProblem

SLACK = 2.0**-49
"""More than all roundings of a row together, over the sizes of its numbers."""
EDGES = 10.0 * TIE
"""By how much the largest edge may exceed that of the hypothesis chosen: two ties are settled, and
three sides may have a sign of their own, each worth twice a tie."""
LIGHT = 1e-15
"""Weights below this share of the largest one are kept inside of the box one by one."""
LEAST = 5e-324
"""More than what a number loses that is too small for all of its digits."""


class TubeBounds:
    """Bounds on what a program's combinations gain, from any combination and any weights.

    Parameters
    ----------
    problem : TubeProblem
        The program.

    Attributes
    ----------
    most, least : float
        The cost of the best constant is between these.
    """

    def __init__(self, problem: TubeProblem) -> None:
        tube = problem.best_tube(problem.y)
        self._problem, self._centre = problem, tube.intercept
        self._off = problem.y - self._centre
        self._grain = LEAST if problem.y.any() else 0.0
        light = problem.caps < LIGHT * float(problem.caps.max())
        self._light = np.flatnonzero(light) if light.any() else None
        self.most = self._cost(np.zeros(len(problem.y)), tube)
        self.least = min(self.proven_cost(problem.constant_weights()), self.most)

    def lower(self, scores: Array, tube: Tube, l1_norm: float, n_terms: int = 0) -> float:
        """Bound from a combination: scores and a tube around them, and Σα.

        ``n_terms`` is how many products were added to make a score, each at most α; 0 if scores are
        taken as they are.
        """
        price, cost = self._priced(scores, tube, l1_norm, n_terms)
        if not (math.isfinite(price) and math.isfinite(cost)):
            return -math.inf
        return float((self.least - cost) - price - SLACK * (self.least + cost + price))

    def upper(self, weights: Array, edge: float) -> float:
        """Bound from signed weights of which ``edge`` is the largest edge that was found.

        Weights that are far from balanced prove no more than that no cost is below 0.
        """
        proven = (1.0 - SLACK) * self.proven_cost(weights, edge)
        return float(self.most - proven + SLACK * self.most)

    def highest_cost(self, scores: Array, tube: Tube, l1_norm: float, n_terms: int = 0) -> float:
        """Most that a combination costs with its price; arguments as of :meth:`lower`."""
        price, cost = self._priced(scores, tube, l1_norm, n_terms)
        return (price + cost) * (1.0 + SLACK)

    def _priced(
        self, scores: Array, tube: Tube, l1_norm: float, n_terms: int
    ) -> tuple[float, float]:
        """Most that Σα costs, and most that the residuals do."""
        if not (np.isfinite(scores).all() and math.isfinite(l1_norm)):
            return math.inf, math.inf
        rounding = n_terms * SLACK * l1_norm
        price = self._problem.price * (l1_norm + rounding) * (1.0 + SLACK)
        return price, self._cost(scores, tube) + rounding

    def _cost(self, scores: Array, tube: Tube) -> float:
        """Most that scores with a tube around them cost."""
        problem = self._problem
        sizes = np.abs(problem.y) + np.abs(scores) + (abs(tube.upper) + abs(tube.lower))
        off, room = problem.y - scores, SLACK * sizes + self._grain
        losses = np.maximum(problem.losses(off + room, tube), problem.losses(off - room, tube))
        cost = _total(problem.caps * losses) + problem.width_cost(tube)
        return cost * (1.0 + SLACK) + LEAST * np.count_nonzero(losses)

    def proven_cost(self, weights: Array, edge: float | None = None) -> float:
        """Least cost that balanced weights prove, stretched as far as box, sum and price allow.

        Without an edge, the cost of the best constant.
        """
        problem, size = self._problem, _total(np.abs(weights))
        if not 0.0 < size < math.inf:
            return 0.0
        rounding = (EDGES + len(weights) * SLACK) * max(1.0, size)
        stretch = min(problem.limits[2] / size, self._room(weights))
        inside, moved = self._inside(weights, stretch)
        size, skew = _total(np.abs(inside)), abs(_total(inside))
        if size == 0.0:
            return 0.0
        if edge is not None:
            stretch = min(stretch, problem.price / (max(edge, 0.0) + rounding + moved + skew))
        sizes = _total(np.abs(inside * self._off))
        lost = 2.0 * skew / size * sizes + self._grain * (size + len(inside))
        lost += SLACK * (sizes + (abs(self._centre) + problem.width) * size)
        gain = _total(inside * self._off) - problem.width * size - lost
        return max((1.0 - SLACK) * stretch * gain, 0.0)

    def _room(self, weights: Array) -> float:
        """Largest multiple of the weights that is inside of the box, light rows aside."""
        most, least, _ = self._problem.limits
        reach = np.maximum(weights / most, -weights / least) / self._problem.caps
        largest = float(reach.max())
        if self._light is not None:
            reach[self._light] = 0.0
            largest = float(reach.max()) or largest
        return (1.0 - SLACK) / largest

    def _inside(self, weights: Array, stretch: float) -> tuple[Array, float]:
        """Weights whose multiple is inside of the box in light rows too, and what was taken off."""
        if self._light is None:
            return weights, 0.0
        most, least, _ = self._problem.limits
        inside, room = weights.copy(), (1.0 - SLACK) * self._problem.caps[self._light] / stretch
        inside[self._light] = np.clip(weights[self._light], -least * room, most * room)
        return inside, _total(np.abs(weights - inside))


def _total(values: Array) -> float:
    """Sum of numbers, rounded once; infinite where one of them is not finite."""
    return rounded(exact_sum(values)) if np.isfinite(values).all() else math.inf
