"""Base learners, seen from the loop."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
from sklearn.base import clone

from ..types import Array
from ..validation import Configurable, Constraints, Effects, check_effects, check_settings
from .hypothesis import Hypothesis
from .parts import Place
from .sample import Sample
from .weights import Weights

T = TypeVar("T")


@dataclass(frozen=True)
class Candidate:
    """A hypothesis, its edge under the weights it was found for, its outputs on the sample.

    ``column`` is int8 when all outputs are -1 or +1: then closed forms apply. ``scale`` is the
    factor by which the base learner means its outputs, which lie in [-1, 1], to be multiplied.
    """

    hypothesis: Hypothesis
    edge: float
    column: Array
    scale: float = 1.0

    @property
    def binary(self) -> bool:
        """Whether all outputs are -1 or +1."""
        return bool(self.column.dtype == np.int8)


class Oracle(Configurable, ABC):
    """Finds hypotheses with a large edge ``Σ_i dual_i h(x_i)``.

    An oracle is made with its settings only (so it can be cloned and searched over like any
    scikit-learn object) and bound to a sample for a run.

    Attributes
    ----------
    saved : bool
        Whether model files may name it: then it is registered, and has plain settings only. A
        subclass says so for itself.
    exact : bool
        Whether ``best`` really maximises the edge over a fixed class of hypotheses. Only then do
        edges prove anything.
    closed : bool
        Whether the negative of every hypothesis belongs to the class too.
    class_name : str
        The class of hypotheses, for the certificate.
    needs_bins : bool
        Whether it reads binned rows.
    reads_curvature : bool
        Whether curvatures make a difference to what it finds.
    offers_one : bool
        Whether it has one hypothesis in a round, however many are asked for.
    on_parts : bool
        Whether it asks all that it must know of rows as questions to parts: see :mod:`.parts`. A
        subclass says so for itself.
    """

    __registry__: ClassVar[dict[str, type[Oracle]]] = {}
    __constraints__: ClassVar[Constraints] = {}
    """What its settings may be; those of base classes hold too."""
    __effects__: ClassVar[Effects] = {}
    """With which other settings its settings have an effect; what base classes say holds too."""

    saved: bool = False
    exact: bool = False
    closed: bool = True
    class_name: str = "the hypotheses of this base learner"
    needs_bins: bool = False
    reads_curvature: bool = False
    offers_one: bool = False
    on_parts: ClassVar[bool] = False
    sample: Sample
    place: Place

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if cls.__dict__.get("saved"):
            Oracle.__registry__[cls.__name__] = cls

    def bind(self, sample: Sample) -> Self:
        """Copy of this oracle that works on ``sample``."""
        bound = clone(self)
        bound.sample = sample
        bound.place = Place(sample, Weights(np.empty(0)))
        bound.check(drawn=True)  # whether weights are drawn is the estimator's to say
        bound.prepare()
        return bound

    def check(self, *, drawn: bool = False) -> None:
        """Raise on settings that cannot work, before any row is read.

        ``drawn`` says that weights will be counts of a sample drawn with replacement.
        """
        check_settings(self)
        check_effects(self)

    def check_asked(self, n_columns: int) -> None:
        """Raise for settings without effect where a rule asks for so many candidates a round."""

    def prepare(self) -> None:
        """Do the work of a new sample that is worth doing once."""

    def ask(self, weights: Weights, question: Callable[..., T], *args: Any) -> list[T]:
        """Answers ``question(place, *args)`` of all parts of the sample on their own weights.

        One table is one part, with the weights given.
        """
        parts = self.sample.parts
        if parts is not None:
            return parts.each(question, *args)
        self.place.weights = weights
        return [question(self.place, *args)]

    def get_state(self) -> dict[str, Any]:
        """Return what a resumed run must know besides the weights, as plain data."""
        return {}

    def set_state(self, saved: dict[str, Any]) -> None:
        """Inverse of :meth:`get_state`."""

    def best(self, weights: Weights | Array, k: int = 1, *, round: int = 1) -> list[Candidate]:
        """Up to ``k`` candidates, largest edge first; the first has the largest edge of all.

        Parameters
        ----------
        weights : Weights or array
            Signed weights, positive where the score should rise, with what else the rule knows;
            an array of them will do.
        k : int
            Most candidates.
        round : int
            Seeds what is random, so that an interrupted run can be repeated from any round.
        """
        return self.find(Weights.of(weights), k, round)

    @abstractmethod
    def find(self, weights: Weights, k: int, round: int) -> list[Candidate]:
        """Do the work of :meth:`best`: what a subclass writes."""
