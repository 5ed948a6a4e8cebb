"""Parts of the audit by themselves: folds, votes, encoding, neighbours, leaks, planted flips."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit, softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

from marginboost import BinnedMatrix
from marginboost.audit import (
    LabelAudit,
    evaluate_audit,
    leaking_features,
    linear,
    plant_flips,
    votes,
)
from marginboost.audit.evidence import soft_margin_nu
from marginboost.audit.folds import fit_folds, make_folds
from marginboost.audit.neighbours import nearest_rows
from marginboost.audit.stacking import random_shares, sure_rows
from marginboost.audit.votes import Views, encode, fold_votes
from marginboost.data import Table
from marginboost.datasets import circle_2d

theory = settings(derandomize=True, deadline=None, max_examples=15, database=None)


def table_of(columns, categorical=None):
    frame = pd.DataFrame(columns)
    return Table.learn(frame, list(frame.columns), categorical)


# -- encoding ------------------------------------------------------------------------------------


def test_numbers_are_standardised_and_gaps_get_the_median_and_a_column():
    encoded = encode(table_of({"a": [1.0, 2.0, np.nan, 9.0], "b": [0.0, 0.0, 4.0, 4.0]}))
    filled = np.array([1.0, 2.0, 2.0, 9.0])
    expected = (filled - filled.mean()) / filled.std()
    np.testing.assert_allclose(encoded[:, 0], expected, rtol=1e-6)
    np.testing.assert_array_equal(encoded[:, 1], [0, 0, 1, 0])
    np.testing.assert_array_equal(encoded[:, 2], [-1, -1, 1, 1])
    assert encoded.shape == (4, 3)


@pytest.mark.filterwarnings("error")
def test_a_feature_without_spread_is_zero():
    columns = {"zero": np.zeros(3), "same": np.full(3, 7.5), "gone": np.full(3, np.nan)}
    encoded = encode(table_of(columns))
    np.testing.assert_array_equal(encoded, [[0, 0, 0, 1]] * 3)


def test_huge_numbers_do_not_overflow():
    encoded = encode(table_of({"a": [-1e308, 0.0, 1e308]}))
    np.testing.assert_allclose(encoded[:, 0], np.sqrt(1.5) * np.array([-1, 0, 1]), rtol=1e-6)


def test_categories_get_a_column_each():
    kinds = pd.Categorical(["red", "blue", None, "red", "green"], ["blue", "green", "red"])
    encoded = encode(table_of({"kind": kinds}))
    by_count = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1], [1, 0, 0, 0], [0, 0, 1, 0]]
    np.testing.assert_array_equal(encoded, by_count)


def test_rare_categories_share_a_column(monkeypatch):
    monkeypatch.setattr(linear, "MOST_LEVELS", 2)
    kinds = pd.Categorical([*"aaabbcd", None])
    encoded = encode(table_of({"kind": kinds}))
    expected = [[1, 0, 0, 0]] * 3 + [[0, 1, 0, 0]] * 2 + [[0, 0, 1, 0]] * 2 + [[0, 0, 0, 1]]
    np.testing.assert_array_equal(encoded, expected)


def test_categories_are_not_numbers_to_a_voter():
    """The label is that of the middle one of five categories: no line through numbers tells it."""
    rng = np.random.default_rng(0)
    kind = rng.integers(0, 5, 200)
    X = pd.DataFrame({"kind": pd.Categorical(kind), "noise": rng.normal(size=200), "same": 1.0})
    audit = LabelAudit(cv=3, n_jobs=1).fit(X, kind == 2)
    for name, vote in audit.votes_.items():
        assert np.isfinite(vote).all(), name
        assert (vote.argmax(axis=1) == audit.codes_).mean() > 0.98, name


def test_views():
    X, _ = circle_2d(30)
    views = Views(X, Table.learn(X, ["a", "b"], []), 1)
    np.testing.assert_array_equal(views.complete_numbers, X)
    assert Views(X, table_of({"kind": pd.Categorical(["a", "b"])})).complete_numbers is None
    assert Views(X, table_of({"a": [1.0, np.nan]})).complete_numbers is None
    line = LogisticRegression()
    assert views.of(line, True) is views.encoded
    assert views.of(line, False) is X
    for name in ("boosted stumps", "gradient trees", "forest"):
        ours = votes.default_voters(30)[name]
        assert views.of(ours, True) is views.voting_bins
        assert views.of(ours, False) is views.bins
    assert "forest" not in votes.default_voters(votes.FEW_ROWS + 1)


def test_default_voters_see_fewer_bins_of_small_tables(monkeypatch):
    X, _ = circle_2d(300)
    views = Views(X, Table.learn(X, ["a", "b"], []), 1)
    assert views.bins.n_bins.tolist() == [votes.MAX_BINS] * 2
    assert views.voting_bins.n_bins.tolist() == [votes.VOTING_BINS] * 2
    monkeypatch.setattr(votes, "FEW_ROWS", 299)
    large = Views(X, views.table, 1)
    assert large.voting_bins is large.bins


# -- votes ---------------------------------------------------------------------------------------


class Hard(ClassifierMixin, BaseEstimator):
    """A classifier that only predicts: the first feature's sign."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return self.classes_[(X[:, 0] > 0).astype(int)]


def test_votes_are_probabilities_however_a_classifier_answers():
    X, y = circle_2d(60)
    codes, cv = (y > 0).astype(int), KFold(3)
    folds = make_folds(cv, codes)
    by_probability = fold_votes(GaussianNB(), X, codes, 2, folds)
    expected = cross_val_predict(GaussianNB(), X, codes, cv=cv, method="predict_proba")
    np.testing.assert_allclose(by_probability, expected)
    scores = cross_val_predict(LinearSVC(), X, codes, cv=cv, method="decision_function")
    by_score = fold_votes(LinearSVC(), X, codes, 2, folds)
    np.testing.assert_allclose(by_score[:, 1], expit(scores), rtol=1e-6)
    np.testing.assert_allclose(by_score.sum(axis=1), 1.0)
    np.testing.assert_array_equal(fold_votes(Hard(), X, codes, 2, folds)[:, 1], X[:, 0] > 0)
    three = np.arange(60) % 3
    folds = make_folds(cv, three)
    scores = cross_val_predict(LinearSVC(), X, three, cv=cv, method="decision_function")
    np.testing.assert_allclose(
        fold_votes(LinearSVC(), X, three, 3, folds), softmax(scores, axis=1), rtol=1e-6
    )


def test_a_class_that_a_fold_did_not_learn_has_no_probability():
    X, y = np.arange(9.0)[:, None], np.repeat([0, 1, 2], 3)
    folds = [(np.arange(6), np.arange(6, 9)), (np.arange(3, 9), np.arange(3, 6))]
    folds.append((np.r_[0:3, 3:6], np.arange(3)))
    vote = fold_votes(GaussianNB(), X, y, 3, folds)
    assert (vote[6:, 2] == 0).all()
    assert (vote[3:6, 0] == 0).all()
    np.testing.assert_allclose(vote.sum(axis=1), 1.0)


def test_a_voter_learns_from_so_many_rows_at_most():
    X, y = circle_2d(90)
    folds = make_folds(3, y)
    for most, learnt in ((None, 60), (60, 60), (25, 25)):
        for model, test, rows in fit_folds(GaussianNB(), X, y, folds, most):
            assert model.class_count_.sum() == learnt
            np.testing.assert_array_equal(rows, X[test])


def cv_forms(y):
    yield KFold(3, shuffle=True, random_state=1)
    yield list(KFold(3, shuffle=True, random_state=1).split(y))
    yield KFold(3, shuffle=True, random_state=1).split(y)


def test_cv_is_a_number_a_splitter_or_an_iterable():
    X, y = circle_2d(60)
    beliefs = [LabelAudit(GaussianNB(), cv=cv).fit(X, y).belief_ for cv in cv_forms(y)]
    np.testing.assert_array_equal(beliefs[0], beliefs[1])
    np.testing.assert_array_equal(beliefs[0], beliefs[2])
    plain, numpy_number, default = (
        LabelAudit(GaussianNB(), cv=cv).fit(X, y).belief_ for cv in (5, np.int64(5), None)
    )
    np.testing.assert_array_equal(plain, numpy_number)
    np.testing.assert_array_equal(plain, default)
    assert (plain != beliefs[0]).any()


def test_no_more_folds_than_rows_of_the_rarest_class():
    X, y = np.arange(20.0)[:, None], np.repeat([0, 1], [17, 3])
    few, many = (LabelAudit(GaussianNB(), cv=cv).fit(X, y).belief_ for cv in (3, np.int64(9)))
    np.testing.assert_array_equal(few, many)


# -- neighbours ----------------------------------------------------------------------------------


@theory
@given(st.integers(0, 2**16), st.integers(1, 4), st.booleans())
def test_nearest_rows_by_all_distances(seed, k, copies):
    """Few values, so that rows coincide; distances are compared, since ties may go either way."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (12, 2)).astype(float) if copies else rng.normal(size=(12, 2))
    of, among = rng.permutation(12)[:5], rng.permutation(12)[: rng.integers(0, 9)]
    index, distance = nearest_rows(X, of, among, k)
    assert index.shape == distance.shape == (5, k)
    for i, row in enumerate(of):
        others = among[among != row]
        ways = np.sort(np.linalg.norm(X[others] - X[row], axis=1))[:k]
        n = len(ways)
        np.testing.assert_allclose(distance[i, :n], ways, atol=1e-12)
        assert len(set(index[i, :n])) == n
        assert set(index[i, :n]) <= set(others)
        np.testing.assert_allclose(
            np.linalg.norm(X[index[i, :n]] - X[row], axis=1), ways, atol=1e-12
        )
        assert (index[i, n:] == -1).all()
        assert np.isnan(distance[i, n:]).all()


def test_nobody_has_neighbours_among_nobody():
    X, some, nobody = np.arange(4.0)[:, None], np.array([0, 2]), np.array([], dtype=int)
    index, distance = nearest_rows(X, some, nobody, 2)
    np.testing.assert_array_equal(index, -np.ones((2, 2)))
    assert np.isnan(distance).all()
    assert nearest_rows(X, nobody, some, 2)[0].shape == (0, 2)


# -- leaks ---------------------------------------------------------------------------------------


def leaks(columns, y):
    frame = pd.DataFrame(columns)
    return leaking_features(BinnedMatrix.from_data(frame), np.asarray(y))


def test_a_few_cuts_that_tell_every_label_leak_and_many_do_not():
    x = np.arange(400)
    for blocks, found in ((2, ["x"]), (8, ["x"]), (9, []), (100, [])):
        assert leaks({"x": x}, x * blocks // 400 % 2) == found, blocks


def test_a_feature_leaks_from_99_5_percent_on():
    x = np.arange(400)
    for n_wrong, found in ((0, ["x"]), (2, ["x"]), (3, [])):
        y = (x >= 200).astype(int)
        y[[50, 100, 150][:n_wrong]] = 1
        assert leaks({"x": x // 40}, y) == found, n_wrong


def test_a_category_for_each_row_is_a_name_and_no_leak_but_a_few_are():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    names = pd.Categorical([f"row {i}" for i in range(200)])
    answer = pd.Categorical(np.where(y == 1, "yes", "no"))
    assert leaks({"name": names, "answer": answer, "x": rng.normal(size=200)}, y) == ["answer"]


def test_a_rare_class_alone_is_no_leak():
    """Everything is nearly always the common class: a feature that knows nothing says as much."""
    y = (np.arange(1000) < 4).astype(int)
    noise = np.random.default_rng(0).permutation(1000) // 100
    assert leaks({"noise": noise}, y) == []
    assert leaks({"noise": noise, "told": pd.Categorical(y)}, y) == ["told"]


def test_evidence_names_leaks_once():
    X, y = circle_2d(100)
    audit = LabelAudit(GaussianNB()).fit(np.column_stack([X, y]), y)
    assert audit.evidence.leaking == ["x2"]


# -- planted flips -------------------------------------------------------------------------------


def test_planted_flips_are_wrong_labels_of_the_kind_asked_for():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], [300, 200, 100])
    X = rng.normal(size=(600, 2))
    for kind in ("uniform", "class-conditional", "feature-dependent"):
        labels, flipped = plant_flips(y, 0.1, kind, X=X, seed=3)
        np.testing.assert_array_equal(labels != y, flipped)
        assert flipped.sum() == 60
        if kind == "class-conditional":
            assert (y[flipped] == 0).all()
        elif kind == "feature-dependent":
            assert X[flipped, 0].mean() > 0.5 > X[flipped, 1].mean()
        else:
            assert set(labels[flipped & (y == 0)]) == {1, 2}


def test_flips_near_the_boundary_take_the_likeliest_other_label():
    belief = np.array([[0.9, 0.05, 0.05]] * 90 + [[0.4, 0.35, 0.25]] * 10)
    labels, flipped = plant_flips(
        np.r_[np.zeros(90, int), np.zeros(5, int), 1, 2, 1, 2, 1],
        0.05,
        "near-boundary",
        belief=belief,
        seed=1,
    )
    assert flipped[90:].sum() >= 3
    at = np.flatnonzero(flipped[90:95]) + 90
    assert (labels[at] == 1).all()


def test_no_more_rows_are_flipped_than_may_be():
    y = np.repeat([0, 1], [20, 80])
    _, flipped = plant_flips(y, 0.95, "class-conditional")
    np.testing.assert_array_equal(flipped, y == 1)
    for missing in ("near-boundary", "feature-dependent"):
        with pytest.raises(ValueError, match="got None, expected"):
            plant_flips(y, 0.1, missing)
    with pytest.raises(ValueError, match="y: got 1 class"):
        plant_flips([1, 1], 0.1)


# -- small formulas ------------------------------------------------------------------------------


def test_shares_of_random_labels_by_hand():
    """Ten sure rows of each class, of which one of class 0 carries label 1."""
    belief = np.repeat([[0.99, 0.01], [0.01, 0.99], [0.6, 0.4], [0.4, 0.6]], [10, 10, 20, 20], 0)
    labels = np.repeat([0, 1, 0, 1], [10, 10, 20, 20])
    labels[4] = 1
    labels[20:30] = 1  # contradicted, but not among the surest 30 %
    common = 1.5 / 19.0  # of 9 + 9 rows of another class, one; nine of each class are sure
    expected = [20.0 / (9 + 20.0 / common), 21.0 / (9 + 20.0 / common)]
    np.testing.assert_allclose(random_shares(sure_rows(belief.T, labels)), expected)
    wrong = random_shares(sure_rows(belief.T, 1 - labels))
    assert wrong.sum() == pytest.approx(0.9)  # some label must be worth something


def test_room_for_labels_that_must_fail():
    assert soft_margin_nu(0.1, 1000) == pytest.approx(0.3)
    assert soft_margin_nu(0.0, 1000) == 0.05
    assert soft_margin_nu(0.0, 10) == 0.2
    assert soft_margin_nu(0.5, 1000) == 0.9


def test_evaluation_counts_what_was_planted():
    X, y = circle_2d(200)
    audit = LabelAudit(GaussianNB(), cv=4)
    score = evaluate_audit(audit, X, y, rate=0.1, seed=2)
    noisy, flipped = plant_flips(y, 0.1, seed=2)
    found = LabelAudit(GaussianNB(), cv=4).fit(X, noisy)
    assert score.planted_rate == 0.1
    assert score.noise_rate == found.noise_rate_
    assert score.flagged_precision == flipped[found.flagged_].mean()
    assert score.flagged_recall == found.flagged_[flipped].mean()
    assert score.precision_at_k == flipped[np.argsort(found.score_, kind="stable")[:20]].mean()
    ranked = flipped[np.argsort(found.score_, kind="stable")]
    precisions = np.cumsum(ranked) / np.arange(1, 201)
    assert score.average_precision == pytest.approx(precisions[ranked].mean(), abs=1e-3)
    assert score.errors == {}
    assert not hasattr(audit, "score_")
