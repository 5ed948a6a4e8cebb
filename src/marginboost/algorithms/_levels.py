"""Combinations of many stumps as a start for column generation, with weights that prove them.

Few features: the program over all stumps is solved whole. Many rows: weights are looked for under
which no stump has an edge, since bounds close slowly from above where the optimum is zero.
"""

from __future__ import annotations

import numpy as np

from ..core.sample import Sample
from ..data import BinnedMatrix
from ..oracles.stumps import Stump
from ..solvers.balanced_weights import balance
from ..solvers.level_program import can_be_levelled, solve_levels
from ..solvers.masters.problem import soft_margin
from ..types import Array

FEWEST_ROWS, MOST_ROWS, MOST_FEATURES = 500, 2000, 4
"""Samples for which finding stumps one after the other is slower than the whole program."""
MANY_ROWS = 100_000
"""Rows from which weights without edges are looked for."""
PIECES = 16
"""Levels of a feature in the function that comes with them."""
SHORTFALL = 1e-4
"""By how much the soft margin of a combination may miss zero, so that its votes mean something."""
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
    if found.constant:
        side = float(np.sign(found.constant))
        first = int(np.argmax(bins.n_bins > 1))
        coef[Stump(first, float(bins.cuts[first][0]), side, side)] = abs(found.constant)
    return _filled(bins, sample.y * sample.prior, coef), found.weights


def balanced_stumps(sample: Sample, nu: float) -> tuple[dict[Stump, float], Array] | None:
    """Stumps with coefficients of sum one and a soft margin of about zero, which is the best.

    With the weights that prove it; None where it is not. Votes are small, but in proportion to the
    additive function that the weights come from: rows are classified as by that.
    """
    bins = sample.bins
    if bins is None or bins.n_rows < MANY_ROWS or not can_be_levelled(bins):
        return None
    found = balance(bins, sample.y, sample.prior, nu)
    if found is None:
        return None
    coef: dict[Stump, float] = {}
    scores = np.zeros(bins.n_rows)
    for j, levels in enumerate(found.levels):
        for cut, step in _pieces(levels):
            stump = _stump(bins, j, cut, step)
            coef[stump] = abs(step)
            scores += abs(step) * column_of(bins, stump)
    total = sum(coef.values())
    value = soft_margin(sample.y * scores / (total or 1.0), sample.prior, nu)[0]
    share = min(1.0, SHORTFALL / max(-value, SHORTFALL)) / (total or 1.0)
    coef = {stump: share * weight for stump, weight in coef.items()}
    return _filled(bins, sample.y * sample.prior, coef), found.weights


def _pieces(levels: Array) -> list[tuple[int, float]]:
    """Cuts and half steps of a function of a few equal pieces that is near to given levels."""
    bounds = np.unique(np.linspace(0, len(levels), PIECES + 1).astype(int))
    means = np.add.reduceat(levels, bounds[:-1]) / np.diff(bounds)
    steps = zip((bounds[1:-1] - 1).tolist(), (np.diff(means) / 2.0).tolist(), strict=True)
    return [(cut, step) for cut, step in steps if step != 0.0]


def _filled(bins: BinnedMatrix, dual: Array, coef: dict[Stump, float]) -> dict[Stump, float]:
    """Give what coefficients lack of one to a stump and its negative, and make them sum to one."""
    coef = dict(coef)
    rest = 1.0 - sum(coef.values())
    if rest > LEFT:
        best = _best_stump(bins, dual)
        for stump, share in ((best, 1.0 + TILT), (best.negated(), 1.0 - TILT)):
            coef[stump] = coef.get(stump, 0.0) + 0.5 * rest * share
    total = sum(coef.values())
    return {stump: weight / total for stump, weight in coef.items()}


def column_of(bins: BinnedMatrix, stump: Stump) -> Array:
    """Outputs of a stump on rows without missing values, by their codes."""
    cut = int(np.searchsorted(bins.cuts[stump.feature], stump.threshold))
    left = bins.codes[stump.feature] <= cut
    return np.where(left, np.int8(stump.left), np.int8(stump.right))


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
