"""ν-Arc: boosting of margins cut at their ν-quantile.

See R2-A4, R2-A5, R2-Q4, R2-Q5, R2-C7; eq. 4.14-4.16.

Problem: AdaBoost with the slack of the soft-margin program as mistrust. With prior weights p (1/N
without sample_weight), margins ρ_i, their ν-quantile ρ, and slacks ξ_i = [ρ - ρ_i]_+, descend on

    G(α) = Σ_i p_i exp(-Σα · ρ̃_i),   ρ̃_i = ρ_i + ξ_i - (1/ν) Σ p ξ = max(ρ_i, ρ) - (1/ν) Σ p ξ

one hypothesis per round; ρ and ξ follow the trial step. The weights d_i ∝ p_i exp(-Σα max(ρ_i, ρ))
give the hard share ν one weight and let the others decay. ν → 1/N is AdaBoost; ν = 1 gives equal
weights and votes, which is bagging if the base learner is trained on draws.

Dual side: the examples up to the quantile hold a share of at least ν, so d_i <= p_i / ν.
Certificate: the weights are feasible for the dual of the ν-LP, so its value is at most the largest
edge; the soft margin ρ - (1/ν) Σ p ξ of any combination, the smallest ρ̃_i, is at most its value.
Rate: none, and no proof of convergence.

Errata: the thesis prints weights with min(ρ_i, ρ) and slacks [ρ_i - ρ]_+; with them
a run dies after two rounds. It clips ρ to [0, 1]; then the first step is 0 wherever the first
hypothesis errs on more than the share ν. Here ρ is in [-1, 1].

What to know before using it:

- A first ±1 hypothesis that errs on less than ν would get the step 0 or an infinite one. It gets
  AdaBoost's; later steps are capped.
- It leaves all weights equal, and a learner without chance returns it for ever. Hence the draws by
  default; without them such a run is ended.
- G is neither convex nor smooth: it is convex between the steps at which the quantile passes to
  another row, and up to 2000 rows each of these pieces is searched. With more rows 25 trials find
  the valley to search, which need not hold the minimiser.
- Its slope is not the edge, so a hypothesis of large edge may not lower it at all (``on_stall``).

Reference: Rätsch 2001, section 4.3.2 and algorithm 4.6.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..core.objective import SoftMargin
from ..core.oracle import Candidate
from ..core.rule import Rule
from ..core.sample import Sample
from ..core.state import State
from ..core.stop import Stop
from ..estimators.classifier import BaseMarginClassifier, document
from ..estimators.constructors import forward
from ..fitting.algorithm import Algorithm, Outcome
from ..kernels.quantile_path import least_along
from ..kernels.ties import TIE
from ..model import VoteLink
from ..oracles.resampling import ResamplingOracle
from ..solvers.line_search import exponential_step
from ..solvers.masters.problem import check_share, soft_margin
from ..solvers.soft_descent import search_step, softmin
from ..types import Array
from ..validation import Constraints, Number
from .adaboost import ROUNDING, TINY

BASES = ("adaboost", "arc-gv")
ON_STALL = ("stop", "floor", "adaboost_step")
FLOOR = 0.05
"""Coefficient of a hypothesis that does not lower G, where the run goes on all the same."""
EXACT_ROWS = 2000
"""Rows up to which a step is the minimiser; the time for that grows with their square."""
REPEATS = 20
"""Rounds in a row with the same hypothesis and the same weights, after which the run is stuck."""


class NuArc(Rule):
    """Coordinate descent on margins cut at their ν-quantile.

    Parameters
    ----------
    nu : float
        Share of weight that may fall short, in (0, 1].
    base : {"adaboost", "arc-gv"}
        Whether to descend on G, or on G with the largest soft margin so far, 0 at first, taken from
        every ρ̃.
    on_stall : {"stop", "floor", "adaboost_step"}
        What to do where no step lowers G: end the run, give the hypothesis a small coefficient, or
        that of AdaBoost.
    max_step : float
        Longest step.
    """

    def __init__(
        self,
        nu: float = 0.4,
        base: str = "adaboost",
        on_stall: str = "floor",
        max_step: float = 5.0,
    ) -> None:
        self.nu = nu
        self.base = base
        self.on_stall = on_stall
        self.max_step = max_step
        self._value = -1.0
        self._target = 0.0
        self._repeats = 0

    @property
    def objective(self) -> SoftMargin:
        """Soft margin."""
        return SoftMargin(self.nu)

    def start(self, state: State) -> None:
        """Weights that follow the present scores."""
        check_share(self.nu, state.sample.prior)
        self._reweigh(state)

    def value(self, state: State) -> float:
        """Soft margin of the present combination."""
        return self._value

    def value_of(self, outcomes: Array, l1_norm: float, sample: Sample) -> float:
        """Soft margin of any combination."""
        return soft_margin(outcomes / (l1_norm or 1.0), sample.prior, self.nu)[0]

    def upper(self, state: State, edge: float) -> float:
        """Largest edge under capped weights."""
        return edge

    def update(self, state: State, found: list[Candidate]) -> Stop | None:
        """Add the best hypothesis with the coefficient that minimises G along it."""
        best, weights = found[0], state.dual.copy()
        repeated = state.size > 0 and best.hypothesis == state.members[-1]
        target = self._target if self.base == "arc-gv" else 0.0
        step, stop = self._choose_step(state, best, target)
        state.note(target=target, coef=step)
        if stop:
            return stop
        state.move(best, step)
        self._reweigh(state)
        stuck = repeated and np.array_equal(weights, state.dual)
        self._repeats = self._repeats + 1 if stuck else 0
        return Stop.STALLED if self._repeats >= REPEATS and self.nu < 1.0 else None

    def _reweigh(self, state: State) -> None:
        """Weights of the present combination; its smallest margins, hard and soft."""
        sample, l1_norm = state.sample, state.l1_norm
        margins = sample.y * state.scores
        value, rho = soft_margin(margins, sample.prior, self.nu)
        if l1_norm > 0.0:
            state.min_margin = float(margins.min()) / l1_norm
            self._value = value / l1_norm
            self._target = max(self._target, self._value)
        state.dual[:] = sample.y * softmin(np.maximum(margins - rho, 0.0), sample.prior)[0]

    # -- the step --------------------------------------------------------------------------------

    def _choose_step(
        self, state: State, best: Candidate, target: float
    ) -> tuple[float, Stop | None]:
        """Coefficient of a hypothesis, or a reason to stop."""
        if self.nu == 1.0:
            return 1.0, None
        if best.edge <= ROUNDING:
            return 0.0, Stop.NO_EDGE
        outcome = state.sample.y * best.column
        if state.size > 0:
            margins = state.sample.y * state.scores
            line = Line(margins, outcome, state.sample.prior, self.nu, target)
            step = line.best_step(self.max_step)
            if step > ROUNDING:
                return step, None
            if self.on_stall == "stop":
                return 0.0, Stop.STALLED
            if self.on_stall == "floor":
                return min(FLOOR, self.max_step), None
        step = exponential_step(np.maximum(np.abs(state.dual), TINY), outcome)
        return min(step, self.max_step), None

    def get_state(self) -> dict[str, Any]:
        """Return the target and how long the run has been stuck."""
        return {"target": self._target, "repeats": self._repeats}

    def set_state(self, saved: dict[str, Any]) -> None:
        """Take both back."""
        self._target, self._repeats = float(saved["target"]), int(saved["repeats"])


@dataclass(frozen=True)
class Line:
    """log G along a hypothesis, from margins ``y F(x)``, plus target times step.

    Written with the soft margin V = R - (1/ν) Σ p [R - z]_+ of the margins z, R their ν-quantile:

        log G = log Σ p exp(-[z - R]_+) - V.
    """

    margins: Array
    outcome: Array
    prior: Array
    nu: float
    target: float

    def best_step(self, longest: float) -> float:
        """Step that minimises; beyond some rows the best of the valleys that a few trials find."""
        if len(self.margins) > EXACT_ROWS:
            return search_step(self.loss, self.slope, longest)
        share = self.nu * (1.0 - 1e-12)
        order = np.lexsort((self.outcome, self.margins))  # as they are after the first bit of a way
        filled = np.cumsum(self.prior[order])
        place = min(int(np.searchsorted(filled, share)), len(order) - 1)
        below = np.zeros(len(order), dtype=np.bool_)
        below[order[:place]] = True
        line = (self.margins, self.outcome.astype(np.float64), self.prior)
        terms = (self.nu, share, float(self.target))
        return float(least_along(line, below, int(order[place]), terms, longest, TIE)[0])

    def loss(self, step: float) -> float:
        """Value after a step."""
        margins = self.margins + step * self.outcome
        value, quantile = soft_margin(margins, self.prior, self.nu)
        return (
            softmin(np.maximum(margins - quantile, 0.0), self.prior)[1] - value + self.target * step
        )

    def slope(self, step: float) -> float:
        """Derivative from the right: ties at the quantile are about to part, by their outcomes."""
        margins, outcome, prior = self.margins + step * self.outcome, self.outcome, self.prior
        _, quantile = soft_margin(margins, prior, self.nu)
        weights, _ = softmin(np.maximum(margins - quantile, 0.0), prior)
        below, ties = margins < quantile, np.flatnonzero(margins == quantile)
        ties = ties[np.argsort(outcome[ties], kind="stable")]
        filled = np.cumsum(prior[ties])
        room = max(self.nu - float(prior[below].sum()), 0.0)
        share = np.diff(np.minimum(filled, room), prepend=0.0)
        value_slope = (prior[below] @ outcome[below] + share @ outcome[ties]) / self.nu
        last = min(int(np.searchsorted(filled, room - 1e-12 * self.nu)), len(ties) - 1)
        rise = np.where(below, 0.0, outcome - outcome[ties[last]])
        rise[ties] = np.maximum(rise[ties], 0.0)
        return float(self.target - value_slope - weights @ rise)


@document
class NuArcClassifier(BaseMarginClassifier):
    """ν-Arc: boosting that gives the hardest share ν of the rows no more than its share.

    No row ever weighs more than 1 / (ν N), so mislabelled rows cannot take over. Small ν is
    AdaBoost, ν = 1 is bagging. For the best soft margin with proof take
    :class:`~marginboost.LPBoostClassifier`; ν-Arc is its stochastic, averaging relative.

    Parameters
    ----------
    estimator : Oracle, scikit-learn estimator or None
        Base learner; None is the exact stump. ``TreeOracle(max_depth=3)`` is often better.
    n_estimators : int
        Most rounds.
    nu : float
        Share of the rows that may fall short of the margin, from 1/N to 1; choose it well above
        the share of wrong labels.
    base : {"adaboost", "arc-gv"}
        Descent of AdaBoost or of Arc-GV.
    on_stall : {"stop", "floor", "adaboost_step"}
        What to do where no coefficient of the new hypothesis lowers the objective, which is common:
        end the run as in the thesis, add it with coefficient 0.05, or with that of AdaBoost.
    sampling : {"resample", "reweight"}
        Whether the base learner gets a sample drawn by weight, or the weights. With weights and
        exact stumps the bounds are proven, but large ν may bring the same stump for ever; such a
        run is ended.
    max_step : float
        Longest coefficient. In ``history_`` a capped one equals it.
    tol : float or None
        Stop when the bounds on the largest soft margin are this close; None never does.
    {common}

    Attributes
    ----------
    rho_ : float
        The margin ρ that all rows but a share ν reach.
    soft_margins_ : array
        Margins with slack: ``max(margin, rho_)`` less the price of all slack. The smallest is the
        soft margin of the model.
    {fitted}

    References
    ----------
    Rätsch, *Robust Boosting via Convex Optimization*, 2001, section 4.3.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from marginboost import NuArcClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = NuArcClassifier(nu=0.3).fit(X, y)
    >>> bool((abs(model.dual_) <= 1 / (0.3 * len(y)) + 1e-12).all())
    True
    """

    __summary__: ClassVar[dict[str, str]] = {
        "problem": "exponential loss of margins cut at their ν-quantile",
        "guarantee": "weights ≤ 1/(νN); soft margin certified without draws; no convergence proof",
        "reference": "Rätsch 2001, Alg. 4.6",
    }
    __constraints__: ClassVar[Constraints] = {
        "nu": Number(above=0.0, at_most=1.0),
        "base": BASES,
        "on_stall": ON_STALL,
        "max_step": Number(above=0.0),
        "sampling": ("resample", "reweight"),
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 200,
        nu: float = 0.4,
        base: str = "adaboost",
        on_stall: str = "floor",
        sampling: str = "resample",
        max_step: float = 5.0,
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
        self.base = base
        self.on_stall = on_stall
        self.sampling = sampling
        self.max_step = max_step

    def _algorithm(self) -> Algorithm:
        """Make the algorithm that the parameters mean."""
        oracle = self._base_learner()
        return self._make_algorithm(
            lambda problem, chosen: NuArc(self.nu, self.base, self.on_stall, self.max_step),
            oracle=ResamplingOracle(oracle) if self.sampling == "resample" else oracle,
            link=VoteLink(),
            facts=self._soft_margins,
        )

    def _soft_margins(self, outcome: Outcome) -> dict[str, Any]:
        """ρ and the soft margins of all rows."""
        assert outcome.margins is not None
        value, rho = soft_margin(outcome.run.margins, outcome.run.sample.prior, self.nu)
        return {"rho_": rho, "soft_margins_": np.maximum(outcome.margins, rho) - (rho - value)}
