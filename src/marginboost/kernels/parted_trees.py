"""Kernels of a tree whose rows are in parts: dividing some of them, and taking up their sums.

Sums are exact (see ``exact``), so that those of parts add up to the sums of all rows, and a tree is
the one that :func:`~.grow.grow` makes of them. Nodes are divided ahead of time, so there are more
of them than the tree has: :func:`foresee` says which it is made of.
"""

from __future__ import annotations

import numpy as np

from ..types import Array
from .by_reference import by_reference
from .grow import FULL, bound_children, comes_before, open_children, plant, release, seek, settle
from .jit import inner_kernel, kernel
from .shares import (
    LARGE,
    N_NODES,
    N_WAITING,
    NODE,
    ROWS_AT_ONCE,
    SMALL,
    Job,
    divide_share,
    fill_table,
    gather_share,
    keep_sums,
    scan_tile,
)
from .symmetric import ask, open_node, settle_pair

WHOLE = -1
"""In the place of a parent: the root is meant."""
NO_NODES = -2
"""In place of how many nodes are to be searched: none were made."""
NEITHER = -1
"""In the place of a side that is summed."""
HANDED_ON = 0.65
"""Share of its gain that each child of a node is thought to have, until it is known.

Higher ones divide fewer nodes in vain; up to here trees take no more waves than they are deep."""

# -- rows ------------------------------------------------------------------------------------------


@inner_kernel
def part_rows(job: Job, start: int, stop: int, feature: int, side: int) -> tuple[int, float]:
    """Sort rows of a part, those that go left first, and pack a side; how many, and their weight.

    Nodes 0, 1 and 2 are written: the rows, and those of both sides.
    """
    node, order = job.nodes[0], job.order
    node["start"], node["stop"], node["feature"] = start, stop, feature
    node["left"], node["right"] = 1, 2
    order[NODE], order[SMALL] = 0, -1 if side == NEITHER else 1 + side
    n_shares = -(-(stop - start) // ROWS_AT_ONCE)
    n_left, weight = np.int64(0), 0.0  # a literal would be another type
    for share in range(n_shares):
        divide_share(job, share)
        job.counts[share, 1] = n_left
        n_left += job.counts[share, 0]
        weight += job.parts[share, 0, job.parts.shape[2] - 1]
    for k in range(1, 3):
        job.nodes[k]["start"] = start if k == 1 else start + n_left
        job.nodes[k]["stop"] = start + n_left if k == 1 else stop
    for share in range(n_shares):
        gather_share(job, share)
    return int(n_left), weight


@inner_kernel
def sum_side(job: Job, k: int, cells: Array, more: bool) -> None:
    """Sums of a node's rows by bin, side by side without room for bins that are not there.

    They are added to those of other parts where there are ``more``.
    """
    job.nodes[k]["slot"] = 0
    for tile in range(job.tiles.size - 1):
        keep_sums(job, tile, k)
    end = 0
    for j in range(job.features.shape[0] - 1):
        first, width = job.features[j, 2], job.features[j, 1] + 1
        mine, found = job.histograms[0, first : first + width], cells[end : end + width]
        if more:
            found += mine
        else:
            found[:] = mine
        end += width


@kernel
def sum_whole(job: Job, cells: Array, more: bool) -> None:
    """Sum all rows of a part, which are in order, by bin."""
    job = by_reference(job)
    job.nodes[0]["start"], job.nodes[0]["stop"] = 0, job.rows.size
    sum_side(job, 0, cells, more)


@kernel
def divide_ranges(
    job: Job, plan: Array, tables: Array, n_left: Array, weights: Array, cells: Array, more: bool
) -> None:
    """Sort rows of a part, those that go left first, and sum one side by bin, for some ranges.

    ``plan`` has first row, end, feature and side of each, ``tables`` which codes of the feature go
    left. How many rows go left is written, their weight where weights differ, and the sums, which
    are added to those of other parts where there are ``more``.
    """
    job = by_reference(job)
    for k in range(plan.shape[0]):
        side = plan[k, 3]
        job.table[:] = tables[k]
        n_left[k], weights[k] = part_rows(job, plan[k, 0], plan[k, 1], plan[k, 2], side)
        if side != NEITHER:
            sum_side(job, 1 + side, cells[k], more)


# -- sums of all parts -----------------------------------------------------------------------------


@kernel
def tell_sides(job: Job, k: int) -> None:
    """Which codes go left at a node."""
    fill_table(by_reference(job), k)


@inner_kernel
def add_channels(job: Job, cells: Array, k: int) -> None:
    """Sums of a node: those of all bins of the first feature."""
    job.sums[k] = 0.0
    for code in range(job.features[0, 1] + 1):
        for channel in range(cells.shape[1]):
            job.sums[k, channel] += cells[code, channel]


@inner_kernel
def take_children(job: Job, parent: int, side: int, cells: Array) -> int:
    """Sums of two new nodes from those of one side; returns how many to search, or FULL."""
    node, order = job.nodes[parent], job.order
    known = node["left"] if side == 0 else node["right"]
    other = node["right"] if side == 0 else node["left"]
    add_channels(job, cells, known)
    for channel in range(job.sums.shape[1]):
        job.sums[other, channel] = job.sums[parent, channel] - job.sums[known, channel]
    if job.monotonic.size > 0:
        bound_children(job, parent)
    job.nodes[order[LARGE]]["slot"], node["slot"] = node["slot"], -1
    found = seek(job)
    if found > 0:
        rest = job.histograms[job.nodes[order[LARGE]]["slot"]]
        mine = job.histograms[job.nodes[order[SMALL]]["slot"]]
        if known == order[SMALL]:
            mine[:] = cells
            rest -= cells
        else:
            mine[:] = rest
            mine -= cells
            rest[:] = cells
    return found


@inner_kernel
def make_nodes(job: Job, parent: int, n_left: int, weight: float, side: int, cells: Array) -> int:
    """Make the root, or the children of a node from sums of one side; how many are to be searched.

    NO_NODES where a child would have no rows, FULL where room is lacking.
    """
    order = job.order
    if parent == WHOLE:
        plant(job)
        add_channels(job, cells, 0)
        found = seek(job)
        if found > 0:
            job.histograms[job.nodes[0]["slot"]] = cells
        return found
    if n_left == 0 or n_left == job.nodes[parent]["stop"] - job.nodes[parent]["start"]:
        release(job, parent)
        job.nodes[parent]["feature"] = -1
        return NO_NODES
    if order[N_NODES] + 2 > job.nodes.size:
        return FULL
    open_children(job, parent, n_left, weight)
    return take_children(job, parent, side, cells)


@kernel
def take_sums(job: Job, parent: int, n_left: int, weight: float, side: int, cells: Array) -> bool:
    """Make the root, or the children of a node, and find their splits; False without room.

    Where a child would have no rows the node stays a leaf.
    """
    job = by_reference(job)
    found = make_nodes(job, parent, n_left, weight, side, cells)
    if found < 0:
        return found == NO_NODES
    for tile in range(job.tiles.size - 1):
        scan_tile(job, tile)
    job.order[N_WAITING] = 0  # who waits follows from the nodes
    settle(job)
    return True


@kernel
def take_last(job: Job, parent: int) -> bool:
    """Make two leaves of a node, from its own sums by bin; False where room is lacking.

    Nobody asks how many rows they have. There are some on both sides: sums of weights are exact,
    and a split has weight on both.
    """
    job = by_reference(job)
    node = job.nodes[parent]
    if job.order[N_NODES] + 2 > job.nodes.size:
        return False
    fill_table(job, parent)
    open_children(job, parent, 0, 0.0)
    left, right = node["left"], node["right"]
    first = job.features[node["feature"], 2]
    job.sums[left] = 0.0
    for code in range(job.features[node["feature"], 1] + 1):
        if job.table[code]:
            job.sums[left] += job.histograms[node["slot"], first + code]
    job.sums[right] = job.sums[parent] - job.sums[left]
    if job.monotonic.size > 0:
        bound_children(job, parent)
    release(job, parent)
    return True


# -- symmetric trees -------------------------------------------------------------------------------


@kernel
def take_open_sums(
    job: Job, parent: int, n_left: int, weight: float, side: int, cells: Array
) -> bool:
    """Make the root, or the children of a node, and have them wait; False without room.

    Where a child would have no rows the node stays a leaf.
    """
    job = by_reference(job)
    found = make_nodes(job, parent, n_left, weight, side, cells)
    if found < 0:
        return found == NO_NODES
    if parent != WHOLE:
        settle_pair(job, job.nodes[parent]["left"])
    elif found > 0:
        open_node(job, 0)
    return True


@kernel
def ask_level(job: Job, asked: Array) -> int:
    """Ask the open nodes one question, and write who they are; how many, 0 where none gains."""
    job = by_reference(job)
    n_open = job.order[N_WAITING]
    asked[:n_open] = job.waiting[:n_open]
    return n_open if ask(job) else 0


# -- which nodes are divided -----------------------------------------------------------------------


@inner_kernel
def have_wait(job: Job, k: int, n_waiting: int) -> int:
    """Have a node wait if it has a split; returns how many do."""
    if job.nodes[k]["feature"] >= 0:
        job.waiting[n_waiting] = k
        n_waiting += 1
    return n_waiting


@inner_kernel
def imagine(job: Job, parent: int, k: int) -> None:
    """Write a child of a node that is not divided yet."""
    node, like = job.nodes[k], job.nodes[parent]
    node["gain"], node["score"] = HANDED_ON * like["gain"], 0.0
    node["depth"], node["feature"], node["left"] = like["depth"] + 1, like["feature"], -1


@kernel
def foresee(job: Job, most: int, ages: Array, made: Array, asked: Array) -> tuple[int, int]:
    """Grow a tree of at most so many splits from the nodes that are known.

    Nodes which are divided come in the order of :func:`~.grow.grow`, into ``made`` until the first
    that is not divided; that one and others which are not go into ``asked``. Their children are
    imagined, beyond the nodes that are known. Returns the lengths of both.
    """
    job = by_reference(job)
    nodes, waiting, known = job.nodes, job.waiting, job.order[N_NODES]
    n_nodes, n_made, n_asked, age = known, 0, 0, 1
    ages[0] = 0
    n_waiting = have_wait(job, 0, 0)
    for _ in range(most):
        if n_waiting == 0:
            break
        chosen = 0
        for position in range(1, n_waiting):
            mine, best = waiting[position], waiting[chosen]
            if comes_before(job, mine, best, ages[mine] > ages[best]):
                chosen = position
        k, n_waiting = waiting[chosen], n_waiting - 1
        for position in range(chosen, n_waiting):
            waiting[position] = waiting[position + 1]
        left, right = nodes[k]["left"], nodes[k]["right"]
        if left < 0:
            if k < known:
                asked[n_asked] = k
                n_asked += 1
            left, right = n_nodes, n_nodes + 1
            n_nodes += 2
            imagine(job, k, left)
            imagine(job, k, right)
        elif n_asked == 0:
            made[n_made] = k
            n_made += 1
        ages[left], ages[right] = age, age + 1
        age += 2
        n_left = nodes[left]["stop"] - nodes[left]["start"]
        left_is_small = 2 * n_left <= nodes[k]["stop"] - nodes[k]["start"]
        n_waiting = have_wait(job, right if left_is_small else left, n_waiting)
        n_waiting = have_wait(job, left if left_is_small else right, n_waiting)
    return n_made, n_asked
