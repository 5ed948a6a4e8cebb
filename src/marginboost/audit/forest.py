"""A random forest on binned rows, whose trees are hypotheses like any other.

Problem: boosted trees follow every wrong label a little; many deep trees with random cuts, each
wrong in its own way, average such labels away. They are grown on the codes of a
:class:`~marginboost.BinnedMatrix`, so every cut is one between bins and can be written as a
:class:`~marginboost.oracles.tree_hypothesis.Tree` on the values themselves.

Trees are those of scikit-learn's ``ExtraTreesClassifier`` on the codes, bit for bit; its estimators
of single trees would cost ten times as much as growing the trees of a small table.

Reference: Geurts, Ernst & Wehenkel, *Extremely randomized trees*, 2006.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from ..core.hypothesis import Hypothesis
from ..data import BinnedMatrix
from ..kernels.parallel import resolve_n_jobs, run_blocks
from ..kernels.random_trees import LARGEST, RandomTree, add_shares, grow_random_tree
from ..kernels.trees import NODE
from ..oracles.label_hypotheses import LabelTree
from ..oracles.tree_hypothesis import Tree, with_categories
from ..types import Array
from ..validation import random_numbers
from .linear import frequent_categories

MOST_LEVELS = 64
"""Categories of a feature that a forest tells apart, the rare ones together as one of them."""


class BinnedForest(ClassifierMixin, BaseEstimator):
    """Extremely randomised trees that read a BinnedMatrix.

    Categories are cut by their order, those that are rare together as one behind the others, and a
    missing value lies behind the last bin.

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
        """Grow the trees, each looking at √n_features features for a split."""
        self.classes_, labels = np.unique(y, return_inverse=True)
        weights = np.ones(len(labels)) if sample_weight is None else sample_weight
        seeds = random_numbers(self.random_state).randint(LARGEST, size=self.n_estimators)
        limits = max(1, math.isqrt(X.n_features)), self.min_samples_leaf
        self.levels_ = _frequent_levels(X)
        codes, n_classes = self._codes(X), len(self.classes_)
        trees: list[Any] = [None] * len(seeds)

        def grow(t: int) -> None:
            start = _first_state(int(seeds[t]))
            trees[t] = grow_random_tree(codes, labels, weights, n_classes, limits, start)

        run_blocks(grow, len(seeds), resolve_n_jobs(self.n_jobs))
        self.trees_: list[RandomTree] = trees
        self.bins_ = X
        return self

    def predict_proba(self, X: BinnedMatrix) -> Array:
        """Mean of the shares in the leaves, added tree after tree."""
        total = np.zeros((X.n_rows, len(self.classes_)))
        nodes = np.concatenate([tree.nodes for tree in self.trees_])
        shares = np.concatenate([tree.shares for tree in self.trees_])
        roots = np.cumsum([0, *(len(tree.nodes) for tree in self.trees_[:-1])])
        add_shares(self._codes(X), nodes, roots, shares, total)
        return total / len(self.trees_)

    def predict(self, X: BinnedMatrix) -> Array:
        """Most likely class."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def hypotheses(self) -> list[Hypothesis]:
        """The trees: of two classes the lead of the second's share, of more one label per leaf."""
        starts = np.cumsum([0, *(len(cuts) for cuts in self.bins_.cuts)])
        cuts = Cuts(self.bins_, starts, np.concatenate([*self.bins_.cuts, [np.inf]]), self.levels_)
        return [_hypothesis(tree, cuts) for tree in self.trees_]

    def _codes(self, X: BinnedMatrix) -> Array:
        """Codes of rows, rare categories as one."""
        codes = X.codes.astype(np.int32)
        for j, kept in self.levels_.items():
            joined = np.full(X.n_bins[j] + 1, len(kept), np.int32)
            joined[kept] = np.arange(len(kept))
            joined[-1] = len(kept) + 1  # missing
            codes[j] = joined[codes[j]]
        return codes


def _frequent_levels(bins: BinnedMatrix) -> dict[int, Array]:
    """Codes that are not joined, of each feature with many categories.

    A cut by order names all categories on its left: with thousands of them a forest would be mostly
    such names, of categories that no row in the node has.
    """
    many = [
        j
        for j, known in enumerate(bins.categories)
        if known is not None and bins.n_bins[j] > MOST_LEVELS
    ]
    counts = {j: np.bincount(bins.codes[j], minlength=bins.n_bins[j]) for j in many}
    return {
        j: np.sort(frequent_categories(counts[j][: bins.n_bins[j]], MOST_LEVELS - 1)) for j in many
    }


class Cuts(NamedTuple):
    """How cuts between codes are cuts between values.

    Attributes
    ----------
    bins : BinnedMatrix
        Rows that were learnt from.
    starts, values : arrays
        Cuts of all features, those of feature j from ``starts[j]`` on.
    levels : dict
        Codes of the categories that are not joined, where some are.
    """

    bins: BinnedMatrix
    starts: Array
    values: Array
    levels: dict[int, Array]

    def last_code(self) -> Array:
        """Largest code of each feature that is not a missing value."""
        last = self.bins.n_bins - 1
        for j, kept in self.levels.items():
            last[j] = len(kept)
        return last

    def up_to(self, feature: int, last: int) -> Sequence[int]:
        """Categories whose code is at most that."""
        if feature in self.levels:
            return self.levels[feature][: last + 1].tolist()
        return range(last + 1)


@lru_cache(maxsize=1024)
def _first_state(seed: int) -> int:
    """Where the generator of the tree with this seed begins; all folds have the same seeds."""
    return int(np.random.RandomState(seed).randint(LARGEST))


def _hypothesis(grown: RandomTree, cuts: Cuts) -> Hypothesis:
    """A tree on codes as one on values."""
    shares = grown.shares / grown.shares.sum(axis=1, keepdims=True)
    leaves = grown.nodes[:, 0] < 0
    if shares.shape[1] == 2:
        lead = np.where(leaves, shares[:, 1] - shares[:, 0], 0.0)
        return _tree(grown, cuts, lead)
    answers = np.where(leaves, shares.argmax(axis=1), 0).astype(np.int32)
    no_sets = np.empty((0, shares.shape[1]), np.int8)
    tree = _tree(grown, cuts, np.zeros(len(leaves)))
    return LabelTree(tree, answers, no_sets)


def _tree(grown: RandomTree, cuts: Cuts, values: Array) -> Tree:
    bins = cuts.bins
    inner = np.flatnonzero(grown.nodes[:, 0] >= 0)
    feature, last, left, right = grown.nodes[inner].T
    nodes = np.zeros(len(grown.nodes), NODE)
    nodes["feature"], nodes["left"] = grown.nodes[:, 0], grown.nodes[:, 2]
    nodes["right"] = grown.nodes[:, 3]
    nodes["value"] = np.clip(values, -1.0, 1.0)
    weight, spread = grown.weight, grown.weight * grown.impurity
    gain = spread[inner] - spread[left] - spread[right]
    nodes["gain"][inner] = np.maximum(gain, 0.0)
    # A split that saw no missing value sends one to its heavier side.
    heavier = weight[left] >= weight[right]
    nodes["missing_left"][inner] = heavier & ~bins.has_missing[feature]
    everything = last >= cuts.last_code()[feature]  # all that are present go left
    named = np.array([known is not None for known in bins.categories])[feature] & ~everything
    numeric = ~everything & ~named
    nodes["threshold"][inner[everything]] = np.inf
    nodes["threshold"][inner[numeric]] = cuts.values[cuts.starts[feature[numeric]] + last[numeric]]
    if not named.any():
        return Tree(nodes, np.empty(0, np.int32))
    sets: list[Sequence[int] | None] = [None] * len(nodes)
    for k in np.flatnonzero(named):
        sets[inner[k]] = cuts.up_to(int(feature[k]), int(last[k]))
    return Tree(*with_categories(nodes, sets))
