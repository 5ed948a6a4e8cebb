"""Huber's loss (eq. 5.8): squared near 0, absolute far out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..types import Array
from ..validation import check_number
from .base import ResidualLoss


@dataclass(frozen=True)
class Huber(ResidualLoss):
    """``r² / (2 σ)`` up to ``|r| = σ``, then ``|r| - σ / 2``; conjugate ``½ σ d²`` on [-1, 1].

    Parameters
    ----------
    sigma : float
        Where the slope stops growing, above 0.

    Examples
    --------
    >>> Huber(sigma=2.0).value(np.array([-1.0, 2.0, 10.0]))
    array([0.25, 1.  , 9.  ])
    """

    name = "huber"

    sigma: float = 1.0

    def __post_init__(self) -> None:
        check_number("sigma", self.sigma, above=0.0)

    @property
    def dual_range(self) -> tuple[float, float]:
        """``[-1, 1]``."""
        return -1.0, 1.0

    def value(self, t: Array) -> Array:
        """``r² / (2 σ)`` or ``|r| - σ / 2``."""
        size = np.abs(np.asarray(t, dtype=float))
        near = np.minimum(size, self.sigma)
        return near * (0.5 * near / self.sigma) + (size - near)

    def dual(self, t: Array) -> Array:
        """``r / σ``, clipped at -1 and 1."""
        return np.clip(np.asarray(t, dtype=float) / self.sigma, -1.0, 1.0)

    def curvature(self, t: Array) -> Array:
        """``1 / σ`` where ``|r| < σ``."""
        return np.where(np.abs(t) < self.sigma, 1.0 / self.sigma, 0.0)

    def conjugate(self, d: Array) -> Array:
        """``½ σ d²``."""
        d = np.asarray(d, dtype=float)
        return np.where(np.abs(d) <= 1.0, 0.5 * self.sigma * d**2, np.inf)

    def conjugate_terms(self, d: Array) -> Array:
        """The conjugate alone: near 0 it loses no digits."""
        return self.conjugate(d)

    def inverse(self, d: Array) -> Array:
        """``σ d``."""
        return self.sigma * np.asarray(d, dtype=float)
