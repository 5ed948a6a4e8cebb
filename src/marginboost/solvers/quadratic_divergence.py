"""Quadratic distances of weights from the prior, in the place of the relative entropy.

To second order around the prior p, the relative entropy of weights of sum one is half of Pearson's
χ² divergence,

    Δ(d, p) = ½ Σ_i (d_i - p_i)² / p_i,

and like the entropy it is at least half of the squared ℓ1 distance (Cauchy-Schwarz). Its weights
are linear in the outcomes m where no limit binds. With ψ(m) = min_d Δ(d, p) + d·m, over weights

    Σ d = 1, 0 <= d <= p / ν:           d = p clip(1 + τ - m, 0, 1/ν)              (QRLPBoost)
    Σ d = 1, of either sign:            d = p (1 + mean(m) - m),
                                        ψ = mean(m) - ½ variance(m)                (MDBoost)

where mean and variance are those under p.
"""

from __future__ import annotations

import math

import numpy as np

from ..types import Array
from .entropy_projection import Weighing

SEARCH_STEPS = 600
"""Most steps to the threshold; halving ends before, where no number is left between the ends."""


class CappedQuadratic:
    """χ² divergence of capped weights of sum one.

    Parameters
    ----------
    prior : array
        Weights p of the examples, with sum one.
    nu : float
        Weights are capped by p / ν.

    Attributes
    ----------
    largest : float
        The largest divergence of capped weights: a share ν of the prior has all of the weight.
    """

    def __init__(self, prior: Array, nu: float) -> None:
        self._prior = prior
        self._most = 1.0 / nu
        self.largest = 0.5 * (self._most - 1.0)

    def weigh(self, outcomes: Array, guess: float = -math.inf) -> Weighing:
        """Weights for outcomes m."""
        threshold, ratios, free = self._threshold(outcomes, guess)
        weights = self._prior * ratios
        loose = float(weights[free].sum())
        if loose > 0.0:  # what rounding has lost
            weights[free] *= max(1.0 + loose - float(weights.sum()), 0.0) / loose
        distance = 0.5 * float(self._prior @ (ratios - 1.0) ** 2)
        value = distance + float(weights @ outcomes)
        return Weighing(weights, np.where(free, self._prior, 0.0), value, threshold)

    def _threshold(self, outcomes: Array, guess: float) -> tuple[float, Array, Array]:
        """Root τ of Σ p clip(1 + τ - m, 0, 1/ν) = 1, with the clipped ratios and the free rows.

        Newton's method between two ends that close in, every third step by halves so that they do;
        where the sides of the rows no longer change it has solved a linear equation.
        """
        low, high = float(outcomes.min()), float(outcomes.max())
        threshold, before = min(max(guess, low), high), None
        for count in range(SEARCH_STEPS):
            ratios = 1.0 + threshold - outcomes
            sides = (ratios > 0.0).astype(np.int8) + (ratios >= self._most)
            ratios, free = np.clip(ratios, 0.0, self._most), sides == 1
            off, slope = 1.0 - float(self._prior @ ratios), float(self._prior[free].sum())
            if off == 0.0 or (before is not None and (sides == before).all()):
                break
            low, high = (threshold, high) if off > 0.0 else (low, threshold)
            step = threshold + off / slope if slope > 0.0 else math.inf
            inside = low < step < high and count % 3 < 2
            following = step if inside else 0.5 * (low + high)
            if following == threshold:
                break
            threshold, before = following, sides if inside else None
        return threshold, ratios, free


class FreeQuadratic:
    """χ² divergence of weights of sum one and either sign: mean less half of the variance.

    Parameters
    ----------
    prior : array
        Weights p of the examples, with sum one.
    """

    largest = math.inf

    def __init__(self, prior: Array) -> None:
        self._prior = prior

    def weigh(self, outcomes: Array, guess: float = -math.inf) -> Weighing:
        """Weights for outcomes m."""
        mean = float(self._prior @ outcomes)
        off = outcomes - mean
        value = mean - 0.5 * float(self._prior @ off**2)
        return Weighing(self._prior * (1.0 - off), self._prior, value, mean)
