"""Barrier-Regression: the ν-tube by an exponential barrier (R2-A12, R2-C23; Alg. 5.10).

The problem of LPBoostRegressor with ν, of which the barrier at temperature β, with slacks
eliminated (5.36, 5.37), is

    C Σα + (β/N) Σ_i [log(1 + exp((δ_i - ε)/β)) + log(1 + exp((-δ_i - ε)/β))] + ν ε,   δ = y - F - b

and whose weights are d_i = (1/N) [σ((δ_i - ε)/β) - σ((-δ_i - ε)/β)]. The printed algorithm has the
other sign and no 1/N, and ends away from the optimum (R2-X4). b and ε are eliminated; ε >= 0 then
holds by itself, so its barrier is left out. β falls when no edge misses the price by β times it.

Certificate: bounds on 1 - P / P(0), P the objective of the linear program, from below by the
combination, from above by its weights, balanced and stretched as far as box, ν and price allow.
Rate: converges for finitely many hypotheses as β → 0; none is claimed.

References: Rätsch 2001, section 5.4.3; Rätsch et al., *Barrier boosting*, 2000.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from ..core.objective import Objective, TubeShare
from ..core.oracle import Candidate
from ..core.sample import Sample
from ..core.state import State
from ..core.stop import Stop
from ..estimators.constructors import forward
from ..estimators.regressor import BaseBoostRegressor, document
from ..fitting.algorithm import Algorithm, Outcome
from ..losses import EpsilonInsensitive
from ..solvers.intercept_loss import TubeBarrier
from ..solvers.masters.tube import NuTube
from ..solvers.penalised_loss import PenalisedLoss
from ..types import Array
from ..validation import Constraints, Number
from .barrier_boost import FACTORS
from .l1_leveraging import COLUMNS
from .leveraging_regressor import TargetLeveraging, unit_of_targets
from .lpboost_regressor import SCALES

COLDEST = 1e-6
"""Temperature, in units of the spread, at which the rounded tube is the tube for all purposes."""


class BarrierRegression(TargetLeveraging):
    """Leveraging with a rounded tube whose temperature falls.

    Parameters
    ----------
    price : float
        Price of Σα against the mean cost.
    nu : float
        Share of rows outside of the tube, in (0, 1].
    steps : {"newton", "coordinate"}
        Change all coefficients in a round, or only one.
    beta : float
        First temperature, in units of the targets' spread.
    factor : float or None
        By which it falls, in (0, 1); None is 0.3 for Newton's steps and 0.9 for single ones.
    """

    def __init__(
        self,
        price: float = 0.01,
        nu: float = 0.5,
        steps: str = "newton",
        beta: float = 1.0,
        factor: float | None = None,
    ) -> None:
        super().__init__(EpsilonInsensitive(), None, steps)
        self.price, self.nu, self.beta = price, nu, beta
        self.factor = FACTORS[steps] if factor is None else factor
        self._beta = beta

    @property
    def objective(self) -> Objective:
        """Share of the best constant's cost that is saved."""
        return TubeShare(self.price, nu=self.nu)

    def _make_problems(self, sample: Sample) -> tuple[PenalisedLoss, PenalisedLoss]:
        units = self._units(sample)
        tube = NuTube(units.y, sample.prior, self.price, nu=self.nu)
        self._barrier = TubeBarrier(tube, sample, self._beta)
        return self._barrier, self._barrier

    def _intercept(self, scores: Array) -> float:
        return self._middle + self._unit * self._barrier.intercept(scores)

    def _most_of(self, intercept: float) -> float:
        used = int(np.count_nonzero(self._trial))
        return self._barrier.most(self._scores, float(self._trial.sum()), used)

    def value_of(self, outcomes: Array, l1_norm: float, sample: Sample) -> float:
        """Share that any combination saves, as it is."""
        predicted = (sample.outcomes(outcomes) - self._middle) / self._unit
        return self._saved(self._barrier.most_as_is(predicted, l1_norm / self._unit))

    def mean_loss(self, truth: Array, scores: Array, weights: Array | None = None) -> float:
        """Mean absolute residual of other rows."""
        return float(np.average(np.abs(truth - scores), weights=weights))

    def width(self, residuals: Array) -> float:
        """Half width of the tube around predictions."""
        return self._barrier.tube.width_at(residuals / self._unit) * self._unit

    def update(self, state: State, found: list[Candidate]) -> Stop | None:
        """Change coefficients; stop where the problem has become the linear one."""
        stop = super().update(state, found)
        state.note(loss=(1.0 - self._value) * self._empty * self._unit)
        return Stop.GAP if self._beta < COLDEST else stop

    def _cool(self, violation: float) -> bool:
        """Lower the temperature when the optimum at the present one is near (step d)."""
        if violation >= self._beta * self.price:
            return False
        self._beta *= self.factor
        self._barrier.beta = self._beta
        return True

    def _accuracy(self, violation: float) -> float:
        """A tenth of the violation, or of what the temperature asks for."""
        return 0.1 * max(violation, self._beta * self.price)

    def get_state(self) -> dict[str, Any]:
        """Return coefficients and temperature."""
        return {**super().get_state(), "beta": self._beta}

    def set_state(self, saved: dict[str, Any]) -> None:
        """Take them back."""
        super().set_state(saved)
        self._beta = float(saved["beta"])


@document
class BarrierBoostRegressor(BaseBoostRegressor):
    """Robust regression with a tube by a barrier method, to a proven gap.

    The same problem as :class:`~marginboost.LPBoostRegressor` with ν; no linear program is solved.

    Parameters
    ----------
    estimator : Oracle, scikit-learn estimator or None
        Base learner; None is the exact stump, with which the bounds are proven.
    n_estimators : int
        Most rounds; the run normally ends earlier, when the gap is closed.
    nu : float
        Share of rows that are to lie outside of the tube, in (0, 1].
    C : float
        What the loss weighs against Σα, see ``C_scale``.
    C_scale : {"loss", "regularizer"}
        Whether C multiplies the mean loss, so that a larger C is a finer model, or Σα.
    steps : {"newton", "coordinate"}
        Change all coefficients in a round, or only the one that is furthest from its best value.
    beta : float
        First temperature of the barrier, in units of the targets' spread.
    factor : float or None
        By which it falls, in (0, 1); None is 0.3 for Newton's steps and 0.9 for single ones.
    tol : float or None
        Gap at which to stop, as share of the best constant's cost.
    {common}

    Attributes
    ----------
    epsilon_ : float
        Half width of the tube around the predictions.
    spread_ : float
        Median distance of the targets from their median.
    {fitted}

    References
    ----------
    Rätsch, *Robust Boosting via Convex Optimization*, 2001, section 5.4.3.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from marginboost import BarrierBoostRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = BarrierBoostRegressor().fit(X, y)
    >>> bool(model.certificate_.gap <= 1e-3)
    True
    """

    __capabilities__: ClassVar[dict[str, bool]] = {"explains": False}
    __summary__: ClassVar[dict[str, str]] = {
        "problem": "the ν-tube plus Σα / C, by a barrier whose temperature falls",
        "guarantee": "converges; solved to a certified gap",
        "reference": "Rätsch 2001, Alg. 5.10",
    }
    __constraints__: ClassVar[Constraints] = {
        "nu": Number(above=0.0, at_most=1.0),
        "C": Number(above=0.0),
        "C_scale": SCALES,
        "steps": tuple(COLUMNS),
        "beta": Number(above=0.0),
        "factor": Number(above=0.0, below=1.0, optional=True),
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 1000,
        nu: float = 0.5,
        C: float = 50.0,
        C_scale: str = "loss",
        steps: str = "newton",
        beta: float = 1.0,
        factor: float | None = None,
        tol: float | None = 1e-3,
        max_bins: int | None = 255,
        categorical_features: Any = "from_dtype",
        callbacks: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        forward(super().__init__, locals())
        self.nu = nu
        self.C = C
        self.C_scale = C_scale
        self.steps = steps
        self.beta = beta
        self.factor = factor

    def _algorithm(self) -> Algorithm:
        """Make the algorithm that the parameters mean."""
        price = 1.0 / self.C if self.C_scale == "loss" else self.C
        settings = price, self.nu, self.steps, self.beta, self.factor

        def width(outcome: Outcome) -> dict[str, Any]:
            sample, rule = outcome.run.sample, BarrierRegression(*settings)
            rule.start(State(sample))
            return {"epsilon_": rule.width(sample.y - outcome.run.scores)}

        return self._make_algorithm(
            lambda problem, chosen: BarrierRegression(*settings),
            choose=lambda problem, oracle: unit_of_targets(problem.sample),
            facts=width,
            chosen_names=("epsilon_", "spread_"),
        )
