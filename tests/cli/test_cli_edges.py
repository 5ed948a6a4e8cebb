"""Corners of reading and writing: what may be read in parts, where files may lie, empty parts."""

import gzip
import os

import numpy as np
import pandas as pd
import pytest

from marginboost.cli import streams
from marginboost.cli.errors import UsageError
from marginboost.cli.output import OutputError, check_target
from marginboost.cli.reading import DataFile, Dialect, Text, is_plain_text
from marginboost.cli.streams import open_data


def test_text_that_can_be_read_piece_by_piece(tmp_path):
    """Neither packed nor recoded."""
    plain, packed, wide = (tmp_path / name for name in ("a.csv", "b.csv.gz", "c.csv"))
    plain.write_text("a,b\n1,2\n")
    packed.write_bytes(gzip.compress(b"a,b\n1,2\n"))
    wide.write_text("a,b\n1,2\n", encoding="utf-16")
    for encoding in (None, "utf-8", "UTF8", "utf_8_sig"):
        assert is_plain_text(str(plain), Dialect(encoding=encoding))
        assert not is_plain_text(str(packed), Dialect(encoding=encoding))
        assert not is_plain_text(str(wide), Dialect(encoding=encoding))
    for encoding in ("latin-1", "utf-16"):
        assert not is_plain_text(str(plain), Dialect(encoding=encoding))
    assert not is_plain_text(str(tmp_path / "nothing.csv"), Dialect())


def test_nothing_is_written_among_the_files_that_are_read(tmp_path):
    """Nor over one of them; a folder beside them will do."""
    data, inner, beside = tmp_path / "data", tmp_path / "data" / "more", tmp_path / "beside"
    for folder in (inner, beside):
        folder.mkdir(parents=True)
    (tmp_path / "t.csv").write_text("a\n1\n")
    for folder in (data, inner):
        with pytest.raises(UsageError, match=r"--out: .* would lie among the files of"):
            check_target(str(folder / "o.csv"), "--out", {"data file": str(data)})
    with pytest.raises(UsageError, match="is the data file too"):
        check_target(str(tmp_path / "t.csv"), "--out", {"data file": str(tmp_path / "t.csv")})
    others = {"data file": str(data), "model file": None, "other": "-"}
    check_target(str(beside / "o.csv"), "--out", others)
    with pytest.raises(OutputError, match="a folder, expected the name of a file"):
        check_target(str(beside), "--out", others)
    with pytest.raises(OutputError, match="there is no folder 'nowhere'"):
        check_target(str(tmp_path / "nowhere" / "o.csv"), "--out", others)
    if os.geteuid():
        beside.chmod(0o500)
        with pytest.raises(OutputError, match="cannot be written to"):
            check_target(str(beside / "o.csv"), "--out", others)


def test_parts_without_a_row_are_passed_over(tmp_path, monkeypatch):
    """Of a folder of files, some rows of which are kept."""
    for k in range(4):
        pd.DataFrame({"a": np.arange(3.0) + 10 * k}).to_parquet(tmp_path / f"{k}.parquet")
    monkeypatch.setattr(streams, "WHOLE_VALUES", 11)
    found = open_data(str(tmp_path), Dialect())
    kept = found.keep(np.array([1, 2, 9, 11])).keep(np.array([0, 2, 3]))
    parts = [part.column("a").to_pylist() for part in kept.parts()]
    assert parts == [[1.0], [30.0, 32.0]]
    assert kept.n_rows == 3
    monkeypatch.setattr(streams, "WHOLE_VALUES", 12)  # as many are read whole
    assert isinstance(open_data(str(tmp_path), Dialect()), DataFile)


def test_a_header_that_looks_like_a_row_is_warned_of_in_parts_too(tmp_path, monkeypatch):
    monkeypatch.setattr(streams, "WHOLE_BYTES", 0)
    (tmp_path / "t.csv").write_text("1.5,2.5\n3,4\n5,6\n")
    with pytest.warns(UserWarning, match="the first line looks like a row"):
        found = open_data(str(tmp_path / "t.csv"), Dialect())
    assert (found.n_rows, found.names) == (2, ["1.5", "2.5"])


@pytest.mark.parametrize(
    ("content", "n_rows", "differ"),
    [
        ('a,b\n"1",2\n', 2, False),
        ('a,b\n"1",2', 2, False),  # the last line needs no end
        ('a,b\n"1\n1",2\n', 2, True),
        ('a,b\n"1,2\n', 2, True),
        ("a,b\n\n1,2\n", 2, False),  # nothing is quoted
    ],
)
def test_lines_are_rows_unless_something_is_quoted(tmp_path, content, n_rows, differ):
    path = tmp_path / "t.csv"
    path.write_text(content)
    assert Text(str(path), None, Dialect()).lines_differ_from_rows(n_rows) is differ
