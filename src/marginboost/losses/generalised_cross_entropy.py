"""Generalised cross-entropy: between the logistic and the absolute loss, for wrong labels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, log_expit

from ..types import Array
from ..validation import check_number
from .base import MarginLoss


@dataclass(frozen=True)
class GeneralisedCrossEntropy(MarginLoss):
    """``(1 - p^q) / q`` with ``p = 1 / (1 + exp(-m))``: at most 1/q, so hopeless rows are given up.

    q near 0 is the logistic loss, q = 1 the absolute one, ``1 - p``. Not convex: no certificate.
    The score is the log-odds divided by 1 - q.

    Parameters
    ----------
    q : float
        Between 0 and 1.

    References
    ----------
    Zhang and Sabuncu, *Generalized cross entropy loss for training deep neural networks with noisy
    labels*, 2018.

    Examples
    --------
    >>> GeneralisedCrossEntropy(0.5).value(np.array([-1e3, 1e3]))
    array([2., 0.])
    """

    q: float = 0.7

    name = "generalised-cross-entropy"
    convex = False

    def __post_init__(self) -> None:
        check_number("q", self.q, above=0.0, below=1.0)

    def value(self, t: Array) -> Array:
        """``(1 - p^q) / q``."""
        return -np.expm1(self.q * log_expit(np.asarray(t, dtype=float))) / self.q

    def dual(self, t: Array) -> Array:
        """``p^q (1 - p)``."""
        t = np.asarray(t, dtype=float)
        return np.exp(self.q * log_expit(t)) * expit(-t)

    def curvature(self, t: Array) -> Array:
        """``p^q (1 - p) (p - q (1 - p))``: negative where p is below ``q / (1 + q)``."""
        t = np.asarray(t, dtype=float)
        return self.dual(t) * (expit(t) - self.q * expit(-t))

    def probability(self, scores: Array) -> Array:
        """``1 / (1 + exp(-(1 - q) F))``."""
        return expit((1.0 - self.q) * np.asarray(scores, dtype=float))
