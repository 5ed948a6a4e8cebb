"""The rule of learning to rank; contract checks know no queries, so it is not registered."""

from __future__ import annotations

from ..core.objective import RankingQuality
from ..core.queries import QuerySample
from ..core.sample import Sample
from ..core.state import State
from ..duals.ranking import RankWeights, mean_quality, ranking_gains
from ..kernels.ranking import BY_NDCG, PAIRWISE
from ..types import Array
from .gradient_boost import GradientBoost

LOSSES = {"lambdarank": BY_NDCG, "pairwise": PAIRWISE}


class LambdaRank(GradientBoost):
    """Put the rows of queries in order by one tree per round.

    Parameters
    ----------
    kind : {"lambdarank", "pairwise"}
        What a pair of rows weighs.
    learning_rate : float
        Factor on every coefficient.
    level : int or None
        One row of a pair is among so many highest scores of its query; None takes all pairs.
    exponential : bool
        Whether the gain of a relevance y is ``2^y - 1``, or y.
    """

    def __init__(
        self,
        kind: str = "lambdarank",
        learning_rate: float = 0.1,
        level: int | None = 30,
        exponential: bool = True,
    ) -> None:
        super().__init__("logistic", learning_rate)
        self.kind, self.level, self.exponential = kind, level, exponential

    @property
    def objective(self) -> RankingQuality:  # type: ignore[override]
        """Mean NDCG."""
        return RankingQuality()

    def start(self, state: State) -> None:
        """Take the present order; then weights follow the scores."""
        sample = state.sample
        assert isinstance(sample, QuerySample)
        self._gains = ranking_gains(sample.y, self.exponential)
        level = len(sample.y) if self.level is None else self.level
        self._weights = RankWeights(self._gains, level, LOSSES[self.kind])
        self._weights.refresh(state)

    def value(self, state: State) -> float:
        """Mean NDCG of the training queries."""
        return self._quality(state.scores, state.sample)

    def value_of(self, outcomes: Array, l1_norm: float, sample: Sample) -> float:
        """The same of any combination."""
        return self._quality(sample.outcomes(outcomes), sample)

    def _quality(self, scores: Array, sample: Sample) -> float:
        assert isinstance(sample, QuerySample)
        order = sample.order
        return mean_quality(sample.starts, scores[order], self._gains[order], None)

    def mean_loss(self, truth: Array, scores: Array, weights: Array | None = None) -> float | None:
        """None: rows without their queries have no loss."""
        return None
