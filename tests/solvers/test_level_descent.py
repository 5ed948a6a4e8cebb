"""Descent in the levels of all features: its steps, its bounds, and runs that begin with it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import lsq_linear

import marginboost.algorithms._levels as levels
from marginboost import LPBoostClassifier
from marginboost.data import BinnedMatrix
from marginboost.kernels.level_descent import best_levels, move_and_sum, smooth_variation
from marginboost.solvers.level_descent import LevelDescent
from marginboost.solvers.margin_lp import solve_margin_lp

NU = 0.3


def all_outcomes(bins, y):
    """One column per stump and its negative, and both constants."""
    columns = [np.ones(bins.n_rows)]
    for codes, n_bins in zip(bins.codes, bins.n_bins, strict=True):
        columns += [np.where(codes > cut, 1.0, -1.0) for cut in range(n_bins - 1)]
    return y[:, None] * np.column_stack([*columns, *(-column for column in columns)])


def noisy(seed, noise, n=300):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 5, size=(n, 3)).astype(float)
    y = np.where((X[:, 0] + X[:, 1] > 4) ^ (rng.random(n) < noise), 1.0, -1.0)
    return X, y, rng.dirichlet(np.full(n, 5.0))


@settings(derandomize=True, deadline=None, max_examples=30, database=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 12), st.floats(0.0, 1.0))
def test_smooth_variation_is_the_fused_lasso(seed, n, price):
    rng = np.random.default_rng(seed)
    targets, weights = rng.normal(size=n), rng.uniform(0.1, 1.0, n)
    found, room = np.empty(n), np.empty((5, 2 * n + 2))
    smooth_variation(targets, weights, price, room, found)
    expected = targets
    if n > 1 and price > 0.0:  # the dual is a least squares problem in a box
        steps = np.diff(np.eye(n), axis=0).T
        pulls = lsq_linear(steps / np.sqrt(weights)[:, None], targets * np.sqrt(weights),
                           (-price, price), tol=1e-14).x  # fmt: skip
        expected = targets - (steps @ pulls) / weights
    np.testing.assert_allclose(found, expected, atol=1e-6)


def test_the_constant_is_paid_for():
    targets, weights = np.array([0.5, 0.6, 3.0]), np.ones(3)
    room, found = np.empty((5, 8)), np.empty(3)

    def cost(v):
        return 0.5 * ((v - targets) ** 2).sum() + 0.3 * (
            np.abs(np.diff(v)).sum() + abs(v[0] + v[2])
        )

    best_levels(targets, weights, 0.3, room, found)
    rng = np.random.default_rng(0)
    assert all(cost(found) <= cost(found + 0.01 * rng.normal(size=3)) + 1e-12 for _ in range(200))


def test_sums_of_what_rows_pull():
    rng = np.random.default_rng(0)
    n = 5000
    before, codes = rng.integers(0, 4, (2, n)).astype(np.uint8)
    y, scores, caps = rng.choice([-1, 1], n).astype(np.int8), rng.normal(size=n), rng.random(n)
    steps, sums = rng.normal(size=4), np.empty((4, 2))
    after = scores + steps[before]
    move_and_sum(before, steps, codes, y, scores, caps, 0.2, sums)
    np.testing.assert_array_equal(scores, after)
    share = 1.0 / (1.0 + np.exp(y * after - 0.2))
    np.testing.assert_allclose(sums[:, 0], np.bincount(codes, y * caps * share), atol=1e-9)
    np.testing.assert_allclose(sums[:, 1], np.bincount(codes, caps * share * (1 - share)))


@settings(derandomize=True, deadline=None, max_examples=12, database=None)
@given(st.integers(0, 2**32 - 1), st.floats(0.0, 0.5), st.sampled_from([0.2, 0.5, 0.9]))
def test_bounds_hold_against_the_whole_program(seed, noise, nu):
    X, y, prior = noisy(seed, noise, 80)
    bins = BinnedMatrix.from_data(X)
    outcomes = all_outcomes(bins, y)
    best = solve_margin_lp(outcomes, nu, prior).value
    found = LevelDescent(bins, y, prior, nu).run(1e-3)
    assert found.lower <= best + 1e-9
    assert found.upper >= best - 1e-9
    assert found.weights.sum() == pytest.approx(1.0)
    assert (found.weights <= prior / nu * (1 + 1e-5)).all()
    assert (found.weights @ outcomes).max() == pytest.approx(found.upper, abs=1e-9)
    for mine in found.levels:
        assert mine[0] == pytest.approx(-mine[-1], abs=1e-6)


@pytest.mark.parametrize("n_threads", [2, 8])
def test_the_same_bits_for_any_number_of_threads(n_threads, monkeypatch):
    monkeypatch.setattr("marginboost.solvers.level_descent.ROWS", 64)
    X, y, prior = noisy(3, 0.2)
    bins = BinnedMatrix.from_data(X)
    one = LevelDescent(bins, y, prior, NU).run(1e-3)
    many = LevelDescent(bins, y, prior, NU, n_threads).run(1e-3)
    np.testing.assert_array_equal(one.weights, many.weights)
    np.testing.assert_array_equal(np.concatenate(one.levels), np.concatenate(many.levels))


def test_a_run_that_begins_with_it_ends_with_the_proof_of_zero(monkeypatch):
    X, y, weights = noisy(1, 0.3)
    with pytest.warns(UserWarning, match="about zero"):
        slow = LPBoostClassifier(nu=NU).fit(X, y, sample_weight=weights)
    monkeypatch.setattr(levels, "MANY_ROWS", 100)
    with pytest.warns(UserWarning, match="about zero"):
        quick = LPBoostClassifier(nu=NU).fit(X, y, sample_weight=weights)
    assert slow.n_iter_ > quick.n_iter_ == 1
    assert quick.stop_reason_ == "gap"
    assert quick.certified_
    assert quick.certificate_.upper <= 1e-3
    assert -2 * levels.SHORTFALL <= quick.certificate_.value <= quick.certificate_.upper
    assert quick.estimator_weights_.sum() == pytest.approx(1.0)
    assert quick.score(X, y) >= 0.65  # small votes, and yet they say much


@pytest.mark.parametrize("nu", [0.7, 0.9])
def test_a_run_that_begins_with_it_has_the_same_value(nu, monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 5))
    y = (X @ [1.0, -1.0, 0.5, 0.0, 2.0] > 0) ^ (rng.random(3000) < 0.1)
    slow = LPBoostClassifier(nu=nu).fit(X, y)
    monkeypatch.setattr(levels, "MANY_ROWS", 100)
    quick = LPBoostClassifier(nu=nu).fit(X, y)
    assert quick.certified_
    assert quick.certificate_.gap <= 1e-3
    assert quick.certificate_.value == pytest.approx(slow.certificate_.value, abs=2e-3)
    assert (quick.predict(X) == slow.predict(X)).mean() > 0.95


@pytest.mark.parametrize("rows", [10, 10**6])
def test_a_relative_gap_ends_the_run(rows, monkeypatch):
    monkeypatch.setattr(levels, "MANY_ROWS", rows)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 5))
    y = (X @ [1.0, -1.0, 0.5, 0.0, 2.0] > 0) ^ (rng.random(3000) < 0.1)
    found = LPBoostClassifier(nu=0.7, tol=1e-9, rtol=0.1).fit(X, y)
    assert found.stop_reason_ == "gap"
    assert 1e-4 < found.certificate_.gap <= 0.1 * found.certificate_.lower
