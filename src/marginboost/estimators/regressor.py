"""scikit-learn's contract of regressors, once: targets, predictions, fitted attributes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import RegressorMixin

from ..core.callbacks import Encoder
from ..core.oracle import Oracle
from ..core.parts import PartedSample, Parts
from ..core.run import Run
from ..core.sample import Sample
from ..data import BinnedMatrix
from ..model import Features, FittedRun, RegressionModel
from ..model.features import FeatureRows
from ..types import Array
from .base import BaseBooster, document
from .inputs import read_targets, read_weights
from .training_set import NOTHING_GIVEN, Given, TargetSet

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
        Share of each feature in what moves predictions: of stumps the mean size of its contribution
        over the training rows, as in ``explain().importance()``, of others its share of Σ|α|.
    n_features_in_, feature_names_in_
        As in scikit-learn."""


class NumberBooster(BaseBooster):
    """What estimators share whose labels and predictions are numbers.

    The prediction is the score ``F(x) = Σ α h(x)`` itself.
    """

    fitted_text = FITTED_ATTRIBUTES
    model_type = RegressionModel
    model_: RegressionModel

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
        return self.fit_targets(X, y, sample_weight, NOTHING_GIVEN)

    def fit_targets(self, X: Any, y: Any, sample_weight: Any, given: Given) -> Self:
        """Fit the model, with what else is given."""
        oracle = self.checked_oracle()
        rows, features = self._learn_rows(X, y)
        targets = self.read_y(y, rows.n_rows)
        weights = read_weights(sample_weight, rows.n_rows)
        data = self.extend(TargetSet(features, rows, targets, weights), given)
        self._forget()
        self.learn_targets(data, oracle)
        return self

    def fit_parts(
        self, features: Features, bins: BinnedMatrix, classes: Array | None, parts: Parts
    ) -> Self:
        """Fit the model to rows in parts, whose labels are targets; ``classes`` are none.

        Of ``bins`` only the cuts are read. There is no ``dual_`` then.
        """
        oracle = self.oracle_for_parts()
        self._forget()
        self.set_features(features)
        layout, nothing = bins.take(np.empty(0, np.int64)), np.empty(0)
        self.learn_targets(TargetSet(features, layout, nothing, nothing, parts=parts), oracle)
        del self.dual_
        return self

    def extend(self, data: TargetSet, given: Given) -> TargetSet:
        """Put what else a fit is given with its rows; here nothing is."""
        return data

    def learn_targets(self, data: TargetSet, oracle: Oracle) -> None:
        """Learn from checked rows."""
        sample = self.sample_from(data, oracle)
        self.prepare(sample, oracle)
        rule, encode = self.make_rule(sample), self._encoder(data.features, data.column)
        run = self._train(sample, oracle, rule, encode, self.start_of(data))
        self.store(run)
        self.model_ = RegressionModel(
            type(self).__name__, data.features, FittedRun.of(run), chosen=self._chosen()
        )
        self.dual_ = np.zeros(len(data.targets))
        self.dual_[np.flatnonzero(data.weights > 0)] = run.dual

    def sample_from(self, data: TargetSet, oracle: Oracle) -> Sample:
        """Sample of the rows of a fit that have weight."""
        if data.parts is not None:
            assert isinstance(data.rows, BinnedMatrix)
            return PartedSample.of(data.parts, data.rows, None, self._seed())
        return self._make_sample(data.rows, data.targets, data.weights, oracle, data.bins)

    def read_y(self, y: Any, n_rows: int) -> Array:
        """Targets, checked."""
        return read_targets(y, n_rows)

    def _make_sample(
        self,
        rows: FeatureRows,
        targets: Array,
        weights: Array,
        oracle: Oracle,
        bins: BinnedMatrix | None = None,
    ) -> Sample:
        """Sample of the rows that have weight; ``bins`` are theirs, where they are made."""
        used = np.flatnonzero(weights > 0)
        parts = self._sample_parts(rows, weights, used, oracle, bins)
        return Sample.of_targets(targets[used], weights[used], **parts)

    def sample_of(self, X: Any, y: Any, sample_weight: Any = None) -> tuple[Sample, Oracle]:
        """Sample and base learner of a fit of this model to these rows, to check it with."""
        oracle, rows = self.make_oracle(), self.read_rows(X)
        targets = read_targets(y, rows.n_rows)
        return self._make_sample(
            rows, targets, read_weights(sample_weight, rows.n_rows), oracle
        ), oracle

    def store(self, run: Run) -> None:
        """Keep what a run found besides its model, as fitted attributes (``chosen_names``)."""

    def _encoder(self, features: Features, column: int | None = None) -> Encoder:
        """Encode data other than the training data: rows and targets, one column of several."""

        def encode(X: Any, y: Any) -> tuple[FeatureRows, Array]:
            rows = self._read_with(features, X)
            targets = self.read_y(y, rows.n_rows)
            return rows, targets if column is None else targets[:, column]

        return encode

    def smallest_sample(self) -> Sample:
        """Two targets."""
        return Sample.of_targets(np.array([0.0, 1.0]))

    def predict(self, X: Any) -> Array:
        """Predict ``F(x) = Σ α h(x)`` for each row."""
        rows = self.read_rows(X)
        return self.model_.scores(rows, self.n_jobs)

    def staged_predict(self, X: Any) -> Iterator[Array]:
        """Predictions after 1, 2, … hypotheses."""
        rows = self.read_rows(X)
        yield from self.model_.staged_scores(rows)


class BaseBoostRegressor(RegressorMixin, NumberBooster):
    """What every regressor of the package shares.

    A subclass stores its parameters and says in ``make_rule`` which algorithm they mean.
    """

    registry: ClassVar[dict[str, type[BaseBoostRegressor]]] = {}

    def staged_score(self, X: Any, y: Any, sample_weight: Any = None) -> Iterator[float]:
        """Coefficient of determination R² after 1, 2, … hypotheses."""
        from sklearn.metrics import r2_score  # here, not above: slow to import

        for predicted in self.staged_predict(X):
            yield float(r2_score(y, predicted, sample_weight=sample_weight))
