"""Loss-based decoding: from the scores of binary problems to votes for classes.

Problem s says f_s of a row; class r expects M(r, s) of it. The class with the least total loss
``Σ_s L(M(r, s) f_s)`` is chosen. L is an odd function of the normalised vote here, or AdaBoost's
own loss of the score, and votes for classes are minus the loss, scaled to [-1, 1]:

================  ==========================  ======================================================
decoding          -L(z)                       of
================  ==========================  ======================================================
``linear``        z                           votes Σαh / Σ|α| in [-1, 1]
``ramp``          z / 0.1, at most ±1         votes: beyond a margin of 0.1 all count the same
``hamming``       sign z                      votes: only who won
``exponential``   -exp(-z)                    scores Σαh, not normalised
================  ==========================  ======================================================

For one-vs-rest the vote for a class is that of its own problem: whichever the loss, its order is
that of the problems' votes (scores, for ``exponential``).

Reference: Allwein, Schapire & Singer, *Reducing multiclass to binary*, 2000.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import softmax

from ..kernels.ties import TIE
from ..types import Array

DECODINGS = ("auto", "linear", "ramp", "hamming", "exponential")

RAMP = 0.1
"""Margin beyond which a vote counts in full."""

LARGEST_ODDS = 700.0
"""Logarithm of the largest odds: beyond it exponentials overflow."""


@dataclass(frozen=True)
class Decoder:
    """Turns scores of problems into votes for classes.

    Parameters
    ----------
    code : array (classes, problems)
        Entries -1, 0, +1.
    decoding : str
        One of ``DECODINGS``. "auto" is "linear" where every problem knows every class, else "ramp":
        a problem that does not know the class of a row says anything about it, with any size.
    """

    code: Array
    decoding: str = "auto"

    @property
    def loss(self) -> str:
        """The decoding that is meant."""
        if self.decoding != "auto":
            return self.decoding
        return "linear" if self.code.all() else "ramp"

    @property
    def _matrix(self) -> Array:
        """Code by which votes are counted: one-vs-rest counts the class's own problem only."""
        n_classes, n_problems = self.code.shape
        own = np.eye(n_classes)
        alone = n_classes == n_problems and np.array_equal(self.code, 2 * own - 1)
        return own if alone else self.code.astype(np.float64)

    def __call__(self, scores: Array, l1_norms: Array) -> Array:
        """Votes (rows, classes) in [-1, 1].

        Parameters
        ----------
        scores : array (rows, problems)
            Scores F of every problem.
        l1_norms : array (problems,)
            Their Σ|α|.
        """
        if self.loss == "exponential":
            return self._exponential(scores)
        votes = np.clip(scores / np.where(l1_norms > 0, l1_norms, 1.0), -1.0, 1.0)
        if self.loss == "ramp":
            votes = np.clip(votes / RAMP, -1.0, 1.0)
        elif self.loss == "hamming":
            votes = np.sign(votes)
        matrix = self._matrix
        return (votes @ matrix.T) / np.abs(matrix).sum(axis=1).max()

    def _exponential(self, scores: Array) -> Array:
        """``1 - 2 loss / largest loss``, with the largest term taken out so that none overflows."""
        matrix = self._matrix
        largest = np.abs(scores).max(axis=1, keepdims=True)
        most = np.exp(np.abs(scores) - largest).sum(axis=1)
        votes = np.empty((len(scores), len(matrix)))
        for k, row in enumerate(matrix):
            votes[:, k] = 1.0 - 2.0 * np.exp(-row * scores - largest).sum(axis=1) / most
        return votes


def levelled(votes: Array) -> Array:
    """Votes (rows, classes) in which all that are next to the largest are as large.

    They differ by rounding only; the first of them is the class that is predicted.

    >>> levelled(np.array([[0.5, 0.5 + 1e-15, 0.3]])).argmax(axis=1)
    array([0])
    """
    largest = votes.max(axis=1, keepdims=True)
    return np.where(votes > largest - TIE, largest, votes)


def multiclass_margins(votes: Array, labels: Array) -> Array:
    """Half the lead of the own class over the best other one, in [-1, 1].

    Parameters
    ----------
    votes : array (rows, classes)
        Votes in [-1, 1].
    labels : array of int
        Class of each row, counted from 0.

    Examples
    --------
    A margin is positive where the own class has the most votes. Of two classes with opposite votes
    it is the margin of the binary problem:

    >>> multiclass_margins(np.array([[0.5, -0.1, 0.3], [0.2, 0.4, 0.4]]), np.array([0, 1]))
    array([0.1, 0. ])
    >>> multiclass_margins(np.array([[-0.6, 0.6]]), np.array([1]))
    array([0.6])
    """
    rows = np.arange(len(votes))
    others = np.array(votes, dtype=np.float64)
    others[rows, labels] = -np.inf
    return (votes[rows, labels] - others.max(axis=1)) / 2.0


def class_probabilities(link: Callable[[Array], Array], votes: Array, l1_norm: float) -> Array:
    """Probabilities in proportion to the odds that a binary model gives to each class's vote.

    Their order is that of the votes. For one-vs-rest the odds are those of the problems, and the
    product of the problems' probabilities is what is normalised.

    Parameters
    ----------
    link : callable
        From scores to two columns of probabilities.
    votes : array (rows, classes)
        Votes in [-1, 1].
    l1_norm : float
        Σ|α|, which turns votes into scores.
    """
    chances = link(votes.ravel() * l1_norm)
    with np.errstate(divide="ignore"):
        odds = np.log(chances[:, 1]) - np.log(chances[:, 0])
    odds = np.clip(odds, -LARGEST_ODDS, LARGEST_ODDS).reshape(votes.shape)
    return softmax(odds + 1e-9 * votes, axis=1)  # votes tell odds apart that are at the limit


def class_shares(link: Callable[[Array], Array], votes: Array, l1_norm: float) -> Array:
    """Probabilities in proportion to those that binary models, one per class, give to each class.

    Where each model says truly how likely its class is, they already sum to one. Their order is
    that of the votes. Parameters as of :func:`class_probabilities`.

    >>> link = lambda scores: np.column_stack([1.0 - scores, scores])
    >>> class_shares(link, np.array([[0.2, 0.2, 0.1]]), 1.0).round(6)
    array([[0.4, 0.4, 0.2]])
    """
    chances = link(votes.ravel() * l1_norm)[:, 1].reshape(votes.shape)
    with np.errstate(divide="ignore"):
        logarithms = np.maximum(np.log(chances), -LARGEST_ODDS)
    return softmax(logarithms + 1e-9 * votes, axis=1)  # votes tell apart what is at the limit
