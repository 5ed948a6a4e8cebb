"""Kernel over a pool of columns: the vote of all of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from .jit import kernel

Array = np.ndarray[Any, np.dtype[Any]]


@kernel
def add_columns(columns: Array, used: Array, coef: Array, out: Array) -> None:
    """``out += Σ_j coef_j columns_j`` over the columns ``used``, a cache-sized piece at a time."""
    piece = 2048
    for start in range(0, out.size, piece):
        here = out[start : start + piece]
        for k in range(used.size):
            weight, column = coef[used[k]], columns[used[k], start : start + piece]
            for i in range(here.size):
                here[i] += weight * column[i]
