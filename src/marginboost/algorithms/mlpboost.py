"""MLPBoost: Frank-Wolfe's steps for the guarantee, LPBoost's for speed, the better of the two.

Problem: the largest soft margin, as in LPBoost (prior weights p, ν in (0, 1]),

    max_{α, ρ, ξ}  ρ - (1/ν) Σ_i p_i ξ_i   s.t.  y_i F(x_i) >= ρ - ξ_i,  Σα = 1,  α, ξ >= 0.

Corrective ERLPBoost climbs the smoothed soft margin

    f(α) = min_d  Σ_i d_i y_i F(x_i) + Δ(d, p) / η   s.t.  Σ d = 1,  0 <= d_i <= p_i / ν,

with η = max(2 ln(1/ν) / ε, 1/2), by Frank-Wolfe steps: slow, but with a promise. LPBoost solves the
linear program over all hypotheses found: fast as a rule, but without one. A round here takes the
weights d of f, asks for the hypothesis of largest edge, makes both steps, and goes on from the one
whose f is larger. Frank-Wolfe's has an exact line search; where it serves better, the share of the
new hypothesis comes from that of smallest edge alone (a pairwise step).

Certificate: the largest edge under d above, the soft margin of α below, in every round.
Rate: a step that is no worse than Frank-Wolfe's keeps its bound: the bounds are within ε after
about 54 η / ε rounds, of the order ln(1/ν) / ε² (the paper writes N/ν for our 1/ν).

Reference: Mitsuboshi, Hatano & Takimoto, *Boosting as Frank-Wolfe*, 2022.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any, ClassVar

import numpy as np

from ..core.state import State
from ..core.stop import Stop
from ..estimators.classifier import document
from ..fitting.algorithm import Algorithm
from ..solvers.line_search import increasing_root
from ..solvers.masters.base import MasterError
from ..solvers.masters.choice import make_master
from ..solvers.masters.packed_pool import PackedPool
from ..solvers.masters.problem import SoftMargin
from ..types import Array
from ._totally_corrective import SoftMarginClassifier, TotallyCorrective
from .corrective_erlpboost import ROUNDING, rounds_needed, smoothing

SEARCHED = 1e-6
"""Accuracy of a step; any that is no worse than Frank-Wolfe's shortest keeps the promise."""


class MLPBoost(TotallyCorrective):
    """The better of a Frank-Wolfe step and a linear program, by the smoothed soft margin.

    Parameters
    ----------
    nu : float
        Share of weight that may fall short, in (0, 1].
    accuracy : float
        ε, in (0, 1): how far below the best soft margin that of the model may be.
    """

    pool_type = PackedPool
    _pool: PackedPool

    def __init__(self, nu: float = 0.3, accuracy: float = 0.02) -> None:
        super().__init__(nu, accuracy)
        self.eta = smoothing(nu, accuracy)
        self._second: Array = np.empty(0)
        self._of_master: dict[str, Any] | None = None

    def start(self, state: State) -> None:
        """Begin with the prior as weights, or take up a run by its hypotheses."""
        super().start(state)
        sample = state.sample
        self._master = make_master("auto", SoftMargin(sample.prior, self.nu), sample)
        if state.members:
            self._master.set_state(self._of_master or {})

    def _correct(self, state: State, n_new: int) -> Stop | None:
        """Make all steps, and go on from the best one."""
        steps = self._frank_wolfe(state, n_new)
        if not steps:
            return Stop.STALLED
        self._second = np.append(self._second, np.zeros(n_new))
        with suppress(MasterError):  # then there is no second step
            if n_new:
                gap = min(state.gap, 2.0)
                self._second, _ = self._master.solve(self._pool, self._second, gap)
            steps.append(self._second)
        values = [self._smoothed(state, step) for step in steps]
        self._multipliers = self.eta * steps[int(np.argmax(values))]
        return None

    def _frank_wolfe(self, state: State, n_new: int) -> list[Array]:
        """Best steps towards the hypothesis of largest edge; none at the top.

        From all hypotheses, which is Frank-Wolfe's, and from that of smallest edge alone.
        """
        edges = self._pool.edges(state.dual)
        best = int(np.argmax(edges))
        towards = np.zeros(len(edges))
        towards[best] = 1.0
        if state.size == n_new:
            return [towards]
        shares = self._multipliers / self.eta
        if edges[best] - float(edges @ shares) <= ROUNDING:
            return []
        used = np.flatnonzero(shares)
        worst = int(used[np.argmin(edges[used])])
        swap = shares[worst] * towards
        swap[worst] -= shares[worst]
        return [self._best_along(state, shares, move) for move in (towards - shares, swap)]

    def _best_along(self, state: State, shares: Array, move: Array) -> Array:
        """Combination with the largest f on the way from one to ``shares + move``."""
        y = state.sample.y
        outcomes, change = (y * self._pool.combine(self.eta * c) for c in (shares, move))

        def fall(theta: float) -> tuple[float, float]:
            found = self._divergence.weigh(outcomes + theta * change)
            total, mean = float(found.free.sum()), float(found.free @ change)
            spread = float(found.free @ change**2) - (mean**2 / total if total > 0.0 else 0.0)
            return -float(found.weights @ change), spread

        theta = 1.0 if fall(1.0)[0] <= 0.0 else increasing_root(fall, 0.0, 1.0, SEARCHED)
        return np.maximum(shares + theta * move, 0.0)

    def _smoothed(self, state: State, shares: Array) -> float:
        """η times the smoothed soft margin f of a combination."""
        outcomes = state.sample.y * self._pool.combine(self.eta * shares)
        return self._divergence.weigh(outcomes).value

    def get_state(self) -> dict[str, Any]:
        """Return what the master remembers, besides value and multipliers."""
        master = self._master.get_state() if len(self._second) else None
        return {**super().get_state(), "second": self._second.tolist(), "master": master}

    def set_state(self, saved: dict[str, Any]) -> None:
        """Take it back."""
        super().set_state(saved)
        self._second = np.array(saved["second"], dtype=np.float64)
        self._of_master = saved["master"]


@document
class MLPBoostClassifier(SoftMarginClassifier):
    """Soft-margin boosting about as fast as LPBoost, with a bound on the number of rounds.

    Solves the problem of :class:`~marginboost.LPBoostClassifier`: each round goes on from its step
    or from one of corrective ERLPBoost, whichever is better.

    Parameters
    ----------
    estimator : Oracle, scikit-learn estimator or None
        Base learner; None is the exact stump, with which the bounds are proven.
    n_estimators : int or None
        Most rounds; None is the number that the guarantee needs, about 108 ln(1/ν) / accuracy². The
        run normally ends much earlier, when the gap is closed.
    nu : float
        Share of the rows that may fall short of the margin, from 1/N to 1: no row weighs more than
        1 / (ν N). Choose it above the share of wrong labels.
    accuracy : float
        How far below the best soft margin that of the model may be, in (0, 1).
    tol : float or None
        Gap at which to stop; None stops at ``accuracy``.
    {common}

    Attributes
    ----------
    rho_ : float
        The margin ρ that all rows without slack attain.
    {fitted}

    References
    ----------
    Mitsuboshi, Hatano and Takimoto, *Boosting as Frank-Wolfe*, 2022.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from marginboost import MLPBoostClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = MLPBoostClassifier(nu=0.3).fit(X, y)
    >>> bool(model.certificate_.gap <= 0.02)
    True
    """

    __summary__: ClassVar[dict[str, str]] = {
        "problem": "largest soft margin, by Frank-Wolfe or LPBoost steps, whichever are better",
        "guarantee": "soft margin ≥ best − ε in max(108 ln(1/ν) / ε², 27/ε) rounds; gap certified",
        "reference": "Mitsuboshi, Hatano & Takimoto 2022",
    }

    def _algorithm(self) -> Algorithm:
        """Make the algorithm that the parameters mean."""
        return self._totally_corrective(
            lambda problem, chosen: MLPBoost(self.nu, self.accuracy),
            lambda sample: rounds_needed(self.nu, self.accuracy),
        )
