"""Descent on the smoothed master problem, from what its rows answer (see smooth.py).

It asks the places that hold the rows (:mod:`.program_rows`) for values and gradients. Their answers
are exact sums: so its steps are the same bits in whatever order, and in how many places, rows are.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ...kernels.exact import bound_of, rounded
from ...types import Array
from .program_rows import Level, Sums, measure_caps, measure_edges, vote, vote_and_weigh, weigh

LEAST_EFFORT = 20
"""Evaluations of the smoothed problem in a round that has new columns."""
MOST_EFFORT = 160
"""Evaluations, after some rounds without new columns, in whose place Newton's method is taken."""
LOST = 2
"""Status of a search that found no lower value along a direction that promised one."""
COLDEST = 1e-9
"""Lowest temperature."""
ENOUGH = 1e-13
"""By how much the sum of weights may miss one, where the second derivative of the sum in ρ is at
most its first over β: that is what Newton's next step leaves, so it need not be looked at."""


class SmoothDescent:
    """Minimises the smoothed problem over the columns of a pool.

    Parameters
    ----------
    price : float or None
        Price of Σα; None where Σα is one, and ρ is found.
    ask : callable
        ``ask(question, *args)`` gives the answers of all places.

    Attributes
    ----------
    rho, beta : float
        Level of the last weights, and temperature.
    size : int
        Columns of the last call.
    """

    def __init__(self, price: float | None, ask: Callable[..., list[Any]]) -> None:
        self._ask = ask
        self._fixed, self._price = price is not None, price or 0.0
        self.rho, self.beta, self.size = float(self._fixed), 1.0, 0
        self._effort = LEAST_EFFORT
        totals, largest = zip(*ask(measure_caps), strict=True)
        self._cap = max(largest)
        self._cost = smoothing_cost(rounded(sum(totals)), self._fixed)

    def begin(self, size: int, gap: float) -> int:
        """Set the temperature; returns the evaluations allowed.

        Few while there are new columns, more and more when there are none: an oracle's answer costs
        no more than a few evaluations, so a rough solution over more columns beats a fine one over
        few.
        """
        self.beta = max(gap / self._cost, COLDEST)
        doubled = min(2 * self._effort, MOST_EFFORT)
        self._effort = doubled if size == self.size else LEAST_EFFORT
        self.size = size
        return self._effort

    def descend(
        self, start: Array, gap: float, check_clock: Callable[[], None]
    ) -> tuple[Array, bool]:
        """Improve coefficients; also whether the search was lost in rounding."""
        from scipy.optimize import minimize  # here, not above: half a second at import

        def evaluate(raw: Array) -> tuple[float, Array]:
            check_clock()
            return self.evaluate(raw)

        result = minimize(
            evaluate,
            start,
            jac=True,
            method="L-BFGS-B",
            bounds=[(0.0, None)] * len(start),
            options={
                "maxiter": self._effort,
                "maxfun": self._effort,
                "ftol": 0.0,
                "gtol": 0.05 * gap,
            },
        )
        coef = np.asarray(result.x)
        if not self._fixed:
            coef /= coef.sum() or 1.0
        self.find_rho(coef)
        return coef, result.status == LOST

    def total(self, coef: Array) -> float:
        """Have the weights of a combination written; returns their sum."""
        return self._sums(self._ask(weigh, self._level(self._ask(vote, coef)), False))[0]

    def evaluate(self, raw: Array) -> tuple[float, Array]:
        """Negative of the smoothed value, and its gradient; the ν-LP sees ``raw / Σ raw``."""
        # A search may try the empty vote, which has no shares.
        total = 1.0 if self._fixed else float(raw.sum()) or 1.0
        coef = raw / total
        level, weight = self.find_rho(coef)
        found = self._ask(measure_edges, level, 2.0 ** math.ceil(math.log2(max(weight, 1.0))))
        hinge = self._sums([sums for sums, _ in found])[2]
        loss = self._price * float(coef.sum()) - self.rho + hinge
        slope = self._price - sum(edges for _, edges in found)
        if not self._fixed:  # chain rule through the division by the total
            slope = (slope - slope @ coef) / total
        return loss, slope

    def find_rho(self, coef: Array) -> tuple[Level, float]:
        """Root of Σ cap σ((ρ - margin)/β) = 1, by Newton's method inside a bracket.

        Returns the level, and the sum of the weights there, but for rounding.
        """
        guess = Level(self.rho, self.beta, bound_of(self._cap), 0)
        found = self._ask(vote_and_weigh, coef, guess)
        level = self._level([extremes for extremes, _ in found])
        total, slope, _ = self._sums([sums for _, sums in found])
        if self._fixed:
            return level, total
        high = level.reach + 40.0 * self.beta
        low, rho = -high, self.rho
        if not low <= rho <= high:
            rho = min(max(rho, low), high)
            total, slope = self._weigh(level, rho)
        for _ in range(100):
            if abs(total - 1.0) < 10.0 * ENOUGH:
                break
            low, high = (low, rho) if total > 1.0 else (rho, high)
            step = rho - (total - 1.0) / slope if slope > 1e-300 else low
            new = step if low < step < high else 0.5 * (low + high)
            last = new == step and (total - 1.0) ** 2 < 2.0 * ENOUGH * self.beta * slope
            if new == rho:
                break
            rho = new
            if last:
                total = 1.0
                break
            total, slope = self._weigh(level, rho)
        self.rho = rho
        return level._replace(rho=rho), total

    def _weigh(self, level: Level, rho: float) -> tuple[float, float]:
        """Sum of the weights at ρ, and its slope."""
        total, slope, _ = self._sums(self._ask(weigh, level._replace(rho=rho), False))
        return total, slope

    def _level(self, extremes: list[tuple[float, float]]) -> Level:
        """Present level, for margins within these extremes."""
        reach = max(max(-low, high) for low, high in extremes)
        return Level.of(self.rho, self.beta, self._cap, reach)

    def _sums(self, answers: list[Sums]) -> tuple[float, float, float]:
        """Sum of the weights, its slope in ρ, and the hinge, of all places."""
        total, slope, hinge = (rounded(sum(column)) for column in zip(*answers, strict=True))
        return total, slope / self.beta, hinge * self.beta

    def get_state(self) -> dict[str, Any]:
        """Return what the next descent depends on besides the columns, as plain data."""
        return {"rho": self.rho, "beta": self.beta, "size": self.size, "effort": self._effort}

    def set_state(self, saved: dict[str, Any]) -> None:
        """Take it back."""
        self.rho, self.beta = float(saved["rho"]), float(saved["beta"])
        self.size, self._effort = int(saved["size"]), int(saved["effort"])


def smoothing_cost(total: float, free: bool) -> float:
    """Most that smoothing costs, over the temperature: the largest entropy Σ cap H(d / cap).

    H is the entropy of a coin, largest at one half. In the ν-LP the weights sum to one, so by
    concavity no more than equal shares of the caps have.
    """
    share = 0.5 if free else min(max(1.0 / total, 1e-300), 0.5 if total < 1.0 else 1.0)
    other = 1.0 - share
    entropy = -share * math.log(share) - (other * math.log(other) if other > 0.0 else 0.0)
    return max(total * entropy, 1e-300)
