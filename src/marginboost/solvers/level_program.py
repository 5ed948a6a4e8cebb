"""The soft-margin program over all stumps at once, written by levels: for few features.

A combination of stumps is a level for every bin of every feature, and a constant:

    max   ρ - Σ_i cap_i ξ_i   s.t.   y_i (Σ_f level_f(bin_f(x_i)) + c) >= ρ - ξ_i,   ξ >= 0

A step between neighbouring bins is twice the coefficient of a stump, and its sign the stump's;
stumps are -1 on one side and +1 on the other, so the first and the last level of a feature are
opposite. Coefficients sum to at most one: what is left can go to a stump and its negative. There
are as many variables as bins, examples and cuts, and an example has one entry per feature, however
many stumps there are; multipliers of the examples are their weights.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from ..data import BinnedMatrix
from ..types import Array
from .masters.base import MasterError

SMALLEST = 1e-12
"""Coefficients below this are rounding."""


@dataclass(frozen=True)
class LevelSolution:
    """Stumps and weights that solve the program.

    Attributes
    ----------
    features, cuts : arrays of int
        Feature and cut of each stump.
    coef : array
        Its coefficient; positive for a stump that is +1 to the right of its cut.
    constant : float
        Coefficient of the constant 1.
    weights : array
        Weights of the examples, with sum one.
    """

    features: Array
    cuts: Array
    coef: Array
    constant: float
    weights: Array


def can_be_levelled(bins: BinnedMatrix) -> bool:
    """Whether stumps on these bins have two sides: no missing values, no categories."""
    return not bins.has_missing.any() and all(known is None for known in bins.categories)


def solve_levels(
    bins: BinnedMatrix, y: Array, caps: Array, seconds: float | None = None
) -> LevelSolution:
    """Solve the ν-LP over all stumps of binned rows.

    Parameters
    ----------
    bins : BinnedMatrix
        Rows for which :func:`can_be_levelled` holds.
    y : array
        Labels, -1 or +1.
    caps : array
        Largest weight of each example.
    seconds : float, optional
        Most seconds; raises :class:`~.masters.base.MasterError` where they do not suffice.
    """
    import highspy  # here, not above: most users of the package never solve a linear program

    model: Any = highspy.Highs()  # type: ignore[no-untyped-call]
    model.setOptionValue("output_flag", False)
    if seconds is not None:
        model.setOptionValue("time_limit", seconds)
    model.passModel(_program(highspy, bins, y, caps))
    model.run()
    status = model.getModelStatus()
    if status != highspy.HighsModelStatus.kOptimal:
        reason = model.modelStatusToString(status)
        raise MasterError(f"HiGHS did not solve the program by levels: {reason}")
    solution = model.getSolution()
    return _read(np.array(solution.col_value), np.array(solution.row_dual), bins)


def _program(highs: Any, bins: BinnedMatrix, y: Array, caps: Array) -> Any:
    """Variables: levels, steps up, steps down, the constant both ways, ρ, shortfalls."""
    n, first = len(y), _first_levels(bins)
    n_levels, n_cuts = int(first[-1]), int((bins.n_bins - 1).sum())
    priced = np.arange(n_levels, n_levels + 2 * n_cuts + 2)
    up, rho = priced[-2], priced[-1] + 1
    of_row = [*(first[:-1, None] + bins.codes), *([up + k] * n for k in (0, 1, 2))]
    examples = np.column_stack([*of_row, rho + 1 + np.arange(n)])
    signs = np.column_stack([*[y] * bins.n_features, y, -y, -np.ones(n), np.ones(n)])
    left = np.concatenate([np.arange(a, b - 1) for a, b in pairwise(first)])
    place = n_levels + np.arange(n_cuts)
    steps = np.column_stack([left + 1, left, place, place + n_cuts])
    ends = np.column_stack([first[:-1], first[1:] - 1])
    ends[:, 1] = np.where(bins.n_bins > 1, ends[:, 1], rho)  # of one bin: level 0
    end_signs = np.column_stack([np.ones(len(ends)), np.where(bins.n_bins > 1, 1.0, 0.0)])
    parts = [(examples, signs), (steps, np.tile([1.0, -1.0, -2.0, 2.0], (n_cuts, 1)))]
    parts += [(ends, end_signs), (priced[None], np.ones((1, len(priced))))]
    lengths = np.concatenate([np.full(len(index), index.shape[1]) for index, _ in parts])
    program = highs.HighsLp()
    program.num_col_, program.num_row_ = int(rho) + 1 + n, len(lengths)
    program.col_cost_ = np.concatenate([np.zeros(rho), [-1.0], caps])
    lowest = np.zeros(program.num_col_)
    lowest[:n_levels] = lowest[rho] = -np.inf
    program.col_lower_, program.col_upper_ = lowest, np.full(program.num_col_, np.inf)
    program.row_lower_ = np.append(np.zeros(len(lengths) - 1), -np.inf)
    program.row_upper_ = np.concatenate([np.full(n, np.inf), np.zeros(len(lengths) - n - 1), [1.0]])
    program.a_matrix_.format_ = highs.MatrixFormat.kRowwise
    program.a_matrix_.start_ = np.append(0, np.cumsum(lengths)).astype(np.int32)
    program.a_matrix_.index_ = np.concatenate([i.ravel() for i, _ in parts]).astype(np.int32)
    program.a_matrix_.value_ = np.concatenate([values.ravel() for _, values in parts])
    return program


def _first_levels(bins: BinnedMatrix) -> Array:
    return np.append(0, np.cumsum(bins.n_bins))


def _read(values: Array, multipliers: Array, bins: BinnedMatrix) -> LevelSolution:
    n_levels, n_cuts = int(bins.n_bins.sum()), int((bins.n_bins - 1).sum())
    steps = values[n_levels : n_levels + n_cuts] - values[n_levels + n_cuts :][:n_cuts]
    features = np.repeat(np.arange(bins.n_features), bins.n_bins - 1)
    cuts = np.concatenate([np.arange(count - 1) for count in bins.n_bins])
    used = np.abs(steps) > SMALLEST
    up, down = values[n_levels + 2 * n_cuts :][:2]
    weights = np.maximum(multipliers[: bins.n_rows], 0.0)
    if not weights.any():
        raise MasterError("the program by levels has no weights")
    return LevelSolution(
        features[used], cuts[used], steps[used], float(up - down), weights / weights.sum()
    )
