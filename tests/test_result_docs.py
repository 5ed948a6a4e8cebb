"""Documents show what the files of results say."""

import sys
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from sklearn.tree import DecisionTreeClassifier

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # the folder is not installed
pytest.importorskip("benchmarks.sizes", reason="the benchmarks are not part of this distribution")

from benchmarks import robust
from benchmarks.environment import ROOT, environment
from benchmarks.result_docs import DOCUMENTS, measured
from benchmarks.robust import by_size, summary
from benchmarks.robust_docs import guide, markdown, what_was_run
from benchmarks.robust_times import recorded, time_goals, time_table
from benchmarks.robust_trials import TRIALS, trials_table
from benchmarks.sizes import QUICK

from marginboost_experiments.packed import read_json

RESULTS = ROOT / "docs" / "results"


@pytest.mark.parametrize("name", DOCUMENTS)
def test_measured_parts_are_those_of_the_file(name):
    found = read_json(RESULTS / f"{name}.json.gz")
    assert measured(found, name) in (ROOT / "docs" / DOCUMENTS[name][0]).read_text()


@pytest.mark.parametrize("name", DOCUMENTS)
def test_files_say_when_and_on_what_they_were_measured(name):
    made = read_json(RESULTS / f"{name}.json.gz")["environment"]
    assert date.fromisoformat(made["date"]) <= datetime.now(UTC).date()
    assert made["processor"]
    assert {"marginboost", "numpy", "scikit-learn"} <= made["versions"].keys()
    assert "not installed" not in (made["python"], made["versions"]["marginboost"])


def test_the_robust_default_is_shown_as_it_was_measured():
    found = read_json(RESULTS / "robust.json.gz")
    shown = (ROOT / "docs" / "robust.md").read_text()
    tables, _ = summary(found["results"])
    for part in [what_was_run(found), *(markdown(table) for table in tables)]:
        assert part in shown
    times = recorded()
    assert times is not None
    assert markdown(time_table(times)) in shown
    assert markdown(trials_table(read_json(TRIALS))) in shown
    for goal in time_goals(times):
        assert f"| {goal.what} | {goal.measured:.2f} |" in shown
    small = next(iter(by_size(found["results"]).values()))
    assert guide(small) in (ROOT / "docs" / "which-algorithm.md").read_text()


def test_the_robust_benchmark_says_when_and_on_what_it_was_run(monkeypatch, tmp_path):
    made = {name: lambda k: DecisionTreeClassifier(max_depth=2) for name in (robust.OURS, "tree")}
    monkeypatch.setattr(robust, "contenders", lambda n_jobs=1: made)
    path = tmp_path / "robust.json"
    assert robust.robust(replace(QUICK, robust_results=path)).tables
    written = read_json(path)
    assert len(written["results"]) == len(made)
    assert written["environment"].keys() == environment().keys()
    assert written["environment"]["processor"] == environment()["processor"]
