"""Kernels of learning to rank: slopes of pairs of rows, and how good an order is.

Rows of a query lie together: those of query q are ``starts[q]:starts[q + 1]``.
"""

from __future__ import annotations

from math import exp, log1p, log2

import numpy as np

from ..types import Array
from .jit import kernel

PAIRWISE, BY_NDCG = 0, 1
"""What a pair of rows weighs: the same as others of its query, or what swapping them costs."""


@kernel
def discount(place: int) -> float:
    """What a row counts for at a place, the first being 0."""
    return 1.0 / log2(2.0 + place)


@kernel
def best_dcg(gains: Array, level: int) -> float:
    """Largest discounted gain of any order of some rows, over the first ``level`` places."""
    ordered = np.sort(gains)
    total = 0.0
    for place in range(min(level, ordered.size)):
        total += ordered[ordered.size - 1 - place] * discount(place)
    return total


@kernel
def dcg(scores: Array, gains: Array, level: int) -> float:
    """Discounted gain of some rows in the order of their scores; tied rows share their places."""
    order = np.argsort(-scores, kind="mergesort")
    total, place = 0.0, 0
    while place < min(level, order.size):
        end, gain, weight = place, 0.0, 0.0
        while end < order.size and scores[order[end]] == scores[order[place]]:
            gain += gains[order[end]]
            weight += discount(end) if end < level else 0.0
            end += 1
        total += gain * weight / (end - place)
        place = end
    return total


@kernel
def rank_quality(starts: Array, scores: Array, gains: Array, level: int, out: Array) -> None:
    """NDCG of every query; NaN where all orders are equally good, for want of any gain."""
    for query in range(out.size):
        here = slice(starts[query], starts[query + 1])
        best = best_dcg(gains[here], level)
        out[query] = dcg(scores[here], gains[here], level) / best if best > 0.0 else np.nan


@kernel
def rank_slopes(
    scores: Array,
    gains: Array,
    weights: Array,
    level: int,
    kind: int,
    slopes: Array,
    curvatures: Array,
) -> float:
    """Slopes and curvatures of a query's rows; returns the loss.

    A pair of rows with different gains, of which one is among the first ``level``, adds
    ``w log(1 + exp(s_low - s_high))`` to the loss, s_high the score of the row with more gain.
    """
    slopes[:] = 0.0
    curvatures[:] = 0.0
    order = np.argsort(-scores, kind="mergesort")
    unit = best_dcg(gains, level) if kind == BY_NDCG else 0.0
    if kind == BY_NDCG and unit <= 0.0:
        return 0.0
    loss = 0.0
    for a in range(min(level, order.size)):
        for b in range(a + 1, order.size):
            high, low = order[a], order[b]
            if gains[high] == gains[low]:
                continue
            if gains[high] < gains[low]:
                high, low = low, high
            weight = weights[high] * weights[low]
            if kind == BY_NDCG:
                further = discount(b) if b < level else 0.0
                weight *= (gains[high] - gains[low]) * (discount(a) - further)
            else:
                unit += weight
            apart = scores[high] - scores[low]
            small = exp(-abs(apart))
            chance = (small if apart > 0.0 else 1.0) / (1.0 + small)  # of the wrong order
            loss += weight * (log1p(small) + max(0.0, -apart))
            slopes[high] += weight * chance
            slopes[low] -= weight * chance
            curved = weight * small / (1.0 + small) ** 2
            curvatures[high] += curved
            curvatures[low] += curved
    if unit <= 0.0:
        return 0.0
    for i in range(slopes.size):
        slopes[i] /= unit
        curvatures[i] /= unit
    return loss / unit


@kernel
def query_slopes(
    starts: Array,
    scores: Array,
    gains: Array,
    weights: Array,
    level: int,
    kind: int,
    slopes: Array,
    curvatures: Array,
    losses: Array,
) -> None:
    """Slopes and curvatures of the rows of some queries, and the losses of these."""
    for query in range(losses.size):
        here = slice(starts[query], starts[query + 1])
        rows, out = (scores[here], gains[here], weights[here]), (slopes[here], curvatures[here])
        losses[query] = rank_slopes(rows[0], rows[1], rows[2], level, kind, out[0], out[1])
