"""Wall times of several tasks, taken in turn."""

from __future__ import annotations

import gc
import math
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

PAUSE = 0.05
"""Seconds between two tasks, so that idle OpenMP threads of one do not spin into the next."""


def interleave(
    tasks: Mapping[str, Callable[[], Any]],
    repeats: int,
    clock: Callable[[], float] = time.perf_counter,
) -> tuple[dict[str, list[float]], dict[str, Any]]:
    """Time every task once, then every task again, and so on; return times and last results.

    Taking turns spreads a slow minute of the machine over all tasks instead of charging it to one.
    """
    times: dict[str, list[float]] = {name: [] for name in tasks}
    results: dict[str, Any] = {}
    for _ in range(repeats):
        for name, task in tasks.items():
            results.pop(name, None)  # freed before the clock starts, not while it runs
            gc.collect()
            time.sleep(PAUSE)
            start = clock()
            result = task()
            times[name].append(clock() - start)
            results[name] = result
    return times, results


def speedup(times: Mapping[str, Sequence[float]], us: str) -> float | None:
    """Best time of the fastest other contender over our best time; None if nobody else ran."""
    others = [min(seconds) for name, seconds in times.items() if name != us]
    return min(others) / min(times[us]) if others else None


def log_log_slope(sizes: Sequence[float], seconds: Sequence[float]) -> float:
    """Exponent of the power law through the points, by least squares on logarithms."""
    x = [math.log(size) for size in sizes]
    y = [math.log(second) for second in seconds]
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    spread = sum((a - mean_x) ** 2 for a in x)
    return sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True)) / spread
