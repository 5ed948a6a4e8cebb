"""Slopes and curvatures of the logistic loss, of two classes and several, with its value."""

from __future__ import annotations

import math

import numpy as np

from ..types import Array
from .exact import in_units
from .exponentials import exponential
from .jit import dividing_kernel, kernel, reducing_kernel

LOG_2 = math.log(2.0)
MIDDLE = math.sqrt(2.0) - 1.0


@dividing_kernel
def log_of_sum(tail: float) -> float:
    """``log(1 + tail)`` for a tail in [0, 1]: twice the inverse hyperbolic tangent of a small s.

    Above √2 - 1 that of the half of ``1 + tail`` is taken, so that s is at most 0.172 in size.

    >>> bool(abs(log_of_sum(1.0) - np.log(2.0)) < 2e-16), log_of_sum(1e-300)
    (True, 1e-300)
    """
    large = tail > MIDDLE
    s = (tail - 1.0 if large else tail) / (tail + (3.0 if large else 2.0))
    z = s * s
    low = (1.0 / 3.0 + z * (1.0 / 5.0)) + z * z * (1.0 / 7.0 + z * (1.0 / 9.0))
    high = (1.0 / 11.0 + z * (1.0 / 13.0)) + z * z * (
        1.0 / 15.0 + z * (1.0 / 17.0 + z * (1.0 / 19.0))
    )
    series = 2.0 * s + 2.0 * s * (z * (low + z * z * (z * z) * high))
    return (LOG_2 if large else 0.0) + series


@reducing_kernel
def least_outcome(y: Array, scores: Array) -> float:
    """Smallest ``y F``."""
    least = np.inf
    for i in range(scores.size):
        least = min(least, y[i] * scores[i])
    return least


@dividing_kernel
def logistic_slopes(
    y: Array,
    scores: Array,
    weights: Array,
    steps: tuple[float, float, float, float],
    dual: Array,
    curvature: Array,
) -> tuple[int, int, int, int]:
    """Write signed weights and curvatures; returns Σ|dual| and the loss.

    Empty ``weights`` stand for ones. Both sums are exact, in whole numbers of the units that the
    steps round to (see ``exact``). There is no branch, so that vector lanes can be used.
    """
    size_1, size_2, loss_1, loss_2 = 0, 0, 0, 0
    coarse, fine, coarse_loss, fine_loss = steps
    for i in range(scores.size):
        margin = y[i] * scores[i]
        tail = exponential(-abs(margin))
        right = 1.0 / (1.0 + tail)  # probability of the more likely label
        wrong = tail * right
        slope = wrong if margin > 0.0 else right
        second = right * wrong
        loss = log_of_sum(tail) + (0.0 if margin > 0.0 else -margin)
        weight = 1.0 if weights.size == 0 else weights[i]
        slope *= weight
        loss *= weight
        first, rest = in_units(slope, coarse, fine)
        size_1 += first
        size_2 += rest
        first, rest = in_units(loss, coarse_loss, fine_loss)
        loss_1 += first
        loss_2 += rest
        dual[i] = y[i] * slope
        curvature[i] = second * weight
    return size_1, size_2, loss_1, loss_2


@kernel
def below_largest(scores: Array, out: Array) -> None:
    """``out = scores - the largest of the row``."""
    for i in range(scores.shape[0]):
        largest = scores[i, 0]
        for k in range(1, scores.shape[1]):
            largest = max(largest, scores[i, k])
        for k in range(scores.shape[1]):
            out[i, k] = scores[i, k] - largest


@kernel
def softmax_slopes(
    labels: Array,
    scores: Array,
    powers: Array,
    weights: Array,
    dual: Array,
    curvature: Array,
    sizes: Array,
    losses: Array,
) -> float:
    """Write ``own - p`` and ``p (1 - p) K / (K - 1)``, Σ|dual| and the loss of each row.

    Returns the smallest of the scores, those of wrong labels with the other sign.

    ``powers`` (rows, K) are ``exp(F - the largest)``, perhaps in the place of ``curvature``.
    Complements of probabilities are sums of the others, so that none is lost to rounding.
    """
    n_rows, n_classes = scores.shape
    least = np.inf
    factor = n_classes / (n_classes - 1.0)
    for i in range(n_rows):
        own, top, weight = labels[i], 0, weights[i]
        for k in range(1, n_classes):
            top = k if scores[i, k] > scores[i, top] else top
        others = 0.0
        for k in range(n_classes):
            others += 0.0 if k == top else powers[i, k]
        share = 1.0 / (1.0 + others)
        wrong = others * share if own == top else 1.0 - powers[i, own] * share
        for k in range(n_classes):
            p = powers[i, k] * share
            dual[i, k] = -weight * p
            curvature[i, k] = weight * factor * p * (1.0 - p)
            least = min(least, scores[i, k] if k == own else -scores[i, k])
        curvature[i, top] = weight * factor * share * (others * share)
        dual[i, own] = weight * wrong
        sizes[i] = 2.0 * weight * wrong  # the other slopes sum to the same
        losses[i] = weight * (np.log1p(others) + scores[i, top] - scores[i, own])
    return least


@kernel
def scale_pair(dual: Array, curvature: Array, factor: float) -> None:
    """Multiply both by a factor, in place."""
    for i in range(dual.size):
        dual[i] *= factor
        curvature[i] *= factor
