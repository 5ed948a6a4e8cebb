"""An option that has no effect is an error, before any work."""

import pyarrow.csv
import pyarrow.parquet
import pytest
from cli_tables import ROLES

from marginboost.cli.errors import Exit

CONFIRMED = ("--decisions", "mine.csv", "--only-confirmed")
BOOSTED = ("--algorithm", "gradientboost")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("audit", "TABLE", *ROLES, "--port", "8000"), "--port: has no effect without --serve"),
        (("audit", "TABLE", *ROLES, "--no-browser"), "--no-browser: has no effect without --serve"),
        (
            ("audit", "TABLE", *ROLES, "--decisions", "mine.csv"),
            "--decisions: has no effect without --serve",
        ),
        (
            (
                "clean",
                "TABLE",
                *ROLES,
                "--out",
                "OUT",
                "--decisions",
                "mine.csv",
                "--only-confirmed",
                "--fdr",
                "0.1",
            ),
            "--fdr: has no effect with --only-confirmed",
        ),
        (
            ("fit", "TABLE", "--target", "size", "--out", "OUT", "--folds", "3"),
            "--folds: has no effect with --target",
        ),
        (
            (
                "fit",
                "TABLE",
                *ROLES,
                "--out",
                "OUT",
                "--algorithm",
                "gradientboost",
                "--param",
                "n_iter_no_change=3",
            ),
            "n_iter_no_change: got 3, which has no effect with early_stopping=False",
        ),
        (("explain", "MODEL", "--id", "name"), "--id: has no effect without a data file"),
        (("explain", "MODEL", "--decimal", ","), "--decimal: has no effect without a data file"),
        (("info", "--label", "answer"), "--label: has no effect without a data file"),
        (("info", "lpboost", "--no-header"), "--no-header: has no effect without a data file"),
        (("info", "MODEL", "--missing", "-"), "--missing: has no effect without a data file"),
        (("reproduce", "--list", "--jobs", "2"), "--jobs: has no effect with --list"),
    ],
    ids=lambda given: given if isinstance(given, str) else "",
)
def test_an_option_without_effect_is_refused(run, table, model_file, tmp_path, arguments, message):
    places = {"TABLE": table, "MODEL": model_file, "OUT": tmp_path / "out.json"}
    result = run(*(places.get(argument, argument) for argument in arguments))
    assert result.code == Exit.USAGE
    assert message in result.err
    assert not (tmp_path / "out.json").exists()


@pytest.mark.parametrize(
    "option", [("--delimiter", ";"), ("--encoding", "cp1252"), ("--no-header",)], ids=lambda o: o[0]
)
@pytest.mark.parametrize("command", [("info",), ("fit", "--label", "answer", "--out", "OUT")])
@pytest.mark.parametrize("in_folder", [False, True])
def test_files_with_types_need_no_way_to_read_text(
    run, table, tmp_path, command, option, in_folder
):
    (tmp_path / "parts").mkdir()
    typed = tmp_path / "parts" / "table.parquet"
    pyarrow.parquet.write_table(pyarrow.csv.read_csv(table), typed)
    data = typed.parent if in_folder else typed
    name, *rest = command
    rest = [tmp_path / "out.json" if argument == "OUT" else argument for argument in rest]
    result = run(name, data, *rest, *option)
    assert result.code == Exit.USAGE
    assert f"{option[0]}: has no effect on Parquet and Arrow files" in result.err
