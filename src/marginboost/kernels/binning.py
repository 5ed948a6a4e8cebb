"""Kernels that turn raw values into bin codes."""

from __future__ import annotations

from typing import Any

import numpy as np

from .jit import kernel
from .search import count_below, count_below_narrow

Array = np.ndarray[Any, np.dtype[Any]]


@kernel
def assign_bins(values: Array, cuts: Array, codes: Array) -> None:
    """Write to ``codes[i]`` the number of cuts below ``values[i]``; NaN gets ``len(cuts) + 1``.

    A value equal to a cut lies below it: ``x <= cut`` is the left side of a stump.
    """
    for i in range(values.size):
        value = values[i]
        codes[i] = cuts.size + 1 if np.isnan(value) else count_below(cuts, value)


@kernel
def assign_block(block: Array, padded: Array, n_cuts: Array, codes: Array) -> None:
    """Bin a block of rows by at most 255 cuts per feature: ``codes[j, i]`` from ``block[i, j]``.

    Going through the rows block by block, each row is read from memory once for all features.
    """
    for j in range(block.shape[1]):
        cuts, missing = padded[j], n_cuts[j] + 1
        for i in range(block.shape[0]):
            value = block[i, j]
            codes[j, i] = missing if np.isnan(value) else count_below_narrow(cuts, value)
