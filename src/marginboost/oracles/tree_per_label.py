"""A second-order regression tree for every label, as one hypothesis of several classes.

Problem: with slopes g_il and curvatures h_il of a loss of K scores per example, a tree f_l for
every label l that minimises ``Σ_i ( -g_il f_l(x_i) + ½ h_il f_l(x_i)² )``, as
``GradientTreeOracle`` does it for one score. The trees know nothing of each other, so several are
grown at once.

Reference: Friedman, *Greedy function approximation: a gradient boosting machine*, 2001.
"""

from __future__ import annotations

from dataclasses import replace
from queue import SimpleQueue

import numpy as np

from ..core.label_parts import PartedLabels
from ..core.labels import LabelByLabel
from ..core.oracle import Candidate
from ..core.sample import Sample
from ..core.weights import Weights
from ..kernels.exact import exact_sum, rounded
from ..kernels.parallel import run_blocks, run_rows
from ..types import Array
from .gradient_trees import GradientTreeOracle
from .label_trees import LabelOracle
from .parted_label_trees import PartedLabelTrees, join

LARGE = 1 << 23
"""Codes from which on all threads grow one tree together; below, each grows a tree of its own."""
ROWS_AT_ONCE = 1 << 13
"""Rows whose numbers are turned round at once, in the cache."""


class TreePerLabelOracle(LabelOracle):
    """Grow a regression tree for every label, on slopes and curvatures.

    Leaves of all trees are divided by the largest of all, which is the candidate's ``scale``.

    Parameters
    ----------
    trees : GradientTreeOracle
        How each of them is grown.
    """

    needs_bins = True
    reads_curvature = True
    on_parts = True
    class_name = GradientTreeOracle.class_name

    def __init__(self, trees: GradientTreeOracle) -> None:
        self.trees = trees

    def check(self, *, drawn: bool = False) -> None:
        """Check the trees."""
        self.trees.check(drawn=drawn)

    def prepare(self) -> None:
        """Make growers: one per thread, or one for all threads."""
        sample, n_threads = self.sample, self.sample.n_threads
        if not isinstance(sample, LabelByLabel):
            raise TypeError(f"sample: got {type(sample).__name__}, expected LabelByLabel")
        if sample.bins is None:
            raise ValueError("TreePerLabelOracle: the sample has no binned rows")
        if isinstance(sample, PartedLabels):
            self._parted = PartedLabelTrees(self.trees, sample)
            return
        together = sample.n_classes < n_threads or sample.bins.codes.size >= LARGE
        at_once = 1 if together else n_threads
        examples = Sample(
            y=np.ones(len(sample.labels), np.int8),
            prior=sample.example_prior,
            bins=sample.bins,
            seed=sample.seed,
            n_threads=1 if at_once > 1 else n_threads,
            total=sample.total,
        )
        first = self.trees.bind(examples)
        self._growers: SimpleQueue[GradientTreeOracle] = SimpleQueue()
        for grower in (first, *(first.twin() for _ in range(at_once - 1))):
            self._growers.put(grower)
        self._n_growers = at_once
        shape = sample.n_classes, len(sample.labels)
        self._slopes, self._curvatures = np.empty(shape), np.empty(shape)

    def find(self, weights: Weights, k: int, round: int) -> list[Candidate]:
        """One tree per label."""
        if isinstance(self.sample, PartedLabels):
            return [self._parted.find(weights.size, round)]
        sizes, totals = self._load(weights)
        found: list[Candidate] = [None] * len(self._slopes)  # type: ignore[list-item]

        def grow(label: int) -> None:
            grower = self._growers.get()
            try:
                total = None if totals is None else totals[label]
                found[label] = self._grow(grower, label, sizes[label], total, round, weights.size)
            finally:
                self._growers.put(grower)

        run_blocks(grow, len(found), self._n_growers)
        return [self._joined(found)]

    def _load(self, weights: Weights) -> tuple[list[float], list[float] | None]:
        """Slopes and curvatures label by label, divided so that slopes sum to one, as trees expect.

        Returns what was divided by, and the sums of curvatures where there are any. Few rows are
        gone through at a time, by all threads.
        """
        curvature, (n_labels, n_rows) = weights.curvature, self._slopes.shape
        self._transpose(weights.dual, self._slopes)
        if curvature is not None:
            self._transpose(curvature, self._curvatures)

        def measure(start: int, stop: int) -> list[int]:
            return [exact_sum(np.abs(slopes[start:stop])) for slopes in self._slopes]

        def divide(start: int, stop: int) -> list[int]:
            for slopes, size in zip(self._slopes, sizes, strict=True):
                slopes[start:stop] /= size
            if curvature is None:
                return [0] * n_labels
            for curvatures, size in zip(self._curvatures, sizes, strict=True):
                curvatures[start:stop] /= size
            return [exact_sum(curvatures[start:stop]) for curvatures in self._curvatures]

        n_threads = self.sample.n_threads
        measured = zip(*run_rows(measure, n_rows, n_threads), strict=True)
        sizes = [rounded(sum(found)) or 1.0 for found in measured]
        divided = zip(*run_rows(divide, n_rows, n_threads), strict=True)
        totals = [rounded(sum(found)) for found in divided]
        return sizes, None if curvature is None else totals

    def _grow(
        self,
        grower: GradientTreeOracle,
        label: int,
        size: float,
        total: float | None,
        round: int,
        before: float,
    ) -> Candidate:
        """One tree; its slopes were divided by ``before``, then by ``size``."""
        curved = total is not None
        weights = Weights(
            self._slopes[label], self._curvatures[label] if curved else None, size=before * size
        )
        weights.total_curvature = total
        found = grower.best(weights, round=round)[0]
        # Without curvature leaves are means of the scaled slopes.
        scale = found.scale if curved else size * found.scale
        return replace(found, edge=size * found.edge, scale=scale)

    def _joined(self, found: list[Candidate]) -> Candidate:
        """Return the candidates of all labels as one, with one scale."""
        joined, shares = join(found)
        column = np.empty((len(self.sample.labels), len(found)))

        def fill(start: int, stop: int) -> None:
            for label, (candidate, share) in enumerate(zip(found, shares, strict=True)):
                np.multiply(candidate.column[start:stop], share, out=column[start:stop, label])

        run_rows(fill, len(column), self.sample.n_threads, ROWS_AT_ONCE)
        return replace(joined, column=column.ravel())

    def _transpose(self, values: Array, out: Array) -> None:
        """Write values of (example, label) rows as (label, example)."""
        matrix = values.reshape(-1, self.sample.n_classes)

        def write(start: int, stop: int) -> None:
            out[:, start:stop] = matrix[start:stop].T

        run_rows(write, len(matrix), self.sample.n_threads, ROWS_AT_ONCE)
