"""scikit-learn's contract of all estimators: parameters, rows checked, the fitted model kept."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NamedTuple, TypeVar

import numpy as np
from sklearn.base import BaseEstimator, is_classifier, is_regressor
from sklearn.utils.validation import check_is_fitted, validate_data

from ..core.callbacks import Callback
from ..core.objective import Objective
from ..core.oracle import Oracle
from ..core.parts import Parts
from ..core.rule import Rule
from ..core.run import check_on_parts
from ..core.sample import Sample
from ..data import BinnedMatrix
from ..data.table import check_not_lazy, is_frame, read_array
from ..fitting.algorithm import Algorithm, Settings
from ..fitting.held_back import HeldBack
from ..fitting.problem import problem_on, smallest_problem
from ..fitting.reading import learn_features
from ..fitting.rows import TrainingRows
from ..fitting.runs import Fitted
from ..kernels.parallel import resolve_n_jobs, run_rows
from ..model import Model
from ..model.features import FeatureRows, Features
from ..oracles.stumps import StumpOracle
from ..types import Array
from ..validation import (
    Configurable,
    Constraints,
    Effects,
    Number,
    Where,
    check_effects,
    check_settings,
    is_verbose,
    random_numbers,
)
from .capabilities import check_runs_on_parts
from .fitted import FittedAttributes

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

C = TypeVar("C", bound="type[Any]")


def document(cls: C) -> C:
    """Fill the parameters and attributes that all models of its kind share into a docstring."""
    if cls.__doc__:
        for name, text in cls.__shared_texts__.items():
            cls.__doc__ = cls.__doc__.replace(f"{{{name}}}", text)
    return cls


def reads_bins(estimator: Any) -> bool:
    """Whether this base learner works on binned rows, as those that are the default do."""
    return estimator is None or bool(getattr(estimator, "needs_bins", False))


def offers_several(estimator: Any) -> bool:
    """Whether this base learner may have several hypotheses in a round; stumps do."""
    return estimator is None or not getattr(estimator, "offers_one", True)


SEVERAL = Where("estimator", offers_several)
"""Where settings have an effect that are about a choice among several hypotheses of a round."""


class BaseBooster(FittedAttributes, Configurable):
    """What every estimator of the package shares.

    A subclass stores its parameters in ``__init__`` and says in ``_algorithm`` which algorithm
    they mean. Classifiers and regressors build on it; each kind has a registry of its own.
    """

    __registry__: ClassVar[dict[str, type[Any]]] = {}
    __summary__: ClassVar[dict[str, str]] = {}
    __shared_texts__: ClassVar[dict[str, str]] = {"common": COMMON_PARAMETERS}
    """Texts for docstrings, on parameters and attributes that estimators of a kind share."""
    __fewest_rows__: ClassVar[str] = "1"
    __constraints__: ClassVar[Constraints] = {
        "n_estimators": Number(at_least=1, integer=True),
        "tol": Number(at_least=0.0, optional=True),
        "max_bins": Number(at_least=2, integer=True, optional=True),
    }
    """What parameters may be; constraints of base classes hold too, where a class does not replace
    them."""
    __effects__: ClassVar[Effects] = {"max_bins": Where("estimator", reads_bins)}
    """With which other parameters a parameter has an effect; what base classes say holds too."""
    feature_names_in_: Any
    dual_: Any

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        base = "__registry__" in vars(cls) or cls.__module__.startswith(f"{__package__}.")
        if not base and not cls.__module__.rpartition(".")[2].startswith("_"):
            cls.__registry__[cls.__name__] = cls

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

    # -- what the parameters mean ----------------------------------------------------------------

    @abstractmethod
    def _algorithm(self) -> Algorithm:
        """Make the algorithm that the parameters mean.

        Constraints of the class are checked by then; what else can be checked without rows is
        checked here.
        """

    def __algorithm__(self) -> Algorithm:
        """Check the parameters and make the algorithm; see :func:`algorithm_of`."""
        check_settings(self)
        resolve_n_jobs(self.n_jobs)
        random_numbers(self.random_state)
        callbacks = () if self.callbacks is None else self.callbacks
        if not isinstance(callbacks, Sequence):
            raise TypeError(f"callbacks: got {callbacks!r}, expected a list of Callback objects")
        for callback in callbacks:
            if not isinstance(callback, Callback):
                raise TypeError(f"callbacks: got {callback!r}, expected Callback objects")
        return self._algorithm()

    def _make_algorithm(self, rule: Any, **more: Any) -> Algorithm:
        """Make an algorithm of this rule, with the parameters that all estimators share.

        Parameters
        ----------
        rule : callable
            ``rule(problem, chosen)`` makes the rule of one run.
        more
            Further fields of :class:`~marginboost.fitting.algorithm.Algorithm`; ``oracle`` is the
            base learner that the parameter ``estimator`` names, or else the exact stump.
        """
        more.setdefault("oracle", None)
        if more["oracle"] is None:
            more["oracle"] = self._base_learner()
        shared = {
            "name": type(self).__name__,
            "rounds": self.n_estimators,
            "tol": self.tol,
            "settings": self._settings(),
        }
        return Algorithm(rule=rule, **{**shared, **more})

    def _settings(self) -> Settings:
        """How fits are carried out."""
        callbacks, verbose = tuple(self.callbacks or ()), is_verbose(self.verbose)
        return Settings(self.max_bins, self.n_jobs, self.random_state, callbacks, verbose)

    def _base_learner(self, usual: Callable[[], Oracle] = StumpOracle) -> Oracle:
        """Base learner that the parameter ``estimator`` names; the usual one where it is None."""
        if self.estimator is None:
            return usual()
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

    # -- rows ------------------------------------------------------------------------------------

    def _learn_features(self, X: Any, y: Any) -> tuple[FeatureRows, Features]:
        """Check the rows of a fit; find the names and categories of their features."""
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None"
            )
        names: list[str] | None = None
        if isinstance(X, BinnedMatrix):
            if hasattr(self, "feature_names_in_"):  # of an earlier fit
                del self.feature_names_in_
        else:
            X = self._check_rows(X, reset=True)
            if X.shape[0] == 0:
                raise ValueError(f"X: got 0 rows, expected at least {self.__fewest_rows__}")
            given = getattr(self, "feature_names_in_", None)
            names = None if given is None else list(given)
        rows, features = learn_features(X, names, self.categorical_features)
        if isinstance(X, BinnedMatrix):
            self._set_features(features)
        return rows, features

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

    def __read_rows__(self, X: Any) -> FeatureRows:
        """Read rows other than the training rows."""
        check_is_fitted(self)
        return self.model_.read_rows(self._check_rows(X, reset=False))

    def _read_with(self, features: Features, X: Any) -> FeatureRows:
        """Read rows in a fit, when there is no model yet."""
        return features.read(self._check_rows(X, reset=False), type(self).__name__)

    def _with_options(self, algorithm: Algorithm, rows: TrainingRows) -> TrainingRows:
        """Rows of a fit with what it is given besides them; here nothing is."""
        return rows

    # -- the model -------------------------------------------------------------------------------

    def _keep(self, fitted: Fitted) -> None:
        """Keep what a fit left."""
        self._set_features(fitted.model.features)
        self.model_ = fitted.model
        self.__dict__.update(fitted.attributes)
        if fitted.problems:
            self.problems_ = [self._problem(problem) for problem in fitted.problems]

    def _problem(self, fitted: Fitted) -> Any:
        """Estimator of one of several problems."""
        settings = fitted.algorithm.settings
        problem = self._copy(
            callbacks=list(settings.callbacks) or None, random_state=settings.random_state
        )
        problem.__restore__(fitted.model)
        problem.__dict__.update(fitted.attributes)
        return problem

    def _copy(self, **changed: Any) -> Any:
        """Copy that is not fitted, with some parameters changed."""
        return type(self)(**{**self.get_params(deep=False), **changed})

    def _forget(self) -> None:
        """Drop what an earlier fit left."""
        kept = ("n_features_in_", "feature_names_in_")
        for name in [name for name in vars(self) if name.endswith("_") and name not in kept]:
            delattr(self, name)

    def __restore__(self, model: Model) -> None:
        """Take up a fitted model, such as that of a file; the training rows are not in it."""
        self._forget()
        self._set_features(model.features)
        for name, value in model.chosen.items():
            setattr(self, name, value)
        self.model_ = model
        if model.reduced:
            self.problems_ = []
            for part in model.problems:  # type: ignore[attr-defined]
                problem = self._copy()
                problem.__restore__(part)
                self.problems_.append(problem)

    def _set_features(self, features: Features) -> None:
        """Set scikit-learn's attributes on the features."""
        self.n_features_in_ = len(features)
        if features.named:
            self.feature_names_in_ = np.array(features.names, dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        return tags


def algorithm_of(estimator: Any) -> Algorithm:
    """Check the parameters of an estimator, and make the algorithm that they mean."""
    algorithm: Algorithm = estimator.__algorithm__()
    return algorithm


def algorithm_to_fit(estimator: Any) -> Algorithm:
    """Algorithm of an estimator that is about to be fitted.

    Bad parameters, and parameters without effect, end here, before a row is read. A model file may
    hold parameters without effect, as earlier versions let them pass.
    """
    algorithm = algorithm_of(estimator)
    check_effects(estimator)
    algorithm.oracle.check()
    return algorithm


E = TypeVar("E")


def restored(estimator: E, model: Model) -> E:
    """Give an estimator a fitted model, such as that of a file; the training rows are not in it."""
    estimator.__restore__(model)  # type: ignore[attr-defined]
    return estimator


def objective_of(estimator: Any) -> Objective:
    """What the bounds of a fitted model are about; of several problems the same for all."""
    check_is_fitted(estimator)
    model = estimator.model_
    part = model.problems[0] if model.reduced else model
    algorithm = algorithm_of(estimator)
    return algorithm.rule(smallest_problem(algorithm, part), part.chosen).objective


def fit_parts(
    estimator: E,
    features: Features,
    bins: BinnedMatrix,
    classes: Array | None,
    parts: Parts,
    held: HeldBack | None = None,
) -> E:
    """Fit an estimator to rows in parts.

    Parameters
    ----------
    estimator : estimator
        What to fit; its base learner and rule must run on parts.
    features : Features
        Names and kinds of the columns.
    bins : BinnedMatrix
        Only its cuts are read.
    classes : array or None
        Sorted labels, of which the labels of the parts are positions; None of targets.
    parts : Parts
        Where the rows are.
    held : HeldBack, optional
        Rows that are held back from a second fit, from which probabilities come where scores are
        no log-odds; None takes them from the parts, as bins.
    """
    check_runs_on_parts(estimator)
    estimator.__fit_parts__(features, bins, classes, parts, held)  # type: ignore[attr-defined]
    return estimator


class Check(NamedTuple):
    """What a check of a certificate needs: the rows, the base learner and the rule of a fit."""

    sample: Sample
    oracle: Oracle
    rule: Rule


def check_on(estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> Check:
    """What a fit of a model of two classes, or of targets, to these rows has to solve.

    What the fit chose is as it chose it; labels and weights are those given.
    """
    algorithm, model = algorithm_of(estimator), estimator.model_
    problem = problem_on(algorithm, model, estimator.__read_rows__(X), y, sample_weight)
    return Check(problem.sample, algorithm.oracle, algorithm.rule(problem, model.chosen))


def rule_of(estimator: Any, sample: Sample) -> Rule:
    """Rule of a fitted model for other rows of its kind."""
    algorithm, model = algorithm_of(estimator), estimator.model_
    problem = smallest_problem(algorithm, model)._replace(sample=sample)
    return algorithm.rule(problem, model.chosen)


def algorithm_for_parts(estimator: BaseBooster) -> Algorithm:
    """Algorithm of an estimator that is fitted to rows in parts; raise where it cannot be."""
    algorithm = algorithm_to_fit(estimator)
    check_runs_on_parts(estimator)
    for name, off in (("early_stopping", False), ("warm_start", False), ("scoring", "loss")):
        if getattr(estimator, name, off) != off:
            raise TypeError(
                f"{name}: got {getattr(estimator, name)!r}, expected {off!r} on rows in parts; the "
                "callbacks EarlyStopping and Checkpoint can be used there"
            )
    check_on_parts(algorithm.oracle)
    return algorithm


_ARRAY_CHECKS: dict[str, Any] = {
    "accept_sparse": ["csr", "csc"],
    "dtype": [np.float64, np.float32],
    "ensure_all_finite": "allow-nan",
}
