"""Samples of several classes whose rows are in parts: one row for every example and label."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Self

import numpy as np

from ..data import BinnedMatrix
from ..kernels.exact import exact_sum, rounded
from .labels import LabelByLabel, own_labels
from .parts import Divided, Part, PartedSample, Parts, lays_out, measure, outermost


@dataclass(frozen=True)
class PartLabels(Divided, LabelByLabel):
    """(example, label) rows of one part."""


@dataclass(frozen=True)
class PartedLabels(PartedSample, LabelByLabel):
    """(example, label) rows of a fit, in parts: what is known of them in one place.

    Parameters
    ----------
    n_examples : int
        Examples of all parts.
    """

    _: KW_ONLY
    n_examples: int

    @classmethod
    def of_parts(cls, parts: Parts, bins: BinnedMatrix, n_classes: int, seed: int) -> Self:
        """Begin a run on parts whose labels are positions of so many classes."""
        counts, _, least, most, missing, ends = zip(*parts.each(measure), strict=True)
        n_examples = sum(counts)
        total = rounded(sum(parts.each(weigh_labels, n_classes)))
        all_equal = min(least) == max(most)
        parts.tell(begin_labels, n_classes, total, n_classes * n_examples, all_equal, seed)
        layout = bins.take(np.empty(0, np.int64))
        layout.has_missing = np.any(missing, axis=0)
        return cls(
            y=np.empty(0, np.int8),
            prior=np.empty(0),
            bins=layout,
            seed=seed,
            total=total,
            n_rows_of_all=n_classes * n_examples,
            all_equal=all_equal,
            parts=parts,
            least_prior=min(least) / n_classes / total,
            ends=None if ends[0] is None else outermost(np.array(ends)),
            labels=np.empty(0, np.int64),
            n_classes=n_classes,
            n_examples=n_examples,
        )


def weigh_labels(part: Part, n_classes: int) -> int:
    """Exact weight of all (example, label) rows."""
    assert part.source is not None
    return n_classes * exact_sum(part.source.weights / n_classes)


@lays_out
def begin_labels(
    part: Part, n_classes: int, total: float, n_rows: int, all_equal: bool, seed: int
) -> None:
    """Make the sample of a part; ``total`` and ``n_rows`` are those of all parts."""
    assert part.source is not None
    bins, labels, weights, n_threads, _ = part.source
    part.start(
        PartLabels(
            y=np.where(own_labels(labels, n_classes), 1, -1).ravel().astype(np.int8),
            prior=np.repeat(weights / n_classes, n_classes) / total,
            rows=bins,
            bins=bins,
            seed=seed,
            n_threads=n_threads,
            total=total,
            n_rows_of_all=n_rows,
            all_equal=all_equal,
            labels=labels,
            n_classes=n_classes,
        )
    )


def class_weights(sample: LabelByLabel) -> list[int]:
    """Exact prior weight of the examples of every class."""
    prior, labels = sample.example_prior, sample.labels
    return [exact_sum(prior[labels == k]) for k in range(sample.n_classes)]
