"""Corrective ERLPBoost: ERLPBoost's smoothed soft margin, one hypothesis per round.

Problem: as ERLPBoost, the largest soft margin at a share ν, smoothed by a relative entropy,

    f(α) = min_d  Σ_i d_i y_i F(x_i) + Δ(d, p) / η   s.t.  Σ d = 1,  0 <= d_i <= p_i / ν,

with η = max(2 ln(1/ν) / ε, 1/2), at most ε/2 above the soft margin. In place of solving for all
coefficients, a round is one step of the Frank-Wolfe method on the convex hull, towards the
hypothesis of largest edge:

    F ← (1 - θ) F + θ h,     θ = min(1, (edge of h - edge of F) / (η max |h - F|²)).

f has curvature at most η in the largest change of a score, so that no step lowers it.

Certificate: the largest edge under d above, the soft margin of F below, in every round.
Rate: the least gap of Frank-Wolfe steps is at most 27 η / (T + 2) after T rounds (Jaggi 2013), so
the bounds are within ε after about 54 η / ε rounds, of the order ln(1/ν) / ε².

References: Shalev-Shwartz & Singer, *On the equivalence of weak learnability and linear
separability*, 2010; Warmuth, Glocer & Vishwanathan 2008; Jaggi, *Revisiting Frank-Wolfe*,
2013, theorem 2.
"""

from __future__ import annotations

import math

import numpy as np

from ..core.objective import Objective, margin_objective
from ..core.oracle import Candidate
from ..core.sample import Sample
from ..core.state import State
from ..core.stop import Stop
from ..solvers.entropy_projection import CappedEntropy
from ..solvers.masters.problem import check_share, soft_margin
from ..types import Array
from ._p_hull import Move, PHullRule

ROUNDING = 1e-13
"""An edge that exceeds that of the vote by no more than this does so by rounding only."""
GAP_CONSTANT = 27.0


class CorrectiveERLPBoost(PHullRule):
    """Frank-Wolfe steps on the smoothed soft margin: a vote on the convex hull, p = 1.

    Parameters
    ----------
    nu : float
        Share of weight that may fall short, in (0, 1].
    accuracy : float
        ε, in (0, 1): how far below the best soft margin that of the model may be.
    """

    def __init__(self, nu: float = 0.3, accuracy: float = 0.02) -> None:
        super().__init__(1.0)
        self.nu = nu
        self.accuracy = accuracy
        self.eta = smoothing(nu, accuracy)
        self._value = -1.0

    @property
    def objective(self) -> Objective:
        """Soft margin."""
        return margin_objective(self.nu)

    def start(self, state: State) -> None:
        """Begin with the prior as weights, or take up a run by its moves."""
        check_share(self.nu, state.sample.prior)
        self._entropy = CappedEntropy(state.sample.prior, self.nu, state.sample.n_threads)
        self._value = -1.0
        super().start(state)

    def value(self, state: State) -> float:
        """Soft margin of the present combination."""
        return self._value

    def value_of(self, outcomes: Array, l1_norm: float, sample: Sample) -> float:
        """Soft margin of any combination."""
        return soft_margin(outcomes / (l1_norm or 1.0), sample.prior, self.nu)[0]

    def _without_edge(self, edge: float) -> bool:
        return False  # soft margins may be negative

    def find_move(self, state: State, best: Candidate) -> Move | Stop:
        """Step towards the hypothesis, short enough not to lower the smoothed soft margin."""
        if not state.size:
            return Move(1.0, 1.0, 1.0)
        gain = best.edge - float(state.dual @ state.scores)
        if gain <= ROUNDING:
            return Stop.STALLED
        largest = float(np.abs(best.column - state.scores).max())
        theta = min(1.0, gain / (self.eta * largest**2))
        return Move(1.0 - theta, theta, theta)

    def _weigh(self, state: State) -> None:
        sample = state.sample
        outcomes = sample.y * state.scores
        state.dual[:] = sample.y * self._entropy.weigh(self.eta * outcomes).weights
        if state.l1_norm > 0.0:
            state.min_margin = float(outcomes.min()) / state.l1_norm
            self._value = self.value_of(outcomes, state.l1_norm, sample)


def smoothing(nu: float, accuracy: float) -> float:
    """η of a share and an accuracy, as in ERLPBoost."""
    return max(2.0 * math.log(1.0 / nu) / accuracy, 0.5)


def rounds_needed(nu: float, accuracy: float) -> int:
    """Rounds after which the bounds on the soft margin are within the accuracy.

    >>> rounds_needed(0.1, 0.1)
    24868
    """
    return math.ceil(2.0 * GAP_CONSTANT * smoothing(nu, accuracy) / accuracy)
