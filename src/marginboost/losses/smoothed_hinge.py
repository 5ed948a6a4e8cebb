"""The hinge at a temperature, ``β log(1 + exp((1 - m) / β))`` (eq. 4.19, 4.20; R2-A6, R2-C9)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..types import Array
from ..validation import check_number
from .base import MarginLoss
from .logistic import Logistic

UNIT = Logistic()


@dataclass(frozen=True)
class SmoothedHinge(MarginLoss):
    """``β log(1 + exp((1 - m) / β))``: the logistic loss moved to ``m = 1`` and stretched by β.

    It is what remains of the exponential barrier for the soft margin when the slack is eliminated.
    β → 0 is the hinge; it lies above it by at most ``β log 2``.

    Parameters
    ----------
    beta : float
        Temperature, above 0.

    Examples
    --------
    >>> SmoothedHinge(0.01).value(np.array([-1.0, 1.0, 3.0])).round(4)
    array([2.    , 0.0069, 0.    ])
    """

    name = "smoothed-hinge"

    beta: float = 1.0

    def __post_init__(self) -> None:
        check_number("beta", self.beta, above=0.0)

    def _unit(self, t: Array) -> Array:
        return (np.asarray(t, dtype=float) - 1.0) / self.beta

    @property
    def dual_range(self) -> tuple[float, float]:
        """``[0, 1]``."""
        return 0.0, 1.0

    def value(self, t: Array) -> Array:
        """``β log(1 + exp((1 - m) / β))``."""
        return self.beta * UNIT.value(self._unit(t))

    def dual(self, t: Array) -> Array:
        """``1 / (1 + exp((m - 1) / β))``."""
        return UNIT.dual(self._unit(t))

    def curvature(self, t: Array) -> Array:
        """``d (1 - d) / β``."""
        return UNIT.curvature(self._unit(t)) / self.beta

    def conjugate(self, d: Array) -> Array:
        """``-d`` and β times the binary entropy."""
        return self.beta * UNIT.conjugate(d) - d

    def inverse(self, d: Array) -> Array:
        """``1 + β log((1 - d) / d)``."""
        return 1.0 + self.beta * UNIT.inverse(d)
