"""The state of a run: the combination so far, its scores, the weights that follow."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import chain
from typing import Any, Protocol, TypeVar

import numpy as np

from ..types import Array
from .ensemble import Ensemble
from .history import History
from .hypothesis import Hypothesis
from .oracle import Candidate
from .parts import ColumnOnParts, Make, Part, add_hypothesis, clear_scores
from .sample import Sample

T = TypeVar("T")

ANYWHERE: Any = ColumnOnParts(-1, None)
"""Column of a hypothesis of which only itself is known."""

Combination = tuple[int, int, list[float]]
"""First and last member, and their coefficients."""


class Columns(Protocol):
    """Outputs of the members, kept by rules that work with all of them at once."""

    @property
    def columns(self) -> Array:
        """One row per hypothesis."""

    def __len__(self) -> int: ...

    def append(self, column: Array) -> None:
        """Add the outputs of one hypothesis."""

    def combine(self, coef: Array) -> Array:
        """Scores ``Σ_j coef_j h_j``."""

    def edges(self, dual: Array) -> Array:
        """Edges ``Σ_i dual_i h_j(x_i)``."""


class State(Part):
    """Everything that changes in a run.

    Only :meth:`move` (one coefficient), :meth:`shrink` and :meth:`replace` (all of them) and
    :meth:`restart` touch the combination, so ``scores`` is always the vote of the present members.
    Members are appended and never removed: the present combination is a slice of ``members``, and
    so is the best one seen.

    Attributes
    ----------
    scores : array
        ``F(x_i)`` of the present combination.
    weights : Weights
        For the next call of the oracle; rules write ``state.dual[:]``, which is their signed part.
    factor : float
        What the combination was multiplied by in this round, before the move; 1 for most rules.
    min_margin : float
        Smallest ``y_i F(x_i) / l1_norm``; -1 for the empty combination. Set with the weights; of
        targets it means nothing.
    best : tuple
        Largest such margin of any round, and the slice of members that reached it.
    keep : Combination, optional
        The combination that a callback wants the run to return.
    memo : dict
        Numbers that callbacks want kept with the run.
    pool : Columns, optional
        Columns of the members, for rules that ask for them.
    lower, upper : float
        Best bounds so far.
    """

    def __init__(self, sample: Sample) -> None:
        super().__init__(sample)
        self.members: list[Hypothesis] = []
        self.coef: list[float] = []
        self.first = 0
        self.l1_norm = 0.0
        self.factor = 1.0
        self.min_margin = -1.0
        self.best: tuple[float, int, int] = (-np.inf, 0, 0)
        self.keep: Combination | None = None
        self.memo: dict[str, float] = {}
        self.pool: Columns | None = None
        self.round = 0
        self.lower, self.upper = -np.inf, np.inf
        self.history = History()
        self.facts: dict[str, float] = {}
        self.seconds_before = 0.0
        self.started = time.perf_counter()

    def each(self, question: Callable[..., T], *args: Any) -> list[T]:
        """Answers ``question(part, *args)`` of all parts of the sample; one table is one part."""
        parts = self.sample.parts
        return [question(self, *args)] if parts is None else parts.each(question, *args)

    def tell(self, question: Callable[..., Any], *args: Any) -> None:
        """Have ``question(part, *args)`` done on all parts; nobody waits for an answer."""
        parts = self.sample.parts
        if parts is None:
            question(self, *args)
        else:
            parts.tell(question, *args)

    # -- the combination -------------------------------------------------------------------------

    def move(
        self, candidate: Candidate, step: float, make: Make | None = None, *args: Any
    ) -> list[Any]:
        """Add ``step`` times a hypothesis to the combination.

        ``make(part, *args)`` makes what is called on every block of rows as soon as its scores have
        changed, while they are still in the cache; what it returns is returned, in row order.
        """
        results = self._add(candidate, step, make, args)
        self.members.append(candidate.hypothesis)
        self.coef.append(step)
        return results

    def shrink(self, factor: float) -> None:
        """Multiply the whole combination by a factor, such as one that puts it back onto a hull.

        A rule that does so says in every round by how much, 1 included, and makes the scores of a
        resumed run itself: replaying the moves alone does not give the same bits.
        """
        self.factor = factor
        if factor != 1.0:
            self.scores *= factor
            self.coef[self.first :] = [factor * weight for weight in self.coef[self.first :]]
            self.l1_norm *= factor

    def enlarge(self, found: list[Candidate]) -> None:
        """Put hypotheses on record with coefficient 0, and their columns into the pool."""
        for candidate in found:
            self.members.append(candidate.hypothesis)
            self.coef.append(0.0)
            if self.pool is not None:
                self.pool.append(candidate.column)

    def replace(self, coef: Array, scores: Array) -> None:
        """Give all members new coefficients at once; ``scores`` is their vote."""
        self.scores[:] = scores
        smallest = np.nan if self.sample.numeric else float(np.min(self.sample.y * scores))
        self.replace_coef(coef, smallest)

    def replace_coef(self, coef: Array, smallest: float) -> None:
        """Do the same where the scores are changed elsewhere; ``smallest`` is the least ``y F``."""
        self.coef[self.first :] = [float(weight) for weight in coef]
        self.l1_norm = float(np.abs(coef).sum())
        if not self.sample.numeric:
            self.min_margin = smallest / (self.l1_norm or 1.0)

    def restart(self) -> None:
        """Begin a new, empty combination; the old one stays on record, with its margin."""
        self._remember_best()
        self.note(min_margin=self.min_margin, length=self.l1_norm)
        self.first = len(self.members)
        self.tell(clear_scores)
        self.l1_norm, self.min_margin = 0.0, -1.0
        self.weights.change = None

    def _add(
        self, candidate: Candidate, step: float, make: Make | None = None, args: Any = ()
    ) -> list[Any]:
        self.l1_norm += abs(step)
        if make is None:
            self.tell(add_hypothesis, candidate, step)
            return []
        return list(chain(*self.each(add_hypothesis, candidate, step, make, args)))

    @property
    def size(self) -> int:
        """Hypotheses in the present combination."""
        return len(self.members) - self.first

    @property
    def present(self) -> tuple[int, int]:
        """Slice of the members that makes up the present combination."""
        return self.first, len(self.members)

    def combination(self, members: tuple[int, int] | None = None) -> Combination:
        """Return a slice of the members, the present one if none is given, with coefficients."""
        first, last = members or self.present
        return first, last, list(self.coef[first:last])

    def ensemble(self, combination: Combination) -> Ensemble:
        """Return the model that a combination is; members without weight are left out."""
        first, _, coef = combination
        used = [t for t, weight in enumerate(coef) if weight != 0.0]
        return Ensemble(
            tuple(self.members[first + t] for t in used), np.array([coef[t] for t in used])
        )

    # -- bounds and record -----------------------------------------------------------------------

    def bracket(self, lower: float = -np.inf, upper: float = np.inf) -> None:
        """Keep the better of the old and new bounds."""
        self.lower, self.upper = max(self.lower, lower), min(self.upper, upper)

    def rebracket(self, lower: float = -np.inf, upper: float = np.inf) -> None:
        """Put new bounds in the place of the old ones, which were about another problem."""
        self.lower, self.upper = lower, upper

    @property
    def gap(self) -> float:
        """Distance between the bounds."""
        return self.upper - self.lower

    @property
    def seconds(self) -> float:
        """Time spent in this run, with the time before an interruption."""
        return self.seconds_before + time.perf_counter() - self.started

    def note(self, **facts: float) -> None:
        """Facts for this round's row of the history."""
        self.facts.update(facts)

    def record(self, edge: float) -> None:
        """Close the round: one row of history, and the best combination brought up to date."""
        self._remember_best()
        facts = {
            "edge": edge,
            "error": (1.0 - edge) / 2.0,
            "min_margin": self.min_margin,
            "length": self.l1_norm,
            "lower": self.lower,
            "upper": self.upper,
            "gap": self.gap,
            "seconds": self.seconds,
        }
        facts |= self.facts
        if self.sample.numeric:  # a target has no wrong side, so no error and no margin
            facts |= {"error": np.nan, "min_margin": np.nan}
        self.history.append(**facts)
        self.facts = {}

    def _remember_best(self) -> None:
        if self.size and self.min_margin > self.best[0]:
            self.best = (self.min_margin, *self.present)

    # -- going on after an interruption ----------------------------------------------------------

    def snapshot(self) -> dict[str, Any]:
        """Plain data from which :meth:`restore` makes the same state, bit for bit."""
        return {
            "members": [member.to_dict() for member in self.members],
            "coef": list(self.coef),
            "first": self.first,
            "l1_norm": self.l1_norm,
            "min_margin": self.min_margin,
            "best": list(self.best),
            "keep": self.keep,
            "memo": dict(self.memo),
            "round": self.round,
            "lower": self.lower,
            "upper": self.upper,
            "history": self.history.to_dict(),
            "seconds": self.seconds,
        }

    def restore(self, data: dict[str, Any], members: list[Hypothesis]) -> None:
        """Take a snapshot back: replay the moves in their order, so that scores are equal bits."""
        self.__init__(self.sample)  # type: ignore[misc]
        self.members = members
        self.coef = [float(step) for step in data["coef"]]
        self.first = int(data["first"])
        margin, start, stop = data["best"]
        self.best = (float(margin), int(start), int(stop))
        if data["keep"] is not None:
            first, last, coef = data["keep"]
            self.keep = (int(first), int(last), [float(weight) for weight in coef])
        self.memo = {str(name): float(value) for name, value in data["memo"].items()}
        self.round = int(data["round"])
        self.lower, self.upper = float(data["lower"]), float(data["upper"])
        self.history = History(data["history"])
        self.seconds_before = float(data["seconds"])
        self.tell(clear_scores)
        for member, step in zip(members[self.first :], self.coef[self.first :], strict=True):
            self._add(Candidate(member, 0.0, ANYWHERE), step)
        # Not from the replay: :meth:`replace` has added the coefficients in another order.
        self.l1_norm, self.min_margin = float(data["l1_norm"]), float(data["min_margin"])
