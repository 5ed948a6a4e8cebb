"""The smallest kernel that Numba can keep in its cache, for ``cold_start``."""

from __future__ import annotations

from typing import Any

import numba


@numba.njit(cache=True)
def total(values: Any) -> float:
    """Sum of an array."""
    result = 0.0
    for value in values:
        result += value
    return result
