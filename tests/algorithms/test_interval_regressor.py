"""Prediction intervals."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import LinearRegression

from marginboost import GradientBoostRegressor, IntervalRegressor, LPBoostRegressor


def rows(n, seed=0):
    """Noise that grows with the second feature."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2, 2, size=(n, 2))
    return X, X[:, 0] ** 2 + (0.1 + np.abs(X[:, 1])) * rng.normal(size=n)


QUICK = GradientBoostRegressor(n_estimators=20, max_leaf_nodes=4)


@pytest.mark.parametrize("coverage", [0.5, 0.9])
def test_intervals_hold_the_share_asked_for(coverage):
    """Of new rows, whatever the models: by counting, over several draws."""
    X, y = rows(4000)
    held = []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        order = rng.permutation(len(y))
        train, test = order[:400], order[400:]
        model = IntervalRegressor(clone(QUICK), coverage=coverage, random_state=seed)
        low, high = model.fit(X[train], y[train]).predict_interval(X[test]).T
        held.append(np.mean((low <= y[test]) & (y[test] <= high)))
    # at least the share asked for, at most 1 / (n + 1) more, on average; 100 rows are held back
    assert coverage - 0.05 < np.mean(held) < coverage + 0.06


def test_a_poor_model_has_wide_intervals_that_hold():
    X, y = rows(2000)
    stump = GradientBoostRegressor(n_estimators=1, max_leaf_nodes=2)
    model = IntervalRegressor(stump, coverage=0.8).fit(X[:1000], y[:1000])
    low, high = model.predict_interval(X[1000:]).T
    assert np.mean((low <= y[1000:]) & (y[1000:] <= high)) == pytest.approx(0.8, abs=0.06)
    assert (high >= low).all()


def test_the_correction_is_the_order_statistic_of_the_rows_held_back():
    X, y = rows(200)
    model = IntervalRegressor(clone(QUICK), coverage=0.8, calibration_fraction=0.25).fit(X, y)
    assert model.n_calibration_ == 50
    held = np.sort(np.random.default_rng(0).permutation(200)[:50])
    plain = clone(model).set_params(calibration_fraction=0.0)
    kept = np.setdiff1d(np.arange(200), held)
    low, high = plain.fit(X[kept], y[kept]).predict_interval(X[held]).T
    assert plain.correction_ == 0.0
    scores = np.sort(np.maximum(low - y[held], y[held] - high))
    assert model.correction_ == scores[41 - 1]  # ⌈51 · 0.8⌉ = 41


def test_wider_where_the_noise_is():
    X, y = rows(1000)
    low, high = IntervalRegressor().fit(X, y).predict_interval(X).T
    loud = np.abs(X[:, 1]) > 1.0
    assert (high - low)[loud].mean() > 1.3 * (high - low)[~loud].mean()


def test_other_models_and_frames():
    X, y = rows(300)
    frame = pd.DataFrame(X, columns=["a", "b"])
    for inner in (LPBoostRegressor(n_estimators=30), HistGradientBoostingRegressor(max_iter=20)):
        model = IntervalRegressor(inner, coverage=0.8).fit(frame, y)
        assert model.low_.get_params()["quantile"] == pytest.approx(0.1)
        ends = model.predict_interval(frame)
        assert ends.shape == (300, 2)
        assert model.feature_names_in_.tolist() == ["a", "b"]
        inside = (ends[:, 0] <= model.predict(frame)) & (model.predict(frame) <= ends[:, 1])
        assert inside.mean() > 0.95


def test_what_makes_no_sense_is_refused():
    X, y = rows(40)
    with pytest.raises(ValueError, match="coverage: got 1"):
        IntervalRegressor(coverage=1.0).fit(X, y)
    with pytest.raises(TypeError, match="a parameter 'quantile'"):
        IntervalRegressor(LinearRegression()).fit(X, y)
    with pytest.warns(UserWarning, match="too few to prove a coverage of 0.99"):
        IntervalRegressor(clone(QUICK), coverage=0.99).fit(X, y)
