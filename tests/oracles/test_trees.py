from __future__ import annotations

import json
import pickle
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier

from marginboost import AdaBoostClassifier
from marginboost.core import Sample
from marginboost.data import BinnedMatrix, Table
from marginboost.kernels.reference import trees as reference
from marginboost.kernels.stumps import THRESHOLD
from marginboost.oracles import StumpOracle, Tree, TreeOracle
from marginboost.oracles.growth import Limits
from marginboost.oracles.pruning import cheapest_subtree, complexity_cost, pessimistic_cost
from marginboost.oracles.trees import CRITERIA

ALL = sorted(CRITERIA)
few = settings(max_examples=25, deadline=None)
seeds = st.integers(0, 2**31)


def bound(X, y, codes=(), max_bins=255, n_threads=1, prior=None, **parameters):
    table = Table.learn(X, [f"x{j}" for j in range(X.shape[1])], list(codes))
    bins = BinnedMatrix.from_table(table, max_bins=max_bins, n_jobs=1)
    sample = Sample.of_labels(y, prior, rows=table, bins=bins, n_threads=n_threads)
    return TreeOracle(**parameters).bind(sample)


def problem(seed, n_rows=60, n_features=4, *, distinct=6, missing=0.0, idle=0.0):
    """Small whole numbers, so that ties abound; some rows without a value or without weight."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, distinct, (n_rows, n_features)).astype(float)
    X[rng.random(X.shape) < missing] = np.nan
    y = np.where(rng.random(n_rows) < 0.2 + 0.6 * (np.nan_to_num(X[:, 0]) > 2), 1, -1)
    weight = rng.integers(1, 5, n_rows) * (rng.random(n_rows) >= idle)
    weight[0] = 1
    return X, y, y * weight / weight.sum()


def rows_at_nodes(oracle, tree):
    """Rows (as a mask) at each node, by raw values."""
    rows = oracle.sample.rows.dense(0, oracle.sample.rows.n_rows)
    masks = {0: np.ones(len(rows), bool)}
    for k, node in enumerate(tree.nodes):
        if node["feature"] < 0:
            continue
        value = rows[:, node["feature"]]
        left = value <= node["threshold"]
        if node["last"] > node["first"]:
            left = np.isin(value, tree.categories[node["first"] : node["last"]])
        left = np.where(np.isnan(value), bool(node["missing_left"]), left)
        masks[int(node["left"])] = masks[k] & left
        masks[int(node["right"])] = masks[k] & ~left
    return [masks[k] for k in range(tree.n_nodes)]


def impurity(dual, criterion):
    """Up to what does not depend on the split."""
    return -reference.score(channels(dual), reference.Rules(CRITERIA[criterion]))


def channels(dual):
    return np.column_stack([dual, np.abs(dual)])


def total_impurity(oracle, tree, dual, criterion):
    masks = rows_at_nodes(oracle, tree)
    leaves = np.flatnonzero(tree.nodes["feature"] < 0)
    return sum(impurity(dual[masks[k]], criterion) for k in leaves)


def error(candidate, dual):
    return 0.5 * (np.abs(dual).sum() - float(dual @ candidate.column))


# -- growth against the reference -----------------------------------------------------------------


@few
@given(
    seed=seeds,
    criterion=st.sampled_from(ALL),
    categorical=st.sampled_from(["equality", "partition"]),
    missing=st.sampled_from([0.0, 0.3]),
    idle=st.sampled_from([0.0, 0.4]),
    floor=st.sampled_from([0.0, 0.1]),
)
@example(1589, "entropy", "partition", 0.3, 0.4, 0.0)  # an idle row of a category not seen below
def test_every_split_is_the_reference_one(seed, criterion, categorical, missing, idle, floor):
    X, y, dual = problem(seed, missing=missing, idle=idle)
    oracle = bound(
        X, y, [1, 2], criterion=criterion, categorical=categorical, min_weight_fraction_leaf=floor
    )
    candidate = oracle.best(dual)[0]
    check_against_reference(oracle, candidate.hypothesis, dual, floor, criterion)
    check_candidate(oracle, candidate, dual)


def check_against_reference(oracle, tree, dual, floor, criterion):
    bins, kinds = oracle.sample.bins, oracle._grower.kinds
    masks = rows_at_nodes(oracle, tree)
    rules = reference.Rules(
        CRITERIA[criterion],
        min_weight=Limits.least_share(floor),
        by_ratio=criterion == "gain_ratio",
    )
    data = reference.Rows(bins.codes, bins.n_bins, kinds, channels(dual), np.ones(len(dual)))
    depth = np.zeros(tree.n_nodes, int)
    for k, node in enumerate(tree.nodes):
        found = reference.node_split(data.take(masks[k]), rules)
        if node["feature"] < 0:
            assert found is None or depth[k] == oracle.max_depth
            continue
        depth[[node["left"], node["right"]]] = depth[k] + 1
        assert found is not None
        j = found.feature
        assert node["feature"] == j
        gain = 0.5 * found.gain if criterion == "gini" else found.gain
        assert node["gain"] == pytest.approx(gain, abs=1e-12)
        assert node["missing_left"] == found.goes_left[-1]
        codes = np.flatnonzero(found.goes_left[:-1])
        if kinds[j] == THRESHOLD:
            cuts = np.append(bins.cuts[j], np.inf)
            assert node["threshold"] == cuts[codes[-1]]
        elif len(codes) == bins.n_bins[j]:
            assert (node["threshold"], node["first"]) == (np.inf, node["last"])
        else:
            np.testing.assert_array_equal(tree.categories[node["first"] : node["last"]], codes)


def check_candidate(oracle, candidate, dual):
    """Column, raw prediction, binned prediction, reference walk, edge: all say the same."""
    tree, sample = candidate.hypothesis, oracle.sample
    rows = sample.rows.dense(0, sample.rows.n_rows)
    np.testing.assert_array_equal(candidate.column, tree(rows))
    np.testing.assert_array_equal(candidate.column, tree(sample.bins.dense(0, len(rows))))
    walked = [reference.tree_value(tree.nodes, tree.categories, row) for row in rows]
    np.testing.assert_array_equal(candidate.column, walked)
    assert candidate.edge == pytest.approx(float(dual @ candidate.column), abs=1e-14)
    assert candidate.edge >= 0
    assert np.abs(candidate.column).max() <= 1
    assert candidate.binary == bool((np.abs(candidate.column) == 1).all())


@pytest.mark.parametrize("criterion", ALL)
def test_wide_codes(criterion):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(400, 3))
    X[rng.random(X.shape) < 0.1] = np.nan
    y = np.where(np.nan_to_num(X[:, 0] + X[:, 1]) > 0, 1, -1)
    dual = y * rng.random(400)
    dual /= np.abs(dual).sum()
    oracle = bound(X, y, max_bins=None, criterion=criterion, max_depth=2)
    assert oracle.sample.bins.codes.dtype == np.uint16
    candidate = oracle.best(dual)[0]
    check_against_reference(oracle, candidate.hypothesis, dual, 0.0, criterion)
    check_candidate(oracle, candidate, dual)


@few
@given(seed=seeds)
def test_best_partition_is_best_of_all_subsets(seed):
    X, y, dual = problem(seed, 40, 1, distinct=5)
    for criterion in ("edge", "gini", "entropy", "Z"):
        oracle = bound(X, y, [0], criterion=criterion, categorical="partition", max_depth=1)
        tree = oracle.best(dual)[0].hypothesis
        smallest = min(
            sum(
                impurity(dual[np.isin(X[:, 0], side)], criterion)
                for side in (np.flatnonzero(s), np.flatnonzero(np.logical_not(s)))
            )
            for s in product([0, 1], repeat=5)
        )
        assert total_impurity(oracle, tree, dual, criterion) == pytest.approx(smallest, abs=1e-12)


def test_missing_against_present_is_a_split():
    X = np.array([[1.0], [2.0], [3.0], [np.nan], [np.nan]])
    y = np.array([1, 1, 1, -1, -1])
    for categorical in ([], [0]):
        oracle = bound(X, y, categorical, max_depth=1)
        candidate = oracle.best(y * oracle.sample.prior)[0]
        assert candidate.edge == pytest.approx(1.0)
        again = Tree.from_dict(json.loads(json.dumps(candidate.hypothesis.to_dict())))
        assert again == candidate.hypothesis
        np.testing.assert_array_equal(again(oracle.sample.rows.dense(0, 5)), y)


def test_missing_unseen_in_training_goes_with_the_heavier_child():
    X = np.array([[0.0], [1.0], [1.0], [1.0]])
    y = np.array([1, -1, -1, -1])
    oracle = bound(X, y, max_depth=1)
    nan = np.array([[np.nan]])
    assert oracle.best(y * np.array([0.1, 0.3, 0.3, 0.3]))[0].hypothesis(nan) == -1
    assert oracle.best(y * np.array([0.7, 0.1, 0.1, 0.1]))[0].hypothesis(nan) == 1


# -- limits ---------------------------------------------------------------------------------------


@few
@given(
    seed=seeds,
    depth=st.sampled_from([1, 2, 4, None]),
    leaves=st.sampled_from([2, 5, None]),
    floor=st.sampled_from([0.0, 0.05, 0.3]),
    criterion=st.sampled_from(ALL),
)
def test_limits_hold(seed, depth, leaves, floor, criterion):
    X, y, dual = problem(seed, missing=0.1)
    oracle = bound(
        X,
        y,
        max_depth=depth,
        max_leaf_nodes=leaves,
        min_weight_fraction_leaf=floor,
        criterion=criterion,
    )
    tree = oracle.best(dual)[0].hypothesis
    assert depth is None or tree.depth <= depth
    assert leaves is None or tree.n_leaves <= leaves
    assert tree.n_nodes == 2 * tree.n_leaves - 1
    masks = rows_at_nodes(oracle, tree)
    weights = [np.abs(dual[mask]).sum() for mask in masks]
    assert min(weights) >= (floor if tree.n_nodes > 1 else 0) - 1e-12


def test_best_first_takes_the_largest_gain():
    X, y, dual = problem(5, 200, 4, distinct=12)
    trees = [
        bound(X, y, max_depth=None, max_leaf_nodes=n, criterion="gini").best(dual)[0].hypothesis
        for n in range(2, 8)
    ]
    gains = [np.sort(tree.nodes["gain"]) for tree in trees]
    for fewer, more in pairwise(gains):
        assert more.sum() > fewer.sum()  # each tree is the one before with one more split
        assert set(fewer).issubset(set(more))


def test_growth_without_limits_fits_what_can_be_told_apart():
    X, y, _ = problem(8, 80, 4)
    y = np.where((X[:, 0] > 2) ^ (X[:, 1] > 3), 1, -1)
    oracle = bound(X, y, max_depth=None, criterion="gini")
    assert oracle.best(y * oracle.sample.prior)[0].edge == pytest.approx(1.0)


def test_no_weight_at_all_gives_the_negative_leaf():
    X, y, _ = problem(1)
    candidate = bound(X, y).best(np.zeros(len(y)))[0]
    assert candidate.hypothesis.n_leaves == 1
    assert candidate.edge == 0
    assert (candidate.column == -1).all()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("criterion", "mse"),
        ("prune", "yes"),
        ("categorical", "onehot"),
        ("max_depth", 0),
        ("max_leaf_nodes", 1),
        ("min_weight_fraction_leaf", -0.1),
        ("ccp_alpha", -1.0),
        ("confidence", 1.0),
        ("smoothing", 0.0),
    ],
)
def test_bad_settings_are_named(name, value):
    X, y, _ = problem(0)
    with pytest.raises(ValueError, match=f"{name}: got"):
        bound(X, y, **{name: value})


# -- criteria -------------------------------------------------------------------------------------


@few
@given(seed=seeds, criterion=st.sampled_from(["edge", "gini", "entropy", "Z"]))
def test_single_split_is_best_by_brute_force(seed, criterion):
    X, y, dual = problem(seed, 20, 3)
    oracle = bound(X, y, criterion=criterion, max_depth=1)
    tree = oracle.best(dual)[0].hypothesis
    smallest = min(
        impurity(dual[X[:, j] <= cut], criterion) + impurity(dual[X[:, j] > cut], criterion)
        for j in range(3)
        for cut in X[:, j]
    )
    assert total_impurity(oracle, tree, dual, criterion) == pytest.approx(smallest, abs=1e-12)


@few
@given(seed=seeds, partition=st.sampled_from(["equality", "partition"]))
def test_depth_one_has_the_edge_of_the_best_stump(seed, partition):
    X, y, dual = problem(seed)
    oracle = bound(X, y, [3], max_depth=1, categorical=partition)
    stump = StumpOracle(partition).bind(oracle.sample).best(dual)[0]
    assert oracle.best(dual)[0].edge == pytest.approx(stump.edge, abs=1e-12)


def test_gain_ratio_prefers_informative_splits_of_at_least_average_gain():
    rng = np.random.default_rng(0)
    y = np.repeat([1, -1], 32)
    noise = np.arange(64) % 2
    X = np.column_stack([noise, np.where(y > 0, 0.0, rng.integers(0, 2, 64)), y > 0])
    oracle = bound(X.astype(float), y, criterion="gain_ratio", max_depth=1)
    assert oracle.best(y * oracle.sample.prior)[0].hypothesis.nodes["feature"][0] == 2
    # A pure but tiny split has the larger ratio; its gain below average keeps it out.
    X = np.column_stack([np.arange(64) < 1, np.where(np.arange(64) % 8 == 0, -y, y)])
    oracle = bound(X.astype(float), y, criterion="gain_ratio", max_depth=1)
    assert oracle.best(y * oracle.sample.prior)[0].hypothesis.nodes["feature"][0] == 1


@few
@given(seed=seeds)
def test_z_is_never_worse_in_z_than_the_edge_split(seed):
    X, y, dual = problem(seed)
    oracles = {c: bound(X, y, criterion=c, max_depth=1) for c in ("Z", "edge")}
    z = {
        c: total_impurity(oracle, oracle.best(dual)[0].hypothesis, dual, "Z")
        for c, oracle in oracles.items()
    }
    assert z["Z"] <= z["edge"] + 1e-12


def test_z_leaves_are_scaled_log_odds():
    X, y, dual = problem(4)
    oracle = bound(X, y, criterion="Z", max_depth=2)
    candidate = oracle.best(dual)[0]
    tree = candidate.hypothesis
    leaves = np.flatnonzero(tree.nodes["feature"] < 0)
    masks = rows_at_nodes(oracle, tree)
    weights = [(np.maximum(s * dual[masks[k]], 0).sum()) for k in leaves for s in (1, -1)]
    positive, negative = np.reshape(weights, (-1, 2)).T + oracle.smoothing
    odds = 0.5 * np.log(positive / negative)
    np.testing.assert_allclose(tree.nodes["value"][leaves], odds / np.abs(odds).max(), rtol=1e-12)
    assert candidate.column.dtype == np.float64
    assert np.abs(candidate.column).max() == 1


@few
@given(seed=seeds)
def test_gini_split_is_as_good_as_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 200, (150, 4)).astype(float)
    y = np.where(rng.random(150) < X[:, 1] / 200, 1, -1)
    weight = rng.random(150) + 0.1
    dual = y * weight / weight.sum()
    oracle = bound(X, y, criterion="gini", max_depth=1)
    tree = oracle.best(dual)[0].hypothesis
    theirs = DecisionTreeClassifier(max_depth=1, random_state=0).fit(X, y, weight)
    leaf = theirs.apply(X)
    expected = sum(impurity(dual[leaf == k], "gini") for k in np.unique(leaf))
    assert total_impurity(oracle, tree, dual, "gini") <= expected + 1e-12


# -- invariances ----------------------------------------------------------------------------------


@pytest.mark.parametrize("criterion", ALL)
def test_weights_mean_copies(criterion):
    X, y, _ = problem(2, missing=0.1)
    copies = np.random.default_rng(1).integers(1, 4, len(y))
    once = bound(X, y, [2], prior=copies, criterion=criterion)
    many = bound(X.repeat(copies, axis=0), y.repeat(copies), [2], criterion=criterion)
    a = once.best(y * once.sample.prior)[0]
    b = many.best(many.sample.y * many.sample.prior)[0]
    assert a.edge == pytest.approx(b.edge, abs=1e-12)
    for name in ("feature", "threshold", "missing_left", "left", "right"):
        np.testing.assert_array_equal(a.hypothesis.nodes[name], b.hypothesis.nodes[name])
    np.testing.assert_allclose(a.hypothesis(X), b.hypothesis(X), atol=1e-12)


@pytest.mark.parametrize("limits", [{"max_depth": 5}, {"max_depth": None, "max_leaf_nodes": 20}])
def test_threads_do_not_matter(limits):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 11))  # enough work for threads, features not in whole blocks
    y = np.where(X[:, 0] * X[:, 1] + rng.normal(size=20_000) > 0, 1, -1)
    dual = y * rng.random(20_000) * (rng.random(20_000) < 0.9)
    oracles = [bound(X, y, n_threads=n, criterion="gini", **limits) for n in (1, 2)]
    one, two = (oracle.best(dual / np.abs(dual).sum())[0] for oracle in oracles)
    assert one.hypothesis == two.hypothesis
    assert one.edge == two.edge
    np.testing.assert_array_equal(one.column, two.column)


@few
@given(seed=seeds, scale=st.sampled_from([1e-6, 3.0, 1e5]))
def test_scale_of_the_weights_does_not_matter(seed, scale):
    X, y, dual = problem(seed)
    oracle = bound(X, y, criterion="gini", min_weight_fraction_leaf=0.05)
    a, b = oracle.best(dual)[0], oracle.best(scale * dual)[0]
    np.testing.assert_array_equal(a.column, b.column)
    assert b.edge == pytest.approx(scale * a.edge)


def test_layouts_and_types_of_rows_do_not_matter():
    X, y, dual = problem(6, 100, 5, missing=0.1)
    tree = bound(X, y, [1], criterion="gini").best(dual)[0].hypothesis
    expected = tree(X)
    doubled = np.repeat(X, 2, axis=1)
    for rows in (np.asfortranarray(X), X.astype(np.float32), doubled[:, ::2]):
        np.testing.assert_array_equal(tree(rows), expected)
    np.testing.assert_array_equal(tree(X[::3]), expected[::3])


# -- pruning --------------------------------------------------------------------------------------


@few
@given(seed=seeds)
def test_cost_complexity_shrinks_with_alpha_and_is_optimal(seed):
    X, y, dual = problem(seed, 80, 3)
    grow = {"criterion": "gini", "max_depth": 5}
    full = bound(X, y, **grow).best(dual)[0]
    leaves = []
    for alpha in (0.0, 0.005, 0.02, 0.1, 1.0):
        oracle = bound(X, y, prune="cost_complexity", ccp_alpha=alpha, **grow)
        pruned = oracle.best(dual)[0]
        check_candidate(oracle, pruned, dual)
        leaves.append(pruned.hypothesis.n_leaves)
        cost = error(pruned, dual) + alpha * leaves[-1]
        assert cost <= error(full, dual) + alpha * full.hypothesis.n_leaves + 1e-12
        assert cost <= error_of_leaf(dual) + alpha + 1e-12
        if alpha == 0:
            assert error(pruned, dual) == pytest.approx(error(full, dual), abs=1e-12)
    assert leaves == sorted(leaves, reverse=True)
    assert leaves[-1] == 1


def error_of_leaf(dual):
    return 0.5 * (np.abs(dual).sum() - abs(dual.sum()))


def test_cheapest_subtree_by_brute_force():
    rng = np.random.default_rng(0)
    left = np.array([1, 3, 5, -1, -1, -1, 7, -1, -1])
    right = np.array([2, 4, 6, -1, -1, -1, 8, -1, -1])

    def cheapest(k, cost):
        if left[k] < 0:
            return cost[k]
        return min(cost[k], cheapest(left[k], cost) + cheapest(right[k], cost))

    def cost_of(k, cost, taken_back):
        if left[k] < 0 or taken_back[k]:
            return cost[k]
        return cost_of(left[k], cost, taken_back) + cost_of(right[k], cost, taken_back)

    for _ in range(50):
        cost = rng.random(9) * (1 + (left >= 0))
        assert cost_of(0, cost, cheapest_subtree(left, right, cost)) == pytest.approx(
            cheapest(0, cost)
        )


def test_pessimistic_limit_has_its_meaning():
    # P(at most E errors in n | rate U) = confidence, in whole numbers
    cost = pessimistic_cost(np.array([1.0, 0.0, 7.0]), np.array([0.0, 3.0, 3.0]), 0.25, 1)
    assert cost[0] == pytest.approx(1 - 0.25)
    assert cost[1] == pytest.approx(3 * (1 - 0.25 ** (1 / 3)))
    rate = cost[2] / 10
    below = sum(
        c * rate**k * (1 - rate) ** (10 - k) for k, c in enumerate([1.0, 10.0, 45.0, 120.0])
    )
    assert below == pytest.approx(0.25)
    assert pessimistic_cost(np.zeros(1), np.zeros(1), 0.25, 5) == [0.0]
    assert complexity_cost(np.array([0.3]), np.array([0.1]), 0.5) == pytest.approx([0.6])


def test_pessimistic_pruning_collapses_noise_and_keeps_structure():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 30, (600, 3)).astype(float)
    grow = {"criterion": "gain_ratio", "max_depth": 4}
    noise = np.where(rng.random(600) < 0.3, 1, -1)
    oracle = bound(X, noise, **grow)
    dual = noise * oracle.sample.prior
    assert oracle.best(dual)[0].hypothesis.n_leaves > 4
    pruned = bound(X, noise, prune="pessimistic", **grow).best(dual)[0].hypothesis
    strict = bound(X, noise, prune="pessimistic", confidence=0.01, **grow).best(dual)[0].hypothesis
    assert pruned.n_leaves <= 4
    assert strict.n_leaves == 1
    y = np.where((X[:, 0] > 14) & (X[:, 1] > 9), 1, -1)
    kept = bound(X, y, prune="pessimistic", **grow).best(y * oracle.sample.prior)[0]
    assert kept.edge == pytest.approx(1.0)
    assert kept.hypothesis.n_leaves == 3


# -- the hypothesis -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def grown():
    X, y, dual = problem(9, 120, 5, missing=0.1)
    trees = [
        bound(X, y, [1, 3], criterion=c, categorical=k).best(dual)[0].hypothesis
        for c, k in product(ALL, ["equality", "partition"])
    ]
    return X, trees


def test_dict_and_pickle_round_trip_exactly(grown):
    X, trees = grown
    for tree in trees:
        for again in (
            Tree.from_dict(json.loads(json.dumps(tree.to_dict()))),
            pickle.loads(pickle.dumps(tree)),
        ):
            assert again == tree
            assert hash(again) == hash(tree)
            assert again(X).tobytes() == tree(X).tobytes()
            assert not again.nodes.flags.writeable
    assert len({*trees}) > 1
    assert any(len(tree.categories) for tree in trees)


def test_voter_sums_members(grown):
    X, trees = grown
    coef = np.linspace(-1, 2, len(trees))
    expected = np.zeros(len(X))
    for weight, tree in zip(coef, trees, strict=True):
        expected += weight * tree(X)
    np.testing.assert_array_equal(Tree.voter(trees, coef)(X), expected)
    np.testing.assert_array_equal(Tree.voter([], np.zeros(0))(X), np.zeros(len(X)))


def test_too_few_features_are_refused(grown):
    X, trees = grown
    with pytest.raises(ValueError, match="features"):
        trees[0](X[:, :0])


def test_negated_and_importances(grown):
    X, trees = grown
    for tree in trees:
        np.testing.assert_array_equal(tree.negated()(X), -tree(X))
        share = tree.importances(5)
        assert share.sum() == pytest.approx(1.0)
        splits = tree.nodes[tree.nodes["feature"] >= 0]
        assert share[splits["feature"][0]] >= splits["gain"][0] / splits["gain"].sum() - 1e-12
    leaf = Tree.from_dict(
        {name: [-1] for name in ("left", "right", "feature")}
        | {"value": [1], "gain": [0], "threshold": [0], "missing_left": [False]}
    )
    assert leaf.importances(3).tolist() == [0, 0, 0]
    assert (leaf.n_leaves, leaf.n_nodes, leaf.depth) == (1, 1, 0)


GOOD = {
    "kind": "tree",
    "feature": [0, -1, 1, -1, -1],
    "left": [1, -1, 3, -1, -1],
    "right": [2, -1, 4, -1, -1],
    "value": [0.0, 1.0, 0.0, -1.0, 0.25],
    "gain": [0.5, 0.0, 0.25, 0.0, 0.0],
    "threshold": [1.5, 0.0, 0.0, 0.0, 0.0],
    "missing_left": [True, False, False, False, False],
    "categories": [None, None, [0, 2], None, None],
}


def test_plain_data_reads_as_it_looks():
    tree = Tree.from_dict(GOOD)
    rows = np.array([[1.5, 1], [2, 0], [2, 1], [np.nan, 0], [2, np.nan], [2, 2]])
    assert tree(rows).tolist() == [1, -1, 0.25, 1, 0.25, -1]
    assert (tree.depth, tree.n_leaves) == (2, 3)
    assert tree.to_dict() == GOOD


def bad(name, node, value):
    return {**GOOD, name: [*GOOD[name][:node], value, *GOOD[name][node + 1 :]]}


@pytest.mark.parametrize(
    ("name", "node", "value"),
    [
        ("feature", 0, -2),
        ("feature", 0, 1.0),
        ("feature", 0, True),
        ("feature", 0, 1 << 40),
        ("feature", 0, -1),
        ("left", 0, 0),
        ("left", 2, 1),
        ("left", 0, 5),
        ("left", 0, 2),
        ("left", 0, "1"),
        ("left", 1, 3),
        ("right", 0, -1),
        ("right", 2, 3),
        ("value", 1, 1.5),
        ("value", 1, float("nan")),
        ("value", 1, None),
        ("value", 1, True),
        ("gain", 0, -1.0),
        ("gain", 0, float("inf")),
        ("gain", 0, 10**400),
        ("threshold", 0, float("nan")),
        ("threshold", 0, float("inf")),
        ("threshold", 0, "1"),
        ("threshold", 0, 10**400),
        ("missing_left", 0, 1),
        ("missing_left", 0, None),
        ("categories", 2, []),
        ("categories", 2, [2, 0]),
        ("categories", 2, [0, 0]),
        ("categories", 2, [-1]),
        ("categories", 2, [0.0]),
        ("categories", 2, "02"),
        ("categories", 1, [0]),
    ],
)
def test_malformed_data_is_refused_by_field(name, node, value):
    with pytest.raises(ValueError, match=rf"^tree .*({name}|left|right)"):
        Tree.from_dict(bad(name, node, value))


@pytest.mark.parametrize("name", [n for n in GOOD if n != "kind"])
def test_missing_short_and_odd_fields_are_refused(name):
    for value in (GOOD[name][:-1], [], None, 3, "abc", {}):
        with pytest.raises(ValueError, match=r"^tree "):
            Tree.from_dict({**GOOD, name: value})
    if name != "categories":
        with pytest.raises(ValueError, match=rf"^tree {name}"):
            Tree.from_dict({k: v for k, v in GOOD.items() if k != name})
    with pytest.raises(ValueError, match=r"^tree "):
        Tree.from_dict({k: [] for k in GOOD})


def test_settings_are_checked_before_any_row_is_read():
    class Unread:
        def __getattr__(self, name):
            raise AssertionError("the rows were read")

    with pytest.raises(ValueError, match="max_depth: got 0"):
        AdaBoostClassifier(TreeOracle(max_depth=0)).fit(Unread(), Unread())


def test_a_small_tree_decides_by_a_path_sf_e4a():
    """Items by size, shape and colour: a path of tests leads each to its label."""
    sizes, shapes, colours = ("large", "medium", "small"), ("round", "square"), ("blue", "red")
    items = np.array(list(product(range(3), range(2), range(2))), dtype=float)
    size, shape, colour = items.T.astype(int)
    positive = np.where(size == sizes.index("large"), shape == shapes.index("round"), colour == 1)
    y = np.where(positive, 1, -1)
    oracle = bound(items, y, codes=(0, 1, 2), max_depth=3, criterion="entropy")
    tree = oracle.best(y / len(y))[0].hypothesis
    reached = rows_at_nodes(oracle, tree)
    leaves = [k for k in range(tree.n_nodes) if tree.nodes[k]["feature"] < 0]
    assert sum(reached[k] for k in leaves).tolist() == [1] * len(items)  # one leaf for each
    assert all(len(set(y[reached[k]])) == 1 for k in leaves)
    item = {"large square blue": (0, 1, 0), "medium round red": (1, 0, colours.index("red"))}
    labels = [int(y[(items == given).all(axis=1)][0]) for given in item.values()]
    assert labels == [-1, 1]
