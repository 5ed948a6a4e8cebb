"""Cross-validation as noise filters use it: voters judge only rows that they never saw."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, check_cv
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from ...core.types import Array
from ...validation import check_number
from .base import SEED, take_rows

Fold = tuple[Array, Array]


def make_folds(cv: Any, y: Array, random_state: Any = None) -> list[Fold]:
    """Rows to learn from and rows to judge, for each fold; an integer shuffles and stratifies."""
    if isinstance(cv, Integral):
        check_number("cv", cv, at_least=2, integer=True)
        seed = SEED if random_state is None else random_state
        cv = StratifiedKFold(int(cv), shuffle=True, random_state=seed)
    folds = list(check_cv(cv, y, classifier=True).split(np.zeros((len(y), 1)), y))
    judged = np.bincount(np.concatenate([test for _, test in folds]), minlength=len(y))
    if not (judged == 1).all():
        row = int(np.argmax(judged != 1))
        raise ValueError(
            f"cv: row {row} is in {judged[row]} test folds, expected every row in exactly one"
        )
    return folds


def default_voters() -> list[Any]:
    """A tree, a nearest neighbour and a linear machine, as in Brodley & Friedl.

    They take sparse rows and missing values, which the last two see as means.
    """
    others = (KNeighborsClassifier(1), LogisticRegression(max_iter=1000))
    scaled = [
        make_pipeline(SimpleImputer(), StandardScaler(with_mean=False), other) for other in others
    ]
    return [DecisionTreeClassifier(random_state=SEED), *scaled]


def check_voters(name: str, voters: Any) -> list[Any]:
    """Return the voters as a list; None is the default ones."""
    if voters is None:
        return default_voters()
    if not isinstance(voters, Sequence) or isinstance(voters, str) or not voters:
        raise TypeError(f"{name}: got {voters!r}, expected a list of classifiers")
    for voter in voters:
        check_classifier(name, voter)
    return list(voters)


def check_classifier(name: str, classifier: Any) -> None:
    """Raise unless this is something that can be cloned, fitted and asked."""
    able = all(hasattr(classifier, method) for method in ("fit", "predict"))
    if isinstance(classifier, type) or not (isinstance(classifier, BaseEstimator) and able):
        raise TypeError(f"{name}: got {classifier!r}, expected a scikit-learn style classifier")


def voter_errors(estimators: Any, X: Any, y: Array, cv: Any, random_state: Any) -> Array:
    """1 where a voter that learnt from the other folds mislabels a row; a column a voter."""
    voters = check_voters("estimators", estimators)
    errors = np.empty((len(y), len(voters)))
    for train, test in make_folds(cv, y, random_state):
        X_train, X_test = take_rows(X, train), take_rows(X, test)
        for j, voter in enumerate(voters):
            predicted = clone(voter).fit(X_train, y[train]).predict(X_test)
            errors[test, j] = np.asarray(predicted) != y[test]
    return errors


def error_share(errors: Array) -> Array:
    """Share of the votes against each row's label; NaN is no vote, and no votes are none against.

    The quotient of two counts, so that it compares exactly with a threshold like 0.7.
    """
    votes = np.maximum((~np.isnan(errors)).sum(axis=1), 1)
    return np.nansum(errors, axis=1) / votes
