"""Gradient boosting and its relatives: CH-A6 to CH-A9, CH-C12, CH-C14, and what must not matter."""

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.metrics import log_loss
from sklearn.tree import DecisionTreeRegressor

import marginboost.oracles.growth as growth_module
from marginboost import (
    AdaBoostClassifier,
    Checkpoint,
    EarlyStopping,
    GentleBoostClassifier,
    GradientBoostClassifier,
    GradientTreeOracle,
    LogitBoostClassifier,
    RealAdaBoostClassifier,
    SoftmaxBoostClassifier,
    StumpOracle,
    load,
)
from marginboost.algorithms.gradient_boost import GradientBoost
from marginboost.core import Callback, Sample, train
from marginboost.duals.newton import slopes
from marginboost.estimators.base import algorithm_of
from marginboost.kernels.exact import rounded
from marginboost.losses import Loss, MarginLoss, as_loss
from marginboost.solvers.line_search import FARTHEST, best_constant
from strategies import binned_sample, few, imperfect_sign_problems, plain_adaboost, recorded, theory

FAMILY = [
    GradientBoostClassifier,
    LogitBoostClassifier,
    GentleBoostClassifier,
    RealAdaBoostClassifier,
]


def cancer(step=1):
    X, y = load_breast_cancer(return_X_y=True)
    return X[::step], y[::step]


def noisy_rows(seed, n=120):
    """Continuous rows, so that no two splits are equally good."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    return X, np.where(X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=n) > 0, 1, -1)


def stages(model, X):
    """Scores, not normalised, after every hypothesis."""
    lengths = np.cumsum(np.abs(model.estimator_weights_))
    return [v * n for v, n in zip(model.staged_decision_function(X), lengths, strict=True)]


# -- the same algorithm, by others -------------------------------------------------------------


def test_friedmans_algorithm_is_scikit_learns():
    X, y = noisy_rows(0)
    theirs = GradientBoostingClassifier(n_estimators=15, max_depth=3, random_state=0).fit(X, y)
    ours = GradientBoostClassifier(
        n_estimators=15,
        max_depth=3,
        max_leaf_nodes=None,
        min_samples_leaf=1,
        splits="gradient",
        max_bins=None,
    ).fit(X, y)
    mine = stages(ours, X)[1:]  # the constant comes first
    assert len(mine) == 15
    for score, expected in zip(mine, theirs.staged_decision_function(X), strict=True):
        np.testing.assert_allclose(score, expected.ravel(), atol=1e-6)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-6)


@given(seed=st.integers(0, 1000))
@few
def test_squared_loss_with_full_steps_is_l2_boost(seed):
    """CH-C14: trees are fits to residuals, and the residual norm never rises (CH-C13)."""
    X, y = noisy_rows(seed, 60)
    w = 1.0 + np.random.default_rng(seed).random(60)  # no two splits are equally good
    model = GradientBoostClassifier(
        loss="squared",
        n_estimators=6,
        learning_rate=1.0,
        max_depth=2,
        max_leaf_nodes=None,
        min_samples_leaf=1,
        max_bins=None,
    ).fit(X, y, w)
    tree, F = DecisionTreeRegressor(max_depth=2), np.full(60, np.average(y, weights=w))
    for score in stages(model, X)[1:]:
        F = F + tree.fit(X, y - F, w).predict(X)
        np.testing.assert_allclose(score, F, atol=1e-9)
    assert (np.diff(model.history_["loss"]) <= 1e-12).all()


@given(problem=imperfect_sign_problems(max_rows=12, max_columns=8, min_rows=4))
@theory
def test_exponential_loss_with_line_search_is_adaboost(problem):
    """CH-C14: ±1 hypotheses and exact steps give CH-A1, round for round."""
    H, y = problem
    prior = np.random.default_rng(0).random(len(y)) + 0.1  # no two hypotheses are equally good
    chosen, _, steps, weights = plain_adaboost(y[:, None] * H, 6, prior)
    if not chosen:
        return
    rule = GradientBoost("exponential", 1.0, "search", constant=False)
    run, recorder = recorded(H, y, rule, len(chosen), prior=prior)
    np.testing.assert_allclose(run.ensemble.coef[: len(steps)], steps, rtol=1e-7, atol=1e-9)
    for mine, expected in zip(recorder.duals, weights, strict=False):
        np.testing.assert_allclose(mine * y, expected, atol=1e-7)


def test_logit_boost_is_weighted_least_squares_on_working_responses():
    """CH-A7 in the literature's scale, H = F / 2."""
    X, y = noisy_rows(1)
    model = LogitBoostClassifier(
        n_estimators=8, max_depth=1, max_leaf_nodes=None, min_samples_leaf=1, max_bins=None
    ).fit(X, y)
    H = np.zeros(len(y))
    stump = DecisionTreeRegressor(max_depth=1, min_weight_fraction_leaf=1 / len(y))
    for score in stages(model, X):
        p = 1.0 / (1.0 + np.exp(-2.0 * H))
        w = p * (1.0 - p)
        z = ((y + 1) / 2 - p) / w
        H = H + 0.5 * np.clip(stump.fit(X, z, sample_weight=w).predict(X), -4.0, 4.0)
        np.testing.assert_allclose(score, 2.0 * H, atol=1e-9)
    np.testing.assert_allclose(model.model_.scores(model.__read_rows__(X)), 2 * H, atol=1e-8)


def test_gentle_boost_is_weighted_least_squares_on_labels():
    X, y = noisy_rows(2)
    model = GentleBoostClassifier(
        n_estimators=8, max_depth=1, max_leaf_nodes=None, min_samples_leaf=1, max_bins=None
    ).fit(X, y)
    F = np.zeros(len(y))
    for score in stages(model, X):
        w = np.exp(-y * F)
        F = F + DecisionTreeRegressor(max_depth=1).fit(X, y, sample_weight=w).predict(X)
        np.testing.assert_allclose(score, F, atol=1e-9)
    assert (model.estimator_weights_ <= 1.0 + 1e-12).all()


def test_leaves_of_real_adaboost_are_half_the_log_odds():
    """CH-A9, and the loss is the product of the factors Z but for smoothing."""
    X, y = noisy_rows(3)
    model = RealAdaBoostClassifier(n_estimators=5).fit(X, y)
    F, product, smoothing = np.zeros(len(y)), 1.0, 1e-3
    for weight, tree in zip(model.estimator_weights_, model.estimators_, strict=True):
        d = np.exp(-y * F)
        d /= d.sum()
        column, z = tree(X), 0.0
        for value in np.unique(column):
            rows = column == value
            right, wrong = d[rows & (y > 0)].sum(), d[rows & (y < 0)].sum()
            odds = (right + smoothing) / (wrong + smoothing)
            np.testing.assert_allclose(weight * value, 0.5 * np.log(odds), atol=1e-9)
            z += right / np.sqrt(odds) + wrong * np.sqrt(odds)
        F, product = F + weight * column, product * z
    np.testing.assert_allclose(model.history_["loss"][-1], product, rtol=1e-9)
    assert np.mean(model.predict(X) != y) <= product


# -- losses and weights ------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(Loss.__registry__))
def test_the_constant_is_the_best_one(name):
    loss = as_loss("loss", name)
    samples = [Sample.of_labels(np.array([1, 1, -1, 1]), np.array([1.0, 2.0, 3.0, 2.0]))]
    if not isinstance(loss, MarginLoss):
        samples.append(Sample.of_targets(np.array([3.0, 5.0, 4.5, -1.0])))
    for sample in samples:
        y = sample.y.astype(float)

        def risk(c, sample=sample, y=y):
            return float(sample.prior @ loss.value(loss.argument(y, np.full(len(y), c))))

        found = minimize_scalar(risk, bounds=(-6, 6), method="bounded", options={"xatol": 1e-9})
        best, value = best_constant(loss, sample)
        assert value == pytest.approx(risk(best), rel=1e-14)
        assert value <= found.fun + 1e-12


@pytest.mark.parametrize("weighted", [False, True])
def test_slopes_of_the_logistic_kernel(weighted):
    rng = np.random.default_rng(0)
    scores = np.concatenate([rng.normal(size=100), [-800.0, 800.0, 0.0, 40.0, -40.0]])
    y = np.where(rng.random(105) < 0.5, 1, -1).astype(np.int8)
    weights = rng.random(105) if weighted else np.empty(0)
    w, loss = weights if weighted else np.ones(105), as_loss("loss", "logistic")
    dual, curvature = np.empty(105), np.empty(105)
    size, value, least, bend = slopes(loss, y, scores, weights, 800.0, dual, curvature)
    size, value = rounded(size), rounded(value)
    t = y * scores
    np.testing.assert_allclose(dual, w * y * loss.dual(t), rtol=1e-14)
    np.testing.assert_allclose(curvature, w * loss.curvature(t), rtol=1e-13)
    np.testing.assert_allclose(value, w @ loss.value(t), rtol=1e-13)
    assert least == t.min()
    np.testing.assert_allclose(rounded(bend), curvature.sum(), rtol=1e-13)
    np.testing.assert_allclose(size, np.abs(dual).sum(), rtol=1e-13)
    assert (np.abs(dual) <= w).all()  # CH-C12: the pull of a row is bounded


@pytest.mark.parametrize("name", sorted(Loss.__registry__))
def test_every_loss_learns(name):
    X, y = noisy_rows(4)
    model = GradientBoostClassifier(
        loss=name, n_estimators=30, max_leaf_nodes=4, min_samples_leaf=5, learning_rate=0.3
    ).fit(X, y)
    assert model.certificate_.value > 0.3
    assert model.score(X, y) > 0.85
    chances = model.predict_proba(X)
    assert ((chances >= 0) & (chances <= 1)).all()
    np.testing.assert_allclose(chances.sum(axis=1), 1.0)
    np.testing.assert_allclose(np.abs(model.dual_).sum(), 1.0)


@given(seed=st.integers(0, 1000), rate=st.sampled_from([0.1, 0.5]))
@few
def test_newton_steps_lower_the_logistic_loss(seed, rate):
    X, y = noisy_rows(seed)
    model = GradientBoostClassifier(n_estimators=20, learning_rate=rate, min_samples_leaf=5).fit(
        X, y
    )
    chances = model.predict_proba(X)
    assert ((chances > 0) & (chances < 1)).all()  # CH-C12
    assert (np.diff(model.history_["loss"]) < 0).all()
    np.testing.assert_allclose(model.history_["loss"][-1], log_loss(y, chances))
    share = 1 - model.history_["loss"][-1] / log_loss(y, np.full(len(y), np.mean(y > 0)))
    np.testing.assert_allclose(model.certificate_.value, share)


def test_targets_are_met():
    """The rule serves regression: bounds are on R²."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = 1e3 + 50 * X[:, 0] + rng.normal(size=200)
    labels = binned_sample(X, np.where(y > 1e3, 1, -1))
    sample = Sample.of_targets(y, rows=labels.rows, bins=labels.bins)
    rule = GradientBoost("squared", 0.3)
    run = train(
        sample, GradientTreeOracle(max_leaf_nodes=8, min_samples_leaf=3), rule, max_rounds=40
    )
    assert run.certificate.value > 0.99
    np.testing.assert_allclose(run.certificate.value, 1 - np.var(y - run.scores) / np.var(y), 1e-3)


# -- what must not matter ------------------------------------------------------------------------


@pytest.mark.parametrize("make", FAMILY)
def test_weights_are_copies(make):
    X, y = noisy_rows(5)
    counts = np.random.default_rng(0).integers(0, 3, len(y))
    weighted = make(n_estimators=8).fit(X, y, sample_weight=counts)
    copied = make(n_estimators=8).fit(X.repeat(counts, axis=0), y.repeat(counts))
    np.testing.assert_allclose(weighted.predict_proba(X), copied.predict_proba(X), rtol=1e-8)


def test_threads_change_nothing():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30_000, 20))
    y = X[:, 0] + rng.normal(size=30_000) > 0
    one, two = (GradientBoostClassifier(n_estimators=4, n_jobs=n).fit(X, y) for n in (1, 2))
    assert one.estimators_ == two.estimators_
    np.testing.assert_array_equal(one.estimator_weights_, two.estimator_weights_)
    np.testing.assert_array_equal(one.dual_, two.dual_)


def test_a_tree_that_does_not_grow_keeps_nobody_waiting(monkeypatch):
    """Helpers leave where the leader fails."""

    def fail(*args):
        time.sleep(0.02)
        raise KeyboardInterrupt

    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30_000, 20)), rng.random(30_000) < 0.5
    with monkeypatch.context() as patch:
        patch.setattr(growth_module, "grow", fail)
        with pytest.raises(KeyboardInterrupt):
            GradientBoostClassifier(n_estimators=2, n_jobs=2).fit(X, y)
    GradientBoostClassifier(n_estimators=2, n_jobs=2).fit(X, y)


@pytest.mark.parametrize("rate", [0.1, 0.3])
@pytest.mark.parametrize("make", [GradientBoostClassifier, SoftmaxBoostClassifier])
def test_rare_classes_do_not_make_steps_without_end(make, rate):
    """Settled rows have no curvature: Newton's steps are cut there, and the loss falls on."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 3))
    y = np.where(X[:, 0] > 3.2, 2, rng.random(20_000) < 0.5)
    if make is GradientBoostClassifier:
        y = y == 2
    model = make(n_estimators=60, learning_rate=rate, min_samples_leaf=5).fit(X, y)
    assert (np.diff(model.history_["loss"]) < 0).all()
    assert np.abs(model.estimator_weights_[1:]).max() <= 4 * rate


class Crash(Callback):
    def on_round(self, state):
        if state.round == 5:
            raise KeyboardInterrupt


@pytest.mark.parametrize("make", FAMILY)
def test_an_interrupted_fit_goes_on(make, tmp_path):
    X, y = cancer(3)
    random = {} if make is RealAdaBoostClassifier else {"subsample": 0.7}
    whole = make(n_estimators=9, **random).fit(X, y)
    checkpoint = Checkpoint(tmp_path / "run.json", every=2)
    with pytest.raises(KeyboardInterrupt):
        make(n_estimators=9, callbacks=[Crash(), checkpoint], **random).fit(X, y)
    resumed = make(n_estimators=9, callbacks=[checkpoint], **random).fit(X, y)
    assert resumed.estimators_ == whole.estimators_
    np.testing.assert_array_equal(resumed.estimator_weights_, whole.estimator_weights_)
    np.testing.assert_array_equal(resumed.dual_, whole.dual_)


@pytest.mark.parametrize("make", FAMILY)
def test_files_and_graphs_predict_the_same(make, tmp_path):
    runtime = pytest.importorskip("onnxruntime")
    X, y = cancer(3)
    model = make(n_estimators=5).fit(X, y)
    model.save(tmp_path / "model.json")
    np.testing.assert_array_equal(
        load(tmp_path / "model.json").predict_proba(X), model.predict_proba(X)
    )
    session = runtime.InferenceSession(model.to_onnx().SerializeToString())
    label, chances, vote = session.run(None, {"X": X})
    np.testing.assert_array_equal(label, model.predict(X))
    np.testing.assert_allclose(chances, model.predict_proba(X), rtol=0, atol=1e-12)
    np.testing.assert_allclose(vote, model.decision_function(X), rtol=0, atol=1e-12)


# -- several classes, other base learners, stopping ------------------------------------------------


@pytest.mark.parametrize("make", FAMILY)
def test_scores_of_several_classes_are_on_one_scale(make):
    X, y = load_iris(return_X_y=True)
    model = make(n_estimators=3).fit(X, y)
    chances = model.predict_proba(X)
    np.testing.assert_array_equal(chances.argmax(axis=1), model.predict(X))
    if not algorithm_of(model).calibrated:
        own = np.column_stack([p.predict_proba(X)[:, 1] for p in model.problems_])
        np.testing.assert_allclose(chances, own / own.sum(axis=1, keepdims=True), rtol=1e-6)
    assert model.score(X, y) > 0.95


def test_other_base_learners_take_line_searches():
    X, y = cancer(2)
    stumps = GradientBoostClassifier(StumpOracle(), step="search", learning_rate=1.0)
    model = stumps.set_params(n_estimators=20).fit(X, y)
    assert (np.diff(model.history_["loss"]) < 0).all()
    assert model.score(X, y) > 0.97


def test_early_stopping_by_loss_keeps_the_best_round():
    X, y = noisy_rows(6, 300)
    watch = EarlyStopping(X[::3], y[::3], patience=5, criterion="loss")
    rest = np.arange(300) % 3 > 0
    model = GradientBoostClassifier(
        n_estimators=200, learning_rate=0.5, min_samples_leaf=3, callbacks=[watch]
    ).fit(X[rest], y[rest])
    assert model.n_iter_ < 200
    assert str(model.stop_reason_) == "no progress"
    best = int(np.argmin(watch.errors_))
    assert len(model.estimators_) == best + 2  # with the constant
    np.testing.assert_allclose(log_loss(y[::3], model.predict_proba(X[::3])), watch.errors_[best])
    loss = log_loss(y[rest], model.predict_proba(X[rest]))
    constant = log_loss(y[rest], np.full(200, np.mean(y[rest] > 0)))
    np.testing.assert_allclose(model.certificate_.value, 1 - loss / constant)


def test_a_loss_to_watch_must_exist():
    X, y = noisy_rows(7)
    watch = EarlyStopping(X, y, criterion="loss")
    with pytest.raises(ValueError, match="criterion: got 'loss'"):
        AdaBoostClassifier(callbacks=[watch]).fit(X, y)
    with pytest.raises(ValueError, match="criterion: got 'gain'"):
        EarlyStopping(X, y, criterion="gain")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"learning_rate": 0.0}, "learning_rate: got 0.0"),
        ({"loss": "hubert"}, "loss: got 'hubert'"),
        ({"step": "big"}, "step: got 'big'"),
        ({"max_leaf_nodes": 1}, "max_leaf_nodes: got 1"),
        ({"subsample": 0.0}, "subsample: got 0.0"),
    ],
)
def test_bad_settings_show_before_any_work(settings, message):
    with pytest.raises(ValueError, match=message):
        GradientBoostClassifier(**settings).fit([["not read"]], [0])


def test_rows_that_cannot_be_told_apart_leave_the_constant():
    X, y = np.zeros((50, 2)), np.array([0] * 20 + [1] * 30)
    model = GradientBoostClassifier().fit(X, y)
    assert str(model.stop_reason_) == "no edge"
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], 0.6)


@pytest.mark.parametrize("loss", ["logistic", "exponential"])
def test_searched_steps_end_on_separable_rows(loss):
    """Rows that a stump separates have no best step: the search is cut, and nothing overflows."""
    X, y = np.arange(8.0)[:, None], np.arange(8) >= 4
    model = GradientBoostClassifier(
        StumpOracle(), loss=loss, step="search", learning_rate=1.0, n_estimators=3
    ).fit(X, y)
    steps = np.abs(model.estimator_weights_)
    assert np.isfinite(steps).all()
    assert 0.0 < steps.max() <= FARTHEST
    assert np.isfinite(model.decision_function(X)).all()
    np.testing.assert_array_equal(model.predict(X), y)
