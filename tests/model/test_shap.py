"""Shapley values against their definition: all orders, all coalitions, one by one."""

import math
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from marginboost import (
    AdaBoostClassifier,
    AdaBoostMHClassifier,
    GradientBoostClassifier,
    GradientBoostRegressor,
    GraphSepBoostClassifier,
    LinearOracle,
    SoftmaxBoostClassifier,
    TreeOracle,
)


@pytest.fixture(scope="module")
def data():
    """Interactions, missing values, a category."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 4))
    X[:, 3] = rng.integers(0, 4, 200)
    target = X[:, 0] * X[:, 1] + np.sin(2 * X[:, 2]) + (X[:, 3] == 2)
    X[rng.random(X.shape) < 0.05] = np.nan
    return X, target + 0.1 * rng.normal(size=200)


def by_definition(value, d):
    """Shapley values of a game on d players, given as a function of coalitions."""
    worth = {s: value(s) for r in range(d + 1) for s in combinations(range(d), r)}
    shares = np.zeros(d)
    for j in range(d):
        for coalition, without in worth.items():
            if j not in coalition:
                size = len(coalition)
                weight = math.factorial(size) * math.factorial(d - size - 1) / math.factorial(d)
                shares[j] += weight * (worth[tuple(sorted((*coalition, j)))] - without)
    return shares


def models(data):
    X, target = data
    y, label = (target > 0).astype(int), np.digitize(target, [-0.5, 0.7])
    few = {"n_estimators": 6, "min_samples_leaf": 5}
    return {
        "regression": GradientBoostRegressor(categorical_features=[3], **few).fit(X, target),
        "log-odds": GradientBoostClassifier(**few).fit(X, y),
        "stumps": AdaBoostClassifier(n_estimators=8).fit(X, y),
        "edge trees": AdaBoostClassifier(TreeOracle(max_depth=3), n_estimators=5).fit(X, y),
        "one tree per class": SoftmaxBoostClassifier(**few).fit(X, label),
        "trees of labels": AdaBoostMHClassifier(n_estimators=4).fit(X, label),
        "a tree of answers": GraphSepBoostClassifier(n_estimators=5, categorical_features=[3]).fit(
            X, y
        ),
    }


@pytest.fixture(scope="module")
def fitted(data):
    return models(data)


KINDS = (
    *("regression", "log-odds", "stumps", "edge trees"),
    *("one tree per class", "trees of labels", "a tree of answers"),
)


def scores(model, X):
    rows = model.model_.read_rows(X)
    return model.model_.scores(rows)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("method", ["interventional", "path"])
def test_values_sum_up_to_the_score(fitted, data, kind, method):
    X = data[0]
    found = fitted[kind].shap_values(X[:50], X, method=method)
    expected = scores(fitted[kind], X[:50])
    assert found.values.shape == (50, 4, *expected.shape[1:])
    np.testing.assert_allclose(found.values.sum(axis=1) + found.base, expected, atol=1e-12)
    if method == "interventional":
        base = fitted[kind].shap_values(X[:1], X, max_background=len(X)).base
        np.testing.assert_allclose(base, scores(fitted[kind], X).mean(axis=0), atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_interventional_values_by_definition(fitted, data, kind):
    X, model = data[0], fitted[kind]
    background = X[::10]
    found = model.shap_values(X[:3], background)

    def value(row):
        def of(coalition):
            mixed = background.copy()
            mixed[:, list(coalition)] = row[list(coalition)]
            return scores(model, mixed).mean(axis=0)

        return of

    for i in range(3):
        if found.values.ndim == 2:
            np.testing.assert_allclose(found.values[i], by_definition(value(X[i]), 4), atol=1e-12)
        else:
            for output in range(found.values.shape[2]):
                of = value(X[i])
                game = by_definition(lambda s, of=of, k=output: of(s)[k], 4)
                np.testing.assert_allclose(found.values[i, :, output], game, atol=1e-12)


def test_path_values_by_definition(fitted, data):
    """Absent features take both branches, each with the share of the background there."""
    X, model = data[0], fitted["edge trees"]
    found = model.shap_values(X[:4], X, method="path")
    ensemble = model.model_.ensemble

    def expectation(tree, row, coalition, k, rows):
        node = tree.nodes[k]
        if node["feature"] < 0:
            return float(node["value"])
        column = rows[:, node["feature"]]
        left = np.where(np.isnan(column), bool(node["missing_left"]), column <= node["threshold"])
        if node["feature"] in coalition:
            own = row[node["feature"]]
            goes = bool(node["missing_left"]) if np.isnan(own) else own <= node["threshold"]
            child, part = (node["left"], left) if goes else (node["right"], ~left)
            return expectation(tree, row, coalition, child, rows[part])
        share = left.mean() if len(rows) else 0.5
        return share * expectation(tree, row, coalition, node["left"], rows[left]) + (
            1 - share
        ) * expectation(tree, row, coalition, node["right"], rows[~left])

    for i in range(4):
        game = by_definition(
            lambda s, row=X[i]: sum(
                weight * expectation(tree, row, s, 0, X)
                for tree, weight in zip(ensemble.members, ensemble.coef, strict=True)
            ),
            4,
        )
        np.testing.assert_allclose(found.values[i], game, atol=1e-12)


def as_shap_reads(model, X):
    """Trees in the form that the shap package takes, with the background at their nodes."""
    ensemble = model.model_.ensemble
    trees = []
    for tree, weight in zip(ensemble.members, ensemble.coef, strict=True):
        nodes, reached = tree.nodes, [np.ones(len(X), dtype=bool)] * len(tree.nodes)
        for k, node in enumerate(nodes):
            if node["feature"] >= 0:
                column = X[:, node["feature"]]
                left = np.where(
                    np.isnan(column), bool(node["missing_left"]), column <= node["threshold"]
                )
                reached[node["left"]] = reached[k] & left
                reached[node["right"]] = reached[k] & ~left
        inner = nodes["feature"] >= 0
        children = [np.where(inner, nodes[side], -1) for side in ("left", "right")]
        default = np.where(nodes["missing_left"] > 0, *children)
        trees.append(
            {
                "children_left": children[0],
                "children_right": children[1],
                "children_default": np.where(inner, default, -1),
                "features": nodes["feature"],
                "thresholds": nodes["threshold"],
                "values": weight * nodes["value"].reshape(-1, 1),
                "node_sample_weight": np.array([rows.sum() for rows in reached], dtype=float),
            }
        )
    return {"trees": trees, "base_offset": 0.0, "input_dtype": np.float64}


@pytest.mark.parametrize("kind", ["regression", "log-odds", "edge trees"])
def test_values_are_those_of_the_shap_package(data, kind):
    """The definition is enumerated above; this is the same trees in other hands."""
    shap = pytest.importorskip("shap")
    X, target = np.nan_to_num(data[0]), data[1]
    y, few = (target > 0).astype(int), {"n_estimators": 6, "min_samples_leaf": 5}
    model = {
        "regression": GradientBoostRegressor(**few).fit(X, target),
        "log-odds": GradientBoostClassifier(**few).fit(X, y),
        "edge trees": AdaBoostClassifier(TreeOracle(max_depth=3), n_estimators=5).fit(X, y),
    }[kind]
    theirs = as_shap_reads(model, X)
    by_path = shap.TreeExplainer(theirs).shap_values(X[:40], check_additivity=False)
    against = shap.TreeExplainer(theirs, data=X[:50], feature_perturbation="interventional")
    by_rows = against.shap_values(X[:40], check_additivity=False)
    ours = model.shap_values(X[:40], X, method="path").values
    np.testing.assert_allclose(ours, np.reshape(by_path, ours.shape), atol=1e-6)
    ours = model.shap_values(X[:40], X[:50]).values
    np.testing.assert_allclose(ours, np.reshape(by_rows, ours.shape), atol=1e-6)


def test_stumps_are_explained_as_by_their_shapes(fitted, data):
    """Of an additive model both methods give the shape less its mean over the background."""
    X, model = data[0], fitted["stumps"]
    shapes = model.explain().contributions(X) * model.model_.ensemble.l1_norm
    centred = shapes - shapes.mean(axis=0)
    for method in ("interventional", "path"):
        found = model.shap_values(X, X, method=method, max_background=len(X))
        np.testing.assert_allclose(found.values, centred, atol=1e-12)


def test_the_same_bits_for_any_number_of_threads_and_rows(data):
    X, target = data
    model = GradientBoostRegressor(n_estimators=5, min_samples_leaf=5).fit(X, target)
    many = np.tile(X, (60, 1))
    alone = model.set_params(n_jobs=1).shap_values(many, X).values
    np.testing.assert_array_equal(model.set_params(n_jobs=3).shap_values(many, X).values, alone)
    np.testing.assert_array_equal(model.shap_values(many[:1], X).values, alone[:1])
    importance = model.shap_values(X, X).importance()
    assert next(iter(importance)) in ("x0", "x1", "x2")
    assert list(importance.values()) == sorted(importance.values(), reverse=True)


def test_frames_and_problems_of_several_classes(data):
    X, target = data
    frame = pd.DataFrame(X, columns=list("abcd"))
    label = np.digitize(target, [-0.5, 0.7])
    model = AdaBoostClassifier(n_estimators=4).fit(frame, label)
    found = model.shap_values(frame[:5], frame)
    assert found.values.shape == (5, 4, 3)
    assert found.names == list("abcd")
    rows = model.model_.read_rows(frame[:5])
    parts = np.column_stack([problem.scores(rows) for problem in model.model_.problems])
    np.testing.assert_allclose(found.values.sum(axis=1) + found.base, parts, atol=1e-12)


def test_bad_input(fitted, data):
    X, model = data[0], fitted["stumps"]
    with pytest.raises(ValueError, match="method: got 'guess'"):
        model.shap_values(X, X, method="guess")
    with pytest.raises(ValueError, match="max_background: got 0"):
        model.shap_values(X, X, max_background=0)
    with pytest.raises(ValueError, match="features"):
        model.shap_values(X[:, :2], X)
    linear = AdaBoostClassifier(LinearOracle(), n_estimators=2).fit(np.nan_to_num(X), X[:, 0] > 0)
    with pytest.raises(TypeError, match="expected stumps, trees and lines"):
        linear.shap_values(X, X)
