"""Fixed problems and settings: what every estimator answered when the golden files were written."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone

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


# -- ten models of every kind ----------------------------------------------------------------------


def of_every_kind() -> dict[str, tuple[Any, str]]:
    """Ten estimators for every kind of model that a file can hold, and the problem each solves."""
    from marginboost import (
        AdaBoostClassifier,
        AdaBoostM1Classifier,
        AdaBoostM2Classifier,
        AdaBoostMHClassifier,
        CascadeBooster,
        GradientBoostClassifier,
        GradientBoostRanker,
        GradientBoostRegressor,
        LPBoostClassifier,
        RobustBoostClassifier,
        SAMMEClassifier,
        SoftmaxBoostClassifier,
        StumpOracle,
        TreeOracle,
    )

    made: dict[str, tuple[Any, str]] = {}

    def add(name: str, model: Any, *problems: str) -> None:
        made.update({f"{name} | {problem}": (clone(model), problem) for problem in problems})

    labels = [AdaBoostM1Classifier, AdaBoostM2Classifier, AdaBoostMHClassifier]
    for kind in (*labels, SAMMEClassifier, SoftmaxBoostClassifier):
        add(kind.__name__, kind(n_estimators=4), "three classes", "weighted three classes")
    for loss in ("squared", "absolute", "huber", "quantile", "log-cosh"):
        model = GradientBoostRegressor(loss=loss, n_estimators=3, min_samples_leaf=5)
        add(loss, model, "two targets", "weighted two targets")
    stages = [AdaBoostClassifier(n_estimators=k) for k in (2, 3, 4)]
    stages += [AdaBoostClassifier(TreeOracle(max_depth=2), n_estimators=3)]
    stages += [LPBoostClassifier(nu=0.6, n_estimators=4)]
    for k, stage in enumerate(stages):
        cascade = CascadeBooster(stage, n_stages=2, validation_fraction=None)
        add(f"cascade {k}", cascade, "two classes", "weighted")
    for policy in ("soft", "downweight", "drop", "relabel", "keep"):
        for kind in ("committee", "soft-margin"):
            model = RobustBoostClassifier(model=kind, policy=policy, cv=2, n_estimators=5)
            add(f"robust {policy} {kind}", model, "two classes")
    for k in range(1, 11):
        add(f"ranker {k}", GradientBoostRanker(n_estimators=k, min_samples_leaf=5), "relevances")
    for k in range(1, 6):
        trees = GradientBoostClassifier(n_estimators=k, min_samples_leaf=5)
        add(f"gradient trees {k}", trees, "two classes", "three classes")
        stumps = AdaBoostClassifier(StumpOracle("partition"), n_estimators=k)
        add(f"stumps {k}", stumps, "two classes", "three classes")
    return made


def more_problems() -> dict[str, dict[str, Any]]:
    """The fixed problems, and those of models that these do not need."""
    known = problems()
    two = np.column_stack([known["targets"]["y"], answers(table(90, 1), 5)])
    ranks = np.digitize(known["targets"]["y"], [-0.3, 0.2, 0.8])
    three = {**known["three classes"], "weight": weights(90)}
    return {
        **known,
        "weighted three classes": three,
        "two targets": {**known["targets"], "y": two},
        "weighted two targets": {**known["targets"], "y": two, "weight": weights(90)},
        "relevances": {**known["targets"], "y": ranks},
    }
