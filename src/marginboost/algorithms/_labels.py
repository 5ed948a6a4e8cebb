"""What the algorithms that know several classes share: one run on (example, label) rows."""

from __future__ import annotations

from typing import Any, ClassVar, TypeVar

import numpy as np
from scipy.special import softmax
from sklearn.base import BaseEstimator, is_classifier

from ..core.labels import LabelByLabel, LabelSample, own_labels
from ..core.oracle import Oracle
from ..core.run import Run
from ..core.types import Array
from ..data import BinnedMatrix, Table
from ..estimators.classifier import BaseMarginClassifier, document
from ..model import multiclass_margins
from ..oracles.label_trees import LabelOracle, SklearnLabelOracle

LABEL_ATTRIBUTES = """classes_ : array
        The labels.
    estimators_ : list of Hypothesis
        The hypotheses; each gives a number in [-1, 1] for every class.
    estimator_weights_ : array
        Their coefficients α, equally many.
    estimator_errors_ : array
        Their weighted errors, one a round.
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


C = TypeVar("C", bound=type)


def document_labels(cls: C) -> C:
    """Fill the parameters and attributes that these classifiers share into a docstring."""
    if cls.__doc__:
        cls.__doc__ = cls.__doc__.replace("{fitted}", LABEL_ATTRIBUTES)
    return document(cls)


class LabelClassifier(BaseMarginClassifier):
    """A classifier whose hypotheses answer for all classes at once.

    A subclass names the sample its rows come from, and its own base learner.
    """

    registry: ClassVar[dict[str, type[BaseMarginClassifier]]] = {}
    _answers_labels = True
    _sample_class: ClassVar[type[LabelSample]]

    def _default_oracle(self) -> LabelOracle:
        """Base learner where none is given."""
        raise NotImplementedError

    def _make_oracle(self) -> Oracle:
        if self.estimator is None:
            return self._default_oracle()
        if isinstance(self.estimator, LabelOracle):
            return self.estimator
        learns = isinstance(self.estimator, BaseEstimator) and hasattr(self.estimator, "fit")
        if learns and is_classifier(self.estimator):
            return SklearnLabelOracle(self.estimator)
        raise TypeError(
            f"estimator: got {self.estimator!r}, expected None, a base learner of several classes "
            "such as LabelTreeOracle(), or a scikit-learn classifier"
        )

    def _fit_classes(self, rows: Table | BinnedMatrix, index: Array, weights: Array) -> None:
        rule, oracle = self._make_rule(), self._make_oracle()
        used = np.flatnonzero(weights > 0)
        sample = self._sample_class.of_classes(
            index[used],
            len(self.classes_),
            weights[used],
            **self._sample_parts(rows, weights, used, oracle),
        )
        self._keep(self._train(sample, oracle, rule, self._encode), rows, index, used)

    def _keep(self, run: Run, rows: Table | BinnedMatrix, signs: Array, used: Array) -> None:
        """Keep what the run found; ``signs`` are positions of classes here."""
        super()._keep(run, rows, np.ones(len(run.dual)), np.arange(len(run.dual)))
        sample = run.sample
        assert isinstance(sample, LabelSample)
        self.dual_ = np.zeros((len(signs), len(self.classes_)))
        self.dual_[used] = sample.label_weights(run.dual)
        known = isinstance(sample, LabelByLabel) and len(used) == len(signs)
        scores = sample.label_weights(run.scores) if known else self._scores(rows)
        self.margins_ = multiclass_margins(self._class_votes(scores), signs)

    def _encode(self, X: Any, y: Any) -> tuple[Table | BinnedMatrix, Array]:
        """Rows, and ±1 for every class."""
        rows, index = self._read_labelled(X, y)
        return rows, np.where(own_labels(index, len(self.classes_)), 1, -1).astype(np.int8)

    # -- predictions -----------------------------------------------------------------------------

    def _scores(self, rows: Table | BinnedMatrix) -> Array:
        if not len(self.ensemble_):
            return np.zeros((rows.n_rows, len(self.classes_)))
        return super()._scores(rows)

    def _class_votes(self, scores: Array, length: float | None = None) -> Array:
        length = self.ensemble_.l1_norm if length is None else length
        return np.clip(scores / (length or 1.0), -1.0, 1.0)

    def _votes(self, rows: Table | BinnedMatrix) -> Array:
        return self._lead(self._class_votes(self._scores(rows)))

    def _lead(self, votes: Array) -> Array:
        """Votes of more than two classes; of two, half the lead of the second."""
        return votes if votes.shape[1] > 2 else (votes[:, 1] - votes[:, 0]) / 2.0

    def _staged(self, rows: Table | BinnedMatrix) -> Any:
        for votes, length in super()._staged(rows):
            yield self._lead(votes), length

    def predict_proba(self, X: Any) -> Array:
        """Probabilities in proportion to ``exp F(x, l)``, F the score of class l, not normalised.

        That is the link of the multiclass exponential loss and of the pseudo-loss; of two classes,
        the binary one. ``sklearn.calibration.CalibratedClassifierCV`` works on the votes.
        """
        return super().predict_proba(X)

    def _probabilities(self, scores: Array) -> Array:
        return softmax(scores, axis=1)
