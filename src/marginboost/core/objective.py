"""What the bounds of a rule are about, with the numbers that belong to it.

Every objective is a value that is maximised: a margin, or the share of a loss that is saved. The
contract checks choose an independent solver by its type, the command line prints its name.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from ..kernels.ties import TIE

EPSILON = 2.0**-52
"""Distance of floats next to 1."""
PRICE = 0.02
"""Price of Σα in units of the sample's weight, where none is given."""


# Every dataclass takes a millisecond of each import: one that adds no field is none of its own.


@dataclass(frozen=True)
class Rounding:
    """How far what a run computes may be from what it means, for :meth:`Objective.outward`.

    With u = 2⁻⁵³ half the distance of floats next to 1, N rows, T hypotheses, weights of sum one
    and outputs in [-1, 1]:

    - N terms whose sizes add up to one are summed, in any order, with an error of at most N u
      (Higham, *Accuracy and Stability of Numerical Algorithms*, 2002, eq. 4.4), and each of them
      was rounded by at most 3 u of its size: prior weight, weight, product. So an edge and the sum
      that weights were divided by are each wrong by (N + 3) u at most, and so is a mean of margins.
    - Scores are sums of T terms, and so is Σα: margins are wrong by 2 (T + 3) u at most.
    - Sums of weights that are within 1e-13 of one are not divided by, and histograms are kept up to
      date to 1e-13. Edges closer than TIE are the same to a search: it settles two ties, and each
      of the three sides of a stump may have a sign of its own, which is worth twice its sum. So the
      largest edge may exceed the one found by 8 TIE; with the above, by less than 9 TIE.

    Four times u of each, since bounds are made of two such numbers.

    Attributes
    ----------
    n_rows, n_members : int
        N and T.
    total : float
        Weight of the sample before it was divided by.
    """

    n_rows: int
    n_members: int
    total: float

    @property
    def values(self) -> float:
        """Error of a margin, or of a mean of them."""
        return 4.0 * EPSILON * (self.n_rows + self.n_members + 3)

    @property
    def edges(self) -> float:
        """Error of the largest edge under weights of sum one."""
        return 9.0 * TIE + self.values


@dataclass(frozen=True)
class Objective:
    """A value that a rule maximises.

    Attributes
    ----------
    name : str
        As people read it.
    moves : bool
        Whether bounds are about the present Σα, so that they are made anew when it changes.
    """

    name: ClassVar[str]
    moves: ClassVar[bool] = False

    @property
    def signed(self) -> bool:
        """Whether the weights of a label may pull either way."""
        return False

    def outward(self, lower: float, upper: float, rounding: Rounding) -> tuple[float, float]:
        """Bounds moved apart, so that they hold without rounding too.

        Here they stay as they are: a rule rounds its own bounds where an error of an edge makes one
        of another size in the bound.
        """
        return lower, upper


class _OfMeans(Objective):
    """A value made of mean margins, with an edge in its bound."""

    @property
    def size(self) -> float:
        """Size of the numbers that are added up, beyond that of the bounds."""
        return 1.0

    def outward(self, lower: float, upper: float, rounding: Rounding) -> tuple[float, float]:
        """An error of an edge, or of a margin, is one of the bound, in proportion to its size."""
        below = rounding.values * max(self.size, abs(lower))
        return lower - below, upper + rounding.edges * max(self.size, abs(upper))


class _OfMargins(Objective):
    """A value between the least and the largest margin."""

    def outward(self, lower: float, upper: float, rounding: Rounding) -> tuple[float, float]:
        """Edges bound it, and margins have it, one for one; no margin is beyond 1."""
        return max(lower - rounding.values, -1.0), min(upper + rounding.edges, 1.0)


class Margin(_OfMargins):
    """The smallest margin of all examples."""

    name = "margin"
    nu: ClassVar[float | None] = None


@dataclass(frozen=True)
class SoftMargin(_OfMargins):
    """The margin ρ less the mean shortfall over ν: the ν-LP.

    Parameters
    ----------
    nu : float
        Share of weight that may fall short, in (0, 1].
    """

    name = "soft margin"

    nu: float


def margin_objective(nu: float | None) -> Margin | SoftMargin:
    """Soft margin with share ν; the hard one where there is none.

    >>> margin_objective(0.3), margin_objective(None).name
    (SoftMargin(nu=0.3), 'margin')
    """
    return Margin() if nu is None else SoftMargin(nu)


@dataclass(frozen=True)
class MarginDistribution(_OfMeans):
    """The mean margin less D/2 times the variance of the margins.

    Parameters
    ----------
    D : float
        Price of the variance.
    """

    name = "mean margin less variance"

    D: float

    def outward(self, lower: float, upper: float, rounding: Rounding) -> tuple[float, float]:
        """A variance V is wrong by 4 errors of a margin times √V, and 4 times their square."""
        below, above = super().outward(lower, upper, rounding)
        error = rounding.values
        deviation = math.sqrt(2.0 * max(1.0 - lower, 0.0) / self.D)  # no mean is above 1
        return below - 2.0 * self.D * error * (deviation + error), above

    @property
    def signed(self) -> bool:
        """A margin far above the mean is pulled down."""
        return True


@dataclass(frozen=True)
class NegativeMargin(_OfMeans):
    """C times the mean margin less the mean shortfall from a target margin.

    Parameters
    ----------
    C : float
        What the mean margin is worth.
    target_margin : float
        From where margins fall short.
    """

    name = "mean margin less shortfalls"

    C: float
    target_margin: float

    @property
    def size(self) -> float:
        """Weights are up to 1 + C, and the mean margin may be next to 0."""
        return 1.0 + self.C


@dataclass(frozen=True)
class SquaredNorm(Objective):
    """``1 - P / P(0)`` with ``P = ½ Σα² + C Σ hinge``.

    Parameters
    ----------
    C : float
        Price of a shortfall.
    """

    name = "margin at a squared norm"

    C: float


@dataclass(frozen=True)
class _Priced(Objective):
    """A sum of losses with a price on Σα; None is a fiftieth of the sample's weight."""

    C: float | None

    def price(self, total: float) -> float:
        """Price for a sample of this weight."""
        return PRICE * total if self.C is None else self.C


class PricedMargin(_Priced):
    """``1 - P / P(0)`` with ``P = C Σα + Σ hinge``: the C-form of the soft margin.

    Parameters
    ----------
    C : float or None
        Price of Σα.
    """

    name = "priced margin"

    def outward(self, lower: float, upper: float, rounding: Rounding) -> tuple[float, float]:
        """An upper bound is 1 - θ, and θ at most the price over an edge, which may be larger.

        Scores are wrong in proportion to Σα, which costs no more than what a value is short of 1.
        The empty combination has the value 0, and none has more than 1.
        """
        price = max(self.price(rounding.total) / rounding.total, 1e-300)
        below = rounding.values * (2.0 + (1.0 - lower) / price)
        theta = max(1.0 - upper, 0.0)
        theta /= 1.0 + rounding.edges * (1.0 + theta / price)
        return max(lower - below, 0.0), min(1.0 - theta + rounding.values, 1.0)


@dataclass(frozen=True)
class _OfLoss(Objective):
    """A share of a loss that is saved."""

    loss: Any

    def outward(self, lower: float, upper: float, rounding: Rounding) -> tuple[float, float]:
        """An error of an edge is one of the bound; nothing saves more than all."""
        return lower, min(upper + rounding.edges, max(upper, 1.0))

    @property
    def signed(self) -> bool:
        """So are weights of residuals."""
        return bool(self.loss.orientation == 1)


class _PricedLoss(_OfLoss, _Priced):
    """A share of a loss with a price on Σα."""

    def outward(self, lower: float, upper: float, rounding: Rounding) -> tuple[float, float]:
        """As they are: their rules count rounding against them (solvers/rounding.py)."""
        return lower, upper


@dataclass(frozen=True)
class RegularisedLoss(_PricedLoss):
    """``1 - P / P(0)`` with ``P = C Σα + Σ loss``.

    Parameters
    ----------
    C : float or None
        Price of Σα.
    loss : Loss
        Any.
    """

    name = "regularised loss"


class TrainingLoss(_OfLoss):
    """Share of the best constant's loss that is saved, by any scores.

    Parameters
    ----------
    loss : Loss
        Any.
    """

    name = "training loss"


class LossWithinNorm(_OfLoss):
    """Share of the empty model's loss that is saved, by combinations of at most the present Σα.

    Parameters
    ----------
    loss : Loss
        Any.
    """

    name = "loss within an l1 norm"
    moves = True


class SquaredLoss(_OfLoss):
    """Share of the empty model's squared loss that is saved, by any combination.

    Parameters
    ----------
    loss : Loss
        The squared one.
    """

    name = "squared loss"


class RankingQuality(Objective):
    """Mean NDCG of queries: how well scores order the rows of each, 1 being perfect."""

    name = "NDCG"

    @property
    def signed(self) -> bool:
        """A row may be too high or too low."""
        return True


@dataclass(frozen=True)
class TubeGain(Objective):
    """What is gained over the best constant: straight losses outside of a tube, a price on Σα.

    With ``P = price Σα + Σ p cost``, at the best intercept and, where ν is given, the best tube,
    the value is ``P(0) - P`` in units of the targets' spread.

    Parameters
    ----------
    price : float
        Price of Σα against the mean cost.
    epsilon, nu, quantile : float or None
        One of them: half width of the tube, share of rows outside of it, or the quantile aimed at.
    """

    name = "regression gain"

    price: float
    epsilon: float | None = None
    nu: float | None = None
    quantile: float | None = None

    @property
    def signed(self) -> bool:
        """So are weights of residuals."""
        return True


class TubeShare(TubeGain):
    """The same as share of the best constant's cost, ``1 - P / P(0)``."""

    name = "share of regression cost saved"


@dataclass(frozen=True)
class CentredLoss(_PricedLoss):
    """``1 - P / P(0)`` with ``P = C Σα + Σ loss``, both at their best intercepts.

    Targets are in units of their spread.

    Parameters
    ----------
    C : float or None
        Price of Σα.
    loss : Loss
        Of residuals.
    """

    name = "regularised loss with an intercept"
