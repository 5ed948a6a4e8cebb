"""What estimators promise to those who write and read their models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Protocol

from .base import Model
from .links import Link


class Saved(Protocol):
    """An estimator that a file can hold: its settings, and the model that it was fitted to."""

    model_: Model
    model_type: ClassVar[type[Model]]
    registry: ClassVar[dict[str, type[Any]]]


class Solver(Protocol):
    """What an estimator knows about the models that it fits."""

    model_type: ClassVar[type[Model]]
    chosen_names: ClassVar[tuple[str, ...]]
    common_scale: ClassVar[bool]
    several_targets: ClassVar[bool]
    n_jobs: int | None

    def check_parameters(self) -> None:
        """Raise for bad settings."""

    def check_chosen(self, chosen: Mapping[str, float]) -> None:
        """Raise for numbers that fit could not have chosen."""

    def model_parts(self, n_classes: int, chosen: Mapping[str, float]) -> tuple[type[Model], Link]:
        """Type and link of a model of one run, of classes."""

    def make_link(self) -> Link:
        """From scores to probabilities."""

    def fits_link(self) -> bool:
        """Whether a file may hold a link that was fitted to votes."""
