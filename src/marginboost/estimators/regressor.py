"""scikit-learn's contract of regressors, once: targets, predictions, fitted attributes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import RegressorMixin

from ..core.sample import Sample
from ..core.types import Array
from ..data import BinnedMatrix, Table
from .base import BaseBooster, document
from .inputs import read_targets, read_weights

__all__ = ["BaseBoostRegressor", "document"]

FITTED_ATTRIBUTES = """estimators_ : list of Hypothesis
        The hypotheses.
    estimator_weights_ : array
        Their coefficients α, equally many.
    n_iter_ : int
        Rounds made.
    history_ : History
        Edge, coefficient, training loss, bounds and time of every round.
    certificate_ : Certificate
        Bounds on the objective of the algorithm, and what this model attains.
    certified_ : bool
        Whether the bounds are proven.
    stop_reason_ : Stop
        Why the run ended.
    dual_ : array
        Last weights of the rows, signed: positive where the prediction should rise.
    intercept_ : float
        Always 0: a constant is a hypothesis like any other.
    feature_importances_ : array
        Share of Σ|α| that each feature carries.
    n_features_in_, feature_names_in_
        As in scikit-learn."""


class BaseBoostRegressor(RegressorMixin, BaseBooster):
    """What every regressor of the package shares.

    A subclass stores its parameters and says in ``_make_rule`` which algorithm they mean. The
    prediction is the score ``F(x) = Σ α h(x)`` itself.
    """

    registry: ClassVar[dict[str, type[BaseBoostRegressor]]] = {}
    _attributes = FITTED_ATTRIBUTES
    _numeric = True

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array, sparse matrix, data frame or BinnedMatrix
            Rows. NaN is a missing value.
        y : array-like
            Targets, finite numbers.
        sample_weight : array-like, optional
            Nonnegative weights; a weight of 2 means the same as two copies of the row, a weight of
            0 the same as no row.

        Returns
        -------
        self
        """
        self._check_settings()
        rows = self._learn_rows(X, y)
        targets = read_targets(y, rows.n_rows)
        weights = read_weights(sample_weight, rows.n_rows)
        self.__dict__.pop("ensemble_", None)  # of an earlier fit
        used = np.flatnonzero(weights > 0)
        self._meet(targets[used], weights[used])
        rule, oracle = self._make_rule(), self._make_oracle()
        parts = self._sample_parts(rows, weights, used, oracle)
        sample = Sample.of_targets(targets[used], weights[used], **parts)
        run = self._train(sample, oracle, rule, self._encode)
        self._keep_run(run)
        self.dual_ = np.zeros(len(targets))
        self.dual_[used] = run.dual
        return self

    def _meet(self, targets: Array, weights: Array) -> None:
        """Learn what is fitted next, for settings that depend on it."""

    def _encode(self, X: Any, y: Any) -> tuple[Table | BinnedMatrix, Array]:
        """Rows and targets of data other than the training data."""
        rows = self._read_more(X)
        return rows, read_targets(y, rows.n_rows)

    def predict(self, X: Any) -> Array:
        """Predict ``F(x) = Σ α h(x)`` for each row."""
        return self._scores(self._read_rows(X))

    def staged_predict(self, X: Any) -> Iterator[Array]:
        """Predictions after 1, 2, … hypotheses."""
        yield from self.ensemble_.staged_scores(self._read_rows(X))

    def staged_score(self, X: Any, y: Any, sample_weight: Any = None) -> Iterator[float]:
        """Coefficient of determination R² after 1, 2, … hypotheses."""
        from sklearn.metrics import r2_score  # here, not above: slow to import

        for predicted in self.staged_predict(X):
            yield float(r2_score(y, predicted, sample_weight=sample_weight))
