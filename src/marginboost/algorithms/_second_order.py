"""What estimators that grow second-order trees share."""

from __future__ import annotations

from typing import Any, ClassVar, TypeVar

from ..core.oracle import Oracle
from ..estimators.base import BaseBooster, document
from ..estimators.constructors import forward
from ..estimators.soft_labels import SoftLabels
from ..estimators.staged import STAGED_ATTRIBUTES, STAGED_PARAMETERS
from ..fitting.algorithm import Algorithm
from ..losses import Loss
from ..model import LossLink
from ..oracles.constraints import plain_groups
from ..oracles.gradient_trees import (
    GROWTH_PARAMETERS,
    MONOTONIC_PARAMETER,
    GradientTreeOracle,
)
from ..validation import Constraints, Effects, Number, Where, parameter_names

TREE_PARAMETERS = """max_leaf_nodes : int or None
        Most leaves of a tree; the split that gains most is made first.
    max_depth : int or None
        Most splits between root and leaf.
    min_samples_leaf : float
        Least number of rows in a leaf, estimated by curvature: rows that are all but settled count
        for little.
    l2_regularization : float
        Added to the curvature of a leaf, as a number of average rows.
    subsample : float
        Share of the rows, drawn anew for every tree: stochastic gradient boosting."""

LONGEST_STEP = 4.0
"""Largest leaf of a classifier before the learning rate (Friedman, Hastie & Tibshirani 2000).

Where the rows of a leaf are all but settled, curvature vanishes and Newton's step has no end."""

OWN_TREES: Effects = {
    name: Where("estimator", (None,)) for name in parameter_names(GradientTreeOracle)
}
"""Settings of the trees of an estimator, which a base learner of one's own has itself."""

C = TypeVar("C", bound="type[BaseBooster]")


def document_trees(cls: C) -> C:
    """Fill the settings of trees, and what all models share, into a docstring."""
    if cls.__doc__:
        texts = {
            "trees": TREE_PARAMETERS,
            "growth": GROWTH_PARAMETERS,
            "monotonic": MONOTONIC_PARAMETER,
            "staged": STAGED_PARAMETERS,
            "staged fitted": STAGED_ATTRIBUTES,
        }
        for name, text in texts.items():
            cls.__doc__ = cls.__doc__.replace(f"{{{name}}}", text.strip())
    return document(cls)


def second_order_trees(model: Any, **more: Any) -> GradientTreeOracle:
    """Make the trees that an estimator's settings mean."""
    own = model.get_params(deep=False)
    names = [name for name in parameter_names(GradientTreeOracle) if name in own]
    settings = {name: own[name] for name in names}
    if "interaction_cst" in settings:
        settings["interaction_cst"] = plain_groups(settings["interaction_cst"])
    return GradientTreeOracle(**{**settings, **more})


class SecondOrderClassifier(SoftLabels):
    """A classifier by a loss and trees that read its slopes and curvatures.

    Probabilities are by the link of the loss.
    """

    __constraints__: ClassVar[Constraints] = {"learning_rate": Number(above=0.0)}
    __effects__: ClassVar[Effects] = OWN_TREES

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 50,
        learning_rate: float = 1.0,
        max_leaf_nodes: int | None = 8,
        max_depth: int | None = None,
        min_samples_leaf: float = 5,
        l2_regularization: float = 0.0,
        subsample: float = 1.0,
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
        self.max_leaf_nodes = max_leaf_nodes
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.l2_regularization = l2_regularization
        self.subsample = subsample

    def _second_order(self, rule: Any, loss: Loss, **more: Any) -> Algorithm:
        """Make an algorithm of this rule on second-order trees; the loss gives probabilities."""
        return self._make_algorithm(
            rule,
            oracle=self._trees(),
            link=LossLink(loss),
            common_scale=True,
            **more,
        )

    def _trees(self) -> Oracle:
        """Base learner: by default trees with the settings of the estimator."""
        return self._base_learner(lambda: second_order_trees(self, max_step=LONGEST_STEP))
