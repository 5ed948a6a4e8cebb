"""LS-Boost, both versions (R1-A22, R1-A23; R1-C49, R1-C50, R1-V10, R1-X27).

Problem, with w_i the weight of row i, Σ w = 1:

    min_α  P(α) = ½ Σ_i w_i (y_i - F(x_i))²,   F = Σ_t α_t h_t,

one hypothesis per round, with the coefficient that lowers P most: α = <r, h> / <h, h>, where
r = y - F is the residual and <a, b> = Σ w a b.

Selection: version 2 takes the hypothesis of maximal improvement, that of the largest
<r, h>² / <h, h> (eq. 3.7). Version 1 takes the one nearest to the residual, min Σ w (r - h)²
(eq. 3.5), which prefers small hypotheses and may stall away from the optimum, with a coefficient of
0 for ever (R1-V10). Both are the same where <h, h> is the same for all, as for outputs -1 and +1.

Certificate: the share of the empty model's loss that is saved, 1 - P(α) / P(0); no model saves more
than all of it, which is the only upper bound here.
Rate: version 2 converges linearly to the least loss over the span of finitely many hypotheses
(Cor. 3.1, Prop. 3.4). A learning rate of at most 1 keeps P from rising (CH-C13).

References: Friedman 2001; Rätsch 2001, eq. 3.5 to 3.7.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from ..core.objective import SquaredLoss
from ..core.oracle import Candidate
from ..core.rule import Rule
from ..core.sample import Sample
from ..core.state import State
from ..core.stop import Stop
from ..estimators.base import SEVERAL
from ..estimators.constructors import forward
from ..estimators.regressor import BaseBoostRegressor, document
from ..fitting.algorithm import Algorithm
from ..kernels.exact import SMALLEST_NORMAL
from ..kernels.parallel import run_rows
from ..kernels.ties import TIE
from ..kernels.weights import weighted_sum
from ..losses import Loss, Squared
from ..oracles.linear import LinearOracle
from ..oracles.stumps import StumpOracle
from ..solvers import rounding
from ..types import Array
from ..validation import Constraints, Effects, Number

ROUNDING = 1e-14
"""Residual, relative to the targets, and correlation with it, that are rounding only."""

ALL = 1 << 30
"""More hypotheses than a base learner can list."""


class LSBoost(Rule):
    """Least squares, one hypothesis per round.

    Parameters
    ----------
    version : {1, 2}
        Take the hypothesis nearest to the residual, or that of maximal improvement.
    learning_rate : float
        Factor on every coefficient.
    n_candidates : int or None
        Hypotheses of largest edge among which a round chooses. None is all that the base learner
        can list, which (3.5) and (3.7) ask for where norms differ.
    """

    loss: Loss = Squared()

    def __init__(
        self, version: int = 2, learning_rate: float = 1.0, n_candidates: int | None = None
    ) -> None:
        self.version = version
        self.learning_rate = learning_rate
        self.columns_per_round = ALL if n_candidates is None else n_candidates

    @property
    def objective(self) -> SquaredLoss:
        """Squared loss."""
        return SquaredLoss(self.loss)

    def start(self, state: State) -> None:
        """Weights in proportion to the residuals."""
        sample = state.sample
        self._y = sample.y.astype(np.float64)
        self._unit = float(np.abs(self._y).max()) or 1.0
        self._empty = self._loss(self._y, sample)
        self._weigh(state)

    def _loss(self, residual: Array, sample: Sample) -> float:
        """``P`` in squares of the largest target, so that no size of target overflows."""
        squares = (residual / self._unit) ** 2
        return 0.5 * _over_rows(squares, sample.prior, sample.n_threads)

    def _weigh(self, state: State) -> None:
        """Weights of the present residuals, normalised; uniform where nothing is left."""
        sample, residual = state.sample, self._y - state.scores
        self._left = self._loss(residual, sample)
        pull = sample.prior * residual
        self._total = _over_rows(np.abs(residual), sample.prior, sample.n_threads)
        if self._total < SMALLEST_NORMAL:
            self._total = 0.0
        state.dual[:] = pull / self._total if self._total > 0.0 else sample.prior
        state.weights.curvature = sample.prior / (self._total or 1.0)

    def value(self, state: State) -> float:
        """Share of the empty model's loss that is saved."""
        added = len(state.members) * rounding.ROUNDING * state.l1_norm
        return self._saved(state.scores, added, state.sample)

    def value_of(self, outcomes: Array, l1_norm: float, sample: Sample) -> float:
        """The same of any combination."""
        return self._saved(sample.outcomes(outcomes), 0.0, sample)

    def _saved(self, scores: Array, added: float, sample: Sample) -> float:
        """Share that scores save at least: sums that made them may have rounded by ``added``."""
        if self._empty == 0.0 or not scores.any():
            return 1.0 if self._empty == 0.0 else 0.0
        room = rounding.SLACK * (np.abs(self._y) + np.abs(scores)) + added
        most = self._loss(np.abs(self._y - scores) + room, sample)
        sums = rounding.SLACK + 2.0 * len(scores) * rounding.ROUNDING
        return rounding.next_below(1.0 - most / self._empty * (1.0 + sums))

    def upper(self, state: State, edge: float) -> float:
        """1: no combination saves more than the whole loss of the empty model."""
        return 1.0

    def update(self, state: State, found: list[Candidate]) -> Stop | None:
        """Add the chosen hypothesis with the coefficient that lowers the loss most."""
        best, square, pull = self._choose(state, found)
        met = math.sqrt(self._left) <= ROUNDING * math.sqrt(self._empty)
        unrelated = abs(pull) / self._unit <= ROUNDING * math.sqrt(2.0 * self._left * square)
        if met or unrelated:
            self._note(state, 0.0)
            # Version 1 may have chosen one that cannot help, where others can.
            overlooked = self.version == 1 and not met and found[0].edge > ROUNDING
            return Stop.STALLED if overlooked else Stop.NO_EDGE
        step = self.learning_rate * pull / square
        state.move(best, step)
        self._weigh(state)
        self._note(state, step)
        return None

    def _note(self, state: State, step: float) -> None:
        state.note(coef=step, loss=self._left * self._unit * self._unit)

    def _choose(self, state: State, found: list[Candidate]) -> tuple[Candidate, float, float]:
        """Candidate of the round, with <h, h> and <r, h>; ties go to the larger edge."""
        sample = state.sample
        options = [
            (
                candidate,
                1.0 if candidate.binary else _square(candidate.column, sample),
                candidate.edge * self._total,
            )
            for candidate in found
        ]
        if self.version == 1:
            merits = [2.0 * pull - square for _, square, pull in options]
        else:
            merits = [_improvement(square, pull) for _, square, pull in options]
        enough = max(merits) - TIE * abs(max(merits))
        return next(o for o, merit in zip(options, merits, strict=True) if merit >= enough)


def _improvement(square: float, pull: float) -> float:
    """``<r, h>² / <h, h>``, twice what the loss falls by; nothing for a hypothesis of zeros."""
    return pull * (pull / square) if square > 0.0 else 0.0


def _square(column: Array, sample: Sample) -> float:
    """``<h, h>``."""
    return _over_rows(column.astype(np.float64) ** 2, sample.prior, sample.n_threads)


def _over_rows(values: Array, prior: Array, n_threads: int) -> float:
    """Weighted sum, in an order that does not depend on the threads."""

    def part(start: int, stop: int) -> float:
        return weighted_sum(values[start:stop], prior[start:stop])

    return math.fsum(run_rows(part, len(values), n_threads))


@document
class LSBoostRegressor(BaseBoostRegressor):
    """LS-Boost: least squares by one hypothesis per round.

    Parameters
    ----------
    estimator : Oracle, scikit-learn estimator or None
        Base learner; None is the exact stump with outputs -1 and +1, for which both versions are
        the same. Outputs of others differ in size, and so do the versions.
    n_estimators : int
        Most rounds.
    version : {1, 2}
        2 takes the hypothesis that lowers the squared loss most, 1 the one nearest to the residual:
        that one may stall away from the optimum, and is here for comparison.
    learning_rate : float
        Factor on every coefficient, in (0, 1].
    n_candidates : int or None
        Hypotheses of largest edge among which a round chooses. None is all that the base learner
        lists, so that none is overlooked, or one where all have the same norm, as stumps and
        standardised lines have. A base learner that lists one, such as a tree, chooses by itself.
    tol : float or None
        Stop when the share of the loss that is left is this small; None never does.
    {common}

    Attributes
    ----------
    {fitted}

    References
    ----------
    Friedman, *Greedy function approximation: a gradient boosting machine*, 2001. Rätsch, *Robust
    Boosting via Convex Optimization*, 2001, section 3.1.3.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from marginboost import LSBoostRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = LSBoostRegressor(n_estimators=100, learning_rate=0.2).fit(X, y)
    >>> bool((model.history_["loss"][1:] <= model.history_["loss"][:-1]).all())
    True
    """

    __summary__: ClassVar[dict[str, str]] = {
        "problem": "minimise the squared loss, one hypothesis per round",
        "guarantee": "linear rate to the least loss of finitely many hypotheses; v. 1 may stall",
        "reference": "Friedman 2001; Rätsch 2001, eq. 3.5 to 3.7",
    }
    __constraints__: ClassVar[Constraints] = {
        "version": (1, 2),
        "learning_rate": Number(above=0.0, at_most=1.0),
        "n_candidates": Number(at_least=1, integer=True, optional=True),
    }
    __effects__: ClassVar[Effects] = {"version": SEVERAL, "n_candidates": SEVERAL}

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 100,
        version: int = 2,
        learning_rate: float = 1.0,
        n_candidates: int | None = None,
        tol: float | None = None,
        max_bins: int | None = 255,
        categorical_features: Any = "from_dtype",
        callbacks: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        forward(super().__init__, locals())
        self.version = version
        self.learning_rate = learning_rate
        self.n_candidates = n_candidates

    def _algorithm(self) -> Algorithm:
        """Make the algorithm that the parameters mean."""
        oracle, several = self._base_learner(), self.n_candidates
        if several is None and isinstance(oracle, StumpOracle | LinearOracle):
            several = 1  # one candidate is enough where all hypotheses have one norm
        return self._make_algorithm(
            lambda problem, chosen: LSBoost(self.version, self.learning_rate, several),
            oracle=oracle,
        )
