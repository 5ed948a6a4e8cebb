"""More than two classes: letters with boosted trees, and five sets by every road (SF-E4).

The book boosts C4.5 trees on the letters for 1000 rounds (Fig. 1.7) and does not say by which
multiclass algorithm; errors of 5 to 6 % that stay away from 1/2 fit AdaBoost.M1. Trees here are
nearest to C4.5's with entropy, pessimistic pruning and two rows' weight in a leaf (C4.5 has the
gain ratio and two rows); and, plainer, trees of at most 1000 leaves.

The other tables have nothing published to be compared with: they are what the default
for more than two classes was chosen by.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone

from ..algorithms import (
    AdaBoostClassifier,
    AdaBoostM1Classifier,
    AdaBoostM2Classifier,
    AdaBoostMHClassifier,
    SAMMEClassifier,
)
from ..algorithms.multiclass import MulticlassBooster
from ..oracles import LabelTreeOracle, TreeOracle
from ..types import Array
from . import Comparison, load_arrays

SETS = ("vowel", "segment", "digits8x8", "satimage", "letter")
LETTER_ROUNDS = 1000
LETTER_LEAVES = 1000
ROUNDS = 100
PUBLISHED: tuple[str, ...] = (
    "13.8",
    "8.4",
    "3.1",
    "0 after 5 rounds",
    "5 to 6",
    "over 2,000,000",
    "–",
)


def run(data: Path | None) -> Iterator[Comparison]:
    """Letters as in the book, then all sets with stumps and with trees."""
    yield letters(data)
    yield all_sets(data, f"test error in %, {ROUNDS} rounds of stumps", stumps())
    yield all_sets(data, f"test error in %, {ROUNDS} rounds of trees of depth 6", trees())


def letters(data: Path | None, rounds: int = LETTER_ROUNDS) -> Comparison:
    """Boosted trees on 16,000 letters, tested on 4,000 (Fig. 1.7)."""
    X, y, X_test, y_test = split(data, "letter")
    pruned = LabelTreeOracle(
        max_depth=None,
        criterion="entropy",
        prune="pessimistic",
        min_weight_fraction_leaf=2 / len(y),
    )
    plain = LabelTreeOracle(max_depth=None, max_leaf_nodes=LETTER_LEAVES)
    models = {
        "M1, pruned trees": AdaBoostM1Classifier(pruned),
        f"M1, {LETTER_LEAVES} leaves": AdaBoostM1Classifier(plain),
        f"SAMME, {LETTER_LEAVES} leaves": SAMMEClassifier(plain),
    }
    columns = [PUBLISHED]
    for model in models.values():
        model.set_params(n_estimators=rounds, n_jobs=1)
        columns.append(_curve(model, X, y, X_test, y_test))
    names = (
        "test error, one tree (%)",
        "test error, 5 rounds (%)",
        f"test error, {rounds} rounds (%)",
        "training error, 5 rounds (%)",
        "weighted error of the last trees (%)",
        "nodes of all trees",
        "seconds to fit, one thread",
    )
    rows = [(name, *cells) for name, *cells in zip(names, *columns, strict=True)]
    return Comparison("letter recognition", ("book", *models), rows)


def _curve(model: Any, X: Array, y: Array, X_test: Array, y_test: Array) -> tuple[str, ...]:
    started = time.perf_counter()
    model.fit(X, y)
    seconds = time.perf_counter() - started
    errors = [100 * np.mean(found != y_test) for found in model.staged_predict(X_test)]
    fifth = min(5, len(errors)) - 1  # a tree without errors ends a run
    five = next(islice(model.staged_predict(X), fifth, None))
    nodes = sum(tree.tree.n_nodes for tree in model.estimators_)
    late = 100 * model.estimator_errors_[-50:].mean()
    return (
        f"{errors[0]:.2f}",
        f"{errors[fifth]:.2f}",
        f"{errors[-1]:.2f}",
        f"{100 * np.mean(five != y):.2f}",
        f"{late:.1f}",
        f"{nodes:,}",
        f"{seconds:.0f}",
    )


def stumps() -> dict[str, Any]:
    """Every road to several classes, with stumps."""
    return {**_reductions(AdaBoostClassifier()), **_algorithms(None, None)}


def trees() -> dict[str, Any]:
    """Do the same with trees."""
    reductions = _reductions(AdaBoostClassifier(TreeOracle(max_depth=6, criterion="gini")))
    one, some = LabelTreeOracle(max_depth=6), LabelTreeOracle(max_depth=6, answers="set")
    return {**reductions, "M1": AdaBoostM1Classifier(one), **_algorithms(one, some)}


def _reductions(model: Any) -> dict[str, Any]:
    model = model.set_params(n_estimators=ROUNDS, n_jobs=1)
    return {
        code: MulticlassBooster(model, code=code)
        for code in ("one-vs-rest", "all-pairs", "error-correcting")
    }


def _algorithms(one: Any, some: Any) -> dict[str, Any]:
    return {
        "SAMME": SAMMEClassifier(one),
        "M2": AdaBoostM2Classifier(some),
        "MH": AdaBoostMHClassifier(some),
    }


def all_sets(data: Path | None, title: str, models: dict[str, Any]) -> Comparison:
    """Test errors of all models on all sets."""
    rows = []
    for name in SETS:
        X, y, X_test, y_test = split(data, name)
        cells = []
        for model in models.values():
            fitted = clone(model)
            if not isinstance(model, MulticlassBooster):
                fitted.set_params(n_estimators=ROUNDS, n_jobs=1)
            started = time.perf_counter()
            fitted.fit(X, y)
            seconds = time.perf_counter() - started
            error = np.mean(fitted.predict(X_test) != y_test)
            cells.append(f"{100 * error:.1f} ({seconds:.1f} s)")
        rows.append((f"{name}, {len(np.unique(y))} classes", *cells))
    notes = ("in brackets seconds to fit with one thread; AdaBoost in all columns",)
    return Comparison(title, tuple(models), rows, notes)


def split(data: Path | None, name: str) -> tuple[Array, Array, Array, Array]:
    """Return the published split of a set, or two thirds of its rows at random to learn from."""
    arrays = load_arrays(data, f"uci_{name}")
    X, y = arrays["X"].astype(np.float64), arrays["y"]
    if "train_idx" in arrays:
        learn, judge = arrays["train_idx"][0], arrays["test_idx"][0]
    else:
        order = np.random.default_rng(0).permutation(len(y))
        learn, judge = np.split(order, [2 * len(y) // 3])
    return X[learn], y[learn], X[judge], y[judge]
