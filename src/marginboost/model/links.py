"""Links: from the score of a row to the probabilities of its classes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, softmax

from ..losses import Loss
from ..types import Array


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
    """Shares of the vote, for models whose scores are no log-odds: ``(1 + F / Σ|α|) / 2``."""

    def second(self, scores: Array, l1_norm: float) -> Array:
        """Probability of the second class."""
        return (1.0 + np.clip(scores / (l1_norm or 1.0), -1.0, 1.0)) / 2.0


@dataclass(frozen=True)
class LossLink(SymmetricLink):
    """The probability at which a score minimises the expected loss."""

    loss: Loss

    def second(self, scores: Array, l1_norm: float) -> Array:
        """Probability of the second class."""
        return self.loss.probability(scores)


@dataclass(frozen=True)
class SoftmaxLink(Link):
    """One score per class, probabilities in proportion to ``exp F(x, l)``.

    That is the link of the multiclass exponential loss and of the pseudo-loss.
    """

    def __call__(self, scores: Array, l1_norm: float) -> Array:
        """Probabilities of all classes."""
        return np.asarray(softmax(scores, axis=1))
