"""Bounds on regression programs against rational arithmetic, on numbers of any size."""

import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exact_programs import all_stumps, largest, tube_cost, tube_gain
from marginboost import BarrierBoostRegressor, LPBoostRegressor
from marginboost.estimators.base import check_on
from marginboost.solvers.intercept_loss import TubeBarrier
from marginboost.solvers.masters.quantile import _intervals
from marginboost.solvers.masters.tube import FixedTube, NuTube, QuantileTube, topmost
from marginboost.solvers.masters.tube_bounds import TubeBounds
from strategies import theory

SIZES = [5e-324, 1e-310, 1e-300, 1e-12, 1.0, 1e6, 1e100, 1e149]
FORMS = [
    {},
    {"nu": 0.05},
    {"epsilon": 0.0},
    {"epsilon": 1e-3},
    {"epsilon": 1e300},
    {"loss": "quantile", "quantile": 0.9},
]
many = settings(theory, max_examples=150)


@st.composite
def tables(draw, most_rows=5):
    """Few rows, mostly equal targets beside others, weights from 1e-200 to 1e200."""
    n = draw(st.integers(1, most_rows))
    number = st.builds(lambda a, b: a * b, st.floats(-9.0, 9.0).map(lambda v: round(v, 2)),
                       st.sampled_from(SIZES))  # fmt: skip
    target = st.one_of(st.sampled_from([0.3, 0.1 + 0.2, 0.0, -1.0]), number)
    y = draw(st.lists(target, min_size=n, max_size=n))
    size = st.sampled_from([1e-200, 1e-17, 0.3, 1.0, 1e6, 1e200])
    weights = draw(st.lists(size, min_size=n, max_size=n)) if draw(st.booleans()) else [1.0] * n
    X = draw(st.lists(st.integers(0, 2), min_size=2 * n, max_size=2 * n))
    return np.array(X, dtype=float).reshape(n, 2), np.array(y), np.array(weights)


@many
@given(
    tables(),
    st.sampled_from(FORMS),
    st.sampled_from([None, 2.0, 1e4]),
    st.sampled_from(["simplex", "interior", "smooth"]),
)
def test_certificates_hold_in_rational_arithmetic(table, form, C, solver):
    X, y, weights = table
    model = LPBoostRegressor(C=C, solver=solver, n_jobs=1, **form)
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        model.fit(X, y, sample_weight=weights)
    assert np.isfinite(model.predict(X)).all()
    found = model.certificate_
    assert found.lower <= found.upper
    assert found.value <= found.upper
    used = np.where(weights < 1e-290 * weights.max(), 0.0, weights)
    price = check_on(model, X, y, weights).rule.price
    kind = {"nu": model.nu} if model.epsilon is None else {"epsilon": model.epsilon}
    kind = kind if model.loss != "quantile" else {"quantile": model.quantile}
    best = tube_gain(X, y, used, price, model.spread_, **kind)
    assert np.isneginf(found.lower) or found.lower <= best
    assert np.isposinf(found.upper) or best <= found.upper
    assert found.certified == bool(np.isfinite([found.lower, found.upper]).all())


@many
@given(
    tables(),
    st.sampled_from([0.05, 0.5, 1.0]),
    st.sampled_from([2.0, 1e4]),
    st.sampled_from(["newton", "coordinate"]),
)
def test_certificates_of_the_barrier_hold_in_rational_arithmetic(table, nu, C, steps):
    """Its bounds are shares of the best constant's cost."""
    X, y, weights = table
    model = BarrierBoostRegressor(nu=nu, C=C, steps=steps, n_estimators=10, n_jobs=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        model.fit(X, y, sample_weight=weights)
    assert np.isfinite(model.predict(X)).all()
    found = model.certificate_
    assert found.lower <= found.upper
    assert found.value <= found.upper
    used = np.where(weights < 1e-290 * weights.max(), 0.0, weights)
    constant = tube_cost(y, used, nu=nu)
    price = check_on(model, X, y, weights).rule.price
    best = tube_gain(X, y, used, price, constant, nu=nu) if constant else 0
    assert found.lower <= best
    assert np.isposinf(found.upper) or best <= found.upper


@pytest.mark.parametrize("solver", ["simplex", "interior", "smooth"])
def test_nothing_is_gained_by_a_constant_feature(solver):
    """Targets near 0 that differ by rounding, beside two far away."""
    rng = np.random.default_rng(0)
    y = np.append(1e-16 * rng.normal(size=11), [-1131.0, -198.0])
    model = LPBoostRegressor(epsilon=0.0, C=10.0, solver=solver).fit(np.ones((13, 1)), y)
    assert model.certificate_.lower == 0.0
    assert model.certificate_.upper >= 0.0


@pytest.mark.parametrize("solver", ["simplex", "interior", "smooth"])
@pytest.mark.parametrize("form", FORMS)
def test_targets_equal_but_for_rounding(solver, form):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(40, 2))
    y = np.where(rng.random(40) < 0.5, 0.3, 0.1 + 0.2)
    y[:4] = [1.0, -5.0, 40.0, 0.0]
    found = LPBoostRegressor(solver=solver, **form).fit(X, y).certificate_
    assert found.lower <= found.upper
    assert found.value <= found.upper


def test_bounds_of_ordinary_numbers_are_close():
    """Counting all rounding against them costs no more than 1e-8."""
    rng = np.random.default_rng(2)
    y, p = rng.normal(size=2000), np.full(2000, 1 / 2000)
    for tube in (
        FixedTube(y, p, 0.01, epsilon=0.5),
        NuTube(y, p, 0.01, nu=0.4),
        QuantileTube(y, p, 0.01, quantile=0.7),
    ):
        bounds, weights = TubeBounds(tube), tube.first_weights()
        assert 0.0 <= bounds.most - bounds.least <= 1e-12
        assert bounds.least <= tube.empty <= bounds.most
        edge = float(np.abs(weights[:1000].sum()))
        assert 0.0 <= bounds.upper(weights, edge) - tube.upper(weights, edge) <= 1e-8
        scores = 0.1 * np.sign(y)
        best = tube.best_tube(y - scores)
        lost = tube.value(scores, 0.1) - bounds.lower(scores, best, 0.1, 1)
        assert 0.0 <= lost <= 1e-12


def test_weights_in_rows_without_weight_prove_something():
    """A row of weight 1e-200 is kept in its box by itself: others need not wait for it."""
    y, prior = np.array([0.0, 1.0, 5.0]), np.array([0.5, 0.5, 1e-200])
    tube = FixedTube(y, prior, 1.0, epsilon=0.0)
    dual = np.array([-0.5, 0.5 - 1e-9, 1e-9])
    assert TubeBounds(tube).upper(dual, 0.0) <= 1e-8
    assert TubeBounds(tube).upper(np.full(3, 1 / 3), 0.0) >= tube.empty


@many
@given(tables(), st.floats(0.05, 1.0))
def test_cost_of_the_best_constant_lies_between_its_bounds(table, share):
    _, y, weights = table
    y = np.where(np.abs(y) > 1e12, 1.0, y)
    p = weights / weights.sum()
    p = np.where(p < 1e-290, 1e-290, p)
    for tube, kind in (
        (FixedTube(y, p, 1.0, epsilon=share), {"epsilon": share}),
        (NuTube(y, p, 1.0, nu=share), {"nu": share}),
        (QuantileTube(y, p, 1.0, quantile=share / 2), {"quantile": share / 2}),
    ):
        bounds, cost = TubeBounds(tube), tube_cost(y, p, **kind)
        assert bounds.least <= cost <= bounds.most


@many
@given(tables(), st.floats(0.05, 1.0), st.sampled_from([1e-3, 1.0]))
def test_bounds_of_the_barrier_hold_in_rational_arithmetic(table, nu, beta):
    """The barrier's bounds on the linear program: of the best constant, and of all stumps."""
    X, y, weights = table
    y = np.where(np.abs(y) > 1e12, 1.0, y)
    p = np.maximum(weights / weights.sum(), 1e-290)
    barrier = TubeBarrier(NuTube(y, p, 0.1, nu=nu), SimpleNamespace(n_threads=1), beta)
    least, most = barrier.empty()
    assert least <= tube_cost(y, p, nu=nu) <= most
    columns = [*all_stumps(X), *-all_stumps(X)]
    dual = barrier.dual(np.zeros(len(y)))
    edge = max((float(column @ dual) for column in columns), default=0.0)
    best = tube_cost(y, p, 0.1, columns, nu=nu)
    assert barrier.bound(dual, edge) <= best
    for column in columns:
        assert barrier.most(0.5 * column, 0.5, 1) >= best


def test_topmost_takes_the_largest_first():
    rng = np.random.default_rng(4)
    values, masses = rng.normal(size=50), rng.random(50)
    taken = topmost(values, masses, 7.0)
    assert taken.sum() == pytest.approx(7.0)
    partly = (taken > 0.0) & (taken < masses)
    assert partly.sum() <= 1
    assert values[taken == masses].min() > values[taken == 0.0].max()


def test_rational_programs_agree_with_a_solver_of_other_hands():
    """The judge is judged: its simplex method against HiGHS."""
    from scipy.optimize import linprog

    rng = np.random.default_rng(5)
    for _ in range(20):
        matrix, costs = rng.integers(-3, 4, (6, 4)), rng.integers(-2, 5, 4)
        matrix = np.vstack([matrix, np.eye(4, dtype=int)])
        most = rng.integers(0, 6, 10)
        found = largest(costs.tolist(), matrix.tolist(), most.tolist())
        assert float(found) == pytest.approx(-linprog(-costs, matrix, most).fun)
    assert all_stumps([[0.0], [1.0], [1.0]]).tolist() == [[1, -1, -1]]


def test_intervals_of_numbers_next_to_zero():
    """Numbers that have no halves are sorted all the same."""
    values = np.array([0.0, 5e-324, 1e-323])
    assert (np.diff(_intervals(values, 0.0, 1e-323)) > 0).all()
    wide = np.array([-1.7e308, 0.0, 1.7e308])
    assert (np.diff(_intervals(wide, -1.7e308, 1.7e308)) > 0).all()
