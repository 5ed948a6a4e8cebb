"""scikit-learn's own checks, on every exported estimator with its default parameters."""

import os

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import marginboost
from marginboost import AdaBoostClassifier, L2BoostRegressor, LinearOracle, MulticlassBooster
from marginboost.estimators.base import BaseBooster

EVERY = [
    kind
    for kind in (getattr(marginboost, name) for name in marginboost.__all__)
    if isinstance(kind, type) and issubclass(kind, BaseBooster | MulticlassBooster)
]
CHOOSING = {
    "AdaBoostRegClassifierCV",
    "BarrierBoostClassifierCV",
    "LPBoostClassifierCV",
    "RobustBoostClassifier",
}
"""Fits that cross-validate or audit inside: dozens of runs each."""

WEIGHTS = (
    "check_sample_weight_equivalence_on_dense_data",
    "check_sample_weight_equivalence_on_sparse_data",
)
EXPECTED_FAILURES = {
    **dict.fromkeys(
        ("BaggedVoteClassifier", "NuArcClassifier"),
        dict.fromkeys(WEIGHTS, "bootstrap draws differ between a row of weight two and two rows"),
    ),
    **dict.fromkeys(
        CHOOSING,
        dict.fromkeys(WEIGHTS, "folds are drawn from rows, and copies of a row fall into several"),
    ),
}

COSTLY_CHECKS = {
    "check_estimator_sparse_matrix",
    "check_estimator_sparse_array",
    "check_methods_subset_invariance",
    "check_methods_sample_order_invariance",
    "check_classifiers_train",
    "check_supervised_y_2d",
    "check_fit_score_takes_y",
    "check_estimators_dtypes",
    "check_dtype_object",
    *WEIGHTS,
}
"""Checks of many fits each; on estimators that choose, they run where ALL_CHECKS is set."""


def expected_failures(estimator):
    return EXPECTED_FAILURES.get(type(estimator).__name__, {})


@parametrize_with_checks(
    [
        *(kind() for kind in EVERY),
        MulticlassBooster(AdaBoostClassifier(n_estimators=10), code="all-pairs"),
        MulticlassBooster(AdaBoostClassifier(n_estimators=10), code="error-correcting"),
        L2BoostRegressor(LinearOracle(), learning_rate=0.5),
    ],
    expected_failed_checks=expected_failures,
)
def test_scikit_learn_checks(estimator, check):
    name = getattr(check, "func", check).__name__
    costly = type(estimator).__name__ in CHOOSING and name in COSTLY_CHECKS
    if costly and not os.environ.get("ALL_CHECKS"):
        pytest.skip(
            "many fits of many runs each: with ALL_CHECKS=1, as continuous integration does"
        )
    check(estimator)


def test_every_estimator_is_checked():
    names = {kind.__name__ for kind in EVERY}
    assert len(names) >= 34
    assert names >= CHOOSING
    assert names >= set(EXPECTED_FAILURES)


@pytest.mark.parametrize("make", EVERY)
def test_docstring_names_every_parameter(make):
    for name in make().get_params(deep=False):
        assert f"{name} :" in make.__doc__, name
    assert "{common}" not in make.__doc__
    assert "{fitted}" not in make.__doc__
