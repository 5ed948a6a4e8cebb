"""Kernels over scores and weights of examples: sums, signs, and weights below a cap."""

from __future__ import annotations

import math

from ..types import Array
from .jit import kernel, reducing_kernel


@kernel
def add_column(scores: Array, column: Array, step: float) -> None:
    """``scores += step * column``."""
    for i in range(scores.size):
        scores[i] += step * column[i]


@kernel
def signed_scores(scores: Array, y: Array, out: Array) -> None:
    """``out = y * scores``."""
    for i in range(scores.size):
        out[i] = y[i] * scores[i]


@reducing_kernel
def sign_weights(weights: Array, y: Array, prior: Array) -> float:
    """Turn ``weights`` into ``y * prior * weights`` in place; returns the sum before signing.

    An empty ``prior`` stands for ones.
    """
    total = 0.0
    if prior.size == 0:
        for i in range(weights.size):
            total += weights[i]
            weights[i] *= y[i]
    else:
        for i in range(weights.size):
            weight = weights[i] * prior[i]
            total += weight
            weights[i] = weight * y[i]
    return total


@reducing_kernel
def weighted_sum(dual: Array, column: Array) -> float:
    """Edge of a column: ``dual · column``."""
    total = 0.0
    for i in range(dual.size):
        total += dual[i] * column[i]
    return total


@kernel
def wrong_weight(dual: Array, column: Array, y: Array) -> tuple[float, int]:
    """Weight and number of the rows that a ±1 column gets wrong.

    Summed directly, not as (1 - edge) / 2, because that difference loses all digits near edge 1.
    """
    weight, count = 0.0, 0
    for i in range(dual.size):
        if column[i] * y[i] < 0:
            weight += abs(dual[i])
            count += 1
    return weight, count


# -- weights that are capped below a threshold and fall exponentially above it ---------------------


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
