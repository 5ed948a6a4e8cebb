"""Coordinate descent: every selection rule, conditions and constants, rates.

See R1-A32 to R1-A36, R1-Q34 to R1-Q37.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from marginboost.diagnostics import (
    auxiliary_functions,
    descent_edges,
    has_finite_minimiser,
    implied_step_quality,
    linear_rate,
    progress_bound,
    selection_quality,
)
from marginboost.solvers import CoordinateProblem, coordinate_descent
from marginboost.solvers.coordinate_descent import SELECTIONS
from strategies import few, real_problems, sign_problems, theory

TEXTBOOK = {
    "exponential": (lambda m: np.exp(-m), lambda m: -np.exp(-m)),
    "logistic": (lambda m: np.logaddexp(0, -m), lambda m: -1 / (1 + np.exp(m))),
    "squared": (lambda m: (1 - m) ** 2 / 2, lambda m: m - 1),
}
"""Loss of the margin and its derivative; for labels ±1 the squared loss is one of the margin."""


def gaussian(n=12, m=5, seed=0):
    """Columns on which the three losses have finite minimisers."""
    rng = np.random.default_rng(seed)
    while True:
        H, y = rng.normal(size=(n, m)), rng.choice([-1.0, 1.0], n)
        if has_finite_minimiser(y[:, None] * H):
            return H, y


def least(name, U, linear=0.0, low=None, high=None):
    """Least loss plus linear term over a box, by a quasi-Newton method."""
    value, slope = TEXTBOOK[name]

    def risk(a):
        m = U @ a
        return value(m).sum() + (linear * a).sum(), slope(m) @ U + linear

    bounds = [(low, high)] * U.shape[1]
    start = np.clip(
        np.zeros(U.shape[1]), *(v if v is not None else s * 9 for v, s in ((low, -1), (high, 1)))
    )
    options = {"ftol": 0, "gtol": 1e-10, "maxiter": 10**4}
    return minimize(risk, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options).fun


@pytest.mark.parametrize(
    ("name", "step", "value"),
    [("exponential", 0.549306, 3.464102), ("logistic", 1.098612, 2.249341), ("squared", 0.5, 1.5)],
)
def test_one_hypothesis_v09(name, step, value):
    problem = CoordinateProblem.of(name, [[1.0], [1.0], [1.0], [-1.0]], np.ones(4))
    descent = coordinate_descent(problem)
    assert descent.coef[0] == pytest.approx(step, abs=1e-6)
    assert descent.values[-1] == pytest.approx(value, abs=1e-6)
    assert len(descent.chosen) == 1
    assert descent.converged
    assert descent.finite


@pytest.mark.parametrize("name", TEXTBOOK)
@pytest.mark.parametrize("selection", SELECTIONS)
@pytest.mark.parametrize("box", [(None, None), (0.0, None), (-0.2, 0.3)])
def test_every_rule_reaches_the_optimum(name, selection, box):
    """R1-C43, R1-C48, R1-C49; R1-A36 with box and linear term."""
    H, y = gaussian(seed=3)
    gamma = 0.4 * np.arange(5) / 4
    low, high = (-np.inf if box[0] is None else box[0]), (np.inf if box[1] is None else box[1])
    problem = CoordinateProblem.of(name, H, y, linear=gamma, low=low, high=high)
    descent = coordinate_descent(problem, selection, max_steps=1000, tol=1e-8)
    best = least(name, y[:, None] * H, gamma, *box)
    assert descent.converged
    assert descent.values[-1] == pytest.approx(best, rel=1e-9)
    assert (np.diff(descent.values) <= 1e-12).all()
    assert (descent.coef >= low).all()
    assert (descent.coef <= high).all()
    np.testing.assert_allclose(descent.scores, H @ descent.coef, atol=1e-10)


def test_weights_are_copies():
    H, y = gaussian()
    counts = np.random.default_rng(1).integers(1, 4, len(y))
    weighted = coordinate_descent(CoordinateProblem.of("logistic", H, y, sample_weight=counts))
    copied = coordinate_descent(
        CoordinateProblem.of("logistic", H.repeat(counts, axis=0), y.repeat(counts))
    )
    np.testing.assert_allclose(weighted.coef, copied.coef, rtol=1e-7)


@theory
@given(problem=real_problems(), name=st.sampled_from(sorted(TEXTBOOK)), seed=st.integers(0, 99))
def test_a_step_is_the_minimum_over_its_coordinate(problem, name, seed):
    """Slopes are those of finite differences (R1-Q31), and 0 after the step (3.25)."""
    H, y = problem
    rng = np.random.default_rng(seed)
    gamma = rng.normal(size=H.shape[1]) * 0.1
    cd = CoordinateProblem.of(name, H, y, linear=gamma)
    a = rng.normal(size=H.shape[1])
    U = y[:, None] * H

    def F(b):
        return TEXTBOOK[name][0](U @ b).sum() + gamma @ b

    edges = descent_edges(cd, a)
    j = int(rng.integers(len(a)))
    e = np.eye(len(a))[j]
    assert edges[j] == pytest.approx((F(a - 1e-6 * e) - F(a + 1e-6 * e)) / 2e-6, abs=1e-5)
    step = cd.step(j, a, cd.scores(a))
    if np.isinf(step):
        moves = np.sign(step) * U[:, j]
        assert name != "squared"
        assert (moves >= 0).all() or gamma[j] * np.sign(step) < 0
        return
    assert abs(descent_edges(cd, a + step * e)[j]) <= 1e-7 * max(1.0, np.abs(edges).max())
    assert all(F(a + step * e) <= F(a + s * step * e) + 1e-9 for s in (0.0, 0.5, 0.9, 1.1, 2.0))


@few
@given(seed=st.integers(0, 999), delta=st.sampled_from([0.2, 0.5]))
def test_approximate_rules_keep_their_share(seed, delta):
    """δ_t >= δ by the condition of the rule, and some step takes less than all there is.

    See R1-Q34.
    """
    H, y = gaussian(16, 6, seed)
    problem = CoordinateProblem.of("logistic", H, y)
    for selection, share in (("gauss-southwell", "slope"), ("improvement", "decrease")):
        descent = coordinate_descent(
            problem, selection, delta=delta, max_steps=15, measure=True, tol=1e-6
        )
        quality = selection_quality(descent)
        assert getattr(quality, share) >= delta - 1e-9
        assert getattr(quality, share) < 1.0
        exact = coordinate_descent(problem, selection, max_steps=8, measure=True, tol=1e-6)
        assert getattr(selection_quality(exact), share) == 1.0


@pytest.mark.slow
@theory
@given(seed=st.integers(0, 9999), delta=st.sampled_from([0.1, 0.5, 1.0]))
def test_conditions_imply_step_quality_c45(seed, delta):
    """Prop. 3.3 and 3.4 with the constants of R1-Q35, and inequalities on the way (least squares).

    Columns have second derivatives Σ h², so η_l and η_u are exact.
    """
    rng = np.random.default_rng(seed)
    H = rng.normal(size=(9, 6)) * rng.uniform(0.4, 2.0, 6)
    y = rng.normal(size=9)
    problem = CoordinateProblem.of("squared", H, y)
    low, high = (H**2).sum(axis=0).min(), (H**2).sum(axis=0).max()
    for condition, selection in (("gradient", "gauss-southwell"), ("improvement", "improvement")):
        descent = coordinate_descent(
            problem, selection, delta=delta, max_steps=25, measure=True, tol=1e-7
        )
        beta = implied_step_quality(delta, low, high, condition)
        assert selection_quality(descent).step >= beta * (1 - 1e-7)
    a = rng.normal(size=6)
    slopes = np.abs(descent_edges(problem, a))
    steps, decreases = problem.steps(a, problem.scores(a))
    slack = 1e-9
    assert (slopes**2 / (2 * high) <= decreases + slack).all()
    assert (decreases <= slopes**2 / low + slack).all()
    assert (slopes / high <= np.abs(steps) + slack).all()
    assert (np.abs(steps) <= slopes / low + slack).all()


@theory
@given(problem=sign_problems(), seed=st.integers(0, 99))
def test_progress_of_an_exact_step_c52(problem, seed):
    """At least q'² / (4 L), even q'² / (2 L); for the logistic loss of ±1 columns, L = N / 4."""
    H, y = problem
    cd = CoordinateProblem.of("logistic", H, y)
    a = 0.5 * np.random.default_rng(seed).normal(size=H.shape[1])
    slopes = descent_edges(cd, a)
    decreases = cd.steps(a, cd.scores(a))[1]
    curvature = len(y) / 4
    for slope, decrease in zip(slopes, decreases, strict=True):
        assert decrease >= 2 * progress_bound(slope, curvature) - 1e-9
    found = auxiliary_functions(cd, a)
    assert found.gradient == pytest.approx(np.linalg.norm(slopes))
    assert found.improvement >= progress_bound(found.gradient, curvature) - 1e-9  # R1-C58


@pytest.mark.parametrize("name", TEXTBOOK)
@pytest.mark.parametrize("selection", ["gauss-southwell", "improvement", "cyclic"])
def test_linear_rate_where_minimisers_are_finite_c46(name, selection):
    """Straight lines: over any five passes the gap shrinks by a factor (Thm 3.3, R1-Q36)."""
    H, y = gaussian(seed=7)
    problem = CoordinateProblem.of(name, H, y)
    best = least(name, y[:, None] * H)
    descent = coordinate_descent(problem, selection, max_steps=200, tol=1e-7)
    rate = linear_rate(descent.values, best, floor=1e-10)
    assert rate.fitted < 0.97
    assert rate.worst <= 1.0 + 1e-9
    near = auxiliary_functions(problem, descent.coef)  # both vanish at the optimum (R1-Q33)
    far = auxiliary_functions(problem, np.zeros(5))
    assert near.improvement < 1e-8 * far.improvement
    assert near.gradient < 1e-4 * far.gradient
    gaps = descent.values - best
    gaps = gaps[gaps > 1e-10 * gaps[0]]
    assert (gaps[25:] <= 0.7 * gaps[:-25]).all()


def stump_pool(n=40, seed=0):
    """R1-V12: outputs of all stumps on two features, with labels that no vote separates."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    y = np.where(X.sum(axis=1) + rng.normal(size=n) > 0, 1.0, -1.0)
    X = np.vstack([X, X[:1]])  # the same row with both labels
    y = np.append(y, -y[0])
    cuts = [np.where(x <= c, 1.0, -1.0) for x in X.T for c in np.unique(x)]
    return np.array(cuts).T, y


def test_minimisers_at_infinity_cost_the_rate_v12():
    """Not separable, and yet no finite minimiser (R1-Q37): the gap falls like 1/t only."""
    H, y = stump_pool()
    assert not has_finite_minimiser(y[:, None] * H)
    slow = coordinate_descent(CoordinateProblem.of("logistic", H, y), max_steps=400, tol=0.0)
    assert slow.values[-1] > 0.5  # rows that no vote gets right keep their loss
    drops = -np.diff(slow.values)
    assert drops[300:].sum() > 0.05 * drops[100:300].sum() > 0.0
    both = np.vstack([H, H]), np.concatenate([y, -y])  # every row with both labels
    assert has_finite_minimiser(both[1][:, None] * both[0])


@pytest.mark.slow
@few
@given(problem=sign_problems(max_rows=7, max_columns=4))
def test_finiteness_is_what_descent_finds_q37(problem):
    """With finite minimisers descent converges; else coefficients grow without limit."""
    H, y = problem
    finite = has_finite_minimiser(y[:, None] * H)
    descent = coordinate_descent(
        CoordinateProblem.of("exponential", H, y), "cyclic", max_steps=3000, tol=1e-9
    )
    assert (descent.converged and np.abs(descent.coef).max() < 10.0) == finite


def least_squares_choice(H):
    """Criterion (3.5) of LS-Boost's first version, ``argmin_j Σ (d - h_j)²``, from the gradient."""
    squares = (H**2).sum(axis=0)
    return lambda gradient, t: int(np.argmin(2 * gradient + squares))


def test_fitting_residuals_can_stall_v10():
    H = np.array([[0.0, 0.0, 3.0, -3.0], [0.1, -0.1, 0.0, 0.0]])
    problem = CoordinateProblem.of("squared", H, [1.0, 0.0])
    stalled = coordinate_descent(problem, least_squares_choice(H), max_steps=20)
    assert set(stalled.chosen) <= {0, 1}
    assert stalled.values[-1] == 0.5
    solved = coordinate_descent(problem, "improvement", max_steps=20)
    assert list(solved.chosen) == [2]
    assert solved.coef[2] == pytest.approx(1 / 3)
    assert solved.values[-1] == pytest.approx(0.0, abs=1e-15)


@few
@given(seed=st.integers(0, 999))
def test_fitting_residuals_works_for_columns_of_one_length_c50(seed):
    rng = np.random.default_rng(seed)
    H = rng.normal(size=(8, 4))
    H /= np.linalg.norm(H, axis=0)
    H = np.hstack([H, -H])
    problem = CoordinateProblem.of("squared", H, rng.normal(size=8))
    first = coordinate_descent(problem, least_squares_choice(H), max_steps=500)
    steepest = coordinate_descent(problem, lambda g, t: int(np.argmin(g)), max_steps=500)
    assert list(first.chosen[:10]) == list(steepest.chosen[:10])
    assert first.values[-1] == pytest.approx(least_squares(H, problem), abs=1e-8)


def least_squares(H, problem):
    y = problem.risk._y
    return 0.5 * np.sum((y - H @ np.linalg.lstsq(H, y, rcond=None)[0]) ** 2)


@theory
@given(problem=sign_problems())
def test_smallest_error_is_the_steepest_slope_c59(problem):
    """With the negatives of all columns, the largest edge is the largest absolute one."""
    H, y = problem
    closed = np.hstack([H, -H])
    a = 0.3 * np.random.default_rng(0).normal(size=closed.shape[1])
    problem = CoordinateProblem.of("exponential", closed, y)
    edges = descent_edges(problem, a)
    assert edges.max() == pytest.approx(np.abs(edges).max())
    weights = np.exp(-y * (closed @ a))
    errors = weights @ (closed * y[:, None] < 0)
    assert errors[np.argmax(edges)] == pytest.approx(errors.min())


def test_a_column_without_errors_has_no_step():
    problem = CoordinateProblem.of("logistic", [[1.0, 1.0], [1.0, -1.0]], [1.0, 1.0])
    descent = coordinate_descent(problem)
    assert not descent.finite
    assert len(descent.chosen) == 0
    boxed = CoordinateProblem.of("logistic", [[1.0, 1.0], [1.0, -1.0]], [1.0, 1.0], high=3.0)
    assert coordinate_descent(boxed).coef[0] == 3.0


def test_bad_input():
    with pytest.raises(ValueError, match="H: got shape"):
        CoordinateProblem.of("logistic", np.ones(3), np.ones(3))
    with pytest.raises(ValueError, match="y: got shape"):
        CoordinateProblem.of("logistic", np.ones((3, 1)), np.ones(2))
    with pytest.raises(ValueError, match="sample_weight"):
        CoordinateProblem.of("logistic", np.ones((2, 1)), np.ones(2), sample_weight=[1.0, 0.0])
    with pytest.raises(ValueError, match="low: got"):
        CoordinateProblem.of("logistic", np.ones((2, 1)), np.ones(2), low=1.0, high=0.0)
    problem = CoordinateProblem.of("logistic", np.ones((2, 1)), [1.0, -1.0])
    with pytest.raises(ValueError, match="selection: got 'best'"):
        coordinate_descent(problem, "best")
    with pytest.raises(ValueError, match="delta"):
        coordinate_descent(problem, delta=0.0)
    with pytest.raises(ValueError, match="measure=True"):
        selection_quality(coordinate_descent(problem))
    with pytest.raises(ValueError, match="coef: got 2 numbers"):
        descent_edges(problem, [1.0, 1.0])
    with pytest.raises(ValueError, match="at least 4"):
        linear_rate([1.0, 0.5], 0.0)
