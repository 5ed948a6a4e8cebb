"""Kernels that move scores and turn them into example weights."""

from __future__ import annotations

from typing import Any

import numpy as np

from .jit import kernel, reducing_kernel

Array = np.ndarray[Any, np.dtype[Any]]


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
