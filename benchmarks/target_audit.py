"""``target_audit``: who finds wrong targets planted in real data, in what time; what flags mean.

Wrong targets are those of other rows, drawn at random. Beside us: ``cleanlab.regression.learn``
with linear regression, which is its default, and with histogram gradient boosting. Flags are
counted with wrong targets of several kinds (``target_flags.py``), also in made tables whose noise
is known. The set that scikit-learn carries always runs; others with the environment variable
``MARGINBOOST_DATA`` naming a folder of .npz files with arrays X and y.
"""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from . import target_flags
from .data import Array
from .report import Goal, Section, Table
from .sizes import Sizes

FOLDER_SETS = (
    "reg_boston_housing",
    "reg_abalone",
    "reg_cal_housing",
    "reg_kin8nm",
    "reg_cpu_act",
)
COLUMNS = ["set", "wrong", "rows", "ours AP", "linear AP", "HGB AP", "ours s", "linear s", "HGB s"]
RATE = 0.1


def target_audit(sizes: Sizes) -> Section:
    """Average precision of the ranking, and time; false alarms and finds among flagged rows."""
    section = Section("target_audit")
    sets = list(_sets(sizes.target_audit_rows, sizes.audit_sets))
    if find_spec("cleanlab") is None:
        section.skipped.append("the peer: cleanlab is not installed")
    else:
        section.tables.append(_beside_cleanlab(sets, sizes.target_audit_seeds))
        section.goals += _goals(section.tables[0])
        section.notes.append(
            "linear, HGB: cleanlab with that model; planted rows are known, other errors are not; "
            "the time of cleanlab is that of the model with which it does better"
        )
    lines = target_flags.measure([*sets, *target_flags.made_sets(sizes.target_audit_rows)])
    section.tables += target_flags.tables(lines)
    section.goals += target_flags.goals(lines)
    section.notes.append(
        "within reach: largest share of the wrong rows among any number of the most suspect ones "
        "with at most the allowed share of false alarms; moved: by 2 to 4 standard deviations"
    )
    if not os.environ.get("MARGINBOOST_DATA"):
        section.skipped.append("sets of the data folder: MARGINBOOST_DATA is not set")
    return section


def _beside_cleanlab(sets: list[target_flags.Set], seeds: int) -> Table:
    """Average precision and time of all, mean over seeds."""
    table = Table("average precision and time", COLUMNS)
    rng = np.random.default_rng(0)
    _measure(rng.normal(size=(100, 2)), rng.normal(size=100), 0)  # compile
    for name, X, y in sets:
        means = np.mean([_measure(X, y, seed) for seed in range(seeds)], axis=0)
        table.rows.append([name, f"{RATE:.0%}", len(y), *map(float, means)])
    return table


def _goals(table: Table) -> list[Goal]:
    numbers = np.array([row[3:] for row in table.rows], dtype=float)
    ours, peers = numbers[:, 0].mean(), numbers[:, 1:3].mean(axis=0)
    better = int(np.argmax(peers))
    seconds = numbers[:, 3:].sum(axis=0)
    return [
        Goal("mean AP above cleanlab's better model", float(ours - peers[better]), ">=", 0.0),
        Goal("cleanlab / us, total time", float(seconds[1 + better] / seconds[0]), ">=", 1.0, "×"),
    ]


def _sets(most_rows: int, most_sets: int | None) -> Iterator[tuple[str, Array, Array]]:
    from sklearn.datasets import load_diabetes

    X, y = load_diabetes(return_X_y=True)
    yield "diabetes", X[:most_rows], y[:most_rows]
    folder = os.environ.get("MARGINBOOST_DATA")
    for name in FOLDER_SETS[:most_sets] if folder else ():
        path = Path(str(folder)) / f"{name}.npz"
        if path.is_file():
            with np.load(path) as arrays:
                X, y = arrays["X"].astype(np.float64), arrays["y"].astype(np.float64)
            rows = np.random.default_rng(0).permutation(len(y))[:most_rows]
            yield name, X[rows], y[rows]


def _measure(X: Array, y: Array, seed: int) -> list[float]:
    """Average precision of us and of cleanlab with each model, then the seconds of all."""
    from sklearn.metrics import average_precision_score

    from marginboost import TargetAudit

    noisy = target_flags.plant(y, "exchanged", RATE, seed)
    wrong = noisy != y
    started = time.perf_counter()
    audit = TargetAudit().fit(X, noisy)
    seconds = [time.perf_counter() - started]
    precision = [float(average_precision_score(wrong, -audit.rank_))]
    for model in _peers():
        started = time.perf_counter()
        quality = _cleanlab(model, X, noisy)
        seconds.append(time.perf_counter() - started)
        precision.append(float(average_precision_score(wrong, -quality)))
    return [*precision, *seconds]


def _peers() -> list[Any]:
    from sklearn.ensemble import HistGradientBoostingRegressor
    from sklearn.impute import SimpleImputer
    from sklearn.linear_model import LinearRegression
    from sklearn.pipeline import make_pipeline

    return [
        make_pipeline(SimpleImputer(), LinearRegression()),
        HistGradientBoostingRegressor(random_state=0),
    ]


def _cleanlab(model: Any, X: Array, y: Array) -> Array:
    from cleanlab.regression.learn import CleanLearning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = CleanLearning(model, seed=0).find_label_issues(X, y)
    return np.asarray(found["label_quality"], dtype=np.float64)
