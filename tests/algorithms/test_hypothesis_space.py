"""Support vector machines in hypothesis space.

See R1-A05 to R1-A07, R1-Q15, R1-C10, R1-C11, R1-C14.
"""

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from marginboost import AdaBoostClassifier, LPBoostClassifier, TreeOracle
from marginboost.algorithms.hypothesis_space import (
    HypothesisSpace,
    hard_margin_svm,
    hypothesis_features,
    hypothesis_kernel,
    svm_report,
)
from marginboost.datasets import circle_2d
from marginboost.diagnostics import support_overlap
from marginboost.solvers import solve_norm_margin

theory = settings(derandomize=True, deadline=None, max_examples=15, database=None)


@st.composite
def separable(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**20)))
    n, m = draw(st.integers(4, 20)), draw(st.integers(1, 5))
    normal, shift = rng.normal(size=m), rng.normal()
    points = rng.normal(size=(n, m))
    y = np.where(points @ normal + shift > 0, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    points += (
        (0.3 + np.abs(points @ normal + shift))[:, None] * np.outer(y, normal) / (normal @ normal)
    )
    return points, y


@pytest.fixture(scope="module")
def circle():
    X, y = circle_2d(150)
    return X, np.where(y == y.max(), 1, -1), AdaBoostClassifier(n_estimators=40).fit(X, y)


# -- the map -------------------------------------------------------------------------------------


def test_features_are_the_outputs_and_the_vote_is_a_plane(circle):
    X, _, model = circle
    features = hypothesis_features(model, X)
    members = list(dict.fromkeys(model.estimators_))
    assert features.shape == (150, len(members))
    for j, member in enumerate(members):
        np.testing.assert_array_equal(features[:, j], member(X))
    coef = np.zeros(len(members))
    for weight, member in zip(model.estimator_weights_, model.estimators_, strict=True):
        coef[members.index(member)] += weight  # eq. 3.9
    votes = features @ coef / np.abs(coef).sum()
    np.testing.assert_allclose(votes, model.decision_function(X), atol=1e-12)


def test_a_hypothesis_found_twice_is_one_coordinate():
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    y = np.array([0, 1, 0, 1])
    model = AdaBoostClassifier(n_estimators=30).fit(X, y)
    assert len(set(model.estimators_)) < len(model.estimators_)
    assert hypothesis_features(model, X).shape == (4, len(set(model.estimators_)))


@pytest.mark.parametrize("rounds", [5, 20, 60])
def test_radius_grows_in_one_norm_only(circle, rounds):
    """R1-C14: √J in ℓ_2, 1 in ℓ_∞."""
    X, y, _ = circle
    model = AdaBoostClassifier(n_estimators=rounds).fit(X, y)
    features = hypothesis_features(model, X)
    np.testing.assert_allclose(np.linalg.norm(features, axis=1), np.sqrt(features.shape[1]))
    np.testing.assert_array_equal(np.abs(features).max(axis=1), 1.0)


def test_frames_with_categories_and_gaps_are_read_as_the_model_does():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=80), "b": pd.Categorical(rng.choice(list("uvw"), 80))})
    X.loc[:9, "a"] = np.nan
    y = (X["a"].fillna(1.0) + (X["b"] == "u") > 0.5).to_numpy()
    model = AdaBoostClassifier(n_estimators=15).fit(X, y)
    weights = model.estimator_weights_
    features = hypothesis_features(model, X)
    if len(set(model.estimators_)) == len(weights):
        np.testing.assert_allclose(
            features @ weights / weights.sum(), model.decision_function(X), atol=1e-12
        )
    assert set(np.unique(features)) <= {-1.0, 0.0, 1.0}


def test_trees_make_coordinates_too(circle):
    X, y, _ = circle
    model = AdaBoostClassifier(TreeOracle(max_depth=2), n_estimators=5).fit(X, y)
    assert hypothesis_features(model, X).shape == (150, len(set(model.estimators_)))


def test_many_classes_share_one_space():
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b", "c"], 30)
    X = rng.normal(size=(90, 2)) + 3 * np.array([[0, 0], [1, 0], [0, 1]]).repeat(30, axis=0)
    model = AdaBoostClassifier(n_estimators=10).fit(X, y)
    features = hypothesis_features(model, X)
    members = {member for problem in model.problems_ for member in problem.estimators_}
    assert features.shape == (90, len(members))
    machine = make_pipeline(HypothesisSpace(model), SVC(kernel="linear")).fit(X, y)
    assert machine.score(X, y) > 0.9


def test_model_must_be_fitted():
    with pytest.raises(NotFittedError):
        hypothesis_features(AdaBoostClassifier(), [[0.0]])
    with pytest.raises(NotFittedError):
        hypothesis_kernel(AdaBoostClassifier())


# -- kernel --------------------------------------------------------------------------------------


def test_kernel_is_the_scalar_product_and_positive(circle):
    X, _, model = circle
    features = hypothesis_features(model, X)
    gram = hypothesis_kernel(model)(X, X[:7])
    np.testing.assert_allclose(gram, features @ features[:7].T)
    eigenvalues = np.linalg.eigvalsh(hypothesis_kernel(model)(X, X))
    assert eigenvalues.min() > -1e-9 * eigenvalues.max()


def test_kernel_machine_is_the_linear_machine_in_hypothesis_space(circle):
    """R1-A07: the kernel trick changes how the plane is found, not the plane."""
    X, y, model = circle
    by_kernel = SVC(kernel=hypothesis_kernel(model), C=0.5, tol=1e-9).fit(X, y)
    features = hypothesis_features(model, X)
    linear = SVC(kernel="linear", C=0.5, tol=1e-9).fit(features, y)
    np.testing.assert_allclose(
        by_kernel.decision_function(X), linear.decision_function(features), atol=1e-6
    )
    again = pickle.loads(pickle.dumps(clone(by_kernel).fit(X, y)))
    np.testing.assert_array_equal(again.predict(X), by_kernel.predict(X))


# -- transformer ---------------------------------------------------------------------------------


def test_pipeline_and_cross_validation(circle):
    X, y, _ = circle
    machine = make_pipeline(
        HypothesisSpace(AdaBoostClassifier(n_estimators=30)), SVC(kernel="linear")
    )
    assert cross_val_score(machine, X, y, cv=3).mean() > 0.85


def test_frozen_model_keeps_its_hypotheses(circle):
    X, y, model = circle
    space = HypothesisSpace(FrozenEstimator(model)).fit(X, y)
    np.testing.assert_array_equal(space.transform(X), hypothesis_features(model, X))
    frame = space.set_output(transform="pandas").transform(X)
    assert list(frame.columns[:2]) == ["h0", "h1"]


def test_sample_weight_reaches_the_model(circle):
    X, y, _ = circle
    counts = np.random.default_rng(0).integers(0, 3, len(y))
    model = LPBoostClassifier(nu=0.2)
    weighted = HypothesisSpace(model).fit(X, y, sample_weight=counts)
    copied = HypothesisSpace(model).fit(X.repeat(counts, axis=0), y.repeat(counts))
    assert weighted.model_.certificate_.value == pytest.approx(
        copied.model_.certificate_.value, abs=2e-3
    )
    assert (weighted.model_.dual_[counts == 0] == 0).all()


@parametrize_with_checks([HypothesisSpace(AdaBoostClassifier(n_estimators=5))])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


# -- hard margin ---------------------------------------------------------------------------------


@theory
@given(separable())
def test_hard_margin_is_canonical_and_optimal(problem):
    """R1-C10: min y(⟨w, x⟩ + b)/‖w‖ = 1/‖w‖ = optimum of the ℓ_2-margin with bias; KKT holds."""
    points, y = problem
    plane = hard_margin_svm(points, y)
    outputs = y * (points @ plane.coef + plane.intercept)
    assert outputs.min() == pytest.approx(1.0, abs=1e-9)
    assert plane.margin == pytest.approx(1 / np.linalg.norm(plane.coef), rel=1e-9)
    best = solve_norm_margin(points, y, 2, bias=True).value
    assert plane.margin == pytest.approx(best, rel=1e-9)
    assert plane.dual.min() >= 0
    assert y @ plane.dual == pytest.approx(0.0, abs=1e-9 * plane.dual.sum())
    primal = 0.5 * plane.coef @ plane.coef
    stationary = (y * plane.dual) @ points
    dual = plane.dual.sum() - 0.5 * stationary @ stationary
    assert dual == pytest.approx(primal, rel=1e-6)
    assert (outputs[plane.support] < 1 + 1e-3).all()


@theory
@given(separable())
def test_large_c_gives_the_hard_margin(problem):
    """R1-C11: once C exceeds every multiplier, the soft-margin SVM is the hard-margin one."""
    points, y = problem
    plane = hard_margin_svm(points, y)
    machine = SVC(kernel="linear", C=2 * plane.dual.max() + 1, tol=1e-8).fit(points, y)
    report = svm_report(machine, points, y)
    assert report.margin == pytest.approx(plane.margin, rel=1e-4)
    assert report.slack.sum() < 1e-4
    assert report.errors == 0


def test_no_plane_is_reported():
    corners = np.array([[-1.0, -1.0], [1.0, 1.0], [-1.0, 1.0], [1.0, -1.0]])
    with pytest.raises(ValueError, match="no plane separates the two classes"):
        hard_margin_svm(corners, [1, 1, -1, -1])


def test_support_vectors_of_both_norms_overlap(circle):
    """R1-Q21: in one hypothesis space, boosting and SVM lean on many of the same examples."""
    X, y, model = circle
    features = hypothesis_features(model, X)
    svm, boost = hard_margin_svm(features, y), solve_norm_margin(features, y, 1)
    overlap = support_overlap(svm.support, boost.support)
    assert overlap.shared > len(svm.support) * len(boost.support) / len(y)  # more than by chance


# -- soft margin ---------------------------------------------------------------------------------


@theory
@given(st.integers(0, 2**20), st.sampled_from([0.1, 1.0, 10.0]), st.sampled_from(["rbf", "linear"]))
def test_soft_margin_report(seed, C, kernel):
    """R1-C11: Σξ bounds the errors; the gap proves scikit-learn's solution."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, 3))
    y = np.where(X[:, 0] + rng.normal(size=40) > 0, "b", "a")
    if len(set(y)) < 2:
        return
    weights = rng.integers(1, 4, 40).astype(float)
    machine = SVC(C=C, kernel=kernel, gamma=0.7, tol=1e-8).fit(X, y, sample_weight=weights)
    report = svm_report(machine, X, y, sample_weight=weights)
    assert report.errors <= report.slack.sum() + 1e-9
    assert -1e-9 * report.primal <= report.gap <= 1e-5 * report.primal
    if kernel == "linear":
        assert report.margin == pytest.approx(1 / np.linalg.norm(machine.coef_), rel=1e-7)


def test_report_of_three_classes_is_refused():
    X, y = np.arange(9.0)[:, None], np.repeat([0, 1, 2], 3)
    with pytest.raises(ValueError, match="machine: got 3 classes, expected two"):
        svm_report(SVC().fit(X, y), X, y)
