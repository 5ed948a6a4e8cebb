"""Sums that do not depend on order or division, against Python's own exact sum."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from marginboost.core.sample import Sample
from marginboost.kernels.exact import (
    COARSE,
    FINE,
    bound_of,
    column_sum,
    exact_sum,
    on_grid,
    rounded,
)
from marginboost.kernels.jit import COMPILED
from marginboost.kernels.weights import sign_weights

FAST = settings(deadline=None, max_examples=60)
MANY = 100_000 if COMPILED else 2_000
ANY = st.floats(-1e300, 1e300, allow_nan=False)


@FAST
@given(hnp.arrays(np.float64, st.integers(0, 50), elements=ANY))
def test_any_numbers_are_summed_without_rounding(values):
    assert rounded(exact_sum(values)) == math.fsum(values)


def test_many_numbers_of_all_sizes():
    rng = np.random.default_rng(0)
    values = rng.normal(size=MANY) * 10.0 ** rng.uniform(-300, 290, MANY)
    assert rounded(exact_sum(values)) == math.fsum(values)
    assert exact_sum(values[::-1]) == exact_sum(values[:77]) + exact_sum(values[77:])
    assert rounded(exact_sum(np.full(9, 1.7e308))) == math.inf


@pytest.mark.parametrize("scale", [1.0, 1e-200, 1e150])
def test_edges_are_the_same_in_any_order_and_division(scale):
    rng = np.random.default_rng(1)
    dual = scale * rng.normal(size=MANY) * rng.lognormal(sigma=4.0, size=MANY)
    column = rng.choice(np.array([-1, 1], np.int8), MANY)
    bound = bound_of(np.abs(dual).max())
    total, order = column_sum(dual, column, bound), rng.permutation(MANY)
    assert column_sum(dual[order], column[order], bound) == total
    some = [column_sum(dual[a:b], column[a:b], bound) for a, b in ((0, 5), (5, 777), (777, MANY))]
    assert sum(some) == total
    unit = math.ldexp(1.0, bound - FINE)
    assert rounded(total) == pytest.approx(math.fsum(dual * column), rel=1e-15, abs=MANY * unit)
    assert COARSE < FINE


def test_total_of_weights_is_exact_or_says_that_it_is_not():
    rng = np.random.default_rng(2)
    weights = rng.exponential(size=MANY)
    weights /= weights.sum()
    y, prior = rng.choice(np.array([-1, 1], np.int8), MANY), np.empty(0)
    order = rng.permutation(MANY)
    total = sign_weights(weights.copy(), y, prior)
    assert sign_weights(weights[order], y, prior) == total
    assert rounded(total) == pytest.approx(1.0, abs=1e-15)
    for bad in (np.inf, 1e300, np.nan):
        weights[3] = bad
        assert rounded(sign_weights(weights.copy(), y, prior)) >= 4.0


def test_sums_of_numbers_on_the_grid_are_not_rounded():
    rng = np.random.default_rng(3)
    weights = rng.exponential(size=MANY)
    weights *= rng.choice([-1.0, 1.0], MANY) / weights.sum()
    grid = np.array([on_grid(weight) for weight in weights])
    np.testing.assert_allclose(grid, weights, atol=2.0**-52)
    assert not np.array_equal(grid, weights)
    for order in (np.arange(MANY), rng.permutation(MANY)):
        assert np.cumsum(grid[order])[-1] == math.fsum(grid)


@pytest.mark.parametrize("weight", [1.0, 0.1, 3e-7, 1.0 / 3.0])
def test_the_total_of_equal_weights_is_their_exact_sum(weight):
    weights = np.full(1001, weight)
    total = Sample.of_labels(np.ones(1001), weights).total
    assert total == math.fsum(weights) == rounded(exact_sum(weights))
