"""Kernels of the smoothed soft margin: the hinge at a temperature, its weights, its curvature."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .jit import kernel

Array = np.ndarray[Any, np.dtype[Any]]


@kernel
def capped_weights(
    scores: Array, y: Array, caps: Array, rho: float, beta: float, out: Array
) -> tuple[float, float]:
    """``out = cap σ((ρ - y score) / β)``; returns the sum and its derivative by ρ, times β."""
    total, slope = 0.0, 0.0
    for i in range(scores.size):
        z = (rho - y[i] * scores[i]) / beta
        small = math.exp(-abs(z))
        share = 1.0 / (1.0 + small) if z >= 0.0 else small / (1.0 + small)
        weight = caps[i] * share
        out[i] = weight
        total += weight
        slope += weight * (1.0 - share)
    return total, slope


@kernel
def smoothed_hinge(scores: Array, y: Array, caps: Array, rho: float, beta: float) -> float:
    """``Σ cap log(1 + exp((ρ - y score) / β))``."""
    total = 0.0
    for i in range(scores.size):
        z = (rho - y[i] * scores[i]) / beta
        total += caps[i] * (max(z, 0.0) + math.log1p(math.exp(-abs(z))))
    return total
