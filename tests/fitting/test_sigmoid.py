"""Votes turned into probabilities: the sigmoid, the rows it is fitted on, and what comes of it."""

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize
from scipy.special import log_softmax
from sklearn.datasets import load_iris, make_classification
from sklearn.metrics import log_loss, roc_auc_score

from marginboost import (
    ArcGVClassifier,
    BaggedVoteClassifier,
    BinnedMatrix,
    GentleBoostClassifier,
    LogitBoostClassifier,
    LPBoostClassifier,
    MulticlassBooster,
    RealAdaBoostClassifier,
    SmoothBoostClassifier,
    load,
)
from marginboost.data import Table
from marginboost.fitting import held_back
from marginboost.fitting.held_back import MOST_ROWS, KeyedRows, divide, find_borders, hold_back
from marginboost.fitting.sigmoid import VotedRows, fit_sigmoid, refit_offsets, sigmoid_of
from marginboost.model import SigmoidLink

VOTERS = (LPBoostClassifier(nu=0.2), ArcGVClassifier(n_estimators=30), BaggedVoteClassifier())
TOO_SURE = (GentleBoostClassifier(), LogitBoostClassifier(), RealAdaBoostClassifier())


@pytest.fixture(scope="module")
def uneven():
    X, y = make_classification(
        3000, 8, n_informative=4, weights=[0.88], flip_y=0.02, class_sep=0.6, random_state=1
    )
    return X[:1500], y[:1500], X[1500:], y[1500:]


@pytest.mark.parametrize("n_classes", [2, 4])
def test_the_sigmoid_is_the_minimum_of_the_cross_entropy(n_classes):
    random = np.random.default_rng(n_classes)
    votes = random.uniform(-1, 1, (300, n_classes))
    labels = (votes + random.gumbel(size=votes.shape) / 2).argmax(axis=1)
    weights = random.integers(1, 4, 300).astype(float)
    counts = np.bincount(labels, weights)
    targets = np.where(np.eye(n_classes) == 1, counts[:, None] + 1.0, 1.0)
    targets = (targets / (counts + n_classes)[:, None])[labels]

    def loss(at):
        return -weights @ (targets * log_softmax(at[0] * votes + at[1:], axis=1)).sum(axis=1)

    best = minimize(loss, np.ones(n_classes + 1), tol=1e-12)
    if n_classes == 2:
        lead = (votes[:, 1] - votes[:, 0]) / 2.0
        link = fit_sigmoid(lead, labels, weights)
        assert link.slope == pytest.approx(2 * best.x[0], rel=1e-3)
        assert link.offsets[0] == pytest.approx(best.x[2] - best.x[1], abs=1e-3)
        copies = weights.astype(int)
        pair = np.repeat(lead, copies), np.repeat(labels, copies)
        repeated = fit_sigmoid(*pair, np.ones(copies.sum()))
        assert repeated.slope == pytest.approx(link.slope, rel=1e-9)
    else:
        link = fit_sigmoid(votes, labels, weights)
        assert link.slope == pytest.approx(best.x[0], rel=1e-3)
        np.testing.assert_allclose(link.offsets, best.x[1:] - best.x[1:].mean(), atol=1e-3)


def test_offsets_give_the_shares_of_the_classes():
    votes, labels = np.linspace(-1, 1, 200), (np.arange(200) % 5 == 0).astype(int)
    link = refit_offsets(SigmoidLink(2.0, (7.0,)), votes, labels, np.ones(200))
    assert link.slope == 2.0
    odds = 2.0 * votes + link.offsets[0]
    assert (1 / (1 + np.exp(-odds))).mean() == pytest.approx(0.2, abs=0.01)


def test_votes_of_no_use_leave_the_base_rate():
    labels = (np.arange(100) < 12).astype(int)
    chances = fit_sigmoid(np.full(100, -0.3), labels, np.ones(100))(np.array([-0.3]), 1.0)
    assert chances[0, 1] == pytest.approx(0.12, abs=0.01)
    against = fit_sigmoid(np.where(labels == 1, -0.9, -0.1), labels, np.ones(100))
    assert against.slope > 0


def test_rows_held_back_do_not_depend_on_order_copies_or_format():
    random = np.random.default_rng(0)
    X = np.where(random.random((60, 5)) < 0.4, 0.0, random.normal(size=(60, 5)))
    X[3, 2], y, names = np.nan, random.integers(0, 3, 60), list("abcde")
    learn, judge = hold_back(Table(X, names), y, np.ones(60))
    assert not (learn & judge).any()
    assert (learn | judge).all()
    for label in range(3):
        assert judge[y == label].sum() == (y == label).sum() // 3
    order = random.permutation(60)
    np.testing.assert_array_equal(
        hold_back(Table(X[order], names), y[order], np.ones(60))[1], judge[order]
    )
    twice = np.repeat(np.arange(60), 2)
    np.testing.assert_array_equal(
        hold_back(Table(X[twice], names), y[twice], np.ones(120))[1], judge[twice]
    )
    np.testing.assert_array_equal(
        hold_back(Table(sparse.csr_matrix(X), names), y, np.ones(60))[1], judge
    )
    assert hold_back(Table(X[:4], names), np.array([0, 0, 1, 1]), np.ones(4)) is None
    assert hold_back(BinnedMatrix.from_table(Table(X, names)), y, np.ones(60)) is not None


def asked_of(places):
    """Questions to several places."""
    return lambda question, *args: [question(rows, *args) for rows in places]


@pytest.mark.parametrize("at_once", [held_back.AT_ONCE, 37])
@pytest.mark.parametrize("most", [MOST_ROWS, 100])
def test_rows_held_back_in_any_division(monkeypatch, at_once, most):
    """Those with the smallest numbers of each class, copies counted once."""
    monkeypatch.setattr(held_back, "AT_ONCE", at_once)
    monkeypatch.setattr(held_back, "MOST_ROWS", most)
    rng = np.random.default_rng(1)
    keys = rng.integers(2**63, size=400, dtype=np.uint64) * 2 + 1
    keys[300:] = keys[rng.integers(300, size=100)]
    labels = rng.integers(0, 3, 400)
    rows = KeyedRows(keys, labels, np.ones(400))
    learn, judge = np.zeros((2, 400), dtype=bool)
    for label in range(3):
        own = np.unique(keys[labels == label])
        n_all = int(min(1.0, 1.5 * most / 400) * len(own))
        judge |= (labels == label) & np.isin(keys, own[: n_all // 3])
        learn |= (labels == label) & np.isin(keys, own[n_all // 3 : n_all])
    assert judge.sum() >= 30
    for borders in ([], [1], [130, 130, 399]):
        places = [
            KeyedRows(*(np.split(own, borders)[k] for own in rows)) for k in range(len(borders) + 1)
        ]
        found = find_borders(asked_of(places), 3)
        masks = np.concatenate([divide(place, found) for place in places], axis=1)
        np.testing.assert_array_equal(masks, [learn, judge])


def test_weights_of_the_second_fit_are_as_much_as_all():
    X, y = np.arange(90.0)[:, None], np.arange(90) % 2
    held = held_back.held_back(Table(X, ["a"]), y, np.where(y == 1, 2.0, 0.5))
    assert held.learning_weights().sum() == pytest.approx(45 * 2.5)
    assert held.n_rows == 90
    np.testing.assert_array_equal(np.sort([*held.learners, *held.judges]), np.arange(90))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_sigmoid_is_the_same_in_any_division(n_classes):
    rng = np.random.default_rng(n_classes)
    votes = rng.uniform(-1, 1, (300, n_classes))
    labels = (votes + rng.gumbel(size=votes.shape) / 2).argmax(axis=1)
    votes, weights = votes[:, 0] if n_classes == 2 else votes, rng.exponential(size=300)
    expected = fit_sigmoid(votes, labels, weights)
    order = rng.permutation(300)
    places = [
        VotedRows(votes[own], labels[own], weights[own]) for own in np.split(order, [1, 70, 299])
    ]
    assert sigmoid_of(asked_of(places)) == expected
    link = sigmoid_of(asked_of(places), 2.0)
    assert link == refit_offsets(SigmoidLink(2.0, expected.offsets), votes, labels, weights)


def test_the_second_fit_is_bounded():
    n = 4 * MOST_ROWS
    X, y = np.random.default_rng(0).normal(size=(n, 1)), np.arange(n) % 2
    learn, judge = hold_back(Table(X, ["a"]), y, np.ones(n))
    assert learn.sum() == pytest.approx(MOST_ROWS, rel=0.01)
    assert judge.sum() == pytest.approx(MOST_ROWS / 2, rel=0.01)


@pytest.mark.parametrize("model", [*VOTERS, *TOO_SURE])
def test_probabilities_can_be_used(model, uneven):
    X, y, unseen, truth = uneven
    chances = model.fit(X, y).predict_proba(unseen)
    base = log_loss(truth, np.tile(np.bincount(y) / len(y), (len(truth), 1)))
    assert log_loss(truth, chances) < base
    assert abs(chances[:, 1].mean() - truth.mean()) < 0.05
    assert chances.min() > 0.0
    assert chances.max() < 1.0
    votes = model.decision_function(unseen)
    assert roc_auc_score(truth, chances[:, 1]) == pytest.approx(roc_auc_score(truth, votes))
    np.testing.assert_array_equal(model.classes_[chances.argmax(axis=1)], model.predict(unseen))


@pytest.mark.parametrize(
    "model", [*VOTERS, *TOO_SURE, MulticlassBooster(VOTERS[0], code="all-pairs")]
)
def test_of_several_classes_and_from_files(model, tmp_path):
    X, y = load_iris(return_X_y=True)
    chances = model.fit(X, y).predict_proba(X)
    np.testing.assert_allclose(chances.sum(axis=1), 1.0)
    assert chances.min() > 0.0
    np.testing.assert_array_equal(model.classes_[chances.argmax(axis=1)], model.predict(X))
    assert log_loss(y, chances) < 0.5
    model.save(tmp_path / "model.json")
    np.testing.assert_array_equal(load(tmp_path / "model.json").predict_proba(X), chances)


def test_a_damaged_link_is_refused(tmp_path):
    X, y = load_iris(return_X_y=True)
    model = SmoothBoostClassifier(n_estimators=3).fit(X[:100], y[:100])
    model.save(tmp_path / "model.json")
    text = (tmp_path / "model.json").read_text()
    for bad in ('"link":{"slope":-1.0', '"link":{"slope":"NaN"', '"link":{"slop":1.0'):
        start = text.index('"link":{"slope"')
        changed = text[:start] + bad + text[text.index(",", start) :]
        (tmp_path / "model.json").write_text(changed)
        with pytest.raises(ValueError, match="link"):
            load(tmp_path / "model.json")


@pytest.mark.parametrize("n_rows", [2, 5, 20])
def test_tiny_tables(n_rows):
    X, y = np.arange(n_rows, dtype=float)[:, None], np.arange(n_rows) >= n_rows // 2
    chances = SmoothBoostClassifier(n_estimators=3).fit(X, y).predict_proba(X)
    assert ((chances > 0) & (chances < 1)).all()
