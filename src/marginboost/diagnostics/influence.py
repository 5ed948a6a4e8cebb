"""Which examples a run leaned on: influence and important examples (R2-Q2, R2-Q5).

The influence of an example is its average weight, each round counted by its coefficient. It sums to
one. An example that keeps drawing weight is hard, or wrong.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.callbacks import Callback
from ..core.stop import Stop
from ..types import Array
from .arrays import distribution, vector

if TYPE_CHECKING:
    from ..core.oracle import Oracle
    from ..core.rule import Rule
    from ..core.state import State


def average_influence(weights: Any, coef: Any) -> Array:
    """Influence ``μ_i = Σ_t α_t d_i^(t) / Σ_t α_t`` of each example (R2-Q2).

    Parameters
    ----------
    weights : array (n_rounds, n_examples)
        Weights of every round, signed or not.
    coef : array
        Coefficients α_t >= 0 of the rounds.

    Examples
    --------
    >>> average_influence([[0.5, 0.5], [0.8, 0.2]], [1.0, 2.0]).round(12).tolist()
    [0.7, 0.3]
    """
    alpha = vector("coef", coef, low=0.0)
    d = np.abs(np.asarray(weights, dtype=np.float64))
    if d.ndim != 2 or len(d) != len(alpha):
        raise ValueError(
            f"weights: got shape {d.shape}, expected one row for each of {len(alpha)} coefficients"
        )
    if not alpha.any():
        raise ValueError("coef: got only zeros, expected at least one positive coefficient")
    return alpha @ d / alpha.sum()


def important_examples(average_weights: Any, *, sample_weight: Any = None) -> Array:
    """Indices of the examples whose average weight exceeds half their share (R2-Q5).

    Without ``sample_weight`` the threshold is 1 / (2N). Under ν-Arc and the ν-LP about a share ν of
    the examples is important.

    Parameters
    ----------
    average_weights : array
        Average over the rounds of each example's weight, such as
        ``InfluenceRecorder.average_weights_``. The dissertation prints the sum of the weights; with
        that every example would be important after a few rounds.
    sample_weight : array, optional
        Weights of the examples.

    Examples
    --------
    >>> important_examples([0.7, 0.25, 0.05, 0.0])
    array([0, 1])
    """
    average = vector("average_weights", average_weights, low=0.0)
    share = distribution("sample_weight", sample_weight, len(average))
    return np.flatnonzero(average > 0.5 * share)


class InfluenceRecorder(Callback):
    """Record the influence of every example in a run, whatever the algorithm.

    It keeps two vectors, not the weights of all rounds. Where a rule gives all coefficients anew in
    every round (LPBoost), the influence is the last weights: they are the multipliers of its
    program. Where it begins a new combination, the influence begins with it. A resumed run is
    recorded from where it is taken up.

    Attributes
    ----------
    influence_ : array
        μ, for the combination at the end of the run; with sum one, or zeros while nothing was
        added. One entry for each row of positive weight.
    average_weights_ : array
        Average of the weights over all rounds seen.
    n_rounds_ : int
        Rounds seen.

    Examples
    --------
    >>> from marginboost import AdaBoostClassifier
    >>> from marginboost.datasets import circle_2d
    >>> X, y = circle_2d(100)
    >>> recorder = InfluenceRecorder()
    >>> model = AdaBoostClassifier(n_estimators=20, callbacks=[recorder]).fit(X, y)
    >>> recorder.n_rounds_, round(float(recorder.influence_.sum()), 12)
    (20, 1.0)
    """

    def on_start(self, state: State, oracle: Oracle, rule: Rule, max_rounds: int) -> None:
        """Take the weights of the first round."""
        self._weights = np.abs(state.dual)
        self._sum = np.zeros(len(state.dual))
        self._exposure, self._l1_norm = np.zeros(len(state.dual)), 0.0
        self._first = state.first
        self._multipliers: Array | None = None
        self.n_rounds_ = 0

    def on_round(self, state: State) -> Stop | None:
        """Add the weights that the round was made with."""
        self.n_rounds_ += 1
        self._sum += self._weights
        if state.first != self._first:
            self._first, self._l1_norm = state.first, 0.0
            self._exposure[:] = 0.0
        coef = state.history.last("coef")
        if state.size and coef > 0.0:  # not a round that added nothing, or only began anew
            self._exposure += coef * self._weights
            self._l1_norm += coef
        self._weights = np.abs(state.dual)
        self._multipliers = None if state.pool is None else self._weights
        return None

    @property
    def influence_(self) -> Array:
        """Influence of each example: its weight over the rounds, averaged by coefficient."""
        if self._multipliers is not None:
            return self._multipliers
        return self._exposure / (self._l1_norm or 1.0)

    @property
    def average_weights_(self) -> Array:
        """Weight of each example, averaged over the rounds."""
        return self._sum / max(self.n_rounds_, 1)
