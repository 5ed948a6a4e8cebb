"""Quantities of regression and support reduction (R2-Q15 to R2-Q17, R2-P6, R2-C17 to R2-C19)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_diabetes
from sklearn.metrics import r2_score

from marginboost import LeveragingRegressor, LPBoostRegressor
from marginboost.diagnostics import (
    is_tau_optimal,
    largest_dual,
    likelihood_loss,
    normalised_error,
    q_squared,
    tube_fractions,
    zero_fraction,
)
from marginboost.losses import Huber, Squared
from marginboost.solvers import sparsify
from strategies import theory


@theory
@given(st.integers(0, 10**6), st.booleans(), st.sampled_from([None, np.sqrt, np.log1p]))
def test_support_reduction_keeps_scores_and_penalty_c17(seed, intercept, penalty):
    """Prop. 5.4 and Cor. 5.1: at most N terms, the same scores, no larger sum of penalties."""
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(1, 8)), int(rng.integers(1, 30))
    H, coef = rng.normal(size=(n, m)), rng.uniform(0.1, 1.0, m)
    if rng.random() < 0.3:
        H = np.sign(H)
    reduced, shift = sparsify(H, coef, intercept=intercept, penalty=penalty)
    cost = penalty or (lambda c: c)
    assert np.count_nonzero(reduced) <= n
    assert (reduced >= 0.0).all()
    assert cost(reduced).sum() <= cost(coef).sum() + 1e-9
    np.testing.assert_allclose(H @ reduced + shift, H @ coef, atol=1e-8)
    assert shift == 0.0 or intercept


def test_ridge_penalties_have_nearly_no_zeros_c18():
    """Prop. 5.3: far fewer zeros with a strictly convex penalty than the bound N / (J - N)."""
    rng = np.random.default_rng(0)
    H, y = rng.normal(size=(10, 400)), rng.normal(size=10)
    coef = H.T @ np.linalg.solve(H @ H.T + 0.1 * np.eye(10), y)
    assert np.mean(np.abs(coef) < 1e-9 * np.abs(coef).max()) <= zero_fraction(10, 400)


def test_zeros_are_bounded_by_a_jth_root_r2_x6():
    """Prop. 5.3: half of the columns have nothing to say of y, and their coefficients are 0.

    Ten columns drawn from these do not span both rows if all are of one half: p₀ = 2 · 2⁻¹⁰.
    """
    H, y = np.repeat(np.eye(2), 5, axis=1), np.array([0.0, 1.0])
    coef = H.T @ np.linalg.solve(H @ H.T + 0.1 * np.eye(2), y)
    zeros, p_0 = np.mean(coef == 0.0), 2 * 0.5**10
    draws = np.random.default_rng(0).integers(0, 10, (20_000, 10))
    assert np.mean((draws < 5).all(axis=1) | (draws >= 5).all(axis=1)) == pytest.approx(
        p_0, abs=1e-3
    )
    assert zeros == 0.5
    assert p_0 ** (1 / 3) < zeros <= p_0 ** (1 / 10)


def test_weights_are_bounded_c19():
    X, y = load_diabetes(return_X_y=True)
    model = LeveragingRegressor(loss="huber").fit(X[:100], y[:100])
    assert largest_dual(Huber(), y) == 1.0
    assert largest_dual(Squared(), np.array([1.0, -2.0])) == 3.0
    unit = np.abs(model.dual_).max() / np.abs(model.dual_).sum()
    assert unit <= largest_dual("huber", y)


def test_errors_and_tubes():
    X, y = load_diabetes(return_X_y=True)
    model = LPBoostRegressor(nu=0.4).fit(X, y)
    predicted = model.predict(X)
    assert q_squared(y, predicted) == pytest.approx(1.0 - r2_score(y, predicted))
    assert normalised_error(y, predicted) ** 2 == pytest.approx(q_squared(y, predicted))
    shares = tube_fractions(y - predicted, model.epsilon_)
    assert shares.allows(0.4)
    assert not shares.allows(0.9)
    assert shares.outside + shares.edge + shares.inside == pytest.approx(1.0)
    with pytest.raises(ValueError, match="all targets are equal"):
        q_squared(np.ones(3), np.ones(3))


def test_likelihood_and_tau():
    r = np.linspace(-3, 3, 7)
    np.testing.assert_allclose(likelihood_loss(lambda x: -np.abs(x), r), np.abs(r))
    np.testing.assert_allclose(likelihood_loss(lambda x: -0.5 * x**2, r), Squared().value(r))
    assert not is_tau_optimal(0.11, 0.5, lambda gap: 0.5 * gap, price=0.1)
