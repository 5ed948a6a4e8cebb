"""One line for noisy labels: audit, choose ν, fit the certified soft-margin model.

Problem: the ν of the soft-margin program (R2-A3) should be above the share of wrong labels,
which nobody knows. An audit estimates it, and how far each label can be trusted; the program is
then solved with a ν that leaves room for it, each row weighing as much as it is trusted.

Certificate: that of LPBoost, for the weights that the audit gave the rows.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np

from ..algorithms.lpboost import LPBoost, LPBoostClassifier
from ..core.oracle import Oracle
from ..core.sample import Sample
from ..data import BinnedMatrix
from ..estimators.classifier import BaseMarginClassifier, TrainingSet, document
from ..estimators.inputs import read_weights
from ..estimators.multiclass import Reduction
from ..model import Features
from ..model.features import FeatureRows
from ..types import Array
from ..validation import check_choice, check_number
from .audit import LabelAudit

POLICIES = ("downweight", "drop", "relabel", "keep")
SAME_NOISE = 1e-6
"""Difference of two estimates of noise up to which the audits are the same."""


@document
class RobustBoostClassifier(LPBoostClassifier):
    """A noise-robust default: audits its labels, then fits LPBoost with a ν that suits them.

    Parameters
    ----------
    estimator : Oracle, scikit-learn estimator or None
        Base learner; None is the exact stump, with which the bounds are proven.
    n_estimators : int
        Most rounds.
    policy : {"downweight", "drop", "relabel", "keep"}
        What happens to suspect rows: every row weighs as much as its label is trusted, the flagged
        ones are left out, or get the suggested label, or all stay as they are.
    fdr : float
        Share of false alarms allowed among the flagged rows.
    cv : int
        Folds of the audit.
    solver : {"auto", "simplex", "interior", "smooth"}
        Master problem, as in :class:`~marginboost.LPBoostClassifier`.
    solver_time_limit : float or None
        Most seconds for one master problem.
    tol : float or None
        Gap at which to stop.
    {common}

    Attributes
    ----------
    noise_rate_ : float
        Estimated share of wrong labels.
    nu_ : float
        The ν that follows: three times the share of wrong labels that is left after the policy, or
        of rows that the base learner cannot fit where that is more; both by weight, and ν within
        0.05 and 0.9.
    trust_ : array
        Probability that each row's label is right; 1 for rows of weight 0.
    rho_ : float
        The margin ρ that all rows but those bought off reach.
    {fitted}

    Examples
    --------
    >>> from marginboost import RobustBoostClassifier
    >>> from marginboost.datasets import circle_2d, flip_labels
    >>> X, y = circle_2d(300)
    >>> noisy, flipped = flip_labels(y, 0.2)
    >>> model = RobustBoostClassifier().fit(X, noisy)
    >>> bool(model.trust_[flipped].mean() < 0.5 < model.trust_[~flipped].mean())
    True
    """

    summary: ClassVar[dict[str, str]] = {
        "problem": "LPBoost on audited labels: ν and row weights from the estimated noise",
        "guarantee": "as LPBoost, for the weights that the audit gives",
        "reference": "Rätsch 2001, eq. 4.12; Chan 2015",
    }
    nu = C = None  # no parameters here
    chosen_names = ("nu_", "noise_rate_")

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 1000,
        policy: str = "downweight",
        fdr: float = 0.2,
        cv: int = 5,
        solver: str = "auto",
        solver_time_limit: float | None = None,
        tol: float | None = 1e-3,
        max_bins: int | None = 255,
        categorical_features: Any = "from_dtype",
        callbacks: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        BaseMarginClassifier.__init__(
            self,
            estimator,
            n_estimators=n_estimators,
            tol=tol,
            max_bins=max_bins,
            categorical_features=categorical_features,
            callbacks=callbacks,
            n_jobs=n_jobs,
            random_state=random_state,
            verbose=verbose,
        )
        self.policy = policy
        self.fdr = fdr
        self.cv = cv
        self.solver = solver
        self.solver_time_limit = solver_time_limit

    def check_parameters(self) -> None:
        """Check the settings."""
        super().check_parameters()
        check_choice("policy", self.policy, POLICIES)
        check_number("fdr", self.fdr, at_least=0.0, below=1.0)
        check_number("cv", self.cv, at_least=2, integer=True)

    def check_chosen(self, chosen: Mapping[str, float]) -> None:
        """Check ν."""
        if "nu_" in chosen:
            check_number("nu", chosen["nu_"], above=0.0, at_most=1.0)

    def make_rule(self, sample: Sample) -> LPBoost:
        """LPBoost with the ν that suits the labels."""
        return self._rule(self.nu_)

    def learn(self, data: TrainingSet, oracle: Oracle, reduction: Reduction) -> None:
        """Audit the labels, then learn from what the policy makes of them."""
        index = data.labels
        used, audit = self._audit(data.rows, index, data.weights)
        self.noise_rate_ = audit.noise_rate_
        self.trust_ = np.ones(len(index))
        self.trust_[used] = audit.score_
        labels, weights = self._cleaned(used, audit, index, data.weights)
        as_given = np.where(labels == index, weights, 0.0)[used]
        self.nu_ = audit.evidence.nu_for(self.estimator, as_given)
        super().learn(replace(data, labels=labels, weights=weights), oracle, reduction)

    def _audit(self, rows: FeatureRows, index: Array, weights: Array) -> tuple[Array, LabelAudit]:
        """Rows with weight, and the audit of their labels."""
        if isinstance(rows, BinnedMatrix):
            raise TypeError("X: got a BinnedMatrix, expected the rows themselves, to be audited")
        used = np.flatnonzero(weights > 0)
        table = rows if len(used) == len(index) else rows.take(used)
        audit = LabelAudit(
            cv=self.cv, fdr=self.fdr, n_jobs=self.n_jobs, random_state=self.random_state
        )
        return used, audit.fit_table(table.source, table, index[used])

    def _cleaned(
        self, used: Array, audit: LabelAudit, index: Array, weights: Array
    ) -> tuple[Array, Array]:
        """Labels and weights after the policy."""
        index, weights = index.copy(), weights.copy()
        if self.policy == "downweight":
            weights[used] *= audit.score_
        elif self.policy == "drop":
            weights[used[audit.flagged_]] = 0.0
        elif self.policy == "relabel":
            index[used] = np.where(audit.flagged_, audit.suggested_codes_, index[used])
        return index, weights

    def training_set(self, X: Any, y: Any, sample_weight: Any = None) -> tuple[Array, Array]:
        """Labels and weights that a fit to these rows learns from: the audit is made again.

        It repeats with the same releases of the libraries, and a ``random_state`` that is no
        object. A warning says if it does not agree with the audit of the fit.
        """
        rows, index = self._read_labelled(X, y)
        weights = read_weights(sample_weight, rows.n_rows)
        used, audit = self._audit(rows, index, weights)
        if abs(audit.noise_rate_ - self.noise_rate_) > SAME_NOISE:
            warnings.warn(
                f"the audit of these rows estimates a noise of {audit.noise_rate_:.4g}, that of "
                f"the fit {self.noise_rate_:.4g}: these are other rows or labels, or the libraries "
                "have changed; weights are not those of the fit",
                stacklevel=2,
            )
        index, weights = self._cleaned(used, audit, index, weights)
        return self.classes_[index], weights

    def problem_copy(self, features: Features, **changed: Any) -> Self:
        """Copy for one problem of two classes: the audit is of all classes, and already done."""
        problem = super().problem_copy(features, **changed)
        for name, value in self._chosen().items():
            setattr(problem, name, value)
        return problem
