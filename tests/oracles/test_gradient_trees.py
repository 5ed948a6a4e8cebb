"""Gradient trees against their NumPy twin, and what the oracle promises beyond the contract."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from marginboost import GradientBoostClassifier
from marginboost.core import Sample, Weights
from marginboost.data import BinnedMatrix, Table
from marginboost.kernels.jit import COMPILED
from marginboost.kernels.reference import trees as reference
from marginboost.kernels.splits import SQUARES
from marginboost.oracles import GradientTreeOracle, growth

theory = settings(derandomize=True, deadline=None, max_examples=120, database=None)

TREES = [
    {},
    {"max_leaf_nodes": 4, "l2_regularization": 3.0},
    {"max_leaf_nodes": None, "max_depth": 3, "min_samples_leaf": 1},
    {"categorical": "partition"},
    {"splits": "gradient", "max_leaf_nodes": 5, "categorical": "partition"},
    {"grow_policy": "depthwise", "max_leaf_nodes": 6},
    {"interaction_cst": "no_interactions"},
    {"interaction_cst": "pairwise", "min_split_gain": 0.05},
    {"interaction_cst": [["x0", "x2"], [1, 2]], "categorical": "partition"},
    {"monotonic_cst": {"x0": 1, "x1": -1}},
    {"monotonic_cst": [-1, 1, 0, 0], "categorical": "partition", "l2_regularization": 2.0},
    {"monotonic_cst": {0: -1}, "interaction_cst": [[0, 1], [2, 3]], "min_split_gain": 0.01},
    {"grow_policy": "symmetric"},
    {"grow_policy": "symmetric", "max_leaf_nodes": 64, "min_samples_leaf": 1},
    {"grow_policy": "symmetric", "splits": "gradient", "max_leaf_nodes": None, "max_depth": 3},
    {"grow_policy": "symmetric", "interaction_cst": "pairwise", "l2_regularization": 3.0},
    {"grow_policy": "symmetric", "interaction_cst": [["x0", "x2"], [1, 2]], "min_split_gain": 0.05},
    {"grow_policy": "symmetric", "monotonic_cst": {"x0": 1, "x1": -1}, "min_samples_leaf": 2},
]


def draw_sample(seed, n_rows=80, max_bins=255, weighted=False, n_threads=1):
    """Two numbers, one with missing values, and two categories, one with missing values."""
    rng = np.random.default_rng(seed)
    X = np.column_stack(
        [
            rng.integers(0, 12, n_rows),
            rng.normal(size=n_rows),
            rng.integers(0, 4, n_rows),
            rng.integers(0, 6, n_rows),
        ]
    ).astype(float)
    X[rng.random(n_rows) < 0.3, 1] = np.nan
    X[rng.random(n_rows) < 0.2, 3] = np.nan
    known = [None, None, np.arange(4), np.arange(6)]
    table = Table(X, [f"x{j}" for j in range(4)], known)
    bins = BinnedMatrix.from_table(table, max_bins=max_bins, n_jobs=1)
    prior = rng.integers(1, 4, n_rows) if weighted else None
    y = np.where(rng.random(n_rows) < 0.5, 1, -1)
    return Sample.of_labels(y, prior, rows=table, bins=bins, n_threads=n_threads, seed=seed)


def draw_slopes(sample, seed):
    """Slopes lean on the features, so that there is something to find."""
    rng = np.random.default_rng(seed + 1)
    codes = sample.bins.codes.astype(float)
    slopes = rng.normal(size=len(sample.y)) + 0.3 * codes[0] - (codes[2] == 1) + 0.1 * codes[1]
    dual = sample.prior * (slopes - slopes.mean())
    curvature = sample.prior * rng.uniform(0.2, 1.0, len(dual))
    return dual / np.abs(dual).sum(), curvature / np.abs(dual).sum()


def twin(oracle, sample, dual, curvature):
    """Nodes of the reference, for the same data."""
    judged = sample.prior if oracle.splits == "gradient" else curvature / curvature.sum()
    data = reference.Rows(
        sample.bins.codes,
        sample.bins.n_bins,
        oracle._grower.kinds,
        np.column_stack([dual, judged]),
        sample.prior * sample.total,
    )
    rules = reference.Rules(
        SQUARES,
        oracle.max_leaf_nodes or 0,
        oracle.max_depth or 99,
        min_rows=oracle.min_samples_leaf,
        l2=oracle.l2_regularization / sample.total,
        min_gain=oracle.min_split_gain * curvature.sum() / sample.total,
        by_depth=oracle.grow_policy == "depthwise",
        together=oracle._grower.limits.together,
        groups=tuple(frozenset(np.flatnonzero(g).tolist()) for g in oracle._grower.job.groups),
        monotonic=tuple(oracle._grower.job.monotonic.tolist()),
    )
    if oracle.grow_policy == "symmetric":
        return reference.grow_symmetric(data, rules._replace(max_depth=oracle._grower.limits.depth))
    return reference.grow(data, rules)


@given(
    seed=st.integers(0, 10_000),
    trees=st.sampled_from(TREES),
    wide=st.booleans(),
    weighted=st.booleans(),
    kept=st.booleans(),
)
@theory
def test_the_kernel_grows_the_tree_of_its_twin(seed, trees, wide, weighted, kept):
    """Whether symmetric trees keep their sums or make them afresh."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(growth, "KEPT_ROWS", 0 if kept else growth.KEPT_ROWS)
        check_against_twin(
            seed, GradientTreeOracle(**{"min_samples_leaf": 3, **trees}), wide, weighted
        )


def check_against_twin(seed, oracle, wide, weighted):
    sample = draw_sample(seed, weighted=weighted, max_bins=None if wide else 16)
    if wide:  # codes that do not fit a byte
        sample.bins.codes = sample.bins.codes.astype(np.uint16)
    dual, curvature = draw_slopes(sample, seed)
    bound = oracle.bind(sample)
    (found,) = bound.best(Weights(dual, curvature))
    nodes, tree = twin(bound, sample, dual, curvature), found.hypothesis.nodes
    assert len(nodes) == len(tree)
    column = np.empty(len(dual))
    for k, node in enumerate(nodes):
        assert tree["left"][k] == node.left
        assert tree["right"][k] == node.right
        if node.left >= 0:
            assert tree["feature"][k] == node.split.feature
            np.testing.assert_allclose(tree["gain"][k], node.split.gain, rtol=1e-9, atol=1e-15)
            assert tree["missing_left"][k] == node.split.goes_left[-1]
            check_left(found.hypothesis, k, node, sample.bins)
        else:
            weight = (
                curvature[node.rows].sum()
                + oracle.l2_regularization * curvature.sum() / sample.total
            )
            bounds = np.array([node.low, node.high]) / curvature.sum()
            column[node.rows] = np.clip(dual[node.rows].sum() / weight, *bounds)
    np.testing.assert_allclose(found.scale * found.column, column, rtol=1e-9)
    np.testing.assert_allclose(found.edge, dual @ found.column, atol=1e-14)
    np.testing.assert_array_equal(found.hypothesis(sample.rows.dense(0, 80)), found.column)


def check_left(tree, k, node, bins):
    """The codes that go left are those of the reference."""
    record, j = tree.nodes[k], node.split.feature
    left = np.flatnonzero(node.split.goes_left[:-1])
    if record["last"] > record["first"]:
        np.testing.assert_array_equal(tree.categories[record["first"] : record["last"]], left)
    elif bins.categories[j] is None:
        assert record["threshold"] == np.append(bins.cuts[j], np.inf)[left[-1]]
    else:
        assert len(left) == bins.n_bins[j]


@pytest.mark.skipif(not COMPILED, reason="one thread runs uncompiled kernels")
@pytest.mark.parametrize(
    "trees", [{}, {"subsample": 0.5}, {"grow_policy": "symmetric", "max_leaf_nodes": 32}]
)
def test_threads_change_nothing(trees, monkeypatch):
    monkeypatch.setattr(growth, "CODES_PER_THREAD", 1)
    found = []
    for n_threads in (1, 2, 3):
        sample = draw_sample(0, n_rows=40_000, n_threads=n_threads, max_bins=64)
        dual, curvature = draw_slopes(sample, 0)
        bound = GradientTreeOracle(**trees).bind(sample)
        found.append(bound.best(Weights(dual, curvature), round=3)[0])
    assert found[0].hypothesis == found[1].hypothesis == found[2].hypothesis
    assert found[0].hypothesis.n_leaves >= 20
    for other in found[1:]:
        np.testing.assert_array_equal(found[0].column, other.column)
        assert found[0].scale == other.scale


@given(seed=st.integers(0, 10_000), levels=st.integers(1, 5))
@theory
def test_a_symmetric_tree_asks_one_question_for_each_level(seed, levels):
    sample = draw_sample(seed)
    dual, curvature = draw_slopes(sample, seed)
    settings = {"grow_policy": "symmetric", "max_leaf_nodes": 2**levels, "min_samples_leaf": 1}
    (found,) = GradientTreeOracle(**settings).bind(sample).best(Weights(dual, curvature))
    tree = found.hypothesis
    inner = np.flatnonzero(tree.nodes["feature"] >= 0)
    questions = {
        (
            tree.nodes["feature"][k],
            tree.nodes["threshold"][k],
            tuple(tree.categories[tree.nodes["first"][k] : tree.nodes["last"][k]]),
            tree.nodes["missing_left"][k],
        )
        for k in inner
    }
    assert 1 <= len(questions) <= levels
    assert tree.depth <= levels
    if levels == 1:  # then it is the best split of the root
        (other,) = (
            GradientTreeOracle(2, min_samples_leaf=1).bind(sample).best(Weights(dual, curvature))
        )
        assert tree == other.hypothesis


def test_a_subsample_is_drawn_from_seed_and_round():
    sample = draw_sample(1, n_rows=200)
    dual, _ = draw_slopes(sample, 1)
    bound = GradientTreeOracle(subsample=0.5, min_samples_leaf=5).bind(sample)
    first, second = (bound.best(dual, round=r)[0].hypothesis for r in (1, 2))
    assert first != second
    assert bound.best(dual, round=1)[0].hypothesis == first


def test_without_curvature_a_leaf_is_the_mean_slope():
    sample = draw_sample(2, weighted=True)
    dual, _ = draw_slopes(sample, 2)
    (found,) = GradientTreeOracle(min_samples_leaf=5).bind(sample).best(dual)
    for value in np.unique(found.column):
        rows = found.column == value
        mean = dual[rows].sum() / sample.prior[rows].sum()
        np.testing.assert_allclose(found.scale * value, mean, rtol=1e-9)
        assert sample.prior[rows].sum() * sample.total >= 5 - 1e-6


def test_the_largest_step_is_kept():
    sample = draw_sample(3)
    dual, curvature = draw_slopes(sample, 3)
    scales = []
    for max_step in (None, 0.5):
        bound = GradientTreeOracle(min_samples_leaf=3, max_step=max_step).bind(sample)
        scales.append(bound.best(Weights(dual, curvature))[0].scale)
    assert scales[0] > 0.5
    assert scales[1] == 0.5


def test_nothing_to_find_is_an_edge_of_zero():
    sample = draw_sample(4)
    (found,) = GradientTreeOracle().bind(sample).best(np.zeros(80))
    assert found.edge == 0.0
    assert found.scale == 0.0


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"max_leaf_nodes": 1}, "max_leaf_nodes: got 1"),
        ({"max_leaf_nodes": None}, "max_leaf_nodes: got None"),
        ({"max_depth": 0}, "max_depth: got 0"),
        ({"min_samples_leaf": 0}, "min_samples_leaf: got 0"),
        ({"l2_regularization": -1.0}, "l2_regularization: got -1.0"),
        ({"splits": "best"}, "splits: got 'best'"),
        ({"max_step": 0.0}, "max_step: got 0.0"),
        ({"subsample": 1.5}, "subsample: got 1.5"),
        ({"categorical": "hash"}, "categorical: got 'hash'"),
    ],
)
def test_bad_settings_are_named(settings, message):
    with pytest.raises(ValueError, match=message):
        GradientTreeOracle(**settings).bind(draw_sample(5))


@pytest.mark.parametrize(
    ("n", "given_settings", "weight", "warned"),
    [
        (39, {}, None, True),
        (40, {}, None, False),
        (5, {"min_samples_leaf": 2}, None, False),
        (3, {"min_samples_leaf": 2}, None, True),
        (40, {"subsample": 0.5}, None, True),
        (80, {}, 0.25, True),
        (20, {}, 2.0, False),
    ],
)
def test_a_sample_too_small_for_a_split_is_told(n, given_settings, weight, warned):
    """Every tree would be one leaf, and the model the base rate."""
    X, y = np.arange(float(n))[:, None], np.arange(n) % 2
    weights = None if weight is None else np.full(n, weight)
    model = GradientBoostClassifier(n_estimators=1, **given_settings)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(X, y, weights)
    said = [str(warning.message) for warning in caught]
    assert [text.startswith("min_samples_leaf: got") for text in said] == [True] * warned
