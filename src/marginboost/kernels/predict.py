"""Kernels that score raw rows with a finished stump ensemble: one step function per feature."""

from __future__ import annotations

import numpy as np

from ..types import Array
from .binning import BYTE_CUTS, FEW, count_below, count_below_few, count_below_narrow
from .jit import kernel

ROWS_AT_ONCE = 256
"""Rows that are scored together: their values stay in a core's cache."""


def pad_cuts(cuts: Array) -> Array:
    """Pad sorted cuts with infinity to 31 or 255, for which there are faster searches.

    More are left as they are.
    """
    width = FEW if len(cuts) <= FEW else max(BYTE_CUTS, len(cuts))
    return np.concatenate([cuts, np.full(width - len(cuts), np.inf)])


@kernel
def count_cuts(values: Array, cuts: Array, missing: int, cells: Array) -> None:
    """Write to ``cells[i]`` the number of cuts (see :func:`pad_cuts`) below ``values[i]``.

    NaN gets ``missing``.
    """
    if cuts.size == FEW:
        for i in range(values.size):
            value = values[i]
            cells[i] = missing if np.isnan(value) else count_below_few(cuts, value)
    elif cuts.size == BYTE_CUTS:
        for i in range(values.size):
            value = values[i]
            cells[i] = missing if np.isnan(value) else count_below_narrow(cuts, value)
    else:
        for i in range(values.size):
            value = values[i]
            cells[i] = missing if np.isnan(value) else count_below(cuts, value)


@kernel
def find_cells(rows: Array, features: Array, cuts: Array, starts: Array, cells: Array) -> None:
    """Write to ``cells[j, i]`` between which cuts of ``features[j]`` the value of row i lies.

    Cuts (see :func:`pad_cuts`) of all features lie one after the other; ``starts``
    (n_features + 1, 2) says where each one's cuts and cells begin. The last cell is for NaN.
    """
    for start in range(0, rows.shape[0], ROWS_AT_ONCE):
        block = rows[start : start + ROWS_AT_ONCE]
        for j in range(features.size):
            mine, missing = (
                cuts[starts[j, 0] : starts[j + 1, 0]],
                starts[j + 1, 1] - starts[j, 1] - 1,
            )
            count_cuts(block[:, features[j]], mine, missing, cells[j, start:])


@kernel
def add_levels(cells: Array, levels: Array, starts: Array, out: Array) -> None:
    """``out[i] += Σ_j levels[j, cells[j, i]]``; the levels lie as the cells do, see above."""
    for j in range(cells.shape[0]):
        heights = levels[starts[j, 1] : starts[j + 1, 1]]
        for i in range(out.size):
            out[i] += heights[cells[j, i]]


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
