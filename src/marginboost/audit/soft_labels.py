"""Rows to learn from once an audit has judged their labels.

Problem: a label that is right with probability p says two things, "this class" with weight p and
"most likely that other one" with weight 1 - p. So a row stands twice, once with each label. That is
the expected loss over the true label, for every algorithm that takes weights: nothing is thrown
away, and no row is trusted more than it deserves.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..types import Array

SURE = 0.98
"""Probability of being right from which on a label is not doubted: most rows stand once."""


class SoftRows(NamedTuple):
    """Rows, each as often as it has labels.

    Attributes
    ----------
    rows : array of int
        Numbers of the rows: all in order, then the doubted ones again.
    labels : array of int
        A class for each.
    weights : array
        How far it is believed.
    """

    rows: Array
    labels: Array
    weights: Array

    def among(self, some: Array) -> SoftRows:
        """Those of some rows; ``rows`` are still numbers among all."""
        chosen = np.zeros(int(self.rows.max()) + 1, dtype=bool)
        chosen[some] = True
        kept = chosen[self.rows]
        return SoftRows(*(part[kept] for part in self))


def soft_rows(labels: Array, trust: Array, belief: Array) -> SoftRows:
    """Split every doubted row between its label and the most likely other one.

    Parameters
    ----------
    labels : array of int
        Given classes, as positions.
    trust : array
        Probability that each label is right.
    belief : array (n_rows, n_classes)
        Probability of each class.

    Examples
    --------
    >>> belief = np.array([[0.9, 0.1], [0.8, 0.2]])
    >>> soft_rows(np.array([0, 1]), np.array([1.0, 0.25]), belief)
    SoftRows(rows=array([0, 1, 1]), labels=array([0, 1, 0]), weights=array([1.  , 0.25, 0.75]))
    """
    others = np.array(belief, dtype=np.float64)
    others[np.arange(len(labels)), labels] = -1.0
    doubted = np.flatnonzero(trust < SURE)
    weights = np.ones(len(labels))
    weights[doubted] = trust[doubted]
    return SoftRows(
        np.concatenate([np.arange(len(labels)), doubted]),
        np.concatenate([labels, others.argmax(axis=1)[doubted]]),
        np.concatenate([weights, 1.0 - trust[doubted]]),
    )
