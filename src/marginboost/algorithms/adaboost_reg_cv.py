"""AdaBoost_Reg that chooses its constant C by cross-validation (R2-E7)."""

from __future__ import annotations

from typing import Any, ClassVar

from ..estimators.classifier import BaseMarginClassifier, document
from ..estimators.constructors import forward
from ..fitting.algorithm import Algorithm
from ..fitting.cross_validation import ParameterPath, chosen_by
from ..validation import Constraints, Effects, check_number, is_verbose
from .adaboost_reg import AdaBoostReg, AdaBoostRegClassifier, influences, probabilities_of

MISTRUSTS = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5)


@document
class AdaBoostRegClassifierCV(BaseMarginClassifier):
    """AdaBoost_Reg that chooses its constant C by cross-validation.

    Parameters
    ----------
    estimator : Oracle, scikit-learn estimator or None
        Base learner.
    n_estimators : int
        Most rounds.
    Cs : sequence of float or None
        Values of C to choose from, each at least 0; None is seven values from 0 to 0.5.
    choice : {"best", "one-se"}
        Smallest error in cross-validation, or the largest C whose error is within one standard
        error of that.
    cv : int, splitter, iterable of splits, or None
        Number of folds, fewer where a class has fewer rows; or what scikit-learn takes: a splitter
        splits the rows with weight, listed splits name rows of X. None is 5.
    base : {"adaboost", "arc-gv", "marginal", "logistic"}
        What is made soft, as in :class:`AdaBoostRegClassifier`.
    target_margin : float
        Soft margin aimed at; used by "marginal" only.
    max_step : float
        Longest coefficient.
    tol : float or None
        Stop when the bounds on the largest margin are this close.
    {common}

    Attributes
    ----------
    C_ : float
        The chosen C.
    cv_results_ : dict
        For every C: mean error and its standard error over the folds, the errors, rounds, seconds.
    cv_error_ : float
        Mean error of the chosen C over the folds.
    influence_, soft_margins_ : array
        As of :class:`AdaBoostRegClassifier`, with the chosen C.
    {fitted}
    """

    __summary__: ClassVar[dict[str, str]] = {
        "problem": "AdaBoost_Reg, with C chosen by cross-validation",
        "guarantee": "as AdaBoost_Reg; errors of all C with standard errors",
        "reference": "Rätsch 2001, Alg. 4.5, section 4.4.1",
    }
    __constraints__: ClassVar[Constraints] = {
        name: AdaBoostRegClassifier.__constraints__[name]
        for name in ("base", "target_margin", "max_step")
    }
    __effects__: ClassVar[Effects] = AdaBoostRegClassifier.__effects__

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 200,
        Cs: Any = None,
        choice: str = "best",
        cv: Any = 5,
        base: str = "adaboost",
        target_margin: float = 0.0,
        max_step: float = 5.0,
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
        self.Cs = Cs
        self.choice = choice
        self.cv = cv
        self.base = base
        self.target_margin = target_margin
        self.max_step = max_step

    def _algorithm(self) -> Algorithm:
        """Check the parameters, and make the algorithm that they mean."""
        settings = "influence", self.base, self.target_margin, self.max_step
        path = ParameterPath(
            *("C", "Cs", self.Cs, MISTRUSTS, lambda C, sample: AdaBoostReg(C, *settings)),
            *(lambda sample: self.n_estimators or 1, _check_least_zero),
            *(self.cv, self.choice),
            tol=self.tol,
            verbose=is_verbose(self.verbose),
        )
        return self._make_algorithm(
            lambda problem, chosen: AdaBoostReg(chosen["C_"], *settings),
            **probabilities_of(self.base),
            facts=influences,
            **chosen_by(path),
        )


def _check_least_zero(name: str, value: float) -> None:
    """Raise for a negative C."""
    check_number(name, value, at_least=0.0)
