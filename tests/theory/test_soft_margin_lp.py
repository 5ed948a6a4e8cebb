"""LPBoost against the full linear program: ν-property, caps, limits (ratsch-2 A3-A8, C1-C3)."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from marginboost import LPBoostClassifier
from marginboost.algorithms import LPBoost
from marginboost.core import Stop, train
from marginboost.datasets import circle_2d, flip_labels
from marginboost.oracles import FiniteOracle, matrix_sample
from marginboost.solvers import solve_margin_lp
from marginboost.solvers.soft_margin import caps, soft_margin


@st.composite
def problems(draw):
    """Small matrices of outcomes with prior weights and a ν that is feasible for them."""
    seed = draw(st.integers(0, 10**6))
    rng = np.random.default_rng(seed)
    n, m = draw(st.integers(3, 25)), draw(st.integers(2, 30))
    p = draw(st.sampled_from([0.5, 0.65, 0.8]))
    outcomes = np.where(rng.random((n, m)) < p, 1.0, -1.0)
    if draw(st.booleans()):
        outcomes *= rng.uniform(0.1, 1.0, (n, m))
    y = np.where(rng.random(n) < 0.5, 1, -1)
    prior = rng.integers(1, 4, size=n).astype(float) if draw(st.booleans()) else np.ones(n)
    nu = draw(st.one_of(st.none(), st.floats(0.05, 1.0)))
    return outcomes, y, prior / prior.sum(), nu


def solve(outcomes, y, prior, nu, solver, tol):
    sample = matrix_sample(y[:, None] * outcomes, y, prior)
    return train(sample, FiniteOracle(), LPBoost(nu, solver), max_rounds=300, tol=tol)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(problems())
def test_simplex_solves_the_full_program(problem):
    outcomes, y, prior, nu = problem
    best = solve_margin_lp(outcomes, nu, prior).value
    run = solve(*problem, "simplex", 1e-9)
    assert run.certificate.value == pytest.approx(best, abs=1e-8)
    assert run.certificate.upper == pytest.approx(best, abs=1e-8)
    assert run.stop in (Stop.GAP, Stop.NO_EDGE)
    weights = y * run.dual
    assert (weights <= caps(prior, nu) + 1e-9).all()
    assert len(run.ensemble) <= len(y)
    assert run.ensemble.coef.min() > 0


@settings(max_examples=40, deadline=None, derandomize=True)
@given(problems())
def test_smooth_brackets_the_full_program(problem):
    outcomes, _, prior, nu = problem
    best = solve_margin_lp(outcomes, nu, prior).value
    run = solve(*problem, "smooth", 1e-3)
    assert (run.history["lower"] <= best + 1e-9).all()
    assert (run.history["upper"] >= best - 1e-9).all()
    assert run.certificate.gap <= 1e-3


@settings(max_examples=100, deadline=None, derandomize=True)
@given(problems())
def test_soft_margin_is_the_best_over_rho(problem):
    """The ν-quantile attains the maximum of (4.14); a fine grid finds nothing better (C6)."""
    outcomes, _, prior, nu = problem
    margins = outcomes[:, 0]
    if nu is None:
        return
    value, rho = soft_margin(margins, prior, nu)
    grid = np.concatenate([margins, np.linspace(-1.2, 1.2, 200)])
    values = [r - prior @ np.maximum(r - margins, 0) / nu for r in grid]
    assert value == pytest.approx(max(values), abs=1e-9)
    assert rho - prior @ np.maximum(rho - margins, 0) / nu == pytest.approx(value, abs=1e-12)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(problems())
def test_nu_property(problem):
    """Margin errors weigh at most ν; rows at the margin or below weigh at least ν (C2, C3)."""
    _, y, prior, nu = problem
    if nu is None:
        return
    run = solve(*problem, "simplex", 1e-10)
    _, rho = soft_margin(run.margins, prior, nu)
    assert prior[run.margins < rho - 1e-9].sum() <= nu + 1e-9
    assert prior[run.margins <= rho + 1e-9].sum() >= nu - 1e-9
    bought_off = run.margins < rho - 1e-7
    np.testing.assert_allclose((y * run.dual)[bought_off], prior[bought_off] / nu, atol=1e-7)


def test_smallest_nu_is_the_hard_margin():
    rng = np.random.default_rng(3)
    outcomes = np.where(rng.random((20, 30)) < 0.75, 1.0, -1.0)
    y = np.ones(20)
    hard = solve(outcomes, y, np.full(20, 0.05), None, "simplex", 1e-10)
    soft = solve(outcomes, y, np.full(20, 0.05), 0.05, "simplex", 1e-10)
    assert hard.certificate.value == pytest.approx(soft.certificate.value, abs=1e-9)
    assert hard.certificate.value == pytest.approx(solve_margin_lp(outcomes).value, abs=1e-9)


def test_weights_are_copies():
    X, y = circle_2d(80)
    counts = np.random.default_rng(0).integers(0, 3, size=80)
    weighted = LPBoostClassifier(nu=0.3, tol=1e-8).fit(X, y, sample_weight=counts)
    copied = LPBoostClassifier(nu=0.3, tol=1e-8).fit(X.repeat(counts, 0), y.repeat(counts))
    assert weighted.certificate_.value == pytest.approx(copied.certificate_.value, abs=1e-7)


@pytest.mark.parametrize("solver", ["simplex", "smooth"])
def test_capped_weights_bear_label_noise(solver):
    X, y = circle_2d(600)
    noisy, flipped = flip_labels(y, 0.15, seed=1)
    model = LPBoostClassifier(nu=0.5, solver=solver).fit(X, noisy)
    assert model.certificate_.gap <= 1e-3
    assert np.abs(model.dual_).max() <= 1 / (0.5 * 600) + 1e-12
    X_test, y_test = circle_2d(3000, seed=7)
    assert model.score(X_test, y_test) > 0.9
    at_cap = np.abs(model.dual_) > 0.99 / (0.5 * 600)
    assert at_cap[flipped].mean() > 2 * at_cap[~flipped].mean()


def test_uncertified_base_learner_says_so():
    from marginboost import TreeOracle

    X, y = circle_2d(200)
    model = LPBoostClassifier(TreeOracle(max_depth=2), nu=0.2, n_estimators=20).fit(X, y)
    assert not model.certified_
    assert "need not return the largest edge" in model.certificate_.reason


@pytest.mark.parametrize("nu", [0.0, -0.1, 1.5, np.nan])
def test_nu_out_of_range(nu):
    X, y = circle_2d(30)
    with pytest.raises(ValueError, match=r"nu: got .*expected a number above 0 and at most 1"):
        LPBoostClassifier(nu=nu).fit(X, y)


def test_unknown_solver():
    X, y = circle_2d(30)
    with pytest.raises(ValueError, match="solver: got 'magic', expected one of 'auto'"):
        LPBoostClassifier(solver="magic").fit(X, y)
