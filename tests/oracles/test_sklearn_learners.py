"""scikit-learn estimators as base learners, as people know them from scikit-learn's AdaBoost."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from marginboost import (
    AdaBoostClassifier,
    AdaBoostM1Classifier,
    ArcGVClassifier,
    ResamplingOracle,
    SklearnOracle,
)
from marginboost.datasets import circle_2d


class Recording(LogisticRegression):
    """Keeps what its fit was given."""

    def fit(self, X, y, sample_weight=None):
        super().fit(X, y, sample_weight=sample_weight)
        self.seen_ = type(X)
        return self


@pytest.fixture(scope="module")
def rows():
    return circle_2d(60, 5)


def test_estimators_are_the_fitted_ones(rows):
    X, y = rows
    model = AdaBoostClassifier(DecisionTreeClassifier(max_depth=2), n_estimators=5).fit(X, y)
    assert all(isinstance(tree, DecisionTreeClassifier) for tree in model.estimators_)
    assert len({tree.random_state for tree in model.estimators_}) == len(model.estimators_) == 5
    votes = sum(
        weight * tree.predict(X)
        for weight, tree in zip(model.estimator_weights_, model.estimators_, strict=True)
    )
    np.testing.assert_allclose(
        votes / model.estimator_weights_.sum(), model.decision_function(X), atol=1e-12
    )


def test_with_several_classes_one_list_per_problem():
    X = np.random.default_rng(0).normal(size=(60, 2))
    y = np.digitize(X[:, 0], [-0.5, 0.5])
    model = AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=3).fit(X, y)
    assert len(model.estimators_) == 3
    assert all(
        isinstance(tree, DecisionTreeClassifier) for trees in model.estimators_ for tree in trees
    )


@pytest.mark.parametrize(
    ("container", "seen"),
    [
        (sparse.csc_matrix, sparse.csc_matrix),
        (sparse.csr_array, sparse.csr_array),
        (sparse.coo_matrix, sparse.csr_matrix),
        (sparse.lil_array, sparse.csr_array),
    ],
)
@pytest.mark.parametrize("left_out", [0, 3])
def test_sparse_rows_stay_sparse(rows, container, seen, left_out):
    X, y = rows
    X = np.where(np.abs(X) < 0.3, 0.0, X)
    weight = np.ones(len(X))
    weight[:left_out] = 0.0
    model = AdaBoostClassifier(Recording(), n_estimators=4).fit(container(X), y, weight)
    assert all(estimator.seen_ is seen for estimator in model.estimators_)
    dense = AdaBoostClassifier(Recording(), n_estimators=4).fit(X, y, weight)
    np.testing.assert_allclose(
        model.decision_function(container(X)), dense.decision_function(X), atol=1e-5
    )


class Untouched:
    """Rows that must not be read."""

    def __getattr__(self, name):
        raise AssertionError(f"the rows were asked for {name}")


@pytest.mark.parametrize(
    "learner", [KNeighborsClassifier(), make_pipeline(StandardScaler(), LogisticRegression())]
)
@pytest.mark.parametrize("make", [AdaBoostClassifier, ArcGVClassifier, AdaBoostM1Classifier])
def test_a_learner_without_weights_is_refused_before_any_work(learner, make):
    with pytest.raises(ValueError, match=f"{type(learner).__name__} doesn't support sample_weight"):
        make(learner).fit(Untouched(), Untouched())


def test_a_learner_without_weights_gets_drawn_rows(rows):
    X, y = rows
    model = AdaBoostClassifier(KNeighborsClassifier(1), n_estimators=5, sampling="resample")
    assert model.fit(X, y).score(X, y) > 0.9
    by_hand = AdaBoostClassifier(
        ResamplingOracle(SklearnOracle(KNeighborsClassifier(1))), n_estimators=5
    )
    np.testing.assert_array_equal(
        by_hand.fit(X, y).decision_function(X), model.decision_function(X)
    )


def test_a_draw_of_one_class_makes_a_constant():
    X = np.arange(40.0)[:, None]
    y = np.array([1] * 39 + [0])
    model = AdaBoostClassifier(KNeighborsClassifier(1), n_estimators=3, sampling="resample")
    model.fit(X, y)
    kinds = {type(estimator) for estimator in model.estimators_}
    assert kinds <= {KNeighborsClassifier, DummyClassifier}


def test_regressors_need_no_weights(rows):
    X, y = rows
    model = AdaBoostClassifier(DecisionTreeRegressor(max_depth=2), n_estimators=3).fit(X, y)
    assert all(isinstance(tree, DecisionTreeRegressor) for tree in model.estimators_)


def test_one_class_is_refused(rows):
    X, _ = rows
    with pytest.raises(ValueError, match="one class"):
        AdaBoostClassifier().fit(X, np.ones(len(X)))


def test_steps_that_raise_the_loss_are_warned_of(rows):
    """Twice the best step leaves the loss as it was, by the formula in ``check_learning_rate``."""
    X, y = rows
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        even = AdaBoostClassifier(n_estimators=10, learning_rate=2.0).fit(X, y)
    np.testing.assert_allclose(even.history_["normaliser"], 1.0, rtol=1e-9)
    with pytest.warns(UserWarning, match="learning_rate: got 2.5"):
        above = AdaBoostClassifier(n_estimators=10, learning_rate=2.5).fit(X, y)
    assert (above.history_["normaliser"] > 1.0).all()


def test_perceptrons_vote(rows):
    X, y = rows
    model = AdaBoostClassifier(Perceptron(), n_estimators=5).fit(X, y)
    assert model.score(X, y) > 0.5
