"""Fits that stop early and go on from models, for classifiers and for regressors."""

from __future__ import annotations

from typing import Any, Self

from ..model.features import FeatureRows
from ..types import Array
from .classifier import BaseMarginClassifier
from .inputs import known_positions, read_labels
from .multiclass import ONE_VS_REST
from .regressor import BaseBoostRegressor
from .staged import StagedFit
from .training_set import Given, TargetSet, TrainingSet
from .watching import ClassifierStage, RegressorStage


class StagedClassifier(StagedFit, BaseMarginClassifier):
    """A classifier that stops early and goes on from models."""

    def fit_with(self, X: Any, y: Any, sample_weight: Any, given: Given) -> Self:
        """Fit the model, with what else is given."""
        return self.fit_reduction(X, y, sample_weight, ONE_VS_REST, given)

    def read_truth(self, data: TrainingSet, X: Any, y: Any) -> tuple[FeatureRows, Array]:
        """Other rows, and the positions of their classes."""
        rows = self._read_with(data.features, X)
        return rows, known_positions(data.classes, read_labels(y, rows.n_rows))

    def stage_truth(self, data: TrainingSet, truth: Array) -> Array:
        """Labels of rows that the rule knows as -1 and 1."""
        own = truth.argmax(axis=1) if truth.ndim == 2 else (truth > 0).astype(int)
        return data.classes[own]

    def stage(self, data: TrainingSet, scores: Array, l1_norm: float) -> ClassifierStage:
        """Make a classifier that has these scores."""
        return ClassifierStage(data.classes, self.make_link()(scores, l1_norm))


class StagedRegressor(StagedFit, BaseBoostRegressor):
    """A regressor that stops early and goes on from models."""

    def fit_with(self, X: Any, y: Any, sample_weight: Any, given: Given) -> Self:
        """Fit the model, with what else is given."""
        return self.fit_targets(X, y, sample_weight, given)

    def read_truth(self, data: TargetSet, X: Any, y: Any) -> tuple[FeatureRows, Array]:
        """Other rows and their targets."""
        rows = self._read_with(data.features, X)
        return rows, self.read_y(y, rows.n_rows)

    def respond(self, scores: Array) -> Array:
        """From scores to predictions."""
        return scores

    def stage(self, data: TargetSet, scores: Array, l1_norm: float) -> RegressorStage:
        """Make a regressor that has these scores."""
        return RegressorStage(self.respond(scores))
