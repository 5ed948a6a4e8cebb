"""What a run says of itself: bounds, whether they prove anything, and why not."""

import math

import numpy as np
import pytest

from marginboost.algorithms._example import SmallSteps
from marginboost.core.run import train
from marginboost.datasets import flip_family
from marginboost.losses import Logistic
from marginboost.oracles.finite import FiniteOracle, matrix_sample


class Uncertain(SmallSteps):
    """Has a reason not to be believed."""

    uncertified_reason = "of its own"


class Unbounded(SmallSteps):
    """Proves nothing from above."""

    def upper(self, state, edge):
        """No bound."""
        return math.inf


class Neither(Unbounded):
    """Has no bound and a reason."""

    uncertified_reason = "of its own"


def certificate(rule, selection):
    matrix = flip_family(4)
    return train(
        matrix_sample(matrix, np.ones(4)), FiniteOracle(selection), rule, max_rounds=3
    ).certificate


@pytest.mark.parametrize(
    ("rule", "selection", "certified", "reason"),
    [
        (SmallSteps, "best", True, "always returns the largest edge over the given columns"),
        (SmallSteps, "delta", False, "need not return the largest edge over the given columns"),
        (Uncertain, "best", False, "of its own"),
        (Unbounded, "best", False, "no finite bound was found"),
        (Neither, "best", False, "of its own"),
    ],
)
def test_bounds_are_certified_unless_something_speaks_against_it(
    rule, selection, certified, reason
):
    found = certificate(rule(), selection)
    assert found.certified is certified
    assert found.reason.endswith(reason)


def test_the_mean_loss_is_that_of_the_rule_where_it_has_one():
    rule, truth, scores = SmallSteps(), np.array([1.0, -1.0]), np.array([0.0, 0.0])
    assert rule.mean_loss(truth, scores) is None
    rule.loss = Logistic()
    assert rule.mean_loss(truth, scores) == pytest.approx(math.log(2.0))
    assert rule.mean_loss(truth[:, None], scores[:, None]) is None
