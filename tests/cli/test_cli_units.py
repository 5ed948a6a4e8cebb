"""Helpers of the command line, one by one: what each number, word and tie in them is."""

import argparse
import math
import warnings

import numpy as np
import pyarrow as pa
import pytest
from cli_tables import read

from marginboost import AdaBoostClassifier, MulticlassBooster
from marginboost.cli import columns, dataset, options
from marginboost.cli.dialect import MISSING, Dialect
from marginboost.cli.errors import (
    CommandError,
    DataError,
    Exit,
    ModelError,
    OutputError,
    PackageError,
    UsageError,
    require,
    suggest,
)
from marginboost.cli.models import parts_of
from marginboost.cli.output import bar, check_target, sparkline, table_bytes, visible
from marginboost.cli.reading import shorten

# -- output ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("share", "length"),
    [
        (0, 0),
        (0.024, 0),
        (0.026, 1),
        (0.5, 10),
        (0.974, 19),
        (0.976, 20),
        (1, 20),
        (7, 20),
        (-1, 0),
    ],
)
def test_bars(share, length):
    assert bar(share) == "█" * length


def test_bars_of_other_widths():
    assert bar(0.5, 4) == "██"
    assert bar(1.0, 1) == "█"


@pytest.mark.parametrize(
    ("levels", "line"),
    [
        ([1.0], "▁"),
        ([2.0, 2.0], "▁▁"),
        ([0.0, 1.0], "▁█"),
        ([1.0, 0.0], "█▁"),
        ([0, 1, 2, 3, 4, 5, 6, 7], "▁▂▃▄▅▆▇█"),
        ([-7, 0], "▁█"),
        ([0.0, 0.4999, 0.5, 7.0], "▁▁▂█"),
    ],
)
def test_sparklines(levels, line):
    assert sparkline(levels) == line


def test_long_sparklines_keep_their_ends():
    assert sparkline(range(24)) == "".join(
        "▁▂▃▄▅▆▇█"[math.floor(7 * i / 23 + 0.5)] for i in range(24)
    )
    line = sparkline([0.0] * 50 + [1.0])
    assert (len(line), line[-1]) == (24, "█")
    assert sparkline([1.0] + [0.0] * 50)[0] == "█"
    assert sparkline([3, 1, 2, 5], width=3) == "▅▁█"


@pytest.mark.parametrize(
    ("text", "limit", "shown"),
    [
        ("x" * 48, 48, "x" * 48),
        ("x" * 49, 48, "x" * 47 + "…"),
        ("abc", 3, "abc"),
        ("abcd", 3, "ab…"),
        ("a\nb\x1b", 48, "a\\nb\\x1b"),
        (None, 48, "None"),
    ],
)
def test_visible(text, limit, shown):
    assert visible(text, limit) == shown
    if limit == 48:
        assert visible(text) == shown


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("x.csv", b"a,b\n"),
        ("x", b"a,b\n"),
        ("x.TSV", b"a\tb\n"),
        ("x.tab", b"a\tb\n"),
        ("x.parquet", b"PAR1"),
        ("x.arrow", b"ARROW1"),
        ("x.feather", b"ARROW1"),
        ("x.parquet.csv", b"a,b\n"),
        ("x.csv.gz", b"\x1f\x8b"),
        ("gz", b"a,b\n"),
    ],
)
def test_formats_follow_the_name(name, start):
    assert table_bytes({"a": [1], "b": [2]}, name).startswith(start)


def test_packed_tables_name_no_time():
    """Equal tables are equal files; 0 is gzip's word for no time stamp."""
    assert table_bytes({"a": [1]}, "x.csv.gz")[4:8] == bytes(4)


def test_targets(tmp_path):
    (tmp_path / "file").touch()
    check_target(str(tmp_path / "file"), "--out", {})
    check_target(str(tmp_path / "new"), "--out", {"data file": str(tmp_path / "file")})
    with pytest.raises(OutputError, match="a folder, expected the name of a file") as caught:
        check_target(str(tmp_path), "--out", {})
    assert caught.value.place == {"file": str(tmp_path)}
    with pytest.raises(OutputError, match="there is no folder 'no'"):
        check_target(str(tmp_path / "no" / "x"), "--out", {})
    with pytest.raises(UsageError, match=r"--scores: .* is the data file too"):
        check_target(str(tmp_path / "x"), "--scores", {"data file": str(tmp_path / "x")})


# -- errors ----------------------------------------------------------------------------------------


def test_exit_codes():
    kinds = {CommandError: 2, UsageError: 2, DataError: 3, ModelError: 4, OutputError: 6}
    for kind, code in {**kinds, PackageError: 7}.items():
        assert kind("x").exit == code
    assert [int(code) for code in Exit] == [0, 2, 3, 4, 5, 6, 7, 8, 130, 141]


def test_places_that_are_not_known_are_left_out():
    error = CommandError("x", file="f", row=0, line=None)
    assert error.place == {"file": "f", "row": 0}


def test_packages():
    assert require("pyarrow") is pa
    with pytest.raises(PackageError, match=r"the package 'nowhere' is needed.*marginboost\[cli\]"):
        require("nowhere.inside")


def test_suggestions():
    assert suggest("Agee", ["age", "weight"]) == "did you mean 'age'?"
    assert suggest("ag", ["age", "agx"]) == "did you mean 'agx' or 'age'?"
    assert suggest("zzz", ["a", "b"]) == "known are 'a', 'b'"
    known = [f"name{i}" for i in range(9)]
    assert suggest("qqq", known) == "known are " + ", ".join(map(repr, known))
    assert suggest("qqq", known, most=8) == "known are " + ", ".join(map(repr, known[:8])) + ", …"
    assert suggest("qqq", known, most=9).endswith("'name8'")


# -- reading and columns ---------------------------------------------------------------------------


def test_shortened_values():
    assert shorten("x" * 58) == repr("x" * 58)
    text = shorten("a" * 30 + "b" * 30)
    assert text == "'" + "a" * 30 + "b" * 17 + " … " + "b" * 9 + "'"
    assert shorten("abcdefghijklmnopqrstuvwxyz", 20) == "'abcdefg … rstuvwxyz'"


@pytest.mark.parametrize(
    ("n_text", "kind"),
    [(0, "double"), (1, "mixed"), (4, "mixed"), (5, "dictionary"), (9, "dictionary")],
)
def test_half_of_the_values_decide(tmp_path, n_text, kind):
    cells = ["x"] * n_text + ["1"] * (10 - n_text)
    file = read(tmp_path, "a,b\n" + "".join(f"{cell},0\n" for cell in cells))
    if kind == "mixed":
        with pytest.raises(DataError, match=f"'x' is not a finite number .{n_text} of 10 values"):
            columns.find_type(file, "a")
    else:
        assert str(columns.find_type(file, "a").type).startswith(kind)


def test_missing_values_do_not_count_as_values(tmp_path):
    file = read(tmp_path, "a,b\n" + "NA,0\n" * 20 + "x,0\n1,0\n")
    assert columns.find_type(file, "a").null_count == 20


@pytest.mark.parametrize(("n", "warned"), [(50, False), (51, True)])
def test_many_categories_look_like_names(tmp_path, n, warned):
    file = read(tmp_path, "a,b\n" + "".join(f"n{i},0\n" for i in range(n)))
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        columns.categories(file, "a")
    assert bool(heard) == warned
    if warned:
        assert f"column 'a' has {n} categories in {n} rows: names of rows?" in str(heard[0].message)


@pytest.mark.parametrize(("repeated", "warned"), [(59, True), (60, False)])
def test_categories_that_repeat_are_no_names(tmp_path, repeated, warned):
    cells = [f"n{i}" for i in range(60)] + [f"n{i}" for i in range(repeated)]
    file = read(tmp_path, "a,b\n" + "".join(f"{cell},0\n" for cell in cells))
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        columns.categories(file, "a")
    assert bool(heard) == warned


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["1", "2"], [1, 2]),
        (["-1", "1.0"], [-1, 1]),
        (["0", "1."], [0, 1]),
        (["1", "1.0"], ["1", "1.0"]),
        (["01", "1"], ["01", "1"]),
        (["1.5", "2"], ["1.5", "2"]),
        (["1" * 18, "0"], [int("1" * 18), 0]),
        (["1" * 19, "0"], ["1" * 19, "0"]),
    ],
)
def test_labels_are_whole_numbers_or_text(tmp_path, cells, expected):
    file = read(tmp_path, "y,b\n" + "".join(f"{cell},0\n" for cell in cells))
    assert columns.label_values(file, "y").tolist() == expected


def test_the_first_row_that_is_wrong_is_named(tmp_path):
    file = read(tmp_path, "w,y,z\n1,a,0\n,b,0\n-1,,0\n")
    with pytest.raises(DataError, match="weight ''; expected a number of at least 0") as caught:
        columns.weight_values(file, "w")
    assert (caught.value.place["row"], caught.value.place["line"]) == (2, 3)
    with pytest.raises(DataError, match="1 of 3 rows have no label") as caught:
        columns.label_texts(file, "y")
    assert caught.value.place == {"file": file.path, "column": "y", "row": 3, "line": 4}
    with pytest.raises(DataError, match="all weights are 0"):
        columns.weight_values(file, "z")
    file = read(tmp_path, "w,y\n0,a\n2,b\n")
    assert columns.weight_values(file, "w").tolist() == [0.0, 2.0]


# -- data sets -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n_classes", "n_rows", "good"),
    [(30, 60, True), (31, 60, False), (31, 310, True), (32, 310, False)],
)
def test_too_many_classes(tmp_path, n_classes, n_rows, good):
    labels = np.arange(n_rows) % n_classes
    file = read(tmp_path, "x,y\n" + "".join(f"{i},{label}\n" for i, label in enumerate(labels)))
    data = dataset.Dataset(file, None, labels, None)
    if good:
        dataset.check_classes(data, "y")
    else:
        message = f"{n_classes} different labels in {n_rows} rows .0, 1, 2, 3, …."
        with pytest.raises(DataError, match=message):
            dataset.check_classes(data, "y")


@pytest.mark.parametrize(
    ("value", "text"),
    [(True, "true"), (1.0, "1"), (1.5, "1.5"), (-2.0, "-2"), (3, "3"), ("A", "A")],
)
def test_plain_text(value, text):
    assert dataset.plain_text(value) == text


def test_missing_values_are_counted():
    table = pa.table({"a": [1.0, None, math.nan], "b": pa.array(["x", None, "y"]), "c": [1, 2, 3]})
    assert dataset.missing_values(table) == 3


# -- options ---------------------------------------------------------------------------------------


def reading_options(*arguments):
    parser = argparse.ArgumentParser()
    options.add_reading(parser)
    return options.dialect_of(parser.parse_args(arguments))


def test_dialects():
    assert reading_options() == Dialect(None, None, MISSING, ".")
    assert reading_options("--delimiter", "tab").delimiter == "\t"
    assert reading_options("--delimiter", "\\t").delimiter == "\t"
    assert reading_options("--delimiter", ";", "--decimal", ",", "--encoding", "cp1252") == Dialect(
        ";", "cp1252", MISSING, ","
    )
    found = reading_options("--missing", "-9", "--not-missing", "None", "--not-missing", "?")
    assert found.missing == (*(m for m in MISSING if m not in ("None", "?")), "-9")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--delimiter", "ab"], "--delimiter: got 'ab', expected one character, or tab"),
        (["--delimiter", ""], "--delimiter: got ''"),
        (["--delimiter", '"'], "--delimiter"),
        (["--delimiter", "\n"], "--delimiter"),
        (["--decimal", ";"], "--decimal: got ';', expected . or ,"),
        (["--not-missing", "x"], "--not-missing: 'x' does not mean missing anyway"),
    ],
)
def test_bad_dialects(arguments, message):
    with pytest.raises(UsageError) as caught:
        reading_options(*arguments)
    assert message in str(caught.value)


def test_defaults_of_options():
    parser = argparse.ArgumentParser()
    options.add_roles(parser)
    options.add_settings(parser)
    options.add_data(parser)
    args = parser.parse_args(["data.csv", "--label", "y"])
    assert vars(args) == {
        **{"data": "data.csv", "label": "y", "target": None, "id": None, "weight": None},
        **{"drop": []},
        **{"categorical": [], "rounds": None, "depth": None, "seed": 0, "jobs": None},
    }
    with pytest.raises(SystemExit):
        parser.parse_args(["data.csv"])
    parser = argparse.ArgumentParser()
    options.add_roles(parser, label_required=False)
    options.add_data(parser, optional=True)
    assert parser.parse_args([]).data is None


def test_errors_name_places_in_the_file_whatever_rows_are_kept(tmp_path):
    file = read(tmp_path, "a,b\n1,2\n3,4\n5,6\n7,8\n")
    assert "row 2 (line 3)" in str(file.error("problem", row=1))
    kept = file.keep(np.array([1, 3]))
    assert "row 4 (line 5)" in str(kept.error("problem", row=1))
    assert "row 4 (line 5)" in str(kept.keep(np.array([1])).error("problem", row=0))
    assert "row" not in str(kept.error("problem")).replace(str(tmp_path), "")


def test_parts_of_a_model_are_named_by_their_sides():
    """One class by its name, several below zero as the rest, several above it one by one."""
    X, y = np.arange(12.0)[:, None], np.repeat(["a", "b", "c"], 4)
    model = MulticlassBooster(AdaBoostClassifier(n_estimators=1), code="all-pairs").fit(X, y)
    assert [part.sides for part in parts_of(model.estimator_)] == [
        ["a", "b"],
        ["a", "c"],
        ["b", "c"],
    ]
    code = [[-1, 1], [1, -1], [1, 1]]
    model = MulticlassBooster(AdaBoostClassifier(n_estimators=1), code=code).fit(X, y)
    parts = parts_of(model.estimator_)
    assert [part.sides for part in parts] == [["a", "b or c"], ["b", "a or c"]]
    assert [part.code for part in parts] == [[-1, 1, 1], [1, -1, 1]]
    assert [part.name for part in parts] == ["b or c", "a or c"]
    model = AdaBoostClassifier(n_estimators=1).fit(X, y)
    assert parts_of(model)[0].sides == ["the other classes", "a"]
    (part,) = parts_of(AdaBoostClassifier(n_estimators=1).fit(X[:8], y[:8]))
    assert (part.name, part.sides, part.code) == ("", ["a", "b"], [-1, 1])
