"""Regression programs for many examples: the edges of the tube rounded off at a temperature β.

    min  price Σα + Σ_k Σ_i p_i β log(1 + exp((pull_ki - λ_k) / β)) + Σ shares λ

over α >= 0 and the edges λ of the tube, where ``pull`` are gains less signed scores (eq. 5.37). The
weights that follow, x = p σ((pull - λ) / β), are within their box and, at the best λ, meet their
sums: they are feasible for the dual whatever α is. The temperature falls with the gap.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...kernels.parallel import run_rows
from ...kernels.soft_margin import smoothed_hinge, smoothed_weights
from ...types import Array
from .base import Master
from .packed_pool import PackedPool
from .program_rows import ROWS
from .smooth_descent import COLDEST, LEAST_EFFORT, LOST, MOST_EFFORT
from .tube import TubeProblem
from .tube_interior import TubeInterior

MEETS = 1e-11
"""Share of all weight by which weights may miss their sums; they are balanced afterwards."""
MOST_TRIALS = 100
"""Steps of the search for an edge of the tube."""


class RoundedTube:
    """The tube's cost, rounded off: its best edges, value, weights and slopes.

    Parameters
    ----------
    problem : TubeProblem
        The program.
    n_threads : int
        Threads.

    Attributes
    ----------
    levels : array
        Edges λ, from which the next search starts.
    sides : array
        Weights x of the last scores, one row per side.
    """

    def __init__(self, problem: TubeProblem, n_threads: int = 1) -> None:
        self.problem, self._n_threads = problem, n_threads
        self._gains = problem.gains()
        self.levels = np.zeros(len(problem.shares))
        self.sides = np.empty(self._gains.shape)

    def settle(self, scores: Array, beta: float, hinge: bool = False) -> float:
        """Find the best edges for these scores and make the weights; the rounded cost if asked."""
        margins = np.outer(self.problem.signs, scores) - self._gains
        loss = 0.0
        for r, row in enumerate(self.problem.equations):
            self._find(margins, r, beta)
            if hinge:
                parts = [self._weigh(margins, k, row[k] * self.levels[r], beta, True)[2]
                         for k in np.flatnonzero(row).tolist()]  # fmt: skip
                loss += sum(parts)
        if not hinge:
            return 0.0
        linear = float(self.problem.caps @ (self.problem.y - scores)) if self.problem.shift else 0.0
        return loss + float(self.problem.shares @ self.levels) - self.problem.shift * linear

    def dual(self) -> Array:
        """Signed weights of the last scores, not normalised."""
        return self.problem.signed(self.sides)

    def _find(self, margins: Array, r: int, beta: float) -> None:
        """Root of ``Σ_k E_rk Σ x_k = shares_r`` in λ_r, by Newton's method inside a bracket."""
        row, share = self.problem.equations[r], float(self.problem.shares[r])
        used = np.flatnonzero(row).tolist()
        far = max(float(np.abs(margins[k]).max()) for k in used) + 40.0 * beta
        low, high = -far, far
        at = min(max(float(self.levels[r]), low), high)
        for _ in range(MOST_TRIALS):
            facts = [self._weigh(margins, k, row[k] * at, beta) for k in used]
            total = sum(row[k] * fact[0] for k, fact in zip(used, facts, strict=True)) - share
            if abs(total) < MEETS:
                break
            low, high = (at, high) if total > 0.0 else (low, at)
            slope = sum(fact[1] for fact in facts)
            step = at + total / slope if slope > 1e-300 else low
            new = step if low < step < high else 0.5 * (low + high)
            if new == at:
                break
            at = new
        self.levels[r] = at

    def _weigh(
        self, margins: Array, k: int, level: float, beta: float, hinge: bool = False
    ) -> tuple[float, float, float]:
        """Write the weights of a side; their sum, its slope and, if asked for, the cost."""
        caps = self.problem.caps

        def part(start: int, stop: int) -> tuple[float, float, float]:
            here = slice(start, stop)
            mine, out = margins[k, here], self.sides[k, here]
            total, slope = smoothed_weights(mine, -level, beta, caps[here], out)
            return total, slope, smoothed_hinge(mine, -level, beta, caps[here]) if hinge else 0.0

        parts = run_rows(part, len(caps), self._n_threads, ROWS)
        total, slope, loss = (math.fsum(column) for column in zip(*parts, strict=True))
        return total, slope / beta, loss * beta


class TubeSmooth(Master):
    """Approximate master problem of a regression whose cost is linear in the number of examples."""

    problem: TubeProblem

    def __init__(
        self, problem: TubeProblem, y: Array, n_threads: int = 1, seconds: float | None = None
    ) -> None:
        super().__init__(problem, y, n_threads, seconds)
        self._tube = RoundedTube(problem, n_threads)
        self._interior = TubeInterior(problem, y, n_threads, seconds)
        self._beta = 1.0
        self._size, self._effort = 0, LEAST_EFFORT
        self._polished = False

    def solve(self, pool: PackedPool, start: Array, gap: float) -> tuple[Array, Array]:
        """Improve the coefficients from ``start``; good to a share of the gap."""
        from scipy.optimize import minimize  # here, not above: half a second at import

        self._start_clock()
        effort = self._next_effort(len(start))
        # Without new columns this temperature has shown all it can: a lower one asks for others.
        self._beta = max(gap / self.problem.entropy() * LEAST_EFFORT / effort, COLDEST)
        if effort >= MOST_EFFORT:
            return self._polish(pool, start, gap)
        # Bounds shrink by what edges exceed the price, as a share of it.
        enough = 0.05 * min(gap, self.problem.price)
        result = minimize(
            lambda coef: self._evaluate(pool, coef),
            start,
            jac=True,
            method="L-BFGS-B",
            bounds=[(0.0, None)] * len(start),
            options={"maxiter": effort, "maxfun": effort, "ftol": 0.0, "gtol": enough},
        )
        coef = np.asarray(result.x)
        if result.status == LOST:
            return self._polish(pool, coef, gap)
        self._polished = False
        return coef, self.weights_again(pool, coef)

    def begin_with(self, weights: Array) -> None:
        """Take weights that were found elsewhere, as those of Newton's method are."""
        super().begin_with(weights)
        self._polished = True

    def _evaluate(self, pool: PackedPool, coef: Array) -> tuple[float, Array]:
        """Rounded objective and its gradient."""
        self._check_clock()
        loss = self._tube.settle(pool.combine(coef), self._beta, hinge=True)
        price = self.problem.price
        return price * float(coef.sum()) + loss, price - pool.edges(self._tube.dual())

    def _polish(self, pool: PackedPool, coef: Array, gap: float) -> tuple[Array, Array]:
        """Finish by Newton's method, where a search that compares values cannot go on."""
        coef, self.weights = self._interior.solve(pool, coef, gap)
        self._polished = True
        self._tube.levels[:] = 0.0  # as in a run that is resumed here
        return coef, self.weights

    def _next_effort(self, size: int) -> int:
        """Evaluations allowed: few while there are new columns, more when there are none."""
        doubled = min(2 * self._effort, MOST_EFFORT)
        self._effort = doubled if size == self._size else LEAST_EFFORT
        self._size = size
        return self._effort

    def forget(self, kept: Array) -> None:
        """Take note that the pool is smaller, not new."""
        self._size = len(kept)

    def weights_again(self, pool: PackedPool, coef: Array) -> Array:
        """Weights of a combination: balanced, Σ|d| = 1."""
        if not self._polished:
            scores = pool.combine(coef)
            # From the edges without rounding: the search must not depend on what came before.
            self._tube.levels[:] = self.problem.levels(self.problem.y - scores)
            self._tube.settle(scores, self._beta)
            self.weights = self.problem.balanced(self._tube.dual())
        return self.weights

    def get_state(self) -> dict[str, Any]:
        """Return the temperature, from which weights follow unless polished, and the effort."""
        return {
            "weights": self.weights.tolist() if self._polished else None,
            "beta": self._beta,
            "size": self._size,
            "effort": self._effort,
        }

    def set_state(self, saved: dict[str, Any]) -> None:
        """Take it back."""
        self._polished = saved["weights"] is not None
        if self._polished:
            self.weights = np.array(saved["weights"])
        self._beta = float(saved["beta"])
        self._size, self._effort = int(saved["size"]), int(saved["effort"])
