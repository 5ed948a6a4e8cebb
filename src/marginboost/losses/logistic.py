"""The logistic loss ``log(1 + exp(-m))`` (eq. 3.2): logistic regression's."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit, xlog1py, xlogy

from ..types import Array
from .base import MarginLoss


@dataclass(frozen=True)
class Logistic(MarginLoss):
    """``log(1 + exp(-m))``; its conjugate is the binary entropy on [0, 1].

    Weights are at most 1, so a wrong label has a bounded pull. The score is the log-odds.

    Examples
    --------
    >>> Logistic().dual(np.array([-1e3, 0.0, 1e3]))
    array([1. , 0.5, 0. ])
    """

    name = "logistic"

    @property
    def dual_range(self) -> tuple[float, float]:
        """``[0, 1]``."""
        return 0.0, 1.0

    def value(self, t: Array) -> Array:
        """``log(1 + exp(-m))``."""
        t = np.asarray(t, dtype=float)
        return np.log1p(_tail(t)) + np.maximum(-t, 0.0)

    def dual(self, t: Array) -> Array:
        """``1 / (1 + exp(m))``."""
        t = np.asarray(t, dtype=float)
        return _dual(t, _tail(t))

    def curvature(self, t: Array) -> Array:
        """``d (1 - d)``."""
        return _curvature(_tail(np.asarray(t, dtype=float)))

    def dual_and_curvature(self, t: Array) -> tuple[Array, Array]:
        """Both from the same exponentials."""
        t = np.asarray(t, dtype=float)
        tail = _tail(t)
        return _dual(t, tail), _curvature(tail)

    def conjugate(self, d: Array) -> Array:
        """``d log d + (1 - d) log(1 - d)``."""
        share = np.clip(d, 0.0, 1.0)
        entropy = xlogy(share, share) + xlog1py(1.0 - share, -share)
        return np.where(share == d, entropy, np.inf)

    def inverse(self, d: Array) -> Array:
        """``log((1 - d) / d)``."""
        return -logit(d)

    def probability(self, scores: Array) -> Array:
        """``1 / (1 + exp(-F))``."""
        return expit(np.asarray(scores, dtype=float))


def _tail(t: Array) -> Array:
    """``exp(-|m|)``, from which all else follows: NumPy makes many exponentials at once."""
    with np.errstate(under="ignore"):
        return np.asarray(np.exp(-np.abs(t)))


def _dual(t: Array, tail: Array) -> Array:
    return np.where(t > 0.0, tail, 1.0) / (1.0 + tail)


def _curvature(tail: Array) -> Array:
    found: Array = tail / (1.0 + tail) ** 2
    return found
