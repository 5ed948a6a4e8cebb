"""LPBoost: the soft-margin linear programs by column generation (R2-A3, R2-A8; eq. 4.12, 4.17).

ν-LP, with prior weights p (1/N without sample_weight) and ν in (0, 1]:

    max_{α, ρ, ξ}  ρ - (1/ν) Σ_i p_i ξ_i   s.t.  y_i F(x_i) >= ρ - ξ_i,  Σα = 1,  α, ξ >= 0;
    dual:  min_d max_h Σ_i d_i y_i h(x_i)   s.t.  Σ d = 1,  0 <= d_i <= p_i / ν.

C-form, with weights w (1 without sample_weight):

    min_{α, ξ}  C Σα + Σ_i w_i ξ_i   s.t.  y_i F(x_i) >= 1 - ξ_i,  α, ξ >= 0;
    dual:  max_d Σ_i d_i   s.t.  Σ_i d_i y_i h(x_i) <= C for all h,  0 <= d_i <= w_i.

With a share ν of the weight at most below ρ, and a cap on every weight, a mislabelled row can only
do so much: that is what makes the model robust. ν = None is the hard margin (no cap). With
C = ν N γ*, γ* > 0 the value of the ν-LP, both forms have the same solutions up to scale (R2-C4).

Each round asks the oracle for the best hypotheses under d, adds them, and solves the program over
all hypotheses found: by the simplex method, by an interior-point method, or smoothed.

Certificate: any capped d gives an upper bound by its largest edge, any α a lower bound by its own
value. Both are computed from scratch, so the bracket is valid even where the master is not exact.
In the C-form it is about 1 - (C Σα + Σ w ξ) / Σw, what the model gains over saying nothing.
Rate: finite for a finite class with exact solutions; none in general.

References: Demiriz, Bennett & Shawe-Taylor 2002; Rätsch 2001, section 4.3.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from ..core.objective import Objective, margin_objective
from ..core.objective import PricedMargin as PricedObjective
from ..core.run import Run
from ..core.sample import Sample
from ..core.state import State
from ..estimators.classifier import BaseMarginClassifier, document
from ..estimators.constructors import forward
from ..fitting.algorithm import Algorithm, Outcome
from ..fitting.problem import Problem
from ..model import VoteLink
from ..oracles.stumps import StumpOracle
from ..solvers.masters.base import Master
from ..solvers.masters.choice import MASTERS, make_master
from ..solvers.masters.problem import MarginProblem, PricedMargin, SoftMargin
from ..types import Array
from ..validation import Constraints, Effects, Number, Where
from ._column_generation import ColumnGeneration
from ._lpboost_start import LPBoostStart
from ._votes_worth_having import warn_of_votes


class LPBoost(ColumnGeneration):
    """Totally corrective maximisation of the soft margin.

    Parameters
    ----------
    nu, solver, C, rtol, solver_seconds
        As in :class:`LPBoostClassifier`, where the last is ``solver_time_limit``.
    columns : int
        Hypotheses asked for in a round.
    least_margin : float, optional
        Upper bound on the soft margin at which the run ends: none worth having exists. None goes on
        until the bounds meet.
    stumps : bool
        Whether hypotheses are the stumps between the sample's bins, all of them. Then a run may
        begin with many at once, see :class:`~._lpboost_start.LPBoostStart`.
    """

    def __init__(
        self,
        nu: float | None = 0.3,
        solver: str = "auto",
        columns: int = 16,
        C: float | None = None,
        solver_seconds: float | None = None,
        least_margin: float | None = None,
        stumps: bool = False,
        rtol: float = 0.0,
    ) -> None:
        self.nu, self.C, self.stumps = nu, C, stumps
        start = LPBoostStart(stumps, nu, least_margin, rtol, solver_seconds)
        super().__init__(solver, columns, solver_seconds, start, least_margin, rtol)

    @property
    def objective(self) -> Objective:
        """Margin, soft margin or its C-form."""
        return margin_objective(self.nu) if self.C is None else PricedObjective(self.C)

    def make_problem(self, sample: Sample) -> MarginProblem:
        """Make the program that is solved on a sample."""
        if self.C is not None:
            return PricedMargin(sample.prior, self.C / sample.total)
        return SoftMargin(sample.prior, self.nu)

    def make_master(self, problem: MarginProblem, sample: Sample) -> Master:
        """Make the solver of that program over the hypotheses found."""
        return make_master(self.solver, problem, sample, self.solver_seconds)

    def _first_weights(self, sample: Sample) -> Array:
        """Signed weights of the first round."""
        return sample.y * sample.prior

    def _signed(self, sample: Sample, weights: Array) -> Array:
        """Signed weights from those of the program."""
        return sample.y * weights

    def value(self, state: State) -> float:
        """Objective of the present combination."""
        return self._value

    def value_of(self, outcomes: Array, l1_norm: float, sample: Sample) -> float:
        """Objective of any combination."""
        return self.make_problem(sample).value(outcomes, l1_norm)

    def upper(self, state: State, edge: float) -> float:
        """What capped weights with this largest edge prove."""
        return self._problem.upper(state.sample.y * state.dual, edge)

    def level(self, run: Run) -> float:
        """Margin ρ that the model asks of its examples."""
        problem, outcomes = self.make_problem(run.sample), run.sample.y * run.scores
        return problem.level(outcomes, run.ensemble.l1_norm)

    def rarest(self, run: Run) -> tuple[float, float]:
        """Shares of the rarer label, and of the rarer answer."""
        prior, answers = run.sample.prior, run.scores > 0
        rare = min(float(prior[run.sample.y == sign].sum()) for sign in (-1, 1))
        return rare, min(float(prior[answers == side].sum()) for side in (False, True))

    def _accept(self, state: State, coef: Array) -> None:
        """Replace the combination if this is the best so far."""
        scores, l1_norm = self._working.pool.combine(coef), float(coef.sum())
        value = self._problem.value(state.sample.y * scores, l1_norm)
        if self._is_best(state, value, l1_norm):
            state.replace(self._working.of_members(coef), scores)

    def _is_best(self, state: State, value: float, l1_norm: float) -> bool:
        """Whether a combination is the best so far; then its value is kept.

        The ν-LP has no empty combination, so there the first one is.
        """
        first = state.l1_norm == 0.0 and self._problem.price is None
        best = l1_norm > 0.0 and (value > self._value or first)
        self._value = value if best else self._value
        return best

    def _vote(self, state: State) -> Array:
        """Scores of the present combination."""
        return self._working.vote(np.array(state.coef))


@document
class LPBoostClassifier(BaseMarginClassifier):
    """Soft-margin boosting with a certificate: the ν-LP, solved to a proven gap.

    Parameters
    ----------
    estimator : Oracle, scikit-learn estimator or None
        Base learner; None is the exact stump, with which the bounds are proven.
    n_estimators : int
        Most rounds; the run normally ends earlier, when the gap is closed.
    nu : float or None
        Share of the rows that may fall short of the margin, from 1/N to 1: at most so many do, and
        no row weighs more than 1 / (ν N). Choose it above twice the share of rows that cannot be
        got right: below, the largest soft margin may be zero, and the run ends as soon as that is
        proven. Choose it below twice the share of the rarest class: above, saying the same of every
        row has a margin. ``class_weight="balanced"`` makes that share as large as it can be, and
        with it the weight that rows of that class may have. Fit warns of both. None is the hard
        margin.
    C : float or None
        Price of Σα against the shortfalls Σξ, above 0; it takes the place of ``nu``. The larger,
        the simpler the model. Where no hypothesis has an edge above C, in rows, under equal
        weights, saying nothing is optimal: the model is empty, with a warning, and predicts the
        first class.
    solver : {"auto", "simplex", "interior", "smooth"}
        Master problem: the simplex method (exact, up to some thousand rows), an interior-point
        method (nearly exact, up to some hundred thousand) or a smoothed problem (for more rows, or
        a gap of 1e-3). "auto" takes the first up to 500 rows, the second up to 2000 while few
        hypotheses were found, else the last. Stumps without missing values or categories begin with
        the program over all of them up to 2000 rows of at most four features, from 80,000 rows with
        descent in levels of all features; with fewer rows, that descent looks for the proof where
        ten rounds have found no soft margin above ``tol``.
    solver_time_limit : float or None
        Most seconds for one master problem. Where they do not suffice, or the solver fails, the run
        ends with ``stop_reason_`` "solver", the best model so far and bounds that hold.
    tol : float or None
        Gap at which to stop.
    rtol : float
        Gap, over the soft margin reached, at which to stop too; where that is small, a gap of
        ``tol`` may say little.
    {common}

    Attributes
    ----------
    rho_ : float
        The margin ρ that all rows without slack attain; in the C-form 1 / Σα.
    {fitted}

    References
    ----------
    Demiriz, Bennett and Shawe-Taylor, *Linear programming boosting via column generation*, 2002.
    Rätsch, *Robust Boosting via Convex Optimization*, 2001, section 4.3.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from marginboost import LPBoostClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = LPBoostClassifier(nu=0.1).fit(X, y)
    >>> bool(model.certificate_.gap <= 1e-3)
    True
    """

    __capabilities__: ClassVar[dict[str, bool]] = {"rows_in_parts": True}
    __summary__: ClassVar[dict[str, str]] = {
        "problem": "largest soft margin: a share ν of the rows may fall short",
        "guarantee": "solved to a certified gap; at most a share ν of margin errors",
        "reference": "Demiriz et al. 2002; Rätsch 2001, eq. 4.12",
    }
    __constraints__: ClassVar[Constraints] = {
        "nu": Number(above=0.0, at_most=1.0, optional=True),
        "C": Number(above=0.0, optional=True),
        "solver_time_limit": Number(above=0.0, optional=True),
        "rtol": Number(at_least=0.0),
        "solver": ("auto", *MASTERS),
    }
    __effects__: ClassVar[Effects] = {"nu": Where("C", (None,), Where("nu", (None,)))}

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 1000,
        nu: float | None = 0.3,
        C: float | None = None,
        solver: str = "auto",
        solver_time_limit: float | None = None,
        tol: float | None = 1e-3,
        rtol: float = 0.0,
        class_weight: Any = None,
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
        self.solver = solver
        self.solver_time_limit = solver_time_limit
        self.rtol = rtol

    def _algorithm(self) -> Algorithm:
        """Make the algorithm that the parameters mean."""
        return self._make_algorithm(
            lambda problem, chosen: make_rule(
                problem, self.nu, self.C, self.solver, **rule_settings(self)
            ),
            link=VoteLink(),
            facts=lambda outcome: soft_margin_facts(outcome, self.tol or 0.0),
        )


def make_rule(
    problem: Problem, nu: float | None, C: float | None, solver: str, **settings: Any
) -> LPBoost:
    """Rule of one run, on rows in one place or in parts."""
    if problem.sample.parts is not None:
        from ._lpboost_on_parts import PartedLPBoost  # here, not above: it builds on this one

        settings.pop("stumps")
        return PartedLPBoost(nu, solver, C=C, **settings)
    stumps = settings.pop("stumps") and solver == "auto" and C is None
    return LPBoost(nu, solver, C=C, stumps=stumps, **settings)


def rule_settings(estimator: Any) -> dict[str, Any]:
    """Settings of the rule that estimators of the soft margin share."""
    learner = estimator.estimator
    return {
        "stumps": learner is None or isinstance(learner, StumpOracle),
        "solver_seconds": estimator.solver_time_limit,
        "least_margin": estimator.tol,
        "rtol": getattr(estimator, "rtol", 0.0),
    }


def soft_margin_facts(outcome: Outcome, tol: float, *, chosen: bool = False) -> dict[str, Any]:
    """The margin ρ; warn where the votes say next to nothing.

    ``chosen`` says that ν was chosen by the fit.
    """
    rule, run = outcome.rule, outcome.run
    assert isinstance(rule, LPBoost)
    rho = rule.level(run)
    warn_of_votes(rule, run, tol, chosen=chosen)
    return {"rho_": rho}
