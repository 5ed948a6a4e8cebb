"""ERLPBoost: the soft-margin linear program with a relative entropy that keeps weights calm.

Problem: the largest soft margin, as in LPBoost (prior weights p, ν in (0, 1]),

    max_{α, ρ, ξ}  ρ - (1/ν) Σ_i p_i ξ_i   s.t.  y_i F(x_i) >= ρ - ξ_i,  Σα = 1,  α, ξ >= 0.

LPBoost's weights jump from corner to corner of the dual. Here every round minimises, over the
hypotheses found so far, the largest edge plus a little relative entropy to the prior,

    min_d  max_t Σ_i d_i y_i h_t(x_i) + Δ(d, p) / η   s.t.  Σ d = 1,  0 <= d_i <= p_i / ν,

with η = max(2 ln(1/ν) / ε, 1/2), where ε is the accuracy asked for. The dual of that is a smoothed
soft margin over combinations α, at most Δ/η <= ε/2 above the soft margin itself; so the α that
solves it comes with every round, and no linear program is needed at the end.

Certificate: the largest edge under d above, the soft margin of α below, in every round.
Rate: the bounds are within ε after ⌈max(32 ln(1/ν) / ε², 8 / ε)⌉ rounds (the paper writes N/ν for
our 1/ν). LPBoost, which is η = ∞, may need of the order of N.

Reference: Warmuth, Glocer & Vishwanathan, *Entropy regularized LPBoost*, 2008, theorem 1.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar

from ..core.state import State
from ..core.stop import Stop
from ..estimators.classifier import document
from ..estimators.constructors import forward
from ..fitting.algorithm import Algorithm
from ..validation import Constraints
from ._totally_corrective import SoftMarginClassifier, TotallyCorrective
from .corrective_erlpboost import CorrectiveERLPBoost
from .corrective_erlpboost import rounds_needed as corrective_rounds


class ERLPBoost(TotallyCorrective):
    """Least largest edge, regularised by the relative entropy.

    Parameters
    ----------
    nu : float
        Share of weight that may fall short, in (0, 1].
    accuracy : float
        ε, in (0, 1): how far below the best soft margin that of the model may be.
    """

    def __init__(self, nu: float = 0.3, accuracy: float = 0.02) -> None:
        super().__init__(nu, accuracy)
        self.eta = max(2.0 * math.log(1.0 / nu) / accuracy, 0.5)

    def _correct(self, state: State, n_new: int) -> Stop | None:
        """Solve the regularised problem; without a new hypothesis it is solved for all of them."""
        if not n_new:
            return Stop.NO_EDGE
        if state.size == n_new:
            self._multipliers[0] = self.eta
        self._multipliers = self._solver.regularise(self._multipliers, self.eta)
        return None


def rounds_needed(nu: float, accuracy: float) -> int:
    """Rounds after which the bounds on the soft margin are within the accuracy.

    >>> rounds_needed(0.1, 0.1)
    7369
    """
    return math.ceil(max(32.0 * math.log(1.0 / nu) / accuracy**2, 8.0 / accuracy))


@document
class ERLPBoostClassifier(SoftMarginClassifier):
    """Soft-margin boosting with a certificate and a bound on the number of rounds.

    Solves the problem of :class:`~marginboost.LPBoostClassifier`. Its weights change gently from
    round to round, which LPBoost's do not.

    Parameters
    ----------
    estimator : Oracle, scikit-learn estimator or None
        Base learner; None is the exact stump, with which the bounds are proven.
    n_estimators : int or None
        Most rounds; None is the number that the guarantee needs, 32 ln(1/ν) / accuracy². The run
        normally ends much earlier, when the gap is closed.
    nu : float
        Share of the rows that may fall short of the margin, from 1/N to 1: no row weighs more than
        1 / (ν N). Choose it above the share of wrong labels.
    accuracy : float
        How far below the best soft margin that of the model may be, in (0, 1).
    correction : {"total", "single"}
        Change all coefficients in a round, or blend one hypothesis in: corrective ERLPBoost, whose
        rounds are far cheaper and many more.
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
    Warmuth, Glocer and Vishwanathan, *Entropy regularized LPBoost*, ALT 2008. Shalev-Shwartz and
    Singer, *On the equivalence of weak learnability and linear separability*, 2010.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from marginboost import ERLPBoostClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = ERLPBoostClassifier(nu=0.1).fit(X, y)
    >>> bool(model.certificate_.gap <= 0.02)
    True
    """

    __summary__: ClassVar[dict[str, str]] = {
        "problem": "largest soft margin, weights kept near the prior",
        "guarantee": "soft margin ≥ best − ε in max(32 ln(1/ν) / ε², 8 / ε) rounds; gap certified",
        "reference": "Warmuth, Glocer & Vishwanathan 2008",
    }
    __constraints__: ClassVar[Constraints] = {"correction": ("total", "single")}

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int | None = None,
        nu: float = 0.3,
        accuracy: float = 0.02,
        correction: str = "total",
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
        self.correction = correction

    def _algorithm(self) -> Algorithm:
        """Make the algorithm that the parameters mean."""
        single = self.correction == "single"
        kind = CorrectiveERLPBoost if single else ERLPBoost
        needed = corrective_rounds if single else rounds_needed
        return self._totally_corrective(
            lambda problem, chosen: kind(self.nu, self.accuracy),
            lambda sample: needed(self.nu, self.accuracy),
        )
