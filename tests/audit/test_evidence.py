"""Evidence of an audit against the theory behind it, and against the functions it is read from."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import KFold
from sklearn.naive_bayes import GaussianNB

from marginboost import AdaBoostRegClassifier
from marginboost.audit import LabelAudit, log_cell_volumes, log_decision_volumes, plant_flips
from marginboost.audit.evidence import ROUNDS, soft_margin_nu
from marginboost.audit.votes import boosted_stumps
from marginboost.datasets import circle_2d


@pytest.fixture(scope="module")
def audit():
    X, y = circle_2d(150)
    noisy, _ = plant_flips(y, 0.1, seed=1)
    return X, noisy, LabelAudit(GaussianNB(), cv=3, n_jobs=1).fit(X, noisy)


def test_weights_and_slack_of_the_soft_margin_program():
    """Weights sum to one, so their mean over the cap is ν; a row that falls short is at the cap."""
    y = np.arange(150) % 2
    X = np.random.default_rng(0).normal(size=(150, 2)) + 2.5 * y[:, None]
    noisy, flipped = plant_flips(y, 0.1, seed=1)
    evidence = LabelAudit(GaussianNB(), cv=3, n_jobs=1).fit(X, noisy).evidence
    assert evidence.weight_at_cap.mean() == pytest.approx(evidence.nu, rel=0.01)
    assert (evidence.weight_at_cap >= 0).all()
    assert (evidence.slack >= 0).all()
    short = evidence.slack > 0.02  # the program is solved to a gap of 0.01
    assert short[flipped].mean() > 0.5 > 5 * short[~flipped].mean()
    assert (evidence.weight_at_cap[short] > 0.99).all()
    assert (evidence.slack[evidence.weight_at_cap < 0.5] < 0.02).all()


def test_room_is_that_of_the_worst_of_noise_and_misfit(audit):
    X, noisy, found = audit
    model = AdaBoostRegClassifier(C=0.0, n_estimators=ROUNDS).fit(found.evidence.bins, noisy)
    misfit = np.mean(model.margins_ <= 0)
    assert found.evidence.nu == soft_margin_nu(max(misfit, found.noise_rate_), len(X))
    heavy = np.where(found.score_ < 0.5, 5.0, 1.0)
    by_weight = max(
        np.average(1.0 - found.score_, weights=heavy),
        np.average(model.margins_ <= 0, weights=heavy),
    )
    assert found.evidence.nu_for(weights=heavy) == pytest.approx(soft_margin_nu(by_weight, len(X)))
    assert found.evidence.nu_for(weights=heavy) > found.evidence.nu


def test_influence_and_volumes_are_those_of_boosted_stumps(audit):
    X, noisy, found = audit
    evidence = found.evidence
    model = AdaBoostRegClassifier(C=0.0, n_estimators=ROUNDS).fit(evidence.bins, noisy > 0)
    np.testing.assert_allclose(evidence.influence, len(X) * model.influence_)
    np.testing.assert_allclose(
        evidence.log_decision_volume, log_decision_volumes(evidence.models[1], X, noisy > 0)
    )
    np.testing.assert_allclose(evidence.log_cell_volume, log_cell_volumes(evidence.models[1], X))


def test_with_several_classes_a_row_is_seen_against_all_others():
    X, y = load_iris(return_X_y=True)
    evidence = LabelAudit(GaussianNB(), cv=3, n_jobs=1).fit(X, y).evidence
    rows = np.array([3, 60, 110, 77])
    assert set(evidence.models) == {0, 1, 2}
    votes = evidence.intercepts(rows) + evidence.contributions(rows).sum(axis=1)
    expected = np.zeros(len(rows))
    for train, test in KFold(5, shuffle=True, random_state=0).split(X):
        stumps = boosted_stumps().fit(evidence.bins.take(train), y[train])
        found = stumps.decision_function(evidence.bins.take(rows))
        here = np.isin(rows, test)
        expected[here] = found[np.arange(len(rows)), y[rows]][here]
    np.testing.assert_allclose(votes, expected, atol=1e-12)
    near = evidence.neighbours(rows)
    np.testing.assert_array_equal(y[near.agreeing], y[rows])
    assert (y[near.disagreeing] != y[rows]).all()
    assert evidence.influence.shape == (150,)


def test_a_label_of_its_own_has_no_agreeing_neighbour():
    X = np.arange(8.0)[:, None]
    folds = [(np.r_[1:8], np.r_[0:1]), (np.r_[0:4], np.r_[4:8]), (np.r_[0, 4:8], np.r_[1:4])]
    y = np.array([0, 1, 1, 1, 2, 2, 2, 2])
    near = LabelAudit(GaussianNB(), cv=folds).fit(X, y).evidence.neighbours(np.array([0, 5]))
    assert near.agreeing[0] == -1
    assert np.isnan(near.agreeing_distance[0])
    assert near.disagreeing.tolist() == [1, 3]
