"""Error formulas of the filters: golden values, claims, simulation."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from marginboost.audit import (
    consensus_discard_probability,
    consensus_miss_probability,
    filter_errors,
    filter_overlap,
    majority_discard_probability,
    majority_miss_probability,
)

theory = settings(derandomize=True, deadline=None, max_examples=25, database=None)
RATES = [0.1, 0.3, 0.5, 0.7]


@pytest.mark.parametrize(
    ("m", "expected"),
    [
        (3, [0.028, 0.216, 0.5, 0.784]),
        (4, [0.0037, 0.0837, 0.3125, 0.6517]),
        (5, [0.00856, 0.16308, 0.5, 0.83692]),
        (7, [0.002728, 0.126036, 0.5, 0.873964]),
        (11, [0.000296, 0.078225, 0.5, 0.921775]),
    ],
)
def test_golden_majority(m, expected):
    """Test vectors of CH-Q17; for odd m the two errors are alike."""
    np.testing.assert_allclose(majority_discard_probability(RATES, m), expected, atol=5e-7)
    if m % 2:
        np.testing.assert_allclose(majority_miss_probability(RATES, m), expected, atol=5e-7)


@pytest.mark.parametrize(("q", "discard", "miss"), [(0.1, 1e-4, 0.3439), (0.3, 0.0081, 0.7599)])
def test_golden_consensus(q, discard, miss):
    """Test vectors of CH-Q19 and CH-Q20."""
    assert consensus_discard_probability([q] * 4) == pytest.approx(discard)
    assert consensus_miss_probability([q] * 4) == pytest.approx(miss)


@theory
@given(st.floats(0.0, 1.0), st.integers(1, 12), st.sampled_from([0.0, 0.3, 0.5, 0.7, 0.9]))
def test_by_the_sum_over_all_counts(q, m, threshold):
    """Of m voters j err; whether the row is flagged is asked of the filter's own comparison."""
    chance = [math.comb(m, j) * q**j * (1 - q) ** (m - j) for j in range(m + 1)]
    discard = sum(chance[j] for j in range(m + 1) if j / m > threshold)
    # On a mislabelled row a voter that errs agrees with the wrong label.
    miss = sum(chance[j] for j in range(m + 1) if not (m - j) / m > threshold)
    assert majority_discard_probability(q, m, threshold) == pytest.approx(discard, abs=1e-12)
    assert majority_miss_probability(q, m, threshold) == pytest.approx(miss, abs=1e-12)


@theory
@given(st.floats(0.01, 0.49), st.integers(1, 8))
def test_majority_beats_one_voter(q, k):
    """CH-C17: for q < 1/2 and odd m >= 3 below q and falling in m; for q > 1/2 reversed."""
    m = 2 * k + 1
    for error in (majority_discard_probability, majority_miss_probability):
        assert error(q, m + 2) < error(q, m) < q
        assert error(1 - q, m + 2) > error(1 - q, m) > 1 - q


@theory
@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=6))
def test_consensus_discards_less_and_misses_more(q):
    """CH-C18."""
    assert consensus_discard_probability(q) <= min(q) + 1e-15
    assert consensus_miss_probability(q) >= max(q) - 1e-15
    equal = [q[0]] * len(q)
    nearly_all = 1.0 - 0.5 / len(q)
    assert consensus_discard_probability(equal) == pytest.approx(
        majority_discard_probability(q[0], len(q), nearly_all), abs=1e-12
    )
    assert consensus_miss_probability(equal) == pytest.approx(
        majority_miss_probability(q[0], len(q), nearly_all), abs=1e-12
    )


@pytest.mark.parametrize("m", [3, 4, 5])
def test_simulation(m):
    """CH-E13: voters that err independently, on rows of which a third are mislabelled."""
    rng = np.random.default_rng(m)
    n, q = 60_000, 0.3
    mislabelled = rng.random(n) < 1 / 3
    errs = rng.random((n, m)) < q
    against = errs != mislabelled[:, None]  # a right voter contradicts a wrong label
    majority = filter_errors(against.mean(axis=1) > 0.5, mislabelled)
    assert majority.discard_rate == pytest.approx(majority_discard_probability(q, m), abs=0.01)
    assert majority.miss_rate == pytest.approx(majority_miss_probability(q, m), abs=0.01)
    consensus = filter_errors(against.all(axis=1), mislabelled)
    assert consensus.discard_rate == pytest.approx(consensus_discard_probability([q] * m), abs=0.01)
    assert consensus.miss_rate == pytest.approx(consensus_miss_probability([q] * m), abs=0.01)


def test_counts():
    errors = filter_errors(np.array([1, 1, 1, 0, 0], bool), np.array([1, 0, 0, 1, 0], bool))
    assert (errors.found, errors.missed, errors.discarded) == (1, 1, 2)
    assert errors.precision == pytest.approx(1 / 3)
    assert errors.recall == errors.miss_rate == 0.5
    assert errors.discard_rate == pytest.approx(2 / 3)
    nothing = filter_errors([False, False], [False, False])
    assert math.isnan(nothing.precision)
    assert math.isnan(nothing.recall)
    assert nothing.discard_rate == 0.0


def test_overlap():
    assert filter_overlap([True, True, False, False], [True, False, True, False]) == 0.5
    assert filter_overlap([True, True, True, False], [True, False, False, False]) == 1 / 3
    assert math.isnan(filter_overlap([False], [False]))


def test_bad_input():
    with pytest.raises(ValueError, match=r"q: got 1\.5"):
        majority_discard_probability(1.5, 3)
    with pytest.raises(ValueError, match=r"m: got 0"):
        majority_miss_probability(0.1, 0)
    with pytest.raises(ValueError, match=r"threshold: got 1"):
        majority_miss_probability(0.1, 3, 1.0)
    with pytest.raises(ValueError, match=r"q: got -0\.1"):
        consensus_miss_probability([0.2, -0.1])
    with pytest.raises(ValueError, match=r"flagged: got int"):
        filter_errors([0, 1], [True, False])
    with pytest.raises(ValueError, match=r"expected equally many"):
        filter_overlap([True], [True, False])
