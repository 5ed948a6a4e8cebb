"""Filters compared on planted flips, then retraining (Chan 2015, section 5: the study it asks for).

The thesis proposes to plant label noise, to compare the filter by decision volume with majority and
consensus filters by how well they find it, and to retrain learners that are not resistant to noise
on the filtered rows. Nothing is published to be compared with.

Filled in: sets that come with the package, scikit-learn or a generator; 10 and 20 % of the labels
flipped anywhere; half of the rows to learn from. Filters have their default settings; that by
decision volume, which needs to know how many, is told the true share. Rows are ranked by each
filter's own score (average precision), flagged rows are dropped and AdaBoost with trees of depth 3,
which fits noise, is trained again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from scipy.stats import rankdata
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import average_precision_score

from marginboost.algorithms import AdaBoostClassifier
from marginboost.audit import (
    AdaBoostFilter,
    ConsensusFilter,
    DecisionVolumeFilter,
    LabelAudit,
    MajorityFilter,
    SingleFilter,
    WilsonFilter,
    filter_errors,
    plant_flips,
)
from marginboost.datasets import load, load_wisconsin, ringnorm, twonorm
from marginboost.oracles import TreeOracle
from marginboost.types import Array

from .. import Case, Comparison, Experiment, Finding, Mean, Trials
from ..frame import Result

SETS: dict[str, Callable[[], tuple[Array, Array]]] = {
    "Wisconsin": lambda: load_wisconsin(return_X_y=True),
    "WDBC": lambda: load_breast_cancer(return_X_y=True),
    "sonar": lambda: load("uci_sonar", return_X_y=True),
    "twonorm": lambda: twonorm(600),
    "ringnorm": lambda: ringnorm(600),
}
FILTERS = (
    *("AdaBoost majority", "majority", "consensus", "single tree", "nearest neighbours"),
    *("decision volume", "LabelAudit"),
)
BASELINES = ("none", "truth")
"""Learning from all rows, and from those whose label is right."""


def make(name: str, rate: float) -> Any:
    """The filter of this name."""
    if name == "decision volume":
        return DecisionVolumeFilter(fraction=rate)
    if name == "LabelAudit":
        return LabelAudit()
    if name == "nearest neighbours":
        return WilsonFilter()
    voting: dict[str, Any] = {
        "AdaBoost majority": AdaBoostFilter,
        "majority": MajorityFilter,
        "consensus": ConsensusFilter,
        "single tree": SingleFilter,
    }
    return voting[name](random_state=0)


def plan(
    done: Trials,
    samples: int,
    sets: Sequence[str] = tuple(SETS),
    rates: Sequence[float] = (0.1, 0.2),
    filters: Sequence[str] = FILTERS,
) -> list[Case]:
    """One case per set, rate, filter and draw."""
    return [
        {"data": data, "rate": rate, "filter": name, "seed": seed}
        for data in sets
        for rate in rates
        for name in (*BASELINES, *filters)
        for seed in range(samples)
    ]


def trial(data: str, rate: float, filter: str, seed: int) -> Result:
    """How well a filter finds flips, and the test error after dropping what it flags."""
    X, y = SETS[data]()
    X = np.where(np.isnan(X), np.nanmean(X, axis=0), X)
    order = np.random.default_rng(seed).permutation(len(y))
    learn, test = np.split(order, [len(y) // 2])
    noisy, flipped = plant_flips(y[learn], rate, seed=seed)
    flagged = flipped if filter == "truth" else np.zeros(len(learn), dtype=bool)
    found: Result = {}
    if filter not in BASELINES:
        fitted = make(filter, rate).fit(X[learn], noisy)
        flagged = fitted.flagged_
        counts = filter_errors(flagged, flipped)
        found = {
            "average precision": float(average_precision_score(flipped, -rankdata(fitted.score_))),
            "precision": counts.precision,
            "recall": counts.recall,
        }
    return found | {"error": _error(X[learn], noisy, ~flagged, X[test], y[test])}


def _error(X: Array, y: Array, kept: Array, X_test: Array, y_test: Array) -> float:
    model = AdaBoostClassifier(TreeOracle(max_depth=3), n_estimators=100, n_jobs=1)
    return 1.0 - model.fit(X[kept], y[kept]).score(X_test, y_test)


def _won_back(trials: Trials, name: str) -> Mean:
    """Share of the error that noise costs which filtering wins back; mean over sets and rates."""
    shares = []
    for data in trials.each("data"):
        for rate in trials.each("rate"):
            mine = trials.where(data=data, rate=rate)
            noisy, clean, ours = (
                mine.where(filter=f).mean("error").mean for f in (*BASELINES, name)
            )
            if noisy - clean > 0.005:
                shares.append((noisy - ours) / (noisy - clean))
    return Mean.of(shares)


def tables(trials: Trials) -> Iterator[Comparison]:
    """Precision and recall of every filter; test errors after filtering."""
    filters = [name for name in trials.each("filter") if name not in BASELINES]
    for rate in trials.each("rate"):
        mine = trials.where(rate=rate)
        rows = []
        for name in filters:
            ours = mine.where(filter=name)
            names = ("average precision", "precision", "recall")
            rows.append((name, *(ours.mean(what).text(2) for what in names)))
        columns = ("average precision", "precision of flags", "recall of flags")
        yield Comparison(f"{rate:.0%} of the labels flipped, all sets", columns, rows)
        errors = [
            (
                data,
                *(
                    mine.where(data=data, filter=n).mean("error").text(1, 100)
                    for n in (*BASELINES, *filters)
                ),
            )
            for data in mine.each("data")
        ]
        columns = ("all rows", "right rows only", *filters)
        title = f"test error in % of AdaBoost with trees after filtering, {rate:.0%} flipped"
        yield Comparison(title, columns, errors)
    rows = [(name, _won_back(trials, name).text(2)) for name in filters]
    title = "share of what noise costs that filtering wins back"
    yield Comparison(title, ("measured",), rows, ("1 is as good as knowing the wrong labels",))


def findings(trials: Trials) -> Iterator[Finding]:
    """What the study was to show."""
    filters = [name for name in trials.each("filter") if name not in BASELINES]
    gains = {name: _won_back(trials, name) for name in filters}
    best = max(filters, key=lambda name: gains[name].mean)
    claim = "filtering wins back part of what label noise costs"
    yield Finding(claim, gains[best].mean > 0.3, f"{best}: {gains[best].text(2)} of it")
    precision = {name: trials.where(filter=name).mean("precision").mean for name in filters}
    recall = {name: trials.where(filter=name).mean("recall").mean for name in filters}
    if "consensus" in filters and "majority" in filters:
        claim = "consensus flags fewer good rows and misses more wrong ones than majority"
        holds = (
            precision["consensus"] > precision["majority"]
            and recall["consensus"] < recall["majority"]
        )
        evidence = "precision {:.2f} and {:.2f}, recall {:.2f} and {:.2f}".format(
            *(d[n] for d in (precision, recall) for n in ("consensus", "majority"))
        )
        yield Finding(claim, holds, evidence)
    volume = trials.where(filter="decision volume").mean("average precision")
    chance = float(np.mean(trials.each("rate")))
    claim = "small decision volumes point at wrong labels"
    yield Finding(claim, volume.mean > 1.5 * chance, f"{volume.text(2)}, by chance {chance:.2f}")


def draw(trials: Trials, figure: Any) -> None:
    """Precision against recall of every filter; share of the error won back."""
    from marginboost.diagnostics.displays.style import CYCLE, GREY, INK, plain

    left, right = figure.subplots(1, 2)
    filters = [name for name in trials.each("filter") if name not in BASELINES]
    colors = (*CYCLE, INK)
    for name, color in zip(filters, colors, strict=False):
        mine = trials.where(filter=name)
        precision, recall = (mine.mean(what).mean for what in ("precision", "recall"))
        left.plot(recall, precision, "o", color=color, label=name)
    left.set(xlabel="recall of flags", ylabel="precision of flags", xlim=(0, 1), ylim=(0, 1))
    left.legend(frameon=False, fontsize=8, loc="lower left")
    gains = [_won_back(trials, name) for name in filters]
    place = np.arange(len(filters))[::-1]
    right.barh(
        place, [g.mean for g in gains], xerr=[g.error for g in gains], color=colors[: len(filters)]
    )
    right.set_yticks(place, filters)
    right.axvline(0, color=GREY, linewidth=0.8)
    right.set(xlabel="share of what noise costs that is won back")
    for ax in (left, right):
        plain(ax)


EXPERIMENT = Experiment(
    plan,
    trial,
    tables,
    findings,
    sizes={
        "tiny": {
            **{"samples": 1, "sets": ["WDBC"], "rates": [0.2]},
            **{"filters": ["AdaBoost majority", "majority", "consensus", "decision volume"]},
        },
        "quick": {"samples": 2},
        "full": {"samples": 20},
    },
    draw=draw,
    figure_size=(10.0, 3.8),
    catalogue=("CH-E12",),
)
