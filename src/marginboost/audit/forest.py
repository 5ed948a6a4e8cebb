"""A random forest on binned rows, whose trees are hypotheses like any other.

Problem: boosted trees follow every wrong label a little; many deep trees with random cuts, each
wrong in its own way, average such labels away. scikit-learn grows them on the codes of a
:class:`~marginboost.BinnedMatrix`, so every cut is one between bins and can be written as a
:class:`~marginboost.oracles.tree_hypothesis.Tree` on the values themselves: files, predictions and
importances need nothing of scikit-learn.

Reference: Geurts, Ernst & Wehenkel, *Extremely randomized trees*, 2006.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import ExtraTreesClassifier

from ..core.hypothesis import Hypothesis
from ..data import BinnedMatrix
from ..kernels.trees import NODE
from ..oracles.label_hypotheses import LabelTree
from ..oracles.tree_hypothesis import Tree, with_categories
from ..types import Array


class BinnedForest(ClassifierMixin, BaseEstimator):
    """Extremely randomised trees that read a BinnedMatrix.

    Categories are cut by their order, and a missing value lies behind the last bin.

    Parameters
    ----------
    n_estimators : int
        Number of trees.
    min_samples_leaf : int
        Least number of rows in a leaf.
    n_jobs : int or None
        Threads.
    random_state : int
        Seed.
    """

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        min_samples_leaf: int = 3,
        n_jobs: int | None = None,
        random_state: Any = 0,
    ) -> None:
        self.n_estimators = n_estimators
        self.min_samples_leaf = min_samples_leaf
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: BinnedMatrix, y: Array, sample_weight: Array | None = None) -> Self:
        """Grow the trees."""
        self.forest_ = ExtraTreesClassifier(
            self.n_estimators,
            min_samples_leaf=self.min_samples_leaf,
            n_jobs=self.n_jobs,
            random_state=self.random_state,
        ).fit(_codes(X), y, sample_weight)
        self.classes_ = self.forest_.classes_
        self.bins_ = X
        return self

    def predict_proba(self, X: BinnedMatrix) -> Array:
        """Mean of the shares in the leaves, tree after tree: threads would add in any order."""
        codes = _codes(X)
        total = np.zeros((len(codes), len(self.classes_)))
        for tree in self.forest_.estimators_:
            total += tree.predict_proba(codes, check_input=False)
        return total / len(self.forest_.estimators_)

    def predict(self, X: BinnedMatrix) -> Array:
        """Most likely class."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def hypotheses(self) -> list[Hypothesis]:
        """The trees: of two classes the lead of the second's share, of more one label per leaf."""
        return [_hypothesis(tree.tree_, self.bins_) for tree in self.forest_.estimators_]


def _codes(bins: BinnedMatrix) -> Array:
    return bins.codes.T.astype(np.float32)


def _hypothesis(grown: Any, bins: BinnedMatrix) -> Hypothesis:
    """One of scikit-learn's trees on codes as a tree on values."""
    shares = grown.value[:, 0, :] / grown.value[:, 0, :].sum(axis=1, keepdims=True)
    leaves = grown.children_left < 0
    if shares.shape[1] == 2:
        return _tree(grown, bins, np.where(leaves, shares[:, 1] - shares[:, 0], 0.0))
    answers = np.where(leaves, shares.argmax(axis=1), 0).astype(np.int32)
    no_sets = np.empty((0, shares.shape[1]), np.int8)
    return LabelTree(_tree(grown, bins, np.zeros(len(leaves))), answers, no_sets)


def _tree(grown: Any, bins: BinnedMatrix, values: Array) -> Tree:
    left, right, weight = grown.children_left, grown.children_right, grown.weighted_n_node_samples
    inner = np.flatnonzero(left >= 0)
    nodes = np.zeros(len(left), NODE)
    nodes["feature"] = nodes["left"] = nodes["right"] = -1
    nodes["value"] = np.clip(values, -1.0, 1.0)
    nodes["feature"][inner] = grown.feature[inner]
    nodes["left"][inner], nodes["right"][inner] = left[inner], right[inner]
    spread = weight * grown.impurity
    gain = spread[inner] - spread[left[inner]] - spread[right[inner]]
    nodes["gain"][inner] = np.maximum(gain, 0.0)
    # A split that saw no missing value sends one to its heavier side.
    heavier = weight[left[inner]] >= weight[right[inner]]
    nodes["missing_left"][inner] = heavier & ~bins.has_missing[grown.feature[inner]]
    sets: list[Sequence[int] | None] = [None] * len(left)
    for k in inner:
        j, last = grown.feature[k], int(np.floor(grown.threshold[k]))
        if last >= bins.n_bins[j] - 1:
            nodes["threshold"][k] = np.inf  # all that are present
        elif bins.categories[j] is None:
            nodes["threshold"][k] = bins.cuts[j][last]
        else:
            sets[k] = range(last + 1)
    if all(codes is None for codes in sets):
        return Tree(nodes, np.empty(0, np.int32))
    return Tree(*with_categories(nodes, sets))
