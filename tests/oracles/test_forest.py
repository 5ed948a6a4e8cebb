"""Votes of many trees by tables of open leaves: the same bits as one walk after the other."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from marginboost import GradientBoostClassifier, SoftmaxBoostClassifier
from marginboost.kernels.reference.trees import tree_value
from marginboost.kernels.trees import NODE
from marginboost.oracles import forest
from marginboost.oracles.label_hypotheses import LabelTree, TreePerLabel
from marginboost.oracles.tree_hypothesis import Tree, with_categories

N_FEATURES = 4  # the last one has categories


def random_tree(rng, n_leaves, n_features=N_FEATURES):
    """Split random leaves; thresholds come from a few numbers, so that trees share them."""
    nodes, sets = np.zeros(2 * n_leaves - 1, NODE), [None] * (2 * n_leaves - 1)
    for name in ("feature", "left", "right"):
        nodes[name] = -1
    nodes["value"] = rng.uniform(-1, 1, len(nodes))
    leaves = [0]
    for k in range(1, len(nodes), 2):
        node = leaves.pop(rng.integers(len(leaves)))
        nodes[node]["feature"] = rng.integers(n_features)
        nodes[node]["left"], nodes[node]["right"] = k, k + 1
        nodes[node]["missing_left"] = rng.integers(2)
        nodes[node]["threshold"] = rng.choice([-1.0, -0.5, 0.0, 0.25, 2.0, np.inf])
        if nodes[node]["feature"] == N_FEATURES - 1:
            nodes[node]["threshold"] = np.inf
            sets[node] = sorted(rng.choice(6, rng.integers(1, 5), replace=False).tolist())
        leaves += [k, k + 1]
    return Tree(*with_categories(nodes, sets))


def random_rows(rng, n_rows):
    rows = rng.choice([-1.0, -0.5, -0.4, 0.0, 0.25, 0.3, 5.0, np.inf, np.nan], (n_rows, N_FEATURES))
    rows[:, -1] = rng.choice([*range(8), np.nan], n_rows)
    return rows


@settings(derandomize=True, deadline=None, max_examples=40, database=None)
@given(st.integers(0, 2**32 - 1), st.lists(st.integers(1, 64), min_size=1, max_size=5))
def test_votes_are_those_of_the_reference(seed, sizes):
    rng = np.random.default_rng(seed)
    trees, coef = [random_tree(rng, size) for size in sizes], rng.normal(size=len(sizes))
    assert forest.plant(trees).masks.size
    rows = random_rows(rng, 30)
    expected = np.zeros(len(rows))
    for weight, tree in zip(coef, trees, strict=True):
        expected += [weight * tree_value(tree.nodes, tree.categories, row) for row in rows]
    for given_rows in (rows, rows.astype(np.float32), np.asfortranarray(rows)):
        np.testing.assert_array_equal(Tree.voter(trees, coef)(given_rows), expected)


@pytest.mark.parametrize("categories", [False, True])
@pytest.mark.parametrize("limit", ["leaves", "masks"])
@pytest.mark.parametrize("n_rows", [513, 1000])
def test_trees_that_are_too_large_for_tables_are_walked_down(
    limit, categories, n_rows, monkeypatch
):
    rng = np.random.default_rng(0)
    n_features = N_FEATURES if categories else N_FEATURES - 1
    trees = [random_tree(rng, size, n_features) for size in (3, 65 if limit == "leaves" else 20)]
    if limit == "masks":
        monkeypatch.setattr(forest, "MOST_MASKS", 5)
    planted = forest.plant(trees)
    assert planted.tall.tolist() == [limit == "masks", True]
    assert (planted.masks.size > 0) == (limit == "leaves")
    assert (planted.steps.features.size > 0) == (not categories)
    rows = random_rows(rng, n_rows)
    np.testing.assert_array_equal(
        Tree.voter(trees, np.array([0.5, 2.0]))(rows), 0.5 * trees[0](rows) + 2.0 * trees[1](rows)
    )


def test_labels_have_a_column_each():
    rng = np.random.default_rng(1)
    rows, coef = random_rows(rng, 700), rng.normal(size=3)
    members = [TreePerLabel(tuple(random_tree(rng, 7) for _ in range(3))) for _ in coef]
    votes = TreePerLabel.voter(members, coef)(rows)
    expected = np.zeros((700, 3))
    for weight, member in zip(coef, members, strict=True):
        expected += weight * np.column_stack([tree(rows) for tree in member.trees])
    np.testing.assert_array_equal(votes, expected)


def test_leaves_answer_with_labels_or_sets():
    rng = np.random.default_rng(2)
    rows, coef = random_rows(rng, 700), np.array([0.5, 2.0, 1.0])  # sums of these do not round
    members = []
    for _ in coef:
        tree = random_tree(rng, 9)
        answers = rng.integers(-2, 3, tree.n_nodes).astype(np.int32)
        sets = rng.choice([-1, 1], (2, 3)).astype(np.int8)
        members.append(LabelTree(tree, answers, sets))
    expected = np.zeros((700, 3))
    for weight, member in zip(coef, members, strict=True):
        leaf_of = Tree(member.tree.nodes.copy(), member.tree.categories)
        numbers = leaf_of.nodes.copy()
        numbers["value"] = np.arange(len(numbers)) / len(numbers)
        leaf = np.rint(Tree(numbers, leaf_of.categories)(rows) * len(numbers)).astype(int)
        for i, k in enumerate(leaf):
            answer = member.answers[k]
            own = 2.0 * (np.arange(3) == answer) - 1.0
            expected[i] += weight * (own if answer >= 0 else member.sets[-1 - answer])
    np.testing.assert_array_equal(LabelTree.voter(members, coef)(rows), expected)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_threads_and_pickles_change_no_bit(n_classes):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(20_000, 3))
    y = (X[:, 0] * X[:, 1] > 0).astype(int) + (X[:, 2] > 1) * (n_classes - 2)
    kind = GradientBoostClassifier if n_classes == 2 else SoftmaxBoostClassifier
    model = kind(n_estimators=5).fit(X[:500], y[:500])
    before = len(pickle.dumps(model))
    scores = []
    for model.n_jobs in (1, 2, 8):
        scores.append(model.decision_function(X))
    assert (scores[0] == scores[1]).all()
    assert (scores[0] == scores[2]).all()
    assert len(pickle.dumps(model)) < before + 100  # no tables
    assert (pickle.loads(pickle.dumps(model)).decision_function(X) == scores[0]).all()
    *_, last = model.staged_decision_function(X)
    assert (last == scores[0]).all()
