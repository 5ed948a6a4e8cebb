"""The one-line robust classifier."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.tree import DecisionTreeClassifier

import marginboost
from marginboost import AdaBoostClassifier, BinnedMatrix, RobustBoostClassifier, TreeOracle
from marginboost.datasets import flip_labels, twonorm


@pytest.fixture(scope="module")
def noisy():
    X, y = twonorm(500)
    labels, flipped = flip_labels(y, 0.2, seed=1)
    return X, labels, flipped, twonorm(3000, seed=9)


def test_beats_adaboost_under_noise(noisy):
    X, labels, flipped, (X_test, y_test) = noisy
    robust = RobustBoostClassifier().fit(X, labels)
    plain = AdaBoostClassifier(n_estimators=200).fit(X, labels)
    assert robust.score(X_test, y_test) > plain.score(X_test, y_test) + 0.02
    assert robust.noise_rate_ == pytest.approx(0.2, abs=0.06)
    assert robust.nu_ > robust.noise_rate_
    assert robust.trust_[flipped].mean() < 0.3 < robust.trust_[~flipped].mean()
    assert robust.certified_
    assert robust.certificate_.gap <= 1e-3


@pytest.mark.parametrize("policy", ["drop", "relabel", "keep"])
def test_policies(policy, noisy):
    X, labels, _, (X_test, y_test) = noisy
    model = RobustBoostClassifier(policy=policy).fit(X, labels)
    assert model.score(X_test, y_test) > 0.85
    assert model.dual_.shape == labels.shape
    # What is dropped or put right need not be left room for.
    assert (model.nu_ > 2.5 * model.noise_rate_) == (policy == "keep")


@pytest.mark.parametrize(
    ("estimator", "low", "high"),
    [
        (None, 0.5, 0.9),
        (TreeOracle(max_depth=2), 0.05, 0.2),
        (DecisionTreeClassifier(max_depth=2), 0.05, 0.2),
    ],
)
def test_nu_leaves_room_for_what_the_base_learner_cannot_fit(estimator, low, high):
    """Labels are right, but stumps know nothing of an exclusive or; trees do."""
    X = np.random.default_rng(0).uniform(-1, 1, size=(300, 2))
    y = X[:, 0] * X[:, 1] > 0
    model = RobustBoostClassifier(estimator, n_estimators=60).fit(X, y)
    assert model.noise_rate_ < 0.05
    assert low <= model.nu_ <= high


def test_saves_and_loads(noisy, tmp_path):
    X, labels, _, _ = noisy
    model = RobustBoostClassifier().fit(X, labels)
    model.save(tmp_path / "model.json")
    loaded = marginboost.load(tmp_path / "model.json")
    assert isinstance(loaded, RobustBoostClassifier)
    np.testing.assert_array_equal(loaded.decision_function(X), model.decision_function(X))
    assert (loaded.nu_, loaded.noise_rate_) == (model.nu_, model.noise_rate_)
    given, weights = loaded.training_set(X, labels)
    np.testing.assert_array_equal(given, labels)
    np.testing.assert_allclose(weights, model.trust_, rtol=1e-9)
    with pytest.warns(UserWarning, match="the audit of these rows estimates a noise of"):
        loaded.training_set(X[:300], labels[:300])


def test_more_than_two_classes(tmp_path):
    X, y = load_iris(return_X_y=True)
    model = RobustBoostClassifier().fit(X, y)
    model.save(tmp_path / "model.json")
    assert marginboost.load(tmp_path / "model.json").problems_[2].nu_ == model.nu_
    assert model.score(X, y) > 0.9
    assert {problem.nu_ for problem in model.problems_} == {model.nu_}


def test_bad_input(noisy):
    X, labels, _, _ = noisy
    with pytest.raises(TypeError, match="X: got a BinnedMatrix, expected the rows themselves"):
        RobustBoostClassifier().fit(BinnedMatrix.from_data(X), labels)
    with pytest.raises(ValueError, match="policy: got 'burn'"):
        RobustBoostClassifier(policy="burn").fit(X, labels)
