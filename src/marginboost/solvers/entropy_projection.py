"""Relative entropy over capped weights, solved in the dual: one multiplier per hypothesis.

The weights W = {d : Σ d = 1, 0 <= d_i <= p_i / ν} are capped by the prior p. With the relative
entropy Δ(d, p) = Σ d log(d / p) and the outcomes U_ij = y_i h_j(x_i), the two problems of the
totally corrective boosters are

    min over d in W, γ   γ + Δ(d, p) / η   s.t.  Uᵀd <= γ         (ERLPBoost)
    min over d in W      Δ(d, p)           s.t.  Uᵀd <= bound     (SoftBoost, TotalBoost)

Their duals share one concave function of the multipliers w >= 0,

    max ψ(U w) / η  over Σ w = η,        max ψ(U w) - bound Σ w,

    ψ(m) = min over d in W of  Δ(d, p) + d·m  =  log(1/ν) + τ - Σ_i (p_i / ν) [τ - m_i]_+ .

The minimiser is d_i = (p_i / ν) min(1, exp(τ - m_i)), where the threshold τ makes the sum one; the
slope of ψ(U w) in w_j is the edge of hypothesis j under it. Newton's method on the multipliers
solves both; a pass over the rows costs N times the number of hypotheses, a Hessian N times the
square of the number that have a multiplier.

Soft margins follow from multipliers, because Δ <= log(1/ν) on W: normalised to a combination, they
have a soft margin of at least (ψ(U w) - log(1/ν)) / Σ w. So a dual value above log(1/ν) proves that
no weights meet the bound, and the combination that proves it comes with it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ..kernels.parallel import run_rows
from ..kernels.weights import split_mass, threshold_weights
from ..types import Array
from .masters.pool import ColumnPool

SOLVED = 1e-10
"""Distance from the best slope, in units of edges, at which multipliers count as optimal."""
PRECISION = 2.0**-52
"""The same over the sum of multipliers, where that is more: an outcome is rounded by that much."""
NEWTON_STEPS = 60
DIRECT_STEPS = 30
FACTOR = 3.0
"""Ratio of successive η on the way to a solution that is too far away."""
SEARCH_STEPS = 30
ENOUGH = 0.01
"""Share of the rise promised by the slope that a step must bring."""
RIDGE = 1e-10
"""Share of the largest possible curvature that is added to every direction."""
UNSEEN = 1e-9
"""Rows whose weight is below this share of the largest are left out of the Hessian."""
LONGEST = 1e6
"""Most that multipliers may add up to in a projection, in units of the largest relative entropy.

Where they want to grow further, the bound is met or missed by less than the inverse of this."""
PROOF = 1e-9
"""By how much a dual value must exceed the largest relative entropy to be no rounding."""
NEVER = -2.0
"""A slope below that of every hypothesis."""
BLOCK = 8192
"""Rows of a block of the Hessian."""


@dataclass(frozen=True)
class Weighing:
    """Weights at the minimum of Δ(d, p) + d·m, with its value ψ and threshold τ.

    ``free`` says how fast each weight falls with its outcome: of the relative entropy these are the
    weights below their caps, the only ones that a small change of m moves.
    """

    weights: Array
    free: Array
    value: float
    threshold: float


class Divergence(Protocol):
    """A distance Δ of weights from the prior, and the weights that are allowed.

    Attributes
    ----------
    largest : float
        The largest distance of weights that are allowed.
    """

    largest: float

    def weigh(self, outcomes: Array, guess: float = -math.inf) -> Weighing:
        """Weights at the minimum of Δ(d, p) + d·m for outcomes m; ``guess`` is a first τ."""


class CappedEntropy:
    """The function ψ and its weights.

    Parameters
    ----------
    prior : array
        Weights p of the examples, with sum one.
    nu : float or None
        Weights are capped by p / ν; None is no cap.
    n_threads : int
        Threads.

    Attributes
    ----------
    largest : float
        The largest relative entropy of capped weights.
    """

    def __init__(self, prior: Array, nu: float | None, n_threads: int = 1) -> None:
        # Below the smallest prior weight the caps exceed one and no longer bind.
        share = max(nu or 0.0, float(prior.min()))
        self.largest = -math.log(share)
        self._caps = prior / share
        self._n_threads = n_threads

    def weigh(self, outcomes: Array, guess: float = -math.inf) -> Weighing:
        """Weights for outcomes m; ``guess`` is where the search for τ begins."""
        threshold = self._threshold(outcomes, guess)
        capped, free = np.empty(len(outcomes)), np.empty(len(outcomes))

        def part(start: int, stop: int) -> tuple[float, float, float]:
            here = slice(start, stop)
            caps = self._caps[here]
            return threshold_weights(outcomes[here], caps, threshold, capped[here], free[here])

        parts = zip(*run_rows(part, len(outcomes), self._n_threads), strict=True)
        bound, loose, shortfall = (math.fsum(part) for part in parts)
        if loose > 0.0:  # what rounding has lost
            free *= max(1.0 - bound, 0.0) / loose
        value = self.largest + threshold - shortfall
        return Weighing(capped + free, free, value, threshold)

    def _threshold(self, outcomes: Array, guess: float) -> float:
        """Root τ of Σ cap min(1, exp(τ - m)) = 1.

        As a function of exp(τ) the sum is concave and piecewise linear: from anywhere Newton's
        method lands at or below the root, from there it only rises, and it ends exactly.
        """
        cold = math.isinf(guess)
        threshold, reference = guess, float(outcomes.min()) if cold else guess
        for step in range(1000):
            below, above, smallest = self._split(outcomes, threshold, reference)
            if above < 1e-200 and math.isfinite(smallest):  # underflowed
                reference = smallest
                below, above, _ = self._split(outcomes, threshold, reference)
            if below >= 1.0 and step == 0 and not cold:
                return self._threshold(outcomes, -math.inf)  # far too high a guess
            if below >= 1.0 or math.isinf(smallest):
                break  # the caps of these rows add up to one
            last, threshold = threshold, reference + math.log((1.0 - below) / above)
            if last <= threshold < smallest or (step > 0 and threshold <= last):
                break
            reference = threshold
        return threshold

    def _split(self, outcomes: Array, threshold: float, reference: float) -> tuple[float, ...]:
        def part(start: int, stop: int) -> tuple[float, float, float]:
            here = slice(start, stop)
            return split_mass(outcomes[here], self._caps[here], threshold, reference)

        below, above, smallest = zip(*run_rows(part, len(outcomes), self._n_threads), strict=True)
        return math.fsum(below), math.fsum(above), min(smallest)


@dataclass(frozen=True)
class _Point:
    """Multipliers of a fixed sum, the last standing for no hypothesis, and the function there."""

    shares: Array
    slopes: Array
    value: float
    weighing: Weighing

    @property
    def mean_slope(self) -> float:
        return float(self.shares @ self.slopes) / float(self.shares.sum())

    @property
    def distance(self) -> float:
        """By how much the best slope exceeds those of the multipliers in use."""
        best = float(self.slopes.max())
        used = self.shares[:-1]
        idle = best - float(self.slopes[-1]) if self.shares[-1] > 0.0 else 0.0
        total = float(used.sum())
        return max(idle, float(used @ (best - self.slopes[:-1])) / total if total > 0.0 else 0.0)


class EntropySolver:
    """Both problems over the hypotheses of a pool.

    Parameters
    ----------
    pool : ColumnPool
        The hypotheses; it may grow between calls.
    y : array
        Labels.
    entropy : Divergence
        The weights allowed, and their distance from the prior.
    """

    def __init__(self, pool: ColumnPool, y: Array, entropy: Divergence) -> None:
        self._pool, self._y, self._entropy = pool, y, entropy

    def weights(self, multipliers: Array) -> Array:
        """Weights that follow from multipliers."""
        return self._entropy.weigh(self._y * self._pool.combine(multipliers)).weights

    def regularise(self, start: Array, eta: float) -> Array:
        """Multipliers, with sum η, of the weights that minimise the largest edge plus Δ / η.

        ``start`` are nonnegative multipliers to begin with, not all zero.
        """
        shares, solved = np.append(start / start.sum(), 0.0), max(SOLVED, PRECISION * eta)
        point = self._maximise(eta * shares, NEVER, steps=DIRECT_STEPS, solved=solved)
        if point.distance > solved:  # too far: follow the solution from small η to large
            for stage in range(math.ceil(math.log(max(eta, 1.0), FACTOR)), -1, -1):
                shares = point.shares / point.shares.sum()
                point = self._maximise(eta / FACTOR**stage * shares, NEVER, solved=solved)
        return point.shares[:-1]

    def project(self, start: Array, bound: float) -> tuple[Array, bool]:
        """Multipliers of the weights that minimise Δ with no edge above ``bound``.

        Also whether there are such weights. If not, the multipliers, normalised, are a combination
        whose soft margin exceeds the bound.
        """
        largest = self._entropy.largest
        longest = LONGEST * max(largest, 1.0)
        start = np.append(start, max(longest - start.sum(), 0.0))
        ceiling = largest + PROOF
        found = self._maximise(start, bound, ceiling)
        return found.shares[:-1], found.value <= ceiling

    # -- Newton's method -------------------------------------------------------------------------

    def _maximise(
        self,
        start: Array,
        rest: float,
        ceiling: float = math.inf,
        steps: int = NEWTON_STEPS,
        solved: float = SOLVED,
    ) -> _Point:
        """Maximise ψ(U w) - rest Σ w until nothing is left to gain, or the value is above a limit.

        Multipliers have a fixed sum, the last of them standing for no hypothesis: its slope is
        ``rest`` everywhere.
        """
        point = self._at(start, rest, -math.inf)
        for _ in range(steps):
            if point.value > ceiling or point.distance <= solved:
                break
            step = np.zeros(len(start))
            which = np.flatnonzero((point.shares > 0.0) | (point.slopes > point.mean_slope))
            hessian = self._hessian(which, point.weighing.free)
            step[which] = _quadratic_step(hessian, point.slopes[which], point.shares[which])
            following = self._search(point, step, rest)
            if following is None:
                break
            point = following
        return point

    def _at(self, shares: Array, rest: float, guess: float) -> _Point:
        multipliers = shares[:-1]
        weighing = self._entropy.weigh(self._y * self._pool.combine(multipliers), guess)
        edges = self._pool.edges(self._y * weighing.weights)
        value = weighing.value - rest * float(multipliers.sum())
        return _Point(shares, np.append(edges, rest), value, weighing)

    def _hessian(self, which: Array, free: Array) -> Array:
        """Curvature in these multipliers: the covariance of their outcomes under the free weights.

        Outcomes are outputs times labels, and in products labels cancel.
        """
        real = which[which < len(self._pool)]
        free = np.where(free > UNSEEN * float(free.max()), free, 0.0)
        root = np.sqrt(free)
        products = np.zeros((len(real), len(real)))
        for start in range(0, len(free), BLOCK):
            here = slice(start, start + BLOCK)
            seen, part = np.flatnonzero(root[here]), self._pool.columns[real, here]
            if 2 * len(seen) < part.shape[1]:
                part = part.take(seen, axis=1) * root[here][seen]
            else:
                part = part * root[here]
            products += part @ part.T
        total, sums = float(free.sum()), self._pool.edges(self._y * free)[real]
        hessian = RIDGE * max(total, 1e-12) * np.eye(len(which))  # no hypothesis, no curvature
        hessian[: len(real), : len(real)] += products - np.outer(sums, sums) / (total or 1.0)
        return hessian

    def _search(self, point: _Point, step: Array, rest: float) -> _Point | None:
        """Follow a step, or part of it, or beyond it, until the slope along it is about halved."""
        rise = float(point.slopes @ step)
        if rise <= 0.0:
            return None
        falling = np.flatnonzero(step < 0.0)
        reach = point.shares[falling] / -step[falling]
        farthest = float(reach.min())
        length, accepted = min(1.0, farthest), None
        for _ in range(SEARCH_STEPS):
            shares = np.maximum(point.shares + length * step, 0.0)
            if length == farthest:
                shares[falling[reach == farthest]] = 0.0
            found = self._at(shares, rest, point.weighing.threshold)
            slope = float(found.slopes @ step)
            rounding = 1e-13 * (1.0 + abs(found.value) + float(shares[:-1].sum()))
            if found.value < point.value + ENOUGH * length * rise - rounding:
                if accepted is not None:
                    break
                length *= max(0.1, min(rise / (rise - slope), 0.5)) if slope < 0.0 else 0.5
            elif accepted is None and length < min(1.0, farthest):
                return found
            else:
                accepted = found
                if slope <= 0.5 * rise or length == farthest:
                    break
                length = min(4.0 * length, farthest)
        return accepted


def _quadratic_step(hessian: Array, slopes: Array, shares: Array) -> Array:
    """Maximise slopes·s - ½ sᵀHs subject to shares + s >= 0 and Σ s = 0, by active sets."""
    n = len(shares)
    slopes = slopes - slopes.max()
    free = (shares > 0.0) | (slopes == 0.0)
    step = np.zeros(n)
    for _ in range(20 * n):
        target, multiplier = _unsigned_step(hessian, slopes, shares, free)
        after = shares + target
        if (after[free] >= 0.0).all():
            step = target
            gain = np.where(free, -np.inf, slopes - hessian @ step - multiplier)
            if gain.max() <= 0.01 * SOLVED:
                break
            free[int(np.argmax(gain))] = True
        else:
            now = shares + step
            reach = np.full(n, np.inf)
            leaving = free & (after < 0.0)
            reach[leaving] = now[leaving] / (now[leaving] - after[leaving])
            step += reach.min() * (target - step)
            gone = reach == reach.min()
            step[gone], free[gone] = -shares[gone], False
    return step


def _unsigned_step(
    hessian: Array, slopes: Array, shares: Array, free: Array
) -> tuple[Array, float]:
    """Solve the same without signs: the shares that are not free go to zero."""
    step = np.where(free, 0.0, -shares)
    chosen = np.flatnonzero(free)
    system = np.ones((len(chosen) + 1, len(chosen) + 1))
    system[:-1, :-1] = hessian[np.ix_(chosen, chosen)]
    system[-1, -1] = 0.0
    right = np.append((slopes - hessian @ step)[chosen], -step.sum())
    solution = np.linalg.solve(system, right)
    step[chosen] = solution[:-1]
    return step, float(solution[-1])
