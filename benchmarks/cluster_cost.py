"""What a cluster costs beside threads, and what its rounds are made of: part of ``dask``.

Two workers of one thread are compared with two threads, on a large table and on one where talk
takes longer than work. Questions and bytes of answers are counted, and with them and the measured
times a model says how long a round takes with more workers.
"""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from .data import synthetic
from .report import Goal, Section, Table
from .sizes import Sizes

BANDWIDTH = 1e9
"""Bytes per second that a client receives, in the model."""
WORKERS = (10, 100, 1000)
"""Numbers of workers that the model speaks of."""


class Talk:
    """Questions that were asked, and bytes that answers took."""

    def __init__(self) -> None:
        self.questions, self.bytes, self.seconds = 0, 0, 0.0


class Cost(NamedTuple):
    """One algorithm on one table: seconds with threads and on the cluster, and what was said."""

    alone: float
    cluster: float
    talk: Talk
    rounds: int

    @property
    def added(self) -> float:
        """Milliseconds that a round takes longer."""
        return 1e3 * (self.cluster - self.alone) / self.rounds


@contextmanager
def overheard() -> Iterator[Talk]:
    """Count questions and answers of all fits on clusters meanwhile."""
    from marginboost.dask.holders import DaskParts

    talk, each = Talk(), DaskParts.each

    def asking(parts: Any, question: Any, *args: Any) -> Any:
        started = time.perf_counter()
        answers = each(parts, question, *args)
        talk.seconds += time.perf_counter() - started
        talk.questions += 1
        talk.bytes += len(pickle.dumps(answers))
        return answers

    DaskParts.each = asking  # type: ignore[method-assign]
    try:
        yield talk
    finally:
        DaskParts.each = each  # type: ignore[method-assign]


def _algorithms(rounds: int) -> dict[str, tuple[Callable[..., Any], Callable[..., Any]]]:
    """Estimators of one machine with two threads, and of a cluster."""
    from marginboost import AdaBoostClassifier, GradientBoostClassifier, LPBoostClassifier
    from marginboost import dask as ours

    return {
        "stumps": (
            lambda: AdaBoostClassifier(n_estimators=rounds, n_jobs=2),
            lambda client: ours.DaskAdaBoostClassifier(n_estimators=rounds, client=client),
        ),
        "gradient trees": (
            lambda: GradientBoostClassifier(n_estimators=rounds, n_jobs=2),
            lambda client: ours.DaskGradientBoostClassifier(n_estimators=rounds, client=client),
        ),
        "LPBoost": (
            lambda: LPBoostClassifier(
                n_estimators=max(2, rounds // 10), n_jobs=2, solver="smooth", tol=None, nu=0.6
            ),
            lambda client: ours.DaskLPBoostClassifier(
                n_estimators=max(2, rounds // 10), tol=None, nu=0.6, client=client
            ),
        ),
    }


def _seconds(fit: Callable[[], Any]) -> tuple[float, Any]:
    started = time.perf_counter()
    model = fit()
    return time.perf_counter() - started, model


def _measure(client: Any, shape: tuple[int, int], rounds: int, names: list[str]) -> dict[str, Cost]:
    """Cost of algorithms on a table, binned anew by both."""
    import dask.array as da

    n, d = shape
    X, y = synthetic(n, d)
    rows = da.from_array(X, chunks=(-(-n // 2), d)), da.from_array(y, chunks=-(-n // 2))
    found = {}
    for name in names:
        for made in (2, rounds):  # first to load and compile
            local, on_cluster = _algorithms(made)[name]
            alone, _ = _seconds(lambda make=local: make().fit(X, y))
            with overheard() as talk:
                cluster, model = _seconds(lambda make=on_cluster: make(client).fit(*rows))
        found[name] = Cost(alone, cluster, talk, int(model.n_iter_))
    return found


def cost(section: Section, sizes: Sizes) -> None:
    """Add what a cluster costs to a section."""
    from distributed import Client, LocalCluster

    columns = ["algorithm", "rows", "two threads s", "2 × 1 cluster s", "ratio", "added ms/round"]
    table = Table("cost of a cluster", [*columns, "questions/round", "bytes/round"])
    settings = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    measured: dict[str, Cost] = {}
    shapes = (sizes.cluster_cost_shape, sizes.cluster_latency_shape)
    with LocalCluster(**settings, memory_limit=0) as cluster, Client(cluster) as client:
        for shape in shapes:
            names = ["stumps", "gradient trees", *(["LPBoost"] if shape is shapes[1] else [])]
            for name, one in _measure(client, shape, sizes.cluster_rounds, names).items():
                ratio, asked = one.cluster / one.alone, one.talk.questions / one.rounds
                spoken = one.talk.bytes / one.rounds
                times = [one.alone, one.cluster, ratio, one.added]
                table.rows.append([name, shape[0], *times, asked, spoken])
                measured[f"{name}, {shape[0]:,}"] = one
                if shape is shapes[0]:
                    section.goals.append(Goal(f"{name} on 2 × 1", ratio, "<=", 1.25, " ×"))
                elif name == "stumps":
                    section.goals.append(Goal("added to a round", one.added, "<=", 4.0, " ms"))
    section.tables.append(table)
    section.tables.append(_model(measured, sizes))


def _model(measured: dict[str, Cost], sizes: Sizes) -> Table:
    """Seconds of a round with more workers, from what was measured with two."""
    n, d = sizes.cluster_cost_shape
    title = f"a round of {n:,} × {d} by the model, ms; answers at {BANDWIDTH:.0e} bytes/s"
    table = Table(title, ["algorithm", "work, 1 worker", "question", *map(str, WORKERS)])
    for name in ("stumps", "gradient trees"):
        large = measured[f"{name}, {n:,}"]
        small = measured[f"{name}, {sizes.cluster_latency_shape[0]:,}"]
        work = 2e3 * large.alone / large.rounds  # two threads made it
        trip = 1e3 * small.talk.seconds / small.talk.questions
        asked, spoken = large.talk.questions / large.rounds, large.talk.bytes / large.rounds / 2.0
        found = [work / w + asked * trip + 1e3 * w * spoken / BANDWIDTH for w in WORKERS]
        table.rows.append([name, work, trip, *found])
    return table
