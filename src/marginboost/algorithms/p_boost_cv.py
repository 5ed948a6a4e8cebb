"""p-boosting that chooses p itself (BA-A9: by held-out rows).

Problem: which hull suits the noise of the labels is not known beforehand. The source takes the p of
the least test error, which is no choice that could be made; here it is cross-validation.

The folds share their bins. For the variants whose hypotheses do not depend on p, "sloppy-as-run"
and "naive" with AdaBoost's weights, one run per fold serves every p: only coefficients differ.

Reference: Barnes 1999, sections 2.4 and 5.3.3.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, ClassVar

from ..core.ensemble import Ensemble
from ..core.oracle import Oracle
from ..core.run import Run, train
from ..core.sample import Sample
from ..estimators.classifier import BaseMarginClassifier, document
from ..estimators.constructors import forward
from ..fitting.algorithm import Algorithm
from ..fitting.cross_validation import ParameterPath, chosen_by
from ..validation import Constraints, Effects, check_number, is_verbose
from .p_boost import PBoostClassifier, hull_rule

PS = (0.8, 1.0, 1.2, 1.5, 2.0, 3.0)


@document
class PBoostClassifierCV(BaseMarginClassifier):
    """p-boosting that chooses p by cross-validation.

    Parameters
    ----------
    estimator : Oracle, scikit-learn estimator or None
        Base learner; None is the exact stump.
    n_estimators : int
        Most rounds.
    ps : sequence of float or None
        Values of p to choose from, each above 0; None is six values from 0.8 to 3.
    choice : {"best", "one-se"}
        Smallest error in cross-validation, or the smallest p whose error is within one standard
        error of that.
    cv : int, splitter, iterable of splits, or None
        Number of folds, fewer where a class has fewer rows; or what scikit-learn takes: a splitter
        splits the rows with weight, listed splits name rows of X. None is 5.
    variant : str
        As in :class:`PBoostClassifier`.
    search : {"newton", "published", "global"}
        Line search of "strict".
    weight_update : {"adaboost", "pboost"}
        Of "naive".
    signed : bool
        Of "naive".
    penalty : float
        Of "gravity".
    acceleration : float
        Of "accelerated".
    max_restarts : int
        How often a run that finds no step or no edge goes on from the prior weights.
    tol : float or None
        Stop when the bounds on the largest margin are this close.
    {common}

    Attributes
    ----------
    p_ : float
        The chosen p.
    cv_results_ : dict
        For every p: mean error and its standard error over the folds, the errors, rounds, seconds.
    cv_error_ : float
        Mean error of the chosen p over the folds.
    {fitted}

    Examples
    --------
    >>> from marginboost import PBoostClassifierCV
    >>> from marginboost.datasets import ring
    >>> model = PBoostClassifierCV(ps=[1.0, 2.0], n_estimators=20).fit(*ring(100, noise=0.1))
    >>> model.p_ in (1.0, 2.0)
    True
    """

    __summary__: ClassVar[dict[str, str]] = {
        "problem": "p-boosting, with p chosen by cross-validation",
        "guarantee": "as PBoost; errors of all p with standard errors",
        "reference": "Barnes 1999, section 5.3.3",
    }
    __constraints__: ClassVar[Constraints] = {
        name: constraint
        for name, constraint in PBoostClassifier.__constraints__.items()
        if name != "p"
    }
    __effects__: ClassVar[Effects] = PBoostClassifier.__effects__

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 100,
        ps: Any = None,
        choice: str = "best",
        cv: Any = 5,
        variant: str = "strict",
        search: str = "newton",
        weight_update: str = "adaboost",
        signed: bool = False,
        penalty: float = 0.1,
        acceleration: float = 0.5,
        max_restarts: int = 0,
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
        self.ps = ps
        self.choice = choice
        self.cv = cv
        self.variant = variant
        self.search = search
        self.weight_update = weight_update
        self.signed = signed
        self.penalty = penalty
        self.acceleration = acceleration
        self.max_restarts = max_restarts

    def _algorithm(self) -> Algorithm:
        """Check the parameters, and make the algorithm that they mean."""
        path = HullPath(
            *("p", "ps", self.ps, PS, lambda p, sample: hull_rule(self, p)),
            *(lambda sample: self.n_estimators or 1, _check_p),
            *(self.cv, self.choice),
            tol=self.tol,
            verbose=is_verbose(self.verbose),
        )
        return self._make_algorithm(
            lambda problem, chosen: hull_rule(self, chosen["p_"]), **chosen_by(path)
        )


def _check_p(name: str, value: float) -> None:
    """Raise unless p is above 0."""
    check_number(name, value, above=0.0)


class HullPath(ParameterPath):
    """Choice of p: the smallest hull comes first, and one run may serve every p."""

    def values(self) -> list[float]:
        """Checked values; the smallest hull first."""
        return super().values()[::-1]

    def runs(self, sample: Sample, oracle: Oracle, values: list[float]) -> Iterator[Run]:
        """Yield the run of every p; one run is enough where hypotheses do not depend on it."""
        rule = self.rule(values[-1], sample)
        if not rule.raw_weights:
            yield from super().runs(sample, oracle, values)
            return
        run = train(sample, oracle, rule, max_rounds=self.rounds(sample), tol=self.tol)
        if not 0 < len(run.ensemble) == len(rule.raw_coef):  # none found, or some have vanished
            yield from super().runs(sample, oracle, values)
            return
        for value in values:
            ensemble = Ensemble(run.ensemble.members, rule.coef_at(value))
            yield replace(run, ensemble=ensemble, scores=sample.scores(ensemble))
