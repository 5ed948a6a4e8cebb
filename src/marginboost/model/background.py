"""Where the training rows of a model lie, feature by feature: what explanations are centred by.

A contribution means something only beside that of other rows. So a model that is a sum of functions
of one feature each keeps, for the features that it uses, how much of the training weight lies
between its cuts, and the range of the values: enough to make contributions of mean zero, to say how
much a feature moves the votes on average, and to draw where there are rows at all.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core.labels import LabelSample
from ..core.parts import PartedSample, Place
from ..core.sample import Sample
from ..core.weights import Weights
from ..data import BinnedMatrix, Table
from ..data.binned import column_ends
from ..kernels.exact import grid
from ..kernels.parallel import run_rows
from ..kernels.reference import step_function
from ..kernels.stumps import histograms_any, histograms_uint8
from ..oracles.stumps import StepFunction
from ..types import Array

STRIPES = 20
"""Parts of the range whose share of rows is kept, besides those between the model's own cuts."""


@dataclass(frozen=True, eq=False)
class Distribution:
    """Training rows along one feature.

    Attributes
    ----------
    low, high : float
        Smallest and largest value, NaN where there is none; of binned rows the outermost cuts.
    cuts : array
        Ascending; of a category one after each code.
    shares : array
        Share of the weight up to each cut and beyond the last, then that of missing values: two
        more than cuts, with sum one.
    """

    low: float
    high: float
    cuts: Array
    shares: Array

    def __post_init__(self) -> None:
        cuts, shares = self.cuts, self.shares
        if (np.diff(cuts) <= 0.0).any():
            raise ValueError("ascending cuts")
        if len(shares) != len(cuts) + 2 or (shares < 0.0).any() or abs(shares.sum() - 1.0) > 1e-6:
            raise ValueError(f"{len(cuts) + 2} shares of at least 0, with sum 1")

    def levels(self, step: StepFunction) -> Array:
        """Levels of a step function, one for each share."""
        ends = np.concatenate([self.cuts, [np.inf, np.nan]])
        return step_function(ends, step.thresholds, step.levels)

    def mean(self, step: StepFunction) -> float:
        """Mean of a step function over the rows."""
        return float(self.shares @ self.levels(step))

    def mean_size(self, step: StepFunction) -> float:
        """Mean absolute value of a step function over the rows."""
        return float(self.shares @ np.abs(self.levels(step)))

    def density(self) -> tuple[Array, Array]:
        """Ends of stripes along the feature, and how dense rows lie in each: 1 where densest."""
        if not self.low < self.high:
            return np.empty(0), np.empty(0)
        inner = self.cuts[(self.cuts > self.low) & (self.cuts < self.high)]
        ends = np.concatenate([[self.low], inner, [self.high]])
        first = int(np.searchsorted(self.cuts, self.low, side="right"))
        with np.errstate(over="ignore"):
            dense = self.shares[first : first + len(inner) + 1] / np.diff(ends)
        return ends, dense / (dense.max() or 1.0)


Background = dict[int, Distribution]
"""Distributions of the features that a model uses, by number."""


def background_of(steps: list[StepFunction], sample: Sample) -> Background:
    """Where the rows of a sample lie, along the features of step functions."""
    bins, features = sample.bins, [step.feature for step in steps]
    if bins is None or len(_row_prior(sample)) != bins.n_rows:
        return {}
    if sample.parts is None:
        masses = prior_by_bin(Place(sample, Weights(np.empty(0))), features)
    else:
        found = sample.parts.each(prior_by_bin, features)
        masses = [np.sum(mine, axis=0) for mine in zip(*found, strict=True)]
    pairs = zip(steps, masses, strict=True)
    return {step.feature: _distribution(step, bins, sample, mass) for step, mass in pairs}


def prior_by_bin(place: Place, features: list[int]) -> list[Array]:
    """Prior weight in each bin of some features, rounded so that all sums are exact."""
    bins, prior = place.sample.bins, _row_prior(place.sample)
    assert bins is not None
    codes, n_bins = bins.codes, bins.n_bins
    narrow = codes.dtype == np.uint8
    shape = len(features), 256 if narrow else int(n_bins.max()) + 1
    kernel = histograms_uint8 if narrow else histograms_any

    def count(start: int, stop: int) -> Array:
        found = np.empty(shape)
        kernel(codes[:, start:stop][features], grid(prior[start:stop]), found)
        return found

    masses = np.sum(run_rows(count, len(prior), place.sample.n_threads), axis=0)
    return [mass[: n_bins[j] + 1] for mass, j in zip(masses, features, strict=True)]


def _row_prior(sample: Sample) -> Array:
    """Prior weights of the examples, which may have several rows in the sample."""
    return sample.example_prior if isinstance(sample, LabelSample) else sample.prior


def _distribution(
    step: StepFunction, bins: BinnedMatrix, sample: Sample, mass: Array
) -> Distribution:
    j = step.feature
    mass = mass / mass.sum()
    known = bins.categories[j]
    if known is not None:
        codes = np.arange(max(1, len(known)))  # a cut after each, as step functions have them
        return Distribution(0.0, float(codes[-1]), codes + 0.5, np.insert(mass, -1, 0.0))
    low, high = _ends(j, bins, sample)
    cuts = bins.cuts[j]
    kept = np.union1d(step.thresholds, _stripes(cuts, low, high))
    # A bin belongs to the first cut that is not below its own upper end.
    place = np.searchsorted(kept, np.append(cuts, np.inf), side="left")
    shares = np.bincount(place, mass[:-1], minlength=len(kept) + 1)
    return Distribution(low, high, kept, np.append(shares, mass[-1]))


def _ends(j: int, bins: BinnedMatrix, sample: Sample) -> tuple[float, float]:
    """Smallest and largest value of a feature; of binned rows the outermost cuts."""
    if isinstance(sample, PartedSample) and sample.ends is not None:
        return float(sample.ends[j, 0]), float(sample.ends[j, 1])
    if isinstance(sample.rows, Table):
        return column_ends(sample.rows, bins, j)
    cuts = bins.cuts[j]
    return (float(cuts[0]), float(cuts[-1])) if len(cuts) else (float("nan"), float("nan"))


def _stripes(cuts: Array, low: float, high: float) -> Array:
    """About evenly spaced cuts, some of those that there are."""
    if not len(cuts) or not low < high:
        return np.empty(0)
    parts = np.arange(1, STRIPES) / STRIPES
    wanted = low * (1.0 - parts) + high * parts
    places = np.minimum(np.searchsorted(cuts, wanted), len(cuts) - 1)  # ascending
    return cuts[places[np.append(True, places[1:] != places[:-1])]]
