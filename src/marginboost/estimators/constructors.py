"""How the constructor of an estimator passes its parameters on.

A constructor lists all parameters with their defaults, so that people, editors, type checkers and
scikit-learn read them in its signature. Those that its base class has too are only passed on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from inspect import signature
from typing import Any


def forward(constructor: Callable[..., None], given: Mapping[str, Any]) -> None:
    """Call the constructor of a base class with the given parameters that it takes.

    Parameters
    ----------
    constructor : method
        ``super().__init__``.
    given : dict
        ``locals()``, at the beginning of the constructor of the subclass. A parameter that the
        subclass does not have keeps the default of the base class.

    Examples
    --------
    >>> class Base:
    ...     def __init__(self, *, tol=0.0, verbose=0):
    ...         self.tol, self.verbose = tol, verbose
    >>> class Derived(Base):
    ...     def __init__(self, *, nu=0.3, tol=1e-3):
    ...         forward(super().__init__, locals())
    ...         self.nu = nu
    >>> vars(Derived(nu=0.1))
    {'tol': 0.001, 'verbose': 0, 'nu': 0.1}
    """
    # A bound method is made anew by every ``super()``: its function is what can be remembered.
    names = _parameters(getattr(constructor, "__func__", constructor))
    constructor(**{name: given[name] for name in names if name in given})


@cache
def _parameters(function: Callable[..., None]) -> tuple[str, ...]:
    """Names of parameters, without that of the instance."""
    return tuple(signature(function).parameters)[1:]
