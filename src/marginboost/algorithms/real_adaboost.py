"""Real AdaBoost: trees whose leaves are half the log-odds (CH-A9).

Problem: minimise, over sums of trees F and with p the prior weights,

    Σ_i p_i exp(-y_i F(x_i)).

With the weights d_i ∝ p_i exp(-y_i F(x_i)), a leaf that holds the weight W+ of positive and W- of
negative rows lowers the loss most by the value ½ log(W+ / W-); the loss then falls by the factor
Z = Σ_leaves 2 √(W+ W-). Trees are grown to make Z small, and W± are smoothed.

Bounds are on the share of loss that is saved. Guarantee: the training error is at most the product
of all Z, for a learning rate of 1 and no smoothing.

References: Schapire & Singer, *Improved boosting algorithms using confidence-rated predictions*,
1999; Friedman, Hastie & Tibshirani, *Additive logistic regression*, 2000.
"""

from __future__ import annotations

from typing import ClassVar

from ..estimators.classifier import document
from ..fitting.algorithm import Algorithm
from ..oracles.trees import TreeOracle
from ..validation import Constraints, Number
from ._stepped import SteppedClassifier
from .gradient_boost import GradientBoost


@document
class RealAdaBoostClassifier(SteppedClassifier):
    """AdaBoost with confidence-rated trees.

    Parameters
    ----------
    estimator : Oracle, scikit-learn estimator or None
        Base learner; None is ``TreeOracle(max_depth=2, criterion="Z")``.
    n_estimators : int
        Most rounds.
    learning_rate : float
        Factor on every coefficient.
    tol : float or None
        Stop when the training loss is below this share of the best constant's; None never does.
    {common}

    Attributes
    ----------
    {fitted}

    References
    ----------
    Schapire and Singer, *Improved boosting algorithms using confidence-rated predictions*, 1999.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from marginboost import RealAdaBoostClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = RealAdaBoostClassifier(n_estimators=20).fit(X, y)
    >>> bool(model.score(X, y) > 0.99)
    True
    """

    __summary__: ClassVar[dict[str, str]] = {
        "problem": "least exponential loss; leaves are half the log-odds",
        "guarantee": "training error ≤ Π Z, Z = Σ 2√(W₊W₋) over leaves",
        "reference": "Schapire & Singer 1999",
    }
    __constraints__: ClassVar[Constraints] = {"learning_rate": Number(above=0.0)}

    def _algorithm(self) -> Algorithm:
        """Make the algorithm that the parameters mean."""
        # Trees that take full steps are too sure: votes are calibrated.
        return self._make_algorithm(
            lambda problem, chosen: GradientBoost(
                "exponential", self.learning_rate, constant=False
            ),
            oracle=self._base_learner(lambda: TreeOracle(max_depth=2, criterion="Z")),
            calibrated=True,
            common_scale=True,
        )
