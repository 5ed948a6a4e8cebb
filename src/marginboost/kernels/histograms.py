"""Kernels that sum what rows bring, by bin: where trees spend their time.

Every row brings a few numbers, its *channels*: one or more signed sums, then its weight. Most trees
have two, which lie side by side and are added as one pair, for a few features at a time where codes
are bytes: then their sums fit the cache, and the pair is read once for all of them.
"""

from __future__ import annotations

import numpy as np

from ..types import Array
from .exact import on_grid
from .intrinsics import add_pairs
from .jit import inlined_kernel, inner_kernel, kernel

TOGETHER = 4
"""Most features that are summed at a time."""
NARROW = 256
"""Bins of a feature whose codes are bytes."""

# -- two channels ----------------------------------------------------------------------------------


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


@inlined_kernel
def add_each(codes: Array, rows: Array, pairs: Array, sums: Array, count: int) -> None:
    """Do the work of :func:`add_few` for so many features; ``count`` is a literal."""
    flat, amounts, out = codes.reshape(-1), pairs.reshape(-1), sums.reshape(-1)
    n_rows, first = codes.shape[1], np.uint64(0)
    step = np.uint64(n_rows)
    if rows.size == n_rows:
        for i in range(n_rows):
            add_pairs(out, first, flat, np.uint64(i), step, amounts, np.uint64(i), count)
    else:
        for i in range(rows.size):
            add_pairs(out, first, flat, np.uint64(rows[i]), step, amounts, np.uint64(i), count)


@inner_kernel
def add_few(codes: Array, rows: Array, pairs: Array, sums: Array) -> None:
    """Add the pairs of some rows, which lie together, to the bins of up to four features.

    Additions of a row are written out for each number of features. Codes are not asked for ahead of
    time: additions do not wait for one another, so the processor has many of them under way.
    """
    if codes.shape[0] == 4:
        add_each(codes, rows, pairs, sums, 4)
    elif codes.shape[0] == 3:
        add_each(codes, rows, pairs, sums, 3)
    elif codes.shape[0] == 2:
        add_each(codes, rows, pairs, sums, 2)
    else:
        add_each(codes, rows, pairs, sums, 1)


@inner_kernel
def add_rows(codes: Array, rows: Array, pairs: Array, sums: Array) -> None:
    """Add the pairs of some rows, which lie together, to ``sums``, 256 pairs for each feature.

    Rows are in ascending order. Few features are gone through at a time: their sums fit the cache.
    """
    n_features = codes.shape[0]
    n_parts = -(-n_features // TOGETHER)
    for part in range(n_parts):
        first, last = part * n_features // n_parts, (part + 1) * n_features // n_parts
        add_few(codes[first:last], rows, pairs, sums[NARROW * first : NARROW * last])


# -- any number of channels, any codes -------------------------------------------------------------


@inner_kernel
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


@inner_kernel
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
