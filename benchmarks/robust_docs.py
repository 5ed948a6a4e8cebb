"""Write the measured parts of documents: ``python -m benchmarks.robust_docs``.

Errors come from ``docs/results/robust.json.gz``, which ``python -m benchmarks robust`` writes,
times from ``docs/results/robust_times.json.gz``, which ``python -m benchmarks.robust_times``
writes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np

from marginboost_experiments.packed import read_json

from .environment import ROOT
from .report import Cell, Table
from .robust import OURS, RESULTS, by_size, complete, refused, summary
from .robust_sets import DESIGN, n_sets
from .robust_times import recorded, time_goals, time_table
from .robust_trials import TRIALS, trials_table
from .sizes import FULL

BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"


def markdown(table: Table, digits: int = 2) -> str:
    """A table as Markdown, with its title; numbers below 1000 have digits behind the point."""
    lines = [f"**{table.title}**", "", f"| {' | '.join(table.columns)} |"]
    lines.append("|" + "---|" * len(table.columns))
    for row in table.rows:
        shown = [_shown(cell, digits) for cell in row]
        lines.append(f"| {' | '.join(shown)} |")
    return "\n".join(lines)


def _shown(cell: Cell, digits: int) -> str:
    if cell is None:
        return "–"
    if not isinstance(cell, float):
        return str(cell)
    return f"{cell:.{digits}f}" if abs(cell) < 1000.0 else f"{cell:.0f}"


def what_was_run(found: dict[str, Any]) -> str:
    """Sets, rows, splits and versions behind the tables."""
    sets = sorted({case[0] for case in complete(found["results"])})
    design = [name for name in sets if name in DESIGN]
    others = [name for name in sets if name not in DESIGN]
    versions = ", ".join(f"{name} {number}" for name, number in found["versions"].items())
    grids = [_grid(rows, complete(part)) for rows, part in by_size(found["results"]).items()]
    left_out = ", ".join(f"{model} {n}" for model, n in refused(found["results"]).items())
    if left_out:
        grids.append(f"Left out as a contender could not do it ({left_out} cases): the others.")
    return (
        f"{' '.join(grids)} The whole grid has {n_sets()} sets and {FULL.robust_splits} splits. "
        f"Design sets: {', '.join(design) or 'none'}. Sets that only judge: "
        f"{', '.join(others) or 'none'}. {versions}."
    )


def _grid(most_rows: int, cases: Iterable[tuple[str, ...]]) -> str:
    """How many cases, sets and splits of each kind have at most so many rows to learn from."""
    cases = list(cases)
    told = "; ".join(
        f"{kind} {_splits([case for case in cases if case[1] == kind])}"
        for kind in sorted({case[1] for case in cases}, reverse=True)
    )
    n_sets_here = len({case[0] for case in cases})
    return (
        f"At most {most_rows:,} rows to learn from: {len(cases)} cases of {n_sets_here} sets; "
        f"cases of each split by kind of flips: {told}."
    )


def _splits(cases: list[tuple[str, ...]]) -> str:
    """How many cases each split has."""
    counts = Counter(case[3] for case in cases)
    return ", ".join(str(counts[number]) for number in sorted(counts, key=int))


def guide(results: dict[str, Any]) -> str:
    """For every contender: where it is best, and where it is worst beside the best."""
    cases = complete(results)
    models = list(next(iter(cases.values()), {}))
    best = {case: min(found[m][0] for m in models) for case, found in cases.items()}
    table = Table(
        f"who is best, and how far behind the others are: {len(cases)} cases, {_most(cases)}",
        ["model", "best in", "mean points behind the best", "most behind", "where"],
    )
    for model in models:
        behind = {case: found[model][0] - best[case] for case, found in cases.items()}
        worst = max(behind, key=lambda case: behind[case])
        wins = sum(gap == 0 for gap in behind.values())
        where = f"{worst[0]}, {float(worst[2]):.0%} {worst[1]}"
        mean = float(np.mean(list(behind.values())))
        table.rows.append([model, f"{wins} of {len(cases)}", mean, behind[worst], where])
    table.rows.sort(key=lambda row: float(row[2]))  # type: ignore[arg-type]
    return markdown(table)


def by_set(results: dict[str, Any]) -> str:
    """Ours beside the best other, set by set, mean over rates from 10 % on."""
    cases = {case: found for case, found in complete(results).items() if float(case[2]) > 0}
    table = Table(
        f"with wrong labels, set by set, {_most(cases)}", ["set", "ours", "best other", "which"]
    )
    for name in sorted({case[0] for case in cases}):
        here = [found for case, found in cases.items() if case[0] == name]
        means = {m: float(np.mean([found[m][0] for found in here])) for m in here[0]}
        other = min((m for m in means if m != OURS), key=lambda m: means[m])
        table.rows.append([name, means[OURS], means[other], other])
    return markdown(table)


def _most(cases: Iterable[tuple[str, ...]]) -> str:
    """How many rows were learnt from."""
    return f"at most {max((int(case[4]) for case in cases), default=0):,} rows to learn from"


def fill(name: str, text: str) -> None:
    """Put measured text between the marks of a document."""
    path = ROOT / "docs" / name
    before, rest = path.read_text().split(BEGIN)
    after = rest.split(END)[1]
    path.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}")


def main() -> None:
    """Write both documents' tables."""
    found = read_json(RESULTS)
    tables, goals = summary(found["results"])
    times = recorded()
    if times is not None:
        tables, goals = [*tables, time_table(times)], [*goals, *time_goals(times)]
    if TRIALS.is_file():
        tables.append(trials_table(read_json(TRIALS)))
    verdicts = Table("goals", ["goal", "measured", "wanted", "verdict"])
    for goal in goals:
        wanted = f"{goal.relation} {goal.target}"
        verdicts.rows.append([goal.what, goal.measured, wanted, goal.verdict])
    parts = [what_was_run(found), *(markdown(table) for table in tables), markdown(verdicts)]
    fill("robust.md", "\n\n".join(parts))
    small = next(iter(by_size(found["results"]).values()), {})
    fill("which-algorithm.md", f"{guide(small)}\n\n{by_set(small)}")


if __name__ == "__main__":
    main()
