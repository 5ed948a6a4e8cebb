"""Sloppy p-boost as the author's program computed it (BA-A6b): the one of the published results.

The program makes weights from margins that are not normalised. So hypotheses and steps α_t do not
depend on p and are AdaBoost's, but for a first step of 1 and the tolerance of the line search; only
the vote is put back onto the hull, which makes

    b_t = α_t Π_{s >= t} (1 + α_s^p)^(-1/p)      (without the factor of s = 1):

old hypotheses are forgotten at an exponential rate, the vote is that of the last few, and the error
over rounds is erratic where p is 1 or less.

The search is plain Newton from 0.5 / t until the slope of Σ exp(-margin), a sum over all rows, is
below 1e-3. Once that sum is, the first value 0.5 / t is taken as it is: forgetting ends, and the
training error falls (the "kink" of the published curves).

Certificate: as for AdaBoost, the smallest margin bounds the largest one, ρ*, from below, every
largest edge from above. Rate: none.

Reference: Barnes 1999, section 4.4 and appendix E, and the program that made its results.
"""

from __future__ import annotations

import math

import numpy as np

from ..core.oracle import Candidate
from ..core.state import State
from ..core.stop import Stop
from ..types import Array
from ._p_hull import Move, PHullRule, hull_move

TOLERANCE = 1e-3
MOST_ITERATIONS = 1000


class SloppyPBoostAsRun(PHullRule):
    """AdaBoost's hypotheses, forgotten at a rate that depends on p.

    Parameters
    ----------
    p : float
        Above 0.
    max_restarts : int
        Most fresh starts where the base learner has no edge.
    """

    def __init__(self, p: float = 1.5, max_restarts: int = 0) -> None:
        super().__init__(p, max_restarts)

    @property
    def raw_weights(self) -> bool:
        """Weights come from margins that are not normalised."""
        return True

    def coef_at(self, p: float) -> Array:
        """The closed form: each step times all factors from its round on."""
        steps = self.raw_coef
        logs = np.logaddexp(0.0, p * np.log(steps)) / p
        logs[0] = 0.0
        return np.asarray(np.exp(np.log(steps) - np.cumsum(logs[::-1])[::-1]))

    def find_move(self, state: State, best: Candidate) -> Move | Stop:
        """Newton's search on raw margins, then the factor that goes back onto the hull."""
        if not state.size:
            return Move(1.0, 1.0, 1.0)
        sample = state.sample
        with np.errstate(over="ignore"):
            weights = sample.total * sample.prior * np.exp(-sample.y * self._raw)
        step = plain_newton(weights, sample.y * best.column, 0.5 / state.size)
        if step is None:
            return Stop.SOLVER
        return hull_move(step, self.p)


def plain_newton(weights: Array, outcomes: Array, start: float) -> float | None:
    """Newton's method on ``Σ weights exp(-α outcomes)`` until the slope is below 1e-3.

    None where it does not converge: nothing guards it.

    >>> step = plain_newton(np.array([30.0, 10.0]), np.array([1.0, -1.0]), 0.5)
    >>> abs(step - 0.5 * math.log(3.0)) < 1e-4
    True
    """
    step = start
    for _ in range(MOST_ITERATIONS):
        with np.errstate(over="ignore", invalid="ignore"):
            terms = weights * np.exp(-step * outcomes)
            slope = -float(terms @ outcomes)
            curvature = float(terms @ (outcomes * outcomes))
        if abs(slope) < TOLERANCE:
            return step
        if not (math.isfinite(slope) and math.isfinite(curvature) and curvature > 0.0):
            return None
        step -= slope / curvature
    return None
