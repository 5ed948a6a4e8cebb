"""Regression programs by the simplex method, in the form with few rows (eq. 5.33).

    max  Σ gains x   s.t.  Σ_i d_i h_j(x_i) <= price for every column j,  0 <= x <= p

with the equations of the tube's edges; d are the signed weights of x. One row per hypothesis; its
multiplier is the coefficient.
"""

from __future__ import annotations

import numpy as np

from ...types import Array
from .base import MasterError
from .packed_pool import PackedPool
from .simplex import INFINITY, SimplexMaster
from .tube import TubeProblem


class TubeSimplex(SimplexMaster):
    """Exact master problem of a regression, by HiGHS, for up to a few thousand examples."""

    problem: TubeProblem

    def _add_variables(self) -> int:
        problem = self.problem
        gains = problem.gains()
        sides, n = gains.shape
        self._all = np.arange(sides * n, dtype=np.int32)
        self._model.addVars(sides * n, np.zeros(sides * n), np.tile(problem.caps, sides))
        self._model.changeColsCost(sides * n, self._all, -gains.ravel())
        for row, share in zip(problem.equations, problem.shares, strict=True):
            self._model.addRow(share, share, sides * n, self._all, np.repeat(row, n))
        return len(problem.shares)

    def solve(self, pool: PackedPool, start: Array, gap: float) -> tuple[Array, Array]:
        """Solve from the last basis; ``start`` and ``gap`` make no difference."""
        problem, known = self.problem, self._model.getNumRow() - self._heads
        for outputs in pool.columns[known:].astype(np.float64):
            row = np.outer(problem.signs, outputs).ravel()
            most = problem.price + problem.shift * float(problem.caps @ outputs)
            self._model.addRow(-INFINITY, most, len(row), self._all, row)
        solution = self._run()
        coef = np.maximum(-np.array(solution.row_dual)[self._heads :], 0.0)
        sides = np.array(solution.col_value).reshape(len(problem.signs), -1)
        self.weights = problem.balanced(problem.signed(np.clip(sides, 0.0, problem.caps)))
        if not self.weights.any():
            raise MasterError("no row is outside of the tube")
        return coef, self.weights
