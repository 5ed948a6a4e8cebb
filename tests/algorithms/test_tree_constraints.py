"""What is known of columns beforehand holds in every model: directions, interactions, and draws."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import marginboost.oracles.growth as growth_module
from marginboost import (
    Checkpoint,
    GradientBoostClassifier,
    GradientBoostRegressor,
    GradientTreeOracle,
    SoftmaxBoostClassifier,
    load,
)
from marginboost.core import Callback
from marginboost.kernels import columns as column_kernels
from strategies import few, from_python

SMALL = {"n_estimators": 12, "max_leaf_nodes": 8, "min_samples_leaf": 3, "learning_rate": 0.3}


def rows(seed, n=150, missing=True):
    """Rows, and numbers that rise and fall with the first column and mix the others."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4)).round(1)
    y = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.3 * rng.normal(size=n)
    if missing:
        X[rng.random(n) < 0.1, 0] = np.nan
        X[rng.random(n) < 0.1, 3] = np.nan
    return X, y


def make(kind, **settings):
    classes = {"two": GradientBoostClassifier, "several": SoftmaxBoostClassifier}
    return classes.get(kind, GradientBoostRegressor)(**{**SMALL, **settings})


def targets(kind, y):
    cuts = {"two": [0.0], "several": [-0.5, 0.5]}
    return np.digitize(y, cuts[kind]) if kind in cuts else y


def trees_of(model):
    """All trees of a model, of all classes."""
    return [tree for member in model.estimators_ for tree in getattr(member, "trees", [member])]


def ways(tree):
    """Sets of features on the ways from root to leaf."""
    nodes, found, open_nodes = tree.nodes, [], [(0, frozenset())]
    while open_nodes:
        k, way = open_nodes.pop()
        if nodes["feature"][k] < 0:
            found.append(way)
            continue
        way = way | {int(nodes["feature"][k])}
        open_nodes += [(nodes["left"][k], way), (nodes["right"][k], way)]
    return found


# -- directions ------------------------------------------------------------------------------------


@given(
    seed=st.integers(0, 10_000),
    kind=st.sampled_from(["two", "numbers"]),
    more=st.sampled_from(
        [
            {},
            {"subsample": 0.7, "max_features": 0.5},
            {"l2_regularization": 5.0, "grow_policy": "depthwise"},
            {"grow_policy": "symmetric", "min_samples_leaf": 1},
            {"colsample_bytree": 0.6, "interaction_cst": "pairwise"},
            {"loss": "huber"},
        ]
    ),
)
@few
def test_predictions_follow_their_directions_on_any_grid(seed, kind, more):
    X, y = rows(seed)
    model = make(kind, monotonic_cst=[1, -1, 0, 0], **more).fit(X, targets(kind, y))
    rng = np.random.default_rng(seed)
    grid = np.sort(np.concatenate([rng.normal(size=40, scale=2.0), [-1e300, 1e300, 0.0]]))
    predict = model.predict if kind == "numbers" else lambda Z: model.predict_proba(Z)[:, 1]
    for column, direction in ((0, 1), (1, -1)):
        others = X[rng.integers(0, len(X), 15)]
        points = others.repeat(len(grid), axis=0)
        points[:, column] = np.tile(grid, len(others))
        steps = np.diff(predict(points).reshape(len(others), -1), axis=1)
        assert (direction * steps >= 0.0).all()


def test_directions_cost_what_they_must():
    """A function that does rise is fitted as well with the constraint as without."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 2))
    y = X[:, 0] + 0.5 * X[:, 1] ** 2 + 0.1 * rng.normal(size=400)
    free, bound, wrong = (
        make("numbers", monotonic_cst=cst).fit(X, y).score(X, y) for cst in (None, {0: 1}, {0: -1})
    )
    assert bound > free - 0.05
    assert wrong < 0.6 < bound


def test_no_direction_is_no_constraint():
    X, y = rows(0)
    for cst in ([0, 0, 0, 0], {"x1": 0}, {}):
        free, same = make("numbers").fit(X, y), make("numbers", monotonic_cst=cst).fit(X, y)
        assert free.estimators_ == same.estimators_


# -- interactions ----------------------------------------------------------------------------------


@given(
    seed=st.integers(0, 10_000),
    kind=st.sampled_from(["two", "several", "numbers"]),
    more=st.sampled_from([{}, {"max_features": 0.5}, {"colsample_bytree": 0.7, "subsample": 0.8}]),
)
@few
def test_forbidden_pairs_never_meet(seed, kind, more):
    X, y = rows(seed)
    groups = [{0, 1}, {1, 2}]  # 3 is a group of its own
    model = make(kind, interaction_cst=groups, **more).fit(X, targets(kind, y))
    for tree in trees_of(model):
        assert all(any(way <= group for group in (*groups, {3})) for way in ways(tree))
    for name, most in (("no_interactions", 1), ("pairwise", 2)):
        model = make(kind, interaction_cst=name, **more).fit(X, targets(kind, y))
        longest = max(len(way) for tree in trees_of(model) for way in ways(tree))
        assert longest <= most


def test_without_interactions_a_model_is_additive():
    X, y = rows(0, missing=False)
    model = make("numbers", interaction_cst="no_interactions").fit(X, y)
    a, b = X[0], X[1]
    mixed = [np.where(np.arange(4) == j, a, b) for j in range(4)]
    f = model.predict(np.array([a, b, *mixed]))
    np.testing.assert_allclose(f[0] - f[1], (f[2:] - f[1]).sum(), atol=1e-12)
    free = make("numbers").fit(X, y)
    assert any(len(way) > 1 for tree in trees_of(free) for way in ways(tree))


# -- draws, gains, order ---------------------------------------------------------------------------


def test_columns_of_a_tree_are_drawn_anew():
    X, y = rows(0)
    for kind in ("two", "several", "numbers"):
        model = make(kind, colsample_bytree=0.5, n_estimators=20).fit(X, targets(kind, y))
        used = [frozenset().union(*ways(tree)) for tree in trees_of(model)]
        assert max(map(len, used)) == 2
        assert len(set(used)) > 3
        assert (
            make(kind, colsample_bytree=0.5, n_estimators=20).fit(X, targets(kind, y)).estimators_
            == model.estimators_
        )
        other = make(kind, colsample_bytree=0.5, n_estimators=20, random_state=1)
        assert other.fit(X, targets(kind, y)).estimators_ != model.estimators_


@pytest.mark.parametrize("setting", ["colsample_bytree", "max_features"])
def test_a_draw_without_a_split_does_not_end_the_run(setting):
    """Of three columns two are constant; a draw of one of these is followed by another."""
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=100), np.zeros(100), np.ones(100)])
    model = make("numbers", **{setting: 0.3}).fit(X, X[:, 0] + 0.1 * rng.normal(size=100))
    assert model.n_iter_ == SMALL["n_estimators"]
    assert all(tree.n_leaves > 1 for tree in model.estimators_[1:])


def test_a_tree_of_some_columns_is_that_of_a_table_of_these():
    X, y = rows(0)
    model = make("numbers", colsample_bytree=0.5, n_estimators=1).fit(X, y)
    tree = model.estimators_[1]
    columns = sorted(frozenset().union(*ways(tree)))
    small = make("numbers", n_estimators=1).fit(X[:, columns], y).estimators_[1]
    np.testing.assert_array_equal(tree(X), small(X[:, columns]))


def test_columns_of_splits_are_drawn_evenly():
    draw_columns = from_python(column_kernels.draw_columns)
    counts = np.zeros(10)
    for seed in range(1, 4001):
        allowed = np.ones(10, np.uint8)
        allowed[3] = 0
        draw_columns(seed * 7919, 0.3, allowed)
        counts += allowed
    assert counts[3] == 0
    assert counts.sum() == 4000 * 3  # a third of nine, rounded up
    others = np.delete(counts, 3)
    assert abs(others / 4000 - 1 / 3).max() < 0.03


def test_every_split_draws_its_columns():
    X, y = rows(0)
    half, whole = (make("numbers", max_features=m, n_estimators=30).fit(X, y) for m in (0.5, 1.0))
    first = [int(tree.nodes["feature"][0]) for tree in half.estimators_[1:]]
    assert set(first) == {0, 1, 2, 3}
    assert half.estimators_ != whole.estimators_


def test_the_least_gain_is_that_of_sums_over_rows():
    """G² / (H + λ) of both sides over that of the node, for the logistic loss from scratch."""
    X, y = rows(3, missing=False)
    y = targets("two", y)
    p, stump = y.mean(), {"max_leaf_nodes": 2, "n_estimators": 1, "l2_regularization": 0.0}

    def gain(left):
        def part(rows):
            return (y[rows] - p).sum() ** 2 / (rows.sum() * p * (1 - p))

        return part(left) + part(~left) - part(np.ones(len(y), bool))

    for weight in (None, np.full(len(y), 3.0)):
        model = make("two", **stump).fit(X, y, weight)
        node = model.estimators_[1].nodes[0]
        best = gain(X[:, node["feature"]] <= node["threshold"]) * (1.0 if weight is None else 3.0)
        for factor, n_leaves in ((1 - 1e-9, 2), (1 + 1e-9, 1)):
            least = make("two", min_split_gain=factor * best, **stump).fit(X, y, weight)
            assert least.estimators_[-1].n_leaves == n_leaves or len(least.estimators_) < 2


def test_least_gains_of_several_classes_are_those_of_two():
    """With two classes, a softmax has the same slopes and twice the curvatures: half the gains."""
    X, y = rows(4)
    y = targets("two", y)
    one = make("two", min_split_gain=3.0, n_estimators=6).fit(X, y)
    both = make("several", min_split_gain=1.5, n_estimators=6).fit(X, y)
    sizes = [tree.n_leaves for tree in one.estimators_[1:]]
    assert sizes == [trees.trees[0].n_leaves for trees in both.estimators_[1:]]
    assert 1 < min(sizes[:3]) < 8


@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_columns_are_drawn_for_every_level(side):
    """Even if the node that was there first is never divided again."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1000, 20))
    X[:, 0] = np.sign(X[:, 0])
    y = np.where(X[:, 0] == side, X[:, 1:].sum(axis=1) + 50.0, 0.0)
    settings = {"grow_policy": "symmetric", "max_leaf_nodes": 64, "min_samples_leaf": 1}
    asked = []
    for seed in range(60):
        model = make("numbers", max_features=0.1, n_estimators=1, random_state=seed, **settings)
        nodes = model.fit(X, y).estimators_[1].nodes
        if nodes["feature"][0] == 0:
            asked.append(len(set(nodes["feature"].tolist()) - {-1, 0}))
    assert np.mean(asked) > 3.0  # of five; two columns are drawn at a time


def test_trees_grow_leaf_by_leaf_or_level_by_level():
    X, y = rows(0, n=600)
    by_leaf, by_level = (
        make("numbers", grow_policy=policy, max_leaf_nodes=8, n_estimators=4).fit(X, y)
        for policy in ("lossguide", "depthwise")
    )
    assert all(tree.depth == 3 for tree in by_level.estimators_[1:])
    assert max(tree.depth for tree in by_leaf.estimators_) > 3


# -- what must not matter, and what must keep working ----------------------------------------------

EVERYTHING = {
    "max_features": 0.6,
    "colsample_bytree": 0.8,
    "min_split_gain": 1e-3,
    "grow_policy": "depthwise",
    "interaction_cst": [["x0", "x1", "x4"], ["x2", "x3"]],
}


@pytest.mark.parametrize("policy", ["depthwise", "symmetric"])
@pytest.mark.parametrize("kind", ["two", "several"])
def test_threads_change_nothing(kind, policy, monkeypatch):
    monkeypatch.setattr(growth_module, "CODES_PER_THREAD", 1)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 10))
    y = np.digitize(X[:, 0] + rng.normal(size=20_000), [0.0] if kind == "two" else [-0.5, 0.5])
    more = {"monotonic_cst": {"x0": 1}} if kind == "two" else {}
    more |= {**EVERYTHING, "grow_policy": policy}
    one, two = (make(kind, n_jobs=n, n_estimators=3, **more).fit(X, y) for n in (1, 2))
    assert one.estimators_ == two.estimators_
    np.testing.assert_array_equal(one.estimator_weights_, two.estimator_weights_)


class Crash(Callback):
    def on_round(self, state):
        if state.round == 5:
            raise KeyboardInterrupt


@pytest.mark.parametrize("policy", ["depthwise", "symmetric"])
@pytest.mark.parametrize("kind", ["two", "several", "numbers"])
def test_files_graphs_and_checkpoints(kind, policy, tmp_path):
    runtime = pytest.importorskip("onnxruntime")
    X, y = rows(1)
    X, y = np.column_stack([X, X[:, 1]]), targets(kind, y)
    more = {} if kind == "several" else {"monotonic_cst": {"x0": 1, "x2": -1}}
    settings = {**EVERYTHING, **more, "grow_policy": policy}
    whole = make(kind, **settings).fit(X, y)
    whole.save(tmp_path / "model.json")
    loaded = load(tmp_path / "model.json")
    np.testing.assert_array_equal(loaded.predict(X), whole.predict(X))
    assert loaded.get_params()["interaction_cst"] == EVERYTHING["interaction_cst"]
    assert loaded.fit(X, y).estimators_ == whole.estimators_
    session = runtime.InferenceSession(whole.to_onnx().SerializeToString())
    np.testing.assert_array_equal(session.run(None, {"X": X})[0], whole.predict(X))
    checkpoint = Checkpoint(tmp_path / "run.json", every=2)
    with pytest.raises(KeyboardInterrupt):
        make(kind, callbacks=[Crash(), checkpoint], **settings).fit(X, y)
    resumed = make(kind, callbacks=[checkpoint], **settings).fit(X, y)
    assert resumed.estimators_ == whole.estimators_


def test_names_of_columns_are_those_of_the_frame():
    pd = pytest.importorskip("pandas")
    X, y = rows(2)
    frame = pd.DataFrame(X, columns=["age", "income", "debt", "kind"])
    by_name = make("numbers", monotonic_cst={"income": 1}, interaction_cst=[("age", "income")])
    by_place = make("numbers", monotonic_cst=[0, 1, 0, 0], interaction_cst=[[0, 1]])
    assert by_name.fit(frame, y).estimators_ == by_place.fit(X, y).estimators_


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"monotonic_cst": {"x9": 1}}, ValueError, "monotonic_cst: got 'x9', expected a column"),
        ({"monotonic_cst": [1, 0]}, ValueError, "monotonic_cst: got 2 entries, expected one for"),
        ({"monotonic_cst": {"x0": 2}}, ValueError, "monotonic_cst: got 2, expected a dict"),
        ({"monotonic_cst": 1}, TypeError, "monotonic_cst: got 1, expected a dict"),
        ({"interaction_cst": "all"}, ValueError, "interaction_cst: got 'all', expected 'pairw"),
        ({"interaction_cst": [0, 1]}, TypeError, "interaction_cst: got 0 in it, expected"),
        ({"interaction_cst": [["x0", 7]]}, ValueError, "interaction_cst: got 7, expected a col"),
        ({"max_features": 0.0}, ValueError, "max_features: got 0.0, expected a number above 0"),
        ({"colsample_bytree": 1.1}, ValueError, "colsample_bytree: got 1.1, expected a number"),
        ({"min_split_gain": -1.0}, ValueError, "min_split_gain: got -1.0, expected a number at"),
        (
            {"grow_policy": "symmetric", "max_leaf_nodes": 2048},
            ValueError,
            "max_leaf_nodes: got 2048, expected a limit of 10 levels, 1024 leaves",
        ),
        ({"grow_policy": "leaf"}, ValueError, "grow_policy: got 'leaf', expected one of"),
    ],
)
def test_bad_settings_are_named(settings, error, message):
    X, y = rows(0)
    with pytest.raises(error, match=message):
        make("numbers", **settings).fit(X, y)


def test_settings_are_refused_where_they_mean_nothing():
    pd = pytest.importorskip("pandas")
    X, y = rows(0)
    several = targets("several", y)
    with pytest.raises(ValueError, match="monotonic_cst: got directions with 3 classes"):
        make("two", monotonic_cst={"x0": 1}).fit(X, several)
    with pytest.raises(ValueError, match="estimator: got trees with monotonic_cst"):
        SoftmaxBoostClassifier(GradientTreeOracle(monotonic_cst=[1, 0, 0, 0])).fit(X, several)
    trees = GradientTreeOracle(grow_policy="symmetric", categorical="partition")
    with pytest.raises(ValueError, match="categorical: got 'partition', expected 'equality'"):
        GradientBoostClassifier(trees).fit(X, several > 0)
    with pytest.raises(ValueError, match="splits: got 'gradient', expected 'newton'"):
        make("two", monotonic_cst={"x0": 1}, splits="gradient").fit(X, targets("two", y))
    frame = pd.DataFrame(X, columns=list("abcd")).assign(a=pd.Categorical(X[:, 1] > 0))
    with pytest.raises(ValueError, match="monotonic_cst: got a direction for column 'a', whose"):
        make("numbers", monotonic_cst={"a": 1}).fit(frame, y)
