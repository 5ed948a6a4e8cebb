"""Series as tables, predictions that go on, and series to try them on."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import LinearRegression

from marginboost import GradientBoostRegressor, RBFNetOracle
from marginboost.datasets import load_santa_fe, mackey_glass
from marginboost.timeseries import lagged, predict_ahead


@pytest.mark.parametrize(("n_lags", "delay", "horizon"), [(1, 1, 1), (3, 2, None), (4, 6, 1)])
def test_rows_are_the_past_and_targets_the_future(n_lags, delay, horizon):
    series = np.random.default_rng(0).normal(size=60)
    X, y = lagged(series, n_lags, delay, horizon)
    ahead = delay if horizon is None else horizon
    first = (n_lags - 1) * delay
    assert len(X) == len(y) == 60 - first - ahead
    for i in (0, len(X) - 1):
        now = first + i
        assert_array_equal(X[i], [series[now - k * delay] for k in range(n_lags)])
        assert y[i] == series[now + ahead]


@pytest.mark.parametrize("delay", [1, 3])
def test_predictions_are_fed_back(delay):
    series = np.sin(0.2 * np.arange(200)) + 0.5 * np.cos(0.47 * np.arange(200))
    model = LinearRegression().fit(*lagged(series[:150], 6, delay))
    found = predict_ahead(model, series[:150], 50, 6, delay)
    assert_allclose(found, series[150:], atol=1e-5)


def test_one_step_at_a_time_is_the_same():
    series = mackey_glass(300)
    model = GradientBoostRegressor(n_estimators=10).fit(*lagged(series, 4, 2))
    whole, known = predict_ahead(model, series, 7, 4, 2), list(series)
    for _ in range(7):
        row = np.array([[known[-2 * (k + 1)] for k in range(4)]])
        known.append(float(model.predict(row)[0]))
    assert_array_equal(whole, known[-7:])


def test_nets_learn_the_mackey_glass_series():
    series = mackey_glass(700)
    X, y = lagged(series, 6, 6)
    model = GradientBoostRegressor(
        RBFNetOracle(), step="search", n_estimators=20, learning_rate=1.0
    )
    model.fit(X[:400], y[:400])
    assert model.score(X[400:], y[400:]) > 0.97


def test_mackey_glass_solves_its_equation():
    fine = mackey_glass(200, n_dropped=0, step=0.05)
    coarse = mackey_glass(200, n_dropped=0, step=0.1)
    assert_allclose(fine, coarse, atol=1e-3)
    dense = mackey_glass(400, n_dropped=200, interval=0.1)
    slope = (dense[2:] - dense[:-2]) / 0.2
    late, now = dense[1 : len(slope) - 170 + 1], dense[171 : len(slope) + 1]
    assert_allclose(slope[170:], -0.1 * now + 0.2 * late / (1 + late**10), atol=2e-3)


def test_santa_fe_series_come_from_files(tmp_path, monkeypatch):
    monkeypatch.delenv("MARGINBOOST_DATA", raising=False)
    series = np.arange(12.0)
    np.savez(tmp_path / "ts_santafe_laser_A.npz", series=series, n_train=10)
    np.savetxt(tmp_path / "D.txt", series)
    found, n_train = load_santa_fe("A", tmp_path / "ts_santafe_laser_A.npz")
    assert_array_equal(found, series)
    assert n_train == 10
    assert load_santa_fe("D", tmp_path / "D.txt")[1] == 12
    with pytest.raises(FileNotFoundError, match="MARGINBOOST_DATA"):
        load_santa_fe("A")
    monkeypatch.setenv("MARGINBOOST_DATA", str(tmp_path))
    assert_array_equal(load_santa_fe("A")[0], series)
    with pytest.raises(ValueError, match="expected one of A, D"):
        load_santa_fe("B")


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: lagged([1.0, 2.0], 3), "got 2 values, expected at least 4"),
        (lambda: lagged([1.0, np.nan, 2.0], 1), "got nan at place 1"),
        (lambda: lagged([[1.0], [2.0]], 1), "got 2 dimensions"),
        (lambda: lagged(np.arange(9.0), 0), "n_lags: got 0"),
        (lambda: predict_ahead(None, [1.0], 3, 2), "got 1 values, expected at least 2"),
        (lambda: mackey_glass(5, step=0.3), "step: got 0.3"),
    ],
)
def test_what_makes_no_sense_is_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()
