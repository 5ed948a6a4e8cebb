"""How good a model is on rows that it has not seen, beside the most frequent class alone."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ..diagnostics.evaluation import evaluate_predictions, is_nearly_constant
from ..types import Array

HARDLY_BETTER = 0.9
"""Share of the base rate's errors above which a model has learnt next to nothing."""
RANKS_WELL = 0.7
"""AUC from which on it has learnt something: a rare class may hardly ever be predicted."""


def out_of_fold(model: Any, X: Any, labels: Array, weight: Array | None, folds: int) -> Any:
    """Error and area under the curve over stratified folds, as plain data; None if they cannot be.

    The folds are fitted with the settings of the model, without callbacks.
    """
    from sklearn.base import clone
    from sklearn.model_selection import StratifiedKFold

    classes, index = np.unique(labels, return_inverse=True)
    if folds < 2 or np.bincount(index).min() < folds:
        return None
    weights = np.ones(len(labels)) if weight is None else np.asarray(weight, dtype=float)
    predicted, chances = labels.copy(), np.zeros((len(labels), len(classes)))
    for learn, judge in StratifiedKFold(folds, shuffle=True, random_state=0).split(index, index):
        part = clone(model).set_params(callbacks=None)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the model of all rows has said it already
            try:
                part.fit(X.take(learn), labels[learn], sample_weight=weights[learn])
            except ValueError:  # the rows of a fold do not allow these settings
                return None
            if len(part.classes_) < len(classes):
                return None
            rows = X.take(judge)
            predicted[judge] = part.predict(rows)
            chances[judge] = part.predict_proba(rows)
    found = evaluate_predictions(classes, labels, predicted, chances, weights)
    return {
        "folds": folds,
        "error": found.scores["error"],
        "base_error": found.base["error"],
        "auc": found.scores["auc"],
    }


def _is_weak(estimate: dict[str, float]) -> bool:
    """Whether rows not learnt from are judged hardly better than by a constant."""
    hardly = estimate["error"] > HARDLY_BETTER * estimate["base_error"]
    return hardly and not estimate["auc"] >= RANKS_WELL


def weaknesses(
    model: Any, X: Any, labels: Array, weight: Array | None, estimate: Any = None
) -> list[str]:
    """What is wrong with a model as a whole, in words: nearly constant, or a ν that makes it so.

    ``estimate`` is what :func:`out_of_fold` found: a model may know its rows by heart and be no
    better than a constant on others.
    """
    predicted = model.predict(X)
    found = []
    weights = np.ones(len(labels)) if weight is None else np.asarray(weight, dtype=float)
    shares = np.array([weights[labels == label].sum() for label in np.unique(labels)])
    shares = shares / weights.sum()
    error = float(np.average(predicted != labels, weights=weights))
    advice = "other settings, weights of classes (--param class_weight=balanced) or features"
    if is_nearly_constant(predicted, labels):
        found.append(f"the model gives nearly all rows the same class; {advice} may do better")
    elif error > HARDLY_BETTER * (1.0 - shares.max()):
        found.append(
            f"the model errs on {error:.1%} of the rows that it learnt from, hardly less than the "
            f"most frequent class alone ({1.0 - shares.max():.1%}); {advice} may do better"
        )
    elif estimate is not None and _is_weak(estimate):
        found.append(
            f"on rows not learnt from the model errs on {estimate['error']:.1%}, hardly less than "
            f"the most frequent class alone ({estimate['base_error']:.1%}); {advice} may do better"
        )
    nu = model.get_params(deep=False).get("nu")
    rare = float(shares.min())
    if isinstance(nu, float) and nu > 2.0 * rare:
        found.append(
            f"nu={nu:g} is more than twice the share of the rarest class, {rare:.3g}: all of its "
            f"rows may fall short at no cost. Use a smaller nu, below {2.0 * rare:.3g}, or --param "
            "class_weight=balanced"
        )
    return found
