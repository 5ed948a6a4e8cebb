"""Leveraging and barrier regression against independent solvers.

See R2-A11, R2-A12, R2-C20, R2-C22, R2-C23.
"""

import numpy as np
import pytest
from scipy.optimize import linprog
from sklearn.base import clone
from sklearn.datasets import load_diabetes
from sklearn.linear_model import Lasso

from marginboost import (
    BarrierBoostRegressor,
    Checkpoint,
    FiniteOracle,
    LeveragingRegressor,
    LPBoostRegressor,
    Stop,
    load,
)

KINDS = {
    "huber": LeveragingRegressor(),
    "log-cosh": LeveragingRegressor(loss="log-cosh"),
    "squared": LeveragingRegressor(loss="squared"),
    "barrier": BarrierBoostRegressor(tol=1e-2),
}
every = pytest.mark.parametrize("model", KINDS.values(), ids=KINDS)


@pytest.fixture(scope="module")
def data():
    X, y = load_diabetes(return_X_y=True)
    return X[:120], y[:120]


@pytest.mark.parametrize("steps", ["newton", "coordinate"])
def test_the_squared_loss_makes_the_lasso(steps):
    rng = np.random.default_rng(0)
    H = rng.uniform(-1, 1, (40, 8))
    y = 3 * H[:, 0] - 2 * H[:, 3] + 0.3 * rng.normal(size=40) + 7
    lasso = Lasso(alpha=0.05, tol=1e-12, max_iter=100_000).fit(H, y)
    unit = np.sort(np.abs(y - np.sort(y)[19]))[19]  # median distance from the lower median
    model = LeveragingRegressor(
        FiniteOracle(closed=True), loss="squared", C=0.05 / unit * 40, steps=steps, tol=1e-10
    ).fit(H, y)
    np.testing.assert_allclose(model.predict(H), lasso.predict(H), atol=1e-4)
    assert model.certificate_.gap <= 1e-10


def test_the_corrected_barrier_reaches_the_linear_program_c23():
    """R2-X4: with sign and scale of the weights mended, the optimum of the full program."""
    rng = np.random.default_rng(1)
    x = np.sort(rng.uniform(-2 * np.pi, 2 * np.pi, 50))
    y = np.sinc(x) + 0.15 * rng.normal(size=50)
    H = np.exp(-((x[:, None] - x) ** 2) / 0.5)
    both, ones, eye = np.hstack([H, -H]), np.ones((50, 1)), np.eye(50)
    matrix = np.block([[-both, -ones, -ones, -eye, 0 * eye], [both, ones, -ones, 0 * eye, -eye]])
    costs = np.concatenate([np.full(100, 0.02), [0.0, 0.5], np.full(100, 1 / 50)])
    bounds = [(0, None)] * 100 + [(None, None)] + [(0, None)] * 101
    best = linprog(costs, matrix, np.concatenate([-y, y]), bounds=bounds).fun
    model = BarrierBoostRegressor(FiniteOracle(closed=True), nu=0.5, C=50.0, tol=1e-6).fit(H, y)
    off = np.abs(y - model.predict(H))
    alpha = sum(model.estimator_weights_[1:])
    found = 0.02 * alpha + np.maximum(off - model.epsilon_, 0).mean() + 0.5 * model.epsilon_
    assert found == pytest.approx(best, rel=1e-4)
    same = LPBoostRegressor(FiniteOracle(closed=True), nu=0.5, C=50.0, tol=1e-9).fit(H, y)
    assert same.epsilon_ == pytest.approx(model.epsilon_, rel=0.02)


@every
def test_weights_are_copies_and_files_keep_models(model, data, tmp_path):
    X, y = data
    counts = np.random.default_rng(0).integers(0, 4, len(y))
    tight = clone(model)
    weighted = tight.fit(X, y, sample_weight=counts)
    one = weighted.certificate_
    other = clone(model).fit(X.repeat(counts, axis=0), y.repeat(counts)).certificate_
    assert one.lower <= other.upper + 1e-8
    assert other.lower <= one.upper + 1e-8
    weighted.save(tmp_path / "model.json")
    np.testing.assert_array_equal(load(tmp_path / "model.json").predict(X), weighted.predict(X))


@every
def test_interrupted_runs_go_on_bit_for_bit(model, data, tmp_path):
    X, y = data
    whole = clone(model).fit(X, y)
    file = tmp_path / "run.json"
    first = clone(model).set_params(n_estimators=3, callbacks=[Checkpoint(file, every=1)])
    first.fit(X, y)
    resumed = clone(model).set_params(callbacks=[Checkpoint(file, every=1)]).fit(X, y)
    np.testing.assert_array_equal(resumed.estimator_weights_, whole.estimator_weights_)
    np.testing.assert_array_equal(resumed.dual_, whole.dual_)


@every
def test_odd_targets(model, data):
    X, y = data
    flat = clone(model).set_params(tol=None).fit(X, np.full(len(X), -3.0))
    np.testing.assert_array_equal(flat.predict(X), -3.0)
    assert flat.stop_reason_ is Stop.NO_EDGE
    assert clone(model).fit(X[:1], y[:1]).predict(X[:1]) == y[0]
    for unit in (1e-150, 1e140):
        there = clone(model).fit(X, unit * y)
        assert there.certificate_.gap <= max(model.tol, 1e-3)
        assert np.isfinite(there.predict(X)).all()
    with pytest.raises(ValueError, match="y: row 0"):
        clone(model).fit(X, np.where(np.arange(len(y)) == 0, np.nan, y))


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (LeveragingRegressor(loss="logistic"), "loss: got 'logistic'"),
        (LeveragingRegressor(C=-1.0), "C: got -1.0"),
        (BarrierBoostRegressor(nu=2.0), "nu: got 2.0"),
        (BarrierBoostRegressor(factor=1.0), "factor: got 1.0"),
    ],
)
def test_settings_are_checked_first(model, message):
    with pytest.raises(ValueError, match=message):
        model.fit(None, None)
