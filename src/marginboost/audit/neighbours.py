"""Nearest neighbours: the one search behind the filters and the evidence of an audit."""

from __future__ import annotations

import numpy as np
from sklearn.neighbors import NearestNeighbors

from ..types import Array


def nearest_rows(X: Array, of: Array, among: Array, k: int) -> tuple[Array, Array]:
    """The k nearest of some rows to each of other rows, nearest first, never the row itself.

    A copy of a row is another row, and so a neighbour at distance 0.

    Parameters
    ----------
    X : array (n_rows, n_features)
        All rows, as numbers.
    of : array of int
        Rows whose neighbours are wanted.
    among : array of int
        Rows that may be neighbours, each once.
    k : int
        Neighbours of each row.

    Returns
    -------
    index, distance : arrays (len(of), k)
        Row numbers and Euclidean distances; -1 and NaN where there are fewer than k.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [3.0]])
    >>> nearest_rows(X, np.array([0, 2]), np.array([0, 1]), 2)
    (array([[ 1, -1],
           [ 1,  0]]), array([[ 1., nan],
           [ 2.,  3.]]))
    """
    index, distance = np.full((len(of), k), -1), np.full((len(of), k), np.nan)
    found = min(k + 1, len(among))
    if found == 0 or len(of) == 0:
        return index, distance
    search = NearestNeighbors(n_neighbors=found).fit(X[among])
    ways, places = search.kneighbors(X[of])
    rows = among[places]
    itself = rows == of[:, None]
    order = np.argsort(itself, axis=1, kind="stable")[:, :k]  # the row itself goes to the end
    others = ~np.take_along_axis(itself, order, 1)
    width = order.shape[1]
    index[:, :width] = np.where(others, np.take_along_axis(rows, order, 1), -1)
    distance[:, :width] = np.where(others, np.take_along_axis(ways, order, 1), np.nan)
    return index, distance
