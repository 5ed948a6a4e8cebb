"""Decisions on suspects in a CSV file, kept from session to session.

A file of decisions is never lost: lines about rows that are not listed now, or that had another id
or label when they were decided on, are written back as they are, and so are decisions that another
session wrote meanwhile.
"""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

from ..files import locked, write_whole
from .errors import DataError, UsageError
from .output import csv_bytes, guard, writing

COLUMNS = ("row", "id", "given", "suggested", "score", "decision")
WORDS = ("wrong", "right")

Line = dict[str, Any]


class DecisionFile:
    """Where decisions are kept.

    Parameters
    ----------
    path : str
        A CSV file that this class wrote, or none yet; anything else is refused, so that no other
        file is overwritten.
    """

    def __init__(self, path: str) -> None:
        if Path(path).suffix.lower() != ".csv":
            raise UsageError(f"--decisions: got {path!r}, expected the name of a .csv file")
        self.path = path
        _read(path)
        self._listed: dict[int, Line] = {}
        self._saved: dict[int, str] = {}

    def take_up(self, payload: dict[str, Any]) -> dict[int, str]:
        """Decisions made before on rows that are listed now, by row number."""
        names = payload["classes"]
        self._listed = {
            suspect["row"]: {
                "row": suspect["row"],
                "id": suspect["id"],
                "given": names[suspect["given"]],
                "suggested": names[suspect["suggested"]],
                "score": suspect["score"],
            }
            for suspect in payload["suspects"]
        }
        self._saved = self._part(_read(self.path))[0]
        return dict(self._saved)

    def save(self, decisions: dict[int, str]) -> dict[int, str]:
        """Write what changed since the last time, and return all decisions on rows listed now.

        The file is read again first: another session may have written to it. What both changed is
        as the last one said.
        """
        rows = {*decisions, *self._saved}
        changed = {r: w for r in rows if (w := decisions.get(r)) != self._saved.get(r)}
        with writing(self.path), locked(self.path):
            found, others = self._part(_read(self.path))
            merged = {row: word for row, word in {**found, **changed}.items() if word is not None}
            lines = [{**self._listed[row], "decision": word} for row, word in merged.items()]
            lines = sorted([*lines, *others], key=lambda line: int(line["row"]))
            write_whole(self.path, csv_bytes({name: [x[name] for x in lines] for name in COLUMNS}))
        self._saved = merged
        return dict(merged)

    def _part(self, lines: list[Line]) -> tuple[dict[int, str], list[Line]]:
        """Decisions on rows that are listed now, and all other lines."""
        known = {int(line["row"]): line["decision"] for line in lines if self._is_listed(line)}
        return known, [line for line in lines if not self._is_listed(line)]

    def _is_listed(self, line: Line) -> bool:
        now = self._listed.get(int(line["row"]))
        return now is not None and all(guard(now[name]) == line[name] for name in ("id", "given"))


def read_decisions(path: str, rows: list[int], given: list[str]) -> dict[int, str]:
    """Decisions on rows of a table, by position; lines about rows that have changed are refused.

    Parameters
    ----------
    path : str
        A file that :class:`DecisionFile` wrote.
    rows : list of int
        Numbers of the rows in their file, from 1.
    given : list of str
        Their labels.
    """
    if not Path(path).exists():
        raise DataError(f"{path}: no such file (--decisions)", file=path)
    places = {row: position for position, row in enumerate(rows)}
    found = {}
    for line in _read(path):
        row = int(line["row"])
        position = places.get(row)
        if position is None or guard(given[position]) != line["given"]:
            now = "is not in the table" if position is None else f"has label {given[position]!r}"
            raise DataError(
                f"{path}: a decision is about row {row} with label {line['given']!r}, which {now}; "
                "decisions belong to the table that was audited",
                file=path,
            )
        found[position] = line["decision"]
    return found


def _read(path: str) -> list[Line]:
    if not Path(path).exists():
        return []
    problem = f"{path}: not a file of decisions (--decisions), so it is left alone"
    try:
        text = Path(path).read_text(encoding="utf-8")
        reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
        lines: list[Line] = list(reader)
    except (OSError, ValueError, csv.Error) as error:
        raise DataError(f"{problem}: {error}", file=path) from None
    if tuple(reader.fieldnames or ()) != COLUMNS:
        raise DataError(f"{problem}: its columns are not {', '.join(COLUMNS)}", file=path)
    for number, line in enumerate(lines, start=1):
        if not str(line["row"]).isdecimal() or line["decision"] not in WORDS or None in line:
            raise DataError(f"{problem}: row {number} is not a decision", file=path, row=number)
    return lines
