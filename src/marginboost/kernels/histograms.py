"""Kernels that sum what rows bring, by bin: where trees spend their time.

Every row brings a few numbers, its *channels*: one or more signed sums, then its weight. Most trees
have two, which lie side by side and are added as one pair. Codes of one byte are then kept a second
time, those of up to eight features of a row in one word, so that a row costs one read for eight
additions.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..types import Array
from .exact import on_grid
from .intrinsics import AHEAD, BYTE_PAIRS, add_pairs, prefetch
from .jit import kernel

FEATURES_PER_WORD = 8
NARROW = 256
"""Bins of a feature whose codes are bytes."""

# -- two channels ----------------------------------------------------------------------------------


@kernel
def pack_words(codes: Array, tiles: Array, words: Array) -> None:
    """Codes of a tile's features side by side, the first in the lowest byte."""
    for tile in range(words.shape[0]):
        out = words[tile]
        out[:] = 0
        for j in range(tiles[tile], tiles[tile + 1]):
            shift = np.uint64(8 * (j - tiles[tile]))
            mine = codes[j]
            for i in range(mine.size):
                out[i] |= np.uint64(mine[i]) << shift


@kernel
def pair_up(
    slopes: Array, curvatures: Array, first: float, second: float, out: Array
) -> tuple[float, float]:
    """Write slope and curvature of each row, times factors, side by side; returns their sums.

    Both are then shares of about one, and rounded so that all their sums are exact.
    """
    slope = curvature = 0.0
    for i in range(slopes.size):
        out[i, 0] = on_grid(first * slopes[i])
        out[i, 1] = on_grid(second * curvatures[i])
        slope += out[i, 0]
        curvature += out[i, 1]
    return slope, curvature


@kernel
def pair_sizes(signed: Array, factor: float, out: Array) -> tuple[float, float]:
    """Write each number times ``factor``, and its absolute value, side by side; returns sums.

    They are shares of one, and rounded so that all their sums are exact.
    """
    total = size = 0.0
    for i in range(signed.size):
        out[i, 0] = on_grid(factor * signed[i])
        out[i, 1] = abs(out[i, 0])
        total += out[i, 0]
        size += out[i, 1]
    return total, size


@kernel
def add_word(word: Any, amounts: Array, place: Any, flat: Array, n_features: int) -> None:
    """Add a row's pair to a bin of each of up to eight features."""
    first = np.uint64(0)
    if n_features & 8:
        add_pairs(flat, first, word, amounts, place, 8)
    if n_features & 4:
        add_pairs(flat, first, word, amounts, place, 4)
        word >>= np.uint64(32)
        first += np.uint64(4 * BYTE_PAIRS)
    if n_features & 2:
        add_pairs(flat, first, word, amounts, place, 2)
        word >>= np.uint64(16)
        first += np.uint64(2 * BYTE_PAIRS)
    if n_features & 1:
        add_pairs(flat, first, word, amounts, place, 1)


@kernel
def add_words(words: Array, pairs: Array, sums: Array) -> None:
    """Add the pairs of all rows to ``sums``, 256 pairs for each of up to eight features."""
    flat, amounts, n_features = sums.reshape(-1), pairs.reshape(-1), sums.shape[0] // NARROW
    for i in range(words.size):
        add_word(words[i], amounts, np.uint64(2 * i), flat, n_features)


@kernel
def add_rows(words: Array, rows: Array, pairs: Array, sums: Array) -> None:
    """Add the pairs of some rows to the bins of all features; words are asked for ahead of time."""
    flat, amounts, n_features = sums.reshape(-1), pairs.reshape(-1), sums.shape[0] // NARROW
    for i in range(rows.size):
        prefetch(words, np.uint64(rows[min(i + AHEAD, rows.size - 1)]))
        add_word(words[rows[i]], amounts, np.uint64(2 * i), flat, n_features)


# -- any number of channels, any codes -------------------------------------------------------------


@kernel
def add_codes(codes: Array, rows: Array, values: Array, sums: Array) -> None:
    """Add the channels of some rows to ``sums`` (bins, channels) by one feature's codes."""
    n_channels = values.shape[1]
    if n_channels == 2:
        for i in range(rows.size):
            code = codes[rows[i]]
            sums[code, 0] += values[i, 0]
            sums[code, 1] += values[i, 1]
        return
    for i in range(rows.size):
        code = codes[rows[i]]
        for channel in range(n_channels):
            sums[code, channel] += values[i, channel]


@kernel
def add_labels(
    codes: Array, rows: Array, amounts: Array, labels: Array, place: Array, sums: Array
) -> None:
    """Add some rows, each with all its weight on its own label, to ``sums`` by one feature's codes.

    Label l has the channel ``place[l]``; the weight has the last one.
    """
    last = sums.shape[1] - 1
    for i in range(rows.size):
        code = codes[rows[i]]
        sums[code, place[labels[i]]] += amounts[i, 0]
        sums[code, last] += amounts[i, 0]
