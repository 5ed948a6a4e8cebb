"""The squared hinge ``½ [1 - m]_+²``."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..types import Array
from .base import MarginLoss


@dataclass(frozen=True)
class SquaredHinge(MarginLoss):
    """``½ [1 - m]_+²``; its conjugate is ``½ d² - d`` on ``d >= 0``.

    The squared loss without its penalty on margins above 1. The score is ``2 p - 1``.

    Examples
    --------
    >>> SquaredHinge().dual(np.array([-1.0, 0.0, 2.0]))
    array([2., 1., 0.])
    """

    name = "squared-hinge"

    def value(self, t: Array) -> Array:
        """``½ [1 - m]_+²``."""
        return 0.5 * self.dual(t) ** 2

    def dual(self, t: Array) -> Array:
        """``[1 - m]_+``."""
        return np.maximum(1.0 - np.asarray(t, dtype=float), 0.0)

    def curvature(self, t: Array) -> Array:
        """1 where ``m < 1``."""
        return np.where(np.asarray(t) < 1.0, 1.0, 0.0)

    def conjugate(self, d: Array) -> Array:
        """``½ d² - d``."""
        return np.where(d >= 0.0, d * (0.5 * d - 1.0), np.inf)

    def inverse(self, d: Array) -> Array:
        """``1 - d``."""
        return 1.0 - d
