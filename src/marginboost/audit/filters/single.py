"""The single-algorithm filter (CH-A12): one cross-validated classifier is against the label.

Its two kinds differ in what classifies the rows that are left: the same algorithm (CH-A12a), or
another one (CH-A12b), since a good filter need not be a good classifier. Both are
:class:`~marginboost.audit.FilteredClassifier`, without and with an ``estimator``.

Reference: Brodley & Friedl, *Identifying mislabeled training data*, 1999.
"""

from __future__ import annotations

from typing import Any

from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier

from ...types import Array
from ..folds import SEED, check_classifier
from .base import NoiseFilter
from .voting import voter_errors


class SingleFilter(NoiseFilter):
    """Flag rows that one cross-validated classifier mislabels.

    Any input that the classifier takes, any number of classes.

    Parameters
    ----------
    estimator : classifier or None
        None is a decision tree.
    cv : int, splitter or iterable of (train, test)
        Folds; an integer makes that many shuffled, stratified ones.
    random_state : int, RandomState or None
        Seed of the shuffle, if ``cv`` is an integer; None is a fixed one.

    Attributes
    ----------
    flagged_ : array of bool
        The rows flagged.
    score_ : array
        0 for the rows flagged, 1 for all others.
    """

    reads_numbers = False

    def __init__(self, estimator: Any = None, *, cv: Any = 3, random_state: Any = None) -> None:
        self.estimator = estimator
        self.cv = cv
        self.random_state = random_state

    def companion(self) -> Any:
        """Return the filtering algorithm itself."""
        if self.estimator is None:
            return DecisionTreeClassifier(random_state=SEED)
        return clone(self.estimator)

    def _check_parameters(self) -> None:
        check_classifier("estimator", self.companion())

    def _find(self, X: Any, y: Array) -> tuple[Array, Array]:
        wrong = voter_errors([self.companion()], X, y, self.cv, self.random_state)[:, 0]
        return 1.0 - wrong, wrong > 0.0
