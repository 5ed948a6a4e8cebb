"""Sums of straight lines, one through each feature, as a hypothesis of two or more classes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from ..kernels.expansions import linear_scores
from ..types import Array
from .coordinates import Coordinates, InCoordinates, is_number, read_numbers


@dataclass(frozen=True, eq=False, repr=False)
class LinearScores(InCoordinates):
    """``w_l·z + b_l`` for every label l, in standardised coordinates z within ±limit.

    Outputs are in [-1, 1] on the rows it was made for. Beyond the limit a coordinate counts as if
    it were there, so that no value, however far out, decides alone.

    Parameters
    ----------
    coordinates : Coordinates
        From rows to z.
    weights : array (n_labels, n_coordinates)
        w; one line for a hypothesis of two classes, whose output is a single number.
    offsets : array (n_labels,)
        b.
    limit : float
        Largest size of a coordinate.
    """

    kind: ClassVar[str] = "linear_scores"
    keys: ClassVar[tuple[str, ...]] = (*Coordinates.KEYS, "weights", "offsets", "limit")

    weights: Array
    offsets: Array
    limit: float

    def __repr__(self) -> str:
        return f"LinearScores({len(self.coordinates)} coordinates, {len(self.offsets)} outputs)"

    def _content(self) -> tuple[Any, ...]:
        lines = self.weights.tobytes(), self.offsets.tobytes(), self.limit
        return (*self.coordinates.content(), *lines)

    @property
    def shape(self) -> tuple[int, ...]:
        """One output per label; of two classes a number."""
        return () if len(self.offsets) == 1 else (len(self.offsets),)

    def at(self, coordinates: Array, n_threads: int = 1) -> Array:
        """Outputs on rows that are given by their coordinates."""
        within = np.clip(coordinates, -self.limit, self.limit)
        out = np.empty((len(self.offsets), len(within)))
        for weights, offset, line in zip(self.weights, self.offsets, out, strict=True):
            linear_scores(within, weights, float(offset), line)
        return out[0] if self.shape == () else np.ascontiguousarray(out.T)

    def contributions(self, rows: Array, n_features: int) -> Array:
        """What each feature adds to each output (rows, features, outputs), offsets left out."""
        within = np.clip(self.coordinates(rows), -self.limit, self.limit)
        out = np.zeros((len(within), n_features, len(self.offsets)))
        for c, feature in enumerate(self.coordinates.features):
            out[:, feature] += within[:, c, None] * self.weights[:, c]
        return out

    def negated(self) -> Self:
        """Turn all outputs round."""
        return replace(self, weights=-self.weights, offsets=-self.offsets)

    def importances(self, n_features: int) -> Array:
        """By the sizes of w."""
        return self.coordinates.shares(np.abs(self.weights).sum(axis=0), n_features)

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        lines = {"weights": self.weights.tolist(), "offsets": self.offsets.tolist()}
        return {"kind": self.kind, **self.coordinates.to_dict(), **lines, "limit": self.limit}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Make the lines from plain data, checking every field."""
        coordinates, offsets = Coordinates.from_dict(data), read_numbers(data, "offsets", 1e100)
        lines, limit = data.get("weights"), data.get("limit")
        if len(offsets) not in (1, *range(3, 1 << 20)):
            raise ValueError(f"offsets: got {len(offsets)}, expected one, or one for each label")
        if not isinstance(lines, list) or len(lines) != len(offsets):
            raise ValueError(f"weights: expected {len(offsets)} lists of numbers")
        weights = [read_numbers({"weights": line}, "weights", 1e100) for line in lines]
        if any(len(line) != len(coordinates) for line in weights):
            raise ValueError(f"weights: expected {len(coordinates)} numbers for every output")
        if not is_number(limit, 1e6) or not limit > 0.0:  # type: ignore[operator]
            raise ValueError(f"limit: got {limit!r:.50}, expected a number above 0")
        table = np.array(weights, dtype=np.float64).reshape(len(offsets), len(coordinates))
        return cls(coordinates, table, offsets, float(limit))  # type: ignore[arg-type]
