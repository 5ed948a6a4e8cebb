"""Early stopping and continued training: the same models as plain fits make, bit for bit."""

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.metrics import accuracy_score, log_loss, r2_score, roc_auc_score

from marginboost import (
    Checkpoint,
    GradientBoostClassifier,
    GradientBoostRegressor,
    SoftmaxBoostClassifier,
    Stop,
    load,
)
from marginboost.core import Callback
from marginboost.fitting.early_stop import draw_held_back

SMALL = {"min_samples_leaf": 3, "max_leaf_nodes": 6, "learning_rate": 0.3}
KINDS = ["two", "one against all", "softmax", "numbers"]


def noisy(kind, n=240, seed=0):
    """Rows whose labels are too noisy for a long run to help."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    y = X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=n)
    if kind == "numbers":
        return X, y
    return X, np.digitize(y, [0.0] if kind == "two" else [-0.7, 0.7])


def make(kind, **settings):
    classes = {"softmax": SoftmaxBoostClassifier, "numbers": GradientBoostRegressor}
    return classes.get(kind, GradientBoostClassifier)(**{**SMALL, **settings})


def outputs(model, X):
    return model.predict_proba(X) if hasattr(model, "predict_proba") else model.predict(X)


def assert_same(one, other, X):
    """Both have the same trees, coefficients and outputs, to the last bit."""
    assert one.estimators_ == other.estimators_
    np.testing.assert_array_equal(
        np.hstack(one.estimator_weights_), np.hstack(other.estimator_weights_)
    )
    np.testing.assert_array_equal(outputs(one, X), outputs(other, X))


# -- early stopping --------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["two", "softmax", "numbers"])
def test_early_stopping_is_a_refit_with_the_best_number_of_rounds(kind):
    X, y = noisy(kind)
    settings = {"early_stopping": True, "n_iter_no_change": 4, "subsample": 0.8}
    stopped = make(kind, n_estimators=200, **settings).fit(
        X[:180], y[:180], eval_set=(X[180:], y[180:])
    )
    assert stopped.stop_reason_ == Stop.NO_PROGRESS
    best = stopped.best_iteration_
    assert stopped.n_iter_ == best + 4
    scores = stopped.validation_score_
    assert len(scores) == stopped.n_iter_
    assert np.argmax(scores) == best - 1
    assert_same(stopped, make(kind, n_estimators=best, subsample=0.8).fit(X[:180], y[:180]), X)


@pytest.mark.parametrize("kind", KINDS)
def test_rows_held_back_are_not_learnt_from(kind):
    X, y = noisy(kind)
    stopped = make(kind, n_estimators=60, early_stopping=True, validation_fraction=0.25).fit(X, y)
    dual = stopped.dual_
    used = (np.abs(dual) if isinstance(dual, np.ndarray) else np.abs(dual[0])) > 0
    used = used.any(axis=1) if used.ndim == 2 else used
    assert used.sum() == 180
    if kind != "numbers":  # every class gives its share
        shares = np.bincount(y[~used]) / np.bincount(y)
        np.testing.assert_allclose(shares, 0.25, atol=0.02)
    if kind != "one against all":  # where each problem has a best round of its own
        plain = make(kind, n_estimators=stopped.best_iteration_).fit(X[used], y[used])
        assert_same(stopped, plain, X)
    else:
        assert len(stopped.best_iteration_) == 3


def test_the_watched_loss_is_that_of_the_validation_rows():
    X, y = noisy("two")
    w = np.random.default_rng(0).random(60)
    model = make("two", n_estimators=8).fit(X[:180], y[:180], eval_set=(X[180:], y[180:], w))
    assert model.n_iter_ == model.best_iteration_ == 8  # watched, not stopped
    stages = list(model.staged_predict_proba(X[180:]))[-8:]  # a constant comes first
    expected = [-log_loss(y[180:], chances, sample_weight=w) for chances in stages]
    np.testing.assert_allclose(model.validation_score_, expected, rtol=1e-12)


@pytest.mark.parametrize(
    ("kind", "scoring", "score"),
    [
        ("two", "roc_auc", lambda y, m, X: roc_auc_score(y, m.predict_proba(X)[:, 1])),
        ("two", None, lambda y, m, X: accuracy_score(y, m.predict(X))),
        ("softmax", "neg_log_loss", lambda y, m, X: -log_loss(y, m.predict_proba(X))),
        ("numbers", "r2", lambda y, m, X: r2_score(y, m.predict(X))),
        ("numbers", lambda m, X, y: r2_score(y, m.predict(X)), lambda y, m, X: m.score(X, y)),
    ],
)
def test_scorers_see_the_model_after_each_round(kind, scoring, score):
    X, y = noisy(kind)
    model = make(kind, n_estimators=5, scoring=scoring)
    model.fit(X[:180], y[:180], eval_set=[(X[180:], y[180:])])
    expected = score(y[180:], model, X[180:])
    np.testing.assert_allclose(model.validation_score_[-1], expected, rtol=1e-12)


def test_labels_of_scorers_are_those_of_the_caller():
    X, y = noisy("two")
    names = np.array(["no", "yes"])[y]

    def share_of_yes(model, X, y):
        assert set(y) <= {"no", "yes"}
        return float(np.mean(model.predict(X) == y))

    model = make("two", early_stopping=True, scoring=share_of_yes, n_estimators=5).fit(X, names)
    assert len(model.validation_score_) == 5


def test_auto_is_for_many_rows_or_given_ones():
    X, y = noisy("two")
    with pytest.raises(AttributeError, match="no validation rows were watched"):
        _ = make("two", early_stopping="auto", n_estimators=2).fit(X, y).validation_score_
    watched = make("two", early_stopping="auto", n_estimators=200)
    assert watched.fit(X, y, eval_set=(X, 1 - y)).stop_reason_ == Stop.NO_PROGRESS
    many = np.random.default_rng(0).normal(size=(10_001, 1))
    big = make("two", early_stopping="auto", n_estimators=2).fit(many, many[:, 0] > 0)
    assert 990 <= (big.dual_ == 0).sum() <= 1010


def test_no_fraction_watches_the_training_rows():
    X, y = noisy("numbers")
    model = make("numbers", n_estimators=10, early_stopping=True, validation_fraction=None)
    model.fit(X, y)
    np.testing.assert_allclose(-model.validation_score_, model.history_["loss"], rtol=1e-12)


def test_tol_is_how_much_better_counts():
    X, y = load_diabetes(return_X_y=True)
    settings = {"early_stopping": True, "n_estimators": 100, "scoring": "r2", "n_iter_no_change": 3}
    loose, strict = (
        GradientBoostRegressor(tol=tol, **settings).fit(X, y).best_iteration_
        for tol in (0.05, 1e-7)
    )
    assert loose < strict


def test_in_kind_with_scikit_learn():
    """Same rows held out by hand: both stop at about the same loss."""
    X, y = noisy("numbers", 2000)
    theirs = HistGradientBoostingRegressor(early_stopping=False, max_iter=200, learning_rate=0.3)
    theirs.fit(X[:1500], y[:1500])
    curve = [np.mean((p - y[1500:]) ** 2) for p in theirs.staged_predict(X[1500:])]
    ours = GradientBoostRegressor(
        n_estimators=200, learning_rate=0.3, early_stopping=True, scoring="neg_mean_squared_error"
    ).fit(X[:1500], y[:1500], eval_set=(X[1500:], y[1500:]))
    assert -ours.validation_score_.max() <= 1.05 * min(curve)


def test_held_back_rows_leave_some_of_every_class():
    strata = np.array([0] * 50 + [1] * 2 + [2])
    held = draw_held_back(strata, 0.5, 0)
    assert np.bincount(strata[held], minlength=3).tolist() == [25, 1, 0]
    assert len(draw_held_back(np.zeros(5), 0.01, 0)) == 1
    assert not np.array_equal(held, draw_held_back(strata, 0.5, 1))
    with pytest.raises(ValueError, match="validation_fraction: 2 rows leave none"):
        draw_held_back(np.array([0, 1]), 0.5, 0)


# -- going on --------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("way", ["warm start", "model", "file"])
def test_rounds_in_two_fits_are_those_of_one(kind, way, tmp_path):
    X, y = noisy(kind)
    settings = {"subsample": 0.7}
    cold = make(kind, n_estimators=7, **settings).fit(X, y)
    first = make(kind, n_estimators=4, warm_start=way == "warm start", **settings).fit(X, y)
    if way == "warm start":
        second = first.set_params(n_estimators=7).fit(X, y)
    elif way == "model":
        second = make(kind, n_estimators=3, **settings).fit(X, y, init_model=first)
    else:
        first.save(tmp_path / "model.json")
        second = make(kind, n_estimators=3, **settings)
        second.fit(X, y, init_model=tmp_path / "model.json")
    assert_same(cold, second, X)
    assert second.n_iter_ == 7
    np.testing.assert_array_equal(np.ravel(second.dual_), np.ravel(cold.dual_))
    if kind != "one against all":
        np.testing.assert_array_equal(second.history_["loss"], cold.history_["loss"])
        assert second.certificate_ == cold.certificate_


@pytest.mark.parametrize("kind", ["two", "numbers"])
def test_a_warm_start_stops_where_a_cold_one_does(kind):
    X, y = noisy(kind)
    cold = make(kind, n_estimators=100, early_stopping=True, n_iter_no_change=5).fit(X, y)
    warm = make(kind, n_estimators=2, early_stopping=True, n_iter_no_change=5, warm_start=True)
    warm.fit(X, y)
    warm.set_params(n_estimators=100).fit(X, y)
    assert_same(cold, warm, X)
    np.testing.assert_array_equal(cold.validation_score_, warm.validation_score_)


def test_other_rows_are_fitted_on_from_the_model():
    X, y = noisy("numbers")
    first = make("numbers", n_estimators=10).fit(X[:120], y[:120])
    second = make("numbers", n_estimators=10).fit(X[120:], y[120:], init_model=first)
    assert second.estimators_[:11] == first.estimators_
    assert second.n_iter_ == 20
    assert second.score(X[120:], y[120:]) > first.score(X[120:], y[120:])


def test_what_does_not_go_on_is_told():
    X, y = noisy("two")
    model = make("two", n_estimators=5, warm_start=True).fit(X, y)
    with pytest.raises(ValueError, match="n_estimators: got 3, expected at least the 5 rounds"):
        model.set_params(n_estimators=3).fit(X, y)
    with pytest.raises(ValueError, match="y: got other classes"):
        make("two").fit(X, y + 1, init_model=model)
    with pytest.raises(ValueError, match="X: got other columns"):
        make("two").fit(X[:, :2], y, init_model=model)
    with pytest.raises(TypeError, match=r"init_model: got .*, expected a fitted Gradient"):
        make("two").fit(X, y, init_model=make("two"))
    with pytest.raises(TypeError, match=r"init_model: got .*, expected a fitted SoftmaxBoost"):
        make("softmax").fit(X, y, init_model=model)
    with pytest.raises(TypeError, match="eval_set: got ndarray, expected a pair"):
        make("two").fit(X, y, eval_set=X)
    with pytest.raises(TypeError, match="eval_set: got a list of 2, expected a pair"):
        make("two").fit(X, y, eval_set=[(X, y), (X, y)])


class Crash(Callback):
    def on_round(self, state):
        if state.round == 6:
            raise KeyboardInterrupt


def test_an_interrupted_fit_with_early_stopping_goes_on(tmp_path):
    X, y = noisy("two")
    settings = {"n_estimators": 50, "early_stopping": True, "n_iter_no_change": 5}
    whole = make("two", **settings).fit(X, y)
    checkpoint = Checkpoint(tmp_path / "run.json", every=2)
    with pytest.raises(KeyboardInterrupt):
        make("two", callbacks=[Crash(), checkpoint], **settings).fit(X, y)
    resumed = make("two", callbacks=[checkpoint], **settings).fit(X, y)
    assert_same(whole, resumed, X)
    np.testing.assert_array_equal(whole.validation_score_, resumed.validation_score_)


def test_files_keep_the_best_round_and_what_was_watched(tmp_path):
    X, y = load_iris(return_X_y=True)
    for kind in ("softmax", "one against all"):
        model = make(kind, n_estimators=30, early_stopping=True, n_iter_no_change=3).fit(X, y)
        model.save(tmp_path / "model.json")
        loaded = load(tmp_path / "model.json")
        assert loaded.best_iteration_ == model.best_iteration_
        for a, b in zip(loaded.validation_score_, model.validation_score_, strict=True):
            np.testing.assert_array_equal(a, b)
