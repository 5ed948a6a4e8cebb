"""From an audit and the decisions of people to rows that can be trained with.

What a person decided counts more than the audit: rows confirmed as wrong are always acted on, rows
confirmed as right never.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..data.table import take_rows
from ..types import Array
from ..validation import check_choice

POLICIES = ("drop", "relabel", "downweight")
UNDECIDED = ("act", "keep")
WRONG, RIGHT = "wrong", "right"


def decided(decisions: Mapping[int, str] | None, n_rows: int) -> tuple[Array, Array]:
    """Rows that were confirmed as wrong, and as right.

    Parameters
    ----------
    decisions : mapping of int to {"wrong", "right"}, or None
        Decisions by row number, from 0.
    n_rows : int
        Rows that were audited.
    """
    wrong, right = np.zeros(n_rows, dtype=bool), np.zeros(n_rows, dtype=bool)
    for row, word in dict(decisions or {}).items():
        known = isinstance(row, int | np.integer) and not isinstance(row, bool)
        if not known or not 0 <= row < n_rows:
            raise ValueError(
                f"decisions: got row {row!r}, expected a number from 0 to {n_rows - 1}"
            )
        if word not in (WRONG, RIGHT):
            raise ValueError(
                f"decisions: got {word!r} for row {row}, expected {WRONG!r} or {RIGHT!r}"
            )
        (wrong if word == WRONG else right)[row] = True
    return wrong, right


def rows_to_act_on(
    flagged: Array, decisions: Mapping[int, str] | None, undecided: str
) -> tuple[Array, Array, Array]:
    """Rows to change, those confirmed as wrong among them, and those confirmed as right."""
    check_choice("undecided", undecided, UNDECIDED)
    wrong, right = decided(decisions, len(flagged))
    act = wrong | (flagged & ~right) if undecided == "act" else wrong.copy()
    return act, wrong, right


def other_labels(belief: Array, codes: Array) -> Array:
    """Most likely label of each row other than the given one, as codes."""
    others = belief.copy()
    others[np.arange(len(codes)), codes] = -1.0
    return others.argmax(axis=1)


def some_labels(y: Any, rows: Array) -> Any:
    """Some of the labels, as the kind of column they are."""
    if isinstance(y, list | tuple):
        return type(y)(y[row] for row in rows.tolist())
    return take_rows(y, rows)


def changed_labels(y: Any, rows: Array, labels: Array) -> Any:
    """Labels with others in some rows, as the kind of column they are, index and name kept.

    Parameters
    ----------
    y : column
        The labels.
    rows : array of int
        Which rows change.
    labels : array
        The new label of every row.
    """
    kind = type(y).__module__.partition(".")[0]
    if kind == "pandas":
        other = y.copy()
        other.iloc[rows] = labels[rows]
        return other
    values = list(y.to_pylist() if kind == "pyarrow" else y)
    plain = labels.tolist()
    for row in rows.tolist():
        values[row] = plain[row]
    if kind == "polars":
        return type(y)(y.name, values, dtype=y.dtype)
    if kind == "pyarrow":
        import pyarrow as pa

        return pa.array(values, type=y.type)
    return type(y)(values) if isinstance(y, list | tuple) else np.array(values, dtype=y.dtype)
