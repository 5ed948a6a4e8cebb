"""Every contract check catches the mistake that it is there for."""

import pytest
from _broken import BROKEN_LOSSES, BROKEN_ORACLES, BROKEN_RULES

from marginboost.algorithms._example import SmallSteps
from marginboost.checks import check_loss, check_oracle, check_rule
from marginboost.core import Rule
from marginboost.losses import Logistic, Loss, Savage
from marginboost.oracles import StumpOracle


def named(checks, name):
    (found,) = [check for check in checks if check.name == name]
    return found


@pytest.mark.parametrize(
    ("rule", "name"), BROKEN_RULES.items(), ids=lambda value: getattr(value, "__name__", value)
)
def test_a_broken_rule_is_caught(rule, name):
    with pytest.raises(AssertionError):
        named(check_rule(rule), name)()


@pytest.mark.parametrize(
    ("oracle", "name"), BROKEN_ORACLES.items(), ids=lambda value: getattr(value, "__name__", value)
)
def test_a_broken_oracle_is_caught(oracle, name):
    with pytest.raises((AssertionError, ValueError)):
        named(check_oracle(oracle()), name)()


@pytest.mark.parametrize(
    ("loss", "name"), BROKEN_LOSSES.items(), ids=lambda value: getattr(value, "__name__", value)
)
def test_a_broken_loss_is_caught(loss, name):
    with pytest.raises(AssertionError):
        named(check_loss(loss()), name)()


@pytest.mark.parametrize("check", [*check_oracle(StumpOracle())], ids=lambda check: check.name)
def test_an_honest_oracle_passes(check):
    """With as many candidates as are asked for, and edges that are those of the columns."""
    check()


def test_every_check_has_something_that_breaks_it():
    """A check that nothing fails may be one that cannot fail."""
    for checks, broken in (
        (check_rule(SmallSteps), BROKEN_RULES),
        (check_oracle(StumpOracle()), BROKEN_ORACLES),
        ([*check_loss(Logistic()), *check_loss(Savage())], BROKEN_LOSSES),
    ):
        assert {check.name for check in checks} == set(broken.values())


def test_nothing_broken_is_registered():
    names = {broken.__name__ for broken in (*BROKEN_RULES, *BROKEN_LOSSES)}
    assert not names & set(Rule.__registry__)
    assert not {loss().name for loss in BROKEN_LOSSES} & {
        name for name, loss in Loss.__registry__.items() if loss.__module__ == "_broken"
    }
