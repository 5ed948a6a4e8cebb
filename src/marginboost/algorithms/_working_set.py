"""The working set of column generation: the hypotheses over which the master problem is solved.

Members of a run are never removed, so the working set is a selection of them. A hypothesis that had
no weight for some rounds leaves it: the master problem stays small. One that is found again stays
for good, so that runs end.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.hypothesis import Hypothesis
from ..core.oracle import Candidate
from ..core.sample import Sample
from ..core.state import State
from ..oracles.stumps import Stump
from ..types import Array
from ._levels import answers_by_code

IDLE_ROUNDS = 10
"""Rounds without weight after which a hypothesis is forgotten."""
FOR_GOOD = -(10**9)
"""Idle rounds of a hypothesis that was forgotten once and found again: it stays, so runs end."""


class WorkingSet:
    """Hypotheses of the master problem, their columns, and the coefficients of its last solution.

    Attributes
    ----------
    pool : PackedPool
        Columns, in the order of the hypotheses. Where rows are in parts, it only counts them.
    places : array of int
        Positions of the hypotheses among the members of the run.
    coef : array
        Coefficients of the last solution; 0 for hypotheses added since.
    """

    pool: Any

    def __init__(self) -> None:
        self.places: Array = np.empty(0, dtype=int)
        self.coef: Array = np.empty(0)
        self._idle: Array = np.empty(0, dtype=int)
        self._members: list[Hypothesis] = []
        self._known: set[Hypothesis] = set()
        self._forgotten: set[Hypothesis] = set()

    def start(self, state: State, pool: Any) -> None:
        """Select among the members of a run, with their columns in an empty pool."""
        self.pool = state.pool = pool
        self._members = state.members
        self._known = set(self.hypotheses)
        self._forgotten = set(state.members) - self._known

    def __len__(self) -> int:
        return len(self.places)

    def __contains__(self, hypothesis: Hypothesis) -> bool:
        return hypothesis in self._known

    @property
    def hypotheses(self) -> list[Hypothesis]:
        """Hypotheses, in the order of their columns."""
        return [self._members[t] for t in self.places]

    def candidates(self) -> list[Candidate]:
        """Hypotheses with their columns, for another run on the same rows; edges are left at 0."""
        names = self.hypotheses
        return [Candidate(h, 0.0, self.pool.column(j)) for j, h in enumerate(names)]

    # -- adding and forgetting -------------------------------------------------------------------

    def add(self, state: State, new: list[Candidate]) -> None:
        """Add hypotheses to the run and to the working set."""
        state.enlarge(new)
        self._select([candidate.hypothesis for candidate in new])

    def take_stumps(self, state: State, coef: dict[Stump, float]) -> None:
        """Add stumps many at a time, and take their combination for the last solution."""
        bins, new = state.sample.bins, [stump for stump in coef if stump not in self]
        assert bins is not None
        if new:
            self.pool.extend_by_codes(bins.codes, *answers_by_code(bins, new))
        state.members += new
        state.coef += [0.0] * len(new)
        self._select(new)
        whole: dict[Hypothesis, float] = dict(coef.items())
        self.coef = np.array([whole.get(hypothesis, 0.0) for hypothesis in self.hypotheses])

    def _select(self, names: Sequence[Hypothesis]) -> None:
        """Select the members added last."""
        last = len(self._members)
        idle = [FOR_GOOD if name in self._forgotten else 0 for name in names]
        self._known.update(names)
        self.places = np.append(self.places, np.arange(last - len(names), last))
        self._idle = np.append(self._idle, np.array(idle, dtype=int))
        self.coef = np.append(self.coef, np.zeros(len(names)))

    def forget_idle(self, present: Array) -> Array | None:
        """Drop hypotheses that have had no weight for a while.

        ``present`` are the coefficients of all members in the combination of the run, whose
        hypotheses stay. Returns the positions kept, or None where no hypothesis was dropped.
        """
        self._idle = np.where(self.coef > 0.0, np.minimum(self._idle, 0), self._idle + 1)
        keep = np.flatnonzero((self._idle < IDLE_ROUNDS) | (present[self.places] > 0.0))
        if len(keep) == len(self._idle):
            return None
        dropped = {self._members[t] for t in np.delete(self.places, keep)}
        self._known -= dropped
        self._forgotten |= dropped
        self.places, self._idle = self.places[keep], self._idle[keep]
        self.coef = self.coef[keep]
        self.pool.keep(keep)
        return keep

    # -- coefficients of members -----------------------------------------------------------------

    def of_members(self, coef: Array) -> Array:
        """Coefficients of all members of the run, from those of the working set."""
        whole = np.zeros(len(self._members))
        whole[self.places] = coef
        return whole

    def vote(self, whole: Array) -> Array:
        """Scores of coefficients of all members; the order of the pool decides their last bits."""
        return self.pool.combine(whole[self.places])

    # -- going on after an interruption ----------------------------------------------------------

    def replay(self, sample: Sample) -> None:
        """Make the columns anew."""
        for hypothesis in self.hypotheses:
            self.pool.append(sample.column(hypothesis))

    def get_state(self) -> dict[str, Any]:
        """Return the selection and the last solution, as plain data."""
        return {
            "trial": self.coef.tolist(),
            "in_pool": self.places.tolist(),
            "idle": self._idle.tolist(),
        }

    def set_state(self, saved: dict[str, Any]) -> None:
        """Inverse of :meth:`get_state`."""
        self.coef = np.array(saved["trial"], dtype=float)
        self.places = np.array(saved["in_pool"], dtype=int)
        self._idle = np.array(saved["idle"], dtype=int)
