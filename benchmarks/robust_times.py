"""Processor time of a fit to noisy labels, each contender on one thread.

``python -m benchmarks.robust_times`` writes ``docs/results/robust_times.json``, from which the
``robust`` benchmark has its goal about time. Threads that wait for work may spin: on a busy machine
that counts as processor time, so all contenders have one thread, and take turns.
"""

from __future__ import annotations

import json
import time
from functools import partial
from typing import Any

from .environment import ROOT, environment
from .report import Goal, Table
from .robust import CLEANLAB, OURS, contenders, fit_quietly
from .robust_sets import names, split
from .timing import interleave

TIMES = ROOT / "docs" / "results" / "robust_times.json"
SETS, ROWS, RATE, REPEATS = ("german", "image", "segment"), (500, 1500), 0.2, 2
FEW = 120
"""Rows of the first fit, which is not timed."""
TIMED = (OURS, CLEANLAB, "LightGBM")


def measure() -> dict[str, Any]:
    """Least processor seconds of a fit by case, then contender; and the load of the machine."""
    made = {name: maker for name, maker in contenders().items() if name in TIMED}
    times: dict[str, dict[str, float]] = {}
    for name in SETS:
        few = split(name, "uniform", RATE, 0, FEW)
        for maker in made.values():
            fit_quietly(maker, few)  # what is compiled or imported is so by now
        for rows in ROWS:
            data = split(name, "uniform", RATE, 0, rows)
            tasks = {model: partial(fit_quietly, maker, data) for model, maker in made.items()}
            found, _ = interleave(tasks, REPEATS, time.process_time)
            case = f"{name}, {len(data.noisy)} rows"
            times[case] = {model: min(seconds) for model, seconds in found.items()}
    made = environment()
    return {"load_average": made["load_average"], "environment": made, "times": times}


def time_table(found: dict[str, Any]) -> Table:
    """Processor seconds of a fit, one line per contender."""
    times = found["times"]
    table = Table(
        f"processor seconds of a fit, {RATE:.0%} uniform flips, one thread each, least of "
        f"{REPEATS}; load average {found['load_average']}",
        ["model", *times],
    )
    models = next(iter(times.values()), {})
    table.rows = [[model, *(mine[model] for mine in times.values())] for model in models]
    return table


def time_goal(found: dict[str, Any]) -> Goal:
    """Time of ours over that of cleanlab around LightGBM, all cases together."""
    times = found["times"].values()
    known = [mine for mine in times if CLEANLAB in mine]
    ratio = sum(m[OURS] for m in known) / sum(m[CLEANLAB] for m in known) if known else None
    return Goal(f"processor time of ours / {CLEANLAB}, one thread each", ratio, "<=", 1.0)


def recorded() -> dict[str, Any] | None:
    """What was measured last, if anything."""
    if not TIMES.is_file():
        return None
    found: dict[str, Any] = json.loads(TIMES.read_text())
    return found


def main() -> None:
    """Measure, and keep it."""
    missing = [name for name in SETS if name not in names()]
    if missing:
        raise SystemExit(f"no {', '.join(missing)}: MARGINBOOST_DATA=FOLDER must name their folder")
    TIMES.write_text(json.dumps(measure(), indent=1) + "\n")


if __name__ == "__main__":
    main()
