"""Pictures of an audit as plain numbers: margins, shape functions, volumes, certificates."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..audit import LabelAudit, log_decision_volumes, mean_volumes
from ..kernels.reference import step_function
from ..oracles.stumps import StepFunction
from ..types import Array
from .plain import VALUE_LENGTH, Names, number, numbers, text

MARGIN_BINS = 40
TRADE_POINTS = 120
RECALL_SHOWN = 0.9
"""Share of the expected wrong labels up to which the list is followed."""
STRIPES = 40
"""Parts of a feature's range whose share of the rows is shown."""
MOST_SHAPES = 12
"""Shape functions of a problem, those that move the vote most."""
MOST_PROBLEMS = 30
"""Classes whose shape functions are kept, at most."""
MOST_CATEGORIES = 12
"""Categories of a shape function, those that move the vote most."""
CURVE_ROUNDS = 50
CURVE_ROWS = 5_000
"""Rows whose volumes are followed over the rounds, at most."""


def margin_counts(audit: LabelAudit) -> dict[str, Any]:
    """Histogram of the margins, flagged rows apart."""
    margins, cuts = audit.margin_, np.linspace(-1.0, 1.0, MARGIN_BINS + 1)
    groups = {"others": ~audit.flagged_, "flagged": audit.flagged_}
    return {
        "cuts": numbers(cuts),
        **{name: np.histogram(margins[rows], cuts)[0].tolist() for name, rows in groups.items()},
    }


def trade_curve(audit: LabelAudit) -> dict[str, Any]:
    """Expected precision and recall along the list of suspects, as far as it pays to read it."""
    trade = audit.trade_off()
    enough = int(np.searchsorted(trade["recall"], RECALL_SHOWN)) + 1
    last = min(len(trade["rows"]), max(enough, 2 * int(audit.flagged_.sum()), 10))
    places = np.unique(np.linspace(0, last - 1, min(last, TRADE_POINTS)).astype(int))
    return {
        "rows": trade["rows"][places].tolist(),
        "precision": numbers(trade["precision"][places]),
        "recall": numbers(trade["recall"][places]),
    }


def shapes(audit: LabelAudit, names: Names) -> list[dict[str, Any]]:
    """Shape functions of the boosted stumps: one problem, or "this class against the rest" each."""
    problems = list(audit.evidence.models.items())[:MOST_PROBLEMS]
    found = []
    for positive, model in problems:
        explained = model.explain()
        used = [name for name, share in explained.importance().items() if share > 0]
        steps = [_shape(audit, names, explained.shapes[name]) for name in used[:MOST_SHAPES]]
        found.append({"positive": positive, "steps": steps})
    return found


def _shape(audit: LabelAudit, names: Names, step: StepFunction) -> dict[str, Any]:
    table = audit.evidence.table
    shape: dict[str, Any] = {"name": names.feature(step.feature)}
    known, column = table.categories[step.feature], np.asarray(table.column(step.feature))
    if np.isnan(column).any():
        shape["missing"] = number(step.levels[-1])
    if known is None:
        present = column[~np.isnan(column)]
        low, high = (present.min(), present.max()) if len(present) else (0.0, 0.0)
        shape |= {"low": number(low), "high": number(high), "cuts": numbers(step.thresholds)}
        shape["strip"] = numbers(_density(present, low, high))
        return {**shape, "levels": numbers(step.levels[:-1])}
    levels = step_function(np.arange(len(known), dtype=float), step.thresholds, step.levels)
    strongest = np.argsort(-np.abs(levels), kind="stable")[:MOST_CATEGORIES]
    bars = [[text(known[k], VALUE_LENGTH), number(levels[k])] for k in strongest]
    return {**shape, "bars": bars, "left_out": len(known) - len(bars)}


def _density(values: Array, low: float, high: float) -> Array:
    """Rows in each part of a range, over the most of any; halves, for huge ranges overflow."""
    span = high / 2.0 - low / 2.0
    places = (values / 2.0 - low / 2.0) / span * STRIPES if span > 0.0 else np.zeros(len(values))
    counts = np.bincount(np.minimum(places, STRIPES - 1).astype(int), minlength=STRIPES)
    return counts / max(1, counts.max())


def volume_curves(audit: LabelAudit) -> dict[str, Any] | None:
    """Mean decision volume of flagged and of other rows, round by round (CH-Q23).

    None where there are not both kinds of rows, where not all values are numbers, and for more than
    two classes: a region of one class cannot be compared with one of all the others.
    """
    numeric, doubted = audit.evidence.complete_numbers, audit.flagged_[audit.evidence.rows]
    flagged, others = np.flatnonzero(doubted), np.flatnonzero(~doubted)
    if numeric is None or not len(flagged) or not len(others) or len(audit.classes_) > 2:
        return None
    rng, model = np.random.default_rng(0), audit.evidence.models[1]
    flagged = rng.permutation(flagged)[: CURVE_ROWS // 2]
    rows = np.concatenate([flagged, rng.permutation(others)[: CURVE_ROWS - len(flagged)]])
    rounds = range(1, min(CURVE_ROUNDS, len(model.estimators_)) + 1)
    volumes = log_decision_volumes(model, numeric[rows], rounds=list(rounds))
    means = mean_volumes(volumes, np.arange(len(rows)) < len(flagged))
    return {"flagged": numbers(means.noisy), "others": numbers(means.others)}


def certificates(audit: LabelAudit) -> list[dict[str, Any]]:
    """Bounds on the soft margin of each problem."""
    return [
        {
            "nu": number(audit.evidence.nu),
            "lower": number(certificate.lower),
            "upper": number(certificate.upper),
            "certified": certificate.certified,
            "reason": certificate.reason,
        }
        for certificate in audit.evidence.certificates
    ]
