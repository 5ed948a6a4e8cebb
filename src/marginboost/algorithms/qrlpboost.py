"""QRLPBoost: the soft-margin linear program with a quadratic term that keeps weights calm.

Problem: the largest soft margin, as in LPBoost (prior weights p, ν in (0, 1]),

    max_{α, ρ, ξ}  ρ - (1/ν) Σ_i p_i ξ_i   s.t.  y_i F(x_i) >= ρ - ξ_i,  Σα = 1,  α, ξ >= 0.

It is ERLPBoost with the relative entropy taken to second order around the prior. Every round
minimises, over the hypotheses found so far, the largest edge plus a little of a χ² divergence,

    min_d  max_t Σ_i d_i y_i h_t(x_i) + Σ_i (d_i - p_i)² / (2 η p_i)
    s.t.   Σ d = 1,  0 <= d_i <= p_i / ν,

a quadratic program, with η = max((1/ν - 1) / ε, 1/2), where ε is the accuracy asked for. Unlike
ERLPBoost's, its weights may be zero: rows of large margins are left out of a round altogether.

Certificate: the largest edge under d above, the soft margin of α below, in every round.
Rate: the bounds are within ε after ⌈max(16 (1/ν - 1) / ε², 8 / ε)⌉ rounds. ERLPBoost's proof uses
of its divergence that it exceeds half of the squared ℓ1 distance, which the χ² divergence does too,
and the largest value of it, here (1/ν - 1) / 2 in place of ln(1/ν). (The paper has no bound; its
program takes η = max(2 ln(N) / ε, 1/2).)

Reference: Akkerman, Ferry, Artigues, Hebrard & Vidal, *Boosting revisited: benchmarking and
advancing LP-based ensemble methods*, 2025.
"""

from __future__ import annotations

import math
from typing import ClassVar

from ..core.sample import Sample
from ..estimators.classifier import document
from ..fitting.algorithm import Algorithm
from ..solvers.entropy_projection import Divergence
from ..solvers.quadratic_divergence import CappedQuadratic
from ._totally_corrective import SoftMarginClassifier
from .erlpboost import ERLPBoost


class QRLPBoost(ERLPBoost):
    """Least largest edge, regularised by the χ² divergence.

    Parameters
    ----------
    nu : float
        Share of weight that may fall short, in (0, 1].
    accuracy : float
        ε, in (0, 1): how far below the best soft margin that of the model may be.
    """

    def __init__(self, nu: float = 0.3, accuracy: float = 0.02) -> None:
        super().__init__(nu, accuracy)
        self.eta = max((1.0 / nu - 1.0) / accuracy, 0.5)

    def _make_divergence(self, sample: Sample) -> Divergence:
        assert self.nu is not None
        return CappedQuadratic(sample.prior, self.nu)


def rounds_needed(nu: float, accuracy: float) -> int:
    """Rounds after which the bounds on the soft margin are within the accuracy.

    >>> rounds_needed(0.1, 0.1)
    14400
    """
    return math.ceil(max(16.0 * (1.0 / nu - 1.0) / accuracy**2, 8.0 / accuracy))


@document
class QRLPBoostClassifier(SoftMarginClassifier):
    """Soft-margin boosting with quadratically regularised weights, a certificate and a bound.

    Solves the problem of :class:`~marginboost.LPBoostClassifier`. Its weights change gently from
    round to round, as those of :class:`~marginboost.ERLPBoostClassifier`, and rows of large margins
    have none.

    Parameters
    ----------
    estimator : Oracle, scikit-learn estimator or None
        Base learner; None is the exact stump, with which the bounds are proven.
    n_estimators : int or None
        Most rounds; None is the number that the guarantee needs, 16 (1/ν - 1) / accuracy². The run
        normally ends much earlier, when the gap is closed.
    nu : float
        Share of the rows that may fall short of the margin, from 1/N to 1: no row weighs more than
        1 / (ν N). Choose it above the share of wrong labels.
    accuracy : float
        How far below the best soft margin that of the model may be, in (0, 1).
    tol : float or None
        Gap at which to stop; None stops at ``accuracy``.
    {common}

    Attributes
    ----------
    rho_ : float
        The margin ρ that all rows without slack attain.
    {fitted}

    References
    ----------
    Akkerman, Ferry, Artigues, Hebrard and Vidal, *Boosting revisited: benchmarking and advancing
    LP-based ensemble methods*, 2025.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from marginboost import QRLPBoostClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = QRLPBoostClassifier(nu=0.3).fit(X, y)
    >>> bool(model.certificate_.gap <= 0.02)
    True
    """

    __summary__: ClassVar[dict[str, str]] = {
        "problem": "largest soft margin, weights kept near the prior by a quadratic term",
        "guarantee": "soft margin ≥ best − ε in max(16 (1/ν − 1) / ε², 8/ε) rounds; gap certified",
        "reference": "Akkerman, Ferry, Artigues, Hebrard & Vidal 2025",
    }

    def _algorithm(self) -> Algorithm:
        """Make the algorithm that the parameters mean."""
        return self._totally_corrective(
            lambda problem, chosen: QRLPBoost(self.nu, self.accuracy),
            lambda sample: rounds_needed(self.nu, self.accuracy),
        )
