"""Soft margins, influence, stability, compression, comparison.

See R2-Q2 to R2-Q14, R2-C2 to R2-C9, R2-C29.
"""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog, minimize_scalar
from scipy.special import comb
from sklearn.linear_model import LogisticRegression

from marginboost import (
    AdaBoostClassifier,
    ArcGVClassifier,
    LPBoostClassifier,
    MarginalAdaBoostClassifier,
)
from marginboost.capacity import compression_bound, risk_compression_bound
from marginboost.core import Callback, Stop
from marginboost.datasets import circle_2d, flip_labels
from marginboost.diagnostics import (
    InfluenceRecorder,
    average_influence,
    best_methods,
    compare_errors,
    effective_number,
    freedom_of_movement,
    important_examples,
    leave_one_out_stability,
    margin_bound,
    mean_percent,
    nu_bound,
    nu_margin,
    optimality_violation,
    smooth_slack,
    softened_margins,
    stability_bound,
)
from marginboost.solvers import solve_margin_lp

theory = settings(derandomize=True, deadline=None, max_examples=60, database=None)


@st.composite
def cuts(draw, weighted=True):
    """Margins, weights and ν; margins with ties, ν often a multiple of the smallest weight."""
    n = draw(st.integers(1, 25))
    rng = np.random.default_rng(draw(st.integers(0, 2**20)))
    margins = rng.uniform(-1, 1, n)
    if draw(st.booleans()):
        margins = margins.round(1)
    weights = rng.integers(1, 4, n) if weighted and draw(st.booleans()) else np.ones(n)
    nu = draw(st.one_of(st.integers(1, n).map(lambda k: k / n), st.floats(0.01, 1.0)))
    return margins, weights, nu


# -- ρ, slack, soft margins ----------------------------------------------------------------------


@theory
@given(cuts())
def test_rho_solves_the_linear_program(problem):
    """(4.14) as a linear program over (ρ, ξ), by HiGHS (R2-A4, R2-C6)."""
    margins, weights, nu = problem
    p = weights / weights.sum()
    n = len(margins)
    best = -linprog(
        c=np.append(p / nu, -1.0),
        A_ub=np.column_stack([-np.eye(n), np.ones(n)]),
        b_ub=margins,
        bounds=[(0, None)] * n + [(-1, 1)],
    ).fun
    cut = nu_margin(margins, nu, sample_weight=weights)
    assert cut.value == pytest.approx(best, abs=1e-9)
    assert cut.value == pytest.approx(cut.rho - p @ cut.slack / nu, abs=1e-12)
    assert cut.rho in margins


@theory
@given(cuts(weighted=False))
def test_rho_is_the_kth_smallest_margin(problem):
    """R2-C6: k = ⌈νN⌉."""
    margins, _, nu = problem
    k = math.ceil(nu * len(margins) - 1e-9)
    assert nu_margin(margins, nu).rho == np.sort(margins)[k - 1]


@theory
@given(cuts(), st.sampled_from([0.0, 0.3]))
def test_a_floor_holds_rho_up_and_is_best_above_it(problem, floor):
    """(4.14) as printed, over ρ in [0, 1]: the objective is concave, so clipping is right."""
    margins, weights, nu = problem
    cut = nu_margin(margins, nu, sample_weight=weights, floor=floor)
    p = weights / weights.sum()
    grid = np.concatenate([np.linspace(floor, 1, 50), margins[margins >= floor]])
    values = [rho - p @ np.maximum(rho - margins, 0) / nu for rho in grid]
    assert cut.rho >= floor
    assert cut.value == pytest.approx(max(values), abs=1e-9)


@theory
@given(cuts())
def test_soft_margins_have_the_value_as_their_minimum(problem):
    """(4.15), (4.16): ρ_i + ζ_i >= ρ - cost, with equality somewhere."""
    margins, weights, nu = problem
    cut = nu_margin(margins, nu, sample_weight=weights)
    np.testing.assert_allclose(cut.soft_margins, softened_margins(margins, cut.mistrust))
    assert cut.soft_margins.min() == pytest.approx(cut.value, abs=1e-12)
    np.testing.assert_allclose(cut.soft_margins, np.maximum(margins, cut.rho) - cut.cost)


@theory
@given(cuts())
def test_nu_property(problem):
    """R2-C2: errors <= ν <= errors + on; beyond <= 1 - ν."""
    margins, weights, nu = problem
    cut = nu_margin(margins, nu, sample_weight=weights)
    parts = cut.fractions()
    assert parts.errors <= nu + 1e-9
    assert parts.errors + parts.on >= nu - 1e-9
    assert parts.beyond <= 1 - nu + 1e-9
    assert parts.errors + parts.on + parts.beyond == pytest.approx(1.0)
    share = weights / weights.sum()
    assert parts.training_error == pytest.approx(share[margins <= 0].sum())


@theory
@given(cuts(), st.data())
def test_a_weight_of_k_is_k_rows(problem, data):
    margins, weights, nu = problem
    copies = weights.astype(int) + data.draw(st.integers(0, 1)) * (np.arange(len(margins)) % 2)
    weighted = nu_margin(margins, nu, sample_weight=copies)
    repeated = nu_margin(margins.repeat(copies), nu)
    assert weighted.rho == repeated.rho
    assert weighted.value == pytest.approx(repeated.value, abs=1e-12)
    np.testing.assert_allclose(weighted.soft_margins.repeat(copies), repeated.soft_margins)
    one, other = weighted.fractions(), repeated.fractions()
    assert one.errors == pytest.approx(other.errors, abs=1e-12)
    assert one.beyond == pytest.approx(other.beyond, abs=1e-12)


def test_rows_of_weight_zero_do_not_set_rho():
    assert nu_margin([-0.9, 0.1, 0.2], 0.01, sample_weight=[0, 1, 1]).rho == 0.1


@theory
@given(cuts(), st.floats(0.5, 200.0))
def test_weights_of_nu_arc(problem, length):
    """R2-E4, Fig. 4.6: one weight for all below ρ, the largest; never above the cap p / ν.

    See R2-C7.
    """
    margins, weights, nu = problem
    cut = nu_margin(margins, nu, sample_weight=weights)
    d = cut.weights_at(length)
    p = weights / weights.sum()
    assert d.sum() == pytest.approx(1.0)
    hard = margins <= cut.rho
    np.testing.assert_allclose(d[hard] / p[hard], (d / p).max(), rtol=1e-9)
    assert (d <= p / nu * (1 + 1e-9)).all()
    easy = ~hard
    expected = (d / p).max() * np.exp(-(margins[easy] - cut.rho) * length)
    np.testing.assert_allclose(d[easy] / p[easy], expected, rtol=1e-7)


def test_lpboost_reports_the_same_rho():
    X, y = circle_2d(150)
    noisy, _ = flip_labels(y, 0.1, seed=2)
    model = LPBoostClassifier(nu=0.25, tol=1e-9).fit(X, noisy)
    cut = nu_margin(model.margins_, 0.25)
    assert cut.rho == model.rho_
    assert cut.value == pytest.approx(model.certificate_.value, abs=1e-12)


@theory
@given(st.integers(0, 2**20), st.floats(0.05, 0.9))
def test_examples_with_slack_weigh_their_cap(seed, nu):
    """R2-C3, at the optimum of the full program."""
    rng = np.random.default_rng(seed)
    outcomes = rng.uniform(-0.6, 1, (15, 8))
    solution = solve_margin_lp(outcomes, nu)
    cut = nu_margin(outcomes @ solution.coef, nu)
    short = cut.slack > 1e-7
    np.testing.assert_allclose(solution.weights[short], 1 / (nu * 15), atol=1e-8)
    beyond = cut.margins > cut.rho + 1e-7
    np.testing.assert_allclose(solution.weights[beyond], 0.0, atol=1e-8)


@theory
@given(st.floats(-3, 5), st.sampled_from([1.0, 0.1, 1e-3]), st.floats(0.0, 2.0))
def test_smooth_slack_minimises_the_barrier(outcome, beta, target):
    """(4.18) in ξ, by a numeric search; (4.19) is its minimiser; β → 0 is the slack (R2-C9)."""

    def barrier(xi):
        short = np.clip([-xi / beta, -(xi + outcome - target) / beta], -700, 700)
        return xi + beta * np.exp(short).sum()

    xi = float(smooth_slack([outcome], beta, target)[0])
    slack = max(target - outcome, 0.0)
    assert slack - 1e-12 <= xi <= slack + beta * math.log(2) + 1e-12
    found = minimize_scalar(barrier, bracket=(xi - beta, xi + beta), tol=1e-12)
    assert barrier(xi) <= found.fun + 1e-9 * (1 + abs(found.fun))


# -- bounds --------------------------------------------------------------------------------------


def test_nu_bound_is_the_margin_bound_at_rho():
    """(4.13) against its formula, and against (4.1) just below ρ."""
    margins = np.linspace(-0.2, 0.9, 500)
    nu, vc, delta = 0.3, 5.0, 0.01
    rho = np.sort(margins)[math.ceil(nu * 500) - 1]
    found = nu_bound(margins, nu, vc, delta=delta, constant=2.0)
    inside = (vc * math.log(500 / vc) ** 2 / rho**2 + math.log(1 / delta)) / 500
    assert found.theta == rho
    assert found.value == pytest.approx(nu + 2 * math.sqrt(inside), rel=1e-12)
    below = margin_bound(margins, vc, theta=rho * (1 - 1e-12), delta=delta, constant=2.0)
    assert below.value <= found.value + 1e-9


def test_nu_bound_needs_a_positive_margin():
    with pytest.raises(ValueError, match=r"nu: got 0.1, at which the margin is -0.5"):
        nu_bound([-0.5, 0.2, 0.4], 0.1, 1)


def test_compression_golden_values():
    """R1-E16, R1-V11, R2-C29, R1-C54: 24.2 % by natural logarithms, 34.9 % by binary ones."""
    assert compression_bound(200, 10) == pytest.approx(0.241811, abs=5e-7)
    assert compression_bound(200, 10, logarithm="binary") == pytest.approx(0.348860, abs=5e-7)


@pytest.mark.parametrize("n", [2000, 20000])
def test_how_many_examples_make_compression_trivial(n):
    """R1-E16: (B.10) says something up to 0.35 N, not N/2; (B.13) up to about 15 %."""
    says = [q / n for q in range(1, n, n // 200) if compression_bound(n, q) < 1]
    assert max(says) == pytest.approx(0.35, abs=0.02)
    says = [q / n for q in range(1, n, n // 400) if risk_compression_bound(n, q, 0.0) < 1]
    assert max(says) == pytest.approx(0.15, abs=0.005)


@theory
@given(st.integers(2, 60), st.data())
def test_compression_against_factorials(n, data):
    q = data.draw(st.integers(0, n - 1))
    delta, risk = data.draw(st.floats(0.001, 0.5)), data.draw(st.floats(0, 1))
    choices = math.log(comb(n, q, exact=True))
    expected = (choices + math.log(n) + math.log(1 / delta)) / (n - q)
    assert compression_bound(n, q, delta=delta) == pytest.approx(expected, rel=1e-9)
    root = math.sqrt(2 * choices + 2 * math.log(1 / delta)) / math.sqrt(n - q)
    expected = n / (n - q) * risk + 3.0 * root
    found = risk_compression_bound(n, q, risk, largest_loss=3.0, delta=delta)
    assert found == pytest.approx(expected, rel=1e-9)
    assert risk_compression_bound(
        n, q, risk, largest_loss=3.0, delta=delta, stratified=True
    ) == pytest.approx(
        risk_compression_bound(n, q, risk, largest_loss=3.0, delta=delta / n), rel=1e-9
    )


# -- optimality, freedom -------------------------------------------------------------------------


@theory
@given(st.integers(0, 2**20))
def test_no_violation_at_a_minimum_over_the_orthant(seed):
    """Nonnegative least squares: the violation vanishes at its solution and nowhere else."""
    from scipy.optimize import nnls

    rng = np.random.default_rng(seed)
    A, b = rng.normal(size=(12, 5)), rng.normal(size=12)
    x, _ = nnls(A, b)
    assert optimality_violation(A.T @ (A @ x - b), x) < 1e-8
    other = x + 0.1
    assert optimality_violation(A.T @ (A @ other - b), other) > 1e-6


@theory
@given(st.integers(0, 2**20), st.floats(0.15, 0.7))
def test_free_moves_leave_the_solution_alone(seed, nu):
    """R2-Q12, Prop. 4.3 (1a), (1b): at least J - N + 1 dimensions; α and ρ stay."""
    rng = np.random.default_rng(seed)
    n, m = 8, 14
    outcomes = rng.uniform(-0.7, 1, (n, m))
    solution = solve_margin_lp(outcomes, nu)
    freedom = freedom_of_movement(outcomes, solution.weights)
    assert freedom.promised == m - n + 1
    assert freedom.dimensions >= freedom.promised
    cut = nu_margin(outcomes @ solution.coef, nu)
    inside = np.flatnonzero(cut.slack > 1e-3)
    if inside.size == 0:
        return
    i, step = inside[0], 1e-5
    bound = np.setdiff1d(np.arange(m), freedom.free)
    for change in (
        rng.normal(size=m) * np.isin(np.arange(m), freedom.free),
        np.isin(np.arange(m), bound),
    ):
        moved = outcomes.copy()
        moved[i] += step * change
        again = solve_margin_lp(moved, nu)
        # The old α is still optimal, with the same ρ.
        still = nu_margin(np.clip(moved @ solution.coef, -1, 1), nu)
        assert still.value == pytest.approx(again.value, abs=1e-9)
        assert still.rho == pytest.approx(cut.rho, abs=1e-9)
    assert again.value == pytest.approx(solution.value + step / (nu * n), abs=1e-9)


def test_flipping_a_label_changes_the_solution():
    """Prop. 4.3 (2) is false (R2-C5): after a flip the old combination is not optimal any more."""
    worse = 0
    for seed in range(10):
        rng = np.random.default_rng(seed)
        outcomes = rng.uniform(-0.7, 1, (8, 14))
        solution = solve_margin_lp(outcomes, 0.4)
        cut = nu_margin(outcomes @ solution.coef, 0.4)
        i = int(np.argmax(cut.slack))
        flipped = outcomes.copy()
        flipped[i] *= -1
        old = nu_margin(flipped @ solution.coef, 0.4).value
        worse += old < solve_margin_lp(flipped, 0.4).value - 1e-6
    assert worse >= 8


# -- influence -----------------------------------------------------------------------------------


class Weights(Callback):
    """Keep the weights that every round was made with."""

    def on_start(self, state, oracle, rule, max_rounds):
        self.now, self.all = np.abs(state.dual).copy(), []

    def on_round(self, state):
        self.all.append(self.now)
        self.now = np.abs(state.dual).copy()


@pytest.fixture(scope="module")
def noisy():
    X, y = circle_2d(120)
    return X, flip_labels(y, 0.1, seed=0)[0]


@pytest.mark.parametrize("make", [AdaBoostClassifier, ArcGVClassifier])
def test_recorder_is_the_average_of_the_rounds(noisy, make):
    recorder, weights = InfluenceRecorder(), Weights()
    model = make(n_estimators=30, callbacks=[recorder, weights]).fit(*noisy)
    expected = average_influence(weights.all, model.history_["coef"])
    np.testing.assert_allclose(recorder.influence_, expected, atol=1e-14)
    np.testing.assert_allclose(recorder.average_weights_, np.mean(weights.all, axis=0), atol=1e-14)
    assert recorder.influence_.sum() == pytest.approx(1.0)
    assert recorder.n_rounds_ == 30


def test_influence_begins_with_the_combination(noisy):
    recorder, weights = InfluenceRecorder(), Weights()
    model = MarginalAdaBoostClassifier(
        epsilon=0.3, n_estimators=400, callbacks=[recorder, weights]
    ).fit(*noisy)
    starts = np.flatnonzero(np.diff(model.history_["length"]) < 0)
    assert starts.size
    last = slice(starts[-1] + 1, None)
    expected = average_influence(weights.all[last], model.history_["coef"][last])
    np.testing.assert_allclose(recorder.influence_, expected, atol=1e-14)


def test_influence_on_a_linear_program_is_its_multipliers(noisy):
    recorder = InfluenceRecorder()
    model = LPBoostClassifier(nu=0.3, callbacks=[recorder]).fit(*noisy)
    np.testing.assert_array_equal(recorder.influence_, np.abs(model.dual_))
    assert recorder.influence_.max() <= 1 / (0.3 * 120) + 1e-12
    assert effective_number(recorder.influence_) >= 0.3 * 120 - 1e-9


def test_nothing_added_is_no_influence():
    X, y = np.zeros((4, 1)), np.array([0, 1, 0, 1])
    recorder = InfluenceRecorder()
    model = AdaBoostClassifier(callbacks=[recorder]).fit(X, y)
    assert model.stop_reason_ is Stop.NO_EDGE
    assert recorder.influence_.tolist() == [0.0] * 4
    np.testing.assert_allclose(recorder.average_weights_, 0.25)


def test_noisy_rows_have_influence(noisy):
    X, y = circle_2d(300)
    labels, flipped = flip_labels(y, 0.1, seed=0)
    recorder = InfluenceRecorder()
    AdaBoostClassifier(n_estimators=100, callbacks=[recorder]).fit(X, labels)
    assert recorder.influence_[flipped].mean() > 2 * recorder.influence_[~flipped].mean()


@theory
@given(st.integers(0, 2**20))
def test_important_examples_and_copies(seed):
    rng = np.random.default_rng(seed)
    copies = rng.integers(1, 4, 12)
    average = rng.dirichlet(np.full(12, 0.5))
    weighted = important_examples(average, sample_weight=copies)
    repeated = important_examples((average / copies).repeat(copies))
    rows = np.arange(12).repeat(copies)
    assert sorted(set(rows[repeated])) == weighted.tolist()
    assert important_examples(average).tolist() == np.flatnonzero(average > 1 / 24).tolist()


# -- stability -----------------------------------------------------------------------------------


def test_stability_is_the_largest_change_without_a_row(noisy):
    X, y = noisy
    model = AdaBoostClassifier(n_estimators=10)
    grid = np.random.default_rng(1).normal(size=(50, 2))
    found = leave_one_out_stability(model, X, y, rows=[3, 40], grid=grid)
    assert found.rows.tolist() == [3, 40]
    whole = AdaBoostClassifier(n_estimators=10).fit(X, y).decision_function(grid)
    for row, change in zip(found.rows, found.changes, strict=True):
        keep = np.ones(len(y))
        keep[row] = 0.0  # a weight of zero is no row
        votes = AdaBoostClassifier(n_estimators=10).fit(X, y, keep).decision_function(grid)
        assert change == pytest.approx(np.abs(votes - whole).max(), abs=1e-12)
    assert found.beta == found.changes.max()


def test_stability_of_any_estimator_on_evenly_spaced_rows():
    import pandas as pd

    X, y = circle_2d(40)
    frame = pd.DataFrame(X, columns=["a", "b"])
    found = leave_one_out_stability(LogisticRegression(), frame, y, rows=4)
    assert found.rows.tolist() == [0, 10, 20, 30]
    assert (found.changes > 0).all()
    strong = leave_one_out_stability(LogisticRegression(C=1e-3), frame, y)
    assert len(strong.rows) == 40
    assert strong.beta < found.beta  # more regularised, more stable


def test_stability_bound_against_its_formula():
    margins = np.linspace(-0.5, 1, 400)
    beta, theta, delta = 1e-3, 0.2, 0.05
    root = math.sqrt(math.log(1 / delta) / 800)
    printed = stability_bound(margins, beta, theta, delta=delta, as_printed=True)
    assert printed.margin_error == pytest.approx(np.mean(margins <= theta))
    assert printed.penalty == pytest.approx(
        2 * beta / theta + 4 * 400 * beta / theta * root, rel=1e-12
    )
    full = stability_bound(margins, beta, theta, delta=delta)
    assert full.penalty - printed.penalty == pytest.approx(root, rel=1e-9)
    assert stability_bound(margins, 0.0, theta, as_printed=True).penalty == 0.0


# -- comparison ----------------------------------------------------------------------------------

METHODS = ["KNN", "C4.5", "RBF", "AB", "AB_R", "ν-Arc", "C-Bar", "SVM"]
MEANS = np.array(
    [
        [15.0, 16.1, 10.8, 12.3, 10.9, 10.8, 10.9, 11.5],
        [28.4, 24.6, 27.6, 30.4, 26.5, 25.8, 25.9, 26.0],
        [28.9, 26.0, 24.3, 26.5, 23.8, 23.7, 23.7, 23.5],
        [28.9, 28.1, 24.7, 27.5, 24.3, 24.4, 24.3, 23.6],
        [15.8, 20.4, 17.6, 20.3, 16.5, 16.5, 17.0, 16.0],
        [35.9, 15.3, 1.7, 1.9, 1.6, 1.7, 1.7, 1.7],
        [37.8, 33.2, 34.4, 35.7, 34.2, 34.4, 33.7, 32.4],
        [5.8, 8.7, 4.5, 4.4, 4.6, 4.4, 4.5, 4.8],
        [25.5, 22.9, 23.3, 22.6, 22.6, 23.0, 22.4, 22.4],
        [11.4, 17.8, 10.7, 10.8, 9.8, 10.0, 9.7, 9.9],
    ]
)
SPREADS = np.array(
    [
        [1.0, 2.8, 0.6, 0.7, 0.4, 0.5, 0.5, 0.7],
        [4.4, 4.5, 4.7, 4.7, 4.5, 4.6, 4.4, 4.7],
        [2.4, 2.4, 1.9, 2.3, 1.8, 2.0, 1.8, 1.7],
        [1.9, 2.4, 2.4, 2.5, 2.1, 2.2, 2.4, 2.1],
        [3.3, 4.6, 3.3, 3.4, 3.5, 3.6, 3.4, 3.3],
        [1.3, 1.5, 0.2, 0.3, 0.1, 0.2, 0.2, 0.1],
        [2.8, 1.9, 2.0, 1.8, 2.2, 1.9, 1.9, 1.8],
        [2.8, 3.3, 2.1, 2.2, 2.2, 2.2, 2.2, 2.2],
        [3.8, 1.5, 1.3, 1.2, 1.2, 1.4, 1.1, 1.0],
        [0.8, 1.0, 1.1, 0.6, 0.8, 0.7, 0.5, 0.4],
    ]
)


def test_mean_percent_of_table_4_1():
    """As recomputed from the printed errors; the first two are misprinted tenfold.

    See R2-Q13, R2-E7.
    """
    found = mean_percent(MEANS)
    np.testing.assert_allclose(
        found.mean, [232, 115, 6.1, 13.6, 2.9, 3.2, 3.0, 3.1], rtol=2e-3, atol=0.05
    )
    np.testing.assert_allclose(
        found.spread, [672, 263, 4.1, 8.9, 2.5, 2.3, 2.7, 3.4], rtol=2e-3, atol=0.05
    )


def test_best_methods_of_table_4_1():
    """R2-Q14, R2-E7: AB_R 8, C-Bar 8, SVM 7, ν-Arc 5, RBF 2, AB 2, KNN 1, C4.5 1."""
    best = np.array([best_methods(*row, 100) for row in zip(MEANS, SPREADS, strict=True)])
    counts = dict(zip(METHODS, best.sum(axis=0).tolist(), strict=True))
    assert counts == {
        "KNN": 1, "C4.5": 1, "RBF": 2, "AB": 2, "AB_R": 8, "ν-Arc": 5, "C-Bar": 8, "SVM": 7
    }  # fmt: skip


def test_paired_test_against_its_formula():
    rng = np.random.default_rng(0)
    first = rng.normal(10, 1, 100)
    second = first + rng.normal(0.2, 0.3, 100)
    found = compare_errors(first, second)
    change = first - second
    t = change.mean() / (change.std(ddof=1) / 10)
    from scipy.stats import t as student

    assert found.p_value == pytest.approx(2 * student.sf(abs(t), 99), rel=1e-9)
    assert found.significant
    assert found.difference < 0
    assert not compare_errors(first, second, paired=False).significant  # pairing is worth it


def test_equal_errors_do_not_differ():
    same = compare_errors([1.0, 2.0, 3.0], [1.0, 2.0, 3.0])
    assert same.p_value == 1.0
    assert not same.significant
    shifted = compare_errors([1.0, 2.0, 3.0], [2.0, 3.0, 4.0])
    assert shifted.significant


def test_methods_without_spread():
    assert best_methods([1.0, 1.0, 2.0], [0.0, 0.0, 0.0], 5).tolist() == [True, True, False]


# -- errors --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: nu_margin([0.1], 0.0), "nu: got 0.0, expected a number above 0 and at most 1"),
        (lambda: nu_margin([2.0], 0.5), r"margins: got 2, expected .* \[-1, 1\]"),
        (lambda: nu_margin([0.1], 0.5, floor=2.0), "floor: got 2.0"),
        (lambda: nu_margin([0.1], 0.5).fractions(-1.0), "tol: got -1.0"),
        (lambda: nu_margin([0.1], 0.5).weights_at(0.0), "l1_norm: got 0.0"),
        (lambda: softened_margins([0.1], [0.1, 0.2]), "got 1 margins, 2 mistrust"),
        (lambda: smooth_slack([0.1], 0.0), "temperature: got 0.0"),
        (lambda: average_influence([[1.0]], [1.0, 2.0]), r"weights: got shape \(1, 1\)"),
        (lambda: average_influence([[1.0]], [0.0]), "coef: got only zeros"),
        (lambda: optimality_violation([1.0], [-1.0]), "coef: got -1"),
        (lambda: freedom_of_movement([1.0], [1.0]), "outcomes: got shape"),
        (lambda: compression_bound(10, 10), "n_kept: got 10, expected an integer"),
        (lambda: compression_bound(10, 1, logarithm="ten"), "logarithm: got 'ten'"),
        (lambda: risk_compression_bound(10, 1, 2.0), "empirical_risk: got 2.0"),
        (lambda: stability_bound([0.1], 0.1, 0.0), "theta: got 0.0"),
        (lambda: leave_one_out_stability(None, [[0.0]], [1], rows=2), "rows: got 2"),
        (lambda: leave_one_out_stability(None, [[0.0]], [1], rows=[5]), r"rows: got \[5\]"),
        (lambda: mean_percent([1.0]), r"errors: got shape \(1,\)"),
        (lambda: mean_percent(np.ones((2, 0))), r"errors: got shape \(2, 0\)"),
        (lambda: mean_percent([[1.0, np.nan]]), r"errors: got shape \(1, 2\)"),
        (lambda: mean_percent([[1.0, np.inf]]), r"errors: got shape \(1, 2\), expected a finite"),
        (lambda: mean_percent([[1.0, 0.0]]), "errors: the smallest of data set 0 is 0"),
        (lambda: compare_errors([1.0, 2.0], [1.0, 2.0], confidence=1.0), "confidence: got 1.0"),
        (lambda: compare_errors([1.0, 2.0], [1.0, 2.0], confidence=0.0), "confidence: got 0.0"),
        (lambda: compare_errors([1.0], [1.0]), "first: got 1 error, expected at least 2"),
        (lambda: best_methods([1.0], [1.0], 1), "n_runs: got 1"),
    ],
)
def test_errors_name_the_argument(call, message):
    with pytest.raises(ValueError, match=message):
        call()
