"""The exponential loss ``exp(-m)`` (CH-Q1, eq. 3.1): AdaBoost's."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, xlogy

from ..types import Array
from .base import MarginLoss


@dataclass(frozen=True)
class Exponential(MarginLoss):
    """``exp(-m)``; its conjugate is the entropy ``d log d - d`` on ``d >= 0``.

    Unbounded weights: one wrong label can carry them all. The score is half the log-odds.

    Examples
    --------
    >>> Exponential().dual(np.array([-1.0, 0.0, 1.0])).round(3)
    array([2.718, 1.   , 0.368])
    """

    name = "exponential"

    def value(self, t: Array) -> Array:
        """``exp(-m)``; infinite where that is beyond all numbers."""
        with np.errstate(over="ignore"):
            return np.exp(-np.asarray(t, dtype=float))

    def dual(self, t: Array) -> Array:
        """``exp(-m)``, as the value."""
        return self.value(t)

    def curvature(self, t: Array) -> Array:
        """``exp(-m)``, as the value."""
        return self.value(t)

    def conjugate(self, d: Array) -> Array:
        """``d log d - d``."""
        return np.where(d >= 0.0, xlogy(d, np.maximum(d, 0.0)) - d, np.inf)

    def inverse(self, d: Array) -> Array:
        """``-log d``."""
        return -np.log(d)

    def probability(self, scores: Array) -> Array:
        """``1 / (1 + exp(-2 F))``."""
        return expit(2.0 * np.asarray(scores, dtype=float))
