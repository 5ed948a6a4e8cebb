"""What NMBoost and CG-Boost share: a program with shortfalls from a given margin, every round.

The program is solved over all hypotheses found so far by an interior-point method
(solvers/masters/shortfalls.py). Its weights do not have the sum one; the base learner gets them
divided by their sum.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from ..core.oracle import Candidate
from ..core.rule import Rule
from ..core.sample import Sample
from ..core.state import State
from ..core.stop import Stop
from ..solvers.masters.base import MasterError
from ..solvers.masters.packed_pool import PackedPool
from ..solvers.masters.shortfalls import ShortfallMaster
from ..types import Array

COLUMNS = 16
"""New hypotheses taken up in a round, at most."""


class ShortfallRule(Rule):
    """Column generation on one of the two programs.

    Parameters
    ----------
    accuracy : float
        Gap to which a program is solved, over the hypotheses found.
    """

    columns_per_round = COLUMNS

    def __init__(self, accuracy: float) -> None:
        self.accuracy = accuracy
        self._value = 0.0
        self._trial: Array = np.empty(0)
        self._weights: Array = np.empty(0)

    @abstractmethod
    def make_master(self, sample: Sample) -> ShortfallMaster:
        """Make the solver of the program."""

    def start(self, state: State) -> None:
        """Begin with the largest weights, or take up a run by its hypotheses."""
        sample = state.sample
        self._master = self.make_master(sample)
        self._pool = state.pool = PackedPool(len(sample.y), sample.n_threads)
        for member in state.members:
            self._pool.append(sample.column(member))
        if state.members:
            state.scores[:] = self._pool.combine(np.array(state.coef))
        else:
            problem = self._master.problem
            self._value, self._trial = problem.worst, np.empty(0)
            self._weights = (1.0 + problem.C) * problem.caps
        self._reweigh(state)

    def value(self, state: State) -> float:
        """Objective of the present combination."""
        return self._value

    def value_of(self, outcomes: Array, l1_norm: float, sample: Sample) -> float:
        """Objective of any combination."""
        return self.make_master(sample).problem.value(outcomes, l1_norm)

    def upper(self, state: State, edge: float) -> float:
        """What the weights prove with this largest edge."""
        return self._master.problem.upper(self._weights, self._scale * edge)

    def worth_having(self, candidate: Candidate, state: State) -> bool:
        """Whether a new hypothesis may improve the combination."""
        return True

    def update(self, state: State, found: list[Candidate]) -> Stop | None:
        """Add what is new, solve the program, take its combination if it is better."""
        state.note(coef=0.0)
        known = set(state.members)
        new = [c for c in found if c.hypothesis not in known and self.worth_having(c, state)]
        if not new:
            return Stop.NO_EDGE
        state.enlarge(new[:COLUMNS])
        self._trial = np.append(self._trial, np.zeros(len(state.members) - len(self._trial)))
        try:
            self._trial, self._weights = self._master.solve(self._pool, self._trial, self.accuracy)
        except MasterError:
            return Stop.SOLVER
        scores, norm = self._pool.combine(self._trial), self._master.norm(self._trial)
        value = self._master.problem.value(state.sample.y * scores, norm)
        if value > self._value or state.l1_norm == 0.0:
            self._value = value
            state.replace(self._trial, scores)
        state.note(coef=float(self._trial[-1]))
        self._reweigh(state)
        return None

    def _reweigh(self, state: State) -> None:
        self._scale = float(self._weights.sum())
        state.dual[:] = state.sample.y * self._weights / self._scale

    def get_state(self) -> dict[str, Any]:
        """Return the value, the last solution and its weights."""
        return {
            "value": self._value,
            "trial": self._trial.tolist(),
            "weights": self._weights.tolist(),
        }

    def set_state(self, saved: dict[str, Any]) -> None:
        """Take them back."""
        self._value = float(saved["value"])
        self._trial = np.array(saved["trial"], dtype=np.float64)
        self._weights = np.array(saved["weights"], dtype=np.float64)
