"""RankBoost for two classes: positive rows above negative ones (SF-M11).

Problem: scores that put positive rows above negative ones. The ranking loss is the weight of the
pairs (negative, positive) in the wrong order, 1 - AUC with ties counted in full. Its bound is
the exponential loss over pairs,

    Σ_{pairs} D(x0, x1) exp(F(x0) - F(x1)),

which factors: pair weights are products of example weights v ∝ prior exp(-y F), each class with a
total of its own. So RankBoost is boosting with weights that give both classes one half, in every
round. With r the edge under those weights, the step ½ artanh r is the best for outputs ±1 in the
bound

    Z <= (1 + r)/2 e^(-2α) + (1 - r)/2 e^(2α)  = √(1 - r²).

Guarantee: ranking loss ≤ Π Z_t ≤ Π √(1 - r_t²) (Freund et al. 2003, theorem 1).
Certificate: as for AdaBoost, the smallest margin bounds the largest one, ρ*, from below, every
largest edge from above.

Reference: Freund, Iyer, Schapire & Singer, *An efficient boosting algorithm for combining
preferences*, 2003, section 3.2.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from ..core.oracle import Candidate
from ..core.rule import Rule
from ..core.state import State
from ..core.stop import Stop
from ..estimators.classifier import BaseMarginClassifier, document
from ..estimators.constructors import forward
from ..fitting.algorithm import Algorithm
from ..types import Array
from .adaboost import ROUNDING


class RankBoost(Rule):
    """Weights of one half for each class, steps for pairs."""

    def __init__(self) -> None:
        self._log_loss = 0.0

    def start(self, state: State) -> None:
        """Weights that follow the present scores."""
        self._weigh(state)

    def update(self, state: State, found: list[Candidate]) -> Stop | None:
        """Add the best hypothesis; one that orders all pairs right is the whole model."""
        best, before = found[0], self._log_loss
        if best.edge <= ROUNDING:
            state.note(coef=0.0, normaliser=1.0)
            return Stop.NO_EDGE
        perfect = best.edge >= 1.0 and bool((state.sample.y * best.column == 1.0).all())
        if perfect:
            state.restart()
        step = 1.0 if perfect else 0.5 * math.atanh(min(best.edge, 1.0 - ROUNDING))
        state.move(best, step)
        self._weigh(state)
        state.note(coef=step, normaliser=math.exp(self._log_loss - before))
        if perfect:
            state.note(min_margin=state.min_margin, length=1.0, normaliser=0.0)
        return Stop.PERFECT if perfect else None

    def _weigh(self, state: State) -> None:
        """Weights of each class by itself; the loss over pairs is the product of both totals."""
        y, self._log_loss = state.sample.y, 0.0
        outcomes = y * state.scores
        sides = np.unique(y)  # one alone has no pairs, and all the weight
        for side in sides.tolist():
            rows = y == side
            exponent = -outcomes[rows]
            largest = float(exponent.max())
            prior = state.sample.prior[rows]
            weights = prior * np.exp(exponent - largest)
            total = float(weights.sum())
            state.dual[rows] = side * weights / (len(sides) * total)
            self._log_loss += largest + math.log(total / float(prior.sum()))
        if state.l1_norm > 0.0:
            state.min_margin = float(outcomes.min()) / state.l1_norm


def ranking_loss(scores: Array, y: Array, prior: Array | None = None) -> float:
    """Weight of the pairs whose negative row is not below the positive one.

    >>> ranking_loss(np.array([0.0, 1.0, 2.0]), np.array([-1, 1, -1]))
    0.5
    """
    weights = np.ones(len(y)) if prior is None else prior
    above, below = y > 0, y <= 0
    order = np.argsort(scores[below], kind="stable")
    values = scores[below][order]
    totals = np.append(0.0, np.cumsum(weights[below][order]))
    under = totals[np.searchsorted(values, scores[above], side="left")]
    right = float(weights[above] @ under) / float(weights[above].sum() * totals[-1])
    return 1.0 - right


@document
class RankBoostClassifier(BaseMarginClassifier):
    """Boosting for the area under the ROC curve: both classes weigh the same in every round.

    ``decision_function`` ranks rows; with several classes, each is ranked against all others.

    Parameters
    ----------
    estimator : Oracle, scikit-learn estimator or None
        Base learner; None is the exact stump.
    n_estimators : int
        Most rounds.
    tol : float or None
        Stop when the bounds on the largest margin are this close; None never does.
    {common}

    Attributes
    ----------
    {fitted}

    References
    ----------
    Freund, Iyer, Schapire and Singer, *An efficient boosting algorithm for combining preferences*,
    2003.

    Examples
    --------
    >>> from sklearn.metrics import roc_auc_score
    >>> from marginboost import RankBoostClassifier
    >>> from marginboost.datasets import ring
    >>> X, y = ring(200, noise=0.1)
    >>> bool(roc_auc_score(y, RankBoostClassifier().fit(X, y).decision_function(X)) > 0.9)
    True
    """

    __summary__: ClassVar[dict[str, str]] = {
        "problem": "positive rows above negative ones: least exponential loss over pairs",
        "guarantee": "ranking loss ≤ ΠZ ≤ Π√(1 − r²)",
        "reference": "Freund, Iyer, Schapire & Singer 2003",
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 50,
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

    def _algorithm(self) -> Algorithm:
        """Make the algorithm that the parameters mean."""
        return self._make_algorithm(lambda problem, chosen: RankBoost())
