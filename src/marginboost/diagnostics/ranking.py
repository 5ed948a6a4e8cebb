"""How well scores order the rows of queries."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.queries import query_starts
from ..duals.ranking import mean_quality, ranking_gains
from ..validation import check_number
from .arrays import same_length, vector


def ndcg(
    y: Any, scores: Any, qid: Any = None, *, k: int | None = None, ndcg_exp_gain: bool = True
) -> float:
    """Normalised discounted cumulative gain, the mean over queries.

    The gain of a row, ``2^y - 1`` or y, counts 1 / log2(1 + place) at its place in the order of
    scores; 1 is the best order of all. Rows of equal scores share their places. Queries without
    any gain are left out.

    Parameters
    ----------
    y : array-like
        Relevances, none negative.
    scores : array-like
        Scores of the rows.
    qid : array-like, optional
        Query of each row; None is one query.
    k : int, optional
        Places that count; None is all.
    ndcg_exp_gain : bool
        Whether gains are ``2^y - 1`` (LightGBM's and XGBoost's) or y (scikit-learn's).

    Returns
    -------
    float
        In [0, 1]; 1 where no query has any gain.

    Examples
    --------
    >>> round(ndcg([0, 1, 2], [0.1, 0.3, 0.2], ndcg_exp_gain=False), 4)
    0.8597
    """
    check_number("k", k, at_least=1, integer=True, optional=True)
    relevance, found = vector("y", y), vector("scores", scores)
    queries = np.zeros(len(relevance)) if qid is None else np.asarray(qid)
    same_length(y=relevance, scores=found, qid=queries)
    order = np.argsort(queries, kind="stable")
    gains = ranking_gains(relevance, ndcg_exp_gain)
    return mean_quality(query_starts(queries), found[order], gains[order], k)
