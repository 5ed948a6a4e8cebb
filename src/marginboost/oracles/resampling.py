"""Boosting by resampling (SF-A1b): the base learner sees an unweighted sample drawn by weight."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..core.oracle import Candidate
from ..core.weights import Weights
from ..kernels.weights import weighted_sum
from ..types import Array
from .wrapper import OracleWrapper


class ResamplingOracle(OracleWrapper):
    """Draw as many rows as there are, with replacement, in proportion to their weight.

    The hypothesis is found on the draw; its edge is measured on the true weights. If that edge is
    negative the hypothesis is turned round. Curvatures are drawn with the weights: a row that comes
    twice as often as its weight says has twice its curvature.

    Parameters
    ----------
    oracle : Oracle
        The base learner that gets the draws.
    """

    saved = True

    def check(self, *, drawn: bool = False) -> None:
        """Check the base learner, which gets counts for weights."""
        self.oracle.check(drawn=True)

    def prepare(self) -> None:
        """Bind the base learner; a draw does not show the largest edge."""
        super().prepare()
        self.exact = False

    def find(self, weights: Weights, k: int, round: int) -> list[Candidate]:
        """Candidates found on a fresh draw."""
        dual, sizes = weights.dual, np.abs(weights.dual)
        counts = self.draw(sizes / sizes.sum(), round) / len(dual)
        curvature = weights.curvature
        if curvature is not None:
            times = np.divide(counts, sizes, out=np.zeros(len(dual)), where=sizes > 0.0)
            curvature = curvature * times
        drawn = Weights(np.sign(dual) * counts, curvature)
        found = [_measured(new, dual) for new in self.base.best(drawn, k, round=round)]
        return sorted(found, key=lambda candidate: -candidate.edge)

    def draw(self, shares: Array, round: int) -> Array:
        """How often each row is drawn, if its share of the weight is this."""
        rng = np.random.default_rng([self.sample.seed, round])
        return rng.multinomial(len(shares), shares)


def _measured(candidate: Candidate, dual: Array) -> Candidate:
    edge = weighted_sum(dual, candidate.column)
    if edge < 0:
        turned = candidate.hypothesis.negated()
        return replace(candidate, hypothesis=turned, edge=-edge, column=-candidate.column)
    return replace(candidate, edge=edge)
