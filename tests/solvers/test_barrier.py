"""Barrier methods: the toolbox, the margin problem, C-Bar.

See R1-A16 to R1-A18, R1-Q27, R1-C38; R2-A6, R2-C9 to R2-C12, R2-C27.
"""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import optimize
from scipy.optimize import linprog, minimize_scalar

from marginboost import BarrierBoostClassifier
from marginboost.algorithms import AdaBoost, ArcGV, BarrierBoost
from marginboost.checks import check_rule
from marginboost.core import Callback, Rule, Stop, train
from marginboost.datasets import circle_2d, flip_labels
from marginboost.losses import SmoothedHinge
from marginboost.oracles import FiniteOracle, matrix_sample
from marginboost.solvers import solve_margin_lp
from marginboost.solvers.barrier import (
    barrier_margin,
    barrier_minimize,
    projected_gradient,
    smoothed_margin,
)
from strategies import few, leaning_matrix, problems, recorded, stump_matrix, theory


def price_program(U, C, weights=None):
    """(4.17): least C Σα + Σ w ξ and the weights d of its dual."""
    n, m = U.shape
    w = np.ones(n) if weights is None else weights
    found = linprog(
        np.r_[np.full(m, C), w], A_ub=-np.hstack([U, np.eye(n)]), b_ub=-np.ones(n), method="highs"
    )
    return found.fun, found.x[:m], -found.ineqlin.marginals


# -- the toolbox (R1-A18) -------------------------------------------------------------------------


def corner(kind, **settings):
    """Minimise x + 2 y over x >= 1, y >= ½, x + y <= 4: at (1, ½), with multipliers (1, 2, 0)."""
    c, J, offset = np.array([1.0, 2.0]), np.array([[1.0, 0], [0, 1], [-1, -1]]), [-1.0, -0.5, 4.0]
    start = settings.pop("start", np.array([1.5, 1.0]))
    return barrier_minimize(
        lambda x: (float(c @ x), c), lambda x: (J @ x + offset, J), start, kind=kind, **settings
    )


@pytest.mark.parametrize("kind", ["log", "exponential"])
def test_barriers_find_the_corner_and_its_multipliers(kind):
    """Prop. B.1: gradients below β, β → 0; the point and the multipliers converge (R2-C27)."""
    errors = []
    for tol in (1e-2, 1e-4, 1e-6):
        solution = corner(kind, tol=tol)
        assert solution.temperature == tol
        assert solution.residual <= tol
        errors.append(np.abs(solution.point - [1, 0.5]).max())
        np.testing.assert_allclose(solution.multipliers, [1, 2, 0], atol=3 * tol)
    assert errors[0] > errors[1] > errors[2]
    assert errors[2] < 3e-6
    if kind == "log":
        assert (solution.constraints > 0).all()


def test_the_entropic_barrier_is_convex_with_a_plus_x21():
    """It holds an active constraint at exp(-1 - λ/β), so cooling ends when that is rounding."""
    solution = corner("entropic", tol=1e-6)
    assert 1e-6 < solution.temperature < 0.1
    assert solution.residual <= solution.temperature
    np.testing.assert_allclose(solution.point, [1, 0.5], atol=1e-5)
    np.testing.assert_allclose(solution.multipliers[:2], [1, 2], atol=0.2)


def test_a_start_outside():
    """Fine for the exponential barrier only; the others say which constraint is violated."""
    outside = np.array([-3.0, -5.0])
    solution = corner("exponential", start=outside, tol=1e-6)
    np.testing.assert_allclose(solution.point, [1, 0.5], atol=3e-5)
    for kind in ("log", "entropic"):
        with pytest.raises(
            ValueError, match=r"start: constraint 1 has the value -5.5, expected all"
        ):
            corner(kind, start=outside)
    with pytest.raises(ValueError, match=r"beta0: got 0.001, at which the barrier of constraint 1"):
        corner("exponential", start=outside, beta0=0.001)


def test_an_unbounded_problem_is_reported():
    with pytest.raises(RuntimeError, match="the objective has no lower bound"):
        barrier_minimize(
            lambda x: (float(x[0]), np.ones(1)), lambda x: (5 - x, -np.eye(1)), np.zeros(1)
        )


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"kind": "cubic"}, "kind: got 'cubic', expected one of 'log', 'entropic', 'exponential'"),
        ({"kind": "log", "beta0": 0.0}, "beta0: got 0.0, expected a number above 0"),
        ({"kind": "log", "factor": 1.0}, "factor: got 1.0, expected a number above 0 and below 1"),
        ({"kind": "log", "tol": -1.0}, "tol: got -1.0, expected a number above 0"),
    ],
)
def test_bad_settings_of_the_toolbox(settings, message):
    with pytest.raises(ValueError, match=message):
        corner(**settings)


@few
@given(seed=st.integers(0, 10**6), C=st.sampled_from([1.0, 3.0]))
def test_exponential_barrier_solves_the_priced_program_c27(seed, C):
    """From α = ξ = 0, outside; feasible in the limit, multipliers feasible and optimal."""
    rng = np.random.default_rng(seed)
    U = np.where(rng.random((12, 8)) < 0.65, 1.0, -1.0)
    n, m = U.shape
    best, _, _ = price_program(U, C)
    c = np.r_[np.full(m, C), np.ones(n)]
    J = np.vstack([np.hstack([U, np.eye(n)]), np.eye(n + m)])
    offset = np.r_[-np.ones(n), np.zeros(n + m)]
    for tol in (1e-3, 1e-5):
        solution = barrier_minimize(
            lambda x: (float(c @ x), c), lambda x: (J @ x + offset, J), np.zeros(n + m), tol=tol
        )
        d = solution.multipliers[:n]
        assert solution.value == pytest.approx(best, abs=30 * tol * n)
        assert solution.constraints.min() >= -30 * tol
        assert (d @ U).max() <= C + 10 * tol
        assert d.max() <= 1 + 10 * tol
        assert d.sum() == pytest.approx(best, abs=30 * tol * n)


def test_projected_gradient_vanishes_at_the_minimum_only():
    """Footnote 11: min (α - a)² over α >= 0."""
    a = np.array([0.5, -0.5])
    for coef, optimal in (([0.5, 0.0], True), ([0.5, 0.1], False), ([0.0, 0.0], False)):
        gradient = 2 * (np.array(coef) - a)
        assert (np.abs(projected_gradient(gradient, np.array(coef))).max() < 1e-12) == optimal


# -- the margin problem (R1-A16, R1-A17) ----------------------------------------------------------


@theory
@given(problem=problems())
def test_barrier_margin_brackets_the_optimum_c38(problem):
    H, y = problem
    U = H * y[:, None]
    best = solve_margin_lp(U).value
    solution = barrier_margin(U, tol=1e-3)
    assert solution.lower <= best + 1e-9
    assert solution.upper >= best - 1e-9
    assert solution.upper - solution.lower <= 1e-3
    assert solution.coef.min() >= 0
    assert solution.coef.sum() == pytest.approx(1)
    assert solution.weights.sum() == pytest.approx(1)
    margins = U @ solution.coef
    beta, rho, smallest, _ = solution.path[-1]
    assert margins.min() - beta * np.log(len(y)) - 1e-12 <= rho <= smallest + 1e-12
    np.testing.assert_allclose(solution.weights, np.exp((rho - margins) / beta), rtol=1e-9)


def test_the_path_of_v08():
    """ρ_β and the margin rise, the edge falls, with ρ* between them; golden order of R1-V08."""
    U = leaning_matrix(30, 60, 0.75, 0)
    best = solve_margin_lp(U).value
    path = barrier_margin(U, tol=1e-4).path
    beta, rho, margin, edge = path.T
    assert (np.diff(beta) < 0).all()
    assert (np.diff(rho) > 0).all()
    assert (rho <= margin).all()
    assert (margin <= best + 1e-9).all()
    assert (edge >= best - 1e-9).all()
    assert rho[0] < 0 < best - rho[-1] < 1e-3


@few
@given(problem=problems(), shift=st.sampled_from([-0.1, 0.1]))
def test_feasibility_is_answered_a17(problem, shift):
    """Can all margins exceed the target? Either a combination or weights prove the answer."""
    H, y = problem
    U = H * y[:, None]
    best = solve_margin_lp(U).value
    assume(abs(best + shift) < 1)
    solution = barrier_margin(U, target=best + shift, tol=1e-6)
    if shift < 0:
        assert (U @ solution.coef).min() > best + shift
    else:
        assert (solution.weights @ U).max() <= best + shift


def test_smoothed_margin_is_the_best_rho_of_the_barrier():
    """(2.16) in ρ: -ρ + β Σ exp((ρ - ρ_n) / β) is least at ρ_β, where the weights sum to one."""
    margins, beta = np.array([0.3, -0.1, 0.25, 0.6]), 0.2
    rho = smoothed_margin(margins, beta)
    found = minimize_scalar(
        lambda r: -r + beta * np.exp((r - margins) / beta).sum(), bracket=(-1, 0), tol=1e-12
    )
    assert rho == pytest.approx(found.x, abs=1e-6)
    assert np.exp((rho - margins) / beta).sum() == pytest.approx(1)


def test_the_search_is_told_the_slope_of_its_value(monkeypatch):
    """Also where the coefficients do not sum to one, as within a search."""
    slopes, original = [], optimize.minimize

    def watched(function, start, **settings):
        raw = 3.0 * start + 0.1 * np.arange(len(start))
        for at in (start, raw):
            moved = [
                (function(at + h)[0] - function(at - h)[0]) / 2e-6 for h in 1e-6 * np.eye(len(at))
            ]
            slopes.append((function(at)[1], moved))
        return original(function, start, **settings)

    monkeypatch.setattr(optimize, "minimize", watched)
    barrier_margin(leaning_matrix(12, 5, 0.75, 3), beta0=0.5, tol=0.1)
    assert len(slopes) >= 2
    for told, found in slopes:
        np.testing.assert_allclose(told, found, atol=1e-6)


def test_arc_gv_is_a_barrier_method():
    """Its weights are the multipliers (2.19) at β = 1/Σα; its step minimises (2.18)."""
    U = leaning_matrix(12, 20, 0.75, 3)
    run, record = recorded(U, np.ones(12), ArcGV(), 12)
    for t in range(1, len(record.scores)):
        F, length = record.scores[t - 1], record.l1_norms[t - 1]
        weights = np.exp(smoothed_margin(F / length, 1 / length) * length - F)
        np.testing.assert_allclose(weights / weights.sum(), record.duals[t], atol=1e-12)
        member = run.ensemble.members[t] if t < len(run.ensemble) else record.members[t]
        u, rho = U[:, member.index], max(0.0, *record.min_margins[:t])
        found = minimize_scalar(
            lambda a, F=F, u=u, rho=rho, s=length: np.exp(rho * (s + a) - F - a * u).sum(),
            bounds=(0, 20),
            method="bounded",
            options={"xatol": 1e-10},
        )
        assert record.coef[t] == pytest.approx(found.x, abs=1e-5)


def test_adaboost_with_a_target_is_the_feasibility_barrier():
    """(2.21) at β = 1/Σα, leading β dropped, falls with every step of AdaBoost_ϱ."""
    U, target = leaning_matrix(15, 20, 0.75, 5), 0.1
    _, record = recorded(U, np.ones(15), AdaBoost(target_margin=target), 10)
    barrier = [
        np.exp(target * length - F).sum()
        for F, length in zip(record.scores, record.l1_norms, strict=True)
    ]
    assert (np.diff([15.0, *barrier]) < 0).all()


# -- C-Bar (R2-A6) --------------------------------------------------------------------------------


@theory
@given(m=st.floats(-3, 3), beta=st.floats(0.05, 2))
def test_the_slack_is_eliminated_exactly_c9(m, beta):
    """(4.19) minimises (4.18) in ξ, and leaves (4.20): the smoothed hinge plus β."""

    def barrier(xi):
        return xi + beta * (np.exp(-xi / beta) + np.exp(-(xi + m - 1) / beta))

    xi = beta * np.log1p(np.exp((1 - m) / beta))
    found = minimize_scalar(barrier, bracket=(xi - beta, xi + beta), tol=1e-12)
    assert barrier(xi) <= found.fun + 1e-12
    assert barrier(xi) == pytest.approx(SmoothedHinge(beta).value(np.array(m)) + beta, abs=1e-12)


@st.composite
def priced(draw):
    H, y = draw(problems())
    weights = draw(st.sampled_from([False, True]))
    counts = np.random.default_rng(len(y)).integers(1, 4, size=len(y)).astype(float)
    return H, y, counts if weights else np.ones(len(y)), draw(st.sampled_from([0.3, 1.0, 3.0]))


@pytest.mark.parametrize("steps", ["newton", "coordinate"])
@few
@given(problem=priced())
def test_reaches_the_linear_program_c10_c12(steps, problem):
    """Bounds hold in every round and close on the program's value; weights stay in their box."""
    H, y, w, C = problem
    best, _, _ = price_program(H * y[:, None], C, w)
    gain = 1 - best / w.sum()
    rule = BarrierBoost(C, steps)
    rounds, tol = (100, 1e-6) if steps == "newton" else (400, 1e-3)
    run = train(matrix_sample(H, y, w), FiniteOracle(), rule, max_rounds=rounds, tol=tol)
    assert (run.history["lower"] <= gain + 1e-9).all()
    assert (run.history["upper"] >= gain - 1e-9).all()
    if steps == "newton":
        assert run.certificate.gap <= 1e-6
        assert run.certificate.value >= gain - 1e-6
    else:
        assert run.certificate.value == pytest.approx(gain, abs=0.02)
    raw = rule._dual * y
    assert (raw >= 0).all()
    assert (raw <= w).all()
    np.testing.assert_allclose(raw / raw.sum(), run.dual * y)
    assert (run.ensemble.coef > 0).all()


def sixty_stumps():
    """80 rows and 60 stumps: five cuts on each of six features, both polarities."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 6))
    y = np.where(X[:, 0] + 0.7 * X[:, 1] + 0.8 * rng.normal(size=80) > 0, 1, -1)
    cuts = np.quantile(X, np.linspace(0.1, 0.9, 5), axis=0)
    stumps = np.where(X[:, None, :] > cuts[None], 1.0, -1.0).reshape(80, 30)
    return np.hstack([stumps, -stumps]), y


class Watch(Callback):
    def on_start(self, state, oracle, rule, max_rounds):
        self.rule, self.memory = rule, []

    def on_round(self, state):
        self.memory.append(self.rule.get_state())


def smoothed_value(memory, beta, columns, y, C):
    """F_β (4.20) less its constant, of a round's coefficients."""
    coef = np.array(memory["trial"])
    m = y * (columns[:, : len(coef)] @ coef)
    return C * coef.sum() + beta * np.logaddexp(0, (1 - m) / beta).sum()


@pytest.mark.parametrize(("C", "rounds"), [(2.0, 2000), (5.0, 600), (12.0, 400)])
def test_single_steps_reach_the_program_and_need_the_wrapper_c10(C, rounds):
    """Within 1e-3 of the program; with only the best hypothesis changed, far away for ever."""

    class NoWrapper(BarrierBoost):
        def _choose(self, state, best):
            return self._places.get(best.hypothesis), abs(best.edge * self._scale - C)

    del Rule.__registry__["NoWrapper"]
    H, y = sixty_stumps()
    best, _, _ = price_program(H * y[:, None], C)
    watch = Watch()
    run = train(
        matrix_sample(H, y),
        FiniteOracle(),
        BarrierBoost(C, "coordinate"),
        max_rounds=rounds,
        callbacks=[watch],
    )
    assert 80 * (1 - run.certificate.value) == pytest.approx(best, rel=1e-3)
    assert 80 * (1 - run.certificate.upper) == pytest.approx(best, rel=1e-2)
    assert (np.diff([memory["beta"] for memory in watch.memory]) <= 0).all()
    assert watch.memory[-1]["beta"] < 0.01
    assert all(min(memory["trial"]) >= 0 for memory in watch.memory)
    falls = np.diff([sum(memory["trial"]) for memory in watch.memory]) < 0
    assert falls.any()
    stalled = train(matrix_sample(H, y), FiniteOracle(), NoWrapper(C, "coordinate"), max_rounds=400)
    assert 80 * (1 - stalled.certificate.value) > 1.02 * best


@pytest.mark.parametrize("steps", ["newton", "coordinate"])
def test_the_barrier_function_falls_between_changes_of_temperature_c10(steps):
    H, y = sixty_stumps()
    watch = Watch()
    rule = BarrierBoost(5.0, steps)
    state = {}
    watch.on_round = lambda s: (state.update(members=s.members), Watch.on_round(watch, s))[1]
    train(matrix_sample(H, y), FiniteOracle(), rule, max_rounds=150, callbacks=[watch])
    columns = np.array([m.sign * H[:, m.index] for m in state["members"]]).T
    compared = 0
    for before, after in zip(watch.memory, watch.memory[1:], strict=False):
        # The temperature falls before the step, so both are judged by the second one's.
        old, new = (
            smoothed_value(memory, after["beta"], columns, y, 5.0) for memory in (before, after)
        )
        assert new <= old + 1e-9
        compared += new < old - 1e-9
    assert compared > 5


@pytest.mark.parametrize("C", [2.0, 5.0, 12.0])
def test_newton_closes_the_gap_in_few_rounds(C):
    H, y = sixty_stumps()
    best, _, _ = price_program(H * y[:, None], C)
    run = train(matrix_sample(H, y), FiniteOracle(), BarrierBoost(C), max_rounds=60, tol=1e-6)
    assert run.stop is Stop.GAP
    assert len(run.history) <= 40
    assert 80 * (1 - run.certificate.value) == pytest.approx(best, rel=2e-6)
    assert len(run.ensemble) <= 80


def test_price_and_nu_are_two_names_of_one_solution_c4():
    """C = ν N γ*: the least value is ν N, and the normalised model has the soft margin γ*."""
    rng = np.random.default_rng(2)
    U = np.where(rng.random((50, 30)) < 0.7, 1.0, -1.0)
    nu = 0.3
    soft = solve_margin_lp(U, nu)
    run = train(
        matrix_sample(U, np.ones(50)),
        FiniteOracle(),
        BarrierBoost(nu * 50 * soft.value),
        max_rounds=200,
        tol=1e-8,
    )
    assert 50 * (1 - run.certificate.value) == pytest.approx(nu * 50, rel=1e-6)
    margins = np.sort(run.margins)
    rho = margins[int(np.ceil(nu * 50)) - 1]
    achieved = rho - np.maximum(rho - margins, 0).sum() / (nu * 50)
    assert achieved == pytest.approx(soft.value, abs=1e-5)


def test_stops_where_the_program_is_linear_but_for_rounding():
    U = leaning_matrix(20, 15, 0.7, 1)
    watch = Watch()
    run = train(
        matrix_sample(U, np.ones(20)),
        FiniteOracle(),
        BarrierBoost(2.0, factor=0.1),
        max_rounds=200,
        callbacks=[watch],
    )
    assert run.stop in (Stop.GAP, Stop.STALLED)
    assert watch.memory[-1]["beta"] <= 1e-7
    assert run.certificate.gap <= 1e-6


# -- contracts and estimator ----------------------------------------------------------------------

VARIANTS = {
    "coordinate": lambda: BarrierBoost(3.0, "coordinate", beta=0.3),
    "dear": lambda: BarrierBoost(30.0),
}


@pytest.mark.parametrize(
    "check",
    [
        pytest.param(check, id=f"{name}-{check.name}")
        for name, make in VARIANTS.items()
        for check in check_rule(make)
        if check.name != "bounds_hold_in_every_round"  # tested above, against the linear program
    ],
)
def test_variants_keep_the_contract(check):
    check()


def test_classifier_agrees_with_the_linear_program():
    X, y = circle_2d(120)
    model = BarrierBoostClassifier(C=3.0, tol=1e-7).fit(X, y)
    H = stump_matrix(X)
    best, _, _ = price_program(H * np.where(y > 0, 1, -1)[:, None], 3.0)
    assert 120 * (1 - model.certificate_.value) == pytest.approx(best, rel=1e-5)
    assert model.certified_
    chances = model.predict_proba(X)[np.argsort(model.decision_function(X)), 1]
    assert (np.diff(chances) >= 0).all()


def test_weights_are_copies():
    X, y = circle_2d(80)
    counts = np.random.default_rng(0).integers(0, 3, size=80)
    weighted = BarrierBoostClassifier(tol=1e-7).fit(X, y, sample_weight=counts)
    copied = BarrierBoostClassifier(tol=1e-7).fit(X.repeat(counts, 0), y.repeat(counts))
    assert weighted.certificate_.value == pytest.approx(copied.certificate_.value, abs=2e-7)


@pytest.mark.parametrize("n", [12, 200, 3000])
def test_defaults_suit_tables_of_any_size(n):
    """Wrong labels do not carry it away, and the answer is proven."""
    X, y = circle_2d(n)
    noisy, _ = flip_labels(y, 0.15, seed=1)
    model = BarrierBoostClassifier().fit(X, noisy)
    assert model.certificate_.gap <= 1e-3
    assert len(model.estimators_) > 1
    if n >= 200:
        X_test, y_test = circle_2d(3000, seed=7)
        assert model.score(X_test, y_test) > 0.9


def test_too_dear_is_the_empty_model():
    X, y = circle_2d(60)
    model = BarrierBoostClassifier(C=1000.0).fit(X, y)
    assert model.certificate_.value == 0.0
    assert model.certificate_.upper <= 1e-3
    assert len(model.estimators_) == 0
    assert set(model.predict(X)) == {model.classes_[0]}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"C": -1.0}, "C: got -1.0, expected a number above 0"),
        ({"steps": "big"}, "steps: got 'big', expected one of 'newton', 'coordinate'"),
        ({"beta": 0.0}, "beta: got 0.0, expected a number above 0"),
        ({"factor": 1.5}, "factor: got 1.5, expected a number above 0 and below 1"),
    ],
)
def test_bad_settings(settings, message):
    X, y = circle_2d(30)
    with pytest.raises(ValueError, match=message):
        BarrierBoostClassifier(**settings).fit(X, y)
