"""Bagging: equal votes on bootstrap samples, the comparison line of Figure 1.3 (R1-A04).

Problem: none is minimised. Every round draws a bootstrap sample, fits the base learner to it and
gives it one vote; weights never change. Its margins are what boosting's are compared with: without
reweighting, hard examples keep small ones.

Certificate: a lower bound only; the draws prove nothing about other combinations.

Reference: Breiman, *Bagging predictors*, 1996.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from ..core.oracle import Candidate
from ..core.rule import Rule
from ..core.state import State
from ..core.stop import Stop
from ..estimators.classifier import BaseMarginClassifier, document
from ..estimators.constructors import forward
from ..fitting.algorithm import Algorithm
from ..model import VoteLink
from ..oracles.resampling import ResamplingOracle


class BaggedVote(Rule):
    """One vote per hypothesis, weights as at the start."""

    def start(self, state: State) -> None:
        """Weights are the prior, now and always."""
        state.dual[:] = state.sample.y * state.sample.prior
        self._measure(state)

    def upper(self, state: State, edge: float) -> float:
        """Nothing is proven: no margin exceeds 1."""
        return 1.0

    def update(self, state: State, found: list[Candidate]) -> Stop | None:
        """Add the hypothesis with one vote."""
        state.move(found[0], 1.0)
        self._measure(state)
        state.note(coef=1.0, normaliser=1.0)
        return None

    def _measure(self, state: State) -> None:
        if state.size:
            state.min_margin = float(np.min(state.sample.y * state.scores)) / state.l1_norm


@document
class BaggedVoteClassifier(BaseMarginClassifier):
    """Bagging as a baseline: a plain vote over bootstrap samples.

    ``predict_proba`` is the share of votes.

    Parameters
    ----------
    estimator : Oracle, scikit-learn estimator or None
        Base learner; None is the exact stump. Bagging helps learners that change much between
        samples, such as ``TreeOracle(max_depth=8)``.
    n_estimators : int
        Number of votes.
    {common}

    Attributes
    ----------
    {fitted}

    References
    ----------
    Breiman, *Bagging predictors*, 1996.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from marginboost import BaggedVoteClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = BaggedVoteClassifier(random_state=0).fit(X, y)
    >>> model.n_iter_
    50
    """

    __summary__: ClassVar[dict[str, str]] = {
        "problem": "none: equal votes on bootstrap samples, for comparison",
        "guarantee": "none on margins",
        "reference": "Breiman 1996",
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 50,
        class_weight: Any = None,
        max_bins: int | None = 255,
        categorical_features: Any = "from_dtype",
        callbacks: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        forward(super().__init__, locals())

    def _algorithm(self) -> Algorithm:
        """Make the algorithm that the parameters mean."""
        oracle = ResamplingOracle(self._base_learner())
        return self._make_algorithm(
            lambda problem, chosen: BaggedVote(), oracle=oracle, link=VoteLink()
        )
