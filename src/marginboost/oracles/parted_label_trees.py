"""A regression tree for every label where rows are in parts: one after the other, on all parts.

Every part keeps, besides its (example, label) rows, its examples as one more :class:`Place`: slopes
and curvatures of the label at hand. Trees of one score are grown on these places as on any parts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from ..core.label_parts import PartedLabels
from ..core.labels import LabelByLabel
from ..core.oracle import Candidate
from ..core.parts import (
    ColumnOnParts,
    Part,
    PartedSample,
    Parts,
    PartSample,
    Place,
    adds_up,
    lays_out,
)
from ..core.weights import Weights
from ..kernels.exact import exact_sum, rounded
from ..types import Array
from .gradient_trees import GradientTreeOracle
from .label_hypotheses import TreePerLabel

T = TypeVar("T")


class PartedLabelTrees:
    """Grows one tree per label on parts.

    Parameters
    ----------
    trees : GradientTreeOracle
        How each of them is grown.
    sample : PartedLabels
        The rows.
    """

    def __init__(self, trees: GradientTreeOracle, sample: PartedLabels) -> None:
        self._parts, self._n_classes = sample.parts, sample.n_classes
        self._parts.tell(lay_out_examples, sample.n_examples)
        examples = PartedSample(
            y=np.empty(0, np.int8),
            prior=np.empty(0),
            bins=sample.bins,
            seed=sample.seed,
            total=sample.total,
            n_rows_of_all=sample.n_examples,
            all_equal=sample.all_equal,
            parts=ExamplesOfParts(self._parts),
            least_prior=sample.least_prior,
        )
        self._grower = trees.bind(examples)
        self._n_found = 0

    def find(self, before: float, round: int) -> Candidate:
        """One tree per label; slopes were divided by ``before``."""
        found = [self._grow(label, before, round) for label in range(self._n_classes)]
        joined, shares = join(found)
        self._n_found += 1
        self._parts.tell(join_columns, self._n_found, shares)
        column: Any = ColumnOnParts(self._n_found, np.dtype(np.float64))
        return replace(joined, column=column)

    def _grow(self, label: int, before: float, round: int) -> Candidate:
        size = rounded(sum(self._parts.each(load_label, label))) or 1.0
        self._parts.tell(divide_label, size)
        weights = Weights(np.empty(0), size=before * size)
        found = self._grower.best(weights, round=round)[0]
        column: Any = found.column
        self._parts.tell(keep_column, label, column.number)
        return replace(found, edge=size * found.edge)


def join(found: list[Candidate]) -> tuple[Candidate, list[float]]:
    """Join the candidates of all labels into one, with one scale; also the share of each in it."""
    scale = max(candidate.scale for candidate in found)
    shares = [candidate.scale / (scale or 1.0) for candidate in found]
    edge = sum(share * candidate.edge for candidate, share in zip(found, shares, strict=True))
    trees: list[Any] = [candidate.hypothesis for candidate in found]
    trees = [tree.scaled(share) for tree, share in zip(trees, shares, strict=True)]
    nothing: Array = np.empty(0)
    return Candidate(TreePerLabel(tuple(trees)), float(edge), nothing, scale), shares


class ExamplesOfParts(Parts):
    """The examples of parts that have (example, label) rows.

    Parameters
    ----------
    parts : Parts
        Where they are.
    """

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def each(self, question: Callable[..., T], *args: Any) -> list[T]:
        """Ask for the examples."""
        return self._parts.each(_passed_on(question), question, *args)

    def tell(self, question: Callable[..., Any], *args: Any) -> None:
        """Have something done with the examples."""
        self._parts.tell(_passed_on(question), question, *args)


def _passed_on(question: Callable[..., Any]) -> Callable[..., Any]:
    """How a question about examples is put to a part."""
    if getattr(question, "adds_up", False):
        return add_up_examples
    return lay_out_on_examples if getattr(question, "lays_out", False) else ask_examples


# -- questions to parts ----------------------------------------------------------------------------


class Examples(Place):
    """Examples of a part, with the label at hand; outputs of the trees found for all labels."""

    def __init__(self, sample: PartSample, n_classes: int) -> None:
        n_rows = len(sample.prior)
        super().__init__(sample, Weights(np.empty(n_rows), np.empty(n_rows)))
        self.outputs = np.empty((n_rows, n_classes))


@lays_out
def lay_out_examples(part: Part, n_examples: int) -> None:
    """Make a place of the examples; ``n_examples`` are those of all parts."""
    sample = part.sample
    assert isinstance(sample, LabelByLabel)
    examples = PartSample(
        y=np.ones(len(sample.labels), np.int8),
        prior=sample.example_prior,
        bins=sample.bins,
        seed=sample.seed,
        n_threads=sample.n_threads,
        total=sample.total,
        n_rows_of_all=n_examples,
        all_equal=sample.uniform,
    )
    part.learner = Examples(examples, sample.n_classes)


def ask_examples(part: Part, question: Callable[..., T], *args: Any) -> T:
    """Put a question to the examples of a part."""
    return question(part.learner, *args)


@adds_up
def add_up_examples(part: Part, question: Callable[..., T], *args: Any, so_far: Any = None) -> T:
    """Do the same with one of whose answers only the sum matters."""
    return question(part.learner, *args, so_far=so_far)


@lays_out
def lay_out_on_examples(part: Part, question: Callable[..., T], *args: Any) -> T:
    """Do the same with one that is asked once, before the first round."""
    return question(part.learner, *args)


def load_label(part: Part, label: int) -> int:
    """Take the slopes and curvatures of a label; returns the exact size of the slopes."""
    sample, weights = part.sample, part.learner.weights
    assert isinstance(sample, LabelByLabel)
    assert part.weights.curvature is not None
    weights.dual[:] = sample.label_weights(part.dual)[:, label]
    weights.curvature[:] = sample.label_weights(part.weights.curvature)[:, label]
    return exact_sum(np.abs(weights.dual))


def divide_label(part: Part, size: float) -> None:
    """Divide the slopes and curvatures of the label at hand."""
    part.learner.weights.dual /= size
    part.learner.weights.curvature /= size


def keep_column(part: Part, label: int, number: int) -> None:
    """Keep the outputs of the tree of a label."""
    part.learner.outputs[:, label] = part.learner.columns[number]


def join_columns(part: Part, number: int, shares: list[float]) -> None:
    """Write the outputs of all trees, each times its share, under a number."""
    part.columns = {number: (part.learner.outputs * np.array(shares)).ravel()}
