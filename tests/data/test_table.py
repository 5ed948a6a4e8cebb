"""Every kind of input gives the same codes and the same model as the plain array."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from marginboost import AdaBoostClassifier, BinnedMatrix, GradientBoostClassifier, StumpOracle
from marginboost.audit import LabelAudit
from marginboost.data import Table
from marginboost.data.table import CHUNK_ROWS, read_array, take_rows

NAMES = ["a", "b", "c"]


def plain_rows(n=120, missing=True):
    """Numbers, few distinct numbers, and zeros and ones; some missing."""
    rng = np.random.default_rng(7)
    X = np.column_stack(
        [rng.normal(size=n), rng.integers(-3, 4, size=n), rng.integers(0, 2, size=n)]
    ).astype(float)
    if missing:
        X[rng.random(X.shape) < 0.15] = np.nan
    noise = rng.normal(size=n)
    y = np.nan_to_num(X[:, 0]) + np.nan_to_num(X[:, 1], nan=2.0) + noise > 0
    return X, y


def as_memmap(X, folder):
    path = folder / "rows.npy"
    np.save(path, X)
    return np.load(path, mmap_mode="r")


def read_only(X):
    X = X.copy()
    X.flags.writeable = False
    return X


def nullable(X):
    return pd.DataFrame(
        {
            "a": pd.array(X[:, 0], dtype="Float64"),
            "b": pd.array(X[:, 1], dtype="Float64").astype("Int64"),
            "c": pd.array(X[:, 2], dtype="Float64").astype("boolean"),
        }
    )


def typed_polars(X):
    numbers = pl.from_pandas(nullable(X))
    assert numbers.schema["b"] == pl.Int64
    assert numbers.schema["c"] == pl.Boolean
    return numbers


def explicit_zeros(X):
    """A sparse matrix that stores some of its zeros."""
    matrix = sparse.coo_matrix(X)
    rows, columns = np.nonzero(X == 0)
    keep = slice(None, None, 2)
    return sparse.coo_matrix(
        (
            np.append(matrix.data, np.zeros(len(rows[keep]))),
            (np.append(matrix.row, rows[keep]), np.append(matrix.col, columns[keep])),
        ),
        shape=X.shape,
    )


def chunked(X):
    table = pa.Table.from_pandas(nullable(X), preserve_index=False)
    return pa.concat_tables([table.slice(0, 50), table.slice(50, 1), table.slice(51)])


KINDS = {
    "list": lambda X, folder: X.tolist(),
    "fortran": lambda X, folder: np.asfortranarray(X),
    "strided": lambda X, folder: np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)[::2, ::3],
    "reversed": lambda X, folder: X[::-1, ::-1].copy()[::-1, ::-1],
    "read-only": lambda X, folder: read_only(X),
    "memory-mapped": as_memmap,
    "object array": lambda X, folder: X.astype(object),
    "csr": lambda X, folder: sparse.csr_matrix(X),
    "csc array": lambda X, folder: sparse.csc_array(X),
    "coo with stored zeros": lambda X, folder: explicit_zeros(X),
    "csr with stored zeros": lambda X, folder: explicit_zeros(X).tocsr(),
    "pandas": lambda X, folder: pd.DataFrame(X, columns=NAMES),
    "pandas object": lambda X, folder: pd.DataFrame(X, columns=NAMES, dtype=object),
    "pandas nullable": lambda X, folder: nullable(X),
    "pandas pyarrow": lambda X, folder: nullable(X).convert_dtypes(dtype_backend="pyarrow"),
    "pandas odd index": lambda X, folder: pd.DataFrame(X, columns=NAMES, index=[5] * len(X)),
    "polars NaN": lambda X, folder: pl.DataFrame(X, schema=NAMES),
    "polars null": lambda X, folder: typed_polars(X),
    "pyarrow": lambda X, folder: pa.Table.from_pandas(nullable(X), preserve_index=False),
    "pyarrow chunked": lambda X, folder: chunked(X),
}


def assert_same_model(one, other):
    assert one.estimators_ == other.estimators_
    np.testing.assert_array_equal(one.estimator_weights_, other.estimator_weights_)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_numbers(kind, tmp_path):
    X, y = plain_rows()
    other = KINDS[kind](X, tmp_path)
    expected = AdaBoostClassifier(n_estimators=12).fit(X, y)
    model = AdaBoostClassifier(n_estimators=12).fit(other, y)
    assert_same_model(model, expected)
    np.testing.assert_array_equal(model.decision_function(other), expected.decision_function(X))
    assert len({stump.feature for stump in model.estimators_}) == 3


@pytest.mark.parametrize("kind", [k for k in KINDS if k not in ("list", "object array")])
@pytest.mark.parametrize("max_bins", [4, 255, None])
def test_codes_of_every_kind(kind, max_bins, tmp_path):
    X, _ = plain_rows()
    expected = BinnedMatrix.from_table(Table(X, NAMES), max_bins=max_bins)
    binned = BinnedMatrix.from_table(
        Table.learn(KINDS[kind](X, tmp_path), NAMES, None), max_bins=max_bins
    )
    np.testing.assert_array_equal(binned.codes, expected.codes)
    assert binned.codes.dtype == expected.codes.dtype
    for cuts, wanted in zip(binned.cuts, expected.cuts, strict=True):
        np.testing.assert_array_equal(cuts, wanted)


@pytest.mark.parametrize("kind", ["csr", "pandas", "polars null", "pyarrow chunked", "fortran"])
def test_dense_take_and_slices(kind, tmp_path):
    X, _ = plain_rows()
    table = Table.learn(KINDS[kind](X, tmp_path), NAMES, None)
    np.testing.assert_array_equal(table.dense(0, len(X)), X)
    np.testing.assert_array_equal(table.dense(30, 77), X[30:77])
    rows = np.array([5, 5, 0, 119])
    np.testing.assert_array_equal(table.take(rows).dense(0, 4), X[rows])


def test_float32_is_the_same_numbers_in_float64():
    X, y = plain_rows()
    narrow = X.astype(np.float32)
    model = AdaBoostClassifier(n_estimators=12).fit(narrow, y)
    wide = AdaBoostClassifier(n_estimators=12).fit(narrow.astype(np.float64), y)
    assert_same_model(model, wide)
    votes = wide.decision_function(narrow.astype(np.float64))
    np.testing.assert_array_equal(model.decision_function(narrow), votes)
    np.testing.assert_array_equal(wide.decision_function(narrow), votes)


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int64, bool])
def test_integers_and_booleans(dtype):
    X, y = plain_rows(missing=False)
    small = np.abs(np.round(X)).astype(dtype)
    model = AdaBoostClassifier(n_estimators=8).fit(small, y)
    assert_same_model(model, AdaBoostClassifier(n_estimators=8).fit(small.astype(float), y))
    frame = AdaBoostClassifier(n_estimators=8).fit(pd.DataFrame(small, columns=NAMES), y)
    assert_same_model(frame, model)


def test_integers_beyond_double_precision_are_rounded_alike():
    big = 2**53 + np.array([0, 1, 2, 4, 8, 16, 32, 64])
    y = np.repeat([0, 1], 4)
    columns = {
        "numpy": big[:, None],
        "pandas": pd.DataFrame({"a": big}),
        "pandas Int64": pd.DataFrame({"a": pd.array(big, dtype="Int64")}),
        "polars": pl.DataFrame({"a": big}),
        "pyarrow": pa.table({"a": big}),
    }
    models = {kind: AdaBoostClassifier().fit(X, y) for kind, X in columns.items()}
    for kind, model in models.items():
        assert model.estimators_ == models["numpy"].estimators_, kind
        np.testing.assert_array_equal(model.predict(columns[kind]), y)


def test_other_number_types_of_frames():
    from decimal import Decimal

    y = np.repeat([0, 1], 10)
    values = np.arange(20)
    decimals = [Decimal(int(v)) / 4 for v in values]
    for column in (
        pa.array(decimals),
        pa.array(values.astype(np.float16)),
        pl.Series("a", decimals),
        pl.Series("a", values, dtype=pl.UInt8),
    ):
        X = pa.table({"a": column}) if isinstance(column, pa.Array) else pl.DataFrame({"a": column})
        model = AdaBoostClassifier().fit(X, y)
        scale = 4 if model.estimators_[0].threshold < 5 else 1
        assert model.estimators_[0].threshold == 9.5 / scale
        np.testing.assert_array_equal(model.predict(X), y)


# -- categories -----------------------------------------------------------------------------------


def labelled(n=120):
    rng = np.random.default_rng(3)
    labels = rng.choice(np.array(["red", "green", "blue", None], dtype=object), size=n)
    other = rng.normal(size=n)
    y = np.isin(labels, ["red", None]) ^ (rng.random(n) < 0.1)
    return labels, other, y


def encoded(labels):
    """The same column as an array of codes: labels in sorted order, missing as NaN."""
    codes = {"blue": 0.0, "green": 1.0, "red": 2.0, None: np.nan}
    return np.array([codes[label] for label in labels])


CATEGORICAL = {
    "pandas": lambda c, x: pd.DataFrame({"c": pd.Categorical(c), "x": x}),
    "pandas unused and unsorted": lambda c, x: pd.DataFrame(
        {"c": pd.Categorical(c, categories=["zinc", "red", "blue", "green"]), "x": x}
    ),
    "pandas ordered": lambda c, x: pd.DataFrame(
        {"c": pd.Categorical(c, categories=["red", "blue", "green"], ordered=True), "x": x}
    ),
    "pandas pyarrow dictionary": lambda c, x: pd.DataFrame(
        {"c": pd.array(c, dtype=pd.ArrowDtype(pa.dictionary(pa.int8(), pa.string()))), "x": x}
    ),
    "polars Categorical": lambda c, x: pl.DataFrame(
        {"c": pl.Series(c.tolist(), dtype=pl.Categorical), "x": x}
    ),
    "polars Enum": lambda c, x: pl.DataFrame(
        {"c": pl.Series(c.tolist(), dtype=pl.Enum(["red", "green", "blue", "zinc"])), "x": x}
    ),
    "pyarrow dictionary": lambda c, x: pa.table(
        {"c": pa.array(c.tolist()).dictionary_encode(), "x": x}
    ),
    "pyarrow dictionary in chunks": lambda c, x: pa.table(
        {
            "c": pa.chunked_array(
                [pa.array(part.tolist()).dictionary_encode() for part in (c[:7], c[7:])]
            ),
            "x": x,
        }
    ),
}


@pytest.mark.parametrize("kind", CATEGORICAL)
@pytest.mark.parametrize("split", ["equality", "partition"])
def test_every_kind_of_category(kind, split):
    labels, other, y = labelled()
    X = CATEGORICAL[kind](labels, other)
    np.testing.assert_array_equal(Table.learn(X, ["c", "x"], None).column(0), encoded(labels))
    expected = AdaBoostClassifier(StumpOracle(split), n_estimators=8, categorical_features=[0])
    expected.fit(plain := np.column_stack([encoded(labels), other]), y)
    model = AdaBoostClassifier(StumpOracle(split), n_estimators=8).fit(X, y)
    assert_same_model(model, expected)
    assert any(stump.categories is not None for stump in model.estimators_)
    np.testing.assert_array_equal(model.decision_function(X), expected.decision_function(plain))


@pytest.mark.parametrize("kind", CATEGORICAL)
def test_categories_are_read_the_same_in_every_frame(kind):
    """A model fitted on one kind of frame predicts on any other."""
    labels, other, y = labelled()
    model = AdaBoostClassifier(n_estimators=8).fit(CATEGORICAL["pandas"](labels, other), y)
    expected = model.decision_function(CATEGORICAL["pandas"](labels, other))
    votes = model.decision_function(CATEGORICAL[kind](labels, other))
    np.testing.assert_array_equal(votes, expected)


def test_categories_by_number_by_name_and_none():
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 5, size=200).astype(float)
    X = np.column_stack([rng.normal(size=200), codes])
    y = codes == 2
    frame = pd.DataFrame(X, columns=["x", "code"])
    by_number = AdaBoostClassifier(n_estimators=3, categorical_features=[1]).fit(X, y)
    assert by_number.estimators_[0].categories == (2,)
    assert by_number.score(X, y) == 1.0
    for chosen in ([1], ["code"], np.array([1]), "code", pd.Index(["code"])):
        model = AdaBoostClassifier(n_estimators=3, categorical_features=chosen).fit(frame, y)
        assert_same_model(model, by_number)
    none = AdaBoostClassifier(n_estimators=3, categorical_features=None).fit(frame, y)
    assert all(stump.categories is None for stump in none.estimators_)
    sparse_model = AdaBoostClassifier(n_estimators=3, categorical_features=[1])
    assert_same_model(sparse_model.fit(sparse.csr_matrix(X), y), by_number)


@pytest.mark.parametrize("dtype", ["string", object, "str"])
def test_text_columns_named_as_categories(dtype):
    """Also with pandas' NA, which is neither true nor false."""
    labels, other, y = labelled()
    X = pd.DataFrame({"c": pd.Series(labels, dtype=dtype), "x": other})
    if dtype is object:
        X.loc[X["c"].isna(), "c"] = pd.NA
    model = AdaBoostClassifier(n_estimators=8, categorical_features=["c"]).fit(X, y)
    expected = AdaBoostClassifier(n_estimators=8).fit(CATEGORICAL["pandas"](labels, other), y)
    assert_same_model(model, expected)
    np.testing.assert_array_equal(
        model.decision_function(X), expected.decision_function(CATEGORICAL["pandas"](labels, other))
    )


def test_labels_that_are_not_text():
    """Intervals, dates, numbers and a mixture are categories like any other."""
    rng = np.random.default_rng(2)
    x = rng.normal(size=80)
    dates = pd.to_datetime(["2020-01-01", "2021-01-01", "2022-01-01", "2023-01-01"])
    groups = np.digitize(x, [-0.5, 0.0, 0.5])
    y = np.isin(groups, [0, 2])
    mixed = np.array(["a", 1, 2.5, ("t",)], dtype=object)
    for column in (
        pd.cut(pd.Series(x), [-9, -0.5, 0.0, 0.5, 9]),
        pd.Series(dates[groups]).astype("category"),
        pd.Series(np.array([3, 1, 10, -2])[groups]).astype("category"),
        pd.Series(mixed[groups]).astype("category"),
    ):
        X = pd.DataFrame({"c": column})
        model = AdaBoostClassifier(StumpOracle("partition"), n_estimators=2).fit(X, y)
        np.testing.assert_array_equal(model.predict(X), y)
        np.testing.assert_array_equal(model.predict(X.iloc[:9]), y[:9])


def test_more_than_255_categories():
    rng = np.random.default_rng(5)
    codes = rng.permutation(np.repeat(np.arange(300), 4))
    y = codes % 7 < 3
    X = pd.DataFrame({"c": pd.Categorical([f"k{code}" for code in codes]), "x": codes * 0.0})
    table = Table.learn(X, ["c", "x"], None)
    binned = BinnedMatrix.from_table(table)
    assert binned.codes.dtype == np.uint16
    assert binned.n_bins.tolist() == [300, 1]
    model = AdaBoostClassifier(StumpOracle("partition"), n_estimators=3).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), y)
    np.testing.assert_allclose(
        model.decision_function(X), np.where(y, 1.0, -1.0), atol=1e-12
    )  # one table of 300 levels: the wide path of prediction


def test_unseen_categories_count_as_missing():
    labels, other, y = labelled()
    model = AdaBoostClassifier(n_estimators=8).fit(CATEGORICAL["pandas"](labels, other), y)
    new = np.array(["red", "pink", "mauve", None], dtype=object)
    same = np.array(["red", None, None, None], dtype=object)
    x = np.zeros(4)
    for kind in ("pandas", "polars Categorical", "pyarrow dictionary"):
        with pytest.warns(
            UserWarning,
            match=r"column 'c' has 2 rows with categories not seen in fit \(mauve, pink\); they "
            "count as missing",
        ):
            votes = model.decision_function(CATEGORICAL[kind](new, x))
        np.testing.assert_array_equal(
            votes, model.decision_function(CATEGORICAL["pandas"](same, x))
        )


def test_long_list_of_unseen_categories_is_cut():
    labels, other, y = labelled()
    model = AdaBoostClassifier(n_estimators=3).fit(CATEGORICAL["pandas"](labels, other), y)
    new = np.array([f"new{k}" for k in range(9)], dtype=object)
    with pytest.warns(UserWarning, match=r"9 rows .*\(new0, new1, new2, new3, new4, …\)"):
        model.predict(CATEGORICAL["pandas"](new, np.zeros(9)))


# -- columns that are no numbers ------------------------------------------------------------------

NOT_NUMBERS = {
    "numbers as text": (pd.DataFrame({"x": [1.0, 2.0], "name": ["1", "2.5"]}), "numbers as text"),
    "half of them": (pl.DataFrame({"x": [1.0, 2.0], "name": ["1", "two"]}), "numbers as text"),
    "pandas object": (
        pd.DataFrame({"x": [1.0, 2.0], "name": pd.Series([1, "two"], dtype=object)}),
        "could not convert string to float: 'two'",
    ),
    "pandas dates": (
        pd.DataFrame({"x": [1.0, 2.0], "name": pd.to_datetime(["2020-01-01", "2020-01-02"])}),
        "type datetime64",
    ),
    "pandas complex": (pd.DataFrame({"x": [1.0, 2.0], "name": [1j, 2j]}), "type complex128"),
    "polars Date": (
        pl.DataFrame({"x": [1.0, 2.0]}).with_columns(name=pl.date(2020, 1, 1)),
        "type date",
    ),
    "polars List": (pl.DataFrame({"x": [1.0, 2.0], "name": [[1], [2]]}), "type list"),
    "pyarrow timestamp": (
        pa.table({"x": [1.0, 2.0], "name": pa.array([0, 1], pa.timestamp("s"))}),
        "type timestamp",
    ),
}


@pytest.mark.parametrize("kind", NOT_NUMBERS)
def test_a_column_without_numbers_is_named(kind):
    X, found = NOT_NUMBERS[kind]
    with pytest.raises(ValueError, match=rf"X: column 'name' is not numeric \({found}"):
        AdaBoostClassifier().fit(X, [0, 1])


TEXT = {
    "pandas": lambda data: pd.DataFrame(data),
    "pandas object": lambda data: pd.DataFrame(data).astype({"kind": object}),
    "pandas string": lambda data: pd.DataFrame(data).astype({"kind": "string"}),
    "polars": lambda data: pl.DataFrame(data),
    "pyarrow": lambda data: pa.table(data),
}


@pytest.mark.parametrize("kind", TEXT)
def test_text_is_a_category_as_on_the_command_line(kind):
    rng = np.random.default_rng(0)
    size, names = rng.normal(size=60), rng.choice(["a", "b", "c"], 60).tolist()
    y = [(x > 0) != (name == "b") for x, name in zip(size, names, strict=True)]
    names[7] = None
    X = TEXT[kind]({"size": size, "kind": names})
    model = GradientBoostClassifier(n_estimators=5, min_samples_leaf=2).fit(X, y)
    assert model.model_.features.categories[1].tolist() == ["a", "b", "c"]
    same = pd.DataFrame({"size": size, "kind": pd.Categorical(names)})
    expected = GradientBoostClassifier(n_estimators=5, min_samples_leaf=2).fit(same, y)
    np.testing.assert_array_equal(model.decision_function(X), expected.decision_function(same))
    assert LabelAudit(n_jobs=1, cv=2).fit(X, y).evidence.table.categories[1].tolist() == [*"abc"]


@pytest.mark.parametrize(
    ("kind", "hint"),
    [
        ("pandas", r"pandas: X\['day'\].astype\('category'\), or pd.to_numeric"),
        ("polars", r"polars: X.with_columns\(pl.col\('day'\).cast"),
        (
            "pyarrow",
            r"pyarrow: X\['day'\].dictionary_encode\(\), or pc.cast\(X\['day'\], 'double'\)",
        ),
    ],
)
def test_all_columns_without_numbers_are_named_with_a_hint_for_their_library(kind, hint):
    days = np.array(["2020-01-01", "2020-01-02"], dtype="datetime64[us]")
    X = TEXT[kind]({"day": days, "kind": ["1", "2"], "x": [0.0, 1.0]})
    with pytest.raises(
        ValueError, match=rf"column 'day' .*column 'kind' .*numbers as text.*{hint}"
    ):
        AdaBoostClassifier().fit(X, [0, 1])


def test_names_of_rows_get_a_warning():
    X = pd.DataFrame({"name": [f"p{i}" for i in range(60)], "x": np.arange(60.0)})
    with pytest.warns(UserWarning, match="column 'name' has 60 categories in 60 rows: names of"):
        AdaBoostClassifier(n_estimators=2).fit(X, X["x"] > 30)


def test_a_text_column_is_named_at_predict_too():
    model = AdaBoostClassifier().fit(pd.DataFrame({"x": [1.0, 2.0]}), [0, 1])
    with pytest.raises(
        ValueError, match=r"X: column 'x' is not numeric .*pd\.to_numeric\(X\['x'\]\)"
    ):
        model.predict(pd.DataFrame({"x": ["1", "2"]}))


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_infinity_in_a_frame_is_named(kind):
    data = {"x": [1.0, 2.0], "big": [np.inf, 0.0]}
    X = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}[kind](data)
    with pytest.raises(ValueError, match="X: column 'big' holds infinity; expected finite"):
        AdaBoostClassifier().fit(X, [0, 1])
    fine = {"x": [1.0, 2.0], "big": [1.0, 0.0]}
    model = AdaBoostClassifier().fit(type(X)(fine) if kind != "pyarrow" else pa.table(fine), [0, 1])
    with pytest.raises(ValueError, match="X: column 'big' holds infinity"):
        model.predict(X)


@pytest.mark.parametrize(
    "column", [pl.Series([None] * 4), pa.nulls(4), pd.Series([None] * 4, dtype=object)]
)
def test_a_column_without_values_is_missing_everywhere(column):
    X = {"none": column, "x": [1.0, 2.0, 3.0, 4.0]}
    if isinstance(column, pa.Array):
        frame = pa.table(X)
    else:
        frame = pl.DataFrame(X) if isinstance(column, pl.Series) else pd.DataFrame(X)
    model = AdaBoostClassifier().fit(frame, [0, 0, 1, 1])
    assert model.estimators_[0].feature == 1
    np.testing.assert_array_equal(model.predict(frame), [0, 0, 1, 1])


def test_prediction_goes_through_frames_in_chunks():
    """More rows than a chunk: every kind takes the same way through its slices."""
    n = CHUNK_ROWS + 17
    rng = np.random.default_rng(0)
    labels = rng.choice(np.array(["red", "green", "blue", None], dtype=object), size=n)
    x = rng.normal(size=n)
    y = (labels == "red") | (x > 1)
    part = slice(0, 500)
    model = AdaBoostClassifier(n_estimators=6)
    model.fit(CATEGORICAL["pandas"](labels[part], x[part]), y[part])
    votes = [
        model.decision_function(CATEGORICAL[kind](labels, x))
        for kind in ("pandas", "polars Categorical", "pyarrow dictionary")
    ]
    np.testing.assert_array_equal(votes[0], votes[1])
    np.testing.assert_array_equal(votes[0], votes[2])
    tail = CATEGORICAL["pandas"](labels[-20:], x[-20:])
    np.testing.assert_array_equal(votes[0][-20:], model.decision_function(tail))


def test_dates_are_found_in_any_kind_of_rows():
    date = np.datetime64("2020-01-01")
    for rows in ([[1.0, date]], ((date, date),), np.array([[1.0, date]], dtype=object)):
        with pytest.raises(ValueError, match="X: got dates or times"):
            read_array(rows)
    for rows in ([[1.0, 2.0]], np.ones((1, 2)), np.array([[1.0, "2"]], dtype=object)):
        assert read_array(rows) is rows


def test_words_are_no_numbers():
    for rows in ([[1.0, "a"]], np.array([["1", "a"]]), np.array([[None, "a"]], dtype=object)):
        with pytest.raises(ValueError, match=r"could not convert 'a' to a number; .*pd\.DataFrame"):
            read_array(rows)


@pytest.mark.parametrize("kind", [np.array, pd.Series, pl.Series, pa.array, pd.DataFrame])
def test_rows_of_anything(kind):
    values = {"x": [5, 6, 7]} if kind is pd.DataFrame else [5, 6, 7]
    found = take_rows(kind(values), np.array([2, 0, 2]))
    assert np.asarray(found).ravel().tolist() == [7, 5, 7]


@pytest.mark.parametrize(
    ("learnt", "came", "message"),
    [
        (["1", "2"], [1, 2, 7], r"holds numbers \(1, 2, 7\), expected text as in fit \('1', '2'\)"),
        ([1, 2], ["1", None], r"holds text \('1'\), expected numbers as in fit \(1, 2\)"),
    ],
)
def test_numbers_are_not_text(learnt, came, message):
    """All of them would count as missing, though each looks like a category of the fit."""
    table = Table.learn(pd.DataFrame({"c": pd.Categorical(learnt)}), ["c"], None)
    with pytest.raises(ValueError, match=rf"^X: column 'c' {message}"):
        Table(pd.DataFrame({"c": came}), ["c"], table.categories).column(0)
    mixed = Table(pd.DataFrame({"c": [learnt[0], *came[:1], 9]}), ["c"], table.categories)
    with pytest.warns(UserWarning, match="has 2 rows with categories not seen in fit"):
        np.testing.assert_array_equal(mixed.column(0), [0.0, np.nan, np.nan])
    nothing = Table(pd.DataFrame({"c": [None, None]}), ["c"], table.categories)
    assert np.isnan(nothing.column(0)).all()
