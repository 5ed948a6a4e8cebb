"""Standardised coordinates of rows, for hypotheses that measure distances and directions."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, ClassVar, Self

import numpy as np

from ..core.hypothesis import Hypothesis, check_feature
from ..core.sample import Sample
from ..data import BinnedMatrix, Table
from ..types import Array

CONSTANT = 1e-12
"""Spread, relative to the largest value, up to which a feature counts as constant."""
FARTHEST = 1e6
"""Coordinates beyond this many standard deviations are taken as that."""
MOST_CATEGORIES = 20
"""Categories of one feature that have a coordinate: the most frequent ones."""


@dataclass(frozen=True, eq=False)
class Coordinates:
    """From a row to numbers of mean 0 and standard deviation 1.

    A numeric feature has one coordinate, a categorical one has an indicator for each of its
    categories. Features that are constant have none. A missing value has the mean, 0.

    Parameters
    ----------
    features : array of int64
        Feature of each coordinate.
    codes : array of int64
        Category that an indicator asks for, -1 of a number.
    means, scales : array
        A coordinate is ``(value - mean) * scale``.
    """

    features: Array
    codes: Array
    means: Array
    scales: Array

    KEYS: ClassVar[tuple[str, ...]] = ("features", "codes", "means", "scales")

    def __len__(self) -> int:
        return len(self.features)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Coordinates) and self.content() == other.content()

    def __hash__(self) -> int:
        return hash(self.content())

    def content(self) -> tuple[bytes, ...]:
        """All that tells these coordinates from others."""
        return tuple(getattr(self, name).tobytes() for name in self.KEYS)

    @classmethod
    def learn(cls, sample: Sample, reader: str) -> tuple[Self, Array]:
        """Coordinates of a sample, and its rows in them; ``reader`` names who asks."""
        rows = sample.rows
        if rows is None or isinstance(rows, BinnedMatrix):
            raise TypeError(
                f"{reader}: got a BinnedMatrix or no rows, expected raw rows: bins have no size"
            )
        dense = rows.dense(0, rows.n_rows)
        found = [spread for j in range(rows.n_features) for spread in _spreads(rows, dense, j)]
        scaled = [_scaled(entry, sample.prior) for entry in found]
        kept = [entry for entry in scaled if entry is not None]
        columns = list(zip(*kept, strict=True)) or [(), (), (), ()]
        types = (np.int64, np.int64, np.float64, np.float64)
        parts = (np.array(c, dtype=t) for c, t in zip(columns, types, strict=True))
        coordinates = cls(*parts)
        return coordinates, coordinates(dense)

    def __call__(self, rows: Array) -> Array:
        """Rows in these coordinates."""
        values = np.asarray(rows[:, self.features], dtype=np.float64)
        missing = np.isnan(values)
        indicators = self.codes >= 0
        if indicators.any():
            values[:, indicators] = values[:, indicators] == self.codes[indicators]
        with np.errstate(over="ignore"):
            values = np.clip((values - self.means) * self.scales, -FARTHEST, FARTHEST)
        values[missing] = 0.0
        return np.ascontiguousarray(values)

    def check_features(self, categories: Sequence[Array | None]) -> None:
        """Raise unless indicators ask for categories that there are, and others for numbers."""
        for feature, code in zip(self.features.tolist(), self.codes.tolist(), strict=True):
            check_feature(feature, categories)
            known = categories[feature]
            if code < 0 and known is not None:
                raise ValueError(f"feature {feature} is categorical and has no size")
            if code >= 0 and (known is None or code >= max(1, len(known))):
                raise ValueError(f"feature {feature} has no category {code}")

    def shares(self, sizes: Array, n_features: int) -> Array:
        """Share of each feature where coordinates count by these sizes."""
        share = np.bincount(self.features, weights=sizes, minlength=n_features).astype(float)
        return share / share.sum() if share.sum() > 0.0 else share

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {name: getattr(self, name).tolist() for name in self.KEYS}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Make coordinates from plain data."""
        features = read_integers(data, "features", 0)
        codes = read_integers(data, "codes", -1)
        means, scales = read_numbers(data, "means"), read_numbers(data, "scales")
        for name, values in (("codes", codes), ("means", means), ("scales", scales)):
            if len(values) != len(features):
                raise ValueError(f"{name}: got {len(values)} entries, expected {len(features)}")
        if (scales <= 0.0).any():
            raise ValueError("scales: expected numbers above 0")
        return cls(features, codes, means, scales)


@dataclass(frozen=True, eq=False)
class InCoordinates(Hypothesis):
    """A hypothesis that reads rows by their coordinates.

    Parameters
    ----------
    coordinates : Coordinates
        From rows to what it reads.
    """

    coordinates: Coordinates

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._content() == other._content()

    def __hash__(self) -> int:
        return hash(self._content())

    @abstractmethod
    def _content(self) -> tuple[Any, ...]:
        """All that tells it from others of its kind."""

    @abstractmethod
    def at(self, coordinates: Array, n_threads: int = 1) -> Array:
        """Outputs on rows that are given by their coordinates."""

    def __call__(self, rows: Array) -> Array:
        """Outputs on dense rows."""
        return self.at(self.coordinates(rows))

    @classmethod
    def voter(cls, members: Sequence[Self], coef: Array) -> Callable[[Array], Array]:
        """Members of one run share their coordinates, which are computed once."""
        known: dict[Coordinates, int] = {}
        systems = [known.setdefault(member.coordinates, len(known)) for member in members]

        def vote(rows: Array) -> Array:
            total = np.zeros((len(rows), *members[0].shape))
            read = [coordinates(rows) for coordinates in known]
            for weight, member, system in zip(coef, members, systems, strict=True):
                total += weight * member.at(read[system])
            return total

        return vote

    def check_features(self, categories: Sequence[Array | None]) -> None:
        """Its coordinates are those of the model's features."""
        self.coordinates.check_features(categories)


Entry = tuple[int, int, Array]
"""Feature, code, and values of the rows, NaN where missing."""


def _spreads(rows: Table, dense: Array, j: int) -> list[Entry]:
    """Values of a feature, or of the indicators of its most frequent categories."""
    values = dense[:, j].astype(np.float64)
    if rows.categories[j] is None:
        return [(j, -1, values)]
    missing = np.isnan(values)
    counts = np.bincount(values[~missing].astype(np.int64))
    frequent = np.sort(np.argsort(-counts, kind="stable")[:MOST_CATEGORIES])
    return [(j, int(c), np.where(missing, np.nan, values == c)) for c in frequent if counts[c]]


def _scaled(entry: Entry, prior: Array) -> tuple[int, int, float, float] | None:
    """Mean and scale of a coordinate; None where nothing varies."""
    feature, code, values = entry
    present = ~np.isnan(values)
    if not present.any():
        return None
    values, weights = values[present], prior[present]
    largest = float(np.abs(values).max())
    if largest == 0.0:
        return None
    shares = values / largest  # squares neither overflow nor vanish
    mean = float(np.average(shares, weights=weights))
    deviation = float(np.sqrt(np.average((shares - mean) ** 2, weights=weights)))
    if float(np.abs(shares - mean).max()) <= CONSTANT or deviation == 0.0:
        return None
    scale = 1.0 / deviation / largest
    return (feature, code, mean * largest, scale) if isfinite(scale) and scale > 0.0 else None


# -- plain data ------------------------------------------------------------------------------------


def read_numbers(data: dict[str, Any], name: str, largest: float = 1e300) -> Array:
    """List of finite numbers."""
    values = data.get(name)
    if not isinstance(values, list) or not all(is_number(v, largest) for v in values):
        raise ValueError(f"{name}: expected a list of numbers up to {largest:g}")
    return np.array(values, dtype=np.float64)


def read_integers(data: dict[str, Any], name: str, least: int) -> Array:
    """List of integers of at least this size."""
    values = data.get(name)
    good = isinstance(values, list) and all(type(v) is int and least <= v < 2**31 for v in values)
    if not good:
        raise ValueError(f"{name}: expected a list of integers, at least {least}")
    return np.array(values, dtype=np.int64)


def is_number(value: object, largest: float) -> bool:
    """Whether plain data is a finite number up to a size."""
    return type(value) in (int, float) and abs(value) <= largest  # type: ignore[arg-type]
