"""Incremental histograms: sums of weight by label and code, updated from round to round.

A ±1 hypothesis was added, so all weights on either of its sides changed by one factor per label.
Rows on one side are read again; what is left of a bin's old sum belongs to the other side, and is
scaled. Two tasks, each done by one thread or several (see ``parallel``): rows are selected block
by block, then features are summed four at a time. The weight of a row is one of a pair, by its
label, and the other is zero: so pairs are summed as those of trees are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..types import Array
from .histograms import NARROW, add_few
from .jit import kernel
from .parallel import work_together, worker_loop

BLOCK = 1 << 14
"""Rows that are selected at once."""

ALL = 0
"""In the place of a side: the sums are made anew, from all rows."""

SELECT, SUM = 0, 1
TASK, SIDE = 0, 1


class HistogramJob(NamedTuple):
    """What the threads share.

    Parameters
    ----------
    codes : array (features, N) of uint8
        Binned rows.
    dual : array (N,)
        Signed weights.
    column : array (N,) of int8
        Outputs of the hypothesis that was added, -1 or +1.
    rows, pairs : array (N,), array (N, 2)
        Room for the selected rows, and their weights: of positive labels, of negative ones. Those
        of a block of rows begin where the block begins.
    counts : array (blocks,)
        How many were selected.
    sums : array (features, 256, 2)
        Sums of weight by code, of positive and of negative labels.
    signed : array (features, 256)
        Their difference.
    parts : array (shares, 4 · 256, 2)
        Room for the sums over the selected rows.
    factors : array (2, 2)
        By how much weights changed on the selected side, and on the other; by label.
    order, board : array of int64
        Task and side; the ticket.
    """

    codes: Array
    dual: Array
    column: Array
    rows: Array
    pairs: Array
    counts: Array
    sums: Array
    signed: Array
    parts: Array
    factors: Array
    order: Array
    board: Array


@kernel
def select_rows(column: Array, side: int, first: int, out: Array) -> int:
    """Write the rows that are on the side, from ``first`` on; returns how many they are.

    Every row is written and only some are kept: no branch to mispredict.
    """
    end, wanted, every = np.uint64(0), np.int8(side), np.uint64(side == ALL)
    for i in range(column.size):
        out[end] = first + i
        end += np.uint64(column[i] == wanted) | every
    return int(np.int64(end))


@kernel
def select_share(job: HistogramJob, block: int) -> None:
    """Select the rows of a block that are on the side, and pair their weights by label."""
    start, stop = block * BLOCK, min(block * BLOCK + BLOCK, job.column.size)
    end = start + select_rows(job.column[start:stop], job.order[SIDE], start, job.rows[start:stop])
    rows = job.rows
    for k in range(start, end):
        weight = job.dual[rows[k]]
        job.pairs[k, 0] = weight if weight > 0.0 else 0.0
        job.pairs[k, 1] = -weight if weight < 0.0 else 0.0
    job.counts[block] = end - start


@kernel
def update_sums(job: HistogramJob, j: int, part: Array) -> None:
    """Bring the sums of a feature up to date; ``part`` are those of the selected rows."""
    sums, signed = job.sums[j], job.signed[j]
    for label in range(2):
        here, there = job.factors[0, label], job.factors[1, label]
        for k in range(NARROW):
            rest = 0.0 if job.order[SIDE] == ALL else sums[k, label] - part[k, label] / here
            sums[k, label] = part[k, label] + rest * there
    for k in range(NARROW):
        signed[k] = sums[k, 0] - sums[k, 1]


@kernel
def sum_share(job: HistogramJob, share: int) -> None:
    """Sum and update some features, at most four."""
    n_features, n_shares = job.codes.shape[0], job.parts.shape[0]
    first, last = share * n_features // n_shares, (share + 1) * n_features // n_shares
    codes, part = job.codes[first:last], job.parts[share]
    part[:] = 0.0
    for block in range(job.counts.size):
        start = block * BLOCK
        stop = start + job.counts[block]
        add_few(codes, job.rows[start:stop], job.pairs[start:stop], part)
    for j in range(first, last):
        update_sums(job, j, part[NARROW * (j - first) :])


@kernel
def do_share(job: HistogramJob, share: int) -> None:
    """Select a block of rows, or sum and update some features."""
    if job.order[TASK] == SELECT:
        select_share(job, share)
    else:
        sum_share(job, share)


@kernel
def update_histograms(job: HistogramJob, side: int) -> None:
    """Update the sums, reading the rows on one side; or, for ``ALL``, make them anew."""
    job.order[SIDE], job.order[TASK] = side, SELECT
    work_together(do_share, job, job.counts.size)
    job.order[TASK] = SUM
    work_together(do_share, job, job.parts.shape[0])


@kernel
def histogram_worker(job: HistogramJob, patience: int) -> None:
    """Take shares, and wait a while for more."""
    worker_loop(do_share, job, patience)
