"""TreeBoost for least absolute deviation: trees on signs, medians in leaves (R2-B4)."""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeRegressor

from marginboost import GradientBoostRegressor

SETTINGS = {"loss": "absolute", "max_leaf_nodes": None, "min_samples_leaf": 1}


def wild_rows(seed=0, n=301):
    """Whole numbers, so that cuts between bins are those between values; tails of two freedoms."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 60, size=(n, 3)).astype(float)
    return X, 2.0 * X[:, 0] + 10.0 * np.sin(X[:, 1]) + rng.standard_t(2, size=n)


def by_hand(X, y, n_rounds, rate, max_depth, weights=None):
    """Friedman's algorithm, word for word."""
    copies = np.ones(len(y), dtype=int) if weights is None else weights
    F = np.full(len(y), np.median(y.repeat(copies)))
    for _ in range(n_rounds):
        rest = y - F
        tree = DecisionTreeRegressor(max_depth=max_depth, random_state=0)
        leaves = tree.fit(X, np.sign(rest), sample_weight=weights).apply(X)
        for leaf in np.unique(leaves):
            rows = leaves == leaf
            F[rows] += rate * np.median(rest[rows].repeat(copies[rows]))
    return F


@pytest.mark.parametrize("rate", [1.0, 0.3])
def test_it_is_the_algorithm_as_printed(rate):
    X, y = wild_rows()
    model = GradientBoostRegressor(**SETTINGS, n_estimators=6, max_depth=2, learning_rate=rate).fit(
        X, y
    )
    np.testing.assert_allclose(model.predict(X), by_hand(X, y, 6, rate, 2), rtol=1e-9, atol=1e-9)


def test_weights_are_copies():
    X, y = wild_rows(1)
    counts = np.random.default_rng(2).integers(1, 4, len(y))
    model = GradientBoostRegressor(**SETTINGS, n_estimators=4, max_depth=2, learning_rate=0.5).fit(
        X, y, sample_weight=counts
    )
    hand = by_hand(X, y, 4, 0.5, 2, counts)
    np.testing.assert_allclose(model.predict(X), hand, rtol=1e-9, atol=1e-9)


def test_the_loss_never_rises_and_far_targets_pull_no_more():
    X, y = wild_rows(2)
    far, near = y.copy(), np.arange(len(y)) % 20 > 0
    far[~near] += 1e6
    settings = {"loss": "absolute", "n_estimators": 40, "subsample": 0.7, "random_state": 0}
    model = GradientBoostRegressor(**settings).fit(X, far)
    whole = GradientBoostRegressor(loss="absolute", n_estimators=40).fit(X, far)
    assert (np.diff(whole.history_["loss"]) <= 1e-9 * whole.history_["loss"][0]).all()
    for fitted in (model, whole):
        assert np.abs(fitted.predict(X) - y)[near].mean() < 8.0
        assert np.abs(fitted.predict(X)).max() < 200.0


def test_directions_are_refused():
    X, y = wild_rows()
    with pytest.raises(ValueError, match="monotonic_cst: got directions with the loss 'absolute'"):
        GradientBoostRegressor(loss="absolute", monotonic_cst={0: 1}).fit(X, y)
