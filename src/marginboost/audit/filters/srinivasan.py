"""Exceptions that compress, and noise that does not (CH-A16f).

A theory is a decision tree, sent with the errors it makes. A rule of its own for some exceptions
pays if naming its condition costs fewer bits than listing the exceptions as errors; what remains to
be listed is noise. So the tree is grown until it fits and pruned from below to the shortest
message:

    leaf:   log2(n + 1) + log2 C(n, e) + e log2(K - 1)   how many of n rows err, which, their class
    split:  log2 d + log2(cuts) + both sides             which feature, which cut
    and one bit per node for which of the two it is.

Srinivasan and others do this for logical theories; the tree is their setting without variables.

Reference: Srinivasan, Muggleton & Bain, *Distinguishing exceptions from noise in non-monotonic
learning*, 1992.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import gammaln
from sklearn.tree import DecisionTreeClassifier

from ...types import Array
from ..folds import SEED
from .base import NoiseFilter


class SrinivasanFilter(NoiseFilter):
    """Flag rows that the shortest theory lists as errors.

    Any number of classes; complete numeric rows.

    Attributes
    ----------
    flagged_ : array of bool
        The rows flagged.
    exceptions_ : array of bool
        Rows that go against the majority of the node above but have a rule of their own.
    score_ : array
        Minus the bits spent on listing the row as an error; 0 for all others.
    bits_ : float
        Length of the message.
    """

    def _find(self, X: Array, y: Array) -> tuple[Array, Array]:
        tree = DecisionTreeClassifier(criterion="entropy", random_state=SEED).fit(X, y)
        theory = _Theory.shortest(tree, _cut_bits(X))
        self.bits_ = float(theory.bits[0])
        codes = np.searchsorted(tree.classes_, y)
        leaf, above = theory.find_leaves(tree, X)
        noisy = theory.label[leaf] != codes
        self.exceptions_ = ~noisy & (theory.label[above] != codes)
        share = theory.error_bits / np.maximum(theory.errors, 1)
        return np.where(noisy, -share[leaf], 0.0), noisy


@dataclass(frozen=True)
class _Theory:
    """Nodes of a grown tree, and which of them are leaves of the shortest message."""

    label: Array
    errors: Array
    error_bits: Array
    bits: Array
    is_leaf: Array

    @classmethod
    def shortest(cls, tree: DecisionTreeClassifier, cut_bits: Array) -> _Theory:
        """Prune from below; scikit-learn numbers children after their parents."""
        nodes: Any = tree.tree_
        size = nodes.n_node_samples
        counts = np.rint(nodes.value[:, 0, :] * size[:, None])
        errors = size - counts.max(axis=1)
        error_bits = np.log2(size + 1.0) + _log2_choose(size, errors)
        error_bits += errors * np.log2(counts.shape[1] - 1.0)
        bits, is_leaf = 1.0 + error_bits, np.ones(len(size), dtype=bool)
        for node in range(len(size) - 1, -1, -1):
            left, right = nodes.children_left[node], nodes.children_right[node]
            if left < 0:
                continue
            split = 1.0 + cut_bits[nodes.feature[node]] + bits[left] + bits[right]
            if split < bits[node]:
                bits[node], is_leaf[node] = split, False
        return cls(counts.argmax(axis=1), errors, error_bits, bits, is_leaf)

    def find_leaves(self, tree: DecisionTreeClassifier, X: Array) -> tuple[Array, Array]:
        """Leaf of each row and the node above it; the root is above itself."""
        path = tree.decision_path(X)
        leaf, above = np.zeros(len(X), dtype=int), np.zeros(len(X), dtype=int)
        for i in range(len(X)):
            nodes = path.indices[path.indptr[i] : path.indptr[i + 1]]
            depth = int(np.argmax(self.is_leaf[nodes]))
            leaf[i], above[i] = nodes[depth], nodes[max(depth - 1, 0)]
        return leaf, above


def _cut_bits(X: Array) -> Array:
    """Bits to name a feature and one of its cuts."""
    distinct = np.array([len(np.unique(column)) for column in X.T])
    return np.log2(X.shape[1]) + np.log2(np.maximum(distinct - 1, 1))


def _log2_choose(n: Array, k: Array) -> Array:
    return (gammaln(n + 1.0) - gammaln(k + 1.0) - gammaln(n - k + 1.0)) / np.log(2.0)
