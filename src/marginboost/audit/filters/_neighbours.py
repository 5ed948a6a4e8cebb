"""Nearest neighbours as noise filters use them: every row is judged by others only."""

from __future__ import annotations

import numpy as np
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import StandardScaler

from ...core.types import Array


def nearest_others(X: Array, k: int, standardise: bool) -> Array:
    """The k nearest other rows of every row, nearest first; a copy of a row is another row."""
    if k >= len(X):
        raise ValueError(f"n_neighbors: got {k}, expected less than the number of rows, {len(X)}")
    rows = StandardScaler().fit_transform(X) if standardise else X
    neighbours: Array = NearestNeighbors(n_neighbors=k).fit(rows).kneighbors(return_distance=False)
    return neighbours


def outvoted(neighbours: Array, y: Array) -> Array:
    """Whether another class has more neighbours than the row's own; a tie is for the row."""
    labels = y[neighbours]
    own = (labels == y[:, None]).sum(axis=1)
    beaten = np.zeros(len(y), dtype=bool)
    for label in np.unique(y):
        beaten |= ((labels == label).sum(axis=1) > own) & (y != label)
    return beaten


def opposed(neighbours: Array, y: Array) -> Array:
    """Share of the neighbours with another label."""
    return (y[neighbours] != y[:, None]).mean(axis=1)
