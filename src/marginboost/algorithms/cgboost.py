"""CG-Boost: column generation with a squared norm, as support vector machines have it.

Problem, with weights w (1 without sample_weight) and a price C > 0 of a shortfall:

    min_{α, ξ}  ½ Σ_j α_j² + C Σ_i w_i ξ_i   s.t.  y_i F(x_i) >= 1 - ξ_i,  α, ξ >= 0;
    dual:  max_d  Σ_i d_i - ½ Σ_h [Σ_i d_i y_i h(x_i)]₊²   s.t.  0 <= d_i <= C w_i.

LPBoost's C-form has Σα in place of ½ Σα², and therefore leaves most hypotheses out. Here a
hypothesis has the coefficient [edge]₊, so every one with an edge has a share: votes are spread over
like hypotheses, and the answer hardly changes where a column comes twice, slightly changed.

A round solves the quadratic program over the hypotheses found so far by an interior-point method,
then asks for those of largest edge among all others, as far as the base learner offers them: of a
finite set all, of stumps the best of every feature, of trees one. Bi, Zhang and Bennett's columns
are those of several kernels (:class:`~marginboost.KernelOracle` has them); here they are those of
any base learner.

Certificate: the lower bound is the value of the model, as a share of the empty model's objective,
1 - P / (C Σw). From above the largest edge proves next to nothing, because all hypotheses count and
not the best alone. What it proves is the worth of one more hypothesis: of edge e, it lowers P by
less than ½ e². A run ends when none that is offered is worth more than ``tol`` as a share.
Rate: finite for finitely many hypotheses, all of which come in if their edges ask for it; over a
finite set, and with ``tol`` 0, the end is the optimum.

Reference: Bi, Zhang & Bennett, *Column-generation boosting methods for mixture of kernels*, 2004.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from ..core.ensemble import Ensemble
from ..core.objective import SquaredNorm as SquaredNormObjective
from ..core.oracle import Candidate
from ..core.sample import Sample
from ..core.state import State
from ..estimators.classifier import BaseMarginClassifier, document
from ..estimators.constructors import forward
from ..fitting.algorithm import Algorithm
from ..model import VoteLink
from ..solvers.masters.shortfalls import SquaredNorm, SquaredNormMaster
from ..validation import Constraints, Number
from ._shortfalls import COLUMNS, ShortfallRule

EXACT = 1e-7
"""Gap to which a program is solved, as a share of the empty model's objective."""


SMALLEST = 1e-12
"""Price of all shortfalls together below which no outcome comes near to 1: coefficients are edges
times the price, and votes are the same for every smaller one."""


class CGBoost(ShortfallRule):
    """Totally corrective minimisation of hinge loss plus half of the squared norm.

    Parameters
    ----------
    C : float
        Price of a shortfall.
    least_worth : float
        Share of the empty model's objective that a further hypothesis must be able to save.
    """

    uncertified_reason = "all edges count, and the largest alone proves no upper bound"

    def __init__(self, C: float = 0.01, least_worth: float = 1e-3) -> None:
        super().__init__(EXACT)
        self.C = C
        self.least_worth = least_worth

    @property
    def objective(self) -> SquaredNormObjective:
        """Hinge loss and squared norm."""
        return SquaredNormObjective(self.C)

    def norm(self, ensemble: Ensemble) -> float:
        """The norm that has the price, √Σα²."""
        return float(np.sqrt(np.sum(np.square(ensemble.coef))))

    def make_master(self, sample: Sample) -> SquaredNormMaster:
        """Make the solver of the program."""
        problem = SquaredNorm(sample.prior, max(self.C * sample.total, SMALLEST))
        return SquaredNormMaster(problem, sample.y, sample.n_threads)

    def _next_gap(self, state: State) -> float:
        """The same every time: there is no other bound to compare with."""
        return self.accuracy

    def worth_having(self, candidate: Candidate, state: State) -> bool:
        """Whether the edge of a new hypothesis is worth its place: half of its square."""
        edge = max(self._scale * candidate.edge, 0.0)
        return 0.5 * self.C * state.sample.total * edge**2 > self.least_worth

    def _reweigh(self, state: State) -> None:
        """Ask for as many hypotheses as are known, too: all of them have an edge."""
        super()._reweigh(state)
        self.columns_per_round = len(self._pool) + COLUMNS


@document
class CGBoostClassifier(BaseMarginClassifier):
    """Boosting with a squared norm: a support vector machine over the base learner's hypotheses.

    Parameters
    ----------
    estimator : Oracle, scikit-learn estimator or None
        Base learner; None is the exact stump.
    n_estimators : int
        Most rounds, each of which adds up to 16 hypotheses.
    C : float
        Price of a shortfall against half of Σα², above 0, as in :class:`sklearn.svm.SVC`: the
        smaller, the simpler the model. Every row adds its price, and every hypothesis can take a
        share: good values are far below those of a machine with few features.
    tol : float or None
        The run ends when the base learner offers no further hypothesis that can save more than this
        share of the empty model's objective C Σw. None takes all that have an edge.
    {common}

    Attributes
    ----------
    {fitted}

    Notes
    -----
    ``certificate_.value`` is ``1 - P / (C Σw)``, with P the objective; no upper bound but 1 is
    known, for all hypotheses of the class count in it. A round costs rows times the square of the
    hypotheses: for up to some ten thousand rows.

    References
    ----------
    Bi, Zhang and Bennett, *Column-generation boosting methods for mixture of kernels*, 2004.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from marginboost import CGBoostClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = CGBoostClassifier().fit(X, y)
    >>> bool(model.score(X, y) > 0.95)
    True
    """

    __capabilities__: ClassVar[dict[str, bool]] = {"certifies": False}
    __summary__: ClassVar[dict[str, str]] = {
        "problem": "least hinge loss plus half of Σα²: a support vector machine over hypotheses",
        "guarantee": "exact over the hypotheses found; one more of edge e is worth less than ½ e²",
        "reference": "Bi, Zhang & Bennett 2004",
    }
    __constraints__: ClassVar[Constraints] = {"C": Number(above=0.0)}

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 100,
        C: float = 0.01,
        tol: float | None = 1e-3,
        class_weight: Any = None,
        max_bins: int | None = 255,
        categorical_features: Any = "from_dtype",
        callbacks: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        forward(super().__init__, locals())
        self.C = C

    def _algorithm(self) -> Algorithm:
        """Make the algorithm that the parameters mean."""
        C, precision = self.C, self.tol or 0.0
        rule = lambda problem, chosen: CGBoost(C, precision)  # noqa: E731
        return self._make_algorithm(rule, tol=None, link=VoteLink())  # there is no gap to close
