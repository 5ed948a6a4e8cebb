"""Decision trees as base learners; :mod:`.growth` has the criteria and how a tree grows."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral

import numpy as np

from ..core.oracle import Candidate, Oracle
from ..core.types import Array
from ..core.weights import Weights
from ..kernels.parallel import run_rows
from ..kernels.stumps import CATEGORY, PARTITION, THRESHOLD, TIE
from ..kernels.trees import NODE, walk_codes
from ..kernels.weights import weighted_sum
from .growth import CRITERIA, Growth, Layout, Limits, Node
from .pruning import cheapest_subtree, complexity_cost, pessimistic_cost
from .tree_hypothesis import Tree, with_categories

PRUNING = (None, "cost_complexity", "pessimistic")


class TreeOracle(Oracle):
    """Grow one decision tree a round, greedily.

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
    max_leaves : int or None
        Most leaves; then the split with the largest gain is made first.
    criterion : {"edge", "gini", "entropy", "gain_ratio", "Z"}
        What a split should improve.
    min_leaf_weight : float
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
    class_name = "trees grown greedily with cuts between the bins"

    def __init__(
        self,
        max_depth: int | None = 3,
        max_leaves: int | None = None,
        criterion: str = "edge",
        min_leaf_weight: float = 0.0,
        prune: str | None = None,
        ccp_alpha: float = 0.0,
        confidence: float = 0.25,
        categorical: str = "equality",
        smoothing: float = 1e-3,
    ) -> None:
        self.max_depth = max_depth
        self.max_leaves = max_leaves
        self.criterion = criterion
        self.min_leaf_weight = min_leaf_weight
        self.prune = prune
        self.ccp_alpha = ccp_alpha
        self.confidence = confidence
        self.categorical = categorical
        self.smoothing = smoothing

    def prepare(self) -> None:
        """Check the settings and lay out the histograms."""
        bins = self.sample.bins
        if bins is None:
            raise ValueError("TreeOracle: the sample has no binned rows")
        self._check_choice("criterion", tuple(CRITERIA))
        self._check_choice("prune", PRUNING)
        self._check_choice("categorical", ("equality", "partition"))
        for name in ("max_depth", "max_leaves"):
            value = getattr(self, name)
            if value is not None and (not isinstance(value, Integral) or int(value) < 1):
                raise ValueError(f"{name}: got {value!r}, expected None or an integer >= 1")
        self._check_range("min_leaf_weight", 0.0 <= self.min_leaf_weight <= 1.0, "in [0, 1]")
        self._check_range("ccp_alpha", 0.0 <= self.ccp_alpha < np.inf, ">= 0")
        self._check_range("confidence", 0.0 < self.confidence < 1.0, "in (0, 1)")
        self._check_range("smoothing", 0.0 < self.smoothing < np.inf, "> 0")
        split = CATEGORY if self.categorical == "equality" else PARTITION
        kinds = np.array([THRESHOLD if c is None else split for c in bins.categories])
        limits = Limits(self.max_depth, self.max_leaves, self.criterion, self.min_leaf_weight)
        self._layout = Layout(bins, kinds, limits, self.sample.n_threads)

    def _check_choice(self, name: str, allowed: tuple[str | None, ...]) -> None:
        if getattr(self, name) not in allowed:
            raise ValueError(f"{name}: got {getattr(self, name)!r}, expected one of {allowed}")

    def _check_range(self, name: str, good: bool, expected: str) -> None:
        if not good:
            raise ValueError(f"{name}: got {getattr(self, name)!r}, expected a number {expected}")

    def find(self, weights: Weights, k: int, round: int) -> list[Candidate]:
        """One tree."""
        dual = weights.dual
        growth = Growth(self._layout, dual)
        nodes = self._pruned(growth.run(), len(growth.rows))
        values, scale = self._values(nodes)
        tree = self._tree(nodes, values)
        column = self._column(tree, nodes, growth, dual)
        edge = weighted_sum(dual, column)
        if edge < 0:
            return [Candidate(tree.negated(), -edge, -column, scale)]
        return [Candidate(tree, edge, column, scale)]

    def _pruned(self, nodes: list[Node], n_rows: int) -> list[Node]:
        """Take back splits, and number the nodes that stay level by level."""
        if self.prune is not None:
            left, right = (
                np.array([getattr(n, side) for n in nodes]) for side in ("left", "right")
            )
            positive, negative = np.array([(n.positive, n.negative) for n in nodes]).T
            if self.prune == "pessimistic":
                cost = pessimistic_cost(positive, negative, self.confidence, n_rows)
            else:
                cost = complexity_cost(positive, negative, self.ccp_alpha)
            for k in np.flatnonzero(cheapest_subtree(left, right, cost)):
                nodes[k].left = nodes[k].right = -1
        kept = [nodes[0]]
        for node in kept:
            if node.left >= 0:
                kept += [nodes[node.left], nodes[node.right]]
                node.left, node.right = len(kept) - 2, len(kept) - 1
        return kept

    def _tree(self, nodes: list[Node], values: Array) -> Tree:
        """Write nodes as a tree on raw values."""
        bins, records = self._layout.bins, np.zeros(len(nodes), NODE)
        sets: list[Sequence[int] | None] = [None] * len(nodes)
        records["feature"] = records["left"] = records["right"] = -1
        records["value"] = values
        for k, node in enumerate(nodes):
            split = node.split
            if node.left < 0 or split is None:
                continue
            j, record = split.feature, records[k]
            record["feature"], record["left"], record["right"] = j, node.left, node.right
            record["value"], record["gain"] = 0.0, split.gain
            record["missing_left"] = split.goes_left[-1]
            if self._layout.kinds[j] == THRESHOLD:
                cuts = bins.cuts[j]
                record["threshold"] = cuts[split.cut] if split.cut < len(cuts) else np.inf
            else:
                sets[k] = np.flatnonzero(split.goes_left[:-1]).tolist()
        return Tree(*with_categories(records, sets))

    def _values(self, nodes: list[Node]) -> tuple[Array, float]:
        """Value of every node as a leaf, and the factor they are meant to have.

        Children come after their parent.
        """
        labels = np.full(len(nodes), -1.0)
        for k, node in enumerate(nodes):
            gap = node.positive - node.negative
            if abs(gap) > TIE:
                labels[k] = np.sign(gap)
            if node.left >= 0:
                labels[[node.left, node.right]] = labels[k]
        if self.criterion != "Z":
            return labels, 1.0
        odds = [(n.positive + self.smoothing) / (n.negative + self.smoothing) for n in nodes]
        values = 0.5 * np.log(odds)
        largest = max(abs(v) for v, n in zip(values, nodes, strict=True) if n.left < 0)
        return (values / largest, float(largest)) if largest > 0 else (labels, 0.0)

    def _column(self, tree: Tree, nodes: list[Node], growth: Growth, dual: Array) -> Array:
        """Outputs on the sample; int8 when all are -1 or +1.

        Rows with weight lie together in their leaves; the others walk down the tree by their codes.
        """
        bins, value = self._layout.bins, tree.nodes["value"]
        leaves = [k for k, node in enumerate(nodes) if node.left < 0]
        binary = bool((np.abs(value[leaves]) == 1).all())
        column = np.empty(bins.n_rows, dtype=np.int8 if binary else np.float64)
        for k in leaves:
            column[growth.rows[nodes[k].start : nodes[k].stop]] = value[k]
        idle = np.flatnonzero(dual == 0)
        tables = [n.split.goes_left if n.left >= 0 and n.split else _NO_TABLE for n in nodes]
        starts, flat = np.cumsum([0, *(len(table) for table in tables)]), np.concatenate(tables)

        def walk(start: int, stop: int) -> None:
            walk_codes(bins.codes, idle[start:stop], tree.nodes, flat, starts, column)

        run_rows(walk, len(idle), self.sample.n_threads)
        return column


_NO_TABLE = np.empty(0, dtype=np.uint8)
