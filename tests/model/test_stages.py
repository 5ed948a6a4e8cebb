"""The last stage of a model is the model: the same votes and probabilities, bit for bit."""

import numpy as np
import pytest

from fitted_models import quick, set_ensemble
from marginboost import GradientBoostClassifier, GradientBoostRegressor, MulticlassBooster
from marginboost.core.ensemble import Ensemble
from marginboost.data import Table
from marginboost.estimators.classifier import BaseMarginClassifier
from marginboost.estimators.labels import LabelClassifier
from marginboost.estimators.regressor import BaseBoostRegressor
from marginboost.oracles import LinearOracle, StumpOracle, TreeOracle

CLASSIFIERS = sorted(
    name
    for name, kind in BaseMarginClassifier.__registry__.items()
    if kind.__module__.startswith("marginboost.")
)
REGRESSORS = sorted(
    name
    for name, kind in BaseBoostRegressor.__registry__.items()
    if kind.__module__.startswith("marginboost.")
)


def table(seed=0, n_rows=150, n_classes=2):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 4))
    score = X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * rng.normal(size=n_rows)
    X[rng.random(X.shape) < 0.05] = np.nan
    ends = np.quantile(score, np.arange(1, n_classes) / n_classes)
    return X, np.digitize(score, ends), score


def assert_last_stage_is_the_model(model, X):
    *_, votes = model.staged_decision_function(X)
    *_, chances = model.staged_predict_proba(X)
    *_, labels = model.staged_predict(X)
    assert votes.tobytes() == model.decision_function(X).tobytes()
    assert chances.tobytes() == model.predict_proba(X).tobytes()
    assert labels.tobytes() == model.predict(X).tobytes()


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_classifiers(name, n_classes):
    X, y, _ = table(n_classes=n_classes)
    assert_last_stage_is_the_model(quick(name, n_estimators=15).fit(X, y), X)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("name", sorted(LabelClassifier.__registry__))
def test_classifiers_that_answer_for_all_classes(name, n_classes):
    X, y, _ = table(n_classes=n_classes)
    assert_last_stage_is_the_model(LabelClassifier.__registry__[name](n_estimators=15).fit(X, y), X)


@pytest.mark.parametrize("code", ["all-pairs", "error-correcting"])
def test_codes_of_several_classes(code):
    X, y, _ = table(n_classes=4)
    booster = MulticlassBooster(quick("LPBoostClassifier", n_estimators=15), code=code)
    assert_last_stage_is_the_model(booster.fit(X, y), X)


@pytest.mark.parametrize("name", REGRESSORS)
def test_regressors(name):
    X, _, score = table()
    model = BaseBoostRegressor.__registry__[name](n_estimators=15).fit(X, np.abs(score))
    *_, last = model.staged_predict(X)
    assert last.tobytes() == model.predict(X).tobytes()


def test_several_targets():
    X, _, score = table()
    model = GradientBoostRegressor(StumpOracle(), n_estimators=15, loss="squared")
    model.fit(X, np.column_stack([score, score**2]))
    *_, last = model.staged_predict(X)
    assert last.tobytes() == model.predict(X).tobytes()


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize(
    "oracle",
    [
        StumpOracle(),
        TreeOracle(max_depth=3),
        LinearOracle(),
    ],
    ids=lambda oracle: type(oracle).__name__,
)
def test_base_learners(oracle, seed):
    X, y, _ = table(seed)
    model = quick("AdaBoostClassifier", estimator=oracle, n_estimators=60).fit(X, y)
    assert_last_stage_is_the_model(model, table(seed + 1)[0])


def test_hypotheses_of_several_kinds():
    X, y, _ = table()
    model = quick("AdaBoostClassifier", n_estimators=10).fit(X, y)
    trees = quick("AdaBoostClassifier", estimator=TreeOracle(max_depth=2)).fit(X, y)
    members = [*trees.estimators_[:3], *model.estimators_, *trees.estimators_[3:6]]
    set_ensemble(model, members, np.linspace(0.1, 0.9, len(members)))
    assert_last_stage_is_the_model(model, X)


def test_stages_before_the_last_one():
    X, y, _ = table()
    model = GradientBoostClassifier(StumpOracle(), n_estimators=9).fit(X, y)
    ensemble, rows = model.model_.ensemble, Table(X, ["a", "b", "c", "d"])
    stages = list(ensemble.staged_scores(rows))
    assert len(stages) == len(ensemble) == 9
    for k, stage in enumerate(stages, 1):
        first = Ensemble(ensemble.members[:k], ensemble.coef[:k])
        np.testing.assert_allclose(stage, first.scores(rows), rtol=1e-12, atol=1e-14)
        assert ensemble.l1_norms[k - 1] == pytest.approx(first.l1_norm, rel=1e-14)
    assert ensemble.l1_norms[-1] == ensemble.l1_norm
    assert not len(Ensemble((), np.empty(0)).l1_norms)
    assert not list(Ensemble((), np.empty(0)).staged_scores(rows))
