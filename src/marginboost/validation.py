"""Checks of settings: errors name the argument, what came and what was expected."""

from __future__ import annotations

import inspect
import math
import reprlib
from collections.abc import Callable, Collection, Hashable, Mapping
from dataclasses import dataclass
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


@dataclass(frozen=True)
class Where:
    """Where a setting has an effect: the setting ``other`` is one of some values.

    Parameters
    ----------
    other : str
        The other setting.
    values : tuple or callable
        Its values with which the setting has an effect, or a function that says whether it has one
        with a value.
    alternative : Where or None
        Another condition under which the setting has an effect.
    """

    other: str
    values: tuple[Any, ...] | Callable[[Any], bool]
    alternative: Where | None = None

    def holds(self, owner: object) -> bool:
        """Whether a setting has an effect with the other settings of its owner."""
        value = getattr(owner, self.other)
        if callable(self.values):
            found = self.values(value)
        else:
            found = any(same_setting(value, known) for known in self.values)
        return found or (self.alternative is not None and self.alternative.holds(owner))


def is_given(value: Any) -> bool:
    """Whether a setting is not None."""
    return value is not None


Effects = Mapping[str, Where | tuple[Where, ...]]
"""Where settings have an effect, by name; of several conditions all must hold."""


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


def is_verbose(verbose: Any) -> bool:
    """Whether progress is shown: a setting that is on or off, or an integer as of scikit-learn."""
    if not is_among(verbose, (False, True)):
        check_number("verbose", verbose, at_least=0, integer=True)
    return bool(verbose)


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
        some = reprlib.repr(np.ravel(np.asarray(values, dtype=object))[:1].tolist())
        raise ValueError(f"{name}: got {some}, expected numbers ({error})") from error


class Configurable(BaseEstimator):
    """Base of what is copied often: names of parameters are read from a signature once."""

    @classmethod
    @cache
    def _get_param_names(cls) -> list[str]:
        names: list[str] = super()._get_param_names()
        return names


def check_settings(owner: object) -> None:
    """Raise unless settings are as ``__constraints__`` of their class and its bases say."""
    constraints: dict[str, Number | tuple[Any, ...]] = {}
    for kind in reversed(type(owner).__mro__):
        constraints.update(vars(kind).get("__constraints__", {}))
    for name, constraint in constraints.items():
        if isinstance(constraint, tuple):
            check_choice(name, getattr(owner, name), constraint)
        else:
            check_number(name, getattr(owner, name), **constraint)


def check_effects(owner: Any) -> None:
    """Raise where a setting differs from its default and has no effect with the other settings.

    Where settings have an effect is said by ``__effects__`` of their class and its bases. A
    model file may hold such a setting, as earlier versions let it pass: it is refused by the next
    fit, not by the file's reader.

    A search over a grid must leave out such pairs, as a list of grids can. scikit-learn's own
    estimators ignore ``n_iter_no_change`` where nothing is stopped early; here that is an error
    too, as those who set it mean to stop early. What depends on the rows is no error:
    ``early_stopping="auto"`` and few rows, say.
    """
    own: Any = type(owner)
    defaults = parameter_defaults(own)
    for kind in own.__mro__:
        for name, conditions in vars(kind).get("__effects__", {}).items():
            if name not in defaults or same_setting(getattr(owner, name), defaults[name]):
                continue
            for where in conditions if isinstance(conditions, tuple) else (conditions,):
                _check_effect(owner, name, defaults[name], where)


def _check_effect(owner: Any, name: str, default: Any, where: Where) -> None:
    """Raise where a condition under which a setting has an effect does not hold."""
    if where.holds(owner):
        return
    other = getattr(owner, where.other)
    if isinstance(other, BaseEstimator) and name in parameter_names(type(other)):
        advice = "set it there"
    elif where.values is is_given:
        advice = f"set {where.other} too"
    elif callable(where.values):
        advice = f"leave it at {default!r}"
    else:
        advice = f"set {_ways(where)}"
    shown = f"{type(other).__name__}(...)" if isinstance(other, BaseEstimator) else repr(other)
    raise ValueError(
        f"{name}: got {reprlib.repr(getattr(owner, name))}, which has no effect with "
        f"{where.other}={shown}: {advice}"
    )


def check_unused(owner: Any, because: str, *names: str) -> None:
    """Raise for settings that differ from their defaults, where an argument makes them useless."""
    for name in names:
        default, value = default_of(owner, name), getattr(owner, name)
        if not same_setting(value, default):
            raise ValueError(
                f"{name}: got {reprlib.repr(value)}, which has no effect with {because}: leave it "
                f"at {default!r}"
            )


def _ways(where: Where) -> str:
    """Other settings with which a setting has an effect, in words."""
    values = ["another"] if callable(where.values) else list(map(repr, where.values))
    listed = " or ".join(filter(None, [", ".join(values[:-1]), values[-1]]))
    more = "" if where.alternative is None else f" or {_ways(where.alternative)}"
    return f"{where.other} to {listed}{more}"


def same_setting(one: Any, other: Any) -> bool:
    """Whether two values of a setting are known to be equal; arrays of several entries are not."""
    if one is other:
        return True
    try:
        return bool(one == other)
    except ValueError:  # of an array
        return False


@cache
def parameter_defaults(kind: type[Any]) -> dict[str, Any]:
    """Defaults of those parameters of a class that have one."""
    parameters = inspect.signature(kind).parameters.items()
    return {name: p.default for name, p in parameters if p.default is not p.empty}


def default_of(owner: Any, name: str) -> Any:
    """Default of a parameter of an object's class."""
    kind: Any = type(owner)
    return parameter_defaults(kind)[name]


def parameter_names(kind: type[Any]) -> list[str]:
    """Names of the parameters of a class, in the order of its ``__init__``."""
    return [name for name in inspect.signature(kind).parameters if name != "self"]
