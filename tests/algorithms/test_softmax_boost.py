"""SoftmaxBoost: slopes of the softmax, the binary case, scikit-learn's algorithm, and the rest."""

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import log_softmax, softmax
from sklearn.datasets import load_iris
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.metrics import log_loss

from marginboost import (
    Callback,
    Checkpoint,
    EarlyStopping,
    GradientBoostClassifier,
    GradientTreeOracle,
    SoftmaxBoostClassifier,
    StumpOracle,
)
from marginboost.core import LabelByLabel, RightOrWrong, State
from marginboost.core.hypothesis import hypothesis_from_dict
from marginboost.duals.softmax import SoftmaxWeights
from marginboost.losses import Softmax
from marginboost.oracles import TreePerLabelOracle

FEW = settings(derandomize=True, deadline=None, max_examples=20, database=None)


def blobs(n=300, n_classes=4, seed=0, noise=1.2):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, size=n)
    X = rng.normal(size=(n_classes, 3))[y] * 1.5 + noise * rng.normal(size=(n, 3))
    return X, y


def refreshed(scores, labels, weights):
    """Slopes and curvatures as (examples, labels), their common factor, and the mean loss."""
    sample = LabelByLabel.of_classes(labels, scores.shape[1], weights)
    state = State(sample)
    state.scores[:] = scores.ravel()
    rule = SoftmaxWeights()
    assert rule.refresh(state)
    assert np.abs(state.dual).sum() == pytest.approx(1.0)
    shape = scores.shape
    return state.dual.reshape(shape), state.weights.curvature.reshape(shape), rule.mean_loss


# -- slopes and curvatures ----------------------------------------------------------------------


@FEW
@given(seed=st.integers(0, 2**20), n_classes=st.integers(2, 6))
def test_slopes_are_derivatives_of_the_mean_loss(seed, n_classes):
    rng = np.random.default_rng(seed)
    scores, labels = 3 * rng.normal(size=(7, n_classes)), rng.integers(0, n_classes, size=7)
    weights = rng.exponential(size=7)
    prior = weights / weights.sum()
    dual, curvature, loss = refreshed(scores, labels, weights)

    def mean_loss(at):
        return float(-prior @ log_softmax(at, axis=1)[np.arange(7), labels])

    assert loss == pytest.approx(mean_loss(scores), rel=1e-12)
    assert prior @ Softmax().values(scores, labels) == pytest.approx(loss, rel=1e-12)
    slopes, step = np.empty_like(scores), 1e-5
    for place in np.ndindex(*scores.shape):
        up, down = scores.copy(), scores.copy()
        up[place] += step
        down[place] -= step
        slopes[place] = (mean_loss(down) - mean_loss(up)) / (2 * step)
    size = np.abs(slopes).sum()
    np.testing.assert_allclose(dual, slopes / size, atol=1e-8)
    p = softmax(scores, axis=1)
    bend = prior[:, None] * p * (1 - p) * n_classes / (n_classes - 1)
    np.testing.assert_allclose(curvature, bend / size, atol=1e-8)


def test_slopes_at_extreme_scores():
    """To 1e-12 of many digits, where one class is all but certain and where it is all but lost."""
    scores = np.array([[40.0, 0.0, -3.0], [-600.0, 30.0, 0.0], [0.0, 0.0, 1e-9]])
    labels = np.array([0, 0, 2])
    dual, curvature, _ = refreshed(scores, labels, np.ones(3))
    with mpmath.workdps(60):
        powers = [[mpmath.exp(mpmath.mpf(float(f))) for f in row] for row in scores]
        chances = [[value / sum(row) for value in row] for row in powers]
        slopes = [
            [(k == own) - p for k, p in enumerate(row)]
            for row, own in zip(chances, labels, strict=True)
        ]
        size = sum(abs(value) for row in slopes for value in row)
        expected = np.array([[float(value / size) for value in row] for row in slopes])
        bends = [[float(p * (1 - p) * mpmath.mpf(3) / 2 / size) for p in row] for row in chances]
    np.testing.assert_allclose(dual, expected, rtol=1e-12)
    np.testing.assert_allclose(curvature, bends, rtol=1e-12)


# -- the same algorithm, by others ---------------------------------------------------------------


@pytest.mark.parametrize("weighted", [False, True])
def test_two_classes_are_logistic_gradient_boosting(weighted):
    X, y = blobs(n_classes=2, noise=2.0)
    weights = np.random.default_rng(1).uniform(0.5, 2, size=len(y)) if weighted else None
    settings_ = {"n_estimators": 12, "max_leaf_nodes": 6, "min_samples_leaf": 10}
    joint = SoftmaxBoostClassifier(**settings_).fit(X, y, weights)
    single = GradientBoostClassifier(**settings_).fit(X, y, weights)
    stages = zip(joint.staged_predict_proba(X), single.staged_predict_proba(X), strict=True)
    for mine, other in stages:
        np.testing.assert_allclose(mine, other, atol=1e-10)
    np.testing.assert_allclose(joint.certificate_.value, single.certificate_.value, atol=1e-10)


def test_friedmans_algorithm_is_scikit_learns():
    X, y = blobs(seed=2)
    theirs = GradientBoostingClassifier(n_estimators=10, max_depth=3, random_state=0).fit(X, y)
    trees = GradientTreeOracle(None, max_depth=3, min_samples_leaf=1, splits="gradient")
    ours = SoftmaxBoostClassifier(trees, n_estimators=10, max_bins=None).fit(X, y)
    mine = list(ours.staged_predict_proba(X))[1:]  # the constants come first
    assert len(mine) == 10
    for chances, expected in zip(mine, theirs.staged_predict_proba(X), strict=True):
        np.testing.assert_allclose(chances, expected, atol=1e-6)


# -- what it promises ----------------------------------------------------------------------------


def test_the_bounds_are_about_the_loss_that_is_saved():
    X, y = blobs(n_classes=3)
    weights = np.random.default_rng(5).integers(0, 3, size=len(y))
    model = SoftmaxBoostClassifier(n_estimators=15).fit(X, y, weights)
    loss = log_loss(y, model.predict_proba(X), sample_weight=weights)
    shares = np.bincount(y, weights) / weights.sum()
    constant = log_loss(y, np.tile(shares, (len(y), 1)), sample_weight=weights)
    assert model.history_["loss"][-1] == pytest.approx(loss)
    assert model.certificate_.value == pytest.approx(1 - loss / constant)
    assert model.certificate_.upper == 1.0
    assert not model.certified_
    assert (np.diff(model.history_["loss"]) < 0).all()


@pytest.mark.parametrize("n_jobs", [2, 3, 7])
def test_threads_change_nothing(n_jobs):
    """Fewer threads than classes grow trees side by side, more grow each together."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30_000, 20))
    y = np.digitize(X[:, 0] + rng.normal(size=30_000), [-1, 0, 1])
    settings_ = {"n_estimators": 3, "subsample": 0.8}
    one = SoftmaxBoostClassifier(n_jobs=1, **settings_).fit(X, y)
    other = SoftmaxBoostClassifier(n_jobs=n_jobs, **settings_).fit(X, y)
    assert one.estimators_ == other.estimators_
    np.testing.assert_array_equal(one.estimator_weights_, other.estimator_weights_)
    np.testing.assert_array_equal(one.dual_, other.dual_)


def test_an_interrupted_fit_goes_on(tmp_path):
    X, y = blobs()

    class Crash(Callback):
        def on_round(self, state):
            if state.round == 5:
                raise KeyboardInterrupt

    settings_ = {"n_estimators": 9, "subsample": 0.7}
    whole = SoftmaxBoostClassifier(**settings_).fit(X, y)
    keep = Checkpoint(tmp_path / "run.json", every=2)
    with pytest.raises(KeyboardInterrupt):
        SoftmaxBoostClassifier(callbacks=[Crash(), keep], **settings_).fit(X, y)
    resumed = SoftmaxBoostClassifier(callbacks=[keep], **settings_).fit(X, y)
    assert resumed.estimators_ == whole.estimators_
    np.testing.assert_array_equal(resumed.estimator_weights_, whole.estimator_weights_)
    np.testing.assert_array_equal(resumed.dual_, whole.dual_)


def test_early_stopping_by_loss_keeps_the_best_round():
    X, y = blobs(400, noise=2.0)
    watch = EarlyStopping(X[::2], y[::2], patience=5, criterion="loss")
    model = SoftmaxBoostClassifier(
        n_estimators=200, learning_rate=0.5, min_samples_leaf=3, callbacks=[watch]
    ).fit(X[1::2], y[1::2])
    best = int(np.argmin(watch.errors_))
    assert len(model.estimators_) == best + 2 < 200  # with the constants
    np.testing.assert_allclose(log_loss(y[::2], model.predict_proba(X[::2])), watch.errors_[best])


def test_categories_and_missing_values():
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    colour = rng.choice(["blue", "green", "red", "white"], size=300)
    X = pd.DataFrame({"c": pd.Categorical(colour), "x": rng.normal(size=300)})
    X.loc[::9, "x"] = np.nan
    y = np.where(colour == "red", "r", np.where(X["x"].isna(), "m", "o"))
    model = SoftmaxBoostClassifier(n_estimators=30, min_samples_leaf=3).fit(X, y)
    assert model.score(X, y) == 1.0


def test_rows_that_cannot_be_told_apart_leave_the_constants():
    y = np.array([0, 0, 0, 1, 1, 2])
    model = SoftmaxBoostClassifier(min_samples_leaf=1).fit(np.zeros((6, 2)), y)
    expected = np.tile([1 / 2, 1 / 3, 1 / 6], (6, 1))
    np.testing.assert_allclose(model.predict_proba(np.zeros((6, 2))), expected, rtol=1e-12)
    balanced = SoftmaxBoostClassifier(min_samples_leaf=1).fit(np.zeros((6, 2)), np.arange(6) % 3)
    np.testing.assert_allclose(balanced.predict_proba(np.zeros((6, 2))), 1 / 3, rtol=1e-12)


# -- mistakes ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings_", "error", "message"),
    [
        ({"estimator": StumpOracle()}, TypeError, "estimator: got StumpOracle"),
        ({"learning_rate": 0}, ValueError, "learning_rate: got 0"),
        ({"max_leaf_nodes": 1}, ValueError, "max_leaf_nodes: got 1"),
        ({"estimator": GradientTreeOracle(1)}, ValueError, "max_leaf_nodes: got 1"),
        ({"subsample": 1.5}, ValueError, "subsample: got 1.5"),
    ],
)
def test_bad_settings_show_before_any_work(settings_, error, message):
    with pytest.raises(error, match=message):
        SoftmaxBoostClassifier(**settings_).fit("no rows", "no labels")


def test_the_base_learner_needs_a_row_a_label():
    sample = RightOrWrong.of_classes(np.array([0, 1]), 2, np.ones(2))
    with pytest.raises(TypeError, match="sample: got RightOrWrong, expected LabelByLabel"):
        TreePerLabelOracle(GradientTreeOracle()).bind(sample)


@pytest.mark.parametrize("trees", [None, [], [{"kind": "stump"}, {"kind": "tree"}], ["tree", "x"]])
def test_hypotheses_are_checked(trees):
    with pytest.raises(ValueError, match="trees: got"):
        hypothesis_from_dict({"kind": "tree_per_label", "trees": trees})


def test_hypotheses_are_data():
    X, y = load_iris(return_X_y=True)
    model = SoftmaxBoostClassifier(n_estimators=2, min_samples_leaf=5).fit(X, y)
    for member in model.estimators_:
        again = hypothesis_from_dict(member.to_dict())
        assert again == member
        assert hash(again) == hash(member)
        np.testing.assert_array_equal(again.negated()(X), -member(X))
