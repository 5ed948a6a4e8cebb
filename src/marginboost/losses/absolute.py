"""The absolute loss ``|r|``, whose best constant is the median."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..types import Array
from .base import ResidualLoss


@dataclass(frozen=True)
class Absolute(ResidualLoss):
    """``|r|``; its conjugate is 0 on [-1, 1].

    A residual pulls by its sign alone, so targets far out pull no more than others. Gradient
    boosting grows trees on these signs and gives every leaf the median of its residuals (TreeBoost
    for least absolute deviation, R2-B4). The best constant of labels is one of them, from which no
    step leads away: it is a loss of numbers.

    References
    ----------
    Friedman, *Greedy function approximation: a gradient boosting machine*, 2001, Algorithm 3.

    Examples
    --------
    >>> Absolute().value(np.array([-2.0, 0.0, 0.5]))
    array([2. , 0. , 0.5])
    """

    name = "absolute"
    smooth = False
    of_labels = False
    median_leaves = True

    @property
    def dual_range(self) -> tuple[float, float]:
        """``[-1, 1]``."""
        return -1.0, 1.0

    def value(self, t: Array) -> Array:
        """``|r|``."""
        return np.abs(np.asarray(t, dtype=float))

    def dual(self, t: Array) -> Array:
        """Sign of r, a subgradient."""
        return np.sign(np.asarray(t, dtype=float))

    def curvature(self, t: Array) -> Array:
        """0."""
        return np.zeros(np.shape(t))

    def conjugate(self, d: Array) -> Array:
        """0 where any argument has this slope."""
        return np.where(np.abs(d) <= 1.0, 0.0, np.inf)

    def inverse(self, d: Array) -> Array:
        """0, where all slopes between -1 and 1 are."""
        return np.zeros(np.shape(d))
