"""The model that a fit leaves says all that its estimator says, and fits leave nothing else."""

import copy
import pickle
from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import clone

from marginboost import (
    AdaBoostClassifier,
    AdaBoostM1Classifier,
    AdaBoostRegClassifier,
    BarrierBoostClassifierCV,
    GradientBoostRegressor,
    LPBoostClassifier,
    LPBoostClassifierCV,
    MulticlassBooster,
    SAMMEClassifier,
    SoftmaxBoostClassifier,
)
from marginboost.model import BinaryModel, ClassModel, LabelModel, ReducedModel, RegressionModel

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
SCORE = X[:, 0] + 0.5 * X[:, 1] + 0.3 * RNG.normal(size=60)
TWO = SCORE > 0
THREE = np.array(["a", "b", "c"])[(SCORE > -0.4).astype(int) + (SCORE > 0.4)]

MODELS = [
    (AdaBoostClassifier(n_estimators=5), TWO, BinaryModel),
    (AdaBoostClassifier(n_estimators=5), THREE, ReducedModel),
    (SAMMEClassifier(n_estimators=5), TWO, LabelModel),
    (SAMMEClassifier(n_estimators=5), THREE, LabelModel),
    (MulticlassBooster(AdaBoostClassifier(n_estimators=5), code="all-pairs"), THREE, ReducedModel),
    (GradientBoostRegressor(n_estimators=5), SCORE, RegressionModel),
]


@pytest.mark.parametrize(("estimator", "y", "kind"), MODELS)
def test_the_model_alone_says_what_the_estimator_says(estimator, y, kind):
    fitted = clone(estimator).fit(X, y)
    model = pickle.loads(pickle.dumps(fitted.model_))
    assert type(model) is kind
    rows = model.read_rows(X)
    np.testing.assert_array_equal(model.importances(), fitted.feature_importances_)
    if not isinstance(model, ClassModel):
        np.testing.assert_array_equal(model.scores(rows), fitted.predict(X))
        return
    votes = model.votes(rows)
    np.testing.assert_array_equal(votes, fitted.decision_function(X))
    np.testing.assert_array_equal(model.labels(votes), fitted.predict(X))
    np.testing.assert_array_equal(model.probabilities(rows), fitted.predict_proba(X))
    index = np.searchsorted(model.classes, y)
    np.testing.assert_array_equal(model.margins(rows, index), fitted.margins(X, y))
    *_, last = model.staged_votes(rows)
    np.testing.assert_allclose(last, votes, atol=1e-12)
    with pytest.raises(ValueError, match=r"X has 2 features, but .* is expecting 3 features"):
        model.read_rows(X[:, :2])


@pytest.mark.parametrize(("estimator", "y", "kind"), MODELS)
def test_settings_changed_after_a_fit_do_not_change_predictions(estimator, y, kind):
    fitted = clone(estimator).fit(X, y)
    before = fitted.predict(X)
    name = "estimator__n_estimators" if isinstance(fitted, MulticlassBooster) else "n_estimators"
    fitted.set_params(**{name: 1})
    np.testing.assert_array_equal(fitted.predict(X), before)
    assert not hasattr(clone(fitted), "model_")


# -- a fit asks once -------------------------------------------------------------------------------


def counted(kind):
    """Subclass that counts what it is asked for; problems of two classes count with it."""
    calls = {"rule": 0, "oracle": 0}

    def _algorithm(self):
        calls["oracle"] += 1
        algorithm = kind._algorithm(self)

        def rule(problem, chosen):
            calls["rule"] += 1
            return algorithm.rule(problem, chosen)

        return replace(algorithm, rule=rule)

    parts = {"__module__": "_counted", "_algorithm": _algorithm}
    return type(kind.__name__, (kind,), parts), calls  # modules like _counted are not registered


@pytest.mark.parametrize(
    ("kind", "settings", "y", "rules"),
    [
        (LPBoostClassifier, {}, TWO, 2),
        (LPBoostClassifier, {}, THREE, 6),
        (LPBoostClassifierCV, {"nus": [0.3, 0.6], "cv": 2}, TWO, 2),
        (BarrierBoostClassifierCV, {"Cs": [0.01, 0.1], "cv": 2}, TWO, 2),
        (AdaBoostRegClassifier, {"n_estimators": 5}, TWO, 2),
        (SAMMEClassifier, {"n_estimators": 5}, THREE, 1),
        (GradientBoostRegressor, {"n_estimators": 5}, SCORE, 1),
    ],
)
@pytest.mark.filterwarnings("ignore:nu=:UserWarning")
def test_rules_are_made_once_per_run_and_base_learners_once_per_fit(kind, settings, y, rules):
    """Where votes are compared with labels there is a second, smaller run of every problem."""
    made, calls = counted(kind)
    made(**settings).fit(X, y)
    assert calls == {"rule": rules, "oracle": 1}


class Unread:
    """Rows that nobody may look at."""

    def __getattr__(self, name):
        raise AssertionError(f"rows were read: {name}")


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (LPBoostClassifier(nu=7), "nu: got 7"),
        (LPBoostClassifierCV(nus=[7]), "nus: got 7"),
        (AdaBoostClassifier(sampling="never"), "sampling: got 'never'"),
        (AdaBoostClassifier(estimator=3), "estimator: got 3"),
        (GradientBoostRegressor(loss="none"), "loss: got 'none'"),
        (SoftmaxBoostClassifier(max_leaf_nodes=0), "max_leaf_nodes"),
        (AdaBoostM1Classifier(learning_rate=-1), "learning_rate: got -1"),
        (MulticlassBooster(code="none"), "code: got 'none'"),
    ],
)
def test_bad_settings_fail_before_rows_are_read(estimator, message):
    with pytest.raises((TypeError, ValueError), match=message):
        estimator.fit(Unread(), [0, 1])


# -- fits one after the other ----------------------------------------------------------------------


def test_a_fit_forgets_the_one_before():
    model = LPBoostClassifierCV(nus=[0.3, 0.6], cv=2)
    assert model.fit(X, TWO).nu_ in (0.3, 0.6)
    assert not hasattr(model, "problems_")
    model.fit(X, THREE)
    assert not hasattr(model, "nu_")  # each problem has its own
    assert [problem.nu_ in (0.3, 0.6) for problem in model.problems_] == [True] * 3
    assert not hasattr(model, "ensemble_")
    model.fit(X, TWO)
    assert not hasattr(model, "problems_")
    assert not hasattr(model, "code_")


def test_a_booster_survives_being_cloned():
    """Code and decoding are settings of the booster and of nothing else."""
    booster = MulticlassBooster(AdaBoostClassifier(n_estimators=5), code="all-pairs")
    booster.set_params(decoding="hamming").fit(X, THREE)
    for again in (clone(booster), clone(clone(booster)), copy.deepcopy(booster)):
        assert again.get_params()["code"] == "all-pairs"
        again.fit(X, THREE)
        np.testing.assert_array_equal(again.decision_function(X), booster.decision_function(X))
    model = booster.model_
    assert (model.decoding, model.code.shape) == ("hamming", (3, 3))
    plain = clone(booster.estimator_).fit(X, THREE)
    assert plain.model_.decoding == "auto"  # the algorithm's own way
    assert booster.fit(X, TWO).model_.classes.tolist() == [False, True]
    assert not hasattr(booster, "problems_")


@pytest.mark.parametrize("learning_rate", [1e-9, 1.0])
def test_importances_are_shares_however_small_the_steps(learning_rate):
    X, y = np.arange(8.0)[:, None] * [0.0, 1.0], np.array([0, 0, 0, 1, 0, 1, 1, 1])
    model = AdaBoostClassifier(n_estimators=1, learning_rate=learning_rate)
    assert not hasattr(model, "intercept_")
    assert not hasattr(model, "feature_importances_")
    assert model.fit(X, y).feature_importances_.tolist() == [0.0, 1.0]
    assert model.intercept_ == 0.0


def test_only_several_problems_have_a_code():
    X, y = np.arange(9.0)[:, None], np.repeat([0, 1, 2], 3)
    three = AdaBoostClassifier(n_estimators=1).fit(X, y)
    np.testing.assert_array_equal(three.code_, 2 * np.eye(3, dtype=int) - 1)
    two = AdaBoostClassifier(n_estimators=1).fit(X[:6], y[:6])
    with pytest.raises(AttributeError, match="solves one problem, without a code"):
        _ = two.code_


def test_every_problem_has_the_same_share_in_the_importances():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = np.where(X[:, 0] > 0.8, 2, (X[:, 1] + 0.5 * rng.normal(size=60) > 0).astype(int))
    model = AdaBoostClassifier(n_estimators=3, learning_rate=1e-3).fit(X, y)
    each = [problem.feature_importances_ for problem in model.problems_]
    assert np.ptp([np.abs(p.estimator_weights_).sum() for p in model.problems_]) > 0.0
    np.testing.assert_allclose(model.feature_importances_, np.mean(each, axis=0), rtol=1e-12)
