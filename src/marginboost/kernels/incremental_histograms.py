"""Incremental histograms: sums of weight by label and code, updated from round to round.

A ±1 hypothesis was added, so all weights on either of its sides changed by one factor per label.
Rows on one side are read again; what is left of a bin's old sum belongs to the other side, and is
scaled. Two tasks, each done by one thread or several (see ``parallel``): rows are selected block
by block, then features are summed five at a time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..types import Array
from .jit import kernel
from .parallel import work_together, worker_loop

BLOCK = 1 << 14
"""Rows that are selected at once."""

TOGETHER = 5
"""Features that share one read of the selected rows."""

APART = 520
"""Numbers between the histograms of two features that are filled together.

Not 512: processors take a load for one that follows a store 4096 bytes away, and wait."""

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
    rows, labels, weights : array (N,)
        Room for the selected rows, 0 or 256 by the sign of their weights, and its size. Those of a
        block of rows begin where the block begins.
    counts : array (blocks,)
        How many were selected.
    sums : array (features, 512)
        Sums of weight by code, of positive (0:256) and of negative labels (256:512).
    signed : array (features, 256)
        Their difference.
    parts : array (shares, 5, 520)
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
    labels: Array
    weights: Array
    counts: Array
    sums: Array
    signed: Array
    parts: Array
    factors: Array
    order: Array
    board: Array


@kernel
def select_share(job: HistogramJob, block: int) -> None:
    """Select the rows of a block that are on the side.

    Every row is written and only some are kept: no branch to mispredict.
    """
    side, column, rows = job.order[SIDE], job.column, job.rows
    start, stop = block * BLOCK, min(block * BLOCK + BLOCK, column.size)
    end = start
    for i in range(start, stop):
        rows[end] = i
        end += side == ALL or column[i] == side
    for k in range(start, end):
        weight = job.dual[rows[k]]
        job.labels[k] = np.uint16(256) if weight < 0.0 else np.uint16(0)
        job.weights[k] = abs(weight)
    job.counts[block] = end - start


@kernel
def subset_sums(job: HistogramJob, first: int, out: Array) -> None:
    """Sums over the selected rows, for five features; where fewer are left the last is repeated."""
    codes, rows, labels, weights = job.codes, job.rows, job.labels, job.weights
    last = codes.shape[0] - 1
    c0, c1, c2 = codes[first], codes[min(first + 1, last)], codes[min(first + 2, last)]
    c3, c4 = codes[min(first + 3, last)], codes[min(first + 4, last)]
    h0, h1, h2, h3, h4 = out[0], out[1], out[2], out[3], out[4]
    for block in range(job.counts.size):
        for k in range(block * BLOCK, block * BLOCK + job.counts[block]):
            row, label, weight = rows[k], np.uint64(labels[k]), weights[k]
            h0[np.uint64(c0[row]) + label] += weight
            h1[np.uint64(c1[row]) + label] += weight
            h2[np.uint64(c2[row]) + label] += weight
            h3[np.uint64(c3[row]) + label] += weight
            h4[np.uint64(c4[row]) + label] += weight


@kernel
def update_sums(job: HistogramJob, j: int, part: Array) -> None:
    """Bring the sums of a feature up to date; ``part`` are those of the selected rows."""
    sums, signed = job.sums[j], job.signed[j]
    for label in range(2):
        here, there = job.factors[0, label], job.factors[1, label]
        for k in range(256 * label, 256 * label + 256):
            rest = 0.0 if job.order[SIDE] == ALL else sums[k] - part[k] / here
            sums[k] = part[k] + rest * there
    for k in range(256):
        signed[k] = sums[k] - sums[k + 256]


@kernel
def do_share(job: HistogramJob, share: int) -> None:
    """Select a block of rows, or sum and update five features."""
    if job.order[TASK] == SELECT:
        select_share(job, share)
        return
    first, parts = share * TOGETHER, job.parts[share]
    parts[:] = 0.0
    subset_sums(job, first, parts)
    for j in range(first, min(first + TOGETHER, job.codes.shape[0])):
        update_sums(job, j, parts[j - first])


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
