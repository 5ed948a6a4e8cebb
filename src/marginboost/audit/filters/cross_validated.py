"""The cross-validated framework of noise filters (CH-A11, Algorithm 6).

Split the rows into folds; train m classifiers on all folds but one and let them label the rows of
that one; a metric of the m errors says how heavily a row is misclassified. Majority, consensus and
single-algorithm filters are special cases.

Reference: Brodley & Friedl, *Identifying mislabeled training data*, 1999.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...types import Array
from ...validation import check_number
from .base import NoiseFilter
from .voting import check_voters, error_share, voter_errors

Metric = Callable[[Array], Array]


class CrossValidatedFilter(NoiseFilter):
    """Flag rows by a metric of the errors of cross-validated classifiers.

    Any input that the voters take, any number of classes.

    Parameters
    ----------
    voters : list of classifiers or None
        The voters; None is a decision tree, a nearest neighbour and logistic regression.
    metric : callable or None
        From the errors, an array (n_rows, n_voters) of 0 and 1, to how heavily each row is
        misclassified; None is the share of the voters that are wrong.
    threshold : float
        Flag rows of which the metric is above it.
    cv : int, splitter or iterable of (train, test)
        Folds; an integer makes that many shuffled, stratified ones.
    random_state : int, RandomState or None
        Seed of the shuffle, if ``cv`` is an integer; None is a fixed one.

    Attributes
    ----------
    flagged_ : array of bool
        The rows flagged.
    score_ : array
        One minus the metric: without one, the share of the voters that are right.
    errors_ : array (n_rows, n_voters)
        1 where a voter mislabels a row.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> flagged = CrossValidatedFilter(threshold=0.9).fit(X, y)
    >>> int(flagged.flagged_.sum()) < 10
    True
    """

    reads_numbers = False

    def __init__(
        self,
        voters: Any = None,
        *,
        metric: Metric | None = None,
        threshold: float = 0.5,
        cv: Any = 3,
        random_state: Any = None,
    ) -> None:
        self.voters = voters
        self.metric = metric
        self.threshold = threshold
        self.cv = cv
        self.random_state = random_state

    def _check_parameters(self) -> None:
        check_voters(self.voters)
        check_number("threshold", self.threshold)
        if self.metric is not None and not callable(self.metric):
            raise TypeError(f"metric: got {self.metric!r}, expected a function of the errors")

    def _find(self, X: Any, y: Array) -> tuple[Array, Array]:
        self.errors_ = voter_errors(self.voters, X, y, self.cv, self.random_state)
        wrong = np.asarray((self.metric or error_share)(self.errors_), dtype=np.float64)
        if wrong.shape != y.shape:
            raise ValueError(f"metric: got shape {wrong.shape}, expected {y.shape}")
        return 1.0 - wrong, wrong > self.threshold
