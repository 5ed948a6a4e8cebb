"""Histograms of signed weight by feature and bin, kept up to date from round to round.

A full histogram reads every row of every feature, which is where a fit spends its time. But when a
rule multiplies the weights by one factor where a ±1 hypothesis is right and another where it is
wrong, a bin's new sum follows from its old one and from the rows on one side of the hypothesis:
those on the rarer side are read, the others are scaled. Stumps of later rounds cut off a fifth of
the rows on average, so this is several times faster.

Every so many rounds, and after large steps, the sums are made anew: rounding stays below 1e-13.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ..core.weights import Reweighting
from ..data import BinnedMatrix
from ..kernels.parallel import ROW_BLOCK, WorkerPool, run_blocks
from ..kernels.stumps import histograms_any, histograms_uint8
from ..types import Array

if TYPE_CHECKING:
    from ..kernels.incremental_histograms import HistogramJob

SERIAL_WORK = 1 << 19
"""Codes, read in a third of a millisecond, below which other threads are left alone."""

INCREMENTAL_WORK = 1 << 17
"""Codes below which making the sums anew is as fast as updating them; then their kernels are not
imported, for which a first fit would wait."""

INCREMENTAL_ROWS = 1 << 12
"""Rows up to which that is so of tables of any width: there are more bins to scale than rows."""

FRESH_ROUNDS = 32
"""Rounds after which sums are made anew."""

LINGER = 1 << 13
"""Looks, about a millisecond, that a helper waits for the next round."""

LARGE_STEP = 0.5
"""Steps above which they are made anew: scaling would magnify rounding."""


class WeightHistograms:
    """Sum of signed weight in every bin of every feature.

    Parameters
    ----------
    bins : BinnedMatrix
        The rows.
    n_threads : int
        Threads.
    """

    def __init__(self, bins: BinnedMatrix, n_threads: int) -> None:
        self._codes = bins.codes
        self._narrow = bins.codes.dtype == np.uint8
        self.n_threads = n_threads
        large = bins.codes.size > INCREMENTAL_WORK and bins.n_rows > INCREMENTAL_ROWS
        self._incremental = self._narrow and large
        self._n_helpers = n_threads - 1 if bins.codes.size > SERIAL_WORK else 0
        width = 256 if self._narrow else int(bins.n_bins.max()) + 1
        self.signed = np.zeros((bins.n_features, width))
        self._job: HistogramJob | None = None
        self._pool = WorkerPool(0)
        self._age = 0
        self._last: Array | None = None

    def remember(self, column: Array) -> None:
        """Note the outputs of the hypothesis that the next change may be about."""
        self._last = column

    def update(
        self, dual: Array, change: Reweighting | None = None, column: Array | None = None
    ) -> Array:
        """Return the histograms of ``dual``, (n_features, width).

        ``change`` is how it came from the last one, and ``column`` the outputs of its hypothesis.
        """
        if change is None or not self._incremental or column is None or column is not self._last:
            self._count(dual)
        elif (
            self._job is None
            or self._job.dual is not dual
            or self._age >= FRESH_ROUNDS
            or change.step > LARGE_STEP
        ):
            self._begin(dual)
        else:
            self._apply_change(self._job, change, column)
        self._last = None  # a change is made once: when asked again, the sums are made anew
        return self.signed

    def _count(self, dual: Array) -> None:
        """Add up the signed weights once; nothing is kept for later."""
        if self._job is not None:
            self._pool.dismiss()
            self._job = None
        kernel = histograms_uint8 if self._narrow else histograms_any
        n_shares = min(self._n_helpers + 1, len(self._codes))
        if n_shares == 1:
            kernel(self._codes, dual, self.signed)
            return
        step = -(-len(self._codes) // n_shares)

        def count(share: int) -> None:
            some = slice(share * step, (share + 1) * step)
            kernel(self._codes[some], dual, self.signed[some])

        run_blocks(count, n_shares, n_shares)

    def _begin(self, dual: Array) -> None:
        """Make the sums anew, with positive and negative labels apart."""
        from ..kernels.incremental_histograms import ALL

        if self._job is None or self._job.dual is not dual:
            self._job = self._new_job(dual)
        self._run(self._job, ALL)
        self._age = 0

    def _apply_change(self, job: HistogramJob, change: Reweighting, column: Array) -> None:
        """Scale the old sums, and correct them by the rows on the rarer side."""
        job.column[:] = column
        side = 1 if 2 * np.count_nonzero(job.column > 0) <= job.column.size else -1
        labels = np.array([1.0, -1.0])
        for factors, where in zip(job.factors, (side, -side), strict=True):
            factors[:] = np.exp(-change.step * where * labels - change.shift)
        self._run(job, side)
        self._age += 1

    # -- threads ---------------------------------------------------------------------------------

    def _new_job(self, dual: Array) -> HistogramJob:
        """Room to work in; it is tied to the array of weights."""
        from ..kernels.histograms import NARROW, TOGETHER
        from ..kernels.incremental_histograms import BLOCK, HistogramJob

        n_features, n_rows = self._codes.shape
        n_shares = min(2 * -(-n_features // (2 * TOGETHER)), n_features)  # even, for two threads
        self._pool.dismiss()
        self._pool = WorkerPool(self._n_helpers)
        return HistogramJob(
            codes=self._codes,
            dual=dual,
            column=np.zeros(n_rows, np.int8),
            rows=np.empty(n_rows, np.uint32),
            pairs=np.empty((n_rows, 2)),
            counts=np.zeros(-(-n_rows // BLOCK), np.int64),
            sums=np.zeros((n_features, NARROW, 2)),
            signed=self.signed,
            parts=np.empty((n_shares, TOGETHER * NARROW, 2)),
            factors=np.ones((2, 2)),
            order=np.zeros(2, np.int64),
            board=self._pool.board,
        )

    def _run(self, job: HistogramJob, side: int) -> None:
        """Run the kernel; workers stay for the next round where it comes soon enough.

        With more rows than one block they are needed elsewhere before that.
        """
        from ..kernels.incremental_histograms import histogram_worker, update_histograms

        self._job = None  # of no more use if this fails
        self._pool.lead(
            partial(update_histograms, job, side), partial(histogram_worker, job, LINGER)
        )
        if self._n_helpers and len(job.dual) > ROW_BLOCK:
            self._pool.dismiss()
            self._pool = WorkerPool(self._n_helpers)
            job = job._replace(board=self._pool.board)
        self._job = job
