"""Odd targets and tables to all regressors with defaults: a right answer or a clear error."""

import numpy as np
import pytest

from marginboost import (
    BarrierBoostRegressor,
    GradientBoostRegressor,
    IntervalRegressor,
    L2BoostRegressor,
    LeveragingRegressor,
    LPBoostRegressor,
    LSBoostRegressor,
)
from marginboost.estimators.regressor import BaseBoostRegressor
from marginboost.losses import MeanLoss, ResidualLoss, known_losses

ALL = [
    *(BarrierBoostRegressor, GradientBoostRegressor, IntervalRegressor, L2BoostRegressor),
    *(LeveragingRegressor, LPBoostRegressor, LSBoostRegressor),
]
pytestmark = [
    pytest.mark.filterwarnings("ignore:.*rows are held back:UserWarning"),
    pytest.mark.filterwarnings("ignore:min_samples_leaf:UserWarning"),
]
every = pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.__name__)
UNITS = [1e-300, 1e-160, 1e-20, 1e140]


def rows(n=12):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 2))
    return X, np.abs(X[:, 0] + 0.1 * rng.normal(size=n)) + 0.1


def test_none_is_missing():
    assert set(BaseBoostRegressor.__registry__) <= {kind.__name__ for kind in ALL}


@every
@pytest.mark.parametrize("constant", [0.0, 3.0, -1e-300, 1e140])
def test_a_constant_target_is_predicted(kind, constant):
    X, _ = rows()
    predicted = kind().fit(X, np.full(len(X), constant)).predict(X)
    np.testing.assert_allclose(predicted, constant, rtol=1e-12)


@every
@pytest.mark.parametrize("n", [1, 2, 5])
def test_few_rows(kind, n):
    X, y = rows()
    if kind is IntervalRegressor and n == 1:  # one row to learn from, one to judge
        with pytest.raises(ValueError, match="minimum of 2 is required"):
            kind().fit(X[:1], y[:1])
        return
    predicted = kind().fit(X[:n], y[:n]).predict(X)
    assert predicted.shape == (len(X),)
    low, high = y[:n].min(), y[:n].max()
    room = max(high - low, 1e-9)
    assert ((predicted >= low - room) & (predicted <= high + room)).all()
    if n == 1:
        np.testing.assert_allclose(predicted, y[0], rtol=1e-12)


@every
def test_equal_rows_with_different_targets_get_one_prediction(kind):
    X, y = rows()
    predicted = kind().fit(np.repeat(X[:1], len(y), axis=0), y).predict(X[:1])
    assert y.min() <= predicted[0] <= y.max()


@every
@pytest.mark.parametrize("unit", UNITS)
def test_units_of_any_size(kind, unit):
    X, y = rows()
    plain, scaled = kind().fit(X, y).predict(X), kind().fit(X, unit * y).predict(X)
    np.testing.assert_allclose(scaled / unit, plain, rtol=1e-6)


LOSSES = sorted(name for name, kind in known_losses().items() if issubclass(kind, ResidualLoss))
MEAN_LOSSES = sorted(name for name, kind in known_losses().items() if issubclass(kind, MeanLoss))


@pytest.mark.parametrize("loss", [*LOSSES, *MEAN_LOSSES])
def test_units_of_any_size_under_any_loss(loss):
    X, y = rows(60)

    def predict(y):
        return GradientBoostRegressor(loss=loss, n_estimators=10).fit(X, y).predict(X)

    plain = predict(y)
    assert np.ptp(plain) > 0.1
    for unit in UNITS:
        if loss in MEAN_LOSSES and unit == 1e-300:
            with pytest.raises(ValueError, match=r"largest target is .*e-300, expected at least"):
                predict(unit * y)
        else:
            np.testing.assert_allclose(predict(unit * y) / unit, plain, rtol=1e-9)


@every
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_targets_that_are_not_finite(kind, bad):
    X, y = rows()
    y[3] = bad
    with pytest.raises(ValueError, match="y: row 3 has no finite target"):
        kind().fit(X, y)


@every
def test_targets_whose_squares_overflow(kind):
    X, y = rows()
    with pytest.raises(ValueError, match=r"expected at most 1e\+150 in size"):
        kind().fit(X, 1e300 * y)
