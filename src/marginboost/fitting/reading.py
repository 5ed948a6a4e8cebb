"""Rows of a fit as numbers: which columns are categories, and what the columns are called."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..data import BinnedMatrix, Table
from ..data.table import default_names
from ..model.features import FeatureRows, Features


def learn_features(
    X: Any, names: list[str] | None, categorical_features: Any
) -> tuple[FeatureRows, Features]:
    """Rows of a fit, and the names and categories of their columns.

    Parameters
    ----------
    X : array, sparse matrix, data frame or BinnedMatrix
        Checked rows.
    names : list of str or None
        Names that came with the rows.
    categorical_features : "from_dtype", None, or sequence of int or str
        Which columns of a data frame hold categories.
    """
    if isinstance(X, BinnedMatrix):
        return X, Features(list(X.names), list(X.categories), X.named)
    own = default_names(X.shape[1]) if names is None else names
    table = Table.learn(X, own, categorical_columns(categorical_features, own))
    return table, Features(own, table.categories, named=names is not None)


def categorical_columns(categorical_features: Any, names: list[str]) -> list[int] | None:
    """Numbers of the columns that hold categories; None where their types say so."""
    chosen = categorical_features
    if isinstance(chosen, str) and chosen == "from_dtype":
        return None
    if chosen is None:
        return []
    columns = []
    for item in np.atleast_1d(chosen).tolist():
        known = names.index(item) if item in names else item
        if isinstance(known, bool) or not isinstance(known, int) or not (0 <= known < len(names)):
            raise ValueError(
                f"categorical_features: got {item!r}, expected a column name or a number below "
                f"{len(names)}"
            )
        columns.append(known)
    return columns
