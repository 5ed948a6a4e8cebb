"""Sloppy p-boost as described, normed boosting and the accelerated cost (BA-A6a, BA-A3, BA-A8).

Problem: as strict p-boost, but the step is AdaBoost's, along the line F + α h, and the vote is put
back onto the hull afterwards:

    α = argmin Σ prior exp(-k y (F + α h)),   F ← (F + α h) / (1 + α^p)^(1/p).

A minimum with α > 0 always exists. With weights d ∝ prior exp(-k y F) it is artanh(edge) / k for
outputs ±1. With k = 1 this is the algorithm as the text describes it, and for p = 1 and 2 normed
boosting, in which all coefficients are divided by ‖b‖_p after every round (eq. 3.27). With
k = t^λ, t the hypotheses held, the cost grows steeper as the vote cannot (eq. 6.1).

The published results of "sloppy" are of another algorithm: see ``sloppy_p_boost_as_run.py``.

Certificate: as for AdaBoost, the smallest margin bounds the largest one, ρ*, from below, every
largest edge from above. Rate: none; Σb is bounded, so training errors may stay.

Reference: Barnes 1999, sections 3.8, 4.4 and 6.4.1.
"""

from __future__ import annotations

from ..core.oracle import Candidate
from ..core.state import State
from ..core.stop import Stop
from ._p_hull import Move, PHullRule, hull_move


class SloppyPBoost(PHullRule):
    """AdaBoost's step, then back onto the hull.

    Parameters
    ----------
    p : float
        Above 0.
    acceleration : float
        λ, at least 0: weights are made from t^λ times the scores; 0 is the plain algorithm.
    max_restarts : int
        Most fresh starts where the base learner has no edge.
    """

    def __init__(self, p: float = 1.5, acceleration: float = 0.0, max_restarts: int = 0) -> None:
        super().__init__(p, max_restarts)
        self.acceleration = acceleration

    def steepness(self, state: State) -> float:
        """``t^λ``."""
        return float(max(state.size, 1)) ** self.acceleration

    def find_move(self, state: State, best: Candidate) -> Move | Stop:
        """Step along the line, in units of the steepness."""
        if not state.size:
            return Move(1.0, 1.0, 1.0)
        return hull_move(self.line_step(state, best), self.p)
