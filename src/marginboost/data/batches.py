"""A table in pieces: files, arrays and generated rows that are read a batch at a time."""

from __future__ import annotations

import copy
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from ..validation import check_number, is_among
from .arrow_files import ArrowFiles, find_files
from .table import as_source, default_names, frame_names, is_frame

BATCH_ROWS = 1 << 16
"""Rows read at a time: some megabytes."""


class Batches:
    """A table larger than memory, in pieces that are read one after the other.

    It can be gone through any number of times. Fits bin it (:meth:`BinnedMatrix.from_batches
    <marginboost.BinnedMatrix.from_batches>`), predictions go through it batch by batch.

    Parameters
    ----------
    source : path, array, data frame, sequence or function
        Parquet and Arrow files (one, a list of them, or a folder); an array, which may be mapped
        into memory (``np.load(path, mmap_mode="r")``); a list of batches, or a function without
        arguments that returns batches anew each time it is called. Batches are arrays, sparse
        matrices, pandas or polars frames, Arrow tables or record batches.
    columns : sequence of str, optional
        Columns to read, in this order; None is all of them. Those of arrays are x0, x1, …
    batch_rows : int
        Rows of a batch, where files and arrays leave the choice.
    n_rows : int, optional
        Rows of all batches, where they are known: a function need not be called to count them.

    Attributes
    ----------
    names : list
        The columns.
    named : bool
        Whether the names came with the table.
    n_rows : int
        Rows of all batches. Where only counting tells, they are gone through for it.

    Examples
    --------
    >>> rows = np.arange(12.0).reshape(6, 2)
    >>> batches = Batches(lambda: (rows[k : k + 4] for k in (0, 4)))
    >>> batches.n_rows, batches.names, [len(batch) for batch in batches]
    (6, ['x0', 'x1'], [4, 2])
    """

    def __init__(
        self,
        source: Any,
        *,
        columns: Sequence[Any] | None = None,
        batch_rows: int = BATCH_ROWS,
        n_rows: int | None = None,
    ) -> None:
        check_number("batch_rows", batch_rows, at_least=1, integer=True)
        self.batch_rows = int(batch_rows)
        self._files = _as_files(source)
        self._open = None if self._files is not None else _opener(source, self.batch_rows)
        self._all_names, self.named = self._known_names()
        self.names = self._checked(self._all_names if columns is None else columns)
        if n_rows is not None:
            check_number("n_rows", n_rows, at_least=0, integer=True)
            self.n_rows = int(n_rows)

    def select(self, columns: Sequence[Any]) -> Batches:
        """The same rows with some of the columns."""
        chosen = copy.copy(self)
        chosen.names = self._checked(columns)
        return chosen

    def _checked(self, columns: Sequence[Any]) -> list[Any]:
        """Names, all of which there are."""
        for name in columns:
            if not is_among(name, self._all_names):
                raise ValueError(f"columns: got {name!r}, expected some of {self._all_names[:20]}")
        return list(columns)

    def _known_names(self) -> tuple[list[Any], bool]:
        """Names of all columns, and whether they came with the table."""
        if self._files is not None:
            return self._files.names, True
        first = next(self._given(), None)
        if first is None:
            raise ValueError("source: got no batches, expected at least one")
        return _names(first), is_frame(first)

    @cached_property
    def n_rows(self) -> int:
        """Rows of all batches."""
        if self._files is not None:
            return self._files.n_rows
        return sum(int(batch.shape[0]) for batch in self._given())

    def __iter__(self) -> Iterator[Any]:
        if self._files is not None:
            for piece in self._files.pieces(self.names, self.batch_rows):
                yield piece.table
            return
        for number, batch in enumerate(self._given()):
            yield self._chosen(batch, number)

    def _given(self) -> Iterator[Any]:
        """Batches with all their columns, as tables can read them."""
        assert self._open is not None
        for batch in self._open():
            yield _readable(batch)

    def _chosen(self, batch: Any, number: int) -> Any:
        """The columns that were asked for, by name."""
        names = _names(batch)
        if len(names) != len(self._all_names) or set(names) != set(self._all_names):
            different = sorted(map(str, set(names) ^ set(self._all_names)))
            raise ValueError(
                f"source: batch {number} has {len(names)} columns, expected the "
                f"{len(self._all_names)} of the first batch (different: "
                f"{', '.join(different[:5]) or 'a name stands twice'})"
            )
        return pick_columns(batch, self.names)


def pick_columns(batch: Any, names: list[Any]) -> Any:
    """Some columns of a batch, by name."""
    known = _names(batch)
    if known == names:
        return batch
    if not is_frame(batch):
        return batch[:, [known.index(name) for name in names]]
    return batch[names] if hasattr(batch, "iloc") else batch.select(names)


def _as_files(source: Any) -> ArrowFiles | None:
    """Files that a source names, if it does."""
    path = (str, os.PathLike)
    if isinstance(source, path):
        return ArrowFiles(find_files(source))
    if isinstance(source, list | tuple) and source and isinstance(source[0], path):
        return ArrowFiles([file for part in source for file in find_files(part)])
    return None


def _opener(source: Any, batch_rows: int) -> Callable[[], Iterable[Any]]:
    """Function that gives the batches anew each time it is called."""
    if hasattr(source, "collect") and not hasattr(source, "shape"):
        raise TypeError("source: got a lazy frame, expected rows; call its collect() first")
    if isinstance(source, np.ndarray) and source.ndim == 2:
        starts = range(0, max(1, len(source)), batch_rows)
        return lambda: (source[start : start + batch_rows] for start in starts)
    if is_frame(source) or sparse.issparse(source):
        return lambda: [source]
    if isinstance(source, Iterator):
        raise TypeError(
            "source: got an iterator, which can be gone through once; expected a function that "
            "returns one anew, as rows are read twice: first for the cuts, then for the codes"
        )
    if callable(source):
        return source
    if isinstance(source, Iterable):
        return lambda: source
    raise TypeError(
        f"source: got {type(source).__name__}, expected paths, an array, a list of batches, or a "
        "function that returns batches"
    )


def _readable(batch: Any) -> Any:
    """One batch as a table can read it."""
    if type(batch).__name__ == "RecordBatch":
        import pyarrow as pa

        return pa.Table.from_batches([batch])
    return as_source(batch)


def _names(batch: Any) -> list[Any]:
    return frame_names(batch) if is_frame(batch) else default_names(batch.shape[1])
