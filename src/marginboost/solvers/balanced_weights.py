"""Capped weights under which no stump has an edge: proof that no soft margin is to be had.

The best soft margin is zero where weights d, Σd = 1, d <= cap, give both classes the same weight in
every bin of every feature. Where they leave room under the caps, such weights are those of the best
additive function F of a smoothed problem without a bound on its size,

    max_{F, ρ}   ρ - Σ_i cap_i log(1 + exp(ρ - y_i F(x_i))),   d_i = cap_i σ(ρ - y_i F(x_i)),

whose conditions of optimality are just that. F is found by Newton steps in the levels of one
feature after the other. Where the best soft margin is positive there are no such weights: that is
plain as soon as F has a positive one, mostly after one turn.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import expit

from ..data import BinnedMatrix
from ..types import Array
from .masters.problem import soft_margin

MOST_SWEEPS = 40
"""Times that all features are taken in turn."""
ENOUGH = 5e-5
"""Largest edge at which weights count as balanced."""
SLOW = 0.9
"""Edges that fall by less than this in a sweep are not on their way to zero."""
LARGEST_STEP = 2.0
"""Most that a level may change at once: far out, curvatures say nothing."""


class Balanced(NamedTuple):
    """Weights without edges, and the function that they come from.

    Attributes
    ----------
    levels : list of arrays
        Levels of F, one array per feature.
    weights : array
        Weights of the rows, with sum one.
    """

    levels: list[Array]
    weights: Array


def balance(bins: BinnedMatrix, y: Array, prior: Array, nu: float) -> Balanced | None:
    """Weights without edges; None where there are none, or none in sight.

    Parameters
    ----------
    bins : BinnedMatrix
        Rows without missing values and categories.
    y : array
        Labels, -1 or +1.
    prior : array
        Weights of the rows, with sum one.
    nu : float
        Share of weight that may fall short: caps are ``prior / nu``.
    """
    caps, scores, rho, before = prior / nu, np.zeros(len(y)), 0.0, np.inf
    levels = [np.zeros(n_bins) for n_bins in bins.n_bins]
    for _ in range(MOST_SWEEPS):
        for codes, mine in zip(bins.codes, levels, strict=True):
            steps = _newton_steps(codes, len(mine), y, rho - y * scores, caps)
            mine += steps
            scores += steps[codes]
        if soft_margin(y * scores, prior, nu)[0] > 0.0:
            return None
        rho = _level(rho, y * scores, caps)
        weights = caps * expit(rho - y * scores)
        weights /= weights.sum()
        edge = _most_edge(bins, y * weights)
        if edge <= ENOUGH:
            return Balanced(levels, weights)
        if edge > SLOW * before:
            return None
        before = edge
    return None


def _newton_steps(codes: Array, n_bins: int, y: Array, shortfalls: Array, caps: Array) -> Array:
    """Steps of the levels of one feature."""
    shares = expit(shortfalls)
    weights = caps * shares
    pull = np.bincount(codes, y * weights, n_bins)
    curvature = np.bincount(codes, weights * (1.0 - shares), n_bins)
    steps = pull / np.maximum(curvature, np.finfo(float).tiny)
    return np.clip(steps, -LARGEST_STEP, LARGEST_STEP)


def _level(rho: float, outcomes: Array, caps: Array) -> float:
    """The ρ at which weights sum to one, by bisection around the last one."""
    low, high = rho - 1.0, rho + 1.0
    while caps @ expit(low - outcomes) > 1.0:
        low -= 2.0
    while caps @ expit(high - outcomes) < 1.0:
        high += 2.0
    while high - low > 1e-6:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if caps @ expit(middle - outcomes) < 1.0 else (low, middle)
    return 0.5 * (low + high)


def _most_edge(bins: BinnedMatrix, dual: Array) -> float:
    """Largest edge of stumps with cuts between bins."""
    most = 0.0
    for codes, n_bins in zip(bins.codes, bins.n_bins.tolist(), strict=True):
        below = np.cumsum(np.bincount(codes, dual, n_bins))
        most = max(most, float(np.max(np.abs(below) + np.abs(below[-1] - below))))
    return most
