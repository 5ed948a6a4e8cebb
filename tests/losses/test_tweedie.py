"""Losses of counts and amounts, and gradient boosting with them."""

import numpy as np
import pytest
from sklearn.metrics import mean_tweedie_deviance

from marginboost import GradientBoostRegressor, load
from marginboost.losses import Gamma, Poisson, Tweedie

LOSSES = [Poisson(), Tweedie(1.3), Tweedie(), Gamma()]
every = pytest.mark.parametrize("loss", LOSSES, ids=str)


def targets(loss, n=200):
    rng = np.random.default_rng(0)
    amounts = rng.gamma(2.0, 1.0, n)
    return rng.poisson(2.0, n).astype(float) if loss.exponent == 1.0 else np.where(
        loss.zeros & (rng.random(n) < 0.3), 0.0, amounts
    )  # fmt: skip


@every
def test_values_are_half_the_deviance(loss):
    y = targets(loss)
    scores = np.random.default_rng(1).normal(size=len(y))
    found = 2.0 * loss.value(loss.argument(y, scores)).mean()
    expected = mean_tweedie_deviance(y, np.exp(scores), power=loss.exponent)
    assert found == pytest.approx(expected, rel=1e-12)


@every
def test_slopes_and_curvatures_are_derivatives(loss):
    y, step = targets(loss), 1e-5
    scores = np.random.default_rng(2).normal(size=len(y))
    low, at, high = (loss.argument(y, scores + s) for s in (-step, 0.0, step))
    slope = (loss.value(low) - loss.value(high)) / (2 * step)
    np.testing.assert_allclose(loss.dual(at), slope, rtol=1e-5, atol=1e-7)
    bend = (loss.dual(low) - loss.dual(high)) / (2 * step)
    np.testing.assert_allclose(loss.curvature(at), bend, rtol=1e-5, atol=1e-7)
    best = loss.best_constant(y, np.ones(len(y)))
    assert loss.dual(loss.argument(y, np.full(len(y), best))).sum() == pytest.approx(0.0, abs=1e-9)
    far = loss.argument(y, np.full(len(y), 1e9))
    assert np.isfinite(loss.value(far)).all()


@every
def test_gradient_boosting_predicts_means(loss, tmp_path):
    y = targets(loss, 300)
    X = np.random.default_rng(3).normal(size=(300, 2))
    y = y * np.exp(0.5 * X[:, 0]) if loss.exponent > 1.0 else np.round(y * np.exp(0.5 * X[:, 0]))
    counts = np.random.default_rng(4).integers(0, 3, 300)
    model = GradientBoostRegressor(loss=loss, n_estimators=20, max_leaf_nodes=4)
    copied = model.fit(X.repeat(counts, axis=0), y.repeat(counts)).predict(X)
    weighted = model.fit(X, y, sample_weight=counts).predict(X)
    np.testing.assert_allclose(weighted, copied, rtol=1e-8)
    fitted = model.fit(X, y)
    assert (fitted.predict(X) > 0.0).all()
    assert (np.diff(fitted.history_["loss"]) < 0.0).all()
    assert np.average(fitted.predict(X)) == pytest.approx(y.mean(), rel=0.1)
    scaled = GradientBoostRegressor(loss=loss, n_estimators=20, max_leaf_nodes=4).fit(X, 1e6 * y)
    if loss.exponent == 2.0:
        np.testing.assert_allclose(scaled.predict(X), 1e6 * fitted.predict(X), rtol=1e-6)
    fitted.save(tmp_path / "model.json")
    np.testing.assert_array_equal(load(tmp_path / "model.json").predict(X), fitted.predict(X))
    np.testing.assert_allclose(list(fitted.staged_predict(X))[-1], fitted.predict(X), rtol=1e-12)


@pytest.mark.parametrize(
    ("loss", "y", "message"),
    [
        ("poisson", [1.0, -1.0, 2.0], "y: row 1 .* target -1, expected numbers at least 0"),
        ("gamma", [1.0, 0.0, 2.0], "y: row 1 .* target 0, expected numbers above 0"),
        ("tweedie", [0.0, 0.0, 0.0], "y: all targets are 0"),
        ("logistic", [1.0, 2.0, 3.0], "loss: got 'logistic'"),
    ],
)
def test_targets_that_do_not_suit_are_refused(loss, y, message):
    with pytest.raises(ValueError, match=message):
        GradientBoostRegressor(loss=loss).fit(np.arange(3.0)[:, None], y)
    with pytest.raises(ValueError, match=r"power: got 2.0"):
        Tweedie(2.0)
