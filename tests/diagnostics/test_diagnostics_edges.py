import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from marginboost.diagnostics import (
    SupportOverlap,
    duality_gap,
    edge,
    edge_from_error,
    effective_number,
    ensemble_margin,
    error_from_edge,
    largest_edge,
    leave_one_out_bound,
    lowest_margins,
    softmax_weights,
    support_overlap,
    support_vectors,
)
from marginboost.solvers.margin_lp import solve_margin_lp

FLIP = np.ones((5, 5)) - 2 * np.eye(5)
unit = st.floats(0.01, 1.0)


def random_signs(seed, n=12, m=8):
    return np.random.default_rng(seed).choice([-1.0, 1.0], (n, m))


def test_edge_by_hand_with_outcomes_or_signed_weights():
    y, h, d = np.array([1, -1, 1]), np.array([1, 1, 1]), np.array([0.5, 0.3, 0.2])
    assert edge(y * h, d) == pytest.approx(0.4)
    assert edge(h, y * d) == pytest.approx(0.4)


def test_edge_of_a_distribution_and_its_closure():
    U = np.array([[1.0, -1.0], [-1.0, -1.0]])
    assert largest_edge(U, [0.5, 0.5]) == 0.0
    assert largest_edge(U, [0.5, 0.5], closed=True) == 1.0


def test_error_and_edge_are_inverse():
    assert error_from_edge(0.5) == 0.25
    assert np.allclose(edge_from_error(error_from_edge([0.1, -0.4])), [0.1, -0.4])


def test_flip_family_closes_the_gap_at_the_known_value():
    assert ensemble_margin(FLIP, np.ones(5)) == pytest.approx(1 - 2 / 5)
    assert duality_gap(FLIP, np.ones(5), np.ones(5)) == pytest.approx(0.0, abs=1e-15)


@given(st.integers(0, 1000), st.data())
def test_every_pair_brackets_the_largest_margin(seed, data):
    U = random_signs(seed)
    coef = data.draw(arrays(np.float64, U.shape[1], elements=unit))
    weights = data.draw(arrays(np.float64, U.shape[0], elements=unit))
    best = solve_margin_lp(U).value
    assert ensemble_margin(U, coef) <= best + 1e-9
    assert best <= largest_edge(U, weights / weights.sum()) + 1e-9
    assert duality_gap(U, coef, weights) >= -1e-9


def test_gap_vanishes_at_the_optimum_of_the_margin_lp():
    U = random_signs(3, 30, 40)
    solution = solve_margin_lp(U)
    assert duality_gap(U, solution.coef, solution.weights) == pytest.approx(0.0, abs=1e-9)


def test_softmax_weights_by_hand_and_in_both_limits():
    margins = np.array([0.2, 0.2, 0.5, 1.0])
    expected = np.exp(-margins / 0.3)
    assert np.allclose(softmax_weights(margins, 0.3), expected / expected.sum())
    assert softmax_weights(margins, np.inf).tolist() == [0.25] * 4
    assert softmax_weights(margins, 1e-300).tolist() == [0.5, 0.5, 0.0, 0.0]
    prior = np.array([0.0, 1.0, 1.0, 2.0])
    assert softmax_weights(margins, np.inf, prior).tolist() == [0.0, 0.25, 0.25, 0.5]
    assert softmax_weights(margins, 1e-300, prior).tolist() == [0.0, 1.0, 0.0, 0.0]


def test_softmax_weights_ignore_the_margin_of_a_row_without_weight():
    weights = softmax_weights([-1.0, 0.5, 0.6], 1e-3, [0.0, 1.0, 1.0])
    assert weights[0] == 0.0
    assert weights[1] == pytest.approx(1.0)


def test_effective_number_between_one_and_all():
    assert effective_number(np.ones(7)) == pytest.approx(7.0)
    assert effective_number([0.0, -3.0, 0.0]) == 1.0
    assert effective_number([0.5, 0.25, 0.25]) == pytest.approx(1 / 0.375)


def test_effective_number_does_not_underflow():
    assert effective_number([1e-200, 1e-200]) == pytest.approx(2.0)


def test_support_vectors_by_weight_and_by_margin():
    assert support_vectors([0.5, -0.5, 1e-9, 0.0]).tolist() == [0, 1]
    assert support_vectors([0.5, -0.5, 1e-9, 0.0], tol=0.0).tolist() == [0, 1, 2]
    assert lowest_margins([0.3, 0.1, 0.1005, 0.9]).tolist() == [1, 2]


def test_support_of_the_lp_lies_at_the_lowest_margin_and_bounds_leaving_out():
    U = random_signs(5, 40, 30)
    solution = solve_margin_lp(U)
    support = support_vectors(solution.weights)
    assert set(support) <= set(lowest_margins(U @ solution.coef, tol=1e-8))
    outside = np.setdiff1d(np.arange(40), support)
    assert solve_margin_lp(np.delete(U, outside[0], axis=0)).value == pytest.approx(solution.value)
    assert leave_one_out_bound(support, 40) == len(support) / 40


def test_overlap_of_supports():
    overlap = support_overlap([1, 2, 5], [2, 5, 7, 8])
    assert overlap == SupportOverlap(2, 1, 2)
    assert overlap.jaccard == 0.4
    assert support_overlap([], []).jaccard == 1.0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: edge([1.0], [0.5, 0.5]), "outcomes and weights: got 1 outcomes, 2 weights"),
        (lambda: largest_edge([1.0], [1.0]), "outcomes: got shape"),
        (lambda: ensemble_margin(FLIP, np.zeros(5)), "coef: got only zeros"),
        (lambda: duality_gap(FLIP, -np.ones(5), np.ones(5)), "coef: got -1"),
        (lambda: softmax_weights([0.1], 0.0), "temperature: got 0.0"),
        (lambda: effective_number([0.0]), "weights: got only zeros"),
        (lambda: leave_one_out_bound([4], 4), "support: got indices outside 0..3"),
    ],
)
def test_errors_name_the_argument(call, message):
    with pytest.raises(ValueError, match=message):
        call()
