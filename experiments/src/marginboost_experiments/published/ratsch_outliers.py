"""Three outliers: AdaBoost leans on them, AdaBoost_Reg does not (Rätsch 2001, Fig. 4.3).

The thesis draws the boundary of AdaBoost on clean points of the plane, of AdaBoost with three
outliers added, and of AdaBoost_Reg with the same outliers. With outliers the boundary changes and
they share most of the influence with a few others; AdaBoost_Reg's boundary is nearly the clean one,
and influence is spread over more points.

Unknown: data, base learner and C. Here: two arcs, 80 points, three of which get the other label;
RBF nets of five centres, 100 rounds, C = 0.2. Influence is the average weight of a point over the
run; a point matters if it has more than twice the mean.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from marginboost.algorithms import AdaBoostRegClassifier
from marginboost.oracles import RBFNetOracle

from .. import Case, Comparison, Experiment, Finding, Trials
from ..frame import Result
from ._planar import banana, draw_votes, lattice

ROWS, OUTLIERS, VARIANCE = 80, 3, 0.03
PANELS = {"clean": (0, 0.0), "outliers": (OUTLIERS, 0.0), "outliers, AdaBoost_Reg": (OUTLIERS, 0.2)}
"""Outliers and C; with C = 0 AdaBoost_Reg is AdaBoost."""


def plan(done: Trials, samples: int, rounds: int) -> list[Case]:
    """One case per sample and panel."""
    return [
        {"panel": panel, "seed": seed, "rounds": rounds}
        for panel in PANELS
        for seed in range(samples)
    ]


def trial(panel: str, seed: int, rounds: int) -> Result:
    """Boundary, influence and error of one panel."""
    n_outliers, C = PANELS[panel]
    X, y = banana(ROWS, VARIANCE, seed)
    X_test, y_test = banana(4000, VARIANCE, seed + 1000)
    wrong = np.random.default_rng(seed).choice(ROWS, OUTLIERS, replace=False)
    labels = y.copy()
    labels[wrong[:n_outliers]] *= -1
    net = RBFNetOracle(n_centers=5, max_iter=3)
    model = AdaBoostRegClassifier(net, C=C, n_estimators=rounds, n_jobs=1).fit(X, labels)
    influence = np.asarray(model.influence_) / np.sum(model.influence_)
    drawn = {"X": X, "y": labels, "influence": influence, "wrong": wrong[:n_outliers]}
    return {
        "error": 1.0 - model.score(X_test, y_test),
        "outliers": float(influence[wrong].sum()),
        "that matter": int(np.sum(influence > 2.0 / ROWS)),
        **(drawn if seed == 0 else {}),
        **({"votes": np.round(model.decision_function(lattice()), 4)} if seed == 0 else {}),
    }


def tables(trials: Trials) -> Iterator[Comparison]:
    """Errors and influence."""
    rows = []
    for panel in PANELS:
        mine = trials.where(panel=panel)
        cells = mine.mean("error").text(1, 100), mine.mean("outliers").text(2)
        rows.append((panel, *cells, mine.mean("that matter").text(1)))
    columns = ("test error in %", f"influence of the {OUTLIERS} points", "points that matter")
    yield Comparison("Three outliers", columns, rows)


def findings(trials: Trials) -> Iterator[Finding]:
    """What the figure shows."""
    clean, hard, soft = (trials.where(panel=panel) for panel in PANELS)
    errors = [part.mean("error") for part in (clean, hard, soft)]
    claim = "outliers spoil AdaBoost, and AdaBoost_Reg less"
    evidence = ", ".join(error.text(1, 100) for error in errors) + " %"
    yield Finding(claim, max(errors[0].mean, errors[2].mean) < errors[1].mean, evidence)
    shares = [part.mean("outliers") for part in (hard, soft)]
    claim = "AdaBoost_Reg takes influence from them"
    evidence = f"{shares[0].text(2)} with AdaBoost, {shares[1].text(2)}"
    yield Finding(claim, shares[1].mean < 0.8 * shares[0].mean, evidence)


def draw(trials: Trials, figure: Any) -> None:
    """The three panels of one sample; the size of a point is its influence."""
    from marginboost.diagnostics.displays.style import INK

    axes = figure.subplots(1, 3)
    for ax, panel in zip(axes, PANELS, strict=True):
        found = trials.where(panel=panel, seed=0).only()
        draw_votes(ax, found["votes"], found["X"], found["y"], found["influence"])
        wrong = np.array(found["X"])[found["wrong"]] if found["wrong"] else np.empty((0, 2))
        ax.scatter(*wrong.T, s=120, facecolors="none", edgecolors=INK)
        ax.set_title(f"{'AdaBoost, ' if 'Reg' not in panel else ''}{panel}", fontsize=10)


EXPERIMENT = Experiment(
    plan,
    trial,
    tables,
    findings,
    sizes={
        "tiny": {"samples": 4, "rounds": 40},
        "quick": {"samples": 20, "rounds": 100},
        "full": {"samples": 100, "rounds": 200},
    },
    draw=draw,
    figure_size=(10.5, 3.4),
    catalogue=("R2-E3",),
)
