"""The rows of a fit once they are checked, and what a fit is given besides them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..core.labels import own_labels
from ..core.parts import Parts
from ..data import BinnedMatrix
from ..model import FittedRun
from ..model.features import FeatureRows, Features
from ..types import Array
from .held_back import HeldBack

SIGNS = np.array([-1, 1], dtype=np.int8)
"""Sides of two classes."""

ReadMore = Callable[[Any, Any], tuple[FeatureRows, Array]]
"""Reads further rows of a fit, with positions of classes or targets, from ``X`` and ``y``."""


@dataclass(frozen=True)
class ValidationRows:
    """Rows that a fit is judged by after every round.

    Attributes
    ----------
    rows : Table or BinnedMatrix
        The rows.
    truth : array
        Positions of their classes, or their targets; in one run the signs ±1 that the rule knows.
    weights : array
        Weights of the rows.
    queries : array, optional
        Query of each row, where rows are ranked.
    """

    rows: FeatureRows
    truth: Array
    weights: Array
    queries: Array | None = None

    def of_sides(self, sides: Array) -> ValidationRows:
        """Rows of the classes on either side, labelled -1 and 1."""
        signs = sides[self.truth].astype(np.int8)
        used = np.flatnonzero(signs)
        rows = self.rows if len(used) == len(signs) else self.rows.take(used)
        return ValidationRows(rows, signs[used], self.weights[used])

    def of_labels(self, n_classes: int) -> ValidationRows:
        """Same rows, labelled -1 and 1 for every class."""
        signs = np.where(own_labels(self.truth, n_classes), 1, -1).astype(np.int8)
        return replace(self, truth=signs)

    def of_target(self, k: int) -> ValidationRows:
        """Same rows with one of several targets."""
        return replace(self, truth=self.truth[:, k])


@dataclass(frozen=True)
class Options:
    """What a fit is given besides its rows.

    Attributes
    ----------
    validation : ValidationRows or None
        Rows that every round is judged by.
    stops : bool
        Whether the run ends when their loss no longer falls.
    before : tuple of FittedRun
        Runs to go on from, one for each problem.
    adds_rounds : bool
        Whether all rounds come on top of those.
    """

    validation: ValidationRows | None = None
    stops: bool = False
    before: tuple[FittedRun, ...] = ()
    adds_rounds: bool = False

    def of_problem(self, k: int) -> Options:
        """Options of one of several problems."""
        return replace(self, before=self.before[k : k + 1])

    def judged_by(self, change: Callable[[ValidationRows], ValidationRows]) -> Options:
        """Same options, with validation rows changed to those of one run."""
        known = self.validation
        return self if known is None else replace(self, validation=change(known))


NO_OPTIONS = Options()


@dataclass(frozen=True)
class TrainingRows:
    """Checked rows of a fit: of classes, of targets, or of queries.

    Attributes
    ----------
    features : Features
        Names and kinds of the columns.
    rows : Table or BinnedMatrix
        The rows.
    weights : array
        Weights of the rows.
    read_more : callable
        Reads further rows with the same columns, and their labels or targets.
    classes : array, optional
        The labels, sorted.
    codes : array of int, optional
        Position of each row's class in ``classes``; -1 of a row without a label.
    targets : array, optional
        Targets; of several ones a column each.
    queries : array, optional
        Query of each row.
    parts : Parts, optional
        Where the rows are, if not here: then ``rows`` are binned ones, none of them, and there are
        no codes, targets and weights.
    bins : BinnedMatrix, optional
        Bins of the rows with weight, where they are made already.
    options : Options
        Validation rows, and a model to go on from.
    held : HeldBack, optional
        Rows in parts that are held back from a second fit, where they are here already.
    """

    features: Features
    rows: FeatureRows
    weights: Array
    read_more: ReadMore
    classes: Array | None = None
    codes: Array | None = None
    targets: Array | None = None
    queries: Array | None = None
    parts: Parts | None = None
    bins: BinnedMatrix | None = None
    options: Options = NO_OPTIONS
    held: HeldBack | None = None

    @property
    def truth(self) -> Array:
        """Positions of classes, or targets."""
        found = self.codes if self.targets is None else self.targets
        assert found is not None
        return found

    @property
    def labels(self) -> Array:
        """The classes, of rows that have some."""
        assert self.classes is not None
        return self.classes

    @property
    def present(self) -> Array:
        """Numbers of the rows with weight."""
        return np.flatnonzero(self.weights > 0)

    @property
    def strata(self) -> Array:
        """Classes of which each keeps some rows when others are held back; targets are one."""
        return np.zeros(len(self.weights), np.int8) if self.codes is None else self.codes

    def of_target(self, k: int) -> TrainingRows:
        """Same rows for one of several targets, with the run to go on from."""
        assert self.targets is not None
        options = self.options.of_problem(k).judged_by(lambda known: known.of_target(k))

        def read_more(X: Any, y: Any) -> tuple[FeatureRows, Array]:
            rows, targets = self.read_more(X, y)
            return rows, targets[:, k]

        return replace(self, targets=self.targets[:, k], options=options, read_more=read_more)


def rows_in_parts(
    features: Features,
    bins: BinnedMatrix,
    classes: Array | None,
    parts: Parts,
    read_more: ReadMore,
    held: HeldBack | None = None,
) -> TrainingRows:
    """Rows of a fit that are elsewhere; of ``bins`` only the cuts are read."""
    nothing = np.empty(0, np.int64)

    kinds: dict[str, Any] = {"classes": classes, "codes": nothing}
    if classes is None:
        kinds = {"targets": np.empty(0)}
    layout = bins.take(nothing)
    return TrainingRows(features, layout, np.empty(0), read_more, parts=parts, held=held, **kinds)
