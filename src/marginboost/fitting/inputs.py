"""Labels, targets, weights and binned rows as users bring them, checked before any work is done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from ..core.sample import bounded_weights
from ..kernels.exact import exact_sum, rounded
from ..types import Array
from ..validation import check_number, check_plain, read_numbers

LARGEST_TARGET = 1e150
"""Squares of targets up to this, and their sums, are finite numbers."""


def _as_they_are(y: Any) -> Any:
    """Bools and integers of pandas' nullable types, which would else be read as floats."""
    dtype = getattr(y, "dtype", None)
    nullable = not isinstance(dtype, np.dtype) and getattr(dtype, "kind", "?") in "biu"
    return y.to_numpy() if nullable and not y.isna().any() else y


def read_labels(y: Any, n_rows: int) -> Array:
    """Labels as an array, one per row, none missing."""
    check_plain("y", y, dates=True)
    labels = column_or_1d(_as_they_are(y), warn=True)
    if len(labels) != n_rows:
        raise ValueError(f"y: got {len(labels)} labels for {n_rows} rows of X")
    if labels.dtype.kind == "f" and np.isinf(labels).any():
        raise ValueError("y: Input y contains infinity, expected class labels")
    if labels.dtype.kind in "fO":
        missing = np.array([label is None or label != label for label in labels.tolist()])
        if missing.any():
            raise ValueError(
                f"y: row {int(np.argmax(missing))} has no label (Input y contains NaN or None); "
                "expected a label for every row"
            )
    if labels.dtype.kind == "O":
        _check_one_kind(labels)
    if labels.dtype.kind not in "iub":  # whole numbers are labels, whatever they are
        check_classification_targets(labels)
    return labels


def _check_one_kind(labels: Array) -> None:
    """Raise where some labels are text and others are not: classes are sorted."""
    text = np.array([isinstance(label, str) for label in labels.tolist()])
    if text.any() and not text.all():
        word, other = labels[text][0], labels[~text][0]
        raise ValueError(
            f"y: got {word!r}, which is text, and {other!r}, which is not; expected labels of one "
            "kind"
        )


def read_targets(y: Any, n_rows: int) -> Array:
    """Targets of a regression as float64, one per row, all finite, and so their squares."""
    check_plain("y", y)
    given = column_or_1d(y, warn=True)
    if len(given) != n_rows:
        raise ValueError(f"y: got {len(given)} targets for {n_rows} rows of X")
    targets = read_numbers("y", given)
    bad = ~np.isfinite(targets)
    if bad.any():
        raise ValueError(
            f"y: row {int(np.argmax(bad))} has no finite target (Input y contains NaN or infinity)"
        )
    size = np.abs(targets)
    if size.max(initial=0.0) > LARGEST_TARGET:
        row = int(np.argmax(size))
        raise ValueError(
            f"y: row {row} has the target {targets[row]:g}, expected at most {LARGEST_TARGET:g} in "
            "size, since squares of larger numbers overflow; divide y by its scale"
        )
    return targets


def read_target_columns(y: Any, n_rows: int) -> Array:
    """Several targets of each row as float64 (rows, targets), all finite."""
    columns = np.asarray(y)
    if len(columns) != n_rows:
        raise ValueError(f"y: got {len(columns)} rows of targets for {n_rows} rows of X")
    return np.column_stack([read_targets(column, n_rows) for column in columns.T])


def distinct_labels(labels: Array) -> Array:
    """Distinct labels, sorted; two whole numbers are found without sorting or hashing."""
    if labels.dtype.kind in "iub" and labels.size:
        low, high = labels.min(), labels.max()
        if low < high and np.count_nonzero((labels == low) | (labels == high)) == labels.size:
            return np.array([low, high], dtype=labels.dtype)
    return np.unique(labels)


def class_positions(classes: Array, labels: Array) -> Array:
    """Position of each label among the classes, which are sorted.

    A label that only rows without weight have is none of the classes: any position will do. Of two
    classes positions are bytes: rows may be many.
    """
    if len(classes) == 2:
        return (labels == classes[1]).view(np.int8)
    return np.minimum(np.searchsorted(classes, labels), len(classes) - 1)


def known_positions(classes: Array, labels: Array) -> Array:
    """Position of each label among the classes, if all are known."""
    unknown = np.setdiff1d(labels, classes)
    if unknown.size:
        raise ValueError(
            f"y: got label {unknown.tolist()[0]!r}, expected one of {classes.tolist()}"
        )
    return class_positions(classes, labels)


def read_weights(sample_weight: Any, n_rows: int) -> Array:
    """Weights as an array of nonnegative numbers, not all zero; ones where none are given.

    They are on a scale on which they can be added, see :func:`~.core.sample.bounded_weights`. Ones
    take no room, and cannot be written to.
    """
    if sample_weight is None:
        return np.broadcast_to(np.float64(1.0), n_rows)
    weights = check_weights(sample_weight, n_rows)
    if not weights.any():
        raise ValueError("sample_weight: got only zeros, expected at least one positive weight")
    return bounded_weights(weights)


def check_weights(sample_weight: Any, n_rows: int) -> Array:
    """Weights as an array of nonnegative numbers, as they are given."""
    weights = read_numbers("sample_weight", sample_weight)
    if weights.ndim == 0:
        weights = np.full(n_rows, float(weights))
    if weights.shape != (n_rows,):
        raise ValueError(
            f"sample_weight: got shape {weights.shape}, expected one weight for each of "
            f"{n_rows} rows"
        )
    if not np.isfinite(weights).all():
        raise ValueError("sample_weight: got NaN or infinity, expected finite numbers")
    if (weights < 0).any():
        raise ValueError(
            f"sample_weight: got a negative weight in row {int(np.argmin(weights))}, "
            "expected nonnegative numbers"
        )
    return weights


def check_class_weight(class_weight: Any) -> None:
    """Raise for a ``class_weight`` that no labels could make good."""
    if class_weight is None or (isinstance(class_weight, str) and class_weight == "balanced"):
        return
    if not isinstance(class_weight, Mapping):
        raise (ValueError if isinstance(class_weight, str) else TypeError)(
            f"class_weight: got {class_weight!r}, expected a dict, 'balanced' or None"
        )
    for label, weight in class_weight.items():
        check_number(f"class_weight[{label!r}]", weight, at_least=0.0)


def weigh_classes(class_weight: Any, labels: Array, weights: Array) -> Array:
    """Weights of rows times those of their classes.

    "balanced" counts a row of weight 2 as two rows, and gives each class the same total; the total
    of all rows stays. A class of weight 0 is left out, as its rows would be.

    >>> weigh_classes("balanced", np.array(["a", "b", "b", "b"]), np.ones(4)).round(3)
    array([2.   , 0.667, 0.667, 0.667])
    >>> weigh_classes({"a": 5}, np.array(["a", "b", "b", "b"]), np.ones(4))
    array([5., 1., 1., 1.])
    """
    if class_weight is None:
        return weights
    classes, index = np.unique(labels, return_inverse=True)
    totals = [exact_sum(weights[index == k]) for k in range(len(classes))]
    weighed = weights * class_factors(class_weight, classes, totals)[index]
    return bounded_weights(weighed)


def class_factors(class_weight: Any, classes: Array, totals: Sequence[int]) -> Array:
    """Factors on the weights of the rows of each class, not all of them without effect.

    ``totals`` are the exact sums of the weights of each class.
    """
    present = np.array([total > 0 for total in totals])
    if class_weight is None:
        factors = np.ones(len(classes))
    elif isinstance(class_weight, str):
        even = rounded(sum(totals)) / present.sum()
        sums = np.array([rounded(total) for total in totals])
        factors = np.divide(even, sums, out=np.zeros(len(classes)), where=present)
    else:
        factors = _factors(class_weight, classes.tolist())
    if not (factors[present] > 0.0).any():
        raise ValueError(f"class_weight: got {class_weight!r}, which leaves no row any weight")
    return factors


def _factors(class_weight: Mapping[Any, float], classes: list[Any]) -> Array:
    """Weights of classes by name, 1 where none is given.

    A name that is no class is a mistake, unless all classes have weights: a fold of a table may
    lack one.
    """
    unnamed = [label for label in classes if label not in class_weight]
    if unnamed and len(classes) - len(unnamed) != len(class_weight):
        unknown = next(label for label in class_weight if label not in classes)
        raise ValueError(
            f"class_weight: got a weight for {unknown!r}, expected classes among {classes}"
        )
    return np.array([float(class_weight.get(label, 1.0)) for label in classes])


def learn_classes(labels: Array, weights: Array) -> Array:
    """Classes of the rows that count."""
    classes = distinct_labels(labels if weights.all() else labels[weights > 0])
    if len(classes) == 1:
        raise ValueError(
            f"y: got one class ({classes.tolist()[0]!r}) among the rows of positive weight, "
            "expected two classes or more"
        )
    return classes
