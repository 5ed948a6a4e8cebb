"""Tables read in batches: the same bins as in memory, whatever the batches and the files."""

import sys
from itertools import pairwise
from unittest.mock import patch

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import marginboost.data.binned as binned_module
from marginboost import AdaBoostClassifier, Batches, BinnedMatrix, GradientBoostClassifier
from marginboost.data import arrow_files

FAST = settings(deadline=None, max_examples=40)


def same_bins(found, expected):
    np.testing.assert_array_equal(found.codes, expected.codes)
    assert found.codes.dtype == expected.codes.dtype
    assert list(found.names) == list(expected.names)
    for cuts, those in zip(found.cuts, expected.cuts, strict=True):
        np.testing.assert_array_equal(cuts.view(np.int64), those.view(np.int64))
    for known, those in zip(found.categories, expected.categories, strict=True):
        assert (known is None) == (those is None)
        assert known is None or known.tolist() == those.tolist()


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "age": rng.normal(size=300),
            "visits": rng.integers(0, 9, 300),
            "town": pd.Categorical(rng.choice(["rome", "oslo", "bonn", "ghent"], 300)),
            "ill": rng.choice(["no", "yes"], 300),
            "weight": rng.random(300),
        }
    )
    table.loc[5:20, "age"] = np.nan
    table.loc[30:33, "town"] = None
    return table


@pytest.fixture(scope="module")
def in_memory(frame):
    features = frame[["age", "visits", "town"]]
    return BinnedMatrix.from_data(features, sample_weight=frame["weight"])


# -- any batches ---------------------------------------------------------------------------------


@st.composite
def cut_tables(draw):
    """A table with ties and missing values, weights or none, and where to cut it in batches."""
    n_rows = draw(st.integers(1, 60))
    rng = np.random.default_rng(draw(st.integers(0, 2**20)))
    X = np.where(rng.random((n_rows, 3)) < 0.5, rng.normal(size=(n_rows, 3)), rng.integers(0, 4))
    X[rng.random(X.shape) < draw(st.sampled_from([0.0, 0.3, 1.0]))] = np.nan
    weights = draw(st.sampled_from([None, rng.integers(0, 3, n_rows), rng.random(n_rows)]))
    ends = sorted(draw(st.lists(st.integers(0, n_rows), max_size=6)))
    return X, weights, [0, *ends, n_rows]


@FAST
@given(cut_tables(), st.sampled_from([2, 5, 255, None]), st.sampled_from([4, 9, 200_000]))
def test_batches_of_any_size_have_the_bins_of_the_table(table, max_bins, sample_rows):
    X, weights, ends = table
    with patch.object(binned_module, "SAMPLE_ROWS", sample_rows):
        expected = BinnedMatrix.from_data(X, max_bins=max_bins, sample_weight=weights)
        whole = X if weights is None else np.column_stack([X, weights])
        batches = [whole[a:b] for a, b in pairwise(ends)]
        found = BinnedMatrix.from_batches(
            lambda: iter(batches), weight=None if weights is None else "x3", max_bins=max_bins
        )
    same_bins(found, expected)
    if weights is not None:
        np.testing.assert_array_equal(found.weights, weights)


@FAST
@given(st.lists(st.sampled_from(["rome", "oslo", "bonn", None]), min_size=2), st.integers(1, 5))
def test_categories_are_those_of_all_batches(towns, step):
    table = pl.DataFrame({"town": pl.Series(towns, dtype=pl.Categorical)})
    parts = [
        pl.DataFrame({"town": pl.Series(towns[k : k + step], dtype=pl.Categorical)})
        for k in range(0, len(towns), step)
    ]
    same_bins(BinnedMatrix.from_batches(parts), BinnedMatrix.from_data(table))


KINDS = {
    "pandas": lambda table: [table.iloc[:70], table.iloc[70:71], table.iloc[71:]],
    "polars": lambda table: [pl.from_pandas(table[:10]), pl.from_pandas(table[10:])],
    "record batches": lambda table: pa.Table.from_pandas(table).to_batches(max_chunksize=77),
    "arrow tables": lambda table: [pa.Table.from_pandas(part) for part in (table[:5], table[5:])],
    "one frame": lambda table: table,
}


@pytest.mark.parametrize("kind", KINDS)
def test_labels_and_weights_come_from_columns(kind, frame, in_memory):
    bins = BinnedMatrix.from_batches(KINDS[kind](frame), label="ill", weight="weight")
    same_bins(bins, in_memory)
    assert bins.labels.tolist() == frame["ill"].tolist()
    np.testing.assert_array_equal(bins.weights, frame["weight"])
    assert bins.named


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([1, 0, 1, 1]),
        pd.Series([True, False, True, True]),
        pd.Series([1, 0, 1, 1], dtype="Int8"),
        pd.Series([0.5, 1.5, 2.5, 0.0]),
        pd.Series(["b", "a", "b", "b"], dtype="category"),
    ],
    ids=["int", "bool", "nullable", "float", "category"],
)
@pytest.mark.parametrize("kind", [lambda t: t, pl.from_pandas, pa.Table.from_pandas])
def test_labels_of_all_types(column, kind):
    table = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0], "y": column})
    found = BinnedMatrix.from_batches([kind(table[:1]), kind(table[1:])], label="y").labels
    assert found.tolist() == column.tolist()
    assert found.dtype.kind == {"category": "O", "Int8": "i"}.get(
        str(column.dtype), np.asarray(column).dtype.kind
    )


def test_arrays_mapped_into_memory(tmp_path):
    X = np.random.default_rng(0).normal(size=(500, 4)).astype(np.float32)
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    same_bins(
        BinnedMatrix.from_batches(Batches(mapped, batch_rows=64)),
        BinnedMatrix.from_data(X.astype(float)),
    )


def test_sparse_batches_and_numbers_that_are_categories():
    X = sparse.random(60, 5, 0.3, "csr", random_state=0)
    same_bins(BinnedMatrix.from_batches([X[:7], X[7:]]), BinnedMatrix.from_data(X))
    codes = np.random.default_rng(0).integers(0, 5, (40, 2))
    expected = BinnedMatrix.from_data(codes, categorical=[1])
    same_bins(BinnedMatrix.from_batches([codes[:30], codes[30:]], categorical=["x1"]), expected)


def test_a_column_without_values_in_one_batch():
    parts = [
        pa.table({"a": pa.nulls(2)}),
        pa.table({"a": pa.array(["x", "y"]).dictionary_encode()}),
    ]
    bins = BinnedMatrix.from_batches(parts)
    assert bins.categories[0].tolist() == ["x", "y"]
    assert bins.codes.tolist() == [[2, 2, 0, 1]]


# -- files ---------------------------------------------------------------------------------------


def write(table, path):
    if path.suffix == ".parquet":
        table.to_parquet(path, row_group_size=37)
    elif path.suffix == ".feather":
        pa.feather.write_feather(pa.Table.from_pandas(table), path, chunksize=41)
    else:
        with pa.ipc.new_stream(path, pa.Table.from_pandas(table).schema) as writer:
            writer.write_table(pa.Table.from_pandas(table), max_chunksize=50)


@pytest.mark.parametrize("suffix", [".parquet", ".feather", ".arrow"])
@pytest.mark.parametrize("given", ["file", "list", "folder"])
def test_files(suffix, given, frame, in_memory, tmp_path):
    if given == "file":
        source = tmp_path / f"all{suffix}"
        write(frame, source)
    else:
        parts = tmp_path / f"b{suffix}", tmp_path / f"c{suffix}"
        write(frame[:100], parts[0])
        write(frame[100:], parts[1])
        (tmp_path / "_SUCCESS").write_bytes(b"")
        source = list(parts) if given == "list" else tmp_path
    batches = Batches(source, batch_rows=60)
    bins = BinnedMatrix.from_batches(batches, label="ill", weight="weight")
    same_bins(bins, in_memory)
    assert bins.labels.tolist() == frame["ill"].tolist()
    assert max(batch.num_rows for batch in batches) <= 60


def test_some_columns_in_another_order(frame, tmp_path):
    write(frame, tmp_path / "all.parquet")
    bins = BinnedMatrix.from_batches(Batches(tmp_path, columns=["visits", "age"]))
    same_bins(bins, BinnedMatrix.from_data(frame[["visits", "age"]]))


def test_a_saved_index_is_no_column(frame, tmp_path):
    frame.set_axis(frame.index + 7).iloc[::2].to_parquet(tmp_path / "some.parquet")
    assert Batches(tmp_path).names == list(frame.columns)


# -- models --------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [AdaBoostClassifier, GradientBoostClassifier])
def test_models_of_batches_are_those_of_the_table(kind, frame, in_memory, tmp_path):
    write(frame, tmp_path / "all.parquet")
    bins = BinnedMatrix.from_batches(tmp_path, label="ill", weight="weight")
    model = kind(n_estimators=5).fit(bins, bins.labels, sample_weight=bins.weights)
    other = kind(n_estimators=5).fit(in_memory, frame["ill"], sample_weight=frame["weight"])
    features = frame[["age", "visits", "town"]]
    expected = other.decision_function(features)
    np.testing.assert_array_equal(model.decision_function(features), expected)
    assert model.feature_names_in_.tolist() == ["age", "visits", "town"]
    batches = Batches(tmp_path, columns=model.feature_names_in_, batch_rows=70)
    found = np.concatenate([model.decision_function(batch) for batch in batches])
    np.testing.assert_array_equal(found, expected)


# -- what cannot be read -------------------------------------------------------------------------

PLAIN = np.ones((3, 2))


def test_text_is_a_category_in_batches_too(frame):
    text = frame[["age", "town"]].astype({"town": object})
    found = BinnedMatrix.from_batches([text[:100], text[100:]])
    same_bins(found, BinnedMatrix.from_data(text))
    assert found.categories[1].tolist() == ["bonn", "ghent", "oslo", "rome"]


MISTAKES = {
    "iterator": (iter([PLAIN]), {}, "function that returns one anew"),
    "no batches": ([], {}, "got no batches"),
    "no rows": ([PLAIN[:0]], {}, "0 rows"),
    "fewer columns": ([PLAIN, PLAIN[:, :1]], {}, "batch 1 has 1 columns, expected the 2"),
    "one dimension": ([PLAIN[0]], {}, "1 dimensions"),
    "infinity": ([PLAIN, PLAIN * np.inf], {}, "infinity"),
    "label": ([PLAIN], {"label": "ill"}, "label: got 'ill'"),
    "category": ([PLAIN], {"categorical": ["ill"]}, "categorical: got 'ill'"),
    "only labels": ([PLAIN[:, :1]], {"label": "x0"}, "0 columns besides"),
    "missing label": ([PLAIN, PLAIN * np.nan], {"label": "x0"}, "'x0': row 3 is missing"),
    "weights": ([-PLAIN], {"weight": "x0"}, "nonnegative"),
    "dates": ([pd.DataFrame({"a": pd.to_datetime(["2020-01-01"])})], {}, "'a' is not numeric"),
    "mixed": (
        [pd.DataFrame({"a": [1.0]}), pd.DataFrame({"a": pd.Categorical(["x"])})],
        {},
        "'a' holds numbers in one batch and categories in another",
    ),
    "names": ([pd.DataFrame({"a": [1.0]}), pd.DataFrame({"b": [1.0]})], {}, "different: a, b"),
    "kind": (17, {}, "got int"),
    "lazy": (pl.LazyFrame({"a": [1.0]}), {}, "collect"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_are_named(mistake):
    source, arguments, message = MISTAKES[mistake]
    with pytest.raises((ValueError, TypeError), match=message):
        BinnedMatrix.from_batches(source, **arguments)


def test_a_source_that_changes_is_found_out():
    sizes = iter([3, 3, 2, 2])
    with pytest.raises(ValueError, match="other rows when read again"):
        BinnedMatrix.from_batches(lambda: [PLAIN[: next(sizes)]])


def test_files_that_cannot_be_read(frame, tmp_path):
    with pytest.raises(ValueError, match="without files named"):
        Batches(tmp_path)
    with pytest.raises(FileNotFoundError):
        Batches(tmp_path / "none.parquet")
    write(frame, tmp_path / "a.parquet")
    write(frame.drop(columns="age"), tmp_path / "b.parquet")
    with pytest.raises(ValueError, match=r"b\.parquet: lacks the column 'age'"):
        Batches(tmp_path)
    (tmp_path / "b.parquet").write_text("a,b\n1,2\n")
    with pytest.raises(ValueError, match="neither a Parquet nor an Arrow file"):
        Batches(tmp_path)
    (tmp_path / "b.parquet").write_bytes((tmp_path / "a.parquet").read_bytes()[:-9])
    with pytest.raises(ValueError, match=r"b\.parquet: cannot be read"):
        Batches(tmp_path)
    (tmp_path / "b.parquet").unlink()
    (tmp_path / "year=2020").mkdir()
    write(frame, tmp_path / "year=2020" / "a.parquet")
    with pytest.raises(ValueError, match="'year=2020' stands for a column"):
        Batches(tmp_path)


def test_a_small_file_cannot_claim_any_number_of_values(tmp_path, monkeypatch):
    pa.parquet.write_table(pa.table({"a": np.zeros(100_000)}), tmp_path / "a.parquet")
    monkeypatch.setattr(arrow_files, "MOST_VALUES", 1000)
    monkeypatch.setattr(arrow_files, "VALUES_PER_BYTE", 1)
    with pytest.raises(ValueError, match="100,000 values, expected at most"):
        Batches(tmp_path)


def test_without_pyarrow_the_extra_is_named(frame, tmp_path, monkeypatch):
    write(frame, tmp_path / "all.parquet")
    for name in [name for name in sys.modules if name.partition(".")[0] == "pyarrow"]:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError, match=r"marginboost\[frames\]"):
        Batches(tmp_path)
