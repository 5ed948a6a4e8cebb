"""Small real data sets that come with the package: nothing to download, nothing to configure.

Sources and licence (UCI, CC BY 4.0) are in ``data/README.md`` beside the files.
"""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import numpy as np

from ..types import Array

NOMINAL = ("sex", "cp", "fbs", "restecg", "exang", "slope", "thal")
"""Features of the Cleveland data whose numbers are names."""


def load_wisconsin(*, return_X_y: bool = False) -> Any:
    """Breast Cancer Wisconsin (Original): cell counts, benign or malignant (CH-E1a).

    699 rows, 9 features from 1 to 10; 16 values of ``bare_nuclei`` are missing (NaN). 458 rows are
    benign (0), 241 malignant (1).

    Parameters
    ----------
    return_X_y : bool
        Whether to return rows and labels alone.

    Returns
    -------
    Bunch or (X, y)
        With ``data``, ``target``, ``feature_names``, ``target_names``, ``categorical_features``, as
        in scikit-learn.

    Examples
    --------
    >>> X, y = load_wisconsin(return_X_y=True)
    >>> X.shape, int(np.isnan(X).sum()), np.bincount(y).tolist()
    ((699, 9), 16, [458, 241])
    """
    return _load("wisconsin.csv", ("benign", "malignant"), (), return_X_y)


def load_cleveland(*, return_X_y: bool = False) -> Any:
    """Heart Disease, Cleveland: arteries narrowed by more than half, or not (SF-E3).

    303 rows, 13 features of which seven are nominal; 6 values are missing (NaN). 164 patients are
    healthy (0), 139 ill (1).

    Parameters
    ----------
    return_X_y : bool
        Whether to return rows and labels alone.

    Returns
    -------
    Bunch or (X, y)
        With ``data``, ``target``, ``feature_names``, ``target_names``, ``categorical_features``, as
        in scikit-learn.

    Examples
    --------
    >>> heart = load_cleveland()
    >>> heart.data.shape, heart.categorical_features
    ((303, 13), [1, 2, 5, 6, 8, 10, 12])
    """
    return _load("cleveland.csv", ("healthy", "ill"), NOMINAL, return_X_y)


def _load(name: str, classes: tuple[str, ...], nominal: tuple[str, ...], return_X_y: bool) -> Any:
    """Read a file whose last column is above zero for the second class."""
    from sklearn.utils import Bunch  # here, not above: a quarter of a second at import

    text = (files(__package__) / "data" / name).read_text(encoding="utf-8")
    header, *lines = text.splitlines()
    values: Array = np.array([[float(v) if v else np.nan for v in ln.split(",")] for ln in lines])
    X, y = np.ascontiguousarray(values[:, :-1]), (values[:, -1] > 0).astype(int)
    if return_X_y:
        return X, y
    names = header.split(",")[:-1]
    return Bunch(
        data=X,
        target=y,
        feature_names=names,
        target_names=list(classes),
        categorical_features=[names.index(feature) for feature in nominal],
    )
