"""Marginal AdaBoost: binary search for the largest margin (R1-A14, algorithm 2.3).

Problem: the largest minimum margin, value ρ*.

Runs of AdaBoost_ϱ, each with a target in the middle of the interval [l, u] known to hold ρ*. A run
that reaches its target raises l to the margin reached; one that does not, in T rounds, proves
ρ* < ϱ + ε (Cor. 2.3) and lowers u; every edge seen lowers u too. When the interval is at most 3ε,
or after R runs, a last run with target l - ε makes the model.

Certificate: the interval [l, u].
Rate: margin at least ρ* - 4ε with at most T (R + 1) calls of the base learner (Thm 2.3),
T = ⌈2 ln(N) / ε²⌉ + 1. The thesis takes R = ⌈log2(1/ε)⌉, which only gives 5ε because its proof is
off by one (R1-X12); R = ⌈log2(2/ε)⌉, the default here, gives the 4ε. The next target is the middle
of the *new* interval; the thesis prints the old one (R1-X11).

The restarts are memory of the rule, not a second loop.

Reference: Rätsch 2001, section 2.4.2.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar

from ..core.oracle import Candidate
from ..core.sample import Sample
from ..core.state import State
from ..core.stop import Stop
from ..estimators.classifier import BaseMarginClassifier, document
from ..estimators.constructors import forward
from ..fitting.algorithm import Algorithm
from ..validation import Constraints, Number
from .adaboost import AdaBoost


def run_length(n_rows: float, epsilon: float) -> int:
    """T: rounds within which a reachable target is reached (R1-V04).

    >>> [run_length(100, epsilon) for epsilon in (0.1, 0.05, 0.25)]
    [923, 3686, 149]
    """
    return math.ceil(2.0 * math.log(n_rows) / epsilon**2) + 1


def search_runs(epsilon: float, bound: str = "safe") -> int:
    """R: runs of the search, by the corrected bound ("safe") or as printed ("thesis").

    >>> search_runs(0.1), search_runs(0.1, "thesis")
    (5, 4)
    """
    return max(1, math.ceil(math.log2((2.0 if bound == "safe" else 1.0) / epsilon)))


class MarginalAdaBoost(AdaBoost):
    """AdaBoost_ϱ with a binary search on ϱ.

    Parameters
    ----------
    epsilon : float
        Accuracy ε of the search, in (0, 1).
    search_bound : {"safe", "thesis"}
        Which number of search runs.
    last_run_length : int, optional
        Rounds of the last run; None is T.
    """

    on_parts = True
    maximises_margin = True

    def __init__(
        self,
        epsilon: float = 0.1,
        search_bound: str = "safe",
        last_run_length: int | None = None,
    ) -> None:
        super().__init__()
        self.epsilon = epsilon
        self.search_bound = search_bound
        self.last_run_length = last_run_length
        self._low, self._high, self._target = -1.0, 1.0, 0.0
        self._run = 1
        self._rounds = 0
        self._searching = True

    def target(self, state: State, edge: float) -> float:
        """Target of the present run."""
        return self._target

    def update(self, state: State, found: list[Candidate]) -> Stop | None:
        """One round of AdaBoost_ϱ; at the end of a search run, the next run."""
        self._rounds += 1
        self._high = min(self._high, found[0].edge)
        stop = super().update(state, found)
        self._low = max(self._low, state.min_margin)
        if stop is Stop.PERFECT and state.min_margin == 1.0:
            return stop
        length = run_length(state.sample.effective_rows, self.epsilon)
        if not self._searching:
            over = self._rounds >= (self.last_run_length or length)
            return stop or (Stop.ROUNDS if over else None)
        reached = state.size > 0 and state.min_margin >= self._target
        spent = self._rounds >= length
        if spent and not reached:
            self._high = min(self._high, self._target + self.epsilon)
        if reached or spent or stop is Stop.NO_EDGE:
            self._next_run(state)
        return None

    def _next_run(self, state: State) -> None:
        """Choose the next target and begin again from nothing."""
        state.bracket(lower=self._low, upper=self._high)
        done = self._high - self._low <= 3.0 * self.epsilon
        if done or self._run >= search_runs(self.epsilon, self.search_bound):
            self._searching = False
            # Away from -1, where every hypothesis would get an infinite coefficient.
            self._target = max(self._low - self.epsilon, -1.0 + 1e-9)
        else:
            self._target = (self._low + self._high) / 2.0
        self._run += 1
        self._rounds = 0
        state.restart()
        self._weights.refresh(state, 0.0)

    def get_state(self) -> dict[str, Any]:
        """Return the state of the search."""
        search = (self._low, self._high, self._target, self._run, self._rounds, self._searching)
        return {**super().get_state(), "search": list(search)}

    def set_state(self, saved: dict[str, Any]) -> None:
        """Take the state of the search back."""
        super().set_state(saved)
        low, high, target, run, rounds, searching = saved["search"]
        self._low, self._high, self._target = float(low), float(high), float(target)
        self._run, self._rounds, self._searching = int(run), int(rounds), bool(searching)


@document
class MarginalAdaBoostClassifier(BaseMarginClassifier):
    """Marginal AdaBoost: maximum margin by binary search, with a bound on the work.

    The model returned is the round of largest minimum margin, of all runs.

    Parameters
    ----------
    estimator : Oracle, scikit-learn estimator or None
        Base learner; None is the exact stump.
    n_estimators : int or None
        Most hypotheses of the last run; None is what the guarantee needs, ⌈2 ln(N) / ε²⌉ + 1.
    epsilon : float
        Accuracy of the search, in (0, 1): the margin is at least ρ* - 4ε. Choose it small against
        the margin that can be hoped for, else plain AdaBoost may end with a larger one.
    search_bound : {"safe", "thesis"}
        Number of search runs: ⌈log2(2/ε)⌉, for which the guarantee holds, or ⌈log2(1/ε)⌉ as
        printed in the thesis.
    tol : float or None
        Stop when the bounds on the largest margin are this close; None never does.
    {common}

    Attributes
    ----------
    {fitted}

    References
    ----------
    Rätsch, *Robust Boosting via Convex Optimization*, 2001, algorithm 2.3.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from marginboost import MarginalAdaBoostClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = MarginalAdaBoostClassifier(epsilon=0.1, n_estimators=200).fit(X, y)
    >>> bool(model.certificate_.value >= model.certificate_.upper - 4 * 0.1)
    True
    """

    __capabilities__: ClassVar[dict[str, bool]] = {"rows_in_parts": True}
    __summary__: ClassVar[dict[str, str]] = {
        "problem": "largest minimum margin, by binary search on the target",
        "guarantee": "margin ≥ ρ* − 4ε in (⌈log₂(2/ε)⌉ + 1)(2 ln N / ε² + 1) calls",
        "reference": "Rätsch 2001, Alg. 2.3",
    }
    __constraints__: ClassVar[Constraints] = {
        "n_estimators": Number(at_least=1, integer=True, optional=True),
        "epsilon": Number(above=0.0, below=1.0),
        "search_bound": ("safe", "thesis"),
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int | None = None,
        epsilon: float = 0.1,
        search_bound: str = "safe",
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
        self.epsilon = epsilon
        self.search_bound = search_bound

    def _algorithm(self) -> Algorithm:
        """Make the algorithm that the parameters mean."""
        # Scores grow with every round, whatever the odds are: votes are calibrated.
        return self._make_algorithm(
            lambda problem, chosen: MarginalAdaBoost(
                self.epsilon, self.search_bound, self.n_estimators
            ),
            rounds=self._most_rounds,
            calibrated=True,
        )

    def _most_rounds(self, sample: Sample) -> int:
        """Rounds of the search, and of the last run."""
        length = run_length(sample.effective_rows, self.epsilon)
        searching = length * search_runs(self.epsilon, self.search_bound)
        return searching + (self.n_estimators or length)
