"""Gradient boosting with second-order trees, any loss (CH-A0, CH-A8, CH-A8b).

Problem: minimise the loss of a sum of trees, one tree per round, with p the prior weights:

    min_F  Σ_i p_i L(y_i, F(x_i)),    F = F_0 + Σ_t ν s_t h_t

F_0 is the best constant. A round takes slopes g = -∂L/∂F and curvatures h = ∂²L/∂F² at the present
scores; the base learner answers with a tree h_t and the factor s_t that it means it to have, for a
:class:`~marginboost.GradientTreeOracle` Newton's step in every leaf; ν is the learning rate.
With ``step="search"`` the factor is ``argmin_s Σ p L(y, F + s h_t)`` instead, for base learners
that know slopes only.

Bounds are on the share of the best constant's loss that is saved: from below by the model, from
above by 1, for no loss is negative. No certificate is claimed, and any loss will do, also one that
is not convex. Rate: none is claimed.

Named cases: squared loss, L2Boost (CH-A6); logistic loss with F_0 = 0 and ν = 1, LogitBoost;
exponential loss the same way, Gentle AdaBoost; exponential loss, ±1 stumps and line search,
AdaBoost (CH-C14).

References: Friedman, *Greedy function approximation: a gradient boosting machine*, 2001; Friedman,
*Stochastic gradient boosting*, 2002.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from ..core.ensemble import Ensemble
from ..core.objective import TrainingLoss
from ..core.oracle import Candidate
from ..core.parts import ColumnOnParts, Part
from ..core.rule import Rule
from ..core.sample import Sample
from ..core.state import State
from ..core.stop import Stop
from ..duals.newton import NewtonWeights
from ..estimators.constructors import forward
from ..estimators.staged import StagedClassifier
from ..fitting.algorithm import Algorithm
from ..fitting.rows import TrainingRows
from ..kernels.exact import exact_sum, rounded
from ..losses import Loss, as_loss, as_target_loss
from ..oracles.tree_hypothesis import constant_candidate
from ..solvers.line_search import FARTHEST, ROUNDING, best_constant
from ..solvers.penalised_loss import PenalisedLoss
from ..types import Array
from ..validation import Constraints
from ._second_order import SecondOrderClassifier, document_trees

STEPS = ("scale", "search")


class GradientBoost(Rule):
    """Lower per loss by one tree per round.

    Parameters
    ----------
    loss : Loss or str
        Any loss.
    learning_rate : float
        Factor on every coefficient.
    step : {"scale", "search"}
        Coefficient before that factor: the one that the base learner means, or the best one.
    constant : bool
        Whether to begin with the best constant, or with nothing.
    """

    on_parts = True

    def __init__(
        self,
        loss: Loss | str = "logistic",
        learning_rate: float = 0.1,
        step: str = "scale",
        constant: bool = True,
    ) -> None:
        self.loss = as_target_loss("loss", loss)
        self.learning_rate = learning_rate
        self.step = step
        self.constant = constant
        self._weights = NewtonWeights(self.loss)

    @property
    def objective(self) -> TrainingLoss:
        """Training loss."""
        return TrainingLoss(self.loss)

    def start(self, state: State) -> None:
        """Begin with the best constant, or take up a run; then weights follow the scores."""
        sample = state.sample
        if sample.parts is not None and self.step != "scale":
            raise TypeError(f"step: got {self.step!r}, expected 'scale' on rows in parts")
        if sample.parts is not None and self.loss.median_leaves:
            raise TypeError(f"loss: got {self.loss!r}, whose medians are not had on rows in parts")
        best, self._least_constant = best_constant(self.loss, sample)
        if self.constant and best != 0.0 and not state.members:
            constant = constant_candidate(len(sample.y))
            if sample.parts is not None:
                ones: Any = ColumnOnParts(-1, np.dtype(np.int8), 1)
                constant = replace(constant, column=ones)
            state.move(constant, best)
        self._weights.refresh(state)

    def _loss_of(self, scores: Array, sample: Sample) -> float:
        losses = self.loss.value(self.loss.argument(sample.y.astype(np.float64), scores))
        return float(sample.prior @ losses)

    def value(self, state: State) -> float:
        """Share of the best constant's loss that is saved."""
        return self._saved(self._weights.mean_loss)

    def value_of(self, outcomes: Array, l1_norm: float, sample: Sample) -> float:
        """The same of any combination."""
        return self._saved(self._loss_of(sample.outcomes(outcomes), sample))

    def value_on(self, state: State, ensemble: Ensemble) -> float:
        """The same of a model on the rows of a run."""
        if state.sample.parts is None:
            return super().value_on(state, ensemble)
        return self._saved(rounded(sum(state.each(sum_losses, self.loss, ensemble))))

    def _saved(self, loss: float) -> float:
        return 1.0 - loss / self._least_constant if self._least_constant > 0.0 else 1.0

    def upper(self, state: State, edge: float) -> float:
        """No loss is below 0."""
        return 1.0

    def update(self, state: State, found: list[Candidate]) -> Stop | None:
        """Add the tree; weights and curvatures follow."""
        best = found[0]
        step = self._full_step(state, best) * self.learning_rate
        if abs(best.edge) <= ROUNDING or step == 0.0:
            state.note(coef=0.0, loss=self._weights.mean_loss)
            return Stop.NO_EDGE
        some_slope = self._weights.move(state, best, step)
        state.note(coef=step, loss=self._weights.mean_loss)
        return None if some_slope else Stop.STALLED

    def _full_step(self, state: State, best: Candidate) -> float:
        if self.step == "scale":
            return best.scale
        problem = PenalisedLoss(self.loss, 0.0, state.sample)
        return float(np.clip(problem.line_step(state.scores, best.column), -FARTHEST, FARTHEST))


def sum_losses(part: Part, loss: Loss, ensemble: Ensemble) -> int:
    """Exact sum of the weighted losses of a model."""
    sample = part.sample
    scores = sample.scores(ensemble)
    return exact_sum(sample.prior * loss.value(loss.argument(sample.y.astype(np.float64), scores)))


@document_trees
class GradientBoostClassifier(StagedClassifier, SecondOrderClassifier):
    """Gradient boosting with second-order trees on binned features.

    The logistic loss with defaults is what LightGBM, XGBoost and scikit-learn's
    HistGradientBoosting do. Other losses bound the pull of wrong labels: "savage" and "tangent"
    give hopeless rows up. Probabilities are by the loss's own link; :meth:`fit_soft_labels` takes a
    distribution over the classes for every row. With more than two classes
    there is a model for each class against all others; for the logistic loss
    :class:`SoftmaxBoostClassifier` fits them jointly.

    Parameters
    ----------
    estimator : Oracle, scikit-learn estimator or None
        Base learner; None is a :class:`~marginboost.GradientTreeOracle` with the settings below,
        which others do not read. With one that knows no curvature, use ``step="search"``.
    loss : str or Loss
        "logistic", "exponential", "squared", "squared-hinge", "smoothed-hinge", "hinge",
        "log-cosh", "huber", "epsilon-insensitive", "savage", "tangent",
        "generalised-cross-entropy", "robust-focal", "noisy-logistic", or a
        :class:`~marginboost.losses.Loss` with settings of its own.
    n_estimators : int
        Most rounds.
    learning_rate : float
        Factor on every coefficient, ν.
    {trees}
    {growth}
    {monotonic}
    splits : {"newton", "gradient"}
        Whether splits are judged with curvatures, or as least squares fits to the slopes.
    step : {"scale", "search"}
        Coefficient of a tree: as the tree means it, or by line search.
    tol : float or None
        With early stopping, the least improvement that counts; None is 1e-7. Without, stop when
        the training loss is below this share of the best constant's; None never does.
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
    >>> from sklearn.datasets import load_breast_cancer
    >>> from marginboost import GradientBoostClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = GradientBoostClassifier(n_estimators=50).fit(X, y)
    >>> bool(model.score(X, y) > 0.99)
    True
    """

    __capabilities__: ClassVar[dict[str, bool]] = {"rows_in_parts": True}
    __summary__: ClassVar[dict[str, str]] = {
        "problem": "least loss, any loss, one second-order tree per round",
        "guarantee": "none; bounds on the share of loss that is saved",
        "reference": "Friedman 2001, 2002",
    }
    __constraints__: ClassVar[Constraints] = {"step": STEPS}

    def __init__(
        self,
        estimator: Any = None,
        *,
        loss: Loss | str = "logistic",
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
        monotonic_cst: Any = None,
        splits: str = "newton",
        step: str = "scale",
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
        self.splits = splits
        self.max_features = max_features
        self.colsample_bytree = colsample_bytree
        self.min_split_gain = min_split_gain
        self.grow_policy = grow_policy
        self.interaction_cst = interaction_cst
        self.monotonic_cst = monotonic_cst
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.scoring = scoring
        self.warm_start = warm_start
        self.step = step

    def _algorithm(self) -> Algorithm:
        """Check the parameters, and make the algorithm that they mean."""
        loss = as_loss("loss", self.loss)
        return self._second_order(
            lambda problem, chosen: GradientBoost(loss, self.learning_rate, self.step),
            loss,
            check_rows=self._check_rows_suit,
        )

    def _check_rows_suit(self, rows: TrainingRows) -> None:
        """Raise where directions are given, but there is more than one score."""
        directions = getattr(self._trees(), "monotonic_cst", None)
        if len(rows.labels) > 2 and directions is not None:
            raise ValueError(
                f"monotonic_cst: got directions with {len(rows.labels)} classes, expected None "
                "with more than two: a column cannot raise the chances of all of them"
            )
        if rows.parts is not None and self.early_stopping is True:
            raise ValueError(
                "early_stopping: got True with rows in parts, expected False: none of them can be "
                "held back"
            )
