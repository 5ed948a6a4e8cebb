"""Trees of several classes as base learners (CH-A2, CH-A3, CH-A5; SF-B3).

The weights of a round are a signed matrix, one number an example and label
(:meth:`LabelSample.label_weights`). With S_l the sum of label l over a leaf, the best set of labels
to answer with is all l with S_l > 0, the best single label that of the largest S_l. Splits raise
the worth of the leaves:

=============  ===================================  ================================================
criterion      worth of a node of weight W          what a split does
=============  ===================================  ================================================
``edge``       Σ|S_l| (sets), max S_l (labels)      raises the edge of the tree most
``gini``       Σ S_l² / W                           CART, for several labels at once
``entropy``    Σ S_l log2(S_l / W)                  ID3; only where no weight is negative
=============  ===================================  ================================================

A tree of one split, chosen by ``edge``, is found exactly; deeper trees are grown greedily.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core.labels import LabelSample, narrowed
from ..core.oracle import Candidate, Oracle
from ..core.types import Array
from ..core.weights import Weights
from ..data import BinnedMatrix
from ..kernels.label_trees import (
    ENTROPY,
    GINI,
    LABEL_NODE,
    ONE,
    SETS,
    LabelWeights,
    grow_labels,
    search_labels,
)
from ..kernels.parallel import run_blocks
from ..kernels.stumps import CATEGORY, THRESHOLD, TIE
from ..kernels.trees import NODE, SPLIT
from ..kernels.weights import weighted_sum
from ..validation import check_choice, check_number
from .any_sklearn import check_takes_weights, seeded
from .histograms import SERIAL_WORK
from .label_hypotheses import FittedLabels, LabelTree
from .pruning import cheapest_subtree, pessimistic_error
from .tree_hypothesis import Tree, with_categories

CRITERIA = ("edge", "gini", "entropy")
PRUNING = (None, "cost_complexity", "pessimistic")
UNLIMITED = 1 << 30
FEATURES_AT_ONCE = 4


class LabelOracle(Oracle):
    """A base learner of several classes: its hypotheses give a number a label."""

    sample: LabelSample


class LabelTreeOracle(LabelOracle):
    """Grow one decision tree a round whose leaves answer with a label, or with a set of labels.

    Cuts are those between the bins; each split learns a side for missing values, and a node that
    saw none sends them to its heavier child. A category is split from the rest. Ties go to the
    lowest feature, then the lowest cut, then the lowest label. A split that gains nothing is not
    made.

    Parameters
    ----------
    max_depth : int or None
        Most splits between root and leaf.
    max_leaves : int or None
        Most leaves; then the split with the largest gain is made first.
    criterion : {"gini", "edge", "entropy"}
        What a split should improve.
    answers : {"label", "set"}
        Whether a leaf answers with one label, or with any set of them.
    min_leaf_weight : float
        Least share of the total weight in a leaf.
    prune : {None, "cost_complexity", "pessimistic"}
        Which splits are taken back: those that lower the weighted error by less than ``ccp_alpha``
        a leaf, or those that do not lower the pessimistic estimate of the error of C4.5.
    ccp_alpha : float
        Price of a leaf.
    confidence : float
        Probability of the pessimistic limit; smaller prunes more.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from marginboost import LabelTreeOracle, SAMMEClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SAMMEClassifier(LabelTreeOracle(max_leaves=4), n_estimators=20).fit(X, y)
    >>> model.estimators_[0]
    LabelTree(n_leaves=4, n_labels=3)
    """

    saved = True
    needs_bins = True

    def __init__(
        self,
        max_depth: int | None = 3,
        max_leaves: int | None = None,
        criterion: str = "gini",
        answers: str = "label",
        min_leaf_weight: float = 0.0,
        prune: str | None = None,
        ccp_alpha: float = 0.0,
        confidence: float = 0.25,
    ) -> None:
        self.max_depth = max_depth
        self.max_leaves = max_leaves
        self.criterion = criterion
        self.answers = answers
        self.min_leaf_weight = min_leaf_weight
        self.prune = prune
        self.ccp_alpha = ccp_alpha
        self.confidence = confidence

    def prepare(self) -> None:
        """Check the settings against the sample."""
        self._check_settings()
        bins, sample = self.sample.bins, self.sample
        if not isinstance(sample, LabelSample) or bins is None:
            raise ValueError("LabelTreeOracle: expected a sample of several classes, binned")
        if self.criterion == "entropy" and not sample.one_label:
            raise ValueError(
                "criterion: got 'entropy', expected 'gini' or 'edge' where weights have signs"
            )
        if self.answers == "set" and sample.one_label:
            raise ValueError(
                "answers: got 'set', expected 'label': the set of all labels would always be right"
            )
        self._bins = bins
        kinds = [THRESHOLD if known is None else CATEGORY for known in bins.categories]
        self._features = np.column_stack([kinds, bins.n_bins]).astype(np.int64)
        split_once = self.max_depth == 1 or self.max_leaves == 2
        taken_back = self.prune is not None or self.min_leaf_weight > 0
        self.exact = split_once and self.criterion == "edge" and not taken_back
        self.closed = self.answers == "set"
        what = "a label" if self.answers == "label" else "a set of labels"
        grown = "one split" if self.exact else "trees grown greedily"
        self.class_name = f"{grown} with cuts between the bins and {what} at each leaf"

    def _check_settings(self) -> None:
        check_choice("criterion", self.criterion, CRITERIA)
        check_choice("answers", self.answers, ("label", "set"))
        check_choice("prune", self.prune, PRUNING)
        if self.max_depth is not None:
            check_number("max_depth", self.max_depth, at_least=1, integer=True)
        if self.max_leaves is not None:
            check_number("max_leaves", self.max_leaves, at_least=2, integer=True)
        check_number("min_leaf_weight", self.min_leaf_weight, at_least=0.0, at_most=1.0)
        check_number("ccp_alpha", self.ccp_alpha, at_least=0.0)
        check_number("confidence", self.confidence, above=0.0, below=1.0)

    def find(self, weights: Weights, k: int, round: int) -> list[Candidate]:
        """One tree."""
        dual = weights.dual
        grown = self._grow(self._weights(dual))
        nodes, sums = self._pruned(*grown.tree)
        answers, sets = self._answers(nodes, sums)
        tree = LabelTree(_tree(nodes, self._bins), answers, sets)
        column = self._column(nodes, tree, grown.rows)
        return [Candidate(tree, weighted_sum(dual, column), column)]

    def _weights(self, dual: Array) -> LabelWeights:
        """Weights as growth reads them; it rearranges all but the matrix."""
        sample = self.sample
        rows = np.arange(len(sample.labels), dtype=np.uint32)
        labels = sample.labels.astype(np.int32)
        if sample.one_label:
            return LabelWeights(rows, labels, dual.copy(), np.zeros((0, sample.n_classes)))
        dense = np.ascontiguousarray(sample.label_weights(dual))
        return LabelWeights(rows, labels, np.abs(dense).sum(axis=1), dense)

    def _grow(self, weights: LabelWeights) -> Growth:
        """Search the root with all threads; the rest of the tree is one call."""
        codes, features = self._bins.codes, self._features
        criterion = {"gini": GINI, "entropy": ENTROPY}.get(
            self.criterion, ONE if self.answers == "label" else SETS
        )
        limits = (criterion, max(self.min_leaf_weight - TIE, TIE))
        n_labels, splits = self.sample.n_classes, np.zeros(len(features), SPLIT)
        dense = len(weights.dense) > 0
        total = (
            weights.dense.sum(axis=0)
            if dense
            else np.bincount(weights.labels, weights=weights.amounts, minlength=n_labels)
        )

        def search(block: int) -> None:
            part = slice(block * FEATURES_AT_ONCE, (block + 1) * FEATURES_AT_ONCE)
            search_labels(codes[part], features[part], weights, total, limits, splits[part])

        work = codes.size * (n_labels if dense else 1)
        n_threads = self.sample.n_threads if work > SERIAL_WORK else 1
        run_blocks(search, -(-len(features) // FEATURES_AT_ONCE), n_threads)
        depth = min(self.max_depth or UNLIMITED, UNLIMITED)
        leaves = min(self.max_leaves or UNLIMITED, len(weights.rows), 1 << min(depth, 30))
        nodes, sums = np.zeros(2 * leaves, LABEL_NODE), np.zeros((2 * leaves, n_labels))
        shape = (depth, self.max_leaves or 0)
        size = grow_labels(codes, features, weights, limits, shape, splits, nodes, sums)
        return Growth(weights.rows, (nodes[:size], sums[:size]))

    def _pruned(self, nodes: Array, sums: Array) -> tuple[Array, Array]:
        """Take back splits, and number the nodes that stay."""
        if self.prune is None:
            return nodes, sums
        errors = (nodes["weight"] - self._edges(sums)) / 2.0
        if self.prune == "pessimistic":
            cost = pessimistic_error(nodes["weight"], errors, self.confidence, self.sample.total)
        else:
            cost = errors + self.ccp_alpha
        nodes = nodes.copy()
        back = cheapest_subtree(nodes["left"], nodes["right"], cost)
        for side in ("left", "right"):
            nodes[side][back] = -1
        kept, frontier = np.zeros(len(nodes), dtype=bool), np.zeros(1, dtype=np.int64)
        while len(frontier):
            kept[frontier] = True
            inner = frontier[nodes["left"][frontier] >= 0]
            frontier = np.concatenate([nodes["left"][inner], nodes["right"][inner]])
        number = np.cumsum(kept) - 1
        for side in ("left", "right"):
            nodes[side] = np.where(nodes[side] >= 0, number[nodes[side]], -1)
        return nodes[kept], sums[kept]

    def _edges(self, sums: Array) -> Array:
        """Edge of each node as a leaf."""
        if self.answers == "set":
            return np.abs(sums).sum(axis=1)
        return 2.0 * sums.max(axis=1) - sums.sum(axis=1)

    def _answers(self, nodes: Array, sums: Array) -> tuple[Array, Array]:
        """Answers of all nodes as leaves, and the sets that they name."""
        if self.answers == "label":
            first = np.argmax(sums > sums.max(axis=1, keepdims=True) - TIE, axis=1)
            return first.astype(np.int32), np.zeros((0, sums.shape[1]), dtype=np.int8)
        answers, leaves = np.zeros(len(nodes), dtype=np.int32), nodes["left"] < 0
        answers[leaves] = -1 - np.arange(np.count_nonzero(leaves))
        return answers, np.where(sums[leaves] > TIE, 1, -1).astype(np.int8)

    def _column(self, nodes: Array, tree: LabelTree, rows: Array) -> Array:
        """Outputs on the sample; the rows of a leaf lie together."""
        leaves = np.flatnonzero(nodes["left"] < 0)
        leaves = leaves[np.argsort(nodes["start"][leaves])]
        answers = tree.answers[leaves]
        table = np.full((len(leaves), tree.shape[0]), -1, dtype=np.int8)
        single = answers >= 0
        table[single, answers[single]] = 1
        table[~single] = tree.sets[-1 - answers[~single]]
        outputs = np.empty((len(rows), tree.shape[0]), dtype=np.int8)
        outputs[rows] = np.repeat(table, nodes["stop"][leaves] - nodes["start"][leaves], axis=0)
        return narrowed(self.sample.on_rows(outputs, self.sample.labels))


@dataclass(frozen=True)
class Growth:
    """A grown tree: the rows, leaf by leaf, and nodes with their sums."""

    rows: Array
    tree: tuple[Array, Array]


def _tree(nodes: Array, bins: BinnedMatrix) -> Tree:
    """Write nodes as a tree on raw values."""
    records = np.zeros(len(nodes), NODE)
    inner = nodes["left"] >= 0
    records["feature"] = np.where(inner, nodes["feature"], -1)
    records["left"], records["right"] = nodes["left"], nodes["right"]
    records["gain"] = np.where(inner, nodes["gain"], 0.0)
    records["missing_left"] = inner & (nodes["missing_left"] != 0)
    sets: list[Sequence[int] | None] = [None] * len(nodes)
    for j in np.unique(records["feature"][inner]):
        mine = np.flatnonzero(records["feature"] == j)
        cuts = nodes["cut"][mine]
        if bins.categories[j] is None:
            records["threshold"][mine] = np.concatenate([bins.cuts[j], [np.inf, np.inf]])[cuts]
        else:
            present = cuts == bins.n_bins[j]
            records["threshold"][mine] = np.where(present, np.inf, 0.0)
            for k, cut in zip(mine[~present], cuts[~present], strict=True):
                sets[k] = [int(cut)]
    return Tree(*with_categories(records, sets))


class SklearnLabelOracle(LabelOracle):
    """Fit a scikit-learn classifier of several classes.

    Where weights are those of examples it gets them as ``sample_weight``. Where every label of an
    example has one, it gets the example once for every label, with what that label gains over the
    example's worst one. An estimator that takes no ``sample_weight`` is refused.

    Parameters
    ----------
    estimator : scikit-learn classifier
        Cloned for every round. A ``random_state`` parameter is set from the sample's seed and the
        round.
    """

    class_name = "what a scikit-learn estimator can represent"

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    def check(self, *, drawn: bool = False) -> None:
        """Refuse a classifier that cannot be told the weights."""
        check_takes_weights(self.estimator)

    def prepare(self) -> None:
        """Read the raw rows once."""
        rows = self.sample.rows
        if rows is None or isinstance(rows, BinnedMatrix):
            raise TypeError(
                "SklearnLabelOracle: a scikit-learn base learner reads raw rows; got "
                f"{'none' if rows is None else 'a BinnedMatrix, which only trees can read'}"
            )
        self._rows = rows.numbers()

    def find(self, weights: Weights, k: int, round: int) -> list[Candidate]:
        """One fitted classifier."""
        dual = weights.dual
        fitted = seeded(self.estimator, self.sample.seed, round)
        rows, labels, sizes = self._examples(dual)
        fitted.fit(self._rows[rows], labels, sample_weight=sizes * self._rows.shape[0])
        hypothesis = FittedLabels(fitted, self.sample.n_classes)
        column = self.sample.on_rows(hypothesis(self._rows), self.sample.labels)
        return [Candidate(hypothesis, weighted_sum(dual, column), narrowed(column))]

    def _examples(self, dual: Array) -> tuple[Array, Array, Array]:
        """Rows, labels and weights to learn from."""
        sample = self.sample
        if sample.one_label:
            return np.arange(len(sample.labels)), sample.labels, dual
        gains = sample.label_weights(dual)
        gains = gains - gains.min(axis=1, keepdims=True)
        rows, labels = np.nonzero(gains > 0)
        return rows, labels, gains[rows, labels]
