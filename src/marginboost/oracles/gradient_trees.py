"""Second-order regression trees as base learners (CH-A6, CH-A7, CH-A8).

Problem: with slopes g (the signed weights) and curvatures h ≥ 0 of a loss, find the tree f that
minimises its quadratic model

    Σ_i ( -g_i f(x_i) + ½ h_i f(x_i)² ) + ½ λ Σ_leaves f²

A leaf with sums G and H takes the value G / (H + λ), Newton's step, and lowers the model by
½ G² / (H + λ). Splits are chosen greedily by how much they lower it. Finding the best tree is hard;
nothing is certified.

References: Friedman, *Greedy function approximation: a gradient boosting machine*, 2001; Friedman,
Hastie & Tibshirani, *Additive logistic regression*, 2000.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from copy import copy
from typing import Any, ClassVar, Self

import numpy as np

from ..core.oracle import Candidate, Oracle
from ..core.parts import ColumnOnParts, Parts
from ..core.weights import Weights
from ..kernels.columns import MODULUS
from ..kernels.exact import SMALLEST_NORMAL, exact_sum, grid, rounded
from ..kernels.grow import newton_steps
from ..kernels.histograms import pair_up
from ..kernels.parallel import run_rows
from ..kernels.shares import MIN_GAIN
from ..kernels.splits import SQUARES
from ..kernels.stumps import PARTITION
from ..kernels.weights import weighted_sum
from ..solvers.masters.tube import middle_quantile
from ..types import Array
from ..validation import Constraints, Number
from ..warning import warn_user
from .constraints import (
    check_directions,
    check_interactions,
    read_directions,
    read_interactions,
)
from .growth import CATEGORICAL, SIZES, Growth, Limits, TreeGrower
from .parted_trees import (
    PartedGrower,
    SymmetricPartedGrower,
    lay_out_trees,
    measure_slopes,
    write_leaves,
)

POLICIES = ("lossguide", "depthwise", "symmetric")
DEEPEST_SYMMETRIC = 10
"""Most levels of a symmetric tree: sums of all nodes of a level are kept."""
Pair = tuple[float, float]
"""Of slopes, and of curvatures."""
Units = Pair
"""What slopes, and what curvatures are divided by before they are summed."""
DRAWS = 10
"""Draws of columns for a tree before it is given up that there is a split."""

GROWTH_PARAMETERS = """max_features : float
        Share of the columns, drawn anew for every split (of a symmetric tree for every level), of
        those that may be split by there.
    colsample_bytree : float
        Share of the columns, drawn anew for every tree.
    min_split_gain : float
        Least gain of a split, summed over rows: G² / (H + λ) of both sides over that of the node,
        G the slopes and H the curvatures of their rows, as in LightGBM and XGBoost.
    grow_policy : {"lossguide", "depthwise", "symmetric"}
        Which node is split next: that of largest gain (LightGBM's way), or those next to the root
        first, the largest gain among them. "symmetric" splits all nodes of a level by the same cut
        (CatBoost's way), which sees with fewer rows what features say only together; a tree has as
        many levels as ``max_leaf_nodes`` and ``max_depth`` have room for, ten at most.
    interaction_cst : "pairwise", "no_interactions", list of lists of columns, or None
        Columns that may be split by on one way from root to leaf: any two, one, or those of one
        group, by name or position. Columns in no group make a group of their own."""

MONOTONIC_PARAMETER = """monotonic_cst : dict, array of -1, 0 and 1, or None
        Direction in which the score follows a column, by name or position: 1 never falls, -1 never
        rises, all other columns being equal. Missing values have no place in that order."""


class GradientTreeOracle(Oracle):
    """Grow one regression tree per round on slopes and curvatures, the best split first.

    Cuts are those between the bins; each split learns a side for missing values, and a node that
    saw none sends them to the side of more curvature. Ties go to the lowest feature, then the
    lowest cut. A split that gains nothing is not made.

    Hypotheses must stay in [-1, 1], so leaves are divided by the largest in absolute value, which
    is the candidate's ``scale``. Without curvatures, from a rule that has none, every row has that
    of the squared loss, and a leaf is the mean slope of its rows.

    Parameters
    ----------
    max_leaf_nodes : int or None
        Most leaves.
    max_depth : int or None
        Most splits between root and leaf. One of the two must be given.
    min_samples_leaf : float
        Least number of rows in a leaf, weights of rows counted. A side's number is estimated by its
        share of the node's curvature, which is exact where all rows have the same.
    l2_regularization : float
        λ, as a number of rows: that of so many average rows is added to the curvature of a leaf.
    splits : {"newton", "gradient"}
        Whether splits are judged with the curvatures, or as least squares fits to the slopes
        (Friedman's gradient boosting). Leaves are Newton's steps with either.
    max_step : float or None
        Largest leaf in absolute value, before it is scaled.
    subsample : float
        Share of the rows, drawn anew without replacement for every tree, from which it is grown.
    categorical : {"equality", "partition"}
        How a categorical feature is split: one category against the rest, or the best partition of
        all categories in two sets.
    {growth}

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from marginboost import GradientBoostClassifier, GradientTreeOracle
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> trees = GradientTreeOracle(max_leaf_nodes=4)
    >>> GradientBoostClassifier(trees, n_estimators=20).fit(X, y).estimators_[1]
    Tree(n_leaves=4, depth=2)
    """

    saved = True
    exact = False
    needs_bins = True
    on_parts = True
    reads_curvature = True
    offers_one = True
    class_name = "regression trees grown greedily with cuts between the bins"
    __constraints__: ClassVar[Constraints] = {
        **SIZES,
        "min_samples_leaf": Number(at_least=1.0),
        "l2_regularization": Number(at_least=0.0),
        "splits": ("newton", "gradient"),
        "max_step": Number(above=0.0, optional=True),
        "subsample": Number(above=0.0, at_most=1.0),
        "categorical": tuple(CATEGORICAL),
        "max_features": Number(above=0.0, at_most=1.0),
        "colsample_bytree": Number(above=0.0, at_most=1.0),
        "min_split_gain": Number(at_least=0.0),
        "grow_policy": POLICIES,
    }

    def __init__(
        self,
        max_leaf_nodes: int | None = 31,
        max_depth: int | None = None,
        min_samples_leaf: float = 20,
        l2_regularization: float = 0.0,
        splits: str = "newton",
        max_step: float | None = None,
        subsample: float = 1.0,
        categorical: str = "equality",
        max_features: float = 1.0,
        colsample_bytree: float = 1.0,
        min_split_gain: float = 0.0,
        grow_policy: str = "lossguide",
        interaction_cst: Any = None,
        monotonic_cst: Any = None,
    ) -> None:
        self.max_leaf_nodes = max_leaf_nodes
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.l2_regularization = l2_regularization
        self.splits = splits
        self.max_step = max_step
        self.subsample = subsample
        self.categorical = categorical
        self.max_features = max_features
        self.colsample_bytree = colsample_bytree
        self.min_split_gain = min_split_gain
        self.grow_policy = grow_policy
        self.interaction_cst = interaction_cst
        self.monotonic_cst = monotonic_cst

    # -- before the first tree -------------------------------------------------------------------

    def check(self, *, drawn: bool = False) -> None:
        """Raise where settings are not sound."""
        super().check(drawn=drawn)
        if self.max_leaf_nodes is None and self.max_depth is None:
            raise ValueError(
                "max_leaf_nodes: got None, expected a number where max_depth is None too"
            )
        check_interactions(self.interaction_cst)
        check_directions(self.monotonic_cst)
        if self.monotonic_cst is not None and self.splits == "gradient":
            raise ValueError(
                "splits: got 'gradient', expected 'newton' with monotonic_cst: values of leaves "
                "must be those that splits are judged by"
            )
        if self.grow_policy == "symmetric":
            self._check_symmetric()

    def _check_symmetric(self) -> None:
        """Raise where one question cannot do for all nodes of a level."""
        if self.categorical != "equality":
            raise ValueError(
                f"categorical: got {self.categorical!r}, expected 'equality' with "
                "grow_policy='symmetric': each node of a level has a best partition of its own"
            )
        levels = Limits(SQUARES, self.max_depth, self.max_leaf_nodes, symmetric=True).depth
        if levels > DEEPEST_SYMMETRIC:
            name = "max_leaf_nodes" if self.max_depth is None else "max_depth"
            raise ValueError(
                f"{name}: got {getattr(self, name)!r}, expected a limit of {DEEPEST_SYMMETRIC} "
                f"levels, {2**DEEPEST_SYMMETRIC} leaves, with grow_policy='symmetric'"
            )

    def prepare(self) -> None:
        """Lay out the memory of a tree."""
        sample, bins = self.sample, self.sample.bins
        if bins is None:
            raise ValueError("GradientTreeOracle: the sample has no binned rows")
        drawn = self.subsample * sample.total
        if drawn < 2.0 * self.min_samples_leaf:
            warn_user(
                f"min_samples_leaf: got {self.min_samples_leaf:g}, but a tree sees rows of weight "
                f"{drawn:g} in all, so none can be split; expected at most half of that"
            )
        groups, together = read_interactions(self.interaction_cst, bins.names)
        numeric = np.array([known is None for known in bins.categories])
        limits = Limits(
            SQUARES,
            self.max_depth,
            self.max_leaf_nodes,
            min_rows=self.min_samples_leaf,
            row_weight=sample.total / (sample.n_rows if sample.uniform else 1.0),
            l2=self.l2_regularization / sample.total,
            by_depth=self.grow_policy == "depthwise",
            max_features=self.max_features,
            together=together,
            symmetric=self.grow_policy == "symmetric",
        )
        weights = np.zeros(1) if sample.parts is not None else grid(sample.prior)
        self._grower = TreeGrower(
            bins,
            limits,
            sample.n_threads,
            categorical=self.categorical,
            n_rows=max(1, round(self.subsample * sample.n_rows)),
            row_weights=None if sample.uniform else weights,
            leaves_apart=self.splits == "gradient",
            monotonic=read_directions(self.monotonic_cst, bins.names, numeric),
            groups=groups,
            in_parts=sample.parts is not None,
        )
        self._drawn: tuple[int, Array | None] = -1, None
        if sample.parts is not None:
            self._prepare_parts(sample.parts, limits)

    def _prepare_parts(self, parts: Parts, limits: Limits) -> None:
        """Lay out the memory of a tree on all parts."""
        needed = {"subsample": 1.0, "colsample_bytree": 1.0, "splits": "newton"}
        for name, expected in needed.items():
            if getattr(self, name) != expected:
                raise TypeError(
                    f"{name}: got {getattr(self, name)!r}, expected {expected!r} on rows in parts"
                )
        if (self._grower.kinds == PARTITION).any():
            raise TypeError("categorical: got 'partition', expected 'equality' on rows in parts")
        parts.tell(lay_out_trees, limits)
        kind = SymmetricPartedGrower if limits.symmetric else PartedGrower
        self._parted = kind(self._grower, parts.each)
        self._n_found = 0

    def twin(self) -> Self:
        """Another that shares the codes and has its own memory, so that both can grow at once."""
        mine, self._grower = self._grower, self._grower.twin()
        other = copy(self)
        self._grower = mine
        return other

    # -- one tree --------------------------------------------------------------------------------

    def find(self, weights: Weights, k: int, round: int) -> list[Candidate]:
        """One tree."""
        if self.sample.parts is not None:
            return [self._find_on_parts(self.sample.parts, weights, round)]
        dual = weights.dual
        curvature = self.sample.prior if weights.curvature is None else weights.curvature
        rows = self._draw(round)
        units = self._measure(dual, curvature, weights.total_curvature)
        sums = self._load(dual, curvature, units)
        self._set_least_gain(units, weights.size)
        share = 1.0 if rows is None else float(self.sample.prior[rows].sum())
        growth = self._grow(rows, sums, share * self.sample.total, round).by_level()
        values, scale, edge = self._values(growth, units)
        if weights.residual is not None:
            values, scale, edge = self._medians(growth, weights.residual)
        tree = growth.tree(values)
        column = growth.outputs(tree, values)
        if rows is not None:
            edge = weighted_sum(dual, column)
        return [Candidate(tree, edge, column, scale)]

    def _set_least_gain(self, units: Units, size: float) -> None:
        """Gains are of weights that sum to one; those of rows, as others have them, are larger."""
        weight = max(size * self.sample.total, SMALLEST_NORMAL)
        least = self.min_split_gain * units[1] / weight
        self._grower.job.limits[MIN_GAIN] = least / units[0] / units[0]  # a square may be zero

    def _find_on_parts(self, parts: Parts, weights: Weights, round: int) -> Candidate:
        """One tree, from sums of all parts."""
        total = weights.total_curvature
        units = units_of(parts.each(measure_slopes)) if total is None else (1.0, total or 1.0)
        self._set_least_gain(units, weights.size)
        sample = self.sample
        for attempt in range(self._n_draws):
            self._draw_columns(round, attempt)  # for the seeds of its nodes
            grown, rows, last = self._parted.grow(sample.n_rows, sample.total, units)
            if len(grown.nodes) > 1:
                break
        growth, order = grown.by_level(), grown.level_order()
        values, scale, edge = self._values(growth, units)
        leaves = [(rows[order[k]], float(values[k])) for k in np.flatnonzero(growth.leaves)]
        self._n_found += 1
        parts.tell(write_leaves, self._n_found, last, leaves)
        column: Any = ColumnOnParts(self._n_found, np.dtype(np.float64))
        return Candidate(growth.tree(values), edge, column, scale)

    def _draw(self, round: int) -> Array | None:
        """Rows of a tree in ascending order; None for all of them.

        Trees of one round, such as those of several classes, have the same: they are drawn once.
        """
        n_rows, n_drawn = self._grower.bins.n_rows, len(self._grower.job.rows)
        if n_drawn < n_rows and self._drawn[0] != round:
            rng = np.random.default_rng([self.sample.seed, round])
            drawn = rng.choice(n_rows, n_drawn, replace=False, shuffle=False)
            drawn.sort()
            self._drawn = round, drawn
        return self._drawn[1]

    def _grow(self, rows: Array | None, sums: Pair, weight: float, round: int) -> Growth:
        """Grow a tree; where columns are drawn and those drawn have no split, draw others."""
        for attempt in range(self._n_draws):
            columns = self._draw_columns(round, attempt)
            growth = self._grower.grow(rows, sums, weight, columns)
            if len(growth.nodes) > 1:
                break
        return growth

    @property
    def _n_draws(self) -> int:
        """How often columns are drawn for one tree at most; once where all are taken."""
        return DRAWS if self.colsample_bytree < 1.0 or self.max_features < 1.0 else 1

    def _draw_columns(self, round: int, attempt: int) -> Array | None:
        """Columns of a tree in ascending order, None for all of them; and seeds of its nodes."""
        if self._n_draws == 1:
            return None
        job, n_features = self._grower.job, self._grower.bins.n_features
        rng = np.random.default_rng([self.sample.seed, round, 1 + attempt])
        job.seeds[:] = rng.integers(1, MODULUS, len(job.seeds))
        n_drawn = max(1, int(self.colsample_bytree * n_features + 0.5))
        if n_drawn == n_features:
            return None
        return np.sort(rng.choice(n_features, n_drawn, replace=False, shuffle=False))

    def _measure(self, dual: Array, curvature: Array, total: float | None) -> Units:
        """Units of slopes and curvatures, whose total may be known."""
        if total is not None:
            return 1.0, total or 1.0

        def measure(start: int, stop: int) -> tuple[float, int]:
            here = slice(start, stop)
            return float(np.abs(dual[here]).sum()), exact_sum(curvature[here])

        return units_of(run_rows(measure, len(dual), self._grower.n_threads))

    def _load(self, dual: Array, curvature: Array, units: Units) -> Pair:
        """Pair slopes with curvatures, in these units; returns the sums of the pairs."""
        job, prior, n_threads = self._grower.job, self.sample.prior, self._grower.n_threads

        def pair(start: int, stop: int) -> tuple[float, float]:
            here, factors = slice(start, stop), (1.0 / units[0], 1.0 / units[1])
            if self.splits == "gradient":
                pair_up(dual[here], curvature[here], *factors, job.leaf_values[here])
                return pair_up(dual[here], prior[here], factors[0], 1.0, job.values[here])
            return pair_up(dual[here], curvature[here], *factors, job.values[here])

        slopes, weights = zip(*run_rows(pair, len(dual), n_threads), strict=True)
        return sum(slopes), sum(weights)

    def _values(self, growth: Growth, units: Units) -> tuple[Array, float, float]:
        """Values of the leaves, divided by the largest, that, and the edge.

        What grew the tree leaves its units.
        """
        nodes, sums = growth.nodes, growth.sums
        steps, pulls = np.empty(len(nodes)), np.empty(len(nodes))
        l2, longest = self._grower.limits.l2, math.inf if self.max_step is None else self.max_step
        scale, n_leaves = newton_steps(nodes, sums, units, l2, longest, steps, pulls)
        return steps, scale, float(np.add.reduce(pulls[:n_leaves]))

    def _medians(self, growth: Growth, residual: Array) -> tuple[Array, float, float]:
        """Medians of the residuals in the leaves, divided by the largest, that, and the edge."""
        medians, prior = np.zeros(len(growth.nodes)), self.sample.prior
        for k in np.flatnonzero(growth.leaves):
            rows = growth.rows[growth.nodes["start"][k] : growth.nodes["stop"][k]]
            medians[k] = middle_quantile(residual[rows], prior[rows], 0.5)
        scale = float(np.abs(medians).max())
        values = medians / (scale or 1.0)
        return values, scale, float((growth.sums[:, 0] * values)[growth.leaves].sum())


def units_of(found: Sequence[tuple[float, int]]) -> Units:
    """Units of slopes and curvatures, from sizes and exact totals of some rows each."""
    sizes, totals = zip(*found, strict=True)
    return slope_unit(sum(sizes)), rounded(sum(totals)) or 1.0


def slope_unit(size: float) -> float:
    """Power of two by which slopes of this size in all are divided: shares of about one.

    Most rules give shares of one, which are taken as they are.

    >>> slope_unit(1.0), slope_unit(0.7), slope_unit(1e-3), slope_unit(0.0)
    (1.0, 1.0, 0.0009765625, 1.0)
    """
    if 0.5 < size < 2.0 or not 0.0 < size < math.inf:
        return 1.0
    return math.ldexp(1.0, math.frexp(size)[1] - 1)


if GradientTreeOracle.__doc__:  # python -OO leaves none
    GradientTreeOracle.__doc__ = GradientTreeOracle.__doc__.replace(
        "{growth}", f"{GROWTH_PARAMETERS}\n    {MONOTONIC_PARAMETER}"
    )
