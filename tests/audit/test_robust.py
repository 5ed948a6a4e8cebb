"""The one-line robust classifier."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.metrics import roc_auc_score
from sklearn.tree import DecisionTreeClassifier

import marginboost
from marginboost import (
    AdaBoostClassifier,
    BinnedMatrix,
    LabelAudit,
    RobustBoostClassifier,
    TreeOracle,
    verify,
)
from marginboost.audit import plant_flips, votes
from marginboost.audit.committee import FOREST_TREES
from marginboost.audit.folds import some_of_all
from marginboost.audit.forest import MOST_LEVELS, BinnedForest
from marginboost.audit.robust import Room
from marginboost.audit.soft_labels import soft_rows
from marginboost.audit.votes import FEW_ROWS, forest
from marginboost.datasets import flip_labels, twonorm
from marginboost.fitting.reduction import ONE_VS_REST


@pytest.fixture(scope="module")
def noisy():
    X, y = twonorm(500)
    labels, flipped = flip_labels(y, 0.2, seed=1)
    return X, labels, flipped, twonorm(3000, seed=9)


@pytest.mark.slow
def test_beats_adaboost_under_noise(noisy):
    X, labels, flipped, (X_test, y_test) = noisy
    robust = RobustBoostClassifier(model="soft-margin").fit(X, labels)
    plain = AdaBoostClassifier(n_estimators=200).fit(X, labels)
    assert robust.score(X_test, y_test) > plain.score(X_test, y_test) + 0.02
    assert robust.noise_rate_ == pytest.approx(0.2, abs=0.06)
    assert robust.nu_ > robust.noise_rate_
    assert robust.trust_[flipped].mean() < 0.35 < 0.8 < robust.trust_[~flipped].mean()
    assert robust.certified_
    assert robust.certificate_.gap <= 1e-3


@pytest.mark.slow
@pytest.mark.parametrize("policy", ["drop", "relabel", "keep"])
def test_policies(policy, noisy):
    X, labels, _, (X_test, y_test) = noisy
    model = RobustBoostClassifier(policy=policy, model="soft-margin").fit(X, labels)
    assert model.score(X_test, y_test) > 0.85
    assert model.dual_.shape == labels.shape
    # What is dropped or put right need not be left room for.
    assert (model.nu_ > 2.5 * model.noise_rate_) == (policy == "keep")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("estimator", "low", "high"),
    [
        (None, 0.5, 0.9),
        (TreeOracle(max_depth=2), 0.05, 0.2),
        (DecisionTreeClassifier(max_depth=2), 0.05, 0.2),
    ],
)
def test_nu_leaves_room_for_what_the_base_learner_cannot_fit(estimator, low, high):
    """Labels are right, but stumps know nothing of an exclusive or; trees do."""
    X = np.random.default_rng(0).uniform(-1, 1, size=(300, 2))
    y = X[:, 0] * X[:, 1] > 0
    model = RobustBoostClassifier(estimator, n_estimators=60, model="soft-margin").fit(X, y)
    assert model.noise_rate_ < 0.05
    assert low <= model.nu_ <= high


def test_saves_and_loads(noisy, tmp_path):
    X, labels = noisy[0][:200], noisy[1][:200]
    model = RobustBoostClassifier(model="soft-margin", cv=3).fit(X, labels)
    model.save(tmp_path / "model.json")
    loaded = marginboost.load(tmp_path / "model.json")
    assert isinstance(loaded, RobustBoostClassifier)
    np.testing.assert_array_equal(loaded.decision_function(X), model.decision_function(X))
    assert (loaded.nu_, loaded.noise_rate_) == (model.nu_, model.noise_rate_)
    given, weights = loaded.__training_set__(X, labels)
    np.testing.assert_array_equal(given, labels)
    np.testing.assert_allclose(weights, model.trust_, rtol=1e-9)
    with pytest.warns(UserWarning, match="the audit of these rows estimates a noise of"):
        loaded.__training_set__(X[:120], labels[:120])


def test_more_than_two_classes(tmp_path):
    X, y = load_iris(return_X_y=True)
    model = RobustBoostClassifier(model="soft-margin", cv=3).fit(X, y)
    model.save(tmp_path / "model.json")
    assert marginboost.load(tmp_path / "model.json").problems_[2].nu_ == model.nu_
    assert model.score(X, y) > 0.9
    assert {problem.nu_ for problem in model.problems_} == {model.nu_}


# -- the choice ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def crossed():
    """Labels that no stump can tell, a fifth of them wrong."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(400, 2))
    y = np.where(X[:, 0] * X[:, 1] > 0, "same", "other")
    labels, _ = plant_flips(y, 0.2)
    return X, y, labels


@pytest.mark.parametrize(
    ("lead", "noise", "model", "why"),
    [
        (3.0, 0.1, "committee", "better than stumps by 3.0 standard errors"),
        (-0.2, 0.1, "committee", "stumps alone are better by 0.2 standard errors only"),
        (-3.0, 0.1, "soft-margin", "stumps alone are better by 3.0 standard errors"),
        (-3.0, 0.3, "committee", "too many labels seem wrong"),
    ],
)
def test_the_choice_is_told(lead, noise, model, why, noisy):
    X, y = noisy[3]
    audit = LabelAudit(cv=2).fit(X[:200], y[:200])
    room = Room(audit, None, np.ones(200))
    chosen, reason = RobustBoostClassifier()._verdict(lead, noise, ONE_VS_REST, room)
    assert chosen == model
    assert why in reason


def test_no_soft_margin_where_a_whole_class_may_miss_it():
    """Stumps alone are better, but of one row in a hundred a soft margin knows nothing."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(40_000, 10))
    score = X[:, 0] + X[:, 1] + 0.5 * rng.normal(size=len(X))
    y = score > np.quantile(score, 0.99)
    model = RobustBoostClassifier().fit(X[:20_000], y[:20_000])
    assert model.choice_[0].chosen
    assert "a soft margin may miss a share of 0.05, and the rarest class has" in (
        model.choice_[0].why
    )
    assert roc_auc_score(y[20_000:], model.predict_proba(X[20_000:])[:, 1]) > 0.95


def test_a_class_of_one_row_is_learnt():
    X = np.arange(12.0).reshape(6, 2)
    model = RobustBoostClassifier().fit(X, list("aaaaab"))
    assert model.predict(X).tolist() == list("aaaaab")
    assert model.trust_[5] > 0.99


@pytest.mark.slow
def test_interactions_call_for_trees(crossed):
    X, y, labels = crossed
    model = RobustBoostClassifier(cv=3).fit(X, labels)
    trees, stumps = model.choice_
    assert (trees.model, trees.chosen, stumps.chosen) == ("committee", True, False)
    assert trees.loss < stumps.loss
    assert trees.error < 0.2 < stumps.error
    assert "better than stumps by" in trees.why
    assert model.score(X, y) > 0.93
    assert model.noise_rate_ == pytest.approx(0.2, abs=0.07)
    assert not model.certified_
    assert model.certificate_.lower == model.margins(X, labels).min()
    assert verify(model, X, labels).holds


def test_where_stumps_are_better_the_soft_margin_is_certified(monkeypatch):
    """All other voters see nothing, so that stumps lead whatever they have become."""
    usual = votes.default_voters

    def blind_but_stumps(*args, **settings):
        found = usual(*args, **settings)
        return {k: v if k == votes.STUMPS else DummyClassifier() for k, v in found.items()}

    monkeypatch.setattr("marginboost.audit.audit.default_voters", blind_but_stumps)
    X = np.random.default_rng(1).normal(size=(500, 3))
    y = (np.sign(X).sum(axis=1) > 0).astype(int)
    labels, _ = plant_flips(y, 0.1)
    model = RobustBoostClassifier(cv=3).fit(X, labels)
    committee, soft_margin = model.choice_
    assert [committee.chosen, soft_margin.chosen] == [False, True]
    assert soft_margin.loss < committee.loss
    assert soft_margin.error < committee.error
    assert re.fullmatch(r"stumps alone are better by [0-9.]+ standard errors", soft_margin.why)
    assert model.nu_ > 0.0
    assert model.certified_
    assert verify(model, X, labels).holds
    assert model.explain().names[0] == "x0"
    assert model.score(X, y) > 0.95


def test_a_given_base_learner_is_used(crossed):
    X, _, labels = crossed
    model = RobustBoostClassifier(TreeOracle(max_depth=2), n_estimators=5, cv=2).fit(X, labels)
    assert model.choice_[1].why == "a base learner was given"
    assert model.nu_ > 0
    with pytest.raises(
        ValueError, match=r"estimator: got .*, expected None with model='committee'"
    ):
        RobustBoostClassifier(TreeOracle(), model="committee").fit(X, labels)


def test_choice_and_model_repeat(crossed):
    X, _, labels = crossed
    first, second = (RobustBoostClassifier(cv=2, random_state=3).fit(X, labels) for _ in range(2))
    assert first.choice_ == second.choice_
    np.testing.assert_array_equal(first.predict_proba(X), second.predict_proba(X))


@pytest.mark.slow
@pytest.mark.parametrize("n_classes", [2, 3])
def test_committee_saves_and_loads(n_classes, tmp_path):
    rng = np.random.default_rng(0)
    size = rng.normal(size=150)
    kind = pd.Categorical(rng.choice(["a", "b", "c"], 150))
    X = pd.DataFrame({"size": np.where(size > 1.5, np.nan, size), "kind": kind})
    y = np.array(["low", "mid", "top"])[np.digitize(size, [-0.3, 0.6][: n_classes - 1])]
    model = RobustBoostClassifier(model="committee", cv=2).fit(X, y)
    model.save(tmp_path / "model.json")
    loaded = marginboost.load(tmp_path / "model.json")
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
    assert not hasattr(loaded, "nu_")  # a share that a committee does not have
    assert model.score(X, y) > 0.9
    assert model.predict_proba(X).shape == (150, n_classes)


@pytest.mark.parametrize("n_rows", [4, 7, 20])
def test_tiny_tables(n_rows):
    X = np.column_stack([np.arange(float(n_rows)), np.zeros(n_rows)])
    y = np.where(X[:, 0] < n_rows / 2, "a", "b")
    model = RobustBoostClassifier().fit(X, y)
    assert set(model.predict(X)) <= {"a", "b"}
    assert np.isfinite(model.predict_proba(X)).all()


@pytest.mark.parametrize("model", ["auto", "committee", "soft-margin"])
def test_a_class_of_two_rows_that_lie_apart_and_a_constant_feature(model):
    X = np.column_stack([[*np.arange(38.0), 80.0, 81.0], np.ones(40)])
    y = np.repeat([0, 1, 2], [20, 18, 2])
    found = RobustBoostClassifier(model=model).fit(X, y)
    assert found.predict(X).tolist() == y.tolist()
    assert found.trust_[-2:].min() > 0.9
    assert found.predict_proba(X).shape == (40, 3)


@pytest.mark.slow
def test_rows_without_weight_do_not_count(crossed):
    X, _, labels = crossed
    some = np.arange(len(labels)) < 200
    weighed = RobustBoostClassifier(cv=2).fit(X, labels, sample_weight=some.astype(float))
    alone = RobustBoostClassifier(cv=2).fit(X[some], labels[some])
    np.testing.assert_array_equal(weighed.predict_proba(X), alone.predict_proba(X))


@pytest.mark.slow
@pytest.mark.parametrize("policy", ["soft", "downweight", "drop", "relabel", "keep"])
def test_policies_of_a_committee(policy, crossed):
    X, y, labels = crossed
    model = RobustBoostClassifier(model="committee", policy=policy, cv=2).fit(X[:150], labels[:150])
    assert model.score(X, y) > 0.75
    assert model.dual_.shape == (150,)


# -- parts ---------------------------------------------------------------------------------------


def test_trees_of_the_forest_say_what_the_forest_says():
    rng = np.random.default_rng(0)
    numbers = np.where(rng.random((120, 2)) < 0.1, np.nan, rng.normal(size=(120, 2)))
    X = pd.DataFrame({"a": numbers[:, 0], "b": numbers[:, 1]})
    X["kind"] = pd.Categorical(rng.choice(["u", "v", "w"], 120))
    bins = BinnedMatrix.from_data(X)
    rows = bins.dense(0, 120)
    two = rng.integers(0, 2, 120)
    forest = BinnedForest(5).fit(bins, two)
    mean = np.mean([tree(rows) for tree in forest.hypotheses()], axis=0)
    np.testing.assert_allclose(mean, 2.0 * forest.predict_proba(bins)[:, 1] - 1.0, atol=1e-12)
    three = rng.integers(0, 3, 120)
    forest = BinnedForest(5, min_samples_leaf=1).fit(bins, three)
    codes = bins.codes.T.astype(np.float32)
    peer = ExtraTreesClassifier(5, random_state=0).fit(codes, three)
    for tree, grown in zip(forest.hypotheses(), peer.estimators_, strict=True):
        np.testing.assert_array_equal(tree(rows).argmax(axis=1), grown.predict(codes).astype(int))


@pytest.mark.parametrize(
    ("n_classes", "levels", "least"), [(2, 40, 3), (4, 200, 1), (3, 3, 2), (2, 1, 1)]
)
def test_the_forest_is_that_of_scikit_learn(n_classes, levels, least):
    """Many rows and features are alike, some weigh nothing; all weights are dyadic."""
    rng = np.random.default_rng(levels)
    X = np.minimum(rng.integers(0, levels, (150, 5)), rng.integers(1, levels + 1, 5)).astype(float)
    y = (X[:, 0] > levels / 2) + rng.integers(0, n_classes - 1, 150)
    y[:n_classes] = np.arange(n_classes)
    weights = rng.integers(0, 5, 150) / 4
    bins = BinnedMatrix.from_data(X)
    codes = bins.codes.T.astype(np.float32)
    forest = BinnedForest(8, min_samples_leaf=least, random_state=3).fit(bins, y, weights)
    peer = ExtraTreesClassifier(8, min_samples_leaf=least, random_state=3).fit(codes, y, weights)
    np.testing.assert_array_equal(forest.predict_proba(bins), peer.predict_proba(codes))
    for ours, theirs in zip(forest.trees_, (tree.tree_ for tree in peer.estimators_), strict=True):
        inner = theirs.children_left >= 0
        np.testing.assert_array_equal(ours.nodes[inner, 0], theirs.feature[inner])
        np.testing.assert_array_equal(ours.nodes[inner, 1], np.floor(theirs.threshold[inner]))
        np.testing.assert_array_equal(ours.nodes[:, 2], theirs.children_left)
        np.testing.assert_array_equal(ours.weight, theirs.weighted_n_node_samples)
        np.testing.assert_array_equal(ours.impurity, theirs.impurity)


def test_a_soft_row_is_one_row_of_weight_one():
    labels, trust = np.array([0, 1, 2]), np.array([0.99, 0.3, 0.6])
    belief = np.array([[0.9, 0.05, 0.05], [0.1, 0.3, 0.6], [0.3, 0.1, 0.6]])
    soft = soft_rows(labels, trust, belief)
    np.testing.assert_allclose(np.bincount(soft.rows, soft.weights), 1.0)
    assert soft.labels.tolist() == [0, 1, 2, 2, 0]
    assert soft.among(np.array([1])).labels.tolist() == [1, 2]


@pytest.mark.parametrize("scale", [1 / 1024, 1024.0])
def test_a_common_factor_of_the_weights_changes_nothing(scale, crossed):
    """Weights may sum to one; powers of two leave their bits alone."""
    X, _, labels = crossed
    plain = RobustBoostClassifier(model="committee", cv=2).fit(X[:128], labels[:128])
    weights = np.full(128, scale)
    weighed = RobustBoostClassifier(model="committee", cv=2)
    weighed.fit(X[:128], labels[:128], sample_weight=weights)
    np.testing.assert_array_equal(weighed.predict_proba(X), plain.predict_proba(X))


def test_binned_rows_will_do(crossed):
    """There are no lines on bins, but trees are the same."""
    X, y, labels = crossed
    bins = BinnedMatrix.from_data(X[:150])
    model = RobustBoostClassifier(model="committee", cv=2).fit(bins, labels[:150])
    assert (model.predict(bins) == y[:150]).mean() > 0.75


def test_bad_input(noisy):
    X, labels, _, _ = noisy
    with pytest.raises(ValueError, match="policy: got 'burn'"):
        RobustBoostClassifier(policy="burn").fit(X, labels)


# -- weights of classes --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def uneven():
    """One row in six is positive, and classes overlap."""
    rng = np.random.default_rng(0)
    y = np.arange(150) % 6 == 0
    return rng.normal(size=(150, 3)) + 1.2 * y[:, None], np.where(y, "rare", "common")


@pytest.mark.slow
@pytest.mark.parametrize("model", ["committee", "soft-margin"])
def test_weights_of_classes_count(model, uneven):
    X, y = uneven
    named = RobustBoostClassifier(model=model, cv=2, class_weight={"rare": 5.0}).fit(X, y)
    weights = np.where(y == "rare", 5.0, 1.0)
    weighed = RobustBoostClassifier(model=model, cv=2).fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(named.predict_proba(X), weighed.predict_proba(X), atol=1e-9)
    assert (named.predict(X) == "rare").mean() > 0.1


@pytest.mark.slow
def test_a_soft_margin_with_weights_of_classes_is_verified(uneven):
    X, y = uneven
    model = RobustBoostClassifier(model="soft-margin", cv=2, class_weight="balanced").fit(X, y)
    assert model.certified_
    assert verify(model, X, y).holds


def test_a_class_most_of_whose_labels_are_wrong_is_learnt():
    """60 % of the labels of one class are wrong: its rows still lie apart."""
    X, y = twonorm(400)
    labels, flipped = plant_flips(y, 0.3, "class-conditional", seed=1)
    model = RobustBoostClassifier().fit(X, labels)
    X_test, y_test = twonorm(2000, seed=9)
    assert model.score(X_test, y_test) > 0.85
    assert model.trust_[flipped].mean() < 0.4 < 0.8 < model.trust_[~flipped].mean()


@pytest.mark.parametrize(("kind", "told"), [("uniform", False), ("class-conditional", True)])
def test_in_large_tables_the_forest_learns_from_the_labels_as_given(kind, told):
    """Unless each class has a noise of its own."""
    X, y = twonorm(FEW_ROWS + 1)
    labels, _ = plant_flips(y, 0.3, kind, seed=1)
    model = RobustBoostClassifier(model="committee").fit(X, labels)
    given = forest(len(y), n_trees=FOREST_TREES).fit(BinnedMatrix.from_data(X), labels)
    grown = model.model_.runs[0].ensemble.members[-FOREST_TREES:]
    same = [np.array_equal(a(X), b(X)) for a, b in zip(grown, given.hypotheses(), strict=True)]
    assert not any(same) if told else all(same)


def test_a_rare_class_is_known_whatever_rows_are_drawn():
    """Above 20,000 rows the forest and the linear voter learn from some of them."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40_000, 3))
    y = (X[:, 0] > 0).astype(int)
    y[1:3] = 2
    model = RobustBoostClassifier().fit(X, y)
    assert model.predict_proba(X[:10]).shape == (10, 3)
    assert (y[some_of_all(y, 50)] == 2).sum() == 2


@pytest.mark.parametrize("seed", range(3))
def test_a_class_that_is_flagged_altogether_is_not_relabelled_away(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(90, 3))
    y = 2 * (X[:, 0] > 0)
    y[rng.choice(90, 2, replace=False)] = 1
    model = RobustBoostClassifier(policy="relabel").fit(X, y)
    assert model.predict_proba(X).shape == (90, 3)


def test_many_categories_make_no_large_file(tmp_path):
    rng = np.random.default_rng(1)
    n_rows, n_levels = 1500, 1000
    code, number, effect = (
        rng.integers(0, n_levels, n_rows),
        rng.normal(size=n_rows),
        rng.normal(size=n_levels),
    )
    y = (number + effect[code] + 0.5 * rng.normal(size=n_rows) > 0).astype(int)
    X = pd.DataFrame({"number": number, "code": pd.Categorical(code.astype(str))})
    model = RobustBoostClassifier().fit(X, y)
    model.save(tmp_path / "model.json")
    assert (tmp_path / "model.json").stat().st_size < 10_000_000
    again = marginboost.load(tmp_path / "model.json")
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


def test_a_forest_joins_rare_categories():
    """Trees on values say what trees on codes say, for frequent, rare and missing categories."""
    rng = np.random.default_rng(0)
    code = np.minimum(rng.geometric(0.02, 2000), 200)
    X = pd.DataFrame({"code": pd.Categorical(code), "number": rng.normal(size=2000)})
    X.loc[::17, "code"] = None
    y = ((code % 7 < 3) ^ (rng.random(2000) < 0.1)).astype(int)
    bins = BinnedMatrix.from_data(X)
    forest = BinnedForest(5, min_samples_leaf=1).fit(bins, y)
    rows = bins.dense(0, 2000)
    lead = np.mean([tree(rows) for tree in forest.hypotheses()], axis=0)
    shares = forest.predict_proba(bins)
    np.testing.assert_allclose(lead, shares[:, 1] - shares[:, 0], atol=1e-12)
    longest = max(
        node["last"] - node["first"] for tree in forest.hypotheses() for node in tree.nodes
    )
    assert longest < MOST_LEVELS
