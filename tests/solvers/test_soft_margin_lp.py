"""LPBoost against the full linear programs: every solver, both forms.

See R2-A3, R2-A4, R2-A8, R2-C1 to R2-C6.
"""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from marginboost import (
    ERLPBoostClassifier,
    LPBoostClassifier,
    NuArcClassifier,
    SoftBoostClassifier,
    TreeOracle,
)
from marginboost.algorithms import LPBoost
from marginboost.core import Stop, train
from marginboost.datasets import circle_2d, flip_labels
from marginboost.oracles import FiniteOracle, StumpOracle, matrix_sample
from marginboost.solvers import solve_margin_lp, solve_priced_margin_lp
from marginboost.solvers.masters.problem import PricedMargin, SoftMargin, caps, soft_margin
from strategies import binned_sample, few, stump_matrix, theory

SOLVERS = ["simplex", "interior", "smooth"]
EXACT = {"simplex": 1e-8, "interior": 1e-8, "smooth": 1e-6}
many = settings(theory, max_examples=60)


@st.composite
def matrices(draw):
    """Outcomes ``y h``, labels and prior weights; some real-valued, some with whole weights."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    n, m = draw(st.integers(3, 25)), draw(st.integers(2, 30))
    outcomes = np.where(rng.random((n, m)) < draw(st.sampled_from([0.5, 0.65, 0.8])), 1.0, -1.0)
    if draw(st.booleans()):
        outcomes *= rng.uniform(0.1, 1.0, (n, m))
    y = np.where(rng.random(n) < 0.5, 1, -1)
    weights = rng.integers(1, 4, size=n).astype(float) if draw(st.booleans()) else np.ones(n)
    return outcomes, y, weights


@st.composite
def problems(draw):
    """A matrix with the settings of a rule: ν that is feasible for it, no ν, or C."""
    outcomes, y, weights = draw(matrices())
    share = draw(st.floats(0.0, 1.0))
    lightest = weights.min() / weights.sum()
    form = draw(st.sampled_from(["nu", "nu", "hard", "C", "C"]))
    if form == "C":
        return outcomes, y, weights, {"C": weights.sum() * 0.005 * 100**share}
    return outcomes, y, weights, {"nu": lightest + share * (1 - lightest) if form == "nu" else None}


def run(outcomes, y, weights, form, solver, tol=1e-9, **more):
    sample = matrix_sample(y[:, None] * outcomes, y, weights)
    rule = LPBoost(solver=solver, **form)
    return train(sample, FiniteOracle(), rule, max_rounds=300, tol=tol, **more)


def optimum(outcomes, weights, nu=None, C=None):
    """Best value of the rule's objective, by SciPy on the explicit matrix."""
    if C is None:
        return solve_margin_lp(outcomes, nu, weights / weights.sum()).value
    return 1 - solve_priced_margin_lp(outcomes, C, weights).objective / weights.sum()


def printed_optimum(outcomes, prior, nu):
    """The ν-LP as it is printed, with ρ >= 0 (eq. 4.7), by SciPy; and ρ of the free one."""
    n, m = outcomes.shape
    costs = np.concatenate([np.zeros(m), prior / nu, [-1.0]])
    rows = np.hstack([-outcomes, -np.eye(n), np.ones((n, 1))])
    one = np.concatenate([np.ones(m), np.zeros(n + 1)])[None]
    found = [
        linprog(
            costs, rows, np.zeros(n), one, [1.0], bounds=[(0, None)] * (m + n) + [(least, None)]
        )
        for least in (0.0, None)
    ]
    return -found[0].fun, found[1].x[-1]


@many
@given(matrices(), st.floats(0.1, 1.0))
def test_a_sign_of_rho_matters_only_where_the_free_one_is_negative(matrix, nu):
    """R2-A3: the printed ρ >= 0 changes nothing where ours is not negative, and never helps."""
    outcomes, _, weights = matrix
    prior = weights / weights.sum()
    nu = max(nu, prior.min())
    printed, rho = printed_optimum(outcomes, prior, nu)
    ours = optimum(outcomes, weights, nu)
    assert printed <= ours + 1e-8
    if rho >= 0.0:
        assert printed == pytest.approx(ours, abs=1e-8)


def box(weights, nu=None, C=None):
    prior = weights / weights.sum()
    return prior if C is not None else caps(prior, nu)


# -- solvers against the full program ------------------------------------------------------------


@pytest.mark.parametrize("solver", SOLVERS)
@many
@given(problem=problems())
def test_solves_the_full_program(problem, solver):
    """Value and bound meet the optimum, and bracket it in every round on the way."""
    outcomes, y, weights, form = problem
    best, near = optimum(outcomes, weights, **form), EXACT[solver]
    done = run(*problem, solver, near / 2)
    assert (done.history["lower"] <= best + 1e-12).all()
    assert (done.history["upper"] >= best - 1e-12).all()
    assert done.certificate.value == pytest.approx(best, abs=near)
    assert done.certificate.upper == pytest.approx(best, abs=near)
    assert done.stop in (Stop.GAP, Stop.NO_EDGE)
    assert (done.ensemble.coef > 0).all()
    if solver == "simplex":
        assert len(done.ensemble) <= len(y)
    if "nu" in form:
        assert done.ensemble.l1_norm == pytest.approx(1.0, abs=1e-12)
        assert (y * done.dual <= box(weights, **form) + 1e-9).all()


@many
@given(problem=problems(), seed=st.integers(0, 10**6))
def test_any_combination_and_any_weights_bracket_the_optimum(problem, seed):
    """Weak duality of both programs, as the certificate uses it."""
    outcomes, _, weights, form = problem
    rng, prior = np.random.default_rng(seed), weights / weights.sum()
    priced = "C" in form
    program = (
        PricedMargin(prior, form["C"] / weights.sum()) if priced else SoftMargin(prior, **form)
    )
    best = optimum(outcomes, weights, **form)
    coef = rng.exponential(size=outcomes.shape[1]) * rng.exponential()
    assert program.value(outcomes @ coef, coef.sum()) <= best + 1e-9
    d = _capped(rng.uniform(size=len(prior)) * program.caps, program.caps)
    assert program.upper(d, (d @ outcomes).max()) >= best - 1e-9
    exact = (solve_priced_margin_lp if priced else solve_margin_lp)(
        outcomes, *([form["C"], weights] if priced else [form["nu"], prior])
    )
    d = exact.weights / exact.weights.sum()
    assert program.upper(d, (d @ outcomes).max()) == pytest.approx(best, abs=1e-8)


def _capped(d, highest):
    """Weights of sum one under their caps, near the given ones."""
    for _ in range(200):
        d = np.minimum(d / d.sum(), highest) if highest.sum() > 1 + 1e-9 else highest
    return d / d.sum()


@theory
@given(problem=problems(), excess=st.sampled_from([1e-9, 1e-3, 0.5]), seed=st.integers(0, 99))
def test_weights_above_their_caps_prove_less(problem, excess, seed):
    """The bound stays a bound where a master returned weights that are not feasible."""
    outcomes, _, weights, form = problem
    if form.get("nu") is None:
        return
    prior, nu = weights / weights.sum(), form["nu"]
    d = solve_margin_lp(outcomes, nu, prior).weights
    d = d * (1 + excess * np.random.default_rng(seed).random(len(d)))
    d /= d.sum()
    upper = SoftMargin(prior, nu).upper(d, (d @ outcomes).max())
    assert upper >= optimum(outcomes, weights, nu) - 1e-9


# -- the ν-LP ------------------------------------------------------------------------------------


@many
@given(matrices(), st.floats(0.05, 1.0))
def test_soft_margin_is_the_best_over_rho(problem, nu):
    """The ν-quantile attains the maximum of (4.14); a fine grid finds nothing better (R2-C6)."""
    outcomes, _, weights = problem
    margins, prior = outcomes[:, 0], weights / weights.sum()
    value, rho = soft_margin(margins, prior, nu)
    grid = np.concatenate([margins, np.linspace(-1.2, 1.2, 200)])
    values = [r - prior @ np.maximum(r - margins, 0) / nu for r in grid]
    assert value == pytest.approx(max(values), abs=1e-9)
    assert rho - prior @ np.maximum(rho - margins, 0) / nu == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize("solver", SOLVERS)
@theory
@given(problem=problems())
def test_nu_property(problem, solver):
    """Margin errors weigh at most ν; rows at the margin or below weigh at least ν.

    See R2-C2, R2-C3.
    """
    _, y, weights, form = problem
    if form.get("nu") is None:
        return
    prior, nu = weights / weights.sum(), form["nu"]
    done = run(*problem, solver, 1e-10)
    _, rho = soft_margin(done.margins, prior, nu)
    assert prior[done.margins < rho - 1e-6].sum() <= nu + 1e-9
    assert prior[done.margins <= rho + 1e-6].sum() >= nu - 1e-9
    bought_off = done.margins < rho - 1e-3
    full = prior[bought_off] / nu
    np.testing.assert_allclose((y * done.dual)[bought_off], full, atol=1e-5)


@pytest.mark.parametrize("solver", SOLVERS)
def test_smallest_nu_is_the_hard_margin(solver):
    rng = np.random.default_rng(3)
    outcomes = np.where(rng.random((20, 30)) < 0.75, 1.0, -1.0)
    y, ones = np.ones(20, dtype=int), np.ones(20)
    hard = run(outcomes, y, ones, {"nu": None}, solver)
    soft = run(outcomes, y, ones, {"nu": 1 / 20}, solver)
    best = solve_margin_lp(outcomes).value
    assert hard.certificate.value == pytest.approx(best, abs=1e-8)
    assert soft.certificate.value == pytest.approx(best, abs=1e-8)


@pytest.mark.parametrize(
    "make", [LPBoostClassifier, NuArcClassifier, ERLPBoostClassifier, SoftBoostClassifier]
)
@pytest.mark.parametrize(("n", "weights"), [(40, None), (3, [1.0, 2.0, 1.0])])
def test_nu_below_the_lightest_row(n, weights, make):
    """All that take ν refuse it alike; 1/N itself is a ν."""
    X, y = circle_2d(n)
    y[:2] = 0, 1
    lightest = 1 / n if weights is None else 0.25
    message = rf"nu: got 0.02, expected at least {lightest:.6g}, the share of the lightest row"
    with pytest.raises(ValueError, match=message):
        make(nu=0.02, n_estimators=5).fit(X, y, sample_weight=weights)
    model = make(nu=lightest, n_estimators=5).fit(X, y, sample_weight=weights)
    assert len(model.estimators_) > 0


# -- the C-form ----------------------------------------------------------------------------------


@pytest.mark.parametrize("solver", ["simplex", "interior"])
@theory
@given(problem=matrices(), share=st.floats(0.1, 0.9))
def test_c_is_nu_n_times_the_value(problem, share, solver):
    """R2-C4: with C = ν N γ*, (α*, ξ*) / ρ* solves the C-form, with value ν N and duals ν N d."""
    outcomes, y, weights = problem
    total, lightest = weights.sum(), weights.min() / weights.sum()
    nu = max(share, lightest)
    soft = solve_margin_lp(outcomes, nu, weights / total)
    if soft.value < 1e-3:
        return
    C = nu * total * soft.value
    _, rho = soft_margin(outcomes @ soft.coef, weights / total, nu)
    mapped = C / rho + weights @ np.maximum(1 - outcomes @ soft.coef / rho, 0)
    assert mapped == pytest.approx(nu * total, rel=1e-7)
    assert solve_priced_margin_lp(outcomes, C, weights).objective == pytest.approx(nu * total)
    duals = nu * total * soft.weights
    assert (duals <= weights + 1e-7).all()
    assert (duals @ outcomes).max() == pytest.approx(C, rel=1e-7)
    assert run(outcomes, y, weights, {"C": C}, solver).certificate.value == pytest.approx(
        1 - nu, abs=1e-8
    )


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("C", [1.0, 5.0, 10.0])
def test_c_form_on_stumps(solver, C):
    X, y = circle_2d(120)
    noisy, _ = flip_labels(y, 0.2, seed=0)
    model = LPBoostClassifier(C=C, solver=solver, tol=1e-6, max_bins=None).fit(X, noisy)
    outcomes = noisy[:, None] * stump_matrix(X)
    best = 1 - solve_priced_margin_lp(outcomes, C).objective / 120
    assert model.certificate_.lower <= best + 1e-9
    assert model.certificate_.upper >= best - 1e-9
    assert model.certificate_.gap <= 1e-6
    length = model.estimator_weights_.sum()
    assert model.rho_ == pytest.approx(1 / length)
    hinge = np.maximum(1 - noisy * model.decision_function(X) * length, 0).sum()
    assert 1 - (C * length + hinge) / 120 == pytest.approx(model.certificate_.value, abs=1e-9)
    assert np.mean(y * model.decision_function(X) > 0) > 0.6


def test_a_nu_with_no_margin_to_gain_is_told():
    """Labels by lot: with a small ν the best soft margin is about zero, and votes mean nothing."""
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, size=(200, 2)).astype(float), rng.choice([-1, 1], size=200)
    with pytest.warns(UserWarning, match=r"nu=0\.1: the soft margin reached is .* Try a larger nu"):
        LPBoostClassifier(nu=0.1).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        LPBoostClassifier(nu=0.1).fit(X, np.where(X[:, 0] > 0, 1, -1))


@pytest.mark.parametrize("solver", SOLVERS)
def test_c_above_every_edge_gives_the_empty_model(solver, tmp_path):
    """Nothing is worth its price: that is proven, said, and usable."""
    X, y = circle_2d(60)
    edge = LPBoostClassifier(C=1.0, n_estimators=1).fit(X, y).history_["edge"][0] * 60
    for C in (edge * (1 + 1e-9), 1000.0):
        with pytest.warns(UserWarning, match=r"C=.* the empty model is optimal"):
            model = LPBoostClassifier(C=C, solver=solver).fit(X, y)
        assert model.stop_reason_ is Stop.NO_EDGE
        assert model.certificate_.value == 0.0
        assert -1e-10 <= model.certificate_.lower <= 0.0  # rounded outwards
        assert 0.0 <= model.certificate_.upper <= 1e-10
        assert model.estimators_ == []
        assert model.rho_ == np.inf
        assert (model.predict(X) == -1).all()
        chances = model.predict_proba(X)
        assert np.ptp(chances, axis=0).tolist() == [0.0, 0.0]  # nothing but the classes' shares
        assert chances[0, 0] >= 0.5
        assert not model.margins_.any()
    bought = LPBoostClassifier(C=edge * 0.99, solver=solver).fit(X, y)
    assert len(bought.estimators_) > 0
    assert bought.certificate_.value > 0


@pytest.mark.parametrize("solver", SOLVERS)
def test_hypotheses_of_a_cheaper_run_are_not_kept_at_any_price(solver):
    """A run that begins with another's hypotheses ends at the same value, or at nothing."""
    rng = np.random.default_rng(0)
    outcomes, y = np.where(rng.random((30, 40)) < 0.6, 1.0, -1.0), np.ones(30, dtype=int)
    sample, cheap = matrix_sample(outcomes, y), LPBoost(solver=solver, C=1.0)
    train(sample, FiniteOracle(), cheap, max_rounds=100, tol=1e-7)
    for C in (3.0, 29.0, 100.0):
        rule = LPBoost(solver=solver, C=C)
        rule.start_from(cheap)
        done = train(sample, FiniteOracle(), rule, max_rounds=100, tol=1e-7)
        best = optimum(outcomes, np.ones(30), C=C)
        assert done.certificate.value == pytest.approx(best, abs=1e-6)
        assert (len(done.ensemble) == 0) == (C > 3.0)


# -- weights are copies --------------------------------------------------------------------------


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("form", [{"nu": 0.3}, {"C": 12.0}], ids=str)
def test_weights_are_copies(solver, form):
    X, y = circle_2d(80)
    counts = np.random.default_rng(0).integers(0, 3, size=80)
    settings_ = {"solver": solver, "tol": 1e-7, **form}
    weighted = LPBoostClassifier(**settings_).fit(X, y, sample_weight=counts)
    copied = LPBoostClassifier(**settings_).fit(X.repeat(counts, 0), y.repeat(counts))
    assert weighted.certificate_.value == pytest.approx(copied.certificate_.value, abs=1e-7)


# -- robustness (Prop. 4.3, R2-C5) ---------------------------------------------------------------


def _bought_off(outcomes, nu):
    """Solution of the ν-LP, its active columns, and a row that falls clearly short."""
    solved = solve_margin_lp(outcomes, nu)
    margins = outcomes @ solved.coef
    _, rho = soft_margin(margins, np.full(len(margins), 1 / len(margins)), nu)
    edges = solved.weights @ outcomes
    short = np.flatnonzero(margins < rho - 0.02)
    return solved, edges > solved.value - 1e-7, (int(short[0]) if short.size else None)


@st.composite
def halved(draw):
    outcomes, _, _ = draw(matrices())
    return 0.5 * outcomes, draw(st.floats(0.3, 0.8))


@theory
@given(halved(), st.integers(0, 10**6))
def test_a_row_that_falls_short_may_move_in_inactive_columns(problem, seed):
    """Prop. 4.3 (1a): neither optimum nor coefficients change."""
    outcomes, nu = problem
    solved, active, row = _bought_off(outcomes, nu)
    slack = solved.value - solved.weights @ outcomes[:, ~active]
    if row is None or active.all() or slack.min() < 1e-3:
        return
    moved = outcomes.copy()
    step = np.random.default_rng(seed).uniform(-1, 1, int((~active).sum()))
    moved[row, ~active] += step * slack * nu  # the row weighs 1 / (ν N) at most
    _assert_still_optimal(solved, moved, nu, solved.value)


@theory
@given(halved())
def test_a_row_that_falls_short_may_move_along_its_label(problem):
    """Prop. 4.3 (1b): the optimum changes by ε / (ν N), the coefficients do not."""
    outcomes, nu = problem
    solved, active, row = _bought_off(outcomes, nu)
    if row is None:
        return
    slack = solved.value - solved.weights @ outcomes[:, ~active]
    epsilon = min(0.01, 0.5 * nu * float(np.min(slack, initial=1.0)))
    moved = outcomes.copy()
    moved[row, active] += epsilon
    _assert_still_optimal(solved, moved, nu, solved.value + epsilon / (nu * len(outcomes)))


def _assert_still_optimal(solved, moved, nu, expected):
    prior = np.full(len(moved), 1 / len(moved))
    assert solve_margin_lp(moved, nu).value == pytest.approx(expected, abs=1e-8)
    assert soft_margin(moved @ solved.coef, prior, nu)[0] == pytest.approx(expected, abs=1e-8)


def test_a_flipped_label_does_change_the_solution():
    """Prop. 4.3 (2) is false: here the row falls short, and the flip makes another vote better."""
    outcomes = np.array(
        [[1, 1, -1], [1, -1, 1], [1, -1, 1], [1, 1, -1], [-1, 1, 1], [-1, -1, 1]], dtype=float
    )
    solved = solve_margin_lp(outcomes, 0.6)
    np.testing.assert_allclose(solved.coef, 1 / 3, atol=1e-9)
    assert (outcomes @ solved.coef)[5] == pytest.approx(-1 / 3)  # below ρ = 1/3
    flipped = outcomes.copy()
    flipped[5] *= -1
    assert soft_margin(flipped @ solved.coef, np.full(6, 1 / 6), 0.6)[0] == pytest.approx(1 / 3)
    assert solve_margin_lp(flipped, 0.6).value == pytest.approx(4 / 9)


# -- degenerate problems -------------------------------------------------------------------------


def _degenerate():
    rng = np.random.default_rng(0)
    half = np.arange(12) % 2
    useful = np.column_stack([np.zeros(12), half + 0.0, np.ones(12)])
    yield "constant columns", np.ones((10, 3)), np.arange(10) % 2
    yield "one useful feature", useful, half
    yield "useless", np.column_stack([half[::-1] // 1, np.zeros(12)]) * 1.0, np.arange(12) // 6
    yield "equal rows", np.zeros((4, 2)).repeat(3, 0), np.array([0, 1, 1] * 4)
    yield "two rows", np.array([[0.0], [1.0]]), np.array([0, 1])
    yield "two equal rows", np.array([[1.0], [1.0]]), np.array([0, 1])
    yield "equal columns", rng.normal(size=(15, 1)).repeat(4, 1), rng.integers(0, 2, 15)
    yield "unbalanced", np.arange(20.0)[:, None], (np.arange(20) == 7) * 1


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("form", [{"nu": 0.5}, {"nu": 1.0}, {"nu": None}, {"C": 0.3}], ids=str)
@pytest.mark.parametrize(("X", "y"), [pytest.param(X, y, id=name) for name, X, y in _degenerate()])
def test_degenerate_problems(X, y, form, solver):
    signs = 2 * y - 1
    sample = binned_sample(X, signs)
    rule = LPBoost(solver=solver, **form)
    done = train(sample, StumpOracle(), rule, max_rounds=60, tol=1e-8)
    best = optimum(signs[:, None] * stump_matrix(X), np.ones(len(y)), **form)
    assert done.certificate.lower <= best + 1e-9
    assert done.certificate.upper >= best - 1e-9
    assert done.certificate.gap <= 1e-7
    assert np.isfinite(done.ensemble.coef).all()


# -- solvers in trouble --------------------------------------------------------------------------


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("form", [{"nu": 0.4}, {"nu": None}, {"C": 20.0}], ids=str)
def test_a_time_limit_ends_the_run_with_what_it_has(solver, form):
    """No time at all: the first hypothesis is the model, and the bounds of round 1 hold."""
    X, y = circle_2d(300)
    settings_ = {"solver": solver, **form}
    model = LPBoostClassifier(solver_time_limit=1e-9, **settings_).fit(X, y)
    assert model.stop_reason_ is Stop.SOLVER
    assert model.n_iter_ == 1
    assert len(model.estimators_) == 1
    assert model.score(X, y) > 0.5
    best = LPBoostClassifier(tol=1e-6, **settings_).fit(X, y)
    assert best.stop_reason_ is not Stop.SOLVER
    assert model.certificate_.lower <= best.certificate_.upper + 1e-9
    assert model.certificate_.upper >= best.certificate_.lower - 1e-9
    least = model.certificate_.lower  # rounded outwards
    assert least <= model.certificate_.value <= least + 1e-11
    enough = LPBoostClassifier(solver_time_limit=60.0, tol=1e-6, **settings_).fit(X, y)
    assert enough.stop_reason_ is best.stop_reason_
    np.testing.assert_array_equal(enough.estimator_weights_, best.estimator_weights_)


def test_an_unsolved_master_ends_the_run_where_it_is():
    """HiGHS gives up in round 4, for want of iterations; the model of round 3 is returned."""
    X, y = circle_2d(300)
    sample = binned_sample(X, 2 * y - 1)

    class Limited(LPBoost):
        def update(self, state, found):
            if state.round == 4:
                self._master._model.setOptionValue("simplex_iteration_limit", 0)
            return super().update(state, found)

    limited = train(sample, StumpOracle(), Limited(0.3, "simplex"), max_rounds=50, tol=1e-8)
    three = train(sample, StumpOracle(), LPBoost(0.3, "simplex"), max_rounds=3, tol=1e-8)
    del LPBoost.__registry__["Limited"]
    assert limited.stop is Stop.SOLVER
    assert len(limited.history) == 4
    np.testing.assert_array_equal(limited.ensemble.coef, three.ensemble.coef)
    assert limited.ensemble.members == three.ensemble.members
    assert limited.certificate.value == three.certificate.value
    assert limited.certificate.upper <= three.certificate.upper


# -- the classifier ------------------------------------------------------------------------------


@pytest.mark.parametrize("solver", SOLVERS)
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
    X, y = circle_2d(200)
    model = LPBoostClassifier(TreeOracle(max_depth=2), nu=0.2, n_estimators=20).fit(X, y)
    assert not model.certified_
    assert "need not return the largest edge" in model.certificate_.reason


@pytest.mark.parametrize(
    ("settings_", "message"),
    [
        ({"nu": 0.0}, r"nu: got 0.0, expected a number above 0 and at most 1"),
        ({"nu": 1.5}, r"nu: got 1.5, expected a number above 0 and at most 1"),
        ({"nu": np.nan}, r"nu: got nan, expected a number above 0 and at most 1"),
        ({"C": 0.0}, r"C: got 0.0, expected a number above 0"),
        ({"C": np.inf}, r"C: got inf, expected a number above 0"),
        ({"solver": "magic"}, r"solver: got 'magic', expected one of 'auto', 'simplex', 'inter"),
        ({"solver_time_limit": 0}, r"solver_time_limit: got 0, expected a number above 0"),
    ],
    ids=str,
)
def test_bad_settings(settings_, message):
    X, y = circle_2d(30)
    with pytest.raises(ValueError, match=message):
        LPBoostClassifier(**settings_).fit(X, y)


@few
@given(st.floats(0.001, 0.2), st.integers(0, 10**6))
def test_smoothing_costs_no_more_than_it_may(beta, seed):
    """0 <= value - smoothed value <= β times the largest entropy, in both forms."""
    from marginboost.solvers.masters.packed_pool import PackedPool
    from marginboost.solvers.masters.program_rows import ProgramRows
    from marginboost.solvers.masters.smooth_descent import SmoothDescent, smoothing_cost

    rng = np.random.default_rng(seed)
    margins, y = rng.uniform(-1, 1, 40), np.where(rng.random(40) < 0.5, 1, -1).astype(np.int8)
    prior = rng.dirichlet(np.ones(40))
    nu = rng.uniform(prior.min(), 1)
    for problem in (SoftMargin(prior, nu), SoftMargin(prior, None), PricedMargin(prior, 0.1)):
        rows = ProgramRows(problem.caps, y, 1)
        rows.pool = PackedPool(40)
        rows.pool.append(y * margins)
        descent = SmoothDescent(problem.price, lambda ask, *args, rows=rows: [ask(rows, *args)])
        descent.beta = beta
        lost = problem.value(margins, 1.0) + descent.evaluate(np.ones(1))[0]
        cost = beta * smoothing_cost(problem.caps.sum(), problem.price is not None)
        assert -1e-12 <= lost <= cost + 1e-12
        if problem.price is None:
            assert rows.weights.sum() == pytest.approx(1.0, abs=1e-11)


def test_the_smooth_master_may_try_the_empty_vote():
    """A line search that is cut at zero must not divide by the sum of nothing."""
    from marginboost.solvers.masters.packed_pool import PackedPool
    from marginboost.solvers.masters.smooth import SmoothMaster

    y = np.array([1, -1, 1, -1])
    pool = PackedPool(4)
    pool.append(np.array([1, -1, -1, -1], dtype=np.int8))
    master = SmoothMaster(SoftMargin(np.full(4, 0.25), 0.5), y)
    coef, weights = master.solve(pool, np.zeros(1), 0.1)
    assert np.isfinite(coef).all()
    np.testing.assert_allclose(weights.sum(), 1.0)
