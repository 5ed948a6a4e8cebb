"""The largest margin over a finite set of hypotheses, as a linear program (R1-A09, eq. 2.3).

Primal (margin-LP): max ρ  s.t.  Uα >= ρ1, Σα = 1, α >= 0.
Dual (edge-LP):     min γ  s.t.  Uᵀd <= γ1, Σd = 1, d >= 0.

Both have the same value ρ*; it is the reference that every other algorithm is tested against. With
ν it is the soft-margin program (R2-A3, eq. 4.12): examples may fall short by ξ at the price
(1/ν) Σ p_i ξ_i, and no weight may exceed p_i / ν.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..types import Array


@dataclass(frozen=True)
class MarginSolution:
    """Solution of both programs.

    Attributes
    ----------
    value : float
        ρ*, the largest minimum margin and the smallest maximum edge.
    coef : array
        α*, one coefficient per hypothesis, summing to one.
    weights : array
        d*, one weight per example, summing to one.
    """

    value: float
    coef: Array
    weights: Array

    @property
    def support(self) -> Array:
        """Support vectors: examples with positive weight (R1-Q21)."""
        return np.flatnonzero(self.weights > 1e-12)


def solve_margin_lp(
    outcomes: Array, nu: float | None = None, prior: Array | None = None
) -> MarginSolution:
    """Solve the margin-LP with HiGHS.

    Parameters
    ----------
    outcomes : array (n_examples, n_hypotheses)
        ``U[i, j] = y_i h_j(x_i)``.
    nu : float, optional
        Share of weight that may fall short, in (0, 1]; None for the hard margin.
    prior : array, optional
        Weights of the examples with sum one; None for equal weights.

    Returns
    -------
    MarginSolution

    Examples
    --------
    Each of N hypotheses errs on one example: the uniform vote has margin 1 - 2/N (R1-V03).

    >>> solution = solve_margin_lp(np.ones((4, 4)) - 2 * np.eye(4))
    >>> round(solution.value, 12), solution.coef.round(12).tolist()
    (0.5, [0.25, 0.25, 0.25, 0.25])
    """
    outcomes = np.asarray(outcomes, dtype=np.float64)
    if outcomes.ndim != 2 or 0 in outcomes.shape or not np.isfinite(outcomes).all():
        raise ValueError(
            f"outcomes: got shape {outcomes.shape}, expected a finite matrix with at least one row "
            "(example) and one column (hypothesis)"
        )
    from scipy.optimize import linprog  # here, not above: a third of a second at import

    n, m = outcomes.shape
    prior = np.full(n, 1.0 / n) if prior is None else np.asarray(prior)
    # Variables (α, ρ, ξ): ρ - Uα - ξ <= 0 for every example; without ν there is no ξ.
    slack = np.empty((n, 0)) if nu is None else -np.eye(n)
    price = np.empty(0) if nu is None else prior / nu
    result = linprog(
        c=np.concatenate([np.zeros(m), [-1.0], price]),
        A_ub=np.column_stack([-outcomes, np.ones(n), slack]),
        b_ub=np.zeros(n),
        A_eq=np.concatenate([np.ones(m), [0.0], np.zeros(len(price))])[None, :],
        b_eq=[1.0],
        bounds=[(0, None)] * m + [(None, None)] + [(0, None)] * len(price),
        method="highs",
    )
    if result.status != 0:
        raise RuntimeError(f"the margin-LP was not solved: {result.message}")
    weights = np.maximum(-result.ineqlin.marginals, 0.0)
    coef = np.maximum(result.x[:m], 0.0)
    return MarginSolution(float(-result.fun), coef / coef.sum(), weights / weights.sum())


@dataclass(frozen=True)
class PricedSolution:
    """Solution of the C-form and its dual.

    Attributes
    ----------
    objective : float
        Least ``C Σα + Σ w ξ``.
    coef : array
        α*, one coefficient per hypothesis.
    weights : array
        d*, one weight per example, in ``[0, w]``.
    """

    objective: float
    coef: Array
    weights: Array


def solve_priced_margin_lp(
    outcomes: Array, C: float, sample_weight: Array | None = None
) -> PricedSolution:
    """Solve the C-form (ratsch-2 eq. 4.17) with HiGHS.

        min C Σα + Σ_i w_i ξ_i   s.t.  Uα >= 1 - ξ,  α, ξ >= 0

    Parameters
    ----------
    outcomes : array (n_examples, n_hypotheses)
        ``U[i, j] = y_i h_j(x_i)``.
    C : float
        Price of Σα, above 0.
    sample_weight : array, optional
        Weights w; None is one for every example.

    Examples
    --------
    Where C is more than any hypothesis is worth, saying nothing is best:

    >>> solve_priced_margin_lp(np.ones((3, 1)), C=4.0).objective
    3.0
    """
    from scipy.optimize import linprog  # here, not above: a third of a second at import

    outcomes = np.asarray(outcomes, dtype=np.float64)
    n, m = outcomes.shape
    weight = np.ones(n) if sample_weight is None else np.asarray(sample_weight)
    result = linprog(
        c=np.concatenate([np.full(m, C), weight]),
        A_ub=np.column_stack([-outcomes, -np.eye(n)]),
        b_ub=-np.ones(n),
        bounds=[(0, None)] * (m + n),
        method="highs",
    )
    if result.status != 0:
        raise RuntimeError(f"the C-form was not solved: {result.message}")
    weights = np.maximum(-result.ineqlin.marginals, 0.0)
    return PricedSolution(float(result.fun), np.maximum(result.x[:m], 0.0), weights)
