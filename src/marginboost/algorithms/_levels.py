"""The best combination of all stumps of a small sample, as a start for column generation."""

from __future__ import annotations

import numpy as np

from ..core.sample import Sample
from ..data import BinnedMatrix
from ..oracles.stumps import Stump
from ..solvers.level_program import can_be_levelled, solve_levels
from ..types import Array

FEWEST_ROWS, MOST_ROWS, MOST_FEATURES = 500, 2000, 4
"""Samples for which finding stumps one after the other is slower than the whole program."""
LEFT = 1e-6
"""Share of the coefficients that is worth giving away."""
TILT = 1e-6
"""Lead of a stump over its negative in a combination of both, so that votes have a sign."""


def few_levels(sample: Sample) -> bool:
    """Whether the program over all stumps of a sample is small."""
    bins = sample.bins
    if bins is None or bins.n_features > MOST_FEATURES:
        return False
    if not FEWEST_ROWS < bins.n_rows <= MOST_ROWS:
        return False
    return can_be_levelled(bins) and bool((bins.n_bins > 1).any())


def best_stumps(
    sample: Sample, caps: Array, seconds: float | None
) -> tuple[dict[Stump, float], Array]:
    """Stumps with coefficients of sum one that solve the ν-LP, and the weights that prove it.

    Where the best soft margin is zero, all or part of the coefficients have nothing to do. They go
    to the best stump under equal weights and to its negative, with a small lead for the stump.
    Raises :class:`~..solvers.masters.base.MasterError` where there is no solution in time.
    """
    bins = sample.bins
    assert bins is not None
    found = solve_levels(bins, sample.y, caps, seconds)
    coef: dict[Stump, float] = {}
    steps = zip(found.features.tolist(), found.cuts.tolist(), found.coef.tolist(), strict=True)
    for feature, cut, step in steps:
        coef[_stump(bins, feature, cut, step)] = abs(step)
    if abs(found.constant) > LEFT:
        side = float(np.sign(found.constant))
        first = int(np.argmax(bins.n_bins > 1))
        coef[Stump(first, float(bins.cuts[first][0]), side, side)] = abs(found.constant)
    rest = 1.0 - sum(coef.values())
    if rest > LEFT:
        best = _best_stump(bins, sample.y * sample.prior)
        for stump, share in ((best, 1.0 + TILT), (best.negated(), 1.0 - TILT)):
            coef[stump] = coef.get(stump, 0.0) + 0.5 * rest * share
    total = sum(coef.values())
    return {stump: weight / total for stump, weight in coef.items()}, found.weights


def _stump(bins: BinnedMatrix, feature: int, cut: int, sign: float) -> Stump:
    """Stump that is +1 to the right of a cut, or to the left if the sign is negative."""
    right = 1.0 if sign > 0.0 else -1.0
    return Stump(feature, float(bins.cuts[feature][cut]), -right, right)


def _best_stump(bins: BinnedMatrix, dual: Array) -> Stump:
    """Of stumps with two different sides, one of largest edge."""
    edges = []
    for codes, n_bins in zip(bins.codes, bins.n_bins.tolist(), strict=True):
        below = np.cumsum(np.bincount(codes, weights=dual, minlength=n_bins))
        edges.append(below[-1] - 2.0 * below[:-1])
    feature = int(np.argmax([np.abs(mine).max(initial=-1.0) for mine in edges]))
    cut = int(np.argmax(np.abs(edges[feature])))
    return _stump(bins, feature, cut, edges[feature][cut])
