"""The margin LP, on which all other theory tests rest.

See R1-A09, R1-C15 to R1-C17, R1-C53, R1-C55, R1-Q21.
"""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from marginboost.solvers import solve_margin_lp
from strategies import SLACK, flip_family, leaning_matrix, problems, theory


def outcomes(problem):
    H, y = problem
    return H * y[:, None]


@theory
@given(problems())
def test_both_programs_have_one_value_c15_c53(problem):
    """R1-C15, R1-C53 (finite H): the margin of α* is the largest edge of d* is the value."""
    U = outcomes(problem)
    solution = solve_margin_lp(U)
    for point, size in ((solution.coef, U.shape[1]), (solution.weights, U.shape[0])):
        assert point.shape == (size,)
        assert (point >= 0).all()
        assert point.sum() == pytest.approx(1, abs=1e-12)
    assert (U @ solution.coef).min() == pytest.approx(solution.value, abs=SLACK)
    assert (solution.weights @ U).max() == pytest.approx(solution.value, abs=SLACK)


@theory
@given(problems(), st.integers(0, 2**20))
def test_every_combination_below_every_distribution_above_c16_c17(problem, seed):
    """ρ(α) ≤ ρ* ≤ γ(d). R1-C17: an edge guaranteed for all d is a margin guaranteed by α*.

    See R1-C16.
    """
    U = outcomes(problem)
    solution, rng = solve_margin_lp(U), np.random.default_rng(seed)
    for sharpness in (0.1, 1.0, 10.0):
        alpha = rng.dirichlet(np.full(U.shape[1], sharpness))
        d = rng.dirichlet(np.full(U.shape[0], sharpness))
        assert (U @ alpha).min() <= solution.value + SLACK
        assert solution.value <= (d @ U).max() + SLACK


@pytest.mark.parametrize("n", [2, 3, 4, 7, 12, 40])
def test_flip_family_v03(n):
    solution = solve_margin_lp(flip_family(n))
    assert solution.value == pytest.approx(1 - 2 / n, abs=1e-12)
    np.testing.assert_allclose(solution.coef, 1 / n, atol=1e-9)
    np.testing.assert_allclose(solution.weights, 1 / n, atol=1e-9)
    assert len(solution.support) == n


@theory
@given(*[st.floats(-1, 1, width=32) for _ in range(4)])
def test_two_by_two_games_have_their_textbook_value(a, b, c, d):
    """Without a saddle point the value of [[a, b], [c, d]] is (ad - bc) / (a + d - b - c)."""
    U = np.array([[a, b], [c, d]], dtype=float)
    lower, upper = U.min(axis=0).max(), U.max(axis=1).min()
    value = solve_margin_lp(U).value
    if upper - lower <= 1e-6:
        assert lower - 1e-6 <= value <= upper + 1e-6
    else:
        textbook = (U[0, 0] * U[1, 1] - U[0, 1] * U[1, 0]) / (U[0, 0] + U[1, 1] - U[0, 1] - U[1, 0])
        assert value == pytest.approx(textbook, abs=1e-7)


@theory
@given(problems())
def test_complementary_slackness_of_support_vectors_q21(problem):
    """R1-Q21: support vectors have the smallest margin, used hypotheses the largest edge."""
    U = outcomes(problem)
    solution = solve_margin_lp(U)
    margins, edges = U @ solution.coef, solution.weights @ U
    np.testing.assert_allclose(margins[solution.support], solution.value, atol=1e-7)
    np.testing.assert_allclose(edges[solution.coef > 1e-9], solution.value, atol=1e-7)


@theory
@given(problems())
def test_leave_one_out_c55(problem):
    """R1-C55: without a non-support vector ρ* and α* stay; so at most #SV examples can go wrong."""
    U = outcomes(problem)
    assume(len(U) > 2)
    solution = solve_margin_lp(U)
    wrong = 0
    for i in range(len(U)):
        others = np.delete(U, i, axis=0)
        rest = solve_margin_lp(others)
        assert rest.value >= solution.value - SLACK
        stays = (others @ solution.coef).min() >= rest.value - 1e-8
        assert stays or i in solution.support
        wrong += U[i] @ (solution.coef if stays else rest.coef) <= 0
    if solution.value > 1e-6:
        assert wrong <= len(solution.support)


@theory
@given(problems(), st.integers(0, 2**20))
def test_value_does_not_depend_on_order(problem, seed):
    U = outcomes(problem)
    rng = np.random.default_rng(seed)
    shuffled = U[rng.permutation(U.shape[0])][:, rng.permutation(U.shape[1])]
    assert solve_margin_lp(shuffled).value == pytest.approx(solve_margin_lp(U).value, abs=SLACK)


@theory
@given(problems())
def test_more_hypotheses_never_hurt_and_negatives_lift_to_zero(problem):
    """R1-C59: with every negative in the set no distribution has a negative edge, so ρ* ≥ 0."""
    U = outcomes(problem)
    closed = solve_margin_lp(np.hstack([U, -U])).value
    assert closed >= solve_margin_lp(U).value - SLACK
    assert closed >= -SLACK


def test_support_is_small_on_a_wide_matrix():
    """A basic solution has at most as many used hypotheses as there are examples."""
    solution = solve_margin_lp(leaning_matrix(30, 400, 0.7, seed=0))
    assert 0 < solution.value < 1
    assert np.count_nonzero(solution.coef > 1e-9) <= 30


@pytest.mark.parametrize(
    "bad", [np.zeros((0, 3)), np.zeros((3, 0)), np.zeros(3), np.full((2, 2), np.nan)]
)
def test_unusable_matrices_are_refused(bad):
    with pytest.raises(ValueError, match="outcomes"):
        solve_margin_lp(bad)
