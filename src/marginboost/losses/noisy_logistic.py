"""The logistic loss of labels of which a known share is wrong (forward correction)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, log_expit

from ..types import Array
from ..validation import check_number
from .base import MarginLoss


@dataclass(frozen=True)
class NoisyLogistic(MarginLoss):
    """``-log((1 - ε) p + ε (1 - p))`` with ``p = 1 / (1 + exp(-m))``, ε the share of wrong labels.

    The likelihood of a label that was flipped with probability ε: it is at most -log ε, so hopeless
    rows are given up. Not convex: no certificate. The score is the log-odds of the true label;
    probabilities by the loss are those of the label as given, ε + (1 - 2ε) p.

    Parameters
    ----------
    rate : float
        ε, above 0 and below 1/2; 0 would be the logistic loss.

    References
    ----------
    Patrini, Rozza, Menon, Nock and Qu, *Making deep neural networks robust to label noise: a loss
    correction approach*, 2017.

    Examples
    --------
    >>> NoisyLogistic(0.2).value(np.array([-1e3, 1e3])).round(6)
    array([1.609438, 0.223144])
    """

    rate: float = 0.1

    name = "noisy-logistic"
    convex = False

    def __post_init__(self) -> None:
        check_number("rate", self.rate, above=0.0, below=0.5)

    def _given(self, t: Array) -> Array:
        """Probability of the label as given."""
        return self.rate + (1.0 - 2.0 * self.rate) * expit(t)

    def value(self, t: Array) -> Array:
        """``-log(ε + (1 - 2ε) p)``."""
        return -np.log(self._given(np.asarray(t, dtype=float)))

    def dual(self, t: Array) -> Array:
        """``(1 - 2ε) p (1 - p) / (ε + (1 - 2ε) p)``."""
        t = np.asarray(t, dtype=float)
        slope = np.exp(log_expit(t) + log_expit(-t))
        return (1.0 - 2.0 * self.rate) * slope / self._given(t)

    def curvature(self, t: Array) -> Array:
        """``d (d - (1 - 2 p))``, with d the dual."""
        t = np.asarray(t, dtype=float)
        d = self.dual(t)
        return d * (d - (expit(-t) - expit(t)))

    def probability(self, scores: Array) -> Array:
        """``ε + (1 - 2ε) / (1 + exp(-F))``: that of the label as given."""
        return self._given(np.asarray(scores, dtype=float))
