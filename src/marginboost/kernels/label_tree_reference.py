"""Readable NumPy twins of the label-tree kernels: what they mean, and what they are tested against.

Splits are found the long way: every candidate sends the rows to two sides, and the weights of each
side are added up afresh.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from .label_trees import ENTROPY, GINI, ONE
from .stumps import CATEGORY, TIE

Array = np.ndarray[Any, np.dtype[Any]]


class Split(NamedTuple):
    """A split of some rows: what it gains, which of them go left, where missing values go."""

    gain: float
    cut: int
    left: Array
    missing_left: bool


def worth(weights: Array, criterion: int) -> float:
    """Worth of rows with these weights (rows, labels) as one node."""
    sums, weight = weights.sum(axis=0), np.abs(weights).sum()
    if criterion == ONE:
        return float(sums.max())
    if criterion == GINI:
        return float((sums**2).sum() / weight)
    if criterion == ENTROPY:
        some = sums[sums > TIE]
        return float((some * np.log2(some / weight)).sum())
    return float(np.abs(sums).sum())


def candidates(codes: Array, n_bins: int, kind: int) -> Iterator[tuple[int, Array]]:
    """Cuts and the present rows that they send left."""
    for cut in range(n_bins):
        yield cut, codes == cut if kind == CATEGORY else codes <= cut
    if kind == CATEGORY:
        yield n_bins, codes < n_bins


def best_split(
    codes: Array, n_bins: int, kind: int, weights: Array, criterion: int, floor: float
) -> Split | None:
    """Best split by one feature, the lowest cut on ties; missing values go left before right."""
    amounts = np.abs(weights).sum(axis=1)
    absent = codes == n_bins
    whole, best, chosen = worth(weights, criterion), 0.0, None
    for cut, present in candidates(codes, n_bins, kind):
        if amounts[present & ~absent].sum() <= TIE:
            continue
        for missing_left in (True, False) if amounts[absent].sum() > TIE else (True,):
            left = present & ~absent | (absent & missing_left)
            if min(amounts[left].sum(), amounts[~left].sum()) < floor:
                continue
            gain = worth(weights[left], criterion) + worth(weights[~left], criterion) - whole
            if gain > best + TIE:
                best, chosen = gain, Split(gain, cut, left, missing_left)
    return chosen
