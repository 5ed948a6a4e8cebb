"""Regression with a tube against the full linear programs: every solver, every kind of tube.

See R2-A10, R2-P3 to R2-P5, R2-C13 to R2-C17, R2-C21.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from marginboost.algorithms import LPRegression
from marginboost.algorithms.gradient_boost_regressor import spread
from marginboost.core import Sample, train
from marginboost.oracles import FiniteOracle, matrix_sample
from marginboost.oracles.finite import Column
from marginboost.solvers.masters.tube import FixedTube, NuTube, QuantileTube, middle_quantile
from strategies import theory

SOLVERS = ["simplex", "interior", "smooth"]
some = settings(theory, max_examples=25)


def full_program(H, y, weights, price, epsilon=None, nu=None, quantile=None):
    """Solve (5.11), (5.12) or the pinball program with all columns at once, by HiGHS."""
    (n, m), p = H.shape, weights / weights.sum()
    up, down = (1.0, 1.0) if quantile is None else (quantile, 1.0 - quantile)
    ones, eye, none = np.ones((n, 1)), np.eye(n), np.zeros((n, n))
    matrix = np.block([[-H, -ones, -ones, -eye, none], [H, ones, -ones, none, -eye]])
    costs = np.concatenate([np.full(m, price), [0.0, nu or 0.0], up * p, down * p])
    width = (0.0, None) if nu is not None else (epsilon or 0.0,) * 2
    bounds = [(0.0, None)] * m + [(None, None), width] + [(0.0, None)] * (2 * n)
    return linprog(costs, matrix, np.concatenate([-y, y]), bounds=bounds)


@st.composite
def problems(draw):
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    n, m = draw(st.integers(3, 25)), draw(st.integers(2, 20))
    H = np.where(rng.random((n, m)) < 0.5, 1.0, -1.0)
    if draw(st.booleans()):
        H *= rng.uniform(0.1, 1.0, (n, m))
    y = 5.0 + 10.0 * rng.normal(size=n)
    weights = rng.integers(1, 4, size=n).astype(float) if draw(st.booleans()) else np.ones(n)
    kind = draw(
        st.sampled_from(
            [{"nu": 0.2}, {"nu": 0.6}, {"epsilon": 0.0}, {"epsilon": 3.0}, {"quantile": 0.8}]
        )
    )
    return np.hstack([H, -H]), y, weights, draw(st.sampled_from([0.003, 0.02, 0.1])), kind


def run(H, y, weights, price, kind, solver, tol=1e-9, **more):
    sample = Sample.of_targets(y, weights, rows=matrix_sample(H, np.ones(len(y))).rows)
    about = (kind.get(name) for name in ("epsilon", "nu", "quantile"))
    rule = LPRegression(price, *about, solver=solver)
    return sample, rule, train(sample, FiniteOracle(), rule, max_rounds=300, tol=tol, **more)


@some
@given(problems(), st.sampled_from(SOLVERS))
def test_column_generation_reaches_the_full_program_c21(problem, solver):
    H, y, weights, price, kind = problem
    best = full_program(H, y, weights, price, **kind).fun
    sample, rule, found = run(*problem, solver)
    tube, unit = rule.make_problem(sample), spread(y, sample.prior)
    history = found.history
    for bound, sense in ((history["lower"], 1.0), (history["upper"], -1.0)):
        assert (sense * ((tube.empty - bound) * unit - best) >= -1e-8 * unit).all()
    assert (tube.empty - found.certificate.value) * unit == pytest.approx(best, abs=1e-6 * unit)
    losses = history["loss"][~np.isnan(history["loss"])]  # none in a round that meets the bounds
    assert (np.diff(losses) <= 1e-9 * unit).all()


@some
@given(problems(), st.sampled_from(SOLVERS))
def test_weights_are_feasible_and_complementary_c13(problem, solver):
    """Σd = 0, |d| ≤ p, Σ|d| ≤ ν; edges at most the price, and equal to it where α > 0."""
    H, y, _, price, _ = problem
    sample, rule, found = run(*problem, solver)
    tube = rule.make_problem(sample)
    if not found.dual.any() or len(found.ensemble) < 2:
        return
    most, least, total = tube.limits
    assert found.dual.sum() == pytest.approx(0.0, abs=1e-9)
    edges = found.dual @ H
    theta = min(total, price / max(edges.max(), 1e-300))
    theta = min(theta, 1 / np.max(np.maximum(found.dual / most, -found.dual / least) / tube.caps))
    edges = theta * edges
    assert edges.max() <= price * (1 + 1e-9)
    # What a hypothesis costs more than it pulls is lost: Σα (price - edge) is within the gap.
    members = zip(found.ensemble.members, found.ensemble.coef, strict=True)
    lost = sum(c * (price - edges[h.index]) for h, c in members if isinstance(h, Column))
    assert lost <= 1e-5 * spread(y, sample.prior)


@some
@given(problems())
def test_nu_is_the_share_outside_of_the_tube_c14(problem):
    H, y, weights, price, _ = problem
    nu = 0.35
    sample, rule, found = run(H, y, weights, price, {"nu": nu}, "simplex")
    tube, unit = rule.make_problem(sample), spread(y, sample.prior)
    off = np.abs(y - found.scores)
    width = tube.width_at(off / unit) * unit
    slack = 1e-7 * unit
    assert sample.prior[off > width + slack].sum() <= nu + 1e-9
    if width > slack:
        assert sample.prior[off >= width - slack].sum() >= nu - 1e-9
    assert len(found.ensemble) <= len(y) + 1  # R2-C17, and the intercept


def test_targets_outside_may_move_freely_c15():
    """Prop. 5.1: a target outside of the tube, moved further out, changes nothing."""
    rng = np.random.default_rng(3)
    H = np.where(rng.random((30, 8)) < 0.5, 1.0, -1.0)
    y = H[:, 0] + 0.3 * rng.normal(size=30)
    problem = np.hstack([H, -H]), y, np.ones(30), 0.02, {"epsilon": 0.2}
    found = run(*problem, "simplex")[2]
    off = y - found.scores
    moved = y + np.where(off > 0.2 + 1e-6, 100.0, np.where(off < -0.2 - 1e-6, -50.0, 0.0))
    again = run(problem[0], moved, *problem[2:], "simplex")[2]
    assert (moved != y).any()
    np.testing.assert_allclose(again.scores, found.scores, atol=1e-7)
    keep = np.abs(off) >= 0.2 - 1e-6  # R2-C16: rows inside are not needed, at the same price
    smaller = full_program(problem[0][keep], y[keep], np.ones(keep.sum()), 0.02 / keep.mean(),
                           epsilon=0.2)  # fmt: skip
    whole = full_program(*problem[:4], epsilon=0.2)
    assert smaller.fun * keep.mean() == pytest.approx(whole.fun, abs=1e-9)


def test_rho_and_the_sinc_of_the_thesis():
    """R2-E10, R2-X5: C = 100 scales the loss; noise-free, ‖α‖₁ is about 2.7 and ε 0.0015."""
    x = np.random.default_rng(0).uniform(-2 * np.pi, 2 * np.pi, 50)
    y = np.sinc(x)
    H = np.exp(-((x[:, None] - x) ** 2) / 0.5)
    sample, rule, found = run(np.hstack([H, -H]), y, np.ones(50), 0.01, {"nu": 0.5}, "simplex")
    assert rule.norm(found.ensemble) == pytest.approx(2.7, abs=0.2)
    tube, unit = rule.make_problem(sample), spread(y, sample.prior)
    assert tube.width_at((y - found.scores) / unit) * unit == pytest.approx(0.0015, abs=0.001)
    dear = run(np.hstack([H, -H]), y, np.ones(50), 100.0, {"nu": 0.5}, "simplex")[2]
    assert len(dear.ensemble) <= 1  # the formula's own scaling: nothing but the intercept


@given(st.integers(0, 10**6))
@some
def test_best_tubes_are_best(seed):
    """Closed forms of intercept and width against a search over all breakpoints."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 12))
    y, w = rng.normal(size=n).round(1), rng.integers(1, 4, n).astype(float)
    p = w / w.sum()
    for tube in (
        FixedTube(y, p, 1.0, epsilon=0.3),
        NuTube(y, p, 1.0, nu=0.45),
        QuantileTube(y, p, 1.0, quantile=0.7),
    ):
        kind = {"epsilon": 0.3} if tube.width else {}
        kind = kind or ({"nu": 0.45} if isinstance(tube, NuTube) else {"quantile": 0.7})
        exact = full_program(np.zeros((n, 1)), y, w, 1.0, **kind).fun
        assert tube.empty == pytest.approx(exact, abs=1e-9)
        first = tube.first_weights()
        assert first.sum() == pytest.approx(0.0, abs=1e-12)
    copies = middle_quantile(y.repeat(w.astype(int)), np.ones(int(w.sum())), 0.3)
    assert middle_quantile(y, w, 0.3) == pytest.approx(copies)


def test_weights_out_of_balance_prove_next_to_nothing():
    """An intercept could make any gain of them: only that no cost is negative remains."""
    y = np.array([0.0, 0.0, 0.0, 1.0])
    tube = QuantileTube(y, np.full(4, 0.25), 0.1, quantile=0.5)
    assert tube.upper(np.full(4, 0.25), 0.5) == tube.empty
    assert tube.first_weights().any()
