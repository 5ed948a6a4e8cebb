"""Any scikit-learn classifier or regressor as base learner."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import clone, is_regressor
from sklearn.utils.validation import has_fit_parameter

from ..core.hypothesis import Hypothesis
from ..core.oracle import Candidate, Oracle
from ..core.types import Array
from ..core.weights import Weights
from ..data import BinnedMatrix


@dataclass(frozen=True)
class Fitted(Hypothesis):
    """A fitted estimator with outputs in [-1, 1]."""

    estimator: Any
    scale: float = 1.0

    def __call__(self, rows: Array) -> Array:
        """Outputs on dense rows; a regressor's are clipped to [-1, 1]."""
        raw = np.asarray(self.estimator.predict(rows), dtype=float)
        return np.clip(self.scale * raw, -1.0, 1.0)

    def negated(self) -> Fitted:
        """Turn the outputs round."""
        return replace(self, scale=-self.scale)

    def importances(self, n_features: int) -> Array:
        """Take the estimator's own importances, or its absolute coefficients."""
        if hasattr(self.estimator, "feature_importances_"):
            share = np.asarray(self.estimator.feature_importances_, dtype=float)
        elif hasattr(self.estimator, "coef_"):
            share = np.abs(np.asarray(self.estimator.coef_, dtype=float)).reshape(-1, n_features)
            share = share.sum(axis=0)
        else:
            return super().importances(n_features)
        return share / share.sum() if share.sum() > 0 else share


def seeded(estimator: Any, seed: int, round: int) -> tuple[Any, np.random.Generator]:
    """Copy of an estimator for one round, its random states set, and a generator for the rest."""
    rng = np.random.default_rng([seed, round])
    copy = clone(estimator)
    states = {
        name: int(rng.integers(2**31))
        for name in sorted(copy.get_params())
        if name == "random_state" or name.endswith("__random_state")
    }
    return copy.set_params(**states), rng


class SklearnOracle(Oracle):
    """Fit a scikit-learn estimator to the signed weights.

    A classifier learns the signs of the weights, with their sizes as ``sample_weight``; a regressor
    learns the signed weights themselves, scaled to [-1, 1]. An estimator that takes no
    ``sample_weight`` gets a sample of rows drawn by weight. Nothing is known about how close to the
    largest edge it comes, so no run with it is certified.

    Parameters
    ----------
    estimator : scikit-learn classifier or regressor
        Cloned for every round. A ``random_state`` parameter is set from the sample's seed and the
        round.
    """

    exact = False
    class_name = "what a scikit-learn estimator can represent"

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    def prepare(self) -> None:
        """Read the raw rows once."""
        rows = self.sample.rows
        if rows is None:
            raise ValueError("SklearnOracle: the sample has no raw rows")
        if isinstance(rows, BinnedMatrix):
            raise TypeError(
                "SklearnOracle: a scikit-learn base learner reads raw rows; got a BinnedMatrix, "
                "which only stumps and trees can read"
            )
        self._rows = rows.dense(0, rows.n_rows)

    def find(self, weights: Weights, k: int, round: int) -> list[Candidate]:
        """One fitted estimator."""
        dual = weights.dual
        fitted, rng = seeded(self.estimator, self.sample.seed, round)
        sizes = np.abs(dual)
        # A weight that underflowed to zero has no sign; it must not become a third class.
        signs = np.where(dual > 0, 1.0, -1.0)
        goal = dual / sizes.max() if is_regressor(fitted) else signs
        if has_fit_parameter(fitted, "sample_weight") and not is_regressor(fitted):
            fitted.fit(self._rows, goal, sample_weight=sizes * len(dual))
        elif is_regressor(fitted):
            fitted.fit(self._rows, goal)
        else:
            drawn = rng.choice(len(dual), size=len(dual), p=sizes / sizes.sum())
            drawn[:2] = np.argmax(dual), np.argmin(dual)  # a draw of one class teaches nothing
            fitted.fit(self._rows[drawn], goal[drawn])
        return [self._candidate(Fitted(fitted), dual)]

    def _candidate(self, hypothesis: Fitted, dual: Array) -> Candidate:
        column = hypothesis(self._rows)
        if not np.isfinite(column).all():
            raise ValueError(f"{hypothesis.estimator!r} predicted NaN or infinity")
        largest = np.abs(column).max()
        if 0 < largest < 1 and is_regressor(hypothesis.estimator):
            # A regressor's outputs shrink with the weights: use the whole of [-1, 1].
            hypothesis = Fitted(hypothesis.estimator, 1.0 / largest)
            column = hypothesis(self._rows)
        edge = float(dual @ column)
        if edge < 0:
            hypothesis, column, edge = hypothesis.negated(), -column, -edge
        if (np.abs(column) == 1).all():
            column = column.astype(np.int8)
        return Candidate(hypothesis, edge, column)
