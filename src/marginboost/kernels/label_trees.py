"""Kernels behind trees that answer with labels: histograms by label, best cuts, growth, votes.

A tree is grown for a matrix of signed weights, one number an example and label: positive where the
label should be in the answer, negative where it should not. Its sums over a node are all that a
split is judged by. Where every example carries weight on one label only, the matrix is given as
labels and weights, and a histogram takes one addition a row.

A whole tree below its root is grown in one call: trees of a thousand leaves would otherwise spend
their time between kernels. The rows of a node lie together, in the order of the table, with their
weights and labels beside them.

A *cut* of a numeric feature is the last bin that goes left, of a category the one that does; the
number of bins means that all present values go left.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .jit import kernel, reducing_kernel
from .stumps import CATEGORY, TIE
from .trees import goes_left

Array = np.ndarray[Any, np.dtype[Any]]

ONE, SETS, GINI, ENTROPY = 0, 1, 2, 3
"""Worth of a node with sums S and weight W: max S, Σ|S|, ΣS² / W, Σ S log2(S / W)."""

ROWS_AT_ONCE = 64
"""Rows that go through all trees together: their values stay in the first-level cache."""

LABEL_NODE = np.dtype(
    [
        ("gain", "f8"),
        ("weight", "f8"),
        ("feature", "i8"),
        ("cut", "i8"),
        ("missing_left", "i8"),
        ("left", "i8"),
        ("right", "i8"),
        ("start", "i8"),
        ("stop", "i8"),
        ("depth", "i8"),
    ]
)
"""A node of a growing tree; ``left`` is -1 at a leaf, where ``feature`` may still hold a split."""


class LabelWeights(NamedTuple):
    """Some rows, and what they weigh.

    Attributes
    ----------
    rows : array of uint32
        Positions in the table.
    labels : array of int32
        Own label of each row.
    amounts : array
        Weight of each row, over all labels.
    dense : array (all rows of the table, labels)
        Signed weights by label; without rows where all weight of a row is on its own label.
    """

    rows: Array
    labels: Array
    amounts: Array
    dense: Array


@reducing_kernel
def worth(sums: Array, weight: float, criterion: int) -> float:
    """Worth of a node, which a split should raise."""
    total = 0.0
    if criterion == GINI:
        for label in range(sums.size):
            total += sums[label] * sums[label]
        return total / weight
    if criterion == SETS:
        for label in range(sums.size):
            total += abs(sums[label])
        return total
    if criterion == ENTROPY:
        for label in range(sums.size):
            if sums[label] > TIE:
                total += sums[label] * np.log2(sums[label] / weight)
        return total
    total = sums[0]
    for label in range(1, sums.size):
        total = max(total, sums[label])
    return total


@kernel
def fill_by_label(
    codes: Array, weights: LabelWeights, place: Array, sums: Array, bin_weights: Array
) -> None:
    """Add the rows of a node to ``sums`` (codes, labels) and their weight to ``bin_weights``.

    Label l has the column ``place[l]`` of its own, where rows weigh on one label only.
    """
    rows, labels, amounts, dense = weights
    if dense.shape[0] == 0:
        for i in range(rows.size):
            code = codes[rows[i]]
            sums[code, place[labels[i]]] += amounts[i]
            bin_weights[code] += amounts[i]
    else:
        for i in range(rows.size):
            code, row = codes[rows[i]], rows[i]
            for label in range(sums.shape[1]):
                sums[code, label] += dense[row, label]
            bin_weights[code] += amounts[i]


@kernel
def scan_labels(
    sums: Array,
    bin_weights: Array,
    n_bins: int,
    node: tuple[Array, float],
    singles: bool,
    limits: tuple[int, float],
    scratch: Array,
    split: Any,
) -> None:
    """Write the best split of one feature to ``split``, the lowest cut on ties.

    ``node`` are its sums and weight, ``limits`` the criterion and the least weight of a side,
    ``scratch`` is room for three rows of sums. Missing values, the last code, are tried on both
    sides, left first; where there are none they go with the heavier child. Where cuts are single
    codes, present values are at last tried against missing ones.
    """
    total, weight = node
    criterion, floor = limits
    left, here, there = scratch[0], scratch[1], scratch[2]
    missing = bin_weights[n_bins]
    some_missing = missing > TIE
    whole = worth(total, weight, criterion)
    best, left_weight = whole + TIE, 0.0
    split.gain, split.cut, split.left_weight, split.missing_left = 0.0, 0, 0.0, 1
    for label in range(total.size):
        left[label] = 0.0
    for cut in range(n_bins + 1):
        present = cut == n_bins
        if bin_weights[cut] <= 0.0 or (present and not (singles and some_missing)):
            continue
        keep = 1.0 if present or not singles else 0.0
        left_weight = weight - missing if present else keep * left_weight + bin_weights[cut]
        for label in range(total.size):
            if present:
                left[label] = total[label] - sums[cut, label]
            else:
                left[label] = keep * left[label] + sums[cut, label]
        for missing_left in range(1, -1 if some_missing else 0, -1):
            heavy = left_weight + missing_left * missing
            if left_weight <= TIE or heavy < floor or weight - heavy < floor:
                continue
            for label in range(total.size):
                here[label] = left[label] + missing_left * sums[n_bins, label]
                there[label] = total[label] - here[label]
            found = worth(here, heavy, criterion) + worth(there, weight - heavy, criterion)
            if found > best:
                best = found + TIE
                split.gain, split.cut, split.left_weight = found - whole, cut, heavy
                side = missing_left == 1 if some_missing else 2.0 * heavy >= weight - TIE
                split.missing_left = 1 if side else 0


@kernel
def search_labels(
    codes: Array,
    features: Array,
    weights: LabelWeights,
    total: Array,
    limits: tuple[int, float],
    splits: Array,
) -> None:
    """Best split of every feature of ``codes`` for the rows of a node with sums ``total``.

    ``features`` has a row a feature: its kind and its number of bins.
    """
    weight, widest, n_labels = 0.0, 0, 0
    for i in range(weights.amounts.size):
        weight += weights.amounts[i]
    for j in range(features.shape[0]):
        widest = max(widest, features[j, 1])
    # Most nodes of a large tree have few labels: the others need no columns.
    place, present = np.zeros(total.size, np.int64), np.empty(total.size)
    for label in range(total.size):
        if weights.dense.shape[0] > 0 or total[label] > 0.0:
            place[label], present[n_labels] = n_labels, total[label]
            n_labels += 1
    present = present[:n_labels]
    sums, amounts = np.zeros((widest + 1, n_labels)), np.zeros(widest + 1)
    scratch = np.empty((3, n_labels))
    for j in range(features.shape[0]):
        n_bins, singles = features[j, 1], features[j, 0] == CATEGORY
        fill_by_label(codes[j], weights, place, sums, amounts)
        scan_labels(sums, amounts, n_bins, (present, weight), singles, limits, scratch, splits[j])
        for code in range(n_bins + 1):
            if amounts[code] != 0.0:
                amounts[code] = 0.0
                for label in range(n_labels):
                    sums[code, label] = 0.0


@kernel
def first_best(splits: Array) -> int:
    """First feature whose gain is the largest, up to TIE; -1 where nothing is gained."""
    most = 0.0
    for j in range(splits.size):
        most = max(most, splits[j].gain)
    if most > 0.0:
        for j in range(splits.size):
            if splits[j].gain > most - TIE:
                return j
    return -1


@kernel
def code_goes_left(code: int, node: Any, kind: int, n_bins: int) -> bool:
    """Which way a code goes at a node."""
    if code == n_bins:
        return node.missing_left != 0
    if node.cut == n_bins:
        return True
    return code == node.cut if kind == CATEGORY else code <= node.cut


@kernel
def divide_rows(node: Any, codes: Array, feature: Array, weights: LabelWeights) -> int:
    """Move the rows of a node that go left to the front; nothing else changes order.

    ``feature`` is its kind and number of bins. Returns where the right side begins.
    """
    rows, labels, amounts, _ = weights
    size = node.stop - node.start
    away_rows, away_labels = np.empty(size, rows.dtype), np.empty(size, labels.dtype)
    away_amounts = np.empty(size)
    n_left, n_right = node.start, 0
    for i in range(node.start, node.stop):
        row, label, amount = rows[i], labels[i], amounts[i]
        if code_goes_left(codes[row], node, feature[0], feature[1]):
            rows[n_left], labels[n_left], amounts[n_left] = row, label, amount
            n_left += 1
        else:
            away_rows[n_right], away_labels[n_right] = row, label
            away_amounts[n_right] = amount
            n_right += 1
    for i in range(n_right):
        rows[n_left + i], labels[n_left + i] = away_rows[i], away_labels[i]
        amounts[n_left + i] = away_amounts[i]
    return n_left


@kernel
def node_sums(weights: LabelWeights, out: Array) -> tuple[float, bool]:
    """Weight of some rows, and whether they have several labels.

    Their sums by label go to ``out``, which is zero before. Rows of one label want one answer, so a
    node without several is finished.
    """
    rows, labels, amounts, dense = weights
    weight, first, several = 0.0, -1, False
    for i in range(rows.size):
        weight += amounts[i]
        if amounts[i] > 0.0:
            first = labels[i] if first < 0 else first
            several = several or labels[i] != first
        if dense.shape[0] == 0:
            out[labels[i]] += amounts[i]
        else:
            for label in range(out.size):
                out[label] += dense[rows[i], label]
    return weight, several


@kernel
def open_node(nodes: Array, k: int, parent: int, border: int, weights: LabelWeights) -> Any:
    """Make node ``k`` the root or a child of ``parent``, whose right rows begin at ``border``.

    Returns its rows.
    """
    node = nodes[k]
    node.left = node.right = node.feature = -1
    node.start, node.stop, node.depth = 0, border, 0
    if parent >= 0:
        is_left = nodes[parent].left == k
        node.start = nodes[parent].start if is_left else border
        node.stop = border if is_left else nodes[parent].stop
        node.depth = nodes[parent].depth + 1
    mine = slice(node.start, node.stop)
    rows, labels, amounts, dense = weights
    return LabelWeights(rows[mine], labels[mine], amounts[mine], dense)


@kernel
def next_node(nodes: Array, waiting: Array, n_waiting: int, best_first: bool) -> int:
    """Position of the next node to divide: the newest, or that of largest gain, oldest on ties."""
    if not best_first:
        return n_waiting - 1
    chosen = 0
    for position in range(1, n_waiting):
        newer = waiting[position] > waiting[chosen]
        # Within TIE the node made first goes first.
        margin = TIE if newer else -TIE
        if nodes[waiting[position]].gain > nodes[waiting[chosen]].gain + margin:
            chosen = position
    return chosen


@kernel
def grow_labels(
    codes: Array,
    features: Array,
    weights: LabelWeights,
    limits: tuple[int, float],
    shape: tuple[int, int],
    root_splits: Array,
    nodes: Array,
    sums: Array,
) -> int:
    """Grow a tree into ``nodes`` and their sums by label; returns the number of nodes.

    Children come after their parent. Rows are rearranged so that each leaf's lie together.
    ``shape`` is the most depth and leaves; 0 leaves is no limit, else the open node of largest gain
    is divided first. ``root_splits`` is what :func:`search_labels` found for the root. ``nodes``
    and ``sums`` begin as zeros and have room for the largest tree.
    """
    max_depth, max_leaves = shape
    waiting, n_waiting = np.empty(nodes.size, np.int64), 0
    n_nodes, n_leaves, parent, border = 0, 1, -1, weights.rows.size
    splits = np.empty(root_splits.size, root_splits.dtype)
    while True:
        for _ in range(1 if parent < 0 else 2):
            k, node = n_nodes, nodes[n_nodes]
            mine = open_node(nodes, k, parent, border, weights)
            node.weight, several = node_sums(mine, sums[k])
            n_nodes += 1
            full = node.depth >= max_depth or n_leaves == max_leaves
            if full or not several or node.weight < 2.0 * limits[1]:
                continue
            found = root_splits if parent < 0 else splits
            if parent >= 0:
                search_labels(codes, features, mine, sums[k], limits, splits)
            j = first_best(found)
            if j >= 0:
                node.feature, node.gain, node.cut = j, found[j].gain, found[j].cut
                node.missing_left = found[j].missing_left
                waiting[n_waiting] = k
                n_waiting += 1
        if n_waiting == 0 or n_leaves == max_leaves:
            return n_nodes
        position = next_node(nodes, waiting, n_waiting, max_leaves > 0)
        parent = waiting[position]
        n_waiting -= 1
        waiting[position] = waiting[n_waiting]
        node = nodes[parent]
        border = divide_rows(node, codes[node.feature], features[node.feature], weights)
        node.left, node.right = n_nodes, n_nodes + 1
        n_leaves += 1


@kernel
def add_label_trees(
    rows: Array,
    nodes: Array,
    categories: Array,
    roots: Array,
    answers: Array,
    sets: Array,
    coef: Array,
    out: Array,
) -> None:
    """``out[i] += Σ_t coef[t] tree_t(rows[i])`` over trees laid one after the other.

    A leaf answers with the label ``answers[k]``: +1 for it and -1 for all others; or, where it is
    negative, with row ``-1 - answers[k]`` of ``sets``.
    """
    against = np.empty(ROWS_AT_ONCE)  # what every label loses, taken off once
    for start in range(0, rows.shape[0], ROWS_AT_ONCE):
        stop = min(start + ROWS_AT_ONCE, rows.shape[0])
        for i in range(ROWS_AT_ONCE):
            against[i] = 0.0
        for t in range(roots.size):
            tree, mine = nodes[roots[t] :], answers[roots[t] :]
            for i in range(start, stop):
                k = 0
                while tree[k].feature >= 0:
                    left = goes_left(tree[k], categories, rows[i, tree[k].feature])
                    k = tree[k].left if left else tree[k].right
                if mine[k] >= 0:
                    against[i - start] += coef[t]
                    out[i, mine[k]] += 2.0 * coef[t]
                else:
                    for label in range(out.shape[1]):
                        out[i, label] += coef[t] * sets[-1 - mine[k], label]
        for i in range(start, stop):
            for label in range(out.shape[1]):
                out[i, label] -= against[i - start]
