"""``stream``: a table that is generated batch by batch, binned and fitted, and the memory it takes.

``python -m benchmarks.stream ROWS`` measures one size in a process of its own and prints JSON: the
peak of the process, everything included, after binning and after a fit of 100 stumps. Cuts and
codes are compared with those of rows in memory: cuts with those of the evenly spaced rows that
quantiles are taken from, codes with those of two batches binned by themselves. Values are uniform
draws, every fourth column whole numbers: batches that are made three times must cost little.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from .data import LABEL_NOISE, Array
from .environment import ROOT
from .memory import max_rss
from .report import Goal, Section, Table
from .sizes import Sizes

FEATURES = 28
ROUNDS = 100
BATCH = 1 << 16
FULL_ROWS = 100_000_000
"""Rows that the goals are stated for; of fewer, two sizes tell what so many would take."""
GIGABYTE = 1e9


def stream(sizes: Sizes) -> Section:
    """Peak memory and time of a streamed table."""
    section = Section("stream")
    rows = sizes.stream_rows
    found = [_measure(n) for n in ([rows] if rows >= FULL_ROWS else [rows // 2, rows])]
    columns = ["rows", "binning s", "fit s", "binning peak GB", "fit peak GB", "same as in memory"]
    table = Table(f"{FEATURES} generated features, {ROUNDS} stumps", columns)
    for one in found:
        peaks = [one[name] / GIGABYTE for name in ("bins_peak", "fit_peak")]
        times = [one["bins_seconds"], one["fit_seconds"]]
        table.rows.append([one["rows"], *times, *peaks, str(one["same"])])
    section.tables = [table]
    section.goals = [
        Goal(
            "codes and cuts are those in memory", float(all(one["same"] for one in found)), ">=", 1
        ),
        Goal("peak of binning 10⁸ rows", _at_full(found, "bins_peak"), "<=", 4.5, " GB"),
        Goal("peak of 100 stumps on them", _at_full(found, "fit_peak"), "<=", 8.0, " GB"),
    ]
    if rows < FULL_ROWS:
        section.notes.append(f"peaks of 10⁸ rows are a line through {found[0]['rows']} and {rows}")
    return section


def _at_full(found: list[dict[str, Any]], peak: str) -> float:
    if len(found) == 1:
        return found[0][peak] / GIGABYTE
    (small, few), (large, many) = ((one["rows"], one[peak]) for one in found)
    return (many + (many - few) / (large - small) * (FULL_ROWS - large)) / GIGABYTE


def _measure(rows: int) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.stream", str(rows)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} failed:\n{done.stderr}")
    return json.loads(done.stdout)


def _batch(number: int, rows: int) -> Array:
    """Rows of one batch, the label last."""
    X = np.random.default_rng(number).random((min(BATCH, rows - number * BATCH), FEATURES + 1))
    effects = np.zeros(FEATURES)
    effects[::3] = 1.0
    flipped = X[:, FEATURES] < LABEL_NOISE
    X[:, FEATURES] = (X[:, :FEATURES] @ effects > effects.sum() / 2.0) ^ flipped
    X[:, 3::4] = np.floor(20.0 * X[:, 3::4])
    return X


def _batches(rows: int) -> Iterator[Array]:
    for number in range(-(-rows // BATCH)):
        yield _batch(number, rows)


def _main(rows: int) -> None:
    from marginboost import AdaBoostClassifier, Batches, BinnedMatrix

    from .peers import US, warm_up

    warm_up([US])
    label = f"x{FEATURES}"
    started = time.perf_counter()
    bins = BinnedMatrix.from_batches(Batches(lambda: _batches(rows), n_rows=rows), label=label)
    answer = {"rows": rows, "bins_seconds": time.perf_counter() - started, "bins_peak": max_rss()}
    started = time.perf_counter()
    labels = bins.labels.astype(np.int8)  # the column was one of an array of floating-point numbers
    bins.labels = None
    AdaBoostClassifier(n_estimators=ROUNDS).fit(bins, labels)
    answer |= {"fit_seconds": time.perf_counter() - started, "fit_peak": max_rss()}
    print(json.dumps(answer | {"same": _same(bins, rows)}))


def _same(bins: Any, rows: int) -> bool:
    """Whether cuts and codes are those of rows in memory."""
    from marginboost import BinnedMatrix
    from marginboost.data.binned import sample_rows

    sampled = sample_rows(rows)
    sampled = np.arange(rows) if sampled is None else sampled
    some = []
    for number, batch in enumerate(_batches(rows)):
        places = sampled[(sampled >= number * BATCH) & (sampled < (number + 1) * BATCH)]
        some.append(batch[places - number * BATCH, :FEATURES])
    cuts = BinnedMatrix.from_data(np.concatenate(some)).cuts
    same = all(np.array_equal(*pair) for pair in zip(cuts, bins.cuts, strict=True))
    for number in (0, (rows - 1) // BATCH):
        alone = bins.bin(_batch(number, rows)[:, :FEATURES]).codes
        part = bins.codes[:, number * BATCH : number * BATCH + alone.shape[1]]
        same = same and np.array_equal(alone, part)
    return same


if __name__ == "__main__":
    _main(int(sys.argv[1]))
