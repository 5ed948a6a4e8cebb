"""SmoothBoost: margins above θ for all but a share κ of the examples, by smooth weights.

Problem: a plain vote F = Σ_t h_t of T hypotheses with a small margin error,

    Σ { p_i : y_i F(x_i) / T <= θ } < κ      (p the prior weights, 1/N without sample_weight),

reached through weights that never let an example count for more than 1/κ times its prior: under
malicious or mislabelled examples the base learner still sees mostly the others.

Weights: an example keeps its prior while its margin is at most θ and decays slowly above,
d_i ∝ p_i M_i with M_i = min(1, (1 - γ)^((y_i F(x_i) - θ t) / 2)). The run ends when the share Σ p M
is below κ: each example at or below θ has M = 1, so they are fewer than κ. Until then d <= p / κ.

Certificate: as for AdaBoost, the smallest margin bounds the largest one, ρ*, from below, every
largest edge from above.
Rate: if every edge is at least 2γ and θ = γ / (2 + γ), fewer than 2 / (κ γ² √(1 - γ)) rounds. Here
γ is half of an edge: the advantage over guessing, as in the paper.

Reference: Servedio, *Smooth boosting and learning with malicious noise*, 2003, figure 1, theorems
1 to 3.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar

from ..core.oracle import Candidate
from ..core.rule import Rule
from ..core.state import State
from ..core.stop import Stop
from ..duals.capped_exponential import CappedExponentialWeights
from ..estimators.classifier import BaseMarginClassifier, document
from ..estimators.constructors import forward
from ..fitting.algorithm import Algorithm
from ..model import VoteLink
from ..validation import Constraints, Number, check_number


class SmoothBoost(Rule):
    """One vote per hypothesis, smooth weights.

    Parameters
    ----------
    kappa : float
        κ, in (0, 1): share of weight that may end at or below the target margin.
    edge : float
        2γ, in (0, 1): an edge that the base learner always reaches.
    target_margin : float, optional
        θ, in [0, γ]; None is γ / (2 + γ), for which the number of rounds is bounded.
    """

    on_parts = True

    def __init__(
        self, kappa: float = 0.1, edge: float = 0.2, target_margin: float | None = None
    ) -> None:
        self.kappa = kappa
        self.edge = edge
        self.target_margin = target_margin
        advantage = edge / 2.0
        theta = advantage / (2.0 + advantage) if target_margin is None else target_margin
        self._weights = CappedExponentialWeights(-0.5 * math.log1p(-advantage), theta)

    def start(self, state: State) -> None:
        """Weights that follow the present scores."""
        self._weights.refresh(state)

    def update(self, state: State, found: list[Candidate]) -> Stop | None:
        """Give the hypothesis one vote; stop when too little weight is left."""
        if found[0].edge <= 0.0:
            state.note(coef=0.0, normaliser=1.0)
            return Stop.NO_EDGE
        before = self._weights.log_share
        self._weights.move(state, found[0], 1.0)
        change = math.exp(self._weights.log_share - before)
        state.note(target=self._weights.target, coef=1.0, normaliser=change)
        return Stop.TARGET if self._weights.log_share < math.log(self.kappa) else None


def rounds_needed(kappa: float, edge: float) -> int:
    """Rounds within which all but a share κ of the examples are above the target margin.

    >>> rounds_needed(0.1, 0.2)
    2109
    """
    advantage = edge / 2.0
    return math.ceil(2.0 / (kappa * advantage**2 * math.sqrt(1.0 - advantage)))


@document
class SmoothBoostClassifier(BaseMarginClassifier):
    """Boosting for noisy labels: no row ever weighs more than 1 / (κ N).

    The model is a plain vote: all coefficients are 1. ``predict_proba`` is the share of votes.

    Parameters
    ----------
    estimator : Oracle, scikit-learn estimator or None
        Base learner; None is the exact stump.
    n_estimators : int or None
        Most rounds; None is the number that the guarantee needs, 2109 for the defaults. The run
        ends earlier when all but a share ``kappa`` of the rows have reached the target margin.
    kappa : float
        Share of the rows that may end at or below the target margin, in (0, 1). Choose it above
        the share of wrong labels.
    edge : float
        An edge that the base learner reaches under all smooth weights, in (0, 1): twice its
        advantage over guessing. If it is chosen too large there is no guarantee; if it is chosen
        small more rounds are needed.
    target_margin : float or None
        Margin aimed at, from 0 to half of ``edge``; None is the one of the guarantee,
        edge / (4 + edge).
    tol : float or None
        Stop when the bounds on the largest margin are this close; None never does.
    {common}

    Attributes
    ----------
    {fitted}

    References
    ----------
    Servedio, *Smooth boosting and learning with malicious noise*, JMLR 4, 2003.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from marginboost import SmoothBoostClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = SmoothBoostClassifier(kappa=0.1).fit(X, y)
    >>> bool((model.margins_ <= 0.2 / 4.2).mean() < 0.1)
    True
    """

    __capabilities__: ClassVar[dict[str, bool]] = {"rows_in_parts": True}
    __summary__: ClassVar[dict[str, str]] = {
        "problem": "margins above θ for all but a share κ, no row above 1 / (κ N)",
        "guarantee": "reached in 2 / (κ γ² √(1 − γ)) rounds if edges are at least 2γ",
        "reference": "Servedio 2003",
    }
    __constraints__: ClassVar[Constraints] = {
        "n_estimators": Number(at_least=1, integer=True, optional=True),
        "kappa": Number(above=0.0, below=1.0),
        "edge": Number(above=0.0, below=1.0),
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int | None = 500,
        kappa: float = 0.1,
        edge: float = 0.2,
        target_margin: float | None = None,
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
        self.kappa = kappa
        self.edge = edge
        self.target_margin = target_margin

    def _algorithm(self) -> Algorithm:
        """Check the parameters, and make the algorithm that they mean."""
        if self.target_margin is not None:
            half = self.edge / 2.0
            check_number("target_margin", self.target_margin, at_least=0.0, at_most=half)
        return self._make_algorithm(
            lambda problem, chosen: SmoothBoost(self.kappa, self.edge, self.target_margin),
            rounds=self.n_estimators or rounds_needed(self.kappa, self.edge),
            link=VoteLink(),
        )
