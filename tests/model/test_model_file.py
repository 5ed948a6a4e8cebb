"""Model files: the same model comes back, and a bad file does nothing but raise ModelFileError."""

from __future__ import annotations

import copy
import gzip
import json
import math
import os
import pickle
import stat
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier

import marginboost
from fitted_models import change_run, quick
from marginboost.algorithms import (
    AdaBoostClassifier,
    GradientBoostClassifier,
    LPBoostClassifierCV,
)
from marginboost.algorithms.cascade import CascadeBooster
from marginboost.algorithms.multiclass import MulticlassBooster, saved_classes
from marginboost.core import Hypothesis
from marginboost.core.callbacks import Callback
from marginboost.core.history import FIELDS, History
from marginboost.core.stop import Stop
from marginboost.data import Table
from marginboost.diagnostics import GapDisplay
from marginboost.estimators.base import check_on
from marginboost.estimators.classifier import BaseMarginClassifier
from marginboost.losses import Huber, Loss
from marginboost.model.fields import ModelFileError
from marginboost.model.file import document_of, load_model, read_document, save_model
from marginboost.model.reader import model_from_document
from marginboost.model.settings import ORACLES
from marginboost.on_demand import import_all
from marginboost.oracles import (
    FiniteOracle,
    GradientTreeOracle,
    LabelTreeOracle,
    LinearOracle,
    PooledOracle,
    ResamplingOracle,
    SklearnOracle,
    StumpOracle,
)
from marginboost.oracles.trees import TreeOracle

REGISTRY = BaseMarginClassifier.__registry__
OWN = sorted(name for name, cls in REGISTRY.items() if cls.__module__.startswith("marginboost."))
SCHEMA = Path(__file__).parents[2] / "docs" / "model-file.schema.json"


def numbers(n_rows: int = 200) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, 4))
    y = np.where(X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * rng.normal(size=n_rows) > 0, 1, 0)
    X[rng.random(X.shape) < 0.1] = np.nan
    return X, y


def frame(n_rows: int = 200) -> tuple[Any, Any]:
    rng = np.random.default_rng(1)
    X = pd.DataFrame(
        {
            "length": rng.normal(size=n_rows),
            "colour": pd.Categorical(rng.choice(["blå", "red", "green"], n_rows)),
            "size": pd.Categorical(rng.choice([1, 5, 7], n_rows)),
            "share": pd.Categorical(rng.choice([0.1, 2.5], n_rows)),
            "sold": pd.Categorical(rng.choice([True, False], n_rows)),
        }
    )
    X.loc[::7, "length"] = np.nan
    X.loc[::5, "colour"] = None
    good = (X["colour"] == "red") ^ (X["length"] > 0) ^ (rng.random(n_rows) < 0.1)
    return X, np.where(good, "yes", "no")


def round_trip(model: Any, folder: Path, name: str = "model.json") -> Any:
    model.save(folder / name)
    return load_model(folder / name, REGISTRY)


def assert_same_model(left: Any, right: Any, X: Any) -> None:
    assert type(left) is type(right)
    for method in ("decision_function", "predict", "predict_proba", "predict_log_proba"):
        ours, theirs = getattr(left, method)(X), getattr(right, method)(X)
        assert ours.dtype == theirs.dtype
        assert np.array_equal(ours, theirs), method
    assert np.array_equal(left.feature_importances_, right.feature_importances_)
    assert left.estimators_ == right.estimators_
    assert np.array_equal(left.classes_, right.classes_)
    assert left.classes_.dtype == right.classes_.dtype
    for field in set(FIELDS) - {"seconds"}:
        assert np.array_equal(left.history_[field], right.history_[field], equal_nan=True), field
    assert np.isnan(right.history_["seconds"]).all()
    assert repr(left.certificate_) == repr(right.certificate_)
    names = ("stop_reason_", "certified_", "n_iter_", "n_features_in_", "intercept_")
    for name in (*names, *left.model_.chosen):
        assert getattr(left, name) == getattr(right, name)
        assert type(getattr(left, name)) is type(getattr(right, name))
    assert np.array_equal(left.estimator_errors_, right.estimator_errors_, equal_nan=True)
    assert hasattr(left, "feature_names_in_") == hasattr(right, "feature_names_in_")


@pytest.fixture(scope="module")
def fitted() -> Any:
    X, y = frame(120)
    return AdaBoostClassifier(n_estimators=6, tol=1e-9).fit(X, y)


@pytest.fixture(scope="module")
def document(fitted: Any) -> Any:
    """Document with stumps and a tree."""
    X, y = frame(120)
    grown = AdaBoostClassifier(TreeOracle(categorical="partition"), n_estimators=1).fit(X, y)
    mixed = json.loads(json.dumps(document_of(fitted)))
    mixed["ensemble"]["members"][5] = json.loads(json.dumps(grown.estimators_[0].to_dict()))
    return mixed


# -- the same model ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", OWN)
@pytest.mark.parametrize("data", [numbers, frame])
def test_every_classifier_comes_back(name: str, data: Any, tmp_path: Path) -> None:
    X, y = data()
    model = quick(name, n_estimators=8, random_state=3).fit(X, y)
    loaded = round_trip(model, tmp_path)
    assert_same_model(model, loaded, X)
    assert loaded.get_params() == model.get_params()
    assert not hasattr(loaded, "dual_")
    assert not hasattr(loaded, "margins_")
    again = clone(loaded).fit(X, y)
    assert np.array_equal(again.decision_function(X), model.decision_function(X))


def test_times_are_no_part_of_a_file(fitted: Any, document: Any, tmp_path: Path) -> None:
    X, y = frame(120)
    assert (fitted.history_["seconds"] > 0.0).all()
    assert "seconds" not in document["history"]
    again = clone(fitted).fit(X, y)
    for name, model in {"first": fitted, "second": again}.items():
        model.save(tmp_path / name)
    assert (tmp_path / "first").read_bytes() == (tmp_path / "second").read_bytes()
    loaded = marginboost.load(tmp_path / "first")
    with pytest.raises(ValueError, match="a loaded model has none"):
        GapDisplay.from_estimator(loaded, against="seconds")
    # Files of before have times: they are checked, and dropped.
    old = copy.deepcopy(document)
    old["history"]["seconds"] = [0.5] * old["n_iter"]
    loaded = model_from_document(old, BaseMarginClassifier.__registry__)
    assert np.isnan(loaded.history_["seconds"]).all()
    assert json.loads(json.dumps(document_of(loaded))) == document
    old["history"]["seconds"][0] = "soon"
    with pytest.raises(ModelFileError, match="seconds"):
        model_from_document(old, BaseMarginClassifier.__registry__)


def test_time_counts_on_from_a_loaded_model(tmp_path: Path) -> None:
    X, y = numbers()
    settings: dict[str, Any] = {"n_estimators": 8, "warm_start": True}
    loaded = round_trip(GradientBoostClassifier(**settings).fit(X, y), tmp_path)
    seconds = loaded.set_params(n_estimators=12).fit(X, y).history_["seconds"]
    assert np.isnan(seconds[:8]).all()
    assert (seconds[8:] > 0.0).all()


def test_explanation_comes_back(tmp_path: Path) -> None:
    X, y = frame()
    model = AdaBoostClassifier(n_estimators=15).fit(X, y)
    ours, theirs = model.explain(), round_trip(model, tmp_path).explain()
    assert ours.names == theirs.names
    assert ours.shapes.keys() == theirs.shapes.keys()
    assert np.array_equal(ours.contributions(X), theirs.contributions(X))
    assert ours.intercept == theirs.intercept
    assert ours.importance() == theirs.importance()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"feature": 9}, "a number below 5, each once"),
        ({"cuts": [2.0, 1.0], "shares": [0.25] * 4}, "expected ascending cuts"),
        ({"cuts": [1.0], "shares": [0.5, 0.5]}, "expected 3 shares"),
        ({"cuts": [], "shares": [1.5, -0.5]}, "of at least 0, with sum 1"),
        ({"cuts": [], "shares": [0.5, 0.2]}, "with sum 1"),
        ({"low": "low"}, "a number or one of NaN"),
    ],
)
def test_damaged_backgrounds_are_refused(tmp_path: Path, change: Any, message: str) -> None:
    X, y = frame()
    document = document_of(AdaBoostClassifier(n_estimators=5).fit(X, y))
    document["background"][0] |= change
    path = tmp_path / "model.json"
    path.write_text(json.dumps(document))
    with pytest.raises(ModelFileError, match=message):
        marginboost.load(path)


def test_files_without_a_background_are_read(tmp_path: Path) -> None:
    X, y = frame()
    document = document_of(AdaBoostClassifier(n_estimators=5).fit(X, y))
    del document["background"]
    path = tmp_path / "model.json"
    path.write_text(json.dumps(document))
    model = marginboost.load(path)
    explained = model.explain()
    assert explained.intercept == 0.0
    votes = explained.contributions(X).sum(axis=1)
    np.testing.assert_allclose(votes, model.decision_function(X), atol=1e-12)
    assert model.feature_importances_.sum() == pytest.approx(1.0)


def test_feature_names_are_still_checked(tmp_path: Path) -> None:
    X, y = frame()
    loaded = round_trip(AdaBoostClassifier(n_estimators=3).fit(X, y), tmp_path)
    with pytest.raises(ValueError, match="feature names"):
        loaded.predict(X.rename(columns={"length": "width"}))
    with pytest.warns(UserWarning, match="not seen in fit"):
        loaded.predict(X.assign(colour=pd.Categorical(["violet"] * len(X))))


@pytest.mark.parametrize(
    "labels",
    [
        np.array([-1, 1], dtype=np.int8),
        np.array([0, 2**64 - 1], dtype=np.uint64),
        np.array([-3.0, 1e15]),
        np.array([1.0, 2.0], dtype=np.float32),
        np.array([False, True]),
        np.array(["a", "ö😀"]),
        np.array(["a", "b"], dtype=object),
    ],
    ids=str,
)
def test_labels_keep_their_type(labels: Any, tmp_path: Path) -> None:
    X, y = numbers()
    model = AdaBoostClassifier(n_estimators=3).fit(X, labels[y])
    assert_same_model(model, round_trip(model, tmp_path), X)


@pytest.mark.parametrize(
    "oracle",
    [
        StumpOracle(categorical="partition"),
        PooledOracle(ResamplingOracle(StumpOracle("partition"))),
        TreeOracle(max_depth=3, criterion="Z", categorical="partition"),
        TreeOracle(max_leaf_nodes=5, criterion="gini", prune="cost_complexity"),
    ],
    ids=str,
)
def test_base_learners_come_back(oracle: Any, tmp_path: Path) -> None:
    X, y = frame()
    model = AdaBoostClassifier(oracle, n_estimators=5, random_state=1).fit(X, y)
    loaded = round_trip(model, tmp_path)
    assert_same_model(model, loaded, X)
    assert repr(loaded.estimator) == repr(oracle)
    assert repr(loaded.get_params()) == repr(model.get_params())


def test_columns_of_a_matrix_come_back(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X, y = np.sign(rng.normal(size=(40, 5))), rng.integers(2, size=40)
    model = AdaBoostClassifier(FiniteOracle(closed=True), n_estimators=4).fit(X, y)
    assert_same_model(model, round_trip(model, tmp_path), X)


def test_settings_that_are_not_data_become_none(tmp_path: Path) -> None:
    X, y = numbers()
    model = AdaBoostClassifier(
        n_estimators=np.int64(3),
        target_margin=(0.0, 0.1),
        categorical_features=np.array([3]),
        random_state=np.random.RandomState(0),
        callbacks=[Callback()],
    ).fit(np.round(X), y)
    loaded = round_trip(model, tmp_path)
    assert loaded.random_state is None
    assert loaded.callbacks is None
    assert loaded.n_estimators == 3
    assert loaded.target_margin == [0.0, 0.1]
    assert loaded.categorical_features == [3]


def test_non_finite_numbers_are_valid_json(fitted: Any, tmp_path: Path) -> None:
    model = copy.deepcopy(fitted)
    upper = [math.inf, -math.inf, math.nan, 1.0, 5e-324, -0.0]
    change_run(model, history=History({**fitted.history_.to_dict(), "upper": upper}))
    loaded = round_trip(model, tmp_path)
    json.loads((tmp_path / "model.json").read_text(), parse_constant=pytest.fail)
    assert str(loaded.history_.to_dict()["upper"]) == str(model.history_.to_dict()["upper"])


def test_compressed_files(fitted: Any, tmp_path: Path) -> None:
    X, _ = frame(120)
    loaded = round_trip(fitted, tmp_path, "model.json.gz")
    assert_same_model(fitted, loaded, X)
    first = (tmp_path / "model.json.gz").read_bytes()
    assert first[:2] == b"\x1f\x8b"
    fitted.save(str(tmp_path / "again.json.gz"))
    assert (tmp_path / "again.json.gz").read_bytes() == first


def test_an_old_file_without_a_setting_gets_the_default(document: Any) -> None:
    del document["params"]["learning_rate"]
    try:
        assert model_from_document(document, REGISTRY).learning_rate == 1.0
    finally:
        document["params"]["learning_rate"] = 1.0


# -- saving fails before it writes ---------------------------------------------------------------


@pytest.mark.parametrize(
    "wrap", [lambda e: e, SklearnOracle, lambda e: PooledOracle(SklearnOracle(e))]
)
def test_scikit_learn_base_learners_are_refused(wrap: Any, tmp_path: Path) -> None:
    X, y = numbers()
    model = AdaBoostClassifier(wrap(DecisionTreeClassifier(max_depth=1)), n_estimators=2)
    model.fit(np.nan_to_num(X), y)
    with pytest.raises(TypeError, match=r"params\.estimator.*joblib"):
        model.save(tmp_path / "model.json")
    assert list(tmp_path.iterdir()) == []


def test_categories_that_are_not_data_are_refused(tmp_path: Path) -> None:
    X = pd.DataFrame({"when": pd.cut(np.arange(40.0), 4)})
    model = AdaBoostClassifier(n_estimators=2).fit(X, np.arange(40) % 2)
    with pytest.raises(TypeError, match=r"'when'.*cannot be written"):
        model.save(tmp_path / "model.json")


def test_unknown_classes_and_oracles_are_refused(fitted: Any, tmp_path: Path) -> None:
    class Mine(StumpOracle):
        """An oracle that no file can name."""

    model = copy.deepcopy(fitted)
    model.estimator = Mine()
    with pytest.raises(TypeError, match="a Mine cannot be written"):
        model.save(tmp_path / "model.json")
    model.estimator = None
    model.n_jobs = 10**30
    with pytest.raises(TypeError, match=r"params\.n_jobs"):
        model.save(tmp_path / "model.json")
    from marginboost.algorithms._example import SmallStepsClassifier

    X, y = numbers()
    with pytest.raises(TypeError, match="SmallStepsClassifier is not a registered"):
        SmallStepsClassifier(n_estimators=2).fit(X, y).save(tmp_path / "model.json")


def test_unfitted_models_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="not fitted"):
        save_model(AdaBoostClassifier(), tmp_path / "model.json")


# -- all or nothing ------------------------------------------------------------------------------


def test_a_failed_write_leaves_the_old_file(
    fitted: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "model.json"
    path.write_text("old")

    def full(*_: Any) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="no space"):
        fitted.save(path)
    assert [file.name for file in tmp_path.iterdir()] == ["model.json"]
    assert path.read_text() == "old"


def test_links_and_permissions(fitted: Any, tmp_path: Path) -> None:
    link, path = tmp_path / "link.json", tmp_path / "model.json"
    path.write_text("old")
    link.symlink_to(path)
    fitted.save(link)
    assert link.is_symlink()
    load_model(path, REGISTRY)
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~umask


def test_a_missing_folder_is_an_ordinary_error(fitted: Any, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        fitted.save(tmp_path / "no" / "model.json")
    with pytest.raises(FileNotFoundError):
        load_model(tmp_path / "model.json", REGISTRY)


# -- bad files -----------------------------------------------------------------------------------

TEXTS = {
    "empty": "",
    "truncated": '{"format": "marginboost-model", "version": 1',
    "list": "[]",
    "number": "3",
    "nested": "[" * 100_000,
    "nested objects": '{"format":' * 100_000,
    "huge integer": '{"version": ' + "9" * 5000 + "}",
    "long integer": '{"version": 1' + "0" * 400 + "}",
    "huge float": '{"version": 1e999}',
    "NaN": '{"version": NaN}',
    "Infinity": '{"version": -Infinity}',
    "duplicate": '{"format": "marginboost-model", "format": "marginboost-model"}',
    "byte order mark": '\ufeff{"format": "marginboost-model"}',
    "two documents": "{} {}",
    "reduce": '{"__reduce__": ["os.system", ["echo"]]}',
    "other format": '{"format": "onnx", "version": 1}',
    "no version": '{"format": "marginboost-model"}',
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_bad_text(text: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ModelFileError, match=r"bad\.json: "):
        load_model(path, REGISTRY)


def test_bad_bytes(fitted: Any, tmp_path: Path) -> None:
    path = tmp_path / "bad.json.gz"
    fitted.save(path)
    whole = path.read_bytes()
    plain = gzip.decompress(whole)
    middle = len(whole) // 2
    broken = whole[:middle] + bytes([whole[middle] ^ 255]) + whole[middle + 1 :]
    for content in (whole[:-20], broken, whole + b"rest", b"\x1f\x8b", b"\xff\xfe{}", plain[:-1]):
        path.write_bytes(content)
        with pytest.raises(ModelFileError, match=r"bad\.json\.gz: "):
            load_model(path, REGISTRY)
    path.write_bytes(pickle.dumps({"format": "marginboost-model"}))
    with pytest.raises(ModelFileError, match="not UTF-8"):
        load_model(path, REGISTRY)


def test_size_is_bounded_after_decompression(tmp_path: Path) -> None:
    path = tmp_path / "bomb.json.gz"
    path.write_bytes(gzip.compress(b" " * 10_000_000))
    assert path.stat().st_size < 20_000
    with pytest.raises(ModelFileError, match="larger than 1000000 bytes"):
        load_model(path, REGISTRY, max_bytes=1_000_000)


def change(document: Any, place: str, value: Any) -> Any:
    """Copy of a document with one value changed; a place is keys and numbers with dots."""
    changed = copy.deepcopy(document)
    *parents, last = [int(key) if key.isdigit() else key for key in place.split(".")]
    inner = changed
    for key in parents:
        inner = inner[key]
    inner[last] = value
    return changed


WRONG = [
    ("version", 6, "newer release"),
    ("version", 0, "version"),
    ("version", True, "version"),
    ("library", 1, "library"),
    ("estimator", "Exception", "estimator: got 'Exception'"),
    ("estimator", "os.system", "estimator"),
    ("estimator", ["AdaBoostClassifier"], "estimator"),
    ("params.extra", 1, "'extra' is not one"),
    ("params.callbacks", ["os.system"], "callbacks"),
    ("params.estimator", "StumpOracle", r"params\.estimator"),
    ("params.estimator", {"oracle": "SklearnOracle", "params": {}}, r"params\.estimator\.oracle"),
    ("params.estimator", {"oracle": "PooledOracle", "params": {}}, "settings of PooledOracle"),
    ("params.estimator", {"oracle": "StumpOracle"}, "'params'"),
    ("params.estimator", {"oracle": "StumpOracle", "params": {"x": 1}}, "'x' is not one"),
    (
        "params.estimator",
        {"oracle": "PooledOracle", "params": {"oracle": None}},
        r"params\.estimator\.params\.oracle",
    ),
    ("params.tol", {"oracle": "StumpOracle", "params": {}}, r"params\.tol"),
    ("params.n_jobs", "many", "n_jobs"),
    ("params.n_jobs", 1.5, "n_jobs"),
    ("params.n_jobs", 0, "n_jobs"),
    ("params.learning_rate", -1, "learning_rate"),
    ("params.target_margin", [0.1, [0.2]], r"target_margin\[1\]"),
    ("params.sampling", {"a": 1}, r"params\.sampling"),
    ("classes.dtype", "O", r"classes\.dtype"),
    ("classes.dtype", "int8", r"classes\.values"),
    ("classes.values", ["no", "no"], "distinct"),
    ("classes.values", ["no", "yes", "maybe"], "two distinct classes"),
    ("classes.values", ["no"], "two distinct classes"),
    ("classes", {"dtype": "str", "values": ["a", "a\0"]}, "distinct values"),
    ("classes", {"dtype": "int8", "values": [0, 300]}, r"classes\.values"),
    ("classes", {"dtype": "float32", "values": [0, 1e300]}, "fit in float32"),
    ("classes", {"dtype": "int64", "values": [False, True]}, r"classes\.values"),
    ("features.names", [], "at least one feature"),
    ("features.names.0", 3, r"features\.names\[0\]"),
    ("features.had_names", 1, r"features\.had_names"),
    ("features.categories", [], "5 items"),
    ("features.categories.1.values", ["red", "red", "blå"], "distinct"),
    ("features.categories.1.values", ["red", None, "blå"], r"values\[1\]"),
    ("ensemble.members", {}, r"ensemble\.members"),
    ("ensemble.members.0", "stump", r"ensemble\.members\[0\]"),
    ("ensemble.members.0.kind", "Exception", r"ensemble\.members\[0\].*kind"),
    ("ensemble.members.0.feature", 5, "feature 5 of 5"),
    ("ensemble.members.0.feature", -1, r"ensemble\.members\[0\]"),
    ("ensemble.members.0.labels", [1, 2, 3], r"ensemble\.members\[0\]"),
    ("ensemble.members.0.threshold", "0", r"ensemble\.members\[0\]"),
    ("ensemble.coef.0", "Infinity", r"ensemble\.coef\[0\]"),
    ("ensemble.coef.0", None, r"ensemble\.coef\[0\]"),
    ("ensemble.coef", [1e308] * 6, "finite sum"),
    ("ensemble.coef", [1.0], "6 items"),
    ("ensemble.intercept", 0, "'intercept' is unknown"),
    ("history.edge", [], "history"),
    ("history.edge.0", "nan", r"history\.edge\[0\]"),
    ("history.time", [], "'time' is unknown"),
    ("certificate", None, "certificate"),
    ("certificate.certified", "yes", r"certificate\.certified"),
    ("certificate.reason", 0, r"certificate\.reason"),
    ("stop", "Rounds", "stop: got 'Rounds'"),
    ("stop", ["rounds"], "stop"),
    ("n_iter", 7, "n_iter"),
    ("n_iter", 6.0, "n_iter"),
    ("__reduce__", "os.system", "'__reduce__' is unknown"),
]


@pytest.mark.parametrize(
    ("place", "value", "message"), WRONG, ids=[f"{p}-{v}"[:60] for p, v, _ in WRONG]
)
def test_each_wrong_field_is_named(place: str, value: Any, message: str, document: Any) -> None:
    with pytest.raises(ModelFileError, match=message):
        model_from_document(change(document, place, value), REGISTRY)


@pytest.mark.parametrize("key", ["format", "version", "params", "classes", "history", "n_iter"])
def test_each_missing_field_is_named(key: str, document: Any) -> None:
    without = {name: value for name, value in document.items() if name != key}
    with pytest.raises(ModelFileError, match=f"the key '{key}'"):
        model_from_document(without, REGISTRY)


def stump(**fields: Any) -> dict[str, Any]:
    return {"kind": "stump", "feature": 0, "threshold": 0.0, "labels": [-1, 1, 0], **fields}


def tree(**fields: Any) -> dict[str, Any]:
    shape = {"feature": [0, -1, -1], "left": [1, -1, -1], "right": [2, -1, -1]}
    leaves = {"value": [0, -1, 1], "gain": [1, 0, 0], "threshold": [0.0, None, None]}
    return {"kind": "tree", **shape, **leaves, "missing_left": [True, False, False], **fields}


@pytest.mark.parametrize(
    "member",
    [
        stump(),
        stump(feature=1, threshold=None),
        tree(),
        tree(feature=[1, -1, -1], threshold=[None] * 3),
        tree(feature=[1, -1, -1], threshold=[None] * 3, categories=[[0, 2], None, None]),
        {"kind": "column", "index": 4, "sign": 1.0},
    ],
    ids=str,
)
def test_splits_that_fit_the_features(member: Any, document: Any) -> None:
    assert_usable(model_from_document(change(document, "ensemble.members.2", member), REGISTRY))


@pytest.mark.parametrize(
    "member",
    [
        stump(categories=[0]),
        stump(feature=1),
        stump(feature=1, threshold=None, categories=[3]),
        stump(feature=1, threshold=None, categories=[10**15]),
        {"kind": "column", "index": 9, "sign": 1.0},
        tree(feature=[5, -1, -1]),
        tree(feature=[1, -1, -1]),
        tree(categories=[[0], None, None]),
        tree(feature=[1, -1, -1], threshold=[None] * 3, categories=[[2, 3], None, None]),
        tree(left=[0, -1, -1]),
    ],
    ids=str,
)
def test_splits_must_fit_the_features(member: Any, document: Any) -> None:
    with pytest.raises(ModelFileError, match=r"ensemble\.members\[2\]"):
        model_from_document(change(document, "ensemble.members.2", member), REGISTRY)


def test_wrappers_are_bounded(document: Any) -> None:
    oracle: dict[str, Any] = {"oracle": "StumpOracle", "params": {}}
    for _ in range(50):
        oracle = {"oracle": "PooledOracle", "params": {"oracle": oracle}}
    with pytest.raises(ModelFileError, match="at most 8 base learners"):
        model_from_document(change(document, "params.estimator", oracle), REGISTRY)


def test_messages_stay_short(document: Any) -> None:
    with pytest.raises(ModelFileError) as caught:
        model_from_document(change(document, "ensemble.members.0.labels", ["x" * 10**6]), REGISTRY)
    assert len(str(caught.value)) < 600


def test_no_file_can_name_a_scikit_learn_oracle() -> None:
    assert "SklearnOracle" not in ORACLES
    assert all(cls.__module__.startswith("marginboost.oracles.") for cls in ORACLES.values())


def test_a_kind_that_does_not_check_its_features_is_refused(document: Any) -> None:
    """Kernels do not look: a hypothesis from a file that may name any feature is not read."""

    class Careless(Hypothesis):
        kind = "careless"

        def __call__(self, rows: Any) -> Any:
            return np.ones(len(rows))

        def negated(self) -> Any:
            return self

        @classmethod
        def from_dict(cls, data: Any) -> Any:
            return cls()

    try:
        with pytest.raises(ModelFileError, match="careless hypothesis does not check its features"):
            model_from_document(
                change(document, "ensemble.members.0", {"kind": "careless"}), REGISTRY
            )
    finally:
        del Hypothesis.__registry__["careless"]


# -- fuzz ----------------------------------------------------------------------------------------

HOSTILE = st.sampled_from(
    [
        *(None, True, False, 0, 1, -1, 3, 2**63, -(2**63), 2**64 - 1, 0.5, -0.0, 1e308, 5e-324),
        *("", "NaN", "Infinity", "stump", "tree", "column", "os.system", "\ud800", "\0"),
        *([], {}, [[]], [None], {"": {}}, {"oracle": "StumpOracle", "params": {}}, [1, 2, 3]),
        *({"__reduce__": "os.system"}, {"kind": "stump"}, {"dtype": "float16", "values": [1e9]}),
    ]
)


def places(value: Any) -> Any:
    """All (container, key) pairs of a document."""
    keys = value.keys() if isinstance(value, dict) else range(len(value))
    for key in list(keys):
        yield value, key
        if isinstance(value[key], dict | list):
            yield from places(value[key])


def mutate(data: st.DataObject, document: Any) -> None:
    found = list(places(document))
    container, key = found[data.draw(st.integers(0, len(found) - 1))]
    action = data.draw(st.sampled_from(["replace", "delete", "move", "rename"]))
    if action == "delete":
        del container[key]
    elif action == "move":
        other, place = found[data.draw(st.integers(0, len(found) - 1))]
        container[key] = copy.deepcopy(other[place])
    elif action == "rename" and isinstance(container, dict):
        container[data.draw(st.sampled_from(["", "kind", "feature", "x"]))] = container.pop(key)
    else:
        container[key] = copy.deepcopy(data.draw(HOSTILE))


def assert_usable(model: Any) -> None:
    """Use everything of a loaded model that does not depend on the user's own data."""
    rows = np.zeros((3, model.n_features_in_))
    rows[1] = np.nan
    table = Table(rows, model.model_.features.names)
    votes = model.model_.votes(table)
    assert set(model.model_.labels(votes)) <= set(model.classes_)
    assert len(model.feature_importances_) == model.n_features_in_
    assert len(list(model.ensemble_.staged_scores(table))) == len(model.ensemble_)
    repr(clone(model))


FAST = settings(
    max_examples=250,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@FAST
@given(data=st.data())
def test_mutated_documents_load_or_raise(data: st.DataObject, document: Any) -> None:
    changed = copy.deepcopy(document)
    for _ in range(data.draw(st.integers(1, 3))):
        mutate(data, changed)
    try:
        model = model_from_document(changed, REGISTRY)
    except ModelFileError:
        return
    assert_usable(model)


@FAST
@given(data=st.data())
def test_mutated_text_loads_or_raises(data: st.DataObject, document: Any, tmp_path: Path) -> None:
    text = json.dumps(document)
    start = data.draw(st.integers(0, len(text)))
    stop = data.draw(st.integers(start, min(start + 40, len(text))))
    rest = data.draw(st.sampled_from([text[stop:], ""]))
    path = tmp_path / "mutated.json"
    middle = data.draw(st.sampled_from(["", "0", "9" * 30, '"', "[", "}", ",", "\x00", "NaN", "é"]))
    path.write_text(text[:start] + middle + rest, encoding="utf-8")
    try:
        model = load_model(path, REGISTRY)
    except ModelFileError:
        return
    assert_usable(model)


@FAST
@given(content=st.binary(max_size=200))
def test_noise_raises(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "noise.json"
    path.write_bytes(content)
    with pytest.raises(ModelFileError):
        load_model(path, REGISTRY)


# -- what fit chose ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def chosen() -> Any:
    model = LPBoostClassifierCV(nus=[0.3, 0.6], cv=2).fit(*numbers(60))
    return json.loads(json.dumps(document_of(model)))


def test_choices_come_back(chosen: Any) -> None:
    loaded = model_from_document(chosen, REGISTRY)
    assert loaded.nu_ == chosen["chosen"]["nu_"]
    assert check_on(loaded, *numbers(60)).rule.nu == loaded.nu_


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        ("chosen", {}, "chosen: got {}, expected the key 'nu_'"),
        ("chosen.nu_", "0.3", "chosen.nu_: got '0.3', expected a finite number"),
        ("chosen.nu_", 7, "expected what LPBoostClassifierCV can choose .nu: got 7.0"),
        ("chosen._names", 1, "'_names' is unknown"),
    ],
)
def test_choices_are_checked(place: str, value: Any, message: str, chosen: Any) -> None:
    with pytest.raises(ModelFileError, match=message):
        model_from_document(change(chosen, place, value), REGISTRY)


def test_only_who_chooses_has_choices(chosen: Any, document: Any) -> None:
    with pytest.raises(ModelFileError, match=r"chosen: got .*, expected no key"):
        model_from_document({**document, "chosen": chosen["chosen"]}, REGISTRY)


# -- the schema ----------------------------------------------------------------------------------


def matches(value: Any, schema: Any, root: Any) -> bool:
    """Whether a value matches: the part of JSON Schema that ours uses, and no more."""
    known = {"$schema", "$id", "$defs", "title", "description", "$ref", "type", "const", "enum"}
    known |= {"properties", "required", "additionalProperties", "items", "anyOf", "minimum"}
    known |= {"minItems", "maxItems", "maximum"}
    assert schema.keys() <= known, schema.keys() - known
    if "$ref" in schema:
        return matches(value, root["$defs"][schema["$ref"].removeprefix("#/$defs/")], root)
    if "type" in schema and not is_type(value, schema["type"]):
        return False
    checks = [
        "const" not in schema or value == schema["const"],
        "enum" not in schema or value in schema["enum"],
        "anyOf" not in schema or any(matches(value, part, root) for part in schema["anyOf"]),
        "minimum" not in schema or value >= schema["minimum"],
        "maximum" not in schema or value <= schema["maximum"],
    ]
    if not all(checks):
        return False
    if isinstance(value, dict):
        properties, rest = schema.get("properties", {}), schema.get("additionalProperties", {})
        return set(schema.get("required", ())) <= value.keys() and all(
            matches(inner, properties[key], root)
            if key in properties
            else rest is not False and matches(inner, rest, root)
            for key, inner in value.items()
        )
    if isinstance(value, list):
        fits = schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", math.inf)
        return fits and all(matches(inner, schema.get("items", {}), root) for inner in value)
    return True


def is_type(value: Any, name: str | list[str]) -> bool:
    kinds: dict[str, Any] = {
        "object": dict,
        "array": list,
        "string": str,
        "boolean": bool,
        "null": type(None),
    }
    names = [name] if isinstance(name, str) else name
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return any(
        (kind == "number" and number)
        or (kind == "integer" and number and value == int(value))
        or (kind in kinds and isinstance(value, kinds[kind]))
        for kind in names
    )


@pytest.mark.parametrize("name", OWN)
def test_the_schema_accepts_what_is_written(name: str, tmp_path: Path) -> None:
    schema = json.loads(SCHEMA.read_text())
    oracles = PooledOracle(StumpOracle()), TreeOracle(categorical="partition")
    for (X, y), oracle in zip([numbers(60), frame(60)], oracles, strict=True):
        model = quick(name, estimator=oracle, n_estimators=4).fit(X, y)
        model.save(tmp_path / "model.json")
        assert matches(read_document(tmp_path / "model.json"), schema, schema)


def test_the_schema_knows_all_cascades_kinds_and_reasons(tmp_path: Path) -> None:
    schema = json.loads(SCHEMA.read_text())
    X, y = numbers(60)
    CascadeBooster(n_stages=2).fit(X, y).save(tmp_path / "model.json")
    assert matches(read_document(tmp_path / "model.json"), schema, schema)
    parts = schema["$defs"]
    import_all(marginboost.oracles)  # so that all are registered
    assert set(parts["stop"]["enum"]) == {str(reason) for reason in Stop}
    names = [part["$ref"].removeprefix("#/$defs/") for part in parts["hypothesis"]["anyOf"]]
    kinds = {parts[name]["properties"]["kind"]["const"] for name in names}
    own = [k for k in Hypothesis.__registry__.values() if k.__module__.startswith("marginboost.")]
    assert kinds == {kind.kind for kind in own}
    known = {k for k, o in ORACLES.items() if o.__module__.startswith("marginboost.")}
    assert set(parts["oracle"]["properties"]["oracle"]["enum"]) == known


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("format", "other"),
        ("version", 4),
        ("extra", 1),
        ("classes.values", ["a"]),
        ("ensemble.coef.0", "NaN"),
        ("ensemble.members.0.kind", "other"),
        ("ensemble.members.0.labels", [1.0]),
        ("history.edge.0", None),
        ("certificate.lower", True),
        ("stop", "tired"),
        ("params.tol", {"oracle": "Exception", "params": {}}),
        ("features.categories.1.dtype", "datetime64"),
    ],
)
def test_the_schema_refuses(place: str, value: Any, document: Any) -> None:
    schema = json.loads(SCHEMA.read_text())
    assert matches(document, schema, schema)
    assert not matches(change(document, place, value), schema, schema)


# -- losses with settings ------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(Loss.__registry__))
def test_models_with_a_loss_object_come_back(name: str, tmp_path: Path) -> None:
    X, y = numbers()
    loss = Huber(sigma=0.3) if name == "huber" else Loss.__registry__[name]()
    model = REGISTRY["GradientBoostClassifier"](loss=loss, n_estimators=3).fit(X, y)
    loaded = round_trip(model, tmp_path)
    assert loaded.loss == loss
    assert np.array_equal(loaded.predict_proba(X), model.predict_proba(X))
    written = read_document(tmp_path / "model.json")
    schema = json.loads(SCHEMA.read_text())
    assert matches(written, schema, schema)


def test_a_loss_that_no_file_could_name_is_refused(tmp_path: Path) -> None:
    class Steep(Huber):
        """Inherits its name, which stands for another class."""

    X, y = numbers()
    model = REGISTRY["GradientBoostClassifier"](loss=Steep(), n_estimators=2).fit(X, y)
    with pytest.raises(TypeError, match="loss: a Steep cannot be written as data"):
        model.save(tmp_path / "model.json")


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        (
            "params.loss",
            {"loss": "os.system", "params": {}},
            r"params\.loss\.loss: got 'os.system'",
        ),
        ("params.loss", {"loss": "huber", "params": {"sigma": -1}}, "settings of the huber loss"),
        ("params.loss", {"loss": "huber", "params": {"delta": 1}}, "settings of the huber loss"),
        ("params.loss", {"loss": "huber", "params": {"sigma": [1]}}, "a number"),
        ("params.loss", {"loss": "huber", "params": {}, "more": 1}, "more"),
        ("params.step", {"loss": "huber", "params": {}}, "a setting, not a loss"),
        ("params.estimator", {"loss": "huber", "params": {}}, "a setting, not a loss"),
    ],
)
def test_wrong_losses(place: str, value: Any, message: str) -> None:
    X, y = numbers()
    model = REGISTRY["GradientBoostClassifier"](n_estimators=2).fit(X, y)
    written = json.loads(json.dumps(document_of(model)))
    with pytest.raises(ModelFileError, match=message):
        model_from_document(change(written, place, value), REGISTRY)


# -- several classes -----------------------------------------------------------------------------

CLASSES = saved_classes()
SEVERAL = {
    "AdaBoost": AdaBoostClassifier(n_estimators=4),
    "trees": AdaBoostClassifier(TreeOracle(max_depth=2), n_estimators=3),
    "LPBoost": REGISTRY["LPBoostClassifier"](n_estimators=5),
    "all pairs": MulticlassBooster(AdaBoostClassifier(n_estimators=3), code="all-pairs"),
    "own code": MulticlassBooster(code=[[1, 1, 0], [-1, 1, 1], [0, -1, -1]], decoding="hamming"),
    "no estimator": MulticlassBooster(),
    "SAMME": CLASSES["SAMMEClassifier"](n_estimators=4),
    "printed": CLASSES["SAMMEClassifier"](n_estimators=4, variant="printed"),
    "M1": CLASSES["AdaBoostM1Classifier"](LabelTreeOracle(max_leaf_nodes=5), n_estimators=4),
    "M2": CLASSES["AdaBoostM2Classifier"](n_estimators=4),
    "softmax": CLASSES["SoftmaxBoostClassifier"](n_estimators=3, min_samples_leaf=5),
    "MH": CLASSES["AdaBoostMHClassifier"](LabelTreeOracle(2, answers="set"), n_estimators=4),
}


def three_classes(n_rows: int = 120, n_classes: int = 3) -> tuple[Any, Any]:
    X, _ = frame(n_rows)
    codes = X["colour"].cat.codes.to_numpy() % 2 + (X["length"].to_numpy() > 0)
    return X, np.array(["no", "perhaps", "yes"])[np.minimum(codes, n_classes - 1)]


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("name", SEVERAL)
def test_models_of_several_classes_come_back(name: str, n_classes: int, tmp_path: Path) -> None:
    if name == "own code" and n_classes == 2:
        return
    X, y = three_classes(n_classes=n_classes)
    model = clone(SEVERAL[name]).fit(X, y)
    model.save(tmp_path / "model.json")
    loaded = marginboost.load(tmp_path / "model.json")
    assert type(loaded) is type(model)
    for method in ("decision_function", "predict", "predict_proba"):
        assert np.array_equal(getattr(loaded, method)(X), getattr(model, method)(X)), method
    assert np.array_equal(loaded.margins(X, y), model.margins(X, y))
    assert loaded.estimators_ == model.estimators_
    assert repr(loaded.certificate_) == repr(model.certificate_)
    assert loaded.stop_reason_ == model.stop_reason_
    assert loaded.n_iter_ == model.n_iter_
    assert repr(loaded.get_params()) == repr(model.get_params())
    assert not hasattr(loaded, "margins_")
    stages = zip(loaded.staged_predict(X), model.staged_predict(X), strict=True)
    assert all(np.array_equal(ours, theirs) for ours, theirs in stages)
    again = clone(loaded).fit(X, y)
    assert np.array_equal(again.decision_function(X), model.decision_function(X))
    schema, written = json.loads(SCHEMA.read_text()), read_document(tmp_path / "model.json")
    assert matches(written, schema, schema)
    plain = n_classes == 2 and name in ("AdaBoost", "trees", "LPBoost")
    assert written["version"] == (1 if plain else 2)


@pytest.fixture(scope="module")
def several() -> Any:
    """Documents of several classes: problems, a booster, label trees."""
    X, y = three_classes()
    names = ("AdaBoost", "all pairs", "M2", "softmax")
    models = {name: clone(SEVERAL[name]).fit(X, y) for name in names}
    return {name: json.loads(json.dumps(document_of(model))) for name, model in models.items()}


WRONG_SEVERAL = [
    ("AdaBoost", "version", 1, "the key 'ensemble'"),
    ("AdaBoost", "classes.values", ["no", "yes"], r"code: got .* expected a code of 2 classes"),
    ("AdaBoost", "classes.values", ["no", "yes", "maybe"], "in ascending order"),
    ("AdaBoost", "code", "one-vs-rest", "code"),
    ("AdaBoost", "code.0", [1, -1], "a code of 3 classes"),
    ("AdaBoost", "code.0.0", 2, "entries -1, 0 and 1"),
    ("AdaBoost", "code.0.0", None, r"code\[0\]\[0\]"),
    ("AdaBoost", "problems", [], "3 items"),
    ("AdaBoost", "problems.1", {}, "the key 'ensemble'"),
    ("AdaBoost", "problems.1.n_iter", 99, r"problems\[1\]\.n_iter"),
    ("AdaBoost", "problems.1.ensemble.members.0.kind", "label_tree", r"problems\[1\]"),
    ("AdaBoost", "estimator", "SAMMEClassifier", "params"),
    ("all pairs", "params.estimator", {"oracle": "StumpOracle", "params": {}}, "'classifier'"),
    ("all pairs", "params.estimator.classifier", "MulticlassBooster", "name of an algorithm"),
    ("all pairs", "params.estimator.classifier", "os.system", "name of an algorithm"),
    ("all pairs", "params.estimator.classifier", "SAMMEClassifier", "parameters of SAMME"),
    ("all pairs", "params.estimator.params.n_estimators", 0, "n_estimators"),
    ("all pairs", "params.decoding", "vote", "decoding"),
    ("all pairs", "params.decoding", ["vote"], "a setting"),
    ("all pairs", "params.code", [["x"]], r"params\.code\[0\]\[0\]"),
    ("M2", "ensemble.members.0", {"kind": "tree"}, r"ensemble\.members\[0\]"),
    ("M2", "ensemble.members.0.n_labels", 4, r"ensemble\.members\[0\]"),
    ("M2", "ensemble.members.0.tree.feature", [9, -1, -1], "feature 9 of 5"),
    ("M2", "classes.values", ["no", "yes"], "2 outputs per row"),
    ("M2", "estimator", "AdaBoostClassifier", "params|classes"),
    ("softmax", "ensemble.members.1.trees", [], r"ensemble\.members\[1\]"),
    ("softmax", "ensemble.members.1.trees.0.kind", "stump", r"ensemble\.members\[1\]"),
    ("softmax", "ensemble.members.1.trees.2.feature.0", 9, "feature 9 of 5"),
    ("softmax", "classes.values", ["no", "yes"], "2 outputs per row"),
    ("softmax", "ensemble.members.1.more", 1, "tree_per_label: got the key 'more'"),
    ("softmax", "ensemble.members.1.trees.0.more", 1, "tree: got the key 'more'"),
    ("M2", "ensemble.members.0.tree.more", 1, "tree: got the key 'more'"),
    ("AdaBoost", "problems.0.ensemble.members.0.more", 1, "stump: got the key 'more'"),
]


@pytest.mark.parametrize(("name", "place", "value", "message"), WRONG_SEVERAL)
def test_wrong_fields_of_several_classes(
    name: str, place: str, value: Any, message: str, several: Any
) -> None:
    with pytest.raises(ModelFileError, match=message):
        model_from_document(change(several[name], place, value), CLASSES)


def test_stumps_cannot_answer_for_several_classes(several: Any, document: Any) -> None:
    mixed = copy.deepcopy(several["M2"])
    mixed["ensemble"]["members"][0] = document["ensemble"]["members"][0]
    with pytest.raises(ModelFileError, match="a hypothesis with 3 outputs per row"):
        model_from_document(mixed, CLASSES)
    mixed = copy.deepcopy(document)
    mixed["ensemble"]["members"][0] = several["M2"]["ensemble"]["members"][0]
    with pytest.raises(ModelFileError, match="a hypothesis with one output per row"):
        model_from_document(mixed, CLASSES)


@FAST
@given(data=st.data(), name=st.sampled_from(["AdaBoost", "all pairs", "M2", "softmax"]))
def test_mutated_documents_of_several_classes_load_or_raise(
    data: st.DataObject, name: str, several: Any
) -> None:
    changed = copy.deepcopy(several[name])
    for _ in range(data.draw(st.integers(1, 3))):
        mutate(data, changed)
    try:
        model = model_from_document(changed, CLASSES)
    except ModelFileError:
        return
    fitted = getattr(model, "estimator_", model)
    rows = np.zeros((3, fitted.n_features_in_))
    rows[1] = np.nan
    votes = fitted.model_.votes(Table(rows, fitted.model_.features.names))
    assert set(fitted.model_.labels(votes)) <= set(fitted.classes_)
    assert len(fitted.feature_importances_) == fitted.n_features_in_
    repr(clone(model))


@pytest.mark.parametrize(
    ("name", "place", "value"),
    [
        ("AdaBoost", "version", 1),
        ("AdaBoost", "problems", []),
        ("AdaBoost", "code.0.0", 3),
        ("AdaBoost", "ensemble", {}),
        ("all pairs", "params.estimator.classifier", 3),
        ("M2", "ensemble.members.0.sets.0.0", 0),
        ("M2", "ensemble.members.0.tree.kind", "stump"),
    ],
)
def test_the_schema_refuses_of_several_classes(
    name: str, place: str, value: Any, several: Any
) -> None:
    schema = json.loads(SCHEMA.read_text())
    assert matches(several[name], schema, schema)
    assert not matches(change(several[name], place, value), schema, schema)


# -- regressors ----------------------------------------------------------------------------------

REGRESSORS = {
    "LS-Boost": CLASSES["LSBoostRegressor"](n_estimators=6),
    "L2Boost": CLASSES["L2BoostRegressor"](n_estimators=6, max_depth=2),
    "lines": CLASSES["L2BoostRegressor"](LinearOracle(), n_estimators=6),
    "gradient": CLASSES["GradientBoostRegressor"](loss="huber", n_estimators=6),
    "own trees": CLASSES["L2BoostRegressor"](GradientTreeOracle(max_leaf_nodes=4), n_estimators=3),
}


def targets(n_rows: int = 80) -> tuple[Any, Any]:
    X, labels = frame(n_rows)
    return X, 1e6 * (labels == "yes") + X["length"].fillna(0.3).to_numpy()


@pytest.mark.parametrize("name", REGRESSORS)
@pytest.mark.parametrize("suffix", ["json", "json.gz"])
def test_every_regressor_comes_back(name: str, suffix: str, tmp_path: Path) -> None:
    X, y = targets()
    model = clone(REGRESSORS[name]).fit(X, y)
    model.save(tmp_path / f"model.{suffix}")
    loaded = marginboost.load(tmp_path / f"model.{suffix}")
    assert type(loaded) is type(model)
    assert np.array_equal(loaded.predict(X), model.predict(X))
    stages = zip(loaded.staged_predict(X), model.staged_predict(X), strict=True)
    assert all(np.array_equal(ours, theirs) for ours, theirs in stages)
    assert repr(loaded.certificate_) == repr(model.certificate_)
    assert loaded.estimators_ == model.estimators_
    for field in set(FIELDS) - {"seconds"}:
        ours, theirs = loaded.history_[field], model.history_[field]
        assert np.array_equal(ours, theirs, equal_nan=True), field
    assert not hasattr(loaded, "classes_")
    assert not hasattr(loaded, "dual_")
    assert np.array_equal(clone(loaded).fit(X, y).predict(X), model.predict(X))
    schema = json.loads(SCHEMA.read_text())
    written = read_document(tmp_path / f"model.{suffix}")
    assert written["version"] == 3
    assert matches(written, schema, schema)


@pytest.fixture(scope="module")
def numeric() -> Any:
    X, y = targets()
    models = {name: clone(REGRESSORS[name]).fit(X, y) for name in ("L2Boost", "lines", "gradient")}
    return {name: json.loads(json.dumps(document_of(model))) for name, model in models.items()}


WRONG_NUMERIC = [
    ("lines", "version", 1, "the key 'classes'"),
    ("lines", "version", 2, "the key 'classes'"),
    ("lines", "classes", {"dtype": "int64", "values": [0, 1]}, "'classes' is unknown"),
    ("lines", "estimator", "AdaBoostClassifier", "estimator: got 'AdaBoostClassifier'"),
    ("lines", "estimator", "MulticlassBooster", "estimator: got 'MulticlassBooster'"),
    ("lines", "params.learning_rate", 0.0, "learning_rate: got 0.0"),
    ("lines", "params.learning_rate", {"oracle": "LinearOracle", "params": {}}, "a setting"),
    ("lines", "ensemble.members.1.feature", 1, "is categorical and has no slope"),
    ("lines", "ensemble.members.1.feature", 99, "feature 99 of 5"),
    ("lines", "ensemble.members.1.feature", -1, "line: got feature -1"),
    ("lines", "ensemble.members.1.feature", True, "line: got feature True"),
    ("lines", "ensemble.members.1.slope", "Infinity", "slope 'Infinity'"),
    ("lines", "ensemble.members.1.centre", None, "centre None"),
    ("lines", "ensemble.coef.0", "NaN", "a finite number"),
    ("lines", "history.loss", [1.0], "items, as in the rest of the file"),
    ("lines", "history.loss.0", None, r"history\.loss\[0\]"),
    ("L2Boost", "params.max_depth", 0, "max_depth: got 0"),
    ("L2Boost", "ensemble.members.0.value", [2.0], "tree value"),
    ("L2Boost", "problems", [], "'problems' is unknown"),
    ("gradient", "chosen.spread_", -1.0, "spread_: got -1.0"),
    ("gradient", "chosen", {}, "the key 'spread_'"),
    ("gradient", "params.loss", "logistic", "expected a loss of numeric targets"),
]


@pytest.mark.parametrize(("name", "place", "value", "message"), WRONG_NUMERIC)
def test_each_wrong_field_of_a_regressor_is_named(
    name: str, place: str, value: Any, message: str, numeric: Any
) -> None:
    assert model_from_document(numeric[name], CLASSES) is not None
    with pytest.raises(ModelFileError, match=message):
        model_from_document(change(numeric[name], place, value), CLASSES)
    classifiers_only = pytest.raises(ModelFileError, match="estimator: got")
    with classifiers_only:
        model_from_document(numeric[name], REGISTRY)


# -- settings that had other names -----------------------------------------------------------------

WRITTEN = {
    "max_leaf_nodes": "max_leaves",
    "min_samples_leaf": "min_leaf_rows",
    "min_weight_fraction_leaf": "min_leaf_weight",
    "l2_regularization": "l2",
}


@pytest.mark.parametrize(
    "model",
    [
        CLASSES["GradientBoostClassifier"](
            n_estimators=2, max_leaf_nodes=3, min_samples_leaf=4, l2_regularization=1.5
        ),
        CLASSES["AdaBoostClassifier"](
            TreeOracle(max_leaf_nodes=3, min_weight_fraction_leaf=0.1), n_estimators=2
        ),
    ],
)
def test_settings_of_trees_load_under_the_names_they_were_saved_with(model: Any) -> None:
    X, y = numbers(80)
    fitted = model.fit(X, y)
    document = document_of(fitted)
    params = document["params"]
    inner = params["estimator"]["params"] if params["estimator"] else params
    for name, written in WRITTEN.items():
        if name in inner:
            inner[written] = inner.pop(name)
    again = model_from_document(document, CLASSES)
    assert_same_model(fitted, again, X)
    assert str(again.get_params()) == str(fitted.get_params())
    written = next(iter(WRITTEN.values()))
    inner["max_leaf_nodes"] = inner[written]
    with pytest.raises(ModelFileError, match="they are the same setting"):
        model_from_document(document, CLASSES)


def test_problems_that_are_read_have_the_classes_minus_and_plus_one(tmp_path: Path) -> None:
    X, y = np.arange(12.0)[:, None], np.repeat(["a", "b", "c"], 4)
    model = AdaBoostClassifier(n_estimators=1).fit(X, y)
    model.save(tmp_path / "m.json")
    for one in (model, marginboost.load(tmp_path / "m.json")):
        assert [problem.classes_.tolist() for problem in one.problems_] == [[-1, 1]] * 3
        assert one.code_.tolist() == (2 * np.eye(3, dtype=int) - 1).tolist()
