"""Steps on a p-convex hull: derivatives, thresholds, both searches (BA-A5-EX, BA-P8 to BA-P14)."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from marginboost.solvers.p_hull import (
    HullCost,
    global_step,
    has_minimum,
    log_norm,
    newton_step,
    p_norm,
    toy_cost,
)

PS = st.floats(0.3, 4.0)


def random_cost(seed, p, rows=12):
    rng = np.random.default_rng(seed)
    margins = rng.uniform(-1.0, 1.0, rows)
    return HullCost(margins, rng.choice([-1.0, 1.0], rows), rng.uniform(0.5, 2.0, rows), p)


@settings(max_examples=25)
@given(st.integers(0, 999), PS, PS)
def test_hulls_are_nested(seed, p, q):
    p, q = min(p, q), max(p, q)
    coef = np.random.default_rng(seed).normal(size=6)
    assert p_norm(coef, q) <= p_norm(coef, p) * (1.0 + 1e-12)
    np.testing.assert_allclose(p_norm(coef / p_norm(coef, q), q), 1.0)


@settings(max_examples=25)
@given(st.floats(1e-3, 1e3), PS)
def test_norm_of_a_step(step, p):
    np.testing.assert_allclose(math.exp(log_norm(step, p)), p_norm(np.array([1.0, step]), p))


def test_norms_of_extreme_numbers():
    assert p_norm(np.array([1e200, 1e200]), 2.0) == pytest.approx(math.sqrt(2.0) * 1e200)
    assert p_norm(np.array([0.0, 0.0]), 0.5) == 0.0
    assert p_norm(np.array([1.0, 1.0]), 1e-4) == math.inf
    assert log_norm(10.0, 1e4) == pytest.approx(math.log(10.0))


@settings(max_examples=25)
@given(st.integers(0, 999), PS, st.floats(0.05, 5.0))
def test_derivatives_are_finite_differences(seed, p, step):
    cost, h = random_cost(seed, p), 1e-5 * step
    value, slope, curvature = cost(step)
    up, down = cost(step + h), cost(step - h)
    scale = value / step**2
    assert value == pytest.approx(float(cost.weights @ cost.contributions(step)))
    assert slope == pytest.approx((up[0] - down[0]) / (2 * h), abs=1e-4 * scale, rel=1e-4)
    assert curvature == pytest.approx(
        (up[1] - down[1]) / (2 * h), abs=1e-4 * scale / step, rel=1e-4
    )


@settings(max_examples=25)
@given(st.integers(0, 999))
def test_slope_at_zero(seed):
    for p in (0.5, 1.0, 1.5):
        cost = random_cost(seed, p)
        tiny = cost(1e-12)[1]
        if math.isinf(cost.slope_at_zero):
            assert tiny * math.copysign(1.0, cost.slope_at_zero) > 100.0
        else:
            assert tiny == pytest.approx(cost.slope_at_zero, abs=1e-3)


def threshold(holds, low, high):
    for _ in range(18):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def test_a_minimum_exists_above_a_threshold():
    exists = threshold(lambda p: has_minimum(toy_cost(p)), 0.65, 0.7)
    assert exists == pytest.approx(0.66974440, abs=1e-6)
    pays = threshold(lambda p: global_step(toy_cost(p)).step > 0.0, 0.672, 0.7)
    assert pays == pytest.approx(0.67910875, abs=1e-6)


def test_between_the_thresholds_newton_takes_a_step_that_raises_the_cost():
    cost = toy_cost(0.675)
    found = newton_step(cost, 1)
    assert found.converged
    assert found.step > 0.0
    assert cost(found.step)[0] > cost.at_zero
    assert global_step(cost).step == 0.0


@pytest.mark.parametrize(
    ("p", "step", "value"),
    [
        (0.68, 0.0532, 6.02812),
        (0.7, 0.1028, 5.99801),
        (0.8, 0.2956, 5.78807),
        (0.9, 0.4113, 5.58110),
        (1.0, 0.4852, 5.40358),
        (1.5, 0.6449, 4.85173),
        (2.0, 0.7054, 4.58159),
    ],
)
def test_minima_of_the_toy_problem(p, step, value):
    cost = toy_cost(p)
    assert cost.at_zero == pytest.approx(9.0 / math.e + math.e)
    for found in (newton_step(cost, 1), global_step(cost)):
        assert found.step == pytest.approx(step, abs=1.01e-4)
        assert cost(found.step)[0] == pytest.approx(value, abs=1e-5)
    assert cost(1e9)[0] == pytest.approx(8.0 / math.e + 2.0 * math.e, rel=1e-3)


def test_without_a_minimum_newton_says_so():
    for search in (newton_step(toy_cost(0.5), 1), newton_step(toy_cost(0.5), 1, tol=1e-3)):
        assert search.step == 0.0
    assert newton_step(toy_cost(0.5), 1, tol=1e-3, relative=False).step == 0.0
    slopes = [toy_cost(0.5)(step)[1] for step in np.geomspace(1e-3, 0.9, 50)]
    assert min(slopes) > 0.0


def test_agreeing_examples_make_a_flat_cost_or_a_hill():
    steps = np.array([0.25, 0.5, 1.0, 2.0, 4.0])
    right = {p: HullCost(np.ones(1), np.ones(1), np.ones(1), p) for p in (0.5, 1.0, 2.0)}
    costs = {p: np.array([c.contributions(s)[0] for s in steps]) for p, c in right.items()}
    np.testing.assert_allclose(costs[1.0], math.exp(-1.0))
    assert np.argmax(costs[0.5]) == 2
    assert np.argmin(costs[2.0]) == 2
    wrong = HullCost(-np.ones(1), -np.ones(1), np.ones(1), 1.0)
    np.testing.assert_allclose([wrong.contributions(s)[0] for s in steps], math.e)


@settings(max_examples=25)
@given(st.integers(0, 999), st.floats(1.05, 3.0))
def test_above_one_a_step_that_lowers_the_cost_exists(seed, p):
    cost = random_cost(seed, p)
    if cost.slope_at_zero > -1e-3 * cost.at_zero:
        return
    found = newton_step(cost, 3)
    assert found.converged
    assert found.step > 0.0
    assert cost(found.step)[2] > 0.0
    best = global_step(cost)
    other = minimize_scalar(
        lambda at: cost(math.exp(at))[0], bounds=(-25.0, 25.0), method="bounded"
    )
    assert cost(best.step)[0] <= other.fun + 1e-9


def test_a_published_search_takes_its_first_step_where_the_cost_is_below_its_tolerance():
    tiny = HullCost(np.full(4, 20.0), np.array([1.0, 1.0, 1.0, -1.0]), np.ones(4), 1.5)
    assert newton_step(tiny, 10, tol=1e-3, relative=False).step == 0.05
    assert newton_step(tiny, 10).step != 0.05
