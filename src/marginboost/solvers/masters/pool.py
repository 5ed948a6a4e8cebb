"""The columns of all hypotheses that a totally corrective rule still works with."""

from __future__ import annotations

import numpy as np

from ...kernels.parallel import run_blocks, run_rows
from ...kernels.soft_margin import add_columns
from ...kernels.weights import weighted_sum
from ...types import Array

ROWS = 1 << 15
"""Rows of one task: a vote is the same number whatever block its row is in, so blocks are small."""


def are_signs(outputs: Array) -> bool:
    """Whether all outputs are -1 or +1.

    Told by value: a base learner may give them as numbers of any type.
    """
    return bool((np.abs(outputs) == 1).all())


class ColumnPool:
    """Outputs ``h_j(x_i)`` of many hypotheses, one row per hypothesis.

    Kept as int8 while all outputs are -1 or +1, so that a million rows and a few hundred columns
    fit in memory. Only rules that ask for a pool pay for one.

    Attributes
    ----------
    columns : array (n_columns, n_rows)
        The outputs.
    """

    def __init__(self, n_rows: int, n_threads: int = 1) -> None:
        self._store: Array = np.empty((16, n_rows), dtype=np.int8)
        self._size = 0
        self._n_threads = n_threads

    def __len__(self) -> int:
        return self._size

    @property
    def columns(self) -> Array:
        """The outputs, without the spare room."""
        return self._store[: self._size]

    def append(self, column: Array) -> None:
        """Add a column; the store doubles when it is full."""
        if self._size == len(self._store):
            spare = np.empty_like(self._store)
            self._store = np.concatenate([self._store, spare])
        if self._store.dtype == np.int8 and not are_signs(column):
            self._store = self._store.astype(np.float64)
        self._store[self._size] = column
        self._size += 1

    def keep(self, which: Array) -> None:
        """Drop all columns but these."""
        kept = self.columns[which]
        self._store[: len(kept)] = kept
        self._size = len(kept)

    def combine(self, coef: Array) -> Array:
        """Scores ``Σ_j coef_j h_j``, added in the order of the columns."""
        scores = np.zeros(self._store.shape[1])
        used = np.flatnonzero(coef)

        def add(start: int, stop: int) -> None:
            add_columns(self.columns[:, start:stop], used, coef, scores[start:stop])

        run_rows(add, len(scores), self._n_threads, ROWS)
        return scores

    def edges(self, dual: Array) -> Array:
        """Edges ``Σ_i dual_i h_j(x_i)`` of all columns."""
        edges = np.zeros(self._size)

        def measure(j: int) -> None:
            edges[j] = weighted_sum(dual, self._store[j])

        run_blocks(measure, self._size, self._n_threads)
        return edges
