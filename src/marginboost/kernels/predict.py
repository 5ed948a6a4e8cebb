"""Kernels that score raw rows with a finished stump ensemble: one step function per feature."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..types import Array
from .binning import BYTE_CUTS, count_below, count_below_narrow
from .jit import inner_kernel, kernel

ROWS_AT_ONCE = 256
"""Rows that are scored together: their values stay in a core's cache."""
FEWEST_BUCKETS, MOST_BUCKETS = 32, 4096
"""Buckets of equal width that the values of a feature are put in."""
MOST_TRIES = 2
"""Cuts in a bucket, at most; where a feature has more, its cuts are searched by halving."""


class Cells(NamedTuple):
    """Cuts of some features, which part their values into cells, and a short way to each cell.

    The values between the first and the last cut are put in buckets of equal width. How many cuts
    lie in lower buckets is known; what remains are the cuts in a value's own bucket, one or two.
    Rounding is monotone, so that values in a higher bucket are larger, and the cell is exact.

    Attributes
    ----------
    features : array
        The features.
    cuts : array
        Sorted cuts of all of them, one after the other; each one's end with infinity, which no
        value is above.
    starts : array (n_features + 1, 3)
        Where the cuts, the cells and the buckets of each begin. A feature has one cell more than
        cuts, and the last one for missing values.
    scales : array (n_features, 2)
        Where the first bucket begins, and buckets per unit.
    tries : array
        Most cuts in a bucket; 0 where cuts are searched by halving.
    below : array
        Cuts in lower buckets, for each bucket.
    """

    features: Array
    cuts: Array
    starts: Array
    scales: Array
    tries: Array
    below: Array


def lay_cells(features: Array, cuts: Sequence[Array]) -> Cells:
    """Lay out the cells between sorted, finite cuts, an array for each feature."""
    lengths = np.array([len(mine) for mine in cuts], dtype=np.int64)
    flat, firsts = np.concatenate([np.empty(0), *cuts]), np.append(0, np.cumsum(lengths))
    scales, tries = np.zeros((len(cuts), 2)), np.zeros(len(cuts), dtype=np.int64)
    n_buckets = np.ones(len(cuts), dtype=np.int64)
    choose_buckets(flat, firsts, n_buckets, scales, tries)
    room = np.where(tries > 0, lengths + MOST_TRIES, np.maximum(lengths, BYTE_CUTS))
    starts = np.zeros((len(cuts) + 1, 3), dtype=np.int64)
    np.cumsum(np.column_stack([room, lengths + 2, n_buckets]), axis=0, out=starts[1:])
    padded = np.full(int(starts[-1, 0]), np.inf)
    padded[np.arange(len(flat)) + np.repeat(starts[:-1, 0] - firsts[:-1], lengths)] = flat
    below = np.zeros(int(starts[-1, 2]), dtype=np.uint16)
    cells = Cells(np.asarray(features, dtype=np.int64), padded, starts, scales, tries, below)
    fill_buckets(cells)
    return cells


@inner_kernel
def bucket_of(value: float, origin: float, scale: float, last: float) -> Any:
    """Bucket of a value; the first and the last one have no outer end. 0 for NaN.

    Unsigned: of a signed index it would be asked whether it is negative.
    """
    place = (value - origin) * scale
    place = place if place > 0.0 else 0.0
    return np.uint64(np.int64(place if place < last else last))


@kernel
def choose_buckets(
    cuts: Array, starts: Array, n_buckets: Array, scales: Array, tries: Array
) -> None:
    """Choose the fewest buckets that hold one cut each, or two; else there are no tries."""
    for j in range(tries.size):
        mine = cuts[starts[j] : starts[j + 1]]
        origin = mine[0] if mine.size > 0 else 0.0
        width = mine[-1] - origin if mine.size > 1 else 1.0
        count = FEWEST_BUCKETS
        while count <= MOST_BUCKETS and tries[j] != 1:
            scale = count / width
            most, here, last = 1, 0, np.uint64(0)
            for k in range(mine.size):
                bucket = bucket_of(mine[k], origin, scale, count - 1.0)
                here = here + 1 if k > 0 and bucket == last else 1
                last, most = bucket, max(most, here)
            sound = np.isfinite(scale) and scale > 0.0  # else the product may be no number
            if sound and most <= MOST_TRIES and (tries[j] == 0 or most < tries[j]):
                n_buckets[j], tries[j] = count, most
                scales[j, 0], scales[j, 1] = origin, scale
            count *= 2


@kernel
def fill_buckets(cells: Cells) -> None:
    """Count the cuts in lower buckets."""
    for j in range(cells.tries.size):
        below = cells.below[cells.starts[j, 2] : cells.starts[j + 1, 2]]
        cuts = cells.cuts[cells.starts[j, 0] : cells.starts[j + 1, 0]]
        origin, scale, last = cells.scales[j, 0], cells.scales[j, 1], below.size - 1.0
        k = 0
        for bucket in range(below.size):
            while k < cuts.size and bucket_of(cuts[k], origin, scale, last) < np.uint64(bucket):
                k += 1
            below[bucket] = k


@inner_kernel
def find_cells_of(values: Array, j: int, cells: Cells, out: Array) -> None:
    """Write to ``out[i]`` in which cell of feature number j a value lies: how many cuts below it.

    A value equal to a cut lies below it. NaN has the last cell.
    """
    cuts = cells.cuts[cells.starts[j, 0] : cells.starts[j + 1, 0]]
    below = cells.below[cells.starts[j, 2] : cells.starts[j + 1, 2]]
    origin, scale, last = cells.scales[j, 0], cells.scales[j, 1], below.size - 1.0
    missing, one = np.uint64(cells.starts[j + 1, 1] - cells.starts[j, 1] - 1), np.uint64(1)
    if cells.tries[j] == 1:
        for i in range(values.size):
            value = values[i]
            cell = np.uint64(below[bucket_of(value, origin, scale, last)])
            cell += np.uint64(cuts[cell] < value)
            out[i] = missing if np.isnan(value) else cell
    elif cells.tries[j] == 2:
        for i in range(values.size):
            value = values[i]
            cell = np.uint64(below[bucket_of(value, origin, scale, last)])
            cell += np.uint64(cuts[cell] < value) + np.uint64(cuts[cell + one] < value)
            out[i] = missing if np.isnan(value) else cell
    elif cuts.size == BYTE_CUTS:
        for i in range(values.size):
            value = values[i]
            out[i] = missing if np.isnan(value) else np.uint64(count_below_narrow(cuts, value))
    else:
        for i in range(values.size):
            value = values[i]
            out[i] = missing if np.isnan(value) else np.uint64(count_below(cuts, value))


@kernel
def find_cells(rows: Array, cells: Cells, out: Array) -> None:
    """Write to ``out[j, i]`` in which cell of feature number j the value of row i lies."""
    for start in range(0, rows.shape[0], ROWS_AT_ONCE):
        block = rows[start : start + ROWS_AT_ONCE]
        for j in range(cells.features.size):
            find_cells_of(block[:, cells.features[j]], j, cells, out[j, start:])


@kernel
def add_steps(rows: Array, cells: Cells, levels: Array, out: Array) -> None:
    """Add to ``out[i]`` the levels of the cells that row i lies in, feature by feature.

    The levels lie as the cells do.
    """
    found = np.empty(ROWS_AT_ONCE, dtype=np.uint32)
    for start in range(0, rows.shape[0], ROWS_AT_ONCE):
        block, total = rows[start : start + ROWS_AT_ONCE], out[start : start + ROWS_AT_ONCE]
        for j in range(cells.features.size):
            find_cells_of(block[:, cells.features[j]], j, cells, found)
            heights = levels[cells.starts[j, 1] : cells.starts[j + 1, 1]]
            for i in range(total.size):
                total[i] += heights[found[i]]


@kernel
def sum_stumps(
    steps: Array, thresholds: Array, outputs: Array, coef: Array, cuts: Array, starts: Array
) -> Array:
    """Levels of the step functions that stumps add up to, each level added up in their order.

    Parameters
    ----------
    steps, thresholds, coef : array (stumps,)
        The step that each stump is part of, its threshold and its coefficient.
    outputs : array (stumps, 3)
        Its outputs: left, right, missing.
    cuts : array
        Sorted distinct thresholds of all steps, one after the other, infinity left out.
    starts : array (steps + 1,)
        Where those of each begin. Its levels begin two places later per step before it.
    """
    levels = np.zeros(cuts.size + 2 * (starts.size - 1))
    for s in range(steps.size):
        first, last = starts[steps[s]], starts[steps[s] + 1]
        shift, weight, threshold = 2 * steps[s], coef[s], thresholds[s]
        left, right = weight * outputs[s, 0], weight * outputs[s, 1]
        for k in range(first, last):
            levels[k + shift] += left if cuts[k] <= threshold else right
        levels[last + shift] += left if threshold == np.inf else right
        levels[last + shift + 1] += weight * outputs[s, 2]
    return levels
