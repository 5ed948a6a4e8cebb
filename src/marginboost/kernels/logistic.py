"""Slopes and curvatures of the logistic loss, of two classes and several, with its value."""

from __future__ import annotations

import numpy as np

from ..types import Array
from .jit import kernel

FACTORS = 32
"""Factors of at most 2 that are multiplied before a logarithm is taken."""


@kernel
def negative_sizes(scores: Array, out: Array) -> None:
    """``out = -|scores|``."""
    for i in range(scores.size):
        out[i] = -abs(scores[i])


@kernel
def logistic_slopes(
    y: Array, scores: Array, tails: Array, weights: Array, dual: Array, curvature: Array
) -> tuple[float, float, float]:
    """Write signed weights and curvatures; returns Σ|dual|, the loss, the smallest ``y F``.

    ``tails`` are ``exp(-|F|)``. Empty ``weights`` stand for ones. Then the sum of ``log(1 + e)`` is
    the logarithm of a product, which is taken every so many rows.
    """
    size, loss, least = 0.0, 0.0, np.inf
    product, n_factors = 1.0, 0
    for i in range(scores.size):
        margin, tail = y[i] * scores[i], tails[i]
        least = min(least, margin)
        right = 1.0 / (1.0 + tail)  # probability of the more likely label
        wrong = tail * right
        slope = wrong if margin > 0.0 else right
        second = right * wrong
        if weights.size > 0:
            slope *= weights[i]
            second *= weights[i]
            loss += weights[i] * (np.log1p(tail) + max(-margin, 0.0))
        else:
            product *= 1.0 + tail
            n_factors += 1
            if n_factors == FACTORS:
                loss += np.log(product)
                product, n_factors = 1.0, 0
            loss += max(-margin, 0.0)
        size += slope
        dual[i] = y[i] * slope
        curvature[i] = second
    return size, loss + np.log(product), least


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
    labels: Array, scores: Array, powers: Array, weights: Array, dual: Array, curvature: Array
) -> tuple[float, float, float]:
    """Write ``own - p`` and ``p (1 - p) K / (K - 1)``; returns as :func:`logistic_slopes` does.

    ``powers`` (rows, K) are ``exp(F - the largest)``, perhaps in the place of ``curvature``.
    Complements of probabilities are sums of the others, so that none is lost to rounding.
    """
    n_rows, n_classes = scores.shape
    size, loss, least = 0.0, 0.0, np.inf
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
        size += 2.0 * weight * wrong  # the other slopes sum to the same
        loss += weight * (np.log1p(others) + scores[i, top] - scores[i, own])
    return size, loss, least


@kernel
def scale_pair(dual: Array, curvature: Array, factor: float) -> None:
    """Multiply both by a factor, in place."""
    for i in range(dual.size):
        dual[i] *= factor
        curvature[i] *= factor
