"""A named check."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Check:
    """A promise, and the function that tries it on a subject."""

    promise: Callable[[Any], None]
    subject: Any

    @property
    def name(self) -> str:
        """Name of the promise."""
        return self.promise.__name__

    def __call__(self) -> None:
        """Try it; raises AssertionError where it is broken."""
        self.promise(self.subject)
