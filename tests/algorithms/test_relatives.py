"""MDBoost, MLPBoost, CG-Boost, NMBoost, QRLPBoost, graph separation: problems and promises."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from marginboost import (
    CGBoostClassifier,
    FiniteOracle,
    GraphSepBoostClassifier,
    KernelOracle,
    LinearOracle,
    LPBoostClassifier,
    MDBoostClassifier,
    MLPBoostClassifier,
    NMBoostClassifier,
    QRLPBoostClassifier,
    TreeOracle,
    load,
    solve_margin_lp,
    verify,
)
from marginboost.algorithms import (
    CGBoost,
    ERLPBoost,
    GraphSeparation,
    MDBoost,
    MLPBoost,
    NMBoost,
    QRLPBoost,
    graph_separation,
    mlpboost,
    qrlpboost,
)
from marginboost.checks.optimum import attained, optimum
from marginboost.core import Callback, Stop, train
from marginboost.core.hypothesis import hypothesis_from_dict
from marginboost.datasets import ring
from marginboost.estimators.base import objective_of
from marginboost.oracles import matrix_sample
from marginboost.solvers.entropy_projection import CappedEntropy
from marginboost.solvers.quadratic_divergence import CappedQuadratic, FreeQuadratic
from strategies import SizeRecorder, few, leaning_matrix, theory

CLASSIFIERS = [
    CGBoostClassifier,
    GraphSepBoostClassifier,
    MDBoostClassifier,
    MLPBoostClassifier,
    NMBoostClassifier,
    QRLPBoostClassifier,
]


def all_stumps(X, y):
    """Outcomes of every stump of a small table, from scratch: one per cut and sign, and ±1."""
    columns = [np.ones(len(y))]
    for feature in X.T:
        values = np.unique(feature)
        columns += [np.where(feature > cut, 1.0, -1.0) for cut in (values[1:] + values[:-1]) / 2]
    distinct = np.unique(np.array(columns), axis=0)
    return y[:, None] * np.vstack([distinct, -distinct]).T


def run(rule, outcomes, tol=None, rounds=2000, counts=None):
    y = np.ones(len(outcomes), dtype=int)
    recorder = SizeRecorder()
    sample = matrix_sample(outcomes, y, counts)
    done = train(sample, FiniteOracle(), rule, max_rounds=rounds, tol=tol, callbacks=[recorder])
    return done, recorder


@st.composite
def capped(draw):
    """Prior, ν and outcomes of any size, some of them equal."""
    n = draw(st.integers(2, 40))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    prior = rng.uniform(0.2, 1.0, n) if draw(st.booleans()) else np.ones(n)
    prior /= prior.sum()
    outcomes = draw(st.sampled_from([1e-3, 1.0, 30.0, 1e4])) * rng.normal(size=n)
    if draw(st.booleans()):
        outcomes = np.round(outcomes, 1 - int(np.log10(np.abs(outcomes).max())))
    return prior, max(draw(st.floats(0.05, 1.0)), float(prior.min())), outcomes


# -- quadratic distances -------------------------------------------------------------------------


@theory
@given(capped(), st.sampled_from([-np.inf, 0.0, 20.0]))
def test_capped_weights_meet_the_conditions_of_optimality(problem, guess):
    prior, nu, outcomes = problem
    space = CappedQuadratic(prior, nu)
    found = space.weigh(outcomes, guess)
    d, size = found.weights, 1.0 + np.abs(outcomes).max()
    assert d.sum() == pytest.approx(1.0, abs=1e-12)
    assert (d >= 0.0).all()
    assert (d <= prior / nu * (1 + 1e-9)).all()
    slope = d / prior - 1.0 + outcomes  # one number where no limit binds
    low, high = d <= 1e-9 * prior, d >= prior / nu * (1 - 1e-9)
    free = ~low & ~high
    level = slope[free].mean() if free.any() else found.threshold
    np.testing.assert_allclose(slope[free], level, atol=1e-9 * size)
    assert (slope[low] >= level - 1e-8 * size).all()
    assert (slope[high] <= level + 1e-8 * size).all()
    distance = 0.5 * ((d - prior) ** 2 / prior).sum()
    assert distance <= space.largest * (1 + 1e-9)
    assert distance >= 0.5 * np.abs(d - prior).sum() ** 2 - 1e-12  # as the entropy
    assert found.value == pytest.approx(distance + d @ outcomes, abs=1e-9 * size)


def test_newton_does_not_go_round_in_circles():
    """The threshold is found wherever the search begins, between many equal outcomes too."""
    rng = np.random.default_rng(0)
    for outcomes in (rng.uniform(0, 80, (200, 40)), 40.0 * rng.integers(-2, 3, (200, 40))):
        for row in outcomes.astype(float):
            for guess in (-np.inf, row.min(), row.max()):
                weights = CappedQuadratic(np.full(40, 1 / 40), 0.3).weigh(row, guess).weights
                assert weights.sum() == pytest.approx(1.0, abs=1e-12)


def test_mean_less_half_of_the_variance_is_a_minimum_over_weights():
    rng = np.random.default_rng(1)
    prior = rng.dirichlet(np.ones(8))
    outcomes = rng.normal(size=8)
    found = FreeQuadratic(prior).weigh(outcomes)
    mean = prior @ outcomes
    assert found.value == pytest.approx(mean - 0.5 * prior @ (outcomes - mean) ** 2)
    for _ in range(20):
        other = found.weights + 0.3 * (rng.dirichlet(np.ones(8)) - prior)
        value = 0.5 * ((other - prior) ** 2 / prior).sum() + other @ outcomes
        assert value >= found.value - 1e-12


# -- problems against other solvers --------------------------------------------------------------


@pytest.mark.parametrize("D", [0.5, 10.0, 100.0])
def test_mdboost_solves_its_quadratic_program_over_all_stumps(D):
    X, y = ring(16, 0.1, seed=1)
    outcomes = all_stumps(X, y)
    best = optimum(MDBoost(D).objective, outcomes, 1.0, y)
    model = MDBoostClassifier(D=D, tol=1e-9).fit(X, y)
    assert model.certificate_.value == pytest.approx(best, abs=1e-7)
    assert model.certificate_.upper == pytest.approx(best, abs=1e-7)
    assert model.certificate_.certified
    margins = model.margins_
    assert margins.mean() - 0.5 * D * margins.var() == pytest.approx(best, abs=1e-7)


def test_mdboost_is_shen_and_lis_program():
    """Max Σρ - ½ ρᵀAρ over Σw = D, A of ones and -1/(N - 1), as the paper prints it."""
    outcomes = leaning_matrix(12, 9, 0.7, 3)
    n, D = len(outcomes), 7.0
    A = np.full((n, n), -1.0 / (n - 1))
    np.fill_diagonal(A, 1.0)
    found = minimize(
        lambda w: 0.5 * (outcomes @ w) @ A @ (outcomes @ w) - (outcomes @ w).sum(),
        np.full(9, D / 9),
        jac=lambda w: outcomes.T @ (A @ (outcomes @ w) - 1.0),
        method="SLSQP",
        bounds=[(0.0, None)] * 9,
        constraints={"type": "eq", "fun": lambda w: w.sum() - D, "jac": lambda w: np.ones(9)},
        options={"ftol": 1e-14, "maxiter": 500},
    )
    done, _ = run(MDBoost(D * n / (n - 1)), outcomes)
    assert n * D * done.certificate.value == pytest.approx(-found.fun, abs=1e-6)


def test_mdboost_without_a_price_is_the_best_hypothesis():
    """And with a high one all margins are alike, where that is possible."""
    outcomes = leaning_matrix(20, 15, 0.7, 5)
    done, _ = run(MDBoost(1e-6), outcomes)
    assert done.certificate.value == pytest.approx(outcomes.mean(axis=0).max(), abs=1e-5)
    flips = 1.0 - 2.0 * np.eye(6)  # every hypothesis is wrong on one row
    done, _ = run(MDBoost(1e4), flips)
    np.testing.assert_allclose(done.margins, 1.0 - 2.0 / 6.0, atol=1e-6)


def test_weights_of_mdboost_pull_easy_rows_down():
    outcomes = leaning_matrix(30, 40, 0.7, 2)
    D = 50.0
    done, _ = run(MDBoost(D), outcomes)
    margins = done.margins
    weights = (1.0 - D * (margins - margins.mean())) / 30
    np.testing.assert_allclose(done.dual, weights / np.abs(weights).sum(), atol=1e-9)
    assert done.dual.min() < 0.0


@pytest.mark.parametrize(("C", "target"), [(0.0, 0.2), (0.1, 0.01), (1.0, -0.1), (0.3, 0.6)])
def test_nmboost_solves_its_linear_program_over_all_stumps(C, target):
    X, y = ring(30, 0.1, seed=2)
    outcomes = all_stumps(X, y)
    best = optimum(NMBoost(C, target).objective, outcomes, 1.0, y)
    model = NMBoostClassifier(C=C, target_margin=target, tol=1e-7).fit(X, y)
    assert model.certificate_.value == pytest.approx(best, abs=2e-7)
    assert model.certificate_.upper == pytest.approx(best, abs=2e-7)
    assert model.certificate_.certified


def test_weights_of_nmboost_stay_in_their_box():
    outcomes = leaning_matrix(40, 60, 0.6, 4)
    rule = NMBoost(0.2, 0.05)
    _, recorder = run(rule, outcomes)
    for dual in recorder.duals:
        assert dual.max() <= (1.2 / 0.2) * dual.min() * (1 + 1e-6)


def test_nmboost_with_a_target_out_of_reach_is_the_best_hypothesis():
    """Every margin falls short of 1, so only the mean counts."""
    outcomes = leaning_matrix(20, 15, 0.7, 6)
    done, _ = run(NMBoost(0.5, 1.0, 1e-9), outcomes)
    best = 1.5 * outcomes.mean(axis=0).max() - 1.0
    assert done.certificate.value == pytest.approx(best, abs=1e-7)


@pytest.mark.parametrize("C", [0.01, 0.1, 1.0])
def test_cgboost_solves_its_quadratic_program_over_all_stumps(C):
    X, y = ring(16, 0.1, seed=3)
    outcomes = all_stumps(X, y)
    best = optimum(CGBoost(C).objective, outcomes, 1.0, y)
    done, _ = run(CGBoost(C, 0.0), outcomes)
    assert done.certificate.value == pytest.approx(best, abs=1e-6)
    assert not done.certificate.certified
    used = [member.index for member in done.ensemble.members]
    edges = np.zeros(outcomes.shape[1])
    edges[used] = done.ensemble.coef
    expected = np.maximum(outcomes.T @ done.dual, 0.0)  # a coefficient is its edge, but for a unit
    np.testing.assert_allclose(edges / edges.sum(), expected / expected.sum(), atol=1e-3)


def test_cgboost_of_stumps_is_optimal_among_those_found():
    X, y = ring(60, 0.1, seed=3)
    model = CGBoostClassifier(C=0.1).fit(X, y)
    outcomes = y[:, None] * np.column_stack([h(X) for h in model.estimators_])
    best = optimum(CGBoost(0.1).objective, outcomes, 1.0, y)
    assert model.certificate_.value == pytest.approx(best, abs=1e-6)
    assert model.stop_reason_ is Stop.NO_EDGE


def test_one_more_hypothesis_is_worth_half_of_its_squared_edge():
    """What the run's end rests on: P falls by less when a column of edge e comes in."""
    outcomes = leaning_matrix(20, 8, 0.65, 7)
    objective = CGBoost(0.5).objective
    for j in range(8):
        rest = np.delete(outcomes, j, axis=1)
        done, _ = run(CGBoost(0.5, 0.0), rest)
        short = np.maximum(1.0 - done.scores, 0.0)
        y = np.ones(20)
        before, after = (optimum(objective, columns, 1.0, y) for columns in (rest, outcomes))
        # weights of the program: dual times their sum, which the norm tells at the optimum
        norm2 = float(np.sum(np.square(done.ensemble.coef)))
        weight = norm2 + 0.5 * float(short.sum())
        edge = max(float(outcomes[:, j] @ done.dual) * weight, 0.0)
        assert 10.0 * (after - before) <= 0.5 * edge**2 + 1e-4


def test_a_hypothesis_that_comes_twice_changes_little_in_cgboost():
    """LPBoost's price is for Σα: there nothing at all changes, nor is anything shared."""
    outcomes = leaning_matrix(30, 10, 0.65, 8)
    twice = np.hstack([outcomes, 0.999 * outcomes[:, :1]])
    done, _ = run(CGBoost(0.1, 0.0), twice)
    shares = {m.index: c for m, c in zip(done.ensemble.members, done.ensemble.coef, strict=True)}
    if 0 in shares:
        assert shares[10] == pytest.approx(0.999 * shares[0], rel=1e-3)
    value = optimum(CGBoost(0.1).objective, outcomes, 1.0, np.ones(30))
    assert done.certificate.value >= value - 1e-7


def test_a_price_that_no_hypothesis_is_worth_leaves_the_model_empty():
    X, y = ring(20, seed=1)
    model = CGBoostClassifier(C=1e-9).fit(X, y)
    assert len(model.estimators_) == 0
    assert model.stop_reason_ is Stop.NO_EDGE
    assert model.certificate_.value == 0.0


def test_cgboost_mixes_kernels():
    """The base learner of the paper: columns of a kernel."""
    X, y = ring(60, seed=5)
    model = CGBoostClassifier(KernelOracle(), C=1.0).fit(X, y)
    assert model.score(X, y) > 0.9


# -- soft margins --------------------------------------------------------------------------------


@few
@given(
    st.integers(0, 10**6),
    st.sampled_from([0.1, 0.3, 0.7, 1.0]),
    st.sampled_from([0.3, 0.05]),
    st.sampled_from([0.5, 0.65, 0.8]),
)
def test_soft_margin_is_within_the_accuracy(seed, nu, accuracy, right):
    """In no more rounds than promised, with weights under their caps."""
    outcomes = leaning_matrix(20, 25, right, seed)
    best = solve_margin_lp(outcomes, nu).value
    for rule, allowed in (
        (QRLPBoost(nu, accuracy), qrlpboost.rounds_needed(nu, accuracy)),
        (MLPBoost(nu, accuracy), mlpboost.rounds_needed(nu, accuracy)),
    ):
        done, recorder = run(rule, outcomes, tol=accuracy, rounds=allowed)
        assert done.stop is Stop.GAP
        assert best - accuracy - 1e-9 <= done.certificate.value <= best + 1e-9
        assert done.certificate.upper >= best - 1e-9
        for dual in recorder.duals:
            assert dual.max() <= 1.0 / (nu * 20) * (1 + 1e-9)


@few
@given(st.integers(0, 10**6), st.sampled_from([0.2, 0.5]))
def test_qrlpboost_raises_its_objective(seed, nu):
    """By δ²/(8η) a round, δ the excess of the next edge: where the number of rounds comes from."""
    outcomes = leaning_matrix(20, 30, 0.6, seed)
    rule = QRLPBoost(nu, 0.1)
    _, recorder = run(rule, outcomes)
    values, excess = [], []
    for dual, size in zip(recorder.duals[1:], recorder.sizes, strict=True):
        known = [member.index for member in recorder.members[:size]]
        edges = outcomes.T @ dual
        distance = 0.5 * (20.0 * (dual - 0.05) ** 2).sum()
        values.append(edges[known].max() + distance / rule.eta)
        excess.append(edges.max() - edges[known].max())
    assert (np.diff(values) >= np.array(excess[:-1]) ** 2 / (8 * rule.eta) - 1e-8).all()


def test_second_order_is_the_entropy_near_the_prior():
    """With little room for the weights, both divergences give the same answer."""
    outcomes = leaning_matrix(30, 20, 0.7, 9)
    quadratic, _ = run(QRLPBoost(0.98, 0.01), outcomes)
    entropic, _ = run(ERLPBoost(0.98, 0.01), outcomes)
    assert quadratic.certificate.value == pytest.approx(entropic.certificate.value, abs=1e-3)


class Smoothed(Callback):
    """The smoothed soft margin of the combination that a round goes on from."""

    def on_start(self, state, oracle, rule, max_rounds):
        self.rule, self.values = rule, []

    def on_round(self, state):
        shares = np.array(self.rule.get_state()["multipliers"]) / self.rule.eta
        margins = state.sample.y * state.pool.combine(shares)
        space = CappedEntropy(state.sample.prior, self.rule.nu)
        self.values.append(space.weigh(self.rule.eta * margins).value / self.rule.eta)


def test_mlpboost_never_lowers_the_smoothed_soft_margin():
    """And is at least as good as LPBoost on the hypotheses found: that is its second step."""
    outcomes, watch = leaning_matrix(25, 40, 0.6, 10), Smoothed()
    sample = matrix_sample(outcomes, np.ones(25, dtype=int))
    done = train(
        sample, FiniteOracle(), MLPBoost(0.3, 0.05), max_rounds=500, tol=0.05, callbacks=[watch]
    )
    assert (np.diff(watch.values) >= -1e-9).all()
    used = [member.index for member in done.ensemble.members]
    assert watch.values[-1] >= solve_margin_lp(outcomes[:, used], 0.3).value - 1e-9


@pytest.mark.parametrize("make", [MLPBoostClassifier, QRLPBoostClassifier])
def test_the_same_soft_margin_as_lpboost(make):
    X, y = ring(80, 0.1, seed=4)
    exact = LPBoostClassifier(nu=0.5).fit(X, y)
    model = make(nu=0.5, accuracy=0.01).fit(X, y)
    assert model.certificate_.value == pytest.approx(exact.certificate_.value, abs=0.011)
    assert model.certificate_.gap <= 0.01
    assert verify(model, X, y).holds


# -- graph separation ----------------------------------------------------------------------------


@few
@given(st.integers(0, 10**6), st.sampled_from([0.55, 0.65, 0.8]))
def test_a_hypothesis_leaves_no_more_than_one_less_its_edge(seed, right):
    """Of the pairs of different labels; counted one by one."""
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(30) < 0.4, 1, -1)
    y[:2] = 1, -1
    matrix = y[:, None] * leaning_matrix(30, 40, right, seed)
    counts = rng.integers(1, 4, 30)
    sample = matrix_sample(matrix, y, counts)
    done = train(sample, FiniteOracle(), GraphSeparation(), max_rounds=60)
    joined = np.outer(sample.prior, sample.prior) * (y[:, None] > y)
    used = len(done.ensemble)
    for t, member in enumerate(done.ensemble.members):
        said = member(matrix) > 0
        left = joined * (said[:, None] == said)
        assert left.sum() <= joined.sum() * (1.0 - done.history["edge"][t]) + 1e-12
        assert done.history["loss"][t] == pytest.approx(left.sum(), abs=1e-12)
        joined = left
    assert (done.stop is Stop.SEPARATED) == (joined.sum() == 0.0)
    if done.stop is Stop.SEPARATED:
        least = float(done.history["edge"].min())
        positive = int((y > 0).sum())
        lightest = 1.0 / (counts.min() / counts.max()) ** 2
        allowed = graph_separation.rounds_needed(positive * int(lightest), 30 - positive, least)
        assert used <= allowed


def test_a_tree_of_stumps_has_no_training_error():
    """And no more hypotheses than promised, where their plain vote errs."""
    X, y = ring(100, seed=6)
    model = GraphSepBoostClassifier().fit(X, y)
    (tree,) = model.estimators_
    assert model.stop_reason_ is Stop.SEPARATED
    assert (model.predict(X) == y).all()
    assert len(tree.members) == model.n_iter_
    vote = np.sum([member(X) for member in tree.members], axis=0)
    assert np.mean(np.sign(vote) == y) < 1.0
    other, labels = ring(400, seed=7)
    assert model.score(other, labels) > 0.8
    least = float(model.history_["edge"].min())
    positive, negative = int((y > 0).sum()), int((y < 0).sum())
    assert model.n_iter_ <= graph_separation.rounds_needed(positive, negative, least)
    assert not model.certified_
    assert model.certificate_.value == 1.0
    checked = verify(model, X, y)
    assert checked.holds
    assert "no vote" in checked.remark


def test_cells_are_told_apart_by_their_answers():
    """Leaves of the tree are the rows of one label, or those that all hypotheses answer alike."""
    X, y = ring(150, 0.2, seed=3)
    model = GraphSepBoostClassifier(n_estimators=12).fit(X, y)
    (tree,) = model.estimators_
    said = np.column_stack([member(X) > 0 for member in tree.members])
    cells = np.unique(said, axis=0, return_inverse=True)[1].reshape(-1)
    truth = np.array([y[cells == cell].mean() for cell in cells])
    np.testing.assert_allclose(model.decision_function(X), truth, atol=1e-12)
    left = sum((y[cells == c] > 0).sum() * (y[cells == c] < 0).sum() for c in np.unique(cells))
    assert model.history_["loss"][-1] == pytest.approx(left / len(y) ** 2)


def test_equal_rows_of_different_labels_have_the_label_of_most_weight():
    model = GraphSepBoostClassifier().fit(np.ones((5, 1)), [1, 1, 0, 0, 0])
    assert model.stop_reason_ is Stop.NO_EDGE
    assert model.predict([[1.0], [2.0]]).tolist() == [0, 0]
    assert model.decision_function([[1.0]]) == pytest.approx(-0.2)


@pytest.mark.parametrize("oracle", [TreeOracle(max_depth=2), KernelOracle(), LinearOracle()])
def test_answers_of_any_hypothesis_are_kept_in_a_file(oracle, tmp_path):
    X, y = ring(60, 0.1, seed=5)
    model = GraphSepBoostClassifier(oracle, n_estimators=15).fit(X, y)
    model.save(tmp_path / "model.json")
    again = load(tmp_path / "model.json")
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))
    (tree,) = again.estimators_
    assert tree.importances(2).sum() == pytest.approx(1.0)
    edges, shares = model.history_["edge"], model.history_["normaliser"]
    assert (shares <= 1.0 - edges + 1e-9).all()
    np.testing.assert_array_equal(tree.negated()(X), -tree(X))


DAMAGED_TREES = {
    "members: got 3": {"members": 3},
    "members, threshold": {"threshold": []},
    "threshold: got 2": {"threshold": [2.0]},
    "expected hypotheses of other kinds": {"members": [{"kind": "answer_tree"}]},
    "question: got 1, expected -1 to 0": {"question": [1, -1, -1]},
    "left: got 3, expected -1 to 2": {"left": [3, -1, -1]},
    "node 0: got the child 0": {"right": [0, -1, -1]},
    "node 0: got the child -1": {"right": [-1, -1, -1]},
    "node 1: got the child 2": {"left": [1, 2, -1]},
    "node 0: got the child 1": {"question": [0, 0, -1], "left": [1, 2, -1], "right": [2, 2, -1]},
    "value: got 1.5": {"value": [0.0, 1.5, 1.0]},
    "equally many": {"value": [0.0, 1.0]},
    "value: got 'x'": {"value": ["x", 0.0, 0.0]},
    "left: got None": {"left": None},
    "hypothesis kind: got 'code'": {"members": [{"kind": "code"}]},
}


@pytest.mark.parametrize("message", DAMAGED_TREES)
def test_damaged_trees_of_answers_are_refused(message):
    stump = {"kind": "stump", "feature": 0, "threshold": 0.5, "labels": [-1.0, 1.0, 1.0]}
    sound = {"kind": "answer_tree", "members": [stump], "threshold": [0], "question": [0, -1, -1]}
    sound |= {"left": [1, -1, -1], "right": [2, -1, -1], "value": [0.0, -1.0, 1.0]}
    tree = hypothesis_from_dict(sound)
    assert tree(np.array([[0.0], [1.0]])).tolist() == [-1.0, 1.0]
    assert tree == hypothesis_from_dict(tree.to_dict())
    with pytest.raises(ValueError, match=message.replace("[", r"\[")):
        hypothesis_from_dict(sound | DAMAGED_TREES[message])


# -- estimators ----------------------------------------------------------------------------------


@pytest.mark.parametrize("make", CLASSIFIERS)
def test_learns_saves_and_loads(make, tmp_path):
    X, y = ring(60, 0.05, seed=8)
    names = np.where(y > 0, "in", "out")
    model = make().fit(X, names)
    assert model.score(X, names) > 0.75
    model.save(tmp_path / "model.json")
    again = load(tmp_path / "model.json")
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))
    assert again.get_params()["estimator"] is None


@pytest.mark.parametrize("make", CLASSIFIERS)
def test_copies_and_weights_have_the_same_value(make):
    X, y = ring(40, 0.1, seed=9)
    counts = np.random.default_rng(0).integers(1, 4, 40)
    weighted = make().fit(X, y, counts).certificate_
    copied = make().fit(X.repeat(counts, axis=0), y.repeat(counts)).certificate_
    slack = 2e-3 if make is CGBoostClassifier else max(weighted.gap, copied.gap) + 1e-9
    assert abs(weighted.value - copied.value) <= slack


@pytest.mark.parametrize(
    ("make", "name", "bad"),
    [
        (MDBoostClassifier, "D", 0.0),
        (NMBoostClassifier, "C", -1.0),
        (NMBoostClassifier, "target_margin", 2.0),
        (CGBoostClassifier, "C", 0.0),
        (CGBoostClassifier, "tol", -1e-3),
        (MLPBoostClassifier, "nu", 1.5),
        (QRLPBoostClassifier, "accuracy", 1.0),
    ],
)
def test_bad_settings_are_named(make, name, bad):
    with pytest.raises(ValueError, match=f"{name}: got"):
        make(**{name: bad}).fit([[0.0], [1.0]], [0, 1])


def test_the_value_of_a_model_is_that_of_its_definition():
    X, y = ring(40, 0.1, seed=10)
    for make in (MDBoostClassifier, NMBoostClassifier, CGBoostClassifier):
        model = make().fit(X, y)
        coef = model.estimator_weights_
        norm = np.sqrt(np.sum(coef**2)) if make is CGBoostClassifier else coef.sum()
        scores = coef.sum() * model.decision_function(X)
        value = attained(objective_of(model), y, scores, norm)
        assert model.certificate_.value == pytest.approx(value, abs=1e-9)
