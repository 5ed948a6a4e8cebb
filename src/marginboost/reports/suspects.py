"""The most suspect rows in full: their evidence, and their features beside typical ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..audit import LabelAudit
from ..data import Table
from ..types import Array
from .plain import VALUE_LENGTH, Names, number, numbers, text

MOST_FEATURES = 10
"""Features shown for each row, those that contribute most."""
TYPICAL_ROWS = 50_000
"""Rows from which typical values are taken, at most."""


def suspect_rows(
    audit: LabelAudit, rows: Array, names: Names, given: Table | None = None
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Features that are shown, with typical values, and the rows, which refer to them.

    ``given`` are the values of these rows, where they are not the audit's.
    """
    evidence, others = audit.evidence, _likeliest_others(audit, rows)
    near, contributions = evidence.neighbours(rows), evidence.contributions(rows)
    votes_of_stumps = evidence.intercepts(rows) + contributions.sum(axis=1)
    facts = {
        "margin": audit.margin_,
        "against": audit.disagreement_,
        "at_cap": evidence.weight_at_cap,
        "slack": evidence.slack,
        "influence": evidence.influence,
        "volume": evidence.log_decision_volume,
        "cell": evidence.log_cell_volume,
    }
    votes = np.array([vote[rows, audit.codes_[rows]] for vote in audit.votes_.values()])
    shown = [_strongest(line) for line in contributions]
    features, values = _features(audit, rows, others, shown, names, given)

    def neighbour(found: Array, distance: Array, k: int) -> list[Any] | None:
        row = int(found[k])
        return [names.id(row), number(distance[k]), int(audit.codes_[row])] if row >= 0 else None

    suspects = [
        {
            "row": names.number(i),
            "id": names.id(i),
            "given": int(audit.codes_[i]),
            "suggested": int(audit.suggested_codes_[i]),
            "other": int(others[k]),
            "score": number(audit.score_[i]),
            "rank": int(audit.rank_[i]),
            "flagged": bool(audit.flagged_[i]),
            "votes": numbers(votes[:, k]),
            "stumps": number(votes_of_stumps[k]),
            "evidence": {name: number(value[i]) for name, value in facts.items()},
            "same": neighbour(near.agreeing, near.agreeing_distance, k),
            "differ": neighbour(near.disagreeing, near.disagreeing_distance, k),
            "contributions": [[*values[k, j], number(contributions[k, j])] for j in shown[k]],
        }
        for k, i in enumerate(rows.tolist())
    ]
    return features, suspects


def _likeliest_others(audit: LabelAudit, rows: Array) -> Array:
    """For each row, the most likely class that is not the given one."""
    belief = audit.belief_[rows]
    belief[np.arange(len(rows)), audit.codes_[rows]] = -1.0
    return belief.argmax(axis=1)


def _strongest(contributions: Array) -> list[int]:
    """Features that contribute to the vote, the strongest first."""
    order = np.argsort(-np.abs(contributions), kind="stable")[:MOST_FEATURES]
    return [int(j) for j in order if contributions[j] != 0.0]


def _features(
    audit: LabelAudit,
    rows: Array,
    others: Array,
    shown: list[list[int]],
    names: Names,
    given: Table | None,
) -> tuple[list[dict[str, Any]], dict[tuple[int, int], tuple[int, Any]]]:
    """Features, and for row k and feature j the place of j in that list and the value.

    Typical values are kept for the classes that some row is compared with, and no others.
    """
    table, codes = audit.evidence.table, audit.codes_
    trusted = _some(np.flatnonzero(~audit.flagged_))
    compared: dict[int, list[int]] = {}
    for k, columns in enumerate(shown):
        for j in columns:
            compared.setdefault(j, []).append(k)
    features: list[dict[str, Any]] = []
    values: dict[tuple[int, int], tuple[int, Any]] = {}
    for j in sorted(compared):
        column, known, mine = np.asarray(table.column(j)), table.categories[j], compared[j]
        classes = sorted({int(c) for k in mine for c in (codes[rows[k]], others[k])})
        by_class = {c: _typical(column[trusted[codes[trusted] == c]], known) for c in classes}
        feature: dict[str, Any] = {"name": names.feature(j), "typical": by_class}
        if known is None:
            feature["low"], feature["high"] = _range(column[trusted])
        own = column[rows] if given is None else given.column(j)
        for k in mine:
            values[k, j] = (len(features), _value(own[k], known))
        features.append(feature)
    return features, values


def _some(rows: Array) -> Array:
    if len(rows) <= TYPICAL_ROWS:
        return rows
    return np.sort(np.random.default_rng(0).choice(rows, TYPICAL_ROWS, replace=False))


def _typical(values: Array, known: Array | None) -> list[Any] | None:
    """Quartiles of numbers; of categories the most frequent one and its share."""
    present = values[~np.isnan(values)]
    if present.size == 0:
        return None
    if known is None:
        return numbers(np.quantile(present, [0.25, 0.5, 0.75]))
    counts = np.bincount(present.astype(int))
    first = int(counts.argmax())
    return [text(known[first], VALUE_LENGTH), number(counts[first] / len(values))]


def _range(values: Array) -> tuple[float | None, float | None]:
    """Where nearly all numbers lie."""
    present = values[~np.isnan(values)]
    if present.size == 0:
        return None, None
    low, high = np.quantile(present, [0.01, 0.99])
    return number(low), number(high)


def _value(value: float, known: Array | None) -> float | str | None:
    if np.isnan(value):
        return None
    return number(value) if known is None else text(known[int(value)], VALUE_LENGTH)
