"""Algorithmic stability: how much one example moves the model (R2-Q9; eq. 4.3, 4.4).

A learner is β-stable if leaving out any example changes its function nowhere by more than β. What
can be measured on one sample, on some rows and points, is a lower bound on that β.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from ..types import Array
from ..validation import check_number
from .arrays import vector
from .bounds import MarginBound
from .margins import margin_error


@dataclass(frozen=True)
class Stability:
    """Leave-one-out stability, as measured (R2-Q9).

    Attributes
    ----------
    rows : array of int
        Rows that were left out, one after the other.
    changes : array
        Largest change of the decision function that each of them caused.
    """

    rows: Array
    changes: Array

    @property
    def beta(self) -> float:
        """Largest change: a lower bound on the β of (4.3)."""
        return float(self.changes.max())


def leave_one_out_stability(
    estimator: Any, X: Any, y: Any, *, rows: int | Sequence[int] | None = None, grid: Any = None
) -> Stability:
    """Refit without one row at a time and measure how far the decision function moves (R2-Q9).

    Costs one fit per row. Rows whose change is large are those that the model hangs on. The
    solution of a linear program (LPBoost) may jump from one optimum to another: that is a change
    too.

    Parameters
    ----------
    estimator : classifier with ``decision_function``
        Cloned for every fit. Those of this package vote in [-1, 1].
    X, y : array-like
        The sample.
    rows : int or sequence of int, optional
        Which rows to leave out: so many, evenly spaced, or these; None for all.
    grid : array-like, optional
        Points at which the functions are compared; X itself by default.

    Examples
    --------
    >>> from marginboost import AdaBoostClassifier
    >>> from marginboost.datasets import circle_2d
    >>> X, y = circle_2d(60)
    >>> models = [AdaBoostClassifier(n_estimators=rounds) for rounds in (5, 200)]
    >>> few, many = (leave_one_out_stability(model, X, y, rows=20) for model in models)
    >>> few.beta > many.beta
    True
    """
    X = X if hasattr(X, "iloc") or hasattr(X, "toarray") else np.asarray(X)
    labels = np.asarray(y)
    chosen = _rows(rows, len(labels))
    points = X if grid is None else grid
    whole = clone(estimator).fit(X, labels).decision_function(points)
    changes = np.empty(len(chosen))
    for k, row in enumerate(chosen):
        others = np.delete(np.arange(len(labels)), row)
        fitted = clone(estimator).fit(_take(X, others), labels[others])
        changes[k] = np.abs(fitted.decision_function(points) - whole).max()
    return Stability(chosen, changes)


def _rows(rows: Any, n_examples: int) -> Array:
    if rows is None:
        return np.arange(n_examples)
    if np.ndim(rows) == 0:
        check_number("rows", rows, at_least=1, at_most=n_examples, integer=True)
        return np.arange(rows) * n_examples // rows
    chosen = np.asarray(rows, dtype=np.int64)
    if chosen.size == 0 or chosen.min() < 0 or chosen.max() >= n_examples:
        raise ValueError(f"rows: got {chosen.tolist()}, expected indices in 0..{n_examples - 1}")
    return chosen


def _take(X: Any, rows: Array) -> Any:
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]


def stability_bound(
    margins: Any, beta: float, theta: float, *, delta: float = 0.05, as_printed: bool = False
) -> MarginBound:
    """Bound on the test error of a β-stable learner (R2-Q9, eq. 4.4).

    ``R ≤ #{ρ_i ≤ θ}/N + 2β/θ + (4Nβ/θ + 1) √(log(1/δ) / (2N))``, with probability 1 - δ, for a θ
    fixed beforehand. It needs the true β; a measured one (:func:`leave_one_out_stability`) is too
    small, so the number then orders models and is not a guarantee. It says something only if β
    falls faster than 1/√N.

    Parameters
    ----------
    margins : array
        ``y f(x)`` on the training sample, in [-1, 1].
    beta : float
        β.
    theta : float
        Margin θ > 0.
    delta : float
        Probability δ of failure.
    as_printed : bool
        Whether to leave out the 1 beside ``4Nβ/θ``, as the dissertation does. The theorem it cites
        (Bousquet and Elisseeff) has it; without it a constant learner would have no penalty at all.
    """
    check_number("beta", beta, at_least=0.0)
    check_number("theta", theta, above=0.0, at_most=1.0)
    check_number("delta", delta, above=0.0, below=1.0)
    values = vector("margins", margins, -1.0, 1.0)
    n = len(values)
    factor = 4.0 * n * beta / theta + (0.0 if as_printed else 1.0)
    penalty = 2.0 * beta / theta + factor * np.sqrt(np.log(1.0 / delta) / (2.0 * n))
    return MarginBound(float(theta), margin_error(values, theta), float(penalty))
