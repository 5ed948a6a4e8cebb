"""L2Boosting: the base learner fitted to residuals, again and again (CH-A6, CH-C13, CH-C14).

Problem, with w_i the weight of row i, Σ w = 1:

    min_F  P(F) = ½ Σ_i w_i (y_i - F(x_i))²,   F = mean + Σ_t α_t h_t.

A round fits the base learner to the residual y - F by least squares and adds a share ν of the fit.
That is LS-Boost of maximal improvement with a learning rate, begun at the mean: the coefficient
<r, h> / <h, h> makes any multiple of a least-squares fit that fit itself.

Certificate: as of LS-Boost, the share of the empty model's loss that is saved.
Guarantees: the residual norm never rises for ν <= 1, and falls at each round by the factor
√(1 - ν (2 - ν) c²), c the correlation of the residual with the fit (CH-C13). With lines through one
feature and ν → 0 the coefficients follow the forward stagewise path, which is that of LARS where no
coefficient of LARS turns back.

References: Bühlmann & Yu 2003; Efron et al. 2004; Chan 2015, section 2.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from ..core.state import State
from ..estimators.constructors import forward
from ..estimators.regressor import BaseBoostRegressor, document
from ..fitting.algorithm import Algorithm
from ..oracles.gradient_trees import GradientTreeOracle
from ..oracles.tree_hypothesis import constant_candidate
from ..validation import Constraints, Effects, Number, Where
from .ls_boost import LSBoost


class L2Boost(LSBoost):
    """LS-Boost of maximal improvement that begins with the mean.

    Parameters
    ----------
    learning_rate : float
        Factor ν on every coefficient.
    """

    def __init__(self, learning_rate: float = 0.1) -> None:
        super().__init__(2, learning_rate, 1)

    def start(self, state: State) -> None:
        """Begin with the mean of the targets; a resumed run has it already."""
        sample = state.sample
        if not state.members:
            mean = float(np.average(sample.y, weights=sample.prior))
            state.move(constant_candidate(len(sample.y)), mean)
        super().start(state)


@document
class L2BoostRegressor(BaseBoostRegressor):
    """L2Boosting: trees or lines fitted to residuals, with a learning rate.

    Parameters
    ----------
    estimator : Oracle, scikit-learn regressor or None
        Base learner: None is a regression tree of ``max_depth``,
        :class:`~marginboost.LinearOracle` a line through one feature.
    n_estimators : int
        Most rounds.
    learning_rate : float
        Share ν of each fit that is added, in (0, 1].
    max_depth : int
        Splits between root and leaf of the default trees; 1 is the regression stump.
    tol : float or None
        Stop when the share of the loss that is left is this small; None never does.
    {common}

    Attributes
    ----------
    {fitted}

    References
    ----------
    Bühlmann and Yu, *Boosting with the L2 loss: regression and classification*, 2003. Efron,
    Hastie, Johnstone and Tibshirani, *Least angle regression*, 2004.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from marginboost import L2BoostRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = L2BoostRegressor(n_estimators=200).fit(X, y)
    >>> bool(model.score(X, y) > 0.5)
    True
    """

    __capabilities__: ClassVar[dict[str, bool]] = {"explains": True}
    __summary__: ClassVar[dict[str, str]] = {
        "problem": "minimise the squared loss by fits to residuals",
        "guarantee": "residual norm never rises; small steps over lines follow LARS",
        "reference": "Bühlmann & Yu 2003; Efron et al. 2004",
    }
    __constraints__: ClassVar[Constraints] = {
        "learning_rate": Number(above=0.0, at_most=1.0),
        "max_depth": Number(at_least=1, integer=True),
    }
    __effects__: ClassVar[Effects] = {"max_depth": Where("estimator", (None,))}

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 100,
        learning_rate: float = 0.1,
        max_depth: int = 1,
        tol: float | None = None,
        max_bins: int | None = 255,
        categorical_features: Any = "from_dtype",
        callbacks: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        forward(super().__init__, locals())
        self.learning_rate = learning_rate
        self.max_depth = max_depth

    def _algorithm(self) -> Algorithm:
        """Make the algorithm that the parameters mean."""
        usual = GradientTreeOracle(
            max_leaf_nodes=None, max_depth=self.max_depth, min_samples_leaf=1
        )
        return self._make_algorithm(
            lambda problem, chosen: L2Boost(self.learning_rate),
            oracle=self._base_learner(lambda: usual),
        )
