"""Kernels that walk down finished trees: by codes, by raw values, and the votes of many trees."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..types import Array
from .jit import inner_kernel, kernel
from .predict import ROWS_AT_ONCE, Cells

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

MOST_LEAVES = 64
"""Leaves of a tree that the bits of a word can stand for."""
DE_BRUIJN = 0x03F79D71B4CB0A89
"""Multiplied by a power of two, each has another number in its upper six bits."""


LANES = 8
"""Rows that walk down a tree side by side: no row's next step waits for another row's."""


class Steps(NamedTuple):
    """Nodes as rows take them without a branch; none are there if some split is on a category.

    Attributes
    ----------
    thresholds, features : arrays
        What each node asks; a leaf asks something too.
    children : array (nodes, 2)
        Where a row goes whose answer is no, and yes; a leaf keeps it.
    missing_left : array of bool
        Whether a missing value means yes.
    """

    thresholds: Array
    features: Array
    children: Array
    missing_left: Array


class Forest(NamedTuple):
    """Trees laid one after the other, as the kernels read them.

    Attributes
    ----------
    nodes, categories : arrays
        Those of all trees. Children are counted from the root of their tree, categories are not.
    roots : array (trees,)
        Where each tree begins.
    width : int
        Features that rows must have.
    cells : Cells
        Those that the splits of all trees part the values of each feature into.
    tables : array (trees + 1,)
        Where the tables of each tree begin; a tree has one for each feature that it reads.
    slots, places : arrays
        For each table, the position of its feature in the features of ``cells`` and where it begins
        in ``masks``.
    masks : array of uint64
        For each cell, the leaves of the tree that its feature leaves open, as bits. The one that is
        open by all features is where a row ends. Empty where all trees are walked down instead.
    leaves : array (trees, 64)
        Nodes of the leaves, by the upper bits of their bit times ``DE_BRUIJN``.
    tall : array (trees,) of bool
        Which trees have no tables, and are walked down.
    steps : Steps
        The nodes, where many rows walk.
    """

    nodes: Array
    categories: Array
    roots: Array
    width: int
    cells: Cells
    tables: Array
    slots: Array
    places: Array
    masks: Array
    leaves: Array
    tall: Array
    steps: Steps


@kernel
def walk_codes(
    codes: Array,
    n_bins: Array,
    rows: Array,
    nodes: Array,
    cuts: Array,
    categories: Array,
    values: Array,
    out: Array,
) -> None:
    """Give some binned rows the value of their leaf, in ``out``; bins up to ``cuts[k]`` go left."""
    for row in rows:
        k = 0
        while nodes[k]["feature"] >= 0:
            node = nodes[k]
            code = codes[node["feature"], row]
            if code == n_bins[node["feature"]]:
                left = node["missing_left"] != 0
            elif node["last"] > node["first"]:
                left = contains(categories[node["first"] : node["last"]], code)
            else:
                left = code <= cuts[k]
            k = node["left"] if left else node["right"]
        out[row] = values[k]


@inner_kernel
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


@inner_kernel
def goes_left(node: Any, categories: Array, value: float) -> bool:
    """Which way a raw value goes at a node."""
    if np.isnan(value):
        return node["missing_left"] != 0
    if node["last"] > node["first"]:
        return contains(categories[node["first"] : node["last"]], value)
    return value <= node["threshold"]


# -- many trees ------------------------------------------------------------------------------------


@kernel
def fill_masks(forest: Forest, values: Array) -> None:
    """Fill ``masks`` and ``leaves`` of trees; ``values`` has one value in each cell.

    They lie as the cells do, feature by feature. Of a split, the leaves on the side that a value
    does not go to are closed to it.
    """
    nodes, one, starts = forest.nodes, np.uint64(1), forest.cells.starts
    below = np.zeros(2 * MOST_LEAVES, dtype=np.uint64)  # leaves under each node of a tree
    for t in range(forest.roots.size):
        if forest.tall[t]:
            continue
        root = forest.roots[t]
        last = forest.roots[t + 1] if t + 1 < forest.roots.size else nodes.size
        bit = one
        for k in range(last - root - 1, -1, -1):  # children come after their parents
            node = nodes[root + k]
            if node["feature"] < 0:
                below[k] = bit
                forest.leaves[t, (bit * np.uint64(DE_BRUIJN)) >> np.uint64(58)] = root + k
                bit <<= one
            else:
                below[k] = below[node["left"]] | below[node["right"]]
        for table in range(forest.tables[t], forest.tables[t + 1]):
            size = starts[forest.slots[table] + 1, 1] - starts[forest.slots[table], 1]
            forest.masks[forest.places[table] : forest.places[table] + size] = below[0]
        for k in range(last - root):
            node = nodes[root + k]
            if node["feature"] < 0:
                continue
            table = forest.tables[t]
            while forest.cells.features[forest.slots[table]] != node["feature"]:
                table += 1
            start, stop = starts[forest.slots[table], 1], starts[forest.slots[table] + 1, 1]
            for cell in range(stop - start):
                left = goes_left(node, forest.categories, values[start + cell])
                closed = below[node["right"] if left else node["left"]]
                forest.masks[forest.places[table] + cell] &= ~closed


@kernel
def open_leaves(cells: Array, forest: Forest, at: Array) -> None:
    """Write to ``at[t, i]`` the node of the leaf where a row ends, for each tree t with tables."""
    still = np.empty(ROWS_AT_ONCE, dtype=np.uint64)
    for start in range(0, at.shape[1], ROWS_AT_ONCE):
        n_rows = min(ROWS_AT_ONCE, at.shape[1] - start)
        for t in range(at.shape[0]):
            if forest.tall[t]:
                continue
            first, last = forest.tables[t], forest.tables[t + 1]
            for i in range(n_rows):
                still[i] = np.uint64(1) if first == last else ~np.uint64(0)
            while first < last:  # several features at a time: fewer trips to memory and back
                a, x = forest.masks[forest.places[first] :], cells[forest.slots[first], start:]
                first = min(first + 1, last - 1)  # the last ones again: that closes nothing more
                b, y = forest.masks[forest.places[first] :], cells[forest.slots[first], start:]
                first = min(first + 1, last - 1)
                c, z = forest.masks[forest.places[first] :], cells[forest.slots[first], start:]
                first += 1
                for i in range(n_rows):
                    still[i] &= a[x[i]] & b[y[i]] & c[z[i]]
            for i in range(n_rows):
                place = (still[i] * np.uint64(DE_BRUIJN)) >> np.uint64(58)
                at[t, start + i] = forest.leaves[t, place]


@kernel
def walk_down(rows: Array, forest: Forest, at: Array) -> None:
    """Write to ``at[t, i]`` the node of the leaf where ``rows[i]`` ends, in each tall tree t."""
    for t in range(forest.roots.size):
        if not forest.tall[t]:
            continue
        tree = forest.nodes[forest.roots[t] :]
        for i in range(rows.shape[0]):
            k = 0
            while tree[k]["feature"] >= 0:
                left = goes_left(tree[k], forest.categories, rows[i, tree[k]["feature"]])
                k = tree[k]["left"] if left else tree[k]["right"]
            at[t, i] = forest.roots[t] + k


@kernel
def walk_side_by_side(rows: Array, forest: Forest, at: Array) -> None:
    """What :func:`walk_down` does, by steps: several rows at once, until all are in a leaf."""
    steps, here = forest.steps, np.empty(LANES, np.uint32)
    for t in range(forest.roots.size):
        if not forest.tall[t]:
            continue
        for start in range(0, rows.shape[0], LANES):
            first = max(0, min(start, rows.shape[0] - LANES))  # the last rows, some of them twice
            n_lanes = min(LANES, rows.shape[0])
            here[:] = forest.roots[t]
            moving = True
            while moving:
                moving = False
                for lane in range(n_lanes):
                    k = here[lane]
                    value = rows[first + lane, steps.features[k]]
                    missing = np.isnan(value) & steps.missing_left[k]
                    then = steps.children[k, np.uint64((value <= steps.thresholds[k]) | missing)]
                    moving |= then != k
                    here[lane] = then
            for lane in range(n_lanes):
                at[t, first + lane] = here[lane]


@kernel
def add_values(at: Array, values: Array, columns: Array, out: Array) -> None:
    """``out[i, columns[t]] += values[at[t, i]]``, tree by tree in order."""
    for t in range(at.shape[0]):
        for i in range(at.shape[1]):
            out[i, columns[t]] += values[at[t, i]]


@kernel
def add_answers(at: Array, answers: Array, sets: Array, coef: Array, out: Array) -> None:
    """``out[i] += Σ_t coef[t] answer`` of the leaves ``at[t, i]``, which answer for all labels.

    A leaf answers with the label ``answers[k]``: +1 for it and -1 for all others; or, where it is
    negative, with row ``-1 - answers[k]`` of ``sets``.
    """
    for i in range(at.shape[1]):
        against = 0.0  # what every label loses, taken off once
        for t in range(at.shape[0]):
            answer = answers[at[t, i]]
            if answer >= 0:
                against += coef[t]
                out[i, answer] += 2.0 * coef[t]
            else:
                for label in range(out.shape[1]):
                    out[i, label] += coef[t] * sets[-1 - answer, label]
        for label in range(out.shape[1]):
            out[i, label] -= against
