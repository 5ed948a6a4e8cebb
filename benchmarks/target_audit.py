"""``target_audit``: who finds wrong targets planted in real data, in what time.

Wrong targets are those of other rows, drawn at random. Beside us: ``cleanlab.regression.learn``
with linear regression, which is its default, and with histogram gradient boosting.
"""

from __future__ import annotations

import os
import time
import warnings
from importlib.util import find_spec
from typing import Any

import numpy as np

from .data import Array
from .report import Goal, Section, Table
from .sizes import Sizes
from .target_flags import plant, real_sets

COLUMNS = ["set", "wrong", "rows", "ours AP", "linear AP", "HGB AP", "ours s", "linear s", "HGB s"]
RATE = 0.1


def target_audit(sizes: Sizes) -> Section:
    """Average precision of the ranking, and time."""
    section = Section("target_audit")
    if find_spec("cleanlab") is None:
        section.skipped.append("cleanlab is not installed")
        return section
    table = Table("average precision and time", COLUMNS)
    rng = np.random.default_rng(0)
    _measure(rng.normal(size=(100, 2)), rng.normal(size=100), 0)  # compile
    for name, X, y in real_sets(sizes.target_audit_rows, sizes.audit_sets):
        found = [_measure(X, y, seed) for seed in range(sizes.target_audit_seeds)]
        means = np.mean(found, axis=0)
        table.rows.append([name, f"{RATE:.0%}", len(y), *map(float, means)])
    section.tables = [table]
    section.goals = _goals(table)
    if not os.environ.get("MARGINBOOST_DATA"):
        section.skipped.append("sets of the data folder: MARGINBOOST_DATA is not set")
    section.notes.append(
        "linear, HGB: cleanlab with that model; planted rows are known, other errors are not; "
        "the time of cleanlab is that of the model with which it does better"
    )
    return section


def _goals(table: Table) -> list[Goal]:
    numbers = np.array([row[3:] for row in table.rows], dtype=float)
    ours, peers = numbers[:, 0].mean(), numbers[:, 1:3].mean(axis=0)
    better = int(np.argmax(peers))
    seconds = numbers[:, 3:].sum(axis=0)
    return [
        Goal("mean AP above cleanlab's better model", float(ours - peers[better]), ">=", 0.0),
        Goal("cleanlab / us, total time", float(seconds[1 + better] / seconds[0]), ">=", 1.0, "×"),
    ]


def _measure(X: Array, y: Array, seed: int) -> list[float]:
    """Average precision of us and of cleanlab with each model, then the seconds of all."""
    from sklearn.metrics import average_precision_score

    from marginboost import TargetAudit

    noisy = plant(y, "exchanged", RATE, seed)
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
