"""A warning names the user's line, whatever lies between that line and the reason."""

import inspect
import warnings

import numpy as np
import pytest
from sklearn.model_selection import cross_val_predict

from marginboost import LPBoostClassifier, LPBoostClassifierCV
from marginboost.warning import warn_user

X = np.random.default_rng(0).normal(size=(60, 2))
FEW = np.arange(60) < 3


def line_of(call):
    """File and line of the first warning that a call gives."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return caught[0].filename, caught[0].lineno


@pytest.mark.parametrize("model", [LPBoostClassifier(nu=0.5), LPBoostClassifierCV(nus=[0.9])])
def test_fits_warn_of_the_line_that_calls_fit(model):
    def call():
        model.fit(X, FEW)

    assert line_of(call) == (__file__, inspect.getsourcelines(call)[1] + 1)


def test_calls_by_way_of_scikit_learn_too():
    def call():
        cross_val_predict(LPBoostClassifier(nu=0.5), X, FEW, cv=2)

    assert line_of(call) == (__file__, inspect.getsourcelines(call)[1] + 1)


def test_a_warning_from_here_is_of_this_line():
    def call():
        warn_user("careful")

    assert line_of(call) == (__file__, inspect.getsourcelines(call)[1] + 1)
