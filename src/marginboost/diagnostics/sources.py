"""Read what a fitted estimator or a run carries, by the names of their attributes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.certificate import Certificate
from ..core.history import History
from ..core.objective import SoftMargin
from ..core.run import Run
from ..estimators.base import BaseBooster, objective_of
from ..types import Array


def _read(source: Any, name: str) -> Any:
    if isinstance(source, Run):
        return getattr(source, name)
    if not hasattr(source, f"{name}_"):
        raise TypeError(
            f"got {type(source).__name__} without {name}_, expected a fitted marginboost "
            "estimator or a Run"
        )
    value = getattr(source, f"{name}_")
    if isinstance(value, list):
        raise TypeError(
            f"got a {type(source).__name__} of {len(source.classes_)} classes, whose {name}_ is a "
            "list, expected one of its problems_"
        )
    return value


def history_of(source: Any) -> History:
    """Return the history of an estimator or a run; a history is its own."""
    history: History = source if isinstance(source, History) else _read(source, "history")
    return history


def certificate_of(source: Any) -> Certificate:
    """Return the certificate of an estimator or a run; a certificate is its own."""
    found: Certificate = source if isinstance(source, Certificate) else _read(source, "certificate")
    return found


def training_margins_of(source: Any) -> Array:
    """Return the training margins of an estimator or a run."""
    margins: Array = _read(source, "margins")
    return margins


def training_weights_of(source: Any) -> Array:
    """Return the last weights of the examples of an estimator or a run, without their signs."""
    return np.abs(_read(source, "dual"))


def nu_of(source: Any) -> float | None:
    """Return ν of the soft margin that an estimator maximises; None where it does not, or a run."""
    if not isinstance(source, BaseBooster):
        return None
    objective = objective_of(source)
    return objective.nu if isinstance(objective, SoftMargin) else None


def feature_names_of(source: Any) -> list[str]:
    """Return the names of the features that an estimator was fitted to."""
    return [str(name) for name in source.model_.features.names]


def signs_of(estimator: Any, y: Any) -> Array:
    """Return labels as -1 and +1, the second class of the estimator being positive."""
    if len(estimator.classes_) > 2:
        raise TypeError(
            f"got a {type(estimator).__name__} of {len(estimator.classes_)} classes, expected two"
        )
    labels = np.asarray(y)
    unknown = np.setdiff1d(labels, estimator.classes_)
    if unknown.size:
        raise ValueError(f"y: got label {unknown[0]!r}, expected one of {list(estimator.classes_)}")
    return np.where(labels == estimator.classes_[1], 1.0, -1.0)


def name_of(source: Any) -> str:
    """Return the name for legends: that of the class, without its task."""
    return type(source).__name__.removesuffix("Classifier").removesuffix("Regressor")
