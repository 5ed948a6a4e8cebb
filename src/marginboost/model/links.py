"""Links: from the score of a row to the probabilities of its classes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import expit, softmax

from ..kernels.ties import TIE
from ..types import Array

if TYPE_CHECKING:
    from ..losses import ClassLoss, Loss

LARGEST_LOG_ODDS = 13.8
"""Of a million to one: nobody has compared more votes with labels than that."""

NEXT_TO_EVEN = 1e-6
"""Odds of votes that the sigmoid puts on the other side: next to even, and still in order."""

LEAST_CHANCE, LARGEST_CHANCE = 1e-300, float(np.nextafter(1.0, 0.0))
"""No probability is 0 or 1; what lies between is left as it is, and with it the order of rows."""


def inside(chances: Array) -> Array:
    """Probabilities that are neither 0 nor 1, in the same order; rows sum to one, but for rounding.

    >>> inside(np.array([[0.0, 1.0], [0.25, 0.75]])).tolist()
    [[1e-300, 0.9999999999999999], [0.25, 0.75]]
    """
    return np.clip(chances, LEAST_CHANCE, LARGEST_CHANCE)


class Link(ABC):
    """What the scores of a model say about the probabilities of the classes."""

    @abstractmethod
    def __call__(self, scores: Array, l1_norm: float) -> Array:
        """Probabilities (rows, classes) of scores ``F = Σ α h(x)`` of a model with this Σ|α|."""


class SymmetricLink(Link):
    """A link of two classes that treats both alike: P(first) at F is P(second) at -F."""

    @abstractmethod
    def second(self, scores: Array, l1_norm: float) -> Array:
        """Probability of the second class."""

    def __call__(self, scores: Array, l1_norm: float) -> Array:
        """Probabilities of both classes."""
        return np.column_stack([self.second(-scores, l1_norm), self.second(scores, l1_norm)])


@dataclass(frozen=True)
class LogisticLink(SymmetricLink):
    """Scores are log-odds, or a part of them: ``1 / (1 + exp(-factor F))``.

    The exponential loss is smallest where F is half the log-odds (factor 2), the logistic loss
    where it is the log-odds (factor 1).
    """

    factor: float = 2.0

    def second(self, scores: Array, l1_norm: float) -> Array:
        """Probability of the second class."""
        return np.asarray(expit(self.factor * scores))


@dataclass(frozen=True)
class VoteLink(SymmetricLink):
    """Shares of the vote, for models whose scores are no log-odds: ``(1 + F / Σ|α|) / 2``.

    Where the labels are at hand, in a fit, a :class:`SigmoidLink` takes its place.
    """

    def second(self, scores: Array, l1_norm: float) -> Array:
        """Probability of the second class."""
        return (1.0 + np.clip(scores / (l1_norm or 1.0), -1.0, 1.0)) / 2.0


@dataclass(frozen=True)
class SigmoidLink(Link):
    """Votes compared with labels that the model had not seen: Platt's sigmoid.

    Of two classes P(second) is ``1 / (1 + exp(-slope v - offset))`` at the vote v; of more, with a
    vote and an offset for each, P is in proportion to ``exp(slope v_l + offset_l)``. The class
    with the largest vote, which is predicted, is never less likely than another: where the sigmoid
    says so, as it may of a rare class, they are equally likely. No probability is 0 or 1: no
    logarithm of odds is larger than 13.8.

    Attributes
    ----------
    slope : float
        Above 0, so that probabilities are in the order of votes.
    offsets : tuple of float
        One for each class; of two classes one alone.
    """

    slope: float
    offsets: tuple[float, ...]

    def __call__(self, scores: Array, l1_norm: float) -> Array:
        """Probabilities of all classes."""
        votes = np.clip(scores / (l1_norm or 1.0), -1.0, 1.0)
        odds = self.slope * votes + (self.offsets if votes.ndim == 2 else self.offsets[0])
        if votes.ndim == 1:
            even = NEXT_TO_EVEN * votes
            odds = np.where(votes > 0.0, np.maximum(odds, even), np.minimum(odds, even))
            odds = np.clip(odds, -LARGEST_LOG_ODDS, LARGEST_LOG_ODDS)
            return np.column_stack([expit(-odds), expit(odds)])
        first = (votes > votes.max(axis=1, keepdims=True) - TIE).argmax(axis=1)
        rows = np.arange(len(votes))
        odds[rows, first] = np.maximum(odds[rows, first], odds.max(axis=1) + NEXT_TO_EVEN)
        odds -= odds.max(axis=1, keepdims=True)
        return np.asarray(softmax(np.maximum(odds, -LARGEST_LOG_ODDS), axis=1))


@dataclass(frozen=True)
class LossLink(SymmetricLink):
    """The probability at which a score minimises the expected loss."""

    loss: Loss

    def second(self, scores: Array, l1_norm: float) -> Array:
        """Probability of the second class."""
        return self.loss.probability(scores)


@dataclass(frozen=True)
class ClassLossLink(Link):
    """Class probabilities for which one score per class has the least expected loss."""

    loss: ClassLoss

    def __call__(self, scores: Array, l1_norm: float) -> Array:
        """Probabilities of all classes."""
        return self.loss.chances(scores)


@dataclass(frozen=True)
class SoftmaxLink(Link):
    """One score per class, probabilities in proportion to ``exp F(x, l)``.

    That is the link of the multiclass exponential loss and of the pseudo-loss.
    """

    def __call__(self, scores: Array, l1_norm: float) -> Array:
        """Probabilities of all classes."""
        return np.asarray(softmax(scores, axis=1))
