"""Types shared by the core."""

from __future__ import annotations

from ..types import Array

__all__ = ["Array"]
