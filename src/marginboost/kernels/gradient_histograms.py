"""Kernels that sum slopes and curvatures by bin: where second-order trees spend their time.

Slope and curvature of a bin lie side by side and are added as one pair. Codes of one byte are kept
a second time, those of up to eight features of a row in one word, so that a row costs one read for
eight additions.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .intrinsics import AHEAD, BYTE_PAIRS, add_pairs, prefetch
from .jit import kernel

Array = np.ndarray[Any, np.dtype[Any]]

FEATURES_A_WORD = 8
NARROW = 256
"""Bins of a feature whose codes are bytes."""


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
def pair_up(slopes: Array, curvatures: Array, factor: float, out: Array) -> tuple[float, float]:
    """Write slope and ``factor`` times curvature of each row side by side; returns their sums."""
    slope = curvature = 0.0
    for i in range(slopes.size):
        out[i, 0] = slopes[i]
        out[i, 1] = factor * curvatures[i]
        slope += out[i, 0]
        curvature += out[i, 1]
    return slope, curvature


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
    """Add the pairs of all rows to ``sums`` (up to eight features, 256, 2)."""
    flat, amounts, n_features = sums.reshape(-1), pairs.reshape(-1), sums.shape[0]
    for i in range(words.size):
        add_word(words[i], amounts, np.uint64(2 * i), flat, n_features)


@kernel
def add_rows(words: Array, rows: Array, pairs: Array, sums: Array) -> None:
    """Do the same for some rows, whose words are scattered and asked for some time ahead."""
    flat, amounts, n_features = sums.reshape(-1), pairs.reshape(-1), sums.shape[0]
    for i in range(rows.size):
        prefetch(words, np.uint64(rows[min(i + AHEAD, rows.size - 1)]))
        add_word(words[rows[i]], amounts, np.uint64(2 * i), flat, n_features)


@kernel
def add_codes(codes: Array, rows: Array, pairs: Array, sums: Array) -> None:
    """Do the same from codes of any width, one feature after the other."""
    for j in range(codes.shape[0]):
        mine, out = codes[j], sums[j]
        for i in range(pairs.shape[0]):
            code = mine[rows[i]]
            out[code, 0] += pairs[i, 0]
            out[code, 1] += pairs[i, 1]
