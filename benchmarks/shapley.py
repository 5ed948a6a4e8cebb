"""Exact Shapley values of trees, beside LightGBM and the shap package: ``shapley``."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import util
from typing import Any

import numpy as np

from marginboost import GradientBoostRegressor

from .data import Array
from .report import Goal, Section, Table
from .sizes import Sizes
from .timing import interleave, speedup

PEERS = ("lightgbm", "shap")
Explainers = dict[str, Callable[[Array], Any]]


def shapley(sizes: Sizes) -> Section:
    """Path-dependent values of all rows, and interventional ones against a background."""
    section = Section("shapley")
    n_rows, n_features = sizes.shapley_shape
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, n_features))
    y = X[:, 0] * X[:, 1] + np.sin(X[:, 2]) + 0.3 * X[:, 3:].sum(axis=1)
    y += 0.1 * rng.normal(size=n_rows)
    section.skipped = [f"{p} is not installed" for p in PEERS if util.find_spec(p) is None]
    rounds = sizes.shapley_trees
    ours = GradientBoostRegressor(n_estimators=rounds).fit(X, y)
    theirs = None if section.skipped else _lightgbm(rounds, X, y)
    background = X[: sizes.shapley_background]
    path: Explainers = {"marginboost": lambda rows: ours.shap_values(rows, X, method="path")}
    against: Explainers = {"marginboost": lambda rows: ours.shap_values(rows, background)}
    if theirs is not None:
        path["lightgbm"] = lambda rows: theirs.predict(rows, pred_contrib=True)
        path["shap"] = lambda rows: _shap(theirs, None, rows)
        against["shap"] = lambda rows: _shap(theirs, background, rows)
    some = X[: sizes.shapley_few]  # the others take a minute for all
    games = (("path-dependent", path, X), (f"against {len(background)} rows", against, some))
    for game, explainers, rows in games:
        for explain in explainers.values():
            explain(X[:100])  # kernels compiled, pages touched
        tasks = {name: partial(explain, rows) for name, explain in explainers.items()}
        times, _ = interleave(tasks, sizes.shapley_repeats)
        what = f"{game}: {len(rows):,} rows × {n_features}, {rounds} trees of 31 leaves"
        section.times[what] = times
        table = Table(what, ["contender", "best s", "× our time"])
        for name, seconds in times.items():
            table.rows.append([name, min(seconds), min(seconds) / min(times["marginboost"])])
        section.tables.append(table)
        found = speedup(times, "marginboost")
        section.goals.append(Goal(f"{what}: fastest peer / us", found, ">=", 1.0, "×"))
    section.notes = ["models are each library's own, with its defaults: same rows, trees, leaves"]
    return section


def _lightgbm(rounds: int, X: Array, y: Array) -> Any:
    import lightgbm

    return lightgbm.LGBMRegressor(n_estimators=rounds, verbose=-1).fit(X, y)


def _shap(model: Any, background: Array | None, X: Array) -> Any:
    import shap

    explainer = shap.TreeExplainer(model, data=background)
    return explainer.shap_values(X, check_additivity=False)
