"""Histograms of signed weight by feature and bin, kept up to date from round to round.

A full histogram reads every row of every feature, which is where a fit spends its time. But when a
rule multiplies the weights by one factor where a ±1 hypothesis is right and another where it is
wrong, a bin's new sum follows from its old one and from the rows on one side of the hypothesis:
those on the rarer side are read, the others are scaled. Stumps of later rounds cut off a fifth of
the rows on average, so this is several times faster.

Every so many rounds, and after large steps, the sums are made anew: rounding stays below 1e-13.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..core.oracle import Candidate, Reweighting
from ..core.types import Array
from ..data import BinnedMatrix
from ..kernels.stumps import (
    follow_sums,
    gather_weights,
    histograms_any,
    histograms_uint8,
    select_rows,
    subset_histograms,
)
from ..kernels.threads import block_size, run_blocks, run_rows

SERIAL_WORK = 1 << 19
"""Codes, read in a third of a millisecond, below which waking another thread does not pay."""

FOLLOWED_WORK = 1 << 17
"""Codes below which making the sums anew is as fast as following the weights."""

FRESH_ROUNDS = 32
"""Rounds after which sums are made anew."""

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
        self._can_follow = self._narrow and bins.codes.size > FOLLOWED_WORK
        width = 256 if self._narrow else int(bins.n_bins.max()) + 1
        self.signed = np.zeros((bins.n_features, width))
        self._by_label: Array | None = None
        self._selected = (np.empty(0, np.uint32), np.empty(0, np.uint16), np.empty(0))
        self._age = 0
        self._change: Reweighting | None = None
        self._last: Candidate | None = None

    def expect(self, change: Reweighting | None) -> None:
        """Learn how the next weights came from the last ones."""
        self._change = change

    def remember(self, candidate: Candidate) -> None:
        """Note the hypothesis that the next change may be about."""
        self._last = candidate

    def update(self, dual: Array) -> Array:
        """Return the histograms of ``dual``, (n_features, width)."""
        change, self._change = self._change, None
        if change is None or not self._can_follow or change.candidate is not self._last:
            self._by_label = None
            self._fill(dual, self.signed)
        elif self._by_label is None or self._age >= FRESH_ROUNDS or change.step > LARGE_STEP:
            self._split(dual)
        else:
            self._follow(dual, change)
        return self.signed

    def _fill(self, weights: Array, out: Array) -> None:
        """Make the sums anew."""
        kernel = histograms_uint8 if self._narrow else histograms_any

        def fill(some: slice) -> None:
            kernel(self._codes[some], weights, out[some])

        self._over_features(fill, len(weights))

    def _split(self, dual: Array) -> None:
        """Make the sums anew, with positive (0:256) and negative (256:512) labels apart."""
        total = np.empty_like(self.signed)
        self._fill(dual, self.signed)
        self._fill(np.abs(dual), total)
        self._by_label = np.hstack([total + self.signed, total - self.signed]) / 2.0
        self._age = 0
        if self._selected[0].size == 0:
            n = len(dual)
            self._selected = (np.empty(n, np.uint32), np.empty(n, np.uint16), np.empty(n))

    def _follow(self, dual: Array, change: Reweighting) -> None:
        """Scale the old sums, and correct them by the rows on the rarer side."""
        assert self._by_label is not None
        column, step = change.candidate.column, change.step
        positive = np.count_nonzero(column > 0)
        side = 1 if 2 * positive <= len(column) else -1
        part = self._subset(dual, column, side)
        # Factors of (positive, negative) labels on the rarer side, and on the other.
        labels = np.array([1.0, -1.0])
        here = np.exp(-step * side * labels - change.shift)
        there = np.exp(step * side * labels - change.shift)
        follow_sums(self._by_label, part, here, there, self.signed)
        self._age += 1

    def _subset(self, dual: Array, column: Array, side: int) -> Array:
        """Sums by label over the rows where the column is ``side``."""
        rows, labels, weights = self._selected

        def select(start: int, stop: int) -> int:
            count = int(select_rows(column, side, start, stop, rows))
            some = slice(start, start + count)
            gather_weights(dual, rows[some], labels[some], weights[some])
            return count

        counts = np.array(run_rows(select, len(dual), self.n_threads))
        out, size = np.empty((len(self._codes), 512)), block_size(len(dual))

        def fill(some: slice) -> None:
            subset_histograms(self._codes[some], rows, labels, weights, counts, size, out[some])

        self._over_features(fill, int(counts.sum()))
        return out

    def _over_features(self, fill: Callable[[slice], None], n_rows: int) -> None:
        """Give each thread an equal share of the features."""
        n_threads = self.n_threads if n_rows * len(self._codes) > SERIAL_WORK else 1
        step = -(-len(self._codes) // n_threads)

        def task(share: int) -> None:
            fill(slice(share * step, (share + 1) * step))

        run_blocks(task, -(-len(self._codes) // step), n_threads)
