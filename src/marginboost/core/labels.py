"""Samples of more than two classes: boosting on (example, label) rows.

A hypothesis of K classes answers every row with K numbers h(x, l) in [-1, 1], one per label l: +1
for the labels it thinks right, -1 for the others. The loop knows nothing of this. It sees a sample
of rows, each made from an example and its labels, and the column that such a hypothesis has on
them:

==================  ===============================  ============================================
sample              rows                             column
==================  ===============================  ============================================
``RightOrWrong``    example i                        h(x_i, y_i): is the example right
``LabelByLabel``    example i, any label l           h(x_i, l), to agree with ±1 for l = y_i or not
``LabelPairs``      example i, wrong label l         (h(x_i, y_i) - h(x_i, l)) / 2: is y_i preferred
==================  ===============================  ============================================

So AdaBoost.M1 and SAMME are AdaBoost on the first, AdaBoost.MH on the second, the pseudo-loss
algorithms (AdaBoost.M2, MR) on the third, and all that is proven of AdaBoost holds for them: a
margin on ``LabelPairs`` is the multiclass margin itself.

Columns are linear in h. The base learner gets the transpose: the edge of a hypothesis is
``Σ_il weights_il h(x_i, l)`` with the signed matrix that :meth:`LabelSample.label_weights` makes.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np

from ..types import Array
from .ensemble import Ensemble
from .hypothesis import Hypothesis
from .sample import Sample


@dataclass(frozen=True)
class LabelSample(Sample):
    """Rows made from examples and labels.

    Parameters
    ----------
    labels : array of int
        Class of each example, counted from 0.
    n_classes : int
        Number of classes K.
    """

    _: KW_ONLY
    labels: Array
    n_classes: int

    @classmethod
    @abstractmethod
    def of_classes(cls, labels: Array, n_classes: int, weights: Array, **parts: Any) -> Self:
        """Make the sample of these examples; a weight of 2 means two copies of the example."""

    @abstractmethod
    def on_rows(self, outputs: Array, labels: Array) -> Array:
        """Column of outputs (examples, K) on the rows of some examples with these labels."""

    @abstractmethod
    def label_weights(self, dual: Array) -> Array:
        """Signed weights as a matrix (examples, K): the transpose of :meth:`on_rows`."""

    @cached_property
    def example_prior(self) -> Array:
        """Prior weights of the examples, each the sum of those of its rows."""
        if not len(self.labels):  # they are in parts
            return self.prior
        return np.asarray(self.prior.reshape(len(self.labels), -1).sum(axis=1))

    @property
    def one_label(self) -> bool:
        """Whether all weight of an example is on its own label, and none is negative."""
        return False

    def column(self, hypothesis: Hypothesis) -> Array:
        """Outputs of a hypothesis on the rows, as its oracle gave them."""
        assert self.rows is not None
        rows = self.rows
        column = np.concatenate(
            [
                self.on_rows(hypothesis(rows.dense(start, stop)), self.labels[start:stop])
                for start, stop in rows.chunks()
            ]
        )
        return narrowed(column)

    def scores(self, ensemble: Ensemble) -> Array:
        """Scores of a model on the rows."""
        if not len(ensemble):
            return np.zeros(len(self.y))
        assert self.rows is not None
        return self.on_rows(ensemble.scores(self.rows, self.n_threads), self.labels)

    def content(self) -> Iterator[Array]:
        """Labels, signs, weights."""
        yield self.labels
        yield from super().content()


def own_labels(labels: Array, n_classes: int) -> Array:
    """Whether each label is the example's own, (examples, K)."""
    return np.asarray(labels)[:, None] == np.arange(n_classes)


def wrong_labels(labels: Array, n_classes: int) -> Array:
    """Positions of all labels that are not the example's own, in a flat (examples, K) matrix."""
    return np.flatnonzero(~own_labels(labels, n_classes))


def narrowed(column: Array) -> Array:
    """Return the column as int8 where all outputs are -1 or +1: closed forms apply then."""
    return column.astype(np.int8) if (np.abs(column) == 1).all() else column


class RightOrWrong(LabelSample):
    """One row per example: is the answer its label."""

    @classmethod
    def of_classes(cls, labels: Array, n_classes: int, weights: Array, **parts: Any) -> Self:
        """One row per example, all of sign +1."""
        return cls.of_labels(
            np.ones(len(labels)), weights, labels=labels, n_classes=n_classes, **parts
        )

    def on_rows(self, outputs: Array, labels: Array) -> Array:
        """Outputs for the examples' own labels."""
        return outputs[np.arange(len(labels)), labels]

    def label_weights(self, dual: Array) -> Array:
        """All weight on the own label."""
        return own_labels(self.labels, self.n_classes) * dual[:, None]

    @property
    def one_label(self) -> bool:
        """Weights are those of examples."""
        return True


class LabelByLabel(LabelSample):
    """A row for every example and label: does the label belong."""

    @classmethod
    def of_classes(cls, labels: Array, n_classes: int, weights: Array, **parts: Any) -> Self:
        """K rows per example, +1 for its own label and -1 for the others, of equal weight."""
        signs = np.where(own_labels(labels, n_classes), 1, -1).ravel()
        return cls.of_labels(
            signs,
            np.repeat(weights / n_classes, n_classes),
            labels=labels,
            n_classes=n_classes,
            **parts,
        )

    def on_rows(self, outputs: Array, labels: Array) -> Array:
        """All outputs, example by example."""
        return outputs.ravel()

    def label_weights(self, dual: Array) -> Array:
        """Weights as they are."""
        return dual.reshape(-1, self.n_classes)


class LabelPairs(LabelSample):
    """A row for every example and wrong label: is the own label preferred to it."""

    @classmethod
    def of_classes(cls, labels: Array, n_classes: int, weights: Array, **parts: Any) -> Self:
        """K - 1 rows per example, all of sign +1 and of equal weight."""
        others = n_classes - 1
        return cls.of_labels(
            np.ones(others * len(labels)),
            np.repeat(weights / others, others),
            labels=labels,
            n_classes=n_classes,
            **parts,
        )

    def on_rows(self, outputs: Array, labels: Array) -> Array:
        """Half the lead of the own label over each other one."""
        others = self._others if labels is self.labels else wrong_labels(labels, self.n_classes)
        own = outputs[np.arange(len(labels)), labels]
        column = np.repeat(own / 2.0, self.n_classes - 1)
        column -= outputs.ravel()[others] / 2.0
        return column

    def label_weights(self, dual: Array) -> Array:
        """Half of each weight for the own label, half against the other."""
        n_examples = len(self.labels)
        weights = np.empty((n_examples, self.n_classes))
        weights.ravel()[self._others] = -dual / 2.0
        weights[np.arange(n_examples), self.labels] = dual.reshape(n_examples, -1).sum(axis=1) / 2.0
        return weights

    @cached_property
    def _others(self) -> Array:
        return wrong_labels(self.labels, self.n_classes)
