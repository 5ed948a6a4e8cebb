"""Sample sizes and bounds by VC dimension (Q04-Q06, Q09, Q10, V02, C01, C03)."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from marginboost.diagnostics import (
    boosting_sample_size,
    combined_vc_dimension,
    consistent_bound,
    pac_sample_size,
    rounds_to_consistency,
    vc_bound,
)

FEW = settings(derandomize=True, deadline=None, max_examples=50, database=None)


def test_golden_values_v02():
    sizes = [(10, 0.05, 0.1, 2976), (3, 0.05, 0.05, 2324), (1, 0.01, 0.1, 583)]
    for dimension, delta, epsilon, expected in sizes:
        assert pac_sample_size(dimension, epsilon=epsilon, delta=delta) == expected
    assert vc_bound(1000, 10) == pytest.approx(0.861443, abs=5e-7)
    assert vc_bound(10_000, 10) == pytest.approx(0.317465, abs=5e-7)
    assert consistent_bound(1000, 10) == pytest.approx(0.367042, abs=5e-7)
    assert consistent_bound(10_000, 10) == pytest.approx(0.0499919, abs=5e-8)


def thresholds(n, runs, seed):
    """Errors of the smallest threshold that agrees with a sample of uniform points, ϑ = 1."""
    rng = np.random.default_rng(seed)
    truth, points = 0.5, rng.random((runs, n))
    learnt = np.where(points > truth, points, 1.0).min(axis=1)  # all below it is labelled -1
    return learnt - truth


@pytest.mark.parametrize(("epsilon", "delta"), [(0.2, 0.1), (0.1, 0.05)])
def test_consistent_thresholds_keep_the_promise_c01_c03(epsilon, delta):
    n = pac_sample_size(1, epsilon=epsilon, delta=delta)
    errors = thresholds(n, 300, 0)
    assert np.mean(errors <= epsilon) >= 1 - delta
    assert np.mean(errors <= consistent_bound(n, 1, delta=delta)) >= 1 - delta
    assert np.mean(errors <= vc_bound(n, 1, delta=delta)) >= 1 - delta


@FEW
@given(st.integers(2, 10**7), st.floats(1, 50), st.floats(0.001, 0.5))
def test_without_a_root_the_bound_falls_faster_c03(n, dimension, delta):
    if n <= dimension:
        return
    loose, tight = vc_bound(n, dimension, delta=delta), consistent_bound(n, dimension, delta=delta)
    assert tight <= max(loose, loose**2 / 2)  # (4/N) x against the root of (8/N) (x + 1)
    assert vc_bound(n, dimension, 0.25, delta=delta) == pytest.approx(loose + 0.25)


@pytest.mark.parametrize("edge", [0.1, 0.5, 1.0])
@pytest.mark.parametrize("epsilon", [0.05, 0.3])
def test_boosting_needs_the_least_sample_that_is_enough_q10(edge, epsilon):
    n = boosting_sample_size(3, edge, epsilon=epsilon, delta=0.05)
    sizes = np.unique(np.concatenate([np.arange(max(n - 50, 2), n + 50), n * np.arange(1, 100)]))
    rounds = 2 * np.log(sizes) / edge**2
    assert rounds_to_consistency(n, edge) == pytest.approx(2 * np.log(n) / edge**2, abs=1)
    dimension = 3 * rounds * np.log(rounds)
    right = (dimension * np.log2(1 / epsilon) + np.log2(20)) / epsilon
    assert (sizes[sizes >= n] >= right[sizes >= n]).all()
    assert sizes[sizes == n - 1] < right[sizes == n - 1]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: vc_bound(5, 10), "n_examples: got 5"),
        (lambda: consistent_bound(100, 0), "vc_dimension: got 0"),
        (lambda: pac_sample_size(1, epsilon=1.5), "epsilon: got 1.5"),
        (lambda: pac_sample_size(1, epsilon=0.1, delta=0), "delta: got 0"),
        (lambda: vc_bound(100, 1, -0.1), "empirical_risk: got -0.1"),
        (lambda: boosting_sample_size(1, 0.0, epsilon=0.1), "edge: got 0.0"),
        (lambda: boosting_sample_size(1, 1e-9, epsilon=0.1), "no sample below"),
        (lambda: combined_vc_dimension(1, 0.5), "n_rounds: got 0.5"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
