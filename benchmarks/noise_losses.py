"""``noise_losses``: which losses help where labels are wrong, and which do not.

Labels to learn from are flipped uniformly; the error is on clean test labels. Each set is split in
half, several times. ``python -m benchmarks noise_losses --json docs/results/noise_losses.json.gz``
and then ``python -m benchmarks.result_docs`` write the tables of docs/noise-losses.md.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .data import Array
from .report import Section, Table
from .sizes import Sizes

LEAST = 0.01
"""Rate that corrections are told where nothing is flipped."""
Sets = dict[str, tuple[Array, Array]]
Fit = Callable[[Array, Array, float], Any]
"""Fit a model to rows and labels, given the rate of wrong ones, which few may use."""


def noise_losses(sizes: Sizes) -> Section:
    """Error in % by loss and share of flipped labels, mean over the sets."""
    two, several = small_sets(sizes.noise_rows), class_sets(sizes.noise_rows)
    section, rates = Section("noise_losses"), sizes.noise_rates
    for title, sets, fits in (
        ("GradientBoostClassifier, two classes", two, _gradient()),
        ("LeveragingClassifier, stumps, two classes", two, _leveraging()),
        ("SoftmaxBoostClassifier, several classes", several, _softmax()),
    ):
        table = Table(f"{title}: error in %", ["loss", *(f"{r:.0%}" for r in rates), "mean"])
        for name, fit in fits.items():
            errors = [_error(fit, sets, rate, sizes.noise_splits) for rate in rates]
            table.rows.append([name, *errors, float(np.mean(errors))])
        section.tables.append(table)
    section.notes.append(
        f"sets of two classes: {', '.join(two)}; of several: {', '.join(several)}; half of at most "
        f"{sizes.noise_rows} rows to learn from, number of splits: {sizes.noise_splits}; "
        "noisy-logistic and noisy-softmax are told the rate "
        f"({LEAST:.0%} where nothing is flipped); defaults otherwise"
    )
    return section


def small_sets(most_rows: int) -> Sets:
    """Sets of two classes that scikit-learn carries, or that are generated."""
    from sklearn.datasets import load_breast_cancer, load_digits, make_classification, make_moons

    from marginboost.datasets import twonorm

    digits, which = load_digits(return_X_y=True)
    rare = make_classification(
        most_rows, 16, n_informative=6, weights=[0.88], flip_y=0.02, class_sep=0.7, random_state=1
    )
    sets = {
        "breast cancer": load_breast_cancer(return_X_y=True),
        "odd digits": (digits, which % 2),
        "two moons": make_moons(most_rows, noise=0.3, random_state=0),
        "twonorm": twonorm(most_rows),
        "12 % positive": rare,
    }
    return {name: _first(X, y, most_rows) for name, (X, y) in sets.items()}


def class_sets(most_rows: int) -> Sets:
    """Sets of several classes, likewise."""
    from sklearn.datasets import load_digits, load_wine, make_classification

    blobs = make_classification(
        most_rows, 12, n_informative=6, n_classes=4, n_clusters_per_class=2, random_state=2
    )
    X, y = load_wine(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    sets = {
        "digits": load_digits(return_X_y=True),
        "wine": (X[order], y[order]),
        "four classes of two clusters": blobs,
    }
    return {name: _first(X, y, most_rows) for name, (X, y) in sets.items()}


def _first(X: Array, y: Array, most_rows: int) -> tuple[Array, Array]:
    return X[:most_rows], np.unique(y[:most_rows], return_inverse=True)[1]


# -- models ----------------------------------------------------------------------------------------


def _gradient() -> dict[str, Fit]:
    from marginboost import GradientBoostClassifier
    from marginboost.losses import NoisyLogistic

    names = ("logistic", "savage", "tangent", "generalised-cross-entropy", "robust-focal")
    made: dict[str, Fit] = {
        name: lambda X, y, rate, name=name: GradientBoostClassifier(loss=name).fit(X, y)
        for name in names
    }
    made["noisy-logistic"] = lambda X, y, rate: GradientBoostClassifier(
        loss=NoisyLogistic(max(rate, LEAST))
    ).fit(X, y)
    made["logistic, soft labels by LabelAudit"] = lambda X, y, rate: _on_soft_labels(
        GradientBoostClassifier(), X, y
    )
    return made


def _leveraging() -> dict[str, Fit]:
    from marginboost import LeveragingClassifier
    from marginboost.losses import NoisyLogistic

    names = ("logistic", "savage", "tangent", "generalised-cross-entropy", "robust-focal")
    made: dict[str, Fit] = {
        name: lambda X, y, rate, name=name: LeveragingClassifier(loss=name).fit(X, y)
        for name in names
    }
    made["noisy-logistic"] = lambda X, y, rate: LeveragingClassifier(
        loss=NoisyLogistic(max(rate, LEAST))
    ).fit(X, y)
    made["logistic, soft labels by LabelAudit"] = lambda X, y, rate: _on_soft_labels(
        LeveragingClassifier(), X, y
    )
    return made


def _softmax() -> dict[str, Fit]:
    from marginboost import SoftmaxBoostClassifier
    from marginboost.losses import NoisySoftmax

    made: dict[str, Fit] = {
        name: lambda X, y, rate, name=name: SoftmaxBoostClassifier(loss=name).fit(X, y)
        for name in ("softmax", "generalised-cross-entropy", "robust-focal")
    }
    made["noisy-softmax"] = lambda X, y, rate: SoftmaxBoostClassifier(
        loss=NoisySoftmax(max(rate, LEAST))
    ).fit(X, y)
    made["softmax, soft labels by LabelAudit"] = lambda X, y, rate: _on_soft_labels(
        SoftmaxBoostClassifier(), X, y
    )
    return made


def _on_soft_labels(model: Any, X: Array, y: Array) -> Any:
    """Fit to the audit's opinion of the true classes, small shares left out."""
    from marginboost.audit import LabelAudit

    audit = LabelAudit().fit(X, y)
    table = audit.last_stack_.posterior(audit.codes_)
    table = np.where(table < LEAST, 0.0, table)
    return model.fit_soft_labels(X, table / table.sum(axis=1, keepdims=True))


def _error(fit: Fit, sets: Sets, rate: float, splits: int) -> float:
    from sklearn.model_selection import train_test_split

    from marginboost.audit import plant_flips

    found = []
    for X, y in sets.values():
        for seed in range(splits):
            parts = train_test_split(X, y, test_size=0.5, stratify=y, random_state=seed)
            learn, test, labels, truth = parts
            if rate > 0:
                labels, _ = plant_flips(labels, rate, seed=seed)
            found.append(100.0 * float((fit(learn, labels, rate).predict(test) != truth).mean()))
    return float(np.mean(found))
