"""What classifiers and regressors share: settings, rows, the run, and the model it leaves."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
from sklearn.base import BaseEstimator, is_classifier, is_regressor
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from ..core.callbacks import Callback, Encoder, Progress
from ..core.objective import Objective
from ..core.oracle import Oracle
from ..core.rule import Rule
from ..core.run import Run, check_on_parts, train
from ..core.sample import Sample
from ..data import BinnedMatrix, Table
from ..data.table import check_not_lazy, default_names, is_frame, read_array
from ..kernels.parallel import resolve_n_jobs, run_rows
from ..model import Model
from ..model.features import FeatureRows, Features
from ..oracles.stumps import StumpOracle
from ..types import Array
from ..validation import Configurable, Constraints, Number, check_settings
from .fitted import FittedAttributes
from .training_set import Start

COMMON_PARAMETERS = """max_bins : int or None
        Most bins of a numeric feature; a feature with no more distinct values keeps them all. None
        keeps every distinct value of every feature.
    categorical_features : "from_dtype", None, or sequence of int or str
        Which columns of a data frame hold categories: those of text and of categorical types, none,
        or these.
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
        cls.__doc__ = cls.__doc__.replace("{common}", cls.common_text).replace(
            "{fitted}", cls.fitted_text
        )
    return cls


class BaseBooster(FittedAttributes, Configurable):
    """What every estimator of the package shares.

    Classifiers and regressors build on it; each kind has a registry of its own.
    """

    registry: ClassVar[dict[str, type[Any]]] = {}
    summary: ClassVar[dict[str, str]] = {}
    common_text: ClassVar[str] = COMMON_PARAMETERS
    """Text on the parameters that all estimators of its kind share, for docstrings."""
    fitted_text: ClassVar[str] = ""
    """Text on the fitted attributes, for docstrings."""
    fewest_rows: ClassVar[str] = "1"
    several_targets: ClassVar[bool] = False
    """Whether it takes several targets at once."""
    chosen_names: ClassVar[tuple[str, ...]] = ()
    """Numbers that fit chooses where parameters leave it the choice; a model file keeps them."""
    feature_names_in_: Array
    dual_: Any
    parameter_constraints: ClassVar[Constraints] = {
        "n_estimators": Number(at_least=1, integer=True),
        "tol": Number(at_least=0.0, optional=True),
        "max_bins": Number(at_least=2, integer=True, optional=True),
    }
    """What parameters may be; those of base classes hold too, where it does not replace them."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        base = "registry" in vars(cls) or cls.__module__.startswith(f"{__package__}.")
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

    def check_parameters(self) -> None:
        """Raise for settings that no rows could make good, before any are read.

        Those that ``parameter_constraints`` say; a subclass that must check more calls this first.
        """
        check_settings(self)
        resolve_n_jobs(self.n_jobs)
        callbacks = () if self.callbacks is None else self.callbacks
        if not isinstance(callbacks, Sequence):
            raise TypeError(f"callbacks: got {callbacks!r}, expected a list of Callback objects")
        for callback in callbacks:
            if not isinstance(callback, Callback):
                raise TypeError(f"callbacks: got {callback!r}, expected Callback objects")

    def check_chosen(self, chosen: Mapping[str, float]) -> None:
        """Raise for numbers that fit could not have chosen, such as those of a damaged file."""

    @abstractmethod
    def make_rule(self, sample: Sample) -> Rule:
        """Make the algorithm for a run on this sample, from checked parameters."""

    def default_oracle(self) -> Oracle:
        """Base learner where none is given."""
        return StumpOracle()

    def make_oracle(self) -> Oracle:
        """Check the base learner's settings and make it."""
        if self.estimator is None:
            return self.default_oracle()
        if isinstance(self.estimator, Oracle):
            return self.estimator
        learns = isinstance(self.estimator, BaseEstimator) and hasattr(self.estimator, "fit")
        if learns and (is_classifier(self.estimator) or is_regressor(self.estimator)):
            from ..oracles.any_sklearn import SklearnOracle  # here, not above: few fits need it

            return SklearnOracle(self.estimator)
        raise TypeError(
            f"estimator: got {self.estimator!r}, expected None, an Oracle such as StumpOracle() or "
            "TreeOracle(), or a scikit-learn classifier or regressor"
        )

    def checked_oracle(self) -> Oracle:
        """Base learner, once all settings are checked: bad ones end here, before a row is read."""
        self.check_parameters()
        oracle = self.make_oracle()
        oracle.check()
        return oracle

    def oracle_for_parts(self) -> Oracle:
        """Base learner of a fit to rows in parts, once it is known that settings allow for it."""
        oracle = self.checked_oracle()
        for name in ("early_stopping", "warm_start"):
            if getattr(self, name, False):
                raise TypeError(
                    f"{name}: got {getattr(self, name)!r}, expected False on rows in parts; the "
                    "callbacks EarlyStopping and Checkpoint can be used there"
                )
        check_on_parts(oracle)
        return oracle

    def prepare(self, sample: Sample, oracle: Oracle) -> None:
        """Choose what the parameters leave open, as fitted attributes (``chosen_names``)."""

    def max_rounds(self, sample: Sample) -> int:
        """Most rounds of the loop."""
        assert self.n_estimators is not None
        return int(self.n_estimators)

    def tolerance(self) -> float | None:
        """Gap at which the bounds count as met."""
        return self.tol

    @abstractmethod
    def smallest_sample(self) -> Sample:
        """Make a sample of the fitted model's kind, to ask a rule what does not depend on rows."""

    def objective(self) -> Objective:
        """What the bounds of the fitted model are about."""
        check_is_fitted(self)
        return self.make_rule(self.smallest_sample()).objective

    # -- rows ------------------------------------------------------------------------------------

    def _learn_rows(self, X: Any, y: Any) -> tuple[FeatureRows, Features]:
        """Read rows to learn from; find the names and categories of their features."""
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None"
            )
        if isinstance(X, BinnedMatrix):
            if hasattr(self, "feature_names_in_"):  # of an earlier fit
                del self.feature_names_in_
            features = Features(list(X.names), list(X.categories), X.named)
            self.set_features(features)
            return X, features
        X = self._check_rows(X, reset=True)
        if X.shape[0] == 0:
            raise ValueError(f"X: got 0 rows, expected at least {self.fewest_rows}")
        given = getattr(self, "feature_names_in_", None)
        names = default_names(X.shape[1]) if given is None else list(given)
        table = Table.learn(X, names, self.categorical_columns(names))
        return table, Features(names, table.categories, named=given is not None)

    def categorical_columns(self, names: list[str]) -> list[int] | None:
        """Numbers of the columns that hold categories; None where their types say so."""
        chosen = self.categorical_features
        if isinstance(chosen, str) and chosen == "from_dtype":
            return None
        if chosen is None:
            return []
        columns = []
        for item in np.atleast_1d(chosen).tolist():
            known = names.index(item) if item in names else item
            if (
                isinstance(known, bool)
                or not isinstance(known, int)
                or not (0 <= known < len(names))
            ):
                raise ValueError(
                    f"categorical_features: got {item!r}, expected a column name or a number below "
                    f"{len(names)}"
                )
            columns.append(known)
        return columns

    def _check_rows(self, X: Any, *, reset: bool) -> Any:
        """Shape, names and, for arrays, values; frames are read column by column later."""
        if isinstance(X, BinnedMatrix):
            return X
        check_not_lazy(X)
        if is_frame(X):
            validate_data(self, X=X, reset=reset, skip_check_array=True)
            return X
        if not reset and self._needs_no_check(X):
            return X
        with np.errstate(over="ignore", invalid="ignore"):  # scikit-learn sums values up first
            return validate_data(self, X=read_array(X), reset=reset, **_ARRAY_CHECKS)

    def _needs_no_check(self, X: Any) -> bool:
        """Whether rows are a plain array that scikit-learn would hand back as it is.

        Its own checks of one row take longer than all scores. In doubt, they are made.
        """
        if type(X) is not np.ndarray or X.dtype not in (np.float64, np.float32) or X.ndim != 2:
            return False
        if not len(X) or X.shape[1] != self.n_features_in_ or hasattr(self, "feature_names_in_"):
            return False

        def part(start: int, stop: int) -> float:
            with np.errstate(over="ignore", invalid="ignore"):
                return float(X[start:stop].sum())

        return all(map(math.isfinite, run_rows(part, len(X), resolve_n_jobs(self.n_jobs))))

    def read_rows(self, X: Any) -> FeatureRows:
        """Read rows other than the training rows."""
        check_is_fitted(self)
        return self.model_.read_rows(self._check_rows(X, reset=False))

    def _read_with(self, features: Features, X: Any) -> FeatureRows:
        """Read rows in a fit, when there is no model yet."""
        return features.read(self._check_rows(X, reset=False), type(self).__name__)

    def bin_rows(self, rows: Table, weights: Array) -> BinnedMatrix:
        """Bin rows with these weights by the estimator's settings."""
        uniform = bool((weights == weights[0]).all())
        return BinnedMatrix.from_table(
            rows,
            max_bins=self.max_bins,
            sample_weight=None if uniform else weights,
            n_jobs=self.n_jobs,
        )

    def _sample_parts(
        self,
        rows: FeatureRows,
        weights: Array,
        used: Array,
        oracle: Oracle,
        bins: BinnedMatrix | None = None,
    ) -> dict[str, Any]:
        """Rows, bins, seed and threads of a sample of the rows ``used``."""
        if len(used) < rows.n_rows:
            rows, weights = rows.take(used), weights[used]
        if isinstance(rows, BinnedMatrix):
            bins = rows
        elif bins is None and oracle.needs_bins:
            bins = self.bin_rows(rows, weights)
        threads = resolve_n_jobs(self.n_jobs)
        return {"rows": rows, "bins": bins, "seed": self._seed(), "n_threads": threads}

    def _seed(self) -> int:
        """A fixed seed unless one is asked for: fits repeat, and interrupted ones can go on."""
        state = 0 if self.random_state is None else self.random_state
        return int(check_random_state(state).randint(2**31 - 1))

    # -- the run and the model -------------------------------------------------------------------

    def start_of(self, data: Any) -> Start:
        """How a run on these rows begins: from nothing, unless a subclass says otherwise."""
        return Start()

    def _train(
        self, sample: Sample, oracle: Oracle, rule: Rule, encode: Encoder, start: Start
    ) -> Run:
        """Run the algorithm on a sample."""
        return train(
            sample,
            oracle,
            rule,
            max_rounds=self.max_rounds(sample) + start.rounds,
            tol=self.tolerance(),
            callbacks=[*start.callbacks, *self._make_callbacks(encode)],
        )

    def _make_callbacks(self, encode: Encoder) -> list[Callback]:
        callbacks = list(self.callbacks or ())
        for callback in callbacks:
            callback.prepare(encode)
        return [*callbacks, Progress()] if self.verbose else callbacks

    def _forget(self) -> None:
        """Drop what an earlier fit left."""
        for name in ("model_", "problems_", *self.chosen_names):
            self.__dict__.pop(name, None)

    def _chosen(self) -> dict[str, float]:
        """What fit chose so far."""
        found = vars(self)
        return {name: float(found[name]) for name in self.chosen_names if name in found}

    def restore(self, model: Model) -> Self:
        """Take up a fitted model, such as that of a file; the training rows are not in it."""
        self._forget()
        self.set_features(model.features)
        for name, value in model.chosen.items():
            setattr(self, name, value)
        self.model_ = model
        return self

    def set_features(self, features: Features) -> None:
        """Set scikit-learn's attributes on the features."""
        self.n_features_in_ = len(features)
        if features.named:
            self.feature_names_in_ = np.array(features.names, dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        return tags


_ARRAY_CHECKS: dict[str, Any] = {
    "accept_sparse": ["csr", "csc"],
    "dtype": [np.float64, np.float32],
    "ensure_all_finite": "allow-nan",
}
