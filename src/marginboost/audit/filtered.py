"""Filter the rows, then learn from those that are left (CH-A12)."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from ..types import Array
from ..warning import warn_user
from .filters.base import NoiseFilter
from .filters.single import SingleFilter
from .folds import check_classifier, take_rows


def _classifier_has(method: str) -> Any:
    def has(self: FilteredClassifier) -> bool:
        return hasattr(getattr(self, "estimator_", self.estimator), method)

    return available_if(has)


class FilteredClassifier(ClassifierMixin, BaseEstimator):
    """A classifier that learns from what a noise filter leaves.

    Without ``estimator`` the algorithm that filters also classifies (CH-A12a; Wilson's nearest
    neighbour, John's robust tree); with one they are two (CH-A12b).

    Parameters
    ----------
    noise_filter : NoiseFilter or None
        None is a single-algorithm filter with a decision tree.
    estimator : classifier or None
        None is the one that belongs to the filter, see :meth:`NoiseFilter.companion`.

    Attributes
    ----------
    filter_ : NoiseFilter
        The fitted filter; ``filter_.flagged_`` are the rows left out.
    estimator_ : classifier
        The fitted classifier.
    classes_ : array
        The classes. One of which the filter would leave no row keeps all its rows, with a warning.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from marginboost.audit import FilteredClassifier, WilsonFilter
    >>> X, y = load_iris(return_X_y=True)
    >>> model = FilteredClassifier(WilsonFilter()).fit(X, y)
    >>> model.estimator_
    Pipeline(steps=[('standardscaler', StandardScaler()),
                    ('kneighborsclassifier', KNeighborsClassifier(n_neighbors=1))])
    """

    def __init__(self, noise_filter: Any = None, estimator: Any = None) -> None:
        self.noise_filter = noise_filter
        self.estimator = estimator

    def _parts(self) -> tuple[NoiseFilter, Any]:
        """The filter and the classifier, neither fitted."""
        chosen = SingleFilter() if self.noise_filter is None else clone(self.noise_filter)
        if not isinstance(chosen, NoiseFilter):
            raise TypeError(f"noise_filter: got {chosen!r}, expected a NoiseFilter")
        if self.estimator is not None:
            check_classifier("estimator", self.estimator)
        return chosen, chosen.companion() if self.estimator is None else clone(self.estimator)

    def fit(self, X: Any, y: Any) -> Self:
        """Filter the rows and fit the classifier to the others."""
        noise_filter, classifier = self._parts()
        self.filter_ = noise_filter.fit(X, y)
        kept = np.flatnonzero(~self.filter_.flagged_ | _of_lost_class(self.filter_.flagged_, y))
        self.estimator_ = classifier.fit(take_rows(X, kept), take_rows(y, kept))
        self.classes_ = self.estimator_.classes_
        self.n_features_in_ = self.filter_.n_features_in_
        return self

    def predict(self, X: Any) -> Array:
        """Class of each row."""
        check_is_fitted(self)
        predicted: Array = self.estimator_.predict(X)
        return predicted

    @_classifier_has("predict_proba")
    def predict_proba(self, X: Any) -> Array:
        """Probabilities, where the classifier has them."""
        check_is_fitted(self)
        chances: Array = self.estimator_.predict_proba(X)
        return chances

    @_classifier_has("decision_function")
    def decision_function(self, X: Any) -> Array:
        """Decision function, where the classifier has one."""
        check_is_fitted(self)
        scores: Array = self.estimator_.decision_function(X)
        return scores

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inputs = [get_tags(part).input_tags for part in self._parts()]
        tags.input_tags.allow_nan = all(part.allow_nan for part in inputs)
        tags.input_tags.sparse = all(part.sparse for part in inputs)
        tags.classifier_tags.multi_class = not self._parts()[0].two_classes
        return tags


def _of_lost_class(flagged: Array, y: Any) -> Array:
    """Rows of classes that are flagged altogether: a classifier would forget such a class."""
    labels = np.asarray(y).reshape(len(flagged), -1)[:, 0]
    lost = np.setdiff1d(labels, labels[~flagged])
    if lost.size:
        warn_user(f"the filter flags every row of class {lost.tolist()[0]!r}; they are kept")
    return np.isin(labels, lost)
