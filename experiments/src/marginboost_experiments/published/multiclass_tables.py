"""More than two classes: five sets by every road.

Nothing is published to be compared with: these tables are what the default for more than two
classes was chosen by. AdaBoost in all columns; stumps and trees of depth 6. Sets with a published
split have that, the others two thirds of their rows to learn from.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from marginboost.algorithms import (
    AdaBoostClassifier,
    AdaBoostM1Classifier,
    AdaBoostM2Classifier,
    AdaBoostMHClassifier,
    SAMMEClassifier,
)
from marginboost.algorithms.multiclass import MulticlassBooster
from marginboost.datasets import load
from marginboost.oracles import LabelTreeOracle, TreeOracle
from marginboost.types import Array

from .. import Case, Comparison, Experiment, Finding, Trials
from ..frame import Result

SETS = ("vowel", "segment", "digits8x8", "satimage", "letter")
LEARNERS = {"stumps": "stumps", "trees": "trees of depth 6"}
CODES = ("one-vs-rest", "all-pairs", "error-correcting")


def models(learner: str, rounds: int) -> dict[str, Any]:
    """Every road to several classes."""
    shared: dict[str, Any] = {"n_estimators": rounds, "n_jobs": 1}
    if learner == "stumps":
        binary, one, some = AdaBoostClassifier(**shared), None, None
    else:
        binary = AdaBoostClassifier(TreeOracle(max_depth=6, criterion="gini"), **shared)
        one, some = LabelTreeOracle(max_depth=6), LabelTreeOracle(max_depth=6, answers="set")
    roads: dict[str, Any] = {code: MulticlassBooster(binary, code=code) for code in CODES}
    if learner == "trees":
        roads["M1"] = AdaBoostM1Classifier(one, **shared)
    return {
        **roads,
        "SAMME": SAMMEClassifier(one, **shared),
        "M2": AdaBoostM2Classifier(some, **shared),
        "MH": AdaBoostMHClassifier(some, **shared),
    }


def plan(done: Trials, rounds: int, sets: Sequence[str] = SETS) -> list[Case]:
    """One case per set, base learner and road."""
    return [
        {"data": data, "learner": learner, "road": road, "rounds": rounds}
        for learner in LEARNERS
        for data in sets
        for road in models(learner, rounds)
    ]


def trial(data: str, learner: str, road: str, rounds: int) -> Result:
    """Test error of one model."""
    X, y, X_test, y_test = split(data)
    model = models(learner, rounds)[road].fit(X, y)
    error = float(np.mean(model.predict(X_test) != y_test))
    return {"error": error, "classes": len(np.unique(y))}


def split(name: str) -> tuple[Array, Array, Array, Array]:
    """Return the published split of a set, or two thirds of its rows at random to learn from."""
    data = load(f"uci_{name}")
    X, y = data.data, data.target
    if data.splits:
        learn, judge = data.splits[0]
    else:
        order = np.random.default_rng(0).permutation(len(y))
        learn, judge = np.split(order, [2 * len(y) // 3])
    return X[learn], y[learn], X[judge], y[judge]


def tables(trials: Trials) -> Iterator[Comparison]:
    """Test errors of all roads on all sets."""
    for learner, title in LEARNERS.items():
        mine = trials.where(learner=learner)
        roads = mine.each("road")
        rows = []
        for data in mine.each("data"):
            found = [mine.where(data=data, road=road).only() for road in roads]
            cells = [f"{100 * f['error']:.1f}" for f in found]
            rows.append((f"{data}, {found[0]['classes']} classes", *cells))
        rounds = mine.each("rounds")[0]
        yield Comparison(f"test error in %, {rounds} rounds of {title}", tuple(roads), rows)


def findings(trials: Trials) -> Iterator[Finding]:
    """Why the default is what it is."""
    mine = trials.where(learner="stumps")
    sets = mine.each("data")
    best = sum(
        mine.where(data=data, road="all-pairs").only()["error"]
        <= min(mine.where(data=data, road=road).only()["error"] for road in CODES)
        for data in sets
    )
    claim = "with stumps all-pairs is the best of the three codes on most sets"
    yield Finding(claim, best > 0.5 * len(sets), f"{best} of {len(sets)}")
    left = trials.array("error") / (1.0 - 1.0 / trials.array("classes"))
    claim = "every road errs less than a guess"
    yield Finding(claim, left.max() < 1.0, f"at most {left.max():.2f} of a guess's errors")


def draw(trials: Trials, figure: Any) -> None:
    """Test error of every road on every set, one panel per base learner."""
    from marginboost.diagnostics.displays.style import CYCLE, INK, plain

    axes, roads = figure.subplots(1, len(LEARNERS), sharey=True), trials.each("road")
    colors = dict(zip(roads, (*CYCLE, INK), strict=False))
    for ax, learner in zip(axes, trials.each("learner"), strict=True):
        mine = trials.where(learner=learner)
        sets = mine.each("data")
        for road in mine.each("road"):
            errors = [100 * mine.where(data=data, road=road).only()["error"] for data in sets]
            ax.plot(sets, errors, "o", color=colors[road], label=road)
        ax.set(title=LEARNERS[learner], yscale="log")
        ax.yaxis.set_major_formatter("{x:g}")
        ax.margins(x=0.2)
        plain(ax)
    axes[0].set_ylabel("test error in %")
    axes[-1].legend(frameon=False, fontsize=8, loc="center left", bbox_to_anchor=(1.0, 0.5))


EXPERIMENT = Experiment(
    plan,
    trial,
    tables,
    findings,
    sizes={
        "tiny": {"rounds": 6, "sets": ["vowel"]},
        "quick": {"rounds": 100, "sets": ["vowel", "segment", "digits8x8"]},
        "full": {"rounds": 100},
    },
    draw=draw,
    data=tuple(f"uci_{name}" for name in SETS),
)
