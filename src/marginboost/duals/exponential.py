"""Exponential weights: d_i ∝ prior_i exp(-y_i F(x_i)) (R1-Q18, R1-C26).

They are the soft-max of the negative margins at temperature 1 / Σα, the multipliers of the
exponential loss, and AdaBoost's distribution. Weights are made from scores anew each round, never
by repeated multiplication, so rounding does not pile up.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import chain

import numpy as np

from ..core.oracle import Candidate
from ..core.parts import Part, do_blocks
from ..core.state import State
from ..kernels.exact import LARGEST_WEIGHT, rounded
from ..kernels.weights import sign_weights, signed_scores
from ..types import Array


def weigh_scores(state: State, scores: Array, steepness: float = 1.0) -> float:
    """Write ``dual_i ∝ y_i prior_i exp(-steepness y_i scores_i)`` for scores of any kind.

    For rules whose weights come from other scores than their vote, or are steeper. Nothing is
    remembered between rounds. Returns the logarithm of ``Σ prior exp(...)``.
    """
    sample = state.sample
    exponent = -steepness * (sample.y * scores)
    largest = float(exponent.max())
    weights = sample.prior * np.exp(exponent - largest)
    total = float(weights.sum())
    state.dual[:] = sample.y * (weights / total)
    return largest + math.log(total)


class ExponentialWeights:
    """Writes ``state.dual`` and ``state.min_margin`` from ``state.scores``.

    The exponent is shifted by the logarithm of the total, which the step just made predicts: so the
    weights come out normalised, and nothing can overflow, in one pass over the rows.

    Attributes
    ----------
    shift : float
        Shift of the last refresh.
    log_scale : float
        Logarithm of what the weights were divided by; but for rounding the same as ``log_total``.
    log_total : float
        Logarithm of ``Σ prior exp(-y F)``, the mean exponential loss (R1-Q26).
    """

    def __init__(self) -> None:
        self.shift = 0.0
        self.log_scale = 0.0
        self.log_total = 0.0

    def move(self, state: State, candidate: Candidate, step: float, shift: float) -> None:
        """Add a hypothesis and make the new weights, in one pass over the rows."""
        self._finish(state, shift, state.move(candidate, step, weigh, shift))

    def refresh(self, state: State, shift: float) -> None:
        """Make the weights of the present scores; ``shift`` is a guess of ``log_total``."""
        self._finish(state, shift, list(chain(*state.each(do_blocks, weigh, shift))))

    def _finish(self, state: State, shift: float, blocks: list[tuple[float, int]]) -> None:
        """Normalise, from the smallest ``y F`` and the sum of weights of every block."""
        smallest, total = min(low for low, _ in blocks), rounded(sum(part for _, part in blocks))
        if not 0.0 < total < LARGEST_WEIGHT:  # a bad guess: the largest weight becomes 1
            self.refresh(state, -smallest)
            return
        self.log_scale = shift
        if abs(total - 1.0) > 1e-13:
            state.each(divide_weights, total)
            self.log_scale += math.log(total)
        self.shift = shift
        self.log_total = shift + math.log(total)
        state.min_margin = smallest / state.l1_norm if state.l1_norm > 0.0 else -1.0


def divide_weights(part: Part, total: float) -> None:
    """Divide all weights by a number."""
    part.weights.dual /= total


def weigh(part: Part, shift: float) -> Callable[[int, int], tuple[float, int]]:
    """Make the function that makes unnormalised weights on a block of rows.

    It returns the smallest ``y F`` and the exact sum of weights.
    """
    sample, scores, dual = part.sample, part.scores, part.dual
    prior = np.empty(0) if sample.uniform else sample.prior
    offset = shift + (math.log(sample.n_rows) if sample.uniform else 0.0)

    def block(start: int, stop: int) -> tuple[float, int]:
        y, here = sample.y[start:stop], dual[start:stop]
        signed_scores(scores[start:stop], y, here)
        smallest = float(here.min())
        np.subtract(-offset, here, out=here)
        with np.errstate(over="ignore", under="ignore"):
            np.exp(here, out=here)
        return smallest, sign_weights(here, y, prior[start:stop])

    return block
