"""LogitBoost: Newton's method on the logistic loss, one tree per round (CH-A7, CH-C12).

Problem: minimise, over sums of trees F and with p the prior weights,

    Σ_i p_i log(1 + exp(-y_i F(x_i))),    P(y = +1 | x) = π(x) = 1 / (1 + exp(-F(x))).

A round fits a regression tree f by weighted least squares to the working responses

    z_i = (y*_i - π_i) / (π_i (1 - π_i)),    weights w_i = π_i (1 - π_i),    y* = (y + 1) / 2

so a leaf takes Σ w z / Σ w = Σ (y* - π) / Σ π (1 - π), Newton's step, and F moves by f. Slopes are
at most 1 whatever the margin, where those of the exponential loss grow without bound: a wrong label
has a bounded pull.

The literature writes H = F / 2 with probabilities 1 / (1 + exp(-2 H)) and moves H by ½ f: the same
model. Responses are clipped there at 2 to 4, here leaves at 4. F begins at 0.

Certificate and rate: none is claimed.

Reference: Friedman, Hastie & Tibshirani, *Additive logistic regression: a statistical view of
boosting*, 2000.
"""

from __future__ import annotations

from typing import ClassVar

from ..fitting.algorithm import Algorithm
from ..losses import Logistic
from ._second_order import SecondOrderClassifier, document_trees
from .gradient_boost import GradientBoost


@document_trees
class LogitBoostClassifier(SecondOrderClassifier):
    """LogitBoost: full Newton steps on the logistic loss.

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
    >>> from marginboost import LogitBoostClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = LogitBoostClassifier(n_estimators=20).fit(X, y)
    >>> bool(model.score(X, y) > 0.99)
    True
    """

    __capabilities__: ClassVar[dict[str, bool]] = {"rows_in_parts": True}
    __summary__: ClassVar[dict[str, str]] = {
        "problem": "least logistic loss by Newton steps",
        "guarantee": "slopes at most 1: a wrong label has a bounded pull",
        "reference": "Friedman, Hastie & Tibshirani 2000",
    }

    def _algorithm(self) -> Algorithm:
        """Make the algorithm that the parameters mean."""
        loss = Logistic()
        # Trees that take full steps are too sure: votes are calibrated.
        return self._second_order(
            lambda problem, chosen: GradientBoost(loss, self.learning_rate, constant=False),
            loss,
            calibrated=True,
        )
