"""Readable NumPy twin of the gradient tree kernels: what they mean, and what they are tested by.

Splits are found the long way: every candidate is turned into a table of the codes that go left, the
rows are sent through it, and the sums of the two sides are made afresh.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from .stumps import CATEGORY, PARTITION, TIE

Array = np.ndarray[Any, np.dtype[Any]]


class Limits(NamedTuple):
    """Limits of growth; 0 leaves means no limit."""

    max_leaves: int
    max_depth: int
    min_rows: float
    l2: float


@dataclass
class Node:
    """Some rows, the split they would like, and their children once it is made."""

    rows: Array
    depth: int
    gain: float = 0.0
    feature: int = -1
    goes_left: Array = field(default_factory=lambda: np.empty(0, np.uint8))
    left: int = -1
    right: int = -1


class Trainer(NamedTuple):
    """Codes (features, N), bins and kind of each feature; slope, curvature, weight of each row."""

    codes: Array
    n_bins: Array
    kinds: Array
    slope: Array
    curvature: Array
    weights: Array


def worth(data: Trainer, rows: Array, l2: float) -> float:
    """``G² / (H + l2)``."""
    return float(data.slope[rows].sum() ** 2 / (data.curvature[rows].sum() + l2))


def left_sets(data: Trainer, j: int, rows: Array) -> Iterator[list[int]]:
    """Codes of a feature that may go left together, in the order that settles ties."""
    n_bins, codes = int(data.n_bins[j]), data.codes[j, rows]
    bins = list(range(n_bins))
    if data.kinds[j] == CATEGORY:
        yield from ([k] for k in bins)
        yield bins
        return
    if data.kinds[j] == PARTITION:
        sums = [np.bincount(codes, v[rows], n_bins + 1) for v in (data.slope, data.curvature)]
        steps = [sums[0][k] / sums[1][k] if sums[1][k] > TIE else np.inf for k in bins]
        bins.sort(key=lambda k: steps[k])
    yield from (bins[: k + 1] for k in range(n_bins))


def tables(data: Trainer, j: int, rows: Array) -> Iterator[Array]:
    """All tables of one feature, in the order that settles ties."""
    n_bins, codes = int(data.n_bins[j]), data.codes[j, rows]
    curvature = np.bincount(codes, data.curvature[rows], n_bins + 1)
    total = curvature.sum()
    some_missing = curvature[n_bins] > TIE * total
    for chosen in left_sets(data, j, rows):
        for side in (1, 0) if some_missing else (int(2 * curvature[chosen].sum() >= total - TIE),):
            table = np.zeros(n_bins + 1, np.uint8)
            table[chosen] = 1
            table[n_bins] = side
            if data.kinds[j] == PARTITION:
                heavier = 2 * curvature[table == 1].sum() >= total - TIE
                table[:n_bins][curvature[:n_bins] <= TIE] = heavier
            yield table


def find_split(data: Trainer, node: Node, limits: Limits) -> None:
    """Give a node its best split, the lowest feature and cut on ties."""
    rows, whole = node.rows, worth(data, node.rows, limits.l2)
    if node.depth >= limits.max_depth:
        return
    count, total = data.weights[rows].sum(), data.curvature[rows].sum()
    best: list[tuple[float, Array]] = []
    for j in range(len(data.n_bins)):
        best.append((0.0, np.empty(0, np.uint8)))
        for table in tables(data, j, rows):
            left = table[data.codes[j, rows]] == 1
            share = data.curvature[rows[left]].sum() / total
            if min(share, 1.0 - share) * count < limits.min_rows * (1.0 - 1e-9):
                continue
            sides = worth(data, rows[left], limits.l2) + worth(data, rows[~left], limits.l2)
            if sides - whole > best[j][0] + TIE:
                best[j] = (sides - whole, table)
    most = max(gain for gain, _ in best)
    if most > 0.0:
        node.feature = next(j for j, (gain, _) in enumerate(best) if gain > most - TIE)
        node.gain, node.goes_left = best[node.feature]


def grow(data: Trainer, limits: Limits) -> list[Node]:
    """Grow a tree: the open node of largest gain first, or without a limit the newest."""
    nodes = [Node(np.arange(data.codes.shape[1]), 0)]
    find_split(data, nodes[0], limits)
    waiting, n_leaves = [0] if nodes[0].feature >= 0 else [], 1
    while waiting and n_leaves != limits.max_leaves:
        most = max(nodes[k].gain for k in waiting)
        first = min(k for k in waiting if nodes[k].gain > most - TIE)
        parent = first if limits.max_leaves else waiting[-1]
        waiting.remove(parent)
        node = nodes[parent]
        goes_left = node.goes_left[data.codes[node.feature, node.rows]] == 1
        node.left, node.right = len(nodes), len(nodes) + 1
        n_leaves += 1
        children = [Node(node.rows[side], node.depth + 1) for side in (goes_left, ~goes_left)]
        nodes += children
        for child in children:
            if len(child.rows) > 1:
                find_split(data, child, limits)
        small_first = sorted((node.left, node.right), key=lambda k: len(nodes[k].rows))
        waiting += [k for k in small_first if nodes[k].feature >= 0]
    return nodes
