"""The features that a model was fitted to, and rows read as they were read then."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core.ensemble import Ensemble
from ..data import BinnedMatrix, Table
from ..data.table import Categories, other_names

FeatureRows = Table | BinnedMatrix
"""Rows that a model can score."""


@dataclass(frozen=True)
class Features:
    """Names and kinds of the columns of a fit.

    Attributes
    ----------
    names : list of str
        One name per feature; ``x0``, ``x1``, … where the rows of the fit had none.
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
        if isinstance(X, BinnedMatrix):
            check_columns(X, self.names, self.categories)
            return X
        return Table(X, self.names, self.categories)


def check_columns(bins: BinnedMatrix, names: Sequence[Any], categories: Categories) -> None:
    """Raise unless the columns of binned rows are the model's: the same names and categories.

    Codes say nothing about what they stand for: those of other columns would be read as the
    model's.
    """
    if others := other_names(bins.names, names):
        raise ValueError(f"X: {others[0]}, as in the rows that the model was fitted on")
    for name, found, expected in zip(names, bins.categories, categories, strict=True):
        if (found is None) != (expected is None):
            kinds = ("numbers", "categories")
            got, wanted = kinds[found is not None], kinds[expected is not None]
            raise ValueError(f"X: column {name!r} of the BinnedMatrix holds {got}, not {wanted}")
        if found is not None and expected is not None:
            _check_categories(str(name), found.tolist(), expected.tolist())


def _check_categories(name: str, found: list[Any], expected: list[Any]) -> None:
    """Raise unless a column has the model's categories, in their order."""
    if found == expected:
        return
    unknown = [label for label in found if label not in expected]
    lacking = [label for label in expected if label not in found]
    differences = [
        *([f"unknown: {', '.join(map(repr, unknown[:5]))}"] if unknown else []),
        *([f"not there: {', '.join(map(repr, lacking[:5]))}"] if lacking else []),
    ]
    raise ValueError(
        f"X: column {name!r} of the BinnedMatrix has other categories than the model "
        f"({'; '.join(differences) or 'in another order'}); bin the rows with those of the "
        "training data (BinnedMatrix.bin)"
    )


def check_cuts(ensembles: Iterable[Ensemble], bins: BinnedMatrix) -> None:
    """Raise unless every cut of a model is one between the bins: else a bin may straddle it."""
    known: dict[int, set[float]] = {}
    for ensemble in ensembles:
        for member in ensemble.members:
            for feature, cut in member.cuts():
                if feature not in known:
                    known[feature] = set(bins.cuts[feature].tolist())
                if cut not in known[feature] and np.isfinite(cut):
                    raise ValueError(
                        f"X: the BinnedMatrix has no cut at {cut:g} in column "
                        f"{bins.names[feature]!r}, but the model has; bin the rows with the cuts "
                        "of the training data (BinnedMatrix.bin)"
                    )
