"""The log-cosh loss (eq. 5.9): Huber's without the kink (R2-C28)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import xlog1py

from ..types import Array
from ..validation import check_number
from .base import ResidualLoss


@dataclass(frozen=True)
class LogCosh(ResidualLoss):
    """``φ log cosh(r / φ)`` with ``φ = σ / (2 log 2)``: analytic, with Huber's asymptotes.

    Its conjugate is ``½ φ [(1 + d) log(1 + d) + (1 - d) log(1 - d)]`` on [-1, 1].

    Parameters
    ----------
    sigma : float
        As for :class:`Huber`: far out the loss is ``|r| - σ / 2``.

    Examples
    --------
    >>> float(LogCosh(sigma=1.0).value(np.array(50.0)))
    49.5
    """

    name = "log-cosh"

    sigma: float = 1.0

    def __post_init__(self) -> None:
        check_number("sigma", self.sigma, above=0.0)

    @property
    def phi(self) -> float:
        """Width ``σ / (2 log 2)``."""
        return self.sigma / (2.0 * math.log(2.0))

    def _unit(self, t: Array) -> Array:
        return np.asarray(t, dtype=float) / self.phi

    @property
    def dual_range(self) -> tuple[float, float]:
        """``[-1, 1]``."""
        return -1.0, 1.0

    def value(self, t: Array) -> Array:
        """``φ log cosh(r / φ)``, by a formula for small and one for large arguments."""
        x = np.abs(self._unit(t))
        near = 0.5 * np.log1p(np.sinh(np.minimum(x, 1.0)) ** 2)
        far = x - math.log(2.0) + np.log1p(np.exp(-2.0 * x))
        return self.phi * np.where(x < 1.0, near, far)

    def dual(self, t: Array) -> Array:
        """``tanh(r / φ)``."""
        return np.tanh(self._unit(t))

    def curvature(self, t: Array) -> Array:
        """``1 / (φ cosh²(r / φ))``."""
        small = np.exp(-2.0 * np.abs(self._unit(t)))
        return 4.0 * small / (1.0 + small) ** 2 / self.phi

    def conjugate(self, d: Array) -> Array:
        """``½ φ [(1 + d) log(1 + d) + (1 - d) log(1 - d)]``, by two formulas likewise."""
        d = np.asarray(d, dtype=float)
        size = np.minimum(np.abs(d), 1.0)
        inner = np.minimum(size, 0.5)
        near = inner * np.arctanh(inner) + 0.5 * np.log1p(-(inner**2))
        far = 0.5 * (xlog1py(1.0 + size, size) + xlog1py(1.0 - size, -size))
        return np.where(np.abs(d) <= 1.0, self.phi * np.where(size < 0.5, near, far), np.inf)

    def conjugate_terms(self, d: Array) -> Array:
        """The conjugate alone: near 0 it loses no digits."""
        return self.conjugate(d)

    def inverse(self, d: Array) -> Array:
        """``φ artanh d``."""
        return self.phi * np.arctanh(d)
