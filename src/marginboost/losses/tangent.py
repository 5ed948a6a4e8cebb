"""The tangent loss: bounded on both sides, for wrong labels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..types import Array
from .base import MarginLoss


@dataclass(frozen=True)
class Tangent(MarginLoss):
    """``(2 arctan m - 1)²``: at most (π + 1)², and smallest at ``m = tan ½``.

    Not convex: no certificate. Beyond ``tan ½`` weights are negative: it holds margins back.

    References
    ----------
    Masnadi-Shirazi, Mahadevan and Vasconcelos, *On the design of robust classifiers for computer
    vision*, 2010.

    Examples
    --------
    >>> Tangent().value(np.array([-1e9, 0.0, np.tan(0.5)])).round(3)
    array([17.153,  1.   ,  0.   ])
    """

    name = "tangent"
    convex = False

    def _parts(self, t: Array) -> tuple[Array, Array, Array]:
        """``2 arctan m - 1``, and cosine and sine of ``arctan m``."""
        t = np.asarray(t, dtype=float)
        cosine = 1.0 / np.hypot(1.0, t)
        return 2.0 * np.arctan(t) - 1.0, cosine, t * cosine

    def value(self, t: Array) -> Array:
        """``(2 arctan m - 1)²``."""
        return self._parts(t)[0] ** 2

    def dual(self, t: Array) -> Array:
        """``4 (1 - 2 arctan m) / (1 + m²)``."""
        miss, cosine, _ = self._parts(t)
        return -4.0 * miss * cosine**2

    def curvature(self, t: Array) -> Array:
        """``8 (1 - m (2 arctan m - 1)) / (1 + m²)²``."""
        miss, cosine, sine = self._parts(t)
        return 8.0 * cosine**3 * (cosine - miss * sine)
