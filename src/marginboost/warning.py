"""Warnings that name the line of the user, however deep in the package their reason is found."""

from __future__ import annotations

import inspect
import warnings

BETWEEN = ("marginboost", "sklearn", "joblib", "contextlib", "functools")
"""Packages whose lines a user did not write."""


def warn_user(message: str) -> None:
    """Warn of the user's own call: the innermost line that is not of this package.

    A count of calls, as ``stacklevel`` is one, would change with every function between.
    """
    level, frame = 1, inspect.currentframe()
    while frame is not None and _is_between(frame.f_globals.get("__name__", "")):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, stacklevel=level)


def _is_between(module: str) -> bool:
    return module.partition(".")[0] in BETWEEN
