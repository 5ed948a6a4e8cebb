"""Scores of the two sides of a split with several labels, written out."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from marginboost.kernels import splits
from marginboost.kernels.splits import (
    ABSOLUTE,
    ENTROPY,
    LARGEST,
    SQUARES,
    Z,
    score_several,
)
from strategies import from_python, theory

order_of, score_sides = from_python(splits.order_of), from_python(splits.score_sides)

LEFT, MISSING = np.array([0.1, 0.3, 0.05]), np.array([0.02, 0.04, 0.06])
TOTAL = np.array([0.25, 0.4, 0.35])


@theory
@given(st.lists(st.sampled_from([0.0, -0.5, 0.25, 1.0, 7.0, np.inf]), max_size=60))
def test_categories_are_ordered_as_by_a_stable_sort(values):
    values = np.array(values, dtype=float)
    np.testing.assert_array_equal(order_of(values), np.argsort(values, kind="stable"))


def entropy(sums):
    return float((sums * np.log2(sums / sums.sum())).sum())


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("l2", [0.0, 0.7])
def test_scores_of_both_sides(side, l2):
    """Missing values count on the left where ``side`` is 1."""
    here = LEFT + side * MISSING
    there = TOTAL - here
    weights = here.sum(), there.sum()

    def found(criterion):
        return score_several(LEFT, MISSING, side, TOTAL, weights, criterion, l2)

    squares = (here**2).sum() / (weights[0] + l2) + (there**2).sum() / (weights[1] + l2)
    assert found(SQUARES) == pytest.approx(squares, rel=1e-12)
    assert found(ABSOLUTE) == pytest.approx(np.abs(here).sum() + np.abs(there).sum(), rel=1e-12)
    assert found(ENTROPY) == pytest.approx(entropy(here) + entropy(there), rel=1e-12)
    assert found(LARGEST) == pytest.approx(here.max() + there.max(), rel=1e-12)


def test_an_empty_side_scores_nothing():
    weights = TOTAL.sum(), 0.0
    score = score_several(TOTAL, np.zeros(3), 0, TOTAL, weights, SQUARES, 0.0)
    assert score == pytest.approx((TOTAL**2).sum() / TOTAL.sum(), rel=1e-12)


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("l2", [0.0, 0.7])
def test_scores_of_two_classes(side, l2):
    """One signed sum and a weight: of each side the classes are the halves of both."""
    left, missing, total = np.array([0.2]), np.array([-0.1, 0.3]), np.array([-0.15, 1.1])
    left_weight = 0.5 + side * 0.3
    here, there = 0.2 - side * 0.1, -0.35 + side * 0.1
    halves = [
        np.array([0.5 * (w + s), 0.5 * (w - s)])
        for s, w in ((here, left_weight), (there, 1.1 - left_weight))
    ]

    def found(criterion):
        rules = criterion, l2, -np.inf, np.inf, 0  # without bounds or direction
        return score_sides(left, missing, side, total, left_weight, rules)

    squares = here**2 / (left_weight + l2) + there**2 / (1.1 - left_weight + l2)
    assert found(SQUARES) == pytest.approx(squares, rel=1e-12)
    assert found(ABSOLUTE) == pytest.approx(abs(here) + abs(there), rel=1e-12)
    assert found(ENTROPY) == pytest.approx(sum(map(entropy, halves)), rel=1e-12)
    assert found(Z) == pytest.approx(-2.0 * sum(np.sqrt(h.prod()) for h in halves), rel=1e-12)
