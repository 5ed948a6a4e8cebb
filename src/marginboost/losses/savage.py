"""The Savage loss: bounded, for wrong labels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from ..types import Array
from .base import MarginLoss


@dataclass(frozen=True)
class Savage(MarginLoss):
    """``1 / (1 + exp(2 m))²``: at most 1, so a hopeless example is given up.

    Not convex: no certificate. The score is half the log-odds, as for the exponential loss.

    References
    ----------
    Masnadi-Shirazi and Vasconcelos, *On the design of loss functions for classification: theory,
    robustness to outliers, and SavageBoost*, 2008.

    Examples
    --------
    >>> Savage().value(np.array([-1e3, 0.0, 1e3]))
    array([1.  , 0.25, 0.  ])
    """

    name = "savage"
    convex = False

    def _sides(self, t: Array) -> tuple[Array, Array]:
        """Probability of the wrong and of the right label."""
        t = np.asarray(t, dtype=float)
        return expit(-2.0 * t), expit(2.0 * t)

    def value(self, t: Array) -> Array:
        """``1 / (1 + exp(2 m))²``."""
        return self._sides(t)[0] ** 2

    def dual(self, t: Array) -> Array:
        """``4 q² p``, with ``q = 1 - p`` the probability of the wrong label."""
        wrong, right = self._sides(t)
        return 4.0 * wrong**2 * right

    def curvature(self, t: Array) -> Array:
        """``8 q² p (2 p - q)``: negative below ``m = -½ log 2``."""
        wrong, right = self._sides(t)
        return 8.0 * wrong**2 * right * (2.0 * right - wrong)

    def probability(self, scores: Array) -> Array:
        """``1 / (1 + exp(-2 F))``."""
        return expit(2.0 * np.asarray(scores, dtype=float))
