"""Weights that follow from scores of rows in queries: each pair in the wrong order pulls.

With s the scores, of two rows of a query with gains g_i > g_j

    loss w_ij log(1 + exp(s_j - s_i)),    w_ij = 1 / pairs,  or  |ΔNDCG_ij| (LambdaRank),

the latter being what swapping the two would change the query's NDCG by. The weights w are those of
the present order, and their derivative is left out.

Reference: Burges, *From RankNet to LambdaRank to LambdaMART: an overview*, 2010.
"""

from __future__ import annotations

import numpy as np

from ..core.oracle import Candidate
from ..core.queries import QuerySample
from ..core.sample import Sample
from ..core.state import State
from ..kernels.exact import exact_sum
from ..kernels.parallel import run_blocks
from ..kernels.ranking import query_slopes, rank_quality
from ..losses import Logistic
from ..types import Array
from .newton import NewtonWeights

QUERIES_AT_ONCE = 64

LARGEST_RELEVANCE = 31.0
"""Of gains 2^y - 1: relevances are grades."""


def ranking_gains(y: Array, exponential: bool) -> Array:
    """Gains of relevances, ``2^y - 1`` or y itself; none may be negative.

    >>> ranking_gains(np.array([0.0, 1.0, 3.0]), True)
    array([0., 1., 7.])
    """
    if (y < 0.0).any():
        row = int(np.argmin(y))
        raise ValueError(
            f"y: row {row} has the relevance {y[row]:g}, expected at least 0. Negative values in "
            "data passed as relevances have no gain"
        )
    if exponential and (y > LARGEST_RELEVANCE).any():
        row = int(np.argmax(y))
        raise ValueError(
            f"y: row {row} has the relevance {y[row]:g}, expected at most {LARGEST_RELEVANCE:g}, "
            "since gains are 2^y - 1; use ndcg_exp_gain=False for gains y"
        )
    return np.exp2(y) - 1.0 if exponential else np.asarray(y, dtype=np.float64)


def mean_quality(starts: Array, scores: Array, gains: Array, k: int | None) -> float:
    """Mean NDCG of rows that are sorted by query; 1 where no query has any gain."""
    quality = np.empty(len(starts) - 1)
    rank_quality(starts, scores, gains, len(scores) if k is None else k, quality)
    some = ~np.isnan(quality)
    return float(quality[some].mean()) if some.any() else 1.0


class RankWeights(NewtonWeights):
    """Keeps ``state.weights`` in step with the order of rows in their queries.

    Parameters
    ----------
    gains : array
        Of the sample's rows.
    level : int
        One row of a pair is among so many highest scores.
    kind : int
        PAIRWISE or BY_NDCG.
    """

    def __init__(self, gains: Array, level: int, kind: int) -> None:
        super().__init__(Logistic())
        self.gains, self.level, self.kind = gains, level, kind

    def _weight_of_losses(self, sample: Sample) -> float:
        """Queries count alike."""
        assert isinstance(sample, QuerySample)
        return len(sample.starts) - 1

    def refresh(self, state: State) -> bool:
        """Make the weights of the present scores; False where no row has a slope."""
        sample = state.sample
        assert isinstance(sample, QuerySample)
        if state.weights.curvature is None:
            state.weights.curvature = np.empty(len(state.scores))
        order, starts = sample.order, sample.starts
        scores, gains = state.scores[order], self.gains[order]
        weights = sample.prior[order] * len(order)
        slopes, curvatures = np.empty(len(order)), np.empty(len(order))
        n_queries, losses = len(starts) - 1, np.empty(len(starts) - 1)

        def block(number: int) -> None:
            first = number * QUERIES_AT_ONCE
            last = min(first + QUERIES_AT_ONCE, n_queries)
            rows, out = (scores, gains, weights), (slopes, curvatures, losses[first:last])
            query_slopes(starts[first : last + 1], *rows, self.level, self.kind, *out)

        run_blocks(block, -(-n_queries // QUERIES_AT_ONCE), sample.n_threads)
        state.dual[order] = slopes
        state.weights.curvature[order] = curvatures
        facts = exact_sum(np.abs(slopes)), exact_sum(losses), 0.0
        return self._settle(state, [[facts]])

    def move(self, state: State, candidate: Candidate, step: float) -> bool:
        """Add a hypothesis and make the weights that follow."""
        state.move(candidate, step)
        return self.refresh(state)
