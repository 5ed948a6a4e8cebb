"""ℓ1-regularised leveraging with any convex loss (R2-A7, Prop. 4.4, A.1, A.2).

Problem, with w_i the weight of row i (1 without sample_weight):

    min_{α >= 0}  P(α) = C Σα + Σ_i w_i L(y_i, F(x_i)),   F = Σ_t α_t h_t.

Dual (Fenchel), with signed weights g:  max Σ_i w_i dual_value(y_i, g_i / w_i)  s.t. every edge
Σ_i g_i h(x_i) is at most C.

A round asks the oracle for the largest edge under g = -∂P/∂F. If a hypothesis of the combination
misses C by more (its edge is too small, so it has too much weight), that one is changed instead.
Without this "wrapper" coefficients could never fall, and the method would stall. The coefficient
chosen is set to its best value >= 0; with ``steps="newton"`` all of them are.

Certificate: bounds are on ``1 - P(α) / P(0)``, the share of the empty model's loss that is saved: 0
for no model, 1 never. From below by the combination, from above by weights shrunk until their
largest edge is C.
Rate: linear, for a loss that is strongly convex on bounded sets and finitely many hypotheses
(Prop. 4.4).

Named cases: squared loss, the LASSO; logistic loss, sparse logistic regression; smoothed hinge, the
barrier algorithm at a fixed temperature.

References: Rätsch 2001, sections 4.3.3 and A.3.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from ..core.hypothesis import Hypothesis
from ..core.objective import Objective, PricedMargin, RegularisedLoss
from ..core.oracle import Candidate
from ..core.rule import Rule
from ..core.sample import Sample
from ..core.state import State
from ..core.stop import Stop
from ..estimators.classifier import document
from ..estimators.constructors import forward
from ..estimators.soft_labels import SoftLabels
from ..fitting.algorithm import Algorithm
from ..losses import Loss, as_loss
from ..model import LossLink
from ..solvers.barrier import projected_gradient
from ..solvers.masters.pool import ColumnPool
from ..solvers.penalised_loss import PenalisedLoss
from ..solvers.rounding import next_above, next_below
from ..types import Array
from ..validation import Constraints, Number

COLUMNS = {"newton": 16, "coordinate": 1}
"""Ways to change coefficients, and how many hypotheses they can use in a round."""
PATIENCE = 10
"""Rounds in a row that do not lower the loss, after which no better model is to be expected."""
AT_REST = 1e-12
"""Share of the empty model's loss by which so many rounds must lower it: a thousand of them that
do not lower it by a billionth."""
LARGEST = float(np.finfo(float).max)
"""Loss before the first round: a number, so that it can be saved."""
ROUNDING = 1e-12
"""Violation of optimality, in units of C, that is rounding only."""


class L1Leveraging(Rule):
    """Minimise a loss plus C Σα.

    Parameters
    ----------
    loss : Loss or str
        Convex and smooth.
    C : float or None
        Price of Σα; None is a fiftieth of the sample's weight.
    steps : {"newton", "coordinate"}
        Change all coefficients in a round, or only the one that is furthest from its best value.
    """

    def __init__(
        self, loss: Loss | str = "logistic", C: float | None = None, steps: str = "newton"
    ) -> None:
        self.loss = as_loss("loss", loss)
        self.C = C
        self.steps = steps
        self.columns_per_round = COLUMNS[steps]
        self._value = 0.0
        self._trial: Array = np.empty(0)
        self._lowest, self._rounds_at_rest = LARGEST, 0

    @property
    def objective(self) -> Objective:
        """Loss with a price on Σα."""
        return RegularisedLoss(self.C, self.loss)

    # -- the contract ----------------------------------------------------------------------------

    def start(self, state: State) -> None:
        """Begin with the weights of the empty model, or take up a run by its coefficients."""
        sample = state.sample
        self._exact, self._problem = self._make_problems(sample)
        self._empty = self._exact.value(np.zeros(len(sample.y)), 0.0)
        self._least, self._most = self._exact.empty()
        state.pool = ColumnPool(len(sample.y), sample.n_threads)
        members = self._priced_members(state)
        for member in members:
            state.pool.append(sample.column(member))
        self._places = {member: j for j, member in enumerate(members)}
        if state.l1_norm > 0.0:
            self._vote_again(state)
        self._scores = state.pool.combine(self._trial)
        self._weigh(state)

    def _make_problems(self, sample: Sample) -> tuple[PenalisedLoss, PenalisedLoss]:
        """Make the problem that values are about, and the one that is worked at."""
        objective = self.objective
        assert isinstance(objective, RegularisedLoss | PricedMargin)
        price = objective.price(sample.total)
        exact = PenalisedLoss(self.loss, price, sample)
        return exact, PenalisedLoss(self._training_loss(), price, sample)

    def _priced_members(self, state: State) -> list[Hypothesis]:
        """Hypotheses whose coefficients have a price."""
        return state.members

    def _vote_again(self, state: State) -> None:
        """Make the same sums, in the same order, as when coefficients were accepted."""
        assert state.pool is not None
        coef = np.array(state.coef)
        state.replace(coef, state.pool.combine(coef))

    def _training_loss(self) -> Loss:
        """Loss whose slope makes the weights."""
        return self.loss

    def value(self, state: State) -> float:
        """Share of the empty model's loss that is saved."""
        return self._value

    def value_of(self, outcomes: Array, l1_norm: float, sample: Sample) -> float:
        """The same of any combination."""
        return self._saved(self._exact.most(sample.outcomes(outcomes), l1_norm))

    def upper(self, state: State, edge: float) -> float:
        """What weights, shrunk until their largest edge is C, leave to save."""
        bound = self._exact.bound(self._dual, edge * self._scale)
        return next_above(1.0 - bound / self._most) if self._least > 0.0 else 1.0

    def _saved(self, most: float) -> float:
        """Share of the empty model's loss that is saved at least, where the loss is at most this.

        Where that loss is 0 but for rounding, all of it is saved by no model, or none by any.
        """
        if self._least > 0.0:
            return next_below(1.0 - most / self._least)
        return 1.0 if self._most == 0.0 else 0.0

    def update(self, state: State, found: list[Candidate]) -> Stop | None:
        """Change the coefficient that violates optimality most, or all of them."""
        assert state.pool is not None
        place, violation = self._choose(state, found[0])
        harder = self._cool(violation)
        if not harder and violation <= ROUNDING * self._problem.price:
            state.note(coef=0.0)
            return Stop.NO_EDGE
        self._enlarge(state, found)
        place = self._places[found[0].hypothesis] if place is None else place
        before = self._trial
        self._trial = self._improved(state, place, violation)
        self._scores = state.pool.combine(self._trial)
        self._accept(state)
        self._weigh(state)
        state.note(coef=float(self._trial[place] - before[place]))
        moved = bool((self._trial != before).any()) and not self._rests(harder)
        return None if harder or moved else Stop.STALLED

    def _rests(self, harder: bool) -> bool:
        """Whether rounds have not lowered the loss for long."""
        loss = self._problem.value(self._scores, float(self._trial.sum()))
        if harder or loss < self._lowest - AT_REST * self._most:
            self._lowest, self._rounds_at_rest = loss, 0
        else:
            self._rounds_at_rest += 1
        return self._rounds_at_rest >= PATIENCE

    def _cool(self, violation: float) -> bool:
        """Whether the problem has changed, now that its optimum has come this near."""
        return False

    # -- one round -------------------------------------------------------------------------------

    def _choose(self, state: State, best: Candidate) -> tuple[int | None, float]:
        """Place of the coefficient to change, None for a new one, and how far its edge is from C.

        The wrapper (steps b to d): a hypothesis of the combination may be further off than the best
        one is above.
        """
        assert state.pool is not None
        place = self._places.get(best.hypothesis)
        violation = max(best.edge * self._scale - self._problem.price, 0.0)
        if len(state.pool):
            slope = self._problem.price - state.pool.edges(self._dual)
            misses = np.abs(projected_gradient(slope, self._trial))
            worst = int(np.argmax(misses))
            if misses[worst] > violation:
                return worst, float(misses[worst])
        return place, violation

    def _enlarge(self, state: State, found: list[Candidate]) -> None:
        """Put new hypotheses on record with coefficient 0: the best, and others that can help."""
        price = self._problem.price / self._scale if self._scale > 0.0 else math.inf
        useful = [c for c in found if c is found[0] or c.edge > price]
        new = [c for c in useful if c.hypothesis not in self._places]
        for place, candidate in enumerate(new, start=len(self._trial)):
            self._places[candidate.hypothesis] = place
        state.enlarge(new)
        self._trial = np.append(self._trial, np.zeros(len(new)))

    def _improved(self, state: State, place: int, violation: float) -> Array:
        """Coefficients with a lower P (steps e, f)."""
        assert state.pool is not None
        if self.steps == "newton":
            return self._problem.newton(state.pool, self._trial, self._accuracy(violation))
        column, present = state.pool.columns[place], float(self._trial[place])
        step = self._problem.best_step(self._scores, column, self._problem.price, -present)
        coef = self._trial.copy()
        coef[place] = max(present + step, 0.0)
        return coef

    def _accuracy(self, violation: float) -> float:
        """Projected gradient to which a Newton solution is driven: a tenth of the violation."""
        return 0.1 * violation

    def _accept(self, state: State) -> None:
        """Take the coefficients as the model if none before were better."""
        used = int(np.count_nonzero(self._trial))
        value = self._saved(self._exact.most(self._scores, float(self._trial.sum()), used))
        if value > self._value:
            self._value = value
            state.replace(self._trial, self._scores)

    def _weigh(self, state: State) -> None:
        """Weights of the present coefficients (g); the prior where no row has a slope."""
        self._dual = self._problem.dual(self._scores)
        self._scale = float(np.abs(self._dual).sum())
        state.dual[:] = self._dual / self._scale if self._scale > 0.0 else state.sample.prior

    # -- going on after an interruption ----------------------------------------------------------

    def get_state(self) -> dict[str, Any]:
        """Return the coefficients at work and the best value."""
        return {
            "value": self._value,
            "trial": self._trial.tolist(),
            "lowest": self._lowest,
            "rounds_at_rest": self._rounds_at_rest,
        }

    def set_state(self, saved: dict[str, Any]) -> None:
        """Take them back."""
        self._value = float(saved["value"])
        self._trial = np.array([float(weight) for weight in saved["trial"]])
        self._lowest, self._rounds_at_rest = float(saved["lowest"]), int(saved["rounds_at_rest"])


@document
class L1LeveragingClassifier(SoftLabels):
    """Any convex loss plus C Σα, minimised to a proven gap.

    Parameters
    ----------
    estimator : Oracle, scikit-learn estimator or None
        Base learner; None is the exact stump, with which the bounds are proven.
    n_estimators : int
        Most rounds; the run normally ends earlier, when the gap is closed.
    loss : str or Loss
        "logistic" (sparse logistic regression), "exponential", "squared" (LASSO), "squared-hinge",
        "smoothed-hinge", "log-cosh", "huber", "epsilon-insensitive", or a convex and smooth
        :class:`~marginboost.losses.Loss` with settings of its own. Losses of a residual take the
        labels as the numbers -1 and +1; weights of rows whose score lies beyond are negative.
    C : float or None
        Price of Σα against the sum of all losses. The larger, the fewer hypotheses. Sensible values
        grow with the number of rows N: 0.001 N to 0.1 N. None is N / 50, with weights of rows
        counted.
    steps : {"newton", "coordinate"}
        Change all coefficients in a round, or only the one that is furthest from its best value:
        the thesis's algorithm, which needs many more and cheaper rounds.
    tol : float or None
        Gap at which to stop, as share of the empty model's loss.
    {common}

    Attributes
    ----------
    {fitted}

    References
    ----------
    Rätsch, *Robust Boosting via Convex Optimization*, 2001, sections 4.3.3 and A.3.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from marginboost import L1LeveragingClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = L1LeveragingClassifier(loss="logistic").fit(X, y)
    >>> bool(model.certificate_.gap <= 1e-3)
    True
    """

    __summary__: ClassVar[dict[str, str]] = {
        "problem": "least loss plus C Σα, any convex loss",
        "guarantee": "linear rate; solved to a certified gap",
        "reference": "Rätsch 2001, Prop. 4.4",
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
        loss: Loss | str = "logistic",
        C: float | None = None,
        steps: str = "newton",
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
        self.loss = loss
        self.C = C
        self.steps = steps

    def _algorithm(self) -> Algorithm:
        """Check the parameters, and make the algorithm that they mean."""
        loss = as_loss("loss", self.loss)
        if not (loss.convex and loss.smooth):
            raise ValueError(f"loss: got {self.loss!r}, expected one that is convex and smooth")
        return self._make_algorithm(
            lambda problem, chosen: L1Leveraging(loss, self.C, self.steps), link=LossLink(loss)
        )
