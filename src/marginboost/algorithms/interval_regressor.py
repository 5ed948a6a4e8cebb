"""Prediction intervals: two quantiles, corrected by rows held back (conformal prediction).

Two models of the quantiles (1 - c) / 2 and (1 + c) / 2 learn from a part of the rows. On the others
it shows by how much the interval must grow, or may shrink, to hold a share c of the targets:

    s_i = max(low(x_i) - y_i, y_i - high(x_i)),    grow by the ⌈(n + 1) c⌉-th smallest s.

Of a new row that is drawn like those held back, the interval holds the target with a probability of
at least c, and at most 1 / (n + 1) more if no two s are equal: whatever the models are like.

References: Romano, Patterson & Candès, *Conformalized quantile regression*, 2019; Koenker & Bassett
1978.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.utils.validation import check_is_fitted, validate_data

from ..data.table import is_frame, read_array, take_rows
from ..estimators.capabilities import Capable
from ..estimators.regressor import check_one_target
from ..fitting.inputs import read_targets
from ..losses import Quantile
from ..types import Array
from ..validation import check_number
from ..warning import warn_user
from .gradient_boost_regressor import GradientBoostRegressor

DEFAULTS: dict[str, Any] = {"n_estimators": 100, "max_leaf_nodes": 8, "learning_rate": 0.3}
"""Of quantiles: small trees, since one far out follows single rows, and steps that get there."""


class IntervalRegressor(RegressorMixin, Capable, BaseEstimator):
    """Prediction intervals that hold a chosen share of new targets.

    Parameters
    ----------
    estimator : regressor or None
        Model of a quantile: one of this package or of scikit-learn with a parameter ``quantile``,
        such as ``LPBoostRegressor``, or ``GradientBoostRegressor``. None is the last.
    coverage : float
        Share of targets that intervals are to hold, in (0, 1).
    calibration_fraction : float
        Share of the rows by which intervals are corrected, in [0, 1); 0 corrects nothing.
    random_state : int or None
        Seed of the choice of those rows; None is a fixed one.

    Attributes
    ----------
    low_, middle_, high_ : regressor
        Models of the two quantiles, and of the median.
    correction_ : float
        By how much intervals grow at both ends; below 0 they shrink.
    n_calibration_ : int
        Rows that said so.
    n_features_in_ : int
        Features.

    Examples
    --------
    >>> import numpy as np
    >>> from marginboost import IntervalRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-2, 2, size=(1500, 2))
    >>> y = X[:, 0] + (0.2 + np.abs(X[:, 1])) * rng.normal(size=1500)
    >>> model = IntervalRegressor(coverage=0.8).fit(X[:1000], y[:1000])
    >>> low, high = model.predict_interval(X[1000:]).T
    >>> bool(0.7 < np.mean((low <= y[1000:]) & (y[1000:] <= high)) < 0.9)
    True
    """

    __capabilities__: ClassVar[dict[str, bool]] = {"categories": True}

    def __init__(
        self,
        estimator: Any = None,
        *,
        coverage: float = 0.9,
        calibration_fraction: float = 0.25,
        random_state: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.coverage = coverage
        self.calibration_fraction = calibration_fraction
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Fit three quantiles, and find the correction.

        Parameters
        ----------
        X : array, sparse matrix or data frame
            Rows.
        y : array-like
            Targets, finite numbers.

        Returns
        -------
        self
        """
        check_number("coverage", self.coverage, above=0.0, below=1.0)
        check_number("calibration_fraction", self.calibration_fraction, at_least=0.0, below=1.0)
        rows = self._read(X, reset=True)
        check_one_target(type(self), y)
        targets = read_targets(y, rows.shape[0])
        order = np.random.default_rng(self.random_state or 0).permutation(len(targets))
        n_held = min(int(self.calibration_fraction * len(targets)), len(targets) - 1)
        held, kept = np.sort(order[:n_held]), np.sort(order[n_held:])
        outer = 0.5 * (1.0 - self.coverage)
        self.low_, self.middle_, self.high_ = (
            self._model(level).fit(take_rows(rows, kept), targets[kept])
            for level in (outer, 0.5, 1.0 - outer)
        )
        self.n_calibration_, self.correction_ = n_held, 0.0
        if n_held:
            self.correction_ = self._correction(take_rows(rows, held), targets[held])
        return self

    def _read(self, X: Any, reset: bool) -> Any:
        """Rows as the models take them, checked."""
        if is_frame(X):
            validate_data(self, X=X, reset=reset, skip_check_array=True)
            return X
        return validate_data(
            self,
            X=read_array(X),
            reset=reset,
            accept_sparse="csr",
            dtype=[np.float64, np.float32],
            ensure_all_finite="allow-nan",
            ensure_min_samples=2 if reset else 1,
        )

    def _model(self, level: float) -> Any:
        """Unfitted model of a quantile."""
        if self.estimator is None:
            return GradientBoostRegressor(loss=Quantile(level), **DEFAULTS)
        model = clone(self.estimator)
        if "quantile" in model.get_params():
            return model.set_params(loss="quantile", quantile=level)
        if isinstance(model, GradientBoostRegressor):
            return model.set_params(loss=Quantile(level))
        raise TypeError(
            f"estimator: got {self.estimator!r}, expected a regressor with a parameter 'quantile'"
        )

    def _correction(self, rows: Any, y: Array) -> float:
        """By how much intervals of rows held back must grow to hold the share asked for."""
        low, high = self._ends(rows)
        scores = np.sort(np.maximum(low - y, y - high))
        place = math.ceil((len(y) + 1) * self.coverage)
        if place > len(y):
            warn_user(
                f"{len(y)} rows are held back, too few to prove a coverage of {self.coverage:g}; "
                "intervals hold all of their targets instead"
            )
        return float(scores[min(place, len(y)) - 1])

    def _ends(self, rows: Any) -> tuple[Array, Array]:
        """Both quantiles, in order."""
        one, other = self.low_.predict(rows), self.high_.predict(rows)
        return np.minimum(one, other), np.maximum(one, other)

    def predict(self, X: Any) -> Array:
        """Median of each row's target."""
        check_is_fitted(self)
        return np.asarray(self.middle_.predict(self._read(X, reset=False)))

    def predict_interval(self, X: Any) -> Array:
        """Ends of each row's interval.

        Parameters
        ----------
        X : array, sparse matrix or data frame
            Rows.

        Returns
        -------
        array (n_rows, 2)
            Lower and upper end; where a negative correction would turn them round, their middle.
        """
        check_is_fitted(self)
        low, high = self._ends(self._read(X, reset=False))
        middle = 0.5 * (low + high)
        return np.column_stack(
            [
                np.minimum(low - self.correction_, middle),
                np.maximum(high + self.correction_, middle),
            ]
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        return tags
