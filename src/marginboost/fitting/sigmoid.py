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
from typing import NamedTuple

import numpy as np

from ..kernels.exact import exact_sum, rounded
from ..kernels.parallel import one_algebra_thread, run_rows
from ..model import SigmoidLink
from ..types import Array
from .places import Ask, in_one_place

LEAST_GAP = 1e-3
"""Gap at which the second fit ends at the latest: on so few rows a smaller one means nothing."""
ANY_GAP = 2.0
"""That between the least and the largest vote: what a run begins with will do."""
LEAST_SLOPE = 1e-3
"""Votes keep their order even where they say nothing, or the contrary."""
STEPS = 100
SETTLED = 1e-13
"""Newton's decrement, per row, at which the sigmoid is fitted."""


# -- rows in one place -----------------------------------------------------------------------------


class VotedRows(NamedTuple):
    """Votes of rows in one place beside their classes.

    Attributes
    ----------
    votes : array (rows,) or (rows, classes)
        In [-1, 1].
    labels : array of int
        Position of each row's class.
    weights : array
        Positive; a weight of 2 is two rows.
    n_threads : int
        Threads.
    """

    votes: Array
    labels: Array
    weights: Array
    n_threads: int = 1


class Measures(NamedTuple):
    """Exact sums over rows.

    Attributes
    ----------
    counts : list of int
        Weight of each class.
    sums : list of list of int
        Votes for each class, times the weight, of the rows of each class.
    """

    counts: list[int]
    sums: list[list[int]]


def measure(rows: VotedRows) -> Measures:
    """Weights and votes of each class."""
    columns = np.atleast_2d(rows.votes.T)
    counts, sums = [], []
    for label in range(max(2, len(columns))):
        own = np.flatnonzero(rows.labels == label)
        weights = rows.weights[own]
        counts.append(exact_sum(weights))
        sums.append([exact_sum(weights * column[own]) for column in columns])
    return Measures(counts, sums)


def evaluate(rows: VotedRows, total: float, at: Array) -> tuple[int, Array]:
    """Exact cost of all rows, and the sums that derivatives are made of, which add up exactly.

    The cost is ``Σ w log Σ exp(z)``, of two classes ``Σ w log(1 + exp(z))``; for the sums see
    :mod:`..kernels.sigmoid`.
    """
    from ..kernels.sigmoid import logistic_sums, softmax_sums  # here: not all fits need them

    def sums(start: int, stop: int) -> tuple[int, Array]:
        votes, weights = rows.votes[start:stop], rows.weights[start:stop]
        costs = np.empty(stop - start)
        if votes.ndim == 1:
            found = np.array(logistic_sums(votes, weights, total, (at[0], at[1]), costs))
        else:
            found = np.empty((4 + votes.shape[1], votes.shape[1]))
            softmax_sums(votes, weights, total, at[0], at[1:], costs, found)
        return exact_sum(costs), found

    costs, found = zip(*run_rows(sums, len(rows.labels), rows.n_threads), strict=True)
    return sum(costs), np.sum(found, axis=0)


# -- the sigmoid -----------------------------------------------------------------------------------


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
    return sigmoid_of(in_one_place(_voted(votes, labels, weights)))


def refit_offsets(link: SigmoidLink, votes: Array, labels: Array, weights: Array) -> SigmoidLink:
    """Link of the same slope whose mean probabilities are the classes' shares at these votes.

    Two fits may differ in where their votes lie, more than in how much they mean: a model whose
    votes are all the same gets the shares themselves.

    >>> link = SigmoidLink(9.0, (1.0,))
    >>> link = refit_offsets(link, -np.ones(4), np.array([0, 0, 0, 1]), np.ones(4))
    >>> link(np.array([-1.0]), 1.0).round(2)
    array([[0.68, 0.32]])
    """
    return sigmoid_of(in_one_place(_voted(votes, labels, weights)), link.slope)


def _voted(votes: Array, labels: Array, weights: Array) -> VotedRows:
    return VotedRows(np.ascontiguousarray(votes, dtype=np.float64), labels, weights)


@one_algebra_thread()
def sigmoid_of(ask: Ask, slope: float | None = None) -> SigmoidLink:
    """Fit slope, unless it is given, and offsets to the votes of all places.

    Sums are exact, so that the link is the same, bit for bit, however rows are divided.

    Parameters
    ----------
    ask : callable
        Answers questions about :class:`VotedRows`.
    slope : float, optional
        The slope, where only offsets are wanted.
    """
    found = ask(measure)
    counts = [sum(own) for own in zip(*(one.counts for one in found), strict=True)]
    sums = np.sum([np.array(one.sums, dtype=object) for one in found], axis=0)
    total = rounded(sum(counts))
    shares = np.array([rounded(count) for count in counts])
    n_classes = len(counts)
    # One more row of each class, spread over all rows of a class.
    targets = (np.eye(n_classes) * shares + 1.0) / (shares + n_classes)[:, None]
    votes = np.array([[rounded(one) for one in own] for own in sums]) / total
    shares = (shares[:, None] / total * targets).sum(axis=0)
    two = votes.shape[1] == 1
    logs = np.log(shares)
    problem: CrossEntropy
    if two:
        wanted = np.array([(targets[:, 1] * votes[:, 0]).sum(), shares[1]])
        problem = TwoClasses(ask, total, wanted)
    else:
        problem = SeveralClasses(ask, total, np.append((targets * votes).sum(), shares))
    best, offsets = _newton(problem, slope, logs[1:] - logs[0] if two else logs)
    kept = offsets if two else offsets - offsets.mean()
    return SigmoidLink(max(best, LEAST_SLOPE), tuple(float(offset) for offset in kept))


def _newton(problem: CrossEntropy, fixed: float | None, offsets: Array) -> tuple[float, Array]:
    """Slope, unless it is fixed, and offsets of the least cross-entropy."""
    at = np.concatenate([[1.0 if fixed is None else fixed], offsets])
    value, sums = problem.evaluate(at)
    for _ in range(STEPS):
        slope, curvature = problem.derivatives(sums)
        if fixed is not None:
            slope[0], curvature[0, 1:], curvature[1:, 0], curvature[0, 0] = 0.0, 0.0, 0.0, 1.0
        step = np.linalg.lstsq(curvature, -slope, rcond=1e-12)[0]
        if -float(slope @ step) <= SETTLED:
            break
        reached, sums = problem.evaluate(at + step)
        while reached > value and np.abs(step).max() > 1e-12:
            step /= 2.0
            reached, sums = problem.evaluate(at + step)
        at, value = at + step, min(value, reached)
    return float(at[0]), at[1:]


class CrossEntropy(ABC):
    """Cross-entropy of labels and probabilities, as a function of the sigmoid's slope and offsets.

    With targets t, the probabilities that labels stand for, it is the mean cost of all rows less
    ``slope Σ w t v + Σ_k offset_k Σ w t_k``.

    Parameters
    ----------
    ask : callable
        Answers questions about :class:`VotedRows`.
    total : float
        Weight of all rows.
    wanted : array
        The factors of slope and offsets.
    """

    def __init__(self, ask: Ask, total: float, wanted: Array) -> None:
        self._ask, self._total, self._wanted = ask, total, wanted

    def evaluate(self, at: Array) -> tuple[float, Array]:
        """Cross-entropy at a slope and offsets, and the sums that derivatives are made of."""
        costs, sums = zip(*self._ask(evaluate, self._total, at), strict=True)
        return rounded(sum(costs)) - float(at @ self._wanted), np.sum(sums, axis=0)

    @abstractmethod
    def derivatives(self, sums: Array) -> tuple[Array, Array]:
        """Slope and curvature of it."""


class TwoClasses(CrossEntropy):
    """``Σ w (log(1 + exp z) - t z)``, ``z = slope v + offset``."""

    def derivatives(self, sums: Array) -> tuple[Array, Array]:
        """Slope and curvature of it."""
        mean, pull, first, second, third = sums
        curvature = np.array([[third + 1e-12, second], [second, first]])
        return np.array([pull, mean]) - self._wanted, curvature


class SeveralClasses(CrossEntropy):
    """``-Σ w t log softmax(slope v + offsets)``."""

    def derivatives(self, sums: Array) -> tuple[Array, Array]:
        """Slope and curvature of it."""
        sums = 4.0 * sums
        mean, around, pull, spread, products = *sums[:4], sums[4:]
        n_classes = len(mean)
        curvature = np.empty((n_classes + 1, n_classes + 1))
        curvature[0, 0] = spread.sum() + 1e-12
        curvature[0, 1:] = curvature[1:, 0] = around
        lower = np.tril(products, -1)
        curvature[1:, 1:] = np.diag(mean) - lower - lower.T - np.diag(np.diag(products))
        curvature[1:, 1:] += 1.0 / n_classes  # offsets may all move together
        return np.append(pull.sum(), mean) - self._wanted, curvature
