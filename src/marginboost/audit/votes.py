"""Out-of-fold votes: what classifiers that never saw a row's label say about it.

Folds and bins are made once and shared by all voters, so an audit costs little more than its fits.
Voters err in different ways, and suit the table:

================  =================================  ===============================================
voter             what it sees                       tables
================  =================================  ===============================================
gradient trees    interactions                       all; symmetric trees, smaller ones where there
                                                     are few rows
boosted stumps    each feature by itself             all
linear            straight lines                     all; on bins above :data:`FEW_ROWS` rows
forest            interactions, calmly               up to :data:`FEW_ROWS` rows: it is slow, and in
                                                     larger tables gradient trees see as much
================  =================================  ===============================================
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import expit, softmax
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline

from ..algorithms.adaboost import AdaBoostClassifier
from ..algorithms.gradient_boost import GradientBoostClassifier
from ..algorithms.softmax_boost import SoftmaxBoostClassifier
from ..data import BinnedMatrix, Table
from ..estimators.classifier import BaseMarginClassifier
from ..kernels.parallel import resolve_n_jobs
from ..types import Array
from .folds import Fold, fit_folds, take_rows
from .forest import BinnedForest
from .linear import BinnedLinear, frequent_categories
from .soft_labels import SoftRows

FEW_ROWS = 5_000
"""Rows up to which a forest votes too, all voters vote twice, and trees are small."""
MANY_ROWS = 10_000
"""Rows above which two folds do, as half of them teach a voter nearly all it can learn."""
STUMPS = "boosted stumps"
"""Name of the voter whose reasons are told."""
LEARNING_ROWS = {"linear": 20_000, STUMPS: 100_000}
"""Rows that simple voters learn from, at most, in a fold."""
MAX_BINS = 255
"""Bins of a feature, which the models that are fitted after an audit share."""
VOTING_BINS = 64
"""Bins of a feature for the default voters of small tables. Their trees look at all bins, and have
a hundredth of the rows in a leaf: finer cuts would cost much and say little."""
VOTING_TOL = 1e-3
"""Largest slope at which the linear voter stops: a vote needs no further digits."""
TINY, TINY_TREES = 100, 20
"""Rows below which a forest has no more trees than this: more would say the same."""
WIDE = 256
"""Features above which gradient boosting that stays makes a third of the rounds, three times as
long: a tree looks at all bins of all features."""


def default_voters(
    n_rows: int, n_classes: int = 2, n_jobs: int | None = None, seed: int = 0
) -> dict[str, Any]:
    """Voters that suit a table with so many rows."""
    trees = gradient_trees(n_rows, n_classes, n_jobs=n_jobs, random_state=seed)
    stumps = boosted_stumps(n_jobs, seed)
    if n_rows <= FEW_ROWS:
        return {
            "gradient trees": trees,
            STUMPS: stumps.set_params(n_estimators=30, learning_rate=0.6),
            "linear": LogisticRegression(max_iter=1000, tol=VOTING_TOL),
            "forest": forest(n_rows, n_jobs, seed),
        }
    return {
        "gradient trees": trees,
        STUMPS: stumps.set_params(n_estimators=60, learning_rate=0.7),
        "linear": BinnedLinear(),
    }


def default_folds(n_rows: int) -> int:
    """Folds that suit a table."""
    return 5 if n_rows <= FEW_ROWS else 3 if n_rows <= MANY_ROWS else 2


def boosted_stumps(n_jobs: int | None = None, seed: int = 0) -> AdaBoostClassifier:
    """The voter that sees each feature by itself, and can say why it votes as it does."""
    return AdaBoostClassifier(n_estimators=100, learning_rate=0.5, n_jobs=n_jobs, random_state=seed)


def gradient_trees(n_rows: int, n_classes: int, **settings: Any) -> BaseMarginClassifier:
    """Gradient boosting that votes, for a table of this size, all classes jointly.

    Symmetric trees see features that matter only together with few rows, and follow a wrong label
    less, as all rows of a level choose its cut. Steps are few and large: votes are many, and
    stacked.
    """
    if n_rows > FEW_ROWS:
        return _symmetric(
            n_classes, 64, n_estimators=40, learning_rate=0.25, l2_regularization=10.0, **settings
        )
    size: dict[str, Any] = {"l2_regularization": 5.0, "min_samples_leaf": max(1, n_rows // 100)}
    return _symmetric(n_classes, 32, n_estimators=45, learning_rate=0.2, **size, **settings)


def committee_trees(
    shape: tuple[int, int], n_classes: int, clean: bool, **settings: Any
) -> BaseMarginClassifier:
    """Gradient boosting that stays: more trees and smaller steps than those that only vote.

    That errs less, and costs one fit, not one for each fold. Of a small table each tree sees half
    of the rows; if its labels are ``clean``, twice as many trees err less again.
    """
    n_rows, n_features = shape
    if n_rows > FEW_ROWS:
        leaves, rounds, rate, subsample = 64, 300, 0.1, 1.0
    else:
        leaves, rounds, rate, subsample = 32, 300 if clean else 150, 0.06, 0.5
    if n_features > WIDE:
        rounds, rate = rounds // 3, 3.0 * rate
    size: dict[str, Any] = {"n_estimators": rounds, "learning_rate": rate, "l2_regularization": 3.0}
    subsample = subsample if n_rows >= TINY else 1.0
    return _symmetric(n_classes, leaves, subsample=subsample, **size, **settings)


def _symmetric(
    n_classes: int, max_leaf_nodes: int, *, min_samples_leaf: int = 1, **settings: Any
) -> BaseMarginClassifier:
    """Boosted symmetric trees; λ keeps leaves of few rows small."""
    kind: Any = GradientBoostClassifier if n_classes == 2 else SoftmaxBoostClassifier
    size = {"max_leaf_nodes": max_leaf_nodes, "min_samples_leaf": min_samples_leaf}
    return kind(grow_policy="symmetric", **size, **settings)


def forest(
    n_rows: int, n_jobs: int | None = None, seed: int = 0, n_trees: int = 30
) -> BinnedForest:
    """Random trees for a table of this size, of a thousand leaves at most."""
    least = min(3, max(1, n_rows // 20)) if n_rows <= FEW_ROWS else n_rows // 1000
    threads = 1 if n_rows < 500 else resolve_n_jobs(n_jobs)
    n_trees = min(n_trees, TINY_TREES) if n_rows < TINY else n_trees
    return BinnedForest(n_trees, min_samples_leaf=least, n_jobs=threads, random_state=seed)


def encode(table: Table | BinnedMatrix) -> Array:
    """Numbers that any scikit-learn classifier can read, without looking at labels.

    Numeric features are standardised, with the median in place of what is missing and a column that
    says so; categories get a column each.
    """
    columns: list[Array] = []
    for j in range(table.n_features):
        values = np.asarray(table.column(j), dtype=np.float64)
        missing = np.isnan(values)
        known = table.categories[j]
        if known is None:
            columns.append(_standardised(values, missing))
        else:
            columns += _indicators(np.where(missing, -1, values).astype(int), len(known))
        if missing.any():
            columns.append(missing.astype(np.float32))
    return np.column_stack(columns).astype(np.float32)


def _standardised(values: Array, missing: Array) -> Array:
    if missing.all():
        return np.zeros(len(values))
    with np.errstate(over="ignore"):
        filled = np.where(missing, np.median(values[~missing]), values)
        largest = np.abs(filled).max()
        filled = filled / largest if largest > 0 else filled  # huge numbers must not overflow
        spread = filled.std()
    return (filled - filled.mean()) / spread if spread > 0 else np.zeros(len(values))


def _indicators(codes: Array, n_levels: int) -> list[Array]:
    frequent = frequent_categories(np.bincount(codes[codes >= 0], minlength=n_levels))
    columns = [(codes == level).astype(np.float32) for level in frequent]
    rare = (codes >= 0) & ~np.isin(codes, frequent)
    return [*columns, rare.astype(np.float32)] if rare.any() else columns


class Views:
    """The rows as each kind of voter wants them; each view is made once, when first asked for.

    Parameters
    ----------
    X : array or data frame
        The rows as given, for voters of the caller.
    table : Table or BinnedMatrix
        The same, for the package.
    n_jobs : int or None
        Threads.
    """

    def __init__(self, X: Any, table: Table | BinnedMatrix, n_jobs: int | None = None) -> None:
        self.given, self.table, self.n_jobs = X, table, n_jobs

    @cached_property
    def bins(self) -> BinnedMatrix:
        """Binned rows, for the package's own classifiers."""
        if isinstance(self.table, BinnedMatrix):
            return self.table
        return BinnedMatrix.from_table(self.table, max_bins=MAX_BINS, n_jobs=self.n_jobs)

    @cached_property
    def voting_bins(self) -> BinnedMatrix:
        """The same for the default voters: in fewer bins, if the table is small."""
        small = self.table.n_rows <= FEW_ROWS
        return self.bins.coarser(VOTING_BINS) if small else self.bins

    @cached_property
    def encoded(self) -> Array:
        """Plain numbers, for the default scikit-learn voters."""
        return encode(self.table)

    @cached_property
    def complete_numbers(self) -> Array | None:
        """The rows as they are, if they are all numbers and none is missing."""
        if any(known is not None for known in self.table.categories):
            return None
        columns = [np.asarray(self.table.column(j)) for j in range(self.table.n_features)]
        numbers = np.column_stack(columns).astype(np.float64)
        return None if np.isnan(numbers).any() else numbers

    def take(self, rows: Array) -> Views:
        """Some of the rows, in the bins of all of them."""
        some = Views(take_rows(self.given, rows), self.table.take(rows), self.n_jobs)
        some.__dict__["bins"] = self.bins.take(rows)
        return some

    def of(self, voter: Any, ours: bool) -> Any:
        """Rows for one voter; ``ours`` says that it is one of the default ones."""
        if isinstance(voter, BaseMarginClassifier | BinnedForest | BinnedLinear):
            return self.voting_bins if ours else self.bins
        if not ours and isinstance(self.given, BinnedMatrix):
            raise TypeError(
                f"voters: got {voter!r}, expected classifiers of this package, as X is a "
                "BinnedMatrix, which others cannot read"
            )
        return self.encoded if ours and not isinstance(voter, Pipeline) else self.given


Watcher = Callable[[Any, Array], None]
"""Gets the fitted model of each fold, and the rows that it judges."""


def fold_votes(
    voter: Any,
    rows: Any,
    labels: Array,
    n_classes: int,
    folds: list[Fold],
    most: int | None = None,
    watch: Watcher | None = None,
) -> Array:
    """Out-of-fold class probabilities of one voter, which learns from ``most`` rows at most."""
    votes = np.zeros((len(labels), n_classes))
    for model, test, held_out in fit_folds(voter, rows, labels, folds, most):
        if watch is not None:
            watch(model, test)
        seen = np.asarray(model.classes_, dtype=int)
        votes[np.ix_(test, seen)] = _probabilities(model, held_out)
    return votes


def soft_votes(
    voter: Any,
    rows: Any,
    soft: SoftRows,
    n_classes: int,
    folds: list[Fold],
    watch: Watcher | None = None,
) -> Array:
    """Out-of-fold class probabilities of a voter that learns from soft labels."""
    votes = np.zeros((int(soft.rows.max()) + 1, n_classes))
    for train, test in folds:
        known = soft.among(train)
        model = clone(voter).fit(
            take_rows(rows, known.rows), known.labels, sample_weight=known.weights
        )
        if watch is not None:
            watch(model, test)
        seen = np.asarray(model.classes_, dtype=int)
        votes[np.ix_(test, seen)] = _probabilities(model, take_rows(rows, test))
    return votes


def _probabilities(model: Any, rows: Any) -> Array:
    """Class probabilities; of a classifier without them, the soft-max of its decision values."""
    if hasattr(model, "predict_proba"):
        return np.asarray(model.predict_proba(rows))
    if hasattr(model, "decision_function"):
        scores = np.asarray(model.decision_function(rows))
        if scores.ndim == 1:
            return np.column_stack([expit(-scores), expit(scores)])
        return softmax(scores, axis=1)
    return (np.asarray(model.predict(rows))[:, None] == model.classes_).astype(float)
