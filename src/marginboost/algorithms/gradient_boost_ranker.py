"""Gradient boosting of orders: pairs of rows of a query, weighed by what they cost (LambdaMART).

Problem: scores F that put the rows of a query in the order of their relevances y,

    min_F  Σ_queries Σ_{y_i > y_j} w_ij log(1 + exp(F(x_j) - F(x_i))),    F = Σ_t ν s_t h_t

over pairs of rows of the same query. Pairwise (RankNet): w = 1 / number of pairs. LambdaRank: w is
|ΔNDCG|, what swapping the rows in the present order would change the query's NDCG by; its
derivative is left out, so that the sum is no function that is minimised, but NDCG rises. One
second-order tree per round takes Newton's step in every leaf, as in GradientBoost.

Bounds are on the training rows' mean NDCG: from below by the model, from above by 1. No certificate
is claimed. Rate: none is claimed.

References: Burges et al., *Learning to rank using gradient descent*, 2005; Burges, *From RankNet
to LambdaRank to LambdaMART: an overview*, 2010.
"""

from __future__ import annotations

from typing import Any, ClassVar

from ..estimators.constructors import forward
from ..estimators.ranker import BaseRanker
from ..fitting.algorithm import Algorithm
from ..validation import Constraints, Effects, Number, check_number
from ._lambda_rank import LOSSES, LambdaRank
from ._second_order import LONGEST_STEP, OWN_TREES, document_trees, second_order_trees


@document_trees
class GradientBoostRanker(BaseRanker):
    """Gradient boosting for the order of rows within queries: LambdaMART.

    What LightGBM's and XGBoost's rankers do. ``predict`` gives scores, of which only the order
    within a query means something; ``score`` is their mean NDCG.

    Parameters
    ----------
    estimator : Oracle or None
        Base learner; None is a :class:`~marginboost.GradientTreeOracle` with the settings below,
        which others do not read.
    loss : {"lambdarank", "pairwise"}
        What a pair of rows in the wrong order weighs: by how much swapping them would change the
        query's NDCG, or the same for all pairs of a query.
    lambdarank_truncation_level : int or None
        Only pairs count of which one row is among so many highest scores of its query, and so
        many places count in NDCG; None is all.
    ndcg_exp_gain : bool
        Whether the gain of a relevance y is ``2^y - 1``, for grades, or y itself.
    eval_at : int or None
        Places that count in ``score`` and in early stopping; None is all.
    n_estimators : int
        Most rounds.
    learning_rate : float
        Factor on every coefficient, ν.
    {trees}
    {growth}
    {monotonic}
    tol : float or None
        With early stopping, the least improvement of NDCG that counts; None is 1e-7. Without, stop
        when the training rows' NDCG is so close to 1; None never does.
    early_stopping : bool or "auto"
        Whether to end the run when NDCG of validation queries rises no more, and to keep the best
        round. "auto" does so with more than 10,000 rows, or where an ``eval_set`` is given.
    validation_fraction : float, int or None
        Share or number of queries that early stopping holds back where no ``eval_set`` is given;
        None watches the training rows themselves.
    n_iter_no_change : int
        Rounds without improvement after which early stopping ends the run.
    warm_start : bool
        Whether a second fit goes on from the model of the first, to ``n_estimators`` rounds in all.
    {common}

    Attributes
    ----------
    {staged fitted}
    {fitted}

    References
    ----------
    Burges, *From RankNet to LambdaRank to LambdaMART: an overview*, 2010.

    Examples
    --------
    >>> import numpy as np
    >>> from marginboost import GradientBoostRanker
    >>> rng = np.random.default_rng(0)
    >>> X, qid = rng.normal(size=(600, 3)), np.repeat(np.arange(30), 20)
    >>> y = np.digitize(X[:, 0] + 0.5 * rng.normal(size=600), [0.5, 1.5])
    >>> model = GradientBoostRanker(n_estimators=30).fit(X, y, qid=qid)
    >>> bool(model.score(X, y, qid=qid) > 0.9)
    True
    """

    __summary__: ClassVar[dict[str, str]] = {
        "problem": "rows of queries in the order of their relevance: pairs weighed by ΔNDCG",
        "guarantee": "none; bounds on the training NDCG",
        "reference": "Burges et al. 2005; Burges 2010",
    }
    __constraints__: ClassVar[Constraints] = {
        "loss": tuple(LOSSES),
        "ndcg_exp_gain": (True, False),
        "learning_rate": Number(above=0.0),
    }
    __effects__: ClassVar[Effects] = OWN_TREES

    def __init__(
        self,
        estimator: Any = None,
        *,
        loss: str = "lambdarank",
        lambdarank_truncation_level: int | None = 30,
        ndcg_exp_gain: bool = True,
        eval_at: int | None = None,
        n_estimators: int = 100,
        learning_rate: float = 0.1,
        max_leaf_nodes: int | None = 31,
        max_depth: int | None = None,
        min_samples_leaf: float = 20,
        l2_regularization: float = 0.0,
        subsample: float = 1.0,
        max_features: float = 1.0,
        colsample_bytree: float = 1.0,
        min_split_gain: float = 0.0,
        grow_policy: str = "lossguide",
        interaction_cst: Any = None,
        monotonic_cst: Any = None,
        tol: float | None = None,
        early_stopping: bool | str = False,
        validation_fraction: float | int | None = 0.1,
        n_iter_no_change: int = 10,
        warm_start: bool = False,
        max_bins: int | None = 255,
        categorical_features: Any = "from_dtype",
        callbacks: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        forward(super().__init__, locals())
        self.loss = loss
        self.lambdarank_truncation_level = lambdarank_truncation_level
        self.ndcg_exp_gain = ndcg_exp_gain
        self.eval_at = eval_at
        self.learning_rate = learning_rate
        self.max_leaf_nodes = max_leaf_nodes
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.l2_regularization = l2_regularization
        self.subsample = subsample
        self.max_features = max_features
        self.colsample_bytree = colsample_bytree
        self.min_split_gain = min_split_gain
        self.grow_policy = grow_policy
        self.interaction_cst = interaction_cst
        self.monotonic_cst = monotonic_cst
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.warm_start = warm_start

    def _algorithm(self) -> Algorithm:
        """Check the parameters, and make the algorithm that they mean."""
        level = self.lambdarank_truncation_level
        if level is not None:
            check_number("lambdarank_truncation_level", level, at_least=1, integer=True)
        return self._make_algorithm(
            lambda problem, chosen: LambdaRank(
                self.loss, self.learning_rate, level, self.ndcg_exp_gain
            ),
            oracle=self._base_learner(lambda: second_order_trees(self, max_step=LONGEST_STEP)),
        )
