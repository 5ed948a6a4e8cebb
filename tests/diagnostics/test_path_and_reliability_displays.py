"""Displays of coefficient paths and of calibration."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from sklearn.calibration import CalibratedClassifierCV, calibration_curve
from sklearn.datasets import load_diabetes, load_iris
from sklearn.metrics import brier_score_loss

from marginboost import AdaBoostClassifier, L2BoostRegressor, LinearOracle, LPBoostClassifier
from marginboost.diagnostics import (
    CoefficientPath,
    CoefficientPathDisplay,
    ReliabilityDisplay,
    coefficient_path,
    lars_path,
)

pytestmark = pytest.mark.usefixtures("tidy_figures")


@pytest.fixture(scope="module")
def diabetes():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    return X, y, L2BoostRegressor(LinearOracle(), n_estimators=100).fit(X, y)


# -- calibration -----------------------------------------------------------------------------------


@pytest.mark.parametrize("strategy", ["uniform", "quantile"])
def test_reliability_is_scikit_learns_curve(cancer, strategy):
    X, y, X_test, y_test = cancer
    model = AdaBoostClassifier(n_estimators=20).fit(X, y)
    display = ReliabilityDisplay.from_estimator(model, X_test, y_test, strategy=strategy)
    display.figure_.canvas.draw()
    chances = model.predict_proba(X_test)[:, 1]
    observed, predicted = calibration_curve(y_test, chances, n_bins=10, strategy=strategy)
    np.testing.assert_array_equal(display.line_.get_xdata(), predicted)
    np.testing.assert_array_equal(display.line_.get_ydata(), observed)
    assert display.counts.sum() == len(y_test)
    assert [bar.get_height() for bar in display.bars_] == display.counts.tolist()
    assert display.brier == pytest.approx(brier_score_loss(y_test, chances))
    error = np.sum(display.counts * np.abs(observed - predicted)) / len(y_test)
    assert display.calibration_error == pytest.approx(error)
    assert "AdaBoost" in display.line_.get_label()


def test_counts_are_those_of_the_bins():
    chances = np.array([0.05, 0.15, 0.15, 0.95, 0.1])
    display = ReliabilityDisplay.from_predictions([0, 1, 0, 1, 1], chances)
    np.testing.assert_array_equal(display.counts, [2, 2, 1])
    np.testing.assert_allclose(display.predicted, [0.075, 0.15, 0.95])
    np.testing.assert_allclose(display.observed, [0.5, 0.5, 1.0])


def test_calibrated_models_are_better_calibrated(cancer):
    X, y, X_test, y_test = cancer
    for make in (AdaBoostClassifier(n_estimators=200), LPBoostClassifier(nu=0.2)):
        raw = ReliabilityDisplay.from_estimator(make.fit(X, y), X_test, y_test)
        for method in ("sigmoid", "isotonic"):
            calibrated = CalibratedClassifierCV(make, method=method, cv=3).fit(X, y)
            assert calibrated.score(X_test, y_test) > 0.85
            display = ReliabilityDisplay.from_estimator(calibrated, X_test, y_test)
            assert display.brier < raw.brier + 0.005
    assert ReliabilityDisplay.from_estimator(calibrated, X_test, y_test).name


def test_one_class_of_several():
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    model = AdaBoostClassifier(n_estimators=5).fit(X, names)
    display = ReliabilityDisplay.from_estimator(model, X, names, label="virginica")
    chances = model.predict_proba(X)[:, 2]
    assert display.brier == pytest.approx(np.mean((chances - (y == 2)) ** 2))
    for label in (None, "rose"):
        with pytest.raises(ValueError, match=f"label: got {label!r}, expected one of"):
            ReliabilityDisplay.from_estimator(model, X, names, label=label)


def test_bad_probabilities():
    with pytest.raises(ValueError, match=r"y_prob: got 1\.5"):
        ReliabilityDisplay.from_predictions([0, 1], [0.5, 1.5])
    with pytest.raises(ValueError, match="strategy: got 'kmeans'"):
        ReliabilityDisplay.from_predictions([0, 1], [0.5, 0.6], strategy="kmeans")
    with pytest.raises(ValueError, match="n_bins: got 0"):
        ReliabilityDisplay.from_predictions([0, 1], [0.5, 0.6], n_bins=0)


# -- paths -----------------------------------------------------------------------------------------


def test_path_of_lines(diabetes):
    X, y, model = diabetes
    path = coefficient_path(model, X)
    assert path.coefficients.shape == (102, 10)  # nothing, the mean, 100 rounds
    assert (path.coefficients[:2] == 0).all()
    assert path.names == list(X.columns)
    centred = (X - X.mean()) / X.std(ddof=0)
    np.testing.assert_allclose(
        y.mean() + centred @ path.coefficients[-1], model.predict(X), rtol=1e-9
    )
    theirs = lars_path(model, X, y)
    assert (theirs.coefficients[0] == 0).all()
    ends = y.mean() + centred @ theirs.coefficients[-1]
    design = np.column_stack([np.ones(len(X)), X])
    np.testing.assert_allclose(ends, design @ np.linalg.lstsq(design, y, rcond=None)[0], rtol=1e-6)


def test_path_with_weights_and_missing_values(diabetes):
    X, y, _ = diabetes
    X = X.mask(np.random.default_rng(0).random(X.shape) < 0.1)
    counts = np.random.default_rng(1).integers(1, 3, len(y))
    model = L2BoostRegressor(LinearOracle(), n_estimators=20).fit(X, y, counts)
    rows = np.repeat(np.arange(len(y)), counts)
    weighted, copied = coefficient_path(model, X, counts), coefficient_path(model, X.iloc[rows])
    np.testing.assert_allclose(weighted.coefficients, copied.coefficients, rtol=1e-9, atol=1e-12)
    weighted, copied = lars_path(model, X, y, counts), lars_path(model, X.iloc[rows], y.iloc[rows])
    np.testing.assert_allclose(weighted.coefficients, copied.coefficients, rtol=1e-6, atol=1e-9)


def test_path_of_trees():
    X, y = load_diabetes(return_X_y=True)
    model = L2BoostRegressor(n_estimators=20, max_depth=2).fit(X, y)
    path = coefficient_path(model)
    expected = np.abs(model.estimator_weights_[1:]).sum()  # all but the mean
    assert path.l1_norms[-1] == pytest.approx(expected)
    assert (np.diff(path.coefficients, axis=0) >= 0).all()


def test_between_two_stages():
    path = CoefficientPath(np.array([[0.0, 0.0], [2.0, 0.0], [2.0, -2.0]]), ["a", "b"], "test")
    np.testing.assert_allclose(path.at([1.0, 3.0]), [[1.0, 0.0], [2.0, -1.0]])


def test_path_display(diabetes):
    X, y, model = diabetes
    display = CoefficientPathDisplay.from_estimator(model, X, y, top=3)
    display.figure_.canvas.draw()
    assert [len(lines) for lines in display.lines_] == [10, 10]
    assert display.ax_[0].get_xlim() == display.ax_[1].get_xlim()
    assert display.ax_[0].get_ylim() == display.ax_[1].get_ylim()
    named = [text.get_text() for text in display.ax_[0].get_legend().get_texts()]
    last = np.abs(coefficient_path(model, X).coefficients[-1])
    assert named == X.columns[np.argsort(-last)[:3]].tolist()
    j = int(np.argmax(last))
    np.testing.assert_array_equal(
        display.lines_[0][j].get_ydata(), coefficient_path(model, X).coefficients[:, j]
    )
    alone = CoefficientPathDisplay.from_estimator(model, X, ax=plt.subplots()[1])
    assert len(alone.lines_) == 1
    with pytest.raises(ValueError, match="X: got None, expected the training rows"):
        CoefficientPathDisplay.from_estimator(model)
    with pytest.raises(ValueError, match="paths: got none"):
        CoefficientPathDisplay()


def test_path_of_a_frame_with_names():
    frame = pd.DataFrame({"a": [0.0, 1.0, 2.0, 3.0], "b": [1.0, 1.0, 1.0, 1.0]})
    model = L2BoostRegressor(LinearOracle(), n_estimators=3).fit(frame, [0.0, 1.0, 2.0, 3.0])
    path = coefficient_path(model, frame)
    assert path.names == ["a", "b"]
    assert (path.coefficients[:, 1] == 0).all()
