"""How good is an audit? Plant wrong labels, audit, count."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.metrics import average_precision_score

from ..types import Array
from .audit import LabelAudit
from .folds import take_rows
from .planting import plant_flips


@dataclass(frozen=True)
class AuditScore:
    """What an audit found of the labels that were flipped on purpose.

    Attributes
    ----------
    average_precision : float
        Area under precision against recall of the ranking; 1 if all flipped rows come first.
    precision_at_k : float
        Share of flipped rows among the first k, k the number of flipped rows. The same as the
        recall there.
    flagged_precision, flagged_recall : float
        Share of the flagged rows that are flipped, and of the flipped rows that are flagged; NaN
        where none is flagged or flipped.
    noise_rate, planted_rate : float
        Share of wrong labels as estimated, and as planted (on top of those already wrong).
    seconds : float
        Time of the audit.
    errors : dict
        Test error of the model trained on the clean labels, the noisy ones, and the noisy ones
        after each way of cleaning; empty without test rows.
    """

    average_precision: float
    precision_at_k: float
    flagged_precision: float
    flagged_recall: float
    noise_rate: float
    planted_rate: float
    seconds: float
    errors: dict[str, float]


def evaluate_audit(
    audit: LabelAudit,
    X: Any,
    y: Any,
    *,
    rate: float = 0.1,
    kind: str = "uniform",
    test: tuple[Any, Any] | None = None,
    model: Any = None,
    seed: int = 0,
) -> AuditScore:
    """Plant flips, audit, and measure.

    Parameters
    ----------
    audit : LabelAudit
        Not fitted; a copy is.
    X, y
        Rows with labels thought to be right.
    rate, kind, seed
        As in :func:`plant_flips`. "near-boundary" takes its belief from an audit of ``y``.
    test : (X, y), optional
        Rows on which to measure the test error won back by cleaning.
    model : classifier, optional
        What is trained for that.

    Returns
    -------
    AuditScore
    """
    belief = clone(audit).fit(X, y).belief_ if kind == "near-boundary" else None
    noisy, flipped = plant_flips(y, rate, kind, X=X, belief=belief, seed=seed)
    started = time.perf_counter()
    fitted = clone(audit).fit(X, noisy)
    seconds = time.perf_counter() - started
    errors = {} if test is None or model is None else _errors(fitted, X, y, noisy, test, model)
    first = fitted.suspects(int(flipped.sum()))
    flagged = fitted.flagged_
    return AuditScore(
        average_precision=float(average_precision_score(flipped, -fitted.score_)),
        precision_at_k=float(flipped[first].mean()) if len(first) else float("nan"),
        flagged_precision=_share(flipped[flagged]),
        flagged_recall=_share(flagged[flipped]),
        noise_rate=fitted.noise_rate_,
        planted_rate=float(flipped.mean()),
        seconds=seconds,
        errors=errors,
    )


def _share(which: Array) -> float:
    return float(which.mean()) if which.size else float("nan")


def _errors(
    audit: LabelAudit, X: Any, y: Any, noisy: Array, test: tuple[Any, Any], model: Any
) -> dict[str, float]:
    def error(rows: Any, labels: Any, weights: Any = None) -> float:
        fitted = clone(model).fit(rows, labels, sample_weight=weights)
        return float(np.mean(fitted.predict(test[0]) != np.asarray(test[1])))

    everything = np.arange(len(noisy))
    errors = {"clean labels": error(X, y), "noisy labels": error(X, noisy)}
    for policy in ("drop", "relabel", "downweight"):
        rows, labels, weights = audit.clean(take_rows(X, everything), noisy, policy)
        errors[policy] = error(rows, labels, weights)
    return errors
