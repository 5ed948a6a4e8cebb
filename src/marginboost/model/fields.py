"""A value of a model file and its place, so that every complaint says where."""

from __future__ import annotations

import math
import reprlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NoReturn, TypeVar

NON_FINITE = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}

T = TypeVar("T")


class ModelFileError(ValueError):
    """A model file that is damaged, or not a model file; the message names file and field."""


def is_text(value: str) -> bool:
    """Whether a string can be written anywhere: JSON can spell half of a surrogate pair."""
    return value.isascii() or not any("\ud800" <= sign <= "\udfff" for sign in value)


class Field:
    """A value of the document and its place, so that every complaint says where.

    Parameters
    ----------
    value : object
        Parsed JSON.
    place : str
        For example ``ensemble.members[3]``.
    """

    def __init__(self, value: Any, place: str = "") -> None:
        self.value = value
        self.place = place

    def wrong(self, expected: str, cause: Exception | None = None) -> NoReturn:
        """Raise ModelFileError with the place, what came and what was expected."""
        place = self.place or "document"
        message = f"{place}: got {reprlib.repr(self.value)}, expected {expected}"
        raise ModelFileError(message) from cause

    def is_a(self, kind: type[T], expected: str) -> T:
        """Return the value if it is of exactly this type: True is not an integer here."""
        if type(self.value) is not kind:
            self.wrong(expected)
        if isinstance(self.value, str) and not is_text(self.value):
            self.wrong("text: half a surrogate pair stands for no character")
        value: T = self.value
        return value

    def keys(self, expected: Iterable[str], optional: Iterable[str] = ()) -> dict[str, Field]:
        """Fields of an object that has just these keys, the optional ones or not."""
        found, names = self.is_a(dict, "an object"), list(expected)
        for name in names:
            if name not in found:
                self.wrong(f"the key {name!r}")
        names += optional
        for name in found:
            if name not in names:
                self.wrong(f"no key but {', '.join(names)}; {reprlib.repr(name)} is unknown")
        return self.entries()

    def entries(self) -> dict[str, Field]:
        """Fields of an object with any keys."""
        prefix = f"{self.place}." if self.place else ""
        found = self.is_a(dict, "an object")
        return {name: Field(value, f"{prefix}{name}") for name, value in found.items()}

    def items(self, length: int | None = None) -> Iterator[Field]:
        """Fields of a list, one after the other: a long list takes no memory twice."""
        found = self.is_a(list, "a list")
        if length is not None and len(found) != length:
            self.wrong(f"{length} items, as in the rest of the file")
        return (Field(value, f"{self.place}[{i}]") for i, value in enumerate(found))

    def number(self, finite: bool = False) -> float:
        """Return a number; NaN and infinities, written as strings, unless it has to be finite."""
        if type(self.value) in (int, float):
            return float(self.value)
        if finite:
            self.wrong("a finite number")
        if type(self.value) is not str or self.value not in NON_FINITE:
            self.wrong(f"a number or one of {', '.join(NON_FINITE)}")
        return NON_FINITE[self.value]

    def made_by(self, maker: Callable[[Any], T], expected: str) -> T:
        """Return what ``maker`` makes of the value; what it refuses is a fault of the file."""
        try:
            return maker(self.value)
        except (ModelFileError, MemoryError):
            raise
        except Exception as error:  # the maker was written for sound data; this is the file's
            self.wrong(f"{expected} ({str(error)[:200]})", error)
