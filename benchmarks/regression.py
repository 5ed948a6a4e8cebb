"""``regression``: error and time with targets planted far out, beside other regressors.

A share of the training targets is moved out by ten standard deviations, to either side; test rows
are as they are; errors are means of several splits. The set that scikit-learn carries always runs,
others with the environment variable ``MARGINBOOST_DATA`` naming a folder of .npz files with arrays
X and y. What is measured goes to ``benchmarks/results/regression.json`` at once: an interrupted run
goes on where it was, ``--minutes`` ends one in time, and without that file all is measured anew.
Seconds are those of the clock.
"""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from marginboost_experiments.packed import read_json, write_json

from .data import Array
from .environment import ROOT
from .report import Goal, Section, Table
from .sizes import Sizes
from .timing import interleave

RESULTS = ROOT / "benchmarks" / "results" / "regression.json"
FOLDER_SETS = ("boston_housing", "abalone", "cal_housing", "kin8nm", "cpu_act")
RATES = (0.0, 0.05, 0.1)
ROBUST = ("ours: Huber", "ours: ε-insensitive")
"""Trees with losses that bear outliers, which goals are about."""
MOST_PRICE = 1.01
"""Error with nothing planted that they may have, over that of the best squared peer."""
OURS = "ours: squared"
SQUARED = ("HGB", "GradientBoosting", "LightGBM", "XGBoost")
TEST_ROWS = 5000
MOST_SECONDS = 20.0

Cases = dict[str, Any]


def regression(sizes: Sizes) -> Section:
    """Mean absolute error on clean test rows, over that of their median; seconds of fits."""
    section, path = Section("regression"), sizes.regression_results or RESULTS
    found: Cases = read_json(path) if path.is_file() else {}
    makers, started = _contenders(), time.monotonic()
    _warm_up(makers)
    for case, measure in _cases(makers, sizes):
        if case in found:
            continue
        if sizes.minutes and time.monotonic() - started > 60.0 * sizes.minutes:
            section.skipped.append(f"what comes after {sizes.minutes:g} minutes: run it again")
            break
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found[case] = measure()
        path.parent.mkdir(parents=True, exist_ok=True)
        write_json(path, found)
    section.tables = _tables(found, list(makers), sizes)
    section.goals = _goals(section.tables)
    if large := found.get(f"large|{sizes.regression_large}"):
        rows, seconds, gap = large
        what = f"LPBoostRegressor, {rows:,} rows: seconds to a proven gap of {gap:.1g}"
        section.goals.append(Goal(what, seconds, "<=", MOST_SECONDS, " s"))
    section.notes.append(
        "fits with default settings but for the loss, and 100 trees of depth 4 in the tube of "
        "trees; errors are those of clean test rows, absolute, over that of their median, "
        f"means of {sizes.regression_splits} splits; further means are over sets that all "
        "contenders have seen"
    )
    if not os.environ.get("MARGINBOOST_DATA"):
        section.skipped.append("sets of the data folder: MARGINBOOST_DATA is not set")
    section.skipped += [f"{name} is not installed" for name in _missing()]
    return section


def _cases(makers: dict[str, Any], sizes: Sizes) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Name of each case and what measures it: many rows, then times and errors of every set."""
    yield f"large|{sizes.regression_large}", lambda: _large(sizes.regression_large)
    for name, X, y in _sets():
        train, _ = _split(len(y), sizes.regression_rows, 0)
        about = f"{name}|{sizes.regression_rows}"
        fast = {model: makers[model] for model in (OURS, *SQUARED) if model in makers}
        yield f"{about}|times", lambda X=X, y=y, r=train, fast=fast: _times(fast, X[r], y[r], sizes)
        for number, rate in product(range(sizes.regression_splits), RATES):
            rows = train, _ = _split(len(y), sizes.regression_rows, number)
            planted = _planted(y[train], rate, np.random.default_rng([number, round(100 * rate)]))
            for model, make in makers.items():
                yield (
                    _case(name, sizes.regression_rows, number, rate, model),
                    lambda make=make, planted=planted, X=X, y=y, rows=rows: _measure(
                        make(), X, planted, *rows, y
                    ),
                )


def _case(name: str, rows: int, number: int, rate: float, model: str) -> str:
    return f"{name}|{rows}|{number}|{rate:.0%}|{model}"


def _split(n_rows: int, most: int, number: int) -> tuple[Array, Array]:
    order = np.random.default_rng(number).permutation(n_rows)
    n_train = min(most, n_rows * 3 // 4)
    return order[:n_train], order[n_train : n_train + TEST_ROWS]


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
        OURS: GradientBoostRegressor,
        "ours: Huber": lambda: GradientBoostRegressor(loss="huber"),
        "ours: ε-insensitive": lambda: GradientBoostRegressor(loss="epsilon-insensitive"),
        "ours: absolute": lambda: GradientBoostRegressor(loss="absolute"),
        "ours: tube": LPBoostRegressor,
        "ours: tube of trees": lambda: LPBoostRegressor(TreeOracle(max_depth=4), n_estimators=100),
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


def _warm_up(makers: dict[str, Any]) -> None:
    """Compile, and start the threads of everybody."""
    rng = np.random.default_rng(0)
    for make in makers.values():
        make().fit(rng.normal(size=(200, 2)), rng.normal(size=200))


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


def _large(n_rows: int) -> list[float]:
    """Rows, seconds to a certified gap of 1e-3 with a tube that is found, and that gap."""
    from marginboost import LPBoostRegressor

    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, 10))
    y = 2.0 * X[:, 0] + 2.0 * np.sin(2.0 * X[:, 1]) + X[:, 2] ** 2 + rng.standard_t(3, size=n_rows)
    start = time.perf_counter()
    model = LPBoostRegressor().fit(X, y)
    return [n_rows, time.perf_counter() - start, model.certificate_.gap]


def _times(makers: dict[str, Any], X: Array, y: Array, sizes: Sizes) -> dict[str, Any]:
    """Least seconds of a fit, contenders taking turns."""
    tasks = {name: lambda make=make: make().fit(X, y) for name, make in makers.items()}
    seconds, _ = interleave(tasks, 3 * sizes.repeats)  # of some hundredths of a second each
    return {"rows": len(y), **{name: min(values) for name, values in seconds.items()}}


def _measure(
    model: Any, X: Array, planted: Array, train: Array, test: Array, y: Array
) -> list[float]:
    """Rows, error over that of the median, and seconds of the fit."""
    start = time.perf_counter()
    model.fit(X[train], planted)
    seconds = time.perf_counter() - start
    base = float(np.abs(y[test] - np.median(y[test])).mean())
    return [len(train), float(np.abs(y[test] - model.predict(X[test])).mean()) / base, seconds]


# -- tables ----------------------------------------------------------------------------------------


def _tables(found: Cases, models: list[str], sizes: Sizes) -> list[Table]:
    """Tables of complete lines: errors, their means, seconds of all, seconds of squared losses."""
    rows = sizes.regression_rows
    columns = ["set", "planted", "rows", *models]
    errors = Table("error over that of the median", columns)
    seconds = Table("seconds of a fit", columns)
    fast = [name for name in (OURS, *SQUARED) if name in models]
    quickest = Table("seconds of a fit with the squared loss, least of all repeats", [])
    quickest.columns = ["set", "rows", *fast]
    for name in ("diabetes", *FOLDER_SETS):
        times = found.get(f"{name}|{rows}|times")
        if times is not None and all(model in times for model in fast):
            quickest.rows.append([name, times["rows"], *(times[model] for model in fast)])
        for rate in RATES:
            cases = [
                [found.get(_case(name, rows, number, rate, model)) for model in models]
                for number in range(sizes.regression_splits)
            ]
            if all(map(all, cases)):
                n_rows, error, took = np.mean(np.array(cases), axis=0).T
                about = [name, f"{rate:.0%}", int(n_rows[0])]
                errors.rows.append([*about, *error.tolist()])
                seconds.rows.append([*about, *took.tolist()])
    return [_means(errors), errors, quickest, seconds]


def _means(errors: Table) -> Table:
    """Mean error of all sets that have every rate."""
    table = Table("mean error over that of the median", ["planted", "sets", *errors.columns[3:]])
    lines = {(row[0], row[1]): row[3:] for row in errors.rows}
    rates = [f"{rate:.0%}" for rate in RATES]
    sets = [name for name, rate in lines if rate == rates[0]]
    sets = [name for name in sets if all((name, rate) in lines for rate in rates)]
    for rate in rates if sets else ():
        means = np.mean(np.array([lines[name, rate] for name in sets], dtype=float), axis=0)
        table.rows.append([rate, len(sets), *map(float, means)])
    return table


def _goals(tables: list[Table]) -> list[Goal]:
    """Robust ones lose less than squared peers and cost next to nothing; squared ones are quick."""
    means, _, quickest, _ = tables
    goals = []
    for row in means.rows:
        error = dict(zip(means.columns[2:], row[2:], strict=True))
        best = min(error[name] for name in SQUARED if name in error)
        most = MOST_PRICE if row is means.rows[0] else 1.0
        for name in ROBUST:
            what = f"{name}, {row[0]} planted: error over that of the best squared peer"
            goals.append(Goal(what, error[name] / best, "<=", most))
    if quickest.rows:
        total = np.array([row[2:] for row in quickest.rows], dtype=float).sum(axis=0)
        ratio = float(total[1:].min() / total[0])
        goals.append(Goal("squared loss: fastest peer / ours, all sets", ratio, ">=", 1.0, "×"))
    return goals
