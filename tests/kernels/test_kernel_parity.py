"""Every kernel against its NumPy reference, on inputs made to find the seams."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from marginboost.kernels import binning, predict, reference, stumps, weights
from marginboost.kernels.exact import LARGEST_WEIGHT, rounded
from marginboost.kernels.jit import COMPILED

FAST = settings(deadline=None, max_examples=60)
SEAMS = [63, 64, 65, 16383, 16384, 16385] if COMPILED else [63, 64, 65]
SIZES = st.one_of(st.integers(0, 40), st.sampled_from(SEAMS))
FINITE = st.floats(-1e300, 1e300, allow_nan=False)
VALUES = st.one_of(st.just(np.nan), st.sampled_from([-1.0, -0.0, 0.0, 0.5, 1.0]), FINITE)
CODE_TYPES = st.sampled_from([np.uint8, np.uint16, np.uint32])
ONE = st.just(1)


def sorted_cuts(most):
    return st.lists(FINITE, max_size=most, unique=True).map(lambda cuts: np.array(sorted(cuts)))


@st.composite
def weighted_codes(draw, n_features=ONE, types=CODE_TYPES):
    """Codes of some features, signed weights that sum to one in absolute value, bins."""
    n, d, dtype = draw(SIZES), draw(n_features), draw(types)
    n_bins = draw(st.integers(1, 255 if dtype == np.uint8 else 1000))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    dual = rng.normal(size=n) if draw(st.booleans()) else rng.choice([-1.0, 0.0, 1.0], size=n)
    codes = rng.integers(0, n_bins + 1, size=(d, n)).astype(dtype)
    return codes, dual / max(1.0, np.abs(dual).sum()), n_bins


def some_histogram(draw):
    n_bins = draw(st.integers(1, 300))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    if draw(st.booleans()):
        histogram = rng.normal(size=n_bins + 1)
        return histogram / np.abs(histogram).sum(), n_bins
    # Multiples of 2**-12 add without rounding: ties are exact.
    return rng.integers(-2, 3, size=n_bins + 1) * 2.0**-12, n_bins


histograms = st.composite(some_histogram)


@FAST
@given(hnp.arrays(np.float64, st.integers(0, 50), elements=VALUES), sorted_cuts(40), CODE_TYPES)
def test_assign_bins(values, cuts, dtype):
    codes = np.empty(len(values), dtype=dtype)
    binning.assign_bins(values, cuts, codes)
    np.testing.assert_array_equal(codes, reference.assign_bins(values, cuts))


@FAST
@given(sorted_cuts(260))
def test_values_on_and_next_to_the_cuts(cuts):
    around = np.concatenate([cuts, np.nextafter(cuts, -np.inf), np.nextafter(cuts, np.inf)])
    codes = np.empty(len(around), dtype=np.uint16)
    binning.assign_bins(around, cuts, codes)
    np.testing.assert_array_equal(codes, reference.assign_bins(around, cuts))


@FAST
@given(st.data(), SIZES, st.sampled_from("CF"), st.sampled_from([np.float32, np.float64]))
def test_assign_block_is_assign_bins_a_feature(data, n, order, dtype):
    d = data.draw(st.integers(1, 3))
    cuts = [data.draw(sorted_cuts(254)) for _ in range(d)]
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    block = rng.normal(size=(n, d))
    block[rng.random((n, d)) < 0.2] = np.nan
    for j, mine in enumerate(cuts):  # half of the values sit on a cut
        if len(mine):
            on = rng.random(n) < 0.5
            block[on, j] = rng.choice(mine, size=int(on.sum()))
    with np.errstate(over="ignore"):
        block = np.asarray(np.nan_to_num(block.astype(dtype), nan=np.nan), order=order)
    codes = np.empty((d, n), dtype=np.uint8)
    padded = np.array([binning.pad_narrow(mine) for mine in cuts])
    binning.assign_block(block, padded, np.array([len(mine) for mine in cuts]), codes)
    for j in range(d):
        np.testing.assert_array_equal(
            codes[j], reference.assign_bins(block[:, j].astype(np.float64), cuts[j])
        )


@FAST
@given(st.one_of(sorted_cuts(255), st.integers(0, 255).map(lambda k: np.arange(float(k)))), VALUES)
def test_both_searches_count_the_cuts_below(cuts, value):
    expected = int((cuts < value).sum())
    assert binning.count_below(cuts, value) == expected
    assert binning.count_below_narrow(binning.pad_narrow(cuts), value) == expected


@pytest.mark.parametrize("size", [0, 1, 2, 3, 30, 31, 32, 254, 255])
def test_narrow_search_at_every_position(size):
    cuts = np.arange(float(size))
    padded = binning.pad_narrow(cuts)
    for value in [-np.inf, *np.arange(-0.5, size + 1, 0.5), np.inf]:
        assert binning.count_below_narrow(padded, value) == (cuts < value).sum()
        if size <= binning.FEW:
            assert binning.count_below_few(padded, value) == (cuts < value).sum()


@FAST
@given(weighted_codes(st.integers(1, 5)))
def test_histograms(problem):
    codes, dual, n_bins = problem
    width = 256 if codes.dtype == np.uint8 else n_bins + 1
    out = np.full((len(codes), width), np.nan)
    kernel = stumps.histograms_uint8 if codes.dtype == np.uint8 else stumps.histograms_any
    kernel(codes, dual, out)
    for row, mine in zip(out, codes, strict=True):
        np.testing.assert_allclose(row, reference.histogram(mine, dual, width), atol=1e-14)


@FAST
@given(weighted_codes(st.integers(1, 4), types=st.just(np.uint8)))
def test_uint8_histograms_are_the_histograms_of_any_width(problem):
    codes, dual, _ = problem
    narrow, wide = np.empty((2, len(codes), 256))
    stumps.histograms_uint8(codes, dual, narrow)
    stumps.histograms_any(codes, dual, wide)
    np.testing.assert_allclose(narrow, wide, atol=1e-14)


@pytest.mark.parametrize("n", [1, 7, 8, 9, 15, 16, 17])
def test_histogram_pair_reads_every_row_once(n):
    """With weights 1, 2, 4, … a bin's sum tells exactly which rows went into it."""
    rng = np.random.default_rng(n)
    first, second = rng.integers(0, 256, size=(2, n)).astype(np.uint8)
    dual, out = 2.0 ** np.arange(n), np.zeros((2, 2, 256))
    stumps.histogram_pair(first, second, dual, out)
    np.testing.assert_array_equal(out[0].sum(axis=0), reference.histogram(first, dual, 256))
    np.testing.assert_array_equal(out[1].sum(axis=0), reference.histogram(second, dual, 256))


@FAST
@given(histograms())
def test_best_threshold(problem):
    histogram, n_bins = problem
    score, cut = stumps.best_threshold(histogram, n_bins)
    expected, where = reference.best_threshold(histogram, n_bins)
    assert score == pytest.approx(expected, abs=1e-12)
    assert cut == where or _threshold_score(histogram, cut, n_bins) == pytest.approx(
        expected, abs=3e-12
    )


def _threshold_score(histogram, cut, n_bins):
    left, right = histogram[: cut + 1].sum(), histogram[cut + 1 : n_bins].sum()
    return abs(left) + abs(right) + abs(histogram[n_bins])


def test_first_of_best():
    scores = np.array([0.2, 0.5 - 1e-13, 0.5, 0.3])
    assert stumps.first_of_best(scores) == 1  # a tie with the largest, and before it
    assert stumps.first_of_best(np.array([0.2, 0.5 - 1e-9, 0.5])) == 2


def test_every_cut_of_many_is_looked_at():
    for n_bins in (2, 16, 17, 18, 33, 200):
        for cut in (0, (n_bins - 1) // 2, n_bins - 2):
            histogram = np.append(np.where(np.arange(n_bins) <= cut, 1.0, -1.0), 0.25)
            assert stumps.best_threshold(histogram, n_bins) == (n_bins + 0.25, cut)


@FAST
@given(histograms())
def test_best_category(problem):
    histogram, n_bins = problem
    score, chosen = stumps.best_category(histogram, n_bins)
    expected, where = reference.best_category(histogram, n_bins)
    assert score == pytest.approx(expected, abs=1e-12)
    rest = histogram[:n_bins].sum() - histogram[chosen]
    attained = abs(histogram[chosen]) + abs(rest) + abs(histogram[n_bins])
    assert chosen == where or attained == pytest.approx(expected, abs=3e-12)


@pytest.mark.parametrize("size", [2, 4, 10])
def test_exact_ties_go_to_the_first(size):
    """Alternating ±1/2**k sums without rounding, so every second cut is equally good."""
    values = np.resize([0.25, -0.25], size)
    histogram = np.append(values, 0.0)
    for kernel, twin in [
        (stumps.best_threshold, reference.best_threshold),
        (stumps.best_category, reference.best_category),
    ]:
        assert kernel(histogram, size) == twin(histogram, size)
        assert kernel(histogram, size)[1] == 0


@FAST
@given(histograms())
def test_best_partition(problem):
    histogram, n_bins = problem
    assert stumps.best_partition(histogram, n_bins) == pytest.approx(np.abs(histogram).sum())


@FAST
@given(st.lists(histograms(), min_size=1, max_size=4), st.randoms(use_true_random=False))
def test_best_splits_asks_each_feature_in_its_own_way(problems, random):
    n_bins = np.array([n for _, n in problems])
    table = np.zeros((len(problems), n_bins.max() + 1))
    for row, (histogram, n) in zip(table, problems, strict=True):
        row[: n + 1] = histogram
    kinds = np.array([random.choice([0, 1, 2]) for _ in problems])
    found, cuts = np.empty(len(problems)), np.empty(len(problems), dtype=np.int64)
    stumps.best_splits(table, n_bins, kinds, found, cuts)
    for j, (histogram, n) in enumerate(problems):
        expected = {
            stumps.THRESHOLD: stumps.best_threshold,
            stumps.CATEGORY: stumps.best_category,
            stumps.PARTITION: lambda h, n: (stumps.best_partition(h, n), 0),
        }[kinds[j]](histogram, n)
        assert (found[j], cuts[j]) == expected


@FAST
@given(weighted_codes(), st.integers(0, 1000))
def test_threshold_column(problem, cut):
    codes, _, n_bins = problem
    labels, out = np.array([1, -1, 0], dtype=np.int8), np.empty(codes.shape[1], dtype=np.int8)
    stumps.threshold_column(codes[0], cut, labels, n_bins, out)
    expected = np.where(codes[0] == n_bins, 0, np.where(codes[0] <= cut, 1, -1))
    np.testing.assert_array_equal(out, expected)


@FAST
@given(weighted_codes())
def test_lookup_column(problem):
    codes, _, n_bins = problem
    labels = np.resize(np.array([1, -1, -1, 1, 0], dtype=np.int8), n_bins + 1)
    out = np.empty(codes.shape[1], dtype=np.int8)
    stumps.lookup_column(codes[0], labels, out)
    np.testing.assert_array_equal(out, labels[codes[0]])


@st.composite
def scored_rows(draw):
    n = draw(SIZES)
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    scale = draw(st.sampled_from([1e-3, 1.0, 30.0]))
    y = rng.choice(np.array([-1, 1], dtype=np.int8), size=n)
    return scale * rng.normal(size=n), y, rng.uniform(0.1, 2.0, size=n), rng


@FAST
@given(scored_rows(), st.floats(-5, 5))
def test_add_column(problem, step):
    start, y, column, _ = problem
    for one in (y, column):
        moved = start.copy()
        weights.add_column(moved, one, step)
        np.testing.assert_allclose(moved, start + step * one, rtol=1e-15, atol=1e-15)


@FAST
@given(scored_rows())
def test_signed_scores(problem):
    start, y, _, _ = problem
    out = np.empty(len(y))
    weights.signed_scores(start, y, out)
    np.testing.assert_array_equal(out, y * start)


@FAST
@given(scored_rows(), st.booleans())
def test_sign_weights(problem, uniform):
    _, y, prior, rng = problem
    plain = rng.exponential(size=len(y))
    given_prior = np.empty(0) if uniform else prior
    signed = plain.copy()
    total = rounded(weights.sign_weights(signed, y, given_prior))
    expected = plain if uniform else plain * prior
    assert total == pytest.approx(np.minimum(expected, LARGEST_WEIGHT).sum(), rel=1e-12)
    np.testing.assert_array_equal(signed, expected * y)


@FAST
@given(scored_rows())
def test_exponential_weights_by_kernels(problem):
    """The passes that a round makes, put together, give the reference's weights."""
    start, y, prior, _ = problem
    if len(y) == 0:
        return
    expected, log_total = reference.exponential_weights(start, y, prior)
    dual = np.empty(len(y))
    weights.signed_scores(start, y, dual)
    shift = -dual.min()
    np.exp(-shift - dual, out=dual)
    total = rounded(weights.sign_weights(dual, y, prior))
    np.testing.assert_allclose(dual / total, expected, rtol=1e-10, atol=1e-300)
    assert shift + np.log(total) == pytest.approx(log_total, abs=1e-10)


@FAST
@given(scored_rows())
def test_weighted_sum(problem):
    dual, _, column, _ = problem
    assert weights.weighted_sum(dual, column) == pytest.approx(
        float(dual @ column), abs=1e-12 * max(1.0, np.abs(dual * column).sum())
    )


@st.composite
def step_problem(draw, most):
    thresholds = draw(sorted_cuts(most))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return thresholds, rng.normal(size=len(thresholds) + 2)


UNEVEN = np.exp(3.0 * np.random.default_rng(0).normal(size=200))


@pytest.mark.parametrize(
    ("cuts", "tries"),
    [
        (np.arange(40.0), 1),
        (np.append(np.arange(0.0, 8192.0, 2.0), [1.0, 5001.0]), 2),
        (np.sort(UNEVEN), 0),
        (np.sort(np.concatenate([UNEVEN, -UNEVEN])), 0),
        (np.array([-1e308, 1e308]), 0),  # the width is infinite
        (np.array([0.0, 5e-324]), 0),  # and so is what divides by it
        (np.array([0.3]), 1),
        (np.empty(0), 1),
    ],
)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_cells_of_values_on_and_next_to_the_cuts(cuts, tries, dtype):
    cuts = np.sort(cuts)
    cells = predict.lay_cells(np.array([1]), [cuts])
    around = [cuts, np.nextafter(cuts, -np.inf), np.nextafter(cuts, np.inf)]
    far = [-np.inf, np.inf, -1.7e308, 1.7e308, 0.0, -0.0, 0.5, np.nan]
    with np.errstate(over="ignore"):
        values = np.concatenate([*around, far]).astype(dtype)
    found = np.empty((1, len(values)), dtype=np.uint32)
    predict.find_cells(np.column_stack([values, values]), cells, found)
    expected = np.searchsorted(cuts, values.astype(np.float64))
    expected[np.isnan(values)] = len(cuts) + 1
    np.testing.assert_array_equal(found[0], expected)
    assert cells.tries[0] == tries


@FAST
@given(
    st.data(),
    st.lists(st.sampled_from([5, 255, 300]).flatmap(step_problem), min_size=1, max_size=3),
    st.sampled_from("CF"),
)
def test_step_functions_by_cells(data, steps, order):
    n, d = data.draw(st.integers(0, 30)), len(steps) + 1
    rows = np.asarray(data.draw(hnp.arrays(np.float64, (n, d), elements=VALUES)), order=order)
    features = np.array(data.draw(st.permutations(range(d)))[: len(steps)])
    levels = [heights for _, heights in steps]
    out, expected = np.zeros((2, n))
    cells = predict.lay_cells(features, [cuts for cuts, _ in steps])
    predict.add_steps(rows, cells, np.concatenate(levels), out)
    found = np.empty((len(features), n), dtype=np.uint32)
    predict.find_cells(rows, cells, found)
    for j, (feature, (cuts, heights)) in enumerate(zip(features, steps, strict=True)):
        expected += reference.step_function(rows[:, feature], cuts, heights)
        by_search = np.searchsorted(cuts, rows[:, feature])
        np.testing.assert_array_equal(
            found[j], np.where(np.isnan(rows[:, feature]), len(cuts) + 1, by_search)
        )
    np.testing.assert_array_equal(out, expected)
