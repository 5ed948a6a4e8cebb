"""What a run says of itself: bounds, whether they prove anything, and why not."""

import math

import numpy as np
import pytest

from marginboost.algorithms._example import SmallSteps
from marginboost.core.certificate import Certificate
from marginboost.core.objective import Margin, PricedMargin, Rounding, SoftMargin
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


class Crossing(SmallSteps):
    """Has an upper bound that is too small by as much as it is told."""

    def __init__(self, by=0.0):
        super().__init__()
        self.by = by

    def value(self, state):
        """One half, whatever the margin."""
        return 0.5

    def upper(self, state, edge):
        """A little less than that."""
        return 0.5 - self.by


def test_bounds_that_cross_by_rounding_are_moved_apart():
    found = certificate(Crossing(1e-15), "best")
    assert found.certified
    assert found.lower <= 0.5 - 1e-15
    assert 0.5 <= found.upper <= 0.5 + 1e-11


def test_bounds_that_contradict_each_other_are_no_certificate():
    found = certificate(Crossing(1e-9), "best")
    assert found.lower > found.upper
    assert not found.certified
    assert "contradict" in found.reason
    assert "not certified" in str(found)


@pytest.mark.parametrize(
    ("lower", "upper", "value", "reason"),
    [
        (0.0, 1.0, 0.0, "proven"),
        (0.5, 0.5, 0.5, "proven"),
        (0.5, np.nextafter(0.5, 0.0), 0.5, "contradict"),
        (math.nan, 1.0, 0.0, "no finite bound"),
        (0.0, math.inf, 0.0, "no finite bound"),
        (-math.inf, 1.0, 0.0, "no finite bound"),
        (0.0, 1.0, math.nan, "no finite number"),
    ],
)
def test_numbers_that_cannot_be_a_proof_are_none(lower, upper, value, reason):
    found = Certificate.of(lower, upper, value, True, "proven")
    assert found.certified == (reason == "proven")
    assert reason in found.reason
    assert Certificate.of(lower, upper, value, False, "other") == Certificate(
        lower, upper, value, False, "other"
    ) or math.isnan(lower + value)


ROUNDING = Rounding(100, 10, 100.0)


@pytest.mark.parametrize("objective", [Margin(), SoftMargin(0.3), PricedMargin(1.0)])
def test_outward_bounds_are_further_apart_and_possible(objective):
    lower, upper = objective.outward(0.3, 0.3, ROUNDING)
    assert 0.3 - 1e-10 < lower < 0.3 - 1e-14
    assert 0.3 + 1e-13 < upper < 0.3 + 1e-9
    assert (
        objective.outward(1.0, 1.0, ROUNDING)[1] == 1.0
    )  # no margin is larger, nothing saves more
    assert objective.outward(-2.0, 0.5, ROUNDING)[0] in (-1.0, 0.0)


def test_a_low_price_makes_edges_matter_more():
    """θ = price / edge: an error of the edge counts by θ² / price."""
    cheap, dear = (PricedMargin(C).outward(0.5, 0.5, ROUNDING)[1] - 0.5 for C in (1e-4, 1.0))
    assert cheap > 1000 * dear > 0.0


def test_the_mean_loss_is_that_of_the_rule_where_it_has_one():
    rule, truth, scores = SmallSteps(), np.array([1.0, -1.0]), np.array([0.0, 0.0])
    assert rule.mean_loss(truth, scores) is None
    rule.loss = Logistic()
    assert rule.mean_loss(truth, scores) == pytest.approx(math.log(2.0))
    assert rule.mean_loss(truth[:, None], scores[:, None]) is None
