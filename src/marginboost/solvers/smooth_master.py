"""The master problem of the ν-LP for many examples: the hinge smoothed at a falling temperature.

    max over α in the simplex, ρ:   ρ - Σ_i cap_i β log(1 + exp((ρ - ρ_i(α)) / β))

The weights that follow, d_i = cap_i σ((ρ - ρ_i)/β), are capped and, at the best ρ, sum to one: they
are feasible for the dual whatever α is, so their largest edge is a valid upper bound. The soft
margin of any α is a valid lower bound. The master therefore need not be exact for the certificate
to be; it only has to bring the two together. The temperature follows the gap.
"""

from __future__ import annotations

import math

import numpy as np
from threadpoolctl import threadpool_limits

from ..core.pool import ColumnPool
from ..core.types import Array
from ..kernels.soft_margin import capped_weights, smoothed_hinge
from ..kernels.threads import run_rows

SHARE = 0.2
"""Share of the gap that smoothing may cost."""


class SmoothMaster:
    """Approximate master problem whose cost is linear in the number of examples.

    Parameters
    ----------
    y : array
        Labels.
    caps : array
        Largest weight of each example.
    n_threads : int
        Threads.
    rho : float
        Where the search for ρ begins; it then goes on from the last one.
    """

    def __init__(self, y: Array, caps: Array, n_threads: int = 1, rho: float = 0.0) -> None:
        self._y, self._caps, self._n_threads = y, caps, n_threads
        self.rho = rho
        self._weights = np.empty(len(y))

    def temperature(self, gap: float) -> float:
        """Temperature at which smoothing costs a fixed share of the gap."""
        return max(SHARE * gap / (np.log(2.0) * float(self._caps.sum())), 1e-9)

    def solve(self, pool: ColumnPool, start: Array, gap: float) -> Array:
        """Improve the coefficients from ``start``; good to a share of the gap."""
        from scipy.optimize import minimize  # here, not above: half a second at import

        beta = self.temperature(gap)

        def objective(raw: Array) -> tuple[float, Array]:
            total = raw.sum()
            coef = raw / total
            loss, weights = self._evaluate(pool.combine(coef), beta)
            slope = -pool.edges(self._y * weights)
            # Chain rule through the division by the total.
            return loss, (slope - slope @ coef) / total

        with threadpool_limits(
            1, "blas"
        ):  # vectors as long as the pool: threads only get in the way
            result = minimize(
                objective,
                start,
                jac=True,
                method="L-BFGS-B",
                bounds=[(0.0, None)] * len(start),
                options={"maxiter": 50, "maxfun": 80, "ftol": 1e-10, "gtol": 0.05 * gap},
            )
        return np.asarray(result.x / result.x.sum())

    def point(self, scores: Array, gap: float) -> tuple[float, float]:
        """Best ρ of a combination, and the temperature."""
        beta = self.temperature(gap)
        return self._best_rho(scores, beta), beta

    def weights_at(self, scores: Array, rho: float, beta: float) -> Array:
        """Dual weights of a combination: capped, with sum one."""
        self._weigh(scores, rho, beta)
        return self._weights / self._weights.sum()

    def _evaluate(self, scores: Array, beta: float) -> tuple[float, Array]:
        """Negative smoothed soft margin at the best ρ, and the weights there."""
        rho = self._best_rho(scores, beta)

        def part(start: int, stop: int) -> float:
            here = slice(start, stop)
            return smoothed_hinge(scores[here], self._y[here], self._caps[here], rho, beta)

        hinge = sum(run_rows(part, len(scores), self._n_threads))
        return beta * hinge - rho, self._weights

    def _best_rho(self, scores: Array, beta: float) -> float:
        """Root of Σ cap σ((ρ - margin)/β) = 1, by Newton's method inside a bracket."""
        reach = float(np.abs(scores).max()) + 40.0 * beta
        low, high = -reach, reach
        rho = min(max(self.rho, low), high)
        for _ in range(100):
            excess, slope = self._weigh(scores, rho, beta)
            if abs(excess) < 1e-12:
                break
            if excess > 0.0:
                high = rho
            else:
                low = rho
            step = rho - excess / slope if slope > 1e-300 else low
            rho = step if low < step < high else 0.5 * (low + high)
        self.rho = rho
        return rho

    def _weigh(self, scores: Array, rho: float, beta: float) -> tuple[float, float]:
        """Write the weights at ρ; by how much their sum exceeds one, and its slope in ρ."""

        def part(start: int, stop: int) -> tuple[float, float]:
            here = slice(start, stop)
            return capped_weights(
                scores[here], self._y[here], self._caps[here], rho, beta, self._weights[here]
            )

        parts = run_rows(part, len(scores), self._n_threads)
        return math.fsum(p[0] for p in parts) - 1.0, math.fsum(p[1] for p in parts) / beta
