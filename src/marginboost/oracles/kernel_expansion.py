"""Sums of kernel functions as hypotheses: RBF nets, kernels on the examples, bumps anywhere."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from ..core.oracle import Candidate
from ..core.sample import Sample
from ..kernels.expansions import clipped_sums
from ..kernels.parallel import run_rows
from ..kernels.weights import weighted_sum
from ..types import Array
from .coordinates import Coordinates, InCoordinates, is_number, read_numbers

HIGHEST_DEGREE = 20
BLOCK = 1 << 13
"""Rows of one task."""


@dataclass(frozen=True, eq=False)
class KernelExpansion(InCoordinates):
    """``Σ_k coef_k k(z, p_k)`` of a row in standardised coordinates z, clipped to [-1, 1].

    ``k(z, p)`` is ``exp(-rate |z - p|²)`` where ``degree`` is 0, else
    ``(rate z·p + offset)^degree``.

    Parameters
    ----------
    coordinates : Coordinates
        From rows to z.
    points : array (n_points, n_coordinates)
        Where the functions are.
    rates, coef : array (n_points,)
        One rate and one factor for each.
    degree : int
        Degree of a polynomial; 0 is radial.
    offset : float
        Constant inside the power.
    """

    kind: ClassVar[str] = "kernel_expansion"
    keys: ClassVar[tuple[str, ...]] = (
        *Coordinates.KEYS,
        *("points", "rates", "coef", "degree", "offset"),
    )

    points: Array
    rates: Array
    coef: Array
    degree: int = 0
    offset: float = 0.0

    def __repr__(self) -> str:
        sort = f"polynomial of degree {self.degree}" if self.degree else "radial"
        return f"KernelExpansion({len(self.points)} {sort} functions)"

    def _content(self) -> tuple[Any, ...]:
        arrays = (self.points, self.rates, self.coef)
        parts = tuple(array.tobytes() for array in arrays)
        return (*self.coordinates.content(), *parts, self.degree, self.offset)

    def at(self, coordinates: Array, n_threads: int = 1) -> Array:
        """Outputs on rows that are given by their coordinates."""
        out = np.empty(len(coordinates))
        across = np.ascontiguousarray(self.points.T)

        def fill(start: int, stop: int) -> None:
            part = coordinates[start:stop]
            shape = (self.degree, self.offset)
            clipped_sums(part, across, self.rates, self.coef, *shape, out[start:stop])

        run_rows(fill, len(out), n_threads, BLOCK)
        return out

    def negated(self) -> Self:
        """Negate the factors."""
        return replace(self, coef=-self.coef)

    def importances(self, n_features: int) -> Array:
        """Every coordinate counts alike in a distance or a product."""
        return self.coordinates.shares(np.ones(len(self.coordinates)), n_features)

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "kind": self.kind,
            **self.coordinates.to_dict(),
            "points": self.points.tolist(),
            "rates": self.rates.tolist(),
            "coef": self.coef.tolist(),
            "degree": self.degree,
            "offset": self.offset,
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Make an expansion from plain data."""
        coordinates = Coordinates.from_dict(data)
        rates, coef = read_numbers(data, "rates"), read_numbers(data, "coef")
        points = _read_points(data, len(coordinates))
        if not len(rates) == len(coef) == len(points) or not len(points):
            raise ValueError(
                f"points, rates, coef: got {len(points)}, {len(rates)} and {len(coef)} entries, "
                "expected equally many, at least one"
            )
        if (rates <= 0.0).any():
            raise ValueError("rates: expected numbers above 0")
        degree, offset = data.get("degree"), data.get("offset")
        if type(degree) is not int or not 0 <= degree <= HIGHEST_DEGREE:
            raise ValueError(f"degree: got {degree!r:.50}, expected 0 to {HIGHEST_DEGREE}")
        if not is_number(offset, 1e300):
            raise ValueError(f"offset: got {offset!r:.50}, expected a number")
        return cls(coordinates, points, rates, coef, degree, float(offset))  # type: ignore[arg-type]


def _read_points(data: dict[str, Any], width: int) -> Array:
    """Rows of finite numbers, as many in each as there are coordinates."""
    points = data.get("points")
    if not isinstance(points, list):
        raise ValueError("points: expected a list of lists of numbers")
    rows = [read_numbers({"points": point}, "points", 1e100) for point in points]
    if any(len(row) != width for row in rows):
        raise ValueError(f"points: expected {width} numbers in each")
    return np.array(rows, dtype=np.float64).reshape(len(rows), width)


def weighted_goals(dual: Array, sample: Sample) -> tuple[Array, Array]:
    """What least squares should fit, in [-1, 1], and how much each row counts, in sum one.

    With labels the signs of the weights, and their sizes; with targets residuals, and the prior.
    """
    prior = sample.prior
    if not sample.numeric:
        goal, counts = np.where(dual > 0.0, 1.0, -1.0), np.abs(dual)
        return goal, counts / counts.sum() if counts.sum() > 0.0 else prior
    residual = dual / (float(np.abs(dual).max()) or 1.0) / (prior / prior.max())
    return residual / (np.abs(residual).max() or 1.0), prior / prior.sum()


def drawn_rows(
    rows: Array, goal: Array, counts: Array, most: int, rng: np.random.Generator
) -> tuple[Array, Array, Array]:
    """Rows, goals and weights, or so many drawn by weight where there are more."""
    if len(rows) <= most:
        return rows, goal, counts
    times = rng.multinomial(most, counts / counts.sum())
    drawn = np.flatnonzero(times)
    return rows[drawn], goal[drawn], times[drawn] / most


def measured(hypothesis: Any, coordinates: Array, dual: Array, sample: Sample) -> Candidate:
    """Candidate with outputs and edge of a hypothesis, turned round where that is negative."""
    column = hypothesis.at(coordinates, sample.n_threads)
    edge = weighted_sum(dual, column)
    if edge < 0.0:
        hypothesis, column, edge = hypothesis.negated(), -column, -edge
    if (np.abs(column) == 1.0).all():
        column = column.astype(np.int8)
    return Candidate(hypothesis, float(edge), column)
