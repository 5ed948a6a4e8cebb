"""``noise_losses``: which losses help gradient boosting where labels are wrong, and which do not.

Labels to learn from are flipped uniformly; the error is on clean test labels. Each set is split in
half, several times.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .data import Array
from .report import Section, Table
from .sizes import Sizes

RATES = (0.0, 0.1, 0.2, 0.3)


def noise_losses(sizes: Sizes) -> Section:
    """Error in % of gradient boosting by loss and share of flipped labels, mean over the sets."""
    table = Table("error in %", ["loss", *(f"{rate:.0%} flipped" for rate in RATES), "mean"])
    sets = small_sets(sizes.noise_rows)
    for name in ("logistic", "savage", "tangent", "generalised-cross-entropy", "noisy-logistic"):
        errors = [_error(name, sets, rate, sizes.noise_splits) for rate in RATES]
        table.rows.append([name, *errors, float(np.mean(errors))])
    section = Section("noise_losses", tables=[table])
    section.notes.append(
        f"sets: {', '.join(sets)}; {sizes.noise_splits} splits; noisy-logistic is told the rate, "
        "0.01 where nothing is flipped; defaults otherwise"
    )
    return section


def small_sets(most_rows: int) -> dict[str, tuple[Array, Array]]:
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
    return {
        name: (X[:most_rows], np.unique(y[:most_rows], return_inverse=True)[1])
        for name, (X, y) in sets.items()
    }


def _error(name: str, sets: dict[str, tuple[Array, Array]], rate: float, splits: int) -> float:
    from sklearn.model_selection import train_test_split

    from marginboost import GradientBoostClassifier
    from marginboost.losses import NoisyLogistic

    loss: Any = NoisyLogistic(max(rate, 0.01)) if name == "noisy-logistic" else name
    found = []
    for X, y in sets.values():
        for seed in range(splits):
            parts = train_test_split(X, y, test_size=0.5, stratify=y, random_state=seed)
            learn, test, labels, truth = parts
            flipped = np.random.default_rng(seed).random(len(labels)) < rate
            model = GradientBoostClassifier(loss=loss)
            model.fit(learn, np.where(flipped, 1 - labels, labels))
            found.append(100.0 * float((model.predict(test) != truth).mean()))
    return float(np.mean(found))
