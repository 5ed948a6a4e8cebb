"""Alternating decision trees: least Z in every round, product bound, text (CH-M11)."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer

import marginboost
from marginboost import AlternatingTreeClassifier, AlternatingTreeOracle, TreeOracle
from marginboost.algorithms import GradientBoost
from marginboost.core import Sample
from marginboost.core.run import train
from marginboost.data import BinnedMatrix, Table
from marginboost.datasets import ring

TINY = 1e-9


def noisy(seed=0, n=120):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 9, size=(n, 3)).astype(float)
    y = np.where((X[:, 0] > 4) ^ (X[:, 1] > 4) ^ (rng.random(n) < 0.1), 1, -1)
    return X, y, rng.integers(1, 4, n).astype(float)


def losses_in_plain_numpy(X, y, weights, rounds):
    """Losses after every rule, by trying all places and cuts."""
    prior = weights / weights.sum()
    plus, minus = prior[y > 0].sum(), prior[y < 0].sum()
    scores = np.full(len(y), 0.5 * np.log(plus / minus))
    places, losses = [np.ones(len(y), bool)], []
    for _ in range(rounds):
        d = prior * np.exp(-y * scores)
        d /= d.sum()
        best = (np.inf,)
        for place in places:
            for j in range(X.shape[1]):
                for cut in np.unique(X[:, j])[:-1] + 0.5:
                    sides = [place & (X[:, j] <= cut), place & (X[:, j] > cut)]
                    pairs = [(d[s & (y > 0)].sum(), d[s & (y < 0)].sum()) for s in sides]
                    z = sum(2 * np.sqrt(a * b) for a, b in pairs) + d[~place].sum()
                    if z < best[0] - 1e-12 and min(a + b for a, b in pairs) > 0:
                        best = (z, sides, pairs)
        for side, (a, b) in zip(best[1], best[2], strict=True):
            scores[side] += 0.5 * np.log((a + TINY) / (b + TINY))
        places += best[1]
        losses.append(prior @ np.exp(-y * scores))
    return losses


@pytest.mark.parametrize("seed", range(3))
def test_every_rule_has_the_least_z_and_errors_stay_below_the_product(seed):
    X, y, weights = noisy(seed)
    model = AlternatingTreeClassifier(AlternatingTreeOracle(smoothing=TINY), n_estimators=8)
    model.fit(X, y, weights)
    np.testing.assert_allclose(
        model.history_["loss"], losses_in_plain_numpy(X, y, weights, 8), rtol=1e-6
    )
    staged = list(model.staged_predict(X))[1:]  # the first member is the constant
    for predicted, product in zip(staged, model.history_["loss"], strict=True):
        assert np.average(predicted != y, weights=weights) <= product
    assert (np.diff(model.history_["loss"]) < 0).all()


@pytest.mark.parametrize("weighted", [False, True])
def test_rules_at_the_root_are_confidence_rated_stumps(weighted):
    X, y, weights = noisy(1)
    table = Table(X, ["a", "b", "c"])
    sample = Sample.of_labels(
        y, weights if weighted else None, rows=table, bins=BinnedMatrix.from_table(table)
    )
    runs = [
        train(sample, oracle, GradientBoost("exponential", 1.0), max_rounds=12)
        for oracle in (AlternatingTreeOracle(max_depth=1), TreeOracle(max_depth=1, criterion="Z"))
    ]
    np.testing.assert_allclose(runs[0].history["loss"], runs[1].history["loss"], rtol=1e-12)
    np.testing.assert_allclose(runs[0].ensemble.coef, runs[1].ensemble.coef, rtol=1e-9)
    deeper = train(
        sample, AlternatingTreeOracle(), GradientBoost("exponential", 1.0), max_rounds=12
    )
    assert deeper.history["loss"][-1] < runs[0].history["loss"][-1]


def test_weights_are_copies():
    X, y, weights = noisy(2)
    times = weights.astype(int)
    one = AlternatingTreeClassifier(n_estimators=10).fit(X, y, weights)
    other = AlternatingTreeClassifier(n_estimators=10).fit(
        np.repeat(X, times, 0), np.repeat(y, times)
    )
    assert one.export_text(9) == other.export_text(9)


def scores_of_text(text, frame):
    """Sum of the values of all answers that each row gives."""
    root, *lines = text.splitlines()
    scores, reached = np.full(len(frame), float(root[2:])), [np.ones(len(frame), bool)]
    for line in lines:
        bars, name, sign, bound, value = re.fullmatch(
            r"((?:\|  )+)\(\d+\) (\w+) (<=|>|in|not in) (.+): ([-+.\de]+)", line
        ).groups()
        depth = len(bars) // 3
        if sign in ("in", "not in"):
            yes = frame[name].isin(bound.strip("{}").split(", "))
        else:
            yes = frame[name] <= float(bound)
        here = reached[depth - 1] & (yes if sign in ("<=", "in") else ~yes)
        reached[depth:] = [here]
        scores += np.where(here, float(value), 0.0)
    return scores


def test_the_text_is_the_model(tmp_path):
    X, y, _ = noisy(3)
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    kinds = np.where(X[:, 2] < 4, y > 0, X[:, 2] % 3).astype(int)
    frame["c"] = pd.Series(np.array(["no", "yes", "maybe"])[kinds], dtype="category")
    model = AlternatingTreeClassifier(n_estimators=15).fit(frame, y)
    scores = model.decision_function(frame) * model.ensemble_.l1_norm
    text = model.export_text(12)
    assert " in {" in text
    assert "|  |  |  (" in text
    np.testing.assert_allclose(scores_of_text(text, frame), scores, atol=1e-9)
    model.save(tmp_path / "model.json")
    again = marginboost.load(tmp_path / "model.json")
    assert again.export_text(12) == text
    np.testing.assert_array_equal(again.predict_proba(frame), model.predict_proba(frame))
    shap = model.shap_values(frame[:5], frame)
    np.testing.assert_allclose(shap.values.sum(axis=1) + shap.base, scores[:5], atol=1e-9)


def test_missing_values_are_an_answer():
    X, y = ring(200)
    X[:40, 0] = np.nan
    y[:40] = 1
    model = AlternatingTreeClassifier(n_estimators=20).fit(X, y)
    assert model.score(X, y) > 0.9
    assert (model.predict(X[:40]) == 1).all()


def test_a_tree_for_every_class_and_other_base_learners():
    X, benign = load_breast_cancer(return_X_y=True)
    y = np.digitize(X[:, 0], [12.0, 15.0])
    model = AlternatingTreeClassifier(n_estimators=3).fit(X, y)
    assert model.score(X, y) > 0.95
    assert model.export_text().count(" against all others\n: ") == 3
    trees = AlternatingTreeClassifier(TreeOracle(max_depth=3, criterion="Z"), n_estimators=3)
    with pytest.raises(TypeError, match="export_text: the base learner"):
        trees.fit(X, benign).export_text()
    with pytest.raises(ValueError, match="decimals"):
        model.export_text(-1)
    with pytest.raises(ValueError, match="smoothing"):
        AlternatingTreeClassifier(AlternatingTreeOracle(smoothing=0.0)).fit(X, y)


def test_nothing_to_split_leaves_the_constant():
    y = np.array([0, 1, 1, 1])
    model = AlternatingTreeClassifier().fit(np.zeros((4, 2)), y)
    assert model.export_text() == f": {0.5 * np.log(3):+.3f}"
    assert (model.predict(np.zeros((2, 2))) == 1).all()
