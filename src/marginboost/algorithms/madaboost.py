"""MadaBoost: AdaBoost whose weights may fall but never rise above the prior.

Problem: minimise, one hypothesis per round, the loss that is exponential for examples on the right
side and linear for those on the wrong one (p the prior weights, 1/N without sample_weight),

    L(α) = Σ_i p_i ℓ(y_i F(x_i)),    ℓ(z) = exp(-z) for z >= 0,  1 - z for z < 0.

Its slopes are the weights: d_i ∝ p_i min(1, exp(-y_i F(x_i))). An example that is never classified
right, such as a mislabelled one, keeps its prior; AdaBoost would raise its weight for ever.

Steps are AdaBoost's, artanh of the edge γ. As ℓ(z + a) <= ℓ(z) + min(1, exp(-z)) (exp(-a) - 1) for
all z and a, a round lowers L by at least W (1 - √(1 - γ²)), where W = Σ p min(1, exp(-y F)) is the
share of weight that is left; real-valued hypotheses included.

Certificate: as for AdaBoost, the smallest margin bounds the largest one, ρ*, from below, every
largest edge from above.
Rate: training error <= W <= L <= 1, and Σ_t W_t (1 - √(1 - γ_t²)) <= 1 - L. So W, and the training
error, is at most κ after 2 / (κ γ²) rounds with edges of at least γ. Until then no weight exceeds
p / κ: weights are smooth.

Reference: Domingo & Watanabe, *MadaBoost: a modification of AdaBoost*, 2000.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar

from ..core.oracle import Candidate
from ..core.state import State
from ..core.stop import Stop
from ..duals.capped_exponential import CappedExponentialWeights
from ..estimators.classifier import BaseMarginClassifier, document
from ..estimators.constructors import forward
from ..fitting.algorithm import Algorithm
from ..model import LogisticLink
from ..solvers import rounding
from ..validation import Constraints, Number
from .adaboost import ROUNDING, AdaBoost


class MadaBoost(AdaBoost):
    """AdaBoost with weights capped by the prior.

    Parameters
    ----------
    kappa : float
        κ, in [0, 1): the run ends when the share of weight left is at most this; 0 for never.
    """

    on_parts = True

    def __init__(self, kappa: float = 0.0) -> None:
        super().__init__(step="closed")
        self.kappa = kappa
        self._capped = CappedExponentialWeights()

    def start(self, state: State) -> None:
        """Weights that follow the present scores."""
        self._capped.refresh(state)

    def value(self, state: State) -> float:
        """Smallest margin, less what sums of its terms may have rounded."""
        return state.min_margin - 8 * max(state.size - 1, 0) * rounding.ROUNDING

    def upper(self, state: State, edge: float) -> float:
        """Largest edge that may exist; no margin is above 1."""
        return min(rounding.steepest(edge, 1.0, state.sample.n_rows), 1.0)

    def update(self, state: State, found: list[Candidate]) -> Stop | None:
        """Add the best hypothesis with AdaBoost's coefficient."""
        best = found[0]
        if best.edge <= ROUNDING:
            state.note(coef=0.0, normaliser=1.0)
            return Stop.NO_EDGE
        _, step = self._steps(state, best, 0.0)
        if math.isinf(step):
            return self._take_alone(state, best, 0.0)
        before = self._capped.log_share
        self._capped.move(state, best, step)
        state.note(coef=step, normaliser=math.exp(self._capped.log_share - before))
        enough = self.kappa > 0.0 and self._capped.log_share <= math.log(self.kappa)
        return Stop.TARGET if enough else None


def rounds_needed(kappa: float, edge: float) -> int:
    """Rounds within which the training error is at most κ, if every edge is at least ``edge``.

    >>> rounds_needed(0.1, 0.2)
    500
    """
    return math.ceil(2.0 / (kappa * edge**2))


@document
class MadaBoostClassifier(BaseMarginClassifier):
    """AdaBoost that does not chase rows it cannot get right.

    Probabilities use the link of its loss, ``P(second) = 1 / (1 + exp(-F))``.

    Parameters
    ----------
    estimator : Oracle, scikit-learn estimator or None
        Base learner; None is the exact stump.
    n_estimators : int
        Most rounds.
    kappa : float
        Stop when the share of weight that is left, which bounds the training error, is at most
        this, in [0, 1). Until then no row weighs more than 1 / (κ N). 0 never stops.
    tol : float or None
        Stop when the bounds on the largest margin are this close; None never does.
    {common}

    Attributes
    ----------
    {fitted}

    References
    ----------
    Domingo and Watanabe, *MadaBoost: a modification of AdaBoost*, COLT 2000.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from marginboost import MadaBoostClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = MadaBoostClassifier(n_estimators=500, kappa=0.03).fit(X, y)
    >>> print(model.stop_reason_, bool(model.score(X, y) >= 0.97))
    target margin True
    """

    __capabilities__: ClassVar[dict[str, bool]] = {"rows_in_parts": True}
    __summary__: ClassVar[dict[str, str]] = {
        "problem": "minimise a loss that is linear where examples are wrong: capped weights",
        "guarantee": "training error ≤ κ in 2 / (κ γ²) rounds; until then no row above 1 / (κ N)",
        "reference": "Domingo & Watanabe 2000",
    }
    __constraints__: ClassVar[Constraints] = {"kappa": Number(at_least=0.0, below=1.0)}

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 50,
        kappa: float = 0.0,
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

    def _algorithm(self) -> Algorithm:
        """Make the algorithm that the parameters mean."""
        return self._make_algorithm(
            lambda problem, chosen: MadaBoost(self.kappa), link=LogisticLink(1.0)
        )
