"""LPBoost where rows are in parts: packed columns live there, decisions are made in one place.

The master problem is the smoothed one (solvers/masters/smooth_descent.py). A part holds the bits of
its rows in a :class:`~..solvers.masters.program_rows.ProgramRows`, and answers with exact sums, so
that a run is the same, bit for bit, however its rows are divided. Newton's method, with which one
table is finished where descent crawls, needs all rows at once and is not there.
"""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np

from ..core.ensemble import Ensemble
from ..core.hypothesis import Hypothesis
from ..core.oracle import Candidate
from ..core.parts import Part, PartedSample, lays_out, settles
from ..core.run import Run
from ..core.state import State
from ..core.stop import Stop
from ..kernels.exact import exact_sum, rounded
from ..solvers.masters.base import Clock, MasterError
from ..solvers.masters.problem import CappedProblem, PricedMargin, SoftMargin, caps
from ..solvers.masters.program_rows import Level, ProgramRows, Question, ask_program, vote, weigh
from ..solvers.masters.quantile import value_on_places
from ..solvers.masters.smooth_descent import SmoothDescent
from ..types import Array
from .lpboost import LPBoost

T = TypeVar("T")


class PartedLPBoost(LPBoost):
    """Totally corrective maximisation of the soft margin of rows in parts; see :class:`LPBoost`."""

    on_parts = True

    def start(self, state: State) -> None:
        """Begin with the prior as weights, or resume a run by its hypotheses."""
        sample = state.sample
        assert isinstance(sample, PartedSample)
        if self.solver not in ("auto", "smooth"):
            raise TypeError(
                f"solver: got {self.solver!r}, expected 'auto' or 'smooth' on rows in parts: the "
                "others must see all rows at once"
            )
        self._state, self._sample = state, sample
        self._working.start(state, ColumnsOnParts())
        self._capped = self._problem = self._problem_on(sample)
        state.tell(lay_out_program, self.nu, self.C)
        self._descent = SmoothDescent(self._problem.price, self._ask)
        self._exact = False
        if state.members:
            self._descent.set_state(self._saved_master or {})
            state.tell(hold_columns, self._working.hypotheses)
            self._settle(state)
            return
        self._value = self._problem.worst
        state.tell(take_prior)

    def _problem_on(self, sample: PartedSample) -> CappedProblem:
        """Program, without its rows."""
        if self.C is not None:
            return PricedMargin(np.empty(0), self.C / sample.total)
        return SoftMargin(np.empty(0), self.nu, sample.least_prior)

    def _ask(self, question: Question[T], *args: Any) -> list[T]:
        return self._state.each(ask_program, question, *args)

    def value_on(self, state: State, ensemble: Ensemble) -> float:
        """Objective of any combination on the rows of a run."""
        return self._measure(state.each(vote_of_model, ensemble), ensemble.l1_norm)[0]

    def upper(self, state: State, edge: float) -> float:
        """What capped weights with this largest edge prove."""
        return self._capped.bound(max(state.each(largest_share)), edge)

    def _measure(self, extremes: list[tuple[float, float]], l1_norm: float) -> tuple[float, float]:
        """Objective and level of the vote that was asked for last."""
        sample = self._sample
        return value_on_places(
            self._problem, self._ask, extremes, l1_norm, sample.n_rows, sample.uniform
        )

    def _improve(self, state: State) -> Stop | None:
        """Solve the master problem; set its weights, accept its combination if it is better."""
        working = self._working
        self._ensure_combination(state)
        self._descent.begin(len(working), self._gap)
        clock = Clock(self.solver_seconds)
        try:
            coef, _ = self._descent.descend(working.coef, self._gap, clock.check)
        except MasterError:
            return Stop.SOLVER
        working.coef = coef
        self._accept(state, coef)
        kept = working.forget_idle(np.array(state.coef))
        if kept is not None:
            self._descent.size = len(kept)
            state.tell(hold_columns, working.hypotheses)
        smallest = self._settle(state)
        if kept is not None and any(state.coef):  # the last bits of votes depend on the pool
            state.replace_coef(np.array(state.coef), smallest)
        state.note(coef=float(coef[-1]))
        return None

    def _enlarge(self, state: State, new: list[Candidate]) -> None:
        super()._enlarge(state, new)
        state.tell(take_columns, new)

    def _accept(self, state: State, coef: Array) -> None:
        """Replace the combination if this is the best so far."""
        extremes, l1_norm = self._ask(vote, coef), float(coef.sum())
        if self._is_best(state, self._measure(extremes, l1_norm)[0], l1_norm):
            state.replace_coef(self._working.of_members(coef), min(low for low, _ in extremes))

    def _settle(self, state: State) -> float:
        """Set scores and weights of all parts; a rebuilt part is told the same.

        Returns the smallest ``y F``.
        """
        working = self._working
        total = self._descent.total(working.coef)
        present = np.array(state.coef)[working.places]
        level = Level(self._descent.rho, self._descent.beta, 0, 0)
        return min(state.each(settle, working.hypotheses, present, working.coef, level, total))

    def _master_state(self) -> dict[str, Any]:
        """What the descent remembers."""
        return self._descent.get_state()

    # -- what is said of the model -----------------------------------------------------------------

    def level(self, run: Run) -> float:
        """Margin ρ that the model asks of its examples."""
        kept = self._state.keep
        extremes = self._state.each(vote_of_model, None if kept is None else run.ensemble)
        return self._measure(extremes, run.ensemble.l1_norm)[1]

    def rarest(self, run: Run) -> tuple[float, float]:
        """Shares of the rarer label, and of the rarer answer of the vote asked for last."""
        found = np.array(self._ask(weigh_sides), dtype=object).sum(axis=0)
        return rounded(min(found[:2])), rounded(min(found[2:]))


class ColumnsOnParts:
    """Stands for a pool whose columns are on the parts."""

    def __init__(self) -> None:
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def append(self, column: Array) -> None:
        """Count a column."""
        self._size += 1

    def keep(self, which: Array) -> None:
        """Count these columns alone."""
        self._size = len(which)


# -- questions to parts ----------------------------------------------------------------------------


class PartProgram(ProgramRows):
    """Rows of a part, and the hypotheses whose columns they keep."""

    names: list[Hypothesis]


@lays_out
def lay_out_program(part: Part, nu: float | None, C: float | None) -> None:
    """Make room for votes, weights and columns."""
    sample = part.sample
    most = sample.prior if C is not None else caps(sample.prior, nu)
    part.program = PartProgram(most, sample.y, sample.n_threads, sample.prior)
    part.program.names = []


@settles
def take_prior(part: Part) -> None:
    """Begin with the prior as weights."""
    part.dual[:] = part.sample.y * part.sample.prior


def take_columns(part: Part, new: list[Candidate]) -> None:
    """Add the columns of hypotheses to the pool."""
    for candidate in new:
        part.program.pool.append(part.column(candidate))
        part.program.names.append(candidate.hypothesis)


def hold_columns(part: Part, names: list[Hypothesis]) -> None:
    """Have the columns of these hypotheses in the pool, and no others."""
    program, wanted = part.program, set(names)
    kept = [j for j, name in enumerate(program.names) if name in wanted]
    if len(kept) < len(program.names):
        program.pool.keep(np.array(kept, dtype=int))
        program.names = [program.names[j] for j in kept]
    for name in names[len(program.names) :]:
        program.pool.append(part.sample.column(name))
        program.names.append(name)


@settles
def settle(
    part: Part,
    names: list[Hypothesis],
    present: Array,
    trial: Array,
    level: Level,
    total: float,
) -> float:
    """Set scores to those of the present coefficients, weights to those of the last solution.

    Returns the smallest ``y F``.
    """
    hold_columns(part, names)
    program: ProgramRows = part.program
    part.scores[:] = program.pool.combine(present)
    vote(program, trial)
    weigh(program, level, False)
    part.dual[:] = part.sample.y * (program.weights / total)
    return float(part.sample.outcomes(part.scores).min())


def largest_share(part: Part) -> float:
    """Largest share of its cap that a weight has."""
    return float(np.max(part.sample.y * part.dual / part.program.caps))


def vote_of_model(part: Part, ensemble: Ensemble | None) -> tuple[float, float]:
    """Make the margins of a model, or of the scores; returns the smallest and the largest."""
    sample, program = part.sample, part.program
    scores = part.scores if ensemble is None else sample.scores(ensemble)
    program.margins = sample.outcomes(scores)
    return float(program.margins.min()), float(program.margins.max())


def weigh_sides(rows: ProgramRows) -> list[int]:
    """Exact weights of both labels, and of both answers."""
    answers = rows.y * rows.margins > 0
    sides = [rows.y == -1, rows.y == 1, ~answers, answers]
    return [exact_sum(rows.prior[side]) for side in sides]
