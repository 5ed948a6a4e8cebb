"""Samples of several classes: rows of examples and labels, and what models score on them."""

import numpy as np
import pytest

from marginboost import AdaBoostM1Classifier, AdaBoostM2Classifier, AdaBoostMHClassifier
from marginboost.core import Callback, Ensemble


class Watch(Callback):
    def on_start(self, state, oracle, rule, max_rounds):
        self.sample = state.sample


X = np.arange(12.0)[:, None]
Y = np.repeat([0, 1, 2], 4)


@pytest.mark.parametrize("make", [AdaBoostM1Classifier, AdaBoostM2Classifier, AdaBoostMHClassifier])
def test_scores_on_the_rows_are_the_sums_of_the_columns(make):
    watch = Watch()
    model = make(n_estimators=3, callbacks=[watch]).fit(X, Y)
    sample, ensemble = watch.sample, model.ensemble_
    assert len(ensemble) >= 1
    pairs = zip(ensemble.coef, ensemble.members, strict=True)
    expected = sum(weight * sample.column(member).astype(float) for weight, member in pairs)
    assert np.abs(expected).max() > 0.0
    np.testing.assert_allclose(sample.scores(ensemble), expected, rtol=1e-12)
    np.testing.assert_array_equal(sample.scores(Ensemble((), np.empty(0))), np.zeros(len(sample.y)))
