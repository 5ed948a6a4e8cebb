"""What the report of an audit of targets shows, as plain data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..audit import TargetAudit
from .plain import VALUE_LENGTH, Names, number, numbers, text
from .similar import similar_payload

MOST_SUSPECTS = 1000
"""Rows shown in full."""
MOST_POINTS = 2000
"""Points of the picture: all flagged rows that are listed, and some of the others."""
BINS = 48
WIDEST = 12.0
"""Residuals beyond this many spreads are in the last bins."""


def target_payload(
    audit: TargetAudit,
    *,
    title: str = "Target audit",
    ids: Sequence[Any] | None = None,
    row_numbers: Sequence[int] | None = None,
    most: int = MOST_SUSPECTS,
) -> dict[str, Any]:
    """Everything that the page of a fitted audit of targets needs.

    Parameters
    ----------
    audit : TargetAudit
        Fitted.
    title : str
        Headline, say the name of the file.
    ids : sequence, optional
        What to call each row; None is its number.
    row_numbers : sequence of int, optional
        Number of each row; None counts from 0.
    most : int
        Suspects shown in full.
    """
    table, n_rows = audit.table_, len(audit.score_)
    names = Names(ids, row_numbers, table.names)
    listed = audit.suspects(min(most, n_rows))
    rest = np.setdiff1d(np.arange(n_rows), listed)
    some = np.random.default_rng(0).permutation(rest)[: MOST_POINTS - min(len(listed), 500)]
    shown = np.concatenate([listed[:500], some])
    sizes = np.clip(audit.z_, -WIDEST, WIDEST)
    cuts = np.linspace(-WIDEST, WIDEST, BINS + 1)
    groups = {"others": ~audit.flagged_, "flagged": audit.flagged_}
    return {
        "page": "targets",
        "title": text(title),
        "verdict": target_verdict(audit),
        "rows": n_rows,
        "columns": table.n_features,
        "flagged": int(audit.flagged_.sum()),
        "noise_rate": number(audit.noise_rate_),
        "fdr": audit.fdr,
        "predictors": [[text(k), number(w)] for k, w in audit.predictor_weights_.items()],
        "features": [names.feature(j) for j in range(table.n_features)],
        "suspects": [_suspect(audit, int(i), names) for i in listed],
        "similar": similar_payload(audit.similar, audit.targets_, names),
        "points": [
            [number(audit.suggested_[i]), number(audit.targets_[i]), int(audit.flagged_[i])]
            for i in shown.tolist()
        ],
        "residuals": {
            "cuts": numbers(cuts),
            **{name: np.histogram(sizes[rows], cuts)[0].tolist() for name, rows in groups.items()},
        },
    }


def target_verdict(audit: TargetAudit) -> str:
    """The answer in one sentence."""
    n_rows, flagged = len(audit.score_), int(audit.flagged_.sum())
    share = f"{audit.noise_rate_:.1%}" if audit.noise_rate_ >= 0.0005 else "less than 0.1%"
    if flagged == 0:
        return f"No target of the {n_rows:,} stands out as wrong; estimated noise is {share}."
    rows = f"{flagged:,} of {n_rows:,} targets {'looks' if flagged == 1 else 'look'} wrong"
    alarms = f"with at most {audit.fdr:.0%} false alarms expected among them"
    return f"{rows}, {alarms}; an estimated {share} of all targets are wrong."


def _suspect(audit: TargetAudit, i: int, names: Names) -> dict[str, Any]:
    table = audit.table_.take(np.array([i]))
    values = []
    for j, known in enumerate(table.categories):
        value = float(np.asarray(table.column(j))[0])
        missing, category = np.isnan(value), known is not None
        values.append(
            None
            if missing
            else text(known[int(value)], VALUE_LENGTH)  # type: ignore[index]
            if category
            else number(value)
        )
    return {
        "row": names.number(i),
        "id": names.id(i),
        "given": number(audit.targets_[i]),
        "suggested": number(audit.suggested_[i]),
        "spread": number(audit.spread_[i]),
        "z": number(audit.z_[i]),
        "score": number(audit.score_[i]),
        "rank": int(audit.rank_[i]),
        "flagged": bool(audit.flagged_[i]),
        "values": values,
    }
