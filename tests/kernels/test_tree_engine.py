"""The one engine of all trees: kernels against their NumPy twin, ties, room, and odd weights."""

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from marginboost.core import Sample, Weights
from marginboost.data import BinnedMatrix, Table
from marginboost.kernels import histograms
from marginboost.kernels import splits as split_kernels
from marginboost.kernels.histograms import NARROW
from marginboost.kernels.jit import COMPILED
from marginboost.kernels.reference import trees as reference
from marginboost.kernels.splits import (
    ABSOLUTE,
    ENTROPY,
    LARGEST,
    SPLIT,
    SQUARES,
    Z,
)
from marginboost.kernels.stumps import CATEGORY, PARTITION, THRESHOLD, best_threshold
from marginboost.kernels.ties import TIE
from marginboost.oracles import GradientTreeOracle, TreeOracle
from marginboost.oracles.growth import Limits, TreeGrower
from strategies import from_python

add_codes, add_labels = from_python(histograms.add_codes), from_python(histograms.add_labels)
add_rows, scan = from_python(histograms.add_rows), from_python(split_kernels.scan)
category_order = from_python(split_kernels.category_order)
first_best = from_python(split_kernels.first_best)

few = settings(derandomize=True, max_examples=60, deadline=None, database=None)
compiled = pytest.mark.skipif(not COMPILED, reason="needs compiled kernels")


def scanned(cells, kind, total, floor, criterion, l2=0.0):
    split, rules = np.zeros(1, SPLIT), (criterion, l2, -np.inf, np.inf, 0)
    scan(cells, kind, total, floor, rules, np.empty(len(total)), split[0:1][0])
    return split[0]


@few
@given(
    seed=st.integers(0, 2**20),
    kind=st.sampled_from([THRESHOLD, CATEGORY, PARTITION]),
    criterion=st.sampled_from([SQUARES, ABSOLUTE, LARGEST, ENTROPY, Z]),
    n_labels=st.sampled_from([1, 3]),
    missing=st.booleans(),
    floor=st.sampled_from([TIE, 0.2]),
)
def test_scan_is_its_reference(seed, kind, criterion, n_labels, missing, floor):
    if n_labels > 1 and (kind == PARTITION or criterion == Z):
        return  # of one signed sum only
    rng = np.random.default_rng(seed)
    n_bins, n = 5, 25
    codes = rng.integers(0, n_bins + missing, n)
    signed = rng.integers(-2, 3, (n, n_labels)).astype(float)
    if criterion == ENTROPY and n_labels > 1:
        signed = np.abs(signed)
    signed /= max(1.0, np.abs(signed).sum())
    values = np.column_stack([signed, np.abs(signed).sum(axis=1)])
    data = reference.Rows(codes[None], np.array([n_bins]), np.array([kind]), values, np.ones(n))
    rules = reference.Rules(criterion, min_weight=floor, l2=0.1)
    expected = reference.best_split(data, 0, rules)
    cells = reference.histogram(codes, values, n_bins + 1)
    split = scanned(cells, kind, values.sum(axis=0), floor, criterion, 0.1)
    assert (split["gain"] > 0) == (expected is not None)
    if expected is not None:
        assert split["gain"] == pytest.approx(expected.gain, abs=1e-12)
        left = expected.goes_left[codes] == 1
        assert split["left_weight"] == pytest.approx(values[left, -1].sum(), abs=1e-12)
        assert split["missing_left"] == expected.goes_left[-1]


@few
@given(seed=st.integers(0, 2**20), n_features=st.integers(1, 8))
def test_sums_are_their_reference(seed, n_features):
    """Of all rows, of many, of few, and feature by feature."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, NARROW, (n_features, 90)).astype(np.uint8)
    pairs = rng.normal(size=(90, 2))
    rows = np.sort(rng.permutation(90)[:40]).astype(np.uint32)
    expected = [reference.histogram(c, pairs, NARROW) for c in codes]
    some = [reference.histogram(c[rows], pairs[rows], NARROW) for c in codes]
    for j in range(n_features):
        sums = np.zeros((NARROW, 2))
        add_codes(codes[j], rows, pairs[rows], sums)
        np.testing.assert_allclose(sums, some[j], atol=1e-14)
    labels, place = rng.integers(0, 3, 90).astype(np.int32), np.array([1, 0, 2])
    sums = np.zeros((NARROW, 4))
    add_labels(codes[0], rows, np.abs(pairs[rows, :1]), labels[rows], place, sums)
    amounts = np.abs(pairs[rows, 0])
    for label in range(3):
        mine = np.where(labels[rows] == label, amounts, 0.0)
        by_code = np.bincount(codes[0, rows], mine, NARROW)
        np.testing.assert_allclose(sums[:, place[label]], by_code, atol=1e-14)
    np.testing.assert_allclose(sums[:, 3], sums[:, :3].sum(axis=1), atol=1e-14)
    sums = np.zeros((n_features * NARROW, 2))
    add_rows(codes, np.arange(90, dtype=np.uint32), pairs, sums)
    np.testing.assert_allclose(sums, np.concatenate(expected), atol=1e-14)
    sums[:] = 0.0
    add_rows(codes, rows, pairs[rows], sums)
    np.testing.assert_allclose(sums, np.concatenate(some), atol=1e-14)
    few_rows, sums[:] = rows[::8].copy(), 0.0
    add_rows(codes, few_rows, pairs[few_rows], sums)
    expected = [reference.histogram(c[few_rows], pairs[few_rows], NARROW) for c in codes]
    np.testing.assert_allclose(sums, np.concatenate(expected), atol=1e-14)


# -- ties ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scale", [1.0, 1e3, 1e6, 1e12])
@pytest.mark.parametrize("kind", [THRESHOLD, CATEGORY])
def test_large_gains_are_gains_and_ties_go_to_the_first(scale, kind):
    """Slopes that grow with the scale, so that gains grow with its square."""
    cells = scale * np.array([[3.0, 0.1], [-3.0, 0.1], [3.0, 0.1], [-3.0, 0.1], [0.0, 0.0]])
    cells[:, 1] /= scale
    split = scanned(cells, kind, cells.sum(axis=0), 1e-9, SQUARES)
    assert split["gain"] == pytest.approx(scale**2 * (90.0 + 30.0), rel=1e-12)
    assert split["cut"] == 0  # as good as the last one
    splits = np.zeros(3, SPLIT)
    splits["gain"] = [0.5 * split["gain"], split["gain"], split["gain"] * (1 - 1e-15)]
    assert first_best(splits, 0.0) == 1
    assert first_best(splits[::-1].copy(), 0.0) == 0


def test_ties_of_stumps_are_relative():
    """With weights of any size, a cut that is as good but for rounding is not better."""
    histogram = 1e6 * np.array([0.1, -0.3, 0.3 + 1e-15, -0.1, 0.0])
    assert best_threshold(histogram, 4)[1] == 1
    nudged = histogram * np.array([1.0, 1.0, 1.0 + 1e-13, 1.0, 1.0])
    assert best_threshold(nudged, 4)[1] == 1


def test_equal_means_keep_the_order_of_codes():
    rng = np.random.default_rng(0)
    weight = rng.uniform(0.5, 1.0, 4000) / 4000
    means = rng.integers(-3, 4, 4000) * (1.0 + 1e-15 * rng.normal(size=4000))
    cells = np.column_stack([means * weight, weight])
    cells[7] = 0.0  # not seen
    order = category_order(np.vstack([cells, [0.0, 0.0]]))
    expected = sorted(range(4000), key=lambda k: (k == 7, round(means[k])))
    np.testing.assert_array_equal(order, expected)


def tree_of(slopes, curvature, X, **settings_):
    bins = BinnedMatrix.from_data(X, n_jobs=1)
    sample = Sample.of_targets(np.zeros(len(X)), rows=bins, bins=bins)
    oracle = GradientTreeOracle(**settings_).bind(sample)
    return oracle.best(Weights(slopes, curvature))[0]


@compiled
def test_one_outlier_is_told_apart():
    """Its gain is a fourth of the number of rows: ties must not be absolute."""
    n = 80_000
    X = np.zeros((n, 2))
    X[-1, 1] = 1.0
    slopes = np.full(n, -0.5 / (n - 1))
    slopes[-1] = 0.5
    found = tree_of(slopes, np.full(n, 1.0 / n), X, min_samples_leaf=1)
    assert found.hypothesis.nodes["gain"][0] == pytest.approx(n / 4, rel=1e-3)
    assert found.hypothesis.nodes["feature"].tolist() == [1, -1, -1]
    assert found.column[-1] == 1.0


# -- room ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(6))
def test_no_split_leaves_a_side_without_rows(seed):
    """Weights over 23 orders of magnitude: sums by subtraction are mostly rounding."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 8, (40, 2)).astype(float)
    weight = 10.0 ** rng.uniform(0, 23, 40)
    dual = rng.normal(size=40) * weight
    dual /= np.abs(dual).sum()
    bins = BinnedMatrix.from_data(X, n_jobs=1)
    limits = {"max_leaf_nodes": None, "max_depth": 60, "min_samples_leaf": 1}
    oracles = GradientTreeOracle(**limits), TreeOracle(None, criterion="gini")
    for oracle in oracles:
        bound = oracle.bind(Sample.of_labels(np.sign(dual), weight, rows=bins, bins=bins))
        check_no_side_is_empty(bound.best(dual)[0].hypothesis, X)


def check_no_side_is_empty(tree, X):
    rows = {0: np.arange(len(X))}
    for k, node in enumerate(tree.nodes):
        assert len(rows[k])
        if node["feature"] >= 0:
            left = X[rows[k], node["feature"]] <= node["threshold"]
            rows[int(node["left"])], rows[int(node["right"])] = rows[k][left], rows[k][~left]
    assert tree.n_leaves <= len(X)


def test_a_split_without_rows_on_a_side_is_not_made():
    """Sums that lie: there is said to be more than there is."""
    bins = BinnedMatrix.from_data(np.arange(8.0)[:, None], n_jobs=1)
    bins.codes[:] = 0  # all in the first bin, which can only be cut off from what is not there
    grower = TreeGrower(bins, Limits(SQUARES, max_depth=9), 1)
    grower.job.values[:] = np.column_stack([np.arange(8) - 3.5, np.ones(8)])
    growth = grower.grow(None, np.array([5.0, 9.0]))
    assert len(growth.nodes) == 1


def test_a_tree_without_room_is_an_error():
    rng = np.random.default_rng(0)
    bins = BinnedMatrix.from_data(rng.normal(size=(50, 2)), n_jobs=1)
    grower = TreeGrower(bins, Limits(SQUARES, max_depth=9), 1)
    grower.job.values[:] = np.column_stack([rng.normal(size=50), np.ones(50)])
    sums = grower.job.values.sum(axis=0)
    assert len(grower.grow(None, sums).nodes) > 9
    grower.job = grower.job._replace(nodes=grower.job.nodes[:9])
    with pytest.raises(RuntimeError, match="outgrew the room for 9 nodes"):
        grower.grow(None, sums)


def test_sums_take_no_more_memory_than_there_are_bins():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(0, 900, 1000), rng.integers(0, 3, (1000, 20))]).astype(float)
    table = Table(X, [f"x{j}" for j in range(21)], [np.arange(900), *[None] * 20])
    bins = BinnedMatrix.from_table(table, n_jobs=1)
    grower = TreeGrower(bins, Limits(SQUARES, max_leaf_nodes=31), 1)
    assert grower.job.histograms.shape == (31, 901 + 20 * 4, 2)
    deep = TreeGrower(bins, Limits(SQUARES), 1)  # without limits: as many as rows can be halved
    assert len(deep.job.histograms) <= 12


# -- without compiler ------------------------------------------------------------------------------


@compiled
def test_kernels_run_uncompiled():
    """What a debugger or a coverage report sees is the same code."""
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    wanted = [
        os.path.join(here, "kernels", "test_tree_engine.py"),
        os.path.join(here, "oracles", "test_gradient_trees.py"),
    ]
    chosen = "room or ties or large_gains or mean_slope or largest_step or nothing_to_find"
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *wanted, "-k", chosen],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert run.returncode == 0, run.stdout[-3000:]
