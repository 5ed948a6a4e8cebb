"""Several targets at once: a model for each column of y, all on the same bins.

Outputs share nothing but the rows: one tree per target and round, as XGBoost grows them by default.
A joint tree would have to cut where all targets agree, and could have but one best round; so each
target has the model, early stopping and bounds that a fit of it alone would have, bit for bit.
"""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any, Self

import numpy as np

from ..core.objective import Objective
from ..core.oracle import Oracle
from ..data import Table
from ..model import Model, TargetsModel
from ..types import Array
from .inputs import read_target_columns, read_targets
from .staged import StagedRegressor
from .training_set import TargetSet


class SeveralTargetsRegressor(StagedRegressor):
    """A regressor that takes one target per row, or several."""

    several_targets = True
    problems_: list[Self]
    model_: Any

    def read_y(self, y: Any, n_rows: int) -> Array:
        """Targets, checked; those of several columns as a matrix."""
        shape = np.asarray(y).shape
        if len(shape) == 2 and shape[1] > 1:
            return read_target_columns(y, n_rows)
        return read_targets(y, n_rows)

    def learn_targets(self, data: TargetSet, oracle: Oracle) -> None:
        """Learn from checked rows, each target by itself."""
        if data.targets.ndim == 1:
            super().learn_targets(data, oracle)
            return
        if any(callback.saves_state for callback in self.callbacks or ()):
            raise ValueError(
                "callbacks: got a Checkpoint, which keeps one run; expected none with several "
                "targets, where each has a run of its own"
            )
        used = np.flatnonzero(data.weights > 0)
        if isinstance(data.rows, Table) and oracle.needs_bins:
            rows = data.rows if len(used) == len(data.weights) else data.rows.take(used)
            data = replace(data, bins=self.bin_rows(rows, data.weights[used]))
        self.problems_ = [self._problem() for _ in data.targets.T]
        for k, problem in enumerate(self.problems_):
            problem.set_features(data.features)
            problem.learn_targets(data.of_target(k), oracle)
        models = tuple(problem.model_ for problem in self.problems_)
        self.model_ = TargetsModel(type(self).__name__, data.features, models)
        self.dual_ = np.column_stack([problem.dual_ for problem in self.problems_])

    def _problem(self) -> Self:
        """Copy for one target, not fitted."""
        callbacks = [copy.copy(callback) for callback in self.callbacks or ()]
        return type(self)(**{**self.get_params(deep=False), "callbacks": callbacks or None})

    def restore(self, model: Model) -> Self:
        """Take up a fitted model, such as that of a file."""
        super().restore(model)
        if isinstance(model, TargetsModel):
            self.problems_ = [self._problem().restore(part) for part in model.problems]
        return self

    def objective(self) -> Objective:
        """What the bounds of the fitted model are about; of several targets the same for all."""
        if isinstance(vars(self).get("model_"), TargetsModel):
            return self.problems_[0].objective()
        return super().objective()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags
