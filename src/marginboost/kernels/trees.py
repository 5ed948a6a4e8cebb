"""Kernels behind decision trees: histograms of a node's rows, their best cuts, walks down a tree.

The rows of a node lie together in one index array, the positive ones first, with their weights
beside them. So a histogram keeps the weight of the two signs apart with one addition a row and no
test, and reads codes in ascending row order. Four features share one read of the index and of the
weight. Every feature is summed in the same order however features are grouped or threads shared.

A *cut* of a numeric feature is the last bin that goes left. Whatever the kind of split, growth uses
it as a table: whether each code goes left, the last entry for missing values.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .jit import kernel
from .stumps import CATEGORY, PARTITION, TIE

Array = np.ndarray[Any, np.dtype[Any]]

EDGE, GINI, ENTROPY, Z = 0, 1, 2, 3

SPLIT = np.dtype([("gain", "f8"), ("left_weight", "f8"), ("cut", "i8"), ("missing_left", "i8")])
"""Best split of one feature: a gain of zero means that there is none."""

NODE = np.dtype(
    [
        ("threshold", "f8"),
        ("value", "f8"),
        ("gain", "f8"),
        ("feature", "i4"),
        ("left", "i4"),
        ("right", "i4"),
        ("missing_left", "i4"),
        ("first", "i4"),
        ("last", "i4"),
    ]
)
"""A node of a finished tree; ``feature`` is -1 at a leaf.

A split on a category has the codes that go left, sorted, at ``first:last`` of an array of its own.
"""

SHARES = 1e9
"""Shares of positive weight are told apart in steps of one over this."""

ROWS_AT_ONCE = 64
"""Rows that go through all trees together: their values stay in the first-level cache."""


@kernel
def fill_histograms(
    codes: Array, rows: Array, weights: Array, middle: int, first: Array, histograms: Array
) -> None:
    """Sum the weights of ``rows`` by code, the ``middle`` positive rows apart from the rest.

    ``codes`` is (features, N), all rows; feature j owns ``histograms[:, first[j]:first[j + 1]]``.
    """
    for sign in range(2):
        out = histograms[sign]
        out[first[0] : first[-1]] = 0.0
        part = slice(0, middle) if sign == 0 else slice(middle, rows.size)
        chosen, amounts = rows[part], weights[part]
        n_features = codes.shape[0]
        fours = n_features - n_features % 4
        for j in range(0, fours, 4):
            a, b = out[first[j] :], out[first[j + 1] :]
            c, d = out[first[j + 2] :], out[first[j + 3] :]
            for i in range(chosen.size):
                row, weight = chosen[i], amounts[i]
                a[codes[j, row]] += weight
                b[codes[j + 1, row]] += weight
                c[codes[j + 2, row]] += weight
                d[codes[j + 3, row]] += weight
        for j in range(fours, n_features):
            a = out[first[j] :]
            for i in range(chosen.size):
                a[codes[j, chosen[i]]] += amounts[i]


@kernel
def subtract_histograms(parent: Array, child: Array, first: Array) -> None:
    """Turn the histograms of a node into those of its other child, in place.

    A weight cannot be negative: what rounding leaves below zero is zero. What it leaves above, at
    most about 1e-14 of the total weight, is far below TIE and decides nothing.
    """
    for sign in range(2):
        for k in range(first[0], first[-1]):
            parent[sign, k] = max(0.0, parent[sign, k] - child[sign, k])


@kernel
def impurity(positive: float, negative: float, criterion: int) -> float:
    """Impurity of a node times its weight; zero for a pure one.

    EDGE: twice the error of the majority, ``w - |W+ - W-|``. GINI: ``2 W+ W- / w``. ENTROPY: ``w``
    times the entropy in bits. Z: ``2 √(W+ W-)``, the factor of AdaBoost's bound.
    """
    if positive <= 0.0 or negative <= 0.0:
        return 0.0
    weight = positive + negative
    if criterion == EDGE:
        return weight - abs(positive - negative)
    if criterion == GINI:
        return 2.0 * positive * negative / weight
    if criterion == ENTROPY:
        return -(positive * np.log2(positive / weight) + negative * np.log2(negative / weight))
    return 2.0 * np.sqrt(positive * negative)


@kernel
def snapped(weight: float) -> float:
    """Return zero for a weight no larger than TIE.

    Differences of sums leave some 1e-17 where nothing is; the square root of Z would see it.
    """
    return weight if weight > TIE else 0.0


@kernel
def split_impurity(
    left_p: float, left_n: float, right_p: float, right_n: float, criterion: int, floor: float
) -> float:
    """Impurity of two sides; infinite where one of them weighs less than ``floor``."""
    left_p, left_n = snapped(left_p), snapped(left_n)
    right_p, right_n = snapped(right_p), snapped(right_n)
    if left_p + left_n < floor or right_p + right_n < floor:
        return np.inf
    return impurity(left_p, left_n, criterion) + impurity(right_p, right_n, criterion)


@kernel
def category_order(positive: Array, negative: Array) -> Array:
    """Categories by share of positive weight, the ones without weight and then missing last.

    Shares are rounded, so that those which differ by rounding only keep the order of the codes.

    The best two sets of categories, for any concave impurity, are a prefix of this order and the
    rest (Fisher; Breiman et al.).
    """
    share = np.full(positive.size - 1, 2.0)
    for k in range(share.size):
        weight = positive[k] + negative[k]
        if weight > TIE:
            share[k] = np.rint(positive[k] / weight * SHARES) / SHARES
    return np.append(np.argsort(share, kind="mergesort"), share.size)


@kernel
def scan_cuts(
    positive: Array, negative: Array, singles: bool, criterion: int, floor: float
) -> tuple[float, int, float, int]:
    """Gain, cut, left weight and side of missing values of the best split, the lowest on ties.

    ``positive`` and ``negative`` hold the weight by code, that of missing values last. The left
    side is a prefix of the codes, or with ``singles`` one code. Both sides are tried for missing
    values, left first; where there are none, they go with the heavier child. Missing values that
    stand alone stand right.
    """
    n_bins = positive.size - 1
    miss_p, miss_n = positive[n_bins], negative[n_bins]
    some_missing = miss_p + miss_n > TIE
    all_p, all_n = positive.sum(), negative.sum()
    whole = impurity(snapped(all_p), snapped(all_n), criterion)
    best, best_cut, best_weight, missing_left = whole, 0, 0.0, 1
    left_p = left_n = 0.0
    for cut in range(n_bins):
        p, n = positive[cut], negative[cut]
        if p + n <= 0.0:
            continue  # nothing new on the left
        left_p = p if singles else left_p + p
        left_n = n if singles else left_n + n
        if left_p + left_n <= TIE:
            continue  # no value on the left
        p, n = left_p + miss_p, left_n + miss_n
        rest = split_impurity(p, n, all_p - p, all_n - n, criterion, floor)
        if rest < best - TIE:
            best, best_cut, best_weight = rest, cut, p + n
            missing_left = 1 if some_missing or 2 * (p + n) >= all_p + all_n - TIE else 0
        if some_missing:
            rest = split_impurity(left_p, left_n, all_p - left_p, all_n - left_n, criterion, floor)
            if rest < best - TIE:
                best, best_cut, best_weight, missing_left = rest, cut, left_p + left_n, 0
    return whole - best, best_cut, best_weight, missing_left


@kernel
def best_cut(
    positive: Array, negative: Array, kind: int, criterion: int, floor: float, split: Any
) -> None:
    """Write to ``split`` the split of one feature with the largest gain, the lowest cut on ties.

    When all present values go left and missing ones right, the cut is the last bin that has any
    weight, or for CATEGORY the number of bins. For PARTITION a cut is a position in
    :func:`category_order`.
    """
    if kind == PARTITION:
        order = category_order(positive, negative)
        positive, negative = positive[order], negative[order]
    best = scan_cuts(positive, negative, kind == CATEGORY, criterion, floor)
    if kind == CATEGORY:
        present = scan_cuts(  # the same with all categories as one
            np.array([positive[:-1].sum(), positive[-1]]),
            np.array([negative[:-1].sum(), negative[-1]]),
            False,
            criterion,
            floor,
        )
        if present[0] > best[0] + TIE:
            best = (present[0], positive.size - 1, present[2], present[3])
    split.gain, split.cut, split.left_weight, split.missing_left = best


@kernel
def best_cuts(
    histograms: Array, first: Array, kinds: Array, criterion: int, floor: float, splits: Array
) -> None:
    """Best split of every feature; kinds are THRESHOLD, CATEGORY or PARTITION."""
    for j in range(kinds.size):
        mine = histograms[:, first[j] : first[j + 1]]
        best_cut(mine[0], mine[1], kinds[j], criterion, floor, splits[j])


@kernel
def partition_rows(
    rows: Array, weights: Array, middle: int, codes: Array, goes_left: Array
) -> tuple[int, int]:
    """Move the rows of a node that go left to the front, in place, each side positive rows first.

    ``codes`` is the column of the split's feature. Nothing else changes order. Returns how many
    positive and how many negative rows went left.
    """
    away_rows, away_weights = np.empty_like(rows), np.empty_like(weights)
    n_left, n_right, left_positive = 0, 0, 0
    for i in range(rows.size):
        row, weight = rows[i], weights[i]
        left = goes_left[codes[row]]
        # Both places are written and one counted: no branch for the processor to guess.
        rows[n_left], weights[n_left] = row, weight
        away_rows[n_right], away_weights[n_right] = row, weight
        n_left += left
        n_right += 1 - left
        left_positive += left if i < middle else 0
    rows[n_left:] = away_rows[:n_right]
    weights[n_left:] = away_weights[:n_right]
    return left_positive, n_left - left_positive


@kernel
def walk_codes(
    codes: Array, rows: Array, nodes: Array, tables: Array, starts: Array, out: Array
) -> None:
    """Outputs of one tree on some binned rows; node k asks the table at ``tables[starts[k]:]``."""
    for row in rows:
        k = 0
        while nodes[k].feature >= 0:
            left = tables[starts[k] + codes[nodes[k].feature, row]]
            k = nodes[k].left if left else nodes[k].right
        out[row] = nodes[k].value


@kernel
def contains(codes: Array, value: float) -> bool:
    """Whether ``value`` is among sorted codes."""
    first, last = 0, codes.size
    while first < last:
        half = (first + last) >> 1
        if codes[half] < value:
            first = half + 1
        else:
            last = half
    return first < codes.size and codes[first] == value


@kernel
def goes_left(node: Any, categories: Array, value: float) -> bool:
    """Which way a raw value goes at a node."""
    if np.isnan(value):
        return node.missing_left != 0
    if node.last > node.first:
        return contains(categories[node.first : node.last], value)
    return value <= node.threshold


@kernel
def add_trees(
    rows: Array, nodes: Array, categories: Array, roots: Array, coef: Array, out: Array
) -> None:
    """``out[i] += Σ_t coef[t] tree_t(rows[i])`` over trees laid one after the other.

    Tree t starts at ``nodes[roots[t]]``; its children are counted from there, its categories are
    not. Rows are added up tree by tree in order, so the sum does not depend on the blocks.
    """
    for start in range(0, out.size, ROWS_AT_ONCE):
        stop = min(start + ROWS_AT_ONCE, out.size)
        for t in range(roots.size):
            tree = nodes[roots[t] :]
            for i in range(start, stop):
                k = 0
                while tree[k].feature >= 0:
                    left = goes_left(tree[k], categories, rows[i, tree[k].feature])
                    k = tree[k].left if left else tree[k].right
                out[i] += coef[t] * tree[k].value
