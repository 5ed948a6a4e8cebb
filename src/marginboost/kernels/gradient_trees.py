"""Kernels behind second-order regression trees: growth, by one thread or several, and leaves.

Every row has a slope g (how much its score should rise) and a curvature h. A leaf with sums G and H
takes the value ``G / (H + l2)``, Newton's step, and is worth ``G² / (H + l2)``; the split that adds
most worth is taken.

Sums by bin are made in ``gradient_histograms``, splits found in ``gradient_splits``. Of two
siblings only the smaller one's rows are read; the rest of the parent's sums is the larger one's.

A whole tree is grown in one call, by one thread or several (see ``parallel``). Every share of the
work is the same whoever takes it, so the tree does not depend on the number of threads.

Growth uses splits as tables: whether each code goes left, the last entry for missing values.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .gradient_histograms import add_codes, add_rows, add_words
from .gradient_splits import (
    L2,
    MIN_ROWS,
    ROW_WEIGHT,
    SLACK,
    mean_order,
    search_feature,
)
from .jit import kernel
from .label_trees import first_best, next_node
from .parallel import UNTIL_DISMISSED, work_together, worker_loop
from .stumps import CATEGORY, PARTITION, TIE

Array = np.ndarray[Any, np.dtype[Any]]

ROWS_AT_ONCE = 1 << 14
"""Rows in a share of work."""
NODES_AT_ONCE = 32
"""Nodes in a share of work on leaves."""

DIVIDE, GATHER, SEARCH, MEASURE, WRITE = 0, 1, 2, 3, 4
"""Kinds of tasks."""
KIND, NODE, SMALL, LARGE, SEEK_SMALL, SEEK_LARGE = 0, 1, 2, 3, 4, 5
N_NODES, N_WAITING, N_FREE, ORDER_LENGTH = 6, 7, 8, 9
"""Places in the work order: the task at hand, and how far the tree has grown."""
MAX_DEPTH, MAX_LEAVES, N_SLOTS, SHAPE_LENGTH = 0, 1, 2, 3
"""Places in the limits of a tree that are whole numbers; 0 leaves means no limit."""

GRADIENT_NODE = np.dtype(
    [
        ("gain", "f8"),
        ("slope", "f8"),
        ("curvature", "f8"),
        ("rows", "f8"),
        ("left_slope", "f8"),
        ("left_curvature", "f8"),
        ("value", "f8"),
        ("feature", "i8"),
        ("cut", "i8"),
        ("missing_left", "i8"),
        ("left", "i8"),
        ("right", "i8"),
        ("start", "i8"),
        ("stop", "i8"),
        ("depth", "i8"),
        ("slot", "i8"),
    ]
)
"""A node; ``left`` is -1 at a leaf, where ``feature`` may still hold a split that was not made."""


class Job(NamedTuple):
    """Everything a tree is grown from, and where it goes.

    Attributes
    ----------
    codes : array (features, N)
        Bins.
    words : array (tiles, N) of uint64
        The same, up to eight features of a row in a word; no tiles where codes are wider.
    tiles : array of int64
        First feature of each tile, and the number of features.
    features : array (features, 2) of int64
        Kind and number of bins of each.
    pairs : array (N, 2)
        Slope and curvature that splits are judged by; absolute slopes, and curvatures, sum to one.
    leaves : array (N, 2)
        Slope and curvature that leaves are made from; perhaps the same.
    prior : array (N,)
        Weights of the rows, as numbers of rows; empty where all are equal.
    rows, spare : array of uint32
        Rows of the tree, those of a node together and in order; room for as many.
    packed : array (rows, 2)
        Room for the pairs of a node.
    histograms : array (slots, features, bins, 2)
        Sums of pairs by bin.
    splits : array (2, features) of GRADIENT_SPLIT
        Best splits of two siblings.
    counts, weights : array (shares, 2), array (shares,)
        Rows that go left in each share, and in all before it; their weight.
    nodes, tables : array of GRADIENT_NODE, array (nodes, bins) of uint8
        The tree.
    free, waiting : array of int64
        Unused slots; nodes that may be divided.
    column : array (N,)
        Outputs.
    order, board : array of int64
        The task at hand; the ticket.
    shape, limits : array
        Limits of growth.
    """

    codes: Array
    words: Array
    tiles: Array
    features: Array
    pairs: Array
    leaves: Array
    prior: Array
    rows: Array
    spare: Array
    packed: Array
    histograms: Array
    splits: Array
    counts: Array
    weights: Array
    nodes: Array
    tables: Array
    free: Array
    waiting: Array
    column: Array
    order: Array
    board: Array
    shape: Array
    limits: Array


# -- histograms and tables -------------------------------------------------------------------------


@kernel
def fill_sums(job: Job, tile: int, node: Any, sums: Array) -> None:
    """Sums of a node's rows for the features of a tile."""
    first, last = job.tiles[tile], job.tiles[tile + 1]
    rows = job.rows[node.start : node.stop]
    whole = rows.size == job.pairs.shape[0]  # the root: all rows in order
    pairs = job.pairs if whole else job.packed[: rows.size]
    sums[:] = 0.0
    if whole and job.words.shape[0] > 0:
        add_words(job.words[tile], pairs, sums)
    elif job.words.shape[0] > 0:
        add_rows(job.words[tile], rows, pairs, sums)
    else:
        add_codes(job.codes[first:last], rows, pairs, sums)


@kernel
def fill_table(job: Job, node: Any, table: Array) -> None:
    """Which codes go left at a node; its sums must still be there."""
    kind, n_bins = job.features[node.feature, 0], job.features[node.feature, 1]
    table[:] = 0
    if kind == CATEGORY:
        if node.cut < n_bins:
            table[node.cut] = 1
        else:
            table[:n_bins] = 1
    elif kind == PARTITION:
        sums = job.histograms[node.slot, node.feature]
        order = np.arange(n_bins)
        mean_order(sums, order)
        heavier = 2.0 * node.left_curvature >= node.curvature * (1.0 - TIE)
        for place in range(n_bins):
            seen = sums[order[place], 1] > TIE
            # Categories not seen here go to the side of more curvature.
            table[order[place]] = (place <= node.cut) if seen else heavier
    else:
        table[: node.cut + 1] = 1
    table[n_bins] = node.missing_left


# -- shares of work --------------------------------------------------------------------------------


@kernel
def divide_share(job: Job, share: int) -> None:
    """Sort some rows of a node: those that go left from the front, the others from the back."""
    k = job.order[NODE]
    node = job.nodes[k]
    start = node.start + share * ROWS_AT_ONCE
    stop = min(start + ROWS_AT_ONCE, node.stop)
    codes, table = job.codes[node.feature], job.tables[k]
    rows, spare = job.rows, job.spare
    front, back = start, stop - 1
    for i in range(start, stop):
        row = rows[i]
        left = np.int64(table[codes[row]])
        # Both places are written and one counted: no branch for the processor to guess.
        spare[front] = row
        spare[back] = row
        front += left
        back -= 1 - left
    job.counts[share, 0] = front - start
    weight = 0.0
    if job.prior.size > 0:
        for i in range(start, front):
            weight += job.prior[spare[i]]
    job.weights[share] = weight


@kernel
def gather_share(job: Job, share: int) -> None:
    """Move sorted rows to their places, and pack the pairs of the smaller child's."""
    node = job.nodes[job.order[NODE]]
    small = job.nodes[job.order[SMALL]]
    start = node.start + share * ROWS_AT_ONCE
    stop = min(start + ROWS_AT_ONCE, node.stop)
    n_left, before = job.counts[share, 0], job.counts[share, 1]
    rows, spare = job.rows, job.spare
    to = node.start + before
    for i in range(n_left):
        rows[to + i] = spare[start + i]
    border = job.nodes[node.right].start
    to_right = border + (start - node.start) - before
    n_right = stop - start - n_left
    for i in range(n_right):
        rows[to_right + i] = spare[stop - 1 - i]
    first, count = to, n_left
    if small.start == border:
        first, count = to_right, n_right
    packed, pairs = job.packed, job.pairs
    for i in range(first, first + count):
        place, row = i - small.start, rows[i]
        packed[place, 0] = pairs[row, 0]
        packed[place, 1] = pairs[row, 1]


@kernel
def search_share(job: Job, tile: int) -> None:
    """Histograms and best splits of a node and of its larger sibling, for one tile.

    The sibling holds the parent's sums.
    """
    first, last = job.tiles[tile], job.tiles[tile + 1]
    small = job.nodes[job.order[SMALL]]
    sums = job.histograms[small.slot, first:last]
    fill_sums(job, tile, small, sums)
    if job.order[LARGE] >= 0:
        large = job.nodes[job.order[LARGE]]
        rest = job.histograms[large.slot, first:last].reshape(-1)
        mine = sums.reshape(-1)
        for k in range(mine.size):
            rest[k] -= mine[k]
    for which in range(2):
        if job.order[SEEK_SMALL + which] != 0:
            node = job.nodes[job.order[SMALL + which]]
            for j in range(first, last):
                found = job.histograms[node.slot, j]
                split = job.splits[which, j]
                search_feature(found, job.features[j], node, job.limits, split)


@kernel
def measure_share(job: Job, share: int) -> None:
    """Sums of some leaves, made anew from their rows."""
    first = share * NODES_AT_ONCE
    for k in range(first, min(first + NODES_AT_ONCE, job.order[N_NODES])):
        node = job.nodes[k]
        if node.left >= 0:
            continue
        slope = curvature = 0.0
        for i in range(node.start, node.stop):
            row = job.rows[i]
            slope += job.leaves[row, 0]
            curvature += job.leaves[row, 1]
        node.slope, node.curvature = slope, curvature


@kernel
def write_share(job: Job, share: int) -> None:
    """Outputs of some leaves' rows."""
    first = share * NODES_AT_ONCE
    for k in range(first, min(first + NODES_AT_ONCE, job.order[N_NODES])):
        node = job.nodes[k]
        if node.left < 0:
            for i in range(node.start, node.stop):
                job.column[job.rows[i]] = node.value


@kernel
def do_share(job: Job, share: int) -> None:
    """Do a share of the task at hand."""
    kind = job.order[KIND]
    if kind == DIVIDE:
        divide_share(job, share)
    elif kind == GATHER:
        gather_share(job, share)
    elif kind == SEARCH:
        search_share(job, share)
    elif kind == MEASURE:
        measure_share(job, share)
    else:
        write_share(job, share)


@kernel
def do_task(job: Job, n_shares: int) -> None:
    """Do all shares of the task at hand, with whoever helps."""
    work_together(do_share, job, n_shares)


@kernel
def help_grow(job: Job) -> None:
    """Take shares until the tree is grown."""
    worker_loop(do_share, job, UNTIL_DISMISSED)


# -- growth ----------------------------------------------------------------------------------------


@kernel
def may_split(job: Job, node: Any) -> bool:
    """Whether a node has depth, rows and curvature left."""
    return (
        node.depth < job.shape[MAX_DEPTH]
        and node.rows >= 2.0 * job.limits[MIN_ROWS] * (1.0 - SLACK)
        and node.stop - node.start > 1
        and node.curvature > 0.0
    )


@kernel
def open_children(job: Job, parent: int) -> None:
    """Divide a node's rows and make its children; the smaller one's pairs are packed."""
    node, order = job.nodes[parent], job.order
    n_shares = -(-(node.stop - node.start) // ROWS_AT_ONCE)
    order[KIND], order[NODE] = DIVIDE, parent
    do_task(job, n_shares)
    n_left, weight = 0, 0.0
    for share in range(n_shares):
        job.counts[share, 1] = n_left
        n_left += job.counts[share, 0]
        weight += job.weights[share]
    node.left, node.right = order[N_NODES], order[N_NODES] + 1
    order[N_NODES] += 2
    left, right = job.nodes[node.left], job.nodes[node.right]
    left.start, left.stop = node.start, node.start + n_left
    right.start, right.stop = node.start + n_left, node.stop
    left.rows = weight if job.prior.size > 0 else n_left * job.limits[ROW_WEIGHT]
    right.rows = node.rows - left.rows
    left.slope, left.curvature = node.left_slope, node.left_curvature
    right.slope = node.slope - left.slope
    right.curvature = node.curvature - left.curvature
    for child in (left, right):
        child.depth = node.depth + 1
        child.left = child.right = child.feature = child.slot = -1
    left_is_small = 2 * n_left <= node.stop - node.start
    order[SMALL] = node.left if left_is_small else node.right
    order[LARGE] = node.right if left_is_small else node.left
    order[KIND] = GATHER
    do_task(job, n_shares)
    job.nodes[order[LARGE]].slot, node.slot = node.slot, -1


@kernel
def choose_split(job: Job, which: int) -> bool:
    """Give a node the best of its features' splits, the lowest feature on ties."""
    k = job.order[SMALL + which]
    j = first_best(job.splits[which])
    if job.order[SEEK_SMALL + which] == 0 or j < 0:
        return False
    node, split = job.nodes[k], job.splits[which, j]
    node.feature, node.gain, node.cut = j, split.gain, split.cut
    node.missing_left = split.missing_left
    node.left_slope, node.left_curvature = split.left_slope, split.left_curvature
    fill_table(job, node, job.tables[k])
    return True


@kernel
def search_children(job: Job) -> None:
    """Look for splits of the root, or of two new nodes of which the larger has the parent's sums.

    A node with a split waits to be divided; the histograms of one without are free again.
    """
    order = job.order
    small = job.nodes[order[SMALL]]
    order[SEEK_SMALL] = may_split(job, small)
    order[SEEK_LARGE] = order[LARGE] >= 0 and may_split(job, job.nodes[order[LARGE]])
    if order[SEEK_SMALL] or order[SEEK_LARGE]:
        order[N_FREE] -= 1
        small.slot = job.free[order[N_FREE]]
        order[KIND] = SEARCH
        do_task(job, job.tiles.size - 1)
    for which in range(2):
        k = order[SMALL + which]
        if k < 0:
            continue
        if choose_split(job, which):
            job.waiting[order[N_WAITING]] = k
            order[N_WAITING] += 1
        elif job.nodes[k].slot >= 0:
            job.free[order[N_FREE]] = job.nodes[k].slot
            order[N_FREE] += 1
            job.nodes[k].slot = -1


@kernel
def next_parent(job: Job) -> int:
    """Take the node that is divided next; the others keep their order, the newest last."""
    order, waiting = job.order, job.waiting
    best_first = job.shape[MAX_LEAVES] > 0
    position = next_node(job.nodes, waiting, order[N_WAITING], best_first)
    parent = waiting[position]
    order[N_WAITING] -= 1
    for p in range(position, order[N_WAITING]):
        waiting[p] = waiting[p + 1]
    return parent


@kernel
def grow(job: Job) -> None:
    """Grow a tree into ``nodes``; the first is the root, with its sums.

    With a limit on leaves the open node of largest gain is divided next. Children come after their
    parent. The sums of leaves are then made anew, from ``leaves``.
    """
    order, n_leaves = job.order, 1
    order[N_NODES], order[N_WAITING], order[N_FREE] = 1, 0, job.shape[N_SLOTS]
    order[SMALL], order[LARGE] = 0, -1
    for slot in range(job.free.size):
        job.free[slot] = slot
    search_children(job)
    while order[N_WAITING] > 0:
        open_children(job, next_parent(job))
        n_leaves += 1
        if n_leaves == job.shape[MAX_LEAVES]:
            break
        search_children(job)
    order[KIND] = MEASURE
    do_task(job, -(-order[N_NODES] // NODES_AT_ONCE))


@kernel
def set_values(nodes: Array, l2: float, unit: float, largest: float) -> tuple[float, float]:
    """Values of the leaves, divided by the largest; returns that, and the edge of the tree.

    Curvatures and ``l2`` are in units of ``unit``; ``largest`` is the most that a value may be
    before it is divided.
    """
    scale = 0.0
    for k in range(nodes.size):
        node = nodes[k]
        if node.left < 0:
            below = (node.curvature + l2) * unit
            value = node.slope / below if below > 0.0 else 0.0
            node.value = min(max(value, -largest), largest)
            scale = max(scale, abs(node.value))
    edge = 0.0
    for k in range(nodes.size):
        node = nodes[k]
        if node.left < 0 and scale > 0.0:
            node.value /= scale
            edge += node.slope * node.value
    return scale, edge


@kernel
def grow_tree(job: Job, unit: float, largest: float) -> tuple[int, float, float]:
    """Grow a tree, value its leaves and write its column; returns nodes, scale and edge.

    Of its curvatures one is ``unit``; leaves are at most ``largest``.
    """
    grow(job)
    n_nodes = job.order[N_NODES]
    scale, edge = set_values(job.nodes[:n_nodes], job.limits[L2], unit, largest)
    job.order[KIND] = WRITE
    do_task(job, -(-n_nodes // NODES_AT_ONCE))
    return n_nodes, scale, edge
