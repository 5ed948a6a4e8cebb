"""Numbers and text as the page holds them: short, and nothing that JSON or UTF-8 cannot say."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

NAME_LENGTH = 200
"""Signs of an id, a label or a title that are kept."""
VALUE_LENGTH = 60
"""Signs of a feature's name or value that are kept."""


def number(value: Any) -> float | None:
    """Five digits; None for what JSON has no word for.

    >>> number(2 / 3), number(float("nan"))
    (0.66667, None)
    """
    return float(f"{float(value):.5g}") if np.isfinite(value) else None


def numbers(values: Iterable[Any]) -> list[float | None]:
    """:func:`number` of each."""
    return [number(value) for value in values]


def text(value: Any, limit: int = NAME_LENGTH) -> str:
    """Text of a value, cut where it is long; half a surrogate pair becomes a question mark.

    >>> text("abcdef", 4)
    'abc…'
    """
    whole = str(value)
    cut = whole if len(whole) <= limit else f"{whole[: limit - 1]}…"
    return cut.encode("utf-8", "replace").decode("utf-8")


@dataclass(frozen=True)
class Names:
    """What rows and features are called: ids for people, row numbers for machines."""

    ids: Sequence[Any] | None
    row_numbers: Sequence[int] | None
    features: Sequence[Any]

    def number(self, row: int) -> int:
        """Number of a row."""
        return int(row if self.row_numbers is None else self.row_numbers[row])

    def id(self, row: int) -> str:
        """Id of a row."""
        return text(self.number(row) if self.ids is None else self.ids[row])

    def feature(self, j: int) -> str:
        """Name of a feature."""
        return text(self.features[j], VALUE_LENGTH)
