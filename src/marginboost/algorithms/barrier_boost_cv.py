"""Barrier boosting that chooses its price C by cross-validation (R2-E7)."""

from __future__ import annotations

from typing import Any, ClassVar

from ..core.oracle import Oracle
from ..core.sample import Sample
from ..estimators.classifier import BaseMarginClassifier, document
from ..estimators.constructors import forward
from ..fitting.algorithm import Algorithm, Choice, Chosen
from ..fitting.cross_validation import ParameterPath, chosen_by
from ..fitting.problem import Problem
from ..model import VoteLink
from ..validation import Constraints, check_number, is_verbose
from .barrier_boost import BarrierBoost, BarrierBoostClassifier

PRICES = (0.001, 0.003, 0.01, 0.03, 0.1)


@document
class BarrierBoostClassifierCV(BaseMarginClassifier):
    """Barrier boosting that chooses its price C by cross-validation.

    Parameters
    ----------
    estimator : Oracle, scikit-learn estimator or None
        Base learner; None is the exact stump, with which the bounds are proven.
    n_estimators : int
        Most rounds.
    Cs : sequence of float or None
        Values to choose from, each above 0, as prices per row: C is N times such a value, so that
        it means the same on a fold as on all rows. None is five values from 0.001 to 0.1.
    choice : {"best", "one-se"}
        Smallest error in cross-validation, or the largest price whose error is within one standard
        error of that.
    cv : int, splitter, iterable of splits, or None
        Number of folds, fewer where a class has fewer rows; or what scikit-learn takes: a splitter
        splits the rows with weight, listed splits name rows of X. None is 5.
    steps : {"newton", "coordinate"}
        Change all coefficients in a round, or one.
    beta : float
        First temperature of the barrier.
    factor : float or None
        By which it falls, in (0, 1).
    tol : float or None
        Gap at which to stop.
    {common}

    Attributes
    ----------
    C_per_row_ : float
        The chosen price per row.
    total_weight_ : float
        Rows, copies counted: C is the price per row times this.
    cv_results_ : dict
        For every value: mean error and its standard error over the folds, the errors, rounds,
        seconds.
    cv_error_ : float
        Mean error of the chosen value over the folds.
    {fitted}
    """

    __summary__: ClassVar[dict[str, str]] = {
        "problem": "barrier boosting, with C chosen by cross-validation",
        "guarantee": "as BarrierBoost; errors of all C with standard errors",
        "reference": "Rätsch 2001, Alg. 4.7, section 4.4.1",
    }
    C_per_row_: float
    __constraints__: ClassVar[Constraints] = {
        name: BarrierBoostClassifier.__constraints__[name] for name in ("steps", "beta", "factor")
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 1000,
        Cs: Any = None,
        choice: str = "best",
        cv: Any = 5,
        steps: str = "newton",
        beta: float = 1.0,
        factor: float | None = None,
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
        self.Cs = Cs
        self.choice = choice
        self.cv = cv
        self.steps = steps
        self.beta = beta
        self.factor = factor

    def _algorithm(self) -> Algorithm:
        """Check the parameters, and make the algorithm that they mean."""
        settings = self.steps, self.beta, self.factor

        def at_price(price: float, sample: Sample) -> BarrierBoost:
            return BarrierBoost(price * sample.total, *settings)

        path = PricePath(
            *("C_per_row", "Cs", self.Cs, PRICES, at_price),
            *(lambda sample: self.n_estimators or 1, _check_positive),
            *(self.cv, self.choice),
            tol=self.tol,
            verbose=is_verbose(self.verbose),
        )
        made = chosen_by(path)
        made["chosen_names"] = ("C_per_row_", "total_weight_", "cv_error_")
        return self._make_algorithm(
            lambda problem, chosen: BarrierBoost(
                chosen["C_per_row_"] * chosen["total_weight_"], *settings
            ),
            link=VoteLink(),
            **made,
        )


class PricePath(ParameterPath):
    """Choice of a price per row, which means the same on a fold as on all rows."""

    def choose(self, problem: Problem, oracle: Oracle) -> Choice:
        """Choose the price per row; keep the weight that makes it a price."""
        numbers, facts = super().choose(problem, oracle)
        return Choice({**numbers, "total_weight_": problem.sample.total}, facts)

    def check_chosen(self, chosen: Chosen) -> None:
        """Check the price per row and the number of rows."""
        super().check_chosen(chosen)
        if "total_weight_" in chosen:
            check_number("total_weight_", chosen["total_weight_"], above=0.0)


def _check_positive(name: str, value: float) -> None:
    """Raise unless the price is positive."""
    check_number(name, value, above=0.0)
