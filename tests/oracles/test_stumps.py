"""The stump oracle against brute force over everything it claims to search."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from marginboost import (
    AdaBoostClassifier,
    BinnedMatrix,
    LPBoostRegressor,
    PooledOracle,
    ResamplingOracle,
)
from marginboost.core import Sample
from marginboost.core.hypothesis import hypothesis_from_dict
from marginboost.data import Table
from marginboost.oracles.stumps import Stump, StumpOracle, step_functions

FAST = settings(deadline=None, max_examples=80)


def make_sample(X, categorical=(), max_bins=None, n_threads=1):
    table = Table.learn(X, [f"x{j}" for j in range(X.shape[1])], list(categorical))
    bins = BinnedMatrix.from_table(table, max_bins=max_bins)
    y = np.resize([1, -1], len(X))
    return Sample.of_labels(y, rows=table, bins=bins, n_threads=n_threads)


def search(X, dual, k=1, categorical=(), split="equality", max_bins=None):
    oracle = StumpOracle(split).bind(make_sample(X, categorical, max_bins))
    return oracle.best(dual, k)


def left_sides(values, is_category, split):
    """Every way to send the present values left, as boolean masks: the lowest cut first."""
    seen = np.unique(values[~np.isnan(values)])
    if not is_category:
        cuts = [values <= low for low in seen[:-1]]
        return cuts or [~np.isnan(values)]
    if split == "equality":
        return [values == label for label in seen] or [np.zeros(len(values), bool)]
    subsets = itertools.chain.from_iterable(
        itertools.combinations(seen, size) for size in range(len(seen) + 1)
    )
    return [np.isin(values, subset) for subset in subsets]


def brute_force(X, dual, categorical=(), split="equality"):
    """For each feature, edge and column of every stump there is: cuts × polarities × missing."""
    found = []
    for j in range(X.shape[1]):
        values = X[:, j]
        missing = np.isnan(values)
        mine = []
        for side in left_sides(values, j in categorical, split):
            for left, right, absent in itertools.product([-1, 1], repeat=3):
                column = np.where(missing, absent, np.where(side, left, right))
                mine.append((float(dual @ column), column))
        found.append(mine)
    return found


@st.composite
def problems(draw):
    """Few rows, few distinct values, many ties; weights that add without rounding or any."""
    n, d = draw(st.integers(1, 12)), draw(st.integers(1, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = rng.integers(0, draw(st.integers(1, 4)) + 1, size=(n, d)).astype(float)
    X[rng.random((n, d)) < draw(st.sampled_from([0.0, 0.3, 0.8]))] = np.nan
    if draw(st.booleans()):
        dual = rng.integers(-2, 3, size=n) / 64.0
    else:
        dual = rng.normal(size=n)
        dual /= np.abs(dual).sum()
    categorical = [j for j in range(d) if draw(st.booleans())]
    return X, dual, categorical


@FAST
@given(problems(), st.sampled_from(["equality", "partition"]))
def test_no_stump_has_a_larger_edge(problem, split):
    X, dual, categorical = problem
    (found,) = search(X, dual, 1, categorical, split)
    every = brute_force(X, dual, categorical, split)
    assert found.edge == pytest.approx(max(e for mine in every for e, _ in mine), abs=1e-12)
    mine = every[found.hypothesis.feature]
    assert any((found.column == column).all() for _, column in mine)


@FAST
@given(problems(), st.sampled_from(["equality", "partition"]))
def test_a_candidate_is_what_it_says(problem, split):
    X, dual, categorical = problem
    sample = make_sample(X, categorical)
    for found in StumpOracle(split).bind(sample).best(dual, X.shape[1]):
        stump = found.hypothesis
        rows = sample.rows.dense(0, len(X))
        np.testing.assert_array_equal(stump(rows), found.column)
        np.testing.assert_array_equal(stump(sample.bins.dense(0, len(X))), found.column)
        assert found.edge == pytest.approx(float(dual @ found.column), abs=1e-12)
        assert found.column.dtype == np.int8
        assert set(np.unique(found.column)) <= {-1, 1}
        np.testing.assert_array_equal(stump.negated()(rows), -found.column)
        assert hypothesis_from_dict(stump.to_dict()) == stump


@FAST
@given(problems())
def test_further_cuts_come_after_the_best(problem):
    X, dual, categorical = problem
    sample = make_sample(X, categorical)
    plain = StumpOracle().bind(sample).best(dual, 20)
    found = StumpOracle(cuts_per_feature=5).bind(sample).best(dual, 20)
    assert found[0].hypothesis == plain[0].hypothesis
    assert {c.hypothesis for c in plain} <= {c.hypothesis for c in found}
    assert len({c.hypothesis for c in found}) == len(found)
    for candidate in found:
        assert candidate.edge == pytest.approx(float(dual @ candidate.column), abs=1e-12)
    edges = [candidate.edge for candidate in found]
    assert (np.diff(edges) <= 1e-12).all()
    assert len(StumpOracle(cuts_per_feature=5).bind(sample).best(dual, 1)) == 1


def test_several_cuts_of_one_feature_save_rounds():
    x = np.linspace(-3, 3, 300)
    y = np.sin(3 * x)
    one, several = (
        LPBoostRegressor(StumpOracle(cuts_per_feature=cuts)).fit(x[:, None], y) for cuts in (1, 16)
    )
    assert several.n_iter_ < 0.5 * one.n_iter_
    assert several.certificate_.lower <= one.certificate_.upper
    assert one.certificate_.lower <= several.certificate_.upper


@FAST
@given(problems(), st.sampled_from(["equality", "partition"]))
def test_the_k_best_are_of_different_features(problem, split):
    X, dual, categorical = problem
    best = [max(e for e, _ in mine) for mine in brute_force(X, dual, categorical, split)]
    for k in range(1, X.shape[1] + 2):
        found = search(X, dual, k, categorical, split)
        assert len(found) == min(k, X.shape[1])
        features = [candidate.hypothesis.feature for candidate in found]
        assert len(set(features)) == len(features)
        edges = [candidate.edge for candidate in found]
        np.testing.assert_allclose(edges, sorted(best, reverse=True)[:k], atol=1e-12)
        np.testing.assert_allclose(edges, [best[j] for j in features], atol=1e-12)


@FAST
@given(st.integers(0, 2**32 - 1), st.integers(2, 12), st.integers(1, 4), st.booleans())
def test_ties_go_to_the_lowest_feature_then_the_lowest_cut(seed, n, d, categories):
    """Weights that add without rounding: equal edges are equal, so the winner is known."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, size=(n, d)).astype(float)
    dual = rng.integers(-1, 2, size=n) / 16.0
    categorical = range(d) if categories else ()
    every = brute_force(X, dual, categorical)
    best = np.array([max(e for e, _ in mine) for mine in every])
    order = np.lexsort([np.arange(d), -best])
    found = search(X, dual, d, categorical)
    assert [candidate.hypothesis.feature for candidate in found] == order.tolist()
    for candidate in found:
        j = candidate.hypothesis.feature
        sides = left_sides(X[:, j], categories, "equality")
        scores = [abs(dual[side].sum()) + abs(dual[~side].sum()) for side in sides]
        first = sides[int(np.argmax(np.array(scores) == max(scores)))]
        distinct = np.unique(X[:, j])
        if categories:
            # Codes are positions in the sorted labels.
            assert candidate.hypothesis.categories == (
                int(np.flatnonzero(distinct == X[first, j][0])[0]),
            )
        elif len(distinct) > 1:
            low, high = X[first, j].max(), X[~first, j].min()
            assert candidate.hypothesis.threshold == (low + high) / 2
        else:
            assert candidate.hypothesis.threshold == np.inf


@pytest.mark.parametrize("seed", range(20))
def test_mirrored_features_are_tied_at_every_rank(seed):
    """A feature and its negative sum the same weights in other orders: equal but for rounding."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(101, 3))
    dual = rng.normal(size=101)
    dual /= np.abs(dual).sum()
    X = np.column_stack([x, -x])[:, [3, 0, 4, 1, 5, 2]]
    features = [candidate.hypothesis.feature for candidate in search(X, dual, 6)]
    pairs = np.array(features).reshape(3, 2)
    np.testing.assert_array_equal(pairs[:, 1], pairs[:, 0] + 1)
    assert set(pairs[:, 0]) == {0, 2, 4}


def test_a_side_without_weight_is_positive():
    """As R1-X01 breaks ties; rounding noise must not choose a label."""
    X = np.array([[0.0], [1.0], [1.0]])
    (found,) = search(X, np.array([-0.5, 0.25, -0.25 - 1e-16]))
    assert (found.hypothesis.left, found.hypothesis.right) == (-1.0, 1.0)
    (found,) = search(X, np.zeros(3))
    assert (found.hypothesis.left, found.hypothesis.right) == (1.0, 1.0)
    assert found.edge == 0.0


# -- equal values (the tie bug of the original p-boosting code, BA-B1) ------------------------


def test_equal_values_are_never_separated():
    """A scan over sorted rows that cuts between equal values would promise edge 1 here."""
    X = np.zeros((4, 1))
    (found,) = search(X, np.array([0.25, 0.25, -0.25, -0.25]))
    assert found.edge == 0.0
    assert len(set(found.column)) == 1


@pytest.mark.parametrize("max_bins", [None, 255, 2])
def test_equal_values_in_groups(max_bins):
    """Cutting inside a group would give edges 3/4 and 1/2; between groups there is only 1/4."""
    x = np.array([1.0, 1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 2.0])
    y = np.array([1, 1, -1, -1, 1, 1, 1, -1])
    for order in (np.arange(8), np.arange(8)[::-1], np.array([3, 0, 2, 1, 7, 4, 6, 5])):
        (found,) = search(x[order][:, None], y[order] / 8.0, max_bins=max_bins)
        assert found.edge == 0.25
        assert all(len(set(found.column[x[order] == value])) == 1 for value in (1.0, 2.0))
        assert found.edge == (y[order] / 8.0) @ found.column


@FAST
@given(st.integers(0, 2**32 - 1), st.integers(2, 30))
def test_rows_with_equal_values_get_equal_labels(seed, n):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, size=(n, 2)).astype(float)
    dual = rng.normal(size=n)
    for found in search(X, dual / np.abs(dual).sum(), 2):
        values = X[:, found.hypothesis.feature]
        assert all(len(set(found.column[values == value])) == 1 for value in values)


def test_thresholds_are_midpoints():
    X = np.array([[1.0], [2.0], [5.0], [9.0]])
    for cut, signs in [(1.5, [-1, 1, 1, 1]), (3.5, [-1, -1, 1, 1]), (7.0, [-1, -1, -1, 1])]:
        (found,) = search(X, np.array(signs) / 4.0)
        assert found.hypothesis == Stump(0, cut, -1.0, 1.0, 0.0)
        assert found.edge == 1.0


# -- missing values and constants -----------------------------------------------------------------


def test_missing_values_get_their_own_label():
    X = np.array([[1.0], [2.0], [np.nan], [np.nan]])
    (found,) = search(X, np.array([-1, 1, -1, -1]) / 4.0)
    assert found.hypothesis == Stump(0, 1.5, -1.0, 1.0, -1.0)
    (found,) = search(X, np.array([-1, 1, 1, 1]) / 4.0)
    assert found.hypothesis == Stump(0, 1.5, -1.0, 1.0, 1.0)


def test_missing_against_present_is_a_split():
    X = np.array([[7.0], [np.nan], [7.0], [np.nan]])
    (found,) = search(X, np.array([1, -1, 1, -1]) / 4.0)
    assert found.edge == 1.0
    np.testing.assert_array_equal(found.column, [1, -1, 1, -1])


def test_a_feature_without_missing_values_abstains_on_one():
    X = np.array([[1.0], [2.0]])
    (found,) = search(X, np.array([-0.5, 0.5]))
    np.testing.assert_array_equal(found.hypothesis(np.array([[np.nan], [3.0]])), [0.0, 1.0])
    model = AdaBoostClassifier().fit(X, [0, 1])
    assert model.decision_function([[np.nan]]) == 0.0


@pytest.mark.parametrize("value", [5.0, np.nan])
@pytest.mark.parametrize("sign", [-1, 1])
def test_a_constant_column_gives_the_constant(value, sign):
    X = np.full((5, 1), value)
    (found,) = search(X, sign * np.array([0.3, 0.3, 0.2, -0.1, -0.1]))
    assert found.edge == pytest.approx(0.6)
    np.testing.assert_array_equal(found.column, np.full(5, sign))


def test_a_constant_has_no_important_feature():
    y = np.repeat([0, 1], [10, 30])
    model = AdaBoostClassifier(n_estimators=1).fit(np.ones((40, 1)), y)
    np.testing.assert_array_equal(model.predict(np.ones((2, 1))), [1, 1])
    np.testing.assert_array_equal(model.feature_importances_, [0.0])


# -- categories -----------------------------------------------------------------------------------


def test_equality_takes_one_category_and_partition_a_set():
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    dual = np.array([1, -1, 1, -1]) / 4.0
    (one,) = search(X, dual, categorical=[0])
    (two,) = search(X, dual, categorical=[0], split="partition")
    assert (one.edge, one.hypothesis.categories) == (0.5, (0,))
    assert (two.edge, two.hypothesis.categories) == (1.0, (0, 2))


def test_a_partition_may_leave_a_side_empty():
    X = np.array([[0.0], [1.0], [np.nan]])
    for sign in (-1, 1):
        dual = sign * np.array([0.5, 0.25, -0.25])
        (found,) = search(X, dual, categorical=[0], split="partition")
        assert found.edge == 1.0
        np.testing.assert_array_equal(found.column, sign * np.array([1, 1, -1]))


def test_categories_that_are_all_missing():
    X = np.array([[np.nan, 1.0], [np.nan, 2.0]])
    for split in ("equality", "partition"):
        found = search(X, np.array([-0.5, 0.5]), 2, categorical=[0], split=split)
        assert [candidate.hypothesis.feature for candidate in found] == [1, 0]
        assert found[1].edge == 0.0


def test_unknown_split_and_missing_bins():
    sample = make_sample(np.array([[0.0], [1.0]]))
    with pytest.raises(ValueError, match="categorical: got 'best', expected one of 'equality'"):
        StumpOracle("best").bind(sample)
    with pytest.raises(ValueError, match="StumpOracle: the sample has no binned rows"):
        StumpOracle().bind(Sample.of_labels([1, -1], rows=sample.rows))


# -- many stumps as step functions ----------------------------------------------------------------


@FAST
@given(problems(), st.sampled_from(["equality", "partition"]), st.integers(0, 2**32 - 1))
def test_step_functions_are_the_sum_of_their_stumps(problem, split, seed):
    X, _, categorical = problem
    rng = np.random.default_rng(seed)
    sample = make_sample(X, categorical)
    oracle = StumpOracle(split).bind(sample)
    stumps = [
        candidate.hypothesis
        for _ in range(6)
        for candidate in oracle.best(rng.normal(size=len(X)), X.shape[1])
    ]
    coef = rng.normal(size=len(stumps))
    rows = sample.rows.dense(0, len(X))
    one_by_one = sum(a * stump(rows) for a, stump in zip(coef, stumps, strict=True))
    np.testing.assert_allclose(Stump.voter(stumps, coef)(rows), one_by_one, atol=1e-12)
    steps = step_functions(stumps, coef)
    assert [step.feature for step in steps] == sorted({stump.feature for stump in stumps})
    assert all((np.diff(step.thresholds) > 0).all() for step in steps)
    assert all(len(step.levels) == len(step.thresholds) + 2 for step in steps)


@pytest.mark.parametrize("n_cuts", [254, 255, 256, 400])
def test_narrow_and_wide_step_functions(n_cuts):
    """Around 255 thresholds, where prediction changes from one kernel to the other."""
    rng = np.random.default_rng(n_cuts)
    cuts = np.sort(rng.normal(size=n_cuts))
    stumps = [Stump(0, float(cut), -1.0, 1.0, 0.5) for cut in cuts]
    coef = rng.normal(size=n_cuts)
    rows = np.append(np.concatenate([cuts, cuts + 1e-9, [-9.0, 9.0]]), np.nan)[:, None]
    expected = sum(a * stump(rows) for a, stump in zip(coef, stumps, strict=True))
    np.testing.assert_allclose(Stump.voter(stumps, coef)(rows), expected, atol=1e-12)


# -- oracles around it ----------------------------------------------------------------------------


def test_resampling_measures_on_the_true_weights():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    sample = make_sample(X)
    oracle = ResamplingOracle(StumpOracle()).bind(sample)
    exact = StumpOracle().bind(sample)
    for round_ in range(1, 20):
        dual = rng.normal(size=60)
        dual /= np.abs(dual).sum()
        (found,) = oracle.best(dual, round=round_)
        assert found.edge == pytest.approx(float(dual @ found.column), abs=1e-12)
        assert 0.0 <= found.edge <= exact.best(dual)[0].edge + 1e-12
        np.testing.assert_array_equal(found.hypothesis(X), found.column)
        assert oracle.best(dual, round=round_)[0].hypothesis == found.hypothesis
    assert not oracle.exact


def test_pool_never_falls_below_what_it_knows():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(40, 3))
    sample = make_sample(X)
    oracle = PooledOracle(ResamplingOracle(StumpOracle())).bind(sample)
    seen = []
    for round_ in range(1, 15):
        dual = rng.normal(size=40)
        dual /= np.abs(dual).sum()
        known = [float(dual @ candidate.column) for candidate in seen]
        (found,) = oracle.best(dual, round=round_)
        seen = list(oracle.pool)
        assert found.edge >= max(known, default=-1.0) - 1e-12
        assert found.edge == pytest.approx(float(dual @ found.column), abs=1e-12)
    patterns = [candidate.column.tobytes() for candidate in seen]
    assert len(set(patterns)) == len(patterns) > 5


def test_stumps_promise_the_largest_edge():
    """Certificates rest on it."""
    assert StumpOracle().bind(make_sample(np.arange(4.0)[:, None])).exact
