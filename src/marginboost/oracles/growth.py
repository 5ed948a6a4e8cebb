"""How a tree grows: greedily, on the signed weights (SF-B3, CH-B2, Barnes B2).

A node with positive weight W+ and negative weight W- has an impurity that is zero when it is pure;
the split that lowers the impurity of its sides most is taken. Which impurity is the criterion:

====================  ==================================  =========================================
criterion             impurity of a node, w = W+ + W-     what a split does
====================  ==================================  =========================================
``edge``              ``w - |W+ - W-|``                   raises the edge of the tree most
``gini``              ``2 W+ W- / w``                     CART
``entropy``           ``w`` times entropy in bits         ID3
``gain_ratio``        the same                            C4.5: see ``best_gain_ratio``
``Z``                 ``2 √(W+ W-)``                      lowers AdaBoost's bound most; real leaves
====================  ==================================  =========================================

All weights are shares of the total weight, so limits and gains mean the same in every round.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..core.types import Array
from ..data import BinnedMatrix
from ..kernels.parallel import run_blocks
from ..kernels.stumps import CATEGORY, THRESHOLD, TIE
from ..kernels.trees import (
    EDGE,
    ENTROPY,
    GINI,
    SPLIT,
    Z,
    best_cuts,
    category_order,
    fill_histograms,
    partition_rows,
    subtract_histograms,
)
from .histograms import SERIAL_WORK

CRITERIA = {"edge": EDGE, "gini": GINI, "entropy": ENTROPY, "gain_ratio": ENTROPY, "Z": Z}

FEATURES_AT_ONCE = 8
"""Features in one block of work: whole groups of four, small enough to share out evenly."""

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
