"""Readable NumPy twins of the volume kernels: what each means, and what it is tested against."""

from __future__ import annotations

import numpy as np

from ...types import Array


def sum_levels(pieces: Array, levels: Array) -> Array:
    """Score of each row."""
    return levels[pieces].sum(axis=1)


def decision_shares(
    pieces: Array, levels: Array, first: Array, low: Array, high: Array, tie: float
) -> Array:
    """Product, over the axes, of the extent with the row's own label; not as logarithms."""
    scores = sum_levels(pieces, levels)
    product = np.ones(len(pieces))
    for i, row in enumerate(pieces):
        for j, piece in enumerate(row):
            own = np.arange(first[j], first[j + 1])
            alike = (scores[i] + (levels[own] - levels[piece]) > tie) == (scores[i] > tie)
            walls_below = own[(own < piece) & ~alike]
            walls_above = own[(own > piece) & ~alike]
            lower = walls_below.max() + 1 if walls_below.size else own[0]
            upper = walls_above.min() - 1 if walls_above.size else own[-1]
            product[i] *= high[upper] - low[lower]
    return product
