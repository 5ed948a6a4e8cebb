"""How far off right targets are: from residuals, most of them right, to p-values and probabilities.

Right targets have residuals of Student's distribution, of unknown width and tails; wrong ones are
far out, of unknown number and size. How likely each width, tail, share and size are is found by
Bayes' rule from the outer half of all residuals; the p-value of a residual is averaged over
that. Few rows say little about tails, and then heavy ones count: a residual needs to be far beyond
the bulk to be suspect. From the density of all p-values, estimated under the one assumption that it
falls, follows the probability π₀ / f(p) that a target is right: the local false-discovery rate.

References: Efron 2004 (empirical null, local false-discovery rate); Grenander 1956; Storey 2002.
"""

from __future__ import annotations

import numpy as np
from scipy import special, stats

from ..types import Array

TAILS = np.linspace(0.02, 0.5, 13)
"""Tails looked through: one over the degrees of freedom, from nearly normal to very heavy."""
USUAL_TAIL, TAIL_SPREAD = 0.15, 0.1
"""What is known of them before any residual is seen: out-of-fold residuals of regressions on real
tables have three to ten degrees of freedom."""
WIDTHS = np.exp(np.linspace(-0.45, 0.45, 13))
"""Widths looked through, as multiples of the one that the median has."""
RATES = np.append(0.0, np.geomspace(5e-4, 0.3, 10))
"""Shares of wrong targets."""
FAR = (1.0, 2.0, 4.0, 8.0)
"""Sizes of wrong residuals, as multiples of those that targets of other rows would have."""
WRONG_FREEDOM = 2.0
"""Degrees of freedom of wrong residuals: few, for they may have any size."""
NEAREST_WRONG = 7.0
"""Medians of all sizes below which no residual counts as wrong: it could not be told from others,
and wrong ones that reach into the bulk would make its tails look light."""
READ = 0.5
"""Quantile of the sizes above which they are read one by one: the bulk says little on tails."""
FINENESS = 50
"""Sizes are rounded to a fiftieth of their logarithm, so that a million are as few hundred."""


def null_p_values(z: Array, wrong_size: float) -> tuple[Array, float]:
    """Chance of residuals of at least each size if all targets were right; share that are not.

    Parameters
    ----------
    z : array
        Residuals in units of their usual size.
    wrong_size : float
        Median size that they would have with the targets of other rows.

    Examples
    --------
    >>> bulk = np.random.default_rng(0).normal(size=2000)
    >>> p, wrong = null_p_values(np.append(3.0 * bulk, 100.0), 20.0)
    >>> bool(p[-1] < 1e-4), bool(0.4 < np.mean(p < 0.5) < 0.6), wrong < 0.01
    (True, True, True)
    """
    sizes = np.abs(z)
    middle = float(np.median(sizes)) or float(sizes.mean())
    if middle == 0.0:
        return np.ones(len(z)), 0.0
    steps = np.round(FINENESS * np.log(np.maximum(sizes / middle, 1e-3)))
    values, place, counts = np.unique(steps, return_inverse=True, return_counts=True)
    at = np.exp(values / FINENESS)
    freedom, width = (part.ravel() for part in np.meshgrid(1.0 / TAILS, WIDTHS, indexing="ij"))
    width = width / stats.t.ppf(0.75, freedom)
    chance = _posterior(at, counts, freedom, width, max(wrong_size / middle, 1.0))
    p = _tail(at[:, None], width, freedom) @ chance.sum(axis=0)
    return np.minimum(p, 1.0)[place], float(RATES @ chance.sum(axis=1))


def _posterior(at: Array, counts: Array, freedom: Array, width: Array, wrong_size: float) -> Array:
    """Probability of each share of wrong targets (rows), and width and tail (columns)."""
    total = np.cumsum(counts)
    inner = total <= READ * total[-1]
    cut = float(at[inner][-1]) if inner.any() else 0.0
    outer, number = at[~inner], counts[~inner]
    right = _density(outer[:, None], width, freedom)
    unread = float(counts[inner].sum())
    hidden = unread * np.log1p(-np.minimum(_tail(cut, width, freedom), 1.0 - 1e-12))
    prior = -0.5 * ((1.0 / freedom - USUAL_TAIL) / TAIL_SPREAD) ** 2
    first, logs = max(NEAREST_WRONG, cut), []
    for scale in wrong_size * np.array(FAR):
        far = np.where(outer > first, _density(outer, scale, WRONG_FREEDOM), 0.0)
        far = far / _tail(first, scale, WRONG_FREEDOM)
        for rate in RATES:
            seen = number @ np.log((1.0 - rate) * right + rate * far[:, None])
            logs.append(seen + hidden + unread * np.log1p(-rate) + prior)
    found = np.array(logs).reshape(len(FAR), len(RATES), -1)
    chance = np.exp(found - found.max()).sum(axis=0)
    return np.asarray(chance / chance.sum())


def _density(sizes: Array, width: Array | float, freedom: Array | float) -> Array:
    """Density of sizes under Student's distribution."""
    half = 0.5 * (np.asarray(freedom) + 1.0)
    constant = special.gammaln(half) - special.gammaln(half - 0.5) - 0.5 * np.log(np.pi * freedom)
    logs = constant - half * np.log1p((sizes / width) ** 2 / freedom)
    return np.asarray(2.0 * np.exp(logs) / width)


def _tail(sizes: Array | float, width: Array | float, freedom: Array | float) -> Array:
    """Chance of at least these sizes."""
    return np.asarray(2.0 * special.stdtr(freedom, -sizes / np.asarray(width)))


def local_fdr(p: Array) -> Array:
    """Probability of the null hypothesis given a p-value: π₀ over a falling density.

    The density is the slope of the least concave majorant of their distribution (Grenander).

    >>> p = np.concatenate([np.linspace(0.001, 1, 99), np.full(20, 1e-9)])
    >>> found = local_fdr(p)
    >>> bool(found[-1] < 0.01), bool(found[50] > 0.9)
    (True, True)
    """
    share_right = min(1.0, 2.0 * float(np.mean(p > 0.5)))
    values, counts = np.unique(np.append(p, 1.0), return_counts=True)
    counts[-1] -= 1  # the end of the interval is no p-value
    gaps = np.diff(np.append(0.0, values))
    heights: list[float] = []
    widths: list[float] = []
    sizes: list[int] = []
    for count, gap in zip((counts / len(p)).tolist(), np.maximum(gaps, 1e-300), strict=True):
        mass, width, size = count, float(gap), 1
        while heights and mass / width >= heights[-1]:
            mass, width, size = (
                mass + heights[-1] * widths[-1],
                width + widths.pop(),
                size + sizes.pop(),
            )
            heights.pop()
        heights.append(mass / width)
        widths.append(width)
        sizes.append(size)
    density = np.repeat(heights, sizes)[np.searchsorted(values, p)]
    return np.minimum(1.0, share_right / np.maximum(density, 1e-300))
