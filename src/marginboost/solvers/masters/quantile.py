"""Quantiles of rows in several places, in a few questions; and their soft margin by one.

A quantile is one of the values, so it is the same number however the rows are divided. A first
question sorts values into equal intervals, a second one asks for those in the interval that
matters; where they are too many, it is divided again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np

from ...kernels.exact import grid, rounded
from ...types import Array
from .problem import MarginProblem, PricedMargin, SoftMargin, least_share, rank, sum_shortfalls
from .program_rows import ProgramRows

INTERVALS = 2048
"""Into which margins are sorted at once."""
MOST_VALUES = 4096
"""Different margins that a place tells one by one."""


class Values(Protocol):
    """Reads numbers and their weights, whose sums are exact, from a place that has rows."""

    def read(self, place: Any) -> tuple[Array, Array]:
        """Values and weights."""


class Margins(NamedTuple):
    """Margins of the vote that was asked for last, by :class:`ProgramRows`.

    Attributes
    ----------
    l1_norm : float
        What outcomes are divided by.
    uniform : bool
        Whether rows are counted; else their prior weights are added, rounded to a grid.
    """

    l1_norm: float
    uniform: bool

    def read(self, place: ProgramRows) -> tuple[Array, Array]:
        """Margins, and ones or weights."""
        weights = np.ones(len(place.caps)) if self.uniform else grid(place.prior)
        return place.margins / self.l1_norm, weights


class Within(NamedTuple):
    """What a place has between two margins: its extremes, and its values if they are few."""

    low: float
    high: float
    values: Array | None
    weights: Array


def value_on_places(
    problem: MarginProblem,
    ask: Callable[..., list[Any]],
    extremes: list[tuple[float, float]],
    l1_norm: float,
    n_rows: int,
    uniform: bool,
) -> tuple[float, float]:
    """Objective of the vote that was asked for last, and its level ρ.

    Parameters
    ----------
    problem : MarginProblem
        The program.
    ask : callable
        ``ask(question, *args)`` gives the answers of all places.
    extremes : list
        Smallest and largest outcome of every place.
    l1_norm : float
        Σα of the vote.
    n_rows, uniform : int and bool
        Rows of all places, and whether they weigh the same.
    """
    if isinstance(problem, PricedMargin):
        level = 1.0 / l1_norm if l1_norm > 0.0 else np.inf
        return problem.gain(l1_norm, sum(ask(add_shortfalls, 1.0, 1.0))), level
    assert isinstance(problem, SoftMargin)
    unit = l1_norm or 1.0
    low = min(one for one, _ in extremes) / unit
    if problem.nu is None:
        return low, low
    how = Margins(unit, uniform)
    target = float(rank(problem.nu, n_rows)) if uniform else least_share(problem.nu)
    rho = quantile(ask, how, low, max(one for _, one in extremes) / unit, target)
    return rho - rounded(sum(ask(add_shortfalls, rho, unit))) / problem.nu, rho


def quantile(
    ask: Callable[..., list[Any]], how: Values, low: float, high: float, target: float
) -> float:
    """Smallest of values from ``low`` to ``high`` at which the weight up to it reaches a target.

    Where none does, it is the largest. A place answers ``ask(question, *args)``.
    """
    below = 0.0
    while low < high:
        sums = sum(ask(sort_values, how, low, high))
        reached = below + np.cumsum(sums)
        chosen = min(int(np.searchsorted(reached, target)), len(sums) - 1)
        while chosen > 0 and sums[chosen] == 0.0:  # none reaches it: the last that has any
            chosen -= 1
        below = float(reached[chosen] - sums[chosen])
        found = [one for one in ask(look_within, how, low, high, chosen) if len(one.weights)]
        if all(one.values is not None for one in found):
            values = np.concatenate([one.values for one in found])
            order = np.argsort(values, kind="stable")
            weights = np.concatenate([one.weights for one in found])[order]
            position = int(np.searchsorted(below + np.cumsum(weights), target))
            return float(values[order[min(position, len(order) - 1)]])
        low, high = min(one.low for one in found), max(one.high for one in found)
    return low


def _intervals(values: Array, low: float, high: float) -> Array:
    """Interval of each value between the ends; -1 and beyond the last outside of them."""
    # Halves, as ends may be far apart; doubles, as those next to zero have no halves.
    unit = 0.5 if max(abs(low), abs(high)) > 1.0 else 2.0 ** INTERVALS.bit_length()
    inside = np.clip(values, low, high) * unit - low * unit
    places = np.minimum(inside / (high * unit - low * unit) * INTERVALS, INTERVALS - 1.0)
    found = places.astype(np.int64)
    return np.where(values < low, -1, np.where(values > high, INTERVALS, found))


# -- questions -------------------------------------------------------------------------------------


def add_shortfalls(rows: ProgramRows, rho: float, l1_norm: float) -> int:
    """Exact sum of prior weight times what margins lack of ρ."""
    return sum_shortfalls(rows.margins / l1_norm, rows.prior, rho)


def sort_values(place: Any, how: Values, low: float, high: float) -> Array:
    """Weight in each interval between two values."""
    values, weights = how.read(place)
    return np.bincount(_intervals(values, low, high) + 1, weights, INTERVALS + 2)[1:-1]


def look_within(place: Any, how: Values, low: float, high: float, chosen: int) -> Within:
    """What lies in one of those intervals."""
    values, weights = how.read(place)
    here = np.flatnonzero(_intervals(values, low, high) == chosen)
    if not len(here):
        return Within(np.inf, -np.inf, np.empty(0), np.empty(0))
    found, where = np.unique(values[here], return_inverse=True)
    ends = float(found[0]), float(found[-1])
    if len(found) > MOST_VALUES:
        return Within(*ends, None, np.ones(1))
    return Within(*ends, found, np.bincount(where, weights[here]))
