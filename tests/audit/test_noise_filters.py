"""Noise filters: the interface they share, and what each of them must do."""

import math
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.stats import rankdata
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import KFold, LeaveOneOut, ShuffleSplit, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from marginboost import AdaBoostClassifier, BinnedMatrix, TreeOracle
from marginboost.audit import (
    AdaBoostFilter,
    ConsensusFilter,
    CrossValidatedFilter,
    DecisionVolumeFilter,
    FilteredClassifier,
    GambergerFilter,
    GuyonFilter,
    LabelAudit,
    MajorityFilter,
    NoiseFilter,
    OkaFilter,
    RegressionFilter,
    RobustTreeFilter,
    SingleFilter,
    SrinivasanFilter,
    TomekFilter,
    WilsonFilter,
    filter_errors,
    log_decision_volumes,
    plant_flips,
)
from marginboost.audit.filters.decision_volume import smallest
from marginboost.audit.filters.gamberger import choose_literals
from marginboost.audit.folds import make_folds
from marginboost.datasets import circle_2d, flip_labels

theory = settings(derandomize=True, deadline=None, max_examples=25, database=None)
few = settings(theory, max_examples=10)

FILTERS = NoiseFilter.__registry__
FOR_LABELS = [make for name, make in FILTERS.items() if name != "RegressionFilter"]
VOTERS = [DecisionTreeClassifier(max_depth=d, random_state=0) for d in (1, 2, 3)]


def two_blobs(n=120, noise=0.08, seed=0, classes=2):
    """Well separated classes with some labels moved on to the next class."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % classes
    X = rng.normal(size=(n, 2)) + 6.0 * np.column_stack([y, y**2 % 3])
    flipped = np.zeros(n, dtype=bool)
    flipped[rng.choice(n, round(noise * n), replace=False)] = True
    return X, np.where(flipped, (y + 1) % classes, y), flipped


def assert_far_above_chance(found, flipped):
    """By chance precision is 0.08 and the area under the curve of the scores 0.5."""
    errors = filter_errors(found.flagged_, flipped)
    assert errors.recall >= 0.3, errors
    assert errors.precision >= 0.3, errors
    assert roc_auc_score(~flipped, rankdata(found.score_)) >= 0.8


# -- the interface -----------------------------------------------------------------------------


@parametrize_with_checks([*(make() for make in FILTERS.values()), FilteredClassifier()])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def test_all_filters_of_the_seed_are_registered():
    assert len(FILTERS) == 14


@pytest.mark.parametrize("make", FILTERS.values())
def test_docstring_names_every_parameter_and_result(make):
    for name in (*make().get_params(deep=False), "flagged_", "score_"):
        assert f"{name} :" in make.__doc__, name


@pytest.mark.slow
@pytest.mark.parametrize("make", FOR_LABELS)
def test_planted_noise_is_found(make):
    X, y, flipped = two_blobs(300)
    found = make().fit(X, y)
    assert found.flagged_.dtype == bool
    assert found.flagged_.shape == found.score_.shape == y.shape
    assert_far_above_chance(found, flipped)


@pytest.mark.slow
def test_scores_of_filters_and_audit_mean_the_same():
    """The higher the cleaner: labels flipped on purpose are low in every one of them."""
    X, y, flipped = two_blobs(120)
    for made in (*(make() for make in FOR_LABELS), LabelAudit(cv=3)):
        place = rankdata(made.fit(X, y).score_)
        assert place[flipped].mean() < 40 < place[~flipped].mean(), made
        assert place[made.flagged_].mean() < 30, made


@pytest.mark.parametrize("make", FOR_LABELS)
def test_filters_repeat_and_take_any_labels(make):
    X, y, _ = two_blobs(60)
    names = np.array(["no", "yes"])[y]
    first, again, named = (make().fit(X, labels) for labels in (y, y, names))
    np.testing.assert_array_equal(first.flagged_, again.flagged_)
    np.testing.assert_array_equal(first.score_, again.score_)
    np.testing.assert_array_equal(first.flagged_, named.flagged_)


@pytest.mark.parametrize("make", [m for m in FOR_LABELS if not m.two_classes])
def test_three_classes(make):
    X, y, flipped = two_blobs(300, classes=3)
    assert_far_above_chance(make().fit(X, y), flipped)


@pytest.mark.parametrize("make", [m for m in FOR_LABELS if m.two_classes])
def test_two_classes_only(make):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=r"got 3 classes"):
        make().fit(X, y)


@pytest.mark.parametrize("make", FOR_LABELS)
def test_one_class_is_an_error(make):
    with pytest.raises(ValueError, match=r"y: got one class \(0\)"):
        make().fit(np.zeros((5, 2)), np.zeros(5, dtype=int))


@pytest.mark.parametrize("make", [m for m in FOR_LABELS if m.reads_numbers and not m.takes_missing])
def test_missing_values_are_an_error_where_rows_must_be_complete(make):
    X, y, _ = two_blobs(40)
    X[3, 1] = np.nan
    with pytest.raises(ValueError, match=r"NaN"):
        make().fit(X, y)


@pytest.mark.parametrize("make", [m for m in FOR_LABELS if not m.reads_numbers])
def test_missing_values_and_sparse_rows_where_voters_take_them(make):
    X, y, flipped = two_blobs()
    X[5, 1] = np.nan
    assert filter_errors(make().fit(X, y).flagged_, flipped).recall >= 0.8
    found = make().fit(sparse.coo_matrix(np.nan_to_num(X)), y)
    assert filter_errors(found.flagged_, flipped).recall >= 0.8


def test_fit_clean_returns_the_other_rows():
    X, y, _ = two_blobs(60)
    frame = pd.DataFrame(X, columns=["a", "b"], index=np.arange(100, 160))
    kept, labels = WilsonFilter().fit_clean(frame, pd.Series(y, index=frame.index))
    noisy = WilsonFilter().fit(X, y).flagged_
    assert 0 < noisy.sum() < 20
    pd.testing.assert_frame_equal(kept, frame[~noisy])
    np.testing.assert_array_equal(labels, y[~noisy])
    plain, _ = WilsonFilter().fit_clean(X.tolist(), y.tolist())
    np.testing.assert_array_equal(plain, X[~noisy])


# -- cross-validated filters ---------------------------------------------------------------------


def test_every_row_is_judged_once_by_voters_that_never_saw_it():
    X, y, _ = two_blobs(60)
    cv = KFold(4, shuffle=True, random_state=3)
    found = CrossValidatedFilter(VOTERS, cv=cv).fit(X, y)
    for j, voter in enumerate(VOTERS):
        expected = cross_val_predict(voter, X, y, cv=cv) != y
        np.testing.assert_array_equal(found.errors_[:, j], expected)
    np.testing.assert_array_equal(found.score_, 1.0 - found.errors_.mean(axis=1))


def test_metric_of_ones_own():
    X, y, _ = two_blobs(60)
    plain = CrossValidatedFilter(VOTERS).fit(X, y)
    weighted = CrossValidatedFilter(
        VOTERS, metric=lambda errors: errors @ [1.0, 2.0, 3.0], threshold=2.5
    ).fit(X, y)
    metric = plain.errors_ @ [1.0, 2.0, 3.0]
    np.testing.assert_array_equal(weighted.score_, 1.0 - metric)
    np.testing.assert_array_equal(weighted.flagged_, metric > 2.5)
    with pytest.raises(ValueError, match=r"metric: got shape \(3,\)"):
        CrossValidatedFilter(VOTERS, metric=lambda errors: errors[:3, 0]).fit(X, y)


@few
@given(st.integers(0, 2**16), st.sampled_from([0.0, 0.3, 0.5, 0.7]))
def test_special_cases_of_the_framework(seed, threshold):
    """Majority, consensus and single are the framework; consensus is the stricter (CH-C18)."""
    X, y, _ = two_blobs(50, noise=0.25, seed=seed)
    framework = CrossValidatedFilter(VOTERS, threshold=threshold, random_state=seed).fit(X, y)
    majority = MajorityFilter(VOTERS, threshold=threshold, random_state=seed).fit(X, y)
    consensus = ConsensusFilter(VOTERS, random_state=seed).fit(X, y)
    np.testing.assert_array_equal(majority.flagged_, framework.flagged_)
    np.testing.assert_array_equal(consensus.flagged_, framework.errors_.all(axis=1))
    assert not (consensus.flagged_ & ~majority.flagged_).any()
    single = SingleFilter(VOTERS[1], random_state=seed).fit(X, y)
    np.testing.assert_array_equal(single.flagged_, framework.errors_[:, 1] == 1)


@pytest.mark.slow
@few
@given(st.integers(0, 2**16))
def test_a_larger_threshold_flags_no_more(seed):
    """CH-C19: the sets are nested."""
    X, y, _ = two_blobs(50, noise=0.25, seed=seed)
    for made in (MajorityFilter(VOTERS, random_state=seed), AdaBoostFilter(random_state=seed)):
        sets = [made.set_params(threshold=p).fit(X, y).flagged_ for p in (0.2, 0.5, 0.8)]
        assert not (sets[1] & ~sets[0]).any()
        assert not (sets[2] & ~sets[1]).any()


def test_random_state_moves_the_folds():
    X, y = load_breast_cancer(return_X_y=True)
    flags = [AdaBoostFilter(random_state=seed).fit(X, y).flagged_ for seed in (None, 0, 1)]
    np.testing.assert_array_equal(flags[0], flags[1])
    assert (flags[1] != flags[2]).any()


def test_folds():
    y = np.array([0] * 9 + [1] * 6)
    folds = make_folds(3, y)
    assert sorted(np.concatenate([test for _, test in folds]).tolist()) == list(range(15))
    for train, test in folds:
        assert not set(train) & set(test)
        assert y[test].sum() == 2  # stratified
    given_folds = [(np.arange(5, 15), np.arange(5)), (np.arange(5), np.arange(5, 15))]
    assert len(make_folds(given_folds, y)) == 2
    with pytest.raises(ValueError, match=r"cv: row \d+ is in \d test folds"):
        make_folds(ShuffleSplit(2, random_state=0), y)
    with pytest.raises(ValueError, match=r"cv: got 1"):
        make_folds(1, y)
    with pytest.raises(TypeError, match=r"cv: got 'five', expected an integer, a splitter"):
        make_folds("five", y)
    with pytest.raises(ValueError, match=r"cv: row 0 is learnt from and judged in one fold"):
        make_folds([(np.arange(15), np.arange(5)), (np.arange(5), np.arange(5, 15))], y)
    with pytest.raises(ValueError, match=r"cv: got row 15 of 15 rows"):
        make_folds([(np.arange(5), np.arange(5, 16)), (np.arange(5, 15), np.arange(5))], y)
    with pytest.raises(ValueError, match=r"cv: got no folds"):
        make_folds([], y)
    assert len(make_folds(None, np.arange(20) % 2)) == 5


# -- AdaBoost's base learners (Algorithm 7) ------------------------------------------------------


def test_adaboost_filter_counts_unweighted_base_learners():
    """CH-A15 by hand: stumps of each fold, without their coefficients."""
    X, y = load_breast_cancer(return_X_y=True)
    cv = KFold(3, shuffle=True, random_state=5)
    expected = np.empty(len(y))
    for train, test in cv.split(X):
        stumps = AdaBoostClassifier(n_estimators=4).fit(X[train], y[train]).estimators_
        signs = np.where(y[test] == 1, 1.0, -1.0)
        wrong = [stump(X[test]) != signs for stump in stumps]
        expected[test] = np.mean(wrong, axis=0)
    found = AdaBoostFilter(cv=cv).fit(X, y)
    np.testing.assert_array_equal(found.score_, 1.0 - expected)
    np.testing.assert_array_equal(found.flagged_, expected > 0.5)


def test_four_voters_know_only_two_rules():
    """0.5, 0.6 and 0.7 are three of four; 0.8 and 0.9 are all four."""
    X, y = load_breast_cancer(return_X_y=True)
    flags = [AdaBoostFilter(threshold=p).fit(X, y).flagged_ for p in (0.5, 0.6, 0.7, 0.8, 0.9)]
    np.testing.assert_array_equal(flags[0], flags[2])
    np.testing.assert_array_equal(flags[3], flags[4])
    assert (flags[0] != flags[3]).any()


def test_staged_scores_are_shorter_filters():
    X, y, _ = two_blobs(80, noise=0.2)
    staged = AdaBoostFilter(n_estimators=6).fit(X, y).staged_scores()
    for m in (1, 3, 6):
        np.testing.assert_array_equal(
            staged[m - 1], AdaBoostFilter(n_estimators=m).fit(X, y).score_
        )


def test_a_run_that_stops_early_has_fewer_voters():
    X = np.arange(12.0)[:, None]
    found = AdaBoostFilter(n_estimators=5, cv=KFold(2, shuffle=True, random_state=0)).fit(
        X, (X.ravel() > 5).astype(int)
    )
    assert np.isnan(found.errors_[:, 1:]).all()  # one stump is perfect
    assert np.isin(found.score_, (0.0, 1.0)).all()


def test_a_base_learner_that_abstains_has_no_vote():
    X, y, _ = two_blobs(40, noise=0.0)
    X[0] = np.nan  # nothing was missing in the other folds: every stump abstains
    rows = np.arange(40)
    found = AdaBoostFilter(cv=[(rows[20:], rows[:20]), (rows[:20], rows[20:])]).fit(X, y)
    assert np.isnan(found.errors_[0]).all()
    assert found.score_[0] == 1.0


def test_other_base_learners_and_binned_rows():
    X, y, flipped = two_blobs()
    trees = AdaBoostFilter(TreeOracle(max_depth=2)).fit(X, y)
    assert filter_errors(trees.flagged_, flipped).recall > 0.8
    bins = BinnedMatrix.from_data(X, max_bins=None)
    assert filter_errors(AdaBoostFilter().fit(bins, y).flagged_, flipped).recall >= 0.8


# -- decision volumes (Algorithm 9) --------------------------------------------------------------


def test_the_region_of_the_predicted_label_misses_labels_that_boosting_contradicts():
    """The thesis' reading: a flipped row lies in a large region of the other class."""
    X, y, flipped = two_blobs(300)
    found, printed = (
        filter_errors(DecisionVolumeFilter(fraction=0.08, label=label).fit(X, y).flagged_, flipped)
        for label in ("given", "predicted")
    )
    assert found.precision > 0.9
    assert printed.precision < 0.2


def test_of_empty_regions_the_most_contradicted_labels_are_flagged():
    """Many rows have none; which of them comes first in the table says nothing."""
    X = np.random.default_rng(0).normal(size=(300, 4))
    labels, flipped = plant_flips((X[:, 0] + X[:, 1] > 0).astype(int), 0.1)
    found = DecisionVolumeFilter().fit(X, labels)
    empty = np.isneginf(found.score_)
    assert empty.sum() > 2 * found.flagged_.sum()
    margins = found.model_.margins_
    assert margins[found.flagged_].max() <= margins[empty & ~found.flagged_].min()
    assert flipped[found.flagged_].mean() >= 0.75


@pytest.mark.parametrize("label", ["predicted", "given"])
def test_decision_volume_filter_takes_the_smallest(label):
    X, y = circle_2d(100)
    y, _ = flip_labels(y, 0.1)
    found = DecisionVolumeFilter(fraction=0.07, label=label).fit(X, y)
    volumes = log_decision_volumes(found.model_, X, y if label == "given" else None)
    np.testing.assert_array_equal(found.score_, volumes)
    assert found.flagged_.sum() == 7
    assert volumes[found.flagged_].max() <= volumes[~found.flagged_].min()


@pytest.mark.parametrize(("fraction", "flagged"), [(0.0, 0), (1.0, 100), (0.025, 2), (0.031, 3)])
def test_decision_volume_filter_flags_a_fraction(fraction, flagged):
    X, y = circle_2d(100)
    assert DecisionVolumeFilter(fraction=fraction).fit(X, y).flagged_.sum() == flagged


def test_equal_volumes_go_in_row_order():
    X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), [0, 0, 1, 1]
    noisy = DecisionVolumeFilter(fraction=0.25).fit(X, y).flagged_
    np.testing.assert_array_equal(noisy, [True, False, False, False])
    values = np.tile([1.0, 0.0], 500)
    np.testing.assert_array_equal(np.flatnonzero(smallest(values, 0.2)), np.arange(1, 400, 2))


# -- nearest neighbours --------------------------------------------------------------------------


@settings(few, max_examples=4)
@given(st.integers(0, 2**16), st.sampled_from([1, 3, 5]))
def test_wilson_is_leave_one_out_cross_validation(seed, k):
    """Two classes and an odd k: no ties, so scikit-learn's classifier says the same."""
    X, y, _ = two_blobs(20, noise=0.3, seed=seed)
    for standardise in (True, False):
        rows = StandardScaler().fit_transform(X) if standardise else X
        voter = KNeighborsClassifier(k)
        expected = cross_val_predict(voter, rows, y, cv=LeaveOneOut()) != y
        found = WilsonFilter(k, standardise=standardise).fit(X, y)
        np.testing.assert_array_equal(found.flagged_, expected)
        np.testing.assert_array_equal(found.flagged_, found.score_ < 0.5)


@few
@given(st.integers(0, 2**16))
def test_tomek_is_wilson_for_every_k(seed):
    X, y, _ = two_blobs(40, noise=0.3, seed=seed, classes=3)
    found = TomekFilter(4).fit(X, y)
    wilson = np.array([WilsonFilter(k).fit(X, y).flagged_ for k in (1, 2, 3, 4)])
    np.testing.assert_array_equal(found.flagged_, wilson.any(axis=0))
    np.testing.assert_allclose(found.score_, 1.0 - wilson.mean(axis=0))


def test_repeated_editing_ends_where_wilson_drops_nothing():
    X, y, _ = two_blobs(100, noise=0.2)
    found = TomekFilter(3, method="repeated", standardise=False).fit(X, y)
    kept = ~found.flagged_
    assert not WilsonFilter(3, standardise=False).fit(X[kept], y[kept]).flagged_.any()
    first = WilsonFilter(3, standardise=False).fit(X, y).flagged_
    np.testing.assert_array_equal(found.score_ == 0.0, first)
    assert not (first & ~found.flagged_).any()


def test_repeated_editing_does_not_lose_a_class():
    X = np.arange(8.0)[:, None]
    y = np.array([0, 0, 0, 1, 0, 0, 0, 0])
    assert not TomekFilter(3, method="repeated").fit(X, y).flagged_.any()


def test_a_tied_vote_is_for_the_row():
    X = np.array([[0.0], [1.0], [2.1]])
    np.testing.assert_array_equal(WilsonFilter(2).fit(X, [0, 1, 1]).flagged_, [True, False, False])


def test_a_copy_is_another_row():
    X = np.array([[0.0], [0.0], [1.0], [1.0]])
    noisy = WilsonFilter(1).fit(X, [0, 1, 1, 1]).flagged_
    np.testing.assert_array_equal(noisy, [True, True, False, False])


def test_oka_tells_exceptions_from_noise():
    """Two 1s among 0s vouch for each other; a lone one has nobody."""
    X = np.array([0.0, 1.0, 2.0, 3.0, 10.0, 10.1, 10.2, 10.3, 10.4, 20.0, 20.2, 20.4, 20.6])[
        :, None
    ]
    y = np.array([1, 1, 1, 1, 0, 0, 1, 0, 0, 0, 1, 1, 0])
    found = OkaFilter(1, threshold=0.5, standardise=False).fit(X, y)
    nearest = np.abs(X - X.T) + np.diag(np.full(len(X), np.inf))
    of = nearest.argmin(axis=1)
    irregular = y[of] != y
    for i in range(len(y)):
        region = np.flatnonzero(of == i)
        rate = (y[region] == y[i]).mean() if len(region) else 0.0
        assert found.rate_[i] == rate
        assert found.flagged_[i] == (irregular[i] and rate < 0.5)
        assert found.exceptions_[i] == (irregular[i] and rate >= 0.5)
    assert found.flagged_[6]
    assert OkaFilter(1, threshold=0.0).fit(X, y).flagged_.sum() == 0


# -- trees and theories --------------------------------------------------------------------------


def test_robust_tree_is_a_fixed_point():
    X, y, _ = two_blobs(120, noise=0.15)
    found = RobustTreeFilter().fit(X, y)
    kept = ~found.flagged_
    again = RobustTreeFilter().fit(X[kept], y[kept])
    assert not again.flagged_.any()
    assert (found.tree_.predict(X[kept]) == y[kept]).all()
    assert found.n_iter_ == 1 + len(np.unique(found.score_[found.flagged_]))
    first = clone(found).companion().fit(X, y)
    np.testing.assert_array_equal(found.score_ == 0.0, first.predict(X) != y)


def test_robust_tree_takes_missing_values():
    """What is missing is a side of the tree's splits, and may be all that tells the classes."""
    rng = np.random.default_rng(0)
    y = np.arange(100) % 2
    X = rng.normal(size=(100, 2))
    X[y == 1, 0] = np.nan
    flipped = np.isin(np.arange(100), [4, 33, 70])
    found = RobustTreeFilter().fit(X, np.where(flipped, 1 - y, y))
    np.testing.assert_array_equal(found.flagged_, flipped)
    model = FilteredClassifier(RobustTreeFilter()).fit(X, np.where(flipped, 1 - y, y))
    np.testing.assert_array_equal(model.predict(X), y)


def test_robust_tree_does_not_remove_a_class():
    X, y, _ = two_blobs(60, noise=0.4)
    with pytest.warns(UserWarning, match=r"would remove every row of a class"):
        found = RobustTreeFilter(ccp_alpha=10.0).fit(X, y)
    assert not found.flagged_.any()


def shortest_message(tree, node, bits_of_cut, n_classes):
    """Length of the best pruning, by the formulas of the docstring, over all prunings."""
    nodes = tree.tree_
    n = int(nodes.n_node_samples[node])
    errors = n - round(float(nodes.value[node, 0].max()) * n)
    leaf = 1 + math.log2(n + 1) + math.log2(math.comb(n, errors))
    leaf += errors * math.log2(n_classes - 1)
    if nodes.children_left[node] < 0:
        return leaf
    sides = (nodes.children_left[node], nodes.children_right[node])
    below = sum(shortest_message(tree, side, bits_of_cut, n_classes) for side in sides)
    return min(leaf, 1 + bits_of_cut[nodes.feature[node]] + below)


@few
@given(st.integers(0, 2**16), st.sampled_from([2, 3]))
def test_srinivasan_finds_the_shortest_message(seed, classes):
    X, y, _ = two_blobs(60, noise=0.15, seed=seed, classes=classes)
    found = SrinivasanFilter().fit(X, y)
    tree = DecisionTreeClassifier(criterion="entropy", random_state=0).fit(X, y)
    cut = [math.log2(2) + math.log2(len(np.unique(column)) - 1) for column in X.T]
    assert found.bits_ == pytest.approx(shortest_message(tree, 0, cut, classes))
    assert not (found.flagged_ & found.exceptions_).any()
    assert (found.score_ < 0).tolist() == found.flagged_.tolist()


def test_srinivasan_keeps_exceptions_that_pay():
    """Twelve of 1 in a row are worth a rule of their own, a lone one is not."""
    X = np.arange(200.0)[:, None]
    y = np.zeros(200, dtype=int)
    y[50:62] = 1
    y[130] = 1
    found = SrinivasanFilter().fit(X, y)
    np.testing.assert_array_equal(np.flatnonzero(found.flagged_), [130])
    assert found.exceptions_[50:62].all()


# -- literals ------------------------------------------------------------------------------------


def test_gamberger_drops_the_row_that_needs_a_literal_of_its_own():
    X = np.arange(20.0)[:, None]
    y = (X.ravel() >= 10).astype(int)
    y[4] = 1
    found = GambergerFilter().fit(X, y)
    np.testing.assert_array_equal(np.flatnonzero(found.flagged_), [4])
    assert found.n_literals_ == 1
    assert GambergerFilter(threshold=100.0).fit(X, y).n_literals_ > 1


@theory
@given(st.integers(0, 2**16))
def test_gamberger_leaves_what_its_literals_tell_apart(seed):
    """The cover is checked from outside: brute force over the literals of the rows left."""
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 4, (12, 2)).astype(float), rng.permutation(np.arange(12) % 2)
    found = GambergerFilter(threshold=0.6).fit(X, y)
    kept = ~found.flagged_
    first, second = X[kept & (y == 1)], X[kept & (y == 0)]
    for row in first:  # nothing inconsistent is left
        assert not (second == row).all(axis=1).any()
    pairs = [(p, n) for p in first for n in second]
    literals = [(j, c, s) for j in range(2) for c in range(3) for s in (1, -1)]

    def covers(literal, pair):
        j, cut, sign = literal
        below, above = (pair[0][j] <= cut, pair[1][j] > cut)
        return (below and above) if sign > 0 else (not below and not above)

    def enough(chosen):
        return all(any(covers(c, pair) for c in chosen) for pair in pairs)

    fewest = next(k for k in range(13) if any(enough(c) for c in combinations(literals, k)))
    assert fewest <= found.n_literals_ <= fewest + 2  # greedy, not optimal
    assert (found.score_[kept] >= -0.6).all()


@pytest.mark.parametrize("seed", range(40))  # in about one of ten a literal becomes superfluous
def test_gamberger_chooses_no_superfluous_literal(seed):
    """Every pair that can be told apart is; without any one of the literals, some pair is not."""
    rng = np.random.default_rng(seed)
    true, false = rng.random((20, 40)) < 0.4, rng.random((20, 40)) < 0.4
    chosen = choose_literals(true, false)

    def told(literals):
        return (true[:, None, literals] & false[None, :, literals]).any(axis=2)

    everything = told(np.arange(40))
    np.testing.assert_array_equal(told(chosen), everything)
    for literal in chosen:
        assert (told(chosen[chosen != literal]) != everything).any()


def test_gamberger_inconsistent_rows():
    X = np.array([[0.0], [0.0], [0.0], [1.0], [1.0], [2.0], [3.0]])
    y = np.array([0, 0, 1, 0, 1, 1, 1])
    found = GambergerFilter(threshold=10.0).fit(X, y)
    np.testing.assert_array_equal(found.inconsistent_, [0, 0, 1, 1, 1, 0, 0])
    assert (found.score_[[2, 3, 4]] == -np.inf).all()


def test_gamberger_limits():
    X, y, flipped = two_blobs()
    with pytest.raises(ValueError, match=r"expected at most max_pairs=100"):
        GambergerFilter(max_pairs=100).fit(X, y)
    coarse = GambergerFilter(max_cuts=3).fit(X, y)  # pairs inside a bin cannot be told apart
    assert filter_errors(coarse.flagged_, flipped).discarded <= 5


# -- surprise ------------------------------------------------------------------------------------


def test_guyon_is_the_surprise_of_a_model_of_the_rows_before():
    X, y = load_iris(return_X_y=True)
    order = np.random.RandomState(7).permutation(len(y))
    found = GuyonFilter(GaussianNB(), batch_size=10, standardise=False, random_state=7).fit(X, y)
    for start in (0, 50, 140):
        now, before = order[start : start + 10], order[:start]
        expected = np.full(10, np.log(3.0))
        if start:
            model = GaussianNB()
            for piece in np.split(before, start // 10):
                model.partial_fit(X[piece], y[piece], classes=[0, 1, 2])
            expected = -model.predict_log_proba(X[now])[np.arange(10), y[now]]
        np.testing.assert_allclose(found.score_[now], -expected, rtol=1e-6, atol=1e-9)
    np.testing.assert_array_equal(found.flagged_, found.score_ < -2.0)


def test_guyon_depends_on_the_order():
    X, y, _ = two_blobs(40, noise=0.1)
    scores = [GuyonFilter(random_state=seed).fit(X, y).score_ for seed in (None, 0, 1)]
    np.testing.assert_array_equal(scores[0], scores[1])
    assert (scores[1] != scores[2]).any()
    given_order = GuyonFilter(shuffle=False).fit(X, y).score_
    assert given_order[0] == -np.log(2.0)


def test_guyon_guesses_until_it_has_seen_every_class():
    X, y = np.arange(20.0)[:, None], np.repeat([0, 1], 10)
    score = GuyonFilter(shuffle=False).fit(X, y).score_
    np.testing.assert_array_equal(score[:11], -np.log(2.0))
    assert (score[11:] != -np.log(2.0)).all()


# -- regression ----------------------------------------------------------------------------------


def test_regression_filter_drops_outlying_points_and_refits():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 2))
    y = X @ [1.0, -2.0] + 0.1 * rng.normal(size=100)
    y[:3] += [5.0, -4.0, 0.9]  # the third shows only once the others are gone
    found = RegressionFilter().fit(X, y)
    assert found.flagged_[:3].all()
    assert found.flagged_.sum() <= 5
    assert found.n_iter_ >= 3
    kept = ~found.flagged_
    np.testing.assert_allclose(found.model_.coef_, LinearRegression().fit(X[kept], y[kept]).coef_)
    assert found.score_[kept].min() >= -3.0
    assert RegressionFilter(max_iter=1).fit(X, y).flagged_.sum() < found.flagged_.sum()


def test_regression_filter_leaves_a_perfect_fit_alone():
    X = np.arange(30.0)[:, None]
    assert not RegressionFilter().fit(X, 3 * X.ravel() - 7).flagged_.any()


# -- filter, then classify -----------------------------------------------------------------------


def test_both_kinds_of_single_algorithm_filters():
    """CH-A12a: the filtering algorithm classifies; CH-A12b: another one does."""
    X, y, _ = two_blobs(noise=0.15)
    tree = DecisionTreeClassifier(random_state=0)
    kept = ~SingleFilter(tree).fit(X, y).flagged_
    same = FilteredClassifier(SingleFilter(tree)).fit(X, y)
    assert isinstance(same.estimator_, DecisionTreeClassifier)
    np.testing.assert_array_equal(same.predict(X), clone(tree).fit(X[kept], y[kept]).predict(X))
    other = FilteredClassifier(SingleFilter(tree), LogisticRegression()).fit(X, y)
    expected = LogisticRegression().fit(X[kept], y[kept])
    np.testing.assert_allclose(other.predict_proba(X), expected.predict_proba(X))
    np.testing.assert_allclose(other.decision_function(X), expected.decision_function(X))
    assert not hasattr(same, "decision_function")


@pytest.mark.parametrize(
    ("noise_filter", "kind"),
    [
        (WilsonFilter(), Pipeline),
        (TomekFilter(standardise=False), KNeighborsClassifier),
        (RobustTreeFilter(), DecisionTreeClassifier),
        (AdaBoostFilter(), AdaBoostClassifier),
        (DecisionVolumeFilter(), AdaBoostClassifier),
    ],
)
def test_filters_with_a_classifier_of_their_own(noise_filter, kind):
    X, y, flipped = two_blobs()
    model = FilteredClassifier(noise_filter).fit(X, y)
    assert isinstance(model.estimator_, kind)
    assert model.score(X[~flipped], y[~flipped]) > 0.9
    assert not hasattr(noise_filter, "flagged_")  # the parameter itself is left alone


@pytest.mark.parametrize("made", [WilsonFilter(), TomekFilter(), TomekFilter(method="repeated")])
def test_neighbours_are_sought_in_the_same_features_to_flag_and_to_classify(made):
    """The first feature is all noise, and a thousand times as large as the one that tells."""
    rng = np.random.default_rng(0)
    y = np.arange(200) % 2
    X = np.column_stack([1000.0 * rng.normal(size=200), y + 0.1 * rng.normal(size=200)])
    train, test = np.arange(100), np.arange(100, 200)
    scaled = FilteredClassifier(made).fit(X[train], y[train])
    assert scaled.score(X[test], y[test]) > 0.95
    raw = FilteredClassifier(clone(made).set_params(standardise=False)).fit(X[train], y[train])
    assert raw.score(X[test], y[test]) < 0.7


def test_filtering_helps_a_learner_that_overfits():
    """CH-E12 in small: a nearest neighbour learns flipped labels by heart."""
    X, truth = circle_2d(400)
    y, _ = flip_labels(truth, 0.1)
    plain = KNeighborsClassifier(1).fit(X, y)
    cleaned = FilteredClassifier(WilsonFilter(5)).fit(X, y)
    X_new, y_new = circle_2d(1000, seed=1)
    assert cleaned.score(X_new, y_new) > plain.score(X_new, y_new) + 0.04


def test_a_class_is_never_lost():
    X = np.arange(9.0)[:, None]
    y = np.array([0, 0, 0, 0, 1, 0, 0, 0, 0])
    with pytest.warns(UserWarning, match=r"flags every row of class 1"):
        model = FilteredClassifier(WilsonFilter()).fit(X, y)
    np.testing.assert_array_equal(model.classes_, [0, 1])


@pytest.mark.parametrize("make", [MajorityFilter, ConsensusFilter, AdaBoostFilter, SingleFilter])
def test_a_class_of_one_row_cannot_be_judged(make):
    """Whoever judges it has never seen it."""
    X, y = np.arange(12.0)[:, None], np.array(["b", *["a"] * 11])
    with pytest.raises(ValueError, match=r"^y: a fold leaves one class \('a'\) to learn from"):
        make().fit(X, y)


# -- bad settings --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (CrossValidatedFilter([]), "voters: got []"),
        (MajorityFilter([DecisionTreeClassifier]), "voters: got <class"),
        (MajorityFilter(threshold=1.0), "threshold: got 1.0"),
        (ConsensusFilter("tree"), "voters: got 'tree'"),
        (CrossValidatedFilter(metric=3), "metric: got 3"),
        (SingleFilter(cv=1), "cv: got 1"),
        (AdaBoostFilter(n_estimators=0), "n_estimators: got 0"),
        (AdaBoostFilter(threshold=-0.1), "threshold: got -0.1"),
        (DecisionVolumeFilter(fraction=1.5), "fraction: got 1.5"),
        (DecisionVolumeFilter(label="true"), "label: got 'true'"),
        (DecisionVolumeFilter(LogisticRegression()), "estimator: got LogisticRegression"),
        (WilsonFilter(0), "n_neighbors: got 0"),
        (WilsonFilter(40), "n_neighbors: got 40, expected less than the number of rows, 40"),
        (TomekFilter(method="twice"), "method: got 'twice'"),
        (OkaFilter(threshold=2), "threshold: got 2"),
        (RobustTreeFilter(-1.0), "ccp_alpha: got -1.0"),
        (GambergerFilter(threshold=0), "threshold: got 0"),
        (GambergerFilter(max_cuts=0), "max_cuts: got 0"),
        (GambergerFilter(max_cuts=1.5), "max_cuts: got 1.5, expected an integer"),
        (GambergerFilter(max_pairs=0), "max_pairs: got 0"),
        (GambergerFilter(max_pairs=1.5), "max_pairs: got 1.5, expected an integer"),
        (AdaBoostFilter(n_estimators=1.5), "n_estimators: got 1.5, expected an integer"),
        (WilsonFilter(1.5), "n_neighbors: got 1.5, expected an integer"),
        (TomekFilter(1.5), "n_neighbors: got 1.5, expected an integer"),
        (OkaFilter(1.5), "n_neighbors: got 1.5, expected an integer"),
        (GuyonFilter(batch_size=1.5), "batch_size: got 1.5, expected an integer"),
        (RegressionFilter(max_iter=1.5), "max_iter: got 1.5, expected an integer"),
        (GuyonFilter(DecisionTreeClassifier()), "estimator: got DecisionTreeClassifier"),
        (GuyonFilter(batch_size=0), "batch_size: got 0"),
        (RegressionFilter(DecisionTreeClassifier()), "estimator: got DecisionTreeClassifier"),
        (RegressionFilter(threshold=0.5), "threshold: got 0.5"),
        (FilteredClassifier(DecisionTreeClassifier()), "noise_filter: got DecisionTree"),
        (FilteredClassifier(MajorityFilter()), "MajorityFilter has no classifier of its own"),
        (FilteredClassifier(WilsonFilter(), estimator=3), "estimator: got 3"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_bad_settings_are_named(made, message):
    X, y, _ = two_blobs(40)
    with pytest.raises((TypeError, ValueError)) as caught:
        made.fit(X, y)
    assert message in str(caught.value)


def test_regression_target_must_be_numbers():
    with pytest.raises(ValueError, match=r"y: got NaN or infinity"):
        RegressionFilter().fit([[1.0], [2.0]], [1.0, np.nan])
    with pytest.raises(ValueError, match=r"y: got 3 values for 2 rows"):
        RegressionFilter().fit([[1.0], [2.0]], [1.0, 2.0, 3.0])
