"""Prices at the ends of what numbers can hold: bounds that hold, and rounds that end."""

import time

import numpy as np
import pytest

from marginboost.algorithms import L1LeveragingClassifier, MDBoostClassifier, NMBoostClassifier
from marginboost.core.stop import Stop
from marginboost.solvers.soft_descent import linear_step


def small_tables(count):
    """Few rows with ties, labels by lot, weights of different size."""
    rng = np.random.default_rng(0)
    for _ in range(count):
        n = int(rng.integers(2, 12))
        X = rng.integers(0, 3, size=(n, 2)).astype(float)
        y = np.append([0, 1], rng.integers(0, 2, n - 2))
        yield X, y, rng.choice([1.0, 3.0, 1e-3], n)


@pytest.mark.parametrize(
    "model",
    [
        *(MDBoostClassifier(D=D, tol=0.0, n_estimators=20) for D in (1e4, 1e6, 1e8, 1e12)),
        *(NMBoostClassifier(C=C, tol=0.0, n_estimators=20) for C in (1e3, 1e16, 1e100)),
    ],
    ids=str,
)
def test_bounds_do_not_cross(model):
    """Rounding is in proportion to the price, however near to 0 the value is."""
    for X, y, weights in small_tables(60):
        found = model.fit(X, y, sample_weight=weights).certificate_
        assert found.certified, found.reason
        assert found.lower <= found.upper


@pytest.mark.parametrize("D", [1e9, 1e11, 1e12])
def test_rounds_of_a_price_beyond_rounding_end(D):
    """Where multipliers round to more than the accuracy asked for, no more steps are taken."""
    rng = np.random.default_rng(1)
    for n in (42, 46, 50, 55):
        X, y = rng.normal(size=(n, 3)), np.append([0, 1], rng.integers(0, 2, n - 2))
        started = time.process_time()
        MDBoostClassifier(D=D, n_jobs=1).fit(X, y)
        assert time.process_time() - started < 2.0


def test_a_price_whose_weights_are_rounding_is_refused():
    with pytest.raises(ValueError, match=r"D: got 10{13}.0, expected a number above 0 and at most"):
        MDBoostClassifier(D=1e13).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize("steps", ["newton", "coordinate"])
def test_rounds_that_lower_next_to_nothing_end(steps):
    """Without a price that counts, the loss of rows that are told apart falls for ever."""
    X, y = np.arange(12.0)[:, None], np.arange(12) == 3
    model = L1LeveragingClassifier(C=1e-60, tol=0.0, steps=steps, n_jobs=1).fit(X, y)
    assert model.stop_reason_ == Stop.STALLED
    assert len(model.model_.runs[0].history) < 500


def test_a_step_along_rates_whose_squares_are_no_numbers():
    """The same step, in another unit."""
    outcome, prior = np.array([1.0, 1.0, 1.0, -1.0]), np.full(4, 0.25)
    with np.errstate(over="raise", invalid="raise"):
        step = linear_step(np.zeros(4), 1e200 * outcome, prior, 5.0)
    assert step == pytest.approx(0.5e-200 * np.log(3.0), rel=1e-9)
