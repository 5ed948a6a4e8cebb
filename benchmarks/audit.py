"""``audit``: who finds wrong labels planted in real data, and in what time.

Beside us: cleanlab's label quality scores on out-of-fold probabilities of histogram gradient
boosting, a random forest and logistic regression, five folds each, the better of its two scores.
Sets that scikit-learn carries or that are generated always run; the others with the environment
variable ``MARGINBOOST_DATA`` naming a folder of .npz files with arrays X and y.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
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
FEWEST_LARGE = 6000
"""Rows from which on tables have other voters than small ones, and goals of time."""
TIMES = [*COLUMNS[:4], "ours s", "HGB s", "RF s", "LR s"]


def audit(sizes: Sizes) -> Section:
    """Average precision of the ranking, and time."""
    section = Section("audit")
    if find_spec("cleanlab") is None:
        section.skipped.append("cleanlab is not installed")
        return section
    if sizes.audit_sets != 0:
        _small(section, sizes)
    if sizes.audit_large:
        _large(section, sizes.audit_large)
    if sizes.audit_sets != 0 and not os.environ.get("MARGINBOOST_DATA"):
        section.skipped.append("sets of the data folder: MARGINBOOST_DATA is not set")
    section.notes.append(
        "HGB, RF, LR: cleanlab with that model; best: the best of the three on that set, chosen "
        "by the answer, which a user could not do; flipped rows are known, other errors are not"
    )
    return section


def _small(section: Section, sizes: Sizes) -> None:
    """Sets of the literature, with several shares of wrong labels."""
    from marginboost.datasets import twonorm

    table, times = Table("average precision", COLUMNS), Table("time", TIMES)
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


def _large(section: Section, sizes: tuple[int, ...]) -> None:
    """Tables in which features interact, 10 % of the labels flipped."""
    _race(300)
    _race(FEWEST_LARGE)
    table = Table("interactions, 28 features", ["rows", "what", "AP", "s", "processor s"])
    section.tables.append(table)
    for n_rows in sizes:
        found = _race(n_rows)
        table.rows += [[n_rows, name, *numbers] for name, numbers in found.items()]
        what = f"audit, {n_rows:,} rows × 28"
        section.times[what] = {name: [seconds] for name, (_, seconds, _) in found.items()}
        (ours, took, _), (theirs, cleanlab, _), (_, fit, _) = found.values()
        assert ours is not None
        assert theirs is not None
        above = f"{what}: average precision above cleanlab's, HGB"
        section.goals.append(Goal(above, ours - theirs, ">=", 0.0))
        if n_rows < FEWEST_LARGE:
            continue  # there a forest votes too, and all vote twice
        section.goals += [
            Goal(f"{what}: time / cleanlab's, HGB", took / cleanlab, "<=", 0.2),
            Goal(f"{what}: time / one fit of gradient boosting", took / fit, "<=", 2.0),
        ]


def _race(n_rows: int) -> dict[str, tuple[float | None, float, float]]:
    """Average precision, seconds and processor seconds: ours, cleanlab's, and one fit of ours."""
    from sklearn.metrics import average_precision_score

    from marginboost import GradientBoostClassifier
    from marginboost.audit import LabelAudit, plant_flips

    tasks: dict[str, Callable[[Array, Array], list[Array]]] = {
        "LabelAudit": lambda X, y: [LabelAudit().fit(X, y).score_],
        "cleanlab, HGB": lambda X, y: _cleanlab_scores(_peers()[0], X, y),
        "one fit of gradient boosting": lambda X, y: GradientBoostClassifier().fit(X, y) and [],
    }
    X, y = interactions(n_rows)
    noisy, flipped = plant_flips(y, 0.1)
    found = {}
    for name, task in tasks.items():
        started = time.perf_counter(), time.process_time()
        scores = task(X, noisy)
        seconds, used = time.perf_counter() - started[0], time.process_time() - started[1]
        precision = [float(average_precision_score(flipped, -score)) for score in scores]
        found[name] = max(precision, default=None), seconds, used
    return found


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
