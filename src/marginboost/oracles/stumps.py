"""Decision stumps: one feature, one cut, a label on each side (SF-B1, LB-A1, CH-B1, Barnes B1).

Over all features, all cuts and both polarities the stump of largest edge is found exactly. With g
the signed weights and a cut that sends rows left or right, the best labels are the signs of the two
sums, so the edge is ``|Σ_left g| + |Σ_right g|``: one histogram and one scan a feature. Missing
values are a third side with a label of their own. Ties go to the lowest feature, then the lowest
cut. Equal values are never separated.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from ..core.hypothesis import Hypothesis
from ..core.oracle import Candidate, Oracle, Reweighting
from ..core.types import Array
from ..kernels.scores import add_narrow_step_functions, add_step_function
from ..kernels.search import NARROW, pad_narrow
from ..kernels.stumps import (
    CATEGORY,
    PARTITION,
    THRESHOLD,
    best_splits,
    lookup_column,
    threshold_column,
)
from ..kernels.threads import run_rows
from ..kernels.ties import TIE, resolution
from ..kernels.weights import weighted_sum
from .histograms import WeightHistograms


@dataclass(frozen=True, slots=True)
class Stump(Hypothesis):
    """``left`` where the feature is at most the threshold, else ``right``, ``missing`` for NaN.

    With ``categories`` the question is instead whether the feature's code is among them. A feature
    that had no missing value in training abstains (0) on one.
    """

    kind: ClassVar[str] = "stump"
    keys: ClassVar[tuple[str, ...]] = ("feature", "threshold", "labels", "categories")

    feature: int
    threshold: float
    left: float
    right: float
    missing: float = 0.0
    categories: tuple[int, ...] | None = None

    def __call__(self, rows: Array) -> Array:
        """Outputs on dense rows."""
        return self.outputs(rows[:, self.feature])

    def outputs(self, values: Array) -> Array:
        """Outputs for values of its feature."""
        if self.categories is None:
            is_left = values <= self.threshold
        else:
            is_left = np.isin(values, self.categories)
        sides = np.where(is_left, self.left, self.right)
        return np.where(np.isnan(values), self.missing, sides)

    def negated(self) -> Stump:
        """Swap the labels."""
        return Stump(
            self.feature, self.threshold, -self.left, -self.right, -self.missing, self.categories
        )

    def cuts(self) -> list[tuple[int, float]]:
        """Its one cut; none for categories."""
        return [] if self.categories is not None else [(self.feature, self.threshold)]

    def importances(self, n_features: int) -> Array:
        """All on its feature; nothing for a constant."""
        share = np.zeros(n_features)
        share[self.feature] = float(self.left != self.right or self.missing not in (0, self.left))
        return share

    @classmethod
    def voter(cls, members: Sequence[Self], coef: Array) -> Callable[[Array], Array]:
        """One step function a feature: the cost does not grow with the number of stumps."""
        steps = step_functions(members, coef)
        narrow = [step for step in steps if len(step.thresholds) <= NARROW]
        wide = [step for step in steps if len(step.thresholds) > NARROW]
        features = np.array([step.feature for step in narrow], dtype=np.int64)
        thresholds = np.array([pad_narrow(s.thresholds) for s in narrow]).reshape(-1, NARROW)
        levels = np.zeros((len(narrow), NARROW + 2))
        for row, step in zip(levels, narrow, strict=True):
            row[: len(step.levels) - 1], row[-1] = step.levels[:-1], step.levels[-1]

        def vote(rows: Array) -> Array:
            total = np.zeros(len(rows))
            add_narrow_step_functions(rows, features, thresholds, levels, total)
            for step in wide:
                add_step_function(rows[:, step.feature], step.thresholds, step.levels, total)
            return total

        return vote

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        data: dict[str, Any] = {
            "kind": self.kind,
            "feature": self.feature,
            "threshold": self.threshold if np.isfinite(self.threshold) else None,
            "labels": [self.left, self.right, self.missing],
        }
        if self.categories is not None:
            data["categories"] = list(self.categories)
        return data

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Make a stump from plain data, checking every field."""
        feature, threshold = data.get("feature"), data.get("threshold")
        labels, categories = data.get("labels"), data.get("categories")
        if type(feature) is not int or feature < 0:
            raise ValueError(f"stump feature: got {feature!r}, expected an integer >= 0")
        if threshold is not None and not (
            isinstance(threshold, int | float) and np.isfinite(threshold)
        ):
            raise ValueError(f"stump threshold: got {threshold!r}, expected a finite number")
        if (
            not isinstance(labels, list)
            or len(labels) != 3
            or not all(type(v) in (int, float) and -1 <= v <= 1 for v in labels)
        ):
            raise ValueError(f"stump labels: got {labels!r}, expected three numbers in [-1, 1]")
        if categories is not None and not (
            isinstance(categories, list) and all(type(c) is int and c >= 0 for c in categories)
        ):
            raise ValueError(f"stump categories: got {categories!r}, expected integers >= 0")
        left, right, missing = (float(v) for v in labels)
        cut = np.inf if threshold is None else float(threshold)
        return cls(
            feature, cut, left, right, missing, None if categories is None else tuple(categories)
        )


@dataclass(frozen=True)
class StepFunction:
    """A feature's whole contribution: ``levels[k]`` right of k thresholds, the last for NaN."""

    feature: int
    thresholds: Array
    levels: Array


def step_functions(stumps: Sequence[Stump], coef: Array) -> list[StepFunction]:
    """Sum stumps feature by feature; the score of a row is the sum of one level a feature.

    A categorical feature becomes a step function of its codes, with a cut after each code.
    """
    steps = []
    for feature in sorted({stump.feature for stump in stumps}):
        mine = [(s, float(a)) for s, a in zip(stumps, coef, strict=True) if s.feature == feature]
        cuts = {s.threshold for s, _ in mine if s.categories is None and np.isfinite(s.threshold)}
        named = [code for s, _ in mine if s.categories is not None for code in s.categories]
        if named:
            cuts |= {code + 0.5 for code in range(max(named) + 1)}
        thresholds = np.array(sorted(cuts))
        # One point inside each piece is enough to know the level of the piece; the last is NaN.
        points = np.concatenate([thresholds, [np.inf, np.nan]])
        if named:
            points[: len(thresholds)] = np.arange(len(thresholds))
        levels = np.zeros(len(points))
        for stump, weight in mine:
            levels += weight * stump.outputs(points)
        steps.append(StepFunction(feature, thresholds, levels))
    return steps


class StumpOracle(Oracle):
    """The stump of largest edge, exactly.

    Parameters
    ----------
    categorical : {"equality", "partition"}
        How a categorical feature is split: one category against the rest, or the best partition of
        all categories in two sets (larger edges, and more room to overfit).
    """

    exact = True
    needs_bins = True
    class_name = "stumps with cuts between the bins"

    def __init__(self, categorical: str = "equality") -> None:
        self.categorical = categorical

    def prepare(self) -> None:
        """Lay out the histograms."""
        bins = self.sample.bins
        if bins is None:
            raise ValueError("StumpOracle: the sample has no binned rows")
        if self.categorical not in ("equality", "partition"):
            raise ValueError(
                f"categorical: got {self.categorical!r}, expected 'equality' or 'partition'"
            )
        self._bins = bins
        split = CATEGORY if self.categorical == "equality" else PARTITION
        self._kinds = np.array([THRESHOLD if c is None else split for c in bins.categories])
        self._histograms = WeightHistograms(bins, self.sample.n_threads)
        self._scores = np.zeros(bins.n_features)
        self._cuts = np.zeros(bins.n_features, dtype=np.int64)

    def hint(self, change: Reweighting | None) -> None:
        """Follow the weights instead of reading all rows again."""
        self._histograms.expect(change)

    def best(self, dual: Array, k: int = 1, *, round: int = 1) -> list[Candidate]:
        """The ``k`` best stumps, at most one a feature."""
        histograms = self._histograms.update(dual)
        best_splits(histograms, self._bins.n_bins, self._kinds, self._scores, self._cuts)
        scores = self._scores.copy()
        order: list[int] = []
        for _ in range(min(k, len(scores))):
            most = float(scores.max())
            order.append(int(np.argmax(scores > most - resolution(most))))
            scores[order[-1]] = -np.inf
        found = [self._candidate(j, dual) for j in order]
        self._histograms.remember(found[0])
        return found

    def _candidate(self, j: int, dual: Array) -> Candidate:
        """The stump that the histogram says is best for a feature, with its column.

        The edge is measured on the column, so that its bits do not depend on how the histogram came
        about: a resumed run makes it anew where an uninterrupted one follows it.
        """
        bins, cut = self._bins, int(self._cuts[j])
        n_bins = int(bins.n_bins[j])
        histogram = self._histograms.signed[j, : n_bins + 1]
        missing = _label(histogram[n_bins]) if bins.has_missing[j] else 0.0
        column = np.empty(bins.n_rows, dtype=np.int8)
        if self._kinds[j] == THRESHOLD:
            left, right = histogram[: cut + 1].sum(), histogram[cut + 1 : -1].sum()
            labels = (_label(left), _label(right if n_bins > 1 else left))
            threshold = float(bins.edges[j][cut]) if n_bins > 1 else np.inf
            stump = Stump(j, threshold, *labels, missing)
            sides = np.array([*labels, missing], dtype=np.int8)
        else:
            stump, sides = self._category_stump(j, cut, histogram, missing)

        def fill(start: int, stop: int) -> float:
            part = slice(start, stop)
            if self._kinds[j] == THRESHOLD:
                threshold_column(bins.codes[j, part], cut, sides, n_bins, column[part])
            else:
                lookup_column(bins.codes[j, part], sides, column[part])
            return weighted_sum(dual[part], column[part])

        edge = math.fsum(run_rows(fill, bins.n_rows, self._histograms.n_threads))
        return Candidate(stump, edge, column)

    def _category_stump(
        self, j: int, chosen: int, histogram: Array, missing: float
    ) -> tuple[Stump, Array]:
        values = histogram[:-1]
        if self._kinds[j] == CATEGORY:
            one, rest = _label(values[chosen]), _label(values.sum() - values[chosen])
            stump = Stump(j, np.inf, one, rest, missing, (chosen,))
        else:
            positive = tuple(int(c) for c in np.flatnonzero(values > -TIE))
            stump = Stump(j, np.inf, 1.0, -1.0, missing, positive)
        codes = np.append(np.arange(float(len(values))), np.nan)
        return stump, stump.outputs(codes).astype(np.int8)


def _label(weight: float) -> float:
    """Sign of a side; one whose weights cancel, up to rounding, is positive (X01)."""
    return 1.0 if weight > -TIE else -1.0
