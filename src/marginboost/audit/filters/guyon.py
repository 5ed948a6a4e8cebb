"""Surprise as a sign of noise (CH-A16e): how unexpected a label is to a model learnt so far.

Rows come one by one. The information in a label is its surprise, -log p(y | x), under the model
trained on the rows before it; a row far more surprising than typical ones is informative or
garbage, and worth a look. On-line, so the result depends on the order of the rows.

Reference: Guyon, Matić & Vapnik, *Discovering informative patterns and data cleaning*, 1996.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.linear_model import SGDClassifier
from sklearn.preprocessing import StandardScaler

from ...fitting.inputs import distinct_labels
from ...types import Array
from ...validation import check_number, random_numbers
from ..folds import SEED
from .base import NoiseFilter


class GuyonFilter(NoiseFilter):
    """Flag rows whose label surprises the model that learnt from the rows before.

    Any number of classes; complete numeric rows.

    Parameters
    ----------
    estimator : classifier or None
        One with ``partial_fit`` and ``predict_proba``; None is logistic regression by stochastic
        gradients with a constant step.
    threshold : float
        Flag rows with more surprise than this, in nats; 2 is a probability below 13.5 %.
    batch_size : int
        Rows that come at a time. Purely on-line is 1; more are faster.
    shuffle : bool
        Whether rows come in random order, or as given. Rows sorted by class surprise for no reason.
    standardise : bool
        Whether the model sees features with mean 0 and variance 1, or as they come.
    random_state : int, RandomState or None
        Seed of the order; None is a fixed one.

    Attributes
    ----------
    flagged_ : array of bool
        The rows flagged.
    score_ : array
        Minus the surprise, log p(y | x); that of a guess, -log K, until every class has been seen.
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        threshold: float = 2.0,
        batch_size: int = 1,
        shuffle: bool = True,
        standardise: bool = True,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.threshold = threshold
        self.batch_size = batch_size
        self.shuffle = shuffle
        self.standardise = standardise
        self.random_state = random_state

    def _check_parameters(self) -> None:
        check_number("threshold", self.threshold, above=0.0)
        check_number("batch_size", self.batch_size, at_least=1, integer=True)
        if self.estimator is not None and not all(
            hasattr(self.estimator, method) for method in ("partial_fit", "predict_proba")
        ):
            raise TypeError(
                f"estimator: got {self.estimator!r}, expected a classifier with partial_fit and "
                "predict_proba"
            )

    def _find(self, X: Array, y: Array) -> tuple[Array, Array]:
        classes = distinct_labels(y)
        codes = np.searchsorted(classes, y)
        rows = StandardScaler().fit_transform(X) if self.standardise else X
        model = _online_logistic() if self.estimator is None else clone(self.estimator)
        surprise, seen = np.full(len(y), np.log(len(classes))), np.zeros(len(classes), dtype=bool)
        order = self._order(len(y))
        for start in range(0, len(y), self.batch_size):
            now = order[start : start + self.batch_size]
            if seen.all():
                chances = model.predict_proba(rows[now])[np.arange(len(now)), codes[now]]
                surprise[now] = -np.log(np.maximum(chances, np.finfo(float).tiny))
            model.partial_fit(rows[now], y[now], classes=classes)
            seen[codes[now]] = True
        return -surprise, surprise > self.threshold

    def _order(self, n_rows: int) -> Array:
        if not self.shuffle:
            return np.arange(n_rows)
        seed = SEED if self.random_state is None else self.random_state
        order: Array = random_numbers(seed).permutation(n_rows)
        return order


def _online_logistic() -> SGDClassifier:
    return SGDClassifier(loss="log_loss", learning_rate="constant", eta0=0.1, random_state=SEED)
