"""Rows of a fit once they are checked, of classes and of numbers, and what else a fit gets."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from ..core.callbacks import Callback
from ..core.labels import own_labels
from ..core.parts import Parts
from ..data import BinnedMatrix
from ..model import FittedRun, Model
from ..model.features import FeatureRows, Features
from ..types import Array
from .held_back import HeldBack

SIGNS = np.array([-1, 1], dtype=np.int8)
"""Sides of two classes."""


# -- what a fit gets besides its rows --------------------------------------------------------------


@dataclass(frozen=True)
class Watched:
    """Validation rows.

    Attributes
    ----------
    rows : Table or BinnedMatrix
        The rows.
    truth : array
        Positions of classes, then labels as the rule knows them; or targets.
    weights : array
        Weights of the rows.
    """

    rows: FeatureRows
    truth: Array
    weights: Array

    def of_sides(self, sides: Array) -> Watched:
        """Rows of the classes on either side, labelled -1 and 1."""
        signs = sides[self.truth].astype(np.int8)
        used = np.flatnonzero(signs)
        rows = self.rows if len(used) == len(signs) else self.rows.take(used)
        return Watched(rows, signs[used], self.weights[used])

    def of_labels(self, n_classes: int) -> Watched:
        """Same rows, labelled -1 and 1 for every class."""
        signs = np.where(own_labels(self.truth, n_classes), 1, -1).astype(np.int8)
        return replace(self, truth=signs)


@dataclass(frozen=True)
class Extras:
    """What a fit knows besides the rows that it learns from.

    Attributes
    ----------
    watched : Watched or None
        Validation rows.
    stops : bool
        Whether the run ends when these gain no more.
    before : tuple of FittedRun
        Runs to go on from, one for each problem.
    more : bool
        Whether all rounds come on top of those.
    """

    watched: Watched | None = None
    stops: bool = False
    before: tuple[FittedRun, ...] = ()
    more: bool = False

    def of_sides(self, sides: Array) -> Extras:
        """For a problem of two sides."""
        return self if self.watched is None else replace(self, watched=self.watched.of_sides(sides))

    def of_labels(self, n_classes: int) -> Extras:
        """For hypotheses that answer for all classes."""
        if self.watched is None:
            return self
        return replace(self, watched=self.watched.of_labels(n_classes))

    def of_target(self, k: int) -> Extras:
        """For one of several targets."""
        extras = self.of_problem(k)
        if self.watched is None:
            return extras
        return replace(extras, watched=replace(self.watched, truth=self.watched.truth[:, k]))

    def of_problem(self, k: int) -> Extras:
        """For one of several problems."""
        return replace(self, before=self.before[k : k + 1])


NO_EXTRAS = Extras()


class Given(NamedTuple):
    """What a caller of fit gives besides rows, labels and weights.

    ``before`` is the model to go on from; ``more`` says that all rounds come on top of it;
    ``queries`` are those of rows and validation rows, where there are any.
    """

    eval_set: Any = None
    before: Model | None = None
    more: bool = False
    queries: Any = None


NOTHING_GIVEN = Given()


class Start(NamedTuple):
    """How a run begins: callbacks of its own, and rounds that come on top."""

    callbacks: tuple[Callback, ...] = ()
    rounds: int = 0


# -- rows ------------------------------------------------------------------------------------------


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
    held : HeldBack, optional
        Rows in parts that are held back from a second fit, where they are already here.
    """

    features: Features
    rows: FeatureRows
    classes: Array
    labels: Array
    weights: Array
    parts: Parts | None = None
    sides: Array | None = None
    extras: Extras = NO_EXTRAS
    held: HeldBack | None = None

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


FitData = TrainingSet | TargetSet
