"""What people know about features beforehand: directions, and which of them may interact.

Both are given by position or by name, as scikit-learn's HistGradientBoosting takes them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from ..types import Array

TOGETHER = {"no_interactions": 1, "pairwise": 2}
"""Names of interactions: how many features may meet on one way from root to leaf."""


def check_directions(given: Any) -> None:
    """Raise unless ``monotonic_cst`` is a dict or a list of -1, 0 and 1, or None."""
    if given is None:
        return
    expected = "a dict by column or one entry per column, of -1, 0 and 1"
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise TypeError(f"monotonic_cst: got {given!r}, expected {expected}")
    for value in given.values() if isinstance(given, Mapping) else np.asarray(given).tolist():
        if value not in (-1, 0, 1):
            raise ValueError(f"monotonic_cst: got {value!r}, expected {expected}")


def read_directions(given: Any, names: Sequence[str], numeric: Array) -> Array:
    """Direction of every column; empty where none has one.

    >>> read_directions({"b": -1}, ["a", "b"], np.array([True, True]))
    array([ 0, -1])
    >>> read_directions([0, 0], ["a", "b"], np.array([True, True])).size
    0
    """
    check_directions(given)
    directions = np.zeros(len(names), np.int64)
    if isinstance(given, Mapping):
        for column, value in given.items():
            directions[position(column, names, "monotonic_cst")] = value
    elif given is not None:
        if len(given) != len(names):
            raise ValueError(
                f"monotonic_cst: got {len(given)} entries, expected one for each of {len(names)} "
                "columns"
            )
        directions[:] = given
    wrong = np.flatnonzero((directions != 0) & ~numeric)
    if wrong.size:
        raise ValueError(
            f"monotonic_cst: got a direction for column {names[wrong[0]]!r}, whose values are "
            "categories; expected 0"
        )
    return directions if directions.any() else directions[:0]


def check_interactions(given: Any) -> None:
    """Raise unless ``interaction_cst`` is a name, a list of groups of columns, or None."""
    if given is None:
        return
    expected = "'pairwise', 'no_interactions', or a list of lists of columns"
    if isinstance(given, str):
        if given not in TOGETHER:
            raise ValueError(f"interaction_cst: got {given!r}, expected {expected}")
        return
    if not isinstance(given, Iterable) or isinstance(given, Mapping):
        raise TypeError(f"interaction_cst: got {given!r}, expected {expected}")
    for group in given:
        if (
            isinstance(group, str)
            or not isinstance(group, Iterable)
            or getattr(group, "ndim", 1) == 0
        ):
            raise TypeError(f"interaction_cst: got {group!r} in it, expected {expected}")


def read_interactions(given: Any, names: Sequence[str]) -> tuple[Array, int]:
    """Groups (groups, columns) of 0 and 1, and how many columns may meet; 0 is any number.

    Columns that are in no group make one more group.

    >>> read_interactions([["a", "c"]], ["a", "b", "c"])[0]
    array([[1, 0, 1],
           [0, 1, 0]], dtype=uint8)
    """
    check_interactions(given)
    if given is None or isinstance(given, str):
        return np.zeros((0, len(names)), np.uint8), 0 if given is None else TOGETHER[given]
    groups = [[position(column, names, "interaction_cst") for column in group] for group in given]
    rest = sorted(set(range(len(names))).difference(chain.from_iterable(groups)))
    groups += [rest] if rest else []
    table = np.zeros((len(groups), len(names)), np.uint8)
    for row, group in zip(table, groups, strict=True):
        row[group] = 1
    return table, 0


def position(column: Any, names: Sequence[str], setting: str) -> int:
    """Position of a column that is given by position or name."""
    if isinstance(column, str) and column in names:
        return list(names).index(column)
    whole = isinstance(column, int | np.integer) and not isinstance(column, bool)
    if whole and 0 <= column < len(names):
        return int(column)
    raise ValueError(
        f"{setting}: got {column!r}, expected a column name or a number below {len(names)}"
    )


def plain_groups(given: Any) -> Any:
    """Groups as lists in a fixed order, so that settings compare and can be written down."""
    if given is None or isinstance(given, str) or not isinstance(given, Iterable):
        return given
    return [
        sorted(group, key=str) if isinstance(group, set | frozenset) else group for group in given
    ]
