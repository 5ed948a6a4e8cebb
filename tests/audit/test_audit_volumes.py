"""Volumes against brute force over the model's own predictions, and against what must hold."""

from collections import deque
from itertools import pairwise, product

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.dummy import DummyClassifier

from fitted_models import set_ensemble
from marginboost import (
    AdaBoostClassifier,
    ArcGVClassifier,
    BinnedMatrix,
    LPBoostClassifier,
    TreeOracle,
)
from marginboost.audit import (
    log_cell_volumes,
    log_decision_volumes,
    log_exact_decision_volumes,
    mean_volumes,
)
from marginboost.datasets import circle_2d, sphere_10d
from marginboost.oracles.stumps import Stump

theory = settings(derandomize=True, deadline=None, max_examples=25, database=None)
PAD = 0.01


@st.composite
def fitted(draw, max_features=3, max_rounds=8):
    """A small AdaBoost model with its data: few values, so that cuts repeat and rows coincide."""
    rng = np.random.default_rng(draw(st.integers(0, 2**20)))
    n, d = draw(st.integers(4, 16)), draw(st.integers(1, max_features))
    X = rng.integers(0, 5, (n, d)) * 1.5 - 2.0 if draw(st.booleans()) else rng.normal(size=(n, d))
    y = rng.permutation(np.arange(n) % 2)
    rounds = draw(st.integers(1, max_rounds))
    model = AdaBoostClassifier(n_estimators=rounds, max_bins=None, n_jobs=1).fit(X, y)
    # Random coefficients: no vote is tied, so that brute force and model agree on every label.
    members = tuple(model.estimators_)
    set_ensemble(model, members, rng.uniform(0.5, 1.5, len(members)))
    return model, X, y


def borders(model, X, axis):
    """Ends of the pieces of an axis: the box, and every cut where the stump changes its mind."""
    cuts = {s.threshold for s in model.estimators_ if s.feature == axis and s.left != s.right}
    low, high = X[:, axis].min() - PAD, X[:, axis].max() + PAD
    return [low, *sorted(cut for cut in cuts if low < cut < high), high]


def own_piece(ends, value):
    return next(k for k in range(len(ends) - 1) if ends[k] < value <= ends[k + 1])


def axis_extent(model, X, row, axis):
    """Walk along one axis by asking the model at the middle of every piece."""
    ends = borders(model, X, axis)
    probes = np.repeat(row[None], len(ends) - 1, axis=0)
    probes[:, axis] = [(a + b) / 2 for a, b in pairwise(ends)]
    labels = model.predict(probes)
    k = low = high = own_piece(ends, row[axis])
    assert labels[k] == model.predict(row[None])[0]
    while low > 0 and labels[low - 1] == labels[k]:
        low -= 1
    while high < len(labels) - 1 and labels[high + 1] == labels[k]:
        high += 1
    return ends[high + 1] - ends[low]


def flood(model, X, row):
    """Volume of the connected region around a row, cell by cell."""
    ends = [borders(model, X, axis) for axis in range(X.shape[1])]
    sizes = [len(e) - 1 for e in ends]
    cells = list(product(*(range(size) for size in sizes)))
    middles = [[(e[k] + e[k + 1]) / 2 for e, k in zip(ends, c, strict=True)] for c in cells]
    labels = dict(zip(cells, model.predict(np.array(middles)), strict=True))
    start = tuple(own_piece(e, value) for e, value in zip(ends, row, strict=True))
    seen, queue, volume = {start}, deque([start]), 0.0
    while queue:
        cell = queue.popleft()
        volume += np.prod([e[k + 1] - e[k] for e, k in zip(ends, cell, strict=True)])
        for axis, step in product(range(len(sizes)), (-1, 1)):
            near = (*cell[:axis], cell[axis] + step, *cell[axis + 1 :])
            if near in labels and near not in seen and labels[near] == labels[start]:
                seen.add(near)
                queue.append(near)
    return volume


@theory
@given(fitted())
def test_decision_volume_is_what_asking_the_model_finds(problem):
    model, X, _ = problem
    expected = [np.prod([axis_extent(model, X, r, a) for a in range(X.shape[1])]) for r in X]
    np.testing.assert_allclose(np.exp(log_decision_volumes(model, X)), expected, rtol=1e-9)


@theory
@given(fitted(max_rounds=6))
def test_exact_volume_is_what_flooding_finds(problem):
    model, X, _ = problem
    expected = [flood(model, X, row) for row in X]
    np.testing.assert_allclose(np.exp(log_exact_decision_volumes(model, X)), expected, rtol=1e-9)


@theory
@given(fitted())
def test_cell_volume_is_the_box_between_the_nearest_cuts(problem):
    model, X, _ = problem
    expected = np.ones(len(X))
    for axis in range(X.shape[1]):
        ends = borders(model, X, axis)
        for i, value in enumerate(X[:, axis]):
            k = own_piece(ends, value)
            expected[i] *= ends[k + 1] - ends[k]
    np.testing.assert_allclose(np.exp(log_cell_volumes(model, X)), expected, rtol=1e-9)


@theory
@given(fitted())
def test_order_of_the_volumes(problem):
    """CH-C20, CH-C22: cell <= decision <= box, cell <= exact <= box; cells never grow."""
    model, X, _ = problem
    box = np.log(np.ptp(X, axis=0) + 2 * PAD).sum() + 1e-9
    cells = log_cell_volumes(model, X, rounds="all")
    approximate = log_decision_volumes(model, X, rounds="all")
    exact = log_exact_decision_volumes(model, X, rounds="all")
    assert (np.diff(cells, axis=0) <= 1e-9).all()
    for volumes in (approximate, exact):
        assert (cells <= volumes + 1e-9).all()
        assert (volumes <= box).all()
        assert np.isfinite(volumes).all()


@theory
@given(fitted(max_features=1))
def test_one_dimension_is_exact(problem):
    """CH-C22: approximate = exact when d = 1."""
    model, X, y = problem
    for given_labels in (None, y):
        np.testing.assert_allclose(
            log_decision_volumes(model, X, given_labels, rounds="all"),
            log_exact_decision_volumes(model, X, given_labels, rounds="all"),
            rtol=1e-9,
        )


@theory
@given(fitted(), st.floats(0.01, 100.0))
def test_scaling_all_coefficients_changes_nothing(problem, factor):
    """CH-C21; cell volumes do not depend on coefficients at all."""
    model, X, _ = problem
    before = log_decision_volumes(model, X), log_cell_volumes(model, X)
    members, coef = model.ensemble_.members, model.ensemble_.coef
    set_ensemble(model, members, coef * factor)
    np.testing.assert_allclose(log_decision_volumes(model, X), before[0], rtol=1e-12)
    set_ensemble(model, members, coef[::-1].copy())
    np.testing.assert_allclose(log_cell_volumes(model, X), before[1], rtol=1e-12)


@pytest.mark.parametrize("volumes", [log_decision_volumes, log_cell_volumes])
@pytest.mark.parametrize(("shift", "scale"), [(8.0, 1.0), (-1024.0, 1.0), (0.0, 4.0)])
def test_shifting_and_scaling_the_data(volumes, shift, scale):
    """CH-C21: a shift changes nothing; a scale (of the padding too) is a factor."""
    X, y = circle_2d(80)
    X = np.round(X * 2**10) / 2**10  # shifted and scaled without rounding, and so are the cuts
    there = X * scale + shift
    make = AdaBoostClassifier(n_estimators=10, max_bins=None)
    before = volumes(make.fit(X, y), X, padding=PAD)
    after = volumes(make.fit(there, y), there, padding=scale * PAD)
    np.testing.assert_allclose(after, before + 2 * np.log(scale), rtol=1e-9)


@theory
@given(fitted())
def test_given_label(problem):
    """The region of the given label is that of the predicted one, or empty."""
    model, X, y = problem
    right = model.predict(X) == y
    for volumes in (log_decision_volumes, log_exact_decision_volumes):
        expected = np.where(right, volumes(model, X), -np.inf)
        np.testing.assert_array_equal(volumes(model, X, y), expected)


@theory
@given(fitted())
def test_rounds_are_shorter_models(problem):
    model, X, _ = problem
    members, coef = model.ensemble_.members, model.ensemble_.coef
    every = log_decision_volumes(model, X, rounds="all")
    assert every.shape == (len(coef), len(X))
    assume(len(coef) > 0)  # constant rows leave an empty model
    np.testing.assert_array_equal(every[-1], log_decision_volumes(model, X))
    chosen = [len(coef), 1, len(coef)]
    picked = log_decision_volumes(model, X, rounds=chosen)
    np.testing.assert_array_equal(picked, every[np.array(chosen) - 1])
    cells = log_cell_volumes(model, X, rounds="all")
    for t in range(1, len(coef) + 1):
        set_ensemble(model, members[:t], coef[:t])
        np.testing.assert_allclose(log_decision_volumes(model, X), every[t - 1], rtol=1e-12)
        np.testing.assert_allclose(log_cell_volumes(model, X), cells[t - 1], rtol=1e-12)


def hand_made(stumps, coef, X):
    model = AdaBoostClassifier(n_estimators=1).fit(X, np.arange(len(X)) % 2)
    set_ensemble(model, stumps, np.array(coef))
    return model


LINE = np.array([[0.0], [2.0], [6.0], [10.0]])


def test_a_cut_that_the_ensemble_outvotes_is_no_boundary():
    """The two readings of Algorithm 8 differ: ensemble or nearest contradicting stump."""
    stumps = [Stump(0, 4.0, -1.0, 1.0), Stump(0, 8.0, 1.0, -1.0)]
    model = hand_made(stumps, [2.0, 1.0], LINE)
    by_ensemble = np.exp(log_decision_volumes(model, LINE))
    np.testing.assert_allclose(by_ensemble, [4.01, 4.01, 6.01, 6.01])
    # Left of 4 the label is -1; the stump at 4 says +1 beyond itself, that at 8 says -1.
    # Right of 4 it is +1; the stump at 8 says -1 above and +1 below, that at 4 says -1 below.
    by_stumps = np.exp(log_decision_volumes(model, LINE, boundary="stumps"))
    np.testing.assert_allclose(by_stumps, [4.01, 4.01, 4.0, 6.01])
    np.testing.assert_allclose(np.exp(log_cell_volumes(model, LINE)), [4.01, 4.01, 4.0, 2.01])


def test_a_value_on_the_cut_belongs_to_the_left():
    model = hand_made([Stump(0, 2.0, -1.0, 1.0)], [1.0], LINE)
    np.testing.assert_allclose(np.exp(log_cell_volumes(model, LINE)), [2.01, 2.01, 8.01, 8.01])


def test_constant_stumps_vote_but_do_not_cut():
    stumps = [Stump(0, np.inf, 1.0, 1.0), Stump(0, 4.0, -1.0, 1.0), Stump(0, 1.0, 1.0, 1.0)]
    model = hand_made(stumps, [1.0, 1.5, 1.0], LINE)
    whole = np.full(4, np.log(10.02))
    np.testing.assert_allclose(log_decision_volumes(model, LINE), whole)  # +1 everywhere
    decisions = log_decision_volumes(model, LINE, rounds="all")
    np.testing.assert_allclose(decisions[0], whole)
    np.testing.assert_allclose(np.exp(decisions[1]), [4.01, 4.01, 6.01, 6.01])
    only_constants = hand_made(stumps[:1], [1.0], LINE)
    for volumes in (log_decision_volumes, log_cell_volumes, log_exact_decision_volumes):
        np.testing.assert_allclose(volumes(only_constants, LINE), whole)


def test_a_model_without_hypotheses_is_one_region():
    X, y = np.array([[1.0], [1.0], [3.0], [3.0]]), np.array([0, 1, 0, 1])
    model = AdaBoostClassifier().fit(X, y)
    assert not model.estimators_
    for volumes in (log_decision_volumes, log_exact_decision_volumes):
        np.testing.assert_allclose(np.exp(volumes(model, X, y)), [2.02, 0.0, 2.02, 0.0])
        assert volumes(model, X, rounds="all").shape == (0, 4)


def test_a_tied_vote_is_the_first_class():
    stumps = [Stump(0, 4.0, -1.0, 1.0), Stump(0, 8.0, 1.0, -1.0)]
    model = hand_made(stumps, [0.1 + 0.2, 0.3], LINE)  # 0.30000000000000004: tied up to rounding
    np.testing.assert_allclose(
        np.exp(log_decision_volumes(model, LINE, [0, 0, 1, 0])), [4.01, 4.01, 4.0, 2.01]
    )


def test_a_region_around_a_corner():
    """An L of three cells: along the axes two of them are seen, exactly all three."""
    X = np.array([[0.0, 0.0], [0.0, 2.0], [2.0, 0.0], [2.0, 2.0]])
    stumps = [Stump(0, 1.0, -1.0, 1.0), Stump(1, 1.0, -1.0, 1.0), Stump(0, np.inf, -1.0, -1.0)]
    model = hand_made(stumps, [1.0, 1.0, 0.5], X)  # +1 only where both say so
    exact = np.exp(log_exact_decision_volumes(model, X))
    np.testing.assert_allclose(exact, [3 * 1.01**2] * 3 + [1.01**2])
    along_axes = np.exp(log_decision_volumes(model, X))
    np.testing.assert_allclose(along_axes, [2.02**2, 2.02 * 1.01, 2.02 * 1.01, 1.01**2])


@pytest.mark.parametrize("make", [ArcGVClassifier, LPBoostClassifier])
def test_any_stump_ensemble_will_do(make):
    X, y = circle_2d(60)
    model = make().fit(X, y)
    assert (log_cell_volumes(model, X) <= log_decision_volumes(model, X) + 1e-9).all()


def test_underflow_is_no_matter():
    """Many narrow features: volumes below the smallest float."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 200)) * 1e-3
    model = AdaBoostClassifier(n_estimators=20, max_bins=None).fit(X, rng.integers(0, 2, 50))
    volumes = log_decision_volumes(model, X, padding=1e-6)
    assert np.isfinite(volumes).all()
    assert volumes.max() < np.log(np.finfo(float).tiny)


def test_threads_and_blocks_change_nothing(monkeypatch):
    X, y = sphere_10d(300)
    model = AdaBoostClassifier(n_estimators=30, n_jobs=1).fit(X, y)
    expected = log_decision_volumes(model, X), log_cell_volumes(model, X)
    monkeypatch.setattr("marginboost.kernels.parallel.ROW_BLOCK", 64)
    model.set_params(n_jobs=3)
    np.testing.assert_array_equal(log_decision_volumes(model, X), expected[0])
    np.testing.assert_array_equal(log_cell_volumes(model, X), expected[1])


def test_a_subset_of_the_rows_has_a_smaller_box():
    X, y = circle_2d(100)
    model = AdaBoostClassifier(n_estimators=20, max_bins=None).fit(X, y)
    near = X[np.abs(X).max(axis=1) < 0.5]  # many cuts lie outside their box
    for volumes in (log_decision_volumes, log_cell_volumes, log_exact_decision_volumes):
        inside = volumes(model, near)
        assert np.isfinite(inside).all()
        assert (inside <= np.log(np.ptp(near, axis=0) + 2 * PAD).sum() + 1e-9).all()


@theory
@given(fitted(max_rounds=6), st.integers(1, 6))
def test_volumes_of_a_subset_are_what_asking_the_model_finds(problem, n):
    """Cuts may lie outside the box of the rows given: there is nothing of a region out there."""
    model, X, _ = problem
    some = X[:n]
    expected = [flood(model, some, row) for row in some]
    exact = log_exact_decision_volumes(model, some)
    np.testing.assert_allclose(np.exp(exact), expected, rtol=1e-9)
    along = [np.prod([axis_extent(model, some, r, a) for a in range(X.shape[1])]) for r in some]
    np.testing.assert_allclose(np.exp(log_decision_volumes(model, some)), along, rtol=1e-9)


def test_a_cut_outside_the_box_does_not_join_regions():
    """Above 5 all is -1; in the box a strip of +1 parts the -1 on its sides."""
    X = np.array([[0.0, 0.0], [0.0, 2.0], [1.0, 1.0], [3.0, 2.0]])
    stumps = [Stump(0, 0.5, -1.0, 1.0), Stump(0, 1.5, 1.0, -1.0), Stump(1, 5.0, -0.4, -1.0)]
    model = hand_made(stumps, [1.0, 1.0, 2.5], X)
    height = 2.02
    parts = np.array([0.51, 0.51, 1.0, 1.51]) * height
    np.testing.assert_allclose(np.exp(log_exact_decision_volumes(model, X)), parts)
    np.testing.assert_allclose(np.exp(log_decision_volumes(model, X)), parts)
    np.testing.assert_allclose(np.exp(log_cell_volumes(model, X)), parts)
    below = hand_made([*stumps[:2], Stump(1, -3.0, -1.0, -0.4)], [1.0, 1.0, 2.5], X)
    np.testing.assert_allclose(np.exp(log_exact_decision_volumes(below, X)), parts)


def test_frames_and_labels_of_any_kind():
    X, y = circle_2d(60)
    names = np.where(y > 0, "out", "in")
    frame = pd.DataFrame(X, columns=["a", "b"])
    model = AdaBoostClassifier(n_estimators=5).fit(frame, names)
    plain = AdaBoostClassifier(n_estimators=5).fit(X, y)
    np.testing.assert_array_equal(
        log_decision_volumes(model, frame, names), log_decision_volumes(plain, X, y)
    )


def test_group_means():
    logs = np.log([[1.0, 3.0, 8.0, 4.0], [1.0, 1.0, 1.0, 1.0]])
    means = mean_volumes(logs, np.array([True, True, False, False]))
    np.testing.assert_allclose(np.exp(means.noisy), [2.0, 1.0])
    np.testing.assert_allclose(means.ratio, [3.0, 1.0])
    far = mean_volumes(logs - 2000.0, np.array([True, True, False, False]))
    np.testing.assert_allclose(far.ratio, [3.0, 1.0])
    empty = mean_volumes([-np.inf, 0.0, 0.0], [True, True, False])
    np.testing.assert_allclose(empty.ratio, 2.0)
    with pytest.raises(ValueError, match=r"noisy: got 4 of 4 rows"):
        mean_volumes(logs, np.ones(4, dtype=bool))
    with pytest.raises(ValueError, match=r"noisy: got int"):
        mean_volumes(logs, [0, 1, 0, 1])


class TestBadInput:
    X, y = circle_2d(40)
    model = AdaBoostClassifier(n_estimators=20).fit(X, y)

    def test_missing_value(self):
        X = self.X.copy()
        X[7, 1] = np.nan
        with pytest.raises(ValueError, match=r"X: row 7 has no value in column 'x1'"):
            log_decision_volumes(self.model, X)

    def test_categories(self):
        frame = pd.DataFrame({"size": self.X[:, 0], "kind": pd.Categorical(["a", "b"] * 20)})
        model = AdaBoostClassifier(n_estimators=3).fit(frame, self.y)
        with pytest.raises(ValueError, match=r"column 'kind' holds categories"):
            log_cell_volumes(model, frame)

    def test_trees(self):
        model = AdaBoostClassifier(TreeOracle(max_depth=2), n_estimators=3).fit(self.X, self.y)
        with pytest.raises(TypeError, match=r"model: got Tree hypotheses, expected stumps"):
            log_cell_volumes(model, self.X)

    def test_binned_rows(self):
        with pytest.raises(TypeError, match=r"X: got a BinnedMatrix"):
            log_cell_volumes(self.model, BinnedMatrix.from_data(self.X))

    def test_other_models(self):
        with pytest.raises(TypeError, match=r"model: got DummyClassifier, expected a classifier"):
            log_cell_volumes(DummyClassifier().fit(self.X, self.y), self.X)

    def test_three_classes(self):
        model = AdaBoostClassifier(n_estimators=2).fit(self.X, np.arange(len(self.X)) % 3)
        with pytest.raises(TypeError, match=r"model: got one of 3 classes, expected two"):
            log_cell_volumes(model, self.X)

    def test_not_fitted(self):
        with pytest.raises(ValueError, match=r"not fitted"):
            log_cell_volumes(AdaBoostClassifier(), self.X)

    def test_too_many_cells(self):
        with pytest.raises(ValueError, match=r"cells on 2 axes, more than max_cells=10"):
            log_exact_decision_volumes(self.model, self.X, max_cells=10)

    @pytest.mark.parametrize("rounds", [0, 21, [1, 0], 1.5, "some"])
    def test_rounds(self, rounds):
        with pytest.raises((ValueError, TypeError), match=r"rounds: got"):
            log_decision_volumes(self.model, self.X, rounds=rounds)

    def test_other_arguments(self):
        with pytest.raises(ValueError, match=r"padding: got 0"):
            log_cell_volumes(self.model, self.X, padding=0)
        with pytest.raises(ValueError, match=r"boundary: got 'near'"):
            log_decision_volumes(self.model, self.X, boundary="near")
        with pytest.raises(ValueError, match=r"y: got 3 labels"):
            log_decision_volumes(self.model, self.X, [1, -1, 1])
        with pytest.raises(ValueError, match=r"y: got label"):
            log_decision_volumes(self.model, self.X, np.arange(40) % 2)
        with pytest.raises(ValueError, match=r"features"):
            log_cell_volumes(self.model, self.X[:, :1])
