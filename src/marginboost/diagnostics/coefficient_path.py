"""Coefficients of the features as a run goes on, and the path of LARS (CH-A6b, CH-C13)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..oracles.linear import Line
from ..types import Array
from .arrays import distribution
from .sources import feature_names_of, name_of


@dataclass(frozen=True)
class CoefficientPath:
    """Coefficients of all features, stage by stage.

    Attributes
    ----------
    coefficients : array (stages, features)
        Of lines through one feature, the coefficient of the standardised feature; of other
        hypotheses, the Σ|α| that the feature carries. The first stage has none.
    names : list of str
        Names of the features.
    title : str
        Whose path it is.
    """

    coefficients: Array
    names: list[str]
    title: str

    @property
    def l1_norms(self) -> Array:
        """Sum of the absolute coefficients of each stage."""
        return np.abs(self.coefficients).sum(axis=1)

    def at(self, l1_norms: Any) -> Array:
        """Coefficients at given ``Σ|α|``, between two stages on the line that joins them."""
        l1_norms = np.asarray(l1_norms, dtype=np.float64)
        known = self.l1_norms
        keep = np.concatenate([[True], np.diff(np.maximum.accumulate(known)) > 0])
        columns = [np.interp(l1_norms, known[keep], c[keep]) for c in self.coefficients.T]
        return np.column_stack(columns)


def coefficient_path(model: Any, X: Any = None, sample_weight: Any = None) -> CoefficientPath:
    """Path of a fitted model of one run.

    Parameters
    ----------
    model : fitted estimator of this package
        With lines through one feature (:class:`~marginboost.LinearOracle`), stumps or trees.
    X : array-like
        The training rows; needed for lines, whose features it standardises.
    sample_weight : array-like, optional
        Weights of these rows.
    """
    members, coef = model.ensemble_.members, model.ensemble_.coef
    n_features = model.n_features_in_
    lines = any(isinstance(member, Line) for member in members)
    if lines and X is None:
        raise ValueError("X: got None, expected the training rows, to standardise the features")
    shares = np.array([member.importances(n_features) for member in members])
    if lines:
        spread = _standardised(model, X, sample_weight)[1]
        slopes = [member.slope if isinstance(member, Line) else 0.0 for member in members]
        steps = (coef * slopes)[:, None] * shares * spread
    else:
        steps = np.abs(coef)[:, None] * shares
    steps = steps.reshape(len(members), n_features)
    path = np.concatenate([np.zeros((1, n_features)), np.cumsum(steps, axis=0)])
    return CoefficientPath(path, feature_names_of(model), name_of(model))


def lars_path(model: Any, X: Any, y: Any, sample_weight: Any = None) -> CoefficientPath:
    """Path of least angle regression on the same standardised features, by scikit-learn.

    Parameters
    ----------
    model : fitted estimator of this package
        Which reads the rows.
    X, y : array-like
        The training rows and targets.
    sample_weight : array-like, optional
        Their weights.
    """
    from sklearn.linear_model import lars_path as solve

    columns, _ = _standardised(model, X, sample_weight)
    weights = distribution("sample_weight", sample_weight, len(columns))
    targets = np.asarray(y, dtype=np.float64)
    centred = targets - np.average(targets, weights=weights)
    root = np.sqrt(weights)
    _, _, found = solve(columns * root[:, None], centred * root, method="lar")
    return CoefficientPath(found.T, feature_names_of(model), "LARS")


def _standardised(model: Any, X: Any, sample_weight: Any) -> tuple[Array, Array]:
    """Columns of mean 0 and spread 1, a missing value being the mean, and the spreads."""
    rows = model.__read_rows__(X)
    columns = rows.dense(0, rows.n_rows).astype(np.float64)
    weights = distribution("sample_weight", sample_weight, len(columns))
    present = ~np.isnan(columns)
    shares = weights[:, None] * present
    centre = np.sum(np.where(present, columns, 0.0) * shares, axis=0) / shares.sum(axis=0)
    columns = np.where(present, columns - centre, 0.0)
    spread = np.sqrt(weights @ columns**2)
    return columns / np.where(spread > 0.0, spread, 1.0), spread
