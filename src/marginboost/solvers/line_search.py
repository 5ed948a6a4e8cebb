"""One-dimensional searches: step of the exponential loss (eq. 2.4; LB-A3), safeguarded roots."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ..types import Array

LONGEST = 20.0
"""Most by which a step should move a score where no step is the best, or only one beyond reason.

What it decides keeps e⁻²⁰ of its weight. For outputs of -1 and +1 a longer step would need an edge
nearer to one than numbers can be, so none is lost.
"""


def longest_step(column: Array) -> float:
    """Step along a hypothesis with these outputs that moves no score by more than ``LONGEST``."""
    largest = float(np.abs(column).max())
    return LONGEST / largest if largest > 0.0 else 0.0


def exponential_step(weights: Array, outcome: Array, target: float = 0.0) -> float:
    """Minimise ``Σ_i weights_i exp(a (target - outcome_i))`` over ``a``.

    Parameters
    ----------
    weights : array
        Nonnegative weights d.
    outcome : array
        ``u_i = y_i h(x_i)``, in [-1, 1].
    target : float
        Target margin ϱ.

    Returns
    -------
    float
        The minimiser: positive when the edge exceeds the target, infinite when every example with
        weight has ``u_i >= target`` (the hypothesis alone meets the target).

    Examples
    --------
    For outputs of -1 and +1 the answer is artanh(edge) - artanh(target):

    >>> u = np.array([1.0, 1.0, 1.0, -1.0])
    >>> round(exponential_step(np.full(4, 0.25), u), 6), round(0.5 * math.log(3), 6)
    (0.549306, 0.549306)
    """
    active = weights > 0
    d, v = weights[active], target - outcome[active]
    slope = float(d @ v)
    if slope == 0.0:
        return 0.0
    if slope > 0.0:  # the mirrored problem has its minimiser on the positive axis
        return -exponential_step(d, target + v, target)
    if v.max() <= 0.0:
        return math.inf
    return _root(d, v)


def _root(d: Array, v: Array) -> float:
    """Zero of ``Σ d v exp(a v)`` for a > 0."""
    low, high = 0.0, 1.0
    while _slope(d, v, high)[0] < 0.0:
        low, high = high, 2.0 * high
    return increasing_root(lambda a: _slope(d, v, a), low, high)


def increasing_root(
    function: Callable[[float], tuple[float, float]],
    low: float,
    high: float,
    accuracy: float = 4e-16,
    settled: float = 0.0,
) -> float:
    """Zero of an increasing function, by Newton's method inside a shrinking bracket.

    Parameters
    ----------
    function : callable
        Returns value and derivative; negative at ``low``, not so at ``high``. Any positive multiple
        of both will do.
    low, high : float
        Where to look.
    accuracy : float
        Step, relative to ``max(1, |a|)``, at which to stop.
    settled : float
        Newton's step, in the same terms, below which to stop though it leads out of the bracket:
        else rounding in the function sends the search back to halving it.
    """
    a = 0.5 * (low + high)
    for _ in range(200):
        value, derivative = function(a)
        if value < 0.0:
            low = a
        else:
            high = a
        newton = a - value / derivative if derivative > 0.0 else math.nan
        if abs(newton - a) < settled * max(1.0, abs(a)):
            return a
        step = newton if low < newton < high else 0.5 * (low + high)
        if abs(step - a) <= accuracy * max(1.0, abs(a)):
            return step
        a = step
    return a


def _slope(d: Array, v: Array, a: float) -> tuple[float, float]:
    """First and second derivative, both scaled by the largest term so that nothing overflows."""
    exponent = a * v
    terms = d * np.exp(exponent - exponent.max())
    first = terms * v
    return float(first.sum()), float(first @ v)
