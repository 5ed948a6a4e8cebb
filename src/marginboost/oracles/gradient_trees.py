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

from collections.abc import Sequence
from copy import copy
from functools import partial
from typing import Self

import numpy as np

from ..core.oracle import Candidate, Oracle
from ..core.types import Array
from ..core.weights import Weights
from ..data import BinnedMatrix
from ..kernels.gradient_histograms import (
    FEATURES_A_WORD,
    NARROW,
    pack_words,
    pair_up,
)
from ..kernels.gradient_splits import GRADIENT_SPLIT, L2, LIMITS_LENGTH, MIN_ROWS, ROW_WEIGHT
from ..kernels.gradient_trees import (
    GRADIENT_NODE,
    MAX_DEPTH,
    MAX_LEAVES,
    N_SLOTS,
    ORDER_LENGTH,
    ROWS_AT_ONCE,
    SHAPE_LENGTH,
    Job,
    grow_tree,
    help_grow,
)
from ..kernels.parallel import WorkerPool, run_blocks, run_rows
from ..kernels.stumps import CATEGORY, PARTITION, THRESHOLD
from ..kernels.trees import NODE, walk_codes
from ..kernels.weights import weighted_sum
from ..validation import check_choice, check_number
from .histograms import SERIAL_WORK
from .tree_hypothesis import Tree, with_categories

DEEPEST = 1 << 30
"""Depth where none is given."""
WORDS_ROWS = 1 << 13
"""Rows whose codes are packed at once, so that the words stay in the cache."""


class GradientTreeOracle(Oracle):
    """Grow one regression tree a round on slopes and curvatures, the best split first.

    Cuts are those between the bins; each split learns a side for missing values, and a node that
    saw none sends them to the side of more curvature. Ties go to the lowest feature, then the
    lowest cut. A split that gains nothing is not made.

    Hypotheses must stay in [-1, 1], so leaves are divided by the largest in absolute value, which
    is the candidate's ``scale``. Without curvatures, from a rule that has none, every row has that
    of the squared loss, and a leaf is the mean slope of its rows.

    Parameters
    ----------
    max_leaves : int or None
        Most leaves.
    max_depth : int or None
        Most splits between root and leaf. One of the two must be given.
    min_leaf_rows : float
        Least number of rows in a leaf, weights of rows counted. A side's number is estimated by its
        share of the node's curvature, which is exact where all rows have the same.
    l2 : float
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

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from marginboost import GradientBoostClassifier, GradientTreeOracle
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> trees = GradientTreeOracle(max_leaves=4)
    >>> GradientBoostClassifier(trees, n_estimators=20).fit(X, y).estimators_[1]
    Tree(n_leaves=4, depth=2)
    """

    saved = True
    exact = False
    needs_bins = True
    reads_curvature = True
    class_name = "regression trees grown greedily with cuts between the bins"

    def __init__(
        self,
        max_leaves: int | None = 31,
        max_depth: int | None = None,
        min_leaf_rows: float = 20,
        l2: float = 0.0,
        splits: str = "newton",
        max_step: float | None = None,
        subsample: float = 1.0,
        categorical: str = "equality",
    ) -> None:
        self.max_leaves = max_leaves
        self.max_depth = max_depth
        self.min_leaf_rows = min_leaf_rows
        self.l2 = l2
        self.splits = splits
        self.max_step = max_step
        self.subsample = subsample
        self.categorical = categorical

    # -- before the first tree -------------------------------------------------------------------

    def check(self, *, drawn: bool = False) -> None:
        """Raise where a setting is not sound."""
        if self.max_leaves is None and self.max_depth is None:
            raise ValueError("max_leaves: got None, expected a number where max_depth is None too")
        if self.max_leaves is not None:
            check_number("max_leaves", self.max_leaves, at_least=2, integer=True)
        if self.max_depth is not None:
            check_number("max_depth", self.max_depth, at_least=1, integer=True)
        check_number("min_leaf_rows", self.min_leaf_rows, at_least=1.0)
        check_number("l2", self.l2, at_least=0.0)
        check_choice("splits", self.splits, ("newton", "gradient"))
        if self.max_step is not None:
            check_number("max_step", self.max_step, above=0.0)
        check_number("subsample", self.subsample, above=0.0, at_most=1.0)
        check_choice("categorical", self.categorical, ("equality", "partition"))

    def prepare(self) -> None:
        """Check the settings, pack the codes and lay out the memory of a tree."""
        self.check()
        sample, bins = self.sample, self.sample.bins
        if bins is None:
            raise ValueError("GradientTreeOracle: the sample has no binned rows")
        self._bins = bins
        split = CATEGORY if self.categorical == "equality" else PARTITION
        kinds = np.array([THRESHOLD if known is None else split for known in bins.categories])
        # The number of rows that a tree sees, and how many copies of a row each stands for.
        n_drawn = max(1, round(self.subsample * bins.n_rows))
        uniform = sample.uniform
        weights = np.empty(0) if uniform else sample.prior * sample.total
        self._n_threads = sample.n_threads if bins.codes.size > SERIAL_WORK else 1
        tiles, words = _pack(bins, self._n_threads)
        depth = self.max_depth or DEEPEST
        most = min(self.max_leaves or DEEPEST, n_drawn, 1 << min(depth, 30))
        n_slots = most if self.max_leaves else min(most, depth + 2)
        n_nodes, widest = 2 * most - 1, int(bins.n_bins.max()) + 1
        width = max(NARROW, widest) if len(words) else widest
        shape = np.zeros(SHAPE_LENGTH, np.int64)
        shape[MAX_DEPTH], shape[N_SLOTS] = depth, n_slots
        shape[MAX_LEAVES] = most if self.max_leaves else 0
        limits = np.zeros(LIMITS_LENGTH)
        limits[L2] = self.l2 / sample.total
        limits[MIN_ROWS], limits[ROW_WEIGHT] = self.min_leaf_rows, sample.total / bins.n_rows
        n_shares = -(-n_drawn // ROWS_AT_ONCE)
        pairs = np.empty((bins.n_rows, 2))
        self._all = np.arange(bins.n_rows, dtype=np.uint32)
        self._job = Job(
            codes=bins.codes,
            words=words,
            tiles=tiles,
            features=np.column_stack([kinds, bins.n_bins]).astype(np.int64),
            pairs=pairs,
            leaves=pairs if self.splits == "newton" else np.empty((bins.n_rows, 2)),
            prior=weights,
            rows=np.empty(n_drawn, np.uint32),
            spare=np.empty(n_drawn, np.uint32),
            packed=np.empty((n_drawn, 2)),
            histograms=np.empty((n_slots, bins.n_features, width, 2)),
            splits=np.zeros((2, bins.n_features), GRADIENT_SPLIT),
            counts=np.zeros((n_shares, 2), np.int64),
            weights=np.zeros(n_shares),
            nodes=np.zeros(n_nodes, GRADIENT_NODE),
            tables=np.zeros((n_nodes, widest), np.uint8),
            free=np.empty(n_slots, np.int64),
            waiting=np.empty(most, np.int64),
            column=np.empty(0),
            order=np.zeros(ORDER_LENGTH, np.int64),
            board=np.zeros(0, np.int64),
            shape=shape,
            limits=limits,
        )

    def twin(self) -> Self:
        """Another that shares the codes and has room of its own, so that both can grow at once."""
        shared = ("codes", "words", "tiles", "features", "prior", "shape", "limits", "board")
        own = {
            name: values.copy()
            for name, values in self._job._asdict().items()
            if name not in shared
        }
        if self._job.leaves is self._job.pairs:
            own["leaves"] = own["pairs"]
        mine, self._job = self._job, self._job._replace(**own)
        other = copy(self)
        self._job = mine
        return other

    # -- one tree --------------------------------------------------------------------------------

    def find(self, weights: Weights, k: int, round: int) -> list[Candidate]:
        """One tree."""
        dual = weights.dual
        curvature = self.sample.prior if weights.curvature is None else weights.curvature
        rows = self._draw(round)
        total = self._load(dual, curvature, rows)
        pool = WorkerPool(self._n_threads - 1)
        job = self._job._replace(column=np.empty(len(dual)), board=pool.board)
        largest = np.inf if self.max_step is None else self.max_step
        n_nodes, scale, edge = pool.lead(
            lambda: grow_tree(job, total, largest), partial(help_grow, job)
        )
        pool.dismiss()
        tree = self._tree(job.nodes[:n_nodes], job.tables)
        if rows is not None:
            self._walk(tree, job, rows)
            edge = weighted_sum(dual, job.column)
        return [Candidate(tree, edge, job.column, scale)]

    def _draw(self, round: int) -> Array | None:
        """Rows of a tree in ascending order; None for all of them."""
        n_rows, job_rows = self._bins.n_rows, self._job.rows
        if len(job_rows) == n_rows:
            job_rows[:] = self._all
            return None
        rng = np.random.default_rng([self.sample.seed, round])
        drawn = rng.choice(n_rows, len(job_rows), replace=False, shuffle=False)
        drawn.sort()
        job_rows[:] = drawn
        return drawn

    def _load(self, dual: Array, curvature: Array, rows: Array | None) -> float:
        """Pair slopes with curvatures and set the root; returns the sum of all curvatures."""
        job, sample = self._job, self.sample
        total = sum(run_rows(lambda a, b: float(curvature[a:b].sum()), len(dual), self._n_threads))
        factor = 1.0 / total if total > 0.0 else 1.0

        def pair(start: int, stop: int) -> tuple[float, float]:
            here = slice(start, stop)
            sums = pair_up(dual[here], curvature[here], factor, job.leaves[here])
            if self.splits == "gradient":
                sums = pair_up(dual[here], sample.prior[here], 1.0, job.pairs[here])
            return sums

        sums = np.sum(run_rows(pair, len(dual), self._n_threads), axis=0)
        share = 1.0
        if rows is not None:
            job.packed[:] = job.pairs[rows]
            sums, share = job.packed.sum(axis=0), float(sample.prior[rows].sum())
        root = job.nodes[:1]
        root["start"], root["stop"], root["depth"], root["slot"] = 0, len(job.rows), 0, -1
        root["left"] = root["right"] = root["feature"] = -1
        root["slope"], root["curvature"] = sums
        root["rows"] = share * sample.total
        return total

    def _tree(self, nodes: Array, tables: Array) -> Tree:
        """Write nodes as a tree on raw values."""
        bins, inner = self._bins, nodes["left"] >= 0
        records = np.zeros(len(nodes), NODE)
        records["feature"] = np.where(inner, nodes["feature"], -1)
        records["left"], records["right"] = nodes["left"], nodes["right"]
        records["value"] = np.where(inner, 0.0, nodes["value"])
        records["gain"] = np.where(inner, nodes["gain"], 0.0)
        records["missing_left"] = inner & (nodes["missing_left"] != 0)
        sets: list[Sequence[int] | None] = [None] * len(nodes)
        for k in np.flatnonzero(inner):
            j, cut = nodes["feature"][k], nodes["cut"][k]
            if bins.categories[j] is None:
                cuts = bins.cuts[j]
                records["threshold"][k] = cuts[cut] if cut < len(cuts) else np.inf
                continue
            left = np.flatnonzero(tables[k, : bins.n_bins[j]])
            if len(left) == bins.n_bins[j]:
                records["threshold"][k] = np.inf  # all that are present
            else:
                sets[k] = left.tolist()
        return Tree(*with_categories(records, sets))

    def _walk(self, tree: Tree, job: Job, drawn: Array) -> None:
        """Outputs of the rows that the tree did not see."""
        idle = np.delete(np.arange(self._bins.n_rows), drawn)
        width = job.tables.shape[1]
        flat, starts = job.tables.reshape(-1), width * np.arange(tree.n_nodes)

        def walk(start: int, stop: int) -> None:
            walk_codes(job.codes, idle[start:stop], tree.nodes, flat, starts, job.column)

        run_rows(walk, len(idle), self._n_threads)


def _pack(bins: BinnedMatrix, n_threads: int) -> tuple[Array, Array]:
    """Tiles of features, equally wide and an even number of them, and their codes in words."""
    n_features = bins.n_features
    n_tiles = 2 * -(-n_features // (2 * FEATURES_A_WORD))
    n_tiles = min(n_tiles, n_features)
    tiles = np.linspace(0, n_features, n_tiles + 1).round().astype(np.int64)
    if bins.codes.dtype != np.uint8:
        return tiles, np.zeros((0, 0), np.uint64)
    words = np.empty((n_tiles, bins.n_rows), np.uint64)

    def pack(block: int) -> None:
        here = slice(block * WORDS_ROWS, (block + 1) * WORDS_ROWS)
        pack_words(bins.codes[:, here], tiles, words[:, here])

    run_blocks(pack, -(-bins.n_rows // WORDS_ROWS), n_threads)
    return tiles, words
