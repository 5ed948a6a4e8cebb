"""Values and optima that the contract checks compare with, on problems solved by hand."""

import math

import numpy as np
import pytest

from marginboost.checks.optimum import attained, optimum
from marginboost.core.objective import (
    LossWithinNorm,
    Margin,
    Objective,
    PricedMargin,
    RegularisedLoss,
    SoftMargin,
    SquaredLoss,
    TrainingLoss,
)
from marginboost.losses import Logistic, Squared

Y = np.array([1, -1, 1, -1])
SCORES = np.array([2.0, 1.0, -1.0, -4.0])  # margins 0.5, -0.25, -0.25, 1 at norm 4
ONE = np.ones((4, 1))


@pytest.mark.parametrize(
    ("nu", "worst"),
    [(0.25, [-0.25]), (0.5, [-0.25, -0.25]), (0.75, [-0.25, -0.25, 0.5]), (1.0, [-1, -1, 2, 4])],
)
def test_the_soft_margin_is_the_mean_of_the_worst_share(nu, worst):
    scale = 4.0 if nu == 1.0 else 1.0
    found = attained(SoftMargin(nu), Y, SCORES, 4.0)
    assert found == pytest.approx(np.mean(worst) / scale, abs=1e-14)


def test_the_margin_is_that_of_the_votes():
    assert attained(Margin(), Y, SCORES, 4.0) == -0.25
    assert attained(Margin(), Y, np.zeros(4), 0.0) == 0.0  # of the empty model
    assert attained(SoftMargin(0.5), Y, np.zeros(4), 0.0) == 0.0


def test_what_is_saved_of_a_loss():
    """Hinge losses 0, 2, 2, 0 of 4 at zero; logistic ones from their formula."""
    assert attained(PricedMargin(0.25), Y, SCORES, 4.0) == pytest.approx(1.0 - 5.0 / 4.0)
    assert attained(PricedMargin(None), Y, SCORES, 4.0) == pytest.approx(1.0 - 4.32 / 4.0)
    losses = np.log1p(np.exp(-Y * SCORES)).sum()
    empty = 4.0 * math.log(2.0)
    for objective, price in (
        (LossWithinNorm(Logistic()), 0.0),
        (RegularisedLoss(0.25, Logistic()), 1.0),
        (TrainingLoss(Logistic()), 0.0),  # the best constant of two and two is 0
    ):
        found = attained(objective, Y, SCORES, 4.0)
        assert found == pytest.approx(1.0 - (losses + price) / empty, abs=1e-9)
    squares = ((Y - SCORES) ** 2).sum()
    assert attained(SquaredLoss(Squared()), Y, SCORES, 4.0) == pytest.approx(1.0 - squares / 4.0)


@pytest.mark.parametrize(
    ("objective", "l1_norm", "expected"),
    [
        (Margin(), 1.0, 1.0),
        (SoftMargin(0.5), 1.0, 1.0),
        (PricedMargin(1.0), 1.0, 0.75),  # α = 1 costs 1, losses of 4 are gone
        (TrainingLoss(Logistic()), 1.0, 1.0),
        (SquaredLoss(Squared()), 1.0, 1.0),
        (LossWithinNorm(Logistic()), 1.5, 1.0 - math.log1p(math.exp(-1.5)) / math.log(2.0)),
        # α = log(4/C - 1), where the slope 4 / (1 + exp α) is C
        (RegularisedLoss(1.0, Logistic()), 1.0, None),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Objective) else None,
)
def test_the_optimum_of_one_hypothesis_that_is_right_everywhere(objective, l1_norm, expected):
    if expected is None:
        best = math.log(3.0)
        expected = 1.0 - (best + 4.0 * math.log1p(1.0 / 3.0)) / (4.0 * math.log(2.0))
    assert optimum(objective, ONE, l1_norm, Y) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("function", [optimum, attained])
def test_an_objective_that_nobody_solves_is_an_error(function):
    arguments = (ONE, 1.0, Y) if function is optimum else (Y, SCORES, 1.0)
    with pytest.raises(AssertionError, match="is known for the objective"):
        function(Objective(), *arguments)
