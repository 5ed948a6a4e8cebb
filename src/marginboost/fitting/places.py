"""Questions about rows, wherever they are: in one place or in several."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Ask = Callable[..., list[Any]]
"""Answers ``question(rows, *args)`` of the rows of every place, in their order."""


def in_one_place(rows: Any) -> Ask:
    """Ask about rows that are all here."""

    def ask(question: Callable[..., Any], *args: Any) -> list[Any]:
        return [question(rows, *args)]

    return ask
