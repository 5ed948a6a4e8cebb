"""The binned matrix: what every fit on trees and stumps reads."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any

import numpy as np

from ..kernels.binning import assign_bins, assign_block, pad_narrow
from ..kernels.parallel import resolve_n_jobs, run_blocks
from ..types import Array
from ..validation import check_number, read_numbers
from .table import (
    Categories,
    Table,
    as_source,
    default_names,
    frame_names,
    is_frame,
    other_names,
    row_chunks,
)

BINNING_ROWS = 1 << 13
"""Rows binned at a time, so that all their features are still in the cache."""

SAMPLE_ROWS = 200_000
"""Rows from which quantiles are taken when there are more."""


class BinnedMatrix:
    """Small integer codes of a table, feature by feature: binned once, used by many fits.

    Attributes
    ----------
    codes : array (n_features, n_rows)
        Bin of each value, in the narrowest unsigned type; ``n_bins[j]`` stands for missing.
    n_bins : array (n_features,)
        Bins of each feature, without the one for missing values.
    cuts : list of arrays
        Cuts between bins: code k means ``cuts[k - 1] < x <= cuts[k]``. Cuts are midpoints of
        values seen, so a rule found on codes is a rule on values. Empty for a category.
    categories : list
        For each feature, None or its categories; then the code is the position in that list.
    names : list of str
        Feature names.
    has_missing : array (n_features,) of bool
        Whether each feature has a missing value.
    labels, weights : array or None
        Labels and weights of the rows, where they were read along with them.
    named : bool
        Whether models fitted to it expect rows with these names.
    """

    def __init__(
        self,
        codes: Array,
        cuts: list[Array],
        categories: Categories,
        names: list[str],
        *,
        labels: Array | None = None,
        weights: Array | None = None,
        named: bool = False,
    ) -> None:
        self.codes = np.ascontiguousarray(codes)
        self.cuts = cuts
        self.categories = categories
        self.names = names
        self.labels, self.weights, self.named = labels, weights, named
        self.n_bins = np.array([count_bins(*pair) for pair in zip(cuts, categories, strict=True)])
        self._check_codes(len(names))
        self.n_features, self.n_rows = self.codes.shape
        for what, values in (("labels", labels), ("weights", weights)):
            if values is not None and len(values) != self.n_rows:
                raise ValueError(f"{what}: got {len(values)}, expected one for each row of codes")

    def _check_codes(self, n_features: int) -> None:
        """Refuse codes that the kernels, which do not check, would read past their tables with."""
        codes, n_bins = self.codes, self.n_bins
        if codes.dtype.kind != "u" or codes.ndim != 2:
            raise ValueError(
                f"codes: got {codes.ndim} dimensions of {codes.dtype}, expected 2 of unsigned "
                "integers"
            )
        if not len(codes) == len(n_bins) == n_features:
            raise ValueError(
                f"got {len(codes)} columns of codes, {len(n_bins)} of cuts or categories and "
                f"{n_features} names, expected as many of each"
            )
        largest = codes.max(axis=1, initial=0).astype(np.int64)
        wrong = (largest > n_bins) | (n_bins > np.iinfo(codes.dtype).max)
        if wrong.any():
            j = int(np.argmax(wrong))
            raise ValueError(
                f"codes: column {self.names[j]!r} has the code {largest[j]} as {codes.dtype}, "
                f"expected at most {n_bins[j]}, in a type that can hold it"
            )
        self.has_missing: Array = largest == n_bins

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, features), as of the table it came from."""
        return self.n_rows, self.n_features

    @classmethod
    def from_table(
        cls,
        table: Table,
        *,
        max_bins: int | None = 255,
        sample_weight: Array | None = None,
        n_jobs: int | None = None,
    ) -> BinnedMatrix:
        """Bin every column.

        Parameters
        ----------
        table : Table
            The input.
        max_bins : int or None
            Most bins of a numeric feature. A feature with no more distinct values than that keeps
            them all; else cuts are at quantiles of weight. Above 200,000 rows both are judged by a
            sample of the rows. None keeps every distinct value of all rows.
        sample_weight : array, optional
            Positive weights; a row of weight 2 counts as two rows.
        n_jobs : int, optional
            Threads; None is all cores.
        """
        threads = resolve_n_jobs(n_jobs)
        check_number("max_bins", max_bins, at_least=2, integer=True, optional=True)
        if sample_weight is not None:
            sample_weight = read_weights(sample_weight, table.n_rows)
        rows = sample_rows(table.n_rows) if max_bins is not None else None
        cuts: list[Array] = [np.empty(0)] * table.n_features

        def find(j: int) -> None:
            if table.categories[j] is None:
                cuts[j] = find_cuts(table.column(j), max_bins, sample_weight, rows)

        run_blocks(find, table.n_features, threads)
        widest = max(count_bins(*pair) for pair in zip(cuts, table.categories, strict=True))
        codes = np.empty((table.n_features, table.n_rows), dtype=np.min_scalar_type(widest))
        fill_codes(table, cuts, codes, threads)
        return cls(codes, cuts, list(table.categories), list(table.names))

    @classmethod
    def from_data(
        cls, X: Any, *, categorical: Sequence[int] | None = None, **settings: Any
    ) -> BinnedMatrix:
        """Bin an array, sparse matrix or data frame; settings as in :meth:`from_table`.

        ``categorical`` lists columns; None takes them from a data frame's types.

        >>> bins = BinnedMatrix.from_data([[1.0, 5.0], [2.0, 5.0], [4.0, 6.0]])
        >>> bins.codes.tolist(), bins.cuts[0].tolist()
        ([[0, 1, 2], [0, 0, 1]], [1.5, 3.0])
        """
        source = as_source(X)
        names = frame_names(X) if is_frame(X) else default_names(source.shape[1])
        return cls.from_table(Table.learn(source, names, categorical), **settings)

    @classmethod
    def from_batches(
        cls,
        source: Any,
        *,
        label: Any = None,
        weight: Any = None,
        categorical: Sequence[Any] | None = None,
        max_bins: int | None = 255,
        n_jobs: int | None = None,
    ) -> BinnedMatrix:
        """Bin a table larger than memory, batch by batch.

        Codes and cuts are those of the whole table in memory, whatever the batches; what is held is
        the codes, a byte for most values, and one batch.

        Parameters
        ----------
        source : Batches, or what it is made from
            Parquet or Arrow files (one, a list, a folder), an array mapped into memory, a list of
            batches, or a function that returns batches anew; see :class:`~marginboost.Batches`.
        label, weight : str, optional
            Columns that are no features: kept as ``labels`` and ``weights``. Weights also say where
            cuts are, as ``sample_weight`` does in :meth:`from_table`.
        categorical : sequence of str or int, optional
            Columns that hold categories, by name or number among the features; None takes them from
            the types of frames and files. Categories of all batches count.
        max_bins, n_jobs
            As in :meth:`from_table`.

        Examples
        --------
        >>> rows = np.array([[1.0, 5.0, 0.0], [2.0, 5.0, 1.0], [4.0, 6.0, 1.0]])
        >>> bins = BinnedMatrix.from_batches([rows[:1], rows[1:]], label="x2")
        >>> bins.codes.tolist(), bins.cuts[0].tolist(), bins.labels.tolist()
        ([[0, 1, 2], [0, 0, 1]], [1.5, 3.0], [0.0, 1.0, 1.0])
        """
        from .batches import Batches  # here, not above: they build on this module
        from .streaming import bin_batches

        batches = source if isinstance(source, Batches) else Batches(source)
        found = bin_batches(
            batches,
            label=label,
            weight=weight,
            categorical=categorical,
            max_bins=max_bins,
            n_jobs=n_jobs,
        )
        named = batches.named and all(isinstance(name, str) for name in found.names)
        return cls(**found._asdict(), named=named)

    def bin(self, X: Any, n_jobs: int | None = None) -> BinnedMatrix:
        """Bin other rows with the cuts of this matrix, for models fitted on it to read.

        They must have the same columns; those of a data frame also the same names.
        """
        source = as_source(X)
        names = frame_names(X) if is_frame(X) else default_names(source.shape[1])
        if len(names) != self.n_features:
            raise ValueError(f"X: got {len(names)} columns, expected {self.n_features}")
        if others := other_names(names, self.names):
            raise ValueError(f"X: {others[0]}, as in the rows that this matrix was made from")
        table = Table(source, self.names, self.categories)
        codes = np.empty((table.n_features, table.n_rows), dtype=self.codes.dtype)
        fill_codes(table, self.cuts, codes, resolve_n_jobs(n_jobs))
        return BinnedMatrix(codes, self.cuts, self.categories, self.names)

    def save(self, path: str | PathLike[str]) -> None:
        """Write codes, cuts, names, labels and weights to a file, all of it or nothing.

        The file is data, not code; :meth:`load` reads it.
        """
        from .bins_file import Contents, write_bins  # here, not above: few matrices are saved

        parts = (getattr(self, name) for name in Contents._fields)
        write_bins(path, Contents(*parts))

    @classmethod
    def load(cls, path: str | PathLike[str], *, mmap: bool = True) -> BinnedMatrix:
        """Read a file that :meth:`save` wrote, and check all of it.

        Parameters
        ----------
        path : str or path-like
            The file.
        mmap : bool
            Whether codes stay on the disk and are mapped into memory: the system keeps as many of
            them there as it has room for. Fits are the same, to the last bit.

        Raises
        ------
        ValueError
            If the file is cut off, was altered, or is of another version.
        """
        from .bins_file import read_bins

        return cls(**read_bins(path, mmap=mmap)._asdict())

    def _changed(self, **parts: Any) -> BinnedMatrix:
        """The same but for these arguments of the constructor."""
        names = ("codes", "cuts", "categories", "names", "labels", "weights", "named")
        return BinnedMatrix(**{name: getattr(self, name) for name in names} | parts)

    def take(self, rows: Array) -> BinnedMatrix:
        """Some rows, with the same bins: folds of a cross-validation share their binning."""
        return self._changed(
            codes=self.codes[:, rows],
            labels=None if self.labels is None else self.labels[rows],
            weights=None if self.weights is None else self.weights[rows],
        )

    def take_features(self, features: Array) -> BinnedMatrix:
        """Some features, in this order, with the same bins."""
        return self._changed(
            codes=self.codes[features],
            cuts=[self.cuts[j] for j in features],
            categories=[self.categories[j] for j in features],
            names=[self.names[j] for j in features],
        )

    def coarser(self, max_bins: int) -> BinnedMatrix:
        """The same rows in fewer bins: neighbours are joined, so that each holds about as many.

        Cuts are some of those that there were, so rules found here can be read on the fine bins.
        """
        codes, cuts = self.codes.copy(), list(self.cuts)
        for j in range(self.n_features):
            n_bins = int(self.n_bins[j])
            if self.categories[j] is None and n_bins > max_bins:
                counts = np.bincount(self.codes[j], minlength=n_bins + 1)[:-1]
                kept = _quantile_cuts(np.cumsum(counts), max_bins)
                joined = np.searchsorted(kept, np.arange(n_bins))
                cuts[j] = self.cuts[j][kept]
                codes[j] = np.append(joined, len(kept) + 1)[self.codes[j]]
        return self._changed(codes=codes, cuts=cuts)

    def dense(self, start: int, stop: int) -> Array:
        """Rows as numbers that fall in the same bins, so that any rule made of cuts can read them.

        Bin k is stood for by its upper cut, the last bin by infinity, a category by its code.
        """
        values = np.empty((stop - start, self.n_features))
        for j in range(self.n_features):
            values[:, j] = self._representatives(j)[self.codes[j, start:stop]]
        return values

    def column(self, j: int) -> Array:
        """Column ``j`` as numbers: the middle of each value's bin, or the code of its category."""
        return self.centres(j)[self.codes[j]]

    def centres(self, j: int) -> Array:
        """Number in the middle of each bin, the last for missing; of a category its code.

        The outer bins, which have no end, are taken to be as wide as their neighbours. So whole
        numbers that follow each other, each with a bin of its own, are their own middles.
        """
        if self.categories[j] is not None:
            return self._representatives(j)
        cuts = self.cuts[j]
        if not len(cuts):
            return np.array([0.0, np.nan])
        halves = 0.5 * cuts  # first: differences of huge numbers overflow
        first, last = np.diff(halves)[[0, -1]] if len(cuts) > 1 else (0.5, 0.5)
        with np.errstate(over="ignore"):
            ends = np.nan_to_num([cuts[0] - first, cuts[-1] + last])
        middles = np.append(halves[:-1] + halves[1:], ends[1])
        above = np.nextafter(cuts, np.inf)  # where floating point has no middle
        return np.concatenate([ends[:1], np.maximum(middles, above), [np.nan]])

    def chunks(self) -> Any:
        """Row ranges small enough to be made dense."""
        return row_chunks(self.n_rows)

    def _representatives(self, j: int) -> Array:
        if self.categories[j] is None:
            return np.concatenate([self.cuts[j], [np.inf, np.nan]])
        return np.concatenate([np.arange(float(self.n_bins[j])), [np.nan]])


def count_bins(cuts: Array, categories: Array | None) -> int:
    """Bins of one feature, without the one for missing values."""
    return len(cuts) + 1 if categories is None else max(1, len(categories))


def column_ends(table: Table, bins: BinnedMatrix, j: int) -> tuple[float, float]:
    """Smallest and largest value of a column of binned rows, NaN where there is none.

    They lie in the first and in the last bin that hold a row, whatever it weighs.
    """
    codes, values = bins.codes[j], table.column(j)
    known = codes[codes < bins.n_bins[j]] if bins.has_missing[j] else codes
    if not len(known):
        return float("nan"), float("nan")
    low, high = (values[np.flatnonzero(codes == code)] for code in (known.min(), known.max()))
    return float(low.min()), float(high.max())


def read_weights(sample_weight: Any, n_rows: int) -> Array:
    """Weights as numbers, one nonnegative one for each row."""
    weights = read_numbers("sample_weight", sample_weight)
    if weights.shape != (n_rows,) or not np.isfinite(weights).all() or (weights < 0).any():
        raise ValueError(
            f"sample_weight: got shape {weights.shape}, expected one finite nonnegative number for "
            f"each of {n_rows} rows"
        )
    return weights


def sample_rows(n_rows: int) -> Array | None:
    """Evenly spaced rows for the quantiles; None where all rows are used."""
    if n_rows <= SAMPLE_ROWS:
        return None
    return np.linspace(0, n_rows - 1, SAMPLE_ROWS).astype(np.int64)


def find_cuts(
    values: Array, max_bins: int | None, weight: Array | None = None, rows: Array | None = None
) -> Array:
    """Cuts between the bins of one feature: midpoints of neighbouring distinct values.

    >>> find_cuts(np.array([3.0, 1.0, 2.0, 1.0]), None)
    array([1.5, 2.5])
    """
    if rows is not None:
        values, weight = values[rows], None if weight is None else weight[rows]
    keep = ~np.isnan(values)
    values = values[keep].astype(np.float64)
    if weight is None:
        values.sort()
        starts = np.flatnonzero(np.concatenate([[True], values[1:] != values[:-1]])[: values.size])
        distinct = values[starts]
        mass: Array = np.diff(np.append(starts, values.size)).astype(np.float64)
    else:
        distinct, inverse = np.unique(values, return_inverse=True)
        mass = np.bincount(inverse, weights=weight[keep], minlength=distinct.size)
    if distinct.size < 2:
        return np.empty(0)
    left: Array = np.arange(distinct.size - 1)
    if max_bins is not None and distinct.size > max_bins:
        left = _quantile_cuts(np.cumsum(mass), max_bins)
    return midpoints(distinct[left], distinct[left + 1])


def _quantile_cuts(cumulated: Array, max_bins: int) -> Array:
    """Positions after which to cut so that bins carry about equal weight."""
    wanted = cumulated[-1] * np.arange(1, max_bins) / max_bins
    # The tolerance makes equal weights given as counts or as copies cut at the same place.
    after = np.searchsorted(cumulated, wanted * (1 - 1e-12), side="left")
    return np.unique(np.minimum(after, cumulated.size - 2))


def midpoints(low: Array, high: Array) -> Array:
    """Cuts with ``low <= cut < high``, in the middle where floating point has one."""
    middle = 0.5 * low + 0.5 * high  # halves first: the sum of two huge numbers overflows
    return np.where((low <= middle) & (middle < high), middle, low)


def fill_codes(table: Table, cuts: list[Array], codes: Array, threads: int) -> None:
    """Write the codes: by row blocks for arrays, by columns for everything else."""
    plain = isinstance(table.source, np.ndarray) and all(c is None for c in table.categories)
    if plain and codes.dtype == np.uint8:
        padded = np.array([pad_narrow(mine) for mine in cuts])
        n_cuts = np.array([len(mine) for mine in cuts])

        def fill_rows(block: int) -> None:
            rows = slice(BINNING_ROWS * block, BINNING_ROWS * (block + 1))
            assign_block(table.source[rows], padded, n_cuts, codes[:, rows])

        run_blocks(fill_rows, -(-table.n_rows // BINNING_ROWS), threads)
        return

    def fill_column(j: int) -> None:
        values, known = table.column(j), table.categories[j]
        if known is None:
            assign_bins(np.asarray(values), cuts[j], codes[j])
        else:
            codes[j] = np.where(np.isnan(values), max(1, len(known)), values)

    run_blocks(fill_column, table.n_features, threads)
