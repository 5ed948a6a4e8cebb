"""Kernels over scores and weights of examples: sums, signs, and weights below a cap."""

from __future__ import annotations

import math

from ..types import Array
from .exact import LARGEST_WEIGHT, as_total, bound_of, in_units, steps_below
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


def sign_weights(weights: Array, y: Array, prior: Array) -> int:
    """Turn ``weights`` into ``y * prior * weights`` in place; returns the exact sum before signing.

    An empty ``prior`` stands for ones. Weights are nonnegative; those above 4 are added as 4, so
    that the sum of at most 2²² of them says whether it is the sum of all as they are.
    """
    bound = bound_of(LARGEST_WEIGHT)
    return as_total(sign_and_add(weights, y, prior, *steps_below(bound)), bound)


@kernel
def sign_and_add(
    weights: Array, y: Array, prior: Array, coarse: float, fine: float
) -> tuple[int, int]:
    """Do the work of :func:`sign_weights`; the sum is in whole numbers of two units."""
    all_first, all_second = 0, 0
    for i in range(weights.size):
        weight = weights[i] if prior.size == 0 else weights[i] * prior[i]
        limited = weight if weight < LARGEST_WEIGHT else LARGEST_WEIGHT
        first, second = in_units(limited, coarse, fine)
        all_first += first
        all_second += second
        weights[i] = weight * y[i]
    return all_first, all_second


@reducing_kernel
def weighted_sum(dual: Array, column: Array) -> float:
    """Edge of a column: ``dual · column``."""
    total = 0.0
    for i in range(dual.size):
        total += dual[i] * column[i]
    return total


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
