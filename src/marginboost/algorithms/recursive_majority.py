"""Schapire's first booster: majorities of three, within majorities of three (CH-M1).

Problem: make the error of a base learner small when nothing is known but that it is below one half.
From a distribution learn a first hypothesis; from the same with the rows that it has right and
those that it has wrong at one half each, learn a second; from the rows where both differ, a third.
The majority of the three, with errors of at most α each on its own distribution, has an error on
the first one of at most

    g(α) = 3 α² - 2 α³ < α      (for 0 < α < ½).

Used on itself k times, this is a tree of majorities of 3^k hypotheses. It is not a weighted vote,
and no rule of the loop; here it works on a weighted sample in place of an endless stream.

Reference: Schapire, *The strength of weak learnability*, 1990.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core.hypothesis import Hypothesis
from ..core.oracle import Oracle
from ..core.sample import Sample
from ..types import Array


@dataclass(frozen=True)
class RecursiveMajority:
    """A hypothesis, or the majority of three.

    Attributes
    ----------
    parts : tuple
        One hypothesis, or three majorities.
    errors : tuple of float
        Errors of the parts, each on the distribution that it was learnt from.
    """

    parts: tuple[Hypothesis | RecursiveMajority, ...]
    errors: tuple[float, ...]

    def __call__(self, rows: Array) -> Array:
        """Answers -1 and +1 on dense rows."""
        votes = np.sum([np.where(np.asarray(part(rows)) > 0, 1, -1) for part in self.parts], axis=0)
        return np.where(votes > 0, 1, -1)

    @property
    def size(self) -> int:
        """Number of hypotheses."""
        return sum(part.size if isinstance(part, RecursiveMajority) else 1 for part in self.parts)


def error_of_three(error: float) -> float:
    """``g(α) = 3 α² - 2 α³``: error of a majority of three with this error each.

    >>> round(error_of_three(0.3), 6)
    0.216
    """
    return 3.0 * error**2 - 2.0 * error**3


def recursive_majority(sample: Sample, oracle: Oracle, depth: int) -> RecursiveMajority:
    """Learn a tree of majorities of three.

    Where a part is without error, or nothing is left to learn from, the other parts are that one.

    Parameters
    ----------
    sample : Sample
        Rows with labels ±1.
    oracle : Oracle
        The base learner, not bound.
    depth : int
        How often majorities are made of majorities; 0 is one hypothesis.
    """
    if depth < 0:
        raise ValueError(f"depth: got {depth!r}, expected 0 or more")
    return _learn(sample, oracle.bind(sample), sample.prior, depth)[0]


def _learn(
    sample: Sample, oracle: Oracle, weights: Array, depth: int
) -> tuple[RecursiveMajority, Array]:
    """Majority of this depth under these weights, and its answers on the sample."""
    if depth == 0:
        best = oracle.best(sample.y * weights)[0]
        said = np.where(best.column > 0, 1, -1)
        return RecursiveMajority((best.hypothesis,), (_error(sample, said, weights),)), said
    first, at_first = _learn(sample, oracle, weights, depth - 1)
    parts, answers = [first], [at_first]
    errors = [_error(sample, at_first, weights)]
    for filtered in (_half_wrong, _disputed):
        share = filtered(sample, answers, weights)
        if share is None:
            part, at = parts[0], answers[0]
            share = weights
        else:
            part, at = _learn(sample, oracle, share, depth - 1)
        parts.append(part)
        answers.append(at)
        errors.append(_error(sample, at, share))
    vote = np.where(np.sum(answers, axis=0) > 0, 1, -1)
    return RecursiveMajority(tuple(parts), tuple(errors)), vote


def _error(sample: Sample, answers: Array, weights: Array) -> float:
    return float(weights[answers != sample.y].sum())


def _half_wrong(sample: Sample, answers: list[Array], weights: Array) -> Array | None:
    """Rows that the first part has right at one half, the others at one half."""
    wrong = answers[0] != sample.y
    error = float(weights[wrong].sum())
    if not 0.0 < error < 1.0:
        return None
    return np.asarray(0.5 * weights * np.where(wrong, 1.0 / error, 1.0 / (1.0 - error)))


def _disputed(sample: Sample, answers: list[Array], weights: Array) -> Array | None:
    """Rows where the first two parts differ."""
    share = np.where(answers[0] != answers[1], weights, 0.0)
    total = float(share.sum())
    return share / total if total > 0.0 else None
