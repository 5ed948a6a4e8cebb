"""What the algorithms that know several classes share: one run on (example, label) rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar, TypeVar

import numpy as np
from sklearn.base import BaseEstimator, is_classifier

from ..core.callbacks import Encoder
from ..core.label_parts import PartedLabels
from ..core.labels import LabelByLabel, LabelSample, own_labels
from ..core.oracle import Oracle
from ..core.parts import Parts
from ..core.run import Run
from ..core.sample import Sample
from ..data import BinnedMatrix
from ..model import FittedRun, LabelModel, SoftmaxLink, multiclass_margins
from ..model.features import FeatureRows
from ..oracles.label_trees import LabelOracle, SklearnLabelOracle
from ..types import Array
from .classifier import BaseMarginClassifier, Problem, TrainingSet, document
from .inputs import known_positions, read_labels
from .multiclass import Reduction

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
    model_type = LabelModel
    model_: LabelModel
    sample_type: ClassVar[type[LabelSample]]
    """Which rows are made of examples and labels."""
    link = SoftmaxLink()

    def default_oracle(self) -> LabelOracle:
        """Base learner where none is given."""
        raise NotImplementedError

    def make_oracle(self) -> Oracle:
        """Check the base learner's settings and make it."""
        if self.estimator is None:
            return self.default_oracle()
        if isinstance(self.estimator, LabelOracle):
            return self.estimator
        learns = isinstance(self.estimator, BaseEstimator) and hasattr(self.estimator, "fit")
        if learns and is_classifier(self.estimator):
            return SklearnLabelOracle(self.estimator)
        raise TypeError(
            f"estimator: got {self.estimator!r}, expected None, a base learner of several classes "
            "such as LabelTreeOracle(), or a scikit-learn classifier"
        )

    def learn(self, data: TrainingSet, oracle: Oracle, reduction: Reduction) -> None:
        """Learn from checked rows, all classes in one run."""
        if data.parts is not None:
            self._learn_parts(data, data.parts, oracle)
            return
        data = replace(data, extras=data.extras.of_labels(len(data.classes)))
        used = np.flatnonzero(data.weights > 0)
        sample = self.sample_type.of_classes(
            data.labels[used].astype(np.int64),
            len(data.classes),
            data.weights[used],
            **self._sample_parts(data.rows, data.weights, used, oracle),
        )
        self.prepare(sample, oracle)
        problem = self.build_problem(data, used, sample, oracle)
        start = self.start_of(data)
        run = self._train(sample, oracle, problem.rule, self._encoder(data), start)
        self.store(run, problem)

    def _learn_parts(self, data: TrainingSet, parts: Parts, oracle: Oracle) -> None:
        """Learn from rows in parts, all classes in one run."""
        if self.sample_type is not LabelByLabel:
            raise TypeError(
                f"{type(self).__name__} makes rows of pairs of classes, which it cannot do on rows "
                "in parts; SoftmaxBoostClassifier and AdaBoostClassifier can"
            )
        assert isinstance(data.rows, BinnedMatrix)
        sample = PartedLabels.of_parts(parts, data.rows, len(data.classes), self._seed())
        self.prepare(sample, oracle)
        problem = self.build_problem(data, np.empty(0, np.int64), sample, oracle)
        run = self._train(sample, oracle, problem.rule, self._encoder(data), self.start_of(data))
        self._keep(run, data)
        self.dual_ = self.margins_ = np.empty(0)

    def store(self, run: Run, problem: Problem) -> None:
        """Keep the model, and what is known about the training rows."""
        data, used, sample = problem.data, problem.used, problem.sample
        assert isinstance(sample, LabelSample)
        self._keep(run, data)
        self.dual_ = np.zeros((len(data.labels), len(data.classes)))
        self.dual_[used] = sample.label_weights(run.dual)
        if isinstance(sample, LabelByLabel) and len(sample.labels) == len(data.labels):
            scores = sample.label_weights(run.scores)
        else:
            scores = self.model_.scores(data.rows, self.n_jobs)
        self.margins_ = multiclass_margins(self.model_.class_votes(scores), data.labels)

    def _keep(self, run: Run, data: TrainingSet) -> None:
        """Keep the model."""
        self.model_ = LabelModel(
            name=type(self).__name__,
            features=data.features,
            chosen=self._chosen(),
            classes=data.classes,
            run=FittedRun.of(run),
            link=self.make_link(),
        )

    def _encoder(self, data: TrainingSet, sides: Array | None = None) -> Encoder:
        """Encode other data: rows, and ±1 for every class."""

        def encode(X: Any, y: Any) -> tuple[FeatureRows, Array]:
            rows = self._read_with(data.features, X)
            index = known_positions(data.classes, read_labels(y, rows.n_rows))
            return rows, np.where(own_labels(index, len(data.classes)), 1, -1).astype(np.int8)

        return encode

    def smallest_sample(self) -> Sample:
        """One example of each class."""
        n_classes = len(self.classes_)
        return self.sample_type.of_classes(np.arange(n_classes), n_classes, np.ones(n_classes))
