"""Decision trees as base learners, grown greedily on the signed weights (SF-B3, CH-B2, BA-B2).

A node with positive weight W+ and negative weight W- has an impurity that is zero when it is pure;
the split that lowers the impurity of its sides most is taken. Which impurity is the criterion:

====================  ==================================  =========================================
criterion             impurity of a node, w = W+ + W-     what a split does
====================  ==================================  =========================================
``edge``              ``w - |W+ - W-|``                   raises the edge of the tree most
``gini``              ``2 W+ W- / w``                     CART
``entropy``           ``w`` times entropy in bits         ID3
``gain_ratio``        the same                            C4.5: gain over information of the split
``Z``                 ``2 √(W+ W-)``                      lowers AdaBoost's bound most; real leaves
====================  ==================================  =========================================

All weights are shares of the total weight, so limits and gains mean the same in every round.
:mod:`.growth` has the engine.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ..core.oracle import Candidate, Oracle
from ..core.weights import Weights
from ..kernels.histograms import pair_sizes
from ..kernels.parallel import run_rows
from ..kernels.splits import ABSOLUTE, ENTROPY, SQUARES, Z
from ..kernels.ties import TIE
from ..kernels.weights import weighted_sum
from ..types import Array
from ..validation import Constraints, Effects, Number, Where
from .growth import CATEGORICAL, PRUNED_BY, PRUNING, SIZES, Growth, Limits, TreeGrower
from .pruning import cheapest_subtree, complexity_cost, pessimistic_cost

CRITERIA = {"edge": ABSOLUTE, "gini": SQUARES, "entropy": ENTROPY, "gain_ratio": ENTROPY, "Z": Z}


class TreeOracle(Oracle):
    """Grow one decision tree per round, greedily.

    Cuts are those between the bins; each split learns a side for missing values, and a node that
    saw none sends them to its heavier child. Ties go to the lowest feature, then the lowest cut. A
    split that gains nothing is not made. Leaves take the sign of their weight, a leaf without a
    majority that of its parent, the root then -1.

    With criterion ``Z`` a leaf is confidence-rated instead, ``½ ln((W+ + s) / (W- + s))`` (Schapire
    and Singer, 1999). Hypotheses must stay in [-1, 1], so all leaves are divided by the largest in
    absolute value; the coefficient that a line search finds makes up for it.

    ``gain_ratio`` is C4.5's: the best cut of each feature is the one of largest information gain,
    and among features of at least average gain the one with the largest ratio of gain to the
    information of the split itself wins.

    Parameters
    ----------
    max_depth : int or None
        Most splits between root and leaf.
    max_leaf_nodes : int or None
        Most leaves; then the split with the largest gain is made first.
    criterion : {"edge", "gini", "entropy", "gain_ratio", "Z"}
        What a split should improve.
    min_weight_fraction_leaf : float
        Least share of the total weight in a leaf.
    prune : {None, "cost_complexity", "pessimistic"}
        Which splits are taken back: those that lower the weighted error by less than ``ccp_alpha``
        a leaf, or those that do not lower the pessimistic estimate of the error of C4.5, for which
        the weights count as so many rows as have weight.
    ccp_alpha : float
        Price of a leaf.
    confidence : float
        Probability of the pessimistic limit; smaller prunes more.
    categorical : {"equality", "partition"}
        How a categorical feature is split: one category against the rest, or the best partition of
        all categories in two sets.
    smoothing : float
        Weight s added to both signs in the leaves of ``Z``, as a share of the total weight. It does
        not depend on the number of rows, so that weights still mean copies.
    """

    saved = True
    exact = False
    needs_bins = True
    offers_one = True
    class_name = "trees grown greedily with cuts between the bins"
    __constraints__: ClassVar[Constraints] = {
        **SIZES,
        **PRUNING,
        "criterion": tuple(CRITERIA),
        "categorical": tuple(CATEGORICAL),
        "min_weight_fraction_leaf": Number(at_least=0.0, at_most=1.0),
        "smoothing": Number(above=0.0),
    }
    __effects__: ClassVar[Effects] = {
        **PRUNED_BY,
        "smoothing": Where("criterion", ("Z",)),
    }

    def __init__(
        self,
        max_depth: int | None = 3,
        max_leaf_nodes: int | None = None,
        criterion: str = "edge",
        min_weight_fraction_leaf: float = 0.0,
        prune: str | None = None,
        ccp_alpha: float = 0.0,
        confidence: float = 0.25,
        categorical: str = "equality",
        smoothing: float = 1e-3,
    ) -> None:
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.criterion = criterion
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.prune = prune
        self.ccp_alpha = ccp_alpha
        self.confidence = confidence
        self.categorical = categorical
        self.smoothing = smoothing

    def prepare(self) -> None:
        """Lay out the memory of a tree."""
        if self.sample.bins is None:
            raise ValueError("TreeOracle: the sample has no binned rows")
        limits = Limits(
            CRITERIA[self.criterion],
            self.max_depth,
            self.max_leaf_nodes,
            min_weight=Limits.least_share(self.min_weight_fraction_leaf),
            by_ratio=self.criterion == "gain_ratio",
            stop_pure=True,
        )
        self._grower = TreeGrower(
            self.sample.bins, limits, self.sample.n_threads, categorical=self.categorical
        )

    def find(self, weights: Weights, k: int, round: int) -> list[Candidate]:
        """One tree."""
        dual = weights.dual
        growth = self._pruned(self._grow(dual)).by_level()
        values, scale = self._values(growth)
        tree = growth.tree(values)
        binary = bool((np.abs(values[growth.leaves]) == 1).all())
        column = growth.outputs(tree, values.astype(np.int8 if binary else np.float64))
        edge = weighted_sum(dual, column)
        if edge < 0:
            return [Candidate(tree.negated(), -edge, -column, scale)]
        return [Candidate(tree, edge, column, scale)]

    def _grow(self, dual: Array) -> Growth:
        """Grow from the rows that have weight."""
        grower = self._grower
        size = sum(run_rows(lambda a, b: float(np.abs(dual[a:b]).sum()), len(dual), 1))
        factor = 1.0 / size if size > 0.0 else 1.0

        def pair(start: int, stop: int) -> tuple[float, float]:
            return pair_sizes(dual[start:stop], factor, grower.job.values[start:stop])

        sums = np.sum(run_rows(pair, len(dual), grower.n_threads), axis=0)
        rows = np.flatnonzero(dual)
        growth = grower.grow(None if len(rows) == len(dual) else rows, sums)
        if self.criterion == "gini":
            growth.nodes["gain"] *= 0.5  # from S² / w to the impurity above
        return growth

    def _pruned(self, growth: Growth) -> Growth:
        """Take back splits."""
        if self.prune is None:
            return growth
        signed, weight = growth.sums.T
        positive, negative = (np.maximum(0.5 * (weight + s * signed), 0.0) for s in (1, -1))
        if self.prune == "pessimistic":
            cost = pessimistic_cost(positive, negative, self.confidence, len(growth.rows))
        else:
            cost = complexity_cost(positive, negative, self.ccp_alpha)
        return growth.pruned(cheapest_subtree(growth.nodes["left"], growth.nodes["right"], cost))

    def _values(self, growth: Growth) -> tuple[Array, float]:
        """Value of every node as a leaf, and the factor they are meant to have."""
        signed, weight = growth.sums.T
        labels, inner = np.sign(signed), np.flatnonzero(~growth.leaves)
        parent = np.full(len(labels), -1)
        for side in ("left", "right"):
            parent[growth.nodes[side][inner]] = inner
        for k in np.flatnonzero(np.abs(signed) <= TIE):  # a parent comes before its children
            labels[k] = labels[parent[k]] if parent[k] >= 0 else -1.0
        if self.criterion != "Z":
            return labels, 1.0
        positive, negative = (np.maximum(0.5 * (weight + s * signed), 0.0) for s in (1, -1))
        values = 0.5 * np.log((positive + self.smoothing) / (negative + self.smoothing))
        largest = float(np.abs(values[growth.leaves]).max())
        return (values / largest, largest) if largest > 0 else (labels, 0.0)
