"""Base learners, seen from the loop."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, clone

from .hypothesis import Hypothesis
from .sample import Sample
from .types import Array


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


@dataclass(frozen=True)
class Reweighting:
    """How weights came from those before: times ``exp(-step · y · column - shift)``.

    A rule that changes weights this way may say so, and an oracle may then look only at the rows
    that it must. Neither is obliged to.
    """

    candidate: Candidate
    step: float
    shift: float


class Oracle(BaseEstimator, ABC):
    """Finds hypotheses with a large edge ``Σ_i dual_i h(x_i)``.

    An oracle is made with its settings only (so it can be cloned and searched over like any
    scikit-learn object) and bound to a sample for a run.

    Attributes
    ----------
    exact : bool
        Whether ``best`` really maximises the edge over a fixed class of hypotheses. Only then do
        edges prove anything.
    class_name : str
        The class of hypotheses, for the certificate.
    needs_bins : bool
        Whether it reads binned rows.
    """

    exact: bool = False
    class_name: str = "the hypotheses of this base learner"
    needs_bins: bool = False
    sample: Sample

    def bind(self, sample: Sample) -> Self:
        """Copy of this oracle that works on ``sample``."""
        bound = clone(self)
        bound.sample = sample
        bound.prepare()
        return bound

    def check(self) -> None:
        """Raise where a setting is not sound, before any row is read."""

    def prepare(self) -> None:
        """Do the work of a new sample that is worth doing once."""

    def hint(self, change: Reweighting | None) -> None:
        """Learn how the next weights came from the last ones, before ``best`` is called."""

    def bend(self, curvature: Array | None) -> None:
        """Learn the curvature that goes with the next weights, before ``best`` is called."""

    def get_state(self) -> dict[str, Any]:
        """Return what a resumed run must know besides the weights, as plain data."""
        return {}

    def set_state(self, saved: dict[str, Any]) -> None:
        """Inverse of :meth:`get_state`."""

    @abstractmethod
    def best(self, dual: Array, k: int = 1, *, round: int = 1) -> list[Candidate]:
        """Up to ``k`` candidates, largest edge first; the first has the largest edge of all.

        ``dual`` holds signed weights: positive where the score should rise. ``round`` seeds what
        is random, so that an interrupted run can be repeated from any round.
        """
