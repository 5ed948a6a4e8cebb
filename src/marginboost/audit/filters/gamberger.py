"""Rows without which fewer literals suffice (CH-A16d).

Inconsistent rows, equal in all features but not in the label, go first: those of the rarer label,
or all if none is rarer. Features are turned into
literals, ``x_j <= c`` and ``x_j > c``. A set of literals suffices if every pair of a positive and a
negative row is told apart by one that is true for the positive and false for the negative row. The
fewest that suffice measure how complex the least complex right hypothesis is; without noise more
rows do not change it. So a row is suspicious if a literal is needed for it and few others:

    w(row) = Σ over literals l needed by the row   1 / number of rows of its class that need l

where a row needs l if l alone tells it from some row. The row of largest weight is removed while
that weight exceeds a threshold, and the literals are chosen anew. Choosing them is a covering
problem; as in the reference it is solved greedily, the pair that fewest literals cover first.

Reference: Gamberger, Lavrač & Džeroski, *Noise elimination in inductive concept learning*, 1996;
thresholds from Gamberger, Lavrač & Grošelj, *Experiments with noise filtering in a medical domain*,
1999.
"""

from __future__ import annotations

import numpy as np

from ...fitting.inputs import distinct_labels
from ...types import Array
from ...validation import check_number
from .base import NoiseFilter


class GambergerFilter(NoiseFilter):
    """Flag inconsistent rows, and rows whose removal makes literals unnecessary.

    Two classes; complete numeric rows. Time and memory grow with the number of pairs of a positive
    and a negative row: meant for up to a few thousand rows.

    Parameters
    ----------
    threshold : float or None
        Remove rows with a larger weight. None is what the authors advise: 1.5 up to 50 rows, 1 up
        to 100, 0.75 up to 200, 0.5 beyond.
    max_cuts : int
        Most cuts of a feature. Cuts are where the class changes between neighbouring values; of
        more than this many, evenly spaced ones are used, and pairs that no literal tells apart any
        more are left out.
    max_pairs : int
        Most pairs; more raise a ValueError.

    Attributes
    ----------
    flagged_ : array of bool
        The rows flagged.
    inconsistent_ : array of bool
        Those of them that were inconsistent.
    score_ : array
        Minus the weight of the row when it was removed, or at the end; minus infinity for
        inconsistent rows.
    n_literals_ : int
        Literals chosen for the rows that are left.
    """

    two_classes = True

    def __init__(
        self,
        threshold: float | None = None,
        *,
        max_cuts: int = 16,
        max_pairs: int = 4_000_000,
    ) -> None:
        self.threshold = threshold
        self.max_cuts = max_cuts
        self.max_pairs = max_pairs

    def _check_parameters(self) -> None:
        if self.threshold is not None:
            check_number("threshold", self.threshold, above=0.0)
        check_number("max_cuts", self.max_cuts, at_least=1, integer=True)
        check_number("max_pairs", self.max_pairs, at_least=1, integer=True)

    def _find(self, X: Array, y: Array) -> tuple[Array, Array]:
        positive = y == distinct_labels(y)[1]
        self.inconsistent_ = _inconsistent(X, positive)
        weight = np.where(self.inconsistent_, np.inf, 0.0)
        truth = _literals(X, positive, self.max_cuts)
        first = np.flatnonzero(positive & ~self.inconsistent_)
        second = np.flatnonzero(~positive & ~self.inconsistent_)
        if len(first) * len(second) > self.max_pairs:
            raise ValueError(
                f"X: got {len(first)} x {len(second)} pairs of rows of different classes, expected "
                f"at most max_pairs={self.max_pairs}"
            )
        limit = _advised(len(y)) if self.threshold is None else self.threshold
        while True:
            chosen = choose_literals(truth[first], ~truth[second])
            self.n_literals_ = len(chosen)
            needed = _weights(truth[np.ix_(first, chosen)], ~truth[np.ix_(second, chosen)])
            weight[first], weight[second] = needed
            left = np.concatenate([first, second])
            worst = left[np.argmax(weight[left])] if left.size else -1
            if worst < 0 or weight[worst] <= limit:
                break
            first, second = first[first != worst], second[second != worst]
        noisy = np.ones(len(y), dtype=bool)
        noisy[left] = False
        return -weight, noisy


def _advised(n_rows: int) -> float:
    """Threshold for so many rows."""
    return 1.5 if n_rows <= 50 else 1.0 if n_rows <= 100 else 0.75 if n_rows <= 200 else 0.5


def _inconsistent(X: Array, positive: Array) -> Array:
    """Rows with no fewer equal rows of the other class than of their own."""
    _, group = np.unique(X, axis=0, return_inverse=True)
    share = np.bincount(group.ravel(), weights=positive) / np.bincount(group.ravel())
    same = np.where(positive, share[group.ravel()], 1.0 - share[group.ravel()])
    return same <= 0.5


def _literals(X: Array, positive: Array, max_cuts: int) -> Array:
    """Truth of every literal on every row."""
    columns = []
    for values in X.T:
        cuts = _class_boundaries(values, positive)
        if len(cuts) > max_cuts:
            cuts = cuts[np.linspace(0, len(cuts) - 1, max_cuts).round().astype(int)]
        below = values[:, None] <= cuts
        columns += [below, ~below]
    return np.concatenate(columns, axis=1)


def _class_boundaries(values: Array, positive: Array) -> Array:
    """Values that end a run: the next larger value does not hold rows of the same one class."""
    distinct, group = np.unique(values, return_inverse=True)
    share = np.bincount(group, weights=positive) / np.bincount(group)
    pure_and_same = (share[1:] == share[:-1]) & ((share[1:] == 0.0) | (share[1:] == 1.0))
    return distinct[:-1][~pure_and_same]


def choose_literals(first: Array, second: Array) -> Array:
    """Few literals that tell all pairs apart that can be told; ``second`` is where they are false.

    The pair that the fewest literals cover comes first, then the literal that covers most weight of
    such rare pairs. In the end literals that have become superfluous are taken out.
    """
    true, false = first.astype(np.float32), second.astype(np.float32)
    coverings = true @ false.T
    rarity = np.divide(1.0, coverings, out=np.zeros_like(coverings), where=coverings > 0.5)
    chosen: list[int] = []
    while rarity.any():
        p, n = np.unravel_index(int(np.argmax(rarity)), rarity.shape)
        able = np.flatnonzero(first[p] & second[n])
        gains = (true[:, able] * (rarity @ false[:, able])).sum(axis=0)
        chosen.append(int(able[np.argmax(gains)]))
        rarity[np.ix_(first[:, chosen[-1]], second[:, chosen[-1]])] = 0.0
    times = true[:, chosen] @ false[:, chosen].T
    for literal in list(chosen):
        covered = np.ix_(first[:, literal], second[:, literal])
        if (times[covered] > 1.5).all():
            times[covered] -= 1.0
            chosen.remove(literal)
    return np.array(chosen, dtype=int)


def _weights(first: Array, second: Array) -> tuple[Array, Array]:
    """Weight of the rows of both classes, from the literals chosen."""
    times = first.astype(np.float32) @ second.astype(np.float32).T
    once = (times > 0.5) & (times < 1.5)
    weights = np.zeros(len(first)), np.zeros(len(second))
    for true, false in zip(first.T, second.T, strict=True):
        alone = once & true[:, None] & false
        for side, weight in enumerate(weights):
            needs = alone.any(axis=1 - side)
            weight[needs] += 1.0 / needs.sum()
    return weights
