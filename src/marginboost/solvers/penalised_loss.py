"""The problem of ℓ1-regularised leveraging, over the hypotheses found so far (R2-A7).

    P(α) = C Σα + Σ_i w_i L(y_i, F(x_i)),   F = Σ_j α_j h_j,   α >= 0

with w_i the weight of row i (1 without sample_weight). Fenchel's dual, with signed weights g:

    D(g) = Σ_i w_i dual_value(y_i, g_i / w_i)   s.t.   Σ_i g_i h(x_i) <= C for every hypothesis h.

Any weights become feasible when they are shrunk until their largest edge is C, so any weights and
their largest edge bound min P from below. What rounding may cost is counted against both bounds,
see :mod:`.rounding`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property
from typing import ClassVar, TypeVar

import numpy as np

from ..core.sample import Sample
from ..core.state import Columns
from ..kernels.exact import SMALLEST_NORMAL
from ..kernels.parallel import run_rows
from ..kernels.weights import weighted_sum
from ..losses import Loss
from ..types import Array
from .barrier import projected_gradient
from .line_search import increasing_root
from .rounding import LOSSES, ROUNDING, SLACK, steepest, total

T = TypeVar("T")

ACCURACY = 1e-13
"""Relative accuracy of a step; a sum over many rows is no better."""
NEWTON_STEPS = 50
"""Most Newton steps of one solution."""
AMPLE = 30.0
"""Margin at which a loss that has a minimum has reached it."""
FAR = 1e10
"""Move of a score that leads into the flat part of a loss."""
OUTWEIGHED = 100.0
"""Multiple of the median weight below which the mean one normally is."""
LEAP, FARTHEST = 20.0, 1e30
"""First stride of a search for the best step, at most, and where it is given up."""
TINY = 1e-200
"""Curvature in place of none."""
RIDGE = 1e-7
"""Share of the mean curvature added to all: equal columns then share a step, whatever rounding."""
MOST_RIDGES = 6
"""Ridges tried, each a thousand times the last."""
BLOCK = 1 << 14
"""Rows of a block: losses make several arrays of that length, which stay in the cache."""
CHUNK = 4096
"""Rows whose columns are turned into floats at once."""


class PenalisedLoss:
    """A loss, its price C, and the ways to lower their sum.

    Parameters
    ----------
    loss : Loss
        Convex.
    price : float
        C, not below 0; with 0 there need not be a finite minimum.
    sample : Sample
        Labels and weights.
    """

    settled: ClassVar[float] = 0.0
    """Newton's step at which a search along a line ends in any case."""

    def __init__(self, loss: Loss, price: float, sample: Sample) -> None:
        self.loss, self.price = loss, price
        self._y = sample.y.astype(np.float64)
        self._weights = sample.prior * sample.total
        self._n_threads = sample.n_threads

    # -- values ----------------------------------------------------------------------------------

    def value(self, scores: Array, l1_norm: float) -> float:
        """``P`` of a combination with these scores and Σα."""

        def part(here: slice) -> float:
            losses = self.loss.value(self.loss.argument(self._y[here], scores[here]))
            return weighted_sum(losses, self._weights[here])

        return self.price * l1_norm + math.fsum(self._over_rows(part))

    def dual(self, scores: Array) -> Array:
        """Signed weights ``-∂P/∂F(x_i)``: not normalised."""
        dual = np.empty(len(scores))

        def part(here: slice) -> None:
            y = self._y[here]
            d = self.loss.dual(self.loss.argument(y, scores[here]))
            dual[here] = self._weights[here] * self.loss.signed(y, d)

        self._over_rows(part)
        return dual

    # -- what is proven --------------------------------------------------------------------------

    def most(self, scores: Array, l1_norm: float, n_terms: int = 0) -> float:
        """Most that ``P`` of a combination is; ``n_terms`` products were added to make a score.

        The rounding of sums moves arguments, and the largest loss of an interval is at an end.
        """
        added = n_terms * ROUNDING * l1_norm

        def part(here: slice) -> float:
            y, at = self._y[here], scores[here]
            t, room = self.loss.argument(y, at), SLACK * (np.abs(y) + np.abs(at)) + added
            losses = np.maximum(self.loss.value(t - room), self.loss.value(t + room))
            return weighted_sum(losses, self._weights[here])

        sizes = self.price * l1_norm + math.fsum(self._over_rows(part))
        found = sizes * (1.0 + LOSSES + (self._block_size + n_terms) * ROUNDING)
        return math.inf if math.isnan(found) else found

    def bound(self, dual: Array, edge: float | None) -> float:
        """Lower bound on the least ``P``, from signed weights and their largest edge.

        Without an edge there are no hypotheses. Minus infinity where weights prove nothing.
        """
        size = total(np.abs(dual))
        if size == math.inf:
            return -math.inf
        dual, moved, skew = self._feasible(dual)
        top = 0.0 if edge is None else steepest(edge, size, len(dual)) + moved
        shrink = (1.0 - SLACK) * self.price / top if top > self.price else 1.0

        def part(here: slice) -> tuple[float, float]:
            y, weights = self._y[here], self._weights[here]
            d = self.loss.signed(y, shrink * dual[here]) / np.maximum(weights, SMALLEST_NORMAL)
            d = np.clip(d, *self.loss.dual_range)
            gains = self.loss.dual_value(y, d)
            base = np.abs(self.loss.argument(y, np.zeros(len(d))) * d)
            sizes = base + self.loss.conjugate_terms(d)
            return weighted_sum(gains, weights), weighted_sum(sizes, weights)

        parts = self._over_rows(part)
        sizes = math.fsum(p[1] for p in parts)
        rounding = LOSSES + self._block_size * ROUNDING + skew
        found = math.fsum(p[0] for p in parts) - rounding * sizes
        return -math.inf if math.isnan(found) else found

    def _feasible(self, dual: Array) -> tuple[Array, float, float]:
        """Weights as the dual program asks for them: here as they are.

        Also by how much no edge can have grown, and the share of all weights that is still moved.
        """
        return dual, 0.0, 0.0

    def empty(self) -> tuple[float, float]:
        """Numbers between which ``P`` of no hypothesis is."""
        zeros = np.zeros(len(self._y))
        return max(self.bound(self.dual(zeros), None), 0.0), self.most(zeros, 0.0)

    @property
    def _block_size(self) -> int:
        """Most terms of a sum that rounds."""
        return min(len(self._y), BLOCK)

    # -- lowering it -----------------------------------------------------------------------------

    def best_step(
        self, scores: Array, direction: Array, price: float, low: float, high: float = math.inf
    ) -> float:
        """Minimise ``price · a + Σ w L(y, F + a · direction)`` over a in [low, high] (step e).

        ``high`` where the sum falls all the way: infinite if no step is the best.
        """

        def slope(a: float) -> tuple[float, float]:
            return self._slope(scores, direction, price, a)

        value, curvature = slope(low)
        if value >= 0.0:
            return low
        if high == math.inf and price <= 0.0 and self._endless(direction):
            return high
        stride = 0.0
        while low < min(high, FARTHEST):
            # Twice Newton's step: then the search between begins with Newton's step itself.
            newton = -2.0 * value / curvature if curvature > 0.0 else math.inf
            stride = min(max(newton, 2.0 * stride), max(LEAP, 2.0 * stride))
            top = min(high, low + stride)
            value, curvature = slope(top)
            if value >= 0.0:
                return increasing_root(slope, low, top, ACCURACY, self.settled)
            low = top
        return high

    def line_step(
        self,
        scores: Array,
        direction: Array,
        price: float = 0.0,
        low: float = -math.inf,
        high: float = math.inf,
    ) -> float:
        """Best step of either sign, ``low <= 0 <= high``; infinite where none is best."""
        if self._slope(scores, direction, price, 0.0)[0] <= 0.0:
            return self.best_step(scores, direction, price, 0.0, high)
        return -self.best_step(scores, -direction, -price, 0.0, -low)

    def _endless(self, direction: Array) -> bool:
        """Whether every step lowers a loss that always asks for more margin, for no row is hurt."""
        wants_more = self.loss.orientation < 0 and float(self.loss.dual(np.array(AMPLE))) > 0.0
        return wants_more and bool((self._y * direction >= 0.0).all())

    def _slope(
        self, scores: Array, direction: Array, price: float, a: float
    ) -> tuple[float, float]:
        """First and second derivative along a direction."""

        def part(here: slice) -> tuple[float, float]:
            y, along = self._y[here], direction[here]
            t = self.loss.argument(y, scores[here] + a * along)
            dual, bend = self.loss.dual_and_curvature(t)
            pull = self._weights[here] * self.loss.signed(y, dual)
            curvature = self._weights[here] * bend * along
            return weighted_sum(pull, along), weighted_sum(curvature, along)

        parts = self._over_rows(part)
        return price - math.fsum(p[0] for p in parts), math.fsum(p[1] for p in parts)

    def newton(
        self, pool: Columns, coef: Array, accuracy: float, most: int = NEWTON_STEPS
    ) -> Array:
        """Minimise ``P`` over the pool's coefficients, to a projected gradient of ``accuracy``.

        Each step minimises the quadratic model over α >= 0, a nonnegative least-squares problem,
        and then searches along the way there, so that P never rises.
        """
        for _ in range(most):
            scores = pool.combine(coef)
            slope = self.price - pool.edges(self.dual(scores))
            if not np.abs(projected_gradient(slope, coef)).max() > accuracy:
                break
            move = self._newton_target(pool, coef, scores, slope) - coef
            step = self._step_along(pool, scores, coef, move)
            if step == 0.0:  # rounding: no better point can be told from this one
                break
            coef = np.maximum(coef + step * move, 0.0)
        return coef

    def _step_along(self, pool: Columns, scores: Array, coef: Array, move: Array) -> float:
        """Best share of a move; of one into the flat part of a loss any multiple will do.

        There only the ridge ends a move, so the line is searched as far as coefficients may fall,
        and in units of scores: a search knows a share to ``ACCURACY`` only.
        """
        along, price = pool.combine(move), self.price * float(move.sum())
        reach = float(np.abs(along).max())
        if reach <= FAR:
            return self.best_step(scores, along, price, 0.0, 1.0)
        if not math.isfinite(reach):
            return 0.0
        falling = move < 0.0
        room = float((coef[falling] / -move[falling]).min()) if falling.any() else math.inf
        farthest = reach * min(max(room, 1.0), FARTHEST)
        return self.best_step(scores, along / reach, price / reach, 0.0, farthest) / reach

    def _newton_target(self, pool: Columns, coef: Array, scores: Array, slope: Array) -> Array:
        """Minimiser of the quadratic model over α >= 0, of columns with weight or with an edge."""
        from scipy.optimize import nnls  # here, not above: half a second at import

        used = np.flatnonzero((coef > 0.0) | (slope < 0.0))
        if not len(used):  # ``nnls`` must not be asked about nothing: some releases of it crash
            return np.zeros(len(coef))
        hessian = self._hessian(pool.columns[used], scores)
        # With a price there is a minimum even where curvature vanishes; without, none nearby.
        mean = float(np.trace(hessian)) / len(used)
        least = self._ordinary_weight if self.price > 0.0 or mean == 0.0 else TINY
        root = _root_of(hessian, RIDGE * (mean + least))
        right = np.linalg.solve(root, hessian @ coef[used] - slope[used])
        target = np.zeros(len(coef))
        try:
            target[used] = nnls(root.T, right, maxiter=100 * len(used))[0]
        except RuntimeError:  # it goes round in circles, where rows have very different weights
            target[used] = np.maximum(np.linalg.solve(root.T, right), 0.0)
        return target

    @cached_property
    def _ordinary_weight(self) -> float:
        """Weight of all rows, where a few do not outweigh the others by far."""
        ordinary = len(self._weights) * float(np.median(self._weights))
        return min(float(self._weights.sum()), OUTWEIGHED * ordinary)

    def _hessian(self, columns: Array, scores: Array) -> Array:
        """``Σ_i w_i φ''_i h_j(x_i) h_k(x_i)``."""
        t = self.loss.argument(self._y, scores)
        return self._products(columns, self._weights * self.loss.curvature(t))

    def _products(self, columns: Array, curvature: Array) -> Array:
        """``Σ_i curvature_i h_j(x_i) h_k(x_i)``; rows without curvature are passed over."""
        curved = np.flatnonzero(curvature > 1e-14 * curvature.max())
        nothing, all_rows = np.zeros((len(columns), len(columns))), len(curved) == len(curvature)

        def part(start: int, stop: int) -> Array:
            total = nothing.copy()
            for first in range(start, stop, CHUNK):
                here = slice(first, min(first + CHUNK, stop))
                rows = here if all_rows else curved[here]
                block = columns[:, rows].astype(np.float64)
                total += (block * curvature[rows]) @ block.T
            return total

        return sum(run_rows(part, len(curved), self._n_threads), start=nothing)

    def _over_rows(self, part: Callable[[slice], T]) -> list[T]:
        rows, threads = len(self._y), self._n_threads
        return run_rows(lambda start, stop: part(slice(start, stop)), rows, threads, BLOCK)


def _root_of(matrix: Array, ridge: float) -> Array:
    """Cholesky's root of a matrix with a ridge, added in place; a larger one where it must be.

    Products of rows of very different weight round, so that a matrix may not be a square.
    """
    diagonal = np.diag_indices(len(matrix))
    for _ in range(MOST_RIDGES):
        matrix[diagonal] += ridge
        try:
            return np.linalg.cholesky(matrix)
        except np.linalg.LinAlgError:
            ridge *= 1e3
    return np.diag(np.sqrt(np.abs(matrix[diagonal])))
