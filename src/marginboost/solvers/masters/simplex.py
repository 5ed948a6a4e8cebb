"""The master problem by the simplex method, in the form with few rows.

    ν-LP:     min γ    s.t.  Σ_i d_i y_i h_j(x_i) <= γ for every column j,   Σ d = 1,  0 <= d <= cap
    C-form:   max Σd   s.t.  the same rows with γ fixed at the price,                  0 <= d <= cap

One row per hypothesis, one variable per example: the basis is as large as the number of hypotheses,
not of examples. The multipliers of the rows are the coefficients of the combination. The model
stays in memory, and every solution begins at the last basis and at nothing else: so a resumed run,
which knows that basis, takes the same path.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...types import Array
from .base import Master, MasterError
from .packed_pool import PackedPool
from .problem import MarginProblem

INFINITY = float("inf")


class SimplexMaster(Master):
    """Exact master problem, by HiGHS, for up to a few thousand examples."""

    exact = True

    def __init__(
        self, problem: MarginProblem, y: Array, n_threads: int = 1, seconds: float | None = None
    ) -> None:
        super().__init__(problem, y, n_threads, seconds)
        self._start_model()
        self._basis: tuple[list[int], list[int]] | None = None
        self._heads = self._add_variables()

    def _start_model(self) -> None:
        import highspy  # here, not above: most users of the package never solve a linear program

        self._highs: Any = highspy
        self._model: Any = highspy.Highs()  # type: ignore[no-untyped-call]
        self._model.setOptionValue("output_flag", False)
        for name in ("primal_feasibility_tolerance", "dual_feasibility_tolerance"):
            self._model.setOptionValue(name, 1e-10)
        # Scale factors are chosen in the first solution and kept for rows that come later: other
        # factors in a resumed run would be another path. Outputs lie in [-1, 1] as they are.
        self._model.setOptionValue("simplex_scale_strategy", 0)

    def _add_variables(self) -> int:
        """Add the variables, and the rows that are no hypotheses: how many."""
        problem, n, price = self.problem, len(self.y), self.problem.price
        lowest, highest = (-INFINITY, INFINITY) if price is None else (price, price)
        self._model.addVars(n + 1, np.append(np.zeros(n), lowest), np.append(problem.caps, highest))
        self._all = np.arange(n + 1, dtype=np.int32)
        if price is None:
            self._model.changeColCost(n, 1.0)
        else:
            self._model.changeColsCost(n, self._all[:n], -np.ones(n))
        total = (1.0, 1.0) if price is None else (-INFINITY, INFINITY)
        self._model.addRow(*total, n, self._all[:n], np.ones(n))
        return 1

    def solve(self, pool: PackedPool, start: Array, gap: float) -> tuple[Array, Array]:
        """Solve from the last basis; ``start`` and ``gap`` make no difference."""
        n, known = len(self.y), self._model.getNumRow() - self._heads
        for outputs in pool.columns[known:]:
            row = np.append(self.y * outputs.astype(np.float64), -1.0)
            self._model.addRow(-INFINITY, 0.0, n + 1, self._all, row)
        solution = self._run()
        coef = np.maximum(-np.array(solution.row_dual)[1:], 0.0)
        weights = np.maximum(np.array(solution.col_value)[:n], 0.0)
        if not weights.any():
            raise MasterError("a price so near to nothing leaves no weights")
        if self.problem.price is None:
            coef /= coef.sum()
        self.weights = weights / weights.sum()
        return coef, self.weights

    def _run(self) -> Any:
        """Solve from the last basis, and keep the new one."""
        self._begin_at_basis()
        if self.seconds is not None:  # HiGHS counts the time of all runs
            self._model.setOptionValue("time_limit", self._model.getRunTime() + self.seconds)
        self._model.run()
        status = self._model.getModelStatus()
        if status != self._highs.HighsModelStatus.kOptimal:
            reason = self._model.modelStatusToString(status)
            raise MasterError(f"HiGHS did not solve the master problem: {reason}")
        basis = self._model.getBasis()
        self._basis = [int(s) for s in basis.col_status], [int(s) for s in basis.row_status]
        return self._model.getSolution()

    def _begin_at_basis(self) -> None:
        """Make the solver forget everything but the basis, to which new rows are added as basic."""
        self._model.clearSolver()
        if self._basis is None:
            return
        kinds = self._highs.HighsBasisStatus
        columns, rows = self._basis
        new = self._model.getNumRow() - len(rows)
        basis = self._highs.HighsBasis()
        basis.col_status = [kinds(status) for status in columns]
        basis.row_status = [kinds(status) for status in rows] + [kinds.kBasic] * new
        basis.valid, basis.alien = True, False
        self._model.setBasis(basis)

    def forget(self, kept: Array) -> None:
        """Delete rows; where they were basic, as most without weight are, a basis remains."""
        heads = self._heads
        gone = np.setdiff1d(np.arange(self._model.getNumRow() - heads), kept) + heads
        self._model.deleteRows(len(gone), gone.astype(np.int32))
        if self._basis is not None:
            columns, rows = self._basis
            basic = int(self._highs.HighsBasisStatus.kBasic)
            remains = all(rows[j] == basic for j in gone)
            self._basis = (
                (columns, [*rows[:heads], *(rows[heads + j] for j in kept)]) if remains else None
            )

    def get_state(self) -> dict[str, Any]:
        """Return the basis, besides the weights."""
        return {**super().get_state(), "basis": self._basis}

    def set_state(self, saved: dict[str, Any]) -> None:
        """Take both back."""
        super().set_state(saved)
        if saved["basis"] is not None:
            columns, rows = saved["basis"]
            self._basis = [int(s) for s in columns], [int(s) for s in rows]
