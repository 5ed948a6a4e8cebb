"""Bregman distances, projections and the algorithm, drawn (Rätsch 2001, Figs 3.1 to 3.3).

Three schematics of the thesis, as computed pictures: the distance is the gap between a convex
function and its tangent; the projection of one point onto one line differs between distances; and
projections onto two lines in turn converge to the point where they meet, whatever the order.

Unknown: functions, points and lines; here the entropy beside the Euclidean distance. In three
dimensions the planes meet in a line, and the limit is its point nearest to the start.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.optimize import minimize

from marginboost.solvers.bregman import bregman_algorithm, bregman_project
from marginboost.types import Array

from .. import Case, Comparison, Experiment, Finding, Trials
from ..frame import Result

START = np.array([0.5, 2.2])
LINES = (((1.0, 1.0), 2.0), ((1.0, -2.0), 0.2))
"""Normals and levels of two lines in the plane."""
SPACE_START = np.array([0.4, 1.5, 2.5])
PLANES = (((1.0, 1.0, 1.0), 3.0), ((1.0, -1.0, 0.5), 0.4))


def plan(done: Trials, steps: int) -> list[Case]:
    """The plane with two distances, and the space."""
    losses = ("squared", "exponential")
    return [{"part": "plane", "loss": loss, "steps": steps} for loss in losses] + [
        {"part": "space", "loss": loss, "steps": 40 * steps} for loss in losses
    ]


def trial(part: str, loss: str, steps: int) -> Result:
    """Projections in turn from one start."""
    start, lines = (START, LINES) if part == "plane" else (SPACE_START, PLANES)
    point, path, distances = start, [start], []
    normals = np.array([normal for normal, _ in lines]).T
    levels = np.array([level for _, level in lines])
    for step in range(steps):
        normal, level = lines[step % 2]
        point = bregman_project(point, normal, level, loss).point
        path.append(point)
        distances.append(float(np.abs(normals.T @ point - levels).max()))
    limit = nearest(start, normals, levels, loss)
    whole = bregman_algorithm(loss, normals, start=start, levels=levels, max_steps=5000, tol=1e-14)
    return {
        "path": np.array(path[: 1 + 12]),
        "violation": distances,
        "limit": limit,
        "apart": float(np.abs(path[-1] - limit).max()),
        "algorithm apart": float(np.abs(whole.weights - limit).max()),
    }


def nearest(start: Array, normals: Array, levels: Array, loss: str) -> Array:
    """Feasible point of least distance to the start, by a general solver."""

    def distance(d: Array) -> float:
        if loss == "squared":
            return float(0.5 * np.sum((d - start) ** 2))
        return float(np.sum(d * np.log(d / start) - d + start))

    constraint = {"type": "eq", "fun": lambda d: normals.T @ d - levels}
    bounds = [(1e-9, None)] * len(start)
    settings: dict[str, Any] = {"bounds": bounds, "constraints": constraint, "tol": 1e-14}
    return minimize(distance, np.ones(len(start)), method="SLSQP", **settings).x


def tables(trials: Trials) -> Iterator[Comparison]:
    """Where projections in turn end, and what a general solver finds."""
    rows = [
        (
            f"{case['part']}, {'entropy' if case['loss'] == 'exponential' else 'Euclidean'}",
            ", ".join(f"{value:.4f}" for value in found["limit"]),
            f"{found['apart']:.0e}",
            f"{found['algorithm apart']:.0e}",
        )
        for case, found in trials
    ]
    columns = ("nearest feasible point", "projections in turn off by", "Bregman algorithm off by")
    yield Comparison("Projections onto two hyperplanes", columns, rows)


def findings(trials: Trials) -> Iterator[Finding]:
    """Theorem of Bregman (R1-C43): the limit is the nearest feasible point."""
    apart = trials.array("algorithm apart").max()
    claim = "the Bregman algorithm ends at the feasible point nearest to its start"
    yield Finding(claim, apart < 1e-5, f"off by {apart:.0e} at most")
    first = [np.array(found["path"])[1] for _, found in trials.where(part="plane")]
    claim = "projections of one point onto one line differ between the distances"
    evidence = " and ".join("({:.2f}, {:.2f})".format(*point) for point in first)
    yield Finding(claim, np.abs(first[0] - first[1]).max() > 0.02, evidence)
    ends = [np.array(found["limit"]) for _, found in trials.where(part="space")]
    claim = "in space the limits differ too: each is nearest in its own distance"
    yield Finding(claim, np.abs(ends[0] - ends[1]).max() > 0.01)


def draw(trials: Trials, figure: Any) -> None:
    """Fig. 3.1: the gap; Fig. 3.2: two projections; Fig. 3.3: projections in turn."""
    from marginboost.diagnostics.displays.style import BLUE, GREY, INK, ORANGE, plain

    gap, two, path = figure.subplots(1, 3)
    x = np.linspace(0.05, 2.6, 200)
    curve, at, other = x * np.log(x) - x, 0.8, 2.1
    tangent = at * np.log(at) - at + np.log(at) * (x - at)
    gap.plot(x, curve, color=BLUE)
    gap.plot(x, tangent, color=GREY, linestyle="--")
    ends = [np.log(at) * (other - at) + at * np.log(at) - at, other * np.log(other) - other]
    gap.plot([other, other], ends, color=ORANGE, linewidth=2)
    gap.annotate("Δ(x, y)", (other, np.mean(ends)), xytext=(6, 0), textcoords="offset points")
    gap.set(title="distance: gap above a tangent", xlabel="x")
    line = np.linspace(-0.2, 2.6, 2)
    for ax in (two, path):
        for normal, level in LINES[: 1 if ax is two else 2]:
            ax.plot(line, (level - normal[0] * line) / normal[1], color=INK, linewidth=1)
    for case, found in trials.where(part="plane"):
        color = ORANGE if case["loss"] == "exponential" else BLUE
        name = "entropy" if case["loss"] == "exponential" else "Euclidean"
        points = np.array(found["path"])
        two.plot(*points[:2].T, "o-", color=color, label=name, markersize=4)
        path.plot(*points.T, "o-", color=color, label=name, markersize=3, linewidth=1)
    two.set(title="projections of one point")
    path.set(title="projections in turn")
    for ax in (gap, two, path):
        ax.title.set_fontsize(10)
        plain(ax)
        if ax is not gap:
            ax.set(xlim=(0, 2.4), ylim=(0, 2.4), aspect="equal")
            ax.legend(frameon=False, fontsize=8)


EXPERIMENT = Experiment(
    plan,
    trial,
    tables,
    findings,
    sizes={"tiny": {"steps": 20}, "quick": {"steps": 60}, "full": {"steps": 200}},
    draw=draw,
    figure_size=(10.5, 3.4),
    catalogue=("R1-E13", "R1-E14", "R1-E15"),
)
