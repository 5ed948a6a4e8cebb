"""Kernels of soft-margin problems, against their formulas."""

import numpy as np
import pytest

from marginboost.kernels.soft_margin import (
    PIECE,
    add_columns,
    add_tables,
    smoothed_hinge,
    smoothed_weights,
    sum_by_code,
    unpack,
)


@pytest.mark.parametrize("n_bytes", [1, 2, 4, 7])
@pytest.mark.parametrize("n_rows", [3, PIECE + 5])
def test_tables_and_sums_of_packed_columns(n_bytes, n_rows):
    rng = np.random.default_rng([n_bytes, n_rows])
    codes = rng.integers(0, 256, (n_bytes, n_rows), dtype=np.uint8)
    tables, dual = rng.normal(size=(n_bytes, 256)), rng.normal(size=n_rows)
    out, sums = np.ones(n_rows), np.full((n_bytes, 256), np.nan)
    add_tables(codes, tables, out)
    expected = 1.0 + sum(table[byte] for table, byte in zip(tables, codes, strict=True))
    np.testing.assert_allclose(out, expected, rtol=1e-12)
    sum_by_code(codes, dual, sums)
    for byte, found in zip(codes, sums, strict=True):
        np.testing.assert_allclose(found, np.bincount(byte, dual, 256), atol=1e-12)
    columns = np.empty((8 * n_bytes - 3, n_rows))
    unpack(codes, dual, columns)
    bits = np.unpackbits(codes, axis=0, bitorder="little")[: len(columns)]
    np.testing.assert_array_equal(columns, np.where(bits, dual, -dual))


def test_columns_as_they_are():
    rng = np.random.default_rng(0)
    columns, coef, out = rng.normal(size=(5, PIECE + 3)), rng.normal(size=5), np.ones(PIECE + 3)
    add_columns(columns, np.array([4, 1]), coef, out)
    np.testing.assert_allclose(out, 1.0 + coef[4] * columns[4] + coef[1] * columns[1], rtol=1e-12)


def test_smoothed_hinge():
    margins, caps = np.array([-0.5, 0.1, 0.3, 0.9]), np.array([0.3, 0.2, 0.4, 0.25])
    z, weights = (0.3 - margins) / 0.2, np.empty(4)
    total, slope = smoothed_weights(margins, 0.3, 0.2, caps, weights)
    sigma = 1.0 / (1.0 + np.exp(-z))
    np.testing.assert_allclose(weights, caps * sigma, rtol=1e-12)
    assert total == pytest.approx(weights.sum(), rel=1e-12)
    assert slope == pytest.approx((caps * sigma * (1.0 - sigma)).sum(), rel=1e-12)
    found = smoothed_hinge(margins, 0.3, 0.2, caps)
    assert found == pytest.approx((caps * np.logaddexp(0.0, z)).sum(), rel=1e-12)
