"""Stages of a cascade: how one is boosted until few enough negative rows pass (CH-M13)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from ..core.callbacks import Encoder, Watch
from ..core.state import State
from ..core.stop import Stop
from ..data.binned import midpoints
from ..estimators.classifier import BaseMarginClassifier
from ..model import BinaryModel
from ..model.features import FeatureRows
from ..types import Array

ROUNDING = 1e-12
"""Share of weight that is rounding only."""
LOWEST = -2.0
"""Below every vote."""


@dataclass(frozen=True, eq=False)
class Stage:
    """One stage: rows with a vote above the threshold pass.

    Attributes
    ----------
    classifier : classifier
        What votes.
    threshold : float
        Vote that a row must exceed.
    detection_rate, false_positive_rate : float
        Shares of the positive and of the negative rows that pass, of those held back that reached
        the stage.
    """

    classifier: BaseMarginClassifier
    threshold: float
    detection_rate: float
    false_positive_rate: float

    @property
    def size(self) -> int:
        """Number of hypotheses."""
        return len(self.classifier.ensemble_)

    def lead(self, rows: FeatureRows) -> Array:
        """Vote above the threshold."""
        votes = self.classifier.model_.votes(rows, self.classifier.n_jobs)
        return np.asarray(votes - self.threshold)


class Goals(NamedTuple):
    """Rates that a stage is to reach, on the rows that reach it."""

    min_detection: float
    max_false_positive: float


class Judged(NamedTuple):
    """Rows that rates are measured on, and which of all rows are positive, with their weights."""

    rows: Array
    positive: Array
    weights: Array


class Goal(Watch):
    """End a stage when few enough negative rows pass.

    Parameters
    ----------
    X, y
        Rows and labels.
    judged : Judged
        Rows that rates are measured on.
    goals : Goals
        Rates to reach.
    """

    def __init__(self, X: Any, y: Any, judged: Judged, goals: Goals) -> None:
        self.X, self.y, self.judged, self.goals = X, y, judged, goals
        self.weights = judged.weights[judged.rows]

    def prepare(self, encode: Encoder) -> None:
        """Read the rows once."""
        rows, signs = encode(self.X, self.y)
        some = rows.take(self.judged.rows)  # type: ignore[attr-defined]
        self.set_rows(some.dense(0, some.n_rows), signs[self.judged.rows])

    def on_round(self, state: State) -> Stop | None:
        """Measure the rates of the stage as it is."""
        positive, goals = self._truth > 0, self.goals
        passed = set_threshold(self.follow(state), positive, self.weights, goals.min_detection)[2]
        return Stop.TARGET if passed <= goals.max_false_positive else None


def set_threshold(
    votes: Array, positive: Array, weights: Array, least: float
) -> tuple[float, float, float]:
    """Largest threshold above which a share of the positive weight lies; the shares above it.

    Returns
    -------
    threshold, detection rate, false-positive rate

    Examples
    --------
    >>> votes = np.array([0.9, 0.5, 0.1, 0.4, -0.3])
    >>> positive = np.array([True, True, True, False, False])
    >>> set_threshold(votes, positive, np.ones(5), least=0.6)
    (0.45, 0.6666666666666666, 0.0)
    """
    order = np.argsort(-votes[positive], kind="stable")
    reached = np.cumsum(weights[positive][order])
    needed = int(np.argmax(reached >= (least - ROUNDING) * reached[-1]))
    lowest = float(votes[positive][order[needed]])
    below = float(votes[votes < lowest].max(initial=lowest + LOWEST))
    threshold = float(midpoints(np.array(below), np.array(lowest)))
    passed = votes > threshold
    rates = [
        float(weights[passed & kind].sum() / (weights[kind].sum() or 1.0))
        for kind in (positive, ~positive)
    ]
    return threshold, rates[0], rates[1]


def boost_stage(
    learner: BaseMarginClassifier,
    X: Any,
    labels: Array,
    weights: Array,
    judged: Judged,
    goals: Goals,
) -> tuple[Stage, Array]:
    """Boost one stage on rows with these weights, and say which of all rows it lets pass."""
    goal = Goal(X, labels, judged, goals)
    others = list(learner.callbacks or ())
    classifier = clone(learner).set_params(callbacks=[*others, goal])
    classifier.fit(X, labels, weights)
    classifier.set_params(callbacks=others or None)  # the rows are of no more use
    assert isinstance(classifier.model_, BinaryModel)
    votes = classifier.model_.votes(classifier.__read_rows__(X), classifier.n_jobs)
    truth = judged.positive[judged.rows], judged.weights[judged.rows]
    threshold, *rates = set_threshold(votes[judged.rows], *truth, goals.min_detection)
    return Stage(classifier, threshold, *rates), votes > threshold
