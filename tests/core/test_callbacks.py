"""Callbacks: who is called when, what they keep, how they end a run."""

import builtins
import pickle
import sys
import time

import numpy as np
import pytest
from sklearn.base import clone

from marginboost import (
    AdaBoostClassifier,
    ArcGVClassifier,
    BaggedVoteClassifier,
    EarlyStopping,
    Progress,
    Stop,
    StumpOracle,
    TimeBudget,
)
from marginboost.core import Callback


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4))
    y = X[:, 0] + X[:, 1] ** 2 + rng.normal(size=300) > 0.8
    return X[:150], y[:150], X[150:], y[150:]


class Recorder(Callback):
    """Writes down its calls; may stop or fail at a round."""

    def __init__(self, log, name, stop_at=None, fail_at=None):
        self.log, self.name, self.stop_at, self.fail_at = log, name, stop_at, fail_at

    def prepare(self, encode):
        self.log.append((self.name, "prepare"))

    def on_start(self, state, oracle, rule, max_rounds):
        self.log.append((self.name, "start", type(rule).__name__, max_rounds))

    def on_round(self, state):
        self.log.append((self.name, state.round))
        if state.round == self.fail_at:
            raise ArithmeticError(f"{self.name} fails")
        return Stop.CALLBACK if state.round == self.stop_at else None

    def on_end(self, state):
        self.log.append((self.name, "end"))


def test_order_of_calls(problem):
    X, y, _, _ = problem
    log = []
    model = AdaBoostClassifier(n_estimators=2, callbacks=[Recorder(log, "a"), Recorder(log, "b")])
    model.fit(X, y)
    assert log == [
        ("a", "prepare"),
        ("b", "prepare"),
        ("a", "start", "AdaBoost", 2),
        ("b", "start", "AdaBoost", 2),
        ("a", 1),
        ("b", 1),
        ("a", 2),
        ("b", 2),
        ("a", "end"),
        ("b", "end"),
    ]
    assert model.stop_reason_ is Stop.ROUNDS


def test_a_callback_of_the_users_stops_the_run(problem):
    X, y, _, _ = problem
    model = AdaBoostClassifier(callbacks=[Recorder([], "a", stop_at=7)]).fit(X, y)
    assert model.stop_reason_ is Stop.CALLBACK
    assert model.n_iter_ == len(model.estimators_) == 7
    shorter = AdaBoostClassifier(n_estimators=7).fit(X, y)
    np.testing.assert_array_equal(model.decision_function(X), shorter.decision_function(X))


def test_every_callback_sees_the_round_in_which_another_stops(problem):
    X, y, _, _ = problem
    log = []
    callbacks = [Recorder(log, "a", stop_at=3), Recorder(log, "b")]
    AdaBoostClassifier(callbacks=callbacks).fit(X, y)
    assert ("a", 3) in log
    assert ("b", 3) in log


def test_callbacks_see_the_last_round_of_a_rule_that_stops():
    """A perfect stump ends the run in round one; that round is still a round."""
    log = []
    model = AdaBoostClassifier(callbacks=[Recorder(log, "a")]).fit([[0.0], [1.0]], [0, 1])
    assert model.stop_reason_ is Stop.PERFECT
    assert ("a", 1) in log


def test_on_end_is_called_when_a_round_fails(problem):
    X, y, _, _ = problem
    log = []
    callbacks = [Recorder(log, "a"), Recorder(log, "b", fail_at=3)]
    with pytest.raises(ArithmeticError, match="b fails"):
        AdaBoostClassifier(callbacks=callbacks).fit(X, y)
    assert log[-4:] == [("a", 3), ("b", 3), ("a", "end"), ("b", "end")]


class FailingStart(Callback):
    def on_start(self, state, oracle, rule, max_rounds):
        raise ArithmeticError("no start")


def test_on_end_is_called_when_another_callback_cannot_start(problem):
    X, y, _, _ = problem
    log = []
    with pytest.raises(ArithmeticError, match="no start"):
        AdaBoostClassifier(callbacks=[Recorder(log, "a"), FailingStart()]).fit(X, y)
    assert log[-1] == ("a", "end")


def test_base_callback_does_nothing(problem):
    X, y, _, _ = problem
    model = AdaBoostClassifier(n_estimators=5, callbacks=[Callback()]).fit(X, y)
    expected = AdaBoostClassifier(n_estimators=5).fit(X, y)
    np.testing.assert_array_equal(model.estimator_weights_, expected.estimator_weights_)


# -- early stopping -------------------------------------------------------------------------------


def staged_errors(model, X, y):
    return [1 - score for score in model.staged_score(X, y)]


@pytest.mark.parametrize("patience", [1, 5, 20])
def test_early_stopping_keeps_the_best_round(problem, patience):
    X, y, X_new, y_new = problem
    stopping = EarlyStopping(X_new, y_new, patience=patience)
    model = AdaBoostClassifier(n_estimators=200, callbacks=[stopping]).fit(X, y)
    errors = np.array(staged_errors(AdaBoostClassifier(n_estimators=200).fit(X, y), X_new, y_new))

    best, since, made = np.inf, 0, 0
    for made, error in enumerate(errors, start=1):  # noqa: B007
        best, since = (error, 0) if error < best else (best, since + 1)
        if since == patience:
            break
    assert model.stop_reason_ is Stop.NO_PROGRESS
    assert model.n_iter_ == made == len(stopping.errors_)
    np.testing.assert_allclose(stopping.errors_, errors[:made], atol=1e-12)
    assert len(model.estimators_) == int(np.argmin(errors[:made])) + 1 == made - patience
    assert 1 - model.score(X_new, y_new) == pytest.approx(best)
    shorter = AdaBoostClassifier(n_estimators=made - patience).fit(X, y)
    np.testing.assert_array_equal(model.decision_function(X), shorter.decision_function(X))
    np.testing.assert_allclose(model.margins_, shorter.margins_, atol=1e-12)
    assert model.certificate_.value == pytest.approx(shorter.margins_.min(), abs=1e-12)


def test_patience_that_never_ends_keeps_the_best_round_too(problem):
    X, y, X_new, y_new = problem
    stopping = EarlyStopping(X_new, y_new, patience=1000)
    model = AdaBoostClassifier(n_estimators=40, callbacks=[stopping]).fit(X, y)
    assert model.stop_reason_ is Stop.ROUNDS
    assert model.n_iter_ == 40
    assert len(model.estimators_) == int(np.argmin(stopping.errors_)) + 1


def test_early_stopping_overrides_the_largest_margin(problem):
    """Arc-GV returns its round of largest margin, unless a validation set chooses another."""
    X, y, X_new, y_new = problem
    stopping = EarlyStopping(X_new, y_new, patience=8)
    model = ArcGVClassifier(n_estimators=60, monotone=False, tol=None, callbacks=[stopping])
    model.fit(X, y)
    assert model.score(X_new, y_new) == pytest.approx(1 - min(stopping.errors_))


def test_early_stopping_is_ready_for_a_second_fit(problem):
    X, y, X_new, y_new = problem
    model = AdaBoostClassifier(callbacks=[EarlyStopping(X_new, y_new, patience=4)])
    first = model.fit(X, y).decision_function(X_new)
    np.testing.assert_array_equal(model.fit(X, y).decision_function(X_new), first)


def test_early_stopping_reads_labels_and_rows_as_fit_does(problem):
    import pandas as pd

    X, y, X_new, y_new = problem
    names = np.array(["no", "yes"])
    frame, other = (pd.DataFrame(part, columns=list("abcd")) for part in (X, X_new))
    frame["k"] = pd.Categorical(np.where(X[:, 2] > 0, "up", "down"))
    other["k"] = pd.Categorical(np.where(X_new[:, 2] > 0, "up", "down"))
    stopping = EarlyStopping(other, names[y_new.astype(int)], patience=5)
    model = AdaBoostClassifier(callbacks=[stopping]).fit(frame, names[y.astype(int)])
    assert model.score(other, names[y_new.astype(int)]) == pytest.approx(1 - min(stopping.errors_))


@pytest.mark.parametrize(
    ("X_new", "y_new", "message"),
    [
        (np.zeros((2, 3)), [0, 1], "X has 3 features, but AdaBoostClassifier is expecting 4"),
        (np.zeros((2, 4)), [0, 2], "y: got label .*2.*, expected one of"),
        (np.zeros((2, 4)), [0], "y: got 1 labels for 2 rows of X"),
        (np.zeros((2, 4)), [0, np.nan], "y: row 1 has no label"),
    ],
)
def test_early_stopping_checks_its_rows(problem, X_new, y_new, message):
    X, y, _, _ = problem
    with pytest.raises(ValueError, match=message):
        AdaBoostClassifier(callbacks=[EarlyStopping(X_new, y_new)]).fit(X, y.astype(int))


def test_bad_settings_of_callbacks():
    with pytest.raises(ValueError, match="patience: got 0, expected a positive integer"):
        EarlyStopping([[0.0]], [0], patience=0)
    for seconds in (0, -1.0, np.nan):
        with pytest.raises(ValueError, match=r"seconds: got .*, expected a positive number"):
            TimeBudget(seconds)


# -- time -----------------------------------------------------------------------------------------


class Slow(Callback):
    def on_round(self, state):
        time.sleep(0.02)


def test_time_budget_ends_the_run_and_keeps_the_model(problem):
    X, y, _, _ = problem
    model = AdaBoostClassifier(n_estimators=10_000, callbacks=[Slow(), TimeBudget(0.15)])
    model.fit(X, y)
    assert model.stop_reason_ is Stop.TIME
    assert 1 <= model.n_iter_ <= 8
    assert model.history_["seconds"][-1] <= 0.15 + 1.0
    shorter = AdaBoostClassifier(n_estimators=model.n_iter_).fit(X, y)
    np.testing.assert_array_equal(model.decision_function(X), shorter.decision_function(X))


def test_a_budget_that_suffices_changes_nothing(problem):
    X, y, _, _ = problem
    model = AdaBoostClassifier(n_estimators=5, callbacks=[TimeBudget(600)]).fit(X, y)
    assert model.stop_reason_ is Stop.ROUNDS
    assert (np.diff(model.history_["seconds"]) >= 0).all()


# -- progress -------------------------------------------------------------------------------------


@pytest.fixture
def without_rich(monkeypatch):
    real = builtins.__import__

    def importing(name, *args, **kwargs):
        if name.partition(".")[0] == "rich":
            raise ImportError("no rich here")
        return real(name, *args, **kwargs)

    for name in [name for name in sys.modules if name.partition(".")[0] == "rich"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(builtins, "__import__", importing)


def test_progress_with_rich(problem, capsys):
    X, y, _, _ = problem
    AdaBoostClassifier(n_estimators=7, callbacks=[Progress()]).fit(X, y)
    out = "".join(capsys.readouterr())
    assert "AdaBoost" in out
    assert "7/7" in out
    assert "margin" in out


def test_progress_without_rich(problem, capsys, without_rich):
    X, y, _, _ = problem
    model = AdaBoostClassifier(n_estimators=20, callbacks=[Progress()]).fit(X, y)
    captured = capsys.readouterr()
    lines = captured.err.splitlines()
    assert captured.out == ""
    assert len(lines) == 10
    assert lines[0].startswith("AdaBoost: round 2 of 20, margin ")
    margin, gap = model.history_["min_margin"][-1], model.history_["gap"][-1]
    assert lines[-1] == f"AdaBoost: round 20 of 20, margin {margin:.4f}  gap {gap:.4f}"


def test_progress_of_few_rounds_without_rich(problem, capsys, without_rich):
    X, y, _, _ = problem
    BaggedVoteClassifier(n_estimators=3, verbose=1, random_state=0).fit(X, y)
    assert len(capsys.readouterr().err.splitlines()) == 3


def test_verbose_shows_and_silence_is_the_default(problem, capsys):
    X, y, _, _ = problem
    AdaBoostClassifier(n_estimators=3).fit(X, y)
    assert capsys.readouterr() == ("", "")
    AdaBoostClassifier(n_estimators=3, verbose=1).fit(X, y)
    assert "3/3" in "".join(capsys.readouterr())


def test_progress_bar_is_closed_when_a_round_fails(problem, capsys):
    X, y, _, _ = problem
    progress = Progress()
    for _ in range(2):  # a bar left open would refuse the second one
        with pytest.raises(ArithmeticError):
            AdaBoostClassifier(callbacks=[progress, Recorder([], "a", fail_at=2)]).fit(X, y)
    AdaBoostClassifier(n_estimators=4, callbacks=[progress]).fit(X, y)
    assert "4/4" in "".join(capsys.readouterr())


def test_a_model_with_used_callbacks_can_be_copied(problem, capsys):
    X, y, X_new, y_new = problem
    callbacks = [Progress(), EarlyStopping(X_new, y_new, patience=3), TimeBudget(60)]
    model = AdaBoostClassifier(StumpOracle(), n_estimators=30, callbacks=callbacks).fit(X, y)
    loaded = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(loaded.decision_function(X), model.decision_function(X))
    again = clone(model).fit(X, y)
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))
