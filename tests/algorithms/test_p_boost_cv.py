"""p chosen by cross-validation, and the three ways to report a run (BA-A9, BA-E16, BA-Q26)."""

import numpy as np
import pytest

from marginboost import PBoostClassifier, PBoostClassifierCV
from marginboost.core.run import train
from marginboost.datasets import ring
from marginboost.diagnostics import select_round, selected_errors

X, Y = ring(60, 0.1, seed=5)
GRID = [0.7, 1.0, 2.0]


def test_errors_are_those_of_fits_to_the_folds():
    coarse = np.round(4.0 * X)  # so that a fold has the same cuts as all rows
    splits = [(np.arange(30), np.arange(30, 60)), (np.arange(30, 60), np.arange(30))]
    for variant in ("strict", "naive", "sloppy-as-run"):
        settings = {"variant": variant, "n_estimators": 15, "max_bins": None}
        model = PBoostClassifierCV(ps=GRID, cv=splits, **settings).fit(coarse, Y)
        for j, p in enumerate(model.cv_results_["p"]):
            for k, (learn, judge) in enumerate(splits):
                alone = PBoostClassifier(p=p, **settings).fit(coarse[learn], Y[learn])
                error = 1.0 - alone.score(coarse[judge], Y[judge])
                assert model.cv_results_["errors"][k, j] == pytest.approx(error)
        best = model.cv_results_["mean_error"].min()
        assert model.cv_error_ == pytest.approx(best)
        whole = PBoostClassifier(p=model.p_, **settings).fit(coarse, Y)
        np.testing.assert_array_equal(whole.estimator_weights_, model.estimator_weights_)


@pytest.mark.parametrize(("variant", "runs"), [("naive", 1), ("sloppy-as-run", 1), ("strict", 3)])
def test_one_run_serves_every_p_where_hypotheses_do_not_depend_on_it(monkeypatch, variant, runs):
    made = []

    def counted(*args, **settings):
        made.append(args)
        return train(*args, **settings)

    for place in ("fitting.cross_validation", "algorithms.p_boost_cv"):
        monkeypatch.setattr(f"marginboost.{place}.train", counted)
    PBoostClassifierCV(ps=GRID, cv=2, n_estimators=5, variant=variant).fit(X, Y)
    assert len(made) == 2 * runs


def test_ties_and_one_standard_error_go_to_the_smaller_hull():
    rows = np.arange(20.0)[:, None]
    labels = rows[:, 0] > 9
    assert PBoostClassifierCV(ps=[2.0, 1.0], cv=2).fit(rows, labels).p_ == 1.0
    model = PBoostClassifierCV(ps=GRID, choice="one-se", n_estimators=15).fit(X, Y)
    results = model.cv_results_
    at = int(np.argmin(results["mean_error"]))
    limit = results["mean_error"][at] + results["standard_error"][at]
    assert model.p_ == results["p"][results["mean_error"] <= limit].min()


@pytest.mark.parametrize("ps", [[], [0.0], [np.nan], "1.0", [-1.0, 1.0]])
def test_bad_lists_are_refused(ps):
    with pytest.raises(ValueError, match="ps: got"):
        PBoostClassifierCV(ps=ps).fit(X, Y)


def test_three_ways_to_report():
    test, valid = ring(500, seed=6), ring(60, 0.1, seed=7)
    model = PBoostClassifier(p=1.0, variant="sloppy-as-run", n_estimators=40).fit(X, Y)
    errors = selected_errors(model, *test, *valid)
    staged = [np.mean(answer != test[1]) for answer in model.staged_predict(test[0])]
    judged = [np.mean(answer != valid[1]) for answer in model.staged_predict(valid[0])]
    assert errors.oracle == pytest.approx(min(staged))
    assert errors.oracle_round == 1 + int(np.argmin(staged))
    assert errors.validated == pytest.approx(staged[int(np.argmin(judged))])
    assert errors.last == pytest.approx(staged[-1])
    assert errors.rounds == 40
    assert errors.oracle <= errors.validated


def test_curves_that_do_not_belong_together_are_refused():
    with pytest.raises(ValueError, match="one error per round"):
        select_round([0.1, 0.2], [0.1])
    with pytest.raises(ValueError, match="one error per round"):
        select_round([], [])
