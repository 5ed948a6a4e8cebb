"""C-Bar: the soft-margin linear program by an exponential barrier.

See R2-A6, R2-C9 to R2-C12; Alg. 4.7.

Problem (4.17), with w_i the weight of row i (1 without sample_weight):

    min_{α, ξ >= 0}  C Σα + Σ_i w_i ξ_i   s.t.  y_i F(x_i) >= 1 - ξ_i,   F = Σ_t α_t h_t.

Dual:  max Σ_i d_i   s.t.  0 <= d_i <= w_i,  every edge Σ_i d_i y_i h(x_i) is at most C.

The exponential barrier at temperature β, with the slack eliminated (4.18-4.20), is ℓ1-regularised
leveraging with the hinge smoothed at β. So a round is one of L1Leveraging, wrapper included; β
falls when no edge misses C by β C or more. Weights lie in their box by construction, so no row can
weigh more than its share.

Certificate: bounds are on ``1 - (C Σα + Σ w ξ) / Σ w``, 0 for the empty model, at most 1. From
below by the combination's own slack, from above by its weights, shrunk until their largest edge is
C. Rate: linear at a fixed temperature (Prop. 4.4); converges as β → 0 (Thm 4.3). None over all.

Differences from the printed algorithm: the first weights follow from F = 0, edges carry the label,
a hypothesis found twice has one coefficient, β falls before the step instead of after it, and it is
compared with violations in units of C, so that the number of rows does not matter.

References: Rätsch et al., *Barrier boosting*, 2000; Rätsch 2001, section 4.3.3.
"""

from __future__ import annotations

from typing import Any, ClassVar

from ..core.objective import PricedMargin
from ..core.oracle import Candidate
from ..core.state import State
from ..core.stop import Stop
from ..estimators.classifier import BaseMarginClassifier, document
from ..estimators.constructors import forward
from ..fitting.algorithm import Algorithm
from ..losses import Hinge, Loss, SmoothedHinge
from ..model import VoteLink
from ..validation import Constraints, Number
from .l1_leveraging import COLUMNS, L1Leveraging

COLDEST = 1e-8
"""Temperature below which the smoothed hinge is the hinge but for rounding."""
FACTORS = {"newton": 0.3, "coordinate": 0.9}
"""By how much the temperature falls: a Newton solution follows a longer step."""


class BarrierBoost(L1Leveraging):
    """ℓ1-regularised leveraging with a smoothed hinge whose temperature falls.

    Parameters
    ----------
    C : float or None
        Price of Σα; None is a fiftieth of the sample's weight.
    steps : {"newton", "coordinate"}
        Change all coefficients in a round, or only the one that is furthest from its best value.
    beta : float
        First temperature.
    factor : float or None
        By which it falls, in (0, 1); None is 0.3 for Newton's steps and 0.9 for single ones.
    """

    def __init__(
        self,
        C: float | None = None,
        steps: str = "newton",
        beta: float = 1.0,
        factor: float | None = None,
    ) -> None:
        super().__init__(Hinge(), C, steps)
        self.beta = beta
        self.factor = FACTORS[steps] if factor is None else factor
        self._beta = beta

    @property
    def objective(self) -> PricedMargin:
        """Hinge loss with a price on Σα."""
        return PricedMargin(self.C)

    def _training_loss(self) -> Loss:
        """Hinge at the present temperature."""
        return SmoothedHinge(self._beta)

    def update(self, state: State, found: list[Candidate]) -> Stop | None:
        """Change coefficients; stop where the problem has become the linear one."""
        stop = super().update(state, found)
        return Stop.GAP if self._beta < COLDEST else stop

    def _cool(self, violation: float) -> bool:
        """Lower the temperature when the optimum at the present one is near (step h)."""
        if violation >= self._beta * self._problem.price:
            return False
        self._beta *= self.factor
        self._problem.loss = self._training_loss()
        return True

    def _accuracy(self, violation: float) -> float:
        """A tenth of the violation, or of what the temperature asks for."""
        return 0.1 * max(violation, self._beta * self._problem.price)

    def get_state(self) -> dict[str, Any]:
        """Return coefficients and temperature."""
        return {**super().get_state(), "beta": self._beta}

    def set_state(self, saved: dict[str, Any]) -> None:
        """Take them back."""
        super().set_state(saved)
        self._beta = float(saved["beta"])


@document
class BarrierBoostClassifier(BaseMarginClassifier):
    """Soft-margin boosting by a barrier method: hinge loss plus C Σα, to a proven gap.

    The same problem as :class:`~marginboost.LPBoostClassifier` with another knob: C, the price of
    coefficients, in place of ν, the share of rows that may fall short. No linear program is solved,
    and the cost of a round grows with the rows near the margin only.

    Parameters
    ----------
    estimator : Oracle, scikit-learn estimator or None
        Base learner; None is the exact stump, with which the bounds are proven.
    n_estimators : int
        Most rounds; the run normally ends earlier, when the gap is closed.
    C : float or None
        Price of Σα against the sum of all slacks. The larger, the fewer hypotheses; from the
        weighted edge of the first one on, none. Sensible values grow with the number of rows N:
        0.001 N to 0.1 N. None is N / 50, with weights of rows counted.
    steps : {"newton", "coordinate"}
        Change all coefficients in a round, or only the one that is furthest from its best value:
        the thesis's algorithm, which needs many more and cheaper rounds.
    beta : float
        First temperature of the barrier, in units of the margin.
    factor : float or None
        By which it falls, in (0, 1); None is 0.3 for Newton's steps and 0.9 for single ones.
    tol : float or None
        Gap at which to stop.
    {common}

    Attributes
    ----------
    {fitted}

    References
    ----------
    Rätsch, Warmuth, Mika, Onoda, Lemm and Müller, *Barrier boosting*, 2000. Rätsch, *Robust
    Boosting via Convex Optimization*, 2001, section 4.3.3.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from marginboost import BarrierBoostClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = BarrierBoostClassifier().fit(X, y)
    >>> bool(model.certificate_.gap <= 1e-3)
    True
    """

    __summary__: ClassVar[dict[str, str]] = {
        "problem": "least hinge loss plus C Σα, by a barrier whose temperature falls",
        "guarantee": "converges; solved to a certified gap; no row weighs more than its share",
        "reference": "Rätsch et al. 2000; Rätsch 2001, Alg. 4.7",
    }
    __constraints__: ClassVar[Constraints] = {
        "C": Number(above=0.0, optional=True),
        "steps": tuple(COLUMNS),
        "beta": Number(above=0.0),
        "factor": Number(above=0.0, below=1.0, optional=True),
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 1000,
        C: float | None = None,
        steps: str = "newton",
        beta: float = 1.0,
        factor: float | None = None,
        tol: float | None = 1e-3,
        class_weight: Any = None,
        max_bins: int | None = 255,
        categorical_features: Any = "from_dtype",
        callbacks: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        forward(super().__init__, locals())
        self.C = C
        self.steps = steps
        self.beta = beta
        self.factor = factor

    def _algorithm(self) -> Algorithm:
        """Make the algorithm that the parameters mean."""
        return self._make_algorithm(
            lambda problem, chosen: BarrierBoost(self.C, self.steps, self.beta, self.factor),
            link=VoteLink(),
        )
