"""A fitted cascade: models of two classes one after the other, each with its threshold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..types import Array
from .base import FittedRun, Model
from .classes import BinaryModel


@dataclass(frozen=True)
class CascadeStage:
    """One stage: rows with a vote above the threshold pass.

    Attributes
    ----------
    model : BinaryModel
        What votes.
    threshold : float
        Vote that a row must exceed.
    detection_rate, false_positive_rate : float
        Shares of the positive and of the negative rows that pass.
    """

    model: BinaryModel
    threshold: float
    detection_rate: float
    false_positive_rate: float


@dataclass(frozen=True)
class CascadeModel(Model):
    """Stages that a row has to pass, all of the same two classes and features.

    Attributes
    ----------
    classes : array
        The two labels; the second is the positive class.
    stages : tuple of CascadeStage
        At least one.
    """

    classes: Array
    stages: tuple[CascadeStage, ...]

    @property
    def runs(self) -> tuple[FittedRun, ...]:
        """One run per stage."""
        return tuple(stage.model.run for stage in self.stages)

    @property
    def reduced(self) -> bool:
        """True: several models make this one."""
        return True

    def to_onnx(self, largest_log: float | None = None) -> Any:
        """Refused: stages stop early, which a graph of operators does not."""
        raise TypeError("to_onnx: got a cascade, expected one run; each stage can be exported")
