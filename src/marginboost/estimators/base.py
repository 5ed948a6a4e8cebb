"""What classifiers and regressors share: rows, settings, the run, and the model it leaves."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, TypeVar

import numpy as np
from sklearn.base import BaseEstimator, is_classifier, is_regressor
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from ..core.callbacks import Callback, Encoder, Progress
from ..core.ensemble import Ensemble
from ..core.oracle import Oracle
from ..core.rule import Rule
from ..core.run import Run, train
from ..core.sample import Sample
from ..core.types import Array
from ..data import BinnedMatrix, Table
from ..data.table import is_frame
from ..kernels.threads import resolve_n_jobs
from ..model.explanation import Explanation
from ..model.file import save_model
from ..oracles.any_sklearn import SklearnOracle
from ..oracles.stumps import StumpOracle
from ..validation import check_number
from .inputs import check_cuts

COMMON_PARAMETERS = """max_bins : int or None
        Most bins of a numeric feature; a feature with no more distinct values keeps them all. None
        keeps every distinct value of every feature.
    categorical_features : "from_dtype", None, or sequence of int or str
        Which columns hold categories: those of a data frame's categorical types, none, or these.
    callbacks : sequence of Callback, optional
        Early stopping, checkpoints, a time budget, or your own. Where several classes are solved
        as several problems, each has its own copy of them, and checkpoints are refused.
    n_jobs : int or None
        Threads; None is all cores. The result does not depend on it.
    random_state : int, RandomState or None
        Seed of what is random: resampling, and scikit-learn base learners. None is a fixed seed,
        so that fits repeat and interrupted ones can go on.
    verbose : int
        1 shows a progress bar."""

C = TypeVar("C", bound="type[BaseBooster]")


def document(cls: C) -> C:
    """Fill the parameters and attributes that all models of its kind share into a docstring."""
    if cls.__doc__:
        cls.__doc__ = cls.__doc__.replace("{common}", COMMON_PARAMETERS).replace(
            "{fitted}", cls._attributes
        )
    return cls


class BaseBooster(BaseEstimator):
    """What every estimator of the package shares.

    Classifiers and regressors build on it; each kind has a registry of its own.
    """

    registry: ClassVar[dict[str, type[Any]]] = {}
    summary: ClassVar[dict[str, str]] = {}
    _attributes: ClassVar[str] = ""
    """Text on the fitted attributes, for docstrings."""
    _fewest_rows: ClassVar[str] = "1"
    _numeric: ClassVar[bool] = False
    """Whether targets are numbers, not classes."""
    _chosen: ClassVar[tuple[str, ...]] = ()
    """Numbers that fit chooses where parameters leave it the choice; a model file keeps them."""
    dual_: Any
    n_iter_: int
    certified_: bool

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        base = "registry" in vars(cls)  # of a kind of its own
        if not base and not cls.__module__.rpartition(".")[2].startswith("_"):
            cls.registry[cls.__name__] = cls

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int | None = 50,
        tol: float | None = None,
        max_bins: int | None = 255,
        categorical_features: Any = "from_dtype",
        callbacks: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.tol = tol
        self.max_bins = max_bins
        self.categorical_features = categorical_features
        self.callbacks = callbacks
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    # -- what subclasses say ---------------------------------------------------------------------

    @abstractmethod
    def _make_rule(self) -> Rule:
        """Check the algorithm's own parameters and make the rule."""

    def _default_oracle(self) -> Oracle:
        """Base learner where none is given."""
        return StumpOracle()

    def _make_oracle(self) -> Oracle:
        """Make the base learner."""
        if self.estimator is None:
            return self._default_oracle()
        if isinstance(self.estimator, Oracle):
            return self.estimator
        learns = isinstance(self.estimator, BaseEstimator) and hasattr(self.estimator, "fit")
        if learns and (is_classifier(self.estimator) or is_regressor(self.estimator)):
            return SklearnOracle(self.estimator)
        raise TypeError(
            f"estimator: got {self.estimator!r}, expected None, an Oracle such as StumpOracle() or "
            "TreeOracle(), or a scikit-learn classifier or regressor"
        )

    def _max_rounds(self, rule: Rule, sample: Sample) -> int:
        """Most rounds of the loop."""
        check_number("n_estimators", self.n_estimators, at_least=1, integer=True)
        return int(self.n_estimators or 0)

    def _tolerance(self) -> float | None:
        """Gap at which the bounds count as met."""
        return self.tol

    # -- fit -------------------------------------------------------------------------------------

    def _check_settings(self) -> None:
        """Show bad settings before any work."""
        self._check_parameters()
        self._make_rule()
        self._make_oracle().check()

    def _check_parameters(self) -> None:
        if self.n_estimators is not None:
            check_number("n_estimators", self.n_estimators, at_least=1, integer=True)
        if self.tol is not None:
            check_number("tol", self.tol, at_least=0.0)
        if self.max_bins is not None:
            check_number("max_bins", self.max_bins, at_least=2, integer=True)
        resolve_n_jobs(self.n_jobs)
        callbacks = () if self.callbacks is None else self.callbacks
        if not isinstance(callbacks, Sequence):
            raise TypeError(f"callbacks: got {callbacks!r}, expected a list of Callback objects")
        for callback in callbacks:
            if not isinstance(callback, Callback):
                raise TypeError(f"callbacks: got {callback!r}, expected Callback objects")

    def _learn_rows(self, X: Any, y: Any) -> Table | BinnedMatrix:
        """Read rows to learn from; set the names and categories of their features."""
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None"
            )
        if isinstance(X, BinnedMatrix):
            if hasattr(self, "feature_names_in_"):  # of an earlier fit
                del self.feature_names_in_
            self.n_features_in_ = X.n_features
            self._names, self._categories = list(X.names), list(X.categories)
            return X
        X = self._check_rows(X, reset=True)
        if X.shape[0] == 0:
            raise ValueError(f"X: got 0 rows, expected at least {self._fewest_rows}")
        names = getattr(self, "feature_names_in_", None)
        self._names = [f"x{j}" for j in range(X.shape[1])] if names is None else list(names)
        table = Table.learn(X, self._names, self._categorical_columns())
        self._categories = table.categories
        return table

    def _categorical_columns(self) -> list[int] | None:
        chosen = self.categorical_features
        if isinstance(chosen, str) and chosen == "from_dtype":
            return None
        if chosen is None:
            return []
        columns = []
        for item in np.atleast_1d(chosen).tolist():
            known = self._names.index(item) if item in self._names else item
            if (
                isinstance(known, bool)
                or not isinstance(known, int)
                or not (0 <= known < len(self._names))
            ):
                raise ValueError(
                    f"categorical_features: got {item!r}, expected a column name or a number below "
                    f"{len(self._names)}"
                )
            columns.append(known)
        return columns

    def _sample_parts(
        self,
        rows: Table | BinnedMatrix,
        weights: Array,
        used: Array,
        oracle: Oracle,
        bins: BinnedMatrix | None = None,
    ) -> dict[str, Any]:
        """Rows, bins, seed and threads of a sample."""
        if len(used) < rows.n_rows:
            rows, weights = rows.take(used), weights[used]
        if isinstance(rows, BinnedMatrix):
            bins = rows
        elif bins is None and oracle.needs_bins:
            bins = self._bin(rows, weights)
        # A fixed seed unless one is asked for: fits repeat, and interrupted ones can go on.
        state = 0 if self.random_state is None else self.random_state
        seed = int(check_random_state(state).randint(2**31 - 1))
        threads = resolve_n_jobs(self.n_jobs)
        return {"rows": rows, "bins": bins, "seed": seed, "n_threads": threads}

    def _bin(self, rows: Table, weights: Array) -> BinnedMatrix:
        uniform = bool((weights == weights[0]).all())
        return BinnedMatrix.from_table(
            rows,
            max_bins=self.max_bins,
            sample_weight=None if uniform else weights,
            n_jobs=resolve_n_jobs(self.n_jobs),
        )

    def _train(self, sample: Sample, oracle: Oracle, rule: Rule, encode: Encoder) -> Run:
        """Run the algorithm on a sample."""
        return train(
            sample,
            oracle,
            rule,
            max_rounds=self._max_rounds(rule, sample),
            tol=self._tolerance(),
            callbacks=self._make_callbacks(encode),
        )

    def _make_callbacks(self, encode: Encoder) -> list[Callback]:
        callbacks = list(self.callbacks or ())
        for callback in callbacks:
            callback.prepare(encode)
        return [*callbacks, Progress()] if self.verbose else callbacks

    def _keep_run(self, run: Run) -> None:
        """Keep the model and what is known about it."""
        self.ensemble_ = run.ensemble
        self.history_ = run.history
        self.certificate_ = run.certificate
        self.certified_ = run.certificate.certified
        self.stop_reason_ = run.stop
        self.n_iter_ = len(run.history)
        self.intercept_ = 0.0

    # -- predictions -----------------------------------------------------------------------------

    def _read_rows(self, X: Any) -> Table | BinnedMatrix:
        """Read rows other than the training rows."""
        check_is_fitted(self)
        return self._read_more(X)

    def _read_more(self, X: Any) -> Table | BinnedMatrix:
        """Read rows other than the training rows, in a fit or after it."""
        if isinstance(X, BinnedMatrix):
            if X.n_features != self.n_features_in_:
                raise ValueError(
                    f"X has {X.n_features} features, but {type(self).__name__} is expecting "
                    f"{self.n_features_in_} features as input"
                )
            learnt = self._reduced or hasattr(self, "ensemble_")
            for ensemble in self._ensembles() if learnt else ():
                check_cuts(ensemble, X)
            return X
        return Table(self._check_rows(X, reset=False), self._names, self._categories)

    def _check_rows(self, X: Any, *, reset: bool) -> Any:
        """Shape, names and, for arrays, values; frames are read column by column later."""
        if hasattr(X, "collect") and not hasattr(X, "shape"):
            raise TypeError("X: got a lazy frame, expected rows; call its collect() first")
        if is_frame(X):
            validate_data(self, X=X, reset=reset, skip_check_array=True)
            return X
        return validate_data(self, X=X, reset=reset, **_ARRAY_CHECKS)

    def _scores(self, rows: Table | BinnedMatrix) -> Array:
        return self.ensemble_.scores(rows, resolve_n_jobs(self.n_jobs))

    # -- the model -------------------------------------------------------------------------------

    @property
    def _reduced(self) -> bool:
        """Whether the model is made of several problems, each with a run of its own."""
        return hasattr(self, "problems_")

    def _ensembles(self) -> list[Ensemble]:
        """The model's ensemble, or those of its problems."""
        if self._reduced:
            return [problem.ensemble_ for problem in self.problems_]
        try:
            return [self.ensemble_]
        except AttributeError:
            raise AttributeError(f"this {type(self).__name__} is not fitted yet") from None

    @property
    def estimators_(self) -> list[Any]:
        """The hypotheses; a list of them for each problem, with several classes."""
        members = [list(ensemble.members) for ensemble in self._ensembles()]
        return members if self._reduced else members[0]

    @property
    def estimator_weights_(self) -> Any:
        """Coefficients of the hypotheses; a list of arrays with several classes."""
        coef = [ensemble.coef for ensemble in self._ensembles()]
        return coef if self._reduced else coef[0]

    @property
    def feature_importances_(self) -> Array:
        """Share of the coefficients that each feature carries; the mean over problems."""
        shares = [self._importances(ensemble) for ensemble in self._ensembles()]
        total = np.sum(shares, axis=0)
        return total / total.sum() if total.sum() > 0 else total

    def _importances(self, ensemble: Ensemble) -> Array:
        total = np.zeros(self.n_features_in_)
        for weight, member in zip(ensemble.coef, ensemble.members, strict=True):
            total += abs(weight) * member.importances(self.n_features_in_)
        return total / total.sum() if total.sum() > 0 else total

    def explain(self) -> Any:
        """Explain a stump ensemble exactly: one step function a feature.

        The vote of a row (the prediction of a regressor) is the sum of the step functions at its
        values, nothing else. With more than two classes a list, one explanation a problem.
        """
        check_is_fitted(self)
        parts = [
            Explanation.of(ensemble, self._names, self._categories, votes=not self._numeric)
            for ensemble in self._ensembles()
        ]
        return parts if self._reduced else parts[0]

    def to_onnx(self) -> Any:
        """ONNX model with the output ``prediction``; needs the extra ``onnx``."""
        from ..model.onnx import to_onnx

        check_is_fitted(self)
        return to_onnx(self)

    def save(self, path: Any) -> None:
        """Write a JSON file that :func:`marginboost.load` reads (see docs/model-file.md).

        Predictions of the loaded model are the same, bit for bit.
        """
        check_is_fitted(self)
        save_model(self, path)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "ensemble_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        return tags


_ARRAY_CHECKS: dict[str, Any] = {
    "accept_sparse": ["csc", "csr"],
    "dtype": [np.float64, np.float32],
    "ensure_all_finite": "allow-nan",
}
