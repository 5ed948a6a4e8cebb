"""Soft margins: slack, mistrust, the ν-property and what follows from it.

R2-Q3 to R2-Q5, R2-Q8, R2-Q11, R2-Q12, R2-A4, R2-C2, R2-C3, R2-C6; eq. 4.6, 4.13-4.16, 4.19, Prop.
4.1-4.3.

A share ν of the weight may fall short of the margin ρ, each example by its slack ξ_i at the price
ξ_i / ν. For given margins the best ρ is their ν-quantile: no search is needed. Weights of the
examples count everywhere; one of weight 2 is two rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..solvers.barrier import projected_gradient
from ..solvers.masters.problem import soft_margin
from ..types import Array
from ..validation import check_number
from .arrays import distribution, outcome_matrix, same_length, vector
from .bounds import MarginBound, margin_bound
from .edges import softmax_weights

ROUNDING = 1e-9
"""Distance from ρ within which a margin counts as on it."""


@dataclass(frozen=True)
class NuFractions:
    """Weight of the examples below, on and beyond the margin ρ (R2-Q5).

    At the best ρ, ``errors <= ν <= errors + on``, so ``beyond <= 1 - ν`` (Prop. 4.1, R2-C2).

    Attributes
    ----------
    errors : float
        Margin errors: margins below ρ.
    on : float
        Margins at ρ.
    beyond : float
        Margins above ρ.
    training_error : float
        Margins of at most 0.
    """

    errors: float
    on: float
    beyond: float
    training_error: float


@dataclass(frozen=True)
class NuMargin:
    """Margins cut at the share ν (R2-Q3 to R2-Q5, Fig. 4.5).

    Attributes
    ----------
    margins : array
        Margins ρ_i.
    weights : array
        Weights p_i of the examples, with sum one.
    nu : float
        ν.
    rho : float
        ρ^(ν), which maximises ``ρ - (1/ν) Σ p_i [ρ - ρ_i]_+``.
    """

    margins: Array
    weights: Array
    nu: float
    rho: float

    @property
    def slack(self) -> Array:
        """By how much each example falls short, ``ξ_i = [ρ - ρ_i]_+`` (R2-Q4)."""
        return np.maximum(self.rho - self.margins, 0.0)

    @property
    def cost(self) -> float:
        """Price of all slack, ``(1/ν) Σ p_i ξ_i``."""
        return float(self.weights @ self.slack) / self.nu

    @property
    def value(self) -> float:
        """Soft margin of the sample: what the ν-LP maximises, ρ less the price of all slack."""
        return self.rho - self.cost

    @property
    def mistrust(self) -> Array:
        """Mistrust of each example, ``ζ_i = ξ_i - (1/ν) Σ p_j ξ_j`` (R2-Q3, eq. 4.16)."""
        return self.slack - self.cost

    @property
    def soft_margins(self) -> Array:
        """Soft margins ``ρ_i + ζ_i = max(ρ_i, ρ) - cost`` (R2-Q3); the smallest is ``value``."""
        return np.maximum(self.margins, self.rho) - self.cost

    def weights_at(self, l1_norm: float) -> Array:
        """ν-Arc's weights at ``Σα = l1_norm``, ``∝ p_i exp(-soft margin · Σα)`` (Fig. 4.6).

        Examples below ρ share one weight, the others decay; none exceeds its cap ``p_i / ν``.
        """
        check_number("l1_norm", l1_norm, above=0.0)
        hard = np.maximum(self.margins, self.rho)
        return softmax_weights(hard, 1.0 / l1_norm, self.weights)

    def fractions(self, tol: float = ROUNDING) -> NuFractions:
        """Weight below, on and beyond ρ; margins within ``tol`` of it count as on it."""
        check_number("tol", tol, at_least=0.0)
        below, above = self.margins < self.rho - tol, self.margins > self.rho + tol
        return NuFractions(
            errors=float(self.weights[below].sum()),
            on=float(self.weights[~(below | above)].sum()),
            beyond=float(self.weights[above].sum()),
            training_error=float(self.weights[self.margins <= 0.0].sum()),
        )


def nu_margin(
    margins: Any, nu: float, *, sample_weight: Any = None, floor: float = -1.0
) -> NuMargin:
    """Cut margins at the share ν: the best ρ, slack, mistrust and soft margins (R2-A4, eq. 4.14).

    Parameters
    ----------
    margins : array
        Margins of the examples.
    nu : float
        ν in (0, 1].
    sample_weight : array, optional
        Weights of the examples, of any sum.
    floor : float
        Smallest ρ allowed. The dissertation has 0; then a sample with more errors than ν is cut at
        0, whose soft margin is negative.

    Examples
    --------
    >>> cut = nu_margin([-0.5, 0.1, 0.2, 0.3, 0.4], nu=0.4)
    >>> cut.rho, round(cut.value, 12), cut.slack.round(12).tolist()
    (0.1, -0.2, [0.6, 0.0, 0.0, 0.0, 0.0])
    >>> cut.fractions()
    NuFractions(errors=0.2, on=0.2, beyond=0.6000000000000001, training_error=0.2)
    """
    check_number("nu", nu, above=0.0, at_most=1.0)
    check_number("floor", floor, at_least=-1.0, at_most=1.0)
    values = vector("margins", margins, -1.0, 1.0)
    weights = distribution("sample_weight", sample_weight, len(values))
    counted = weights > 0
    _, rho = soft_margin(values[counted], weights[counted], nu)
    return NuMargin(values, weights, float(nu), max(rho, floor))


def softened_margins(margins: Any, mistrust: Any, C: float = 1.0) -> Array:
    """``ρ_i + C ζ_i``: margins softened by any mistrust (R2-Q3, eq. 4.6).

    Parameters
    ----------
    margins : array
        Margins of the examples.
    mistrust : array
        ζ, such as the influence of each example (AdaBoost_Reg), its square, or a prior probability
        that the label is wrong.
    C : float
        Weight of the mistrust.
    """
    check_number("C", C, at_least=0.0)
    values, distrust = vector("margins", margins, -1.0, 1.0), vector("mistrust", mistrust)
    same_length(margins=values, mistrust=distrust)
    return values + C * distrust


def smooth_slack(outcomes: Any, temperature: float, target: float = 1.0) -> Array:
    """``β log(1 + exp((target - y F(x)) / β))``: slack at temperature β (R2-Q4, eq. 4.19).

    The slack that minimises the barrier function; as β → 0 it becomes ``[target - y F(x)]_+``
    (R2-C9).

    Parameters
    ----------
    outcomes : array
        ``y F(x)`` of the examples.
    temperature : float
        β > 0.
    target : float
        What every example should reach.
    """
    check_number("temperature", temperature, above=0.0)
    short = target - vector("outcomes", outcomes)
    return temperature * np.logaddexp(0.0, short / temperature)


def nu_bound(
    margins: Any,
    nu: float,
    vc_dimension: float,
    *,
    delta: float = 0.05,
    constant: float = 1.0,
    sample_weight: Any = None,
) -> MarginBound:
    """Bound on the test error by ν and ρ^(ν) (R2-Q8, eq. 4.13).

    ``R ≤ ν + c √((ϑ log²(N/ϑ) / ρ² + log(1/δ)) / N)``, with probability 1 - δ. It is the margin
    bound at a θ just below ρ^(ν), where at most the share ν of margins lies (R2-C2). The constant
    is not given by the theorem, so the number orders values of ν; it is not a guarantee.

    Parameters
    ----------
    margins : array
        Training margins.
    nu : float
        ν in (0, 1), with ρ^(ν) > 0.
    vc_dimension : float
        ϑ of the base hypotheses; less than N.
    delta : float
        Probability δ of failure.
    constant : float
        The constant c.
    sample_weight : array, optional
        Weights of the examples.
    """
    rho = nu_margin(margins, nu, sample_weight=sample_weight).rho
    if not rho > 0.0:
        raise ValueError(
            f"nu: got {nu:g}, at which the margin is {rho:g}, expected a ν whose margin is positive"
        )
    at_rho = margin_bound(margins, vc_dimension, theta=rho, delta=delta, constant=constant)
    return MarginBound(theta=rho, margin_error=float(nu), penalty=at_rho.penalty)


def optimality_violation(gradient: Any, coef: Any) -> float:
    """How far coefficients ``α >= 0`` are from a minimum (R2-Q11): ``max_j |∇_{α>=0} F|``.

    A positive slope at α_j = 0 is no violation; the largest of all other slopes is. It is 0
    exactly where no small change of α lowers F.

    Examples
    --------
    >>> optimality_violation([0.3, -0.2, 0.1], [0.0, 0.0, 2.0])
    0.2
    """
    slope, alpha = vector("gradient", gradient), vector("coef", coef, low=0.0)
    same_length(gradient=slope, coef=alpha)
    return float(np.abs(projected_gradient(slope, alpha)).max())


@dataclass(frozen=True)
class FreedomOfMovement:
    """How far an example inside the margin may move in hypothesis space unnoticed.

    See R2-Q12, Prop. 4.3.

    Attributes
    ----------
    free : array of int
        Hypotheses whose edge is below the largest: outputs of the example there may change by a
        little, each by itself.
    promised : int
        ``J - N + 1``, the least number of dimensions where the optimum is not degenerate; nothing
        is promised where it is not positive.
    """

    free: Array
    promised: int

    @property
    def dimensions(self) -> int:
        """Dimensions of the moves: the free ones, and all the others by one common amount."""
        return self.free.size + 1


def freedom_of_movement(outcomes: Any, weights: Any, *, tol: float = ROUNDING) -> FreedomOfMovement:
    """Count the ways in which an example with slack can move without changing the ν-LP's solution.

    Its weight is at the cap. Outputs of hypotheses whose edge is below the largest do not matter
    for small moves; a common change of all others by ``ε y_i`` changes the value, but neither α nor
    ρ (Prop. 4.3, 1). The proposition's other statement, that its label may be flipped, is false.

    Parameters
    ----------
    outcomes : array (n_examples, n_hypotheses)
        ``U[i, j] = y_i h_j(x_i)``.
    weights : array
        Optimal weights d of the examples.
    tol : float
        Edges within ``tol`` of the largest count as equal to it.
    """
    check_number("tol", tol, at_least=0.0)
    matrix = outcome_matrix(outcomes)
    n_examples, n_hypotheses = matrix.shape
    edges = distribution("weights", weights, n_examples) @ matrix
    free = np.flatnonzero(edges < edges.max() - tol)
    return FreedomOfMovement(free, n_hypotheses - n_examples + 1)
