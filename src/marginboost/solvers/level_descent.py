"""The soft-margin program over all stumps at once, smoothed, for many rows.

A combination of stumps is an additive function F, a level for every bin of every feature, and Σα is
half its variation. At a price λ of Σα

    max_{F, ρ}   ρ - Σ_i cap_i log(1 + exp(ρ - y_i F(x_i))) - λ Σα

gives weights d_i = cap_i σ(ρ - y_i F(x_i)) under which no stump has an edge above λ: an upper bound
on the best soft margin γ*. F over Σα has a soft margin of at least λ less log 2 / (ν Σα), or so:
a lower bound. The nearer λ comes to γ* from above, the larger Σα and the closer both bounds. So λ
falls by shares of the gap, and F is improved from the last one in the levels of one feature after
the other, each time to the best of a quadratic model (kernels/level_descent.py). A turn reads every
code once, whatever the number of stumps. Where γ* is zero the upper bound comes down to it.

What is returned are a combination and weights; what they prove is for others to compute.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..data import BinnedMatrix
from ..kernels.level_descent import best_levels, move_and_sum, scaled_sums
from ..kernels.parallel import run_blocks, run_rows
from ..kernels.soft_margin import smoothed_weights
from ..kernels.stumps import histograms_any, histograms_uint8
from ..types import Array
from .masters.problem import soft_margin

MOST_TURNS = 200
"""Times that all features are taken in turn."""
STALLED, PATIENCE = 0.97, 4
"""Gap that counts as smaller, over the last one; turns without one after which it ends."""
PATIENCE_NEAR_ZERO = 40
"""The same near zero, where only the upper bound moves, and slowly."""
RECENT = 0.3
"""Share of the last weights in the mean of weights, which is tried once a turn brings no gain."""
SHARE = 0.1
"""How far above the lower bound, in shares of the gap, the next price is."""
MOMENTUM = 0.8
"""Share of the way there and back again that is gone once more."""
FIRST_SHARE = 0.35
"""Price of the first turn, over the largest edge under equal weights."""
LARGEST_STEP = 8.0
"""Most that a level may change at once: far out, curvatures say nothing."""
RESCALING = 6
"""Steps of Newton's method for the size of the function."""
ROWS = 1 << 16
"""Rows of one task; sums are added up in the order of tasks."""


class Additive(NamedTuple):
    """An additive function, and weights under which no stump has a large edge.

    Attributes
    ----------
    levels : list of arrays
        Levels of the function, one array per feature; the first and the last are opposite.
    constant : float
        What is added to them.
    weights : array
        Weights of the rows, with sum one.
    lower, upper : float
        Soft margin of the function over its size, largest edge under the weights.
    """

    levels: list[Array]
    constant: float
    weights: Array
    lower: float
    upper: float


class LevelDescent:
    """Additive function of binned rows without missing values and categories.

    Parameters
    ----------
    bins : BinnedMatrix
        The rows.
    y : array
        Labels, -1 or +1.
    prior : array
        Weights of the rows, with sum one.
    nu : float
        Share of weight that may fall short: caps are ``prior / nu``.
    n_threads : int
        Threads.
    """

    def __init__(
        self, bins: BinnedMatrix, y: Array, prior: Array, nu: float, n_threads: int = 1
    ) -> None:
        self._bins, self._y, self._prior, self._nu = bins, y, prior, nu
        self._caps, self._n_threads = prior / nu, n_threads
        self._levels = [np.zeros(count) for count in bins.n_bins.tolist()]
        self._constant, self._rho = 0.0, float(-np.log(max(1.0 / nu - 1.0, 1e-6)))
        self._scores, self._weights = np.zeros(len(y)), np.empty(len(y))
        width = int(bins.n_bins.max())
        self._room = np.empty((5, 2 * width + 2))
        self._idle = np.zeros(width)
        self._mean: Array | None = None
        self.best = Additive(self._levels, 0.0, self._weights, -np.inf, np.inf)

    def run(self, tol: float, rtol: float = 0.0, enough: float | None = None) -> Additive:
        """Descend until the bounds are so close, also over the lower one, or come no closer.

        Lower bounds up to ``enough`` are near zero, which takes patience; where it is given, a
        larger one is the end. None is ``tol``, and no end.
        """
        near = tol if enough is None else enough
        self._settle()
        price, idle, gap = FIRST_SHARE * self.best.upper, 0, np.inf
        features = range(self._bins.n_features)
        for turn in range(MOST_TURNS):
            if turn % 2 == 0:
                start = self._function()
                self._turn(features, price)
            else:
                self._turn(features[::-1], price)
                self._go_on(start)
            self._settle()
            near_zero = self.best.lower <= near
            if near_zero and idle > 0:
                self._try_mean()
            lower = max(self.best.lower, 0.0)  # of a stump and its negative
            now = self.best.upper - lower
            idle = 0 if now < STALLED * gap else idle + 1
            gap = now if idle == 0 else gap
            still = idle > (PATIENCE_NEAR_ZERO if near_zero else PATIENCE)
            too_large = enough is not None and not near_zero
            if now <= max(tol, rtol * lower) or too_large or still:
                break
            price = lower + (SHARE if idle <= 2 * PATIENCE else 0.5 * SHARE) * now
            self._rescale(price)
        return self.best

    def _try_mean(self) -> None:
        """Take the mean of the last turns' weights where its largest edge is smaller.

        Weights of one turn go too far, now for one feature and now for the other.
        """
        last, before = self._weights, self._mean
        self._mean = last.copy() if before is None else before + RECENT * (last - before)
        upper = largest_edge(self._bins, self._y * self._mean, self._n_threads)
        if upper < self.best.upper:
            self.best = self.best._replace(weights=self._mean.copy(), upper=upper)

    def _function(self) -> tuple[Array, list[Array], float]:
        """Scores, levels and constant."""
        return self._scores.copy(), list(self._levels), self._constant

    def _go_on(self, start: tuple[Array, list[Array], float]) -> None:
        """Go on in the direction of the last turns: what is slow about them goes one way."""
        scores, levels, constant = start
        self._scores += MOMENTUM * (self._scores - scores)
        self._constant += MOMENTUM * (self._constant - constant)
        pairs = zip(self._levels, levels, strict=True)
        self._levels = [new + MOMENTUM * (new - old) for new, old in pairs]

    def _rescale(self, price: float) -> None:
        """Find the best multiple of the function, and ρ, at a new price, by Newton's method."""
        outcomes, caps, size = self._y * self._scores, self._caps, self.size
        scale, rho = 1.0, self._rho

        def part(start: int, stop: int) -> tuple[float, ...]:
            return scaled_sums(outcomes[start:stop], scale, rho, caps[start:stop])

        for _ in range(RESCALING):
            parts = run_rows(part, len(outcomes), self._n_threads, ROWS)
            weight, pull, first, second, third = np.sum(parts, axis=0).tolist()
            slopes = np.array([1.0 - weight, pull - price * size])
            curvature = np.array([[first, -second], [-second, third]])
            step = np.linalg.solve(curvature + 1e-12 * np.trace(curvature) * np.eye(2), slopes)
            step *= min(1.0, 0.5 * scale / max(abs(step[1]), 1e-12))
            rho, scale = rho + float(step[0]), scale + float(step[1])
            if abs(step[1]) < 1e-3 * scale:
                break
        self._rho, self._constant = rho, scale * self._constant
        self._scores *= scale
        self._levels = [scale * levels for levels in self._levels]

    def _turn(self, features: range, price: float) -> None:
        """Improve the levels of every feature, one after the other."""
        codes, steps, before = self._bins.codes, self._idle, self._bins.codes[0]
        for j in features:
            sums = self._sums(before, steps, codes[j], len(self._levels[j]))
            steps, before = self._improve(j, sums, price), codes[j]
        self._scores += steps[before]

    def _sums(self, before: Array, steps: Array, codes: Array, n_bins: int) -> Array:
        """Take the last steps; sums by bin of a feature."""

        def part(start: int, stop: int) -> Array:
            here, sums = slice(start, stop), np.empty((n_bins, 2))
            rows = codes[here], self._y[here], self._scores[here], self._caps[here]
            move_and_sum(before[here], steps, *rows, self._rho, sums)
            return sums

        return np.sum(run_rows(part, len(self._y), self._n_threads, ROWS), axis=0)

    def _improve(self, j: int, sums: Array, price: float) -> Array:
        """Find the best levels of a feature; returns how the scores change by code."""
        pull, curvature = sums.T
        weights = np.maximum(curvature, np.abs(pull) / LARGEST_STEP)
        weights = np.maximum(weights, 1e-9 * weights.max() + np.finfo(float).tiny)
        old = self._levels[j] + self._constant
        new = np.empty(len(old))
        best_levels(old + pull / weights, weights, 0.5 * price, self._room, new)
        self._constant = float(new[0] + new[-1]) / 2.0
        self._levels[j] = new - self._constant
        return new - old

    @property
    def size(self) -> float:
        """Coefficients of the stumps that make up the function, summed."""
        steps = sum(float(np.abs(np.diff(levels)).sum()) for levels in self._levels)
        return abs(self._constant) + 0.5 * steps

    def _settle(self) -> None:
        """Find the ρ at which weights sum to one, and both bounds; keep what is better."""
        outcomes, caps = self._y * self._scores, self._caps

        def part(start: int, stop: int) -> tuple[float, float]:
            here = slice(start, stop)
            mine = self._weights[here]
            return smoothed_weights(outcomes[here], self._rho, 1.0, caps[here], mine)

        for _ in range(50):
            parts = np.array(run_rows(part, len(outcomes), self._n_threads, ROWS))
            total, slope = parts.sum(axis=0).tolist()
            if abs(total - 1.0) < 1e-9:
                break
            self._rho -= float(np.clip((total - 1.0) / max(slope, 1e-12), -1.0, 1.0))
        size = self.size
        lower = soft_margin(outcomes, self._prior, self._nu)[0] / size if size > 0.0 else -np.inf
        dual = self._y * self._weights
        upper = (
            largest_edge(self._bins, dual, self._n_threads) if abs(total - 1.0) < 1e-6 else np.inf
        )
        best = self.best
        if lower > best.lower:
            scaled = [levels / size for levels in self._levels]
            best = best._replace(levels=scaled, constant=self._constant / size, lower=lower)
        if upper < best.upper:
            best = best._replace(weights=self._weights.copy(), upper=upper)
        self.best = best


def largest_edge(bins: BinnedMatrix, dual: Array, n_threads: int) -> float:
    """Largest edge of stumps with cuts between bins, under signed weights."""
    codes, n_bins = bins.codes, bins.n_bins.tolist()
    narrow = codes.dtype == np.uint8
    sums = np.empty((len(codes), 256 if narrow else max(n_bins) + 1))

    def pair(number: int) -> None:
        mine = slice(2 * number, 2 * number + 2)
        (histograms_uint8 if narrow else histograms_any)(codes[mine], dual, sums[mine])

    run_blocks(pair, -(-len(codes) // 2), n_threads)
    most = 0.0
    for row, count in zip(sums, n_bins, strict=True):
        below = np.cumsum(row[:count])
        most = max(most, float(np.max(np.abs(below) + np.abs(below[-1] - below))))
    return most
