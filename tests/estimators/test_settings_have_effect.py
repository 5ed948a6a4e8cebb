"""No setting is dropped without a word: it changes what is fitted, or it is refused by name."""

import re

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

import marginboost
from marginboost import (
    ActiveKernelOracle,
    AdaBoostClassifier,
    AlternatingTreeOracle,
    GradientBoostClassifier,
    GradientBoostRegressor,
    GradientTreeOracle,
    HalfSpaceOracle,
    KernelOracle,
    LabelTreeOracle,
    LinearOracle,
    LSBoostRegressor,
    MulticlassBooster,
    NeuralNetOracle,
    PBoostClassifier,
    RBFNetOracle,
    ResamplingOracle,
    RobustBoostClassifier,
    SAMMEClassifier,
    StumpOracle,
    TreeOracle,
)
from marginboost.core.oracle import Oracle
from marginboost.estimators.base import BaseBooster, algorithm_for_parts
from marginboost.model.file import load_model
from marginboost.oracles import FiniteOracle
from marginboost.oracles.wrapper import OracleWrapper
from marginboost.validation import parameter_defaults
from settings_sweep import (
    LEARNERS,
    TABLES,
    Sweep,
    constraints_of,
    numeric,
    others,
    small,
    tables_of,
)

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
    ("BarrierBoostRegressor", "factor"): "differs once the temperature falls, after these rounds",
    ("LeveragingRegressor", "steps"): "one hypothesis closes the gap: both find its best weight",
    **dict.fromkeys(
        (("LSBoostRegressor", "learning_rate"), ("LSBoostRegressor", "max_bins")),
        "alternating trees find no edge in targets, so the run ends with its first round",
    ),
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


# -- base learners -------------------------------------------------------------------------------

SMALL_LEARNERS = {
    ActiveKernelOracle: {"n_points": 16, "max_iter": 3},
    AlternatingTreeOracle: {},
    FiniteOracle: {},
    GradientTreeOracle: {"max_leaf_nodes": 6, "min_samples_leaf": 3},
    HalfSpaceOracle: {"max_samples": 60},
    KernelOracle: {},
    LabelTreeOracle: {},
    NeuralNetOracle: {"n_hidden": 2, "max_iter": 4, "max_samples": 60},
    RBFNetOracle: {"n_centers": 3, "max_iter": 2, "max_samples": 60},
    StumpOracle: {},
    TreeOracle: {},
}
"""Base learners with settings of their own, small ones."""
HOSTS = {LabelTreeOracle: SAMMEClassifier, GradientTreeOracle: GradientBoostClassifier}
"""Algorithms that they are tried with, where not AdaBoost."""
DECIDED_BY_OTHERS = {
    ("LabelTreeOracle", "answers"): "is refused as the algorithm says what leaves answer",
    ("StumpOracle", "cuts_per_feature"): "is for algorithms that take several hypotheses",
}


def dropped_by_learner(learner, contexts):
    """Settings of a base learner, with others, that neither change a model nor are refused."""
    algorithm, sweep = HOSTS.get(learner, AdaBoostClassifier), Sweep()
    usual, tables = SMALL_LEARNERS[learner], ("two classes", "three classes")

    class Hosted:
        def __init__(self, **settings):
            self.model = algorithm(learner(**settings), n_estimators=6)

        def fit(self, X, y):
            rows = np.sign(numeric((X, y))[0]) if learner is FiniteOracle else X
            return self.model.fit(rows, y)

    found = [
        (changed, name)
        for changed in contexts
        if any(sweep.plain(Hosted, {**usual, **changed}, table) is not None for table in tables)
        for name in parameter_defaults(learner)
        if name not in changed and (learner.__name__, name) not in DECIDED_BY_OTHERS
        if not sweep.has_effect(Hosted, {**usual, **changed}, name, others(learner, name), tables)
    ]
    return found


@pytest.mark.parametrize("learner", SMALL_LEARNERS, ids=lambda kind: kind.__name__)
def test_no_setting_of_a_base_learner_is_dropped(learner):
    assert dropped_by_learner(learner, [{}]) == []


@pytest.mark.slow
@pytest.mark.parametrize("learner", SMALL_LEARNERS, ids=lambda kind: kind.__name__)
def test_no_setting_of_a_base_learner_is_dropped_with_another_choice(learner):
    choices = {
        name: values
        for name, values in constraints_of(learner).items()
        if isinstance(values, tuple)
    }
    contexts = [{name: value} for name, values in choices.items() for value in values[1:]]
    assert dropped_by_learner(learner, contexts) == []


def test_the_settings_of_all_base_learners_are_tried():
    own = {kind for kind in Oracle.__registry__.values() if not issubclass(kind, OracleWrapper)}
    without = {kind for kind in own if not parameter_defaults(kind)}
    shipped = {kind for kind in own if kind.__module__.startswith("marginboost.")}
    assert shipped - without == set(SMALL_LEARNERS)


# -- the cases, by name --------------------------------------------------------------------------

X, Y = TABLES["many rows"]
DIRECTIONS = {"a": 1}


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (
            GradientBoostClassifier(GradientTreeOracle(categorical="partition"), max_leaf_nodes=7),
            "max_leaf_nodes: got 7, which has no effect with estimator=GradientTreeOracle(...): "
            "set it there",
        ),
        (
            GradientBoostClassifier(GradientTreeOracle(), monotonic_cst=DIRECTIONS),
            "monotonic_cst: got {'a': 1}, which has no effect with "
            "estimator=GradientTreeOracle(...): set it there",
        ),
        (
            GradientBoostRegressor(StumpOracle(), subsample=0.5),
            "subsample: got 0.5, which has no effect with estimator=StumpOracle(...): "
            "set estimator to None",
        ),
        (
            AdaBoostClassifier(LinearOracle(), max_bins=16),
            "max_bins: got 16, which has no effect with estimator=LinearOracle(...): "
            "leave it at 255",
        ),
        (
            AdaBoostClassifier(ResamplingOracle(TreeOracle(ccp_alpha=0.1))),
            "ccp_alpha: got 0.1, which has no effect with prune=None: "
            "set prune to 'cost_complexity'",
        ),
        (
            SAMMEClassifier(LabelTreeOracle(prune="cost_complexity", confidence=0.1)),
            "confidence: got 0.1, which has no effect with prune='cost_complexity': "
            "set prune to 'pessimistic'",
        ),
        (
            AdaBoostClassifier(StumpOracle(cuts_per_feature=4)),
            "cuts_per_feature: got 4, which has no effect with an algorithm that takes one "
            "hypothesis in a round: leave it at 1",
        ),
        (
            GradientBoostClassifier(n_iter_no_change=3),
            "n_iter_no_change: got 3, which has no effect with early_stopping=False: "
            "set early_stopping to True or 'auto'",
        ),
        (
            GradientBoostClassifier(scoring="accuracy"),
            "scoring: got 'accuracy', which has no effect with early_stopping=False and no "
            "eval_set: set early_stopping to True, or give an eval_set",
        ),
        (
            marginboost.LPBoostClassifier(nu=0.2, C=3.0),
            "nu: got 0.2, which has no effect with C=3.0: set C to None or nu to None",
        ),
        (
            marginboost.LPBoostRegressor(C_scale="regularizer"),
            "C_scale: got 'regularizer', which has no effect with C=None: set C too",
        ),
        (
            marginboost.LeveragingClassifier(columns=3),
            "columns: got 3, which has no effect with selection='edge': "
            "set selection to 'improvement' or correction to 'newton', 'sweeps' or 'parallel'",
        ),
        (
            LSBoostRegressor(TreeOracle(), version=1),
            "version: got 1, which has no effect with estimator=TreeOracle(...): leave it at 2",
        ),
        (
            RobustBoostClassifier(model="committee", solver="interior"),
            "solver: got 'interior', which has no effect with model='committee': "
            "set model to 'auto' or 'soft-margin'",
        ),
        (
            MulticlassBooster(RobustBoostClassifier(model="committee")),
            "model: got 'committee' with a code of several classes, expected 'auto' or "
            "'soft-margin': a committee knows all classes at once",
        ),
        (
            AdaBoostClassifier(FiniteOracle(delta=0.5)),
            "delta: got 0.5, which has no effect with selection='best': set selection to 'delta'",
        ),
    ],
    ids=lambda given: given.partition(":")[0] if isinstance(given, str) else "",
)
def test_what_has_no_effect_is_refused_and_the_way_out_named(model, message):
    rows = np.sign(X) if isinstance(getattr(model, "estimator", None), FiniteOracle) else X
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        model.fit(rows, Y)


def test_an_effect_in_an_eval_set_is_one():
    pair = (X[:50], Y[:50])
    watched = GradientBoostClassifier(scoring="accuracy", n_estimators=3).fit(X, Y, eval_set=pair)
    assert len(watched.validation_score_) == 3
    with pytest.raises(ValueError, match=r"validation_fraction: got 0\.3, .* with an eval_set"):
        GradientBoostClassifier(early_stopping=True, validation_fraction=0.3).fit(
            X, Y, eval_set=pair
        )


def test_hypotheses_worse_than_guessing_come_from_classes_that_are_not_closed():
    settings = {"variant": "naive", "n_estimators": 5}
    signs, labels = np.sign(X[:40]), Y[:40]
    learner = FiniteOracle(selection="cyclic")
    plain, signed = (
        PBoostClassifier(learner, signed=signed, **settings).fit(signs, labels)
        for signed in (False, True)
    )
    assert len(plain.estimators_) < len(signed.estimators_)
    with pytest.raises(ValueError, match="signed: got True, which has no effect with estimator="):
        PBoostClassifier(FiniteOracle(closed=True), signed=True, **settings).fit(signs, labels)


def test_settings_without_effect_on_rows_in_parts():
    with pytest.raises(TypeError, match="scoring: got 'accuracy', expected 'loss' on rows in"):
        algorithm_for_parts(GradientBoostClassifier(scoring="accuracy"))
    with pytest.raises(ValueError, match=r"subsample: got 0\.5, which has no effect"):
        algorithm_for_parts(GradientBoostClassifier(GradientTreeOracle(), subsample=0.5))


def test_a_model_file_may_hold_a_setting_without_effect(tmp_path):
    """Files of earlier releases do; the next fit says so."""
    model = GradientBoostClassifier(GradientTreeOracle(), n_estimators=3).fit(X, Y)
    model.max_leaf_nodes = 7
    model.save(tmp_path / "model.json")
    loaded = load_model(tmp_path / "model.json", GradientBoostClassifier.__registry__)
    assert (loaded.predict(X) == model.predict(X)).all()
    with pytest.raises(ValueError, match="max_leaf_nodes: got 7"):
        loaded.fit(X, Y)


def test_a_grid_that_leaves_out_such_pairs_can_be_searched():
    """Constructing, cloning and setting parameters raise nothing: only a fit does."""
    model = clone(GradientBoostClassifier(n_iter_no_change=3)).set_params(early_stopping=True)
    grid = [{"early_stopping": [False]}, {"early_stopping": [True], "n_iter_no_change": [2, 3]}]
    search = GridSearchCV(GradientBoostClassifier(n_estimators=4), grid, cv=2, error_score="raise")
    assert len(search.fit(X, Y).cv_results_["params"]) == 3
    assert model.fit(X, Y).n_iter_no_change == 3
