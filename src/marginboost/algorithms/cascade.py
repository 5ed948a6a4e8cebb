"""Cascade of Viola and Jones: stages that let next to every positive row pass (CH-M13).

Problem: find rare positive rows among very many, at little cost for each. Stages are boosted one
after the other, each from all positive rows and from those negative rows that all stages before it
let pass; a row is positive if all stages let it pass, and most negative ones are told by the few
hypotheses of the first stages.

A stage lets a row pass if its vote is above a threshold, the largest one that keeps a share d of
the positive rows which reached it; it grows by one hypothesis per round until no more than a share
f of the negative rows which reached it passes. Both are measured on rows held back.

Guarantee: on these rows the rates of the cascade are the products of those of its stages: at least
d^k of the positive rows pass k stages, and at most f^k of the negative ones. A stage that misses
its goal is the last.

Reference: Viola & Jones, *Rapid object detection using a boosted cascade of simple features*, 2001.
"""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.validation import check_is_fitted

from ..estimators.base import restored
from ..estimators.capabilities import Capable, refusal
from ..estimators.classifier import BaseMarginClassifier
from ..fitting.algorithm import Algorithm
from ..fitting.inputs import class_positions, distinct_labels, read_labels, read_weights
from ..model import BinaryModel, CascadeModel, CascadeStage
from ..model.file import save_model
from ..types import Array
from ..validation import check_number, random_numbers
from ._cascade_stages import Goals, Judged, Stage, boost_stage
from .adaboost import AdaBoostClassifier


class CascadeBooster(ClassifierMixin, Capable, BaseEstimator):
    """Boosted stages, each of which ends the search for most of the negative rows it sees.

    For two classes, of which the second is rare and the one to be found. Predictions stop at the
    first stage that rejects a row; :meth:`count_evaluations` says what each row costs.

    Parameters
    ----------
    estimator : classifier of this package, or None
        What boosts a stage, with most rounds of one; None is
        ``AdaBoostClassifier(class_weight="balanced")``.
    n_stages : int
        Most stages.
    min_detection_rate : float
        Share d of the positive rows that every stage must let pass, in (0, 1].
    max_false_positive_rate : float
        Share f of the negative rows at which a stage is finished, in (0, 1). A stage that does not
        come so far in its rounds is the last one.
    target_false_positive_rate : float
        Share of all negative rows at which the cascade is finished.
    validation_fraction : float or None
        Share of the rows of each class that are held back to measure rates. None, or a class that
        is too small for it: they are measured on the rows that the stages learn from.
    random_state : int, RandomState or None
        Seed of which rows are held back; None is a fixed one.

    Attributes
    ----------
    classes_ : array
        The two labels; the second is the positive class.
    stages_ : list of Stage
        Classifier, threshold and rates of each stage.
    detection_rate_, false_positive_rate_ : float
        Shares of the positive and negative rows held back that pass all stages.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    References
    ----------
    Viola and Jones, *Rapid object detection using a boosted cascade of simple features*, 2001.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from marginboost import CascadeBooster
    >>> X, y = make_classification(4000, weights=[0.95], flip_y=0.0, class_sep=2.0, random_state=0)
    >>> model = CascadeBooster().fit(X, y)
    >>> whole = sum(stage.size for stage in model.stages_)
    >>> len(model.stages_), whole, round(float(model.count_evaluations(X).mean()), 1)
    (3, 26, 2.5)
    """

    __capabilities__: ClassVar[dict[str, bool]] = {
        "categories": True,
        "certifies": False,
        "explains": False,
    }
    __registry__: ClassVar[dict[str, type[Any]]] = {}
    """Itself: what a model file may name."""
    __model_type__ = CascadeModel

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_stages: int = 10,
        min_detection_rate: float = 0.99,
        max_false_positive_rate: float = 0.5,
        target_false_positive_rate: float = 0.01,
        validation_fraction: float | None = 0.25,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_stages = n_stages
        self.min_detection_rate = min_detection_rate
        self.max_false_positive_rate = max_false_positive_rate
        self.target_false_positive_rate = target_false_positive_rate
        self.validation_fraction = validation_fraction
        self.random_state = random_state

    def _make_estimator(self) -> BaseMarginClassifier:
        """Check the settings; return what boosts a stage."""
        check_number("n_stages", self.n_stages, at_least=1, integer=True)
        check_number("min_detection_rate", self.min_detection_rate, above=0.0, at_most=1.0)
        rate = self.max_false_positive_rate
        check_number("max_false_positive_rate", rate, above=0.0, below=1.0)
        target = self.target_false_positive_rate
        check_number("target_false_positive_rate", target, at_least=0.0, below=1.0)
        if self.validation_fraction is not None:
            check_number("validation_fraction", self.validation_fraction, above=0.0, below=1.0)
        made = self.estimator
        if made is None:
            made = AdaBoostClassifier(class_weight="balanced")
        if not isinstance(made, BaseMarginClassifier):
            raise TypeError(
                f"estimator: got {made!r}, expected a classifier of this package for two classes, "
                "such as AdaBoostClassifier()"
            )
        return made

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Boost stages until few enough negative rows pass.

        Parameters
        ----------
        X : array, sparse matrix or data frame
            Rows. NaN is a missing value.
        y : array-like
            Labels of two classes.
        sample_weight : array-like, optional
            Nonnegative weights; they count in rates too.

        Returns
        -------
        self
        """
        learner = self._make_estimator()
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None"
            )
        labels = read_labels(y, np.asarray(y).size)
        weights = read_weights(sample_weight, len(labels))
        self.classes_ = _two_classes(labels, weights)
        positive = class_positions(self.classes_, labels) == 1
        held = self._hold_back(positive, weights > 0)
        learnt = (weights > 0) & (~held if held.any() else True)
        judged = held if held.any() else learnt
        goals = Goals(self.min_detection_rate, self.max_false_positive_rate)
        self.stages_: list[Stage] = []
        reached = np.ones(len(labels), bool)
        while len(self.stages_) < self.n_stages and (learnt & reached & ~positive).any():
            seen = np.where(learnt & (positive | reached), weights, 0.0)
            rows = np.flatnonzero(judged & reached)
            stage, passed = boost_stage(
                learner, X, labels, seen, Judged(rows, positive, weights), goals
            )
            self.stages_.append(stage)
            reached &= passed
            missed = stage.false_positive_rate > self.max_false_positive_rate
            if missed or self.false_positive_rate_ <= self.target_false_positive_rate:
                break
        self._take_features()
        return self

    def _take_features(self) -> None:
        """Set scikit-learn's attributes on the features, which are those of every stage."""
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self.stages_[0].classifier, name):
                setattr(self, name, getattr(self.stages_[0].classifier, name))

    def _hold_back(self, positive: Array, present: Array) -> Array:
        """Rows of both classes that rates are measured on; none where a class is too small."""
        held = np.zeros(len(positive), bool)
        if self.validation_fraction is None:
            return held
        rng = random_numbers(0 if self.random_state is None else self.random_state)
        for kind in (positive, ~positive):
            rows = np.flatnonzero(kind & present)
            some = rng.permutation(rows)[: int(self.validation_fraction * len(rows))]
            if not len(some):
                return np.zeros(len(positive), bool)
            held[some] = True
        return held

    @property
    def detection_rate_(self) -> float:
        """Share of the positive rows held back that pass all stages."""
        return float(np.prod([stage.detection_rate for stage in self.stages_]))

    @property
    def false_positive_rate_(self) -> float:
        """Share of the negative rows held back that pass all stages."""
        return float(np.prod([stage.false_positive_rate for stage in self.stages_]))

    # -- the model -------------------------------------------------------------------------------

    @property
    def model_(self) -> CascadeModel:
        """What a file holds: models, thresholds and rates of the stages."""
        if "stages_" not in vars(self):
            raise AttributeError("no attribute 'model_': this CascadeBooster is not fitted yet")
        found = [(stage, stage.classifier.model_) for stage in self.stages_]
        stages = []
        for stage, model in found:
            assert isinstance(model, BinaryModel)
            rates = stage.detection_rate, stage.false_positive_rate
            stages.append(CascadeStage(model, stage.threshold, *rates))
        features = found[0][1].features
        return CascadeModel(type(self).__name__, features, self.classes_, tuple(stages))

    def save(self, path: Any) -> None:
        """Write a JSON file that :func:`marginboost.load` reads (see docs/model-file.md)."""
        check_is_fitted(self)
        save_model(self, path)

    def __algorithm__(self) -> Algorithm:
        """Check the settings and make the algorithm that boosts a stage."""
        return self._make_estimator().__algorithm__()

    def __restore__(self, model: CascadeModel) -> None:
        """Take up a fitted model, such as that of a file."""
        learner = self._make_estimator()
        self.classes_ = model.classes
        self.stages_ = [
            Stage(
                restored(clone(learner), stage.model),
                stage.threshold,
                stage.detection_rate,
                stage.false_positive_rate,
            )
            for stage in model.stages
        ]
        self._take_features()

    # -- predictions -----------------------------------------------------------------------------

    def _pass(self, X: Any) -> tuple[Array, Array]:
        """Decision about every row, and the hypotheses that were asked for it."""
        check_is_fitted(self)
        rows = self.stages_[0].classifier.__read_rows__(X)
        decision, asked = np.empty(rows.n_rows), np.zeros(rows.n_rows, np.int64)
        left = np.arange(rows.n_rows)
        for number, stage in enumerate(self.stages_, start=1):
            asked[left] += stage.size
            lead = stage.lead(rows if len(left) == rows.n_rows else rows.take(left))
            last = number == len(self.stages_)
            # A vote is less than 3 below a threshold: those rejected later are above the others.
            rejected = number - len(self.stages_) + lead / 3.0
            decision[left] = np.where(lead > 0.0, lead, rejected)
            left = left[lead > 0.0]
            if last or not len(left):
                break
        return decision, asked

    def decision_function(self, X: Any) -> Array:
        """Lead of the last vote over its threshold where all stages let a row pass, above 0.

        Other rows have numbers of at most 0, the smaller the earlier they were rejected.
        """
        return self._pass(X)[0]

    def predict(self, X: Any) -> Array:
        """The second class for rows that pass all stages, the first for all others."""
        passed = self.decision_function(X) > 0.0
        found: Array = self.classes_[passed.astype(int)]
        return found

    def count_evaluations(self, X: Any) -> Array:
        """Hypotheses that are asked for each row; a stump looks at one feature."""
        return self._pass(X)[1]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_class = False
        return tags


CascadeBooster.__registry__["CascadeBooster"] = CascadeBooster


def _two_classes(labels: Array, weights: Array) -> Array:
    """Classes of the rows that count; there must be two."""
    classes = distinct_labels(labels[weights > 0])
    if len(classes) > 2:
        why = (
            "Only binary classification is supported. The type of the target is multiclass: y has "
            f"{len(classes)} classes, expected 2"
        )
        raise ValueError(refusal(CascadeBooster, "several_classes", why))
    if len(classes) < 2:
        raise ValueError(
            f"y: got {len(classes)} class ({classes.tolist()}) among the rows of positive weight, "
            "expected two"
        )
    return classes
