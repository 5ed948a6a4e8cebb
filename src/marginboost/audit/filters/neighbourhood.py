"""Nearest neighbours as noise filters use them: every row is judged by others only."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from ...types import Array
from ..neighbours import nearest_rows


def nearest_others(X: Array, k: int, standardise: bool) -> Array:
    """The k nearest other rows of every row, nearest first; a copy of a row is another row."""
    if k >= len(X):
        raise ValueError(f"n_neighbors: got {k}, expected less than the number of rows, {len(X)}")
    rows = StandardScaler().fit_transform(X) if standardise else X
    everyone = np.arange(len(X))
    return nearest_rows(rows, everyone, everyone, k)[0]


def nearest_neighbour_rule(standardise: bool) -> Any:
    """Return the classifier by the nearest neighbour, in the features that the filter sees."""
    rule = KNeighborsClassifier(1)
    return make_pipeline(StandardScaler(), rule) if standardise else rule


def outvoted(neighbours: Array, y: Array) -> Array:
    """Whether another class has more neighbours than the row's own; a tie is for the row."""
    labels = y[neighbours]
    own = (labels == y[:, None]).sum(axis=1)
    beaten = np.zeros(len(y), dtype=bool)
    for label in np.unique(y):
        beaten |= ((labels == label).sum(axis=1) > own) & (y != label)
    return beaten


def agreeing(neighbours: Array, y: Array) -> Array:
    """Share of the neighbours with the row's label."""
    return (y[neighbours] == y[:, None]).mean(axis=1)
