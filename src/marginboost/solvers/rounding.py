"""What rounding may have cost a bound on a loss: it is counted against the bound.

A bound must hold for weights and targets of any size, so nothing here is a tolerance that ordinary
data need. Every rounding is at most 2⁻⁵³ of the numbers that take part in it:

- a score or residual is off by at most SLACK of the sizes of its numbers; losses are convex, so
  the largest loss within that is at an end;
- a loss or its conjugate is off by at most LOSSES of the numbers of which it is the difference;
- a sum of n terms is off by at most n ROUNDING of their sizes;
- the base learner settles ties, and its sums round: a larger edge may exist, by EDGES.
"""

from __future__ import annotations

import math

import numpy as np

from ..kernels.exact import exact_sum, rounded
from ..kernels.ties import TIE
from ..types import Array

ROUNDING = 2.0**-52
"""One rounding and one to spare."""
SLACK = 2.0**-49
"""More than all roundings of a score or residual, over the sizes of its numbers."""
LOSSES = 2.0**-46
"""More than all roundings of a loss of one number."""
EDGES = 10.0 * TIE
"""By how much the largest edge may exceed that of the hypothesis chosen, over the sum of weights:
two ties are settled, and three sides may have a sign of their own, each worth twice a tie."""


def steepest(edge: float, size: float, n_rows: int) -> float:
    """Largest edge there may be, where one of ``edge`` was found under weights of this sum."""
    return max(edge, 0.0) + (EDGES + 2 * n_rows * ROUNDING) * size


def next_above(value: float) -> float:
    """Number above a difference of numbers of at most its size, or of one, that was rounded."""
    return value + ROUNDING * max(abs(value), 1.0)


def next_below(value: float) -> float:
    """Number below it."""
    return value - ROUNDING * max(abs(value), 1.0)


def total(values: Array) -> float:
    """Sum of numbers, rounded once; infinite where one of them is not finite."""
    return rounded(exact_sum(values)) if np.isfinite(values).all() else math.inf


def balanced(dual: Array, caps: tuple[Array, Array], heaviest: int) -> Array:
    """Signed weights whose sum is 0 but for rounding.

    First the row that weighs most makes up for the others, as far as its caps allow: the slightest
    error of an intercept changes its weight more than all others are. What is left of the
    heavier side is made lighter.

    >>> dual, caps = np.array([3.0, -1.0, -1.0]), (np.full(3, -5.0), np.full(3, 5.0))
    >>> balanced(dual, caps, 0)
    array([ 2., -1., -1.])
    """
    dual = dual.copy()
    low, high = float(caps[0][heaviest]), float(caps[1][heaviest])
    dual[heaviest] = min(max(float(dual[heaviest]) - total(dual), low), high)
    up, down = total(np.maximum(dual, 0.0)), total(np.maximum(-dual, 0.0))
    if up > down:
        return np.where(dual > 0.0, dual * (down / up), dual)
    return np.where(dual < 0.0, dual * (up / down), dual) if down > up else dual
