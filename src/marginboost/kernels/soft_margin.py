"""Kernels of the smoothed soft margin: the hinge at a temperature, its weights, its curvature.

Exponentials and logarithms are NumPy's, which are many times faster than a loop's: they are taken
between the kernels, of ``small = exp(-|z|)`` with ``z = (ρ - margin) / β``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .jit import kernel, reducing_kernel

Array = np.ndarray[Any, np.dtype[Any]]


@kernel
def shortfalls(margins: Array, rho: float, beta: float, z: Array, negative: Array) -> None:
    """``z = (ρ - margin) / β`` and ``-|z|``."""
    for i in range(margins.size):
        z[i] = (rho - margins[i]) / beta
        negative[i] = -abs(z[i])


@reducing_kernel
def capped_weights(z: Array, small: Array, caps: Array, out: Array) -> tuple[float, float]:
    """``out = cap σ(z)``; returns the sum and its derivative by ρ, times β."""
    total, slope = 0.0, 0.0
    for i in range(z.size):
        larger = 1.0 / (1.0 + small[i])
        smaller = small[i] * larger
        weight = caps[i] * (larger if z[i] >= 0.0 else smaller)
        out[i] = weight
        total += weight
        slope += caps[i] * smaller * larger
    return total, slope


@reducing_kernel
def smoothed_hinge(z: Array, log_small: Array, caps: Array) -> float:
    """``Σ cap log(1 + exp(z))``, where ``log_small = log(1 + exp(-|z|))``."""
    total = 0.0
    for i in range(z.size):
        total += caps[i] * (max(z[i], 0.0) + log_small[i])
    return total
