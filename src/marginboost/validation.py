"""Checks of settings: errors name the argument, what came and what was expected."""

from __future__ import annotations

import inspect
import math
from collections.abc import Collection, Hashable, Mapping
from functools import cache
from numbers import Integral, Real
from typing import Any, TypedDict

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state

from .types import Array


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
    try:
        number = float(value)
    except OverflowError:
        raise ValueError(f"{name}: got {shown(value)}, expected {expected}") from None
    inside = above < number < below and at_least <= number <= at_most
    if not inside or not math.isfinite(number):
        raise ValueError(f"{name}: got {value!r}, expected {expected}")


def shown(value: Any) -> str:
    """Text of a value for a message; of a number beyond floating point its size.

    >>> shown(2.5), shown(-(10**400))
    ('2.5', 'a number below -1.8e308')
    """
    try:
        if isinstance(value, Real):
            float(value)
    except OverflowError:
        return "a number above 1.8e308" if value > 0 else "a number below -1.8e308"
    return repr(value)


def is_among(value: Any, choices: Collection[Any]) -> bool:
    """Whether ``value`` is one of ``choices``; arrays, which compare item by item, are not."""
    return isinstance(value, Hashable) and value in choices


def check_choice(name: str, value: Any, choices: Collection[Any]) -> None:
    """Raise unless ``value`` is one of ``choices``."""
    if not is_among(value, choices):
        raise ValueError(f"{name}: got {value!r}, expected one of {', '.join(map(repr, choices))}")


def random_numbers(random_state: Any) -> np.random.RandomState:
    """Generator meant by scikit-learn's ``random_state``."""
    try:
        return check_random_state(random_state)
    except (TypeError, ValueError):
        raise ValueError(
            f"random_state: got {shown(random_state)}, expected None, an integer from 0 to "
            "4294967295, or a numpy.random.RandomState"
        ) from None


def check_plain(name: str, values: Any, *, dates: bool = False) -> None:
    """Raise where values would be read as the numbers that they are stored as: masked, or dates."""
    if isinstance(values, np.ma.MaskedArray) and np.ma.getmaskarray(values).any():
        mask = np.atleast_1d(np.ma.getmaskarray(values))
        row = int(np.argmax(mask.reshape(len(mask), -1).any(axis=1)))
        raise ValueError(f"{name}: row {row} is masked, expected a value for every row")
    kind = getattr(getattr(values, "dtype", None), "kind", "")
    if kind in ("m", "M") and not dates:
        raise ValueError(f"{name}: got dates or times ({values.dtype}), expected numbers")


def read_numbers(name: str, values: Any) -> Array:
    """Values as float64; raise where they are no numbers, or none that floating point can hold."""
    check_plain(name, values)
    try:
        found = np.asarray(values)
        if found.dtype.kind == "c":
            raise TypeError("complex numbers")
        return found.astype(np.float64, copy=False)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"{name}: expected numbers ({error})") from error


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
