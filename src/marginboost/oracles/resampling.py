"""Boosting by resampling (SF-A1b): the base learner sees an unweighted sample drawn by weight."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..core.oracle import Candidate, Oracle
from ..core.types import Array
from ..kernels.weights import weighted_sum


class ResamplingOracle(Oracle):
    """Draw as many rows as there are, with replacement, in proportion to their weight.

    The hypothesis is found on the draw; its edge is measured on the true weights. If that edge is
    negative the hypothesis is turned round.

    Parameters
    ----------
    oracle : Oracle
        The base learner that gets the draws.
    """

    def __init__(self, oracle: Oracle) -> None:
        self.oracle = oracle

    @property
    def needs_bins(self) -> bool:  # type: ignore[override]
        """As its base learner."""
        return self.oracle.needs_bins

    def check(self) -> None:
        """Check the base learner."""
        self.oracle.check()

    def prepare(self) -> None:
        """Bind the base learner."""
        self._base = self.oracle.bind(self.sample)
        self.class_name = self._base.class_name

    def best(self, dual: Array, k: int = 1, *, round: int = 1) -> list[Candidate]:
        """Candidates found on a fresh draw."""
        weights = np.abs(dual)
        rng = np.random.default_rng([self.sample.seed, round])
        counts = rng.multinomial(len(dual), weights / weights.sum())
        drawn = np.sign(dual) * counts / len(dual)
        found = [_measured(new, dual) for new in self._base.best(drawn, k, round=round)]
        return sorted(found, key=lambda candidate: -candidate.edge)


def _measured(candidate: Candidate, dual: Array) -> Candidate:
    edge = weighted_sum(dual, candidate.column)
    if edge < 0:
        turned = candidate.hypothesis.negated()
        return replace(candidate, hypothesis=turned, edge=-edge, column=-candidate.column)
    return replace(candidate, edge=edge)
