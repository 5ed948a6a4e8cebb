"""Time of a fit to noisy labels, beside cleanlab around LightGBM.

``python -m benchmarks.robust_times`` writes ``docs/results/robust_times.json.gz``, from which the
``robust`` benchmark has its goals about time. Contenders take turns. Processor seconds are those of
one thread each, as threads that wait for work may spin, and that counts as time of whoever has many
of them; wall seconds are those of the number of threads that each takes if it is not told.
"""

from __future__ import annotations

import time
from functools import partial
from typing import Any

import numpy as np

from marginboost_experiments.packed import read_json, write_json

from .environment import ROOT, environment
from .report import Cell, Goal, Table
from .robust import CLEANLAB, OURS, contenders, fit_quietly
from .robust_sets import Split, names, split
from .timing import interleave

TIMES = ROOT / "docs" / "results" / "robust_times.json.gz"
ROWS, RATE, REPEATS = (500, 1500), 0.2, 2
SMALL = 600
"""Rows that the table tells apart: below, what a round costs besides its rows is most of a fit."""
FEW = 120
"""Rows of the first fit, which is not timed."""
TIMED = (OURS, CLEANLAB)
CLOCKS = {
    "one thread each, processor seconds": (1, time.process_time),
    "default threads, wall seconds": (None, time.perf_counter),
}
"""Threads and clock of each way of measuring."""


def measure() -> dict[str, Any]:
    """Least seconds of a fit by clock, then case, then contender; and what they were taken on."""
    times: dict[str, dict[str, dict[str, float]]] = {}
    for clock, (n_jobs, tick) in CLOCKS.items():
        made = {name: maker for name, maker in contenders(n_jobs).items() if name in TIMED}
        fit = partial(fit_quietly, n_threads=n_jobs)
        for maker in made.values():
            fit(maker, split(names()[0], "uniform", RATE, 0, FEW))  # compiles and imports
        times[clock] = {}
        for case, data in _cases().items():
            tasks = {model: partial(fit, maker, data) for model, maker in made.items()}
            found, _ = interleave(tasks, REPEATS, tick)
            times[clock][case] = {model: min(seconds) for model, seconds in found.items()}
    made_on = environment()
    return {"load_average": made_on["load_average"], "environment": made_on, "times": times}


def _cases() -> dict[str, Split]:
    """Rows to learn from of all sets; sets with fewer rows than asked for are there once."""
    cases = {}
    for name in names():
        for rows in ROWS:
            data = split(name, "uniform", RATE, 0, rows)
            about = f"{len(data.noisy)} × {data.X.shape[1]}, {int(data.noisy.max()) + 1} classes"
            cases[f"{name}, {about}"] = data
    return cases


def time_table(found: dict[str, Any]) -> Table:
    """Our time over cleanlab's: all cases together, the median, the least and the largest."""
    table = Table(
        f"seconds of a fit, {RATE:.0%} uniform flips, at most {max(ROWS):,} rows to learn from",
        ["measured", "cases", OURS, CLEANLAB, "ratio", "median", "least", "largest"],
    )
    for clock, times in found["times"].items():
        small = [case for name, case in times.items() if _rows_of(name) <= SMALL]
        large = [case for name, case in times.items() if _rows_of(name) > SMALL]
        for which, cases in (
            ("", list(times.values())),
            (f", at most {SMALL} rows", small),
            (f", more than {SMALL} rows", large),
        ):
            ours, theirs = (np.array([case[model] for case in cases]) for model in TIMED)
            spread = [float(pick(ours / theirs)) for pick in (np.median, np.min, np.max)]
            total, other = float(ours.sum()), float(theirs.sum())
            row: list[Cell] = [f"{clock}{which}", len(cases), total, other, total / other]
            table.rows.append([*row, *spread])
    return table


def _rows_of(case: str) -> int:
    """Rows of a case, by its name."""
    return int(case.split(", ")[1].split()[0])


def time_goals(found: dict[str, Any]) -> list[Goal]:
    """Time of ours over that of cleanlab around LightGBM, all cases together."""
    ratios = {str(row[0]): row[4] for row in time_table(found).rows if row[0] in CLOCKS}
    return [
        Goal(f"time of ours / {CLEANLAB}, {clock}", ratio, "<=", 1.0)
        for clock, ratio in ratios.items()
        if isinstance(ratio, float)
    ]


def recorded() -> dict[str, Any] | None:
    """What was measured last, if anything."""
    if not TIMES.is_file():
        return None
    found: dict[str, Any] = read_json(TIMES)
    return found


def main() -> None:
    """Measure, and keep it."""
    if CLEANLAB not in contenders():
        raise SystemExit("cleanlab and lightgbm must be installed")
    write_json(TIMES, measure())


if __name__ == "__main__":
    main()
