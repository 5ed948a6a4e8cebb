"""Leveraging: any smooth loss, one hypothesis or all of them per round.

See R1-A19 to R1-A25, R1-A30; LB-A4, LB-A5.

Problem, with w_i the weight of row i (1 without sample_weight):

    min_{α >= 0}  P(α) = Σ_i w_i L(y_i, F(x_i)),   F = Σ_t α_t h_t                  (eq. 3.8)

over a class that holds the negative of each of its hypotheses, so that α >= 0 is no restriction.
Dual (Fenchel), with signed weights g:  max D(g) = Σ_i w_i dual_value(y_i, g_i / w_i)  s.t. no
hypothesis has an edge Σ_i g_i h(x_i) above 0.

A round asks the oracle for the largest edge under g = -∂P/∂F (R1-X15), and then

    correction="none"      adds the hypothesis with the step that minimises P (R1-A19), or by
                           the closed formula ½ log(W+/W-), exact for the exponential loss and
                           outputs of -1 and +1 (R1-A20), an approximation for the logistic
                           (R1-A21); steps may be cut at ``max_step`` (R1-A25); real-valued
                           hypotheses carry confidence (R1-A24)
    correction="newton"    minimises P over all coefficients (LB-A5)
    correction="sweeps"    minimises P over each coefficient in turn, once (R1-A32)
    correction="parallel"  changes all coefficients at once, along the auxiliary function (R1-A30)

With ``selection="improvement"`` the hypothesis that lowers P most is taken, among the
``columns`` that the base learner offers (R1-A23): exact where those are all.

Certificate, for convex losses: any weights g of any round and their largest edge e prove

    min { P(α) : α >= 0, Σα <= Λ }  >=  D(g) - Λ e,

and the bounds are about the best combination that is no longer than the present one, Λ = Σα, on the
scale ``1 - P / P(0)``: the share of the empty model's loss that is saved. They are remade whenever
Λ changes, from the pairs (D, e) of all rounds. Losses that are not convex have no dual: their upper
bound is 1, and nothing is certified.

Rate: linear, if all minimisers are finite, the hypotheses finitely many and the oracle exact or off
by a factor (Thm 3.5, R1-D07; ``diagnostics.has_finite_minimiser`` says whether the first holds,
R1-Q37). Else P converges to its infimum, without rate.

With the exponential loss and ±1 hypotheses this is AdaBoost, round for round (CH-C14, LB-C9).

References: Friedman, Hastie & Tibshirani 2000; Collins, Schapire & Singer 2002; Rätsch 2001,
chapter 3.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..core.objective import LossWithinNorm
from ..core.oracle import Candidate
from ..core.rule import Rule
from ..core.sample import Sample
from ..core.state import Columns, State
from ..core.stop import Stop
from ..kernels.weights import weighted_sum
from ..losses import Exponential, Loss, Squared, as_loss
from ..solvers import rounding
from ..solvers.bregman import STEEPEST, parallel_descent
from ..solvers.coordinate_descent import CoordinateProblem, coordinate_descent
from ..solvers.line_search import LONGEST, longest_step
from ..solvers.masters.pool import ColumnPool
from ..solvers.penalised_loss import PenalisedLoss
from ..types import Array
from .adaboost import binary_step

CORRECTIONS = ("none", "newton", "sweeps", "parallel")
COLUMNS = 4
"""Hypotheses asked for in a round where a choice is made among them, or all enter."""
NEWTON_STEPS = 8
"""Most Newton steps of a round: where minimisers are infinite, more would lead nowhere."""
ROUNDING = 1e-14
"""An edge that is above 0 by no more than this is so by rounding only."""
NOTHING = 1e-12
"""Share of the empty model's loss that is as good as none."""
SHORTEST = 1e-9
"""Step below which none is tried."""


class Leveraging(Rule):
    """Minimise a loss, hypothesis by hypothesis.

    Parameters
    ----------
    loss : Loss or str
        Smooth; convex for bounds and for corrections.
    step : {"exact", "closed"}
        Search along the new hypothesis, or the closed formula.
    learning_rate : float
        Factor on every step.
    max_step : float or None
        Longest step.
    selection : {"edge", "improvement"}
        Take the hypothesis of largest edge, or that which lowers the loss most.
    correction : {"none", "newton", "sweeps", "parallel"}
        How all coefficients are changed after a new one.
    columns : int or None
        Hypotheses asked for in a round, where several are of use; None is 4.
    """

    def __init__(
        self,
        loss: Loss | str = "logistic",
        step: str = "exact",
        learning_rate: float = 1.0,
        max_step: float | None = None,
        selection: str = "edge",
        correction: str = "none",
        columns: int | None = None,
    ) -> None:
        self.loss = as_loss("loss", loss)
        self.step = step
        self.learning_rate = learning_rate
        self.max_step = max_step
        self.selection = selection
        self.correction = correction
        several = selection == "improvement" or correction != "none"
        self.columns_per_round = (columns or COLUMNS) if several else 1
        self.uncertified_reason = (
            "" if self.loss.convex else f"the {self.loss.name} loss is not convex"
        )
        self._proofs: list[tuple[float, float]] = []

    @property
    def objective(self) -> LossWithinNorm:
        """Loss within the present Σα."""
        return LossWithinNorm(self.loss)

    # -- the contract ----------------------------------------------------------------------------

    def start(self, state: State) -> None:
        """Begin with the weights of the empty model, or take up a run by its hypotheses."""
        sample = state.sample
        self._risk = PenalisedLoss(self.loss, 0.0, sample)
        self._empty = self._risk.value(np.zeros(len(sample.y)), 0.0)
        self._sums = rounding.LOSSES + 2 * len(sample.y) * rounding.ROUNDING
        if self.correction != "none":
            state.pool = ColumnPool(len(sample.y), sample.n_threads)
            for member in state.members:
                state.pool.append(sample.column(member))
            self._known = set(state.members)
            state.scores[:] = state.pool.combine(np.array(state.coef))
        self._weigh(state)

    def value(self, state: State) -> float:
        """Share of the empty model's loss that is saved, at least."""
        reach = (rounding.SLACK + state.size * rounding.ROUNDING) * state.l1_norm
        return self._saved(self._loss, self._scale, reach)

    def value_of(self, outcomes: Array, l1_norm: float, sample: Sample) -> float:
        """The same of any combination."""
        scores = sample.outcomes(outcomes)
        loss, size = self._risk.value(scores, 0.0), float(np.abs(self._risk.dual(scores)).sum())
        return self._saved(loss, size, rounding.SLACK * float(np.abs(scores).max()))

    def _saved(self, loss: float, size: float, reach: float) -> float:
        """Share that is saved if scores are off by no more than ``reach``, at weights of a size."""
        if reach == 0.0:
            return 0.0  # the empty model
        most = (loss + 2.0 * reach * size) * (1.0 + self._sums)
        return rounding.next_below(1.0 - most / (self._empty * (1.0 - self._sums)) - self._sums)

    def upper(self, state: State, edge: float) -> float:
        """Most that a combination can save which is no longer than the present one."""
        if self.loss.convex:
            # Fenchel's equality: the present scores and their weights belong together.
            dual_value = self._loss + weighted_sum(self._dual, state.scores)
            sizes = self._loss + weighted_sum(np.abs(self._dual), np.abs(state.scores))
            dual_value -= self._sums * (sizes + self._scale)
            steepest = rounding.steepest(edge, 1.0, len(state.scores)) * self._scale
            useful = [(d, e) for d, e in self._proofs if d > dual_value or e < steepest]
            self._proofs = [*useful, (dual_value, steepest)]
        return self._most(state)

    def _most(self, state: State) -> float:
        """What all rounds together prove about combinations of the present ``Σα``."""
        l1_norm = state.l1_norm * (1.0 + rounding.SLACK + state.size * rounding.ROUNDING)
        bounds = [(d - l1_norm * e) - rounding.SLACK * abs(d) for d, e in self._proofs]
        least = max([0.0, *(bound for bound in bounds if bound > 0.0)])  # no loss is below 0
        share = least / (self._empty * (1.0 + self._sums))
        return rounding.next_above(1.0 - share) if share > 0.0 else 1.0

    def update(self, state: State, found: list[Candidate]) -> Stop | None:
        """Change the combination and the weights."""
        state.note(coef=0.0)
        if found[0].edge <= ROUNDING:
            return Stop.NO_EDGE
        stop = self._extend(state, found) if state.pool is None else self._correct(state, found)
        if stop is Stop.STALLED:
            return stop
        before = self._loss
        self._weigh(state)
        state.rebracket(upper=self._most(state))
        if self._loss <= NOTHING * self._empty:
            return stop or Stop.GAP
        return stop or (None if self._loss < before else Stop.STALLED)

    # -- one more hypothesis ---------------------------------------------------------------------

    def _extend(self, state: State, found: list[Candidate]) -> Stop | None:
        """Add a hypothesis with its own best step."""
        best, step = self._choose(state, found)
        if step == 0.0:
            return Stop.STALLED
        endless, outcome = math.isinf(step), state.sample.y * best.column
        perfect = endless and bool((outcome == 1.0).all()) and self.max_step is None
        if perfect:
            state.restart()  # it is right everywhere, so it is the whole model
        if endless or not best.binary:
            step = min(step, longest_step(best.column))
        step = min(self.learning_rate * step, self.max_step or math.inf)
        state.move(best, step)
        state.note(coef=step)
        right = endless and (outcome > 0.0).all() and (state.sample.y * state.scores > 0.0).all()
        return Stop.PERFECT if perfect or right else None

    def _choose(self, state: State, found: list[Candidate]) -> tuple[Candidate, float]:
        """Hypothesis and step (R1-A19, R1-A23)."""
        if self.selection == "edge" or len(found) == 1:
            return found[0], self._full_step(state, found[0])
        steps = [self._full_step(state, c) if c.edge > ROUNDING else 0.0 for c in found]
        losses = [
            self._risk.value(state.scores + min(step, longest_step(c.column)) * c.column, 0.0)
            for c, step in zip(found, steps, strict=True)
        ]
        best = int(np.argmin(losses))
        return found[best], steps[best]

    def _full_step(self, state: State, candidate: Candidate) -> float:
        """Step before it is shortened."""
        exactly_closed = isinstance(self.loss, Squared) or (
            isinstance(self.loss, Exponential) and candidate.binary
        )
        if self.step == "closed" or exactly_closed:
            return self._closed_step(state, candidate)
        step = self._risk.best_step(state.scores, candidate.column, 0.0, 0.0)
        return step if self.loss.convex else self._lowering(state, candidate.column, step)

    def _closed_step(self, state: State, candidate: Candidate) -> float:
        """``½ log(W+/W-)`` (R1-A20, R1-A21); for the squared loss the quotient of least squares."""
        column, sample = candidate.column, state.sample
        if isinstance(self.loss, Squared):
            square = weighted_sum(sample.prior, np.square(column, dtype=np.float64))
            return candidate.edge * self._scale / (square * sample.total)
        if not candidate.binary:
            return math.atanh(candidate.edge) if candidate.edge < STEEPEST else math.inf
        return binary_step(state, candidate)

    def _lowering(self, state: State, column: Array, step: float) -> float:
        """Shorten a step until it lowers a loss that may have several minima along it."""
        step = min(step, longest_step(column))
        while self._risk.value(state.scores + step * column, 0.0) >= self._loss:
            step *= 0.5
            if step < SHORTEST:
                return 0.0
        return step

    # -- all coefficients ------------------------------------------------------------------------

    def _correct(self, state: State, found: list[Candidate]) -> Stop | None:
        """Take up what is new, and change all coefficients."""
        assert state.pool is not None
        new = [c for c in found if c.edge > ROUNDING and c.hypothesis not in self._known]
        self._known.update(c.hypothesis for c in new)
        state.enlarge(new)
        before = np.array(state.coef)
        target = self._corrected(state, state.pool, before, found[0].edge * self._scale)
        coef = np.maximum(before + self.learning_rate * (target - before), 0.0)
        if not (coef != before).any():
            return Stop.STALLED
        state.replace(coef, state.pool.combine(coef))
        state.note(coef=float(coef[-1] - before[-1]))
        return None

    def _corrected(self, state: State, pool: Columns, coef: Array, violation: float) -> Array:
        """Coefficients with a lower loss."""
        if self.correction == "newton":
            return self._risk.newton(pool, coef, 0.1 * violation, NEWTON_STEPS)
        zeros = np.zeros(len(coef))
        high = coef + LONGEST  # a column that is never wrong would take all there is
        problem = CoordinateProblem(
            self._risk, pool, zeros, zeros, high, np.zeros(len(state.scores))
        )
        if self.correction == "sweeps":
            return coordinate_descent(
                problem, "cyclic", start=coef, max_steps=len(coef), tol=0.0
            ).coef
        return parallel_descent(problem, start=coef, max_passes=1, tol=0.0).coef

    # -- weights ---------------------------------------------------------------------------------

    def _weigh(self, state: State) -> None:
        """Loss and weights of the present scores."""
        self._loss = self._risk.value(state.scores, 0.0)
        self._dual = self._risk.dual(state.scores)
        self._scale = float(np.abs(self._dual).sum())
        if self._scale > 0.0:  # else nothing is left to learn, and the last weights stay
            state.dual[:] = self._dual / self._scale
        if state.l1_norm > 0.0:
            state.min_margin = float(np.min(state.sample.y * state.scores)) / state.l1_norm

    # -- going on after an interruption ----------------------------------------------------------

    def get_state(self) -> dict[str, Any]:
        """Return what the rounds have proven."""
        return {"proofs": [list(proof) for proof in self._proofs]}

    def set_state(self, saved: dict[str, Any]) -> None:
        """Take it back."""
        self._proofs = [(float(d), float(e)) for d, e in saved["proofs"]]
