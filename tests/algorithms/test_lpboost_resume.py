"""LPBoost forgets hypotheses without weight, and goes on after an interruption all the same."""

import numpy as np
import pytest

import marginboost.algorithms._working_set as working_set
from marginboost import Checkpoint, LPBoostClassifier
from marginboost.core import Callback
from marginboost.datasets import circle_2d, flip_labels

SOLVERS = ["simplex", "interior", "smooth"]
FORMS = [{"nu": 0.5}, {"nu": None}, {"C": 8.0}]


class Watch(Callback):
    """Note the size of the pool in every round; crash in one of them."""

    def __init__(self, crash_at=None):
        self.crash_at = crash_at

    def on_start(self, state, oracle, rule, max_rounds):
        self.sizes, self.dropped = [], []

    def on_round(self, state):
        self.sizes.append(len(state.pool))
        self.dropped.append(len(state.members) - len(state.pool))
        if state.round == self.crash_at:
            raise KeyboardInterrupt


def fit(solver, form, *callbacks, rounds=25):
    X, y = circle_2d(150)
    noisy, _ = flip_labels(y, 0.2, seed=3)
    model = LPBoostClassifier(
        solver=solver, tol=1e-7, n_estimators=rounds, callbacks=list(callbacks), **form
    )
    return model.fit(X, noisy)


@pytest.fixture(autouse=True)
def short_memory(monkeypatch):
    monkeypatch.setattr(working_set, "IDLE_ROUNDS", 2)


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS, ids=str)
@pytest.mark.parametrize("solver", SOLVERS)
def test_resumes_bit_for_bit_after_forgetting(solver, form, tmp_path):
    whole = fit(solver, form, watch := Watch())
    never_idle = solver == "smooth" and form == {"nu": None}
    assert never_idle or max(watch.dropped) > 0
    forgot = int(np.argmax(np.array(watch.dropped) > 0)) + 1
    for crash_at in (forgot, forgot + 1):  # test_resume tries every round
        path = tmp_path / f"{crash_at}.json"
        with pytest.raises(KeyboardInterrupt):
            fit(solver, form, Checkpoint(path, every=1), Watch(crash_at))
        resumed = fit(solver, form, Checkpoint(path, every=1))
        assert resumed.n_iter_ == whole.n_iter_
        assert resumed.estimators_ == whole.estimators_
        for name in ("estimator_weights_", "dual_", "margins_"):
            np.testing.assert_array_equal(getattr(resumed, name), getattr(whole, name))
        for bound in ("lower", "upper"):
            np.testing.assert_array_equal(resumed.history_[bound], whole.history_[bound])


@pytest.mark.parametrize("form", FORMS, ids=str)
@pytest.mark.parametrize("solver", ["simplex", "interior"])
def test_forgetting_changes_no_value(solver, form, monkeypatch):
    forgetful = fit(solver, form, rounds=300)
    monkeypatch.setattr(working_set, "IDLE_ROUNDS", 10**6)
    faithful = fit(solver, form, rounds=300)
    reached = forgetful.certificate_.value, faithful.certificate_.value
    slack = forgetful.certificate_.gap + faithful.certificate_.gap + 1e-9
    assert abs(reached[0] - reached[1]) <= slack
    assert slack <= 1e-6
