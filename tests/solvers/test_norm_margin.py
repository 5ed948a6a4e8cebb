"""Planes of largest ℓ_p-margin against independent formulas.

See R1-A08, R1-Q16, R1-C10, R1-C12, R1-C13, R1-E07, R2-E2.
"""

import math
import runpy
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog, nnls

from marginboost.solvers import solve_margin_lp, solve_norm_margin
from marginboost.solvers.norm_margin import dual_exponent, nearest_on_plane, norm_margins, p_norm
from strategies import few, flip_family, theory

mpl.use("Agg")
EXAMPLES = Path(__file__).parents[2] / "examples"
needs_examples = pytest.mark.skipif(
    not EXAMPLES.exists(), reason="examples are not part of this copy"
)
NORMS = [1.0, 1.05, 1.5, 2.0, 3.0, 10.0, 100.0, math.inf]


@st.composite
def clouds(draw, separable=True):
    """Points with labels; a random plane through or off the origin separates them if asked."""
    n, m = draw(st.integers(2, 20)), draw(st.integers(1, 8))
    rng = np.random.default_rng(draw(st.integers(0, 2**20)))
    points = rng.normal(size=(n, m))
    if draw(st.booleans()):
        points = np.sign(points) + (points == 0)
    if not separable:
        return points, rng.choice([-1.0, 1.0], n)
    normal = rng.normal(size=m)
    y = np.where(points @ normal > 0, 1.0, -1.0)
    points = points + 0.2 * y[:, None] * normal
    return points, y


def with_both_classes(problem):
    return (problem[1] != problem[1][0]).any()


def independent_bounds(points, y, solution):
    """Margin of the plane and dual norm of the weights, by NumPy's own norms."""
    margins = y * (points @ solution.coef + solution.intercept)
    q = 1 / (1 - 1 / solution.p) if solution.p > 1 else math.inf
    return margins.min(), np.linalg.norm((y * solution.weights) @ points, q)


@theory
@given(clouds(), st.sampled_from(NORMS), st.booleans())
def test_plane_and_weights_prove_each_other(problem, p, bias):
    points, y = problem
    bias = bias and with_both_classes(problem)
    solution = solve_norm_margin(points, y, p, bias=bias)
    scale = np.abs(points).max()
    assert solution.separable
    assert np.linalg.norm(solution.coef, p) == pytest.approx(1.0, abs=1e-12)
    assert (solution.weights >= 0).all()
    assert solution.weights.sum() == pytest.approx(1.0, abs=1e-12)
    if bias:
        assert y @ solution.weights == pytest.approx(0.0, abs=1e-12)
    else:
        assert solution.intercept == 0.0
    lower, upper = independent_bounds(points, y, solution)
    assert lower == pytest.approx(solution.value, rel=1e-12)
    assert upper == pytest.approx(solution.upper, rel=1e-9)
    assert -1e-12 * scale <= upper - lower <= 2e-9 * scale


@pytest.mark.parametrize("p", NORMS)
@pytest.mark.parametrize("n", [3, 4, 9])
def test_flip_family(n, p):
    """R1-V03: (N - 2) / N^(1/p), by symmetry."""
    solution = solve_norm_margin(flip_family(n), np.ones(n), p)
    assert solution.value == pytest.approx((n - 2) / n ** (1 / p), abs=1e-9)
    np.testing.assert_allclose(solution.coef, n ** (-1 / p), atol=2e-4)


@theory
@given(clouds(separable=False))
def test_p_one_is_the_margin_lp_over_a_closed_set(problem):
    points, y = problem
    outcomes = y[:, None] * points
    best = solve_margin_lp(np.hstack([outcomes, -outcomes])).value
    assert solve_norm_margin(points, y, 1).value == pytest.approx(max(best, 0.0), abs=1e-8)


@theory
@given(clouds())
def test_p_two_is_the_least_distance_program(problem):
    """Minimise ‖α‖ s.t. Uα >= 1, by Lawson and Hanson's nonnegative least squares."""
    points, y = problem
    system = np.vstack([(y[:, None] * points).T, np.ones(len(y))])
    target = np.zeros(len(system))
    target[-1] = 1.0
    solution, _ = nnls(system, target)
    residual = system @ solution - target
    alpha = -residual[:-1] / residual[-1]
    assert solve_norm_margin(points, y, 2).value == pytest.approx(
        1 / np.linalg.norm(alpha), abs=1e-8 * np.abs(points).max()
    )


@few
@given(clouds(), st.booleans())
def test_larger_norms_have_larger_margins(problem, bias):
    """‖·‖_p falls in p, so the optimum does not; and it rises at most like J^(1/p - 1/p').

    See R1-C13.
    """
    points, y = problem
    bias = bias and with_both_classes(problem)
    values = [solve_norm_margin(points, y, p, bias=bias).value for p in NORMS]
    tol = 1e-8 * np.abs(points).max()
    assert (np.diff(values) >= -tol).all()
    m = points.shape[1]
    for p, value in zip(NORMS, values, strict=True):
        assert value <= values[0] * m ** (1 - 1 / p) + m * tol


@few
@given(clouds(), st.sampled_from(NORMS), st.floats(1e-6, 1e6))
def test_units_do_not_matter(problem, p, unit):
    points, y = problem
    one, other = (solve_norm_margin(x, y, p) for x in (points, unit * points))
    assert other.value == pytest.approx(unit * one.value, rel=1e-7, abs=1e-7 * unit)
    assert independent_bounds(unit * points, y, other)[0] == pytest.approx(other.value, rel=1e-12)


@few
@given(clouds(), st.sampled_from(NORMS))
def test_bias_makes_the_plane_free_of_the_origin(problem, p):
    points, y = problem
    if not with_both_classes(problem):
        return
    here = solve_norm_margin(points, y, p, bias=True)
    there = solve_norm_margin(points + 3.0, y, p, bias=True)
    assert there.value == pytest.approx(here.value, abs=2e-8)
    through = solve_norm_margin(points, y, p)
    assert here.value >= through.value - 1e-8


# -- no separating plane -------------------------------------------------------------------------


@pytest.mark.parametrize("p", NORMS)
@pytest.mark.parametrize("bias", [False, True])
def test_no_plane_is_said_and_proven(p, bias):
    """Four corners with the labels of exclusive or: the weights balance, so no plane separates."""
    corners = np.array([[-1.0, -1.0], [1.0, 1.0], [-1.0, 1.0], [1.0, -1.0]])
    y = np.array([1.0, 1.0, -1.0, -1.0])
    solution = solve_norm_margin(corners, y, p, bias=bias)
    assert not solution.separable
    assert solution.value == 0.0
    assert not solution.coef.any()
    np.testing.assert_allclose((y * solution.weights) @ corners, 0.0, atol=1e-9)
    if bias:
        assert y @ solution.weights == pytest.approx(0.0, abs=1e-12)


@few
@given(clouds(separable=False), st.sampled_from(NORMS))
def test_all_norms_agree_on_separability(problem, p):
    points, y = problem
    outcomes = y[:, None] * points
    strict = linprog(np.zeros(points.shape[1]), -outcomes, -np.ones(len(y)), bounds=(None, None))
    assert solve_norm_margin(points, y, p).separable == (strict.status == 0)


# -- distances (Thm 1.6) -------------------------------------------------------------------------


@theory
@given(st.integers(0, 2**20), st.integers(1, 6), st.sampled_from(NORMS))
def test_margin_is_the_distance_in_the_dual_norm(seed, m, p):
    """No point of the plane is nearer than the one found, and its distance is the margin.

    See R1-C12.
    """
    rng = np.random.default_rng(seed)
    x, alpha, b = rng.normal(size=m), rng.normal(size=m), rng.normal()
    if m > 1 and seed % 3 == 0:
        alpha[0] = 0.0
    q = dual_exponent(p)
    near = nearest_on_plane(x, alpha, b, p=p)[0]
    assert near @ alpha + b == pytest.approx(0.0, abs=1e-10 * (1 + np.abs(near).max()))
    distance = np.linalg.norm(x - near, q)
    margin = norm_margins(x[None, :], [1.0], alpha, b, p=p)[0]
    assert distance == pytest.approx(abs(margin), rel=1e-9)
    for _ in range(30):
        other = near + rng.normal(size=m) * 10 ** rng.uniform(-3, 1)
        other -= (other @ alpha + b) / (alpha @ alpha) * alpha
        assert np.linalg.norm(x - other, q) >= distance * (1 - 1e-9)


def test_norms_keep_small_entries():
    assert p_norm([1e-8, 1e-8], 100) == pytest.approx(1e-8 * 2 ** (1 / 100))
    assert p_norm([0.0, 0.0], 3) == 0.0
    assert dual_exponent(2.0) == 2.0


# -- pictures of the thesis ----------------------------------------------------------------------


@needs_examples
def test_two_planes_of_the_toy_picture():
    """R1-E07, Fig. 1.7: p = 1 and p = 2 choose different planes, each nearest in its dual norm."""
    example = runpy.run_path(str(EXAMPLES / "plot_norm_margins.py"))
    points, y = example["toy_points"]()
    figure, drawn = example["draw"]()
    figure.canvas.draw()
    planes = {int(plane.p): plane for plane in drawn}
    slopes = [plane.coef / np.linalg.norm(plane.coef) for plane in planes.values()]
    assert slopes[0] @ slopes[1] < 0.95
    for p, q in ((1, math.inf), (2, 2)):
        plane = planes[p]
        near = nearest_on_plane(points, plane.coef, plane.intercept, p=p)
        distances = np.linalg.norm(points - near, q, axis=1)
        assert distances.min() == pytest.approx(plane.value, abs=1e-8)
        other = planes[3 - p]
        assert norm_margins(points, y, other.coef, other.intercept, p=p).min() < plane.value - 1e-3


@needs_examples
@pytest.mark.parametrize("case", ["one outlier", "one wrong label"])
def test_one_example_moves_the_hard_boundary_and_not_the_soft_one(case):
    """R2-E2, Fig. 4.2: the hard margin follows one example, the ν-LP does not."""
    example = runpy.run_path(str(EXAMPLES / "plot_hard_and_soft_margins.py"))
    points, y = example["sample"]()
    grid = np.stack(np.meshgrid(*[np.linspace(-1, 1, 60)] * 2), axis=-1).reshape(-1, 2)
    moved = {}
    for name, nu in (("hard", None), ("soft", example["NU"])):
        before = example["outputs"](grid) @ example["fit"](points, y, nu)
        after = example["outputs"](grid) @ example["fit"](
            *example["sample"](example["CASES"][case]), nu
        )
        moved[name] = np.mean(np.sign(before) != np.sign(after))
    assert moved["hard"] > 0.1
    assert moved["soft"] < 0.02
    example["draw"]().canvas.draw()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: solve_norm_margin([[1.0]], [1], 0.5), "p: got 0.5, expected a number at least 1"),
        (lambda: solve_norm_margin([1.0], [1]), r"points: got shape \(1,\)"),
        (lambda: solve_norm_margin([[np.nan]], [1]), "points: got shape"),
        (lambda: solve_norm_margin([[1.0]], [2]), r"y: got shape \(1,\), expected 1 labels"),
        (lambda: solve_norm_margin([[1.0]], [1], bias=True), "y: got only the label 1"),
        (lambda: norm_margins([[1.0, 2.0]], [1], [0.0, 0.0]), "coef: got shape .* not all zero"),
        (lambda: nearest_on_plane([[1.0, 2.0]], [1.0]), r"coef: got shape \(1,\), expected 2"),
    ],
)
def test_errors_name_the_argument(call, message):
    with pytest.raises(ValueError, match=message):
        call()
