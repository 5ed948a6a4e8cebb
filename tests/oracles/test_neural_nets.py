"""Nets of one hidden layer: slopes, goals, weights, and what boosting makes of them (BA-B3)."""

import numpy as np
import pytest
from scipy.optimize import check_grad
from scipy.special import expit

from marginboost import AdaBoostClassifier, LinearOracle, NeuralNetOracle
from marginboost.core.sample import Sample
from marginboost.data import Table
from marginboost.solvers.neural_net import fit_net, net_loss


def task_of(seed, n=30):
    rng = np.random.default_rng(seed)
    weights = rng.exponential(size=n)
    rows = np.column_stack([rng.normal(size=(n, 2)), np.ones(n)])
    return rows, np.where(rng.random(n) < 0.5, 1.0, -1.0), weights / weights.sum(), 1e-3


@pytest.mark.parametrize("seed", range(3))
def test_slopes_are_finite_differences(seed):
    task, start = task_of(seed), np.random.default_rng([seed, 1]).normal(size=4 * 3 + 5)
    value, slope = (lambda f, k=k: net_loss(f, task, 4)[k] for k in (0, 1))
    assert check_grad(value, slope, start) <= 1e-6


def test_weights_of_rows_are_copies():
    rows, goal, _, penalty = task_of(0, 20)
    counts = np.arange(20) % 3 + 1
    flat = np.random.default_rng(1).normal(size=4 * 3 + 5)
    copies = np.repeat(np.arange(20), counts)
    equal = np.full(len(copies), 1 / len(copies))
    weighted = net_loss(flat, (rows, goal, counts / counts.sum(), penalty), 4)
    copied = net_loss(flat, (rows[copies], goal[copies], equal, penalty), 4)
    np.testing.assert_allclose(weighted[0], copied[0], rtol=1e-12)
    np.testing.assert_allclose(weighted[1], copied[1], atol=1e-14)


def test_a_goal_is_reached_at_nine_tenths():
    rows = np.linspace(-1.0, 1.0, 40)[:, None]
    goal = np.sign(rows[:, 0])
    weights = np.full(40, 1 / 40)
    settings = {"n_hidden": 3, "penalty": 0.0, "max_iter": 1000}
    inner, outer = fit_net(rows, goal, weights, **settings, rng=np.random.default_rng(0))
    hidden = expit(np.column_stack([rows, np.ones(40)]) @ inner.T)
    chances = expit(hidden @ outer[:-1] + outer[-1])
    far = np.abs(rows[:, 0]) > 0.5
    np.testing.assert_allclose(chances[far], np.where(goal[far] > 0, 0.9, 0.1), atol=0.02)


def test_the_hypothesis_is_the_net_that_was_fitted():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), np.where(rng.random(60) < 0.5, 1, -1)
    oracle = NeuralNetOracle(n_hidden=4).bind(Sample.of_labels(y, rows=Table(X, list("abc"))))
    found = oracle.best(y / 60)[0]
    net = found.hypothesis
    z = np.column_stack([(X - X.mean(axis=0)) / X.std(axis=0), np.ones(60)])
    hidden = np.column_stack([expit(z @ net.inner.T), np.ones(60)])
    np.testing.assert_allclose(found.column, 2 * expit(hidden @ net.outer) - 1, atol=1e-12)
    assert found.edge > 0.2


def test_nets_boost_where_lines_cannot():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 2))
    y = X[:, 0] * X[:, 1] > 0.0
    nets = AdaBoostClassifier(NeuralNetOracle(), n_estimators=8).fit(X, y)
    lines = AdaBoostClassifier(LinearOracle(), n_estimators=8).fit(X, y)
    assert nets.score(X, y) > 0.97
    assert lines.score(X, y) < 0.8
    assert not nets.certified_
    few = AdaBoostClassifier(NeuralNetOracle(max_samples=80), n_estimators=8).fit(X, y)
    assert few.score(X, y) > 0.9
