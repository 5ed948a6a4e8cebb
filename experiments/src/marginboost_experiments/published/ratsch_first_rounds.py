"""AdaBoost on points of the plane, round by round, beside bagging (Rätsch 2001, Fig. 1.3).

The thesis shows the points after 1, 2, 3, 5, 10 and 100 rounds, their size the weight, the lines of
single classifiers and the line of the vote; bagging beside the last ones. Points that are hard to
tell grow; in the end those near the boundary carry the weight, and the line of the vote is curved.

Unknown: data, their number and the base learner, whose decision lines are straight. Here: two
interleaved arcs, 80 points, and the best line under the weights among those of 24 directions.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from marginboost.algorithms import AdaBoostClassifier, BaggedVoteClassifier
from marginboost.types import Array

from .. import Case, Comparison, Experiment, Finding, Trials
from ..frame import Result
from ._planar import EXTENT, banana, draw_votes, lattice

STAGES = (1, 2, 3, 5, 10, 100)
ROWS, VARIANCE = 80, 0.04
DIRECTIONS = 24


def turned(X: Array) -> Array:
    """Coordinates of points along all directions: a stump on one of them is a line."""
    angles = np.pi * np.arange(DIRECTIONS) / DIRECTIONS
    return X @ np.stack([np.cos(angles), np.sin(angles)])


def plan(done: Trials, seeds: int, rounds: int = STAGES[-1]) -> list[Case]:
    """One case per sample."""
    return [{"seed": seed, "rounds": rounds} for seed in range(seeds)]


def trial(seed: int, rounds: int) -> Result:
    """Votes on a grid and weights at some rounds; errors on other points."""
    X, y = banana(ROWS, VARIANCE, seed)
    X_test, y_test = banana(4000, VARIANCE, seed + 1000)
    shared: dict[str, Any] = {"n_estimators": rounds, "max_bins": None, "n_jobs": 1}
    model = AdaBoostClassifier(**shared).fit(turned(X), y)
    bagged = BaggedVoteClassifier(**shared).fit(turned(X), y)
    votes = list(model.staged_decision_function(turned(X)))
    grid = list(model.staged_decision_function(turned(lattice())))
    stages = [min(t, len(votes)) for t in STAGES]
    lengths = np.cumsum(model.estimator_weights_)
    weights = [np.exp(-y * lengths[t - 1] * votes[t - 1]) for t in stages]
    near = np.abs(votes[-1]) <= np.quantile(np.abs(votes[-1]), 0.25)
    last = weights[-1] / weights[-1].sum()
    drawn = {
        "X": X,
        "y": y,
        "votes": [np.round(grid[t - 1], 4) for t in stages],
        "weights": [w / w.sum() for w in weights],
        "bagged": np.round(bagged.decision_function(turned(lattice())), 4),
    }
    return {
        **(drawn if seed == 0 else {}),
        "error, one line": float(np.mean(next(model.staged_predict(turned(X_test))) != y_test)),
        "error, AdaBoost": 1.0 - model.score(turned(X_test), y_test),
        "error, bagging": 1.0 - bagged.score(turned(X_test), y_test),
        "weight near the boundary": float(last[near].sum()),
    }


def tables(trials: Trials) -> Iterator[Comparison]:
    """Test errors, and who carries the weight."""
    names = ("error, one line", "error, AdaBoost", "error, bagging", "weight near the boundary")
    rows = [(name, str(trials.mean(name))) for name in names]
    note = "near the boundary: the quarter of the points with the smallest votes"
    yield Comparison(f"after {STAGES[-1]} rounds", ("measured",), rows, (note,))


def findings(trials: Trials) -> Iterator[Finding]:
    """What the figure shows."""
    one, boosted, bagged = (
        trials.mean(f"error, {name}") for name in ("one line", "AdaBoost", "bagging")
    )
    claim = "the vote is better than one line, and bagging is not: its line stays nearly straight"
    holds = boosted.mean < one.mean - 0.02 and bagged.mean > boosted.mean
    yield Finding(claim, holds, f"one {one}, AdaBoost {boosted}, bagging {bagged}")
    share = trials.mean("weight near the boundary")
    claim = "in the end points near the boundary carry the weight"
    yield Finding(claim, share.mean > 0.5, f"a quarter of the points has {share}")


def draw(trials: Trials, figure: Any) -> None:
    """Six stages; the last two with bagging's line, dashed."""
    from marginboost.diagnostics.displays.style import GREEN

    found = trials.where(seed=0).only()
    axes = figure.subplots(2, 3)
    for k, (ax, t) in enumerate(zip(axes.flat, STAGES, strict=True)):
        draw_votes(ax, found["votes"][k], found["X"], found["y"], found["weights"][k])
        ax.set_title(f"round {t}", fontsize=10)
        if k >= 4:
            n = round(np.sqrt(len(found["bagged"])))
            grid, extent = np.array(found["bagged"]).reshape(n, n), EXTENT
            style = {"colors": GREEN, "linestyles": "--", "linewidths": 1.6}
            ax.contour(grid, levels=[0], extent=extent, **style)
    figure.suptitle("Size of a point: its weight. Dashed: bagging", fontsize=10)


EXPERIMENT = Experiment(
    plan,
    trial,
    tables,
    findings,
    sizes={
        "tiny": {"seeds": 2, "rounds": 40},
        "quick": {"seeds": 10},
        "full": {"seeds": 100},
    },
    draw=draw,
    figure_size=(9.0, 5.6),
    catalogue=("R1-E03",),
)
