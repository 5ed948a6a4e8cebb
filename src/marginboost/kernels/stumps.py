"""Kernels behind decision stumps: histograms of signed weight, and the best cut of each feature.

The histogram is where a fit spends its time. Two things make it fast. Two features share one read
of the weights, and rows alternate between two copies of each histogram, so that consecutive
additions to the same bin do not wait for each other.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .jit import kernel

Array = np.ndarray[Any, np.dtype[Any]]

TIE = 1e-12
"""Two edges closer than this are equal: the lower feature, then the lower threshold, wins."""

APART = 520
"""Numbers between the histograms of two features that are filled together.

Not 512: processors take a load for one that follows a store 4096 bytes away, and wait."""

THRESHOLD, CATEGORY, PARTITION = 0, 1, 2


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
    copies = np.empty((2, 2, APART // 2))
    last, block = codes.shape[0] - 1, 16384
    for j in range(0, codes.shape[0], 2):
        other = min(j + 1, last)
        copies[:] = 0.0
        for start in range(0, dual.size, block):
            stop = min(start + block, dual.size)
            histogram_pair(codes[j, start:stop], codes[other, start:stop], dual[start:stop], copies)
        out[other] = (copies[1, 0] + copies[1, 1])[:256]
        out[j] = (copies[0, 0] + copies[0, 1])[:256]


@kernel
def histograms_any(codes: Array, dual: Array, out: Array) -> None:
    """Histograms of features with codes of any width."""
    out[:] = 0.0
    for j in range(codes.shape[0]):
        for i in range(dual.size):
            out[j, codes[j, i]] += dual[i]


@kernel
def select_rows(column: Array, side: int, start: int, stop: int, rows: Array) -> int:
    """Gather the rows of a block where ``column == side``, from ``start`` on; returns how many.

    Every row is written and only some are kept: no branch to mispredict.
    """
    end = start
    for i in range(start, stop):
        rows[end] = i
        end += column[i] == side
    return end - start


@kernel
def gather_weights(dual: Array, rows: Array, labels: Array, weights: Array) -> None:
    """For selected rows: 0 or 256 by the sign of the weight, and its size."""
    for k in range(rows.size):
        weight = dual[rows[k]]
        labels[k] = np.uint16(256) if weight < 0.0 else np.uint16(0)
        weights[k] = abs(weight)


@kernel
def subset_histograms(
    codes: Array, rows: Array, labels: Array, weights: Array, counts: Array, block: int, out: Array
) -> None:
    """Sums of weight by label and code over selected rows, for uint8 features.

    Block b of ``rows``, ``labels`` and ``weights`` begins at ``b * block`` and holds ``counts[b]``
    rows. Five features share one read of them; where fewer are left the last is repeated.
    """
    last = codes.shape[0] - 1
    sums = np.empty((5, APART))
    h0, h1, h2, h3, h4 = sums[0], sums[1], sums[2], sums[3], sums[4]
    for j in range(0, codes.shape[0], 5):
        sums[:] = 0.0
        c0, c1, c2 = codes[j], codes[min(j + 1, last)], codes[min(j + 2, last)]
        c3, c4 = codes[min(j + 3, last)], codes[min(j + 4, last)]
        for b in range(counts.size):
            for k in range(b * block, b * block + counts[b]):
                row, label, weight = rows[k], np.uint64(labels[k]), weights[k]
                h0[np.uint64(c0[row]) + label] += weight
                h1[np.uint64(c1[row]) + label] += weight
                h2[np.uint64(c2[row]) + label] += weight
                h3[np.uint64(c3[row]) + label] += weight
                h4[np.uint64(c4[row]) + label] += weight
        for k in range(min(5, codes.shape[0] - j)):
            out[j + k] = sums[k, :512]


@kernel
def follow_sums(sums: Array, part: Array, here: Array, there: Array, signed: Array) -> None:
    """Update sums by label in place from the new sums ``part`` over some of the rows.

    Those rows were multiplied by ``here``, all others by ``there``: one factor for positive and one
    for negative labels. ``signed`` gets the difference of the two.
    """
    for j in range(sums.shape[0]):
        for label in range(2):
            for k in range(256 * label, 256 * label + 256):
                rest = sums[j, k] - part[j, k] / here[label]
                sums[j, k] = part[j, k] + rest * there[label]
        for k in range(256):
            signed[j, k] = sums[j, k] - sums[j, k + 256]


@kernel
def best_threshold(histogram: Array, n_bins: int) -> tuple[float, int]:
    """Largest ``|left| + |right| + |missing|`` over all cuts, and the last bin of its left side.

    Both sides choose their own sign, so every polarity and the constant rule are covered. With one
    bin there is no cut: the answer is the constant rule, cut 0.
    """
    total = 0.0
    for k in range(n_bins):
        total += histogram[k]
    missing = abs(histogram[n_bins])
    best, cut = abs(total), 0
    left = 0.0
    for k in range(n_bins - 1):
        left += histogram[k]
        score = abs(left) + abs(total - left)
        if score > best + TIE:
            best, cut = score, k
    return best + missing, cut


@kernel
def best_category(histogram: Array, n_bins: int) -> tuple[float, int]:
    """Largest ``|one category| + |all others| + |missing|``, and that category."""
    total = 0.0
    for k in range(n_bins):
        total += histogram[k]
    best, chosen = abs(total), 0
    for k in range(n_bins):
        score = abs(histogram[k]) + abs(total - histogram[k])
        if score > best + TIE:
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
def threshold_column(codes: Array, cut: int, labels: Array, missing_code: int, out: Array) -> None:
    """Outputs of a threshold stump on binned rows; ``labels`` = (left, right, missing)."""
    left, right, missing = labels[0], labels[1], labels[2]
    for i in range(codes.size):
        side = left if codes[i] <= cut else right
        out[i] = missing if codes[i] == missing_code else side


@kernel
def lookup_column(codes: Array, labels: Array, out: Array) -> None:
    """Outputs of a rule that maps each code to ``labels[code]``."""
    for i in range(codes.size):
        out[i] = labels[codes[i]]
