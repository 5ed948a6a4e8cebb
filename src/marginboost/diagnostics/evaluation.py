"""How good a fitted model is on rows it has not seen, beside one that knows nothing of a row.

An error means little without the one of guessing. Every number here stands beside its value for the
base rate: the model that gives each row the shares of the classes in these labels, or the mean of
these targets.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import is_regressor
from sklearn.metrics import (
    confusion_matrix,
    mean_absolute_error,
    r2_score,
    roc_auc_score,
    roc_curve,
    root_mean_squared_error,
)

from ..types import Array
from .arrays import distribution

BINS = 10
"""Bins of the calibration curve, by rank: as many rows in each as can be."""
FLOOR = 1e-15
"""Least probability in a log-loss."""
NEARLY_CONSTANT = 0.1
"""Share of the rows outside the most frequent class that a model has to tell from it."""


@dataclass(frozen=True, repr=False)
class Evaluation:
    """Quality of a classifier on a set of rows.

    Attributes
    ----------
    classes : list
        The labels.
    n_rows : int
        Rows that were judged.
    scores : dict
        ``error``, ``balanced_error``, ``auc`` (of several classes, the mean of each against the
        others; NaN where a class has no weight), ``log_loss``, ``brier`` and ``calibration_error``,
        the mean distance of predicted and observed shares.
    base : dict
        The same for the base rate.
    confusion : array (n_classes, n_classes)
        Weight of the rows by true (row) and predicted (column) label.
    roc : dict of str to (array, array)
        False and true positive rates, by class; of two classes, the second one's.
    calibration : array (n_bins, 3)
        Mean prediction, share of the class, and weight in bins of equal count; of several classes,
        over the predicted ones.
    nearly_constant : bool
        Whether hardly any row is given another label than the commonest, though many have one.
    """

    classes: list[Any]
    n_rows: int
    scores: dict[str, float]
    base: dict[str, float]
    confusion: Array
    roc: dict[str, tuple[Array, Array]]
    calibration: Array
    nearly_constant: bool

    def __repr__(self) -> str:
        return _in_a_line(self, "the base rate")


@dataclass(frozen=True, repr=False)
class TargetEvaluation:
    """Quality of a regressor on a set of rows.

    Attributes
    ----------
    n_rows : int
        Rows that were judged.
    scores : dict
        ``rmse``, root of the mean squared error; ``mae``, mean absolute error; ``r2``, share of the
        targets' variance that is explained.
    base : dict
        The same for the mean of these targets.
    targets, predicted : array
        Given and predicted numbers.
    """

    n_rows: int
    scores: dict[str, float]
    base: dict[str, float]
    targets: Array
    predicted: Array

    def __repr__(self) -> str:
        return _in_a_line(self, "the mean")


def _in_a_line(found: Evaluation | TargetEvaluation, beside: str) -> str:
    shown = [f"{name} {score:.4g} ({found.base[name]:.4g})" for name, score in found.scores.items()]
    kind = type(found).__name__
    return f"<{kind} on {found.n_rows} rows, beside {beside}: {', '.join(shown)}>"


def evaluate(
    model: Any, X: Any, y: Any, sample_weight: Any = None
) -> Evaluation | TargetEvaluation:
    """Judge a fitted model on rows and labels, or targets.

    Parameters
    ----------
    model : fitted classifier or regressor
        A classifier has ``predict``, ``predict_proba`` and ``classes_``.
    X, y : array-like
        Rows, and labels the model knows, or targets.
    sample_weight : array, optional
        Weights of the rows.

    Returns
    -------
    Evaluation, or TargetEvaluation of a regressor
    """
    if is_regressor(model):
        return evaluate_targets(y, model.predict(X), sample_weight)
    _check_known(np.asarray(model.classes_), np.asarray(y))
    predicted, proba = model.predict(X), model.predict_proba(X)
    return evaluate_predictions(model.classes_, y, predicted, proba, sample_weight)


def evaluate_predictions(
    classes: Any, y: Any, predicted: Any, proba: Any, sample_weight: Any = None
) -> Evaluation:
    """Judge predictions that are already made.

    Parameters
    ----------
    classes : array
        The labels, sorted.
    y, predicted : array-like
        True and predicted labels.
    proba : array (n_rows, n_classes)
        Predicted probabilities.
    sample_weight : array, optional
        Weights of the rows.
    """
    classes, labels = np.asarray(classes), np.asarray(y)
    _check_known(classes, labels)
    weights = distribution("sample_weight", sample_weight, len(labels))
    codes = np.searchsorted(classes, labels)
    predicted = np.searchsorted(classes, np.asarray(predicted))
    proba = np.asarray(proba, dtype=np.float64)
    k = len(classes)
    shares = np.bincount(codes, weights, k)
    base = np.broadcast_to(shares, proba.shape)
    commonest = np.full(len(codes), int(np.argmax(shares)))
    confusion = confusion_matrix(codes, predicted, labels=range(k), sample_weight=weights)
    return Evaluation(
        classes.tolist(),
        len(labels),
        _scores(codes, predicted, proba, weights),
        _scores(codes, commonest, base, weights),
        confusion * (len(labels) if sample_weight is None else 1.0),
        _roc(classes, codes, proba, weights),
        _calibration(codes, proba, weights),
        is_nearly_constant(predicted, codes, weights),
    )


def evaluate_targets(y: Any, predicted: Any, sample_weight: Any = None) -> TargetEvaluation:
    """Judge predicted numbers.

    >>> found = evaluate_targets([0.0, 2.0], [0.5, 1.5])
    >>> found.scores["mae"], found.base["mae"], found.scores["r2"]
    (0.5, 1.0, 0.75)
    """
    targets, answers = np.asarray(y, dtype=np.float64), np.asarray(predicted, dtype=np.float64)
    mean = np.full_like(targets, np.average(targets, weights=sample_weight))
    known = {"rmse": root_mean_squared_error, "mae": mean_absolute_error, "r2": r2_score}
    scores, base = (
        {
            name: float(score(targets, f, sample_weight=sample_weight))
            for name, score in known.items()
        }
        for f in (answers, mean)
    )
    return TargetEvaluation(len(targets), scores, base, targets, answers)


def is_nearly_constant(predicted: Array, labels: Array, weights: Array | None = None) -> bool:
    """Whether nearly all rows get the same class, though their labels are not nearly all the same.

    >>> labels = np.array(["no"] * 99 + ["yes"])
    >>> is_nearly_constant(np.full(100, "no"), labels), is_nearly_constant(labels, labels)
    (True, False)
    """

    def outside(y: Array) -> float:
        """Weight of the rows that are not of the most frequent class."""
        mass = np.bincount(np.unique(y, return_inverse=True)[1], weights)
        return float(mass.sum() - mass.max())

    return outside(predicted) < NEARLY_CONSTANT * outside(labels)


def _check_known(classes: Array, labels: Array) -> None:
    unknown = np.setdiff1d(labels, classes)
    if unknown.size:
        raise ValueError(
            f"y: got label {unknown.tolist()[0]!r}, expected one of {classes.tolist()}"
        )


def _scores(codes: Array, predicted: Array, proba: Array, weights: Array) -> dict[str, float]:
    k = proba.shape[1]
    wrong = (predicted != codes).astype(np.float64)
    seen = np.flatnonzero(np.bincount(codes, weights))
    per_class = [np.average(wrong[codes == c], weights=weights[codes == c]) for c in seen]
    hit = proba[np.arange(len(codes)), codes]
    target = np.eye(k)[codes]
    bins = _calibration(codes, proba, weights)
    return {
        "error": float(weights @ wrong),
        "balanced_error": float(np.mean(per_class)),
        "auc": _auc(codes, proba, weights),
        "log_loss": float(-(weights @ np.log(np.maximum(hit, FLOOR)))),
        "brier": float(weights @ ((proba - target) ** 2).sum(axis=1)),
        "calibration_error": float(bins[:, 2] @ np.abs(bins[:, 0] - bins[:, 1])),
    }


def _auc(codes: Array, proba: Array, weights: Array) -> float:
    k = proba.shape[1]
    if (np.bincount(codes, weights, k) == 0.0).any():
        return float("nan")
    sides = [k - 1] if k == 2 else range(k)
    each = [roc_auc_score(codes == c, proba[:, c], sample_weight=weights) for c in sides]
    return float(np.mean(each))


def _roc(
    classes: Array, codes: Array, proba: Array, weights: Array
) -> dict[str, tuple[Array, Array]]:
    k = len(classes)
    sides = [k - 1] if k == 2 else range(k)
    curves = {}
    for c in sides:
        if 0.0 < weights[codes == c].sum() < weights.sum():
            rates = roc_curve(codes == c, proba[:, c], sample_weight=weights)
            curves[str(classes[c])] = (rates[0], rates[1])
    return curves


def _calibration(codes: Array, proba: Array, weights: Array) -> Array:
    """Predicted and observed shares: of the second class of two, else of the predicted class."""
    if proba.shape[1] == 2:
        said, happened = proba[:, 1], codes == 1
    else:
        best = proba.argmax(axis=1)
        said, happened = proba[np.arange(len(codes)), best], codes == best
    first = np.searchsorted(np.sort(said), said)  # equal predictions are never separated
    bins = first * BINS // len(said)
    rows = []
    for number in np.unique(bins):
        part = bins == number
        mass = weights[part].sum()
        if mass > 0.0:
            means = (weights[part] @ said[part], weights[part] @ happened[part])
            rows.append([means[0] / mass, means[1] / mass, mass])
    return np.array(rows)
