"""ε-boosting: the worked example of a new algorithm.

Copy this file, rename it, and change three things: the docstring (say which problem is solved, what
certifies the answer, at which rate, after whom), the rule, the classifier. Subclassing registers
both: contract checks, documentation and benchmarks find them. This module's name begins with an
underscore, so it is not registered; it is tested like the others.

Problem: minimise the exponential loss Σ_i prior_i exp(-y_i F(x_i)) by many equal small steps.

Certificate: as for AdaBoost, the largest edge bounds the largest margin ρ* from above, the smallest
margin bounds it from below. With small steps the margin approaches ρ*.
Rate: none is claimed.

Reference: Rosset, Zhu & Hastie, *Boosting as a regularized path to a maximum margin classifier*,
2004.
"""

from __future__ import annotations

from typing import Any, ClassVar

from ..core.oracle import Candidate
from ..core.rule import Rule
from ..core.state import State
from ..core.stop import Stop
from ..duals.exponential import ExponentialWeights
from ..estimators.classifier import BaseMarginClassifier
from ..fitting.algorithm import Algorithm
from ..validation import Constraints, Number


class SmallSteps(Rule):
    """Give every hypothesis the same small coefficient.

    Parameters
    ----------
    epsilon : float
        The coefficient.
    """

    def __init__(self, epsilon: float = 0.01) -> None:
        # Public attributes are settings: checkpoints compare them. Memory has an underscore.
        self.epsilon = epsilon
        self._weights = ExponentialWeights()

    def start(self, state: State) -> None:
        """Weights that follow the scores: called for a new run and for a resumed one."""
        self._weights.refresh(state, self._weights.shift)

    def value(self, state: State) -> float:
        """What the present combination attains: a lower bound on ρ*."""
        return state.min_margin

    def upper(self, state: State, edge: float) -> float:
        """What the largest edge proves: an upper bound on ρ*."""
        return edge

    def update(self, state: State, found: list[Candidate]) -> Stop | None:
        """One step: change the combination, then the weights, then say whether to stop."""
        if found[0].edge <= 0.0:
            return Stop.NO_EDGE
        self._weights.move(state, found[0], self.epsilon, self._weights.log_total)
        state.note(coef=self.epsilon)
        return None

    def get_state(self) -> dict[str, Any]:
        """Return what a resumed run must know, as plain data."""
        return {"shift": self._weights.shift}

    def set_state(self, saved: dict[str, Any]) -> None:
        """Take it back."""
        self._weights.shift = float(saved["shift"])


class SmallStepsClassifier(BaseMarginClassifier):
    """ε-boosting; ``__init__`` stores, ``_algorithm`` says what the parameters mean."""

    __constraints__: ClassVar[Constraints] = {"epsilon": Number(above=0.0)}

    def __init__(
        self, estimator: Any = None, *, n_estimators: int = 1000, epsilon: float = 0.01
    ) -> None:
        super().__init__(estimator, n_estimators=n_estimators)
        self.epsilon = epsilon

    def _algorithm(self) -> Algorithm:
        """Make the algorithm that the parameters mean."""
        return self._make_algorithm(lambda problem, chosen: SmallSteps(self.epsilon))
