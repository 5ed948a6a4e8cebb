"""What the report of an audit shows, as plain data.

Only what is shown is kept: the most suspect rows in full, everything else as counts and curves. So
the page of a million rows is no larger than that of ten thousand.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..audit import LabelAudit
from ..data import Table
from ..types import Array
from .curves import certificates, margin_counts, shapes, trade_curve, volume_curves
from .plain import Names, number, numbers, text
from .similar import similar_payload
from .suspects import suspect_rows

MOST_SUSPECTS = 1000
"""Rows shown in full."""
MOST_CONFUSIONS = 10
"""Pairs of given and suggested label."""
MOST_LEAKING = 10
"""Features that are named for giving the label away."""


def audit_payload(
    audit: LabelAudit,
    *,
    title: str = "Label audit",
    ids: Sequence[Any] | None = None,
    row_numbers: Sequence[int] | None = None,
    feature_names: Sequence[Any] | None = None,
    most: int = MOST_SUSPECTS,
    read_rows: Callable[[Array], Table] | None = None,
) -> dict[str, Any]:
    """Everything that the page of a fitted audit needs.

    Parameters
    ----------
    audit : LabelAudit
        Fitted.
    title : str
        Headline, say the name of the file.
    ids : sequence, optional
        What to call each row; None is its name in the index of a pandas frame, else its number.
    row_numbers : sequence of int, optional
        Number of each row, as decisions name it; None counts from 0.
    feature_names : sequence, optional
        What to call each feature; None is its name in the data, x0, x1, … for an array.
    most : int
        Suspects shown in full.
    read_rows : function of row numbers, optional
        Gives the values of these rows, where the audit knows only their bins.
    """
    table, n_rows = audit.evidence.table, len(audit.score_)
    ids = _index_names(audit) if ids is None else ids
    _check_length("ids", ids, n_rows, "rows")
    _check_length("row_numbers", row_numbers, n_rows, "rows")
    _check_length("feature_names", feature_names, table.n_features, "features")
    names = Names(ids, row_numbers, table.names if feature_names is None else feature_names)
    rows = audit.suspects(min(most, n_rows))
    values = None if read_rows is None else read_rows(rows)
    features, suspects = suspect_rows(audit, rows, names, values)
    leaking = audit.evidence.leaking[:MOST_LEAKING]
    return {
        "title": text(title),
        "verdict": verdict(audit),
        "leaking": [names.feature(table.names.index(name)) for name in leaking],
        "rows": n_rows,
        "columns": table.n_features,
        "flagged": int(audit.flagged_.sum()),
        "noise_rate": number(audit.noise_rate_),
        "fdr": audit.fdr,
        "classes": [text(label) for label in audit.classes_.tolist()],
        "labels": _labels(audit),
        "confusions": _confusions(audit),
        "voters": [[name, number(weight)] for name, weight in audit.voter_weights_.items()],
        "features": features,
        "suspects": suspects,
        "trade": trade_curve(audit),
        "similar": similar_payload(audit.evidence.similar, audit.codes_, names),
        "margins": margin_counts(audit),
        "shapes": shapes(audit, names),
        "volumes": volume_curves(audit),
        "certificates": certificates(audit),
    }


def _index_names(audit: LabelAudit) -> list[Any] | None:
    """Names of the rows in the index of the frame that was audited, if it has any."""
    index = audit.index_
    if index is None or type(index).__name__ == "RangeIndex":
        return None
    return list(index)


def _check_length(name: str, given: Sequence[Any] | None, expected: int, of: str) -> None:
    if given is not None and len(given) != expected:
        raise ValueError(f"{name}: got {len(given)}, expected one for each of {expected} {of}")


def verdict(audit: LabelAudit) -> str:
    """The answer in one sentence."""
    n_rows, flagged = len(audit.score_), int(audit.flagged_.sum())
    rate = audit.noise_rate_
    share = f"{rate:.1%}" if rate >= 0.0005 else "less than 0.1%"
    if flagged == 0:
        return f"No label of the {n_rows:,} stands out as wrong; estimated noise is {share}."
    rows = f"{flagged:,} of {n_rows:,} labels {'looks' if flagged == 1 else 'look'} wrong"
    alarms = f"with at most {audit.fdr:.0%} false alarms expected among them"
    return f"{rows}, {alarms}; an estimated {share} of all labels are wrong."


def _labels(audit: LabelAudit) -> dict[str, list[Any]]:
    """Rows, flagged rows and estimated share of wrong labels, for each label."""
    n_classes = len(audit.classes_)
    return {
        "rows": np.bincount(audit.codes_, minlength=n_classes).tolist(),
        "flagged": np.bincount(audit.codes_[audit.flagged_], minlength=n_classes).tolist(),
        "noise": numbers(audit.class_noise_rates_),
    }


def _confusions(audit: LabelAudit) -> list[list[int]]:
    """Given label, suggested label and how often, among the flagged rows."""
    flagged = audit.flagged_
    pairs = zip(
        audit.codes_[flagged].tolist(), audit.suggested_codes_[flagged].tolist(), strict=True
    )
    return [[*pair, count] for pair, count in Counter(pairs).most_common(MOST_CONFUSIONS)]
