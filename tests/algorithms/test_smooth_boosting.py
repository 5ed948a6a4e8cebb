"""SmoothBoost and MadaBoost: weights that stay near the prior, and the errors they promise."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from marginboost import AdaBoostClassifier, MadaBoostClassifier, SmoothBoostClassifier
from marginboost.algorithms import MadaBoost, SmoothBoost
from marginboost.algorithms.madaboost import rounds_needed as mada_rounds
from marginboost.algorithms.smoothboost import rounds_needed as smooth_rounds
from marginboost.core import Stop
from marginboost.datasets import circle_2d, flip_labels
from marginboost.solvers import solve_margin_lp
from strategies import (
    Recorder,
    few,
    flip_family,
    imperfect_sign_problems,
    leaning_matrix,
    real_problems,
    recorded,
    run_matrix,
    theory,
)

ROUNDS = 40


def any_problems():
    return st.one_of(imperfect_sign_problems(min_rows=3), real_problems(min_rows=3))


@st.composite
def with_prior(draw):
    H, y = draw(any_problems())
    counts = draw(st.lists(st.integers(1, 3), min_size=len(y), max_size=len(y)))
    return H, y, np.array(counts) / sum(counts)


# -- SmoothBoost -------------------------------------------------------------------------------


def published_weights(columns, prior, gamma, theta):
    """Figure 1 of the paper, as printed but for the prior: D_t of every round, and the last Σ M."""
    M, N = np.ones(len(prior)), np.zeros(len(prior))
    weights = [prior * M / (prior @ M)]
    for column in columns:
        N = N + column - theta
        M = np.where(N < 0, 1.0, (1 - gamma) ** (np.maximum(N, 0) / 2))
        weights.append(prior * M / (prior @ M))
    return weights, prior @ M


@theory
@given(with_prior(), st.sampled_from([(0.1, 0.2, None), (0.3, 0.5, 0.1), (0.02, 0.9, 0.0)]))
def test_smoothboost_is_the_published_algorithm(problem, setting):
    H, y, prior = problem
    kappa, edge, theta = setting
    gamma = edge / 2
    aim = gamma / (2 + gamma) if theta is None else theta
    run, record = recorded(H, y, SmoothBoost(kappa, edge, theta), ROUNDS, prior=prior)
    columns = [y * m.sign * H[:, m.index] for m in record.members]
    weights, share = published_weights(columns, prior, gamma, aim)
    for found, expected in zip(record.duals, weights, strict=run.stop is not Stop.NO_EDGE):
        np.testing.assert_allclose(y * found, expected, atol=1e-11)
    assert (run.stop is Stop.TARGET) == (share < kappa)
    np.testing.assert_array_equal(run.ensemble.coef, 1.0)


@theory
@given(with_prior(), st.sampled_from([0.05, 0.2, 0.5]))
def test_smoothboost_weights_are_smooth(problem, kappa):
    """No weight above prior / κ in any round in which the base learner is asked."""
    H, y, prior = problem
    run, record = recorded(H, y, SmoothBoost(kappa, 0.6), 200, prior=prior)
    for dual in record.duals[: len(run.history)]:
        assert (y * dual <= prior / kappa * (1 + 1e-12)).all()


@theory
@given(with_prior(), st.sampled_from([0.05, 0.2, 0.5]))
def test_smoothboost_ends_with_few_small_margins(problem, kappa):
    """Where it ends by itself, margins at or below θ weigh less than κ, whatever the edges were."""
    H, y, prior = problem
    run = run_matrix(H, y, SmoothBoost(kappa, 0.6, 0.1), 400, prior=prior)
    assume(run.stop is Stop.TARGET)
    assert prior[run.margins <= 0.1].sum() < kappa


@pytest.mark.parametrize("selection", ["best", "worst", "random"])
@pytest.mark.parametrize("kappa", [0.05, 0.3])
@pytest.mark.parametrize("seed", range(3))
def test_smoothboost_keeps_its_theorem(selection, kappa, seed):
    """Edges of at least 2γ (here all are at least ρ*): margin error below κ within the bound."""
    outcomes = leaning_matrix(25, 40, 0.8, seed)
    edge = solve_margin_lp(outcomes).value
    assert edge > 0.1
    y, rounds = np.ones(25), smooth_rounds(kappa, edge)
    run = run_matrix(outcomes, y, SmoothBoost(kappa, edge), rounds, selection=selection)
    assert run.stop is Stop.TARGET
    assert len(run.history) < rounds
    gamma = edge / 2
    assert (run.margins <= gamma / (2 + gamma)).mean() < kappa


def test_rounds_are_as_published():
    gamma, kappa = 0.1, 0.05
    assert smooth_rounds(kappa, 2 * gamma) == math.ceil(
        2 / (kappa * gamma**2 * math.sqrt(1 - gamma))
    )
    assert mada_rounds(0.05, 0.2) == 1000


def test_smoothboost_stops_without_an_edge():
    run = run_matrix(-np.ones((4, 2)), np.ones(4), SmoothBoost(), 10)
    assert run.stop is Stop.NO_EDGE
    assert len(run.ensemble) == 0


def test_smoothboost_bears_label_noise():
    X, y = circle_2d(400)
    noisy, flipped = flip_labels(y, 0.1, seed=2)
    model = SmoothBoostClassifier(kappa=0.25, edge=0.1, n_estimators=400).fit(X, noisy)
    assert np.abs(model.dual_).max() <= 1 / (0.25 * 400) * (1 + 1e-12)
    heavy = np.abs(model.dual_) > 0.99 * np.abs(model.dual_).max()
    assert heavy[flipped].mean() > 2 * heavy[~flipped].mean()
    chances = model.predict_proba(X)[np.argsort(model.decision_function(X)), 1]
    assert (np.diff(chances) >= 0).all()


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"kappa": 0.0}, r"kappa: got 0.0, expected a number above 0 and below 1"),
        ({"kappa": 1.0}, r"kappa: got 1.0"),
        ({"edge": 1.0}, r"edge: got 1.0, expected a number above 0 and below 1"),
        ({"edge": 0.2, "target_margin": 0.2}, r"target_margin: got 0.2, .* at least 0 .*0\.1"),
        ({"target_margin": -0.1}, r"target_margin: got -0.1"),
    ],
)
def test_smoothboost_settings_out_of_range(setting, message):
    X, y = circle_2d(30)
    with pytest.raises(ValueError, match=message):
        SmoothBoostClassifier(**setting).fit(X, y)


# -- MadaBoost ---------------------------------------------------------------------------------


def loss(z):
    """The loss of MadaBoost: exponential on the right side, linear on the wrong one."""
    return np.where(z >= 0, np.exp(-np.maximum(z, 0)), 1 - z)


def left(z, prior):
    """Share of weight that is left."""
    return float(prior @ np.minimum(1.0, np.exp(-z)))


@theory
@given(with_prior())
def test_madaboost_weights_never_exceed_the_prior(problem):
    """Before normalising: prior min(1, exp(-y F)); so after it at most prior / W."""
    H, y, prior = problem
    _, record = recorded(H, y, MadaBoost(), ROUNDS, prior=prior)
    for dual, scores in zip(record.duals[1:], record.scores, strict=True):
        share = left(y * scores, prior)
        raw = y * dual * share
        assert (raw <= prior * (1 + 1e-9)).all()
        np.testing.assert_allclose(raw, prior * np.minimum(1, np.exp(-y * scores)), atol=1e-12)


@theory
@given(with_prior())
def test_madaboost_lowers_its_loss(problem):
    """L falls by W (1 - √(1-γ²)) or more in every round; training error <= W <= L."""
    H, y, prior = problem
    run, record = recorded(H, y, MadaBoost(), ROUNDS, prior=prior)
    assume(run.stop is not Stop.PERFECT)
    scores = [np.zeros(len(y)), *record.scores]
    losses = [float(prior @ loss(y * F)) for F in scores]
    shares = np.array([left(y * F, prior) for F in scores])
    edges = run.history["edge"]
    moved = len(edges) - (run.stop is Stop.NO_EDGE)
    falls = shares[:moved] * (1 - np.sqrt(1 - edges[:moved] ** 2))
    assert (-np.diff(losses)[:moved] >= falls - 1e-10).all()
    assert falls.sum() <= 1 - losses[moved] + 1e-9
    for F, value, share in zip(scores, losses, shares, strict=True):
        assert prior[y * F <= 0].sum() <= share + 1e-12
        assert share <= value + 1e-12


@pytest.mark.parametrize("selection", ["best", "worst", "random"])
@pytest.mark.parametrize("seed", range(3))
def test_madaboost_keeps_its_bound_on_rounds(selection, seed):
    outcomes = leaning_matrix(25, 40, 0.8, seed)
    edge, kappa = solve_margin_lp(outcomes).value, 0.02
    recorder, rounds = Recorder(), mada_rounds(kappa, edge)
    run = run_matrix(
        outcomes,
        np.ones(25),
        MadaBoost(kappa),
        rounds,
        selection=selection,
        callbacks=[recorder],
    )
    assert run.stop in (Stop.TARGET, Stop.PERFECT)
    assert len(run.history) <= rounds
    assert (run.margins <= 0).mean() <= kappa
    for dual in recorder.duals[: len(run.history)]:
        assert dual.max() <= 1 / (kappa * 25) * (1 + 1e-12)


@few
@given(imperfect_sign_problems(min_rows=3))
def test_madaboost_begins_like_adaboost(problem):
    H, y = problem
    run = run_matrix(H, y, MadaBoost(), 1)
    edge = run.history["edge"][0]
    if edge > 1e-12:
        assert run.ensemble.coef[0] == pytest.approx(math.atanh(edge))


def test_madaboost_takes_a_perfect_hypothesis_alone():
    H = np.column_stack([flip_family(5)[:, 0], np.ones(5)])
    run = run_matrix(H, np.ones(5), MadaBoost(), 10)
    assert run.stop is Stop.PERFECT
    assert run.certificate.value == 1.0


def test_madaboost_weights_do_not_underflow():
    """With margins that grow for ever, all weights would vanish if they were not shifted."""
    run = run_matrix(flip_family(6), np.ones(6), MadaBoost(), 6000)
    assert run.scores.min() > 800
    assert run.dual.sum() == pytest.approx(1.0)
    assert np.isfinite(run.history["normaliser"]).all()


def test_madaboost_does_not_chase_wrong_labels():
    X, y = circle_2d(300)
    noisy, flipped = flip_labels(y, 0.1, seed=3)
    mada = MadaBoostClassifier(n_estimators=200).fit(X, noisy)
    ada = AdaBoostClassifier(n_estimators=200).fit(X, noisy)
    assert np.abs(mada.dual_[flipped]).max() < np.abs(ada.dual_[flipped]).max()
    scores = mada.decision_function(X) * mada.estimator_weights_.sum()
    np.testing.assert_allclose(mada.predict_proba(X)[:, 1], 1 / (1 + np.exp(-scores)), rtol=1e-9)


@pytest.mark.parametrize("kappa", [-0.1, 1.0, math.nan])
def test_madaboost_kappa_out_of_range(kappa):
    X, y = circle_2d(30)
    with pytest.raises(ValueError, match=r"kappa: got .*expected a number at least 0 and below 1"):
        MadaBoostClassifier(kappa=kappa).fit(X, y)


@pytest.mark.parametrize("make", [SmoothBoostClassifier, MadaBoostClassifier])
def test_weights_are_copies(make):
    X, y = circle_2d(60)
    counts = np.random.default_rng(0).integers(0, 3, size=60)
    weighted = make(n_estimators=15).fit(X, y, sample_weight=counts)
    copied = make(n_estimators=15).fit(X.repeat(counts, 0), y.repeat(counts))
    np.testing.assert_allclose(weighted.estimator_weights_, copied.estimator_weights_)
    np.testing.assert_allclose(weighted.decision_function(X), copied.decision_function(X))
