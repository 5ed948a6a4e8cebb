"""Several targets at once: each has the model that it would have alone."""

import json
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import r2_score

from marginboost import (
    Checkpoint,
    EarlyStopping,
    GradientBoostRegressor,
    ModelFileError,
    load,
)
from marginboost.estimators.base import objective_of

SMALL = {"n_estimators": 12, "max_leaf_nodes": 6, "min_samples_leaf": 3, "learning_rate": 0.3}
SCHEMA = Path(__file__).parents[2] / "docs" / "model-file.schema.json"


def rows(n=150):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 4))
    y = np.column_stack([X[:, 0], X[:, 1] * X[:, 2], 100 + 20 * np.abs(X[:, 3])])
    return X, y + rng.normal(size=y.shape) * [0.3, 0.3, 5.0]


@pytest.mark.parametrize("loss", ["squared", "huber"])
def test_each_target_has_the_model_it_has_alone(loss):
    X, y = rows()
    w = np.random.default_rng(1).integers(0, 3, len(y))  # some rows are left out
    model = GradientBoostRegressor(loss=loss, subsample=0.8, **SMALL).fit(X, y, w)
    assert model.predict(X).shape == y.shape
    for k in range(3):
        alone = GradientBoostRegressor(loss=loss, subsample=0.8, **SMALL).fit(X, y[:, k], w)
        np.testing.assert_array_equal(model.predict(X)[:, k], alone.predict(X))
        np.testing.assert_array_equal(model.dual_[:, k], alone.dual_)
        assert model.estimators_[k] == alone.estimators_
        assert model.problems_[k].spread_ == alone.spread_
    assert model.score(X, y) == pytest.approx(r2_score(y, model.predict(X)))
    stages = list(model.staged_predict(X))
    np.testing.assert_array_equal(stages[-1], model.predict(X))
    assert list(model.staged_score(X, y))[-1] == model.score(X, y)
    assert model.feature_importances_.sum() == pytest.approx(1.0)
    assert objective_of(model).name == "training loss"


def test_each_target_stops_by_itself():
    X, y = rows()
    noise = np.random.default_rng(2).normal(size=len(y))
    y = np.column_stack([y, noise])
    settings = {**SMALL, "n_estimators": 100, "early_stopping": True, "n_iter_no_change": 3}
    model = GradientBoostRegressor(**settings).fit(X, y)
    assert model.best_iteration_[3] < model.best_iteration_[0]
    assert [len(scores) for scores in model.validation_score_] == [len(h) for h in model.history_]
    given = GradientBoostRegressor(**settings).fit(X[:100], y[:100], eval_set=(X[100:], y[100:]))
    alone = GradientBoostRegressor(**settings).fit(
        X[:100], y[:100, 1], eval_set=(X[100:], y[100:, 1])
    )
    np.testing.assert_array_equal(given.validation_score_[1], alone.validation_score_)
    watched = GradientBoostRegressor(
        **{**SMALL, "n_estimators": 100}, callbacks=[EarlyStopping(X[100:], y[100:], 3)]
    ).fit(X[:100], y[:100])
    assert watched.best_iteration_[3] < 100


def test_going_on_is_one_fit():
    X, y = rows()
    whole = GradientBoostRegressor(**SMALL).fit(X, y)
    first = GradientBoostRegressor(**{**SMALL, "n_estimators": 5}).fit(X, y)
    second = GradientBoostRegressor(**{**SMALL, "n_estimators": 7}).fit(X, y, init_model=first)
    np.testing.assert_array_equal(second.predict(X), whole.predict(X))
    with pytest.raises(ValueError, match="y: got 1 targets, expected 3"):
        GradientBoostRegressor(**SMALL).fit(X, y[:, 0], init_model=first)


def test_files_and_graphs_predict_the_same(tmp_path):
    X, y = rows()
    model = GradientBoostRegressor(**SMALL, monotonic_cst={"x0": 1}).fit(X, y)
    file = tmp_path / "model.json"
    model.save(file)
    loaded = load(file)
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    assert len(loaded.problems_) == 3
    assert loaded.problems_[1].spread_ == model.problems_[1].spread_
    document = json.loads(file.read_text())
    for wrong in (document["problems"][:1], [], {}, [{}, {}], [document["problems"][0], 3]):
        file.write_text(json.dumps({**document, "problems": wrong}))
        with pytest.raises(ModelFileError, match="problems"):
            load(file)
    file.write_text(json.dumps({**document, "estimator": "L2BoostRegressor", "params": {}}))
    with pytest.raises(ModelFileError, match="L2BoostRegressor has one target"):
        load(file)
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.validate(document, json.loads(SCHEMA.read_text()))


def test_graphs_have_a_column_per_target():
    runtime = pytest.importorskip("onnxruntime")
    X, y = rows()
    model = GradientBoostRegressor(**SMALL).fit(X, y)
    session = runtime.InferenceSession(model.to_onnx().SerializeToString())
    np.testing.assert_array_equal(session.run(None, {"X": X})[0], model.predict(X))
    shared = model.shap_values(X[:5], X)
    np.testing.assert_allclose(
        shared.values.sum(axis=1) + shared.base, model.predict(X[:5]), rtol=1e-9
    )


def test_bad_targets_are_told(tmp_path):
    X, y = rows()
    wrong = y.copy()
    wrong[7, 1] = np.nan
    with pytest.raises(ValueError, match="y: row 7 has no finite target"):
        GradientBoostRegressor(**SMALL).fit(X, wrong)
    with pytest.raises(ValueError, match="y: got 149 rows of targets for 150 rows of X"):
        GradientBoostRegressor(**SMALL).fit(X, y[:-1])
    with pytest.raises(ValueError, match="callbacks: got a Checkpoint, which keeps one run"):
        GradientBoostRegressor(callbacks=[Checkpoint(tmp_path / "run.json")]).fit(X, y)
