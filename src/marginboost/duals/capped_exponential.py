"""Capped exponential weights: d_i ∝ prior_i min(1, exp(-rate (y_i F(x_i) - target Σα))).

An example weighs what its prior says until its margin exceeds the target, and less from then on;
but for the normalising it never weighs more. So the share Σ prior min(1, ...) of the weight that is
left bounds the share of examples at or below the target, and one over it the growth of any weight.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import chain

import numpy as np

from ..core.oracle import Candidate
from ..core.parts import Part, do_blocks
from ..core.state import State
from ..kernels.exact import rounded
from ..kernels.exponentials import exponentials
from ..kernels.weights import sign_weights, signed_scores
from .exponential import divide_weights

LEAST = 2.0**-30
"""Sum of weights below which their smaller ones lose digits, since all are added in one unit."""


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
        aim, n_rows = self.target * state.l1_norm, state.sample.n_rows
        smallest = min(chain(*state.each(do_blocks, measure)))
        shift = max(smallest, aim)  # the largest weight becomes 1: they cannot all underflow
        total = self._weigh(state, aim, shift)
        if total < LEAST:  # the largest weight is that of a row whose prior is next to nothing
            state.tell(do_blocks, measure)
            largest = max(chain(*state.each(do_blocks, measure_logs, self.rate, aim)))
            shift = aim - largest / self.rate
            total = self._weigh(state, aim, shift)
        state.tell(divide_weights, total)
        share = total / n_rows if state.sample.uniform else total
        self.log_share = math.log(share) - self.rate * (shift - aim)
        state.min_margin = smallest / state.l1_norm if state.l1_norm > 0.0 else -1.0

    def _weigh(self, state: State, aim: float, shift: float) -> float:
        """Make the weights, of which those of margins at ``shift`` are the prior; their sum."""
        return rounded(sum(chain(*state.each(do_blocks, weigh, self.rate, aim, shift))))


def measure(part: Part) -> Callable[[int, int], float]:
    """Make the function that writes ``y F`` of a block of rows in place of their weights.

    It returns the smallest.
    """

    def block(start: int, stop: int) -> float:
        here = part.dual[start:stop]
        signed_scores(part.scores[start:stop], part.sample.y[start:stop], here)
        return float(here.min())

    return block


def measure_logs(part: Part, rate: float, aim: float) -> Callable[[int, int], float]:
    """Make the function that finds the largest logarithm of a weight, from ``y F`` in its place."""
    sample = part.sample

    def block(start: int, stop: int) -> float:
        excess = np.maximum(part.dual[start:stop], aim) - aim
        return float((np.log(sample.prior[start:stop]) - rate * excess).max())

    return block


def weigh(part: Part, rate: float, aim: float, shift: float) -> Callable[[int, int], int]:
    """Make the function that makes unnormalised weights of ``y F``; it returns their exact sum."""
    sample = part.sample
    prior = np.empty(0) if sample.uniform else sample.prior

    def block(start: int, stop: int) -> int:
        here = part.dual[start:stop]
        np.maximum(here, aim, out=here)
        np.subtract(shift, here, out=here)
        here *= rate
        exponentials(here)
        return sign_weights(here, sample.y[start:stop], prior[start:stop])

    return block
