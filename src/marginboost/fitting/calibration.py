"""Probabilities of a model whose scores are no log-odds: a second, smaller fit, and a sigmoid.

Votes on the rows of a fit look better than they are. So a second fit with the same settings and
choices learns from some rows held back, and its votes on others give the slope of the sigmoid
(:mod:`.sigmoid`); its offsets come from the votes of the first fit on all rows.

Of rows in parts those held back, fifteen thousand and copies of them, come to one place, where the
second fit is that of a table in memory. Of all others only exact sums leave their places. So the
link is the same, bit for bit, however the rows are divided.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ..core.parts import Part, Parts, Source, lays_out
from ..core.run import train
from ..data import BinnedMatrix
from ..kernels.exact import rounded
from ..kernels.parallel import resolve_n_jobs
from ..model import BinaryModel, ClassModel, FittedRun, ReducedModel, SigmoidLink
from ..types import Array
from .algorithm import Algorithm
from .held_back import (
    Borders,
    HeldBack,
    KeyedRows,
    add_weights,
    count_rows,
    divide,
    find_borders,
    fingerprints,
    held_back,
)
from .places import Ask, in_one_place
from .problem import Problem, binned, two_sides
from .rows import SIGNS, TrainingRows
from .runs import PLUS_MINUS, Fitted
from .sigmoid import ANY_GAP, LEAST_GAP, VotedRows, fit_sigmoid, sigmoid_of

Taken = tuple[Array, Array, Array, Array]
"""Codes, classes and weights of rows that are held back, and which of them judge."""


def calibrate(fitted: Fitted, rows: TrainingRows) -> ClassModel:
    """Model with a sigmoid that was fitted to votes, on rows held back where there are enough."""
    model = fitted.model
    assert isinstance(model, BinaryModel | ReducedModel)
    return replace(model, link=_fit_link(fitted, model, rows))


def _fit_link(fitted: Fitted, model: ClassModel, rows: TrainingRows) -> SigmoidLink:
    """Compare votes with classes, if possible on rows held back from a smaller fit."""
    n_jobs = fitted.algorithm.settings.n_jobs
    ask, held = _votes_to_compare(rows, model, n_jobs)
    smaller = _fit_smaller(fitted, rows, held) if len(held.labels) else None
    if smaller is None:
        return sigmoid_of(ask)
    unseen = smaller.votes(held.rows.take(held.judges), n_jobs)
    link = fit_sigmoid(unseen, held.labels[held.judge], held.weights[held.judge])
    return sigmoid_of(ask, link.slope)


def _votes_to_compare(
    rows: TrainingRows, model: ClassModel, n_jobs: int | None
) -> tuple[Ask, HeldBack]:
    """Votes of a model on all rows that count, and the rows held back."""
    if rows.parts is not None:
        assert isinstance(rows.rows, BinnedMatrix)
        held = rows.held or _held_back_of(rows.parts, rows.rows, len(rows.labels))
        return _ask_votes_of(rows.parts, model), held
    n_threads, present = resolve_n_jobs(n_jobs), rows.weights > 0
    votes = model.votes(rows.rows, n_jobs)[present]
    voted = VotedRows(votes, rows.truth[present], rows.weights[present], n_threads)
    return in_one_place(voted), held_back(rows.rows, rows.truth, rows.weights, n_threads)


# -- the second fit --------------------------------------------------------------------------------


def _fit_smaller(fitted: Fitted, rows: TrainingRows, held: HeldBack) -> ClassModel | None:
    """Model of some rows, in all else like the model of all rows; None where they are too few."""
    algorithm, model, learners = fitted.algorithm, fitted.model, held.learners
    part = replace(
        rows,
        rows=held.rows.take(learners),
        codes=held.labels[learners],
        weights=held.learning_weights(),
        parts=None,
        bins=None,
    )
    part = binned(algorithm, part)
    try:
        if isinstance(model, BinaryModel):
            problem = two_sides(algorithm, part, SIGNS, part.labels)
            return _fit_again(algorithm, problem, model, held)
        assert isinstance(model, ReducedModel)
        problems = []
        for first, sides in zip(fitted.problems, model.code.T, strict=True):
            own, before = first.algorithm, first.model
            assert isinstance(before, BinaryModel)
            problem = two_sides(own, part, sides, PLUS_MINUS)
            problems.append(_fit_again(own, problem, before, held))
        return replace(model, problems=tuple(problems))
    except ValueError:  # a ν that so few rows do not allow
        return None


def _fit_again(
    algorithm: Algorithm, problem: Problem, before: BinaryModel, held: HeldBack
) -> BinaryModel:
    """Fit rows held back with what the first fit chose, for as many rounds."""
    if held.numbers is not None:  # settings row by row are about the rows of the table
        own = held.numbers[held.learners][problem.used]
        problem = problem._replace(used=own, n_rows=held.n_table)
    rule = algorithm.rule(problem, before.chosen)
    # A run that began with many hypotheses had few rounds.
    n_rounds, size = len(before.run.history), len(before.run.ensemble)
    found = -(-size // rule.columns_per_round)
    rounds, tol = max(1, n_rounds, found), algorithm.gap
    if rule.begin_like(held.n_rows, found > n_rounds, problem.sample):
        rounds, tol = 1, ANY_GAP
    tol = None if tol is None else max(tol, LEAST_GAP)
    run = train(problem.sample, algorithm.oracle, rule, max_rounds=rounds, tol=tol)
    return replace(before, run=FittedRun.of(algorithm.conclude(run)))


# -- rows in parts ---------------------------------------------------------------------------------


def _ask_votes_of(parts: Parts, model: ClassModel) -> Ask:
    """Ask about the votes of a model and the classes of the rows of all parts."""
    parts.tell(keep_votes, model)

    def ask(question: Callable[..., Any], *args: Any) -> list[Any]:
        return parts.each(ask_voted, question, *args)

    return ask


@lays_out
def keep_votes(part: Part, model: ClassModel) -> None:
    """Have the votes of a model ready."""
    source = _source(part)
    votes = model.votes(source.bins, source.n_threads)
    part.voted = VotedRows(votes, source.labels, source.weights, source.n_threads)


def ask_voted(part: Part, question: Callable[..., Any], *args: Any) -> Any:
    """Put a question that is about votes and classes."""
    return question(part.voted, *args)


def _held_back_of(parts: Parts, layout: BinnedMatrix, n_classes: int) -> HeldBack:
    """Bring the rows that are held back here, as bins; ``layout`` has the cuts."""

    def ask(question: Callable[..., Any], *args: Any) -> list[Any]:
        return parts.each(ask_keyed, question, *args)

    borders = find_borders(ask, n_classes)
    n_rows = int(np.sum(ask(count_rows, n_classes)))
    total = rounded(sum(ask(add_weights)))
    taken = parts.each(take_held, borders)
    codes, labels, weights, judge = (
        np.concatenate(own, axis=-1) for own in zip(*taken, strict=True)
    )
    rows = BinnedMatrix(codes, layout.cuts, layout.categories, layout.names, named=layout.named)
    return HeldBack(rows, labels, weights, judge, n_rows, total)


def ask_keyed(part: Part, question: Callable[..., Any], *args: Any) -> Any:
    """Put a question that is about numbers of rows and classes."""
    return question(_keyed(part), *args)


def take_held(part: Part, borders: Borders | None) -> Taken:
    """Rows of a part that are held back; none where classes have too few."""
    source = _source(part)
    learn, judge = np.zeros((2, len(source.labels)), dtype=bool)
    if borders is not None:
        learn, judge = divide(_keyed(part), borders)
    which = np.flatnonzero(learn | judge)
    codes = source.bins.codes[:, which]
    return codes, source.labels[which], source.weights[which], judge[which]


def _keyed(part: Part) -> KeyedRows:
    """Numbers, classes and weights of the rows of a part."""
    source = _source(part)
    keys = fingerprints(source.bins, source.n_threads)
    return KeyedRows(keys, source.labels, source.weights)


def _source(part: Part) -> Source:
    """Rows of a part, as they came."""
    assert part.source is not None
    return part.source
