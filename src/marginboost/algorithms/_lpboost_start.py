"""How LPBoost begins: with what a neighbouring run has found, or with many stumps at once.

Column generation from nothing adds a few hypotheses a round. Where hypotheses are the stumps
between the bins of a sample, a combination of many of them is found faster at once, with weights
that prove how good it is: see :mod:`._levels`. Column generation then goes on from there.
"""

from __future__ import annotations

from contextlib import suppress
from typing import NamedTuple

from ..core.sample import Sample
from ..solvers.masters.base import MasterError
from ..solvers.masters.problem import MarginProblem
from . import _levels as levels
from ._levels import ProvenStumps, can_descend, few_levels
from ._working_set import WorkingSet


class Neighbour(NamedTuple):
    """A finished run on the same sample, with another ν or C."""

    working: WorkingSet
    gap: float


class LPBoostStart:
    """What a run begins with.

    Parameters
    ----------
    stumps : bool
        Whether hypotheses are the stumps between the sample's bins, all of them. Otherwise a run
        begins with a neighbour, or with nothing.
    nu, least_margin, rtol, solver_seconds
        As in :class:`~.lpboost.LPBoost`.
    """

    def __init__(
        self,
        stumps: bool = False,
        nu: float | None = None,
        least_margin: float | None = None,
        rtol: float = 0.0,
        solver_seconds: float | None = None,
    ) -> None:
        self.stumps, self.nu, self.seconds = stumps, nu, solver_seconds
        self.least_margin, self.rtol = least_margin, rtol
        self._neighbour: Neighbour | None = None
        self._many_rows = levels.MANY_ROWS

    def inherit(self, neighbour: Neighbour) -> None:
        """Begin with the hypotheses of another run: neighbours share most of them."""
        self._neighbour = neighbour

    def take_neighbour(self, sample: Sample) -> Neighbour | None:
        """Neighbour to begin with, given once: one run's columns are enough to keep in memory.

        None where there is none, or where the solution itself is found as fast.
        """
        neighbour, self._neighbour = self._neighbour, None
        return None if self.stumps and few_levels(sample) else neighbour

    def like_a_run_on(self, n_rows: int, took_many: bool, sample: Sample) -> bool:
        """Begin with many stumps if a run on ``n_rows`` rows does, or did; returns whether."""
        many = self.nu is not None and (took_many or n_rows >= self._many_rows)
        if not (self.stumps and many and can_descend(sample)) or few_levels(sample):
            return False
        self._many_rows = 0
        return True

    def first_stumps(self, sample: Sample, problem: MarginProblem) -> ProvenStumps | None:
        """Stumps of the whole program where it is small, or by descent where rows are many."""
        if not self.stumps:
            return None
        if few_levels(sample):
            with suppress(MasterError):
                return levels.best_stumps(sample, problem.caps, self.seconds)
            return None
        if self.nu is None or len(sample.y) < self._many_rows or not can_descend(sample):
            return None
        return levels.descended_stumps(sample, self.nu, self.least_margin, self.rtol)

    def stumps_near_zero(self, sample: Sample, value: float) -> ProvenStumps | None:
        """Stumps whose weights prove how small the best soft margin is.

        They are looked for where no soft margin worth having was found: near zero, hypotheses found
        one after the other bring the upper bound down very slowly. None where they do not help.
        """
        nu, least = self.nu, self.least_margin
        if nu is None or not least or value > least:
            return None
        if not (self.stumps and can_descend(sample)):
            return None
        return levels.stumps_near_zero(sample, nu, least)
