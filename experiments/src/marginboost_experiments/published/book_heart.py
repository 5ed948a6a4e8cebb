"""Heart disease with boosted stumps: overfitting (Schapire and Freund, Table 1.2 and Fig. 1.5).

The book runs AdaBoost with stumps on the Cleveland data, names the first six stumps on all rows,
and draws training and test error, averaged over cross-validation, up to 1000 rounds: 28.0 % for one
stump, least 15.3 % after 3 rounds, 18.8 % after 100 and 22.0 % after 1000.

Unknown: how many folds and repeats (here: ten folds; the quick size one repeat). Nominal features
are split by one category against the others, missing values have an output of their own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold

from marginboost.algorithms import AdaBoostClassifier
from marginboost.datasets import load_cleveland

from .. import Case, Comparison, Experiment, Finding, Trials, beside
from ..frame import Result
from ..tables import BESIDE

FOLDS = 10
TABLE_1_2 = ("thal", "ca", "cp", "oldpeak", "chol", "restecg")
"""Features of the first six stumps."""
PUBLISHED = {1: 0.280, 3: 0.153, 100: 0.188, 1000: 0.220}
"""Test error after so many rounds."""


def plan(done: Trials, repeats: int, rounds: int) -> list[Case]:
    """The stumps on all rows, and one case per fold."""
    folds = [
        {"repeat": repeat, "fold": fold, "rounds": rounds}
        for repeat in range(repeats)
        for fold in range(FOLDS)
    ]
    return [{"part": "all rows"}, *folds]


def trial(part: str = "fold", repeat: int = 0, fold: int = 0, rounds: int = 6) -> Result:
    """Error curves of one fold, or the stumps on all rows."""
    data = load_cleveland()
    X, y = data.data, data.target
    model = AdaBoostClassifier(
        n_estimators=rounds,
        max_bins=None,
        n_jobs=1,
        categorical_features=data.categorical_features,
    )
    if part == "all rows":
        model.fit(X, y)
        used = [data.feature_names[stump.feature] for stump in model.estimators_]
        return {"features": used, "ε": model.estimator_errors_, "α": model.estimator_weights_}
    splitter = StratifiedKFold(FOLDS, shuffle=True, random_state=repeat)
    learn, test = list(splitter.split(X, y))[fold]
    model.fit(X[learn], y[learn])
    kept = np.unique(np.geomspace(1, rounds, 60).astype(int))
    curves = {
        name: [float(np.mean(found != y[rows])) for found in model.staged_predict(X[rows])]
        for name, rows in (("train", learn), ("test", test))
    }
    return {
        "rounds": kept,
        **{name: [curve[min(t, len(curve)) - 1] for t in kept] for name, curve in curves.items()},
        **{f"test {t}": curves["test"][t - 1] for t in PUBLISHED if t <= len(curves["test"])},
    }


def _folds(trials: Trials) -> Trials:
    return Trials((case, result) for case, result in trials if "fold" in case)


def tables(trials: Trials) -> Iterator[Comparison]:
    """The six stumps, and test errors."""
    found = trials.where(part="all rows").only()
    rows = [
        (f"stump {k + 1}", theirs, ours, f"{error:.3f}", f"{coef:.3f}")
        for k, (theirs, ours, error, coef) in enumerate(
            zip(TABLE_1_2, found["features"], found["ε"], found["α"], strict=True)
        )
    ]
    columns = ("book", "measured", "weighted error", "coefficient")
    yield Comparison("Table 1.2: features of the first six stumps", columns, rows)
    folds = _folds(trials)
    rounds = [t for t in PUBLISHED if f"test {t}" in next(iter(folds))[1]]
    errors = [
        beside(f"round {t}", PUBLISHED[t], folds.mean(f"test {t}"), digits=1, scale=100)
        for t in rounds
    ]
    note = "folds of one repeat are not independent: the standard error is a guide"
    yield Comparison("Fig. 1.5: test error in %", BESIDE, errors, (note,))


def findings(trials: Trials) -> Iterator[Finding]:
    """What section 1.2.3 says."""
    found = trials.where(part="all rows").only()
    claim = "the first six stumps use the features of Table 1.2, in its order"
    yield Finding(claim, tuple(found["features"]) == TABLE_1_2, ", ".join(found["features"]))
    folds = _folds(trials)
    test, train = (folds.array(name).mean(axis=0) for name in ("test", "train"))
    rounds = folds.results("rounds")[0]
    best = int(np.argmin(test))
    claim = "test error is least after a few rounds and rises again, while training error falls"
    evidence = (
        f"{test[0]:.1%} at first, {test[best]:.1%} after {rounds[best]}, {test[-1]:.1%} after "
        f"{rounds[-1]}; training {train[-1]:.1%}"
    )
    holds = test[best] < test[0] - 0.05 and test[-1] > test[best] and train[-1] < train[best]
    yield Finding(claim, holds, evidence)


def draw(trials: Trials, figure: Any) -> None:
    """Fig. 1.5: training and test error against rounds."""
    from marginboost.diagnostics.displays.style import BLUE, GREY, ORANGE, plain

    folds, ax = _folds(trials), figure.subplots()
    rounds = folds.results("rounds")[0]
    for name, color in (("train", BLUE), ("test", ORANGE)):
        ax.plot(
            rounds,
            100 * folds.array(name).mean(axis=0),
            color=color,
            label=f"{name}ing error" if name == "train" else "test error",
        )
    known = [t for t in PUBLISHED if t <= rounds[-1]]
    ax.plot(known, [100 * PUBLISHED[t] for t in known], "o", color=GREY, label="test error, book")
    ax.set_xscale("log")
    ax.set(xlabel="rounds", ylabel="error in %", ylim=(0, None))
    ax.legend(frameon=False, fontsize=9)
    plain(ax)


EXPERIMENT = Experiment(
    plan,
    trial,
    tables,
    findings,
    sizes={
        "tiny": {"repeats": 1, "rounds": 200},
        "quick": {"repeats": 3, "rounds": 1000},
        "full": {"repeats": 20, "rounds": 1000},
    },
    draw=draw,
    catalogue=("SF-E3a", "SF-E3b"),
)
