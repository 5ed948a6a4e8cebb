"""ERLPBoost, SoftBoost, TotalBoost: the entropy problems they solve, and what they promise."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import rel_entr

from marginboost import (
    ERLPBoostClassifier,
    LPBoostClassifier,
    SoftBoostClassifier,
    StumpOracle,
    TotalBoostClassifier,
)
from marginboost.algorithms import ERLPBoost, LPBoost, SoftBoost, TotalBoost
from marginboost.algorithms.adaboost_star import rounds_needed
from marginboost.algorithms.erlpboost import rounds_needed as erlp_rounds
from marginboost.core import Stop, train
from marginboost.datasets import circle_2d, flip_labels
from marginboost.estimators.base import algorithm_of
from marginboost.kernels.weights import split_mass, threshold_weights
from marginboost.oracles import FiniteOracle, matrix_sample
from marginboost.solvers import solve_margin_lp
from marginboost.solvers.entropy_projection import CappedEntropy, EntropySolver
from marginboost.solvers.masters.pool import ColumnPool
from marginboost.solvers.masters.problem import caps, soft_margin
from strategies import SizeRecorder, few, flip_family, leaning_matrix, theory


@st.composite
def priors(draw, n):
    if draw(st.booleans()):
        return np.full(n, 1.0 / n)
    counts = np.array(draw(st.lists(st.integers(1, 4), min_size=n, max_size=n)), dtype=float)
    return counts / counts.sum()


@st.composite
def problems(draw, max_rows=14, max_columns=14):
    """Outcomes ``y h``, labels, prior, ν; some matrices hold a column twice."""
    n, m = draw(st.integers(2, max_rows)), draw(st.integers(1, max_columns))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    outcomes = np.where(rng.random((n, m)) < draw(st.sampled_from([0.5, 0.65, 0.8])), 1.0, -1.0)
    if draw(st.booleans()):
        outcomes *= rng.uniform(0.1, 1.0, (n, m))
    if m > 1 and draw(st.booleans()):
        outcomes[:, -1] = outcomes[:, 0]
    y = np.where(rng.random(n) < 0.5, 1, -1)
    nu = draw(st.one_of(st.sampled_from([None, 1.0, 0.05]), st.floats(0.1, 0.95)))
    prior = draw(priors(n))
    return outcomes, y, prior, None if nu is None else max(nu, float(prior.min()))


def solver_of(outcomes, y, prior, nu):
    pool = ColumnPool(len(y))
    for column in (y[:, None] * outcomes).T:
        pool.append(column.astype(np.int8) if (np.abs(column) == 1).all() else column)
    return EntropySolver(pool, y, CappedEntropy(prior, nu))


def entropy(d, p):
    return float(rel_entr(d, p).sum())


def cap(prior, nu):
    return np.minimum(caps(prior, nu), 1.0)


def reference_minimum(objective, slope, outcomes, prior, nu, bound=None):
    """Smallest value over capped weights d and a number γ with edges at most γ, by SLSQP.

    Interior starts; the best of three runs, so that one that stalls does not matter.
    """
    n = len(prior)
    limits = [(1e-13, c) for c in cap(prior, nu)] + [(bound, bound) if bound else (-2.0, 2.0)]
    rules = [
        {
            "type": "eq",
            "fun": lambda x: x[:n].sum() - 1.0,
            "jac": lambda x: np.append(np.ones(n), 0.0),
        },
        {
            "type": "ineq",
            "fun": lambda x: x[n] - outcomes.T @ x[:n],
            "jac": lambda x: np.column_stack([-outcomes.T, np.ones(outcomes.shape[1])]),
        },
    ]
    best = math.inf
    inner = solve_margin_lp(outcomes, nu, prior).weights
    for mix in (0.3, 0.7, 0.05):
        start = (1.0 - mix) * inner + mix * prior
        start = np.append(start, (outcomes.T @ start).max() if bound is None else bound)
        found = minimize(
            objective,
            start,
            jac=slope,
            method="SLSQP",
            bounds=limits,
            constraints=rules,
            options={"ftol": 1e-15, "maxiter": 500},
        )
        edges = outcomes.T @ found.x[:n]
        feasible = abs(found.x[:n].sum() - 1.0) < 1e-9 and edges.max() <= found.x[n] + 1e-9
        best = min(best, float(found.fun)) if feasible else best
    return best


# -- kernels -----------------------------------------------------------------------------------


@theory
@given(problems(), st.floats(-3, 3))
def test_kernels_are_their_numpy_twins(problem, threshold):
    outcomes, _, prior, _ = problem
    m, c = 3.0 * outcomes[:, 0], 2.0 * prior
    below = m <= threshold
    mass, above, smallest = split_mass(m, c, threshold, 0.5)
    assert mass == pytest.approx(c[below].sum(), abs=1e-12)
    assert above == pytest.approx((c * np.exp(0.5 - m))[~below].sum(), rel=1e-12)
    assert smallest == m[~below].min(initial=np.inf)
    capped, free = np.empty(len(m)), np.empty(len(m))
    sums = threshold_weights(m, c, threshold, capped, free)
    np.testing.assert_allclose(capped, np.where(below, c, 0.0))
    np.testing.assert_allclose(free, np.where(below, 0.0, c * np.exp(threshold - m)))
    expected = (capped.sum(), free.sum(), (c * np.maximum(threshold - m, 0.0)).sum())
    np.testing.assert_allclose(sums, expected, atol=1e-12)


# -- capped entropy ----------------------------------------------------------------------------


@theory
@given(problems(), st.sampled_from([0.01, 1.0, 30.0, 1e4]), st.floats(-50, 50))
def test_weights_meet_the_conditions_of_optimality(problem, scale, guess):
    """Caps, sum one; log(d/p) + m is the same for all free rows, not larger for capped ones."""
    outcomes, _, prior, nu = problem
    m = scale * outcomes.mean(axis=1)
    found = CappedEntropy(prior, nu).weigh(m)
    d, limit = found.weights, caps(prior, nu)
    assert d.sum() == pytest.approx(1.0, abs=1e-12)
    assert (d >= 0).all()
    assert (d <= limit * (1 + 1e-9)).all()
    seen = d > 1e-280
    level = np.log(d[seen] / prior[seen]) + m[seen]
    free = seen & (d < limit * (1 - 1e-7)) & (found.free > 0)
    if free.any():
        common = (np.log(d[free] / prior[free]) + m[free]).mean()
        np.testing.assert_allclose(np.log(d[free] / prior[free]) + m[free], common, atol=1e-7)
        assert (level <= common + 1e-7).all()
    assert found.value == pytest.approx(entropy(d, prior) + d @ m, rel=1e-9, abs=1e-9)
    warm = CappedEntropy(prior, nu).weigh(m, guess)
    np.testing.assert_allclose(warm.weights, d, atol=1e-11)


@theory
@given(problems())
def test_value_is_a_minimum_and_largest_a_maximum(problem):
    outcomes, _, prior, nu = problem
    m = 2.0 * outcomes[:, 0]
    space = CappedEntropy(prior, nu)
    value = space.weigh(m).value
    for other in outcomes.T:
        d = space.weigh(-5.0 * other).weights
        assert entropy(d, prior) + d @ m >= value - 1e-10
        assert entropy(d, prior) <= space.largest + 1e-10


def test_prior_is_the_answer_without_outcomes():
    prior = np.array([0.1, 0.2, 0.3, 0.4])
    for nu in (None, 0.1, 0.5, 1.0):
        found = CappedEntropy(prior, nu).weigh(np.zeros(4))
        np.testing.assert_allclose(found.weights, prior)
        assert found.value == pytest.approx(0.0, abs=1e-15)


# -- the two problems --------------------------------------------------------------------------


@theory
@given(problems(max_rows=7, max_columns=6), st.sampled_from([0.5, 3.0, 20.0]))
def test_regularised_edges_against_another_solver(problem, eta):
    outcomes, y, prior, nu = problem
    solver, n = solver_of(*problem), len(y)
    w = solver.regularise(np.ones(outcomes.shape[1]), eta)
    d = solver.weights(w)
    value = (outcomes.T @ d).max() + entropy(d, prior) / eta

    def objective(x):
        return x[n] + entropy(x[:n], prior) / eta

    def slope(x):
        return np.append((np.log(x[:n] / prior) + 1.0) / eta, 1.0)

    assert value == pytest.approx(
        reference_minimum(objective, slope, outcomes, prior, nu), abs=1e-7
    )


@theory
@given(problems(), st.sampled_from([0.5, 10.0, 300.0, 2e4]))
def test_regularised_edges_close_their_duality_gap(problem, eta):
    """Multipliers are a distribution times η; largest edge = mean edge under them."""
    outcomes, _, prior, nu = problem
    solver = solver_of(*problem)
    w = solver.regularise(np.eye(outcomes.shape[1])[0], eta)
    d = solver.weights(w)
    edges = outcomes.T @ d
    assert (w >= 0).all()
    assert w.sum() == pytest.approx(eta)
    assert (d <= caps(prior, nu) * (1 + 1e-9)).all()
    assert edges.max() - edges @ w / eta <= 1e-8
    # The soft margin of the combination is at most the regularisation below the optimum.
    margin = soft_margin(outcomes @ w / eta, prior, nu)[0]
    largest = CappedEntropy(prior, nu).largest
    assert margin >= solve_margin_lp(outcomes, nu, prior).value - largest / eta - 1e-8


@theory
@given(problems(), st.sampled_from([0.3, 0.03, 1e-3]))
def test_projection_meets_its_conditions(problem, slack):
    """Edges at most the bound, multipliers only where it binds, Pythagoras for all feasible d."""
    outcomes, _, prior, nu = problem
    best = solve_margin_lp(outcomes, nu, prior)
    solver, bound = solver_of(*problem), best.value + slack
    w, feasible = solver.project(np.zeros(outcomes.shape[1]), bound)
    assert feasible
    d = solver.weights(w)
    edges = outcomes.T @ d
    assert edges.max() <= bound + 1e-9
    assert (w >= 0).all()
    np.testing.assert_allclose(w * (bound - edges), 0.0, atol=1e-7 * (1.0 + w.sum()))
    for mix in (0.0, 0.1, 0.5):  # between the two all edges are at most the bound
        other = (1.0 - mix) * best.weights + mix * d
        right = entropy(other, d) + entropy(d, prior)
        assert entropy(other, prior) >= right - 1e-7 * (1.0 + w.sum())


@theory
@given(problems(max_rows=7, max_columns=6), st.sampled_from([0.2, 0.02]))
def test_projection_against_another_solver(problem, slack):
    outcomes, y, prior, nu = problem
    solver, n = solver_of(*problem), len(y)
    bound = solve_margin_lp(outcomes, nu, prior).value + slack
    w, _ = solver.project(np.zeros(outcomes.shape[1]), bound)
    value = entropy(solver.weights(w), prior)

    def objective(x):
        return entropy(x[:n], prior)

    def slope(x):
        return np.append(np.log(x[:n] / prior) + 1.0, 0.0)

    reference = reference_minimum(objective, slope, outcomes, prior, nu, bound)
    assert value == pytest.approx(reference, abs=1e-7)


@theory
@given(problems(), st.sampled_from([0.3, 0.03, 1e-3]))
def test_an_impossible_projection_proves_a_margin(problem, slack):
    outcomes, _, prior, nu = problem
    bound = solve_margin_lp(outcomes, nu, prior).value - slack
    w, feasible = solver_of(*problem).project(np.zeros(outcomes.shape[1]), bound)
    assert not feasible
    assert soft_margin(outcomes @ w / w.sum(), prior, nu)[0] >= bound - 1e-9


# -- the algorithms ----------------------------------------------------------------------------


def run(problem, rule, *, tol=None, rounds=2000, selection="best"):
    outcomes, y, prior, _ = problem
    recorder = SizeRecorder()
    sample = matrix_sample(y[:, None] * outcomes, y, prior)
    oracle = FiniteOracle(selection=selection)
    result = train(sample, oracle, rule, max_rounds=rounds, tol=tol, callbacks=[recorder])
    return result, recorder


def rules(nu, accuracy):
    return [
        ERLPBoost(nu, accuracy) if nu is not None else TotalBoost(accuracy),
        SoftBoost(nu, accuracy),
    ]


@few
@given(problems(max_rows=25, max_columns=30), st.sampled_from([0.3, 0.05, 0.01]))
def test_soft_margin_is_within_the_accuracy(problem, accuracy):
    """And so are the bounds, in no more rounds than promised, with weights under their caps."""
    outcomes, y, prior, nu = problem
    best = solve_margin_lp(outcomes, nu, prior).value
    for rule in rules(nu, accuracy):
        result, recorder = run(problem, rule, tol=accuracy)
        certificate = result.certificate
        assert result.stop is Stop.GAP
        assert best - accuracy - 1e-9 <= certificate.value <= best + 1e-9
        assert certificate.lower <= best + 1e-9
        assert certificate.upper >= best - 1e-9
        assert certificate.gap <= accuracy + 1e-9
        for dual in recorder.duals:
            assert (y * dual <= caps(prior, nu) * (1 + 1e-9)).all()
        if isinstance(rule, ERLPBoost):
            bound = erlp_rounds(nu, accuracy)
        else:
            bound = rounds_needed(min(1 / (nu or 1e-300), 1 / prior.min()), accuracy)
        assert len(result.history) <= bound


@few
@given(problems(max_rows=25, max_columns=30))
def test_softboost_moves_away_from_the_prior(problem):
    """Every projection adds δ²/2 to the relative entropy: why the number of rounds is bounded."""
    _, y, prior, nu = problem
    accuracy = 0.1
    _, recorder = run(problem, SoftBoost(nu, accuracy))
    steps = np.diff([entropy(y * dual, prior) for dual in recorder.duals[:-1]])
    assert (steps >= accuracy**2 / 2 - 1e-8).all()


@few
@given(problems(max_rows=25, max_columns=30))
def test_erlpboost_raises_its_objective(problem):
    """Each round lifts P = largest pooled edge + Δ/η by δ²/(8η), δ the excess of the next edge.

    That is where the number of rounds comes from; and P - ε/2 is a lower bound on the soft margin.
    """
    outcomes, y, prior, nu = problem
    if nu is None:
        return
    rule = ERLPBoost(nu, 0.1)
    result, recorder = run(problem, rule)
    values, excess = [], []
    for dual, size in zip(recorder.duals[1:], recorder.sizes, strict=True):
        pooled = [member.index for member in recorder.members[:size]]
        edges = outcomes.T @ (y * dual)
        values.append(edges[pooled].max() + entropy(y * dual, prior) / rule.eta)
        excess.append(edges.max() - edges[pooled].max())
    assert (np.diff(values) >= np.array(excess[:-1]) ** 2 / (8 * rule.eta) - 1e-8).all()
    assert result.certificate.lower >= values[-1] - rule.accuracy / 2 - 1e-8


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("selection", ["worst", "random"])
def test_totalboost_bears_the_worst_base_learner(seed, selection):
    """Any hypothesis with an edge of ρ* will do: the bound does not need the best one."""
    outcomes = leaning_matrix(20, 30, 0.75, seed)
    best = solve_margin_lp(outcomes).value
    problem = (outcomes, np.ones(20, dtype=int), np.full(20, 0.05), None)
    result, _ = run(problem, TotalBoost(0.1), tol=0.1, selection=selection)
    assert result.stop is Stop.GAP
    assert len(result.history) <= rounds_needed(20, 0.1)
    assert result.certificate.value >= best - 0.1 - 1e-9


@pytest.mark.parametrize("n", [3, 8, 20])
def test_flip_family(n):
    """R1-V03: the best vote is uniform, its margin 1 - 2/N."""
    problem = (flip_family(n), np.ones(n, dtype=int), np.full(n, 1 / n), None)
    result, _ = run(problem, TotalBoost(0.001), tol=0.001)
    assert result.certificate.value == pytest.approx(1 - 2 / n, abs=0.001)
    assert len(result.ensemble) == n


@few
@given(problems(max_rows=20, max_columns=20))
def test_softboost_at_the_smallest_nu_is_totalboost(problem):
    outcomes, y, _, _ = problem
    n = len(y)
    uniform = (outcomes, y, np.full(n, 1 / n), None)
    soft, soft_record = run(uniform, SoftBoost(1 / n, 0.05))
    total, total_record = run(uniform, TotalBoost(0.05))
    assert soft.certificate.value == pytest.approx(total.certificate.value, abs=1e-9)
    for one, other in zip(soft_record.duals, total_record.duals, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-9)


@few
@given(problems(max_rows=15, max_columns=15))
def test_erlpboost_becomes_lpboost(problem):
    """As ε → 0, so η → ∞, the value is that of the linear program."""
    outcomes, y, prior, nu = problem
    if nu is None:
        return
    fine, _ = run(problem, ERLPBoost(nu, 1e-4), tol=1e-5)
    exact = train(
        matrix_sample(y[:, None] * outcomes, y, prior),
        FiniteOracle(),
        LPBoost(nu),
        max_rounds=500,
        tol=1e-9,
    )
    assert fine.certificate.value == pytest.approx(exact.certificate.value, abs=1e-4)
    assert fine.certificate.upper == pytest.approx(exact.certificate.value, abs=1e-4)


def test_eta_and_rounds_are_as_published():
    assert ERLPBoost(0.1, 0.1).eta == pytest.approx(2 * math.log(10) / 0.1)
    assert ERLPBoost(1.0, 0.1).eta == 0.5
    assert erlp_rounds(0.1, 0.1) == math.ceil(32 * math.log(10) / 0.01)
    assert erlp_rounds(1.0, 0.1) == 80
    model = SoftBoostClassifier(nu=0.1, accuracy=0.1)
    sample = matrix_sample(np.ones((10, 1)), np.ones(10))
    assert algorithm_of(model).most_rounds(sample) == math.ceil(2 * math.log(10) / 0.01)
    assert algorithm_of(TotalBoostClassifier(accuracy=0.1)).most_rounds(sample) == 461


def test_nu_of_one_leaves_the_prior():
    """ν = 1 allows no weights but the prior: the best single hypothesis wins."""
    outcomes = leaning_matrix(15, 10, 0.7, 0)
    problem = (outcomes, np.ones(15, dtype=int), np.full(15, 1 / 15), 1.0)
    for rule in rules(1.0, 0.01):
        result, _ = run(problem, rule, tol=0.01)
        assert result.certificate.value == pytest.approx(outcomes.mean(axis=0).max(), abs=1e-9)
        assert len(result.history) <= 2


def test_one_hypothesis_is_the_model():
    outcomes = np.array([[1.0], [1.0], [-1.0]])
    problem = (outcomes, np.array([1, -1, 1]), np.full(3, 1 / 3), 0.5)
    for rule in [*rules(0.5, 0.1), TotalBoost(0.1)]:
        result, _ = run(problem, rule, tol=0.1)
        assert result.ensemble.coef.tolist() == [1.0]
        expected = solve_margin_lp(outcomes, rule.nu).value
        assert result.certificate.value == pytest.approx(expected)


# -- the classifiers ---------------------------------------------------------------------------

CLASSIFIERS = [ERLPBoostClassifier, SoftBoostClassifier, TotalBoostClassifier]


@pytest.mark.parametrize("make", CLASSIFIERS)
def test_weights_are_copies(make):
    X, y = circle_2d(60)
    counts = np.random.default_rng(0).integers(0, 3, size=60)
    weighted = make(accuracy=0.05).fit(X, y, sample_weight=counts)
    copied = make(accuracy=0.05).fit(X.repeat(counts, 0), y.repeat(counts))
    assert weighted.certificate_.value == pytest.approx(copied.certificate_.value, abs=1e-6)
    assert weighted.certificate_.upper == pytest.approx(copied.certificate_.upper, abs=1e-6)


@pytest.mark.parametrize("make", CLASSIFIERS[:2])
def test_capped_weights_bear_label_noise(make):
    X, y = circle_2d(300)
    noisy, flipped = flip_labels(y, 0.15, seed=1)
    model = make(nu=0.5, accuracy=0.02).fit(X, noisy)
    limit = 1 / (0.5 * 300)
    assert np.abs(model.dual_).max() <= limit * (1 + 1e-9)
    at_cap = np.abs(model.dual_) > 0.99 * limit
    assert at_cap[flipped].mean() > 2 * at_cap[~flipped].mean()
    exact = LPBoostClassifier(nu=0.5, tol=1e-6).fit(X, noisy)
    assert model.certificate_.value >= exact.certificate_.value - 0.02
    assert (model.margins_ < model.rho_ - 1e-12).mean() <= 0.5
    np.testing.assert_allclose(model.estimator_weights_.sum(), 1.0)


def test_threads_change_nothing():
    X, y = circle_2d(400)
    one, two = (ERLPBoostClassifier(n_jobs=n, accuracy=0.1).fit(X, y) for n in (1, 2))
    np.testing.assert_array_equal(one.estimator_weights_, two.estimator_weights_)
    np.testing.assert_array_equal(one.dual_, two.dual_)


@pytest.mark.parametrize("make", CLASSIFIERS)
@pytest.mark.parametrize("accuracy", [0.0, 1.0, -0.1, math.nan])
def test_accuracy_out_of_range(make, accuracy):
    X, y = circle_2d(30)
    with pytest.raises(ValueError, match=r"accuracy: got .*expected a number above 0 and below 1"):
        make(accuracy=accuracy).fit(X, y)


@pytest.mark.parametrize("make", CLASSIFIERS[:2])
@pytest.mark.parametrize("nu", [0.0, 1.5, math.nan])
def test_nu_out_of_range(make, nu):
    X, y = circle_2d(30)
    with pytest.raises(ValueError, match=r"nu: got .*expected a number above 0 and at most 1"):
        make(nu=nu).fit(X, y)


def test_rounds_can_be_limited():
    X, y = circle_2d(100)
    model = SoftBoostClassifier(StumpOracle(), n_estimators=3, accuracy=0.01).fit(X, y)
    assert model.n_iter_ == 3
    assert model.stop_reason_ is Stop.ROUNDS
    assert model.certificate_.lower <= model.certificate_.upper


def test_upper_bound_of_a_greedy_learner_counts_what_was_found_before():
    """Asked for any but the best hypothesis, the learner does not hide the ones in the pool."""
    outcomes = leaning_matrix(20, 30, 0.75, 1)
    problem = (outcomes, np.ones(20, dtype=int), np.full(20, 0.05), 0.3)
    result, recorder = run(problem, ERLPBoost(0.3, 0.05), selection="cyclic", rounds=30)
    pooled = [member.index for member in recorder.members]
    best = solve_margin_lp(outcomes[:, pooled], 0.3).value
    assert result.certificate.upper >= best - 1e-9
    assert not result.certificate.certified
