"""Relatives beside public implementations: the same objectives, the same rounds."""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # the folder is not installed
pytest.importorskip("benchmarks.sizes", reason="the benchmarks are not part of this distribution")

from benchmarks import relatives
from benchmarks.sizes import QUICK

SETS = relatives.small_sets(40)
MISSING = relatives.missing_peer()


@pytest.mark.parametrize("name", SETS)
def test_adaboost_is_that_of_scikit_learn_round_for_round(name):
    X, y = SETS[name]
    theirs, ours = relatives.same_adaboost(X, y, 10)
    np.testing.assert_allclose(0.5 * theirs.estimator_weights_, ours.estimator_weights_, rtol=1e-9)
    pairs = zip(theirs.staged_predict(X), ours.staged_predict(X), strict=True)
    assert all((one == other).all() for one, other in pairs)


@pytest.mark.skipif(bool(MISSING), reason=MISSING)
@pytest.mark.parametrize("name", SETS)
def test_programs_have_the_optimum_that_colboost_finds(name):
    for program, theirs, ours in relatives.compare_programs(*SETS[name]).values():
        if program.same:
            assert ours == pytest.approx(theirs, rel=relatives.LARGEST_DIFFERENCE)
        else:  # ours comes within the accuracy that was asked for, theirs need not
            assert ours >= theirs - program.model.accuracy


@pytest.mark.skipif(bool(MISSING), reason=MISSING)
def test_the_whole_comparison_runs():
    section = relatives.relatives(replace(QUICK, relatives_rows=30))
    assert [len(table.rows) for table in section.tables] == [3, 18, 18]
    assert section.goals[0].verdict == "pass"


def test_without_the_peer_the_reason_is_shown(monkeypatch):
    monkeypatch.setattr(relatives.util, "find_spec", lambda name: None)
    section = relatives.relatives(QUICK)
    assert section.skipped == ["colboost: colboost is not installed (pip install colboost)"]
    assert all(row[-1] == "40 of 40" for row in section.tables[0].rows)
