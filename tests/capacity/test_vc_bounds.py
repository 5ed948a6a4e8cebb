"""Sample sizes and bounds by VC dimension.

See R1-Q04 to R1-Q06, R1-Q09, R1-Q10, R1-V02, R1-C01, R1-C03.
"""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from marginboost.capacity import (
    boosting_sample_size,
    combined_vc_dimension,
    consistent_bound,
    pac_sample_size,
    vc_bound,
)
from marginboost.diagnostics import rounds_to_consistency

FEW = settings(derandomize=True, deadline=None, max_examples=50, database=None)


def test_golden_values_v02():
    sizes = [(10, 0.05, 0.1, 2976), (3, 0.05, 0.05, 2324), (1, 0.01, 0.1, 583)]
    for dimension, delta, epsilon, expected in sizes:
        assert pac_sample_size(dimension, epsilon=epsilon, delta=delta) == expected
    assert vc_bound(1000, 10) == pytest.approx(0.861443, abs=5e-7)
    assert vc_bound(10_000, 10) == pytest.approx(0.317465, abs=5e-7)
    assert consistent_bound(1000, 10) == pytest.approx(0.367042, abs=5e-7)
    assert consistent_bound(10_000, 10) == pytest.approx(0.0499919, abs=5e-8)


# -- the promises, in classes whose behaviours can be counted -----------------------------------
#
# With m points a class can behave in Π(m) ways. By counting (Blumer and others, Vapnik)
#     P(a consistent hypothesis errs more than ε)  ≤  2 Π(2N) 2^(-εN/2)
#     P(sup |R - R_emp| > ε)                        ≤  4 Π(2N) exp(-ε²N/8)
# and the bounds are what follows for any class of VC dimension ϑ. So they must not promise more
# than counting proves for a class of that dimension, and should not promise much less.


def largest(m, dimension):
    """Π(m) of the richest class of a VC dimension (Sauer's lemma)."""
    return sum(math.comb(m, i) for i in range(dimension + 1))


CLASSES = {
    "thresholds": (1, lambda m: m + 1),
    "intervals": (2, lambda m: m * (m + 1) // 2 + 1),
    "richest, 3": (3, lambda m: largest(m, 3)),
    "richest, 20": (20, lambda m: largest(m, 20)),
}
counted = pytest.mark.parametrize(("dimension", "ways"), CLASSES.values(), ids=CLASSES)


@counted
@pytest.mark.parametrize("n", [100, 1000, 100_000])
@pytest.mark.parametrize("delta", [0.2, 0.001])
def test_bounds_promise_what_counting_proves_and_little_less_q05_q06(dimension, ways, n, delta):
    any_hypothesis = math.sqrt(8 / n * (math.log(ways(2 * n)) + math.log(4 / delta)))
    assert 1.0 <= vc_bound(n, dimension, delta=delta) / any_hypothesis < 1.3
    consistent = 2 / n * (math.log2(ways(2 * n)) + math.log2(2 / delta))
    assert 1.0 <= consistent_bound(n, dimension, delta=delta) / consistent < 2.2


@counted
@pytest.mark.parametrize(("epsilon", "delta"), [(0.2, 0.1), (0.1, 0.05), (0.01, 0.001)])
def test_so_many_examples_are_enough_and_not_many_too_many_q04(dimension, ways, epsilon, delta):
    def fails(n):
        """Logarithm of the proven probability of failure, over that allowed."""
        return 1 + math.log2(ways(2 * n)) - epsilon * n / 2 - math.log2(delta)

    n = pac_sample_size(dimension, epsilon=epsilon, delta=delta)
    assert fails(n) <= 0
    assert fails(n // 3) > 0


def test_deviations_of_thresholds_stay_below_the_bound_c01():
    """The supremum over thresholds is Kolmogorov's statistic: 1.36 / √N at δ = 0.05.

    The bound holds for all distributions and classes with ϑ = 1, and is nine times that.
    """
    n, delta, rng = 1000, 0.05, np.random.default_rng(0)
    points = np.sort(rng.random((2000, n)), axis=1)
    steps = np.arange(n + 1) / n
    deviations = np.maximum(steps[1:] - points, points - steps[:-1]).max(axis=1)
    quantile = np.quantile(deviations, 1 - delta)
    assert quantile == pytest.approx(1.358 / math.sqrt(n), rel=0.05)
    assert quantile < vc_bound(n, 1, delta=delta) < 10 * quantile


def test_errors_of_consistent_thresholds_stay_below_the_bound_c03():
    """The worst threshold without training error errs log(1/δ)/N with probability δ."""
    n, delta, rng = 1000, 0.05, np.random.default_rng(1)
    points = rng.random((2000, n))
    errors = np.where(points > 0.5, points, 1.0).min(axis=1) - 0.5  # all below it is -1
    quantile = np.quantile(errors, 1 - delta)
    assert quantile == pytest.approx(math.log(1 / delta) / n, rel=0.1)
    assert quantile < consistent_bound(n, 1, delta=delta) < 25 * quantile


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
