"""The quantile loss at a temperature: the pinball with its kink rounded off."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..types import Array
from ..validation import check_number
from .base import ResidualLoss
from .logistic import Logistic

UNIT = Logistic()


@dataclass(frozen=True)
class Quantile(ResidualLoss):
    """``τ r + β log(1 + exp(-r / β))``.

    β → 0 is the pinball ``max(τ r, (τ - 1) r)``, whose best constant is the τ-quantile of the
    targets. Scores above a target cost 1 - τ, scores below it τ for each unit. The conjugate is β
    times the binary entropy of τ - d, on [τ - 1, τ].

    Parameters
    ----------
    quantile : float
        τ in (0, 1); ½ is the median.
    beta : float
        Temperature, above 0.

    References
    ----------
    Koenker and Bassett, *Regression quantiles*, 1978. Zheng, *Gradient descent algorithms for
    quantile regression with smooth approximation*, 2011.

    Examples
    --------
    >>> Quantile(0.9, beta=0.01).value(np.array([-2.0, 0.0, 2.0])).round(3)
    array([0.2  , 0.007, 1.8  ])
    """

    name = "quantile"

    quantile: float = 0.5
    beta: float = 0.1

    def __post_init__(self) -> None:
        check_number("quantile", self.quantile, above=0.0, below=1.0)
        check_number("beta", self.beta, above=0.0)

    @property
    def symmetric(self) -> bool:  # type: ignore[override]
        """For the median only."""
        return self.quantile == 0.5

    @property
    def dual_range(self) -> tuple[float, float]:
        """``[τ - 1, τ]``."""
        return self.quantile - 1.0, self.quantile

    def value(self, t: Array) -> Array:
        """Pinball, and what rounds its kink off."""
        t = np.asarray(t, dtype=float)
        pinball = np.maximum(self.quantile * t, (self.quantile - 1.0) * t)
        return pinball + self.beta * UNIT.value(np.abs(t) / self.beta)

    def dual(self, t: Array) -> Array:
        """``τ - 1 / (1 + exp(r / β))``."""
        half = np.tanh(np.asarray(t, dtype=float) / (2.0 * self.beta)) / 2.0
        return (self.quantile - 0.5) + half

    def curvature(self, t: Array) -> Array:
        """That of the logistic loss, over β."""
        return UNIT.curvature(np.asarray(t, dtype=float) / self.beta) / self.beta

    def conjugate(self, d: Array) -> Array:
        """β times the entropy of τ - d."""
        share, (low, high) = self.quantile - np.asarray(d, dtype=float), self.dual_range
        inside = (np.asarray(d) >= low) & (np.asarray(d) <= high)
        entropy = UNIT.conjugate(np.clip(share, 0.0, 1.0))
        return np.where(inside, self.beta * entropy, np.inf)

    def conjugate_terms(self, d: Array) -> Array:
        """Those and β, as entropies of small shares round."""
        return super().conjugate_terms(d) + self.beta

    def inverse(self, d: Array) -> Array:
        """``β log((1 - p) / p)`` with ``p = τ - d``."""
        d = np.asarray(d, dtype=float)
        centred = 2.0 * (d - (self.quantile - 0.5))
        near = 2.0 * np.arctanh(np.clip(centred, -0.5, 0.5))
        far = UNIT.inverse(np.clip(self.quantile - d, 0.0, 1.0))
        return self.beta * np.where(np.abs(centred) < 0.5, near, far)
