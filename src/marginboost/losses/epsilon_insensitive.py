"""The ε-insensitive loss at a temperature: the double logistic loss (eq. 5.10, 5.37)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..types import Array
from ..validation import check_number
from .base import ResidualLoss
from .logistic import Logistic

UNIT = Logistic()


@dataclass(frozen=True)
class EpsilonInsensitive(ResidualLoss):
    """``β [log(1 + exp((r - ε) / β)) + log(1 + exp((-r - ε) / β))]``.

    β → 0 is ``[|r| - ε]_+``: residuals inside the tube cost nothing. Weights are at most 1.

    Parameters
    ----------
    epsilon : float
        Half the width of the tube, at least 0.
    beta : float
        Temperature, above 0.

    Examples
    --------
    >>> EpsilonInsensitive(0.5, beta=0.01).value(np.array([0.2, 0.5, 2.0])).round(3)
    array([0.   , 0.007, 1.5  ])
    """

    name = "epsilon-insensitive"

    epsilon: float = 0.1
    beta: float = 0.25

    def __post_init__(self) -> None:
        check_number("epsilon", self.epsilon, at_least=0.0)
        check_number("beta", self.beta, above=0.0)

    @property
    def dual_range(self) -> tuple[float, float]:
        """``[-1, 1]``."""
        return -1.0, 1.0

    def _sides(self, t: Array) -> tuple[Array, Array]:
        """Room inside the tube on the near and on the far side, in units of the temperature."""
        size = np.abs(np.asarray(t, dtype=float))
        return (self.epsilon - size) / self.beta, (self.epsilon + size) / self.beta

    def value(self, t: Array) -> Array:
        """Sum of both sides."""
        near, far = self._sides(t)
        return self.beta * (UNIT.value(near) + UNIT.value(far))

    def dual(self, t: Array) -> Array:
        """Difference of both sides, ``sinh x / (cosh x + cosh e)`` with x = r/β, e = ε/β."""
        near, far = self._sides(t)
        return self._difference(t, UNIT.dual(near), UNIT.dual(-far))

    def _difference(self, t: Array, near: Array, beyond: Array) -> Array:
        # d(near) - d(far) loses all digits near r = 0; this product does not.
        spread = -np.expm1(-2.0 * np.abs(np.asarray(t, dtype=float)) / self.beta)
        return np.sign(t) * near * beyond * spread

    def curvature(self, t: Array) -> Array:
        """Sum of both sides."""
        near, far = self._sides(t)
        return (UNIT.curvature(near) + UNIT.curvature(far)) / self.beta

    def dual_and_curvature(self, t: Array) -> tuple[Array, Array]:
        """Both from the same exponentials; the logistic loss bends the same on either side of 0."""
        near, far = self._sides(t)
        (d_near, c_near), (d_beyond, c_far) = map(UNIT.dual_and_curvature, (near, -far))
        return self._difference(t, d_near, d_beyond), (c_near + c_far) / self.beta

    def conjugate(self, d: Array) -> Array:
        """``d r - φ(r)`` where the dual is d; ε at the ends of [-1, 1]."""
        size = np.minimum(np.abs(np.asarray(d, dtype=float)), 1.0)
        inner = np.where(size < 1.0, size, 0.0)
        residual = self.inverse(inner)
        near, far = self._sides(residual)
        # r - ε is taken out of φ, since it grows without bound as d nears 1.
        rest = UNIT.value(-near) + UNIT.value(far)
        inside = self.epsilon - (1.0 - inner) * residual - self.beta * rest
        return np.where(np.abs(d) <= 1.0, np.where(size < 1.0, inside, self.epsilon), np.inf)

    def conjugate_terms(self, d: Array) -> Array:
        """Those and ε, which is taken off."""
        return super().conjugate_terms(d) + self.epsilon

    def inverse(self, d: Array) -> Array:
        """Residual with that dual, by a formula for small and one for large residuals.

        ``u = exp(r / β)`` solves ``u² (1 - d) - 2 d cosh(e) u - (1 + d) = 0``, and
        ``w = tanh(r / (2 β))`` is ``d / (k + √(k² + d² tanh²(e / 2)))``, ``k = 1 / (1 + cosh e)``.
        """
        d = np.asarray(d, dtype=float)
        size, edge = np.abs(d), self.epsilon / self.beta
        with np.errstate(divide="ignore"):
            log_cosh = np.logaddexp(edge, -edge) - np.log(2.0) + np.log(size)
            log_root = 0.5 * np.logaddexp(2.0 * log_cosh, np.log1p(-(size**2)))
            far = np.logaddexp(log_cosh, log_root) - np.log1p(-size)
        k = np.maximum(2.0 * UNIT.curvature(np.asarray(edge)), np.finfo(float).tiny)
        w = size / (k + np.hypot(k, size * np.tanh(edge / 2.0)))
        near = 2.0 * np.arctanh(np.minimum(w, 0.5))
        return np.sign(d) * self.beta * np.where(w < 0.5, near, far)
