"""scikit-learn's own checks, on every regressor of the package."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from marginboost import L2BoostRegressor, LinearOracle
from marginboost.estimators.regressor import BaseBoostRegressor

EVERY = BaseBoostRegressor.registry


@parametrize_with_checks(
    [
        *(make(n_estimators=30) for make in EVERY.values()),
        L2BoostRegressor(LinearOracle(), learning_rate=0.5),
    ]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("make", EVERY.values())
def test_docstring_names_every_parameter(make):
    for name in make().get_params(deep=False):
        assert f"{name} :" in make.__doc__, name
    assert "{common}" not in make.__doc__
    assert "{fitted}" not in make.__doc__
