"""Kernels that turn raw values into bin codes."""

from __future__ import annotations

from typing import Any

import numpy as np

from .jit import kernel

Array = np.ndarray[Any, np.dtype[Any]]


@kernel
def assign_bins(values: Array, edges: Array, codes: Array) -> None:
    """Write to ``codes[i]`` the number of edges below ``values[i]``; NaN gets ``len(edges) + 1``.

    A value equal to an edge lies below it (``x <= edge`` is the left side of a stump). The search
    halves a window without branching, so that the processor can overlap many rows.
    """
    n_edges = edges.size
    missing = n_edges + 1
    for i in range(values.size):
        value = values[i]
        base = 0
        left = n_edges
        while left > 0:
            half = (left + 1) >> 1
            base += half if edges[base + half - 1] < value else 0
            left -= half
        codes[i] = missing if np.isnan(value) else base


@kernel
def assign_block(block: Array, edges: Array, first_edge: Array, codes: Array) -> None:
    """Bin a block of rows, feature by feature: ``codes[j, i]`` from ``block[i, j]``.

    ``edges[first_edge[j]:first_edge[j + 1]]`` belong to feature j.
    """
    for j in range(block.shape[1]):
        assign_bins(block[:, j], edges[first_edge[j] : first_edge[j + 1]], codes[j])
