"""Paths over ν and C: the choice, its standard errors, and what the folds see."""

import re

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import KFold, ShuffleSplit

from marginboost import (
    AdaBoostRegClassifier,
    AdaBoostRegClassifierCV,
    BarrierBoostClassifier,
    BarrierBoostClassifierCV,
    LPBoostClassifier,
    LPBoostClassifierCV,
    MulticlassBooster,
    TreeOracle,
)
from marginboost.algorithms.lpboost_cv import NuPath
from marginboost.core.sample import Sample
from marginboost.datasets import circle_2d, flip_labels, twonorm
from marginboost.estimators.base import algorithm_of
from marginboost.fitting import cross_validation

SMALL = {
    LPBoostClassifierCV: ({"nus": [0.2, 0.5, 0.8]}, "nu_"),
    AdaBoostRegClassifierCV: ({"Cs": [0.0, 0.1], "n_estimators": 30}, "C_"),
    BarrierBoostClassifierCV: ({"Cs": [0.01, 0.05]}, "C_per_row_"),
}


@pytest.fixture(scope="module")
def noisy():
    X, y = twonorm(200)
    return X, flip_labels(y, 0.15)[0]


@pytest.mark.parametrize("make", SMALL)
def test_results_agree_with_each_other(make, noisy):
    settings, chosen = SMALL[make]
    model = make(cv=4, **settings).fit(*noisy)
    results = model.cv_results_
    values = results[chosen.rstrip("_")]
    assert (np.diff(values) < 0).all()  # the most regularised first
    assert results["errors"].shape == (4, len(values))
    np.testing.assert_allclose(results["mean_error"], results["errors"].mean(axis=0))
    expected = results["errors"].std(axis=0, ddof=1) / 2
    np.testing.assert_allclose(results["standard_error"], expected)
    best = int(np.argmin(results["mean_error"]))
    assert getattr(model, chosen) == values[best]
    assert model.cv_error_ == results["mean_error"].min()


@pytest.mark.parametrize(
    ("make", "plain", "name"),
    [
        (LPBoostClassifierCV, LPBoostClassifier, "nu"),
        (AdaBoostRegClassifierCV, AdaBoostRegClassifier, "C"),
        (BarrierBoostClassifierCV, BarrierBoostClassifier, None),
    ],
)
def test_final_model_is_the_plain_one_at_the_chosen_value(make, plain, name, noisy):
    X, y = noisy
    model = make(cv=3, **SMALL[make][0]).fit(X, y)
    same = {"n_estimators": model.n_estimators}
    chosen = model.C_per_row_ * model.total_weight_ if name is None else getattr(model, f"{name}_")
    direct = plain(**{name or "C": chosen}, **same).fit(X, y)
    np.testing.assert_allclose(model.decision_function(X), direct.decision_function(X), atol=1e-12)
    assert model.certificate_ == direct.certificate_
    np.testing.assert_allclose(model.predict_proba(X), direct.predict_proba(X))


def test_price_per_row_scales_with_the_rows(noisy):
    X, y = noisy
    model = BarrierBoostClassifierCV(Cs=[0.02], cv=2).fit(X, y)
    assert pytest.approx(0.02 * len(y)) == model.C_per_row_ * model.total_weight_


@pytest.mark.slow
def test_one_standard_error_regularises_more(noisy):
    best = LPBoostClassifierCV(nus=[0.1, 0.3, 0.5, 0.7, 0.9], cv=4).fit(*noisy)
    simple = clone(best).set_params(choice="one-se").fit(*noisy)
    assert simple.nu_ >= best.nu_
    mean, spread = simple.cv_results_["mean_error"], simple.cv_results_["standard_error"]
    at = int(np.argmin(mean))
    assert simple.cv_error_ <= mean[at] + spread[at]


def test_bound_chooses_where_the_margin_is_positive(noisy):
    model = LPBoostClassifierCV(nus=[0.3, 0.6, 0.9], choice="bound", cv=2).fit(*noisy)
    bounds = model.cv_results_["bound"]
    assert model.nu_ == model.cv_results_["nu"][int(np.argmin(bounds))]
    assert model.rho_ > 0


@pytest.mark.slow
def test_optimal_nu_grows_with_the_noise():
    """R2-E6: the best ν is larger where more labels are wrong."""
    X, y = twonorm(300)
    grid = [0.05, 0.2, 0.5, 0.8]
    clean = LPBoostClassifierCV(nus=grid, cv=3, choice="one-se").fit(X, y)
    wrong = LPBoostClassifierCV(nus=grid, cv=3, choice="one-se").fit(X, flip_labels(y, 0.25)[0])
    assert wrong.nu_ >= clean.nu_
    assert wrong.nu_ >= 0.25


def test_warm_start_ends_at_the_same_value():
    """Neighbouring values share hypotheses; the certificate does not depend on it."""
    from marginboost.algorithms import LPBoost
    from marginboost.core import train
    from marginboost.oracles import FiniteOracle, matrix_sample

    rng = np.random.default_rng(0)
    y = np.where(rng.random(30) < 0.5, 1, -1)
    matrix = y[:, None] * np.where(rng.random((30, 60)) < 0.6, 1.0, -1.0)
    sample = matrix_sample(matrix, y)
    for solver in ("simplex", "smooth", "interior"):
        first = LPBoost(0.6, solver)
        train(sample, FiniteOracle(), first, max_rounds=200, tol=1e-4)
        cold = train(sample, FiniteOracle(), LPBoost(0.5, solver), max_rounds=200, tol=1e-4)
        rule = LPBoost(0.5, solver)
        rule.start_from(first)
        warm = train(sample, FiniteOracle(), rule, max_rounds=200, tol=1e-4)
        assert warm.certificate.lower == pytest.approx(cold.certificate.lower, abs=2e-4)
        assert len(warm.history) <= len(cold.history)


def test_more_classes_choose_one_value_each():
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True)
    model = LPBoostClassifierCV(nus=[0.2, 0.5], cv=2).fit(X, y)
    assert all(problem.nu_ in (0.2, 0.5) for problem in model.problems_)
    assert model.score(X, y) > 0.9


def test_any_base_learner():
    X, y = circle_2d(150)
    model = AdaBoostRegClassifierCV(TreeOracle(max_depth=2), Cs=[0.05], n_estimators=10, cv=2)
    assert model.fit(X, y).score(X, y) > 0.9


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"nus": []}, "nus: got \\[\\], expected a list of numbers"),
        ({"nus": 0.3}, "nus: got 0.3, expected a list of numbers"),
        ({"nus": [0.2, 1.2]}, "nus: got 1.2"),
        ({"cv": 1}, "cv: got 1"),
        ({"choice": "luck"}, "choice: got 'luck'"),
    ],
)
def test_bad_parameters(change, message):
    X, y = circle_2d(30)
    with pytest.raises(ValueError, match=message):
        LPBoostClassifierCV(**change).fit(X, y)


@pytest.mark.filterwarnings("ignore:nu=:UserWarning")
@pytest.mark.parametrize("n", [8, 12, 19])
@pytest.mark.parametrize("make", SMALL)
def test_default_values_suit_small_tables(make, n):
    """None of them is one that the table, or a fold of it, does not allow."""
    X, y = circle_2d(n, seed=3)
    y = np.where(np.arange(n) % 2, 1, -1) if min((y > 0).sum(), (y < 0).sum()) < 2 else y
    model = make(n_estimators=5).fit(X, y)
    assert model.predict(X).shape == (n,)


def test_listed_values_are_not_left_out():
    X, y = circle_2d(15, seed=3)
    with pytest.raises(ValueError, match=r"nu: got 0\.01"):
        LPBoostClassifierCV(nus=[0.01, 0.5], cv=2).fit(X, y)


@pytest.mark.slow
@pytest.mark.parametrize("make", SMALL)
def test_folds_may_be_given(make, noisy):
    """As a splitter or as the splits themselves, as to scikit-learn."""
    X, y = (part[:60] for part in noisy)
    folds = KFold(3, shuffle=True, random_state=1)
    settings = {**SMALL[make][0], "n_estimators": 8}
    by_splitter = make(cv=folds, **settings).fit(X, y)
    by_splits = make(cv=list(folds.split(X)), **settings).fit(X, y)
    assert by_splitter.cv_results_["errors"].shape[0] == 3
    np.testing.assert_array_equal(
        by_splitter.cv_results_["errors"], by_splits.cv_results_["errors"]
    )
    one = make(cv=ShuffleSplit(1, random_state=0), **settings).fit(X, y)
    assert (one.cv_results_["standard_error"] == 0.0).all()
    assert make(cv=None, **settings).fit(X, y).cv_results_["errors"].shape[0] == 5


@pytest.mark.parametrize("cv", ["five", 2.5, 1])
def test_what_folds_cannot_be(cv):
    with pytest.raises((TypeError, ValueError), match="cv: got"):
        LPBoostClassifierCV(cv=cv).fit(*circle_2d(30))


def test_listed_splits_name_rows_of_X():
    """Rows without weight are left out of the folds, and do not move the others."""
    X, y = circle_2d(60)
    weights = np.where(np.arange(60) % 4 == 0, 0.0, 1.0)
    kept = np.flatnonzero(weights)
    place = np.cumsum(weights > 0) - 1
    splits = [(np.arange(0, 30), np.arange(30, 45)), (np.arange(20, 45), np.arange(0, 20))]
    without = [tuple(place[np.intersect1d(rows, kept)] for rows in split) for split in splits]
    expected = LPBoostClassifierCV(nus=[0.2, 0.6], cv=without).fit(X[kept], y[kept])
    masks = [tuple(np.isin(np.arange(60), rows) for rows in split) for split in splits]
    for cv in (splits, masks, iter(splits)):
        model = LPBoostClassifierCV(nus=[0.2, 0.6], cv=cv).fit(X, y, weights)
        np.testing.assert_array_equal(model.cv_results_["errors"], expected.cv_results_["errors"])
        assert model.nu_ == expected.nu_


def test_pairs_of_classes_leave_rows_out_of_listed_splits():
    """A pair of classes learns from their rows alone; the splits still name rows of X."""
    X, _ = circle_2d(60)
    y = np.arange(60) % 3
    splits = list(KFold(3, shuffle=True, random_state=0).split(X))
    booster = MulticlassBooster(LPBoostClassifierCV(nus=[0.3, 0.6], cv=splits), code="all-pairs")
    pair = booster.fit(X, y).estimator_.problems_[0]
    sides = booster.estimator_.code_[:, 0]
    rows = np.flatnonzero(sides[y])
    place = np.full(60, -1)
    place[rows] = np.arange(len(rows))
    within = [tuple(place[np.intersect1d(part, rows)] for part in split) for split in splits]
    alone = LPBoostClassifierCV(nus=[0.3, 0.6], cv=within).fit(X[rows], sides[y[rows]])
    np.testing.assert_array_equal(pair.cv_results_["errors"], alone.cv_results_["errors"])


@pytest.mark.parametrize(
    ("cv", "message"),
    [
        ([], "gives no splits"),
        ([(np.arange(20), np.arange(20, 31))], "numbers of rows from 0 to 29"),
        ([(np.arange(-5, 20), np.arange(20, 30))], "numbers of rows from 0 to 29"),
        ([(np.arange(20.0), np.arange(20.0, 30.0))], "numbers of rows from 0 to 29"),
        ([(np.arange(40) < 20, np.arange(40) >= 20)], "a mask of 30 rows"),
        ((3, 4), "expected a pair of arrays of rows"),
    ],
    ids=["none", "beyond", "negative", "fractions", "mask", "numbers"],
)
def test_what_splits_cannot_be(cv, message):
    with pytest.raises(ValueError, match=f"cv: got .*{re.escape(message)}"):
        LPBoostClassifierCV(cv=cv).fit(*circle_2d(30))


def test_a_generator_of_splits_serves_one_problem():
    X, y = circle_2d(30)
    model = LPBoostClassifierCV(nus=[0.3, 0.6], cv=KFold(3).split(X)).fit(X, y)
    with pytest.raises(ValueError, match=r"cv: got .*gives no splits"):
        model.fit(X, y)
    model.set_params(cv=KFold(3).split(X))
    with pytest.raises(ValueError, match=r"cv: got .*expected a list of splits"):
        model.fit(X, np.arange(30) % 3)


@pytest.mark.parametrize(
    ("make", "chosen"),
    [
        (LPBoostClassifierCV, {"nu_": 1.5}),
        (AdaBoostRegClassifierCV, {"C_": -1.0}),
        (BarrierBoostClassifierCV, {"C_per_row_": 0.0}),
        (BarrierBoostClassifierCV, {"C_per_row_": 0.1, "total_weight_": 0.0}),
    ],
)
def test_values_that_could_not_have_been_chosen(make, chosen):
    """What a model file says was chosen is checked like what is given."""
    check_chosen = algorithm_of(make()).check_chosen
    check_chosen({})
    check_chosen(dict.fromkeys(chosen, 0.5))
    name, value = list(chosen.items())[-1]
    said = name if name == "total_weight_" else name.removesuffix("_")
    with pytest.raises(ValueError, match=rf"^{said}: got {value}, expected a number"):
        check_chosen(chosen)


def path_of(model):
    """Values of the parameter that a fit would choose from, and how it would try them."""
    return algorithm_of(model).choose.__self__


def test_where_no_share_is_allowed_there_is_no_soft_margin():
    """ν = 1 is the mean margin, which every sample has."""
    two = Sample.of_labels(np.array([1, -1]))
    path = path_of(LPBoostClassifierCV())
    assert path.allowed([0.6, 0.5, 0.4], [two]) == [0.6, 0.5]
    assert path.allowed([0.4, 0.3], [two]) == [1.0]
    assert path_of(LPBoostClassifierCV(nus=[0.4])).allowed([0.4], [two]) == [0.4]


def test_a_class_that_could_be_given_up_bounds_the_share():
    """From twice the share of the rarer class on, saying the other one has a soft margin."""
    some = Sample.of_labels(np.repeat([1, -1], [12, 88]))
    path = path_of(LPBoostClassifierCV())
    assert path.allowed([0.7, 0.3, 0.2, 0.1], [some]) == [0.22, 0.2, 0.1]
    assert path.allowed([0.2, 0.1], [some]) == [0.2, 0.1]
    few = Sample.of_labels(np.repeat([1, -1], [2, 98]))
    assert path.allowed([0.7, 0.1, 0.05], [some, few]) == [0.036]
    balanced = Sample.of_labels(some.y, np.repeat([0.5 / 12, 0.5 / 88], [12, 88]))
    assert path.allowed([0.7, 0.3, 0.2], [balanced]) == [0.7, 0.3, 0.2]
    assert path_of(LPBoostClassifierCV(nus=[0.7])).allowed([0.7], [some]) == [0.7]


# -- the default values are raced ----------------------------------------------------------------


def test_after_the_first_fold_only_the_best_go_on():
    X, y = twonorm(150)
    model = LPBoostClassifierCV(cv=4, n_estimators=20).fit(X, y)
    results = model.cv_results_
    tried = ~np.isnan(results["errors"])
    assert tried[0].all()
    assert (tried[1:].sum(axis=1) == 3).all()
    np.testing.assert_array_equal(results["folds"], tried.sum(axis=0))
    going = results["folds"] == 4
    assert results["errors"][0, going].max() <= results["errors"][0, ~going].min()
    chosen = results["nu"] == model.nu_
    assert going[chosen].all()
    assert model.cv_error_ == results["mean_error"][going].min()


def test_of_many_rows_some_take_part(monkeypatch):
    """A rare class keeps its share, and at least fifty rows."""
    monkeypatch.setattr(cross_validation, "FEWEST_ROWS", 200)
    seen = []
    runs = NuPath.runs

    def watched(self, sample, oracle, values):
        seen.append((len(sample.y), int((sample.y > 0).sum())))
        return runs(self, sample, oracle, values)

    monkeypatch.setattr(NuPath, "runs", watched)
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(600, 3)), np.arange(600) < 60
    LPBoostClassifierCV(cv=3, n_estimators=5).fit(X + 2.0 * y[:, None], y)
    assert seen == [(213, 33), (213, 33), (214, 34)]
    seen.clear()
    LPBoostClassifierCV(nus=[0.3, 0.5], cv=3, n_estimators=5).fit(X + 2.0 * y[:, None], y)
    assert {rows for rows, _ in seen} == {400}
