"""Regression programs over all stumps at once, the tube rounded off, for many rows.

A combination of stumps is an additive function F, a level for every bin of every feature; with a
free constant Σα is half its variation. At a temperature β the rounded program of
``masters/tube_smooth.py`` is improved in the levels of one feature after the other, each time to
the best of a quadratic model (kernels/level_descent.py): a turn reads every code once, whatever the
number of stumps. Turns that raise the cost are taken back, and the next makes shorter steps. The
temperature falls with the gap between the bounds.

What is returned are a combination and weights; what they prove is for others to compute.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..data import BinnedMatrix
from ..kernels.level_descent import move_and_sum, smooth_variation
from ..kernels.parallel import run_rows
from ..types import Array
from .level_descent import LARGEST_STEP, ROWS, largest_edge
from .masters.base import Clock
from .masters.tube import TubeProblem
from .masters.tube_smooth import RoundedTube

MOST_TURNS = 200
"""Times that all features are taken in turn."""
STALLED, PATIENCE = 0.97, 30
"""Gap that counts as smaller, over the last one; turns without one after which it ends."""
MOMENTUM = 0.8
"""Share of the way of a turn that is gone once more, where that is better still."""
WARMEST = 0.3
"""First temperature, in units of the targets' spread."""
COOLING = 1.0
"""Most that rounding off may cost, over the gap."""


class Levels(NamedTuple):
    """An additive function, and weights under which no stump has a large edge.

    Attributes
    ----------
    levels : list of arrays
        Levels of the function, one array per feature.
    weights : array
        Signed weights of the rows, balanced.
    lower, upper : float
        What the function gains over the best constant, and at most could be gained.
    """

    levels: list[Array]
    weights: Array
    lower: float
    upper: float


class TubeDescent:
    """Additive function of binned rows without missing values and categories.

    Parameters
    ----------
    bins : BinnedMatrix
        The rows.
    problem : TubeProblem
        The program.
    n_threads : int
        Threads.
    """

    def __init__(self, bins: BinnedMatrix, problem: TubeProblem, n_threads: int = 1) -> None:
        self._bins, self._problem, self._n_threads = bins, problem, n_threads
        self._tube = RoundedTube(problem, n_threads)
        self._levels = [np.zeros(count) for count in bins.n_bins.tolist()]
        self._signs = [np.full(len(problem.y), sign) for sign in problem.signs]
        self._off = -problem.y.copy()  # scores less targets, over the temperature
        self._beta, self._cost, self._reach = 1.0, np.inf, LARGEST_STEP
        self._tube.levels[:] = problem.levels(problem.y)
        width = int(bins.n_bins.max())
        self._room, self._idle = np.empty((5, 2 * width + 2)), np.zeros(width)
        self._shifts = [
            problem.shift * np.bincount(codes, problem.caps, count)
            for codes, count in zip(bins.codes, bins.n_bins.tolist(), strict=True)
        ]
        nothing = [levels.copy() for levels in self._levels]
        self.best = Levels(nothing, np.zeros(len(problem.y)), 0.0, problem.empty)

    def run(self, tol: float, seconds: float | None = None) -> Levels:
        """Descend until the bounds are so close, or come no closer, or the time is over."""
        clock, idle, gap = Clock(seconds), 0, np.inf
        features = range(self._bins.n_features)
        self._cool(WARMEST)
        for turn in range(MOST_TURNS):
            start = self._function()
            self._turn(features if turn % 2 == 0 else features[::-1])
            if self._improved(start):
                self._reach = min(2.0 * self._reach, LARGEST_STEP)
                self._go_on(*start)
            else:
                self._reach *= 0.5
            now = self.best.upper - self.best.lower
            idle = 0 if now < STALLED * gap else idle + 1
            gap = now if idle == 0 else gap
            if now <= tol or idle > PATIENCE or clock.over():
                break
            self._cool(min(self._beta, COOLING * now / self._problem.entropy()))
        return self.best

    def _function(self) -> tuple[Array, list[Array]]:
        """Scores less targets, over the temperature, and levels."""
        return self._off.copy(), list(self._levels)

    def _improved(self, start: tuple[Array, list[Array]]) -> bool:
        """Whether the rounded cost is below what it was; if not, take the function of then."""
        cost = self._settle()
        if cost < self._cost:
            self._cost = cost
            return True
        self._off, self._levels = start
        return False

    def _go_on(self, off: Array, levels: list[Array]) -> None:
        """Go on in the direction of the last turn: what is slow about them goes one way."""
        here = self._function()
        self._off += MOMENTUM * (self._off - off)
        pairs = zip(self._levels, levels, strict=True)
        self._levels = [new + MOMENTUM * (new - old) for new, old in pairs]
        self._improved(here)

    def _cool(self, beta: float) -> None:
        """Change the temperature, in whose unit residuals are kept."""
        if beta == self._beta:
            return
        self._off *= self._beta / beta
        self._beta = beta
        self._cost = self._settle()

    def _turn(self, features: range) -> None:
        """Improve the levels of every feature, one after the other."""
        codes, steps, before = self._bins.codes, self._idle, self._bins.codes[0]
        for j in features:
            sums = self._sums(before, steps, codes[j], len(self._levels[j]))
            steps, before = self._improve(j, sums), codes[j]
        self._off += steps[before]

    def _sums(self, before: Array, steps: Array, codes: Array, n_bins: int) -> Array:
        """Take the last steps; sums by bin of a feature, over all sides of the tube."""
        problem, edges = self._problem, self._tube.levels @ self._problem.equations
        rhos = (-(edges + problem.width) / self._beta).tolist()

        def part(start: int, stop: int) -> Array:
            here, total, sums = slice(start, stop), np.zeros((n_bins, 2)), np.empty((n_bins, 2))
            moves = steps
            for signs, rho in zip(self._signs, rhos, strict=True):
                rows = codes[here], signs[here], self._off[here], problem.caps[here]
                move_and_sum(before[here], moves, *rows, rho, sums)
                total, moves = total + sums, self._idle
            return total

        return np.sum(run_rows(part, len(self._off), self._n_threads, ROWS), axis=0)

    def _improve(self, j: int, sums: Array) -> Array:
        """Find the best levels of a feature; returns by how many temperatures scores change."""
        pull, curvature = sums.T
        pull = pull - self._shifts[j]
        weights = np.maximum(curvature, np.abs(pull) / self._reach)
        weights = np.maximum(weights, 1e-9 * weights.max() + np.finfo(float).tiny)
        old, new = self._levels[j] / self._beta, np.empty(len(pull))
        smooth_variation(old + pull / weights, weights, 0.5 * self._problem.price, self._room, new)
        self._levels[j] = self._beta * new
        return new - old

    def _settle(self) -> float:
        """Find the edges of the tube, and both bounds; keep what is better. Returns the cost."""
        problem, best = self._problem, self.best
        scores = problem.y + self._beta * self._off
        cost = self._tube.settle(scores, self._beta, hinge=True)
        dual = problem.balanced(self._tube.dual())
        upper = problem.upper(dual, largest_edge(self._bins, dual, self._n_threads))
        size = 0.5 * sum(float(np.abs(np.diff(levels)).sum()) for levels in self._levels)
        lower = problem.value(scores, size)
        if lower > best.lower:
            best = best._replace(levels=[mine.copy() for mine in self._levels], lower=lower)
        if upper < best.upper:
            best = best._replace(weights=dual, upper=upper)
        self.best = best
        return cost + problem.price * size
