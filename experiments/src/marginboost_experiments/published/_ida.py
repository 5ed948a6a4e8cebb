"""What the experiments on the ten IDA sets share: splits, the choice of parameters, Table 4.1."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

from marginboost.datasets import flip_labels, load
from marginboost.types import Array

from .. import Case, Mean, Trials
from ..frame import Result

COLUMNS = ("KNN", "C4.5", "RBF", "AdaBoost", "AdaBoost_Reg", "ν-Arc", "barrier", "SVM")
"""Columns of Table 4.1, in its order."""
TABLE_4_1 = {
    "banana": "15.0±1.0 16.1±2.8 10.8±0.6 12.3±0.7 10.9±0.4 10.8±0.5 10.9±0.5 11.5±0.7",
    "breast_cancer": "28.4±4.4 24.6±4.5 27.6±4.7 30.4±4.7 26.5±4.5 25.8±4.6 25.9±4.4 26.0±4.7",
    "diabetis": "28.9±2.4 26.0±2.4 24.3±1.9 26.5±2.3 23.8±1.8 23.7±2.0 23.7±1.8 23.5±1.7",
    "german": "28.9±1.9 28.1±2.4 24.7±2.4 27.5±2.5 24.3±2.1 24.4±2.2 24.3±2.4 23.6±2.1",
    "heart": "15.8±3.3 20.4±4.6 17.6±3.3 20.3±3.4 16.5±3.5 16.5±3.6 17.0±3.4 16.0±3.3",
    "ringnorm": "35.9±1.3 15.3±1.5 1.7±0.2 1.9±0.3 1.6±0.1 1.7±0.2 1.7±0.2 1.7±0.1",
    "flare_solar": "37.8±2.8 33.2±1.9 34.4±2.0 35.7±1.8 34.2±2.2 34.4±1.9 33.7±1.9 32.4±1.8",
    "thyroid": "5.8±2.8 8.7±3.3 4.5±2.1 4.4±2.2 4.6±2.2 4.4±2.2 4.5±2.2 4.8±2.2",
    "titanic": "25.5±3.8 22.9±1.5 23.3±1.3 22.6±1.2 22.6±1.2 23.0±1.4 22.4±1.1 22.4±1.0",
    "waveform": "11.4±0.8 17.8±1.0 10.7±1.1 10.8±0.6 9.8±0.8 10.0±0.7 9.7±0.5 9.9±0.4",
}
"""Test error in %, mean and standard deviation over 100 splits."""
SETS = tuple(TABLE_4_1)
DATA = tuple(f"ida_{name}" for name in SETS)
PUBLISHED_SPLITS = 100
LEARNT = {
    **{"banana": 400, "breast_cancer": 200, "diabetis": 468, "german": 700, "heart": 170},
    **{"ringnorm": 400, "flare_solar": 666, "thyroid": 140, "titanic": 150, "waveform": 400},
}
"""Rows to learn from in every split of the archive; the others are tested."""


def published(name: str, method: str) -> Mean | None:
    """Published test error, as a share."""
    if method not in COLUMNS:
        return None
    mean, _, spread = TABLE_4_1[name].split()[COLUMNS.index(method)].partition("±")
    return Mean(float(mean) / 100.0, float(spread) / 100.0, PUBLISHED_SPLITS)


def split_rows(name: str, split: int, noise: float = 0.0) -> tuple[Array, Array, Array, Array]:
    """Rows and labels to learn from and to test: splits of the archive, then random ones.

    Of the labels to learn from a share ``noise`` is flipped.
    """
    data = load(f"ida_{name}")
    if split < len(data.splits):
        train, test = data.splits[split]
    else:
        order = np.random.default_rng([split, len(data.target)]).permutation(len(data.target))
        learnt = len(data.splits[0][0]) if data.splits else LEARNT[name]
        train, test = np.split(order, [learnt])
    y_train, _ = flip_labels(data.target[train], noise, seed=split)
    return data.data[train], y_train, data.data[test], data.target[test]


def cross_validate(candidates: Sequence[Any], X: Array, y: Array, folds: int) -> list[float]:
    """Share of errors of each candidate in cross-validation."""
    parts = list(StratifiedKFold(folds, shuffle=True, random_state=0).split(X, y))
    return [
        sum(np.sum(clone(c).fit(X[a], y[a]).predict(X[b]) != y[b]) for a, b in parts) / len(y)
        for c in candidates
    ]


def chosen(done: Trials, **case: Any) -> int | None:
    """Median position of the best candidate over the splits it was chosen on; None if not done."""
    mine = done.where(stage="choose", **case)
    best = [int(np.argmin(errors)) for errors in mine.results("errors")]
    return int(np.floor(np.median(best))) if best else None


def run_case(
    make: Callable[..., list[Any]], stage: str, split: int, case: Case, folds: int = 0
) -> Result:
    """Cross-validate the candidates of a method on one split, or test the chosen one."""
    X, y, X_test, y_test = split_rows(case["data"], split, case.get("noise", 0.0))
    if stage == "choose":
        return {"errors": cross_validate(make(len(y)), X, y, folds)}
    model = make(len(y))[case["candidate"]].fit(X, y)
    return {"error": float(np.mean(model.predict(X_test) != y_test))}
