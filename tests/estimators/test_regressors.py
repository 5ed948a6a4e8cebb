"""What all regressors promise: weights, scales, callbacks, interruptions, errors."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_diabetes
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeRegressor

from marginboost import (
    BinnedMatrix,
    Callback,
    Checkpoint,
    EarlyStopping,
    GradientBoostRegressor,
    L2BoostRegressor,
    LinearOracle,
    LSBoostRegressor,
    Stop,
)
from marginboost.data import Table

EVERY = {
    "LS-Boost": LSBoostRegressor(n_estimators=15),
    "slow LS-Boost": LSBoostRegressor(n_estimators=15, learning_rate=0.3),
    "L2Boost": L2BoostRegressor(n_estimators=15, max_depth=2),
    "squared": GradientBoostRegressor(n_estimators=15, max_leaf_nodes=4, learning_rate=0.3),
    "huber": GradientBoostRegressor(n_estimators=15, max_leaf_nodes=4, loss="huber"),
    "lines": L2BoostRegressor(LinearOracle(), n_estimators=15, learning_rate=0.5),
}
every = pytest.mark.parametrize("model", EVERY.values(), ids=EVERY)


@pytest.fixture(scope="module")
def data():
    X, y = load_diabetes(return_X_y=True)
    return X[:150], y[:150]


@every
def test_weights_are_copies(model, data):
    X, y = data
    counts = np.random.default_rng(0).integers(0, 4, len(y))
    weighted = clone(model).fit(X, y, sample_weight=counts)
    copied = clone(model).fit(X.repeat(counts, axis=0), y.repeat(counts))
    np.testing.assert_allclose(weighted.predict(X), copied.predict(X), rtol=1e-9)
    np.testing.assert_allclose(
        weighted.history_["loss"], copied.history_["loss"], rtol=1e-9, atol=1e-9
    )
    assert (weighted.dual_[counts == 0] == 0).all()


@every
def test_units_of_the_targets_do_not_matter(model, data):
    X, y = data
    plain = clone(model).fit(X, y).predict(X)
    iterates = isinstance(model, GradientBoostRegressor)  # towards the best constant
    for unit in () if iterates else (2.0**-20, 2.0**30):  # no rounding, so the same bits
        np.testing.assert_array_equal(clone(model).fit(X, unit * y).predict(X), unit * plain)
    for unit in (1e-6, 1e9, -1.0):
        predicted = clone(model).fit(X, unit * y).predict(X)
        np.testing.assert_allclose(predicted, unit * plain, rtol=1e-9)


@every
@pytest.mark.parametrize("constant", [0.0, 1e-6, -3.0, 1e9])
def test_constant_targets(model, constant, data):
    X, _ = data
    fitted = clone(model).set_params(n_estimators=200).fit(X, np.full(len(X), constant))
    np.testing.assert_allclose(fitted.predict(X), constant, rtol=1e-12)
    assert fitted.stop_reason_ in (Stop.NO_EDGE, Stop.ROUNDS)
    assert fitted.certificate_.value == pytest.approx(1.0) or constant == 0.0


def test_l2_boost_moves_with_the_targets(data):
    X, y = data
    there = L2BoostRegressor(n_estimators=15).fit(X, y + 1000.0).predict(X)
    here = L2BoostRegressor(n_estimators=15).fit(X, y).predict(X)
    np.testing.assert_allclose(there, here + 1000.0, rtol=1e-9)


class Interrupt(Callback):
    def on_round(self, state):
        if state.round == 7:
            raise KeyboardInterrupt


@every
def test_interrupted_fits_go_on(model, data, tmp_path):
    X, y = data
    whole = clone(model).fit(X, y)
    kept = Checkpoint(tmp_path / "fit.json", every=3)
    with pytest.raises(KeyboardInterrupt):
        clone(model).set_params(callbacks=[kept, Interrupt()]).fit(X, y)
    resumed = clone(model).set_params(callbacks=[kept]).fit(X, y)
    np.testing.assert_array_equal(resumed.predict(X), whole.predict(X))
    np.testing.assert_array_equal(resumed.history_["loss"], whole.history_["loss"])
    with pytest.raises(KeyboardInterrupt):
        clone(model).set_params(callbacks=[kept, Interrupt()]).fit(X, y)
    other = clone(model).set_params(callbacks=[kept])
    with pytest.raises(ValueError, match="made by another run"):
        other.fit(X, y + 1.0)


@every
def test_early_stopping_keeps_the_best_round(model, data):
    X, y = data
    stop = EarlyStopping(X[100:], y[100:], 10, "error")
    fitted = clone(model).set_params(n_estimators=300, callbacks=[stop]).fit(X[:100], y[:100])
    errors = [np.mean((y[100:] - p) ** 2) for p in fitted.staged_predict(X[100:])]
    assert np.argmin(errors) == len(errors) - 1
    np.testing.assert_allclose(min(stop.errors_), errors[-1])
    if not isinstance(model, GradientBoostRegressor):  # that compares with the best constant
        left = np.mean((y[:100] - fitted.predict(X[:100])) ** 2) / np.mean(y[:100] ** 2)
        np.testing.assert_allclose(fitted.certificate_.value, 1.0 - left)


@every
def test_early_stopping_by_the_loss(model, data):
    X, y = data
    stop = EarlyStopping(X[100:], y[100:], 10, "loss")
    clone(model).set_params(callbacks=[stop]).fit(X[:100], y[:100])
    assert len(stop.errors_) == 15
    assert min(stop.errors_) < stop.errors_[0]


def test_threads_change_nothing():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 50, size=(140_000, 2)).astype(float)
    y = X[:, 0] + rng.normal(size=len(X))
    for model in (LSBoostRegressor(n_estimators=3), L2BoostRegressor(LinearOracle())):
        one, two = (
            clone(model).set_params(n_estimators=3, n_jobs=n).fit(X, y).predict(X[:100])
            for n in (1, 2)
        )
        np.testing.assert_array_equal(one, two)


def test_frames_bins_and_missing_values():
    rng = np.random.default_rng(0)
    size = rng.normal(size=120)
    size[:30] = np.nan
    frame = pd.DataFrame(
        {"size": size, "kind": pd.Categorical(rng.choice(["a", "b"], 120)), "one": 1.0}
    )
    y = np.where(np.isnan(size), 5.0, size) + 3.0 * (frame["kind"] == "a")
    for model in (LSBoostRegressor(n_estimators=60), L2BoostRegressor(n_estimators=60)):
        fitted = model.fit(frame, y)
        assert fitted.score(frame, y) > 0.9
        assert list(fitted.feature_names_in_) == ["size", "kind", "one"]
        assert fitted.feature_importances_[2] == 0.0
    table = Table.learn(frame, list(frame), None)
    bins = BinnedMatrix.from_table(table, n_jobs=1)
    binned = L2BoostRegressor(n_estimators=60).fit(bins, y)
    np.testing.assert_allclose(binned.predict(bins), fitted.predict(frame))
    lines = L2BoostRegressor(LinearOracle(), n_estimators=5).fit(frame, y)
    assert {member.feature for member in lines.estimators_[1:]} == {0}
    with pytest.raises(TypeError, match="LinearOracle: got a BinnedMatrix"):
        L2BoostRegressor(LinearOracle()).fit(bins, y)


def test_lines_have_one_norm_and_are_those_of_largest_correlation(data):
    X, y = data
    weights = np.random.default_rng(1).integers(1, 4, len(y))
    lines = L2BoostRegressor(LinearOracle(), n_estimators=1).fit(X, y, weights).estimators_[1:]
    centred = X - np.average(X, axis=0, weights=weights)
    rest = weights * (y - np.average(y, weights=weights))
    correlations = rest @ centred / np.sqrt(weights @ centred**2)
    assert lines[0].feature == np.argmax(np.abs(correlations))
    assert lines[0].slope * correlations[lines[0].feature] > 0


def test_nothing_varies():
    fitted = L2BoostRegressor(LinearOracle()).fit(np.ones((5, 2)), np.arange(5.0))
    np.testing.assert_allclose(fitted.predict([[1.0, 7.0]]), 2.0)


def test_in_scikit_learn(data):
    X, y = data
    search = GridSearchCV(L2BoostRegressor(n_estimators=10), {"max_depth": [1, 2]}, cv=2).fit(X, y)
    assert search.best_params_["max_depth"] in (1, 2)
    learner = L2BoostRegressor(DecisionTreeRegressor(max_depth=2), n_estimators=20).fit(X, y)
    assert learner.score(X, y) > 0.4
    scores = list(learner.staged_score(X, y))
    assert scores[-1] == pytest.approx(learner.score(X, y))


def test_progress_shows_the_loss(data, capsys):
    LSBoostRegressor(n_estimators=10, verbose=1).fit(*data)
    assert "loss" in capsys.readouterr().err


# -- bad input ------------------------------------------------------------------------------------

ROWS = np.arange(8.0).reshape(4, 2)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([1.0, np.nan, 2.0, 3.0], "y: row 1 has no finite target (Input y contains NaN"),
        ([1.0, 2.0, np.inf, 3.0], "y: row 2 has no finite target"),
        (["a", "b", "c", "d"], "y: got ['a'], expected numbers"),
        ([1.0, 2.0], "y: got 2 targets for 4 rows of X"),
    ],
)
def test_bad_targets(y, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        LSBoostRegressor().fit(ROWS, y)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (LSBoostRegressor(version=3), "version: got 3, expected one of 1, 2"),
        (LSBoostRegressor(learning_rate=1.5), "learning_rate: got 1.5"),
        (LSBoostRegressor(n_candidates=0), "n_candidates: got 0"),
        (L2BoostRegressor(learning_rate=0.0), "learning_rate: got 0.0"),
        (L2BoostRegressor(max_depth=0), "max_depth: got 0"),
        (L2BoostRegressor(n_estimators=0), "n_estimators: got 0"),
    ],
)
def test_bad_settings(model, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        model.fit(ROWS, [1.0, 2.0, 3.0, 4.0])


@every
def test_targets_whose_squares_overflow(model):
    y = np.array([1.0, -2e150, 3.0, 4.0])
    with pytest.raises(ValueError, match=r"y: row 1 has the target -2e\+150, expected at most"):
        clone(model).fit(ROWS, y)
    assert np.isfinite(clone(model).fit(ROWS, 0.5 * y).predict(ROWS)).all()


def test_no_rows_and_no_weight():
    with pytest.raises(ValueError, match="X: got 0 rows, expected at least 1"):
        LSBoostRegressor().fit(pd.DataFrame({"a": []}), [])
    with pytest.raises(ValueError, match="sample_weight: got only zeros"):
        LSBoostRegressor().fit(ROWS, [1.0, 2.0, 3.0, 4.0], np.zeros(4))
