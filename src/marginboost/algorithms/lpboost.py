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

import math
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, ClassVar

import numpy as np

from ..core.hypothesis import Hypothesis
from ..core.objective import Objective, margin_objective
from ..core.objective import PricedMargin as PricedObjective
from ..core.oracle import Candidate
from ..core.rule import Rule
from ..core.run import Run
from ..core.sample import Sample
from ..core.state import State
from ..core.stop import Stop
from ..estimators.classifier import BaseMarginClassifier, document
from ..fitting.algorithm import Algorithm, Outcome
from ..fitting.problem import Problem
from ..model import VoteLink
from ..oracles.stumps import Stump, StumpOracle
from ..solvers.masters.base import Master, MasterError
from ..solvers.masters.choice import MASTERS, make_master
from ..solvers.masters.packed_pool import PackedPool
from ..solvers.masters.problem import MarginProblem, PricedMargin, SoftMargin
from ..types import Array
from ..validation import Constraints, Effects, Number, Where
from . import _levels as levels
from ._levels import (
    answers_by_code,
    best_stumps,
    can_descend,
    descended_stumps,
    few_levels,
    stumps_near_zero,
)
from ._votes_worth_having import warn_of_votes

IDLE_ROUNDS = 10
"""Rounds without weight after which a hypothesis is forgotten."""
FOR_GOOD = -(10**9)
"""Idle rounds of a hypothesis that was forgotten once and found again: it stays, so runs end."""
DOUBT = 10
"""Round after which a run without a soft margin worth having looks for a proof that none exists."""
PATIENCE = 5
"""Rounds with nothing new and bounds that hardly move after which an inexact master gives up."""


class LPBoost(Rule):
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
        begin with many at once, see :mod:`._levels`.
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
        self.nu, self.C = nu, C
        self.solver, self.solver_seconds = solver, solver_seconds
        self.columns_per_round, self.stumps = columns, stumps
        self.least_margin, self.rtol = least_margin, rtol
        self._value, self._gap, self._reached, self._still = 0.0, 2.0, 2.0, 0
        self._trial: Array = np.empty(0)
        self._in_pool: Array = np.empty(0, dtype=int)
        self._idle: Array = np.empty(0, dtype=int)
        self._of_master: dict[str, Any] | None = None
        self._before: LPBoost | None = None
        self._many_rows = levels.MANY_ROWS

    @property
    def objective(self) -> Objective:
        """Margin, soft margin or its C-form."""
        return margin_objective(self.nu) if self.C is None else PricedObjective(self.C)

    # -- the contract ----------------------------------------------------------------------------

    def start(self, state: State) -> None:
        """Begin with the prior as weights, or take up a run by its hypotheses."""
        sample = state.sample
        self._problem = self.make_problem(sample)
        self._master = self.make_master(self._problem, sample)
        self._exact, self._remember = self._master.exact, self._master.get_state
        self._pool = state.pool = PackedPool(len(sample.y), sample.n_threads)
        self._known = {state.members[t] for t in self._in_pool}
        self._forgotten = set(state.members) - self._known
        state.dual[:] = self._first_weights(sample)
        self._members = state.members
        if state.members:
            self._replay(state)
            return
        self._value = self._problem.worst
        if self._before is not None and not (self.stumps and few_levels(sample)):
            self._inherit(state, self._before)
        elif self.stumps:  # with few levels the solution itself is at hand
            self._begin_with_stumps(state)

    def start_from(self, before: Rule) -> None:
        """Begin with the hypotheses of a run with another ν or C: neighbours share most of them."""
        assert isinstance(before, LPBoost)
        self._before = before

    def begin_like(self, n_rows: int, took_many: bool, sample: Sample) -> bool:
        """Begin with many stumps where a run on so many rows does, or took them."""
        many = self.nu is not None and (took_many or n_rows >= self._many_rows)
        if not (self.stumps and many and can_descend(sample)) or few_levels(sample):
            return False
        self._many_rows = 0
        return True

    def _inherit(self, state: State, before: LPBoost) -> None:
        """Solve the master problem over what another run has found."""
        known = [before._members[t] for t in before._in_pool]
        columns = [before._pool.column(j) for j in range(len(known))]
        self._gap = before._gap
        self._before = None  # one run's pool is enough to keep in memory
        self._enlarge(state, [Candidate(h, 0.0, c) for h, c in zip(known, columns, strict=True)])
        self._trial = before._trial.copy()
        self._improve(state)

    def _begin_with_stumps(self, state: State) -> None:
        """Begin with many stumps and the weights that prove them, where these are known."""
        sample, found = state.sample, None
        if few_levels(sample):
            with suppress(MasterError):
                found = best_stumps(sample, self._problem.caps, self.solver_seconds)
        elif self.nu is not None and len(sample.y) >= self._many_rows and can_descend(sample):
            found = descended_stumps(sample, self.nu, self.least_margin, self.rtol)
        if found is not None:
            self._begin_with(state, *found)

    def _begin_with(self, state: State, coef: dict[Stump, float], weights: Array) -> None:
        """Begin, or go on, with a combination of stumps and the weights that prove it."""
        bins, stumps = state.sample.bins, [stump for stump in coef if stump not in self._known]
        assert bins is not None
        if stumps:
            self._pool.extend_by_codes(bins.codes, *answers_by_code(bins, stumps))
        state.members += stumps
        state.coef += [0.0] * len(stumps)
        self._take_up(state, stumps)
        whole: dict[Hypothesis, float] = dict(coef.items())
        self._trial = np.array([whole.get(state.members[t], 0.0) for t in self._in_pool])
        self._accept(state, self._trial)
        self._master.begin_with(weights)
        state.dual[:] = self._seen(state.sample, weights)
        state.bracket(lower=self.value(state))

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

    def _seen(self, sample: Sample, values: Array) -> Array:
        """Scores or signed weights as the program sees them, and back: with the label."""
        return sample.y * values

    def value(self, state: State) -> float:
        """Objective of the present combination."""
        return self._value

    def value_of(self, outcomes: Array, l1_norm: float, sample: Sample) -> float:
        """Objective of any combination."""
        return self.make_problem(sample).value(outcomes, l1_norm)

    def level(self, run: Run) -> float:
        """Margin ρ that the model asks of its examples."""
        problem, outcomes = self.make_problem(run.sample), run.sample.y * run.scores
        return problem.level(outcomes, run.ensemble.l1_norm)

    def rarest(self, run: Run) -> tuple[float, float]:
        """Shares of the rarer label, and of the rarer answer."""
        prior, answers = run.sample.prior, run.scores > 0
        rare = min(float(prior[run.sample.y == sign].sum()) for sign in (-1, 1))
        return rare, min(float(prior[answers == side].sum()) for side in (False, True))

    def upper(self, state: State, edge: float) -> float:
        """What capped weights with this largest edge prove."""
        return self._problem.upper(self._seen(state.sample, state.dual), edge)

    def update(self, state: State, found: list[Candidate]) -> Stop | None:
        """Add what is new, solve the master problem, take its combination if it is better."""
        state.note(coef=0.0)
        if self.rtol > 0.0 and state.gap <= self.rtol * state.lower:
            return Stop.GAP
        new = [c for c in found if c.hypothesis not in self._known]
        price = self._problem.price
        too_dear = price is not None and not state.members and found[0].edge <= price
        if too_dear or self._at_end(state, new):
            return Stop.NO_EDGE
        hopeless = price is None and state.upper <= (self.least_margin or -math.inf)
        if hopeless and state.l1_norm > 0.0:
            return Stop.NO_MARGIN
        self._enlarge(state, new)
        stop = self._improve(state)
        if not (stop or hopeless) and state.round == DOUBT:
            self._look_for_a_proof(state)
        return stop or (Stop.NO_MARGIN if hopeless else None)

    def _look_for_a_proof(self, state: State) -> None:
        """Where no margin worth having was found, go on with weights that prove how small it is.

        Near zero, hypotheses found one after the other bring the upper bound down very slowly.
        """
        nu, least = self.nu, self.least_margin
        if nu is None or not least or self._value > least:
            return
        if self.stumps and can_descend(state.sample):
            found = stumps_near_zero(state.sample, nu, least)
            if found is not None:
                self._begin_with(state, *found)

    def _improve(self, state: State) -> Stop | None:
        """Solve the master problem; take its weights, and its combination if it is better."""
        self._begin(state)
        try:
            coef, weights = self._master.solve(self._pool, self._trial, self._gap)
        except MasterError:
            return Stop.SOLVER
        self._trial = coef
        self._accept(state, coef)
        if self._forget(state):  # the last bits of votes, so of weights, depend on the pool
            weights = self._master.weights_again(self._pool, self._trial)
        state.dual[:] = self._seen(state.sample, weights)
        state.note(coef=float(coef[-1]))
        return None

    def _begin(self, state: State) -> None:
        """Take something to begin with, and to fall back on."""
        if state.l1_norm == 0.0:
            self._trial[0] = self._trial[0] or 1.0
            self._accept(state, self._trial)

    # -- the pool of hypotheses ------------------------------------------------------------------

    def _bound(self, state: State) -> float:
        """Upper bound that steers the solvers."""
        return state.upper

    def _at_end(self, state: State, new: list[Candidate]) -> bool:
        """Whether nothing new is to be had, nor a better solution."""
        self._gap = min(self._gap, max(self._bound(state) - self._value, 1e-12))
        moved = bool(new) or self._gap < 0.9 * self._reached
        self._still = 0 if moved else self._still + 1
        self._reached = self._gap if moved else self._reached
        return not new and (self._exact or self._still >= PATIENCE)

    def _enlarge(self, state: State, new: list[Candidate]) -> None:
        """Take up new hypotheses."""
        state.enlarge(new)
        self._take_up(state, [c.hypothesis for c in new])

    def _take_up(self, state: State, names: Sequence[Hypothesis]) -> None:
        """Note what is new among the members."""
        first = len(state.members) - len(names)
        idle = [FOR_GOOD if name in self._forgotten else 0 for name in names]
        self._known.update(names)
        self._in_pool = np.append(self._in_pool, np.arange(first, len(state.members)))
        self._idle = np.append(self._idle, np.array(idle, dtype=int))
        self._trial = np.append(self._trial, np.zeros(len(names)))

    def _accept(self, state: State, coef: Array) -> None:
        """Take a combination if it is the best so far; the ν-LP has no empty one to begin with."""
        scores, l1_norm = self._pool.combine(coef), float(coef.sum())
        value = self._problem.value(state.sample.y * scores, l1_norm)
        if self._is_best(state, value, l1_norm):
            state.replace(self._of_members(state, coef), scores)

    def _is_best(self, state: State, value: float, l1_norm: float) -> bool:
        """Whether a combination is the best so far; then its value is kept."""
        first = state.l1_norm == 0.0 and self._problem.price is None
        best = l1_norm > 0.0 and (value > self._value or first)
        self._value = value if best else self._value
        return best

    def _of_members(self, state: State, coef: Array) -> Array:
        """Coefficients of all members, from those of the pool."""
        whole = np.zeros(len(state.members))
        whole[self._in_pool] = coef
        return whole

    def _forget(self, state: State) -> bool:
        """Drop hypotheses that have had no weight for a while; whether there were any."""
        self._idle = np.where(self._trial > 0.0, np.minimum(self._idle, 0), self._idle + 1)
        present = np.array(state.coef)
        keep = np.flatnonzero((self._idle < IDLE_ROUNDS) | (present[self._in_pool] > 0.0))
        if len(keep) == len(self._idle):
            return False
        dropped = {state.members[t] for t in np.delete(self._in_pool, keep)}
        self._known -= dropped
        self._forgotten |= dropped
        self._in_pool, self._idle = self._in_pool[keep], self._idle[keep]
        self._trial = self._trial[keep]
        self._keep_columns(state, keep)
        return True

    def _keep_columns(self, state: State, keep: Array) -> None:
        """Drop all columns but these from the pool."""
        self._pool.keep(keep)
        self._master.forget(keep)
        present = np.array(state.coef)
        if present.any():
            state.replace(present, self._vote(state))

    def _vote(self, state: State) -> Array:
        """Scores made with the present pool: its order decides their last bits."""
        return self._pool.combine(np.array(state.coef)[self._in_pool])

    # -- going on after an interruption ----------------------------------------------------------

    def _replay(self, state: State) -> None:
        """Rebuild the pool and the weights of a resumed run."""
        for t in self._in_pool:
            self._pool.append(state.sample.column(state.members[t]))
        state.scores[:] = self._vote(state)
        self._master.set_state(self._of_master or {})
        weights = self._master.weights_again(self._pool, self._trial)
        state.dual[:] = self._seen(state.sample, weights)

    def get_state(self) -> dict[str, Any]:
        """Return the pool, the last solution, and what the master remembers."""
        return {
            "value": self._value,
            "gap": [self._gap, self._reached, self._still],
            "trial": self._trial.tolist(),
            "in_pool": self._in_pool.tolist(),
            "idle": self._idle.tolist(),
            "master": self._remember() if len(self._trial) else {},
        }

    def set_state(self, saved: dict[str, Any]) -> None:
        """Take it back."""
        self._value = float(saved["value"])
        gap, reached, still = saved["gap"]
        self._gap, self._reached, self._still = float(gap), float(reached), int(still)
        self._trial = np.array(saved["trial"], dtype=float)
        self._in_pool = np.array(saved["in_pool"], dtype=int)
        self._idle = np.array(saved["idle"], dtype=int)
        self._of_master = saved["master"]


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
        The margin ρ that all rows but those bought off reach; in the C-form 1 / Σα.
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
        super().__init__(
            estimator,
            n_estimators=n_estimators,
            tol=tol,
            class_weight=class_weight,
            max_bins=max_bins,
            categorical_features=categorical_features,
            callbacks=callbacks,
            n_jobs=n_jobs,
            random_state=random_state,
            verbose=verbose,
        )
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
