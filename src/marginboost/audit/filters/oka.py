"""Regular examples, exceptions and noise by their record (CH-A16g).

A row that its neighbours outvote is irregular: an exception or noise. Every row keeps a record of
the rows in its influence region, those that have it among their nearest neighbours: how many carry
its label (it classifies them correctly) and how many another. An irregular row whose rate of
correct ones reaches a threshold is an exception to be kept, any other is noise.

Reference: Oka & Yoshida, *Learning regular and irregular examples separately*, 1993, as described
by Brodley & Friedl 1999.
"""

from __future__ import annotations

import numpy as np

from ...types import Array
from ...validation import check_number
from .base import NoiseFilter
from .neighbourhood import nearest_others, outvoted


class OkaFilter(NoiseFilter):
    """Flag irregular rows that classify the rows around them badly.

    Any number of classes; complete numeric rows.

    Parameters
    ----------
    n_neighbors : int
        Neighbours, k.
    threshold : float
        Least rate of correct classifications of an exception, in [0, 1]. With 0 every irregular row
        is an exception.
    standardise : bool
        Whether distances are of features with mean 0 and variance 1, or as they come.

    Attributes
    ----------
    flagged_ : array of bool
        The rows flagged.
    exceptions_ : array of bool
        Irregular rows that are kept.
    score_ : array
        The rate for irregular rows, 1 for regular ones.
    rate_ : array
        Share of the influence region with the row's label; 0 if nobody's neighbour it is.
    """

    def __init__(
        self, n_neighbors: int = 3, *, threshold: float = 0.5, standardise: bool = True
    ) -> None:
        self.n_neighbors = n_neighbors
        self.threshold = threshold
        self.standardise = standardise

    def _check_parameters(self) -> None:
        check_number("n_neighbors", self.n_neighbors, at_least=1, integer=True)
        check_number("threshold", self.threshold, at_least=0.0, at_most=1.0)

    def _find(self, X: Array, y: Array) -> tuple[Array, Array]:
        neighbours = nearest_others(X, self.n_neighbors, self.standardise)
        irregular = outvoted(neighbours, y)
        right = y[neighbours] == y[:, None]
        region = np.bincount(neighbours.ravel(), minlength=len(y))
        correct = np.bincount(neighbours.ravel(), weights=right.ravel(), minlength=len(y))
        self.rate_ = correct / np.maximum(region, 1)
        noisy = irregular & (self.rate_ < self.threshold)
        self.exceptions_ = irregular & ~noisy
        return np.where(irregular, self.rate_, 1.0), noisy
