"""Rows of a soft-margin program in one place, and what the smooth master asks of them.

A question is a function of :class:`ProgramRows` and a few numbers; its answer is small, and sums
in it are exact (:mod:`marginboost.kernels.exact`): those of weights, slopes and hinges in whole
numbers of a tiny unit, edges in floats of weights rounded to a grid on which no sum is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Concatenate, NamedTuple, Self, TypeVar

import numpy as np

from ...kernels.exact import as_total, bound_of, exact_sum, grid, steps_below
from ...kernels.parallel import run_rows
from ...kernels.soft_margin import smoothed_hinge_units, smoothed_weight_units
from ...types import Array
from .packed_pool import PackedPool

T = TypeVar("T")
Q = TypeVar("Q", bound=Callable[..., Any])
ROWS = 1 << 15
"""Rows of one task."""


class ProgramRows:
    """Caps, votes and weights of the rows in one place.

    Parameters
    ----------
    caps : array
        Largest weight of each row.
    y : array
        Labels.
    n_threads : int
        Threads.
    prior : array, optional
        Weights of the rows in the objective; the caps where there is none.

    Attributes
    ----------
    pool : PackedPool
        Columns of the hypotheses.
    margins : array
        ``y F`` of the vote that was asked for last.
    weights : array
        Weights that were asked for last, not divided by their sum.
    """

    def __init__(self, caps: Array, y: Array, n_threads: int, prior: Array | None = None) -> None:
        self.caps, self.y, self.n_threads = caps, y, n_threads
        self.prior = caps if prior is None else prior
        self.pool = PackedPool(len(y), n_threads)
        self.margins = np.zeros(len(y))
        self.weights = np.empty(len(y))


Question = Callable[Concatenate[ProgramRows, ...], T]


class Level(NamedTuple):
    """Where the hinge begins and how much it is smoothed.

    Attributes
    ----------
    rho, beta : float
        Margin asked for, and temperature.
    bound, hinge_bound : int
        Exponents of two above all weights, and above all terms of the hinge over β.
    reach : float
        Largest margin in size.
    """

    rho: float
    beta: float
    bound: int
    hinge_bound: int
    reach: float = 1.0

    @classmethod
    def of(cls, rho: float, beta: float, cap: float, reach: float) -> Self:
        """Level for margins and caps of at most these sizes."""
        farthest = (2.0 * reach + abs(rho) + 40.0 * beta) / beta + 1.0
        return cls(rho, beta, bound_of(cap), bound_of(cap * farthest), reach)


Sums = tuple[int, int, int]
"""Exact sums of weights, of their slopes in ρ times β, and of the hinge over β."""


def measure_caps(rows: ProgramRows) -> tuple[int, float]:
    """Exact sum of the caps, and the largest one."""
    return exact_sum(rows.caps), float(rows.caps.max())


def begins_anew(question: Q) -> Q:
    """Mark a question after which margins and weights do not depend on what was asked before."""
    question.begins_anew = True  # type: ignore[attr-defined]
    return question


@begins_anew
def vote(rows: ProgramRows, coef: Array) -> tuple[float, float]:
    """Make margins of a combination of the pool; returns the smallest and the largest."""
    rows.margins = rows.pool.combine(coef)
    rows.margins *= rows.y
    return float(rows.margins.min()), float(rows.margins.max())


def weigh(rows: ProgramRows, level: Level, hinge: bool) -> Sums:
    """Write weights at a level; the hinge is summed if it is asked for."""
    found = run_rows(_weigher(rows, level, hinge), len(rows.margins), rows.n_threads, ROWS)
    total, slope, cost = (sum(column) for column in zip(*found, strict=True))
    return total, slope, cost


def _weigher(rows: ProgramRows, level: Level, hinge: bool) -> Callable[[int, int], Sums]:
    rho, beta, bound, hinge_bound, _ = level
    steps = steps_below(bound)

    def block(start: int, stop: int) -> Sums:
        margins, caps = rows.margins[start:stop], rows.caps[start:stop]
        units = smoothed_weight_units(margins, (rho, beta), caps, rows.weights[start:stop], steps)
        total, slope = as_total(units[:2], bound), as_total(units[2:], bound)
        if not hinge:
            return total, slope, 0
        costs = smoothed_hinge_units(margins, (rho, beta), caps, steps_below(hinge_bound))
        return total, slope, as_total(costs, hinge_bound)

    return block


@begins_anew
def vote_and_weigh(
    rows: ProgramRows, coef: Array, level: Level
) -> tuple[tuple[float, float], Sums]:
    """:func:`vote`, and weights at a level without the hinge."""
    return vote(rows, coef), weigh(rows, level, False)


def measure_edges(rows: ProgramRows, level: Level, scale: float) -> tuple[Sums, Array]:
    """Weights at a level with the hinge, and edges of all columns.

    ``scale`` is a power of two that the sum of all weights does not exceed by much.
    """
    sums = weigh(rows, level, True)
    dual = rows.y * grid(rows.weights / scale)
    return sums, scale * rows.pool.edges(dual)


def ask_program(part: Any, question: Question[T], *args: Any) -> T:
    """Put a question to the rows of a part (:mod:`marginboost.core.parts`)."""
    return question(part.program, *args)
