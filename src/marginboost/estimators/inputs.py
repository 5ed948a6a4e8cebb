"""Labels, targets, weights and binned rows as users bring them, checked before any work is done."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from ..core.ensemble import Ensemble
from ..core.sample import bounded_weights
from ..core.types import Array
from ..data import BinnedMatrix


def read_labels(y: Any, n_rows: int) -> Array:
    """Labels as an array, one a row, none missing."""
    labels = column_or_1d(y, warn=True)
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
    if labels.dtype.kind not in "iub":  # whole numbers are labels, whatever they are
        check_classification_targets(labels)
    return labels


def read_targets(y: Any, n_rows: int) -> Array:
    """Targets of a regression as float64, one a row, all finite."""
    given = column_or_1d(y, warn=True)
    if len(given) != n_rows:
        raise ValueError(f"y: got {len(given)} targets for {n_rows} rows of X")
    try:
        targets = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"y: got {given[:1].tolist()}, expected numbers ({error})") from error
    bad = ~np.isfinite(targets)
    if bad.any():
        raise ValueError(
            f"y: row {int(np.argmax(bad))} has no finite target (Input y contains NaN or infinity)"
        )
    return targets


def distinct_labels(labels: Array) -> Array:
    """Distinct labels, sorted; two whole numbers are found without sorting or hashing."""
    if labels.dtype.kind in "iub" and labels.size:
        low, high = labels.min(), labels.max()
        if low < high and np.count_nonzero((labels == low) | (labels == high)) == labels.size:
            return np.array([low, high], dtype=labels.dtype)
    return np.unique(labels)


def check_cuts(ensemble: Ensemble, bins: BinnedMatrix) -> None:
    """Raise unless every cut of the model is one between the bins: else a bin may straddle it."""
    for member in ensemble.members:
        for feature, cut in member.cuts():
            if np.isfinite(cut) and not (bins.edges[feature] == cut).any():
                raise ValueError(
                    f"X: the BinnedMatrix has no cut at {cut:g} in column {bins.names[feature]!r}, "
                    "but the model has; bin the rows with the cuts of the training data "
                    "(BinnedMatrix.bin)"
                )


def read_weights(sample_weight: Any, n_rows: int) -> Array:
    """Weights as an array of nonnegative numbers, not all zero; ones where none are given.

    They are on a scale on which they can be added, see :func:`~.core.sample.bounded_weights`.
    """
    if sample_weight is None:
        return np.ones(n_rows)
    weights = np.asarray(sample_weight, dtype=np.float64)
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
    if not weights.any():
        raise ValueError("sample_weight: got only zeros, expected at least one positive weight")
    return bounded_weights(weights)
