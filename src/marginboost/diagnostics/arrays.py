"""Checks of arrays: errors name the argument, what came and what was expected."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..core.sample import bounded_weights
from ..types import Array
from ..validation import read_numbers

SLACK = 1e-9
"""Rounding by which a value may leave its range; it is put back on the border."""


def vector(name: str, values: Any, low: float = -math.inf, high: float = math.inf) -> Array:
    """Return ``values`` as a non-empty 1-D float array inside ``[low, high]``."""
    array = np.atleast_1d(read_numbers(name, values))
    if array.ndim != 1 or array.size == 0:
        raise ValueError(f"{name}: got shape {array.shape}, expected a non-empty vector")
    if np.isnan(array).any():
        raise ValueError(f"{name}: got NaN at position {int(np.argmax(np.isnan(array)))}")
    outside = (array < low - SLACK) | (array > high + SLACK) | np.isinf(array)
    if outside.any():
        raise ValueError(
            f"{name}: got {array[np.argmax(outside)]:g}, expected finite numbers "
            f"in [{low:g}, {high:g}]"
        )
    return np.clip(array, low, high)


def matrix(name: str, values: Any) -> Array:
    """Return ``values`` as a finite 2-D float array with at least one row and one column."""
    array = read_numbers(name, values)
    if array.ndim != 2 or 0 in array.shape or not np.isfinite(array).all():
        raise ValueError(
            f"{name}: got shape {array.shape}, expected a finite matrix with at least one row and "
            "one column"
        )
    return array


def outcome_matrix(outcomes: Any) -> Array:
    """Return ``U[i, j] = y_i h_j(x_i)`` as a checked 2-D float array."""
    matrix = read_numbers("outcomes", outcomes)
    if matrix.ndim != 2 or 0 in matrix.shape or not np.isfinite(matrix).all():
        raise ValueError(
            f"outcomes: got shape {matrix.shape}, expected a finite matrix with at least one row "
            "(example) and one column (hypothesis)"
        )
    return matrix


def same_length(**arrays: Array) -> None:
    """Raise unless all arrays have equally many entries."""
    lengths = {name: len(array) for name, array in arrays.items()}
    if len(set(lengths.values())) > 1:
        told = ", ".join(f"{count} {name}" for name, count in lengths.items())
        raise ValueError(f"{' and '.join(lengths)}: got {told}, expected equally many")


def signs(y: Any) -> Array:
    """Return labels -1 and +1 as floats."""
    labels = vector("y", y)
    if not np.isin(labels, (-1.0, 1.0)).all():
        raise ValueError(f"y: got {np.unique(labels)[:5].tolist()}, expected labels -1 and +1")
    return labels


def distribution(name: str, weights: Any, n: int) -> Array:
    """Return nonnegative weights that sum to one; None is uniform."""
    if weights is None:
        return np.full(n, 1.0 / n)
    array = vector(name, weights, low=0.0)
    if len(array) != n:
        raise ValueError(f"{name}: got {len(array)} weights, expected {n}")
    if not array.any():
        raise ValueError(f"{name}: got only zeros, expected at least one positive weight")
    array = bounded_weights(array)
    return array / array.sum()
