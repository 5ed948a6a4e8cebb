"""AdaBoost*: the largest margin up to a chosen accuracy, in a known number of rounds.

Problem: the largest minimum margin, value ρ* (as in Arc-GV).

AdaBoost_ϱ with the target ϱ_t = (smallest edge so far) - ν. Every edge of an exact base learner is
at least ρ*, so the target falls towards ρ* - ν from above, without knowing ρ*.

Certificate: smallest edge minus best margin.
Rate: margin at least ρ* - ν after 2 log(N) / ν² rounds.

Reference: Rätsch & Warmuth, *Efficient margin maximizing with boosting*, 2005; the choice of target
is the one that the bound on sequences of targets favours (Rätsch 2001, eq. 2.13, R1-A11).
"""

from __future__ import annotations

import math
from typing import Any, ClassVar

from ..core.state import State
from ..estimators.classifier import BaseMarginClassifier, document
from ..estimators.constructors import forward
from ..fitting.algorithm import Algorithm
from ..validation import Constraints, Number
from .adaboost import AdaBoost


class AdaBoostStar(AdaBoost):
    """Target margin = smallest edge so far minus an accuracy.

    Parameters
    ----------
    accuracy : float
        ν, in (0, 1): how far below ρ* the margin may stay.
    """

    on_parts = True
    maximises_margin = True

    def __init__(self, accuracy: float = 0.1) -> None:
        super().__init__()
        self.accuracy = accuracy

    def target(self, state: State, edge: float) -> float:
        """Smallest edge minus accuracy; the upper bound of the state is that smallest edge."""
        return max(state.upper - self.accuracy, -1.0 + 1e-9)


def rounds_needed(n_rows: float, accuracy: float) -> int:
    """Rounds after which the margin is at least ρ* - accuracy.

    >>> rounds_needed(100, 0.1)
    922
    """
    return max(1, math.ceil(2.0 * math.log(n_rows) / accuracy**2))


@document
class AdaBoostStarClassifier(BaseMarginClassifier):
    """AdaBoost*: maximum margin within an accuracy, with a bound on the number of rounds.

    The model returned is the round of largest minimum margin.

    Parameters
    ----------
    estimator : Oracle, scikit-learn estimator or None
        Base learner; None is the exact stump.
    n_estimators : int or None
        Most rounds; None is the number that the guarantee needs, 2 ln(N) / accuracy².
    accuracy : float
        How far below the largest margin the model's margin may be, in (0, 1).
    tol : float or None
        Stop when the bounds on the largest margin are this close; None stops at ``accuracy``.
    {common}

    Attributes
    ----------
    {fitted}

    References
    ----------
    Rätsch and Warmuth, *Efficient margin maximizing with boosting*, JMLR 6, 2005.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from marginboost import AdaBoostStarClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = AdaBoostStarClassifier(accuracy=0.05).fit(X, y)
    >>> bool(model.certificate_.gap <= 0.05)
    True
    """

    __capabilities__: ClassVar[dict[str, bool]] = {"rows_in_parts": True}
    __summary__: ClassVar[dict[str, str]] = {
        "problem": "largest minimum margin, to accuracy ν",
        "guarantee": "margin ≥ ρ* − ν in 2 ln N / ν² rounds; gap certified",
        "reference": "Rätsch & Warmuth 2005",
    }
    __constraints__: ClassVar[Constraints] = {
        "n_estimators": Number(at_least=1, integer=True, optional=True),
        "accuracy": Number(above=0.0, below=1.0),
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int | None = None,
        accuracy: float = 0.1,
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
        self.accuracy = accuracy

    def _algorithm(self) -> Algorithm:
        """Make the algorithm that the parameters mean."""
        # Scores grow with every round, whatever the odds are: votes are calibrated.
        return self._make_algorithm(
            lambda problem, chosen: AdaBoostStar(self.accuracy),
            rounds=self.n_estimators
            or (lambda sample: rounds_needed(sample.effective_rows, self.accuracy)),
            tol=self.accuracy if self.tol is None else self.tol,
            calibrated=True,
        )
