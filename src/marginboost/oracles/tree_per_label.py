"""A second-order regression tree for every label, as one hypothesis of several classes.

Problem: with slopes g_il and curvatures h_il of a loss of K scores an example, a tree f_l for every
label l that minimises ``Σ_i ( -g_il f_l(x_i) + ½ h_il f_l(x_i)² )``, as ``GradientTreeOracle`` does
it for one score. The trees know nothing of each other, so several are grown at once.

Reference: Friedman, *Greedy function approximation: a gradient boosting machine*, 2001.
"""

from __future__ import annotations

from queue import SimpleQueue

import numpy as np

from ..core.labels import LabelByLabel
from ..core.oracle import Candidate
from ..core.sample import Sample
from ..core.types import Array
from ..kernels.threads import run_blocks
from .gradient_trees import GradientTreeOracle
from .label_hypotheses import TreePerLabel
from .label_trees import LabelOracle


class TreePerLabelOracle(LabelOracle):
    """Grow a regression tree for every label, on slopes and curvatures.

    Leaves of all trees are divided by the largest of all, which is the candidate's ``scale``.

    Parameters
    ----------
    trees : GradientTreeOracle
        How each of them is grown.
    """

    needs_bins = True
    class_name = GradientTreeOracle.class_name

    def __init__(self, trees: GradientTreeOracle) -> None:
        self.trees = trees

    def prepare(self) -> None:
        """Make growers: one a thread, or one for all threads where there are few labels."""
        sample = self.sample
        if not isinstance(sample, LabelByLabel):
            raise TypeError(f"sample: got {type(sample).__name__}, expected LabelByLabel")
        n_threads = sample.n_threads
        at_once = n_threads if sample.n_classes >= n_threads else 1
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
        self._curvature: Array | None = None

    def bend(self, curvature: Array | None) -> None:
        """Keep the curvatures for the next trees."""
        self._curvature = curvature

    def best(self, dual: Array, k: int = 1, *, round: int = 1) -> list[Candidate]:
        """One tree a label."""
        slopes = self._by_label(dual)
        curvatures = None if self._curvature is None else self._by_label(self._curvature)
        found: list[Candidate] = [None] * len(slopes)  # type: ignore[list-item]

        def grow(label: int) -> None:
            grower = self._growers.get()
            grower.bend(None if curvatures is None else curvatures[label])
            found[label] = grower.best(slopes[label], round=round)[0]
            self._growers.put(grower)

        run_blocks(grow, len(slopes), self._n_growers)
        return [_joined(found)]

    def _by_label(self, values: Array) -> Array:
        """Return values of (example, label) rows as (label, example)."""
        return np.ascontiguousarray(values.reshape(-1, self.sample.n_classes).T)


def _joined(found: list[Candidate]) -> Candidate:
    """Return the candidates of all labels as one, with one scale."""
    scale = max(candidate.scale for candidate in found)
    shares = [candidate.scale / (scale or 1.0) for candidate in found]
    trees = []
    column = np.empty((len(found[0].column), len(found)))
    for label, (candidate, share) in enumerate(zip(found, shares, strict=True)):
        trees.append(candidate.hypothesis.scaled(share))  # type: ignore[attr-defined]
        np.multiply(candidate.column, share, out=column[:, label])
    edge = sum(share * candidate.edge for candidate, share in zip(found, shares, strict=True))
    return Candidate(TreePerLabel(tuple(trees)), float(edge), column.ravel(), scale)
