"""Votes turned into probabilities: a sigmoid fitted to votes on rows that the model had not seen.

A vote Σαh / Σ|α| says which class is more likely, not how likely it is: the largest soft margin
puts no weight on rows that are easily right. So votes are compared with labels,

    P(second | v) = 1 / (1 + exp(-slope v - offset)),
    of K classes P(l) ∝ exp(slope v_l + offset_l)

On the rows of the fit itself votes look better than they are. The votes compared are those of a
second, smaller fit on two thirds of the rows, for the other third: it has the same settings, what
fit chose, and as many rounds. It learns from at most ``MOST_ROWS`` rows, so that it costs at most
two thirds of the first fit, and next to nothing where there are many rows. Which rows are held back
follows from what is in them: neither their order nor the way copies are written matters, and
copies stay together. Where a class has too few rows to hold any back, votes on all rows will do.

Only the slope is taken from there. Offsets are such that the mean probabilities on all rows are the
classes' shares: where votes say nothing, that is what is left.

Labels are shrunk as Platt proposed, as if one more row of each class had been seen: n rows of a
class that all are right do not prove that the next one is.

Reference: Platt, *Probabilistic outputs for support vector machines*, 1999; Zadrozny & Elkan,
*Transforming classifier scores into accurate multiclass probability estimates*, 2002.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from scipy import sparse
from scipy.special import log_softmax, softmax

from ..data import BinnedMatrix
from ..kernels.parallel import run_blocks
from ..model import SigmoidLink
from ..model.features import FeatureRows
from ..types import Array

MOST_ROWS = 10_000
"""Most rows that the second fit learns from."""
LEAST_GAP = 1e-3
"""Gap at which the second fit ends at the latest: on so few rows a smaller one means nothing."""
ANY_GAP = 2.0
"""That between the least and the largest vote: what a run begins with will do."""
LEAST_SLOPE = 1e-3
"""Votes keep their order even where they say nothing, or the contrary."""
STEPS = 100
SETTLED = 1e-13
"""Newton's decrement, per row, at which the sigmoid is fitted."""


def hold_back(
    rows: FeatureRows, labels: Array, weights: Array, n_threads: int = 1
) -> tuple[Array, Array] | None:
    """Rows to learn from and rows to judge by, each class by thirds; None where they are too few.

    Parameters
    ----------
    rows : Table or BinnedMatrix
        All rows.
    labels : array of int
        Their classes.
    weights : array
        Rows without weight are neither.
    n_threads : int
        Threads.
    """
    keys = _fingerprints(rows, n_threads)
    learn, judge = np.zeros((2, len(labels)), dtype=bool)
    present = np.flatnonzero(weights > 0.0)
    classes = np.unique(labels[present])
    share = min(1.0, 1.5 * MOST_ROWS / len(present))
    for label in classes:
        own = present[labels[present] == label]
        distinct, group = np.unique(keys[own], return_inverse=True)
        n_judge, n_all = len(distinct) // 3, max(int(share * len(distinct)), 3)
        if n_judge < 1:
            return None
        learn[own] = (group >= n_all // 3) & (group < n_all)
        judge[own] = group < n_all // 3
    return learn, judge


def _fingerprints(rows: FeatureRows, n_threads: int) -> Array:
    """Number for every row, the same for copies; zeros count for nothing, as in sparse rows."""
    keys = np.zeros(rows.n_rows, dtype=np.uint64)
    if isinstance(rows, BinnedMatrix):
        for codes in rows.codes:
            keys += _scatter(codes.astype(np.float64))
    elif sparse.issparse(rows.source):
        entries = rows.source.tocoo()
        np.add.at(keys, entries.row, _scatter(entries.data.astype(np.float64)))
    else:
        chunks = list(rows.chunks())

        def fill(chunk: int) -> None:
            start, stop = chunks[chunk]
            part = np.asarray(rows.dense(start, stop), dtype=np.float64)
            keys[start:stop] = _scatter(part).sum(axis=1, dtype=np.uint64)

        run_blocks(fill, len(chunks), n_threads)
    return _mix(keys)


def _scatter(values: Array) -> Array:
    """Bits of numbers, mixed; 0 of a zero, one number for all that are missing."""
    plain = np.where(np.isnan(values), 0.5, values)
    return np.where(values == 0.0, np.uint64(0), _mix(np.ascontiguousarray(plain).view(np.uint64)))


def _mix(bits: Array) -> Array:
    """Mix the bits of 64-bit numbers (Steele, Lea & Flood 2014)."""
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))


def fit_sigmoid(votes: Array, labels: Array, weights: Array) -> SigmoidLink:
    """Fit slope and offsets to votes and classes, weighted; convex, by Newton's method.

    Parameters
    ----------
    votes : array (rows,) or (rows, classes)
        In [-1, 1].
    labels : array of int
        Position of each row's class.
    weights : array
        A weight of 2 is two rows.

    Examples
    --------
    Nine of ten votes for a class are right:

    >>> votes = np.repeat([-0.5, 0.5], 1000)
    >>> labels = np.where(np.arange(2000) % 10 == 0, votes < 0, votes > 0).astype(int)
    >>> fit_sigmoid(votes, labels, np.ones(2000))(np.array([0.5]), 1.0).round(2)
    array([[0.1, 0.9]])
    """
    return _fit(votes, labels, weights, None)


def refit_offsets(link: SigmoidLink, votes: Array, labels: Array, weights: Array) -> SigmoidLink:
    """Link of the same slope whose mean probabilities are the classes' shares at these votes.

    Two fits may differ in where their votes lie, more than in how much they mean: a model whose
    votes are all the same gets the shares themselves.

    >>> link = SigmoidLink(9.0, (1.0,))
    >>> link = refit_offsets(link, -np.ones(4), np.array([0, 0, 0, 1]), np.ones(4))
    >>> link(np.array([-1.0]), 1.0).round(2)
    array([[0.68, 0.32]])
    """
    return _fit(votes, labels, weights, link.slope)


def _fit(votes: Array, labels: Array, weights: Array, slope: float | None) -> SigmoidLink:
    two = votes.ndim == 1
    n_classes = 2 if two else votes.shape[1]
    counts = np.bincount(labels, weights, n_classes)
    # One more row of each class, spread over all rows of a class.
    targets = ((np.eye(n_classes) * counts + 1.0) / (counts + n_classes)[:, None])[labels]
    weights = weights / weights.sum()
    logs = np.log(weights @ targets)
    problem: CrossEntropy = (TwoClasses if two else SeveralClasses)(votes, targets, weights)
    found, offsets = _newton(problem, slope, logs[1:] - logs[0] if two else logs)
    kept = offsets if two else offsets - offsets.mean()
    return SigmoidLink(max(found, LEAST_SLOPE), tuple(float(offset) for offset in kept))


def _newton(problem: CrossEntropy, fixed: float | None, offsets: Array) -> tuple[float, Array]:
    """Slope, unless it is fixed, and offsets of the least cross-entropy."""
    at = np.concatenate([[1.0 if fixed is None else fixed], offsets])
    value = problem.loss(at)
    for _ in range(STEPS):
        slope, curvature = problem.derivatives(at)
        if fixed is not None:
            slope[0], curvature[0, 1:], curvature[1:, 0], curvature[0, 0] = 0.0, 0.0, 0.0, 1.0
        step = np.linalg.lstsq(curvature, -slope, rcond=1e-12)[0]
        if -float(slope @ step) <= SETTLED:
            break
        while (reached := problem.loss(at + step)) > value and np.abs(step).max() > 1e-12:
            step /= 2.0
        at, value = at + step, min(value, reached)
    return float(at[0]), at[1:]


class CrossEntropy(ABC):
    """Cross-entropy of labels and probabilities, as a function of the sigmoid's slope and offsets.

    Parameters
    ----------
    votes : array (rows,) or (rows, classes)
        Votes.
    targets : array (rows, classes)
        Probabilities that the labels stand for.
    weights : array
        Weights of the rows, with sum one.
    """

    def __init__(self, votes: Array, targets: Array, weights: Array) -> None:
        self.votes, self.targets, self.weights = votes, targets, weights

    @abstractmethod
    def loss(self, at: Array) -> float:
        """Cross-entropy at a slope and offsets."""

    @abstractmethod
    def derivatives(self, at: Array) -> tuple[Array, Array]:
        """Slope and curvature of it."""


class TwoClasses(CrossEntropy):
    """``Σ w (log(1 + exp z) - t z)``, ``z = slope v + offset``: of rows there may be many."""

    def __init__(self, votes: Array, targets: Array, weights: Array) -> None:
        super().__init__(-np.ascontiguousarray(votes, dtype=np.float64), targets, weights)
        wanted = weights * targets[:, 1]
        self.wanted = np.array([-float(wanted @ self.votes), float(wanted.sum())])

    def loss(self, at: Array) -> float:
        """Cross-entropy at a slope and an offset."""
        from ..kernels.soft_margin import smoothed_hinge  # here, not above: not all fits need it

        against = at[0] * self.votes
        return smoothed_hinge(against, float(at[1]), 1.0, self.weights) - float(at @ self.wanted)

    def derivatives(self, at: Array) -> tuple[Array, Array]:
        """Slope and curvature of it."""
        from ..kernels.level_descent import scaled_sums  # here, not above: not all fits need it

        sums = scaled_sums(self.votes, float(at[0]), float(at[1]), self.weights)
        total, pull, first, second, third = sums
        curvature = np.array([[third + 1e-12, -second], [-second, first]])
        return np.array([-pull, total]) - self.wanted, curvature


class SeveralClasses(CrossEntropy):
    """``-Σ w t log softmax(slope v + offsets)``."""

    def loss(self, at: Array) -> float:
        """Cross-entropy at a slope and offsets."""
        logs = log_softmax(at[0] * self.votes + at[1:], axis=1)
        return float(-self.weights @ (self.targets * logs).sum(axis=1))

    def derivatives(self, at: Array) -> tuple[Array, Array]:
        """Slope and curvature of it."""
        table, weights, n_classes = self.votes, self.weights[:, None], self.votes.shape[1]
        chances = softmax(at[0] * table + at[1:], axis=1)
        around = table - (chances * table).sum(axis=1)[:, None]
        off, weighed = weights * (chances - self.targets), weights * chances
        curvature = np.empty((n_classes + 1, n_classes + 1))
        curvature[0, 0] = (weighed * around**2).sum() + 1e-12
        curvature[0, 1:] = curvature[1:, 0] = (weighed * around).sum(axis=0)
        curvature[1:, 1:] = np.diag(weighed.sum(axis=0)) - weighed.T @ chances
        curvature[1:, 1:] += 1.0 / n_classes  # offsets may all move together
        return np.concatenate([[(off * table).sum()], off.sum(axis=0)]), curvature
