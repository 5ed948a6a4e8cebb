"""One engine for all trees: memory for a tree, its growth by kernels, and writing it down.

A tree is grown from *channels*, numbers that every row brings: signed sums, then a weight. The
faces of the engine differ in what these are, in the criterion, and in the values of the leaves:

======================  ==============================  ==========================================
face                    channels of a row               leaf
======================  ==============================  ==========================================
``TreeOracle``          signed weight, its size         sign of the sum, or log odds
``LabelTreeOracle``     signed weight of each label,    a label, or a set of labels
                        its size
``GradientTreeOracle``  slope, curvature                Newton's step
======================  ==============================  ==========================================
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ..data import BinnedMatrix
from ..kernels.grow import (
    FULL,
    grow,
    help_grow,
    mark_left,
    number_by_level,
    spread,
    sum_root,
    write_nodes,
)
from ..kernels.histograms import NARROW
from ..kernels.jit import COMPILED
from ..kernels.parallel import WorkerPool, run_blocks, run_rows
from ..kernels.shares import (
    BY_DEPTH,
    BY_RATIO,
    CRITERION,
    GROWING,
    L2,
    LIMITS_LENGTH,
    MAX_DEPTH,
    MAX_FEATURES,
    MAX_LEAVES,
    MIN_ROWS,
    MIN_WEIGHT,
    ORDER_LENGTH,
    ROW_WEIGHT,
    ROWS_AT_ONCE,
    SHAPE_LENGTH,
    STOP_PURE,
    TOGETHER,
    Job,
)
from ..kernels.splits import SPLIT, is_heavier
from ..kernels.stumps import CATEGORY, PARTITION, THRESHOLD
from ..kernels.symmetric import KEPT_ROWS, TABLE, grow_symmetric, help_grow_symmetric
from ..kernels.ties import TIE
from ..kernels.trees import NODE, walk_codes
from ..types import Array
from ..validation import Constraints, Effects, Number, Where
from .tree_hypothesis import Tree, with_categories

NO_VALUES, NO_CATEGORIES = np.empty(0), np.empty(0, np.int32)
DEEPEST = 1 << 30
"""Depth where none is given."""
TILE = 8
"""Most features in a share of a search."""
CODES_PER_THREAD = 1 << 15
"""Codes from which on it pays to have another thread help to grow a tree."""
EMPTY_ROOT: dict[str, float] = dict.fromkeys(GROWING.names or (), 0)
EMPTY_ROOT |= dict.fromkeys(("left", "right", "feature", "slot", "parent"), -1)
EMPTY_ROOT |= {"low": -np.inf, "high": np.inf}
"""Root of a tree without rows, field by field."""
CATEGORICAL = {"equality": CATEGORY, "partition": PARTITION}
SIZES: Constraints = {
    "max_depth": Number(at_least=1, integer=True, optional=True),
    "max_leaf_nodes": Number(at_least=2, integer=True, optional=True),
}
"""What the limits of a tree may be."""
PRUNING: Constraints = {
    "prune": (None, "cost_complexity", "pessimistic"),
    "ccp_alpha": Number(at_least=0.0),
    "confidence": Number(above=0.0, below=1.0),
}
"""What the settings of pruning may be."""
PRUNED_BY: Effects = {
    "ccp_alpha": Where("prune", ("cost_complexity",)),
    "confidence": Where("prune", ("pessimistic",)),
}
"""Which way of pruning has which setting."""


@dataclass(frozen=True)
class Limits:
    """What growth looks for, and when it stops.

    Attributes
    ----------
    criterion : int
        Score of a node (see :mod:`marginboost.kernels.splits`).
    max_depth, max_leaf_nodes : int or None
        Most splits between root and leaf; most leaves, then the split of largest gain comes first.
    min_weight : float
        Least weight of a leaf.
    min_rows, row_weight : float
        Least number of rows in a leaf, by its share of weight; how many each row stands for.
    l2 : float
        Added to the weight of a node.
    by_ratio : bool
        Whether features are compared by the ratio of gain to information.
    stop_pure : bool
        Whether a node is finished when all its rows want the same answer.
    by_depth : bool
        Whether nodes next to the root are split first; only matters with a limit on leaves.
    max_features : float
        Share of the features that are drawn for every split.
    together : int
        Most features that may meet on one way from root to leaf; 0 is any number.
    symmetric : bool
        Whether all nodes of a level are asked the same question; needs one signed channel and a
        limit on depth or leaves.
    """

    criterion: int
    max_depth: int | None = None
    max_leaf_nodes: int | None = None
    min_weight: float = 0.0
    min_rows: float = 0.0
    row_weight: float = 1.0
    l2: float = 0.0
    by_ratio: bool = False
    stop_pure: bool = False
    by_depth: bool = False
    max_features: float = 1.0
    together: int = 0
    symmetric: bool = False

    @property
    def depth(self) -> int:
        """Most splits between root and leaf; of a symmetric tree the leaves limit it too."""
        depth = self.max_depth or DEEPEST
        if self.symmetric and self.max_leaf_nodes:
            depth = min(depth, self.max_leaf_nodes.bit_length() - 1)
        return depth

    @classmethod
    def least_share(cls, share: float) -> float:
        """Least weight where a leaf has at least this share: none is lost to rounding."""
        return max(share - TIE, TIE)


class TreeGrower:
    """Grows trees on one binned matrix, in memory that is laid out once.

    Parameters
    ----------
    bins : BinnedMatrix
        The rows.
    limits : Limits
        What growth looks for, and when it stops.
    n_threads : int
        Threads.
    categorical : {"equality", "partition"}
        How categories are split.
    n_labels : int
        Signed channels; the weight is one more. A partition needs one.
    labels : array of int32, optional
        Own label of each row, where all its weight is on that one.
    n_rows : int, optional
        Most rows that a tree is grown from; None is all. There may be more than in ``bins``, where
        rows are in parts.
    row_weights : array, optional
        Numbers of rows, in units of the limits' ``row_weight``, that each row stands for where they
        differ.
    leaves_apart : bool
        Whether leaves are made from other values than splits are judged by.
    monotonic : array of int64, optional
        Direction of values of leaves along each feature; empty or None where none has one.
    groups : array (groups, features) of uint8, optional
        Features that may meet on one way from root to leaf; None where all may.
    in_parts : bool
        Whether rows are in parts, whose sums by bin are all that is known of them.
    """

    def __init__(
        self,
        bins: BinnedMatrix,
        limits: Limits,
        n_threads: int,
        *,
        categorical: str = "equality",
        n_labels: int = 1,
        labels: Array | None = None,
        n_rows: int | None = None,
        row_weights: Array | None = None,
        leaves_apart: bool = False,
        monotonic: Array | None = None,
        groups: Array | None = None,
        in_parts: bool = False,
    ) -> None:
        self.bins, self.limits = bins, limits
        self.room: Array | None = None
        symmetric = grow_symmetric, help_grow_symmetric
        self._kernel, self._helper = symmetric if limits.symmetric else (grow, help_grow)
        n_threads = min(n_threads, bins.codes.size // CODES_PER_THREAD) if COMPILED else 1
        self.n_threads = max(n_threads, 1)
        self.all_rows = np.arange(bins.n_rows, dtype=np.uint32)
        self.kinds = _kinds(bins, categorical)
        self.some_categories = bool((self.kinds != THRESHOLD).any())
        # A cut behind the last bin is infinite: all present values go left.
        self.cuts = np.concatenate([np.append(cuts, np.inf) for cuts in bins.cuts])
        self.first_cut = np.cumsum([0, *(len(cuts) + 1 for cuts in bins.cuts)])[:-1]
        n_rows = bins.n_rows if n_rows is None else n_rows
        held = min(n_rows, bins.n_rows)  # rows may be elsewhere
        tiles, channels = _tiles(bins.n_features), n_labels + 1
        widest, n_tiles = int(bins.n_bins.max()) + 1, len(tiles) - 1
        few = limits.symmetric and not in_parts and n_rows < KEPT_ROWS * widest
        kept = n_labels == 1 and not few
        n_sums = TABLE if limits.symmetric else 0 if kept else channels
        features = _feature_table(self.kinds, bins.n_bins, bins.codes.dtype)
        depth = limits.depth
        most = min(limits.max_leaf_nodes or DEEPEST, n_rows, 1 << min(depth, 30))
        n_slots = most if limits.max_leaf_nodes else min(most, depth + 2, n_rows.bit_length() + 2)
        if limits.symmetric:  # for those of one level, and one more while its sibling has none
            n_slots = most // 2 + 1
        n_shares, n_nodes = -(-n_rows // ROWS_AT_ONCE), 2 * most - 1
        values = np.empty((bins.n_rows, channels if labels is None else 1))
        groups = np.zeros((0, bins.n_features), np.uint8) if groups is None else groups
        chosen = limits.max_features < 1.0 or limits.together > 0 or len(groups) > 0
        self.job = Job(
            codes=bins.codes,
            tiles=tiles,
            features=features,
            values=values,
            leaf_values=np.empty((bins.n_rows if leaves_apart else 0, channels)),
            labels=np.zeros(0, np.int32) if labels is None else labels,
            row_weights=np.zeros(0) if row_weights is None else row_weights,
            rows=np.empty(held, np.uint32),
            spare=np.empty(held, np.uint32),
            packed=np.empty((held, values.shape[1])),
            packed_labels=np.empty(0 if labels is None else held, np.int32),
            histograms=np.empty((n_slots if kept else 0, features[-1, 2], channels)),
            cells=np.zeros((n_tiles, widest * n_sums)),
            room=np.empty((n_tiles, channels)),
            splits=np.zeros((2, bins.n_features), SPLIT),
            monotonic=np.zeros(0, np.int64) if monotonic is None else monotonic,
            groups=groups,
            allowed=np.ones((2, bins.n_features if chosen else 0), np.uint8),
            seeds=np.ones(n_nodes if limits.max_features < 1.0 else 0, np.int64),
            counts=np.zeros((n_shares, 2), np.int64),
            parts=np.zeros((n_shares, 2, channels + 1)),
            nodes=np.zeros(n_nodes, GROWING),
            sums=np.zeros((n_nodes, channels)),
            table=np.zeros(widest, np.uint8),
            free=np.empty(n_slots, np.int64),
            waiting=np.empty(most, np.int64),
            order=np.zeros(ORDER_LENGTH, np.int64),
            board=np.zeros(0, np.int64),
            shape=_whole_limits(limits, depth, most),
            limits=_other_limits(limits),
        )

    def twin(self) -> TreeGrower:
        """Another that shares the codes and has its own memory, so that both can grow at once."""
        other = copy(self)
        job, shared = self.job, ("codes", "tiles", "features", "labels", "row_weights")
        other.room = None
        own = {k: values.copy() for k, values in job._asdict().items() if k not in shared}
        other.job = job._replace(**own)
        return other

    def set_root(self, n_rows: int, weight: float) -> None:
        """Write the root of a tree of so many rows, which stand for so many."""
        self.job.nodes[0] = tuple((EMPTY_ROOT | {"stop": n_rows, "rows": weight}).values())

    def grow(
        self,
        rows: Array | None,
        sums: Any = None,
        weight: float | None = None,
        columns: Array | None = None,
    ) -> Growth:
        """Grow one tree from the ``values`` of some rows, in ascending order; None is all.

        ``sums`` are those of all rows, needed only where all are grown from and there is one
        label; ``weight`` is the number of rows that those which are grown from stand for. Splits
        are by some ``columns``, in ascending order; None is all.
        """
        n_rows = self.bins.n_rows if rows is None else len(rows)
        job = self.job if columns is None else self._narrow(columns)
        job.rows[:n_rows] = self.all_rows if rows is None else rows
        self.set_root(n_rows, n_rows if weight is None else weight)
        if rows is None and len(job.histograms):
            job.sums[0] = sums
        else:
            sum_root(job, n_rows)
        n_nodes = self._kernel(job) if self.n_threads == 1 else self._grow_together(job)
        if n_nodes == FULL:
            raise RuntimeError(f"a tree outgrew the room for {len(job.nodes)} nodes")
        nodes, found = job.nodes[:n_nodes], job.sums[:n_nodes]
        if columns is not None:
            split = nodes["feature"] >= 0
            nodes["feature"][split] = columns[nodes["feature"][split]]
        return Growth(nodes, found, job.rows[:n_rows], self)

    def _grow_together(self, job: Job) -> int:
        """Grow a tree with the help of other threads; returns its number of nodes."""
        pool = WorkerPool(self.n_threads - 1)
        job = job._replace(board=pool.board)
        n_nodes: int = pool.lead(partial(self._kernel, job), partial(self._helper, job))
        pool.dismiss()
        return n_nodes

    def _narrow(self, columns: Array) -> Job:
        """Job for some columns alone: their codes side by side."""
        job, bins, n_columns = self.job, self.bins, len(columns)
        if self.room is None or len(self.room) != n_columns:
            self.room = np.empty((n_columns, bins.n_rows), bins.codes.dtype)
        codes = self.room

        def copy_column(place: int) -> None:
            codes[place] = bins.codes[columns[place]]

        run_blocks(copy_column, n_columns, self.n_threads)
        kinds, n_bins = self.kinds[columns], bins.n_bins[columns]
        return job._replace(
            codes=codes,
            tiles=_tiles(n_columns),
            features=_feature_table(kinds, n_bins, codes.dtype),
            splits=np.zeros((2, n_columns), SPLIT),
            monotonic=job.monotonic[columns] if len(job.monotonic) else job.monotonic,
            groups=np.ascontiguousarray(job.groups[:, columns]),
            allowed=np.ones((2, n_columns if job.allowed.size else 0), np.uint8),
        )


class Growth(NamedTuple):
    """A grown tree: nodes, their sums, and the rows, leaf by leaf.

    All are in the memory of the grower until the next tree grows; :meth:`by_level` copies nodes
    and sums.
    """

    nodes: Array
    sums: Array
    rows: Array
    grower: TreeGrower

    @property
    def leaves(self) -> Array:
        """Which nodes are leaves."""
        return self.nodes["left"] < 0

    def pruned(self, taken_back: Array) -> Growth:
        """Make some nodes leaves."""
        nodes = self.nodes.copy()
        for side in ("left", "right"):
            nodes[side][taken_back] = -1
        return self._replace(nodes=nodes)

    def by_level(self) -> Growth:
        """Number the nodes that hang together level by level: trees do not show how they grew."""
        return self._levels()[0]

    def level_order(self) -> Array:
        """Present numbers of the nodes in the order that :meth:`by_level` gives them."""
        return self._levels()[1]

    def _levels(self) -> tuple[Growth, Array]:
        nodes, sums = np.empty_like(self.nodes), np.empty_like(self.sums)
        order = np.empty(len(nodes), np.int64)
        count = number_by_level(self.nodes, self.sums, order, nodes, sums)
        if count < len(nodes):
            nodes, sums, order = nodes[:count], sums[:count], order[:count]
        return Growth(nodes, sums, self.rows, self.grower), order

    def tree(self, values: Array = NO_VALUES) -> Tree:
        """Write the nodes as a tree on raw values, with these values at its leaves."""
        nodes, grower = self.nodes, self.grower
        records = np.zeros(len(nodes), NODE)
        write_nodes(nodes, values, grower.kinds, grower.first_cut, grower.cuts, records)
        if not grower.some_categories:
            return Tree(records, NO_CATEGORIES)
        return Tree(*with_categories(records, self._sets(records)))

    def _sets(self, records: Array) -> list[Sequence[int] | None]:
        """Categories that go left at each node; None where it has a threshold."""
        nodes, grower = self.nodes, self.grower
        inner = np.flatnonzero(~self.leaves)
        sets: list[Sequence[int] | None] = [None] * len(nodes)
        for k in inner[grower.kinds[nodes["feature"][inner]] != THRESHOLD]:
            left = self._left_codes(k)
            if len(left) == grower.bins.n_bins[nodes["feature"][k]]:
                records["threshold"][k] = np.inf  # all that are present
            else:
                sets[k] = left.tolist()
        return sets

    def _left_codes(self, k: int) -> Array:
        """Categories that go left at a node."""
        node, bins = self.nodes[k], self.grower.bins
        j, start, stop = node["feature"], node["start"], node["stop"]
        n_bins = int(bins.n_bins[j])
        if self.grower.kinds[j] == CATEGORY:
            return np.array([node["cut"]]) if node["cut"] < n_bins else np.arange(n_bins)
        left = np.empty(n_bins, np.uint8)
        border = self.nodes["stop"][node["left"]] - start
        heavier = is_heavier(node["left_weight"], self.sums[k, -1])
        mark_left(bins.codes[j], self.rows[start:stop], border, heavier, left)
        return np.flatnonzero(left)

    def outputs(self, tree: Tree, values: Array) -> Array:
        """Give every row of the matrix the value of its leaf, one of ``values`` for each node.

        Rows that the tree was grown from lie together in their leaves; others walk down by codes.
        """
        grower, bins = self.grower, self.grower.bins
        n_threads, out = grower.n_threads, np.empty(self.grower.bins.n_rows, values.dtype)

        def place(start: int, stop: int) -> None:
            spread(self.rows, self.nodes, values, start, stop, out)

        run_rows(place, len(self.rows), n_threads)
        if len(self.rows) < len(out):
            idle = np.delete(grower.all_rows, self.rows)
            # Where all present values go left, the cut may be a place in an order of categories.
            all_left = np.isinf(tree.nodes["threshold"])
            cuts = np.where(all_left, np.iinfo(np.int64).max, self.nodes["cut"])

            def walk(start: int, stop: int) -> None:
                here = idle[start:stop]
                args = (tree.nodes, cuts, tree.categories, values)
                walk_codes(bins.codes, bins.n_bins, here, *args, out)

            run_rows(walk, len(idle), n_threads)
        return out


# -- layout ----------------------------------------------------------------------------------------


def _kinds(bins: BinnedMatrix, categorical: str) -> Array:
    """How each feature is split."""
    split = CATEGORICAL[categorical]
    return np.array([THRESHOLD if known is None else split for known in bins.categories])


def _feature_table(kinds: Array, n_bins: Array, codes: Any) -> Array:
    """Kind, number of bins and first place in the sums of each feature; last, where they end.

    ``codes`` is the type of the codes: of bytes, features have equally many places.
    """
    widths = np.full(len(kinds), NARROW) if codes == np.uint8 else n_bins + 1
    table = np.zeros((len(kinds) + 1, 3), np.int64)
    table[:-1, 0], table[:-1, 1] = kinds, n_bins
    table[1:, 2] = np.cumsum(widths)
    return table


def _whole_limits(limits: Limits, depth: int, most: int) -> Array:
    shape = np.zeros(SHAPE_LENGTH, np.int64)
    shape[MAX_DEPTH], shape[MAX_LEAVES] = depth, most if limits.max_leaf_nodes else 0
    shape[CRITERION], shape[BY_RATIO] = limits.criterion, limits.by_ratio
    shape[STOP_PURE], shape[BY_DEPTH] = limits.stop_pure, limits.by_depth
    shape[TOGETHER] = limits.together
    return shape


def _other_limits(limits: Limits) -> Array:
    values = np.zeros(LIMITS_LENGTH)
    values[L2], values[MIN_WEIGHT] = limits.l2, limits.min_weight
    values[MIN_ROWS], values[ROW_WEIGHT] = limits.min_rows, limits.row_weight
    values[MAX_FEATURES] = limits.max_features
    return values


def _tiles(n_features: int) -> Array:
    """First features of tiles that are equally wide and an even number."""
    n_tiles = min(n_features, 2 * -(-n_features // (2 * TILE)))
    return np.linspace(0, n_features, n_tiles + 1).round().astype(np.int64)
