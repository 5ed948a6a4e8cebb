"""AdaBoost.M1: AdaBoost for several classes, with the plain weighted error (CH-A2).

Problem: coordinate descent on the exponential loss of being right,

    G(α) = Σ_i prior_i exp(-Σ_t α_t u_t(i)),   u_t(i) = +1 if h_t(x_i) = y_i, else -1:

AdaBoost on the rows "is example i right". The vote goes to ``argmax_l Σ_t α_t [h_t(x) = l]``.

Certificate: bounds on the largest smallest lead of right over wrong votes; that lead is at most the
multiclass margin, which counts wrong votes for the same class only.
Guarantee: training error ≤ Π 2√(ε_t (1 - ε_t)), since an example whose right votes outweigh all
wrong ones is classified right. It needs errors below 1/2, however many the classes: a stump of
26 classes has none. SAMME and AdaBoost.M2 ask for less.

Reference: Freund & Schapire, *A decision-theoretic generalization of on-line learning*, 1997.
"""

from __future__ import annotations

from typing import Any, ClassVar

from ..core.labels import RightOrWrong
from ..estimators.classifier import document
from ..estimators.labels import LabelClassifier
from ..fitting.algorithm import Algorithm, Outcome
from ..oracles.label_trees import LabelTreeOracle
from ..warning import warn_user
from ._stepped import SteppedClassifier
from .adaboost import AdaBoost, check_learning_rate


@document
class AdaBoostM1Classifier(SteppedClassifier, LabelClassifier):
    """AdaBoost.M1: a vote of classifiers that each err on less than half of the weight.

    Parameters
    ----------
    estimator : LabelTreeOracle, scikit-learn classifier or None
        Base learner of several classes; None is ``LabelTreeOracle(max_depth=8)``. It must be strong
        enough to be right on more than half of the weight, in every round.
    n_estimators : int
        Most rounds.
    learning_rate : float
        Factor on every coefficient.
    tol : float or None
        Stop when the bounds on the largest lead are this close; None never does.
    {common}

    Attributes
    ----------
    {fitted}

    References
    ----------
    Freund and Schapire, *A decision-theoretic generalization of on-line learning and an application
    to boosting*, 1997. Schapire and Freund, *Boosting*, 2012, section 10.1.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from marginboost import AdaBoostM1Classifier, LabelTreeOracle
    >>> X, y = load_iris(return_X_y=True)
    >>> model = AdaBoostM1Classifier(LabelTreeOracle(max_depth=2), n_estimators=20).fit(X, y)
    >>> model.decision_function(X).shape, bool(model.margins_.min() > 0)
    ((150, 3), True)
    """

    __summary__: ClassVar[dict[str, str]] = {
        "problem": "several classes: minimise the exponential loss of being right",
        "guarantee": "training error ≤ Π2√(ε(1 − ε)) while every ε < ½",
        "reference": "Freund & Schapire 1997",
    }

    def _algorithm(self) -> Algorithm:
        """Check the parameters, and make the algorithm that they mean."""
        check_learning_rate(self.learning_rate)
        return self._make_algorithm(
            lambda problem, chosen: AdaBoost(learning_rate=self.learning_rate),
            oracle=self._base_learner(lambda: LabelTreeOracle(max_depth=8)),
            label_rows=RightOrWrong,
            facts=_warn_of_an_empty_model,
        )


def _warn_of_an_empty_model(outcome: Outcome) -> dict[str, Any]:
    """Warn where the first hypothesis was too weak; there are no further attributes."""
    if not len(outcome.run.ensemble):
        warn_user(
            "AdaBoostM1Classifier: the first hypothesis errs on half of the weight or more, so "
            "the model is empty. Use a stronger base learner, or SAMMEClassifier or "
            "AdaBoostM2Classifier, which ask for less"
        )
    return {}
