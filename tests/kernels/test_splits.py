"""Scores of the two sides of a split with several labels, written out."""

import numpy as np
import pytest

from marginboost.kernels.splits import ABSOLUTE, ENTROPY, LARGEST, SQUARES, score_several

LEFT, MISSING = np.array([0.1, 0.3, 0.05]), np.array([0.02, 0.04, 0.06])
TOTAL = np.array([0.25, 0.4, 0.35])


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
