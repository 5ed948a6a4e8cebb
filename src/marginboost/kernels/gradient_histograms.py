"""Kernels that sum slopes and curvatures by bin: where second-order trees spend their time.

Slope and curvature of a bin lie side by side and are added as one pair. Codes of one byte are kept
a second time, those of up to eight features of a row in one word, so that a row costs one read for
eight additions.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .jit import kernel
from .pairs import BYTE_PAIRS, add_pairs

Array = np.ndarray[Any, np.dtype[Any]]

FEATURES_A_WORD = 8
WORDS_AT_ONCE = 1 << 11
"""Words fetched at once: they stay in the first-level cache."""
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
def add_words(words: Array, pairs: Array, sums: Array) -> None:
    """Add the pairs of some rows to ``sums`` (up to eight features, 256, 2)."""
    flat, amounts = sums.reshape(-1), pairs.reshape(-1)
    n_features = sums.shape[0]
    for i in range(words.size):
        word, first, place = words[i], np.uint64(0), np.uint64(2 * i)
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
def add_rows(words: Array, rows: Array, pairs: Array, scratch: Array, sums: Array) -> None:
    """Do the same for the words of ``rows``, some of which are fetched before they are used.

    Fetching is a loop of its own, so that many reads are under way at once: each may have to wait
    for memory.
    """
    for start in range(0, rows.size, scratch.size):
        stop = min(start + scratch.size, rows.size)
        for i in range(start, stop):
            scratch[i - start] = words[rows[i]]
        add_words(scratch[: stop - start], pairs[start:stop], sums)


@kernel
def add_codes(codes: Array, rows: Array, pairs: Array, sums: Array) -> None:
    """Do the same from codes of any width, one feature after the other."""
    for j in range(codes.shape[0]):
        mine, out = codes[j], sums[j]
        for i in range(pairs.shape[0]):
            code = mine[rows[i]]
            out[code, 0] += pairs[i, 0]
            out[code, 1] += pairs[i, 1]
