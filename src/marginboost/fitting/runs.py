"""Runs of an algorithm on the rows of a fit, and the models that they make."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..core.labels import LabelByLabel, LabelSample
from ..core.run import Run, train
from ..model import (
    BinaryModel,
    FittedRun,
    LabelModel,
    Model,
    ReducedModel,
    RegressionModel,
    TargetsModel,
    multiclass_margins,
)
from ..types import Array
from .algorithm import Algorithm, Outcome
from .early_stop import begin
from .problem import Problem, binned, one_target, two_sides
from .reduction import Reduction
from .rows import TrainingRows

PLUS_MINUS = np.array([-1, 1])
"""Labels of a problem of two sides."""


@dataclass(frozen=True)
class Fitted:
    """What a fit leaves.

    Attributes
    ----------
    algorithm : Algorithm
        What was run.
    model : Model
        The model.
    dual : array, list or None
        Last weights of all rows, signed; of several problems a list; None of rows in parts.
    margins : array or None
        Margins of all rows; None of targets and of rows in parts.
    facts : mapping
        Further fitted attributes by name.
    problems : tuple of Fitted
        Of a model that is made of several runs: one for each.
    """

    algorithm: Algorithm
    model: Model
    dual: Any = None
    margins: Array | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)
    problems: tuple[Fitted, ...] = ()

    @property
    def attributes(self) -> dict[str, Any]:
        """Fitted attributes of the estimator, besides its model."""
        own = {"dual_": self.dual, "margins_": self.margins}
        return {**self.facts, **{name: value for name, value in own.items() if value is not None}}


def fit_run(algorithm: Algorithm, problem: Problem, rows: TrainingRows) -> Fitted:
    """Choose what the parameters leave open, run the algorithm, keep the model."""
    choice = algorithm.choose(problem, algorithm.oracle)
    rule = algorithm.rule(problem, choice.numbers)
    own, more = begin(algorithm, problem)
    run = train(
        problem.sample,
        algorithm.oracle,
        rule,
        max_rounds=algorithm.most_rounds(problem.sample) + more,
        tol=algorithm.gap,
        callbacks=[*own, *algorithm.settings.callbacks_for(problem.encode)],
    )
    run = algorithm.conclude(run)
    model = _model_of(algorithm, run, problem, rows)
    dual, margins = None, None
    if rows.parts is None:
        dual, margins = _on_all_rows(algorithm, run, problem, rows, model)
    facts = algorithm.facts(Outcome(run, rule, problem, choice.numbers, margins))
    facts = {**choice.numbers, **choice.facts, **facts}
    model = replace(model, chosen=algorithm.kept(facts))
    return Fitted(algorithm, model, dual, margins, facts)


def _model_of(algorithm: Algorithm, run: Run, problem: Problem, rows: TrainingRows) -> Model:
    """Model of one run."""
    name, features, kept = algorithm.name, rows.features, FittedRun.of(run)
    if problem.classes is None:
        return RegressionModel(name, features, kept)
    kind = BinaryModel if algorithm.label_rows is None else LabelModel
    assert algorithm.link is not None
    return kind(
        name=name, features=features, classes=problem.classes, run=kept, link=algorithm.link
    )


def _on_all_rows(
    algorithm: Algorithm, run: Run, problem: Problem, rows: TrainingRows, model: Model
) -> tuple[Array, Array | None]:
    """Last weights and margins of all rows of the table, those that were left out too."""
    sample, used, n_jobs = problem.sample, problem.used, algorithm.settings.n_jobs
    if isinstance(model, RegressionModel):
        dual = np.zeros(problem.n_rows)
        dual[used] = run.dual
        return dual, None
    if isinstance(model, LabelModel):
        assert isinstance(sample, LabelSample)
        dual = np.zeros((problem.n_rows, len(model.classes)))
        dual[used] = sample.label_weights(run.dual)
        if isinstance(sample, LabelByLabel) and problem.has_all:
            scores = sample.label_weights(run.scores)
        else:
            scores = model.scores(rows.rows, n_jobs)
        return dual, multiclass_margins(model.class_votes(scores), problem.signs)
    if problem.has_all:
        return run.dual, run.margins
    assert isinstance(model, BinaryModel)
    dual = np.zeros(problem.n_rows)
    dual[used] = run.dual
    return dual, problem.signs * model.votes(rows.rows, n_jobs)


# -- models that are made of several runs ----------------------------------------------------------


def fit_code(algorithm: Algorithm, rows: TrainingRows, reduction: Reduction) -> Fitted:
    """Learn more than two classes by a problem of two sides for each column of a code."""
    _refuse_checkpoints(
        algorithm,
        "more than two classes, where each problem is a run (SAMMEClassifier, "
        "AdaBoostM1Classifier, AdaBoostM2Classifier, AdaBoostMHClassifier and "
        "SoftmaxBoostClassifier make one run of all classes)",
    )
    random, problems = algorithm.settings.random, []
    code = reduction.make_code(len(rows.labels), int(random.randint(2**31 - 1)))
    rows = binned(algorithm, rows)
    for k, sides in enumerate(code.T):
        own = _of_problem(algorithm, random_state=int(random.randint(2**31 - 1)))
        part = replace(rows, options=rows.options.of_problem(k))
        problems.append(fit_run(own, two_sides(own, part, sides, PLUS_MINUS), part))
    models = tuple(problem.model for problem in problems)
    model = ReducedModel(
        name=algorithm.name,
        features=rows.features,
        classes=rows.labels,
        code=code,
        decoding=reduction.decoding,
        problems=models,  # type: ignore[arg-type]
        common_scale=algorithm.common_scale,
    )
    if rows.parts is not None:
        return Fitted(algorithm, model, problems=tuple(problems))
    margins = model.margins(rows.rows, rows.truth, algorithm.settings.n_jobs)
    duals = [problem.dual for problem in problems]
    return Fitted(algorithm, model, duals, margins, problems=tuple(problems))


def fit_targets(algorithm: Algorithm, rows: TrainingRows) -> Fitted:
    """Learn several targets, each by itself, on the same bins.

    Outputs share nothing but the rows: one tree per target and round, as XGBoost grows them by
    default. A joint tree would have to cut where all targets agree, and could have but one best
    round; so each target has the model, early stopping and bounds that a fit of it alone would
    have, bit for bit.
    """
    _refuse_checkpoints(algorithm, "several targets, where each has a run of its own")
    rows, problems = binned(algorithm, rows), []
    for k in range(rows.truth.shape[1]):
        own, part = _of_problem(algorithm), rows.of_target(k)
        problems.append(fit_run(own, one_target(own, part), part))
    models = tuple(problem.model for problem in problems)
    model = TargetsModel(algorithm.name, rows.features, models)  # type: ignore[arg-type]
    dual = np.column_stack([problem.dual for problem in problems])
    return Fitted(algorithm, model, dual, problems=tuple(problems))


def _of_problem(algorithm: Algorithm, **changed: Any) -> Algorithm:
    """Algorithm of one of several problems, with callbacks of its own."""
    copies = tuple(copy.copy(callback) for callback in algorithm.settings.callbacks)
    return algorithm.with_settings(callbacks=copies, **changed)


def _refuse_checkpoints(algorithm: Algorithm, where: str) -> None:
    """Raise for a checkpoint of a fit that makes several runs: it keeps one."""
    if any(callback.saves_state for callback in algorithm.settings.callbacks):
        raise ValueError(
            f"callbacks: got a Checkpoint, which keeps one run; expected none with {where}"
        )
