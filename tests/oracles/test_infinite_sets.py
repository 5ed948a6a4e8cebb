"""Base learners over infinite sets: nets, kernel functions, bumps, half-spaces (R2-B1 to R2-B4)."""

import itertools
import json

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import check_grad
from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel
from sklearn.preprocessing import StandardScaler

import marginboost
from marginboost import (
    ActiveKernelOracle,
    AdaBoostClassifier,
    ArcGVClassifier,
    BarrierBoostClassifier,
    GradientBoostRegressor,
    HalfSpaceOracle,
    KernelOracle,
    LPBoostClassifier,
    LSBoostRegressor,
    NeuralNetOracle,
    NuArcClassifier,
    RBFNetOracle,
)
from marginboost.core.hypothesis import hypothesis_from_dict
from marginboost.core.sample import Sample
from marginboost.data import BinnedMatrix, Table
from marginboost.kernels.expansions import bump_edge
from marginboost.solvers.margin_lp import solve_margin_lp
from marginboost.solvers.rbf_net import Task, descend, evaluate, fit_net

ORACLES = [
    *(RBFNetOracle(), KernelOracle(), ActiveKernelOracle(), HalfSpaceOracle()),
    NeuralNetOracle(),
]
BY_NAME = pytest.mark.parametrize("oracle", ORACLES, ids=lambda o: type(o).__name__)


def rows_of(seed, n_rows=80, n_features=3):
    return np.random.default_rng(seed).normal(size=(n_rows, n_features))


def sample_of(X, y, numeric=False, **parts):
    table = Table(X, [f"x{j}" for j in range(X.shape[1])])
    make = Sample.of_targets if numeric else Sample.of_labels
    return make(y, rows=table, **parts)


def rings(seed, n_rows=120):
    X = rows_of(seed, n_rows, 2)
    return X, np.where(np.hypot(*X.T) < 1.0, "in", "out")


def net_task(seed, n_rows=40):
    rng = np.random.default_rng(seed)
    weights = rng.exponential(size=n_rows)
    goal = np.where(rng.normal(size=n_rows) > 0, 1.0, -1.0)
    return Task(rng.normal(size=(n_rows, 2)), goal, weights / weights.sum(), 1e-3)


# -- nets ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_slopes_of_a_net_are_finite_differences_c24(seed):
    task = net_task(seed)
    rng = np.random.default_rng(seed)
    centres, log_widths = rng.normal(size=(4, 2)), rng.normal(scale=0.3, size=4)

    def at(flat):
        return evaluate(task, flat[:8].reshape(4, 2), flat[8:])

    start = np.concatenate([centres.ravel(), log_widths])
    apart = check_grad(lambda f: at(f).loss, lambda f: at(f).slope, start)
    assert apart <= 1e-5 * max(1e-2, np.abs(at(start).slope).max())


def test_factors_of_a_net_are_those_of_ridge_regression():
    task = net_task(3)
    net = evaluate(task, rows_of(4, 5, 2), np.zeros(5))
    G = rbf_kernel(task.rows, net.centres, gamma=0.5)
    system = G.T @ (task.weights[:, None] * G) + task.penalty * np.eye(5)
    assert_allclose(net.coef, np.linalg.solve(system, G.T @ (task.weights * task.goal)), atol=1e-10)


def test_more_steps_never_raise_the_loss_of_a_net():
    task = net_task(5)
    losses = [fit_net(task, 6, steps, np.random.default_rng(0)).loss for steps in range(8)]
    assert (np.diff(losses) <= 0.0).all()
    assert losses[-1] < 0.9 * losses[0]


def test_a_net_moves_its_bump_to_the_one_it_learns_from():
    rows = rows_of(6, 200, 2)
    goal = np.exp(-np.sum((rows - [0.3, -0.2]) ** 2, axis=1) / (2 * 0.8**2))
    task = Task(rows, goal, np.full(200, 1 / 200), 1e-9)
    net = descend(task, evaluate(task, np.zeros((1, 2)), np.zeros(1)), 60)
    assert_allclose(net.centres[0], [0.3, -0.2], atol=1e-3)
    assert_allclose(np.exp(net.log_widths), 0.8, atol=1e-3)


def test_weights_of_rows_are_copies_for_a_net():
    task = net_task(7, 20)
    counts = np.arange(20) % 3 + 1
    copies = np.repeat(np.arange(20), counts)
    weighted = Task(task.rows, task.goal, counts / counts.sum(), 1e-3)
    copied = Task(task.rows[copies], task.goal[copies], np.full(len(copies), 1 / len(copies)), 1e-3)
    nets = [evaluate(t, rows_of(8, 3, 2), np.zeros(3)) for t in (weighted, copied)]
    assert_allclose(nets[0].slope, nets[1].slope, atol=1e-12)
    assert_allclose(nets[0].loss, nets[1].loss, atol=1e-14)


def test_large_samples_are_drawn_from():
    X, y = rows_of(9, 500), np.sign(rows_of(10, 500)[:, 0])
    oracle = RBFNetOracle(max_samples=100).bind(sample_of(X, y, seed=3))
    found = oracle.best(y / 500, round=2)[0]
    assert len(found.column) == 500
    assert_array_equal(oracle.best(y / 500, round=2)[0].column, found.column)
    assert (oracle.best(y / 500, round=3)[0].column != found.column).any()


# -- kernel functions ------------------------------------------------------------------------------


@pytest.mark.parametrize("kernel", ["rbf", "poly"])
@pytest.mark.parametrize("seed", range(3))
def test_kernel_functions_against_all_of_them_c25(kernel, seed):
    X, dual = rows_of(seed), np.random.default_rng(seed).normal(size=80) / 80
    Z = StandardScaler().fit_transform(X)
    if kernel == "rbf":
        K, bound = rbf_kernel(Z, gamma=1 / 3), 1.0
    else:
        K = polynomial_kernel(Z, gamma=1 / 3, degree=3, coef0=1.0)
        bound = K.max()
    sample = sample_of(X, np.sign(dual))
    found = KernelOracle(kernel).bind(sample).best(dual, 5)
    expected = np.sort(np.abs(K @ dual))[::-1] / bound
    assert_allclose([candidate.edge for candidate in found], expected[:5], atol=1e-10)
    whole = KernelOracle(kernel, norm=2).bind(sample).best(dual)[0]
    size = np.sqrt((K**2).sum(axis=1).max())
    assert_allclose(whole.edge, np.linalg.norm(K @ dual) / size, atol=1e-10)
    directions = np.random.default_rng(seed).normal(size=(50, 80))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    assert (directions @ (K @ dual) / size <= whole.edge + 1e-12).all()


def test_column_generation_is_the_program_over_all_kernels_c25():
    X, y = rings(1, 60)
    model = LPBoostClassifier(KernelOracle(gamma=1.0), nu=None, n_estimators=300, tol=1e-9)
    model.fit(X, y)
    K = rbf_kernel(StandardScaler().fit_transform(X), gamma=1.0)
    signs = np.where(y == model.classes_[1], 1.0, -1.0)
    best = solve_margin_lp(signs[:, None] * np.hstack([K, -K])).value
    assert model.certified_
    assert_allclose(model.certificate_.value, best, atol=1e-7)
    assert model.certificate_.upper >= best - 1e-9


def test_edges_need_no_matrix_of_all_pairs():
    X = rows_of(2, 3000, 2)
    dual = np.sign(X[:, 0]) / 3000
    one, two = (
        KernelOracle().bind(sample_of(X, np.sign(dual), n_threads=n)).best(dual, 3) for n in (1, 2)
    )
    assert [c.edge for c in one] == [c.edge for c in two]
    whole = np.abs(rbf_kernel(StandardScaler().fit_transform(X), gamma=0.5) @ dual)
    assert_allclose(one[0].edge, whole.max(), atol=1e-10)


def test_dense_expansions_are_refused_on_long_tables():
    X = np.arange(20_001.0)[:, None]
    with pytest.raises(ValueError, match="norm=2: got 20001 rows, expected at most 20000"):
        KernelOracle(norm=2).bind(sample_of(X, np.ones(20_001)))


# -- bumps -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_slope_of_a_bump_is_the_finite_difference(seed):
    X = rows_of(seed)
    dual = np.random.default_rng(seed).normal(size=80)
    oracle = ActiveKernelOracle().bind(sample_of(X, np.sign(dual)))
    rows = StandardScaler().fit_transform(X)

    def at(where):
        slope = np.empty(4)
        rate = 0.5 * np.exp(-2.0 * where[3])
        return bump_edge(rows, dual, where[:3].copy(), rate, slope), slope

    where = np.append(rows_of(seed + 9, 1, 3)[0], 0.2)
    assert check_grad(lambda w: at(w)[0], lambda w: at(w)[1], where) < 1e-5
    assert not oracle.exact


def test_bumps_beat_those_on_the_rows():
    X, dual = rows_of(4), np.random.default_rng(4).normal(size=80) / 80
    sample = sample_of(X, np.sign(dual))
    best = ActiveKernelOracle().bind(sample).best(dual, 3)
    fixed = max(
        KernelOracle(gamma=0.5 / (w**2 * 3)).bind(sample).best(dual)[0].edge
        for w in (0.25, 0.5, 1.0, 2.0)
    )
    assert best[0].edge > fixed
    still = ActiveKernelOracle(max_iter=0).bind(sample).best(dual)[0]
    assert_allclose(still.edge, fixed, atol=1e-12)


def test_a_bump_between_the_rows_is_found():
    X = np.array([[-1.0], [1.0], [-9.0], [9.0]])
    dual = np.array([0.25, 0.25, -0.25, -0.25])
    found = ActiveKernelOracle().bind(sample_of(X, np.sign(dual))).best(dual)[0]
    centre = found.hypothesis.points[0, 0]
    assert abs(centre) < 0.05
    assert found.edge > 0.45


# -- half-spaces -----------------------------------------------------------------------------------


def test_both_halves_have_one_edge_when_weights_sum_to_zero_c26():
    X = rows_of(5)
    dual = np.random.default_rng(5).normal(size=80)
    dual -= dual.mean()
    sample = sample_of(X, dual, numeric=True)
    above, below = HalfSpaceOracle().bind(sample).best(dual, 2)
    assert_allclose(above.edge, below.edge, atol=1e-12)
    assert {c.hypothesis.side for c in (above, below)} == {-1, 1}
    whole = HalfSpaceOracle(columns="sign").bind(sample).best(dual)[0]
    assert_allclose(whole.edge, above.edge + below.edge, atol=1e-12)


def test_a_small_delta_leaves_few_features():
    X = rows_of(6, 100, 20)
    dual = np.where(X[:, 2] + 0.5 * X[:, 7] > 0, 0.01, -0.01)
    sample = sample_of(X, np.sign(dual))
    planes = [HalfSpaceOracle(d).bind(sample).best(dual)[0].hypothesis for d in (0.5, 50.0)]
    few, many = (int((np.abs(p.weights) > 1e-9).sum()) for p in planes)
    assert few <= 3 < many
    assert np.abs(planes[0].weights).sum() <= 0.5 + 1e-9


def test_one_feature_gives_the_best_cut():
    X = np.array([0.0, 1.0, 2.0, 3.0, 4.0, 5.0])[:, None]
    dual = np.array([-1, -1, -1, 1, 1, 1]) / 6
    found = HalfSpaceOracle(delta=100.0).bind(sample_of(X, np.sign(dual))).best(dual)[0]
    assert found.edge == pytest.approx(1.0)
    assert found.binary


# -- all of them -----------------------------------------------------------------------------------


@BY_NAME
def test_threads_change_nothing_and_files_keep_all(oracle, tmp_path):
    X, y = rings(2)
    one, two = (AdaBoostClassifier(oracle, n_estimators=4, n_jobs=n).fit(X, y) for n in (1, 2))
    far = rows_of(3, 20_000, 2)
    assert_array_equal(one.decision_function(far), two.decision_function(far))
    one.save(tmp_path / "model.json")
    again = marginboost.load(tmp_path / "model.json")
    assert_array_equal(again.decision_function(far), one.decision_function(far))
    assert again.estimators_ == one.estimators_
    assert type(again.estimator) is type(oracle)
    assert hash(again.estimators_[0]) == hash(one.estimators_[0])


@BY_NAME
def test_rows_of_every_sort(oracle):
    X, y = rings(4)
    frame = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "same": 1.0})
    frame["sort"] = pd.Categorical(np.where(X[:, 0] > 0, "p", "q"))
    frame.loc[::7, "a"] = np.nan
    frame.loc[::11, "sort"] = None
    model = AdaBoostClassifier(oracle, n_estimators=5).fit(frame, y)
    assert model.score(frame, y) > 0.7
    shares = model.feature_importances_
    assert shares[2] == 0.0
    assert shares.sum() == pytest.approx(1.0)
    mean = frame["a"].mean()
    filled, empty = frame[:1].assign(a=mean), frame[:1].assign(a=np.nan)
    assert_allclose(model.decision_function(filled), model.decision_function(empty), atol=1e-9)


@BY_NAME
@pytest.mark.parametrize("n_rows", [2, 5])
def test_tiny_and_constant_tables(oracle, n_rows):
    y = np.arange(n_rows) % 2
    AdaBoostClassifier(oracle, n_estimators=3).fit(np.ones((n_rows, 2)), y)
    X = np.arange(2.0 * n_rows).reshape(n_rows, 2)
    X[0, 0] = 1e200
    model = AdaBoostClassifier(oracle, n_estimators=3).fit(X, y)
    assert np.isfinite(model.decision_function(X)).all()


@pytest.mark.filterwarnings("ignore:nu=0.3")
@BY_NAME
@pytest.mark.parametrize(
    "kind",
    [
        *(AdaBoostClassifier, ArcGVClassifier, BarrierBoostClassifier, LPBoostClassifier),
        NuArcClassifier,
    ],
)
def test_every_sort_of_algorithm_takes_them(oracle, kind):
    X, y = rings(5, 80)
    model = kind(oracle, n_estimators=8).fit(X, y)
    if not isinstance(oracle, HalfSpaceOracle):  # planes through the middle of a ring say little
        assert model.score(X, y) > 0.8


@BY_NAME
def test_regressors_take_them(oracle):
    X = np.linspace(-3.0, 3.0, 80)[:, None]
    y = 5.0 + np.sinc(X[:, 0])
    model = GradientBoostRegressor(oracle, step="search", n_estimators=30, learning_rate=0.5)
    assert model.fit(X, y).score(X, y) > 0.4
    assert LSBoostRegressor(oracle, n_estimators=15).fit(X, y - 5.0).score(X, y - 5.0) > 0.5


@BY_NAME
def test_binned_rows_are_refused(oracle):
    X, y = rings(6)
    with pytest.raises(TypeError, match="expected raw rows: bins have no size"):
        AdaBoostClassifier(oracle).fit(BinnedMatrix.from_table(Table(X, ["a", "b"])), y)


BAD_SETTINGS = [
    (RBFNetOracle(n_centers=0), "n_centers"),
    (RBFNetOracle(l2_regularization=0.0), "l2_regularization"),
    (RBFNetOracle(max_samples=1), "max_samples"),
    (NeuralNetOracle(n_hidden=0), "n_hidden"),
    (NeuralNetOracle(max_iter=0), "max_iter"),
    (NeuralNetOracle(l2_regularization=-1.0), "l2_regularization"),
    (KernelOracle("sigmoid"), "kernel"),
    (KernelOracle(gamma=0.0), "gamma"),
    (KernelOracle(degree=21), "degree"),
    (KernelOracle(coef0=-1.0), "coef0"),
    (KernelOracle(norm=3), "norm"),
    (ActiveKernelOracle(n_starts=0), "n_starts"),
    (HalfSpaceOracle(delta=0.0), "delta"),
    (HalfSpaceOracle(columns="both"), "columns"),
]


@pytest.mark.parametrize(("oracle", "name"), BAD_SETTINGS, ids=lambda v: str(v))
def test_bad_settings_end_before_any_row(oracle, name):
    with pytest.raises(ValueError, match=f"^{name}: got"):
        AdaBoostClassifier(oracle).fit(None, None)


def hostile(data):
    """Plain data with one part replaced."""
    values = (None, True, -1, 1e308, 2**70, "x", [], [[]], [None], [1e400], [0.0] * 3, {}, [-5])
    for key, value in itertools.product([k for k in data if k != "kind"], values):
        yield {**data, key: value}


@BY_NAME
def test_hostile_data_is_refused_or_answers(oracle):
    X, y = rings(7, 30)
    model = AdaBoostClassifier(oracle, n_estimators=1).fit(X, y)
    data = json.loads(json.dumps(model.estimators_[0].to_dict()))
    refused = 0
    for bad in hostile(data):
        try:
            member = hypothesis_from_dict(bad)
            member.check_features([None, None])
        except ValueError:
            refused += 1
            continue
        with np.errstate(over="ignore", invalid="ignore"):
            assert (np.abs(member(np.vstack([X, np.full((1, 2), np.nan)]))) <= 1.0).all()
    assert refused > 50


def test_a_category_that_a_model_does_not_have_is_refused():
    X = pd.DataFrame({"c": pd.Categorical(list("ababba")), "x": np.arange(6.0)})
    model = AdaBoostClassifier(KernelOracle(), n_estimators=1).fit(X, [0, 1, 0, 1, 1, 0])
    member = model.estimators_[0]
    member.check_features([np.array(["a", "b"]), None])
    with pytest.raises(ValueError, match="feature 0 has no category 1"):
        member.check_features([np.array(["a"]), None])
    with pytest.raises(ValueError, match="feature 1 is categorical and has no size"):
        member.check_features([np.array(["a", "b"]), np.array(["a"])])
