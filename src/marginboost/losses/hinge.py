"""The hinge ``[1 - m]_+`` (eq. 4.17): the slack of the soft margin."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..types import Array
from .base import MarginLoss


@dataclass(frozen=True)
class Hinge(MarginLoss):
    """``[1 - m]_+``; its conjugate is ``-d`` on [0, 1].

    Piecewise linear, so that the regularised problem is a linear program. The dual is a
    subgradient: 1 below the kink at ``m = 1``, 0 from it on.

    Examples
    --------
    >>> Hinge().value(np.array([-1.0, 0.0, 2.0]))
    array([2., 1., 0.])
    """

    name = "hinge"
    smooth = False

    @property
    def dual_range(self) -> tuple[float, float]:
        """``[0, 1]``."""
        return 0.0, 1.0

    def value(self, t: Array) -> Array:
        """``[1 - m]_+``."""
        return np.maximum(1.0 - np.asarray(t, dtype=float), 0.0)

    def dual(self, t: Array) -> Array:
        """1 where ``m < 1``."""
        return np.where(np.asarray(t) < 1.0, 1.0, 0.0)

    def curvature(self, t: Array) -> Array:
        """0."""
        return np.zeros(np.shape(t))

    def conjugate(self, d: Array) -> Array:
        """``-d``."""
        return np.where((d >= 0.0) & (d <= 1.0), -d, np.inf)

    def inverse(self, d: Array) -> Array:
        """1, where all slopes between 0 and 1 are."""
        return np.ones(np.shape(d))
