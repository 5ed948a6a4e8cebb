"""The ring experiment in seconds: its parts, its verdicts, its order relations."""

import numpy as np
import pytest

import marginboost_experiments as experiments
from marginboost import PBoostClassifier
from marginboost.datasets import ring
from marginboost_experiments import Mean
from marginboost_experiments.published import _barnes_numbers as numbers
from marginboost_experiments.published._p_boosting import ErrorCurves
from marginboost_experiments.published.ring import on_ring


@pytest.mark.slow
def test_quick_tables():
    outcome = experiments.run("ring", "tiny")
    assert all(finding.holds for finding in outcome.findings)
    first = outcome.tables[0]
    assert [row[0] for row in first.rows][:3] == ["adaboost", "strict, p = 0.5", "strict, p = 2"]
    verdicts = {row[0]: row[-1] for row in first.rows}
    assert verdicts["sloppy, p = 0.5"].startswith("no")  # as described is not what was run
    honest = outcome.tables[-2].rows
    assert len(honest) == 10
    for _, *ways in honest:
        oracle, validated, last = (float(way.split()[0]) for way in ways)
        assert oracle <= min(validated, last)


def test_votes_of_all_p_from_one_run_are_those_of_runs_of_their_own():
    X, y = ring(50, 0.2, mode="bernoulli", seed=3)
    test, valid = ring(300, seed=4), ring(50, seed=5)
    for variant in ("naive", "sloppy-as-run"):
        together = ErrorCurves(test, valid, variant, (0.5, 2.0))
        PBoostClassifier(
            p=1.0, variant=variant, n_estimators=40, max_bins=None, callbacks=[together]
        ).fit(X, y)
        for k, p in enumerate((0.5, 2.0)):
            model = PBoostClassifier(p=p, variant=variant, n_estimators=40, max_bins=None)
            model.fit(X, y)
            errors = [np.mean(answer != test[1]) for answer in model.staged_predict(test[0])]
            np.testing.assert_allclose([curve[k] for curve in together.test], errors)


def test_strict_ends_early_below_one_and_does_better_above():
    results = [on_ring(0, seed, 60, (0.5,), (0.5, 2.0)) for seed in range(2)]
    assert max(result["strict, p = 0.5"]["rounds"] for result in results) <= 10
    for result in results:
        assert result["strict, p = 2"]["oracle"] < result["strict, p = 0.5"]["oracle"]


def test_verdicts_can_be_either():
    theirs = numbers.least_error("sloppy", "ring20", 1.1)
    assert theirs == Mean(0.182, 0.056, 30)
    assert Mean(0.19, 0.05, 30).distance(theirs) == pytest.approx(0.58, abs=0.01)
    assert abs(Mean(0.255, 0.05, 30).distance(theirs)) > 2.0
    assert numbers.best_round("strict", "ring0", 2.0) == Mean(119.0, 97.0, 30)
    assert numbers.least_error("naive", "wpbc", 1.0) is None


def test_published_numbers_are_complete():
    for table in (numbers.ERRORS, numbers.SPREADS, numbers.ROUNDS, numbers.ROUND_SPREADS):
        assert len(table) == 19
        assert all(len(line.split()) == len(numbers.PS) for line in table.values())
    assert numbers.ADABOOST.keys() == numbers.ADABOOST_ROUNDS.keys()
