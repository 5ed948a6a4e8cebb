"""From a fitted model and its rows, in memory or in parts, to the link of its probabilities.

Of rows in parts those held back, fifteen thousand and copies of them, come to one place, where the
second fit is that of a table in memory. Of all others only exact sums leave their places. So the
link is the same, bit for bit, however the rows are divided.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.parts import Part, Parts, Source, lays_out
from ..data import BinnedMatrix
from ..kernels.exact import rounded
from ..kernels.parallel import resolve_n_jobs
from ..model import ClassModel, SigmoidLink
from ..types import Array
from .calibration import VotedRows, fit_sigmoid, sigmoid_of
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
from .training_set import TrainingSet

SmallerFit = Callable[[HeldBack], ClassModel | None]
"""Fits the rows to learn from of those held back; None where they are too few."""
Taken = tuple[Array, Array, Array, Array]
"""Codes, labels and weights of rows that are held back, and which of them judge."""


def fit_link(
    data: TrainingSet, model: ClassModel, fit_smaller: SmallerFit, n_jobs: int | None
) -> SigmoidLink:
    """Compare votes with labels, if possible on rows held back from a smaller fit.

    Parameters
    ----------
    data : TrainingSet
        What the model was fitted to.
    model : ClassModel
        The model.
    fit_smaller : callable
        Makes the model of the second fit.
    n_jobs : int or None
        Threads.
    """
    ask, held = votes_to_compare(data, model, n_jobs)
    smaller = fit_smaller(held) if len(held.labels) else None
    if smaller is None:
        return sigmoid_of(ask)
    unseen = smaller.votes(held.rows.take(held.judges), n_jobs)
    link = fit_sigmoid(unseen, held.labels[held.judge], held.weights[held.judge])
    return sigmoid_of(ask, link.slope)


def votes_to_compare(
    data: TrainingSet, model: ClassModel, n_jobs: int | None
) -> tuple[Ask, HeldBack]:
    """Votes of a model on all rows that count, and the rows held back."""
    if data.parts is not None:
        assert isinstance(data.rows, BinnedMatrix)
        held = data.held or held_back_of(data.parts, data.rows, len(data.classes))
        return ask_votes_of(data.parts, model), held
    n_threads, present = resolve_n_jobs(n_jobs), data.weights > 0
    votes = model.votes(data.rows, n_jobs)[present]
    voted = VotedRows(votes, data.labels[present], data.weights[present], n_threads)
    return in_one_place(voted), held_back(data.rows, data.labels, data.weights, n_threads)


# -- rows in parts ---------------------------------------------------------------------------------


def ask_votes_of(parts: Parts, model: ClassModel) -> Ask:
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


def held_back_of(parts: Parts, layout: BinnedMatrix, n_classes: int) -> HeldBack:
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
    source = _source(part)
    keys = fingerprints(source.bins, source.n_threads)
    return KeyedRows(keys, source.labels, source.weights)


def _source(part: Part) -> Source:
    assert part.source is not None
    return part.source
