"""The booster of several classes shows what its algorithm learnt."""

import numpy as np
import pytest

from marginboost import AdaBoostClassifier, LPBoostClassifierCV, MulticlassBooster

X, Y = np.arange(12.0)[:, None], np.repeat(["a", "b", "c"], 4)


def test_the_booster_shows_weights_and_margins_of_the_fit():
    boosted = MulticlassBooster(AdaBoostClassifier(n_estimators=2)).fit(X, Y)
    plain = AdaBoostClassifier(n_estimators=2).fit(X, Y)
    np.testing.assert_array_equal(boosted.margins_, plain.margins_)
    np.testing.assert_array_equal(boosted.dual_, plain.dual_)
    assert len(boosted.margins_) == len(X)


def test_splits_that_come_once_cannot_be_shared_out():
    folds = (fold for fold in [(np.arange(8), np.arange(8, 12))])
    with pytest.raises(TypeError, match=r"estimator: got .* cannot be copied .* a list of splits"):
        MulticlassBooster(LPBoostClassifierCV(cv=folds)).fit(X, Y)
