"""explain(): a stump ensemble is a sum of step functions, exactly."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.tree import DecisionTreeClassifier

from marginboost import (
    AdaBoostClassifier,
    ArcGVClassifier,
    BaggedVoteClassifier,
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
    parts = model.explain().contributions(X)
    assert parts.shape == (400, 4)
    np.testing.assert_allclose(parts.sum(axis=1), model.decision_function(X), atol=1e-12)
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
    np.testing.assert_array_equal(step.levels, [-1.0, 1.0, 1.0])
    np.testing.assert_array_equal(
        model.explain().contributions([[1.5], [1.6], [np.nan]]), [[-1.0], [1.0], [1.0]]
    )


def test_importance_is_the_range_of_a_shape(rows):
    X, y = rows
    model = AdaBoostClassifier(n_estimators=40).fit(X, y)
    explanation = model.explain()
    for name, reach in explanation.importance().items():
        levels = explanation.shapes[name].levels[:-1]
        assert reach == levels.max() - levels.min()
    assert max(explanation.importance(), key=explanation.importance().get) == "x"


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
    np.testing.assert_allclose(expected.sum(axis=1), model.decision_function(X), atol=1e-12)
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
        TypeError, match=rf"explain: only stump ensembles are sums .*'{name}'\] hypotheses"
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
