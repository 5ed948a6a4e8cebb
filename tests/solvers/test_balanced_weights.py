"""Weights under which no stump has an edge: what they promise, and when there are none."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import marginboost.algorithms._levels as levels
from marginboost import LPBoostClassifier
from marginboost.data import BinnedMatrix
from marginboost.solvers.balanced_weights import ENOUGH, balance
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
@given(st.integers(0, 2**32 - 1), st.floats(0.0, 0.5), st.sampled_from([0.2, 0.5, 0.9]))
def test_found_only_where_the_best_soft_margin_is_zero(seed, noise, nu):
    X, y, prior = noisy(seed, noise, 80)
    bins = BinnedMatrix.from_data(X)
    outcomes = all_outcomes(bins, y)
    best = solve_margin_lp(outcomes, nu, prior).value
    found = balance(bins, y, prior, nu)
    if found is None:
        return
    assert best <= ENOUGH + 1e-9
    assert found.weights.sum() == pytest.approx(1.0)
    assert (found.weights <= prior / nu * (1 + 1e-5)).all()
    assert (found.weights @ outcomes).max() <= ENOUGH + 1e-9


def test_are_found_in_noise_and_not_where_there_is_a_margin():
    X, y, prior = noisy(0, 0.3)
    assert balance(BinnedMatrix.from_data(X), y, prior, NU) is not None
    X, y, prior = noisy(0, 0.0)
    assert balance(BinnedMatrix.from_data(X), y, prior, NU) is None


def test_a_run_that_begins_with_them_ends_with_the_proof(monkeypatch):
    X, y, weights = noisy(1, 0.3)
    with pytest.warns(UserWarning, match="about zero"):
        slow = LPBoostClassifier(nu=NU).fit(X, y, sample_weight=weights)
    monkeypatch.setattr(levels, "MANY_ROWS", 100)
    with pytest.warns(UserWarning, match="about zero"):
        quick = LPBoostClassifier(nu=NU).fit(X, y, sample_weight=weights)
    assert slow.n_iter_ > quick.n_iter_ == 1
    assert quick.stop_reason_ == "gap"
    assert quick.certified_
    assert quick.certificate_.upper <= 2 * ENOUGH
    assert -2 * levels.SHORTFALL <= quick.certificate_.value <= quick.certificate_.upper
    assert quick.estimator_weights_.sum() == pytest.approx(1.0)
    assert quick.score(X, y) >= max(0.65, slow.score(X, y))  # small votes, and yet they say much
