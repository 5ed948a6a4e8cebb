"""Which targets are probably wrong: residuals out of folds, against the spread expected there.

A row is judged by models that never saw its target. Their residual is compared with how far off
they usually are on rows like it, so that a large residual where all are large is no suspicion:

    z_i = (y_i - ŷ(x_i)) / s(x_i),

with ŷ and s both predicted out of folds. Rows with right targets make up the bulk of the z, and say
how far off right targets are; from that every row has a p-value, and a probability that its target
is right (``residual_null.py``).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, Self

import numpy as np
from scipy.optimize import nnls
from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import KFold
from sklearn.utils.validation import check_is_fitted

from ..algorithms.gradient_boost_regressor import GradientBoostRegressor
from ..data import BinnedMatrix, Table
from ..data.table import default_names, frame_names, is_frame, read_array
from ..fitting.inputs import read_targets
from ..kernels.parallel import one_algebra_thread, resolve_n_jobs
from ..types import Array
from ..validation import check_number, random_numbers
from .flagging import flag
from .folds import SEED, check_classifier, take_rows
from .residual_null import judge_residuals
from .similar import MOST_ROWS, SimilarRows, find_similar
from .votes import encode

APART = 3.0
"""Usual distances beyond which the targets of two equal rows contradict each other."""
LEAST_SPREAD = 0.25
"""Spreads below this share of the median one are taken as that: nobody is that sure."""


def default_predictors(n_jobs: int | None = None, seed: int = SEED) -> dict[str, Any]:
    """Regressors that predict where none are given; outliers pull neither of them far."""
    shared: dict[str, Any] = {"n_jobs": n_jobs, "random_state": seed}
    return {
        "boosted trees": GradientBoostRegressor(
            loss="huber", n_estimators=200, learning_rate=0.1, max_leaf_nodes=16, **shared
        ),
        "boosted small trees": GradientBoostRegressor(
            loss="huber", n_estimators=200, learning_rate=0.1, max_leaf_nodes=4, **shared
        ),
    }


class TargetAudit(BaseEstimator):
    """Find rows whose numeric target is probably wrong.

    Regressors predict every row from the others, out of folds; a second regression predicts how far
    off they usually are on such rows. A target is suspect if its residual is large for that.

    Parameters
    ----------
    predictors : regressor, dict of regressors, or None
        Who predicts. None is gradient boosting with a Huber loss, with larger and smaller trees.
    cv : int
        Folds.
    fdr : float
        Share of false alarms allowed among the flagged rows.
    categorical_features : "from_dtype", None, or sequence of int or str
        Passed to the default predictors.
    n_jobs : int or None
        Threads; None is all cores.
    random_state : int or None
        Seed of the folds; None is a fixed one.

    Attributes
    ----------
    score_ : array in [0, 1]
        Probability that each row's target is right; 0 is the most suspect.
    suggested_ : array
        Predicted target of each row, from models that never saw its own.
    spread_ : array
        Typical distance of the prediction from the target, on rows like this one.
    z_ : array
        Residual in units of the spread.
    p_value_ : array
        Chance of a residual at least that far out on its side if the target were right.
    rank_ : array of int
        Place of each row in the list of suspects, from 1.
    flagged_ : array of bool
        The suspects: as many as the allowed share of false alarms admits.
    noise_rate_ : float
        Estimated share of targets that are wrong and far out.
    targets_ : array
        The given targets.
    predictions_ : dict
        Out-of-fold predictions of each predictor.
    predictor_weights_ : dict
        Weight of each in ``suggested_``.
    table_ : Table
        The rows as they were read, by which similar ones are found and the report shows values.
    index_ : pandas index or None
        Names of the rows, if they came in a pandas frame.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-2, 2, size=(300, 2))
    >>> y = X[:, 0] ** 2 + X[:, 1] + 0.1 * rng.normal(size=300)
    >>> y[[3, 50, 120]] += [4.0, -5.0, 6.0]
    >>> audit = TargetAudit().fit(X, y)
    >>> sorted(audit.suspects(3).tolist())
    [3, 50, 120]
    """

    def __init__(
        self,
        predictors: Any = None,
        *,
        cv: int = 5,
        fdr: float = 0.2,
        categorical_features: Any = "from_dtype",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.predictors = predictors
        self.cv = cv
        self.fdr = fdr
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state

    @one_algebra_thread()
    def fit(self, X: Any, y: Any) -> Self:
        """Audit the targets.

        Parameters
        ----------
        X : array, sparse matrix or data frame
            Rows. NaN is a missing value.
        y : array-like
            Given targets, finite numbers.

        Returns
        -------
        self
        """
        check_number("fdr", self.fdr, at_least=0.0, below=1.0)
        check_number("cv", self.cv, at_least=2, integer=True)
        resolve_n_jobs(self.n_jobs)
        random_numbers(self.random_state)
        predictors = self._check_predictors()
        if isinstance(X, BinnedMatrix):
            raise TypeError("X: got a BinnedMatrix, expected the rows themselves")
        rows = X if is_frame(X) else read_array(X)
        self.targets_ = read_targets(y, rows.shape[0])
        if len(self.targets_) < 2 * self.cv:
            raise ValueError(
                f"X: got {len(self.targets_)} rows, expected at least {2 * self.cv} with cv="
                f"{self.cv}"
            )
        names = [str(n) for n in frame_names(rows)] if is_frame(rows) else None
        self.index_ = X.index if hasattr(X, "iloc") else None
        self.__dict__.pop("similar", None)  # of rows audited before
        self.table_ = Table.learn(rows, names or default_names(rows.shape[1]), None)
        self._predict(predictors, rows)
        self._judge()
        return self

    def _check_predictors(self) -> dict[str, Any]:
        if self.predictors is None:
            seed = SEED if self.random_state is None else self.random_state
            named = default_predictors(self.n_jobs, seed)
            for model in named.values():
                model.set_params(categorical_features=self.categorical_features)
            return named
        given = self.predictors
        named = dict(given) if isinstance(given, Mapping) else {type(given).__name__: given}
        for name, predictor in named.items():
            check_classifier(f"predictors[{name!r}]", predictor)
        if not named:
            raise ValueError("predictors: got none, expected at least one regressor")
        return named

    def _folds(self) -> list[tuple[Array, Array]]:
        seed = SEED if self.random_state is None else self.random_state
        return list(KFold(self.cv, shuffle=True, random_state=seed).split(self.targets_))

    def _predict(self, predictors: dict[str, Any], rows: Any) -> None:
        """Predictions and spreads, out of folds."""
        folds, y = self._folds(), self.targets_
        self.predictions_ = {
            name: _out_of_folds(model, rows, y, folds) for name, model in predictors.items()
        }
        found = np.array(list(self.predictions_.values()))
        weights = _mixture(found, y)
        self.predictor_weights_ = dict(zip(predictors, weights.tolist(), strict=True))
        self.suggested_ = weights @ found
        sizes = np.abs(y - self.suggested_)
        usual = float(np.median(sizes)) or float(sizes.mean()) or 1.0
        spreads = GradientBoostRegressor(
            loss="huber",
            n_estimators=50,
            learning_rate=0.1,
            max_leaf_nodes=8,
            min_samples_leaf=20,
            categorical_features=self.categorical_features,
            n_jobs=self.n_jobs,
            random_state=SEED,
        )
        # The cube root: a few wild residuals are no longer wild, and the spread is above zero.
        roots = _out_of_folds(spreads, rows, np.cbrt(sizes / usual), folds)
        spread = usual * np.maximum(roots, np.cbrt(LEAST_SPREAD)) ** 3
        self.spread_ = np.maximum(spread, np.finfo(float).tiny)  # below, numbers lose their digits

    def _judge(self) -> None:
        """Scores, ranks and flags from residuals and spreads."""
        self.z_ = (self.targets_ - self.suggested_) / self.spread_
        self.score_, self.p_value_, self.noise_rate_ = judge_residuals(self.z_)
        # Where wrong and right are as likely, or right more so, residuals say the rest.
        suspect = np.minimum(self.score_, 0.5)
        order = np.lexsort((np.arange(len(suspect)), -np.abs(self.z_), self.p_value_, suspect))
        self.rank_ = np.empty(len(order), dtype=int)
        self.rank_[order] = np.arange(1, len(order) + 1)
        self.flagged_ = flag(self.score_, np.ones(len(order), dtype=bool), self.fdr)

    def suspects(self, most: int | None = None) -> Array:
        """Row numbers, most suspect first: the flagged ones, or the first ``most`` of all rows."""
        check_is_fitted(self, "score_")
        check_number("most", most, at_least=0, integer=True, optional=True)
        order = np.argsort(self.rank_)
        return order[self.flagged_[order]] if most is None else order[:most]

    @cached_property
    def similar(self) -> SimilarRows:
        """Copies, near duplicates and outliers, found when first asked for.

        A copy contradicts a row where their targets are more than three usual distances apart.
        """
        check_is_fitted(self, "score_")
        encoded = encode(self.table_) if len(self.score_) <= MOST_ROWS else None
        return find_similar(self.table_, encoded, self.targets_, APART * self.spread_)

    def to_frame(self) -> Any:
        """One line per row as a pandas data frame, with the index of the rows that were audited.

        Columns: ``given``, ``suggested``, ``usual_distance``, ``score`` (probability that the
        target is right), ``rank``, ``flagged``, and what :attr:`similar` finds: ``copies``,
        ``conflicting`` (copies with targets far off), ``near_duplicate`` (row number, -1 for none),
        ``near_conflicting``, ``outlier``.
        """
        import pandas as pd

        check_is_fitted(self, "score_")
        return pd.DataFrame(self.columns(), index=self.index_)

    def columns(self) -> dict[str, Array]:
        """What was found, one entry per row."""
        return {
            "given": self.targets_,
            "suggested": self.suggested_,
            "usual_distance": self.spread_,
            "score": self.score_,
            "rank": self.rank_,
            "flagged": self.flagged_,
            **self.similar.columns(),
        }


def _out_of_folds(model: Any, rows: Any, y: Array, folds: list[tuple[Array, Array]]) -> Array:
    """Predictions for every row by copies that learnt from the other folds."""
    found = np.empty(len(y))
    for train, test in folds:
        fitted = clone(model).fit(take_rows(rows, train), y[train])
        found[test] = fitted.predict(take_rows(rows, test))
    return found


def _mixture(predictions: Array, y: Array) -> Array:
    """Weights with sum one that predict best, by least squares in which far rows count less."""
    if len(predictions) == 1:
        return np.ones(1)
    residual = np.abs(y - np.median(predictions, axis=0))
    limit = 3.0 * float(np.median(residual)) or 1.0
    trust = np.sqrt(np.minimum(1.0, limit / np.maximum(residual, 1e-300)))
    weights, _ = nnls((predictions * trust).T, y * trust)
    total = float(weights.sum())
    return weights / total if total > 0.0 else np.full(len(weights), 1.0 / len(weights))
