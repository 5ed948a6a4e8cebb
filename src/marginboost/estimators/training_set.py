"""Rows of a fit once they are checked: of classes, and of numbers."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..core.parts import Parts
from ..data import BinnedMatrix
from ..model.features import FeatureRows, Features
from ..types import Array
from .staged import NO_EXTRAS, Extras

SIGNS = np.array([-1, 1], dtype=np.int8)
"""Sides of two classes."""


@dataclass(frozen=True)
class TrainingSet:
    """Checked rows of a fit.

    Attributes
    ----------
    features : Features
        Names and kinds of the columns.
    rows : Table or BinnedMatrix
        The rows.
    classes : array
        The labels.
    labels : array of int
        Position of each row's class; in a problem of two sides -1, 1, or 0 for neither.
    weights : array
        Weights of the rows.
    parts : Parts, optional
        Where the rows are, if not here: then ``rows`` are binned ones, none of them, and there are
        no labels and weights.
    sides : array, optional
        Side of each class in a problem of two sides.
    extras : Extras
        Validation rows, and a model to go on from.
    """

    features: Features
    rows: FeatureRows
    classes: Array
    labels: Array
    weights: Array
    parts: Parts | None = None
    sides: Array | None = None
    extras: Extras = NO_EXTRAS

    @property
    def truth(self) -> Array:
        """The labels."""
        return self.labels

    @property
    def strata(self) -> Array:
        """Groups of rows of which each keeps some when others are held back: the classes."""
        return self.labels

    @property
    def used(self) -> Array:
        """Mask of the rows that a problem of two sides learns from."""
        return (self.weights > 0) & (self.labels != 0)

    def of_signs(self) -> TrainingSet:
        """Same rows of two classes, labelled -1 and 1."""
        extras = self.extras.of_sides(SIGNS)
        return replace(self, labels=SIGNS[self.labels], sides=SIGNS, extras=extras)

    def of_problem(self, k: int) -> TrainingSet:
        """Same rows for one of several problems, with the run that it goes on from."""
        return replace(self, extras=self.extras.of_problem(k))

    def of_sides(self, sides: Array) -> TrainingSet:
        """Same rows as a problem of two classes, given the side of each class."""
        return replace(
            self,
            classes=np.array([-1, 1]),
            labels=sides[self.labels].astype(np.int8),
            sides=sides,
            extras=self.extras.of_sides(sides),
        )


@dataclass(frozen=True)
class TargetSet:
    """Checked rows of a fit to numbers.

    Attributes
    ----------
    features : Features
        Names and kinds of the columns.
    rows : Table or BinnedMatrix
        The rows.
    targets, weights : array
        Their targets, of several ones a column each, and weights.
    extras : Extras
        Validation rows, and a model to go on from.
    bins : BinnedMatrix, optional
        Bins of the rows with weight, where they are already made.
    column : int, optional
        Which of several targets these are.
    parts : Parts, optional
        Where the rows are, if not here: then ``rows`` are binned ones, none of them, and there are
        no targets and weights.
    """

    features: Features
    rows: FeatureRows
    targets: Array
    weights: Array
    extras: Extras = NO_EXTRAS
    bins: BinnedMatrix | None = None
    column: int | None = None
    parts: Parts | None = None

    def of_target(self, k: int) -> TargetSet:
        """Same rows for one of several targets."""
        extras = self.extras.of_target(k)
        return replace(self, targets=self.targets[:, k], extras=extras, column=k)

    @property
    def truth(self) -> Array:
        """The targets."""
        return self.targets

    @property
    def strata(self) -> Array:
        """Groups of rows of which each keeps some when others are held back: all are one."""
        return np.zeros(len(self.weights), np.int8)
