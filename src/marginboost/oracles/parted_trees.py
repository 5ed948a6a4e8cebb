"""Trees whose rows are in parts: the tree that one table gives, from sums of its parts.

Splits are chosen in one place, from sums by bin that all parts add up to. Which node is divided
next depends on the gains of all that wait, so a tree would take a question for every split. Instead
all that wait are divided at once, and what is known ahead of time is looked up: a tree takes about
as many questions as it is deep. Nodes that were divided in vain are leaves.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..core.parts import Place, lays_out
from ..kernels.exact import exact_sum, grid
from ..kernels.grow import FULL
from ..kernels.histograms import pair_up
from ..kernels.parallel import run_rows
from ..kernels.parted_trees import NONE, WHOLE, divide_range, take_sums, tell_sides
from ..kernels.shares import MAX_LEAVES, N_NODES, N_WAITING
from ..types import Array
from .growth import Growth, Limits, TreeGrower

Key = tuple[int, int]
"""Rows of a node: its parent, and 0 for the left or 1 for the right side of it."""
ROOT: Key = (-1, 0)


class Division(NamedTuple):
    """How a node is divided: its rows, codes that go left, and the side that is summed."""

    node: int
    rows: Key
    feature: int
    table: Array
    side: int


class Halves(NamedTuple):
    """What a part, or all of them, found: rows on the left, their weight, sums of one side."""

    n_left: int
    weight: float
    cells: Array


class PartedGrower:
    """Grows trees from sums of parts.

    Parameters
    ----------
    grower : TreeGrower
        Layout and limits; it has no rows.
    ask : callable
        ``ask(question, *args)`` gives the answers of all parts.
    """

    def __init__(self, grower: TreeGrower, ask: Callable[..., list[Any]]) -> None:
        self._grower, self._ask = grower, ask

    def grow(
        self, n_rows: int, weight: float, units: tuple[float, float]
    ) -> tuple[Growth, list[Key]]:
        """Grow one tree of the present weights; returns it, and the rows of each node.

        ``weight`` is the number of rows that they stand for.
        """
        grower, job = self._grower, self._grower.job
        grower.set_root(n_rows, weight)
        cells = _total(self._ask(load_rows, units))
        parent, n_leaves = int(take_sums(job, WHOLE, n_rows, 0.0, 0, cells)), 1
        self._known: dict[int, tuple[Division, Halves]] = {}
        self._keys: dict[int, Key] = {0: ROOT}
        while parent != NONE:
            division, halves = self._halves(parent, n_leaves)
            following = take_sums(job, parent, *halves[:2], division.side, halves.cells)
            if following == FULL:
                raise RuntimeError(f"a tree outgrew the room for {len(job.nodes)} nodes")
            node = job.nodes[parent]
            if node["left"] >= 0:
                n_leaves += 1
                self._keys |= {int(node["left"]): (parent, 0), int(node["right"]): (parent, 1)}
            parent = NONE if n_leaves == job.shape[MAX_LEAVES] else int(following)
        n_nodes = int(job.order[N_NODES])
        growth = Growth(job.nodes[:n_nodes].copy(), job.sums[:n_nodes].copy(), job.rows, grower)
        return growth, [self._keys[k] for k in range(n_nodes)]

    def _halves(self, parent: int, n_leaves: int) -> tuple[Division, Halves]:
        """Facts on the division of a node; if they are asked for, then those of others with it."""
        if parent not in self._known:
            job = self._grower.job
            waiting = [int(k) for k in job.waiting[: job.order[N_WAITING]] if k not in self._known]
            if job.shape[MAX_LEAVES]:
                waiting.sort(key=lambda k: -job.nodes[k]["gain"])
                waiting = waiting[: max(0, int(job.shape[MAX_LEAVES]) - n_leaves - 1)]
            divisions = [self._division(k) for k in (parent, *waiting)]
            answers = self._ask(divide_nodes, divisions)
            for division, *found in zip(divisions, *answers, strict=True):
                n_left, weight = sum(one.n_left for one in found), sum(one.weight for one in found)
                cells = _total([one.cells for one in found])
                self._known[division.node] = division, Halves(n_left, weight, cells)
        return self._known.pop(parent)

    def _division(self, k: int) -> Division:
        """How a node is to be divided; the side of less weight is summed."""
        job = self._grower.job
        node = job.nodes[k]
        tell_sides(job, k)
        side = 0 if 2.0 * node["left_weight"] <= job.sums[k, -1] else 1
        feature = int(node["feature"])
        width = int(job.features[feature, 1]) + 1
        return Division(k, self._keys[k], feature, job.table[:width].copy(), side)


def _total(cells: list[Array]) -> Array:
    """Sums of all parts."""
    total = cells[0]
    for more in cells[1:]:
        total = total + more
    return total


# -- questions to parts ----------------------------------------------------------------------------


class Rows(NamedTuple):
    """What a part keeps of a tree: memory, and where the rows of each node are."""

    grower: TreeGrower
    ranges: dict[Key, tuple[int, int]]


@lays_out
def lay_out_trees(place: Place, limits: Limits) -> None:
    """Make room for trees."""
    sample = place.sample
    assert sample.bins is not None
    weights = None if sample.uniform else grid(sample.prior)
    grower = TreeGrower(sample.bins, limits, 1, row_weights=weights)
    place.learner = Rows(grower, {})


def measure_slopes(place: Place) -> tuple[float, int]:
    """Size of all slopes, and the exact sum of all curvatures."""
    curvature = _curvature(place)

    def measure(start: int, stop: int) -> tuple[float, int]:
        return float(np.abs(place.dual[start:stop]).sum()), exact_sum(curvature[start:stop])

    found = run_rows(measure, len(curvature), place.sample.n_threads)
    return sum(size for size, _ in found), sum(total for _, total in found)


def _curvature(place: Place) -> Array:
    """Curvatures; where the rule has none, those of the squared loss."""
    known = place.weights.curvature
    return place.sample.prior if known is None else known


def load_rows(place: Place, units: tuple[float, float]) -> Array:
    """Pair slopes with curvatures, in these units; returns their sums by bin over all rows."""
    grower, ranges = place.learner
    job, curvature = grower.job, _curvature(place)
    factors = 1.0 / units[0], 1.0 / units[1]

    def pair(start: int, stop: int) -> None:
        here = slice(start, stop)
        pair_up(place.dual[here], curvature[here], *factors, job.values[here])

    run_rows(pair, len(curvature), place.sample.n_threads)
    job.rows[:] = grower.all_rows
    ranges.clear()
    ranges[ROOT] = (0, len(curvature))
    divide_range(job, 0, len(curvature), WHOLE, job.table, 0)
    return job.histograms[0].copy()


def divide_nodes(place: Place, divisions: list[Division]) -> list[Halves]:
    """Divide the rows of nodes."""
    grower, ranges = place.learner
    job, found = grower.job, []
    for node, rows, feature, table, side in divisions:
        start, stop = ranges[rows]
        n_left = divide_range(job, start, stop, feature, table, side)
        border = start + n_left
        ranges[node, 0], ranges[node, 1] = (start, border), (border, stop)
        weights, weight = job.row_weights, 0.0
        if len(weights):
            weight = float(weights[job.rows[start:border]].sum())  # exact: they are on the grid
        found.append(Halves(n_left, weight, job.histograms[0].copy()))
    return found


def write_leaves(place: Place, number: int, leaves: list[tuple[Key, float]]) -> None:
    """Write the outputs of a tree under a number: values of the rows of its leaves."""
    grower, ranges = place.learner
    column = np.empty(len(place.dual))
    for rows, value in leaves:
        start, stop = ranges[rows]
        column[grower.job.rows[start:stop]] = value
    place.columns = {number: column}
