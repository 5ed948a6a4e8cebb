"""Penalised losses with a free intercept, which is eliminated (R2-P1, R2-A11, R2-A12).

    P(α) = C Σα + min_b Σ_i w_i L(y_i, F(x_i) + b),   F = Σ_j α_j h_j,   α >= 0

At the best b the weights sum to 0, as the dual asks for (eq. 5.18). The slope of P in α is that at
fixed b; from the curvature a term of rank one is taken off, what the intercept answers to a change.
"""

from __future__ import annotations

import numpy as np

from ..core.sample import Sample
from ..kernels.weights import weighted_sum
from ..losses import Loss, Squared
from ..types import Array
from .line_search import increasing_root
from .masters.tube import Tube, TubeProblem
from .masters.tube_bounds import TubeBounds
from .masters.tube_smooth import RoundedTube
from .penalised_loss import ACCURACY, PenalisedLoss
from .rounding import ROUNDING, SLACK, balanced, total

HEAVY = 1e4
"""Multiple of the weight of all other rows that one row weighs, from which it decides alone."""
NARROW = 1e-6
"""Range of residuals in units of which the intercept is sought, so that it has digits enough."""
FINEST = 4e-16
"""Relative accuracy of the intercept then."""
SETTLED = 1e-11
"""Newton's step at which a search ends; sums at an intercept that is found are no better."""


class InterceptLoss(PenalisedLoss):
    """A loss of residuals, its price, and the best intercept.

    Parameters
    ----------
    loss : Loss
        Convex and smooth, of residuals.
    price : float
        C, above 0.
    sample : Sample
        Targets and weights.
    """

    settled = SETTLED

    def __init__(self, loss: Loss, price: float, sample: Sample) -> None:
        super().__init__(loss, price, sample)
        self._last: tuple[Array, float] | None = None
        heaviest = int(np.argmax(self._weights))
        others = float(np.delete(self._weights, heaviest).sum())
        self._pivot = heaviest if self._weights[heaviest] > HEAVY * others > 0.0 else None

    def intercept(self, scores: Array) -> float:
        """Best constant to add to scores; that of the last scores is remembered."""
        if self._last is None or not np.array_equal(self._last[0], scores):
            self._last = scores.copy(), self._find_intercept(self._y - scores)
        return self._last[1]

    def _find_intercept(self, residuals: Array) -> float:
        if isinstance(self.loss, Squared):
            return float(np.average(residuals, weights=self._weights))

        def slope(b: float) -> tuple[float, float]:
            t = residuals - b
            dual, bend = self.loss.dual_and_curvature(t)
            pull, curvature = self._weights * dual, float((self._weights * bend).sum())
            found = float(pull.sum())
            flat = curvature == 0.0 and abs(found) <= SLACK * float(np.abs(pull).sum())
            return (0.0, 1.0) if flat else (-found, curvature)  # any point there will do

        least, most = self._range(residuals)
        if most - least < NARROW:

            def within(share: float) -> tuple[float, float]:
                value, curvature = slope(least + share * (most - least))
                return value, (most - least) * curvature

            return least + (most - least) * increasing_root(within, 0.0, 1.0)
        low = high = float(np.average(residuals, weights=self._weights))
        value, curvature = slope(low)
        # Twice Newton's step: then the search between begins with Newton's step itself.
        width = max(2.0 * abs(value) / curvature, ACCURACY) if curvature > 0.0 else 1.0
        while value > 0.0 and low > least and slope(low)[0] > 0.0:
            low, width = max(low - width, least), 2.0 * width
        while value < 0.0 and high < most and slope(high)[0] < 0.0:
            high, width = min(high + width, most), 2.0 * width
        if low == high:
            return low
        fine = (FINEST, 0.0) if self._pivot is not None else (ACCURACY, SETTLED)
        return increasing_root(slope, low, high, *fine)

    def _range(self, residuals: Array) -> tuple[float, float]:
        """Constants between which the best one is: beyond them all residuals pull one way."""
        rest = float(self.loss.inverse(np.zeros(())))
        return float(residuals.min()) - rest, float(residuals.max()) - rest

    def _centred(self, scores: Array) -> Array:
        return scores + self.intercept(scores)

    def value(self, scores: Array, l1_norm: float) -> float:
        """``P`` of a combination with these scores and Σα."""
        return super().value(self._centred(scores), l1_norm)

    def dual(self, scores: Array) -> Array:
        """Signed weights at the best intercept: their sum is 0."""
        dual = super().dual(self._centred(scores))
        return dual if self._pivot is None else self._feasible(dual)[0]

    def most(self, scores: Array, l1_norm: float, n_terms: int = 0) -> float:
        """Most that ``P`` of a combination is, at the intercept that was found."""
        return super().most(self._centred(scores), l1_norm, n_terms)

    def _feasible(self, dual: Array) -> tuple[Array, float, float]:
        """Weights of sum 0: an intercept that is not exact leaves one."""
        heaviest = int(np.argmax(self._weights))
        low, high = (self._weights * end for end in self.loss.dual_range)
        fair = balanced(dual, (low, high), heaviest)
        size = total(np.abs(fair))
        skew = 2.0 * abs(total(fair)) / size if size > 0.0 else 0.0
        moved = total(np.abs(fair - dual)) + skew * size
        return fair, moved * (1.0 + SLACK), skew + 8.0 * ROUNDING

    def _curvatures(self, centred: Array) -> Array:
        t = self.loss.argument(self._y, centred)
        return self._weights * self.loss.curvature(t)

    def _slope(
        self, scores: Array, direction: Array, price: float, a: float
    ) -> tuple[float, float]:
        centred = self._centred(scores + a * direction)
        if self._pivot is not None:  # a constant makes no difference to slope and curvature
            direction = direction - direction[self._pivot]
        slope, along = super()._slope(centred, direction, price, 0.0)
        curvature = self._curvatures(centred)
        total = float(curvature.sum())
        answer = float(curvature @ direction) ** 2 / total if total > 0.0 else 0.0
        return slope, max(along - answer, 0.0)

    def _hessian(self, columns: Array, scores: Array) -> Array:
        centred = self._centred(scores)
        curvature = self._curvatures(centred)
        total = float(curvature.sum())
        if self._pivot is not None:  # as of the slope; what is taken off has as many digits
            columns = columns - columns[:, [self._pivot]]
            curvature[self._pivot] = 0.0
        hessian, cross = self._products(columns, curvature), _edges(columns, curvature)
        return hessian - np.outer(cross, cross) / total if total > 0.0 else hessian


class TubeBarrier(PenalisedLoss):
    """A tube whose edges are rounded off at a temperature: the barrier of (5.36) and (5.37).

    Slacks are eliminated, and so are both edges of the tube: intercept and width. The printed term
    that keeps ε from being negative is not needed, since the best edges never cross.

    Parameters
    ----------
    tube : TubeProblem
        The linear program.
    sample : Sample
        Its targets and weights.
    beta : float
        Temperature.
    """

    settled = SETTLED

    def __init__(self, tube: TubeProblem, sample: Sample, beta: float) -> None:
        self.tube, self.price, self.beta = tube, tube.price, beta
        self._weights, self._y = tube.caps, tube.y
        self._n_threads = sample.n_threads
        self._rounded = RoundedTube(tube, sample.n_threads)
        self._bounds = TubeBounds(tube)

    def intercept(self, scores: Array) -> float:
        """Middle of the best tube, without rounding."""
        return self._best_tube(scores).intercept

    def _best_tube(self, scores: Array) -> Tube:
        return self.tube.best_tube(self._y - scores)

    def value(self, scores: Array, l1_norm: float) -> float:
        """``P`` of the linear program."""
        return self.tube.empty - self.tube.value(scores, l1_norm)

    def most(self, scores: Array, l1_norm: float, n_terms: int = 0) -> float:
        """Most that it is, at the best tube."""
        return self._bounds.highest_cost(scores, self._best_tube(scores), l1_norm, n_terms)

    def most_as_is(self, predicted: Array, l1_norm: float) -> float:
        """Most that it is of predictions as they are: only the width of the tube is chosen."""
        half = self.tube.width_at(self._y - predicted)
        return self._bounds.highest_cost(predicted, Tube(half, -half), l1_norm)

    def empty(self) -> tuple[float, float]:
        """Numbers between which the cost of the best constant is."""
        return self._bounds.least, self._bounds.most

    def _settle(self, scores: Array) -> Array:
        """Find the rounded tube; curvatures of its sides."""
        # From the edges without rounding, not from the last ones: runs that are resumed know none.
        self._rounded.levels[:] = self.tube.levels(self._y - scores)
        self._rounded.settle(scores, self.beta)
        x = self._rounded.sides
        return np.asarray(x * (1.0 - x / self.tube.caps) / self.beta)

    def dual(self, scores: Array) -> Array:
        """Signed weights ``p [σ((r - u)/β) - σ((l - r)/β)]``: the printed sign is wrong (R2-X4)."""
        self._settle(scores)
        return self._rounded.dual()

    def bound(self, dual: Array, edge: float | None) -> float:
        """Lower bound on the least ``P`` of the linear program, from its balanced weights."""
        size = float(np.abs(dual).sum())
        fair = self.tube.balanced(dual)
        if not fair.any():
            return 0.0
        if edge is None:
            return self._bounds.proven_cost(fair)
        moved = float(np.abs(fair - dual / size).sum())  # no edge can have grown by more
        return self._bounds.proven_cost(fair, edge / size + moved)

    def _answers(self, curvature: Array, columns: Array) -> tuple[Array, Array]:
        """What the edges answer to changes along columns: one row per equation; their weights."""
        tube = self.tube
        pulls = (tube.equations * tube.signs) @ curvature
        cross = [_edges(columns, pull) for pull in pulls]
        return np.array(cross), np.abs(tube.equations) @ curvature.sum(axis=1)

    def _slope(
        self, scores: Array, direction: Array, price: float, a: float
    ) -> tuple[float, float]:
        curvature = self._settle(scores + a * direction)
        pull = float(self._rounded.dual() @ direction)
        cross, totals = self._answers(curvature, direction[None])
        answer = float(np.sum(cross[:, 0] ** 2 / np.maximum(totals, 1e-300)))
        return price - pull, max(float(curvature.sum(axis=0) @ direction**2) - answer, 0.0)

    def _hessian(self, columns: Array, scores: Array) -> Array:
        curvature = self._settle(scores)
        cross, totals = self._answers(curvature, columns)
        scaled = cross / np.sqrt(np.maximum(totals, 1e-300))[:, None]
        return self._products(columns, curvature.sum(axis=0)) - scaled.T @ scaled


def _edges(columns: Array, weights: Array) -> Array:
    """``Σ_i weights_i h_j(x_i)`` of some columns."""
    return np.array([weighted_sum(weights, column) for column in columns])
