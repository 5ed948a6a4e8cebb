"""``symmetric``: trees that split a level by one cut, beside CatBoost, whose trees they are.

Both make as many rounds of trees of 64 leaves at a learning rate of 0.1; all else is as each has it
by default, but ours have CatBoost's l2 of 3 and no least number of rows in a leaf. The truth is a
sum of products, with 20 % of the labels flipped; losses are those of the labels as they were.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import util
from typing import Any

import numpy as np

from marginboost import GradientBoostClassifier
from marginboost.kernels.parallel import available_threads

from .data import TEST, TRAIN, Array
from .report import Goal, Section, Table
from .sizes import Sizes
from .timing import interleave, speedup

LEAVES, RATE, L2 = 64, 0.1, 3.0
US, PEER = "marginboost, symmetric", "CatBoost"
FLIPPED = 0.2


def products(n_rows: int, n_features: int, part: int = TRAIN) -> tuple[Array, Array]:
    """Normal features; the class is the sign of three products and a sine."""
    X = np.random.default_rng([part, n_rows, n_features]).normal(size=(n_rows, n_features))
    truth = X[:, 0] * X[:, 1] + X[:, 2] * X[:, 3] + X[:, 4] * X[:, 5] + np.sin(2.0 * X[:, 6])
    return X, (truth > 0.0).astype(int)


def symmetric(sizes: Sizes) -> Section:
    """Fit, predict, and judge both."""
    section = Section("symmetric")
    if util.find_spec("catboost") is None:
        section.skipped.append("catboost is not installed")
    made = makers()
    for shape in sizes.symmetric_shapes:
        X, y = products(*shape)
        flipped = np.random.default_rng(0).random(len(y)) < FLIPPED
        noisy = np.where(flipped, 1 - y, y)
        for make in made.values():
            make(2).fit(X[:1000], noisy[:1000])  # compiles kernels and starts threads
        tasks = {
            name: partial(_fit, make, sizes.symmetric_rounds, X, noisy)
            for name, make in made.items()
        }
        times, models = interleave(tasks, sizes.repeats)
        X_test, y_test = products(sizes.test_rows, shape[1], TEST)
        asked = {name: partial(model.predict_proba, X_test) for name, model in models.items()}
        predicting, chances = interleave(asked, sizes.repeats)
        what = f"{sizes.symmetric_rounds} rounds, {shape[0]:,} × {shape[1]}"
        section.times[what], section.times[f"{what}, predict"] = times, predicting
        table = Table(what, ["contender", "fit s", "predict s", "error in %", "log loss"])
        for name in made:
            seconds = min(times[name]), min(predicting[name])
            table.rows.append([name, *seconds, *_judged(np.asarray(chances[name]), y_test)])
        section.tables.append(table)
        found, faster = speedup(times, US), speedup(predicting, US)
        section.goals.append(Goal(f"{what}: CatBoost's time / ours, fit", found, ">=", 1.0, "×"))
        section.goals.append(Goal(f"{what}: the same, predict", faster, ">=", 1.0, "×"))
    section.notes = [f"{sizes.test_rows:,} rows are predicted, {available_threads()} threads"]
    return section


def makers() -> dict[str, Callable[[int], Any]]:
    """Makers of models that are not fitted yet, by name; they take a number of rounds."""
    made: dict[str, Callable[[int], Any]] = {
        US: lambda n: GradientBoostClassifier(
            n_estimators=n,
            learning_rate=RATE,
            grow_policy="symmetric",
            max_leaf_nodes=LEAVES,
            min_samples_leaf=1,
            l2_regularization=L2,
        )
    }
    if util.find_spec("catboost"):
        from catboost import CatBoostClassifier

        quiet: dict[str, Any] = {"verbose": 0, "allow_writing_files": False}
        made[PEER] = lambda n: CatBoostClassifier(
            iterations=n, learning_rate=RATE, thread_count=available_threads(), **quiet
        )
    return made


def _fit(make: Callable[[int], Any], rounds: int, X: Array, y: Array) -> Any:
    return make(rounds).fit(X, y)


def _judged(chances: Array, y: Array) -> tuple[float, float]:
    """Error in percent and mean logarithmic loss."""
    own = np.maximum(chances[np.arange(len(y)), y], 1e-300)
    return 100.0 * float(np.mean(chances.argmax(axis=1) != y)), float(-np.log(own).mean())
