"""Histograms that are updated are those made anew; the kernels behind them and the pool."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import marginboost.oracles.histograms as histograms_module
from marginboost import AdaBoostClassifier, BinnedMatrix
from marginboost.kernels import reference
from marginboost.kernels.incremental_histograms import ALL, update_histograms
from marginboost.kernels.soft_margin import smoothed_hinge, smoothed_weights
from marginboost.oracles.histograms import FRESH_ROUNDS, WeightHistograms
from marginboost.solvers.masters.pool import ColumnPool


def make_rows(n=6000, d=25, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    X[:, 1] = rng.integers(0, 4, size=n)
    X[rng.random(X.shape) < 0.05] = np.nan
    y = np.nan_to_num(X[:, :5]).sum(axis=1) + rng.normal(size=n) > 0
    return X, y


@pytest.mark.parametrize(
    "settings_", [{}, {"learning_rate": 0.3}, {"target_margin": -0.2}], ids=str
)
def test_following_changes_nothing(monkeypatch, settings_):
    """The same hypotheses and, since edges are measured on columns, the same bits."""
    X, y = make_rows()
    assert X.size > histograms_module.INCREMENTAL_WORK
    assert len(X) > histograms_module.INCREMENTAL_ROWS
    following = AdaBoostClassifier(n_estimators=80, **settings_).fit(X, y)
    monkeypatch.setattr(histograms_module, "INCREMENTAL_WORK", 10**12)
    anew = AdaBoostClassifier(n_estimators=80, **settings_).fit(X, y)
    assert following.estimators_ == anew.estimators_
    np.testing.assert_array_equal(following.estimator_weights_, anew.estimator_weights_)


def test_incremental_histograms_stay_exact(monkeypatch):
    """In every round the updated sums agree with a plain count to 1e-13, seldom made anew."""
    X, y = make_rows()
    calls = {"_apply_change": 0, "_begin": 0}
    real = WeightHistograms.update

    def checked(self, dual, *change):
        signed = real(self, dual, *change)
        for j, codes in enumerate(self._codes):
            plain = reference.histogram(codes, dual, signed.shape[1])
            np.testing.assert_allclose(signed[j], plain, atol=1e-13)
        return signed

    for name in calls:
        method = getattr(WeightHistograms, name)

        def counted(self, *args, _name=name, _method=method):
            calls[_name] += 1
            return _method(self, *args)

        monkeypatch.setattr(WeightHistograms, name, counted)
    monkeypatch.setattr(WeightHistograms, "update", checked)
    AdaBoostClassifier(n_estimators=60).fit(X, y)
    assert calls["_apply_change"] > 40
    assert calls["_begin"] >= 60 // FRESH_ROUNDS


def test_other_weights_are_not_followed():
    """Without a known change, or with one about another hypothesis, the sums are made anew."""
    X, y = make_rows()
    bins = BinnedMatrix.from_data(X)
    histograms = WeightHistograms(bins, 1)
    for seed in range(3):
        dual = np.random.default_rng(seed).normal(size=len(y))
        signed = histograms.update(dual)
        np.testing.assert_allclose(signed[0], reference.histogram(bins.codes[0], dual, 256))


@settings(max_examples=40, deadline=None, derandomize=True)
@given(st.integers(1, 200), st.integers(1, 12), st.sampled_from([-1, 1]), st.integers(0, 10**6))
def test_sums_follow_the_weights(n, d, side, seed):
    """Made anew, and then updated through one change of the weights: plain counts by label."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 256, size=(d, n), dtype=np.uint8)
    dual, column = rng.normal(size=n), np.where(rng.random(n) < 0.4, 1, -1).astype(np.int8)
    bins = SimpleNamespace(codes=codes, n_features=d, n_bins=np.full(d, 255))
    job = WeightHistograms(bins, 1)._new_job(dual)

    def check():
        for label, sign in enumerate((1, -1)):
            mine = np.sign(dual) == sign
            for j in range(d):
                expected = reference.histogram(codes[j][mine], np.abs(dual[mine]), 256)
                np.testing.assert_allclose(job.sums[j, :, label], expected, atol=1e-12)
                signed = reference.histogram(codes[j], dual, 256)
                np.testing.assert_allclose(job.signed[j], signed, atol=1e-12)

    update_histograms(job, ALL)
    check()
    job.factors[:] = rng.uniform(0.5, 2.0, size=(2, 2))
    selected, label = np.where(column == side, 0, 1), np.where(dual < 0, 1, 0)
    dual *= job.factors[selected, label]
    job.column[:] = column
    update_histograms(job, side)
    check()


@settings(max_examples=40, deadline=None, derandomize=True)
@given(st.integers(1, 100), st.integers(1, 40), st.booleans(), st.integers(0, 10**6))
def test_pool_is_a_matrix(n, m, real, seed):
    rng = np.random.default_rng(seed)
    matrix = np.where(rng.random((m, n)) < 0.5, 1, -1).astype(np.int8)
    columns = matrix * rng.uniform(size=(m, n)) if real else matrix
    pool = ColumnPool(n)
    for column in columns:
        pool.append(column)
    coef, dual = rng.uniform(size=m) * (rng.random(m) < 0.6), rng.normal(size=n)
    np.testing.assert_allclose(pool.combine(coef), coef @ columns, atol=1e-12)
    np.testing.assert_allclose(pool.edges(dual), columns @ dual, atol=1e-12)
    kept = np.flatnonzero(rng.random(m) < 0.5)
    pool.keep(kept)
    np.testing.assert_array_equal(pool.columns, columns[kept])


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.floats(-2, 2), st.sampled_from([1e-9, 1e-3, 1.0]), st.integers(0, 10**6))
def test_smoothed_hinge_and_its_weights(rho, beta, seed):
    rng = np.random.default_rng(seed)
    margins, caps, out = rng.normal(size=50), rng.uniform(size=50), np.empty(50)
    z = (rho - margins) / beta
    total, slope = smoothed_weights(margins, rho, beta, caps, out)
    share = np.exp(-np.logaddexp(0, -z))
    np.testing.assert_allclose(out, caps * share, rtol=1e-12, atol=1e-300)
    np.testing.assert_allclose([total, slope], [out.sum(), out @ (1 - share)], atol=1e-10)
    hinge = smoothed_hinge(margins, rho, beta, caps)
    np.testing.assert_allclose(hinge, caps @ np.logaddexp(0, z), rtol=1e-11)
