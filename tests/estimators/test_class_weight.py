"""``class_weight``: the same as weights by hand, for every classifier."""

import numpy as np
import pytest
from sklearn.base import ClassifierMixin
from sklearn.datasets import make_classification
from sklearn.utils.class_weight import compute_sample_weight

import marginboost
from marginboost import (
    AdaBoostClassifier,
    LPBoostClassifier,
    MulticlassBooster,
    SAMMEClassifier,
    load,
    verify,
)

FEW = {"n_estimators": 5}
OF_ITS_BASE_LEARNER = {"CascadeBooster": "each stage is a classifier with class weights of its own"}
QUICK = {
    "AdaBoostRegClassifierCV": {"Cs": [0.1], "cv": 2},
    "BarrierBoostClassifierCV": {"Cs": [0.01], "cv": 2},
    "LPBoostClassifierCV": {"nus": [0.3], "cv": 2},
}
EVERY = [
    kind
    for kind in (getattr(marginboost, name) for name in marginboost.__all__)
    if isinstance(kind, type) and issubclass(kind, ClassifierMixin)
    if kind.__name__ not in OF_ITS_BASE_LEARNER
]


@pytest.fixture(scope="module")
def uneven():
    X, y = make_classification(
        90, 4, n_informative=3, n_redundant=0, weights=[0.8], flip_y=0.05, random_state=3
    )
    return X, np.where(y == 1, "rare", "common")


def test_every_classifier_has_it():
    assert len(EVERY) > 40
    assert [kind.__name__ for kind in EVERY if "class_weight" not in kind().get_params()] == []


def make(kind, **settings):
    if kind is MulticlassBooster:
        return MulticlassBooster(AdaBoostClassifier(**FEW), **settings)
    return kind(**FEW, **QUICK.get(kind.__name__, {}), **settings)


@pytest.mark.parametrize("kind", EVERY)
def test_balanced_is_weights_by_hand(kind, uneven):
    X, y = uneven
    by_hand = compute_sample_weight("balanced", y)
    balanced = make(kind, class_weight="balanced").fit(X, y)
    weighed = make(kind).fit(X, y, by_hand)
    np.testing.assert_allclose(
        balanced.decision_function(X), weighed.decision_function(X), atol=1e-9
    )
    np.testing.assert_allclose(balanced.predict_proba(X), weighed.predict_proba(X), atol=1e-9)


def test_of_several_classes_and_with_weights(uneven):
    X, y = uneven
    y = np.where(X[:, 0] > 1.0, "third", y)
    given = np.random.default_rng(0).uniform(0.5, 2.0, len(y))
    factors = {"rare": 3.0, "third": 0.5}
    by_hand = given * np.array([factors.get(label, 1.0) for label in y])
    for model in (SAMMEClassifier(**FEW), AdaBoostClassifier(**FEW)):
        weighed = model.fit(X, y, by_hand).predict_proba(X)
        model.set_params(class_weight=factors)
        np.testing.assert_allclose(model.fit(X, y, given).predict_proba(X), weighed, atol=1e-12)
    booster = MulticlassBooster(model, code="all-pairs").fit(X, y, given)
    expected = MulticlassBooster(AdaBoostClassifier(**FEW), code="all-pairs").fit(X, y, by_hand)
    np.testing.assert_allclose(booster.predict_proba(X), expected.predict_proba(X), atol=1e-12)


def test_balanced_counts_weights_as_copies(uneven):
    X, y = uneven
    copies = np.random.default_rng(1).integers(0, 3, len(y))
    model = AdaBoostClassifier(**FEW, class_weight="balanced")
    weighed = model.fit(X, y, copies).decision_function(X)
    repeated = model.fit(np.repeat(X, copies, axis=0), np.repeat(y, copies))
    np.testing.assert_allclose(weighed, repeated.decision_function(X), atol=1e-12)


@pytest.mark.parametrize("weights", ["balanced", {"rare": 4, "common": 0.5}, {"rare": 2.5}])
def test_certificates_and_files_know_it(weights, uneven, tmp_path):
    X, y = uneven
    model = LPBoostClassifier(nu=0.4, class_weight=weights).fit(X, y)
    assert verify(model, X, y).holds
    model.save(tmp_path / "model.json")
    again = load(tmp_path / "model.json")
    assert again.class_weight == weights
    assert verify(again, X, y).holds
    again.set_params(class_weight=None)
    assert not verify(again, X, y).holds


def test_a_class_of_weight_zero_is_left_out(uneven):
    X, y = uneven
    y = np.where(X[:, 0] > 1.0, "third", y)
    model = AdaBoostClassifier(**FEW, class_weight={"third": 0.0}).fit(X, y)
    assert model.classes_.tolist() == ["common", "rare"]


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ("even", "class_weight: got 'even', expected a dict"),
        ({"unknown": 2.0}, "class_weight: got a weight for 'unknown'"),
        ({"rare": -1.0}, "class_weight"),
        ({"rare": np.nan}, "class_weight"),
        ({"rare": 0.0, "common": 0.0}, "no row any weight"),
        ({"rare": 0.0}, "got one class"),
    ],
)
def test_bad_weights_are_refused(weights, message, uneven):
    with pytest.raises(ValueError, match=message):
        AdaBoostClassifier(class_weight=weights).fit(*uneven)


def test_other_types_are_refused(uneven):
    with pytest.raises(TypeError, match="class_weight: got 3"):
        AdaBoostClassifier(class_weight=3).fit(*uneven)


def test_extreme_weights(uneven):
    X, y = uneven
    model = AdaBoostClassifier(**FEW, class_weight={"rare": 1e300, "common": 1e-300})
    with pytest.raises(ValueError, match="one class"):  # no sum could tell the others from none
        model.fit(X, y)
    assert np.isfinite(model.set_params(class_weight={"rare": 1e200}).fit(X, y).margins_).all()
