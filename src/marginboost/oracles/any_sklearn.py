"""Any scikit-learn classifier or regressor as base learner."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import clone, is_regressor
from sklearn.utils.validation import has_fit_parameter

from ..core.hypothesis import Hypothesis
from ..core.oracle import Candidate, Oracle
from ..core.weights import Weights
from ..data import BinnedMatrix
from ..types import Array


@dataclass(frozen=True)
class Fitted(Hypothesis):
    """A fitted estimator with outputs in [-1, 1]."""

    estimator: Any
    scale: float = 1.0

    @property
    def fitted(self) -> Any:
        """The estimator itself; where it voted against the weights, the ensemble negates it."""
        return self.estimator

    def __call__(self, rows: Array) -> Array:
        """Outputs on rows, dense or sparse; a regressor's are clipped to [-1, 1]."""
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


def check_takes_weights(estimator: Any, hint: str = "") -> None:
    """Refuse an estimator whose fit takes no weights."""
    if not has_fit_parameter(estimator, "sample_weight"):
        raise ValueError(
            f"estimator: {type(estimator).__name__} doesn't support sample_weight, expected a "
            f"classifier whose fit takes it{hint}"
        )


def seeded(estimator: Any, seed: int, round: int) -> Any:
    """Copy of an estimator for one round, with its random states set."""
    rng = np.random.default_rng([seed, round])
    copy = clone(estimator)
    states = {
        name: int(rng.integers(2**31))
        for name in sorted(copy.get_params())
        if name == "random_state" or name.endswith("__random_state")
    }
    return copy.set_params(**states)


class SklearnOracle(Oracle):
    """Fit a scikit-learn estimator to the signed weights.

    A classifier learns the signs of the weights, with their sizes as ``sample_weight``; a regressor
    learns the signed weights themselves, scaled to [-1, 1]. A classifier that takes no
    ``sample_weight`` is refused, unless rows are drawn by weight
    (:class:`~marginboost.ResamplingOracle`): then it gets the drawn rows. Sparse rows reach it in
    the format they came in. Nothing is known about how close to the largest edge it comes, so no
    run with it is certified.

    Parameters
    ----------
    estimator : scikit-learn classifier or regressor
        Cloned for every round. A ``random_state`` parameter is set from the sample's seed and the
        round.
    """

    exact = False
    offers_one = True
    class_name = "what a scikit-learn estimator can represent"

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    def check(self, *, drawn: bool = False) -> None:
        """Refuse a classifier that cannot be told the weights."""
        if not drawn and not is_regressor(self.estimator):
            by_draws = ", or ResamplingOracle(SklearnOracle(...)), which draws rows by weight"
            check_takes_weights(self.estimator, by_draws)

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
        self._rows = rows.numbers()

    def find(self, weights: Weights, k: int, round: int) -> list[Candidate]:
        """One fitted estimator."""
        dual = weights.dual
        fitted = seeded(self.estimator, self.sample.seed, round)
        sizes = np.abs(dual)
        # A weight that underflowed to zero has no sign; it must not become a third class.
        signs = np.where(dual > 0, 1.0, -1.0)
        goal = dual / sizes.max() if is_regressor(fitted) else signs
        if is_regressor(fitted):
            fitted.fit(self._rows, goal)
        elif has_fit_parameter(fitted, "sample_weight"):
            fitted.fit(self._rows, goal, sample_weight=sizes * len(dual))
        else:
            counts = np.rint(sizes * len(dual))
            self.check(drawn=np.allclose(counts, sizes * len(dual), atol=1e-6))
            drawn = np.repeat(np.arange(len(dual)), counts.astype(int))
            if len(np.unique(goal[drawn])) < 2:  # many classifiers refuse to learn from one class
                from sklearn.dummy import DummyClassifier  # rarely: no reason to wait at import

                fitted = DummyClassifier(strategy="most_frequent")
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
