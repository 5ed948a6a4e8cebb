"""Decision trees grown greedily on the signed weights (SF-B3, CH-B2, Barnes B2).

A node with positive weight W+ and negative weight W- has an impurity that is zero when it is pure;
the split that lowers the impurity of its sides most is taken. Which impurity is the criterion:

====================  ==================================  =========================================
criterion             impurity of a node, w = W+ + W-     what a split does
====================  ==================================  =========================================
``edge``              ``w - |W+ - W-|``                   raises the edge of the tree most
``gini``              ``2 W+ W- / w``                     CART
``entropy``           ``w`` times entropy in bits         ID3
``gain_ratio``        the same                            C4.5: see :class:`TreeOracle`
``Z``                 ``2 √(W+ W-)``                      lowers AdaBoost's bound most; real leaves
====================  ==================================  =========================================

All weights are shares of the total weight, so limits and gains mean the same in every round.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from math import isfinite
from numbers import Integral
from reprlib import repr as short
from typing import Any, ClassVar, Self

import numpy as np

from ..core.hypothesis import Hypothesis
from ..core.oracle import Candidate, Oracle
from ..core.types import Array
from ..data import BinnedMatrix
from ..kernels.stumps import CATEGORY, PARTITION, THRESHOLD, TIE
from ..kernels.threads import run_blocks, run_rows
from ..kernels.trees import (
    EDGE,
    ENTROPY,
    GINI,
    NODE,
    SPLIT,
    Z,
    add_trees,
    best_cuts,
    category_order,
    fill_histograms,
    partition_rows,
    subtract_histograms,
    walk_codes,
)
from ..kernels.weights import weighted_sum
from .pruning import cheapest_subtree, complexity_cost, pessimistic_cost
from .stumps import SERIAL_WORK

CRITERIA = {"edge": EDGE, "gini": GINI, "entropy": ENTROPY, "gain_ratio": ENTROPY, "Z": Z}
PRUNING = (None, "cost_complexity", "pessimistic")

FEATURES_AT_ONCE = 8
"""Features in one block of work: whole groups of four, small enough to share out evenly."""


@dataclass(frozen=True, eq=False, repr=False)
class Tree(Hypothesis):
    """A binary decision tree with a value in [-1, 1] at each leaf.

    Attributes
    ----------
    nodes : structured array
        One record a node, the root first, children after their parent. At a leaf ``feature`` is -1
        and ``value`` counts. Elsewhere a row goes ``left`` if its feature is at most ``threshold``
        (infinite: if it is present at all), and a row without a value if ``missing_left``. ``gain``
        is what the split was worth.
    categories : array of int32
        A split with ``first < last`` asks instead whether the feature's code is among
        ``categories[first:last]``, which are sorted.
    """

    kind: ClassVar[str] = "tree"

    nodes: Array
    categories: Array

    def __post_init__(self) -> None:
        self.nodes.flags.writeable = False
        self.categories.flags.writeable = False

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.nodes.copy(), self.categories.copy())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tree) and self._bytes == other._bytes

    def __hash__(self) -> int:
        return hash(self._bytes)

    def __repr__(self) -> str:
        return f"Tree(n_leaves={self.n_leaves}, depth={self.depth})"

    @property
    def _bytes(self) -> tuple[bytes, bytes]:
        return self.nodes.tobytes(), self.categories.tobytes()

    @property
    def n_nodes(self) -> int:
        """Splits and leaves."""
        return len(self.nodes)

    @property
    def n_leaves(self) -> int:
        """Leaves."""
        return int((self.nodes["feature"] < 0).sum())

    @cached_property
    def depth(self) -> int:
        """Splits on the longest way from the root to a leaf."""
        depth = np.zeros(len(self.nodes), dtype=np.int64)
        for k, node in enumerate(self.nodes):
            if node["feature"] >= 0:
                depth[[node["left"], node["right"]]] = depth[k] + 1
        return int(depth.max())

    def __call__(self, rows: Array) -> Array:
        """Outputs on dense rows."""
        return type(self).voter([self], np.ones(1))(rows)

    @classmethod
    def voter(cls, members: Sequence[Self], coef: Array) -> Callable[[Array], Array]:
        """One pass over the rows for all trees."""
        sizes = [len(tree.nodes) for tree in members]
        roots = np.cumsum([0, *sizes])[:-1]
        nodes = np.concatenate([np.empty(0, NODE), *(tree.nodes for tree in members)])
        offsets = np.cumsum([0, *(len(tree.categories) for tree in members)])[:-1]
        for name in ("first", "last"):
            nodes[name] += np.repeat(offsets, sizes).astype(np.int32)
        categories = np.concatenate([np.empty(0, np.int32), *(tree.categories for tree in members)])
        width = int(nodes["feature"].max(initial=-1)) + 1
        coef = np.ascontiguousarray(coef, dtype=np.float64)

        def vote(rows: Array) -> Array:
            if rows.shape[1] < width:  # the kernel does not check
                raise ValueError(f"a tree reads {width} features, the rows have {rows.shape[1]}")
            total = np.zeros(len(rows))
            add_trees(rows, nodes, categories, roots, coef, total)
            return total

        return vote

    def negated(self) -> Tree:
        """Turn the leaves round."""
        nodes = self.nodes.copy()
        nodes["value"] *= -1.0
        return Tree(nodes, self.categories)

    def importances(self, n_features: int) -> Array:
        """Share of each feature in the gain of all splits."""
        splits = self.nodes[self.nodes["feature"] >= 0]
        share = np.bincount(splits["feature"], weights=splits["gain"], minlength=n_features)
        return share / share.sum() if share.sum() > 0 else share

    def to_dict(self) -> dict[str, Any]:
        """Plain data: one list a field, with an entry for each node."""
        data: dict[str, Any] = {"kind": self.kind}
        for name in ("feature", "left", "right", "value", "gain"):
            data[name] = self.nodes[name].tolist()
        data["threshold"] = [
            t if np.isfinite(t) else None for t in self.nodes["threshold"].tolist()
        ]
        data["missing_left"] = self.nodes["missing_left"].astype(bool).tolist()
        if len(self.categories):
            ranges = zip(self.nodes["first"].tolist(), self.nodes["last"].tolist(), strict=True)
            data["categories"] = [self.categories[a:b].tolist() or None for a, b in ranges]
        return data

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Make a tree from plain data, checking every field."""
        return cls(*_read_nodes(data))


# -- reading plain data ---------------------------------------------------------------------------


def _is_number(value: object) -> bool:
    """Whether a value is a finite number; an integer must have an equal float."""
    if type(value) is int:
        return abs(value) <= 1 << 53
    return type(value) is float and isfinite(value)


def _is_index(value: object) -> bool:
    return type(value) is int and -1 <= value < 1 << 31


def _is_code_set(value: object) -> bool:
    """Whether a value is None or a list of codes that are sorted and different."""
    if value is None:
        return True
    if not isinstance(value, list) or not value:
        return False
    codes_ok = all(type(code) is int and 0 <= code < 1 << 31 for code in value)
    return codes_ok and all(a < b for a, b in pairwise(value))


_Check = Callable[[Any], bool]
_INTEGER = (_is_index, "an integer >= -1")
_FIELDS: dict[str, tuple[_Check, str]] = {
    "feature": _INTEGER,
    "left": _INTEGER,
    "right": _INTEGER,
    "value": (lambda v: _is_number(v) and -1 <= v <= 1, "a number in [-1, 1]"),
    "gain": (lambda v: _is_number(v) and v >= 0, "a finite number >= 0"),
    "threshold": (lambda v: v is None or _is_number(v), "a finite number or null"),
    "missing_left": (lambda v: type(v) is bool, "true or false"),
    "categories": (_is_code_set, "null or a list of ascending integers >= 0"),
}


def _read_nodes(data: dict[str, Any]) -> tuple[Array, Array]:
    """Arrays of a tree from plain data; raises ValueError where they are not a tree."""
    fields = {name: _read_field(data, name) for name in _FIELDS if name != "categories"}
    n_nodes = len(fields["feature"])
    sets = _read_field(data, "categories") if "categories" in data else [None] * n_nodes
    for name, values in {**fields, "categories": sets}.items():
        if len(values) != n_nodes or n_nodes == 0:
            raise ValueError(f"tree {name}: got {len(values)} entries, expected {n_nodes or 1}")
    _check_shape(fields["feature"], fields["left"], fields["right"], sets)
    nodes = np.zeros(n_nodes, NODE)
    fields["threshold"] = [np.inf if t is None else t for t in fields["threshold"]]
    for name, values in fields.items():
        nodes[name] = values
    return _with_categories(nodes, sets)


def _read_field(data: dict[str, Any], name: str) -> list[Any]:
    good, expected = _FIELDS[name]
    values = data.get(name)
    if not isinstance(values, list):
        raise ValueError(f"tree {name}: got {short(values)}, expected a list")
    for k, value in enumerate(values):
        if not good(value):
            raise ValueError(f"tree {name}: got {short(value)} at node {k}, expected {expected}")
    return values


def _check_shape(
    feature: list[int], left: list[int], right: list[int], sets: list[list[int] | None]
) -> None:
    """Check that every node but the root is the child of exactly one node before it."""
    parents = [0] * len(feature)
    for k, split_on in enumerate(feature):
        if split_on < 0 and (left[k], right[k], sets[k]) != (-1, -1, None):
            raise ValueError(f"tree left, right, categories: got a child or set at leaf {k}")
        if split_on < 0:
            continue
        for name, child in (("left", left[k]), ("right", right[k])):
            if not k < child < len(feature):
                raise ValueError(
                    f"tree {name}: got {child} at node {k}, expected a later node, "
                    f"at most {len(feature) - 1}"
                )
            parents[child] += 1
    for k, count in enumerate(parents[1:], start=1):
        if count != 1:
            raise ValueError(f"tree left, right: node {k} has {count} parents, expected one")


def _with_categories(nodes: Array, sets: Sequence[Sequence[int] | None]) -> tuple[Array, Array]:
    """Lay the sets of codes one after the other and write their places into the nodes."""
    ends = np.cumsum([0, *(len(codes or ()) for codes in sets)])
    nodes["first"], nodes["last"] = ends[:-1], ends[1:]
    flat = [code for codes in sets for code in codes or ()]
    return nodes, np.array(flat, dtype=np.int32)


# -- growing --------------------------------------------------------------------------------------


NO_SUMS = np.empty((2, 0))
"""Stands for the histograms of a node that has none, or none any more."""


@dataclass(frozen=True, slots=True)
class Split:
    """A split as growth sees it; ``goes_left[code]`` says which way a code goes."""

    feature: int
    cut: int
    gain: float
    goes_left: Array


@dataclass(slots=True, eq=False)
class Node:
    """A node of a growing tree; its rows are ``start:stop``, positive ones before ``middle``."""

    start: int
    middle: int
    stop: int
    depth: int
    positive: float
    negative: float
    split: Split | None = None
    histograms: Array = field(default_factory=lambda: NO_SUMS)
    left: int = -1
    right: int = -1

    @property
    def weight(self) -> float:
        """Share of the total weight."""
        return self.positive + self.negative


@dataclass(frozen=True)
class Limits:
    """When growth stops, and what it looks for."""

    max_depth: int | None
    max_leaves: int | None
    criterion: str
    min_leaf_weight: float


class Layout:
    """What the trees of one run share: where each feature's histogram lies, and spare memory."""

    def __init__(self, bins: BinnedMatrix, kinds: Array, limits: Limits, n_threads: int) -> None:
        self.bins = bins
        self.kinds = kinds
        self.limits = limits
        self.n_threads = n_threads
        self.first = np.concatenate([[0], np.cumsum(bins.n_bins + 1)])
        self.floor = max(limits.min_leaf_weight - TIE, TIE)
        self.spare: list[Array] = []

    def histograms(self) -> Array:
        """Memory for the histograms of one node, with anything in it."""
        return self.spare.pop() if self.spare else np.empty((2, int(self.first[-1])))

    def may_split(self, node: Node) -> bool:
        """Whether a node has depth, weight and both signs left."""
        depth = self.limits.max_depth
        return (
            (depth is None or node.depth < depth)
            and node.weight >= 2 * self.floor
            and min(node.positive, node.negative) > TIE
        )

    def release(self, node: Node) -> None:
        """Take back the memory of a node's histograms."""
        if node.histograms is not NO_SUMS:
            self.spare.append(node.histograms)
            node.histograms = NO_SUMS

    def best_cuts(self, part: slice, node: Node, splits: Array) -> None:
        """Best split of some features of a node."""
        first, kinds = self.first[part.start : part.stop + 1], self.kinds[part]
        criterion = CRITERIA[self.limits.criterion]
        best_cuts(node.histograms, first, kinds, criterion, self.floor, splits[part])

    def choose(self, node: Node, splits: Array) -> None:
        """Choose a node's split from the best ones of each feature, the lowest feature on ties."""
        gains = splits["gain"]
        most = gains.max()
        if most <= 0:
            return
        if self.limits.criterion == "gain_ratio":
            j = best_gain_ratio(gains, splits["left_weight"] / node.weight)
        else:
            j = int(np.argmax(gains > most - TIE))
        table = self._table(j, splits[j], node)
        node.split = Split(j, int(splits[j]["cut"]), float(gains[j]), table)

    def _table(self, j: int, split: Any, node: Node) -> Array:
        n_bins, cut = int(self.bins.n_bins[j]), int(split["cut"])
        table = np.zeros(n_bins + 1, dtype=np.uint8)
        if self.kinds[j] == THRESHOLD:
            table[: cut + 1] = 1
        elif self.kinds[j] == CATEGORY:
            table[cut if cut < n_bins else slice(None)] = 1
        else:
            mine = node.histograms[:, self.first[j] : self.first[j + 1]]
            table[category_order(*mine)[: cut + 1]] = 1
            if 2 * split["left_weight"] >= node.weight - TIE:
                table[mine.sum(axis=0) <= TIE] = 1  # categories not seen here: the heavier side
        table[n_bins] = split["missing_left"]
        return table


def best_gain_ratio(gains: Array, left_share: Array) -> int:
    """First feature with the largest ratio of gain to the information of the split itself.

    Only features of at least average gain count, the average being over those that gain anything:
    else splits that cut off next to nothing would win, because they carry next to no information.
    A tie is a gain within TIE of the largest ratio's, for a ratio of tiny numbers has few digits.
    """
    good = (gains > 0) & (gains >= gains[gains > 0].mean() - TIE)
    share = np.clip(left_share, TIE, 1 - TIE)
    information = -(share * np.log2(share) + (1 - share) * np.log2(1 - share))
    best = (gains[good] / information[good]).max()
    return int(np.argmax(good & (gains > best * information - TIE)))


class Growth:
    """One tree while it grows, from rows of weight only."""

    def __init__(self, layout: Layout, dual: Array) -> None:
        self.layout = layout
        positive, negative = np.flatnonzero(dual > 0), np.flatnonzero(dual < 0)
        self.rows = np.concatenate([positive, negative]).astype(np.uint32)
        weights = np.abs(dual[self.rows])
        self.weights = weights / weights.sum() if len(weights) else weights
        self.nodes = [self._node(0, len(positive), len(self.rows), 0)]

    def _node(self, start: int, middle: int, stop: int, depth: int) -> Node:
        positive = float(self.weights[start:middle].sum())
        negative = float(self.weights[middle:stop].sum())
        return Node(start, middle, stop, depth, positive, negative)

    def run(self) -> list[Node]:
        """Grow the tree; children come after their parent.

        With a limit on leaves the open node of largest gain is split next. Without one the order
        does not matter for the tree: the newest first keeps fewest histograms.
        """
        most = self.layout.limits.max_leaves
        waiting: list[tuple[float, int]] = []
        self._search(self.nodes[0], None)
        fresh, n_leaves = [0], 1
        while True:
            for index in fresh:
                split = self.nodes[index].split
                if split is not None:
                    # Rounded, so that gains equal but for rounding go in the order of nodes.
                    rank = -index if most is None else -round(split.gain, 12)
                    heapq.heappush(waiting, (rank, index))
            if not waiting or n_leaves == most:
                break
            n_leaves += 1
            fresh = self._divide(heapq.heappop(waiting)[1], search=n_leaves != most)
        for node in self.nodes:
            self.layout.release(node)
        return self.nodes

    def _divide(self, index: int, *, search: bool) -> list[int]:
        """Give a node its children, and look for their splits if asked."""
        node = self.nodes[index]
        assert node.split is not None
        span = slice(node.start, node.stop)
        codes = self.layout.bins.codes[node.split.feature]
        n_positive, n_negative = partition_rows(
            self.rows[span],
            self.weights[span],
            node.middle - node.start,
            codes,
            node.split.goes_left,
        )
        border = node.start + n_positive + n_negative
        middle = border + (node.middle - node.start) - n_positive
        left = self._node(node.start, node.start + n_positive, border, node.depth + 1)
        right = self._node(border, middle, node.stop, node.depth + 1)
        node.left, node.right = len(self.nodes), len(self.nodes) + 1
        self.nodes += [left, right]
        if search:
            small, large = sorted((left, right), key=lambda child: child.stop - child.start)
            large.histograms, node.histograms = node.histograms, NO_SUMS
            self._search(small, large)
        return [node.left, node.right]

    def _search(self, small: Node, large: Node | None) -> None:
        """Find the best splits of a node and of its larger sibling, which holds the parent's sums.

        Only the smaller one's rows are read: what is left of the parent belongs to the sibling.
        """
        layout = self.layout
        wanted = [n for n in (small, large) if n is not None and layout.may_split(n)]
        if wanted:
            small.histograms = layout.histograms()
            n_features = layout.bins.n_features
            splits = np.zeros((2, n_features), SPLIT)
            work = (small.stop - small.start) * n_features
            n_threads = layout.n_threads if work > SERIAL_WORK else 1
            step = FEATURES_AT_ONCE if n_threads > 1 else n_features

            def block(index: int) -> None:
                part = slice(index * step, (index + 1) * step)
                subtract_from = large if large in wanted else None
                self._fill(part, small, subtract_from)
                for node, found in zip(wanted, splits, strict=False):
                    layout.best_cuts(part, node, found)

            run_blocks(block, -(-n_features // step), n_threads)
            for node, found in zip(wanted, splits, strict=False):
                layout.choose(node, found)
        for child in (small, large):
            if child is not None and child.split is None:
                layout.release(child)

    def _fill(self, part: slice, small: Node, large: Node | None) -> None:
        """Histograms of some features for two siblings, of which ``large`` has the parent's."""
        layout, span = self.layout, slice(small.start, small.stop)
        first = layout.first[part.start : part.stop + 1]
        fill_histograms(
            layout.bins.codes[part],
            self.rows[span],
            self.weights[span],
            small.middle - small.start,
            first,
            small.histograms,
        )
        if large is not None:
            subtract_histograms(large.histograms, small.histograms, first)


# -- the oracle -----------------------------------------------------------------------------------


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

    def best(self, dual: Array, k: int = 1, *, round: int = 1) -> list[Candidate]:
        """One tree."""
        growth = Growth(self._layout, dual)
        nodes = self._pruned(growth.run(), len(growth.rows))
        tree = self._tree(nodes)
        column = self._column(tree, nodes, growth, dual)
        edge = weighted_sum(dual, column)
        if edge < 0:
            return [Candidate(tree.negated(), -edge, -column)]
        return [Candidate(tree, edge, column)]

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

    def _tree(self, nodes: list[Node]) -> Tree:
        """Write nodes as a tree on raw values."""
        bins, records = self._layout.bins, np.zeros(len(nodes), NODE)
        sets: list[Sequence[int] | None] = [None] * len(nodes)
        records["feature"] = records["left"] = records["right"] = -1
        records["value"] = self._values(nodes)
        for k, node in enumerate(nodes):
            split = node.split
            if node.left < 0 or split is None:
                continue
            j, record = split.feature, records[k]
            record["feature"], record["left"], record["right"] = j, node.left, node.right
            record["value"], record["gain"] = 0.0, split.gain
            record["missing_left"] = split.goes_left[-1]
            if self._layout.kinds[j] == THRESHOLD:
                edges = bins.edges[j]
                record["threshold"] = edges[split.cut] if split.cut < len(edges) else np.inf
            else:
                sets[k] = np.flatnonzero(split.goes_left[:-1]).tolist()
        return Tree(*_with_categories(records, sets))

    def _values(self, nodes: list[Node]) -> Array:
        """Value of every node as a leaf; children come after their parent."""
        labels = np.full(len(nodes), -1.0)
        for k, node in enumerate(nodes):
            gap = node.positive - node.negative
            if abs(gap) > TIE:
                labels[k] = np.sign(gap)
            if node.left >= 0:
                labels[[node.left, node.right]] = labels[k]
        if self.criterion != "Z":
            return labels
        odds = [(n.positive + self.smoothing) / (n.negative + self.smoothing) for n in nodes]
        values = 0.5 * np.log(odds)
        largest = max(abs(v) for v, n in zip(values, nodes, strict=True) if n.left < 0)
        return values / largest if largest > 0 else labels

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
