"""What a run learns from."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Self

import numpy as np

from ..data import BinnedMatrix, Table
from ..kernels.exact import exact_sum, rounded
from ..types import Array
from .ensemble import Ensemble
from .hypothesis import Hypothesis

if TYPE_CHECKING:
    from .parts import Parts

FURTHEST = 332
"""Largest weights beyond two to plus or minus this, about 1e±100, are taken as that."""
NEGLIGIBLE = 1e-290
"""A weight below this share of the largest one is none: no sum would tell the difference."""


def bounded_weights(weights: Array, largest: float | None = None) -> Array:
    """Weights of rows on a scale on which sums and their products neither overflow nor vanish.

    Those of an ordinary scale come back as they are, others times a power of two, so that their
    ratios stay exact. What depends on the scale (a price C, a least number of rows) could not tell
    1e100 copies of a row from 1e300.

    Parameters
    ----------
    weights : array
        Nonnegative finite numbers, not all of them zero.
    largest : float, optional
        Largest weight of all rows, where these are some of them.

    Examples
    --------
    >>> weights = bounded_weights(np.array([1e308, 3e307, 1e-5]))
    >>> bool(weights.sum() < 1e101)
    True
    >>> weights / weights.sum()
    array([0.76923077, 0.23076923, 0.        ])
    """
    largest = float(weights.max()) if largest is None else largest
    kept = np.where(weights < NEGLIGIBLE * largest, 0.0, weights)
    exponent = math.frexp(largest)[1]
    shift = min(max(exponent, -FURTHEST), FURTHEST) - exponent
    return np.ldexp(kept, shift) if shift else kept


@dataclass(frozen=True)
class Sample:
    """Rows, labels or targets, and prior weights of one fit.

    Parameters
    ----------
    y : array of int8 or float64
        Labels, -1 or +1, or targets, any numbers.
    prior : array
        Positive weights with sum one; a weight of 2 means the same as two copies of the row.
    rows : Table or BinnedMatrix or None
        Raw rows, for base learners that read them and for scoring.
    bins : BinnedMatrix or None
        Binned rows, for stumps and trees.
    seed : int
        Randomised base learners draw from ``(seed, round)`` and nothing else.
    n_threads : int
        Threads for the kernels.
    total : float
        Sum of the weights before they were normalised: the number of rows, copies counted.
    parts : Parts or None
        Where the rows are, if not here: see :mod:`.parts`.
    """

    y: Array
    prior: Array
    rows: Table | BinnedMatrix | None = None
    bins: BinnedMatrix | None = None
    seed: int = 0
    n_threads: int = 1
    total: float = 1.0
    parts: Parts | None = None

    @classmethod
    def of_labels(cls, y: Array, prior: Array | None = None, **parts: object) -> Self:
        """Make a sample with uniform prior unless one is given; the prior is normalised."""
        return cls._of(np.asarray(y, dtype=np.int8), prior, parts)

    @classmethod
    def of_targets(cls, y: Array, prior: Array | None = None, **parts: object) -> Self:
        """Make a sample for regression; the prior is treated as by :meth:`of_labels`.

        >>> Sample.of_targets(np.array([0.5, 2.0])).numeric
        True
        """
        return cls._of(np.asarray(y, dtype=np.float64), prior, parts)

    @classmethod
    def _of(cls, y: Array, prior: Array | None, parts: dict[str, object]) -> Self:
        weights = np.ones(len(y))
        if prior is not None:
            weights = bounded_weights(np.asarray(prior, dtype=np.float64))
        # Equal ones are multiplied, which rounds once too: few fits wait for kernels of sums.
        equal = len(weights) > 0 and bool((weights == weights[0]).all())
        total = float(len(weights) * weights[0]) if equal else rounded(exact_sum(weights))
        return cls(y=y, prior=weights / total, total=total, **parts)  # type: ignore[arg-type]

    @property
    def numeric(self) -> bool:
        """Whether ``y`` are targets to be met, so that there are no margins."""
        return self.y.dtype.kind == "f"

    @property
    def n_rows(self) -> int:
        """Number of rows, of all parts."""
        return len(self.y)

    def outcomes(self, scores: Array) -> Array:
        """``y F(x)`` of labels; of targets, the scores themselves. It is its own inverse."""
        return scores if self.numeric else self.y * scores

    @property
    def effective_rows(self) -> float:
        """Number of rows in the sense of the bounds: one over the smallest prior weight.

        The bounds on rounds come from Σ prior exp(...) being at least its smallest term.
        """
        return 1.0 / float(self.prior.min())

    @cached_property
    def uniform(self) -> bool:
        """Whether all rows weigh the same."""
        return bool((self.prior == self.prior[0]).all())

    def content(self) -> Iterator[Array]:
        """Everything but the rows that tells this sample from others."""
        yield self.y
        yield self.prior

    def scores(self, ensemble: Ensemble) -> Array:
        """Scores of a model on the sample."""
        assert self.rows is not None
        return ensemble.scores(self.rows, self.n_threads)

    def column(self, hypothesis: Hypothesis) -> Array:
        """Outputs of a hypothesis on the sample, as its oracle gave them."""
        if self.rows is None:
            raise ValueError("a sample without rows cannot be given to a hypothesis")
        rows = self.rows
        column = np.concatenate([hypothesis(rows.dense(*chunk)) for chunk in rows.chunks()])
        return column.astype(np.int8) if (np.abs(column) == 1).all() else column
