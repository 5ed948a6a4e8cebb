"""Exponentials in vector lanes, against arbitrary precision."""

import mpmath
import numpy as np
import pytest

from marginboost.kernels.exponentials import exponentials
from marginboost.kernels.logistic import log_of_sum


def made(values):
    out = np.array(values, dtype=float)
    exponentials(out)
    return out


def test_within_one_unit_in_the_last_place():
    rng = np.random.default_rng(0)
    values = np.concatenate([rng.uniform(-700.0, 700.0, 300), rng.normal(size=300)])
    with mpmath.workdps(40):
        for value, found in zip(values.tolist(), made(values).tolist(), strict=True):
            exact = mpmath.exp(mpmath.mpf(value))
            assert abs(mpmath.mpf(found) - exact) < np.spacing(float(exact))


def test_ends():
    values = [0.0, -0.0, -np.inf, -746.0, -745.1, np.inf, 709.9, 709.78, np.nan]
    with np.errstate(over="ignore"):
        expected = np.exp(values)
    np.testing.assert_allclose(made(values), expected, rtol=1e-15)


def test_places_do_not_matter():
    values = np.random.default_rng(1).normal(size=37)
    np.testing.assert_array_equal(made(values)[5:], made(values[5:]))


@pytest.mark.parametrize("tail", [0.0, 1e-300, 1e-9, 0.1, 0.4142, 0.4143, 0.7, 1.0])
def test_logarithm_of_a_sum(tail):
    assert log_of_sum(tail) == pytest.approx(np.log1p(tail), rel=1e-15)
