"""Regressors of several targets at once: a model for each column of y, all on the same bins."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..fitting.inputs import read_target_columns, read_targets
from ..types import Array
from .staged import StagedRegressor


class SeveralTargetsRegressor(StagedRegressor):
    """A regressor that takes one target per row, or several."""

    def _make_algorithm(self, rule: Any, **more: Any) -> Any:
        """Make an algorithm of this rule, for one target or several."""
        return super()._make_algorithm(rule, several_targets=True, **more)

    def _read_targets(self, y: Any, n_rows: int) -> Array:
        """Targets, checked; of several columns a matrix."""
        shape = np.asarray(y).shape
        if len(shape) == 2 and shape[1] > 1:
            return read_target_columns(y, n_rows)
        return read_targets(y, n_rows)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags
