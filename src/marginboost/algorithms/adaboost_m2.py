"""AdaBoost.M2: AdaBoost for several classes with the pseudo-loss (CH-A3, CH-Q11, CH-C11).

Problem: coordinate descent on the ranking loss over examples and wrong labels,

    G(α) = Σ_i Σ_{l ≠ y_i} prior_i / (K - 1) · exp(-(F(x_i, y_i) - F(x_i, l)) / 2),   F = Σ α h

with hypotheses h(x, l) = ±1, +1 for the labels that are plausible. The pseudo-loss of h is
``ε = ½ Σ W(i, l) (1 - (h(x_i, y_i) - h(x_i, l)) / 2)``: AdaBoost's error on the rows "is y_i
preferred to l", and this is AdaBoost there. Guessing has ε = 1/2 whatever K, so any base learner
that knows a little gets an edge. Steps are ½ log((1 - ε) / ε), as published (CH-A3), or minimise G
along h, which is AdaBoost.MR.

Certificate: bounds on the largest smallest multiclass margin ``(F(x, y) - max_l F(x, l)) / 2Σα``
that any vote of the base learner's hypotheses reaches: a proof with the exact stump.
Guarantee: training error ≤ (K - 1) Π 2√(ε_t (1 - ε_t)).

References: Freund & Schapire 1996, 1997; Schapire & Singer 1999; Chan 2015, algorithm 2.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar

from ..core.labels import LabelPairs
from ..core.oracle import Candidate
from ..core.state import State
from ..estimators.classifier import document
from ..estimators.constructors import forward
from ..estimators.labels import LabelClassifier
from ..fitting.algorithm import Algorithm
from ..oracles.label_trees import LabelTreeOracle
from ..validation import Constraints
from .adaboost import AdaBoost, check_learning_rate


class AdaBoostM2(AdaBoost):
    """AdaBoost on pairs of labels, of which a hypothesis may prefer neither.

    Parameters
    ----------
    learning_rate : float
        Factor on every coefficient.
    step : {"closed", "exact"}
        The published step, or the one that minimises the loss along the hypothesis.
    """

    def __init__(self, learning_rate: float = 1.0, step: str = "closed") -> None:
        super().__init__(learning_rate=learning_rate, step=step)

    def _full_step(self, state: State, best: Candidate, target: float) -> float:
        """Step of AdaBoost; the published one where the loss only falls along the hypothesis.

        It does so where no pair is wrong but some are tied, which does not make a classifier.
        """
        step = super()._full_step(state, best, target)
        return math.atanh(best.edge) if math.isinf(step) and best.edge < 1.0 else step


@document
class AdaBoostM2Classifier(LabelClassifier):
    """AdaBoost.M2: a vote of plausible labels, by the pseudo-loss.

    Parameters
    ----------
    estimator : LabelTreeOracle, scikit-learn classifier or None
        Base learner of several classes; None is the exact stump with a set of labels on each side,
        ``LabelTreeOracle(max_depth=1, criterion="edge", answers="set")``. With
        ``answers="label"`` hypotheses name one label.
    n_estimators : int
        Most rounds.
    learning_rate : float
        Factor on every coefficient.
    step : {"closed", "exact"}
        The published coefficient, or the one that minimises the loss along the hypothesis
        (AdaBoost.MR).
    tol : float or None
        Stop when the bounds on the largest multiclass margin are this close; None never does.
    {common}

    Attributes
    ----------
    {fitted}

    References
    ----------
    Freund and Schapire, *Experiments with a new boosting algorithm*, 1996. Schapire and Singer,
    *Improved boosting algorithms using confidence-rated predictions*, 1999.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from marginboost import AdaBoostM2Classifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = AdaBoostM2Classifier(n_estimators=50).fit(X, y)
    >>> proof = model.certificate_
    >>> proof.certified, bool(proof.lower <= proof.upper), model.score(X, y)
    (True, True, 1.0)
    """

    __capabilities__: ClassVar[dict[str, bool]] = {"certifies": True, "explains": True}
    __summary__: ClassVar[dict[str, str]] = {
        "problem": "several classes: minimise the ranking loss by the pseudo-loss",
        "guarantee": "training error ≤ (K − 1) Π2√(ε(1 − ε)); multiclass margin bracketed",
        "reference": "Freund & Schapire 1996; Chan 2015, Alg. 2",
    }
    __constraints__: ClassVar[Constraints] = {"step": ("closed", "exact")}

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 50,
        learning_rate: float = 1.0,
        step: str = "closed",
        tol: float | None = None,
        class_weight: Any = None,
        max_bins: int | None = 255,
        categorical_features: Any = "from_dtype",
        callbacks: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        forward(super().__init__, locals())
        self.learning_rate = learning_rate
        self.step = step

    def _algorithm(self) -> Algorithm:
        """Check the parameters, and make the algorithm that they mean."""
        check_learning_rate(self.learning_rate)
        usual = LabelTreeOracle(max_depth=1, criterion="edge", answers="set")
        return self._make_algorithm(
            lambda problem, chosen: AdaBoostM2(self.learning_rate, self.step),
            oracle=self._base_learner(lambda: usual),
            label_rows=LabelPairs,
        )
