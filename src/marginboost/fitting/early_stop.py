"""Early stopping and warm start: runs that watch validation rows, or go on from a model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..core.callbacks import Callback
from ..core.continuation import Continuation, rounds_kept
from ..core.rule import Rule
from ..model import FittedRun, Model
from ..model.features import Features
from ..types import Array
from ..validation import check_number, is_among
from .inputs import read_weights
from .rows import Options, TrainingRows, ValidationRows
from .watching import ClassifierStage, Judge, RegressorStage, ValidationWatch, scorer_of

if TYPE_CHECKING:
    from .algorithm import Algorithm
    from .problem import Problem

MANY_ROWS = 10_000
"""Rows above which ``early_stopping="auto"`` is on, as in scikit-learn."""
LEAST_GAIN = 1e-7
"""Improvement that counts where ``tol`` is None, as in scikit-learn."""


@dataclass(frozen=True)
class EarlyStop:
    """Settings of early stopping, by the names of the parameters.

    Attributes
    ----------
    early_stopping : bool or "auto"
        Whether validation rows end the run.
    validation_fraction : float, int or None
        Share or number of rows that are held back; None watches the training rows.
    n_iter_no_change : int
        Rounds without improvement that end the run.
    scoring : str, callable or None
        What is watched.
    tol : float or None
        Least improvement that counts.
    quality : callable or None
        Of rankers: ``quality(relevances, queries)`` makes the function that scores an order.
    """

    early_stopping: Any = False
    validation_fraction: Any = 0.1
    n_iter_no_change: int = 10
    scoring: Any = "loss"
    tol: float | None = None
    quality: Callable[[Array, Array], Callable[[Array], float]] | None = None

    def check(self) -> None:
        """Raise for bad settings that the table of constraints does not name."""
        if isinstance(self.validation_fraction, float):
            check_number("validation_fraction", self.validation_fraction, above=0.0, below=1.0)
        elif self.validation_fraction is not None:
            check_number("validation_fraction", self.validation_fraction, at_least=1, integer=True)
        if not is_among(self.scoring, (None, "loss")) and not callable(self.scoring):
            scorer_of(self.scoring)

    def stops(self, n_rows: int, has_validation: bool) -> bool:
        """Whether a fit to so many rows stops early."""
        if self.early_stopping == "auto":
            return has_validation or n_rows > MANY_ROWS
        return bool(self.early_stopping)


class Before(NamedTuple):
    """Model that a fit goes on from, and whether all rounds come on top of its own."""

    model: Model | None = None
    adds_rounds: bool = False


# -- before the run --------------------------------------------------------------------------------


def with_options(
    algorithm: Algorithm,
    rows: TrainingRows,
    validation: ValidationRows | None,
    before: Before,
) -> TrainingRows:
    """Rows of a fit with validation rows and runs to go on from; held-back rows get weight 0."""
    early = algorithm.early
    assert early is not None
    options = Options(before=_runs_before(algorithm, rows, before), adds_rounds=before.adds_rounds)
    stops = early.stops(rows.rows.n_rows, validation is not None)
    if validation is not None:
        return replace(rows, options=replace(options, validation=validation, stops=stops))
    if not stops:
        return replace(rows, options=options)
    held, weights = _held_back(early, rows, algorithm.settings.seed), rows.weights
    queries = None if rows.queries is None else rows.queries[held]
    taken = rows.rows.take(held)
    validation = ValidationRows(taken, rows.truth[held], rows.weights[held], queries)
    if early.validation_fraction is not None:  # rows without weight are not learnt from
        weights = weights.copy()
        weights[held] = 0.0
    options = replace(options, validation=validation, stops=True)
    return replace(rows, weights=weights, options=options)


def read_eval_set(rows: TrainingRows, eval_set: Any) -> ValidationRows:
    """Validation rows as a caller gives them: (X, y), (X, y, weights), or a list of one."""
    if isinstance(eval_set, list) and len(eval_set) == 1:
        eval_set = eval_set[0]
    if not isinstance(eval_set, tuple) or len(eval_set) not in (2, 3):
        raise TypeError(
            f"eval_set: got {_kind(eval_set)}, expected a pair (X, y) or (X, y, weights), "
            "or a list of one such pair"
        )
    found, truth = rows.read_more(*eval_set[:2])
    weights = read_weights(eval_set[2] if len(eval_set) == 3 else None, found.n_rows)
    return ValidationRows(found, truth, weights)


def _held_back(early: EarlyStop, rows: TrainingRows, seed: Callable[[], int]) -> Array:
    """Rows that early stopping judges by, in ascending order; of queries, whole ones."""
    present = rows.present
    if early.validation_fraction is None:
        return present
    share = early.validation_fraction
    if rows.queries is None:
        share = share if isinstance(share, float) else share / len(present)
        return present[draw_held_back(rows.strata[present], share, seed())]
    names, numbers = np.unique(rows.queries[present], return_inverse=True)
    if len(names) < 2:
        raise ValueError(
            "validation_fraction: got rows of one query, expected two queries or more, an "
            "eval_set, or early_stopping=False"
        )
    share = share if isinstance(share, float) else share / len(names)
    held = draw_held_back(np.zeros(len(names)), share, seed())
    return present[np.isin(numbers, held)]


def _runs_before(algorithm: Algorithm, rows: TrainingRows, before: Before) -> tuple[FittedRun, ...]:
    """Runs to go on from, if their model suits these rows."""
    model = before.model
    if model is None:
        return ()
    check_same_features(model.features, rows.features)
    known = () if rows.classes is None else rows.classes
    if not np.array_equal(getattr(model, "classes", ()), known):
        raise ValueError("y: got other classes than those of the model to go on from")
    if not hasattr(model, "classes") and len(model.runs) != np.size(rows.truth[:1]):
        raise ValueError(
            f"y: got {np.size(rows.truth[:1])} targets, expected {len(model.runs)}, as in the "
            "model to go on from"
        )
    rounds = max(rounds_kept(run.ensemble, run.history) for run in model.runs)
    if not before.adds_rounds and not callable(algorithm.rounds) and algorithm.rounds < rounds:
        raise ValueError(
            f"n_estimators: got {algorithm.rounds}, expected at least the {rounds} rounds of "
            "the model that warm_start goes on from"
        )
    return model.runs


# -- the run ---------------------------------------------------------------------------------------


def begin(algorithm: Algorithm, problem: Problem) -> tuple[list[Callback], int]:
    """Callbacks of early stopping and warm start for one run, and rounds on top of the others."""
    options, callbacks, rounds = problem.options, list[Callback](), 0
    if options.before:
        run = options.before[0]
        start = Continuation(run.ensemble, run.history)
        rounds = start.rounds if options.adds_rounds else 0
        callbacks.append(start)
    if options.validation is not None:
        early = algorithm.early
        assert early is not None
        watched = options.validation
        patience = early.n_iter_no_change if options.stops else None
        dense = watched.rows.dense(0, watched.rows.n_rows)
        judge = _judge(algorithm, problem, dense)
        tol = LEAST_GAIN if early.tol is None else early.tol
        callbacks.append(ValidationWatch(dense, watched.truth, judge, patience, tol))
    return callbacks, rounds


def _judge(algorithm: Algorithm, problem: Problem, dense: Array) -> Judge:
    """Make the function that is watched: the smaller, the better."""
    early, watched = algorithm.early, problem.options.validation
    assert early is not None
    assert watched is not None
    if early.quality is not None:
        assert watched.queries is not None
        quality = early.quality(watched.truth, watched.queries)
        return lambda rule, scores, l1_norm: -quality(scores)
    truth, weights = watched.truth, watched.weights
    if early.scoring == "loss":

        def mean_loss(rule: Rule, scores: Array, l1_norm: float) -> float:
            found = rule.mean_loss(truth, scores, weights)
            assert found is not None
            return found

        return mean_loss

    uniform = bool((weights == weights[0]).all())
    more = {} if uniform else {"sample_weight": weights}
    scorer, y = scorer_of(early.scoring), _as_scorers_know_it(problem, truth)

    def minus_score(rule: Rule, scores: Array, l1_norm: float) -> float:
        stage = _stage(algorithm, problem, scores, l1_norm)
        return -float(scorer(stage, dense, y, **more))

    return minus_score


def _as_scorers_know_it(problem: Problem, truth: Array) -> Array:
    """Labels, or targets, of validation rows."""
    if problem.classes is None:
        return truth
    own = truth.argmax(axis=1) if truth.ndim == 2 else (truth > 0).astype(int)
    return problem.classes[own]


def _stage(algorithm: Algorithm, problem: Problem, scores: Array, l1_norm: float) -> Any:
    """Model that has these scores of the validation rows."""
    if problem.classes is None:
        return RegressorStage(scores if algorithm.respond is None else algorithm.respond(scores))
    assert algorithm.link is not None
    return ClassifierStage(problem.classes, algorithm.link(scores, l1_norm))


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
