"""27 benchmark sets, stumps and trees, boosted or not (Schapire and Freund, Figs 1.3 and 1.4).

The book plots test errors of stumps and C4.5 trees, single and boosted for 100 rounds, on 27 sets
of the UCI repository (Freund and Schapire 1996): boosting helps on nearly all sets, stumps gain
most; boosted stumps are often as good as C4.5, boosted C4.5 better. No numbers are printed.

Unknown: the splits; in 1996 ten times ten folds, or a test set where there is one. Quick: three
folds. Trees split by entropy and are pruned pessimistically, as C4.5 does, but by information gain;
several classes are boosted by AdaBoost.M1 with trees and by AdaBoost.M2 with stumps, as in 1996.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold

from marginboost.algorithms import (
    AdaBoostClassifier,
    AdaBoostM1Classifier,
    AdaBoostM2Classifier,
    SAMMEClassifier,
)
from marginboost.datasets import load
from marginboost.oracles import LabelTreeOracle
from marginboost.types import Array

from .. import Case, Comparison, Experiment, Finding, Trials
from ..frame import Result

SETS = {
    "soybean-small": "uci_soybean_small",
    "labor": "uci_labor",
    "promoters": "uci_promoters",
    "iris": "uci_iris",
    "hepatitis": "uci_hepatitis",
    "sonar": "uci_sonar",
    "glass": "uci_glass",
    "audiology": "uci_audiology",
    "cleve": "uci_cleveland",
    "soybean-large": "uci_soybean_large",
    "ionosphere": "uci_ionosphere",
    "house-votes-84": "uci_house_votes_84",
    "votes1": "uci_house_votes_84",
    "crx": "uci_crx",
    "breast-cancer-w": "uci_breast_w",
    "pima-indians": "uci_pima",
    "vehicle": "uci_vehicle",
    "vowel": "uci_vowel",
    "german": "uci_german",
    "segmentation": "uci_segment",
    "hypothyroid": "uci_hypothyroid",
    "sick-euthyroid": "uci_sick_euthyroid",
    "splice": "uci_splice",
    "kr-vs-kp": "uci_kr_vs_kp",
    "satimage": "uci_satimage",
    "agaricus-lepiota": "uci_mushroom",
    "letter-recognition": "uci_letter",
}
LEFT_OUT = {"votes1": 3}
"""Feature that is left out: the one that tells nearly all."""
METHODS = ("stump", "boosted stumps", "tree", "boosted trees")


def plan(
    done: Trials,
    folds: int,
    used: int,
    repeats: int,
    rounds: int,
    sets: Sequence[str] = tuple(SETS),
) -> list[Case]:
    """One case per set, fold and method."""
    return [
        {"data": data, "repeat": r, "fold": f, "folds": folds, "method": m, "rounds": rounds}
        for data in sets
        for r in range(repeats)
        for f in range(used)
        for m in METHODS
    ]


def trial(data: str, repeat: int, fold: int, folds: int, method: str, rounds: int) -> Result:
    """Test error of one model on one fold."""
    found = load(SETS[data])
    X, y, nominal = found.data, found.target, list(found.categorical_features)
    if data in LEFT_OUT:
        out = LEFT_OUT[data]
        X = np.delete(X, out, axis=1)
        nominal = [j - (j > out) for j in nominal if j != out]
    splitter = StratifiedKFold(folds, shuffle=True, random_state=repeat)
    learn, test = list(splitter.split(X, y))[fold]
    model = _make(method, len(np.unique(y)), len(learn))
    model.set_params(
        n_estimators=rounds if method.startswith("boosted") else 1,
        n_jobs=1,
        max_bins=None,
        categorical_features=nominal,
    )
    return {"error": _tested(model, X[learn], y[learn], X[test], y[test]), "rows": len(y)}


def _make(method: str, n_classes: int, n_rows: int) -> Any:
    if "stump" in method:
        if n_classes == 2:
            return AdaBoostClassifier()
        stump = LabelTreeOracle(max_depth=1, answers="set")
        return AdaBoostM2Classifier(stump) if method != "stump" else _one_label()
    pruned: dict[str, Any] = {"criterion": "entropy", "prune": "pessimistic"}
    least = 2 / n_rows
    return AdaBoostM1Classifier(
        LabelTreeOracle(max_depth=None, min_weight_fraction_leaf=least, **pruned)
    )


def _one_label() -> Any:
    """A stump that names one label on each side, and need only be better than a guess."""
    return SAMMEClassifier(LabelTreeOracle(max_depth=1))


def _tested(model: Any, X: Array, y: Array, X_test: Array, y_test: Array) -> float:
    """Share of errors; a class of which no row is in the training part counts as one."""
    return float(np.mean(model.fit(X, y).predict(X_test) != y_test))


def error(trials: Trials, data: str, method: str) -> float:
    """Mean test error."""
    return trials.where(data=data, method=method).mean("error").mean


def tables(trials: Trials) -> Iterator[Comparison]:
    """Test errors of all sets."""
    rows = []
    for data in trials.each("data"):
        cells = (trials.where(data=data, method=m).mean("error").text(1, 100) for m in METHODS)
        rows.append((data, *cells))
    yield Comparison("test error in %", METHODS, rows)


def findings(trials: Trials) -> Iterator[Finding]:
    """What the four plots show."""
    sets = trials.each("data")
    errors = {m: np.array([error(trials, data, m) for data in sets]) for m in METHODS}
    for plain in ("stump", "tree"):
        boosted = errors[f"boosted {plain}s"]
        wins = int(np.sum(boosted < errors[plain]))
        claim = f"boosting helps a {plain} on most sets"
        evidence = f"{wins} of {len(sets)}; {errors[plain].mean():.1%} to {boosted.mean():.1%}"
        yield Finding(claim, wins > 0.5 * len(sets), evidence)
    gains = [np.mean(errors[plain] - errors[f"boosted {plain}s"]) for plain in ("stump", "tree")]
    claim = "stumps gain more than trees"
    yield Finding(claim, gains[0] > gains[1], f"{gains[0]:.1%} and {gains[1]:.1%}")
    means = [errors[m].mean() for m in ("boosted trees", "boosted stumps")]
    claim = "boosted trees are better than boosted stumps overall"
    yield Finding(claim, means[0] < means[1], f"{means[0]:.1%} and {means[1]:.1%}")


def draw(trials: Trials, figure: Any) -> None:
    """Figs 1.3 and 1.4: four scatterplots of test errors in %."""
    from marginboost.diagnostics.displays.style import BLUE, GREY, plain

    pairs = (
        ("boosted stumps", "stump"),
        ("boosted trees", "tree"),
        ("boosted stumps", "tree"),
        ("boosted stumps", "boosted trees"),
    )
    sets = trials.each("data")
    for ax, (x, y) in zip(figure.subplots(1, 4), pairs, strict=True):
        a, b = ([100 * error(trials, data, m) for data in sets] for m in (x, y))
        top = max(*a, *b, 1.0) * 1.05
        ax.plot([0, top], [0, top], color=GREY, linewidth=0.8)
        ax.plot(a, b, "o", color=BLUE, markersize=4)
        ax.set(xlabel=f"{x}, error in %", ylabel=y, xlim=(0, top), ylim=(0, top), aspect="equal")
        plain(ax)


EXPERIMENT = Experiment(
    plan,
    trial,
    tables,
    findings,
    sizes={
        "tiny": {
            **{"folds": 3, "used": 1, "repeats": 1, "rounds": 15},
            **{"sets": ["vehicle", "vowel"]},
        },
        "quick": {"folds": 3, "used": 3, "repeats": 1, "rounds": 100},
        "full": {"folds": 10, "used": 10, "repeats": 10, "rounds": 100},
    },
    draw=draw,
    figure_size=(12.5, 3.4),
    catalogue=("SF-E2a", "SF-E2b", "SF-E2c", "SF-E2d"),
    data=tuple(dict.fromkeys(SETS.values())),
)
