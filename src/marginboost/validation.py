"""Checks of settings: errors name the argument, what came and what was expected."""

from __future__ import annotations

import inspect
import math
from collections.abc import Collection, Mapping
from functools import cache
from numbers import Integral, Real
from typing import Any, TypedDict

from sklearn.base import BaseEstimator


class Number(TypedDict, total=False):
    """Numbers that a setting may be: keywords of :func:`check_number`."""

    above: float
    below: float
    at_least: float
    at_most: float
    integer: bool
    optional: bool


Constraints = Mapping[str, Number | tuple[Any, ...]]
"""What settings may be, by name: numbers within limits, or one of some choices."""


def check_number(
    name: str,
    value: Any,
    *,
    above: float = -math.inf,
    below: float = math.inf,
    at_least: float = -math.inf,
    at_most: float = math.inf,
    integer: bool = False,
    optional: bool = False,
) -> None:
    """Raise unless ``value`` is a number (an integer, if asked) inside the given limits.

    An optional one may be None.

    >>> check_number("nu", 1.5, above=0, at_most=1)
    Traceback (most recent call last):
        ...
    ValueError: nu: got 1.5, expected a number above 0 and at most 1
    """
    if value is None and optional:
        return
    limits = [
        *([f"above {above:g}"] if above > -math.inf else []),
        *([f"at least {at_least:g}"] if at_least > -math.inf else []),
        *([f"below {below:g}"] if below < math.inf else []),
        *([f"at most {at_most:g}"] if at_most < math.inf else []),
    ]
    kind = "an integer" if integer else "a number"
    expected = " ".join([kind, " and ".join(limits)]).strip()
    if isinstance(value, bool) or not isinstance(value, Integral if integer else Real):
        raise TypeError(f"{name}: got {value!r}, expected {expected}")
    number = float(value)
    inside = above < number < below and at_least <= number <= at_most
    if not inside or not math.isfinite(number):
        raise ValueError(f"{name}: got {value!r}, expected {expected}")


def check_choice(name: str, value: Any, choices: Collection[Any]) -> None:
    """Raise unless ``value`` is one of ``choices``."""
    if value not in choices:
        raise ValueError(f"{name}: got {value!r}, expected one of {', '.join(map(repr, choices))}")


class Configurable(BaseEstimator):
    """Base of what is copied often: names of parameters are read from a signature once."""

    @classmethod
    @cache
    def _get_param_names(cls) -> list[str]:
        names: list[str] = super()._get_param_names()
        return names


def check_settings(owner: object) -> None:
    """Raise unless settings are as ``parameter_constraints`` of their class and its bases say."""
    constraints: dict[str, Number | tuple[Any, ...]] = {}
    for kind in reversed(type(owner).__mro__):
        constraints.update(vars(kind).get("parameter_constraints", {}))
    for name, constraint in constraints.items():
        if isinstance(constraint, tuple):
            check_choice(name, getattr(owner, name), constraint)
        else:
            check_number(name, getattr(owner, name), **constraint)


def parameter_names(kind: type[Any]) -> list[str]:
    """Names of the parameters of a class, in the order of its ``__init__``."""
    return [name for name in inspect.signature(kind).parameters if name != "self"]
