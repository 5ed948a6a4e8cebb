"""Small examples of the foundations: thresholds, generative rules, lucky guessers.

See SF-B4, SF-E5 to SF-E7, SF-C16, SF-C17; Schapire and Freund, chapter 2.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.stats import binom, norm

from ..diagnostics.arrays import signs, vector
from ..types import Array
from ..validation import check_choice, check_number

INSTANCES = (1.2, 2.8, 8.0, 3.3, 5.0, 4.5, 7.4, 5.6, 3.8, 6.6, 6.1, 1.7)
"""The line of Tables 2.1 and 2.2."""


def line_table(noisy: bool = False) -> tuple[Array, Array]:
    """Twelve points of the line: Table 2.1, or Table 2.2 with two labels changed (SF-E5).

    A threshold between 5.0 and 5.6 makes no error on the first; on the second the best makes two.
    """
    check_choice("noisy", noisy, (False, True))
    x = np.array(INSTANCES)
    y = np.where(x >= 5.3, 1, -1)
    return x, np.where(noisy & np.isin(x, (3.8, 6.6)), -y, y)


def midpoint_threshold(X: Any, y: Any) -> float:
    """Threshold halfway between the means of the classes: the generative rule (SF-B4).

    The best there is if both are normal, of one variance and equally likely (Fig. 2.2); under skew
    the threshold of least training error is better (Fig. 2.3, SF-C17).
    """
    x, labels = vector("X", X), signs(y)
    if len(np.unique(labels)) < 2:
        raise ValueError("y: got one class, expected both")
    return float((x[labels == 1].mean() + x[labels == -1].mean()) / 2.0)


def gaussian_threshold_error(separation: float) -> float:
    """Least error for two normal classes whose means are so many deviations apart (SF-E7a).

    >>> [round(gaussian_threshold_error(s), 6) for s in (1, 2, 3)]
    [0.308538, 0.158655, 0.066807]
    """
    check_number("separation", separation, at_least=0.0)
    return float(norm.cdf(-separation / 2.0))


def exponential_threshold_error(threshold: float, shift: float) -> float:
    """Error of a threshold for exponential classes, the positive one shifted (SF-E7b).

    Least at the shift, where it is ``½ exp(-shift)``; the midpoint of the means is ``1 + shift/2``.

    >>> [round(exponential_threshold_error(cut, 1.0), 5) for cut in (1.0, 1.5)]
    [0.18394, 0.3083]
    """
    check_number("shift", shift, at_least=0.0)
    false_positive = math.exp(-max(threshold, 0.0))
    false_negative = 1.0 - math.exp(-max(threshold - shift, 0.0))
    return 0.5 * (false_positive + false_negative)


def best_guesser(n_guessers: int, n_flips: int = 10) -> Array:
    """Distribution of the most right guesses among people who predict fair coins (SF-E6).

    Entry k is the probability that the best has exactly k right: with many hypotheses one looks
    good by chance, so that the training error of the best is biased downwards (SF-C16).

    >>> round(float(best_guesser(50)[8:].sum()), 3)
    0.94
    """
    check_number("n_guessers", n_guessers, at_least=1, integer=True)
    check_number("n_flips", n_flips, at_least=1, integer=True)
    below = binom.cdf(np.arange(-1, n_flips + 1), n_flips, 0.5) ** n_guessers
    return np.diff(below)
