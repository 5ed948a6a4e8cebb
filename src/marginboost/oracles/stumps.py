"""Decision stumps: one feature, one cut, an output on each side (SF-B1, LB-A1, CH-B1, BA-B1).

Over all features, all cuts and both polarities the stump of largest edge is found exactly. With g
the signed weights and a cut that sends rows left or right, the best outputs are the signs of the
two sums, so the edge is ``|Σ_left g| + |Σ_right g|``: one histogram and one scan per feature.
Missing values are a third side with an output of their own. Ties go to the lowest feature, then the
lowest cut. Equal values are never separated.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from ..core.hypothesis import Hypothesis, check_split
from ..core.oracle import Candidate, Oracle
from ..core.parts import ColumnOnParts, Place, add_hypothesis, lays_out
from ..core.weights import Reweighting, Weights
from ..kernels.binning import BYTE_CUTS
from ..kernels.exact import bound_of, column_sum, rounded
from ..kernels.parallel import run_rows
from ..kernels.predict import add_steps, lay_cells, sum_stumps
from ..kernels.stumps import (
    CATEGORY,
    PARTITION,
    THRESHOLD,
    best_splits,
    first_of_best,
    largest_size,
    lookup_column,
    threshold_column,
)
from ..kernels.ties import TIE
from ..types import Array
from ..validation import Constraints, Number
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
        """Change the sign of all outputs."""
        return Stump(
            self.feature, self.threshold, -self.left, -self.right, -self.missing, self.categories
        )

    def with_features(self, features: Array) -> Stump:
        """Same question to a feature of a wider table."""
        return replace(self, feature=int(features[self.feature]))

    def cuts(self) -> list[tuple[int, float]]:
        """Its one cut; none for categories."""
        return [] if self.categories is not None else [(self.feature, self.threshold)]

    def check_features(self, categories: Sequence[Array | None]) -> None:
        """Its split suits the feature."""
        check_split(self.feature, self.threshold, self.categories or (), categories)

    def importances(self, n_features: int) -> Array:
        """All on its feature; nothing for a constant."""
        share = np.zeros(n_features)
        share[self.feature] = float(self.left != self.right or self.missing not in (0, self.left))
        return share

    @classmethod
    def voter(cls, members: Sequence[Self], coef: Array) -> Callable[[Array], Array]:
        """One step function per feature: the cost does not grow with the number of stumps."""
        steps = in_order_of_prediction(step_functions(members, coef))
        features = np.array([step.feature for step in steps], dtype=np.int64)
        width = int(features.max(initial=-1)) + 1
        cells = lay_cells(features, [step.thresholds for step in steps])
        levels = np.concatenate([np.empty(0), *(step.levels for step in steps)])

        def vote(rows: Array) -> Array:
            if rows.shape[1] < width:  # the kernel does not check
                raise ValueError(f"a stump reads {width} features, the rows have {rows.shape[1]}")
            total = np.zeros(len(rows))
            add_steps(rows, cells, levels, total)
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
    """Sum stumps feature by feature; the score of a row is the sum of one level per feature.

    A categorical feature becomes a step function of its codes, with a cut after each code.
    """
    named: dict[int, list[int]] = {s.feature: [] for s in stumps if s.categories is not None}
    numeric: list[int] = []
    for t, stump in enumerate(stumps):
        named.get(stump.feature, numeric).append(t)
    steps = _threshold_steps([stumps[t] for t in numeric], np.asarray(coef)[numeric])
    for feature, places in named.items():
        steps.append(_category_step(feature, [(stumps[t], float(coef[t])) for t in places]))
    return sorted(steps, key=lambda step: step.feature)


def in_order_of_prediction(steps: list[StepFunction]) -> list[StepFunction]:
    """Sums round, so features are added in one order: those with many cuts come last."""
    return sorted(steps, key=lambda step: len(step.thresholds) > BYTE_CUTS)


def _threshold_steps(stumps: Sequence[Stump], coef: Array) -> list[StepFunction]:
    """Step functions of features that are compared with thresholds."""
    if not stumps:
        return []
    outputs = np.array([(s.left, s.right, s.missing) for s in stumps])
    thresholds = np.array([s.threshold for s in stumps])
    features, steps = np.unique([s.feature for s in stumps], return_inverse=True)
    order = np.lexsort((thresholds, steps))
    sorted_steps, cuts = steps[order], thresholds[order]
    new = np.append(True, (np.diff(sorted_steps) != 0) | (cuts[1:] != cuts[:-1]))
    new &= np.isfinite(cuts)
    cuts = cuts[new]
    starts = np.searchsorted(sorted_steps[new], np.arange(len(features) + 1))
    levels = sum_stumps(steps, thresholds, outputs, coef, cuts, starts)
    return [
        StepFunction(feature, cuts[first:last], levels[first + 2 * j : last + 2 * j + 2])
        for j, (feature, first, last) in enumerate(
            zip(features.tolist(), starts[:-1].tolist(), starts[1:].tolist(), strict=True)
        )
    ]


def _category_step(feature: int, stumps: list[tuple[Stump, float]]) -> StepFunction:
    """Step function of a feature's codes, from stumps and their coefficients."""
    codes = [code for stump, _ in stumps for code in stump.categories or ()]
    n_codes = max(codes, default=-1) + 1
    points = np.append(np.arange(float(n_codes)), [np.inf, np.nan])
    levels = np.zeros(len(points))
    for stump, weight in stumps:
        levels += weight * stump.outputs(points)
    return StepFunction(feature, np.arange(n_codes) + 0.5, levels)


class StumpOracle(Oracle):
    """The stump of largest edge, exactly.

    Parameters
    ----------
    categorical : {"equality", "partition"}
        How a categorical feature is split: one category against the rest, or the best partition of
        all categories in two sets (larger edges, and more room to overfit).
    cuts_per_feature : int
        Stumps of one feature offered in a round, where a rule asks for several: the best one, and
        further cuts at which the edge is larger than at those next to it. A rule that gives all
        hypotheses new coefficients takes fewer rounds with several.
    """

    saved = True
    exact = True
    needs_bins = True
    on_parts = True
    class_name = "stumps with cuts between the bins"
    __constraints__: ClassVar[Constraints] = {
        "categorical": ("equality", "partition"),
        "cuts_per_feature": Number(at_least=1, integer=True),
    }

    def __init__(self, categorical: str = "equality", cuts_per_feature: int = 1) -> None:
        self.categorical = categorical
        self.cuts_per_feature = cuts_per_feature

    def check_asked(self, n_columns: int) -> None:
        """Raise for several cuts where a rule takes one stump in a round."""
        if n_columns == 1 and self.cuts_per_feature > 1:
            raise ValueError(
                f"cuts_per_feature: got {self.cuts_per_feature}, which has no effect with an "
                "algorithm that takes one hypothesis in a round: leave it at 1"
            )

    def prepare(self) -> None:
        """Lay out the histograms."""
        bins = self.sample.bins
        if bins is None:
            raise ValueError("StumpOracle: the sample has no binned rows")
        self._bins = bins
        split = CATEGORY if self.categorical == "equality" else PARTITION
        self._kinds = np.array([THRESHOLD if c is None else split for c in bins.categories])
        self._scores = np.zeros(bins.n_features)
        self._cuts = np.zeros(bins.n_features, dtype=np.int64)
        self._n_found = 0
        self.ask(self.place.weights, lay_out_histograms)

    def find(self, weights: Weights, k: int, round: int) -> list[Candidate]:
        """The ``k`` best stumps, the best of each feature and further cuts if there is room."""
        if self.sample.parts is not None:
            self.sample.parts.foresee(add_hypothesis, sum_weights, partial(_foreseen, weights))
        answers = self.ask(weights, sum_weights, weights.change)
        histograms = answers[0][0]
        for more, _ in answers[1:]:
            histograms = histograms + more
        bound = bound_of(max(largest for _, largest in answers))
        best_splits(histograms, self._bins.n_bins, self._kinds, self._scores, self._cuts)
        scores = self._scores.copy() if k > 1 else self._scores
        order: list[tuple[int, int]] = []
        for _ in range(min(k, len(scores))):
            j = first_of_best(scores)
            order.append((j, int(self._cuts[j])))
            if k > 1:
                scores[j] = -np.inf
        if self.cuts_per_feature > 1:
            order = self._with_more_cuts(order, histograms)[:k]
        # The best is written last.
        splits = [self._split(j, cut, histograms[j]) for j, cut in reversed(order)]
        return self._write(weights, splits, bound)[::-1]

    def _with_more_cuts(self, order: list[tuple[int, int]], histograms: Array) -> list[Any]:
        """The best stump, then those of all features and their further cuts, by their edges."""
        edges = [float(self._scores[j]) for j, _ in order]
        more = list(order)
        for j, best in order:
            n_bins = int(self._bins.n_bins[j])
            if self._kinds[j] != THRESHOLD or n_bins < 3:
                continue
            left = np.cumsum(histograms[j][: n_bins - 1])
            right = histograms[j][:n_bins].sum() - left
            sums = np.abs(left) + np.abs(right) + abs(histograms[j][n_bins])
            peaks = (sums >= np.append(0.0, sums[:-1])) & (sums > np.append(sums[1:], 0.0))
            peaks[best] = False
            cuts = np.flatnonzero(peaks)
            cuts = cuts[np.argsort(-sums[cuts], kind="stable")][: self.cuts_per_feature - 1]
            more += [(j, int(cut)) for cut in cuts]
            edges += sums[cuts].tolist()
        rest = 1 + np.argsort(-np.array(edges[1:]), kind="stable")
        return [more[0], *(more[i] for i in rest)]

    def _write(self, weights: Weights, splits: list[Split], bound: int) -> list[Candidate]:
        """Have the outputs of stumps written.

        Edges are measured on them, so that their bits do not depend on how the histograms came
        about: a resumed run makes them anew where an uninterrupted one updates them.
        """
        numbers = range(self._n_found + 1, self._n_found + 1 + len(splits))
        self._n_found += len(splits)
        shares = self.ask(weights, write_columns, list(zip(numbers, splits, strict=True)), bound)
        here = self.place.columns if self.sample.parts is None else None
        found = []
        for number, split, edges in zip(numbers, splits, zip(*shares, strict=True), strict=True):
            column: Any = ColumnOnParts(number, np.dtype(np.int8)) if here is None else here[number]
            found.append(Candidate(split.stump, rounded(sum(edges)), column))
        return found

    def _split(self, j: int, cut: int, histogram: Array) -> Split:
        """The stump that the histogram says is best for a feature."""
        bins = self._bins
        n_bins = int(bins.n_bins[j])
        histogram = histogram[: n_bins + 1]
        missing = _sign(histogram[n_bins]) if bins.has_missing[j] else 0.0
        if self._kinds[j] == THRESHOLD:
            left = np.add.reduce(histogram[: cut + 1])  # the sum, without NumPy's ceremony
            right = np.add.reduce(histogram[cut + 1 : -1])
            outputs = (_sign(left), _sign(right if n_bins > 1 else left))
            threshold = float(bins.cuts[j][cut]) if n_bins > 1 else np.inf
            stump = Stump(j, threshold, *outputs, missing)
            sides = np.array([*outputs, missing], dtype=np.int8)
        else:
            stump, sides = self._category_stump(j, cut, histogram, missing)
            cut = -1
        return Split(stump, cut, sides)

    def _category_stump(
        self, j: int, chosen: int, histogram: Array, missing: float
    ) -> tuple[Stump, Array]:
        values = histogram[:-1]
        if self._kinds[j] == CATEGORY:
            one, rest = _sign(values[chosen]), _sign(values.sum() - values[chosen])
            stump = Stump(j, np.inf, one, rest, missing, (chosen,))
        else:
            positive = tuple(int(c) for c in np.flatnonzero(values > -TIE))
            stump = Stump(j, np.inf, 1.0, -1.0, missing, positive)
        codes = np.append(np.arange(float(len(values))), np.nan)
        return stump, stump.outputs(codes).astype(np.int8)


def _foreseen(weights: Weights) -> tuple[Reweighting] | None:
    """What the next question about sums is about, if the rule said how weights will change."""
    return None if weights.change is None else (weights.change,)


def _sign(weight: float) -> float:
    """Output of a side; one whose weights cancel, up to rounding, is positive (R1-X01)."""
    return 1.0 if weight > -TIE else -1.0


# -- questions to parts ----------------------------------------------------------------------------


class Split(NamedTuple):
    """A stump, by codes.

    Attributes
    ----------
    stump : Stump
        The rule on values.
    cut : int
        The last code on the left; -1 where each code has an output of its own.
    sides : array of int8
        Outputs left and right of the cut and of missing values, or those of all codes.
    """

    stump: Stump
    cut: int
    sides: Array


@lays_out
def lay_out_histograms(place: Place) -> None:
    """Make room for sums of weight by bin."""
    bins = place.sample.bins
    assert bins is not None
    place.learner = WeightHistograms(bins, place.sample.n_threads)


def sum_weights(place: Place, change: Reweighting | None) -> tuple[Array, float]:
    """Signed weight by feature and bin, and the largest weight in size."""
    dual = place.dual
    column = None if change is None else place.column(change.candidate)
    histograms = place.learner.update(dual, change, column)

    def largest(start: int, stop: int) -> float:
        return largest_size(dual[start:stop])

    return histograms, max(run_rows(largest, len(dual), place.sample.n_threads))


def write_columns(place: Place, splits: list[tuple[int, Split]], bound: int) -> list[int]:
    """Write the outputs of stumps under numbers, others are forgotten; returns the exact edges.

    The next change of the weights may be about the stump written last.
    """
    place.columns = {}
    return [write_column(place, number, split, bound) for number, split in splits]


def write_column(place: Place, number: int, split: Split, bound: int) -> int:
    """Write the outputs of one stump; returns its exact edge."""
    bins, dual, j, cut, sides = place.sample.bins, place.dual, split.stump.feature, *split[1:]
    assert bins is not None
    codes, n_bins = bins.codes[j], int(bins.n_bins[j])
    column = np.empty(len(dual), dtype=np.int8)

    def fill(start: int, stop: int) -> int:
        here = slice(start, stop)
        if cut < 0:
            lookup_column(codes[here], sides, column[here])
        else:
            threshold_column(codes[here], cut, sides, n_bins, column[here])
        return column_sum(dual[here], column[here], bound)

    place.columns[number] = column
    place.learner.remember(column)
    return sum(run_rows(fill, len(dual), place.sample.n_threads))
