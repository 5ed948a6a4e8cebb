"""Kernels that grow a tree, by one thread or several: the one engine behind all trees.

A whole tree is grown in one call, by one thread or several (see ``parallel``). Every share of the
work (see ``shares``) is the same whoever takes it, so the tree does not depend on the number of
threads.
"""

from __future__ import annotations

import numpy as np

from ..types import Array
from .by_reference import by_reference
from .columns import choose_columns
from .jit import dividing_kernel, inner_kernel, kernel
from .parallel import UNTIL_DISMISSED, work_together, worker_loop
from .shares import (
    BY_DEPTH,
    BY_RATIO,
    DIVIDE,
    GATHER,
    KIND,
    LARGE,
    MAX_DEPTH,
    MAX_LEAVES,
    MEASURE,
    MIN_GAIN,
    MIN_ROWS,
    MIN_WEIGHT,
    N_FREE,
    N_NODES,
    N_WAITING,
    NO_FEATURE,
    NODE,
    NODES_AT_ONCE,
    ROW_WEIGHT,
    ROWS_AT_ONCE,
    SEARCH,
    SEEK_LARGE,
    SEEK_SMALL,
    SLACK,
    SMALL,
    STOP_PURE,
    Job,
    do_share,
    fill_table,
    node_rules,
    pack_rows,
    turn_values,
)
from .splits import best_ratio, bounded_value, first_best, score
from .stumps import THRESHOLD
from .ties import TIE, resolution

FULL = -1
"""In place of the number of nodes: the tree outgrew its room."""


@inner_kernel
def do_task(job: Job, n_shares: int) -> None:
    """Do all shares of the task at hand, with whoever helps."""
    work_together(do_share, job, n_shares)


@kernel
def help_grow(job: Job) -> None:
    """Take shares until the tree is grown."""
    worker_loop(do_share, by_reference(job), UNTIL_DISMISSED)


# -- growth ----------------------------------------------------------------------------------------


@inner_kernel
def is_pure(sums: Array) -> bool:
    """Whether all rows of a node want the same answer, so that it is finished.

    Then no sum has lost weight to opposite signs, and one label at most is wanted.
    """
    last, size, wanted = sums.size - 1, 0.0, 0
    for label in range(last):
        size += abs(sums[label])
        wanted += 1 if sums[label] > TIE * sums[last] else 0
    return wanted <= 1 and size >= sums[last] * (1.0 - TIE)


@inner_kernel
def may_split(job: Job, k: int) -> bool:
    """Whether a node has depth, rows and weight left, and something to tell apart."""
    node, weight = job.nodes[k], job.sums[k, job.sums.shape[1] - 1]
    return (
        node["depth"] < job.shape[MAX_DEPTH]
        and node["rows"] >= 2.0 * job.limits[MIN_ROWS] * (1.0 - SLACK)
        and node["stop"] - node["start"] > 1
        and weight > 0.0
        and weight >= 2.0 * job.limits[MIN_WEIGHT]
        and not (job.shape[STOP_PURE] != 0 and is_pure(job.sums[k]))
    )


@inner_kernel
def release(job: Job, k: int) -> None:
    """Take back the sums that a node keeps."""
    if job.nodes[k]["slot"] >= 0:
        job.free[job.order[N_FREE]] = job.nodes[k]["slot"]
        job.order[N_FREE] += 1
        job.nodes[k]["slot"] = -1


@inner_kernel
def open_child(job: Job, parent: int, k: int, start: int, stop: int, rows: float) -> None:
    """Make a node of some of its parent's rows."""
    node = job.nodes[k]
    node["start"], node["stop"], node["rows"] = start, stop, rows
    node["depth"] = job.nodes[parent]["depth"] + 1
    node["left"] = node["right"] = node["feature"] = node["slot"] = -1
    node["gain"] = node["left_weight"] = 0.0
    node["parent"] = parent
    node["low"], node["high"] = job.nodes[parent]["low"], job.nodes[parent]["high"]
    node["cut"] = node["missing_left"] = 0


@inner_kernel
def open_children(job: Job, parent: int, n_left: int, weight: float) -> None:
    """Make the two children of a node; ``weight`` is that of the left one's rows if they differ."""
    node, order = job.nodes[parent], job.order
    start, stop = node["start"], node["stop"]
    weight = (n_left if job.row_weights.size == 0 else weight) * job.limits[ROW_WEIGHT]
    node["left"], node["right"] = order[N_NODES], order[N_NODES] + 1
    order[N_NODES] += 2
    border = start + n_left
    open_child(job, parent, node["left"], start, border, weight)
    open_child(job, parent, node["right"], border, stop, node["rows"] - weight)
    left_is_small = 2 * n_left <= stop - start
    order[SMALL] = node["left"] if left_is_small else node["right"]
    order[LARGE] = node["right"] if left_is_small else node["left"]


@inner_kernel
def divide(job: Job, parent: int) -> bool:
    """Divide a node's rows between two children; False where a side would have none.

    Sums are rounded, and say so little of tiny weights that a split may have no rows on a side:
    then the node stays a leaf.
    """
    node, order = job.nodes[parent], job.order
    start, stop = node["start"], node["stop"]
    n_shares = -(-(stop - start) // ROWS_AT_ONCE)
    fill_table(job, parent)
    order[KIND], order[NODE] = DIVIDE, parent
    do_task(job, n_shares)
    n_left, weight = np.int64(0), 0.0  # a literal would be another type
    for share in range(n_shares):
        job.counts[share, 1] = n_left
        n_left += job.counts[share, 0]
        weight += job.parts[share, 0, job.parts.shape[2] - 1]
    if n_left == 0 or n_left == stop - start:
        release(job, parent)
        return False
    open_children(job, parent, n_left, weight)
    order[KIND] = GATHER
    do_task(job, n_shares)
    add_parts(job, parent, n_shares)
    if job.monotonic.size > 0:
        bound_children(job, parent)
    job.nodes[order[LARGE]]["slot"], node["slot"] = node["slot"], -1
    return True


@inner_kernel
def add_parts(job: Job, parent: int, n_shares: int) -> None:
    """Sums of a node's children, from those of shares; what is not known is what is left over."""
    node, kept = job.nodes[parent], job.histograms.shape[0] > 0
    for side in range(2):
        k = node["left"] if side == 0 else node["right"]
        if kept and k == job.order[LARGE]:
            continue
        for channel in range(job.sums.shape[1]):
            total = 0.0
            for share in range(n_shares):
                total += job.parts[share, side, channel]
            job.sums[k, channel] = total
    if kept:
        for channel in range(job.sums.shape[1]):
            rest = job.sums[parent, channel] - job.sums[job.order[SMALL], channel]
            job.sums[job.order[LARGE], channel] = rest


@inner_kernel
def bound_children(job: Job, parent: int) -> None:
    """Part the values of two children in the middle, where their feature has a direction.

    Then no leaf below the one can pass a leaf below the other.
    """
    node = job.nodes[parent]
    rules, left, right = node_rules(job, parent, node["feature"]), node["left"], node["right"]
    if rules[4] == 0:
        return
    middle = 0.5 * bounded_value(job.sums[left, 0], job.sums[left, 1], rules)
    middle += 0.5 * bounded_value(job.sums[right, 0], job.sums[right, 1], rules)
    middle = min(max(middle, rules[2]), rules[3])
    if rules[4] > 0:
        job.nodes[left]["high"] = job.nodes[right]["low"] = middle
    else:
        job.nodes[left]["low"] = job.nodes[right]["high"] = middle


@inner_kernel
def choose_split(job: Job, which: int) -> bool:
    """Give a node the best of its features' splits."""
    if job.order[SEEK_SMALL + which] == 0:
        return False
    k, splits = job.order[SMALL + which], job.splits[which]
    node = job.nodes[k]
    node["score"] = score(job.sums[k], node_rules(job, k, NO_FEATURE))
    if job.shape[BY_RATIO] != 0:
        j = best_ratio(splits, job.sums[k, job.sums.shape[1] - 1])
    else:
        j = first_best(splits, node["score"])
    if j < 0 or splits[j]["gain"] <= job.limits[MIN_GAIN]:
        return False
    node["feature"], node["gain"], node["cut"] = j, splits[j]["gain"], splits[j]["cut"]
    node["left_weight"] = splits[j]["left_weight"]
    node["missing_left"] = splits[j]["missing_left"]
    return True


@inner_kernel
def search_children(job: Job) -> bool:
    """Look for splits of the root, or of two new nodes of which the larger has the parent's sums.

    A node with a split waits to be divided, the smaller one last; the sums of one without are free
    again. False where there is no room for sums.
    """
    found = seek(job)
    if found == FULL:
        return False
    if found > 0:
        if job.order[SEEK_SMALL] == 0 and job.histograms.shape[0] > 0:
            turn_values(job)
        job.order[KIND] = SEARCH
        do_task(job, job.tiles.size - 1)
    settle(job)
    return True


@inner_kernel
def seek(job: Job) -> int:
    """Which of two new nodes are to be searched, how many; or FULL."""
    order = job.order
    order[SEEK_SMALL] = may_split(job, order[SMALL])
    order[SEEK_LARGE] = order[LARGE] >= 0 and may_split(job, order[LARGE])
    if (order[SEEK_SMALL] or order[SEEK_LARGE]) and job.histograms.shape[0] > 0:
        if order[N_FREE] == 0:
            return FULL
        order[N_FREE] -= 1
        job.nodes[order[SMALL]]["slot"] = job.free[order[N_FREE]]
    if job.allowed.shape[1] > 0:
        for which in range(2):
            if order[SEEK_SMALL + which]:
                choose_columns(job, which)
    return order[SEEK_SMALL] + order[SEEK_LARGE]


@inner_kernel
def settle(job: Job) -> None:
    """Give searched nodes their best splits, and have them wait."""
    order = job.order
    for which in (1, 0):
        k = order[SMALL + which]
        if k < 0:
            continue
        if choose_split(job, which):
            job.waiting[order[N_WAITING]] = k
            order[N_WAITING] += 1
        else:
            release(job, k)


@inner_kernel
def comes_before(job: Job, k: int, other: int, newer: bool) -> bool:
    """Whether a node is divided before another, which was the first so far."""
    mine, best = job.nodes[k], job.nodes[other]
    size = max(abs(mine["score"]) + mine["gain"], abs(best["score"]) + best["gain"])
    margin = resolution(size) if newer else -resolution(size)
    higher = (best["depth"] - mine["depth"]) * job.shape[BY_DEPTH]
    return higher > 0 or (higher == 0 and mine["gain"] > best["gain"] + margin)


@inner_kernel
def next_parent(job: Job) -> int:
    """Take the node that is divided next; the others keep their order, the newest last.

    With a limit on leaves it is that of largest gain, oldest on ties; where trees grow level by
    level, the largest gain of those next to the root. Without a limit the tree is the
    same whatever the order: the newest and smallest first keeps few sums, no more than there are
    halvings of the rows.
    """
    order, waiting = job.order, job.waiting
    chosen = order[N_WAITING] - 1
    if job.shape[MAX_LEAVES] > 0:
        chosen = 0
        for position in range(1, order[N_WAITING]):
            mine, best = waiting[position], waiting[chosen]
            if comes_before(job, mine, best, mine > best):
                chosen = position
    parent = waiting[chosen]
    order[N_WAITING] -= 1
    for position in range(chosen, order[N_WAITING]):
        waiting[position] = waiting[position + 1]
    return parent


@inner_kernel
def plant(job: Job) -> None:
    """Begin with the root, which is there."""
    order = job.order
    order[N_NODES], order[N_WAITING], order[N_FREE] = 1, 0, job.free.size
    order[SMALL], order[LARGE] = 0, -1
    for slot in range(job.free.size):
        job.free[slot] = slot


@inner_kernel
def measure_leaves(job: Job) -> None:
    """Make sums of the leaves from other values than those of splits, where there are such."""
    if job.leaf_values.shape[0] > 0:
        job.order[KIND] = MEASURE
        do_task(job, -(-job.order[N_NODES] // NODES_AT_ONCE))


@kernel
def sum_root(job: Job, n_rows: int) -> None:
    """Sums of the root from the values of its rows, the first ones."""
    pack_rows(by_reference(job), 0, n_rows, job.sums[0])


@kernel
def grow(job: Job) -> int:
    """Grow a tree into ``nodes``; returns how many, or FULL where there is no room.

    The first is the root, with its sums and rows. Children come after their parent.
    """
    job = by_reference(job)
    order, n_leaves = job.order, 1
    plant(job)
    room = search_children(job)
    while room and order[N_WAITING] > 0:
        room = order[N_NODES] + 2 <= job.nodes.size
        if not room or not divide(job, next_parent(job)):
            continue
        n_leaves += 1
        if n_leaves == job.shape[MAX_LEAVES]:
            break
        room = search_children(job)
    if not room:
        return FULL
    measure_leaves(job)
    return order[N_NODES]


# -- a grown tree ----------------------------------------------------------------------------------


@kernel
def number_by_level(nodes: Array, sums: Array, order: Array, out: Array, out_sums: Array) -> int:
    """Write the nodes that hang together level by level, with their children's new numbers.

    ``order`` gets their old numbers; returns how many they are.
    """
    count = 1
    order[0] = 0
    for k in range(nodes.size):
        if k == count:
            break
        old = order[k]
        out[k] = nodes[old]
        out_sums[k] = sums[old]
        if nodes[old]["left"] >= 0:
            order[count], order[count + 1] = nodes[old]["left"], nodes[old]["right"]
            out[k]["left"], out[k]["right"] = count, count + 1
            count += 2
    return count


@dividing_kernel
def newton_steps(
    nodes: Array,
    sums: Array,
    units: tuple[float, float],
    l2: float,
    longest: float,
    steps: Array,
    pulls: Array,
) -> tuple[float, int]:
    """Write Newton's step of every leaf, in shares of the largest; returns that, and how many.

    ``sums`` and gains, which are in these units of slopes and curvatures, get those of slopes.
    ``pulls`` gets what each leaf adds to the tree's edge, one after the other.
    """
    scale, n_leaves = 0.0, 0
    for k in range(nodes.size):
        node = nodes[k]
        sums[k, 0] *= units[0]
        node["gain"] *= units[0] * units[0]
        below = (sums[k, 1] + l2) * units[1]
        step = sums[k, 0] / below if node["left"] < 0 and below > 0.0 else 0.0
        step = max(step, node["low"] * units[0] / units[1])
        step = min(step, node["high"] * units[0] / units[1])
        steps[k] = min(max(step, -longest), longest)
        scale = max(scale, abs(steps[k]))
    if scale > 0.0:
        for k in range(nodes.size):
            steps[k] /= scale
    for k in range(nodes.size):
        if nodes[k]["left"] < 0:
            pulls[n_leaves] = sums[k, 0] * steps[k]
            n_leaves += 1
    return scale, n_leaves


@kernel
def write_nodes(
    nodes: Array, values: Array, kinds: Array, first_cut: Array, cuts: Array, out: Array
) -> None:
    """Write nodes as records of a finished tree, which are zero; sets of categories are left out.

    The cuts of feature j begin at ``first_cut[j]``; without ``values`` those of leaves are zero.
    """
    for k in range(nodes.size):
        node, record = nodes[k], out[k]
        record["left"], record["right"] = node["left"], node["right"]
        if node["left"] < 0:
            record["feature"] = -1
            record["value"] = values[k] if values.size > 0 else 0.0
        else:
            record["feature"], record["gain"] = node["feature"], node["gain"]
            record["missing_left"] = node["missing_left"]
            if kinds[node["feature"]] == THRESHOLD:
                record["threshold"] = cuts[first_cut[node["feature"]] + node["cut"]]


@kernel
def spread(rows: Array, nodes: Array, values: Array, begin: int, end: int, out: Array) -> None:
    """``out[row]`` of the rows at ``begin:end``: the value of the leaf that they lie in."""
    for k in range(nodes.size):
        if nodes[k]["left"] < 0:
            for i in range(max(begin, nodes[k]["start"]), min(end, nodes[k]["stop"])):
                out[rows[i]] = values[k]


@kernel
def mark_left(codes: Array, rows: Array, border: int, heavier: int, left: Array) -> None:
    """Which categories went left at a node with these rows, of which the first ``border`` did.

    Those that it did not see go to the heavier side.
    """
    left[:] = heavier
    for i in range(rows.size):
        code = codes[rows[i]]
        if code < left.size:
            left[code] = 1 if i < border else 0
