"""Kernels of weights that are capped below a threshold and fall exponentially above it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .jit import kernel

Array = np.ndarray[Any, np.dtype[Any]]


@kernel
def split_mass(
    outcomes: Array, caps: Array, threshold: float, reference: float
) -> tuple[float, float, float]:
    """Mass on both sides of a threshold τ.

    Returns ``Σ cap`` over the outcomes at most τ, ``Σ cap exp(reference - outcome)`` over those
    above it, and the smallest of those (infinite if there is none).
    """
    below, above, smallest = 0.0, 0.0, math.inf
    for i in range(outcomes.size):
        if outcomes[i] <= threshold:
            below += caps[i]
        else:
            above += caps[i] * math.exp(reference - outcomes[i])
            smallest = min(smallest, outcomes[i])
    return below, above, smallest


@kernel
def threshold_weights(
    outcomes: Array, caps: Array, threshold: float, capped: Array, free: Array
) -> tuple[float, float, float]:
    """Split ``cap min(1, exp(τ - outcome))`` into weights at their cap and free ones below it.

    Returns the sums of both, and ``Σ cap [τ - outcome]_+``.
    """
    bound, loose, shortfall = 0.0, 0.0, 0.0
    for i in range(outcomes.size):
        lack = threshold - outcomes[i]
        if lack >= 0.0:
            capped[i], free[i] = caps[i], 0.0
            bound += caps[i]
            shortfall += caps[i] * lack
        else:
            capped[i], free[i] = 0.0, caps[i] * math.exp(lack)
            loose += free[i]
    return bound, loose, shortfall
