"""Information criteria along a run, and stopping by them (CH-A0b)."""

import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris

from marginboost import (
    AdaBoostClassifier,
    Checkpoint,
    GradientBoostRegressor,
    L2BoostRegressor,
    LeveragingClassifier,
    LinearOracle,
    LSBoostRegressor,
    SAMMEClassifier,
    Stop,
)
from marginboost.diagnostics import (
    InformationStopping,
    degrees_of_freedom,
    information_criterion,
)
from marginboost.losses import Huber, Squared


@pytest.fixture(scope="module")
def diabetes():
    X, y = load_diabetes(return_X_y=True)
    return X[:120], y[:120]


@pytest.fixture(scope="module")
def lines(diabetes):
    return L2BoostRegressor(LinearOracle(), n_estimators=60, learning_rate=0.3).fit(*diabetes)


def test_formulas_of_a_regressor(diabetes, lines):
    X, y = diabetes
    n, features = len(y), [member.feature for member in lines.estimators_[1:]]
    used = [1 + len(set(features[:t])) for t in range(len(features) + 1)]
    np.testing.assert_array_equal(degrees_of_freedom(lines), used)
    for t, predicted in enumerate(lines.staged_predict(X)):
        sigma = np.sqrt(np.mean((y - predicted) ** 2))
        density = np.exp(-0.5 * ((y - predicted) / sigma) ** 2) / (sigma * math.sqrt(2 * math.pi))
        twice, k = -2.0 * np.log(density).sum(), used[t]
        expected = {
            "aic": twice + 2 * k,
            "bic": twice + k * math.log(n),
            "aicc": twice + 2 * k + 2 * k * (k + 1) / (n - k - 1),
        }
        for name, value in expected.items():
            assert information_criterion(lines, X, y, name)[t] == pytest.approx(value)


def test_formulas_of_a_classifier():
    X, y = load_breast_cancer(return_X_y=True)
    model = AdaBoostClassifier(n_estimators=12).fit(X, y)
    own = [p[np.arange(len(y)), y] for p in model.staged_predict_proba(X)]
    twice = np.array([-2.0 * np.log(p).sum() for p in own])
    used = degrees_of_freedom(model)
    np.testing.assert_allclose(information_criterion(model, X, y), twice + 2 * used)
    assert used[-1] <= 12


def test_several_classes_add_up():
    X, y = load_iris(return_X_y=True)
    model = AdaBoostClassifier(n_estimators=4).fit(X, y)
    parts = [degrees_of_freedom(problem) for problem in model.problems_]
    longest = max(map(len, parts))
    expected = sum(np.append(p, [p[-1]] * (longest - len(p))) for p in parts)
    np.testing.assert_array_equal(degrees_of_freedom(model), expected)
    assert np.isfinite(information_criterion(model, X, y, "bic")).all()


def test_a_hypothesis_and_its_negative_are_one():
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    model = LSBoostRegressor(n_estimators=8).fit(X, [0.0, 3.0, -1.0, 5.0])
    distinct = {frozenset([m, m.negated()]) for m in model.estimators_}
    assert degrees_of_freedom(model)[-1] == len(distinct) < len(model.estimators_)


# -- the trace -----------------------------------------------------------------------------------


@settings(derandomize=True, deadline=None, max_examples=10, database=None)
@given(st.integers(0, 1000), st.sampled_from([1.0, 0.3]), st.sampled_from(["lines", "trees"]))
def test_trace_is_that_of_the_operator_on_the_targets(seed, rate, kind):
    """The operator itself, from fits of unit targets by the same hypotheses."""
    rng = np.random.default_rng(seed)
    X, y, weights = rng.normal(size=(15, 3)), rng.normal(size=15), rng.integers(1, 3, 15)
    oracle = LinearOracle() if kind == "lines" else None
    model = L2BoostRegressor(oracle, n_estimators=4, learning_rate=rate).fit(X, y, weights)
    traces = degrees_of_freedom(model, X, freedom="trace", sample_weight=weights)
    fitted = np.zeros((15, 15))  # column j: what targets e_j are fitted by
    for t, member in enumerate(model.estimators_):
        h = member(X)
        design = h[:, None] if kind == "lines" and t else np.equal.outer(h, np.unique(h)) * 1.0
        solve = np.linalg.pinv(np.sqrt(weights)[:, None] * design) * np.sqrt(weights)
        fitted += (rate if t else 1.0) * design @ solve @ (np.eye(15) - fitted)
        assert traces[t] == pytest.approx(np.trace(fitted), abs=1e-9)
    np.testing.assert_allclose(fitted @ y, model.predict(X), atol=1e-9)


def test_full_steps_of_stumps_count_their_leaves(diabetes):
    X, y = diabetes
    model = L2BoostRegressor(n_estimators=1, learning_rate=1.0).fit(X, y)
    np.testing.assert_allclose(degrees_of_freedom(model, X, freedom="trace"), [1.0, 2.0])


def test_weights_are_copies(diabetes):
    X, y = diabetes
    counts = np.random.default_rng(0).integers(1, 4, len(y))
    model = L2BoostRegressor(LinearOracle(), n_estimators=8).fit(X, y, counts)
    rows = np.repeat(np.arange(len(y)), counts)
    for freedom in ("distinct", "trace"):
        weighted = information_criterion(model, X, y, freedom=freedom, sample_weight=counts)
        copied = information_criterion(model, X[rows], y[rows], freedom=freedom)
        np.testing.assert_allclose(weighted, copied)


# -- stopping ------------------------------------------------------------------------------------


@pytest.mark.parametrize("criterion", ["aic", "bic", "aicc"])
def test_a_fit_is_cut_at_the_lowest_value(diabetes, lines, criterion):
    X, y = diabetes
    stop = InformationStopping(criterion, patience=None)
    model = L2BoostRegressor(
        LinearOracle(), n_estimators=60, learning_rate=0.3, callbacks=[stop]
    ).fit(X, y)
    stages = information_criterion(lines, X, y, criterion)[1:]  # the first is the mean alone
    np.testing.assert_allclose(stop.values_, stages)
    assert len(model.estimators_) == 2 + np.argmin(stages)
    assert model.n_iter_ == 60


@pytest.mark.parametrize("model", [AdaBoostClassifier(), LeveragingClassifier(loss="logistic")])
def test_classifiers_stop(model):
    X, y = load_breast_cancer(return_X_y=True)
    stop = InformationStopping("bic", patience=15)
    model.set_params(n_estimators=200, callbacks=[stop]).fit(X, y)
    assert model.stop_reason_ is Stop.NO_PROGRESS
    assert model.n_iter_ == np.argmin(stop.values_) + 16
    own = model.predict_proba(X)[np.arange(len(y)), y]
    used = degrees_of_freedom(model)[-1]
    value = -2.0 * np.log(own).sum() + used * math.log(len(y))
    assert min(stop.values_) == pytest.approx(value)
    pickle.dumps(model)


def test_interrupted_fits_go_on(diabetes, tmp_path):
    class Interrupt(InformationStopping):
        def on_round(self, state):
            if state.round == 9:
                raise KeyboardInterrupt
            return super().on_round(state)

    X, y = diabetes
    kept = Checkpoint(tmp_path / "fit.json", every=4)
    make = {"estimator": LinearOracle(), "n_estimators": 80, "learning_rate": 0.5}
    whole = L2BoostRegressor(**make, callbacks=[InformationStopping("bic", 5)]).fit(X, y)
    with pytest.raises(KeyboardInterrupt):
        L2BoostRegressor(**make, callbacks=[Interrupt("bic", 5), kept]).fit(X, y)
    resumed = L2BoostRegressor(**make, callbacks=[InformationStopping("bic", 5), kept]).fit(X, y)
    np.testing.assert_array_equal(resumed.predict(X), whole.predict(X))
    assert resumed.n_iter_ == whole.n_iter_


def test_perfect_fits():
    model = LSBoostRegressor(n_estimators=3).fit([[0.0], [1.0]], [-1.0, 1.0])
    assert information_criterion(model, [[0.0], [1.0]], [-1.0, 1.0])[-1] == -math.inf
    assert information_criterion(model, [[0.0], [1.0]], [0.0, 1.0], "aicc")[-1] == math.inf


def test_bad_input(lines, diabetes):
    X, y = diabetes
    with pytest.raises(ValueError, match="criterion: got 'hqc'"):
        information_criterion(lines, X, y, "hqc")
    with pytest.raises(ValueError, match="freedom: got 'rank'"):
        degrees_of_freedom(lines, X, freedom="rank")
    with pytest.raises(ValueError, match="sample_weight: got 2 weights"):
        information_criterion(lines, X, y, sample_weight=[1.0, 1.0])
    with pytest.raises(ValueError, match="patience: got 0"):
        InformationStopping(patience=0)
    labels = (y > y.mean()).astype(int)
    classifier = AdaBoostClassifier(n_estimators=2).fit(X, labels)
    with pytest.raises(TypeError, match="freedom: got 'trace' for a AdaBoostClassifier"):
        degrees_of_freedom(classifier, X, freedom="trace")
    several = SAMMEClassifier(n_estimators=2, callbacks=[InformationStopping()])
    with pytest.raises(TypeError, match="several classes at once"):
        several.fit(X, labels)


def test_the_squared_loss_may_be_named_or_given():
    X, y = np.arange(30.0)[:, None], np.arange(30.0) % 7
    named, given, other = (
        GradientBoostRegressor(loss=loss, n_estimators=3, min_samples_leaf=2).fit(X, y)
        for loss in ("squared", Squared(), Huber())
    )
    expected = degrees_of_freedom(named, X, freedom="trace")
    np.testing.assert_array_equal(degrees_of_freedom(given, X, freedom="trace"), expected)
    with pytest.raises(TypeError, match="expected a regressor with squared loss"):
        degrees_of_freedom(other, X, freedom="trace")
