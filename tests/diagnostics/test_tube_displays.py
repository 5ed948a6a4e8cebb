"""Displays of tubes and residuals."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import LinearRegression

from marginboost import LPBoostRegressor
from marginboost.diagnostics import ResidualDisplay, TubeDisplay, tube_fractions

pytestmark = pytest.mark.usefixtures("tidy_figures")


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, size=(80, 1))
    y = X[:, 0] ** 2 + 0.3 * rng.normal(size=80)
    return LPBoostRegressor(nu=0.4).fit(X, y), X, y


def test_the_tube_and_who_is_in_it(fitted):
    model, X, y = fitted
    display = TubeDisplay.from_estimator(model, X, y, feature=0)
    shares = tube_fractions(y - model.predict(X), model.epsilon_)
    assert display.fractions == shares
    assert shares.allows(0.4)
    drawn = [len(points.get_xdata()) / 80 for points in display.points_]
    assert_allclose(drawn, [shares.inside, shares.edge, shares.outside])
    corners = display.band_.get_paths()[0].vertices
    assert_allclose(np.ptp(corners[:, 1]), np.ptp(model.predict(X)) + 2 * model.epsilon_)
    assert display.ax_.get_xlabel() == "feature 0"
    assert any("outside" in text.get_text() for text in display.ax_.get_legend().get_texts())


def test_over_predictions_frames_and_axes_of_others(fitted):
    model, X, y = fitted
    _, ax = plt.subplots()
    display = TubeDisplay.from_estimator(LinearRegression().fit(X, y), X, y, epsilon=0.5, ax=ax)
    assert display.ax_ is ax
    assert_array_equal(display.x, display.y_pred)
    frame = pd.DataFrame(X, columns=["a"])
    assert_array_equal(TubeDisplay.from_estimator(model, frame, y, feature="a").x, X[:, 0])
    with pytest.raises(TypeError, match="without epsilon_"):
        TubeDisplay.from_estimator(LinearRegression().fit(X, y), X, y)
    with pytest.raises(ValueError, match="epsilon: got -1"):
        TubeDisplay.from_predictions(y, y, epsilon=-1.0)


def test_residuals_and_their_quantiles(fitted):
    model, X, y = fitted
    display = ResidualDisplay.from_estimator(model, X, y)
    assert_allclose(display.residuals, y - model.predict(X))
    assert display.bands.shape == (8, 3)
    first = np.argsort(model.predict(X), kind="stable")[:10]
    assert_allclose(display.bands[0], np.quantile(display.residuals[first], [0.1, 0.5, 0.9]))
    assert sum(bar.get_height() for bar in display.bars_) == 80
    assert len(display.points_.get_xdata()) == 80
    few = ResidualDisplay.from_predictions([1.0, 2.0], [1.5, 1.5])
    assert few.bands.shape == (1, 3)
    with pytest.raises(ValueError, match="y_true"):
        ResidualDisplay.from_predictions([1.0], [1.0, 2.0])
