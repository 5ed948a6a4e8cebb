"""SoftBoost: the largest soft margin by projections onto all edges at once.

Problem: the largest soft margin, as in LPBoost (prior weights p, ν in (0, 1]),

    max_{α, ρ, ξ}  ρ - (1/ν) Σ_i p_i ξ_i   s.t.  y_i F(x_i) >= ρ - ξ_i,  Σα = 1,  α, ξ >= 0.

Every edge of an exact base learner is at least the value ρ* of this program. So each round takes
the smallest edge so far, γ̂, asks that all hypotheses found have edges of at most γ̂ - δ, where δ is
the accuracy, and projects the prior onto those weights:

    min_d  Δ(d, p)   s.t.  Σ_i d_i y_i h_t(x_i) <= γ̂ - δ for all t,  Σ d = 1,  0 <= d_i <= p_i / ν.

When there are no such weights any more, ρ* over the hypotheses found exceeds γ̂ - δ, and the run
ends. The multipliers that prove it are, normalised, a combination with such a soft margin: the
model. (The paper solves a linear program over the hypotheses at this point instead.)

Certificate: γ̂ above, the best soft margin of the normalised multipliers below, in every round.
Rate: the bounds are within δ after ⌈2 ln(1/ν) / δ²⌉ rounds (the paper's N/ν is 1/ν here): every
projection moves the weights further from the prior by at least δ²/2, and ln(1/ν) is the farthest.

Reference: Warmuth, Glocer & Rätsch, *Boosting algorithms for maximizing the soft margin*, 2007.
"""

from __future__ import annotations

from typing import ClassVar

from ..core.state import State
from ..core.stop import Stop
from ..estimators.classifier import document
from ..fitting.algorithm import Algorithm
from ._totally_corrective import SoftMarginClassifier, TotallyCorrective
from .adaboost_star import rounds_needed


class SoftBoost(TotallyCorrective):
    """Weights nearest to the prior that hold all edges below the best one seen.

    Parameters
    ----------
    nu : float or None
        Share of weight that may fall short, in (0, 1]; None is the hard margin (TotalBoost).
    accuracy : float
        δ, in (0, 1): how far below the best soft margin that of the model may be.
    """

    def __init__(self, nu: float | None = 0.3, accuracy: float = 0.02) -> None:
        super().__init__(nu, accuracy)

    def _correct(self, state: State, n_new: int) -> Stop | None:
        """Project; the upper bound of the state is the smallest edge."""
        bound = state.upper - self.accuracy
        state.note(target=bound)
        self._multipliers, feasible = self._solver.project(self._multipliers, bound)
        return None if feasible else Stop.GAP


@document
class SoftBoostClassifier(SoftMarginClassifier):
    """Soft-margin boosting by entropy projections, with a bound on the number of rounds.

    Parameters
    ----------
    estimator : Oracle, scikit-learn estimator or None
        Base learner; None is the exact stump, with which the bounds are proven.
    n_estimators : int or None
        Most rounds; None is the number that the guarantee needs, 2 ln(1/ν) / accuracy². The run
        normally ends much earlier, when the gap is closed.
    nu : float
        Share of the rows that may fall short of the margin, from 1/N to 1: no row weighs more than
        1 / (ν N). Choose it above the share of wrong labels.
    accuracy : float
        How far below the best soft margin that of the model may be, in (0, 1). The run ends there:
        no smaller gap is sought.
    tol : float or None
        Gap at which to stop earlier; None stops at ``accuracy``.
    {common}

    Attributes
    ----------
    rho_ : float
        The margin ρ that all rows without slack attain.
    {fitted}

    References
    ----------
    Warmuth, Glocer and Rätsch, *Boosting algorithms for maximizing the soft margin*, NIPS 2007.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from marginboost import SoftBoostClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = SoftBoostClassifier(nu=0.1).fit(X, y)
    >>> bool(model.certificate_.gap <= 0.02)
    True
    """

    __summary__: ClassVar[dict[str, str]] = {
        "problem": "largest soft margin, by projecting the prior onto small edges",
        "guarantee": "soft margin ≥ best − δ in 2 ln(1/ν) / δ² rounds; gap certified",
        "reference": "Warmuth, Glocer & Rätsch 2007",
    }

    def _algorithm(self) -> Algorithm:
        """Make the algorithm that the parameters mean."""
        return self._totally_corrective(
            lambda problem, chosen: SoftBoost(self.nu, self.accuracy),
            lambda sample: rounds_needed(1.0 / self.nu, self.accuracy),
        )
