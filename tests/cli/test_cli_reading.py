"""Files become columns, whatever wrote them; what is wrong with one is said with its place."""

import csv
import gzip
import io

import numpy as np
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from marginboost.cli import columns, reading
from marginboost.cli.dialect import MISSING, Dialect
from marginboost.cli.errors import DataError
from marginboost.cli.reading import read_file

quick = settings(
    derandomize=True,
    deadline=None,
    max_examples=60,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


def read(tmp_path, content, **dialect):
    path = tmp_path / "data.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_file(str(path), Dialect(**dialect))


def values(file):
    return {name: file.column(name).to_pylist() for name in file.names}


# -- formats ---------------------------------------------------------------------------------------

TEXT = "a,b\n1,x\n2,y\n"
EXPECTED = {"a": ["1", "2"], "b": ["x", "y"]}


@pytest.mark.parametrize(
    "content",
    {
        "plain": TEXT.encode(),
        "no last line end": TEXT.strip().encode(),
        "CRLF": TEXT.replace("\n", "\r\n").encode(),
        "CR": TEXT.replace("\n", "\r").encode(),
        "byte order mark": b"\xef\xbb\xbf" + TEXT.encode(),
        "UTF-16": TEXT.encode("utf-16"),
        "tabs": TEXT.replace(",", "\t").encode(),
        "semicolons": TEXT.replace(",", ";").encode(),
        "bars": TEXT.replace(",", "|").encode(),
        "quotes": b'"a","b"\n"1","x"\n"2","y"\n',
        "empty lines": b"\n\na,b\n\n1,x\n\n\n2,y\n\n",
        "gzip": gzip.compress(TEXT.encode()),
        "two gzip members": gzip.compress(b"a,b\n1,x\n") + gzip.compress(b"2,y\n"),
    }.items(),
    ids=lambda item: item[0],
)
def test_text_of_every_kind(tmp_path, content):
    file = read(tmp_path, content[1])
    assert values(file) == EXPECTED
    assert file.is_text


def test_spaces_around_names_and_values_do_not_count(tmp_path):
    file = read(tmp_path, " a , b\n 1 , x \n2, y\n")
    assert file.names == ["a", "b"]
    assert columns.find_type(file, "a").to_pylist() == [1.0, 2.0]
    assert columns.texts(file, "b").to_pylist() == ["x", "y"]


def test_other_encodings(tmp_path):
    content = "straße,y\nNaïve,1\nIdée,0\n"
    file = read(tmp_path, content.encode("latin-1"), encoding="latin-1")
    assert values(file) == {"straße": ["Naïve", "Idée"], "y": ["1", "0"]}
    with pytest.raises(DataError, match=r"data\.csv: line 1: not utf-8 text .*--encoding cp1252"):
        read(tmp_path, content.encode("latin-1"))
    with pytest.raises(DataError, match=r"unknown encoding 'klingon' \(--encoding\)"):
        read(tmp_path, content, encoding="klingon")


def test_parquet_and_arrow_have_types(tmp_path):
    table = pa.table(
        {
            "whole": pa.array([1, None, 3]),
            "flag": [True, False, None],
            "price": pa.array([1.5, float("nan"), None]),
            "text": ["12", None, "13"],
            "kind": pa.array([7, 7, 8]).dictionary_encode(),
        }
    )
    for name in ("file.parquet", "file.arrow", "stream.arrow"):
        path = str(tmp_path / name)
        if name.endswith("parquet"):
            pa.parquet.write_table(table, path)
        else:
            make = pa.ipc.new_file if name.startswith("file") else pa.ipc.new_stream
            with make(path, table.schema) as writer:
                writer.write_table(table)
        file = read_file(path)
        assert not file.is_text
        found = {column: columns.find_type(file, column) for column in file.names}
        assert found["whole"].to_pylist() == [1.0, None, 3.0]
        assert found["flag"].to_pylist() == [1.0, 0.0, None]
        assert found["price"].to_pylist()[0] == 1.5
        assert found["text"].to_pylist() == ["12", None, "13"]  # text of a typed file is a category
        if not name.endswith("parquet"):  # Parquet keeps only text as dictionary
            assert found["kind"].to_pylist() == ["7", "7", "8"]


def test_saved_row_index_is_left_out(tmp_path):
    path = str(tmp_path / "frame.parquet")
    pa.parquet.write_table(pa.table({"x": [1.0, 2.0], "__index_level_0__": [5, 6]}), path)
    with pytest.warns(UserWarning, match="the saved row index is left out"):
        assert read_file(path).names == ["x"]


def test_standard_input(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(TEXT.encode())))
    assert values(read_file("-")) == EXPECTED


# -- the text parser against Python's --------------------------------------------------------------

cells = st.text(alphabet=st.sampled_from(list("ab1., ;\t|\"'\n\r=é名\x00")), max_size=6).map(
    lambda text: text.strip()
)


@quick
@given(
    st.lists(st.tuples(cells, cells, cells), min_size=1, max_size=6),
    st.sampled_from([",", ";", "\t", "|"]),
    st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC]),
    st.sampled_from(["\n", "\r\n"]),
)
def test_what_is_written_is_read(tmp_path, rows, delimiter, quoting, line_end):
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, delimiter=delimiter, quoting=quoting, lineterminator=line_end)
    writer.writerow(["first", "second, or not", "third"])
    writer.writerows(rows)
    file = read(tmp_path, stream.getvalue(), delimiter=delimiter)
    assert list(zip(*values(file).values(), strict=True)) == rows


@quick
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=20))
def test_numbers_keep_their_bits(tmp_path, numbers):
    file = read(tmp_path, "x,y\n" + "".join(f"{number!r},0\n" for number in numbers))
    np.testing.assert_array_equal(columns.find_type(file, "x").to_numpy(), numbers)


def test_a_value_larger_than_a_block(tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "BLOCK_BYTES", 64)
    monkeypatch.setattr(reading._parse, "__defaults__", (64,))
    file = read(tmp_path, f"a,b\n1,{'z' * 10_000}\n2,w\n")
    assert [len(text) for text in values(file)["b"]] == [10_000, 1]


# -- files that cannot be read ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the file is empty"),
        (b"\n \n", "there are column names, but no rows"),
        (b"a,b\n", "there are column names, but no rows"),
        (b"a,b,a\n1,2,3\n", "column 'a': the name stands for columns 1 and 3; names must differ"),
        (b"a,b\n1,2\n3\n", "line 3: 1 value, but the header has 2 columns"),
        (b"a,b\n\n1,2\n\n3,4,5\n", "line 5: 3 values, but the header has 2 columns"),
        (b'a,b\n1,"x\ny"\n3\n', "line 4: 1 value, but the header has 2 columns"),
        (b'a,b\n1,2\n3,"4\n5,6\n', "line 3: a quotation mark is opened in this record and never"),
        (b'a,b\n1,"2\n3,"4\n5,6\n', "line 2: ',' expected after '\"'"),
        (gzip.compress(b"a,b\n1,2\n", mtime=0)[:-4], "damaged compression"),
        (b"\x1f\x8bnonsense", "damaged compression"),
        (b"PK\x03\x04rest", "a zip archive or a workbook; save it as CSV or Parquet"),
        (b"PAR1rest", "cannot be read"),
        (b"ARROW1rest", "cannot be read"),
    ],
)
def test_bad_files(tmp_path, content, message):
    with pytest.raises(DataError) as caught:
        read(tmp_path, content)
    assert message in str(caught.value)
    assert str(caught.value).startswith(str(tmp_path / "data.csv"))


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(DataError, match=r"nowhere\.csv: No such file"):
        read_file(str(tmp_path / "nowhere.csv"))
    with pytest.raises(DataError, match="a folder without files named"):
        read_file(str(tmp_path))


def test_unknown_columns_get_suggestions(tmp_path):
    file = read(tmp_path, "age,Diagnosis\n1,x\n")
    with pytest.raises(DataError, match=r"no column 'diagnosys' \(--label\); did you mean 'Diag"):
        file.check_names("diagnosys", option="--label")
    with pytest.raises(DataError, match=r"no column 'zzz' \(--id\); known are 'age', 'Diagnosis'"):
        file.check_names("zzz", option="--id")


# -- types -----------------------------------------------------------------------------------------


def column(tmp_path, *cells, **dialect):
    settings = {"missing": MISSING, **dialect}
    return read(tmp_path, "x|y\n" + "".join(f"{c}|0\n" for c in cells), delimiter="|", **settings)


def found(tmp_path, *cells, categorical=False, **dialect):
    file = column(tmp_path, *cells, **dialect)
    return columns.find_type(file, "x", categorical=categorical).to_pylist()


def test_numbers_and_missing_values(tmp_path):
    cells = ["1", "-2.5", "+3", ".5", "4.", "1e3", "", "NA", "?", "nan", " 7 "]
    assert found(tmp_path, *cells) == [1, -2.5, 3, 0.5, 4, 1000, None, None, None, None, 7]


def test_missing_markers_that_look_like_numbers(tmp_path):
    missing = (*MISSING, "-999")
    assert found(tmp_path, "1", "-999", "2", missing=missing) == [1, None, 2]


def test_decimal_comma(tmp_path):
    assert found(tmp_path, "1,5", "2,25", decimal=",") == [1.5, 2.25]
    with pytest.raises(DataError, match="column 'x': numbers with a decimal comma"):
        found(tmp_path, "1,5", "2,25", "")


def test_categories(tmp_path):
    assert found(tmp_path, "b", "a", "?", "b") == ["b", "a", None, "b"]
    assert found(tmp_path, "1", "2", "1", categorical=True) == ["1", "2", "1"]
    assert found(tmp_path, "A1", "A2", "3") == ["A1", "A2", "3"]  # mostly text: codes, not numbers
    assert found(tmp_path, "", "NA") == [None, None]


@pytest.mark.parametrize("text", ["abc", "1_000", "0x10", "inf", "-Infinity", "1e999", "1,5"])
def test_text_in_a_numeric_column_is_reported_with_its_row(tmp_path, text):
    with pytest.raises(DataError) as caught:
        found(tmp_path, "1", "2", text, "4", "5")
    message = str(caught.value)
    assert f"column 'x', row 3 (line 4): {text!r} is not a finite number (1 of 5" in message
    assert f"--missing {text!r}" in message
    assert "--categorical x" in message
    assert caught.value.place["row"] == 3
    assert caught.value.place["line"] == 4


def test_lines_are_those_of_an_editor(tmp_path):
    """Quoted line ends and empty lines: row 2 begins in line 6."""
    file = read(tmp_path, 'x,note\n\n1,"two\nlines"\n\nbad,z\n3,w\n')
    with pytest.raises(DataError, match=r"row 2 \(line 6\): 'bad' is not a finite number"):
        columns.find_type(file, "x")


def test_infinity_in_a_typed_file(tmp_path):
    path = str(tmp_path / "x.parquet")
    pa.parquet.write_table(pa.table({"x": [1.0, float("inf")], "t": [[1], [2]]}), path)
    file = read_file(path)
    with pytest.raises(DataError, match="column 'x', row 2: infinity; expected finite numbers"):
        columns.find_type(file, "x")
    with pytest.raises(DataError, match=r"column 't': type list<.*--drop leaves the column out"):
        columns.find_type(file, "t")


def test_names_of_rows_are_suspected(tmp_path):
    with pytest.warns(UserWarning, match="column 'x' has 60 categories in 60 rows"):
        found(tmp_path, *(f"name {i}" for i in range(60)))


# -- labels and weights ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["1", "0", "1"], [1, 0, 1]),
        (["-1", "1.0", "1"], ["-1", "1.0", "1"]),  # 1.0 and 1 are not one class by accident
        (["1.0", "0.0"], [1, 0]),
        (["01", "1"], ["01", "1"]),
        (["yes", "no"], ["yes", "no"]),
        (["+", "-"], ["+", "-"]),
        (["0.5", "1"], ["0.5", "1"]),
    ],
)
def test_labels(tmp_path, cells, expected):
    labels = columns.label_values(column(tmp_path, *cells), "x")
    assert labels.tolist() == expected


def test_labels_that_will_not_do(tmp_path):
    with pytest.raises(DataError, match=r"column 'x', row 2 \(line 3\): 2 of 3 rows have no label"):
        columns.label_values(column(tmp_path, "a", "", "?"), "x")
    with pytest.raises(DataError, match="column 'x': all rows have the label 'a'"):
        columns.label_values(column(tmp_path, "a", "a"), "x")


def test_weights(tmp_path):
    assert columns.weight_values(column(tmp_path, "1", "0", "2.5"), "x").tolist() == [1, 0, 2.5]
    with pytest.raises(DataError, match=r"row 2 \(line 3\): weight '-1'; expected a number of at"):
        columns.weight_values(column(tmp_path, "1", "-1"), "x")
    with pytest.raises(DataError, match=r"row 2 \(line 3\): weight ''; expected a number of at"):
        columns.weight_values(column(tmp_path, "1", ""), "x")
    with pytest.raises(DataError, match="all weights are 0"):
        columns.weight_values(column(tmp_path, "0", "0"), "x")
