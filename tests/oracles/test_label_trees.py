"""Trees of several classes: kernels against their twins, brute force and scikit-learn."""

import itertools
import json
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from marginboost.core import LabelByLabel, LabelPairs, RightOrWrong
from marginboost.core.hypothesis import hypothesis_from_dict
from marginboost.data import BinnedMatrix, Table
from marginboost.kernels.reference import trees as reference
from marginboost.kernels.splits import ABSOLUTE, LARGEST, SQUARES
from marginboost.kernels.ties import TIE
from marginboost.oracles import LabelTree, LabelTreeOracle
from marginboost.oracles.label_trees import SklearnLabelOracle

FEW = settings(derandomize=True, deadline=None, max_examples=40, database=None)
SAMPLES = [RightOrWrong, LabelByLabel, LabelPairs]


def rows_of(rng, n, d, missing=0.2, categories=False):
    X = rng.integers(0, 5, size=(n, d)).astype(float)
    X[rng.random((n, d)) < missing] = np.nan
    known = [np.arange(5.0) if categories and j % 2 else None for j in range(d)]
    return Table(X, [f"x{j}" for j in range(d)], known)


def sample_of(make, labels, table, weights=None, n_classes=None, n_threads=1):
    weights = np.ones(len(labels)) if weights is None else weights
    return make.of_classes(
        labels,
        n_classes or int(labels.max()) + 1,
        weights,
        rows=table,
        bins=BinnedMatrix.from_table(table, max_bins=None, n_jobs=1),
        n_threads=n_threads,
    )


def some_dual(sample, rng):
    weights = rng.exponential(size=len(sample.y)) * sample.prior
    return sample.y * weights / weights.sum()


# -- growth ----------------------------------------------------------------------------------------


def leaf_rows(tree, rows):
    """Rows at every node of a tree, by walking it plainly."""
    at = {0: np.arange(len(rows))}
    for k, node in enumerate(tree.nodes):
        if node["feature"] < 0:
            continue
        values = rows[at[k], node["feature"]]
        if node["first"] < node["last"]:
            left = np.isin(values, tree.categories[node["first"] : node["last"]])
        else:
            left = values <= node["threshold"]
        left = np.where(np.isnan(values), node["missing_left"] == 1, left)
        at[int(node["left"])], at[int(node["right"])] = at[k][left], at[k][~left]
    return at


@FEW
@given(
    seed=st.integers(0, 2**20),
    make=st.sampled_from(SAMPLES),
    criterion=st.sampled_from(["gini", "edge"]),
    answers=st.sampled_from(["label", "set"]),
    depth=st.sampled_from([1, 2, None]),
)
def test_growth_is_greedy_and_leaves_are_best(seed, make, criterion, answers, depth):
    rng = np.random.default_rng(seed)
    table = rows_of(rng, 30, 3, categories=True)
    labels = rng.permutation(np.arange(30) % 4)
    answers = "label" if make is RightOrWrong else answers
    sample = sample_of(make, labels, table)
    oracle = LabelTreeOracle(depth, criterion=criterion, answers=answers).bind(sample)
    dual = some_dual(sample, rng)
    (found,) = oracle.best(dual)
    weights, nodes = sample.label_weights(dual), found.hypothesis.tree.nodes
    rows = table.dense(0, 30)
    edge = LARGEST if answers == "label" else ABSOLUTE
    rules = reference.Rules(SQUARES if criterion == "gini" else edge, min_weight=TIE)
    data = reference.Rows(
        sample.bins.codes,
        sample.bins.n_bins,
        oracle._grower.kinds,
        np.column_stack([weights, np.abs(weights).sum(axis=1)]),
        np.ones(30),
    )
    outputs = found.hypothesis(rows)
    for k, mine in leaf_rows(found.hypothesis.tree, rows).items():
        gains = [reference.best_split(data.take(mine), j, rules) for j in range(3)]
        best = max((split.gain for split in gains if split), default=0.0)
        if nodes[k]["feature"] >= 0:
            assert nodes[k]["gain"] == pytest.approx(best, abs=1e-12)
            assert gains[nodes[k]["feature"]].gain > best - 2e-12
            continue
        sums = weights[mine].sum(axis=0)
        edge = (outputs[mine] * weights[mine]).sum()
        most = np.abs(sums).sum() if answers == "set" else 2 * sums.max() - sums.sum()
        assert edge == pytest.approx(most, abs=1e-12)
    if depth is not None:
        assert found.hypothesis.tree.depth <= depth
    np.testing.assert_array_equal(sample.column(found.hypothesis), found.column)
    assert found.edge == pytest.approx(dual @ found.column, abs=1e-12)
    assert found.edge == pytest.approx((weights * outputs).sum(), abs=1e-12)


@FEW
@given(seed=st.integers(0, 2**20), make=st.sampled_from(SAMPLES))
def test_one_split_by_edge_is_exact(seed, make):
    rng = np.random.default_rng(seed)
    table = rows_of(rng, 12, 2, missing=0.15, categories=True)
    labels = rng.permutation(np.arange(12) % 3)
    sample = sample_of(make, labels, table)
    answers = "label" if make is RightOrWrong else rng.choice(["label", "set"])
    oracle = LabelTreeOracle(1, criterion="edge", answers=str(answers)).bind(sample)
    assert oracle.exact
    dual = some_dual(sample, rng)
    weights = sample.label_weights(dual)
    signs = np.array(list(itertools.product([-1, 1], repeat=3)))
    if answers == "label":
        signs = 2 * np.eye(3) - 1
    most = -np.inf
    codes, bins = sample.bins.codes, sample.bins
    for j in range(2):
        missing = codes[j] == bins.n_bins[j]
        sums = np.zeros((bins.n_bins[j] + 1, 1))
        for left_codes in reference.left_sets(sums, oracle._grower.kinds[j]):
            present = np.isin(codes[j], left_codes)
            for left in (present | missing, present & ~missing):
                here, there = weights[left].sum(axis=0), weights[~left].sum(axis=0)
                most = max(most, (signs @ here).max() + (signs @ there).max())
    assert oracle.best(dual)[0].edge == pytest.approx(most, abs=1e-12)


def test_a_tree_that_is_not_one_split_by_edge_is_not_called_exact():
    rng = np.random.default_rng(0)
    sample = sample_of(RightOrWrong, np.arange(20) % 3, rows_of(rng, 20, 2))
    for oracle in (
        LabelTreeOracle(1),
        LabelTreeOracle(2, criterion="edge"),
        LabelTreeOracle(1, criterion="edge", min_weight_fraction_leaf=0.1),
        LabelTreeOracle(1, criterion="edge", prune="pessimistic"),
    ):
        assert not oracle.bind(sample).exact
    assert LabelTreeOracle(None, max_leaf_nodes=2, criterion="edge").bind(sample).exact


@FEW
@given(seed=st.integers(0, 2**20), criterion=st.sampled_from(["gini", "edge"]))
def test_weights_on_one_label_are_the_same_as_a_matrix(seed, criterion):
    """The fast path of M1 and SAMME, and the general one."""
    rng = np.random.default_rng(seed)
    table, labels = rows_of(rng, 40, 3), rng.integers(0, 4, size=40)
    sample = sample_of(RightOrWrong, labels, table, n_classes=4)

    class Dense(RightOrWrong):
        one_label = False

    matrix = sample_of(Dense, labels, table, n_classes=4)
    dual = some_dual(sample, rng)
    oracle = LabelTreeOracle(None, criterion=criterion)
    ours, theirs = (oracle.bind(s).best(dual)[0].hypothesis for s in (sample, matrix))
    for field in ("feature", "threshold", "left", "right", "missing_left"):
        np.testing.assert_array_equal(ours.tree.nodes[field], theirs.tree.nodes[field])
    np.testing.assert_array_equal(ours.answers, theirs.answers)


# -- scikit-learn grows the same trees -------------------------------------------------------------


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("limit", [{"depth": 1}, {"depth": 3}, {"leaves": 7}])
def test_scikit_learn_grows_the_same_tree(criterion, limit):
    """Up to where small nodes have ties; cuts lie between the same rows."""
    rng = np.random.default_rng(3)
    X, labels = rng.normal(size=(150, 4)), rng.integers(0, 5, size=150)
    labels[X[:, 1] > 0.4] = 0
    table = Table(X, list("abcd"))
    sample = sample_of(RightOrWrong, labels, table)
    dual = some_dual(sample, rng)
    depth, leaves = limit.get("depth"), limit.get("leaves")
    ours = LabelTreeOracle(depth, leaves, criterion).bind(sample).best(dual)[0].hypothesis
    theirs = DecisionTreeClassifier(
        criterion=criterion, max_depth=depth, max_leaf_nodes=leaves, random_state=0
    ).fit(X, labels, sample_weight=dual)
    assert ours.tree.n_leaves == theirs.get_n_leaves()
    np.testing.assert_array_equal(ours(X).argmax(axis=1), theirs.predict(X))
    np.testing.assert_allclose(ours.importances(4), theirs.feature_importances_, atol=1e-10)


# -- limits and pruning ----------------------------------------------------------------------------


def noisy_sample(make=RightOrWrong, n=300):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(n, 3))
    labels = (X[:, 0] > 0).astype(int) + (X[:, 1] > 0)
    labels[rng.random(n) < 0.2] = rng.integers(0, 3, size=n)[rng.random(n) < 0.2][0]
    return sample_of(make, labels, Table(X, list("abc")))


def test_limits_are_kept():
    sample = noisy_sample()
    dual = sample.y * sample.prior
    weights = sample.label_weights(dual)
    for leaves in (2, 5, 11):
        (found,) = LabelTreeOracle(None, leaves).bind(sample).best(dual)
        assert found.hypothesis.tree.n_leaves == leaves
    (found,) = LabelTreeOracle(None, min_weight_fraction_leaf=0.1).bind(sample).best(dual)
    at = leaf_rows(found.hypothesis.tree, sample.rows.dense(0, 300))
    shares = [
        np.abs(weights[mine]).sum()
        for k, mine in at.items()
        if found.hypothesis.tree.nodes[k]["feature"] < 0
    ]
    assert min(shares) >= 0.1 - 1e-9


@pytest.mark.parametrize("make", SAMPLES)
def test_pruning_takes_splits_back(make):
    sample = noisy_sample(make)
    dual = sample.y * sample.prior
    answers = "label" if make is RightOrWrong else "set"
    sizes, edges = [], []
    for settings_ in (
        {},
        {"prune": "cost_complexity", "ccp_alpha": 0.0},
        {"prune": "pessimistic"},
        {"prune": "pessimistic", "confidence": 0.01},
        {"prune": "cost_complexity", "ccp_alpha": 0.02},
        {"prune": "cost_complexity", "ccp_alpha": 1.0},
    ):
        (found,) = LabelTreeOracle(None, answers=answers, **settings_).bind(sample).best(dual)
        np.testing.assert_array_equal(sample.column(found.hypothesis), found.column)
        sizes.append(found.hypothesis.tree.n_leaves)
        edges.append(found.edge)
    assert sizes[0] >= sizes[1] > sizes[2] > sizes[3] >= sizes[4] > sizes[5] == 1
    assert edges[0] == pytest.approx(edges[1])  # without a price no error is added


def test_a_weight_of_two_is_two_rows_and_threads_do_not_matter():
    rng = np.random.default_rng(1)
    X, labels, counts = rng.normal(size=(60, 3)), np.arange(60) % 4, rng.integers(1, 4, size=60)
    for make in SAMPLES:
        weighted = sample_of(make, labels, Table(X, list("abc")), counts)
        again = sample_of(make, labels, Table(X, list("abc")), counts, n_threads=3)
        copied = sample_of(make, labels.repeat(counts), Table(X.repeat(counts, 0), list("abc")))
        for oracle in (LabelTreeOracle(4), LabelTreeOracle(None, prune="pessimistic")):
            trees = [
                oracle.bind(sample).best(sample.y * sample.prior)[0].hypothesis
                for sample in (weighted, again, copied)
            ]
            assert trees[0] == trees[1]
            np.testing.assert_array_equal(trees[0](X), trees[2](X))


# -- settings --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings_", "message"),
    [
        ({"criterion": "Z"}, "criterion: got 'Z', expected one of 'edge', 'gini', 'entropy'"),
        ({"answers": "labels"}, "answers: got 'labels'"),
        ({"prune": "yes"}, "prune: got 'yes'"),
        ({"max_depth": 0}, "max_depth: got 0"),
        ({"max_leaf_nodes": 1}, "max_leaf_nodes: got 1"),
        ({"min_weight_fraction_leaf": 2}, "min_weight_fraction_leaf: got 2"),
        ({"ccp_alpha": -1}, "ccp_alpha: got -1"),
        ({"confidence": 0}, "confidence: got 0"),
        ({"answers": "set"}, "the set of all labels would always be right"),
    ],
)
def test_bad_settings(settings_, message):
    with pytest.raises(ValueError, match=message):
        LabelTreeOracle(**settings_).bind(noisy_sample())


def test_entropy_needs_weights_without_signs():
    with pytest.raises(ValueError, match="criterion: got 'entropy'"):
        LabelTreeOracle(criterion="entropy").bind(noisy_sample(LabelPairs))


# -- hypotheses ------------------------------------------------------------------------------------


def example_tree(answers="set"):
    sample = noisy_sample(LabelPairs)
    dual = sample.y * sample.prior
    return LabelTreeOracle(3, answers=answers).bind(sample).best(dual)[0].hypothesis


@pytest.mark.parametrize("answers", ["label", "set"])
def test_label_trees_are_data(answers):
    tree = example_tree(answers)
    rows = np.random.default_rng(0).normal(size=(50, 3))
    rows[::7, 0] = np.nan
    data = json.loads(json.dumps(tree.to_dict(), allow_nan=False))
    again = hypothesis_from_dict(data)
    assert again == tree
    assert hash(again) == hash(tree)
    assert pickle.loads(pickle.dumps(tree)) == tree
    assert tree != tree.negated()
    np.testing.assert_array_equal(tree.negated()(rows), -tree(rows))
    np.testing.assert_array_equal(tree.negated().negated()(rows), tree(rows))
    both = LabelTree.voter([tree, tree.negated()], np.array([2.0, 0.5]))(rows)
    np.testing.assert_allclose(both, 1.5 * tree(rows))
    with pytest.raises(ValueError, match="reads 3 features"):
        tree(rows[:, :1])


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("n_labels", 1),
        ("n_labels", True),
        ("tree", None),
        ("tree", {"kind": "stump"}),
        ("answers", None),
        ("answers", [0]),
        ("answers", [99] * 15),
        ("answers", [-99] * 15),
        ("answers", [0.0] * 15),
        ("sets", None),
        ("sets", [[1, 1]]),
        ("sets", [[1, 0, 1]]),
        ("sets", [[True, True, True]]),
    ],
)
def test_hostile_label_trees_are_refused(field, value):
    data = {**example_tree("label").to_dict(), field: value}
    with pytest.raises(ValueError, match=r"n_labels|tree|answers|sets"):
        hypothesis_from_dict(data)


# -- scikit-learn classifiers as base learners -----------------------------------------------------


@pytest.mark.parametrize("make", SAMPLES)
@pytest.mark.parametrize("estimator", [DecisionTreeClassifier(max_depth=3), GaussianNB()])
def test_scikit_learn_classifiers(make, estimator):
    sample = noisy_sample(make)
    oracle = SklearnLabelOracle(estimator).bind(sample)
    dual = some_dual(sample, np.random.default_rng(0))
    (found,), (again,) = oracle.best(dual, round=3), oracle.best(dual, round=3)
    assert found.edge == again.edge > -0.2
    np.testing.assert_array_equal(sample.column(found.hypothesis), found.column)
    np.testing.assert_array_equal(
        found.hypothesis.negated()(sample.rows.dense(0, 9)),
        -found.hypothesis(sample.rows.dense(0, 9)),
    )


def test_signed_weights_as_gains_over_the_worst_label():
    """The tree that scikit-learn grows for (example, label) rows has a large edge too."""
    sample = noisy_sample(LabelPairs)
    dual = some_dual(sample, np.random.default_rng(0))
    oracle = SklearnLabelOracle(DecisionTreeClassifier(max_depth=3)).bind(sample)
    ours = LabelTreeOracle(3).bind(sample)
    assert oracle.best(dual)[0].edge > 0.8 * ours.best(dual)[0].edge


# -- settings --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("criterion", "twoing"),
        ("answers", "number"),
        ("max_depth", 0),
        ("ccp_alpha", -1.0),
        ("min_weight_fraction_leaf", -0.1),
        ("min_weight_fraction_leaf", 1.1),
    ],
)
def test_settings_that_are_refused(name, value):
    LabelTreeOracle().check()
    with pytest.raises(ValueError, match=name):
        LabelTreeOracle(**{name: value}).check()


def test_a_classifier_that_takes_no_weights_is_refused():
    SklearnLabelOracle(GaussianNB()).check()
    with pytest.raises(ValueError, match="sample_weight"):
        SklearnLabelOracle(KNeighborsClassifier()).check()
