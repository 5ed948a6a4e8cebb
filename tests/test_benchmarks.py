"""The benchmarks run and their ratios come from their times; nothing is asserted on speed."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # the folder is not installed
pytest.importorskip("benchmarks.sizes", reason="the benchmarks are not part of this distribution")

from benchmarks import __main__ as command_line
from benchmarks import (
    audit,
    choosing_nu,
    cluster,
    cluster_lines,
    cold_start,
    fitting,
    gradient,
    leveraging,
    memory,
    noise_losses,
    peers,
    predicting,
    probabilities,
    result_docs,
    robust_trials,
    scaling,
    shapley,
    soft_margin,
    soft_margin_sets,
    symmetric,
)
from benchmarks.data import LABEL_NOISE, TEST, quality, synthetic
from benchmarks.environment import OtherLoad, environment
from benchmarks.report import Goal, Section, show
from benchmarks.sizes import QUICK
from benchmarks.timing import interleave, log_log_slope, speedup

from marginboost import AdaBoostClassifier, LPBoostClassifier, __version__
from marginboost.datasets import MissingDataError

TINY = replace(
    QUICK,
    test_rows=200,
    stump_shapes=((300, 4),),
    stump_rounds=3,
    adaboost_shape=(300, 4),
    adaboost_rounds=2,
    predict_shapes=((300, 4),),
    predict_train_rows=200,
    predict_rounds=(1, 4),
    predict_tree_rows=300,
    predict_trees=3,
    scaling_rows=(100, 200),
    scaling_features=(2, 4),
    scaling_rounds=(2, 4),
    base_rows=200,
    base_features=3,
    base_rounds=2,
)


@pytest.fixture(autouse=True)
def small_warm_up(monkeypatch):
    """Warm up on few rows: no time is judged here."""
    monkeypatch.setattr(peers, "synthetic", lambda *shape: synthetic(300, 4))


def check_section(section: Section, capsys) -> None:
    """Check what every section promises: full tables, positive times, plain data, a printout."""
    assert section.tables
    assert section.goals
    for table in section.tables:
        assert table.rows
        assert all(len(row) == len(table.columns) for row in table.rows)
    assert section.times
    for times in section.times.values():
        assert all(second > 0 for seconds in times.values() for second in seconds)
    assert json.loads(json.dumps(section.to_dict()))["name"] == section.name
    show(section)
    printed = capsys.readouterr().out
    assert section.name in printed
    assert all(note in printed for note in section.notes)


def test_interleave_takes_turns_and_leaves_the_rest_untimed():
    calls, now = [], iter(range(100))
    tasks = {name: lambda name=name: calls.append(name) or name for name in "abc"}
    times, results = interleave(tasks, 2, clock=lambda: float(next(now)))
    assert calls == list("abcabc")
    assert times == {"a": [1.0, 1.0], "b": [1.0, 1.0], "c": [1.0, 1.0]}
    assert results == {"a": "a", "b": "b", "c": "c"}


def test_speedup_is_the_fastest_peer_over_us_at_best():
    times = {"us": [3.0, 2.0], "slow": [50.0, 40.0], "fast": [9.0, 8.0]}
    assert speedup(times, "us") == 4.0
    assert speedup({"us": [1.0]}, "us") is None


def test_slope_of_a_power_law_is_its_exponent():
    sizes = [1, 10, 50]
    assert log_log_slope(sizes, [3.0 * size**1.5 for size in sizes]) == pytest.approx(1.5)


@pytest.mark.parametrize(
    ("goal", "verdict"),
    [
        (Goal("", 2.0, ">=", 2.0), "pass"),
        (Goal("", 1.9, ">=", 2.0), "miss"),
        (Goal("", 1.05, "<=", 1.05), "pass"),
        (Goal("", 3.0, "<", 2.0), "miss"),
        (Goal("", None, ">=", 2.0), "not measured"),
        (Goal("", 7.0), "–"),
    ],
)
def test_verdict(goal, verdict):
    assert goal.verdict == verdict


def test_tables_are_readable_without_rich(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "rich.console", None)
    show(Section("plain", goals=[Goal("speed", 3.0, ">=", 2.0, "×")], other_load=0.5))
    printed = capsys.readouterr().out
    assert "speed        3×  >= 2×     pass" in printed
    assert "TOO MUCH" in printed


def test_data_repeat_and_parts_differ():
    X, y = synthetic(500, 6)
    again, same = synthetic(500, 6)
    other, _ = synthetic(500, 6, TEST)
    assert X.dtype == np.float64
    assert X.flags.c_contiguous
    np.testing.assert_array_equal(X, again)
    np.testing.assert_array_equal(y, same)
    assert not np.array_equal(X, other)
    assert set(np.unique(y)) == {0, 1}


def test_one_effect_shows_the_label_noise():
    X, y = synthetic(20_000, 1)  # one linear effect: the sign of x is the label before the noise
    wrong = ((X[:, 0] > 0) != (y == 1)).mean()
    assert wrong == pytest.approx(LABEL_NOISE, abs=0.02)


def test_quality():
    found = quality(np.array([0.0, 0.0, -9.0, 9.0]), np.array([1, 0, 0, 1]))
    assert found["accuracy"] == 0.75
    assert found["log_loss"] == pytest.approx(0.5 * np.log(2), abs=1e-3)


@pytest.mark.parametrize(
    "contender",
    [peers.US, *peers.GRADIENT_BOOSTERS, peers.SklearnAdaBoost()],
    ids=lambda contender: contender.name,
)
def test_contender(contender):
    if reason := contender.skip("raw"):
        pytest.skip(reason)
    X, y = synthetic(400, 4)
    model = contender.fit(X, y, 5)
    odds = contender.log_odds(model, contender.scores(model, X))
    assert contender.version
    assert contender.n_stumps(model) == 5
    assert quality(odds, y)["log_loss"] < np.log(2)
    assert quality(odds, y)["accuracy"] > 0.5
    if reason := contender.skip("binned"):
        assert "binned" in reason or "bins" in reason
        return
    binned = contender.fit_binned(contender.bin(X, y), 5)
    np.testing.assert_allclose(contender.scores(binned, X), contender.scores(model, X), rtol=1e-5)


@pytest.mark.slow
def test_stumps_ratios_come_from_times(capsys):
    section = fitting.stumps(TINY)
    check_section(section, capsys)
    assert len(section.goals) == len(section.tables) == 2
    for goal, table, (what, times) in zip(
        section.goals, section.tables, section.times.items(), strict=True
    ):
        assert goal.what.startswith(what)
        assert all(len(seconds) == TINY.repeats for seconds in times.values())
        assert goal.measured == speedup(times, "marginboost")
        for row in table.rows:
            assert row[3] == min(times[row[0]]) / min(times["marginboost"])
    assert any("bins inside fit" in reason for reason in section.skipped)


@pytest.mark.slow
def test_a_missing_peer_is_skipped_with_its_reason(monkeypatch, capsys):
    peer = peers.XGBoost()
    peer.package = "no_such_package"
    monkeypatch.setattr(fitting, "GRADIENT_BOOSTERS", (peer,))
    section = fitting.stumps(TINY)
    show(section)
    assert "XGBoost, raw: no_such_package is not installed" in capsys.readouterr().out
    assert [goal.verdict for goal in section.goals] == ["not measured"] * 2


@pytest.mark.slow
def test_sklearn_adaboost(capsys):
    section = fitting.sklearn_adaboost(TINY)
    check_section(section, capsys)
    (times,) = section.times.values()
    ratio = min(times["sklearn AdaBoost"]) / min(times["marginboost"])
    assert section.goals[0].measured == pytest.approx(ratio)
    assert all(0 < row[-1] < 0.5 for row in section.tables[0].rows)


@pytest.mark.slow
def test_predict(capsys):
    section = predicting.predict(TINY)
    check_section(section, capsys)
    beside, rounds, trees, *one_row = section.times.values()
    assert section.goals[0].measured == speedup(beside, "marginboost")
    used = {row[0]: row[3] for row in section.tables[1].rows}
    shares = {stumps: min(taken) / used[stumps] for stumps, taken in rounds.items()}
    assert section.goals[1].measured == shares["4"] / shares["1"]
    assert section.goals[2].measured == speedup(trees, "marginboost")
    for goal, times in zip(section.goals[3:], one_row, strict=True):
        assert goal.measured == 1e3 * min(times["marginboost"])


@pytest.mark.slow
def test_scaling(monkeypatch, capsys):
    def measured(n, d, rounds, what):  # 1.25 bytes per value, 30 per row, 5,000 always
        return {"extra": 1.25 * n * d + 30.0 * n + 5e3, "source": "nowhere"}

    monkeypatch.setattr(scaling, "measure", measured)
    section = scaling.scaling(TINY)
    check_section(section, capsys)
    slopes, memory_goals = section.goals[:3], section.goals[3:]
    for goal, times in zip(slopes, section.times.values(), strict=True):
        best = [min(seconds) for seconds in times.values()]
        assert goal.measured == log_log_slope([int(size) for size in times], best)
    found = [goal.measured for goal in memory_goals]
    assert found == pytest.approx(2 * [1.25, 30.0, 0.005], rel=1e-6)  # of stumps, of trees
    assert "memory was read from nowhere" in section.notes


@pytest.mark.slow
def test_memory_is_measured_in_a_fresh_process():
    found = memory.measure(500, 4, 2)
    assert found["peak"] >= found["before"] > 0
    assert found["extra"] == found["peak"] - found["before"]


@pytest.mark.slow
def test_gradient(capsys):
    sizes = replace(
        TINY,
        repeats=1,
        gradient_shapes=((400, 4),),
        gradient_rounds=3,
        gradient_class_shapes=((400, 4),),
        gradient_class_rounds=3,
        gradient_classes=3,
    )
    section = gradient.gradient(sizes)
    check_section(section, capsys)
    assert len(section.tables) == 5
    names = [contender.name for contender in gradient.contenders()]
    trees = {row[0]: row[4] for row in section.tables[4].rows}
    assert set(trees) <= set(names)
    assert all(9 <= count <= 12 for count in trees.values())  # ours with one constant per class


def test_a_race_that_begins_too_late_is_left_out(monkeypatch):
    begun = []
    monkeypatch.setattr(gradient, "_race", lambda *race: begun.append(race[1]))
    clock = iter([0.0, 0.0, 0.0, 59.0, 61.0, 61.0])
    monkeypatch.setattr(gradient.time, "monotonic", lambda: next(clock))
    shapes = {"gradient_shapes": ((40, 4),), "gradient_class_shapes": ((20, 4),)}
    section = gradient.gradient(replace(TINY, minutes=1.0, **shapes))
    assert begun == ["raw", "raw", "binned"]  # small data first
    assert section.skipped == ["what comes after 1 minutes"]


def test_symmetric(capsys):
    sizes = replace(TINY, symmetric_shapes=((80, 7),), symmetric_rounds=2, test_rows=50)
    section = symmetric.symmetric(sizes)
    show(section)
    assert "2 rounds, 80 × 7" in capsys.readouterr().out
    (table,) = section.tables
    assert table.rows[0][0] == symmetric.US
    assert 0.0 <= table.rows[0][3] <= 100.0
    assert len(section.times) == len(section.goals) == 2


def test_choosing_nu(capsys):
    section = choosing_nu.choosing_nu(replace(TINY, choosing_rows=100))
    show(section)
    assert "like a bank's, balanced" in capsys.readouterr().out
    (table,), (goal,) = section.tables, section.goals
    assert len(table.rows) == 6
    assert all(0.0 < nu <= 1.0 and 0.0 <= error <= 1.0 for _, _, nu, error, *_ in table.rows)
    assert goal.measured == max(row[-1] for row in table.rows)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:min_samples_leaf")
def test_noise_losses():
    sizes = replace(TINY, noise_rows=80, noise_splits=2, noise_rates=(0.0, 0.2))
    section = noise_losses.noise_losses(sizes)
    assert len(section.tables) == 3
    for table in section.tables:
        assert table.columns == ["loss", "0%", "20%", "mean"]
        for _, none, some, mean in table.rows:
            assert 0.0 <= none <= 100.0
            assert mean == pytest.approx((none + some) / 2.0)
    assert "number of splits: 2;" in section.notes[0]


def test_probabilities(monkeypatch):
    monkeypatch.delenv("MARGINBOOST_DATA", raising=False)
    kinds = [AdaBoostClassifier, LPBoostClassifier]
    assert set(kinds) < set(probabilities._classifiers())
    monkeypatch.setattr(probabilities, "_classifiers", lambda: kinds)
    section = probabilities.probabilities(replace(TINY, noise_rows=80))
    (table,) = section.tables
    adaboost, lpboost, base = table.rows
    assert adaboost[2:4] == adaboost[4:]  # its link is that of its loss
    assert lpboost[2:4] != lpboost[4:]
    assert base[:2] == ["base rate", 0.5]
    assert all(0.0 <= row[1] <= 1.0 and row[2] > 0.0 for row in table.rows)
    assert section.goals[0].measured > adaboost[2] - base[2]


@pytest.mark.slow
def test_robust_trials(monkeypatch, capsys):
    monkeypatch.setattr(robust_trials, "DESIGN", ("wdbc",))  # those of the design are in files
    monkeypatch.setattr(robust_trials, "RATES", (0.2,))
    monkeypatch.setattr(sys, "argv", ["robust_trials", "--rows", "120"])
    robust_trials.main()
    head, *lines = capsys.readouterr().out.splitlines()
    assert head == "error in %, mean over wdbc; flips: 20%"
    assert [line[:42].strip() for line in lines] == list(robust_trials.variants())
    assert all(0.0 < float(line[42:]) < 60.0 for line in lines)


@pytest.mark.slow
def test_shapley(capsys):
    sizes = replace(TINY, shapley_shape=(60, 3), shapley_trees=2, shapley_few=20)
    section = shapley.shapley(sizes)
    check_section(section, capsys)
    assert [table.title.split(" rows × ")[0] for table in section.tables] == [
        "path-dependent: 60", "against 20 rows: 20",
    ]  # fmt: skip
    for table in section.tables:
        assert table.rows[0][::2] == ["marginboost", 1.0]


def test_soft_margin(monkeypatch, capsys):
    def measured(nu, rows, gap, seconds):  # 1e-5 s and 50 bytes per row
        found = {"seconds": 1e-5 * rows, "met": nu == 0.7, "gap": gap, "upper": 1e-2}
        return {**found, "rounds": 9, "columns": 99, "peak": 50 * rows}

    monkeypatch.setattr(soft_margin, "measure", measured)
    full = replace(
        TINY,
        soft_margin_cases=((0.7, 100_000, 1e-3), (0.7, 1_000_000, 1e-3), (0.4, 100_000, 1e-3)),
        soft_margin_full_rows=40,
        soft_margin_plane_rows=40,
    )
    section = soft_margin.soft_margin(full)
    check_section(section, capsys)
    assert section.tables[0].rows[2][3] is None  # not closed: no time to show
    ours, theirs = (section.tables[1].rows[k] for k in (0, 1))
    assert ours[3] == pytest.approx(theirs[3], abs=1e-6)
    found = {goal.what: goal for goal in section.goals}
    seconds = found["ν = 0.7, 100,000 rows, seconds to gap 0.001"]
    assert (seconds.measured, seconds.verdict) == (1.0, "pass")
    assert found["ν = 0.7, 1,000,000 rows, peak"].measured == pytest.approx(0.05)
    slope = found["exponent of time in rows, 100,000 to 1,000,000, ν = 0.7"]
    assert slope.measured == pytest.approx(1.0)


def test_soft_margin_sets_beside_another_checkout(monkeypatch, capsys):
    here = {0.4: [0.5, 1e-5, 0.3, 2.0], 0.6: [0.2, 2e-4, 0.4, 2.0]}
    there = {0.4: [1.0, 1e-5, 0.3, 2.0], 0.6: [0.1, 1e-5, 0.4, 2.0]}
    turns = iter([here, there, {nu: [2 * s, *rest] for nu, (s, *rest) in here.items()}, there])
    monkeypatch.setattr(soft_margin_sets, "_fresh_process", lambda root, path, nus: next(turns))
    cases = {case: most for case, most in soft_margin_sets.GOALS.items() if case[0] == "big_adult"}
    monkeypatch.setattr(soft_margin_sets, "GOALS", cases)
    monkeypatch.setattr("marginboost.datasets.load", lambda *name, **how: (np.eye(3), [0, 1, 1]))
    section = soft_margin_sets.soft_margin_sets(replace(TINY, other=Path("elsewhere")))
    check_section(section, capsys)
    assert [goal.measured for goal in section.goals] == [0.5, None]  # one did not close the gap
    assert [row[3] for row in section.tables[0].rows] == [0.5, 0.2, 1.0, 0.1]


def test_soft_margin_sets_that_are_not_there_are_skipped(monkeypatch):
    def missing(name, **how):
        raise MissingDataError("nowhere")

    monkeypatch.setattr("marginboost.datasets.load", missing)
    section = soft_margin_sets.soft_margin_sets(TINY)
    assert len(section.skipped) == 3
    assert not section.goals


@pytest.mark.slow
def test_soft_margin_sets_are_measured_in_a_fresh_process(tmp_path):
    path = tmp_path / "set.npz"
    X, y = synthetic(200, 4)
    np.savez(path, X=X, y=y)
    found = soft_margin_sets._fresh_process(soft_margin_sets.ROOT, path, [0.7])
    seconds, gap, upper, whole = found[0.7]
    assert 0.0 < seconds < whole
    assert gap <= soft_margin_sets.GAP
    assert upper > 0.0


@pytest.mark.slow
def test_audits_of_large_tables(monkeypatch, capsys):
    pytest.importorskip("cleanlab")
    monkeypatch.setattr(audit, "FEWEST_LARGE", 150)
    section = audit.audit(replace(TINY, audit_sets=0, audit_large=(300,)))
    check_section(section, capsys)
    lead, share, fits = section.goals
    ours, theirs, fit = section.tables[0].rows
    assert lead.measured == ours[2] - theirs[2]
    assert share.measured == ours[3] / theirs[3]
    assert fits.measured == ours[3] / fit[3]


@pytest.mark.slow
def test_soft_margin_is_measured_in_a_fresh_process():
    found = soft_margin.measure(0.7, 300, 1e-3, 30.0)
    assert found["met"]
    assert found["gap"] <= soft_margin.TOLERANCE
    assert found["peak"] > 10**7


@pytest.mark.slow
def test_leveraging(capsys):
    small = replace(TINY, leveraging_shape=(300, 4), leveraging_rounds=8, repeats=1)
    section = leveraging.leveraging(small)
    check_section(section, capsys)
    (what,) = section.times
    assert [row[0] for row in section.tables[0].rows] == list(leveraging.CONTENDERS)
    target = section.tables[0].rows[0][5]  # what one at a time saves in all its rounds
    missed = {row[0] for row in section.tables[0].rows if row[5] < target}
    assert {note.split(":")[0] for note in section.notes} == missed
    assert "newton, 16 per round" not in missed
    best = {name: min(times) for name, times in section.times[what].items() if name not in missed}
    fastest = min(time for name, time in best.items() if name.startswith("newton"))
    assert section.goals[1].measured == pytest.approx(best[leveraging.ALONE] / fastest)


def test_cold_start(monkeypatch, capsys):
    least = {"process": 1.5, "import": 0.75, "fit": 0.25}
    slow = {"process": 9.0, "import": 5.0, "fit": 3.0}
    first = {"process": 12.0, "import": 1.0, "fit": 10.0}
    trees = {"process": 25.0, "import": 2.0, "fit": 20.0}
    runs = iter([trees, first, slow, slow, least, WARM, slow, slow, slow])
    monkeypatch.setattr(cold_start, "_fresh_process", lambda program, cache: next(runs))
    section = cold_start.cold_start(TINY)
    check_section(section, capsys)
    assert [goal.measured for goal in section.goals] == [1.25, 11.0, 22.0, 0.25]
    assert section.tables[0].rows[-1] == ["warm, no marginboost", 1.0, 0.75, 0.25, 1.5]


def test_goals_of_a_result_file_are_one_table():
    goals = [
        Goal("trees: fastest peer / us", 1.634, ">=", 1.5, "×"),
        Goal("shown only", 3.0),
        Goal("not there", None, "<=", 2.0, " s"),
    ]
    section = Section("gradient", goals=goals, other_load=0.02).to_dict()
    versions = {"numpy": "2.0", "xgboost": "not installed"}
    made = {"date": "2026-01-31", "processor": "Some", "threads": 2, "versions": versions}
    found = {"environment": made}
    lines = result_docs.all_goals({**found, "benchmarks": [section]}).splitlines()
    assert "| trees: fastest peer / us | 1.63× | >= 1.5× | pass |" in lines
    assert "| not there | – | <= 2 s | not measured |" in lines
    assert not any("shown only" in line for line in lines)
    shown = "Made 2026-01-31 on Some, 2 threads; numpy 2.0."
    assert lines[-1] == f"{shown} Other processes took at most 2% meanwhile."


@pytest.fixture
def fake_lines(monkeypatch):
    """Lines whose numbers follow from what they are about; one peer hangs, one is not there."""

    def measure(lines, line, limit=None):
        name = line["contender"]
        if name == "lightgbm.dask":
            return {"skipped": "No module named 'lightgbm'"}
        if line["what"] == "loss":
            fits = [{"moment": m, "outcome": "fitted", "seconds": 2 + m} for m in line["moments"]]
            if name == "xgboost.dask":
                return {"hangs": limit}
            return {"alone": 2.0, "fits": [{**one, "apart": 0.0} for one in fits]}
        seconds = 1.0 if line["workers"] else 0.8
        talk = {"questions": 3 * line["rounds"], "bytes": 900, "shortest": 1e-3}
        by_round = 0.9 * seconds / line["rounds"]  # the rest is not of the rounds
        times = {"seconds": seconds, "by_round": by_round, "work": 0.01}
        return {**times, "rounds": line["rounds"], "chances": name, **talk}

    def chances(lines, found):
        return np.full(3, 0.5) if "seconds" in found else None

    monkeypatch.setattr(cluster_lines.Lines, "measure", measure)
    monkeypatch.setattr(cluster_lines.Lines, "chances", chances)


def test_dask(fake_lines, capsys):
    sizes = replace(TINY, cluster_losses=3)
    section = cluster.dask(sizes)
    check_section(section, capsys)
    found = {goal.what: goal for goal in section.goals}
    assert found["difference from one machine, 2 workers"].verdict == "pass"
    assert found["time with a worker killed half-way"].measured == 1.25
    assert found["random kills that the fit survived"].verdict == "pass"
    assert 1.0 < found["longest time of these"].measured < 1.5
    assert found["stumps on 2 × 1"].measured == 1.25
    assert found["added to a round"].measured == pytest.approx(180.0 / sizes.cluster_rounds)
    costs = next(table for table in section.tables if table.title.startswith("cost of"))
    once = costs.columns.index("added once s")
    assert [row[once] for row in costs.rows] == pytest.approx([0.02] * len(costs.rows))
    killed = next(table for table in section.tables if "half-way" in table.title)
    assert [row[:2] for row in killed.rows][1] == ["xgboost.dask", "hangs, ended after 120 s"]
    assert any("lightgbm" in why for why in section.skipped)
    model = section.tables[-1].rows[0]
    assert model[1] == pytest.approx(10.0 + 3 * 1.0 + 1e3 * 45 / 1e9)


def test_cost_of_a_cluster_alone(fake_lines):
    section, whole = cluster.dask_cost(TINY), cluster.dask(TINY)
    n_tables, n_goals = len(section.tables), len(section.goals)
    assert n_tables < len(whole.tables)
    assert whole.tables[-n_tables:] == section.tables
    assert whole.goals[-n_goals:] == section.goals
    assert all(len(row) == len(table.columns) for table in section.tables for row in table.rows)


def test_a_line_that_takes_too_long_is_ended(tmp_path, monkeypatch):
    monkeypatch.setattr(cluster_lines.tempfile, "gettempdir", lambda: str(tmp_path))
    lines = cluster_lines.Lines(0.2)
    line = {"what": "fit", "contender": "stumps", "workers": 1, "shape": [10, 2], "parts": 1}
    assert lines.measure(line) == {"hangs": 0.2}
    assert lines.measure({**line, "parts": 2}, limit=0.1) == {"hangs": 0.1}


@pytest.mark.slow
def test_lines_of_dask_are_measured_once(tmp_path, monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr(cluster_lines.tempfile, "gettempdir", lambda: str(tmp_path))
    lines = cluster_lines.Lines(120.0)
    about = {"contender": "marginboost.dask", "shape": [600, 4], "parts": 3, "rounds": 3}
    alone, found = (lines.measure({"what": "fit", "workers": k, **about}) for k in (0, 2))
    np.testing.assert_array_equal(lines.chances(alone), lines.chances(found))
    assert found["questions"] > 3
    assert found["shortest"] > 0.0
    again = lines.measure({"what": "fit", "workers": 2, **about})
    assert again == found
    killed = lines.measure({"what": "loss", "workers": 2, "moments": [0.5], **about})
    assert killed["fits"][0]["outcome"] == "fitted"
    assert killed["fits"][0]["apart"] == 0.0


WARM = {"process": 2.0, "import": 1.0, "fit": 0.25}


def test_command_line_writes_what_it_measured(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(cold_start, "_fresh_process", lambda program, cache: dict(WARM))
    path = tmp_path / "results" / "out.json"
    command_line.main(["cold_start", "--quick", "--json", str(path), "--repeats", "1"])
    printed = capsys.readouterr().out
    assert f"{environment()['date']} on {environment()['processor']}, " in printed
    assert f"marginboost {__version__}" in printed
    assert "numba" in printed
    written = json.loads(path.read_text())
    assert written["quick"] is True
    assert set(written["environment"]) == set(environment())
    assert [section["name"] for section in written["benchmarks"]] == ["cold_start"]
    assert written["benchmarks"][0]["goals"][0]["verdict"] == "pass"


def test_command_line_refuses_unknown_names(capsys):
    with pytest.raises(SystemExit):
        command_line.main(["sutmps"])
    assert "there are stumps" in capsys.readouterr().err


def test_other_load_is_a_share():
    others = OtherLoad()
    synthetic(20_000, 4)
    share = others.share()
    assert share is None or share >= 0.0
