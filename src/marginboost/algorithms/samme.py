"""SAMME: AdaBoost for several classes that only asks to beat guessing (CH-A4, CH-A5, CH-C10).

Problem: coordinate descent on the multiclass exponential loss ``Σ_i prior_i exp(-f_{y_i}(x_i) / (K
- 1))``, f with sum zero over classes. A round takes the hypothesis of least weighted error ε, with

    α = log((1 - ε) / ε) + log(K - 1),     weights of the wrong examples times e^α,

and stops where ε ≥ 1 - 1/K, the error of guessing. Half of that α is the step of AdaBoost_ϱ,
artanh(1 - 2ε) - artanh ϱ, with the target ϱ = 2/K - 1 on the rows "is example i right": SAMME is
AdaBoost_ϱ there, and is run as that. Coefficients here are AdaBoost's, half of SAMME's.

Certificate: as for AdaBoost.M1. Guarantee: that of AdaBoost_ϱ: with all errors below
1 - 1/K by a fixed amount the share of right votes exceeds 1/K on every example, after O(log N)
rounds. That alone does not make them the largest share: with base learners no better than that,
AdaBoost.M2 and AdaBoost.MH have training error bounds and SAMME has none.

The variant "printed" is the mixture of a thesis that means SAMME but prints something else (CH-A4):
AdaBoost.M2 with its pseudo-loss ε, and log(K - 1) added to ½ log((1 - ε) / ε). Guessing has
pseudo-loss 1/2 whatever K, so nothing justifies the addition; it is kept to be compared with.

References: Zhu, Zou, Rosset & Hastie, *Multi-class AdaBoost*, 2009; Chan 2015, algorithm 3.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar

from ..core.labels import LabelPairs, LabelSample, RightOrWrong
from ..core.oracle import Candidate
from ..core.state import State
from ..estimators.classifier import document
from ..estimators.constructors import forward
from ..estimators.labels import LabelClassifier
from ..fitting.algorithm import Algorithm, Chosen
from ..fitting.problem import Problem
from ..oracles.label_trees import LabelTreeOracle
from ..validation import Constraints
from .adaboost import AdaBoost, check_learning_rate


class SAMME(AdaBoost):
    """AdaBoost with the target that guessing among K classes reaches.

    Parameters
    ----------
    n_classes : int
        Number of classes K.
    learning_rate : float
        Factor on every coefficient.
    """

    def __init__(self, n_classes: int = 3, learning_rate: float = 1.0) -> None:
        super().__init__(2.0 / n_classes - 1.0, learning_rate)
        self.n_classes = n_classes


class PrintedSAMME(AdaBoost):
    """AdaBoost with log(K - 1) added to every step (CH-A4), to be run on pairs of labels.

    Parameters
    ----------
    n_classes : int
        Number of classes K.
    learning_rate : float
        Factor on every coefficient.
    """

    def __init__(self, n_classes: int = 3, learning_rate: float = 1.0) -> None:
        super().__init__(0.0, learning_rate, step="closed")
        self.n_classes = n_classes

    def _full_step(self, state: State, best: Candidate, target: float) -> float:
        return super()._full_step(state, best, target) + math.log(self.n_classes - 1)


@document
class SAMMEClassifier(LabelClassifier):
    """SAMME: a vote of classifiers that each beat guessing.

    With ``estimator=DecisionTreeClassifier(max_depth=1)`` it is scikit-learn's
    ``AdaBoostClassifier``; that class's ``estimator_weights_`` are twice the ones here.

    Parameters
    ----------
    estimator : LabelTreeOracle, scikit-learn classifier or None
        Base learner of several classes; None is the exact stump with a class on each side,
        ``LabelTreeOracle(max_depth=1, criterion="edge")``.
    n_estimators : int
        Most rounds.
    learning_rate : float
        Factor on every coefficient.
    variant : {"canonical", "printed"}
        Zhu et al.'s algorithm, or the mixture with the pseudo-loss that Chan's thesis prints under
        this name.
    tol : float or None
        Stop when the bounds on the largest margin of the algorithm's rows are this close; None
        never does.
    {common}

    Attributes
    ----------
    {fitted}

    References
    ----------
    Zhu, Zou, Rosset and Hastie, *Multi-class AdaBoost*, Statistics and Its Interface 2, 2009.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from marginboost import SAMMEClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SAMMEClassifier(n_estimators=30).fit(X, y)
    >>> model.decision_function(X).shape, model.score(X, y) > 0.95
    ((150, 3), True)
    """

    __capabilities__: ClassVar[dict[str, bool]] = {"certifies": True, "explains": True}
    __summary__: ClassVar[dict[str, str]] = {
        "problem": "several classes: minimise the multiclass exponential loss",
        "guarantee": "right votes above a share 1/K while every ε < 1 − 1/K",
        "reference": "Zhu et al. 2009; Chan 2015, Alg. 3 (as printed)",
    }
    __constraints__: ClassVar[Constraints] = {"variant": ("canonical", "printed")}

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 50,
        learning_rate: float = 1.0,
        variant: str = "canonical",
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
        self.variant = variant

    def _algorithm(self) -> Algorithm:
        """Check the parameters, and make the algorithm that they mean."""
        check_learning_rate(self.learning_rate)
        canonical = self.variant == "canonical"

        def rule(problem: Problem, chosen: Chosen) -> AdaBoost:
            """SAMME for as many classes as the sample has."""
            assert isinstance(problem.sample, LabelSample)
            kind = SAMME if canonical else PrintedSAMME
            return kind(problem.sample.n_classes, self.learning_rate)

        usual = LabelTreeOracle(max_depth=1, criterion="edge")
        return self._make_algorithm(
            rule,
            oracle=self._base_learner(lambda: usual),
            label_rows=RightOrWrong if canonical else LabelPairs,
        )
