"""Edges, weights and support vectors: the dual side of margins (R1-Q17, R1-Q18, R1-Q21).

``outcomes`` below are ``U[i, j] = y_i h_j(x_i)`` and go with nonnegative weights d. Outputs
``h_j(x_i)`` with the signed weights ``y_i d_i`` of a model's ``dual_`` give the same sums.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..types import Array
from ..validation import check_number
from .arrays import distribution, outcome_matrix, same_length, vector


def edge(outcomes: Any, weights: Any) -> float:
    """Edge of one hypothesis, ``Σ d_i y_i h(x_i)`` (R1-Q17).

    Examples
    --------
    >>> edge([1, 1, -1, 1], [0.25, 0.25, 0.25, 0.25])
    0.5
    """
    column, d = vector("outcomes", outcomes), vector("weights", weights)
    same_length(outcomes=column, weights=d)
    return float(column @ d)


def largest_edge(outcomes: Any, weights: Any, *, closed: bool = False) -> float:
    """Edge of a distribution, ``γ(d) = max_j ⟨U_j, d⟩`` (R1-Q17, eq. 2.2).

    It bounds the margin of every combination of the columns from above (R1-C16).

    Parameters
    ----------
    outcomes : array (n_examples, n_hypotheses)
        The matrix U.
    weights : array
        Weights of the examples.
    closed : bool
        Whether the negative of every column belongs to the set too (R1-C59).
    """
    matrix, d = outcome_matrix(outcomes), vector("weights", weights)
    same_length(outcomes=matrix, weights=d)
    edges = d @ matrix
    return float(np.abs(edges).max() if closed else edges.max())


def ensemble_margin(outcomes: Any, coef: Any) -> float:
    """Margin of a combination, ``ρ(α) = min_i (Uα)_i / Σ|α|`` (R1-Q17, eq. 2.1)."""
    matrix, alpha = outcome_matrix(outcomes), vector("coef", coef)
    same_length(hypotheses=matrix.T, coef=alpha)
    l1_norm = np.abs(alpha).sum()
    if not l1_norm > 0:
        raise ValueError("coef: got only zeros, expected at least one other coefficient")
    return float((matrix @ alpha).min() / l1_norm)


def duality_gap(outcomes: Any, coef: Any, weights: Any) -> float:
    """``γ(d) - ρ(α)``, for coefficients α ≥ 0 and a distribution d (R1-Q17, R1-C15, R1-C16).

    Never negative, and 0 exactly when both are optimal.

    Examples
    --------
    Each of N hypotheses errs on one example; uniform vote and weights are optimal (R1-V03).

    >>> flip = np.ones((4, 4)) - 2 * np.eye(4)
    >>> duality_gap(flip, np.ones(4), np.ones(4) / 4)
    0.0
    """
    matrix, alpha = outcome_matrix(outcomes), vector("coef", coef, low=0.0)
    d = distribution("weights", weights, len(matrix))
    return largest_edge(matrix, d) - ensemble_margin(matrix, alpha)


def error_from_edge(edge: Any) -> Any:
    """Weighted error of a ±1 hypothesis, ``(1 - γ) / 2``; the accuracy is the rest (R1-X06)."""
    return (1.0 - np.asarray(edge, dtype=np.float64)) / 2.0


def edge_from_error(error: Any) -> Any:
    """Edge of a ±1 hypothesis, ``1 - 2ε``."""
    return 1.0 - 2.0 * np.asarray(error, dtype=np.float64)


def softmax_weights(margins: Any, temperature: float, prior: Any = None) -> Array:
    """Weights ``d_i ∝ prior_i exp(-ρ_i / β)`` at temperature β (R1-Q18, eq. 2.8).

    At ``β = 1 / Σα`` these are AdaBoost's weights (R1-C26). β = ∞ gives the prior, β → 0 leaves
    only the examples of smallest margin.

    Parameters
    ----------
    margins : array
        Margins of the examples.
    temperature : float
        β > 0; ``inf`` is allowed.
    prior : array, optional
        Weights of the examples at infinite temperature; uniform by default.

    Examples
    --------
    >>> softmax_weights([0.0, 1.0], temperature=1 / np.log(3)).round(12).tolist()
    [0.75, 0.25]
    """
    if not temperature > 0:
        raise ValueError(f"temperature: got {temperature!r}, expected a positive number or inf")
    values = vector("margins", margins, -1.0, 1.0)
    base = distribution("prior", prior, len(values))
    # Shifted by the smallest margin that counts: the exponent there is 0 and nothing overflows.
    exponent = np.minimum(-(values - values[base > 0].min()) / temperature, 0.0)
    weights = base * np.exp(exponent)
    return weights / weights.sum()


def effective_number(weights: Any) -> float:
    """Effective number of examples, ``(Σ|d|)² / Σd²``: N for equal weights, 1 for a single one."""
    d = np.abs(vector("weights", weights))
    largest = d.max()
    if not largest > 0:
        raise ValueError("weights: got only zeros, expected at least one other weight")
    share = d / largest
    return float(share.sum() ** 2 / (share @ share))


def support_vectors(weights: Any, *, tol: float = 1e-6) -> Array:
    """Indices of the examples whose weight does not vanish (R1-Q21).

    Parameters
    ----------
    weights : array
        Weights of the examples, signed or not.
    tol : float
        Weights up to ``tol`` times the largest count as zero. The optimum of the margin-LP has
        exact zeros; the exponential weights of a finite run have none, so the count falls with
        every round and depends on ``tol``.
    """
    check_number("tol", tol, at_least=0.0, below=1.0)
    d = np.abs(vector("weights", weights))
    return np.flatnonzero(d > tol * d.max())


def lowest_margins(margins: Any, *, tol: float = 1e-3) -> Array:
    """Indices of the examples within ``tol`` of the smallest margin (R1-Q21).

    In the limit they are the only ones that can carry weight, so they contain the support vectors.
    """
    check_number("tol", tol, at_least=0.0)
    values = vector("margins", margins, -1.0, 1.0)
    return np.flatnonzero(values <= values.min() + tol)


def leave_one_out_bound(support: Any, n_examples: int) -> float:
    """``#SV / N``, an upper bound on the leave-one-out error (R1-Q21, R1-C55).

    It holds where leaving out an example without weight leaves the solution as it is: for the
    optimum of the margin-LP, not for a boosting run stopped early.

    Parameters
    ----------
    support : array of int
        Indices of the support vectors.
    n_examples : int
        N.
    """
    check_number("n_examples", n_examples, at_least=1, integer=True)
    indices = np.unique(np.asarray(support, dtype=np.int64))
    if indices.size and not (indices[0] >= 0 and indices[-1] < n_examples):
        raise ValueError(f"support: got indices outside 0..{n_examples - 1}")
    return indices.size / n_examples


@dataclass(frozen=True)
class SupportOverlap:
    """How far two sets of support vectors agree (R1-Q21).

    Attributes
    ----------
    shared, only_first, only_second : int
        Examples in both sets, and in one alone.
    """

    shared: int
    only_first: int
    only_second: int

    @property
    def jaccard(self) -> float:
        """Shared examples per example in either set; 1 for two empty sets."""
        either = self.shared + self.only_first + self.only_second
        return self.shared / either if either else 1.0


def support_overlap(first: Any, second: Any) -> SupportOverlap:
    """Compare two sets of support vectors, say of boosting and of an SVM (R1-Q21).

    Examples
    --------
    >>> support_overlap([1, 2, 5], [2, 5, 7, 8])
    SupportOverlap(shared=2, only_first=1, only_second=2)
    """
    one, two = (set(np.asarray(s, dtype=np.int64).tolist()) for s in (first, second))
    return SupportOverlap(len(one & two), len(one - two), len(two - one))
