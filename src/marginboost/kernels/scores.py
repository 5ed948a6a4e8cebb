"""Kernels that score raw rows with a finished stump ensemble."""

from __future__ import annotations

from typing import Any

import numpy as np

from .jit import kernel

Array = np.ndarray[Any, np.dtype[Any]]


@kernel
def step_value(value: float, thresholds: Array, levels: Array) -> float:
    """Value of a step function: ``levels[k]`` right of k thresholds; NaN gets the last level."""
    if np.isnan(value):
        return levels[levels.size - 1]
    base = 0
    left = thresholds.size
    while left > 0:
        half = (left + 1) >> 1
        base += half if thresholds[base + half - 1] < value else 0
        left -= half
    return levels[base]


@kernel
def add_step_functions(
    rows: Array, features: Array, thresholds: Array, levels: Array, first: Array, out: Array
) -> None:
    """``out[i] += Σ_j step_j(rows[i, features[j]])``, cost independent of the number of stumps.

    Step function j has thresholds ``thresholds[first[j]:first[j + 1]]`` and two more levels than
    thresholds, ``levels[first[j] + 2j : first[j + 1] + 2j + 2]``; the last one is for NaN.
    """
    for j in range(features.size):
        column = rows[:, features[j]]
        cuts = thresholds[first[j] : first[j + 1]]
        heights = levels[first[j] + 2 * j : first[j + 1] + 2 * j + 2]
        for i in range(column.size):
            out[i] += step_value(column[i], cuts, heights)
