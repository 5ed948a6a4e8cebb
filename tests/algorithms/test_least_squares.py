"""LS-Boost (R1-A22, R1-A23) and L2Boosting: theorems, golden values, independent solvers.

See CH-A6.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_diabetes
from sklearn.ensemble import GradientBoostingRegressor

from marginboost import (
    GradientBoostRegressor,
    L2BoostRegressor,
    LinearOracle,
    LSBoostRegressor,
)
from marginboost.algorithms import L2Boost, LSBoost
from marginboost.algorithms.gradient_boost_regressor import SpreadLoss
from marginboost.core import Sample, Stop, train
from marginboost.data import Table
from marginboost.diagnostics import coefficient_path, lars_path
from marginboost.duals.newton import slopes
from marginboost.losses import as_loss
from marginboost.oracles import FiniteOracle
from strategies import Recorder, few, theory


def target_sample(H, y, weights=None):
    table = Table(np.asarray(H, dtype=float), [f"h{j}" for j in range(np.shape(H)[1])])
    return Sample.of_targets(y, weights, rows=table)


@st.composite
def target_problems(draw, max_rows=12, max_columns=8):
    """(H, y, weights) with outputs of different sizes in [-1, 1] and targets of any size."""
    n, m = draw(st.integers(3, max_rows)), draw(st.integers(1, max_columns))
    rng = np.random.default_rng(draw(st.integers(0, 2**20)))
    H = rng.uniform(-1, 1, (n, m)) * rng.uniform(0.1, 1.0, m)
    y = (rng.normal(size=n) + draw(st.sampled_from([0.0, 3.0]))) * 10.0 ** draw(st.integers(-6, 9))
    return H, y, rng.integers(1, 4, n).astype(float)


def matching_pursuit(H, y, weights, rounds):
    """Columns and coefficients of maximal improvement, by plain formulas."""
    r, chosen, steps = y.copy(), [], []
    for _ in range(rounds):
        pulls, squares = (weights * r) @ H, weights @ H**2
        j = int(np.argmax(pulls**2 / squares))
        r = r - pulls[j] / squares[j] * H[:, j]
        chosen.append(j)
        steps.append(pulls[j] / squares[j])
    return chosen, np.array(steps), r


def run(H, y, rule, rounds, weights=None, closed=False):
    recorder = Recorder()
    sample = target_sample(H, y, weights)
    found = train(
        sample, FiniteOracle(closed=closed), rule, max_rounds=rounds, callbacks=[recorder]
    )
    return found, recorder


def test_version_one_stalls_where_version_two_does_not():  # R1-V10, R1-C50, scaled into [-1, 1]
    y = np.array([1.0, 0.0]) / 3.0
    H = np.array([[0.0, 0.0, 3.0, -3.0], [0.1, -0.1, 0.0, 0.0]]) / 3.0
    criterion = ((y[:, None] - H) ** 2).sum(axis=0)
    np.testing.assert_allclose(9.0 * criterion, [1.01, 1.01, 4.0, 16.0])
    stalled, _ = run(H, y, LSBoost(version=1), 50)
    assert stalled.stop is Stop.STALLED
    assert len(stalled.ensemble) == 0
    assert stalled.certificate.value == 0.0
    best, _ = run(H, y, LSBoost(version=2), 50)
    np.testing.assert_allclose(best.ensemble.coef, [1.0 / 3.0])
    assert best.ensemble.members[0].index == 2
    assert best.history["loss"][0] == 0.0
    assert best.stop is Stop.NO_EDGE


@pytest.mark.parametrize("version", [1, 2])
def test_no_hypothesis_is_overlooked_among_many(version):
    """(3.5) and (3.7) are about all columns, not those of largest edge only."""
    for seed in range(100):
        rng = np.random.default_rng(seed)
        H = rng.uniform(-1, 1, (40, 60)) * rng.uniform(0.05, 1.0, 60)
        y, weights = rng.normal(size=40), rng.integers(1, 4, 40).astype(float)
        prior = weights / weights.sum()
        pulls, squares = (prior * y) @ H, prior @ H**2
        nearest, steepest = squares - 2.0 * np.abs(pulls), -(pulls**2) / squares
        found, _ = run(H, y, LSBoost(version=version), 1, weights, closed=True)
        expected = int(np.argmin(nearest if version == 1 else steepest))
        assert found.ensemble.members[0].index == expected


@theory
@given(target_problems())
def test_version_two_is_matching_pursuit(problem):  # R1-A23
    H, y, weights = problem
    found, _ = run(H, y, LSBoost(), 4, weights)
    chosen, steps, _ = matching_pursuit(H, y, weights, len(found.ensemble))
    assert [member.index for member in found.ensemble.members] == chosen
    np.testing.assert_allclose(found.ensemble.coef, steps, rtol=1e-7, atol=1e-12 * np.abs(y).max())


@theory
@given(target_problems(), st.sampled_from([1.0, 0.5, 0.1]))
def test_loss_falls_by_the_improvement(problem, rate):  # R1-A23, CH-C13
    H, y, weights = problem
    found, record = run(H, y, LSBoost(learning_rate=rate), 6, weights)
    p = weights / weights.sum()
    before = y
    for t, member in enumerate(found.ensemble.members):
        h, after = member.sign * H[:, member.index], y - record.scores[t]
        cosine = (p * before) @ h / np.sqrt((p @ h**2) * (p @ before**2))
        share = 1.0 - rate * (2.0 - rate) * cosine**2
        np.testing.assert_allclose(p @ after**2, share * (p @ before**2), rtol=1e-6, atol=1e-20)
        np.testing.assert_allclose(found.history["loss"][t], 0.5 * p @ after**2, rtol=1e-9)
        before = after
    assert (np.diff(found.history["loss"]) <= 0).all()
    assert np.isnan(found.history["min_margin"]).all()
    assert np.isnan(found.history["error"]).all()


@few
@given(target_problems(max_rows=8, max_columns=4))
def test_version_two_reaches_the_least_loss(problem):  # R1-C49
    H, y, weights = problem
    found, _ = run(H, y, LSBoost(), 3000, weights)
    root = np.sqrt(weights)
    left = np.linalg.lstsq(H * root[:, None], y * root, rcond=None)[0]
    best = 0.5 * np.average((y - H @ left) ** 2, weights=weights)
    empty = 0.5 * np.average(y**2, weights=weights)
    assert found.history["loss"][-1] <= best + 1e-6 * empty
    assert found.certificate.value == pytest.approx(1.0 - found.history["loss"][-1] / empty)


@few
@given(target_problems())
def test_versions_agree_where_norms_are_equal(problem):  # R1-C50
    H, y, _ = problem
    H = H / np.sqrt((H**2).sum(axis=0))
    one, _ = run(H, y, LSBoost(version=1), 5, closed=True)
    two, _ = run(H, y, LSBoost(version=2), 5, closed=True)
    # Hypotheses of equal improvement may differ; what is left after each round may not.
    np.testing.assert_allclose(
        one.history["loss"], two.history["loss"], rtol=1e-6, atol=1e-9 * float(y @ y)
    )


@few
@given(target_problems())
def test_mean_comes_first(problem):  # CH-A6
    H, y, weights = problem
    found, _ = run(H, y, L2Boost(), 3, weights)
    assert found.ensemble.coef[0] == pytest.approx(np.average(y, weights=weights))
    np.testing.assert_array_equal(found.ensemble.members[0](H), np.ones(len(y)))


# -- LARS (CH-A6b, CH-C13) ---------------------------------------------------------------------


def farthest_from_lars(X, y, rate, rounds):
    """Largest distance of the two paths, as a share of the largest coefficient of LARS."""
    model = L2BoostRegressor(LinearOracle(), n_estimators=rounds, learning_rate=rate).fit(X, y)
    ours, theirs = coefficient_path(model, X), lars_path(model, X, y)
    lengths = np.linspace(0.0, min(ours.l1_norms.max(), theirs.l1_norms.max()), 60)
    largest = np.abs(theirs.coefficients).max()
    return float(np.abs(ours.at(lengths) - theirs.at(lengths)).max()) / largest


def test_small_steps_follow_lars_for_orthogonal_features():
    rng = np.random.default_rng(0)
    X = np.linalg.qr(rng.normal(size=(60, 5)) - 0.0)[0]
    X = np.linalg.qr(np.column_stack([np.ones(60), X]))[0][:, 1:]  # centred
    y = X @ np.array([5.0, -3.0, 2.0, 1.0, 0.0]) + 0.1 * rng.normal(size=60)
    far = [farthest_from_lars(X, y, rate, int(12 / rate)) for rate in (0.2, 0.02)]
    assert far[1] < 0.01
    assert far[1] < far[0] / 5


def test_small_steps_follow_lars_on_diabetes():
    X, y = load_diabetes(return_X_y=True)
    assert farthest_from_lars(X, y, 0.02, 600) < 0.01


def test_long_run_is_least_squares():
    X, y = load_diabetes(return_X_y=True)
    model = L2BoostRegressor(LinearOracle(), n_estimators=3000, learning_rate=1.0).fit(X, y)
    design = np.column_stack([np.ones(len(X)), X])
    best = design @ np.linalg.lstsq(design, y, rcond=None)[0]
    assert np.abs(model.predict(X) - best).max() < 0.01 * y.std()
    beyond = 3.0 * X[:5]  # lines go on beyond the training rows
    truth = np.column_stack([np.ones(5), beyond]) @ np.linalg.lstsq(design, y, rcond=None)[0]
    assert np.abs(model.predict(beyond) - truth).max() < 0.05 * y.std()


# -- as scikit-learn's gradient boosting -------------------------------------------------------


@pytest.mark.parametrize("depth", [1, 3])
def test_trees_are_those_of_gradient_boosting(depth):
    X, y = load_diabetes(return_X_y=True)
    settings = {"n_estimators": 30, "learning_rate": 0.3, "max_depth": depth}
    ours = L2BoostRegressor(max_bins=None, **settings).fit(X, y)
    theirs = GradientBoostingRegressor(**settings).fit(X, y)
    stages = list(ours.staged_predict(X))[1:]  # the first is the mean
    for one, other in zip(stages, theirs.staged_predict(X), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9)


def test_gradient_boosting_of_the_squared_loss_is_l2_boosting():  # CH-C14
    X, y = load_diabetes(return_X_y=True)
    weights = np.random.default_rng(0).integers(1, 4, len(y))
    trees = {"max_leaf_nodes": None, "max_depth": 2, "min_samples_leaf": 1}
    for rate in (1.0, 0.1):
        ours = L2BoostRegressor(n_estimators=20, learning_rate=rate, max_depth=2)
        general = GradientBoostRegressor(n_estimators=20, learning_rate=rate, **trees)
        stages = zip(
            ours.fit(X, y, weights).staged_predict(X),
            general.fit(X, y, weights).staged_predict(X),
            strict=True,
        )
        for one, other in stages:
            np.testing.assert_allclose(one, other, rtol=1e-9)


def test_gradient_boosting_agrees_with_scikit_learn():
    X, y = load_diabetes(return_X_y=True)
    trees = {"max_leaf_nodes": None, "min_samples_leaf": 1, "max_bins": None}
    ours = GradientBoostRegressor(n_estimators=40, max_depth=3, **trees).fit(X, y)
    theirs = GradientBoostingRegressor(n_estimators=40, max_depth=3).fit(X, y)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-9)


@pytest.mark.parametrize("loss", ["squared", "huber", "log-cosh"])
@few
@given(seed=st.integers(0, 2**20), rate=st.sampled_from([1.0, 0.3]), wild=st.booleans())
def test_parabolas_above_the_loss_never_raise_it(loss, seed, rate, wild):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(40, 2)), rng.normal(size=40)
    y[:4] += 1e4 * wild
    model = GradientBoostRegressor(
        loss=loss, n_estimators=12, learning_rate=rate, max_leaf_nodes=4, min_samples_leaf=2
    ).fit(X, y)
    assert (np.diff(model.history_["loss"]) <= 1e-9 * model.history_["loss"][0]).all()
    assert 0.0 <= model.certificate_.value <= model.certificate_.upper


@theory
@given(st.floats(-50, 50), st.floats(-50, 50), st.sampled_from(["huber", "log-cosh", "squared"]))
def test_parabola_touches_and_lies_above(at, elsewhere, name):
    loss = SpreadLoss(as_loss("loss", name), 2.0)
    t, s = np.array([at]), np.array([elsewhere])
    slope, bend = np.empty(1), np.empty(1)
    slopes(loss, t, np.zeros(1), np.empty(0), 0.0, slope, bend)
    parabola = loss.value(t) + 0.5 * bend * (s**2 - t**2)
    np.testing.assert_allclose(slope, bend * t, rtol=1e-6, atol=1e-7)
    assert (parabola >= loss.value(s) - 1e-6).all()


class WithoutKernel(SpreadLoss):
    """The same loss, by its own formulas."""

    squared_unit = None


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("unit", [1.0, 0.3])
@pytest.mark.parametrize("wide", [0.0, 60.0], ids=["alike", "of all sizes"])
def test_slopes_of_the_squared_kernel_are_those_of_the_loss(unit, weighted, wide):
    rng = np.random.default_rng(0)
    y = rng.normal(size=200) * 10.0 ** rng.uniform(-wide, wide, 200)
    scores = np.where(rng.random(200) < 0.1, y, rng.normal(size=200))  # some without residual
    weights = rng.random(200) if weighted else np.empty(0)
    found = []
    for kind in (SpreadLoss, WithoutKernel):
        out = np.empty((2, 200))
        facts = slopes(kind(as_loss("loss", "squared"), unit), y, scores, weights, 0.0, *out)
        found.append((facts, out.tobytes()))
    assert found[0] == found[1]


def test_robust_losses_bear_wild_targets():
    X, y = load_diabetes(return_X_y=True)
    wild = y.copy()
    wild[::10] += 1e5
    far = {}
    for loss in ("squared", "huber", "log-cosh", "epsilon-insensitive"):
        model = GradientBoostRegressor(loss=loss).fit(X, wild)
        far[loss] = np.median(np.abs(model.predict(X) - y))
    assert far["squared"] > 1000
    assert max(far["huber"], far["log-cosh"], far["epsilon-insensitive"]) < 0.5 * y.std()


def test_stumps_and_their_explanation():
    X, y = load_diabetes(return_X_y=True)
    model = LSBoostRegressor(n_estimators=60, learning_rate=0.5).fit(X, y)
    explained = model.explain()
    parts = explained.contributions(X)
    np.testing.assert_allclose(explained.intercept + parts.sum(axis=1), model.predict(X), rtol=1e-9)
    assert explained.intercept == pytest.approx(model.predict(X).mean())
    assert model.score(X, y) > 0.5
