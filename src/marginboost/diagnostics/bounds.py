"""What the theory promises: training error, margin error, margin in the limit, test error.

Running products are summed as logarithms, so a bound of 1e-400 underflows to 0 and never to NaN.
Rounds whose edge does not exceed the target count as one: the algorithm discards them (R1-X02).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import logsumexp, xlog1py

from ..types import Array
from ..validation import check_number
from .arrays import distribution, same_length, signs, vector
from .margins import MarginDistribution, margin_distribution

SERIES = (1 / 56, -1 / 42, 1 / 30, -1 / 20, 1 / 12, -1 / 6, 1 / 2)
"""``((1+x) log(1+x) - x) / x²`` near 0, highest power first; the formula cancels there."""


def training_error_bound(edges: Any) -> Array:
    """AdaBoost's bound on the training error after each round (R1-Q08, eq. 1.10; LB-Q8).

    ``Π √(1 - γ_t²) = 2^T Π √(ε_t (1 - ε_t))``, equal to the mean exponential loss for ±1
    hypotheses. The lecture prints it with a factor 1/n, which is false (LB errata 4).

    Parameters
    ----------
    edges : array
        Edges γ_t, from :func:`edge_from_error` if you have errors.

    Examples
    --------
    >>> training_error_bound([0.6, 0.6]).round(12).tolist()
    [0.8, 0.64]
    """
    return margin_error_bound(edges, theta=0.0, target=0.0)


def simplified_training_error_bound(n_rounds: Any, edge: float) -> Any:
    """``exp(-T γ² / 2)``, when every edge is at least γ (R1-Q08, R1-C06)."""
    check_number("edge", edge, at_least=0.0, at_most=1.0)
    return np.exp(-np.asarray(n_rounds, dtype=np.float64) * edge**2 / 2.0)


def margin_error_bound(edges: Any, theta: float, target: Any = 0.0) -> Array:
    """Bound on the fraction of margins at most θ after each round (R1-Q22, eq. 2.10, 2.13).

    ``Π_t √(((1-γ_t)/(1-ϱ_t))^(1-θ) ((1+γ_t)/(1+ϱ_t))^(1+θ))`` for AdaBoost_ϱ. It holds for every θ
    with ±1 hypotheses, or with the closed-form step; with the exact step and real-valued
    hypotheses only for θ ≤ ϱ (R1-C28). It does not hold with a learning rate other than 1: see
    :func:`normaliser_bound`.

    Parameters
    ----------
    edges : array
        Edges γ_t.
    theta : float
        Margin θ in [-1, 1].
    target : float or array
        Target margin ϱ in (-1, 1), one for all rounds or one per round.
    """
    check_number("theta", theta, at_least=-1.0, at_most=1.0)
    gamma, rho = _edges_and_targets(edges, target)
    with np.errstate(divide="ignore"):
        factors = 0.5 * (
            xlog1py(1.0 - theta, -gamma)
            - xlog1py(1.0 - theta, -rho)
            + xlog1py(1.0 + theta, gamma)
            - xlog1py(1.0 + theta, rho)
        )
    return np.exp(np.cumsum(np.where(gamma > rho, factors, 0.0)))


def entropy_bound(edges: Any, target: Any = 0.0) -> Array:
    """``exp(-Σ Δ₂(ϱ_t, γ_t))``: the bound for all θ ≤ min ϱ_t (R1-Q22, eq. 2.14, R1-C34).

    For ±1 hypotheses and a constant target it equals the loss that AdaBoost_ϱ minimises (R1-V07),
    and it falls at least as fast as ``exp(-Σ (γ_t - ϱ_t)² / 2)``.

    Parameters
    ----------
    edges : array
        Edges γ_t.
    target : float or array
        Target margin ϱ, one for all rounds or one per round.
    """
    gamma, rho = _edges_and_targets(edges, target)
    decrease = np.where(gamma > rho, binary_relative_entropy(rho, gamma), 0.0)
    return np.exp(-np.cumsum(decrease))


def _edges_and_targets(edges: Any, target: Any) -> tuple[Array, Array]:
    gamma, rho = vector("edges", edges, -1.0, 1.0), _targets(target)
    if rho.size == 1:
        rho = np.full(gamma.shape, rho[0])
    same_length(edges=gamma, target=rho)
    return gamma, rho


def _targets(target: Any) -> Array:
    rho = vector("target", target, -1.0, 1.0)
    if (np.abs(rho) >= 1.0).any():
        raise ValueError("target: got -1 or 1, expected numbers strictly between")
    return rho


def normaliser_bound(normalisers: Any, coef: Any, theta: float = 0.0) -> Array:
    """``(Π Z_t) exp(θ Σ α_t)``: for any nonnegative coefficients (R1-Q22, eq. A.1, R1-C51).

    The most general of the bounds on the fraction of margins at most θ: any step rule, learning
    rate and real-valued hypotheses. At θ = 0 it is the mean exponential loss.

    Parameters
    ----------
    normalisers : array
        Factors Z_t by which the total weight changed.
    coef : array
        Coefficients α_t ≥ 0.
    theta : float
        Margin θ in [-1, 1].
    """
    check_number("theta", theta, at_least=-1.0, at_most=1.0)
    z, alpha = vector("normalisers", normalisers, low=0.0), vector("coef", coef, low=0.0)
    same_length(normalisers=z, coef=alpha)
    with np.errstate(divide="ignore"):
        return np.exp(np.cumsum(np.log(z)) + theta * np.cumsum(alpha))


def binary_relative_entropy(target: Any, edge: Any) -> Array:
    """``Δ₂(ϱ, γ)``, relative entropy of coins with means ϱ and γ (R1-Q23).

    ``(1+ϱ)/2 log((1+ϱ)/(1+γ)) + (1-ϱ)/2 log((1-ϱ)/(1-γ))``: 0 for ϱ = γ, at least ``(ϱ-γ)²/2``
    (R1-C34), infinite where γ = ±1 and ϱ is not. Written as a sum of two nonnegative terms, so the
    value keeps its digits where ϱ and γ are close.

    Parameters
    ----------
    target, edge : float or array
        Means ϱ and γ in [-1, 1].
    """
    rho, gamma = vector("target", target, -1.0, 1.0), vector("edge", edge, -1.0, 1.0)
    rho, gamma = np.broadcast_arrays(rho, gamma)
    value = _divergence(rho - gamma, 1.0 + gamma) + _divergence(gamma - rho, 1.0 - gamma)
    return value if np.ndim(target) or np.ndim(edge) else value[0]


def _divergence(difference: Array, size: Array) -> Array:
    """``½ (p log(p/q) - p + q)`` for ``q = size`` and ``p = size + difference``."""
    with np.errstate(divide="ignore", invalid="ignore"):
        x = difference / size
        far = xlog1py(1.0 + x, x) - x
        near = x**2 * np.polyval(SERIES, x)
        value = 0.5 * size * np.where(np.abs(x) < 1e-2, near, far)
    return np.where(size > 0, value, np.where(difference > 0, np.inf, 0.0))


def asymptotic_margin(edge: Any, target: Any = 0.0) -> Array:
    """Margin that AdaBoost_ϱ reaches in the limit if every edge is at least γ (R1-Q24, eq. 2.11).

    ``m(γ, ϱ) = (log(1-γ²) - log(1-ϱ²)) / (log((1+ϱ)(1-γ)) - log((1-ϱ)(1+γ)))``, between ϱ and γ
    (R1-C30). With the smallest edge of a run in place of γ it is the guarantee of Corollary 2.2; a
    base learner that always returns the largest edge usually gets nearer to γ than that (R1-C31).

    Parameters
    ----------
    edge : float or array
        γ in [ϱ, 1]; for γ = ϱ the value is ϱ, for γ = 1 it is 1.
    target : float or array
        Target margin ϱ in (-1, 1).

    Examples
    --------
    AdaBoost guarantees about half of the edge:

    >>> round(float(asymptotic_margin(0.5)), 7)
    0.2618595
    """
    gamma, rho = np.broadcast_arrays(vector("edge", edge, -1.0, 1.0), _targets(target))
    if (gamma < rho).any():
        at = int(np.argmax(gamma < rho))
        raise ValueError(
            f"edge: got {gamma[at]:g} below the target {rho[at]:g}, expected at least the target"
        )
    with np.errstate(divide="ignore", invalid="ignore"):
        fall = np.log1p((rho - gamma) / (1.0 - rho))
        rise = np.log1p((gamma - rho) / (1.0 + rho))
        value = np.where(gamma < 1.0, (fall + rise) / (fall - rise), 1.0)
    value = np.where(gamma > rho, value, rho)
    return value if np.ndim(edge) or np.ndim(target) else value[0]


def exponential_loss(
    scores: Any,
    y: Any,
    *,
    l1_norm: float = 0.0,
    target: float = 0.0,
    sample_weight: Any = None,
    log: bool = False,
) -> float:
    """Mean of ``exp(ϱ Σα - y F(x))``, the loss of AdaBoost_ϱ over N (R1-Q26, eq. 2.7; LB-Q6).

    Parameters
    ----------
    scores : array
        Unnormalised votes F(x).
    y : array
        Labels, -1 or +1.
    l1_norm : float
        ``Σα``; needed only with a target.
    target : float
        Target margin ϱ.
    sample_weight : array, optional
        Weights of the examples.
    log : bool
        Whether to return the logarithm, which cannot overflow.
    """
    labels, values = signs(y), vector("scores", scores)
    same_length(scores=values, y=labels)
    weights = distribution("sample_weight", sample_weight, len(values))
    total = float(logsumexp(target * l1_norm - labels * values, b=weights))
    return total if log else float(np.exp(total))


@dataclass(frozen=True)
class MarginBound:
    """Bound on the test error from the margins (R1-Q13).

    Attributes
    ----------
    theta : float
        The margin θ it is taken at.
    margin_error : float
        Fraction of training margins at most θ.
    penalty : float
        What complexity, sample size and confidence add.
    """

    theta: float
    margin_error: float
    penalty: float

    @property
    def value(self) -> float:
        """Bound on the error; above 1 it says nothing."""
        return self.margin_error + self.penalty


def margin_bound(
    margins: Any,
    vc_dimension: float,
    *,
    theta: float | None = None,
    delta: float = 0.05,
    constant: float = 1.0,
    sample_weight: Any = None,
) -> MarginBound:
    """Bound on the test error by the margin distribution (R1-Q13, eq. 1.12 with R1-X04).

    ``R ≤ #{ρ_i ≤ θ}/N + c √(ϑ log²(N/ϑ) / (N θ²) + log(1/δ) / N)``, with probability 1 - δ. It
    depends neither on the number of rounds nor on the number of features (R1-C08). The theorem does
    not give the constant, so the number orders models and values of θ; it is not a guarantee.

    Parameters
    ----------
    margins : array
        Training margins.
    vc_dimension : float
        ϑ of the base hypotheses; less than N.
    theta : float, optional
        θ in (0, 1]; None takes the θ that makes the bound smallest.
    delta : float
        Probability δ of failure.
    constant : float
        The constant c.
    sample_weight : array, optional
        Weights of the examples in the margin error.
    """
    check_number("delta", delta, above=0.0, below=1.0)
    check_number("constant", constant, above=0.0)
    curve = margin_distribution(margins, sample_weight)
    n = np.size(margins)
    check_number("vc_dimension", vc_dimension, above=0.0, below=float(n))
    if theta is None:
        thetas = _best_thetas(curve)
    else:
        check_number("theta", theta, above=0.0, at_most=1.0)
        thetas = np.array([theta])
    capacity = vc_dimension * np.log(n / vc_dimension) ** 2 / n
    penalty = constant * np.sqrt(capacity / thetas**2 + np.log(1.0 / delta) / n)
    errors = curve(thetas)
    best = int(np.argmin(errors + penalty))
    return MarginBound(float(thetas[best]), float(errors[best]), float(penalty[best]))


def _best_thetas(curve: MarginDistribution) -> Array:
    """Candidates for the best θ: the penalty falls between jumps, so just before each, and 1."""
    jumps = curve.values[curve.values > 0.0]
    return np.append(np.nextafter(jumps, 0.0), 1.0)
