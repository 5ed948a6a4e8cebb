"""The master problem of the ν-LP by the simplex method, in the form with few rows.

    min γ   s.t.  Σ_i d_i y_i h_j(x_i) <= γ for every column j,   Σ d = 1,   0 <= d <= cap

One row a hypothesis, one variable an example: the basis is as large as the number of hypotheses,
not of examples. The model stays in memory and goes on from its last basis when rows are added. The
multipliers of the rows are the coefficients of the combination.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.types import Array

INFINITY = float("inf")


class SimplexMaster:
    """Exact master problem, for up to a few thousand examples.

    Parameters
    ----------
    caps : array
        Largest weight of each example.
    """

    def __init__(self, caps: Array) -> None:
        import highspy  # here, not above: most users of the package never solve a linear program

        n = len(caps)
        self._optimal = highspy.HighsModelStatus.kOptimal
        self._model: Any = highspy.Highs()  # type: ignore[no-untyped-call]
        self._model.setOptionValue("output_flag", False)
        for name in ("primal_feasibility_tolerance", "dual_feasibility_tolerance"):
            self._model.setOptionValue(name, 1e-10)
        self._model.addVars(n + 1, np.append(np.zeros(n), -INFINITY), np.append(caps, INFINITY))
        self._model.changeColCost(n, 1.0)
        self._all = np.arange(n + 1, dtype=np.int32)
        self._model.addRow(1.0, 1.0, n, self._all[:n], np.ones(n))
        self._n = n

    def add(self, outcomes: Array) -> None:
        """Add a hypothesis by its outcomes ``y h(x)``."""
        row = np.append(outcomes.astype(np.float64), -1.0)
        self._model.addRow(-INFINITY, 0.0, self._n + 1, self._all, row)

    def solve(self) -> tuple[Array, Array]:
        """Coefficients of all hypotheses, and the weights of the examples."""
        self._model.run()
        status = self._model.getModelStatus()
        if status != self._optimal:
            raise RuntimeError(
                f"the linear program was not solved: {self._model.modelStatusToString(status)}"
            )
        solution = self._model.getSolution()
        coef = np.maximum(-np.array(solution.row_dual)[1:], 0.0)
        weights = np.maximum(np.array(solution.col_value)[: self._n], 0.0)
        return coef / coef.sum(), weights / weights.sum()
