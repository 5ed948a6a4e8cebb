"""The ring experiment in seconds: its parts, its verdicts, its order relations."""

import numpy as np
import pytest

from marginboost import PBoostClassifier
from marginboost.datasets import ring
from marginboost.reproduce.ring import (
    ADABOOST,
    NOISES,
    PS,
    PUBLISHED,
    ErrorCurves,
    Mean,
    published_mean,
    tables,
    trial,
)


def test_quick_tables():
    tables_made = list(tables(3, 40, noises=(0, 20), ps=(1.0,)))
    assert len(tables_made) == 3
    assert len(tables_made[0].rows) == 5
    verdicts = {row[0]: row[-1] for row in tables_made[0].rows}
    assert verdicts["sloppy, p = 1"] == "not reproduced"
    honest = tables_made[-1].rows
    assert len(honest) == 10
    for _, oracle, validated, last in honest:
        assert float(oracle) <= min(float(validated), float(last))


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
    results = [trial(0, seed, 60, (0.5, 2.0)) for seed in range(2)]
    assert max(result["strict", 0.5].rounds for result in results) <= 10
    for result in results:
        assert result["strict", 2.0].oracle < result["strict", 0.5].oracle


def test_verdicts_can_be_either():
    theirs = published_mean("sloppy-as-run", 1.1, 20)
    assert theirs.mean == 0.182
    assert Mean(0.19, 0.05, 30).distance(theirs) == pytest.approx(0.58, abs=0.01)
    assert abs(Mean(0.255, 0.05, 30).distance(theirs)) > 2.0


def test_published_numbers_are_complete():
    for means, spreads in PUBLISHED.values():
        assert len(means) == len(spreads) == len(PS)
    assert ADABOOST.keys() == set(NOISES)
