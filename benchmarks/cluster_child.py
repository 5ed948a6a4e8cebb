"""One line of ``dask``, in a process of its own that can be ended: see :mod:`.cluster_lines`.

``python -m benchmarks.cluster_child LINE FILE`` does what LINE, a JSON object, asks for, and writes
what it found to FILE, as JSON. Rows are made on the workers, so that they can be made anew there;
they are there, as raw partitions, before the clock starts. Everybody fits once before, with two
rounds, to load and compile. The cluster is not closed, which may hang too: who began the process
ends it with all its workers.
"""

from __future__ import annotations

import json
import os
import pickle
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from .data import TEST, Array, synthetic

TEST_ROWS = 10_000
FEW = 2
"""Rounds of fits that load and compile."""
Predict = Callable[[Array], Array]
"""From rows to probabilities of the second class."""
Fit = Callable[[Any, Any, Any, int], Predict]
"""From client, rows, labels and rounds to probabilities; on one machine the client is None."""


# -- contenders ------------------------------------------------------------------------------------


def _ours(client: Any, X: Any, y: Any, rounds: int) -> Predict:
    from marginboost import GradientBoostClassifier
    from marginboost.dask import DaskGradientBoostClassifier

    if client is None:
        return _chances(GradientBoostClassifier(n_estimators=rounds, n_jobs=2).fit(X, y))
    return _chances(DaskGradientBoostClassifier(n_estimators=rounds, client=client).fit(X, y))


def _stumps(client: Any, X: Any, y: Any, rounds: int) -> Predict:
    from marginboost import AdaBoostClassifier
    from marginboost.dask import DaskAdaBoostClassifier

    if client is None:
        return _chances(AdaBoostClassifier(n_estimators=rounds, n_jobs=2).fit(X, y))
    return _chances(DaskAdaBoostClassifier(n_estimators=rounds, client=client).fit(X, y))


def _soft_margin(client: Any, X: Any, y: Any, rounds: int) -> Predict:
    from marginboost import LPBoostClassifier
    from marginboost.dask import DaskLPBoostClassifier

    settings: dict[str, Any] = {"n_estimators": max(2, rounds // 10), "tol": None, "nu": 0.6}
    if client is None:
        return _chances(LPBoostClassifier(n_jobs=2, solver="smooth", **settings).fit(X, y))
    return _chances(DaskLPBoostClassifier(client=client, **settings).fit(X, y))


def _xgboost(client: Any, X: Any, y: Any, rounds: int) -> Predict:
    from xgboost.dask import DaskXGBClassifier

    model = DaskXGBClassifier(
        n_estimators=rounds, max_leaves=31, max_depth=0, grow_policy="lossguide", learning_rate=0.1
    )
    model.client = client
    model.fit(X, y)
    return lambda rows: np.asarray(model.get_booster().inplace_predict(rows))


def _lightgbm(client: Any, X: Any, y: Any, rounds: int) -> Predict:
    from lightgbm import DaskLGBMClassifier

    model = DaskLGBMClassifier(n_estimators=rounds, num_leaves=31, client=client, verbose=-1)
    return _chances(model.fit(X, y).to_local())


def _chances(model: Any) -> Predict:
    local = model.to_local() if hasattr(model, "local_") else model

    def predict(rows: Array) -> Array:
        return np.asarray(local.predict_proba(rows)[:, 1])

    members = getattr(local, "estimators_", ())
    depths = [depth for depth in (getattr(one, "depth", 0) for one in members) if depth]
    predict.rounds = getattr(local, "n_iter_", None)  # type: ignore[attr-defined]
    predict.depth = float(np.mean(depths)) if depths else None  # type: ignore[attr-defined]
    return predict


CONTENDERS: dict[str, Fit] = {
    "marginboost.dask": _ours,
    "xgboost.dask": _xgboost,
    "lightgbm.dask": _lightgbm,
    "stumps": _stumps,
    "LPBoost": _soft_margin,
}


# -- rows and clusters -----------------------------------------------------------------------------


def block(number: int, n_rows: int, n_features: int) -> tuple[Array, Array]:
    """Rows and labels of one partition."""
    return synthetic(n_rows, n_features, seed=number)


def rows_in_memory(shape: tuple[int, int], n_parts: int) -> tuple[Array, Array]:
    """All partitions, one after the other."""
    sizes = _sizes(shape[0], n_parts)
    X, y = np.empty(shape), np.empty(shape[0], np.int64)
    ends = np.cumsum(sizes)
    for number, (size, end) in enumerate(zip(sizes, ends, strict=True)):
        X[end - size : end], y[end - size : end] = block(number, size, shape[1])
    return X, y


def rows_on_cluster(client: Any, shape: tuple[int, int], n_parts: int) -> tuple[Any, Any]:
    """The same as Dask arrays, whose partitions are on the workers, and can be made anew."""
    import dask.array as da
    from distributed import wait

    from dask import delayed

    rows, labels = [], []
    for number, size in enumerate(_sizes(shape[0], n_parts)):
        X, y = delayed(block, nout=2)(number, size, shape[1])
        rows.append(da.from_delayed(X, (size, shape[1]), float))
        labels.append(da.from_delayed(y, (size,), np.int64))
    made = client.persist([da.concatenate(rows), da.concatenate(labels)])
    wait(made)
    return made[0], made[1]


def _sizes(n_rows: int, n_parts: int) -> list[int]:
    return [len(part) for part in np.array_split(np.empty(n_rows), n_parts)]


def start_cluster(n_workers: int) -> Any:
    """Client of a local cluster, one thread for each worker."""
    from distributed import Client, LocalCluster

    settings = {"threads_per_worker": 1, "dashboard_address": None, "memory_limit": 0}
    return Client(LocalCluster(n_workers=n_workers, **settings))


# -- what lines measure ----------------------------------------------------------------------------


def fit(line: dict[str, Any], path: Path) -> None:
    """Seconds of a fit; without workers it is one on this machine, with two threads."""
    make, shape, n_parts = CONTENDERS[line["contender"]], tuple(line["shape"]), line["parts"]
    if not line["workers"]:
        X, y = rows_in_memory(shape, n_parts)
        make(None, X[:2000], y[:2000], FEW)
        _time(lambda rounds: make(None, X, y, rounds), line, path)
        return
    client = start_cluster(line["workers"])
    rows = rows_on_cluster(client, shape, n_parts)
    make(client, *rows, FEW)
    _time(lambda rounds: make(client, *rows, rounds), line, path)


def _time(task: Callable[[int], Predict], line: dict[str, Any], path: Path) -> None:
    """Time a fit, and one with few rounds: what both take alike is not of the rounds."""
    times, few, test = [], [], synthetic(TEST_ROWS, line["shape"][1], TEST)[0]
    for _ in range(line.get("repeats", 1)):
        started, worked = time.perf_counter(), time.process_time()
        task(FEW)
        few.append(time.perf_counter() - started)
        little = time.process_time() - worked
        with overheard() as talk:
            started, worked = time.perf_counter(), time.process_time()
            predict = task(line["rounds"])
            times.append(time.perf_counter() - started)
            worked = time.process_time() - worked
    chances = path.with_suffix(".npy")
    np.save(chances, predict(test))
    rounds = int(getattr(predict, "rounds", None) or line["rounds"])
    more = max(1, rounds - FEW)
    by_round = max(0.0, min(times) - min(few)) / more
    found = {"seconds": min(times), "by_round": by_round, "work": max(0.0, worked - little) / more}
    found |= {"rounds": rounds, "depth": getattr(predict, "depth", None)}
    path.write_text(json.dumps({**found, "chances": chances.name, **talk}))


@contextmanager
def overheard() -> Iterator[dict[str, Any]]:
    """Count trips and bytes of answers of our fits meanwhile, and the quickest trip."""
    from marginboost.dask.holders import DaskParts

    talk: dict[str, Any] = {"questions": 0, "bytes": 0, "shortest": None}
    ask = DaskParts.ask

    def asking(parts: Any, asked: Any, method: str, *args: Any) -> Any:
        started = time.perf_counter()
        answers = ask(parts, asked, method, *args)
        if method != "ask":
            return answers
        took = time.perf_counter() - started
        talk["shortest"] = took if talk["shortest"] is None else min(talk["shortest"], took)
        talk["questions"] += 1
        if talk["questions"] % SAMPLED == 0:  # weighing them all would be measured too
            talk["bytes"] += SAMPLED * len(pickle.dumps(answers))
        return answers

    DaskParts.ask = asking  # type: ignore[method-assign]
    try:
        yield talk
    finally:
        DaskParts.ask = ask  # type: ignore[method-assign]


SAMPLED = 7
"""One in so many answers is weighed."""


def loss(line: dict[str, Any], path: Path) -> None:
    """Kill a worker at given moments, as shares of an undisturbed fit, each in a fit of its own."""
    make, shape = CONTENDERS[line["contender"]], tuple(line["shape"])
    found: list[dict[str, Any]] = []
    test = synthetic(TEST_ROWS, shape[1], TEST)[0]
    client = start_cluster(line["workers"])
    rows = rows_on_cluster(client, shape, line["parts"])
    make(client, *rows, FEW)
    started = time.perf_counter()
    predict = make(client, *rows, line["rounds"])
    alone, chances = time.perf_counter() - started, predict(test)
    for moment in line["moments"]:
        del rows  # they are where the survivor is
        client.shutdown()  # one that is lost again 15 s later is given up for good
        client = start_cluster(line["workers"])
        rows = rows_on_cluster(client, shape, line["parts"])
        make(client, *rows, FEW)
        one, other = _killed(client, make, rows, line["rounds"], moment * alone)
        if other is not None:
            one["apart"] = float(np.abs(other(test) - chances).max())
        found.append({"moment": moment, **one})
        path.write_text(json.dumps({"alone": alone, "fits": found}))


def _killed(
    client: Any, make: Fit, rows: Any, rounds: int, moment: float
) -> tuple[dict[str, Any], Predict | None]:
    """How a fit goes that loses a worker after so many seconds."""
    pids = client.run(os.getpid)
    kill = threading.Timer(moment, os.kill, (pids[min(pids)], signal.SIGKILL))
    started = time.perf_counter()
    kill.start()
    predict, outcome = None, "fitted"
    try:
        predict = make(client, *rows, rounds)
    except Exception as error:  # what users see is what is measured
        outcome = f"{type(error).__name__}: {str(error).splitlines()[0][:60] if str(error) else ''}"
    seconds = time.perf_counter() - started
    kill.cancel()
    kill.join()
    return {"outcome": outcome, "seconds": seconds}, predict


def main(line: dict[str, Any], path: Path) -> None:
    """Measure one line."""
    warnings.simplefilter("ignore")
    try:
        {"fit": fit, "loss": loss}[line["what"]](line, path)
    except ImportError as error:
        path.write_text(json.dumps({"skipped": str(error)}))


if __name__ == "__main__":
    main(json.loads(sys.argv[1]), Path(sys.argv[2]))
    os._exit(0)
