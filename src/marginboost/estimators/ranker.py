"""Contract of estimators that order rows within queries: queries, fits, how good an order is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar, Self

from ..core.queries import QuerySample
from ..duals.ranking import mean_quality, ranking_gains
from ..fitting.algorithm import Algorithm
from ..fitting.early_stop import Before, read_eval_set, with_options
from ..fitting.inputs import read_targets, read_weights
from ..fitting.queries import read_queries
from ..fitting.rows import TrainingRows
from ..types import Array
from ..validation import Constraints, Number
from .regressor import NumberBooster, check_one_target
from .staged import StagedFit


class BaseRanker(StagedFit, NumberBooster):
    """What estimators share that order rows within queries."""

    __registry__: ClassVar[dict[str, type[BaseRanker]]] = {}
    eval_at: int | None
    ndcg_exp_gain: bool
    __constraints__: ClassVar[Constraints] = {
        "eval_at": Number(at_least=1, integer=True, optional=True),
    }

    def _make_algorithm(self, rule: Any, **more: Any) -> Algorithm:
        """Make an algorithm of this rule; early stopping watches the order of validation rows."""
        return super()._make_algorithm(rule, quality=self._quality, **more)

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
        self._check_watch(eval_set)
        queries = (group, qid), (eval_group, eval_qid)
        given = {"eval_set": eval_set, "before": self._before(init_model), "queries": queries}
        return self._fit_targets(X, y, sample_weight, **given)

    def _with_options(
        self,
        algorithm: Algorithm,
        rows: TrainingRows,
        eval_set: Any = None,
        before: Before = Before(),  # noqa: B008 - a value that never changes
        queries: Any = ((None, None), (None, None)),
    ) -> TrainingRows:
        """Rows of a fit with their queries, validation rows and the model to go on from."""
        rows = replace(rows, queries=read_queries(queries[0], len(rows.truth)))
        validation = None
        if eval_set is not None:
            validation = read_eval_set(rows, eval_set)
            own = read_queries(queries[1], validation.rows.n_rows, "eval_")
            validation = replace(validation, queries=own)
        return with_options(algorithm, rows, validation, before)

    def _read_targets(self, y: Any, n_rows: int) -> Array:
        """Relevances, checked."""
        check_one_target(type(self), y)
        relevances = read_targets(y, n_rows)
        ranking_gains(relevances, self.ndcg_exp_gain)
        return relevances

    def _quality(self, y: Array, queries: Array) -> Callable[[Array], float]:
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
        relevances, queries = (
            self._read_targets(y, len(found)),
            read_queries((group, qid), len(found)),
        )
        used = read_weights(sample_weight, len(found)) > 0
        quality = self._quality(relevances[used], queries[used])
        return float(quality(found[used]))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.positive_only = True
        return tags
