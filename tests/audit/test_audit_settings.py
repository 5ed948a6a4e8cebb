"""No setting of an audit, a filter or a wrapper is dropped without a word."""

import warnings

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from marginboost import (
    AdaBoostClassifier,
    CascadeBooster,
    GradientBoostRegressor,
    IntervalRegressor,
    LabelAudit,
    LPBoostRegressor,
    MulticlassBooster,
    TargetAudit,
    TreeOracle,
)
from marginboost.audit import (
    AdaBoostFilter,
    ConsensusFilter,
    CrossValidatedFilter,
    DecisionVolumeFilter,
    GambergerFilter,
    GuyonFilter,
    MajorityFilter,
    NoiseFilter,
    OkaFilter,
    RegressionFilter,
    RobustTreeFilter,
    SingleFilter,
    TomekFilter,
    WilsonFilter,
)
from settings_sweep import TABLES, numeric

TWO, MANY = TABLES["two classes"], TABLES["three classes"]
PLAIN = numeric(TWO)
TARGETS = TABLES["targets"]
TWO_D = np.random.default_rng(0).uniform(-1, 1, (600, 3))
STUMPS = AdaBoostClassifier(n_estimators=4)
VOTERS = [GaussianNB(), DecisionTreeClassifier(max_depth=2, random_state=0)]


QUICK = GradientBoostRegressor(n_estimators=3)
FOLDS = {"cv": 5, "random_state": 1}
RARE = TWO_D, (TWO_D[:, 0] > 0.4) & (TWO_D[:, 1] > 0.2)


def most_wrong(errors):
    return errors.max(axis=1)


SETTINGS = [
    (
        AdaBoostFilter,
        PLAIN,
        {},
        {"estimator": TreeOracle(), "n_estimators": 2, "threshold": 0.9, "max_bins": 3, **FOLDS},
    ),
    (ConsensusFilter, PLAIN, {}, {"voters": VOTERS, **FOLDS}),
    (
        CrossValidatedFilter,
        PLAIN,
        {},
        {"voters": VOTERS, "metric": most_wrong, "threshold": 0.9, **FOLDS},
    ),
    (
        DecisionVolumeFilter,
        PLAIN,
        {},
        {"estimator": STUMPS, "fraction": 0.1, "label": "predicted", "padding": 0.5},
    ),
    (GambergerFilter, PLAIN, {}, {"threshold": 8.0, "max_cuts": 3}),
    (
        GuyonFilter,
        PLAIN,
        {},
        {
            "estimator": GaussianNB(),
            "threshold": 0.5,
            "batch_size": 4,
            "shuffle": False,
            "standardise": False,
            "random_state": 1,
        },
    ),
    (MajorityFilter, PLAIN, {}, {"voters": VOTERS, "threshold": 0.9, **FOLDS}),
    (OkaFilter, PLAIN, {}, {"n_neighbors": 7, "threshold": 0.9, "standardise": False}),
    (RobustTreeFilter, PLAIN, {}, {"ccp_alpha": 0.05}),
    (SingleFilter, PLAIN, {}, {"estimator": GaussianNB(), **FOLDS}),
    (TomekFilter, PLAIN, {}, {"n_neighbors": 7, "method": "repeated", "standardise": False}),
    (WilsonFilter, PLAIN, {}, {"n_neighbors": 7, "standardise": False}),
    (
        RegressionFilter,
        numeric(TARGETS),
        {},
        {"estimator": QUICK, "threshold": 1.1, "max_iter": 1},
    ),
    (
        LabelAudit,
        TWO,
        {"voters": {"boosted": STUMPS}},
        {"voters": None, "fdr": 0.9, "categorical_features": [0, 3], **FOLDS, "cv": 2},
    ),
    (
        TargetAudit,
        TARGETS,
        {"predictors": {"boosted": QUICK}},
        {"predictors": None, "fdr": 0.9, "categorical_features": [0, 3], **FOLDS, "cv": 2},
    ),
    (
        MulticlassBooster,
        MANY,
        {},
        {
            "estimator": STUMPS,
            "code": "all-pairs",
            "decoding": "hamming",
            "class_weight": "balanced",
        },
    ),
    (
        CascadeBooster,
        RARE,
        {"estimator": STUMPS},
        {
            "estimator": None,
            "n_stages": 1,
            "min_detection_rate": 0.7,
            "max_false_positive_rate": 0.2,
            "target_false_positive_rate": 0.5,
            "validation_fraction": None,
            "random_state": 1,
        },
    ),
    (
        IntervalRegressor,
        TARGETS,
        {},
        {
            "estimator": LPBoostRegressor(n_estimators=3),
            "coverage": 0.5,
            "calibration_fraction": 0.5,
            "random_state": 1,
        },
    ),
]
"""Classes, rows, usual settings, and other values, each of which makes a difference there."""
CASES = [
    (kind, table, usual, name, value)
    for kind, table, usual, changed in SETTINGS
    for name, value in changed.items()
]


def outcome(fitted, X):
    """What a fit leaves."""
    names = ("score_", "flagged_", "suggested_codes_", "errors_")
    found = [getattr(fitted, name) for name in names if hasattr(fitted, name)]
    methods = ("predict", "decision_function", "predict_interval")
    found += [getattr(fitted, name)(X) for name in methods if hasattr(fitted, name)]
    assert found
    return [np.asarray(part).tobytes() for part in found]


@pytest.mark.parametrize(
    ("kind", "table", "usual", "name", "value"),
    [pytest.param(*case, id=f"{case[0].__name__}-{case[3]}") for case in CASES],
)
def test_no_setting_is_dropped(kind, table, usual, name, value):
    X, y = table
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        plain, changed = kind(**usual).fit(X, y), kind(**{**usual, name: value}).fit(X, y)
    unchanged = outcome(plain, X) == outcome(changed, X)
    assert not unchanged


SPARED = {("GambergerFilter", "max_pairs")}
"""Settings that bound memory only: more pairs are an error."""


def test_the_settings_of_all_filters_are_tried():
    tried = {(kind.__name__, name) for kind, _, _, name, _ in CASES} | SPARED
    for name, kind in NoiseFilter.__registry__.items():
        assert {(name, setting) for setting in kind().get_params(deep=False)} <= tried


@pytest.mark.parametrize(("name", "value"), [("voters", {"bayes": GaussianNB()}), ("cv", 3)])
def test_given_probabilities_leave_nothing_to_voters(name, value):
    X, y = PLAIN
    with pytest.raises(ValueError, match=f"^{name}: got .*, which has no effect with pred_probs"):
        LabelAudit(**{name: value}).fit(X, y, pred_probs=np.full((len(y), 2), 0.5))


def test_bins_have_no_effect_on_a_base_learner_that_reads_none():
    X, y = PLAIN
    with pytest.raises(ValueError, match="max_bins: got 3, which has no effect with estimator="):
        AdaBoostFilter(GaussianNB(), max_bins=3).fit(X, y)
