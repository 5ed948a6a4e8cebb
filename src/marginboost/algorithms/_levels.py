"""Combinations of many stumps as a start for column generation, with weights that prove them.

Few features: the program over all stumps is solved whole. Many rows: it is solved by descent in the
levels of one feature after the other, so far as that goes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..core.sample import Sample
from ..data import BinnedMatrix
from ..oracles.stumps import Stump
from ..solvers.level_descent import Additive, LevelDescent
from ..solvers.level_program import can_be_levelled, solve_levels
from ..solvers.masters.choice import INTERIOR_ROWS
from ..solvers.masters.tube import TubeProblem
from ..solvers.tube_descent import TubeDescent
from ..types import Array

FEWEST_ROWS, MOST_ROWS, MOST_FEATURES = 500, 2000, 4
"""Samples for which finding stumps one after the other is slower than the whole program."""
MANY_ROWS = 80_000
"""Rows from which descent in the levels of all features is the faster start."""
TOLERANCE, REACHED = 1e-3, 0.9
"""Gap at which it ends where none is given; else over the one given."""
NEAR_ZERO = 10.0
"""Soft margin, over the least that is worth having, up to which descent is tried in doubt."""
CLOSE, FEWER = 3.0, 10.0
"""Gap, over the one wanted, from which column generation goes on; how much more is then spared."""
SPARED = 0.03
"""Sum of the coefficients that are left out, over the gap: a margin changes by twice that."""
SHORTFALL = 1e-4
"""By how much the soft margin of a combination may miss zero, so that its votes mean something."""
LEFT = 1e-6
"""Share of the coefficients that is worth giving away."""
TILT = 1e-6
"""Lead of a stump over its negative in a combination of both, so that votes have a sign."""


class ProvenStumps(NamedTuple):
    """Stumps with coefficients, and the weights that prove how good their combination is."""

    coef: dict[Stump, float]
    weights: Array


def few_levels(sample: Sample) -> bool:
    """Whether the program over all stumps of a sample is small."""
    bins = sample.bins
    if bins is None or bins.n_features > MOST_FEATURES:
        return False
    return FEWEST_ROWS < bins.n_rows <= MOST_ROWS and can_descend(sample)


def best_stumps(sample: Sample, caps: Array, seconds: float | None) -> ProvenStumps:
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
        coef[_constant(bins, found.constant)] = abs(found.constant)
    return ProvenStumps(_filled(bins, sample.y * sample.prior, coef), found.weights)


def can_descend(sample: Sample) -> bool:
    """Whether stumps of a sample have levels to descend in: no missing values, no categories."""
    bins = sample.bins
    return bins is not None and can_be_levelled(bins) and bool((bins.n_bins > 1).any())


def descended_stumps(sample: Sample, nu: float, tol: float | None, rtol: float) -> ProvenStumps:
    """Stumps with coefficients of sum one that are near to the best, and weights that prove it.

    Where the best soft margin is zero and that of the stumps is less, part of the coefficients goes
    to a stump and its negative: votes are then small, but in proportion.
    """
    bins, tol = sample.bins, tol or TOLERANCE
    assert bins is not None
    descent = LevelDescent(bins, sample.y, sample.prior, nu, sample.n_threads)
    return _as_stumps(sample, descent.run(REACHED * tol, REACHED * rtol), tol)


def _as_stumps(sample: Sample, found: Additive, tol: float) -> ProvenStumps:
    """Stumps of an additive function, with coefficients of sum one, and the weights found."""
    bins = sample.bins
    assert bins is not None
    share = min(1.0, SHORTFALL / max(-found.lower, SHORTFALL))
    coef = _steps(bins, found.levels, share)
    if found.constant != 0.0:
        coef[_constant(bins, found.constant)] = share * abs(found.constant)
    largest = _largest(coef, SPARED * tol)
    return ProvenStumps(_filled(bins, sample.y * sample.prior, largest), found.weights)


def stumps_near_zero(sample: Sample, nu: float, least: float) -> ProvenStumps | None:
    """Stumps and weights that prove that the best soft margin is at most ``least``, or nearly.

    Stumps come with their negatives, so zero is always to be had: the weights have to bring the
    upper bound down to ``least``, or near to a soft margin that the stumps have. If it is only not
    far from there, column generation goes on, with fewer of the stumps. None where a combination
    has a much larger soft margin, and where descent ends far away.
    """
    bins = sample.bins
    assert bins is not None
    descent = LevelDescent(bins, sample.y, sample.prior, nu, sample.n_threads)
    found = descent.run(REACHED * least, enough=NEAR_ZERO * least)
    if found.upper <= least or found.upper - found.lower <= REACHED * least:
        return _as_stumps(sample, found, least)
    if found.upper - max(found.lower, 0.0) <= CLOSE * least:
        return _as_stumps(sample, found, FEWER * least)
    return None


def descended_tube(
    sample: Sample, problem: TubeProblem, tol: float, seconds: float | None
) -> ProvenStumps | None:
    """Stumps with coefficients near to the best of a regression, and weights that prove it.

    None where rows are few enough for a master that is exact, or stumps have a third side.
    """
    bins = sample.bins
    if bins is None or bins.n_rows <= INTERIOR_ROWS or not can_descend(sample):
        return None
    if problem.empty <= 0.0:
        return None
    found = TubeDescent(bins, problem, sample.n_threads).run(REACHED * tol, seconds)
    coef = _steps(bins, found.levels)
    return ProvenStumps(_largest(coef, SPARED * tol), found.weights) if coef else None


def _steps(bins: BinnedMatrix, levels: Sequence[Array], share: float = 1.0) -> dict[Stump, float]:
    """Stumps that add up to a share of these levels: one for every cut at which they change."""
    return {
        _stump(bins, j, cut, step): abs(step)
        for j, mine in enumerate(levels)
        for cut, step in enumerate((share * np.diff(mine) / 2.0).tolist())
        if step != 0.0
    }


def _largest(coef: dict[Stump, float], spared: float) -> dict[Stump, float]:
    """All but the smallest coefficients, whose sum may be so large: each stump is a column."""
    values = np.array(list(coef.values()))
    order = np.argsort(values, kind="stable")
    kept = np.ones(len(values), dtype=bool)
    kept[order[np.cumsum(values[order]) <= spared]] = False
    return {stump: value for (stump, value), keep in zip(coef.items(), kept, strict=True) if keep}


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


def answers_by_code(bins: BinnedMatrix, stumps: Sequence[Stump]) -> tuple[Array, Array]:
    """Features of stumps, and what they say of rows without missing values, by code."""
    features = np.array([stump.feature for stump in stumps])
    cuts = [np.searchsorted(bins.cuts[stump.feature], stump.threshold) for stump in stumps]
    left, right = np.array([(stump.left, stump.right) for stump in stumps]).T
    codes = np.arange(int(bins.n_bins.max()))
    answers = np.where(codes <= np.array(cuts)[:, None], left[:, None], right[:, None])
    return features, answers


def _stump(bins: BinnedMatrix, feature: int, cut: int, sign: float) -> Stump:
    """Stump that is +1 to the right of a cut, or to the left if the sign is negative."""
    right = 1.0 if sign > 0.0 else -1.0
    return Stump(feature, float(bins.cuts[feature][cut]), -right, right)


def _constant(bins: BinnedMatrix, sign: float) -> Stump:
    """Stump that says the same on both sides of a cut."""
    first, side = int(np.argmax(bins.n_bins > 1)), float(np.sign(sign))
    return Stump(first, float(bins.cuts[first][0]), side, side)


def _best_stump(bins: BinnedMatrix, dual: Array) -> Stump:
    """Of stumps with two different sides, one of largest edge."""
    edges = []
    for codes, n_bins in zip(bins.codes, bins.n_bins.tolist(), strict=True):
        below = np.cumsum(np.bincount(codes, weights=dual, minlength=n_bins))
        edges.append(below[-1] - 2.0 * below[:-1])
    feature = int(np.argmax([np.abs(mine).max(initial=-1.0) for mine in edges]))
    cut = int(np.argmax(np.abs(edges[feature])))
    return _stump(bins, feature, cut, edges[feature][cut])
