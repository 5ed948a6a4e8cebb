"""Gradient boosting on a local Dask cluster beside one machine and other libraries: ``dask``.

For each number of workers the seconds of a fit from raw partitions, and by how much predicted
probabilities differ from those of the smallest number. Then a worker is killed in mid-fit. At last
what a cluster of two workers costs beside two threads, see :mod:`.cluster_cost`.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from .cluster_cost import cost
from .data import TEST, synthetic
from .report import Goal, Section, Table
from .sizes import Sizes

Fit = Callable[[Any, Any, Any, int], Callable[[Any], Any]]
"""From client, rows, labels and rounds to a function from rows to probabilities."""


def _ours(client: Any, X: Any, y: Any, rounds: int) -> Callable[[Any], Any]:
    from marginboost.dask import DaskGradientBoostClassifier

    model = DaskGradientBoostClassifier(n_estimators=rounds, client=client).fit(X, y)
    return lambda rows: model.to_local().predict_proba(rows)[:, 1]


def _xgboost(client: Any, X: Any, y: Any, rounds: int) -> Callable[[Any], Any]:
    from xgboost.dask import DaskXGBClassifier

    model = DaskXGBClassifier(
        n_estimators=rounds, max_leaves=31, max_depth=0, grow_policy="lossguide", learning_rate=0.1
    )
    model.client = client
    model.fit(X, y)
    return lambda rows: model.get_booster().inplace_predict(rows)


def _lightgbm(client: Any, X: Any, y: Any, rounds: int) -> Callable[[Any], Any]:
    from lightgbm import DaskLGBMClassifier

    model = DaskLGBMClassifier(n_estimators=rounds, num_leaves=31, client=client, verbose=-1)
    model.fit(X, y)
    return lambda rows: model.to_local().predict_proba(rows)[:, 1]


CONTENDERS: dict[str, Fit] = {
    "marginboost.dask": _ours,
    "xgboost.dask": _xgboost,
    "lightgbm.dask": _lightgbm,
}


def dask(sizes: Sizes) -> Section:
    """Time, sameness and what a lost worker does."""
    import dask.array as da
    from distributed import Client, LocalCluster

    from marginboost import GradientBoostClassifier

    section, (n, d), rounds = Section("dask"), sizes.cluster_shape, sizes.cluster_rounds
    X, y = synthetic(n, d)
    test, _ = synthetic(sizes.test_rows, d, TEST)
    started = time.perf_counter()
    local = GradientBoostClassifier(n_estimators=rounds).fit(X, y).predict_proba(test)[:, 1]
    alone = time.perf_counter() - started
    title = f"fit of {n:,} × {d}, {rounds} rounds"
    table = Table(title, ["contender", "workers", "seconds", "largest difference"])
    table.rows.append(["one machine", 0, alone, 0.0])
    times: dict[str, list[float]] = {"one machine": [alone]}
    first: dict[str, Any] = {"marginboost.dask": local}
    rows = da.from_array(X, chunks=(-(-n // 6), d)), da.from_array(y, chunks=-(-n // 6))
    for n_workers in sizes.cluster_workers:
        with (
            LocalCluster(
                n_workers=n_workers, threads_per_worker=1, dashboard_address=None
            ) as cluster,
            Client(cluster) as client,
        ):
            for name, fit in CONTENDERS.items():
                try:
                    fit(client, *rows, 2)  # workers load and compile what they need
                    started = time.perf_counter()
                    chances = np.asarray(fit(client, *rows, rounds)(test))
                except ImportError as error:
                    section.skipped.append(f"{name}, {n_workers} workers: {error}")
                    continue
                seconds = time.perf_counter() - started
                apart = float(np.abs(chances - first.setdefault(name, chances)).max())
                times.setdefault(f"{name}, {n_workers}", []).append(seconds)
                table.rows.append([name, n_workers, seconds, apart])
                if name == "marginboost.dask":
                    what = f"difference from one machine, {n_workers} workers"
                    section.goals.append(Goal(what, apart, "<=", 0.0))
    section.tables.append(table)
    section.times[title] = times
    section.tables.append(_with_a_loss(rows, sizes, times))
    cost(section, sizes)
    section.notes.append("differences are from the first number of workers; ours from one machine")
    return section


def _with_a_loss(rows: tuple[Any, Any], sizes: Sizes, times: dict[str, list[float]]) -> Table:
    """Kill one of two workers half-way through a fit."""
    from distributed import Client, LocalCluster

    table = Table("a worker killed half-way", ["contender", "outcome", "seconds"])
    for name, fit in CONTENDERS.items():
        known = [min(seconds) for key, seconds in times.items() if key.startswith(f"{name}, ")]
        if not known:
            continue
        with (
            LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
            Client(cluster) as client,
        ):
            fit(client, *rows, 2)
            pids = client.run(os.getpid)
            kill = threading.Timer(min(known) / 2.0, os.kill, (pids[min(pids)], signal.SIGKILL))
            outcome: list[str] = []

            def run(fit: Fit = fit, client: Any = client, outcome: list[str] = outcome) -> None:
                try:
                    fit(client, *rows, sizes.cluster_rounds)
                except Exception as error:  # what users see is what is measured
                    outcome.append(f"{type(error).__name__}: {str(error)[:60]}")
                else:
                    outcome.append("fitted")

            thread = threading.Thread(target=run, daemon=True)
            started = time.perf_counter()
            thread.start()
            kill.start()
            thread.join(sizes.cluster_patience)
            seconds = time.perf_counter() - started
            table.rows.append([name, outcome[0] if outcome else "hangs", seconds])
    return table
