"""Every estimator that certifies, with settings drawn from what it says that they may be."""

from __future__ import annotations

import inspect
import math
import random
from typing import Any

from sklearn.base import is_regressor

import marginboost
from marginboost import MulticlassBooster, StumpOracle, algorithms
from marginboost.losses import ClassLoss, Loss, known_losses

ROUNDS = (1, 2, 5, 20, 60)
NUMBERS = (1e-6, 1e-3, 0.01, 0.1, 0.2, 0.3, 0.5, 0.9, 1.0, 1.5, 2.0, 10.0, 1e3, 1e6)
LEFT = {"n_estimators", "tol", "max_bins", "solver_time_limit", "subsample", "validation_fraction"}
"""Settings that are not drawn from their limits."""


def estimators() -> dict[str, type[Any]]:
    """All that certify, by name."""
    named = {**vars_of(algorithms), **vars_of(marginboost)}
    return {
        name: kind
        for name, kind in sorted(named.items())
        if inspect.isclass(kind)
        and hasattr(kind, "certified_")
        and "Ranker" not in name
        and kind is not MulticlassBooster
    }


def vars_of(package: Any) -> dict[str, Any]:
    """What a package exports, imported."""
    return {name: getattr(package, name) for name in package.__all__}


def make_estimator(rng: random.Random, kind: type[Any]) -> Any:
    """Draw the settings of an estimator: half of them as they are by default."""
    model = kind()
    settings: dict[str, Any] = {}
    names = model.get_params(deep=False)
    for name, constraint in constraints_of(kind).items():
        if name in LEFT or name not in names or rng.random() < 0.5:
            continue
        value = draw(rng, constraint)
        if value is not None:
            settings[name] = value
    if "loss" in names and rng.random() < 0.7:
        settings["loss"] = rng.choice(losses_of(kind))
    if "n_estimators" in names and (names["n_estimators"] is None or rng.random() < 0.7):
        settings["n_estimators"] = rng.choice(ROUNDS)
    if "min_samples_leaf" in names:
        settings["min_samples_leaf"] = rng.choice([1, 2, 20])
    if "tol" in names and rng.random() < 0.3:
        settings["tol"] = rng.choice([None, 0.0, 1e-9, 1e-3])
    if "estimator" in names and rng.random() < 0.25:
        settings["estimator"] = StumpOracle(cuts_per_feature=rng.choice([1, 3]))
    if "cv" in names:
        settings["cv"] = 2
    if "n_jobs" in names:
        settings["n_jobs"] = 1
    return model.set_params(**settings)


def constraints_of(kind: type[Any]) -> dict[str, Any]:
    """What the settings of a class may be, its bases included."""
    found: dict[str, Any] = {}
    for base in reversed(kind.__mro__):
        found.update(vars(base).get("__constraints__", {}))
    return found


def draw(rng: random.Random, constraint: Any) -> Any:
    """A choice, or a number within limits; None where none comes to mind."""
    if isinstance(constraint, tuple):
        return rng.choice(constraint)
    low = max(constraint.get("above", -math.inf), constraint.get("at_least", -math.inf))
    high = min(constraint.get("below", math.inf), constraint.get("at_most", math.inf))
    if constraint.get("integer"):
        possible = [value for value in range(1, 20) if low < value < high]
    else:
        possible = [value for value in NUMBERS if low < value < high]
        possible += [constraint[key] for key in ("at_least", "at_most") if key in constraint]
    return rng.choice(possible) if possible else None


def losses_of(kind: type[Any]) -> list[str]:
    """Losses that an estimator's ``loss`` may name; most others it refuses."""
    given = constraints_of(kind).get("loss")
    if isinstance(given, tuple):
        return list(given)
    if kind.__name__ == "SoftmaxBoostClassifier":
        return sorted(ClassLoss.__registry__)
    return sorted(known_losses() if is_regressor(kind()) else Loss.__registry__)
