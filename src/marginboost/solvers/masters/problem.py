"""The two soft-margin programs, seen from a combination and from weights (R2-A3, R2-A4).

Both maximise, with ``F = Σ α h``,

    ρ - price Σα - Σ_i cap_i [ρ - y_i F(x_i)]_+                                     (eq. 4.12, 4.17)

:class:`SoftMargin`, the ν-LP:   Σα = 1, ρ free, no price, cap_i = prior_i / ν;
:class:`PricedMargin`, the C-form:   α free, ρ = 1, price C / total, cap_i = prior_i.

Their masters maximise over α; what is proven about a solution is computed here from scratch: any
combination gives a lower bound by its value, any capped weights an upper bound by their largest
edge. So a bound never depends on how well a master did.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from ...kernels.exact import exact_sum, grid, rounded
from ...types import Array


def soft_margin(margins: Array, prior: Array, nu: float | None) -> tuple[float, float]:
    """Value of the soft margin, and the ρ that attains it (eq. 4.14).

        max_ρ  ρ - (1/ν) Σ_i prior_i [ρ - ρ_i]_+

    The best ρ is the ν-quantile of the margins, so no search is needed. With ν = None no example
    may be bought off, and the value is the smallest margin. Sums are exact: the order of the
    examples makes no difference.

    Parameters
    ----------
    margins : array
        Margins ρ_i.
    prior : array
        Weights of the examples, with sum one.
    nu : float or None
        Share of weight that may fall short of ρ, in (0, 1]; None for the hard margin.

    Examples
    --------
    With a fifth of the weight to spare, the one bad margin costs its distance to the second:

    >>> value, rho = soft_margin(np.array([-0.5, 0.1, 0.2, 0.3, 0.4]), np.full(5, 0.2), 0.4)
    >>> round(value, 12), rho
    (-0.2, 0.1)
    """
    if nu is None:
        smallest = float(margins.min())
        return smallest, smallest
    if (prior == prior[0]).all():  # the k-th smallest, without sorting the others
        k = rank(nu, len(margins)) - 1
        rho = float(np.partition(margins, k)[k])
    else:
        order = np.argsort(margins, kind="stable")
        below = np.cumsum(grid(prior[order]))
        position = int(np.searchsorted(below, least_share(nu), side="left"))
        rho = float(margins[order[min(position, len(order) - 1)]])
    return rho - rounded(sum_shortfalls(margins, prior, rho)) / nu, rho


def least_share(nu: float) -> float:
    """Weight that the margins up to the quantile have; less than ν by a rounding error's size.

    So that ν N is met exactly where it is an integer.
    """
    return nu * (1.0 - 1e-12)


def rank(nu: float, n_rows: int) -> int:
    """Which of so many equally heavy margins, in order, is the ν-quantile; the first is 1."""
    return min(int(np.ceil(least_share(nu) * n_rows)), n_rows)


def sum_shortfalls(margins: Array, weights: Array, rho: float) -> int:
    """Exact sum of ``weights [ρ - margins]_+``."""
    return exact_sum(weights * np.maximum(rho - margins, 0.0))


def caps(prior: Array, nu: float | None) -> Array:
    """Largest weight of each example in the dual: ``prior / ν``, or 1 for the hard margin."""
    return np.ones(len(prior)) if nu is None else prior / nu


def check_share(nu: float | None, prior: Array, lightest: float | None = None) -> None:
    """Raise unless ν is None or at least the share of the lightest row: below, no cap can bind.

    ``lightest`` is that share, where the prior is that of some rows only.
    """
    lightest = float(prior.min()) if lightest is None else lightest
    if nu is not None and nu < lightest * (1.0 - 1e-12):
        raise ValueError(
            f"nu: got {nu!r}, expected at least {lightest:.6g}, the share of the lightest row "
            "(1/N where all weigh the same): below it no row may fall short, which is the hard "
            "margin (LPBoostClassifier(nu=None), TotalBoostClassifier)"
        )


class MarginProblem(ABC):
    """What rule and masters must know of a soft-margin program.

    Attributes
    ----------
    caps : array
        Largest weight of each example in the dual.
    price : float or None
        Price of Σα in the objective, and the largest edge that the dual allows; None where Σα = 1
        and the largest edge is what the dual minimises.
    worst : float
        A value that some combination always has.
    """

    caps: Array
    price: float | None
    worst: float

    @abstractmethod
    def value(self, outcomes: Array, l1_norm: float) -> float:
        """Objective of a combination, from ``y F(x)`` and Σα."""

    @abstractmethod
    def level(self, outcomes: Array, l1_norm: float) -> float:
        """Margin ρ that a combination asks of its examples, with Σα normalised to one."""

    @abstractmethod
    def upper(self, weights: Array, edge: float) -> float:
        """Upper bound from capped weights of sum one whose largest edge is ``edge``."""


class CappedProblem(MarginProblem):
    """A program of margins, whose bounds are about single weights: the largest share of a cap."""

    @abstractmethod
    def bound(self, largest: float, edge: float) -> float:
        """Upper bound from weights of sum one, at most so many times their caps, and their edge."""

    def upper(self, weights: Array, edge: float) -> float:
        """What weights of sum one prove whose largest edge is ``edge``."""
        return self.bound(float(np.max(weights / self.caps)), edge)


class SoftMargin(CappedProblem):
    """The ν-LP (eq. 4.12, dual A.9); without ν the margin-LP (eq. 2.3).

    Parameters
    ----------
    prior : array
        Weights of the examples, with sum one.
    nu : float or None
        Share of weight that may fall short, at most 1, and no less than the lightest example has:
        below that no cap could ever bind. None is the hard margin.
    lightest : float, optional
        Weight of the lightest of all examples, where these are some of them.
    """

    price = None
    worst = -1.0

    def __init__(self, prior: Array, nu: float | None, lightest: float | None = None) -> None:
        check_share(nu, prior, lightest)
        self.prior, self.nu = prior, nu
        self.caps = caps(prior, nu)

    def value(self, outcomes: Array, l1_norm: float) -> float:
        """Soft margin of the normalised combination."""
        return soft_margin(outcomes / (l1_norm or 1.0), self.prior, self.nu)[0]

    def level(self, outcomes: Array, l1_norm: float) -> float:
        """The ν-quantile of the margins."""
        return soft_margin(outcomes / (l1_norm or 1.0), self.prior, self.nu)[1]

    def bound(self, largest: float, edge: float) -> float:
        """The edge itself; more where rounding has left a weight above its cap.

        Weights d with ``d <= t cap`` can be brought under their caps by moving a share 1 - 1/t of
        them elsewhere, which adds at most so much to the edge of ``d / t``.
        """
        excess = max(largest, 1.0)
        return (edge + excess - 1.0) / excess


class PricedMargin(CappedProblem):
    """The C-form (eq. 4.17), as what a model gains over saying nothing.

        value = 1 - (C Σα + Σ_i w_i [1 - y_i F(x_i)]_+) / Σw,   w the weights of the examples

    The empty combination has value 0. The dual is to maximise Σd over ``0 <= d <= prior`` such that
    no edge exceeds ``price``; weights d of sum one prove ``value <= 1 - θ`` for every θ with
    ``θ d <= prior`` and ``θ edge <= price``.

    Parameters
    ----------
    prior : array
        Weights of the examples, with sum one.
    price : float
        ``C / Σw``, above 0.
    """

    price: float
    worst = 0.0

    def __init__(self, prior: Array, price: float) -> None:
        self.caps, self.price = prior, price

    def value(self, outcomes: Array, l1_norm: float) -> float:
        """What the combination gains."""
        return self.gain(l1_norm, sum_shortfalls(outcomes, self.caps, 1.0))

    def gain(self, l1_norm: float, shortfall: int) -> float:
        """The same, from the exact sum of ``prior [1 - y F]_+``."""
        return 1.0 - self.price * l1_norm - rounded(shortfall)

    def level(self, outcomes: Array, l1_norm: float) -> float:
        """``1 / Σα``: the demand ``y F >= 1``, normalised; infinite for the empty combination."""
        return 1.0 / l1_norm if l1_norm > 0.0 else np.inf

    def bound(self, largest: float, edge: float) -> float:
        """One minus the largest θ that box and price allow."""
        # θ <= prior_i / d_i, written so that a weight of zero asks for nothing.
        theta = 1.0 / largest
        return 1.0 - (min(theta, self.price / edge) if edge > 0.0 else theta)
