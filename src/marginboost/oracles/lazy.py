"""LazyBoosting: every round looks at a few features only, drawn anew (CH-M12).

A round looks at a tenth of the features, say, and sums up a tenth as much. Where many features are
alike, little is lost. Bounds that do not rest on the largest edge, such as AdaBoost's on the
training error, hold as they are; nothing is proven of the largest margin.

Reference: Escudero, Màrquez & Rigau, *Boosting applied to word sense disambiguation*, 2000.
"""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import numpy as np

from ..core.oracle import Candidate, Oracle
from ..core.weights import Weights
from ..kernels.ties import TIE
from ..validation import Constraints, Number
from .stumps import StumpOracle
from .trees import TreeOracle
from .wrapper import OracleWrapper

DRAWS = 10
"""Draws before it is given up that some feature has an edge."""


class LazyOracle(OracleWrapper):
    """Let a base learner see only a share of the features, drawn anew for every round.

    With all features it is the base learner itself, and certificates are its own.

    Parameters
    ----------
    oracle : Oracle
        The base learner: a :class:`~marginboost.StumpOracle` or
        :class:`~marginboost.TreeOracle`.
    max_features : float
        Share of the features, in (0, 1]; at least one is drawn.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from marginboost import AdaBoostClassifier, LazyOracle, StumpOracle
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = AdaBoostClassifier(LazyOracle(StumpOracle()), n_estimators=100).fit(X, y)
    >>> bool(model.score(X, y) > 0.98), model.certified_
    (True, False)
    """

    saved = True
    __constraints__: ClassVar[Constraints] = {"max_features": Number(above=0.0, at_most=1.0)}

    def __init__(self, oracle: Oracle, max_features: float = 0.1) -> None:
        super().__init__(oracle)
        self.max_features = max_features

    def check(self, *, drawn: bool = False) -> None:
        """Check the settings, and the base learner."""
        super().check(drawn=drawn)
        if not isinstance(self.oracle, StumpOracle | TreeOracle):
            raise TypeError(
                f"oracle: got {self.oracle!r}, expected StumpOracle() or TreeOracle(); a "
                "GradientTreeOracle draws columns itself (colsample_bytree)"
            )

    def prepare(self) -> None:
        """Bind the base learner; count the features of a draw."""
        super().prepare()
        assert self.sample.bins is not None
        self._n_features = self.sample.bins.n_features
        self._n_drawn = max(1, int(self.max_features * self._n_features + 0.5))
        if self._n_drawn < self._n_features:
            self.exact = False

    def find(self, weights: Weights, k: int, round: int) -> list[Candidate]:
        """Candidates that use drawn features only; another draw where none has an edge."""
        if self._n_drawn == self._n_features:
            return self.base.best(weights, k, round=round)
        assert self.sample.bins is not None
        rng = np.random.default_rng([self.sample.seed, round])
        weights = replace(weights, change=None)  # that was about other features
        for _ in range(DRAWS):
            drawn = np.sort(rng.choice(self._n_features, self._n_drawn, replace=False))
            bins = self.sample.bins.take_features(drawn)
            narrow = replace(self.sample, rows=bins, bins=bins)
            found = self.oracle.bind(narrow).best(weights, k, round=round)
            if found[0].edge > TIE:
                break
        return [replace(c, hypothesis=c.hypothesis.with_features(drawn)) for c in found]
