"""Where the training rows lie along the features of a model, counted anew row by row."""

import numpy as np
import pandas as pd
import pytest

from marginboost import AdaBoostClassifier, BinnedMatrix, GradientBoostClassifier
from marginboost.model.background import Distribution
from marginboost.oracles.stumps import StepFunction


def table(n=400, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "a": rng.normal(size=n).round(2),
            "b": rng.integers(0, 4, n).astype(float),
            "kind": pd.Categorical(rng.choice(["x", "y", "z"], n)),
        }
    )
    X.loc[rng.random(n) < 0.1, "a"] = np.nan
    X.loc[rng.random(n) < 0.1, "kind"] = None
    y = (np.nan_to_num(X["a"]) + (X["kind"] == "x") + 0.3 * X["b"] + rng.normal(size=n) > 1).astype(
        int
    )
    return X, y, rng.integers(0, 4, n).astype(float)


def values_of(X, feature):
    """A column as numbers: codes of categories, NaN where there is none."""
    column = X.iloc[:, feature]
    if isinstance(column.dtype, pd.CategoricalDtype):
        codes = column.cat.codes.to_numpy().astype(float)
        return np.where(codes < 0, np.nan, codes)
    return column.to_numpy()


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("max_bins", [256, 6, 900])
def test_shares_are_those_of_the_rows(weighted, max_bins):
    """Between the cuts, and of missing values; ends are the smallest and the largest value."""
    X, y, w = table()
    w = w if weighted else np.ones(len(y))
    model = AdaBoostClassifier(n_estimators=25, max_bins=max_bins).fit(X, y, w)
    background = model.model_.run.background
    assert set(background) == {0, 1, 2}
    counted = w / w.sum()
    for feature, known in background.items():
        values = values_of(X, feature)
        here = ~np.isnan(values)
        place = np.searchsorted(known.cuts, values[here], side="left")
        shares = np.bincount(place, counted[here], minlength=len(known.cuts) + 1)
        missing = counted[~here].sum()
        np.testing.assert_allclose(known.shares, [*shares, missing], atol=1e-9)
        weighing = here & (w > 0)
        assert (known.low, known.high) == (values[weighing].min(), values[weighing].max())
        if feature < 2:
            assert len(known.cuts) <= 19 + 25  # stripes, and the cuts of the model


def test_shapes_have_the_mean_0_over_the_training_rows():
    """The intercept is the mean vote, and importances are mean sizes."""
    X, y, w = table(seed=1)
    model = AdaBoostClassifier(n_estimators=25).fit(X, y, w)
    explained = model.explain()
    parts = explained.contributions(X)
    votes = model.decision_function(X)
    np.testing.assert_allclose(explained.intercept + parts.sum(axis=1), votes, atol=1e-9)
    np.testing.assert_allclose(w @ parts / w.sum(), 0.0, atol=1e-9)
    sizes = w @ np.abs(parts) / w.sum()
    expected = dict(zip(X.columns, sizes / sizes.sum(), strict=True))
    assert explained.importance() == pytest.approx(expected)
    assert list(explained.importance()) == sorted(expected, key=lambda name: -expected[name])
    trees = GradientBoostClassifier(n_estimators=5, max_leaf_nodes=2).fit(
        X, y, w
    )  # of one question
    shapes = trees.explain()
    total = shapes.intercept + shapes.contributions(X).sum(axis=1)
    np.testing.assert_allclose(total, trees.decision_function(X), atol=1e-9)
    np.testing.assert_allclose(w @ shapes.contributions(X), 0.0, atol=1e-6)


def test_of_bins_the_outermost_cuts_are_the_ends():
    X, y, _ = table(seed=2)
    bins = BinnedMatrix.from_data(X)
    model = AdaBoostClassifier(n_estimators=10).fit(bins, y)
    for feature, known in model.model_.run.background.items():
        if bins.categories[feature] is None:
            cuts = bins.cuts[feature]
            assert (known.low, known.high) == (cuts[0], cuts[-1])
        else:
            assert (known.low, known.high) == (0.0, len(bins.categories[feature]) - 1.0)


def some(**changes):
    """Ten rows: four up to 1, three up to 2, two beyond, one missing."""
    parts = {
        "low": 0.0,
        "high": 4.0,
        "cuts": np.array([1.0, 2.0]),
        "shares": np.array([0.4, 0.3, 0.2, 0.1]),
    }
    return Distribution(**{**parts, **changes})


def test_means_over_the_rows():
    """Also of step functions whose cuts lie between those that are known."""
    step = StepFunction(0, np.array([1.0]), np.array([-3.0, 2.0, 1.0]))
    assert some().levels(step).tolist() == [-3.0, 2.0, 2.0, 1.0]
    assert some().mean(step) == pytest.approx(-1.2 + 0.6 + 0.4 + 0.1)
    assert some().mean_size(step) == pytest.approx(1.2 + 0.6 + 0.4 + 0.1)


def test_how_dense_rows_lie():
    """Share by length, 1 where densest; nothing where all values are equal."""
    ends, dense = some().density()
    assert ends.tolist() == [0.0, 1.0, 2.0, 4.0]
    np.testing.assert_allclose(dense, np.array([0.4, 0.3, 0.1]) / 0.4)
    ends, dense = some(low=1.0, high=2.0).density()  # the stripe between the cuts alone
    assert ends.tolist() == [1.0, 2.0]
    assert dense.tolist() == [1.0]
    ends, dense = some(low=1.5).density()
    assert ends.tolist() == [1.5, 2.0, 4.0]
    np.testing.assert_allclose(dense, np.array([0.6, 0.1]) / 0.6)
    for low, high in ((2.0, 2.0), (float("nan"), float("nan"))):
        assert [len(part) for part in some(low=low, high=high).density()] == [0, 0]
    nobody = some(shares=np.array([0.0, 0.0, 0.0, 1.0])).density()[1]
    assert nobody.tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"cuts": np.array([1.0, 1.0])}, "ascending cuts"),
        ({"cuts": np.array([2.0, 1.0])}, "ascending cuts"),
        ({"cuts": np.array([1.0])}, "3 shares"),
        ({"shares": np.array([0.5, 0.5, 0.1, -0.1])}, "at least 0"),
        ({"shares": np.array([0.4, 0.3, 0.2, 0.2])}, "sum 1"),
        ({"shares": np.array([0.4, 0.3, 0.2, 0.0])}, "sum 1"),
    ],
)
def test_what_is_no_distribution(changes, message):
    with pytest.raises(ValueError, match=message):
        some(**changes)
    assert some(shares=np.array([0.4, 0.3, 0.3, 0.0])).shares[3] == 0.0
    rounded = np.array([0.4, 0.3, 0.2, 0.1 + 5e-7])
    assert some(shares=rounded) is not None


def test_columns_without_a_value_have_no_ends():
    X = np.column_stack([np.arange(40.0), np.full(40, np.nan)])
    X[::2, 1] = np.where(np.arange(20) % 2, 1.0, np.nan)
    y = (np.isnan(X[:, 1]) ^ (np.arange(40) % 7 == 0)).astype(int)
    model = AdaBoostClassifier(n_estimators=6).fit(X, y)
    known = model.model_.run.background[1]
    assert (known.low, known.high) == (1.0, 1.0)
    assert known.shares[-1] == pytest.approx(np.isnan(X[:, 1]).mean())
    empty = AdaBoostClassifier(n_estimators=3).fit(X[:, 1:] * np.nan, y)
    for none in empty.model_.run.background.values():
        assert np.isnan([none.low, none.high]).all()
        assert none.shares.tolist()[-1] == 1.0


@pytest.mark.parametrize("classes", [2, 3])
def test_columns_that_say_nothing_have_no_importance(classes):
    """Zero, and not the quotient of two zeros."""
    y = np.arange(30) % classes
    for model in (AdaBoostClassifier(n_estimators=2), GradientBoostClassifier(n_estimators=2)):
        found = model.fit(np.zeros((30, 2)), y).feature_importances_
        assert found.tolist() == [0.0, 0.0]
