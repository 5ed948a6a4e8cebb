"""Weights and curvatures that follow from scores under any loss: what a second-order tree reads.

    dual_i ∝ prior_i (-∂L/∂F),    curvature_i ∝ prior_i h_i,    Σ|dual| = 1

both divided by the same number. For a loss φ of the margin h is |φ''|: the absolute value makes
Newton's step go downhill where the loss is not convex. A row that has a slope but no
curvature (beyond a kink, or by underflow) has h = 1: its step is a plain gradient step.

For a loss of the residual r it is φ'(r) / r, the curvature of the parabola that touches φ at ±r.
For losses between the absolute and the squared one that parabola lies above φ, so full steps never
raise the loss, however far out r is. A leaf is then a mean residual, weighted as in iterated least
squares. Of a loss that is not symmetric the parabola is that of its even part; the odd part of the
quantile loss is a straight line, so the same holds for it.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ..core.oracle import Candidate
from ..core.state import State
from ..kernels.logistic import logistic_slopes, negative_sizes, scale_pair
from ..kernels.parallel import run_rows
from ..losses import Logistic, Loss, ResidualLoss
from ..types import Array

Facts = tuple[float, float, float]
"""Of some rows: Σ|slope|, their part of the mean loss, smallest ``y F``."""


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
        facts = self._make(state)
        return self._settle(state, run_rows(facts, len(state.scores), state.sample.n_threads))

    def move(self, state: State, candidate: Candidate, step: float) -> bool:
        """Add a hypothesis and make the weights that follow."""
        return self._settle(state, state.move(candidate, step, self._make(state)))

    def _make(self, state: State) -> Callable[[int, int], Facts]:
        """Return the function that makes the weights of a block of rows."""
        if state.weights.curvature is None:
            state.weights.curvature = np.empty(len(state.scores))
        sample, curvature = state.sample, state.weights.curvature
        weights = np.empty(0) if sample.uniform else sample.prior

        def block(start: int, stop: int) -> Facts:
            here = slice(start, stop)
            rows = sample.y[here], state.scores[here], weights[here]
            size, loss, least = slopes(self.loss, *rows, state.dual[here], curvature[here])
            return size, loss / len(sample.y) if sample.uniform else loss, least

        return block

    def _row_weight(self, state: State) -> float:
        """What rows count before the weights are normalised, as a multiple of their prior."""
        return float(len(state.sample.y)) if state.sample.uniform else 1.0

    def _settle(self, state: State, facts: list[Facts]) -> bool:
        """Normalise, and note the loss and the smallest margin."""
        assert state.weights.curvature is not None
        sample, curvature = state.sample, state.weights.curvature
        size = math.fsum(fact[0] for fact in facts)
        self.mean_loss = math.fsum(fact[1] for fact in facts)
        if not sample.numeric and state.l1_norm > 0.0:
            state.min_margin = min(fact[2] for fact in facts) / state.l1_norm
        if not (size > 0.0 and math.isfinite(size)):
            return False
        state.weights.size = size / self._row_weight(state)
        factor = 1.0 / size

        def scale(start: int, stop: int) -> None:
            scale_pair(state.dual[start:stop], curvature[start:stop], factor)

        run_rows(scale, len(state.scores), sample.n_threads)
        return True


def slopes(
    loss: Loss, y: Array, scores: Array, weights: Array, dual: Array, curvature: Array
) -> Facts:
    """Write slopes and curvatures of some rows, not normalised; empty ``weights`` mean ones."""
    if isinstance(loss, Logistic):
        negative_sizes(scores, curvature)  # room for exponentials: NumPy makes many at once
        np.exp(curvature, out=curvature)
        return logistic_slopes(y, scores, curvature, weights, dual, curvature)
    y = y.astype(np.float64)
    t = loss.argument(y, scores)
    slope, second = loss.dual(t), np.abs(loss.curvature(t))
    if isinstance(loss, ResidualLoss):
        even = slope if loss.symmetric else (slope - loss.dual(-t)) / 2.0
        second = np.divide(even, t, out=second, where=t != 0.0)
    dual[:] = loss.signed(y, slope)
    curvature[:] = np.where((second == 0.0) & (slope != 0.0), 1.0, second)
    value = loss.value(t)
    if weights.size:
        dual *= weights
        curvature *= weights
        value = weights * value
    return float(np.abs(dual).sum()), float(value.sum()), float((y * scores).min())
