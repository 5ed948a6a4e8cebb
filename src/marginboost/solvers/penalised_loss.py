"""The problem of ℓ1-regularised leveraging, over the hypotheses found so far (R2-A7).

    P(α) = C Σα + Σ_i w_i L(y_i, F(x_i)),   F = Σ_j α_j h_j,   α >= 0

with w_i the weight of row i (1 without sample_weight). Fenchel's dual, with signed weights g:

    D(g) = Σ_i w_i dual_value(y_i, g_i / w_i)   s.t.   Σ_i g_i h(x_i) <= C for every hypothesis h.

Any weights become feasible when they are shrunk until their largest edge is C, so any weights and
their largest edge bound min P from below.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import ClassVar, TypeVar

import numpy as np

from ..core.sample import Sample
from ..core.state import Columns
from ..kernels.parallel import run_rows
from ..kernels.weights import weighted_sum
from ..losses import Loss
from ..types import Array
from .barrier import projected_gradient
from .line_search import increasing_root

T = TypeVar("T")

ACCURACY = 1e-13
"""Relative accuracy of a step; a sum over many rows is no better."""
NEWTON_STEPS = 50
"""Most Newton steps of one solution."""
AMPLE = 30.0
"""Margin at which a loss that has a minimum has reached it."""
LEAP, FARTHEST = 20.0, 1e30
"""First stride of a search for the best step, at most, and where it is given up."""
TINY = 1e-200
"""Curvature in place of none."""
RIDGE = 1e-7
"""Share of the mean curvature added to all: equal columns then share a step, whatever rounding."""
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

    def bound(self, dual: Array, edge: float) -> float:
        """Lower bound on the least ``P``, from signed weights and their largest edge."""
        shrink = min(1.0, self.price / edge) if edge > 0.0 else 1.0

        def part(here: slice) -> float:
            y, weights = self._y[here], self._weights[here]
            d = self.loss.signed(y, shrink * dual[here]) / weights
            return weighted_sum(self.loss.dual_value(y, d), weights)

        return math.fsum(self._over_rows(part))

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
            pull = self._weights[here] * self.loss.signed(y, self.loss.dual(t))
            curvature = self._weights[here] * self.loss.curvature(t) * along
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
            if np.abs(projected_gradient(slope, coef)).max() <= accuracy:
                break
            move = self._newton_target(pool, coef, scores, slope) - coef
            along = pool.combine(move)
            step = self.best_step(scores, along, self.price * float(move.sum()), 0.0, 1.0)
            if step == 0.0:  # rounding: no better point can be told from this one
                break
            coef = np.maximum(coef + step * move, 0.0)
        return coef

    def _newton_target(self, pool: Columns, coef: Array, scores: Array, slope: Array) -> Array:
        """Minimiser of the quadratic model over α >= 0, of columns with weight or with an edge."""
        from scipy.optimize import nnls  # here, not above: half a second at import

        used = np.flatnonzero((coef > 0.0) | (slope < 0.0))
        if not len(used):  # ``nnls`` must not be asked about nothing: some releases of it crash
            return np.zeros(len(coef))
        hessian = self._hessian(pool.columns[used], scores)
        # With a price there is a minimum even where curvature vanishes; without, none nearby.
        least = self._weights.sum() if self.price > 0.0 else TINY
        ridge = RIDGE * (np.trace(hessian) / len(used) + least)
        hessian[np.diag_indices(len(used))] += ridge
        root = np.linalg.cholesky(hessian)
        right = np.linalg.solve(root, hessian @ coef[used] - slope[used])
        target = np.zeros(len(coef))
        target[used] = nnls(root.T, right, maxiter=100 * len(used))[0]
        return target

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
