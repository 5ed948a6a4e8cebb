"""Gentle AdaBoost: Newton's method on the exponential loss, one tree per round.

Problem: minimise, over sums of trees F and with p the prior weights,

    Σ_i p_i exp(-y_i F(x_i)).

Slope and curvature of a row have the same size, the weight d_i ∝ p_i exp(-y_i F(x_i)) of AdaBoost.
So Newton's step in a leaf is the mean label there, (W+ - W-) / (W+ + W-): in [-1, 1], where Real
AdaBoost takes ½ log(W+ / W-), which has no bound. F begins at 0.

Certificate and rate: none is claimed. The score is half the log-odds.

Reference: Friedman, Hastie & Tibshirani, *Additive logistic regression: a statistical view of
boosting*, 2000.
"""

from __future__ import annotations

from typing import ClassVar

from ..fitting.algorithm import Algorithm
from ..losses import Exponential
from ._second_order import SecondOrderClassifier, document_trees
from .gradient_boost import GradientBoost


@document_trees
class GentleBoostClassifier(SecondOrderClassifier):
    """Gentle AdaBoost: full Newton steps on the exponential loss, at most 1 per round.

    Parameters
    ----------
    estimator : Oracle, scikit-learn estimator or None
        Base learner; None is a :class:`~marginboost.GradientTreeOracle` with the settings below.
    n_estimators : int
        Most rounds.
    learning_rate : float
        Factor on every coefficient.
    {trees}
    tol : float or None
        Stop when the training loss is below this share of the best constant's; None never does.
    {common}

    Attributes
    ----------
    {fitted}

    References
    ----------
    Friedman, Hastie and Tibshirani, *Additive logistic regression*, 2000.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from marginboost import GentleBoostClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = GentleBoostClassifier(n_estimators=20).fit(X, y)
    >>> bool(model.score(X, y) > 0.99)
    True
    """

    __capabilities__: ClassVar[dict[str, bool]] = {"rows_in_parts": True}
    __summary__: ClassVar[dict[str, str]] = {
        "problem": "least exponential loss by Newton steps",
        "guarantee": "steps in [-1, 1], where Real AdaBoost's have no bound",
        "reference": "Friedman, Hastie & Tibshirani 2000",
    }

    def _algorithm(self) -> Algorithm:
        """Make the algorithm that the parameters mean."""
        loss = Exponential()
        # Trees that take full steps are too sure: votes are calibrated.
        return self._second_order(
            lambda problem, chosen: GradientBoost(loss, self.learning_rate, constant=False),
            loss,
            calibrated=True,
        )
