"""Which doubted rows are flagged, so that the expected share of false alarms is bounded."""

from __future__ import annotations

import numpy as np

from ..types import Array


def flag(score: Array, doubted: Array, fdr: float) -> Array:
    """Flag the most suspect of the doubted rows, so that the mean score of the flagged is ≤ fdr.

    The score of a row is the probability that its label is right, hence the mean over the flagged
    rows is the expected share of false alarms. That is about all of them together; so that nothing
    false is said about a single one, none is flagged that is more likely right than wrong.

    >>> flag(np.array([0.0, 0.1, 0.3, 0.9]), np.array([True, True, True, False]), 0.1).tolist()
    [True, True, False, False]
    >>> flag(np.array([0.0, 0.0, 0.0, 0.6]), np.full(4, True), 0.2).tolist()
    [True, True, True, False]
    """
    doubted = doubted & (score < 0.5)
    order = np.flatnonzero(doubted)[np.argsort(score[doubted], kind="stable")]
    means = np.cumsum(score[order]) / np.arange(1, len(order) + 1)
    flagged = np.zeros(len(score), dtype=bool)
    flagged[order[: int(np.searchsorted(means, fdr, side="right"))]] = True
    return flagged
