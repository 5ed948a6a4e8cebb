"""Tables that take too much, or that point outside of themselves."""

import csv
import gzip
import io

import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet
import pytest

from marginboost.cli import reading
from marginboost.cli.errors import DataError
from marginboost.cli.output import csv_bytes, guard
from marginboost.cli.reading import read_file


def read(tmp_path, content):
    path = tmp_path / "data"
    path.write_bytes(content)
    return read_file(str(path))


@pytest.mark.parametrize("size", [131_072, 131_073, 1_000_000])
def test_long_values_do_not_hide_other_faults(tmp_path, size):
    """Python's reader of CSV has a limit for values, of 131,072 signs unless told otherwise."""
    content = f"a,b\n{'x' * size},1\n2,3,4\n".encode()
    with pytest.raises(DataError, match="line 3: 3 values, but the header has 2 columns"):
        read(tmp_path, content)
    csv.field_size_limit(131_072)
    assert read(tmp_path, f"{'x' * size},b\n1,2\n".encode()).names[0] == "x" * size


@pytest.mark.parametrize("more", [0, 1])
def test_packed_tables_have_a_limit(tmp_path, monkeypatch, more):
    text = b"a,b\n" + b"1,2\n" * 50_000
    packed = gzip.compress(text)
    monkeypatch.setattr(reading, "MOST_PACKED", 3)
    monkeypatch.setattr(reading, "SPARE_BYTES", len(text) - 3 * len(packed) - more)
    if more:
        with pytest.raises(DataError, match=f"unpacks to more than {len(text) - 1} bytes, more th"):
            read(tmp_path, packed)
    else:
        assert read(tmp_path, packed).n_rows == 50_000


def test_the_limit_of_packed_tables_is_as_documented():
    assert (reading.MOST_PACKED, reading.SPARE_BYTES) == (100, 64 * 2**20)
    assert (reading.MOST_VALUES, reading.MOST_COLUMNS) == (1_073_741_824, 100_000)


def test_parquet_files_have_a_limit(tmp_path, monkeypatch):
    sink = io.BytesIO()
    pa.parquet.write_table(pa.table({"a": [1] * 100, "b": [2] * 100}), sink)
    monkeypatch.setattr(reading, "MOST_VALUES", 200)
    assert read(tmp_path, sink.getvalue()).n_rows == 100
    monkeypatch.setattr(reading, "MOST_VALUES", 199)
    with pytest.raises(DataError, match="200 values, expected at most 199"):
        read(tmp_path, sink.getvalue())


def test_columns_have_a_limit(tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "MOST_COLUMNS", 3)
    assert read(tmp_path, b"a,b,c\n1,2,3\n").names == ["a", "b", "c"]
    with pytest.raises(DataError, match="4 columns, expected at most 3"):
        read(tmp_path, b"a,b,c,d\n1,2,3,4\n")


def test_offsets_that_lead_outside_are_refused(tmp_path):
    sink = io.BytesIO()
    table = pa.table({"word": ["one", "two", "three"]})
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    sound = sink.getvalue()
    offsets = b"\x00\x00\x00\x00\x03\x00\x00\x00\x06\x00\x00\x00\x0b\x00\x00\x00"
    assert sound.count(offsets) == 1
    with pytest.raises(DataError, match="cannot be read"):
        read(tmp_path, sound.replace(offsets, offsets[:8] + b"\xff\xff\xff\x7f" + offsets[12:]))
    assert read(tmp_path, sound).column("word").to_pylist() == ["one", "two", "three"]


# -- formulas --------------------------------------------------------------------------------------


@pytest.mark.parametrize("sign", list("=+-@＝＋－＠﹦﹢﹣﹫"))
@pytest.mark.parametrize(
    "before", ["", " ", "\t", "\r", "\n", "\r\n", ";", ",", "|", "\x00", "\xa0", "\u200b", "\ufeff"]
)
def test_formulas_are_guarded_whatever_stands_before(before, sign):
    cell = f"{before}{sign}A1"
    assert guard(cell) == f"'{cell}"


@pytest.mark.parametrize("cell", ["\tx", "\nx", "\rx", "\n1"])
def test_cells_that_begin_on_another_line_are_guarded(cell):
    assert guard(cell) == f"'{cell}"


@pytest.mark.parametrize(
    "cell", ["a;=1", "x=1", " -3.5 ", "; 5", ",", "(-1)", "a\n=1", "é", "=", "'="]
)
def test_other_text_is_left_alone(cell):
    assert guard(cell) == cell


@pytest.mark.parametrize("sign", [",", ";", "|", "\t", '"', "\n", "\r"])
def test_cells_with_any_separator_are_quoted(sign):
    cell = f"a{sign}=1"
    line = csv_bytes({"n": [cell], "m": [1]}).decode().removeprefix("n,m\n")
    assert line == '"' + cell.replace('"', '""') + '",1\n'


def test_what_is_written_as_csv_is_read_back():
    cells = [
        "a",
        "a,b",
        'say "x"',
        "two\nlines",
        "",
        " ",
        "é",
        "a;b",
        "a|b",
        "a\tb",
        None,
        1.5,
        True,
    ]
    for delimiter in (",", "\t"):
        text = csv_bytes({"x": cells, "y": cells}, delimiter).decode()
        found = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
        expected = ["" if cell is None else str(cell) for cell in cells]
        assert found == [["x", "y"], *([cell, cell] for cell in expected)]


def test_a_single_empty_cell_is_still_a_row():
    assert csv_bytes({"x": ["", None, "a"]}) == b'x\n""\n""\na\n'


def test_half_a_character_does_not_stop_a_table():
    assert csv_bytes({"x": ["a\ud800"]}) == b"x\na?\n"
