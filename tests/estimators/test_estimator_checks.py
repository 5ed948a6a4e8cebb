"""scikit-learn's own checks, on every exported estimator with its default parameters."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import marginboost
from marginboost import (
    AdaBoostClassifier,
    GradientBoostRegressor,
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
    "AssembleClassifier": {
        "check_classifiers_classes": "of the labels -1 and 1 the first means that there is none"
    },
    "CGBoostClassifier": dict.fromkeys(
        WEIGHTS, "a squared norm is solved to a gap, on a path that depends on the number of rows"
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
HEAVY_ONLY = {
    *("AdaBoostRegClassifier", "AlternatingTreeClassifier", "BaggedVoteClassifier"),
    "NuArcClassifier",
}
"""Draws, smoothing, or weights that favour easy rows: what weighs next to nothing is never seen."""

SAME_TABLES = {
    "check_classifier_data_not_an_array",
    "check_classifiers_train",
    "check_dict_unchanged",
    "check_dont_overwrite_parameters",
    "check_estimator_sparse_array",
    "check_estimator_sparse_matrix",
    "check_estimators_fit_returns_self",
    "check_estimators_overwrite_params",
    "check_fit2d_predict1d",
    "check_fit_score_takes_y",
    "check_methods_sample_order_invariance",
    "check_methods_subset_invariance",
    "check_readonly_memmap_input",
    "check_regressor_data_not_an_array",
    "check_regressors_train",
    "check_sample_weights_not_an_array",
    "check_sample_weights_pandas_series",
    "check_supervised_y_2d",
}
"""Checks of a few tables in up to ten formats: read, binned and predicted every time, learned from
once. Those that compare two fits learn twice."""
LEARNED: dict = {}
"""What a fit left, by its settings and the table as it was read."""


def learn_once_per_table(kind, monkeypatch):
    """Take a model from an earlier fit of rows that were read as the same values.

    The key is what reading and binning made of a format, so a format that is read otherwise is
    learned from by itself.
    """
    fit_rows = kind._fit_rows

    def learn_once(self, algorithm, rows, *how, **given):
        bins = BinnedMatrix.from_table(rows.rows)
        truth = [rows.truth] if rows.classes is None else [rows.classes, rows.truth]
        values = (bins.codes, *bins.cuts, *truth, rows.weights)
        key = (repr(self), repr(how), *(array.tobytes() for array in values))
        if key not in LEARNED:
            before = set(vars(self))
            fit_rows(self, algorithm, rows, *how, **given)
            LEARNED[key] = {name: vars(self)[name] for name in set(vars(self)) - before}
        vars(self).update(LEARNED[key])
        return self

    monkeypatch.setattr(kind, "_fit_rows", learn_once)


def kind_that_learns(estimator):
    """Class of an estimator, or of those that it is made of."""
    if isinstance(estimator, IntervalRegressor):
        return GradientBoostRegressor
    wraps = isinstance(estimator, MulticlassBooster)
    return type(estimator._make_estimator() if wraps else estimator)


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
    if getattr(check, "func", check).__name__ in SAME_TABLES:
        learn_once_per_table(kind_that_learns(estimator), monkeypatch)
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
