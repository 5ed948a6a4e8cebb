"""Fits that watch other rows round by round, end when these gain no more, or go on from a model."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np

from ..core.callbacks import Callback
from ..core.continuation import Continuation, rounds_kept
from ..core.rule import Rule
from ..model import FittedRun, Model
from ..model.features import FeatureRows, Features
from ..types import Array
from ..validation import Constraints, Number, check_number, is_among, random_numbers
from .classifier import BaseMarginClassifier
from .inputs import known_positions, read_labels, read_weights
from .multiclass import ONE_VS_REST
from .regressor import BaseBoostRegressor
from .training_set import Extras, FitData, Given, Start, TargetSet, TrainingSet, Watched
from .watching import ClassifierStage, Judge, RegressorStage, ValidationWatch, scorer_of

MANY_ROWS = 10_000
"""Rows above which ``early_stopping="auto"`` is on, as in scikit-learn."""
LEAST_GAIN = 1e-7
"""Improvement that counts where ``tol`` is None, as in scikit-learn."""

STAGED_PARAMETERS = """early_stopping : bool or "auto"
        Whether to end the run when validation rows gain no more, and to keep the best round
        (``best_iteration_``). "auto" does so with more than 10,000 rows, or where an ``eval_set``
        is given.
    validation_fraction : float, int or None
        Share or number of rows that early stopping holds back where no ``eval_set`` is given; None
        watches the training rows themselves.
    n_iter_no_change : int
        Rounds without improvement after which early stopping ends the run.
    scoring : str, callable or None
        What is watched: "loss", the mean of the loss that is minimised; a scorer of scikit-learn
        by name, or one of your own, called as ``scorer(model, X, y)``; None is that of ``score``.
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
    """Settings, fits and attributes of estimators that stop early and go on from models.

    A mixin in front of an estimator, which stores the settings.
    """

    early_stopping: Any
    validation_fraction: Any
    n_iter_no_change: int
    scoring: Any = "loss"
    warm_start: bool
    tol: float | None
    random_state: Any
    n_estimators: Any
    registry: ClassVar[Any]
    parameter_constraints: ClassVar[Constraints] = {
        "early_stopping": (False, True, "auto"),
        "n_iter_no_change": Number(at_least=1, integer=True),
        "warm_start": (False, True),
    }

    def check_parameters(self) -> None:
        """Check the settings."""
        super().check_parameters()  # type: ignore[misc]
        if isinstance(self.validation_fraction, float):
            check_number("validation_fraction", self.validation_fraction, above=0.0, below=1.0)
        elif self.validation_fraction is not None:
            check_number("validation_fraction", self.validation_fraction, at_least=1, integer=True)
        if not is_among(self.scoring, (None, "loss")) and not callable(self.scoring):
            scorer_of(self.scoring)

    def tolerance(self) -> float | None:
        """Gap at which bounds count as met; with early stopping ``tol`` is about that."""
        return self.tol if self.early_stopping is False else None

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
            Labels of two or more classes; of a regressor targets, finite numbers.
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
        return self.fit_with(X, y, sample_weight, self.given(eval_set, init_model))

    def fit_with(self, X: Any, y: Any, sample_weight: Any, given: Given) -> Self:
        """Fit the model, with what else is given."""
        raise NotImplementedError

    # -- before the run --------------------------------------------------------------------------

    def given(self, eval_set: Any, init_model: Any) -> Given:
        """What a fit is given, and the model it goes on from; before the last one is dropped."""
        fitted = vars(self).get("model_")
        if init_model is None:
            return Given(eval_set, fitted if self.warm_start else None)
        if isinstance(init_model, str | os.PathLike):
            from ..model.file import load_model  # here, not above: few fits go on from a file

            init_model = load_model(init_model, self.registry)
        model = getattr(init_model, "model_", None)
        if not isinstance(model, Model) or type(init_model) is not type(self):
            raise TypeError(
                f"init_model: got {type(init_model).__name__}, expected a fitted "
                f"{type(self).__name__} or the path of its model file"
            )
        return Given(eval_set, model, more=True)

    def extend(self, data: Any, given: Given) -> Any:
        """Put validation rows and the model to go on from with the rows of a fit."""
        extras = Extras(before=self._runs_before(data, given), more=given.more)
        stops = self.early_stopping
        if stops == "auto":
            stops = given.eval_set is not None or data.rows.n_rows > MANY_ROWS
        if given.eval_set is not None:
            watched: Watched | None = self.read_eval_set(data, given)
            return replace(data, extras=replace(extras, watched=watched, stops=stops))
        if not stops:
            return replace(data, extras=extras)
        held, weights = self._held_back(data), data.weights
        watched = self.watch_rows(data, held)
        if self.validation_fraction is not None:  # rows without weight are not learnt from
            weights = weights.copy()
            weights[held] = 0.0
        extras = replace(extras, watched=watched, stops=True)
        return replace(data, weights=weights, extras=extras)

    def _held_back(self, data: FitData) -> Array:
        """Rows that early stopping judges by, in ascending order."""
        present = np.flatnonzero(data.weights > 0)
        if self.validation_fraction is None:
            return present
        share = self.validation_fraction
        share = share if isinstance(share, float) else share / len(present)
        held = draw_held_back(data.strata[present], share, self.held_back_seed())
        return present[held]

    def held_back_seed(self) -> int:
        """Seed by which rows are held back; the same for every fit with the same settings."""
        state = 0 if self.random_state is None else self.random_state
        return int(random_numbers(state).randint(2**31 - 1))

    def watch_rows(self, data: Any, held: Array) -> Watched:
        """Make some rows of a fit validation rows."""
        return Watched(data.rows.take(held), data.truth[held], data.weights[held])

    def read_eval_set(self, data: Any, given: Given) -> Watched:
        """Validation rows as a caller gives them: (X, y), (X, y, weights), or a list of one."""
        eval_set = given.eval_set
        if isinstance(eval_set, list) and len(eval_set) == 1:
            eval_set = eval_set[0]
        if not isinstance(eval_set, tuple) or len(eval_set) not in (2, 3):
            raise TypeError(
                f"eval_set: got {_kind(eval_set)}, expected a pair (X, y) or (X, y, weights), "
                "or a list of one such pair"
            )
        rows, truth = self.read_truth(data, *eval_set[:2])
        weights = read_weights(eval_set[2] if len(eval_set) == 3 else None, rows.n_rows)
        return Watched(rows, truth, weights)

    def read_truth(self, data: Any, X: Any, y: Any) -> tuple[FeatureRows, Array]:
        """Other rows, and what is right for them, in the terms of the rows of a fit."""
        raise NotImplementedError

    def _runs_before(self, data: FitData, given: Given) -> tuple[FittedRun, ...]:
        """Runs to go on from, if their model suits these rows."""
        model = given.before
        if model is None:
            return ()
        check_same_features(model.features, data.features)
        if not np.array_equal(getattr(model, "classes", []), getattr(data, "classes", [])):
            raise ValueError("y: got other classes than those of the model to go on from")
        if not hasattr(model, "classes") and len(model.runs) != np.size(data.truth[:1]):
            raise ValueError(
                f"y: got {np.size(data.truth[:1])} targets, expected {len(model.runs)}, as in the "
                "model to go on from"
            )
        rounds = max(rounds_kept(run.ensemble, run.history) for run in model.runs)
        if not given.more and self.n_estimators < rounds:
            raise ValueError(
                f"n_estimators: got {self.n_estimators}, expected at least the {rounds} rounds of "
                "the model that warm_start goes on from"
            )
        return model.runs

    # -- the run ---------------------------------------------------------------------------------

    def start_of(self, data: Any) -> Start:
        """How a run on these rows begins."""
        extras: Extras = data.extras
        callbacks: list[Callback] = []
        rounds = 0
        if extras.before:
            run = extras.before[0]
            begin = Continuation(run.ensemble, run.history)
            rounds = begin.rounds if extras.more else 0
            callbacks.append(begin)
        if extras.watched is not None:
            rows, truth = extras.watched.rows, extras.watched.truth
            patience = self.n_iter_no_change if extras.stops else None
            dense = rows.dense(0, rows.n_rows)
            judge = self._judge(data, extras.watched, dense)
            tol = LEAST_GAIN if self.tol is None else self.tol
            callbacks.append(ValidationWatch(dense, truth, judge, patience, tol))
        return Start(tuple(callbacks), rounds)

    def _judge(self, data: Any, watched: Watched, dense: Array) -> Judge:
        """Make the function that is watched."""
        truth, weights = watched.truth, watched.weights
        if self.scoring == "loss":

            def mean_loss(rule: Rule, scores: Array, l1_norm: float) -> float:
                found = rule.mean_loss(truth, scores, weights)
                assert found is not None
                return found

            return mean_loss

        uniform = bool((weights == weights[0]).all())
        more = {} if uniform else {"sample_weight": weights}
        scorer, y = scorer_of(self.scoring), self.stage_truth(data, truth)

        def minus_score(rule: Rule, scores: Array, l1_norm: float) -> float:
            return -float(scorer(self.stage(data, scores, l1_norm), dense, y, **more))

        return minus_score

    def stage_truth(self, data: Any, truth: Array) -> Array:
        """Labels or targets of validation rows, as scorers know them."""
        return truth

    def stage(self, data: Any, scores: Array, l1_norm: float) -> Any:
        """Make a model that has these scores of the validation rows."""
        raise NotImplementedError

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

    def fit_with(self, X: Any, y: Any, sample_weight: Any, given: Given) -> Self:
        """Fit the model, with what else is given."""
        return self.fit_reduction(X, y, sample_weight, ONE_VS_REST, given)

    def read_truth(self, data: TrainingSet, X: Any, y: Any) -> tuple[FeatureRows, Array]:
        """Other rows, and the positions of their classes."""
        rows = self._read_with(data.features, X)
        return rows, known_positions(data.classes, read_labels(y, rows.n_rows))

    def stage_truth(self, data: TrainingSet, truth: Array) -> Array:
        """Labels of rows that the rule knows as -1 and 1."""
        own = truth.argmax(axis=1) if truth.ndim == 2 else (truth > 0).astype(int)
        return data.classes[own]

    def stage(self, data: TrainingSet, scores: Array, l1_norm: float) -> ClassifierStage:
        """Make a classifier that has these scores."""
        return ClassifierStage(data.classes, self.make_link()(scores, l1_norm))


class StagedRegressor(StagedFit, BaseBoostRegressor):
    """A regressor that stops early and goes on from models."""

    def fit_with(self, X: Any, y: Any, sample_weight: Any, given: Given) -> Self:
        """Fit the model, with what else is given."""
        return self.fit_targets(X, y, sample_weight, given)

    def read_truth(self, data: TargetSet, X: Any, y: Any) -> tuple[FeatureRows, Array]:
        """Other rows and their targets."""
        rows = self._read_with(data.features, X)
        return rows, self.read_y(y, rows.n_rows)

    def respond(self, scores: Array) -> Array:
        """From scores to predictions."""
        return scores

    def stage(self, data: TargetSet, scores: Array, l1_norm: float) -> RegressorStage:
        """Make a regressor that has these scores."""
        return RegressorStage(self.respond(scores))


def draw_held_back(strata: Array, share: float, seed: int) -> Array:
    """Positions of a share of the rows of each stratum, in ascending order; one row at least.

    Every stratum keeps a row to learn from.

    >>> draw_held_back(np.array([0, 0, 0, 0, 1]), 0.4, 0).tolist()
    [0, 3]
    """
    rng, drawn = np.random.default_rng([seed, len(strata)]), []
    sizes = np.unique(strata, return_counts=True)
    largest = int(np.argmax(sizes[1]))
    for k, (stratum, size) in enumerate(zip(*sizes, strict=True)):
        number = max(round(share * size), 1 if k == largest else 0)
        mine = rng.permutation(np.flatnonzero(strata == stratum))
        drawn.append(mine[: min(number, size - 1)])
    held = np.sort(np.concatenate(drawn))
    if not len(held):
        raise ValueError(
            f"validation_fraction: {len(strata)} rows leave none to hold back; expected more rows, "
            "an eval_set, or early_stopping=False"
        )
    return held


def check_same_features(known: Features, found: Features) -> None:
    """Raise where a model was fitted on other columns than the rows of a fit have."""
    if list(known.names) != list(found.names):
        raise ValueError(
            "X: got other columns than those of the model to go on from: "
            f"{list(found.names)[:5]}, expected {list(known.names)[:5]}"
        )
    for name, old, new in zip(known.names, known.categories, found.categories, strict=True):
        if _listed(old) != _listed(new):
            raise ValueError(
                f"X: column {name!r} has other categories than in the model to go on from"
            )


def _kind(value: Any) -> str:
    """Type of a value, and of a list its length."""
    name = type(value).__name__
    return f"a {name} of {len(value)}" if isinstance(value, list | tuple) else name


def _listed(categories: Array | None) -> list[Any] | None:
    return None if categories is None else categories.tolist()
