"""``gradient``: trees of 31 leaves on the logistic loss, beside the gradient boosters.

All make equally many rounds at a learning rate of 0.1 with at most 255 or 256 bins; XGBoost grows
leaf by leaf too. Times are from raw arrays, and for training alone on data binned beforehand. With
several classes everybody grows one tree per class and round, under one softmax; steps are made
equally long there, for the libraries scale the curvature of K classes each in its own way: by K /
(K - 1) (LightGBM and we), by 2 (XGBoost), not at all (scikit-learn).

On the first data set once more with constraints and half of the columns drawn for every split, and
with half of the columns drawn for every tree, where a contender has such a setting.
"""
# ruff: noqa: D102 -- the methods of a contender are documented once, on Contender.

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from marginboost.kernels.parallel import available_threads

from .data import TEST, TRAIN, Array, synthetic
from .peers import Contender, HistGradientBoosting, LightGBM, MarginBoost, XGBoost, able
from .report import Cell, Goal, Section, Table
from .sizes import Sizes
from .timing import interleave, speedup

LEAVES, RATE = 31, 0.1
COLUMNS = ["contender", "best s", "all s", "× our time", "trees", "test log loss"]


@dataclass(frozen=True)
class Constraints:
    """What trees must keep to.

    Attributes
    ----------
    name : str
        For the report; empty where there is nothing to keep to.
    directions : tuple of int
        Of every column: -1, 0 or 1; empty for none.
    groups : tuple of tuple of int
        Columns that may meet on one way from root to leaf; none where all may.
    per_split, per_tree : float
        Shares of the columns that are drawn.
    """

    name: str = ""
    directions: tuple[int, ...] = ()
    groups: tuple[tuple[int, ...], ...] = ()
    per_split: float = 1.0
    per_tree: float = 1.0


FREE = Constraints()


class OurTrees(MarginBoost):
    """Our gradient boosting."""

    def __init__(self, n_classes: int = 2, kept: Constraints = FREE) -> None:
        self.n_classes, self.kept = n_classes, kept

    def fit(self, X: Array, y: Array, rounds: int) -> Any:
        from marginboost import GradientBoostClassifier, SoftmaxBoostClassifier

        kind = SoftmaxBoostClassifier if self.n_classes > 2 else GradientBoostClassifier
        directions = self.kept.directions
        more: dict[str, Any] = {"monotonic_cst": directions} if directions else {}
        return kind(
            n_estimators=rounds,
            learning_rate=RATE,
            max_leaf_nodes=LEAVES,
            interaction_cst=self.kept.groups or None,
            max_features=self.kept.per_split,
            colsample_bytree=self.kept.per_tree,
            **more,
        ).fit(X, y)

    def scores(self, model: Any, X: Array) -> Array:
        return model.predict_proba(X)

    def n_stumps(self, model: Any) -> int:
        return len(model.estimators_) * (self.n_classes if self.n_classes > 2 else 1)


class LightGBMTrees(LightGBM):
    """LightGBM with trees."""

    def __init__(self, layout: str, n_classes: int = 2, kept: Constraints = FREE) -> None:
        super().__init__(layout)
        self.n_classes, self.kept = n_classes, kept

    @property
    def _parameters(self) -> dict[str, Any]:
        several = {"objective": "multiclass", "num_class": self.n_classes}
        kept = self.kept
        return {
            **super()._parameters,
            **({"monotone_constraints": list(kept.directions)} if kept.directions else {}),
            **({"interaction_constraints": list(map(list, kept.groups))} if kept.groups else {}),
            "feature_fraction": kept.per_tree,
            "feature_fraction_bynode": kept.per_split,
            "num_leaves": LEAVES,
            "max_depth": -1,
            "learning_rate": RATE,
            **(several if self.n_classes > 2 else {}),
        }

    def scores(self, model: Any, X: Array) -> Array:
        return _both(model.predict(X, num_threads=available_threads()))


class XGBoostTrees(XGBoost):
    """XGBoost with trees, the best leaf first."""

    def __init__(self, n_classes: int = 2, kept: Constraints = FREE) -> None:
        self.n_classes, self.kept = n_classes, kept

    def fit_binned(self, binned: Any, rounds: int) -> Any:
        import xgboost

        kept = self.kept
        several = {"objective": "multi:softprob", "num_class": self.n_classes}
        parameters = {
            "objective": "binary:logistic",
            "tree_method": "hist",
            "grow_policy": "lossguide",
            "max_leaves": LEAVES,
            "max_depth": 0,
            "max_bin": 256,
            "learning_rate": RATE * (2.0 * shrunk(self.n_classes) if self.n_classes > 2 else 1.0),
            "nthread": available_threads(),
            "verbosity": 0,
            "colsample_bytree": kept.per_tree,
            "colsample_bynode": kept.per_split,
            **({"monotone_constraints": kept.directions} if kept.directions else {}),
            **({"interaction_constraints": str([*map(list, kept.groups)])} if kept.groups else {}),
            **(several if self.n_classes > 2 else {}),
        }
        return xgboost.train(parameters, binned, num_boost_round=rounds)

    def scores(self, model: Any, X: Array) -> Array:
        return _both(model.inplace_predict(X))

    def n_stumps(self, model: Any) -> int:
        return len(model.get_dump())


class HistTrees(HistGradientBoosting):
    """scikit-learn's histogram gradient boosting with trees."""

    def __init__(self, n_classes: int = 2, kept: Constraints = FREE) -> None:
        self.n_classes, self.kept = n_classes, kept

    def skip(self, task: str) -> str | None:
        if self.kept.per_tree < 1.0:
            return "scikit-learn's HistGradientBoosting draws columns for splits, not for trees"
        return super().skip(task)

    def fit(self, X: Array, y: Array, rounds: int) -> Any:
        from sklearn.ensemble import HistGradientBoostingClassifier

        rate = RATE * (shrunk(self.n_classes) if self.n_classes > 2 else 1.0)
        return HistGradientBoostingClassifier(
            max_iter=rounds,
            max_leaf_nodes=LEAVES,
            learning_rate=rate,
            early_stopping=False,
            monotonic_cst=self.kept.directions or None,
            interaction_cst=self.kept.groups or None,
            max_features=self.kept.per_split,
        ).fit(X, y)

    def scores(self, model: Any, X: Array) -> Array:
        return model.predict_proba(X)

    def n_stumps(self, model: Any) -> int:
        return model.n_iter_ * model.n_trees_per_iteration_


def shrunk(n_classes: int) -> float:
    """Length of a step with the curvature of several classes scaled, without it 1."""
    return (n_classes - 1.0) / n_classes


def _both(chances: Array) -> Array:
    """Probabilities of all classes, where only that of the second is given."""
    return np.column_stack([1.0 - chances, chances]) if chances.ndim == 1 else chances


def contenders(n_classes: int = 2, kept: Constraints = FREE) -> list[Contender]:
    """Us first, then the peers."""
    return [
        OurTrees(n_classes, kept),
        LightGBMTrees("column", n_classes, kept),
        LightGBMTrees("row", n_classes, kept),
        XGBoostTrees(n_classes, kept),
        HistTrees(n_classes, kept),
    ]


def variants(X: Array, y: Array) -> list[Constraints]:
    """Directions of a fifth of the columns as in the data, two groups of columns, and draws."""
    n_features = X.shape[1]
    lean = np.sign(X.T @ (y - y.mean())).astype(int)
    lean[max(1, n_features // 5) :] = 0
    half = n_features // 2
    groups = (tuple(range(half)), tuple(range(half, n_features)))
    return [
        Constraints("constraints, columns per split", tuple(lean.tolist()), groups, 0.5),
        Constraints("columns per tree", per_tree=0.5),
    ]


def several_classes(
    n_rows: int, n_features: int, n_classes: int, part: int = TRAIN
) -> tuple[Array, Array]:
    """Draw normal rows whose class has the largest of some noisy quadratic scores."""
    truth = np.random.default_rng([n_features, n_classes])
    line = truth.normal(size=(n_features, n_classes))
    curve = truth.normal(size=(n_features, n_classes))
    rng = np.random.default_rng([part, n_rows, n_features])
    X = rng.normal(size=(n_rows, n_features))
    noise = rng.gumbel(scale=2.0, size=(n_rows, n_classes))
    return X, (X @ line + 0.5 * (X**2) @ curve + noise).argmax(axis=1)


def gradient(sizes: Sizes) -> Section:
    """Fit trees from raw arrays and on binned data; two classes and several, small data first."""
    section, started = Section("gradient"), time.monotonic()
    several, first = sizes.gradient_classes, sizes.gradient_shapes[0]
    cases = [(shape, 2) for shape in sizes.gradient_shapes]
    cases += [(shape, several) for shape in sizes.gradient_class_shapes]
    for shape, n_classes in sorted(cases, key=lambda case: math.prod(case[0])):
        train, test = _rows(shape, n_classes, sizes)
        races = [("raw", FREE)]
        if n_classes == 2:
            races.append(("binned", FREE))
        if sizes.gradient_variants and (shape, n_classes) == (first, 2):
            races += [("raw", kept) for kept in variants(*train)]
        for task, kept in races:
            if sizes.minutes and time.monotonic() - started > 60.0 * sizes.minutes:
                section.skipped.append(f"what comes after {sizes.minutes:g} minutes")
            else:
                _race(section, task, sizes, train, test, kept)
    section.skipped = list(dict.fromkeys(section.skipped))
    return section


def _rows(
    shape: tuple[int, int], n_classes: int, sizes: Sizes
) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
    """Rows to learn from, and rows to judge."""
    if n_classes == 2:
        return synthetic(*shape), synthetic(sizes.test_rows, shape[1], TEST)
    test = several_classes(sizes.test_rows, shape[1], n_classes, TEST)
    return several_classes(*shape, n_classes), test


def _race(
    section: Section,
    task: str,
    sizes: Sizes,
    train: tuple[Array, Array],
    test: tuple[Array, Array],
    kept: Constraints = FREE,
) -> None:
    """Time all who can do the task on one data set, and judge time and loss."""
    n_classes = int(train[1].max()) + 1
    rounds = sizes.gradient_rounds if n_classes == 2 else sizes.gradient_class_rounds
    racing, skipped = able(contenders(n_classes, kept), task)
    section.skipped += skipped
    few = train[0][:20_000], train[1][:20_000]
    tasks: dict[str, Any] = {}
    for contender in racing:
        contender.fit(*few, 2)  # compiles kernels and starts threads
        if task == "raw":
            tasks[contender.name] = lambda c=contender: c.fit(*train, rounds)
        else:
            binned = contender.bin(*train)
            tasks[contender.name] = lambda c=contender, b=binned: c.fit_binned(b, rounds)
    times, models = interleave(tasks, sizes.repeats)
    n_rows, n_features = train[0].shape
    start = "from raw arrays" if task == "raw" else "training alone"
    classes = "" if n_classes == 2 else f", {n_classes} classes"
    what = f"{rounds} rounds, {n_rows:,} × {n_features}{classes}, {start}"
    what += f", {kept.name}" if kept.name else ""
    section.times[what] = times
    us = racing[0].name
    losses = {c.name: _log_loss(c.scores(models[c.name], test[0]), test[1]) for c in racing}
    rows: list[list[Cell]] = []
    for contender in racing:
        seconds = times[contender.name]
        shown = " ".join(f"{second:.3g}" for second in seconds)
        ratio = min(seconds) / min(times[us])
        trees = contender.n_stumps(models[contender.name])
        rows.append([contender.name, min(seconds), shown, ratio, trees, losses[contender.name]])
    section.tables.append(Table(what, COLUMNS, rows))
    section.goals.append(Goal(f"{what}: fastest peer / us", speedup(times, us), ">=", 1.5, "×"))
    others = [loss for name, loss in losses.items() if name != us]
    best = losses[us] / min(others) if others else None
    section.goals.append(Goal(f"{what}: our test loss / best peer's", best, "<=", 1.01, "×"))


def _log_loss(chances: Array, y: Array) -> float:
    """Mean logarithmic loss, computed here so that no contender reports its own."""
    own = np.asarray(chances, dtype=np.float64)[np.arange(len(y)), y]
    return float(-np.log(np.maximum(own, 1e-300)).mean())
