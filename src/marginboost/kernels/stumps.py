"""Kernels behind decision stumps: histograms of signed weight, and the best cut of each feature.

The histogram is where a fit spends its time. Two things make it fast. Two features share one read
of the weights, and rows alternate between two copies of each histogram, so that consecutive
additions to the same bin do not wait for each other.
"""

from __future__ import annotations

import numpy as np

from ..types import Array
from .jit import kernel
from .ties import resolution

THRESHOLD, CATEGORY, PARTITION = 0, 1, 2

APART = 260
"""Numbers between two histograms that are filled together.

Not 256: processors take a load for one that follows a store 4096 bytes away, and wait."""

AT_ONCE = 16
"""Cuts that are looked at together."""


@kernel
def histogram_pair(first: Array, second: Array, dual: Array, out: Array) -> None:
    """Sum ``dual`` by code for two uint8 features at once; ``out`` is (2 features, 2 copies, bins).

    Codes are read eight rows at a time as one 64-bit word; the rows left over come last.
    """
    n_words = dual.size >> 3
    a = first[: n_words * 8].view(np.uint64)
    b = second[: n_words * 8].view(np.uint64)
    a0, a1, b0, b1 = out[0, 0], out[0, 1], out[1, 0], out[1, 1]
    byte = np.uint64(255)
    shift = np.uint64(8)
    for word in range(n_words):
        u, v, row = a[word], b[word], word * 8
        for pair in range(4):
            g = dual[row + 2 * pair]
            a0[u & byte] += g
            b0[v & byte] += g
            u >>= shift
            v >>= shift
            g = dual[row + 2 * pair + 1]
            a1[u & byte] += g
            b1[v & byte] += g
            u >>= shift
            v >>= shift
    for row in range(n_words * 8, dual.size):
        a0[first[row]] += dual[row]
        b0[second[row]] += dual[row]


@kernel
def histograms_uint8(codes: Array, dual: Array, out: Array) -> None:
    """Histograms of uint8 features: ``codes`` (n_features, N) to ``out`` (n_features, 256).

    Rows go through in blocks, so that the weights are still in the cache when the second feature of
    a pair wants them. An odd last feature is paired with itself.
    """
    copies = np.empty((2, 2, APART))
    last, block = codes.shape[0] - 1, 16384
    for j in range(0, codes.shape[0], 2):
        other = min(j + 1, last)
        copies[:] = 0.0
        for start in range(0, dual.size, block):
            stop = min(start + block, dual.size)
            histogram_pair(codes[j, start:stop], codes[other, start:stop], dual[start:stop], copies)
        for k in range(256):  # an assignment of whole rows would take three seconds to compile
            out[other, k] = copies[1, 0, k] + copies[1, 1, k]
            out[j, k] = copies[0, 0, k] + copies[0, 1, k]


@kernel
def histograms_any(codes: Array, dual: Array, out: Array) -> None:
    """Histograms of features with codes of any width."""
    out[:] = 0.0
    for j in range(codes.shape[0]):
        for i in range(dual.size):
            out[j, codes[j, i]] += dual[i]


@kernel
def best_threshold(histogram: Array, n_bins: int) -> tuple[float, int]:
    """Largest ``|left| + |right| + |missing|`` over all cuts, and the last bin of its left side.

    Both sides choose their own sign, so every polarity and the constant rule are covered. With one
    bin there is no cut: the answer is the constant rule, cut 0.

    Which cut is the best so far no processor can guess, and a wrong guess costs as much as several
    cuts. So some cuts at a time are asked together whether any of them is better.
    """
    total, sums = 0.0, np.empty(n_bins)
    for k in range(n_bins):
        total += histogram[k]
        sums[k] = total
    best, cut = abs(total), 0
    least = best + resolution(best)
    for start in range(0, n_bins - 1, AT_ONCE):
        stop = min(start + AT_ONCE, n_bins - 1)
        n_better = 0
        for k in range(start, stop):
            n_better += abs(sums[k]) + abs(total - sums[k]) > least
        if n_better == 0:
            continue
        for k in range(start, stop):
            score = abs(sums[k]) + abs(total - sums[k])
            if score > least:
                best, cut = score, k
                least = best + resolution(best)
    return best + abs(histogram[n_bins]), cut


@kernel
def best_category(histogram: Array, n_bins: int) -> tuple[float, int]:
    """Largest ``|one category| + |all others| + |missing|``, and that category."""
    total = 0.0
    for k in range(n_bins):
        total += histogram[k]
    best, chosen = abs(total), 0
    for k in range(n_bins):
        score = abs(histogram[k]) + abs(total - histogram[k])
        if score > best + resolution(best):
            best, chosen = score, k
    return best + abs(histogram[n_bins]), chosen


@kernel
def best_partition(histogram: Array, n_bins: int) -> float:
    """Edge of the best two-set partition of the categories: each category picks its own sign."""
    total = abs(histogram[n_bins])
    for k in range(n_bins):
        total += abs(histogram[k])
    return total


@kernel
def best_splits(histograms: Array, n_bins: Array, kinds: Array, scores: Array, cuts: Array) -> None:
    """Best split of every feature; kinds are THRESHOLD, CATEGORY or PARTITION."""
    for j in range(n_bins.size):
        if kinds[j] == THRESHOLD:
            scores[j], cuts[j] = best_threshold(histograms[j], n_bins[j])
        elif kinds[j] == CATEGORY:
            scores[j], cuts[j] = best_category(histograms[j], n_bins[j])
        else:
            scores[j], cuts[j] = best_partition(histograms[j], n_bins[j]), 0


@kernel
def first_of_best(scores: Array) -> int:
    """First of those that tie for the largest score."""
    most = -np.inf
    for score in scores:
        most = max(most, score)
    least = most - resolution(most)
    for j in range(scores.size):
        if scores[j] > least:
            return j
    return 0


@kernel
def largest_size(values: Array) -> float:
    """Return the largest absolute value."""
    largest = 0.0
    for value in values:
        largest = max(largest, abs(value))
    return largest


@kernel
def threshold_column(codes: Array, cut: int, outputs: Array, missing_code: int, out: Array) -> None:
    """Outputs of a threshold stump on binned rows; ``outputs`` = (left, right, missing).

    Cut and code are made as wide as the codes: lanes of bytes hold eight times as many. No code is
    above the missing one.
    """
    left, right, missing = outputs[0], outputs[1], outputs[2]
    last, none = codes.dtype.type(min(cut, missing_code)), codes.dtype.type(missing_code)
    for i in range(codes.size):
        side = left if codes[i] <= last else right
        out[i] = missing if codes[i] == none else side


@kernel
def lookup_column(codes: Array, outputs: Array, out: Array) -> None:
    """Outputs of a rule that maps each code to ``outputs[code]``."""
    for i in range(codes.size):
        out[i] = outputs[codes[i]]
