"""Members of a committee: how much each counts, and lines where lines are best."""

import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import log_loss

import marginboost
from marginboost import RobustBoostClassifier
from marginboost.audit import LabelAudit
from marginboost.audit.committee import (
    FOREST_ROWS,
    FOREST_SHARE,
    FOREST_SHARES,
    LEAST_ROWS,
    LEAST_SURE,
    MOST_SURE,
    as_sure_as,
    choose_mixture,
)
from marginboost.audit.stacking import Stack
from marginboost.audit.votes import FEW_ROWS, committee_trees, default_voters
from marginboost.core.ensemble import Ensemble
from marginboost.model.shap import shap_values
from marginboost.oracles import LinearScores

ONE_IN_A_HUNDRED = np.array([[0.99, 0.01], [0.01, 0.99]])
"""Noise: the share of labels that are wrong."""


def told(labels, sure, right):
    """Votes of somebody who is as sure as that, and right about these rows."""
    own = np.where(right, sure, 1.0 - sure)
    votes = np.empty((len(labels), 2))
    votes[np.arange(len(labels)), labels] = own
    votes[np.arange(len(labels)), 1 - labels] = 1.0 - own
    return votes


@pytest.mark.parametrize("helps", [True, False])
def test_a_linear_model_is_taken_where_it_helps(helps):
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 400)
    poor, good = rng.random(400) < 0.75, rng.random(400) < 0.95
    trees = told(labels, 0.8, poor)
    votes = {"gradient trees": trees, "forest": trees}
    votes["linear"] = told(labels, 0.9, good if helps else rng.random(400) < 0.6)
    stack = Stack(np.ones(3), ONE_IN_A_HUNDRED, trees)
    mixture, believed = choose_mixture(votes, stack, labels)
    assert (mixture.linear > 0.0) == helps
    if not helps:
        np.testing.assert_allclose(believed.argmax(axis=1), trees.argmax(axis=1))


@pytest.mark.parametrize("better", ["gradient trees", "forest"])
def test_who_says_more_of_unseen_rows_counts_more(better):
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 400)
    names = ("gradient trees", "forest", "linear")
    votes = {name: told(labels, 0.9, rng.random(400) < 0.5) for name in names}
    votes[better] = told(labels, 0.9, rng.random(400) < 0.9)
    stack = Stack(np.ones(3), ONE_IN_A_HUNDRED, votes[better])
    mixture, _ = choose_mixture(votes, stack, labels)
    share = mixture.forest / (mixture.gradient + mixture.forest)
    assert share == (FOREST_SHARES[-1] if better == "gradient trees" else max(FOREST_SHARES))


@pytest.mark.parametrize(("right", "share"), [(0.95, 0.3), (0.72, 0.7), (0.5, 0.7)])
def test_with_wrong_labels_the_forest_counts_less_only_if_that_is_surely_better(right, share):
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 400)
    votes = {
        "gradient trees": told(labels, 0.9, rng.random(400) < right),
        "forest": told(labels, 0.7, rng.random(400) < 0.7),
        "linear": np.full((400, 2), 0.5),
    }
    noise = np.array([[0.9, 0.1], [0.1, 0.9]])
    mixture, _ = choose_mixture(votes, Stack(np.ones(3), noise, votes["forest"]), labels)
    assert mixture.linear == 0.0
    assert mixture.forest / (mixture.gradient + mixture.forest) == pytest.approx(share)


def test_few_rows_choose_no_share():
    labels = np.arange(LEAST_ROWS - 1) % 2
    votes = {name: np.full((len(labels), 2), 0.5) for name in ("gradient trees", "forest")}
    mixture, _ = choose_mixture(votes, Stack(np.ones(2), ONE_IN_A_HUNDRED, votes["forest"]), labels)
    assert mixture == (1.0 - FOREST_SHARE, FOREST_SHARE, 0.0)


def test_log_odds_are_put_on_the_scale_that_they_deserve():
    """Votes that are too sure shrink, so that probabilities are those of the labels."""
    rng = np.random.default_rng(1)
    labels = rng.integers(0, 2, 1000)
    boastful = told(labels, 0.99, rng.random(1000) < 0.8)
    votes = {"gradient trees": boastful, "forest": boastful, "linear": np.full((1000, 2), 0.5)}
    _, believed = choose_mixture(votes, Stack(np.ones(3), np.eye(2), boastful), labels)
    assert 0.75 < believed.max(axis=1).mean() < 0.9


@pytest.fixture(scope="module", params=[2, 3])
def sloping(request):
    """Classes apart by a sum of many features, some values missing, and a category."""
    rng = np.random.default_rng(0)
    numbers = rng.normal(size=(240, 6))
    kind = rng.integers(0, 3, 240)
    height = numbers.sum(axis=1) + (kind == 1)
    cuts = [0.3] if request.param == 2 else [-1.2, 1.4]
    X = pd.DataFrame(numbers, columns=list("abcdef"))
    X.loc[::17, "b"] = np.nan
    X["kind"] = pd.Categorical(np.array(["u", "v", "w"])[kind])
    y = np.array(["low", "mid", "top"])[np.digitize(height, cuts)]
    return X, y, RobustBoostClassifier(model="committee", cv=3).fit(X, y)


@pytest.mark.slow
def test_lines_join_the_trees(sloping):
    X, y, model = sloping
    lines = model.estimators_[-1]
    assert isinstance(lines, LinearScores)
    assert model.estimator_weights_[-1] > 0.0
    assert np.abs(lines(model.__read_rows__(X).dense(0, len(X)))).max() <= 1.0 + 1e-12
    assert model.score(X, y) > 0.9
    assert model.feature_importances_.sum() == pytest.approx(1.0)


def test_lines_are_saved_and_explained(sloping, tmp_path):
    X, _, model = sloping
    model.save(tmp_path / "model.json")
    loaded = marginboost.load(tmp_path / "model.json")
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
    assert loaded.estimators_[-1] == model.estimators_[-1]
    some = Ensemble(tuple(model.estimators_[-3:]), model.estimator_weights_[-3:])
    part = replace(model.model_, run=replace(model.model_.run, ensemble=some))
    shared = shap_values(part, X.iloc[:6], X, method="path")
    total = shared.values.sum(axis=1) + shared.base
    np.testing.assert_allclose(total, part.scores(part.read_rows(X.iloc[:6])), atol=1e-9)


def test_lines_in_onnx(sloping):
    onnxruntime = pytest.importorskip("onnxruntime")
    pytest.importorskip("onnx")
    X, _, model = sloping
    rows = model.__read_rows__(X).dense(0, len(X)).astype(np.float64)
    session = onnxruntime.InferenceSession(
        model.to_onnx().SerializeToString(), providers=["CPUExecutionProvider"]
    )
    (given,) = session.get_inputs()
    names = [output.name for output in session.get_outputs()]
    found = dict(zip(names, session.run(None, {given.name: rows}), strict=True))
    np.testing.assert_allclose(found["probabilities"], model.predict_proba(X), atol=1e-9)


def test_lines_are_plain_sums(sloping):
    X, _, model = sloping
    lines, rows = model.estimators_[-1], model.__read_rows__(X).dense(0, len(X))
    z = np.clip(lines.coordinates(rows), -lines.limit, lines.limit)
    plain = z @ lines.weights.T + lines.offsets
    np.testing.assert_allclose(lines(rows), plain if lines.shape else plain[:, 0], atol=1e-12)
    np.testing.assert_array_equal(lines.negated()(rows), -lines(rows))
    shares = lines.contributions(rows, rows.shape[1]).sum(axis=1) + lines.offsets
    np.testing.assert_allclose(shares, plain, atol=1e-12)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"limit": 0.0}, "limit: got 0.0"),
        ({"limit": "5"}, "limit: got '5'"),
        ({"offsets": [0.0, 1.0]}, "offsets: got 2"),
        ({"weights": [[1.0]]}, "weights: expected"),
        ({"weights": 3}, "weights: expected"),
    ],
)
def test_damaged_lines_are_refused(sloping, change, message):
    data = {**sloping[2].estimators_[-1].to_dict(), **change}
    with pytest.raises(ValueError, match=message):
        LinearScores.from_dict(data)


@pytest.mark.parametrize("shape", [(5, 2), (6, 1), (12, 1)])
def test_tiny_tables_make_no_noise(shape):
    X = np.arange(float(np.prod(shape))).reshape(shape)
    y = np.arange(len(X)) % 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = RobustBoostClassifier().fit(X, y)
    assert np.isfinite(model.predict_proba(X)).all()


@pytest.mark.filterwarnings("ignore:nu=")
@pytest.mark.parametrize("model", ["auto", "committee", "soft-margin"])
def test_labels_that_nothing_tells_apart(model):
    """Constant features: every row gets the same answer, the class of most rows."""
    X, y = np.ones((150, 2)), np.arange(150) % 3 == 0
    found = RobustBoostClassifier(model=model, cv=2).fit(X, y)
    assert not found.predict(X).any()
    assert len({tuple(row) for row in found.predict_proba(X)}) == 1


def test_a_committee_is_as_sure_as_the_belief():
    rng = np.random.default_rng(0)
    belief = 0.8 * rng.dirichlet([2.0, 1.0, 1.0], 500) + 0.2 / 3.0
    bold = belief**3 / (belief**3).sum(axis=1, keepdims=True)
    factor = as_sure_as(belief, bold)
    assert factor == pytest.approx(1.0 / 3.0, rel=1e-3)
    assert as_sure_as(bold, belief) == pytest.approx(3.0, rel=1e-2)
    assert as_sure_as(np.full((5, 2), 0.5), np.tile([0.9, 0.1], (5, 1))) == LEAST_SURE
    assert as_sure_as(np.eye(2), np.tile([0.6, 0.4], (2, 1))) == MOST_SURE


def test_probabilities_are_as_sure_as_the_first_vote():
    """Without labels flipped, classes that overlap must not be told apart with certainty."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2300, 8))
    chance = 1.0 / (1.0 + np.exp(-0.8 * X[:, 0] - 0.4 * X[:, 1]))
    y = (rng.random(len(X)) < chance).astype(int)
    model = RobustBoostClassifier().fit(X[:300], y[:300])
    found = model.predict_proba(X[300:])[:, 1]
    best = log_loss(y[300:], chance[300:])
    assert log_loss(y[300:], found) < best + 0.12
    assert str(model.choice_[0].what).startswith("gradient trees ")


@pytest.mark.parametrize("shares", [[0.5, 0.5], [0.8, 0.2], [0.5, 0.3, 0.2]])
def test_labels_of_which_features_say_nothing_are_not_judged(shares):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(400, 5)), rng.choice(len(shares), 400, p=shares)
    X[:, 1:] = 0.0
    X[:, 0] = np.arange(400) % 2
    audit = LabelAudit().fit(X, y)
    assert not audit.flagged_.any()
    np.testing.assert_allclose(audit.score_, 1.0)
    model = RobustBoostClassifier().fit(X, y)
    given = np.bincount(y) / len(y)
    np.testing.assert_allclose(model.predict_proba(X).mean(axis=0), given, atol=0.1)


@pytest.mark.filterwarnings("ignore:nu=")
@pytest.mark.parametrize("policy", ["soft", "keep"])
@pytest.mark.parametrize("model", ["auto", "committee", "soft-margin"])
def test_constant_features_leave_the_shares_of_the_classes(model, policy):
    X, y = np.ones((150, 2)), np.arange(150) % 3 == 0
    found = RobustBoostClassifier(model=model, policy=policy, cv=2).fit(X, y)
    shares = np.tile([2 / 3, 1 / 3], (150, 1))
    np.testing.assert_allclose(found.predict_proba(X), shares, atol=0.1)


@pytest.mark.parametrize(("n_rows", "share"), [(FEW_ROWS + 1, 0.4), (FOREST_ROWS + 1, 0.0)])
def test_share_of_a_forest_that_did_not_vote(n_rows, share):
    labels = np.arange(n_rows) % 2
    vote = np.full((n_rows, 2), 0.5)
    stack = Stack(np.ones(2), ONE_IN_A_HUNDRED, vote)
    mixture, _ = choose_mixture({"gradient trees": vote, "linear": vote}, stack, labels)
    assert mixture.linear == 0.0
    assert mixture.forest / (mixture.gradient + mixture.forest) == pytest.approx(share)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(
    ("n_rows", "clean", "rounds"),
    [(FEW_ROWS, False, 150), (FEW_ROWS, True, 300), (FEW_ROWS + 1, False, 300)],
)
def test_rounds_of_the_trees_that_stay(n_rows, clean, rounds, n_classes):
    assert committee_trees((n_rows, 10), n_classes, clean).n_estimators == rounds
    assert committee_trees((n_rows, 1000), n_classes, clean).n_estimators == rounds // 3


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("n_rows", [200, FEW_ROWS + 1])
def test_gradient_trees_are_symmetric(n_rows, n_classes):
    voter = default_voters(n_rows, n_classes)["gradient trees"]
    stays = committee_trees((n_rows, 10), n_classes, False)
    for trees in (voter, stays):
        assert trees.grow_policy == "symmetric"
