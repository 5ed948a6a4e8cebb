"""scikit-learn's contract of regressors: targets, predictions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import RegressorMixin

from ..core.parts import Parts
from ..data import BinnedMatrix
from ..fitting.algorithm import Algorithm
from ..fitting.fit import fit
from ..fitting.held_back import HeldBack
from ..fitting.inputs import read_targets, read_weights
from ..fitting.rows import TrainingRows, rows_in_parts
from ..model import Features, Model, RegressionModel
from ..model.features import FeatureRows
from ..types import Array
from .base import COMMON_PARAMETERS, BaseBooster, algorithm_for_parts, algorithm_to_fit, document
from .capabilities import refusal

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


def check_one_target(kind: type[Any], y: Any) -> None:
    """Raise where there are several targets, for an estimator that learns one."""
    try:
        shape = np.asarray(y).shape
    except ValueError:  # rows of different length, of which the reader of targets says more
        return
    if len(shape) == 2 and shape[1] > 1:
        why = f"y: y should be a 1d array, got an array of shape {shape} instead"
        raise ValueError(refusal(kind, "several_targets", why))


class NumberBooster(BaseBooster):
    """What estimators share whose labels and predictions are numbers.

    The prediction is the score ``F(x) = Σ α h(x)`` itself.
    """

    __shared_texts__: ClassVar[dict[str, str]] = {
        "common": COMMON_PARAMETERS,
        "fitted": FITTED_ATTRIBUTES,
    }
    __model_type__: ClassVar[type[Model]] = RegressionModel
    model_: Any

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
        return self._fit_targets(X, y, sample_weight)

    def _fit_targets(self, X: Any, y: Any, sample_weight: Any, **given: Any) -> Self:
        """Fit the model, with what else is given."""
        algorithm = algorithm_to_fit(self)
        rows, features = self._learn_features(X, y)
        targets = self._read_targets(y, rows.n_rows)
        weights = read_weights(sample_weight, rows.n_rows)
        read_more = self._reader(features)
        training = TrainingRows(features, rows, weights, read_more, targets=targets)
        return self._fit_rows(algorithm, training, **given)

    def _fit_rows(self, algorithm: Algorithm, rows: TrainingRows, **given: Any) -> Self:
        """Fit the model to rows that are read; ``given`` is what else a fit is given."""
        if rows.parts is None:
            rows = self._with_options(algorithm, rows, **given)
        self._forget()
        self._keep(fit(algorithm, rows))
        return self

    def __fit_parts__(
        self,
        features: Features,
        bins: BinnedMatrix,
        classes: Array | None,
        parts: Parts,
        held: HeldBack | None,
    ) -> Self:
        """Fit the model to rows in parts, whose labels are targets; ``classes`` are none.

        Of ``bins`` only the cuts are read. There is no ``dual_`` then.
        """
        algorithm = algorithm_for_parts(self)
        self._set_features(features)
        read_more = self._reader(features)
        return self._fit_rows(algorithm, rows_in_parts(features, bins, None, parts, read_more))

    def _reader(self, features: Features) -> Any:
        """Function that reads further rows and their targets."""

        def read_more(X: Any, y: Any) -> tuple[FeatureRows, Array]:
            rows = self._read_with(features, X)
            return rows, self._read_targets(y, rows.n_rows)

        return read_more

    def _read_targets(self, y: Any, n_rows: int) -> Array:
        """Targets, checked."""
        check_one_target(type(self), y)
        return read_targets(y, n_rows)

    def predict(self, X: Any) -> Array:
        """Predict ``F(x) = Σ α h(x)`` for each row."""
        rows = self.__read_rows__(X)
        return self.model_.scores(rows, self.n_jobs)

    def staged_predict(self, X: Any) -> Iterator[Array]:
        """Predictions after 1, 2, … hypotheses."""
        rows = self.__read_rows__(X)
        yield from self.model_.staged_scores(rows)


class BaseBoostRegressor(RegressorMixin, NumberBooster):
    """What every regressor of the package shares.

    A subclass stores its parameters and says in ``_algorithm`` which algorithm they mean.
    """

    __registry__: ClassVar[dict[str, type[BaseBoostRegressor]]] = {}

    def staged_score(self, X: Any, y: Any, sample_weight: Any = None) -> Iterator[float]:
        """Coefficient of determination R² after 1, 2, … hypotheses."""
        from sklearn.metrics import r2_score  # here, not above: slow to import

        for predicted in self.staged_predict(X):
            yield float(r2_score(y, predicted, sample_weight=sample_weight))
