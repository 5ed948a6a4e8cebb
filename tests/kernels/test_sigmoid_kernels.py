"""Sums of the sigmoid: those of plain NumPy, and the same bits in any order and division."""

import numpy as np
import pytest
from scipy.special import expit, log_softmax, softmax

from marginboost.kernels.exact import exact_sum
from marginboost.kernels.sigmoid import QUARTER, logistic_sums, softmax_sums


def rows_of(n_classes, n_rows=500, spread=1.0):
    rng = np.random.default_rng(n_classes)
    weights = np.exp(spread * rng.normal(size=n_rows))
    votes = rng.uniform(-1.0, 1.0, (n_rows, n_classes))
    return (votes[:, 0].copy() if n_classes == 2 else votes), weights


def sums_of(votes, weights, total, at):
    costs = np.empty(len(weights))
    if votes.ndim == 1:
        return costs, np.array(logistic_sums(votes, weights, total, (at[0], at[1]), costs))
    out = np.empty((4 + votes.shape[1], votes.shape[1]))
    softmax_sums(votes, weights, total, at[0], at[1:], costs, out)
    return costs, out


@pytest.mark.parametrize("at", [(1.0, 0.0), (-3.0, 0.7), (900.0, -40.0)])
def test_two_classes(at):
    votes, weights = rows_of(2)
    w, z = weights / weights.sum(), at[0] * votes + at[1]
    p, h = expit(z), expit(z) * expit(-z)
    costs, found = sums_of(votes, weights, weights.sum(), at)
    expected = [(w * term).sum() for term in (p, p * votes, h, h * votes, h * votes**2)]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-13)
    np.testing.assert_allclose(costs, w * np.logaddexp(0.0, z), rtol=1e-13, atol=1e-300)


@pytest.mark.parametrize("slope", [1.0, -3.0, 900.0])
@pytest.mark.parametrize("n_classes", [3, 5])
def test_several_classes(n_classes, slope):
    votes, weights = rows_of(n_classes)
    offsets = np.linspace(-1.0, 2.0, n_classes)
    w, z = weights / weights.sum(), slope * votes + offsets
    p = softmax(z, axis=1)
    around = votes - (p * votes).sum(axis=1)[:, None]
    costs, found = sums_of(votes, weights, weights.sum(), np.append(slope, offsets))
    weighed = w[:, None] * p
    expected = [weighed, weighed * around, weighed * votes, weighed * around**2]
    np.testing.assert_allclose(
        found[:4] / QUARTER, [term.sum(axis=0) for term in expected], rtol=0, atol=1e-13
    )
    products = np.tril(weighed.T @ p)
    np.testing.assert_allclose(found[4:] / QUARTER, products, rtol=0, atol=1e-13)
    logs = z[:, 0] - log_softmax(z, axis=1)[:, 0]
    np.testing.assert_allclose(costs, w * logs, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_any_division_gives_the_same_bits(n_classes):
    votes, weights = rows_of(n_classes, spread=9.0)
    at, total = np.linspace(2.0, -1.0, 1 + max(1, n_classes * (n_classes > 2))), weights.sum()
    costs, whole = sums_of(votes, weights, total, at)
    order = np.random.default_rng(0).permutation(len(weights))
    pieces = [sums_of(votes[o], weights[o], total, at) for o in np.split(order, [1, 7, 300])]
    assert np.sum([found for _, found in pieces], axis=0).tobytes() == whole.tobytes()
    assert sum(exact_sum(own) for own, _ in pieces) == exact_sum(costs)
