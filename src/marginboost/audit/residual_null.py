"""Which residuals are too large to be those of right targets: p-values and probabilities.

Right targets make up the bulk of the residuals; wrong ones are a group of their own further out, of
unknown number, place and width, or there are none. On each side of zero, sizes a in units of their
median have the density

    (1 - π) g(a) + π h(a)

with g one of a family of shapes, Student's with tails from nearly normal to very heavy and
Weibull's, and h log-normal somewhere beyond the bulk. How likely every g, h and π are follows by
Bayes' rule from the outer half of the sizes, and with it for every residual the probability that
its target is right, the local false-discovery rate, and the chance of a size like that if all were
right. A heavy tail is a tail and no group: where both explain the sizes, neither is taken for
granted. Sides have tails of one shape or not, which is averaged over too: noise may be skew.

No family holds what residuals are exactly, and of many rows the misfit would be explained by wrong
targets. So the sizes of a side never count as more than two thousand (a coarsened posterior).

References: Efron 2004 (empirical null, local false-discovery rate); Miller & Dunson 2019
(coarsening).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import special, stats

from ..types import Array

TAILS = np.linspace(0.02, 0.5, 13)
"""Student's shapes: one over the degrees of freedom."""
USUAL_TAIL, TAIL_SPREAD = 0.15, 0.1
"""What is known of them before any residual is seen: out-of-fold residuals of regressions on real
tables have three to ten degrees of freedom."""
POWERS = np.array([0.8, 0.9, 1.0, 1.15, 1.3, 1.6, 2.0])
"""Weibull's shapes: 1 is the exponential distribution."""
WIDTHS = np.exp(np.linspace(-0.45, 0.45, 13))
"""Widths looked through, as multiples of the one that the median has."""
NONE_WRONG = 0.5
"""Probability, before any residual is seen, that a side has no wrong targets."""
RATES = np.geomspace(1e-3, 0.4, 9)
"""Shares of wrong targets else."""
PLACES = np.array([3.0, 4.5, 7.0, 10.0, 15.0, 25.0, 50.0, 100.0, 300.0, 1000.0])
"""Where wrong ones may be, in medians."""
BREADTHS = (0.25, 0.6, 1.2)
"""How widely they may lie there, in the logarithm of the size."""
ONE_SHAPE = 0.5
"""Probability, before any residual is seen, that both sides have tails of one shape."""
READ = 0.5
"""Quantile of the sizes above which they are read one by one: the bulk says little on tails."""
MOST_ROWS = 2000
"""Sizes that a side counts for at most."""
FINENESS = 50
"""Sizes are rounded to a fiftieth of their logarithm, so that a million are as few hundred."""
NEGLIGIBLE = 1e-9
"""Probability of an explanation that need not be looked at."""


class Judgement(NamedTuple):
    """What is known of every residual.

    Attributes
    ----------
    right : array
        Probability that the target is right.
    p_value : array
        Chance of a residual at least that far out on its side if it is.
    wrong : float
        Estimated share of wrong targets.
    """

    right: Array
    p_value: Array
    wrong: float


def judge_residuals(z: Array) -> Judgement:
    """Tell residuals of wrong targets from those of right ones.

    Parameters
    ----------
    z : array
        Residuals in units of their usual size.

    Examples
    --------
    >>> bulk = np.random.default_rng(0).normal(size=2000)
    >>> found = judge_residuals(np.append(3.0 * bulk, np.full(20, 40.0)))
    >>> bool(found.right[-1] < 0.01), bool(found.right[:-20].mean() > 0.99)
    (True, True)
    >>> bool(0.005 < found.wrong < 0.02)
    True
    """
    right, p_value, wrong = np.ones(len(z)), np.ones(len(z)), 0.0
    rows = [side for side in (z > 0.0, z < 0.0) if side.any()]
    sides = [_read(np.abs(z[side])) for side in rows]
    prior = _shape_prior()
    for k, side in enumerate(sides):
        weights = prior.copy()
        for other in sides[:k] + sides[k + 1 :]:
            weights *= ONE_SHAPE * other.evidence + (1.0 - ONE_SHAPE) * prior @ other.evidence
        total = float(weights @ side.evidence)
        chance = np.minimum(side.right @ weights / total, 1.0)
        # Further out is never more likely right, though the group of wrong ones has an end.
        right[rows[k]] = np.minimum.accumulate(chance)[side.place]
        p_value[rows[k]] = np.minimum(side.tail @ weights / total, 1.0)[side.place]
        wrong += float(side.wrong @ weights) / total * float(rows[k].mean())
    return Judgement(right, p_value, wrong)


@dataclass
class _Side:
    """What the residuals of one side say, for every shape of the right ones: sums of likelihood.

    Attributes
    ----------
    place : array of int
        Bin of each residual; bins go outwards.
    evidence : array
        Likelihood of all sizes under each shape, up to a common factor.
    right, tail : arrays (bins, shapes)
        Probability that a target is right, and chance of a larger size, each times the evidence.
    wrong : array
        Share of wrong targets, times the evidence.
    """

    place: Array
    evidence: Array
    right: Array
    tail: Array
    wrong: Array


def _read(sizes: Array) -> _Side:
    """Weigh all explanations of the sizes of one side, which are above 0."""
    steps = np.round(FINENESS * np.log(np.clip(sizes / np.median(sizes), 1e-2, 1e6)))
    values, place, number = np.unique(steps, return_inverse=True, return_counts=True)
    at, counts = np.exp(values / FINENESS), number * min(1.0, MOST_ROWS / len(sizes))
    outer = np.cumsum(counts) > READ * counts.sum()
    cut = float(at[~outer][-1]) if not outer.all() else 0.0
    density, tail = _shapes(at)
    below = np.maximum(1.0 - _shapes(np.array([cut]))[1][0], 1e-12)
    unread = float(counts[~outer].sum())

    def likelihood(rate: float, far: Array, near: float) -> Array:
        mixed = (1.0 - rate) * density[outer] + rate * far[outer, None, None]
        inside = unread * np.log((1.0 - rate) * below + rate * near)
        return np.tensordot(counts[outer], np.log(mixed), 1) + inside

    groups = _groups(at, cut)
    share = (1.0 - NONE_WRONG) / (len(groups) * len(RATES))
    cases = [(0.0, np.zeros(len(at)), 0.0, NONE_WRONG)]
    cases += [(float(rate), far, near, share) for far, near in groups for rate in RATES]
    logs = [likelihood(rate, far, near) + np.log(prior) for rate, far, near, prior in cases]
    likely = np.exp(np.array(logs) - max(float(log.max()) for log in logs))
    evidence = likely.sum(axis=(0, 2))
    right = np.zeros((len(at), len(evidence)))
    for chance, (rate, far, _, _) in zip(likely, cases, strict=True):
        if chance.sum() > NEGLIGIBLE:
            mine = (1.0 - rate) * density
            right += (mine / (mine + rate * far[:, None, None]) * chance).sum(axis=2)
    rates = np.array([rate for rate, *_ in cases])
    larger = (tail * likely.sum(axis=0)).sum(axis=2)
    return _Side(place, evidence, right, larger, rates @ likely.sum(axis=2))


def _shapes(at: Array) -> tuple[Array, Array]:
    """Density and chance of larger sizes, for every shape and width: (sizes, shapes, widths)."""
    at = at[:, None, None]
    freedom, power = 1.0 / TAILS[:, None], POWERS[:, None]
    half, width = 0.5 * (freedom + 1.0), WIDTHS / stats.t.ppf(0.75, freedom)
    constant = special.gammaln(half) - special.gammaln(half - 0.5) - 0.5 * np.log(np.pi * freedom)
    student = 2.0 * np.exp(constant - half * np.log1p((at / width) ** 2 / freedom)) / width
    far = 2.0 * special.stdtr(freedom, -at / width)
    ratio = at / WIDTHS
    beyond = np.exp(-np.log(2.0) * ratio**power)
    with np.errstate(divide="ignore", invalid="ignore"):  # at a size of 0 no density is read
        weibull = np.log(2.0) * power / WIDTHS * ratio ** (power - 1.0) * beyond
    density = np.concatenate([student, weibull], axis=1)
    return np.maximum(density, 1e-300), np.concatenate([far, beyond], axis=1)


def _shape_prior() -> Array:
    """Probabilities of the shapes before any residual is seen: half for each family."""
    student = np.exp(-0.5 * ((TAILS - USUAL_TAIL) / TAIL_SPREAD) ** 2)
    return np.concatenate([0.5 * student / student.sum(), np.full(len(POWERS), 0.5 / len(POWERS))])


def _groups(at: Array, cut: float) -> list[tuple[Array, float]]:
    """Densities of wrong targets, and the chance of each to be below a cut."""
    places = PLACES[max(2.0 * at[-1], PLACES[0]) >= PLACES]
    found = []
    for place in places.tolist():
        for breadth in BREADTHS:
            u = np.log(at / place) / breadth
            density = np.exp(-0.5 * u * u) / (at * breadth * np.sqrt(2.0 * np.pi))
            near = float(special.ndtr(np.log(max(cut, 1e-9) / place) / breadth))
            found.append((density, near))
    return found
