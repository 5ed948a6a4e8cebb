"""What can go wrong, and the exit code that says so (see docs/command-line.md)."""

from __future__ import annotations

from enum import IntEnum
from importlib import import_module
from typing import Any


class Exit(IntEnum):
    """Exit codes; 1 is left to Python, for errors that nobody expected."""

    OK = 0
    USAGE = 2
    """The command line itself: unknown option, algorithm or setting."""
    DATA = 3
    """A data file that cannot be read or used."""
    MODEL = 4
    """A model file that cannot be read, or not for this."""
    REFUTED = 5
    """``certify``: the certificate does not hold on these rows."""
    OUTPUT = 6
    """A file that cannot be written."""
    PACKAGE = 7
    """A package that is not installed."""
    MEMORY = 8
    """There is not enough memory."""
    INTERRUPTED = 130
    """Ctrl-C."""
    PIPE = 141
    """The reader of the output went away."""


class CommandError(Exception):
    """Ends a command with a message and an exit code.

    Parameters
    ----------
    message : str
        For people; names the file, the column and the row.
    **place
        The same for machines: ``file``, ``column``, ``row``, ``line``.
    """

    exit = Exit.USAGE

    def __init__(self, message: str, **place: Any) -> None:
        super().__init__(message)
        self.place = {name: value for name, value in place.items() if value is not None}


class UsageError(CommandError):
    """The command line asks for something that does not exist."""


class DataError(CommandError):
    """The data cannot be read or used."""

    exit = Exit.DATA


class ModelError(CommandError):
    """The model file cannot be read, or cannot do what was asked."""

    exit = Exit.MODEL


class OutputError(CommandError):
    """The output cannot be written."""

    exit = Exit.OUTPUT


class PackageError(CommandError):
    """An optional package is needed and not there."""

    exit = Exit.PACKAGE


def require(module: str) -> Any:
    """Import a module of the extra ``cli``, or say how to get it."""
    try:
        return import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise PackageError(
            f"the package {package!r} is needed here and cannot be imported ({error}); "
            "pip install 'marginboost[cli]'"
        ) from None


def suggest(name: str, known: list[str], most: int = 200) -> str:
    """Return the end of a message about an unknown name: close names, else those that are known.

    >>> suggest("agee", ["age", "weight"])
    "did you mean 'age'?"
    """
    from difflib import get_close_matches

    by_lower = {other.lower(): other for other in known}
    close = [by_lower[match] for match in get_close_matches(name.lower(), list(by_lower), 3, 0.6)]
    if close:
        return f"did you mean {' or '.join(map(repr, close))}?"
    more = ", …" if len(known) > most else ""
    return f"known are {', '.join(map(repr, known[:most]))}{more}"
