"""Rows held back from a second, smaller fit, to judge votes by: see :mod:`.sigmoid`.

Each class is divided by thirds: of its rows, ordered by a number made from what is in them, the
first third judges and the others learn. Copies have the same number. Where there are more than
``MOST_ROWS``, those with the smallest numbers are taken. So a place that holds some of the rows
can tell which of its own are held back once it knows two numbers for each class.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy import sparse

from ..data import BinnedMatrix
from ..kernels.exact import exact_sum, rounded
from ..kernels.parallel import run_blocks
from ..model.features import FeatureRows
from ..types import Array
from .places import Ask, in_one_place

MOST_ROWS = 10_000
"""Most rows that the second fit learns from, copies not counted."""
AT_ONCE = 1 << 20
"""Numbers, in the mean, that are counted at a time: eight megabytes."""


class KeyedRows(NamedTuple):
    """Rows in one place, all of them with weight.

    Attributes
    ----------
    keys : array of uint64
        Their numbers, see :func:`fingerprints`.
    labels : array of int
        Positions of their classes.
    weights : array
        Positive.
    """

    keys: Array
    labels: Array
    weights: Array


class Borders(NamedTuple):
    """Which rows are held back.

    Attributes
    ----------
    judge, learn : array of uint64
        For each class the largest number of a row that judges, and of one that learns.
    """

    judge: Array
    learn: Array


class HeldBack(NamedTuple):
    """Rows to learn from and to judge by.

    Attributes
    ----------
    rows : Table or BinnedMatrix
        The rows, in their order; none where classes have too few to hold any back.
    labels : array of int
        Positions of their classes.
    weights : array
        Their weights.
    judge : array of bool
        Which of them judge.
    n_rows : int
        All rows that count, those that are not held back among them.
    total : float
        Weight of those.
    numbers : array, optional
        Their numbers in the table, where there is one, which has ``n_table`` rows.
    n_table : int
        Rows of the table, those without weight among them.
    """

    rows: FeatureRows
    labels: Array
    weights: Array
    judge: Array
    n_rows: int
    total: float
    numbers: Array | None = None
    n_table: int = 0

    @property
    def learners(self) -> Array:
        """Numbers of the rows to learn from."""
        return np.flatnonzero(~self.judge)

    @property
    def judges(self) -> Array:
        """Numbers of the rows to judge by."""
        return np.flatnonzero(self.judge)

    def learning_weights(self) -> Array:
        """Weights to learn by: as much as those of all rows, for a price C is one per row."""
        own = self.weights[self.learners]
        return own * (self.total / rounded(exact_sum(own)))


# -- questions -------------------------------------------------------------------------------------


def count_rows(rows: KeyedRows, n_classes: int) -> Array:
    """Rows of each class."""
    return np.bincount(rows.labels, minlength=n_classes)


def add_weights(rows: KeyedRows) -> int:
    """Exact sum of the weights."""
    return exact_sum(rows.weights)


def distinct_keys(rows: KeyedRows, n_classes: int, first: int, last: int) -> list[Array]:
    """Numbers from the first to the last one that rows of each class have, ascending."""
    here = np.flatnonzero((rows.keys >= np.uint64(first)) & (rows.keys <= np.uint64(last)))
    keys, labels = rows.keys[here], rows.labels[here]
    return [_distinct(keys[labels == label]) for label in range(n_classes)]


def _distinct(keys: Array) -> Array:
    """Distinct numbers, ascending: ten times as fast as by NumPy's function, which hashes first."""
    keys = np.sort(keys)
    first = np.ones(len(keys), dtype=bool)
    first[1:] = keys[1:] != keys[:-1]
    return keys[first]


def divide(rows: KeyedRows, borders: Borders) -> tuple[Array, Array]:
    """Masks of the rows to learn from and of those to judge by."""
    judge = rows.keys <= borders.judge[rows.labels]
    return ~judge & (rows.keys <= borders.learn[rows.labels]), judge


# -- the division ----------------------------------------------------------------------------------


def find_borders(ask: Ask, n_classes: int) -> Borders | None:
    """Find which rows of all places are held back; None where a class has too few.

    Parameters
    ----------
    ask : callable
        Answers questions about :class:`KeyedRows`.
    n_classes : int
        Classes.
    """
    counts = np.sum(ask(count_rows, n_classes), axis=0)
    n_rows = int(counts.sum())
    share = min(1.0, 1.5 * MOST_ROWS / n_rows)
    most = np.maximum((share * counts).astype(int), 3)
    smallest = [np.empty(0, np.uint64)] * n_classes
    n_distinct = np.zeros(n_classes, np.int64)
    for first, last in _ranges(n_rows):
        found = ask(distinct_keys, n_classes, first, last)
        for k, own in enumerate(zip(*found, strict=True)):
            keys = own[0] if len(own) == 1 else _distinct(np.concatenate(own))
            n_distinct[k] += len(keys)
            smallest[k] = np.append(smallest[k], keys[: most[k] - len(smallest[k])])
    borders = Borders(*np.zeros((2, n_classes), np.uint64))
    for k in np.flatnonzero(counts).tolist():
        if n_distinct[k] < 3:
            return None
        n_all = max(int(share * n_distinct[k]), 3)
        borders.judge[k], borders.learn[k] = smallest[k][[n_all // 3 - 1, n_all - 1]]
    return borders


def _ranges(n_rows: int) -> Iterator[tuple[int, int]]:
    """First and last of about so many numbers as are counted at once, over all there are."""
    n_ranges = -(-n_rows // AT_ONCE)
    for k in range(n_ranges):
        yield (k << 64) // n_ranges, (((k + 1) << 64) // n_ranges) - 1


def hold_back(
    rows: FeatureRows, labels: Array, weights: Array, n_threads: int = 1
) -> tuple[Array, Array] | None:
    """Rows to learn from and rows to judge by, each class by thirds; None where they are too few.

    Parameters
    ----------
    rows : Table or BinnedMatrix
        All rows.
    labels : array of int
        Their classes.
    weights : array
        Rows without weight are neither.
    n_threads : int
        Threads.

    Returns
    -------
    learn, judge : array of bool
    """
    present = np.flatnonzero(weights > 0.0)
    keyed = KeyedRows(fingerprints(rows, n_threads)[present], labels[present], weights[present])
    borders = find_borders(in_one_place(keyed), int(labels[present].max()) + 1)
    if borders is None:
        return None
    masks = np.zeros((2, len(labels)), dtype=bool)
    masks[:, present] = divide(keyed, borders)
    return masks[0], masks[1]


def held_back(rows: FeatureRows, labels: Array, weights: Array, n_threads: int = 1) -> HeldBack:
    """Rows held back of a table that is all here; see :func:`hold_back`."""
    masks = hold_back(rows, labels, weights, n_threads)
    learn, judge = np.zeros((2, len(labels)), dtype=bool) if masks is None else masks
    which = np.flatnonzero(learn | judge)
    total = rounded(exact_sum(weights))
    n_rows = int(np.count_nonzero(weights > 0.0))
    own = rows.take(which), labels[which], weights[which], judge[which]
    return HeldBack(*own, n_rows, total, which, len(labels))


# -- numbers of rows -------------------------------------------------------------------------------


def fingerprints(rows: FeatureRows, n_threads: int = 1) -> Array:
    """Numbers of rows, the same for copies; zeros count for nothing, as in sparse rows."""
    keys = np.zeros(rows.n_rows, dtype=np.uint64)
    if isinstance(rows, BinnedMatrix):
        for codes in rows.codes:
            keys += _scatter(codes.astype(np.float64))
    elif sparse.issparse(rows.source):
        entries = rows.source.tocoo()
        np.add.at(keys, entries.row, _scatter(entries.data.astype(np.float64)))
    else:
        chunks = list(rows.chunks())

        def fill(chunk: int) -> None:
            start, stop = chunks[chunk]
            part = np.asarray(rows.dense(start, stop), dtype=np.float64)
            keys[start:stop] = _scatter(part).sum(axis=1, dtype=np.uint64)

        run_blocks(fill, len(chunks), n_threads)
    return _mix(keys)


def _scatter(values: Array) -> Array:
    """Bits of numbers, mixed; 0 of a zero, one number for all that are missing."""
    plain = np.where(np.isnan(values), 0.5, values)
    return np.where(values == 0.0, np.uint64(0), _mix(np.ascontiguousarray(plain).view(np.uint64)))


def _mix(bits: Array) -> Array:
    """Mix the bits of 64-bit numbers (Steele, Lea & Flood 2014)."""
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))
