"""Hypotheses along which a loss has no minimum, or one beyond reason (R1-A10, R1-A19)."""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeRegressor

from marginboost import AdaBoostClassifier, LeveragingClassifier
from marginboost.algorithms import AdaBoost, Leveraging, MadaBoost, RealAdaBoostClassifier
from marginboost.core import Stop
from marginboost.datasets import circle_2d
from marginboost.solvers.line_search import LONGEST
from strategies import run_matrix

RULES = {
    "AdaBoost": AdaBoost,
    "MadaBoost": MadaBoost,
    "logistic": lambda: Leveraging("logistic"),
    "exponential": lambda: Leveraging("exponential"),
}


def one_error_and(second):
    """A column that is wrong on the first row, and one with these outcomes, not closed by sign."""
    y = np.array([1, 1, 1, -1, -1, -1])
    outcomes = np.column_stack([[-1.0, 1.0, 1.0, 1.0, 1.0, 1.0], second])
    return outcomes * y[:, None], y


@pytest.mark.parametrize("rule", RULES)
def test_a_hypothesis_that_hardly_answers_does_not_end_the_vote(rule):
    """It is nowhere wrong, abstains on all rows but one, and comes in the second round."""
    H, y = one_error_and([0.9, 0.0, 0.0, 0.0, 0.0, 0.0])
    run = run_matrix(H, y, RULES[rule](), 40)
    assert len(run.ensemble) >= 2
    assert (run.margins > 0.0).all()
    assert np.abs(run.ensemble.coef).max() <= LONGEST / 0.9 + 1e-12


@pytest.mark.parametrize("rule", ["AdaBoost", "logistic", "exponential"])
def test_errors_next_to_zero_make_no_endless_step(rule):
    """The loss has its minimum at a step of about 1e100, which would leave nothing of the rest."""
    H, y = one_error_and([0.9, -1e-100, 0.0, 0.0, 0.0, 0.0])
    run = run_matrix(H, y, RULES[rule](), 40)
    assert (run.margins > 0.0).all()
    assert np.abs(run.ensemble.coef).max() <= LONGEST / 0.9 + 1e-12


@pytest.mark.parametrize("rule", RULES)
def test_right_on_every_row_with_real_outputs_ends_the_run(rule):
    """The whole first round, so the whole model: all rows are right."""
    y = np.array([1, 1, -1, -1])
    H = (y * np.array([0.2, 0.9, 0.5, 1.0]))[:, None]
    run = run_matrix(H, y, RULES[rule](), 5)
    assert (run.margins > 0.0).all()
    if rule != "MadaBoost":  # whose closed step is finite
        assert run.stop is Stop.PERFECT
        assert len(run.ensemble) == 1


@pytest.mark.parametrize("rule", RULES)
def test_right_on_every_row_with_signs_is_the_whole_model(rule):
    H, y = one_error_and(np.ones(6))
    run = run_matrix(H, y, RULES[rule](), 5)
    assert run.stop is Stop.PERFECT
    assert len(run.ensemble) == 1
    assert (run.margins == 1.0).all()


def test_a_short_real_step_is_as_long_as_it_was():
    """Outputs may be small: what is limited is the change of scores, not the step."""
    H, y = one_error_and(np.array([1.0, 1.0, 1.0, 1.0, 1.0, -1.0]))
    full = run_matrix(H, y, AdaBoost(), 1)
    small = run_matrix(H * 1e-3, y, AdaBoost(), 1)
    np.testing.assert_allclose(small.ensemble.coef, full.ensemble.coef * 1e3, rtol=1e-9)


@pytest.mark.parametrize("seed", [5, 9])
@pytest.mark.parametrize("make", [AdaBoostClassifier, LeveragingClassifier, RealAdaBoostClassifier])
def test_regression_trees_keep_their_vote(make, seed):
    X, y = circle_2d(60, seed)
    X_new, y_new = circle_2d(1000, seed + 100)
    tree = DecisionTreeRegressor(max_depth=3, random_state=0)
    model = make(tree, n_estimators=120).fit(X, y)
    assert np.abs(model.estimator_weights_).max() < 1e4
    assert model.score(X_new, y_new) > 0.8
