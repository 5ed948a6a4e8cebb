"""The experiment on calibration: its arithmetic, and scores that mean what they say, in small."""

import inspect

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

import marginboost_experiments as experiments
from marginboost.datasets import twonorm
from marginboost_experiments.published import audit_calibration
from marginboost_experiments.published.audit_calibration import (
    EDGES,
    Judged,
    judge,
    pooled,
    reliability,
)


def drawn(power, n=40_000):
    """Scores that say p of labels of which a share p ** power is right."""
    rng = np.random.default_rng(0)
    score = rng.random(n)
    return Judged(score, rng.random(n) < score**power, score < 0.2)


def test_calibration_error_tells_calibrated_scores_from_others():
    assert drawn(1.0).calibration_error < 0.01
    assert drawn(2.0).calibration_error == pytest.approx(1 / 6, abs=0.01)  # ∫ p - p² dp
    assert drawn(1.0).planted == pytest.approx(drawn(1.0).estimated, abs=0.01)


def test_table_counts_every_row_once():
    judged = drawn(1.0)
    table = reliability("title", judged)
    assert len(table.rows) == len(EDGES) - 1
    assert sum(int(row[1].replace(",", "")) for row in table.rows) == len(judged.score)
    inside = (judged.score >= 0.3) & (judged.score < 0.5)
    name, count, mean, right = table.rows[2]
    assert name == "0.3 to 0.5"
    assert count == f"{inside.sum():,}"
    assert mean == f"{judged.score[inside].mean():.3f}"
    assert right.startswith(f"{judged.right[inside].mean():.3f} ± 0.00")


def test_an_empty_interval_has_no_share():
    judged = Judged(np.array([0.05, 1.0]), np.array([False, True]), np.array([True, False]))
    rows = reliability("title", judged).rows
    assert rows[3] == ("0.5 to 0.7", "0", "–", "–")
    assert rows[-1][1:] == ("1", "1.000", "1.000 ± 0.000")


@pytest.fixture(scope="module")
def audits():
    sets = [load_breast_cancer(return_X_y=True), twonorm(600)]
    return [judge(*rows, rate, seed=1) for rows in sets for rate in (0.05, 0.2)]


@pytest.mark.slow
def test_scores_mean_what_they_say(audits):
    every = pooled(audits)
    assert every.calibration_error < 0.03
    for low, high in ((0.0, 0.3), (0.7, 0.9), (0.9, 1.01)):
        here = (every.score >= low) & (every.score < high)
        assert every.right[here].mean() == pytest.approx(every.score[here].mean(), abs=0.1)


@pytest.mark.slow
def test_noise_is_estimated(audits):
    for audit in audits:
        assert audit.estimated == pytest.approx(audit.planted, abs=0.04)


@pytest.mark.slow
def test_false_alarms_are_as_many_as_expected(audits):
    every = pooled(audits)
    expected, counted = (values[every.flagged].mean() for values in (every.score, every.right))
    assert counted == pytest.approx(expected, abs=0.1)


@pytest.mark.slow
def test_experiment_in_small():
    outcome = experiments.run("audit-calibration", "tiny")
    assert all(finding.holds for finding in outcome.findings)
    tables = outcome.tables
    assert [table.title.partition(":")[0] for table in tables] == [
        "uniform",
        "estimated noise",
        "flagged rows at fdr 0.2",
        "feature-dependent",
    ]
    assert [row[0] for row in tables[1].rows] == ["wine"]
    estimated = float(tables[1].rows[0][1].rstrip("%"))
    assert 7 < estimated < 14  # 10 % are planted
    _, flagged, _, alarms, found = tables[2].rows[0]
    assert 15 <= int(flagged) <= 25
    assert float(alarms.rstrip("%")) < 20
    assert float(found.rstrip("%")) > 80


def test_planted_noise_leaves_a_majority_and_repeats():
    assert list(audit_calibration.RATES) == sorted(audit_calibration.RATES)
    assert all(0.0 <= rate < 0.5 for rate in audit_calibration.RATES)
    assert inspect.signature(audit_calibration.judge).parameters["seed"].default == 0
    assert audit_calibration.EDGES[0] == 0.0
    assert audit_calibration.EDGES[-1] == 1.0
