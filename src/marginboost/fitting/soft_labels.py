"""Labels that are known with probabilities only, checked."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..types import Array
from ..validation import read_numbers

ROW_SUM = 1e-6
"""How far the probabilities of a row may be from a sum of one."""


def read_soft_labels(probabilities: Any, classes: Any, n_rows: int) -> tuple[Array, Array]:
    """Distributions as an array (rows, classes) and the classes, checked.

    >>> read_soft_labels([[1, 0], [0.25, 0.75]], ["no", "yes"], 2)[1].tolist()
    ['no', 'yes']
    """
    table = read_numbers("probabilities", probabilities)
    if table.ndim != 2 or len(table) != n_rows or table.shape[1] < 2:
        raise ValueError(
            f"probabilities: got shape {table.shape}, expected {n_rows} rows and a column for each "
            "of two classes or more"
        )
    if not (table >= 0.0).all():
        raise ValueError("probabilities: got a negative number or NaN, expected probabilities")
    off = np.abs(table.sum(axis=1) - 1.0)
    if not (off <= ROW_SUM).all():
        row = int(np.argmax(off))
        raise ValueError(
            f"probabilities: row {row} has sum {table[row].sum():g}, expected 1 for every row"
        )
    labels = np.arange(table.shape[1]) if classes is None else np.asarray(classes)
    if labels.shape != (table.shape[1],):
        raise ValueError(
            f"classes: got {len(labels)} labels for {table.shape[1]} columns of probabilities"
        )
    if not np.array_equal(labels, np.unique(labels)):
        raise ValueError(
            f"classes: got {labels.tolist()}, expected distinct labels in sorted order"
        )
    return table, labels
