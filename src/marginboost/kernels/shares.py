"""Kernels that do the work of growing a tree: dividing rows, their sums by bin, best splits.

Each task is cut in shares that write to places of their own, so that several threads can take them
(see ``grow``, which says what is to be done next).

Every row brings a few numbers, its channels (see ``histograms``); their sums over a node are all
that its splits are judged by (see ``splits``). A tree of two channels keeps its sums by bin: of two
siblings only the smaller one's rows are read, and the rest of the parent's sums is the larger
one's. With a channel for each of many labels that would take too much memory, and most nodes of a
large tree have few labels: then sums are made afresh for every node, for the labels it has.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..types import Array
from .histograms import add_codes, add_labels, add_rows
from .jit import inlined_kernel, inner_kernel
from .splits import category_order, is_heavier, scan
from .stumps import CATEGORY, PARTITION
from .ties import TIE

ROWS_AT_ONCE = 1 << 14
"""Rows in a share of work."""
NODES_AT_ONCE = 32
"""Nodes in a share of work on leaves."""
NO_FEATURE = np.int64(-1)
"""In the place of a feature; a literal would be another type, and have kernels compiled for it."""
SLACK = 1e-9
"""Relative rounding in the number of rows on a side."""

DIVIDE, GATHER, SEARCH, MEASURE = 0, 1, 2, 3
"""Kinds of tasks."""
KIND, NODE, SMALL, LARGE, SEEK_SMALL, SEEK_LARGE = 0, 1, 2, 3, 4, 5
N_NODES, N_WAITING, N_FREE, ORDER_LENGTH = 6, 7, 8, 9
"""Places in the work order: the task at hand, and how far the tree has grown."""
MAX_DEPTH, MAX_LEAVES, CRITERION, BY_RATIO, STOP_PURE = 0, 1, 2, 3, 4
BY_DEPTH, TOGETHER, SHAPE_LENGTH = 5, 6, 7
"""Places in the limits of a tree that are whole numbers; 0 means no limit."""
L2, MIN_WEIGHT, MIN_ROWS, ROW_WEIGHT, MIN_GAIN, MAX_FEATURES, LIMITS_LENGTH = 0, 1, 2, 3, 4, 5, 6
"""Places in the limits of a tree that are not."""

GROWING = np.dtype(
    [
        ("gain", "f8"),
        ("score", "f8"),
        ("rows", "f8"),
        ("left_weight", "f8"),
        ("low", "f8"),
        ("high", "f8"),
        ("floor", "f8"),
        ("parent", "i8"),
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
"""A node of a growing tree: its rows are ``start:stop``; ``left`` is -1 at a leaf, where
``feature`` may still hold a split that was not made; values of its leaves are in ``low:high``. A
side has ``floor`` weight at least, which only symmetric trees write down."""


class Job(NamedTuple):
    """Everything a tree is grown from, and where it goes.

    Attributes
    ----------
    codes : array (features, N)
        Bins.
    tiles : array of int64
        First feature of each tile, and the number of features.
    features : array (features + 1, 3) of int64
        Kind and number of bins of each, and where its sums begin; their end.
    values : array (N, channels)
        What every row brings; of a row with all weight on its own label, the weight only.
    leaf_values : array (N, channels)
        What the sums of leaves are made from; no rows where that is the same.
    labels : array of int32
        Own label of every row where all its weight is on that; else empty.
    row_weights : array (N,)
        Weights of the rows, in units of the limit ROW_WEIGHT; empty where all are equal.
    rows, spare : array of uint32
        Rows of the tree, those of a node together and in order; room for as many.
    packed, packed_labels : array (rows, channels), array of int32
        Room for the values and labels of nodes.
    histograms : array (slots, bins of all features, channels)
        Sums that are kept; no slots where they are made afresh for every node.
    cells, room : array (tiles, bins of a feature × channels), array (tiles, channels)
        Room for sums of one feature that are not kept, with zeros, or for the table of its cuts
        (see ``symmetric``); room for a scan.
    splits : array (2, features) of SPLIT
        Best splits of two siblings; or those of a level, and whether any value may be missing.
    monotonic : array of int64
        For each feature 1 where values of leaves must not fall with it, -1 where they must not
        rise, 0 for neither; empty where it is 0 for all.
    groups : array (groups, features) of uint8
        Features that may meet on one way from root to leaf; no groups where all may.
    allowed : array (2, features) of uint8
        Features that two siblings, or all nodes of a level, may be split by; without features where
        all may always be used.
    seeds : array of int64
        Random number of each node, where features are drawn for every split.
    counts : array (shares, 2) of int64
        Rows that go left in each share, and in all before it.
    parts : array (shares, 2, channels + 1)
        Sums of each share on both sides; weight as a number of rows last.
    nodes, sums : array of GROWING, array (nodes, channels)
        The tree.
    table : array of uint8
        Whether each code goes left at the node that is divided, the last entry for missing values.
    free, waiting : array of int64
        Unused slots; nodes that may be divided.
    order, board : array of int64
        The task at hand; the ticket.
    shape, limits : array
        Limits of growth.
    """

    codes: Array
    tiles: Array
    features: Array
    values: Array
    leaf_values: Array
    labels: Array
    row_weights: Array
    rows: Array
    spare: Array
    packed: Array
    packed_labels: Array
    histograms: Array
    cells: Array
    room: Array
    splits: Array
    monotonic: Array
    groups: Array
    allowed: Array
    seeds: Array
    counts: Array
    parts: Array
    nodes: Array
    sums: Array
    table: Array
    free: Array
    waiting: Array
    order: Array
    board: Array
    shape: Array
    limits: Array


# -- dividing rows ---------------------------------------------------------------------------------


@inner_kernel
def fill_table(job: Job, k: int) -> None:
    """Which codes go left at a node; its sums must still be there for a partition."""
    node, table = job.nodes[k], job.table
    kind, n_bins = job.features[node["feature"], 0], job.features[node["feature"], 1]
    cut = node["cut"]
    table[: n_bins + 1] = 0
    if kind == PARTITION:
        first = job.features[node["feature"], 2]
        cells = job.histograms[node["slot"], first : first + n_bins + 1]
        order = category_order(cells)
        heavier = is_heavier(node["left_weight"], job.sums[k, 1])
        for place in range(n_bins):
            seen = cells[order[place], 1] > TIE
            # Categories not seen here go to the heavier side.
            table[order[place]] = (place <= cut) if seen else heavier
    elif kind == CATEGORY and cut < n_bins:
        table[cut] = 1
    else:
        table[: min(cut + 1, n_bins)] = 1
    table[n_bins] = node["missing_left"]


@inner_kernel
def sort_rows(rows: Array, codes: Array, table: Array, out: Array) -> int:
    """Write rows whose codes go left from the front, others from the back; returns the former.

    Both places are written and one counted: no branch for the processor to guess. They are
    unsigned, so that none is looked at for one that counts from the end.
    """
    front, behind, one = np.uint64(0), np.uint64(rows.size), np.uint64(1)
    for i in range(rows.size):
        row = rows[i]
        left = np.uint64(table[codes[row]])
        out[front] = row
        out[behind - one] = row
        front += left
        behind -= one - left
    return int(np.int64(front))


@inner_kernel
def divide_share(job: Job, share: int) -> None:
    """Sort some rows of a node: those that go left from the front, the others from the back."""
    node = job.nodes[job.order[NODE]]
    start = node["start"] + share * ROWS_AT_ONCE
    stop = min(start + ROWS_AT_ONCE, node["stop"])
    spare = job.spare[start:stop]
    n_left = sort_rows(job.rows[start:stop], job.codes[node["feature"]], job.table, spare)
    job.counts[share, 0] = n_left
    weight = 0.0
    if job.row_weights.size > 0:
        for i in range(n_left):
            weight += job.row_weights[spare[i]]
    job.parts[share, 0, job.parts.shape[2] - 1] = weight


@inner_kernel
def pack_pairs(rows: Array, values: Array, out: Array) -> tuple[float, float]:
    """Bring the pairs of some rows together; returns their sums.

    Every other row has sums of its own, so that additions wait half as long for one another. Sums
    are exact, and the same in any order.
    """
    signed = weight = other_signed = other_weight = 0.0
    for i in range(1, rows.size, 2):
        a, b = values[rows[i - 1], 0], values[rows[i - 1], 1]
        c, d = values[rows[i], 0], values[rows[i], 1]
        out[i - 1, 0], out[i - 1, 1], out[i, 0], out[i, 1] = a, b, c, d
        signed += a
        weight += b
        other_signed += c
        other_weight += d
    if rows.size % 2 == 1:
        last = rows.size - 1
        out[last, 0], out[last, 1] = values[rows[last], 0], values[rows[last], 1]
        signed += out[last, 0]
        weight += out[last, 1]
    return signed + other_signed, weight + other_weight


@inner_kernel
def pack_rows(job: Job, start: int, stop: int, sums: Array) -> None:
    """Bring the values of some rows together, and write their sums."""
    rows, values, packed, last = job.rows, job.values, job.packed, job.sums.shape[1] - 1
    sums[: last + 1] = 0.0
    if job.labels.size > 0:
        for i in range(start, stop):
            label, amount = job.labels[rows[i]], values[rows[i], 0]
            job.packed_labels[i] = label
            packed[i, 0] = amount
            sums[label] += amount
            sums[last] += amount
    elif last == 1:
        sums[0], sums[1] = pack_pairs(rows[start:stop], values, packed[start:stop])
    else:
        for i in range(start, stop):
            for channel in range(last + 1):
                packed[i, channel] = values[rows[i], channel]
                sums[channel] += packed[i, channel]


@inner_kernel
def copy_sorted(rows: Array, left: Array, right: Array) -> None:
    """Copy rows as :func:`sort_rows` wrote them to both sides, in ascending order."""
    for i in range(left.size):
        left[i] = rows[i]
    last = np.uint64(rows.size - 1)
    for i in range(right.size):
        right[i] = rows[last - np.uint64(i)]


@inner_kernel
def gather_share(job: Job, share: int) -> None:
    """Move sorted rows to their places, and pack those whose values will be read.

    Where sums are kept, that is the smaller child's rows.
    """
    node = job.nodes[job.order[NODE]]
    start = node["start"] + share * ROWS_AT_ONCE
    stop = min(start + ROWS_AT_ONCE, node["stop"])
    n_left, before = job.counts[share, 0], job.counts[share, 1]
    n_right = stop - start - n_left
    to_left = node["start"] + before
    to_right = job.nodes[node["right"]]["start"] + (start - node["start"]) - before
    copy_sorted(
        job.spare[start:stop],
        job.rows[to_left : to_left + n_left],
        job.rows[to_right : to_right + n_right],
    )
    kept = job.histograms.shape[0] > 0
    if not kept or job.order[SMALL] == node["left"]:
        pack_rows(job, to_left, to_left + n_left, job.parts[share, 0])
    if not kept or job.order[SMALL] == node["right"]:
        pack_rows(job, to_right, to_right + n_right, job.parts[share, 1])


# -- sums and splits -------------------------------------------------------------------------------


@inner_kernel
def least_weight(job: Job, k: int) -> float:
    """Least weight of a side of a node; less than a TIE of it is rounding.

    The rows of a side are estimated by its share of the node's weight, which is exact where all
    rows have the same.
    """
    weight = job.sums[k, job.sums.shape[1] - 1]
    by_rows = job.limits[MIN_ROWS] * (1.0 - SLACK) * weight / max(job.nodes[k]["rows"], TIE)
    return max(job.limits[MIN_WEIGHT], by_rows, TIE * weight)


@inner_kernel
def node_rules(job: Job, k: int, j: int) -> tuple[int, float, float, float, int]:
    """Criterion, l2, bounds on values of leaves, and their direction along feature j, if any."""
    node, along = job.nodes[k], 0
    if j >= 0 and job.monotonic.size > 0:
        along = job.monotonic[j]
    return job.shape[CRITERION], job.limits[L2], node["low"], node["high"], along


@inner_kernel
def keep_sums(job: Job, tile: int, k: int) -> None:
    """Sums of a node's rows for the features of a tile, into the node's slot."""
    slot = job.histograms[job.nodes[k]["slot"]]
    for j in range(job.tiles[tile], job.tiles[tile + 1]):  # bytes have room for more bins
        begin = job.features[j, 2]
        slot[begin : begin + job.features[j, 1] + 1] = 0.0
    add_node(job, tile, k, job.nodes[k]["slot"])


@inner_kernel
def add_node(job: Job, tile: int, k: int, slot: int) -> None:
    """Add what a node's rows bring to the sums in a slot, for the features of a tile."""
    node = job.nodes[k]
    first, last = job.tiles[tile], job.tiles[tile + 1]
    start, stop = node["start"], node["stop"]
    rows = job.rows[start:stop]
    whole = rows.size == job.values.shape[0]  # the root: all rows in order
    values = job.values if whole else job.packed[start:stop]
    sums = job.histograms[slot, job.features[first, 2] : job.features[last, 2]]
    if job.codes.itemsize > 1:
        for j in range(first, last):
            begin = job.features[j, 2] - job.features[first, 2]
            add_codes(job.codes[j], rows, values, sums[begin:])
    else:
        add_rows(job.codes[first:last], rows, values, sums)


@inner_kernel
def turn_values(job: Job) -> None:
    """Change the signs of the smaller node's values: it is finished, and nothing else reads them.

    Added to the parent's sums they leave those of the larger one, bit for bit, for sums are exact.
    """
    node = job.nodes[job.order[SMALL]]
    for i in range(node["start"], node["stop"]):
        job.packed[i, 0], job.packed[i, 1] = -job.packed[i, 0], -job.packed[i, 1]


@inlined_kernel
def sum_kept(job: Job, tile: int) -> None:
    """Sums of a node, and of its larger sibling that holds the parent's sums.

    A smaller one that is not searched needs no sums: its rows are taken from those of the larger.
    """
    if job.order[SEEK_SMALL] == 0:
        add_node(job, tile, job.order[SMALL], job.nodes[job.order[LARGE]]["slot"])
    else:
        keep_sums(job, tile, job.order[SMALL])
        if job.order[SEEK_LARGE] != 0:
            mine = job.histograms[job.nodes[job.order[SMALL]]["slot"]].reshape(-1)
            rest = job.histograms[job.nodes[job.order[LARGE]]["slot"]].reshape(-1)
            for j in range(job.tiles[tile], job.tiles[tile + 1]):
                begin = 2 * job.features[j, 2]
                for i in range(begin, begin + 2 * (job.features[j, 1] + 1)):
                    rest[i] -= mine[i]


@inner_kernel
def scan_tile(job: Job, tile: int) -> None:
    """Best splits of a node and its sibling from sums that are kept, for the features of a tile."""
    first, last = job.tiles[tile], job.tiles[tile + 1]
    for which in range(2):
        if job.order[SEEK_SMALL + which] != 0:
            k = job.order[SMALL + which]
            floor, slot = least_weight(job, k), job.nodes[k]["slot"]
            for j in range(first, last):
                split = job.splits[which, j]
                if job.allowed.shape[1] > 0 and job.allowed[which, j] == 0:
                    split["gain"] = 0.0
                    continue
                begin = job.features[j, 2]
                cells = job.histograms[slot, begin : begin + job.features[j, 1] + 1]
                kind, rules = job.features[j, 0], node_rules(job, k, j)
                scan(cells, kind, job.sums[k], floor, rules, job.room[tile], split)


@inner_kernel
def search_afresh(job: Job, tile: int, which: int) -> None:
    """Best splits of a node, with sums that are not kept."""
    k = job.order[SMALL + which]
    start, stop = job.nodes[k]["start"], job.nodes[k]["stop"]
    rows, values = job.rows[start:stop], job.packed[start:stop]
    labels, last = job.packed_labels[start:stop], job.sums.shape[1] - 1
    one_label = job.labels.size > 0
    # The labels that the node has are given places; the others need none.
    place, total, n_labels = np.empty(last, np.int64), np.empty(last + 1), 0
    for label in range(last):
        place[label] = 0
        if not one_label or job.sums[k, label] > 0.0:
            place[label], total[n_labels] = n_labels, job.sums[k, label]
            n_labels += 1
    total[n_labels] = job.sums[k, last]
    total = total[: n_labels + 1]
    floor, rules = least_weight(job, k), node_rules(job, k, NO_FEATURE)
    for j in range(job.tiles[tile], job.tiles[tile + 1]):
        kind, n_bins = job.features[j, 0], job.features[j, 1]
        flat = job.cells[tile, : (n_bins + 1) * (n_labels + 1)]
        cells = flat.reshape((n_bins + 1, n_labels + 1))
        if one_label:
            add_labels(job.codes[j], rows, values, labels, place, cells)
        else:
            add_codes(job.codes[j], rows, values, cells)
        scan(cells, kind, total, floor, rules, job.room[tile], job.splits[which, j])
        for code in range(n_bins + 1):
            if cells[code, n_labels] != 0.0:
                for channel in range(n_labels + 1):
                    cells[code, channel] = 0.0


@inlined_kernel
def search_share(job: Job, tile: int) -> None:
    """Best splits of one or two nodes, for one tile."""
    if job.histograms.shape[0] > 0:
        sum_kept(job, tile)
        scan_tile(job, tile)
        return
    for which in range(2):
        if job.order[SEEK_SMALL + which] != 0:
            search_afresh(job, tile, which)


@inner_kernel
def measure_share(job: Job, share: int) -> None:
    """Sums of some leaves, made from other values of their rows."""
    first = share * NODES_AT_ONCE
    for k in range(first, min(first + NODES_AT_ONCE, job.order[N_NODES])):
        node = job.nodes[k]
        if node["left"] >= 0:
            continue
        signed = weight = 0.0
        for i in range(node["start"], node["stop"]):
            row = job.rows[i]
            signed += job.leaf_values[row, 0]
            weight += job.leaf_values[row, 1]
        job.sums[k, 0], job.sums[k, 1] = signed, weight


@inner_kernel
def do_share(job: Job, share: int) -> None:
    """Do a share of the task at hand."""
    kind = job.order[KIND]
    if kind == DIVIDE:
        divide_share(job, share)
    elif kind == GATHER:
        gather_share(job, share)
    elif kind == SEARCH:
        search_share(job, share)
    else:
        measure_share(job, share)
