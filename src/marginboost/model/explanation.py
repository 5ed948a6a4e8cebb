"""Exact explanation of a stump ensemble: it is a sum of step functions, one per feature."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core.ensemble import Ensemble
from ..data import BinnedMatrix, Table
from ..data.table import Categories, as_source, frame_names, is_frame
from ..kernels.reference import step_function
from ..oracles.stumps import StepFunction, Stump, step_functions
from ..types import Array


@dataclass(frozen=True)
class Explanation:
    """Shape functions of a stump ensemble.

    Attributes
    ----------
    names : list of str
        Feature names.
    shapes : dict
        For each feature that the model uses, by name, its step function: ``levels[k]`` is the
        contribution to the vote right of k thresholds, the last level that of a missing value.
    categories : list
        For each feature, None or its categories; thresholds of such a feature count codes.
    """

    names: list[str]
    shapes: dict[str, StepFunction]
    categories: Categories

    @classmethod
    def of(
        cls,
        ensemble: Ensemble,
        names: Sequence[str],
        categories: Categories,
        *,
        votes: bool = True,
    ) -> Explanation:
        """Explain an ensemble of stumps: its votes in [-1, 1], or its scores."""
        stumps = [member for member in ensemble.members if isinstance(member, Stump)]
        if len(stumps) < len(ensemble):
            raise TypeError(
                "explain: only stump ensembles are sums of one-feature functions; this model has "
                f"{sorted({type(member).__name__ for member in ensemble.members})} hypotheses"
            )
        steps = step_functions(
            stumps, ensemble.coef / ((ensemble.l1_norm or 1.0) if votes else 1.0)
        )
        shapes = {str(names[step.feature]): step for step in steps}
        return cls([str(name) for name in names], shapes, categories)

    def contributions(self, X: Any) -> Array:
        """Contribution of each feature to each row's vote; a row of it sums to the vote."""
        source = as_source(X)
        if source.shape[1] != len(self.names):
            raise ValueError(
                f"X has {source.shape[1]} features, expected {len(self.names)} features"
            )
        unnamed = self.names == [f"x{j}" for j in range(len(self.names))]
        if is_frame(X) and not unnamed and [str(c) for c in frame_names(X)] != self.names:
            raise ValueError(
                "X: the columns must have the names seen in fit, in the same order: "
                f"{', '.join(self.names[:5])}{', …' if len(self.names) > 5 else ''}"
            )
        return self.contributions_of(Table(source, self.names, self.categories))

    def contributions_of(self, table: Table | BinnedMatrix) -> Array:
        """:meth:`contributions` of rows that are already read as a table."""
        out = np.zeros((table.n_rows, table.n_features))
        for step in self.shapes.values():
            values = np.asarray(table.column(step.feature))
            out[:, step.feature] = step_function(values, step.thresholds, step.levels)
        return out

    def importance(self) -> dict[str, float]:
        """Range of each shape function: how far this feature alone can move the vote."""
        return {name: float(np.ptp(step.levels[:-1])) for name, step in self.shapes.items()}
