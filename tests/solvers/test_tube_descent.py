"""Descent in the levels of all stumps, against column generation with an exact master."""

import numpy as np
import pytest

from marginboost import BinnedMatrix, Callback, Checkpoint, LPBoostRegressor, Stop, verify
from marginboost.algorithms.gradient_boost_regressor import spread
from marginboost.data import Table
from marginboost.solvers.masters.tube import FixedTube, NuTube, QuantileTube
from marginboost.solvers.tube_descent import TubeDescent

KINDS = {
    "ν": {"nu": 0.3},
    "ε": {"epsilon": 0.5},
    "no tube": {"epsilon": 0.0},
    "quantile": {"loss": "quantile", "quantile": 0.9},
}
each = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 25, size=(2400, 3)) / 5.0
    noise = rng.standard_t(3, size=len(X))
    return X, np.sin(2.0 * X[:, 0]) + 0.5 * X[:, 1] + 0.4 * noise


@each
def test_it_proves_what_column_generation_finds(kind, rows):
    X, y = rows
    descended = LPBoostRegressor(**kind, tol=1e-3).fit(X, y)
    assert descended.n_iter_ <= 10  # of few, for the first weights all but prove the first model
    assert descended.certified_
    assert descended.certificate_.gap <= 1e-3
    assert verify(descended, X, y).holds
    exact = LPBoostRegressor(**kind, tol=1e-6, solver="interior").fit(X, y)
    below, above = descended.certificate_.lower, descended.certificate_.upper
    assert exact.certificate_.lower - 1e-3 <= below <= exact.certificate_.upper + 1e-9
    assert exact.certificate_.lower - 1e-9 <= above <= exact.certificate_.upper + 1e-3


def test_both_bounds_hold_at_every_turn_and_threads_change_nothing(rows):
    X, y = rows
    table = Table.learn(X, ["a", "b", "c"], None)
    bins = BinnedMatrix.from_table(table, n_jobs=1)
    prior = np.random.default_rng(1).dirichlet(np.full(len(y), 5.0))
    y = (y - np.median(y)) / spread(y, prior)
    problems = [
        NuTube(y, prior, 0.02, nu=0.4),
        FixedTube(y, prior, 0.02, epsilon=0.2),
        QuantileTube(y, prior, 0.02, quantile=0.2),
    ]
    for problem in problems:
        found = TubeDescent(bins, problem, 1).run(1e-3)
        rough = TubeDescent(bins, problem, 1).run(0.1)
        assert rough.lower <= found.upper
        assert found.lower <= rough.upper
        assert found.upper - found.lower <= 1e-3
        scores = sum(levels[codes] for levels, codes in zip(found.levels, bins.codes, strict=True))
        size = 0.5 * sum(np.abs(np.diff(levels)).sum() for levels in found.levels)
        assert problem.value(scores, size) == pytest.approx(found.lower, abs=1e-12)
        same = TubeDescent(bins, problem, 2).run(1e-3)
        np.testing.assert_array_equal(same.weights, found.weights)


class Interrupt(Callback):
    def on_round(self, state):
        raise KeyboardInterrupt


def test_a_run_that_goes_on_has_the_same_bits(rows, tmp_path):
    X, y = rows
    model = LPBoostRegressor(nu=0.3, tol=1e-5, n_estimators=3)
    kept = Checkpoint(tmp_path / "fit.json", every=1)
    with pytest.raises(KeyboardInterrupt):
        model.set_params(callbacks=[kept, Interrupt()]).fit(X, y)
    resumed = model.set_params(callbacks=[kept]).fit(X, y)
    whole = LPBoostRegressor(nu=0.3, tol=1e-5, n_estimators=3).fit(X, y)
    np.testing.assert_array_equal(resumed.predict(X), whole.predict(X))


def test_where_it_cannot_be_had_column_generation_does_it(rows):
    X, y = rows
    gaps = X.copy()
    gaps[::7, 0] = np.nan
    model = LPBoostRegressor(tol=1e-2).fit(gaps, y)
    assert model.n_iter_ > 1
    assert model.stop_reason_ == Stop.GAP
    constant = LPBoostRegressor().fit(np.ones((2400, 2)), y)
    np.testing.assert_allclose(constant.predict(np.ones((1, 2))), np.median(y), atol=0.1)
    hurried = LPBoostRegressor(solver_time_limit=1e-9).fit(X, y)
    assert hurried.certificate_.lower <= hurried.certificate_.upper
