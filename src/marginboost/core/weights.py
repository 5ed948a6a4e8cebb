"""Weights of the examples: all that an oracle learns from a rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..types import Array

if TYPE_CHECKING:
    from .oracle import Candidate


@dataclass(frozen=True)
class Reweighting:
    """How weights came from those before: times ``exp(-step · y · column - shift)``.

    A rule that changes weights this way may say so, and an oracle may then look only at the rows
    that it must. Neither is obliged to.
    """

    candidate: Candidate
    step: float
    shift: float


@dataclass(eq=False, slots=True)
class Weights:
    """What the rows pull, how strongly that changes with the scores, and how it came about.

    One object, so that a wrapper around an oracle passes everything on, or says what it changed.

    Parameters
    ----------
    dual : array
        Signed weights: positive where the score should rise.
    curvature : array, optional
        Second derivatives of the loss at the present scores, times the weights of the rows on the
        same scale as ``dual``, where the rule knows them.
    change : Reweighting, optional
        How ``dual`` came from what it was in the call before, where the rule can say.
    size : float
        What slopes and curvatures were divided by to get ``dual`` and ``curvature``, where the
        rule knows them.
    total_curvature : float, optional
        Sum of ``curvature``, exact but for its rounding, where the rule knows it and the sizes of
        ``dual`` sum to one.
    residual : array, optional
        What is left of the targets, where every leaf of a tree is to have their median.
    """

    dual: Array
    curvature: Array | None = None
    change: Reweighting | None = None
    size: float = 1.0
    total_curvature: float | None = None
    residual: Array | None = None

    @classmethod
    def of(cls, weights: Weights | Array) -> Weights:
        """Weights from themselves, or from signed weights alone.

        >>> Weights.of(np.array([0.5, -0.5])).curvature is None
        True
        """
        return weights if isinstance(weights, Weights) else cls(np.asarray(weights))
