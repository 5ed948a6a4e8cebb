"""The rule of CG-Regression: regression with a tube, by column generation (R2-A10; Alg. 5.8).

Program, certificate and references are those of :mod:`.lpboost_regressor`.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from ..core.ensemble import Ensemble
from ..core.objective import TubeGain
from ..core.oracle import Candidate
from ..core.sample import Sample
from ..core.state import State
from ..core.stop import Stop
from ..oracles.tree_hypothesis import constant_candidate, norm_without_constant
from ..solvers.masters.base import Master
from ..solvers.masters.choice import make_master
from ..solvers.masters.interior_method import NEAREST
from ..solvers.masters.problem import MarginProblem
from ..solvers.masters.tube import FixedTube, NuTube, QuantileTube, Tube, TubeProblem
from ..solvers.masters.tube_bounds import SLACK, TubeBounds
from ..solvers.masters.tube_interior import TubeInterior
from ..solvers.masters.tube_simplex import TubeSimplex
from ..solvers.masters.tube_smooth import TubeSmooth
from ..types import Array
from ._column_generation import ColumnGeneration
from ._levels import descended_tube
from ._lpboost_start import LPBoostStart
from .gradient_boost_regressor import spread

TUBE_MASTERS: dict[str, Any] = {
    "simplex": TubeSimplex,
    "interior": TubeInterior,
    "smooth": TubeSmooth,
}
FURTHEST = 1e12
"""Solvers count in units in which no target is farther from the median than that."""
SMALLEST_UNIT = 1e-301
"""And in no smaller ones: coefficients in units of the targets must keep all their digits."""


class LPRegression(ColumnGeneration):
    """Totally corrective regression with a tube.

    Parameters
    ----------
    price : float
        Price of Σα against the mean cost.
    epsilon : float or None
        Half width of the tube, in units of the targets.
    nu : float or None
        Share of rows outside of the tube, in (0, 1], where ``epsilon`` is None.
    aim : float or None
        Quantile aimed at, where both are None.
    solver : {"auto", "simplex", "interior", "smooth"}
        How the master problem is solved.
    columns : int
        Hypotheses asked for in a round.
    solver_seconds : float, optional
        Most seconds for one master problem.
    descent_tol : float or None
        Gap down to which a run on many rows begins with descent in the levels of all stumps at once
        (solvers/tube_descent.py); None where hypotheses are others.
    """

    def __init__(
        self,
        price: float = 0.01,
        epsilon: float | None = None,
        nu: float | None = 0.5,
        aim: float | None = None,
        solver: str = "auto",
        columns: int = 32,
        solver_seconds: float | None = None,
        descent_tol: float | None = None,
    ) -> None:
        super().__init__(solver, columns, solver_seconds, LPBoostStart())
        self.price, self.nu = price, nu
        self.epsilon, self.quantile = epsilon, aim
        # Checkpoints know a run by its public settings: those of earlier versions name these two.
        self.C, self.stumps = None, False
        self.descent_tol = descent_tol
        self._proven, self._least_upper = 0.0, 0.0

    @property
    def objective(self) -> TubeGain:
        """Gain over the best constant."""
        return TubeGain(self.price, self.epsilon, self.nu, self.quantile)

    # -- the contract ----------------------------------------------------------------------------

    def start(self, state: State) -> None:
        """Begin with the best constant, or resume a run."""
        sample = state.sample
        fresh = not state.members
        super().start(state)
        if fresh:
            self._constant = float(self._tube.best_tube(self._tube.y).intercept)
            intercept = self._middle + self._unit * self._constant
            state.move(constant_candidate(len(sample.y)), intercept)
            self._gap = self._gap_at_progress = max(self._tube.empty, 1e-12)
            self._least_upper = self._tube.empty
            if self.descent_tol is not None:
                tol, seconds = self.descent_tol / self._units, self.solver_seconds
                found = descended_tube(sample, self._tube, tol, seconds)
                if found is not None:
                    self._continue_from(state, found)

    def make_problem(self, sample: Sample) -> TubeProblem:
        """Make the program; targets are centred, in units of their spread.

        Where that is tiny beside the targets, solvers count in a larger unit: their bounds are
        converted to units of the spread, rounded outwards.
        """
        y = sample.y.astype(np.float64)
        unit, self._middle = float(spread(y, sample.prior)), float(np.median(y))
        off = y - self._middle
        self._unit = max(unit, float(np.abs(off).max()) / FURTHEST, SMALLEST_UNIT)
        self._units = self._unit / unit
        self._tube = _tube_of(off / self._unit, sample.prior, self.objective, self._unit)
        self._bounds = TubeBounds(self._tube)
        return self._tube

    def make_master(self, problem: MarginProblem, sample: Sample) -> Master:
        """Make the solver of that program."""
        of_some_rows = TUBE_MASTERS["interior"]
        return make_master(
            self.solver, problem, sample, self.solver_seconds, TUBE_MASTERS, of_some_rows
        )

    def _first_weights(self, sample: Sample) -> Array:
        weights = self._tube.first_weights()
        if weights.any():
            return weights
        return sample.prior.copy()  # no row is outside of the tube: the constant is best

    def _signed(self, sample: Sample, weights: Array) -> Array:
        return weights

    def value(self, state: State) -> float:
        """What the present combination is proven to gain."""
        return self._proven

    def value_of(self, outcomes: Array, l1_norm: float, sample: Sample) -> float:
        """Gain of any combination, as it is; rounded down."""
        predicted = (sample.outcomes(outcomes) - self._middle) / self._unit
        half = self._tube.width_at(self._tube.y - predicted)
        return self._down(self._bounds.lower(predicted, Tube(half, -half), l1_norm / self._unit))

    def width(self, residuals: Array) -> float:
        """Half width of the tube around predictions, in units of the targets."""
        if self.epsilon is not None:
            return self.epsilon
        return self._tube.width_at(residuals / self._unit) * self._unit

    def norm(self, ensemble: Ensemble) -> float:
        """Σα of all hypotheses but the intercept."""
        return norm_without_constant(ensemble)

    def mean_loss(self, truth: Array, scores: Array, weights: Array | None = None) -> float:
        """Mean cost of other rows; where the tube is found, their mean absolute residual."""
        off = truth - scores
        if self.quantile is not None:
            costs = np.maximum(self.quantile * off, (self.quantile - 1.0) * off)
        else:
            costs = np.maximum(np.abs(off) - (self.epsilon or 0.0), 0.0)
        return float(np.average(costs, weights=weights))

    def upper(self, state: State, edge: float) -> float:
        """What balanced weights with this largest edge prove; no cost is below 0."""
        self._least_upper = min(self._least_upper, self._tube.upper(state.dual, edge))
        return self.upper_of(state.dual, edge)

    def upper_of(self, dual: Array, edge: float) -> float:
        """What any weights prove, in units of the certificate; rounded up."""
        most = self._bounds.upper(dual, edge)
        return most if self._units == 1.0 or most == 0.0 else most * self._units * (1.0 + SLACK)

    def _down(self, least: float) -> float:
        """Lower bound in units of the certificate; one beyond all floats is the largest of them."""
        if self._units == 1.0 or least == 0.0:
            return least
        found = min(least * self._units, sys.float_info.max)
        return found - SLACK * abs(found)

    def _steering_bound(self, state: State) -> float:
        """Upper bound as it steers solvers, before rounding is counted against it."""
        return self._least_upper

    def update(self, state: State, found: list[Candidate]) -> Stop | None:
        """Add what is new and solve the master problem."""
        empty = self._tube.empty
        stop = super().update(state, found) if empty > 0.0 else Stop.NO_EDGE
        state.note(loss=(empty - self._value) * self._unit)
        if not (stop or self._exact) and self._least_upper - self._value <= NEAREST * empty:
            return Stop.SOLVER  # the rest of the gap is rounding, which the master cannot close
        return stop

    # -- the pool holds hypotheses in units of the spread; the intercept is the first member ------

    def _ensure_combination(self, state: State) -> None:
        """Nothing: the constant is a combination."""

    def _accept(self, state: State, coef: Array) -> None:
        """Replace the combination, at its best intercept, if this is the best so far."""
        scores, l1_norm = self._working.pool.combine(coef), float(coef.sum())
        value = self._tube.value(scores, l1_norm)
        if value > self._value:
            tube = self._tube.best_tube(self._tube.y - scores)
            self._value, self._constant = value, tube.intercept
            terms = int(np.count_nonzero(coef))
            self._proven = self._down(self._bounds.lower(scores, tube, l1_norm, terms))
            whole = self._working.of_members(self._unit * coef)
            whole[0] = self._middle + self._unit * self._constant
            state.replace(whole, self._vote_of(whole))

    def get_state(self) -> dict[str, Any]:
        """Return the bounds as well."""
        return {**super().get_state(), "proven": self._proven, "upper": self._least_upper}

    def set_state(self, saved: dict[str, Any]) -> None:
        """Inverse of :meth:`get_state`."""
        super().set_state(saved)
        self._proven, self._least_upper = float(saved["proven"]), float(saved["upper"])

    def _vote_of(self, whole: Array) -> Array:
        return whole[0] + self._working.vote(whole)

    def _vote(self, state: State) -> Array:
        return self._vote_of(np.array(state.coef))


def _tube_of(y: Array, prior: Array, objective: TubeGain, unit: float) -> TubeProblem:
    """Program on targets in units of their spread."""
    price = objective.price
    if objective.quantile is not None:
        return QuantileTube(y, prior, price, quantile=objective.quantile)
    if objective.epsilon is not None:
        width = min(objective.epsilon / unit, 10.0 * FURTHEST)  # one as wide as that holds all
        return FixedTube(y, prior, price, epsilon=width)
    assert objective.nu is not None
    return NuTube(y, prior, price, nu=objective.nu)
