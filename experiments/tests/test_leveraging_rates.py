"""Convergence of leveraging as an experiment: rates where they are proven, and a stall."""

import numpy as np
import pytest

import marginboost_experiments as experiments
from marginboost.diagnostics import has_finite_minimiser
from marginboost_experiments.published import leveraging_rates


def test_problems_are_what_they_are_said_to_be():
    H, y = leveraging_rates.normal_columns()
    assert has_finite_minimiser(y[:, None] * H)
    H, y = leveraging_rates.contradictory_stumps()
    assert not has_finite_minimiser(y[:, None] * H)


@pytest.mark.slow
def test_rates_and_the_stall():
    outcome = experiments.run("leveraging-rates", "tiny")
    normal, stumps, stall = outcome.tables
    factors = [float(cell.split("(")[1][:-1]) for row in normal.rows for cell in row[1:]]
    assert len(factors) == 18
    assert max(factors) < 0.95
    assert normal.notes[-1].endswith("are finite")
    exponential, logistic, squared = (float(c.split()[0]) for c in stumps.rows[1][1:])
    assert min(exponential, logistic) > 20 * squared  # these creep, that does not
    assert "infinite" in stumps.notes[-1]
    first, second = stall.rows
    assert float(first[-1]) == 0.5
    assert float(second[-1]) < 1e-20
    curves = outcome.trials.where(problem="normal", rule="steepest slope", loss="squared").only()
    assert np.all(np.diff(curves["shares"]) <= 0)
