"""Exponential weights: d_i ∝ prior_i exp(-y_i F(x_i)) (R1-Q18, R1-C26).

They are the soft-max of the negative margins at temperature 1 / Σα, the multipliers of the
exponential loss, and AdaBoost's distribution. Weights are made from scores anew each round, never
by repeated multiplication, so rounding does not pile up.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ..core.oracle import Candidate
from ..core.state import State
from ..kernels.parallel import run_rows
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
        self._finish(state, shift, state.move(candidate, step, self._weigh(state, shift)))

    def refresh(self, state: State, shift: float) -> None:
        """Make the weights of the present scores; ``shift`` is a guess of ``log_total``."""
        rows, threads = len(state.scores), state.sample.n_threads
        self._finish(state, shift, run_rows(self._weigh(state, shift), rows, threads))

    def _finish(self, state: State, shift: float, blocks: list[tuple[float, float]]) -> None:
        """Normalise, from the smallest ``y F`` and the sum of weights of every block."""
        smallest, total = min(low for low, _ in blocks), math.fsum(part for _, part in blocks)
        if not (math.isfinite(total) and total > 0.0):  # a bad guess: the largest weight becomes 1
            self.refresh(state, -smallest)
            return
        self.log_scale = shift
        if abs(total - 1.0) > 1e-13:
            state.weights.dual /= total
            self.log_scale += math.log(total)
        self.shift = shift
        self.log_total = shift + math.log(total)
        state.min_margin = smallest / state.l1_norm if state.l1_norm > 0.0 else -1.0

    def _weigh(self, state: State, shift: float) -> Callable[[int, int], tuple[float, float]]:
        """Return the function that makes unnormalised weights on a block of rows."""
        sample = state.sample
        prior = np.empty(0) if sample.uniform else sample.prior
        offset = shift + (math.log(len(sample.y)) if sample.uniform else 0.0)

        def weigh(start: int, stop: int) -> tuple[float, float]:
            y, part = sample.y[start:stop], state.dual[start:stop]
            signed_scores(state.scores[start:stop], y, part)
            smallest = float(part.min())
            np.subtract(-offset, part, out=part)
            with np.errstate(over="ignore", under="ignore"):
                np.exp(part, out=part)
            return smallest, sign_weights(part, y, prior[start:stop])

        return weigh
