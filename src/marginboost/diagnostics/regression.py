"""Quantities of regression: errors, tubes, bounds on weights, sparseness (R2-Q15 to R2-Q17).

Arrays in, numbers out; residuals are targets less predictions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..losses import Loss, as_loss
from ..types import Array
from ..validation import check_number


def q_squared(y: Array, predicted: Array) -> float:
    """Squared error over that of the mean, ``Σ(y - f)² / Σ(y - ȳ)²`` (R2-Q15, eq. 5.38).

    0 is perfect, 1 is the mean's; on the rows that the mean is taken of it is one minus R².

    >>> q_squared(np.array([0.0, 2.0]), np.array([0.5, 1.5]))
    0.25
    """
    y, predicted = np.asarray(y, dtype=float), np.asarray(predicted, dtype=float)
    spread = float(np.sum((y - y.mean()) ** 2))
    if spread == 0.0:
        raise ValueError("y: all targets are equal, expected different ones")
    return float(np.sum((y - predicted) ** 2)) / spread


def normalised_error(y: Array, predicted: Array) -> float:
    """Root of :func:`q_squared`: error in units of the targets' standard deviation."""
    return float(np.sqrt(q_squared(y, predicted)))


@dataclass(frozen=True)
class TubeFractions:
    """Shares of rows by their place in a tube (R2-Q16).

    Attributes
    ----------
    outside, edge, inside : float
        Beyond it, on its edge to rounding, and strictly inside.
    """

    outside: float
    edge: float
    inside: float

    def allows(self, nu: float) -> bool:
        """Whether ν lies between the share outside and that not inside (R2-C14, Prop. 5.2)."""
        return self.outside <= nu + 1e-9 and (self.outside + self.edge) >= nu - 1e-9


def tube_fractions(
    residuals: Array, epsilon: float, sample_weight: Array | None = None, tol: float = 1e-6
) -> TubeFractions:
    """Shares of rows outside, on the edge of and inside a tube of half width ε.

    Parameters
    ----------
    residuals : array
        Targets less predictions.
    epsilon : float
        Half width.
    sample_weight : array, optional
        Weights of the rows.
    tol : float
        Distance from the edge that counts as on it, as share of the largest residual.

    Examples
    --------
    >>> tube_fractions(np.array([0.0, 0.1, -0.2, 0.5]), 0.2)
    TubeFractions(outside=0.25, edge=0.25, inside=0.5)
    """
    check_number("epsilon", epsilon, at_least=0.0)
    size = np.abs(np.asarray(residuals, dtype=float))
    weights = np.ones(len(size)) if sample_weight is None else np.asarray(sample_weight, float)
    share, near = weights / weights.sum(), tol * float(size.max(initial=0.0))
    outside, inside = size > epsilon + near, size < epsilon - near
    parts = [float(share[rows].sum()) for rows in (outside, ~outside & ~inside, inside)]
    return TubeFractions(*parts)


def largest_dual(loss: Loss | str, y: Array) -> float:
    """Bound on every weight at the optimum, ``max |g'(±‖y‖₁)|`` (R2-Q17, R2-C19; Lemma 5.2).

    >>> largest_dual("huber", np.array([3.0, -4.0]))
    1.0
    """
    total = float(np.abs(np.asarray(y, dtype=float)).sum())
    return float(np.abs(as_loss("loss", loss).dual(np.array([total, -total]))).max())


def zero_fraction(n_rows: int, n_columns: int) -> float:
    """About the largest share of zeros with a strictly convex penalty (Prop. 5.3; R2-X6).

    For columns in general position and many more of them than rows: ``N / (J - N)``, the J-th root
    of the probability that J columns drawn at random do not span all rows.
    """
    check_number("n_rows", n_rows, at_least=1, integer=True)
    check_number("n_columns", n_columns, above=2 * n_rows, integer=True)
    return n_rows / (n_columns - n_rows)


def likelihood_loss(log_density: Callable[[Array], Array], residuals: Array) -> Array:
    """Loss that maximum likelihood asks for, ``-log p(r) + log p(0)`` (R2-P2, eq. 5.6).

    >>> likelihood_loss(lambda r: -0.5 * r**2 - 0.5 * np.log(2 * np.pi), np.array([2.0]))
    array([2.])
    """
    residuals = np.asarray(residuals, dtype=float)
    return np.asarray(log_density(np.zeros(1))[0] - log_density(residuals))


def is_tau_optimal(
    edge: float, largest: float, tau: Callable[[float], float], price: float = 0.0
) -> bool:
    """Whether a base learner's answer keeps Def. 5.1, ``γ - C >= τ(max γ - C)`` (R2-T2, R1-D04).

    >>> is_tau_optimal(0.3, 0.5, lambda gap: 0.5 * gap, price=0.1)
    True
    """
    return edge - price >= tau(max(largest - price, 0.0)) - 1e-12
