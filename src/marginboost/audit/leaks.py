"""Features that give the label away: names of rows, or the answer under another name.

An audit, like any model, is fooled by a column from which the label can be read off: every label
then looks right. Such a column is worth a warning.
"""

from __future__ import annotations

import numpy as np

from ..data import BinnedMatrix
from ..types import Array

SURE = 0.995
"""Share of rows whose label one feature alone tells, from which it is worth a warning."""


def leaking_features(bins: BinnedMatrix, labels: Array) -> list[str]:
    """Names of features from whose bins alone nearly every label can be read off.

    Parameters
    ----------
    bins : BinnedMatrix
        The rows.
    labels : array of int
        Classes, as positions.

    Examples
    --------
    >>> X = np.column_stack([np.arange(100), np.arange(100) % 7])
    >>> leaking_features(BinnedMatrix.from_data(X), (np.arange(100) > 40).astype(int))
    ['x0']
    """
    n_classes, n_rows = int(labels.max()) + 1, len(labels)
    base = np.bincount(labels).max() / n_rows
    found = []
    for j in range(bins.n_features):
        width = int(bins.n_bins[j]) + 1
        counts = np.bincount(
            bins.codes[j].astype(np.int64) * n_classes + labels, minlength=width * n_classes
        ).reshape(width, n_classes)
        runs = _runs(counts) if bins.categories[j] is None else counts
        if width <= n_rows / 4 or bins.categories[j] is None:
            right = runs.max(axis=1).sum() / n_rows
            if right >= SURE and right > base + (1 - base) / 2:
                found.append(str(bins.names[j]))
    return found


def _runs(counts: Array) -> Array:
    """Join neighbouring bins with the same majority: a few cuts must do, not a bin for each row."""
    majority = counts.argmax(axis=1)
    used = counts.sum(axis=1) > 0
    kept, majority = counts[used], majority[used]
    if len(kept) == 0:
        return counts
    starts = np.flatnonzero(np.r_[True, majority[1:] != majority[:-1]])
    joined = np.add.reduceat(kept, starts, axis=0)
    return joined if len(joined) <= 8 else np.zeros_like(counts)
