"""Contract of estimators that order rows within queries: queries, fits, how good an order is."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Self

import numpy as np

from ..core.oracle import Oracle
from ..core.queries import QuerySample
from ..core.rule import Rule
from ..core.sample import Sample
from ..duals.ranking import mean_quality, ranking_gains
from ..model.features import FeatureRows
from ..types import Array
from ..validation import Constraints, Number
from .inputs import read_targets, read_weights
from .regressor import NumberBooster
from .staged import StagedFit, draw_held_back
from .training_set import Given, TargetSet, Watched
from .watching import Judge


@dataclass(frozen=True)
class QuerySet(TargetSet):
    """Checked rows of a fit to orders; ``queries`` is the number of each row's query."""

    _: KW_ONLY
    queries: Array


@dataclass(frozen=True)
class WatchedQueries(Watched):
    """Validation rows with their queries."""

    _: KW_ONLY
    queries: Array


def read_queries(given: tuple[Any, Any], n_rows: int, prefix: str = "") -> Array:
    """Query of each row, from sizes of queries whose rows lie together or from a name per row.

    >>> read_queries(([2, 1], None), 3), read_queries((None, ["b", "a", "b"]), 3)
    (array([0, 0, 1]), array([1, 0, 1]))
    """
    group, qid = given
    if group is not None and qid is not None:
        raise ValueError(f"{prefix}qid: got both {prefix}group and {prefix}qid, expected one")
    if group is not None:
        sizes = np.asarray(group)
        whole = sizes.ndim == 1 and sizes.dtype.kind in "iu" and (sizes >= 0).all()
        if not whole or sizes.sum() != n_rows:
            raise ValueError(
                f"{prefix}group: got sizes with sum {sizes.sum()}, expected whole numbers of rows "
                f"with sum {n_rows}, one for each query"
            )
        return np.repeat(np.arange(len(sizes)), sizes)
    if qid is None:
        return np.zeros(n_rows, np.int64)
    names = np.asarray(qid)
    if names.shape != (n_rows,):
        raise ValueError(
            f"{prefix}qid: got shape {names.shape}, expected one query for each of {n_rows} rows"
        )
    return np.unique(names, return_inverse=True)[1]


class BaseRanker(StagedFit, NumberBooster):
    """What estimators share that order rows within queries."""

    registry: ClassVar[dict[str, type[BaseRanker]]] = {}
    eval_at: int | None
    ndcg_exp_gain: bool
    parameter_constraints: ClassVar[Constraints] = {
        "eval_at": Number(at_least=1, integer=True, optional=True),
    }

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        group: Any = None,
        qid: Any = None,
        eval_set: Any = None,
        eval_group: Any = None,
        eval_qid: Any = None,
        init_model: Any = None,
    ) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array, sparse matrix, data frame or BinnedMatrix
            Rows. NaN is a missing value.
        y : array-like
            Relevances, at least 0, the larger the better.
        sample_weight : array-like, optional
            Nonnegative weights; a pair counts by the product of its weights.
        group : array-like of int, optional
            Numbers of rows of the queries, whose rows lie one after the other.
        qid : array-like, optional
            Query of each row, in any order. Without ``group`` and ``qid`` all rows are one query.
        eval_set : tuple (X, y), optional
            Validation rows, or a list of one such tuple.
        eval_group, eval_qid : array-like, optional
            Queries of the validation rows, as ``group`` and ``qid``.
        init_model : estimator or path, optional
            Fitted model of the same class, or its file: ``n_estimators`` rounds are added to its
            own.

        Returns
        -------
        self
        """
        queries = (group, qid), (eval_group, eval_qid)
        given = self.given(eval_set, init_model)._replace(queries=queries)
        return self.fit_targets(X, y, sample_weight, given)

    def extend(self, data: Any, given: Given) -> QuerySet:
        """Put queries, validation rows and the model to go on from with the rows."""
        queries = read_queries(given.queries[0], len(data.targets))
        own = data.features, data.rows, data.targets, data.weights
        extended: QuerySet = super().extend(QuerySet(*own, queries=queries), given)
        return extended

    def watch_rows(self, data: Any, held: Array) -> WatchedQueries:
        """Make some rows of a fit validation rows."""
        found = super().watch_rows(data, held)
        own = found.rows, found.truth, found.weights
        return WatchedQueries(*own, queries=data.queries[held])

    def read_eval_set(self, data: Any, given: Given) -> WatchedQueries:
        """Validation rows as a caller gives them, with their queries."""
        found = super().read_eval_set(data, given)
        queries = read_queries(given.queries[1], found.rows.n_rows, "eval_")
        return WatchedQueries(found.rows, found.truth, found.weights, queries=queries)

    def read_truth(self, data: Any, X: Any, y: Any) -> tuple[FeatureRows, Array]:
        """Other rows and their relevances."""
        rows = self._read_with(data.features, X)
        return rows, self.read_y(y, rows.n_rows)

    def read_y(self, y: Any, n_rows: int) -> Array:
        """Relevances, checked."""
        relevances = read_targets(y, n_rows)
        ranking_gains(relevances, self.ndcg_exp_gain)
        return relevances

    def _held_back(self, data: Any) -> Array:
        """Rows that early stopping judges by: those of whole queries."""
        if self.validation_fraction is None:
            return super()._held_back(data)
        present = np.flatnonzero(data.weights > 0)
        names, numbers = np.unique(data.queries[present], return_inverse=True)
        if len(names) < 2:
            raise ValueError(
                "validation_fraction: got rows of one query, expected two queries or more, an "
                "eval_set, or early_stopping=False"
            )
        share = self.validation_fraction
        share = share if isinstance(share, float) else share / len(names)
        held = draw_held_back(np.zeros(len(names)), share, self.held_back_seed())
        return present[np.isin(numbers, held)]

    def sample_from(self, data: Any, oracle: Oracle) -> Sample:
        """Sample of the rows of a fit that have weight."""
        used = np.flatnonzero(data.weights > 0)
        parts = self._sample_parts(data.rows, data.weights, used, oracle)
        parts["queries"] = data.queries[used]
        return QuerySample.of_targets(data.targets[used], data.weights[used], **parts)

    def smallest_sample(self) -> Sample:
        """Two rows of a query."""
        return QuerySample.of_targets(np.array([0.0, 1.0]), queries=np.zeros(2))

    def _judge(self, data: Any, watched: Watched, dense: Array) -> Judge:
        """NDCG of the validation queries is watched."""
        assert isinstance(watched, WatchedQueries)
        quality = self._quality(watched.truth, watched.queries)

        def minus_quality(rule: Rule, scores: Array, l1_norm: float) -> float:
            return -quality(scores)

        return minus_quality

    def _quality(self, y: Array, queries: Array) -> Any:
        """Make the function from scores of these rows to their mean NDCG."""
        sample = QuerySample.of_targets(y, queries=queries)
        order, starts = sample.order, sample.starts
        gains = ranking_gains(y, self.ndcg_exp_gain)[order]
        return lambda scores: mean_quality(starts, scores[order], gains, self.eval_at)

    def score(
        self, X: Any, y: Any, sample_weight: Any = None, *, group: Any = None, qid: Any = None
    ) -> float:
        """Mean NDCG of queries, at ``eval_at`` places; weights are those of rows that count.

        Parameters
        ----------
        X, y : array-like
            Rows and their relevances.
        sample_weight : array-like, optional
            Rows without weight are left out.
        group, qid : array-like, optional
            Queries, as in fit.
        """
        found = self.predict(X)
        relevances, queries = self.read_y(y, len(found)), read_queries((group, qid), len(found))
        used = read_weights(sample_weight, len(found)) > 0
        return float(self._quality(relevances[used], queries[used])(found[used]))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.positive_only = True
        return tags
