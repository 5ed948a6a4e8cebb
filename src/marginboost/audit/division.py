"""How the cuts of a stump ensemble divide the box around the data.

Every cut is perpendicular to an axis, so an axis falls into pieces, space into boxes (cells), and
the score of a row is the sum of one level per piece. Lengths are kept as shares of the side of the
box: they are invariant to shift and scale, and the volume of the box enters once, as a logarithm.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted, validate_data

from ..data import BinnedMatrix
from ..estimators.fitted import ClassifierOutputs
from ..kernels.parallel import resolve_n_jobs, run_rows
from ..kernels.ties import TIE
from ..kernels.volumes import sum_levels
from ..oracles.stumps import Stump
from ..types import Array
from ..validation import check_number


class Cut(NamedTuple):
    """One weighted stump: ``left`` on the pieces start … split - 1, ``right`` from there to stop.

    A stump that is constant on the box has no pieces.
    """

    start: int
    split: int
    stop: int
    left: float
    right: float


class Stage(NamedTuple):
    """The vote after ``number`` hypotheses: levels of the pieces, and the score that is zero."""

    number: int
    levels: Array
    zero: float


@dataclass(frozen=True)
class Division:
    """Pieces of the axes that a model cuts, and the pieces in which rows lie.

    Attributes
    ----------
    first : array (n_axes + 1,)
        Number of the first piece of each axis; axes without a cut are left out.
    low, high : array (n_pieces,)
        Ends of the pieces, as shares of the side of the box.
    pieces : array (n_rows, n_axes)
        Piece of each row on each axis.
    cuts : list of Cut
        The hypotheses, in order.
    log_box : float
        Logarithm of the volume of the box.
    n_threads : int
        Threads for the kernels.
    """

    first: Array
    low: Array
    high: Array
    pieces: Array
    cuts: list[Cut]
    log_box: float
    n_threads: int

    @classmethod
    def of(cls, model: Any, X: Any, padding: float) -> Division:
        """Divide the box of ``X`` by the stumps of a fitted model.

        The box is the range of each column of ``X``, longer by ``padding`` at both ends.
        """
        check_number("padding", padding, above=0.0)
        stumps, rows = _numeric_stumps(model), _complete_rows(model, X)
        start, sides = rows.min(axis=0) - padding, np.ptp(rows, axis=0) + 2.0 * padding
        walls = {axis: _walls(stumps, axis, start[axis], sides[axis]) for axis in _axes(stumps)}
        axes = [axis for axis, cuts in walls.items() if len(cuts)]
        first = np.concatenate([[0], np.cumsum([len(walls[j]) + 1 for j in axes])]).astype(np.int64)
        ends = [(walls[axis] - start[axis]) / sides[axis] for axis in axes]
        pieces = np.empty((len(rows), len(axes)), dtype=np.int32)
        for k, axis in enumerate(axes):
            pieces[:, k] = first[k] + np.searchsorted(walls[axis], rows[:, axis], side="left")
        where = {j: (int(first[k]), walls[j], int(first[k + 1])) for k, j in enumerate(axes)}
        coef = model.ensemble_.coef
        return cls(
            first=first,
            low=np.concatenate([[], *(np.append(0.0, end) for end in ends)]),
            high=np.concatenate([[], *(np.append(end, 1.0) for end in ends)]),
            pieces=pieces,
            cuts=[_place(stump, a, where, start) for stump, a in zip(stumps, coef, strict=True)],
            log_box=float(np.log(sides).sum()),
            n_threads=resolve_n_jobs(model.n_jobs),
        )

    @property
    def n_rows(self) -> int:
        """Rows of the data."""
        return len(self.pieces)

    def stages(self, rounds: Array) -> Iterator[Stage]:
        """Vote after each of some increasing numbers of hypotheses; levels are changed in place.

        A score above zero by rounding only is a tie, and so the first class.
        """
        levels, constant, l1_norm = np.zeros(len(self.low)), 0.0, 0.0
        wanted = set(rounds.tolist())
        if 0 in wanted:  # a model that found no edge: the first class everywhere
            yield Stage(0, levels, 0.0)
        for t, cut in enumerate(self.cuts, 1):
            levels[cut.start : cut.split] += cut.left
            levels[cut.split : cut.stop] += cut.right
            constant += cut.left if cut.start == cut.stop else 0.0
            l1_norm += max(abs(cut.left), abs(cut.right))
            if t in wanted:
                yield Stage(t, levels, TIE * l1_norm - constant)

    def scores(self, levels: Array) -> Array:
        """Sum of one level per piece, for every row."""
        out = np.empty(self.n_rows)

        def add(start: int, stop: int) -> None:
            sum_levels(self.pieces[start:stop], levels, out[start:stop])

        run_rows(add, self.n_rows, self.n_threads)
        return out

    def read_rounds(self, rounds: Any) -> tuple[Array, Any]:
        """Increasing numbers of hypotheses, and how to bring results into the order asked for.

        None is all hypotheses; then the result has no axis for rounds. "all" is 1, 2, …
        """
        most = len(self.cuts)
        if rounds is None:
            return np.array([most]), 0
        if isinstance(rounds, str):
            if rounds != "all":
                raise ValueError(f"rounds: got {rounds!r}, expected None, 'all' or integers")
            return np.arange(1, most + 1), slice(None)
        for number in np.atleast_1d(rounds).tolist():
            check_number("rounds", number, at_least=1, at_most=most, integer=True)
        return np.unique(np.atleast_1d(rounds).astype(np.int64), return_inverse=True)


class Walls:
    """Which ends of the pieces bound a region of the first class, and of the second.

    Parameters
    ----------
    division : Division
        The pieces.
    every_cut : bool
        Whether every cut is a wall, or only one beyond which its stump says the other label.
    """

    def __init__(self, division: Division, every_cut: bool) -> None:
        self._division, self._every, self._seen = division, every_cut, 0
        self._below = np.zeros((2, len(division.low)), dtype=bool)
        self._above = np.zeros((2, len(division.low)), dtype=bool)
        self._below[:, division.first[:-1]] = True  # the box itself
        self._above[:, division.first[1:] - 1] = True

    def log_extents(self, number: int) -> Array:
        """Logarithm of the way from wall to wall through each piece, after ``number`` cuts."""
        for cut in self._division.cuts[self._seen : number]:
            if cut.start < cut.stop:
                for label in (0, 1):
                    self._above[label, cut.split - 1] |= self._every or (cut.right > 0) != label
                    self._below[label, cut.split] |= self._every or (cut.left > 0) != label
        self._seen = number
        order = np.arange(self._below.shape[1])
        lower = np.maximum.accumulate(np.where(self._below, order, 0), axis=1)
        last = np.where(self._above, order, order.size)
        upper = np.minimum.accumulate(last[:, ::-1], axis=1)[:, ::-1]
        return np.log(self._division.high[upper] - self._division.low[lower])


def _numeric_stumps(model: Any) -> Sequence[Stump]:
    """The hypotheses of a fitted model, if they are stumps on numbers."""
    check_is_fitted(model)
    if not isinstance(model, ClassifierOutputs):
        raise TypeError(f"model: got {type(model).__name__}, expected a classifier of this package")
    if len(model.classes_) != 2:
        raise TypeError(f"model: got one of {len(model.classes_)} classes, expected two")
    members = model.ensemble_.members
    stumps = [member for member in members if isinstance(member, Stump)]
    if len(stumps) < len(members):
        others = sorted({type(m).__name__ for m in members if not isinstance(m, Stump)})
        raise TypeError(f"model: got {', '.join(others)} hypotheses, expected stumps")
    return stumps


def _complete_rows(model: Any, X: Any) -> Array:
    """Rows as numbers, none missing: categories and missing values have no place on an axis."""
    if isinstance(X, BinnedMatrix):
        raise TypeError("X: got a BinnedMatrix, expected the values, whose range makes the box")
    features = model.model_.features
    columns = zip(features.names, features.categories, strict=True)
    categorical = [name for name, known in columns if known is not None]
    if categorical:
        raise ValueError(
            f"X: column {categorical[0]!r} holds categories, which have no order and so no volume; "
            "expected numbers"
        )
    rows: Array = validate_data(
        model, X, reset=False, dtype=np.float64, ensure_all_finite="allow-nan"
    )
    if np.isnan(rows).any():
        row, column = np.argwhere(np.isnan(rows))[0]
        raise ValueError(
            f"X: row {row} has no value in column {features.names[column]!r}, and so no place in "
            "the box; expected complete rows, imputed for instance by sklearn.impute.SimpleImputer"
        )
    return rows


def _constant(stump: Stump) -> bool:
    return stump.left == stump.right or not np.isfinite(stump.threshold)


def _axes(stumps: Sequence[Stump]) -> list[int]:
    """Features that are cut, increasing."""
    return sorted({stump.feature for stump in stumps if not _constant(stump)})


def _walls(stumps: Sequence[Stump], axis: int, start: float, side: float) -> Array:
    """Distinct cuts of an axis, increasing.

    Only those inside the box: the rows need not be those of the fit, and a piece beyond the box,
    though without volume, would join regions that are apart inside it.
    """
    cuts = np.unique([s.threshold for s in stumps if s.feature == axis and not _constant(s)])
    place = (cuts - start) / side
    return cuts[(place > 0.0) & (place < 1.0)]


def _place(
    stump: Stump, coef: float, where: dict[int, tuple[int, Array, int]], start: Array
) -> Cut:
    left, right = float(coef * stump.left), float(coef * stump.right)
    first, walls, stop = where.get(stump.feature, (0, np.empty(0), 0))
    if _constant(stump):
        return Cut(0, 0, 0, left, left)
    if stump.threshold not in walls:  # outside the box, where the stump is constant
        side = right if stump.threshold <= start[stump.feature] else left
        return Cut(0, 0, 0, side, side)
    split = first + int(np.searchsorted(walls, stump.threshold)) + 1
    return Cut(first, split, stop, left, right)
