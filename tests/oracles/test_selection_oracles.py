"""How hypotheses are chosen: R1-A15 selections, pools, resampling, scikit-learn estimators."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from marginboost.algorithms import AdaBoost, AdaBoostClassifier
from marginboost.core import Callback, Oracle, Sample, Stop, train
from marginboost.data import Table
from marginboost.oracles import (
    FiniteOracle,
    PooledOracle,
    ResamplingOracle,
    SklearnOracle,
    matrix_sample,
)
from marginboost.solvers import solve_margin_lp
from strategies import (
    few,
    imperfect_sign_problems,
    problems,
    real_problems,
    run_matrix,
    sign_problems,
    theory,
)


def random_dual(y, seed):
    return y * np.random.default_rng(seed).dirichlet(np.ones(len(y)))


def bound(H, y, **settings):
    return FiniteOracle(**settings).bind(matrix_sample(H, y))


# -- R1-A15: selections over a finite set ------------------------------------------------------


@theory
@given(problems(), st.integers(0, 2**20), st.integers(1, 20))
def test_best_returns_the_largest_edges_in_order_a15(problem, seed, k):
    H, y = problem
    dual = random_dual(y, seed)
    edges = dual @ H
    found = bound(H, y).best(dual, k)
    assert len(found) == min(k, H.shape[1])
    values = [candidate.edge for candidate in found]
    np.testing.assert_allclose(values, np.sort(edges)[::-1][: len(found)], atol=1e-15)
    for candidate in found:
        assert candidate.edge == pytest.approx(float(dual @ candidate.column), abs=1e-14)
        np.testing.assert_array_equal(candidate.column, H[:, candidate.hypothesis.index])
        np.testing.assert_array_equal(candidate.hypothesis(H), candidate.column)
        assert candidate.binary == bool((np.abs(H) == 1).all())


@theory
@given(problems(), st.integers(0, 2**20))
def test_worst_returns_the_smallest_edge_not_below_the_optimum_a15(problem, seed):
    """R1-A15: by the min-max theorem every distribution has a column with edge ≥ ρ*."""
    H, y = problem
    best = solve_margin_lp(H * y[:, None]).value
    dual = random_dual(y, seed)
    edges = dual @ H
    found = bound(H, y, selection="worst").best(dual)
    assert len(found) == 1
    assert found[0].edge >= best - 1e-8
    between = edges[(edges >= best + 1e-8) & (edges < found[0].edge - 1e-12)]
    assert between.size == 0


@theory
@given(problems(), st.integers(0, 2**20), st.sampled_from([0.1, 0.5, 0.9, 1.0]))
def test_delta_returns_the_smallest_admissible_edge_a15(problem, seed, delta):
    """R1-A15, R1-D05: a δ-optimal learner, and the worst of them."""
    H, y = problem
    dual = random_dual(y, seed)
    edges = dual @ H
    assume(edges.max() > 0)
    edge = bound(H, y, selection="delta", delta=delta).best(dual)[0].edge
    assert edge >= delta * edges.max()
    assert not ((edges >= delta * edges.max()) & (edges < edge)).any()


@theory
@given(imperfect_sign_problems(min_columns=2), st.integers(0, 2**20))
def test_random_draws_admissible_columns_and_repeats_itself_a15(problem, seed):
    H, y = problem
    best = solve_margin_lp(H * y[:, None]).value
    dual = random_dual(y, seed)
    oracle = FiniteOracle(selection="random").bind(matrix_sample(H, y, seed=seed))
    first = [oracle.best(dual, round=r)[0] for r in range(1, 30)]
    again = [oracle.best(dual, round=r)[0] for r in range(1, 30)]
    assert [c.hypothesis for c in first] == [c.hypothesis for c in again]
    edges = dual @ H
    admissible = set(np.flatnonzero(edges >= best - 1e-8))
    drawn = {candidate.hypothesis.index for candidate in first}
    assert drawn <= admissible
    if len(set(np.flatnonzero(edges >= best + 1e-8))) >= 2:
        assert len(drawn) >= 2


def test_cyclic_goes_round_a15():
    H = np.where(np.random.default_rng(0).random((6, 4)) < 0.5, 1.0, -1.0)
    oracle = bound(H, np.ones(6), selection="cyclic")
    dual = np.full(6, 1 / 6)
    visited = [oracle.best(dual, round=r)[0].hypothesis.index for r in range(1, 10)]
    assert visited == [0, 1, 2, 3, 0, 1, 2, 3, 0]


@theory
@given(problems(), st.integers(0, 2**20))
def test_closed_sets_hold_every_negative_a15_c59(problem, seed):
    """R1-C59: with complements the largest edge is the largest absolute edge."""
    H, y = problem
    dual = random_dual(y, seed)
    found = bound(H, y, closed=True).best(dual)[0]
    assert found.edge == pytest.approx(np.abs(dual @ H).max(), abs=1e-14)
    np.testing.assert_array_equal(found.hypothesis(H), found.column)
    negated = found.hypothesis.negated()
    np.testing.assert_array_equal(negated(H), -found.column)


@few
@given(sign_problems())
def test_closed_run_is_the_run_on_the_doubled_matrix_a15(problem):
    H, y = problem
    closed = run_matrix(H, y, AdaBoost(), 20, closed=True)
    doubled = run_matrix(np.hstack([H, -H]), y, AdaBoost(), 20)
    for name in ("edge", "coef", "min_margin"):
        np.testing.assert_array_equal(closed.history[name], doubled.history[name])
    assert closed.certificate.upper >= -1e-12


@pytest.mark.parametrize("selection", FiniteOracle.SELECTIONS)
def test_only_the_best_selection_certifies_a15(selection):
    rng = np.random.default_rng(0)
    H = np.where(rng.random((8, 10)) < 0.7, 1.0, -1.0)
    H[0, :] = -1.0
    H[0, :3] = 1.0
    delta = 0.5 if selection == "delta" else 1.0
    run = run_matrix(H, np.ones(8), AdaBoost(), 5, selection=selection, delta=delta)
    assert run.certificate.certified == (selection == "best")


def test_unusable_settings_are_refused():
    H, y = np.ones((3, 2)), np.ones(3)
    with pytest.raises(ValueError, match="selection"):
        bound(H, y, selection="finest")
    with pytest.raises(ValueError, match=r"\[-1, 1\]"):
        bound(2 * H, y)
    with pytest.raises(ValueError, match=r"\[-1, 1\]"):
        bound(np.full((3, 2), np.nan), y)
    with pytest.raises(ValueError, match="matrix"):
        matrix_sample(H, np.ones(4))


def test_callbacks_see_every_round():
    """A callback is called after every round, also after the one in which the rule stops."""

    class Count(Callback):
        rounds = 0

        def on_round(self, state):
            self.rounds += 1

    y = np.ones(4)
    H = np.column_stack([np.ones((4, 4)) - 2 * np.eye(4), y])
    for rule, selection in (
        (AdaBoost(), "best"),  # ends with a perfect hypothesis
        (AdaBoost(0.99, stop_at_target=True), "cyclic"),  # ends without edge
        (AdaBoost(-0.9, stop_at_target=True), "cyclic"),  # ends at the target
    ):
        first, second = Count(), Count()
        run = run_matrix(H, y, rule, 50, selection=selection, callbacks=[first, second])
        assert run.stop is not Stop.ROUNDS
        assert first.rounds == second.rounds == len(run.history)


# -- pools -------------------------------------------------------------------------------------


@few
@given(st.one_of(sign_problems(min_columns=3), real_problems()), st.integers(0, 2**20))
def test_pool_never_forgets_a37(problem, seed):
    """R1-A37: the edge returned is never below that of any column found before."""
    H, y = problem
    oracle = PooledOracle(FiniteOracle(selection="cyclic")).bind(matrix_sample(H, y))
    seen = []
    for r in range(1, 2 * H.shape[1]):
        dual = random_dual(y, seed + r)
        found = oracle.best(dual, round=r)[0]
        seen.append(H[:, (r - 1) % H.shape[1]])
        known = max(float(dual @ column) for column in seen)
        assert found.edge == pytest.approx(known, abs=1e-14)
        assert found.edge == pytest.approx(float(dual @ found.column), abs=1e-14)
    patterns = {candidate.column.tobytes() for candidate in oracle.pool}
    assert len(patterns) == len(oracle.pool) <= H.shape[1]


def test_pool_with_all_columns_is_the_best_selection_a37():
    rng = np.random.default_rng(1)
    H = np.where(rng.random((10, 7)) < 0.65, 1.0, -1.0)
    y = np.ones(10)
    oracle = PooledOracle(FiniteOracle(selection="cyclic")).bind(matrix_sample(H, y))
    for r in range(1, 8):
        oracle.best(random_dual(y, r), round=r)
    for r in range(8, 40):
        dual = random_dual(y, r)
        candidates = oracle.best(dual, 7, round=r)
        np.testing.assert_allclose([c.edge for c in candidates[:1]], [(dual @ H).max()], atol=1e-14)
        edges = [c.edge for c in candidates]
        assert edges == sorted(edges, reverse=True)
    assert not oracle.exact


# -- scikit-learn estimators -------------------------------------------------------------------


class Contrarian(ClassifierMixin, BaseEstimator):
    """Predict the opposite of what was taught: every edge has to be turned round."""

    def fit(self, X, y, sample_weight=None):
        self.classes_ = np.unique(y)
        self.tree_ = DecisionTreeClassifier(max_depth=1).fit(X, y, sample_weight)
        return self

    def predict(self, X):
        return -self.tree_.predict(X)


ESTIMATORS = [
    DecisionTreeClassifier(max_depth=2),  # takes weights
    LogisticRegression(),
    DecisionTreeRegressor(max_depth=2),
    LinearRegression(),
    Contrarian(),
]


def rows_and_labels(seed, n=50):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    y = np.where(X[:, 0] * X[:, 1] + 0.3 * X[:, 2] > 0, 1, -1)
    return X, y


def sklearn_oracle(estimator, X, y, seed=0):
    sample = Sample.of_labels(y, rows=Table(X, ["a", "b", "c"]), seed=seed)
    return SklearnOracle(estimator).bind(sample)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
@pytest.mark.parametrize("seed", range(4))
def test_any_estimator_is_a_bounded_hypothesis_with_its_true_edge(estimator, seed):
    """|h| ≤ 1; edge = dual · column ≥ 0, turned round where it was negative; outputs repeat."""
    X, y = rows_and_labels(seed)
    dual = random_dual(y, seed)
    oracle = sklearn_oracle(estimator, X, y)
    found = oracle.best(dual, round=1)[0]
    assert (np.abs(found.column) <= 1).all()
    assert found.edge == pytest.approx(float(dual @ found.column), abs=1e-12)
    assert found.edge >= 0
    np.testing.assert_allclose(found.hypothesis(X), found.column, atol=1e-12)
    np.testing.assert_allclose(found.hypothesis.negated()(X), -found.column, atol=1e-12)
    again = oracle.best(dual, round=1)[0]
    np.testing.assert_array_equal(again.column, found.column)
    assert found.binary == bool((np.abs(found.column) == 1).all())
    assert not oracle.exact


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
def test_runs_with_any_estimator_are_not_certified(estimator):
    X, y = rows_and_labels(9)
    model = AdaBoostClassifier(estimator, n_estimators=8, random_state=0).fit(X, y)
    assert not model.certified_
    assert "need not" in model.certificate_.reason
    assert (np.abs(model.decision_function(X)) <= 1).all()
    np.testing.assert_allclose(model.margins_, y * model.decision_function(X), atol=1e-9)


def test_contrarian_is_turned_round():
    X, y = rows_and_labels(3)
    dual = random_dual(y, 3)
    straight = sklearn_oracle(DecisionTreeClassifier(max_depth=1), X, y).best(dual)[0]
    turned = sklearn_oracle(Contrarian(), X, y).best(dual)[0]
    assert turned.edge == pytest.approx(straight.edge, abs=1e-12)
    assert turned.edge > 0.05


def test_weights_reach_the_estimator():
    """A weighted classifier follows the heavy row; one that takes no weights gets draws of it."""
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    y = np.array([-1, 1, -1, 1])
    sample = Sample.of_labels(y, rows=Table(X, ["a"]))
    tree, neighbour = DecisionTreeClassifier(max_depth=1), KNeighborsClassifier(1)
    for estimator, weights in (
        (tree, [0.05, 0.05, 0.85, 0.05]),
        (neighbour, [0.0, 0.25, 0.75, 0.0]),  # counts of a draw, divided by the rows
    ):
        found = SklearnOracle(estimator).bind(sample).best(y * np.array(weights))[0]
        assert found.column[2] == -1
        assert found.edge >= 0.7
    with pytest.raises(ValueError, match="sample_weight"):
        SklearnOracle(neighbour).bind(sample).best(y * np.array([0.05, 0.05, 0.85, 0.05]))


@pytest.mark.parametrize(
    "estimator",
    [DecisionTreeClassifier(), LogisticRegression(), GaussianNB()],
    ids=lambda e: type(e).__name__,
)
def test_rows_without_weight_do_not_become_a_third_class(estimator):
    """Weights underflow to 0 in long runs; sign(0) = 0 must not be taught as a label."""
    X, y = rows_and_labels(4)
    dual = random_dual(y, 4)
    dual[:20] = 0.0
    found = sklearn_oracle(estimator, X, y).best(dual)[0]
    assert set(np.unique(found.hypothesis.estimator.classes_)) <= {-1.0, 1.0}
    assert set(np.unique(found.column)) <= {-1, 1}


# -- resampling --------------------------------------------------------------------------------


@few
@given(imperfect_sign_problems(min_columns=3), st.integers(0, 2**20))
def test_resampling_measures_on_the_true_weights_sf_a1b(problem, seed):
    """SF-A1b: ε is measured on D_t; a hypothesis worse than chance is turned round."""
    H, y = problem
    oracle = ResamplingOracle(FiniteOracle()).bind(matrix_sample(H, y, seed=seed))
    for r in range(1, 10):
        dual = random_dual(y, seed + r)
        for found in oracle.best(dual, 3, round=r):
            assert found.edge == pytest.approx(float(dual @ found.column), abs=1e-13)
            assert found.edge >= 0
            np.testing.assert_array_equal(found.hypothesis(H), found.column)
    assert not oracle.exact


class Tally(Oracle):
    """A base learner that writes down what it was given."""

    given: list = []  # noqa: RUF012  (an oracle is cloned: the record is shared on purpose)

    def find(self, weights, k, round):
        Tally.given.append(weights.dual.copy())
        return FiniteOracle().bind(self.sample).best(weights, k, round=round)


def test_expected_counts_are_proportional_to_the_weights_sf_c7():
    """SF-C7: over many draws of N rows, row i comes N·D(i) times on average."""
    n, rounds = 12, 1500
    y = np.where(np.arange(n) % 3 == 0, 1, -1)
    d = np.random.default_rng(5).dirichlet(np.full(n, 0.7))
    H = np.ones((n, 1))
    Tally.given.clear()
    oracle = ResamplingOracle(Tally()).bind(matrix_sample(H, y))
    for r in range(rounds):
        oracle.best(y * d, round=r + 1)
    counts = np.abs(np.array(Tally.given)) * n
    np.testing.assert_allclose(counts, np.round(counts), atol=1e-9)
    np.testing.assert_allclose(counts.sum(axis=1), n, atol=1e-9)
    given = np.array(Tally.given)
    assert ((np.sign(given) == y) | (given == 0)).all()
    spread = np.sqrt(n * d * (1 - d) / rounds)
    assert (np.abs(counts.mean(axis=0) - n * d) <= 5 * spread + 1e-12).all()
    # Each round is a draw of its own, and the same again when repeated.
    assert len({draw.tobytes() for draw in given}) > rounds / 2
    oracle.best(y * d, round=1)
    np.testing.assert_array_equal(Tally.given[-1], Tally.given[0])


def test_adaboost_by_resampling_boosts_sf_a1b():
    """SF-A1b at work: training error falls below that of one hypothesis."""
    rng = np.random.default_rng(6)
    H = np.where(rng.random((60, 40)) < 0.65, 1.0, -1.0)
    run = train(
        matrix_sample(H, np.ones(60)), ResamplingOracle(FiniteOracle()), AdaBoost(), max_rounds=60
    )
    single = (H.mean(axis=0).max() + 1) / 2
    assert np.mean(run.margins > 0) > single + 0.1
    assert not run.certificate.certified
