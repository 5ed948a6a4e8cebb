"""Readable NumPy twins of the kernels: what each one means, and what it is tested against."""

from __future__ import annotations

import numpy as np

from ...types import Array
from ..ties import TIE


def assign_bins(values: Array, cuts: Array) -> Array:
    """Bin code of each value; NaN gets one more than the last bin."""
    codes = np.searchsorted(cuts, values, side="left")
    return np.where(np.isnan(values), len(cuts) + 1, codes)


def histogram(codes: Array, dual: Array, n_codes: int) -> Array:
    """Sum of ``dual`` over the rows with each code."""
    return np.bincount(codes, weights=dual, minlength=n_codes)


def _first_largest(scores: Array, floor: float) -> tuple[float, int]:
    """Largest score above ``floor`` with ties to the first; (floor, 0) where none is above."""
    best, chosen = floor, 0
    for k, score in enumerate(scores):
        if score > best + TIE * max(1.0, abs(best)):
            best, chosen = float(score), k
    return best, chosen


def best_threshold(histogram: Array, n_bins: int) -> tuple[float, int]:
    """Best cut of an ordered feature."""
    values, missing = histogram[:n_bins], abs(histogram[n_bins])
    total = values.sum()
    left = np.cumsum(values)[:-1]
    best, cut = _first_largest(np.abs(left) + np.abs(total - left), abs(total))
    return best + missing, cut


def best_category(histogram: Array, n_bins: int) -> tuple[float, int]:
    """Best one-against-rest split of a categorical feature."""
    values, missing = histogram[:n_bins], abs(histogram[n_bins])
    total = values.sum()
    best, chosen = _first_largest(np.abs(values) + np.abs(total - values), abs(total))
    return best + missing, chosen


def exponential_weights(scores: Array, y: Array, prior: Array) -> tuple[Array, float]:
    """Signed weights ``y d`` with ``d ∝ prior exp(-y scores)``, and the log of the sum."""
    exponent = np.log(prior) - y * scores
    shift = exponent.max()
    weights = np.exp(exponent - shift)
    return y * weights / weights.sum(), float(shift + np.log(weights.sum()))


def step_function(values: Array, thresholds: Array, levels: Array) -> Array:
    """Evaluate a step function; the last level is for NaN."""
    index = np.searchsorted(thresholds, values, side="left")
    return np.where(np.isnan(values), levels[-1], levels[index])
