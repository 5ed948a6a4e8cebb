"""MDBoost: the largest mean margin, less a price on the variance of the margins.

Problem, with prior weights p (1/N without sample_weight) and a price D > 0:

    max_α  mean(m) - (D/2) variance(m)   s.t.  m_i = y_i F(x_i),  Σα = 1,  α >= 0,

mean and variance under p; a quadratic program that looks at the whole distribution of margins where
LPBoost looks at its lower end. The dual is

    min_d  max_h Σ_i d_i y_i h(x_i)  +  (1 / 2D) Σ_i (d_i - p_i)² / p_i   s.t.  Σ d = 1,

over weights of either sign: d_i = p_i (1 - D (m_i - mean)), so that a row whose margin exceeds the
mean by more than 1/D pulls the other way. It is QRLPBoost's problem without the limits on weights.
A round solves it over the hypotheses found so far, then asks for the best one under d.

Certificate: with any weights of sum one, the dual's value above; the value of α below.
Rate: a round is no worse than a step of the Frank-Wolfe method on a function of curvature at most
4 D, so that the bounds are within ε after about 27 D / ε rounds (Jaggi 2013, theorem 2). Over
finitely many hypotheses it ends with the exact solution.

Shen and Li divide the variance by N - 1 and write D for Σα, so their margins are not normalised:
their problem is this one with the price D N / (N - 1).

References: Shen & Li, *Boosting through optimization of margin distributions*, 2010; Jaggi,
*Revisiting Frank-Wolfe*, 2013.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from ..core.objective import MarginDistribution
from ..core.sample import Sample
from ..core.state import State
from ..core.stop import Stop
from ..estimators.classifier import BaseMarginClassifier, document
from ..fitting.algorithm import Algorithm
from ..model import VoteLink
from ..solvers.entropy_projection import Divergence
from ..solvers.quadratic_divergence import FreeQuadratic
from ..solvers.rounding import EDGES, ROUNDING, total
from ..types import Array
from ..validation import Constraints, Number
from ._totally_corrective import TotallyCorrective

LARGEST_D = 1e12
"""Beyond, rounding of margins moves values and weights by more than any gap worth asking for."""


class MDBoost(TotallyCorrective):
    """Totally corrective maximisation of mean margin less variance.

    Parameters
    ----------
    D : float
        Twice the price of the variance.
    """

    def __init__(self, D: float = 10.0) -> None:
        super().__init__(None, 0.0)
        self.D = D
        self._scale = 1.0

    @property
    def objective(self) -> MarginDistribution:
        """Mean margin less variance."""
        return MarginDistribution(self.D)

    def _make_divergence(self, sample: Sample) -> Divergence:
        return FreeQuadratic(sample.prior)

    def value_of(self, outcomes: Array, l1_norm: float, sample: Sample) -> float:
        """Mean margin less variance of any combination."""
        margins = outcomes / (l1_norm or 1.0)
        mean = float(sample.prior @ margins)
        return mean - 0.5 * self.D * float(sample.prior @ (margins - mean) ** 2)

    def upper(self, state: State, edge: float) -> float:
        """Value of the dual: largest edge, and distance of the weights from the prior.

        Weights of a large D are differences of large numbers. What their sum misses one by moves
        the bound by no more than that, and errors of edges are larger by the sum of their sizes.
        """
        prior, signed = state.sample.prior, self._scale * state.sample.y * state.dual
        off = signed - prior
        distance = 0.5 * float((off**2 / prior).sum())
        skew = abs(total(signed) - 1.0)
        edge, scale = max(edge, self._largest_edge), self._scale
        rounding = (EDGES + 2 * len(prior) * ROUNDING) * scale
        return scale * edge + distance / self.D + skew + rounding

    def _correct(self, state: State, n_new: int) -> Stop | None:
        """Solve the program; without a new hypothesis it is solved for all of them."""
        if not n_new:
            return Stop.NO_EDGE
        if state.size == n_new:
            self._multipliers[0] = self.D
        self._multipliers = self._solver.regularise(self._multipliers, self.D)
        return None

    def _reweigh(self, state: State) -> None:
        """Weights of either sign, divided by the sum of their sizes."""
        weights = self._solver.weights(self._multipliers)
        self._scale = float(np.abs(weights).sum())
        state.dual[:] = state.sample.y * weights / self._scale
        self._largest_edge = float(self._pool.edges(state.dual).max())


@document
class MDBoostClassifier(BaseMarginClassifier):
    """Boosting of the margin distribution: a large mean, a small variance, with a certificate.

    Parameters
    ----------
    estimator : Oracle, scikit-learn estimator or None
        Base learner; None is the exact stump, with which the bounds are proven.
    n_estimators : int
        Most rounds; the run normally ends earlier, when the gap is closed.
    D : float
        Twice the price of the variance, in (0, 1e12]: the value is the mean margin less D/2 times
        the variance. The larger, the more alike the margins; the smaller, the nearer to the one
        hypothesis of least error. Shen and Li try 2 to 120.
    tol : float or None
        Gap at which to stop.
    {common}

    Attributes
    ----------
    {fitted}

    Notes
    -----
    The bounds of ``certificate_`` are on the mean margin less variance. Weights ``dual_`` may pull
    a row either way.

    References
    ----------
    Shen and Li, *Boosting through optimization of margin distributions*, 2010.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from marginboost import MDBoostClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = MDBoostClassifier().fit(X, y)
    >>> bool(model.certificate_.gap <= 1e-3)
    True
    >>> value = model.margins_.mean() - 5.0 * model.margins_.var()
    >>> bool(abs(model.certificate_.value - value) < 1e-9)
    True
    """

    summary: ClassVar[dict[str, str]] = {
        "problem": "largest mean margin less D/2 times the variance of the margins",
        "guarantee": "solved to a certified gap, within ε in about 27 D / ε rounds",
        "reference": "Shen & Li 2010",
    }
    parameter_constraints: ClassVar[Constraints] = {"D": Number(above=0.0, at_most=LARGEST_D)}

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 1000,
        D: float = 10.0,
        tol: float | None = 1e-3,
        class_weight: Any = None,
        max_bins: int | None = 255,
        categorical_features: Any = "from_dtype",
        callbacks: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            estimator,
            n_estimators=n_estimators,
            tol=tol,
            class_weight=class_weight,
            max_bins=max_bins,
            categorical_features=categorical_features,
            callbacks=callbacks,
            n_jobs=n_jobs,
            random_state=random_state,
            verbose=verbose,
        )
        self.D = D

    def _algorithm(self) -> Algorithm:
        """Make the algorithm that the parameters mean."""
        return self._make_algorithm(lambda problem, chosen: MDBoost(self.D), link=VoteLink())
