"""Checks of settings: limits are where they are said to be, and errors say what was expected."""

import math

import pytest

from marginboost.validation import (
    Number,
    check_choice,
    check_number,
    check_settings,
    parameter_names,
)


@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        ({}, "a number"),
        ({"integer": True}, "an integer"),
        ({"above": 1}, "a number above 1"),
        ({"at_least": 1}, "a number at least 1"),
        ({"below": -1}, "a number below -1"),
        ({"at_most": -1}, "a number at most -1"),
        ({"at_least": 1, "below": 2.5}, "a number at least 1 and below 2.5"),
        ({"above": 1, "at_most": 2, "integer": True}, "an integer above 1 and at most 2"),
    ],
)
def test_the_message_names_the_limits_that_there_are(limits, expected):
    for wrong in (None, "1", True):
        with pytest.raises(TypeError) as caught:
            check_number("x", wrong, **limits)
        assert str(caught.value) == f"x: got {wrong!r}, expected {expected}"


@pytest.mark.parametrize(
    ("limit", "inside", "outside"),
    [
        ("above", math.nextafter(1.0, 2.0), 1.0),
        ("at_least", 1.0, math.nextafter(1.0, 0.0)),
        ("below", math.nextafter(1.0, 0.0), 1.0),
        ("at_most", 1.0, math.nextafter(1.0, 2.0)),
    ],
)
def test_limits_are_exact(limit, inside, outside):
    check_number("x", inside, **{limit: 1.0})
    for wrong in (outside, math.nan, math.inf, -math.inf):
        with pytest.raises(ValueError, match=rf"x: got {wrong}, expected a number {limit[:2]}"):
            check_number("x", wrong, **{limit: 1.0})


def test_integers():
    check_number("x", 3, integer=True)
    with pytest.raises(TypeError, match=r"x: got 3\.0, expected an integer"):
        check_number("x", 3.0, integer=True)


def test_choices_and_names():
    check_choice("x", 2, (1, 2))
    with pytest.raises(ValueError, match="x: got 3, expected one of 1, 2"):
        check_choice("x", 3, (1, 2))

    class Some:
        def __init__(self, first, *, second=1):
            pass

    assert parameter_names(Some) == ["first", "second"]


class Base:
    __constraints__ = {"rounds": Number(at_least=1, integer=True), "kind": ("a", "b")}  # noqa: RUF012

    def __init__(self, **settings):
        vars(self).update({"rounds": 1, "kind": "a", "share": 0.5, **settings})


class Mixin:
    """Says nothing of settings."""


class Derived(Mixin, Base):
    __constraints__ = {  # noqa: RUF012
        "rounds": Number(at_least=1, integer=True, optional=True),
        "share": Number(above=0.0, below=1.0),
    }


def test_settings_are_checked_by_the_constraints_of_all_base_classes():
    for sound in ({}, {"rounds": 7}, {"kind": "b"}):
        check_settings(Base(**sound))
        check_settings(Derived(**sound))
    check_settings(Base(share=2.0))  # not its own
    check_settings(Derived(rounds=None))  # replaces what the base class says
    for kind, wrong, message in [
        (Base, {"rounds": None}, "rounds: got None, expected an integer at least 1"),
        (Derived, {"rounds": 0}, "rounds: got 0, expected an integer at least 1"),
        (Derived, {"kind": "c"}, "kind: got 'c', expected one of 'a', 'b'"),
        (Derived, {"share": 1.0}, "share: got 1.0, expected a number above 0 and below 1"),
    ]:
        with pytest.raises((TypeError, ValueError)) as caught:
            check_settings(kind(**wrong))
        assert str(caught.value) == message
