"""What the time-series experiments share: regressors chosen on validation rows, closed loops."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVR

from marginboost.algorithms import BarrierBoostRegressor, GradientBoostRegressor, LPBoostRegressor
from marginboost.oracles import ActiveKernelOracle, KernelOracle, RBFNetOracle
from marginboost.types import Array

METHODS = ("CG-k", "CG-ak", "BAR-k", "BAR-ak", "SVM ε-ins.", "RBF-NN")


def candidates(method: str, rounds: int, rates: Sequence[float]) -> list[Any]:
    """Models among which the validation rows choose."""
    shared: dict[str, Any] = {"n_estimators": rounds, "n_jobs": 1, "random_state": 0}
    if method == "SVM ε-ins.":
        return [
            make_pipeline(StandardScaler(), SVR(C=C, gamma=rate, epsilon=tube))
            for C in (1.0, 10.0)
            for rate in rates
            for tube in (0.005, 0.02, 0.08)
        ]
    if method == "RBF-NN":  # one net, fitted by least squares
        nets = [RBFNetOracle(n_centers=k, max_iter=20) for k in (10, 20, 40)]
        single = {**shared, "n_estimators": 1, "learning_rate": 1.0, "step": "search"}
        return [GradientBoostRegressor(net, **single) for net in nets]
    kind = LPBoostRegressor if method.startswith("CG") else BarrierBoostRegressor
    prices = (100.0, 1000.0)
    if method.endswith("-ak"):
        return [kind(ActiveKernelOracle(), nu=0.5, C=C, **shared) for C in prices]
    return [kind(KernelOracle(gamma=g), nu=0.5, C=C, **shared) for C in prices for g in rates]


def choose(models: Sequence[Any], train: tuple[Array, Array], valid: tuple[Array, Array]) -> Any:
    """Fit all and return the one with the least squared error on the validation rows."""
    fitted = [model.fit(*train) for model in models]
    errors = [np.mean((model.predict(valid[0]) - valid[1]) ** 2) for model in fitted]
    return fitted[int(np.argmin(errors))]


def closed_loop(model: Any, rows: Array, n_steps: int) -> Array:
    """Predictions fed back: entry (i, k) is k + 1 steps after row i; newest lag first."""
    rows, found = rows.copy(), []
    for _ in range(n_steps):
        new = np.clip(model.predict(rows), -10.0, 10.0)
        found.append(new)
        rows = np.column_stack([new, rows[:, :-1]])
    return np.stack(found, axis=1)
