"""``probabilities``: what the probabilities of every classifier are worth on rows not learnt from.

Beside those of the classifier are, for those whose votes are compared with labels, the numbers that
they would have without: by the loss, or shares of the vote. ``python -m benchmarks probabilities
--json docs/results/probabilities.json.gz`` and then ``python -m benchmarks.result_docs`` write the
table of docs/probabilities.md. A folder of .npz files with arrays X and y, named by the
environment variable ``MARGINBOOST_DATA``, gives further sets.
"""

from __future__ import annotations

import os
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from .data import Array
from .noise_losses import small_sets
from .report import Goal, Section, Table
from .sizes import Sizes

COLUMNS = [
    "classifier",
    "AUC",
    "log-loss",
    "calibration error",
    "not fitted: log-loss",
    "not fitted: c. e.",
]
BINS = 10


def probabilities(sizes: Sizes) -> Section:
    """AUC, log-loss and calibration error of every classifier, mean over the sets."""
    from sklearn.model_selection import train_test_split

    table, base, kinds = Table("probabilities", COLUMNS), [], _classifiers()
    sets = {**small_sets(sizes.noise_rows), **_folder(sizes.noise_rows)}
    parts = [
        train_test_split(X, y, test_size=0.5, stratify=y, random_state=0) for X, y in sets.values()
    ]
    for *_, labels, truth in parts:
        base.append(_log_loss(np.full(len(truth), labels.mean()), truth))
    worst = []
    for kind in kinds:
        found = np.array([_measure(kind(), *part) for part in parts], dtype=float)
        table.rows.append([kind.__name__, *(float(x) for x in found.mean(axis=0))])
        worst.append(float((found[:, 1] - base).max()))
    table.rows.append(["base rate", 0.5, float(np.mean(base)), 0.0, None, None])
    goal = Goal("largest log-loss above the base rate's, any classifier and set", max(worst))
    section = Section("probabilities", tables=[table], goals=[goal])
    section.notes.append(f"sets: {', '.join(sets)}; half of the rows to learn from")
    return section


def _classifiers() -> list[type[Any]]:
    import marginboost
    from marginboost.estimators.classifier import BaseMarginClassifier

    named = [getattr(marginboost, name) for name in marginboost.__all__]
    return [k for k in named if isinstance(k, type) and issubclass(k, BaseMarginClassifier)]


def _folder(most_rows: int) -> dict[str, tuple[Array, Array]]:
    folder, sets = os.environ.get("MARGINBOOST_DATA"), {}
    for path in sorted(Path(folder).glob("*.npz")) if folder else ():
        with np.load(path, allow_pickle=False) as data:
            X, y = np.asarray(data["X"], dtype=float), np.unique(data["y"], return_inverse=True)[1]
        rows = np.random.default_rng(0).permutation(len(y))[:most_rows]
        if set(np.unique(y[rows])) == {0, 1}:
            sets[path.stem] = (X[rows], y[rows])
    return sets


def _measure(model: Any, learn: Array, test: Array, labels: Array, truth: Array) -> list[float]:
    from sklearn.metrics import roc_auc_score

    from marginboost.estimators.base import algorithm_of

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(learn, labels)
    chances = model.predict_proba(test)[:, 1]
    found = [roc_auc_score(truth, chances), _log_loss(chances, truth), _off(chances, truth)]
    algorithm = algorithm_of(model)
    if algorithm.calibrated:
        _, usual = algorithm.model_parts(2, model.model_.chosen)  # a committee's is its loss's
        model.model_ = replace(model.model_, link=usual)
        chances = model.predict_proba(test)[:, 1]
    return [*found, _log_loss(chances, truth), _off(chances, truth)]


def _log_loss(chances: Array, truth: Array) -> float:
    inside = np.clip(chances, 1e-15, 1.0 - 1e-15)
    return float(-np.log(np.where(truth == 1, inside, 1.0 - inside)).mean())


def _off(chances: Array, truth: Array) -> float:
    """Mean distance of probability and share, over bins of equal width, weighted by rows."""
    bins = np.minimum((chances * BINS).astype(int), BINS - 1)
    gaps = np.bincount(bins, chances - truth, BINS)
    return float(np.abs(gaps).sum() / len(truth))
