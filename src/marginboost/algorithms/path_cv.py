"""Soft-margin classifiers that choose ν or C themselves (R2-E7: by cross-validation; R2-Q8).

Problem: the right amount of regularisation depends on how noisy the labels are, which nobody knows
beforehand. Cross-validation estimates the test error of every value, with a standard error; the
ν-bound orders values without holding rows back, by ν plus a penalty that falls with the margin.

References: Rätsch 2001, sections 4.3.1 and 4.4.1; Breiman et al. 1984 for the rule of one standard
error.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from ..core.oracle import Oracle
from ..core.run import Run
from ..core.sample import Sample
from ..estimators.classifier import BaseMarginClassifier, document
from ..fitting.algorithm import Algorithm, Choice, Chosen
from ..fitting.cross_validation import ParameterPath, chosen_by
from ..fitting.problem import Problem
from ..model import VoteLink
from ..solvers.masters.choice import SIMPLEX_ROWS
from ..types import Array
from ..validation import Constraints, Effects, check_number, is_verbose
from .adaboost_reg import AdaBoostReg, AdaBoostRegClassifier, influences, probabilities_of
from .barrier_boost import BarrierBoost, BarrierBoostClassifier
from .lpboost import LPBoost, LPBoostClassifier, make_rule, rule_settings, soft_margin_facts

NUS = (0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7)
MISTRUSTS = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
COARSE = 0.01
"""Gap at which runs of a path stop."""
BELOW = 0.9
"""The largest ν that is tried where a class is rare, over that from which on it can be given up."""
PRICES = (0.001, 0.003, 0.01, 0.03, 0.1)


@document
class LPBoostClassifierCV(BaseMarginClassifier):
    """LPBoost that chooses ν by cross-validation, or by the ν-bound.

    Parameters
    ----------
    estimator : Oracle, scikit-learn estimator or None
        Base learner; None is the exact stump, with which the bounds are proven.
    n_estimators : int
        Most rounds.
    nus : sequence of float or None
        Values of ν to choose from, each in (0, 1], all tried on all folds; None is nine values from
        0.05 to 0.7, of which those are tried that let a row of each fold fall short and are below
        twice the share of the rarer class: all of them on the first fold, the best three on the
        others, on half of the rows, but at least 1,000 and at most 4,000. From twice that share on
        the rarer class can be given up; where that leaves values out, nine tenths of it is tried
        too. Often no ν below has a soft margin worth having, and fit warns:
        ``class_weight="balanced"`` makes the shares equal. Of several classes each is told from all
        others, so of K classes twice a share is about 2/K, with or without weights.
    choice : {"best", "one-se", "bound"}
        Smallest error in cross-validation, where rows weigh what they do in the fit: with
        ``class_weight="balanced"`` the mean of the errors of both classes; the largest ν whose
        error is within one standard error of that; or the smallest ν-bound (eq. 4.13) on all rows,
        where it exists.
    cv : int, splitter, iterable of splits, or None
        Number of folds, fewer where a class has fewer rows; or what scikit-learn takes: a splitter
        splits the rows with weight, listed splits name rows of X. None is 5.
    solver : {"auto", "simplex", "interior", "smooth"}
        Master problem, as in :class:`LPBoostClassifier`.
    solver_time_limit : float or None
        Most seconds for one master problem.
    tol : float or None
        Gap at which to stop.
    rtol : float
        Gap, over the soft margin reached, at which to stop too.
    {common}

    Attributes
    ----------
    nu_ : float
        The chosen ν.
    cv_results_ : dict
        For every ν: mean error and its standard error over the folds that it was tried on, their
        number, the errors (NaN where it was not tried), rounds, seconds.
    cv_error_ : float
        Mean error of the chosen ν over the folds.
    rho_ : float
        The margin ρ that all rows but those bought off reach.
    {fitted}

    Examples
    --------
    >>> from marginboost import LPBoostClassifierCV
    >>> from marginboost.datasets import circle_2d, flip_labels
    >>> X, y = circle_2d(200)
    >>> model = LPBoostClassifierCV(nus=[0.1, 0.3, 0.5]).fit(X, flip_labels(y, 0.1)[0])
    >>> model.nu_ in (0.1, 0.3, 0.5)
    True
    """

    summary: ClassVar[dict[str, str]] = {
        "problem": "largest soft margin, with ν chosen by cross-validation or the ν-bound",
        "guarantee": "as LPBoost; errors of all ν with standard errors",
        "reference": "Rätsch 2001, eq. 4.12, 4.13",
    }
    parameter_constraints: ClassVar[Constraints] = {
        name: LPBoostClassifier.parameter_constraints[name]
        for name in ("solver", "solver_time_limit", "rtol")
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 1000,
        nus: Any = None,
        choice: str = "best",
        cv: Any = 5,
        solver: str = "auto",
        solver_time_limit: float | None = None,
        tol: float | None = 1e-3,
        rtol: float = 0.0,
        class_weight: Any = None,
        max_bins: int | None = 255,
        categorical_features: Any = "from_dtype",
        callbacks: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            estimator,
            n_estimators=n_estimators,
            tol=tol,
            class_weight=class_weight,
            max_bins=max_bins,
            categorical_features=categorical_features,
            callbacks=callbacks,
            n_jobs=n_jobs,
            random_state=random_state,
            verbose=verbose,
        )
        self.nus = nus
        self.choice = choice
        self.cv = cv
        self.solver = solver
        self.solver_time_limit = solver_time_limit
        self.rtol = rtol

    def _algorithm(self) -> Algorithm:
        """Check the parameters, and make the algorithm that they mean."""
        coarse = None if self.tol is None else max(self.tol, COARSE)
        settings = rule_settings(self)
        solver = self.solver

        def compared(nu: float, sample: Sample) -> LPBoost:
            few = solver == "auto" and self.tol is not None and len(sample.y) <= SIMPLEX_ROWS
            # At such a gap an exact solution is not worth its time.
            own = "interior" if few else solver
            stumps = settings["stumps"] and solver == "auto"
            return LPBoost(nu, own, **{**settings, "least_margin": coarse, "stumps": stumps})

        path = NuPath(
            *("nu", "nus", self.nus, NUS, compared, lambda sample: self.n_estimators or 1),
            *(_check_nu, self.cv, self.choice),
            tol=coarse,
            choices=("best", "one-se", "bound"),
            most_rounds=50,
            finalists=3,
            verbose=is_verbose(self.verbose),
        )
        return self._make_algorithm(
            lambda problem, chosen: make_rule(problem, chosen["nu_"], None, solver, **settings),
            link=VoteLink(),
            facts=lambda outcome: soft_margin_facts(outcome, self.tol or 0.0, chosen=True),
            **chosen_by(path),
        )


def _check_nu(name: str, value: float) -> None:
    """Raise unless ν is a share."""
    check_number(name, value, above=0.0, at_most=1.0)


def _check_least_zero(name: str, value: float) -> None:
    """Raise for a negative C."""
    check_number(name, value, at_least=0.0)


def _check_positive(name: str, value: float) -> None:
    """Raise unless the price is positive."""
    check_number(name, value, above=0.0)


class NuPath(ParameterPath):
    """Choice of ν: by cross-validation where a class cannot be given up, or by the ν-bound."""

    def is_hopeless(self, run: Run) -> bool:
        """Whether no soft margin worth having exists: with ν, it only grows."""
        return self.tol is not None and run.certificate.upper <= self.tol

    def allowed(self, values: list[float], samples: list[Sample]) -> list[float]:
        """Values that let a row fall short, but not a class; listed ones are not left out."""
        if self.listed is not None:
            return values
        lightest = max(float(sample.prior.min()) for sample in samples)
        limit = 2.0 * min(_rarer_share(sample) for sample in samples)
        kept = [value for value in values if lightest <= value < limit]
        highest = float(f"{BELOW * limit:.2g}")
        if values[0] >= limit and highest >= lightest and highest > max(kept, default=0.0):
            kept = [highest, *kept]
        return kept or [1.0]

    def best(
        self, results: dict[str, Array], sample: Sample, oracle: Oracle
    ) -> tuple[int, dict[str, Array]]:
        """Position of the chosen ν."""
        if self.choice != "bound":
            return super().best(results, sample, oracle)
        from ..diagnostics.soft_margins import nu_bound  # here, not above: it brings the displays

        values = results["nu"].tolist()
        bounds = np.full(len(values), np.inf)
        for j, run in enumerate(self.runs(sample, oracle, values)):
            try:
                bounds[j] = nu_bound(
                    run.margins, values[j], vc_dimension=2.0, sample_weight=sample.prior
                ).value
            except ValueError:  # no positive margin: the bound says nothing
                continue
        if not np.isfinite(bounds).any():
            raise ValueError(
                "choice: got 'bound', but no value of nus has a positive margin; expected larger "
                "values, or another choice"
            )
        return int(np.argmin(bounds)), {"bound": bounds}


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
    {fitted}
    """

    summary: ClassVar[dict[str, str]] = {
        "problem": "AdaBoost_Reg, with C chosen by cross-validation",
        "guarantee": "as AdaBoost_Reg; errors of all C with standard errors",
        "reference": "Rätsch 2001, Alg. 4.5, section 4.4.1",
    }
    parameter_constraints: ClassVar[Constraints] = {
        name: AdaBoostRegClassifier.parameter_constraints[name]
        for name in ("base", "target_margin", "max_step")
    }
    parameter_effects: ClassVar[Effects] = AdaBoostRegClassifier.parameter_effects

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
        super().__init__(
            estimator,
            n_estimators=n_estimators,
            tol=tol,
            class_weight=class_weight,
            max_bins=max_bins,
            categorical_features=categorical_features,
            callbacks=callbacks,
            n_jobs=n_jobs,
            random_state=random_state,
            verbose=verbose,
        )
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

    summary: ClassVar[dict[str, str]] = {
        "problem": "barrier boosting, with C chosen by cross-validation",
        "guarantee": "as BarrierBoost; errors of all C with standard errors",
        "reference": "Rätsch 2001, Alg. 4.7, section 4.4.1",
    }
    C_per_row_: float
    parameter_constraints: ClassVar[Constraints] = {
        name: BarrierBoostClassifier.parameter_constraints[name]
        for name in ("steps", "beta", "factor")
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
        super().__init__(
            estimator,
            n_estimators=n_estimators,
            tol=tol,
            class_weight=class_weight,
            max_bins=max_bins,
            categorical_features=categorical_features,
            callbacks=callbacks,
            n_jobs=n_jobs,
            random_state=random_state,
            verbose=verbose,
        )
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


def _rarer_share(sample: Sample) -> float:
    """Share of the weight that the rarer class has."""
    positive = float(sample.prior[sample.y > 0].sum())
    return min(positive, 1.0 - positive)
