"""What descent on soft margins needs: weights from exponents, steps with and without convexity.

AdaBoost_Reg and ν-Arc minimise ``Σ_i p_i exp(-e_i(a))`` along one hypothesis, where ``e_i`` is a
soft margin times Σα. It may be linear in the step ``a``, and then the sum is convex; or it is not.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ..kernels.ties import TIE
from ..types import Array

TRIALS = (np.arange(25) / 24.0) ** 2
"""Steps tried, as shares of the longest one: dense near 0, where most steps are."""

NEWTON_END = 1e-9
"""Relative change after which Newton's next one, about its square, is below rounding."""
ROUNDING = 1e-15
"""Relative change at which bisection ends."""
MOST_TRIALS = 100
"""More than bisection needs for that."""

Function = Callable[[float], float]
STEEP, FARTHEST = 1e100, 1e300
"""Rates beyond which a step is counted in units of the largest one, and the farthest step then."""


def softmin(exponents: Array, prior: Array) -> tuple[Array, float]:
    """Weights ``∝ prior exp(-exponents)`` with sum one, and the logarithm of the sum before.

    >>> weights, log_sum = softmin(np.array([0.0, np.log(3.0)]), np.array([0.5, 0.5]))
    >>> weights.round(12).tolist(), round(math.exp(log_sum), 12)
    ([0.75, 0.25], 0.666666666667)
    """
    smallest = float(exponents.min())
    weights = prior * np.exp(smallest - exponents)
    total = float(weights.sum())
    return weights / total, math.log(total) - smallest


def convex_step(slope: Function, longest: float) -> float:
    """Minimise a convex function of a step over [0, longest], given its derivative.

    >>> round(convex_step(lambda a: a * a - 2.0, 5.0), 12)
    1.414213562373
    """
    if slope(0.0) >= 0.0:
        return 0.0
    return longest if slope(longest) <= 0.0 else _root(slope, 0.0, longest)


def linear_step(exponents: Array, rate: Array, prior: Array, longest: float) -> float:
    """Minimise ``Σ prior exp(-exponents - a rate)`` over steps a in [0, longest], to rounding.

    Newton's method on the logarithm of the sum, whose derivatives are minus the mean and the
    variance of the rates under the weights; a step that would leave the bracket, or that does not
    halve the slope, gives way to bisection.

    >>> outcome = np.array([1.0, 1.0, 1.0, -1.0])
    >>> step = linear_step(np.zeros(4), outcome, np.full(4, 0.25), 5.0)
    >>> round(step, 12) == round(0.5 * math.log(3.0), 12)
    True
    """
    unit = float(np.abs(rate).max())
    if unit > STEEP:  # squares of the rates are no numbers
        return linear_step(exponents, rate / unit, prior, min(longest * unit, FARTHEST)) / unit
    squares = rate * rate

    def slopes(step: float) -> tuple[float, float]:
        weights = softmin(exponents + step * rate, prior)[0]
        mean = float(weights @ rate)
        return -mean, float(weights @ squares) - mean * mean

    if slopes(longest)[0] <= 0.0:
        return longest
    step, low, high, last = 0.0, 0.0, longest, math.inf
    for _ in range(MOST_TRIALS):
        slope, curvature = slopes(step)
        if slope == 0.0 or (slope > 0.0 and step == 0.0):
            return step
        low, high = (step, high) if slope < 0.0 else (low, step)
        guess = step - slope / curvature if curvature > 0.0 else high
        newton = low < guess < high and 2.0 * abs(slope) < last
        step, before = guess if newton else 0.5 * (low + high), step
        if abs(step - before) <= (NEWTON_END if newton else ROUNDING) * step:
            break
        last = abs(slope)
    return step


def search_step(loss: Function, slope: Function, longest: float) -> float:
    """Minimise a continuous function of a step over [0, longest]: the best valley of many.

    Parameters
    ----------
    loss : callable
        The function.
    slope : callable
        Its derivative from the right. It may jump where the function has a kink.
    longest : float
        Longest step.

    Returns
    -------
    float
        0 where no step tried lowers the function.

    Examples
    --------
    The nearer valley is not the deeper one:

    >>> wave = lambda a: math.cos(3 * a) - 0.2 * a
    >>> step = search_step(wave, lambda a: -3 * math.sin(3 * a) - 0.2, 4.0)
    >>> round(step, 6) == round(math.pi + math.asin(0.2 / 3) / 3, 6)
    True
    """
    trials = longest * TRIALS
    losses = np.array([loss(step) for step in trials])
    k = int(np.argmax(losses <= losses.min() + TIE))  # of equal losses, the shortest step
    low, high = (k - 1, k) if slope(trials[k]) > 0.0 else (k, k + 1)
    if low >= 0 and high < len(trials) and slope(trials[low]) < 0.0 < slope(trials[high]):
        step = _root(slope, trials[low], trials[high])
        if loss(step) < losses[k]:
            return step
    return float(trials[k])


def _root(slope: Function, low: float, high: float) -> float:
    """Where the slope turns positive, to rounding."""
    from scipy.optimize import brentq  # here, not above: a third of a second at import

    return float(brentq(slope, low, high, xtol=1e-15, rtol=1e-15))
