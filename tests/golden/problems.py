"""Fixed problems and settings: what every estimator answered when the golden files were written."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

import marginboost
from marginboost.estimators.classifier import BaseMarginClassifier
from marginboost.estimators.regressor import BaseBoostRegressor

ROUNDS = 12


def table(n_rows: int, seed: int) -> pd.DataFrame:
    """Numbers without ties, some of them missing, and a column of categories."""
    random = np.random.default_rng(seed)
    frame = pd.DataFrame(random.normal(size=(n_rows, 4)), columns=["a", "b", "c", "d"])
    frame["kind"] = pd.Categorical(random.choice(["red", "green", "blue"], size=n_rows))
    frame.loc[random.random(n_rows) < 0.1, "c"] = np.nan
    return frame


def answers(frame: pd.DataFrame, seed: int) -> np.ndarray:
    """A smooth function of the columns plus noise."""
    random = np.random.default_rng(seed)
    pure = frame["a"] * frame["b"] + np.sin(2 * frame["d"]) + 0.7 * (frame["kind"] == "red")
    return (pure + 0.3 * random.normal(size=len(frame))).to_numpy()


def weights(n_rows: int) -> np.ndarray:
    """Weights without ties; some rows have none."""
    random = np.random.default_rng(7)
    found = random.uniform(0.5, 2.0, size=n_rows)
    found[random.random(n_rows) < 0.05] = 0.0
    return found


def problems() -> dict[str, dict[str, Any]]:
    """Rows to learn from and rows to judge, by name."""
    frame, more = table(90, 1), table(40, 2)
    numbers, other = frame[["a", "b", "d"]].to_numpy(), more[["a", "b", "d"]].to_numpy()
    target = answers(frame, 3)
    two = np.where(target > 0.4, "yes", "no")
    three = np.digitize(target, [-0.3, 0.8])
    return {
        "two classes": {"X": frame, "y": two, "more": more, "weight": None},
        "weighted": {"X": numbers, "y": two, "more": other, "weight": weights(90)},
        "three classes": {"X": numbers, "y": three, "more": other, "weight": None},
        "targets": {"X": frame, "y": target, "more": more, "weight": None},
        "weighted targets": {"X": numbers, "y": target, "more": other, "weight": weights(90)},
    }


def estimators() -> dict[str, Any]:
    """Every exported estimator with few rounds, and some with settings of their own."""
    made: dict[str, Any] = {}
    for name in marginboost.__all__:
        cls = getattr(marginboost, name)
        if isinstance(cls, type) and issubclass(cls, BaseMarginClassifier | BaseBoostRegressor):
            made[name] = cls()
            if "n_estimators" in made[name].get_params():
                made[name].set_params(n_estimators=ROUNDS)
    trees = marginboost.TreeOracle(max_depth=2)
    made["AdaBoostClassifier with trees"] = marginboost.AdaBoostClassifier(
        trees, n_estimators=ROUNDS
    )
    made["LPBoostClassifier with a price"] = marginboost.LPBoostClassifier(C=0.5, nu=None)
    made["MulticlassBooster"] = marginboost.MulticlassBooster(
        marginboost.ArcGVClassifier(n_estimators=ROUNDS), code="all-pairs"
    )
    return made


def cases() -> list[tuple[str, str]]:
    """Pairs of estimator and problem that go together."""
    return [
        (name, problem)
        for name in estimators()
        for problem in problems()
        if ("targets" in problem) == ("Regressor" in name)
    ]
