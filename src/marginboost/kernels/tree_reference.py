"""Readable NumPy twins of the tree kernels: what each one means, and what it is tested against.

Splits are found the long way: every candidate is turned into a table of the codes that go left, the
rows are sent through it, and the weights of the two sides are added up afresh.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from .stumps import CATEGORY, PARTITION, TIE
from .trees import EDGE, ENTROPY, GINI

Array = np.ndarray[Any, np.dtype[Any]]


class Split(NamedTuple):
    """A split of a node: its feature, which codes go left (missing last), and what it gains."""

    feature: int
    goes_left: Array
    gain: float


def histograms(codes: Array, dual: Array, n_codes: int) -> Array:
    """Positive and negative weight by code."""
    parts = (np.maximum(dual, 0), np.maximum(-dual, 0))
    return np.array([np.bincount(codes, weights=part, minlength=n_codes) for part in parts])


def impurity(dual: Array, criterion: int) -> float:
    """Impurity times weight of some rows."""
    positive, negative = dual[dual > 0].sum(), -dual[dual < 0].sum()
    weight = positive + negative
    if min(positive, negative) <= TIE:
        return 0.0
    if criterion == EDGE:
        return float(weight - abs(positive - negative))
    shares = np.array([positive, negative]) / weight
    if criterion == GINI:
        return float(weight * (1 - (shares**2).sum()))
    if criterion == ENTROPY:
        return float(-weight * (shares * np.log2(shares)).sum())
    return float(2 * np.sqrt(positive * negative))


def category_order(sums: Array) -> list[int]:
    """Categories by share of positive weight, to nine digits; without weight last."""
    positive, weight = sums[0, :-1], sums[:, :-1].sum(axis=0)
    return sorted(
        range(len(weight)),
        key=lambda k: np.round(positive[k] / weight[k], 9) if weight[k] > TIE else 2.0,
    )


def left_sets(sums: Array, kind: int) -> Iterator[list[int]]:
    """Codes that may go left together, in the order that settles ties."""
    n_bins = sums.shape[1] - 1
    if kind == CATEGORY:
        yield from ([k] for k in range(n_bins))
        yield list(range(n_bins))
    else:
        order = category_order(sums) if kind == PARTITION else list(range(n_bins))
        yield from (order[: k + 1] for k in range(n_bins))


def tables(sums: Array, kind: int) -> Iterator[Array]:
    """All tables of one feature, in the order that settles ties."""
    weight = sums.sum(axis=0)
    for codes in left_sets(sums, kind):
        left = weight[codes].sum()
        if left <= TIE:
            continue  # missing values alone go right: see scan_cuts
        for side in (1, 0) if weight[-1] > TIE else (int(2 * left >= weight.sum() - TIE),):
            table = np.zeros(len(weight), dtype=np.uint8)
            table[codes] = 1
            if kind == PARTITION and 2 * (left + side * weight[-1]) >= weight.sum() - TIE:
                table[weight <= TIE] = 1
            table[-1] = side
            yield table


def best_split(codes: Array, n_codes: int, kind: int, dual: Array, rule: tuple[int, float]) -> Any:
    """Best table of one feature and its gain; None where nothing gains.

    ``rule`` is the criterion and the least weight of a side.
    """
    criterion, floor = rule
    whole = impurity(dual, criterion)
    best, chosen = whole, None
    for table in tables(histograms(codes, dual, n_codes), kind):
        left = table[codes] == 1
        if min(np.abs(dual[left]).sum(), np.abs(dual[~left]).sum()) < max(floor - TIE, TIE):
            continue
        rest = impurity(dual[left], criterion) + impurity(dual[~left], criterion)
        if rest < best - TIE:
            best, chosen = rest, table
    return None if chosen is None else (chosen, whole - best)


def node_split(
    codes: Array, n_bins: Array, kinds: Array, dual: Array, rule: tuple[int, float], by_ratio: bool
) -> Split | None:
    """Best split of a node over all features; ``codes`` and ``dual`` are those of its rows."""
    splits = []
    for j in range(len(n_bins)):
        found = best_split(codes[j], int(n_bins[j]) + 1, int(kinds[j]), dual, rule)
        if found is not None:
            splits.append(Split(j, *found))
    if not splits:
        return None
    gains = np.array([split.gain for split in splits])
    if not by_ratio:
        return splits[int(np.argmax(gains > gains.max() - TIE))]
    good = gains >= gains.mean() - TIE
    information = np.array([split_information(split, codes, dual) for split in splits])
    best = (gains / information)[good].max()
    return splits[int(np.argmax(good & (gains > best * information - TIE)))]


def split_information(split: Split, codes: Array, dual: Array) -> float:
    """Information, in bits, of which side a row goes to."""
    left = split.goes_left[codes[split.feature]] == 1
    sides = np.array([np.abs(dual[left]).sum(), np.abs(dual[~left]).sum()])
    shares = sides / sides.sum()
    return float(-(shares * np.log2(shares)).sum())


def partition_rows(rows: Array, codes: Array, goes_left: Array) -> tuple[Array, Array]:
    """Rows that go left and rows that go right, in the order they came."""
    left = goes_left[codes[rows]] == 1
    return rows[left], rows[~left]


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
