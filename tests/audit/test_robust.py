"""The one-line robust classifier."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

import marginboost
from marginboost import AdaBoostClassifier, BinnedMatrix, RobustBoostClassifier
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


def test_saves_and_loads(noisy, tmp_path):
    X, labels, _, _ = noisy
    model = RobustBoostClassifier().fit(X, labels)
    model.save(tmp_path / "model.json")
    loaded = marginboost.load(tmp_path / "model.json")
    assert isinstance(loaded, RobustBoostClassifier)
    np.testing.assert_array_equal(loaded.decision_function(X), model.decision_function(X))


def test_more_than_two_classes():
    X, y = load_iris(return_X_y=True)
    model = RobustBoostClassifier().fit(X, y)
    assert model.score(X, y) > 0.9
    assert {problem.nu_ for problem in model.problems_} == {model.nu_}


def test_bad_input(noisy):
    X, labels, _, _ = noisy
    with pytest.raises(TypeError, match="X: got a BinnedMatrix, expected the rows themselves"):
        RobustBoostClassifier().fit(BinnedMatrix.from_data(X), labels)
    with pytest.raises(ValueError, match="policy: got 'burn'"):
        RobustBoostClassifier(policy="burn").fit(X, labels)
