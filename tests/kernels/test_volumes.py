"""The volume kernels against their NumPy references."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from marginboost.kernels import volumes
from marginboost.kernels.reference import volumes as reference

FAST = settings(derandomize=True, deadline=None, max_examples=60, database=None)


@st.composite
def divisions(draw):
    """Pieces of some axes, levels with ties, rows anywhere."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    sizes = draw(st.lists(st.integers(1, 7), min_size=0, max_size=4))
    first = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    ends = [np.sort(rng.random(size - 1)) for size in sizes]
    low = np.concatenate([[], *(np.append(0.0, end) for end in ends)])
    high = np.concatenate([[], *(np.append(end, 1.0) for end in ends)])
    whole = draw(st.booleans())
    levels = rng.integers(-2, 3, first[-1]) * 0.25 if whole else rng.normal(size=first[-1])
    n = draw(st.integers(0, 30))
    columns = [rng.integers(first[j], first[j + 1], n) for j in range(len(sizes))]
    pieces = np.array(columns, dtype=np.int32).reshape(len(sizes), n).T
    return np.ascontiguousarray(pieces), levels, first, low, high


@FAST
@given(divisions())
def test_sum_levels(division):
    pieces, levels, *_ = division
    out = np.full(len(pieces), np.nan)
    volumes.sum_levels(pieces, levels, out)
    np.testing.assert_allclose(out, reference.sum_levels(pieces, levels), atol=1e-14)


@FAST
@given(divisions(), st.sampled_from([0.0, 1e-12, 0.3, -0.3]))
def test_decision_shares(division, tie):
    pieces, levels, first, low, high = division
    out = np.empty(len(pieces))
    volumes.sum_levels(pieces, levels, out)
    volumes.decision_shares(pieces, levels, first, low, high, tie, out)
    expected = reference.decision_shares(pieces, levels, first, low, high, tie)
    np.testing.assert_allclose(np.exp(out), expected, rtol=1e-12)


@FAST
@given(divisions())
def test_running_extremes(division):
    _, levels, first, *_ = division
    extremes = volumes.running_extremes(levels, first)
    for start, stop in pairwise(first):
        for piece in range(start, stop):
            ahead, behind = levels[piece:stop], levels[start : piece + 1]
            expected = [ahead.min(), ahead.max(), behind.min(), behind.max()]
            np.testing.assert_array_equal(extremes[:, piece], expected)


def test_a_share_far_below_the_range_of_floats():
    """400 axes, a tenth of each: 1e-400 is no float, its logarithm is."""
    n_axes = 400
    first = np.arange(0, 2 * n_axes + 1, 2)
    low, high = np.tile([0.0, 0.1], n_axes), np.tile([0.1, 1.0], n_axes)
    pieces = first[None, :-1].astype(np.int32)
    levels = np.tile([1.0, -1.0 - 2 * n_axes], n_axes)
    out = np.array([float(n_axes)])
    volumes.decision_shares(pieces, levels, first, low, high, 0.0, out)
    assert out[0] == pytest.approx(n_axes * np.log(0.1), rel=1e-13)
