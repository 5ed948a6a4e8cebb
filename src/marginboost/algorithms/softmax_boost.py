"""Gradient boosting of several classes under one softmax (CH-A7, CH-A8).

Problem: minimise the multinomial log loss of a sum of trees, one per class and round,

    min_F  Σ_i p_i ( log Σ_l exp F_l(x_i) - F_{y_i}(x_i) ),    F_l = c_l + Σ_t ν s_t h_tl

or another function of the probability that the softmax gives the label
(:mod:`marginboost.losses.class_losses`), such as the likelihood of labels that a known noise has
changed.

The classes are fitted jointly: a class that has won a row leaves nothing for the others to do. Each
round takes Newton's step in every leaf with the diagonal of the curvature, times K / (K - 1)
(:mod:`marginboost.duals.softmax`); c are the logarithms of the classes' shares. With two classes it
is GradientBoost on the logistic loss, with F_2 - F_1 for its score; and on rows with one score it
is that algorithm itself.

Bounds are on the share of the constants' loss that is saved, as for GradientBoost: no
certificate is claimed. Rate: none is claimed.

Named cases: ν = 1, LogitBoost for K classes; ``GradientTreeOracle(splits="gradient")`` as base
learner, scikit-learn's ``GradientBoostingClassifier``.

References: Friedman, Hastie & Tibshirani, *Additive logistic regression*, 2000, algorithm 6;
Friedman, *Greedy function approximation: a gradient boosting machine*, 2001, algorithm 6.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from ..core.ensemble import Ensemble
from ..core.label_parts import PartedLabels, class_weights
from ..core.labels import LabelByLabel
from ..core.oracle import Candidate
from ..core.parts import Part, ask_samples
from ..core.sample import Sample
from ..core.state import ANYWHERE, State
from ..duals.softmax import ClassLossWeights, SoftmaxWeights
from ..estimators.classifier import document
from ..estimators.constructors import forward
from ..estimators.labels import LabelClassifier
from ..estimators.soft_labels import SoftLabels
from ..estimators.staged import StagedClassifier
from ..fitting.algorithm import Algorithm
from ..kernels.exact import exact_sum, rounded
from ..losses import ClassLoss, Softmax, as_class_loss
from ..model import ClassLossLink, SoftmaxLink
from ..oracles.gradient_trees import GradientTreeOracle
from ..oracles.label_hypotheses import TreePerLabel
from ..oracles.tree_hypothesis import constant_tree
from ..oracles.tree_per_label import TreePerLabelOracle
from ..types import Array
from ..validation import Constraints, Effects, Number
from ._second_order import LONGEST_STEP, OWN_TREES, document_trees, second_order_trees
from .gradient_boost import GradientBoost


class SoftmaxBoost(GradientBoost):
    """Lower the multinomial log loss, or another, by one tree per class and round.

    Parameters
    ----------
    learning_rate : float
        Factor on every coefficient.
    loss : ClassLoss or str
        Loss of the scores of all classes.
    """

    on_parts = True

    def __init__(self, learning_rate: float = 0.1, loss: ClassLoss | str = "softmax") -> None:
        super().__init__("logistic", learning_rate)
        self.class_loss = as_class_loss("loss", loss)

    def start(self, state: State) -> None:
        """Begin with the classes' shares, or take up a run; then weights follow the scores."""
        sample = state.sample
        if not isinstance(sample, LabelByLabel):
            super().start(state)
            return
        plain = type(self.class_loss) is Softmax
        self._weights = SoftmaxWeights() if plain else ClassLossWeights(self.class_loss)
        classes = np.arange(sample.n_classes)
        weights = ask_samples(sample, class_weights)
        shares = np.array([rounded(sum(column)) for column in zip(*weights, strict=True)])
        levels = np.log(shares) - np.log(shares).mean()
        constants = np.tile(levels, (sample.n_classes, 1))
        self._least_constant = float(shares @ self.class_loss.values(constants, classes))
        largest = float(np.abs(levels).max())
        if largest > 0.0 and not state.members:
            constants_of_all = _constants(levels / largest, len(sample.labels))
            if sample.parts is not None:
                constants_of_all = replace(constants_of_all, column=ANYWHERE)
            state.move(constants_of_all, largest)
        self._weights.refresh(state)

    def _loss_of(self, scores: Array, sample: Sample) -> float:
        if not isinstance(sample, LabelByLabel):
            return super()._loss_of(scores, sample)
        losses = self.class_loss.values(sample.label_weights(scores), sample.labels)
        return float(sample.example_prior @ losses)

    def value_on(self, state: State, ensemble: Ensemble) -> float:
        """Share saved by a model on the rows of a run."""
        if not isinstance(state.sample, PartedLabels):
            return super().value_on(state, ensemble)
        return self._saved(rounded(sum(state.each(sum_class_losses, self.class_loss, ensemble))))

    def mean_loss(self, truth: Array, scores: Array, weights: Array | None = None) -> float | None:
        """Mean loss of several classes; of one score per row the logistic one."""
        if truth.ndim == 1:
            return super().mean_loss(truth, scores, weights)
        losses = self.class_loss.values(scores, truth.argmax(axis=1))
        return float(np.average(losses, weights=weights))


def sum_class_losses(part: Part, loss: ClassLoss, ensemble: Ensemble) -> int:
    """Exact sum of the weighed losses of a model."""
    sample = part.sample
    assert isinstance(sample, LabelByLabel)
    losses = loss.values(sample.label_weights(sample.scores(ensemble)), sample.labels)
    return exact_sum(sample.example_prior * losses)


def _constants(levels: Array, n_examples: int) -> Candidate:
    """Make a constant for every class a candidate."""
    trees = tuple(constant_tree(level) for level in levels)
    return Candidate(TreePerLabel(trees), 0.0, np.tile(levels, n_examples))


@document_trees
@document
class SoftmaxBoostClassifier(StagedClassifier, SoftLabels, LabelClassifier):
    """Gradient boosting of several classes jointly, one tree per class and round.

    What LightGBM, XGBoost and scikit-learn's HistGradientBoosting do with several classes. Other
    losses are for labels of which some are wrong. Probabilities are the softmax of the scores, or
    what the loss makes of it; :meth:`fit_soft_labels` takes a distribution for every row.

    Parameters
    ----------
    estimator : GradientTreeOracle or None
        How trees are grown; None is by the settings below, which are not read otherwise.
    loss : str or ClassLoss
        "softmax", the multinomial log loss; "generalised-cross-entropy" and "robust-focal", which
        give hopeless rows up; "noisy-softmax", or
        :class:`~marginboost.losses.NoisySoftmax` with a transition matrix, for labels changed by a
        known noise (docs/noise-losses.md).
    n_estimators : int
        Most rounds.
    learning_rate : float
        Factor on every coefficient, ν.
    {trees}
    {growth}
    tol : float or None
        With early stopping, the least improvement that counts; None is 1e-7. Without, stop when
        the training loss is below this share of the best constants'; None never does.
    {staged}
    {common}

    Attributes
    ----------
    {staged fitted}
    {fitted}

    References
    ----------
    Friedman, *Greedy function approximation: a gradient boosting machine*, 2001.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from marginboost import SoftmaxBoostClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SoftmaxBoostClassifier(n_estimators=20, min_samples_leaf=5).fit(X, y)
    >>> model.predict_proba(X).shape, model.score(X, y) > 0.95
    ((150, 3), True)
    """

    __capabilities__: ClassVar[dict[str, bool]] = {"rows_in_parts": True}
    __summary__: ClassVar[dict[str, str]] = {
        "problem": "several classes: least multinomial log loss, one tree per class and round",
        "guarantee": "none; bounds on the share of loss that is saved",
        "reference": "Friedman, Hastie & Tibshirani 2000; Friedman 2001",
    }
    __constraints__: ClassVar[Constraints] = {"learning_rate": Number(above=0.0)}
    __effects__: ClassVar[Effects] = OWN_TREES

    def __init__(
        self,
        estimator: Any = None,
        *,
        loss: ClassLoss | str = "softmax",
        n_estimators: int = 100,
        learning_rate: float = 0.1,
        max_leaf_nodes: int | None = 31,
        max_depth: int | None = None,
        min_samples_leaf: float = 20,
        l2_regularization: float = 0.0,
        subsample: float = 1.0,
        max_features: float = 1.0,
        colsample_bytree: float = 1.0,
        min_split_gain: float = 0.0,
        grow_policy: str = "lossguide",
        interaction_cst: Any = None,
        tol: float | None = None,
        early_stopping: bool | str = False,
        validation_fraction: float | int | None = 0.1,
        n_iter_no_change: int = 10,
        scoring: Any = "loss",
        warm_start: bool = False,
        class_weight: Any = None,
        max_bins: int | None = 255,
        categorical_features: Any = "from_dtype",
        callbacks: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        forward(super().__init__, locals())
        self.loss = loss
        self.learning_rate = learning_rate
        self.max_leaf_nodes = max_leaf_nodes
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.l2_regularization = l2_regularization
        self.subsample = subsample
        self.max_features = max_features
        self.colsample_bytree = colsample_bytree
        self.min_split_gain = min_split_gain
        self.grow_policy = grow_policy
        self.interaction_cst = interaction_cst
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.scoring = scoring
        self.warm_start = warm_start

    def _algorithm(self) -> Algorithm:
        """Check the parameters, and make the algorithm that they mean."""
        loss = as_class_loss("loss", self.loss)
        return self._make_algorithm(
            lambda problem, chosen: SoftmaxBoost(self.learning_rate, loss),
            oracle=TreePerLabelOracle(self._trees()),
            label_rows=LabelByLabel,
            link=SoftmaxLink() if isinstance(loss, Softmax) else ClassLossLink(loss),
            check_rows=lambda rows: loss.matrix(len(rows.labels)),
        )

    def _trees(self) -> GradientTreeOracle:
        """Trees that are grown for every class."""
        trees = self.estimator
        if trees is None:
            trees = second_order_trees(self, max_step=LONGEST_STEP)
        if not isinstance(trees, GradientTreeOracle):
            raise TypeError(
                f"estimator: got {trees!r}, expected None or a GradientTreeOracle: other base "
                "learners read no curvature"
            )
        if trees.monotonic_cst is not None:
            raise ValueError(
                "estimator: got trees with monotonic_cst, expected None for it: a column cannot "
                "raise the chances of all classes (of two, GradientBoostClassifier takes it)"
            )
        return trees
