"""Validation rows of a run: judged after every round, by the loss or as scorers see the model."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from ..core.callbacks import Watch, keep_lowest
from ..core.rule import Rule
from ..core.stop import Stop
from ..types import Array

if TYPE_CHECKING:
    from ..core.oracle import Oracle
    from ..core.state import State

Judge = Callable[[Rule, Array, float], float]
"""From the rule, scores of the validation rows and Σ|α| to what should be low."""


class ValidationWatch(Watch):
    """Judge the model on validation rows after every round; where asked, stop by that.

    Parameters
    ----------
    rows, truth : array
        Dense rows, and what is right for them.
    judge : callable
        What should be low.
    patience : int or None
        Rounds without a lower value before the run ends; None never ends it.
    tol : float
        How much lower counts.
    """

    def __init__(
        self, rows: Array, truth: Array, judge: Judge, patience: int | None, tol: float
    ) -> None:
        self.set_rows(rows, truth)
        self.judge, self.patience, self.tol = judge, patience, tol

    def on_start(self, state: State, oracle: Oracle, rule: Rule, max_rounds: int) -> None:
        """Take up the scores of a resumed run; one that goes on from a model has that to beat."""
        super().on_start(state, oracle, rule, max_rounds)
        self._minimised = rule
        if state.round and not state.memo:
            self._keep(state)

    def on_round(self, state: State) -> Stop | None:
        """Judge the model, and write it down."""
        return self._keep(state)

    def _keep(self, state: State) -> Stop | None:
        value = self.judge(self._minimised, self.follow(state), state.l1_norm)
        state.history.amend(validation=value)
        if self.patience is None:
            return None
        return keep_lowest(state, "validation", value, self.patience, self.tol)


class ClassifierStage(ClassifierMixin, BaseEstimator):
    """A classifier after some rounds, as scorers see it: it knows one set of rows only."""

    def __init__(self, classes: Any = (), chances: Any = ()) -> None:
        self.classes = classes
        self.chances = chances

    @property
    def classes_(self) -> Array:
        """The labels."""
        return np.asarray(self.classes)

    def fit(self, X: Any, y: Any) -> Self:
        """Nothing is learnt."""
        return self

    def predict_proba(self, X: Any) -> Array:
        """Probabilities of the rows."""
        return np.asarray(self.chances)

    def decision_function(self, X: Any) -> Array:
        """Scores in the order of the probabilities."""
        return self.chances[:, 1] if len(self.classes) == 2 else np.asarray(self.chances)

    def predict(self, X: Any) -> Array:
        """Most likely classes."""
        return self.classes_[np.argmax(self.chances, axis=1)]


class RegressorStage(RegressorMixin, BaseEstimator):
    """A regressor after some rounds, as scorers see it: it knows one set of rows only."""

    def __init__(self, predictions: Any = ()) -> None:
        self.predictions = predictions

    def fit(self, X: Any, y: Any) -> Self:
        """Nothing is learnt."""
        return self

    def predict(self, X: Any) -> Array:
        """Predictions of the rows."""
        return np.asarray(self.predictions)


def scorer_of(scoring: Any) -> Callable[..., float]:
    """Scorer of this name, of the user's own, or that of ``score``."""
    from sklearn.metrics import get_scorer  # here, not above: slow to import

    if callable(scoring):
        found: Callable[..., float] = scoring
        return found
    if scoring is None:
        return _own_score
    try:
        found = get_scorer(scoring)
    except (ValueError, TypeError) as error:
        raise ValueError(
            f"scoring: got {scoring!r}, expected 'loss', None, a callable, or a name among "
            "sklearn.metrics.get_scorer_names()"
        ) from error
    return found


def _own_score(model: Any, X: Any, y: Any, **more: Any) -> float:
    return float(model.score(X, y, **more))
