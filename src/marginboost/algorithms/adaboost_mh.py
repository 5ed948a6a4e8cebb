"""AdaBoost.MH: AdaBoost for several classes, label by label.

Problem: coordinate descent on the exponential Hamming loss

    G(α) = (1/K) Σ_i Σ_l prior_i exp(-Y_il F(x_i, l)),   Y_il = +1 if l = y_i, else -1,   F = Σ α h

with hypotheses h(x, l) = ±1: AdaBoost on the rows "does label l belong to example i". The class is
that of the largest F(x, l). One-vs-rest does the same with a hypothesis for every label by itself;
here one split serves all labels.

Certificate: bounds on the largest smallest ``Y_il F(x_i, l) / Σα``; that margin is at most the
multiclass margin. A proof with the exact stump.
Guarantee: Hamming error ≤ Π Z_t; training error ≤ (K / 2) Π Z_t, because an example of another
class pays for two labels.

Reference: Schapire & Singer, *Improved boosting algorithms using confidence-rated predictions*,
1999.
"""

from __future__ import annotations

from typing import ClassVar

from ..core.labels import LabelByLabel
from ..estimators.classifier import document
from ..estimators.labels import LabelClassifier
from ..fitting.algorithm import Algorithm
from ..oracles.label_trees import LabelTreeOracle
from ._stepped import SteppedClassifier
from .adaboost import AdaBoost, check_learning_rate


@document
class AdaBoostMHClassifier(SteppedClassifier, LabelClassifier):
    """AdaBoost.MH: every hypothesis says yes or no to every label.

    Parameters
    ----------
    estimator : LabelTreeOracle, scikit-learn classifier or None
        Base learner of several classes; None is the exact stump with a set of labels on each side,
        ``LabelTreeOracle(max_depth=1, criterion="edge", answers="set")``.
    n_estimators : int
        Most rounds.
    learning_rate : float
        Factor on every coefficient.
    tol : float or None
        Stop when the bounds on the largest margin by label are this close; None never does.
    {common}

    Attributes
    ----------
    {fitted}

    References
    ----------
    Schapire and Singer, *Improved boosting algorithms using confidence-rated predictions*, 1999.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from marginboost import AdaBoostMHClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = AdaBoostMHClassifier(n_estimators=50).fit(X, y)
    >>> model.certificate_.certified, model.score(X, y)
    (True, 1.0)
    """

    __capabilities__: ClassVar[dict[str, bool]] = {"certifies": True, "explains": True}
    __summary__: ClassVar[dict[str, str]] = {
        "problem": "several classes: minimise the exponential Hamming loss",
        "guarantee": "training error ≤ (K/2) ΠZ",
        "reference": "Schapire & Singer 1999",
    }

    def _algorithm(self) -> Algorithm:
        """Check the parameters, and make the algorithm that they mean."""
        check_learning_rate(self.learning_rate)
        usual = LabelTreeOracle(max_depth=1, criterion="edge", answers="set")
        return self._make_algorithm(
            lambda problem, chosen: AdaBoost(learning_rate=self.learning_rate),
            oracle=self._base_learner(lambda: usual),
            label_rows=LabelByLabel,
        )
