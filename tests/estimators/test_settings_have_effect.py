"""No setting is dropped without a word: it changes what is fitted, or it is refused by name."""

import numpy as np
import pytest
from settings_sweep import LEARNERS, TABLES, Sweep, others, small, tables_of
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

import marginboost
from marginboost import (
    AdaBoostClassifier,
    GradientBoostClassifier,
    GradientBoostRegressor,
    GradientTreeOracle,
    LabelTreeOracle,
    LinearOracle,
    LSBoostRegressor,
    MulticlassBooster,
    PBoostClassifier,
    ResamplingOracle,
    RobustBoostClassifier,
    SAMMEClassifier,
    StumpOracle,
    TreeOracle,
)
from marginboost.core.oracle import Oracle
from marginboost.estimators.base import BaseBooster
from marginboost.oracles import FiniteOracle
from marginboost.validation import parameter_defaults

BOOSTERS = {
    name: kind
    for name, kind in ((name, getattr(marginboost, name)) for name in marginboost.__all__)
    if isinstance(kind, type) and issubclass(kind, BaseBooster)
}
SEARCHES = [name for name in BOOSTERS if name.endswith("CV")] + ["RobustBoostClassifier"]
"""Estimators that make many fits in one: with base learners of all kinds they take long."""

NO_MODEL = {
    "estimator": "is what is varied",
    "n_jobs": "the same bits for any number of threads",
    "random_state": "nothing is random but with draws, as everywhere in scikit-learn",
    "verbose": "shows a progress bar",
    "warm_start": "is about the fit after this one: test_staged.py",
}
"""Settings that by their nature change no model, and why."""

SAME = {
    ("AdaBoostClassifier", "step"): "of answers -1 and 1 both steps are the same number",
    ("LSBoostRegressor", "version"): "of hypotheses of one norm the nearest improves most",
    ("LSBoostRegressor", "n_candidates"): "of hypotheses of one norm the first is taken",
    ("MarginalAdaBoostClassifier", "search_bound"): "a search that ends by its bounds, as all "
    "do here, makes fewer runs than either allows: test_margin_theorems.py counts them",
}
"""Settings of which two values mean the same fit with stumps, and why."""
SAME_WITH_SOME = {
    **SAME,
    ("AdaBoostM2Classifier", "step"): "of answers -1 and 1 both steps are the same number",
    ("LeveragingClassifier", "selection"): "of hypotheses of one norm the first improves most",
    ("NuArcClassifier", "base"): "differs once the soft margin is above 0",
    ("NuArcClassifier", "on_stall"): "differs once no step lowers the objective",
    ("RobustBoostClassifier", "model"): "with a base learner given, it is a soft margin",
}
"""The same with some other base learner, on tables of a few rows."""

MATTERS_WITH = {
    ("GradientBoostRanker", "eval_at"): {"early_stopping": True},
    ("AdaBoostClassifier", "stop_at_target"): {"n_estimators": 40},
    ("PBoostClassifier", "max_restarts"): {"p": 0.5, "n_estimators": 25},
    ("RobustBoostClassifier", "solver"): {"model": "soft-margin"},
    ("RobustBoostClassifier", "solver_time_limit"): {"model": "soft-margin"},
    ("RobustBoostClassifier", "tol"): {"model": "soft-margin"},
}
"""Other settings and rows where the effect of a setting shows."""


def dropped(kind, learner, names, tables=None):
    """Settings that neither change what is fitted nor are refused."""
    sweep, found = Sweep(), []
    tables = tables_of(kind()) if tables is None else tables
    for name in names:
        if name in NO_MODEL:
            continue
        settings = {**small(kind, learner), **MATTERS_WITH.get((kind.__name__, name), {})}
        usable = [t for t in tables if sweep.plain(kind, settings, t) is not None]
        if usable and not sweep.has_effect(kind, settings, name, others(kind, name), usable):
            found.append(name)
    same = SAME if learner is None else SAME_WITH_SOME
    return [name for name in found if (kind.__name__, name) not in same]


@pytest.mark.parametrize("name", [name for name in BOOSTERS if name not in SEARCHES])
def test_no_setting_is_dropped(name):
    kind = BOOSTERS[name]
    assert dropped(kind, None, parameter_defaults(kind)) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", SEARCHES)
def test_no_setting_of_a_search_is_dropped(name):
    kind = BOOSTERS[name]
    assert dropped(kind, None, parameter_defaults(kind)) == []


ENDS_EARLY = {"n_estimators", "callbacks", "tol", "rtol", "stop_at_target"}
"""Settings that end a run, of which some have ended before."""


def few_rows(kind):
    return [table for table in tables_of(kind()) if len(TABLES[table][0]) < 100]


OF_ALL = set(parameter_defaults(AdaBoostClassifier)) & set(
    parameter_defaults(GradientBoostRegressor)
)
"""Settings that all estimators have; the slow test tries them with every base learner."""


@pytest.mark.parametrize("learner", ["gradient trees", "lines"])
@pytest.mark.parametrize("name", [name for name in BOOSTERS if name not in SEARCHES])
def test_no_setting_of_an_algorithm_is_dropped_with_another_base_learner(name, learner):
    kind = BOOSTERS[name]
    own = [name for name in parameter_defaults(kind) if name not in OF_ALL | ENDS_EARLY]
    assert dropped(kind, LEARNERS[learner], [*own, "max_bins"], few_rows(kind)) == []


@pytest.mark.slow
@pytest.mark.parametrize("learner", [learner for learner in LEARNERS if learner != "default"])
@pytest.mark.parametrize("name", [name for name in BOOSTERS if not name.endswith("CV")])
def test_no_setting_is_dropped_with_any_base_learner(name, learner):
    kind = BOOSTERS[name]
    names = [setting for setting in parameter_defaults(kind) if setting not in ENDS_EARLY]
    assert dropped(kind, LEARNERS[learner], names, few_rows(kind)) == []
