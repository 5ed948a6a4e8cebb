"""Walks down finished trees, against the same walk written in plain Python."""

import numpy as np
import pytest

from marginboost.kernels.predict import ROWS_AT_ONCE
from marginboost.kernels.trees import NODE, add_answers, add_values, walk_codes
from marginboost.oracles.forest import leaf_blocks, plant
from marginboost.oracles.tree_hypothesis import Tree

CATEGORIES = np.array([0, 2, 3], dtype=np.int32)
LEAF = -1


def tree(*nodes):
    """Nodes as (feature, left, right, threshold, missing_left, first, last, value)."""
    names = ["feature", "left", "right", "threshold", "missing_left", "first", "last", "value"]
    made = np.zeros(len(nodes), NODE)
    for k, node in enumerate(nodes):
        for name, value in zip(names, node, strict=True):
            made[k][name] = value
    return made


# Children of the root are no leaves, and the nodes of one level differ in kind.
FIRST = tree(
    (0, 1, 2, 0.5, 1, 0, 0, 9.0),
    (1, 3, 4, 0.0, 0, 0, 2, 9.0),
    (0, 5, 6, 1.5, 0, 0, 0, 9.0),
    *[(LEAF, 0, 0, 0.0, 0, 0, 0, value) for value in (-1.0, 0.25, 0.5, 1.0)],
)
SECOND = tree(
    (1, 1, 2, 0.0, 1, 1, 3, 9.0),
    *[(LEAF, 0, 0, 0.0, 0, 0, 0, value) for value in (-0.75, 0.125)],
)
STUMP = tree((LEAF, 0, 0, 0.0, 0, 0, 0, 2.0))
TREES = [FIRST, SECOND, STUMP]
COEF = np.array([1.0, 2.0, -0.5])
ROOTS = np.array([0, len(FIRST), len(FIRST) + len(SECOND)])


def leaf_of(nodes, row):
    k = 0
    while nodes[k]["feature"] != LEAF:
        node = nodes[k]
        value = row[node["feature"]]
        if np.isnan(value):
            left = bool(node["missing_left"])
        elif node["last"] > node["first"]:
            left = value in CATEGORIES[node["first"] : node["last"]]
        else:
            left = value <= node["threshold"]
        k = node["left"] if left else node["right"]
    return k


@pytest.fixture(params=[1, ROWS_AT_ONCE, 2 * ROWS_AT_ONCE + 3])
def rows(request):
    """Numbers on and beside the cuts, categories seen and not, missing values."""
    rng = np.random.default_rng(request.param)
    numbers = rng.choice([0.0, 0.5, 1.0, 1.5, 2.0, np.nan], request.param)
    return np.column_stack([numbers, rng.choice([0.0, 1.0, 2.0, 3.0, np.nan], request.param)])


@pytest.fixture(params=[True, False], ids=["tables", "walks"])
def leaves(request, rows):
    """Where rows end, in nodes of all trees one after the other."""
    planted = plant([Tree(nodes.copy(), CATEGORIES) for nodes in TREES], tables=request.param)
    assert bool(len(planted.masks)) == request.param
    np.testing.assert_array_equal(planted.roots, ROOTS)
    return np.concatenate([at for _, at in leaf_blocks(planted, rows)], axis=1)


def test_votes_of_trees(rows, leaves):
    votes = np.full((len(rows), 1), 0.5)
    values = np.concatenate([c * t["value"] for c, t in zip(COEF, TREES, strict=True)])
    add_values(leaves, values, np.zeros(3, np.int64), votes)
    out = votes[:, 0]
    expected = [
        0.5 + sum(c * t[leaf_of(t, row)]["value"] for c, t in zip(COEF, TREES, strict=True))
        for row in rows
    ]
    np.testing.assert_allclose(out, expected, rtol=1e-15)


def test_votes_of_trees_of_labels(rows, leaves):
    """A label is +1 for it and -1 for the others; a negative answer names a set."""
    sets = np.array([[1, -1, 1], [-1, -1, 1]], dtype=np.int8)
    answers = [[9, 9, 9, 0, 1, -1, 2], [9, -2, 1], [2]]
    out = np.full((len(rows), 3), 0.25)
    flat = np.concatenate(answers)
    add_answers(leaves, flat, sets, COEF, out)
    expected = np.full((len(rows), 3), 0.25)
    for i, row in enumerate(rows):
        for nodes, mine, weight in zip(TREES, answers, COEF, strict=True):
            answer = mine[leaf_of(nodes, row)]
            says = sets[-1 - answer] if answer < 0 else np.where(np.arange(3) == answer, 1, -1)
            expected[i] += weight * says
    np.testing.assert_allclose(out, expected, rtol=1e-14)


def test_walks_by_codes(rows):
    """Bins of 0, 0.5, 1, 1.5 and 2 have the codes 0 to 4, categories their own."""
    n_bins = np.array([5, 4])
    codes = np.array(
        [
            np.where(np.isnan(rows[:, 0]), 5, 2.0 * np.nan_to_num(rows[:, 0])),
            np.where(np.isnan(rows[:, 1]), 4, np.nan_to_num(rows[:, 1])),
        ]
    ).astype(np.uint8)
    cuts = (2.0 * FIRST["threshold"]).astype(np.int64)
    some = np.arange(0, len(rows), 2)
    out = np.full(len(rows), np.nan)
    walk_codes(codes, n_bins, some, FIRST, cuts, CATEGORIES, FIRST["value"].copy(), out)
    expected = np.full(len(rows), np.nan)
    expected[some] = [FIRST[leaf_of(FIRST, rows[i])]["value"] for i in some]
    np.testing.assert_array_equal(out, expected)
