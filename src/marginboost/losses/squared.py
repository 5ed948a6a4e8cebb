"""The squared loss ``½ r²`` (eq. 5.7)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..types import Array
from .base import ResidualLoss


@dataclass(frozen=True)
class Squared(ResidualLoss):
    """``½ r²``; its conjugate is ``½ d²``, and the divergence the squared distance.

    With ℓ1 regularisation it makes the LASSO. For labels, the score is ``2 p - 1``.

    Examples
    --------
    >>> Squared().divergence(np.array([1.0]), np.array([3.0]))
    array([2.])
    """

    name = "squared"
    squared_unit = 1.0

    def value(self, t: Array) -> Array:
        """``½ r²``."""
        return 0.5 * np.asarray(t, dtype=float) ** 2

    def dual(self, t: Array) -> Array:
        """``r``."""
        return np.asarray(t, dtype=float)

    def curvature(self, t: Array) -> Array:
        """1."""
        return np.ones(np.shape(t))

    def conjugate(self, d: Array) -> Array:
        """``½ d²``."""
        return self.value(d)

    def conjugate_terms(self, d: Array) -> Array:
        """The conjugate alone: near 0 it loses no digits."""
        return self.conjugate(d)

    def inverse(self, d: Array) -> Array:
        """``d``."""
        return np.asarray(d, dtype=float)
