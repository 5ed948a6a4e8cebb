"""The master problem for many examples: the hinge smoothed at a falling temperature β.

    max   ρ - price Σα - Σ_i cap_i β log(1 + exp((ρ - y_i F(x_i)) / β))

over α and, in the ν-LP, ρ. The weights that follow, d_i = cap_i σ((ρ - y_i F(x_i)) / β), are capped
and, at the best ρ, sum to one: they are feasible for the dual whatever α is. The temperature is
that at which smoothing could at worst cost the whole gap; it costs a fraction of that, so the gap
closes and the temperature falls with it. The work is linear in the number of examples.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from ...kernels.parallel import one_algebra_thread, run_blocks
from ...kernels.soft_margin import smoothed_hinge, smoothed_weights
from ...types import Array
from .base import Master
from .interior import InteriorMaster
from .packed_pool import PackedPool
from .problem import MarginProblem

T = TypeVar("T")

ROWS = 1 << 15
"""Rows of one task; sums are added up in the order of tasks."""
LEAST_EFFORT = 20
"""Evaluations of the smoothed problem in a round that has new columns."""
MOST_EFFORT = 160
"""Evaluations, after some rounds without new columns, in whose place Newton's method is taken."""
LOST = 2
"""Status of a search that found no lower value along a direction that promised one."""
CLOSE = 1e-7
"""Distance of the sum of weights from one at which one more step of Newton's method is the last."""
COLDEST = 1e-9
"""Lowest temperature."""


class SmoothMaster(Master):
    """Approximate master problem whose cost is linear in the number of examples."""

    def __init__(
        self, problem: MarginProblem, y: Array, n_threads: int = 1, seconds: float | None = None
    ) -> None:
        super().__init__(problem, y, n_threads, seconds)
        self._fixed = problem.price is not None
        self._price = problem.price or 0.0
        self._rho, self._beta = float(self._fixed), 1.0
        self._size, self._effort = 0, LEAST_EFFORT
        self._polished = False
        self._interior = InteriorMaster(problem, y, n_threads, seconds)
        self._cost = _smoothing_cost(float(problem.caps.sum()), self._fixed)
        self.weights = np.empty(len(y))

    def solve(self, pool: PackedPool, start: Array, gap: float) -> tuple[Array, Array]:
        """Improve the coefficients from ``start``; good to a share of the gap."""
        from scipy.optimize import minimize  # here, not above: half a second at import

        self._start_clock()
        self._beta = max(gap / self._cost, COLDEST)
        effort = self._next_effort(len(start))
        if effort >= MOST_EFFORT:
            return self._polish(pool, start, gap)
        with one_algebra_thread():
            result = minimize(
                lambda raw: self._evaluate(pool, raw),
                start,
                jac=True,
                method="L-BFGS-B",
                bounds=[(0.0, None)] * len(start),
                options={"maxiter": effort, "maxfun": effort, "ftol": 0.0, "gtol": 0.05 * gap},
            )
        coef = np.asarray(result.x)
        if not self._fixed:
            coef /= coef.sum() or 1.0
        if result.status == LOST:
            return self._polish(pool, coef, gap)
        self._find_rho(self.y * pool.combine(coef))
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

    def _next_effort(self, size: int) -> int:
        """Evaluations allowed: few while there are new columns, more and more when there are none.

        An oracle's answer costs no more than a few evaluations: a rough solution over more columns
        beats a fine one over few.
        """
        doubled = min(2 * self._effort, MOST_EFFORT)
        self._effort = doubled if size == self._size else LEAST_EFFORT
        self._size = size
        return self._effort

    def forget(self, kept: Array) -> None:
        """Take note that the pool is smaller, not new."""
        self._size = len(kept)

    def weights_again(self, pool: PackedPool, coef: Array) -> Array:
        """Weights of a combination: capped, with sum one."""
        if self._polished:
            return self.weights
        self._weigh(self.y * pool.combine(coef), self._rho)
        return self.weights / self.weights.sum()

    def _evaluate(self, pool: PackedPool, raw: Array) -> tuple[float, Array]:
        """Negative of the smoothed value, and its gradient; the ν-LP sees ``raw / Σ raw``."""
        self._check_clock()
        # A search may try the empty vote, which has no shares.
        total = 1.0 if self._fixed else float(raw.sum()) or 1.0
        coef = raw / total
        margins = self.y * pool.combine(coef)
        self._find_rho(margins)
        hinge = self._weigh(margins, self._rho, hinge=True)[2]
        loss = self._price * float(coef.sum()) - self._rho + hinge
        slope = self._price - pool.edges(self.y * self.weights)
        if not self._fixed:  # chain rule through the division by the total
            slope = (slope - slope @ coef) / total
        return loss, slope

    def _find_rho(self, margins: Array) -> None:
        """Root of Σ cap σ((ρ - margin)/β) = 1, by Newton's method inside a bracket."""
        if self._fixed:
            return
        reach = float(np.abs(margins).max()) + 40.0 * self._beta
        low, high = -reach, reach
        rho = min(max(self._rho, low), high)
        for _ in range(100):
            total, slope, _ = self._weigh(margins, rho)
            if abs(total - 1.0) < CLOSE:
                rho -= (total - 1.0) / max(slope, 1e-300)
                break
            low, high = (low, rho) if total > 1.0 else (rho, high)
            step = rho - (total - 1.0) / slope if slope > 1e-300 else low
            new = step if low < step < high else 0.5 * (low + high)
            if new == rho:
                break
            rho = new
        self._rho = rho

    def _weigh(self, margins: Array, rho: float, hinge: bool = False) -> tuple[float, float, float]:
        """Write the weights at ρ; their sum, its slope in ρ and, if asked for, the hinge."""
        beta, caps = self._beta, self.problem.caps

        def part(here: slice) -> tuple[float, float, float]:
            mine = margins[here]
            total, slope = smoothed_weights(mine, rho, beta, caps[here], self.weights[here])
            return total, slope, smoothed_hinge(mine, rho, beta, caps[here]) if hinge else 0.0

        parts = self._over_rows(part)
        total, slope, loss = (math.fsum(column) for column in zip(*parts, strict=True))
        return total, slope / beta, loss * beta

    def _over_rows(self, part: Callable[[slice], T]) -> list[T]:
        n_tasks = -(-len(self.y) // ROWS)
        results: list[Any] = [None] * n_tasks

        def one(task: int) -> None:
            results[task] = part(slice(task * ROWS, (task + 1) * ROWS))

        run_blocks(one, n_tasks, self.n_threads)
        return results

    def get_state(self) -> dict[str, Any]:
        """Return ρ and temperature, from which weights follow unless polished, and the effort."""
        return {
            "weights": self.weights.tolist() if self._polished else None,
            "rho": self._rho,
            "beta": self._beta,
            "size": self._size,
            "effort": self._effort,
        }

    def set_state(self, saved: dict[str, Any]) -> None:
        """Take it back."""
        self._polished = saved["weights"] is not None
        if self._polished:
            self.weights = np.array(saved["weights"])
        self._rho, self._beta = float(saved["rho"]), float(saved["beta"])
        self._size, self._effort = int(saved["size"]), int(saved["effort"])


def _smoothing_cost(total: float, free: bool) -> float:
    """Most that smoothing costs, over the temperature: the largest entropy Σ cap H(d / cap).

    H is the entropy of a coin, largest at one half. In the ν-LP the weights sum to one, so by
    concavity no more than equal shares of the caps have.
    """
    share = 0.5 if free else min(max(1.0 / total, 1e-300), 0.5 if total < 1.0 else 1.0)
    other = 1.0 - share
    entropy = -share * math.log(share) - (other * math.log(other) if other > 0.0 else 0.0)
    return max(total * entropy, 1e-300)
