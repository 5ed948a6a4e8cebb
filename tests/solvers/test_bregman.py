"""Bregman projections and algorithms, and that boosting is one.

See R1-A26 to R1-A31, R1-C40 to R1-C44, R1-Q30, R1-Q32.
"""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.special import expit

from marginboost.diagnostics import has_finite_minimiser, progress_terms
from marginboost.losses import as_loss
from marginboost.solvers import (
    CoordinateProblem,
    bregman_algorithm,
    bregman_problem,
    bregman_project,
    coordinate_descent,
    parallel_descent,
)
from strategies import few, imperfect_sign_problems, plain_adaboost, real_problems, theory

PAIRS = {
    "squared": (lambda d: d**2 / 2, lambda d: d, lambda z: z**2 / 2, lambda z: z),
    "exponential": (lambda d: d * np.log(d) - d, np.log, np.exp, np.exp),
    "logistic": (
        lambda d: d * np.log(d) + (1 - d) * np.log(1 - d),
        lambda d: np.log(d / (1 - d)),
        lambda z: np.log1p(np.exp(z)),
        expit,
    ),
}
"""𝒢, its gradient, G and its gradient, of one number."""


def divergence(name, d, e):
    """Δ(d, e), with the gradient at e (R1-X18)."""
    G, slope = PAIRS[name][:2]
    return float(np.sum(G(d) - G(e) - slope(e) * (d - e)))


def inside(name, rng, n):
    """A point of the domain."""
    return {
        "squared": rng.normal(size=n),
        "exponential": rng.uniform(0.2, 3.0, n),
        "logistic": rng.uniform(0.05, 0.95, n),
    }[name]


names = st.sampled_from(sorted(PAIRS))
seeds = st.integers(0, 2**20)


@theory
@given(name=names, seed=seeds)
def test_bregman_functions_c40(name, seed):
    """Δ > 0 but at equal points; gradients invert each other; conjugacy; the package agrees."""
    rng = np.random.default_rng(seed)
    G, slope, dual_G, dual_slope = PAIRS[name]
    d, e = inside(name, rng, 6), inside(name, rng, 6)
    assert divergence(name, d, e) > 0
    assert divergence(name, d, d) == 0
    if name == "squared":
        assert divergence(name, d, e) == pytest.approx(0.5 * np.sum((d - e) ** 2))
    z = slope(d)
    np.testing.assert_allclose(dual_slope(z), d, rtol=1e-10)
    np.testing.assert_allclose(dual_G(z), z * dual_slope(z) - G(dual_slope(z)), atol=1e-10)
    middle = 0.5 * (d + e)
    assert G(middle).sum() < 0.5 * (G(d).sum() + G(e).sum())
    loss = as_loss("loss", name)
    assert float(loss.divergence(d, e).sum()) == pytest.approx(divergence(name, d, e))
    np.testing.assert_allclose(loss.orientation * loss.inverse(d), z, atol=1e-12)


@theory
@given(name=names, seed=seeds)
def test_projection_c41(name, seed):
    """It is on the hyperplane, moved along the normal only, and nearest there (Pythagoras)."""
    rng = np.random.default_rng(seed)
    slope = PAIRS[name][1]
    d, normal, other = inside(name, rng, 6), rng.normal(size=6), inside(name, rng, 6)
    level = float(normal @ other)  # so that a point of the domain is on the hyperplane
    found = bregman_project(d, normal, level, name)
    assert normal @ found.point == pytest.approx(level, abs=1e-9)
    np.testing.assert_allclose(slope(found.point), slope(d) + found.multiplier * normal, atol=1e-8)
    assert found.divergence == pytest.approx(divergence(name, found.point, d), abs=1e-9)
    parts = divergence(name, other, found.point) + divergence(name, found.point, d)
    assert divergence(name, other, d) == pytest.approx(parts, abs=1e-8)
    if name == "squared":  # closed form
        by_hand = d + (level - normal @ d) / (normal @ normal) * normal
        np.testing.assert_allclose(found.point, by_hand, atol=1e-10)
    again = bregman_project(found.point, normal, level, name)
    assert abs(again.multiplier) <= 1e-7


@theory
@given(problem=imperfect_sign_problems())
def test_adaboost_is_entropy_projection_a31(problem):
    """AdaBoost's weights are projections onto those without edge for the last hypothesis (3.10)."""
    H, y = problem
    U = H * y[:, None]
    chosen, _, steps, weights = plain_adaboost(U, 8)
    assume(chosen)
    d = np.ones(len(y))
    for j, step, after in zip(chosen, steps, weights[1:], strict=True):
        found = bregman_project(d, U[:, j])
        assert found.multiplier == pytest.approx(-step, abs=1e-9)
        np.testing.assert_allclose(found.point, d * np.exp(-step * U[:, j]), rtol=1e-9)
        np.testing.assert_allclose(found.point / found.point.sum(), after, rtol=1e-8)
        d = found.point


def test_printed_sign_only_scales_x17():
    """(3.10) as printed, + d - d⁰ for - d + d⁰, gives e⁻² times the weights."""
    U = np.array([1.0, 1.0, 1.0, -1.0])
    right = bregman_project(np.ones(4), U).point

    def printed(d):  # gradient of Σ d log d + d, along multiples of the right answer
        return np.log(d) + 2.0

    slopes = printed(right * np.exp(-2.0))
    assert np.ptp(slopes / U) == pytest.approx(0.0, abs=1e-12)  # a multiple of the normal


def feasible(name, seed, n=9, m=4):
    """Matrix, start and levels of a problem that a point inside the domain solves."""
    rng = np.random.default_rng(seed)
    M = rng.normal(size=(n, m))
    target = inside(name, rng, n)
    return M, inside(name, rng, n), M.T @ target, target


def test_the_nearest_point_may_lie_in_the_closure_alone_r1_x26():
    """d₁ + d₂ = 1 and d₂ = 1 meet in d₁ = 0 only, which no finite multiplier makes of d = exp(Mα).

    The squares, whose domain has no edge, reach it.
    """
    settings = {"start": np.array([0.5, 0.5]), "levels": np.ones(2), "tol": 1e-12}
    M = np.array([[1.0, 0.0], [1.0, 1.0]])
    runs = [
        bregman_algorithm("exponential", M, max_steps=steps, **settings)
        for steps in (80, 320, 1280)
    ]
    np.testing.assert_allclose([run.weights[1] for run in runs], 1.0)
    first = np.array([run.weights[0] for run in runs])
    np.testing.assert_allclose(first[:-1] / first[1:], 4.0, rtol=0.05)  # to 0, and never there
    assert (first > 0.0).all()
    assert (np.diff([np.abs(run.coef).max() for run in runs]) > 1.0).all()
    assert not any(run.converged for run in runs)
    squares = bregman_algorithm("squared", M, max_steps=1280, **settings)
    assert squares.converged
    np.testing.assert_allclose(squares.weights, [0.0, 1.0], atol=1e-9)


@pytest.mark.parametrize("name", PAIRS)
def test_all_orders_lead_to_the_same_point_c42_c43(name):
    """Cyclic, drawn, most violated, approximate, parallel; Δ(d̄, d) never rises on the way."""
    M, start, levels, target = feasible(name, 5)
    settings = {"start": start, "levels": levels, "tol": 1e-9, "max_steps": 3000}
    best = bregman_algorithm(name, M, "gauss-southwell", **settings)
    assert best.converged
    np.testing.assert_allclose(M.T @ best.weights, levels, atol=1e-8)
    slope = PAIRS[name][1]
    np.testing.assert_allclose(slope(best.weights), slope(start) + M @ best.coef, atol=1e-8)
    for selection in ("cyclic", "almost-cyclic", "random", "improvement"):
        for share in (1.0, 0.6):
            found = bregman_algorithm(name, M, selection, share=share, **settings)
            np.testing.assert_allclose(found.weights, best.weights, atol=1e-6)
    problem = bregman_problem(name, M, start=start, levels=levels)
    parallel = parallel_descent(problem, "gradient", max_passes=3000, tol=1e-8)
    np.testing.assert_allclose(parallel.weights, best.weights, atol=1e-6)
    # (3) of Thm 3.1: no other feasible point is nearer to the start
    assert divergence(name, best.weights, start) < divergence(name, target, start)
    far = []
    for steps in range(0, 40, 3):
        d = bregman_algorithm(name, M, **{**settings, "max_steps": steps}).weights
        far.append(divergence(name, target, d))
    assert (np.diff(far) <= 1e-9).all()


@few
@given(name=names, seed=seeds)
def test_projection_is_the_dual_of_descent_c44(name, seed):
    """Least Δ(d, d⁰) = -min [G(∇𝒢(d⁰) + Mλ) - G(∇𝒢(d⁰)) - <b, λ>], both sides computed."""
    M, start, levels, _ = feasible(name, seed, 7, 3)
    found = bregman_algorithm(
        name, M, "gauss-southwell", start=start, levels=levels, tol=1e-9, max_steps=2000
    )
    assume(found.converged)
    _, slope, dual_G, _ = PAIRS[name]
    z = slope(start)
    dual = dual_G(z + M @ found.coef).sum() - dual_G(z).sum() - levels @ found.coef
    assert divergence(name, found.weights, start) == pytest.approx(-dual, abs=1e-7)
    assert found.values[-1] - found.values[0] == pytest.approx(dual, abs=1e-8)


@theory
@given(problem=real_problems(), name=st.sampled_from(["exponential", "logistic", "squared"]))
def test_a_boosting_step_is_a_projection_c44(problem, name):
    """Same hypotheses, same steps: coordinate descent on scores, projections of weights."""
    H, y = problem
    descent = coordinate_descent(CoordinateProblem.of(name, H, y), "cyclic", max_steps=3)
    loss = as_loss("loss", name)
    M = -H if name == "squared" else -y[:, None] * H
    d = loss.dual(loss.argument(y, np.zeros(len(y))))
    for j, step in zip(descent.chosen, descent.steps, strict=True):
        if np.abs(M[:, j]).max() > 0.0:
            found = bregman_project(d, M[:, j], 0.0, name)
            assert found.multiplier == pytest.approx(step, abs=1e-8)
            d = found.point


@theory
@given(name=names, seed=seeds, share=st.sampled_from([0.3, 1.0, 1.2]))
def test_progress_identity_q32(name, seed, share):
    """The loss falls by Δ(0, d) - Δ(0, d') = Δ(d', d) - λ <d', h>, exact projection or not."""
    rng = np.random.default_rng(seed)
    d, normal = inside(name, rng, 6), rng.normal(size=6)
    normal[:2] = [1.0, -1.0]  # both signs: the hyperplane meets the domain
    step = share * bregman_project(d, normal, 0.0, name).multiplier
    terms = progress_terms(d, normal, step, name)
    assert terms.loss == pytest.approx(terms.divergence, abs=1e-9)
    assert terms.loss == pytest.approx(terms.moved + terms.remaining, abs=1e-9)
    if share == 1.0:
        assert terms.remaining == pytest.approx(0.0, abs=1e-9)
        assert terms.loss >= 0.0


# -- parallel updates ------------------------------------------------------------------------------


@theory
@given(
    problem=real_problems(),
    name=st.sampled_from(["exponential", "logistic"]),
    search=st.booleans(),
    low=st.sampled_from([-np.inf, 0.0]),
)
def test_parallel_update_decreases_the_bound_a30(problem, name, search, low):
    """Value after a pass <= promise of the auxiliary function <= value before, in every pass."""
    H, y = problem
    cd = CoordinateProblem.of(name, H, y, low=low)
    found = parallel_descent(cd, search=search, max_passes=12, tol=1e-7)
    assert len(found.bounds) == len(found.values) - 1
    slack = 1e-11 * len(y)
    assert (found.values[1:] <= found.bounds + slack).all()
    assert (found.bounds <= found.values[:-1] + slack).all()
    assert (found.coef >= low).all()
    if low < 0.0 and len(found.bounds):  # the first promise, by the formula of the paper
        U = H * y[:, None]
        d = np.ones(len(y)) if name == "exponential" else np.full(len(y), 0.5)
        right, wrong = d @ np.maximum(U, 0), d @ np.maximum(-U, 0)
        gain = ((np.sqrt(right) - np.sqrt(wrong)) ** 2).sum() / np.abs(U).sum(axis=1).max()
        assert found.values[0] - found.bounds[0] == pytest.approx(gain, rel=1e-4)


@pytest.mark.parametrize(
    "name", ["exponential", "logistic", "squared", "log-cosh", "squared-hinge"]
)
def test_parallel_updates_reach_the_optimum(name):
    """Any smooth convex loss; with the search in far fewer passes than by proven steps alone."""
    rng = np.random.default_rng(2)
    H, y = rng.normal(size=(30, 6)), rng.choice([-1.0, 1.0], 30)
    assert has_finite_minimiser(y[:, None] * H)
    cd = CoordinateProblem.of(name, H, y)
    best = coordinate_descent(cd, "cyclic", max_steps=3000, tol=1e-9).values[-1]
    found = parallel_descent(cd, max_passes=300, tol=1e-8)
    assert found.values[-1] == pytest.approx(best, rel=1e-9)
    if name in ("exponential", "logistic"):
        proven = parallel_descent(cd, search=False, max_passes=2000, tol=1e-8)
        assert proven.values[-1] == pytest.approx(best, rel=1e-9)
        assert len(found.values) < len(proven.values)


@pytest.mark.parametrize("tol", [1e-1, 1e-3])
def test_passes_end_at_the_tolerance(tol):
    """The first coefficients whose projected gradient is within ``tol`` are the answer."""
    rng = np.random.default_rng(2)
    cd = CoordinateProblem.of("logistic", rng.normal(size=(30, 6)), rng.choice([-1.0, 1.0], 30))

    def violation(found):
        edges = cd.pool.edges(cd.risk.dual(cd.scores(found.coef)))
        return float(np.abs(cd.projected(cd.linear - edges, found.coef)).max())

    found = parallel_descent(cd, max_passes=300, tol=tol)
    passes = len(found.values) - 1
    assert 1 <= passes < 300
    assert violation(found) <= tol
    assert violation(parallel_descent(cd, max_passes=passes - 1, tol=0.0)) > tol


def test_one_small_coefficient_does_not_hold_up_the_others():
    """A coefficient that meets the box stays there and the rest go on to their best value."""
    H, y = np.eye(2)[[0, 0, 0, 1, 1, 1]], np.array([1.0, 1.0, -1.0, -1.0, -1.0, 1.0])
    cd = CoordinateProblem.of("logistic", H, y, low=0.0)
    found = parallel_descent(cd, start=np.array([0.0, 1e-9]), max_passes=1)
    np.testing.assert_allclose(found.coef, [np.log(2), 0.0], rtol=1e-9)


def test_bad_input():
    with pytest.raises(ValueError, match="normal: got"):
        bregman_project([1.0, 1.0], [0.0, 0.0])
    with pytest.raises(ValueError, match=r"border \(R1-D02\)"):
        bregman_project([1.0, 1.0], [1.0, 2.0])
    with pytest.raises(ValueError, match="start: got"):
        bregman_problem("logistic", np.ones((2, 1)), start=[0.5, 1.0])
    tilted = bregman_problem("exponential", [[1.0], [-1.0]], levels=0.5)
    with pytest.raises(ValueError, match="direction: got 'auxiliary'"):
        parallel_descent(tilted)
    with pytest.raises(ValueError, match="direction: got 'newton'"):
        parallel_descent(tilted, "newton")
    with pytest.raises(ValueError, match="search: got False"):
        parallel_descent(tilted, "gradient", search=False)
