"""Estimators that stop early by validation rows, and go on from models."""

from __future__ import annotations

import os
from typing import Any, ClassVar, Self

import numpy as np

from ..core.continuation import rounds_kept
from ..fitting.algorithm import Algorithm
from ..fitting.early_stop import Before, EarlyStop, read_eval_set, with_options
from ..fitting.reduction import ONE_VS_REST
from ..fitting.rows import TrainingRows
from ..model import Model
from ..validation import Constraints, Effects, Number, Where, check_unused
from .classifier import BaseMarginClassifier
from .regressor import BaseBoostRegressor

STAGED_PARAMETERS = """early_stopping : bool or "auto"
        Whether to end the run when validation rows gain no more, and to keep the best round
        (``best_iteration_``). "auto" does so with more than 10,000 rows, or where an ``eval_set``
        is given.
    validation_fraction : float, int or None
        Share or number of rows that early stopping holds back where no ``eval_set`` is given; None
        watches the training rows themselves.
    n_iter_no_change : int
        Rounds without improvement after which early stopping ends the run. Without early stopping
        another number than the default is an error, as is another ``validation_fraction``.
    scoring : str, callable or None
        What is watched: "loss", the mean of the loss that is minimised; a scorer of scikit-learn
        by name, or one of your own, called as ``scorer(model, X, y)``; None is that of ``score``.
        Other than "loss" it needs early stopping or an ``eval_set``.
    warm_start : bool
        Whether a second fit goes on from the model of the first, to ``n_estimators`` rounds in all.
        With the same rows it makes the model that one fit would have made."""

STAGED_ATTRIBUTES = """best_iteration_ : int
        Rounds that the model keeps: the best number of them with early stopping, else all. With
        several problems a list.
    validation_score_ : array
        What was watched, after every round, the larger the better: minus the loss, or the score.
    """


class StagedFit:
    """Settings and attributes of estimators that stop early and go on from models.

    A mixin in front of an estimator, which stores the settings.
    """

    early_stopping: Any
    validation_fraction: Any
    n_iter_no_change: int
    scoring: Any = "loss"
    warm_start: bool
    tol: float | None
    __registry__: ClassVar[Any]
    __constraints__: ClassVar[Constraints] = {
        "early_stopping": (False, True, "auto"),
        "n_iter_no_change": Number(at_least=1, integer=True),
        "warm_start": (False, True),
    }
    __effects__: ClassVar[Effects] = {
        "validation_fraction": Where("early_stopping", (True, "auto")),
        "n_iter_no_change": Where("early_stopping", (True, "auto")),
    }

    def _make_algorithm(self, rule: Any, **more: Any) -> Algorithm:
        """Make an algorithm of this rule, with settings of early stopping."""
        names = ("early_stopping", "validation_fraction", "n_iter_no_change", "scoring")
        own = {name: getattr(self, name) for name in (*names, "tol")}
        early = EarlyStop(**own, quality=more.pop("quality", None))
        early.check()
        return super()._make_algorithm(rule, early=early, **more)  # type: ignore[misc]

    def _with_options(
        self,
        algorithm: Algorithm,
        rows: TrainingRows,
        eval_set: Any = None,
        before: Before = Before(),  # noqa: B008 - a value that never changes
    ) -> TrainingRows:
        """Rows of a fit with validation rows and the model to go on from."""
        validation = None if eval_set is None else read_eval_set(rows, eval_set)
        return with_options(algorithm, rows, validation, before)

    def _before(self, init_model: Any) -> Before:
        """Model that a fit goes on from: one that is given, or with ``warm_start`` its own."""
        fitted = vars(self).get("model_")
        if init_model is None:
            return Before(fitted if self.warm_start else None)
        if isinstance(init_model, str | os.PathLike):
            from ..model.file import load_model  # here, not above: few fits go on from a file

            init_model = load_model(init_model, self.__registry__)
        model = getattr(init_model, "model_", None)
        if not isinstance(model, Model) or type(init_model) is not type(self):
            raise TypeError(
                f"init_model: got {type(init_model).__name__}, expected a fitted "
                f"{type(self).__name__} or the path of its model file"
            )
        return Before(model, adds_rounds=True)

    def _check_watch(self, eval_set: Any) -> None:
        """Raise for settings that have no effect with, or without, an ``eval_set``."""
        if eval_set is None and self.early_stopping is False and self.scoring != "loss":
            raise ValueError(
                f"scoring: got {self.scoring!r}, which has no effect with early_stopping=False and "
                "no eval_set: set early_stopping to True, or give an eval_set"
            )
        if eval_set is not None:
            check_unused(self, "an eval_set", "validation_fraction")

    # -- attributes ------------------------------------------------------------------------------

    @property
    def best_iteration_(self) -> Any:
        """Rounds that the model keeps: the best number of them with early stopping, else all."""
        runs = self._runs("best_iteration_")  # type: ignore[attr-defined]
        rounds = [rounds_kept(run.ensemble, run.history) for run in runs]
        return self._of_runs("best_iteration_", rounds)  # type: ignore[attr-defined]

    @property
    def validation_score_(self) -> Any:
        """What was watched after every round, the larger the better."""
        name = "validation_score_"
        scores = [-run.history["validation"] for run in self._runs(name)]  # type: ignore[attr-defined]
        if any(np.isnan(score).all() for score in scores):
            raise AttributeError(f"no attribute {name!r}: no validation rows were watched")
        return self._of_runs(name, scores)  # type: ignore[attr-defined]


class StagedClassifier(StagedFit, BaseMarginClassifier):
    """A classifier that stops early and goes on from models."""

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        eval_set: Any = None,
        init_model: Any = None,
    ) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array, sparse matrix, data frame or BinnedMatrix
            Rows. NaN is a missing value.
        y : array-like
            Labels of two or more classes.
        sample_weight : array-like, optional
            Nonnegative weights; a weight of 2 means the same as two copies of the row, a weight of
            0 the same as no row.
        eval_set : tuple (X, y) or (X, y, sample_weight), optional
            Validation rows, or a list of one such tuple: ``validation_score_`` is about them, and
            so is early stopping.
        init_model : estimator or path, optional
            Fitted model of the same class, or its file: ``n_estimators`` rounds are added to its
            own. Columns and classes must be the same, rows need not be.

        Returns
        -------
        self
        """
        self._check_watch(eval_set)
        given = {"eval_set": eval_set, "before": self._before(init_model)}
        return self.__fit_reduction__(X, y, sample_weight, ONE_VS_REST, **given)


class StagedRegressor(StagedFit, BaseBoostRegressor):
    """A regressor that stops early and goes on from models."""

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        eval_set: Any = None,
        init_model: Any = None,
    ) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array, sparse matrix, data frame or BinnedMatrix
            Rows. NaN is a missing value.
        y : array-like
            Targets, finite numbers; several columns where several targets are learnt.
        sample_weight : array-like, optional
            Nonnegative weights; a weight of 2 means the same as two copies of the row, a weight of
            0 the same as no row.
        eval_set : tuple (X, y) or (X, y, sample_weight), optional
            Validation rows, or a list of one such tuple: ``validation_score_`` is about them, and
            so is early stopping.
        init_model : estimator or path, optional
            Fitted model of the same class, or its file: ``n_estimators`` rounds are added to its
            own. Columns and classes must be the same, rows need not be.

        Returns
        -------
        self
        """
        self._check_watch(eval_set)
        given = {"eval_set": eval_set, "before": self._before(init_model)}
        return self._fit_targets(X, y, sample_weight, **given)
