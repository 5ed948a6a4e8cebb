"""A linear model that reads binned rows: a value is the middle of its bin.

Scores are sums of one number per feature and bin, so rows are judged without being made dense, and
a table that is read in batches gets the same votes as one in memory.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy.special import expit, softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression

from ..data import BinnedMatrix
from ..data.table import row_chunks
from ..types import Array

MOST_LEVELS = 20
"""Categories of a feature that get a column of their own; rarer ones share one."""


class BinnedLinear(ClassifierMixin, BaseEstimator):
    """Logistic regression on the middles of bins, standardised, and on indicators of categories.

    A missing value is the mean, and has an indicator of its own.

    Parameters
    ----------
    max_iter : int
        Most steps of the solver.
    """

    def __init__(self, max_iter: int = 1000) -> None:
        self.max_iter = max_iter

    def fit(self, X: BinnedMatrix, y: Array) -> Self:
        """Fit the model."""
        tables = [_table(X, j) for j in range(X.n_features)]
        dense = np.hstack([table[codes] for table, codes in zip(tables, X.codes, strict=True)])
        model: Any = LogisticRegression(max_iter=self.max_iter).fit(dense, y)
        ends = np.cumsum([table.shape[1] for table in tables])[:-1]
        parts = np.split(model.coef_, ends, axis=1)
        self.classes_ = model.classes_
        self.intercept_ = model.intercept_
        self.steps_ = [table @ part.T for table, part in zip(tables, parts, strict=True)]
        return self

    def predict_proba(self, X: BinnedMatrix) -> Array:
        """Class probabilities."""
        found = np.empty((X.n_rows, len(self.classes_)))
        for start, stop in row_chunks(X.n_rows):
            scores = np.tile(self.intercept_, (stop - start, 1))
            for step, codes in zip(self.steps_, X.codes, strict=True):
                scores += step[codes[start:stop]]
            if scores.shape[1] == 1:
                found[start:stop] = expit(np.hstack([-scores, scores]))
            else:
                found[start:stop] = softmax(scores, axis=1)
        return found

    def predict(self, X: BinnedMatrix) -> Array:
        """Most likely class."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


def _table(bins: BinnedMatrix, j: int) -> Array:
    """What each code of a feature means to the model, one line per code, the last for missing."""
    counts = np.bincount(bins.codes[j], minlength=int(bins.n_bins[j]) + 1).astype(np.float64)
    missing = np.zeros((len(counts), 1))
    missing[-1] = 1.0
    columns = [missing] if counts[-1] else []
    if bins.categories[j] is not None:
        return np.hstack([_indicators(counts[:-1]), *columns])
    centres, present = bins.centres(j)[:-1], counts[:-1]
    values = np.zeros((len(counts), 1))
    if present.any():
        centres = centres / max(float(np.abs(centres).max()), 1e-300)  # squares must not overflow
        mean = np.average(centres, weights=present)
        spread = np.sqrt(np.average((centres - mean) ** 2, weights=present))
        values[:-1, 0] = (centres - mean) / spread if spread > 0 else 0.0
    return np.hstack([values, *columns])


def frequent_categories(counts: Array, most: int | None = None) -> Array:
    """Codes of the categories that stand for themselves, from the rows that have each."""
    return np.argsort(-counts, kind="stable")[: most or MOST_LEVELS]


def _indicators(counts: Array) -> Array:
    """One column for each frequent category, and one for all the others."""
    frequent = frequent_categories(counts)
    place = np.full(len(counts), len(frequent))
    place[frequent] = np.arange(len(frequent))
    return np.vstack([np.eye(len(frequent) + 1)[place], np.zeros(len(frequent) + 1)])
