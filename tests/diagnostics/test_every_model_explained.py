"""Whatever a model is made of, its answers are shared out between the features, and drawn."""

import warnings

import matplotlib as mpl
import numpy as np
import pytest

import marginboost
from marginboost import GradientBoostRegressor
from marginboost.diagnostics import WaterfallDisplay, row_contributions

mpl.use("Agg")
import matplotlib.pyplot as plt

FEW = ("AdaBoostMHClassifier", "LPBoostClassifier", "SAMMEClassifier", "SoftmaxBoostClassifier")
ALL = [name for name in marginboost.__all__ if name.endswith(("Classifier", "ClassifierCV"))]
OTHERS = [name for name in ALL if name not in FEW]


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 3))
    return X, np.digitize(X[:, 0] + X[:, 1] * X[:, 2], [-0.5, 0.6])


def answers(model, X, additive):
    """What contributions add up to: votes of sums of shapes, scores of other trees."""
    if model.model_.reduced:
        return np.column_stack([answers(problem, X, additive) for problem in model.problems_])
    rows = model.model_.read_rows(X)
    if not additive:
        found = model.model_.scores(rows)
    elif hasattr(model.model_, "class_votes") and model.model_.run.ensemble.shape:
        found = model.model_.class_votes(model.model_.scores(rows))
    else:
        found = model.model_.votes(rows)
    return np.reshape(found, (len(X), -1))


@pytest.mark.parametrize(
    "name", [*FEW, *(pytest.param(name, marks=pytest.mark.slow) for name in OTHERS)]
)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_contributions_add_up_for_every_classifier(rows, name, n_classes):
    X, y = rows
    model = getattr(marginboost, name)()
    if "n_estimators" in model.get_params():
        model.set_params(n_estimators=4)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of few rounds
        model.fit(X, np.minimum(y, n_classes - 1))
    found = row_contributions(model, X[:5], X)
    totals = np.column_stack([part.totals for part in found])
    np.testing.assert_allclose(totals, answers(model, X[:5], model.model_.additive), atol=1e-9)
    display = WaterfallDisplay.from_estimator(model, X, 0, background=X)
    assert np.isclose(totals[0], display.intercept + display.parts.sum()).any()
    plt.close("all")


@pytest.mark.parametrize("max_depth", [1, 3])
def test_several_targets(rows, max_depth, tmp_path):
    X, y = rows
    model = GradientBoostRegressor(n_estimators=3, max_depth=max_depth)
    model.fit(X, np.column_stack([X[:, 0], y + X[:, 1]]))
    totals = np.column_stack([part.totals for part in row_contributions(model, X[:5], X)])
    np.testing.assert_allclose(totals, model.predict(X[:5]), atol=1e-9)
    model.save(tmp_path / "model.json")
    again = marginboost.load(tmp_path / "model.json")
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    np.testing.assert_array_equal(again.feature_importances_, model.feature_importances_)
