"""LPBoost: the soft-margin linear program by column generation (ratsch-2 A3, A8; eq. 4.12, A.9).

Problem, with prior weights p (1/N without sample_weight) and ν in (0, 1]:

    max_{α, ρ, ξ}  ρ - (1/ν) Σ_i p_i ξ_i   s.t.  y_i F(x_i) >= ρ - ξ_i,  Σα = 1,  α, ξ >= 0.

Dual:  min_d max_h Σ_i d_i y_i h(x_i)   s.t.  Σ d = 1,  0 <= d_i <= p_i / ν.

At most a share ν of the weight ends below ρ, and a mislabelled row can never carry more than its
cap: that is what makes the model robust. ν = None is the hard margin (no cap).

Each round asks the oracle for the best hypotheses under d, adds them, and solves the problem over
all hypotheses found: by the simplex method for few rows, smoothed for many.

Certificate: any capped d gives an upper bound by its largest edge, any α a lower bound by its soft
margin. Both are computed from scratch, so the bracket is valid even where the master is not exact.
Rate: finite for a finite class; none in general.

References: Demiriz, Bennett & Shawe-Taylor 2002; Rätsch 2001, section 4.3.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from ..core.oracle import Candidate
from ..core.pool import ColumnPool
from ..core.rule import Rule
from ..core.run import Run
from ..core.sample import Sample
from ..core.state import State
from ..core.stop import Stop
from ..core.types import Array
from ..estimators import BaseMarginClassifier, document, vote_share
from ..solvers.simplex_master import SimplexMaster
from ..solvers.smooth_master import SmoothMaster
from ..solvers.soft_margin import caps, soft_margin
from ..validation import check_choice, check_number

SOLVERS = ("auto", "simplex", "smooth")
SIMPLEX_ROWS = 2000
"""Rows up to which "auto" means the simplex method."""
IDLE_ROUNDS = 10
"""Rounds without weight after which the smoothed master forgets a hypothesis."""


class LPBoost(Rule):
    """Totally corrective maximisation of the soft margin.

    Parameters
    ----------
    nu : float or None
        Share of weight that may fall short, in (0, 1]; None is the hard margin.
    solver : {"auto", "simplex", "smooth"}
        How the master problem is solved.
    columns : int
        Hypotheses asked for in a round.
    """

    def __init__(self, nu: float | None = 0.3, solver: str = "auto", columns: int = 16) -> None:
        self.nu = nu
        self.objective = "margin" if nu is None else "soft margin"
        self.solver = solver
        self.columns_per_round = columns
        self._value = -1.0
        self._gap = 2.0
        self._batches: list[int] = []
        self._trial: list[float] = []
        self._in_pool: Array = np.empty(0, dtype=int)
        self._idle: Array = np.empty(0, dtype=int)
        self._point = (0.0, 1.0)
        self._rho = 0.0

    # -- the contract ----------------------------------------------------------------------------

    def start(self, state: State) -> None:
        """Begin with the prior as weights, or take up a run by its hypotheses."""
        sample = state.sample
        self._caps = caps(sample.prior, self.nu)
        few = len(sample.y) <= SIMPLEX_ROWS
        exact = self.solver == "simplex" or (self.solver == "auto" and few)
        state.pool = ColumnPool(len(sample.y), sample.n_threads)
        self._known = {state.members[t] for t in self._in_pool}
        self._simplex = SimplexMaster(self._caps) if exact else None
        self._smooth = SmoothMaster(sample.y, self._caps, sample.n_threads, self._rho)
        state.dual[:] = sample.y * sample.prior
        self._replay(state)

    def value(self, state: State) -> float:
        """Soft margin of the present combination."""
        return self._value

    def value_of(self, outcomes: Array, length: float, sample: Sample) -> float:
        """Soft margin of any combination."""
        return soft_margin(outcomes / (length or 1.0), sample.prior, self.nu)[0]

    def upper(self, state: State, edge: float) -> float:
        """Largest edge under capped weights."""
        return edge

    def update(self, state: State, found: list[Candidate]) -> Stop | None:
        """Add what is new, solve the master problem, take its combination if it is better."""
        assert state.pool is not None
        new = [c for c in found if c.hypothesis not in self._known]
        if self._simplex is not None and not new:
            state.note(coef=0.0)
            return Stop.NO_EDGE
        state.enlarge(new)
        self._known.update(c.hypothesis for c in new)
        self._batches.append(len(new))
        self._gap = min(self._gap, max(state.upper - self._value, 1e-12))
        coef, weights = self._solve(state, len(new))
        self._accept(state, coef)
        state.dual[:] = state.sample.y * weights
        state.note(coef=float(coef[-1]) if len(coef) else 0.0)
        return None

    def _accept(self, state: State, coef: Array) -> None:
        assert state.pool is not None
        scores = state.pool.combine(coef)
        value = self.value_of(state.sample.y * scores, float(coef.sum()), state.sample)
        if value > self._value or state.length == 0.0:
            self._value = value
            whole = np.zeros(len(state.members))
            whole[self._in_pool] = coef
            state.replace(whole, scores)

    # -- the master problem ----------------------------------------------------------------------

    def _solve(self, state: State, n_new: int) -> tuple[Array, Array]:
        """Coefficients of the pooled hypotheses and weights of the examples."""
        assert state.pool is not None
        first = len(state.members) - n_new
        self._in_pool = np.append(self._in_pool, np.arange(first, len(state.members)))
        self._idle = np.append(self._idle, np.zeros(n_new, dtype=int))
        if self._simplex is not None:
            for column in state.pool.columns[len(state.pool) - n_new :]:
                self._simplex.add(state.sample.y * column)
            return self._simplex.solve()
        start = np.append(self._trial, np.zeros(n_new))
        if not start.any():
            start[0] = 1.0
        coef = self._smooth.solve(state.pool, start, self._gap)
        scores = state.pool.combine(coef)
        self._point = self._smooth.point(scores, self._gap)
        self._rho = self._smooth.rho
        return self._forget(state, coef), self._smooth.weights_at(scores, *self._point)

    def _forget(self, state: State, coef: Array) -> Array:
        """Drop hypotheses that have had no weight for a while."""
        assert state.pool is not None
        self._idle = np.where(coef > 0.0, 0, self._idle + 1)
        used = np.array(state.coef)[self._in_pool] > 0.0
        keep = np.flatnonzero((self._idle < IDLE_ROUNDS) | used)
        if len(keep) < len(coef):
            dropped = np.setdiff1d(self._in_pool, self._in_pool[keep])
            self._known -= {state.members[t] for t in dropped}
            state.pool.keep(keep)
            self._in_pool, self._idle, coef = self._in_pool[keep], self._idle[keep], coef[keep]
        self._trial = coef.tolist()
        return coef

    # -- going on after an interruption ----------------------------------------------------------

    def _replay(self, state: State) -> None:
        """Rebuild the pool and the weights of a resumed run; nothing to do for a new one."""
        if not state.members:
            return
        assert state.pool is not None
        for t in self._in_pool:
            state.pool.append(state.sample.column(state.members[t]))
        state.min_margin = float(np.min(state.sample.y * state.scores)) / state.length
        if self._simplex is None:
            scores = state.pool.combine(np.array(self._trial))
            state.dual[:] = state.sample.y * self._smooth.weights_at(scores, *self._point)
            return
        columns = iter(state.pool.columns)
        for size in self._batches:  # the same additions in the same order end in the same basis
            for _ in range(size):
                self._simplex.add(state.sample.y * next(columns))
            _, weights = self._simplex.solve()
        state.dual[:] = state.sample.y * weights

    def memory(self) -> dict[str, Any]:
        """Return the pool, the trial coefficients and the temperature."""
        return {
            "value": self._value,
            "gap": self._gap,
            "batches": self._batches,
            "trial": self._trial,
            "in_pool": self._in_pool.tolist(),
            "idle": self._idle.tolist(),
            "point": list(self._point),
            "rho": self._rho,
        }

    def recall(self, memory: dict[str, Any]) -> None:
        """Take it back."""
        self._value, self._gap = float(memory["value"]), float(memory["gap"])
        self._batches = [int(size) for size in memory["batches"]]
        self._trial = [float(weight) for weight in memory["trial"]]
        self._in_pool = np.array(memory["in_pool"], dtype=int)
        self._idle = np.array(memory["idle"], dtype=int)
        rho, beta = memory["point"]
        self._point = (float(rho), float(beta))
        self._rho = float(memory["rho"])


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
        Share of the rows that may fall short of the margin, in (0, 1]: at most so many do, and no
        row weighs more than 1 / (ν N). Choose it above the share of wrong labels. None is the hard
        margin.
    solver : {"auto", "simplex", "smooth"}
        Master problem: the simplex method (exact, for few rows) or a smoothed problem (for many).
    tol : float or None
        Gap at which to stop.
    {common}

    Attributes
    ----------
    rho_ : float
        The margin ρ that all rows but those bought off reach.
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

    summary: ClassVar[dict[str, str]] = {
        "problem": "largest soft margin: a share ν of the rows may fall short",
        "guarantee": "solved to a certified gap; at most a share ν of margin errors",
        "reference": "Demiriz et al. 2002; Rätsch 2001, eq. 4.12",
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 1000,
        nu: float | None = 0.3,
        solver: str = "auto",
        tol: float | None = 1e-3,
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
            max_bins=max_bins,
            categorical_features=categorical_features,
            callbacks=callbacks,
            n_jobs=n_jobs,
            random_state=random_state,
            verbose=verbose,
        )
        self.nu = nu
        self.solver = solver

    def _make_rule(self) -> LPBoost:
        if self.nu is not None:
            check_number("nu", self.nu, above=0.0, at_most=1.0)
        check_choice("solver", self.solver, SOLVERS)
        return LPBoost(self.nu, self.solver)

    def _keep(self, run: Run, *details: Any) -> None:
        super()._keep(run, *details)
        _, self.rho_ = soft_margin(run.margins, run.sample.prior, self.nu)

    def _probabilities(self, scores: Array) -> Array:
        return vote_share(scores, self.ensemble_.length)
