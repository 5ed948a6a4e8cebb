"""What a benchmark returns, and how it is printed: with Rich where installed, else plainly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

Cell = str | int | float | None

MOST_COMPANY = 0.05
"""Share of the machine that others may take before the numbers are called doubtful."""


@dataclass
class Table:
    """Measured numbers; raw in ``rows``, rounded only when printed."""

    title: str
    columns: list[str]
    rows: list[list[Cell]] = field(default_factory=list)


@dataclass
class Goal:
    """A measured number beside what we want of it.

    ``measured`` is None where it could not be measured, ``target`` None where it is only shown.
    """

    what: str
    measured: float | None
    relation: str = ""
    target: float | None = None
    unit: str = ""

    @property
    def verdict(self) -> str:
        """Whether the goal is met: pass, miss, not measured, or – where nothing is demanded."""
        if self.measured is None:
            return "not measured"
        if self.target is None:
            return "–"
        above = self.relation in (">=", ">")
        met = self.measured >= self.target if above else self.measured <= self.target
        return "pass" if met else "miss"


@dataclass
class Section:
    """Everything one benchmark found.

    ``times`` holds every measured time in seconds: task, then contender. ``other_load`` is the
    share of the machine that other processes took in the ``seconds`` of the whole benchmark; of one
    that ends processes of its own by force, ``unknown_load``: their time is nobody's.
    """

    name: str
    tables: list[Table] = field(default_factory=list)
    goals: list[Goal] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    times: dict[str, dict[str, list[float]]] = field(default_factory=dict)
    other_load: float | None = None
    unknown_load: bool = False
    seconds: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        data = asdict(self)
        for plain, goal in zip(data["goals"], self.goals, strict=True):
            plain["verdict"] = goal.verdict
        return data


def show_environment(found: dict[str, Any]) -> None:
    versions = {"python": found["python"], **found["versions"]}
    cores = f"{found['cores']} cores, {found['threads']} threads used by all"
    print(f"{found['date']} on {found['processor']}, {cores}")
    print(f"System: {found['system']}; load average at start {found['load_average']}")
    shown = ", ".join(f"{name} {version}" for name, version in versions.items())
    print(f"Versions: {shown}; commit {found['commit'] or 'unknown'}", flush=True)


def show(section: Section) -> None:
    print(f"\n=== {section.name} ===")
    for table in section.tables:
        _print_table(table.title, table.columns, table.rows)
    show_goals("goals", section.goals)
    for reason in section.skipped:
        print(f"skipped: {reason}")
    for note in section.notes:
        print(f"note: {note}")
    if section.other_load is not None:
        company = (
            "; TOO MUCH, repeat on a quiet machine" if section.other_load > MOST_COMPANY else ""
        )
        print(f"other processes took {section.other_load:.0%} of the machine meanwhile{company}")
    if section.seconds is not None:
        print(f"{section.name} took {section.seconds:.0f} s")
    print(end="", flush=True)


def show_goals(title: str, goals: Sequence[Goal]) -> None:
    rows: list[list[Cell]] = [
        [
            goal.what,
            "" if goal.measured is None else f"{goal.measured:.3g}{goal.unit}",
            "" if goal.target is None else f"{goal.relation} {goal.target:g}{goal.unit}",
            goal.verdict,
        ]
        for goal in goals
    ]
    if rows:
        _print_table(title, ["what", "measured", "goal", "verdict"], rows)


def _text(cell: Cell) -> str:
    if cell is None:
        return ""
    return f"{cell:.4g}" if isinstance(cell, float) else str(cell)


def _print_table(title: str, columns: list[str], rows: Sequence[Sequence[Cell]]) -> None:
    text = [[_text(cell) for cell in row] for row in rows]
    try:
        from rich.console import Console
        from rich.table import Table as RichTable
    except ImportError:
        _print_plain(title, columns, text)
        return
    table = RichTable(title=title, title_justify="left")
    for k, column in enumerate(columns):
        table.add_column(column, justify="left" if k == 0 else "right")
    for row in text:
        table.add_row(*row)
    console = Console()
    # A file has no width of its own: let no column be cut there.
    (console if console.is_terminal else Console(width=140)).print(table, markup=False)


def _print_plain(title: str, columns: list[str], rows: list[list[str]]) -> None:
    widths = [max(len(line[k]) for line in [columns, *rows]) for k in range(len(columns))]
    print(f"\n{title}")
    for line in [columns, ["-" * width for width in widths], *rows]:
        cells = [line[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True)]
        print("  ".join(cells))
