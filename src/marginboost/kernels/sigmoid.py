"""Kernels of the sigmoid between votes and probabilities: sums that are the same in any order.

Terms of the derivatives are rounded to a grid on which all their sums are exact
(:func:`~.exact.on_grid`), so that rows may be divided anyhow. Costs have no bound: they are written
out, for :func:`~.exact.exact_sum`.
"""

from __future__ import annotations

import math

import numpy as np

from ..types import Array
from .exact import on_grid
from .exponentials import exponential
from .intrinsics import bits_of
from .jit import dividing_kernel
from .logistic import log_of_sum

UNIT = 2.0**-51
"""Of the grid: a number plus 3 has them in its last binary digits."""
QUARTER = 0.25
"""Of the terms of several classes: none of them is then above one, nor their sum above four."""


@dividing_kernel
def logistic_sums(
    votes: Array, weights: Array, total: float, at: tuple[float, float], costs: Array
) -> tuple[float, float, float, float, float]:
    """Sums of ``w p``, ``w p v``, ``w h``, ``w h v`` and ``w h v²``: p is ``σ(z)``, h its slope.

    Here ``z = slope v + offset``. Whole numbers of the grid's unit are added, in vector lanes. The
    cost ``w log(1 + exp(z))`` of every row is written to ``costs``.
    """
    slope, offset = at
    zero = bits_of(3.0)
    mean = pull = first = second = third = 0
    for i in range(votes.size):
        z, weight = slope * votes[i] + offset, weights[i] / total
        small = exponential(-abs(z))
        larger = 1.0 / (1.0 + small)
        p = weight * (larger if z >= 0.0 else small * larger)
        h = weight * (larger * larger * small)
        mean += bits_of(3.0 + p) - zero
        pull += bits_of(3.0 + p * votes[i]) - zero
        first += bits_of(3.0 + h) - zero
        second += bits_of(3.0 + h * votes[i]) - zero
        third += bits_of(3.0 + h * votes[i] * votes[i]) - zero
        costs[i] = weight * ((z if z > 0.0 else 0.0) + log_of_sum(small))
    return mean * UNIT, pull * UNIT, first * UNIT, second * UNIT, third * UNIT


@dividing_kernel
def softmax(votes: Array, slope: float, offsets: Array, out: Array) -> float:
    """Write the shares of ``exp(slope v + offset)`` in a row; returns the logarithm of the sum."""
    largest = -math.inf
    for k in range(votes.size):
        out[k] = slope * votes[k] + offsets[k]
        largest = max(largest, out[k])
    total = 0.0
    for k in range(votes.size):
        out[k] = exponential(out[k] - largest)
        total += out[k]
    for k in range(votes.size):
        out[k] /= total
    return largest + math.log(total)


@dividing_kernel
def softmax_sums(
    votes: Array,
    weights: Array,
    total: float,
    slope: float,
    offsets: Array,
    costs: Array,
    out: Array,
) -> None:
    """Write a quarter of the sums that the derivatives are made of, (4 + classes, classes).

    With p the shares and m = Σ_k p_k v_k, rows are sums of ``w p_k``, of ``w p_k (v_k - m)``, of
    ``w p_k v_k``, of ``w p_k (v_k - m)²``, then of the products ``w p_k p_l``, l <= k. Costs
    ``w log Σ_k exp(slope v_k + offset_k)`` of every row are written to ``costs``.
    """
    n_classes = offsets.size
    shares = np.empty(n_classes)
    out[:] = 0.0
    for i in range(weights.size):
        share = weights[i] / total
        costs[i] = share * softmax(votes[i], slope, offsets, shares)
        weight, mean = QUARTER * share, 0.0
        for k in range(n_classes):
            mean += shares[k] * votes[i, k]
        for k in range(n_classes):
            p, around = weight * shares[k], votes[i, k] - mean
            out[0, k] += on_grid(p)
            out[1, k] += on_grid(p * around)
            out[2, k] += on_grid(p * votes[i, k])
            out[3, k] += on_grid(p * around * around)
            for other in range(k + 1):
                out[4 + k, other] += on_grid(p * shares[other])
