"""The packed pool is a pool: the same numbers, in an eighth of the memory, on any threads."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from marginboost import LPBoostClassifier
from marginboost.datasets import circle_2d, flip_labels
from marginboost.solvers.masters.packed_pool import ROWS, PackedPool
from marginboost.solvers.masters.pool import ColumnPool


def signs(rng, m, n):
    return np.where(rng.random((m, n)) < 0.5, 1, -1).astype(np.int8)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.integers(1, 300), st.integers(1, 70), st.booleans(), st.integers(0, 10**6))
def test_the_same_as_a_plain_pool(n, m, real, seed):
    rng = np.random.default_rng(seed)
    columns = list(signs(rng, m, n))
    if real:  # one column in the middle that is not ±1: from there on it is a plain pool
        columns.insert(m // 2, rng.uniform(-1, 1, n))
    plain, packed = ColumnPool(n), PackedPool(n)
    for column in columns:
        plain.append(column)
        packed.append(column)
    coef = rng.uniform(-1, 1, len(columns)) * (rng.random(len(columns)) < 0.4)
    dual, weights = rng.normal(size=n), rng.uniform(size=n)
    for _ in range(2):
        assert len(packed) == len(plain)
        np.testing.assert_array_equal(packed.columns, plain.columns)
        np.testing.assert_array_equal(packed.block(n // 3, n), plain.columns[:, n // 3 :])
        np.testing.assert_allclose(packed.combine(coef), plain.combine(coef), atol=1e-12)
        np.testing.assert_allclose(packed.edges(dual), plain.edges(dual), atol=1e-11)
        outputs = plain.columns.astype(float)
        np.testing.assert_allclose(packed.gram(weights), outputs * weights @ outputs.T, atol=1e-10)
        kept = np.flatnonzero(rng.random(len(coef)) < 0.6)
        plain.keep(kept)
        packed.keep(kept)
        coef = coef[kept]
        for column in signs(rng, 3, n):
            plain.append(column)
            packed.append(column)
        coef = np.append(coef, [0.0, 0.5, 0.0])


@pytest.mark.parametrize("n_threads", [1, 3])
@pytest.mark.parametrize("before", [0, 3, 8])
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_columns_by_code_are_columns(before, n_threads, dtype):
    rng = np.random.default_rng(before)
    codes = rng.integers(0, 7, (4, 50)).astype(dtype)
    features, answers = np.sort(rng.integers(0, 4, 29)), signs(rng, 29, 7)
    one, many = PackedPool(50), PackedPool(50, n_threads)
    for column in signs(rng, before, 50):
        one.append(column)
        many.append(column)
    for feature, answer in zip(features, answers, strict=True):
        one.append(answer[codes[feature]])
    many.extend_by_codes(codes, features[:20], answers[:20])
    many.extend_by_codes(codes, features[20:], answers[20:])
    assert len(many) == len(one) == before + 29
    np.testing.assert_array_equal(many.columns, one.columns)


def test_votes_depend_on_nothing_but_the_columns_with_weight_and_their_bytes():
    """Columns without weight that come later, and other threads, leave every bit as it is."""
    rng = np.random.default_rng(0)
    n = ROWS + 5000
    few, many = PackedPool(n), PackedPool(n, n_threads=3)
    columns, coef = signs(rng, 60, n), rng.uniform(size=27)
    for column in columns[:27]:
        few.append(column)
    for column in columns:
        many.append(column)
    np.testing.assert_array_equal(few.combine(coef), many.combine(np.append(coef, np.zeros(33))))
    dual, whole_bytes = rng.normal(size=n), slice(24)
    np.testing.assert_array_equal(few.edges(dual)[whole_bytes], many.edges(dual)[whole_bytes])
    many.keep(np.arange(27))
    np.testing.assert_array_equal(few.gram(dual**2), many.gram(dual**2))


@pytest.mark.parametrize("solver", ["interior", "smooth"])
def test_threads_change_nothing(solver):
    X, y = circle_2d(ROWS + 3000)
    noisy, _ = flip_labels(y, 0.2, seed=0)
    settings_ = {"solver": solver, "n_estimators": 4, "nu": 0.5}
    one, three = (LPBoostClassifier(n_jobs=k, **settings_).fit(X, noisy) for k in (1, 3))
    np.testing.assert_array_equal(one.estimator_weights_, three.estimator_weights_)
    np.testing.assert_array_equal(one.dual_, three.dual_)
