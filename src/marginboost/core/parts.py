"""Rows in several places: one seam between the loop and what it must know of rows.

A :class:`Part` holds the rows of one place with their scores and weights, and answers questions in
small facts: sums by bin, exact totals, minima, counts. Loop, rules and base learners put the facts
together, decide, and never see a row. A question is a function of a part and of a few numbers or
hypotheses, at the top of a module so that it can be sent anywhere. A table in memory is one part:
the state of its run.

Totals are exact (:mod:`marginboost.kernels.exact`), so that a run makes the same model, bit for
bit, however its rows are divided.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from ..data import BinnedMatrix
from ..kernels.exact import exact_sum, rounded
from ..kernels.parallel import run_rows
from ..kernels.weights import add_column
from ..types import Array
from .ensemble import Ensemble
from .sample import Sample
from .weights import Weights

if TYPE_CHECKING:
    from .hypothesis import Hypothesis
    from .oracle import Candidate

T = TypeVar("T")
Q = TypeVar("Q", bound=Callable[..., Any])
MakeArgs = Callable[[], tuple[Any, ...] | None]
Make = Callable[..., Callable[[int, int], Any]]
"""Makes, of a part and a few numbers, what is done with a block of its rows."""


class Source(NamedTuple):
    """What a part is made from.

    Attributes
    ----------
    bins : BinnedMatrix
        Its rows, those without weight left out.
    labels : array
        Positions of their classes, or targets.
    weights : array
        Positive.
    n_threads : int
        Threads for its kernels.
    ends : array (features, 2), optional
        Smallest and largest value of each feature, NaN where there is none.
    """

    bins: BinnedMatrix
    labels: Array
    weights: Array
    n_threads: int = 1
    ends: Array | None = None


class Place:
    """Rows in one place, as a base learner sees them.

    Attributes
    ----------
    sample : Sample
        The rows.
    weights : Weights
        For the next call of the base learner.
    learner : object
        What the base learner keeps of these rows.
    columns : dict
        Outputs on these rows of the hypotheses found last, by number.
    """

    def __init__(self, sample: Sample, weights: Weights) -> None:
        self.sample, self.weights = sample, weights
        self.learner: Any = None
        self.columns: dict[int, Array] = {}

    @property
    def dual(self) -> Array:
        """Signed weights ``y_i d_i``; write into the array, it is never another one."""
        return self.weights.dual

    def column(self, candidate: Candidate) -> Array:
        """Outputs of a candidate on these rows, made anew where they are not at hand."""
        column = candidate.column
        if not isinstance(column, ColumnOnParts):
            return column
        if column.constant is not None:
            return np.full(len(self.dual), column.constant, column.dtype)
        found = self.columns.get(column.number)
        return self.sample.column(candidate.hypothesis) if found is None else found


class Part(Place):
    """Rows in one place, with all that a run knows of each of them.

    Attributes
    ----------
    scores : array
        ``F(x_i)`` of the present combination.
    source : Source, optional
        What the sample is made from.
    program : object
        What a rule keeps of these rows, where it solves a program over them.
    voted : object
        Votes of a fitted model on these rows, where they are compared with labels.
    """

    def __init__(self, sample: Sample, source: Source | None = None) -> None:
        self.source = source
        self.program: Any = None
        self.voted: Any = None
        self.start(sample)

    def start(self, sample: Sample) -> None:
        """Begin anew with a sample and no scores."""
        super().__init__(sample, Weights(np.zeros(len(sample.y))))
        self.scores = np.zeros(len(sample.y))

    @classmethod
    def of(cls, source: Source) -> Part:
        """Part that has not begun: see :func:`begin`."""
        return cls(Sample(y=np.empty(0, np.int8), prior=np.empty(0)), source)


class ColumnOnParts(NamedTuple):
    """Stands for the outputs of a hypothesis that lie on the parts.

    Attributes
    ----------
    number : int
        Under which they are kept.
    dtype : dtype
        int8 where all outputs are -1 or +1.
    constant : int, optional
        The output, where that is the same on all rows.
    """

    number: int
    dtype: Any
    constant: int | None = None


class Parts(ABC):
    """All parts of a sample, wherever they are."""

    @abstractmethod
    def each(self, question: Callable[..., T], *args: Any) -> list[T]:
        """Answers ``question(part, *args)`` of all parts, in the order of the rows.

        Those of a question that :func:`adds_up` may be fewer.
        """

    def tell(self, question: Callable[..., Any], *args: Any) -> None:
        """Have ``question(part, *args)`` done on all parts before anything else is asked."""
        self.each(question, *args)

    def foresee(  # noqa: B027 - in one process no trip is long
        self, after: Callable[..., Any], question: Callable[..., Any], make_args: MakeArgs
    ) -> None:
        """Say that a question will follow another one: where trips are long, both make one.

        ``make_args`` returns the arguments that it will have, or None where nothing is foreseen.
        Those of the question when it comes are compared, and where they are others it is asked, so
        it must be one that may be asked in vain.
        """


class LocalParts(Parts):
    """Parts in this process, asked one after the other.

    Parameters
    ----------
    parts : sequence of Part
        In the order of the rows.
    """

    def __init__(self, parts: Sequence[Part]) -> None:
        self._parts = list(parts)

    def each(self, question: Callable[..., T], *args: Any) -> list[T]:
        """Ask one after the other."""
        return [question(part, *args) for part in self._parts]


# -- questions that every run asks -----------------------------------------------------------------


def lays_out(question: Q) -> Q:
    """Mark a question after which the part has something that it needs in every round."""
    question.lays_out = True  # type: ignore[attr-defined]
    return question


def settles(question: Q) -> Q:
    """Mark a question that sets scores and weights anew, whatever was asked before it."""
    question.settles = True  # type: ignore[attr-defined]
    return question


def adds_up(question: Q) -> Q:
    """Mark a question of whose answers only the sum matters, and does not depend on any order.

    Then parts which are in one place answer with their sum: ``so_far`` is that of others, to which
    a part adds its own.
    """
    question.adds_up = True  # type: ignore[attr-defined]
    return question


def add_hypothesis(
    part: Part, candidate: Candidate, step: float, make: Make | None = None, args: Any = ()
) -> list[Any]:
    """Add ``step`` times a hypothesis to the scores, and do what is made on every block of rows."""
    column, scores = part.column(candidate), part.scores
    then = None if make is None else make(part, *args)

    def add(start: int, stop: int) -> Any:
        add_column(scores[start:stop], column[start:stop], step)
        return None if then is None else then(start, stop)

    return run_rows(add, len(scores), part.sample.n_threads)


def add_members(part: Part, moves: Sequence[tuple[Hypothesis, float]]) -> None:
    """Give scores to a part that has none: hypotheses one after the other, each times its step.

    They are the same bits as those of all moves one by one.
    """
    members, steps = zip(*moves, strict=True)
    ensemble = Ensemble(members, np.array(steps))
    if ensemble.in_order:
        part.scores[:] = part.sample.scores(ensemble)
        return
    rows = part.sample.rows
    assert rows is not None
    for start, stop in rows.chunks():
        dense, scores = rows.dense(start, stop), part.scores[start:stop]
        for member, step in moves:
            scores += step * member(dense)


def do_blocks(part: Part, make: Make, *args: Any) -> list[Any]:
    """Do what is made on every block of rows."""
    return run_rows(make(part, *args), len(part.scores), part.sample.n_threads)


def clear_scores(part: Part) -> None:
    """Begin a new, empty combination."""
    part.scores[:] = 0.0


def smallest_outcome(part: Part, ensemble: Ensemble) -> float:
    """Smallest ``y F(x)`` of a model."""
    sample = part.sample
    return float(sample.outcomes(sample.scores(ensemble)).min())


# -- samples in parts ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Divided(Sample):
    """What parts and their whole know alike.

    Parameters
    ----------
    n_rows_of_all : int
        Rows of all parts.
    all_equal : bool
        Whether all rows of all parts weigh the same.
    """

    _: KW_ONLY
    n_rows_of_all: int
    all_equal: bool

    @property
    def n_rows(self) -> int:
        """Rows of all parts."""
        return self.n_rows_of_all

    @property
    def uniform(self) -> bool:
        """Whether all rows of all parts weigh the same."""
        return self.all_equal


class PartSample(Divided):
    """Rows of one part; its prior weights sum to one with those of the others."""


@dataclass(frozen=True)
class PartedSample(Divided):
    """All rows of a fit, in parts: what is known of them in one place.

    There are no labels and no weights here. The bins have no rows, but the cuts of all.

    Parameters
    ----------
    parts : Parts
        The rows.
    least_prior : float
        Smallest prior weight.
    ends : array (features, 2), optional
        Smallest and largest value of each feature, where the parts know them.
    """

    _: KW_ONLY
    parts: Parts
    least_prior: float
    ends: Array | None = None

    @property
    def effective_rows(self) -> float:
        """As of one table."""
        return 1.0 / self.least_prior

    def content(self) -> Iterator[Array]:
        """Digests of the parts: a run can go on if they are divided in the same way."""
        from .checkpoint import fingerprint  # here, not above: it reads samples

        for digest in self.parts.each(ask_sample, fingerprint):
            yield np.frombuffer(digest.encode(), np.uint8)

    @classmethod
    def of(cls, parts: Parts, bins: BinnedMatrix, sides: Array | None, seed: int) -> PartedSample:
        """Begin a run on parts.

        Parameters
        ----------
        parts : Parts
            All of them, with rows in each.
        bins : BinnedMatrix
            Cuts and names; its own rows are not read.
        sides : array of int8 or None
            Label, -1 or +1, of each class; None where labels are targets.
        seed : int
            As of any sample.
        """
        if sides is not None and not np.abs(sides).all():
            raise TypeError("a code that leaves classes out cannot be used on rows in parts")
        facts = parts.each(measure)
        counts, totals, least, most, missing, ends = zip(*facts, strict=True)
        total = rounded(sum(totals))
        least_prior, n_rows = min(least) / total, sum(counts)
        all_equal = least_prior == max(most) / total
        parts.tell(begin, sides, total, n_rows, all_equal, seed)
        layout = bins.take(np.empty(0, np.int64))
        layout.has_missing = np.any(missing, axis=0)
        return cls(
            y=np.empty(0, np.float64 if sides is None else np.int8),
            prior=np.empty(0),
            bins=layout,
            seed=seed,
            total=total,
            n_rows_of_all=n_rows,
            all_equal=all_equal,
            parts=parts,
            least_prior=least_prior,
            ends=None if ends[0] is None else outermost(np.array(ends)),
        )


def outermost(ends: Array) -> Array:
    """Smallest and largest values of all parts, (parts, features, 2) to (features, 2)."""
    lows, highs = ends[..., 0], ends[..., 1]
    return np.column_stack([np.fmin.reduce(lows, axis=0), np.fmax.reduce(highs, axis=0)])


def ask_sample(part: Part, question: Callable[..., T], *args: Any) -> T:
    """Put a question that is about rows, labels and prior weights alone."""
    return question(part.sample, *args)


def ask_samples(sample: Sample, question: Callable[..., T], *args: Any) -> list[T]:
    """Answers ``question(sample, *args)`` of the samples of all parts; one table is one part."""
    parts = sample.parts
    return [question(sample, *args)] if parts is None else parts.each(ask_sample, question, *args)


def measure(part: Part) -> tuple[int, int, float, float, Array, Array | None]:
    """Rows, exact weight, extreme weights, features with missing values, ends of features."""
    assert part.source is not None
    weights = part.source.weights
    extremes = float(weights.min()), float(weights.max())
    source = part.source
    return len(weights), exact_sum(weights), *extremes, source.bins.has_missing, source.ends


@lays_out
def begin(
    part: Part, sides: Array | None, total: float, n_rows: int, all_equal: bool, seed: int
) -> None:
    """Make the sample of a part; ``total`` and ``n_rows`` are those of all parts."""
    assert part.source is not None
    bins, labels, weights, n_threads, _ = part.source
    y = labels if sides is None else sides[labels]
    part.start(
        PartSample(
            y=np.asarray(y, np.float64 if sides is None else np.int8),
            prior=weights / total,
            rows=bins,
            bins=bins,
            seed=seed,
            n_threads=n_threads,
            total=total,
            n_rows_of_all=n_rows,
            all_equal=all_equal,
        )
    )
