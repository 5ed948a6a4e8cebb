"""LPBoost that chooses ν itself (R2-E7: by cross-validation; R2-Q8).

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
from ..estimators.constructors import forward
from ..fitting.algorithm import Algorithm
from ..fitting.cross_validation import ParameterPath, chosen_by
from ..model import VoteLink
from ..solvers.masters.choice import SIMPLEX_ROWS
from ..types import Array
from ..validation import Constraints, check_number, is_verbose
from .lpboost import LPBoost, LPBoostClassifier, make_rule, rule_settings, soft_margin_facts

NUS = (0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7)
COARSE = 0.01
"""Gap at which runs of a path stop."""
BELOW = 0.9
"""The largest ν that is tried where a class is rare, over that from which on it can be given up."""


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
        The margin ρ that all rows without slack attain.
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

    __summary__: ClassVar[dict[str, str]] = {
        "problem": "largest soft margin, with ν chosen by cross-validation or the ν-bound",
        "guarantee": "as LPBoost; errors of all ν with standard errors",
        "reference": "Rätsch 2001, eq. 4.12, 4.13",
    }
    __constraints__: ClassVar[Constraints] = {
        name: LPBoostClassifier.__constraints__[name]
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
        forward(super().__init__, locals())
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


def _rarer_share(sample: Sample) -> float:
    """Share of the weight that the rarer class has."""
    positive = float(sample.prior[sample.y > 0].sum())
    return min(positive, 1.0 - positive)
