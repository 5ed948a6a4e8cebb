"""Soft margin of rows in several places: the ν-quantile of their margins, in a few questions.

The quantile is one of the margins, so it is the same number however the rows are divided. A first
question sorts margins into equal intervals, a second one asks for those in the interval that
matters; where they are too many, it is divided again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...kernels.exact import grid, rounded
from ...types import Array
from .problem import MarginProblem, PricedMargin, SoftMargin, least_share, rank, sum_shortfalls
from .program_rows import ProgramRows

INTERVALS = 2048
"""Into which margins are sorted at once."""
MOST_VALUES = 4096
"""Different margins that a place tells one by one."""


class Weighing(NamedTuple):
    """How margins are weighed.

    Attributes
    ----------
    l1_norm : float
        What outcomes are divided by.
    uniform : bool
        Whether rows are counted; else their prior weights are added, rounded to a grid.
    """

    l1_norm: float
    uniform: bool

    def margins(self, rows: ProgramRows) -> Array:
        """Margins of the vote that was asked for last."""
        return rows.margins / self.l1_norm

    def weights(self, rows: ProgramRows) -> Array:
        """Weights whose sums are exact."""
        return np.ones(len(rows.caps)) if self.uniform else grid(rows.prior)


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
    length = l1_norm or 1.0
    low = min(one for one, _ in extremes) / length
    if problem.nu is None:
        return low, low
    how = Weighing(length, uniform)
    target = float(rank(problem.nu, n_rows)) if uniform else least_share(problem.nu)
    rho = _quantile(ask, how, low, max(one for _, one in extremes) / length, target)
    return rho - rounded(sum(ask(add_shortfalls, rho, length))) / problem.nu, rho


def _quantile(
    ask: Callable[..., list[Any]], how: Weighing, low: float, high: float, target: float
) -> float:
    """Smallest margin at which the weight up to it reaches the target; else the largest one."""
    below = 0.0
    while low < high:
        sums = sum(ask(sort_margins, how, low, high))
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


def _intervals(margins: Array, low: float, high: float) -> Array:
    """Interval of each margin between the ends; -1 and beyond the last outside of them."""
    places = (margins - low) * (INTERVALS / (high - low))
    inside = np.minimum(places, INTERVALS - 1.0).astype(np.int64)
    return np.where(margins < low, -1, np.where(margins > high, INTERVALS, inside))


# -- questions -------------------------------------------------------------------------------------


def add_shortfalls(rows: ProgramRows, rho: float, length: float) -> int:
    """Exact sum of prior weight times what margins lack of ρ."""
    return sum_shortfalls(rows.margins / length, rows.prior, rho)


def sort_margins(rows: ProgramRows, how: Weighing, low: float, high: float) -> Array:
    """Weight in each interval between two margins."""
    found = _intervals(how.margins(rows), low, high) + 1
    return np.bincount(found, how.weights(rows), INTERVALS + 2)[1:-1]


def look_within(rows: ProgramRows, how: Weighing, low: float, high: float, chosen: int) -> Within:
    """What lies in one of those intervals."""
    margins = how.margins(rows)
    here = np.flatnonzero(_intervals(margins, low, high) == chosen)
    if not len(here):
        return Within(np.inf, -np.inf, np.empty(0), np.empty(0))
    values, place = np.unique(margins[here], return_inverse=True)
    ends = float(values[0]), float(values[-1])
    if len(values) > MOST_VALUES:
        return Within(*ends, None, np.ones(1))
    return Within(*ends, values, np.bincount(place, how.weights(rows)[here]))
