"""``choosing_nu``: what it costs that ``LPBoostClassifierCV()`` chooses ν, in fits with that ν.

Processor time, since that is what several fits take more of; one table is like those of marketing,
36,000 rows of which one in eight is positive, as it is and with weights of classes.
"""

from __future__ import annotations

import time
import warnings
from typing import Any

from .data import Array
from .noise_losses import small_sets
from .report import Goal, Section, Table
from .sizes import Sizes

BALANCED = ", balanced"
"""How names of sets end whose classes get weights."""


def choosing_nu(sizes: Sizes) -> Section:
    """Processor seconds with and without the choice, set by set."""
    from marginboost import LPBoostClassifier, LPBoostClassifierCV

    columns = ["set", "rows", "chosen ν", "error out of fold", "CPU s", "one fit CPU s", "ratio"]
    table = Table("ν chosen by cross-validation", columns)
    sets = _sets(sizes.choosing_rows)
    for X, y in sets.values():  # kernels are compiled before anything is timed
        _seconds(LPBoostClassifierCV(nus=[0.3, 0.5]), X[:100], y[:100])
    for name, (X, y) in sets.items():
        weights = "balanced" if name.endswith(BALANCED) else None
        model = LPBoostClassifierCV(class_weight=weights)
        spent = _seconds(model, X, y)
        one = _seconds(LPBoostClassifier(nu=model.nu_, class_weight=weights), X, y)
        table.rows.append([name, len(y), model.nu_, model.cv_error_, spent, one, spent / one])
    most = max(float(row[-1]) for row in table.rows)  # type: ignore[arg-type]
    goal = Goal("most fits that a choice of ν costs", most, "<=", 10.0)
    return Section("choosing_nu", tables=[table], goals=[goal])


def _sets(most_rows: int) -> dict[str, tuple[Array, Array]]:
    from sklearn.datasets import make_classification

    bank = make_classification(
        most_rows, 16, n_informative=6, weights=[0.88], flip_y=0.02, class_sep=0.7, random_state=1
    )
    small = small_sets(min(most_rows, 1500))
    kept = {name: small[name] for name in ("breast cancer", "odd digits", "two moons", "twonorm")}
    return {**kept, "like a bank's": bank, f"like a bank's{BALANCED}": bank}


def _seconds(model: Any, X: Array, y: Array) -> float:
    started = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, y)
    return time.process_time() - started
