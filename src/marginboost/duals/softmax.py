"""Weights and curvatures of the softmax loss: what a tree for each class reads.

    dual_il ∝ prior_i (own_il - p_il),    curvature_il ∝ prior_i p_il (1 - p_il) K / (K - 1)

on rows (example i, label l), with own_il = 1 for the example's own label and p_i the softmax of its
K scores. Curvatures of several scores are a matrix; a tree for each class sees its diagonal. The
factor makes up for the rest (Friedman, Hastie & Tibshirani 2000): with two classes, whose trees are
each other's negatives, steps are then Newton's for the logistic loss of F_2 - F_1.
"""

from __future__ import annotations

import numpy as np

from ..core.labels import LabelByLabel
from ..core.oracle import Candidate
from ..core.parts import Part
from ..core.sample import Sample
from ..core.state import State
from ..kernels.exact import exact_sum
from ..kernels.exponentials import exponentials
from ..kernels.logistic import below_largest, softmax_slopes
from ..kernels.parallel import run_rows
from ..losses import ClassLoss, Logistic
from ..types import Array
from .newton import Facts, NewtonWeights


class SoftmaxWeights(NewtonWeights):
    """Keeps ``state.weights`` in step with scores of several classes."""

    def __init__(self) -> None:
        super().__init__(Logistic())

    def refresh(self, state: State) -> bool:
        """Make the weights of the present scores; False where no row has a slope."""
        return self._settle(state, state.each(weigh_examples))

    def move(self, state: State, candidate: Candidate, step: float) -> bool:
        """Add a hypothesis and make the weights that follow."""
        state.move(candidate, step)
        return self.refresh(state)

    def _weight_of_losses(self, sample: Sample) -> float:
        """Losses are summed with prior weights."""
        return 1.0


def _matrices(part: Part) -> tuple[LabelByLabel, tuple[Array, Array, Array]]:
    """Sample of a part; its scores, weights and curvatures, one row per example."""
    sample = part.sample
    assert isinstance(sample, LabelByLabel)
    if part.weights.curvature is None:
        part.weights.curvature = np.empty(len(part.scores))
    rows = -1, sample.n_classes
    curvature = part.weights.curvature.reshape(rows)
    return sample, (part.scores.reshape(rows), part.dual.reshape(rows), curvature)


def weigh_examples(part: Part) -> list[Facts]:
    """Make the weights of all examples; facts by block of them."""
    sample, (scores, dual, curvature) = _matrices(part)
    weights = sample.example_prior

    def block(start: int, stop: int) -> Facts:
        here = slice(start, stop)
        room = curvature[here]  # of exponentials, which are made many at once
        below_largest(scores[here], room)
        exponentials(room.reshape(-1))
        sizes, losses = np.empty((2, stop - start))
        least = softmax_slopes(
            sample.labels[here], scores[here], room, weights[here], dual[here], room, sizes, losses
        )
        return exact_sum(sizes), exact_sum(losses), least

    return run_rows(block, len(sample.labels), sample.n_threads)


class ClassLossWeights(SoftmaxWeights):
    """The same for any loss of several classes.

    Curvatures are absolute values, times K / (K - 1); a row that has a slope but no curvature has
    1, as for losses of one score (:mod:`marginboost.duals.newton`).

    Parameters
    ----------
    loss : ClassLoss
        Of the scores of all classes.
    """

    def __init__(self, loss: ClassLoss) -> None:
        super().__init__()
        self.class_loss = loss

    def refresh(self, state: State) -> bool:
        """Make the weights of the present scores; False where no row has a slope."""
        return self._settle(state, state.each(weigh_by_class_loss, self.class_loss))


def weigh_by_class_loss(part: Part, loss: ClassLoss) -> list[Facts]:
    """Make the weights of all examples under a loss; facts by block of them."""
    sample, (scores, dual, curvature) = _matrices(part)
    n_classes, prior = sample.n_classes, sample.example_prior
    signs = sample.y.reshape(-1, n_classes)

    def block(start: int, stop: int) -> Facts:
        here = slice(start, stop)
        value, slope, curvatures = loss.slopes(scores[here], sample.labels[here])
        curvatures = np.abs(curvatures) * (n_classes / (n_classes - 1.0))
        curvatures[(curvatures == 0.0) & (slope != 0.0)] = 1.0
        dual[here], curvature[here] = slope, curvatures
        dual[here] *= prior[here, None]
        curvature[here] *= prior[here, None]
        least = float((signs[here] * scores[here]).min())
        sizes = np.abs(dual[here]).sum(axis=1)
        return exact_sum(sizes), exact_sum(prior[here] * value), least

    return run_rows(block, len(sample.labels), sample.n_threads)
