"""What each feature contributed to the answer for each row, whatever the model is made of.

Models that are sums of one-feature functions say it themselves (``explain``); of other trees the
answer is shared out by Shapley values. Either way an answer is the intercept, its mean over the
training rows or the background, plus the contributions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..data import Table
from ..model import RegressionModel
from ..types import Array
from ..validation import check_number

GROUPS = 12
"""Groups of rows, by value, over which contributions of trees are averaged."""


@dataclass(frozen=True, repr=False)
class Contributions:
    """Contributions to one answer of a model: the only one, or that about one class.

    Attributes
    ----------
    names : list of str
        Feature names.
    values : array (n_rows, n_features)
        Contributions.
    intercept : float
        What they are added to.
    unit : {"vote", "score", "prediction"}
        What they sum up to: a normalised vote, ``Σ α h(x)`` or a number.
    sides : list of str
        What answers below and above zero speak for; empty for numbers.
    exact_shapes : bool
        Whether a contribution depends on nothing but the value of its feature.
    """

    names: list[str]
    values: Array
    intercept: float
    unit: str
    sides: list[str]
    exact_shapes: bool

    def __repr__(self) -> str:
        n_rows, n_features = self.values.shape
        below = f" of {self.sides[1]}" if self.sides else ""
        return (
            f"<Contributions of {n_features} features to the {self.unit}{below} of {n_rows} rows, "
            f"added to {self.intercept:.4g}>"
        )

    @property
    def totals(self) -> Array:
        """The answer for each row."""
        return np.asarray(self.intercept + self.values.sum(axis=1))


def row_contributions(
    estimator: Any, X: Any, background: Any = None, *, max_background: int = 200
) -> list[Contributions]:
    """Share out the answers for rows between the features.

    Parameters
    ----------
    estimator : fitted estimator
        Of stumps or trees.
    X : array, sparse matrix or data frame
        Rows.
    background : array, sparse matrix or data frame, optional
        Rows that trees are explained against; None is ``X``. Models of stumps do not need it.
    max_background : int
        Rows of the background that are used, evenly spaced ones.

    Returns
    -------
    list of Contributions
        One; with several classes one per class or problem.
    """
    check_is_fitted(estimator)
    check_number("max_background", max_background, at_least=1, integer=True)
    model = estimator.model_
    numeric, sides = isinstance(model, RegressionModel), sides_of(model)
    if model.additive:
        return [
            Contributions(
                known.names,
                known.contributions(X),
                known.intercept,
                "prediction" if numeric else "vote",
                side,
                True,
            )
            for known, side in zip(model.explain(), sides, strict=True)
        ]
    behind = X if background is None else background
    found = estimator.shap_values(X, behind, max_background=max_background)
    values = found.values if found.values.ndim == 3 else found.values[:, :, None]
    bases = np.atleast_1d(found.base).tolist()
    unit = "prediction" if numeric else "score"
    return [
        Contributions(found.names, values[:, :, k], base, unit, side, False)
        for k, (base, side) in enumerate(zip(bases, sides, strict=True))
    ]


def sides_of(model: Any) -> list[list[str]]:
    """What negative and positive answers of each output of a model speak for."""
    if isinstance(model, RegressionModel):
        return [[]]
    classes = [str(label) for label in model.classes.tolist()]
    if model.reduced:
        return [[_side(classes, code, -1), _side(classes, code, 1)] for code in model.code.T]
    if model.run.ensemble.shape:
        return [["the other classes", name] for name in classes]
    return [classes]


def _side(classes: list[str], code: Array, side: int) -> str:
    """Classes on one side of a problem, in words."""
    chosen = [name for name, its in zip(classes, code.tolist(), strict=True) if its == side]
    if len(chosen) == 1:
        return chosen[0]
    return "the other classes" if side < 0 else " or ".join(chosen)


def mean_shape(column: Array, known: Array | None, parts: Array) -> dict[str, Any]:
    """Mean contribution of a feature by its value, as plain data like that of a step function.

    Parameters
    ----------
    column : array
        Values; NaN is missing, a category is its code.
    known : array or None
        Categories.
    parts : array
        Contributions.

    Returns
    -------
    dict
        ``thresholds`` or ``categories``, ``levels``, and ``missing``.
    """
    present = ~np.isnan(column)
    missing = float(parts[~present].mean()) if not present.all() else 0.0
    values, parts = column[present], parts[present]
    if known is not None:
        codes = values.astype(int)
        sums, counts = (np.bincount(codes, w, minlength=len(known)) for w in (parts, None))
        levels = np.divide(sums, counts, out=np.zeros(len(known)), where=counts > 0)
        return {"categories": known.tolist(), "levels": levels.tolist(), "missing": missing}
    distinct = np.unique(values)
    cuts = (distinct[1:] + distinct[:-1]) / 2.0
    if len(cuts) >= GROUPS:
        wanted = np.quantile(values, np.arange(1, GROUPS) / GROUPS)
        cuts = np.unique(cuts[np.clip(np.searchsorted(cuts, wanted), 0, len(cuts) - 1)])
    place = np.searchsorted(cuts, values, side="left")
    sums, counts = (np.bincount(place, w, minlength=len(cuts) + 1) for w in (parts, None))
    levels = np.divide(sums, counts, out=np.zeros(len(cuts) + 1), where=counts > 0)
    return {"thresholds": cuts.tolist(), "levels": levels.tolist(), "missing": missing}


def feature_values(estimator: Any, X: Any) -> Table:
    """Rows as the model reads them, column by column."""
    rows = estimator.model_.read_rows(X)
    assert isinstance(rows, Table)
    return rows
