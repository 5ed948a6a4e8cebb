"""Robust focal loss: generalised cross-entropy that also lets go of rows that are easily right."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, log_expit

from ..types import Array
from ..validation import check_number
from .base import MarginLoss


@dataclass(frozen=True)
class RobustFocal(MarginLoss):
    """``(1 - p)^r (1 - p^q) / q`` with ``p = 1 / (1 + exp(-m))``: at most 1/q.

    r = 0 is the generalised cross-entropy, q near 0 the focal loss. Hopeless rows are given up, as
    by the first, and rows that are right count for less, as with the second, which leaves more to
    the rows of a rare class. Not convex: no certificate.

    Parameters
    ----------
    r : float
        At least 0: the larger, the less count rows that are right.
    q : float
        Between 0 and 1: the larger, the earlier rows are given up.

    References
    ----------
    Luo, Quan and Xu, *Robust-GBDT: leveraging robust loss for noisy and imbalanced classification
    with GBDT*, 2023.

    Examples
    --------
    >>> RobustFocal(1.0, 0.5).value(np.array([-1e3, 0.0, 1e3])).round(6)
    array([2.      , 0.292893, 0.      ])
    """

    r: float = 0.5
    q: float = 0.3

    name = "robust-focal"
    convex = False

    def __post_init__(self) -> None:
        check_number("r", self.r, at_least=0.0)
        check_number("q", self.q, above=0.0, below=1.0)

    def _parts(self, t: Array) -> tuple[Array, Array, Array, Array, Array]:
        """``p``, ``1 - p``, ``(1 - p)^r``, ``p^q`` and ``(1 - p^q) / q``."""
        t = np.asarray(t, dtype=float)
        power = self.q * log_expit(t)
        easy = np.exp(self.r * log_expit(-t))
        return expit(t), expit(-t), easy, np.exp(power), -np.expm1(power) / self.q

    def value(self, t: Array) -> Array:
        """``(1 - p)^r (1 - p^q) / q``."""
        _, _, easy, _, short = self._parts(t)
        return easy * short

    def dual(self, t: Array) -> Array:
        """``(1 - p)^r (r p u + (1 - p) p^q)``, with ``u = (1 - p^q) / q``."""
        p, s, easy, power, short = self._parts(t)
        return easy * (self.r * p * short + s * power)

    def curvature(self, t: Array) -> Array:
        """``(1 - p)^r (r p u (r p - s) + s p^q (2 r p + p - q s))``, with ``s = 1 - p``."""
        p, s, easy, power, short = self._parts(t)
        inner = self.r * p * short * (self.r * p - s)
        return easy * (inner + s * power * ((2.0 * self.r + 1.0) * p - self.q * s))

    def probability(self, scores: Array) -> Array:
        """By the ratio of the pulls at F and -F, in logarithms: both vanish far out."""
        scores = np.asarray(scores, dtype=float)
        return expit(self._log_dual(-scores) - self._log_dual(scores))

    def _log_dual(self, t: Array) -> Array:
        """Logarithm of the dual, at any size of argument."""
        p, s, _, power, short = self._parts(t)
        rate = np.divide(short, s, out=np.ones_like(s), where=s > 0.0)
        with np.errstate(divide="ignore"):  # of the side that is not taken
            right = log_expit(-t) + np.log(self.r * p * rate + power)
            wrong = self.q * log_expit(t) + np.log(self.r * p ** (1.0 - self.q) * short + s)
        return self.r * log_expit(-t) + np.where(t > 0.0, right, wrong)
