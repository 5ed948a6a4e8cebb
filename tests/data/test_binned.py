"""Cuts and codes of the binned matrix."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

import marginboost.data.binned as binned_module
from marginboost import AdaBoostClassifier, BinnedMatrix
from marginboost.data import Table
from marginboost.data.binned import find_cuts, midpoints
from marginboost.kernels import reference

FAST = settings(deadline=None, max_examples=60)
ANY = st.floats(allow_nan=False, allow_infinity=False)


def bin_array(X, **settings_):
    names = [f"x{j}" for j in range(X.shape[1])]
    return BinnedMatrix.from_table(Table(X, names), **settings_)


# -- midpoints and cuts --------------------------------------------------------------------------

NEIGHBOURS = {
    "adjacent": (1.0, np.nextafter(1.0, 2.0)),
    "adjacent below zero": (np.nextafter(-1.0, -2.0), -1.0),
    "smallest denormals": (5e-324, 1e-323),
    "denormals below zero": (-1e-323, -5e-324),
    "zero and the smallest": (0.0, 5e-324),
    "the smallest below and zero": (-5e-324, -0.0),
    "tiny": (1e-308, 2e-308),
    "huge": (1.0e308, 1.7e308),
    "huge of both signs": (-1.7e308, 1.7e308),
    "largest neighbours": (np.nextafter(np.finfo(float).max, 0), np.finfo(float).max),
    "huge and tiny": (1e-308, 1e308),
    "integers beyond 2**53": (2.0**53, 2.0**53 + 2),
}


@pytest.mark.parametrize("case", NEIGHBOURS)
def test_a_cut_separates_its_neighbours(case):
    low, high = NEIGHBOURS[case]
    (cut,) = find_cuts(np.array([high, low, high]), None)
    assert np.isfinite(cut)
    assert low <= cut < high
    X = np.array([[low], [high]] * 3)
    np.testing.assert_array_equal(bin_array(X).codes[0], [0, 1] * 3)
    model = AdaBoostClassifier(n_estimators=2).fit(X, [0, 1] * 3)
    np.testing.assert_array_equal(model.predict(X), [0, 1] * 3)


@FAST
@given(hnp.arrays(np.float64, st.integers(2, 30), elements=ANY))
def test_cuts_are_between_neighbours(values):
    distinct = np.unique(values)
    cuts = find_cuts(values, None)
    assert len(cuts) == len(distinct) - 1
    assert (distinct[:-1] <= cuts).all()
    assert (cuts < distinct[1:]).all()


@FAST
@given(ANY, ANY)
def test_midpoint_is_the_middle(one, other):
    low, high = min(one, other), max(one, other)
    if low == high:
        return
    cut = float(midpoints(np.array([low]), np.array([high]))[0])
    exact = (low / 2) + (high / 2)
    assert cut == (exact if low <= exact < high else low)


def test_midpoint_of_huge_numbers_does_not_overflow():
    with np.errstate(over="raise"):
        cuts = midpoints(np.array([1.0e308, -1.6e308]), np.array([1.7e308, 1.6e308]))
    np.testing.assert_allclose(cuts, [1.35e308, 0.0], rtol=1e-15)


def test_zero_has_one_sign():
    values = np.array([-0.0, 0.0, -0.0, 1.0])
    np.testing.assert_array_equal(find_cuts(values, None), [0.5])
    np.testing.assert_array_equal(find_cuts(values, None, np.ones(4)), [0.5])
    X = np.array([[-0.0], [0.0]] * 4 + [[1.0]] * 4)
    assert set(bin_array(X).codes[0, :8]) == {0}
    model = AdaBoostClassifier(n_estimators=1).fit(X, [0] * 8 + [1] * 4)
    np.testing.assert_array_equal(model.predict([[-0.0], [0.0]]), [0, 0])


@pytest.mark.parametrize("values", [[], [np.nan], [np.nan] * 4, [3.0], [3.0, 3.0, np.nan]])
@pytest.mark.parametrize("weighted", [False, True])
def test_fewer_than_two_values_have_no_cut(values, weighted):
    weight = np.ones(len(values)) if weighted else None
    for most in (2, None):
        assert find_cuts(np.array(values, dtype=float), most, weight).size == 0


# -- quantiles ------------------------------------------------------------------------------------


@FAST
@given(st.integers(0, 2**32 - 1), st.integers(2, 40), st.integers(1, 200))
def test_weights_are_copies(seed, max_bins, n):
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 120, size=n) / 7.0
    values[rng.random(n) < 0.1] = np.nan
    weight = rng.integers(1, 5, size=n)
    copied = find_cuts(np.repeat(values, weight), max_bins)
    np.testing.assert_array_equal(find_cuts(values, max_bins, weight.astype(float)), copied)
    np.testing.assert_array_equal(find_cuts(values, max_bins, weight / 3.0), copied)
    assert len(copied) <= max_bins - 1


@pytest.mark.parametrize("max_bins", [2, 3, 16, 254, 255])
def test_bins_carry_about_equal_weight(max_bins):
    rng = np.random.default_rng(0)
    X = rng.lognormal(size=(10_000, 1))
    binned = bin_array(X, max_bins=max_bins)
    counts = np.bincount(binned.codes[0])
    assert binned.n_bins[0] == max_bins == len(counts)
    assert np.abs(counts - 10_000 / max_bins).max() <= 1


def test_two_bins_cut_at_the_median():
    X = np.arange(101.0)[:, None]
    np.testing.assert_array_equal(bin_array(X, max_bins=2).cuts[0], [50.5])


def test_a_heavy_value_does_not_cost_the_others_their_bins():
    """Half of the rows at one value: the other half still gets its share of the bins."""
    X = np.concatenate([np.zeros(500), np.arange(1.0, 501.0)])[:, None]
    counts = np.bincount(bin_array(X, max_bins=20).codes[0])
    assert counts[0] == 500
    assert counts[1:].max() <= 51
    assert len(counts) >= 10


@pytest.mark.parametrize(
    ("distinct", "max_bins", "dtype"),
    [
        (255, 255, np.uint8),
        (256, 255, np.uint8),
        (255, None, np.uint8),
        (256, None, np.uint16),
        (300, 400, np.uint16),
        (5000, 1000, np.uint16),
        (70_000, None, np.uint32),
    ],
)
def test_number_of_bins_and_width_of_codes(distinct, max_bins, dtype):
    rng = np.random.default_rng(1)
    X = np.append(rng.permutation(np.arange(float(distinct))), np.nan)[:, None]
    binned = bin_array(X, max_bins=max_bins)
    assert binned.codes.dtype == dtype
    assert binned.n_bins[0] == min(distinct, max_bins or distinct)
    np.testing.assert_array_equal(binned.codes[0], reference.assign_bins(X[:, 0], binned.cuts[0]))
    assert binned.codes[0, -1] == binned.n_bins[0]


def test_codes_say_where_values_lie():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(500, 3))
    X[rng.random(X.shape) < 0.1] = np.nan
    binned = bin_array(X, max_bins=16)
    for j, cuts in enumerate(binned.cuts):
        sides = np.concatenate([[-np.inf], cuts, [np.inf]])
        seen = ~np.isnan(X[:, j])
        codes = binned.codes[j, seen]
        assert (sides[codes] < X[seen, j]).all()
        assert (X[seen, j] <= sides[codes + 1]).all()
        assert (binned.codes[j, ~seen] == binned.n_bins[j]).all()
    np.testing.assert_array_equal(binned.has_missing, np.isnan(X).any(axis=0))


def test_columns_of_every_poor_kind():
    rng = np.random.default_rng(3)
    good = rng.normal(size=60)
    y = good > 0
    X = np.column_stack([np.full(60, np.nan), np.full(60, 7.0), good, good])
    binned = bin_array(X)
    np.testing.assert_array_equal(binned.n_bins, [1, 1, 60, 60])
    np.testing.assert_array_equal(binned.has_missing, [True, False, False, False])
    model = AdaBoostClassifier(n_estimators=3).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), y)
    assert model.estimators_[0].feature == 2


@pytest.mark.parametrize("n", [200_001, 260_000])
def test_quantiles_of_many_rows_come_from_a_sample(n, monkeypatch):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(n, 1))
    sampled = bin_array(X, max_bins=64)
    counts = np.bincount(sampled.codes[0], minlength=64)
    assert abs(counts / n - 1 / 64).max() < 0.1 / 64
    monkeypatch.setattr(binned_module, "SAMPLE_ROWS", n)
    every = bin_array(X, max_bins=64)
    assert not np.array_equal(sampled.cuts[0], every.cuts[0])
    np.testing.assert_allclose(sampled.cuts[0], every.cuts[0], atol=0.02)


def test_exact_bins_never_sample():
    n = 200_500
    values = np.zeros(n)
    values[1::1000] = np.arange(1.0, 202.0)[: len(values[1::1000])]
    binned = bin_array(values[:, None], max_bins=None)
    assert binned.n_bins[0] == len(np.unique(values))


def test_repeated_rows_change_nothing():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(80, 2))
    y = X.sum(axis=1) + rng.normal(size=80) > 0
    once = AdaBoostClassifier(n_estimators=6, max_bins=None).fit(X, y)
    twice = AdaBoostClassifier(n_estimators=6, max_bins=None).fit(
        np.repeat(X, 2, axis=0), np.repeat(y, 2)
    )
    assert once.estimators_ == twice.estimators_
    np.testing.assert_allclose(once.estimator_weights_, twice.estimator_weights_, rtol=1e-12)


# -- reuse ----------------------------------------------------------------------------------------


@pytest.fixture
def problem():
    rng = np.random.default_rng(6)
    X = rng.normal(size=(300, 4))
    X[:, 3] = rng.integers(0, 5, size=300)
    X[rng.random(X.shape) < 0.1] = np.nan
    y = np.nan_to_num(X[:, 0]) + (X[:, 3] == 2) + 0.5 * rng.normal(size=300) > 0
    return X, y


@pytest.mark.parametrize("max_bins", [8, 255, None])
@pytest.mark.parametrize("categorical", [[], [3]])
def test_fit_and_predict_on_bins_are_those_on_rows(problem, max_bins, categorical):
    X, y = problem
    table = Table.learn(X, ["a", "b", "c", "d"], categorical)
    binned = BinnedMatrix.from_table(table, max_bins=max_bins)
    on_bins = AdaBoostClassifier(n_estimators=15).fit(binned, y)
    on_rows = AdaBoostClassifier(
        n_estimators=15, max_bins=max_bins, categorical_features=categorical
    ).fit(X, y)
    assert on_bins.estimators_ == on_rows.estimators_
    np.testing.assert_array_equal(on_bins.estimator_weights_, on_rows.estimator_weights_)
    votes = on_rows.decision_function(X)
    for model in (on_bins, on_rows):
        for rows in (X, binned):
            np.testing.assert_array_equal(model.decision_function(rows), votes)
            np.testing.assert_array_equal(
                np.array(list(model.staged_decision_function(rows))),
                np.array(list(on_rows.staged_decision_function(X))),
            )
    np.testing.assert_array_equal(on_bins.margins_, on_rows.margins_)


def test_bins_are_not_changed_by_fits(problem):
    X, y = problem
    binned = bin_array(X)
    before = binned.codes.copy()
    first = AdaBoostClassifier(n_estimators=5).fit(binned, y)
    AdaBoostClassifier(n_estimators=5).fit(binned, ~y)
    again = AdaBoostClassifier(n_estimators=5).fit(binned, y)
    np.testing.assert_array_equal(binned.codes, before)
    np.testing.assert_array_equal(first.estimator_weights_, again.estimator_weights_)


@pytest.mark.parametrize(
    "rows", [np.arange(0, 300, 3), np.array([7, 7, 0]), np.arange(300) % 2 == 0, np.array([], int)]
)
def test_take(problem, rows):
    X, _ = problem
    binned = bin_array(X, max_bins=16)
    part = binned.take(rows)
    np.testing.assert_array_equal(part.codes, binned.codes[:, rows])
    assert part.codes.flags.c_contiguous
    assert part.shape == (X[rows].shape[0], 4)
    for cuts, mine in zip(binned.cuts, part.cuts, strict=True):
        np.testing.assert_array_equal(cuts, mine)
    np.testing.assert_array_equal(part.n_bins, binned.n_bins)
    if part.n_rows:
        np.testing.assert_array_equal(part.has_missing, np.isnan(X[rows]).any(axis=0))


@pytest.mark.parametrize("max_bins", [2, 7, 64, 255])
def test_coarser_bins_are_joined_neighbours(problem, max_bins):
    X, y = problem
    table = Table.learn(X, list("abcd"), [3])
    fine = BinnedMatrix.from_table(table)
    coarse = fine.coarser(max_bins)
    np.testing.assert_array_equal(coarse.has_missing, fine.has_missing)
    assert (coarse.n_bins[:3] == np.minimum(fine.n_bins[:3], max_bins)).all()
    for j in range(3):
        assert np.isin(coarse.cuts[j], fine.cuts[j]).all()
        expected = reference.assign_bins(X[:, j], coarse.cuts[j])
        np.testing.assert_array_equal(coarse.codes[j], expected)
        counts = np.bincount(coarse.codes[j])[: coarse.n_bins[j]]
        assert np.abs(counts - counts.mean()).max() <= 2
    np.testing.assert_array_equal(coarse.codes[3], fine.codes[3])  # categories have no order
    model = AdaBoostClassifier(n_estimators=10).fit(coarse, y)
    for rows in (X, fine):
        votes = model.decision_function(rows)
        np.testing.assert_array_equal(votes, model.decision_function(coarse))


def test_folds_share_their_bins(problem):
    X, y = problem
    binned = bin_array(X)
    train, test = np.arange(0, 200), np.arange(200, 300)
    model = AdaBoostClassifier(n_estimators=10).fit(binned.take(train), y[train])
    np.testing.assert_array_equal(
        model.decision_function(binned.take(test)), model.decision_function(X[test])
    )


def test_dense_rows_fall_in_the_same_bins(problem):
    X, _ = problem
    binned = BinnedMatrix.from_table(Table.learn(X, list("abcd"), [3]), max_bins=16)
    again = np.concatenate([binned.dense(start, stop) for start, stop in binned.chunks()])
    np.testing.assert_array_equal(np.isnan(again), np.isnan(X))
    for j in range(3):
        np.testing.assert_array_equal(
            reference.assign_bins(again[:, j], binned.cuts[j]), binned.codes[j]
        )
    seen = ~np.isnan(X[:, 3])
    np.testing.assert_array_equal(again[seen, 3], X[seen, 3])


def test_rows_of_weight_zero_do_not_count(problem):
    X, y = problem
    weight = np.ones(300)
    weight[::3] = 0.0
    for rows in (X, bin_array(X, max_bins=None)):
        kept = rows.take(weight > 0) if isinstance(rows, BinnedMatrix) else rows[weight > 0]
        model = AdaBoostClassifier(n_estimators=8, max_bins=None).fit(rows, y, sample_weight=weight)
        fewer = AdaBoostClassifier(n_estimators=8, max_bins=None).fit(kept, y[weight > 0])
        np.testing.assert_array_equal(model.decision_function(X), fewer.decision_function(X))
        assert (model.dual_[::3] == 0).all()


def test_from_data_and_bin_share_their_cuts():
    rng = np.random.default_rng(0)
    X, new = rng.normal(size=(300, 3)), rng.normal(size=(50, 3))
    bins = BinnedMatrix.from_data(X, max_bins=20)
    y = (X[:, 0] > 0).astype(int)
    model = AdaBoostClassifier(n_estimators=10).fit(bins, y)
    np.testing.assert_array_equal(
        model.decision_function(bins.bin(new)), model.decision_function(new)
    )


# -- what is refused ------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [0, 2, 4, 300])
def test_bin_wants_as_many_columns(width):
    bins = BinnedMatrix.from_data(np.random.default_rng(0).normal(size=(30, 3)))
    for rows in (np.zeros((5, width)), sparse.csr_matrix((5, width))):
        with pytest.raises(ValueError, match=f"X: got {width} columns, expected 3"):
            bins.bin(rows)
    with pytest.raises(ValueError, match="X: got 1 dimensions, expected 2"):
        bins.bin(np.zeros(3))


def test_bin_wants_the_columns_of_a_frame_by_name():
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": [3.0, 1.0, 2.0]})
    bins = BinnedMatrix.from_data(frame)
    with pytest.raises(ValueError, match="X: column 0 is 'b', expected 'a'"):
        bins.bin(frame[["b", "a"]])
    np.testing.assert_array_equal(bins.bin(frame).codes, bins.codes)
    np.testing.assert_array_equal(bins.bin(frame.to_numpy()).codes, bins.codes)  # has no names
    nameless = BinnedMatrix.from_data(frame.to_numpy())
    np.testing.assert_array_equal(nameless.bin(frame).codes, bins.codes)


CUTS = [np.array([0.5, 1.5]), np.array([0.0])]


@pytest.mark.parametrize(
    ("codes", "match"),
    [
        (np.array([[0.0, np.nan], [1.0, 0.0]]), "got 2 dimensions of float64"),
        (np.array([[0, -1], [1, 0]]), "got 2 dimensions of int64"),
        (np.array([0, 1], dtype=np.uint8), "got 1 dimensions of uint8"),
        (np.zeros((3, 2), dtype=np.uint8), "got 3 columns of codes, 2 of cuts"),
        (np.array([[0, 3], [2, 3]], dtype=np.uint8), "column 'b' has the code 3 as uint8"),
    ],
)
def test_codes_that_kernels_could_not_read(codes, match):
    with pytest.raises(ValueError, match=match):
        BinnedMatrix(codes, CUTS, [None, None], ["a", "b"])


def test_codes_must_have_room_for_missing():
    cuts = np.arange(255.0)  # 256 bins, and one for missing values
    with pytest.raises(ValueError, match="expected at most 256, in a type that can hold it"):
        BinnedMatrix(np.zeros((1, 4), np.uint8), [cuts], [None], ["a"])
    assert BinnedMatrix(np.zeros((1, 4), np.uint16), [cuts], [None], ["a"]).n_bins == [256]
    with pytest.raises(ValueError, match="column 'b' has the code 0 as uint8"):
        BinnedMatrix(np.zeros((2, 4), np.uint8), [np.zeros(1), cuts], [None] * 2, ["a", "b"])


@pytest.mark.parametrize(
    ("settings", "match"),
    [
        ({"max_bins": 1}, "max_bins: got 1"),
        ({"sample_weight": np.ones(29)}, r"sample_weight: got shape \(29,\)"),
        ({"sample_weight": np.full(30, np.nan)}, "sample_weight: got shape"),
        ({"categorical": [3]}, "categorical: got 3"),
        ({"categorical": [-1]}, "categorical: got -1"),
    ],
)
def test_settings_that_make_no_sense(settings, match):
    with pytest.raises(ValueError, match=match):
        BinnedMatrix.from_data(np.random.default_rng(0).normal(size=(30, 3)), **settings)


@pytest.fixture(scope="module")
def named():
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(rng.normal(size=(80, 2)).round(1), columns=["age", "size"])
    frame["colour"] = pd.Categorical(rng.choice(["red", "green", "blue"], size=80))
    y = (frame["age"] + (frame["colour"] == "red") > 0.3).to_numpy()
    return frame, y, AdaBoostClassifier(n_estimators=8).fit(frame, y)


def test_predict_refuses_binned_rows_of_other_columns(named):
    frame, _, model = named
    bins = BinnedMatrix.from_data(frame)
    np.testing.assert_array_equal(model.decision_function(bins), model.decision_function(frame))
    other = BinnedMatrix(bins.codes, bins.cuts, bins.categories, ["size", "age", "colour"])
    with pytest.raises(ValueError, match="X: column 0 is 'size', expected 'age'"):
        model.predict(other)


@pytest.mark.parametrize(
    ("change", "match"),
    [
        (lambda c: c.cat.rename_categories({"red": "pink"}), "unknown: 'pink'; not there: 'red'"),
        (lambda c: c.where(c != "red"), "not there: 'red'"),
        (lambda c: c.cat.codes.astype(float), "holds numbers, not categories"),
    ],
)
def test_predict_refuses_binned_rows_of_other_categories(named, change, match):
    frame, _, model = named
    bins = BinnedMatrix.from_data(frame.assign(colour=change(frame["colour"])))
    with pytest.raises(ValueError, match=f"column 'colour' of the BinnedMatrix .*{match}"):
        model.predict(bins)


def test_predict_refuses_categories_in_another_order(named):
    frame, _, model = named
    bins = BinnedMatrix.from_data(frame)
    turned = [None, None, bins.categories[2][::-1]]
    with pytest.raises(ValueError, match=r"other categories than the model \(in another order"):
        model.predict(BinnedMatrix(bins.codes, bins.cuts, turned, bins.names))
