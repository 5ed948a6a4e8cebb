"""What estimators promise to those who write and read their models."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Protocol

from .base import Model
from .links import Link


class Saved(Protocol):
    """An estimator that a file can hold: its settings, and the model that it was fitted to."""

    model_: Model
    __model_type__: ClassVar[type[Model]]
    __registry__: ClassVar[dict[str, type[Any]]]


class Solver(Protocol):
    """What an algorithm knows about the models that its fits make."""

    name: str
    calibrated: bool
    common_scale: bool
    several_targets: bool
    chosen_names: tuple[str, ...]

    @property
    def required_names(self) -> tuple[str, ...]:
        """Chosen numbers that every file has."""

    @property
    def model_type(self) -> type[Model]:
        """Type of the model of one run."""

    @property
    def usual_link(self) -> Link:
        """From scores to probabilities, where no sigmoid was fitted to votes."""

    @property
    def check_chosen(self) -> Callable[[Mapping[str, float]], None]:
        """Function that raises for numbers that fit could not have chosen."""

    def model_parts(self, n_classes: int, chosen: Mapping[str, float]) -> tuple[type[Model], Link]:
        """Type and link of a model of one run, of classes."""
