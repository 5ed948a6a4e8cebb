"""scikit-learn's own checks, on every classifier of the package."""

import os

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import marginboost.audit  # noqa: F401 - registers RobustBoostClassifier
from marginboost import AdaBoostClassifier, MulticlassBooster
from marginboost.algorithms._labels import LabelClassifier
from marginboost.estimators.classifier import BaseMarginClassifier

EVERY = {**BaseMarginClassifier.registry, **LabelClassifier.registry}

SMALL = {  # what is chosen by cross-validation costs a fit for every value and fold
    "LPBoostClassifierCV": {"nus": [0.3, 0.6], "cv": 2},
    "AdaBoostRegClassifierCV": {"Cs": [0.0, 0.1], "cv": 2, "n_estimators": 20},
    "BarrierBoostClassifierCV": {"Cs": [0.01, 0.05], "cv": 2},
    "RobustBoostClassifier": {"cv": 2},
}

RANDOM_DRAWS = "bootstrap draws differ between a row of weight two and two rows"

EXPECTED_FAILURES = {
    name: {
        "check_sample_weight_equivalence_on_dense_data": RANDOM_DRAWS,
        "check_sample_weight_equivalence_on_sparse_data": RANDOM_DRAWS,
    }
    for name in ("BaggedVoteClassifier", "NuArcClassifier")
}
FOLDS_OF_ROWS = "folds are drawn from rows, and copies of a row fall into several of them"
for name in SMALL:
    EXPECTED_FAILURES[name] = {
        "check_sample_weight_equivalence_on_dense_data": FOLDS_OF_ROWS,
        "check_sample_weight_equivalence_on_sparse_data": FOLDS_OF_ROWS,
    }


COSTLY = {"AdaBoostRegClassifierCV", "BarrierBoostClassifierCV", "RobustBoostClassifier"}
"""A cross-validation or an audit inside every fit: minutes, so only where ALL_CHECKS is set. They
share their plumbing with LPBoostClassifierCV, which always runs."""
CHECKED = {
    name: make for name, make in EVERY.items() if name not in COSTLY or os.environ.get("ALL_CHECKS")
}


FEW_ROUNDS = 20
"""Enough to learn the checks' small problems; they run some sixty times per estimator."""


def small(name, make):
    rounds = make().n_estimators
    few = {"n_estimators": min(rounds or FEW_ROUNDS, FEW_ROUNDS)}
    return make(**{**few, **SMALL.get(name, {})})


@parametrize_with_checks(
    [
        *(small(name, make) for name, make in CHECKED.items()),
        MulticlassBooster(AdaBoostClassifier(n_estimators=10), code="all-pairs"),
        MulticlassBooster(AdaBoostClassifier(n_estimators=10), code="error-correcting"),
    ],
    expected_failed_checks=lambda estimator: EXPECTED_FAILURES.get(type(estimator).__name__, {}),
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def test_every_classifier_is_checked():
    assert len(BaseMarginClassifier.registry) >= 5
    assert not set(EXPECTED_FAILURES) - set(BaseMarginClassifier.registry)


@pytest.mark.parametrize("make", [*EVERY.values(), MulticlassBooster])
def test_docstring_names_every_parameter(make):
    for name in make().get_params(deep=False):
        assert f"{name} :" in make.__doc__, name
    assert "{common}" not in make.__doc__
    assert "{fitted}" not in make.__doc__
