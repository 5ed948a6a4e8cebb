"""ASSEMBLE: boosting with unlabelled rows, by their margins (CH-M8).

Problem: minimise, with p the prior weights, L the labelled and U the unlabelled rows,

    Σ_L p_i exp(-y_i F(x_i)) + Σ_U p_i exp(-|F(x_i)|),     F = Σ_t α_t h_t.

An unlabelled row has the margin |F|, that of the label it would be given, sign F: the vote is to
be far from 0 wherever rows are. Weights are d_i ∝ p_i exp(-margin), signed by that label; a row of
score 0, such as all unlabelled ones before the first round, has none. The step minimises the loss
along the hypothesis with the guessed labels as they are; guesses follow the scores afterwards.

Guarantee: the loss never rises, for where a guess changes the margin is larger than with the old
one; the share of weight of labelled rows that are wrong is at most the loss. Without unlabelled
rows it is AdaBoost, certificate included; with some, nothing is proven of margins.

References: Bennett, Demiriz & Maclin, *Exploiting unlabeled data in ensemble methods*, 2002;
d'Alché-Buc, Grandvalet & Ambroise, *Semi-supervised MarginBoost*, 2002.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar, Self

import numpy as np

from ..core.oracle import Candidate
from ..core.rule import Rule
from ..core.sample import Sample
from ..core.state import State
from ..core.stop import Stop
from ..estimators.classifier import BaseMarginClassifier, document
from ..estimators.constructors import forward
from ..fitting.algorithm import Algorithm
from ..fitting.inputs import class_positions, learn_classes, weigh_classes
from ..fitting.reduction import ONE_VS_REST, Reduction
from ..fitting.rows import TrainingRows
from ..model.features import FeatureRows, Features
from ..solvers.line_search import exponential_step, longest_step
from ..types import Array
from ..validation import Constraints, Number
from .adaboost import ROUNDING, STEEP, TINY

UNLABELLED = -1
"""What y has for a row without a label, as everywhere in scikit-learn."""


class Assemble(Rule):
    """Exponential loss of margins, where unlabelled rows, of label 0, have the margin |F|.

    Parameters
    ----------
    learning_rate : float
        Factor on every coefficient.
    """

    def __init__(self, learning_rate: float = 1.0) -> None:
        self.learning_rate = learning_rate
        self._guesses = False
        self._loss = 1.0

    @property
    def uncertified_reason(self) -> str:  # type: ignore[override]
        """Guessed labels prove nothing."""
        return "the labels of some rows are guesses" if self._guesses else ""

    def start(self, state: State) -> None:
        """Weights that follow the present scores."""
        self._guesses = not state.sample.y.all()
        self._weigh(state)

    def value_of(self, outcomes: Array, l1_norm: float, sample: Sample) -> float:
        """Smallest margin of the labelled rows."""
        return float(outcomes[sample.y != 0].min()) / (l1_norm or 1.0)

    def upper(self, state: State, edge: float) -> float:
        """Largest edge (R1-C16); of guessed labels it proves nothing."""
        return 1.0 if self._guesses else edge

    def update(self, state: State, found: list[Candidate]) -> Stop | None:
        """Add the hypothesis with the step that is best for labels and guesses; guess anew."""
        best = found[0]
        if best.edge <= ROUNDING:
            state.note(coef=0.0, loss=self._loss)
            return Stop.NO_EDGE
        full = self._full_step(state, best)
        perfect = math.isinf(full) and best.binary
        if perfect:  # nothing but it
            state.restart()
        step = 1.0 if perfect else self.learning_rate * min(full, longest_step(best.column))
        state.move(best, step)
        self._weigh(state)
        state.note(coef=step, loss=self._loss, min_margin=state.min_margin, length=state.l1_norm)
        return Stop.PERFECT if perfect else None

    def _full_step(self, state: State, best: Candidate) -> float:
        if best.binary and best.edge < STEEP:
            return math.atanh(best.edge)
        signs = _signs(state)
        weights = np.where(signs == 0.0, 0.0, np.maximum(np.abs(state.dual), TINY))
        return exponential_step(weights, signs * best.column)

    def _weigh(self, state: State) -> None:
        """Weights and guesses of the present scores; their loss, and the smallest margin."""
        sample, signs = state.sample, _signs(state)
        margins = signs * state.scores
        decided = signs != 0.0
        least = float(margins[decided].min())
        weights = np.where(decided, sample.prior * np.exp(least - margins), 0.0)
        state.dual[:] = signs * (weights / weights.sum())
        undecided = float(sample.prior[~decided].sum())
        self._loss = float(weights.sum()) * math.exp(min(-least, 700.0)) + undecided
        if state.l1_norm > 0.0:
            state.min_margin = float(margins[sample.y != 0].min()) / state.l1_norm


def _signs(state: State) -> Array:
    """Labels; of unlabelled rows the sign of the score."""
    y = state.sample.y.astype(np.float64)
    return np.where(y == 0.0, np.sign(state.scores), y)


@document
class AssembleClassifier(BaseMarginClassifier):
    """AdaBoost that learns from unlabelled rows too: those with the label -1.

    Unlabelled rows are to be far from the boundary, on whichever side they are. That makes up for
    wrong labels where classes are apart; where the first guesses are bad it makes them worse.

    Parameters
    ----------
    estimator : Oracle, scikit-learn estimator or None
        Base learner; None is the exact stump.
    n_estimators : int
        Most rounds.
    learning_rate : float
        Factor on every coefficient.
    unlabelled_share : float
        Share of the weight that all unlabelled rows have together, in (0, 1).
    tol : float or None
        Stop when the bounds on the largest margin are this close; None never does.
    {common}

    Attributes
    ----------
    transduction_ : array
        Labels of all rows: those given, and those found for unlabelled rows. In ``margins_`` these
        count as theirs.
    {fitted}

    References
    ----------
    Bennett, Demiriz and Maclin, *Exploiting unlabeled data in ensemble methods*, 2002.

    Examples
    --------
    >>> from marginboost import AssembleClassifier
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, truth = load_breast_cancer(return_X_y=True)
    >>> y = np.where(np.arange(len(truth)) < 60, truth, -1)
    >>> model = AssembleClassifier().fit(X, y)
    >>> model.classes_.tolist(), bool((np.diff(model.history_["loss"]) <= 0).all())
    ([0, 1], True)
    """

    __summary__: ClassVar[dict[str, str]] = {
        "problem": "least exponential loss; an unlabelled row has the size of its score as margin",
        "guarantee": "the loss never rises; without unlabelled rows as AdaBoost",
        "reference": "Bennett, Demiriz & Maclin 2002",
    }
    __constraints__: ClassVar[Constraints] = {
        "learning_rate": Number(above=0.0),
        "unlabelled_share": Number(above=0.0, below=1.0),
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 50,
        learning_rate: float = 1.0,
        unlabelled_share: float = 0.1,
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
        self.unlabelled_share = unlabelled_share

    def _algorithm(self) -> Algorithm:
        """Make the algorithm that the parameters mean."""
        return self._make_algorithm(lambda problem, chosen: Assemble(self.learning_rate))

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array, sparse matrix, data frame or BinnedMatrix
            Rows. NaN is a missing value.
        y : array-like
            Labels of two or more classes; -1, "-1" among texts, is a row without one.
        sample_weight : array-like, optional
            Nonnegative weights; a weight of 2 means the same as two copies of the row, a weight of
            0 the same as no row.

        Returns
        -------
        self
        """
        return super().fit(X, y, sample_weight)

    def _training_rows(
        self, rows: FeatureRows, features: Features, labels: Array, weights: Array
    ) -> TrainingRows:
        """Rows of a fit; rows without a label share the weight that they have together."""
        unlabelled = labels == (str(UNLABELLED) if labels.dtype.kind in "US" else UNLABELLED)
        known, weights = ~unlabelled, weights.copy()
        if not known.any():
            raise ValueError("y: got no label but -1, which is that of unlabelled rows")
        weights[known] = weigh_classes(self.class_weight, labels[known], weights[known])
        classes = learn_classes(labels[known], weights[known])
        apart = float(weights[unlabelled].sum())
        if apart > 0.0:
            share = self.unlabelled_share / (1.0 - self.unlabelled_share)
            weights[unlabelled] *= share * float(weights[known].sum()) / apart
        codes = np.full(len(labels), UNLABELLED)
        codes[known] = class_positions(classes, labels[known])
        read_more = self._reader(features, classes)
        return TrainingRows(features, rows, weights, read_more, classes=classes, codes=codes)

    def _fit_rows(
        self,
        algorithm: Algorithm,
        rows: TrainingRows,
        reduction: Reduction = ONE_VS_REST,
        **given: Any,
    ) -> Self:
        """Fit the model to rows that are read; give labels to those without."""
        if reduction is not ONE_VS_REST:
            raise TypeError(
                f"code: got {reduction.code!r}, expected each class against all others: rows that "
                "a problem leaves out would count as unlabelled"
            )
        super()._fit_rows(algorithm, rows, reduction, **given)
        votes = self.model_.votes(rows.rows, self.n_jobs)
        found = class_positions(rows.labels, self.model_.labels(votes))
        codes = np.where(rows.truth == UNLABELLED, found, rows.truth)
        self.margins_ = self.model_.margins(rows.rows, codes, self.n_jobs)
        self.transduction_ = rows.labels[codes]
        return self
