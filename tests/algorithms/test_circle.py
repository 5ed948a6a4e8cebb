"""Points around a circle, as in the lecture (LB-, section 4) and in Chan's chapter 2 (CH-)."""

import numpy as np
import pytest

from marginboost.algorithms import AdaBoostClassifier


def circle(n, seed):
    """circle-2D: x ~ N(0, I), +1 iff |x|² > 1.4."""
    X = np.random.default_rng(seed).normal(size=(n, 2))
    return X, np.where((X**2).sum(axis=1) > 1.4, 1, -1)


@pytest.fixture(scope="module", params=[0, 1, 2])
def circle_run(request):
    X, y = circle(100, request.param)
    model = AdaBoostClassifier(n_estimators=400, max_bins=None).fit(X, y)
    staged = np.array(list(model.staged_decision_function(X)))
    return model, y * staged


def test_small_margins_are_gone_after_fifty_rounds_ch_e5(circle_run):
    """CH-E5a: ±1 after one round. CH-E5b: after fifty few are left at the low end."""
    first, fiftieth = circle_run[1][[0, 49]]
    assert set(np.round(first, 12)) == {-1.0, 1.0}
    assert np.mean(first <= -0.05) == pytest.approx(circle_run[0].history_["error"][0])
    assert np.mean(first <= -0.05) > 0.2
    assert (fiftieth > -0.05).all()
    assert np.mean(fiftieth <= 0.0) <= 0.05


def test_circle_errors_grow_towards_one_half_lb_c4(circle_run):
    """LB-C4: ε tends to rise, not in every round."""
    error = circle_run[0].history_["error"]
    assert error[:5].mean() < error[20:40].mean() < error[-50:].mean() < 0.5
    assert (np.diff(error[:60]) < 0).any()


def test_circle_training_error_lb_c5(circle_run):
    """LB-C5: the loss falls in every round, the training error not; it is 0 within 100 rounds."""
    model, margins = circle_run
    wrong = (margins <= 0).mean(axis=1)
    first_zero = int(np.argmax(wrong == 0)) + 1
    assert 10 <= first_zero <= 100
    assert (np.diff(wrong) > 0).any()
    assert (model.history_["normaliser"] < 1).all()
    bound = np.cumprod(model.history_["normaliser"])
    assert (wrong <= bound + 1e-12).all()


def test_circle_margins_grow_after_zero_training_error_lb_c8(circle_run):
    """LB-C8, only for ρ near 0 and the smallest margin: they go on improving after error 0."""
    _, margins = circle_run
    wrong = (margins <= 0).mean(axis=1)
    first_zero = int(np.argmax(wrong == 0))
    smallest = margins.min(axis=1)
    assert smallest[-1] > smallest[first_zero] + 0.01
    assert smallest[first_zero:].max() > smallest[first_zero]
    for rho in (0.01, 0.02):
        curve = (margins <= rho).mean(axis=1)
        assert curve[-1] <= curve[first_zero]
        assert curve[-1] == 0
    large = (margins <= 0.4).mean(axis=1)
    assert large[-1] > large[first_zero]  # large margins pay for it
