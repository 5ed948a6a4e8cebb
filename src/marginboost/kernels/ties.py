"""When two scores are equal: the one rule by which every search of a split settles ties."""

from __future__ import annotations

from .jit import kernel

TIE = 1e-12
"""Scores closer than this are equal, relative to the larger one where that is above one.

Weights sum to one, so this is far above what rounding leaves and far below what any data can say.
Of equal scores the lower feature, then the lower cut, wins."""


def least_difference(score: float) -> float:
    """Return the least difference by which another score is different from this one.

    >>> least_difference(0.5), least_difference(-1e6)
    (1e-12, 1e-06)
    """
    return TIE * max(1.0, abs(score))


resolution = kernel(least_difference)
"""The same for kernels."""
