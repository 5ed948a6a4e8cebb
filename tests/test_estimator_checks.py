"""scikit-learn's own checks, on every classifier of the package."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from marginboost.estimators import BaseMarginClassifier

RANDOM_DRAWS = "bootstrap draws differ between a row of weight two and two rows"

EXPECTED_FAILURES = {
    "BaggedVoteClassifier": {
        "check_sample_weight_equivalence_on_dense_data": RANDOM_DRAWS,
        "check_sample_weight_equivalence_on_sparse_data": RANDOM_DRAWS,
    }
}


@parametrize_with_checks(
    [make() for make in BaseMarginClassifier.registry.values()],
    expected_failed_checks=lambda estimator: EXPECTED_FAILURES.get(type(estimator).__name__, {}),
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def test_every_classifier_is_checked():
    assert len(BaseMarginClassifier.registry) >= 5
    assert not set(EXPECTED_FAILURES) - set(BaseMarginClassifier.registry)


@pytest.mark.parametrize("make", BaseMarginClassifier.registry.values())
def test_docstring_names_every_parameter(make):
    for name in make().get_params(deep=False):
        assert f"{name} :" in make.__doc__, name
    assert "{common}" not in make.__doc__
