"""Kernels that score raw rows with a finished stump ensemble."""

from __future__ import annotations

from typing import Any

import numpy as np

from .jit import kernel
from .search import FEW, count_below, count_below_few, count_below_narrow

Array = np.ndarray[Any, np.dtype[Any]]


@kernel
def add_step_function(values: Array, thresholds: Array, levels: Array, out: Array) -> None:
    """``out[i] += levels[thresholds below values[i]]``; NaN adds the last level."""
    for i in range(values.size):
        value = values[i]
        position = levels.size - 1 if np.isnan(value) else count_below(thresholds, value)
        out[i] += levels[position]


@kernel
def add_narrow_step_functions(
    rows: Array, features: Array, thresholds: Array, levels: Array, out: Array
) -> None:
    """``out[i] += Σ_j step_j(rows[i, features[j]])``, whatever the number of stumps behind it.

    ``thresholds`` is (n_steps, 255), padded with infinity; ``levels`` is (n_steps, 257), the last
    one for NaN.
    """
    for j in range(features.size):
        cuts, heights, feature = thresholds[j], levels[j], features[j]
        if cuts[FEW] == np.inf:
            for i in range(rows.shape[0]):
                value = rows[i, feature]
                place = 256 if np.isnan(value) else count_below_few(cuts, value)
                out[i] += heights[place]
        else:
            for i in range(rows.shape[0]):
                value = rows[i, feature]
                place = 256 if np.isnan(value) else count_below_narrow(cuts, value)
                out[i] += heights[place]
