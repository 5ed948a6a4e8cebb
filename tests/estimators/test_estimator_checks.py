"""scikit-learn's own checks, on every exported estimator with its default parameters."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import marginboost
from marginboost import (
    AdaBoostClassifier,
    IntervalRegressor,
    L2BoostRegressor,
    LinearOracle,
    MulticlassBooster,
)
from marginboost.data import BinnedMatrix
from marginboost.estimators.base import BaseBooster

KINDS = BaseBooster | MulticlassBooster | IntervalRegressor
EVERY = [
    kind
    for kind in (getattr(marginboost, name) for name in marginboost.__all__)
    if isinstance(kind, type) and issubclass(kind, KINDS)
]
WEIGHTS = (
    "check_sample_weight_equivalence_on_dense_data",
    "check_sample_weight_equivalence_on_sparse_data",
)
EXPECTED_FAILURES = {
    **dict.fromkeys(
        ("BaggedVoteClassifier", "NuArcClassifier"),
        dict.fromkeys(WEIGHTS, "bootstrap draws differ between a row of weight two and two rows"),
    ),
    "LPBoostRegressor": dict.fromkeys(
        WEIGHTS, "targets of three values: a linear program has several solutions of one value"
    ),
    **dict.fromkeys(
        ("LPBoostClassifierCV", "RobustBoostClassifier"),
        dict.fromkeys(WEIGHTS, "folds are drawn from rows, and copies of a row fall into several"),
    ),
}
# test_class_weight.py says what the weights of classes mean, for every classifier.
LIGHT_ROWS = {
    "check_class_weight_classifiers": "of 50 rows, a class of weight 1e-7 has some that a cut sets "
    "apart from all others: the model is better for it, on far more rows than the check allows"
}
HEAVY_ONLY = {"AdaBoostRegClassifier", "BaggedVoteClassifier", "NuArcClassifier"}
"""Draws, or weights that favour easy rows: what weighs next to nothing is never seen."""

FORMATS = {
    "check_classifier_data_not_an_array",
    "check_classifiers_train",
    "check_estimator_sparse_array",
    "check_estimator_sparse_matrix",
    "check_readonly_memmap_input",
    "check_supervised_y_2d",
}
"""One table in up to ten formats: read, binned and predicted for every one, learned from once."""
LEARNED: dict = {}
"""What a fit left, by its settings and the table as it was read."""


def learn_once_per_table(kind, monkeypatch):
    """Take a model from an earlier fit of rows that were read as the same values.

    The key is what reading and binning made of a format, so a format that is read otherwise is
    learned from by itself.
    """
    learn = kind.learn

    def learn_once(self, data, oracle, reduction):
        bins = BinnedMatrix.from_table(data.rows)
        values = (bins.codes, *bins.cuts, data.classes, data.labels, data.weights)
        key = (repr(self), repr(reduction), *(array.tobytes() for array in values))
        if key not in LEARNED:
            before = set(vars(self))
            learn(self, data, oracle, reduction)
            LEARNED[key] = {name: vars(self)[name] for name in set(vars(self)) - before}
        vars(self).update(LEARNED[key])

    monkeypatch.setattr(kind, "learn", learn_once)


def expected_failures(estimator):
    name = type(estimator).__name__
    found = EXPECTED_FAILURES.get(name, {})
    light = "class_weight" in estimator.get_params(deep=False) and name not in HEAVY_ONLY
    return {**found, **LIGHT_ROWS} if light else found


@parametrize_with_checks(
    [
        *(kind() for kind in EVERY),
        MulticlassBooster(AdaBoostClassifier(n_estimators=10), code="all-pairs"),
        MulticlassBooster(AdaBoostClassifier(n_estimators=10), code="error-correcting"),
        L2BoostRegressor(LinearOracle(), learning_rate=0.5),
    ],
    expected_failed_checks=expected_failures,
)
def test_scikit_learn_checks(estimator, check, monkeypatch):
    name = getattr(check, "func", check).__name__
    kind = type(getattr(estimator, "estimator", None) or estimator)
    if name in FORMATS and hasattr(kind, "learn"):
        learn_once_per_table(kind, monkeypatch)
    check(estimator)


def test_every_estimator_is_checked():
    names = {kind.__name__ for kind in EVERY}
    assert len(names) >= 33
    assert names >= set(EXPECTED_FAILURES)


@pytest.mark.parametrize("make", EVERY)
def test_docstring_names_every_parameter(make):
    for name in make().get_params(deep=False):
        assert f"{name} :" in make.__doc__, name
    assert "{common}" not in make.__doc__
    assert "{fitted}" not in make.__doc__
