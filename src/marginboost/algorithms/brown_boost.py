"""BrownBoost: boost-by-majority in continuous time, which adapts to edges (SF-M14).

Problem: as boost-by-majority, in the limit of infinitely many hypotheses of vanishing edge. Time c
is given; s is what is left of it. An example of margin r = y F has the potential and the weight

    1 - erf((r + s) / √c),        w ∝ prior exp(-(r + s)² / c).

A round adds α h and lets the time t pass such that the mean potential stays the same and h has no
edge left: Σ w y h = 0 at the end. Where time is over first, it ends there. Examples far on the
wrong side weigh little: they are given up.

Guarantee: the mean potential never changes, so when time is over it is 1 - erf(√c), and so the
training error is at most that: c = erfinv(1 - ε)² for an error of ε.
Certificate: as for AdaBoost, the smallest margin bounds the largest one, ρ*, from below, every
largest edge from above.

Reference: Freund, *An adaptive version of the boost by majority algorithm*, 2001.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np
from scipy.special import erf, erfinv

from ..core.oracle import Candidate
from ..core.rule import Rule
from ..core.state import State
from ..core.stop import Stop
from ..estimators.classifier import BaseMarginClassifier, document
from ..estimators.constructors import forward
from ..fitting.algorithm import Algorithm
from ..model import VoteLink
from ..solvers.line_search import increasing_root
from ..types import Array
from ..validation import Constraints, Number

NEGLIGIBLE = 1e-10
"""An edge, a step or a time below this is none."""
ACCURACY = 1e-10
"""Of steps."""
TIME_ACCURACY = 1e-14
LONGEST = 1e6
"""A step beyond this is one of a hypothesis that keeps its edge for ever."""


class BrownBoost(Rule):
    """Steps that leave the mean potential as it is.

    Parameters
    ----------
    error : float
        ε, in (0, 1): training error when time is over.
    """

    def __init__(self, error: float = 0.1) -> None:
        self.error = error
        self._left = self.time

    @property
    def time(self) -> float:
        """Time c that makes the mean potential ε."""
        return float(erfinv(1.0 - self.error)) ** 2

    def start(self, state: State) -> None:
        """Weights that follow the present scores and the time left."""
        self._weigh(state)

    def update(self, state: State, found: list[Candidate]) -> Stop | None:
        """Add the hypothesis, let time pass."""
        best = found[0]
        if best.edge <= NEGLIGIBLE:
            state.note(coef=0.0)
            return Stop.NO_EDGE
        path = _Path(state, best, self._left, self.time)
        step, passed = path.end()
        if step <= NEGLIGIBLE:
            state.note(coef=0.0)
            return Stop.STALLED
        state.move(best, step)
        self._left = max(self._left - passed, 0.0)
        state.note(coef=step)
        state.min_margin = float((state.sample.y * state.scores).min()) / state.l1_norm
        self._weigh(state)
        return Stop.TARGET if self._left <= NEGLIGIBLE else None

    def _weigh(self, state: State) -> None:
        exponent = -((state.sample.y * state.scores + self._left) ** 2) / self.time
        weights = state.sample.prior * np.exp(exponent - exponent.max())
        state.dual[:] = state.sample.y * (weights / weights.sum())

    def get_state(self) -> dict[str, Any]:
        """Return the time left."""
        return {"left": self._left}

    def set_state(self, saved: dict[str, Any]) -> None:
        """Take it back."""
        self._left = float(saved["left"])


class _Path:
    """Steps along a hypothesis, each with the time that keeps the mean potential."""

    def __init__(self, state: State, best: Candidate, left: float, total: float) -> None:
        y = state.sample.y
        self.root, self.left = math.sqrt(total), left
        self.prior, self.outcomes = state.sample.prior, (y * best.column).astype(np.float64)
        self.before = y * state.scores + left
        self.mean = float(self.prior @ erf(self.before / self.root))
        self._times: dict[float, float] = {}

    def time(self, step: float) -> float:
        """Time after which the mean potential is as it was: at most the step."""
        if step in self._times:
            return self._times[step]
        moved = self.before + step * self.outcomes

        def lost(time: float) -> tuple[float, float]:
            at = (moved - time) / self.root
            slope = float(self.prior @ np.exp(-at * at)) * 2.0 / (math.sqrt(math.pi) * self.root)
            return self.mean - float(self.prior @ erf(at)), slope

        self._times[step] = increasing_root(lost, -step, step, TIME_ACCURACY)
        return self._times[step]

    def minus_edge(self, step: float) -> tuple[float, float]:
        """Minus the edge after a step, on its way of constant potential, and its derivative."""
        at = (self.before + step * self.outcomes - self.time(step)) / self.root
        exponent = -at * at
        weights = self.prior * np.exp(exponent - exponent.max())
        weights /= weights.sum()
        edge = float(weights @ self.outcomes)
        spread = weights * (self.outcomes - edge) ** 2
        return -edge, 2.0 * float(spread @ at) / self.root

    def overtime(self, step: float) -> tuple[float, float]:
        """Time beyond what is left, and its derivative, which is the edge."""
        return self.time(step) - self.left, -self.minus_edge(step)[0]

    def end(self) -> tuple[float, float]:
        """Step and time at which no edge is left, or no time."""
        high = self.root
        while self.time(high) < self.left and self.minus_edge(high)[0] < 0.0 and high < LONGEST:
            high *= 2.0
        step = high
        if self.minus_edge(high)[0] > 0.0:
            step = increasing_root(self.minus_edge, 0.0, high, ACCURACY)
        if self.time(step) >= self.left:
            return increasing_root(self.overtime, 0.0, step, ACCURACY), self.left
        return step, self.time(step)


def mean_potential(margins: Array, prior: Array, left: float, total: float) -> float:
    """Mean of ``1 - erf((r + s) / √c)``: what no round changes.

    >>> mean_potential(np.zeros(2), np.array([0.5, 0.5]), 1.0, 1.0) == 1.0 - float(erf(1.0))
    True
    """
    return 1.0 - float(prior @ erf((margins + left) / math.sqrt(total)))


@document
class BrownBoostClassifier(BaseMarginClassifier):
    """Boosting that gives rows up which stay wrong for too long.

    Parameters
    ----------
    estimator : Oracle, scikit-learn estimator or None
        Base learner; None is the exact stump.
    n_estimators : int
        Most rounds; the run ends when its time is over.
    error : float
        Training error to end with, in (0, 1): the larger, the sooner wrong rows are given up.
        Choose it above the share of wrong labels.
    tol : float or None
        Stop when the bounds on the largest margin are this close; None never does.
    {common}

    Attributes
    ----------
    {fitted}

    References
    ----------
    Freund, *An adaptive version of the boost by majority algorithm*, 2001.

    Examples
    --------
    >>> from marginboost import BrownBoostClassifier
    >>> from marginboost.datasets import ring
    >>> X, y = ring(200)
    >>> bool(BrownBoostClassifier().fit(X, y).score(X, y) >= 0.9)
    True
    """

    __summary__: ClassVar[dict[str, str]] = {
        "problem": "boost-by-majority in continuous time: rows wrong for too long are given up",
        "guarantee": "training error ≤ ε when its time erfinv(1 − ε)² is over",
        "reference": "Freund 2001",
    }
    __constraints__: ClassVar[Constraints] = {"error": Number(above=0.0, below=1.0)}

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 50,
        error: float = 0.1,
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
        self.error = error

    def _algorithm(self) -> Algorithm:
        """Make the algorithm that the parameters mean."""
        error = float(self.error)
        return self._make_algorithm(lambda problem, chosen: BrownBoost(error), link=VoteLink())
