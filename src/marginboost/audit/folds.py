"""Votes out of folds: classifiers judge only rows that they never saw.

The one place where the audit and the noise filters split rows, fit copies of a classifier to all
folds but one, and ask them about that one.
"""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Integral
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import StratifiedKFold, check_cv

from ..data import BinnedMatrix
from ..data.table import take_rows as rows_of
from ..types import Array
from ..validation import check_number, random_numbers

SEED = 0
"""Seed meant by ``random_state=None``: audits repeat unless they are told otherwise."""

Fold = tuple[Array, Array]

FEW_OF_A_CLASS = 10
"""Rows of a class that a random choice of rows gets if it has none of it, at most."""


def make_folds(cv: Any, y: Array, random_state: Any = None) -> list[Fold]:
    """Rows to learn from and rows to judge, for each fold.

    Parameters
    ----------
    cv : int, splitter, iterable of (train, test) or None
        As in scikit-learn, but an integer shuffles and stratifies; None is 5.
    y : array
        Labels.
    random_state : int, RandomState or None
        Seed of the shuffle, if ``cv`` is an integer; None is a fixed one.
    """
    cv = 5 if cv is None else cv
    if isinstance(cv, Integral):
        check_number("cv", cv, at_least=2, integer=True)
        seed = SEED if random_state is None else random_state
        random_numbers(seed)
        cv = StratifiedKFold(int(cv), shuffle=True, random_state=seed)
    elif isinstance(cv, str) or not (hasattr(cv, "split") or hasattr(cv, "__iter__")):
        raise TypeError(
            f"cv: got {cv!r}, expected an integer, a splitter or an iterable of (train, test)"
        )
    folds = list(check_cv(cv, y, classifier=True).split(np.zeros((len(y), 1)), y))
    if not folds:
        raise ValueError("cv: got no folds, expected every row in exactly one test fold")
    judged = np.bincount(np.concatenate([test for _, test in folds]), minlength=len(y))
    if len(judged) > len(y):
        raise ValueError(f"cv: got row {len(judged) - 1} of {len(y)} rows")
    if not (judged == 1).all():
        row = int(np.argmax(judged != 1))
        raise ValueError(
            f"cv: row {row} is in {judged[row]} test folds, expected every row in exactly one"
        )
    for train, test in folds:
        both = np.intersect1d(train, test)
        if both.size:
            raise ValueError(f"cv: row {both[0]} is learnt from and judged in one fold")
    return folds


def alone_in_class(labels: Array) -> Array:
    """Which rows have no other of their class; labels are positions.

    >>> alone_in_class(np.array([0, 2, 0, 1, 1])).tolist()
    [False, True, False, False, False]
    """
    return np.asarray(np.bincount(labels)[labels] == 1)


def folds_of_classes(cv: Any, labels: Array, random_state: Any = None) -> list[Fold]:
    """Folds, no more of them than rows of the rarest class if only their number is given.

    Labels are positions. A row without another of its class is learnt from in every fold and judged
    in none: whoever did not see it would not know that there is such a class.
    """
    if not isinstance(cv, Integral):
        return make_folds(cv, labels, random_state)
    check_number("cv", cv, at_least=2, integer=True)
    alone = alone_in_class(labels)
    taught, judged = np.flatnonzero(alone), np.flatnonzero(~alone)
    if not len(judged):
        raise ValueError("y: got one row of each class, expected two of some class to judge by")
    counts = np.bincount(labels[judged])
    folds = make_folds(min(int(cv), int(counts[counts > 0].min())), labels[judged], random_state)
    return [(np.sort(np.append(judged[train], taught)), judged[test]) for train, test in folds]


def fit_folds(
    voter: Any, rows: Any, labels: Array, folds: list[Fold], most: int | None = None
) -> Iterator[tuple[Any, Array, Any]]:
    """Copies of a classifier, each fitted to all folds but one, with the rows of that one.

    Parameters
    ----------
    voter : classifier
        Not fitted; copies are.
    rows : anything that holds rows
        What the classifier takes.
    labels : array
        Labels of the rows.
    folds : list of (train, test)
        From :func:`make_folds`.
    most : int, optional
        Rows to learn from in a fold, at most; of more a random choice is taken.

    Yields
    ------
    model, test, rows
        The fitted copy, the numbers of the rows it is to judge, and these rows.
    """
    for train, test in folds:
        if (labels[train] == labels[train[0]]).all():
            raise ValueError(
                f"y: a fold leaves one class ({labels[train].tolist()[0]!r}) to learn from, "
                "expected two or more rows of every class, and folds that share them out"
            )
        if most is not None and len(train) > most:
            train = train[some_of_all(labels[train], most)]
        model = clone(voter).fit(take_rows(rows, train), labels[train])
        yield model, test, take_rows(rows, test)


def some_of_all(labels: Array, most: int) -> Array:
    """Numbers of randomly chosen rows, so many, and a few of each class that chance left out.

    >>> labels = np.array([0] * 1000 + [1])
    >>> np.unique(labels[some_of_all(labels, 100)]).tolist()
    [0, 1]
    """
    chosen = np.random.default_rng(SEED).choice(len(labels), most, replace=False)
    absent = np.setdiff1d(labels, labels[chosen])
    extra = [np.flatnonzero(labels == missing)[:FEW_OF_A_CLASS] for missing in absent]
    return np.concatenate([chosen, *extra])


def check_classifier(name: str, classifier: Any) -> None:
    """Raise unless this is something that can be cloned, fitted and asked."""
    able = all(hasattr(classifier, method) for method in ("fit", "predict"))
    if isinstance(classifier, type) or not (isinstance(classifier, BaseEstimator) and able):
        raise TypeError(f"{name}: got {classifier!r}, expected a scikit-learn style classifier")


def take_rows(X: Any, rows: Array) -> Any:
    """Some rows of anything that holds rows or labels."""
    if isinstance(X, BinnedMatrix):
        return X.take(rows)
    if sparse.issparse(X):
        return X.tocsr()[rows]
    return rows_of(X if hasattr(X, "shape") else np.asarray(X), rows)
