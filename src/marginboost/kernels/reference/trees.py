"""Readable NumPy twin of the tree engine: what its kernels mean, and what they are tested against.

Splits are found the long way: every candidate is turned into a table of the codes that go left, the
rows are sent through it, and the sums of the two sides are made afresh.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...types import Array
from ..splits import ABSOLUTE, ENTROPY, LARGEST, SQUARES
from ..stumps import CATEGORY, PARTITION
from ..ties import TIE


class Rows(NamedTuple):
    """Some rows: codes (features, n), channels (n, labels + 1), and how many rows each stands for.

    ``n_bins`` and ``kinds`` are those of the features.
    """

    codes: Array
    n_bins: Array
    kinds: Array
    values: Array
    counts: Array

    def take(self, chosen: Array) -> Rows:
        """Some of them."""
        return self._replace(
            codes=self.codes[:, chosen], values=self.values[chosen], counts=self.counts[chosen]
        )


class Rules(NamedTuple):
    """What growth looks for, and when it stops; 0 leaves or features together mean no limit.

    ``monotonic`` are directions of features, ``groups`` those features that may meet on one way.
    """

    criterion: int
    max_leaf_nodes: int = 0
    max_depth: int = 99
    min_weight: float = 0.0
    min_rows: float = 0.0
    l2: float = 0.0
    by_ratio: bool = False
    min_gain: float = 0.0
    by_depth: bool = False
    together: int = 0
    groups: tuple[frozenset[int], ...] = ()
    monotonic: tuple[int, ...] = ()

    def may_divide(self, data: Rows) -> bool:
        """Whether these rows are enough for two sides."""
        enough = data.counts.sum() >= 2.0 * self.min_rows * (1 - 1e-9)
        return enough and len(data.counts) > 1 and data.values[:, -1].sum() > 0.0

    def floor(self, data: Rows) -> float:
        """Least weight of a side, where these rows are divided."""
        by_rows = self.min_rows * (1 - 1e-9) * data.values[:, -1].sum() / data.counts.sum()
        return float(max(self.min_weight, by_rows))


class Split(NamedTuple):
    """A split of a node: its feature, which codes go left (missing last), and what it gains."""

    feature: int
    goes_left: Array
    gain: float


@dataclass(eq=False)
class Node:
    """Some rows, by position, the split they would like, and their children once it is made.

    ``path`` are the features of its ancestors, ``low`` and ``high`` bounds on values of leaves.
    """

    rows: Array
    depth: int
    split: Split | None = None
    left: int = -1
    right: int = -1
    path: frozenset[int] = frozenset()
    low: float = -np.inf
    high: float = np.inf

    def may_use(self, j: int, rules: Rules) -> bool:
        """Whether it may be split by a feature."""
        wanted = self.path | {j}
        if rules.together:
            return len(wanted) <= rules.together
        return not rules.groups or any(wanted <= group for group in rules.groups)

    def value(self, values: Array, rules: Rules) -> float:
        """Value of a leaf with these rows, within the bounds."""
        signed, weight = values.sum(axis=0)
        return float(np.clip(signed / (weight + rules.l2), self.low, self.high))

    def score(self, values: Array, rules: Rules) -> float:
        """Score of a leaf with these rows, within the bounds."""
        if not np.isfinite([self.low, self.high]).any():
            return score(values, rules)
        (signed, weight), value = values.sum(axis=0), self.value(values, rules)
        return float(2.0 * signed * value - (weight + rules.l2) * value**2)


ROOT = Node(np.empty(0, np.int64), 0)


def score(values: Array, rules: Rules) -> float:
    """Score of a node with these rows."""
    signed, weight = values[:, :-1].sum(axis=0), values[:, -1].sum()
    if weight <= 0.0:
        return 0.0
    if rules.criterion == SQUARES:
        return float((signed**2).sum() / (weight + rules.l2))
    if rules.criterion == ABSOLUTE:
        return float(np.abs(signed).sum())
    if rules.criterion == LARGEST:
        return float(signed.max())
    parts = signed if len(signed) > 1 else 0.5 * np.array([weight + signed[0], weight - signed[0]])
    some = parts[parts > TIE]
    if rules.criterion == ENTROPY:
        return float((some * np.log2(some / weight)).sum())
    return float(-2.0 * np.sqrt(some.prod())) if len(some) > 1 else 0.0


def resolution(score: float) -> float:
    """Return the least difference by which another score is different from this one."""
    return TIE * max(1.0, abs(score))


def category_order(sums: Array) -> list[int]:
    """Categories by signed sum over weight, to nine digits; without weight last."""
    signed, weight = sums[:-1, 0], sums[:-1, -1]
    means = np.where(np.abs(signed) > TIE, signed / np.maximum(weight, TIE), 0.0)
    keys = [float(f"{m:.9g}") if w > TIE else np.inf for m, w in zip(means, weight, strict=True)]
    return sorted(range(len(keys)), key=lambda k: keys[k])


def histogram(codes: Array, values: Array, n_codes: int) -> Array:
    """Sums of the channels by code."""
    return np.array([np.bincount(codes, v, n_codes) for v in values.T]).T


def left_sets(sums: Array, kind: int) -> Iterator[list[int]]:
    """Codes that may go left together, in the order that settles ties."""
    n_bins = len(sums) - 1
    if kind == CATEGORY:
        yield from ([k] for k in range(n_bins))
        yield list(range(n_bins))
    else:
        order = category_order(sums) if kind == PARTITION else list(range(n_bins))
        yield from (order[: k + 1] for k in range(n_bins))


def tables(sums: Array, kind: int) -> Iterator[Array]:
    """All tables of one feature, in the order that settles ties."""
    weight = sums[:, -1]
    total = weight.sum()
    for codes in left_sets(sums, kind):
        left = weight[codes].sum()
        if left <= TIE * total:
            continue  # missing values alone go right
        heavier = int(2 * left >= total * (1 - TIE))
        for side in (1, 0) if weight[-1] > TIE * total else (heavier,):
            table = np.zeros(len(weight), dtype=np.uint8)
            table[codes] = 1
            table[-1] = side
            if kind == PARTITION:
                unseen = weight[:-1] <= TIE
                table[:-1][unseen] = 2 * weight[table == 1].sum() >= total * (1 - TIE)
            yield table


def best_split(data: Rows, j: int, rules: Rules, node: Node = ROOT) -> Split | None:
    """Best split of a node by one feature; None where nothing is gained."""
    codes, values = data.codes[j], data.values
    floor, whole = rules.floor(data), node.score(values, rules)
    best, chosen = whole, None
    for table in tables(histogram(codes, values, int(data.n_bins[j]) + 1), int(data.kinds[j])):
        left = table[codes] == 1
        if min(values[left, -1].sum(), values[~left, -1].sum()) < floor or left.all():
            continue
        found = score_sides(values, left, j, rules, node)
        if found > best + resolution(best):
            best, chosen = found, table
    return None if chosen is None else Split(j, chosen, best - whole)


def score_sides(values: Array, left: Array, j: int, rules: Rules, node: Node) -> float:
    """Score of two sides of a node together; -inf where they go against the feature's direction."""
    direction = rules.monotonic[j] if rules.monotonic else 0
    rise = node.value(values[~left], rules) - node.value(values[left], rules) if direction else 0.0
    if rise * direction < 0.0:
        return -np.inf
    return node.score(values[left], rules) + node.score(values[~left], rules)


def node_split(data: Rows, rules: Rules, node: Node = ROOT) -> Split | None:
    """Best split of a node over all features that it may be split by."""
    allowed = [j for j in range(len(data.n_bins)) if node.may_use(j, rules)]
    found = [best_split(data, j, rules, node) for j in allowed]
    splits = [split for split in found if split is not None and split.gain > rules.min_gain]
    if not splits:
        return None
    gains = np.array([split.gain for split in splits])
    if not rules.by_ratio:
        least = gains.max() - resolution(abs(node.score(data.values, rules)) + gains.max())
        return splits[int(np.argmax(gains > least))]
    good = gains >= gains.mean() - TIE
    information = np.array([split_information(split, data) for split in splits])
    best = (gains / information)[good].max()
    return splits[int(np.argmax(good & (gains > best * information - TIE)))]


def split_information(split: Split, data: Rows) -> float:
    """Information, in bits, of which side a row goes to."""
    left = split.goes_left[data.codes[split.feature]] == 1
    sides = np.array([data.values[left, -1].sum(), data.values[~left, -1].sum()])
    shares = sides / sides.sum()
    return float(-(shares * np.log2(shares)).sum())


def open_children(node: Node, left: Array, data: Rows, rules: Rules) -> tuple[Node, Node]:
    """Children of a node; where its feature has a direction their values part in the middle."""
    assert node.split is not None
    path, j = node.path | {node.split.feature}, node.split.feature
    pair = [
        Node(node.rows[side], node.depth + 1, path=path, low=node.low, high=node.high)
        for side in (left, ~left)
    ]
    if rules.monotonic and rules.monotonic[j]:
        middle = sum(node.value(data.values[child.rows], rules) for child in pair) / 2.0
        lower, upper = pair if rules.monotonic[j] > 0 else pair[::-1]
        lower.high = upper.low = middle
    return pair[0], pair[1]


def gain_of(data: Rows, j: int, table: Array, rules: Rules, node: Node) -> float:
    """What a node gains by a question that was not made for it; 0 where it is better left whole."""
    here = data.take(node.rows)
    left, weights = table[here.codes[j]] == 1, here.values[:, -1]
    least = max(rules.floor(here), TIE * weights.sum())
    if min(weights[left].sum(), weights[~left].sum()) < least:
        return 0.0
    whole = node.score(here.values, rules)
    gain = score_sides(here.values, left, j, rules, node) - whole
    return gain if gain > max(rules.min_gain, resolution(whole)) else 0.0


def best_question(data: Rows, rules: Rules, waiting: list[Node]) -> tuple[int, Array] | None:
    """Feature and codes that go left, of the question that gains most at the nodes together."""
    together = data.take(np.concatenate([node.rows for node in waiting]))
    whole = sum(abs(node.score(data.values[node.rows], rules)) for node in waiting)
    found: list[tuple[float, int, Array]] = []
    for j in range(len(data.n_bins)):
        if not all(node.may_use(j, rules) for node in waiting):
            continue
        sums = histogram(together.codes[j], together.values, int(data.n_bins[j]) + 1)
        best, chosen = 0.0, None
        for table in tables(sums, int(data.kinds[j])):
            gain = sum(gain_of(data, j, table, rules, node) for node in waiting)
            if gain > best + resolution(whole + best):
                best, chosen = gain, table
        found += [] if chosen is None else [(best, j, chosen)]
    if not found:
        return None
    most = max(gain for gain, _, _ in found)
    return next(rest for gain, *rest in found if gain > most - resolution(whole + most))  # type: ignore[return-value]


def grow_symmetric(data: Rows, rules: Rules) -> list[Node]:
    """Grow a tree that asks all nodes of a level one question; nodes level by level."""
    nodes = [Node(np.arange(data.codes.shape[1]), 0)]
    waiting, children = nodes[:], {}
    for _ in range(rules.max_depth):
        question = best_question(data, rules, waiting) if waiting else None
        if question is None:
            break
        j, table = question
        asked, waiting = waiting, []
        for node in asked:
            gain = gain_of(data, j, table, rules, node)
            if gain <= 0.0:
                waiting.append(node)
                continue
            node.split = Split(j, table, gain)
            pair = open_children(node, table[data.codes[j, node.rows]] == 1, data, rules)
            children[id(node)] = pair
            waiting += [child for child in pair if rules.may_divide(data.take(child.rows))]
    return hang_together(nodes, children)


def grow(data: Rows, rules: Rules) -> list[Node]:
    """Grow a tree, the open node of largest gain (next to the root) first; nodes level by level."""
    nodes = [Node(np.arange(data.codes.shape[1]), 0)]
    nodes[0].split = node_split(data, rules)
    waiting, n_leaves = [nodes[0]] if nodes[0].split else [], 1
    children: dict[int, tuple[Node, Node]] = {}
    while waiting and n_leaves != rules.max_leaf_nodes:
        top = min(node.depth for node in waiting) if rules.by_depth else None
        ready = [node for node in waiting if top in (None, node.depth)]
        node = max(ready, key=lambda node: node.split.gain)  # type: ignore[union-attr]
        waiting.remove(node)
        assert node.split is not None
        left = node.split.goes_left[data.codes[node.split.feature, node.rows]] == 1
        n_leaves += 1
        pair = open_children(node, left, data, rules)
        children[id(node)] = pair
        for child in pair:
            if child.depth < rules.max_depth and len(child.rows) > 1:
                child.split = node_split(data.take(child.rows), rules, child)
                waiting += [child] if child.split else []
    return hang_together(nodes, children)


def hang_together(nodes: list[Node], children: dict[int, tuple[Node, Node]]) -> list[Node]:
    """Write down the nodes below a root, level by level."""
    for node in nodes:
        if id(node) in children:
            node.left, node.right = len(nodes), len(nodes) + 1
            nodes += children[id(node)]
    return nodes


def tree_value(nodes: Array, categories: Array, row: Array) -> float:
    """Output of a tree on one raw row."""
    node = nodes[0]
    while node["feature"] >= 0:
        value = row[node["feature"]]
        if np.isnan(value):
            left = bool(node["missing_left"])
        elif node["last"] > node["first"]:
            left = value in categories[node["first"] : node["last"]]
        else:
            left = value <= node["threshold"]
        node = nodes[node["left"] if left else node["right"]]
    return float(node["value"])
