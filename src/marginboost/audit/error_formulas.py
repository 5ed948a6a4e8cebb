"""How often filters err: in theory, and against known noise (CH-Q17 to CH-Q21, CH-Q24).

A filter errs in two ways. It *discards* a good row, if enough voters mislabel it; it *misses* a
mislabelled row, if too few voters contradict the wrong label. With m voters that err independently,
each with probability q, the number that err is binomial:

    majority   P(discard) = P(more than m/2 err)        P(miss) = P(at least m/2 err)
    consensus  P(discard) = Π q_j                        P(miss) = 1 - Π (1 - q_j)

For odd m the two majority formulas agree, and for q < 1/2 both are below q and fall as m grows
(CH-C17). Consensus discards less and misses more than one voter alone (CH-C18).

The thesis sums over j > m/2 for both majority errors, which for even m leaves out the misses by a
tied vote (CH-Q18), and prints P(Discarded) on the left of the consensus miss probability (CH-X15);
these are the corrected forms. Voters trained on the same rows are never quite independent, so
real filters err more.

Reference: Brodley & Friedl, *Identifying mislabeled training data*, 1999; Chan, *On Boosting and
Noisy Labels*, 2015, section 2.3.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import binom

from ..diagnostics.arrays import same_length, vector
from ..types import Array
from ..validation import check_number

ROUNDING = 1e-9
"""By how much a count such as 0.7 · 10 may miss the integer it is."""


def majority_discard_probability(q: Any, m: int, threshold: float = 0.5) -> Any:
    """Probability that a vote of m voters discards a good row (CH-Q17).

    Parameters
    ----------
    q : float or array
        Probability that a voter mislabels the row.
    m : int
        Voters.
    threshold : float
        Share of the voters, in [0, 1): strictly more must be wrong.

    Examples
    --------
    >>> round(float(majority_discard_probability(0.1, 3)), 6)
    0.028
    """
    _check_vote(q, m, threshold)
    return binom.sf(math.floor(threshold * m + ROUNDING), m, q)


def majority_miss_probability(q: Any, m: int, threshold: float = 0.5) -> Any:
    """Probability that a vote of m voters keeps a mislabelled row (CH-Q18, corrected for ties).

    Parameters
    ----------
    q : float or array
        Probability that a voter agrees with the wrong label.
    m : int
        Voters.
    threshold : float
        Share of the voters, in [0, 1): the row is flagged if strictly more contradict its label.

    Examples
    --------
    >>> round(float(majority_miss_probability(0.1, 4)), 6)
    0.0523
    """
    _check_vote(q, m, threshold)
    return binom.cdf(math.floor(threshold * m + ROUNDING), m, 1.0 - np.asarray(q))


def consensus_discard_probability(q: Any) -> float:
    """Probability that all voters mislabel a good row (CH-Q19); ``q`` has one entry per voter."""
    return float(np.prod(vector("q", q, 0.0, 1.0)))


def consensus_miss_probability(q: Any) -> float:
    """Probability that some voter agrees with a wrong label (CH-Q20); ``q`` has one per voter.

    >>> round(consensus_miss_probability([0.1] * 4), 6)
    0.3439
    """
    return float(1.0 - np.prod(1.0 - vector("q", q, 0.0, 1.0)))


@dataclass(frozen=True)
class FilterErrors:
    """A filter against known noise (CH-Q21, Figure 2-6).

    Attributes
    ----------
    found, missed : int
        Mislabelled rows that were flagged, and that were not.
    discarded : int
        Good rows that were flagged.
    n_rows : int
        All rows.
    """

    found: int
    missed: int
    discarded: int
    n_rows: int

    @property
    def precision(self) -> float:
        """Share of the flagged rows that are mislabelled; NaN if none is flagged."""
        flagged = self.found + self.discarded
        return self.found / flagged if flagged else math.nan

    @property
    def recall(self) -> float:
        """Share of the mislabelled rows that are flagged; NaN if there are none."""
        mislabelled = self.found + self.missed
        return self.found / mislabelled if mislabelled else math.nan

    @property
    def discard_rate(self) -> float:
        """Share of the good rows that are flagged: the measured P(discard)."""
        good = self.n_rows - self.found - self.missed
        return self.discarded / good if good else math.nan

    @property
    def miss_rate(self) -> float:
        """Share of the mislabelled rows that are kept: the measured P(miss)."""
        return 1.0 - self.recall


def filter_errors(flagged: Any, mislabelled: Any) -> FilterErrors:
    """Count what a filter found, missed and discarded.

    >>> filter_errors([True, True, False, False], [True, False, True, False])
    FilterErrors(found=1, missed=1, discarded=1, n_rows=4)
    """
    first, second = _mask("flagged", flagged), _mask("mislabelled", mislabelled)
    same_length(flagged=first, mislabelled=second)
    return FilterErrors(
        found=int((first & second).sum()),
        missed=int((~first & second).sum()),
        discarded=int((first & ~second).sum()),
        n_rows=len(first),
    )


def filter_overlap(first: Any, second: Any) -> float:
    """Rows that both filters flag, as a share of the larger set (CH-Q24); NaN if both are empty.

    The thesis compares sets of equal size. By chance it would be the fraction of rows flagged.

    >>> filter_overlap([True, True, False], [True, False, True])
    0.5
    """
    one, other = _mask("first", first), _mask("second", second)
    same_length(first=one, second=other)
    larger = int(max(one.sum(), other.sum()))
    return int((one & other).sum()) / larger if larger else math.nan


def _check_vote(q: Any, m: int, threshold: float) -> None:
    vector("q", q, 0.0, 1.0)
    check_number("m", m, at_least=1, integer=True)
    check_number("threshold", threshold, at_least=0.0, below=1.0)


def _mask(name: str, values: Any) -> Array:
    mask = np.asarray(values)
    if mask.dtype != bool or mask.ndim != 1:
        raise ValueError(
            f"{name}: got {mask.dtype} of shape {mask.shape}, expected one bool per row"
        )
    return mask
