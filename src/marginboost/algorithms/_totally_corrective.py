"""What ERLPBoost, SoftBoost, TotalBoost and their kin share: weights near the prior, all edges.

Every round puts the hypothesis found into the pool and finds multipliers for all of them, one
each. Weights follow from the multipliers (solvers/entropy_projection.py), and the multipliers,
normalised, are a combination: a round therefore gives an upper bound by its largest edge and a
lower bound by its soft margin. The papers take the coefficients of the model from a last linear
program over the pool; the multipliers already keep the promise on accuracy (see each algorithm),
so none is solved. The model is the combination of largest soft margin of all rounds.

A round asks the base learner for a few hypotheses, where the papers take one: more of them only
tighten the problem, so the bounds on rounds hold, and fewer rounds are needed.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from ..core.objective import Objective, margin_objective
from ..core.oracle import Candidate
from ..core.rule import Rule
from ..core.sample import Sample
from ..core.state import State
from ..core.stop import Stop
from ..estimators.classifier import BaseMarginClassifier
from ..estimators.constructors import forward
from ..fitting.algorithm import Algorithm, Outcome
from ..model import VoteLink
from ..solvers.entropy_projection import CappedEntropy, Divergence, EntropySolver
from ..solvers.masters.pool import ColumnPool
from ..solvers.masters.problem import check_share, soft_margin
from ..types import Array
from ..validation import Constraints, Number

COLUMNS = 4
"""Hypotheses asked for in a round: more save rounds, but make each slower."""
ROUNDING = 1e-9
"""An edge that exceeds those of the pool by no more than this is one of them."""


class TotallyCorrective(Rule):
    """Multipliers for all hypotheses, weights that follow.

    Parameters
    ----------
    nu : float or None
        Share of weight that may fall short of the margin, in (0, 1]; None is the hard margin.
    accuracy : float
        How far below the best value that of the model may be.
    """

    columns_per_round = COLUMNS
    pool_type: ClassVar[type[ColumnPool]] = ColumnPool

    def __init__(self, nu: float | None, accuracy: float) -> None:
        self.nu = nu
        self.accuracy = accuracy
        self._value = -1.0
        self._multipliers: Array = np.empty(0)

    @property
    def objective(self) -> Objective:
        """Margin or soft margin."""
        return margin_objective(self.nu)

    @abstractmethod
    def _correct(self, state: State, n_new: int) -> Stop | None:
        """Find the multipliers, after ``n_new`` hypotheses have come to the pool."""

    def start(self, state: State) -> None:
        """Begin with the prior as weights, or take up a run by its hypotheses."""
        sample = state.sample
        check_share(self.nu, sample.prior)
        self._pool = state.pool = self.pool_type(len(sample.y), sample.n_threads)
        self._divergence = self._make_divergence(sample)
        self._solver = EntropySolver(self._pool, sample.y, self._divergence)
        self._largest_edge = -np.inf
        state.dual[:] = sample.y * sample.prior
        if state.members:
            for member in state.members:
                self._pool.append(sample.column(member))
            state.scores[:] = self._pool.combine(np.array(state.coef))
            state.min_margin = float(np.min(sample.y * state.scores)) / state.l1_norm
            self._reweigh(state)

    def _make_divergence(self, sample: Sample) -> Divergence:
        """Make the distance from the prior that weights are kept small in; relative entropy."""
        return CappedEntropy(sample.prior, self.nu, sample.n_threads)

    def value(self, state: State) -> float:
        """Objective of the present combination, here the soft margin."""
        return self._value

    def value_of(self, outcomes: Array, l1_norm: float, sample: Sample) -> float:
        """Soft margin of any combination."""
        return soft_margin(outcomes / (l1_norm or 1.0), sample.prior, self.nu)[0]

    def upper(self, state: State, edge: float) -> float:
        """Largest edge under capped weights; a greedy base learner may miss one found before."""
        return max(edge, self._largest_edge)

    def update(self, state: State, found: list[Candidate]) -> Stop | None:
        """Add the hypothesis if it is new, correct all multipliers, keep the better combination."""
        new = [c for c in found if c.edge > self._largest_edge + ROUNDING]
        state.enlarge(new)
        self._multipliers = np.append(self._multipliers, np.zeros(len(new)))
        stop = self._correct(state, len(new))
        self._accept(state)
        self._reweigh(state)
        return stop

    def _accept(self, state: State) -> None:
        coef = self._multipliers / self._multipliers.sum()
        scores = self._pool.combine(coef)
        value = self.value_of(state.sample.y * scores, float(coef.sum()), state.sample)
        if value > self._value or state.l1_norm == 0.0:
            self._value = value
            state.replace(coef, scores)
        state.note(coef=float(coef[-1]))

    def _reweigh(self, state: State) -> None:
        state.dual[:] = state.sample.y * self._solver.weights(self._multipliers)
        self._largest_edge = float(self._pool.edges(state.dual).max())

    def get_state(self) -> dict[str, Any]:
        """Return the value and the multipliers."""
        return {"value": self._value, "multipliers": self._multipliers.tolist()}

    def set_state(self, saved: dict[str, Any]) -> None:
        """Take them back."""
        self._value = float(saved["value"])
        self._multipliers = np.array(saved["multipliers"], dtype=np.float64)


class TotallyCorrectiveClassifier(BaseMarginClassifier):
    """What their classifiers share: the accuracy is the gap at which to stop."""

    __constraints__: ClassVar[Constraints] = {
        "n_estimators": Number(at_least=1, integer=True, optional=True),
        "accuracy": Number(above=0.0, below=1.0),
    }
    nu: float | None = None
    accuracy: float

    def _totally_corrective(self, rule: Any, needed: Callable[[Sample], int]) -> Algorithm:
        """Make an algorithm of this rule; ``needed`` are the rounds that its guarantee needs."""

        def margin(outcome: Outcome) -> dict[str, Any]:
            run = outcome.run
            return {"rho_": soft_margin(run.margins, run.sample.prior, self.nu)[1]}

        return self._make_algorithm(
            rule,
            rounds=self.n_estimators or needed,
            tol=self.accuracy if self.tol is None else self.tol,
            link=VoteLink(),
            facts=margin,
        )


class SoftMarginClassifier(TotallyCorrectiveClassifier):
    """What those of a soft margin share: ν, and how far below the best the model may be."""

    nu: float
    __constraints__: ClassVar[Constraints] = {"nu": Number(above=0.0, at_most=1.0)}

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int | None = None,
        nu: float = 0.3,
        accuracy: float = 0.02,
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
        self.nu = nu
        self.accuracy = accuracy
