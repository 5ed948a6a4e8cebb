"""Bad input: one test per case, with the message that the user reads."""

import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.exceptions import DataConversionWarning, NotFittedError
from sklearn.tree import DecisionTreeClassifier

from marginboost import (
    AdaBoostClassifier,
    AdaBoostStarClassifier,
    ArcGVClassifier,
    BaggedVoteClassifier,
    BinnedMatrix,
    EarlyStopping,
    LSBoostRegressor,
    MarginalAdaBoostClassifier,
    ResamplingOracle,
    StumpOracle,
    TimeBudget,
)
from marginboost.data import Table
from marginboost.estimators.classifier import BaseMarginClassifier

EVERY = sorted(BaseMarginClassifier.__registry__.values(), key=lambda make: make.__name__)
X = np.array([[0.0, 5.0], [1.0, 6.0], [2.0, 5.0], [3.0, 6.0], [4.0, 5.0], [5.0, 6.0]])
Y = np.array([0, 0, 1, 0, 1, 1])


def exactly(text):
    return re.escape(text)


# -- labels ---------------------------------------------------------------------------------------

BAD_LABELS = {
    "NaN": ([0, 0, 1, np.nan, 1, 1], "y: row 3 has no label (Input y contains NaN or None)"),
    "None": (["a", None, "b", "b", "a", "a"], "y: row 1 has no label"),
    "text and numbers": (
        np.array(["a", 1, "a", 1, 1, 1], dtype=object),
        "y: got 'a', which is text, and 1, which is not; expected labels of one kind",
    ),
    "infinity": ([0, 0, 1, np.inf, 1, 1], "y: Input y contains infinity, expected class labels"),
    "minus infinity": ([0, -np.inf, 1, 0, 1, 1], "y: Input y contains infinity"),
    "one class": ([1] * 6, "among the rows of positive weight, expected two classes or more"),
    "numbers": ([0.1, 0.2, 1.5, 0.7, 1.0, 2.2], "Unknown label type: continuous"),
    "too few": ([0, 1, 0], "y: got 3 labels for 6 rows of X"),
    "too many": ([0, 1] * 4, "y: got 8 labels for 6 rows of X"),
    "none at all": ([], "y: got 0 labels for 6 rows of X"),
    "two columns": (np.zeros((6, 2)), "y should be a 1d array, got an array of shape (6, 2)"),
    "missing": (None, "AdaBoostClassifier requires y to be passed, but the target y is None"),
    "pandas NA": (pd.Series([0, 1, 0, None, 1, 1], dtype="Int64"), "y: row 3 has no label"),
}


@pytest.mark.parametrize("case", BAD_LABELS)
def test_bad_labels(case):
    y, message = BAD_LABELS[case]
    with pytest.raises(ValueError, match=exactly(message)):
        AdaBoostClassifier().fit(X, y)


GOOD_LABELS = {
    "integers": np.array([5, -3]),
    "strings": np.array(["yes", "no"]),
    "objects": np.array(["yes", "no"], dtype=object),
    "booleans": np.array([True, False]),
    "floats": np.array([2.0, 1.0]),
    "int8": np.array([1, -1], dtype=np.int8),
    "uint8": np.array([1, 0], dtype=np.uint8),
}


@pytest.mark.parametrize("kind", GOOD_LABELS)
@pytest.mark.parametrize("container", [np.asarray, list, pd.Series, pd.Categorical, pl.Series])
def test_labels_of_every_kind(kind, container):
    pair = GOOD_LABELS[kind]
    if container is pl.Series and kind == "objects":
        pair = pair.astype(str)
    labels = pair[Y]
    given = container(labels.tolist() if container is list else labels)
    model = AdaBoostClassifier(n_estimators=20).fit(X, given)
    np.testing.assert_array_equal(model.classes_, np.unique(pair))
    predicted = model.predict(X)
    assert set(predicted) == set(pair.tolist())
    plain = AdaBoostClassifier(n_estimators=20).fit(X, labels == model.classes_[1])
    np.testing.assert_array_equal(model.decision_function(X), plain.decision_function(X))
    np.testing.assert_array_equal(predicted == model.classes_[1], plain.predict(X))


@pytest.mark.parametrize("dtype", ["boolean", "Int64", "bool[pyarrow]", "int64[pyarrow]"])
def test_labels_of_nullable_types_stay_what_they_are(dtype):
    y = pd.Series([0, 1, 0, 1, 0, 1]).astype(dtype)
    model = AdaBoostClassifier(n_estimators=2).fit(X, y)
    assert model.classes_.dtype.kind == ("b" if "bool" in dtype else "i")
    with pytest.raises(ValueError, match="row 1 has no label"):
        AdaBoostClassifier().fit(X, y.where([True, False, True, True, True, True]))


def test_a_column_of_labels_is_flattened_with_a_warning():
    with pytest.warns(DataConversionWarning, match="A column-vector y was passed"):
        model = AdaBoostClassifier().fit(X, Y[:, None])
    np.testing.assert_array_equal(
        model.decision_function(X), AdaBoostClassifier().fit(X, Y).decision_function(X)
    )


def test_one_class_after_rows_of_weight_zero_are_gone():
    with pytest.raises(ValueError, match=r"y: got one class .* among the rows of positive weight"):
        AdaBoostClassifier().fit(X, Y, sample_weight=Y)


def test_a_third_class_of_weight_zero_does_not_count():
    model = AdaBoostClassifier(n_estimators=3).fit(X, [0, 0, 1, 0, 1, 2], [1, 1, 1, 1, 1, 0])
    np.testing.assert_array_equal(model.classes_, [0, 1])


# -- rows -----------------------------------------------------------------------------------------

BAD_ROWS = {
    "one dimension": (X[:, 0], "Expected 2D array, got 1D array instead"),
    "three dimensions": (X[None], "Found array with dim 3"),
    "a number": (3.0, "Expected 2D array, got scalar array instead"),
    "no rows": (np.empty((0, 2)), "Found array with 0 sample(s)"),
    "no columns": (np.empty((6, 0)), "Found array with 0 feature(s) (shape=(6, 0))"),
    "no rows in a frame": (pd.DataFrame({"a": []}), "X: got 0 rows, expected at least 2"),
    "no columns in a frame": (
        pd.DataFrame(index=range(6)),
        "X: got 0 columns, expected at least 1",
    ),
    "infinity": (np.where(X == 6, np.inf, X), "Input X contains infinity"),
    "infinity in sparse": (sparse.csr_matrix(np.where(X == 6, -np.inf, X)), "contains infinity"),
    "infinity in a frame": (
        pd.DataFrame({"a": X[:, 0], "b": np.where(X[:, 1] == 6, np.inf, 0)}),
        "X: column 'b' holds infinity; expected finite numbers or NaN",
    ),
    "strings": (np.array([["a", "b"]] * 6), "X: could not convert 'a' to a number"),
    "objects": (np.array([[1.0, "b"]] * 6, dtype=object), "could not convert 'b' to a number"),
    "numbers as text in a frame": (
        pd.DataFrame({"a": X[:, 0], "b": ["7"] * 6}),
        "X: column 'b' is not numeric (numbers as text, such as '7'); expected numbers, text or a "
        "categorical type, for example pandas: X['b'].astype('category'), or pd.to_numeric(X['b'])",
    ),
    "one string in a column of numbers": (
        pd.DataFrame({"a": X[:, 0], "b": pd.Series([1, 2, "x", 4, 5, 6], dtype=object)}),
        "X: column 'b' is not numeric (could not convert string to float: 'x')",
    ),
    "complex": (X + 1j, "Complex data not supported"),
    "fewer rows than labels": (X[:4], "y: got 6 labels for 4 rows of X"),
    "more rows than labels": (np.vstack([X, X]), "y: got 6 labels for 12 rows of X"),
}


@pytest.mark.parametrize("case", BAD_ROWS)
def test_bad_rows(case):
    rows, message = BAD_ROWS[case]
    with pytest.raises(ValueError, match=exactly(message)):
        AdaBoostClassifier().fit(rows, Y)


DATES = np.array([["2020-01-01", "2021-01-01"]] * 6, dtype="datetime64[D]")


@pytest.mark.parametrize(
    "rows",
    [
        DATES,
        DATES - DATES.min(),
        DATES.astype(object).astype("datetime64[D]").tolist(),
        [[np.datetime64("2020"), 1.0]] * 6,
        np.array([[np.timedelta64(5, "s"), 1.0]] * 6, dtype=object),
        np.ma.masked_array(DATES, mask=False),
    ],
    ids=["dates", "times", "Python's dates", "in lists", "in objects", "masked"],
)
def test_dates_are_not_numbers(rows):
    """As in data frames: the number that a date is stored as depends on its unit."""
    model = AdaBoostClassifier(n_estimators=2).fit(X, Y)
    for read in (lambda: AdaBoostClassifier().fit(rows, Y), lambda: model.predict(rows)):
        with pytest.raises((ValueError, TypeError), match=r"dates or times|datetime\.date"):
            read()
    with pytest.raises((ValueError, TypeError), match=r"dates or times|datetime\.date"):
        BinnedMatrix.from_data(rows)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.uint8])
def test_masked_values_are_missing(dtype):
    rows = np.array([[1, 5], [1, 6], [2, 5], [3, 6], [4, 5], [5, 6]], dtype=dtype)
    mask = np.zeros(rows.shape, dtype=bool)
    mask[[0, 3, 5], [0, 0, 1]] = True
    missing = np.where(mask, np.nan, rows.astype(np.float64))
    masked = np.ma.masked_array(rows, mask)
    model, expected = (AdaBoostClassifier(n_estimators=4).fit(r, Y) for r in (masked, missing))
    assert model.estimators_ == expected.estimators_
    votes = expected.decision_function(missing)
    np.testing.assert_array_equal(model.decision_function(masked), votes)
    binned = BinnedMatrix.from_data(masked)
    np.testing.assert_array_equal(binned.codes, BinnedMatrix.from_data(missing).codes)
    np.testing.assert_array_equal(model.decision_function(binned.bin(masked)), votes)


def test_masked_labels_targets_and_weights_are_refused():
    masked = np.ma.masked_array(Y, mask=[0, 0, 1, 0, 0, 0])
    for read in (
        lambda: AdaBoostClassifier().fit(X, masked),
        lambda: LSBoostRegressor().fit(X, masked),
        lambda: AdaBoostClassifier().fit(X, Y, sample_weight=masked),
    ):
        with pytest.raises(ValueError, match="row 2 is masked, expected a value for every row"):
            read()
    with pytest.raises(ValueError, match="y: got dates or times"):
        LSBoostRegressor().fit(X, DATES[:, 0])
    with pytest.raises(ValueError, match="sample_weight: got dates or times"):
        AdaBoostClassifier().fit(X, Y, sample_weight=DATES[:, 0] - DATES[0, 0])


def test_rows_at_predict():
    model = AdaBoostClassifier(n_estimators=3).fit(X, Y)
    for method in (model.predict, model.decision_function, model.predict_proba):
        with pytest.raises(ValueError, match="X has 3 features, but AdaBoostClassifier is expect"):
            method(np.zeros((2, 3)))
        with pytest.raises(ValueError, match="Input X contains infinity"):
            method([[np.inf, 0.0]])
        with pytest.raises(ValueError, match="Expected 2D array"):
            method([0.0, 1.0])
        assert len(method([[np.nan, np.nan]])) == 1
    with pytest.raises(ValueError, match=r"y: got label .*7.*, expected one of"):
        model.margins(X, [0, 1, 0, 1, 0, 7])


def test_a_frame_of_no_rows_at_predict():
    model = AdaBoostClassifier(n_estimators=3).fit(pd.DataFrame(X, columns=["a", "b"]), Y)
    assert model.predict(pd.DataFrame({"a": [], "b": []}, dtype=float)).shape == (0,)


FRAMES = {"pandas": pd.DataFrame, "polars": pl.DataFrame}


@pytest.mark.parametrize("kind", FRAMES)
def test_features_by_name(kind):
    data = {"a": X[:, 0], "b": X[:, 1]}
    model = AdaBoostClassifier(n_estimators=3).fit(FRAMES[kind](data), Y)
    np.testing.assert_array_equal(model.feature_names_in_, ["a", "b"])
    with pytest.raises(ValueError, match="Feature names must be in the same order as they were"):
        model.predict(FRAMES[kind]({"b": X[:, 1], "a": X[:, 0]}))
    with pytest.raises(ValueError, match=r"Feature names unseen at fit time:\n- c\n"):
        model.predict(FRAMES[kind]({"a": X[:, 0], "c": X[:, 1]}))
    with pytest.raises(ValueError, match=r"Feature names seen at fit time, yet now missing:\n- b"):
        model.predict(FRAMES[kind]({"a": X[:, 0]}))
    with pytest.warns(UserWarning, match="X does not have valid feature names, but AdaBoost"):
        model.predict(X)


def test_names_after_a_fit_without():
    model = AdaBoostClassifier(n_estimators=3).fit(X, Y)
    with pytest.warns(UserWarning, match="X has feature names, but AdaBoostClassifier was fitted"):
        model.predict(pd.DataFrame(X, columns=["a", "b"]))


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        ([2], "categorical_features: got 2, expected a column name or a number below 2"),
        ([-1], "categorical_features: got -1, expected a column name or a number below 2"),
        (["c"], "categorical_features: got 'c', expected a column name"),
        ([True, False], "categorical_features: got True, expected a column name"),
        ([0.5], "categorical_features: got 0.5, expected a column name"),
        ("from_type", "categorical_features: got 'from_type', expected a column name"),
    ],
)
def test_categorical_features_that_are_not_there(chosen, message):
    frame = pd.DataFrame(X, columns=["a", "b"])
    with pytest.raises(ValueError, match=exactly(message)):
        AdaBoostClassifier(categorical_features=chosen).fit(frame, Y)


def test_unseen_categories_warn():
    frame = pd.DataFrame({"a": pd.Categorical(["u", "v", "u", "v", "u", "w"])})
    model = AdaBoostClassifier(n_estimators=3).fit(frame, Y)
    with pytest.warns(
        UserWarning,
        match=exactly(
            "X: column 'a' has 1 rows with categories not seen in fit (z); they count as missing"
        ),
    ):
        votes = model.decision_function(pd.DataFrame({"a": pd.Categorical(["u", "z"])}))
    missing = model.decision_function(pd.DataFrame({"a": pd.Categorical([None], ["u"])}))
    assert votes[1] == missing[0]


# -- weights --------------------------------------------------------------------------------------

BAD_WEIGHTS = {
    "too few": (
        [1.0, 2.0],
        "sample_weight: got shape (2,), expected one weight for each of 6 rows",
    ),
    "two columns": (np.ones((6, 1)), "sample_weight: got shape (6, 1), expected one weight"),
    "NaN": ([1, 1, np.nan, 1, 1, 1], "sample_weight: got NaN or infinity, expected finite numbers"),
    "infinity": ([1, 1, np.inf, 1, 1, 1], "sample_weight: got NaN or infinity"),
    "negative": (
        [1, 1, 1, -0.5, 1, 1],
        "sample_weight: got a negative weight in row 3, expected nonnegative numbers",
    ),
    "all zero": (np.zeros(6), "sample_weight: got only zeros, expected at least one positive"),
    "scalar zero": (0.0, "sample_weight: got only zeros"),
    "scalar negative": (-1.0, "sample_weight: got a negative weight in row 0"),
    "text": (["a"] * 6, "could not convert string to float"),
}


@pytest.mark.parametrize("case", BAD_WEIGHTS)
@pytest.mark.parametrize("binned", [False, True])
def test_bad_weights(case, binned):
    weights, message = BAD_WEIGHTS[case]
    rows = BinnedMatrix.from_table(Table(X, ["a", "b"])) if binned else X
    with pytest.raises(ValueError, match=exactly(message)):
        AdaBoostClassifier().fit(rows, Y, sample_weight=weights)


@pytest.mark.parametrize("weights", [3.0, np.float32(2), [2] * 6, pd.Series([0.1] * 6)])
def test_equal_weights_are_no_weights(weights):
    model = AdaBoostClassifier(n_estimators=6).fit(X, Y, sample_weight=weights)
    plain = AdaBoostClassifier(n_estimators=6).fit(X, Y)
    np.testing.assert_array_equal(model.estimator_weights_, plain.estimator_weights_)


@pytest.mark.parametrize("scale", [1e-300, 1e300])
def test_only_proportions_of_weights_count(scale):
    weights = np.array([1.0, 2.0, 3.0, 1.0, 2.0, 3.0])
    model = AdaBoostClassifier(n_estimators=6).fit(X, Y, sample_weight=scale * weights)
    plain = AdaBoostClassifier(n_estimators=6).fit(X, Y, sample_weight=weights)
    np.testing.assert_allclose(model.estimator_weights_, plain.estimator_weights_, rtol=1e-10)


# -- settings -------------------------------------------------------------------------------------

COMMON = [
    ("n_estimators", 0, ValueError, "n_estimators: got 0, expected an integer at least 1"),
    ("n_estimators", -3, ValueError, "n_estimators: got -3, expected an integer at least 1"),
    ("n_estimators", 1.5, TypeError, "n_estimators: got 1.5, expected an integer at least 1"),
    ("n_estimators", "10", TypeError, "n_estimators: got '10', expected an integer"),
    ("n_estimators", True, TypeError, "n_estimators: got True, expected an integer"),
    ("max_bins", 1, ValueError, "max_bins: got 1, expected an integer at least 2"),
    ("max_bins", 2.0, TypeError, "max_bins: got 2.0, expected an integer at least 2"),
    ("max_bins", "all", TypeError, "max_bins: got 'all', expected an integer at least 2"),
    ("n_jobs", 0, ValueError, "n_jobs: got 0, expected None, a positive integer, or -1 for all"),
    ("n_jobs", "2", TypeError, "n_jobs: got '2', expected None, a positive integer, or -1"),
    ("n_jobs", 1.5, TypeError, "n_jobs: got 1.5, expected None, a positive integer, or -1"),
    ("random_state", "seed", ValueError, "random_state: got 'seed', expected None"),
    ("callbacks", [3], TypeError, "callbacks: got 3, expected Callback objects"),
    ("callbacks", [TimeBudget], TypeError, "expected Callback objects"),
    ("callbacks", [None], TypeError, "callbacks: got None, expected Callback objects"),
    ("estimator", 3, TypeError, "estimator: got 3, expected None, an Oracle such as StumpOracle()"),
    ("estimator", StumpOracle, TypeError, "estimator: got <class"),
    ("estimator", "stump", TypeError, "estimator: got 'stump', expected None, an Oracle"),
    (
        "estimator",
        StumpOracle("best"),
        ValueError,
        "categorical: got 'best', expected one of 'equality', 'partition'",
    ),
]


@pytest.mark.parametrize("make", EVERY)
@pytest.mark.parametrize(("name", "value", "error", "message"), COMMON)
def test_common_settings_out_of_range(make, name, value, error, message):
    with pytest.raises(error, match=exactly(message)):
        make(**{name: value}).fit(X, Y)


OWN = [
    (AdaBoostClassifier, "learning_rate", 0, ValueError, "expected a number above 0"),
    (AdaBoostClassifier, "learning_rate", -1.0, ValueError, "expected a number above 0"),
    (AdaBoostClassifier, "learning_rate", np.inf, ValueError, "got inf, expected a number above"),
    (AdaBoostClassifier, "learning_rate", "1", TypeError, "got '1', expected a number above 0"),
    (AdaBoostClassifier, "target_margin", 1, ValueError, "a number above -1 and below 1"),
    (AdaBoostClassifier, "target_margin", -1.0, ValueError, "a number above -1 and below 1"),
    (AdaBoostClassifier, "target_margin", np.nan, ValueError, "got nan, expected a number"),
    (AdaBoostClassifier, "target_margin", [], ValueError, "got an empty sequence, expected at"),
    (AdaBoostClassifier, "target_margin", "0.1", TypeError, "expected a number above -1"),
    (AdaBoostClassifier, "step", "big", ValueError, "got 'big', expected one of 'exact', 'closed'"),
    (AdaBoostClassifier, "sampling", "draw", ValueError, "expected one of 'reweight', 'resample'"),
    (AdaBoostClassifier, "tol", -0.1, ValueError, "got -0.1, expected a number at least 0"),
    (AdaBoostClassifier, "tol", "0", TypeError, "got '0', expected a number at least 0"),
    (ArcGVClassifier, "tol", -1, ValueError, "got -1, expected a number at least 0"),
    (AdaBoostStarClassifier, "accuracy", 0.0, ValueError, "a number above 0 and below 1"),
    (AdaBoostStarClassifier, "accuracy", 1, ValueError, "a number above 0 and below 1"),
    (AdaBoostStarClassifier, "accuracy", None, TypeError, "got None, expected a number"),
    (AdaBoostStarClassifier, "tol", np.nan, ValueError, "got nan, expected a number at least 0"),
    (MarginalAdaBoostClassifier, "epsilon", 0, ValueError, "a number above 0 and below 1"),
    (MarginalAdaBoostClassifier, "epsilon", 1.5, ValueError, "a number above 0 and below 1"),
    (MarginalAdaBoostClassifier, "search_bound", "x", ValueError, "one of 'safe', 'thesis'"),
    (MarginalAdaBoostClassifier, "tol", -1e-9, ValueError, "expected a number at least 0"),
]


@pytest.mark.parametrize(("make", "name", "value", "error", "message"), OWN)
def test_own_settings_out_of_range(make, name, value, error, message):
    with pytest.raises(error, match=f"^{name}: .*{exactly(message)}"):
        make(**{name: value}).fit(X, Y)


@pytest.mark.parametrize("make", [AdaBoostClassifier, ArcGVClassifier, BaggedVoteClassifier])
def test_no_number_of_rounds_where_one_is_needed(make):
    with pytest.raises((TypeError, ValueError), match="n_estimators: got None, expected"):
        make(n_estimators=None).fit(X, Y)


def test_a_callback_without_a_list():
    with pytest.raises(TypeError, match=r"callbacks: got .*, expected"):
        AdaBoostClassifier(callbacks=TimeBudget(1)).fit(X, Y)


@pytest.mark.parametrize("estimator", [KMeans(n_clusters=2), DecisionTreeClassifier])
def test_estimators_that_are_neither_classifier_nor_regressor(estimator):
    with pytest.raises(TypeError, match=r"estimator: got .*, expected None, an Oracle"):
        AdaBoostClassifier(estimator).fit(X, Y)


def test_settings_are_checked_before_the_data():
    with pytest.raises(ValueError, match="n_estimators"):
        AdaBoostClassifier(n_estimators=0).fit("nonsense", None)


def test_a_failed_fit_can_be_followed_by_a_good_one():
    model = AdaBoostClassifier(n_estimators=3)
    with pytest.raises(ValueError, match="one class"):
        model.fit(X, np.zeros(6))
    assert model.fit(X, Y).n_iter_ >= 1


# -- binned matrices ------------------------------------------------------------------------------


def test_a_binned_matrix_of_other_features():
    model = AdaBoostClassifier(n_estimators=3).fit(X, Y)
    wide = BinnedMatrix.from_table(Table(np.hstack([X, X]), list("abcd")))
    with pytest.raises(
        ValueError, match="X has 4 features, but AdaBoostClassifier is expecting 2 features"
    ):
        model.predict(wide)
    with pytest.raises(ValueError, match="X has 4 features"):
        AdaBoostClassifier(callbacks=[EarlyStopping(wide, Y)]).fit(X, Y)


def test_a_binned_matrix_and_too_few_labels():
    binned = BinnedMatrix.from_table(Table(X, ["a", "b"]))
    with pytest.raises(ValueError, match="y: got 5 labels for 6 rows of X"):
        AdaBoostClassifier().fit(binned, Y[:5])


def test_a_binned_matrix_for_a_scikit_learn_base_learner():
    binned = BinnedMatrix.from_table(Table(X, ["a", "b"]))
    for estimator in (DecisionTreeClassifier(), ResamplingOracle(StumpOracle())):
        model = AdaBoostClassifier(estimator, n_estimators=2)
        if isinstance(estimator, ResamplingOracle):
            assert model.fit(binned, Y).n_iter_ >= 1
        else:
            with pytest.raises(TypeError, match="reads raw rows; got a BinnedMatrix, which only"):
                model.fit(binned, Y)


def test_a_binned_matrix_with_other_cuts():
    """Its bins cannot say on which side of the model's thresholds a row lies."""
    model = AdaBoostClassifier(n_estimators=3).fit(X, Y)
    coarse = BinnedMatrix.from_table(Table(X + 0.3, ["a", "b"]), max_bins=2)
    with pytest.raises(ValueError, match="cuts"):
        model.predict(coarse)


def test_names_of_an_earlier_fit_are_forgotten():
    model = AdaBoostClassifier(n_estimators=3).fit(pd.DataFrame(X, columns=["a", "b"]), Y)
    model.fit(BinnedMatrix.from_table(Table(X, ["u", "v"])), Y)
    names = getattr(model, "feature_names_in_", ["u", "v"])
    np.testing.assert_array_equal(names, ["u", "v"])


# -- before fit -----------------------------------------------------------------------------------


@pytest.mark.parametrize("make", EVERY)
def test_before_fit(make):
    model = make()
    for method in ("predict", "predict_proba", "predict_log_proba", "decision_function"):
        with pytest.raises(NotFittedError, match=f"This {make.__name__} instance is not fitted"):
            getattr(model, method)(X)
    for call in (lambda: model.margins(X, Y), lambda: model.score(X, Y), model.explain):
        with pytest.raises(NotFittedError, match="is not fitted yet"):
            call()
    for name in ("estimators_", "estimator_weights_", "feature_importances_"):
        with pytest.raises(AttributeError, match=f"this {make.__name__} is not fitted yet"):
            getattr(model, name)
        assert not hasattr(model, name)


@pytest.mark.parametrize("method", ["staged_predict", "staged_decision_function"])
def test_staged_before_fit(method):
    with pytest.raises(NotFittedError):
        next(getattr(AdaBoostClassifier(), method)(X))


def test_plain_arrays_are_checked_like_all_others():
    """Arrays of floats need no copy to be scored; what is wrong with them is found all the same."""
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(30, 3))
    model = AdaBoostClassifier(n_estimators=5).fit(rows, rows[:, 0] > 0)
    with_gaps = np.where(rng.random(rows.shape) < 0.2, np.nan, rows)
    for given in (rows, with_gaps, np.asfortranarray(rows), rows.astype(np.float32)):
        np.testing.assert_array_equal(
            model.decision_function(given), model.decision_function(given.tolist())
        )
    for kind in (np.float64, np.float32):
        huge = np.full((2, 3), np.finfo(kind).max, dtype=kind)  # the sum overflows, no value does
        assert model.predict(huge).all()
        with pytest.raises(ValueError, match="Input X contains infinity"):
            model.predict(np.where(rows > 1, np.inf, rows).astype(kind))
        with pytest.raises(ValueError, match="X has 2 features"):
            model.predict(rows[:, :2].astype(kind))
        with pytest.raises(ValueError, match="0 sample"):
            model.predict(rows[:0].astype(kind))
