"""The frame around experiments: trials once and no more, tables, verdicts, files."""

import json

import numpy as np
import pytest

import marginboost_experiments as experiments
from marginboost import datasets
from marginboost_experiments import Comparison, Experiment, Finding, Mean, Trials, beside
from marginboost_experiments import runner as runner_module
from marginboost_experiments.ledger import Ledger
from marginboost_experiments.runner import seeds_of
from marginboost_experiments.tables import share_within


class Counted:
    """An experiment in two stages that counts its trials; the second depends on the first."""

    def __init__(self):
        self.ran = []
        sizes = {"tiny": {"n": 2}, "quick": {"n": 3}}
        self.experiment = Experiment(self.plan, self.trial, self.tables, self.findings, sizes)

    def plan(self, done, n):
        first = [{"stage": 1, "seed": seed} for seed in range(n)]
        if len(done) < n:
            return first
        best = int(np.argmax(done.where(stage=1).results("value")))
        return [*first, {"stage": 2, "seed": best}]

    def trial(self, stage, seed):
        self.ran.append((stage, seed))
        return {"value": np.float64(seed), "list": np.arange(stage)}

    def tables(self, trials):
        mean = trials.where(stage=1).mean("value")
        yield Comparison("means", ("measured",), [("all", str(mean))])

    def findings(self, trials):
        yield Finding("the last seed wins", trials.where(stage=2).each("seed") == [len(trials) - 2])


@pytest.fixture
def counted(monkeypatch):
    made = Counted()
    monkeypatch.setattr(runner_module, "find", lambda name: made.experiment)
    monkeypatch.setattr(runner_module, "about", lambda name: "A title.\n\nMore about it.")
    return made


def test_later_cases_depend_on_earlier_ones(counted):
    outcome = experiments.run("some", "quick")
    assert counted.ran == [(1, 0), (1, 1), (1, 2), (2, 2)]
    assert outcome.findings[0].holds
    assert outcome.trials.where(stage=2).only() == {"value": 2.0, "list": [0, 1]}


def test_a_killed_run_goes_on_where_it_was(counted, tmp_path):
    experiments.run("some", "tiny", folder=tmp_path)
    file = tmp_path / "some.trials.jsonl"
    lines = file.read_text().splitlines()
    assert len(lines) == 3
    file.write_text("\n".join(lines[:2]) + "\n" + lines[2][:20])  # killed within a line
    counted.ran.clear()
    seen = []
    again = experiments.run(
        "some", "tiny", folder=tmp_path, progress=lambda done, total: seen.append((done, total))
    )
    assert counted.ran == [(2, 1)]
    assert seen == [(2, 2), (2, 3), (3, 3), (3, 3)]
    assert len(again.trials) == 3
    counted.ran.clear()
    experiments.run("some", "quick", folder=tmp_path)  # a larger size needs only what is new
    assert counted.ran == [(1, 2), (2, 2)]


def test_trials_of_another_version_are_not_taken_up(tmp_path):
    file = tmp_path / "a.jsonl"
    ledger = Ledger(file)
    ledger.add({"b": 1, "a": 2}, {"x": 1.5}, 0.25)
    assert {"a": 2, "b": 1} in Ledger(file)
    assert Ledger(file).seconds({"a": 2, "b": 1}) == 0.25
    entry = json.loads(file.read_text())
    file.write_text(json.dumps(entry | {"version": "0.0"}) + "\n")
    assert {"a": 2, "b": 1} not in Ledger(file)
    with pytest.raises(TypeError, match="result: got set"):
        ledger.add({"a": 1}, {"x": {1}}, 0.0)


def test_files_that_are_written(counted, tmp_path):
    outcome = experiments.run("some", "tiny")
    files = outcome.save(tmp_path / "new")
    assert [file.name for file in files] == ["some.json", "some.md"]
    data = json.loads(files[0].read_text())
    assert data["tables"][0]["rows"] == [["all", "0.500 ± 0.500"]]
    assert data["findings"] == [{"claim": "the last seed wins", "holds": True, "evidence": ""}]
    assert data["settings"] == {"n": 2}
    assert data["seeds"] == "0, 1"
    assert seeds_of([{"seed": 2}, {"seed": 0}, {"split": 1}, {"rows": 9}]) == "0 to 2"
    assert seeds_of([{"rows": 9}]) == "fixed"
    assert {"date", "python", "versions", "processor"} <= data["made"].keys()
    text = files[1].read_text()
    assert text.startswith("# A title.\n\nMore about it.")
    assert "- ✓ the last seed wins\n" in text
    assert "| all | 0.500 ± 0.500 |" in text


def test_trials_are_selected_by_their_settings():
    trials = Trials([({"a": 1, "b": 2}, {"v": 3}), ({"a": 1, "b": 4}, {"v": 5})])
    assert trials.each("b") == [2, 4]
    assert trials.where(b=4).only() == {"v": 5}
    assert trials.array("v").tolist() == [3, 5]
    assert trials.mean("v") == Mean(4.0, np.sqrt(2.0), 2)
    with pytest.raises(LookupError, match="got 2, expected one"):
        trials.only()


def test_means_leave_out_what_is_missing():
    assert Mean.of([1.0, None, 3.0, float("nan")]) == Mean(2.0, np.sqrt(2.0), 2)
    assert str(Mean.of([])) == "–"
    assert Mean(0.25, 0.1, 4).text(1, 100) == "25.0 ± 5.0"


def test_agreement_is_counted_in_standard_errors_of_both():
    published, measured = Mean(0.2, 0.04, 16), Mean(0.22, 0.03, 9)
    assert measured.distance(published) == pytest.approx(np.sqrt(2.0))
    rows = [
        beside("near", published, measured),
        beside("far", published, Mean(0.24, 0.03, 9)),
        beside("rounded", 0.2, Mean(0.2004)),
        beside("alone", None, measured),
    ]
    assert [row[-1] for row in rows] == ["yes (+1.4)", "no (+2.8)", "yes", "–"]
    assert share_within(rows) == "within two standard errors: 2 of 3"


def test_table_is_aligned():
    table = Comparison("t", ("a", "b"), [("long name", "1", "2"), ("x", "3", "4")], ("n",))
    assert str(table).splitlines() == [
        "t",
        "           a  b",
        "long name  1  2",
        "x          3  4",
        "n",
    ]
    assert "| x | 3 | 4 |" in table.markdown()


def test_unknown_names_and_sizes():
    with pytest.raises(ValueError, match=r"experiment: got 'nothing', expected one of"):
        experiments.run("nothing")
    with pytest.raises(ValueError, match=r"size: got 'huge', expected one of tiny, quick, full"):
        experiments.run("leveraging-rates", "huge")


def test_missing_data_are_said_before_any_work(tmp_path, monkeypatch):
    monkeypatch.setenv(datasets.DATA_VARIABLE, str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr("sklearn.datasets.fetch_openml", _offline)
    with pytest.raises(datasets.MissingDataError, match="ida_banana: not found here, and OpenML"):
        experiments.run("label-noise", "tiny", folder=tmp_path)
    assert not list(tmp_path.iterdir())


def _offline(**settings):
    raise OSError("no network")


@pytest.mark.slow
def test_trials_in_other_processes_are_the_same():
    one, two = (experiments.run("book-chapter-2", "tiny", n_jobs=n).tables for n in (1, 2))
    assert one == two
