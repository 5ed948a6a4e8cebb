"""``audit``: who finds wrong labels planted in real data, and in what time.

Beside us: cleanlab's label quality scores on out-of-fold probabilities of histogram gradient
boosting, a random forest and logistic regression, five folds each, the better of its two scores.
Sets that scikit-learn carries or that are generated always run; the others with the environment
variable ``MARGINBOOST_DATA`` naming a folder of .npz files with arrays X and y.
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
from .report import Cell, Goal, Section, Table
from .robust_sets import interactions
from .sizes import Sizes

FOLDER_SETS = (
    "uci_breast_w",
    "ida_german",
    "ida_heart",
    "ida_banana",
    "ida_image",
    "uci_spambase",
    "uci_vehicle",
    "uci_segment",
    "uci_vowel",
    "uci_satimage",
)
COLUMNS = ["set", "flips", "rows", "classes", "ours AP", "HGB AP", "RF AP", "LR AP", "ours − best"]
TIMES = [*COLUMNS[:4], "ours s", "HGB s", "RF s", "LR s"]


def audit(sizes: Sizes) -> Section:
    """Average precision of the ranking, and time."""
    section = Section("audit")
    if find_spec("cleanlab") is None:
        section.skipped.append("cleanlab is not installed")
        return section
    table, times = Table("average precision", COLUMNS), Table("time", TIMES)
    from marginboost.datasets import twonorm

    _measure(*twonorm(200), 0.1, 0)  # compile
    for name, X, y in _sets(sizes.audit_rows, sizes.audit_sets):
        for rate in sizes.audit_rates:
            found = [_measure(X, y, rate, seed) for seed in range(sizes.audit_seeds)]
            precision, seconds = (np.mean([part[k] for part in found], axis=0) for k in (0, 1))
            about: list[Cell] = [name, f"{rate:.0%}", len(y), int(y.max()) + 1]
            best = float(precision[0] - precision[1:].max())
            table.rows.append([*about, *map(float, precision), best])
            times.rows.append([*about, *map(float, seconds)])
    section.tables = [table, times]
    section.goals = _goals(table, times)
    if sizes.audit_large:
        large = _large(sizes.audit_large)
        section.tables.append(large)
        for _, n_rows, ours, theirs, *_, share, fits in large.rows:
            lead = float(ours) - float(theirs)  # type: ignore[arg-type]
            section.goals += [
                Goal(f"AP above cleanlab with HGB, {n_rows} rows", lead, ">=", 0.0),
                Goal(f"time of ours / cleanlab with HGB, {n_rows} rows", share, "<=", 0.2),  # type: ignore[arg-type]
                Goal(f"time of ours / one gradient-boosting fit, {n_rows} rows", fits, "<=", 2.0),  # type: ignore[arg-type]
            ]
    if not os.environ.get("MARGINBOOST_DATA"):
        section.skipped.append("sets of the data folder: MARGINBOOST_DATA is not set")
    section.notes.append(
        "HGB, RF, LR: cleanlab with that model; best: the best of the three on that set, chosen "
        "by the answer, which a user could not do; flipped rows are known, other errors are not"
    )
    return section


def audit_scale(sizes: Sizes) -> Section:
    """Processor time of the default audit of large tables, beside one fit of gradient boosting."""
    from sklearn.metrics import average_precision_score

    section = Section("audit_scale")
    columns = ["rows", "audit s", "fit s", "audit / fit", "AP"]
    table = Table("interactions, 10 % of the labels flipped; processor time", columns)
    _audit_and_fit(2_000)  # compile
    for n_rows in sizes.audit_scale_rows:
        scores, flipped, (audit, fit) = _audit_and_fit(n_rows)
        found = float(average_precision_score(flipped, -scores))
        table.rows.append([n_rows, audit, fit, audit / fit, found])
        what = f"time of an audit / one fit of gradient boosting, {n_rows} rows"
        section.goals.append(Goal(what, audit / fit, "<=", 2.0))
    section.tables = [table]
    return section


def _audit_and_fit(n_rows: int) -> tuple[Array, Array, tuple[float, float]]:
    """Scores of all rows, which are flipped, and processor time of the audit and of a fit."""
    from marginboost import GradientBoostClassifier
    from marginboost.audit import LabelAudit, plant_flips

    X, y = interactions(n_rows)
    noisy, flipped = plant_flips(y, 0.1)
    started = time.process_time()
    scores = LabelAudit().fit(X, noisy).score_
    between = time.process_time()
    GradientBoostClassifier().fit(X, noisy)
    return scores, flipped, (between - started, time.process_time() - between)


def _large(sizes: tuple[int, ...]) -> Table:
    """Large tables in which features interact, 10 % of the labels flipped; processor time."""
    from sklearn.metrics import average_precision_score

    from marginboost.audit import plant_flips

    columns = ["set", "rows", "ours AP", "HGB AP", "ours s", "HGB s", "fit s"]
    columns += ["ours / HGB", "ours / fit"]
    table = Table("large tables with interactions", columns)
    for n_rows in sizes:
        X, y = interactions(n_rows)
        noisy, flipped = plant_flips(y, 0.1)
        ours, _, (audit, fit) = _audit_and_fit(n_rows)
        started = time.process_time()
        scores = _cleanlab_scores(_peers()[0], X, noisy)
        seconds = [audit, time.process_time() - started, fit]
        best = max(float(average_precision_score(flipped, -s)) for s in scores)
        mine = float(average_precision_score(flipped, -ours))
        shares = [audit / seconds[1], audit / fit]
        table.rows.append(["interactions", n_rows, mine, best, *seconds, *shares])
    return table


def _goals(table: Table, times: Table) -> list[Goal]:
    gains = np.array([row[-1] for row in table.rows], dtype=float)
    seconds = np.array([row[4:] for row in times.rows], dtype=float).sum(axis=0)
    return [
        Goal("share of cases with AP at least cleanlab's best", (gains >= 0).mean(), ">", 0.5),
        Goal("mean AP above cleanlab's best", float(gains.mean()), ">=", 0.0),
        Goal("cleanlab with HGB / us, total time", float(seconds[1] / seconds[0]), ">=", 1.0, "×"),
    ]


def _sets(most_rows: int, most_sets: int | None) -> Iterator[tuple[str, Array, Array]]:
    from sklearn.datasets import load_breast_cancer, load_digits, load_wine

    from marginboost.datasets import ringnorm, twonorm, waveform

    ours: dict[str, Any] = {
        "wdbc": lambda: load_breast_cancer(return_X_y=True),
        "twonorm": lambda: twonorm(most_rows),
        "ringnorm": lambda: ringnorm(most_rows),
        "waveform": lambda: waveform(most_rows),
        "digits": lambda: load_digits(return_X_y=True),
        "wine": lambda: load_wine(return_X_y=True),
        "ringnorm 10×": lambda: ringnorm(10 * most_rows),
    }
    for name in list(ours)[:most_sets]:
        yield name, *ours[name]()
    folder = os.environ.get("MARGINBOOST_DATA")
    for name in FOLDER_SETS[:most_sets] if folder else ():
        path = Path(str(folder)) / f"{name}.npz"
        if path.is_file():
            yield name, *_load(path, most_rows)


def _load(path: Path, most_rows: int) -> tuple[Array, Array]:
    with np.load(path) as arrays:
        X, y = arrays["X"].astype(np.float64), arrays["y"]
    rows = np.random.default_rng(0).permutation(len(y))[:most_rows]
    return X[rows], np.unique(y[rows], return_inverse=True)[1]


def _measure(X: Array, y: Array, rate: float, seed: int) -> tuple[list[float], list[float]]:
    """Average precision and seconds: ours, then cleanlab's with each model."""
    from sklearn.metrics import average_precision_score

    from marginboost.audit import LabelAudit, plant_flips

    noisy, flipped = plant_flips(y, rate, seed=seed)
    started = time.perf_counter()
    ours = LabelAudit().fit(X, noisy).score_
    precision = [float(average_precision_score(flipped, -ours))]
    seconds = [time.perf_counter() - started]
    for model in _peers():
        started = time.perf_counter()
        scores = _cleanlab_scores(model, X, noisy)
        seconds.append(time.perf_counter() - started)
        precision.append(max(float(average_precision_score(flipped, -s)) for s in scores))
    return precision, seconds


def _peers() -> list[Any]:
    from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
    from sklearn.impute import SimpleImputer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return [
        HistGradientBoostingClassifier(random_state=0),
        RandomForestClassifier(random_state=0, n_jobs=-1),
        make_pipeline(SimpleImputer(), StandardScaler(), LogisticRegression(max_iter=1000)),
    ]


def _cleanlab_scores(model: Any, X: Array, labels: Array) -> list[Array]:
    from cleanlab.rank import get_label_quality_scores
    from sklearn.model_selection import StratifiedKFold, cross_val_predict

    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    votes = cross_val_predict(model, X, labels, cv=folds, method="predict_proba")
    return [
        get_label_quality_scores(labels, votes, method=method)
        for method in ("self_confidence", "normalized_margin")
    ]
