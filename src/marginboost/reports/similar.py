"""Duplicates and outliers of an audited table, as plain data."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..audit.similar import SimilarRows
from ..types import Array
from .plain import Names, number

MOST = 30
"""Groups, pairs and outliers that are listed; all are counted."""
MOST_MEMBERS = 8
"""Rows, and labels, named of a group of equal ones."""


def similar_counts(found: SimilarRows) -> dict[str, int]:
    """How many rows are copies, near duplicates and outliers, and with other labels."""
    return {
        "copies": int((found.copies > 0).sum()),
        "conflicting": int(found.conflicting.sum()),
        "near": int((found.near >= 0).sum()),
        "near_conflicting": int(found.near_conflicting.sum()),
        "outliers": int(found.outlier.sum()),
    }


def similar_payload(found: SimilarRows, labels: Array, names: Names) -> dict[str, Any]:
    """Counts, and the groups, pairs and outliers that matter most: other labels first.

    Labels are positions of classes, or numeric targets.
    """
    return {
        "counts": similar_counts(found),
        "groups": _groups(found, labels, names),
        "pairs": _pairs(found, labels, names),
        "outliers": [
            [names.id(i), labels[i].item(), number(found.isolation[i])]
            for i in _first(found.outlier, -found.isolation)
        ],
    }


def _groups(found: SimilarRows, labels: Array, names: Names) -> list[dict[str, Any]]:
    heads = (found.copies > 0) & (found.group == np.arange(len(found.group)))
    groups = []
    for head in _first(heads, -1e9 * found.conflicting - found.copies):
        members = np.flatnonzero(found.group == head)
        groups.append(
            {
                "rows": [names.id(int(i)) for i in members[:MOST_MEMBERS]],
                "size": len(members),
                "labels": np.unique(labels[members])[:MOST_MEMBERS].tolist(),
            }
        )
    return groups


def _pairs(found: SimilarRows, labels: Array, names: Names) -> list[list[Any]]:
    """Nearly equal rows, each pair once, with their labels."""
    pairs: list[list[Any]] = []
    seen: set[tuple[int, int]] = set()
    for i in _first(found.near >= 0, -1.0 * found.near_conflicting, 2 * MOST):
        j = int(found.near[i])
        pair = (min(i, j), max(i, j))
        if pair not in seen and len(pairs) < MOST:
            seen.add(pair)
            rows = [names.id(row) for row in pair]
            pairs.append([*rows, *(labels[row].item() for row in pair)])
    return pairs


def _first(mask: Array, order: Array, most: int = MOST) -> list[int]:
    """Rows of a mask, smallest first by an order, at most so many."""
    rows = np.flatnonzero(mask)
    chosen: list[int] = rows[np.argsort(order[rows], kind="stable")][:most].tolist()
    return chosen
