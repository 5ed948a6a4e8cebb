"""Targets and features next to zero, where sums, quotients and slopes lose their digits."""

import warnings

import numpy as np
import pytest

from marginboost import (
    CGBoostClassifier,
    GradientBoostRegressor,
    L2BoostRegressor,
    LinearOracle,
    LSBoostRegressor,
    NMBoostClassifier,
    TargetAudit,
)
from marginboost.oracles.linear import Line

LOSSES = ["squared", "absolute", "huber", "log-cosh", "epsilon-insensitive", "quantile"]


def fitted(model, *data, **weights):
    """A fit that must not warn of numbers that overflow."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        return model.fit(*data, **weights)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("loss", LOSSES)
def test_targets_of_zero_and_the_least_number(loss, seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(50, 2)), rng.choice([0.0, 5e-324], size=50)
    model = fitted(GradientBoostRegressor(loss=loss, n_estimators=5, n_jobs=1), X, y)
    assert (np.abs(model.predict(X)) <= 1e-300).all()
    assert model.certificate_.lower <= model.certificate_.upper


@pytest.mark.parametrize("n_rows", [20, 60])
@pytest.mark.parametrize("seed", range(4))
def test_audit_of_targets_of_zero_and_the_least_number(n_rows, seed):
    """Distances below the least number with all its digits say nothing: no row is suspect."""
    rng = np.random.default_rng(seed)
    y = rng.choice([0.0, 5e-324], size=n_rows)
    audit = fitted(TargetAudit(n_jobs=1), rng.normal(size=(n_rows, 2)), y)
    assert (audit.spread_ > 0.0).all()
    assert np.isfinite(audit.score_).all()
    assert not audit.flagged_.any()


@pytest.mark.parametrize("cls", [LSBoostRegressor, L2BoostRegressor])
@pytest.mark.parametrize("width", [1e-300, 1e-307, 1e-312])
def test_lines_through_tiny_values_of_large_targets(cls, width):
    """The slope of the sum of lines is no finite number; what it says of the rows is."""
    x = np.linspace(-1.0, 1.0, 21)
    model = fitted(cls(LinearOracle(), n_estimators=200), width * x[:, None], 1e100 * x)
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        predicted = model.predict(width * x[:, None])
    assert np.isfinite(predicted).all()
    if width >= 1e-307:
        np.testing.assert_allclose(predicted, 1e100 * x, atol=1e98)


def test_steep_lines_vote_as_lines_apart():
    rows = np.array([[1e-300], [-1e-300], [np.nan]])
    lines = [Line(0, 0.0, 1e300), Line(0, 0.0, -5e299), Line(0, 0.0, 1.0)]
    votes = Line.voter(lines, np.array([1e100, 1e100, 1.0]))(rows)
    np.testing.assert_allclose(votes, [5e99, -5e99, 0.0])


@pytest.mark.parametrize("scale", [1e-320, 1e-310, 1e-300])
def test_least_squares_of_tiny_targets(scale):
    x = np.linspace(0.0, 1.0, 11)
    model = fitted(LSBoostRegressor(n_estimators=20), x[:, None], scale * x)
    assert np.isfinite(model.predict(x[:, None])).all()
    assert model.certificate_.lower <= model.certificate_.upper


@pytest.mark.parametrize("cls", [CGBoostClassifier, NMBoostClassifier], ids=["norm", "shortfall"])
@pytest.mark.parametrize("seed", range(12))
def test_squared_norms_and_shortfalls_of_weights_of_very_different_size(cls, seed):
    """Newton's equations overflow; the best point seen before is taken, votes are numbers."""
    rng = np.random.default_rng(seed)
    n = int(rng.choice([3, 8, 60]))
    X, y = rng.integers(0, 4, size=(n, 2)).astype(float), np.arange(n) % 2
    weights = 10.0 ** rng.integers(-200, 201, size=n)
    weights[:2] = 1e200
    for C in (cls().C, 1e20, 1e300):
        model = fitted(cls(C=C, n_jobs=1), X, y, sample_weight=weights)
        assert np.isfinite(model.predict_proba(X)).all()
