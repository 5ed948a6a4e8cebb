"""Binning of a table that is read in batches: the cuts and codes are those of the table in memory.

Two passes. The first finds the categories of all batches, collects labels and weights, and keeps
the rows from which cuts are made: the same evenly spaced ones that are taken in memory. The second
writes the codes. What is held is the codes, one batch, and those rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..kernels.parallel import resolve_n_jobs, run_blocks
from ..types import Array
from ..validation import check_number, is_among
from .batches import Batches, pick_columns
from .binned import count_bins, fill_codes, find_cuts, read_weights, sample_rows
from .table import Categories, Table


class Binned(NamedTuple):
    """Parts of a binned matrix."""

    codes: Array
    cuts: list[Array]
    categories: Categories
    names: list[Any]
    labels: Array | None
    weights: Array | None


def bin_batches(
    batches: Batches,
    *,
    label: Any = None,
    weight: Any = None,
    categorical: Sequence[Any] | None = None,
    max_bins: int | None = 255,
    n_jobs: int | None = None,
) -> Binned:
    """Bin all columns but those of labels and weights; see :meth:`BinnedMatrix.from_batches`."""
    threads = resolve_n_jobs(n_jobs)
    check_number("max_bins", max_bins, at_least=2, integer=True, optional=True)
    for role, name in (("label", label), ("weight", weight)):
        if name is not None and not is_among(name, batches.names):
            raise ValueError(f"{role}: got {name!r}, expected one of {batches.names[:20]}")
    names = [name for name in batches.names if name not in (label, weight)]
    if not names:
        raise ValueError("source: got 0 columns besides labels and weights, expected at least 1")
    if batches.n_rows == 0:
        raise ValueError("source: got 0 rows, expected at least 1")
    seen = _FirstPass(names, batches.n_rows, _positions(categorical, names), max_bins is None)
    collected = {
        name: _Collected(name, batches.n_rows) for name in (label, weight) if name is not None
    }
    for start, batch in _numbered(batches):
        seen.read(Table(pick_columns(batch, names), names), start)
        for name, column in collected.items():
            column.read(Table(pick_columns(batch, [name]), [name]), start)
    weights = None
    if weight is not None:
        weights = read_weights(collected[weight].values, batches.n_rows)
    categories = seen.all_categories()
    cuts = seen.find_cuts(max_bins, weights, threads)
    widest = max(count_bins(*pair) for pair in zip(cuts, categories, strict=True))
    codes = np.empty((len(names), batches.n_rows), dtype=np.min_scalar_type(widest))
    for start, batch in _numbered(batches):
        table = Table(_finite(pick_columns(batch, names)), names, categories)
        fill_codes(table, cuts, codes[:, start : start + table.n_rows], threads)
    labels = None if label is None else collected[label].values
    return Binned(codes, cuts, categories, names, labels, weights)


def _numbered(batches: Batches) -> Iterator[tuple[int, Any]]:
    """Batches that hold rows, each with the number of its first row."""
    start = 0
    for batch in batches:
        n_rows = int(batch.shape[0])
        if start + n_rows > batches.n_rows:
            break
        if n_rows:
            yield start, batch
        start += n_rows
    else:
        if start == batches.n_rows:
            return
    raise ValueError(
        f"source: got other rows when read again, expected the {batches.n_rows} of the first time"
    )


def _positions(categorical: Sequence[Any] | None, names: list[Any]) -> list[int] | None:
    """Column numbers of columns given by name or number; None where types tell."""
    if categorical is None:
        return None
    places = []
    for item in categorical:
        if is_among(item, names):
            places.append(names.index(item))
            continue
        if isinstance(item, str):
            raise ValueError(f"categorical: got {item!r}, expected one of {names[:20]}")
        check_number("categorical", item, at_least=0, at_most=len(names) - 1, integer=True)
        places.append(int(item))
    return places


def _finite(batch: Any) -> Any:
    """An array without infinity; frames are checked column by column."""
    if isinstance(batch, np.ndarray):
        with np.errstate(over="ignore", invalid="ignore"):
            finite = np.isfinite(batch.sum())
        if not finite and np.isinf(batch).any():
            column = int(np.argmax(np.isinf(batch).any(axis=0)))
            raise ValueError(f"source: column {column} holds infinity; expected numbers or NaN")
    return batch


class _FirstPass:
    """What the first pass finds out: kinds of columns, categories, rows to make cuts from.

    Where every distinct value is to have a bin of its own, distinct values stand for the rows.
    """

    def __init__(
        self, names: list[Any], n_rows: int, categorical: list[int] | None, distinct: bool
    ) -> None:
        self._names, self._by_type, self._distinct = names, categorical is None, distinct
        self._chosen = set(categorical or ())
        self._numeric: dict[int, bool] = {}
        self._categories: dict[int, list[Array]] = {}
        rows = None if distinct else sample_rows(n_rows)
        self._rows = np.arange(0 if distinct else n_rows) if rows is None else rows
        self._values: list[Array] = [np.empty(0)] * len(names)
        if not distinct:
            self._values = list(np.full((len(names), len(self._rows)), np.nan))

    def read(self, table: Table, start: int) -> None:
        """Look at a batch whose first row has this number."""
        first, last = np.searchsorted(self._rows, [start, start + table.n_rows])
        some = None
        if not self._distinct and first < last:
            some = table.take(self._rows[first:last] - start)
        for j in range(table.n_features):
            if self._is_category(table, j):
                self._categories.setdefault(j, []).append(table.find_categories(j))
            elif self._distinct:
                both = np.concatenate([self._values[j], np.asarray(table.column(j), np.float64)])
                self._values[j] = np.unique(both[~np.isnan(both)])
            elif some is not None:
                self._values[j][first:last] = some.column(j)

    def _is_category(self, table: Table, j: int) -> bool:
        """Whether a column of a batch holds categories; all batches must agree."""
        if not self._by_type:
            return j in self._chosen
        if table.holds_nothing(j):
            return j in self._categories
        found = table.has_category_type(j) or table.is_text(j)
        if self._numeric.setdefault(j, not found) == found:
            kinds = ("numbers", "categories") if found else ("categories", "numbers")
            raise ValueError(
                f"source: column {self._names[j]!r} holds {kinds[0]} in one batch and {kinds[1]} "
                "in another, expected one of them"
            )
        return found

    def all_categories(self) -> Categories:
        """Categories of all batches, for each column that holds some."""
        found: Categories = [None] * len(self._names)
        for j, parts in self._categories.items():
            found[j] = _united(parts)
        return found

    def find_cuts(self, max_bins: int | None, weights: Array | None, threads: int) -> list[Array]:
        """Cuts of all columns that hold numbers."""
        cuts: list[Array] = [np.empty(0)] * len(self._names)
        mass = None if weights is None or self._distinct else weights[self._rows]

        def find(j: int) -> None:
            if j not in self._categories:
                cuts[j] = find_cuts(self._values[j], max_bins, mass)

        run_blocks(find, len(cuts), threads)
        return cuts


def _united(parts: list[Array]) -> Array:
    """Categories of several batches together, sorted where they have an order."""
    filled = [part for part in parts if len(part)] or parts[:1]
    kind = filled[0].dtype if len({part.dtype for part in filled}) == 1 else np.dtype(object)
    known = list(dict.fromkeys(value for part in filled for value in part.tolist()))
    united = np.empty(len(known), dtype=kind)
    united[:] = known
    try:
        return np.sort(united)
    except TypeError:  # of mixed types: as they came
        return united


class _Collected:
    """Labels or weights, one for every row, none missing."""

    def __init__(self, name: Any, n_rows: int) -> None:
        self._name, self._n_rows = name, n_rows
        self._known: dict[Any, Any] = {}
        self.values: Array = np.empty(0)

    def read(self, table: Table, start: int) -> None:
        """Keep the values of a batch whose first row has this number."""
        found, missing = self._read(table)
        if missing.any():
            row = start + int(np.argmax(missing))
            raise ValueError(f"column {self._name!r}: row {row} is missing, expected a value")
        if not start:
            self.values = np.empty(self._n_rows, dtype=found.dtype)
        elif found.dtype != self.values.dtype:
            self.values = self.values.astype(np.result_type(found.dtype, self.values.dtype))
        self.values[start : start + len(found)] = found

    def _read(self, table: Table) -> tuple[Array, Array]:
        """Values of the only column of a table, and where there are none."""
        found = table.plain_numbers(0)
        if found is not None:
            return found, np.isnan(found) if found.dtype.kind == "f" else np.zeros(1, bool)
        codes, categories = table.local_categories(0)
        values = np.empty(len(categories) + 1, dtype=object)
        # One object for each distinct text, not one for each row.
        values[:-1] = [self._known.setdefault(value, value) for value in categories.tolist()]
        return values[codes], codes < 0
