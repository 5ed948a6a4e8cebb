"""Ten points, three rounds: every number of Table 1.1 (Schapire and Freund, Figs 1.1 and 1.2).

The book runs AdaBoost by hand on ten points of the plane with vertical and horizontal lines, and
prints weights, weighted errors ε, coefficients α and normalisers Z of three rounds, after which
there is no training error.

Unknown: the coordinates are a lost figure. Those used here were made so that every number comes
out; ties between lines go to the first feature and the lowest cut.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from marginboost.algorithms import AdaBoostClassifier
from marginboost.datasets import book_toy

from .. import Case, Comparison, Experiment, Finding, Trials
from ..frame import Result

PUBLISHED = {"ε": (0.30, 0.21, 0.14), "α": (0.42, 0.65, 0.92), "Z": (0.92, 0.82, 0.69)}
WEIGHTS = (
    (0.10,) * 10,
    (0.17,) * 3 + (0.07,) * 7,
    (0.11, 0.11, 0.11, 0.05, 0.05, 0.17, 0.17, 0.05, 0.17, 0.05),
)


def plan(done: Trials) -> list[Case]:
    """One run."""
    return [{"rounds": 3}]


def trial(rounds: int) -> Result:
    """Three rounds of AdaBoost, and the weights before each."""
    X, y = book_toy()
    model = AdaBoostClassifier(n_estimators=rounds, max_bins=None).fit(X, y)
    weights, score = [], np.zeros(len(y))
    for coef, stump in zip(model.estimator_weights_, model.estimators_, strict=True):
        share = np.exp(-y * score)
        weights.append(share / share.sum())
        score = score + coef * stump(X)
    history = model.history_
    return {
        "ε": history["error"],
        "α": history["coef"],
        "Z": history["normaliser"],
        "weights": weights,
        "features": [stump.feature for stump in model.estimators_],
        "cuts": [stump.threshold for stump in model.estimators_],
        "errors": [float(np.mean(found != y)) for found in model.staged_predict(X)],
    }


def tables(trials: Trials) -> Iterator[Comparison]:
    """Rounds, then weights of the examples; published / measured."""
    found = trials.only()
    columns = ("round 1", "round 2", "round 3")
    rows = [
        (name, *(f"{a:.2f} / {b:.2f}" for a, b in zip(theirs, found[name], strict=True)))
        for name, theirs in PUBLISHED.items()
    ]
    yield Comparison("Table 1.1, published / measured", columns, rows)
    rows = [
        (f"example {i + 1}", *(f"{a[i]:.2f} / {b[i]:.2f}" for a, b in _pairs(found)))
        for i in range(10)
    ]
    yield Comparison("Weights before each round, published / measured", columns, rows)


def _pairs(found: Result) -> Any:
    return list(zip(WEIGHTS, found["weights"], strict=True))


def findings(trials: Trials) -> Iterator[Finding]:
    """Every printed digit, and no training error."""
    found = trials.only()
    same = [np.array_equal(np.round(found[name], 2), theirs) for name, theirs in PUBLISHED.items()]
    same += [np.array_equal(np.round(ours, 2), theirs) for theirs, ours in _pairs(found)]
    yield Finding("every digit of Table 1.1 comes out", all(same), f"{sum(same)} of 6 columns")
    claim = "three rounds leave no training error, two do"
    evidence = ", ".join(f"{error:.1f}" for error in found["errors"])
    yield Finding(claim, found["errors"][2] == 0 < found["errors"][1], evidence)


def draw(trials: Trials, figure: Any) -> None:
    """Fig. 1.1: the lines and the weights before each round; Fig. 1.2: the vote of all three."""
    from marginboost.diagnostics.displays.style import BLUE, INK, ORANGE, vote_colors

    found, (X, y) = trials.only(), book_toy()
    axes = figure.subplots(1, 4)
    grid = np.stack(np.meshgrid(np.linspace(0, 10, 200), np.linspace(0, 10, 200)), axis=-1)
    total = np.zeros(grid.shape[:2])
    sides = (1.0, 1.0, -1.0)  # h1, h2: positive left of the line; h3: above it
    for k, ax in enumerate(axes):
        weights = found["weights"][min(k, 2)]
        if k < 3:
            beyond = grid[..., found["features"][k]] > found["cuts"][k]
            vote = np.where(beyond, -sides[k], sides[k])
            total += found["α"][k] * vote
            ax.set_title(f"round {k + 1}: ε = {found['ε'][k]:.2f}, α = {found['α'][k]:.2f}")
        else:
            vote, weights = total, [0.1] * 10
            ax.contour(grid[..., 0], grid[..., 1], total, levels=[0], colors=INK)
            ax.set_title("vote of all three")
        limits = {"vmin": -2.0 * np.abs(vote).max(), "vmax": 2.0 * np.abs(vote).max()}  # pale
        ax.imshow(vote, extent=(0, 10, 0, 10), origin="lower", cmap=vote_colors(), **limits)
        for label, color, marker in ((1, ORANGE, "+"), (-1, BLUE, "_")):
            mine = y == label
            sizes = 900 * np.array(weights)[mine]
            ax.scatter(*X[mine].T, s=sizes, color=color, marker=marker, linewidths=2.5)
        ax.title.set_fontsize(9)
        ax.set(xticks=[], yticks=[])


EXPERIMENT = Experiment(
    plan,
    trial,
    tables,
    findings,
    sizes={"tiny": {}, "quick": {}, "full": {}},
    draw=draw,
    figure_size=(11.0, 3.0),
    catalogue=("SF-E1a", "SF-E1b", "SF-E1c"),
)
