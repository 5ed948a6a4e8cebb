"""The features that a model was fitted to, and rows read as they were read then."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core.ensemble import Ensemble
from ..data import BinnedMatrix, Table
from ..data.table import Categories

FeatureRows = Table | BinnedMatrix
"""Rows that a model can score."""


@dataclass(frozen=True)
class Features:
    """Names and kinds of the columns of a fit.

    Attributes
    ----------
    names : list of str
        One name a feature; ``x0``, ``x1``, … where the rows of the fit had none.
    categories : list
        For each feature None, where it is a number, or the array of its categories.
    named : bool
        Whether the names came with the rows: then later rows must have the same.
    """

    names: list[str]
    categories: Categories
    named: bool

    def __len__(self) -> int:
        return len(self.names)

    def read(self, X: Any, reader: str) -> FeatureRows:
        """Rows as numbers, for a reader of this name; names of columns are not compared."""
        found = X.n_features if isinstance(X, BinnedMatrix) else X.shape[1]
        if found != len(self):
            raise ValueError(
                f"X has {found} features, but {reader} is expecting {len(self)} features as input"
            )
        return X if isinstance(X, BinnedMatrix) else Table(X, self.names, self.categories)


def check_cuts(ensembles: Iterable[Ensemble], bins: BinnedMatrix) -> None:
    """Raise unless every cut of a model is one between the bins: else a bin may straddle it."""
    for ensemble in ensembles:
        for member in ensemble.members:
            for feature, cut in member.cuts():
                if np.isfinite(cut) and not (bins.edges[feature] == cut).any():
                    raise ValueError(
                        f"X: the BinnedMatrix has no cut at {cut:g} in column "
                        f"{bins.names[feature]!r}, but the model has; bin the rows with the cuts "
                        "of the training data (BinnedMatrix.bin)"
                    )
