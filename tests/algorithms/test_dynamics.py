"""Where AdaBoost goes in the long run: cycles, margins, noise (CH-M5, CH-M6, SF-M12, R1-C60)."""

import numpy as np
import pytest

from marginboost import AdaBoostClassifier, BrownBoostClassifier, TreeOracle
from marginboost.algorithms import AdaBoost
from marginboost.core.run import train
from marginboost.diagnostics import asymptotic_margin, select_round
from marginboost.oracles.finite import FiniteOracle, matrix_sample

GOLDEN = (np.sqrt(5.0) - 1.0) / 2.0


def test_three_hypotheses_are_chosen_in_turn_for_ever_ch_m6():
    """Rudin, Daubechies and Schapire 2004: each of three errs on one of three examples."""
    flips = np.ones((3, 3)) - 2.0 * np.eye(3)
    run = train(matrix_sample(flips, np.ones(3)), FiniteOracle(), AdaBoost(), max_rounds=300)
    chosen = [member.index for member in run.ensemble.members]
    assert all(chosen[t] != chosen[t + 1] for t in range(299))
    assert len({tuple(chosen[t : t + 3]) for t in range(90, 297, 3)}) == 1
    np.testing.assert_allclose(run.history["edge"][-30:], GOLDEN, atol=1e-9)
    cycle = [0.5, GOLDEN / 2.0, (1.0 - GOLDEN) / 2.0]
    np.testing.assert_allclose(np.sort(run.dual)[::-1], cycle, atol=1e-9)
    assert run.certificate.value == pytest.approx(1.0 / 3.0, abs=5e-3)  # the largest there is


@pytest.mark.slow
@pytest.mark.parametrize("selection", ["best", "worst", "random"])
@pytest.mark.parametrize("target", [0.0, 0.1])
def test_the_mean_edge_governs_the_margin_here_r1_c60(selection, target):
    """A conjecture: Cor. 2.2 with the mean of the edges in place of the least one."""
    for seed in range(4):
        matrix = np.where(np.random.default_rng(seed).random((20, 30)) < 0.7, 1.0, -1.0)
        sample, oracle = matrix_sample(matrix, np.ones(20)), FiniteOracle(selection=selection)
        run = train(sample, oracle, AdaBoost(target), max_rounds=1500)
        edges, margin = run.history["edge"], run.certificate.value
        proven, conjectured = (asymptotic_margin(e, target) for e in (edges.min(), edges.mean()))
        assert proven <= conjectured
        assert margin >= proven - 2e-3
        assert margin >= conjectured - 4e-3


# -- noise ---------------------------------------------------------------------------------------


def draw(n, seed):
    """Labels right with probability 0.8 on either side of a line: no rule errs less than 0.2."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, 2))
    chances = np.where(X[:, 0] > 0.5, 0.8, 0.2)
    return X, (rng.random(n) < chances).astype(int), chances


def risk(predicted, chances):
    return float(np.mean(np.where(predicted == 1, 1.0 - chances, chances)))


def test_some_round_on_the_way_is_nearly_best_ch_m5():
    """Jiang 2004: early stopping is consistent; rounds without end fit the noise."""
    X, y, _ = draw(400, 0)
    V, labels, _ = draw(400, 1)
    T, _, chances = draw(4000, 2)
    model = AdaBoostClassifier(TreeOracle(max_depth=3), n_estimators=80).fit(X, y)
    risks = [risk(predicted, chances) for predicted in model.staged_predict(T)]
    errors = [float(np.mean(predicted != labels)) for predicted in model.staged_predict(V)]
    report = select_round(risks, errors)
    assert report.oracle < 0.21
    assert report.validated < 0.225
    assert report.last > report.validated + 0.02


def long_and_servedio(noise, gap=0.05):
    """Four examples, all positive; a share of each has the other label."""
    points = np.array([[1.0, 0.0], [gap, 5.0 * gap], [gap, -gap], [gap, -gap]])
    weights = np.repeat([1.0 - noise, noise], 4) / 4.0
    y, used = np.repeat([1, -1], 4), weights > 0.0
    return points, matrix_sample(np.vstack([points, points])[used], y[used], weights[used])


@pytest.mark.parametrize("noise", [0.1, 0.2, 0.3])
def test_a_convex_loss_can_be_led_to_guessing_by_random_noise_sf_m12(noise):
    """Long and Servedio 2010: the least exponential loss errs on half of the clean examples."""
    for share, expected in ((0.0, 0.0), (noise, 0.5)):
        points, sample = long_and_servedio(share)
        run = train(sample, FiniteOracle(closed=True), AdaBoost(), max_rounds=500)
        coef = np.zeros(2)
        for member, weight in zip(run.ensemble.members, run.ensemble.coef, strict=True):
            coef[member.index] += weight * member.sign
        assert np.mean(points @ coef <= 0.0) == expected


def test_giving_rows_up_is_nearer_to_the_best_rule_sf_m12():
    X, y, _ = draw(400, 3)
    T, _, chances = draw(4000, 2)
    oracle = TreeOracle(max_depth=3)
    models = (AdaBoostClassifier(oracle, n_estimators=80), BrownBoostClassifier(oracle, error=0.2))
    chased, given_up = (risk(m.fit(X, y).predict(T), chances) for m in models)
    assert 0.2 <= given_up < chased
