"""Many methods on many data sets: relative errors, significance (R2-Q13, R2-Q14; R2-E7)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..types import Array
from ..validation import check_number
from .arrays import same_length, vector


@dataclass(frozen=True)
class MeanPercent:
    """How much worse than the best each method is, on average over data sets (R2-Q13).

    Attributes
    ----------
    mean, spread : array
        Mean and standard deviation over the data sets of ``error / smallest error - 1``, in
        percent; one of each per method.
    """

    mean: Array
    spread: Array


def mean_percent(errors: Any) -> MeanPercent:
    """Mean% of several methods (R2-Q13).

    Parameters
    ----------
    errors : array (n_data_sets, n_methods)
        Errors; on no data set may the smallest be zero.

    Examples
    --------
    >>> table = mean_percent([[10.0, 11.0], [4.0, 2.0]])
    >>> table.mean.round(9).tolist()
    [50.0, 5.0]
    """
    table = np.asarray(errors, dtype=np.float64)
    if table.ndim != 2 or 0 in table.shape or not np.isfinite(table).all():
        raise ValueError(
            f"errors: got shape {table.shape}, expected a finite matrix with a row for each data "
            "set and a column for each method"
        )
    smallest = table.min(axis=1, keepdims=True)
    if not (smallest > 0).all():
        raise ValueError(
            f"errors: the smallest of data set {int(np.argmin(smallest))} is "
            f"{float(smallest.min()):g}, expected positive errors"
        )
    excess = 100.0 * (table / smallest - 1.0)
    degrees = min(1, len(table) - 1)
    return MeanPercent(excess.mean(axis=0), excess.std(axis=0, ddof=degrees))


@dataclass(frozen=True)
class Comparison:
    """Two-sided t-test between two methods (R2-Q14).

    Attributes
    ----------
    difference : float
        Mean error of the first less that of the second.
    p_value : float
        Probability of a difference at least as large if there is none.
    confidence : float
        Level asked for.
    """

    difference: float
    p_value: float
    confidence: float

    @property
    def significant(self) -> bool:
        """Whether the methods differ at this level."""
        return self.p_value < 1.0 - self.confidence


def compare_errors(
    first: Any, second: Any, *, paired: bool = True, confidence: float = 0.99
) -> Comparison:
    """Test whether two methods have the same mean error (R2-Q14).

    Parameters
    ----------
    first, second : array
        Errors, one per realisation of the data set.
    paired : bool
        Whether entry k of both belongs to the same realisation, as it should be: the test then
        looks at the differences. If not, variances may be unequal (Welch).
    confidence : float
        Level, in (0, 1).
    """
    from scipy import stats  # here, not above: slow at import

    check_number("confidence", confidence, above=0.0, below=1.0)
    one, two = vector("first", first), vector("second", second)
    for name, values in (("first", one), ("second", two)):
        if len(values) < 2:
            raise ValueError(f"{name}: got {len(values)} error, expected at least 2")
    difference = float(one.mean() - two.mean())
    if paired:
        same_length(first=one, second=two)
        if np.ptp(one - two) == 0.0:  # no spread to measure the difference by
            return Comparison(difference, float(difference == 0.0), confidence)
        found = stats.ttest_rel(one, two)
    else:
        found = stats.ttest_ind(one, two, equal_var=False)
    return Comparison(difference, float(found.pvalue), confidence)


def best_methods(means: Any, spreads: Any, n_runs: int, *, confidence: float = 0.99) -> Array:
    """Methods that are best, or not significantly worse than the best, from a printed table.

    See R2-Q14.

    Parameters
    ----------
    means, spreads : array
        Mean and standard deviation of each method's errors on one data set.
    n_runs : int
        Realisations behind each mean.
    confidence : float
        Level of the two-sided t-test, with unequal variances and unpaired: a table no longer tells
        which errors belong together.

    Returns
    -------
    array of bool
        One per method.

    Examples
    --------
    >>> best_methods([10.8, 10.9, 12.3], [0.6, 0.4, 0.7], 100).tolist()
    [True, True, False]
    """
    from scipy import stats

    check_number("n_runs", n_runs, at_least=2, integer=True)
    check_number("confidence", confidence, above=0.0, below=1.0)
    centre, spread = vector("means", means), vector("spreads", spreads, low=0.0)
    same_length(means=centre, spreads=spread)
    best = int(np.argmin(centre))
    with np.errstate(invalid="ignore", divide="ignore"):
        p_values = stats.ttest_ind_from_stats(
            centre, spread, n_runs, centre[best], spread[best], n_runs, equal_var=False
        ).pvalue
    return (centre == centre[best]) | (p_values >= 1.0 - confidence)
