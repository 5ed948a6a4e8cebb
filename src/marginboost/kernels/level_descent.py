"""Kernels of descent in the levels of one feature after the other: sums by bin, best levels.

The smoothed soft margin of an additive function F, with a price on the height of its steps, is
improved in the levels of one feature, all others held: Newton's method makes of it a sum of squares
by bin, and the price a bound on the variation, which dynamic programming minimises exactly in
linear time (Johnson, *A dynamic programming algorithm for the fused lasso and L0-segmentation*,
2013).
"""

from __future__ import annotations

import numpy as np

from ..types import Array
from .exponentials import exponential
from .jit import dividing_kernel, kernel, reducing_kernel

PIECE = 2048
"""Rows worked on at a time, so that they stay in the cache."""
HALVINGS = 40
"""Of the interval in which a multiplier lies."""


@dividing_kernel
def move_and_sum(
    before: Array,
    steps: Array,
    codes: Array,
    y: Array,
    scores: Array,
    caps: Array,
    rho: float,
    sums: Array,
) -> None:
    """Add ``steps[before]`` to the scores; then sums by code of what rows pull, and how strongly.

    A row pulls with ``y d``, ``d = cap σ(ρ - y F)``; ``sums`` (bins, 2) has its curvature beside.
    """
    pulls, curvatures = np.empty(PIECE), np.empty(PIECE)
    sums[:] = 0.0
    for start in range(0, scores.size, PIECE):
        count = min(PIECE, scores.size - start)
        for i in range(count):
            scores[start + i] += steps[before[start + i]]
        for i in range(count):
            sign = y[start + i]
            z = rho - sign * scores[start + i]
            small = exponential(-abs(z))
            larger = 1.0 / (1.0 + small)
            share = larger if z >= 0.0 else small * larger
            pulls[i] = sign * caps[start + i] * share
            curvatures[i] = caps[start + i] * larger * larger * small
        for i in range(count):
            code = codes[start + i]
            sums[code, 0] += pulls[i]
            sums[code, 1] += curvatures[i]


@reducing_kernel
def scaled_sums(
    outcomes: Array, scale: float, rho: float, caps: Array
) -> tuple[float, float, float, float, float]:
    """With ``d = cap σ(ρ - s y F)`` and h its slope: Σd, Σ d y F, Σh, Σ h y F and Σ h (y F)²."""
    weight = pull = first = second = third = 0.0
    for i in range(outcomes.size):
        z = rho - scale * outcomes[i]
        small = exponential(-abs(z))
        larger = 1.0 / (1.0 + small)
        d = caps[i] * (larger if z >= 0.0 else small * larger)
        h = caps[i] * larger * larger * small
        weight += d
        pull += d * outcomes[i]
        first += h
        second += h * outcomes[i]
        third += h * outcomes[i] * outcomes[i]
    return weight, pull, first, second, third


@dividing_kernel
def smooth_variation(targets: Array, weights: Array, price: float, room: Array, out: Array) -> None:
    """Minimise ``½ Σ w (v - t)² + price Σ |v_k+1 - v_k|``, weights positive.

    The derivative of the best value by the last level is a broken line; ``room`` (5, 2 n) has its
    breaks between places l and r, with the change of slope and offset at each, and the levels
    between which the next one is the same.
    """
    n = targets.size
    if n == 1:
        out[0] = targets[0]
        return
    x, a, b, low, high = room[0], room[1], room[2], room[3], room[4]
    first_a, first_b = weights[0], -weights[0] * targets[0]
    last_a, last_b = -weights[0], weights[0] * targets[0]
    left, right = n, n - 1  # no breaks
    for k in range(n - 1):
        slope, offset, lo = first_a, first_b, left
        while lo <= right and slope * x[lo] + offset <= -price:
            slope += a[lo]
            offset += b[lo]
            lo += 1
        fall, drop, hi = last_a, last_b, right
        while hi >= lo and -fall * x[hi] - drop >= price:
            fall += a[hi]
            drop += b[hi]
            hi -= 1
        low[k], high[k] = (-price - offset) / slope, (price + drop) / -fall
        left, right = lo - 1, hi + 1
        x[left], a[left], b[left] = low[k], slope, offset + price
        x[right], a[right], b[right] = high[k], fall, drop + price
        w, t = weights[k + 1], targets[k + 1]
        first_a, first_b, last_a, last_b = w, -w * t - price, -w, w * t - price
    slope, offset, lo = first_a, first_b, left
    while lo <= right and slope * x[lo] + offset <= 0.0:
        slope += a[lo]
        offset += b[lo]
        lo += 1
    out[n - 1] = -offset / slope
    for k in range(n - 2, -1, -1):
        out[k] = min(max(out[k + 1], low[k]), high[k])


@kernel
def best_levels(targets: Array, weights: Array, price: float, room: Array, out: Array) -> None:
    """Levels of one feature and the constant together, which costs its size twice the price.

    Stumps leave the first and the last level opposite; what is not is the constant, half of their
    sum. Its multiplier pulls at both ends, and is found by halving.
    """
    last = targets.size - 1
    low, high = -price, price
    shifted = targets.copy()
    for step in range(HALVINGS):
        lean = 0.5 * (low + high) if step > 0 else 0.0
        shifted[0], shifted[last] = targets[0], targets[last]
        shifted[0] -= lean / weights[0]
        shifted[last] -= lean / weights[last]
        smooth_variation(shifted, weights, price, room, out)
        ends = out[0] + out[last]
        if abs(ends) < 1e-9:
            return
        low, high = (lean, high) if ends > 0.0 else (low, lean)
