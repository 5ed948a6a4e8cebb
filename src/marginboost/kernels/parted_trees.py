"""Kernels of a tree whose rows are in parts: dividing some of them, and taking up their sums.

Sums are exact (see ``exact``), so that those of parts add up to the sums of all rows, and a tree is
the one that :func:`~.grow.grow` makes of them.
"""

from __future__ import annotations

from ..types import Array
from .by_reference import by_reference
from .grow import FULL, bound_children, next_parent, open_children, plant, release, seek, settle
from .jit import inner_kernel, kernel
from .shares import (
    LARGE,
    N_NODES,
    N_WAITING,
    SMALL,
    Job,
    copy_sorted,
    fill_table,
    keep_sums,
    pack_rows,
    scan_tile,
    sort_rows,
)

NONE = -2
"""In the place of a node: no more is to be divided."""
WHOLE = -1
"""In the place of a feature, or of a parent: nothing is divided, the root is meant."""


@kernel
def divide_range(job: Job, start: int, stop: int, feature: int, table: Array, side: int) -> int:
    """Sort the rows of a part at ``start:stop``, those that go left first, and sum one side by bin.

    ``table`` says which codes of the feature go left; with WHOLE all rows do. Sums go into the
    first slot. Returns how many rows go left.
    """
    job = by_reference(job)
    n_left = stop - start
    if feature != WHOLE:
        rows, spare = job.rows[start:stop], job.spare[: stop - start]
        n_left = sort_rows(rows, job.codes[feature], table, spare)
        copy_sorted(spare, rows[:n_left], rows[n_left:])
    border = start + n_left
    node = job.nodes[0]
    node["start"], node["stop"] = (start, border) if side == 0 else (border, stop)
    node["slot"] = 0
    pack_rows(job, node["start"], node["stop"], job.sums[0])
    for tile in range(job.tiles.size - 1):
        keep_sums(job, tile, 0)
    return n_left


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


@kernel
def take_sums(job: Job, parent: int, n_left: int, weight: float, side: int, cells: Array) -> int:
    """Make the root, or the children of a node from sums of one side; returns what to divide next.

    Where a child would have no rows the node stays a leaf. NONE means that there is no other, FULL
    that there is no room.
    """
    job = by_reference(job)
    order, found = job.order, 0
    if parent == WHOLE:
        plant(job)
        add_channels(job, cells, 0)
        found = seek(job)
        if found > 0:
            job.histograms[job.nodes[0]["slot"]] = cells
    elif n_left == 0 or n_left == job.nodes[parent]["stop"] - job.nodes[parent]["start"]:
        release(job, parent)
        return next_parent(job) if order[N_WAITING] > 0 else NONE
    elif order[N_NODES] + 2 > job.nodes.size:
        return FULL
    else:
        open_children(job, parent, n_left, weight)
        found = take_children(job, parent, side, cells)
    if found == FULL:
        return FULL
    for tile in range(job.tiles.size - 1):
        scan_tile(job, tile)
    settle(job)
    return next_parent(job) if order[N_WAITING] > 0 else NONE
