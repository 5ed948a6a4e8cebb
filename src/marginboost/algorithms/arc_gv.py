"""Arc-GV, plain and monotone (R1-A12, R1-A13; eq. 2.12, B.7, B.8).

Problem: the largest minimum margin,

    max_α min_i y_i F(x_i) / Σα,   α >= 0,        value ρ*.

AdaBoost_ϱ with a target that follows the margin reached: ϱ_t = min margin so far. Plain Arc-GV
takes the present margin, clipped away from -1 and 1 (after one ±1 hypothesis it is -1, which would
make the next step infinite); the monotone form never lowers its target and begins at 0.

Certificate: best edge minus best margin, both valid whatever the algorithm did.
Rate: none is known; converges to ρ* with the hypothesis of largest edge (Prop. B.2); the monotone
form with any learner whose edges stay at least ρ* >= 0 (Prop. B.3).

References: Breiman 1999; Rätsch 2001, sections 2.4, 2.5 and B.3.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar

from ..core.oracle import Candidate
from ..core.state import State
from ..estimators.classifier import BaseMarginClassifier, document
from ..estimators.constructors import forward
from ..fitting.algorithm import Algorithm
from ..validation import Constraints
from .adaboost import AdaBoost

LOWEST, HIGHEST = -0.99, 1.0 - 1e-9
"""Limits of the target, which at -1 and 1 would make steps infinite."""


class ArcGV(AdaBoost):
    """Target margin = margin reached.

    Parameters
    ----------
    monotone : bool
        Whether the target never falls and starts at 0 (R1-A13), or follows the margin down
        (R1-A12).
    """

    on_parts = True
    maximises_margin = True

    def __init__(self, monotone: bool = True) -> None:
        super().__init__()
        self.monotone = monotone
        self._target = 0.0

    def target(self, state: State, edge: float) -> float:
        """Margin reached so far."""
        if state.size:
            reached = min(max(state.min_margin, LOWEST), HIGHEST)
            self._target = max(self._target, reached) if self.monotone else reached
        elif not self.monotone and edge <= 0.0:
            self._target = LOWEST  # no margin yet to follow, and 0 is out of reach
        return self._target

    def _full_step(self, state: State, best: Candidate, target: float) -> float:
        """Exact step; where that is infinite, the finite one of the closed formula.

        A real-valued hypothesis may meet the present target on every example by itself and still
        be far from the largest margin.
        """
        step = super()._full_step(state, best, target)
        if math.isinf(step) and best.edge < 1.0:
            return math.atanh(best.edge) - math.atanh(target)
        return step

    def get_state(self) -> dict[str, Any]:
        """Return shift and target."""
        return {**super().get_state(), "target": self._target}

    def set_state(self, saved: dict[str, Any]) -> None:
        """Take both back."""
        super().set_state(saved)
        self._target = float(saved["target"])


@document
class ArcGVClassifier(BaseMarginClassifier):
    """Arc-GV: boosting whose margin converges to the largest possible one.

    The model returned is the round of largest minimum margin.

    Parameters
    ----------
    estimator : Oracle, scikit-learn estimator or None
        Base learner; None is the exact stump.
    n_estimators : int
        Most rounds.
    monotone : bool
        Never lower the target margin, which begins at 0. If the largest margin ρ* is negative (the
        base learner cannot separate the classes) the monotone form stops at once; the plain form,
        False, goes on.
    tol : float or None
        Stop when the bounds on the largest margin are this close.
    {common}

    Attributes
    ----------
    {fitted}

    References
    ----------
    Breiman, *Prediction games and arcing algorithms*, 1999. Rätsch 2001, appendix B.3.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from marginboost import ArcGVClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = ArcGVClassifier(n_estimators=300).fit(X, y)
    >>> bool(0 < model.certificate_.value <= model.certificate_.upper)
    True
    """

    __capabilities__: ClassVar[dict[str, bool]] = {"rows_in_parts": True}
    __summary__: ClassVar[dict[str, str]] = {
        "problem": "largest minimum margin",
        "guarantee": "converges to ρ*; gap certified every round",
        "reference": "Breiman 1999; Rätsch 2001, eq. 2.12, B.7, B.8",
    }
    __constraints__: ClassVar[Constraints] = {"monotone": (False, True)}

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 500,
        monotone: bool = True,
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
        self.monotone = monotone

    def _algorithm(self) -> Algorithm:
        """Make the algorithm that the parameters mean."""
        # Scores grow with every round, whatever the odds are: votes are calibrated.
        return self._make_algorithm(lambda problem, chosen: ArcGV(self.monotone), calibrated=True)
