"""Exponential weights: d_i ∝ prior_i exp(-y_i F(x_i)) (R1-Q18, R1-C26).

They are the soft-max of the negative margins at temperature 1 / Σα, the multipliers of the
exponential loss, and AdaBoost's distribution. Weights are made from scores anew each round, never
by repeated multiplication, so rounding does not pile up.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import chain
from typing import Any

import numpy as np

from ..core.oracle import Candidate
from ..core.parts import Part, do_blocks
from ..core.state import State
from ..kernels.exact import LARGEST_WEIGHT, rounded
from ..kernels.exponentials import exponentials
from ..kernels.weights import sign_weights, signed_scores
from ..types import Array

LEAST_TOTAL = 2.0**-16
"""Sums of weights below this have lost digits of theirs: they are made anew, larger."""


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
        self._finish(state, shift, _on_all(state, weigh, shift))

    def _finish(self, state: State, shift: float, blocks: list[tuple[float, int]]) -> None:
        """Normalise, from the smallest ``y F`` and the sum of weights of every block."""
        smallest, total = _sums(blocks)
        if not LEAST_TOTAL < total < LARGEST_WEIGHT:  # a bad guess: the largest weight becomes 1/N
            shift = max(_on_all(state, log_weights)) + math.log(state.sample.n_rows)
            smallest, total = _sums(_on_all(state, weigh, shift))
        self.log_scale = shift
        if abs(total - 1.0) > 1e-13:
            state.tell(divide_weights, total)
            self.log_scale += math.log(total)
        self.shift = shift
        self.log_total = shift + math.log(total)
        state.min_margin = smallest / state.l1_norm if state.l1_norm > 0.0 else -1.0


def _on_all(state: State, make: Callable[..., Any], *args: float) -> list[Any]:
    """What a function of blocks of rows returns, for all blocks."""
    return list(chain(*state.each(do_blocks, make, *args)))


def _sums(blocks: list[tuple[float, int]]) -> tuple[float, float]:
    """Smallest ``y F`` and sum of the weights of all blocks."""
    return min(low for low, _ in blocks), rounded(sum(part for _, part in blocks))


def log_weights(part: Part) -> Callable[[int, int], float]:
    """Make the function that finds the largest ``log prior - y F`` in a block of rows."""
    sample, scores = part.sample, part.scores

    def block(start: int, stop: int) -> float:
        signed = sample.y[start:stop] * scores[start:stop]
        return float((np.log(sample.prior[start:stop]) - signed).max())

    return block


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
        exponentials(here)
        return smallest, sign_weights(here, y, prior[start:stop])

    return block
