"""Column generation: the rule that LPBoost for labels and for targets have in common.

Each round asks the oracle for the best hypotheses under the weights, adds them to the working set
(:mod:`._working_set`), and solves the master problem over it for coefficients and weights. How a
run begins is said in :mod:`._lpboost_start`. A rule names its program, and the solver of it.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import Any

import numpy as np

from ..core.oracle import Candidate
from ..core.rule import Rule
from ..core.sample import Sample
from ..core.state import State
from ..core.stop import Stop
from ..solvers.masters.base import Master, MasterError
from ..solvers.masters.packed_pool import PackedPool
from ..solvers.masters.problem import MarginProblem
from ..types import Array
from ._levels import ProvenStumps
from ._lpboost_start import LPBoostStart, Neighbour
from ._working_set import WorkingSet

DOUBT = 10
"""Round after which a run without a soft margin worth having looks for a proof that none exists."""
PATIENCE = 5
"""Rounds with nothing new and bounds that hardly move after which an inexact master gives up."""


class ColumnGeneration(Rule):
    """A linear program over all hypotheses, solved over those found so far.

    Parameters
    ----------
    solver : str
        How the master problem is solved.
    columns : int
        Hypotheses asked for in a round.
    solver_seconds : float, optional
        Most seconds for one master problem.
    start : LPBoostStart
        What a run begins with.
    least_margin : float, optional
        Upper bound on the value at which the run ends: no combination worth having exists.
    rtol : float
        Gap, over the value reached, at which the run ends too.
    """

    def __init__(
        self,
        solver: str,
        columns: int,
        solver_seconds: float | None,
        start: LPBoostStart,
        least_margin: float | None = None,
        rtol: float = 0.0,
    ) -> None:
        self.solver, self.solver_seconds = solver, solver_seconds
        self.columns_per_round = columns
        self.least_margin, self.rtol = least_margin, rtol
        self._working = WorkingSet()
        self._start = start
        self._value, self._gap = 0.0, 2.0
        self._gap_at_progress, self._rounds_at_rest = 2.0, 0
        self._saved_master: dict[str, Any] | None = None

    # -- the program -----------------------------------------------------------------------------

    @abstractmethod
    def make_problem(self, sample: Sample) -> MarginProblem:
        """Make the program that is solved on a sample."""

    @abstractmethod
    def make_master(self, problem: MarginProblem, sample: Sample) -> Master:
        """Make the solver of that program over the hypotheses found."""

    @abstractmethod
    def _first_weights(self, sample: Sample) -> Array:
        """Signed weights of the first round."""

    @abstractmethod
    def _signed(self, sample: Sample, weights: Array) -> Array:
        """Signed weights from those of the program."""

    @abstractmethod
    def _accept(self, state: State, coef: Array) -> None:
        """Replace the combination of the run if this one is the best so far."""

    @abstractmethod
    def _vote(self, state: State) -> Array:
        """Scores of the present combination."""

    def _ensure_combination(self, state: State) -> None:
        """Accept the first hypothesis where there is no combination to fall back on."""
        coef = self._working.coef
        if state.l1_norm == 0.0:
            coef[0] = coef[0] or 1.0
            self._accept(state, coef)

    def _steering_bound(self, state: State) -> float:
        """Upper bound that steers the solvers."""
        return state.upper

    # -- how a run begins ------------------------------------------------------------------------

    def start(self, state: State) -> None:
        """Begin with the prior as weights, or resume a run by its hypotheses."""
        sample = state.sample
        self._problem = self.make_problem(sample)
        self._master = self.make_master(self._problem, sample)
        self._exact = self._master.exact
        self._working.start(state, PackedPool(len(sample.y), sample.n_threads))
        state.dual[:] = self._first_weights(sample)
        if state.members:
            self._resume(state)
            return
        self._value = self._problem.worst
        neighbour = self._start.take_neighbour(sample)
        if neighbour is not None:
            self._inherit(state, neighbour)
        elif found := self._start.first_stumps(sample, self._problem):
            self._continue_from(state, found)

    def start_from(self, before: Rule) -> None:
        """Begin with the hypotheses of a run with another ν or C: neighbours share most of them."""
        assert isinstance(before, ColumnGeneration)
        self._start.inherit(before.as_neighbour())

    def as_neighbour(self) -> Neighbour:
        """What a run with another ν or C may begin with."""
        return Neighbour(self._working, self._gap)

    def begin_like(self, n_rows: int, took_many: bool, sample: Sample) -> bool:
        """Warm-start a fit on a subsample the way the full fit starts: with many stumps."""
        return self._start.like_a_run_on(n_rows, took_many, sample)

    def _inherit(self, state: State, neighbour: Neighbour) -> None:
        """Solve the master problem over the hypotheses of another run."""
        self._gap = neighbour.gap
        self._enlarge(state, neighbour.working.candidates())
        self._working.coef = neighbour.working.coef.copy()
        self._improve(state)

    def _continue_from(self, state: State, found: ProvenStumps) -> None:
        """Begin, or go on, with a combination of stumps and the weights that prove it."""
        self._working.take_stumps(state, found.coef)
        self._accept(state, self._working.coef)
        self._master.begin_with(found.weights)
        state.dual[:] = self._signed(state.sample, found.weights)
        state.bracket(lower=self.value(state))

    # -- a round ---------------------------------------------------------------------------------

    def update(self, state: State, found: list[Candidate]) -> Stop | None:
        """Add new hypotheses, solve the master problem, accept its combination if it is better."""
        state.note(coef=0.0)
        if self.rtol > 0.0 and state.gap <= self.rtol * state.lower:
            return Stop.GAP
        new = [c for c in found if c.hypothesis not in self._working]
        price = self._problem.price
        too_dear = price is not None and not state.members and found[0].edge <= price
        if too_dear or self._has_converged(state, new):
            return Stop.NO_EDGE
        hopeless = price is None and state.upper <= (self.least_margin or -math.inf)
        if hopeless and state.l1_norm > 0.0:
            return Stop.NO_MARGIN
        self._enlarge(state, new)
        stop = self._improve(state)
        if not (stop or hopeless) and state.round == DOUBT:
            proof = self._start.stumps_near_zero(state.sample, self._value)
            if proof is not None:
                self._continue_from(state, proof)
        return stop or (Stop.NO_MARGIN if hopeless else None)

    def _has_converged(self, state: State, new: list[Candidate]) -> bool:
        """Whether column generation has converged."""
        self._gap = min(self._gap, max(self._steering_bound(state) - self._value, 1e-12))
        progress = bool(new) or self._gap < 0.9 * self._gap_at_progress
        self._rounds_at_rest = 0 if progress else self._rounds_at_rest + 1
        self._gap_at_progress = self._gap if progress else self._gap_at_progress
        return not new and (self._exact or self._rounds_at_rest >= PATIENCE)

    def _enlarge(self, state: State, new: list[Candidate]) -> None:
        """Add new hypotheses to the working set."""
        self._working.add(state, new)

    def _improve(self, state: State) -> Stop | None:
        """Solve the master problem; set its weights, accept its combination if it is better."""
        working = self._working
        self._ensure_combination(state)
        try:
            coef, weights = self._master.solve(working.pool, working.coef, self._gap)
        except MasterError:
            return Stop.SOLVER
        working.coef = coef
        self._accept(state, coef)
        kept = working.forget_idle(np.array(state.coef))
        if kept is not None:  # the last bits of votes, so of weights, depend on the pool
            self._master.forget(kept)
            if any(state.coef):
                state.replace(np.array(state.coef), self._vote(state))
            weights = self._master.weights_again(working.pool, working.coef)
        state.dual[:] = self._signed(state.sample, weights)
        state.note(coef=float(coef[-1]))
        return None

    # -- going on after an interruption ----------------------------------------------------------

    def _resume(self, state: State) -> None:
        """Rebuild the columns and the weights of a resumed run."""
        self._working.replay(state.sample)
        state.scores[:] = self._vote(state)
        self._master.set_state(self._saved_master or {})
        weights = self._master.weights_again(self._working.pool, self._working.coef)
        state.dual[:] = self._signed(state.sample, weights)

    def _master_state(self) -> dict[str, Any]:
        """What the solver of the master problem remembers."""
        return self._master.get_state()

    def get_state(self) -> dict[str, Any]:
        """Return the working set, the last solution, and what the master remembers."""
        return {
            "value": self._value,
            "gap": [self._gap, self._gap_at_progress, self._rounds_at_rest],
            **self._working.get_state(),
            "master": self._master_state() if len(self._working) else {},
        }

    def set_state(self, saved: dict[str, Any]) -> None:
        """Inverse of :meth:`get_state`."""
        self._value = float(saved["value"])
        gap, at_progress, at_rest = saved["gap"]
        self._gap, self._gap_at_progress = float(gap), float(at_progress)
        self._rounds_at_rest = int(at_rest)
        self._working.set_state(saved)
        self._saved_master = saved["master"]
