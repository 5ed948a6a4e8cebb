"""Tomek's two extensions of Wilson's rule (CH-A16b): many k, or many passes.

Reference: Tomek, *An experiment with the edited nearest-neighbor rule*, 1976.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...types import Array
from ...validation import check_choice, check_number
from .base import NoiseFilter
from .neighbourhood import nearest_neighbour_rule, nearest_others, outvoted


class TomekFilter(NoiseFilter):
    """Flag rows that Wilson's rule drops for some k up to ``n_neighbors``, or in some pass.

    Any number of classes; complete numeric rows. A tied vote is for the row.

    Parameters
    ----------
    n_neighbors : int
        Largest k, or the k of every pass.
    method : {"all k", "repeated"}
        For k = 1, 2, … on all rows; or for one k again and again on the rows that are left, until
        none is dropped, a class is down to its last rows, or too few are left to have k neighbours.
    standardise : bool
        Whether distances are of features with mean 0 and variance 1, or as they come.

    Attributes
    ----------
    flagged_ : array of bool
        The rows flagged.
    score_ : array
        Share of the k for which the row is classified rightly; or one minus one over the pass that
        dropped it, 1 for none.
    """

    def __init__(
        self, n_neighbors: int = 3, *, method: str = "all k", standardise: bool = True
    ) -> None:
        self.n_neighbors = n_neighbors
        self.method = method
        self.standardise = standardise

    def companion(self) -> Any:
        """Return the nearest-neighbour rule, in the features whose distances the filter takes."""
        return nearest_neighbour_rule(self.standardise)

    def _check_parameters(self) -> None:
        check_number("n_neighbors", self.n_neighbors, at_least=1, integer=True)
        check_choice("method", self.method, ("all k", "repeated"))

    def _find(self, X: Array, y: Array) -> tuple[Array, Array]:
        score = self._all_k(X, y) if self.method == "all k" else self._repeated(X, y)
        return score, score < 1.0

    def _all_k(self, X: Array, y: Array) -> Array:
        neighbours = nearest_others(X, self.n_neighbors, self.standardise)
        sizes = range(1, self.n_neighbors + 1)
        return np.mean([~outvoted(neighbours[:, :k], y) for k in sizes], axis=0)

    def _repeated(self, X: Array, y: Array) -> Array:
        score, left, passes = np.ones(len(y)), np.arange(len(y)), 0
        while True:
            passes += 1
            neighbours = nearest_others(X[left], self.n_neighbors, self.standardise)
            dropped = outvoted(neighbours, y[left])
            kept = left[~dropped]
            lost = len(np.unique(y[kept])) < len(np.unique(y))
            if not dropped.any() or lost or len(kept) <= self.n_neighbors:
                return score
            score[left[dropped]] = 1.0 - 1.0 / passes
            left = kept
