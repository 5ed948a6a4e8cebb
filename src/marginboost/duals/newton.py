"""Weights and curvatures that follow from scores under any loss: what a second-order tree reads.

    dual_i ∝ prior_i (-∂L/∂F),    curvature_i ∝ prior_i h_i,    Σ|dual| = 1

both divided by the same number. For a loss φ of the margin h is |φ''|: the absolute value makes
Newton's step go downhill where the loss is not convex. A row that has a slope but no
curvature (beyond a kink, or by underflow) has h = 1: its step is a plain gradient step.

For a loss of the residual r it is φ'(r) / r, the curvature of the parabola that touches φ at ±r.
For losses between the absolute and the squared one that parabola lies above φ, so full steps never
raise the loss, however far out r is. A leaf is then a mean residual, weighted as in iterated least
squares. Of a loss that is not symmetric the parabola is that of its even part; the odd part of the
quantile loss is a straight line, so the same holds for it. Where leaves are medians of residuals,
h = 1: trees are least squares fits to the slopes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import chain

import numpy as np

from ..core.oracle import Candidate
from ..core.parts import Part, do_blocks
from ..core.sample import Sample
from ..core.state import State
from ..kernels.exact import (
    SMALLEST_NORMAL,
    as_total,
    bound_of,
    exact_sum,
    rounded,
    steps_below,
    total_of,
)
from ..kernels.least_squares import squared_slopes
from ..kernels.logistic import least_outcome, logistic_slopes, scale_pair
from ..losses import Logistic, Loss, ResidualLoss
from ..types import Array

LARGEST_CURVATURE = 1e290
"""Those of residuals next to zero are taken as this: sums of all rows are finite numbers."""

Facts = tuple[int, int, float]
"""Of some rows: exact Σ|slope|, exact sum of losses, smallest ``y F``."""
MoreFacts = tuple[int, int, float, int]
"""The same, and the exact sum of curvatures."""


class NewtonWeights:
    """Keeps ``state.weights``, dual and curvature, in step with the scores.

    Parameters
    ----------
    loss : Loss
        Any.

    Attributes
    ----------
    mean_loss : float
        Of the present scores, over the prior.
    """

    def __init__(self, loss: Loss) -> None:
        self.loss = loss
        self.mean_loss = math.inf

    def refresh(self, state: State) -> bool:
        """Make the weights of the present scores; False where no row has a slope."""
        return self._settle(state, state.each(do_blocks, weigh, self.loss, state.l1_norm))

    def move(self, state: State, candidate: Candidate, step: float) -> bool:
        """Add a hypothesis and make the weights that follow."""
        reach = state.l1_norm + abs(step)
        return self._settle(state, [state.move(candidate, step, weigh, self.loss, reach)])

    def _weight_of_losses(self, sample: Sample) -> float:
        """Sum of the weights with which losses and slopes are summed."""
        return sample.n_rows if sample.uniform else 1.0

    def _settle(self, state: State, answers: list[list[Facts]] | list[list[MoreFacts]]) -> bool:
        """Normalise, and note the loss and the smallest margin."""
        sizes, losses, least, *curvatures = zip(*chain(*answers), strict=True)
        sample, size = state.sample, rounded(sum(sizes))
        self.mean_loss = rounded(sum(losses)) / self._weight_of_losses(sample)
        if not sample.numeric and state.l1_norm > 0.0:
            state.min_margin = min(least) / state.l1_norm
        if not (size > 0.0 and math.isfinite(size)):
            return False
        if size < SMALLEST_NORMAL:  # no number is one over it, and its digits are gone
            state.tell(do_blocks, scale, 0.0)
            return False
        state.weights.size = size / self._weight_of_losses(sample)
        state.weights.total_curvature = rounded(sum(curvatures[0])) / size if curvatures else None
        state.tell(do_blocks, scale, 1.0 / size)
        return True


# -- questions to parts ----------------------------------------------------------------------------


def weigh(part: Part, loss: Loss, reach: float) -> Callable[[int, int], MoreFacts]:
    """Make the function that makes the weights of a block of rows, whose scores reach so far."""
    if part.weights.curvature is None:
        part.weights.curvature = np.empty(len(part.scores))
    sample, curvature = part.sample, part.weights.curvature
    weights = np.empty(0) if sample.uniform else sample.prior
    if loss.median_leaves and part.weights.residual is None:
        part.weights.residual = np.empty(len(part.scores))
    residual = part.weights.residual

    def block(start: int, stop: int) -> MoreFacts:
        here = slice(start, stop)
        rows = sample.y[here], part.scores[here], weights[here]
        found = slopes(loss, *rows, reach, part.dual[here], curvature[here])
        if residual is not None:
            np.subtract(*rows[:2], out=residual[here])
            curvature[here] = 1.0 if sample.uniform else weights[here]
            found = *found[:3], exact_sum(curvature[here])
        return found

    return block


def scale(part: Part, factor: float) -> Callable[[int, int], None]:
    """Make the function that multiplies weights and curvatures of a block of rows."""
    curvature = part.weights.curvature
    assert curvature is not None

    def block(start: int, stop: int) -> None:
        scale_pair(part.dual[start:stop], curvature[start:stop], factor)

    return block


def slopes(
    loss: Loss,
    y: Array,
    scores: Array,
    weights: Array,
    reach: float,
    dual: Array,
    curvature: Array,
) -> MoreFacts:
    """Write slopes and curvatures of some rows, not normalised; empty ``weights`` mean ones.

    No score exceeds ``reach`` in size.
    """
    if isinstance(loss, Logistic):
        bounds = bound_of(1.0), bound_of(1.0 + reach)  # no weight is above 1
        steps = (*steps_below(bounds[0]), *steps_below(bounds[1]))
        found = logistic_slopes(y, scores, weights, steps, dual, curvature)
        sizes, losses = as_total(found[:2], bounds[0]), as_total(found[2:], bounds[1])
        return sizes, losses, least_outcome(y, scores), exact_sum(curvature)
    if loss.squared_unit is not None:
        unit, written = loss.squared_unit, (*np.empty((2, len(scores))), curvature)
        rows = y, scores, weights
        *sums, least = squared_slopes(*rows, unit, unit**2, dual, curvature, *written[:2])
        size, total, bend = map(total_of, sums, written)
        return size, total, least, bend
    y = y.astype(np.float64)
    t = loss.argument(y, scores)
    slope, second = loss.dual(t), np.abs(loss.curvature(t))
    if isinstance(loss, ResidualLoss):
        even = slope if loss.symmetric else (slope - loss.dual(-t)) / 2.0
        with np.errstate(over="ignore"):
            second = np.divide(even, t, out=second, where=t != 0.0)
        second = np.minimum(second, LARGEST_CURVATURE)
    dual[:] = loss.signed(y, slope)
    curvature[:] = np.where((second == 0.0) & (slope != 0.0), 1.0, second)
    value = loss.value(t)
    if weights.size:
        dual *= weights
        curvature *= weights
        value = weights * value
    least = float((y * scores).min())
    return exact_sum(np.abs(dual)), exact_sum(value), least, exact_sum(curvature)
