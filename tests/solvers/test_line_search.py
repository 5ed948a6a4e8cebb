"""The exact step of the exponential loss (eq. 2.4, R1-A10, LB-A3)."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from scipy.special import logsumexp

from marginboost.solvers import exponential_step
from marginboost.solvers.line_search import increasing_root
from strategies import targets, theory


@st.composite
def searches(draw, spread=1.0):
    """(weights, outcomes, target) with outcomes on both sides of the target: a finite minimiser."""
    n = draw(st.integers(2, 12))
    rng = np.random.default_rng(draw(st.integers(0, 2**20)))
    target = draw(targets())
    u = rng.uniform(-1, 1, n)
    u[:2] = rng.uniform(target, 1) + 1e-3, rng.uniform(-1, target) - 1e-3
    u = np.clip(u, -1, 1)
    d = np.exp(spread * rng.normal(size=n))
    return d / d.sum(), u, target


def log_loss(a, d, u, target):
    return float(logsumexp(a * (target - u), b=d))


def tilted_edge(a, d, u):
    """Edge after the update with coefficient a."""
    exponent = -a * u
    w = d * np.exp(exponent - exponent.max())
    return float(w @ u / w.sum())


@theory
@given(searches())
def test_agrees_with_scipy_lb_c1(search):
    d, u, target = search
    step = exponential_step(d, u, target)
    numeric = minimize_scalar(log_loss, args=search, bracket=(0.0, 1.0), tol=1e-12)
    assert log_loss(step, *search) <= numeric.fun + 1e-13
    assert step == pytest.approx(numeric.x, rel=1e-5, abs=1e-5)


@theory
@given(searches(spread=30.0))
def test_edge_after_the_step_is_the_target_c20_lb_c2(search):
    """R1-C20, LB-C2 for real outputs, with weights that differ by many orders of magnitude."""
    d, u, target = search
    step = exponential_step(d, u, target)
    assert math.isfinite(step)
    assert tilted_edge(step, d, u) == pytest.approx(target, abs=1e-11)
    assert np.sign(step) == np.sign(d @ u - target)


@theory
@given(searches())
def test_mirror(search):
    """Reflecting the outcomes at the target reflects the minimiser."""
    d, u, target = search
    step = exponential_step(d, u, target)
    assert exponential_step(d, 2 * target - u, target) == pytest.approx(-step, rel=1e-9, abs=1e-11)
    assert exponential_step(d, -u, -target) == pytest.approx(-step, rel=1e-9, abs=1e-11)


@theory
@given(searches(), st.sampled_from([2.0**-900, 2.0**-60, 2.0**60, 2.0**900]))
def test_scale_of_the_weights_does_not_matter(search, scale):
    d, u, target = search
    assert exponential_step(scale * d, u, target) == exponential_step(d, u, target)


@theory
@given(st.integers(1, 9), st.integers(1, 9), targets(-0.9, 0.9), st.integers(0, 2**20))
def test_closed_form_for_signs_c19(right, wrong, target, seed):
    """R1-C19: for ±1 outputs the minimiser is artanh γ - artanh ϱ, of either sign."""
    d = np.random.default_rng(seed).dirichlet(np.ones(right + wrong))
    u = np.r_[np.ones(right), -np.ones(wrong)]
    good, bad = d[:right].sum(), d[right:].sum()
    assume(min(good, bad) > 1e-12)
    closed = 0.5 * math.log(good / bad) - 0.5 * math.log((1 + target) / (1 - target))
    assert exponential_step(d, u, target) == pytest.approx(closed, rel=1e-10, abs=1e-12)


@theory
@given(searches())
def test_exact_step_is_never_shorter_than_the_closed_one_a10(search):
    """R1-A10: d/da of the tilted edge is minus a variance ≥ -(1 - edge²), as for ±1 outputs."""
    d, u, target = search
    edge = float(d @ u)
    assume(edge > target)
    closed = math.atanh(edge) - math.atanh(target)
    assert exponential_step(d, u, target) >= closed * (1 - 1e-12)


def test_one_hypothesis_v09():
    """R1-V09, exponential part: α = ½ ln 3, loss 2√3, weights 3^∓½, divergence 4 - 2√3."""
    u = np.array([1.0, 1.0, 1.0, -1.0])
    step = exponential_step(np.ones(4), u)
    assert step == pytest.approx(0.549306144334, abs=1e-12)
    weights = np.exp(-step * u)
    np.testing.assert_allclose(weights, [3**-0.5] * 3 + [3**0.5], rtol=1e-12)
    assert weights.sum() == pytest.approx(2 * math.sqrt(3), abs=1e-12)
    divergence = np.sum(weights * np.log(weights) - weights + 1)
    assert divergence == pytest.approx(4 - 2 * math.sqrt(3), abs=1e-12)
    assert divergence == pytest.approx(-(weights.sum() - 4), abs=1e-12)


@pytest.mark.parametrize("target", [-0.5, 0.0, 0.5])
def test_infinite_when_the_hypothesis_alone_meets_the_target(target):
    """R1-A10: α = ∞ iff γ > ϱ and u ≥ ϱ wherever there is weight; not only at γ = 1."""
    u = np.array([target, target + 0.1, target + 0.3])
    assert exponential_step(np.full(3, 1 / 3), u, target) == math.inf
    assert exponential_step(np.full(3, 1 / 3), 2 * target - u, target) == -math.inf
    below = np.array([target - 0.4, target + 0.1, target + 0.3])
    assert exponential_step(np.array([0.0, 0.5, 0.5]), below, target) == math.inf
    assert math.isfinite(exponential_step(np.array([1e-300, 0.5, 0.5]), below, target))


def test_zero_when_the_edge_is_the_target():
    assert exponential_step(np.array([0.5, 0.5]), np.array([1.0, -1.0])) == 0.0
    assert exponential_step(np.array([0.25, 0.75]), np.array([1.0, 0.0]), 0.25) == 0.0
    assert exponential_step(np.ones(3), np.full(3, 0.5), 0.5) == 0.0


@pytest.mark.parametrize("tiny", [1e-12, 1e-100, 1e-300])
def test_tiny_weight_on_the_wrong_side(tiny):
    step = exponential_step(np.array([1.0, tiny]), np.array([1.0, -1.0]))
    assert step == pytest.approx(-0.5 * math.log(tiny), rel=1e-12)


def test_tiny_violation_needs_a_long_step():
    """Outcome just below the target: the root lies far out and is still found."""
    d, u = np.array([0.5, 0.5]), np.array([1.0, -1e-9])
    step = exponential_step(d, u)
    # ½ e^{-a} = ½·1e-9 e^{1e-9 a}
    assert step == pytest.approx(math.log(1e9) / (1 + 1e-9), rel=1e-9)


def test_a_flat_function_is_halved():
    """Where the derivative says nothing, the bracket does."""
    steps = increasing_root(lambda a: (-1.0 if a < 0.7 else 1.0, 0.0), 0.0, 1.0)
    assert steps == pytest.approx(0.7, abs=1e-15)
    cubic = increasing_root(lambda a: (a**3 - 0.125, 3.0 * a**2), -1.0, 1.0)
    assert cubic == pytest.approx(0.5, abs=1e-14)


@theory
@given(searches())
def test_slope_of_the_stage_objective_at_zero_ch_c8(search):
    """Of ``J(α) = Σ d exp(-α y h)`` it is -(1 - 2ε), minus the edge: negative where ε < ½."""
    d, u, _ = search
    signs = np.where(u > 0.0, 1.0, -1.0)
    error, small = float(d[signs < 0].sum()), 1e-6
    assume(abs(error - 0.5) > 1e-3)
    objective = [float(d @ np.exp(-a * signs)) for a in (small, -small)]
    slope = (objective[0] - objective[1]) / (2.0 * small)
    assert slope == pytest.approx(-(1.0 - 2.0 * error), abs=1e-9)
    assert (exponential_step(d, signs) > 0.0) == (slope < 0.0) == (error < 0.5)


def test_rounding_does_not_send_a_settled_search_back_to_halving():
    calls = []

    def noisy(a):
        calls.append(a)
        return (a - 0.3) - 1e-17, 1.0  # never 0: at the root it still says that it is above

    found = {}
    for settled in (0.0, 1e-11):
        calls.clear()
        assert increasing_root(noisy, 0.0, 1e6, settled=settled) == pytest.approx(0.3, abs=1e-10)
        found[settled] = len(calls)
    assert found[1e-11] <= 5 < found[0.0]
