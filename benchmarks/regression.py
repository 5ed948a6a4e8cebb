"""``regression``: error and time with targets planted far out, beside other regressors.

A share of the training targets is moved out by ten standard deviations, to either side; test rows
are as they are. The set that scikit-learn carries always runs, others with the environment variable
``MARGINBOOST_DATA`` naming a folder of .npz files with arrays X and y.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from .data import Array
from .report import Goal, Section, Table
from .sizes import Sizes

FOLDER_SETS = ("boston_housing", "abalone", "cal_housing", "kin8nm", "cpu_act")
RATES = (0.0, 0.05, 0.1)
ROBUST = ("ours: tube", "ours: Huber")
SQUARED = ("HGB", "GradientBoosting", "LightGBM", "XGBoost")


def regression(sizes: Sizes) -> Section:
    """Mean absolute error on clean test rows, over that of their median; processor time."""
    section = Section("regression")
    makers = _contenders()
    columns = ["set", "planted", "rows", *makers]
    errors = Table("error over that of the median", columns)
    times = Table("processor seconds", columns)
    for name, X, y in _sets():
        rng = np.random.default_rng(0)
        order = rng.permutation(len(y))
        train = order[: min(sizes.regression_rows, len(y) * 3 // 4)]
        test = order[len(train) : len(train) + 5000]
        base = float(np.abs(y[test] - np.median(y[test])).mean())
        for rate in RATES:
            planted = _planted(y[train], rate, rng)
            found = [_measure(make(), X, planted, train, test, y) for make in makers.values()]
            about = [name, f"{rate:.0%}", len(train)]
            errors.rows.append([*about, *(error / base for error, _ in found)])
            times.rows.append([*about, *(seconds for _, seconds in found)])
    section.tables = [errors, _lost(errors, list(makers)), times]
    section.goals = _goals(section.tables[1], times)
    section.notes.append(
        "fits with default settings but for the loss, and 100 trees of depth 4 in the tube of "
        "trees; errors are those of clean test rows, absolute, over that of their median"
    )
    if not os.environ.get("MARGINBOOST_DATA"):
        section.skipped.append("sets of the data folder: MARGINBOOST_DATA is not set")
    section.skipped += [f"{name} is not installed" for name in _missing()]
    return section


def _missing() -> list[str]:
    return [name for name in ("lightgbm", "xgboost") if find_spec(name) is None]


def _contenders() -> dict[str, Any]:
    """Ours and others, by default settings but for the loss."""
    from sklearn.ensemble import GradientBoostingRegressor, HistGradientBoostingRegressor
    from sklearn.linear_model import HuberRegressor, QuantileRegressor
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVR

    from marginboost import GradientBoostRegressor, LPBoostRegressor, TreeOracle

    makers: dict[str, Any] = {
        "ours: tube": LPBoostRegressor,
        "ours: tube of trees": lambda: LPBoostRegressor(TreeOracle(max_depth=4), n_estimators=100),
        "ours: Huber": lambda: GradientBoostRegressor(loss="huber"),
        "ours: squared": GradientBoostRegressor,
        "HGB": HistGradientBoostingRegressor,
        "HGB absolute": lambda: HistGradientBoostingRegressor(loss="absolute_error"),
        "GradientBoosting": GradientBoostingRegressor,
        "SVR": lambda: make_pipeline(StandardScaler(), SVR(C=10.0)),
        "Huber lines": lambda: make_pipeline(StandardScaler(), HuberRegressor(max_iter=1000)),
        "median lines": lambda: make_pipeline(StandardScaler(), QuantileRegressor(alpha=1e-3)),
    }
    if find_spec("lightgbm") is not None:
        from lightgbm import LGBMRegressor

        makers["LightGBM"] = lambda: LGBMRegressor(verbose=-1)
    if find_spec("xgboost") is not None:
        from xgboost import XGBRegressor

        makers["XGBoost"] = XGBRegressor
    return makers


def _sets() -> Iterator[tuple[str, Array, Array]]:
    from sklearn.datasets import load_diabetes

    yield ("diabetes", *load_diabetes(return_X_y=True))
    folder = os.environ.get("MARGINBOOST_DATA")
    for name in FOLDER_SETS if folder else ():
        file = Path(str(folder)) / f"reg_{name}.npz"
        if file.exists():
            with np.load(file) as data:
                yield name, data["X"].astype(float), data["y"].astype(float)


def _planted(y: Array, rate: float, rng: np.random.Generator) -> Array:
    """Targets of which a share is far out."""
    moved = y.copy()
    rows = rng.choice(len(y), round(rate * len(y)), replace=False)
    moved[rows] += 10.0 * y.std() * rng.choice([-1.0, 1.0], len(rows))
    return moved


def _measure(
    model: Any, X: Array, planted: Array, train: Array, test: Array, y: Array
) -> tuple[float, float]:
    start = time.process_time()
    model.fit(X[train], planted)
    seconds = time.process_time() - start
    return float(np.abs(y[test] - model.predict(X[test])).mean()), seconds


def _lost(errors: Table, names: list[str]) -> Table:
    """What planting costs: error over that with none planted, mean of all sets."""
    table = Table("error over that with none planted, mean of all sets", ["planted", *names])
    rows = np.array([row[3:] for row in errors.rows], dtype=float)
    rows = rows.reshape(-1, len(RATES), len(names))
    for r, rate in enumerate(RATES[1:], start=1):
        lost = (rows[:, r] / rows[:, 0]).mean(axis=0)
        table.rows.append([f"{rate:.0%}", *map(float, lost)])
    return table


def _goals(lost: Table, times: Table) -> list[Goal]:
    """Ours lose no more than squared peers at any rate, and are no slower."""
    goals = []
    for row in lost.rows:
        by_name = dict(zip(lost.columns[1:], row[1:], strict=True))
        peers = min(by_name[name] for name in SQUARED if name in by_name)
        for name in ROBUST:
            what = f"{name}: error with {row[0]} planted over that with none, over the peers'"
            goals.append(Goal(what, by_name[name] / peers, "<=", 1.0))
    total = np.array([row[3:] for row in times.rows], dtype=float).sum(axis=0)
    seconds = dict(zip(times.columns[3:], total.tolist(), strict=True))
    fastest = min(seconds[name] for name in SQUARED if name in seconds)
    ratio = fastest / seconds["ours: squared"]
    goals.append(Goal("fastest squared peer / ours, total time", ratio, ">=", 1.0, "×"))
    return goals
