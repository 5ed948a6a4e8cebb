"""Regularised leveraging of numbers, any strictly convex loss (R2-A11, R2-P1; Alg. 5.9).

Problem, with w_i the weight of row i, targets in units of their spread and a free intercept b:

    min_{α >= 0, b}  P = C Σα + Σ_i w_i φ(y_i - F(x_i) - b),   F = Σ_t α_t h_t           (eq. 5.34)
    dual:  max_d Σ y d - Σ w φ*(d / w)   s.t.  Σd = 0,  every edge Σ d h(x) is at most C  (eq. 5.18)

A round asks for the hypotheses of largest edge under d = w φ'(r) and finds a φ-minimiser over all
found so far: coefficients at which no derivative is larger than a tenth of the present violation,
the rule (5.35) with Φ = 0.1. The intercept is eliminated, so Σd = 0 always.

Certificate: bounds on 1 - P / P(0), the share of the best constant's loss that is saved, from below
by the combination, from above by its weights, shrunk until their largest edge is C.
Rate: limit points are optimal (Thm 5.8); linear for finitely many hypotheses.

Named case: the squared loss makes the LASSO over the hypotheses.

References: Rätsch 2001, section 5.4.2; Tibshirani 1996.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from ..core.ensemble import Ensemble
from ..core.hypothesis import Hypothesis
from ..core.objective import CentredLoss, Objective
from ..core.oracle import Candidate
from ..core.sample import Sample
from ..core.state import State
from ..core.stop import Stop
from ..estimators.constructors import forward
from ..estimators.regressor import BaseBoostRegressor, document
from ..fitting.algorithm import Algorithm, Choice
from ..losses import Loss, ResidualLoss, as_loss
from ..oracles.tree_hypothesis import constant_candidate, norm_without_constant
from ..solvers.intercept_loss import InterceptLoss
from ..solvers.penalised_loss import PenalisedLoss
from ..types import Array
from ..validation import Constraints, Number
from .gradient_boost_regressor import check_spread, spread
from .l1_leveraging import COLUMNS, L1Leveraging


class TargetLeveraging(L1Leveraging):
    """Minimise a loss of residuals plus C Σα, with a free intercept as first member.

    Parameters
    ----------
    loss : Loss or str
        Convex and smooth, of residuals in units of the targets' spread.
    C : float or None
        Price of Σα; None is a fiftieth of the sample's weight.
    steps : {"newton", "coordinate"}
        Change all coefficients in a round, or only the one that is furthest from its best value.
    """

    def __init__(
        self, loss: Loss | str = "huber", C: float | None = None, steps: str = "newton"
    ) -> None:
        super().__init__(loss, C, steps)

    @property
    def objective(self) -> Objective:
        """Loss with a price on Σα and a free intercept."""
        return CentredLoss(self.C, self.loss)

    def start(self, state: State) -> None:
        """Begin with the best constant, or take up a run."""
        y = state.sample.y.astype(np.float64)
        self._unit = spread(y, state.sample.prior)
        self._middle = float(np.median(y))
        fresh = not state.members
        super().start(state)
        if fresh:
            state.move(constant_candidate(len(y)), self._intercept(np.zeros(len(y))))

    def _units(self, sample: Sample) -> Sample:
        """Return the sample with targets in units of their spread."""
        return replace(sample, y=(sample.y.astype(np.float64) - self._middle) / self._unit)

    def _make_problems(self, sample: Sample) -> tuple[PenalisedLoss, PenalisedLoss]:
        objective = self.objective
        assert isinstance(objective, CentredLoss)
        price = objective.price(sample.total)
        problem = InterceptLoss(self.loss, price, self._units(sample))
        self._plain = PenalisedLoss(self.loss, price, self._units(sample))
        return problem, problem

    def _intercept(self, scores: Array) -> float:
        """Best intercept for scores in units, in those of the targets."""
        problem = self._exact
        assert isinstance(problem, InterceptLoss)
        return self._middle + self._unit * problem.intercept(scores)

    def _priced_members(self, state: State) -> list[Hypothesis]:
        return state.members[1:]

    def norm(self, ensemble: Ensemble) -> float:
        """Σα of all hypotheses but the intercept."""
        return norm_without_constant(ensemble)

    def value_of(self, outcomes: Array, l1_norm: float, sample: Sample) -> float:
        """Share of the best constant's loss that any combination saves, as it is."""
        predicted = (sample.outcomes(outcomes) - self._middle) / self._unit
        return self._saved(self._plain.most(predicted, l1_norm / self._unit))

    def mean_loss(self, truth: Array, scores: Array, weights: Array | None = None) -> float:
        """Mean loss of other rows."""
        losses = self.loss.value((truth - scores) / self._unit)
        return float(np.average(losses, weights=weights))

    def update(self, state: State, found: list[Candidate]) -> Stop | None:
        """Change coefficients; a constant target leaves nothing to do."""
        stop = super().update(state, found) if self._least > 0.0 else Stop.NO_EDGE
        state.note(loss=(1.0 - self._value) * self._empty / state.sample.total)
        return stop

    def _accept(self, state: State) -> None:
        whole = np.append(self._intercept(self._scores), self._unit * self._trial)
        value = self._saved(self._most_of(float(whole[0])))
        if value > self._value:
            self._value = value
            state.replace(whole, self._vote_of(state, whole))

    def _most_of(self, intercept: float) -> float:
        """Most that the loss is of the coefficients at work with an intercept, as it is kept."""
        used = int(np.count_nonzero(self._trial))
        centred = self._scores + (intercept - self._middle) / self._unit
        return self._plain.most(centred, float(self._trial.sum()), used)

    def _vote_of(self, state: State, whole: Array) -> Array:
        assert state.pool is not None
        return whole[0] + state.pool.combine(whole[1:])

    def _vote_again(self, state: State) -> None:
        state.scores[:] = self._vote_of(state, np.array(state.coef))


@document
class LeveragingRegressor(BaseBoostRegressor):
    """Any smooth convex loss of residuals plus C Σα, minimised to a proven gap.

    Parameters
    ----------
    estimator : Oracle, scikit-learn estimator or None
        Base learner; None is the exact stump, with which the bounds are proven.
    n_estimators : int
        Most rounds; the run normally ends earlier, when the gap is closed.
    loss : str or Loss
        "huber", "squared" (the LASSO over hypotheses), "log-cosh", "epsilon-insensitive",
        "quantile" or a convex and smooth :class:`~marginboost.losses.ResidualLoss` with settings of
        its own, in units of the targets' median distance from their median.
    C : float or None
        Price of Σα against the sum of all losses, both in units of the targets' spread. The larger,
        the fewer hypotheses. Sensible values grow with the number of rows N: 0.001 N to 0.1 N. None
        is N / 50, with weights of rows counted.
    steps : {"newton", "coordinate"}
        Change all coefficients in a round, or only the one that is furthest from its best value.
    tol : float or None
        Gap at which to stop, as share of the best constant's loss.
    {common}

    Attributes
    ----------
    spread_ : float
        Unit of the loss: median distance of the targets from their median.
    {fitted}

    References
    ----------
    Rätsch, *Robust Boosting via Convex Optimization*, 2001, section 5.4.2.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from marginboost import LeveragingRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = LeveragingRegressor(loss="log-cosh").fit(X, y)
    >>> bool(model.certificate_.gap <= 1e-3)
    True
    """

    __capabilities__: ClassVar[dict[str, bool]] = {"explains": False}
    __summary__: ClassVar[dict[str, str]] = {
        "problem": "least convex loss of the residual plus C Σα, free intercept",
        "guarantee": "solved to a certified gap; the squared loss makes the LASSO",
        "reference": "Rätsch 2001, Alg. 5.9",
    }
    __constraints__: ClassVar[Constraints] = {
        "C": Number(above=0.0, optional=True),
        "steps": tuple(COLUMNS),
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 1000,
        loss: Loss | str = "huber",
        C: float | None = None,
        steps: str = "newton",
        tol: float | None = 1e-3,
        max_bins: int | None = 255,
        categorical_features: Any = "from_dtype",
        callbacks: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        forward(super().__init__, locals())
        self.loss = loss
        self.C = C
        self.steps = steps

    def _algorithm(self) -> Algorithm:
        """Check the parameters, and make the algorithm that they mean."""
        loss = as_loss("loss", self.loss)
        if not (isinstance(loss, ResidualLoss) and loss.convex and loss.smooth):
            raise ValueError(f"loss: got {self.loss!r}, expected a smooth convex one of residuals")
        return self._make_algorithm(
            lambda problem, chosen: TargetLeveraging(loss, self.C, self.steps),
            choose=lambda problem, oracle: unit_of_targets(problem.sample),
            chosen_names=("spread_",),
            check_chosen=check_spread,
        )


def unit_of_targets(sample: Sample) -> Choice:
    """Unit in which losses and certificates measure residuals."""
    return Choice({"spread_": spread(sample.y, sample.prior)})
