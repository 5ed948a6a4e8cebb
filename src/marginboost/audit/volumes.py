"""Volumes around the rows of a stump ensemble (CH-A17, CH-A17x, CH-A19, CH-Q23).

The *decision volume* of a point is that of the connected region around it in which the ensemble
gives one label: the point's region of influence. Its approximation (CH-A17, Algorithm 8) is the
product, over the axes, of the way from the point to the nearest change of the label on either side,
the other coordinates fixed; neither an upper nor a lower bound of the exact volume, but equal to it
in one dimension (CH-C22). The *cell volume* (CH-A19, Algorithm 10) is that of the box between the
nearest cuts, whatever their labels; it never grows with rounds and never exceeds the approximate
decision volume (CH-C20). Decision volumes do not change if all coefficients are scaled, cell
volumes do not depend on them at all (CH-C21).

All volumes are those inside the box of the data, longer by ``padding`` at both ends of each axis,
and are returned as natural logarithms: with tens of features they leave the range of floating-point
numbers. A region that is empty has minus infinity.

Rows must be complete and numeric, hypotheses must be stumps. A stump sends a value equal to its
threshold to the left. A vote of zero is the first class, as in ``predict``.

Reference: Chan, *On Boosting and Noisy Labels*, 2015, sections 3.3 and 3.4.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import reduce
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from scipy import ndimage
from scipy.special import logsumexp

from ..diagnostics.sources import signs_of
from ..fitting.inputs import read_labels
from ..kernels.parallel import run_rows
from ..kernels.volumes import decision_shares
from ..types import Array
from ..validation import check_choice, check_number
from .division import Division, Stage, Walls

ShareOf = Callable[[Stage], Array]
"""Logarithm of the share of the box that belongs to each row."""


def log_decision_volumes(
    model: Any,
    X: Any,
    y: Any = None,
    *,
    boundary: str = "ensemble",
    rounds: Any = None,
    padding: float = 0.01,
) -> Array:
    """Approximate decision volume of every row (CH-A17, Algorithm 8).

    Linear in rows: a row costs one step for each cut, at most, and each of the rounds asked for.

    Parameters
    ----------
    model : fitted classifier
        A stump ensemble of this package.
    X : array or numeric data frame
        The rows; their range is the box.
    y : array-like, optional
        Given labels. Without them the region is that of the predicted label; with them it is that
        of the given label, empty for a row that the ensemble gets wrong.
    boundary : {"ensemble", "stumps"}
        What ends a region: a change of the ensemble's label, or, the other reading of the
        algorithm, the nearest stump that itself says the other label beyond its cut.
    rounds : None, "all" or integers
        After how many hypotheses: all of them, each number in turn, or these numbers.
    padding : float
        By how much the box is longer than the data, at both ends of each axis (ε = 0.01).

    Returns
    -------
    array (n_rows,) or (n_rounds, n_rows)
        Natural logarithms of the volumes.

    Examples
    --------
    >>> import numpy as np
    >>> from marginboost import AdaBoostClassifier
    >>> X, y = np.array([[1.0], [2.0], [4.0], [5.0]]), [0, 0, 1, 1]
    >>> model = AdaBoostClassifier().fit(X, y)
    >>> np.exp(log_decision_volumes(model, X)).round(2)
    array([2.01, 2.01, 2.01, 2.01])
    """
    check_choice("boundary", boundary, ("ensemble", "stumps"))
    division = Division.of(model, X, padding)
    given = None if y is None else _positive(model, y, division.n_rows)
    walls = Walls(division, every_cut=False)

    def share(stage: Stage) -> Array:
        scores = division.scores(stage.levels)
        positive = scores > stage.zero
        if boundary == "ensemble":
            shares = _walk(division, stage, scores)
        else:
            first, second = walls.log_extents(stage.number)
            shares = np.where(positive, division.scores(second), division.scores(first))
        return shares if given is None else np.where(positive == given, shares, -np.inf)

    return _curve(division, rounds, share)


def log_cell_volumes(model: Any, X: Any, *, rounds: Any = None, padding: float = 0.01) -> Array:
    """Volume of the cell that the stumps around each row cut out (CH-A19, Algorithm 10).

    Exact, and blind to labels and coefficients. Linear in rows.

    Parameters
    ----------
    model : fitted classifier
        A stump ensemble of this package.
    X : array or numeric data frame
        The rows; their range is the box.
    rounds : None, "all" or integers
        After how many hypotheses: all of them, each number in turn, or these numbers.
    padding : float
        By how much the box is longer than the data, at both ends of each axis (ε = 0.01).

    Returns
    -------
    array (n_rows,) or (n_rounds, n_rows)
        Natural logarithms of the volumes.
    """
    division = Division.of(model, X, padding)
    walls = Walls(division, every_cut=True)
    return _curve(division, rounds, lambda s: division.scores(walls.log_extents(s.number)[0]))


def log_exact_decision_volumes(
    model: Any,
    X: Any,
    y: Any = None,
    *,
    rounds: Any = None,
    padding: float = 0.01,
    max_cells: int = 4_000_000,
) -> Array:
    """Volume of the connected region of one label around every row (CH-A17x, by its definition).

    All cells are labelled, and cells that share a face and a label are joined. (Cells that touch in
    an edge or a corner are not.) There are Π_j (1 + cuts of feature j) cells, which is feasible for
    few features or few rounds only.

    Parameters
    ----------
    model : fitted classifier
        A stump ensemble of this package.
    X : array or numeric data frame
        The rows; their range is the box.
    y : array-like, optional
        Given labels, as in :func:`log_decision_volumes`.
    rounds : None, "all" or integers
        After how many hypotheses: all of them, each number in turn, or these numbers.
    padding : float
        By how much the box is longer than the data, at both ends of each axis.
    max_cells : int
        Most cells to be made; more raise a ValueError that says how many there are.

    Returns
    -------
    array (n_rows,) or (n_rounds, n_rows)
        Natural logarithms of the volumes.
    """
    check_number("max_cells", max_cells, at_least=1, integer=True)
    division = Division.of(model, X, padding)
    given = None if y is None else _positive(model, y, division.n_rows)
    shape = np.diff(division.first)
    n_cells = math.prod(shape.tolist())
    if n_cells > max_cells:
        raise ValueError(
            f"model: its cuts make {n_cells:.3g} cells on {len(shape)} axes, more than "
            f"max_cells={max_cells}; use log_decision_volumes, or fewer rounds or features"
        )
    cells = tuple((division.pieces - division.first[:-1]).T)
    widths = _outer(division, np.multiply, division.high - division.low)

    def share(stage: Stage) -> Array:
        positive = _outer(division, np.add, stage.levels) > stage.zero
        region, n_first = ndimage.label(~positive)
        other, _ = ndimage.label(positive)
        region[positive] = n_first + other[positive]
        volumes = np.bincount(region.ravel(), weights=widths.ravel())
        with np.errstate(divide="ignore"):
            shares: Array = np.log(volumes)[region[cells]]
        return shares if given is None else np.where(positive[cells] == given, shares, -np.inf)

    return _curve(division, rounds, share)


class GroupMeans(NamedTuple):
    """Logarithm of the mean volume of the noisy rows and of all others, for every round."""

    noisy: Array
    others: Array

    @property
    def ratio(self) -> Array:
        """How many times larger the mean volume of the others is."""
        return np.exp(self.others - self.noisy)


def mean_volumes(log_volumes: Any, noisy: Any) -> GroupMeans:
    """Mean volumes of two groups of rows (CH-Q23): means of volumes, not of their logarithms.

    Parameters
    ----------
    log_volumes : array (n_rows,) or (n_rounds, n_rows)
        Logarithms of the volumes.
    noisy : array of bool
        Which rows are noisy; both groups must have some.

    Examples
    --------
    >>> import numpy as np
    >>> mean_volumes(np.log([1.0, 3.0, 8.0]), [True, True, False]).ratio.round(6)
    np.float64(4.0)
    """
    volumes, mask = np.asarray(log_volumes, dtype=np.float64), np.asarray(noisy)
    if mask.dtype != bool or mask.shape != volumes.shape[-1:]:
        raise ValueError(
            f"noisy: got {mask.dtype} of shape {mask.shape}, expected a bool for each of "
            f"{volumes.shape[-1]} rows"
        )
    if mask.all() or not mask.any():
        raise ValueError(f"noisy: got {mask.sum()} of {mask.size} rows, expected two groups")
    groups = (volumes[..., mask], volumes[..., ~mask])
    return GroupMeans(*(logsumexp(g, axis=-1) - np.log(g.shape[-1]) for g in groups))


def _walk(division: Division, stage: Stage, scores: Array) -> Array:
    """Logarithm of the product of the extents around every row; overwrites a copy of the scores."""
    out = scores.copy()

    def walk(start: int, stop: int) -> None:
        decision_shares(
            division.pieces[start:stop],
            stage.levels,
            division.first,
            division.low,
            division.high,
            stage.zero,
            out[start:stop],
        )

    run_rows(walk, len(out), division.n_threads)
    return out


def _curve(division: Division, rounds: Any, share: ShareOf) -> Array:
    numbers, order = division.read_rounds(rounds)
    out = np.empty((len(numbers), division.n_rows))
    for row, stage in zip(out, division.stages(numbers), strict=True):
        row[:] = share(stage) + division.log_box
    return out[order]


def _outer(division: Division, combine: np.ufunc, values: Array) -> Array:
    """One value per cell: those of its pieces, combined."""
    ranges = pairwise(division.first.tolist())
    axes = [values[start:stop] for start, stop in ranges]
    return reduce(combine.outer, axes, np.array(combine.identity, dtype=np.float64))


def _positive(model: Any, y: Any, n_rows: int) -> Array:
    """Whether each given label is the second class."""
    return signs_of(model, read_labels(y, n_rows)) > 0
