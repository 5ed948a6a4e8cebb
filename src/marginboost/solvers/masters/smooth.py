"""The master problem for many examples: the hinge smoothed at a falling temperature β.

    max   ρ - price Σα - Σ_i cap_i β log(1 + exp((ρ - y_i F(x_i)) / β))

over α and, in the ν-LP, ρ. The weights that follow, d_i = cap_i σ((ρ - y_i F(x_i)) / β), are capped
and, at the best ρ, sum to one: they are feasible for the dual whatever α is. The temperature is
that at which smoothing could at worst cost the whole gap; it costs a fraction of that, so the gap
closes and the temperature falls with it. The work is linear in the number of examples.
"""

from __future__ import annotations

from typing import Any, TypeVar

from ...types import Array
from .base import Master
from .interior import InteriorMaster
from .packed_pool import PackedPool
from .problem import MarginProblem
from .program_rows import ProgramRows, Question
from .smooth_descent import MOST_EFFORT, SmoothDescent

T = TypeVar("T")

FEW_COLUMNS = 250
"""Columns up to which Newton's method is the faster, with some hundred to thousand rows."""


class SmoothMaster(Master):
    """Approximate master problem whose cost is linear in the number of examples.

    With up to ``few`` columns it is solved by Newton's method, whose systems are then small.
    """

    few = 0

    def __init__(
        self, problem: MarginProblem, y: Array, n_threads: int = 1, seconds: float | None = None
    ) -> None:
        super().__init__(problem, y, n_threads, seconds)
        self._rows = ProgramRows(problem.caps, y, n_threads)
        self.descent = SmoothDescent(problem.price, self._ask)
        self._polished = False
        self._interior = InteriorMaster(problem, y, n_threads, seconds)

    def _ask(self, question: Question[T], *args: Any) -> list[T]:
        return [question(self._rows, *args)]

    def solve(self, pool: PackedPool, start: Array, gap: float) -> tuple[Array, Array]:
        """Improve the coefficients from ``start``; good to a share of the gap."""
        self._start_clock()
        self._rows.pool = pool
        effort = self.descent.begin(len(start), gap)
        if effort >= MOST_EFFORT or len(start) <= self.few:
            return self._polish(pool, start, gap)
        coef, lost = self.descent.descend(start, gap, self._check_clock)
        if lost:
            return self._polish(pool, coef, gap)
        self._polished = False
        return coef, self.weights_again(pool, coef)

    def _polish(self, pool: PackedPool, coef: Array, gap: float) -> tuple[Array, Array]:
        """Finish by Newton's method.

        Values known to a relative ε tell slopes to √(ε/β) only, so at a low temperature a search
        that compares values cannot go on; and near the end it may crawl.
        """
        coef, self.weights = self._interior.solve(pool, coef, gap)
        self._polished = True
        return coef, self.weights

    def forget(self, kept: Array) -> None:
        """Take note that the pool is smaller, not new."""
        self.descent.size = len(kept)

    def weights_again(self, pool: PackedPool, coef: Array) -> Array:
        """Weights of a combination: capped, with sum one."""
        if not self._polished:
            self._rows.pool = pool
            total = self.descent.total(coef)
            self.weights = self._rows.weights / total
        return self.weights

    def get_state(self) -> dict[str, Any]:
        """Return ρ and temperature, from which weights follow unless polished, and the effort."""
        weights = self.weights.tolist() if self._polished else None
        return {"weights": weights, **self.descent.get_state()}

    def set_state(self, saved: dict[str, Any]) -> None:
        """Take it back."""
        self._polished = saved["weights"] is not None
        if self._polished:
            super().set_state(saved)
        self.descent.set_state(saved)


class NewtonThenSmooth(SmoothMaster):
    """The same for some hundred or thousand rows: smoothed only where columns are many."""

    few = FEW_COLUMNS
