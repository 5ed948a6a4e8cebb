"""A cascade of stages: rates are products, predictions stop early (CH-M13)."""

import json
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification
from sklearn.utils.estimator_checks import parametrize_with_checks

from marginboost import (
    AdaBoostClassifier,
    CascadeBooster,
    LPBoostClassifier,
    ModelFileError,
    StumpOracle,
    TreeOracle,
    load,
)
from marginboost.algorithms._cascade_stages import set_threshold
from marginboost.cli.main import main


def rare(seed=0, n=1500):
    X, y = make_classification(
        n, 8, weights=[0.9], flip_y=0.0, class_sep=1.5, random_state=seed, shuffle=True
    )
    return X, y


@pytest.fixture(scope="module")
def fitted():
    X, y = rare()
    return X, y, CascadeBooster(validation_fraction=None).fit(X, y)


def test_rates_are_products_of_those_of_the_stages(fitted):
    X, y, model = fitted
    passed, k = model.predict(X) == 1, len(model.stages_)
    assert k >= 3
    assert passed[y == 1].mean() == pytest.approx(model.detection_rate_, abs=1e-12)
    assert passed[y == 0].mean() == pytest.approx(model.false_positive_rate_, abs=1e-12)
    assert model.detection_rate_ >= 0.99**k
    met = [stage.false_positive_rate <= 0.5 for stage in model.stages_]
    assert all(met[:-1])
    assert model.false_positive_rate_ <= 0.5 ** sum(met)
    assert met[-1] or len(model.stages_) < model.n_stages


def test_predictions_stop_at_the_first_stage_that_rejects(fitted):
    X, y, model = fitted
    rows = model.stages_[0].classifier.__read_rows__(X)
    leads = np.array([stage.lead(rows) for stage in model.stages_]) > 0.0
    np.testing.assert_array_equal(model.predict(X) == 1, leads.all(axis=0))
    sizes = np.array([stage.size for stage in model.stages_])
    before = np.vstack([np.ones(len(X), bool), np.logical_and.accumulate(leads)[:-1]])
    counts = model.count_evaluations(X)
    np.testing.assert_array_equal(counts, sizes @ before)
    assert counts[y == 0].mean() < 0.5 * sizes.sum() < counts[y == 1].mean()
    decision, first = model.decision_function(X), np.argmin(leads, axis=0)
    rejected = ~leads.all(axis=0)
    assert (decision[rejected] <= 0.0).all()
    late = first[rejected] == first[rejected].max()
    assert decision[rejected][late].min() > decision[rejected][~late].max()


def test_a_stage_has_no_more_hypotheses_than_it_needs(fitted):
    X, y, model = fitted
    first = model.stages_[0]
    weights = np.ones(len(y))
    for stage, votes in enumerate(first.classifier.staged_decision_function(X), start=1):
        rate = set_threshold(votes, y == 1, weights, 0.99)[2]
        assert (rate <= 0.5) == (stage == first.size)


def test_weights_are_copies():
    X, y = rare(1, 400)
    times = np.random.default_rng(0).integers(1, 4, len(y))
    one, other = (CascadeBooster(validation_fraction=None) for _ in range(2))
    one.fit(X, y, times)
    other.fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    assert [s.size for s in one.stages_] == [s.size for s in other.stages_]
    np.testing.assert_array_equal(one.predict(X), other.predict(X))
    assert one.false_positive_rate_ == pytest.approx(other.false_positive_rate_)


def test_rates_are_those_of_rows_that_were_not_learnt_from():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(600, 5)), rng.random(600) < 0.3  # nothing to learn
    goals = {"min_detection_rate": 0.9, "max_false_positive_rate": 0.6, "n_stages": 1}
    trees = AdaBoostClassifier(TreeOracle(max_depth=6), n_estimators=30)
    honest = CascadeBooster(trees, **goals).fit(X, y)
    fooled = CascadeBooster(trees, validation_fraction=None, **goals).fit(X, y)
    assert fooled.false_positive_rate_ < 0.6 < honest.false_positive_rate_


@pytest.mark.parametrize(
    "learner", [LPBoostClassifier(n_estimators=30, class_weight="balanced"), None], ids=str
)
def test_any_algorithm_labels_of_text_and_missing_values(learner):
    X, y = rare(2, 400)
    X[::7, 0] = np.nan
    names = np.where(y == 1, "rare", "common")
    model = CascadeBooster(learner, min_detection_rate=0.95).fit(X, names)
    assert model.classes_.tolist() == ["common", "rare"]
    found = model.predict(X) == "rare"
    assert found[y == 1].mean() > 0.8 > 0.6 > found[y == 0].mean()
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))


# -- files ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """A cascade of text labels and the document of its file."""
    X, y = rare(2, 400)
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(8)])
    learner = LPBoostClassifier(TreeOracle(max_depth=2), n_estimators=30, class_weight="balanced")
    model = CascadeBooster(learner, n_stages=3).fit(frame, np.where(y == 1, "rare", "common"))
    path = tmp_path_factory.mktemp("cascade") / "model.json"
    model.save(path)
    return frame, model, path


def test_a_file_holds_all_stages(saved, tmp_path):
    frame, model, path = saved
    again = load(path)
    assert again.get_params()["n_stages"] == 3
    assert again.classes_.tolist() == ["common", "rare"]
    assert again.feature_names_in_.tolist() == list(frame)
    np.testing.assert_array_equal(again.decision_function(frame), model.decision_function(frame))
    np.testing.assert_array_equal(again.predict(frame), model.predict(frame))
    np.testing.assert_array_equal(again.count_evaluations(frame), model.count_evaluations(frame))
    assert again.false_positive_rate_ == model.false_positive_rate_
    again.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == path.read_bytes()
    again.set_params(n_stages=1).fit(frame, model.predict(frame))
    assert len(again.stages_) == 1
    with pytest.raises(AttributeError, match="not fitted yet"):
        CascadeBooster().model_  # noqa: B018 - it is asked for


DAMAGED = {
    "stages: got a list of 0|at least one stage": lambda d: d.update(stages=[]),
    "threshold": lambda d: d["stages"][0].update(threshold="Infinity"),
    "a share in": lambda d: d["stages"][0].update(detection_rate=1.5),
    "false_positive_rate": lambda d: d["stages"][0].pop("false_positive_rate"),
    "two distinct classes": lambda d: d["classes"]["values"].append("other"),
    "estimator": lambda d: d.update(estimator="AdaBoostClassifier"),
    "version": lambda d: d.update(version=6),
    "classifier": lambda d: d["params"]["estimator"].update(classifier="CascadeBooster"),
    "n_stages": lambda d: d["params"].update(n_stages=0),
    "feature 99": lambda d: d["stages"][1]["ensemble"]["members"][0]["feature"].__setitem__(0, 99),
}


@pytest.mark.parametrize("message", DAMAGED)
def test_damaged_files_are_refused(saved, tmp_path, message):
    document = json.loads(saved[2].read_text())
    DAMAGED[message](document)
    path = tmp_path / "model.json"
    path.write_text(json.dumps(document))
    with pytest.raises(ModelFileError, match=message):
        load(path)


def test_other_classes_are_no_cascades(saved, tmp_path):
    X, y = rare(0, 100)
    path = tmp_path / "model.json"
    AdaBoostClassifier(n_estimators=2).fit(X, y).save(path)
    document = json.loads(path.read_text()) | {"estimator": "CascadeBooster"}
    path.write_text(json.dumps(document))
    with pytest.raises(ModelFileError, match="estimator: got 'CascadeBooster'"):
        load(path)


def test_the_command_line_says_that_it_knows_votes_only(saved, capsys):
    assert main(["info", str(saved[2])]) != 0
    assert "is a cascade" in capsys.readouterr().err


# -- settings ------------------------------------------------------------------------------------


def test_bad_settings_are_refused():
    X, y = rare(0, 100)
    for name, value in {
        "n_stages": 0,
        "min_detection_rate": 1.5,
        "max_false_positive_rate": 0.0,
        "target_false_positive_rate": 1.0,
        "validation_fraction": 1.0,
    }.items():
        with pytest.raises(ValueError, match=f"{name}: got"):
            CascadeBooster(**{name: value}).fit(X, y)
    with pytest.raises(TypeError, match="estimator: got"):
        CascadeBooster(StumpOracle()).fit(X, y)
    with pytest.raises(ValueError, match="Only binary"):
        CascadeBooster().fit(X, np.arange(100) % 3)
    assert CascadeBooster().fit(X[:2], [0, 1]).predict(X[:2]).tolist() in ([0, 1], [1, 1])


@parametrize_with_checks([CascadeBooster()])
def test_scikit_learn_checks(estimator, check):
    check(estimator)
