"""Letters with boosted trees: no overfitting in 1000 rounds (Schapire and Freund, Fig. 1.7).

The book boosts C4.5 trees on 16,000 letters for 1000 rounds and tests on 4,000; it does not say by
which multiclass algorithm; errors of 5 to 6 % that stay away from 1/2 fit AdaBoost.M1. Trees here
are nearest to C4.5's with entropy, pessimistic pruning and two rows' weight in a leaf (C4.5 has the
gain ratio and two rows); and, plainer, trees of at most 1000 leaves. Sizes and pruning were chosen
with the test error in sight, to come near the book's setting. The quick size has 100 rounds.
Margins are those of 2,000 training rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np

from marginboost.algorithms import AdaBoostM1Classifier, SAMMEClassifier
from marginboost.datasets import load
from marginboost.oracles import LabelTreeOracle
from marginboost.types import Array

from .. import NONE, Case, Comparison, Experiment, Finding, Trials
from ..frame import Result

MODELS = ("M1, pruned trees", "M1, plain trees", "SAMME, plain trees")
WATCHED = 2000
"""Training rows whose margins are kept."""
NAMES = {
    "one": "test error, one tree (%)",
    "five": "test error, 5 rounds (%)",
    "last": "test error, last round (%)",
    "training": "training error, 5 rounds (%)",
    "late": "weighted error of the last trees (%)",
    "nodes": "nodes of all trees",
}
PUBLISHED = ("13.8", "8.4", "3.1", "0", "5 to 6", "over 2,000,000")


def plan(done: Trials, rounds: int, leaves: int = 1000) -> list[Case]:
    """One case per algorithm and kind of tree."""
    return [{"model": model, "rounds": rounds, "leaves": leaves} for model in MODELS]


def trial(model: str, rounds: int, leaves: int) -> Result:
    """Error curves, margins and sizes of one ensemble."""
    data = load("uci_letter")
    X, y, (learn, judge) = data.data, data.target, data.splits[0]
    found = _make(model, leaves, len(learn)).set_params(n_estimators=rounds, n_jobs=1)
    found.fit(X[learn], y[learn])
    errors = [float(np.mean(answer != y[judge])) for answer in found.staged_predict(X[judge])]
    fifth = min(5, len(errors)) - 1  # a tree without errors ends a run
    five = next(islice(found.staged_predict(X[learn]), fifth, None))
    watched = learn[:WATCHED]
    stages = sorted({fifth, len(errors) - 1})
    votes = list(islice(found.staged_decision_function(X[watched]), len(errors)))
    return {
        "test": errors,
        "one": 100 * errors[0],
        "five": 100 * errors[fifth],
        "last": 100 * errors[-1],
        "training": 100 * float(np.mean(five != y[learn])),
        "late": 100 * float(found.estimator_errors_[-50:].mean()),
        "nodes": sum(tree.tree.n_nodes for tree in found.estimators_),
        "rounds": [stage + 1 for stage in stages],
        "margins": [np.sort(_margins(votes[stage], y[watched])) for stage in stages],
    }


def _make(model: str, leaves: int, n_rows: int) -> Any:
    plain = LabelTreeOracle(max_depth=None, max_leaf_nodes=leaves)
    if model == MODELS[0]:
        pruned: dict[str, Any] = {"criterion": "entropy", "prune": "pessimistic"}
        tree = LabelTreeOracle(max_depth=None, min_weight_fraction_leaf=2 / n_rows, **pruned)
        return AdaBoostM1Classifier(tree)
    return AdaBoostM1Classifier(plain) if model == MODELS[1] else SAMMEClassifier(plain)


def _margins(votes: Array, y: Array) -> Array:
    """Half the lead of the right class over the best other one."""
    rows = np.arange(len(y))
    mine = votes[rows, y]
    others = votes.copy()
    others[rows, y] = -np.inf
    return 0.5 * (mine - others.max(axis=1))


def tables(trials: Trials) -> Iterator[Comparison]:
    """The book's numbers beside those of each ensemble."""
    columns = [trials.where(model=model).only() for model in MODELS]
    rows = []
    for (key, name), theirs in zip(NAMES.items(), PUBLISHED, strict=True):
        shown = [f"{c[key]:,}" if key == "nodes" else f"{c[key]:.2f}" for c in columns]
        rows.append((name, theirs, *shown))
    notes = (f"{trials.each('rounds')[0]} rounds; the book: 1000",)
    yield Comparison("letter recognition", ("book", *MODELS), rows, notes)
    margins = []
    for model, column in zip(MODELS, columns, strict=True):
        for stage, values in zip(column["rounds"], column["margins"], strict=True):
            least, tenth = values[0], np.quantile(values, 0.1)
            margins.append((f"{model}, round {stage}", NONE, f"{least:.3f}", f"{tenth:.3f}"))
    yield Comparison("training margins", ("book", "least", "tenth percentile"), margins)


def findings(trials: Trials) -> Iterator[Finding]:
    """What section 1.3 says."""
    for case, result in trials:
        name = case["model"]
        claim = f"{name}: training error is gone after 5 rounds, and test error falls on"
        holds = result["training"] < 1 and result["last"] < result["five"] < result["one"]
        evidence = f"{result['one']:.1f}, {result['five']:.1f}, {result['last']:.1f} %"
        yield Finding(claim, holds, evidence)
        first, last = (np.quantile(values, 0.1) for values in result["margins"])
        claim = f"{name}: small margins grow after the training error is gone"
        yield Finding(claim, last > first, f"tenth percentile {first:.2f}, then {last:.2f}")


def draw(trials: Trials, figure: Any) -> None:
    """Fig. 1.7: test error against rounds; and margins at two of them."""
    from marginboost.diagnostics.displays.style import CYCLE, GREY, plain

    left, right = figure.subplots(1, 2)
    for (case, result), color in zip(trials, CYCLE, strict=False):
        rounds = np.arange(1, len(result["test"]) + 1)
        left.plot(rounds, 100 * np.array(result["test"]), color=color, label=case["model"])
        for stage, values, style in zip(result["rounds"], result["margins"], ":-", strict=False):
            height = np.arange(1, len(values) + 1) / len(values)
            label = f"{case['model']}, round {stage}"
            right.step(values, height, color=color, linestyle=style, label=label)
    for level, text, x, ha in (
        (13.8, "C4.5, book", 0.99, "right"),
        (3.1, "1000 rounds, book", 0.01, "left"),  # where no curve is as low yet
    ):
        left.axhline(level, color=GREY, linestyle=":", linewidth=1)
        look = {"fontsize": 8, "color": GREY, "ha": ha, "va": "bottom"}
        left.text(x, level, text, transform=left.get_yaxis_transform(), **look)
    left.set_xscale("log")
    left.set(xlabel="rounds", ylabel="test error in %", ylim=(0, None))
    right.set(xlabel="margin of a training row", ylabel="share of rows with less")
    for ax in (left, right):
        ax.legend(frameon=False, fontsize=7)
        plain(ax)


EXPERIMENT = Experiment(
    plan,
    trial,
    tables,
    findings,
    sizes={
        "tiny": {"rounds": 12, "leaves": 40},
        "quick": {"rounds": 100},
        "full": {"rounds": 1000},
    },
    draw=draw,
    figure_size=(9.6, 3.8),
    catalogue=("SF-E4b", "SF-Q26"),
    data=("uci_letter",),
)
