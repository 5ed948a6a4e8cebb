"""AdaBoost's base learners as voters (CH-A15, Algorithm 7): the thesis's way to find noise.

On all folds but one a few rounds of AdaBoost are run; the base learners, without their
coefficients, vote on the rows of that fold. Few rounds, since later base learners are made for the
hard rows and agree about nothing. With m = 4 voters the thresholds 0.5, 0.6 and 0.7 are one rule
(three of four), 0.8 and 0.9 another (all four).

Reference: Chan, *On Boosting and Noisy Labels*, 2015, section 3.2.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...algorithms import AdaBoostClassifier
from ...core.sample import Sample
from ...types import Array
from ...validation import check_number
from ..folds import fit_folds, make_folds
from .base import NoiseFilter
from .voting import error_share


class AdaBoostFilter(NoiseFilter):
    """Flag rows that more than a share of the first base learners of AdaBoost mislabel.

    Two classes. Missing values, categories, data frames and binned rows as in
    :class:`~marginboost.AdaBoostClassifier`; a base learner that abstains has no vote.

    Parameters
    ----------
    estimator : Oracle, scikit-learn estimator or None
        Base learner; None is a stump.
    n_estimators : int
        Rounds of AdaBoost, m. Where a run stops early its voters are fewer.
    threshold : float
        Share of the base learners, in [0, 1): strictly more must be wrong.
    max_bins : int or None
        Bins of a feature; None keeps every distinct value.
    cv : int, splitter or iterable of (train, test)
        Folds; an integer makes that many shuffled, stratified ones.
    random_state : int, RandomState or None
        Seed of the shuffle, if ``cv`` is an integer; None is a fixed one.

    Attributes
    ----------
    flagged_ : array of bool
        The rows flagged.
    score_ : array
        Share of the base learners that are right.
    errors_ : array (n_rows, n_estimators)
        1 where the base learner of a round mislabels a row, NaN where it abstains or is missing.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> bool(0.01 < AdaBoostFilter().fit(X, y).flagged_.mean() < 0.05)
    True
    """

    reads_numbers = False
    two_classes = True

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 4,
        threshold: float = 0.5,
        max_bins: int | None = 255,
        cv: Any = 3,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.threshold = threshold
        self.max_bins = max_bins
        self.cv = cv
        self.random_state = random_state

    def staged_scores(self) -> Array:
        """Scores if only 1, 2, … rounds had been made: an array (n_estimators, n_rows)."""
        return 1.0 - self.staged_error_shares()

    def staged_error_shares(self) -> Array:
        """Share of the first 1, 2, … base learners that are wrong; the threshold is about it."""
        return np.array([error_share(self.errors_[:, :m]) for m in range(1, self.n_estimators + 1)])

    def companion(self) -> AdaBoostClassifier:
        """Return AdaBoost with this base learner."""
        return AdaBoostClassifier(self.estimator, max_bins=self.max_bins)

    def _check_parameters(self) -> None:
        check_number("n_estimators", self.n_estimators, at_least=1, integer=True)
        check_number("threshold", self.threshold, at_least=0.0, below=1.0)

    def _find(self, X: Any, y: Array) -> tuple[Array, Array]:
        booster = self.companion().set_params(n_estimators=self.n_estimators)
        self.errors_ = np.full((len(y), self.n_estimators), np.nan)
        folds = make_folds(self.cv, y, self.random_state)
        for model, test, held_out in fit_folds(booster, X, y, folds):
            rows = model.__read_rows__(held_out)
            signs = np.where(y[test] == model.classes_[1], 1, -1).astype(np.int8)
            sample = Sample.of_labels(signs, rows=rows)
            for t, member in enumerate(model.ensemble_.members):
                outcome = signs * sample.column(member)
                self.errors_[test, t] = np.where(outcome == 0.0, np.nan, outcome < 0.0)
        wrong = error_share(self.errors_)
        return 1.0 - wrong, wrong > self.threshold
