"""Kernels over the pieces into which the cuts of a stump ensemble divide each axis.

Pieces are numbered through all features; feature j has those from ``first[j]`` to
``first[j + 1] - 1``. ``pieces[i, j]`` is the one that holds row i. The score of a row is the sum of
one level per piece, so walking along an axis changes one term.
"""

from __future__ import annotations

import numpy as np

from ..types import Array
from .jit import kernel

SMALL = 1e-200
"""A product of shares below this is put away as a logarithm."""


@kernel
def sum_levels(pieces: Array, levels: Array, out: Array) -> None:
    """``out[i] = Σ_j levels[pieces[i, j]]``."""
    for i in range(pieces.shape[0]):
        total = 0.0
        for j in range(pieces.shape[1]):
            total += levels[pieces[i, j]]
        out[i] = total


@kernel
def running_extremes(levels: Array, first: Array) -> Array:
    """Lowest and highest level from a piece to the end of its axis, and to the beginning of it."""
    extremes = np.empty((4, levels.size))
    for j in range(first.size - 1):
        start, stop = first[j], first[j + 1]
        for direction in range(2):
            lowest, highest = np.inf, -np.inf
            for k in range(stop - start):
                piece = start + k if direction else stop - 1 - k
                lowest, highest = min(lowest, levels[piece]), max(highest, levels[piece])
                extremes[2 * direction, piece] = lowest
                extremes[2 * direction + 1, piece] = highest
    return extremes


@kernel
def last_alike(levels: Array, piece: int, step: int, score: float, tie: float) -> int:
    """Last piece, in the direction ``step``, before the sign of the score changes; it must change.

    The score elsewhere is that of the row plus the difference of two levels: where they are equal
    it is the same bits, so a cut that changes nothing is never a boundary.
    """
    positive, own = score > tie, levels[piece]
    while (score + (levels[piece + step] - own) > tie) == positive:
        piece += step
    return piece


@kernel
def decision_shares(
    pieces: Array, levels: Array, first: Array, low: Array, high: Array, tie: float, out: Array
) -> None:
    """``out[i]`` = logarithm of the product, over the axes, of the extent with the row's own label.

    Piece k reaches from ``low[k]`` to ``high[k]``, as a share of its axis. On entry ``out[i]`` is
    the score of the row; one above ``tie`` is positive. Most ways meet no change of the label: the
    level that is worst for the label, of those ahead, tells so at once.
    """
    extremes = running_extremes(levels, first)
    for i in range(pieces.shape[0]):
        product, logarithm, score = 1.0, 0.0, out[i]
        positive = score > tie
        worst_above, worst_below = extremes[0 if positive else 1], extremes[2 if positive else 3]
        for j in range(pieces.shape[1]):
            piece, own = pieces[i, j], levels[pieces[i, j]]
            lower, upper = first[j], first[j + 1] - 1
            if (score + (worst_above[piece] - own) > tie) != positive:
                upper = last_alike(levels, piece, 1, score, tie)
            if (score + (worst_below[piece] - own) > tie) != positive:
                lower = last_alike(levels, piece, -1, score, tie)
            product *= high[upper] - low[lower]
            if product < SMALL:
                logarithm += np.log(product)
                product = 1.0
        out[i] = logarithm + np.log(product)
