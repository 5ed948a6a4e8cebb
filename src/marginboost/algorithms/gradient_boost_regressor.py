"""Gradient boosting of numbers: the rule of gradient_boost.py with losses of the residual (CH-A8).

Problem, with p the prior weights and u the spread of the targets, their median distance from their
median:

    min_F  Σ_i p_i u² φ((y_i - F(x_i)) / u),    F = F_0 + Σ_t ν s_t h_t.

Losses with a size of their own (Huber's σ, the tube ε) are thus in units of the spread, and a model
of targets in other units is the same model. For the squared loss u makes no difference.

Trees read slopes and, instead of second derivatives, the curvature of the parabola that touches the
loss (``duals/newton.py``). Where φ'(t) / t falls, as for the squared, log-cosh and Huber losses, a
full step in every leaf, a weighted mean of its residuals, never raises the training loss. Far out
second derivatives vanish, and Newton's step would have no end.

Certificate: as of the rule, the share of the best constant's loss that is saved.

References: Friedman 2001; Huber 1964; De Leeuw & Lange 2009 (parabolas).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..core.parts import ask_samples
from ..core.sample import Sample
from ..estimators.constructors import forward
from ..estimators.several_targets import SeveralTargetsRegressor
from ..fitting.algorithm import Algorithm, Choice, Chosen
from ..fitting.problem import Problem
from ..kernels.exact import exact_sum, grid, rounded
from ..losses import Loss, MeanLoss, ResidualLoss, as_target_loss
from ..losses.tweedie import LARGEST_SCORE
from ..solvers.masters.quantile import quantile
from ..types import Array
from ..validation import Constraints, Effects, Number, check_number
from ._second_order import OWN_TREES, document_trees, second_order_trees
from .gradient_boost import STEPS, GradientBoost

LONGEST_STEP = 2.0
"""Largest leaf, before the learning rate, of a logarithm: a factor of seven on the mean."""
SAME = 2.0**-48
"""Share of the median within which targets are equal but for rounding: sixteen units of their last
binary digit."""
WIDEST = 2.0**-200
"""Share of the largest distance below which a distance is no unit: in it, fourth powers of targets
would be beyond all numbers."""
FEW = 2.0**-17
"""Share of the largest distance below which the mean one is that of a few rows that outweigh all
others, or of a few among a hundred thousand: no unit for the others."""
SMALLEST_UNIT = 2.0**-1000
"""Distances that are not above it lose digits, and have no reciprocal with weights."""


@dataclass(frozen=True)
class SpreadLoss(ResidualLoss):
    """A loss of the residual in units of the targets' spread.

    Parameters
    ----------
    loss : ResidualLoss
        φ.
    unit : float
        The spread u, above 0.
    """

    loss: Loss
    unit: float = 1.0

    @property
    def convex(self) -> bool:  # type: ignore[override]
        """As φ."""
        return self.loss.convex

    @property
    def symmetric(self) -> bool:  # type: ignore[override]
        """As φ."""
        return self.loss.symmetric

    @property
    def median_leaves(self) -> bool:  # type: ignore[override]
        """As φ."""
        return self.loss.median_leaves

    @property
    def squared_unit(self) -> float | None:  # type: ignore[override]
        """The unit, where φ is the squared loss."""
        return self.unit if self.loss.squared_unit == 1.0 else None

    @property
    def dual_range(self) -> tuple[float, float]:
        """That of φ, times the unit."""
        low, high = self.loss.dual_range
        return self.unit * low, self.unit * high

    def value(self, t: Array) -> Array:
        """``u² φ(r / u)``."""
        return self.unit**2 * self.loss.value(t / self.unit)

    def dual(self, t: Array) -> Array:
        """``u φ'(r / u)``."""
        return self.unit * self.loss.dual(t / self.unit)

    def curvature(self, t: Array) -> Array:
        """``φ''(r / u)``."""
        return self.loss.curvature(t / self.unit)


def spread(targets: Array, prior: Array) -> float:
    """Unit of targets: median distance from the median, or another that numbers can resolve.

    A distance that is rounding of the median, or beside which the farthest one is beyond all
    measure, is no unit: then it is the mean distance, or the largest where the mean is far below
    it; and 1 for a constant.

    >>> third = np.full(3, 1 / 3)
    >>> spread(np.array([0.0, 1.0, 5.0]), third), spread(np.ones(3), third)
    (1.0, 1.0)
    >>> spread(np.array([0.3, 0.1 + 0.2, 0.3]), third)
    1.0
    """
    return spread_of(Sample.of_targets(targets, prior))


def spread_of(sample: Sample) -> float:
    """The same of a sample, wherever its rows are: sums are exact, so they make no difference."""
    ends = ask_samples(sample, farthest, Distances(None))
    whole = (0.5 - 1e-12) * sum(mass for _, _, mass in ends)  # so that rounding makes no tie

    def median(how: Distances) -> tuple[float, float]:  # and the largest value
        lows, highs, _ = zip(*ask_samples(sample, farthest, how), strict=True)
        largest = max(highs)
        return quantile(partial(ask_samples, sample), how, min(lows), largest, whole), largest

    centre = median(Distances(None))[0]
    far = Distances(centre)
    unit, largest = median(far)
    least = max(SAME * abs(centre), WIDEST * largest, SMALLEST_UNIT)
    if unit <= least:
        unit = rounded(sum(ask_samples(sample, mean_of, far)))
        if unit <= FEW * largest:
            unit = largest
    return unit if unit > least else 1.0


class Distances(NamedTuple):
    """Distances of the targets from a centre; the targets themselves where there is none."""

    centre: float | None

    def read(self, place: Sample) -> tuple[Array, Array]:
        """Distances, and weights whose sums are exact."""
        values = place.y if self.centre is None else np.abs(place.y - self.centre)
        return values, grid(place.prior)


def farthest(sample: Sample, how: Distances) -> tuple[float, float, float]:
    """Smallest and largest value, and all weight."""
    values, weights = how.read(sample)
    return float(values.min()), float(values.max()), float(weights.sum())


def mean_of(sample: Sample, how: Distances) -> int:
    """Exact sum of weighed values."""
    return exact_sum(sample.prior * how.read(sample)[0])


@document_trees
class GradientBoostRegressor(SeveralTargetsRegressor):
    """Gradient boosting of numbers, with losses that bear outliers.

    Targets may have several columns: each has one tree per round, and the model that a fit of it
    alone would have.

    Parameters
    ----------
    estimator : Oracle, scikit-learn regressor or None
        Base learner; None is a :class:`~marginboost.GradientTreeOracle` with the settings below,
        which others do not read. With one that knows no curvature, use ``step="search"``.
    loss : str or Loss
        "squared", "absolute" (every leaf is the median of its residuals), "huber", "log-cosh",
        "epsilon-insensitive", "quantile" (the median, rounded off; ``Quantile(0.9)`` for another),
        or a loss of the residual with settings of its own, in units of the targets' median distance
        from their median: with ``Huber(sigma=1.5)``, residuals beyond 1.5 such distances count by
        their size, not by its square. For targets of at least 0, "poisson" (counts), "tweedie"
        (amounts that often are 0; ``Tweedie(power=1.3)``) and "gamma" (amounts above 0): trees add
        up to the logarithm of the mean, and predictions are the mean.
    n_estimators : int
        Most rounds.
    learning_rate : float
        Factor on every coefficient, ν.
    {trees}
    {growth}
    {monotonic}
    step : {"scale", "search"}
        Coefficient of a tree: as the tree means it, or by line search.
    tol : float or None
        With early stopping, the least improvement that counts; None is 1e-7. Without, stop when
        the training loss is below this share of the best constant's; None never does.
    {staged}
    {common}

    Attributes
    ----------
    spread_ : float
        Unit of the loss: median distance of the targets from their median.
    problems_ : list of GradientBoostRegressor
        With several targets: the model of each. Then ``estimators_``, ``estimator_weights_``,
        ``history_``, ``certificate_`` and ``stop_reason_`` are lists, one item per target, and
        ``spread_`` is that of each of these models.
    {staged fitted}
    {fitted}

    References
    ----------
    Friedman, *Greedy function approximation: a gradient boosting machine*, 2001.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from marginboost import GradientBoostRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = GradientBoostRegressor(loss="huber", n_estimators=50).fit(X, y)
    >>> bool(model.score(X, y) > 0.5)
    True
    """

    __capabilities__: ClassVar[dict[str, bool]] = {"rows_in_parts": True}
    __summary__: ClassVar[dict[str, str]] = {
        "problem": "least loss of the residual, robust if wanted, one tree per round",
        "guarantee": "training loss never rises (squared, Huber, log-cosh; ν ≤ 1, all rows)",
        "reference": "Friedman 2001, 2002",
    }
    __constraints__: ClassVar[Constraints] = {
        "learning_rate": Number(above=0.0),
        "step": STEPS,
    }
    __effects__: ClassVar[Effects] = OWN_TREES

    def __init__(
        self,
        estimator: Any = None,
        *,
        loss: Loss | str = "squared",
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
        step: str = "scale",
        tol: float | None = None,
        early_stopping: bool | str = False,
        validation_fraction: float | int | None = 0.1,
        n_iter_no_change: int = 10,
        scoring: Any = "loss",
        warm_start: bool = False,
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
        self.monotonic_cst = monotonic_cst
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.scoring = scoring
        self.warm_start = warm_start
        self.step = step

    def _algorithm(self) -> Algorithm:
        """Check the parameters, and make the algorithm that they mean."""
        loss = as_target_loss("loss", self.loss)
        if not isinstance(loss, ResidualLoss | MeanLoss):
            raise ValueError(f"loss: got {self.loss!r}, expected a loss of numeric targets")
        if loss.median_leaves and self.monotonic_cst is not None:
            raise ValueError(
                f"monotonic_cst: got directions with the loss {loss.name!r}, expected "
                "None: medians of leaves need not follow them"
            )

        def rule(problem: Problem, chosen: Chosen) -> GradientBoost:
            own = loss if isinstance(loss, MeanLoss) else SpreadLoss(loss, chosen["spread_"])
            return GradientBoost(own, self.learning_rate, self.step)

        longest = LONGEST_STEP if self._log else None
        return self._make_algorithm(
            rule,
            oracle=self._base_learner(lambda: second_order_trees(self, max_step=longest)),
            choose=lambda problem, oracle: _unit_of(problem.sample, loss),
            chosen_names=("spread_",),
            check_chosen=check_spread,
            respond=self._respond,
        )

    @property
    def _log(self) -> bool:
        """Whether scores are logarithms of the prediction."""
        return isinstance(as_target_loss("loss", self.loss), MeanLoss)

    def _respond(self, scores: Array) -> Array:
        """From scores to predictions."""
        return np.exp(np.minimum(scores, LARGEST_SCORE)) if self._log else scores

    def predict(self, X: Any) -> Array:
        """Predict each row: the score, or its exponential where that is the mean."""
        return self._respond(super().predict(X))

    def staged_predict(self, X: Any) -> Iterator[Array]:
        """Predictions after 1, 2, … hypotheses."""
        for scores in super().staged_predict(X):
            yield self._respond(scores)

    def to_onnx(self) -> Any:
        """ONNX model, with the one output ``prediction``; needs the extra ``onnx``."""
        check_is_fitted(self)
        return self.model_.to_onnx(LARGEST_SCORE if self._log else None)


def check_spread(chosen: Chosen) -> None:
    """Raise for a unit of targets that is not positive."""
    check_number("spread_", chosen["spread_"], above=0.0)


def _unit_of(sample: Sample, loss: Loss) -> Choice:
    """Unit of the loss; see whether the targets suit it."""
    if isinstance(loss, MeanLoss) and sample.parts is None:
        loss.check_targets(sample.y)
    elif isinstance(loss, MeanLoss):
        ends = [found[:2] for found in ask_samples(sample, farthest, Distances(None))]
        loss.check_targets(np.ravel(ends), "a row")
    return Choice({"spread_": spread_of(sample)})
