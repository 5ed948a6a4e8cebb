"""Why the boosted stumps doubt a label, told by models that never saw it.

A model that learnt a wrong label explains it away. So the contributions of a row come from the
stumps of the fold in which the row was judged.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.model_selection import KFold

from ..data import BinnedMatrix, Table
from ..model.explanation import Explanation
from ..types import Array
from .folds import SEED, fit_folds, make_folds
from .votes import Views, boosted_stumps

FOLDS = 5


@dataclass(frozen=True)
class FoldShapes:
    """What boosted stumps learnt in one fold.

    Attributes
    ----------
    test : array of int
        Rows that the fold's model judged.
    shapes : dict
        By class, the explanation of the vote for it, and whether positive votes are for it.
    """

    test: Array
    shapes: dict[int, tuple[float, Explanation]]

    @classmethod
    def of(cls, model: Any, test: Array) -> FoldShapes:
        """Keep the explanations of a fitted model of stumps whose labels are positions."""
        classes, found = model.classes_.tolist(), model.explain()
        if isinstance(found, list):
            pairs = [(1.0, explained) for explained in found]
        else:
            pairs = [(-1.0, found), (1.0, found)]
        return cls(test, dict(zip(map(int, classes), pairs, strict=True)))


@dataclass
class Reasons:
    """Contributions to the votes for the given labels, out of folds."""

    folds: list[tuple[Any, Array]] = field(default_factory=list)
    """Fitted models of stumps, whose labels are positions, and the rows that each judged."""

    def add(self, model: Any, test: Array) -> None:
        """Keep a fold's model; called while folds are fitted. It is explained when asked."""
        self.folds.append((model, test))

    def learn(self, views: Views, labels: Array) -> None:
        """Fit boosted stumps to folds, where no voter did."""
        n_folds = min(FOLDS, len(labels))
        folds = make_folds(KFold(n_folds, shuffle=True, random_state=SEED), labels)
        try:
            for model, test, _ in fit_folds(
                boosted_stumps(views.n_jobs, SEED), views.bins, labels, folds
            ):
                self.add(model, test)
        except ValueError:  # a fold that leaves one class to learn from: nothing to tell
            self.folds.clear()

    @cached_property
    def _explained(self) -> list[FoldShapes]:
        return [FoldShapes.of(model, test) for model, test in self.folds]

    def contributions(
        self, table: Table | BinnedMatrix, labels: Array, rows: Array
    ) -> tuple[Array, Array]:
        """Contribution of each feature to each row's vote for its label, and the intercepts."""
        parts, intercepts = np.zeros((len(rows), table.n_features)), np.zeros(len(rows))
        for fold in self._explained:
            judged = np.isin(rows, fold.test)
            for k, (sign, explained) in fold.shapes.items():
                mine = np.flatnonzero(judged & (labels[rows] == k))
                if len(mine):
                    found = explained.contributions_of(table.take(rows[mine]))
                    parts[mine], intercepts[mine] = sign * found, sign * explained.intercept
        return parts, intercepts
