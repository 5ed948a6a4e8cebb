"""Gradient boosting on a local Dask cluster beside one machine and other libraries: ``dask``.

For each number of workers the seconds of a fit from raw partitions, and by how much predicted
probabilities differ from those of the smallest number. Then a worker is killed half-way through a
fit, and ours at ten random moments. At last what a cluster of two workers costs beside two threads
(:mod:`.cluster_cost`). Every line is measured in a process of its own (:mod:`.cluster_lines`).
"""

from __future__ import annotations

import numpy as np

from .cluster_cost import cost
from .cluster_lines import Found, Line, Lines
from .report import Goal, Section, Table
from .sizes import Sizes

OURS = "marginboost.dask"
CONTENDERS = (OURS, "xgboost.dask", "lightgbm.dask")
PARTS = 6
"""Partitions, which numbers of workers divide."""
MOST_RATIO = 1.5
"""Times as long as undisturbed a fit that loses a worker may take."""


def dask(sizes: Sizes) -> Section:
    """Time, sameness, what a lost worker does, and what a cluster costs."""
    section, lines = Section("dask", unknown_load=True), Lines(sizes.cluster_limit)
    _sameness(section, sizes, lines)
    _one_loss(section, sizes, lines)
    _random_losses(section, sizes, lines)
    cost(section, sizes, lines)
    section.notes.append(
        "differences are the largest of predicted probabilities, from those of the first number of "
        "workers, ours from one machine; a killed worker is one of two, and a ratio that to the "
        "same fit undisturbed"
    )
    return section


def dask_cost(sizes: Sizes) -> Section:
    """What a cluster costs, alone; ``dask`` takes over what was found, until code changes."""
    section = Section("dask_cost", unknown_load=True)
    cost(section, sizes, Lines(sizes.cluster_limit))
    return section


def _line(sizes: Sizes, contender: str, workers: int) -> Line:
    what: Line = {"what": "fit", "contender": contender, "workers": workers}
    about = {"shape": list(sizes.cluster_shape), "parts": PARTS, "rounds": sizes.cluster_rounds}
    return {**what, **about}


def _loss(sizes: Sizes, contender: str, moments: list[float]) -> Line:
    line = _line(sizes, contender, 2)
    return {**line, "what": "loss", "shape": list(sizes.cluster_loss_shape), "moments": moments}


def why_not(section: Section, about: str, found: Found) -> bool:
    """Note why a line has no numbers, if so."""
    for word in ("skipped", "failed"):
        if word in found:
            section.skipped.append(f"{about}: {found[word]}")
            return True
    return False


def _sameness(section: Section, sizes: Sizes, lines: Lines) -> None:
    (n, d), rounds = sizes.cluster_shape, sizes.cluster_rounds
    title = f"fit of {n:,} × {d} from raw partitions, {rounds} rounds"
    table = Table(title, ["contender", "workers", "seconds", "largest difference"])
    times: dict[str, list[float]] = {}
    for name in CONTENDERS:
        first = None
        for workers in (*((0,) if name == OURS else ()), *sizes.cluster_workers):
            found = lines.measure(_line(sizes, name, workers))
            label = name if workers else "one machine"
            if why_not(section, f"{label}, {workers} workers", found):
                continue
            chances = lines.chances(found)
            if chances is None:
                table.rows.append([label, workers, None, None])
                section.skipped.append(f"{label}, {workers} workers: hangs")
                continue
            first = chances if first is None else first
            apart = float(np.abs(chances - first).max())
            table.rows.append([label, workers, found["seconds"], apart])
            times[f"{label}, {workers}"] = [found["seconds"]]
            if name == OURS and workers:
                what = f"difference from one machine, {workers} workers"
                section.goals.append(Goal(what, apart, "<=", 0.0))
    section.tables.append(table)
    section.times[title] = times


def _one_loss(section: Section, sizes: Sizes, lines: Lines) -> None:
    """Kill one of two workers half-way through a fit."""
    columns = ["contender", "outcome", "seconds", "ratio", "largest difference"]
    (n, d), rounds = sizes.cluster_loss_shape, sizes.cluster_rounds
    table = Table(f"a worker killed half-way, {n:,} × {d}, {rounds} rounds", columns)
    for name in CONTENDERS:
        line = _loss(sizes, name, [0.5])
        found = lines.measure(line, sizes.cluster_patience)
        if why_not(section, f"{name}, a worker killed", found):
            continue
        if not found.get("fits"):
            table.rows.append([name, f"hangs, ended after {found['hangs']:g} s", None, None, None])
            continue
        (one,) = found["fits"]
        ratio = one["seconds"] / found["alone"] if one["outcome"] == "fitted" else None
        table.rows.append([name, one["outcome"], one["seconds"], ratio, one.get("apart")])
        if name == OURS:
            section.goals += [
                Goal("time with a worker killed half-way", ratio, "<=", MOST_RATIO, " ×"),
                Goal("difference with a worker killed half-way", one.get("apart"), "<=", 0.0),
            ]
    section.tables.append(table)


def _random_losses(section: Section, sizes: Sizes, lines: Lines) -> None:
    """Kill one of two workers at random moments, each in a fit of its own."""
    moments = np.random.default_rng(0).uniform(0.0, 1.0, sizes.cluster_losses).round(3).tolist()
    found = lines.measure(_loss(sizes, OURS, moments), sizes.cluster_patience * (1 + len(moments)))
    if why_not(section, "workers killed at random", found):
        return
    columns = ["moment, share of the fit", "outcome", "seconds", "ratio", "largest difference"]
    table = Table(f"{OURS}, a worker killed at random moments", columns)
    fits = found.get("fits", [])
    for one in fits:
        ratio = one["seconds"] / found["alone"]
        table.rows.append(
            [f"{one['moment']:.2f}", one["outcome"], one["seconds"], ratio, one.get("apart")]
        )
    section.tables.append(table)
    ratios = [float(row[3]) for row in table.rows]  # type: ignore[arg-type]
    ended = float(sum(one["outcome"] == "fitted" for one in fits))
    apart = max((one.get("apart", np.inf) for one in fits), default=None)
    section.goals += [
        Goal("random kills that the fit survived", ended, ">=", float(len(moments))),
        Goal("largest difference of these", apart, "<=", 0.0),
        Goal("mean time of these", float(np.mean(ratios)), "<=", MOST_RATIO, " ×"),
        Goal("longest time of these", max(ratios), "<=", MOST_RATIO, " ×"),
    ]
