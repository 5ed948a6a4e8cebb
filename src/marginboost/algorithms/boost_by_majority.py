"""Boost-by-majority: the best plain vote of T hypotheses of edge 2γ (SF-M13, CH-M2).

Problem: T rounds are given, and a base learner whose edges are never below 2γ. Choose weights such
that the majority of T hypotheses has few errors, without knowing more.

An example that i hypotheses have, of which r right, needs more than T/2 of all T. If every further
hypothesis were right with chance ½ + γ, its weight is the chance that it is decided by the next
one alone:

    w(i, r) = C(T - i - 1, ⌊T/2⌋ - r) (½ + γ)^(⌊T/2⌋ - r) (½ - γ)^(⌈T/2⌉ - i - 1 + r).

Examples that are sure to be right, and those that are lost, weigh nothing: noise is given up.

Guarantee: while edges are at least 2γ, the share of examples whose majority is wrong (or tied) is
at most P(Bin(T, ½ + γ) <= T/2), for hypotheses with outputs -1 and +1; no algorithm can promise
less. An edge below 2γ ends the run.
Certificate: as for AdaBoost, the smallest margin bounds the largest one, ρ*, from below, every
largest edge from above.

References: Freund, *Boosting a weak learning algorithm by majority*, 1995; Schapire & Freund 2012,
chapter 13.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np
from scipy.special import betainc, gammaln

from ..core.oracle import Candidate
from ..core.rule import Rule
from ..core.state import State
from ..core.stop import Stop
from ..estimators.classifier import BaseMarginClassifier, document
from ..estimators.constructors import forward
from ..fitting.algorithm import Algorithm
from ..model import VoteLink
from ..types import Array
from ..validation import Constraints, Number

ROUNDING = 1e-12
"""An edge that falls short by no more than this does so by rounding."""


class BoostByMajority(Rule):
    """One vote per hypothesis; weights by the chance to be decided.

    Parameters
    ----------
    edge : float
        2γ, in (0, 1): an edge that the base learner always reaches.
    n_rounds : int
        T.
    """

    def __init__(self, edge: float = 0.1, n_rounds: int = 40) -> None:
        self.edge = edge
        self.n_rounds = n_rounds

    def start(self, state: State) -> None:
        """Weights that follow the present scores."""
        self._weigh(state)

    def update(self, state: State, found: list[Candidate]) -> Stop | None:
        """Give the hypothesis one vote."""
        if found[0].edge < self.edge - ROUNDING:
            state.note(coef=0.0)
            return Stop.NO_EDGE
        state.move(found[0], 1.0)
        state.note(coef=1.0)
        state.min_margin = float((state.sample.y * state.scores).min()) / state.l1_norm
        return None if state.size < self.n_rounds and self._weigh(state) else Stop.TARGET

    def _weigh(self, state: State) -> bool:
        """Make the weights; False, and the old ones, where no example is open any more."""
        logs = log_weights(
            state.size, state.sample.y * state.scores, self.n_rounds, self.edge / 2.0
        )
        largest = float(logs.max())
        if not math.isfinite(largest):
            return False
        weights = state.sample.prior * np.exp(logs - largest)
        state.dual[:] = state.sample.y * (weights / weights.sum())
        return True


def log_weights(made: int, margins: Array, n_rounds: int, gamma: float) -> Array:
    """Logarithms of the weights after some rounds; minus infinity for examples that are decided.

    ``margins`` are right less wrong votes; between whole numbers the binomial is the smooth one.
    """
    left = n_rounds - made - 1
    needed = n_rounds // 2 - (made + margins) / 2.0
    with np.errstate(divide="ignore", invalid="ignore"):
        choose = gammaln(left + 1) - gammaln(needed + 1) - gammaln(left - needed + 1)
    logs = choose + needed * math.log(0.5 + gamma) + (left - needed) * math.log(0.5 - gamma)
    return np.where((needed > -1.0) & (needed < left + 1.0), logs, -np.inf)


def majority_error(n_rounds: int, edge: float) -> float:
    """Bound on the training error: ``P(Bin(T, (1 + edge) / 2) <= T/2)``.

    >>> majority_error(1, 0.2), round(majority_error(3, 0.2), 6)
    (0.4, 0.352)
    """
    half = n_rounds // 2
    return float(betainc(n_rounds - half, half + 1, (1.0 - edge) / 2.0))


def rounds_needed(error: float, edge: float) -> int:
    """Rounds, an odd number, after which the bound on the training error is at most this.

    >>> rounds_needed(0.1, 0.2)
    41
    """
    n_rounds = 1
    while majority_error(n_rounds, edge) > error:
        n_rounds += 2
    return n_rounds


@document
class BoostByMajorityClassifier(BaseMarginClassifier):
    """Boosting with a plain vote that gives hopeless rows up.

    Parameters
    ----------
    estimator : Oracle, scikit-learn estimator or None
        Base learner; None is the exact stump.
    n_estimators : int
        Rounds T; an odd number leaves no ties.
    edge : float
        Edge, in (0, 1), that the base learner always reaches; the run ends where it does not. Half
        of it is the advantage γ over guessing.
    tol : float or None
        Stop when the bounds on the largest margin are this close; None never does.
    {common}

    Attributes
    ----------
    {fitted}

    References
    ----------
    Freund, *Boosting a weak learning algorithm by majority*, 1995.

    Examples
    --------
    >>> from marginboost import BoostByMajorityClassifier
    >>> from marginboost.datasets import ring
    >>> X, y = ring(200)
    >>> bool(BoostByMajorityClassifier().fit(X, y).score(X, y) > 0.8)
    True
    """

    __summary__: ClassVar[dict[str, str]] = {
        "problem": "a plain vote of T hypotheses of edge 2γ with the least error",
        "guarantee": "training error ≤ P(Bin(T, ½ + γ) ≤ T/2) while edges are at least 2γ",
        "reference": "Freund 1995",
    }
    __constraints__: ClassVar[Constraints] = {"edge": Number(above=0.0, below=1.0)}

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 41,
        edge: float = 0.1,
        tol: float | None = None,
        class_weight: Any = None,
        max_bins: int | None = 255,
        categorical_features: Any = "from_dtype",
        callbacks: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        forward(super().__init__, locals())
        self.edge = edge

    def _algorithm(self) -> Algorithm:
        """Make the algorithm that the parameters mean."""
        edge, rounds = float(self.edge), int(self.n_estimators or 1)
        return self._make_algorithm(
            lambda problem, chosen: BoostByMajority(edge, rounds), link=VoteLink()
        )
