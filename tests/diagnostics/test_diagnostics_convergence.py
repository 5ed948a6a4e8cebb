import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from marginboost.core import Certificate
from marginboost.diagnostics import (
    MarginalAdaBoostBounds,
    Regime,
    gap_report,
    harmonic_l1_norm_bound,
    l1_norm_report,
    linear_l1_norm_bound,
    margin_error_bound,
    marginal_adaboost_bounds,
    rounds_to_consistency,
    rounds_to_margin,
    target_regime,
    training_error_bound,
)


@given(st.integers(2, 1000), st.floats(0.05, 0.95))
def test_bound_is_below_one_example_at_consistency(n, gamma):
    rounds = rounds_to_consistency(n, gamma)
    assert rounds > 2 * math.log(n) / gamma**2
    assert training_error_bound(np.full(rounds, gamma))[-1] < 1 / n


@pytest.mark.parametrize(
    ("epsilon", "rounds", "searches", "calls"),
    [(0.1, 923, 4, 4615), (0.05, 3686, 5, 22116), (0.25, 149, 2, 447)],
)
def test_marginal_adaboost_values_of_the_specification(epsilon, rounds, searches, calls):
    assert rounds_to_margin(100, epsilon) == rounds
    printed = marginal_adaboost_bounds(100, epsilon, as_printed=True)
    assert printed == MarginalAdaBoostBounds(rounds, searches, calls, 5 * epsilon)
    safe = marginal_adaboost_bounds(100, epsilon)
    assert safe == MarginalAdaBoostBounds(rounds, searches + 1, calls + rounds, 4 * epsilon)


@pytest.mark.parametrize("epsilon", [0.25, 0.1, 0.05, 0.01])
def test_safe_number_of_searches_shrinks_the_interval_to_three_epsilon(epsilon):
    def width(searches):
        length = 2.0
        for _ in range(searches):
            length = length / 2 + epsilon
        return length

    assert width(marginal_adaboost_bounds(100, epsilon).searches) <= 3 * epsilon
    printed = marginal_adaboost_bounds(100, epsilon, as_printed=True).searches
    assert 3 * epsilon < width(printed) <= 4 * epsilon


@given(st.lists(st.floats(0.01, 0.99), min_size=1, max_size=30), st.floats(0.0, 0.9))
def test_length_is_above_its_lower_bounds(shares, target):
    edges = target + np.array(shares) * (0.999 - target)
    coef = np.arctanh(edges) - np.arctanh(target)
    report = l1_norm_report(edges, coef, target)
    assert (report.l1_norm >= report.linear - 1e-12).all()
    assert report.harmonic is not None
    assert (report.l1_norm >= report.harmonic * (1 - 1e-12) - 1e-12).all()


def test_l1_norm_report_by_hand():
    report = l1_norm_report([0.5, 0.3, 0.4], [1.0, 0.5, 0.25], 0.1, bracket=(0.15, 0.3))
    assert report.l1_norm.tolist() == [1.0, 1.5, 1.75]
    assert report.excess == pytest.approx(0.2)
    assert np.allclose(report.linear, [0.2, 0.4, 0.6])
    assert report.harmonic_excess == pytest.approx(0.4)
    assert np.allclose(report.harmonic, 0.4 / 0.99 * np.array([1, 1.5, 1.5 + 1 / 3]))
    assert report.regime is Regime.BELOW


def test_l1_norm_report_without_excess_bounds_nothing():
    report = l1_norm_report([0.5, 0.05], [1.0, 0.0], [0.0, 0.1])
    assert report.linear.tolist() == [0.0, 0.0]
    assert report.harmonic is None
    assert report.regime is Regime.OPEN


def test_l1_norm_bounds_by_hand():
    assert np.allclose(linear_l1_norm_bound(3, 0.5), [0.5, 1.0, 1.5])
    assert np.allclose(harmonic_l1_norm_bound(2, 0.3, 0.5), [0.4, 0.6])


def test_margin_errors_vanish_in_the_limit_and_not_before_r1_x07():
    """R1-X07: the proof of Lemma 2.4 ends with "≤ 0"; edges of ϱ + c/√t make it a limit in T."""
    edges = 0.1 + 0.8 / np.sqrt(np.arange(1, 100_001))
    bound = margin_error_bound(edges, 0.1, target=0.1)
    assert (bound > 0.0).all()
    assert (np.diff(bound) < 0.0).all()
    assert bound[-1] < 0.05
    printed = np.exp(-0.5 * np.cumsum((edges - 0.1) ** 2))
    assert (bound <= printed + 1e-12).all()


def test_regimes():
    assert target_regime(0.1, (0.2, 0.3)) is Regime.BELOW
    assert target_regime(0.4, (0.2, 0.3)) is Regime.ABOVE
    assert target_regime(0.25, (0.2, 0.3)) is Regime.OPEN
    assert target_regime(0.2, (0.2, 0.2)) is Regime.AT
    assert target_regime(0.2, None) is Regime.OPEN


def test_gap_report_says_whether_it_is_proven():
    proven = gap_report(Certificate(0.1, 0.3, 0.1, True, "the base learner is exact"))
    assert proven.gap == pytest.approx(0.2)
    assert proven.proven
    assert proven.statement.startswith("proven: 0 <= Γ <= 0.2, because the base learner is exact")
    guessed = gap_report(Certificate(0.1, 0.3, 0.1, False, "the base learner is greedy"))
    assert not guessed.proven
    assert guessed.statement.startswith("not proven: the base learner is greedy")


def test_gap_report_wants_a_fitted_model():
    with pytest.raises(TypeError, match="object without certificate_, expected a fitted"):
        gap_report(object())
