"""Kernels of a tree whose rows are in parts: dividing some of them, and taking up their sums.

Sums are exact (see ``exact``), so that those of parts add up to the sums of all rows, and a tree is
the one that :func:`~.grow.grow` makes of them.
"""

from __future__ import annotations

from ..types import Array
from .grow import FULL, bound_children, next_parent, open_children, plant, release, seek, settle
from .jit import kernel
from .shares import LARGE, N_NODES, N_WAITING, SMALL, Job, keep_sums, pack_rows, scan_tile

NONE = -2
"""In the place of a node: no more is to be divided."""

# -- a part ----------------------------------------------------------------------------------------


@kernel
def sum_range(job: Job, start: int, stop: int) -> None:
    """Sums by bin of the rows at ``start:stop``, into the first slot."""
    node = job.nodes[0]
    node["start"], node["stop"], node["slot"] = start, stop, 0
    pack_rows(job, start, stop, job.sums[0])
    for tile in range(job.tiles.size - 1):
        keep_sums(job, tile, 0)


@kernel
def divide_range(job: Job, start: int, stop: int, feature: int, table: Array, side: int) -> int:
    """Sort the rows at ``start:stop``, those that go left first, and sum one side.

    ``table`` says which codes of the feature go left. Returns how many rows do.
    """
    codes, rows, spare = job.codes[feature], job.rows, job.spare
    n_left = n_right = 0
    for i in range(start, stop):
        row = rows[i]
        if table[codes[row]]:
            rows[start + n_left] = row
            n_left += 1
        else:
            spare[n_right] = row
            n_right += 1
    border = start + n_left
    for i in range(n_right):
        rows[border + i] = spare[i]
    if side == 0:
        sum_range(job, start, border)
    else:
        sum_range(job, border, stop)
    return n_left


@kernel
def sum_weights(weights: Array, rows: Array) -> float:
    """Sum of the weights of some rows, which are on the grid: exact."""
    total = 0.0
    for row in rows:
        total += weights[row]
    return total


# -- all parts -------------------------------------------------------------------------------------


@kernel
def add_channels(job: Job, cells: Array, k: int) -> None:
    """Sums of a node: those of all bins of the first feature."""
    job.sums[k] = 0.0
    for code in range(job.features[0, 1] + 1):
        for channel in range(cells.shape[1]):
            job.sums[k, channel] += cells[code, channel]


@kernel
def search_and_pick(job: Job) -> int:
    """Search the new nodes, whose sums are there; returns the node to divide next, or NONE."""
    for tile in range(job.tiles.size - 1):
        scan_tile(job, tile)
    settle(job)
    return next_parent(job) if job.order[N_WAITING] > 0 else NONE


@kernel
def take_root(job: Job, cells: Array) -> int:
    """Begin a tree from the sums of all rows; returns the node to divide, or NONE."""
    plant(job)
    add_channels(job, cells, 0)
    if seek(job) > 0:
        job.histograms[job.nodes[0]["slot"]] = cells
    return search_and_pick(job)


@kernel
def take_division(
    job: Job, parent: int, n_left: int, weight: float, side: int, cells: Array
) -> int:
    """Make the children of a node from sums of one side; returns the node to divide next.

    Where one has no rows the node stays a leaf. NONE means that there is no other, FULL that there
    is no room.
    """
    node, order = job.nodes[parent], job.order
    if n_left == 0 or n_left == node["stop"] - node["start"]:
        release(job, parent)
        return next_parent(job) if order[N_WAITING] > 0 else NONE
    if order[N_NODES] + 2 > job.nodes.size:
        return FULL
    open_children(job, parent, n_left, weight)
    known = node["left"] if side == 0 else node["right"]
    other = node["right"] if side == 0 else node["left"]
    add_channels(job, cells, known)
    for channel in range(job.sums.shape[1]):
        job.sums[other, channel] = job.sums[parent, channel] - job.sums[known, channel]
    if job.monotonic.size > 0:
        bound_children(job, parent)
    job.nodes[order[LARGE]]["slot"], node["slot"] = node["slot"], -1
    found = seek(job)
    if found == FULL:
        return FULL
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
    return search_and_pick(job)
