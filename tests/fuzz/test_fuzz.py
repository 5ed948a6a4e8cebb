"""Damaged files, a fixed number each time; ``python -m tests.fuzz --budget N`` takes more."""

import os
import time

import pytest
from fuzz_batch import run_batch, try_all

BUDGET = int(os.environ.get("MARGINBOOST_FUZZ", "60"))


@pytest.mark.parametrize("target", ["models", "tables"])
def test_damaged_files(target):
    """Refused with a clear message or read; no crash, no hang, no other exception."""
    report = run_batch(target, BUDGET, seed=0, patience=120 + BUDGET)
    assert report.failures == []
    assert sum(report.outcomes.values()) == BUDGET
    assert report.outcomes["refused"] > BUDGET / 10
    assert report.outcomes["sound"] > BUDGET / 50


def test_hostile_fits():
    """Refused for a reason that names an argument, or a model whose certificate is true.

    Fits that end, but take more than two seconds, are faults of ``python -m tests.fuzz`` only:
    there still are some, and their number depends on the machine.
    """
    report = run_batch("estimators", BUDGET, seed=0, patience=240 + 2 * BUDGET)
    assert [fault for fault in report.failures if ": took " not in fault] == []
    assert report.outcomes["certified"] > BUDGET / 20


def test_faults_are_seen():
    def fail():
        raise KeyError("x")

    def hang():
        end = time.process_time() + 1.2
        while time.process_time() < end:
            pass
        return "sound"

    told = []
    cases = [(0, "one", fail), (1, "two", hang), (2, "three", lambda: "refused")]
    try_all(iter(cases), 1.0, told.append)
    assert told[::2] == [[0, "one"], [1, "two"], [2, "three"]]
    assert told[1] == [0, "one", "fault", ["KeyError: 'x'"]]
    assert told[3][2] == "sound"
    assert told[3][3][0].startswith("took ")
    assert told[5] == [2, "three", "refused", []]


def test_a_batch_that_crashes_or_hangs_is_a_fault():
    assert "ended with 1" in run_batch("nothing", 1, 0, patience=60).failures[0]
    assert "did not end in 0.01 seconds" in run_batch("models", 9, 0, patience=0.01).failures[0]
