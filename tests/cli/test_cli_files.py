"""Files that commands write: never over an input, whole or not at all, and what went wrong."""

import gzip
import os
import stat
import subprocess
import sys
import threading

import pytest
from cli_tables import QUICK, ROLES

from marginboost import load
from marginboost.cli import main as main_module
from marginboost.cli.errors import OutputError, UsageError
from marginboost.cli.output import check_target, write_file, writing
from marginboost.core import checkpoint

POSIX = pytest.mark.skipif(os.name != "posix", reason="devices, pipes and modes of POSIX")
FULL = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is full")


def links(path):
    """The file under four names."""
    symbolic, hard = path.with_name("symbolic"), path.with_name("hard")
    symbolic.symlink_to(path)
    os.link(path, hard)
    return path, symbolic, hard, path.parent / "." / path.name


def test_fit_does_not_write_over_its_table(table, run):
    before = table.read_bytes()
    for out in links(table):
        found = run("fit", table, *ROLES, *QUICK, "--out", out)
        assert found.code == 2
        assert f"--out: {out} is the data file too; expected another file" in found.err
    found = run("fit", table, *ROLES, *QUICK, "--out", "m.json", "--checkpoint", table)
    assert (found.code, "--checkpoint" in found.err) == (2, True)
    assert table.read_bytes() == before


def test_fit_does_not_write_its_model_over_its_checkpoint(table, run, tmp_path):
    out = tmp_path / "m.json"
    found = run("fit", table, *ROLES, *QUICK, "--out", out, "--checkpoint", out)
    assert found.code == 2
    assert f"--checkpoint: {out} is the model file too" in found.err


def test_predict_does_not_write_over_its_inputs(table, model_file, run):
    before = table.read_bytes(), model_file.read_bytes()
    for out, what in ((table, "data"), (model_file, "model")):
        found = run("predict", model_file, table, "--out", out)
        assert found.code == 2
        assert f"--out: {out} is the {what} file too" in found.err
    assert (table.read_bytes(), model_file.read_bytes()) == before


def test_standard_input_is_no_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    check_target("-", "--out", {"data file": "-", "model file": None})
    with pytest.raises(UsageError, match="--out: x is the model file too"):
        check_target("x", "--out", {"data file": "-", "model file": "./x"})


OUTPUTS = {
    "fit": ("fit", "-", *ROLES, *QUICK, "--out"),
    "fit's checkpoint": ("fit", "-", *ROLES, *QUICK, "--out", "m.json", "--checkpoint"),
    "predict": ("predict", "MODEL", "-", "--out"),
    "clean": ("clean", "-", *ROLES, "--out"),
    "audit": ("audit", "-", *ROLES, "--out"),
    "audit's scores": ("audit", "-", *ROLES, "--scores"),
    "audit's decisions": ("audit", "-", *ROLES, "--serve", "--decisions"),
    "evaluate": ("evaluate", "MODEL", "-", *ROLES, "--out"),
    "explain": ("explain", "MODEL", "-", *ROLES, "--out"),
}


@pytest.mark.parametrize("command", OUTPUTS)
def test_what_standard_input_reads_is_not_written_over(
    command, table, model_file, run, monkeypatch
):
    arguments = [model_file if word == "MODEL" else word for word in OUTPUTS[command]]
    before = table.read_bytes()
    for out in links(table):
        with open(table) as given:
            monkeypatch.setattr("sys.stdin", given)
            found = run(*arguments, out)
        assert f"{arguments[-1]}: {out} is the data file too; expected another file" in found.err
        assert found.code == 2
    assert table.read_bytes() == before


def test_a_process_does_not_write_over_what_it_reads(table):
    """The redirection is the shell's: the program sees a number, and no name."""
    before = table.read_bytes()
    command = [sys.executable, "-m", "marginboost", *OUTPUTS["fit"], str(table)]
    with open(table) as given:
        found = subprocess.run(command, stdin=given, capture_output=True, text=True, timeout=60)
    assert (found.returncode, found.stdout) == (2, "")
    assert f"--out: {table} is the data file too" in found.stderr
    assert table.read_bytes() == before


def test_another_file_than_standard_input_reads_may_be_written(table, tmp_path, monkeypatch):
    copy = tmp_path / "copy.csv"
    copy.write_bytes(table.read_bytes())
    with open(table) as given:
        monkeypatch.setattr("sys.stdin", given)
        check_target(str(copy), "--out", {"data file": "-"})
    check_target(str(table), "--out", {"data file": "-"})  # closed by now
    monkeypatch.setattr("sys.stdin", None)
    check_target(str(table), "--out", {"data file": "-"})


@POSIX
def test_modes_are_kept(table, model_file, run, tmp_path):
    model_file.chmod(0o600)
    assert run("fit", table, *ROLES, *QUICK, "--out", model_file).code == 0
    assert stat.S_IMODE(model_file.stat().st_mode) == 0o600
    out = tmp_path / "p.csv"
    out.touch(0o640)
    assert run("predict", model_file, table, "--out", out).code == 0
    assert stat.S_IMODE(out.stat().st_mode) == 0o640


@POSIX
def test_a_pipe_gets_the_predictions(table, model_file, run, tmp_path):
    pipe, heard = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: heard.append(pipe.read_bytes()))
    reader.start()
    assert run("predict", model_file, table, "--out", pipe).code == 0
    reader.join(20)
    assert heard[0].decode() == run("predict", model_file, table).out
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@FULL
def test_a_full_device_is_named(table, model_file, run, tmp_path):
    full = tmp_path / "full"
    full.symlink_to("/dev/full")
    for command in (("fit", table, *ROLES, *QUICK), ("predict", model_file, table)):
        found = run(*command, "--out", full)
        assert found.code == 6
        assert found.err.endswith(f"error: {full}: No space left on device\n")
        assert "Traceback" not in found.err
    assert stat.S_ISCHR(os.stat("/dev/full").st_mode)


@POSIX
def test_a_checkpoint_is_a_plain_file(table, run, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    found = run("fit", table, *ROLES, *QUICK, "--out", tmp_path / "m", "--checkpoint", pipe)
    assert found.code == 3
    assert f"checkpoint {pipe}: not a plain file" in found.err
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert not (tmp_path / "m").exists()


@POSIX
def test_a_checkpoint_behind_a_link(table, run, tmp_path):
    link, kept = tmp_path / "link", tmp_path / "run.json"
    link.symlink_to(kept)
    found = run("fit", table, *ROLES, *QUICK, "--out", tmp_path / "m", "--checkpoint", link)
    assert found.code == 0
    assert link.is_symlink()
    assert not kept.exists()


@FULL
def test_standard_output_that_is_full(model_file, table):
    with open("/dev/full", "wb") as full:
        child = subprocess.run(
            [sys.executable, "-m", "marginboost", "predict", model_file, table],
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert child.returncode == 6
    assert child.stderr.endswith(b"error: standard output: No space left on device\n")
    assert b"Traceback" not in child.stderr


@FULL
def test_a_run_is_not_lost_when_there_is_no_room_for_the_model(table, run, tmp_path):
    kept, full, out = tmp_path / "run.json", tmp_path / "full", tmp_path / "m.json"
    full.symlink_to("/dev/full")
    assert run("fit", table, *ROLES, *QUICK, "--out", full, "--checkpoint", kept).code == 6
    assert kept.exists()
    assert run("fit", table, *ROLES, *QUICK, "--out", out, "--checkpoint", kept).code == 0
    assert not kept.exists()
    assert run("fit", table, *ROLES, *QUICK, "--out", tmp_path / "whole.json").code == 0
    first, second = (load(path).ensemble_ for path in (out, tmp_path / "whole.json"))
    assert first.coef.tolist() == second.coef.tolist()
    assert first.members == second.members


def test_a_checkpoint_in_a_folder_that_is_not_there(table, run, tmp_path):
    options = ("--out", tmp_path / "m.json", "--checkpoint", tmp_path / "no" / "run.json")
    found = run("fit", table, *ROLES, *QUICK, *options)
    assert found.code == 6
    assert found.err == f"error: {options[3]}: there is no folder 'no'\n"


def test_a_checkpoint_that_cannot_be_written_later(table, run, tmp_path, monkeypatch):
    def fail(path, content):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(checkpoint, "write_whole", fail)
    kept = tmp_path / "run.json"
    options = ("--out", tmp_path / "m.json", "--checkpoint", kept)
    found = run("fit", table, *ROLES, *QUICK, *options)
    assert (found.code, found.err) == (6, f"error: {kept}: Permission denied\n")


def test_a_nested_checkpoint_is_told_in_one_line(table, run, tmp_path):
    kept = tmp_path / "run.json"
    kept.write_text("[" * 100_000)
    found = run("fit", table, *ROLES, *QUICK, "--out", tmp_path / "m", "--checkpoint", kept)
    assert found.code == 3
    assert "not a checkpoint file" in found.err
    assert found.err.count("\n") == 1


@pytest.mark.parametrize("problem", [MemoryError(), MemoryError("1 EiB")])
def test_too_little_memory(table, run, monkeypatch, problem):
    def fail(args):
        raise problem

    monkeypatch.setattr("marginboost.cli.info.run", fail)
    found = run("info", table, "--json")
    assert found.code == 8
    assert found.json["error"]["kind"] == "memory"
    detail = " (1 EiB)" if problem.args else ""
    message = f"the data or the model need more memory than there is{detail}"
    assert found.err == f"error: {message}\n"


def test_other_errors_of_the_system_name_their_file(table, run, monkeypatch):
    def fail(args):
        raise PermissionError(13, "Permission denied", "some file")

    monkeypatch.setattr("marginboost.cli.info.run", fail)
    monkeypatch.setattr(main_module.os, "dup2", lambda *_: None)
    found = run("info", table)
    assert (found.code, found.err) == (6, "error: some file: Permission denied\n")


def test_errors_of_other_files_are_not_ours(tmp_path):
    with pytest.raises(FileNotFoundError), writing("ours"):
        open(tmp_path / "theirs")  # noqa: SIM115
    with pytest.raises(FileNotFoundError), writing(None):
        open(tmp_path / "theirs")  # noqa: SIM115
    with pytest.raises(OutputError, match="theirs: No such file") as caught:
        write_file(str(tmp_path / "no" / "theirs"), b"")
    assert caught.value.place == {"file": str(tmp_path / "no" / "theirs")}


@pytest.mark.parametrize("ratio", [90, 1000])
def test_tables_that_unpack_to_too_much(run, tmp_path, monkeypatch, ratio):
    monkeypatch.setattr("marginboost.cli.reading.SPARE_BYTES", 0)
    monkeypatch.setattr("marginboost.cli.reading.MOST_PACKED", 100)
    path, line = tmp_path / "t.csv.gz", b"1,2\n"
    packed = gzip.compress(b"a,b\n" + line * 100_000)
    size = len(packed) * ratio
    rows = b"a,b\n" + line * (size // len(line))
    path.write_bytes(gzip.compress(rows[:size], 9).ljust(len(packed), b"\0"))
    found = run("info", path)
    if ratio == 90:
        assert found.code == 0
    else:
        assert found.code == 3
        assert "more than 100 times its size; if that is right, unpack it first" in found.err
