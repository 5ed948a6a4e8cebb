"""Wilson's edited nearest neighbours (CH-A16a): drop what the neighbours contradict.

Reference: Wilson, *Asymptotic properties of nearest neighbor rules using edited data*, 1972.
"""

from __future__ import annotations

from typing import Any

from ...types import Array
from ...validation import check_number
from .base import NoiseFilter
from .neighbourhood import agreeing, nearest_neighbour_rule, nearest_others, outvoted


class WilsonFilter(NoiseFilter):
    """Flag rows that the vote of their nearest neighbours misclassifies, leaving the row out.

    Any number of classes; complete numeric rows. A tied vote is for the row.

    Parameters
    ----------
    n_neighbors : int
        Neighbours, k.
    standardise : bool
        Whether distances are of features with mean 0 and variance 1, or as they come.

    Attributes
    ----------
    flagged_ : array of bool
        The rows flagged.
    score_ : array
        Share of the neighbours with the row's label.
    """

    def __init__(self, n_neighbors: int = 3, *, standardise: bool = True) -> None:
        self.n_neighbors = n_neighbors
        self.standardise = standardise

    def companion(self) -> Any:
        """Return the nearest-neighbour rule, with which Wilson classifies, in the same features."""
        return nearest_neighbour_rule(self.standardise)

    def _check_parameters(self) -> None:
        check_number("n_neighbors", self.n_neighbors, at_least=1, integer=True)

    def _find(self, X: Array, y: Array) -> tuple[Array, Array]:
        neighbours = nearest_others(X, self.n_neighbors, self.standardise)
        return agreeing(neighbours, y), outvoted(neighbours, y)
