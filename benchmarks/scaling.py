"""How our fit grows with rows, features and rounds, in time and in memory: ``scaling``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .data import synthetic
from .memory import CONTENDERS, measure
from .peers import US, warm_up
from .report import Goal, Section, Table
from .sizes import Shape, Sizes
from .timing import interleave, log_log_slope

Job = tuple[int, int, int]


def scaling(sizes: Sizes) -> Section:
    """Exponents of the fit time, and the memory a fit adds to its input."""
    section = Section("scaling")
    warm_up([US])
    n, d, rounds = sizes.base_rows, sizes.base_features, sizes.base_rounds
    _growth(section, "rows N", sizes.scaling_rows, lambda size: (size, d, rounds), sizes)
    _growth(section, "features d", sizes.scaling_features, lambda size: (n, size, rounds), sizes)
    _growth(section, "rounds T", sizes.scaling_rounds, lambda size: (n, d, size), sizes)
    for what in CONTENDERS:
        _memory(section, what, sizes.memory_shapes, sizes.memory_rounds)
    section.notes += [
        "the exponent is the slope of log time over log size; below 1 a fixed cost is still seen",
        "memory: peak of a fresh process during fit, over what it held with the input in memory",
    ]
    return section


def _growth(
    section: Section, what: str, values: tuple[int, ...], job: Callable[[int], Job], sizes: Sizes
) -> None:
    """Time fits of growing size and find the exponent."""
    data = {shape: synthetic(*shape) for shape in {job(value)[:2] for value in values}}
    tasks = {str(value): _fit_task(data, job(value)) for value in values}
    times, _ = interleave(tasks, sizes.repeats)
    best = [min(times[str(value)]) for value in values]
    fixed = dict(zip(("N", "d", "T"), job(values[0]), strict=True))
    del fixed[what[-1]]
    title = f"fit time against {what}, " + ", ".join(f"{k} = {v:,}" for k, v in fixed.items())
    section.times[title] = times
    table = Table(title, [what, "best s", "exponent since the row above"])
    for k, (value, seconds) in enumerate(zip(values, best, strict=True)):
        local = log_log_slope(values[k - 1 : k + 1], best[k - 1 : k + 1]) if k else None
        table.rows.append([value, seconds, local])
    section.tables.append(table)
    section.goals.append(Goal(f"exponent in {what}", log_log_slope(values, best), "<=", 1.05))


def _fit_task(data: dict[Shape, Any], job: Job) -> Callable[[], Any]:
    n, d, rounds = job
    return lambda: US.fit(*data[n, d], rounds)


def _memory(section: Section, what: str, shapes: tuple[Shape, Shape, Shape], rounds: int) -> None:
    """Solve ``extra = a·N·d + b·N + c`` for the bytes a fit takes besides its input.

    The shapes are wide enough for training to be the peak; with few features it is binning, whose
    scratch does not grow with N·d, and a would look too small.
    """
    found = [measure(n, d, rounds, what) for n, d in shapes]
    table = Table(
        f"memory that a fit of {rounds} rounds of {what} adds to its input",
        ["N × d", "input MB", "extra MB", "extra / binned", "bytes per row beyond 1.3 × binned"],
    )
    for (n, d), one in zip(shapes, found, strict=True):
        extra, binned = one["extra"], n * d
        beyond = (extra - 1.3 * binned) / n
        table.rows.append([f"{n:,} × {d}", 8 * n * d / 1e6, extra / 1e6, extra / binned, beyond])
    section.tables.append(table)
    system = np.array([[n * d, n, 1.0] for n, d in shapes])
    value, row, fixed = np.linalg.solve(system, [one["extra"] for one in found])
    section.goals += [
        Goal(
            f"{what}: extra memory per value of X, in bytes of binned matrix",
            float(value),
            *("<=", 1.3, " B"),
        ),
        Goal(f"{what}: extra memory per row", float(row), unit=" B"),
        Goal(f"{what}: extra memory of any fit", float(fixed) / 1e6, unit=" MB"),
    ]
    section.notes.append(f"memory was read from {found[0]['source']}")
