"""Strict p-boost: gradient descent that never leaves the p-convex hull (BA-A5; eq. 4.5 to 4.9).

Problem: minimise the exponential cost Σ prior exp(-y F) over votes F = Σ b h with ‖b‖_p = 1, one
hypothesis per round. The step is a minimum along the curve on the hull,

    F_{t+1} = (F_t + α h) / (1 + α^p)^(1/p),    α a minimum of the cost,                  (eq. 4.7)

so that all older coefficients shrink. Weights are d ∝ prior exp(-y F) (the print has the sign
wrong); the first hypothesis has b = 1, as every step along it gives the same vote.

For p = 1 this is the Frank-Wolfe method with exact line search, θ = α / (1 + α) (BA-P15). For p > 1
a step that lowers the cost always exists; for p < 1 none need (BA-A5-EX), and most runs end after a
few rounds.

Certificate: as for AdaBoost, the smallest margin bounds the largest one, ρ*, from below, every
largest edge from above. Rate: none is claimed.

Reference: Barnes 1999, section 4.3, appendix B.
"""

from __future__ import annotations

import numpy as np

from ..core.oracle import Candidate
from ..core.state import State
from ..core.stop import Stop
from ..solvers.p_hull import HullCost, HullStep, global_step, newton_step
from ._p_hull import Move, PHullRule, hull_move

SEARCHES = ("newton", "published", "global")
PUBLISHED_TOLERANCE = 1e-3


class StrictPBoost(PHullRule):
    """Line search on the hull.

    Parameters
    ----------
    p : float
        Above 0.
    search : {"newton", "published", "global"}
        Newton's method in units of the cost; the same with the tolerance of the author's program,
        1e-3 for the sum over all rows; or a search over all steps that takes none but a better one.
    max_restarts : int
        Most fresh starts where no step is found.
    """

    def __init__(self, p: float = 1.5, search: str = "newton", max_restarts: int = 0) -> None:
        super().__init__(p, max_restarts)
        self.search = search

    def find_move(self, state: State, best: Candidate) -> Move | Stop:
        """Search along the hypothesis, on the hull."""
        if not state.size:
            return Move(1.0, 1.0, 1.0)
        found = self._search(state, best)
        return hull_move(found.step, self.p) if found.converged else Stop.SOLVER

    def _search(self, state: State, best: Candidate) -> HullStep:
        sample = state.sample
        cost = HullCost(
            sample.y * state.scores,
            (sample.y * best.column).astype(np.float64),
            sample.total * sample.prior,
            self.p,
        )
        if self.search == "global":
            return global_step(cost)
        if self.search == "published":
            return newton_step(cost, state.size, tol=PUBLISHED_TOLERANCE, relative=False)
        return newton_step(cost, state.size)
