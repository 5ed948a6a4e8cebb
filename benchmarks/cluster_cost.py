"""What a cluster costs beside threads, and what its rounds are made of: part of ``dask``.

Two workers of one thread are compared with two threads, on a large table and on one where talk
takes longer than work. Questions and bytes of answers are counted, and with them and the measured
times a model says how long a round takes with more workers.
"""

from __future__ import annotations

from typing import Any

from .cluster_lines import Found, Line, Lines
from .report import Cell, Goal, Section, Table
from .sizes import Shape, Sizes

TREES = "marginboost.dask"
NAMES = {"stumps": "stumps", "gradient trees": TREES, "LPBoost": "LPBoost"}
"""Our algorithms, and the contenders that they are."""
PEERS = ("xgboost.dask", "lightgbm.dask")
MOST_RATIO, MOST_MS = 1.25, 4.0
BANDWIDTH = 1e9
"""Bytes per second that a client receives, in the model."""
WORKERS = (10, 100, 1000)
"""Numbers of workers that the model speaks of."""


def cost(section: Section, sizes: Sizes, lines: Lines) -> None:
    """Add what a cluster costs to a section."""
    columns = ["algorithm", "rows", "two threads s", "2 × 1 cluster s", "ratio"]
    columns += ["added once s", "added ms/round"]
    table = Table("cost of a cluster, from raw partitions", columns)
    columns = ["algorithm", "rows", "work ms", "questions", "depth"]
    columns += ["shortest ms", "bytes of a worker"]
    talk = Table("what a round is made of", columns)
    large, small = sizes.cluster_cost_shape, sizes.cluster_latency_shape
    measured: dict[tuple[str, Shape], tuple[Found, Found]] = {}
    for name in NAMES:
        for shape in (large, small):
            if shape is large and name == "LPBoost":
                continue
            pair = [lines.measure(_line(sizes, NAMES[name], shape, k)) for k in (0, 2)]
            if any("seconds" not in found for found in pair):
                section.skipped.append(f"cost of {name}, {shape[0]:,} rows: {pair}"[:200])
                continue
            alone, cluster = measured[name, shape] = pair[0], pair[1]
            ratio = cluster["seconds"] / alone["seconds"]
            once, added = _added(alone, cluster)
            times: list[Cell] = [alone["seconds"], cluster["seconds"], ratio, once, added]
            table.rows.append([name, shape[0], *times])
            talk.rows.append([name, shape[0], *_talk(alone, cluster, shape is large)])
            if shape is large:
                section.goals.append(Goal(f"{name} on 2 × 1", ratio, "<=", MOST_RATIO, " ×"))
            elif name == "stumps":
                section.goals.append(Goal("added to a round", added, "<=", MOST_MS, " ms"))
    section.tables += [table, _peers(section, sizes, lines), talk, _model(measured, sizes)]


def _line(sizes: Sizes, contender: str, shape: Shape, workers: int) -> Line:
    large = shape is sizes.cluster_cost_shape
    rounds = sizes.cluster_cost_rounds if large else sizes.cluster_rounds
    what: Line = {"what": "fit", "contender": contender, "workers": workers, "parts": 2}
    return {**what, "shape": list(shape), "rounds": rounds, "repeats": 3}


def _added(alone: Found, cluster: Found) -> tuple[float, float]:
    """Seconds that a cluster adds to a fit once, and milliseconds that it adds to a round."""
    by_round = cluster["by_round"] - alone["by_round"]
    once = cluster["seconds"] - alone["seconds"] - cluster["rounds"] * by_round
    return once, 1e3 * by_round


def _talk(alone: Found, cluster: Found, large: bool) -> list[Cell]:
    """Work, questions, depth of the tree, quickest question and bytes of a worker, all by round.

    A small table has too little work to tell; of a large one, questions have some.
    """
    rounds = cluster["rounds"]
    work = 1e3 * alone["work"] if large else None
    shortest = None if large else 1e3 * cluster["shortest"]
    questions, spoken = cluster["questions"] / rounds, cluster["bytes"] / rounds / 2.0
    return [work, questions, cluster.get("depth"), shortest, spoken]


def _peers(section: Section, sizes: Sizes, lines: Lines) -> Table:
    """Gradient trees of all libraries on the same cluster."""
    (n, d), rounds = sizes.cluster_cost_shape, sizes.cluster_cost_rounds
    title = f"gradient trees on 2 × 1, {n:,} × {d} from raw partitions, {rounds} rounds"
    table = Table(title, ["contender", "seconds", "times ours"])
    ours = None
    for name in (TREES, *PEERS):
        found = lines.measure(_line(sizes, name, sizes.cluster_cost_shape, 2))
        if "seconds" not in found:
            section.skipped.append(f"cost of {name}: {found}"[:200])
            continue
        ours = found["seconds"] if ours is None else ours
        table.rows.append([name, found["seconds"], found["seconds"] / ours])
    if len(table.rows) > 1 and table.rows[0][0] == TREES:
        least = min(float(row[2]) for row in table.rows[1:])  # type: ignore[arg-type]
        section.goals.append(Goal("fastest peer / us, gradient trees on 2 × 1", least, unit=" ×"))
    return table


def _model(measured: dict[Any, tuple[Found, Found]], sizes: Sizes) -> Table:
    """Milliseconds of a round with more workers, from what was measured with two."""
    large, small = sizes.cluster_cost_shape, sizes.cluster_latency_shape
    title = f"a round of {large[0]:,} × {large[1]} by the model, ms"
    table = Table(title, ["algorithm", *(f"{w} workers" for w in (1, *WORKERS))])
    for name in ("stumps", "gradient trees"):
        if (name, large) not in measured or (name, small) not in measured:
            continue
        alone, cluster = measured[name, large]
        trip = 1e3 * measured[name, small][1]["shortest"]
        rounds, work = cluster["rounds"], 1e3 * alone["work"]
        asked, spoken = cluster["questions"] / rounds, cluster["bytes"] / rounds / 2.0
        found = [work / w + asked * trip + 1e3 * w * spoken / BANDWIDTH for w in (1, *WORKERS)]
        table.rows.append([name, *found])
    return table
