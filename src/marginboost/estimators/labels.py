"""What the algorithms that know several classes share: one run on (example, label) rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from sklearn.base import BaseEstimator, is_classifier

from ..core.oracle import Oracle
from ..fitting.algorithm import Algorithm
from ..model import LabelModel, Model, SoftmaxLink
from ..oracles.label_trees import LabelOracle, LabelTreeOracle, SklearnLabelOracle
from .classifier import BaseMarginClassifier

LABEL_ATTRIBUTES = """classes_ : array
        The labels.
    estimators_ : list of Hypothesis
        The hypotheses; each gives a number in [-1, 1] for every class.
    estimator_weights_ : array
        Their coefficients α, equally many.
    estimator_errors_ : array
        Their weighted errors, one per round.
    n_iter_ : int
        Rounds made.
    history_ : History
        Edge, error, coefficient, margin, bounds and time of every round, on the algorithm's rows.
    certificate_ : Certificate
        Lower and upper bound on the largest margin of the algorithm's rows, gap, own margin.
    certified_ : bool
        Whether the bounds are proven.
    stop_reason_ : Stop
        Why the run ended.
    dual_ : array (rows, classes)
        Last weights by example and label, signed: positive on labels that should gain.
    margins_ : array
        Training margins: half the lead of the own class's vote over the best other one.
    intercept_ : float
        Always 0.
    feature_importances_ : array
        Share of Σ|α| that each feature carries.
    n_features_in_, feature_names_in_
        As in scikit-learn."""


class LabelClassifier(BaseMarginClassifier):
    """A classifier whose hypotheses answer for all classes at once.

    A subclass names the sample its rows come from, and its own base learner.
    """

    __registry__: ClassVar[dict[str, type[BaseMarginClassifier]]] = {}
    __shared_texts__: ClassVar[dict[str, str]] = {
        **BaseMarginClassifier.__shared_texts__,
        "fitted": LABEL_ATTRIBUTES,
    }
    __model_type__: ClassVar[type[Model]] = LabelModel
    model_: LabelModel

    def _make_algorithm(self, rule: Any, **more: Any) -> Algorithm:
        """Make an algorithm of this rule; ``label_rows`` is its kind of (example, label) rows."""
        more.setdefault("link", SoftmaxLink())
        return super()._make_algorithm(rule, **more)

    def _base_learner(self, usual: Callable[[], Oracle] = LabelTreeOracle) -> Oracle:
        """Base learner that the parameter ``estimator`` names; the usual one where it is None."""
        if self.estimator is None:
            return usual()
        if isinstance(self.estimator, LabelOracle):
            return self.estimator
        learns = isinstance(self.estimator, BaseEstimator) and hasattr(self.estimator, "fit")
        if learns and is_classifier(self.estimator):
            return SklearnLabelOracle(self.estimator)
        raise TypeError(
            f"estimator: got {self.estimator!r}, expected None, a base learner of several classes "
            "such as LabelTreeOracle(), or a scikit-learn classifier"
        )
