"""One-dimensional searches: step of the exponential loss (eq. 2.4; LB-A3), roots, constants."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

import numpy as np

from ..core.parts import ask_samples
from ..core.sample import Sample
from ..kernels.exact import exact_sum, rounded
from ..losses import Loss, MeanLoss
from ..types import Array

LONGEST = 20.0
"""Most by which a step should move a score where no step is the best, or only one beyond reason.

What it decides keeps e⁻²⁰ of its weight. For outputs of -1 and +1 a longer step would need an edge
nearer to one than numbers can be, so none is lost.
"""
FARTHEST = 1e3
"""Largest step of a search that finds no end."""
ROUNDING = 1e-14
"""Edge or slope, as a share of all weight, that is rounding only."""


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


# -- the best constant -----------------------------------------------------------------------------

Sums = Callable[[float], tuple[float, float, float]]
"""From a constant to the loss, its derivative, and its curvature."""


def best_constant(loss: Loss, sample: Sample) -> tuple[float, float]:
    """Minimise ``Σ p L(y, c)`` over c; return c and the sum.

    >>> from marginboost.losses import Logistic
    >>> sample = Sample.of_labels(np.array([1, 1, 1, -1]))
    >>> round(best_constant(Logistic(), sample)[0], 6), round(float(np.log(3)), 6)
    (1.098612, 1.098612)
    """
    if not sample.numeric:
        return _best_for_labels(loss, sample)

    @cache
    def sums(c: float) -> tuple[float, float, float]:
        found = ask_samples(sample, sum_at, loss, c)
        value, slope, curvature = (rounded(sum(column)) for column in zip(*found, strict=True))
        return value, slope, curvature

    lows, highs, *totals = zip(*ask_samples(sample, measure_targets), strict=True)
    low, high, (total, size, weight) = min(lows), max(highs), (rounded(sum(t)) for t in totals)
    if isinstance(loss, MeanLoss):
        best = loss.best_constant(np.array([total]), np.ones(1))
    elif loss.squared_unit is not None:  # the mean, or nothing where that is rounding only
        best = min(max(total / weight, low), high) if abs(total) > ROUNDING * size else 0.0
    else:
        return _least(sums, low, high, size, high - low or 1.0)
    return best, sums(best)[0]


def _best_for_labels(loss: Loss, sample: Sample) -> tuple[float, float]:
    """Best constant of labels, from the exact weights of -1 and +1."""
    totals = (rounded(sum(total)) for total in zip(*ask_samples(sample, weigh_labels), strict=True))
    present = [(y, total) for y, total in zip((-1.0, 1.0), totals, strict=True) if total]
    y, weights = np.array(present).T

    @cache
    def sums(c: float) -> tuple[float, float, float]:
        found = loss.derivatives(y, np.full(len(y), c))
        value, slope, curvature = (float((weights * of_label).sum()) for of_label in found)
        return value, slope, curvature

    return _least(sums, float(y.min()), float(y.max()), float(weights.sum()), 1.0)


def _least(sums: Sums, low: float, high: float, size: float, unit: float) -> tuple[float, float]:
    """Minimise a loss over constants, beginning between the extremes with steps of a unit."""
    if abs(sums(0.0)[1]) <= ROUNDING * size:
        return 0.0, sums(0.0)[0]
    low = _outwards(lambda c: sums(c)[1] > 0.0, low, -unit)
    high = _outwards(lambda c: sums(c)[1] < 0.0, high, unit)
    if sums(low)[1] < 0.0:
        unit = math.ldexp(1.0, math.frexp(unit)[1] - 1)  # a power of two: no rounding

        def within(c: float) -> tuple[float, float]:  # in a unit: tiny targets are not nothing
            _, first, second = sums(unit * c)
            return first, unit * second

        low = unit * increasing_root(within, low / unit, high / unit)
    return low, sums(low)[0]


def _outwards(beyond: Callable[[float], bool], start: float, step: float) -> float:
    """First number, at doubled distances, that is not beyond the minimum; or one far out."""
    farthest = FARTHEST * abs(step)
    while beyond(start) and abs(step) < farthest:
        start, step = start + step, 2.0 * step
    return start


def sum_at(sample: Sample, loss: Loss, c: float) -> tuple[int, ...]:
    """Exact sums of the loss of a constant, its derivative, and its curvature."""
    found = loss.derivatives(sample.y, np.full(len(sample.y), c))
    return tuple(exact_sum(sample.prior * of_row) for of_row in found)


def measure_targets(sample: Sample) -> tuple[float, float, int, int, int]:
    """Extremes of targets, and exact sums of them and of their sizes, weighed, and of weights."""
    weighed = sample.prior * sample.y
    ends = float(sample.y.min()), float(sample.y.max())
    return *ends, exact_sum(weighed), exact_sum(np.abs(weighed)), exact_sum(sample.prior)


def weigh_labels(sample: Sample) -> list[int]:
    """Exact weights of the labels -1 and +1."""
    return [exact_sum(sample.prior[sample.y == label]) for label in (-1, 1)]
