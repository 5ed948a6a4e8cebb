"""What classifiers share whose one setting is the length of their steps."""

from __future__ import annotations

from typing import Any

from ..estimators.classifier import BaseMarginClassifier
from ..estimators.constructors import forward


class SteppedClassifier(BaseMarginClassifier):
    """A classifier with a factor on every coefficient; a subclass checks it."""

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 50,
        learning_rate: float = 1.0,
        tol: float | None = None,
        class_weight: Any = None,
        max_bins: int | None = 255,
        categorical_features: Any = "from_dtype",
        callbacks: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        forward(super().__init__, locals())
        self.learning_rate = learning_rate
