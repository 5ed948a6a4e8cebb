"""ONNX models give what the Python model gives, under a real runtime and in double precision."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.tree import DecisionTreeClassifier

from fitted_models import quick, set_ensemble
from marginboost import algorithms
from marginboost.algorithms import AdaBoostClassifier, GradientBoostRegressor, L2BoostRegressor
from marginboost.data import Table
from marginboost.estimators.classifier import BaseMarginClassifier
from marginboost.estimators.labels import LabelClassifier
from marginboost.estimators.regressor import BaseBoostRegressor
from marginboost.model import Link
from marginboost.oracles import (
    ActiveKernelOracle,
    FiniteOracle,
    GradientTreeOracle,
    HalfSpaceOracle,
    KernelOracle,
    LabelTreeOracle,
    LinearOracle,
    RBFNetOracle,
    StumpOracle,
    Tree,
    TreeOracle,
)
from marginboost.oracles.stumps import Stump

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")

REGISTRY = BaseMarginClassifier.__registry__
OWN = sorted(name for name, cls in REGISTRY.items() if cls.__module__.startswith("marginboost."))
ORACLES = [
    StumpOracle(),
    StumpOracle("partition"),
    TreeOracle(max_depth=4),
    TreeOracle(max_leaf_nodes=7, criterion="Z", categorical="partition"),
]


def run(model: Any, rows: Any) -> dict[str, Any]:
    """Check the export and run it."""
    exported = model.to_onnx()
    onnx.checker.check_model(exported, full_check=True)
    session = onnxruntime.InferenceSession(
        exported.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    names = [output.name for output in session.get_outputs()]
    expected = (
        ["prediction"] if not hasattr(model, "classes_") else ["label", "probabilities", "vote"]
    )
    assert names == expected
    return dict(zip(names, session.run(names, {"X": rows}), strict=True))


def assert_same(model: Any, X: Any, rows: Any = None) -> None:
    """Labels and votes equal, probabilities but for the runtime's exponential function."""
    found = run(model, X if rows is None else rows)
    votes = model.decision_function(X)
    if abs(model.ensemble_.l1_norm - 1.0) > 1e-9:
        assert np.array_equal(found["vote"], votes)
    else:  # onnxruntime leaves a division by almost one out
        assert np.allclose(found["vote"], votes, rtol=1e-15, atol=0)
    assert np.array_equal(found["label"], model.predict(X))
    assert found["probabilities"].shape == (len(X), len(model.classes_))
    assert np.allclose(found["probabilities"], model.predict_proba(X), rtol=1e-14, atol=1e-15)


def numbers(n_rows: int = 300) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, 5))
    y = np.where(X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * rng.normal(size=n_rows) > 0, 1, 0)
    X[rng.random(X.shape) < 0.1] = np.nan
    return X, y


def frame(n_rows: int = 300) -> tuple[Any, Any]:
    rng = np.random.default_rng(1)
    X = pd.DataFrame(
        {
            "length": rng.normal(size=n_rows),
            "colour": pd.Categorical(rng.choice(["blue", "red", "green", "pink"], n_rows)),
            "size": pd.Categorical(rng.choice([1, 5, 7], n_rows)),
        }
    )
    X.loc[::7, "length"] = np.nan
    X.loc[::5, "colour"] = None
    good = X["colour"].isin(["red", "pink"]) ^ (X["length"] > 0) ^ (rng.random(n_rows) < 0.1)
    return X, np.where(good, "yes", "no")


def around_cuts(model: Any, X: Any) -> Any:
    """Rows at, just below and just above every cut of a model."""
    cuts = [cut for member in model.estimators_ for cut in member.cuts()]
    rows = []
    for i, (feature, cut) in enumerate(cuts):
        for value in (np.nextafter(cut, -np.inf), cut, np.nextafter(cut, np.inf)):
            row = X[i % len(X)].copy()
            row[feature] = value if np.isfinite(value) else 0.0
            rows.append(row)
    return np.array(rows)


def classifiers_with_base_learners() -> Any:
    """All pairs; quickly one base learner for each algorithm in turn, and all of them for one."""
    for i, name in enumerate(OWN):
        for k, oracle in enumerate(ORACLES):
            soon = name == "AdaBoostClassifier" or k == i % len(ORACLES)
            marks = () if soon else pytest.mark.slow
            yield pytest.param(name, oracle, id=f"{name}-{oracle}", marks=marks)


@pytest.mark.parametrize(("name", "oracle"), list(classifiers_with_base_learners()))
def test_every_classifier_on_numbers(name: str, oracle: Any) -> None:
    X, y = numbers()
    model = quick(name, estimator=oracle, n_estimators=10, random_state=0).fit(X, y)
    assert_same(model, X)
    assert_same(model, around_cuts(model, X))


@pytest.mark.parametrize(("kind", "n_classes"), [("AdaBoost", 2), ("SAMME", 2), ("SAMME", 3)])
def test_probabilities_of_sure_models_are_not_0_or_1(kind: str, n_classes: int) -> None:
    X, _ = numbers()
    y = np.digitize(np.nan_to_num(X[:, 0]), [-0.4, 0.4][: n_classes - 1])
    model = getattr(algorithms, f"{kind}Classifier")(n_estimators=10).fit(X, y)
    set_ensemble(model, model.estimators_, 1e3 * model.estimator_weights_)
    assert_same(model, X)
    found = run(model, X)["probabilities"]
    assert found.min() > 0.0
    assert found.max() < 1.0


@pytest.mark.parametrize("oracle", ORACLES, ids=str)
def test_categories_are_codes(oracle: Any) -> None:
    X, y = frame()
    model = AdaBoostClassifier(oracle, n_estimators=25).fit(X, y)
    codes = model.__read_rows__(X).dense(0, len(X))
    assert_same(model, X, codes)
    metadata = {entry.key: json.loads(entry.value) for entry in model.to_onnx().metadata_props}
    assert metadata["features"] == ["length", "colour", "size"]
    assert metadata["categories"] == [None, ["blue", "green", "pink", "red"], [1, 5, 7]]


@pytest.mark.parametrize("oracle", ORACLES[2:], ids=str)
def test_codes_outside_the_list_are_in_no_set(oracle: Any) -> None:
    X, y = frame()
    model = AdaBoostClassifier(oracle, n_estimators=10).fit(X, y)
    rows = np.array([[0.5, code, 1.0] for code in (-7.0, -1.0, 4.0, 1e9)])
    score = model.ensemble_.scores(Table(rows, model.model_.features.names))
    assert np.array_equal(run(model, rows)["vote"], score / model.ensemble_.l1_norm)


@pytest.mark.parametrize("oracle", [StumpOracle(), TreeOracle()], ids=str)
def test_cuts_that_single_precision_cannot_tell_apart(oracle: Any) -> None:
    rng = np.random.default_rng(0)
    X = 1.0 + rng.permutation(200).reshape(-1, 1) * 1e-12
    y = (X[:, 0] > np.median(X)) ^ (rng.random(200) < 0.1)
    assert len(np.unique(X.astype(np.float32))) == 1
    model = AdaBoostClassifier(oracle, n_estimators=20, max_bins=None).fit(X, y)
    assert model.score(X, y) > 0.8
    assert_same(model, X)


def test_features_with_many_cuts_and_with_none() -> None:
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=(700, 2)), np.ones(700), rng.integers(3, size=700)])
    y = (np.sin(9 * X[:, 0]) + X[:, 1] > 0).astype(int)
    model = AdaBoostClassifier(n_estimators=900, max_bins=None).fit(X, y)
    constant = Stump(2, np.inf, 1.0, -1.0, -1.0)
    members = (constant, *model.estimators_)
    set_ensemble(model, members, np.append(0.25, model.estimator_weights_))
    assert_same(model, X)
    X[::3] = np.nan
    assert_same(model, X)


def test_mixed_and_empty_ensembles() -> None:
    X, y = numbers()
    stumps = AdaBoostClassifier(n_estimators=5).fit(X, y)
    trees = AdaBoostClassifier(TreeOracle(), n_estimators=5).fit(X, y)
    leaf = Tree(trees.estimators_[0].nodes[-1:].copy(), np.empty(0, np.int32))
    members = (*stumps.estimators_, leaf, *trees.estimators_)
    set_ensemble(stumps, members, np.linspace(-0.3, 0.9, len(members)))
    assert_same(stumps, X)
    set_ensemble(trees, (leaf,), np.ones(1))
    assert_same(trees, X)
    set_ensemble(stumps, (), np.empty(0))
    assert_same(stumps, X)


@pytest.mark.parametrize(
    ("labels", "dtype"),
    [
        (np.array([-1, 1], dtype=np.int8), np.int64),
        (np.array([3, 2**40]), np.int64),
        (np.array([False, True]), np.bool_),
        (np.array([-1.0, 2.0], dtype=np.float32), np.float64),
        (np.array(["a", "ö"]), np.object_),
        (np.array(["a", "b"], dtype=object), np.object_),
    ],
    ids=str,
)
def test_types_of_labels(labels: Any, dtype: Any) -> None:
    X, y = numbers()
    model = AdaBoostClassifier(n_estimators=5).fit(X, labels[y])
    assert_same(model, X)
    assert run(model, X)["label"].dtype == dtype


def three_classes() -> tuple[Any, Any]:
    X, y = frame()
    return X, np.array(["no", "perhaps", "yes"])[
        (y == "yes").astype(int) + (X["length"].to_numpy() > 0.5)
    ]


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("oracle", [None, LabelTreeOracle(max_depth=3, answers="set")], ids=str)
@pytest.mark.parametrize("name", sorted(LabelClassifier.__registry__))
def test_models_that_know_several_classes(name: str, oracle: Any, n_classes: int) -> None:
    X, y = three_classes()
    if n_classes == 2:
        y = np.where(y == "no", "no", "yes")
    make = LabelClassifier.__registry__[name]
    if name == "SoftmaxBoostClassifier":
        oracle = (
            None if oracle is None else GradientTreeOracle(max_leaf_nodes=5, min_samples_leaf=3)
        )
    elif oracle is not None and name in ("SAMMEClassifier", "AdaBoostM1Classifier"):
        oracle = LabelTreeOracle(max_depth=3)
    model = make(oracle, n_estimators=8).fit(X, y)
    codes = model.__read_rows__(X).dense(0, len(X))
    assert_same(model, X, codes)
    assert run(model, codes[:0])["probabilities"].shape == (0, n_classes)


@pytest.mark.parametrize("name", sorted(BaseBoostRegressor.__registry__))
def test_regressors(name: str) -> None:
    X, y = frame()
    target = np.nan_to_num(X["length"]) ** 2 + (y == "yes")
    model = BaseBoostRegressor.__registry__[name](n_estimators=8).fit(X, target)
    codes = model.__read_rows__(X).dense(0, len(X))
    assert np.array_equal(run(model, codes)["prediction"], model.predict(X))


@pytest.mark.parametrize("loss", ["poisson", "gamma", "tweedie"])
def test_predictions_that_are_exponentials_of_scores(loss: str) -> None:
    X, y = frame()
    target = 1.0 + np.nan_to_num(X["length"]) ** 2 + (y == "yes")
    model = GradientBoostRegressor(loss=loss, n_estimators=8).fit(X, target)
    codes = model.__read_rows__(X).dense(0, len(X))
    assert (model.predict(X) > 0.0).all()
    assert_allclose(run(model, codes)["prediction"], model.predict(X), rtol=1e-12)


@pytest.mark.parametrize(
    "oracle",
    [RBFNetOracle(5), KernelOracle(), KernelOracle("poly"), ActiveKernelOracle()],
    ids=lambda oracle: repr(oracle),
)
def test_kernel_functions(oracle: Any) -> None:
    X, y = frame()
    model = AdaBoostClassifier(oracle, n_estimators=6).fit(X, y)
    codes = model.__read_rows__(X).dense(0, len(X))
    found = run(model, codes)
    np.testing.assert_allclose(found["vote"], model.decision_function(X), atol=1e-9)
    np.testing.assert_allclose(found["probabilities"], model.predict_proba(X), atol=1e-9)


@pytest.mark.parametrize("columns", ["sign", "halves"])
def test_half_spaces(columns: str) -> None:
    X, y = frame()
    model = AdaBoostClassifier(HalfSpaceOracle(columns=columns), n_estimators=6).fit(X, y)
    codes = model.__read_rows__(X).dense(0, len(X))
    np.testing.assert_array_equal(run(model, codes)["vote"], model.decision_function(X))


def test_lines_are_refused() -> None:
    X, y = numbers()
    model = L2BoostRegressor(LinearOracle(), n_estimators=3).fit(X, y)
    with pytest.raises(TypeError, match="got Line hypotheses, expected stumps or trees"):
        model.to_onnx()


def test_an_empty_batch_and_a_single_row() -> None:
    X, y = numbers()
    for oracle in ORACLES:
        model = AdaBoostClassifier(oracle, n_estimators=5).fit(X, y)
        assert run(model, X[:0])["probabilities"].shape == (0, 2)
        assert_same(model, X[:1])


def test_what_cannot_be_exported_is_named() -> None:
    X, y = numbers()
    full = np.nan_to_num(X)
    with pytest.raises(TypeError, match="got Fitted hypotheses, expected stumps or trees"):
        AdaBoostClassifier(DecisionTreeClassifier(), n_estimators=2).fit(full, y).to_onnx()
    with pytest.raises(TypeError, match="got Column hypotheses"):
        AdaBoostClassifier(FiniteOracle(), n_estimators=2).fit(np.sign(full), y).to_onnx()
    labels = np.array([1, 2**63], dtype=np.uint64)
    with pytest.raises(TypeError, match="expected integers of 64 bits"):
        AdaBoostClassifier(n_estimators=2).fit(X, labels[y]).to_onnx()


class Even(Link):
    """Knows nothing of the scores."""

    def __call__(self, scores: Any, l1_norm: float) -> Any:
        return np.full((len(scores), 2), 0.5)


def test_an_unknown_link_is_refused() -> None:
    X, y = numbers()
    model = AdaBoostClassifier(n_estimators=2).fit(X, y)
    model.model_ = replace(model.model_, link=Even())
    with pytest.raises(TypeError, match="probabilities of AdaBoostClassifier"):
        model.to_onnx()


def test_without_onnx_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = numbers()
    model = AdaBoostClassifier(n_estimators=2).fit(X, y)
    monkeypatch.setitem(sys.modules, "onnx.checker", None)
    with pytest.raises(ImportError, match=r"marginboost\[onnx\]"):
        model.to_onnx()
