"""Settings: rules and estimators agree on defaults, limits are where they are said to be."""

import inspect
import math
from importlib import import_module

import numpy as np
import pytest

from marginboost import AdaBoostClassifier
from marginboost.algorithms._example import SmallSteps
from marginboost.core import Rule, Stop, train
from marginboost.estimators.base import algorithm_of
from marginboost.estimators.classifier import BaseMarginClassifier
from marginboost.estimators.regressor import BaseBoostRegressor
from marginboost.oracles import FiniteOracle, matrix_sample

ESTIMATORS = {**BaseMarginClassifier.__registry__, **BaseBoostRegressor.__registry__}
RULES = [rule for rule in Rule.__registry__.values() if rule.__module__.startswith("marginboost.")]
X, Y = np.arange(8.0)[:, None], np.array([0, 0, 1, 0, 1, 1, 0, 1])

DEFAULTS = {
    "AdaBoost": {"target_margin": 0.0, "learning_rate": 1.0, "step": "exact"},
    "AdaBoostReg": {"C": 0.1},
    "AdaBoostStar": {"accuracy": 0.1},
    "BarrierBoost": {"C": None, "steps": "newton", "beta": 1.0, "factor": None},
    "GradientBoost": {"loss": "logistic", "learning_rate": 0.1, "step": "scale"},
    "L1Leveraging": {"loss": "logistic", "C": None, "steps": "newton"},
    "L2Boost": {"learning_rate": 0.1},
    "LPBoost": {"nu": 0.3, "solver": "auto", "columns": 16, "C": None},
    "LSBoost": {"version": 2, "learning_rate": 1.0, "n_candidates": None},
    "Leveraging": {"loss": "logistic", "step": "exact", "selection": "edge", "correction": "none"},
    "NuArc": {"nu": 0.4, "base": "adaboost", "on_stall": "floor", "max_step": 5.0},
}
"""What people have come to rely on; a change here is a change of results."""


def defaults(of):
    parameters = inspect.signature(of.__init__).parameters.items()
    return {k: p.default for k, p in parameters if p.default is not inspect.Parameter.empty}


@pytest.mark.parametrize("name", DEFAULTS)
def test_defaults_of_rules_are_these(name):
    found = defaults(Rule.__registry__[name])
    assert {key: found[key] for key in DEFAULTS[name]} == DEFAULTS[name]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_rules_and_their_estimators_have_the_same_defaults(rule):
    module, ours = import_module(rule.__module__), defaults(rule)
    for estimator in vars(module).values():
        if estimator in ESTIMATORS.values() and estimator.__module__ == rule.__module__:
            theirs = defaults(estimator)
            common = set(ours) & set(theirs)
            assert {k: ours[k] for k in common} == {k: theirs[k] for k in common}


@pytest.mark.parametrize(
    "name", [n for n, e in ESTIMATORS.items() if "learning_rate" in defaults(e)]
)
def test_learning_rates_begin_just_above_zero(name):
    make = ESTIMATORS[name]
    smallest = math.ulp(0.0)
    algorithm_of(make(learning_rate=smallest))
    for wrong in (0.0, -smallest, math.nan, math.inf):
        with pytest.raises(ValueError, match=r"learning_rate: got .*, expected a number above 0"):
            algorithm_of(make(learning_rate=wrong))


def test_a_bad_entry_is_named():
    with pytest.raises(ValueError, match=r"target_margin\[1\]: got 2.0, expected a number above"):
        AdaBoostClassifier(target_margin=[0.1, 2.0]).fit(X, Y)
    with pytest.raises(TypeError, match=r"target_margin: got '0.1', expected a number above"):
        AdaBoostClassifier(target_margin="0.1").fit(X, Y)


# -- the tolerance -------------------------------------------------------------------------------


class Met(SmallSteps):
    """Its bounds meet, to the last bit, when the third round begins."""

    def upper(self, state, edge):
        return 0.25 if state.round > 2 else 0.5

    def value(self, state):
        return 0.25


Rule.__registry__.pop("Met")


def rounds_of(tol):
    sample = matrix_sample(np.array([[1.0, -1.0], [-1.0, 1.0], [1.0, 1.0]]), np.ones(3))
    run = train(sample, FiniteOracle(), Met(), max_rounds=6, tol=tol)
    return run.stop, len(run.history)


def test_a_gap_of_zero_stops_at_tol_zero():
    assert rounds_of(0.0) == (Stop.GAP, 3)
    assert rounds_of(0.25) == (Stop.GAP, 2)  # as soon as it is no larger
    assert rounds_of(math.nextafter(0.25, 0.0)) == (Stop.GAP, 3)
    assert rounds_of(None) == (Stop.ROUNDS, 6)


def test_tol_zero_is_a_setting_and_less_is_none():
    assert AdaBoostClassifier(tol=0.0, n_estimators=3).fit(X, Y).n_iter_ >= 1
    with pytest.raises(ValueError, match="tol: got -1e-09, expected a number at least 0"):
        AdaBoostClassifier(tol=-1e-9).fit(X, Y)


# -- every setting -------------------------------------------------------------------------------

UNCHECKED = {
    *("estimator", "callbacks", "random_state", "verbose"),
    *("stop_at_target", "monotone", "signed"),
}
"""Objects, and switches, for which anything is true or false."""
SETTINGS = [
    (name, setting)
    for name, estimator in ESTIMATORS.items()
    for setting in defaults(estimator)
    if setting not in UNCHECKED
]


@pytest.mark.parametrize(("name", "setting"), SETTINGS)
def test_every_setting_is_checked_before_any_work(name, setting):
    """What is neither a number nor a choice is named."""
    for wrong in (math.nan, "no such choice"):
        with pytest.raises((ValueError, TypeError), match=rf"^{setting}: got "):
            ESTIMATORS[name](**{setting: wrong}).fit(X, Y)


@pytest.mark.parametrize(
    ("name", "setting"), [(n, s) for n, s in SETTINGS if type(defaults(ESTIMATORS[n])[s]) is int]
)
def test_whole_numbers_are_whole(name, setting):
    half = defaults(ESTIMATORS[name])[setting] + 0.5
    if setting == "min_samples_leaf":  # a weight
        ESTIMATORS[name](**{setting: half}).fit(X, Y)
        return
    with pytest.raises((ValueError, TypeError), match=rf"^{setting}: got {half}"):
        ESTIMATORS[name](**{setting: half}).fit(X, Y)
