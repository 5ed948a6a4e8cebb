"""Margins and edges in every run: the theorems of Rätsch's chapter 2.

See R1-C05 to R1-C07, R1-C15 to R1-C36, R1-C39, R1-C51.

Property tests run on small random problems with ρ* from the linear program; golden values are those
of the catalogue (R1-V03, R1-V05, R1-V06, R1-V07).
"""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from scipy.special import logsumexp

from marginboost import algorithms as boosters
from marginboost.algorithms import (
    AdaBoost,
    AdaBoostClassifier,
    AdaBoostStar,
    AdaBoostStarClassifier,
    ArcGV,
    ArcGVClassifier,
    MarginalAdaBoost,
    MarginalAdaBoostClassifier,
)
from marginboost.core import Rule, Stop, train
from marginboost.core.objective import Margin, SoftMargin
from marginboost.oracles import FiniteOracle, ResamplingOracle, StumpOracle, matrix_sample
from marginboost.solvers import solve_margin_lp
from marginboost.solvers.line_search import LONGEST
from marginboost.solvers.masters.problem import soft_margin
from strategies import (
    SLACK,
    Recorder,
    binned_sample,
    chosen_outcomes,
    entropy_two,
    few,
    flip_family,
    guaranteed_margin,
    imperfect_sign_problems,
    leaning_matrix,
    margin_errors,
    plain_adaboost,
    problems,
    product_bound,
    real_problems,
    recorded,
    run_matrix,
    sign_problems,
    stump_matrix,
    targets,
    theory,
)

VARIATIONS = {
    "AdaBoost": [
        {},
        {"target_margin": 0.3},
        {"target_margin": -0.4},
        {"target_margin": [0.4, 0.0, 0.2]},
        {"learning_rate": 0.3},
        {"learning_rate": 3.0},
        {"step": "closed"},
        {"target_margin": 0.1, "stop_at_target": True},
    ],
    "ArcGV": [{"monotone": True}, {"monotone": False}],
    "AdaBoostStar": [{"accuracy": 0.3}, {"accuracy": 0.05}],
    "MarginalAdaBoost": [
        {"epsilon": 0.3},
        {"epsilon": 0.6, "search_bound": "thesis"},
        {"epsilon": 0.3, "last_run_length": 5},
    ],
    "BaggedVote": [{}],
}

REGISTERED = {
    name: rule
    for name, rule in Rule.__registry__.items()
    if rule.__module__.startswith("marginboost.")
    and isinstance(rule().objective, Margin | SoftMargin)
}

EVERY_RULE = [
    pytest.param(rule, kwargs, id=f"{name}-{kwargs}")
    for name, rule in sorted(REGISTERED.items())
    for kwargs in VARIATIONS.get(name, [{}])
]

ROUNDS = 60


def lp_value(H, y, nu=None):
    return solve_margin_lp(H * y[:, None], nu).value


# -- the live invariant ------------------------------------------------------------------------


def test_the_rules_of_the_package_are_all_varied():
    """A new rule is still tested with its defaults; this says which deserve variations."""
    assert set(VARIATIONS) <= set(REGISTERED)


@pytest.mark.parametrize(("rule", "kwargs"), EVERY_RULE)
@few
@given(problem=problems())
def test_margins_below_the_optimum_below_edges_c07_c15_c16(rule, kwargs, problem):
    """R1-C15, R1-C16 in every round of every rule: ρ(α_t) ≤ lower ≤ ρ* ≤ upper ≤ γ(d_t)."""
    H, y = problem
    made = rule(**kwargs)
    nu = getattr(made, "nu", None)  # a rule with ν maximises the soft margin
    assume((nu or 1.0) * len(y) >= 1.0)  # less than a row cannot fall short
    best = lp_value(H, y, nu)
    run, record = recorded(H, y, made, ROUNDS)
    history, certificate = run.history, run.certificate
    assert (history["lower"] <= best + SLACK).all()
    assert (history["upper"] >= best - SLACK).all()
    assert (np.diff(history["lower"]) >= 0).all()
    assert (np.diff(history["upper"]) <= 0).all()
    assert (history["min_margin"] <= best + SLACK).all()
    assert (history["edge"] >= best - SLACK).all()
    np.testing.assert_array_equal(history["gap"], history["upper"] - history["lower"])
    assert certificate.lower <= best + SLACK
    assert certificate.upper >= best - SLACK
    assert certificate.value <= best + SLACK
    assert certificate.certified
    for t, scores in enumerate(record.scores):
        if record.l1_norms[t] > 0:
            assert (y * scores).min() / record.l1_norms[t] <= best + SLACK
    assert_model_is_what_the_run_says(run, H, y, nu)


def assert_model_is_what_the_run_says(run, H, y, nu):
    """R1-C07: margins in [-1, 1], positive where the vote is right; the certificate is true."""
    assert (np.abs(run.margins) <= 1 + 1e-12).all()
    np.testing.assert_array_equal(run.margins > 0, np.sign(run.scores) == y)
    assert (run.ensemble.coef > 0).all()
    members = run.ensemble.coef, run.ensemble.members
    scores = sum(
        (c * m.sign * H[:, m.index] for c, m in zip(*members, strict=True)),
        start=np.zeros(len(y)),
    )
    np.testing.assert_allclose(run.scores, scores, atol=1e-10)
    if len(run.ensemble):
        value, _ = soft_margin(run.margins, run.sample.prior, nu)
        assert run.certificate.value == pytest.approx(value, abs=1e-12)
        assert run.certificate.lower >= run.certificate.value - 1e-12
    assert np.abs(run.dual).sum() == pytest.approx(1, abs=1e-12)
    assert (np.sign(run.dual) * y >= 0).all()


@pytest.mark.parametrize("selection", ["worst", "random"])
@pytest.mark.parametrize("rule", [AdaBoost, ArcGV, AdaBoostStar, MarginalAdaBoost])
@few
@given(problem=imperfect_sign_problems())
def test_sandwich_holds_for_adversarial_learners_c16(rule, selection, problem):
    """R1-C16 with edges that are at least ρ* but not the largest: bounds hold, without a proof."""
    H, y = problem
    best = lp_value(H, y)
    run = run_matrix(H, y, rule(), ROUNDS, selection=selection)
    assert (run.history["edge"] >= best - 1e-8).all()
    assert (run.history["lower"] <= best + SLACK).all()
    assert (run.history["upper"] >= best - 1e-8).all()
    assert not run.certificate.certified


@pytest.mark.parametrize("rule", [AdaBoost, ArcGV, AdaBoostStar])
@few
@given(problem=imperfect_sign_problems(), seed=st.integers(0, 2**20))
def test_sandwich_with_prior_weights_c16(rule, problem, seed):
    """A prior changes the path, not the optimum."""
    H, y = problem
    best = lp_value(H, y)
    prior = np.random.default_rng(seed).dirichlet(np.full(len(y), 0.5)) + 1e-12
    run = run_matrix(H, y, rule(), ROUNDS, prior=prior)
    assert (run.history["lower"] <= best + SLACK).all()
    assert (run.history["upper"] >= best - SLACK).all()


@pytest.mark.parametrize("selection", ["best", "worst"])
@few
@given(problem=imperfect_sign_problems(max_rows=6, max_columns=6), seed=st.integers(0, 2**20))
def test_marginal_adaboost_upper_bound_with_prior_weights_c37(selection, problem, seed):
    """An unreached target proves ρ* < ϱ + ε only after as many rounds as the *prior* asks for.

    The proof needs Σ_i prior_i [ρ_i ≤ ϱ] < min prior, so T grows with ln(1 / min prior), not ln N.
    """
    H, y = problem
    best = lp_value(H, y)
    prior = 10.0 ** -np.random.default_rng(seed).uniform(0, 250, len(y))
    run = run_matrix(H, y, MarginalAdaBoost(0.25), 2000, prior=prior, selection=selection)
    assert run.certificate.upper >= best - 1e-8


# -- stumps: the class written out as a matrix -------------------------------------------------


@st.composite
def tables(draw, missing=False):
    """Rows with few distinct values, so that equal values and ties occur."""
    n, m = draw(st.integers(3, 12)), draw(st.integers(1, 3))
    rng = np.random.default_rng(draw(st.integers(0, 2**20)))
    X = rng.integers(0, draw(st.sampled_from([2, 4, 50])), (n, m)).astype(float)
    if missing:
        X[rng.random((n, m)) < 0.2] = np.nan
    y = np.where(rng.random(n) < 0.5, -1, 1)
    y[:2] = -1, 1
    return X, y


@pytest.mark.parametrize("missing", [False, True])
@theory
@given(data=st.data(), seed=st.integers(0, 2**20))
def test_stump_oracle_finds_the_largest_edge_of_the_whole_class(missing, data, seed):
    """SF-B1, LB-A1: no stump of the written-out class has a larger edge than the one returned."""
    X, y = data.draw(tables(missing=missing))
    dual = y * np.random.default_rng(seed).dirichlet(np.ones(len(y)))
    found = StumpOracle().bind(binned_sample(X, y)).best(dual)[0]
    assert found.edge == pytest.approx((dual @ stump_matrix(X)).max(), abs=1e-11)
    assert found.edge == pytest.approx(float(dual @ found.column), abs=1e-12)
    np.testing.assert_array_equal(found.hypothesis(X), found.column)


@pytest.mark.parametrize(
    "model",
    [
        AdaBoostClassifier(n_estimators=60, max_bins=None),
        AdaBoostClassifier(n_estimators=60, max_bins=None, target_margin=0.1),
        ArcGVClassifier(n_estimators=60, max_bins=None),
        ArcGVClassifier(n_estimators=60, max_bins=None, monotone=False),
        AdaBoostStarClassifier(n_estimators=60, max_bins=None),
        MarginalAdaBoostClassifier(n_estimators=30, epsilon=0.4, max_bins=None),
        boosters.BaggedVoteClassifier(n_estimators=20, max_bins=None, random_state=0),
    ],
    ids=lambda model: f"{type(model).__name__}-{model.get_params().get('monotone', '')}",
)
@few
@given(table=tables())
def test_sandwich_for_stumps_c16(model, table):
    """R1-C16 for classifiers on stumps, with ρ* of the class of all stumps."""
    X, y = table
    best = lp_value(stump_matrix(X), y)
    model.set_params(n_jobs=1).fit(X, y)
    assert (model.history_["lower"] <= best + SLACK).all()
    assert (model.history_["upper"] >= best - SLACK).all()
    assert model.margins_.min() <= best + SLACK


@few
@given(st.integers(0, 2**20))
def test_stumps_equal_the_matrix_of_all_stumps(seed):
    """The exact oracle and the finite oracle on the written-out class make the same run."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(25, 3)), np.where(rng.random(25) < 0.5, -1, 1)
    y[:2] = -1, 1
    prior = rng.uniform(0.5, 1.5, 25)  # no ties between different stumps
    by_bins = train(binned_sample(X, y, prior), StumpOracle(), AdaBoost(), max_rounds=40)
    by_matrix = run_matrix(stump_matrix(X), y, AdaBoost(), 40, prior=prior)
    for name in ("edge", "coef", "min_margin", "normaliser"):
        np.testing.assert_allclose(by_bins.history[name], by_matrix.history[name], atol=1e-9)
    np.testing.assert_allclose(by_bins.margins, by_matrix.margins, atol=1e-9)


# -- training error ----------------------------------------------------------------------------


@theory
@given(imperfect_sign_problems())
def test_training_error_bound_c05_c06(problem):
    """R1-C05: error ≤ Π √(1 - γ²) after every round. R1-C06: consistent once T > 2 ln N / γ²."""
    H, y = problem
    run, record = recorded(H, y, AdaBoost(), ROUNDS)
    edges = run.history["edge"]
    bound = np.cumprod(np.sqrt(1 - edges**2))
    added = run.history["coef"] > 0
    for t in np.flatnonzero(added):
        wrong = float(np.mean(y * record.scores[t] <= 0))
        assert wrong <= bound[t] + 1e-12
        smallest = edges[: t + 1].min()
        assert wrong <= math.exp(-(t + 1) * smallest**2 / 2) + 1e-12
        if t + 1 > 2 * math.log(len(y)) / smallest**2:
            assert wrong == 0


@theory
@given(imperfect_sign_problems(), st.sampled_from([2.0**-5, 3.0, 1000.0]))
def test_margins_do_not_depend_on_the_scale_of_coefficients_c07(problem, scale):
    H, y = problem
    run = run_matrix(H, y, AdaBoost(), 20)
    assume(len(run.ensemble))
    alpha = scale * run.ensemble.coef
    margins = chosen_outcomes(run, H, y) @ alpha / alpha.sum()
    np.testing.assert_allclose(margins, run.margins, atol=1e-12)


# -- the step ----------------------------------------------------------------------------------


@theory
@given(imperfect_sign_problems())
def test_adaboost_is_algorithm_one_c18(problem):
    """R1-C18: AdaBoost_0 makes the columns, coefficients and weights of Algorithm 1.1."""
    H, y = problem
    U = H * y[:, None]
    run, record = recorded(H, y, AdaBoost(target_margin=0.0), 30)
    chosen, errors, steps, weights = plain_adaboost(U, 30)
    history = run.history
    for t, step in enumerate(steps):
        d = np.abs(record.duals[t])
        np.testing.assert_allclose(d, weights[t], atol=1e-9)
        mine = run.ensemble.members[t].index
        assert history["error"][t] == pytest.approx(errors[t], abs=1e-9)
        assert history["coef"][t] == pytest.approx(step, abs=1e-8)
        if mine != chosen[t]:  # a tie: equally good, but from here on another path
            assert d @ U[:, mine] == pytest.approx(d @ U[:, chosen[t]], abs=1e-9)
            break
    assert len(steps) == 0 or len(run.ensemble) > 0


@theory
@given(imperfect_sign_problems(), targets())
def test_limits_that_coincide_c18_c19(problem, target):
    """Closed ≡ exact for ±1 outputs; a sequence of equal targets ≡ that target; default ≡ 0."""
    H, y = problem
    reference = run_matrix(H, y, AdaBoost(target), 25)
    for rule in (
        AdaBoost(target, step="closed"),
        AdaBoost([target]),
        AdaBoost([target] * 40),
        AdaBoost(target, learning_rate=1.0),
    ):
        other = run_matrix(H, y, rule, 25)
        for name in ("edge", "coef", "min_margin", "target"):
            np.testing.assert_array_equal(other.history[name], reference.history[name])
        np.testing.assert_array_equal(other.dual, reference.dual)
    default = run_matrix(H, y, AdaBoost(), 25)
    zero = run_matrix(H, y, AdaBoost(0.0), 25)
    np.testing.assert_array_equal(default.dual, zero.dual)


@theory
@given(sign_problems())
def test_real_valued_path_of_signs_agrees_c19(problem):
    """The line search on ±1 outputs written as reals gives the closed form (to its tolerance)."""
    H, y = problem
    shrunk = run_matrix(H * (1 - 1e-12), y, AdaBoost(), 10)
    exact = run_matrix(H, y, AdaBoost(), 10)
    t = min(len(shrunk.history), len(exact.history), 1)
    np.testing.assert_allclose(shrunk.history["edge"][:t], exact.history["edge"][:t], atol=1e-9)
    if exact.stop is not Stop.PERFECT:
        np.testing.assert_allclose(shrunk.history["coef"][:t], exact.history["coef"][:t], rtol=1e-9)


@pytest.mark.parametrize("make", [imperfect_sign_problems, real_problems])
@theory
@given(data=st.data(), target=targets())
def test_edge_after_the_update_is_the_target_c20_v07(make, data, target):
    """R1-C20, R1-V07: the hypothesis just taken has edge ϱ under the new weights, to 1e-11."""
    H, y = data.draw(make())
    run, record = recorded(H, y, AdaBoost(target), 25)
    assume(run.stop is not Stop.PERFECT)
    for t, member in enumerate(run.ensemble.members):
        if np.abs(record.duals[t]).min() < 1e-250:  # steps are not exact once weights underflow
            break
        column = member.sign * H[:, member.index]
        if (
            y * column
        ).min() >= target:  # then no weights have so small an edge, and no step is best
            continue
        edge = record.duals[t + 1] @ column
        assert edge == pytest.approx(target, abs=1e-11)


def test_run_ends_when_the_edge_is_down_to_rounding():
    """α ≤ 0 stops. An edge above ϱ by rounding only must not add hypotheses of no weight.

    See R1-A10.
    """
    single = np.array(
        [[0.22364325], [-0.18695163]]
    )  # one hypothesis: after its round the edge is 0
    run = run_matrix(single, np.ones(2), AdaBoost(), 40)
    assert (run.stop, len(run.ensemble)) == (Stop.NO_EDGE, 1)
    signs = np.ones((9, 1))
    signs[:3] = -1.0
    for target in (-0.4, 0.0, 0.1, 0.3):
        run = run_matrix(signs, np.ones(9), AdaBoost(target), 40)
        assert run.stop is Stop.NO_EDGE
        assert len(run.ensemble) <= 1
        assert (run.ensemble.coef > 1e-12).all()


@theory
@given(imperfect_sign_problems(), targets())
def test_normaliser_and_loss_identities_v07(problem, target):
    """R1-V07 to 1e-12: Z = √(1-γ²) at ϱ = 0; G/N = exp(-ΣΔ_2(ϱ, γ)); Σ prior e^{-yF} = Π Z."""
    H, y = problem
    run, record = recorded(H, y, AdaBoost(), 25)
    taken = run.history["coef"] > 0
    edges = run.history["edge"][taken]
    np.testing.assert_allclose(run.history["normaliser"][taken], np.sqrt(1 - edges**2), rtol=1e-12)
    run, record = recorded(H, y, AdaBoost(target), 25)
    taken = run.history["coef"] > 0
    edges = run.history["edge"][taken]
    entropy = np.cumsum([entropy_two(target, edge) for edge in edges])
    product = np.cumsum(np.log(run.history["normaliser"][taken]))
    for t in range(len(edges)):
        log_loss = logsumexp(-y * record.scores[t]) - math.log(len(y))
        assert log_loss == pytest.approx(product[t], abs=1e-11)
        assert target * record.l1_norms[t] + log_loss == pytest.approx(-entropy[t], abs=1e-11)


@theory
@given(imperfect_sign_problems(), targets(), st.booleans())
def test_length_of_the_coefficients_c21_c22(problem, target, real):
    """R1-C21: α ≥ γ - ϱ. R1-C22: for ±1 outputs and ϱ ≥ 0 even α ≥ (γ - ϱ) / (1 - ϱ²)."""
    H, y = problem
    if real:
        H = H * np.random.default_rng(0).uniform(0.3, 1, H.shape)
    run = run_matrix(H, y, AdaBoost(target), 30)
    assume(run.stop is not Stop.PERFECT)
    taken = run.history["coef"] > 0
    lead, coef = run.history["edge"][taken] - target, run.history["coef"][taken]
    assert (coef >= lead - 1e-12).all()
    np.testing.assert_allclose(run.history["length"][taken], np.cumsum(coef), rtol=1e-12)
    if not real and target >= 0:
        assert (coef >= lead / (1 - target**2) - 1e-12).all()
        t = np.arange(1, len(lead) + 1)
        c = float((lead * t).min()) if len(lead) else 0.0
        assert coef.sum() >= c / (1 - target**2) * np.sum(1 / t) - 1e-12


@pytest.mark.parametrize("make", [imperfect_sign_problems, real_problems])
@theory
@given(data=st.data(), target=targets(), rate=st.sampled_from([0.5, 1.0]))
def test_weights_are_the_softmax_of_the_margins_c26(make, data, target, rate):
    """R1-C26, R1-Q18: d ∝ exp(-ρ S), S the length of the coefficients."""
    H, y = data.draw(make())
    run, record = recorded(H, y, AdaBoost(target, learning_rate=rate), 25)
    assume(run.stop is not Stop.PERFECT)
    for t in np.flatnonzero(run.history["coef"] > 0):
        length = record.l1_norms[t]
        exponents = -(y * record.scores[t] / length) * length
        expected = np.exp(exponents - logsumexp(exponents))
        np.testing.assert_allclose(y * record.duals[t + 1], expected, rtol=1e-11, atol=1e-300)


@pytest.mark.slow
@pytest.mark.parametrize(
    "rule",
    [AdaBoost(), AdaBoost(0.2), AdaBoost(-0.3), ArcGV(), ArcGV(monotone=False), AdaBoostStar(0.2)],
    ids=lambda rule: f"{type(rule).__name__}-{getattr(rule, 'monotone', rule.target_margin)}",
)
@few
@given(problem=real_problems())
def test_step_minimises_the_barrier_along_its_coordinate_c39(rule, problem):
    """R1-C39: α_t = argmin_a Σ exp(ϱ_t (S + a) - U(α + a e_j)), eq. 2.18 and 2.21."""
    H, y = problem
    recorder = Recorder()
    fresh = type(rule)(**{k: v for k, v in vars(rule).items() if k in INIT[type(rule)]})
    run = run_matrix(H, y, fresh, 12, callbacks=[recorder])
    assume(run.stop is not Stop.PERFECT)
    before, length = np.zeros(len(y)), 0.0
    for t, scores in enumerate(recorder.scores):
        step, target = run.history["coef"][t], run.history["target"][t]
        u = y * (scores - before) / max(step, 1e-300)
        # A tiny step hides the column; without a row below the target there is no minimiser;
        # weights that underflow bound the step, and so does the limit of a change of scores.
        sound = np.abs(recorder.duals[t]).min() > 1e-250 and step * np.abs(u).max() < LONGEST - 1e-6
        if step > 1e-6 and u.min() < target - 1e-9 and sound:

            def barrier(a, u=u, f=y * before, s=length, target=target):
                return float(logsumexp(target * (s + a) - f - a * u))

            numeric = minimize_scalar(barrier, bracket=(0.0, 1.0), tol=1e-12)
            assert barrier(step) <= numeric.fun + 1e-12
        before, length = scores, recorder.l1_norms[t]


INIT = {AdaBoost: ("target_margin",), ArcGV: ("monotone",), AdaBoostStar: ("accuracy",)}


# -- bounds on margin errors -------------------------------------------------------------------

THETAS = np.linspace(-1, 1, 21)


@theory
@given(problems(), targets(), st.sampled_from([0.4, 1.0, 2.0]))
def test_margin_errors_by_the_product_of_normalisers_c51(problem, target, rate):
    """R1-C51: for any α ≥ 0 the share of ρ ≤ θ is at most (Π Z) exp(θ Σα)."""
    H, y = problem
    run, record = recorded(H, y, AdaBoost(target, learning_rate=rate), 30)
    assume(run.stop is not Stop.PERFECT)
    logs = np.cumsum(np.log(run.history["normaliser"]))
    for t in np.flatnonzero(run.history["coef"] > 0):
        margins = y * record.scores[t] / record.l1_norms[t]
        for theta in THETAS:
            bound = math.exp(min(700.0, logs[t] + theta * record.l1_norms[t]))
            assert margin_errors(margins, theta - 1e-12) <= bound * (1 + 1e-9)


@pytest.mark.parametrize(
    ("make", "step", "up_to"),
    [
        (imperfect_sign_problems, "exact", 1.0),
        (real_problems, "closed", 1.0),
        (real_problems, "exact", None),
    ],
    ids=["signs", "reals with the closed step", "reals with the exact step, θ ≤ ϱ"],
)
@theory
@given(data=st.data(), target=targets())
def test_margin_error_bound_c28(make, step, up_to, data, target):
    """R1-C28 (Thm 2.2): the product bound (2.10); with the exact step on reals only for θ ≤ ϱ."""
    H, y = data.draw(make())
    run, record = recorded(H, y, AdaBoost(target, step=step), 30)
    assume(run.stop is not Stop.PERFECT)
    edges = run.history["edge"]
    for t in np.flatnonzero(run.history["coef"] > 0):
        margins = y * record.scores[t] / record.l1_norms[t]
        for theta in (*THETAS, target):
            if theta <= (target if up_to is None else up_to):
                bound = product_bound(np.full(t + 1, target), edges[: t + 1], theta)
                assert margin_errors(margins, theta - 1e-12) <= bound * (1 + 1e-9)


@theory
@given(imperfect_sign_problems(), st.lists(targets(-0.5, 0.5), min_size=1, max_size=6))
def test_margin_error_bound_with_a_sequence_of_targets_c33_c34(problem, sequence):
    """R1-C33 (2.13) for all θ; R1-C34 (2.14): ≤ exp(-ΣΔ_2(ϱ_t, γ_t)) for θ ≤ min ϱ_t."""
    H, y = problem
    run, record = recorded(H, y, AdaBoost(sequence), 30)
    used = run.history["target"]
    expected = [sequence[min(t, len(sequence) - 1)] for t in range(len(used))]
    np.testing.assert_array_equal(used, expected)
    edges = run.history["edge"]
    for t in np.flatnonzero(run.history["coef"] > 0):
        margins = y * record.scores[t] / record.l1_norms[t]
        part = slice(t + 1)
        for theta in THETAS:
            bound = product_bound(used[part], edges[part], theta)
            assert margin_errors(margins, theta - 1e-12) <= bound * (1 + 1e-9)
        entropy = sum(map(entropy_two, used[part], edges[part]))
        assert margin_errors(margins, used[part].min() - 1e-12) <= math.exp(-entropy) * (1 + 1e-9)


@theory
@given(targets(-0.95, 0.95), targets(-0.95, 0.95))
def test_entropy_is_at_least_half_the_square_c34(target, edge):
    assert entropy_two(target, edge) >= 0.5 * (target - edge) ** 2 - 1e-15


@theory
@given(imperfect_sign_problems(), targets(-0.3, 0.5))
def test_constant_target_minimises_the_bound_c35(problem, theta):
    """R1-C35: θ α + ln Z after one round is smallest for the target ϱ = θ."""
    H, y = problem

    def objective(target):
        history = run_matrix(H, y, AdaBoost(target), 1).history
        return theta * history["coef"][0] + math.log(history["normaliser"][0])

    edge = run_matrix(H, y, AdaBoost(-0.99), 1).history["edge"][0]
    assume(edge > theta + 0.05)
    at_theta = objective(theta)
    for shift in (-0.3, -0.05, -0.01, 0.01, 0.04):
        assert objective(theta + shift) > at_theta - 1e-14
    assert objective(theta + 0.04) > at_theta + 1e-6


@theory
@given(problems(), targets())
def test_margin_errors_fall_with_the_length_c23_c24(problem, target):
    """R1-C23: share of ρ ≤ θ is ≤ exp((θ-ϱ) S). R1-C24: share of ρ ≤ ϱ is ≤ exp(-Σ c²/2t)."""
    H, y = problem
    run, record = recorded(H, y, AdaBoost(target), 40)
    assume(run.stop is not Stop.PERFECT)
    edges = run.history["edge"]
    for t in np.flatnonzero(run.history["coef"] > 0):
        margins = y * record.scores[t] / record.l1_norms[t]
        for gap in (0.01, 0.1, 0.5):
            bound = math.exp(-gap * record.l1_norms[t])
            assert margin_errors(margins, target - gap - 1e-12) <= bound * (1 + 1e-9)
        rounds = np.arange(1, t + 2)
        c = float(((edges[: t + 1] - target) * np.sqrt(rounds)).min())
        bound = math.exp(-(c**2) / 2 * np.sum(1 / rounds))
        assert margin_errors(margins, target - 1e-12) <= bound * (1 + 1e-9)


# -- where the margin goes ---------------------------------------------------------------------


@theory
@given(targets(-0.9, 0.9), targets(-0.9, 0.9))
def test_guaranteed_margin_lies_between_target_and_edge_c30(first, second):
    """R1-C30: ϱ ≤ m ≤ γ; m ≥ (γ+ϱ)/2 if γ+ϱ ≥ 0; m grows with ϱ."""
    target, edge = sorted((first, second))
    assume(edge - target > 0.02)
    m = guaranteed_margin(edge, target)
    assert target - 1e-12 <= m <= edge + 1e-12
    if edge + target >= 0:
        assert m >= (edge + target) / 2 - 1e-9
    assert guaranteed_margin(edge, target + 0.01) >= m - 1e-12


def test_guaranteed_margin_v01():
    """The test's own formula has the values of R1-V01: tests below lean on the right curve."""
    expected = {
        (0.1, 0.0): 0.0500837,
        (0.3, 0.0): 0.1523501,
        (0.5, 0.0): 0.2618595,
        (0.9, 0.0): 0.5640230,
        (0.5, 1 / 3): 0.4190226,
        (0.9, 1 / 3): 0.6853613,
        (0.6, 0.5): 0.5513205,
        (0.2, -0.3): -0.0522093,
    }
    for (edge, target), value in expected.items():
        assert guaranteed_margin(edge, target) == pytest.approx(value, abs=5e-8)


@pytest.mark.slow
@pytest.mark.parametrize("selection", ["best", "worst", "random"])
@few
@given(problem=imperfect_sign_problems(min_rows=3), target=st.sampled_from([-0.2, 0.0, 0.15]))
def test_limit_margin_is_at_least_the_guaranteed_one_c29(selection, problem, target):
    """If all edges are ≥ γ > ϱ the margin ends above m(γ, ϱ); here after 800.

    See R1-C29 (Cor. 2.2).
    """
    H, y = problem
    assume(lp_value(H, y) > target + 0.1)
    run = run_matrix(H, y, AdaBoost(target), 800, selection=selection)
    edge = run.history["edge"].min()
    assert run.stop is Stop.ROUNDS
    assert run.margins.min() >= guaranteed_margin(edge, target) - 0.02


@theory
@given(imperfect_sign_problems(max_columns=8), st.floats(0.02, 0.4))
def test_a_stop_without_edge_proves_the_target_unreachable_c25(problem, lead):
    """R1-C25: ϱ > ρ*: no combination reaches ϱ; a stop with NO_EDGE happens only then."""
    H, y = problem
    best = lp_value(H, y)
    for target in (best + lead, best - lead):
        assume(-0.95 < target < 0.95)
        run = run_matrix(H, y, AdaBoost(target), 300)
        assert (run.history["min_margin"] <= best + SLACK).all()
        if target > best and len(run.ensemble):
            assert run.margins.min() < target
        if run.stop is Stop.NO_EDGE:
            assert run.history["edge"][-1] <= target + 1e-12
            assert best <= target + SLACK
            assert run.history["coef"][-1] == 0
        if target < best - 1e-6:
            assert run.stop is Stop.ROUNDS


def test_unreachable_target_stops_with_best_selection_c25_v06d():
    """R1-C25, R1-E09 (d): with the best hypothesis an unreachable target ends the run soon."""
    U = leaning_matrix(40, 300, 0.6, seed=1)
    best = solve_margin_lp(U).value
    run = run_matrix(U, np.ones(40), AdaBoost(best + 0.1), 2000)
    assert run.stop is Stop.NO_EDGE
    assert best - SLACK <= run.certificate.upper <= best + 0.1 + SLACK
    at_once = run_matrix(flip_family(3), np.ones(3), AdaBoost(0.5), 10)
    assert at_once.stop is Stop.NO_EDGE
    assert (len(at_once.ensemble), len(at_once.history)) == (0, 1)
    assert (at_once.margins == 0).all()


@pytest.mark.parametrize("selection", ["best", "worst", "random"])
@few
@given(problem=imperfect_sign_problems(), epsilon=st.sampled_from([0.15, 0.3]))
def test_rounds_to_reach_a_reachable_target_c36_v05(selection, problem, epsilon):
    """Margin ϱ = ρ* - ε within ⌈2 ln N / ε²⌉ + 1 rounds, whatever is selected.

    See R1-C36 (Cor. 2.3).
    """
    H, y = problem
    target = lp_value(H, y) - epsilon
    assume(target > -0.99)
    bound = math.ceil(2 * math.log(len(y)) / epsilon**2) + 1
    rule = AdaBoost(target, stop_at_target=True)
    run = run_matrix(H, y, rule, bound, selection=selection)
    assert run.stop is Stop.TARGET
    assert run.margins.min() >= target - 1e-12


@pytest.mark.parametrize("selection", ["best", "worst"])
@pytest.mark.parametrize("epsilon", [0.3, 0.1])
def test_rounds_on_a_wide_matrix_v05(selection, epsilon):
    """R1-V05 on a matrix of its own: well below the bound, the worst selection slower."""
    U = leaning_matrix(50, 1000, 0.7, seed=2)
    rule = AdaBoost(solve_margin_lp(U).value - epsilon, stop_at_target=True)
    bound = math.ceil(2 * math.log(50) / epsilon**2) + 1
    run = run_matrix(U, np.ones(50), rule, bound, selection=selection)
    assert run.stop is Stop.TARGET
    assert 2 < len(run.history) < bound / 2


def test_rounds_on_a_wide_matrix_grow_from_best_to_worst_v05():
    U = leaning_matrix(50, 1000, 0.7, seed=2)
    rule = AdaBoost(solve_margin_lp(U).value - 0.1, stop_at_target=True)
    rounds = [
        len(run_matrix(U, np.ones(50), rule, 3000, selection=s).history) for s in ("best", "worst")
    ]
    assert rounds[1] > 1.5 * rounds[0]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("p", "seed", "target"), [(0.6, 3, 0.0), (0.7, 4, 1 / 3), (0.8, 5, 0.0), (0.8, 5, 1 / 3)]
)
def test_worst_selection_lies_on_the_curve_best_near_the_optimum_v06_c31_c57(p, seed, target):
    """R1-V06, R1-E09 in small; R1-C57: with one bound on edges limits depend on the selection."""
    U = leaning_matrix(60, 500, p, seed)
    best = solve_margin_lp(U).value
    assert best > target + 0.03
    margins = {}
    for selection in ("best", "worst"):
        run = run_matrix(U, np.ones(60), AdaBoost(target), 2500, selection=selection)
        assert (run.history["edge"] >= best - 1e-8).all()
        margins[selection] = run.margins.min()
    curve = guaranteed_margin(best, target)
    assert margins["worst"] == pytest.approx(curve, abs=0.02)
    assert margins["best"] >= best - 0.06
    assert margins["best"] >= margins["worst"] + 0.4 * (best - curve)


@pytest.mark.parametrize("n", [3, 4, 6])
def test_flip_family_adaboost_v03(n):
    """R1-V03: AdaBoost_0 approaches 1 - 2/n; n = 3: .33300 after 2000 rounds."""
    run = run_matrix(flip_family(n), np.ones(n), AdaBoost(), 2000)
    assert 0 < 1 - 2 / n - run.margins.min() < 2e-3
    if n == 3:
        assert run.margins.min() == pytest.approx(0.33300, abs=5e-6)
    assert run.certificate.upper == pytest.approx(1 - 2 / n, abs=1e-9)


@pytest.mark.parametrize("n", [3, 4, 5, 8, 12])
@pytest.mark.parametrize("scale", [1.0, 0.75])
def test_flip_family_monotone_arc_gv_v03(n, scale):
    """R1-V03: monotone Arc-GV reaches ρ* to 1e-12, and proves it."""
    run = run_matrix(scale * flip_family(n), np.ones(n), ArcGV(), 3000)
    assert run.certificate.value == pytest.approx(scale * (1 - 2 / n), abs=1e-12)
    assert run.history["gap"][-1] <= 1e-12
    assert run.certificate.gap <= 1e-11  # searches know edges to 1e-12


# -- Arc-GV ------------------------------------------------------------------------------------


@pytest.mark.parametrize("selection", ["best", "worst", "random"])
@few
@given(problem=imperfect_sign_problems())
def test_monotone_arc_gv_targets_c32(selection, problem):
    """R1-C32: ϱ_1 = 0, ϱ_t = max(ϱ_{t-1}, ρ(α_{t-1})) never falls, never passes ρ* ≥ 0."""
    H, y = problem
    best = lp_value(H, y)
    assume(best > 0.01)
    run = run_matrix(H, y, ArcGV(), 300, selection=selection)
    used = run.history["target"]
    assert used[0] == 0
    assert (np.diff(used) >= 0).all()
    assert (used <= best + SLACK).all()
    running = np.maximum.accumulate([0.0, *run.history["min_margin"][:-1]])
    np.testing.assert_allclose(used, np.clip(running, -0.99, 0.99), atol=1e-15)


@pytest.mark.parametrize("monotone", [True, False])
@few
@given(problem=imperfect_sign_problems())
def test_arc_gv_converges_to_the_optimum_c32(monotone, problem):
    """R1-C32 (Prop. B.2, B.3) with best selection: margin → ρ*; here within 0.02 after 600."""
    H, y = problem
    best = lp_value(H, y)
    assume(best > 0.0)
    run = run_matrix(H, y, ArcGV(monotone=monotone), 600)
    assert run.certificate.value >= best - 0.02
    assert run.certificate.upper <= best + 0.02


@pytest.mark.parametrize("seed", [6, 7])
def test_monotone_arc_gv_beats_the_worst_learner_c32(seed):
    """R1-C32: edges ≥ ρ* are enough, though slow: far above AdaBoost's curve after 2000 rounds."""
    U = leaning_matrix(60, 300, 0.7, seed)
    best = solve_margin_lp(U).value
    margins = [
        run_matrix(U, np.ones(60), rule, 2000, selection="worst").certificate.value
        for rule in (ArcGV(), AdaBoost())
    ]
    assert best - 0.1 <= margins[0] <= best
    assert margins[0] > margins[1] + 0.1


def test_plain_arc_gv_is_clipped_x13():
    """R1-X13: after one ±1 hypothesis the margin is -1; the target is kept away from it."""
    run = run_matrix(flip_family(5), np.ones(5), ArcGV(monotone=False), 200)
    used, coef = run.history["target"], run.history["coef"]
    assert used[0] == 0
    assert -1 < used[1] <= -0.9
    assert np.isfinite(coef).all()
    np.testing.assert_allclose(used[2:], np.clip(run.history["min_margin"][1:-1], -0.99, 0.99))
    assert run.certificate.value > 0.59


def test_plain_arc_gv_goes_on_where_the_optimum_is_negative():
    """Monotone Arc-GV needs ρ* ≥ 0; the plain form finds a negative optimum."""
    U = np.array([[1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]])
    best = solve_margin_lp(U).value
    assert best == pytest.approx(-1 / 3, abs=1e-12)
    plain = run_matrix(U, np.ones(3), ArcGV(monotone=False), 2000)
    assert plain.certificate.value == pytest.approx(best, abs=0.01)
    monotone = run_matrix(U, np.ones(3), ArcGV(), 2000)
    assert (monotone.stop, len(monotone.ensemble)) == (Stop.NO_EDGE, 0)


@pytest.mark.parametrize("n", [50, 250])
def test_arc_gv_converges_above_the_clip_c32(n):
    """R1-C32 for ρ* = 1 - 2/n: .96 and .992. A target held below ρ* leaves AdaBoost's slow rate.

    With the target free the gap after 1000 rounds is below 1e-6 for both.
    """
    run = run_matrix(flip_family(n), np.ones(n), ArcGV(), 1000)
    assert run.certificate.value == pytest.approx(1 - 2 / n, abs=1e-5)


def test_arc_gv_goes_on_after_a_hypothesis_that_meets_the_target_c32():
    """R1-C32 for real outputs: one hypothesis with all u ≥ 0 is not yet the largest margin.

    u = (1, .01) and (.01, 1): ρ* = .505. The first alone meets the target 0, so the exact step is
    infinite; stopping there returns margin .01.
    """
    U = np.array([[1.0, 0.01], [0.01, 1.0]])
    run = run_matrix(U, np.ones(2), ArcGV(), 2000)
    assert run.certificate.value >= 0.505 - 0.02


# -- AdaBoost* ---------------------------------------------------------------------------------


@pytest.mark.parametrize("selection", ["best", "worst"])
@few
@given(problem=problems(), accuracy=st.sampled_from([0.15, 0.3, 0.6]))
def test_adaboost_star_rate(selection, problem, accuracy):
    """Margin at least ρ* - ν after 2 ln N / ν² rounds; targets are the smallest edge minus ν."""
    H, y = problem
    best = lp_value(H, y)
    rounds = max(1, math.ceil(2 * math.log(len(y)) / accuracy**2))
    run = run_matrix(H, y, AdaBoostStar(accuracy), rounds, selection=selection)
    used = run.history["target"]
    expected = np.maximum(np.minimum.accumulate(run.history["edge"]) - accuracy, -1 + 1e-9)
    np.testing.assert_allclose(used, expected, atol=1e-15)
    assert (np.diff(used) <= 0).all()
    assert run.certificate.value >= best - accuracy - 1e-8


# -- perfect hypotheses and underflow ----------------------------------------------------------


@pytest.mark.parametrize("rule", [AdaBoost, ArcGV, AdaBoostStar, MarginalAdaBoost])
@few
@given(problem=imperfect_sign_problems(), late=st.booleans())
def test_a_perfect_hypothesis_is_the_whole_model(rule, problem, late):
    """R1-A03, SF-A1c: ε = 0 → f = h alone, all margins 1."""
    H, y = problem
    H = np.column_stack([H, y]) if late else np.column_stack([y, H])
    run = run_matrix(H, y, rule(), 50)
    assert run.stop is Stop.PERFECT
    assert len(run.ensemble) == 1
    assert (run.margins == 1).all()
    assert run.certificate.value == 1
    assert run.certificate.gap == pytest.approx(0, abs=1e-12)


def test_perfect_hypothesis_found_late_discards_the_rest():
    """A perfect column that a cyclic learner offers in round 3 replaces the vote before it."""
    y = np.ones(4)
    H = np.column_stack([flip_family(4)[:, :2], y])
    run = run_matrix(H, y, AdaBoost(), 10, selection="cyclic")
    assert (run.stop, len(run.history), len(run.ensemble)) == (Stop.PERFECT, 3, 1)
    assert run.ensemble.members[0].index == 2
    assert (run.margins == 1).all()


def check_sound(run, y, best):
    assert run.stop is Stop.ROUNDS
    assert np.isfinite(run.dual).all()
    assert np.abs(run.dual).sum() == pytest.approx(1, abs=1e-9)
    assert np.isfinite(run.scores).all()
    for name in ("edge", "coef", "min_margin", "length"):
        assert np.isfinite(run.history[name]).all()
    assert (run.history["coef"] > 0).all()
    assert run.certificate.value <= best + SLACK


@pytest.mark.slow
@pytest.mark.parametrize("n", [3, 200])
def test_twenty_thousand_rounds_are_sound_a10(n):
    """R1-A10 warns: weights underflow, no hypothesis is called perfect, nothing is lost."""
    U = flip_family(n)[:, : min(n, 6)]
    y = np.ones(n)
    run = run_matrix(U, y, AdaBoost(), 20_000)
    best = solve_margin_lp(U).value
    check_sound(run, y, best)
    assert run.certificate.value == pytest.approx(best, abs=1e-3)
    if n == 200:  # rows on which every hypothesis is right have lost all weight
        assert (run.dual[6:] == 0).all()


@pytest.mark.parametrize("rate", [2.0, 5.0, 50.0])
def test_large_learning_rate_is_sound_a10(rate):
    """Weights of the wrong examples underflow within a few rounds: no crash, no false perfect."""
    U = flip_family(3)
    run = run_matrix(U, np.ones(3), AdaBoost(learning_rate=rate), 500)
    check_sound(run, np.ones(3), 1 / 3)


@pytest.mark.parametrize("rate", [2.0, 5.0, 50.0])
def test_large_learning_rate_with_real_outputs_is_sound_a10(rate):
    """The same with outputs of ±0.9: "meets the target" is told by counting, not by weight."""
    U = 0.9 * flip_family(3)
    run = run_matrix(U, np.ones(3), AdaBoost(learning_rate=rate), 500)
    check_sound(run, np.ones(3), 0.3)


def test_underflowed_row_is_no_perfect_hypothesis_with_real_outputs_a10():
    """A learner that offers a new hypothesis late: wrong only where the weight has underflowed.

    Columns 0-2 alternate for 3000 rounds and leave row 3 without weight; then comes a column that
    is right on the others and wrong on row 3. Its step is long, but it is not perfect.
    """

    class Late(FiniteOracle):
        def find(self, weights, k, round):
            edges = weights.dual @ self._matrix
            j = 3 if round == 3000 else int(np.argmax(edges[:3]))
            return [self._candidate(j, float(edges[j]))]

    U = np.ones((4, 4))
    U[:3, :3] = flip_family(3)
    U[3, 3] = -1.0
    for scale in (1.0, 0.9):
        sample = matrix_sample(scale * U, np.ones(4))
        run = train(sample, Late(), AdaBoost(), max_rounds=3000)
        assert run.stop is Stop.ROUNDS, f"scale {scale}"
        assert len(run.ensemble) == 3000


def test_one_row_of_tiny_prior_is_not_forgotten():
    """A prior of 1e-250 is a weight like any other: the row is classified in the end."""
    run = run_matrix(
        flip_family(4), np.ones(4), AdaBoost(), 4000, prior=np.array([1.0, 1.0, 1.0, 1e-250])
    )
    assert run.stop is Stop.ROUNDS
    assert run.margins.min() > 0.4


# -- invariances of the estimators -------------------------------------------------------------


def noisy_table(seed, n=60, m=4):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, m))
    y = np.where(X[:, 0] + 0.7 * X[:, 1] + 0.8 * rng.normal(size=n) > 0, 1, 0)
    return X, y, rng


def classifiers():
    """Every classifier that draws nothing at random, with default stumps."""
    return [
        AdaBoostClassifier(n_estimators=40),
        AdaBoostClassifier(n_estimators=40, target_margin=-0.1, learning_rate=0.5),
        ArcGVClassifier(n_estimators=60, monotone=False),
        ArcGVClassifier(n_estimators=60),
        AdaBoostStarClassifier(accuracy=0.4),
        MarginalAdaBoostClassifier(epsilon=0.4),
        MarginalAdaBoostClassifier(epsilon=0.4, n_estimators=20),
    ]


CLASSIFIERS = pytest.mark.parametrize(
    "model", classifiers(), ids=lambda m: f"{type(m).__name__}-{m.n_estimators}"
)


@CLASSIFIERS
@pytest.mark.parametrize("seed", [0, 1])
def test_weights_equal_duplicated_rows(model, seed):
    """Integer sample_weight ≡ copies of the row; weight 0 ≡ no row."""
    X, y, rng = noisy_table(seed)
    weight = rng.integers(0, 4, len(y)).astype(float)
    copies = np.repeat(np.arange(len(y)), weight.astype(int))
    weighted = model.fit(X, y, sample_weight=weight).decision_function(X)
    coef, rounds = model.estimator_weights_, model.n_iter_
    duplicated = model.fit(X[copies], y[copies]).decision_function(X)
    assert model.n_iter_ == rounds
    np.testing.assert_allclose(model.estimator_weights_, coef, atol=1e-10)
    np.testing.assert_allclose(duplicated, weighted, atol=1e-10)


@CLASSIFIERS
def test_order_of_rows_does_not_matter(model):
    """Data without ties: the same model up to rounding of sums."""
    X, y, rng = noisy_table(2)
    order = rng.permutation(len(y))
    first = model.fit(X, y).decision_function(X)
    second = model.fit(X[order], y[order]).decision_function(X)
    np.testing.assert_allclose(second, first, atol=1e-9)


@CLASSIFIERS
def test_scaling_a_feature_by_powers_of_two_changes_nothing(model):
    """Midpoints scale exactly: votes are equal bit for bit."""
    X, y, _ = noisy_table(3)
    scale = np.array([4.0, 0.5, 1024.0, 2.0**-20])
    first = model.fit(X, y).decision_function(X)
    second = model.fit(X * scale, y).decision_function(X * scale)
    np.testing.assert_array_equal(second, first)


@CLASSIFIERS
def test_negated_labels_flip_the_votes(model):
    X, y, rng = noisy_table(4)
    new = rng.normal(size=X.shape)
    first = model.fit(X, y).decision_function(new)
    second = model.fit(X, 1 - y).decision_function(new)
    np.testing.assert_allclose(second, -first, atol=1e-12)


def test_adaboost_classifier_with_target_zero_is_adaboost_c18():
    X, y, _ = noisy_table(5)
    reference = AdaBoostClassifier(n_estimators=30).fit(X, y)
    for other in (
        AdaBoostClassifier(n_estimators=30, target_margin=0.0),
        AdaBoostClassifier(n_estimators=30, target_margin=[0.0, 0.0]),
        AdaBoostClassifier(n_estimators=30, step="closed"),
    ):
        other.fit(X, y)
        np.testing.assert_array_equal(other.estimator_weights_, reference.estimator_weights_)
        np.testing.assert_array_equal(other.decision_function(X), reference.decision_function(X))


# -- runs that prove nothing -------------------------------------------------------------------


def test_bagging_proves_nothing_and_says_so_a04():
    """R1-A04: bagging's margins are below AdaBoost's; its upper bound is the trivial one."""
    U, y = leaning_matrix(40, 200, 0.7, seed=8), np.ones(40)
    sample = matrix_sample(U, y)
    bagged = train(sample, ResamplingOracle(FiniteOracle()), boosters.BaggedVote(), max_rounds=200)
    boosted = train(sample, FiniteOracle(), AdaBoost(), max_rounds=200)
    assert bagged.certificate.upper == 1.0
    assert not bagged.certificate.certified
    assert bagged.margins.min() < boosted.margins.min()
    np.testing.assert_array_equal(bagged.ensemble.coef, 1.0)


@pytest.mark.parametrize("seed", range(5))
def test_smallest_margins_of_both_classes_become_equal_c27(seed):
    """With coefficients bounded away from 0 and ∞ and constant hypotheses at hand.

    See R1-C27 (Prop. 2.1).

    A learner that may predict one class everywhere keeps either class from carrying all weight, so
    each has a support vector, and the smallest margins of the two meet (R1-Q21).
    """
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(40) < 0.3, 1, -1)
    H = y[:, None] * np.where(rng.random((40, 80)) < 0.62, 1.0, -1.0)
    H = np.column_stack([H, np.ones(40), -np.ones(40)])
    run = run_matrix(H, y, AdaBoost(), 3000)
    assert 0.3 < run.history["coef"].min() < run.history["coef"].max() < 3.0
    smallest = [run.margins[y == label].min() for label in (-1, 1)]
    assert smallest[0] == pytest.approx(smallest[1], abs=2e-3)
    for label in (-1, 1):
        assert np.abs(run.dual[y == label]).max() > 1e-3
