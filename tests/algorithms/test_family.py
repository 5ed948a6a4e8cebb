"""The family's other members, each by its theorem (SF-M6, SF-M11, SF-M13, SF-M14, CH-M1, CH-M2)."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom
from sklearn.metrics import roc_auc_score

from marginboost import (
    AdaBoostClassifier,
    BoostByMajorityClassifier,
    BrownBoostClassifier,
    ERLPBoostClassifier,
    RankBoostClassifier,
    Stop,
    StumpOracle,
    solve_margin_lp,
)
from marginboost.algorithms import (
    AdaBoost,
    ArcGV,
    BoostByMajority,
    BrownBoost,
    CorrectiveERLPBoost,
    RankBoost,
    corrective_erlpboost,
)
from marginboost.algorithms.boost_by_majority import log_weights, majority_error, rounds_needed
from marginboost.algorithms.brown_boost import mean_potential
from marginboost.algorithms.rank_boost import ranking_loss
from marginboost.algorithms.recursive_majority import error_of_three, recursive_majority
from marginboost.core import Callback, Sample
from marginboost.core.run import train
from marginboost.data import BinnedMatrix
from marginboost.datasets import ring
from marginboost.oracles.finite import FiniteOracle, matrix_sample
from marginboost.solvers import hedge, hedge_rate, play
from marginboost.solvers.entropy_projection import CappedEntropy


def outcomes(seed, rows=40, columns=60, right=0.6):
    return np.where(np.random.default_rng(seed).random((rows, columns)) < right, 1.0, -1.0)


def run(rule, matrix, rounds, *callbacks, y=None):
    y = np.ones(len(matrix), dtype=int) if y is None else y
    sample = matrix_sample(matrix * y[:, None], y)
    return train(sample, FiniteOracle(), rule, max_rounds=rounds, callbacks=callbacks)


# -- Hedge and games -----------------------------------------------------------------------------


@settings(max_examples=25)
@given(st.integers(0, 999), st.floats(0.01, 3.0), st.integers(2, 20))
def test_hedge_keeps_its_bound_whatever_the_losses(seed, rate, actions):
    rng = np.random.default_rng(seed)
    losses = rng.random((30, actions)) ** rng.uniform(0.2, 5.0)
    found = hedge(losses, rate)
    assert found.loss <= found.bound + 1e-9
    np.testing.assert_allclose(found.weights.sum(axis=1), 1.0)
    shares = np.ones(actions)
    for t, loss in enumerate(losses):  # one factor per round, as printed
        np.testing.assert_allclose(found.weights[t], shares / shares.sum())
        shares = shares * np.exp(-rate * loss)


def test_hedge_meets_an_adversary_who_hits_its_largest_weight():
    rounds, actions = 400, 10
    rate = hedge_rate(actions, rounds / actions)
    totals, losses = np.zeros(actions), []
    for _ in range(rounds):
        losses.append(np.eye(actions)[np.argmin(totals)])
        totals += losses[-1]
    found = hedge(np.array(losses), rate)
    assert found.best == rounds / actions
    assert 0.0 < found.regret <= math.sqrt(2 * found.best * math.log(actions)) + math.log(actions)


def test_bad_losses_are_refused():
    with pytest.raises(ValueError, match="losses"):
        hedge(np.array([[2.0]]), 0.1)
    with pytest.raises(ValueError, match="rate: got"):
        hedge(np.array([[0.5]]), 0.0)
    with pytest.raises(ValueError, match="strategy: got"):
        play(np.eye(2), 10, "guess")


def test_averages_of_hedge_approach_the_value_of_the_game():
    for seed in range(4):
        matrix = outcomes(seed)
        value = solve_margin_lp(matrix).value
        for rounds in (50, 800):
            game = play(matrix, rounds)
            allowed = math.sqrt(2.0 * math.log(len(matrix)) / rounds)
            assert value - allowed <= game.lower <= value + 1e-9
            assert value - 1e-9 <= game.upper <= value + allowed
            assert game.rows.sum() == pytest.approx(1.0)
            assert game.columns.sum() == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("strategy", "rule"), [("adaboost", AdaBoost), ("arc-gv", lambda: ArcGV(monotone=False))]
)
def test_boosting_is_a_row_player(strategy, rule):
    matrix = outcomes(3)
    game, done = play(matrix, 25, strategy), run(rule(), matrix, 25)
    np.testing.assert_allclose(game.edges, done.history["edge"], rtol=1e-9)
    shares = np.zeros(matrix.shape[1])
    for member, coef in zip(done.ensemble.members, done.ensemble.coef, strict=True):
        shares[member.index] += coef
    if strategy == "adaboost":
        np.testing.assert_allclose(game.columns, shares / shares.sum(), rtol=1e-9, atol=1e-12)
    value = solve_margin_lp(matrix).value
    assert game.lower - 1e-9 <= value <= game.upper + 1e-9


# -- boost-by-majority ---------------------------------------------------------------------------


@settings(max_examples=25)
@given(st.integers(1, 200), st.floats(0.01, 0.9))
def test_majority_error_is_a_binomial_tail(rounds, edge):
    tail = binom.cdf(rounds // 2, rounds, (1.0 + edge) / 2.0)
    assert majority_error(rounds, edge) == pytest.approx(tail, abs=1e-12)


def test_rounds_needed_are_the_fewest():
    for error, edge in ((0.1, 0.2), (0.01, 0.5)):
        rounds = rounds_needed(error, edge)
        assert majority_error(rounds, edge) <= error < majority_error(rounds - 2, edge)


@settings(max_examples=25)
@given(st.integers(2, 30), st.floats(0.02, 0.8), st.data())
def test_weights_are_the_chance_to_be_decided_by_the_next(rounds, edge, data):
    made = data.draw(st.integers(0, rounds - 1))
    right = np.arange(made + 1)
    found = np.exp(log_weights(made, 2.0 * right - made, rounds, edge / 2.0))
    chance = binom.pmf(rounds // 2 - right, rounds - made - 1, (1.0 + edge) / 2.0)
    np.testing.assert_allclose(found, chance, atol=1e-12)


@pytest.mark.parametrize("rounds", [5, 15, 41])
def test_boost_by_majority_keeps_its_bound(rounds):
    for seed in range(4):
        matrix = outcomes(seed, right=0.65)
        edge = 0.95 * solve_margin_lp(matrix).value  # no weights have a smaller largest edge
        done = run(BoostByMajority(edge, rounds), matrix, rounds)
        assert done.stop is Stop.TARGET
        assert len(done.ensemble) == rounds or (np.abs(done.scores) > 0.0).all()
        assert np.mean(done.scores <= 0.0) <= majority_error(rounds, edge) + 1e-12


def test_an_edge_below_the_promise_ends_boost_by_majority():
    done = run(BoostByMajority(0.9, 11), outcomes(0, right=0.52), 11)
    assert done.stop is Stop.NO_EDGE
    assert len(done.ensemble) == len(done.history) - 1


def test_hopeless_rows_weigh_nothing():
    weights = np.exp(log_weights(8, np.array([-8.0, 0.0, 8.0]), 11, 0.1))
    assert weights[0] == weights[2] == 0.0 < weights[1]


# -- BrownBoost ----------------------------------------------------------------------------------


class Potentials(Callback):
    def on_start(self, state, oracle, rule, max_rounds):
        self.rule, self.found, self.left = rule, [], []

    def on_round(self, state):
        left = self.rule.get_state()["left"]
        prior, margins = state.sample.prior, state.sample.y * state.scores
        self.left.append(left)
        self.found.append(mean_potential(margins, prior, left, self.rule.time))


@pytest.mark.parametrize("error", [0.02, 0.1, 0.4])
def test_brown_boost_keeps_its_potential_and_its_promise(error):
    for seed in range(3):
        watch = Potentials()
        done = run(BrownBoost(error), outcomes(seed, right=0.7), 500, watch)
        np.testing.assert_allclose(watch.found, error, atol=1e-8)
        assert (np.diff(watch.left) < 0.0).all()
        assert done.stop is Stop.TARGET
        assert np.mean(done.scores <= 0.0) <= error + 1e-8


def test_brown_boost_leaves_no_edge_behind():
    done = run(BrownBoost(0.05), outcomes(1, right=0.6), 6)
    last = done.ensemble.members[-1].index
    assert done.stop is Stop.ROUNDS
    assert done.dual @ outcomes(1, right=0.6)[:, last] == pytest.approx(0.0, abs=1e-6)


def test_brown_boost_gives_wrong_labels_up():
    X, y = ring(300, seed=1)
    noisy = ring(300, 0.15, seed=1)[1]
    wrong = y != noisy
    shares = [
        np.abs(model.fit(X, noisy).dual_[wrong]).sum()
        for model in (BrownBoostClassifier(error=0.3), AdaBoostClassifier(n_estimators=50))
    ]
    assert shares[0] < 0.95 * shares[1]


# -- RankBoost -----------------------------------------------------------------------------------


@settings(max_examples=25)
@given(st.integers(0, 300))
def test_rank_boost_keeps_its_product_bound(seed):
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(30) < 0.3, 1, -1)
    y[:2] = 1, -1
    matrix = outcomes(seed, rows=30, columns=15, right=0.6)
    done = run(RankBoost(), matrix, 12, y=y)
    loss = ranking_loss(done.scores, y)
    product = np.cumprod(done.history["normaliser"])
    slack = np.cumprod(np.sqrt(1.0 - np.minimum(done.history["edge"], 1.0) ** 2))
    assert loss <= product[-1] + 1e-9
    assert (product <= slack + 1e-9).all()
    pairs = np.exp(done.scores[y < 0][:, None] - done.scores[y > 0]).mean()
    if done.stop is Stop.ROUNDS:
        assert product[-1] == pytest.approx(pairs)


def test_weights_of_rank_boost_are_those_of_all_pairs():
    y = np.array([1, 1, -1, -1, -1])
    matrix = outcomes(2, rows=5, columns=8)
    done = run(RankBoost(), matrix, 3, y=y)
    pairs = np.exp(done.scores[2:][:, None] - done.scores[:2])
    pairs /= pairs.sum()
    expected = np.concatenate([0.5 * pairs.sum(axis=0), -0.5 * pairs.sum(axis=1)])
    np.testing.assert_allclose(done.dual, expected)


def test_ranking_loss_is_one_less_the_area_under_the_curve():
    rng = np.random.default_rng(0)
    scores, y = rng.normal(size=50), rng.choice([-1, 1], 50)
    assert ranking_loss(scores, y) == pytest.approx(1.0 - roc_auc_score(y, scores))
    assert ranking_loss(np.zeros(4), np.array([1, 1, -1, -1])) == 1.0
    counts = rng.integers(1, 4, 50)
    copied = ranking_loss(scores.repeat(counts), y.repeat(counts))
    assert ranking_loss(scores, y, counts.astype(float)) == pytest.approx(copied)


def test_rank_boost_ranks_rare_rows():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(600, 4))
    y = np.where(X[:, 0] + X[:, 1] + rng.normal(size=600) > 2.6, 1, 0)
    model = RankBoostClassifier(n_estimators=40).fit(X[:300], y[:300])
    assert roc_auc_score(y[300:], model.decision_function(X[300:])) > 0.85


# -- majorities of three -------------------------------------------------------------------------


def test_majorities_of_three_keep_their_bound():
    for seed in range(5):
        matrix = outcomes(seed, right=0.6)
        sample = matrix_sample(matrix, np.ones(len(matrix), dtype=int))
        weak = recursive_majority(sample, FiniteOracle(), 0)
        three = recursive_majority(sample, FiniteOracle(), 1)
        error = np.mean(three(matrix) < 0)
        assert weak.errors == three.errors[:1]
        assert three.size == 3
        assert error <= error_of_three(max(three.errors)) + 1e-12


@pytest.mark.parametrize("depth", [2, 3])
def test_errors_fall_by_g_at_every_level(depth):
    matrix = outcomes(7, right=0.62, rows=60, columns=200)
    sample = matrix_sample(matrix, np.ones(len(matrix), dtype=int))
    model = recursive_majority(sample, FiniteOracle(), depth)
    assert model.size == 3**depth
    assert np.mean(model(matrix) < 0) <= error_of_three(max(model.errors)) + 1e-12


def test_perfect_parts_end_the_recursion():
    matrix = np.ones((6, 1))
    sample = matrix_sample(matrix, np.ones(6, dtype=int))
    model = recursive_majority(sample, FiniteOracle(), 2)
    assert (model(matrix) == 1).all()
    with pytest.raises(ValueError, match="depth: got -1"):
        recursive_majority(sample, FiniteOracle(), -1)


def test_majority_of_stumps_on_rows():
    X, y = ring(80, seed=2)
    model = BoostByMajorityClassifier(n_estimators=31, edge=0.05).fit(X, y)
    assert model.score(X, y) > 0.8
    assert set(model.estimator_weights_.tolist()) == {1.0}
    bins = BinnedMatrix.from_data(X)
    sample = Sample.of_labels(y, rows=bins, bins=bins)
    three = recursive_majority(sample, StumpOracle(), 2)
    assert np.mean(three(X) != y) < 0.4


# -- corrective ERLPBoost ------------------------------------------------------------------------


class Scores(Callback):
    def on_start(self, state, oracle, rule, max_rounds):
        self.found = []

    def on_round(self, state):
        self.found.append(state.sample.y * state.scores)


def test_corrective_erlpboost_keeps_its_promise():
    nu, accuracy = 0.3, 0.1
    for seed in range(2):
        matrix, watch = outcomes(seed), Scores()
        rule = CorrectiveERLPBoost(nu, accuracy)
        sample = matrix_sample(matrix, np.ones(len(matrix), dtype=int))
        allowed = corrective_erlpboost.rounds_needed(nu, accuracy)
        done = train(
            sample, FiniteOracle(), rule, max_rounds=allowed, tol=accuracy, callbacks=[watch]
        )
        assert done.stop is Stop.GAP
        best = solve_margin_lp(matrix, nu).value
        assert best - accuracy <= done.certificate.lower <= best + 1e-9
        assert done.ensemble.l1_norm == pytest.approx(1.0)
        entropy = CappedEntropy(sample.prior, nu)
        smoothed = [entropy.weigh(rule.eta * margins).value / rule.eta for margins in watch.found]
        assert (np.diff(smoothed) >= -1e-12).all()


def test_one_coefficient_or_all_reach_the_same_soft_margin():
    X, y = ring(60, 0.1, seed=4)
    settings = {"accuracy": 0.1, "nu": 0.5}
    one = ERLPBoostClassifier(correction="single", n_estimators=3000, **settings).fit(X, y)
    every = ERLPBoostClassifier(**settings).fit(X, y)
    assert one.certificate_.gap <= 0.1
    assert one.certificate_.lower == pytest.approx(every.certificate_.lower, abs=0.1)
    with pytest.raises(ValueError, match="correction: got"):
        ERLPBoostClassifier(correction="some").fit(X, y)
