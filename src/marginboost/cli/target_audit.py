"""Audit of a numeric target: what ``audit --target`` does in place of an audit of labels."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from .errors import UsageError
from .output import Screen, progress, visible

if TYPE_CHECKING:
    from ..audit import TargetAudit

SHOWN = 10
"""Suspects on the screen."""


def check(args: argparse.Namespace) -> None:
    """Raise for options that only labels have."""
    if args.serve:
        raise UsageError("--serve: keeps decisions on labels; with --target write a page (--out)")


def fit(args: argparse.Namespace, data: Any) -> TargetAudit:
    """Audit the targets of a table."""
    from ..audit import TargetAudit

    with progress("audit", 1) as advance:
        try:
            audit = TargetAudit(
                cv=args.cv or 5, fdr=args.fdr, n_jobs=args.jobs, random_state=args.seed
            ).fit(data.X, data.labels)
        except ValueError as error:
            raise data.file.error(str(error), args.target) from error
        advance()
    return audit


def facts(audit: TargetAudit) -> dict[str, Any]:
    """What the audit found, as plain data."""
    from ..reports import similar_counts, target_verdict

    return {
        "verdict": target_verdict(audit),
        "noise_rate": audit.noise_rate_,
        "predictors": audit.predictor_weights_,
        "similar": similar_counts(audit.similar),
    }


def show_suspects(answer: dict[str, Any], screen: Screen) -> None:
    """Print the most suspect rows."""
    first = answer["suspects"][:SHOWN]
    if not first:
        return
    screen.say()
    names = [name for name in ("row", "id") if name in first[0]]
    rows = [
        [
            *(visible(suspect[name]) for name in names),
            *(f"{suspect[name]:.6g}" for name in ("given", "suggested", "usual_distance")),
            f"{suspect['score']:.3f}",
        ]
        for suspect in first
    ]
    headers = [*names, "given", "predicted", "usual distance", "P(right)"]
    screen.table(headers, rows, align="<" * len(names) + ">>>>")
    if answer["flagged"] > len(first):
        screen.say(f"and {answer['flagged'] - len(first):,} more")
