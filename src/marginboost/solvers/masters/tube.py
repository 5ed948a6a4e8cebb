"""Regression programs whose losses are straight outside of a tube (R2-P3, R2-P4, R2-P5).

With p the prior weights, ``F = Σ α h`` and residuals ``r = y - F``, all of them are

    min_{α >= 0}  price Σα + T(r),   T(r) = min over the edges u >= l of a tube of its cost

    tube of given half width ε:   Σ p ([r - u]_+ + [l - r]_+),              u, l = b ± ε  (eq. 5.11)
    ν-trick, ε is found:          the same + ν ε,                           u, l = b ± ε  (eq. 5.12)
    quantile q (pinball):         Σ p (q [r - b]_+ + (1 - q) [b - r]_+),    u = l = b

with a free intercept b. Dual, over signed weights d (eq. 5.33):

    max  Σ y d - ε Σ|d|   s.t.  Σd = 0,  every edge Σ d h(x) <= price,  -p <= d <= p
                                (ν: no ε, but Σ|d| <= ν;  pinball: -(1 - q) p <= d <= q p)

Masters see one nonnegative variable x per row and *side* of the tube, at most p, d = Σ ± x less a
multiple of p, and one equation per tube edge that may move on its own:

    ν:         Σ x⁺ = ν/2 and Σ x⁻ = ν/2     (multipliers u and -l)
    ε given:   Σ x⁺ = Σ x⁻                   (multiplier b)
    quantile:  x = d + (1 - q) p,  Σ x = 1 - q   (multiplier b)

For ν <= 1 the edges of the ν-trick do not cross, so ε >= 0 need not be asked for.
What is proven is computed here from scratch: any combination gives a lower bound by its value, any
balanced weights an upper one.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass

import numpy as np

from ...types import Array
from .problem import MarginProblem

BALANCED = 1e-9
"""Sum of signed weights that is rounding only."""
SLACK = 1e-12
"""Share of all weight by which a sum of weights may miss a share that it should meet."""


@dataclass(frozen=True)
class Tube:
    """Edges of a tube around the scores.

    Parameters
    ----------
    upper, lower : float
        What is added to a score for the upper and the lower edge.
    """

    upper: float
    lower: float

    @property
    def intercept(self) -> float:
        """Middle of the tube, b."""
        return 0.5 * (self.upper + self.lower)

    @property
    def epsilon(self) -> float:
        """Half its width, ε."""
        return 0.5 * (self.upper - self.lower)


def middle_quantile(values: Array, weights: Array, share: float) -> float:
    """Point at which the weight below is ``share`` of all; the middle where there are several.

    >>> middle_quantile(np.array([4.0, 1.0, 2.0, 3.0]), np.ones(4), 0.5)
    2.5
    """
    n = len(values)
    if (weights == weights[0]).all():  # two of the values, without sorting the others
        places = [math.ceil((share - SLACK) * n) - 1, math.floor((share + SLACK) * n)]
        places = [min(max(place, 0), n - 1) for place in places]
        low, high = np.partition(values, places)[places]
    else:
        order = np.argsort(values, kind="stable")
        mass = np.cumsum(weights[order])
        left = np.searchsorted(mass, (share - SLACK) * mass[-1], "left")
        right = np.searchsorted(mass, (share + SLACK) * mass[-1], "right")
        low, high = values[order[np.minimum([left, right], n - 1)]]
    return float(low + 0.5 * (high - low))


def topmost(values: Array, masses: Array, share: float) -> Array:
    """Masses of the largest values, of this sum: all of each but the last.

    >>> topmost(np.array([3.0, 1.0, 2.0]), np.full(3, 0.5), 0.75)
    array([0.5 , 0.  , 0.25])
    """
    order = np.argsort(-values, kind="stable")
    sorted_masses = masses[order]
    taken = np.empty(len(values))
    taken[order] = np.clip(share - (np.cumsum(sorted_masses) - sorted_masses), 0.0, sorted_masses)
    return taken


class TubeProblem(MarginProblem):
    """A regression program, for rule and masters.

    Values are what a combination gains over the best constant: ``T(y) - price Σα - T(y - F)``.

    Parameters
    ----------
    y : array
        Targets, in units in which a gain of 1 is a large one.
    prior : array
        Weights of the examples, with sum one.
    price : float
        Price of Σα, above 0.

    Attributes
    ----------
    signs : array
        Of each side of the tube: which way its rows pull.
    shares : array
        Right sides of the equations.
    equations : array
        One row per equation, one number per side.
    shift : float
        Multiple of the prior that is taken off the sum of all sides.
    width : float
        Half width that is given and paid for: 0 unless ε is fixed.
    """

    worst = 0.0
    price: float
    signs: Array
    shares: Array
    equations: Array
    shift: float = 0.0
    width: float = 0.0

    def __init__(self, y: Array, prior: Array, price: float) -> None:
        self.y, self.caps, self.price = y, prior, price
        self.empty = self.cost(y, self.best_tube(y))

    # -- of a combination ------------------------------------------------------------------------

    @abstractmethod
    def best_tube(self, residuals: Array) -> Tube:
        """Tube of least cost around these residuals."""

    @abstractmethod
    def width_at(self, residuals: Array) -> float:
        """Best half width of a tube whose middle is 0."""

    def cost(self, residuals: Array, tube: Tube) -> float:
        """What a tube costs."""
        return float(self.caps @ self.losses(residuals, tube)) + self.width_cost(tube)

    def losses(self, residuals: Array, tube: Tube) -> Array:
        """What each residual costs, before it is weighed."""
        over: Array = np.maximum(residuals - tube.upper, 0.0)
        under: Array = np.maximum(tube.lower - residuals, 0.0)
        return over + under

    def width_cost(self, tube: Tube) -> float:
        """What the width of a tube costs, where it is free."""
        return 0.0

    def value(self, outcomes: Array, l1_norm: float) -> float:
        """What scores gain, at their best intercept."""
        residuals = self.y - outcomes
        return self._gain(residuals, self.best_tube(residuals), l1_norm)

    def _gain(self, residuals: Array, tube: Tube, l1_norm: float) -> float:
        return self.empty - self.price * l1_norm - self.cost(residuals, tube)

    def level(self, outcomes: Array, l1_norm: float) -> float:
        """Half width of the best tube around scores."""
        return self.best_tube(self.y - outcomes).epsilon

    # -- of weights ------------------------------------------------------------------------------

    @property
    def limits(self) -> tuple[float, float, float]:
        """Largest multiple of p that pulls up, that pulls down, and largest sum of both."""
        return 1.0, 1.0, np.inf

    def upper(self, weights: Array, edge: float) -> float:
        """What signed weights prove: balanced, Σ|d| = 1, with this largest edge.

        They are stretched as far as box, sum and price allow. Weights that are not balanced prove
        no more than that no cost is below 0.
        """
        if abs(float(weights.sum())) > BALANCED:
            return self.empty
        most, least, total = self.limits
        gain = float(self.y @ weights) - self.width
        theta = min(total, self.price / edge if edge > 0.0 else np.inf)
        reach = float((np.maximum(weights / most, -weights / least) / self.caps).max())
        theta = min(theta, 1.0 / reach) if reach > 0.0 else 0.0  # no weights prove nothing
        return self.empty - max(theta * gain, 0.0)

    @abstractmethod
    def constant_weights(self) -> Array:
        """Weights inside of the box that prove the cost of the best constant, but for rounding."""

    def first_weights(self) -> Array:
        """Weights at the best constant, those of rows on its edges shared out."""
        residuals = self.y - self.best_tube(self.y).intercept
        return self.balanced(self.caps * np.sign(residuals))

    def balanced(self, dual: Array) -> Array:
        """Signed weights whose sides weigh one half each: the heavier is made lighter.

        Where one side is empty there is nothing to balance, and all weights are zero.
        """
        up, down = np.maximum(dual, 0.0), np.maximum(-dual, 0.0)
        above, below = float(up.sum()), float(down.sum())
        if not (above > 0.0 and below > 0.0):
            return np.zeros(len(dual))
        return 0.5 * up / above - 0.5 * down / below

    # -- sides, as masters see them --------------------------------------------------------------

    def gains(self) -> Array:
        """What a unit of each variable adds to the dual: one row per side."""
        return self.signs[:, None] * self.y - self.width

    def levels(self, residuals: Array) -> Array:
        """Multipliers of the equations at the best tube around residuals."""
        return np.array([self.best_tube(residuals).intercept])

    def signed(self, sides: Array) -> Array:
        """Signed weights of the variables of all sides."""
        dual: Array = np.einsum("k,ki->i", self.signs, sides)
        return dual - self.shift * self.caps if self.shift else dual

    def entropy(self) -> float:
        """Most that rounding the tube's edges off costs, over the temperature."""
        return 2.0 * _coin(0.5)


def _coin(share: float) -> float:
    """Entropy of a coin."""
    return float(-share * np.log(share) - (1.0 - share) * np.log1p(-share))


class FixedTube(TubeProblem):
    """Tube of given half width; 0 is the absolute loss (eq. 5.11).

    Parameters
    ----------
    y, prior, price
        As of :class:`TubeProblem`.
    epsilon : float
        ε, at least 0.
    """

    signs = np.array([1.0, -1.0])
    shares = np.zeros(1)
    equations = np.array([[1.0, -1.0]])

    def __init__(self, y: Array, prior: Array, price: float, *, epsilon: float) -> None:
        self.width = epsilon
        super().__init__(y, prior, price)

    def best_tube(self, residuals: Array) -> Tube:
        """Around the median of all residuals, moved up and down by ε."""
        both = np.concatenate([residuals - self.width, residuals + self.width])
        middle = middle_quantile(both, np.tile(self.caps, 2), 0.5)
        return Tube(middle + self.width, middle - self.width)

    def width_at(self, residuals: Array) -> float:
        """ε."""
        return self.width

    def constant_weights(self) -> Array:
        """All of p outside of the best tube; a row is inside of one edge or of both."""
        n, both = len(self.y), np.concatenate([self.y - self.width, self.y + self.width])
        above = topmost(both, np.tile(self.caps, 2), float(self.caps.sum()))
        return (above[:n] - self.caps) + above[n:]


class NuTube(TubeProblem):
    """Tube with a price ν on ε, so that about a share ν of the rows is outside (eq. 5.12).

    Parameters
    ----------
    y, prior, price
        As of :class:`TubeProblem`.
    nu : float
        ν in (0, 1].
    """

    signs = np.array([1.0, -1.0])
    equations = np.eye(2)

    def __init__(self, y: Array, prior: Array, price: float, *, nu: float) -> None:
        self.nu = nu
        self.shares = np.full(2, 0.5 * nu)
        super().__init__(y, prior, price)

    def best_tube(self, residuals: Array) -> Tube:
        """From the lower to the upper ν/2-quantile."""
        upper = -middle_quantile(-residuals, self.caps, 0.5 * self.nu)
        return Tube(upper, min(middle_quantile(residuals, self.caps, 0.5 * self.nu), upper))

    def width_at(self, residuals: Array) -> float:
        """Upper ν-quantile of the residuals' sizes."""
        return max(middle_quantile(np.abs(residuals), self.caps, 1.0 - self.nu), 0.0)

    def width_cost(self, tube: Tube) -> float:
        """ν ε."""
        return self.nu * tube.epsilon

    def levels(self, residuals: Array) -> Array:
        """Both edges, the lower one with its sign turned."""
        tube = self.best_tube(residuals)
        return np.array([tube.upper, -tube.lower])

    @property
    def limits(self) -> tuple[float, float, float]:
        """No row above its prior, all together at most ν."""
        return 1.0, 1.0, self.nu

    def first_weights(self) -> Array:
        """Weights of the rows outside of the first tube; those on its edges make up the rest."""
        tube, half = self.best_tube(self.y), 0.5 * self.nu
        up = _outermost(self.y - tube.upper, self.caps, half)
        return self.balanced(up - _outermost(tube.lower - self.y, self.caps, half))

    def constant_weights(self) -> Array:
        """Rows of weight ν/2 at either end."""
        half = 0.5 * self.nu
        return topmost(self.y, self.caps, half) - topmost(-self.y, self.caps, half)

    def entropy(self) -> float:
        """Both sides weigh ν/2."""
        return 2.0 * _coin(0.5 * self.nu)


def _outermost(excess: Array, caps: Array, share: float) -> Array:
    """Weights of sum ``share`` on the rows of largest excess: all of p where it is above 0."""
    inside, edge = excess > 0.0, excess == 0.0
    left = share - float(caps[inside].sum())
    weights = np.where(inside, caps, 0.0)
    on_edge = float(caps[edge].sum())
    if on_edge > 0.0:
        weights[edge] = caps[edge] * min(max(left / on_edge, 0.0), 1.0)
    return weights


class QuantileTube(TubeProblem):
    """The pinball loss, whose best constant is a quantile (Koenker & Bassett 1978).

    Parameters
    ----------
    y, prior, price
        As of :class:`TubeProblem`.
    quantile : float
        q in (0, 1).
    """

    signs = np.ones(1)
    equations = np.ones((1, 1))

    def __init__(self, y: Array, prior: Array, price: float, *, quantile: float) -> None:
        self.quantile = quantile
        self.shift = 1.0 - quantile
        self.shares = np.array([1.0 - quantile])
        super().__init__(y, prior, price)

    def best_tube(self, residuals: Array) -> Tube:
        """The quantile, without width."""
        middle = middle_quantile(residuals, self.caps, self.quantile)
        return Tube(middle, middle)

    def width_at(self, residuals: Array) -> float:
        """None."""
        return 0.0

    def losses(self, residuals: Array, tube: Tube) -> Array:
        """Pinball losses."""
        off = residuals - tube.upper
        losses: Array = np.maximum(self.quantile * off, (self.quantile - 1.0) * off)
        return losses

    def constant_weights(self) -> Array:
        """``q p`` above the quantile, ``-(1 - q) p`` below."""
        return topmost(self.y, self.caps, self.shift) - self.shift * self.caps

    @property
    def limits(self) -> tuple[float, float, float]:
        """``q p`` and ``(1 - q) p``."""
        return self.quantile, 1.0 - self.quantile, np.inf

    def first_weights(self) -> Array:
        """Slopes of the pinball at the quantile; rows on it make up the balance."""
        off = self.y - self.best_tube(self.y).intercept
        slope = np.where(off > 0.0, self.quantile, self.quantile - 1.0)
        weights, on = self.caps * np.where(off == 0.0, 0.0, slope), off == 0.0
        if on.any():
            weights[on] = -float(weights.sum()) * self.caps[on] / float(self.caps[on].sum())
        return self.balanced(weights)

    def entropy(self) -> float:
        """One side of weight 1 - q."""
        return _coin(self.quantile)
