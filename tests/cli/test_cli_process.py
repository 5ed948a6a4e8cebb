"""The command line as a process of its own: exit codes, streams, signals, terminals."""

import json
import os
import signal
import subprocess
import sys
import time
import tomllib
from importlib import import_module
from pathlib import Path

import pytest
from cli_tables import ROLES, toy_rows, write_rows

import marginboost
from marginboost.cli.main import main

COMMAND = [sys.executable, "-m", "marginboost"]
ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "1"}


def process(*arguments, **settings):
    """Run to the end; text of both streams."""
    return subprocess.run(
        [*COMMAND, *map(str, arguments)],
        capture_output=True,
        encoding="utf-8",
        env=ENVIRONMENT,
        timeout=120,
        **settings,
    )


def test_nothing_heavy_is_imported_for_help():
    heavy = {"numpy", "scipy", "sklearn", "numba", "pandas", "pyarrow", "rich"}
    code = (
        "import sys; from marginboost.cli.main import make_parser; make_parser().format_help(); "
        f"print(sorted({heavy} & set(sys.modules)))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_every_public_name_can_be_imported():
    assert all(getattr(marginboost, name) is not None for name in marginboost.__all__)
    assert set(marginboost.__all__) <= set(dir(marginboost))
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = marginboost.nothing


def test_the_console_script_is_this_program():
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())
    module, _, name = project["project"]["scripts"]["marginboost"].partition(":")
    assert getattr(import_module(module), name) is main


def test_exit_codes_that_need_no_work(table, tmp_path):
    assert process("--version").returncode == 0
    for arguments in ([], ["nix"], ["fit"], ["fit", table, "--lab", "x"]):
        found = process(*arguments)
        assert found.returncode == 2
        assert found.stdout == ""
        assert "usage: marginboost" in found.stderr
    found = process("info", tmp_path / "nowhere.csv")
    assert found.returncode == 3
    assert found.stderr.startswith("error: ")
    assert "Traceback" not in found.stderr
    assert process("fit", table, *ROLES, "--out", tmp_path / "no" / "m.json").returncode == 6


def test_exit_code_of_a_missing_package(table):
    code = (
        "import sys; sys.modules['pyarrow'] = None; from marginboost.cli.main import main; "
        f"sys.exit(main(['info', {str(table)!r}]))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True).returncode == 7


@pytest.mark.slow
def test_exit_codes_of_work(table, model_file, run):
    """Predict from standard input; a forged certificate; a broken model; one JSON object each."""
    with table.open() as rows:
        predicted = process("predict", model_file, "-", "--json", stdin=rows)
    assert predicted.returncode == 0
    assert len(json.loads(predicted.stdout)["predictions"]["vote"]) == 80
    assert predicted.stderr.startswith("warning: ")  # columns that the model does not use

    document = json.loads(model_file.read_text())
    document["certificate"]["upper"] = document["certificate"]["lower"] - 0.1
    model_file.write_text(json.dumps(document))
    certified = run("certify", model_file, table, "--label", "answer", "--json")
    assert certified.code == 5
    assert not certified.json["holds"]

    model_file.write_text("{}")
    refused = run("predict", model_file, table, "--json")
    assert refused.code == 4
    assert refused.json["error"]["kind"] == "model"


def test_a_reader_that_goes_away(table):
    child = subprocess.Popen(
        [*COMMAND, "info", str(table), "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
    )
    child.stdout.close()
    errors = child.stderr.read()
    child.stderr.close()
    assert child.wait(60) == 141
    assert errors == b""


@pytest.mark.skipif(os.name != "posix", reason="signals and terminals of POSIX")
def test_an_interrupted_fit_goes_on(tmp_path):
    table = write_rows(tmp_path / "t.csv", *toy_rows(400))
    checkpoint, out = tmp_path / "run.json", tmp_path / "m.json"
    fit = ["fit", table, *ROLES, "--algorithm", "adaboost", "--jobs", "1"]
    child = subprocess.Popen(
        [*COMMAND, *map(str, fit), "--rounds=10000000", "--checkpoint", checkpoint, "--out", out],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
    )
    waited = time.monotonic() + 100
    while not checkpoint.exists() and time.monotonic() < waited:
        time.sleep(0.05)
    child.send_signal(signal.SIGINT)
    output, errors = child.communicate(timeout=60)
    assert child.returncode == 130
    assert output == b""
    assert f"interrupted. The run is kept in {checkpoint}" in errors.decode()
    assert not out.exists()

    rounds = json.loads(checkpoint.read_text())["state"]["round"] + 20
    resumed, whole = tmp_path / "resumed.json", tmp_path / "whole.json"
    more = ["--rounds", str(rounds)]
    assert (
        main([*map(str, fit), *more, "--out", str(resumed), "--checkpoint", str(checkpoint)]) == 0
    )
    assert main([*map(str, fit), *more, "--out", str(whole)]) == 0
    first, second = (json.loads(path.read_text())["ensemble"] for path in (resumed, whole))
    assert first == second


def on_terminal(arguments, environment, streams):
    """Run with some streams on a terminal; return exit code, what it showed, other output."""
    import pty

    leader, follower = pty.openpty()
    child = subprocess.Popen(
        [*COMMAND, *map(str, arguments)],
        env={**ENVIRONMENT, "TERM": "xterm-256color", "COLUMNS": "100", **environment},
        **{
            "stdout": subprocess.PIPE,
            "stderr": subprocess.PIPE,
            **dict.fromkeys(streams, follower),
        },
    )
    os.close(follower)
    shown = b""
    while True:
        try:
            part = os.read(leader, 4096)
        except OSError:  # the other side is closed
            break
        if not part:
            break
        shown += part
    os.close(leader)
    output, _ = child.communicate(timeout=60)
    return child.returncode, shown.decode(), output


@pytest.mark.skipif(os.name != "posix", reason="signals and terminals of POSIX")
def test_terminals(table, tmp_path):
    """The bar goes to a terminal; NO_COLOR is respected."""
    fit = ["fit", table, *ROLES, "--algorithm", "adaboost", "--out", tmp_path / "m.json"]
    code, shown, _ = on_terminal(fit, {"NO_COLOR": "1"}, ["stdout", "stderr"])
    assert code == 0
    assert "50/50" in shown
    assert "AdaBoostClassifier" in shown
    assert not [sign for sign in ("\x1b[3", "\x1b[9", "\x1b[1;3", "\x1b[38") if sign in shown]


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals and terminals of POSIX")
def test_a_terminal_on_standard_error(table, tmp_path):
    """The bar goes to it, and the answer to where standard output leads."""
    fit = ["fit", table, *ROLES, "--algorithm", "adaboost", "--out", tmp_path / "m.json"]
    code, shown, output = on_terminal([*fit, "--json"], {}, ["stderr"])
    assert code == 0
    assert "50/50" in shown
    assert json.loads(output)["ok"]
