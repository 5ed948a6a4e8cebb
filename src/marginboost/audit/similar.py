"""Rows that are the same, nearly the same, or like no other.

A row that stands twice with two labels has at least one wrong; one that stands twice with one label
counts double, and leaks from training to test rows. Rows far from all others are where models guess
and where slips of the pen in the features show.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..data import BinnedMatrix, Table
from ..types import Array
from .neighbours import nearest_rows

NEAR = 0.1
"""A nearest row is a near duplicate at less than this share of the usual distance to one."""
NEIGHBOURS = 10
"""Rows whose mean distance says how far a row is from all others."""
FAR = 3.5
"""Standard deviations (robust, of the logarithm of that distance) beyond which it is an outlier."""
PRIME = np.uint64(0x9E3779B97F4A7C15)
MOST_ROWS = 10_000
"""Rows up to which distances are looked at; exact copies are found in tables of any size."""


@dataclass(frozen=True)
class SimilarRows:
    """Duplicates and outliers of a table.

    Attributes
    ----------
    group : array of int
        The first row with the same values; the row itself where there is none before it.
    copies : array of int
        How many other rows have the same values.
    conflicting : array of bool
        Whether one of those has another label; of numbers, one too far off.
    near : array of int
        A row with nearly the same values, -1 where there is none.
    near_conflicting : array of bool
        Whether that has another label.
    isolation : array
        Mean distance to the nearest rows over that of a typical row; NaN in tables of more than
        10,000 rows, where near duplicates and outliers are not looked for.
    outlier : array of bool
        Whether a row is like no other.
    """

    group: Array
    copies: Array
    conflicting: Array
    near: Array
    near_conflicting: Array
    isolation: Array
    outlier: Array

    def columns(self) -> dict[str, Array]:
        """One entry per row, as tables of scores have them."""
        return {
            "copies": self.copies,
            "conflicting": self.conflicting,
            "near_duplicate": self.near,
            "near_conflicting": self.near_conflicting,
            "outlier": self.outlier,
        }


def find_similar(
    table: Table | BinnedMatrix,
    encoded: Array | None,
    labels: Array,
    apart: Array | float = 0.0,
) -> SimilarRows:
    """Find duplicates and outliers.

    Parameters
    ----------
    table : Table or BinnedMatrix
        The rows.
    encoded : array, optional
        The same as standardised numbers, to measure distances by; None where there are too many.
    labels : array
        Given labels as numbers, or numeric targets.
    apart : float or array
        How far a number may be from that of an equal row without contradicting it.
    """
    group = equal_rows(table)
    counts = np.bincount(group, minlength=len(group))
    low, high = labels.astype(np.float64), labels.astype(np.float64)
    np.minimum.at(low, group, labels)
    np.maximum.at(high, group, labels)
    furthest = np.maximum(labels - low[group], high[group] - labels)
    near, isolation = _distances(encoded, group)
    off = np.where(near >= 0, np.abs(labels - labels[near]), 0.0)
    return SimilarRows(
        group=group,
        copies=counts[group] - 1,
        conflicting=furthest > apart,
        near=near,
        near_conflicting=off > apart,
        isolation=isolation,
        outlier=_outliers(isolation),
    )


def equal_rows(table: Table | BinnedMatrix) -> Array:
    """For each row, the first row with the same values; missing values are the same.

    Rows are hashed, and only those whose hash stands twice are compared.

    >>> equal_rows(Table(np.array([[1.0, 2.0], [3.0, 2.0], [1.0, 2.0]]), ["a", "b"])).tolist()
    [0, 1, 0]
    """
    hashes = np.zeros(table.n_rows, dtype=np.uint64)
    for j in range(table.n_features):
        hashes = (hashes ^ _plain(table, j).view(np.uint64)) * PRIME
        hashes ^= hashes >> np.uint64(29)
    _, place, counts = np.unique(hashes, return_inverse=True, return_counts=True)
    doubtful = np.flatnonzero(counts[place] > 1)
    kind = np.zeros(len(doubtful), dtype=np.int64)
    for j in range(table.n_features if len(doubtful) else 0):
        _, codes = np.unique(_plain(table, j)[doubtful].view(np.uint64), return_inverse=True)
        _, kind = np.unique(kind * (int(codes.max()) + 1) + codes, return_inverse=True)
    first = np.arange(table.n_rows)
    _, heads = np.unique(kind, return_index=True)
    first[doubtful] = doubtful[heads[kind]] if len(doubtful) else doubtful
    return first


def _plain(table: Table | BinnedMatrix, j: int) -> Array:
    """Column of numbers in which equal values have equal bits."""
    values = np.array(table.column(j), dtype=np.float64) + 0.0  # -0 becomes 0
    values[np.isnan(values)] = np.nan
    return values


def _distances(encoded: Array | None, group: Array) -> tuple[Array, Array]:
    """Near duplicate of each row, or -1, and how far it is from all others."""
    n_rows = len(group)
    near, isolation = np.full(n_rows, -1), np.full(n_rows, np.nan)
    kinds = np.unique(group)  # one row for each set of values: copies have no distance
    if encoded is None or n_rows > MOST_ROWS or len(kinds) < 3:
        return near, isolation
    k = min(NEIGHBOURS, len(kinds) - 1)
    places, distances = nearest_rows(encoded, kinds, kinds, k)
    usual = float(np.median(distances[:, 0]))
    close = np.flatnonzero(distances[:, 0] < NEAR * usual)
    near[kinds[close]] = places[close, 0]
    mean = distances.mean(axis=1)
    typical = float(np.median(mean)) or 1.0
    isolation[kinds] = mean / typical
    return near, isolation[group]


def _outliers(isolation: Array) -> Array:
    """Rows whose distance is far beyond the usual spread of distances."""
    known = isolation[isolation > 0.0]
    if not len(known):
        return np.zeros(len(isolation), dtype=bool)
    logs = np.log(known)
    spread = 1.4826 * float(np.median(np.abs(logs - np.median(logs))))
    limit = np.exp(np.median(logs) + FAR * max(spread, 0.1))
    return np.asarray(isolation > limit)
