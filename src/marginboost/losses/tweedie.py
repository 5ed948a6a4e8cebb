"""Losses of counts and amounts, whose score is the logarithm of the mean (Tweedie 1984).

With ``μ = exp(F)`` and a power p in [1, 2] the loss is half the deviance,

    y^(2-p) / ((1-p) (2-p)) - y μ^(1-p) / (1-p) + μ^(2-p) / (2-p)

    p = 1, Poisson:   y log(y / μ) - y + μ        counts, y >= 0
    p = 2, Gamma:     log(μ / y) + y / μ - 1      amounts, y > 0
    between:          sums of a random number of amounts, y >= 0, often 0

0 where μ = y, convex in F, with slope ``-∂L/∂F = (y - μ) μ^(1-p)``. It is no function of one number
that comes from target and score, so its argument is both of them.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import xlogy

from ..types import Array
from ..validation import check_number
from .base import Loss

LARGEST_SCORE = 600.0
"""Larger scores count as this: exponentials of larger numbers, and their products, overflow."""

SMALLEST_TARGET = 1e-200
"""Below it, means would be cut off by that limit."""


class MeanLoss(Loss):
    """A loss of a nonnegative target y and of a score F with ``μ = exp(F)``.

    Arguments are arrays of two rows, targets and scores. Registered apart from losses of one
    number, which classifiers can use.
    """

    of_labels = False
    orientation = 1
    symmetric = False
    zeros: ClassVar[bool] = True
    """Whether a target may be 0."""

    @property
    @abstractmethod
    def exponent(self) -> float:
        """Power p of the mean to which the variance is in proportion."""

    @property
    def dual_range(self) -> tuple[float, float]:
        """All numbers."""
        return -np.inf, np.inf

    def argument(self, y: Array | float, scores: Array) -> Array:
        """Targets and scores, one above the other."""
        return np.array(np.broadcast_arrays(y, np.asarray(scores, dtype=float)))

    def signed(self, y: Array | float, d: Array) -> Array:
        """``d`` itself."""
        return d

    def _parts(self, t: Array) -> tuple[Array, Array, Array]:
        """Targets, ``y μ^(1-p)`` and ``μ^(2-p)``."""
        y, score = t[0], np.clip(t[1], -LARGEST_SCORE, LARGEST_SCORE)
        p = self.exponent
        return y, y * np.exp((1.0 - p) * score), np.exp((2.0 - p) * score)

    def value(self, t: Array) -> Array:
        """Half the deviance."""
        (y, pull, mean), p = self._parts(t), self.exponent
        score = np.clip(t[1], -LARGEST_SCORE, LARGEST_SCORE)
        if p == 1.0:
            return np.maximum(xlogy(y, y) - y * score - y + mean, 0.0)
        if p == 2.0:
            return np.maximum(score - np.log(y) + pull - 1.0, 0.0)
        own = y ** (2.0 - p) / ((1.0 - p) * (2.0 - p))
        return np.maximum(own - pull / (1.0 - p) + mean / (2.0 - p), 0.0)

    def dual(self, t: Array) -> Array:
        """``(y - μ) μ^(1-p)``."""
        _, pull, mean = self._parts(t)
        return pull - mean

    def curvature(self, t: Array) -> Array:
        """``(p - 1) y μ^(1-p) + (2 - p) μ^(2-p)``."""
        (_, pull, mean), p = self._parts(t), self.exponent
        return (p - 1.0) * pull + (2.0 - p) * mean

    def best_constant(self, y: Array, weights: Array) -> float:
        """Logarithm of the mean."""
        return float(np.log(np.average(y, weights=weights)))

    def check_targets(self, y: Array, where: str | None = None) -> None:
        """Raise for targets that have no such distribution; ``where`` stands for the row's name."""
        low = "at least 0" if self.zeros else "above 0"
        bad = y < 0.0 if self.zeros else y <= 0.0
        if bad.any():
            row = int(np.argmax(bad))
            where = where or f"row {row} of those with weight"
            raise ValueError(
                f"y: {where} has the target {y[row]:g}, expected numbers {low} with the "
                f"{self.name} loss"
            )
        if not y.any():
            raise ValueError(f"y: all targets are 0, expected some above it ({self.name} loss)")
        if y.max() < SMALLEST_TARGET:
            raise ValueError(
                f"y: the largest target is {y.max():g}, expected at least {SMALLEST_TARGET:g} with "
                f"the {self.name} loss, since logarithms of smaller means are cut off; multiply y"
            )


@dataclass(frozen=True)
class Poisson(MeanLoss):
    """Counts: the variance is the mean.

    Examples
    --------
    >>> loss = Poisson()
    >>> loss.value(loss.argument(np.array([0.0, 1.0]), np.zeros(2)))
    array([1., 0.])
    """

    name = "poisson"

    @property
    def exponent(self) -> float:
        """1."""
        return 1.0


@dataclass(frozen=True)
class Gamma(MeanLoss):
    """Positive amounts whose spread grows with their mean."""

    name = "gamma"
    zeros = False

    @property
    def exponent(self) -> float:
        """2."""
        return 2.0


@dataclass(frozen=True)
class Tweedie(MeanLoss):
    """Amounts that often are 0, such as claims: between Poisson and Gamma.

    Parameters
    ----------
    power : float
        p, above 1 and below 2.
    """

    name = "tweedie"

    power: float = 1.5

    def __post_init__(self) -> None:
        check_number("power", self.power, above=1.0, below=2.0)

    @property
    def exponent(self) -> float:
        """The power."""
        return self.power
