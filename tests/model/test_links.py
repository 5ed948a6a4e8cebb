"""From scores to probabilities, by the formulas."""

import numpy as np
import pytest
from scipy.special import softmax

from marginboost.losses import Exponential, Logistic
from marginboost.model.links import (
    LARGEST_CHANCE,
    LEAST_CHANCE,
    LogisticLink,
    LossLink,
    SoftmaxLink,
    VoteLink,
    inside,
)

SCORES = np.array([-9.0, -3.0, -0.5, 0.0, 0.25, 3.0, 9.0])


def test_votes_are_shares():
    found = VoteLink()(SCORES, 3.0)
    second = [0.0, 0.0, 2.5 / 6, 0.5, 3.25 / 6, 1.0, 1.0]
    np.testing.assert_allclose(found, np.column_stack([1.0 - np.array(second), second]), atol=1e-15)
    np.testing.assert_array_equal(VoteLink()(np.zeros(2), 0.0), np.full((2, 2), 0.5))


@pytest.mark.parametrize(
    ("link", "factor"),
    [
        (LogisticLink(), 2.0),
        (LogisticLink(1.0), 1.0),
        (LossLink(Exponential()), 2.0),
        (LossLink(Logistic()), 1.0),
    ],
)
def test_scores_are_parts_of_log_odds(link, factor):
    second = 1.0 / (1.0 + np.exp(-factor * SCORES))
    found = link(SCORES, 7.0)
    np.testing.assert_allclose(found, np.column_stack([1.0 - second, second]), rtol=1e-7)


def test_scores_of_all_classes():
    scores = np.array([[0.0, 1.0, -2.0], [500.0, 0.0, -500.0]])
    np.testing.assert_allclose(SoftmaxLink()(scores, 2.0), softmax(scores, axis=1), rtol=1e-12)


def test_only_what_is_0_or_1_changes():
    """What floats can tell apart stays as it is, so rows keep their order."""
    scores = np.array([-900.0, -400.0, -30.0, 0.0, 30.0])
    found = LogisticLink(1.0)(scores, 1.0)
    expected = found.copy()
    expected[:2, 0] = LARGEST_CHANCE
    expected[0, 1] = LEAST_CHANCE
    np.testing.assert_array_equal(inside(found), expected)
