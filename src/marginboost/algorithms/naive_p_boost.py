"""Naive p-boost: AdaBoost's coefficients to the power 1/p (BA-A4, BA-A4b, BA-A4c; eq. 4.3, 4.4).

    b'_t = ½ log((1 - ε) / ε),    b_t = b'_t^(1/p),    F = Σ b_t h_t.

Weights are AdaBoost's, made from b', so that hypotheses are AdaBoost's for every p and only the
vote differs: p < 1 stretches large coefficients, p > 1 levels them, p = 1 is AdaBoost. With
``weight_update="pboost"`` weights are made from b (the print has the sign of eq. 4.4 wrong). The
signed form of the thesis's proposal, sign(b') |b'|^(1/p), also takes hypotheses that are worse
than guessing, from base learners that return such.

Powers may leave the range of numbers: then the vote is kept in units of its largest coefficient,
which changes no prediction.

Certificate: as for AdaBoost, the smallest margin bounds the largest one, ρ*, from below, every
largest edge from above. Rate: that of AdaBoost for the vote with b'; none for this one.

Reference: Barnes 1999, section 4.2.1 and the proposal, eq. F.2.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..core.oracle import Candidate
from ..core.state import State
from ..core.stop import Stop
from ..types import Array
from ._p_hull import Move, PHullRule, adaboost_step
from .adaboost import ROUNDING

WEIGHT_UPDATES = ("adaboost", "pboost")
WIDEST = 300.0
"""Logarithms of coefficients beyond this, above or below, make a new unit."""
STEEPEST = 1e300


class NaivePBoost(PHullRule):
    """Coefficients to the power 1/p.

    Parameters
    ----------
    p : float
        Above 0.
    weight_update : {"adaboost", "pboost"}
        Weights from AdaBoost's coefficients, or from the powered ones.
    signed : bool
        Whether hypotheses worse than guessing get a negative coefficient, or end the run.
    max_restarts : int
        Most fresh starts where the base learner has no edge.
    """

    def __init__(
        self,
        p: float = 1.5,
        weight_update: str = "adaboost",
        signed: bool = False,
        max_restarts: int = 0,
    ) -> None:
        super().__init__(p, max_restarts)
        self.weight_update = weight_update
        self.signed = signed
        self._log_unit = 0.0

    @property
    def raw_weights(self) -> bool:
        """Whether weights come from AdaBoost's coefficients."""
        return self.weight_update == "adaboost"

    def steepness(self, state: State) -> float:
        """Unit of the coefficients, where weights are made from them."""
        return 1.0 if self.raw_weights else math.exp(min(self._log_unit, 690.0))

    def coef_at(self, p: float) -> Array:
        """Powers of AdaBoost's coefficients, in units of the largest."""
        raw = self.raw_coef
        logs = np.log(np.abs(raw)) / p
        return np.asarray(np.sign(raw) * np.exp(logs - logs.max()))

    def _without_edge(self, edge: float) -> bool:
        return (abs(edge) if self.signed else edge) <= ROUNDING

    def find_move(self, state: State, best: Candidate) -> Move | Stop:
        """AdaBoost's step to the power 1/p, in the present unit or a new one."""
        raw = math.atanh(best.edge) if best.edge < 0.0 else adaboost_step(state, best)
        log_step = math.log(abs(raw)) / self.p
        factor = 1.0
        if log_step - self._log_unit > WIDEST or (not state.size and log_step < -WIDEST):
            if not self.raw_weights and log_step > math.log(STEEPEST):
                return Stop.SOLVER  # no weights can be made from such scores
            factor = math.exp(min(self._log_unit - log_step, 0.0)) if state.size else 1.0
            self._log_unit = log_step
        step = math.copysign(math.exp(log_step - self._log_unit), raw)
        return Move(factor, step, raw)

    def get_state(self) -> dict[str, Any]:
        """Return the moves and the unit."""
        return {**super().get_state(), "log_unit": self._log_unit}

    def set_state(self, saved: dict[str, Any]) -> None:
        """Take them back."""
        super().set_state(saved)
        self._log_unit = float(saved["log_unit"])
