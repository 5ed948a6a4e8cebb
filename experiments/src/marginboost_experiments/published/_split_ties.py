"""The stump of the thesis's program, which scores cuts between equal values (BA-B1, BA-E10)."""

from __future__ import annotations

import numpy as np

from marginboost.core.oracle import Candidate, Oracle
from marginboost.core.weights import Weights
from marginboost.kernels.ties import TIE
from marginboost.oracles.stumps import Stump
from marginboost.types import Array


class SplitTiesOracle(Oracle):
    """Rows are sorted by a feature and cut after any of them, also between equal values.

    A cut among equal values promises what no stump can do: all of them go left. So the edge of the
    hypothesis may be less than promised, even negative, and a run ends there. A side without a
    majority answers -1; of equal scores the first feature wins, then the lowest cut.

    Parameters
    ----------
    skip_ties : bool
        Whether to leave such cuts out, as should be.
    """

    def __init__(self, skip_ties: bool = False) -> None:
        self.skip_ties = skip_ties

    def prepare(self) -> None:
        """Sort the rows by every feature."""
        rows = self.sample.rows
        if rows is None:
            raise ValueError("SplitTiesOracle: the sample has no raw rows")
        self._rows = rows.dense(0, rows.n_rows)
        self._order = np.argsort(self._rows, axis=0, kind="stable")
        self._values = np.take_along_axis(self._rows, self._order, axis=0)
        self._ties = self._values[1:] == self._values[:-1]

    def find(self, weights: Weights, k: int, round: int) -> list[Candidate]:
        """The stump whose promise is best, with the edge that it really has."""
        below = np.cumsum(weights.dual[self._order], axis=0)
        whole, below = below[-1], below[:-1]
        promised = np.abs(below) + np.abs(whole - below)
        if self.skip_ties:
            promised = np.where(self._ties, -1.0, promised)
        j = _first(promised.max(axis=0))
        cut = _first(promised[:, j])
        threshold = float(0.5 * self._values[cut, j] + 0.5 * self._values[cut + 1, j])
        left, right = (1.0 if s > 0.0 else -1.0 for s in (below[cut, j], whole[j] - below[cut, j]))
        stump = Stump(j, threshold, left, right)
        column = stump(self._rows).astype(np.int8)
        return [Candidate(stump, float(weights.dual @ column), column)]


def _first(scores: Array) -> int:
    """First of the largest, up to rounding."""
    return int(np.argmax(scores >= scores.max() - TIE))
