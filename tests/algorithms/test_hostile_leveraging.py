"""Leveraging, barriers and least squares on weights and targets of any size: what is proven holds.

A model's value is computed from its coefficients with 80 digits. No combination may be
better than the upper bound: the judge starts from the model and improves it by exact coordinate
steps over all stumps, so it is near the optimum where the gap is closed.
"""

import warnings

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from mpmath import mp, mpf

from marginboost import (
    BarrierBoostClassifier,
    BarrierBoostRegressor,
    GradientBoostRegressor,
    L1LeveragingClassifier,
    L2BoostRegressor,
    LeveragingClassifier,
    LeveragingRegressor,
    LSBoostRegressor,
    MadaBoostClassifier,
    Stop,
)
from marginboost.algorithms.gradient_boost_regressor import spread
from marginboost.oracles.tree_hypothesis import Tree

hostile = settings(
    derandomize=True, deadline=None, max_examples=40, database=None, phases=[Phase.generate]
)
SIZES = [0.0, 5e-324, 1e-310, 1e-200, 1e-12, 0.3, 0.1 + 0.2, 1.0, 3.0, 1e6, 1e100, 1e150]
WEIGHTS = [1e-200, 1e-9, 1.0, 2.0, 1e4, 1e6, 1e9, 1e18, 1e200]
LOG2 = mp.log(2)


@st.composite
def tables(draw, numeric):
    """Few rows with ties and constant columns, hostile targets or labels, hostile weights."""
    n = draw(st.integers(1 if numeric else 2, 8))
    columns = draw(st.integers(1, 2))
    X = np.array([[draw(st.integers(0, 2)) for _ in range(columns)] for _ in range(n)], dtype=float)
    few = draw(st.lists(st.sampled_from(SIZES), min_size=1, max_size=4))
    if numeric:
        y = np.array([draw(st.sampled_from(few)) * draw(st.sampled_from([-1, 1])) for _ in X])
    else:
        y = np.array([0, 1] + [draw(st.integers(0, 1)) for _ in X[2:]])
    some = draw(st.lists(st.sampled_from(WEIGHTS), min_size=1, max_size=3))
    w = np.array([draw(st.sampled_from(some)) for _ in X])
    return X, y, w


def fitted(model, X, y, w):
    """Fit without a single warning of arithmetic."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        return model.fit(X, y, sample_weight=w)


def check(model, X):
    """Bounds are numbers in order, and predictions finite."""
    certificate = model.certificate_
    assert np.isfinite(model.predict(X).astype(float)).all()
    assert np.isfinite([certificate.lower, certificate.upper, certificate.value]).all()
    assert certificate.lower <= certificate.upper
    assert certificate.value <= certificate.upper


# -- exact numbers ---------------------------------------------------------------------------------


def squared(r):
    return r * r / 2


def huber(r):
    return r * r / 2 if abs(r) <= 1 else abs(r) - mpf(1) / 2


def log_cosh(r):
    phi = 1 / (2 * LOG2)
    x = abs(r) / phi
    if x < mpf(10) ** -50:
        return phi * x * x / 2
    return phi * (x - LOG2 + mp.log1p(mp.exp(-2 * x)) if x < 300 else x - LOG2)


LOSSES = {"squared": squared, "huber": huber, "log-cosh": log_cosh}


def stumps(X):
    """Outputs of all stumps, both signs, of the rows that have weight."""
    columns = {tuple([1] * len(X)), tuple([-1] * len(X))}
    for column in X.T:
        for cut in np.unique(column)[:-1]:
            signs = np.where(column > cut, 1, -1)
            columns |= {tuple(signs), tuple(-signs)}
    return sorted(columns)


class Exact:
    """``C Σα + Σ w φ(y - b - Σ α h)`` in units, with 80 digits."""

    def __init__(self, phi, X, y, w, unit, price=None):
        w = np.array([mpf(float(v)) for v in w])
        used = [i for i in range(len(y)) if w[i] > max(w) * mpf(10) ** -289]
        self.phi, self.w = phi, w[used]
        self.y = np.array([mpf(float(v)) / mpf(unit) for v in y])[used]
        self.price = mpf("0.02") * sum(self.w) if price is None else price
        self.columns = [np.array([mpf(h) for h in column])[used] for column in stumps(X)]

    def loss(self, scores):
        return sum(w * self.phi(r) for w, r in zip(self.w, self.y - scores, strict=True))

    def along(self, scores, column, low=None):
        """Best step along a column, by golden section of a convex function."""
        reach = 4 * (max(abs(self.y - scores)) + 1)
        a, b = (-reach if low is None else low), reach
        price = mpf(0) if low is None else self.price
        ratio = (mp.sqrt(5) - 1) / 2
        for _ in range(60):
            left, right = b - ratio * (b - a), a + ratio * (b - a)
            if self.loss(scores + left * column) + price * left < (
                self.loss(scores + right * column) + price * right
            ):
                b = right
            else:
                a = left
        return (a + b) / 2


@pytest.mark.parametrize("steps", ["newton", "coordinate"])
@pytest.mark.parametrize("loss", LOSSES)
@settings(hostile, max_examples=6)
@given(table=tables(numeric=True))
def test_leveraging_of_numbers_brackets_the_optimum(loss, steps, table):
    X, y, w = table
    model = fitted(LeveragingRegressor(loss=loss, steps=steps, n_estimators=20), X, y, w)
    check(model, X)
    with mp.workdps(80):
        exact = Exact(LOSSES[loss], X, y, w, model.spread_)
        ones = np.array([mpf(1)] * len(exact.y))
        empty = min(
            exact.loss(b * ones)
            for b in [*exact.y, exact.along(0 * ones, ones), sum(exact.w * exact.y) / sum(exact.w)]
        )
        if empty == 0:
            return
        coef = [mpf(float(c)) / mpf(model.spread_) for c in model.estimator_weights_]
        outputs = [member(X) for member in model.estimators_]
        free = [isinstance(member, Tree) for member in model.estimators_]  # the intercept, or none
        scores = 0 * ones
        norm = sum((c for c, is_free in zip(coef, free, strict=True) if not is_free), mpf(0))
        used = [i for i in range(len(w)) if mpf(w[i]) > mpf(max(w)) * mpf(10) ** -289]
        for c, h in zip(coef, outputs, strict=True):
            scores = scores + c * np.array([mpf(float(v)) for v in h])[used]
        attained = 1 - (exact.price * norm + exact.loss(scores)) / empty
        if norm > 0:
            assert attained >= model.certificate_.value
        assert attained <= model.certificate_.upper
        step = exact.along(scores, ones)
        scores = scores + step * ones
        for column in exact.columns[:6]:  # improve it: what is attained stays below the upper bound
            step = exact.along(scores, column, mpf(0))
            scores, norm = scores + step * column, norm + step
        better = 1 - (exact.price * norm + exact.loss(scores)) / empty
        assert better <= model.certificate_.upper


def test_an_upper_bound_is_not_below_what_the_constant_attains():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(8, 2)), rng.normal(size=8)
    for weight in (1e6, 1e9, 1e18, 1e40, 1e200):
        w = np.ones(8)
        w[3] = weight
        for loss in ("huber", "squared", "log-cosh", "quantile", "epsilon-insensitive"):
            check(fitted(LeveragingRegressor(loss=loss), X, y, w), X)
    w[3] = 1e12
    assert fitted(LeveragingRegressor(C=0.1), X, y, w).certificate_.gap <= 1e-3


def test_the_intercept_is_found_where_all_slopes_are_flat():
    """A Newton step leads 120 units out, where curvatures of the loss are below 1e-40."""
    model = LeveragingRegressor(loss="log-cosh").fit([[0], [1], [2]], [0, 0, 3])
    assert model.certificate_.gap <= 1e-3
    assert model.n_iter_ <= 5


@pytest.mark.parametrize("loss", ["huber", "squared", "log-cosh", "quantile"])
@pytest.mark.parametrize("seed", range(8))
def test_targets_that_are_equal_but_for_rounding(loss, seed):
    rng = np.random.default_rng(seed)
    y = rng.choice([0.3, 0.1 + 0.2], size=40)
    y[: seed % 4] = rng.normal(size=seed % 4)
    model = LeveragingRegressor(loss=loss).fit(rng.normal(size=(40, 2)), y)
    assert model.certificate_.gap <= 1e-3
    assert model.spread_ > 1e-3


def test_newtons_method_leaves_the_flat_part_of_a_loss():
    """All labels are where Huber's loss has no curvature, so no step has a length of its own."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = X[:, 0] + 0.5 * rng.normal(size=60) > 0
    model = LeveragingClassifier(loss="huber", correction="newton", n_estimators=20).fit(X, y)
    assert model.certificate_.value > 0.3
    assert (np.diff(model.history_["lower"]) >= -1e-9).all()


# -- every estimator ends, without a foreign word --------------------------------------------------

REGRESSORS = {
    "epsilon-insensitive": LeveragingRegressor(loss="epsilon-insensitive", n_estimators=20),
    "quantile": LeveragingRegressor(loss="quantile", n_estimators=20),
    "barrier": BarrierBoostRegressor(n_estimators=60),
    "barrier steps": BarrierBoostRegressor(steps="coordinate", n_estimators=20),
    "LS": LSBoostRegressor(n_estimators=20),
    "L2": L2BoostRegressor(n_estimators=20),
}
CLASSIFIERS = {
    f"{loss} {steps}": L1LeveragingClassifier(loss=loss, steps=steps, n_estimators=20)
    for loss in ("logistic", "exponential", "squared-hinge", "huber", "log-cosh")
    for steps in ("newton", "coordinate")
} | {
    "leveraging": LeveragingClassifier(n_estimators=20),
    "newton": LeveragingClassifier(loss="huber", correction="newton", n_estimators=20),
    "sweeps": LeveragingClassifier(loss="log-cosh", correction="sweeps", n_estimators=20),
    "parallel": LeveragingClassifier(correction="parallel", n_estimators=20),
    "barrier": BarrierBoostClassifier(n_estimators=60),
    "MadaBoost": MadaBoostClassifier(n_estimators=20),
}


@pytest.mark.parametrize("name", REGRESSORS)
@hostile
@given(table=tables(numeric=True))
def test_regressors_hold_on_hostile_rows(name, table):
    check(fitted(REGRESSORS[name], *table), table[0])


@pytest.mark.parametrize("name", CLASSIFIERS)
@hostile
@given(table=tables(numeric=False))
def test_classifiers_hold_on_hostile_rows(name, table):
    X, y, w = table
    if len(set(y[w > 1e-289 * w.max()])) > 1:
        check(fitted(CLASSIFIERS[name], X, y, w), X)


@pytest.mark.parametrize("loss", ["squared", "absolute", "huber", "log-cosh", "quantile"])
@pytest.mark.parametrize("step", ["scale", "search"])
def test_gradient_boosting_of_the_smallest_numbers(loss, step):
    X = np.arange(12.0)[:, None]
    for unit in (5e-324, 1e-310, 1e-250):
        model = GradientBoostRegressor(loss=loss, step=step, n_estimators=5, min_samples_leaf=1)
        predicted = fitted(model, X, unit * (X[:, 0] > 5), np.full(12, 1e-100)).predict(X)
        assert np.isfinite(predicted).all()


def test_weights_of_a_row_with_next_to_no_prior():
    """The row of smallest margin weighs 1e-200: its weight is not the unit of all others."""
    model = fitted(MadaBoostClassifier(), [[0.0], [1.0], [0.0]], [0, 1, 1], [1.0, 1e-200, 1e-250])
    assert model.stop_reason_ in (Stop.NO_EDGE, Stop.ROUNDS, Stop.PERFECT)
    assert np.isfinite(model.dual_).all()


# -- the unit of targets ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("y", "unit"),
    [
        ([0.0, 1.0, 5.0], 1.0),
        ([0.3, 0.1 + 0.2, 0.3, 0.1 + 0.2], 1.0),
        ([5e-324, 0.0], 1.0),
        ([1e-310, 0.0, 0.0], 1.0),
        ([0.0, 0.0, 0.0, 3.0], 0.75),
        ([0.0, 5e-324, 5e-324, 1e150], 2.5e149),
        ([1e6, 1e6 + 1e-3, 1e6 - 1e-3], 1e-3),
    ],
)
def test_the_unit_is_one_that_numbers_resolve(y, unit):
    y = np.array(y)
    assert spread(y, np.full(len(y), 1 / len(y))) == pytest.approx(unit, rel=1e-6)


def test_the_unit_is_not_that_of_a_row_that_outweighs_all_others():
    assert spread(np.array([0.0, 1.0, 3.0]), np.array([1.0, 1e-9, 1e-9])) == 3.0
