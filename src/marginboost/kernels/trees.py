"""Kernels that walk down finished trees: by codes, by raw values, and the votes of many trees."""

from __future__ import annotations

from typing import Any

import numpy as np

from .jit import kernel

Array = np.ndarray[Any, np.dtype[Any]]

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

ROWS_AT_ONCE = 64
"""Rows that go through all trees together: their values stay in the first-level cache."""


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
    """Give some binned rows, in ``out``, the value of their leaf; bins to ``cuts[k]`` go left."""
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
        return node["missing_left"] != 0
    if node["last"] > node["first"]:
        return contains(categories[node["first"] : node["last"]], value)
    return value <= node["threshold"]


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
                while tree[k]["feature"] >= 0:
                    left = goes_left(tree[k], categories, rows[i, tree[k]["feature"]])
                    k = tree[k]["left"] if left else tree[k]["right"]
                out[i] += coef[t] * tree[k]["value"]


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
                while tree[k]["feature"] >= 0:
                    left = goes_left(tree[k], categories, rows[i, tree[k]["feature"]])
                    k = tree[k]["left"] if left else tree[k]["right"]
                if mine[k] >= 0:
                    against[i - start] += coef[t]
                    out[i, mine[k]] += 2.0 * coef[t]
                else:
                    for label in range(out.shape[1]):
                        out[i, label] += coef[t] * sets[-1 - mine[k], label]
        for i in range(start, stop):
            for label in range(out.shape[1]):
                out[i, label] -= against[i - start]
