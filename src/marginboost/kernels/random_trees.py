"""Extremely randomised trees on codes: random features, random cuts, the best of a few kept.

Draws, order of rows and order of additions are those of scikit-learn's ``ExtraTreeClassifier`` with
the Gini criterion, so that a tree is the same as one that scikit-learn grows on the codes from the
same seed. A small table has many small trees: what a tree costs besides its rows must be little.

Reference: Geurts, Ernst & Wehenkel, *Extremely randomized trees*, 2006.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..types import Array
from .jit import dividing_kernel, inner_kernel, kernel

LARGEST = 2**31 - 1
"""Largest number that is drawn."""
WORD = 2**32 - 1
EPSILON = 2.0**-52
"""Impurity that counts as none, and loss of purity that counts as rounding."""
TOTAL, LEFT, RIGHT = 0, 1, 2
"""Rows of the sums of weight by class: of a node and of its sides."""
START, STOP, PARENT, SIDE, CONSTANTS = 0, 1, 2, 3, 4
"""What is known of a node that is still to be grown; SIDE is 0 for the left one of its parent."""


class Split(NamedTuple):
    """What was found for a node.

    Attributes
    ----------
    feature, cut : int
        Codes up to ``cut`` go left.
    place : int
        Where the rows of the right side begin; the end of the node's where no split was found.
    constants : int
        Features known to be constant in the node.
    left, right, gain : float
        Impurities of the sides, and by how much they are purer than the node.
    """

    feature: int
    cut: int
    place: int
    constants: int
    left: float
    right: float
    gain: float


@inner_kernel
def _draw(state: Array) -> int:
    """Next number of a xorshift generator, in 0 … LARGEST."""
    x = state[0] if state[0] != 0 else 1
    x ^= (x << 13) & WORD
    x ^= x >> 17
    x ^= (x << 5) & WORD
    state[0] = x
    return x & LARGEST


@inner_kernel
def _halve(codes: Array, rows: Array, start: int, stop: int, cut: int) -> int:
    """Put rows with codes up to ``cut`` first; returns where the others begin."""
    first, last = start, stop
    while first < last:
        row = rows[first]
        if codes[row] <= cut:
            first += 1
        else:
            last -= 1
            rows[first] = rows[last]
            rows[last] = row
    return last


@inner_kernel
def _weigh_left(
    labels: Array,
    weights: Array,
    rows: Array,
    ends: tuple[int, int, int],
    weight: float,
    sums: Array,
) -> float:
    """Sums by class of both sides of a node, by way of the smaller one; weight of the left one."""
    start, place, stop = ends
    if place - start <= stop - place:
        sums[LEFT] = 0.0
        heavy = 0.0
        for p in range(start, place):
            sums[LEFT, labels[rows[p]]] += weights[rows[p]]
            heavy += weights[rows[p]]
    else:
        sums[LEFT] = sums[TOTAL]
        heavy = weight
        for p in range(stop - 1, place - 1, -1):
            sums[LEFT, labels[rows[p]]] -= weights[rows[p]]
            heavy -= weights[rows[p]]
    for c in range(sums.shape[1]):
        sums[RIGHT, c] = sums[TOTAL, c] - sums[LEFT, c]
    return heavy


@inner_kernel
def _impurity(sums: Array, weight: float) -> float:
    """Gini index of sums of weight by class."""
    squares = 0.0
    for c in range(sums.size):
        squares += sums[c] * sums[c]
    return 1.0 - squares / (weight * weight)


@inner_kernel
def _split(
    codes: Array,
    labels: Array,
    weights: Array,
    rows: Array,
    start: int,
    stop: int,
    node: tuple[float, float, float, int],
    limits: tuple[int, int],
    features: Array,
    constant: Array,
    state: Array,
    sums: Array,
) -> Split:
    """Draw some features and a cut of each, and keep the purest; rows are put in its order.

    ``features`` begins with those known to be constant, then those found to be; the drawn ones come
    last. ``constant`` keeps the order of the first, which sibling nodes rely on.
    """
    n_drawn, least = limits
    weight, total_weight, impurity, known = node
    feature, cut, place, looked_at, best = 0, 0, stop, 0, -np.inf
    left = features.size  # those from here on were drawn
    visited, found, drawn = 0, 0, 0
    while left > known + found and (visited < n_drawn or visited <= found + drawn):
        visited += 1
        j = drawn + _draw(state) % (left - found - drawn)
        if j < known:
            features[drawn], features[j] = features[j], features[drawn]
            drawn += 1
            continue
        j += found
        looked_at = features[j]
        low = high = codes[looked_at, rows[start]]
        for p in range(start + 1, stop):
            low = min(low, codes[looked_at, rows[p]])
            high = max(high, codes[looked_at, rows[p]])
        if low == high:
            features[j], features[known + found] = features[known + found], looked_at
            found += 1
            continue
        left -= 1
        features[left], features[j] = features[j], features[left]
        threshold = float(high - low) * float(_draw(state)) / float(LARGEST) + float(low)
        at = low if threshold == high else int(threshold)
        middle = _halve(codes[looked_at], rows, start, stop, at)
        if middle - start < least or stop - middle < least:
            continue
        heavy = _weigh_left(labels, weights, rows, (start, middle, stop), weight, sums)
        light = weight - heavy
        purity = -light * _impurity(sums[RIGHT], light) - heavy * _impurity(sums[LEFT], heavy)
        if purity > best:
            feature, cut, place, best = looked_at, at, middle, purity
    pure, purer, gain = np.inf, np.inf, -np.inf
    if place < stop:
        if looked_at != feature:
            _halve(codes[feature], rows, start, stop, cut)
        heavy = _weigh_left(labels, weights, rows, (start, place, stop), weight, sums)
        light = weight - heavy
        pure, purer = _impurity(sums[LEFT], heavy), _impurity(sums[RIGHT], light)
        gain = impurity - light / weight * purer - heavy / weight * pure
        gain = weight / total_weight * gain
    features[:known] = constant[:known]
    constant[known : known + found] = features[known : known + found]
    return Split(feature, cut, place, known + found, pure, purer, gain)


class RandomTree(NamedTuple):
    """A tree on codes, the root first, children after their parent.

    Attributes
    ----------
    nodes : array of int32 (n_nodes, 4)
        Feature, the last code that goes left, and both children; -1 at a leaf.
    impurity, weight : arrays
        Gini index and weight of the rows of each node.
    shares : array (n_nodes, n_classes)
        Share of each class in the weight of each node.
    """

    nodes: Array
    impurity: Array
    weight: Array
    shares: Array


@dividing_kernel
def grow_random_tree(
    codes: Array,
    labels: Array,
    weights: Array,
    n_classes: int,
    limits: tuple[int, int],
    seed: int,
) -> RandomTree:
    """Grow a tree on rows of positive weight.

    ``limits`` are the features looked at for a split and the least number of rows in a leaf.
    """
    rows = np.flatnonzero(weights)
    total_weight = 0.0
    for weight in weights:
        total_weight += weight
    most = 2 * max(1, rows.size // limits[1]) - 1
    nodes = np.full((most, 4), -1, np.int32)
    impurities, heavy = np.empty(most), np.empty(most)
    shares = np.empty((most, n_classes))
    features = np.arange(codes.shape[0])
    constant = np.empty_like(features)
    sums = np.empty((3, n_classes))
    state = np.array([seed])
    waiting = np.empty((most, 5), np.int64)
    waiting[0, START], waiting[0, STOP], waiting[0, PARENT] = 0, rows.size, -1
    waiting[0, CONSTANTS] = 0
    waiting_impurities = np.empty(most)
    n_waiting, n_nodes = 1, 0
    while n_waiting > 0:
        n_waiting -= 1
        start, stop, parent, side, known = waiting[n_waiting]
        sums[TOTAL] = 0.0
        weight = 0.0
        for p in range(start, stop):
            sums[TOTAL, labels[rows[p]]] += weights[rows[p]]
            weight += weights[rows[p]]
        impurity = waiting_impurities[n_waiting]
        if parent < 0:
            impurity = _impurity(sums[TOTAL], weight)
        else:
            nodes[parent, 2 + side] = n_nodes
        for c in range(n_classes):
            shares[n_nodes, c] = sums[TOTAL, c] / weight
        impurities[n_nodes], heavy[n_nodes] = impurity, weight
        if stop - start >= max(2, 2 * limits[1]) and impurity > EPSILON:
            node = weight, total_weight, impurity, known
            split = _split(
                *(codes, labels, weights, rows, start, stop),
                *(node, limits, features, constant, state, sums),
            )
            if split.place < stop and split.gain + EPSILON >= 0.0:
                nodes[n_nodes, 0], nodes[n_nodes, 1] = split.feature, split.cut
                for right in (1, 0):  # the left one is grown first
                    begin, end = (split.place, stop) if right else (start, split.place)
                    place = waiting[n_waiting]
                    place[START], place[STOP], place[PARENT] = begin, end, n_nodes
                    place[SIDE], place[CONSTANTS] = right, split.constants
                    waiting_impurities[n_waiting] = split.right if right else split.left
                    n_waiting += 1
        n_nodes += 1
    return RandomTree(
        nodes[:n_nodes].copy(),
        impurities[:n_nodes].copy(),
        heavy[:n_nodes].copy(),
        shares[:n_nodes].copy(),
    )


@kernel
def add_shares(codes: Array, nodes: Array, roots: Array, shares: Array, total: Array) -> None:
    """Add the shares in the leaves that rows end in, tree after tree, to ``total`` (rows, classes).

    Trees are laid one after the other; children are counted from the root of their tree.
    """
    for row in range(total.shape[0]):
        for root in roots:
            k = root
            while nodes[k, 0] >= 0:
                k = root + (nodes[k, 2] if codes[nodes[k, 0], row] <= nodes[k, 1] else nodes[k, 3])
            for c in range(total.shape[1]):
                total[row, c] += shares[k, c]
