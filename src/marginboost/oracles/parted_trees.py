"""Trees whose rows are in parts: the tree that one table gives, from sums of its parts.

Splits are chosen in one place, from sums by bin that all parts add up to. Which node is divided
next depends on the gains of all that wait, so a tree would take a question for every split. Instead
a question is about all nodes that are likely to be divided, judged by the gains that are known:
those of their children, which may come before them, are thought to be a share of their own. So a
tree takes about as many questions as it is deep. Nodes that were divided in vain are leaves. Of a
symmetric tree all nodes of a level are divided by one question anyway.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from functools import reduce
from operator import iadd
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..core.parts import Place, adds_up, lays_out
from ..kernels.exact import exact_sum, grid
from ..kernels.grow import spread
from ..kernels.histograms import pair_up
from ..kernels.parallel import run_rows
from ..kernels.parted_trees import (
    NEITHER,
    WHOLE,
    ask_level,
    divide_ranges,
    foresee,
    sum_whole,
    take_last,
    take_open_sums,
    take_sums,
    tell_sides,
)
from ..kernels.shares import GROWING, MAX_DEPTH, MAX_LEAVES, N_NODES, N_WAITING, Job
from ..kernels.symmetric import stay_open
from ..types import Array
from .growth import Growth, Limits, TreeGrower

Key = tuple[int, int]
"""Rows of a node: its parent, and 0 for the left or 1 for the right side of it."""
ROOT: Key = (-1, 0)
AT_ONCE = 32
"""Most nodes in a question where the number of leaves has no limit."""


class Division(NamedTuple):
    """How a node is divided: its rows, codes that go left, and the side that is summed."""

    node: int
    rows: Key
    feature: int
    table: Array
    side: int


@dataclass
class Halves:
    """What a part, or several of them, found of some divisions.

    Attributes
    ----------
    n_left : array of int64
        Rows on the left.
    weights : array
        Their weights, where these differ.
    cells : array (divisions, bins of all features, 2)
        Sums of one side.
    """

    n_left: Array
    weights: Array
    cells: Array

    def __iadd__(self, more: Halves) -> Halves:
        """Add what other parts found; all sums are exact."""
        self.n_left += more.n_left
        self.weights += more.weights
        self.cells += more.cells
        return self


class Grown(NamedTuple):
    """A tree, the rows of each node, and the divisions that have not been made on the parts."""

    growth: Growth
    rows: list[Key]
    last: list[Division]


class PartedGrower:
    """Grows trees from sums of parts.

    Parameters
    ----------
    grower : TreeGrower
        Layout and limits; it has no rows.
    ask : callable
        ``ask(question, *args)`` gives the answers of all parts.
    """

    take_sums: ClassVar[Any] = staticmethod(take_sums)
    """Kernel that makes nodes of the sums of a side."""

    def __init__(self, grower: TreeGrower, ask: Callable[..., list[Any]]) -> None:
        self._grower, self._ask = grower, ask
        self._most = int(grower.job.shape[MAX_LEAVES]) - 1
        self._most_divided = self._most + (self._most + 1) // 2
        grower.job = self._job = self._with_room(grower.job)
        n_nodes = len(self._job.nodes)
        self._ages, self._made, self._asked = np.empty((3, n_nodes), np.int64)

    def _with_room(self, job: Job) -> Job:
        """Room for nodes that are divided in vain, imagined ones, and sums of all that wait."""
        n_nodes, n_slots = len(job.nodes), self._most_divided + 1
        if self._most > 0:
            n_nodes = 2 * (self._most_divided + self._most) + 1
        else:
            n_slots = min((n_nodes + 1) // 2, AT_ONCE * (int(job.shape[MAX_DEPTH]) + 1))
        return _laid_out(job, n_nodes, n_slots)

    def grow(self, n_rows: int, weight: float, units: tuple[float, float]) -> Grown:
        """Grow one tree of the present weights.

        ``weight`` is the number of rows that they stand for.
        """
        self._plant(n_rows, weight, units)
        made, wanted = self._plan()
        while wanted:
            if self._is_last(wanted[0], len(made)):
                self._take_last(wanted[0])
            else:
                self._make(wanted, len(made))
            made, wanted = self._plan()
        return self._grown(made)

    def _plant(self, n_rows: int, weight: float, units: tuple[float, float]) -> None:
        """Make the root, with the sums of all rows."""
        self._grower.set_root(n_rows, weight)
        cells = _total(self._ask(load_rows, units))
        self._known: dict[int, tuple[Any, ...]] = {}
        self._keys: list[Key] = []
        self._last: dict[int, Division] = {}
        self._take(WHOLE, n_rows, 0.0, 0, cells)

    def _grown(self, made: Array) -> Grown:
        """The tree in which these nodes are divided."""
        job = self._job
        n_nodes = int(job.order[N_NODES])
        nodes, sums = job.nodes[:n_nodes].copy(), job.sums[:n_nodes].copy()
        in_vain = nodes["left"] >= 0
        in_vain[made] = False
        growth = Growth(nodes, sums, job.rows, self._grower).pruned(in_vain)
        return Grown(growth, self._keys, [self._last[k] for k in made if k in self._last])

    def _is_last(self, k: int, n_made: int) -> bool:
        """Whether the children of a node are leaves in any case."""
        deepest = int(self._job.nodes[k]["depth"]) + 1 >= int(self._job.shape[MAX_DEPTH])
        return deepest or n_made == self._most - 1

    def _make(self, wanted: list[int], n_made: int) -> None:
        """Make the children of nodes, or of the first of them, which are asked for if need be."""
        if wanted[0] not in self._known:
            ahead = [k for k in wanted if not (k in self._known or self._is_last(k, n_made))]
            self._divide(ahead)
        # Columns are drawn by the numbers of nodes: then these are made in the order of one table.
        for k in [wanted[0]] if len(self._job.seeds) else list(self._known):
            self._take(k, *self._known.pop(k))

    def _plan(self) -> tuple[Array, list[int]]:
        """Nodes that the tree divides, as far as is known, and those to be divided next."""
        job = self._job
        if self._most < 0:
            nodes = job.nodes[: job.order[N_NODES]]
            return np.flatnonzero(nodes["left"] >= 0), _newest_first(nodes)[:AT_ONCE]
        n_made, n_asked = foresee(job, self._most, self._ages, self._made, self._asked)
        n_divided = (int(job.order[N_NODES]) - 1) // 2 + len(self._known)
        spare = self._most_divided - n_divided - (self._most - n_made)
        return self._made[:n_made], self._asked[: min(n_asked, 1 + max(0, spare))].tolist()

    def _divide(self, nodes: list[int]) -> None:
        """Ask for the divisions of some nodes."""
        divisions = [self._division(k) for k in nodes]
        found = _total(self._ask(divide_nodes, divisions))
        sides = [division.side for division in divisions]
        facts = zip(found.n_left.tolist(), found.weights.tolist(), sides, found.cells, strict=True)
        self._known |= zip(nodes, facts, strict=True)

    def _take(self, parent: int, *facts: Any) -> None:
        """Make the children of a node, or the root."""
        self._number(parent, self.take_sums(self._job, parent, *facts))

    def _take_last(self, parent: int) -> None:
        """Make two leaves of a node; rows are divided when values are written."""
        self._last[parent] = self._division(parent)._replace(side=NEITHER)
        self._number(parent, take_last(self._job, parent))

    def _number(self, parent: int, there_was_room: bool) -> None:
        """Note whose rows new nodes have."""
        job = self._job
        if not there_was_room:
            raise RuntimeError(f"a tree outgrew the room for {len(job.nodes)} nodes")
        new = [ROOT] if parent == WHOLE else [(parent, 0), (parent, 1)]
        self._keys += new[: int(job.order[N_NODES]) - len(self._keys)]

    def _division(self, k: int) -> Division:
        """How a node is to be divided; the side of less weight is summed."""
        job = self._job
        node = job.nodes[k]
        tell_sides(job, k)
        side = 0 if 2.0 * node["left_weight"] <= job.sums[k, -1] else 1
        feature = int(node["feature"])
        width = int(job.features[feature, 1]) + 1
        return Division(k, self._keys[k], feature, job.table[:width].copy(), side)


class SymmetricPartedGrower(PartedGrower):
    """Grows symmetric trees from sums of parts: one question to them for each level."""

    take_sums = staticmethod(take_open_sums)

    def _with_room(self, job: Job) -> Job:
        """As in one table: no node is divided in vain."""
        return _laid_out(job, len(job.nodes), len(job.free))

    def grow(self, n_rows: int, weight: float, units: tuple[float, float]) -> Grown:
        """Grow one tree of the present weights.

        ``weight`` is the number of rows that they stand for.
        """
        job, depth = self._job, int(self._job.shape[MAX_DEPTH])
        self._plant(n_rows, weight, units)
        for level in range(depth):
            asked = self._asked[: ask_level(job, self._asked)].tolist()
            divided = [k for k in asked if job.nodes[k]["feature"] >= 0]
            if level == depth - 1:
                for k in divided:
                    self._take_last(k)
            elif divided:
                self._divide_level(asked, divided)
            else:
                break
        n_nodes = int(job.order[N_NODES])
        return self._grown(np.flatnonzero(job.nodes["left"][:n_nodes] >= 0))

    def _divide_level(self, asked: list[int], divided: list[int]) -> None:
        """Have some of the open nodes give way to their children."""
        self._divide(divided)
        self._job.order[N_WAITING] = 0
        for k in asked:
            if k in self._known:
                self._take(k, *self._known.pop(k))
            else:
                stay_open(self._job, k)


def _laid_out(job: Job, n_nodes: int, n_slots: int) -> Job:
    """Room for so many nodes, and sums of so many, none for bins that are not there."""
    features = job.features.copy()
    features[1:, 2] = np.cumsum(features[:-1, 1] + 1)
    return job._replace(
        features=features,
        histograms=np.empty((n_slots, features[-1, 2], 2)),
        nodes=np.zeros(n_nodes, GROWING),
        sums=np.zeros((n_nodes, 2)),
        free=np.empty(n_slots, np.int64),
        waiting=np.empty(n_nodes, np.int64),
    )


def _total(answers: list[Any]) -> Any:
    """Sum of answers, which stay as they are: who gave them may have to repeat them."""
    first, *others = answers
    return reduce(iadd, others, deepcopy(first)) if others else first


def _newest_first(nodes: Array) -> list[int]:
    """Nodes that wait, in the order of one table without a limit on leaves.

    That is the newest first, and of two children the smaller one.
    """
    waiting = np.flatnonzero((nodes["left"] < 0) & (nodes["feature"] >= 0))
    sizes = nodes["stop"] - nodes["start"]
    is_left = waiting % 2  # children are numbered one after the other, from 1
    is_small = 2 * sizes[waiting] < sizes[nodes["parent"][waiting]] + is_left
    found: list[int] = waiting[np.lexsort((is_small, (waiting - 1) // 2))[::-1]].tolist()
    return found


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
    grower = TreeGrower(sample.bins, limits, 1, row_weights=weights, in_parts=True)
    job = grower.job  # one node at a time, and its sides
    nodes, sums = np.zeros(3, GROWING), np.zeros((3, 2))
    grower.job = job._replace(nodes=nodes, sums=sums, histograms=job.histograms[:1].copy())
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


@adds_up
def load_rows(place: Place, units: tuple[float, float], so_far: Array | None = None) -> Array:
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
    cells = np.empty((_n_cells(job), 2)) if so_far is None else so_far
    sum_whole(job, cells, so_far is not None)
    return cells


def _n_cells(job: Job) -> int:
    """Bins of all features, those of missing values with them."""
    return int((job.features[:-1, 1] + 1).sum())


@adds_up
def divide_nodes(place: Place, divisions: list[Division], so_far: Halves | None = None) -> Halves:
    """Divide the rows of nodes, and sum one side of each."""
    n_nodes, job = len(divisions), place.learner.grower.job
    cells = np.empty((n_nodes, _n_cells(job), 2)) if so_far is None else so_far.cells
    n_left, weights = _divide(place.learner, divisions, cells, so_far is not None)
    found = Halves(n_left, weights, cells)
    if so_far is not None:
        found.n_left += so_far.n_left
        found.weights += so_far.weights
    return found


def _divide(rows: Rows, divisions: list[Division], cells: Array, more: bool) -> tuple[Array, Array]:
    """Divide the rows of nodes, and add up sums of one side; how many go left, and their weight."""
    (job, ranges), n_nodes = (rows.grower.job, rows.ranges), len(divisions)
    n_left, weights = np.zeros(n_nodes, np.int64), np.zeros(n_nodes)
    plan = [(*ranges[one.rows], one.feature, one.side) for one in divisions]
    tables = np.zeros((n_nodes, len(job.table)), np.uint8)
    for table, division in zip(tables, divisions, strict=True):
        table[: len(division.table)] = division.table
    steps = np.array(plan, np.int64).reshape(n_nodes, 4)
    divide_ranges(job, steps, tables, n_left, weights, cells, more)
    for division, (start, stop, *_), on_left in zip(divisions, plan, n_left.tolist(), strict=True):
        border = start + on_left
        ranges[division.node, 0], ranges[division.node, 1] = (start, border), (border, stop)
    return n_left, weights


def write_leaves(
    place: Place, number: int, last: list[Division], leaves: list[tuple[Key, float]]
) -> None:
    """Write the outputs of a tree under a number: values of the rows of its leaves.

    Its ``last`` divisions are made before.
    """
    grower, ranges = place.learner
    _divide(place.learner, last, np.empty((len(last), 0, 2)), False)
    column = np.empty(len(place.dual))
    found, values = np.zeros(len(leaves), GROWING), np.array([value for _, value in leaves])
    found["left"] = -1
    found["start"], found["stop"] = np.array([ranges[rows] for rows, _ in leaves]).T

    def write(start: int, stop: int) -> None:
        spread(grower.job.rows, found, values, start, stop, column)

    run_rows(write, len(column), place.sample.n_threads)
    place.columns = {number: column}
