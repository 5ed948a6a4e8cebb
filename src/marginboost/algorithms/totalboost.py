"""TotalBoost: the largest margin by projections onto all edges at once.

Problem: the largest minimum margin, value ρ* (as in Arc-GV). Each round takes the smallest edge so
far, γ̂, and projects the prior p onto the weights under which all hypotheses found have edges of at
most γ̂ - δ, δ being the accuracy:

    min_d  Σ_i d_i log(d_i / p_i)   s.t.  Σ_i d_i y_i h_t(x_i) <= γ̂ - δ for all t,  Σ d = 1.

AdaBoost* asks this of the last hypothesis only. The run ends when there are no such weights: the
multipliers that prove it are a combination with a margin above γ̂ - δ.

It is SoftBoost (softboost.py) without caps: with ν = 1/N no cap binds, and both are the same.

Certificate: γ̂ above, the best margin of the normalised multipliers below, in every round.
Rate: margin at least ρ* - δ after ⌈2 ln(N) / δ²⌉ rounds.

Reference: Warmuth, Liao & Rätsch, *Totally corrective boosting algorithms that maximize the
margin*, 2006.
"""

from __future__ import annotations

from typing import Any, ClassVar

from ..estimators.classifier import document
from ..estimators.constructors import forward
from ..fitting.algorithm import Algorithm
from ._totally_corrective import TotallyCorrectiveClassifier
from .adaboost_star import rounds_needed
from .softboost import SoftBoost


class TotalBoost(SoftBoost):
    """SoftBoost for the hard margin.

    Parameters
    ----------
    accuracy : float
        δ, in (0, 1): how far below ρ* the margin of the model may be.
    """

    def __init__(self, accuracy: float = 0.02) -> None:
        super().__init__(None, accuracy)


@document
class TotalBoostClassifier(TotallyCorrectiveClassifier):
    """Maximum margin within an accuracy, by correcting for all hypotheses at once.

    Parameters
    ----------
    estimator : Oracle, scikit-learn estimator or None
        Base learner; None is the exact stump.
    n_estimators : int or None
        Most rounds; None is the number that the guarantee needs, 2 ln(N) / accuracy². The run
        normally ends much earlier, when the gap is closed.
    accuracy : float
        How far below the largest margin the model's margin may be, in (0, 1). The run ends there:
        no smaller gap is sought.
    tol : float or None
        Gap at which to stop earlier; None stops at ``accuracy``.
    {common}

    Attributes
    ----------
    rho_ : float
        The smallest training margin.
    {fitted}

    References
    ----------
    Warmuth, Liao and Rätsch, *Totally corrective boosting algorithms that maximize the margin*,
    ICML 2006.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from marginboost import TotalBoostClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = TotalBoostClassifier().fit(X, y)
    >>> bool(0 < model.certificate_.value and model.certificate_.gap <= 0.02)
    True
    """

    __summary__: ClassVar[dict[str, str]] = {
        "problem": "largest minimum margin, by projecting the prior onto small edges",
        "guarantee": "margin ≥ ρ* − δ in 2 ln N / δ² rounds; gap certified",
        "reference": "Warmuth, Liao & Rätsch 2006",
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int | None = None,
        accuracy: float = 0.02,
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
        return self._totally_corrective(
            lambda problem, chosen: TotalBoost(self.accuracy),
            lambda sample: rounds_needed(sample.effective_rows, self.accuracy),
        )
