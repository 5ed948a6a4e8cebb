"""Capped exponential weights: d_i ∝ prior_i min(1, exp(-rate (y_i F(x_i) - target Σα))).

An example weighs what its prior says until its margin exceeds the target, and less from then on;
but for the normalising it never weighs more. So the share Σ prior min(1, ...) of the weight that is
left bounds the share of examples at or below the target, and one over it the growth of any weight.
"""

from __future__ import annotations

import math

import numpy as np

from ..core.oracle import Candidate
from ..core.state import State
from ..kernels.parallel import run_rows
from ..kernels.weights import sign_weights, signed_scores


class CappedExponentialWeights:
    """Writes ``state.dual`` and ``state.min_margin`` from ``state.scores``.

    Parameters
    ----------
    rate : float
        How fast weights fall above the target.
    target : float
        Margin up to which they do not fall.

    Attributes
    ----------
    log_share : float
        Logarithm of the share of weight that is left.
    """

    def __init__(self, rate: float = 1.0, target: float = 0.0) -> None:
        self.rate, self.target = rate, target
        self.log_share = 0.0

    def move(self, state: State, candidate: Candidate, step: float) -> None:
        """Add a hypothesis and make the new weights."""
        state.move(candidate, step)
        self.refresh(state)

    def refresh(self, state: State) -> None:
        """Make the weights of the present scores."""
        sample, rows = state.sample, len(state.scores)
        prior = np.empty(0) if sample.uniform else sample.prior
        aim = self.target * state.l1_norm

        def measure(start: int, stop: int) -> float:
            part = state.dual[start:stop]
            signed_scores(state.scores[start:stop], sample.y[start:stop], part)
            return float(part.min())

        smallest = min(run_rows(measure, rows, sample.n_threads))
        shift = max(smallest, aim)  # the largest weight becomes 1: they cannot all underflow

        def weigh(start: int, stop: int) -> float:
            part = state.dual[start:stop]
            np.maximum(part, aim, out=part)
            np.subtract(shift, part, out=part)
            part *= self.rate
            np.exp(part, out=part)
            return sign_weights(part, sample.y[start:stop], prior[start:stop])

        total = math.fsum(run_rows(weigh, rows, sample.n_threads))
        state.weights.dual /= total
        share = total / rows if sample.uniform else total
        self.log_share = math.log(share) - self.rate * (shift - aim)
        state.min_margin = smallest / state.l1_norm if state.l1_norm > 0.0 else -1.0
