"""Convergence of leveraging as an experiment: rates where they are proven, and a stall."""

import numpy as np

from marginboost.diagnostics import has_finite_minimiser
from marginboost.reproduce import leveraging_rates


def test_rates_on_finite_minimisers():
    H, y = leveraging_rates.normal_columns()
    assert has_finite_minimiser(y[:, None] * H)
    rules = ("steepest slope", leveraging_rates.AT_ONCE)
    table = leveraging_rates.table("t", H, y, rules, 60)
    shares = [[float(cell.split()[0]) for cell in row[1:]] for row in table.rows]
    assert np.max(shares) < 1e-2
    factors = [float(cell.split("(")[1][:-1]) for row in table.rows for cell in row[1:]]
    assert max(factors) < 0.95
    assert table.notes[-1].endswith("are finite")


def test_stumps_that_separate_some_examples_have_no_finite_minimiser():
    H, y = leveraging_rates.contradictory_stumps()
    assert not has_finite_minimiser(y[:, None] * H)
    table = leveraging_rates.table("t", H, y, (leveraging_rates.AT_ONCE,), 400)
    exponential, logistic, squared = (float(c.split()[0]) for c in table.rows[0][1:])
    assert min(exponential, logistic) > 20 * squared  # these creep, that does not
    assert "infinite" in table.notes[-1]


def test_the_first_version_stalls_and_the_second_does_not():
    first, second = leveraging_rates.stall().rows
    assert float(first[-1]) == 0.5
    assert float(second[-1]) < 1e-20
