"""Trees of several classes as base learners (CH-A2, CH-A3, CH-A5; SF-B3).

The weights of a round are a signed matrix, one number per example and label
(:meth:`LabelSample.label_weights`). With S_l the sum of label l over a leaf, the best set of labels
to answer with is all l with S_l > 0, the best single label that of the largest S_l. Splits raise
the score of the leaves:

=============  ===================================  ================================================
criterion      score of a node of weight W          what a split does
=============  ===================================  ================================================
``edge``       Σ|S_l| (sets), max S_l (labels)      raises the edge of the tree most
``gini``       Σ S_l² / W                           CART, for several labels at once
``entropy``    Σ S_l log2(S_l / W)                  ID3; only where no weight is negative
=============  ===================================  ================================================

A tree of one split, chosen by ``edge``, is found exactly; deeper trees are grown greedily.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from ..core.labels import LabelSample, narrowed
from ..core.oracle import Candidate, Oracle
from ..core.weights import Weights
from ..data import BinnedMatrix
from ..kernels.splits import ABSOLUTE, ENTROPY, LARGEST, SQUARES
from ..kernels.ties import TIE
from ..kernels.weights import weighted_sum
from ..types import Array
from ..validation import Constraints, Effects, Number
from .any_sklearn import check_takes_weights, seeded
from .growth import PRUNED_BY, PRUNING, SIZES, Growth, Limits, TreeGrower
from .label_hypotheses import FittedLabels, LabelTree
from .pruning import cheapest_subtree, pessimistic_error

CRITERIA = ("edge", "gini", "entropy")


class LabelOracle(Oracle):
    """A base learner of several classes: its hypotheses give one number per label."""

    offers_one = True
    sample: LabelSample


class LabelTreeOracle(LabelOracle):
    """Grow one decision tree per round whose leaves answer with a label, or with a set of labels.

    Cuts are those between the bins; each split learns a side for missing values, and a node that
    saw none sends them to its heavier child. A category is split from the rest. Ties go to the
    lowest feature, then the lowest cut, then the lowest label. A split that gains nothing is not
    made.

    Parameters
    ----------
    max_depth : int or None
        Most splits between root and leaf.
    max_leaf_nodes : int or None
        Most leaves; then the split with the largest gain is made first.
    criterion : {"gini", "edge", "entropy"}
        What a split should improve.
    answers : {"label", "set"}
        Whether a leaf answers with one label, or with any set of them.
    min_weight_fraction_leaf : float
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
    >>> model = SAMMEClassifier(LabelTreeOracle(max_leaf_nodes=4), n_estimators=20).fit(X, y)
    >>> model.estimators_[0]
    LabelTree(n_leaves=4, n_labels=3)
    """

    saved = True
    needs_bins = True
    __constraints__: ClassVar[Constraints] = {
        **SIZES,
        **PRUNING,
        "criterion": CRITERIA,
        "answers": ("label", "set"),
        "min_weight_fraction_leaf": Number(at_least=0.0, at_most=1.0),
    }
    __effects__: ClassVar[Effects] = PRUNED_BY

    def __init__(
        self,
        max_depth: int | None = 3,
        max_leaf_nodes: int | None = None,
        criterion: str = "gini",
        answers: str = "label",
        min_weight_fraction_leaf: float = 0.0,
        prune: str | None = None,
        ccp_alpha: float = 0.0,
        confidence: float = 0.25,
    ) -> None:
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.criterion = criterion
        self.answers = answers
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.prune = prune
        self.ccp_alpha = ccp_alpha
        self.confidence = confidence

    def prepare(self) -> None:
        """Check the settings against the sample, and lay out the memory of a tree."""
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
        edge = LARGEST if self.answers == "label" else ABSOLUTE
        limits = Limits(
            {"gini": SQUARES, "entropy": ENTROPY, "edge": edge}[self.criterion],
            self.max_depth,
            self.max_leaf_nodes,
            min_weight=Limits.least_share(self.min_weight_fraction_leaf),
            stop_pure=True,
        )
        labels = sample.labels.astype(np.int32) if sample.one_label else None
        self._grower = TreeGrower(
            bins, limits, sample.n_threads, n_labels=sample.n_classes, labels=labels
        )
        split_once = self.max_depth == 1 or self.max_leaf_nodes == 2
        taken_back = self.prune is not None or self.min_weight_fraction_leaf > 0
        self.exact = split_once and self.criterion == "edge" and not taken_back
        self.closed = self.answers == "set"
        what = "a label" if self.answers == "label" else "a set of labels"
        grown = "one split" if self.exact else "trees grown greedily"
        self.class_name = f"{grown} with cuts between the bins and {what} at each leaf"

    def find(self, weights: Weights, k: int, round: int) -> list[Candidate]:
        """One tree."""
        dual = weights.dual
        values = self._grower.job.values
        if self.sample.one_label:
            values[:, 0] = dual
        else:
            values[:, :-1] = self.sample.label_weights(dual)
            np.abs(values[:, :-1]).sum(axis=1, out=values[:, -1])
        weighty = np.flatnonzero(values[:, -1])
        growth = self._grower.grow(None if len(weighty) == len(values) else weighty)
        growth = self._pruned(growth).by_level()
        answers, sets = self._answers(growth)
        tree = LabelTree(growth.tree(), answers, sets)
        column = self._column(growth, tree)
        return [Candidate(tree, weighted_sum(dual, column), column)]

    def _pruned(self, growth: Growth) -> Growth:
        """Take back splits."""
        if self.prune is None:
            return growth
        sums, weight = growth.sums[:, :-1], growth.sums[:, -1]
        if self.answers == "set":
            edges = np.abs(sums).sum(axis=1)
        else:
            edges = 2.0 * sums.max(axis=1) - sums.sum(axis=1)
        errors = (weight - edges) / 2.0
        if self.prune == "pessimistic":
            cost = pessimistic_error(weight, errors, self.confidence, self.sample.total)
        else:
            cost = errors + self.ccp_alpha
        return growth.pruned(cheapest_subtree(growth.nodes["left"], growth.nodes["right"], cost))

    def _answers(self, growth: Growth) -> tuple[Array, Array]:
        """Answers of all nodes as leaves, and the sets that they name."""
        sums, leaves = growth.sums[:, :-1], growth.leaves
        if self.answers == "label":
            first = np.argmax(sums > sums.max(axis=1, keepdims=True) - TIE, axis=1)
            return first.astype(np.int32), np.zeros((0, sums.shape[1]), dtype=np.int8)
        answers = np.zeros(len(sums), dtype=np.int32)
        answers[leaves] = -1 - np.arange(np.count_nonzero(leaves))
        return answers, np.where(sums[leaves] > TIE, 1, -1).astype(np.int8)

    def _column(self, growth: Growth, tree: LabelTree) -> Array:
        """Outputs on the sample."""
        n_nodes, single = len(tree.answers), tree.answers >= 0
        table = np.full((n_nodes, tree.shape[0]), -1, dtype=np.int8)
        table[single, tree.answers[single]] = 1
        table[~single] = tree.sets[-1 - tree.answers[~single]]
        leaf = growth.outputs(tree.tree, np.arange(n_nodes, dtype=np.int32))
        return narrowed(self.sample.on_rows(table[leaf], self.sample.labels))


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
