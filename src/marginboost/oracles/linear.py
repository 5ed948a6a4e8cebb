"""Component-wise linear base learner: the line through one feature that fits best (CH-A6)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, ClassVar, Self

import numpy as np

from ..core.hypothesis import Hypothesis, check_feature
from ..core.oracle import Candidate, Oracle
from ..core.weights import Weights
from ..data import BinnedMatrix
from ..kernels.ties import TIE
from ..solvers.masters.pool import ColumnPool
from ..types import Array

CONSTANT = 1e-12
"""Spread, relative to the largest value, up to which a feature counts as constant."""

NARROWEST = 1e-307
"""And below which it counts as one, whatever its values are."""


@dataclass(frozen=True, slots=True)
class Line(Hypothesis):
    """``slope (x - centre)`` of one feature; 0 where it is missing.

    Outputs are in [-1, 1] on the rows it was made for; beyond them the line goes on.
    """

    kind: ClassVar[str] = "line"
    keys: ClassVar[tuple[str, ...]] = ("feature", "centre", "slope")

    feature: int
    centre: float
    slope: float

    def __call__(self, rows: Array) -> Array:
        """Outputs on dense rows."""
        values = self.slope * (rows[:, self.feature].astype(np.float64) - self.centre)
        return np.where(np.isnan(values), 0.0, values)

    def negated(self) -> Line:
        """Turn the slope round."""
        return Line(self.feature, self.centre, -self.slope)

    @classmethod
    def voter(cls, members: Sequence[Self], coef: Array) -> Callable[[Array], Array]:
        """Sum of the slopes first: lines through the same centre are one line."""
        slopes: dict[tuple[int, float], float] = {}
        steep: list[tuple[float, Line]] = []
        for weight, line in zip(coef.tolist(), members, strict=True):
            place = line.feature, line.centre
            slope = slopes.get(place, 0.0) + weight * float(line.slope)
            if isfinite(slope):
                slopes[place] = slope
            else:  # of tiny values and large targets: outputs are finite, their slope is not
                steep.append((weight, line))

        def vote(rows: Array) -> Array:
            total = np.zeros(len(rows))
            for (feature, centre), slope in slopes.items():
                total += Line(feature, centre, slope)(rows)
            for weight, line in steep:
                total += weight * line(rows)
            return total

        return vote

    def check_features(self, categories: Sequence[Array | None]) -> None:
        """Its feature is a number."""
        check_feature(self.feature, categories)
        if categories[self.feature] is not None:
            raise ValueError(f"feature {self.feature} is categorical and has no slope")

    def importances(self, n_features: int) -> Array:
        """All on its feature."""
        share = np.zeros(n_features)
        share[self.feature] = 1.0
        return share

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        data = {"feature": self.feature, "centre": self.centre, "slope": self.slope}
        return {"kind": self.kind, **data}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Line:
        """Make a line from plain data."""
        feature, centre, slope = (data.get(name) for name in ("feature", "centre", "slope"))
        sound = type(feature) is int and feature >= 0
        if not sound or not all(_is_finite(number) for number in (centre, slope)):
            raise ValueError(f"line: got feature {feature!r}, centre {centre!r}, slope {slope!r}")
        return cls(int(data["feature"]), float(data["centre"]), float(data["slope"]))


def _is_finite(value: object) -> bool:
    return type(value) in (int, float) and isfinite(value)  # type: ignore[arg-type]


class LinearOracle(Oracle):
    """Lines through one numeric feature, all of the same weighted norm.

    Features are centred and standardised by the weights of the rows, then all divided by one
    number, so that outputs lie in [-1, 1]. Since norms are equal, the line of largest edge is the
    one that fits the weights best by least squares, the feature of largest correlation with them.
    Missing values count as the mean; categories and constants are left out. Centred lines know no
    constant, which :class:`~marginboost.L2BoostRegressor` begins with.

    Examples
    --------
    >>> from marginboost import L2BoostRegressor, LinearOracle
    >>> X = np.array([[0.0, 3.0], [1.0, -1.0], [2.0, 3.0], [3.0, -1.0]])
    >>> model = L2BoostRegressor(LinearOracle(), n_estimators=500).fit(X, 2.0 * X[:, 0] + 1.0)
    >>> model.predict(X).round(6)
    array([1., 3., 5., 7.])
    """

    saved = True
    exact = True
    class_name = "lines through one standardised feature"

    def prepare(self) -> None:
        """Standardise the columns."""
        rows = self.sample.rows
        if rows is None or isinstance(rows, BinnedMatrix):
            raise TypeError(
                "LinearOracle: got a BinnedMatrix or no rows, expected raw rows: bins have no size"
            )
        dense = rows.dense(0, rows.n_rows)
        numeric = [j for j in range(rows.n_features) if rows.categories[j] is None]
        found = [self._spread(j, dense[:, j].astype(np.float64)) for j in numeric]
        varied = [line for line in found if line is not None]
        smallest = min((spread for _, spread in varied), default=0.0)
        self._lines = [
            Line(line.feature, line.centre, line.slope * smallest / spread)
            for line, spread in varied
        ] or [Line(0, 0.0, 0.0)]  # nothing varies: an edge of 0 says so
        self._pool = ColumnPool(rows.n_rows, self.sample.n_threads)
        for line in self._lines:
            self._pool.append(line(dense))

    def _spread(self, j: int, values: Array) -> tuple[Line, float] | None:
        """Line from -1 or to 1 over the values of a feature, and its weighted norm."""
        present = ~np.isnan(values)
        weights = self.sample.prior[present]
        if not present.any():
            return None
        centre = float(np.average(values[present], weights=weights))
        width = float(np.abs(values[present] - centre).max())
        if width <= CONSTANT * float(np.abs(values[present]).max()):
            return None
        if not NARROWEST <= width < np.inf:  # no slope is a finite number
            return None
        slope = (1.0 - 4.0 * np.finfo(float).eps) / width
        squares = (slope * (values[present] - centre)) ** 2
        return Line(j, centre, slope), float(np.sqrt(np.sum(weights * squares)))

    def find(self, weights: Weights, k: int, round: int) -> list[Candidate]:
        """The ``k`` lines of largest edge; ties go to the lowest feature."""
        dual = weights.dual
        edges = self._pool.edges(dual)
        sizes = np.abs(edges)
        found = []
        for _ in range(min(k, len(sizes))):
            j = int(np.argmax(sizes >= (1.0 - TIE) * sizes.max()))
            sizes[j] = -1.0
            line, column, edge = self._lines[j], self._pool.columns[j], float(edges[j])
            if edge < 0.0:
                line, column, edge = line.negated(), -column, -edge
            found.append(Candidate(line, edge, column))
        return found
