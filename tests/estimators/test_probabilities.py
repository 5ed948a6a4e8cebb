"""Probabilities of every classifier: never 0 or 1, however sure it is, and as it predicts."""

import numpy as np
import pytest

import marginboost
from marginboost import AdaBoostClassifier, BinnedMatrix, LPBoostClassifier, MulticlassBooster
from marginboost.core.parts import LocalParts, Part, Source
from marginboost.estimators.base import fit_parts
from marginboost.estimators.classifier import BaseMarginClassifier
from marginboost.model import Features

EVERY = [
    name
    for name in marginboost.__all__
    if isinstance(kind := getattr(marginboost, name), type)
    and issubclass(kind, BaseMarginClassifier | MulticlassBooster)
]
SURE = 100
"""Rounds in which scores run away, where nothing stops them."""


def clusters(n_classes):
    """Classes far apart, each by two of three features: one cut is not enough, and votes add up."""
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(n_classes), 24)
    own = np.repeat(np.eye(n_classes)[y][:, :, None], 3, axis=2)
    against = rng.integers(0, 3, size=(len(y), n_classes, 1)) == np.arange(3)
    X = rng.normal(size=own.shape) + 50.0 * np.where(against, 1.0 - own, own)
    return X.reshape(len(y), -1), np.array(["low", "mid", "top"])[y]


def make(name):
    """A classifier that makes many rounds; one that cross-validates inside does so in two folds."""
    if name == "MulticlassBooster":
        return MulticlassBooster(AdaBoostClassifier(n_estimators=SURE))
    kind = getattr(marginboost, name)
    folds = {"cv": 2} if "cv" in kind().get_params() else {}
    return kind(n_estimators=SURE, n_jobs=1, **folds)


def check(chances, n_classes):
    assert chances.shape[1] == n_classes
    assert chances.min() > 0.0
    assert chances.max() < 1.0
    np.testing.assert_allclose(chances.sum(axis=1), 1.0, rtol=0, atol=1e-15)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("name", EVERY)
def test_none_is_0_or_1(name, n_classes):
    X, y = clusters(n_classes)
    model = make(name).fit(X, y)
    rows = np.vstack([X, 1e9 * X, np.zeros_like(X[:1])])
    chances = model.predict_proba(rows)
    check(chances, n_classes)
    np.testing.assert_array_equal(model.predict(rows), model.classes_[chances.argmax(axis=1)])
    assert (model.predict(X) == y).mean() > 0.8
    assert np.isfinite(model.predict_log_proba(rows)).all()
    *_, last = model.staged_predict_proba(rows)
    check(last, n_classes)


def test_shares_of_votes_that_all_agree():
    """A class that is always right has votes of one, and no probability of one."""
    X, y = np.arange(40.0)[:, None], np.repeat([0, 1], 20)
    bins = BinnedMatrix.from_data(X)
    part = Part.of(Source(bins, y, np.ones(len(y)), 1))
    features = Features(list(bins.names), list(bins.categories), bins.named)
    model = LPBoostClassifier(nu=0.2, n_jobs=1)
    fit_parts(model, features, bins, np.unique(y), LocalParts([part]))
    assert np.abs(model.decision_function(X)).max() == 1.0
    check(model.predict_proba(X), 2)


@pytest.mark.parametrize("decoding", ["linear", "hamming", "exponential"])
@pytest.mark.parametrize("code", ["all-pairs", "one-vs-rest"])
def test_any_code_and_decoding(code, decoding):
    X, y = clusters(3)
    inner = AdaBoostClassifier(n_estimators=SURE)
    model = MulticlassBooster(inner, code=code, decoding=decoding).fit(X, y)
    check(model.predict_proba(X), 3)
