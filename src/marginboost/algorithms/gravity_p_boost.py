"""Gravity p-boost: a price on the p-norm pulls the vote towards the origin (BA-A7; eq. 4.14).

Problem: minimise Σ prior exp(-y F) + λ ‖b‖_p over votes F = Σ b h, one hypothesis per round. With
B = Σ b^p of the vote so far and weights d ∝ prior exp(-y F), the step is

    α = argmin_{α >= 0}  Σ prior exp(-y (F + α h)) + λ (B + α^p)^(1/p).

For p = 1 and outputs ±1 it is log u, u = (√(λ² + 4 W₊W₋) - λ) / (2 W₋), which is above 0 only
where W₊ - W₋ > λ: the run ends where no edge pays for its price. For p < 1 the price rises
infinitely fast at 0, so that α = 0 always is a local minimum: steps are searched for globally and
taken only where the sum falls. With λ = 0 this is AdaBoost.

The source has no experiments with it, and the author's code for it never ran.

Certificate: as for AdaBoost, the smallest margin bounds the largest one, ρ*, from below, every
largest edge from above. Rate: none is claimed.

Reference: Barnes 1999, section 4.5.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..core.oracle import Candidate
from ..core.state import State
from ..core.stop import Stop
from ..solvers.p_hull import LARGEST, log_norm, p_norm
from ..types import Array
from ._p_hull import Move, PHullRule

GRID = 97
SMALLEST_SHARE = 1e-9
"""Smallest step looked at, as a share of AdaBoost's; the minimum is never above that one."""


class GravityPBoost(PHullRule):
    """AdaBoost with a price on the p-norm of the coefficients.

    Parameters
    ----------
    p : float
        Above 0.
    penalty : float
        λ, at least 0.
    max_restarts : int
        Most fresh starts where no step pays.
    """

    def __init__(self, p: float = 1.5, penalty: float = 0.1, max_restarts: int = 0) -> None:
        super().__init__(p, max_restarts)
        self.penalty = penalty

    def find_move(self, state: State, best: Candidate) -> Move | Stop:
        """Search between 0 and AdaBoost's step, which no penalised one exceeds."""
        longest = self.line_step(state, best)
        if longest <= 0.0:
            return Stop.STALLED
        step = longest
        if self.penalty > 0.0:
            step = _least(PricedCost.of(state, best, self.p, self.penalty), longest)
        return Move(1.0, step, step) if step > 0.0 else Stop.STALLED


@dataclass(frozen=True)
class PricedCost:
    """Cost and price of the vote after a step along a hypothesis.

    Attributes
    ----------
    weights, outcomes : array
        ``prior exp(-y F)`` and ``y h(x)``; of outputs ±1 summed up over the two groups.
    held : float
        p-norm of the coefficients so far.
    p, penalty : float
        Of the price.
    """

    weights: Array
    outcomes: Array
    held: float
    p: float
    penalty: float

    @classmethod
    def of(cls, state: State, best: Candidate, p: float, penalty: float) -> PricedCost:
        """Cost along a candidate."""
        sample = state.sample
        weights = sample.prior * np.exp(-sample.y * state.scores)
        outcomes: Array = sample.y * best.column
        if best.binary:
            weights = np.array([weights[outcomes > 0].sum(), weights[outcomes < 0].sum()])
            outcomes = np.array([1.0, -1.0])
        return cls(weights, outcomes, p_norm(np.array(state.coef[state.first :]), p), p, penalty)

    def _log_norm(self, step: float) -> float:
        if self.held == 0.0:
            return math.log(step)
        return math.log(self.held) + log_norm(step / self.held, self.p)

    def value(self, step: float) -> float:
        """Cost plus price."""
        if step == 0.0:
            return float(self.weights.sum()) + self.penalty * self.held
        price = self.penalty * _exp(self._log_norm(step))
        return float(self.weights @ np.exp(-step * self.outcomes)) + price

    def slope(self, step: float) -> float:
        """Derivative by the step, above 0."""
        gain = float((self.weights * self.outcomes) @ np.exp(-step * self.outcomes))
        return self.penalty * _exp((self.p - 1.0) * (math.log(step) - self._log_norm(step))) - gain


def _exp(log: float) -> float:
    return math.exp(log) if log < LARGEST else math.inf


def _least(cost: PricedCost, longest: float) -> float:
    """Step in (0, longest] where the sum is least; 0 where none is below its value at 0."""
    grid = longest * np.geomspace(SMALLEST_SHARE, 1.0, GRID)
    best = int(np.argmin([cost.value(step) for step in grid]))
    low, high = float(grid[max(best - 1, 0)]), float(grid[min(best + 1, GRID - 1)])
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if cost.slope(middle) < 0.0 else (low, middle)
    step = 0.5 * (low + high)
    return step if cost.value(step) < cost.value(0.0) else 0.0
