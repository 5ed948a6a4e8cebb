"""What the bounds of a rule are about, with the numbers that belong to it.

Every objective is a value that is maximised: a margin, or the share of a loss that is saved. The
contract checks choose an independent solver by its type, the command line prints its name.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

PRICE = 0.02
"""Price of Σα in units of the sample's weight, where none is given."""


# Every dataclass takes a millisecond of each import: one that adds no field is none of its own.


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


class Margin(Objective):
    """The smallest margin of all examples."""

    name = "margin"
    nu: ClassVar[float | None] = None


@dataclass(frozen=True)
class SoftMargin(Objective):
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
class MarginDistribution(Objective):
    """The mean margin less D/2 times the variance of the margins.

    Parameters
    ----------
    D : float
        Price of the variance.
    """

    name = "mean margin less variance"

    D: float

    @property
    def signed(self) -> bool:
        """A margin far above the mean is pulled down."""
        return True


@dataclass(frozen=True)
class NegativeMargin(Objective):
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


@dataclass(frozen=True)
class _OfLoss(Objective):
    """A share of a loss that is saved."""

    loss: Any

    @property
    def signed(self) -> bool:
        """So are weights of residuals."""
        return bool(self.loss.orientation == 1)


@dataclass(frozen=True)
class RegularisedLoss(_OfLoss, _Priced):
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
class CentredLoss(_OfLoss, _Priced):
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
