"""Small decision volumes as a sign of noise (CH-A18, Algorithm 9).

AdaBoost shrinks the region of influence of a row that it can fit but whose neighbours contradict
it. So the rows with the smallest decision volumes are flagged, a given fraction of all.

The thesis means the region of the predicted label. But a wrong label that AdaBoost does not fit in
its few rounds lies in the large region of the other class, and looks clean: of labels flipped on
purpose that reading finds no more than chance would. The region of the given label is empty for
such a row, which is then the first to be flagged, the most contradicted one before the others; this
is the default.

Reference: Chan, *On Boosting and Noisy Labels*, 2015, section 3.3.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone

from ...algorithms import AdaBoostClassifier
from ...estimators.classifier import BaseMarginClassifier
from ...types import Array
from ...validation import check_choice, check_number
from ..volumes import log_decision_volumes
from .base import NoiseFilter


class DecisionVolumeFilter(NoiseFilter):
    """Flag the rows with the smallest decision volumes in a boosted stump ensemble.

    Two classes; complete numeric rows.

    Parameters
    ----------
    estimator : classifier of this package or None
        The stump ensemble; None is :class:`~marginboost.AdaBoostClassifier` with 50 rounds.
    fraction : float
        Fraction of the rows to flag, in [0, 1]. Among equal volumes, such as empty ones, smaller
        margins go first. The thesis takes as many as another filter flags:
        ``fraction=other.flagged_.mean()``.
    label : {"given", "predicted"}
        Whose region: that of the given label, which is empty for a row that the ensemble gets wrong
        (such rows are flagged first), or that of the predicted label, as in the thesis, which does
        not find labels that the ensemble contradicts.
    padding : float
        By how much the box is longer than the data, at both ends of each axis.

    Attributes
    ----------
    flagged_ : array of bool
        The rows flagged.
    score_ : array
        Logarithm of the decision volume.
    model_ : fitted classifier
        The stump ensemble.
    """

    two_classes = True

    def __init__(
        self,
        estimator: Any = None,
        *,
        fraction: float = 0.025,
        label: str = "given",
        padding: float = 0.01,
    ) -> None:
        self.estimator = estimator
        self.fraction = fraction
        self.label = label
        self.padding = padding

    def companion(self) -> Any:
        """Return the boosting algorithm itself."""
        return AdaBoostClassifier() if self.estimator is None else clone(self.estimator)

    def _check_parameters(self) -> None:
        check_number("fraction", self.fraction, at_least=0.0, at_most=1.0)
        check_choice("label", self.label, ("given", "predicted"))
        if self.estimator is not None and not isinstance(self.estimator, BaseMarginClassifier):
            raise TypeError(
                f"estimator: got {self.estimator!r}, expected a classifier of this package"
            )

    def _find(self, X: Array, y: Array) -> tuple[Array, Array]:
        self.model_ = self.companion().fit(X, y)
        given = self.label == "given"
        volumes = log_decision_volumes(self.model_, X, y if given else None, padding=self.padding)
        ties = self.model_.margins_ if given else None  # only the given label's region is empty
        return volumes, smallest(volumes, self.fraction, ties)


def smallest(values: Array, fraction: float, ties: Array | None = None) -> Array:
    """Mark a fraction of the rows, those with the smallest values; among equals by ``ties``, row.

    >>> smallest(np.array([3.0, 1.0, 1.0, 2.0]), 0.25)
    array([False,  True, False, False])
    >>> smallest(np.array([3.0, 1.0, 1.0, 2.0]), 0.25, np.array([0.0, 0.5, -0.5, 0.0]))
    array([False, False,  True, False])
    """
    chosen = np.zeros(len(values), dtype=bool)
    order = np.lexsort((np.zeros(len(values)) if ties is None else ties, values))
    chosen[order[: round(fraction * len(values))]] = True
    return chosen
