"""The command that runs experiments: its list, its files, its errors."""

import json
import sys

import pytest

import marginboost_experiments as experiments
from marginboost_experiments import runner
from marginboost_experiments.published import leveraging_rates


@pytest.fixture
def small(monkeypatch):
    """Make the quick size of one experiment as small as its tiny one."""
    sizes = leveraging_rates.EXPERIMENT.sizes
    monkeypatch.setitem(sizes, "quick", {"factor": 0.1})


def test_list(run):
    found = run("reproduce", "--list")
    assert found.code == 0
    named, _, without = found.out.partition("\n\n")
    assert [line.split()[0] for line in named.splitlines()] == experiments.names()
    listed = [line.split()[0] for line in without.splitlines()[1:]]
    assert listed == list(experiments.WITHOUT_COMMAND)
    data = run("reproduce", "--list", "--json").json
    assert {"id", "title"} == data["experiments"][0].keys()
    assert {"id", "reason"} == data["without_command"][0].keys()


def test_a_run_leaves_its_files(run, small, tmp_path):
    found = run("reproduce", "leveraging-rates", "--out", tmp_path, "--jobs", 1)
    assert found.code == 0, found.err
    assert "holds: LS-Boost's first version stalls" in found.out
    assert {file.name for file in tmp_path.iterdir()} == {
        f"leveraging-rates.{end}" for end in ("json", "md", "png", "trials.jsonl")
    }
    data = json.loads((tmp_path / "leveraging-rates.json").read_text())
    assert data["size"] == "quick"
    again = run("reproduce", "leveraging-rates", "--out", tmp_path, "--jobs", 1, "--json").json
    assert again["tables"] == data["tables"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "expected an experiment or --list"),
        (["ring", "--list"], "and not both"),
        (["rnig"], "did you mean 'ring'"),
        (["ring", "--jobs", 0], "--jobs: got 0, expected at least 1"),
        (["ring", "--data", "nowhere"], "--data: got 'nowhere', expected a folder"),
    ],
)
def test_usage(run, arguments, message):
    found = run("reproduce", *arguments)
    assert found.code == 2
    assert message in found.err


def test_data_that_is_nowhere(run, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("MARGINBOOST_DATA", raising=False)
    monkeypatch.setattr("marginboost.datasets.loading._fetch", _nothing)
    found = run("reproduce", "label-noise", "--data", tmp_path)
    monkeypatch.delenv("MARGINBOOST_DATA", raising=False)
    assert found.code == 3
    assert "ida_banana" in found.err
    assert "Not here either: ida_breast_cancer, " in found.err


def test_a_folder_that_cannot_be_made_is_refused_before_any_trial(run, tmp_path, monkeypatch):
    monkeypatch.setattr(runner, "run", None)
    (tmp_path / "file").touch()
    for name in (tmp_path / "file", tmp_path / "file" / "folder"):
        found = run("reproduce", "leveraging-rates", "--out", name)
        assert found.code == 6
        assert "expected a folder" in found.err


def test_a_figure_that_cannot_be_drawn_is_said(run, small, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    found = run("reproduce", "leveraging-rates", "--out", tmp_path, "--jobs", 1)
    assert found.code == 0
    assert "no figure: matplotlib is not installed" in found.err
    assert not list(tmp_path.glob("*.png"))


def _nothing(source):
    from marginboost.datasets import MissingDataError

    raise MissingDataError(f"{source.name}: not found; {source.ways()}")
