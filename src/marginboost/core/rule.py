"""Algorithms, seen from the loop."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ..types import Array
from .objective import Margin, Objective
from .oracle import Candidate
from .sample import Sample
from .stop import Stop

if TYPE_CHECKING:
    from .ensemble import Ensemble
    from .state import State


class Rule(ABC):
    """How new hypotheses change the combination, which weights follow, and what that proves.

    A subclass outside a module whose name starts with an underscore is registered by its class
    name: contract checks, the table of algorithms and the benchmark grid find it there. Rules draw
    no random numbers. What they remember between rounds goes through ``get_state`` and
    ``set_state``, so that an interrupted run can go on.
    """

    __registry__: ClassVar[dict[str, type[Rule]]] = {}

    columns_per_round: int = 1
    loss: Any = None
    """Loss that the rule minimises, where it does; see :mod:`marginboost.losses`."""
    uncertified_reason: str = ""
    """Why the bounds prove nothing even with an exact base learner, where that is so."""
    on_parts: ClassVar[bool] = False
    """Whether it asks all that it must know of rows as questions to parts: see :mod:`.parts`. A
    subclass says so for itself."""
    maximises_margin: ClassVar[bool] = False
    """Whether the run should return its combination of largest margin instead of its last one."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if not cls.__module__.rpartition(".")[2].startswith("_"):
            Rule.__registry__[cls.__name__] = cls

    @property
    def objective(self) -> Objective:
        """What the bounds are about; here the smallest margin."""
        return Margin()

    @abstractmethod
    def start(self, state: State) -> None:
        """Set the first weights."""

    def value(self, state: State) -> float:
        """Objective of the present combination, a lower bound on the best one; here the margin."""
        return state.min_margin

    def value_of(self, outcomes: Array, l1_norm: float, sample: Sample) -> float:
        """Objective of any combination, from its outcomes and Σ|coef|; here the smallest margin.

        Outcomes are ``y F(x)`` of labels and ``F(x)`` of targets, see :meth:`Sample.outcomes`.
        """
        return float(outcomes.min()) / (l1_norm or 1.0)

    def value_on(self, state: State, ensemble: Ensemble) -> float:
        """Objective of any combination on the rows of a run."""
        outcomes = state.sample.outcomes(state.sample.scores(ensemble))
        return self.value_of(outcomes, self.norm(ensemble), state.sample)

    def norm(self, ensemble: Ensemble) -> float:
        """Norm of the coefficients, as :meth:`value_of` means it: of all that have a price."""
        return ensemble.l1_norm

    def mean_loss(self, truth: Array, scores: Array, weights: Array | None = None) -> float | None:
        """Mean of the loss that the rule minimises, on other rows; None where it has none.

        ``truth`` are labels -1 and +1, one column per class where there are several, or targets.
        """
        loss = self.loss
        if loss is None or truth.ndim > 1:
            return None
        return float(np.average(loss.value(loss.argument(truth, scores)), weights=weights))

    def upper(self, state: State, edge: float) -> float:
        """Upper bound that follows from ``edge`` being the largest under the present weights.

        Here ``edge`` itself: no combination has a larger smallest margin (R1-C16).
        """
        return edge

    @abstractmethod
    def update(self, state: State, found: list[Candidate]) -> Stop | None:
        """Change the combination and the weights; say whether, and why, to stop."""

    def begin_like(self, n_rows: int, took_many: bool, sample: Sample) -> bool:
        """Begin a run on a few of so many rows as one on all of them does: with much at once.

        ``took_many`` says that that one has more hypotheses than its rounds found. Returns whether
        it does; then what it begins with is near enough to the best.
        """
        return False

    def start_from(self, before: Rule) -> None:  # noqa: B027 - nothing is a good default
        """Learn of a finished run on the same sample, with other parameters, to begin with."""

    def get_state(self) -> dict[str, Any]:
        """Return what the rule must know to go on, as plain data."""
        return {}

    def set_state(self, saved: dict[str, Any]) -> None:  # noqa: B027 - nothing is a good default
        """Inverse of :meth:`get_state`."""
