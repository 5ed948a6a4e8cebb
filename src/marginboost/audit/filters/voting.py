"""Cross-validated voters of the ensemble filters, and how many of them contradict a label."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from ...types import Array
from ..folds import SEED, check_classifier, fit_folds, make_folds


def brodley_voters() -> list[Any]:
    """A tree, a nearest neighbour and a linear machine, as in Brodley & Friedl.

    They take sparse rows and missing values, which the last two see as means.
    """
    others = (KNeighborsClassifier(1), LogisticRegression(max_iter=1000))
    scaled = [
        make_pipeline(SimpleImputer(), StandardScaler(with_mean=False), other) for other in others
    ]
    return [DecisionTreeClassifier(random_state=SEED), *scaled]


def check_voters(voters: Any) -> list[Any]:
    """Return the voters as a list; None is those of Brodley & Friedl."""
    if voters is None:
        return brodley_voters()
    if not isinstance(voters, Sequence) or isinstance(voters, str) or not voters:
        raise TypeError(f"voters: got {voters!r}, expected a list of classifiers")
    for voter in voters:
        check_classifier("voters", voter)
    return list(voters)


def voter_errors(voters: Any, X: Any, y: Array, cv: Any, random_state: Any) -> Array:
    """1 where a voter that learnt from the other folds mislabels a row; one column per voter."""
    chosen, folds = check_voters(voters), make_folds(cv, y, random_state)
    errors = np.empty((len(y), len(chosen)))
    for j, voter in enumerate(chosen):
        for model, test, rows in fit_folds(voter, X, y, folds):
            errors[test, j] = np.asarray(model.predict(rows)) != y[test]
    return errors


def error_share(errors: Array) -> Array:
    """Share of the votes against each row's label; NaN is no vote, and no votes are none against.

    The quotient of two counts, so that it compares exactly with a threshold like 0.7.
    """
    votes = np.maximum((~np.isnan(errors)).sum(axis=1), 1)
    return np.nansum(errors, axis=1) / votes
