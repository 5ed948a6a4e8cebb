"""explain(): a model of stumps is an intercept and a sum of step functions, exactly."""

from itertools import pairwise

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.tree import DecisionTreeClassifier

import marginboost
from marginboost import (
    AdaBoostClassifier,
    AdaBoostM2Classifier,
    AdaBoostMHClassifier,
    ArcGVClassifier,
    BaggedVoteClassifier,
    GradientBoostClassifier,
    GradientBoostRegressor,
    LabelTreeOracle,
    SAMMEClassifier,
    SoftmaxBoostClassifier,
    StumpOracle,
    TreeOracle,
)


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    n = 400
    X = pd.DataFrame(
        {"x": rng.normal(size=n), "z": rng.normal(size=n), "noise": rng.normal(size=n)}
    )
    X["colour"] = pd.Categorical(rng.choice(["red", "green", "blue", "white"], size=n))
    hidden = rng.random((n, 4)) < 0.1
    X = X.mask(hidden)
    lift = X["colour"].isin(["red", "blue"]).to_numpy()
    noise = rng.normal(size=n)
    y = X["x"].fillna(0) + X["z"].isna() + lift + 0.5 * noise > 0.6
    return X, y.to_numpy()


@pytest.mark.parametrize(
    "model",
    [
        AdaBoostClassifier(n_estimators=80),
        AdaBoostClassifier(StumpOracle("partition"), n_estimators=80),
        AdaBoostClassifier(n_estimators=300, max_bins=None),
        ArcGVClassifier(n_estimators=50, monotone=False),
        BaggedVoteClassifier(random_state=0),
    ],
    ids=["equality", "partition", "exact bins", "Arc-GV", "bagging"],
)
def test_contributions_sum_to_the_vote(rows, model):
    X, y = rows
    model.fit(X, y)
    explained = model.explain()
    parts = explained.contributions(X)
    assert parts.shape == (400, 4)
    votes = model.decision_function(X)
    np.testing.assert_allclose(explained.intercept + parts.sum(axis=1), votes, atol=1e-12)
    np.testing.assert_allclose(parts.mean(axis=0), 0.0, atol=1e-12)
    assert explained.intercept == pytest.approx(votes.mean(), abs=1e-12)
    used = {stump.feature for stump in model.estimators_}
    assert set(np.flatnonzero(np.abs(parts).sum(axis=0))) <= used


def test_a_contribution_is_the_share_of_its_features_stumps(rows):
    X, y = rows
    model = AdaBoostClassifier(StumpOracle("partition"), n_estimators=60).fit(X, y)
    parts = model.explain().contributions(X)
    dense = np.column_stack(
        [X["x"], X["z"], X["noise"], X["colour"].map({"blue": 0, "green": 1, "red": 2, "white": 3})]
    ).astype(float)
    expected = np.zeros_like(parts)
    for weight, stump in zip(model.estimator_weights_, model.estimators_, strict=True):
        expected[:, stump.feature] += weight * stump(dense)
    expected /= np.abs(model.estimator_weights_).sum()
    expected -= expected.mean(axis=0)
    np.testing.assert_allclose(parts, expected, atol=1e-12)
    assert (np.abs(expected).sum(axis=0) > 0).all()


def test_shapes_have_the_thresholds_of_the_stumps(rows):
    X, y = rows
    model = AdaBoostClassifier(n_estimators=80).fit(X, y)
    explanation = model.explain()
    assert explanation.names == ["x", "z", "noise", "colour"]
    for j, name in enumerate(explanation.names[:3]):
        cuts = {
            s.threshold for s in model.estimators_ if s.feature == j and np.isfinite(s.threshold)
        }
        if name not in explanation.shapes:
            assert not cuts
            continue
        step = explanation.shapes[name]
        assert step.feature == j
        np.testing.assert_array_equal(step.thresholds, sorted(cuts))
        assert len(step.levels) == len(cuts) + 2  # one more piece than cuts, and missing
    assert {"x", "colour"} <= set(explanation.shapes)
    assert explanation.categories[3].tolist() == ["blue", "green", "red", "white"]
    assert explanation.categories[:3] == [None, None, None]


def test_levels_left_right_and_missing_of_one_stump():
    X = np.array([[0.0], [1.0], [2.0], [3.0], [np.nan]])
    model = AdaBoostClassifier(n_estimators=1).fit(X, [0, 0, 1, 1, 1])
    step = model.explain().shapes["x0"]
    np.testing.assert_array_equal(step.thresholds, [1.5])
    np.testing.assert_allclose(step.levels, [-1.2, 0.8, 0.8])
    assert model.explain().intercept == pytest.approx(0.2)
    np.testing.assert_allclose(
        model.explain().contributions([[1.5], [1.6], [np.nan]]), [[-1.2], [0.8], [0.8]]
    )


@pytest.mark.parametrize("oracle", [None, TreeOracle(max_depth=1)], ids=["stumps", "trees"])
def test_importance_is_the_mean_size_of_contributions_over_the_training_rows(rows, oracle):
    X, y = rows
    weight = np.random.default_rng(2).integers(0, 4, len(X))
    model = AdaBoostClassifier(oracle, n_estimators=40).fit(X, y, sample_weight=weight)
    explanation = model.explain()
    parts = explanation.contributions(X)
    np.testing.assert_allclose(np.average(parts, axis=0, weights=weight), 0.0, atol=1e-12)
    size = np.average(np.abs(parts), axis=0, weights=weight)
    np.testing.assert_allclose(model.feature_importances_, size / size.sum(), atol=1e-12)
    by_name = dict(zip(X.columns, model.feature_importances_, strict=True))
    assert explanation.importance() == {n: by_name[n] for n in explanation.importance()}
    assert next(iter(explanation.importance())) == "x"


def test_weights_are_copies_in_an_explanation(rows):
    X, y = rows
    weight = np.random.default_rng(3).integers(1, 4, len(X))
    weighed = AdaBoostClassifier(n_estimators=20).fit(X, y, sample_weight=weight)
    copied = AdaBoostClassifier(n_estimators=20).fit(
        X.loc[X.index.repeat(weight)], np.repeat(y, weight)
    )
    ours, theirs = weighed.explain(), copied.explain()
    assert ours.intercept == pytest.approx(theirs.intercept)
    np.testing.assert_allclose(ours.contributions(X), theirs.contributions(X), atol=1e-9)


@pytest.mark.parametrize(
    "model",
    [
        AdaBoostClassifier(TreeOracle(max_depth=1), n_estimators=30),
        GradientBoostClassifier(n_estimators=30, max_depth=1),
        GradientBoostRegressor(n_estimators=30, max_depth=1),
    ],
    ids=["AdaBoost", "gradient boosting", "regression"],
)
def test_trees_of_depth_one_are_explained_like_stumps(rows, model):
    X, y = rows
    model.fit(X, y.astype(float) if "Regressor" in type(model).__name__ else y)
    explained = model.explain()
    parts = explained.contributions(X)
    classes = hasattr(model, "classes_")
    votes = model.decision_function(X) if classes else model.predict(X)
    np.testing.assert_allclose(explained.intercept + parts.sum(axis=1), votes, atol=1e-12)
    np.testing.assert_allclose(parts.mean(axis=0), 0.0, atol=1e-12)
    found = model.shap_values(X, X, max_background=len(X))
    scale = model.ensemble_.l1_norm if classes else 1.0
    np.testing.assert_allclose(parts * scale, found.values, atol=1e-9)


@pytest.mark.parametrize(
    "model",
    [
        AdaBoostMHClassifier(LabelTreeOracle(max_depth=1, answers="set"), n_estimators=8),
        AdaBoostMHClassifier(LabelTreeOracle(max_depth=1), n_estimators=8),
        SAMMEClassifier(LabelTreeOracle(max_depth=1), n_estimators=8),
        AdaBoostM2Classifier(LabelTreeOracle(max_depth=1), n_estimators=8),
        SoftmaxBoostClassifier(n_estimators=8, max_depth=1),
    ],
    ids=["sets of labels", "single labels", "SAMME", "pairs", "a tree per class"],
)
def test_labels_answered_at_once_have_a_sum_of_shapes_each(rows, model, tmp_path):
    X, y = rows
    model.fit(X, np.digitize(X["x"].fillna(0.0) + 0.3 * y, [-0.5, 0.4]))
    explained, votes = model.explain(), model.decision_function(X)
    assert len(explained) == 3
    scores = model.model_.scores(model.model_.read_rows(X))
    shapley = model.shap_values(X, X, max_background=len(X)).values
    for k, explanation in enumerate(explained):
        parts = explanation.contributions(X)
        np.testing.assert_allclose(
            explanation.intercept + parts.sum(axis=1), votes[:, k], atol=1e-12
        )
        np.testing.assert_allclose(parts.mean(axis=0), 0.0, atol=1e-12)
        scale = model.ensemble_.l1_norm
        np.testing.assert_allclose(parts * scale, shapley[:, :, k], atol=1e-9)
        np.testing.assert_allclose(scores[:, k] / scale, votes[:, k], atol=1e-12)
    sizes = [np.abs(explanation.contributions(X)).mean(axis=0) for explanation in explained]
    shares = np.sum([size / size.sum() for size in sizes], axis=0) / 3
    np.testing.assert_allclose(model.feature_importances_, shares, atol=1e-9)
    model.save(tmp_path / "model.json")
    again = marginboost.load(tmp_path / "model.json").explain()
    for here, there in zip(explained, again, strict=True):
        np.testing.assert_array_equal(here.contributions(X), there.contributions(X))


def test_where_the_training_rows_lie(rows):
    X, y = rows
    known = AdaBoostClassifier(n_estimators=40).fit(X, y).explain().background
    along = known[0]
    assert (along.low, along.high) == (X["x"].min(), X["x"].max())
    ends = np.concatenate([[-np.inf], along.cuts, [np.inf]])
    counts = [((X["x"] > a) & (X["x"] <= b)).mean() for a, b in pairwise(ends)]
    np.testing.assert_allclose(along.shares, [*counts, X["x"].isna().mean()], atol=1e-12)
    assert len(along.cuts) >= 19
    kinds = X["colour"].value_counts().sort_index().to_numpy()
    np.testing.assert_allclose(
        known[3].shares, [*(kinds / len(X)), 0.0, X["colour"].isna().mean()], atol=1e-12
    )


def test_unseen_categories_contribute_as_missing(rows):
    X, y = rows
    model = AdaBoostClassifier(StumpOracle("partition"), n_estimators=40).fit(X, y)
    new = pd.DataFrame({"x": [0.0, 0.0], "z": [0.0, 0.0], "noise": [0.0, 0.0]})
    new["colour"] = pd.Categorical(["pink", None], ["pink"])
    with pytest.warns(UserWarning, match=r"column 'colour' has 1 rows with categories not seen"):
        parts = model.explain().contributions(new)
    np.testing.assert_array_equal(parts[0], parts[1])


def test_contributions_of_every_kind_of_input():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(80, 3))
    y = X[:, 0] * X[:, 1] + X[:, 2] > 0
    model = AdaBoostClassifier(n_estimators=20).fit(X, y)
    explanation = model.explain()
    expected = explanation.contributions(X)
    votes = explanation.intercept + expected.sum(axis=1)
    np.testing.assert_allclose(votes, model.decision_function(X), atol=1e-12)
    names = ["x0", "x1", "x2"]
    for other in (
        X.tolist(),
        sparse.csr_matrix(X),
        pd.DataFrame(X, columns=names),
        pl.DataFrame(X, schema=names),
    ):
        np.testing.assert_array_equal(explanation.contributions(other), expected)


@pytest.mark.parametrize(
    ("estimator", "name"), [(DecisionTreeClassifier(max_depth=1), "Fitted"), (TreeOracle(), "Tree")]
)
def test_models_that_are_no_sums_of_stumps(rows, estimator, name):
    X, y = rows
    model = AdaBoostClassifier(estimator, n_estimators=3).fit(X, y)
    with pytest.raises(
        TypeError, match=rf"explain: only models of stumps, .*'{name}'\] hypotheses"
    ):
        model.explain()


def test_columns_in_another_order_are_refused(rows):
    X, y = rows
    explanation = AdaBoostClassifier(n_estimators=20).fit(X, y).explain()
    with pytest.raises(ValueError, match="order"):
        explanation.contributions(X[["z", "x", "noise", "colour"]])


def test_too_few_columns_are_refused(rows):
    X, y = rows
    explanation = AdaBoostClassifier(n_estimators=20).fit(X, y).explain()
    with pytest.raises(ValueError, match="features"):
        explanation.contributions(X[["x"]])
